/* Occupancy: how many blocks of a kernel one SM holds, and which resource says so. The rules are those of NVIDIA's
 * cuda_occupancy.h (limits, allocation granularities by compute capability). */
#ifndef SIM_OCCUPANCY_H
#define SIM_OCCUPANCY_H

#include "sim/device.h"

#include <stdint.h>

enum sim_limiter {
    SIM_LIMIT_WARPS,
    SIM_LIMIT_BLOCKS,
    SIM_LIMIT_REGISTERS,
    SIM_LIMIT_SHARED,
    SIM_LIMIT_BARRIERS,
    SIM_LIMIT_COUNT
};
extern const char
    *const sim_limiter_names[SIM_LIMIT_COUNT]; /* "warps", "blocks", "registers", "shared_mem", "barriers" */

struct sim_occupancy_query {
    uint32_t block_threads;
    uint32_t registers_per_thread;
    uint64_t shared_static_bytes, shared_dynamic_bytes;
    int32_t carveout_percent; /* -1: the driver's own choice */
    uint32_t barriers;        /* named barriers a block uses; at least 1 */
};

struct sim_occupancy {
    uint32_t limit_blocks[SIM_LIMIT_COUNT]; /* blocks per SM that each resource allows; UINT32_MAX: does not limit */
    uint32_t blocks_per_sm, warps_per_sm;
    double occupancy_pct;                      /* warps_per_sm of the device's maximum */
    enum sim_limiter limiter;                  /* the first that binds */
    uint32_t limiter_mask;                     /* all that bind */
    uint64_t shared_per_block_allocated_bytes; /* static + dynamic + reserved, rounded up */
    uint64_t shared_config_bytes;              /* the carve-out: asked for, or chosen by the driver (modelled) */
    uint32_t limit_shared_largest; /* limit_blocks[SIM_LIMIT_SHARED] if the carve-out were the largest: with the
                                      driver's own choice, this is what binds, since the driver would choose more */
    bool launchable;               /* false: no SM can hold even one block */
};

void sim_occupancy_compute(const struct sim_device *device, const struct sim_occupancy_query *query,
                           struct sim_occupancy *out);

#endif
