/* Integer arithmetic of one lane that is more than one C expression. Everything is total and free of branches where
 * that lets the loop be vectorised.
 */
#ifndef SIM_EXEC_INT_H
#define SIM_EXEC_INT_H

#include "sim/exec_lane.h"

#define LANE_MIN(x, y) ((x) < (y) ? (x) : (y))
#define LANE_MAX(x, y) ((x) > (y) ? (x) : (y))

/* Absolute difference, as the unsigned type of the same width. */
#define LANE_DISTANCE(U, x, y) ((x) < (y) ? (U)((U)(y) - (U)(x)) : (U)((U)(x) - (U)(y)))

LANE_INLINE uint32_t lane_mulhi_u32(uint32_t x, uint32_t y)
{
    return (uint32_t)(((uint64_t)x * y) >> 32);
}

LANE_INLINE uint32_t lane_mulhi_s32(int32_t x, int32_t y)
{
    return (uint32_t)((uint64_t)((int64_t)x * y) >> 32);
}

LANE_INLINE uint64_t lane_mulhi_u64(uint64_t x, uint64_t y)
{
    const uint64_t xl = (uint32_t)x, xh = x >> 32, yl = (uint32_t)y, yh = y >> 32;
    const uint64_t middle = xh * yl + (xl * yl >> 32);
    const uint64_t middle2 = xl * yh + (uint32_t)middle;
    return xh * yh + (middle >> 32) + (middle2 >> 32);
}

LANE_INLINE uint64_t lane_mulhi_s64(int64_t x, int64_t y)
{
    const uint64_t ux = (uint64_t)x, uy = (uint64_t)y;
    return lane_mulhi_u64(ux, uy) - (x < 0 ? uy : 0) - (y < 0 ? ux : 0);
}

/* Clamps a sum of two s32 to s32. */
LANE_INLINE int32_t lane_add_sat(int32_t x, int32_t y)
{
    const int32_t sum = (int32_t)((uint32_t)x + (uint32_t)y);
    const int32_t limit = x < 0 ? INT32_MIN : INT32_MAX;
    return ((x ^ sum) & (y ^ sum)) < 0 ? limit : sum;
}

LANE_INLINE int32_t lane_sub_sat(int32_t x, int32_t y)
{
    const int32_t difference = (int32_t)((uint32_t)x - (uint32_t)y);
    const int32_t limit = x < 0 ? INT32_MIN : INT32_MAX;
    return ((x ^ y) & (x ^ difference)) < 0 ? limit : difference;
}

/* Quotient of 32-bit numbers through doubles, which processors divide several at a time. The double quotient is
 * correctly rounded, and the true one is at least 1/y below the next integer, which is more than half a unit of the
 * double: so the floor is right. 2^52 + n has n in its low bits. */
LANE_INLINE uint32_t lane_div_u32(uint32_t x, uint32_t y)
{
    const double magic = 0x1p52;
    const uint64_t magic_bits = UINT64_C(0x4330000000000000);
    const uint32_t divisor = y == 0 ? 1 : y;
    const double quotient = (lane_double(magic_bits | x) - magic) / (lane_double(magic_bits | divisor) - magic);
    const double nearest = (quotient + magic) - magic;
    const double floor = nearest > quotient ? nearest - 1.0 : nearest;
    return y == 0 ? UINT32_MAX : (uint32_t)lane_double_bits(floor + magic);
}

/* What the GPU's division routines leave for a zero divisor: all ones, quotient and remainder alike. */
LANE_INLINE uint32_t lane_rem_u32(uint32_t x, uint32_t y)
{
    return y == 0 ? UINT32_MAX : x - lane_div_u32(x, y) * y;
}

LANE_INLINE uint32_t lane_magnitude_u32(int32_t x)
{
    return x < 0 ? 0U - (uint32_t)x : (uint32_t)x;
}

LANE_INLINE uint32_t lane_div_s32(int32_t x, int32_t y)
{
    const uint32_t quotient = lane_div_u32(lane_magnitude_u32(x), lane_magnitude_u32(y));
    return y == 0 ? UINT32_MAX : (x ^ y) < 0 ? 0U - quotient : quotient;
}

LANE_INLINE uint32_t lane_rem_s32(int32_t x, int32_t y)
{
    return y == 0 ? UINT32_MAX : (uint32_t)x - lane_div_s32(x, y) * (uint32_t)y;
}

LANE_INLINE uint64_t lane_div_u64(uint64_t x, uint64_t y)
{
    return y == 0 ? UINT64_MAX : x / y;
}

LANE_INLINE uint64_t lane_rem_u64(uint64_t x, uint64_t y)
{
    return y == 0 ? UINT64_MAX : x % y;
}

LANE_INLINE uint64_t lane_magnitude_u64(int64_t x)
{
    return x < 0 ? 0U - (uint64_t)x : (uint64_t)x;
}

LANE_INLINE uint64_t lane_div_s64(int64_t x, int64_t y)
{
    const uint64_t quotient = lane_div_u64(lane_magnitude_u64(x), lane_magnitude_u64(y));
    return y == 0 ? UINT64_MAX : (x ^ y) < 0 ? 0U - quotient : quotient;
}

LANE_INLINE uint64_t lane_rem_s64(int64_t x, int64_t y)
{
    return y == 0 ? UINT64_MAX : (uint64_t)x - lane_div_s64(x, y) * (uint64_t)y;
}

/* Bits. */
LANE_INLINE uint32_t lane_popc32(uint32_t x)
{
    x -= (x >> 1) & 0x55555555U;
    x = (x & 0x33333333U) + ((x >> 2) & 0x33333333U);
    x = (x + (x >> 4)) & 0x0f0f0f0fU;
    x += x >> 8;
    return (x + (x >> 16)) & 63U;
}

LANE_INLINE uint32_t lane_clz32(uint32_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return lane_popc32(~x);
}

LANE_INLINE uint32_t lane_clz64(uint32_t low, uint32_t high)
{
    return high != 0 ? lane_clz32(high) : 32U + lane_clz32(low);
}

LANE_INLINE uint32_t lane_brev32(uint32_t x)
{
    x = (x >> 1 & 0x55555555U) | (x & 0x55555555U) << 1;
    x = (x >> 2 & 0x33333333U) | (x & 0x33333333U) << 2;
    x = (x >> 4 & 0x0f0f0f0fU) | (x & 0x0f0f0f0fU) << 4;
    x = (x >> 8 & 0x00ff00ffU) | (x & 0x00ff00ffU) << 8;
    return x >> 16 | x << 16;
}

/* From the number of leading zeros to bfind's answer. */
LANE_INLINE uint32_t lane_bfind(uint32_t zeros, uint32_t width, uint32_t shiftamt)
{
    return zeros == width ? UINT32_MAX : shiftamt ? zeros : width - 1U - zeros;
}

LANE_INLINE uint32_t lane_fns(uint32_t mask, int32_t base, int32_t offset)
{
    int32_t position = base;
    uint32_t left = lane_magnitude_u32(offset);
    const int32_t step = offset < 0 ? -1 : 1;
    if (offset == 0) {
        return base >= 0 && base < 32 && (mask >> base & 1U) != 0 ? (uint32_t)base : UINT32_MAX;
    }
    while (position >= 0 && position < 32) {
        left -= mask >> position & 1U;
        if (left == 0) {
            return (uint32_t)position;
        }
        position += step;
    }
    return UINT32_MAX;
}

/* The low n bits set, for n of at least 32 (64) all. */
LANE_INLINE uint32_t lane_low_mask32(uint32_t n)
{
    return n >= 32 ? UINT32_MAX : (1U << (n & 31U)) - 1U;
}

LANE_INLINE uint64_t lane_low_mask64(uint32_t n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << (n & 63U)) - 1U;
}

LANE_INLINE uint32_t lane_shl32(uint32_t x, uint32_t n)
{
    return n >= 32 ? 0U : x << (n & 31U);
}

LANE_INLINE uint32_t lane_shr32(uint32_t x, uint32_t n)
{
    return n >= 32 ? 0U : x >> (n & 31U);
}

LANE_INLINE uint64_t lane_shl64(uint64_t x, uint32_t n)
{
    return n >= 64 ? 0U : x << (n & 63U);
}

LANE_INLINE uint64_t lane_shr64(uint64_t x, uint32_t n)
{
    return n >= 64 ? 0U : x >> (n & 63U);
}

/* Arithmetic right shift, also of negative numbers, where C leaves it to the compiler. */
LANE_INLINE uint32_t lane_sar32(uint32_t x, uint32_t n)
{
    const uint32_t sign = 0U - (x >> 31), count = LANE_MIN(n, 31U);
    return ((x ^ sign) >> count) ^ sign;
}

LANE_INLINE uint64_t lane_sar64(uint64_t x, uint32_t n)
{
    const uint64_t sign = UINT64_C(0) - (x >> 63);
    const uint32_t count = LANE_MIN(n, 63U);
    return ((x ^ sign) >> count) ^ sign;
}

LANE_INLINE uint32_t lane_bfe32(uint32_t x, uint32_t position, uint32_t length, uint32_t is_signed)
{
    const uint32_t pos = position & 255U, len = length & 255U;
    const uint32_t last = len == 0 ? 0 : LANE_MIN(pos + len - 1U, 31U);
    const uint32_t fill = is_signed && len != 0 ? 0U - (x >> last & 1U) : 0U;
    const uint32_t taken = lane_low_mask32(len) & (pos >= 32 ? 0U : UINT32_MAX >> (pos & 31U));
    return (lane_shr32(x, pos) & taken) | (fill & ~taken);
}

/* Of 64 bits, position and length count in full; of 32 bits only their low bytes do. */
LANE_INLINE uint64_t lane_bfe64(uint64_t x, uint32_t position, uint32_t length, uint32_t is_signed)
{
    const uint32_t pos = LANE_MIN(position, 64U), len = LANE_MIN(length, 64U);
    const uint32_t last = len == 0 ? 0 : LANE_MIN(pos + len - 1U, 63U);
    const uint64_t fill = is_signed && len != 0 ? UINT64_C(0) - (x >> last & 1U) : 0U;
    const uint64_t taken = lane_low_mask64(len) & (pos >= 64 ? 0U : UINT64_MAX >> (pos & 63U));
    return (lane_shr64(x, pos) & taken) | (fill & ~taken);
}

LANE_INLINE uint32_t lane_bfi32(uint32_t x, uint32_t into, uint32_t position, uint32_t length)
{
    const uint32_t field = lane_shl32(lane_low_mask32(length & 255U), position & 255U);
    return (into & ~field) | (lane_shl32(x, position & 255U) & field);
}

LANE_INLINE uint64_t lane_bfi64(uint64_t x, uint64_t into, uint32_t position, uint32_t length)
{
    const uint64_t field = lane_shl64(lane_low_mask64(length), position);
    return (into & ~field) | (lane_shl64(x, position) & field);
}

LANE_INLINE uint32_t lane_bmsk(uint32_t position, uint32_t width, uint32_t clamp)
{
    const uint32_t pos = position & 31U, wid = width & 31U;
    const uint32_t begin = clamp && position >= 32 ? 0U : UINT32_MAX << pos;
    const uint32_t full = (clamp && (position >= 32 || width >= 32)) || pos + wid >= 32;
    return begin & (full ? UINT32_MAX : ~(UINT32_MAX << ((pos + wid) & 31U)));
}

LANE_INLINE uint32_t lane_szext(uint32_t x, uint32_t width, uint32_t clamp, uint32_t is_signed)
{
    const uint32_t wid = width & 31U;
    const uint32_t above = clamp && width >= 32 ? 0U : UINT32_MAX << wid;
    const uint32_t sign = is_signed && wid != 0 ? x >> ((wid - 1U) & 31U) & 1U : 0U;
    return (x & ~above) | (sign ? above : 0U);
}

LANE_INLINE uint32_t lane_shf_left(uint32_t low, uint32_t high, uint32_t n)
{
    return lane_shl32(high, n) | lane_shr32(low, 32U - n);
}

LANE_INLINE uint32_t lane_shf_right(uint32_t low, uint32_t high, uint32_t n)
{
    return lane_shl32(high, 32U - n) | lane_shr32(low, n);
}

/* One byte of prmt: selector bits 0-2 name a byte of [high:low], bit 3 asks for its sign instead. */
LANE_INLINE uint32_t lane_prmt_byte(uint32_t low, uint32_t high, uint32_t selector)
{
    const uint32_t word = (selector & 4U) ? high : low;
    const uint32_t byte = word >> ((selector & 3U) * 8U) & 255U;
    return (selector & 8U) ? (byte & 128U ? 255U : 0U) : byte;
}

LANE_INLINE uint32_t lane_prmt(uint32_t low, uint32_t high, uint32_t selectors)
{
    return lane_prmt_byte(low, high, selectors) | lane_prmt_byte(low, high, selectors >> 4) << 8 |
           lane_prmt_byte(low, high, selectors >> 8) << 16 | lane_prmt_byte(low, high, selectors >> 12) << 24;
}

/* The selectors that prmt's modes stand for; n is the low two bits of the control. */
LANE_INLINE uint32_t lane_prmt_selectors(uint32_t control, uint32_t mode)
{
    const uint32_t n = control & 3U;
    switch (mode) {
    case ISA_PRMT_F4E:
        return 0x3210U + 0x1111U * n;
    case ISA_PRMT_B4E:
        return (n | ((n - 1U) & 7U) << 4 | ((n - 2U) & 7U) << 8 | ((n - 3U) & 7U) << 12);
    case ISA_PRMT_RC8:
        return 0x1111U * n;
    case ISA_PRMT_ECL:
        return n | LANE_MAX(1U, n) << 4 | LANE_MAX(2U, n) << 8 | 3U << 12;
    case ISA_PRMT_ECR:
        return LANE_MIN(1U, n) << 4 | LANE_MIN(2U, n) << 8 | LANE_MIN(3U, n) << 12;
    case ISA_PRMT_RC16:
        return (n & 1U) ? 0x3232U : 0x1010U;
    default:
        return control & 0xffffU;
    }
}

/* lop3: the table's bit says, for each of the eight combinations of bits, whether the result has a one. */
LANE_INLINE uint32_t lane_lop3(uint32_t x, uint32_t y, uint32_t z, uint32_t table)
{
    uint32_t result = 0;
    for (uint32_t combination = 0; combination < 8; combination++) {
        const uint32_t wanted = 0U - (table >> combination & 1U);
        result |= wanted & (combination & 4U ? x : ~x) & (combination & 2U ? y : ~y) & (combination & 1U ? z : ~z);
    }
    return result;
}

/* Element k of a register of bytes or halves, extended to 32 bits. */
LANE_INLINE uint32_t lane_byte(uint32_t x, uint32_t k, uint32_t is_signed)
{
    const uint32_t byte = x >> (8U * k) & 255U;
    return is_signed ? (byte ^ 128U) - 128U : byte;
}

LANE_INLINE uint32_t lane_half(uint32_t x, uint32_t k, uint32_t is_signed)
{
    const uint32_t half = x >> (16U * k) & 65535U;
    return is_signed ? (half ^ 32768U) - 32768U : half;
}

LANE_INLINE uint32_t lane_dp4a(uint32_t x, uint32_t y, uint32_t sum, uint32_t x_signed, uint32_t y_signed)
{
    for (uint32_t k = 0; k < 4; k++) {
        sum += lane_byte(x, k, x_signed) * lane_byte(y, k, y_signed);
    }
    return sum;
}

LANE_INLINE uint32_t lane_dp2a(uint32_t x, uint32_t y, uint32_t sum, uint32_t x_signed, uint32_t y_signed,
                               uint32_t first)
{
    return sum + lane_half(x, 0, x_signed) * lane_byte(y, first, y_signed) +
           lane_half(x, 1, x_signed) * lane_byte(y, first + 1, y_signed);
}

/* The 48-bit product of the low 24 bits. */
LANE_INLINE uint64_t lane_mul24_u(uint32_t x, uint32_t y)
{
    return (uint64_t)(x & 0xffffffU) * (y & 0xffffffU);
}

LANE_INLINE uint64_t lane_mul24_s(uint32_t x, uint32_t y)
{
    const int32_t xs = (int32_t)((x & 0xffffffU) ^ 0x800000U) - 0x800000;
    const int32_t ys = (int32_t)((y & 0xffffffU) ^ 0x800000U) - 0x800000;
    return (uint64_t)((int64_t)xs * ys);
}

/* Packed pairs of 16-bit numbers. */
LANE_INLINE uint32_t lane_pack(uint32_t low, uint32_t high)
{
    return (low & 0xffffU) | high << 16;
}

LANE_INLINE int32_t lane_half_s(uint32_t x, uint32_t k)
{
    return (int32_t)lane_half(x, k, 1);
}

#endif
