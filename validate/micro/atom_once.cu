// Each thread does some atomics once, on words that all threads share, as a compiler makes them of the intrinsics.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
#define CLOCK(t) asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory")
// OPS: digits, the first done is the last one: 1 add 2 min 3 max 4 and 5 or 6 xor 7 exch 8 cas. GIVES: what was there is used.
template <typename T> __device__ __forceinline__ T one(int op, T *p, T v)
{
    switch (op) {
    case 1: return atomicAdd(p, v);
    case 2: return atomicMin(p, v);
    case 3: return atomicMax(p, v);
    case 4: return atomicAnd(p, v);
    case 5: return atomicOr(p, v);
    case 6: return atomicXor(p, v);
    case 7: return atomicExch(p, v);
    case 9: return (T)atomicInc((unsigned *)p, 1000u);
    default: return atomicCAS(p, (T)0, v);
    }
}
template <> __device__ __forceinline__ float one<float>(int, float *p, float v)
{
    return atomicAdd(p, v);
}
// LAY: words: 0: of this step and so far apart; 1: side by side; 2: one.
template <typename T, int OPS, int GIVES, int LAY, int FENCE> __global__ void once(T *p, uint32_t *out, uint32_t step, uint32_t apart, int n)
{
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, t0 = 0, t1 = 0, t2 = 0;
    if (thread >= n)
        return;
    T sum = 0, v = (T)thread;
    if (FENCE)
        CLOCK(t0);
    T *mine = LAY ? p : p + thread % 32 * step;
    int at = 0;
#pragma unroll
    for (int ops = OPS; ops > 0; ops /= 10) {
        T old = one<T>(ops % 10, mine + at, v);
        at += LAY == 0 ? apart : LAY == 1 ? 1 : 0;
        if (GIVES)
            sum += old;
    }
    if (FENCE) {
        CLOCK(t1);
        __threadfence();
        CLOCK(t2);
    }
    if ((FENCE || GIVES) && threadIdx.x % 32 == 0) {
        out[thread / 32 * 4] = t1 - t0;
        out[thread / 32 * 4 + 1] = t2 - t0;
        asm("mov.u32 %0, %%smid;" : "=r"(out[thread / 32 * 4 + 2]));
        out[thread / 32 * 4 + 3] = (uint32_t)sum;
    }
}
// So many lanes of each warp change one word, or each its own, TURNS times.
template <int GIVES> __global__ void few(uint32_t *p, uint32_t *out, uint32_t lanes, uint32_t step, int turns, uint32_t zero)
{
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, t0, t1, sum = 0;
    uint32_t *mine = p + lane * step;
    CLOCK(t0);
    for (int k = 0; k < turns; k++)
        if (lane < lanes) {
            uint32_t old = 0;
            if (GIVES)
                asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(mine + (sum & zero)), "r"(thread) : "memory");
            else
                asm volatile("red.global.add.u32 [%0], %1;" ::"l"(mine), "r"(thread) : "memory");
            sum += old;
        }
    __threadfence();
    CLOCK(t1);
    if (lane == 0) {
        out[thread / 32 * 4] = 0;
        out[thread / 32 * 4 + 1] = t1 - t0;
        asm("mov.u32 %0, %%smid;" : "=r"(out[thread / 32 * 4 + 2]));
        out[thread / 32 * 4 + 3] = sum & zero;
    }
}
static void *p;
static uint32_t *out;
static int listing;
static const char *only = "", *also = "";
template <typename T, int OPS, int GIVES, int LAY = 0, int FENCE = 1> static void show(const char *type, char letter, int warps, int grid, int step, int apart)
{
    char name[100], mangled[100];
    sprintf(name, "o%d_%s_%c_l%d_x%d_s%d_a%d_w%d_g%d", OPS, type, "RA"[GIVES], LAY, FENCE, step, apart, warps, grid);
    int n = warps * grid * 32;
    if (strstr(name, only) == NULL || strstr(name, also) == NULL)
        return;
    if (listing) {
        sprintf(mangled, "_Z4onceI%cLi%dELi%dELi%dELi%dEEvPT_Pjjji", letter, OPS, GIVES, LAY, FENCE);
        printf("%s atom_once.cubin %s grid=%d block=%d %s[%d]=zero u32[%d]=zero u32=%d u32=%d s32=%d\n", name, mangled, grid, warps * 32, type, 1024, warps * grid * 4,
               step, apart, n);
        return;
    }
    cudaMemset(p, 0, 1024 * sizeof(T));
    once<T, OPS, GIVES, LAY, FENCE><<<grid, warps * 32>>>((T *)p, out, step, apart, n);
    std::vector<uint32_t> o(warps * grid * 4);
    cudaMemcpy(o.data(), out, o.size() * 4, cudaMemcpyDeviceToHost);
    printf("%s", name);
    for (size_t i = 0; i < o.size(); i += 4)
        printf(",%u:%u:%u", o[i + 2], o[i], o[i + 1]);
    printf("\n");
}
template <int GIVES> static void fews(int warps, int grid, int lanes, int step)
{
    enum { TURNS = 32 };
    char name[100];
    sprintf(name, "few_%c_k%d_s%d_w%d_g%d", "RA"[GIVES], lanes, step, warps, grid);
    if (strstr(name, only) == NULL || strstr(name, also) == NULL)
        return;
    if (listing) {
        printf("%s atom_once.cubin _Z3fewILi%dEEvPjS0_jjij grid=%d block=%d u32[1024]=zero u32[%d]=zero u32=%d u32=%d s32=%d u32=0\n", name, GIVES, grid, warps * 32,
               warps * grid * 4, lanes, step, TURNS);
        return;
    }
    few<GIVES><<<grid, warps * 32>>>((uint32_t *)p, out, lanes, step, TURNS, 0);
    std::vector<uint32_t> o(warps * grid * 4);
    cudaMemcpy(o.data(), out, o.size() * 4, cudaMemcpyDeviceToHost);
    printf("%s", name);
    for (size_t i = 0; i < o.size(); i += 4)
        printf(",%u:%u:%u", o[i + 2], o[i], o[i + 1]);
    printf("\n");
}
template <typename T, int OPS, int GIVES> static void sizes(const char *type, char letter)
{
    int shapes[][2] = {{1, 1}, {8, 1}, {4, 16}, {8, 16}, {1, 132}};
    for (auto &s : shapes) {
        show<T, OPS, GIVES>(type, letter, s[0], s[1], 0, 1);
        show<T, OPS, GIVES, 0, 0>(type, letter, s[0], s[1], 0, 1);
        show<T, OPS, GIVES, 1, 0>(type, letter, s[0], s[1], 0, 0);
        show<T, OPS, GIVES, 1>(type, letter, s[0], s[1], 0, 0);
        show<T, OPS, GIVES, 2>(type, letter, s[0], s[1], 0, 0);
        if (s[0] == 1 || (s[0] == 8 && s[1] == 16)) {
            show<T, OPS, GIVES>(type, letter, s[0], s[1], 0, 0);
            show<T, OPS, GIVES>(type, letter, s[0], s[1], 1, 0);
            show<T, OPS, GIVES>(type, letter, s[0], s[1], 0, 128 / sizeof(T));
        }
    }
}
int main(int argc, char **argv)
{
    listing = argc == 2;
    if (argc > 2)
        only = argv[1], also = argv[2];
    if (!listing) {
        cudaMalloc(&p, 1 << 16);
        cudaMalloc(&out, 1 << 16);
    }
    typedef unsigned long long u64;
    sizes<uint32_t, 1, 0>("u32", 'j');
    sizes<uint32_t, 2, 0>("u32", 'j');
    sizes<uint32_t, 6, 0>("u32", 'j');
    sizes<uint32_t, 7, 0>("u32", 'j');
    sizes<uint32_t, 8, 0>("u32", 'j');
    sizes<uint32_t, 87, 0>("u32", 'j');
    sizes<uint32_t, 76, 0>("u32", 'j');
    sizes<uint32_t, 67, 0>("u32", 'j');
    sizes<uint32_t, 7777, 0>("u32", 'j');
    sizes<uint32_t, 54321, 0>("u32", 'j');
    sizes<uint32_t, 654321, 0>("u32", 'j');
    sizes<uint32_t, 87654321, 0>("u32", 'j');
    sizes<uint32_t, 9, 0>("u32", 'j');
    sizes<uint32_t, 1, 1>("u32", 'j');
    sizes<uint32_t, 87654321, 1>("u32", 'j');
    sizes<int32_t, 87654321, 0>("s32", 'i');
    sizes<int32_t, 32, 0>("s32", 'i');
    sizes<u64, 1, 0>("u64", 'y');
    sizes<u64, 6, 0>("u64", 'y');
    sizes<u64, 7, 0>("u64", 'y');
    sizes<u64, 8, 0>("u64", 'y');
    sizes<u64, 76, 0>("u64", 'y');
    sizes<u64, 654321, 0>("u64", 'y');
    sizes<u64, 87654321, 0>("u64", 'y');
    sizes<float, 1, 0>("f32", 'f');
    int shapes[][2] = {{1, 1}, {8, 1}, {8, 16}, {1, 132}, {8, 132}};
    for (auto &s : shapes)
        for (int k = 1; k <= 32; k *= 2) {
            fews<0>(s[0], s[1], k, 0);
            fews<1>(s[0], s[1], k, 0);
            if (k > 1) {
                fews<0>(s[0], s[1], k, 1);
                fews<0>(s[0], s[1], k, 32);
            }
        }
    if (!listing)
        fprintf(stderr, "%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
