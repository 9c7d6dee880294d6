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

#define F32_1(result, flag_bits)                                                                                       \
    const float x = lane_in32(a[i], flag_bits);                                                                        \
    d[i] = lane_out32(result, flag_bits);
#define F32_2_AT(at, result, flag_bits)                                                                                \
    const float x = lane_in32(a[i + (at)], flag_bits), y = lane_in32(b[i + (at)], flag_bits);                          \
    d[i + (at)] = lane_out32(result, flag_bits);
#define F32_3_AT(at, result, flag_bits)                                                                                \
    const float x = lane_in32(a[i + (at)], flag_bits), y = lane_in32(b[i + (at)], flag_bits);                          \
    const float z = lane_in32(c[i + (at)], flag_bits);                                                                 \
    d[i + (at)] = lane_out32(result, flag_bits);
#define F32_2(result, flag_bits)   F32_2_AT(0U, result, flag_bits)
#define F32_3(result, flag_bits)   F32_3_AT(0U, result, flag_bits)
#define F32X2_2(result, flag_bits) {F32_2_AT(0U, result, flag_bits)} {F32_2_AT(32U, result, flag_bits)}
#define F32X2_3(result, flag_bits) {F32_3_AT(0U, result, flag_bits)} {F32_3_AT(32U, result, flag_bits)}
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
#define ROWS_FTZ(op, type, shape, result, R)                                                                           \
    ROW(op, type, NONE, R##_plain, shape(result, 0), .round = ISA_ROUND_##R)                                           \
    ROW(op, type, NONE, R##_ftz, shape(result, K_FTZ), .round = ISA_ROUND_##R, K_FLAGS(K_FTZ))
#define ROWS_FTZ_SAT(op, type, shape, result, R)                                                                       \
    ROWS_FTZ(op, type, shape, result, R)                                                                               \
    ROW(op, type, NONE, R##_sat, shape(result, K_SAT), .round = ISA_ROUND_##R, K_FLAGS(K_SAT))                         \
    ROW(op, type, NONE, R##_ftz_sat, shape(result, K_FTZ | K_SAT), .round = ISA_ROUND_##R, K_FLAGS(K_FTZ | K_SAT))

/* All arithmetic that takes a rounding. The file that uses it says what FMA32 is. */
#define ROWS_ARITHMETIC(R)                                                                                             \
    ROWS_FTZ_SAT(ADD, F32, F32_2, x + y, R)                                                                            \
    ROWS_FTZ_SAT(SUB, F32, F32_2, x - y, R)                                                                            \
    ROWS_FTZ_SAT(MUL, F32, F32_2, x * y, R)                                                                            \
    ROWS_FTZ_SAT(FMA, F32, F32_3, FMA32(x, y, z), R)                                                                   \
    ROWS_FTZ(DIV, F32, F32_2, x / y, R)                                                                                \
    ROWS_FTZ(RCP, F32, F32_1, 1.0F / x, R)                                                                             \
    ROWS_FTZ(SQRT, F32, F32_1, __builtin_sqrtf(x), R)                                                                  \
    ROWS_FTZ(ADD, F32X2, F32X2_2, x + y, R)                                                                            \
    ROWS_FTZ(SUB, F32X2, F32X2_2, x - y, R)                                                                            \
    ROWS_FTZ(MUL, F32X2, F32X2_2, x * y, R)                                                                            \
    ROWS_FTZ(FMA, F32X2, F32X2_3, FMA32(x, y, z), R)                                                                   \
    ROW(ADD, F64, NONE, R, F64_2(x + y), .round = ISA_ROUND_##R)                                                       \
    ROW(SUB, F64, NONE, R, F64_2(x - y), .round = ISA_ROUND_##R)                                                       \
    ROW(MUL, F64, NONE, R, F64_2(x * y), .round = ISA_ROUND_##R)                                                       \
    ROW(FMA, F64, NONE, R, F64_3(__builtin_fma(x, y, z)), .round = ISA_ROUND_##R)                                      \
    ROW(DIV, F64, NONE, R, F64_QUOTIENT(x / y), .round = ISA_ROUND_##R)                                                       \
    ROW(RCP, F64, NONE, R, F64_1(1.0 / x), .round = ISA_ROUND_##R)                                                     \
    ROW(SQRT, F64, NONE, R, F64_1(__builtin_sqrt(x)), .round = ISA_ROUND_##R)

#endif
