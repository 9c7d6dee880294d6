/* When the registers and predicates of a warp are there.
 *
 * A warp issues in order. Loads may have been moved ahead by the compiler: timing_values_early() says how far, from
 * what their addresses need; results of such loads then come sooner, while the instruction still has its issue slot
 * where the text has it. */
#include "sim/timing/timing.h"

#include <string.h>

static struct timing_value *value_at(const struct timing_warp *w, uint32_t name, uint32_t frame, uint32_t pframe)
{
    if ((name & TIMING_PRED) != 0)
        return &w->values[w->row_mask + 1 + (((name & ~TIMING_PRED) + pframe) & w->pred_mask)];
    return &w->values[(name + frame) & w->row_mask];
}

void timing_values_reset(struct timing_warp *w, uint64_t now)
{
    memset(w->values, 0, ((size_t)w->row_mask + w->pred_mask + 2) * sizeof(*w->values));
    memset(w->ring, 0, sizeof(w->ring));
    w->floor = w->floor_shared = w->floor_global = w->not_before = now;
    w->drained_at = w->sent_at = w->came_at = w->merged_at = 0;
    w->behind = 0;
    w->issued = w->turn = w->laps = 0;
    w->loaded_at = 0;
    w->unanswered = w->loading = w->closed_by = 0;
    w->waits_for_copies = w->ending = w->is_fenced = false;
}

/* When a source is there: a predicate later for who is guarded by it (it comes first) than for who computes with it. */
static uint64_t ready_for(const struct timing_warp *w, const struct timing_value *value, uint32_t source)
{
    const struct sim_device *d = w->block->sm->clock->engine->device;
    if (source > 0 || w->op->guard < 0 || d->predicate_latency_cycles < d->alu_latency_cycles)
        return value->ready;
    return value->ready + d->predicate_latency_cycles - d->alu_latency_cycles;
}

void timing_values_wait(struct timing_warp *w, uint32_t frame, uint32_t pframe)
{
    const struct timing_cost *cost = w->cost;
    uint64_t at = w->not_before;
    uint8_t reason = w->floor_reason;
    for (uint32_t i = 0; i < cost->src_count; i++) {
        const struct timing_value *value = value_at(w, cost->src[i], frame, pframe);
        const uint64_t ready = ready_for(w, value, i);
        if (ready > at) {
            at = ready;
            reason = (uint8_t)value->reason;
        }
    }
    /* A register is written anew while its old value is still on the way, as machine code takes another one; but not
     * before it is settled when that comes: it would come on top of the new one. */
    for (uint32_t i = 0; i < cost->dst_count; i++)
        if (value_at(w, cost->dst[i], frame, pframe)->ready == TIMING_NEVER)
            at = TIMING_NEVER;
    w->ready_at = at;
    w->reason = reason;
}

void timing_values_bring(const struct timing_warp *w)
{
    const struct sim_group *group = &w->warp->groups[w->warp->current];
    const struct timing_cost *cost = w->cost;
    if (cost->controlled)
        return;
    __builtin_prefetch(&w->ring[w->issued % TIMING_HOIST]);
    for (uint32_t i = 0; i < cost->src_count && i < 4; i++)
        __builtin_prefetch(value_at(w, cost->src[i], group->frame, group->pframe));
    for (uint32_t i = 0; i < cost->dst_count && i < 4; i++)
        __builtin_prefetch(value_at(w, cost->dst[i], group->frame, group->pframe));
}

uint64_t timing_values_early(const struct timing_warp *w, const struct timing_cost *cost, uint32_t frame,
                             uint32_t pframe)
{
    uint64_t oldest = w->ring[w->issued % TIMING_HOIST];
    uint64_t at = w->floor > oldest ? w->floor : oldest;
    for (uint32_t i = 0; i < cost->src_count; i++) {
        uint64_t early = value_at(w, cost->src[i], frame, pframe)->early;
        at = early > at ? early : at;
    }
    return at;
}

void timing_values_set(struct timing_warp *w, const struct timing_cost *cost, uint32_t frame, uint32_t pframe,
                       uint64_t ready, uint64_t early)
{
    for (uint32_t i = 0; i < cost->dst_count; i++)
        *value_at(w, cost->dst[i], frame, pframe) =
            (struct timing_value){ready, early & ((UINT64_C(1) << 56) - 1), cost->reason};
}

void timing_values_answer(struct timing_warp *w, const struct timing_cost *cost, uint32_t frame, uint32_t pframe,
                          uint64_t ready)
{
    for (uint32_t i = 0; i < cost->dst_count; i++) {
        struct timing_value *value = value_at(w, cost->dst[i], frame, pframe);
        if (value->ready != TIMING_NEVER)
            continue;
        value->ready = ready;
        value->early = ready & ((UINT64_C(1) << 56) - 1);
    }
}

/* What it writes counts too: an earlier instruction may still do so. */
bool timing_values_known(const struct timing_warp *w, const struct timing_cost *cost, uint32_t frame, uint32_t pframe)
{
    bool known = true;
    for (uint32_t i = 0; i < cost->src_count; i++)
        known &= value_at(w, cost->src[i], frame, pframe)->ready != TIMING_NEVER;
    for (uint32_t i = 0; i < cost->dst_count; i++)
        known &= value_at(w, cost->dst[i], frame, pframe)->ready != TIMING_NEVER;
    return known;
}

void timing_values_pass(struct timing_warp *w, const struct timing_cost *cost, uint32_t frame, uint32_t pframe)
{
    struct timing_value last = {0, 0, SIM_STALL_WAIT};
    for (uint32_t i = 0; i < cost->src_count; i++) {
        const struct timing_value *value = value_at(w, cost->src[i], frame, pframe);
        uint64_t early = value->early > last.early ? value->early : last.early;
        const uint64_t ready = ready_for(w, value, i);
        if (ready > last.ready)
            last = (struct timing_value){ready, last.early, value->reason};
        last.early = early & ((UINT64_C(1) << 56) - 1);
    }
    if (cost->if_converted) { /* its predicate guards what follows */
        if (last.ready > w->not_before) {
            w->not_before = last.ready;
            w->floor_reason = (uint8_t)last.reason;
        }
        w->floor = last.early > w->floor ? last.early : w->floor;
    }
    if (cost->merged)
        last = (struct timing_value){w->merged_at, w->merged_at & ((UINT64_C(1) << 56) - 1), cost->reason};
    for (uint32_t i = 0; i < cost->dst_count; i++)
        *value_at(w, cost->dst[i], frame, pframe) = last;
}
