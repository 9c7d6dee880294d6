/* Lane functions of set: each is exec_cmp.def's comparison, written as all ones or 1.0. As with setp, the boolean
 * combination is the engine's. Compiled for the base level only: set is rare, and there is one function for each
 * comparison and result type.
 */
#include "sim/exec_cmp.h"

/* Writes `low` where the low half of the compare holds, `high` where the high half does. */
static __attribute__((noinline)) void set_write(uint32_t *d, uint64_t compared, uint32_t low, uint32_t high)
{
    for (uint32_t i = 0; i < SIM_WARP_SIZE; i++) {
        d[i] = ((uint32_t)compared & lane_bit[i] ? low : 0U) | ((uint32_t)(compared >> 32) & lane_bit[i] ? high : 0U);
    }
}

/* OUTPUT(result type, value for the low half, value for the high half, ...) for each result a source type can have. */
#define SET_OUTPUTS_WORD(OUTPUT, ...)                                                                                  \
    OUTPUT(U32, 0xffffffffU, 0U, __VA_ARGS__)                                                                          \
    OUTPUT(F32, 0x3f800000U, 0U, __VA_ARGS__)                                                                          \
    OUTPUT(F16, 0x3c00U, 0U, __VA_ARGS__)                                                                              \
    OUTPUT(BF16, 0x3f80U, 0U, __VA_ARGS__)
#define SET_OUTPUTS_U16(OUTPUT, ...) SET_OUTPUTS_WORD(OUTPUT, __VA_ARGS__)
#define SET_OUTPUTS_S16(OUTPUT, ...) SET_OUTPUTS_WORD(OUTPUT, __VA_ARGS__)
#define SET_OUTPUTS_U32(OUTPUT, ...) SET_OUTPUTS_WORD(OUTPUT, __VA_ARGS__)
#define SET_OUTPUTS_S32(OUTPUT, ...) SET_OUTPUTS_WORD(OUTPUT, __VA_ARGS__)
#define SET_OUTPUTS_U64(OUTPUT, ...) SET_OUTPUTS_WORD(OUTPUT, __VA_ARGS__)
#define SET_OUTPUTS_S64(OUTPUT, ...) SET_OUTPUTS_WORD(OUTPUT, __VA_ARGS__)
#define SET_OUTPUTS_F32(OUTPUT, ...) SET_OUTPUTS_WORD(OUTPUT, __VA_ARGS__)
#define SET_OUTPUTS_F64(OUTPUT, ...) SET_OUTPUTS_WORD(OUTPUT, __VA_ARGS__)
#define SET_OUTPUTS_F16(OUTPUT, ...)                                                                                   \
    OUTPUT(U32, 0xffffffffU, 0U, __VA_ARGS__)                                                                          \
    OUTPUT(U16, 0xffffU, 0U, __VA_ARGS__)                                                                              \
    OUTPUT(F16, 0x3c00U, 0U, __VA_ARGS__)                                                                              \
    OUTPUT(BF16, 0x3f80U, 0U, __VA_ARGS__)
#define SET_OUTPUTS_BF16(OUTPUT, ...)                                                                                  \
    OUTPUT(U32, 0xffffffffU, 0U, __VA_ARGS__)                                                                          \
    OUTPUT(U16, 0xffffU, 0U, __VA_ARGS__)                                                                              \
    OUTPUT(BF16, 0x3f80U, 0U, __VA_ARGS__)
#define SET_OUTPUTS_F16X2(OUTPUT, ...)                                                                                 \
    OUTPUT(U32, 0xffffU, 0xffff0000U, __VA_ARGS__)                                                                     \
    OUTPUT(F16X2, 0x3c00U, 0x3c000000U, __VA_ARGS__)
#define SET_OUTPUTS_BF16X2(OUTPUT, ...)                                                                                \
    OUTPUT(U32, 0xffffU, 0xffff0000U, __VA_ARGS__)                                                                     \
    OUTPUT(BF16X2, 0x3f80U, 0x3f800000U, __VA_ARGS__)

#define SET_NAME(to, type, variant) exec_SET_##to##_##type##_##variant
#define SET_FUNCTION(to, low, high, type, variant)                                                                     \
    static uint64_t SET_NAME(to, type, variant)(LANE_PARAMETERS)                                                       \
    {                                                                                                                  \
        set_write(d, LANE_NAME(SETP, type, NONE, variant)(NULL, a, b, c, e, mask_in), low, high);                      \
        return 0;                                                                                                      \
    }
#define SET_ENTRY(to, low, high, type_id, variant, ...)                                                                \
    {.key = {.op = ISA_OP_SET, .type = ISA_TYPE_##to, .type2 = ISA_TYPE_##type_id, __VA_ARGS__},                       \
     .fn = SET_NAME(to, type_id, variant)},

#define ROW LANE_FUNCTION
#include "sim/exec_cmp.def"
#undef ROW

#define ROW(op, type, type2, variant, body, ...) SET_OUTPUTS_##type(SET_FUNCTION, type, variant)
#include "sim/exec_cmp.def"
#undef ROW

static const struct sim_exec_entry exec_entries[] = {
#define ROW(op, type, type2, variant, body, ...) SET_OUTPUTS_##type(SET_ENTRY, type, variant, __VA_ARGS__)
#include "sim/exec_cmp.def"
#undef ROW
};

LANE_EXPORT(set);
