/* Lane functions of the 16-bit floating-point formats: exec_half.def twice.
 */
#include "sim/exec_approx.h"
#include "sim/exec_half.h"

/* x, y, z as floats from the half of the sources that begins at bit `at`; `value` is that half of the result. */
#define HALF_AT_1(F, flag_bits, at, value, result)                                                                     \
    {                                                                                                                  \
        const float x = lane_in_##F(a[i] >> (at)&0xffffU, flag_bits);                                                  \
        value = lane_out_##F(result, flag_bits);                                                                       \
    }
#define HALF_AT_2(F, flag_bits, at, value, result)                                                                     \
    {                                                                                                                  \
        const float x = lane_in_##F(a[i] >> (at)&0xffffU, flag_bits);                                                  \
        const float y = lane_in_##F(b[i] >> (at)&0xffffU, flag_bits);                                                  \
        value = lane_out_##F(result, flag_bits);                                                                       \
    }
#define HALF_AT_3(F, flag_bits, at, value, result)                                                                     \
    {                                                                                                                  \
        const float x = lane_in_##F(a[i] >> (at)&0xffffU, flag_bits);                                                  \
        const float y = lane_in_##F(b[i] >> (at)&0xffffU, flag_bits);                                                  \
        const float z = lane_in_##F(c[i] >> (at)&0xffffU, flag_bits);                                                  \
        value = lane_out_of_bounds(a[i] >> (at), b[i] >> (at), flag_bits) ? 0 : lane_out_##F(result, flag_bits);       \
    }
#define ONE_HALF(F, sources, flag_bits, result)                                                                        \
    uint32_t low;                                                                                                      \
    HALF_AT_##sources(F, flag_bits, 0, low, result);                                                                   \
    d[i] = low;
#define TWO_HALVES(F, sources, flag_bits, result)                                                                      \
    uint32_t low, high;                                                                                                \
    HALF_AT_##sources(F, flag_bits, 0, low, result);                                                                   \
    HALF_AT_##sources(F, flag_bits, 16, high, result);                                                                 \
    d[i] = low | high << 16;

#define ROWS_F16(op, sources, result, variant, flag_bits, rounding)                                                    \
    ROW(op, F16, NONE, variant, ONE_HALF(f16, sources, flag_bits, result), .round = (rounding), K_FLAGS(flag_bits))    \
    ROW(op, F16X2, NONE, variant, TWO_HALVES(f16, sources, flag_bits, result), .round = (rounding), K_FLAGS(flag_bits))
#define ROWS_BF16(op, sources, result, variant, flag_bits, rounding)                                                   \
    ROW(op, BF16, NONE, variant, ONE_HALF(bf16, sources, flag_bits, result), .round = (rounding), K_FLAGS(flag_bits))  \
    ROW(op, BF16X2, NONE, variant, TWO_HALVES(bf16, sources, flag_bits, result), .round = (rounding),                  \
        K_FLAGS(flag_bits))
#define ROWS_F16_FTZ(op, sources, result, variant, flag_bits)                                                          \
    ROWS_F16(op, sources, result, variant, flag_bits, ISA_ROUND_RN)                                                    \
    ROWS_F16(op, sources, result, variant##_ftz, (flag_bits) | K_FTZ, ISA_ROUND_RN)

#define ROWS_HALF_MINMAX(op, want_max)                                                                                 \
    ROWS_HALF_MINMAX_NAN(op, want_max, plain, 0)                                                                       \
    ROWS_HALF_MINMAX_NAN(op, want_max, xorsign, ISA_FLAG_XORSIGN)
#define ROWS_HALF_MINMAX_NAN(op, want_max, variant, flag_bits)                                                         \
    ROW_HALF_MINMAX(F16, op, want_max, variant, flag_bits)                                                             \
    ROW_HALF_MINMAX(F16, op, want_max, variant##_ftz, (flag_bits) | K_FTZ)                                             \
    ROW_HALF_MINMAX(F16, op, want_max, variant##_nan, (flag_bits) | ISA_FLAG_NAN)                                      \
    ROW_HALF_MINMAX(F16, op, want_max, variant##_ftz_nan, (flag_bits) | K_FTZ | ISA_FLAG_NAN)                          \
    ROW_HALF_MINMAX(BF16, op, want_max, variant, flag_bits)                                                            \
    ROW_HALF_MINMAX(BF16, op, want_max, variant##_nan, (flag_bits) | ISA_FLAG_NAN)
#define ROW_HALF_MINMAX(T, op, want_max, variant, flag_bits)                                                           \
    ROWS_##T(op, 2, lane_minmax32(x, y, want_max, flag_bits), variant, flag_bits, ISA_ROUND_NONE)

#define ROW LANE_FUNCTION
#include "sim/exec_half.def"
#undef ROW

static const struct sim_exec_entry exec_entries[] = {
#define ROW LANE_ENTRY
#include "sim/exec_half.def"
#undef ROW
};

LANE_EXPORT(half);
