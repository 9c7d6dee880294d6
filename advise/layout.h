/* Where the elements of an array lie in shared memory, and which layout frees accesses of bank conflicts.
 *
 * A layout maps an element's number to a place, also counted in elements:
 *
 *     plain      e
 *     padded     e + e / row * pad                         rows of row + pad elements
 *     swizzled   e ^ ((e / row >> shift & mask) << scale)  within a row, which column depends on the row
 *
 * For a two-dimensional array `row` is its last dimension; for others it is what the accesses suggest. Every cure that
 * the search gives has been tried out on every warp of the block.
 */
#ifndef ADVISE_LAYOUT_H
#define ADVISE_LAYOUT_H

#include "advise/array.h"
#include "base/strbuf.h"
#include "sim/device.h"

#include <stdbool.h>
#include <stdint.h>

struct advise_layout {
    uint64_t row; /* elements; 0: plain */
    uint64_t pad;
    uint32_t shift, mask, scale; /* mask 0: not swizzled */
};

uint64_t advise_layout_place(const struct advise_layout *layout, uint64_t element);

/* What is to be cured: accesses to one array. */
struct advise_banks_query {
    const struct sim_device *device;
    const struct advise_array *array;
    uint64_t offset_bytes; /* of the array's start from a multiple of all banks */
    const struct advise_pattern *const *patterns;
    uint32_t pattern_count;
};

/* The byte addresses of one warp. False when a lane's is no multiple of what it accesses, which faults. */
bool advise_addresses(const struct advise_banks_query *query, const struct advise_layout *layout,
                      const struct advise_pattern *pattern, uint32_t warp, uint64_t address[32]);

/* Wavefronts of a pattern, all warps; and whether no warp has a bank conflict. */
struct advise_cost {
    uint64_t wavefronts, ideal;
    uint32_t worst_warp, worst; /* the first warp with most wavefronts, and how many */
    bool conflict_free;
};
struct advise_cost advise_cost_of(const struct advise_banks_query *query, const struct advise_layout *layout,
                                  const struct advise_pattern *pattern);

struct advise_cure {
    bool found;         /* there is one that helps */
    bool conflict_free; /* and none of the accesses conflicts with it; otherwise it is the best there is */
    struct advise_layout layout;
    uint64_t wavefronts;  /* of all accesses and warps with it */
    uint64_t extra_bytes; /* that the array grows by; unknown sizes: 0 */
    bool fits;            /* the array still fits a block's shared memory */
    bool has_walks;       /* it is known what a warp needs that reads the array row by row, column by column */
    uint32_t row_walk, column_walk;       /* wavefronts of the worst warp */
    bool row_walk_free, column_walk_free; /* no warp has a conflict */
};

/* The smallest padding; the simplest swizzle, one that leaves rows and columns without conflicts if there is one. */
void advise_cure_padding(const struct advise_banks_query *query, struct advise_cure *cure);
void advise_cure_swizzle(const struct advise_banks_query *query, struct advise_cure *cure);

/* "float tile[32][33]", "tile[i + i / 32]", "tile[r][c ^ (r & 31)]". */
void advise_layout_print(const struct advise_layout *layout, const struct advise_array *array, struct base_strbuf *out);

#endif
