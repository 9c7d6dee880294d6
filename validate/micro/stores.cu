// What loads, stores and reductions of one, some and all SMs take from each other.
//     nvcc -O3 -arch=sm_90 -std=c++17 stores.cu -o stores
//     ./stores            prints lines: section, parameters, numbers
//     ./stores SECTION    only one
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <algorithm>
#include <map>
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
template <int N, class F> __device__ __forceinline__ void times(F f)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        f(i);
}
enum { CG32, CG128, CA32, ST32, ST128, PART, RED32 };
template <int K> __device__ __forceinline__ void one(char *p, u32 (*v)[4], int k, u32 val)
{
    if (K == CG32) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[k][0]) : "l"(p) : "memory");
    if (K == CA32) asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[k][0]) : "l"(p) : "memory");
    if (K == CG128) asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[k][0]), "=r"(v[k][1]), "=r"(v[k][2]), "=r"(v[k][3]) : "l"(p) : "memory");
    if (K == ST32 || K == PART) asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(val) : "memory");
    if (K == ST128) asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p), "r"(val) : "memory");
    if (K == RED32) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(val) : "memory");
}
__host__ __device__ constexpr u32 width(int k) { return k == CG128 || k == ST128 ? 16 : k == PART ? 32 : 4; }
// A warp: 8 accesses with immediate offsets a turn, until the time is over; in a region of 4 KiB of its own.
template <int K> __device__ u32 spin(char *base, u32 lane, u32 until, u32 start, u32 *sum)
{
    constexpr u32 row = 32 * width(K), span = K == PART ? 4 * row : 8 * row, region = row == 128 ? span * 4 : span;
    u32 n = 0, at = 0;
    u32 v[8][4];
    do {
        char *p = base + at + lane * width(K);
        times<8>([&](int k) { one<K>(p + (K == PART ? k % 4 : k) * row, v, k, n); });
        if (K <= CA32)
            times<8>([&](int k) { *sum += v[k][0]; });
        at = (at + span) % region;
        n++;
    } while (now() - start < until);
    return n;
}
template <int A, int B> __global__ void __launch_bounds__(1024) mix(u32 *out, char *data, u32 na, u32 nb, u32 until)
{
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, id = blockIdx.x * 32 + warp, sum = 0, n = 0;
    char *base = data + (size_t)id * 32768;
    for (u32 r = 0; r < 2; r++) {
        __syncthreads();
        u32 t = now();
        if (warp < na) n = spin<A>(base, lane, until, t, &sum);
        else if (warp < na + nb) n = spin<B>(base, lane, until, t, &sum);
    }
    if (lane == 0) out[id] = n + (sum == 0x12345);
}
// Only the SMs of a mask.
template <int K> __global__ void __launch_bounds__(1024) masked(u32 *out, char *data, const u32 *mask, u32 until)
{
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, id = blockIdx.x * 32 + warp, sum = 0, n = 0, sm = smid();
    char *base = data + (size_t)id * 4096;
    if (mask[sm])
        for (u32 r = 0; r < 2; r++) {
            __syncthreads();
            n = spin<K>(base, lane, until, now(), &sum);
        }
    if (lane == 0) { out[id * 2] = sm; out[id * 2 + 1] = n + (sum == 0x12345); }
}
// A copy: U loads, then U stores; how long until the loads are there and until the stores have issued.
template <int U, bool CA> __global__ void __launch_bounds__(1024) copy(u32 *out, char *data, u32 until)
{
    constexpr u32 region = CA ? 16384 : 2048;
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32, id = blockIdx.x * warps + warp;
    char *base = data + (size_t)id * region * 2;
    u32 n = 0, ld = 0, st = 0, t3 = 0;
    for (u32 r = 0; r < 2; r++) {
        n = ld = st = 0;
        u32 at = 0;
        __syncthreads();
        u32 t = now();
        do {
            char *p = base + at + lane * 4;
            u32 v[U][4], x = 0;
            u32 t0 = now();
            times<U>([&](int k) { one<CA ? CA32 : CG32>(p + k * 128, v, k, 0); });
            times<U>([&](int k) { x += v[k][0]; });
            asm volatile("" : "+r"(x) : : "memory");
            u32 t1 = now() + (x == 0x12345);
            times<U>([&](int k) { asm volatile("st.global.u32 [%0], %1;" ::"l"(p + region + k * 128), "r"(v[k][0]) : "memory"); });
            u32 t2 = now();
            ld += t1 - t0;
            st += t2 - t1;
            at = (at + U * 128) % region;
            n++;
            t3 = t2 - t;
        } while (t3 < until);
    }
    if (lane == 0) {
        out[id * 4] = n;
        out[id * 4 + 1] = ld;
        out[id * 4 + 2] = st;
        out[id * 4 + 3] = t3;
    }
}
// All SMs write so many rows again and again; time of each pass.
template <int K> __global__ void __launch_bounds__(1024) passes(u32 *out, char *data, u32 rows, u32 n, u32 *gate)
{
    for (u32 r = 0; r < n; r++) {
        __syncthreads();
        u32 t = now();
        for (u32 row = blockIdx.x * 32 + threadIdx.x / 32; row < rows; row += gridDim.x * 32)
            one<K>(data + (size_t)row * 32 * width(K) + threadIdx.x % 32 * width(K), nullptr, 0, r);
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
template <int A, int B> static void run_mix(const char *name)
{
    static const u32 pairs[][2] = {{32, 0}, {16, 0}, {8, 0}, {4, 0}, {0, 32}, {0, 16}, {0, 8}, {0, 4}, {16, 16}, {8, 24}, {24, 8}, {8, 8}, {4, 4}, {4, 28}, {28, 4}, {12, 4}, {4, 12}};
    for (u32 grid : {1u, 16u, 132u})
        for (auto &p : pairs) {
            mix<A, B><<<grid, 1024>>>(out, data, p[0], p[1], 15000);
            check(name);
            double a = 0, b = 0;
            for (u32 g = 0; g < grid; g++)
                for (u32 i = 0; i < p[0] + p[1]; i++) (i < p[0] ? a : b) += w[g * 32 + i] * 8;
            printf("mix,%s,%u,%u,%u,%.1f,%.1f\n", name, grid, p[0], p[1], a / grid, b / grid);
        }
}
// SMs on which clusters lie together (../clusters/gpcs.txt), of this card.
static std::vector<std::vector<u32>> parts = {
    {0, 1, 16, 17, 32, 33, 48, 49}, {2, 3, 18, 19, 34, 35, 50, 51, 64, 65, 78, 79, 92, 93, 106, 107},
    {4, 5, 20, 21, 36, 37, 52, 53, 66, 67, 80, 81, 94, 95, 108, 109}, {6, 7, 22, 23, 38, 39, 54, 55, 68, 69, 82, 83, 96, 97, 110, 111},
    {8, 9, 24, 25, 40, 41, 56, 57, 70, 71, 84, 85, 98, 99, 112, 113}, {10, 11, 26, 27, 42, 43, 58, 59, 72, 73, 86, 87, 100, 101, 114, 115},
    {12, 13, 28, 29, 44, 45, 60, 61, 74, 75, 88, 89, 102, 103, 116, 117, 120, 121}, {14, 15, 30, 31, 46, 47, 62, 63, 76, 77, 90, 91, 104, 105, 118, 119, 122, 123},
    {124, 125}, {126, 127}, {128, 129}, {130, 131}};
template <int K> static void run_masked(const char *name, std::vector<u32> which)
{
    static u32 *mask = nullptr;
    if (!mask) cudaMallocManaged(&mask, 4096);
    memset(mask, 0, 4096);
    for (u32 p : which) for (u32 sm : parts[p]) mask[sm] = 1;
    masked<K><<<132, 1024>>>(out, data, mask, 12000);
    check(name);
    double done[256] = {};
    for (u32 i = 0; i < 132 * 32; i++) done[w[i * 2] % 256] += w[i * 2 + 1] * 8;
    printf("masked,%s,", name);
    for (u32 p : which) printf("%u ", p);
    for (u32 p : which) {
        double sum = 0;
        for (u32 sm : parts[p]) sum += done[sm];
        printf(",%u:%.0f", p, sum / parts[p].size());
    }
    printf("\n");
}
template <int K> static void run_gpcs(const char *name)
{
    for (u32 p = 0; p < 12; p++) run_masked<K>(name, {p});
    for (u32 p = 0; p < 8; p++)
        for (u32 q = 8; q < 12; q++) run_masked<K>(name, {p, q});
    run_masked<K>(name, {8, 9, 10, 11});
    run_masked<K>(name, {0, 8, 9, 10, 11});
    for (u32 p = 0; p < 8; p++) run_masked<K>(name, {p, (p + 1) % 8});
    run_masked<K>(name, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
}
template <int U, bool CA> static void run_copy()
{
    for (u32 grid : {1u, 16u, 66u, 132u})
        for (u32 warps : {1u, 4u, 8u, 16u, 32u}) {
            if (CA && grid > 16) continue;
            copy<U, CA><<<grid, warps * 32>>>(out, data, 20000);
            check("copy");
            double s[4] = {};
            for (u32 i = 0; i < grid * warps; i++)
                for (int k = 0; k < 4; k++) s[k] += w[i * 4 + k];
            printf("copy,%s,%d,%u,%u,%.2f,%.2f,%.2f,%.1f\n", CA ? "ca" : "cg", U, grid, warps, s[3] / s[0], s[1] / s[0], s[2] / s[0], s[0] / grid);
        }
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
    if (wanted("mix")) {
        run_mix<CG32, ST32>("cg32,st32");
        run_mix<CG32, PART>("cg32,part");
        run_mix<CG32, ST128>("cg32,st128");
        run_mix<CG32, RED32>("cg32,red32");
        run_mix<ST32, RED32>("st32,red32");
    }
    if (wanted("gpcs")) {
        run_gpcs<ST32>("st32"); run_gpcs<RED32>("red32"); run_gpcs<CG32>("cg32"); run_gpcs<ST128>("st128");
    }
    if (wanted("copy")) {
        run_copy<1, false>(); run_copy<2, false>(); run_copy<4, false>(); run_copy<8, false>();
        run_copy<1, true>(); run_copy<4, true>();
    }
    if (wanted("passes") || wanted("passes_part")) run_passes<PART>("part");
    if (wanted("passes") || wanted("passes_st32")) run_passes<ST32>("st32");
    if (wanted("passes")) run_passes<ST128>("st128");
    return 0;
}
