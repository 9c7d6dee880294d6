// Microbenchmarks of one SM's parts, of the caches and of DRAM: what the clock of simtlab is calibrated on.
//
//     nvcc -O3 -arch=sm_90 -std=c++17 micro.cu -o micro
//     ./micro [PREFIX...] > micro.csv   runs all launches of the table below on the GPU, or those whose names begin so
//     ncu ... ./micro --once PREFIX...  runs each once, for Nsight Compute
//     ./micro --list > micro.cases   the same launches for simtlab
//
// Every kernel times two stretches of code, a short and a long one of the same kind, after running both once before so
// that caches are as they will stay (unless `reps` is 1). A warp writes four words: the clock at the beginning and the end
// of each stretch. A line of the output is: launch, cycles of the short stretch, of the long one (each from the first
// warp's beginning to the last warp's end, averaged over the blocks), and what the long one has more. None of these
// kernels is a kernel of the guide.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <string>

namespace cg = cooperative_groups;
typedef uint32_t u32;
typedef unsigned long long u64;

__device__ __forceinline__ u32 now()
{
    u64 t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return (u32)t;
}

__device__ __forceinline__ void tell(u32 *out, u32 a, u32 b, u32 c, u32 d)
{
    u32 warp = blockIdx.x * ((blockDim.x + 31) / 32) + threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) {
        out[warp * 4] = a;
        out[warp * 4 + 1] = b;
        out[warp * 4 + 2] = c;
        out[warp * 4 + 3] = d;
    }
}

#define ARGS u32 *out, char *data, u32 few, u32 many, u32 step, u32 reps
#define TWO(SHORT, LONG)                                                                                               \
    for (u32 r = 0; r < reps; r++) {                                                                                   \
        __syncthreads();                                                                                               \
        t0 = now();                                                                                                    \
        SHORT;                                                                                                         \
        t1 = now();                                                                                                    \
        __syncthreads();                                                                                               \
        t2 = now();                                                                                                    \
        LONG;                                                                                                          \
        t3 = now();                                                                                                    \
    }

template <int N, class F> __device__ __forceinline__ void times(F f)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        f(i);
}

// ---- Units: a chain of dependent instructions (16 and 80), and eight chains side by side (4 and 20 of each) ----

#define UNIT(NAME, TYPE, CONSTRAINT, FIRST, TEXT)                                                                      \
    extern "C" __global__ void __launch_bounds__(1024) lat_##NAME(ARGS)                                                                        \
    {                                                                                                                  \
        u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0;                                                                            \
        TYPE a = (TYPE)(FIRST), b = (TYPE)(step), c = (TYPE)(few);                                                     \
        TWO(times<16>([&](int) { asm volatile(TEXT : "+" CONSTRAINT(a) : CONSTRAINT(b), CONSTRAINT(c)); }),            \
            times<80>([&](int) { asm volatile(TEXT : "+" CONSTRAINT(a) : CONSTRAINT(b), CONSTRAINT(c)); }))            \
        tell(out, t0, t1, t2, t3);                                                                                     \
        if (reps == 77)                                                                                                \
            *(TYPE *)data = a;                                                                                         \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(1024) thr_##NAME(ARGS)                                                                        \
    {                                                                                                                  \
        u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0;                                                                            \
        TYPE a[8], b = (TYPE)(step), c = (TYPE)(few);                                                                  \
        for (int i = 0; i < 8; i++)                                                                                    \
            a[i] = (TYPE)(FIRST + i);                                                                                  \
        TWO(times<32>([&](int i) { asm volatile(TEXT : "+" CONSTRAINT(a[i % 8]) : CONSTRAINT(b), CONSTRAINT(c)); }),   \
            times<160>([&](int i) { asm volatile(TEXT : "+" CONSTRAINT(a[i % 8]) : CONSTRAINT(b), CONSTRAINT(c)); }))  \
        tell(out, t0, t1, t2, t3);                                                                                     \
        if (reps == 77)                                                                                                \
            for (int i = 0; i < 8; i++)                                                                                \
                ((TYPE *)data)[i] = a[i];                                                                              \
    }

#define UNITS                                                                                                          \
    U(fadd, float, "f", threadIdx.x, "add.f32 %0, %0, %1;")                                                            \
    U(fmul, float, "f", threadIdx.x, "mul.f32 %0, %0, %1;")                                                            \
    U(ffma, float, "f", threadIdx.x, "fma.rn.f32 %0, %0, %1, %2;")                                                     \
    U(fmnmx, float, "f", threadIdx.x, "min.f32 %0, %0, %1;")                                                           \
    U(iadd, u32, "r", threadIdx.x, "add.u32 %0, %0, %1;")                                                              \
    U(lop, u32, "r", threadIdx.x, "xor.b32 %0, %0, %1;")                                                               \
    U(shf, u32, "r", threadIdx.x, "shf.l.wrap.b32 %0, %0, %1, %2;")                                                    \
    U(prmt, u32, "r", threadIdx.x, "prmt.b32 %0, %0, %1, %2;")                                                         \
    U(imin, u32, "r", threadIdx.x, "min.s32 %0, %0, %1;")                                                              \
    U(imad, u32, "r", threadIdx.x, "mad.lo.u32 %0, %0, %1, %2;")                                                       \
    U(imadhi, u32, "r", threadIdx.x, "mul.hi.u32 %0, %0, %1;")                                                         \
    U(imadwide, u64, "l", threadIdx.x, "{.reg .u32 x, y, z; mov.b64 {x, y}, %0; cvt.u32.u64 z, %1; mad.wide.u32 %0, x, z, %2;}") \
    U(wide, u64, "l", threadIdx.x, "{.reg .u32 x, y; mov.b64 {x, y}, %0; mul.wide.u32 %0, x, y;}") \
    U(add64, u64, "l", threadIdx.x, "add.u64 %0, %0, %1;")                                                             \
    U(setp_selp, u32, "r", threadIdx.x, "{.reg .pred p; setp.lt.u32 p, %0, %1; selp.u32 %0, %1, %2, p;}")              \
    U(fsetp_selp, float, "f", threadIdx.x, "{.reg .pred p; setp.lt.f32 p, %0, %1; selp.f32 %0, %1, %2, p;}")           \
    U(dadd, double, "d", threadIdx.x, "add.f64 %0, %0, %1;")                                                           \
    U(dfma, double, "d", threadIdx.x, "fma.rn.f64 %0, %0, %1, %2;")                                                    \
    U(hfma2, u32, "r", threadIdx.x, "fma.rn.f16x2 %0, %0, %1, %2;")                                                    \
    U(hadd2, u32, "r", threadIdx.x, "add.rn.f16x2 %0, %0, %1;")                                                        \
    U(ex2, float, "f", threadIdx.x, "ex2.approx.ftz.f32 %0, %0;")                                                      \
    U(rcp, float, "f", threadIdx.x, "rcp.approx.ftz.f32 %0, %0;")                                                      \
    U(rsqrt, float, "f", threadIdx.x, "rsqrt.approx.ftz.f32 %0, %0;")                                                  \
    U(popc, u32, "r", threadIdx.x, "popc.b32 %0, %0;")                                                                 \
    U(flo, u32, "r", threadIdx.x, "bfind.u32 %0, %0;")                                                                 \
    U(brev, u32, "r", threadIdx.x, "brev.b32 %0, %0;")                                                                 \
    U(i2f, u32, "r", threadIdx.x, "{.reg .f32 x; cvt.rn.f32.u32 x, %0; mov.b32 %0, x;}")                               \
    U(f2i, u32, "r", threadIdx.x, "{.reg .f32 x; mov.b32 x, %0; cvt.rzi.s32.f32 %0, x;}")                              \
    U(f2d_d2f, float, "f", threadIdx.x, "{.reg .f64 x; cvt.f64.f32 x, %0; cvt.rn.f32.f64 %0, x;}")                     \
    U(i2d_d2i, u32, "r", threadIdx.x, "{.reg .f64 x; cvt.rn.f64.s32 x, %0; cvt.rzi.s32.f64 %0, x;}")                   \
    U(f2h_h2f, float, "f", threadIdx.x, "{.reg .b16 x; cvt.rn.f16.f32 x, %0; cvt.f32.f16 %0, x;}")                     \
    U(shfl, u32, "r", threadIdx.x, "shfl.sync.idx.b32 %0, %0, 3, 31, -1;")                                             \
    U(shfl_down, u32, "r", threadIdx.x, "shfl.sync.down.b32 %0, %0, 1, 31, -1;")                                       \
    U(vote, u32, "r", threadIdx.x, "{.reg .pred p; setp.lt.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1;}")           \
    U(match, u32, "r", threadIdx.x, "match.any.sync.b32 %0, %0, -1;")                                                  \
    U(redux, u32, "r", threadIdx.x, "redux.sync.add.s32 %0, %0, -1;")                                                  \
    U(laneid, u32, "r", threadIdx.x, "{.reg .u32 x; mov.u32 x, %%laneid; xor.b32 %0, %0, x;}")                         \
    U(s2r, u32, "r", threadIdx.x, "{.reg .u32 x; mov.u32 x, %%warpid; xor.b32 %0, %0, x;}")                            \
    U(branch, u32, "r", threadIdx.x, "{.reg .pred p; setp.eq.u32 p, %0, 0x7fffffff; @p bra L%=; add.u32 %0, %0, %1; add.u32 %0, %0, %2; add.u32 %0, %0, 5; add.u32 %0, %0, %1; add.u32 %0, %0, %2; add.u32 %0, %0, 5; xor.b32 %0, %0, %1; add.u32 %0, %0, %2; xor.b32 %0, %0, %1; add.u32 %0, %0, %2; L%=: }")

#define U UNIT
UNITS
#undef U

// FP32 and integers side by side, and multiplications with both.
extern "C" __global__ void __launch_bounds__(1024) thr_ffma_iadd(ARGS)
{
    u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0, b = step;
    float f[4] = {1, 2, 3, 4}, c = (float)few;
    u32 a[4] = {1, 2, 3, 4};
    auto body = [&](int i) {
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[i % 4]) : "f"(c));
        asm volatile("xor.b32 %0, %0, %1;" : "+r"(a[i % 4]) : "r"(b));
    };
    TWO(times<16>(body), times<80>(body))
    tell(out, t0, t1, t2, t3);
    if (reps == 77)
        for (int i = 0; i < 4; i++)
            ((u32 *)data)[i] = a[i] + (u32)f[i];
}

extern "C" __global__ void __launch_bounds__(1024) thr_ffma_imad(ARGS)
{
    u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0, b = step;
    float f[4] = {1, 2, 3, 4}, c = (float)few;
    u32 a[4] = {1, 2, 3, 4};
    auto body = [&](int i) {
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[i % 4]) : "f"(c));
        asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(a[i % 4]) : "r"(b));
    };
    TWO(times<16>(body), times<80>(body))
    tell(out, t0, t1, t2, t3);
    if (reps == 77)
        for (int i = 0; i < 4; i++)
            ((u32 *)data)[i] = a[i] + (u32)f[i];
}

// Products of 64 bits beside additions, products of f32, products of 32 bits.
#define WIDE(NAME, TYPE, CONSTRAINT, FIRST, TEXT)                                                                      \
    extern "C" __global__ void __launch_bounds__(1024) thr_wide_##NAME(ARGS)                                           \
    {                                                                                                                  \
        u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0;                                                                            \
        u64 w[4] = {few, step, few + 1, step + 1};                                                                      \
        TYPE a[4] = {FIRST, FIRST, FIRST, FIRST}, d = (TYPE)few;                                                       \
        auto body = [&](int i) {                                                                                       \
            asm volatile("{.reg .u32 x, y; mov.b64 {x, y}, %0; mul.wide.u32 %0, x, y;}" : "+l"(w[i % 4]));               \
            asm volatile(TEXT : "+" CONSTRAINT(a[i % 4]) : CONSTRAINT(d));                                             \
        };                                                                                                             \
        TWO(times<16>(body), times<80>(body))                                                                          \
        tell(out, t0, t1, t2, t3);                                                                                     \
        if (reps == 77)                                                                                                \
            for (int i = 0; i < 4; i++)                                                                                \
                ((u64 *)data)[i] = w[i] + (u64)a[i];                                                                   \
    }
WIDE(ffma, float, "f", 1, "fma.rn.f32 %0, %0, %1, %1;")
WIDE(lop, u32, "r", threadIdx.x, "xor.b32 %0, %0, %1;")
WIDE(imad, u32, "r", threadIdx.x, "mad.lo.u32 %0, %0, %1, %1;")

// Three different sources, all in one register bank or not: the compiler chooses; the machine code tells.
extern "C" __global__ void __launch_bounds__(1024) thr_ffma3(ARGS)
{
    u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0;
    float f[8], x[8];
    for (int i = 0; i < 8; i++)
        f[i] = (float)(few + i), x[i] = (float)(step * i);
    auto body = [&](int i) {
        asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(f[i % 8]) : "f"(x[i % 8]), "f"(x[(i * 3 + 1) % 8]));
    };
    TWO(times<32>(body), times<160>(body))
    tell(out, t0, t1, t2, t3);
    if (reps == 77)
        for (int i = 0; i < 8; i++)
            ((float *)data)[i] = f[i];
}

// ---- Shared memory: addresses step * lane; memory is zero, and what is loaded is added to the address ----

__shared__ __align__(16) char shared_bytes[40960];

#define SHARED_START                                                                                                   \
    [[maybe_unused]] u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0, base = (u32)__cvta_generic_to_shared(shared_bytes), v = 0, w, x, y;            \
    for (u32 i = threadIdx.x; i < sizeof(shared_bytes) / 4; i += blockDim.x)                                           \
        ((u32 *)shared_bytes)[i] = 0;                                                                                  \
    base += threadIdx.x % 32 * step;

#define SHARED(NAME, FEW, MANY, ...)                                                                                   \
    extern "C" __global__ void __launch_bounds__(1024) NAME(ARGS)                                                                              \
    {                                                                                                                  \
        SHARED_START                                                                                                   \
        auto body = [&](int i) { __VA_ARGS__; };                                                                       \
        TWO(times<FEW>(body); __syncwarp(), times<MANY>(body); __syncwarp())                                           \
        tell(out, t0, t1, t2, t3);                                                                                     \
        if (reps == 77)                                                                                                \
            *(u32 *)data = v + base + shared_bytes[few];                                                               \
    }

SHARED(lds32_chain, 16, 80, asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(base)); base += v)
SHARED(lds64_chain, 16, 80, asm volatile("ld.volatile.shared.v2.u32 {%0, %2}, [%1];" : "=r"(v), "+r"(base), "=r"(w)); base += w)
SHARED(lds128_chain, 16, 80, asm volatile("ld.volatile.shared.v4.u32 {%0, %2, %3, %4}, [%1];" : "=r"(v), "+r"(base), "=r"(w), "=r"(x), "=r"(y)); base += y)
SHARED(lds8_chain, 16, 80, asm volatile("ld.volatile.shared.u8 %0, [%1];" : "=r"(v) : "r"(base)); base += v)
SHARED(lds32_many, 32, 160, asm volatile("ld.volatile.shared.u32 %0, [%1 + 0];" : "=r"(v) : "r"(base)))
SHARED(lds64_many, 32, 160, asm volatile("ld.volatile.shared.v2.u32 {%0, %2}, [%1];" : "=r"(v), "+r"(base), "=r"(w)))
SHARED(lds128_many, 32, 160, asm volatile("ld.volatile.shared.v4.u32 {%0, %2, %3, %4}, [%1];" : "=r"(v), "+r"(base), "=r"(w), "=r"(x), "=r"(y)))
SHARED(sts32_many, 32, 160, asm volatile("st.shared.u32 [%0], %1;" ::"r"(base), "r"(v) : "memory"))
SHARED(sts64_many, 32, 160, asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(base), "r"(v) : "memory"))
SHARED(sts128_many, 32, 160, asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(base), "r"(v) : "memory"))
SHARED(sts_lds_chain, 16, 80, asm volatile("st.shared.u32 [%1], %0; ld.shared.u32 %0, [%1];" : "+r"(v) : "r"(base) : "memory"))
SHARED(atoms_chain, 16, 80, asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(v) : "r"(base) : "memory"))
SHARED(atoms_many, 16, 80, asm volatile("red.shared.add.u32 [%0], 3;" ::"r"(base) : "memory"))
SHARED(atoms_f32_many, 4, 20, asm volatile("red.shared.add.f32 [%0], 0f3f800000;" ::"r"(base) : "memory"))
SHARED(bar_many, 16, 80, __syncthreads())
SHARED(syncwarp_many, 16, 80, __syncwarp(); asm volatile("add.u32 %0, %0, 1;" : "+r"(v)))
SHARED(fence_block_many, 8, 40, __threadfence_block(); asm volatile("st.shared.u32 [%0], %1;" ::"r"(base), "r"(v) : "memory"))

// ---- Global memory ----

__device__ __forceinline__ char *place(char *data, u32 step)
{
    return data + (size_t)(threadIdx.x % 32) * step;
}

#define GLOBAL(NAME, FEW, MANY, ...)                                                                                   \
    extern "C" __global__ void __launch_bounds__(1024) NAME(ARGS)                                                                              \
    {                                                                                                                  \
        [[maybe_unused]] u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0, v = 0, w, x, y, sum = 0;                                                   \
        char *p = place(data, step);                                                                                   \
        auto body = [&](int i) { __VA_ARGS__; };                                                                       \
        TWO(p = place(data, step); times<FEW>(body), p = place(data, step); times<MANY>(body))                                                                       \
        tell(out, t0, t1, t2, t3);                                                                                     \
        if (reps == 77)                                                                                                \
            *(u32 *)data = v + sum + *p;                                                                               \
    }

GLOBAL(ldg32_chain, 16, 80, asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p)); p += v)
GLOBAL(ldg64_chain, 16, 80, asm volatile("ld.global.v2.u32 {%0, %2}, [%1];" : "=r"(v), "+l"(p), "=r"(w)); p += v + w)
GLOBAL(ldg128_chain, 16, 80, asm volatile("ld.global.v4.u32 {%0, %2, %3, %4}, [%1];" : "=r"(v), "+l"(p), "=r"(w), "=r"(x), "=r"(y)); p += (v + w) + (x + y))
GLOBAL(ldg32_many, 32, 160, asm volatile("ld.global.u32 %0, [%1 + %2];" : "=r"(v) : "l"(p), "n"(0)); sum += v; p += 128)
GLOBAL(ldg128_many, 32, 160, asm volatile("ld.global.v4.u32 {%0, %2, %3, %4}, [%1];" : "=r"(v), "+l"(p), "=r"(w), "=r"(x), "=r"(y)); sum += (v + w) + (x + y); p += 128)
GLOBAL(atomg_chain, 16, 80, asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(v) : "l"(p) : "memory"))
GLOBAL(atomg_cas_chain, 16, 80, asm volatile("atom.global.cas.b32 %0, [%1], %0, %0;" : "+r"(v) : "l"(p) : "memory"))
GLOBAL(atomg_f32_chain, 16, 80, asm volatile("{.reg .f32 x; mov.b32 x, %0; atom.global.add.f32 x, [%1], x; mov.b32 %0, x;}" : "+r"(v) : "l"(p) : "memory"))
GLOBAL(fence_gpu_chain, 8, 40, asm volatile("st.global.u32 [%1], %0;" ::"r"(v), "l"(p) : "memory"); __threadfence())

// One thread walks lines `step` bytes apart; the short stretch ends where the long one begins. Memory is zero.
#define WALK(NAME, OP)                                                                                                 \
    extern "C" __global__ void __launch_bounds__(1024) NAME(ARGS)                                                                              \
    {                                                                                                                  \
        u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0, sum = 0;                                                                   \
        for (u32 r = 0; r < reps; r++) {                                                                               \
            char *p = place(data, 4);                                                                                  \
            u32 v = 0;                                                                                                 \
            __syncthreads();                                                                                           \
            t0 = now();                                                                                                \
            for (u32 i = 0; i < few; i++) {                                                                            \
                asm volatile(OP : "=r"(v) : "l"(p));                                                                   \
                p += v + step;                                                                                         \
            }                                                                                                          \
            t1 = now() + v;                                                                                            \
            __syncthreads();                                                                                           \
            t2 = now();                                                                                                \
            for (u32 i = 0; i < many; i++) {                                                                           \
                asm volatile(OP : "=r"(v) : "l"(p));                                                                   \
                p += v + step;                                                                                         \
            }                                                                                                          \
            t3 = now() + v;                                                                                            \
            sum += v;                                                                                                  \
        }                                                                                                              \
        tell(out, t0, t1, t2, t3);                                                                                     \
        if (reps == 77)                                                                                                \
            *(u32 *)data = sum;                                                                                        \
    }
WALK(walk_ca, "ld.global.u32 %0, [%1];")
WALK(walk_cg, "ld.global.cg.u32 %0, [%1];")

// Each load of one thread timed by itself: out gets the cycles, not four words a warp.
extern "C" __global__ void __launch_bounds__(1024) each_load(ARGS)
{
    for (u32 r = 0; r < reps; r++) {
        char *p = data;
        for (u32 i = 0; i < many; i++) {
            u32 v, t = now();
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p));
            asm volatile("add.u32 %0, %0, 0;" : "+r"(v)::"memory");
            p += v + step;
            out[i] = now() - t + v;
        }
    }
}

// `many` loads that do not wait for each other by a warp, of 32 * step bytes each, then all are waited for.
#define AHEAD(NAME, N)                                                                                                 \
    extern "C" __global__ void __launch_bounds__(1024) NAME(ARGS)                                                                              \
    {                                                                                                                  \
        u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0, v[N], sum = 0;                                                             \
        for (u32 r = 0; r < reps; r++) {                                                                               \
            char *p = data + (size_t)(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * (N + 1) * many + threadIdx.x % 32 * step;           \
            __syncthreads();                                                                                           \
            t0 = now();                                                                                                \
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[0]) : "l"(p) : "memory");                               \
            t1 = now() + v[0];                                                                                         \
            sum += v[0];                                                                                               \
            __syncthreads();                                                                                           \
            t2 = now();                                                                                                \
            times<N>([&](int i) { asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[i]) : "l"(p + (i + 1) * many) : "memory"); }); \
            times<N>([&](int i) { sum += v[i]; });                                                                     \
            asm volatile("" : "+r"(sum)::"memory");                                                                    \
            t3 = now() + sum;                                                                                          \
        }                                                                                                              \
        tell(out, t0, t1, t2, t3);                                                                                     \
    }
AHEAD(ahead_2, 2)
AHEAD(ahead_8, 8)
AHEAD(ahead_32, 32)

// All warps stream: each warp's turn is 32 * width bytes, and the warps of the grid lie side by side.
#define STREAM(NAME, UNROLL, ...)                                                                                      \
    extern "C" __global__ void __launch_bounds__(1024) NAME(ARGS)                                                                              \
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
                        [[maybe_unused]] char *p = data + (size_t)((at + k * warps)) * 32 * step + threadIdx.x % 32 * step; \
                        __VA_ARGS__;                                                                                   \
                    });                                                                                                \
                    at += UNROLL * warps;                                                                              \
                }                                                                                                      \
            };                                                                                                         \
            __syncthreads();                                                                                           \
            t0 = now();                                                                                                \
            turn(few);                                                                                                 \
            __syncthreads();                                                                                           \
            t1 = t2 = now();                                                                                           \
            turn(many);                                                                                                \
            __syncthreads();                                                                                           \
            t3 = now();                                                                                                \
        }                                                                                                              \
        tell(out, t0, t1, t2, t3 + (sum == 0x12345));                                                                  \
    }
STREAM(stream_ld32, 8, asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[k][0]) : "l"(p)); if (k == 7) times<8>([&](int j) { sum += v[j][0]; }))
STREAM(stream_ld128, 8, asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[k][0]), "=r"(v[k][1]), "=r"(v[k][2]), "=r"(v[k][3]) : "l"(p)); if (k == 7) times<8>([&](int j) { sum += v[j][0] ^ v[j][3]; }))
STREAM(stream_ca32, 8, asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[k][0]) : "l"(p)); if (k == 7) times<8>([&](int j) { sum += v[j][0]; }))
STREAM(stream_st32, 4, asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(few) : "memory"))
STREAM(stream_st128, 4, asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(few) : "memory"))
STREAM(stream_copy32, 4, asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[k][0]) : "l"(p)); if (k == 3) times<4>([&](int j) { asm volatile("st.global.u32 [%0], %1;" ::"l"(data + ((size_t)many * 2 * warps + at + j * warps) * 32 * step + threadIdx.x % 32 * step), "r"(v[j][0]) : "memory"); }))
STREAM(stream_red32, 4, asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(few) : "memory"))

// Reductions of all warps on addresses that they share: lane * step, and a word a block `few` bytes apart.
#define RED(NAME, TEXT)                                                                                                \
    extern "C" __global__ void __launch_bounds__(1024) NAME(ARGS)                                                                              \
    {                                                                                                                  \
        u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0;                                                                            \
        char *p = place(data, step) + (size_t)blockIdx.x * few;                                                        \
        for (u32 r = 0; r < reps; r++) {                                                                               \
            __syncthreads();                                                                                           \
            t0 = now();                                                                                                \
            for (u32 i = 0; i < 8; i++)                                                                                \
                asm volatile(TEXT ::"l"(p) : "memory");                                                                \
            __threadfence();                                                                                           \
            __syncthreads();                                                                                           \
            t1 = t2 = now();                                                                                           \
            for (u32 i = 0; i < many; i++)                                                                             \
                asm volatile(TEXT ::"l"(p) : "memory");                                                                \
            __threadfence();                                                                                           \
            __syncthreads();                                                                                           \
            t3 = now();                                                                                                \
        }                                                                                                              \
        tell(out, t0, t1, t2, t3);                                                                                     \
    }
RED(red_s32, "red.global.add.u32 [%0], 3;")
RED(red_f32, "red.global.add.f32 [%0], 0f3f800000;")

#define RED_TYPES                                                                                                      \
    R(min, "red.global.min.s32 [%0], 3;")                                                                              \
    R(and, "red.global.and.b32 [%0], 3;")                                                                              \
    R(inc, "red.global.inc.u32 [%0], 3;")                                                                              \
    R(exch, "{.reg .u32 x; atom.global.exch.b32 x, [%0], 3;}")                                                         \
    R(cas, "{.reg .u32 x; atom.global.cas.b32 x, [%0], 0, 3;}")                                                        \
    R(u64, "red.global.add.u64 [%0], 3;")                                                                              \
    R(min64, "red.global.min.u64 [%0], 3;")                                                                            \
    R(and64, "red.global.and.b64 [%0], 3;")                                                                            \
    R(exch64, "{.reg .u64 x; atom.global.exch.b64 x, [%0], 3;}")                                                       \
    R(cas64, "{.reg .u64 x; atom.global.cas.b64 x, [%0], 0, 3;}")                                                      \
    R(f64, "red.global.add.f64 [%0], 0d3ff0000000000000;")                                                             \
    R(f16x2, "{.reg .b32 x; mov.b32 x, 0x3c003c00; red.global.add.noftz.f16x2 [%0], x;}")                              \
    R(bf16x2, "{.reg .b32 x; mov.b32 x, 0x3f803f80; red.global.add.noftz.bf16x2 [%0], x;}")
#define R(NAME, TEXT) RED(red_##NAME, TEXT)
RED_TYPES
#undef R

// Atomics whose old values are waited for, eight at a time.
extern "C" __global__ void __launch_bounds__(1024) atom_eight(ARGS)
{
    u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0, sum = 0;
    char *p = place(data, step) + (size_t)blockIdx.x * few;
    auto turns = [&](u32 n) {
        for (u32 i = 0; i < n; i++) {
            u32 v[8];
            times<8>([&](int k) { asm volatile("atom.global.add.u32 %0, [%1], 3;" : "=r"(v[k]) : "l"(p) : "memory"); });
            times<8>([&](int k) { sum += v[k]; });
        }
    };
    TWO(turns(1), turns(many))
    tell(out, t0, t1, t2, t3 + (sum == 0x12345));
}

// When each of 48 instructions that wait for nothing issues, and, in the 49th word, when memory has done them all. Lane by
// lane `step` bytes apart, warp by warp `few`, instruction by instruction `reps`. Of block 0; the second time it is done.
#define ISSUE(NAME, ...)                                                                                               \
    extern "C" __global__ void __launch_bounds__(256) NAME(ARGS)                                                       \
    {                                                                                                                  \
        u32 t[49], first = 0, warp = threadIdx.x / 32;                                                                 \
        char *p = place(data, step) + (size_t)(blockIdx.x * (blockDim.x / 32) + warp) * few;                           \
        for (u32 r = 0; r < 2; r++) {                                                                                  \
            __threadfence();                                                                                           \
            __syncthreads();                                                                                           \
            first = now();                                                                                             \
            times<48>([&](int i) {                                                                                     \
                __VA_ARGS__;                                                                                           \
                t[i] = now();                                                                                          \
            });                                                                                                        \
            __threadfence();                                                                                           \
            t[48] = now();                                                                                             \
        }                                                                                                              \
        if (blockIdx.x == 0 && threadIdx.x % 32 == 0)                                                                  \
            for (u32 i = 0; i < 49; i++)                                                                               \
                out[warp * 49 + i] = t[i] - first;                                                                     \
    }
ISSUE(issue_red, asm volatile("red.global.add.u32 [%0], 3;" ::"l"(p + (size_t)i * reps) : "memory"))
ISSUE(issue_st, asm volatile("st.global.u32 [%0], %1;" ::"l"(p + (size_t)i * reps), "r"(step) : "memory"))

// Warps that end without waiting for what they have asked for: how long an SM is active is Nsight Compute's to say.
extern "C" __global__ void __launch_bounds__(1024) ends_none(ARGS)
{
}
extern "C" __global__ void __launch_bounds__(1024) ends_red(ARGS)
{
    for (u32 i = 0; i < many; i++)
        asm volatile("red.global.add.u32 [%0], 3;" ::"l"(data + threadIdx.x * step + (size_t)blockIdx.x * few) : "memory");
}
extern "C" __global__ void __launch_bounds__(1024) ends_st(ARGS)
{
    for (u32 i = 0; i < many; i++)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(data + threadIdx.x * step + (size_t)blockIdx.x * few + i * reps), "r"(few) : "memory");
}

// Warps side by side write neighbouring words, and each warp a word in each of 32 rows.
#define ROW(FIRST) (data + (FIRST) + ((size_t)(at / warps + k) * 32 + threadIdx.x % 32) * warps * 4 + at % warps * 4)
STREAM(scatter_st32, 4, asm volatile("st.global.u32 [%0], %1;" ::"l"(ROW(0)), "r"(few) : "memory"))
STREAM(scatter_copy32, 4, asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[k][0]) : "l"(p)); if (k == 3) times<4>([&](int k) { asm volatile("st.global.u32 [%0], %1;" ::"l"(ROW((size_t)many * 2 * warps * 128)), "r"(v[k][0]) : "memory"); }))

// ---- Local memory: a word of every lane in turn ----

extern "C" __global__ void __launch_bounds__(1024) local_words(ARGS)
{
    u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0, v = 0;
    volatile u32 words[64];
    for (u32 i = 0; i < 64; i++)
        words[i] = few + i;
    auto stores = [&](u32 n) {
        for (u32 i = 0; i < n; i++)
            words[(i * step) % 64] = v + i;
    };
    auto loads = [&](u32 n) {
        for (u32 i = 0; i < n; i++)
            v += words[(i * step) % 64];
    };
    TWO(stores(many), loads(many))
    tell(out, t0, t1, t2, t3 + (v == 0x12345));
}

// ---- Constant memory: a chain through a table, cold in the first stretch when reps is 1 ----

__constant__ u32 table[8192];
extern "C" __global__ void __launch_bounds__(1024) ldc_chain(ARGS)
{
    u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0, v = 0;
    for (u32 r = 0; r < reps; r++) {
        u32 at = 0;
        __syncthreads();
        t0 = now();
        for (u32 i = 0; i < few; i++)
            at += table[at % 8192] + step;
        t1 = now() + (at == 1);
        __syncthreads();
        t2 = now();
        at = 0;
        for (u32 i = 0; i < many; i++)
            at += table[at % 8192] + step;
        t3 = now() + (at == 1);
        v += at;
    }
    tell(out, t0, t1, t2, t3 + (v == 0x12345));
}

// ---- Code: a straight stretch, cold and then warm ----

#define CODE(N)                                                                                                        \
    extern "C" __global__ void __launch_bounds__(1024) code_##N(ARGS)                                                                          \
    {                                                                                                                  \
        u32 t[4];                                                                                                      \
        float a[8], b = (float)step;                                                                                   \
        for (int i = 0; i < 8; i++)                                                                                    \
            a[i] = (float)(few + i);                                                                                   \
        for (u32 r = 0; r < 2; r++) {                                                                                  \
            __syncthreads();                                                                                           \
            u32 s = now();                                                                                             \
            times<N>([&](int i) { asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[i % 8]) : "f"(b)); });            \
            u32 e = now();                                                                                             \
            if (r == 0)                                                                                                \
                t[0] = s, t[1] = e;                                                                                    \
            else                                                                                                       \
                t[2] = s, t[3] = e;                                                                                    \
        }                                                                                                              \
        tell(out, t[0], t[1], t[2], t[3]);                                                                             \
        if (reps == 77)                                                                                                \
            for (int i = 0; i < 8; i++)                                                                                \
                ((float *)data)[i] = a[i];                                                                             \
    }
CODE(128)
CODE(512)
CODE(2048)
CODE(4096)
CODE(8192)
CODE(16384)

// ---- Loops and branches ----

#define LOOP(N)                                                                                                        \
    extern "C" __global__ void __launch_bounds__(1024) loop_##N(ARGS)                                                                          \
    {                                                                                                                  \
        u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0, v = 0;                                                                     \
        auto turns = [&](u32 n) {                                                                                      \
            _Pragma("unroll 1") for (u32 i = 0; i < n; i++)                                                            \
                times<N>([&](int) { asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(v) : "r"(step)); });              \
        };                                                                                                             \
        TWO(turns(few), turns(many))                                                                                   \
        tell(out, t0, t1, t2, t3 + (v == 0x12345));                                                                    \
    }
LOOP(1)
LOOP(4)
LOOP(16)
LOOP(64)
LOOP(256)

extern "C" __global__ void __launch_bounds__(1024) diverge_turns(ARGS)
{
    u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0, v = threadIdx.x;
    auto turns = [&](u32 n) {
#pragma unroll 1
        for (u32 i = 0; i < n; i++) {
            if ((v + threadIdx.x) & step) {
                times<12>([&](int) { asm volatile("mad.lo.u32 %0, %0, 5, 1;" : "+r"(v)); });
            } else {
                times<12>([&](int) { asm volatile("xor.b32 %0, %0, 1234;" : "+r"(v)); asm volatile("add.u32 %0, %0, 77;" : "+r"(v)); });
            }
            __syncwarp();
        }
    };
    TWO(turns(few), turns(many))
    tell(out, t0, t1, t2, t3 + (v == 0x12345));
}

// ---- Clusters ----

extern "C" __global__ void __launch_bounds__(1024) cluster_sync(ARGS)
{
    u32 t0 = 0, t1 = 0, t2 = 0, t3 = 0;
    cg::cluster_group c = cg::this_cluster();
    TWO(times<4>([&](int) { c.sync(); }), times<20>([&](int) { c.sync(); }))
    tell(out, t0, t1, t2, t3);
}

extern "C" __global__ void __launch_bounds__(1024) cluster_load(ARGS)
{
    SHARED_START
    cg::cluster_group c = cg::this_cluster();
    c.sync();
    u32 there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(base), "r"((c.block_rank() + 1) % c.num_blocks()));
    auto body = [&](int) { asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(there)); there += v; };
    TWO(times<8>(body), times<40>(body))
    c.sync();
    tell(out, t0, t1, t2, t3);
    (void)w, (void)x, (void)y;
}

// ---- Blocks: when each begins and ends, on which SM ----

extern "C" __global__ void __launch_bounds__(1024) blocks(ARGS)
{
    u32 t0 = now(), t1, smid, late = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
    do {
        t1 = now();
        late++;
    } while (t1 - t0 < many);
    if (threadIdx.x == 0) {
        out[blockIdx.x * 4] = t0;
        out[blockIdx.x * 4 + 1] = now();
        out[blockIdx.x * 4 + 2] = smid;
        out[blockIdx.x * 4 + 3] = late;
    }
}

// ---- The launches ----

struct launch {
    const char *name, *kernel;
    void *function;
    u32 grid, block, few, many, step, reps, cluster;
    char show; // 's': two stretches; 'e': single instructions; 'b': blocks; 'n': nothing
    u32 kib;   // of the second buffer
};

static std::vector<launch> launches;
static std::vector<std::string *> kept;

static void add(std::string name, const char *kernel, void *f, u32 grid, u32 block, u32 few, u32 many, u32 step, u32 reps, u32 kib,
                char show = 's', u32 cluster = 1)
{
    kept.push_back(new std::string(name));
    launches.push_back({kept.back()->c_str(), kernel, f, grid, block, few, many, step, reps, cluster, show, kib});
}
#define K(name) #name, (void *)name

static void list()
{
    using std::to_string;
#define U(NAME, ...)                                                                                                   \
    add("lat_" #NAME, K(lat_##NAME), 1, 32, 1, 1, 3, 2, 64);                                                           \
    for (u32 t : {32u, 128u, 512u})                                                                                    \
        add("thr_" #NAME "_w" + to_string(t / 32), K(thr_##NAME), 1, t, 1, 1, 3, 2, 64);
    UNITS
#undef U
    for (u32 t : {32u, 128u, 512u}) {
        add("thr_ffma_iadd_w" + to_string(t / 32), K(thr_ffma_iadd), 1, t, 1, 1, 3, 2, 64);
        add("thr_ffma_imad_w" + to_string(t / 32), K(thr_ffma_imad), 1, t, 1, 1, 3, 2, 64);
        add("thr_ffma3_w" + to_string(t / 32), K(thr_ffma3), 1, t, 1, 1, 3, 2, 64);
        add("thr_wide_ffma_w" + to_string(t / 32), K(thr_wide_ffma), 1, t, 1, 1, 3, 2, 64);
        add("thr_wide_lop_w" + to_string(t / 32), K(thr_wide_lop), 1, t, 1, 1, 3, 2, 64);
        add("thr_wide_imad_w" + to_string(t / 32), K(thr_wide_imad), 1, t, 1, 1, 3, 2, 64);
        add("loop_1_w" + to_string(t / 32), K(loop_1), 1, t, 16, 80, 3, 2, 64);
        add("loop_4_w" + to_string(t / 32), K(loop_4), 1, t, 16, 80, 3, 2, 64);
        add("loop_16_w" + to_string(t / 32), K(loop_16), 1, t, 16, 80, 3, 2, 64);
        add("loop_64_w" + to_string(t / 32), K(loop_64), 1, t, 16, 80, 3, 2, 64);
        add("loop_256_w" + to_string(t / 32), K(loop_256), 1, t, 8, 40, 3, 2, 64);
        add("diverge_turns_w" + to_string(t / 32), K(diverge_turns), 1, t, 8, 40, 1, 2, 64);
    }
    struct { const char *name; void *f; u32 wide; bool chain; } shared[] = {
#define S(n, w, c) {#n, (void *)n, w, c}
        S(lds8_chain, 1, true), S(lds32_chain, 4, true), S(lds64_chain, 8, true), S(lds128_chain, 16, true), S(atoms_chain, 4, true), S(sts_lds_chain, 4, true),
        S(lds32_many, 4, false), S(lds64_many, 8, false), S(lds128_many, 16, false), S(sts32_many, 4, false), S(sts64_many, 8, false), S(sts128_many, 16, false),
        S(atoms_many, 4, false), S(atoms_f32_many, 4, false)};
    for (auto &s : shared)
        for (u32 ways : {0u, 1u, 2u, 4u, 8u, 32u}) {
            u32 step = ways * (s.wide > 4 ? s.wide : 4);
            for (u32 t : {32u, 128u, 1024u}) {
                if ((s.chain && t != 32) || step * 31 + 16 > 40960)
                    continue;
                add(std::string(s.name) + "_s" + to_string(step) + (s.chain ? "" : "_w" + to_string(t / 32)), s.name, s.f, 1, t, 1, 1, step, 2, 64);
            }
        }
    for (u32 t : {32u, 64u, 128u, 256u, 512u, 1024u})
        add("bar_w" + to_string(t / 32), K(bar_many), 1, t, 1, 1, 4, 2, 64);
    add("syncwarp", K(syncwarp_many), 1, 32, 1, 1, 4, 2, 64);
    add("fence_block", K(fence_block_many), 1, 32, 1, 1, 4, 2, 64);
    add("fence_gpu", K(fence_gpu_chain), 1, 32, 1, 1, 4, 2, 64);
    for (u32 step : {0u, 4u, 8u, 16u, 32u, 64u, 128u}) {
        add("ldg32_chain_s" + to_string(step), K(ldg32_chain), 1, 32, 1, 1, step, 2, 64);
        if (step % 8 == 0)
            add("ldg64_chain_s" + to_string(step), K(ldg64_chain), 1, 32, 1, 1, step, 2, 64);
        if (step % 16 == 0)
            add("ldg128_chain_s" + to_string(step), K(ldg128_chain), 1, 32, 1, 1, step, 2, 64);
        for (u32 t : {32u, 128u, 1024u}) {
            add("ldg32_many_s" + to_string(step) + "_w" + to_string(t / 32), K(ldg32_many), 1, t, 1, 1, step, 2, 64);
            if (step % 16 == 0)
                add("ldg128_many_s" + to_string(step) + "_w" + to_string(t / 32), K(ldg128_many), 1, t, 1, 1, step, 2, 64);
        }
    }
    for (u32 step : {0u, 4u, 128u}) {
        add("atomg_chain_s" + to_string(step), K(atomg_chain), 1, 32, 1, 1, step, 2, 64);
        add("atomg_cas_chain_s" + to_string(step), K(atomg_cas_chain), 1, 32, 1, 1, step, 2, 64);
        add("atomg_f32_chain_s" + to_string(step), K(atomg_f32_chain), 1, 32, 1, 1, step, 2, 64);
    }
    add("atomg_chain_1", K(atomg_chain), 1, 1, 1, 1, 0, 2, 64);
    // Latency: L1, L2 at several footprints, DRAM at several distances.
    add("walk_l1", K(walk_ca), 1, 1, 32, 160, 128, 2, 64);
    add("walk_l1_full", K(walk_ca), 1, 1, 32, 1000, 128, 2, 256);
    add("walk_l2_128", K(walk_cg), 1, 1, 32, 992, 128, 2, 256);
    add("walk_l2_8k", K(walk_cg), 1, 1, 32, 992, 8320, 2, 16384);
    add("walk_l2_32k", K(walk_cg), 1, 1, 32, 992, 33280, 2, 65536);
    add("walk_l2_all", K(walk_cg), 132, 1, 32, 992, 128, 2, 256);
    add("walk_dram_128", K(walk_cg), 1, 1, 32, 992, 128, 1, 256);
    add("walk_dram_4k", K(walk_cg), 1, 1, 32, 992, 4224, 1, 8192);
    add("walk_dram_64k", K(walk_cg), 1, 1, 32, 992, 65664, 1, 131072);
    add("walk_dram_2m", K(walk_cg), 1, 1, 32, 96, 2097280, 1, 393216);
    add("each_l2_128", K(each_load), 1, 1, 1, 2048, 128, 2, 512, 'e');
    add("each_l2_4k", K(each_load), 1, 1, 1, 2048, 4096, 2, 16384, 'e');
    add("each_dram_128", K(each_load), 1, 1, 1, 2048, 128, 1, 512, 'e');
    add("each_dram_4k", K(each_load), 1, 1, 1, 2048, 4096, 1, 16384, 'e');
    // Loads under way together.
    for (u32 grid : {1u, 132u})
        for (u32 t : {32u, 128u, 512u})
            for (u32 step : {4u, 32u, 128u})
                for (u32 cold = 0; cold < 2; cold++) {
                    std::string tail = "_s" + to_string(step) + "_w" + to_string(t / 32) + "_g" + to_string(grid) + (cold ? "_dram" : "_l2");
                    add("ahead_2" + tail, K(ahead_2), grid, t, 1, 32 * step, step, 2 - cold, 3 * grid * t / 32 * step / 32 + 64);
                    add("ahead_8" + tail, K(ahead_8), grid, t, 1, 32 * step, step, 2 - cold, 9 * grid * t / 32 * step / 32 + 64);
                    if (grid == 1 || step == 4)
                        add("ahead_32" + tail, K(ahead_32), grid, t, 1, 32 * step, step, 2 - cold, 33 * grid * t / 32 * step / 32 + 64);
                }
    // Bandwidth. Warm: 20 MiB in L2. Cold: from DRAM.
    for (u32 grid : {1u, 16u, 132u, 264u}) {
        u32 warps = grid * 32;
        add("stream_ld32_l2_g" + to_string(grid), K(stream_ld32), grid, 1024, 8, 24, 4, 2, warps * 32 / 8);
        add("stream_ld128_l2_g" + to_string(grid), K(stream_ld128), grid, 1024, 8, 8, 16, 2, warps * 16 / 2);
        add("stream_st32_l2_g" + to_string(grid), K(stream_st32), grid, 1024, 8, 24, 4, 2, warps * 32 / 8);
        add("stream_st128_l2_g" + to_string(grid), K(stream_st128), grid, 1024, 8, 8, 16, 2, warps * 16 / 2);
        add("stream_st32_part_g" + to_string(grid), K(stream_st32), grid, 1024, 4, 4, 32, 2, warps * 8);
        add("stream_ld32_part_g" + to_string(grid), K(stream_ld32), grid, 1024, 8, 8, 32, 2, warps * 16);
        add("stream_red32_l2_g" + to_string(grid), K(stream_red32), grid, 1024, 8, 24, 4, 2, warps * 32 / 8);
        add("stream_copy32_l2_g" + to_string(grid), K(stream_copy32), grid, 1024, 8, 24, 4, 2, warps * 96 / 8);
        add("stream_ld32_dram_g" + to_string(grid), K(stream_ld32), grid, 1024, 16, 80, 4, 1, warps * 96 / 8);
        add("stream_ld128_dram_g" + to_string(grid), K(stream_ld128), grid, 1024, 8, 24, 16, 1, warps * 32 / 2);
        add("stream_st32_dram_g" + to_string(grid), K(stream_st32), grid, 1024, 16, 80, 4, 1, warps * 96 / 8);
        add("stream_copy32_dram_g" + to_string(grid), K(stream_copy32), grid, 1024, 16, 80, 4, 1, warps * 320 / 8);
    }
    add("stream_ca32_l1", K(stream_ca32), 1, 1024, 8, 24, 4, 2, 128);
    // Reductions.
    for (u32 grid : {1u, 132u})
        for (u32 t : {32u, 256u}) {
            struct { const char *name; u32 few, step; } places[] = {{"one", 0, 0}, {"line", 0, 4}, {"lines", 0, 128}, {"own_one", 256, 0}, {"own_line", 256, 4}};
            for (auto &p : places) {
                std::string tail = std::string("_") + p.name + "_w" + to_string(t / 32) + "_g" + to_string(grid);
                add("red_s32" + tail, K(red_s32), grid, t, p.few, 72, p.step, 2, 64);
                add("red_f32" + tail, K(red_f32), grid, t, p.few, 72, p.step, 2, 64);
            }
        }
#define R(NAME, ...)                                                                                                   \
    add("red_" #NAME "_one_w8_g1", K(red_##NAME), 1, 256, 0, 72, 0, 2, 64);                                            \
    add("red_" #NAME "_line_w8_g1", K(red_##NAME), 1, 256, 0, 72, 8, 2, 64);
    RED_TYPES
#undef R
    for (u32 t : {32u, 256u})
        for (u32 step : {0u, 4u, 128u})
            for (u32 grid : {1u, 132u})
                add("atom_eight_s" + to_string(step) + "_w" + to_string(t / 32) + "_g" + to_string(grid), K(atom_eight), grid, t, 4096, 9, step, 2, 1024);
    for (u32 grid : {1u, 132u})
        for (u32 t : {32u, 128u, 256u}) {
            std::string tail = "_w" + to_string(t / 32) + "_g" + to_string(grid);
            u32 words = t / 32 * 49;
            add("issue_red_one" + tail, K(issue_red), grid, t, 0, words, 0, 0, 64, 'e');
            add("issue_red_lines" + tail, K(issue_red), grid, t, 0, words, 128, 0, 64, 'e');
            add("issue_red_own" + tail, K(issue_red), grid, t, 4096, words, 128, 0, 8192, 'e');
            add("issue_st_line" + tail, K(issue_st), grid, t, 48 * 128, words, 4, 128, 8192, 'e');
            add("issue_st_sectors" + tail, K(issue_st), grid, t, 12 * 1024, words, 32, 256, 16384, 'e');
            add("issue_st_lines" + tail, K(issue_st), grid, t, 4 * 4096, words, 128, 256, 20480, 'e');
        }
    for (u32 grid : {1u, 132u})
        for (u32 t : {32u, 1024u}) {
            std::string tail = "_t" + to_string(t) + "_g" + to_string(grid);
            add("ends_none" + tail, K(ends_none), grid, t, 0, 0, 0, 0, 64, 'n');
            for (u32 many : {0u, 1u, 8u, 64u}) {
                add("ends_red_" + to_string(many) + "_one" + tail, K(ends_red), grid, t, 0, many, 0, 0, 64, 'n');
                add("ends_red_" + to_string(many) + "_own" + tail, K(ends_red), grid, t, 128 * t, many, 128, 0, 32768, 'n');
                add("ends_st_" + to_string(many) + "_own" + tail, K(ends_st), grid, t, 128 * t, many, 4, 4096, 32768, 'n');
            }
        }
    // From DRAM, L2 full of unchanged lines; `far`: more than L2 holds.
    for (u32 grid : {1u, 16u, 132u, 264u}) {
        u32 warps = grid * 32;
        std::string tail = "_g" + to_string(grid);
        add("stream_ld32_clean" + tail, K(stream_ld32), grid, 1024, 16, 80, 4, 1, warps * 96 / 8);
        add("stream_ld128_clean" + tail, K(stream_ld128), grid, 1024, 8, 24, 16, 1, warps * 32 / 2);
        add("stream_st32_clean" + tail, K(stream_st32), grid, 1024, 16, 80, 4, 1, warps * 96 / 8);
        add("stream_copy32_clean" + tail, K(stream_copy32), grid, 1024, 16, 80, 4, 1, warps * 320 / 8);
        if (grid >= 132) {
            add("stream_ld32_far_clean" + tail, K(stream_ld32), grid, 1024, 16, 112, 4, 1, warps * 128 / 8);
            add("stream_ld128_far_clean" + tail, K(stream_ld128), grid, 1024, 8, 40, 16, 1, warps * 48 / 2);
            add("stream_st32_far_clean" + tail, K(stream_st32), grid, 1024, 16, 112, 4, 1, warps * 128 / 8);
            add("stream_st128_far_clean" + tail, K(stream_st128), grid, 1024, 8, 40, 16, 1, warps * 48 / 2);
            add("stream_copy32_far_clean" + tail, K(stream_copy32), grid, 1024, 16, 112, 4, 1, warps * 384 / 8);
            add("scatter_st32_clean" + tail, K(scatter_st32), grid, 1024, 4, 60, 4, 1, warps * 64 / 8);
            add("scatter_st32_far_clean" + tail, K(scatter_st32), grid, 1024, 16, 112, 4, 1, warps * 128 / 8);
            add("scatter_copy32_far_clean" + tail, K(scatter_copy32), grid, 1024, 16, 112, 4, 1, warps * 384 / 8);
        }
    }
    // From L2, full of unchanged lines at the start.
    for (u32 grid : {1u, 16u, 132u, 264u}) {
        u32 warps = grid * 32;
        std::string tail = "_clean_g" + to_string(grid);
        add("stream_ld32_l2" + tail, K(stream_ld32), grid, 1024, 8, 24, 4, 2, warps * 32 / 8);
        add("stream_ld128_l2" + tail, K(stream_ld128), grid, 1024, 8, 8, 16, 2, warps * 16 / 2);
        add("stream_st32_l2" + tail, K(stream_st32), grid, 1024, 8, 24, 4, 2, warps * 32 / 8);
        add("stream_st128_l2" + tail, K(stream_st128), grid, 1024, 8, 8, 16, 2, warps * 16 / 2);
        add("stream_st32_part" + tail, K(stream_st32), grid, 1024, 4, 4, 32, 2, warps * 8);
        add("stream_ld32_part" + tail, K(stream_ld32), grid, 1024, 8, 8, 32, 2, warps * 16);
        add("stream_red32_l2" + tail, K(stream_red32), grid, 1024, 8, 24, 4, 2, warps * 32 / 8);
        add("stream_copy32_l2" + tail, K(stream_copy32), grid, 1024, 8, 24, 4, 2, warps * 96 / 8);
    }
    for (u32 t : {128u, 256u, 512u})
        add("stream_ca32_l1_w" + to_string(t / 32), K(stream_ca32), 1, t, 8, 24, 4, 2, 128);
    for (u32 grid : {1u, 132u})
        for (u32 t : {32u, 128u, 512u})
            for (u32 step : {4u, 32u, 128u})
                add("ahead_8_s" + to_string(step) + "_w" + to_string(t / 32) + "_g" + to_string(grid) + "_clean", K(ahead_8), grid, t, 1, 32 * step, step, 1, 9 * grid * t / 32 * step / 32 + 64);
    for (u32 t : {32u, 128u, 1024u})
        add("local_words_w" + to_string(t / 32), K(local_words), 1, t, 8, 512, 1, 2, 64);
    add("local_words_w32_g132", K(local_words), 132, 1024, 8, 512, 1, 2, 64);
    for (u32 step : {0u, 1u, 16u, 64u}) {
        add("ldc_warm_s" + to_string(step), K(ldc_chain), 1, 32, 16, 80, step, 2, 64);
        add("ldc_cold_s" + to_string(step), K(ldc_chain), 1, 32, 80, 80, step, 1, 64);
    }
    for (u32 t : {32u, 128u, 512u}) {
        std::string w = "_w" + to_string(t / 32);
        add("code_128" + w, K(code_128), 1, t, 1, 1, 3, 1, 64);
        add("code_512" + w, K(code_512), 1, t, 1, 1, 3, 1, 64);
        add("code_2048" + w, K(code_2048), 1, t, 1, 1, 3, 1, 64);
        add("code_4096" + w, K(code_4096), 1, t, 1, 1, 3, 1, 64);
        add("code_8192" + w, K(code_8192), 1, t, 1, 1, 3, 1, 64);
        add("code_16384" + w, K(code_16384), 1, t, 1, 1, 3, 1, 64);
    }
    for (u32 c : {1u, 2u, 4u, 8u}) {
        add("cluster_sync_" + to_string(c), K(cluster_sync), c, 128, 1, 1, 3, 2, 64, 's', c);
        add("cluster_load_" + to_string(c), K(cluster_load), c, 32, 1, 1, 4, 2, 64, 's', c);
    }
    for (u32 t : {32u, 256u, 1024u})
        for (u32 delay : {0u, 2000u}) {
            add("blocks_t" + to_string(t) + "_d" + to_string(delay) + "_g132", K(blocks), 132, t, 1, delay, 1, 1, 64, 'b');
            add("blocks_t" + to_string(t) + "_d" + to_string(delay) + "_g2112", K(blocks), 2112, t, 1, delay, 1, 1, 64, 'b');
        }
}

static u32 warps_of(const launch &l)
{
    return l.grid * ((l.block + 31) / 32);
}

static u32 words_of(const launch &l)
{
    u32 words = l.show == 'b' ? l.grid * 4 : warps_of(l) * 4;
    return l.show == 'e' && l.many > words ? l.many : words;
}

static void print_list()
{
    printf("# Made by `micro --list`.\n");
    for (auto &l : launches) {
        printf("%s micro.cubin %s grid=%u block=%u", l.name, l.kernel, l.grid, l.block);
        if (l.cluster > 1)
            printf(" cluster=%u", l.cluster);
        printf(" u32[%u]=zero u8[%llu]=zero u32=%u u32=%u u32=%u u32=%u\n", words_of(l), (u64)l.kib * 1024, l.few, l.many, l.step, l.reps);
    }
}

static __global__ void sweep(u32 *p, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] += 1;
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
    if (sum == 0x12345)
        *out = sum;
}

static void show(const launch &l, const u32 *w, u32 run)
{
    if (l.show == 'n' || (l.show != 's' && run < 2))
        return;
    printf("%s,%u", l.name, run);
    if (l.show != 's') {
        for (u32 i = 0; i < words_of(l); i++)
            printf(",%u", w[i]);
        printf("\n");
        return;
    }
    double a = 0, b = 0;
    u32 warps = (l.block + 31) / 32;
    for (u32 g = 0; g < l.grid; g++) {
        const u32 *o = w + (size_t)g * warps * 4;
        u32 first[2] = {o[0], o[2]}, last[2] = {o[1], o[3]};
        for (u32 i = 1; i < warps; i++)
            for (u32 k = 0; k < 2; k++) {
                u32 from = o[i * 4 + 2 * k], to = o[i * 4 + 2 * k + 1];
                first[k] = (int)(from - first[k]) < 0 ? from : first[k];
                last[k] = (int)(to - last[k]) > 0 ? to : last[k];
            }
        a += last[0] - first[0];
        b += last[1] - first[1];
    }
    printf(",%.2f,%.2f,%.2f\n", a / l.grid, b / l.grid, (b - a) / l.grid);
}

static bool is_wanted(const launch &l, int argc, char **argv, int first)
{
    bool wanted = first >= argc;
    for (int i = first; i < argc; i++)
        wanted = wanted || strncmp(l.name, argv[i], strlen(argv[i])) == 0;
    return wanted;
}

int main(int argc, char **argv)
{
    list();
    const bool once = argc > 1 && strcmp(argv[1], "--once") == 0;
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        print_list();
        return 0;
    }
    const size_t most = (size_t)1 << 30, other = (size_t)256 << 20;
    char *data;
    u32 *out, *filler;
    if (cudaMalloc(&data, most) || cudaMalloc(&out, 1 << 20) || cudaMalloc(&filler, other))
        return 1;
    cudaMemset(data, 0, most);
    std::vector<u32> words(1 << 18);
    for (int i = 0; i < 20; i++)
        sweep<<<1024, 256>>>(filler, other / 4);
    printf("launch,run,short,long,difference\n");
    for (auto &l : launches)
        for (u32 run = 0; run < (once ? 1 : 3) && is_wanted(l, argc, argv, once ? 2 : 1); run++) {
            if ((size_t)l.kib * 1024 > most || words_of(l) > words.size()) {
                fprintf(stderr, "%s: too large\n", l.name);
                return 1;
            }
            cudaMemset(data, 0, (size_t)l.kib * 1024);
            sweep<<<1024, 256>>>(filler, other / 4);
            for (u32 i = 0; i < 2 && strstr(l.name, "_clean") != nullptr; i++)
                look<<<1024, 256>>>(filler, other / 4, out);
            cudaLaunchConfig_t config = {};
            cudaLaunchAttribute attribute;
            config.gridDim = l.grid;
            config.blockDim = l.block;
            attribute.id = cudaLaunchAttributeClusterDimension;
            attribute.val.clusterDim = {l.cluster, 1, 1};
            config.attrs = &attribute;
            config.numAttrs = l.cluster > 1;
            void *args[] = {&out, &data, (void *)&l.few, (void *)&l.many, (void *)&l.step, (void *)&l.reps};
            cudaError_t e = cudaLaunchKernelExC(&config, l.function, args);
            if (!e)
                e = cudaDeviceSynchronize();
            if (e) {
                fprintf(stderr, "%s: %s\n", l.name, cudaGetErrorString(e));
                (void)cudaGetLastError();
                break;
            }
            cudaMemcpy(words.data(), out, words_of(l) * 4, cudaMemcpyDeviceToHost);
            show(l, words.data(), run);
        }
    return 0;
}
