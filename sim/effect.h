/* What one executed memory instruction did: all that counters, checks, timing and traces may know of it.
 *
 * Executing is done once, at issue; everything else consumes effects. Addresses are space-relative as the space below
 * has them: global device addresses, byte offsets in the block's shared memory. */
#ifndef SIM_EFFECT_H
#define SIM_EFFECT_H

#include "sim/lanes.h"

#include <stdbool.h>
#include <stdint.h>

enum sim_effect_kind { SIM_EFFECT_LOAD, SIM_EFFECT_STORE, SIM_EFFECT_ATOMIC };

/* Where the lanes' data lies in the host: base + address - origin for all, or a pointer for each. */
struct sim_target {
    uint8_t *base;
    uint64_t origin;
    bool by_lane;
    uint8_t *at[32];
};

/* Both sides of a copy from global to shared memory. Lanes that are not read for are filled with zeros. */
struct sim_copy {
    uint64_t from[32], to[32];
    uint32_t mask, read_mask, width_bytes;
    bool past_l1;
};

struct sim_op;
struct sim_warp;
struct sim_group;

/* A store's values are still in the registers and not yet in memory when its effect is told. */
struct sim_effect {
    enum sim_effect_kind kind;
    uint8_t
        space; /* enum isa_space: GLOBAL, SHARED (the block's own), SHARED_CLUSTER (another block's), LOCAL, CONST */
    uint32_t width_bytes;            /* per lane, all vector elements */
    struct sim_addresses *addresses; /* mask: lanes of this effect; expand before reading at[] */
    const struct sim_op *op;
    const struct sim_warp *warp;
    const struct sim_group *group;
    const struct sim_target *target;
    bool by_rows;                /* a shared load of whole rows (ldmatrix): groups of lanes never share a wavefront */
    bool uncounted;              /* of barriers in shared memory: no wavefronts */
    bool apart;                  /* of bulk copies: for the checks alone */
    const struct sim_copy *copy; /* one side of a copy between memories (cp.async), or NULL */
    bool is_cached;              /* a load through L1; told only where it matters (l1_fetch_bytes) */
};

#endif
