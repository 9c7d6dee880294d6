// How many blocks of clusters an SM really holds at once.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>
namespace cg = cooperative_groups;
__global__ void hold(unsigned *now, unsigned *most, long long spin)
{
    unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
    if (threadIdx.x == 0) {
        unsigned n = atomicAdd(&now[s], 1) + 1;
        atomicMax(&most[s], n);
        long long t = clock64();
        while (clock64() - t < spin) ;
        atomicMax(&most[s], atomicAdd(&now[s], 0));
        atomicSub(&now[s], 1);
    }
    __syncthreads();
}
int main(int argc, char **argv)
{
    unsigned *now, *most; cudaMalloc(&now, 4096); cudaMalloc(&most, 4096);
    FILE *f = fopen(argv[1], "w");
    fprintf(f, "threads,shared,cluster,max_active,most_on_an_sm,least_on_an_sm,all_at_once,error\n");
    cudaFuncSetAttribute((void *)hold, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    cudaFuncSetAttribute((void *)hold, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448);
    for (int threads : {32, 64, 128, 256})
        for (size_t shared : {(size_t)0, (size_t)4096, (size_t)10000})
            for (int c : {0, 1, 2, 4, 8, 16}) {
                cudaMemset(now, 0, 4096); cudaMemset(most, 0, 4096);
                cudaLaunchConfig_t cfg = {}; cudaLaunchAttribute at[1];
                at[0].id = cudaLaunchAttributeClusterDimension;
                at[0].val.clusterDim.x = c ? c : 1; at[0].val.clusterDim.y = 1; at[0].val.clusterDim.z = 1;
                cfg.gridDim = dim3(16 * 132 * 4); cfg.blockDim = dim3(threads); cfg.dynamicSmemBytes = shared;
                cfg.attrs = at; cfg.numAttrs = c ? 1 : 0;
                int active = -1;
                if (c) cudaOccupancyMaxActiveClusters(&active, hold, &cfg);
                cudaGetLastError();
                cudaError_t e = cudaLaunchKernelEx(&cfg, hold, now, most, (long long)2000000);
                if (e == cudaSuccess) e = cudaDeviceSynchronize();
                std::vector<unsigned> h(1024);
                cudaMemcpy(h.data(), most, 4096, cudaMemcpyDeviceToHost);
                unsigned hi = 0, lo = ~0u, sum = 0;
                for (int i = 0; i < 132; i++) { hi = h[i] > hi ? h[i] : hi; lo = h[i] < lo ? h[i] : lo; sum += h[i]; }
                fprintf(f, "%d,%zu,%d,%d,%u,%u,%u,%s\n", threads, shared, c, active, hi, lo, sum, cudaGetErrorName(e));
                cudaGetLastError();
            }
    fclose(f);
}
