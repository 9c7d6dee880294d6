/* Lane functions of arithmetic that rounds toward zero, down or up: the processor's own rounding mode is set around the
 * loop and put back. Compiled for the base level only, with -frounding-math; where the processor has no such modes the
 * instructions are not supported.
 *
 * Calls to fesetround() order the loads and stores of rows, and so the arithmetic between them.
 */
#include "sim/exec_arith.h"

#include <fenv.h>

#define FMA32 __builtin_fmaf

#define LANE_DIRECTED(op, type, type2, variant, body, ...)                                                             \
    static uint64_t LANE_NAME(op, type, type2, variant)(LANE_PARAMETERS)                                               \
    {                                                                                                                  \
        const int caller_direction = fegetround();                                                                     \
        LANE_ROWS;                                                                                                     \
        (void)fesetround(DIRECTION);                                                                                   \
        LANE_LOOP{body}(void)fesetround(caller_direction);                                                             \
        return 0;                                                                                                      \
    }

#if defined(FE_TOWARDZERO) && defined(FE_DOWNWARD) && defined(FE_UPWARD)

#define ROW       LANE_DIRECTED
#define DIRECTION FE_TOWARDZERO
ROWS_ARITHMETIC(RZ)
#undef DIRECTION
#define DIRECTION FE_DOWNWARD
ROWS_ARITHMETIC(RM)
#undef DIRECTION
#define DIRECTION FE_UPWARD
ROWS_ARITHMETIC(RP)
#undef DIRECTION
#undef ROW

#define ROW LANE_ENTRY
static const struct sim_exec_entry exec_entries[] = {ROWS_ARITHMETIC(RZ) ROWS_ARITHMETIC(RM) ROWS_ARITHMETIC(RP)};
#undef ROW

LANE_EXPORT(round);

#else

const struct sim_exec_table LANE_TABLE(round) = {NULL, 0};

#endif
