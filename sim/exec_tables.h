/* What the files of lane functions give to the look-up (exec_find.c): one table a subject and a level.
 *
 * The same source file is compiled once a level, with SIM_EXEC_LEVEL_NAME set to base, avx2 or avx512; the level is the
 * last part of its table's name.
 */
#ifndef SIM_EXEC_TABLES_H
#define SIM_EXEC_TABLES_H

#include "sim/exec.h"

#include <stddef.h>

/* An instruction's kind, reduced to what its lane function depends on (exec_find.c: key_of). */
struct sim_exec_key {
    uint16_t op;
    uint8_t type, type2;
    uint8_t round, cmp, mode, mode2;
    uint32_t flags;
};

#define SIM_EXEC_THREE 1 /* mode2 of min and max: they have three sources */

struct sim_exec_entry {
    struct sim_exec_key key;
    sim_lane_fn *fn;
};

struct sim_exec_table {
    const struct sim_exec_entry *entries;
    size_t count;
};

#define SIM_EXEC_TABLES(level)                                                                                         \
    extern const struct sim_exec_table sim_exec_int_##level, sim_exec_float_##level, sim_exec_half_##level,            \
        sim_exec_cmp_##level, sim_exec_cvt_##level

SIM_EXEC_TABLES(base);
SIM_EXEC_TABLES(avx2);
SIM_EXEC_TABLES(avx512);

/* Rare instructions, compiled for the base level only: directed rounding, set, and most conversions that round. */
extern const struct sim_exec_table sim_exec_round_base, sim_exec_set_base, sim_exec_cvt_rare_base;

#endif
