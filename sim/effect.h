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
    bool is_cached; /* a load through L1; told only where it matters (l1_fetch_bytes) */
};

#endif
