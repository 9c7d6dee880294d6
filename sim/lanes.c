/* Which build of the row functions serves an instruction set. */
#include "sim/lanes.h"

#include <stddef.h>

extern const struct sim_lanes sim_lanes_table_base;
#ifdef HAVE_AVX2_BUILD
extern const struct sim_lanes sim_lanes_table_avx2;
#endif
#ifdef HAVE_AVX512_BUILD
extern const struct sim_lanes sim_lanes_table_avx512;
#endif

const struct sim_lanes *sim_lanes_find(enum sim_level level)
{
#ifdef HAVE_AVX512_BUILD
    if (level >= SIM_LEVEL_AVX512)
        return &sim_lanes_table_avx512;
#endif
#ifdef HAVE_AVX2_BUILD
    if (level >= SIM_LEVEL_AVX2)
        return &sim_lanes_table_avx2;
#endif
    (void)level;
    return &sim_lanes_table_base;
}
