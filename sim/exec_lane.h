/* The frame of every lane function: how a row of a .def file becomes a loop over 32 lanes, and how a lane's value is
 * read from and written to its rows.
 *
 * A .def file has rows ROW(OP, TYPE, TYPE2, VARIANT, BODY, key members...). The file that owns it includes it twice:
 * once with ROW as LANE_FUNCTION, which makes a static function whose loop body is BODY, once with ROW as LANE_ENTRY,
 * which makes its entry in the look-up table. BODY is statements for lane i: it reads a[i], b[i] ... completely before
 * it writes d[i], for d may be the same rows as a source; it may set bits of out (and out_high).
 */
#ifndef SIM_EXEC_LANE_H
#define SIM_EXEC_LANE_H

#include "sim/exec_tables.h"

#include <stdint.h>
#include <string.h>

#if defined(__clang__)
/* Some bodies call libm or divide integers: these loops stay scalar, which is no mistake. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define LANE_LOOP _Pragma("clang loop vectorize(assume_safety)") for (uint32_t i = 0; i < SIM_WARP_SIZE; i++)
#elif defined(__GNUC__)
#define LANE_LOOP _Pragma("GCC ivdep") for (uint32_t i = 0; i < SIM_WARP_SIZE; i++)
#else
#define LANE_LOOP for (uint32_t i = 0; i < SIM_WARP_SIZE; i++)
#endif

/* Scalar helpers must dissolve into the loop, or the loop cannot be vectorised. */
#define LANE_INLINE static inline __attribute__((always_inline))

#define LANE_NAME(op, type, type2, variant) exec_##op##_##type##_##type2##_##variant
#define LANE_PARAMETERS                                                                                                \
    uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, const uint32_t *e, uint32_t mask_in
#define LANE_ROWS                                                                                                      \
    d = __builtin_assume_aligned(d, 64);                                                                               \
    a = __builtin_assume_aligned(a, 64);                                                                               \
    b = __builtin_assume_aligned(b, 64);                                                                               \
    c = __builtin_assume_aligned(c, 64);                                                                               \
    (void)d, (void)a, (void)b, (void)c, (void)e, (void)mask_in

#define LANE_FUNCTION(op, type, type2, variant, body, ...)                                                             \
    static uint64_t LANE_NAME(op, type, type2, variant)(LANE_PARAMETERS)                                               \
    {                                                                                                                  \
        uint32_t out = 0, out_high = 0;                                                                                \
        LANE_ROWS;                                                                                                     \
        LANE_LOOP                                                                                                      \
        {                                                                                                              \
            body                                                                                                       \
        }                                                                                                              \
        return out | (uint64_t)out_high << 32;                                                                         \
    }

#define LANE_ENTRY(op_id, type_id, type2_id, variant, body, ...)                                                       \
    {.key = {.op = ISA_OP_##op_id, .type = ISA_TYPE_##type_id, .type2 = ISA_TYPE_##type2_id, __VA_ARGS__},             \
     .fn = LANE_NAME(op_id, type_id, type2_id, variant)},

#define LANE_PASTE3(x, y)   sim_exec_##x##_##y
#define LANE_PASTE2(x, y)   LANE_PASTE3(x, y)
#define LANE_TABLE(subject) LANE_PASTE2(subject, SIM_EXEC_LEVEL_NAME)
/* Defines the exported table of a subject from the array exec_entries. */
#define LANE_EXPORT(subject)                                                                                           \
    const struct sim_exec_table LANE_TABLE(subject) = {exec_entries, sizeof exec_entries / sizeof exec_entries[0]}

/* Key members, short. */
#define K_NONE     .flags = 0
#define K_FLAGS(f) .flags = (f)
#define K_FTZ      ISA_FLAG_FTZ
#define K_SAT      ISA_FLAG_SAT

/* The bit of each lane in a mask: a table, because SSE2 cannot shift by lane. */
static const uint32_t lane_bit[SIM_WARP_SIZE] = {
    1U << 0,  1U << 1,  1U << 2,  1U << 3,  1U << 4,  1U << 5,  1U << 6,  1U << 7,  1U << 8,  1U << 9,  1U << 10,
    1U << 11, 1U << 12, 1U << 13, 1U << 14, 1U << 15, 1U << 16, 1U << 17, 1U << 18, 1U << 19, 1U << 20, 1U << 21,
    1U << 22, 1U << 23, 1U << 24, 1U << 25, 1U << 26, 1U << 27, 1U << 28, 1U << 29, 1U << 30, 1U << 31,
};
#define OUT(condition)      out |= (condition) ? lane_bit[i] : 0U
#define OUT_HIGH(condition) out_high |= (condition) ? lane_bit[i] : 0U
#define MASK_IN             ((mask_in & lane_bit[i]) != 0U)

/* Integer element types: what C type holds it, and how it is read from row p and written to row p at lane i. */
#define TYPE_u8      uint8_t
#define TYPE_s8      int8_t
#define TYPE_u16     uint16_t
#define TYPE_s16     int16_t
#define TYPE_u32     uint32_t
#define TYPE_s32     int32_t
#define TYPE_u64     uint64_t
#define TYPE_s64     int64_t
#define LOAD_u8(p)   ((uint8_t)(p)[i])
#define LOAD_s8(p)   ((int8_t)(p)[i])
#define LOAD_u16(p)  ((uint16_t)(p)[i])
#define LOAD_s16(p)  ((int16_t)(p)[i])
#define LOAD_u32(p)  ((p)[i])
#define LOAD_s32(p)  ((int32_t)(p)[i])
#define LOAD_u64(p)  ((uint64_t)(p)[i] | (uint64_t)(p)[i + SIM_WARP_SIZE] << 32)
#define LOAD_s64(p)  ((int64_t)LOAD_u64(p))
#define STORE_u8(v)  d[i] = (uint32_t)(uint8_t)(v)
#define STORE_s8(v)  d[i] = (uint32_t)(uint8_t)(v)
#define STORE_u16(v) d[i] = (uint32_t)(uint16_t)(v)
#define STORE_s16(v) d[i] = (uint32_t)(uint16_t)(v)
#define STORE_u32(v) d[i] = (uint32_t)(v)
#define STORE_s32(v) d[i] = (uint32_t)(v)
#define STORE_u64(v)                                                                                                   \
    const uint64_t stored = (uint64_t)(v);                                                                             \
    d[i] = (uint32_t)stored;                                                                                           \
    d[i + SIM_WARP_SIZE] = (uint32_t)(stored >> 32)
#define STORE_s64(v) STORE_u64(v)

/* Bodies: x, y, z are the sources as values of type T; the result is stored as type R. */
#define LANE1(T, R, result)                                                                                            \
    const TYPE_##T x = LOAD_##T(a);                                                                                    \
    STORE_##R(result);
#define LANE2(T, R, result)                                                                                            \
    const TYPE_##T x = LOAD_##T(a), y = LOAD_##T(b);                                                                   \
    STORE_##R(result);
#define LANE3(T, R, result)                                                                                            \
    const TYPE_##T x = LOAD_##T(a), y = LOAD_##T(b), z = LOAD_##T(c);                                                  \
    STORE_##R(result);
/* The same for 64 bits kept as words: SSE and AVX2 work on words best. */
#define SPLIT1(low, high)                                                                                              \
    const uint32_t xl = a[i], xh = a[i + SIM_WARP_SIZE];                                                               \
    const uint32_t rl = (low), rh = (high);                                                                            \
    d[i] = rl;                                                                                                         \
    d[i + SIM_WARP_SIZE] = rh;
#define SPLIT2(low, high)                                                                                              \
    const uint32_t xl = a[i], xh = a[i + SIM_WARP_SIZE], yl = b[i], yh = b[i + SIM_WARP_SIZE];                         \
    const uint32_t rl = (low), rh = (high);                                                                            \
    d[i] = rl;                                                                                                         \
    d[i + SIM_WARP_SIZE] = rh;

LANE_INLINE float lane_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

LANE_INLINE uint32_t lane_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

LANE_INLINE double lane_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

LANE_INLINE uint64_t lane_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
