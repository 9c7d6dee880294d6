/* Declarations, accesses, and the elements that the threads of a block touch.
 *
 *     float tile[32][33]          a declaration: __shared__, extern, const, pointers and [] are understood
 *     tile[threadIdx.x][0]        an access; .x to .w behind it for a component of a vector type
 *
 * An element is told by its number in the array as declared, rows one behind the other. Where it lies in memory is a
 * layout's business (advise/layout.h).
 */
#ifndef ADVISE_ARRAY_H
#define ADVISE_ARRAY_H

#include "advise/ctype.h"
#include "advise/expr.h"
#include "sim/coalesce.h"

#include <stdbool.h>
#include <stdint.h>

#define ADVISE_DIMS_MAX  4
#define ADVISE_WARPS_MAX 32
/* An array has at most so many bytes, and no element lies further. */
#define ADVISE_BYTES_MAX (UINT64_C(1) << 47)

struct advise_array {
    struct advise_ctype type;
    const char *name;
    uint32_t dim_count;
    uint64_t dims[ADVISE_DIMS_MAX]; /* the first may be 0: not told */
};

/* Elements of the last dimension; 1-D arrays are one row of all. */
uint64_t advise_array_row(const struct advise_array *array);
/* All elements; 0: not told. */
uint64_t advise_array_elements(const struct advise_array *array);

enum base_status advise_array_read(const struct base_source *source, const struct advise_scope *scope,
                                   struct base_arena *arena, struct advise_array *array, struct base_diags *diags);

struct advise_access {
    const struct base_source *source;
    const struct advise_expr *subscripts[ADVISE_DIMS_MAX];
    uint32_t subscript_count;
    uint32_t component, component_count;                     /* the part of an element that is accessed */
    size_t offset[ADVISE_DIMS_MAX], length[ADVISE_DIMS_MAX]; /* of each subscript in the source */
};

/* With `array` NULL the whole text is one index. */
enum base_status advise_access_read(const struct base_source *source, const struct advise_array *array,
                                    const struct advise_scope *scope, struct base_arena *arena,
                                    struct advise_access *access, struct base_diags *diags);

/* Which threads look. */
struct advise_shape {
    uint32_t block_dim[3], grid_dim[3], block[3];
    const struct advise_expr *condition; /* NULL: all threads take part */
};

/* One instruction of every warp of a block. */
struct advise_lanes {
    uint32_t mask;
    uint64_t element[32]; /* of lanes in the mask */
};
struct advise_pattern {
    const char *text; /* the access, for people */
    const char *who;  /* who executes it, where that is not a warp of a block of some shape; or NULL */
    enum sim_shared_kind kind;
    uint32_t width_bytes;     /* of each lane's access */
    uint32_t component_bytes; /* from the start of an element to what is accessed of it */
    uint32_t warp_count;
    struct advise_lanes warps[ADVISE_WARPS_MAX];
};

/* Evaluates the access for every thread of the block (at most 32 warps; the caller has checked the shape). A subscript
 * that leaves the array is an error with its thread. */
enum base_status advise_pattern_make(const struct advise_access *access, const struct advise_array *array,
                                     const struct advise_shape *shape, struct advise_pattern *pattern,
                                     struct base_diags *diags);

#endif
