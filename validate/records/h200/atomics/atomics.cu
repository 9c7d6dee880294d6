// One warp, one atomic instruction: what the hardware counts for it, by operation, type, addresses and lanes.
//
// Lane l of those in `mask` works on element index[l] * stride + l / group * step. nvcc -arch=sm_90 -O3 -cubin
#include <cuda_fp16.h>

#define ARGUMENTS unsigned *base, const int *index, int stride, int group, int step, unsigned mask, unsigned *out
#define ELEMENT                                                                                                        \
    int lane = threadIdx.x;                                                                                            \
    long long element = index[lane] * stride + lane / group * step;                                                    \
    bool active = mask >> lane & 1;
#define GLOBAL(name, bytes, code)                                                                                      \
    extern "C" __global__ void name(ARGUMENTS)                                                                         \
    {                                                                                                                  \
        ELEMENT                                                                                                        \
        char *at = (char *)base + element * bytes;                                                                     \
        if (active) {                                                                                                  \
            code;                                                                                                      \
        }                                                                                                              \
    }
#define SHARED(name, bytes, code)                                                                                      \
    extern "C" __global__ void name(ARGUMENTS)                                                                         \
    {                                                                                                                  \
        __shared__ __align__(128) char cells[16384];                                                                   \
        ELEMENT                                                                                                        \
        unsigned at = (unsigned)__cvta_generic_to_shared(cells) + (unsigned)element * bytes;                           \
        if (active) {                                                                                                  \
            code;                                                                                                      \
        }                                                                                                              \
    }

// No result.
#define RED32(name, op) GLOBAL(name, 4, asm volatile("red.global." op " [%0], %1;" ::"l"(at), "r"(lane + 3) : "memory"))
#define RED64(name, op)                                                                                                \
    GLOBAL(name, 8, asm volatile("red.global." op " [%0], %1;" ::"l"(at), "l"(lane + 3ll) : "memory"))
RED32(red_add_u32, "add.u32")
RED32(red_min_s32, "min.s32")
RED32(red_max_u32, "max.u32")
RED32(red_or_b32, "or.b32")
RED32(red_xor_b32, "xor.b32")
RED32(red_inc_u32, "inc.u32")
RED32(red_dec_u32, "dec.u32")
RED64(red_add_u64, "add.u64")
RED64(red_min_s64, "min.s64")
RED64(red_and_b64, "and.b64")
GLOBAL(red_add_f32, 4, asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"((float)lane) : "memory"))
GLOBAL(red_add_f64, 8, asm volatile("red.global.add.f64 [%0], %1;" ::"l"(at), "d"((double)lane) : "memory"))
GLOBAL(red_add_f16x2, 4, asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(at), "r"(0x3c003c00) : "memory"))
GLOBAL(red_add_bf16x2, 4, asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(at), "r"(0x3f803f80) : "memory"))
GLOBAL(red_add_v2_f32, 8, asm volatile("red.global.add.v2.f32 [%0], {%1, %1};" ::"l"(at), "f"((float)lane) : "memory"))
GLOBAL(red_add_v4_f32, 16,
       asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(at), "f"((float)lane)
                    : "memory"))

// A result, which is stored.
#define ATOM32(name, op)                                                                                               \
    GLOBAL(name, 4, unsigned old; asm volatile("atom.global." op " %0, [%1], %2;"                                      \
                                               : "=r"(old)                                                             \
                                               : "l"(at), "r"(lane + 3)                                                \
                                               : "memory");                                                            \
           out[lane] = old)
#define ATOM64(name, op)                                                                                               \
    GLOBAL(name, 8, long long old; asm volatile("atom.global." op " %0, [%1], %2;"                                     \
                                                : "=l"(old)                                                            \
                                                : "l"(at), "l"(lane + 3ll)                                             \
                                                : "memory");                                                           \
           out[lane] = (unsigned)old)
ATOM32(atom_add_u32, "add.u32")
ATOM32(atom_min_s32, "min.s32")
ATOM32(atom_max_u32, "max.u32")
ATOM32(atom_and_b32, "and.b32")
ATOM32(atom_exch_b32, "exch.b32")
ATOM32(atom_inc_u32, "inc.u32")
ATOM64(atom_add_u64, "add.u64")
ATOM64(atom_max_s64, "max.s64")
ATOM64(atom_exch_b64, "exch.b64")
GLOBAL(atom_cas_b32, 4, unsigned old; asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
                                                   : "=r"(old)
                                                   : "l"(at), "r"(0), "r"(lane)
                                                   : "memory");
       out[lane] = old)
GLOBAL(atom_cas_b64, 8, long long old; asm volatile("atom.global.cas.b64 %0, [%1], %2, %3;"
                                                    : "=l"(old)
                                                    : "l"(at), "l"(0ll), "l"((long long)lane)
                                                    : "memory");
       out[lane] = (unsigned)old)
GLOBAL(atom_cas_b16, 2, unsigned short old; asm volatile("atom.global.cas.b16 %0, [%1], %2, %3;"
                                                         : "=h"(old)
                                                         : "l"(at), "h"((short)0), "h"((short)lane)
                                                         : "memory");
       out[lane] = old)
GLOBAL(atom_exch_b128, 16, unsigned long long old;
       asm volatile("{ .reg .b128 v, w; mov.b128 v, {%2, %2}; atom.global.exch.b128 w, [%1], v; mov.b128 {%0, %2}, w; }"
                    : "=l"(old)
                    : "l"(at), "l"((unsigned long long)lane)
                    : "memory");
       out[lane] = (unsigned)old)
GLOBAL(atom_add_f32, 4, float old; asm volatile("atom.global.add.f32 %0, [%1], %2;"
                                                : "=f"(old)
                                                : "l"(at), "f"((float)lane)
                                                : "memory");
       out[lane] = (unsigned)old)
GLOBAL(atom_add_f64, 8, double old; asm volatile("atom.global.add.f64 %0, [%1], %2;"
                                                 : "=d"(old)
                                                 : "l"(at), "d"((double)lane)
                                                 : "memory");
       out[lane] = (unsigned)old)
GLOBAL(atom_add_f16x2, 4, unsigned old; asm volatile("atom.global.add.noftz.f16x2 %0, [%1], %2;"
                                                     : "=r"(old)
                                                     : "l"(at), "r"(0x3c003c00)
                                                     : "memory");
       out[lane] = old)

// Shared memory; f32 and u64 additions are loops of compare-and-swap.
#define ATOMS32(name, op)                                                                                              \
    SHARED(name, 4, unsigned old; asm volatile("atom.shared." op " %0, [%1], %2;"                                      \
                                               : "=r"(old)                                                             \
                                               : "r"(at), "r"(lane + 3)                                                \
                                               : "memory");                                                            \
           out[lane] = old)
ATOMS32(shared_add_u32, "add.u32")
ATOMS32(shared_min_s32, "min.s32")
ATOMS32(shared_or_b32, "or.b32")
ATOMS32(shared_exch_b32, "exch.b32")
ATOMS32(shared_inc_u32, "inc.u32")
SHARED(shared_red_add_u32, 4, asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(lane + 3) : "memory"))
SHARED(shared_red_add_one, 4, asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(1) : "memory"))
SHARED(shared_cas_b32, 4, unsigned old; asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;"
                                                     : "=r"(old)
                                                     : "r"(at), "r"(0), "r"(lane)
                                                     : "memory");
       out[lane] = old)
SHARED(shared_exch_b64, 8, long long old; asm volatile("atom.shared.exch.b64 %0, [%1], %2;"
                                                       : "=l"(old)
                                                       : "r"(at), "l"((long long)lane)
                                                       : "memory");
       out[lane] = (unsigned)old)
SHARED(shared_cas_b64, 8, long long old; asm volatile("atom.shared.cas.b64 %0, [%1], %2, %3;"
                                                      : "=l"(old)
                                                      : "r"(at), "l"(0ll), "l"((long long)lane)
                                                      : "memory");
       out[lane] = (unsigned)old)
SHARED(shared_add_f32, 4, asm volatile("red.shared.add.f32 [%0], %1;" ::"r"(at), "f"((float)lane) : "memory"))
SHARED(shared_add_u64, 8, asm volatile("red.shared.add.u64 [%0], %1;" ::"r"(at), "l"(lane + 3ll) : "memory"))
SHARED(shared_add_f16x2, 4, asm volatile("red.shared.add.noftz.f16x2 [%0], %1;" ::"r"(at), "r"(0x3c003c00) : "memory"))
