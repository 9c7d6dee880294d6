/* Matrix instructions made ready to run, and where a matrix's elements lie in the lanes' registers. Internal to sim/.
 */
#ifndef SIM_MATRIX_H
#define SIM_MATRIX_H

#include "isa/matrix.h"

#include <stdbool.h>
#include <stdint.h>

/* One matrix spread over a warp.
 *
 * It is cut into tiles of eight rows; in a tile, lane l has `run` elements side by side of row l / 4, from column
 * (l % 4) * run on. Tiles follow each other in a lane's registers: two below each other, then the two right of them,
 * and so on (`pairs`), or along the row first. `transposed`: "rows" are the matrix's columns. A fragment longer than
 * its matrix holds the matrix more than once. validate/records/h200/tensor has the H200's. */
struct sim_fragment {
    uint32_t row[8]; /* where the registers lie (sim/program.h) */
    uint8_t count, type;
    uint8_t register_rows; /* 32-bit rows of one register */
    uint8_t per_register;  /* elements in one */
    uint8_t run;
    uint8_t tiles_down, tiles_across; /* in the orientation of the tiles */
    bool pairs, transposed;
};

struct sim_matrix {
    struct isa_shape_info shape;
    struct isa_matrix_types types;
    bool saturates;
    struct sim_fragment d, a, b, c; /* loads use d, stores c */
};

/* The layout of the matrix that `letter` of opcode.def stands for in that instruction; rows are left to the caller. */
struct sim_fragment sim_fragment_layout(const struct isa_insn *insn, char letter);

/* Row and column in the matrix of element `index` of a lane, in order of its registers. */
void sim_fragment_place(const struct sim_fragment *fragment, unsigned lane, unsigned index, unsigned *row,
                        unsigned *column);

#endif
