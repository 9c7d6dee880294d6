/* Occupancy: blocks per SM by each resource, and the shared-memory carve-out.
 *
 * The limits follow the rules that NVIDIA publishes in cuda_occupancy.h (CUDA 13.0) for compute capability 7.0 on, and
 * the occupancy calculator's for 2.0; what differs between generations is in the device's parameters. The carve-out
 * that the driver chooses by itself is a model: a rule that fits every launch of validate/records/h200.
 */
#include "sim/occupancy.h"

#include <stdbool.h>

#define WARP_SIZE          32
#define SHARED_BYTES_LIMIT UINT64_C(0x40000000) /* far more than any block can have; keeps sums from overflowing */

const char *const sim_limiter_names[SIM_LIMIT_COUNT] = {"warps", "blocks", "registers", "shared_mem", "barriers"};

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t limit_by_warps(const struct sim_device *device, const struct sim_occupancy_query *query, uint32_t warps)
{
    return query->block_threads > device->max_threads_per_block ? 0 : device->max_warps_per_sm / warps;
}

/* Registers are given to whole warps in units, evenly over the SM's parts: the number of warps is a multiple of the
 * parts, and a block must fit as if it filled all parts. */
static uint32_t limit_by_registers(const struct sim_device *device, const struct sim_occupancy_query *query,
                                   uint32_t warps)
{
    uint64_t parts = device->warp_allocation_granularity, per_warp;
    if (query->registers_per_thread == 0)
        return UINT32_MAX;
    if (query->registers_per_thread > device->max_registers_per_thread)
        return 0;
    per_warp = round_up((uint64_t)query->registers_per_thread * WARP_SIZE, device->register_unit);
    if (per_warp * round_up(warps, parts) > device->registers_per_block)
        return 0;
    return (uint32_t)(device->registers_per_sm / per_warp / parts * parts / warps);
}

static uint32_t limit_by_barriers(const struct sim_device *device, const struct sim_occupancy_query *query)
{
    uint32_t used = query->barriers ? query->barriers : 1;
    return device->named_barriers_per_sm ? device->named_barriers_per_sm / used : UINT32_MAX;
}

static uint64_t shared_allocated(const struct sim_device *device, const struct sim_occupancy_query *query)
{
    if (query->shared_static_bytes > SHARED_BYTES_LIMIT || query->shared_dynamic_bytes > SHARED_BYTES_LIMIT)
        return 2 * SHARED_BYTES_LIMIT;
    return round_up(query->shared_static_bytes + query->shared_dynamic_bytes + device->shared_reserved_bytes,
                    device->shared_unit_bytes);
}

/* The smallest carve-out that holds `bytes`, or the largest there is. */
static uint64_t carveout_for(const struct sim_device *device, uint64_t bytes)
{
    for (uint32_t i = 0; i < device->shared_carveouts_kib.count; i++) {
        uint64_t option = (uint64_t)device->shared_carveouts_kib.items[i] * 1024;
        if (option >= bytes && option <= device->shared_per_sm_bytes)
            return option;
    }
    return device->shared_per_sm_bytes;
}

/* The carve-out for a preference in percent: rounded up to a possible size, and enough for one block. */
static uint64_t preferred_carveout(const struct sim_device *device, int32_t percent, uint64_t per_block)
{
    uint64_t wanted = (uint64_t)(percent > 100 ? 100 : percent) * device->shared_per_sm_bytes / 100;
    uint64_t config = carveout_for(device, wanted);
    return config < per_block ? carveout_for(device, per_block) : config;
}

/* What the driver chooses without a preference. Always enough for the blocks that fit anyway. Beyond that it makes room
 * for twice the blocks, as long as half of the unified memory is enough; not for one block alone, nor for blocks that
 * take as many warps as the largest. Blocks that use no shared memory get room for four times the blocks that the warps
 * allow. */
static uint64_t chosen_carveout(const struct sim_device *device, const struct sim_occupancy_query *query,
                                uint64_t per_block, uint32_t blocks, uint32_t warp_limit)
{
    uint64_t half = carveout_for(device, (device->unified_bytes + 1) / 2), config, roomy;
    uint64_t warps = ((uint64_t)query->block_threads + WARP_SIZE - 1) / WARP_SIZE;
    uint32_t wanted;
    bool largest = round_up(warps, device->warp_allocation_granularity) * WARP_SIZE >= device->max_threads_per_block;
    if (device->compute_major < 7)
        return device->shared_per_sm_bytes;
    if (per_block == 0)
        return carveout_for(device, 0);
    if ((query->shared_static_bytes | query->shared_dynamic_bytes) == 0)
        return carveout_for(device, per_block * smaller(4 * warp_limit, device->max_blocks_per_sm));
    blocks = smaller(blocks, (uint32_t)(device->shared_per_sm_bytes / per_block));
    config = carveout_for(device, per_block * (blocks ? blocks : 1));
    wanted = blocks > 1 && !largest ? 2 * blocks : blocks;
    roomy = carveout_for(device, per_block * smaller(wanted, device->max_blocks_per_sm));
    roomy = roomy < half ? roomy : half;
    return config > roomy ? config : roomy;
}

static uint32_t blocks_in(uint64_t bytes, uint64_t per_block)
{
    return per_block ? (uint32_t)(bytes / per_block) : UINT32_MAX;
}

static void limit_by_shared(const struct sim_device *device, const struct sim_occupancy_query *query,
                            struct sim_occupancy *out)
{
    uint64_t per_block = shared_allocated(device, query);
    uint32_t blocks = UINT32_MAX;
    bool fits = per_block <= (uint64_t)device->shared_per_block_optin_bytes + device->shared_reserved_bytes &&
                per_block <= device->shared_per_sm_bytes;

    for (int i = 0; i < SIM_LIMIT_COUNT; i++)
        blocks = i == SIM_LIMIT_SHARED ? blocks : smaller(blocks, out->limit_blocks[i]);
    out->shared_per_block_allocated_bytes = per_block;
    out->needs_optin = query->shared_static_bytes > device->shared_per_block_bytes ||
                       query->shared_dynamic_bytes > device->shared_per_block_bytes - query->shared_static_bytes;
    if (query->carveout_percent >= 0)
        out->shared_config_bytes = preferred_carveout(device, query->carveout_percent, per_block);
    else
        out->shared_config_bytes =
            chosen_carveout(device, query, per_block, blocks, out->limit_blocks[SIM_LIMIT_WARPS]);
    out->limit_blocks[SIM_LIMIT_SHARED] = fits ? blocks_in(out->shared_config_bytes, per_block) : 0;
    out->limit_shared_largest = fits ? blocks_in(device->shared_per_sm_bytes, per_block) : 0;
}

/* A carve-out that the driver chose does not bind: it would have chosen a larger one. */
static bool binds(const struct sim_occupancy *out, const struct sim_occupancy_query *query, int resource)
{
    if (resource == SIM_LIMIT_SHARED && query->carveout_percent < 0)
        return out->limit_shared_largest == out->blocks_per_sm;
    return out->limit_blocks[resource] == out->blocks_per_sm;
}

void sim_occupancy_compute(const struct sim_device *device, const struct sim_occupancy_query *query,
                           struct sim_occupancy *out)
{
    uint32_t warps = (uint32_t)(((uint64_t)query->block_threads + WARP_SIZE - 1) / WARP_SIZE);

    *out = (struct sim_occupancy){.limiter = SIM_LIMIT_COUNT};
    if (warps > 0) {
        out->limit_blocks[SIM_LIMIT_WARPS] = limit_by_warps(device, query, warps);
        out->limit_blocks[SIM_LIMIT_BLOCKS] = device->max_blocks_per_sm;
        out->limit_blocks[SIM_LIMIT_REGISTERS] = limit_by_registers(device, query, warps);
        out->limit_blocks[SIM_LIMIT_BARRIERS] = limit_by_barriers(device, query);
        limit_by_shared(device, query, out);
    }
    out->blocks_per_sm = UINT32_MAX;
    for (int i = 0; i < SIM_LIMIT_COUNT; i++)
        out->blocks_per_sm = smaller(out->blocks_per_sm, out->limit_blocks[i]);
    for (int i = 0; i < SIM_LIMIT_COUNT; i++) {
        if (!binds(out, query, i))
            continue;
        out->limiter_mask |= UINT32_C(1) << i;
        if (out->limiter == SIM_LIMIT_COUNT)
            out->limiter = (enum sim_limiter)i;
    }
    out->warps_per_sm = out->blocks_per_sm * warps;
    out->occupancy_pct = 100.0 * out->warps_per_sm / device->max_warps_per_sm;
    out->launchable = out->blocks_per_sm > 0;
}
