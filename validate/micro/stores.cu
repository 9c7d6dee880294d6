// What stores of all SMs take that L2 has to write back.
//     nvcc -O3 -arch=sm_90 -std=c++17 stores.cu -o stores
//     ./stores            prints lines: passes, kind, MiB, cycles of each of six passes
//     ./stores SECTION    only one kind: passes_part, passes_st32, passes_st128
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <algorithm>
typedef uint32_t u32;
typedef unsigned long long u64;
__device__ __forceinline__ u32 now()
{
    u64 t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return (u32)t;
}
enum { ST32, ST128, PART };
template <int K> __device__ __forceinline__ void one(char *p, u32 val)
{
    if (K == ST32 || K == PART) asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(val) : "memory");
    if (K == ST128) asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p), "r"(val) : "memory");
}
__host__ __device__ constexpr u32 width(int k) { return k == ST128 ? 16 : k == PART ? 32 : 4; }
// All SMs write so many rows again and again; time of each pass.
template <int K> __global__ void __launch_bounds__(1024) passes(u32 *out, char *data, u32 rows, u32 n, u32 *gate)
{
    for (u32 r = 0; r < n; r++) {
        __syncthreads();
        u32 t = now();
        for (u32 row = blockIdx.x * 32 + threadIdx.x / 32; row < rows; row += gridDim.x * 32)
            one<K>(data + (size_t)row * 32 * width(K) + threadIdx.x % 32 * width(K), r);
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(gate + r, 1);
            while (*(volatile u32 *)(gate + r) < gridDim.x) ;
            out[blockIdx.x * n + r] = now() - t;
        }
    }
}
static __global__ void sweep(u32 *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) p[i] += 1;
}
// So that L2 is full of lines that need not be written back.
static __global__ void look(const u32 *p, size_t n, u32 *out)
{
    u32 sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        u32 v;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p + i));
        sum += v;
    }
    if (sum == 0x12345) *out = sum;
}
static char *data;
static u32 *out, *filler, *gate;
static std::vector<u32> w(1 << 21);
static void check(const char *what)
{
    cudaError_t e = cudaDeviceSynchronize();
    if (e) { fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e)); exit(1); }
    cudaMemcpy(w.data(), out, w.size() * 4, cudaMemcpyDeviceToHost);
}
template <int K> static void run_passes(const char *name)
{
    for (u32 mib : {8u, 16u, 20u, 24u, 28u, 32u, 40u, 48u, 64u, 96u}) {
        sweep<<<1024, 256>>>(filler, (256 << 20) / 4);
        for (int i = 0; i < 2; i++) look<<<1024, 256>>>(filler, (256 << 20) / 4, out);
        cudaMemset(gate, 0, 4096);
        passes<K><<<132, 1024>>>(out, data, (mib << 20) / (32 * width(K)), 6, gate);
        check(name);
        printf("passes,%s,%u", name, mib);
        for (int r = 0; r < 6; r++) {
            u32 most = 0;
            for (u32 b = 0; b < 132; b++) most = std::max(most, w[b * 6 + r]);
            printf(",%u", most);
        }
        printf("\n");
    }
}
int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : "";
    auto wanted = [&](const char *s) { return !*only || !strcmp(only, s); };
    if (cudaMalloc(&data, (size_t)1 << 30) || cudaMalloc(&out, 16 << 20) || cudaMalloc(&filler, 256 << 20) || cudaMalloc(&gate, 4096)) return 1;
    cudaMemset(data, 0, (size_t)1 << 30);
    for (int i = 0; i < 20; i++) sweep<<<1024, 256>>>(filler, (256 << 20) / 4);
    if (wanted("passes_part")) run_passes<PART>("part");
    if (wanted("passes_st32")) run_passes<ST32>("st32");
    if (wanted("passes_st128")) run_passes<ST128>("st128");
    return 0;
}
