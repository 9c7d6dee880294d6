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

struct sim_effect {
    enum sim_effect_kind kind;
    uint8_t
        space; /* enum isa_space: GLOBAL, SHARED (the block's own), SHARED_CLUSTER (another block's), LOCAL, CONST */
    uint32_t width_bytes;            /* per lane, all vector elements */
    struct sim_addresses *addresses; /* mask: lanes of this effect; expand before reading at[] */
};

#endif
