/* What kernels commonly use of CUDA C++, for clang without the CUDA toolkit. Each declaration is written on clang's own
 * NVPTX builtins or one line of PTX; there is no library behind it. */
#ifndef SIMTLAB_CUDA_H
#define SIMTLAB_CUDA_H

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __host__ __attribute__((host))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define SIMTLAB_DEVICE static inline __attribute__((device, always_inline, nodebug))

typedef unsigned long size_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
};
struct int2 {
    int x, y;
};
struct float2 {
    float x, y;
} __attribute__((aligned(8)));
struct float4 {
    float x, y, z, w;
} __attribute__((aligned(16)));
SIMTLAB_DEVICE float2 make_float2(float x, float y) { return float2{x, y}; }
SIMTLAB_DEVICE float4 make_float4(float x, float y, float z, float w) { return float4{x, y, z, w}; }

/* threadIdx.x and its kin: reading a member reads the special register. */
#define SIMTLAB_SREG(type, register_x, register_y, register_z)                                                         \
    struct type {                                                                                                      \
        __declspec(property(get = get_x)) unsigned x;                                                                  \
        __declspec(property(get = get_y)) unsigned y;                                                                  \
        __declspec(property(get = get_z)) unsigned z;                                                                  \
        __attribute__((device, always_inline, nodebug)) unsigned get_x(void) const { return (unsigned)register_x(); }           \
        __attribute__((device, always_inline, nodebug)) unsigned get_y(void) const { return (unsigned)register_y(); }           \
        __attribute__((device, always_inline, nodebug)) unsigned get_z(void) const { return (unsigned)register_z(); }           \
    }
SIMTLAB_SREG(simtlab_tid, __nvvm_read_ptx_sreg_tid_x, __nvvm_read_ptx_sreg_tid_y, __nvvm_read_ptx_sreg_tid_z);
SIMTLAB_SREG(simtlab_ntid, __nvvm_read_ptx_sreg_ntid_x, __nvvm_read_ptx_sreg_ntid_y, __nvvm_read_ptx_sreg_ntid_z);
SIMTLAB_SREG(simtlab_ctaid, __nvvm_read_ptx_sreg_ctaid_x, __nvvm_read_ptx_sreg_ctaid_y, __nvvm_read_ptx_sreg_ctaid_z);
SIMTLAB_SREG(simtlab_nctaid, __nvvm_read_ptx_sreg_nctaid_x, __nvvm_read_ptx_sreg_nctaid_y,
             __nvvm_read_ptx_sreg_nctaid_z);
extern const __device__ __attribute__((weak)) simtlab_tid threadIdx;
extern const __device__ __attribute__((weak)) simtlab_ntid blockDim;
extern const __device__ __attribute__((weak)) simtlab_ctaid blockIdx;
extern const __device__ __attribute__((weak)) simtlab_nctaid gridDim;
#define warpSize 32

/* Barriers and fences; __syncthreads() is a builtin of clang's. */
SIMTLAB_DEVICE int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
SIMTLAB_DEVICE int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
SIMTLAB_DEVICE int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
SIMTLAB_DEVICE void __syncwarp(unsigned mask = 0xffffffffU) { __nvvm_bar_warp_sync(mask); }
SIMTLAB_DEVICE void __threadfence(void) { __nvvm_membar_gl(); }
SIMTLAB_DEVICE void __threadfence_block(void) { __nvvm_membar_cta(); }
SIMTLAB_DEVICE void __threadfence_system(void) { __nvvm_membar_sys(); }

/* Warp-wide exchange. */
#define SIMTLAB_SHUFFLE(name, builtin, control)                                                                        \
    SIMTLAB_DEVICE int name(unsigned mask, int value, int by, int width = 32)                                          \
    {                                                                                                                  \
        return builtin(mask, value, by, ((32 - width) << 8) | control);                                                \
    }                                                                                                                  \
    SIMTLAB_DEVICE unsigned name(unsigned mask, unsigned value, int by, int width = 32)                                \
    {                                                                                                                  \
        return (unsigned)name(mask, (int)value, by, width);                                                            \
    }                                                                                                                  \
    SIMTLAB_DEVICE float name(unsigned mask, float value, int by, int width = 32)                                      \
    {                                                                                                                  \
        return __builtin_bit_cast(float, name(mask, __builtin_bit_cast(int, value), by, width));                       \
    }
SIMTLAB_SHUFFLE(__shfl_sync, __nvvm_shfl_sync_idx_i32, 0x1f)
SIMTLAB_SHUFFLE(__shfl_up_sync, __nvvm_shfl_sync_up_i32, 0)
SIMTLAB_SHUFFLE(__shfl_down_sync, __nvvm_shfl_sync_down_i32, 0x1f)
SIMTLAB_SHUFFLE(__shfl_xor_sync, __nvvm_shfl_sync_bfly_i32, 0x1f)
SIMTLAB_DEVICE unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p != 0); }
SIMTLAB_DEVICE int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p != 0); }
SIMTLAB_DEVICE int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p != 0); }

/* Atomics: relaxed, device-wide, the old value back. */
#define SIMTLAB_ATOMIC_INT(name, op)                                                                                   \
    SIMTLAB_DEVICE int name(int *p, int v) { return __atomic_fetch_##op(p, v, __ATOMIC_RELAXED); }                     \
    SIMTLAB_DEVICE unsigned name(unsigned *p, unsigned v) { return __atomic_fetch_##op(p, v, __ATOMIC_RELAXED); }      \
    SIMTLAB_DEVICE unsigned long long name(unsigned long long *p, unsigned long long v)                                \
    {                                                                                                                  \
        return __atomic_fetch_##op(p, v, __ATOMIC_RELAXED);                                                            \
    }
SIMTLAB_ATOMIC_INT(atomicAdd, add)
SIMTLAB_ATOMIC_INT(atomicSub, sub)
SIMTLAB_ATOMIC_INT(atomicAnd, and)
SIMTLAB_ATOMIC_INT(atomicOr, or)
SIMTLAB_ATOMIC_INT(atomicXor, xor)
SIMTLAB_ATOMIC_INT(atomicMin, min)
SIMTLAB_ATOMIC_INT(atomicMax, max)
SIMTLAB_DEVICE float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
SIMTLAB_DEVICE double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
SIMTLAB_DEVICE int atomicExch(int *p, int v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); }
SIMTLAB_DEVICE unsigned atomicExch(unsigned *p, unsigned v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); }
SIMTLAB_DEVICE int atomicCAS(int *p, int expected, int v) { return __nvvm_atom_cas_gen_i(p, expected, v); }
SIMTLAB_DEVICE unsigned atomicCAS(unsigned *p, unsigned expected, unsigned v)
{
    return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)expected, (int)v);
}

/* Arithmetic that is one instruction or a few. */
SIMTLAB_DEVICE int min(int a, int b) { return a < b ? a : b; }
SIMTLAB_DEVICE int max(int a, int b) { return a > b ? a : b; }
SIMTLAB_DEVICE unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
SIMTLAB_DEVICE unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
SIMTLAB_DEVICE int abs(int a) { return a < 0 ? -a : a; }
SIMTLAB_DEVICE float fabsf(float a) { return __builtin_fabsf(a); }
SIMTLAB_DEVICE double fabs(double a) { return __builtin_fabs(a); }
SIMTLAB_DEVICE float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
SIMTLAB_DEVICE float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
SIMTLAB_DEVICE float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
SIMTLAB_DEVICE double fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
SIMTLAB_DEVICE float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
SIMTLAB_DEVICE double sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
SIMTLAB_DEVICE int __popc(unsigned a) { return __builtin_popcount(a); }
SIMTLAB_DEVICE int __clz(int a) { return a == 0 ? 32 : __builtin_clz((unsigned)a); }
SIMTLAB_DEVICE int __ffs(int a) { return __builtin_ffs(a); }
SIMTLAB_DEVICE float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
SIMTLAB_DEVICE int __float_as_int(float a) { return __builtin_bit_cast(int, a); }

#endif
