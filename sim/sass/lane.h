/* Lane functions of machine instructions that no PTX instruction computes. Sources, result and predicates as in
 * sim/exec.h; what each takes is told in lane.def. */
#ifndef SIM_SASS_LANE_H
#define SIM_SASS_LANE_H

#include "sim/exec.h"

enum sim_sass_lane {
#define SASS_LANE(id, ...) SIM_SASS_LANE_##id,
#include "sim/sass/lane.def"
#undef SASS_LANE
    SIM_SASS_LANE_COUNT
};

sim_lane_fn *sim_sass_lane(enum sim_sass_lane which, enum sim_level level);

#endif
