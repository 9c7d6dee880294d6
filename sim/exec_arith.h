/* Shapes and row families of f32 and f64 arithmetic, shared by nearest rounding (exec_float.c) and the directed ones
 * (exec_round.c).
 */
#ifndef SIM_EXEC_ARITH_H
#define SIM_EXEC_ARITH_H

#include "sim/exec_math.h"

/* The NaN of double arithmetic: an invalid operation makes a negative one without payload; otherwise it is a source's,
 * quieted. `first` is the source that counts first. */
LANE_INLINE uint64_t lane_out64(double result, double first, double second, double third)
{
    const double source = first != first ? first : second != second ? second : third;
    const uint64_t nan = source != source ? lane_quiet_bits(source) : LANE_INVALID64;
    return result != result ? nan : lane_double_bits(result);
}

/* .ftz flushes what would be below the normal numbers after rounding to 24 bits without a least exponent. `scaled` is
 * the same operation with a result 2^24 times as large, which tells: up to 2^-102 it has no least exponent yet. It says
 * nothing of large numbers, where it may have met the end of the format. */
#define LANE_SCALE 0x1p24F
LANE_INLINE uint32_t lane_out32_scaled(float x, float scaled, uint32_t flags)
{
    const float zero = lane_float(lane_float_bits(x) & 0x80000000U);
    const uint32_t small = (uint32_t)(lane_abs32(x) <= 0x1p-126F) & (uint32_t)(lane_abs32(scaled) < 0x1p-102F);
    const float flushed = (flags & ISA_FLAG_FTZ) && small ? zero : x;
    return lane_out32(flushed, flags & ~(uint32_t)ISA_FLAG_FTZ);
}

/* Shapes: the flushed sources are x, y, z; `result` is flushed by its own size, or by that of `scaled`. */
#define F32_1(result, flag_bits)                                                                                       \
    const float x = lane_in32(a[i], flag_bits);                                                                        \
    d[i] = lane_out32(result, flag_bits);
#define F32_2(result, flag_bits)                                                                                       \
    const float x = lane_in32(a[i], flag_bits), y = lane_in32(b[i], flag_bits);                                        \
    d[i] = lane_out32(result, flag_bits);
#define F32_SCALED_1(result, scaled, flag_bits)                                                                        \
    const float x = lane_in32(a[i], flag_bits);                                                                        \
    d[i] = lane_out32_scaled(result, scaled, flag_bits);
#define F32_SCALED_2_AT(at, result, scaled, flag_bits)                                                                 \
    const float x = lane_in32(a[i + (at)], flag_bits), y = lane_in32(b[i + (at)], flag_bits);                          \
    d[i + (at)] = lane_out32_scaled(result, scaled, flag_bits);
#define F32_SCALED_3_AT(at, result, scaled, flag_bits)                                                                 \
    const float x = lane_in32(a[i + (at)], flag_bits), y = lane_in32(b[i + (at)], flag_bits);                          \
    const float z = lane_in32(c[i + (at)], flag_bits);                                                                 \
    d[i + (at)] = lane_out32_scaled(result, scaled, flag_bits);
#define F32_SCALED_2(result, scaled, flag_bits) F32_SCALED_2_AT(0U, result, scaled, flag_bits)
#define F32_SCALED_3(result, scaled, flag_bits) F32_SCALED_3_AT(0U, result, scaled, flag_bits)
#define F32X2_SCALED_2(result, scaled, flag_bits)                                                                      \
    {F32_SCALED_2_AT(0U, result, scaled, flag_bits)} {                                                                 \
        F32_SCALED_2_AT(32U, result, scaled, flag_bits)                                                                \
    }
#define F32X2_SCALED_3(result, scaled, flag_bits)                                                                      \
    {F32_SCALED_3_AT(0U, result, scaled, flag_bits)} {                                                                 \
        F32_SCALED_3_AT(32U, result, scaled, flag_bits)                                                                \
    }
#define F64_1(result)                                                                                                  \
    const double x = lane_double(LOAD_u64(a));                                                                         \
    STORE_u64(lane_out64(result, x, 0.0, 0.0));
#define F64_2(result)                                                                                                  \
    const double x = lane_double(LOAD_u64(a)), y = lane_double(LOAD_u64(b));                                           \
    STORE_u64(lane_out64(result, y, x, 0.0));
#define F64_QUOTIENT(result)                                                                                           \
    const double x = lane_double(LOAD_u64(a)), y = lane_double(LOAD_u64(b));                                           \
    STORE_u64(lane_out64(result, x, y, 0.0));
#define F64_3(result)                                                                                                  \
    const double x = lane_double(LOAD_u64(a)), y = lane_double(LOAD_u64(b)), z = lane_double(LOAD_u64(c));             \
    STORE_u64(lane_out64(result, y, z, x));

/* One row without and one with .ftz; the same with .sat as well. */
#define ROWS_FTZ(op, type, shape, result, scaled, R)                                                                   \
    ROW(op, type, NONE, R##_plain, shape(result, scaled, 0), .round = ISA_ROUND_##R)                                   \
    ROW(op, type, NONE, R##_ftz, shape(result, scaled, K_FTZ), .round = ISA_ROUND_##R, K_FLAGS(K_FTZ))
#define ROWS_FTZ_SAT(op, type, shape, result, scaled, R)                                                               \
    ROWS_FTZ(op, type, shape, result, scaled, R)                                                                       \
    ROW(op, type, NONE, R##_sat, shape(result, scaled, K_SAT), .round = ISA_ROUND_##R, K_FLAGS(K_SAT))                 \
    ROW(op, type, NONE, R##_ftz_sat, shape(result, scaled, K_FTZ | K_SAT), .round = ISA_ROUND_##R,                     \
        K_FLAGS(K_FTZ | K_SAT))

/* Sums of f32 with a 16-bit number, and with a product of two. */
#define MIXED_2(F, result, flag_bits)                                                                                  \
    const float x = lane_from_##F(a[i] & 0xffffU), y = lane_float(b[i]);                                               \
    d[i] = lane_out32(result, flag_bits);
#define MIXED_3(F, result, flag_bits)                                                                                  \
    const float x = lane_from_##F(a[i] & 0xffffU), y = lane_from_##F(b[i] & 0xffffU), z = lane_float(c[i]);            \
    d[i] = lane_out32(result, flag_bits);
#define ROWS_MIXED(op, shape, result, R)                                                                               \
    ROW(op, F32, F16, R##_plain, shape(f16, result, 0), .round = ISA_ROUND_##R)                                        \
    ROW(op, F32, F16, R##_sat, shape(f16, result, K_SAT), .round = ISA_ROUND_##R, K_FLAGS(K_SAT))                      \
    ROW(op, F32, BF16, R##_plain, shape(bf16, result, 0), .round = ISA_ROUND_##R)                                      \
    ROW(op, F32, BF16, R##_sat, shape(bf16, result, K_SAT), .round = ISA_ROUND_##R, K_FLAGS(K_SAT))

/* All arithmetic that takes a rounding. The file that uses it says what FMA32 is. */
#define ROWS_ARITHMETIC(R)                                                                                             \
    ROWS_FTZ_SAT(ADD, F32, F32_SCALED_2, x + y, (x + y) * LANE_SCALE, R)                                               \
    ROWS_FTZ_SAT(SUB, F32, F32_SCALED_2, x - y, (x - y) * LANE_SCALE, R)                                               \
    ROWS_FTZ_SAT(MUL, F32, F32_SCALED_2, x *y, (x * LANE_SCALE) * y, R)                                                \
    ROWS_FTZ_SAT(FMA, F32, F32_SCALED_3, FMA32(x, y, z), FMA32(x *LANE_SCALE, y, z *LANE_SCALE), R)                    \
    ROWS_FTZ(DIV, F32, F32_SCALED_2, x / y, (x * LANE_SCALE) / y, R)                                                   \
    ROWS_FTZ(RCP, F32, F32_SCALED_1, 1.0F / x, LANE_SCALE / x, R)                                                      \
    ROWS_FTZ(SQRT, F32, F32_SCALED_1, __builtin_sqrtf(x), LANE_SCALE, R)                                               \
    ROWS_FTZ(ADD, F32X2, F32X2_SCALED_2, x + y, (x + y) * LANE_SCALE, R)                                               \
    ROWS_FTZ(SUB, F32X2, F32X2_SCALED_2, x - y, (x - y) * LANE_SCALE, R)                                               \
    ROWS_FTZ(MUL, F32X2, F32X2_SCALED_2, x *y, (x * LANE_SCALE) * y, R)                                                \
    ROWS_FTZ(FMA, F32X2, F32X2_SCALED_3, FMA32(x, y, z), FMA32(x *LANE_SCALE, y, z *LANE_SCALE), R)                    \
    ROWS_MIXED(ADD, MIXED_2, x + y, R)                                                                                 \
    ROWS_MIXED(SUB, MIXED_2, x - y, R)                                                                                 \
    ROWS_MIXED(FMA, MIXED_3, FMA32(x, y, z), R)                                                                        \
    ROW(ADD, F64, NONE, R, F64_2(x + y), .round = ISA_ROUND_##R)                                                       \
    ROW(SUB, F64, NONE, R, F64_2(x - y), .round = ISA_ROUND_##R)                                                       \
    ROW(MUL, F64, NONE, R, F64_2(x *y), .round = ISA_ROUND_##R)                                                        \
    ROW(FMA, F64, NONE, R, F64_3(__builtin_fma(x, y, z)), .round = ISA_ROUND_##R)                                      \
    ROW(DIV, F64, NONE, R, F64_QUOTIENT(x / y), .round = ISA_ROUND_##R)                                                \
    ROW(RCP, F64, NONE, R, F64_1(1.0 / x), .round = ISA_ROUND_##R)                                                     \
    ROW(SQRT, F64, NONE, R, F64_1(__builtin_sqrt(x)), .round = ISA_ROUND_##R)

#endif
