/* Floating-point arithmetic of one lane: what the GPU's units do around an IEEE operation (flush, saturate, the one
 * NaN), the 16-bit formats, fused multiply-add without an instruction for it, and rounding to a narrower format.
 *
 * All of it expects the default environment: round to nearest, subnormals kept. Nothing here may be contracted or
 * reordered by the compiler (-ffp-contract=off), or levels would differ.
 */
#ifndef SIM_EXEC_MATH_H
#define SIM_EXEC_MATH_H

#include "sim/exec_lane.h"

#include <math.h>
#include <stdbool.h>

#define LANE_NAN32     UINT32_C(0x7fffffff)
#define LANE_NAN16     UINT32_C(0x7fff)
#define LANE_INF32     UINT32_C(0x7f800000)
#define LANE_INF64     UINT64_C(0x7ff0000000000000)
#define LANE_INVALID64 UINT64_C(0xfff8000000000000)
#define LANE_QUIET64   UINT64_C(0x0008000000000000)

/* Zero with x's sign if x is subnormal. */
LANE_INLINE uint32_t lane_flush_bits(uint32_t x)
{
    return (x & LANE_INF32) == 0 ? x & 0x80000000U : x;
}

LANE_INLINE float lane_in32(uint32_t bits, uint32_t flags)
{
    return lane_float(flags & ISA_FLAG_FTZ ? lane_flush_bits(bits) : bits);
}

LANE_INLINE float lane_saturate(float x)
{
    const float floor = x > 0.0F ? x : 0.0F;
    return floor < 1.0F ? floor : 1.0F;
}

/* The bits of a result: flushed and saturated where `flags` say so, every NaN the same. */
LANE_INLINE uint32_t lane_out32(float x, uint32_t flags)
{
    const uint32_t bits = x != x ? LANE_NAN32 : lane_float_bits(x);
    const uint32_t flushed = flags & ISA_FLAG_FTZ ? lane_flush_bits(bits) : bits;
    return flags & ISA_FLAG_SAT ? lane_float_bits(lane_saturate(lane_float(flushed))) : flushed;
}

LANE_INLINE uint64_t lane_quiet_bits(double x)
{
    return lane_double_bits(x) | LANE_QUIET64;
}

/* Magnitudes and signs. */
LANE_INLINE float lane_copysign32(float magnitude, float sign)
{
    return lane_float((lane_float_bits(magnitude) & 0x7fffffffU) | (lane_float_bits(sign) & 0x80000000U));
}

LANE_INLINE double lane_copysign64(double magnitude, double sign)
{
    return lane_double((lane_double_bits(magnitude) & INT64_MAX) | (lane_double_bits(sign) & ~(uint64_t)INT64_MAX));
}

LANE_INLINE float lane_abs32(float x)
{
    return lane_float(lane_float_bits(x) & 0x7fffffffU);
}

LANE_INLINE double lane_abs64(double x)
{
    return lane_double(lane_double_bits(x) & INT64_MAX);
}

/* Rounding to an integer without an instruction for it. Up to 2^52 adding and taking away 2^52 rounds to nearest even;
 * above, every number is an integer. The result keeps x's sign, also as zero. NaN stays. */
LANE_INLINE double lane_nearest64(double x)
{
    const double magnitude = lane_abs64(x);
    const double rounded = (magnitude + 0x1p52) - 0x1p52;
    return lane_copysign64(magnitude < 0x1p52 ? rounded : magnitude, x);
}

LANE_INLINE double lane_integral64(double x, uint8_t round)
{
    const double nearest = lane_nearest64(x);
    const double down = nearest > x ? nearest - 1.0 : nearest, up = nearest < x ? nearest + 1.0 : nearest;
    switch (round) {
    case ISA_ROUND_RZI:
        return lane_copysign64(x < 0.0 ? up : down, x);
    case ISA_ROUND_RMI:
        return lane_copysign64(down, x);
    case ISA_ROUND_RPI:
        return lane_copysign64(up, x);
    default:
        return nearest;
    }
}

LANE_INLINE float lane_integral32(float x, uint8_t round)
{
    const float magnitude = lane_abs32(x);
    const float rounded = (magnitude + 0x1p23F) - 0x1p23F;
    const float nearest = lane_copysign32(magnitude < 0x1p23F ? rounded : magnitude, x);
    const float down = nearest > x ? nearest - 1.0F : nearest, up = nearest < x ? nearest + 1.0F : nearest;
    switch (round) {
    case ISA_ROUND_RZI:
        return lane_copysign32(x < 0.0F ? up : down, x);
    case ISA_ROUND_RMI:
        return lane_copysign32(down, x);
    case ISA_ROUND_RPI:
        return lane_copysign32(up, x);
    default:
        return nearest;
    }
}

/* Round to odd: `rounded` is the nearest to a number that differs from it by `error`. The result is that number cut
 * off, with its last bit set if anything was lost; rounding it again to two bits less gives the right answer. */
LANE_INLINE double lane_odd64(double rounded, double error)
{
    const uint64_t bits = lane_double_bits(rounded);
    const uint64_t inward = (lane_double_bits(error) ^ bits) >> 63;
    const uint64_t inexact = (error > 0.0 ? UINT64_C(1) : 0) | (error < 0.0 ? UINT64_C(1) : 0);
    return lane_double((inexact & ~bits) != 0 ? bits + 1 - 2 * inward : bits);
}

LANE_INLINE float lane_odd32(float rounded, float error)
{
    const uint32_t bits = lane_float_bits(rounded);
    const uint32_t inward = (lane_float_bits(error) ^ bits) >> 31;
    const uint32_t inexact = (error > 0.0F ? 1U : 0U) | (error < 0.0F ? 1U : 0U);
    return lane_float((inexact & ~bits) != 0 ? bits + 1U - 2U * inward : bits);
}

/* x + y rounded to odd; the error of a sum is a number of the format (Knuth). No sum here is near the largest number.
 */
LANE_INLINE double lane_sum_odd64(double x, double y)
{
    const double sum = x + y, part = sum - x;
    return lane_odd64(sum, (x - (sum - part)) + (y - part));
}

LANE_INLINE float lane_sum_odd32(float x, float y)
{
    const float sum = x + y, part = sum - x;
    return lane_odd32(sum, (x - (sum - part)) + (y - part));
}

LANE_INLINE float lane_fma32(float x, float y, float z)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return __builtin_fmaf(x, y, z);
#else
    return (float)lane_sum_odd64((double)x * (double)y, (double)z); /* the product is exact */
#endif
}

/* A double as a float, rounded to odd. */
LANE_INLINE float lane_narrow_odd(double x)
{
    const float rounded = (float)x;
    const double error = x - (double)rounded;
    const uint32_t bits = lane_float_bits(rounded);
    const uint32_t inward = (uint32_t)((lane_double_bits(error) ^ lane_double_bits(x)) >> 63);
    const uint32_t inexact = (error > 0.0 ? 1U : 0U) | (error < 0.0 ? 1U : 0U);
    const uint32_t finite = lane_abs64(x) < (double)INFINITY ? 1U : 0U;
    return lane_float((inexact & finite & ~bits) != 0 ? bits + 1U - 2U * inward : bits);
}

/* binary16. A subnormal is its mantissa times 2^-24. */
LANE_INLINE float lane_from_f16(uint32_t h)
{
    const uint32_t magnitude = h & 0x7fffU, sign = (h & 0x8000U) << 16;
    const float subnormal = (float)(int32_t)(magnitude & 0x3ffU) * 0x1p-24F;
    const uint32_t shifted = (magnitude << 13) + (magnitude >= 0x7c00U ? 0x70000000U : 0x38000000U);
    return lane_float(sign | (magnitude < 0x400U ? lane_float_bits(subnormal) : shifted));
}

/* To nearest even. Adding 0.5, whose last bit weighs 2^-24, rounds a float to a multiple of the smallest binary16. */
LANE_INLINE uint32_t lane_to_f16(float x)
{
    const uint32_t bits = lane_float_bits(x), magnitude = bits & 0x7fffffffU, sign = bits >> 16 & 0x8000U;
    const uint32_t normal = (magnitude - 0x38000000U + 0xfffU + (magnitude >> 13 & 1U)) >> 13;
    const uint32_t subnormal = lane_float_bits(lane_float(magnitude) + 0.5F) - 0x3f000000U;
    const uint32_t finite = magnitude < 0x38800000U ? subnormal : normal;
    const uint32_t number = sign | (magnitude >= 0x477ff000U ? 0x7c00U : finite);
    return magnitude > LANE_INF32 ? LANE_NAN16 : number;
}

/* bfloat16: the upper half of a float. */
LANE_INLINE float lane_from_bf16(uint32_t h)
{
    return lane_float(h << 16);
}

LANE_INLINE uint32_t lane_to_bf16(float x)
{
    const uint32_t bits = lane_float_bits(x);
    return x != x ? LANE_NAN16 : (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16;
}

/* Products of 11-bit numbers are exact in 24 bits, of 8-bit ones exact but for the exponent. */
LANE_INLINE float lane_fma_f16(float x, float y, float z)
{
    return lane_sum_odd32(x * y, z);
}

LANE_INLINE float lane_fma_bf16(float x, float y, float z)
{
    return lane_narrow_odd(lane_sum_odd64((double)x * (double)y, (double)z));
}

/* A binary format narrower than double, as bits in the low end of a word. */
struct lane_format {
    uint32_t mantissa_bits;
    int32_t exponent_min; /* of normal numbers */
    uint32_t infinity;    /* bits of +infinity, or one above the largest number where there is none */
    uint32_t nan;
    uint32_t sign;
    bool has_infinity;
};
#define LANE_FORMAT_F32                                                                                                \
    ((struct lane_format){.mantissa_bits = 23,                                                                         \
                          .exponent_min = -126,                                                                        \
                          .infinity = 0x7f800000U,                                                                     \
                          .nan = LANE_NAN32,                                                                           \
                          .sign = 0x80000000U,                                                                         \
                          .has_infinity = true})
#define LANE_FORMAT_F16                                                                                                \
    ((struct lane_format){.mantissa_bits = 10,                                                                         \
                          .exponent_min = -14,                                                                         \
                          .infinity = 0x7c00U,                                                                         \
                          .nan = LANE_NAN16,                                                                           \
                          .sign = 0x8000U,                                                                             \
                          .has_infinity = true})
#define LANE_FORMAT_BF16                                                                                               \
    ((struct lane_format){.mantissa_bits = 7,                                                                          \
                          .exponent_min = -126,                                                                        \
                          .infinity = 0x7f80U,                                                                         \
                          .nan = LANE_NAN16,                                                                           \
                          .sign = 0x8000U,                                                                             \
                          .has_infinity = true})
/* tf32 without its 13 low zero bits. */
#define LANE_FORMAT_TF32                                                                                               \
    ((struct lane_format){.mantissa_bits = 10,                                                                         \
                          .exponent_min = -126,                                                                        \
                          .infinity = 0x3fc00U,                                                                        \
                          .nan = 0x3ffffU,                                                                             \
                          .sign = 0x40000U,                                                                            \
                          .has_infinity = true})
#define LANE_FORMAT_E4M3                                                                                               \
    ((struct lane_format){.mantissa_bits = 3,                                                                          \
                          .exponent_min = -6,                                                                          \
                          .infinity = 0x7fU,                                                                           \
                          .nan = 0x7fU,                                                                                \
                          .sign = 0x80U,                                                                               \
                          .has_infinity = false})
#define LANE_FORMAT_E5M2                                                                                               \
    ((struct lane_format){.mantissa_bits = 2,                                                                          \
                          .exponent_min = -14,                                                                         \
                          .infinity = 0x7cU,                                                                           \
                          .nan = 0x7fU,                                                                                \
                          .sign = 0x80U,                                                                               \
                          .has_infinity = true})

/* Whether a magnitude grows when its cut-off part is `rest`, out of 2 * half. */
LANE_INLINE bool lane_rounds_up(uint8_t round, bool negative, bool is_odd, uint64_t rest, uint64_t half)
{
    switch (round) {
    case ISA_ROUND_RZ:
        return false;
    case ISA_ROUND_RM:
        return negative & (rest != 0);
    case ISA_ROUND_RP:
        return !negative & (rest != 0);
    case ISA_ROUND_RNA:
        return rest >= half;
    default:
        return (rest > half) | ((rest == half) & is_odd);
    }
}

/* What overflow gives, as bits without sign. */
LANE_INLINE uint64_t lane_overflow(uint8_t round, bool negative, uint64_t infinity, bool finite_only)
{
    const bool inward = (round == ISA_ROUND_RZ) | ((round == ISA_ROUND_RM) & !negative) |
                        ((round == ISA_ROUND_RP) & negative) | finite_only;
    return inward ? infinity - 1 : infinity;
}

/* x in a narrower format, rounded once in any way. flags: SATFINITE no infinities; RELU negative becomes 0; SAT clamps
 * to [0, 1], NaN to 0. */
LANE_INLINE uint32_t lane_narrow(double x, struct lane_format format, uint8_t round, uint32_t flags)
{
    const uint64_t bits = lane_double_bits(x), magnitude = bits & INT64_MAX;
    const bool negative = bits >> 63 != 0;
    const int32_t exponent = magnitude >> 52 == 0 ? -1022 : (int32_t)(magnitude >> 52) - 1023;
    const uint64_t mantissa = (magnitude & ((UINT64_C(1) << 52) - 1)) | (magnitude >> 52 == 0 ? 0 : UINT64_C(1) << 52);
    const int32_t below = exponent < format.exponent_min ? format.exponent_min - exponent : 0;
    const uint32_t wanted = 52 - format.mantissa_bits + (uint32_t)below, shift = wanted > 60 ? 60 : wanted;
    const uint64_t kept = mantissa >> shift, rest = mantissa & ((UINT64_C(1) << shift) - 1);
    const uint64_t rounded = kept + lane_rounds_up(round, negative, kept & 1, rest, UINT64_C(1) << (shift - 1));
    const uint64_t scale =
        below != 0 ? 0 : (uint64_t)(uint32_t)(exponent - format.exponent_min) << format.mantissa_bits;
    const bool finite_only = (flags & ISA_FLAG_SATFINITE) != 0 || !format.has_infinity;
    uint64_t result = rounded + scale;
    if (magnitude > LANE_INF64) {
        return flags & ISA_FLAG_SAT ? 0 : format.nan;
    }
    if (magnitude == LANE_INF64) {
        result = finite_only ? format.infinity - 1 : format.infinity;
    } else if (result >= format.infinity) {
        result = lane_overflow(round, negative, format.infinity, finite_only);
    }
    if (flags & ISA_FLAG_SAT) {
        const uint64_t one = (uint64_t)(uint32_t)(1 - format.exponent_min) << format.mantissa_bits;
        return negative ? 0 : (uint32_t)(result > one ? one : result);
    }
    if (negative & ((flags & ISA_FLAG_RELU) != 0)) {
        return 0;
    }
    return (uint32_t)result | (negative ? format.sign : 0);
}

/* The same for conversions that keep the sign and the top of a NaN's payload. */
LANE_INLINE uint32_t lane_narrow_keep(double x, struct lane_format format, uint8_t round, uint32_t flags)
{
    const uint32_t payload =
        (uint32_t)((lane_quiet_bits(x) & UINT64_C(0x000fffffffffffff)) >> (52 - format.mantissa_bits));
    const uint32_t nan = format.infinity | payload | (lane_double_bits(x) >> 63 != 0 ? format.sign : 0);
    return x != x && !(flags & ISA_FLAG_SAT) ? nan : lane_narrow(x, format, round, flags);
}

LANE_INLINE uint32_t lane_to_f32(double x)
{
    const uint64_t bits = lane_double_bits(x);
    const uint32_t nan = (uint32_t)(bits >> 32 & 0x80000000U) | 0x7fc00000U | (uint32_t)(bits >> 29 & 0x7fffffU);
    return x != x ? nan : lane_float_bits((float)x);
}

/* The bits of a double of x's value, a NaN's payload kept, as conversion instructions of some processors do not. */
LANE_INLINE uint64_t lane_widen(float x)
{
    const uint64_t bits = lane_float_bits(x);
    const uint64_t nan = (bits & 0x80000000U) << 32 | UINT64_C(0x7ff8000000000000) | (bits & 0x7fffffU) << 29;
    return x != x ? nan : lane_double_bits((double)x);
}

LANE_INLINE uint64_t lane_saturate64(double x)
{
    const double floor = x > 0.0 ? x : 0.0;
    return lane_double_bits(floor < 1.0 ? floor : 1.0);
}

/* Minimum and maximum. Of two equal numbers only zeros differ: their bits' union is -0, their intersection +0. */
LANE_INLINE float lane_minmax32(float x0, float y0, bool want_max, uint32_t flags)
{
    const bool xorsign = (flags & ISA_FLAG_XORSIGN) != 0;
    const float x = xorsign ? lane_abs32(x0) : x0, y = xorsign ? lane_abs32(y0) : y0;
    const uint32_t xb = lane_float_bits(x), yb = lane_float_bits(y);
    const float equal = lane_float(want_max ? xb & yb : xb | yb);
    const float smaller = x < y ? x : y < x ? y : equal, larger = x > y ? x : y > x ? y : equal;
    const float ordered = want_max ? larger : smaller;
    const float number = x != x ? y : y != y ? x : ordered;
    const float strict = x != x ? x : y != y ? y : ordered;
    const float result = flags & ISA_FLAG_NAN ? strict : number;
    const uint32_t sign = (lane_float_bits(x0) ^ lane_float_bits(y0)) & 0x80000000U;
    return xorsign ? lane_float(lane_float_bits(result) | sign) : result;
}

LANE_INLINE double lane_minmax64(double x, double y, bool want_max)
{
    const uint64_t xb = lane_double_bits(x), yb = lane_double_bits(y);
    const double equal = lane_double(want_max ? xb & yb : xb | yb);
    const double smaller = x < y ? x : y < x ? y : equal, larger = x > y ? x : y > x ? y : equal;
    const double ordered = want_max ? larger : smaller;
    const double number = x != x ? y : y != y ? x : ordered;
    return number != number ? lane_double(lane_quiet_bits(number)) : number;
}

#endif
