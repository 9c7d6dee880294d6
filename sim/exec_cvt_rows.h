/* The row families of cvt, for exec_cvt.def (compiled for every level) and exec_cvt_rare.def (for the base level only).
 */
#ifndef SIM_EXEC_CVT_ROWS_H
#define SIM_EXEC_CVT_ROWS_H

#include "sim/exec_arith.h"
#include "sim/exec_cvt.h"

/* FAMILY(TYPE, type, u or s) for each integer type. */
#define EACH_INTEGER(FAMILY)                                                                                           \
    FAMILY(U8, u8, u)                                                                                                  \
    FAMILY(S8, s8, s)                                                                                                  \
    FAMILY(U16, u16, u)                                                                                                \
    FAMILY(S16, s16, s) FAMILY(U32, u32, u) FAMILY(S32, s32, s) FAMILY(U64, u64, u) FAMILY(S64, s64, s)
#define EACH_ROUND_BUT_NEAREST(FAMILY, ...) FAMILY(RZ, __VA_ARGS__) FAMILY(RM, __VA_ARGS__) FAMILY(RP, __VA_ARGS__)
#define EACH_ROUND(FAMILY, ...)                                                                                        \
    FAMILY(RN, __VA_ARGS__) FAMILY(RZ, __VA_ARGS__) FAMILY(RM, __VA_ARGS__) FAMILY(RP, __VA_ARGS__)
#define EACH_INTEGRAL(...) EACH_INTEGRAL_OF(__VA_ARGS__, )
#define EACH_INTEGRAL_OF(FAMILY, ...)                                                                                  \
    FAMILY(RNI, __VA_ARGS__) FAMILY(RZI, __VA_ARGS__) FAMILY(RMI, __VA_ARGS__) FAMILY(RPI, __VA_ARGS__)

/* Sources */
#define HALF_SOURCE(F)        const float x = lane_from_##F(a[i] & 0xffffU);
#define F32_SOURCE(flag_bits) const float x = lane_in32(a[i], flag_bits);
#define F64_SOURCE            const double x = lane_double(LOAD_u64(a));

/* Integer to integer */
#define ROWS_CUT(S, s, sgn)                                                                                            \
    ROW(CVT, U8, S, cut, LANE1(s, u8, x), K_NONE)                                                                      \
    ROW(CVT, U16, S, cut, LANE1(s, u16, x), K_NONE)                                                                    \
    ROW(CVT, U32, S, cut, LANE1(s, u32, x), K_NONE)                                                                    \
    ROW(CVT, U64, S, cut, LANE1(s, u64, x), K_NONE)
#define CLAMP_u(x, min, max) lane_clamp_u(x, max)
#define CLAMP_s(x, min, max) lane_clamp_s(x, min, (int64_t)LANE_MIN_U64(max, INT64_MAX))
#define LANE_MIN_U64(x, y)   ((uint64_t)(x) < (uint64_t)(y) ? (uint64_t)(x) : (uint64_t)(y))
#define ROW_CLAMP(D, d_, S, s, sgn, min, max)                                                                          \
    ROW(CVT, D, S, sat, LANE1(s, d_, CLAMP_##sgn(x, min, max)), K_FLAGS(K_SAT))
#define ROWS_CLAMP(S, s, sgn)                                                                                          \
    ROW_CLAMP(U8, u8, S, s, sgn, 0, UINT8_MAX)                                                                         \
    ROW_CLAMP(S8, s8, S, s, sgn, INT8_MIN, INT8_MAX)                                                                   \
    ROW_CLAMP(U16, u16, S, s, sgn, 0, UINT16_MAX)                                                                      \
    ROW_CLAMP(S16, s16, S, s, sgn, INT16_MIN, INT16_MAX)                                                               \
    ROW_CLAMP(U32, u32, S, s, sgn, 0, UINT32_MAX)                                                                      \
    ROW_CLAMP(S32, s32, S, s, sgn, INT32_MIN, INT32_MAX)                                                               \
    ROW_CLAMP(U64, u64, S, s, sgn, 0, UINT64_MAX)                                                                      \
    ROW_CLAMP(S64, s64, S, s, sgn, INT64_MIN, INT64_MAX)

/* Integer to floating point. The compiler's own conversions round to nearest and are vectorised; the others are rare.
 */
#define NEGATIVE_u(x)  false
#define NEGATIVE_s(x)  ((x) < 0)
#define MAGNITUDE_u(x) (uint64_t)(x)
#define MAGNITUDE_s(x) ((x) < 0 ? UINT64_C(0) - (uint64_t)(x) : (uint64_t)(x))
#define ROW_FROM_INTEGER_BITS(R, D, format, S, s, sgn)                                                                 \
    ROW(CVT, D, S, R, const TYPE_##s x = LOAD_##s(a);                                                                  \
        d[i] = (uint32_t)LANE_FROM_MAGNITUDE(format, MAGNITUDE_##sgn(x), NEGATIVE_##sgn(x), ISA_ROUND_##R) |           \
               (NEGATIVE_##sgn(x) ? (format).sign : 0U);                                                               \
        , .round = ISA_ROUND_##R)
#define ROW_F64_FROM_INTEGER_BITS(R, S, s, sgn)                                                                        \
    ROW(CVT, F64, S, R, const TYPE_##s x = LOAD_##s(a);                                                                \
        STORE_u64(lane_from_magnitude(MAGNITUDE_##sgn(x), NEGATIVE_##sgn(x), 52, -1022, LANE_INF64, ISA_ROUND_##R) |   \
                  (NEGATIVE_##sgn(x) ? UINT64_C(1) << 63 : 0U));                                                       \
        , .round = ISA_ROUND_##R)
#define ROW_FROM_INTEGER_SAT(R, D, one, S, s)                                                                          \
    ROW(CVT, D, S, R##_sat, LANE1(s, u32, x > 0 ? (one) : 0U), .round = ISA_ROUND_##R, K_FLAGS(K_SAT))
#define ROW_F64_FROM_INTEGER_SAT(R, S, s)                                                                              \
    ROW(CVT, F64, S, R##_sat, LANE1(s, u64, x > 0 ? UINT64_C(0x3ff0000000000000) : 0U), .round = ISA_ROUND_##R,        \
        K_FLAGS(K_SAT))
#define ROWS_FROM_INTEGER(S, s, sgn)                                                                                   \
    ROW(CVT, F32, S, RN, LANE1(s, u32, lane_float_bits((float)x)), .round = ISA_ROUND_RN)                              \
    ROW(CVT, F64, S, RN, LANE1(s, u64, lane_double_bits((double)x)), .round = ISA_ROUND_RN)
#define ROWS_FROM_INTEGER_RARE(S, s, sgn)                                                                              \
    ROW_FROM_INTEGER_BITS(RZ, F32, LANE_FORMAT_F32, S, s, sgn)                                                         \
    ROW_FROM_INTEGER_BITS(RM, F32, LANE_FORMAT_F32, S, s, sgn)                                                         \
    ROW_FROM_INTEGER_BITS(RP, F32, LANE_FORMAT_F32, S, s, sgn)                                                         \
    ROW_F64_FROM_INTEGER_BITS(RZ, S, s, sgn)                                                                           \
    ROW_F64_FROM_INTEGER_BITS(RM, S, s, sgn)                                                                           \
    ROW_F64_FROM_INTEGER_BITS(RP, S, s, sgn)                                                                           \
    EACH_ROUND(ROW_FROM_INTEGER_BITS, F16, LANE_FORMAT_F16, S, s, sgn)                                                 \
    EACH_ROUND(ROW_FROM_INTEGER_BITS, BF16, LANE_FORMAT_BF16, S, s, sgn)                                               \
    EACH_ROUND(ROW_FROM_INTEGER_SAT, F16, 0x3c00U, S, s)                                                               \
    EACH_ROUND(ROW_FROM_INTEGER_SAT, BF16, 0x3f80U, S, s)                                                              \
    EACH_ROUND(ROW_FROM_INTEGER_SAT, F32, 0x3f800000U, S, s)                                                           \
    EACH_ROUND(ROW_F64_FROM_INTEGER_SAT, S, s)

/* Floating point to integer */
#define ROW_TO_INTEGER(R, D, d_, S, variant, source, flag_bits)                                                        \
    ROW(CVT, D, S, R##_##variant, source STORE_##d_(F32_TO_##d_(lane_integral32(x, ISA_ROUND_##R)));                   \
        , .round = ISA_ROUND_##R, K_FLAGS(flag_bits))
#define ROW_TO_INTEGER_F64(R, D, d_)                                                                                   \
    ROW(CVT, D, F64, R, F64_SOURCE STORE_##d_(F64_TO_##d_(lane_integral64(x, ISA_ROUND_##R)));, .round = ISA_ROUND_##R)
#define ROWS_TO_INTEGER_F32(R, D, d_)                                                                                  \
    ROW_TO_INTEGER(R, D, d_, F32, plain, F32_SOURCE(0), 0)                                                             \
    ROW_TO_INTEGER(R, D, d_, F32, ftz, F32_SOURCE(K_FTZ), K_FTZ)
#define ROWS_TO_INTEGER_HALF(R, D, d_)                                                                                 \
    ROW_TO_INTEGER(R, D, d_, F16, plain, HALF_SOURCE(f16), 0)                                                          \
    ROW_TO_INTEGER(R, D, d_, BF16, plain, HALF_SOURCE(bf16), 0)
#define ROWS_TO_INTEGER(D, d_, sgn)                                                                                    \
    ROWS_TO_INTEGER_F32(RNI, D, d_)                                                                                    \
    ROWS_TO_INTEGER_F32(RZI, D, d_)                                                                                    \
    ROWS_TO_INTEGER_F32(RMI, D, d_)                                                                                    \
    ROWS_TO_INTEGER_F32(RPI, D, d_)                                                                                    \
    ROWS_TO_INTEGER_HALF(RZI, D, d_)                                                                                   \
    ROW_TO_INTEGER_F64(RZI, D, d_)
#define ROWS_TO_INTEGER_RARE(D, d_, sgn)                                                                               \
    ROWS_TO_INTEGER_HALF(RNI, D, d_)                                                                                   \
    ROWS_TO_INTEGER_HALF(RMI, D, d_)                                                                                   \
    ROWS_TO_INTEGER_HALF(RPI, D, d_)                                                                                   \
    ROW_TO_INTEGER_F64(RNI, D, d_)                                                                                     \
    ROW_TO_INTEGER_F64(RMI, D, d_)                                                                                     \
    ROW_TO_INTEGER_F64(RPI, D, d_)

/* Floating point to a narrower or the same format. To f16, .ftz changes nothing. */
#define SOURCE_FTZ_F16  0U
#define SOURCE_FTZ_BF16 K_FTZ
#define ROW_NARROW_F32(R, D, variant, flag_bits)                                                                       \
    ROW(CVT, D, F32, R##_##variant,                                                                                    \
        F32_SOURCE(SOURCE_FTZ_##D &(flag_bits)) d[i] =                                                                 \
            lane_narrow((double)x, LANE_FORMAT_##D, ISA_ROUND_##R, flag_bits);                                         \
        , .round = ISA_ROUND_##R, K_FLAGS(flag_bits))
#define ROWS_NARROW_F32_FLAGS(D, variant, flag_bits)                                                                   \
    ROW_NARROW_F32(RZ, D, variant, flag_bits)                                                                          \
    ROW_NARROW_F32(RM, D, variant, flag_bits)                                                                          \
    ROW_NARROW_F32(RP, D, variant, flag_bits)                                                                          \
    ROW_NARROW_F32(RN, D, variant##_ftz, (flag_bits) | K_FTZ)                                                          \
    ROW_NARROW_F32(RZ, D, variant##_ftz, (flag_bits) | K_FTZ)                                                          \
    ROW_NARROW_F32(RM, D, variant##_ftz, (flag_bits) | K_FTZ)                                                          \
    ROW_NARROW_F32(RP, D, variant##_ftz, (flag_bits) | K_FTZ)
#define ROWS_NARROW_F32_RARE(D)                                                                                        \
    ROWS_NARROW_F32_FLAGS(D, plain, 0)                                                                                 \
    ROW_NARROW_F32(RN, D, sat, K_SAT)                                                                                  \
    ROWS_NARROW_F32_FLAGS(D, sat, K_SAT)                                                                               \
    ROW_NARROW_F32(RN, D, relu, ISA_FLAG_RELU)                                                                         \
    ROWS_NARROW_F32_FLAGS(D, relu, ISA_FLAG_RELU)                                                                      \
    ROW_NARROW_F32(RN, D, satfinite, ISA_FLAG_SATFINITE)                                                               \
    ROWS_NARROW_F32_FLAGS(D, satfinite, ISA_FLAG_SATFINITE)                                                            \
    ROW_NARROW_F32(RN, D, relu_satfinite, ISA_FLAG_RELU | ISA_FLAG_SATFINITE)                                          \
    ROWS_NARROW_F32_FLAGS(D, relu_satfinite, ISA_FLAG_RELU | ISA_FLAG_SATFINITE)
#define ROW_NARROW_F64(R, D, flag_bits, variant)                                                                       \
    ROW(CVT, D, F64, R##_##variant, F64_SOURCE d[i] = lane_narrow_keep(x, LANE_FORMAT_##D, ISA_ROUND_##R, flag_bits);  \
        , .round = ISA_ROUND_##R, K_FLAGS(flag_bits))
#define ROW_NARROW_HALF(R, D, S, value)                                                                                \
    ROW(CVT, D, S, R, d[i] = lane_narrow((double)value(a[i] & 0xffffU), LANE_FORMAT_##D, ISA_ROUND_##R, 0);            \
        , .round = ISA_ROUND_##R)
#define ROW_F32_FROM_F64(R, flag_bits, variant)                                                                        \
    ROW(CVT, F32, F64, R##_##variant,                                                                                  \
        F64_SOURCE const uint32_t bits = lane_narrow_keep(x, LANE_FORMAT_F32, ISA_ROUND_##R, flag_bits);               \
        d[i] = (flag_bits)&K_FTZ ? lane_flush_bits(bits) : bits;, .round = ISA_ROUND_##R, K_FLAGS(flag_bits))

/* Rounding to an integer in the same format */
#define ROW_INTEGRAL_HALF(R, D, d_, flag_bits, variant, unused)                                                        \
    ROW(CVT, D, D, R##_##variant, HALF_SOURCE(d_) d[i] = lane_out_##d_(lane_integral32(x, ISA_ROUND_##R), flag_bits);  \
        , .round = ISA_ROUND_##R, K_FLAGS(flag_bits))
#define ROW_INTEGRAL_F32(R, flag_bits, variant, unused)                                                                \
    ROW(CVT, F32, F32, R##_##variant, F32_1(lane_integral32(x, ISA_ROUND_##R), flag_bits), .round = ISA_ROUND_##R,     \
        K_FLAGS(flag_bits))
#define ROW_INTEGRAL_F64(R, unused)                                                                                    \
    ROW(CVT, F64, F64, R, F64_1(lane_integral64(x, ISA_ROUND_##R)), .round = ISA_ROUND_##R)                            \
    ROW(CVT, F64, F64, R##_sat, F64_SOURCE STORE_u64(lane_saturate64(lane_integral64(x, ISA_ROUND_##R)));              \
        , .round = ISA_ROUND_##R, K_FLAGS(K_SAT))

/* b lowest, a above it, then c; of 16 bits there is no room for c. `number` is x, the source, saturated. */
#define PACKED_INTEGER(source, width, number)                                                                          \
    {                                                                                                                  \
        const uint32_t x = (source);                                                                                   \
        packed = packed << (width) | ((uint32_t)(number) & ((1U << (width)) - 1U));                                    \
    }
#define PACK_INTEGERS(width, number)                                                                                   \
    uint32_t packed = (width) == 16 ? 0U : c[i];                                                                       \
    PACKED_INTEGER(a[i], width, number)                                                                                \
    PACKED_INTEGER(b[i], width, number)                                                                                \
    d[i] = packed;

#define TF32(rounding, flag_bits)                                                                                      \
    F32_SOURCE(0)                                                                                                      \
    d[i] = lane_narrow((double)x, LANE_FORMAT_TF32, rounding, flag_bits) << 13;

/* Pairs of narrow numbers, each `width` bits */
#define ROW_PACK(D, format, width, R, flag_bits, variant)                                                              \
    ROW(CVT, D, F32, variant, const float x = lane_float(a[i]); const float y = lane_float(b[i]);                      \
        d[i] = lane_narrow((double)x, LANE_FORMAT_##format, ISA_ROUND_##R, flag_bits) << (width) |                     \
               lane_narrow((double)y, LANE_FORMAT_##format, ISA_ROUND_##R, flag_bits);                                 \
        , .round = ISA_ROUND_##R, K_FLAGS(flag_bits))
#define ROWS_PACK_ROUND(D, format, width, R)                                                                           \
    ROW_PACK(D, format, width, R, ISA_FLAG_RELU, R##_relu)                                                             \
    ROW_PACK(D, format, width, R, ISA_FLAG_SATFINITE, R##_satfinite)                                                   \
    ROW_PACK(D, format, width, R, ISA_FLAG_RELU | ISA_FLAG_SATFINITE, R##_relu_satfinite)
#define ROWS_PACK_RARE(D, format, width)                                                                               \
    ROW_PACK(D, format, width, RZ, 0, RZ_plain)                                                                        \
    ROWS_PACK_ROUND(D, format, width, RN)                                                                              \
    ROWS_PACK_ROUND(D, format, width, RZ)
/* To nearest without modifiers, from float's own conversion. */
#define ROW_PACK_NEAREST(D, d_)                                                                                        \
    ROW(CVT, D, F32, RN_plain, const float x = lane_float(a[i]); const float y = lane_float(b[i]);                     \
        d[i] = lane_to_##d_(x) << 16 | lane_to_##d_(y);, .round = ISA_ROUND_RN)
#define ROW_REPACK(D, format, flag_bits, variant)                                                                      \
    ROW(CVT, D, F16X2, variant, const uint32_t x = a[i];                                                               \
        d[i] = lane_narrow((double)lane_from_f16(x >> 16), LANE_FORMAT_##format, ISA_ROUND_RN, flag_bits) << 8 |       \
               lane_narrow((double)lane_from_f16(x & 0xffffU), LANE_FORMAT_##format, ISA_ROUND_RN, flag_bits);         \
        , .round = ISA_ROUND_RN, K_FLAGS(flag_bits))
#define ROW_UNPACK(S, value, flag_bits, variant)                                                                       \
    ROW(CVT, F16X2, S, variant, const uint32_t x = a[i];                                                               \
        d[i] = lane_relu_f16(value(x & 0xffU), flag_bits) | lane_relu_f16(value(x >> 8 & 0xffU), flag_bits) << 16;     \
        , .round = ISA_ROUND_RN, K_FLAGS(flag_bits))

LANE_INLINE uint32_t lane_relu_f16(uint32_t h, uint32_t flags)
{
    return (flags & ISA_FLAG_RELU) && (h & 0x8000U) ? 0U : h;
}

#endif
