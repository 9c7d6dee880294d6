// Streams of all SMs: how far each warp and block gets, what L2 keeps, what an SM finds in the halves of L2.
//
//     nvcc -O3 -arch=sm_90 -std=c++17 streams.cu -o streams
//     ./streams warps|passes|turns > ...csv     a line a launch: its name, what it wrote
//     ncu --cache-control all ... ./streams turns|passes|writes once     each once
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
__device__ __forceinline__ u32 smid()
{
    u32 s;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
    return s;
}
__device__ __forceinline__ u32 nanos()
{
    u64 t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return (u32)t;
}
#define ARGS u32 *out, char *data, u32 few, u32 many, u32 step, u32 reps, u32 mask
template <int N, class F> __device__ __forceinline__ void times(F f)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        f(i);
}
__device__ __forceinline__ void tell(u32 *out, u32 a, u32 b, u32 c, u32 d, u32 n)
{
    u32 warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) {
        out[warp * 6] = a, out[warp * 6 + 1] = b, out[warp * 6 + 2] = c, out[warp * 6 + 3] = d;
        out[warp * 6 + 4] = smid(), out[warp * 6 + 5] = n;
    }
}
// As STREAM of micro.cu, but each warp reads its own end, and turns wrap (mask: in warp turns, a power of two less one).
#define STREAM(NAME, UNROLL, ...)                                                                                      \
    extern "C" __global__ void __launch_bounds__(1024, 2) NAME(ARGS)                                                      \
    {                                                                                                                  \
        u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0, sum = 0;                                                                   \
        u32 warps = gridDim.x * (blockDim.x / 32), warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;           \
        for (u32 r = 0; r < reps; r++) {                                                                               \
            u32 at = warp;                                                                                             \
            auto turn = [&](u32 n) {                                                                                   \
                for (u32 i = 0; i < n; i += UNROLL) {                                                                  \
                    u32 v[UNROLL][4];                                                                                  \
                    (void)v;                                                                                           \
                    times<UNROLL>([&](int k) {                                                                         \
                        [[maybe_unused]] char *p = data + (size_t)((at + k * warps) & mask) * 32 * step + threadIdx.x % 32 * step; \
                        __VA_ARGS__;                                                                                   \
                    });                                                                                                \
                    at += UNROLL * warps;                                                                              \
                }                                                                                                      \
            };                                                                                                         \
            __syncthreads();                                                                                           \
            t0 = now();                                                                                                \
            turn(few);                                                                                                 \
            t1 = now();                                                                                                \
            __syncthreads();                                                                                           \
            t2 = now();                                                                                                \
            turn(many);                                                                                                \
            t3 = now();                                                                                                \
            __syncthreads();                                                                                           \
        }                                                                                                              \
        u32 n = nanos();                                                                                               \
        tell(out, t0, t1, t2, t3 + (sum == 0x12345), n);                                                               \
    }
STREAM(ld32, 8, asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[k][0]) : "l"(p)); if (k == 7) times<8>([&](int j) { sum += v[j][0]; }))
STREAM(ld128, 8, asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[k][0]), "=r"(v[k][1]), "=r"(v[k][2]), "=r"(v[k][3]) : "l"(p)); if (k == 7) times<8>([&](int j) { sum += v[j][0] ^ v[j][3]; }))
STREAM(st32, 4, asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(few) : "memory"))
STREAM(st128, 4, asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(few) : "memory"))
STREAM(copy32, 4, asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[k][0]) : "l"(p)); if (k == 3) times<4>([&](int j) { asm volatile("st.global.u32 [%0], %1;" ::"l"(data + (192u << 20) + (size_t)((at + j * warps) & mask) * 32 * step + threadIdx.x % 32 * step), "r"(v[j][0]) : "memory"); }))
STREAM(red32, 4, asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(few) : "memory"))

// `reps` passes over `many` lines of 128 bytes by all warps; a pass's lines are shifted by `step` blocks. Mean cycles of a pass.
extern "C" __global__ void __launch_bounds__(1024) passes(ARGS)
{
    u32 warps = gridDim.x * 32, sum = 0, t[9];
    times<8>([&](int r) {
        if (r >= reps)
            return;
        u32 warp = (blockIdx.x + r * step) % gridDim.x * 32 + threadIdx.x / 32;
        __syncthreads();
        t[r] = now();
        for (u32 i = warp; i < many; i += 8 * warps) {
            u32 v[8];
            times<8>([&](int k) {
                u32 line = i + k * warps < many ? i + k * warps : warp;
                asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[k]) : "l"(data + (size_t)line * 128 + threadIdx.x % 32 * 4));
            });
            times<8>([&](int k) { sum += v[k]; });
        }
        __syncthreads();
        t[r + 1] = now();
    });
    if (threadIdx.x == 0)
        times<8>([&](int r) { if (r < reps) out[blockIdx.x * 8 + r] = t[r + 1] - t[r] + (sum == 0x12345); });
}
extern "C" __global__ void __launch_bounds__(1024) write_pass(ARGS)
{
    for (u32 r = 0; r < reps; r++)
        for (u32 i = blockIdx.x * 32 + threadIdx.x / 32; i < many; i += gridDim.x * 32)
            *(volatile u32 *)(data + (size_t)i * 128 + threadIdx.x % 32 * step) = few;
}
// SMs one after another (few cycles apart), one thread each: many loads, `step` bytes apart, each timed by itself; reps times.
extern "C" __global__ void __launch_bounds__(32) in_turn(ARGS)
{
    u32 from, s = smid();
    u64 start;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start)::"memory");
    u64 end = start + (u64)blockIdx.x * few;
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start)::"memory");
    while (start < end);
    for (u32 r = 0; r < reps; r++)
        for (u32 i = 0; i < many; i++) {
            u32 v;
            from = now();
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(data + (size_t)i * step + r * mask));
            asm volatile("add.u32 %0, %0, 0;" : "+r"(v)::"memory");
            u32 took = now() - from + v;
            out[(blockIdx.x * reps + r) * (many + 1) + i] = took;
        }
    for (u32 r = 0; r < reps; r++)
        out[(blockIdx.x * reps + r) * (many + 1) + many] = s;
}
// All SMs at once, one load of a sector of each of 32 lines (a lane each), reps times, `mask` bytes further each time.
extern "C" __global__ void __launch_bounds__(32) at_once(ARGS)
{
    u32 sum = 0;
    for (u32 r = 0; r < reps; r++) {
        u32 v;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(data + (size_t)threadIdx.x * step + r * mask));
        sum += v;
        asm volatile("" : "+r"(sum)::"memory");
        for (u32 t = now(); now() - t < few;)
            ;
    }
    out[blockIdx.x] = sum;
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
static bool once;
static std::vector<u32> words(1 << 18);
static void go(const char *name, void *f, u32 grid, u32 block, u32 few, u32 many, u32 step, u32 reps, u32 mask, bool clean, u32 count)
{
    cudaMemset(data, 0, (size_t)320 << 20);
    if (!once) {
        sweep<<<1024, 256>>>(filler, (size_t)64 << 20);
        for (int i = 0; i < 2 && clean; i++)
            look<<<1024, 256>>>(filler, (size_t)64 << 20, out);
    }
    void *args[] = {&out, &data, &few, &many, &step, &reps, &mask};
    cudaError_t e = cudaLaunchKernel(f, dim3(grid), dim3(block), args, 0, 0);
    if (!e)
        e = cudaDeviceSynchronize();
    if (e)
        printf("%s: %s\n", name, cudaGetErrorString(e)), exit(1);
    cudaMemcpy(words.data(), out, count * 4, cudaMemcpyDeviceToHost);
    if (once) {
        printf("%s\n", name);
        return;
    }
    printf("%s", name);
    for (u32 i = 0; i < count; i++)
        printf(",%u", words[i]);
    printf("\n");
}
#define K(n) (void *)n
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "all";
    once = argc > 2;
    if (cudaMalloc(&data, (size_t)320 << 20) || cudaMalloc(&out, 1 << 20) || cudaMalloc(&filler, (size_t)256 << 20))
        return 1;
    struct { const char *n; void *f; u32 step, unit; } s[] = {{"ld32", K(ld32), 4, 128}, {"ld128", K(ld128), 16, 512}, {"ld32p", K(ld32), 32, 1024},
        {"st32", K(st32), 4, 128}, {"st128", K(st128), 16, 512}, {"st32p", K(st32), 32, 1024}, {"copy32", K(copy32), 4, 128}, {"red32", K(red32), 4, 128}};
    if (!strcmp(what, "warps")) // steady state in 8 MiB of L2; then once from memory, as micro.cu's
        for (auto &k : s) {
            for (u32 grid : {1u, 8u, 33u, 66u, 132u, 264u})
                go((std::string(k.n) + "_l2_g" + std::to_string(grid)).c_str(), k.f, grid, 1024, 32, 160 * 128 / (k.unit > 256 ? 256 : k.unit), k.step, 2, (8u << 20) / k.unit - 1, true, grid * 192);
            for (u32 grid : {132u, 264u})
                go((std::string(k.n) + "_far_g" + std::to_string(grid)).c_str(), k.f, grid, 1024, 8, k.unit == 128 ? 96 : k.unit == 512 ? 40 : 16, k.step, 1, 0xffffffff, true, grid * 192);
        }
    if (!strcmp(what, "passes"))
        for (u32 mib : once ? std::vector<u32>{16, 24, 30, 36, 48, 60} : std::vector<u32>{8u, 16u, 20u, 24u, 26u, 28u, 30u, 32u, 34u, 36u, 40u, 44u, 48u, 52u, 56u, 60u, 64u})
            for (u32 shift : {0u, 1u, 2u})
                if (!once || shift < 2)
                go(("passes_m" + std::to_string(mib) + "_s" + std::to_string(shift)).c_str(), K(passes), 132, 1024, 0, mib << 13, shift, 6, 0, true, 132 * 8);
    if (!strcmp(what, "writes"))
        for (u32 mib : {8u, 16u, 24u, 28u, 32u, 40u, 48u, 64u, 96u})
            for (u32 grid : {8u, 132u})
                go(("writes_m" + std::to_string(mib) + "_g" + std::to_string(grid)).c_str(), K(write_pass), grid, 1024, 1, mib << 13, 4, 1, 0, true, 1);
    if (!strcmp(what, "turns")) {
        go("turns_128", K(in_turn), 132, 32, 60000, 48, 128, 2, 0, true, 132 * 2 * 49);
        go("turns_4k", K(in_turn), 132, 32, 60000, 48, 4096 + 128, 2, 0, true, 132 * 2 * 49);
        go("turns_sectors", K(in_turn), 1, 32, 60000, 48, 128, 4, 32, true, 4 * 49);
        go("turns_sectors_4k", K(in_turn), 1, 32, 60000, 48, 4096 + 128, 4, 32, true, 4 * 49);
        for (u32 grid : {1u, 2u, 4u, 16u, 132u})
            for (u32 few : {0u, 5000u})
                go(("once_g" + std::to_string(grid) + "_d" + std::to_string(few)).c_str(), K(at_once), grid, 32, few, 0, 128, 4, 32, true, 1);
    }
    return 0;
}
