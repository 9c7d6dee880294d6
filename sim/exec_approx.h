/* The .approx functions of one lane that are not known bit for bit (exec_mufu.h has the others): computed in double
 * precision with basic operations only, so that they are far more accurate than the PTX ISA demands and the same on
 * every machine.
 *
 * Series are Taylor's in Horner form; ranges are reduced so far that the first dropped term is below 2^-35.
 */
#ifndef SIM_EXEC_APPROX_H
#define SIM_EXEC_APPROX_H

#include "sim/exec_mufu.h"

/* 2^x for |x| <= 0.5: e^(x ln 2). */
LANE_INLINE double lane_exp2_part(double x)
{
    const double t = x * 0x1.62e42fefa39efp-1;
    double sum = 1.0 / 3628800;
    sum = sum * t + 1.0 / 362880;
    sum = sum * t + 1.0 / 40320;
    sum = sum * t + 1.0 / 5040;
    sum = sum * t + 1.0 / 720;
    sum = sum * t + 1.0 / 120;
    sum = sum * t + 1.0 / 24;
    sum = sum * t + 1.0 / 6;
    sum = sum * t + 0.5;
    sum = sum * t + 1.0;
    return sum * t + 1.0;
}

/* 2^x in double, x between -1000 and 1000 after clamping; NaN stays. */
LANE_INLINE double lane_exp2_wide(double x)
{
    const double low = x < -1000.0 ? -1000.0 : x, clamped = low > 1000.0 ? 1000.0 : low;
    const double whole = (clamped + 0x1.8p52) - 0x1.8p52;
    const uint64_t exponent = lane_double_bits(whole + 0x1.8p52) & 0xfffU;
    const uint64_t scale = ((exponent + 1023) & 0x7ffU) << 52;
    return lane_exp2_part(clamped - whole) * lane_double(scale);
}

LANE_INLINE float lane_ex2(float x)
{
    return (float)lane_exp2_wide((double)x);
}

/* tanh x = 1 - 2 / (e^2x + 1); small arguments are their own tanh. */
LANE_INLINE float lane_tanh(float x)
{
    const double magnitude = lane_abs64((double)x);
    const double power = lane_exp2_wide(magnitude * 0x1.71547652b82fep1);
    const double large = (power - 1.0) / (power + 1.0);
    const double result = magnitude < 0x1p-12 ? magnitude : large;
    return x != x ? x : lane_copysign32((float)result, x);
}

/* div.approx multiplies by a reciprocal: 0 for divisors above 2^126, and of a scaled divisor if that is subnormal. */
LANE_INLINE float lane_div_approx(float x, float y)
{
    const float scale = lane_abs32(y) < 0x1p-126F ? 0x1p24F : 1.0F;
    const float reciprocal = lane_abs32(y) > 0x1p126F ? lane_copysign32(0.0F, y) : lane_mufu_rcp(y * scale);
    return (x * scale) * reciprocal;
}

/* The gross approximations of double precision: only the high word of the source counts, and the low word of the result
 * is zero. Subnormals are flushed. */
LANE_INLINE double lane_high_word(double x)
{
    const uint64_t bits = lane_double_bits(x) & UINT64_C(0xffffffff00000000);
    const uint64_t flushed = (bits & LANE_INF64) == 0 ? bits & UINT64_C(0x8000000000000000) : bits;
    return lane_double(flushed);
}

LANE_INLINE double lane_rcp64_gross(double x)
{
    const double high = lane_high_word(x);
    return lane_high_word(high != high ? lane_double(UINT64_C(0x7fffffff00000000)) : 1.0 / high);
}

LANE_INLINE double lane_rsqrt64_gross(double x)
{
    const double high = lane_high_word(x);
    return lane_high_word(high != high || high < 0.0 ? lane_double(UINT64_C(0x7fffffff00000000))
                                                     : 1.0 / __builtin_sqrt(high));
}

#endif
