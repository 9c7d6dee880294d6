/* The 16-bit formats as operands and results: exec_math.h's conversions with .ftz, .sat and .relu around them.
 */
#ifndef SIM_EXEC_HALF_H
#define SIM_EXEC_HALF_H

#include "sim/exec_math.h"

LANE_INLINE uint32_t lane_flush_f16(uint32_t h)
{
    return (h & 0x7c00U) == 0 ? h & 0x8000U : h;
}

LANE_INLINE uint32_t lane_flush_bf16(uint32_t h)
{
    return (h & 0x7f80U) == 0 ? h & 0x8000U : h;
}

/* The value of the 16 bits h. */
LANE_INLINE float lane_in_f16(uint32_t h, uint32_t flags)
{
    return lane_from_f16(flags & ISA_FLAG_FTZ ? lane_flush_f16(h) : h);
}

LANE_INLINE float lane_in_bf16(uint32_t h, uint32_t flags)
{
    return lane_from_bf16(flags & ISA_FLAG_FTZ ? lane_flush_bf16(h) : h);
}

/* Clamps a result; with .relu a NaN stays one, with .sat it becomes 0. */
LANE_INLINE float lane_half_clamp(float x, uint32_t flags)
{
    const float clamped = flags & ISA_FLAG_SAT ? lane_saturate(x) : x;
    const uint32_t below = flags & ISA_FLAG_RELU ? lane_float_bits(clamped) >> 31 : 0;
    return (below & (clamped == clamped ? 1U : 0U)) != 0 ? 0.0F : clamped;
}

/* .ftz flushes what would be below the normal numbers after rounding to 11 bits without a least exponent: 2^-14 less a
 * quarter of its last bit is the first that is not. */
LANE_INLINE uint32_t lane_out_f16(float x, uint32_t flags)
{
    const float clamped = lane_half_clamp(x, flags);
    const uint32_t zero = lane_float_bits(clamped) >> 31 << 15;
    return (flags & ISA_FLAG_FTZ) && lane_abs32(clamped) < 0x1.ffep-15F ? zero : lane_to_f16(clamped);
}

LANE_INLINE uint32_t lane_out_bf16(float x, uint32_t flags)
{
    const uint32_t h = lane_to_bf16(lane_half_clamp(x, flags));
    return flags & ISA_FLAG_FTZ ? lane_flush_bf16(h) : h;
}

/* With .oob: a or b is the NaN that stands for an element outside of its matrix, of either sign. */
LANE_INLINE bool lane_out_of_bounds(uint32_t a, uint32_t b, uint32_t flags)
{
    return (flags & ISA_FLAG_OOB) && ((a & 0x7fffU) == 0x7ff7U || (b & 0x7fffU) == 0x7ff7U);
}

#endif
