// What each block gets when all SMs stream: the streams of micro.cu, block by block.
//
//     nvcc -O3 -arch=sm_90 -std=c++17 shares.cu -o shares
//     ./shares > shares.csv
//     ./shares --list > shares.cases    the same launches for simtlab
//
// A line is a block: launch, block, SM, its beginning (ns after the launch's first block), then of each of two passes the
// cycles of the short stretch and of the long one (first warp's beginning to last warp's end), by how many cycles the
// last warp ended the long one after the first, and its end (ns). `gpc_N`: of the SMs only those read whose number has
// (n / 2) % 8 == N; 99: all; a pass each.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
typedef uint32_t u32;
typedef unsigned long long u64;

__device__ __forceinline__ u32 now()
{
    u64 t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return (u32)t;
}
__device__ __forceinline__ u32 nanos()
{
    u64 t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return (u32)t;
}
__device__ __forceinline__ u32 smid()
{
    u32 s;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
    return s;
}
template <int N, class F> __device__ __forceinline__ void times(F f)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        f(i);
}
#define WORDS 10
#define ARGS u32 *out, char *data, u32 few, u32 many, u32 step, u32 reps
#define STREAM(NAME, UNROLL, ...)                                                                                      \
    extern "C" __global__ void __launch_bounds__(1024) NAME(ARGS)                                                      \
    {                                                                                                                  \
        u32 t[7] = {0, 0, 0, 0, 0, 0, 0}, sum = 0;                                                                     \
        u32 warps = gridDim.x * (blockDim.x / 32), warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;           \
        u32 began = nanos();                                                                                           \
        for (u32 r = 0; r < reps; r++) {                                                                               \
            u32 at = warp;                                                                                             \
            auto turn = [&](u32 n) {                                                                                   \
                for (u32 i = 0; i < n; i += UNROLL) {                                                                  \
                    u32 v[UNROLL][4];                                                                                  \
                    (void)v;                                                                                           \
                    times<UNROLL>([&](int k) {                                                                         \
                        [[maybe_unused]] char *p = data + (size_t)((at + k * warps)) * 32 * step + threadIdx.x % 32 * step; \
                        __VA_ARGS__;                                                                                   \
                    });                                                                                                \
                    at += UNROLL * warps;                                                                              \
                }                                                                                                      \
            };                                                                                                         \
            __syncthreads();                                                                                           \
            u32 t0 = now();                                                                                            \
            turn(few);                                                                                                 \
            __syncthreads();                                                                                           \
            u32 t1 = now();                                                                                            \
            turn(many);                                                                                                \
            u32 t2 = now();                                                                                            \
            __syncthreads();                                                                                           \
            u32 t3 = now();                                                                                            \
            if (r == 0)                                                                                                \
                t[0] = t0, t[1] = t1, t[2] = t3;                                                                       \
            else                                                                                                       \
                t[3] = t0, t[4] = t1, t[5] = t3, t[6] = t2;                                                            \
        }                                                                                                              \
        if (threadIdx.x % 32 == 0) {                                                                                   \
            u32 *o = out + (size_t)warp * WORDS;                                                                       \
            times<7>([&](int k) { o[k] = t[k] + (sum == 0x12345); });                                                  \
            o[7] = began, o[8] = smid(), o[9] = nanos();                                                               \
        }                                                                                                              \
    }
STREAM(ld32, 8, asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[k][0]) : "l"(p)); if (k == 7) times<8>([&](int j) { sum += v[j][0]; }))
STREAM(ld128, 8, asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[k][0]), "=r"(v[k][1]), "=r"(v[k][2]), "=r"(v[k][3]) : "l"(p)); if (k == 7) times<8>([&](int j) { sum += v[j][0] ^ v[j][3]; }))
STREAM(st32, 4, asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(few) : "memory"))
STREAM(st128, 4, asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(few) : "memory"))
STREAM(copy32, 4, asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[k][0]) : "l"(p)); if (k == 3) times<4>([&](int j) { asm volatile("st.global.u32 [%0], %1;" ::"l"(data + ((size_t)many * 2 * warps + at + j * warps) * 32 * step + threadIdx.x % 32 * step), "r"(v[j][0]) : "memory"); }))
STREAM(red32, 4, asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(few) : "memory"))

// Only SMs of `few` (number / 2 % 8) read: `many` lines of 128 bytes, `reps` times, shared out among the blocks there.
extern "C" __global__ void __launch_bounds__(1024) part_of(ARGS)
{
    __shared__ u32 rank_s;
    u32 s = smid(), sum = 0, t[7] = {0, 0, 0, 0, 0, 0, 0};
    u32 began = nanos();
    const bool mine = few == 99 || s / 2 % 8 == few;
    if (threadIdx.x == 0)
        rank_s = mine ? atomicAdd((u32 *)data, 1) : 0;
    __syncthreads();
    if (mine)
        for (u32 wait = now(); now() - wait < 20000;)
            ;
    __syncthreads();
    u32 blocks = mine ? *(volatile u32 *)data : 1, warps = blocks * 32;
    for (u32 r = 0; mine && r < reps; r++) {
        __syncthreads();
        u32 t0 = now();
        for (u32 i = rank_s * 32 + threadIdx.x / 32; i < many; i += 8 * warps) {
            u32 v[8];
            times<8>([&](int k) {
                u32 line = i + k * warps < many ? i + k * warps : i;
                asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[k]) : "l"(data + 4096 + (size_t)line * 128 + threadIdx.x % 32 * 4));
            });
            times<8>([&](int k) { sum += v[k]; });
        }
        __syncthreads();
        u32 t1 = now();
        if (r == 0)
            t[0] = t0, t[1] = t[2] = t1;
        else
            t[3] = t0, t[4] = t[5] = t[6] = t1;
    }
    if (threadIdx.x % 32 == 0) {
        u32 *o = out + (size_t)(blockIdx.x * 32 + threadIdx.x / 32) * WORDS;
        times<7>([&](int k) { o[k] = t[k] + (sum == 0x12345); });
        o[7] = began, o[8] = s, o[9] = nanos();
    }
}
__global__ void sweep(u32 *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] += 1;
}
__global__ void look(const u32 *p, size_t n, u32 *out)
{
    u32 sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        u32 v;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p + i));
        sum += v;
    }
    if (sum == 0x12345)
        *out = sum;
}
static char *data;
static u32 *out, *filler;
static bool list;
static std::vector<u32> words(264 * 32 * WORDS);
// What a launch has of the buffer.
static u32 bytes_of(const std::string &kernel, u32 grid, u32 few, u32 many, u32 step)
{
    const u32 turns = kernel == "copy32" ? 3 * many + few : few + many;
    return kernel == "part_of" ? many * 128 + 4096 : turns * grid * 32 * 32 * step;
}
static void go(const std::string &name, const char *kernel, void *f, u32 grid, u32 few, u32 many, u32 step, u32 reps, bool clean)
{
    if (list) {
        printf("%s shares.cubin %s grid=%u block=1024 u32[%u]=zero u8[%u]=zero u32=%u u32=%u u32=%u u32=%u\n", name.c_str(), kernel, grid,
               grid * 32 * WORDS, bytes_of(kernel, grid, few, many, step), few, many, step, reps);
        return;
    }
    cudaMemset(data, 0, (size_t)640 << 20);
    sweep<<<1024, 256>>>(filler, (size_t)64 << 20);
    for (int i = 0; i < 2 && clean; i++)
        look<<<1024, 256>>>(filler, (size_t)64 << 20, out);
    void *args[] = {&out, &data, &few, &many, &step, &reps};
    cudaError_t e = cudaLaunchKernel(f, dim3(grid), dim3(1024), args, 0, 0);
    if (!e)
        e = cudaDeviceSynchronize();
    if (e)
        printf("%s: %s\n", name.c_str(), cudaGetErrorString(e)), exit(1);
    cudaMemcpy(words.data(), out, (size_t)grid * 32 * WORDS * 4, cudaMemcpyDeviceToHost);
    u32 first = ~0u;
    for (u32 b = 0; b < grid; b++)
        if (words[(size_t)b * 32 * WORDS + 7] < first)
            first = words[(size_t)b * 32 * WORDS + 7];
    for (u32 b = 0; b < grid; b++) {
        const u32 *o = &words[(size_t)b * 32 * WORDS];
        u32 t[6], early = ~0u, late = 0;
        for (int k = 0; k < 6; k++) {
            t[k] = o[k];
            for (u32 w = 1; w < 32; w++) {
                u32 x = o[w * WORDS + k];
                bool start = k % 3 == 0;
                if (start ? (int)(x - t[k]) < 0 : (int)(x - t[k]) > 0)
                    t[k] = x;
            }
        }
        for (u32 w = 0; w < 32; w++) {
            u32 x = o[w * WORDS + 6] - t[3];
            early = x < early ? x : early, late = x > late ? x : late;
        }
        printf("%s,%u,%u,%u,%u,%u,%u,%u,%u,%u\n", name.c_str(), b, o[8], o[7] - first, t[1] - t[0], t[2] - t[1], t[4] - t[3],
               t[5] - t[4], late - early, o[9] - first);
    }
}
#define K(n) #n, (void *)n
int main(int argc, char **argv)
{
    list = argc > 1 && !strcmp(argv[1], "--list");
    if (!list && (cudaMalloc(&data, (size_t)640 << 20) || cudaMalloc(&out, words.size() * 4) || cudaMalloc(&filler, (size_t)256 << 20)))
        return 1;
    for (int clean = 1; clean >= 0; clean--)
        for (u32 grid : {132u, 264u}) {
            std::string tail = std::string(clean ? "_clean" : "_dram") + "_g" + std::to_string(grid);
            go("ld32_l2" + tail, K(ld32), grid, 8, 24, 4, 2, clean);
            go("ld128_l2" + tail, K(ld128), grid, 8, 8, 16, 2, clean);
            go("ld32_part" + tail, K(ld32), grid, 8, 8, 32, 2, clean);
            go("st32_l2" + tail, K(st32), grid, 8, 24, 4, 2, clean);
            go("st128_l2" + tail, K(st128), grid, 8, 8, 16, 2, clean);
            go("st32_part" + tail, K(st32), grid, 4, 4, 32, 2, clean);
            go("red32_l2" + tail, K(red32), grid, 8, 24, 4, 2, clean);
            go("copy32_l2" + tail, K(copy32), grid, 8, 24, 4, 2, clean);
            go("ld32" + tail, K(ld32), grid, 16, 80, 4, 1, clean);
            go("ld128" + tail, K(ld128), grid, 8, 24, 16, 1, clean);
            if (!clean)
                continue;
            go("ld32_far" + tail, K(ld32), grid, 16, 112, 4, 1, clean);
            go("ld128_far" + tail, K(ld128), grid, 8, 40, 16, 1, clean);
            go("st32_far" + tail, K(st32), grid, 16, 112, 4, 1, clean);
            go("st128_far" + tail, K(st128), grid, 8, 40, 16, 1, clean);
            go("copy32_far" + tail, K(copy32), grid, 16, 112, 4, 1, clean);
        }
    for (u32 g : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 99u})
        go("gpc_" + std::to_string(g), K(part_of), 132, g, 8u << 13, 4, 2, true);
    return 0;
}
