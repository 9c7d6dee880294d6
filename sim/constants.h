/* Constant rows of a program under construction: each value once, found again by value and number of rows. */
#ifndef SIM_CONSTANTS_H
#define SIM_CONSTANTS_H

#include "base/arena.h"
#include "base/vec.h"
#include "sim/program.h"

struct sim_constant {
    uint64_t value;
    uint32_t rows, row;
};

struct sim_constants {
    BASE_VEC(struct sim_constant) items;
    uint32_t *table; /* open addressing: index into items + 1 */
    uint32_t table_size, row_count;
    bool failed; /* out of memory */
};

/* The row of a constant: `rows` 32-bit rows that hold `value` in every lane, zero past its 64 bits. */
uint32_t sim_constant_row(struct sim_constants *constants, uint64_t value, uint32_t rows);
/* The value that begins at a row: what sim_constant_row() was given for it, or the rest of that. */
uint64_t sim_constant_value(const struct sim_constants *constants, uint32_t row);
/* Writes all of them into program->consts. */
void sim_constants_finish(struct sim_constants *constants, struct sim_program *program, struct base_arena *arena);
void sim_constants_free(struct sim_constants *constants);

#endif
