// Clusters: how many the runtime says are active, and which SMs lie together in a GPC.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <map>
#include <set>
#include <vector>
namespace cg = cooperative_groups;

__device__ unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }

__global__ void who(unsigned *out, int spin)
{
    extern __shared__ char s[];
    auto c = cg::this_cluster();
    c.sync();
    if (threadIdx.x == 0) {
        out[blockIdx.x] = smid();
        long long t = clock64();
        while (clock64() - t < spin) ;
    }
    c.sync();
    if (spin < 0) out[0] = s[threadIdx.x];
}

// Registers: bounded so that a launch of 1024 threads is possible for the first, and few blocks fit for the second.
template <int N> __global__ void __launch_bounds__(256, N) heavy(float *a, int n)
{
    float v[96];
#pragma unroll
    for (int i = 0; i < 96; i++) v[i] = a[i * 31 + threadIdx.x];
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int i = 0; i < 96; i++) v[i] = v[i] * v[(i + 7) % 96] + v[(i + 1) % 96];
    float s = 0;
#pragma unroll
    for (int i = 0; i < 96; i++) s += v[i];
    a[threadIdx.x] = s;
}

static void query(FILE *f, const char *name, const void *fn, int threads, size_t shared, int cluster)
{
    cudaLaunchConfig_t cfg = {};
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = cluster; at[0].val.clusterDim.y = 1; at[0].val.clusterDim.z = 1;
    cfg.gridDim = dim3(cluster * 1000); cfg.blockDim = dim3(threads); cfg.dynamicSmemBytes = shared;
    cfg.attrs = at; cfg.numAttrs = 1;
    int clusters = -1, blocks = -1, size = -1;
    cudaFuncAttributes fa; cudaFuncGetAttributes(&fa, fn);
    cudaError_t e = cudaOccupancyMaxActiveClusters(&clusters, fn, &cfg);
    cudaGetLastError();
    cudaError_t e2 = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fn, threads, shared);
    cudaGetLastError();
    cudaError_t e3 = cudaOccupancyMaxPotentialClusterSize(&size, fn, &cfg);
    cudaGetLastError();
    fprintf(f, "%s,%d,%d,%zu,%d,%d,%s,%d,%s,%d,%s\n", name, threads, fa.numRegs, shared, cluster, clusters, cudaGetErrorName(e), blocks,
            cudaGetErrorName(e2), size, cudaGetErrorName(e3));
}

static int launch_who(unsigned *d, std::vector<unsigned> &h, int grid, int cluster, size_t shared, int spin)
{
    cudaLaunchConfig_t cfg = {};
    cudaLaunchAttribute at[1];
    at[0].id = cudaLaunchAttributeClusterDimension;
    at[0].val.clusterDim.x = cluster; at[0].val.clusterDim.y = 1; at[0].val.clusterDim.z = 1;
    cfg.gridDim = dim3(grid); cfg.blockDim = dim3(32); cfg.dynamicSmemBytes = shared; cfg.attrs = at; cfg.numAttrs = 1;
    cudaError_t e = cudaLaunchKernelEx(&cfg, who, d, spin);
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    if (e != cudaSuccess) { fprintf(stderr, "cluster %d: %s\n", cluster, cudaGetErrorName(e)); cudaGetLastError(); return 0; }
    h.resize(grid);
    cudaMemcpy(h.data(), d, grid * 4, cudaMemcpyDeviceToHost);
    return 1;
}

int main(int argc, char **argv)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/max_active_clusters.csv", argv[1]);
    FILE *f = fopen(path, "w");
    fprintf(f, "kernel,threads,registers,shared_dynamic,cluster,max_active_clusters,error,blocks_per_sm,error_blocks,max_cluster,error_max_cluster\n");
    const void *fns[] = {(void *)who, (void *)heavy<1>, (void *)heavy<4>};
    const char *names[] = {"who", "heavy1", "heavy4"};
    for (int k = 0; k < 3; k++) {
        cudaFuncSetAttribute(fns[k], cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        cudaFuncSetAttribute(fns[k], cudaFuncAttributeMaxDynamicSharedMemorySize, 232448);
    }
    int threads[] = {32, 64, 96, 128, 256, 384, 512, 640, 768, 1024};
    size_t shared[] = {0, 1000, 8192, 20000, 49152, 60000, 75000, 100000, 115000, 120000, 200000, 232448};
    for (int k = 0; k < 3; k++)
        for (int t : threads) {
            if (k > 0 && t > 256) continue;
            for (size_t s : shared)
                for (int c = 1; c <= 17; c++)
                    query(f, names[k], fns[k], t, s, c);
        }
    fclose(f);

    // GPCs: blocks of one cluster lie in one.
    unsigned *d; cudaMalloc(&d, 1 << 20);
    std::vector<int> parent(512); for (int i = 0; i < 512; i++) parent[i] = i;
    auto find = [&](int x) { while (parent[x] != x) x = parent[x]; return x; };
    std::set<unsigned> seen;
    std::vector<unsigned> h;
    snprintf(path, sizeof path, "%s/cluster_places.txt", argv[1]);
    f = fopen(path, "w");
    for (int c = 1; c <= 16; c++)
        for (int rep = 0; rep < 8; rep++) {
            if (!launch_who(d, h, c * 64, c, 200000, 200000)) break;
            for (size_t i = 0; i < h.size(); i++) {
                seen.insert(h[i]);
                int a = find(h[i - i % c]), b = find(h[i]);
                parent[a] = b;
            }
            if (rep == 0) {
                fprintf(f, "cluster %d:", c);
                for (size_t i = 0; i < h.size(); i++) fprintf(f, "%s%u", i % c ? " " : " | ", h[i]);
                fprintf(f, "\n");
            }
        }
    std::map<int, std::vector<unsigned>> gpc;
    for (unsigned s : seen) gpc[find(s)].push_back(s);
    for (auto &g : gpc) {
        fprintf(f, "gpc of %zu SMs:", g.second.size());
        for (unsigned s : g.second) fprintf(f, " %u", s);
        fprintf(f, "\n");
    }
    // Small blocks: where do the blocks of a cluster go when many fit an SM?
    for (int c : {2, 4, 8, 16}) {
        if (!launch_who(d, h, c * 4, c, 0, 1000)) break;
        fprintf(f, "small, cluster %d:", c);
        for (size_t i = 0; i < h.size(); i++) fprintf(f, "%s%u", i % c ? " " : " | ", h[i]);
        fprintf(f, "\n");
    }
    fclose(f);

    // The opt-in: without it a launch with more than 48 KB fails.
    snprintf(path, sizeof path, "%s/optin.txt", argv[1]);
    f = fopen(path, "w");
    cudaFuncSetAttribute((void *)who, cudaFuncAttributeMaxDynamicSharedMemorySize, 49152);
    for (size_t s : {(size_t)49152, (size_t)49153, (size_t)102400, (size_t)232448, (size_t)232449}) {
        who<<<1, 32, s>>>(d, 0);
        fprintf(f, "no opt-in, %zu: %s\n", s, cudaGetErrorName(cudaGetLastError()));
        cudaDeviceSynchronize();
        cudaError_t e = cudaFuncSetAttribute((void *)who, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)s);
        fprintf(f, "cudaFuncSetAttribute %zu: %s\n", s, cudaGetErrorName(e));
        cudaGetLastError();
        who<<<1, 32, s>>>(d, 0);
        fprintf(f, "after it, %zu: %s\n", s, cudaGetErrorName(cudaGetLastError()));
        cudaDeviceSynchronize();
        cudaFuncSetAttribute((void *)who, cudaFuncAttributeMaxDynamicSharedMemorySize, 49152);
        cudaGetLastError();
    }
    cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);
    fprintf(f, "globalL1CacheSupported %d localL1CacheSupported %d asyncEngineCount %d cooperativeLaunch %d persistingL2CacheMaxSize %d accessPolicyMaxWindowSize %d maxBlocksPerMultiProcessor %d clusterLaunch %d\n",
            p.globalL1CacheSupported, p.localL1CacheSupported, p.asyncEngineCount, p.cooperativeLaunch, p.persistingL2CacheMaxSize, p.accessPolicyMaxWindowSize, p.maxBlocksPerMultiProcessor, p.clusterLaunch);
    fclose(f);
    return 0;
}
