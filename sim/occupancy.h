/* Occupancy: how many blocks of a kernel one SM holds, and which resource says so. The rules are those of NVIDIA's
 * cuda_occupancy.h (limits, allocation granularities by compute capability). */
#ifndef SIM_OCCUPANCY_H
#define SIM_OCCUPANCY_H

#include "base/arena.h"
#include "base/status.h"
#include "sim/device.h"

#include <stdbool.h>
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
    bool needs_optin;              /* more shared memory than a block has unless it asks */
    bool launchable;               /* false: no SM can hold even one block */
};

void sim_occupancy_compute(const struct sim_device *device, const struct sim_occupancy_query *query,
                           struct sim_occupancy *out);

/* ---- Clusters ---- */

#define SIM_CLUSTER_BLOCKS_MAX 64

/* How many clusters run at once: cudaOccupancyMaxActiveClusters. A cluster's blocks lie in one GPC that has as many
 * SMs, and an SM counts for at most cluster_blocks_per_sm blocks (validate/records/h200/clusters). How many SMs the
 * GPCs have differs from card to card; one that was not looked at has them shared out evenly (modelled). */
struct sim_cluster_occupancy {
    uint32_t cluster_blocks;
    uint32_t max_active_clusters;
    uint32_t gpc_count;
    uint32_t gpc_sms[SIM_GPC_MAX], gpc_clusters[SIM_GPC_MAX];
    bool is_portable; /* false: needs cudaFuncAttributeNonPortableClusterSizeAllowed */
};

void sim_cluster_occupancy_compute(const struct sim_device *device, uint32_t blocks_per_sm, uint32_t cluster_blocks,
                                   struct sim_cluster_occupancy *out);

/* ---- What would be if ---- */

enum sim_occupancy_axis { SIM_AXIS_BLOCK, SIM_AXIS_REGISTERS, SIM_AXIS_SHARED, SIM_AXIS_COUNT };
extern const char *const sim_occupancy_axis_names[SIM_AXIS_COUNT]; /* "block", "registers", "shared_mem" */

/* Neighbouring values of one axis that give the same. Axes: threads of a block, registers of a thread, bytes of shared
 * memory of a block (static and dynamic). */
struct sim_occupancy_piece {
    uint64_t from, to;
    uint32_t blocks_per_sm, warps_per_sm;
    double occupancy_pct;
};

/* All that the device takes of one axis, the rest as it is: pieces without gaps. */
struct sim_occupancy_curve {
    enum sim_occupancy_axis axis;
    uint64_t own; /* the launch's value */
    uint32_t count;
    struct sim_occupancy_piece *pieces;
};

enum base_status sim_occupancy_curve_make(const struct sim_device *device, const struct sim_occupancy_query *query,
                                          enum sim_occupancy_axis axis, struct base_arena *arena,
                                          struct sim_occupancy_curve *out);
/* The piece that holds `value`, the nearest one outside. */
const struct sim_occupancy_piece *sim_occupancy_curve_at(const struct sim_occupancy_curve *curve, uint64_t value);
/* The nearest piece with more (or fewer) of the resource that gives another number of warps. NULL: there is none. */
const struct sim_occupancy_piece *sim_occupancy_curve_next(const struct sim_occupancy_curve *curve, bool more);

/* One step less or more: a warp of the block, a unit in which registers or shared memory are allocated. `value` is the
 * most that the step allows, where it is less. is_possible: false when there is no such value. */
struct sim_occupancy_step {
    enum sim_occupancy_axis axis;
    bool is_more, is_possible;
    uint64_t value;
    uint32_t blocks_per_sm, warps_per_sm;
    double occupancy_pct;
};

void sim_occupancy_step_compute(const struct sim_device *device, const struct sim_occupancy_query *query,
                                enum sim_occupancy_axis axis, bool is_more, struct sim_occupancy_step *out);

/* All of it for one launch. */
struct sim_occupancy_study {
    const struct sim_device *device;
    struct sim_occupancy_query query;
    struct sim_occupancy result;
    struct sim_occupancy_step steps[2 * SIM_AXIS_COUNT];      /* less, more; axis by axis */
    struct sim_occupancy_curve curves[SIM_AXIS_COUNT];        /* by axis */
    struct sim_cluster_occupancy cluster;                     /* as asked for */
    uint32_t max_cluster_blocks;                              /* 1: the device has no clusters */
    uint32_t max_active_clusters[SIM_CLUSTER_BLOCKS_MAX + 1]; /* by blocks of a cluster, from 1 */
};

enum base_status sim_occupancy_study_make(const struct sim_device *device, const struct sim_occupancy_query *query,
                                          uint32_t cluster_blocks, struct base_arena *arena,
                                          struct sim_occupancy_study *out);

#endif
