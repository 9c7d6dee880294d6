/* Lane functions of integers: the bodies that need a shape of their own, then exec_int.def twice.
 */
#include "sim/exec_int.h"

/* Sums and differences that also give the carry (borrow) of each lane; carry_in is 0 or 1. */
#define SUM_CC32(addend, carry_in)                                                                                     \
    const uint32_t x = a[i], y = b[i], carry = (carry_in);                                                             \
    const uint32_t sum = x + (addend), result = sum + carry;                                                           \
    OUT((sum < x) | (result < sum));                                                                                   \
    d[i] = result;
#define SUM_CC64(addend, carry_in)                                                                                     \
    const uint64_t x = LOAD_u64(a), y = LOAD_u64(b), carry = (carry_in);                                               \
    const uint64_t sum = x + (addend), result = sum + carry;                                                           \
    OUT((sum < x) | (result < sum));                                                                                   \
    STORE_u64(result);
#define DIFFERENCE_CC32(borrow_in)                                                                                     \
    const uint32_t x = a[i], y = b[i], borrow = (borrow_in);                                                           \
    const uint32_t difference = x - y;                                                                                 \
    OUT((x < y) | (difference < borrow));                                                                              \
    d[i] = difference - borrow;
#define DIFFERENCE_CC64(borrow_in)                                                                                     \
    const uint64_t x = LOAD_u64(a), y = LOAD_u64(b), borrow = (borrow_in);                                             \
    const uint64_t difference = x - y;                                                                                 \
    OUT((x < y) | (difference < borrow));                                                                              \
    STORE_u64(difference - borrow);
#define MAD_CC32(T, part, carry_in)                                                                                    \
    const TYPE_##T x = LOAD_##T(a), y = LOAD_##T(b);                                                                   \
    const uint32_t product = (part), carry = (carry_in);                                                               \
    const uint32_t sum = product + c[i], result = sum + carry;                                                         \
    OUT((sum < product) | (result < sum));                                                                             \
    d[i] = result;
#define MAD_CC64(T, part, carry_in)                                                                                    \
    const TYPE_##T x = LOAD_##T(a), y = LOAD_##T(b);                                                                   \
    const uint64_t product = (part), carry = (carry_in);                                                               \
    const uint64_t sum = product + LOAD_u64(c), result = sum + carry;                                                  \
    OUT((sum < product) | (result < sum));                                                                             \
    STORE_u64(result);

/* mad.wide: the addend is as wide as the product. */
#define MAD_WIDE(T, R, product)                                                                                        \
    const TYPE_##T x = LOAD_##T(a), y = LOAD_##T(b);                                                                   \
    const TYPE_##R z = LOAD_##R(c);                                                                                    \
    STORE_##R((product) + z);

/* A 32-bit result from the words of a 64-bit source. */
#define WORDS1(result)                                                                                                 \
    const uint32_t xl = a[i], xh = a[i + SIM_WARP_SIZE];                                                               \
    d[i] = (result);

#define SELECT64(condition)                                                                                            \
    const uint32_t xl = a[i], xh = a[i + SIM_WARP_SIZE], yl = b[i], yh = b[i + SIM_WARP_SIZE];                         \
    const uint32_t wanted = 0U - (uint32_t)(condition);                                                                \
    d[i] = (xl & wanted) | (yl & ~wanted);                                                                             \
    d[i + SIM_WARP_SIZE] = (xh & wanted) | (yh & ~wanted);

/* Both elements of a packed pair; signed results are at least `floor`. */
#define PAIR_U(choose)                                                                                                 \
    const uint32_t x = a[i], y = b[i];                                                                                 \
    const uint32_t low = choose(x & 0xffffU, y & 0xffffU), high = choose(x >> 16, y >> 16);                            \
    d[i] = lane_pack(low, high);
#define PAIR_S(choose, floor)                                                                                          \
    const uint32_t x = a[i], y = b[i];                                                                                 \
    const int32_t low = choose(lane_half_s(x, 0), lane_half_s(y, 0));                                                  \
    const int32_t high = choose(lane_half_s(x, 1), lane_half_s(y, 1));                                                 \
    d[i] = lane_pack((uint32_t)LANE_MAX(floor, low), (uint32_t)LANE_MAX(floor, high));

#define SIGN_OF(word) (0U - ((word) >> 31))

/* c >= 0 of a float's bits: -0 is, NaN is not. */
#define AT_LEAST_0(bits)     (lane_float(bits) >= 0.0F)
#define AT_LEAST_0_FTZ(bits) (((bits)&0x7f800000U) == 0 || lane_float(bits) >= 0.0F)

#define ROW LANE_FUNCTION
#include "sim/exec_int.def"
#undef ROW

static const struct sim_exec_entry exec_entries[] = {
#define ROW LANE_ENTRY
#include "sim/exec_int.def"
#undef ROW
};

LANE_EXPORT(int);
