/* Barriers of a block (bar.sync, bar.arrive, bar.red) and of a cluster.
 *
 * Arrivals are counted lane by lane. A barrier over the whole block is complete when every lane that has not exited is
 * there; one with a thread count, when the warps that came amount to it, an incomplete warp counting as 32 threads, as
 * the hardware does. */
#include "sim/sass/op.h"

#include <string.h>

static bool is_complete(const struct sim_block *block, const struct sim_barrier *barrier)
{
    uint32_t threads = 0;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        uint32_t alive = block->warps[w].alive;
        if (barrier->expected == 0) {
            if ((alive & ~barrier->arrived[w]) != 0)
                return false;
        } else if (barrier->arrived[w] != 0) {
            threads += (uint32_t)__builtin_popcount(barrier->arrived[w] | ~alive);
        }
    }
    return barrier->expected == 0 || threads >= barrier->expected;
}

static void deliver(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                    const struct sim_barrier *barrier)
{
    uint32_t mask = group->mask;
    if (op->machine != NULL) { /* B2R asks for it */
        if ((op->machine->flags & SIM_SASS_VOTES_KEPT) != 0) {
            bool all = barrier->votes_true == barrier->votes_total;
            warp->votes_true = barrier->votes_true;
            warp->votes_result = (op->machine->flags & SIM_SASS_VOTES_AND) != 0 ? all : barrier->votes_true != 0;
        }
        return;
    }
    if (op->insn->op == ISA_OP_BAR_RED_POPC && op->dst != SIM_ROW_NONE) {
        uint32_t out[32];
        for (unsigned lane = 0; lane < 32; lane++)
            out[lane] = barrier->votes_true;
        engine->lanes->merge(sim_row(engine->program, warp, group, op->dst), out, mask, 1);
    } else if (op->pdst >= 0) {
        bool value =
            op->insn->op == ISA_OP_BAR_RED_AND ? barrier->votes_true == barrier->votes_total : barrier->votes_true != 0;
        sim_set_pred(warp, group, op->pdst, value ? UINT32_MAX : 0, mask);
    }
}

/* Groups that are ready at the same place go on as one. */
static void join_ready(struct sim_warp *warp)
{
    for (uint32_t i = 0; i < warp->group_count; i++)
        for (uint32_t k = i + 1; k < warp->group_count;) {
            const struct sim_group *a = &warp->groups[i], *b = &warp->groups[k];
            if (a->state == SIM_G_READY && b->state == SIM_G_READY && a->pc == b->pc && a->frame == b->frame &&
                a->depth == b->depth && a->local_base == b->local_base) {
                warp->groups[i].mask |= b->mask;
                warp->groups[k] = warp->groups[--warp->group_count];
            } else {
                k++;
            }
        }
    if (warp->current >= warp->group_count)
        warp->current = 0;
}

static void release(struct sim_engine *engine, struct sim_block *block, uint32_t number)
{
    struct sim_barrier *barrier = &block->barriers[number];
    if (engine->check != NULL)
        sim_check_barrier_done(engine->check, block, number);
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct sim_warp *warp = &block->warps[w];
        bool any = false;
        for (uint32_t i = 0; i < warp->group_count; i++) {
            struct sim_group *group = &warp->groups[i];
            if (group->state != SIM_G_BAR || group->barrier != number)
                continue;
            deliver(engine, warp, group, &engine->program->ops[group->pc], barrier);
            group->state = SIM_G_READY;
            group->pc++;
            any = true;
        }
        if (any && warp->group_count > 1)
            join_ready(warp);
        sim_warp_moved(warp);
    }
    memset(barrier, 0, sizeof(*barrier));
    block->barriers_in_use &= ~(UINT32_C(1) << number);
}

bool sim_barrier_arrive(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                        const struct sim_op *op, uint32_t mask)
{
    struct sim_block *block = warp->block;
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint32_t number = op->src[0] != SIM_ROW_NONE ? sim_row(engine->program, warp, group, op->src[0])[first] : 0;
    uint32_t expected = op->has_optional ? sim_row(engine->program, warp, group, op->src[1])[first] : 0;
    bool counted = op->has_optional;
    if (op->machine != NULL && (op->machine->flags & SIM_SASS_BARRIER_PACKED) != 0) {
        expected = number >> 16 & 0xfff;
        number &= 0xf;
        counted = expected != 0;
    }
    if (number >= SIM_BARRIERS)
        return sim_stop(engine, warp, op, first, SIM_FAULT_BAD_INSTRUCTION, "barrier %u: a block has barriers 0 to %d",
                        number, SIM_BARRIERS - 1);
    if (counted && (expected == 0 || expected % 32 != 0))
        return sim_stop(engine, warp, op, first, SIM_FAULT_BAD_INSTRUCTION,
                        "barrier %u with a count of %u: it must be a multiple of 32 above 0", number, expected);
    struct sim_barrier *barrier = &block->barriers[number];
    if (barrier->in_use && barrier->expected != expected)
        return sim_stop(engine, warp, op, first, SIM_FAULT_BAD_INSTRUCTION,
                        "barrier %u is waited for with a count of %u and of %u at once", number, barrier->expected,
                        expected);
    uint32_t came = barrier->arrived[warp->index] | mask;
    barrier->in_use = true;
    barrier->expected = expected;
    block->barriers_in_use |= UINT32_C(1) << number;
    if (op->psrc >= 0 || (op->machine != NULL && (op->machine->flags & SIM_SASS_VOTES_TRUE) != 0)) {
        barrier->votes_true += (uint32_t)__builtin_popcount(sim_pred_source(warp, group, op, UINT32_MAX) & mask);
        barrier->votes_total += (uint32_t)__builtin_popcount(mask);
    }
    if (engine->check != NULL)
        sim_check_barrier_arrive(engine->check, warp, op, mask, number);
    bool new_warp = barrier->arrived[warp->index] == 0;
    barrier->arrived[warp->index] = came;
    barrier->warps_here += new_warp;
    if (op->mode == 1) {
        group->pc++; /* bar.arrive goes on */
    } else {
        group->state = SIM_G_BAR;
        group->barrier = (uint8_t)number;
    }
    bool possible = expected != 0 || barrier->warps_here + block->warps_done >= block->warp_count;
    if (possible && is_complete(block, barrier))
        release(engine, block, number);
    return true;
}

void sim_barrier_lanes_exited(struct sim_engine *engine, struct sim_block *block)
{
    for (uint32_t m = block->barriers_in_use; m != 0; m &= m - 1) {
        uint32_t number = (uint32_t)__builtin_ctz(m);
        if (is_complete(block, &block->barriers[number]))
            release(engine, block, number);
    }
}

void sim_cluster_arrive(struct sim_engine *engine, struct sim_warp *warp, uint32_t mask)
{
    struct sim_cluster *cluster = warp->block->cluster;
    for (uint32_t m = mask; m != 0; m &= m - 1)
        warp->cluster_phase[__builtin_ctz(m)] = cluster->phase;
    cluster->arrived += (uint32_t)__builtin_popcount(mask);
    if (engine->check != NULL)
        sim_check_cluster_arrive(engine->check, warp);
    sim_cluster_check(engine, cluster);
}

void sim_cluster_check(struct sim_engine *engine, struct sim_cluster *cluster)
{
    if (cluster->arrived == 0 || cluster->arrived < cluster->alive)
        return;
    if (engine->check != NULL)
        sim_check_cluster_done(engine->check, cluster);
    cluster->phase++;
    cluster->arrived = 0;
    for (uint32_t b = 0; b < cluster->block_count; b++)
        for (uint32_t w = 0; w < cluster->blocks[b].warp_count; w++) {
            struct sim_warp *warp = &cluster->blocks[b].warps[w];
            bool any = false;
            for (uint32_t i = 0; i < warp->group_count; i++) {
                struct sim_group *group = &warp->groups[i];
                if (group->state == SIM_G_CLUSTER) {
                    group->state = SIM_G_READY;
                    group->pc++;
                    any = true;
                }
            }
            if (any && warp->group_count > 1)
                join_ready(warp);
            sim_warp_moved(warp);
        }
}
