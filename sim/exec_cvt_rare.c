/* Lane functions of the rare conversions: exec_cvt_rare.def twice. Compiled for the base level only: they are many, and
 * work in 64-bit integers, which gain little from wider vectors.
 */
#include "sim/exec_cvt_rows.h"

#define ROW LANE_FUNCTION
#include "sim/exec_cvt_rare.def"
#undef ROW

static const struct sim_exec_entry exec_entries[] = {
#define ROW LANE_ENTRY
#include "sim/exec_cvt_rare.def"
#undef ROW
};

LANE_EXPORT(cvt_rare);
