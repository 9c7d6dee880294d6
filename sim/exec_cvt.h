/* Conversions of one lane between integers and floating-point formats; exec_math.h has those between the latter.
 */
#ifndef SIM_EXEC_CVT_H
#define SIM_EXEC_CVT_H

#include "sim/exec_half.h"

/* Integers clamped to a range. */
LANE_INLINE uint64_t lane_clamp_u(uint64_t x, uint64_t max)
{
    return x > max ? max : x;
}

LANE_INLINE int64_t lane_clamp_s(int64_t x, int64_t min, int64_t max)
{
    return x < min ? min : x > max ? max : x;
}

/* An integer's magnitude in a floating-point format, as bits without sign. */
LANE_INLINE uint64_t lane_from_magnitude(uint64_t x, bool negative, uint32_t mantissa_bits, int32_t exponent_min,
                                         uint64_t infinity, uint8_t round)
{
    const uint64_t safe = x == 0 ? 1 : x;
    const int32_t zeros = __builtin_clzll(safe);
    const uint32_t shift = 63 - mantissa_bits;
    const uint64_t mantissa = safe << zeros, kept = mantissa >> shift;
    const uint64_t rest = mantissa & ((UINT64_C(1) << shift) - 1);
    const uint64_t rounded = kept + lane_rounds_up(round, negative, kept & 1, rest, UINT64_C(1) << (shift - 1));
    const uint64_t result = ((uint64_t)(uint32_t)(63 - zeros - exponent_min) << mantissa_bits) + rounded;
    return x == 0 ? 0 : result >= infinity ? lane_overflow(round, negative, infinity, false) : result;
}

#define LANE_FROM_MAGNITUDE(format, x, negative, round)                                                                \
    lane_from_magnitude(x, negative, (format).mantissa_bits, (format).exponent_min, (format).infinity, round)

/* x is a number cut to an integer: as an int32_t if it fits, else the nearest one; NaN gives `nan`. */
LANE_INLINE uint32_t lane_f32_to_s32(float x)
{
    const bool fits = (x >= -0x1p31F) & (x < 0x1p31F);
    const int32_t value = (int32_t)(fits ? x : 0.0F);
    const uint32_t limit = x < 0.0F ? 0x80000000U : x > 0.0F ? 0x7fffffffU : 0U;
    return fits ? (uint32_t)value : limit;
}

LANE_INLINE uint32_t lane_f32_to_u32(float x)
{
    const bool fits = (x >= 0.0F) & (x < 0x1p32F), low = x < 0x1p31F;
    const float safe = fits ? x : 0.0F;
    const int32_t value = (int32_t)(low ? safe : safe - (fits ? 0x1p31F : 0.0F));
    const uint32_t limit = x > 0.0F ? 0xffffffffU : 0U;
    return fits ? (uint32_t)value + (low ? 0U : 0x80000000U) : limit;
}

LANE_INLINE uint32_t lane_f32_to_range(float x, float min, float max)
{
    const float low = x < min ? min : x, clamped = low > max ? max : low;
    return (uint32_t)(int32_t)(x == x ? clamped : 0.0F);
}

LANE_INLINE uint32_t lane_f64_to_range(double x, double min, double max, uint32_t nan)
{
    const double low = x < min ? min : x, clamped = low > max ? max : low;
    return x == x ? (uint32_t)(int64_t)(x == x ? clamped : 0.0) : nan;
}

LANE_INLINE uint64_t lane_f64_to_s64(double x)
{
    const bool fits = (x >= -0x1p63) & (x < 0x1p63);
    const uint64_t limit = x > 0.0 ? (uint64_t)INT64_MAX : ~(uint64_t)INT64_MAX; /* also of a NaN */
    return fits ? (uint64_t)(int64_t)(fits ? x : 0.0) : limit;
}

LANE_INLINE uint64_t lane_f64_to_u64(double x)
{
    const bool fits = (x >= 0.0) & (x < 0x1p64), low = x < 0x1p63;
    const double safe = fits ? x : 0.0;
    const uint64_t value = (uint64_t)(int64_t)((low | !fits) ? safe : safe - 0x1p63);
    const uint64_t limit = x > 0.0 ? UINT64_MAX : x < 0.0 ? 0 : ~(uint64_t)INT64_MAX;
    return fits ? value + (low ? 0 : UINT64_C(1) << 63) : limit;
}

/* One name for each destination, from float and from double. */
#define F32_TO_u8(x)  lane_f32_to_range(x, 0.0F, 255.0F)
#define F32_TO_s8(x)  lane_f32_to_range(x, -128.0F, 127.0F)
#define F32_TO_u16(x) lane_f32_to_range(x, 0.0F, 65535.0F)
#define F32_TO_s16(x) lane_f32_to_range(x, -32768.0F, 32767.0F)
#define F32_TO_u32(x) lane_f32_to_u32(x)
#define F32_TO_s32(x) lane_f32_to_s32(x)
#define F32_TO_u64(x) lane_f64_to_u64((double)(x))
#define F32_TO_s64(x) lane_f64_to_s64((double)(x))
#define F64_TO_u8(x)  lane_f64_to_range(x, 0.0, 255.0, 0x80U)
#define F64_TO_s8(x)  lane_f64_to_range(x, -128.0, 127.0, 0x80U)
#define F64_TO_u16(x) lane_f64_to_range(x, 0.0, 65535.0, 0x8000U)
#define F64_TO_s16(x) lane_f64_to_range(x, -32768.0, 32767.0, 0x8000U)
#define F64_TO_u32(x) lane_f64_to_range(x, 0.0, 4294967295.0, 0x80000000U)
#define F64_TO_s32(x) lane_f64_to_range(x, -2147483648.0, 2147483647.0, 0x80000000U)
#define F64_TO_u64(x) lane_f64_to_u64(x)
#define F64_TO_s64(x) lane_f64_to_s64(x)

/* cvt.rna.tf32: half of the last kept bit is added to the magnitude and the rest cut off; infinities and NaNs are only
 * cut. .satfinite takes one unit from what has the highest exponent then, NaNs included. */
LANE_INLINE uint32_t lane_tf32_away(uint32_t x, uint32_t finite_only)
{
    const uint32_t rounded = ((x & LANE_INF32) == LANE_INF32 ? x : x + 0x1000U) & ~0x1fffU;
    return finite_only && (rounded & LANE_INF32) == LANE_INF32 ? rounded - 0x2000U : rounded;
}

/* The 8-bit formats as f16, which holds each of their numbers. e5m2 is the upper half of an f16. */
LANE_INLINE uint32_t lane_e5m2_to_f16(uint32_t byte)
{
    return (byte & 0x7fU) > 0x7cU ? LANE_NAN16 : byte << 8;
}

LANE_INLINE uint32_t lane_e4m3_to_f16(uint32_t byte)
{
    const uint32_t magnitude = byte & 0x7fU, sign = (byte & 0x80U) << 8;
    const uint32_t subnormal = lane_to_f16((float)(int32_t)magnitude * 0x1p-9F);
    const uint32_t normal = (magnitude << 7) + (8U << 10);
    return magnitude == 0x7fU ? LANE_NAN16 : sign | (magnitude < 8U ? subnormal : normal);
}

#endif
