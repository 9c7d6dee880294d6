/* The thread hierarchy of a launch: grid, blocks, warps, lanes, and the tile of a matrix that each block covers.
 *
 * Threads of a block are numbered x first, then y, then z; 32 neighbours make a warp. Block (x, y) covers the tile in
 * tile row y and tile column x. A tile that is larger than the block is worked on in steps of the block's shape.
 */
#ifndef ADVISE_THREADS_H
#define ADVISE_THREADS_H

#include "base/diag.h"
#include "sim/device.h"

#include <stdbool.h>
#include <stdint.h>

struct advise_threads_query {
    uint32_t grid_dim[3], block_dim[3];
    uint32_t block[3];                /* the one to look at */
    uint64_t tile_width, tile_height; /* elements; 0: the block's x and y */
    uint64_t rows, columns;           /* of the matrix; 0: there is none */
};

/* Elements first to last of each direction; empty when first > last. */
struct advise_range {
    uint64_t first_row, last_row, first_column, last_column;
    bool empty;
};

struct advise_threads {
    struct advise_threads_query query;
    uint32_t block_threads, block_warps, last_warp_lanes;
    uint64_t blocks, threads, warps;
    uint64_t block_linear; /* of the block looked at: x first */
    uint64_t idle_lanes;   /* of all blocks: lanes of last warps that no thread has */

    /* With a matrix. */
    struct advise_range tile;    /* of the block, cut at the matrix's edge */
    uint32_t steps_x, steps_y;   /* elements a thread works on, in each direction */
    uint64_t tiles_x, tiles_y;   /* that the matrix has */
    uint64_t uncovered, outside; /* elements that no block covers; elements of tiles past the edge */
    uint64_t block_outside;      /* those of this block's tile */
};

/* One thread of the block looked at. */
struct advise_place {
    uint32_t tid[3], linear, warp, lane;
    uint64_t global;      /* number in the whole grid: block by block */
    uint64_t row, column; /* its first element of the matrix */
    bool inside;
};

enum base_status advise_threads_look(const struct sim_device *device, const struct advise_threads_query *query,
                                     struct advise_threads *out, struct base_diags *diags);
struct advise_place advise_threads_place(const struct advise_threads *threads, uint32_t linear);

#endif
