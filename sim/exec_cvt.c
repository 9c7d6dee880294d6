/* Lane functions of the common conversions: exec_cvt.def twice.
 */
#include "sim/exec_cvt_rows.h"

#define ROW LANE_FUNCTION
#include "sim/exec_cvt.def"
#undef ROW

static const struct sim_exec_entry exec_entries[] = {
#define ROW LANE_ENTRY
#include "sim/exec_cvt.def"
#undef ROW
};

LANE_EXPORT(cvt);
