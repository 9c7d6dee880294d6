/* The tables of sim/exec_sass.c, one for each instruction set that was built. */
#ifndef SIM_SASS_LANE_TABLES_H
#define SIM_SASS_LANE_TABLES_H

#include "sim/sass/lane.h"

extern sim_lane_fn *const sim_exec_sass_base[SIM_SASS_LANE_COUNT];
extern sim_lane_fn *const sim_exec_sass_avx2[SIM_SASS_LANE_COUNT];
extern sim_lane_fn *const sim_exec_sass_avx512[SIM_SASS_LANE_COUNT];

#endif
