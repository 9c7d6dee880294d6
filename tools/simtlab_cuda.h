/* What kernels commonly use of CUDA C++, for clang without the CUDA toolkit. There is no library behind it: each
 * declaration is written on clang's own NVPTX builtins, on one line of PTX, or out in full.
 *
 * Arithmetic is IEEE (+ - * / sqrt fma and conversions are exact in the last place) except:
 *  - __sinf, __expf and the other fast functions are one approximate instruction, as in CUDA;
 *  - expf, exp2f, exp10f, logf, log2f, log10f, sinf, cosf and tanf are float code with errors up to a few units in the
 *    last place, as CUDA's are, though not the same last digits;
 *  - powf, the other float functions and the double ones go through double code: the float results are nearly always
 *    correctly rounded, the double ones are good to a few units in the last place (erf: to some fifteen). A kernel that
 *    calls them executes more double instructions than it would with CUDA's library.
 * Host code in the same file is read but never compiled: calls of the runtime (cudaMalloc ...) are accepted as written.
 */
#ifndef SIMTLAB_CUDA_H
#define SIMTLAB_CUDA_H
#pragma clang system_header

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __host__ __attribute__((host))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __inline_hint__
#define __restrict__ __restrict
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define SIMTLAB_DEVICE static inline __attribute__((device, always_inline, nodebug))
#define SIMTLAB_BOTH static inline __attribute__((host, device, always_inline, nodebug))

typedef __SIZE_TYPE__ size_t;
typedef __INT8_TYPE__ int8_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __INT16_TYPE__ int16_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;

/* Vector types and their makers. */
#define SIMTLAB_VECTOR(T, name, align2, align4)                                                                        \
    struct name##1 {                                                                                                   \
        T x;                                                                                                           \
    };                                                                                                                 \
    struct __attribute__((aligned(align2))) name##2 {                                                                  \
        T x, y;                                                                                                        \
    };                                                                                                                 \
    struct name##3 {                                                                                                   \
        T x, y, z;                                                                                                     \
    };                                                                                                                 \
    struct __attribute__((aligned(align4))) name##4 {                                                                  \
        T x, y, z, w;                                                                                                  \
    };                                                                                                                 \
    SIMTLAB_BOTH name##1 make_##name##1(T x)                                                                           \
    {                                                                                                                  \
        return name##1 {x};                                                                                            \
    }                                                                                                                  \
    SIMTLAB_BOTH name##2 make_##name##2(T x, T y)                                                                      \
    {                                                                                                                  \
        return name##2 {x, y};                                                                                         \
    }                                                                                                                  \
    SIMTLAB_BOTH name##3 make_##name##3(T x, T y, T z)                                                                 \
    {                                                                                                                  \
        return name##3 {x, y, z};                                                                                      \
    }                                                                                                                  \
    SIMTLAB_BOTH name##4 make_##name##4(T x, T y, T z, T w)                                                            \
    {                                                                                                                  \
        return name##4 {x, y, z, w};                                                                                   \
    }
SIMTLAB_VECTOR(signed char, char, 2, 4)
SIMTLAB_VECTOR(unsigned char, uchar, 2, 4)
SIMTLAB_VECTOR(short, short, 4, 8)
SIMTLAB_VECTOR(unsigned short, ushort, 4, 8)
SIMTLAB_VECTOR(int, int, 8, 16)
SIMTLAB_VECTOR(unsigned, uint, 8, 16)
SIMTLAB_VECTOR(long, long, 16, 16)
SIMTLAB_VECTOR(unsigned long, ulong, 16, 16)
SIMTLAB_VECTOR(long long, longlong, 16, 16)
SIMTLAB_VECTOR(unsigned long long, ulonglong, 16, 16)
SIMTLAB_VECTOR(float, float, 8, 16)
SIMTLAB_VECTOR(double, double, 16, 16)
#undef SIMTLAB_VECTOR

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};

/* threadIdx.x and its kin: reading a member reads the special register. */
#define SIMTLAB_SREG(type, name, whole, sreg)                                                                          \
    struct type {                                                                                                      \
        __declspec(property(get = get_x)) unsigned x;                                                                  \
        __declspec(property(get = get_y)) unsigned y;                                                                  \
        __declspec(property(get = get_z)) unsigned z;                                                                  \
        __attribute__((device, always_inline, nodebug)) unsigned get_x() const                                         \
        {                                                                                                              \
            return (unsigned)__nvvm_read_ptx_sreg_##sreg##_x();                                                        \
        }                                                                                                              \
        __attribute__((device, always_inline, nodebug)) unsigned get_y() const                                         \
        {                                                                                                              \
            return (unsigned)__nvvm_read_ptx_sreg_##sreg##_y();                                                        \
        }                                                                                                              \
        __attribute__((device, always_inline, nodebug)) unsigned get_z() const                                         \
        {                                                                                                              \
            return (unsigned)__nvvm_read_ptx_sreg_##sreg##_z();                                                        \
        }                                                                                                              \
        __attribute__((device, always_inline, nodebug)) operator whole() const                                         \
        {                                                                                                              \
            return whole{get_x(), get_y(), get_z()};                                                                   \
        }                                                                                                              \
    };                                                                                                                 \
    extern const __device__ __attribute__((weak)) type name;
SIMTLAB_SREG(simtlab_tid, threadIdx, uint3, tid)
SIMTLAB_SREG(simtlab_ntid, blockDim, dim3, ntid)
SIMTLAB_SREG(simtlab_ctaid, blockIdx, uint3, ctaid)
SIMTLAB_SREG(simtlab_nctaid, gridDim, dim3, nctaid)
#undef SIMTLAB_SREG
static const int warpSize = 32;

/* Barriers and fences; __syncthreads() is a builtin of clang's. */
#define SIMTLAB_BARRIER_OF(name, line)                                                                                 \
    SIMTLAB_DEVICE int name(int p)                                                                                     \
    {                                                                                                                  \
        int answer;                                                                                                    \
        asm volatile("{\n\t.reg .pred a, b;\n\tsetp.ne.s32 a, %1, 0;\n\t" line "\n\t}"                                 \
                     : "=r"(answer)                                                                                    \
                     : "r"(p)                                                                                          \
                     : "memory");                                                                                      \
        return answer;                                                                                                 \
    }
SIMTLAB_BARRIER_OF(__syncthreads_count, "bar.red.popc.u32 %0, 0, a;")
SIMTLAB_BARRIER_OF(__syncthreads_and, "bar.red.and.pred b, 0, a;\n\tselp.s32 %0, 1, 0, b;")
SIMTLAB_BARRIER_OF(__syncthreads_or, "bar.red.or.pred b, 0, a;\n\tselp.s32 %0, 1, 0, b;")
#undef SIMTLAB_BARRIER_OF
SIMTLAB_DEVICE void __syncwarp(unsigned mask = 0xffffffffU) { __nvvm_bar_warp_sync(mask); }
SIMTLAB_DEVICE void __threadfence() { __nvvm_membar_gl(); }
SIMTLAB_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
SIMTLAB_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }
SIMTLAB_DEVICE void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }
SIMTLAB_DEVICE void __trap() { __builtin_trap(); }
SIMTLAB_DEVICE void __brkpt() { asm volatile("brkpt;"); }

/* Time and place. */
SIMTLAB_DEVICE long clock() { return (long)__nvvm_read_ptx_sreg_clock(); }
SIMTLAB_DEVICE long long clock64() { return (long long)__nvvm_read_ptx_sreg_clock64(); }
SIMTLAB_DEVICE unsigned long long globaltimer()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

/* Warp-wide exchange. The last operand of the instruction says where segments of `width` lanes end. */
#define SIMTLAB_SHUFFLE(name, kind, lane_type, control)                                                                \
    SIMTLAB_DEVICE int name(unsigned mask, int value, lane_type by, int width = 32)                                    \
    {                                                                                                                  \
        return __nvvm_shfl_sync_##kind##_i32(mask, value, (int)by, ((32 - width) << 8) | control);                     \
    }                                                                                                                  \
    SIMTLAB_DEVICE unsigned name(unsigned mask, unsigned value, lane_type by, int width = 32)                          \
    {                                                                                                                  \
        return (unsigned)name(mask, (int)value, by, width);                                                            \
    }                                                                                                                  \
    SIMTLAB_DEVICE float name(unsigned mask, float value, lane_type by, int width = 32)                                \
    {                                                                                                                  \
        return __nvvm_shfl_sync_##kind##_f32(mask, value, (int)by, ((32 - width) << 8) | control);                     \
    }                                                                                                                  \
    SIMTLAB_DEVICE unsigned long long name(unsigned mask, unsigned long long value, lane_type by, int width = 32)      \
    {                                                                                                                  \
        unsigned low = name(mask, (unsigned)value, by, width);                                                         \
        unsigned high = name(mask, (unsigned)(value >> 32), by, width);                                                \
        return (unsigned long long)high << 32 | low;                                                                   \
    }                                                                                                                  \
    SIMTLAB_DEVICE long long name(unsigned mask, long long value, lane_type by, int width = 32)                        \
    {                                                                                                                  \
        return (long long)name(mask, (unsigned long long)value, by, width);                                            \
    }                                                                                                                  \
    SIMTLAB_DEVICE unsigned long name(unsigned mask, unsigned long value, lane_type by, int width = 32)                \
    {                                                                                                                  \
        return (unsigned long)name(mask, (unsigned long long)value, by, width);                                        \
    }                                                                                                                  \
    SIMTLAB_DEVICE long name(unsigned mask, long value, lane_type by, int width = 32)                                  \
    {                                                                                                                  \
        return (long)name(mask, (unsigned long long)value, by, width);                                                 \
    }                                                                                                                  \
    SIMTLAB_DEVICE double name(unsigned mask, double value, lane_type by, int width = 32)                              \
    {                                                                                                                  \
        return __builtin_bit_cast(double, name(mask, __builtin_bit_cast(unsigned long long, value), by, width));       \
    }
SIMTLAB_SHUFFLE(__shfl_sync, idx, int, 0x1f)
SIMTLAB_SHUFFLE(__shfl_up_sync, up, unsigned, 0)
SIMTLAB_SHUFFLE(__shfl_down_sync, down, unsigned, 0x1f)
SIMTLAB_SHUFFLE(__shfl_xor_sync, bfly, int, 0x1f)
#undef SIMTLAB_SHUFFLE
SIMTLAB_DEVICE unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p != 0); }
SIMTLAB_DEVICE int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p != 0); }
SIMTLAB_DEVICE int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p != 0); }
SIMTLAB_DEVICE int __uni_sync(unsigned mask, int p) { return __nvvm_vote_uni_sync(mask, p != 0); }
SIMTLAB_DEVICE unsigned __activemask()
{
    unsigned mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
#define SIMTLAB_MATCH(T, bits, letter, word)                                                                           \
    SIMTLAB_DEVICE unsigned __match_any_sync(unsigned mask, T value)                                                   \
    {                                                                                                                  \
        unsigned same;                                                                                                 \
        asm volatile("match.any.sync.b" #bits " %0, %1, %2;"                                                           \
                     : "=r"(same)                                                                                      \
                     : letter(__builtin_bit_cast(word, value)), "r"(mask));                                            \
        return same;                                                                                                   \
    }                                                                                                                  \
    SIMTLAB_DEVICE unsigned __match_all_sync(unsigned mask, T value, int *pred)                                        \
    {                                                                                                                  \
        unsigned same;                                                                                                 \
        int all;                                                                                                       \
        asm volatile("{\n\t.reg .pred p;\n\tmatch.all.sync.b" #bits " %0|p, %2, %3;\n\tselp.s32 %1, 1, 0, p;\n\t}"     \
                     : "=r"(same), "=r"(all)                                                                           \
                     : letter(__builtin_bit_cast(word, value)), "r"(mask));                                            \
        *pred = all;                                                                                                   \
        return same;                                                                                                   \
    }
SIMTLAB_MATCH(int, 32, "r", unsigned)
SIMTLAB_MATCH(unsigned, 32, "r", unsigned)
SIMTLAB_MATCH(float, 32, "r", unsigned)
SIMTLAB_MATCH(long, 64, "l", unsigned long)
SIMTLAB_MATCH(unsigned long, 64, "l", unsigned long)
SIMTLAB_MATCH(long long, 64, "l", unsigned long)
SIMTLAB_MATCH(unsigned long long, 64, "l", unsigned long)
SIMTLAB_MATCH(double, 64, "l", unsigned long)
#undef SIMTLAB_MATCH
#define SIMTLAB_REDUCE(name, T, op)                                                                                    \
    SIMTLAB_DEVICE T name(unsigned mask, T value)                                                                      \
    {                                                                                                                  \
        T answer;                                                                                                      \
        asm volatile("redux.sync." op " %0, %1, %2;" : "=r"(answer) : "r"(value), "r"(mask));                          \
        return answer;                                                                                                 \
    }
SIMTLAB_REDUCE(__reduce_add_sync, int, "add.s32")
SIMTLAB_REDUCE(__reduce_add_sync, unsigned, "add.u32")
SIMTLAB_REDUCE(__reduce_min_sync, int, "min.s32")
SIMTLAB_REDUCE(__reduce_min_sync, unsigned, "min.u32")
SIMTLAB_REDUCE(__reduce_max_sync, int, "max.s32")
SIMTLAB_REDUCE(__reduce_max_sync, unsigned, "max.u32")
SIMTLAB_REDUCE(__reduce_and_sync, unsigned, "and.b32")
SIMTLAB_REDUCE(__reduce_or_sync, unsigned, "or.b32")
SIMTLAB_REDUCE(__reduce_xor_sync, unsigned, "xor.b32")
#undef SIMTLAB_REDUCE

/* Atomics: relaxed, the old value back. _block and _system are done device-wide, which is no weaker in a simulation. */
#define SIMTLAB_ATOMIC(name, T, call)                                                                                  \
    SIMTLAB_DEVICE T name(T *p, T v) { return (T)call; }                                                               \
    SIMTLAB_DEVICE T name##_block(T *p, T v) { return (T)call; }                                                       \
    SIMTLAB_DEVICE T name##_system(T *p, T v) { return (T)call; }
#define SIMTLAB_ATOMIC_INT(name, op)                                                                                   \
    SIMTLAB_ATOMIC(name, int, __atomic_fetch_##op(p, v, __ATOMIC_RELAXED))                                             \
    SIMTLAB_ATOMIC(name, unsigned, __atomic_fetch_##op(p, v, __ATOMIC_RELAXED))                                        \
    SIMTLAB_ATOMIC(name, unsigned long long, __atomic_fetch_##op(p, v, __ATOMIC_RELAXED))
SIMTLAB_ATOMIC_INT(atomicAdd, add)
SIMTLAB_ATOMIC(atomicSub, int, __atomic_fetch_sub(p, v, __ATOMIC_RELAXED))
SIMTLAB_ATOMIC(atomicSub, unsigned, __atomic_fetch_sub(p, v, __ATOMIC_RELAXED))
SIMTLAB_ATOMIC_INT(atomicAnd, and)
SIMTLAB_ATOMIC_INT(atomicOr, or)
SIMTLAB_ATOMIC_INT(atomicXor, xor)
SIMTLAB_ATOMIC_INT(atomicMin, min)
SIMTLAB_ATOMIC_INT(atomicMax, max)
SIMTLAB_ATOMIC(atomicMin, long long, __atomic_fetch_min(p, v, __ATOMIC_RELAXED))
SIMTLAB_ATOMIC(atomicMax, long long, __atomic_fetch_max(p, v, __ATOMIC_RELAXED))
SIMTLAB_ATOMIC(atomicAdd, float, __nvvm_atom_add_gen_f(p, v))
SIMTLAB_ATOMIC(atomicAdd, double, __nvvm_atom_add_gen_d(p, v))
SIMTLAB_ATOMIC(atomicInc, unsigned, __nvvm_atom_inc_gen_ui(p, v))
SIMTLAB_ATOMIC(atomicDec, unsigned, __nvvm_atom_dec_gen_ui(p, v))
SIMTLAB_ATOMIC(atomicExch, int, __atomic_exchange_n(p, v, __ATOMIC_RELAXED))
SIMTLAB_ATOMIC(atomicExch, unsigned, __atomic_exchange_n(p, v, __ATOMIC_RELAXED))
SIMTLAB_ATOMIC(atomicExch, unsigned long long, __atomic_exchange_n(p, v, __ATOMIC_RELAXED))
SIMTLAB_ATOMIC(atomicExch, float,
               __builtin_bit_cast(float, __atomic_exchange_n((int *)p, __builtin_bit_cast(int, v), __ATOMIC_RELAXED)))
#undef SIMTLAB_ATOMIC_INT
#undef SIMTLAB_ATOMIC
#define SIMTLAB_CAS(name, T)                                                                                           \
    SIMTLAB_DEVICE T name(T *p, T expected, T v)                                                                       \
    {                                                                                                                  \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                       \
        return expected;                                                                                               \
    }
#define SIMTLAB_CAS_SCOPES(T) SIMTLAB_CAS(atomicCAS, T) SIMTLAB_CAS(atomicCAS_block, T) SIMTLAB_CAS(atomicCAS_system, T)
SIMTLAB_CAS_SCOPES(int)
SIMTLAB_CAS_SCOPES(unsigned)
SIMTLAB_CAS_SCOPES(unsigned long long)
SIMTLAB_DEVICE unsigned short atomicCAS(unsigned short *p, unsigned short expected, unsigned short v)
{
    unsigned short old;
    asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(old) : "l"(p), "h"(expected), "h"(v) : "memory");
    return old;
}
#undef SIMTLAB_CAS_SCOPES
#undef SIMTLAB_CAS

/* Loads through the read-only path. */
template <class T> SIMTLAB_DEVICE T __ldg(const T *p) { return *p; }
#define SIMTLAB_LDG(T, type, letter)                                                                                   \
    SIMTLAB_DEVICE T __ldg(const T *p)                                                                                 \
    {                                                                                                                  \
        T value;                                                                                                       \
        asm("ld.global.nc." type " %0, [%1];" : letter(value) : "l"(__cvta_generic_to_global(p)));                     \
        return value;                                                                                                  \
    }
SIMTLAB_DEVICE size_t __cvta_generic_to_global(const void *p)
{
    return (size_t)(__attribute__((address_space(1))) const void *)p;
}
SIMTLAB_DEVICE size_t __cvta_generic_to_shared(const void *p)
{
    return (size_t)(__attribute__((address_space(3))) const void *)p;
}
SIMTLAB_LDG(int, "s32", "=r")
SIMTLAB_LDG(unsigned, "u32", "=r")
SIMTLAB_LDG(long, "s64", "=l")
SIMTLAB_LDG(unsigned long, "u64", "=l")
SIMTLAB_LDG(long long, "s64", "=l")
SIMTLAB_LDG(unsigned long long, "u64", "=l")
SIMTLAB_LDG(float, "f32", "=f")
SIMTLAB_LDG(double, "f64", "=d")
#undef SIMTLAB_LDG

/* Integer arithmetic. */
#define SIMTLAB_MIN_MAX(R, A, B)                                                                                       \
    SIMTLAB_BOTH R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                                                 \
    SIMTLAB_BOTH R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
#define SIMTLAB_MIN_MAX_OF(T)                                                                                          \
    SIMTLAB_MIN_MAX(T, T, T)                                                                                           \
    SIMTLAB_MIN_MAX(unsigned T, unsigned T, unsigned T)                                                                \
    SIMTLAB_MIN_MAX(unsigned T, T, unsigned T)                                                                         \
    SIMTLAB_MIN_MAX(unsigned T, unsigned T, T)
SIMTLAB_MIN_MAX_OF(int)
SIMTLAB_MIN_MAX_OF(long)
SIMTLAB_MIN_MAX_OF(long long)
#undef SIMTLAB_MIN_MAX_OF
#undef SIMTLAB_MIN_MAX
#define SIMTLAB_MIN_MAX(R, A, B)                                                                                       \
    SIMTLAB_BOTH R min(A a, B b) { return (R)a < (R)b || (R)b != (R)b ? (R)a : (R)b; }                                 \
    SIMTLAB_BOTH R max(A a, B b) { return (R)a > (R)b || (R)b != (R)b ? (R)a : (R)b; }
SIMTLAB_MIN_MAX(double, float, double)
SIMTLAB_MIN_MAX(double, double, float)
#undef SIMTLAB_MIN_MAX
SIMTLAB_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
SIMTLAB_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
SIMTLAB_BOTH double min(double a, double b) { return __builtin_fmin(a, b); }
SIMTLAB_BOTH double max(double a, double b) { return __builtin_fmax(a, b); }
SIMTLAB_DEVICE int abs(int a) { return a < 0 ? -a : a; }
SIMTLAB_DEVICE long abs(long a) { return a < 0 ? -a : a; }
SIMTLAB_DEVICE long long abs(long long a) { return a < 0 ? -a : a; }
SIMTLAB_DEVICE long labs(long a) { return a < 0 ? -a : a; }
SIMTLAB_DEVICE long long llabs(long long a) { return a < 0 ? -a : a; }
SIMTLAB_DEVICE int __popc(unsigned a) { return __builtin_popcount(a); }
SIMTLAB_DEVICE int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
SIMTLAB_DEVICE int __clz(int a) { return a == 0 ? 32 : __builtin_clz((unsigned)a); }
SIMTLAB_DEVICE int __clzll(long long a) { return a == 0 ? 64 : __builtin_clzll((unsigned long long)a); }
SIMTLAB_DEVICE int __ffs(int a) { return a == 0 ? 0 : 32 - __clz(a & -a); }
SIMTLAB_DEVICE int __ffsll(long long a) { return a == 0 ? 0 : 64 - __clzll(a & -a); }
SIMTLAB_DEVICE unsigned __brev(unsigned a) { return __builtin_bitreverse32(a); }
SIMTLAB_DEVICE unsigned long long __brevll(unsigned long long a) { return __builtin_bitreverse64(a); }
SIMTLAB_DEVICE int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
SIMTLAB_DEVICE unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
SIMTLAB_DEVICE long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
SIMTLAB_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
#define SIMTLAB_ASM3(name, R, A, B, C, line)                                                                           \
    SIMTLAB_DEVICE R name(A a, B b, C c)                                                                               \
    {                                                                                                                  \
        R answer;                                                                                                      \
        asm(line " %0, %1, %2, %3;" : "=r"(answer) : "r"(a), "r"(b), "r"(c));                                          \
        return answer;                                                                                                 \
    }
SIMTLAB_ASM3(__byte_perm, unsigned, unsigned, unsigned, unsigned, "prmt.b32")
SIMTLAB_ASM3(__funnelshift_l, unsigned, unsigned, unsigned, unsigned, "shf.l.wrap.b32")
SIMTLAB_ASM3(__funnelshift_lc, unsigned, unsigned, unsigned, unsigned, "shf.l.clamp.b32")
SIMTLAB_ASM3(__funnelshift_r, unsigned, unsigned, unsigned, unsigned, "shf.r.wrap.b32")
SIMTLAB_ASM3(__funnelshift_rc, unsigned, unsigned, unsigned, unsigned, "shf.r.clamp.b32")
SIMTLAB_ASM3(__sad, unsigned, int, int, unsigned, "sad.s32")
SIMTLAB_ASM3(__usad, unsigned, unsigned, unsigned, unsigned, "sad.u32")
SIMTLAB_ASM3(__dp4a, int, int, int, int, "dp4a.s32.s32")
SIMTLAB_ASM3(__dp4a, unsigned, unsigned, unsigned, unsigned, "dp4a.u32.u32")
#undef SIMTLAB_ASM3
#define SIMTLAB_ASM2(name, R, A, B, line)                                                                              \
    SIMTLAB_DEVICE R name(A a, B b)                                                                                    \
    {                                                                                                                  \
        R answer;                                                                                                      \
        asm(line " %0, %1, %2;" : "=r"(answer) : "r"(a), "r"(b));                                                      \
        return answer;                                                                                                 \
    }
SIMTLAB_ASM2(__mul24, int, int, int, "mul24.lo.s32")
SIMTLAB_ASM2(__umul24, unsigned, unsigned, unsigned, "mul24.lo.u32")
#undef SIMTLAB_ASM2
SIMTLAB_DEVICE int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
SIMTLAB_DEVICE int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
SIMTLAB_DEVICE unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }

/* Bits of floating-point numbers. */
SIMTLAB_DEVICE float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
SIMTLAB_DEVICE int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
SIMTLAB_DEVICE float __uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
SIMTLAB_DEVICE unsigned __float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
SIMTLAB_DEVICE double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
SIMTLAB_DEVICE long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
SIMTLAB_DEVICE int __double2hiint(double a) { return (int)(__double_as_longlong(a) >> 32); }
SIMTLAB_DEVICE int __double2loint(double a) { return (int)__double_as_longlong(a); }
SIMTLAB_DEVICE double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

/* One instruction each, in the four rounding modes. */
#define SIMTLAB_ROUNDED(mode)                                                                                          \
    SIMTLAB_FLOAT2(__fadd_##mode, float, "f", "add." #mode ".f32")                                                     \
    SIMTLAB_FLOAT2(__fsub_##mode, float, "f", "sub." #mode ".f32")                                                     \
    SIMTLAB_FLOAT2(__fmul_##mode, float, "f", "mul." #mode ".f32")                                                     \
    SIMTLAB_FLOAT2(__fdiv_##mode, float, "f", "div." #mode ".f32")                                                     \
    SIMTLAB_FLOAT2(__dadd_##mode, double, "d", "add." #mode ".f64")                                                    \
    SIMTLAB_FLOAT2(__dsub_##mode, double, "d", "sub." #mode ".f64")                                                    \
    SIMTLAB_FLOAT2(__dmul_##mode, double, "d", "mul." #mode ".f64")                                                    \
    SIMTLAB_FLOAT2(__ddiv_##mode, double, "d", "div." #mode ".f64")                                                    \
    SIMTLAB_FLOAT3(__fmaf_##mode, float, "f", "fma." #mode ".f32")                                                     \
    SIMTLAB_FLOAT3(__fma_##mode, double, "d", "fma." #mode ".f64")                                                     \
    SIMTLAB_UNARY(__fsqrt_##mode, float, "=f", float, "f", "sqrt." #mode ".f32")                                       \
    SIMTLAB_UNARY(__frcp_##mode, float, "=f", float, "f", "rcp." #mode ".f32")                                         \
    SIMTLAB_UNARY(__dsqrt_##mode, double, "=d", double, "d", "sqrt." #mode ".f64")                                     \
    SIMTLAB_UNARY(__drcp_##mode, double, "=d", double, "d", "rcp." #mode ".f64")                                       \
    SIMTLAB_UNARY(__double2float_##mode, float, "=f", double, "d", "cvt." #mode ".f32.f64")                            \
    SIMTLAB_UNARY(__int2float_##mode, float, "=f", int, "r", "cvt." #mode ".f32.s32")                                  \
    SIMTLAB_UNARY(__uint2float_##mode, float, "=f", unsigned, "r", "cvt." #mode ".f32.u32")                            \
    SIMTLAB_UNARY(__ll2float_##mode, float, "=f", long long, "l", "cvt." #mode ".f32.s64")                             \
    SIMTLAB_UNARY(__ull2float_##mode, float, "=f", unsigned long long, "l", "cvt." #mode ".f32.u64")                   \
    SIMTLAB_UNARY(__ll2double_##mode, double, "=d", long long, "l", "cvt." #mode ".f64.s64")                           \
    SIMTLAB_UNARY(__ull2double_##mode, double, "=d", unsigned long long, "l", "cvt." #mode ".f64.u64")                 \
    SIMTLAB_UNARY(__float2int_##mode, int, "=r", float, "f", "cvt." #mode "i.s32.f32")                                 \
    SIMTLAB_UNARY(__float2uint_##mode, unsigned, "=r", float, "f", "cvt." #mode "i.u32.f32")                           \
    SIMTLAB_UNARY(__float2ll_##mode, long long, "=l", float, "f", "cvt." #mode "i.s64.f32")                            \
    SIMTLAB_UNARY(__float2ull_##mode, unsigned long long, "=l", float, "f", "cvt." #mode "i.u64.f32")                  \
    SIMTLAB_UNARY(__double2int_##mode, int, "=r", double, "d", "cvt." #mode "i.s32.f64")                               \
    SIMTLAB_UNARY(__double2uint_##mode, unsigned, "=r", double, "d", "cvt." #mode "i.u32.f64")                         \
    SIMTLAB_UNARY(__double2ll_##mode, long long, "=l", double, "d", "cvt." #mode "i.s64.f64")                          \
    SIMTLAB_UNARY(__double2ull_##mode, unsigned long long, "=l", double, "d", "cvt." #mode "i.u64.f64")
#define SIMTLAB_UNARY(name, R, out, A, in, line)                                                                       \
    SIMTLAB_DEVICE R name(A a)                                                                                         \
    {                                                                                                                  \
        R answer;                                                                                                      \
        asm(line " %0, %1;" : out(answer) : in(a));                                                                    \
        return answer;                                                                                                 \
    }
#define SIMTLAB_FLOAT2(name, T, letter, line)                                                                          \
    SIMTLAB_DEVICE T name(T a, T b)                                                                                    \
    {                                                                                                                  \
        T answer;                                                                                                      \
        asm(line " %0, %1, %2;" : "=" letter(answer) : letter(a), letter(b));                                          \
        return answer;                                                                                                 \
    }
#define SIMTLAB_FLOAT3(name, T, letter, line)                                                                          \
    SIMTLAB_DEVICE T name(T a, T b, T c)                                                                               \
    {                                                                                                                  \
        T answer;                                                                                                      \
        asm(line " %0, %1, %2, %3;" : "=" letter(answer) : letter(a), letter(b), letter(c));                           \
        return answer;                                                                                                 \
    }
SIMTLAB_ROUNDED(rn)
SIMTLAB_ROUNDED(rz)
SIMTLAB_ROUNDED(rm)
SIMTLAB_ROUNDED(rp)
SIMTLAB_DEVICE float __fadd_ru(float a, float b) { return __fadd_rp(a, b); }
SIMTLAB_DEVICE float __fadd_rd(float a, float b) { return __fadd_rm(a, b); }
SIMTLAB_DEVICE float __fmul_ru(float a, float b) { return __fmul_rp(a, b); }
SIMTLAB_DEVICE float __fmul_rd(float a, float b) { return __fmul_rm(a, b); }
SIMTLAB_DEVICE int __float2int_ru(float a) { return __float2int_rp(a); }
SIMTLAB_DEVICE int __float2int_rd(float a) { return __float2int_rm(a); }
SIMTLAB_DEVICE unsigned __float2uint_ru(float a) { return __float2uint_rp(a); }
SIMTLAB_DEVICE unsigned __float2uint_rd(float a) { return __float2uint_rm(a); }
SIMTLAB_DEVICE int __double2int_ru(double a) { return __double2int_rp(a); }
SIMTLAB_DEVICE int __double2int_rd(double a) { return __double2int_rm(a); }
SIMTLAB_DEVICE double __int2double_rn(int a) { return a; }
SIMTLAB_DEVICE double __uint2double_rn(unsigned a) { return a; }

/* The approximate instructions. */
SIMTLAB_UNARY(__frsqrt_rn, float, "=f", float, "f", "rsqrt.approx.f32")
SIMTLAB_UNARY(rsqrtf, float, "=f", float, "f", "rsqrt.approx.f32")
SIMTLAB_UNARY(simtlab_ex2, float, "=f", float, "f", "ex2.approx.f32")
SIMTLAB_UNARY(simtlab_lg2, float, "=f", float, "f", "lg2.approx.f32")
SIMTLAB_UNARY(__sinf, float, "=f", float, "f", "sin.approx.f32")
SIMTLAB_UNARY(__cosf, float, "=f", float, "f", "cos.approx.f32")
SIMTLAB_UNARY(__saturatef, float, "=f", float, "f", "cvt.sat.f32.f32")
SIMTLAB_FLOAT2(__fdividef, float, "f", "div.approx.f32")
#undef SIMTLAB_ROUNDED
#undef SIMTLAB_UNARY
#undef SIMTLAB_FLOAT2
#undef SIMTLAB_FLOAT3
SIMTLAB_DEVICE float __tanf(float a) { return __fdividef(__sinf(a), __cosf(a)); }
SIMTLAB_DEVICE float __expf(float a) { return simtlab_ex2(a * 0x1.715476p+0f); }
SIMTLAB_DEVICE float __exp10f(float a) { return simtlab_ex2(a * 0x1.a934fp+1f); }
SIMTLAB_DEVICE float __log2f(float a) { return simtlab_lg2(a); }
SIMTLAB_DEVICE float __logf(float a) { return simtlab_lg2(a) * 0x1.62e43p-1f; }
SIMTLAB_DEVICE float __log10f(float a) { return simtlab_lg2(a) * 0x1.344136p-2f; }
SIMTLAB_DEVICE float __powf(float a, float b) { return simtlab_ex2(b * simtlab_lg2(a)); }
SIMTLAB_DEVICE void __sincosf(float a, float *s, float *c)
{
    *s = __sinf(a);
    *c = __cosf(a);
}

/* Functions that are an instruction or two. */
#define SIMTLAB_MATH1(name) /* float and double, as C and as C++ name them */                                          \
    SIMTLAB_DEVICE float name##f(float a) { return __builtin_##name##f(a); }                                           \
    SIMTLAB_DEVICE float name(float a) { return __builtin_##name##f(a); }                                              \
    SIMTLAB_DEVICE double name(double a) { return __builtin_##name(a); }
SIMTLAB_MATH1(fabs)
SIMTLAB_MATH1(floor)
SIMTLAB_MATH1(ceil)
SIMTLAB_MATH1(trunc)
SIMTLAB_MATH1(rint)
SIMTLAB_MATH1(nearbyint)
#undef SIMTLAB_MATH1
SIMTLAB_DEVICE float abs(float a) { return __builtin_fabsf(a); }
SIMTLAB_DEVICE double abs(double a) { return __builtin_fabs(a); }
SIMTLAB_DEVICE float sqrtf(float a) { return __fsqrt_rn(a); }
SIMTLAB_DEVICE float sqrt(float a) { return __fsqrt_rn(a); }
SIMTLAB_DEVICE double sqrt(double a) { return __dsqrt_rn(a); }
SIMTLAB_DEVICE double rsqrt(double a) { return 1.0 / __dsqrt_rn(a); }
SIMTLAB_DEVICE float rsqrt(float a) { return rsqrtf(a); }
SIMTLAB_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SIMTLAB_DEVICE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SIMTLAB_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
SIMTLAB_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
SIMTLAB_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
SIMTLAB_DEVICE float fmin(float a, float b) { return __builtin_fminf(a, b); }
SIMTLAB_DEVICE float fmax(float a, float b) { return __builtin_fmaxf(a, b); }
SIMTLAB_DEVICE double fmin(double a, double b) { return __builtin_fmin(a, b); }
SIMTLAB_DEVICE double fmax(double a, double b) { return __builtin_fmax(a, b); }
SIMTLAB_DEVICE float fdimf(float a, float b) { return a <= b ? 0 : a - b; }
SIMTLAB_DEVICE double fdim(double a, double b) { return a <= b ? 0 : a - b; }
SIMTLAB_DEVICE float fdividef(float a, float b) { return a / b; }
SIMTLAB_DEVICE float copysignf(float a, float b)
{
    return __int_as_float((__float_as_int(a) & 0x7fffffff) | (__float_as_int(b) & (int)0x80000000));
}
SIMTLAB_DEVICE double copysign(double a, double b)
{
    unsigned long long sign = 1ULL << 63;
    unsigned long long bits = ((unsigned long long)__double_as_longlong(a) & ~sign);
    return __longlong_as_double((long long)(bits | ((unsigned long long)__double_as_longlong(b) & sign)));
}
SIMTLAB_DEVICE float roundf(float a)
{
    float t = truncf(a);
    return copysignf(fabsf(a - t) >= 0.5f ? t + copysignf(1, a) : t, a);
}
SIMTLAB_DEVICE double round(double a)
{
    double t = trunc(a);
    return copysign(fabs(a - t) >= 0.5 ? t + copysign(1, a) : t, a);
}
SIMTLAB_DEVICE float round(float a) { return roundf(a); }
SIMTLAB_DEVICE long lroundf(float a) { return (long)roundf(a); }
SIMTLAB_DEVICE long lround(double a) { return (long)round(a); }
SIMTLAB_DEVICE long lrintf(float a) { return (long)rintf(a); }
SIMTLAB_DEVICE long lrint(double a) { return (long)rint(a); }
SIMTLAB_DEVICE bool simtlab_isnan(double a) { return a != a; }
SIMTLAB_DEVICE bool simtlab_isinf(double a) { return __builtin_fabs(a) == __builtin_huge_val(); }
SIMTLAB_DEVICE bool isnan(float a) { return a != a; }
SIMTLAB_DEVICE bool isnan(double a) { return a != a; }
SIMTLAB_DEVICE bool isinf(float a) { return __builtin_fabsf(a) == __builtin_huge_valf(); }
SIMTLAB_DEVICE bool isinf(double a) { return __builtin_fabs(a) == __builtin_huge_val(); }
SIMTLAB_DEVICE bool isfinite(float a) { return __builtin_fabsf(a) < __builtin_huge_valf(); }
SIMTLAB_DEVICE bool isfinite(double a) { return __builtin_fabs(a) < __builtin_huge_val(); }
SIMTLAB_DEVICE bool signbit(float a) { return __float_as_int(a) < 0; }
SIMTLAB_DEVICE bool signbit(double a) { return __double_as_longlong(a) < 0; }

/* Exponents. 2^n is put together from two factors, so that results below the normal range round once. */
SIMTLAB_DEVICE float simtlab_scalef(float a, int n)
{
    int half = n >> 1;
    return a * __int_as_float((half + 127) << 23) * __int_as_float((n - half + 127) << 23);
}
SIMTLAB_DEVICE double simtlab_scale(double a, int n)
{
    int half = n >> 1;
    return a * __longlong_as_double((long long)(half + 1023) << 52) *
           __longlong_as_double((long long)(n - half + 1023) << 52);
}
SIMTLAB_DEVICE double ldexp(double a, int n)
{
    while (n > 1000 || n < -1000) { /* far from the middle, in steps: at most a few are of use */
        int step = n > 0 ? 1000 : -1000;
        a = simtlab_scale(a, step);
        n = a == 0 || simtlab_isinf(a) || simtlab_isnan(a) ? 0 : n - step;
    }
    return simtlab_scale(a, n);
}
SIMTLAB_DEVICE float ldexpf(float a, int n) { return (float)ldexp((double)a, n); }
SIMTLAB_DEVICE float scalbnf(float a, int n) { return ldexpf(a, n); }
SIMTLAB_DEVICE double scalbn(double a, int n) { return ldexp(a, n); }
SIMTLAB_DEVICE double frexp(double a, int *exponent)
{
    *exponent = 0;
    if (a == 0 || !isfinite(a))
        return a;
    int shift = fabs(a) < 0x1p-1022 ? 54 : 0;
    unsigned long long bits = (unsigned long long)__double_as_longlong(shift ? a * 0x1p54 : a);
    *exponent = (int)(bits >> 52 & 0x7ff) - 1022 - shift;
    return __longlong_as_double((long long)((bits & 0x800fffffffffffffULL) | 0x3fe0000000000000ULL));
}
SIMTLAB_DEVICE float frexpf(float a, int *exponent) { return (float)frexp((double)a, exponent); }
SIMTLAB_DEVICE double modf(double a, double *whole)
{
    *whole = trunc(a);
    return copysign(isinf(a) ? 0 : a - *whole, a);
}
SIMTLAB_DEVICE float modff(float a, float *whole)
{
    *whole = truncf(a);
    return copysignf(isinf(a) ? 0 : a - *whole, a);
}
SIMTLAB_DEVICE double fmod(double a, double b) /* exact: doublings of the divisor taken away from the top down */
{
    double x = fabs(a), y = fabs(b);
    if (!(x < __builtin_huge_val()) || !(y > 0))
        return __builtin_nan("");
    while (x >= y) {
        int ex, ey;
        frexp(x, &ex);
        frexp(y, &ey);
        double t = ldexp(y, ex - ey);
        x -= t > x ? t / 2 : t;
    }
    return copysign(x, a);
}
SIMTLAB_DEVICE float fmodf(float a, float b) { return (float)fmod((double)a, (double)b); }

/* Exponentials and logarithms. */
SIMTLAB_DEVICE float exp2f(float a) { return simtlab_ex2(a); }
SIMTLAB_DEVICE float expf(float a)
{
    a = a < -105 ? -105 : a > 89 ? 89 : a;
    float n = rintf(a * 0x1.715476p+0f);
    float r = fmaf(n, -0x1.7f7d1cp-20f, fmaf(n, -0x1.62e4p-1f, a));
    return simtlab_scalef(simtlab_ex2(r * 0x1.715476p+0f), (int)n);
}
SIMTLAB_DEVICE float exp10f(float a)
{
    a = a < -46 ? -46 : a > 39 ? 39 : a;
    float n = rintf(a * 0x1.a934fp+1f);
    float r = fmaf(n, -0x1.3509f8p-18f, fmaf(n, -0x1.344p-2f, a)); /* log10(2) in two parts */
    return simtlab_scalef(simtlab_ex2(r * 0x1.a934fp+1f), (int)n);
}
/* a = 2^n m with m in [sqrt(1/2), sqrt(2)); returns log(m) = 2 atanh((m - 1) / (m + 1)). */
SIMTLAB_DEVICE float simtlab_log_part(float a, float *n)
{
    float small = a < 0x1p-126f ? 23.0f : 0.0f;
    int bits = __float_as_int(small != 0 ? a * 0x1p23f : a);
    int k = (bits - 0x3f3504f3) >> 23;
    *n = (float)k - small;
    float f = __int_as_float(bits - (k << 23)) - 1;
    float s = f / (2 + f), z = s * s, h = 0.5f * f * f;
    float r = z * fmaf(z, fmaf(z, fmaf(z, 2.0f / 9, 2.0f / 7), 2.0f / 5), 2.0f / 3);
    return f - (h - s * (h + r));
}
/* What all logarithms give for arguments outside (0, inf). */
SIMTLAB_DEVICE float simtlab_log_odd(float a)
{
    return a == 0 ? -__builtin_huge_valf() : a > 0 || a != a ? a : __builtin_nanf("");
}
SIMTLAB_DEVICE float logf(float a)
{
    float n, r = simtlab_log_part(a, &n);
    return a > 0 && isfinite(a) ? fmaf(n, 0x1.62e4p-1f, fmaf(n, 0x1.7f7d1cp-20f, r)) : simtlab_log_odd(a);
}
SIMTLAB_DEVICE float log2f(float a)
{
    float n, r = simtlab_log_part(a, &n);
    return a > 0 && isfinite(a) ? n + fmaf(r, 0x1.715476p+0f, r * 0x1.4ae0cp-26f) : simtlab_log_odd(a);
}
SIMTLAB_DEVICE float log10f(float a)
{
    float n, r = simtlab_log_part(a, &n);
    return a > 0 && isfinite(a) ? fmaf(n, 0x1.344136p-2f, r * 0x1.bcb7b2p-2f) : simtlab_log_odd(a);
}
/* exp(a + tail) for |a| within the range of double's exponents, by the Taylor series. */
SIMTLAB_DEVICE double simtlab_exp(double a, double tail)
{
    a = a < -746 ? -746 : a > 710 ? 710 : a;
    double n = rint(a * 0x1.71547652b82fep+0);
    double r = fma(n, -0x1.abc9e3b39803fp-56, fma(n, -0x1.62e42fefa39efp-1, a)) + tail;
    double p = 1.0 / 6227020800;
    p = fma(p, r, 1.0 / 479001600);
    p = fma(p, r, 1.0 / 39916800);
    p = fma(p, r, 1.0 / 3628800);
    p = fma(p, r, 1.0 / 362880);
    p = fma(p, r, 1.0 / 40320);
    p = fma(p, r, 1.0 / 5040);
    p = fma(p, r, 1.0 / 720);
    p = fma(p, r, 1.0 / 120);
    p = fma(p, r, 1.0 / 24);
    p = fma(p, r, 1.0 / 6);
    p = fma(p, r, 0.5);
    p = fma(p, r * r, r);
    return simtlab_scale(1 + p, (int)n);
}
SIMTLAB_DEVICE double exp(double a) { return simtlab_exp(a, 0); }
SIMTLAB_DEVICE double exp2(double a)
{
    double n = a < -1100 ? -1100 : a > 1100 ? 1100 : rint(a);
    return isfinite(a) ? simtlab_scale(simtlab_exp((a - n) * 0x1.62e42fefa39efp-1, 0), (int)n) : simtlab_exp(a, 0);
}
SIMTLAB_DEVICE double expm1(double a)
{
    if (!(fabs(a) < 0.35))
        return exp(a) - 1;
    double p = 1.0 / 87178291200, k = 13;
    for (double f = 1.0 / 6227020800; k >= 1; f *= k, k -= 1)
        p = fma(p, a, f);
    return p * a;
}
SIMTLAB_DEVICE double exp10(double a)
{
    double high = __dmul_rn(a, 0x1.26bb1bbb55516p+1);
    return simtlab_exp(high, isfinite(high) ? fma(a, 0x1.26bb1bbb55516p+1, -high) - a * 0x1.f48ad494ea3e9p-53 : 0);
}
/* log(a) for a positive finite one, as the sum of the result and *tail. */
SIMTLAB_DEVICE double simtlab_log(double a, double *tail)
{
    int k;
    double m = frexp(a, &k);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        k--;
    }
    double n = k, f = m - 1, d = __dadd_rn(m, 1), s = f / d;
    double low = (fma(-s, d, f) - s * (m - __dsub_rn(d, 1))) / d; /* what s and d lost to rounding */
    double z = s * s, p = 2.0 / 23;
    p = fma(p, z, 2.0 / 21);
    p = fma(p, z, 2.0 / 19);
    p = fma(p, z, 2.0 / 17);
    p = fma(p, z, 2.0 / 15);
    p = fma(p, z, 2.0 / 13);
    p = fma(p, z, 2.0 / 11);
    p = fma(p, z, 2.0 / 9);
    p = fma(p, z, 2.0 / 7);
    p = fma(p, z, 2.0 / 5);
    p = fma(p, z, 2.0 / 3);
    double base = __dmul_rn(n, 0x1.62e42fefa3p-1); /* exact: the constant has spare bits */
    double sum = __dadd_rn(base, 2 * s);
    double rest = n != 0 ? __dsub_rn(2 * s, __dsub_rn(sum, base)) : 0;
    rest += fma(s * z, p, 2 * low) + n * 0x1.3de6af278ece6p-42;
    double result = __dadd_rn(sum, rest);
    *tail = __dsub_rn(rest, __dsub_rn(result, sum));
    return result;
}
SIMTLAB_DEVICE bool simtlab_log_ok(double a) { return a > 0 && a < __builtin_huge_val(); }
SIMTLAB_DEVICE double simtlab_log_odd(double a)
{
    return a == 0 ? -__builtin_huge_val() : a > 0 || a != a ? a : __builtin_nan("");
}
SIMTLAB_DEVICE double log(double a)
{
    double tail;
    return simtlab_log_ok(a) ? simtlab_log(a, &tail) : simtlab_log_odd(a);
}
SIMTLAB_DEVICE double log2(double a)
{
    if (!simtlab_log_ok(a))
        return simtlab_log_odd(a);
    int k;
    double m = frexp(a, &k), tail; /* the exponent apart, so that powers of two come out whole */
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        k--;
    }
    double r = simtlab_log(m, &tail);
    return k + fma(r, 0x1.71547652b82fep+0, fma(r, 0x1.777d0ffda0d24p-56, tail * 0x1.71547652b82fep+0));
}
SIMTLAB_DEVICE double log10(double a)
{
    if (!simtlab_log_ok(a))
        return simtlab_log_odd(a);
    double tail, r = simtlab_log(a, &tail);
    return fma(r, 0x1.bcb7b1526e50ep-2, fma(r, 0x1.95355baaafad3p-57, tail * 0x1.bcb7b1526e50ep-2));
}
SIMTLAB_DEVICE double log1p(double a)
{
    double u = __dadd_rn(1, a);
    if (u == 1 || !simtlab_log_ok(u))
        return u == 1 ? a : simtlab_log_odd(u);
    return log(u) + __dsub_rn(a, __dsub_rn(u, 1)) / u;
}
SIMTLAB_DEVICE double pow(double a, double b)
{
    bool whole = trunc(b) == b, odd = whole && fabs(b) < 0x1p53 && ((long long)b & 1) != 0;
    if (b == 0 || a == 1)
        return 1;
    if (a != a || b != b)
        return a + b;
    double magnitude = fabs(a), sign = odd ? copysign(1, a) : 1;
    if (simtlab_isinf(b))
        return magnitude == 1 ? 1 : (magnitude > 1) == (b > 0) ? __builtin_huge_val() : 0;
    if (magnitude == 0 || simtlab_isinf(a))
        return sign * ((magnitude == 0) == (b > 0) ? 0 : __builtin_huge_val());
    if (a < 0 && !whole)
        return __builtin_nan("");
    double tail, high = simtlab_log(magnitude, &tail), product = __dmul_rn(b, high);
    if (fabs(product) > 800)
        return sign * simtlab_exp(product, 0);
    return sign * simtlab_exp(product, fma(b, high, -product) + b * tail);
}
SIMTLAB_DEVICE float powf(float a, float b) { return (float)pow((double)a, (double)b); }
SIMTLAB_DEVICE double cbrt(double a)
{
    if (a == 0 || !isfinite(a))
        return a;
    double x = fabs(a), t, r = exp(simtlab_log(x, &t) / 3);
    r -= (r * r * r - x) / (3 * r * r);
    return copysign(r, a);
}
SIMTLAB_DEVICE double hypot(double a, double b)
{
    double x = fabs(a), y = fabs(b), high = x > y ? x : y, low = x > y ? y : x;
    if (simtlab_isinf(x) || simtlab_isinf(y))
        return __builtin_huge_val();
    if (high == 0 || high != high)
        return x + y;
    double ratio = low / high;
    return high * sqrt(fma(ratio, ratio, 1));
}

/* Circular functions: the argument less the nearest multiple n of pi/2, n modulo 4 choosing the function. */
static __device__ const unsigned long long simtlab_two_over_pi[22] = { /* after 64 zero bits */
    0, 0xa2f9836e4e441529ULL, 0xfc2757d1f534ddc0ULL, 0xdb6295993c439041ULL, 0xfe5163abdebbc561ULL,
    0xb7246e3a424dd2e0ULL, 0x06492eea09d1921cULL, 0xfe1deb1cb129a73eULL, 0xe88235f52ebb4484ULL,
    0xe99c7026b45f7e41ULL, 0x3991d639835339f4ULL, 0x9c845f8bbdf9283bULL, 0x1ff897ffde05980fULL,
    0xef2f118b5a0a6d1fULL, 0x6d367ecf27cb09b7ULL, 0x4f463f669e5fea2dULL, 0x7527bac7ebe5f17bULL,
    0x3d0739f78a5292eaULL, 0x6bfb5fb11f8d5d08ULL, 0x56033046fc7b6babULL, 0xf0cfbc209af4361dULL, 0};
/* For arguments too large for the short way: 192 bits of 2/pi where they matter (Payne and Hanek). */
static __device__ __attribute__((noinline, nodebug, unused)) double simtlab_reduce_far(double a, int *n)
{
    unsigned long long bits = (unsigned long long)__double_as_longlong(fabs(a));
    unsigned long long m = (bits & 0xfffffffffffffULL) | 0x10000000000000ULL;
    int from = (int)(bits >> 52) - 1075 - 2 + 64, word = from >> 6, shift = from & 63;
    unsigned long long w[3], top;
    for (int i = 0; i < 3; i++) {
        w[i] = simtlab_two_over_pi[word + i] << shift;
        if (shift != 0)
            w[i] |= simtlab_two_over_pi[word + i + 1] >> (64 - shift);
    }
    unsigned long long low = m * w[2], carry = __umul64hi(m, w[2]), middle = m * w[1] + carry;
    top = m * w[0] + __umul64hi(m, w[1]) + (middle < carry);
    *n = (int)(top >> 62);
    top = top << 2 | middle >> 62; /* now a fraction of pi/2 */
    middle = middle << 2 | low >> 62;
    bool negative = (long long)top < 0;
    if (negative) {
        *n += 1;
        top = ~top;
        middle = ~middle;
    }
    if (top == 0 && middle == 0)
        return 0;
    int zeros = top != 0 ? __clzll((long long)top) : 64 + __clzll((long long)middle);
    unsigned long long lead = zeros >= 64 ? middle << (zeros - 64)
                              : zeros > 0 ? top << zeros | middle >> (64 - zeros)
                                          : top;
    double r = simtlab_scale((double)lead * 0x1.921fb54442d18p+0, -64 - zeros);
    if (a < 0)
        *n = -*n;
    return negative != (a < 0) ? -r : r;
}
SIMTLAB_DEVICE double simtlab_reduce(double a, int *n)
{
    if (!(fabs(a) < __builtin_huge_val())) {
        *n = 0;
        return __builtin_nan("");
    }
    if (fabs(a) > 100000.0)
        return simtlab_reduce_far(a, n);
    double k = rint(a * 0x1.45f306dc9c883p-1);
    *n = (int)k;
    return fma(k, 0x1.f1976b7ed8fbcp-110, fma(k, -0x1.1a62633145c07p-54, fma(k, -0x1.921fb54442d18p+0, a)));
}
SIMTLAB_DEVICE double simtlab_sin_part(double r)
{
    double z = r * r, p = 1.0 / 355687428096000;
    p = fma(p, z, -1.0 / 1307674368000);
    p = fma(p, z, 1.0 / 6227020800);
    p = fma(p, z, -1.0 / 39916800);
    p = fma(p, z, 1.0 / 362880);
    p = fma(p, z, -1.0 / 5040);
    p = fma(p, z, 1.0 / 120);
    p = fma(p, z, -1.0 / 6);
    return fma(p * z, r, r);
}
SIMTLAB_DEVICE double simtlab_cos_part(double r)
{
    double z = r * r, p = -1.0 / 6402373705728000;
    p = fma(p, z, 1.0 / 20922789888000);
    p = fma(p, z, -1.0 / 87178291200);
    p = fma(p, z, 1.0 / 479001600);
    p = fma(p, z, -1.0 / 3628800);
    p = fma(p, z, 1.0 / 40320);
    p = fma(p, z, -1.0 / 720);
    p = fma(p, z, 1.0 / 24);
    p = fma(p, z, -0.5);
    return fma(p, z, 1);
}
SIMTLAB_DEVICE double simtlab_quadrant(double r, int n)
{
    double v = (n & 1) != 0 ? simtlab_cos_part(r) : simtlab_sin_part(r);
    return (n & 2) != 0 ? -v : v;
}
SIMTLAB_DEVICE double sin(double a)
{
    int n;
    double r = simtlab_reduce(a, &n);
    return simtlab_quadrant(r, n);
}
SIMTLAB_DEVICE double cos(double a)
{
    int n;
    double r = simtlab_reduce(a, &n);
    return simtlab_quadrant(r, n + 1);
}
SIMTLAB_DEVICE double tan(double a)
{
    int n;
    double r = simtlab_reduce(a, &n), s = simtlab_sin_part(r), c = simtlab_cos_part(r);
    return (n & 1) != 0 ? -c / s : s / c;
}
SIMTLAB_DEVICE float simtlab_reduce(float a, int *n)
{
    if (!(fabsf(a) <= 100000.0f))
        return (float)simtlab_reduce((double)a, n);
    float k = rintf(a * 0x1.45f306p-1f);
    *n = (int)k;
    return fmaf(k, 0x1.ee59dap-50f, fmaf(k, 0x1.777a5cp-25f, fmaf(k, -0x1.921fb6p+0f, a)));
}
SIMTLAB_DEVICE float simtlab_sin_part(float r)
{
    float z = r * r;
    return fmaf(fmaf(fmaf(fmaf(z, 1.0f / 362880, -1.0f / 5040), z, 1.0f / 120), z, -1.0f / 6) * z, r, r);
}
SIMTLAB_DEVICE float simtlab_cos_part(float r)
{
    float z = r * r;
    return fmaf(fmaf(fmaf(fmaf(fmaf(z, -1.0f / 3628800, 1.0f / 40320), z, -1.0f / 720), z, 1.0f / 24), z, -0.5f), z, 1);
}
SIMTLAB_DEVICE float simtlab_quadrant(float r, int n)
{
    float v = (n & 1) != 0 ? simtlab_cos_part(r) : simtlab_sin_part(r);
    return (n & 2) != 0 ? -v : v;
}
SIMTLAB_DEVICE float sinf(float a)
{
    int n;
    float r = simtlab_reduce(a, &n);
    return simtlab_quadrant(r, n);
}
SIMTLAB_DEVICE float cosf(float a)
{
    int n;
    float r = simtlab_reduce(a, &n);
    return simtlab_quadrant(r, n + 1);
}
SIMTLAB_DEVICE float tanf(float a)
{
    int n;
    float r = simtlab_reduce(a, &n), s = simtlab_sin_part(r), c = simtlab_cos_part(r);
    return (n & 1) != 0 ? -c / s : s / c;
}
SIMTLAB_DEVICE void sincosf(float a, float *s, float *c)
{
    int n;
    float r = simtlab_reduce(a, &n);
    *s = simtlab_quadrant(r, n);
    *c = simtlab_quadrant(r, n + 1);
}
SIMTLAB_DEVICE void sincos(double a, double *s, double *c)
{
    int n;
    double r = simtlab_reduce(a, &n);
    *s = simtlab_quadrant(r, n);
    *c = simtlab_quadrant(r, n + 1);
}
SIMTLAB_DEVICE double sinpi(double a)
{
    double n = rint(2 * a);
    return simtlab_quadrant((a - n / 2) * 0x1.921fb54442d18p+1, isfinite(a) ? (int)(long long)fmod(n, 4) : 0);
}
SIMTLAB_DEVICE double cospi(double a)
{
    double n = rint(2 * a);
    return simtlab_quadrant((a - n / 2) * 0x1.921fb54442d18p+1, (isfinite(a) ? (int)(long long)fmod(n, 4) : 0) + 1);
}
SIMTLAB_DEVICE double atan(double a)
{
    double x = fabs(a), y = x > 1 ? 1 / x : x;
    y = y / (1 + sqrt(fma(y, y, 1))); /* half the angle, twice, for a short series */
    y = y / (1 + sqrt(fma(y, y, 1)));
    double z = y * y, p = 1.0 / 25;
    for (double k = 23; k >= 3; k -= 2)
        p = fma(-p, z, 1 / k);
    double r = 4 * fma(-p * z, y, y);
    return copysign(x > 1 ? 0x1.921fb54442d18p+0 - (r - 0x1.1a62633145c07p-54) : r, a);
}
SIMTLAB_DEVICE double atan2(double y, double x)
{
    const double pi = 0x1.921fb54442d18p+1;
    if (x != x || y != y)
        return x + y;
    if (simtlab_isinf(x) && simtlab_isinf(y))
        return copysign(x > 0 ? pi / 4 : 3 * pi / 4, y);
    double r = y == 0 ? 0 : x == 0 ? pi / 2 : atan(fabs(y / x));
    return copysign(signbit(x) && x != 0 || (x == 0 && y == 0 && signbit(x)) ? pi - (r - 0x1.1a62633145c07p-53) : r, y);
}
SIMTLAB_DEVICE double asin(double a) { return fabs(a) > 1 ? __builtin_nan("") : atan2(a, sqrt((1 - a) * (1 + a))); }
SIMTLAB_DEVICE double acos(double a) { return fabs(a) > 1 ? __builtin_nan("") : atan2(sqrt((1 - a) * (1 + a)), a); }
SIMTLAB_DEVICE double sinh(double a)
{
    double e = expm1(fabs(a)), r = fabs(a) > 700 ? simtlab_exp(fabs(a) - 0x1.62e42fefa39efp-1, 0) : (e + e / (e + 1)) / 2;
    return copysign(r, a);
}
SIMTLAB_DEVICE double cosh(double a)
{
    double e = exp(fabs(a));
    return fabs(a) > 700 ? simtlab_exp(fabs(a) - 0x1.62e42fefa39efp-1, 0) : (e + 1 / e) / 2;
}
SIMTLAB_DEVICE double tanh(double a)
{
    double e = expm1(2 * fabs(a));
    return copysign(fabs(a) > 20 ? 1 : e / (e + 2), a);
}
SIMTLAB_DEVICE double asinh(double a)
{
    double x = fabs(a);
    return copysign(x > 1e9 ? log(x) + 0x1.62e42fefa39efp-1 : log1p(x + x * x / (1 + sqrt(fma(x, x, 1)))), a);
}
SIMTLAB_DEVICE double acosh(double a)
{
    return a > 1e9 ? log(a) + 0x1.62e42fefa39efp-1 : log1p(a - 1 + sqrt((a - 1) * (a + 1)));
}
SIMTLAB_DEVICE double atanh(double a) { return copysign(log1p(2 * fabs(a) / (1 - fabs(a))) / 2, a); }
SIMTLAB_DEVICE double erf(double a) /* every term of the series is positive: nothing cancels */
{
    double x = fabs(a), term = x, sum = x;
    if (!(x < 6))
        return a != a ? a : copysign(1, a);
    for (double k = 3; term > sum * 0x1p-56; k += 2)
        sum += term *= 2 * x * x / k;
    double square = __dmul_rn(x, x);
    return copysign(sum * simtlab_exp(-square, fma(-x, x, square)) * 0x1.20dd750429b6dp+0, a);
}
#define SIMTLAB_SINGLE1(name)                                                                                          \
    SIMTLAB_DEVICE float name##f(float a) { return (float)name((double)a); }
SIMTLAB_SINGLE1(expm1)
SIMTLAB_SINGLE1(log1p)
SIMTLAB_SINGLE1(cbrt)
SIMTLAB_SINGLE1(sinpi)
SIMTLAB_SINGLE1(cospi)
SIMTLAB_SINGLE1(atan)
SIMTLAB_SINGLE1(asin)
SIMTLAB_SINGLE1(acos)
SIMTLAB_SINGLE1(sinh)
SIMTLAB_SINGLE1(cosh)
SIMTLAB_SINGLE1(tanh)
SIMTLAB_SINGLE1(asinh)
SIMTLAB_SINGLE1(acosh)
SIMTLAB_SINGLE1(atanh)
SIMTLAB_SINGLE1(erf)
#undef SIMTLAB_SINGLE1
SIMTLAB_DEVICE float atan2f(float a, float b) { return (float)atan2((double)a, (double)b); }
SIMTLAB_DEVICE float hypotf(float a, float b) { return (float)hypot((double)a, (double)b); }
SIMTLAB_DEVICE float pow(float a, float b) { return powf(a, b); }
SIMTLAB_DEVICE float pow(float a, int b) { return (float)pow((double)a, (double)b); }
SIMTLAB_DEVICE double pow(double a, int b) { return pow(a, (double)b); }
SIMTLAB_DEVICE float fmod(float a, float b) { return fmodf(a, b); }
SIMTLAB_DEVICE float atan2(float a, float b) { return atan2f(a, b); }
SIMTLAB_DEVICE float hypot(float a, float b) { return hypotf(a, b); }
SIMTLAB_DEVICE float copysign(float a, float b) { return copysignf(a, b); }
SIMTLAB_DEVICE float ldexp(float a, int n) { return ldexpf(a, n); }
SIMTLAB_DEVICE float frexp(float a, int *exponent) { return frexpf(a, exponent); }
SIMTLAB_DEVICE float modf(float a, float *whole) { return modff(a, whole); }
#define SIMTLAB_OVERLOAD(name)                                                                                         \
    SIMTLAB_DEVICE float name(float a) { return name##f(a); }
#define SIMTLAB_EACH_OVERLOAD(do)                                                                                      \
    do(exp) do(exp2) do(expm1) do(log) do(log2) do(log10) do(log1p) do(cbrt) do(sin) do(cos) do(tan) do(atan) do(asin) \
        do(acos) do(sinh) do(cosh) do(tanh) do(asinh) do(acosh) do(atanh) do(erf)
SIMTLAB_EACH_OVERLOAD(SIMTLAB_OVERLOAD)
#undef SIMTLAB_OVERLOAD

/* What the device has as functions. clang turns printf into vprintf itself. */
extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ void *malloc(size_t);
__device__ void free(void *);
__device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t) __attribute__((noreturn));
__device__ static inline __attribute__((noreturn)) void __assert_fail(const char *message, const char *file,
                                                                     unsigned line, const char *function)
{
    __assertfail(message, file, line, function, 1);
}
__device__ static inline void *memcpy(void *to, const void *from, size_t size)
{
    return __builtin_memcpy(to, from, size);
}
__device__ static inline void *memset(void *to, int value, size_t size)
{
    return __builtin_memset(to, value, size);
}
}

/* The C library that CUDA's own headers bring in, for the host's part of the file; the names that std:: shares. */
#define SIMTLAB_USING(name) using ::name;
namespace std
{
SIMTLAB_EACH_OVERLOAD(SIMTLAB_USING)
using ::abs;
using ::atan2;
using ::ceil;
using ::copysign;
using ::fabs;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::frexp;
using ::hypot;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::ldexp;
using ::modf;
using ::nearbyint;
using ::pow;
using ::rint;
using ::round;
using ::signbit;
using ::sqrt;
using ::trunc;
} // namespace std
#undef SIMTLAB_USING
#undef SIMTLAB_EACH_OVERLOAD
#if __has_include(<stdlib.h>)
#if __has_include(<cstdlib>)
#include <cmath>
#include <cstdlib>
#include <new>
#else
#include <math.h>
#endif
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#else
#define assert(e) ((e) ? (void)0 : __assert_fail(#e, __FILE__, __LINE__, __func__))
#define NULL nullptr
#define INFINITY __builtin_huge_valf()
#define NAN __builtin_nanf("")
#define M_PI 3.14159265358979323846
#endif
#if !__has_include(<cstdlib>)
__device__ inline void *operator new(size_t size) { return malloc(size); }
__device__ inline void *operator new[](size_t size) { return malloc(size); }
__device__ inline void operator delete(void *p) noexcept { free(p); }
__device__ inline void operator delete[](void *p) noexcept { free(p); }
__device__ inline void operator delete(void *p, size_t) noexcept { free(p); }
__device__ inline void operator delete[](void *p, size_t) noexcept { free(p); }
#endif
#define CUDART_INF_F __builtin_huge_valf()
#define CUDART_INF __builtin_huge_val()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_NAN __builtin_nan("")
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931e+0

/* The host's side of the runtime, enough to be read. */
enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2 };
typedef cudaError_t cudaError;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout };
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, totalConstMem;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, major, minor;
    int multiProcessorCount, maxThreadsPerMultiProcessor, memoryClockRate, memoryBusWidth, l2CacheSize;
};
extern "C" __host__ cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" __host__ unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" __host__ cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
extern "C" __host__ const char *cudaGetErrorString(cudaError_t);
extern "C" __host__ const char *cudaGetErrorName(cudaError_t);
#define SIMTLAB_HOST_CALL(name)                                                                                        \
    template <class... A> __host__ cudaError_t name(A &&...);
SIMTLAB_HOST_CALL(cudaMalloc)
SIMTLAB_HOST_CALL(cudaMallocHost)
SIMTLAB_HOST_CALL(cudaMallocManaged)
SIMTLAB_HOST_CALL(cudaMallocAsync)
SIMTLAB_HOST_CALL(cudaMallocPitch)
SIMTLAB_HOST_CALL(cudaHostAlloc)
SIMTLAB_HOST_CALL(cudaFree)
SIMTLAB_HOST_CALL(cudaFreeAsync)
SIMTLAB_HOST_CALL(cudaFreeHost)
SIMTLAB_HOST_CALL(cudaMemcpy)
SIMTLAB_HOST_CALL(cudaMemcpy2D)
SIMTLAB_HOST_CALL(cudaMemcpyAsync)
SIMTLAB_HOST_CALL(cudaMemcpyToSymbol)
SIMTLAB_HOST_CALL(cudaMemcpyFromSymbol)
SIMTLAB_HOST_CALL(cudaMemset)
SIMTLAB_HOST_CALL(cudaMemsetAsync)
SIMTLAB_HOST_CALL(cudaMemPrefetchAsync)
SIMTLAB_HOST_CALL(cudaMemGetInfo)
SIMTLAB_HOST_CALL(cudaDeviceSynchronize)
SIMTLAB_HOST_CALL(cudaDeviceReset)
SIMTLAB_HOST_CALL(cudaDeviceSetLimit)
SIMTLAB_HOST_CALL(cudaDeviceGetAttribute)
SIMTLAB_HOST_CALL(cudaGetDevice)
SIMTLAB_HOST_CALL(cudaGetDeviceCount)
SIMTLAB_HOST_CALL(cudaGetDeviceProperties)
SIMTLAB_HOST_CALL(cudaSetDevice)
SIMTLAB_HOST_CALL(cudaGetLastError)
SIMTLAB_HOST_CALL(cudaPeekAtLastError)
SIMTLAB_HOST_CALL(cudaGetSymbolAddress)
SIMTLAB_HOST_CALL(cudaFuncSetAttribute)
SIMTLAB_HOST_CALL(cudaFuncSetCacheConfig)
SIMTLAB_HOST_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
SIMTLAB_HOST_CALL(cudaOccupancyMaxPotentialBlockSize)
SIMTLAB_HOST_CALL(cudaStreamCreate)
SIMTLAB_HOST_CALL(cudaStreamDestroy)
SIMTLAB_HOST_CALL(cudaStreamSynchronize)
SIMTLAB_HOST_CALL(cudaEventCreate)
SIMTLAB_HOST_CALL(cudaEventDestroy)
SIMTLAB_HOST_CALL(cudaEventRecord)
SIMTLAB_HOST_CALL(cudaEventSynchronize)
SIMTLAB_HOST_CALL(cudaEventElapsedTime)
SIMTLAB_HOST_CALL(cudaProfilerStart)
SIMTLAB_HOST_CALL(cudaProfilerStop)
#undef SIMTLAB_HOST_CALL

#endif
