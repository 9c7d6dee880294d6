/* What a launch's occupancy would be with more or less of something: one step of each resource, curves over all values,
 * clusters.
 *
 * Resources are allocated in units, so values fall into granules that give the same: 32 threads of a block, 8 registers
 * where a warp's come in units of 256, 128 bytes of shared memory. A curve goes from granule to granule.
 */
#include "sim/occupancy.h"

#define WARP_SIZE  32
#define CURVE_MOST 4096 /* points; only a profile with tiny units has more granules, and gets a coarser curve */

const char *const sim_occupancy_axis_names[SIM_AXIS_COUNT] = {"block", "registers", "shared_mem"};

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint64_t axis_first(enum sim_occupancy_axis axis)
{
    return axis == SIM_AXIS_SHARED ? 0 : 1;
}

static uint64_t axis_last(const struct sim_device *device, enum sim_occupancy_axis axis)
{
    if (axis == SIM_AXIS_BLOCK)
        return device->max_threads_per_block;
    if (axis == SIM_AXIS_REGISTERS)
        return device->max_registers_per_thread;
    return device->shared_per_block_optin_bytes > device->shared_per_block_bytes ? device->shared_per_block_optin_bytes
                                                                                 : device->shared_per_block_bytes;
}

static uint64_t axis_value(const struct sim_occupancy_query *query, enum sim_occupancy_axis axis)
{
    if (axis == SIM_AXIS_BLOCK)
        return query->block_threads;
    if (axis == SIM_AXIS_REGISTERS)
        return query->registers_per_thread;
    return query->shared_static_bytes + query->shared_dynamic_bytes;
}

/* What is allocated for `value`, in units, and the most that so many units are enough for. */
static uint64_t units_of(const struct sim_device *device, enum sim_occupancy_axis axis, uint64_t value)
{
    if (axis == SIM_AXIS_BLOCK)
        return round_up(value, WARP_SIZE) / WARP_SIZE;
    if (axis == SIM_AXIS_REGISTERS)
        return round_up(value * WARP_SIZE, device->register_unit) / device->register_unit;
    return round_up(value + device->shared_reserved_bytes, device->shared_unit_bytes) / device->shared_unit_bytes;
}

/* False when so few units are enough for nothing. */
static bool value_of(const struct sim_device *device, enum sim_occupancy_axis axis, uint64_t units, uint64_t *value)
{
    uint64_t room = units * (axis == SIM_AXIS_BLOCK       ? WARP_SIZE
                             : axis == SIM_AXIS_REGISTERS ? device->register_unit
                                                          : device->shared_unit_bytes);
    uint64_t taken = axis == SIM_AXIS_SHARED ? device->shared_reserved_bytes : 0;
    uint64_t last = axis_last(device, axis);
    if (room < taken)
        return false;
    *value = axis == SIM_AXIS_REGISTERS ? room / WARP_SIZE : room - taken;
    *value = *value < last ? *value : last;
    return *value >= axis_first(axis);
}

static void compute_at(const struct sim_device *device, const struct sim_occupancy_query *query,
                       enum sim_occupancy_axis axis, uint64_t value, struct sim_occupancy *out)
{
    struct sim_occupancy_query changed = *query;
    if (axis == SIM_AXIS_BLOCK) {
        changed.block_threads = (uint32_t)value;
    } else if (axis == SIM_AXIS_REGISTERS) {
        changed.registers_per_thread = (uint32_t)value;
    } else {
        changed.shared_static_bytes = 0;
        changed.shared_dynamic_bytes = value;
    }
    sim_occupancy_compute(device, &changed, out);
}

/* ---- Steps ---- */

void sim_occupancy_step_compute(const struct sim_device *device, const struct sim_occupancy_query *query,
                                enum sim_occupancy_axis axis, bool is_more, struct sim_occupancy_step *out)
{
    struct sim_occupancy there;
    uint64_t now = axis_value(query, axis), units = units_of(device, axis, now);
    *out = (struct sim_occupancy_step){.axis = axis, .is_more = is_more};
    if (is_more)
        out->is_possible = value_of(device, axis, units, &out->value) && out->value < axis_last(device, axis) &&
                           value_of(device, axis, units_of(device, axis, out->value + 1), &out->value);
    else
        out->is_possible = units > 0 && value_of(device, axis, units - 1, &out->value);
    if (!out->is_possible)
        return;
    compute_at(device, query, axis, out->value, &there);
    out->blocks_per_sm = there.blocks_per_sm;
    out->warps_per_sm = there.warps_per_sm;
    out->occupancy_pct = there.occupancy_pct;
}

/* ---- Curves ---- */

static void add_piece(struct sim_occupancy_curve *curve, uint64_t from, uint64_t to, const struct sim_occupancy *there)
{
    struct sim_occupancy_piece *last = curve->count > 0 ? &curve->pieces[curve->count - 1] : NULL;
    if (last != NULL && last->blocks_per_sm == there->blocks_per_sm && last->warps_per_sm == there->warps_per_sm)
        last->to = to;
    else
        curve->pieces[curve->count++] =
            (struct sim_occupancy_piece){from, to, there->blocks_per_sm, there->warps_per_sm, there->occupancy_pct};
}

enum base_status sim_occupancy_curve_make(const struct sim_device *device, const struct sim_occupancy_query *query,
                                          enum sim_occupancy_axis axis, struct base_arena *arena,
                                          struct sim_occupancy_curve *out)
{
    uint64_t first = axis_first(axis), last = axis_last(device, axis);
    uint64_t begin = units_of(device, axis, first), end = units_of(device, axis, last);
    uint64_t stride = (end - begin) / CURVE_MOST + 1;
    *out = (struct sim_occupancy_curve){.axis = axis, .own = axis_value(query, axis)};
    out->pieces = base_arena_alloc(arena, (size_t)((end - begin) / stride) + 2, sizeof(*out->pieces));
    if (out->pieces == NULL)
        return BASE_NOMEM;
    for (uint64_t units = begin, from = first; from <= last; units += stride) {
        struct sim_occupancy there;
        uint64_t to = from;
        if (!value_of(device, axis, units < end ? units : end, &to) || to < from)
            continue;
        compute_at(device, query, axis, to, &there);
        add_piece(out, from, to, &there);
        from = to + 1;
    }
    return BASE_OK;
}

const struct sim_occupancy_piece *sim_occupancy_curve_at(const struct sim_occupancy_curve *curve, uint64_t value)
{
    uint32_t low = 0, high = curve->count - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (value > curve->pieces[middle].to)
            low = middle + 1;
        else
            high = middle;
    }
    return &curve->pieces[low];
}

const struct sim_occupancy_piece *sim_occupancy_curve_next(const struct sim_occupancy_curve *curve, bool more)
{
    const struct sim_occupancy_piece *own = sim_occupancy_curve_at(curve, curve->own), *at = own;
    while (at->warps_per_sm == own->warps_per_sm) {
        if (more ? at == curve->pieces + curve->count - 1 : at == curve->pieces)
            return NULL;
        at += more ? 1 : -1;
    }
    return at;
}

/* ---- Clusters ---- */

void sim_cluster_occupancy_compute(const struct sim_device *device, uint32_t blocks_per_sm, uint32_t cluster_blocks,
                                   struct sim_cluster_occupancy *out)
{
    const uint32_t most = device->cluster_blocks_per_sm, blocks = blocks_per_sm < most ? blocks_per_sm : most;
    *out = (struct sim_cluster_occupancy){.cluster_blocks = cluster_blocks,
                                          .is_portable = cluster_blocks <= device->max_cluster_blocks};
    out->gpc_count = sim_device_gpcs(device, out->gpc_sms);
    for (uint32_t g = 0; g < out->gpc_count; g++) {
        if (cluster_blocks > 0 && cluster_blocks <= out->gpc_sms[g])
            out->gpc_clusters[g] = out->gpc_sms[g] * blocks / cluster_blocks;
        out->max_active_clusters += out->gpc_clusters[g];
    }
}

/* ---- All of it ---- */

enum base_status sim_occupancy_study_make(const struct sim_device *device, const struct sim_occupancy_query *query,
                                          uint32_t cluster_blocks, struct base_arena *arena,
                                          struct sim_occupancy_study *out)
{
    *out = (struct sim_occupancy_study){.device = device, .query = *query};
    sim_occupancy_compute(device, query, &out->result);
    for (int axis = 0; axis < SIM_AXIS_COUNT; axis++) {
        enum base_status status =
            sim_occupancy_curve_make(device, query, (enum sim_occupancy_axis)axis, arena, &out->curves[axis]);
        if (status != BASE_OK)
            return status;
        for (int more = 0; more < 2; more++)
            sim_occupancy_step_compute(device, query, (enum sim_occupancy_axis)axis, more == 1,
                                       &out->steps[2 * axis + more]);
    }
    sim_cluster_occupancy_compute(device, out->result.blocks_per_sm, cluster_blocks, &out->cluster);
    out->max_cluster_blocks = device->max_cluster_blocks_nonportable;
    for (uint32_t blocks = 1; blocks <= out->max_cluster_blocks && blocks <= SIM_CLUSTER_BLOCKS_MAX; blocks++) {
        struct sim_cluster_occupancy there;
        sim_cluster_occupancy_compute(device, out->result.blocks_per_sm, blocks, &there);
        out->max_active_clusters[blocks] = there.max_active_clusters;
    }
    return BASE_OK;
}
