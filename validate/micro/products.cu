// What integer instructions of address arithmetic take from each other: chains side by side, in straight code.
#include <cstdint>
#include <cstdio>
typedef uint32_t u32;
typedef unsigned long long u64;
__device__ __forceinline__ u32 now()
{
    u32 t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}
template <int N, class F> __device__ __forceinline__ void times(F f)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        f(i);
}
#define WIDE(d, a, m) asm volatile("mad.wide.u32 %0, %1, %2, %0;" : "+l"(d) : "r"(a), "r"(m))
#define WIDE3(d, a, m, c) asm volatile("mad.wide.u32 %0, %1, %2, %3;" : "=l"(d) : "r"(a), "r"(m), "l"(c))
#define MADLO(d, a, m) asm volatile("mad.lo.u32 %0, %1, %2, %0;" : "+r"(d) : "r"(a), "r"(m))
#define MULLO(d, m) asm volatile("mul.lo.u32 %0, %0, %1;" : "+r"(d) : "r"(m))
#define ADD(d, a) asm volatile("add.u32 %0, %0, %1;" : "+r"(d) : "r"(a))
#define ADD64(d, a) asm volatile("add.u64 %0, %0, %1;" : "+l"(d) : "l"(a))
#define XOR(d, a) asm volatile("xor.b32 %0, %0, %1;" : "+r"(d) : "r"(a))
#define KERNEL(NAME, BODY)                                                                                             \
    __global__ void __launch_bounds__(1024) NAME(u32 *out, const char *data, u32 m, u32 m2, u64 base, u64 base2, u32 zero)                   \
    {                                                                                                                  \
        u32 x[8], lane = threadIdx.x % 32, sum = 0;                                                                    \
        u64 d[8];                                                                                                      \
        for (int k = 0; k < 8; k++)                                                                                    \
            x[k] = lane * (zero + k) + k, d[k] = x[k];                                                                 \
        u32 t[3];                                                                                                      \
        __syncthreads();                                                                                               \
        t[0] = now();                                                                                                  \
        times<2>([&](int i) { BODY });                                                                                 \
        asm volatile("" ::: "memory");                                                                                 \
        t[1] = now();                                                                                                  \
        __syncthreads();                                                                                               \
        u32 s = now();                                                                                                 \
        times<10>([&](int i) { BODY });                                                                                \
        asm volatile("" ::: "memory");                                                                                 \
        t[2] = now();                                                                                                  \
        for (int k = 0; k < 8; k++)                                                                                    \
            sum ^= x[k] ^ (u32)d[k] ^ (u32)(d[k] >> 32);                                                               \
        if (lane == 0) {                                                                                               \
            u32 *o = out + threadIdx.x / 32 * 4;                                                                       \
            o[0] = t[0], o[1] = t[1], o[2] = s, o[3] = t[2] + (sum == 0x12345);                                        \
        }                                                                                                              \
    }
#define E8(...) times<8>([&](int k) { __VA_ARGS__; });
KERNEL(wide_reg, E8(WIDE(d[k], (u32)d[k], x[k])))
KERNEL(wide_uni, E8(WIDE(d[k], (u32)d[k], m)))
KERNEL(wide_uni_other, E8(u64 c = d[(k + 1) % 8]; WIDE3(d[k], x[k], m, c)))
KERNEL(madlo_reg, E8(MADLO(x[k], x[k], x[(k + 1) % 8])))
KERNEL(madlo_uni, E8(MADLO(x[k], x[k], m)))
KERNEL(mullo_uni, E8(MULLO(x[k], m)))
KERNEL(add_reg, E8(ADD(x[k], x[(k + 1) % 8])))
KERNEL(add64_reg, E8(ADD64(d[k], d[(k + 1) % 8])))
KERNEL(wide_add64_uni, E8(WIDE(d[k], (u32)d[k], m)) E8(ADD64(d[k], base)))
KERNEL(wide_add64_reg, E8(WIDE(d[k], (u32)d[k], x[k])) E8(ADD64(d[k], d[(k + 1) % 8])))
KERNEL(wide_mul_add64_uni, E8(WIDE(d[k], (u32)d[k], m)) E8(MULLO(x[k], m2)) E8(ADD64(d[k], base)))
KERNEL(mad_add_reg, E8(MADLO(x[k], x[k], x[(k + 1) % 8])) E8(ADD(x[k], x[(k + 3) % 8])))
KERNEL(mad_add_uni, E8(MADLO(x[k], x[k], m)) E8(ADD(x[k], x[(k + 3) % 8])))
KERNEL(mad_xor_uni, E8(MADLO(x[k], x[k], m)) E8(XOR(x[k], x[(k + 3) % 8])))
KERNEL(mad_add64_reg, E8(MADLO(x[k], x[k], x[(k + 1) % 8])) E8(ADD64(d[k], d[(k + 1) % 8])))
KERNEL(wide_add_reg, E8(WIDE(d[k], (u32)d[k], x[k])) E8(ADD(x[k], x[(k + 3) % 8])))
KERNEL(wide_2add_reg, E8(WIDE(d[k], (u32)d[k], x[k])) E8(ADD(x[k], x[(k + 3) % 8])) E8(ADD(x[k], x[(k + 5) % 8])))
KERNEL(load_hit, E8(u32 v; asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(data + lane * 4 + k * 128) : "memory"); x[k] ^= v))
KERNEL(wide_load, E8(u64 p; WIDE3(p, x[k], m, (u64)data); u32 v; asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); x[k] ^= v))
int main()
{
    u32 *out;
    char *data;
    cudaMalloc(&out, 4096);
    cudaMalloc(&data, 1 << 20);
    cudaMemset(data, 0, 1 << 20);
    printf("kernel,warps,short,long\n");
    u32 w[128];
#define RUN(NAME)                                                                                                      \
    for (u32 warps : {1u, 4u, 8u, 16u, 32u}) {                                                                         \
        for (int r = 0; r < 3; r++)                                                                                    \
            NAME<<<1, warps * 32>>>(out, data, 4, 0, 16, 0, 0);                                                       \
        if (cudaMemcpy(w, out, warps * 16, cudaMemcpyDeviceToHost)) return 1;                                          \
        u32 a = w[0], b = w[1], c = w[2], e = w[3];                                                                    \
        for (u32 i = 1; i < warps; i++) {                                                                              \
            if (w[4 * i] < a) a = w[4 * i];                                                                            \
            if (w[4 * i + 1] > b) b = w[4 * i + 1];                                                                    \
            if (w[4 * i + 2] < c) c = w[4 * i + 2];                                                                    \
            if (w[4 * i + 3] > e) e = w[4 * i + 3];                                                                    \
        }                                                                                                              \
        printf(#NAME ",%u,%u,%u\n", warps, b - a, e - c);                                                              \
    }
    RUN(wide_reg) RUN(wide_uni) RUN(wide_uni_other) RUN(madlo_reg) RUN(madlo_uni) RUN(mullo_uni) RUN(add_reg) RUN(add64_reg)
    RUN(wide_add64_uni) RUN(wide_add64_reg) RUN(wide_mul_add64_uni) RUN(mad_add_reg) RUN(mad_add_uni) RUN(mad_xor_uni) RUN(mad_add64_reg)
    RUN(wide_add_reg) RUN(wide_2add_reg) RUN(load_hit) RUN(wide_load)
    return 0;
}
