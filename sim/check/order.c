/* Who has waited for whom.
 *
 * Most threads meet as whole blocks or whole warps, and then one date says it all: block_time, warp_time. Parts that
 * meet alone get rows of dates: of lanes within their warp, of warps within their block. What threads learn through
 * memory is in flag.c. */
#include "sim/check/check.h"

#include <string.h>

struct check_view check_view_of(struct sim_check *check, const struct sim_warp *warp)
{
    struct check_block *block = warp->block->check;
    return (struct check_view){check, block, &block->warps[warp->index], warp, warp->index};
}

struct check_block *check_block_at(const struct check_view *view, const struct sim_effect *effect, uint64_t address)
{
    uint64_t rank = address >> SIM_CLUSTER_SHIFT;
    if (effect->space != ISA_SPACE_SHARED_CLUSTER || rank == 0)
        return view->block;
    return view->sim->block->cluster->blocks[rank - 1].check;
}

uint32_t check_clock_tick(struct sim_check *check, struct check_block *block)
{
    if (!block->dirty)
        return block->clock - 1;
    if (block->clock >= CHECK_TIME_MAX - 1) { /* the dates have run out: nothing within the block is told any more */
        block->block_time = CHECK_TIME_MAX;
        check->incomplete = true;
        return block->clock;
    }
    block->dirty = false;
    return block->clock++;
}

void check_order_block_start(struct sim_check *check, struct check_block *block)
{
    block->clock = 1;
    block->dirty = false;
    block->block_time = 0;
    block->arrival_time = 0;
    block->met_at = 0;
    memset(block->fence_time, 0, sizeof(block->fence_time));
    memset(block->fence_seen, 0, sizeof(block->fence_seen));
    memset(block->peer_time, 0, check->engine->cluster_blocks * sizeof(*block->peer_time));
    if (block->others != NULL)
        memset(block->others, 0, block->warp_count * sizeof(*block->others));
    if (block->guests != NULL)
        memset(block->guests, 0, check->engine->cluster_blocks * sizeof(*block->guests));
    if (block->barriers != NULL)
        memset(block->barriers, 0, SIM_BARRIERS * sizeof(*block->barriers));
    block->references.count = 0;
    check_flags_clear(&block->flags);
    block->pool.used = 0;
    if (block->shared.lines != NULL)
        memset(block->shared.lines, 0, block->shared.line_count * sizeof(*block->shared.lines));
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct check_warp *warp = &block->warps[w];
        warp->warp_time = 0;
        if (warp->guesses != NULL)
            memset(warp->guesses, 0, CHECK_GUESSES * sizeof(*warp->guesses));
        warp->references.count = 0;
        if (warp->lane_time != NULL)
            memset(warp->lane_time, 0, 32 * sizeof(*warp->lane_time));
        warp->lane_time_max = 0;
        for (unsigned level = 0; level < CHECK_LEVELS; level++)
            if (warp->fences[level] != NULL)
                memset(warp->fences[level], 0, sizeof(*warp->fences[level]));
    }
}

/* ---- Asking ---- */

static enum check_order order_of_warps(const struct check_view *view, const struct check_access *access, unsigned lane)
{
    const struct check_block *block = view->block;
    uint32_t time = check_time(access->who);
    enum check_order worst = CHECK_ORDERED;
    for (uint32_t m = access->mask & ~(UINT32_C(1) << view->index); m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctz(m);
        if (block->others != NULL && block->others[view->index][warp] >= time)
            continue;
        uint64_t who = (uint64_t)block->linear << 32 | (uint64_t)warp << CHECK_TIME_BITS | time;
        enum check_order order = check_flag_order(view, who, 0, lane);
        worst = order > worst ? order : worst;
    }
    return worst;
}

static enum check_order order_of_other_block(const struct check_view *view, const struct check_access *access,
                                             unsigned lane)
{
    const struct sim_cluster *cluster = view->sim->block->cluster;
    uint32_t block = check_block_of(access->who);
    for (uint32_t r = 0; cluster->block_count > 1 && r < cluster->block_count; r++)
        if ((uint32_t)cluster->blocks[r].linear == block && view->block->peer_time[r] >= check_time(access->who))
            return CHECK_ORDERED;
    uint32_t lanes = access->set == CHECK_LANES ? access->mask : UINT32_C(1) << access->lane;
    return check_flag_order(view, access->who, access->set == CHECK_WARPS ? 0 : lanes, lane);
}

enum check_order check_order_of(const struct check_view *view, const struct check_access *access, unsigned lane)
{
    const struct check_block *block = view->block;
    uint32_t time = check_time(access->who);
    if (time == 0)
        return CHECK_ORDERED;
    if (access->set == CHECK_BLOCKS)
        return check_flag_order_blocks(view, access->mask, lane);
    if (check_block_of(access->who) != block->linear)
        return order_of_other_block(view, access, lane);
    if (time <= block->block_time)
        return CHECK_ORDERED;
    if (access->set == CHECK_WARPS)
        return order_of_warps(view, access, lane);
    uint32_t warp = check_warp_of(access->who);
    uint32_t lanes = access->set == CHECK_LANES ? access->mask : UINT32_C(1) << access->lane;
    if (warp == view->index) {
        lanes &= ~(UINT32_C(1) << lane);
        if (time <= view->warp->warp_time)
            return CHECK_ORDERED;
        for (uint32_t m = view->warp->lane_time != NULL ? lanes : 0; m != 0; m &= m - 1)
            if (view->warp->lane_time[lane][__builtin_ctz(m)] >= time)
                lanes &= ~(m & (0U - m));
        if (lanes == 0)
            return CHECK_ORDERED;
    } else if (block->others != NULL && block->others[view->index][warp] >= time) {
        return CHECK_ORDERED;
    }
    return check_flag_order(view, access->who, lanes, lane);
}

/* ---- Meeting ---- */

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Some lanes of a warp meet; what each of them knows of lanes, all of them know. */
static void meet_lanes(const struct check_view *view, uint32_t lanes, uint32_t now)
{
    struct check_warp *warp = view->warp;
    if (warp->lane_time == NULL)
        warp->lane_time = check_alloc(view->check, 32, sizeof(*warp->lane_time));
    if (warp->lane_time == NULL) {
        warp->warp_time = now;
        return;
    }
    if (warp->lane_time_max <= later(warp->warp_time, view->block->block_time))
        memset(warp->lane_time, 0, 32 * sizeof(*warp->lane_time));
    uint32_t joined[32] = {0};
    for (uint32_t m = lanes; m != 0; m &= m - 1)
        for (unsigned i = 0; i < 32; i++)
            joined[i] = later(joined[i], warp->lane_time[__builtin_ctz(m)][i]);
    for (unsigned i = 0; i < 32; i++)
        joined[i] = (lanes >> i & 1) != 0 ? now : joined[i];
    for (uint32_t m = lanes; m != 0; m &= m - 1)
        memcpy(warp->lane_time[__builtin_ctz(m)], joined, sizeof(joined));
    warp->lane_time_max = now;
}

void check_order_warp(const struct check_view *view, uint32_t lanes)
{
    uint32_t now = check_clock_tick(view->check, view->block);
    if ((view->sim->alive & ~lanes) == 0)
        view->warp->warp_time = now;
    else
        meet_lanes(view, lanes, now);
    check_flag_meet_warp(view, lanes);
}

void check_order_arrive(const struct check_view *view, const struct sim_op *op, uint32_t mask, uint32_t number)
{
    struct check_block *block = view->block;
    if (block->barriers == NULL)
        block->barriers = check_alloc(view->check, SIM_BARRIERS, sizeof(*block->barriers));
    if (block->barriers == NULL)
        return;
    struct check_barrier *barrier = &block->barriers[number];
    barrier->arrived |= UINT32_C(1) << view->index;
    barrier->waiting |= op->mode != 1 ? UINT32_C(1) << view->index : 0;
    barrier->last_counter = op->counter;
    barrier->last_thread = view->index * 32 + (uint32_t)__builtin_ctz(mask);
    barrier->arrived_at[view->index] = check_clock_tick(view->check, block);
}

/* Warps that waited know those that arrived, and what these know. */
static void meet_warps(struct sim_check *check, struct check_block *block, const struct check_barrier *barrier)
{
    if (block->others == NULL)
        block->others = check_alloc(check, block->warp_count, sizeof(*block->others));
    if (block->others == NULL) {
        block->block_time = block->clock - 1;
        return;
    }
    uint32_t joined[32] = {0};
    for (uint32_t m = barrier->arrived; m != 0; m &= m - 1) {
        uint32_t from = (uint32_t)__builtin_ctz(m);
        for (unsigned i = 0; i < 32; i++)
            joined[i] = later(joined[i], block->others[from][i]);
        joined[from] = later(joined[from], barrier->arrived_at[from]);
    }
    for (uint32_t m = barrier->waiting; m != 0; m &= m - 1) {
        uint32_t to = (uint32_t)__builtin_ctz(m);
        block->warps[to].warp_time = later(block->warps[to].warp_time, barrier->arrived_at[to]);
        for (unsigned i = 0; i < 32; i++)
            block->others[to][i] = later(block->others[to][i], joined[i]);
    }
    check_flag_meet_warps(check, block, barrier);
}

void check_order_barrier(struct sim_check *check, struct check_block *block, uint32_t number, bool all)
{
    struct check_barrier *barrier = block->barriers != NULL ? &block->barriers[number] : NULL;
    uint32_t everyone = block->warp_count >= 32 ? UINT32_MAX : (UINT32_C(1) << block->warp_count) - 1;
    if (all || (barrier != NULL && barrier->waiting == everyone)) {
        block->block_time = later(block->block_time, check_clock_tick(check, block));
        memcpy(block->fence_seen, block->fence_time, sizeof(block->fence_seen));
        check_flag_meet_block(check, block);
    } else if (barrier != NULL) {
        meet_warps(check, block, barrier);
    }
    if (barrier != NULL)
        memset(barrier, 0, sizeof(*barrier));
}

void check_order_cluster_arrive(const struct check_view *view)
{
    view->block->arrival_time = check_clock_tick(view->check, view->block);
}

void check_order_cluster(struct sim_check *check, struct sim_cluster *cluster)
{
    check->releases++;
    for (uint32_t b = 0; b < cluster->block_count; b++) {
        struct check_block *block = cluster->blocks[b].check;
        if (cluster->blocks[b].warps_done == cluster->blocks[b].warp_count)
            continue; /* it has ended and learns no more */
        block->block_time = later(block->block_time, block->arrival_time);
        block->met_at = check->releases;
        memcpy(block->fence_seen, block->fence_time, sizeof(block->fence_seen));
        check_flag_meet_block(check, block);
        for (uint32_t r = 0; r < cluster->block_count; r++)
            block->peer_time[r] = later(block->peer_time[r], cluster->blocks[r].check->arrival_time);
    }
    for (uint32_t b = 0; b < cluster->block_count; b++)
        for (uint32_t r = 0; r < cluster->block_count; r++)
            if (r != b && cluster->blocks[b].warps_done < cluster->blocks[b].warp_count)
                check_flag_share(check, cluster->blocks[r].check, cluster->blocks[b].check);
}
