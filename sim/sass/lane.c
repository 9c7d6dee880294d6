/* Which table of lane functions a level has: one that was not built answers as the next lower one. */
#include "sim/sass/lane_tables.h"

sim_lane_fn *sim_sass_lane(enum sim_sass_lane which, enum sim_level level)
{
#ifdef HAVE_AVX512_BUILD
    if (level == SIM_LEVEL_AVX512)
        return sim_exec_sass_avx512[which];
#endif
#ifdef HAVE_AVX2_BUILD
    if (level >= SIM_LEVEL_AVX2)
        return sim_exec_sass_avx2[which];
#endif
    (void)level;
    return sim_exec_sass_base[which];
}
