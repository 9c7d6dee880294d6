/* MUFU, the unit of approximate functions, bit for bit as on an H200 (docs/mufu.md).
 *
 * A function's argument is cut into pieces; in a piece the value is c0 + c1 x + c2 s, x being 17 bits of the argument
 * and s their square without the partial products that are worth less than 2^-15 of the whole. The sum is exact in a
 * double and is cut off, toward zero, at the digits of an f32. */
#ifndef SIM_EXEC_MUFU_H
#define SIM_EXEC_MUFU_H

#include "sim/exec_math.h"

struct sim_mufu_row {
    double c0, c1, c2;
};
enum { /* where a function's rows begin; _ODD: of arguments with an odd exponent */
       SIM_MUFU_RCP = 0,
       SIM_MUFU_RSQ = 128,
       SIM_MUFU_SQRT = 256,
       SIM_MUFU_EX2 = 384,
       SIM_MUFU_LG2 = 448,
       SIM_MUFU_SIN = 512,
       SIM_MUFU_ROWS = 576
};
extern const struct sim_mufu_row sim_mufu_rows[SIM_MUFU_ROWS];

/* Of bits 2 to 8 only the products with high bits count, and of bit 9 not its own square. */
LANE_INLINE double lane_mufu_sum(uint32_t row, uint32_t x)
{
    const uint32_t high = x >> 9;
    uint32_t square = (high * high - (high & 1U)) >> 1;
    for (uint32_t bit = 2; bit <= 8; bit++)
        square += (x >> bit & 1U) * (x >> (18 - bit));
    const struct sim_mufu_row *r = &sim_mufu_rows[row];
    return r->c0 + r->c1 * (double)(int32_t)x + r->c2 * (double)(int32_t)square;
}

/* Two to the power of n, -1000 .. 1000. */
LANE_INLINE double lane_mufu_power(int32_t n)
{
    return lane_double((uint64_t)(uint32_t)(n + 1023) << 52);
}

LANE_INLINE float lane_mufu_cut(double x)
{
    return (float)lane_double(lane_double_bits(x) & ~(uint64_t)0x1fffffff);
}

/* An f32's exponent and fraction; a subnormal one's as if it had more digits. */
LANE_INLINE int32_t lane_mufu_exponent(uint64_t bits)
{
    return (int32_t)(bits >> 52 & 0x7ffU) - 1023;
}

LANE_INLINE uint32_t lane_mufu_fraction(uint64_t bits)
{
    return (uint32_t)(bits >> 29) & 0x7fffffU;
}

LANE_INLINE float lane_mufu_rcp(float x)
{
    const uint64_t bits = lane_double_bits((double)x);
    const uint32_t fraction = lane_mufu_fraction(bits);
    const double sum = lane_mufu_sum(SIM_MUFU_RCP + (fraction >> 16), (fraction & 0xffffU) << 1);
    const bool finite = lane_abs32(x) > 0.0F && lane_abs32(x) < INFINITY;
    const float value = lane_mufu_cut(sum * lane_mufu_power(finite ? -lane_mufu_exponent(bits) : 0));
    return x != x ? x : lane_copysign32(finite ? value : x == 0.0F ? INFINITY : 0.0F, x);
}

/* Row of the fraction, by the exponent's parity too; the exponent halved, downward. */
LANE_INLINE uint32_t lane_mufu_root_row(uint64_t bits)
{
    const uint32_t odd = (uint32_t)lane_mufu_exponent(bits) & 1U;
    return odd * 64 + (lane_mufu_fraction(bits) >> 17);
}

LANE_INLINE int32_t lane_mufu_half(uint64_t bits)
{
    return (lane_mufu_exponent(bits) + 1024) / 2 - 512;
}

LANE_INLINE float lane_mufu_rsqrt(float x)
{
    const uint64_t bits = lane_double_bits((double)x);
    const uint32_t fraction = lane_mufu_fraction(bits), row = lane_mufu_root_row(bits);
    const double sum = lane_mufu_sum(SIM_MUFU_RSQ + row, fraction & 0x1ffffU);
    const bool finite = x > 0.0F && x < INFINITY;
    const double one = fraction == 0 && row == 0 ? 1.0 : sum; /* a power of 4 */
    const float value = lane_mufu_cut(one * lane_mufu_power(finite ? -lane_mufu_half(bits) : 0));
    const float special = x == 0.0F ? lane_copysign32(INFINITY, x) : x > 0.0F ? 0.0F : NAN;
    return finite ? value : special;
}

LANE_INLINE float lane_mufu_sqrt(float x)
{
    const uint64_t bits = lane_double_bits((double)x);
    const double sum = lane_mufu_sum(SIM_MUFU_SQRT + lane_mufu_root_row(bits), lane_mufu_fraction(bits) & 0x1ffffU);
    const bool finite = x > 0.0F && x < INFINITY;
    const float value = lane_mufu_cut(sum * lane_mufu_power(finite ? lane_mufu_half(bits) : 0));
    return finite ? value : x < 0.0F ? NAN : x; /* also of -0, infinity, NaN */
}

/* The exponent plus the fraction's logarithm; its magnitude has 36 binary places. */
LANE_INLINE float lane_mufu_lg2_ftz(float x)
{
    const uint64_t bits = lane_double_bits((double)x);
    const uint32_t fraction = lane_mufu_fraction(bits);
    const double sum = lane_mufu_sum(SIM_MUFU_LG2 + (fraction >> 17), fraction & 0x1ffffU);
    const bool finite = x > 0.0F && x < INFINITY;
    const double whole = (double)(finite ? lane_mufu_exponent(bits) : 0), value = whole + sum;
    const double magnitude = (double)(int64_t)(lane_abs64(value) * 0x1p36) * 0x1p-36;
    const float cut = lane_mufu_cut(value < 0.0 ? -magnitude : magnitude);
    const float special = x == 0.0F ? -INFINITY : x > 0.0F ? x : NAN;
    return x == 1.0F ? 0.0F : finite ? cut : special;
}

/* As ptxas makes it without .ftz: a subnormal number is scaled first. */
LANE_INLINE float lane_mufu_lg2(float x)
{
    const bool small = lane_abs32(x) < 0x1p-126F;
    return lane_mufu_lg2_ftz(small ? x * 0x1p24F : x) - (small ? 24.0F : 0.0F);
}

/* 23 binary places of the argument count; those of a negative number are turned over, not subtracted from 1. */
LANE_INLINE float lane_mufu_ex2_ftz(float x)
{
    const double magnitude = lane_abs64((double)x), small = magnitude < 1000.0 ? magnitude : 1000.0;
    const int32_t places = (int32_t)((int64_t)(small * 0x1p23) & 0x7fffff), whole = (int32_t)small;
    const bool negative = x < 0.0F, turned = negative && places != 0;
    const uint32_t fraction = (uint32_t)(turned ? 0x7fffff - places : places);
    const int32_t power = negative ? -whole - turned : whole;
    const double sum = lane_mufu_sum(SIM_MUFU_EX2 + (fraction >> 17), fraction & 0x1ffffU);
    const float value = lane_mufu_cut((fraction == 0 ? 1.0 : sum) * lane_mufu_power(power));
    return x != x ? x : value;
}

/* As ptxas makes it without .ftz: where the result may be subnormal it is the square of a root. */
LANE_INLINE float lane_mufu_ex2(float x)
{
    const bool small = x < -126.0F;
    const float value = lane_mufu_ex2_ftz(small ? x * 0.5F : x);
    return small ? value * value : value;
}

/* The sine of so many turns of the circle, of which 25 binary places count; in the second and the fourth quarter they
 * are turned over. `ahead`: quarters that are added, 1 for the cosine. NaN for infinity. */
LANE_INLINE float lane_mufu_turns(float turns, uint32_t ahead)
{
    const double magnitude = lane_abs64((double)turns), part = magnitude < 0x1p24 ? magnitude : 0.0;
    const uint32_t places = ((uint32_t)(uint64_t)(part * 0x1p25) + (ahead << 23)) & 0x1ffffffU;
    const uint32_t quarter = places >> 23, low = places & 0x7fffffU;
    const uint32_t at = (quarter & 1U) != 0 ? 0x7fffffU - low : low;
    const float value = lane_mufu_cut(lane_mufu_sum(SIM_MUFU_SIN + (at >> 17), at & 0x1ffffU));
    const bool flipped = ahead == 0 && lane_float_bits(turns) >> 31 != 0;
    const float result = flipped != (quarter >= 2) ? -value : value;
    return magnitude < INFINITY ? result : NAN;
}

/* As the GPU's sin.approx: the argument times 1 / (2 pi), cut off; subnormal numbers are zero. */
LANE_INLINE float lane_mufu_in_turns(float x)
{
    const double product = (double)lane_float(lane_flush_bits(lane_float_bits(x))) * 0x1.45f306p-3;
    const float nearest = (float)product;
    const uint32_t away = lane_abs64((double)nearest) > lane_abs64(product);
    return lane_float(lane_float_bits(nearest) - away);
}

#endif
