/* The .approx functions of one lane. The GPU's own tables are not public; these are computed in double precision with
 * basic operations only, so that they are far more accurate than the PTX ISA demands and the same on every machine.
 *
 * Series are Taylor's in Horner form; ranges are reduced so far that the first dropped term is below 2^-35.
 */
#ifndef SIM_EXEC_APPROX_H
#define SIM_EXEC_APPROX_H

#include "sim/exec_math.h"

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

/* Base-2 logarithm: exponent plus 2/ln 2 * atanh((m-1)/(m+1)) for a mantissa m between sqrt(1/2) and sqrt(2). */
LANE_INLINE float lane_lg2(float x)
{
    const uint64_t bits = lane_double_bits((double)x);
    const uint64_t big = (bits & UINT64_C(0x000fffffffffffff)) > UINT64_C(0x6a09e667f3bcd);
    const double m = lane_double((bits & UINT64_C(0x000fffffffffffff)) | (UINT64_C(1023) - big) << 52);
    const double exponent = lane_double(((bits >> 52) + big) | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023.0);
    const double s = (m - 1.0) / (m + 1.0), t = s * s;
    double sum = 1.0 / 15;
    sum = sum * t + 1.0 / 13;
    sum = sum * t + 1.0 / 11;
    sum = sum * t + 1.0 / 9;
    sum = sum * t + 1.0 / 7;
    sum = sum * t + 1.0 / 5;
    sum = sum * t + 1.0 / 3;
    sum = sum * t + 1.0;
    const float finite = (float)(exponent + s * sum * 0x1.71547652b82fep1);
    const float special = x > 0.0F ? x : x == 0.0F ? -INFINITY : NAN;
    return ((x > 0.0F) & (x < INFINITY)) ? finite : special;
}

/* sin(2 pi t) for |t| <= 0.25. */
LANE_INLINE double lane_sine_part(double t)
{
    const double x = t * 0x1.921fb54442d18p2, q = -x * x;
    double sum = 1.0 / 355687428096000;
    sum = sum * q + 1.0 / 1307674368000;
    sum = sum * q + 1.0 / 6227020800;
    sum = sum * q + 1.0 / 39916800;
    sum = sum * q + 1.0 / 362880;
    sum = sum * q + 1.0 / 5040;
    sum = sum * q + 1.0 / 120;
    sum = sum * q + 1.0 / 6;
    return x + x * q * sum;
}

/* As on the GPU, the argument is first brought to turns, as a float cut off: that fixes what large arguments give. The
 * part of a whole turn is then exact. */
LANE_INLINE double lane_turn_part(float x)
{
    const double product = (double)x * 0x1.45f306p-3;
    const float nearest = (float)product;
    const uint32_t away = lane_abs64((double)nearest) > lane_abs64(product);
    const double turns = (double)lane_float(lane_float_bits(nearest) - away);
    return turns - lane_nearest64(turns); /* NaN for infinity */
}

/* Subnormal arguments count as zero. */
LANE_INLINE float lane_sin(float x)
{
    const double t = lane_turn_part(lane_float(lane_flush_bits(lane_float_bits(x)))), magnitude = lane_abs64(t);
    const double folded = magnitude > 0.25 ? 0.5 - magnitude : magnitude;
    const float result = (float)lane_sine_part(folded);
    return t != t ? NAN : lane_copysign32(result, t == 0.0 ? x : t < 0.0 ? -1.0F : 1.0F);
}

LANE_INLINE float lane_cos(float x)
{
    const double t = lane_turn_part(x);
    return t != t ? NAN : (float)lane_sine_part(0.25 - lane_abs64(t));
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

LANE_INLINE float lane_rsqrt(float x)
{
    return (float)(1.0 / __builtin_sqrt((double)x)); /* -0 gives -infinity, negative numbers NaN */
}

/* div.approx multiplies by a reciprocal: 0 for divisors above 2^126, and of a scaled divisor if that is subnormal. */
LANE_INLINE float lane_div_approx(float x, float y)
{
    const float scale = lane_abs32(y) < 0x1p-126F ? 0x1p24F : 1.0F;
    const float reciprocal = lane_abs32(y) > 0x1p126F ? lane_copysign32(0.0F, y) : 1.0F / (y * scale);
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
