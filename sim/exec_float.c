/* Lane functions of f32 and f64 arithmetic, rounding to nearest: exec_float.def twice.
 */
#include "sim/exec_approx.h"
#include "sim/exec_arith.h"

#define FMA32       lane_fma32
#define IS_NAN64(x) (((x)&INT64_MAX) > LANE_INF64)

#define ROWS_MINMAX(op, want_max)                                                                                      \
    ROW_MINMAX(op, want_max, plain, 0)                                                                                 \
    ROW_MINMAX(op, want_max, ftz, K_FTZ)                                                                               \
    ROW_MINMAX(op, want_max, nan, ISA_FLAG_NAN)                                                                        \
    ROW_MINMAX(op, want_max, ftz_nan, K_FTZ | ISA_FLAG_NAN)                                                            \
    ROW_MINMAX(op, want_max, xorsign, ISA_FLAG_XORSIGN)                                                                \
    ROW_MINMAX(op, want_max, ftz_xorsign, K_FTZ | ISA_FLAG_XORSIGN)                                                    \
    ROW_MINMAX(op, want_max, nan_xorsign, ISA_FLAG_NAN | ISA_FLAG_XORSIGN)                                             \
    ROW_MINMAX(op, want_max, ftz_nan_xorsign, K_FTZ | ISA_FLAG_NAN | ISA_FLAG_XORSIGN)
#define ROW_MINMAX(op, want_max, variant, flag_bits)                                                                   \
    ROW(op, F32, NONE, variant, F32_2(lane_minmax32(x, y, want_max, flag_bits), flag_bits), K_FLAGS(flag_bits))
#define ROWS_MINMAX3(op, want_max)                                                                                     \
    ROW_MINMAX3(op, want_max, three, 0)                                                                                \
    ROW_MINMAX3(op, want_max, three_ftz, K_FTZ)                                                                        \
    ROW_MINMAX3(op, want_max, three_nan, ISA_FLAG_NAN)                                                                 \
    ROW_MINMAX3(op, want_max, three_ftz_nan, K_FTZ | ISA_FLAG_NAN)                                                     \
    ROW_MINMAX3(op, want_max, three_abs, ISA_FLAG_ABS)                                                                 \
    ROW_MINMAX3(op, want_max, three_ftz_abs, K_FTZ | ISA_FLAG_ABS)                                                     \
    ROW_MINMAX3(op, want_max, three_nan_abs, ISA_FLAG_NAN | ISA_FLAG_ABS)                                              \
    ROW_MINMAX3(op, want_max, three_ftz_nan_abs, K_FTZ | ISA_FLAG_NAN | ISA_FLAG_ABS)
#define ROW_MINMAX3(op, want_max, variant, flag_bits)                                                                  \
    ROW(op, F32, NONE, variant, MINMAX3(want_max, flag_bits), .mode2 = SIM_EXEC_THREE, K_FLAGS(flag_bits))
#define MINMAX3(want_max, flag_bits)                                                                                   \
    const float x = lane_minmax_in(a[i], flag_bits), y = lane_minmax_in(b[i], flag_bits);                              \
    const float z = lane_minmax_in(c[i], flag_bits);                                                                   \
    d[i] = lane_out32(lane_minmax32(lane_minmax32(x, y, want_max, flag_bits), z, want_max, flag_bits), flag_bits);
#define MINMAX64(want_max)                                                                                             \
    const double x = lane_double(LOAD_u64(a)), y = lane_double(LOAD_u64(b));                                           \
    STORE_u64(lane_double_bits(lane_minmax64(x, y, want_max)));

#define ROWS_APPROX(op, shape, result, kind, variant)                                                                  \
    ROW(op, F32, NONE, variant, shape(result, 0), K_FLAGS(kind))                                                       \
    ROW(op, F32, NONE, variant##_ftz, shape(result, K_FTZ), K_FLAGS((kind) | K_FTZ))
#define F64_BITS1(result)                                                                                              \
    const double x = lane_double(LOAD_u64(a));                                                                         \
    STORE_u64(lane_double_bits(result));

/* A source of a minimum of three: its magnitude with .abs. */
LANE_INLINE float lane_minmax_in(uint32_t bits, uint32_t flags)
{
    const float x = lane_in32(bits, flags);
    return flags & ISA_FLAG_ABS ? lane_abs32(x) : x;
}

#define ROW LANE_FUNCTION
#include "sim/exec_float.def"
#undef ROW

static const struct sim_exec_entry exec_entries[] = {
#define ROW LANE_ENTRY
#include "sim/exec_float.def"
#undef ROW
};

LANE_EXPORT(float);
