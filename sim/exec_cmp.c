/* Lane functions of setp and testp: exec_cmp.def and the classes of testp, twice.
 */
#include "sim/exec_cmp.h"

/* testp: the classes by exponent and mantissa; x is the magnitude's bits, 32 or 64 of them. Zero counts as normal. */
#define ROW_TESTP(type, T, mask, kind, condition)                                                                      \
    ROW(TESTP, type, NONE, kind, const TYPE_##T x = LOAD_##T(a) & (mask); OUT(condition);, .mode = ISA_TESTP_##kind)
#define ROWS_TESTP(type, T, mask, infinity, normal_min)                                                                \
    ROW_TESTP(type, T, mask, FINITE, x < (infinity))                                                                   \
    ROW_TESTP(type, T, mask, INFINITE, x == (infinity))                                                                \
    ROW_TESTP(type, T, mask, NUMBER, x <= (infinity))                                                                  \
    ROW_TESTP(type, T, mask, NOTANUMBER, x > (infinity))                                                               \
    ROW_TESTP(type, T, mask, NORMAL, (x == 0) | ((x >= (normal_min)) & (x < (infinity))))                              \
    ROW_TESTP(type, T, mask, SUBNORMAL, (x != 0) & (x < (normal_min)))
#define ROWS_TESTP_ALL                                                                                                 \
    ROWS_TESTP(F32, u32, 0x7fffffffU, LANE_INF32, 0x00800000U)                                                         \
    ROWS_TESTP(F64, u64, (uint64_t)INT64_MAX, LANE_INF64, UINT64_C(0x0010000000000000))

#define ROW LANE_FUNCTION
#include "sim/exec_cmp.def"
ROWS_TESTP_ALL
#undef ROW

static const struct sim_exec_entry exec_entries[] = {
#define ROW LANE_ENTRY
#include "sim/exec_cmp.def"
    ROWS_TESTP_ALL
#undef ROW
};

LANE_EXPORT(cmp);
