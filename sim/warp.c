/* The warp engine: runs one group of lanes after another, instruction by instruction.
 *
 * sim_warp_run() picks a ready group and step_group() runs it until it blocks, splits into nothing, or its turn is
 * over. The loop in step_group() is the hot path: fetch, guard, count, switch on the kind. Everything that is not plain
 * arithmetic is a function of its own, here or in access.c, warpwide.c, barrier.c, call.c.
 *
 * Divergence: a branch whose lanes disagree splits its group in two; conv.set / conv.sync (isa/converge.c) bring them
 * together again. Waiting is by lane masks, so any nesting works. Forward progress: a group never runs for more than
 * GROUP_TURN steps while another one is ready (of machine code: than a warp's whole turn); and when lanes only wait for
 * a value to change (for SPIN_STEPS they change nothing, and read the same from the same places again and again), lanes
 * that wait for them to converge are let go: a spin lock inside a warp finishes, as on Volta and later.
 */
#include "sim/policy.h"
#include "sim/video.h"
#include "sim/sass/op.h"

#include <string.h>

#define GROUP_TURN 1024u /* steps before another ready group of the warp gets its turn */
/* A warp spins when for so many steps it has changed nothing that others can see, and has read so often what it had
 * read before. */
#define SPIN_STEPS   2000u
#define SPIN_REPEATS 16u

/* ---- Groups ---- */

static void remove_group(struct sim_warp *warp, uint32_t index)
{
    warp->groups[index] = warp->groups[--warp->group_count];
}

static bool same_frame(const struct sim_group *a, const struct sim_group *b)
{
    return a->frame == b->frame && a->depth == b->depth && a->local_base == b->local_base;
}

/* Joins to group `index` every other group with some of `lanes` that is in `state` at the same place, and makes it
 * ready at `pc`. Returns its new index. */
static uint32_t join_groups(struct sim_warp *warp, uint32_t index, uint32_t lanes, uint8_t state, uint32_t pc)
{
    struct sim_group joined = warp->groups[index];
    for (uint32_t i = 0; i < warp->group_count;) {
        struct sim_group *other = &warp->groups[i];
        if (i != index && (other->mask & lanes) != 0 && other->state == state && other->pc == joined.pc &&
            same_frame(other, &joined)) {
            joined.mask |= other->mask;
            uint32_t last = warp->group_count - 1;
            remove_group(warp, i);
            if (index == last)
                index = i;
        } else {
            i++;
        }
    }
    joined.state = SIM_G_READY;
    joined.since = ++warp->stamp;
    joined.pc = pc;
    joined.wait_mask = 0;
    warp->groups[index] = joined;
    return index;
}

/* Lanes of groups that are in `state` at the same place as group `index`. */
static uint32_t lanes_beside(const struct sim_warp *warp, uint32_t index, uint8_t state)
{
    const struct sim_group *group = &warp->groups[index];
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == state && warp->groups[i].pc == group->pc && same_frame(&warp->groups[i], group))
            lanes |= warp->groups[i].mask;
    return lanes;
}

/* ---- Convergence barriers ----
 *
 * A barrier holds sets of lanes that will meet at its conv.sync, no lane in two of them. There is more than one only
 * when lanes that went apart, to meet further on, run the same code on their own: another call of the function, or the
 * rounds of a loop that a break leaves. So who meets whom does not depend on whose turn it was.
 *
 * conv[0]: a set; conv[1]: lanes of the other sets, whose masks are at conv[2 + lane]; conv[SIM_CONV_MOVED]: lanes of
 * machine code that are in their set because BMOV put them there. */

static uint32_t *conv_of(const struct sim_warp *warp, const struct sim_group *group, const struct sim_op *op)
{
    return &warp->preds[group->pframe + (uint32_t)op->pdst];
}

/* Lanes that some of `lanes` will meet. */
uint32_t sim_conv_company(const uint32_t *conv, uint32_t lanes)
{
    uint32_t company = (conv[0] & lanes) != 0 ? conv[0] : 0;
    for (uint32_t m = conv[1] & lanes; m != 0; m &= m - 1)
        company |= conv[2 + __builtin_ctz(m)];
    return company;
}

/* `lanes` will meet, and those with them that some of them were to meet before. */
void sim_conv_join(uint32_t *conv, uint32_t lanes)
{
    uint32_t together = lanes | sim_conv_company(conv, lanes);
    if ((conv[0] & ~together) == 0 && (conv[1] & together) == 0) {
        conv[0] = together;
        return;
    }
    if ((conv[0] & together) != 0)
        conv[0] = 0;
    conv[1] |= together;
    for (uint32_t m = together; m != 0; m &= m - 1)
        conv[2 + __builtin_ctz(m)] = together;
}

void sim_conv_remove(uint32_t *conv, uint32_t lanes)
{
    conv[0] &= ~lanes;
    conv[1] &= ~lanes;
    conv[SIM_CONV_MOVED] &= ~lanes;
    for (uint32_t m = conv[1]; m != 0; m &= m - 1)
        conv[2 + __builtin_ctz(m)] &= ~lanes;
}

/* The group is at conv.sync: goes on when all lanes of the barrier are here, else waits. */
static SIM_APART bool try_converge(struct sim_warp *warp, uint32_t index, const struct sim_op *op)
{
    struct sim_group *group = &warp->groups[index];
    uint32_t *conv = conv_of(warp, group, op);
    uint32_t need = sim_conv_company(conv, group->mask) & warp->alive;
    if ((need & ~group->mask) == 0) {
        sim_conv_remove(conv, group->mask);
        group->state = SIM_G_READY;
        group->since = ++warp->stamp;
        group->pc++;
        return true;
    }
    group->state = SIM_G_CONV;
    group->wait_mask = need;
    if ((need & ~lanes_beside(warp, index, SIM_G_CONV)) != 0)
        return false;
    sim_conv_remove(conv, need);
    join_groups(warp, index, need, SIM_G_CONV, group->pc + 1);
    return true;
}

/* The group is at ret: when all lanes of its call are, they return together, else it waits. True when they returned. */
static SIM_APART bool try_return(struct sim_engine *engine, struct sim_warp *warp, uint32_t index)
{
    struct sim_group *group = &warp->groups[index];
    uint32_t need = 0, here = group->mask, counted = 0;
    while (counted != here) { /* a group that waits here may have lanes of several calls */
        for (uint32_t m = here & ~counted; m != 0; m &= m - 1)
            need |= warp->returns[group->depth - 1][__builtin_ctz(m)].call_mask & warp->alive;
        counted = here;
        for (uint32_t i = 0; i < warp->group_count; i++)
            if (warp->groups[i].state == SIM_G_RET && (warp->groups[i].mask & need) != 0 &&
                same_frame(&warp->groups[i], group))
                here |= warp->groups[i].mask;
    }
    group->wait_mask = need;
    if ((need & ~here) != 0) {
        group->state = SIM_G_RET;
        return false;
    }
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == SIM_G_RET && (warp->groups[i].mask & need) != 0 &&
            same_frame(&warp->groups[i], group))
            warp->groups[i].pc = group->pc;
    group->state = SIM_G_RET;
    index = join_groups(warp, index, need, SIM_G_RET, group->pc);
    sim_return_from(engine, warp, index);
    return true;
}

/* The group is at a .sync instruction that exchanges values and needs lanes `need`: true when it may run now, joined
 * with them. */
static bool try_exchange(struct sim_warp *warp, uint32_t index, uint32_t need)
{
    struct sim_group *group = &warp->groups[index];
    if ((need & ~group->mask) == 0)
        return true;
    group->state = SIM_G_WARP;
    group->wait_mask = need;
    if ((need & ~lanes_beside(warp, index, SIM_G_WARP)) != 0)
        return false;
    join_groups(warp, index, need, SIM_G_WARP, group->pc);
    return true;
}

static bool is_collective(const struct sim_op *op)
{
    return op->kind == SIM_K_WARPSYNC && op->machine != NULL && op->mode == SIM_SASS_COLLECTIVE;
}

/* The group is at bar.warp.sync, whose lanes may come to it at different places. True, and all of them past it, when
 * the last is here. */
static bool try_warp_barrier(struct sim_engine *engine, struct sim_warp *warp, uint32_t index, uint32_t need)
{
    const struct sim_program *program = engine->program;
    struct sim_group *group = &warp->groups[index];
    uint32_t here = 0;
    group->state = SIM_G_WARP;
    group->wait_mask = need;
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == SIM_G_WARP && program->ops[warp->groups[i].pc].kind == SIM_K_WARPSYNC)
            here |= warp->groups[i].mask;
    if ((need & ~here) != 0)
        return false;
    if (engine->check != NULL)
        sim_check_warp_sync(engine->check, warp, NULL, need & here);
    uint32_t pc = group->pc;
    for (uint32_t i = 0; i < warp->group_count && is_collective(&program->ops[pc]); i++)
        if (warp->groups[i].state == SIM_G_WARP && (warp->groups[i].mask & need) != 0 &&
            is_collective(&program->ops[warp->groups[i].pc]))
            warp->groups[i].pc = pc;
    index = join_groups(warp, index, need, SIM_G_WARP, pc);
    warp->groups[index].pc++;
    for (uint32_t i = 0; i < warp->group_count; i++) {
        struct sim_group *other = &warp->groups[i];
        if (other->state == SIM_G_WARP && (other->mask & need) != 0 && program->ops[other->pc].kind == SIM_K_WARPSYNC) {
            other->state = SIM_G_READY;
            other->wait_mask = 0;
            other->pc++;
        }
    }
    return true;
}

/* Machine code: an instruction at which lanes waited is executed once more by those that go on, when what they waited
 * for was not another execution of it: lanes that exited or will no longer come (BSYNC), or all of the mask being here
 * (WARPSYNC). So an H200 counts (docs/sass.md). */
static void count_again(struct sim_engine *engine, const struct sim_op *op, uint32_t lanes)
{
    if (op->machine == NULL)
        return;
    struct sim_count *count = &engine->counts[op->counter];
    count->executed++;
    count->threads += (uint32_t)__builtin_popcount(lanes);
    count->threads_on += (uint32_t)__builtin_popcount(lanes);
    engine->instructions++;
}

/* The lanes of the ready group at `pc` that has some of `lanes`. */
static uint32_t lanes_ready_at(const struct sim_warp *warp, uint32_t pc, uint32_t lanes)
{
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == SIM_G_READY && warp->groups[i].pc == pc && (warp->groups[i].mask & lanes) != 0)
            return warp->groups[i].mask;
    return 0;
}

/* A waiting group: did lanes that left free it? */
static bool recheck_convergence(struct sim_engine *engine, struct sim_warp *warp, uint32_t index)
{
    uint32_t pc = warp->groups[index].pc, lanes = warp->groups[index].mask;
    if (!try_converge(warp, index, &engine->program->ops[pc]))
        return false;
    count_again(engine, &engine->program->ops[pc], lanes_ready_at(warp, pc + 1, lanes));
    return true;
}

/* The group with `lanes`, if there are any, goes on. */
static void resume(struct sim_warp *warp, uint32_t lanes)
{
    for (uint32_t i = 0; i < warp->group_count; i++)
        if ((warp->groups[i].mask & lanes) != 0)
            warp->groups[i].since = ++warp->stamp;
}

/* Machine code: all groups at BSYNC that lanes which left have freed; they come next. The lanes of the last of them. */
static uint32_t free_waiting(struct sim_engine *engine, struct sim_warp *warp)
{
    uint32_t freed = 0;
    for (uint32_t i = 0; i < warp->group_count;) {
        const uint32_t lanes = warp->groups[i].mask, pc = warp->groups[i].pc;
        if (warp->groups[i].state == SIM_G_CONV && recheck_convergence(engine, warp, i)) {
            freed = lanes_ready_at(warp, pc + 1, lanes);
            i = 0; /* groups have moved */
        } else {
            i++;
        }
    }
    return freed;
}

/* Machine code: the group at YIELD lets all others go first, and none will wait for it at a barrier of before. */
static void yield(struct sim_engine *engine, struct sim_warp *warp, uint32_t lanes)
{
    if (lanes == 0 || lanes == warp->alive)
        return;
    const uint32_t barriers = warp->groups[warp->current].pframe + SIM_SASS_PREDICATES;
    warp->groups[warp->current].since = 0;
    for (uint32_t b = 0; b < SIM_SASS_CONVERGENCE_BARRIERS; b++)
        sim_conv_remove(&warp->preds[barriers + b * SIM_CONV_WORDS], lanes);
    (void)free_waiting(engine, warp);
}

bool sim_warp_recheck(struct sim_engine *engine, struct sim_warp *warp)
{
    const struct sim_program *program = engine->program;
    for (uint32_t i = 0; i < warp->group_count; i++) {
        struct sim_group *group = &warp->groups[i];
        uint32_t still = group->wait_mask & warp->alive;
        switch ((enum sim_group_state)group->state) {
        case SIM_G_READY:
            return true;
        case SIM_G_CONV:
            if (recheck_convergence(engine, warp, i))
                return true;
            break;
        case SIM_G_RET:
            if (try_return(engine, warp, i))
                return true;
            break;
        case SIM_G_WARP:
            if (program->ops[group->pc].kind == SIM_K_WARPSYNC ? try_warp_barrier(engine, warp, i, still)
                                                               : try_exchange(warp, i, still)) {
                warp->groups[i].state = SIM_G_READY;
                return true;
            }
            break;
        case SIM_G_CLUSTER:
        case SIM_G_MBARRIER:
            break; /* the barrier itself makes them ready */
        case SIM_G_BAR:
            break;
        }
    }
    return false;
}

bool sim_warp_release(struct sim_engine *engine, struct sim_warp *warp)
{
    bool any = false;
    for (uint32_t i = 0; i < warp->group_count; i++) {
        struct sim_group *group = &warp->groups[i];
        if (group->state == SIM_G_CONV) {
            sim_conv_remove(conv_of(warp, group, &engine->program->ops[group->pc]), group->mask);
            group->state = SIM_G_READY;
            group->pc++;
            any = true;
        } else if (group->state == SIM_G_RET) {
            sim_return_from(engine, warp, i);
            any = true;
        }
    }
    return any;
}

bool sim_warp_release_last(struct sim_engine *engine, struct sim_warp *warp)
{
    struct sim_group *last = NULL;
    for (uint32_t i = 0; i < warp->group_count; i++) {
        if (warp->groups[i].state != SIM_G_CONV)
            return false;
        if (last == NULL || warp->groups[i].since > last->since)
            last = &warp->groups[i];
    }
    if (last == NULL)
        return false;
    sim_conv_remove(conv_of(warp, last, &engine->program->ops[last->pc]), last->mask);
    last->state = SIM_G_READY;
    last->pc++;
    return true;
}

/* ---- Instructions that are not arithmetic ---- */

static void exit_lanes(struct sim_engine *engine, struct sim_warp *warp, uint32_t lanes)
{
    struct sim_block *block = warp->block;
    for (uint32_t m = block->cluster->arrived > 0 ? lanes : 0; m != 0; m &= m - 1)
        if (warp->cluster_phase[__builtin_ctz(m)] == block->cluster->phase)
            block->cluster->arrived--; /* it arrived, and will not be waited for */
    sim_async_finish(warp, lanes);
    warp->alive &= ~lanes;
    sim_warp_moved(warp);
    block->cluster->alive -= (uint32_t)__builtin_popcount(lanes);
    if (warp->alive == 0)
        block->warps_done++;
    sim_barrier_lanes_exited(engine, block);
    sim_cluster_check(engine, block->cluster);
}

static SIM_APART void split_group(struct sim_warp *warp, uint32_t index, uint32_t lanes, uint32_t pc)
{
    struct sim_group other = warp->groups[index];
    warp->groups[index].mask &= ~lanes;
    other.mask = lanes;
    other.pc = pc;
    other.state = SIM_G_READY;
    other.since = ++warp->stamp;
    warp->groups[index].since = ++warp->stamp;
    warp->groups[warp->group_count++] = other;
}

/* Splits the current group by where its lanes of `mask` go, to[lane]; the others, whose guard is false, fall through.
 */
static void send_lanes(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *op, uint32_t mask,
                       const uint32_t to[32])
{
    uint32_t index = warp->current, rest = warp->groups[index].mask & ~mask, todo = mask, parts = rest != 0;
    if (rest != 0)
        split_group(warp, index, rest, warp->groups[index].pc + 1);
    while (todo != 0) {
        uint32_t pc = to[__builtin_ctz(todo)], lanes = 0;
        for (uint32_t m = todo; m != 0; m &= m - 1)
            if (to[__builtin_ctz(m)] == pc)
                lanes |= m & (0U - m);
        if (lanes == warp->groups[index].mask)
            warp->groups[index].pc = pc;
        else
            split_group(warp, index, lanes, pc);
        todo &= ~lanes;
        parts++;
    }
    if (parts > 1)
        engine->counts[op->counter].divergent++;
}

/* Branches to a target table; lanes are split by target. False: a fault. */
static bool branch_indexed(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *op, uint32_t mask)
{
    const struct sim_program *program = engine->program;
    const uint32_t *which = sim_row(program, warp, &warp->groups[warp->current], op->src[0]);
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        if (which[lane] >= op->target_count)
            return sim_stop(engine, warp, op, lane, SIM_FAULT_BAD_INSTRUCTION,
                            "brx.idx with index %u, past the %u targets of its table", which[lane], op->target_count);
    }
    uint32_t to[32];
    for (uint32_t m = mask; m != 0; m &= m - 1)
        to[__builtin_ctz(m)] = program->targets[op->target + which[__builtin_ctz(m)]];
    send_lanes(engine, warp, op, mask, to);
    return true;
}

/* Machine code: `lanes` have just parted. The group that was put aside before them makes room for those that are put
 * aside now: groups that had to make room earlier and stand at the same place become one with it. */
static void make_room(const struct sim_engine *engine, struct sim_warp *warp, uint32_t lanes)
{
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < warp->group_count; i++)
        if ((warp->groups[i].mask & lanes) == 0 && warp->groups[i].state == SIM_G_READY &&
            (last == UINT32_MAX || warp->groups[i].since > warp->groups[last].since))
            last = i;
    for (uint32_t i = 0; last != UINT32_MAX && i < warp->group_count;) {
        const struct sim_group *other = &warp->groups[i];
        if (i == last || (other->mask & lanes) != 0 || other->state != SIM_G_READY ||
            other->pc != warp->groups[last].pc) {
            i++;
            continue;
        }
        warp->groups[last].mask |= other->mask;
        last = last == warp->group_count - 1 ? i : last;
        remove_group(warp, i);
    }
    if (last != UINT32_MAX)
        warp->groups[last].made_room = engine->program->ops[warp->groups[last].pc].kind == SIM_K_BSYNC;
}

/* Machine code: of two groups, as which the lanes `a` and `b` go on, the one with fewer lanes goes first; of two
 * halves, `a` (validate/records/h200/order). */
static void fewer_first(const struct sim_engine *engine, struct sim_warp *warp, uint32_t a, uint32_t b)
{
    const uint32_t first = __builtin_popcount(b) < __builtin_popcount(a) ? b : a;
    make_room(engine, warp, a | b);
    for (uint32_t i = 0; i < warp->group_count; i++)
        if ((warp->groups[i].mask & first) != 0) {
            warp->groups[i].since = ++warp->stamp;
            warp->current = i;
        }
}

/* Of the sets of lanes of `mask` with equal values, the one that goes first: from the lowest lane on, the first set
 * that has not more lanes than all others together (validate/records/h200/nvcc: labeled_groups, function_pointers). */
static uint32_t first_alike(const uint32_t *low, const uint32_t *high, uint32_t mask)
{
    uint32_t lanes = mask;
    for (uint32_t left = mask; left != 0; left &= ~lanes) {
        const unsigned first = (unsigned)__builtin_ctz(left);
        lanes = 0;
        for (uint32_t m = left; m != 0; m &= m - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(m);
            lanes |= (uint32_t)(low[lane] == low[first] && high[lane] == high[first]) << lane;
        }
        if (2 * __builtin_popcount(lanes) <= __builtin_popcount(mask))
            break;
    }
    return lanes;
}

/* The operation at an address in code: SIM_CODE_BASE plus its byte offset among all operations; UINT32_MAX: none. */
static uint32_t op_at(const struct sim_program *program, uint64_t address)
{
    uint64_t offset = address - SIM_CODE_BASE;
    if (offset % 16 != 0 || offset / 16 >= program->op_count)
        return UINT32_MAX;
    return (uint32_t)(offset / 16);
}

/* Machine code: what a call of the device's own function does before it comes back: to the place returned, or
 * UINT32_MAX: a fault. */
static uint32_t call_builtin(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *op,
                             enum isa_builtin builtin, uint32_t *lanes)
{
    struct sim_group *group = &warp->groups[warp->current];
    const unsigned first = (unsigned)__builtin_ctz(*lanes);
    if (engine->program->frame_rows[op->function] <= SIM_BUILTIN_RETURN_REGISTER + 1) {
        (void)sim_stop(engine, warp, op, first, SIM_FAULT_BAD_INSTRUCTION,
                       "calls a function of the device, but has fewer registers than such a call needs");
        return UINT32_MAX;
    }
    const uint32_t *back = sim_row(engine->program, warp, group, SIM_ROW(SIM_ROW_FRAME, SIM_BUILTIN_RETURN_REGISTER));
    *lanes = first_alike(back, back + 32, *lanes);
    const uint64_t address = (uint64_t)back[32 + first] << 32 | back[first];
    const uint32_t to = op_at(engine->program, address);
    if (to == UINT32_MAX)
        (void)sim_stop(engine, warp, op, first, SIM_FAULT_BAD_INSTRUCTION, "comes back to 0x%llx, where no code is",
                       (unsigned long long)address);
    else if (!sim_builtin_jump(engine, warp, group, op, builtin, *lanes))
        return UINT32_MAX;
    return to;
}

/* Machine code: jumps to an address in registers. Lanes that go to one place jump; the others do the instruction again,
 * as often as there are places (validate/records/h200/nvcc: function_pointers, sparse_switch). False: a fault. */
static bool jump_to_register(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *op, uint32_t mask)
{
    const uint32_t *row = sim_row(engine->program, warp, &warp->groups[warp->current], op->src[0]);
    uint32_t lanes = first_alike(row, row + 32, mask);
    const unsigned first = (unsigned)__builtin_ctz(lanes);
    const uint64_t address = ((uint64_t)row[32 + first] << 32 | row[first]) + (uint64_t)op->offset;
    const enum isa_builtin builtin = sim_builtin_at(address);
    const uint32_t to =
        builtin < ISA_BUILTIN_COUNT ? call_builtin(engine, warp, op, builtin, &lanes) : op_at(engine->program, address);
    uint32_t index = warp->current, here = warp->groups[index].mask, pc = warp->groups[index].pc;
    if (to == UINT32_MAX && builtin < ISA_BUILTIN_COUNT)
        return false;
    if (to == UINT32_MAX)
        return sim_stop(engine, warp, op, first, SIM_FAULT_BAD_INSTRUCTION, "jumps to 0x%llx, where no code is",
                        (unsigned long long)address);
    if (lanes != here)
        engine->counts[op->counter].divergent++;
    warp->groups[index].pc = to;
    if (mask != here)
        split_group(warp, index, here & ~mask, pc + 1);
    if (mask != lanes)
        split_group(warp, index, mask & ~lanes, pc);
    if (lanes != here)
        make_room(engine, warp, here);
    return true;
}

/* Machine code: lanes that came from different places for a collective instruction go back to them. */
static void end_collective(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *op, uint32_t mask)
{
    uint32_t to[32];
    for (unsigned lane = 0; lane < 32; lane++)
        to[lane] =
            warp->after_collective[lane] != 0 ? warp->after_collective[lane] - 1 : warp->groups[warp->current].pc + 1;
    send_lanes(engine, warp, op, mask, to);
}

static SIM_APART void move_each(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                                const struct sim_op *op, uint32_t mask)
{
    uint32_t values[4][2][32];
    for (unsigned i = 0; i < op->dst_count; i++)
        memcpy(values[i], sim_row(engine->program, warp, group, op->vec[op->dst_count + i]), op->vec_rows * 128U);
    for (unsigned i = 0; i < op->dst_count; i++)
        if (op->vec[i] != SIM_ROW_NONE)
            engine->lanes->merge(sim_row(engine->program, warp, group, op->vec[i]), values[i][0], mask, op->vec_rows);
}

static SIM_APART void move_vector(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                                  const struct sim_op *op, uint32_t mask)
{
    const struct sim_program *program = engine->program;
    uint32_t whole[4][32], part[8][4][32];
    uint32_t bits = op->element_bytes * 8U, rows = op->vec_rows;
    bool unpack = op->dst_count > 1;
    uint32_t low_mask = bits >= 32 ? UINT32_MAX : (1U << bits) - 1;
    memset(whole, 0, sizeof(whole));
    if (unpack)
        memcpy(whole, sim_row(program, warp, group, op->src[0]),
               (size_t)(bits * op->count > 32 ? bits * op->count / 32 : 1) * 128);
    for (uint32_t e = 0; e < op->count; e++) {
        uint32_t first_bit = e * bits, row = first_bit / 32, shift = first_bit % 32;
        if (unpack) {
            if (bits >= 32)
                memcpy(part[e], whole[row], (size_t)rows * 128);
            else
                for (unsigned lane = 0; lane < 32; lane++)
                    part[e][0][lane] = whole[row][lane] >> shift & low_mask;
        } else {
            const uint32_t *source = sim_row(program, warp, group, op->vec[e]);
            if (bits >= 32)
                memcpy(whole[row], source, (size_t)rows * 128);
            else
                for (unsigned lane = 0; lane < 32; lane++)
                    whole[row][lane] |= (source[lane] & low_mask) << shift;
        }
    }
    if (!unpack) {
        if (op->dst != SIM_ROW_NONE)
            engine->lanes->merge(sim_row(program, warp, group, op->dst), whole[0], mask, op->dst_rows);
        return;
    }
    for (uint32_t e = 0; e < op->count; e++)
        if (op->vec[e] != SIM_ROW_NONE)
            engine->lanes->merge(sim_row(program, warp, group, op->vec[e]), part[e][0], mask, rows);
}

static SIM_APART void write_uniform(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                                    const struct sim_op *op, uint64_t value, uint32_t mask)
{
    if (op->dst == SIM_ROW_NONE)
        return;
    uint32_t rows[2][32];
    for (unsigned lane = 0; lane < 32; lane++) {
        rows[0][lane] = (uint32_t)value;
        rows[1][lane] = (uint32_t)(value >> 32);
    }
    engine->lanes->merge(sim_row(engine->program, warp, group, op->dst), rows[0], mask,
                         op->dst_rows > 2 ? 2 : op->dst_rows);
}

/* A clock register: the cycle where there is a clock, else steps of the launch so far. It rises monotonically. */
static SIM_APART void read_time(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                                const struct sim_op *op, uint32_t mask)
{
    uint64_t now = engine->clock != NULL ? sim_clock_now(engine->clock) : engine->steps;
    if (engine->clock != NULL && op->mode >= ISA_SREG_GLOBALTIMER && op->mode <= ISA_SREG_GLOBALTIMER_HI)
        now = (uint64_t)((double)now * 1e6 / engine->device->clock_khz);
    if (op->mode == ISA_SREG_CLOCK_HI || op->mode == ISA_SREG_GLOBALTIMER_HI)
        now >>= 32;
    write_uniform(engine, warp, group, op, now, mask);
}

static SIM_APART void load_param(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                                 const struct sim_op *op, uint32_t mask)
{
    const uint8_t *at = engine->program->params + op->offset;
    bool is_signed = isa_types[op->type].class == ISA_CLASS_SIGNED;
    for (uint32_t e = 0; e < op->count; e++, at += op->element_bytes) {
        if (op->vec[e] == SIM_ROW_NONE)
            continue;
        uint64_t words[2] = {0, 0};
        memcpy(words, at, op->element_bytes);
        if (is_signed && op->element_bytes < 8) {
            unsigned shift = 64 - op->element_bytes * 8U;
            words[0] = (uint64_t)((int64_t)(words[0] << shift) >> shift);
        }
        if (op->reg_bits < 32)
            words[0] &= (UINT64_C(1) << op->reg_bits) - 1;
        uint32_t rows[4][32];
        for (unsigned r = 0; r < op->vec_rows && r < 4; r++)
            for (unsigned lane = 0; lane < 32; lane++)
                rows[r][lane] = (uint32_t)(words[r / 2] >> (32 * (r % 2)));
        engine->lanes->merge(sim_row(engine->program, warp, group, op->vec[e]), rows[0], mask,
                             op->vec_rows > 4 ? 4 : op->vec_rows);
    }
}

static uint64_t window_of(uint8_t space)
{
    switch (space) {
    case ISA_SPACE_SHARED:
    case ISA_SPACE_SHARED_CLUSTER:
        return SIM_WINDOW_SHARED;
    case ISA_SPACE_LOCAL:
        return SIM_WINDOW_LOCAL;
    case ISA_SPACE_CONST:
        return SIM_WINDOW_CONST;
    case ISA_SPACE_PARAM:
        return SIM_WINDOW_PARAM;
    default:
        return 0;
    }
}

/* One lane's value of cvta, isspacep, mapa, getctarank. */
static uint64_t convert_address(const struct sim_warp *warp, const struct sim_op *op, uint64_t a, uint32_t second)
{
    uint64_t window = window_of(op->space);
    switch (op->kind) {
    case SIM_K_CVTA:
        return op->carries_out ? a - window : a + window;
    case SIM_K_ISSPACEP:
        if (window == 0)
            return a < SIM_WINDOW_SHARED || a >= SIM_WINDOW_PARAM + SIM_WINDOW_BYTES;
        if (a < window || a - window >= SIM_WINDOW_BYTES)
            return 0;
        return op->space != ISA_SPACE_SHARED || ((uint32_t)a >> SIM_CLUSTER_SHIFT) == 0 ||
               ((uint32_t)a >> SIM_CLUSTER_SHIFT) == warp->block->rank + 1;
    case SIM_K_MAPA:
        return (a & ~(uint64_t)0xff000000U) | (uint64_t)(second + 1) << SIM_CLUSTER_SHIFT;
    default: { /* GETCTARANK */
        uint32_t rank = (uint32_t)(a >> SIM_CLUSTER_SHIFT) & 0xff;
        return rank == 0 ? warp->block->rank : rank - 1;
    }
    }
}

static SIM_APART bool convert_addresses(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                                        const struct sim_op *op, uint32_t mask)
{
    const struct sim_program *program = engine->program;
    const uint32_t *a = sim_row(program, warp, group, op->src[0]);
    const uint32_t *second = op->src[1] != SIM_ROW_NONE ? sim_row(program, warp, group, op->src[1]) : NULL;
    uint32_t out[2][32], preds = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        uint64_t value = op->count == 2 ? (uint64_t)a[lane + 32] << 32 | a[lane] : a[lane];
        uint32_t rank = second != NULL ? second[lane] : 0;
        if (op->kind == SIM_K_MAPA && rank >= engine->cluster_blocks && (mask >> lane & 1) != 0)
            return sim_stop(engine, warp, op, lane, SIM_FAULT_BAD_INSTRUCTION, "mapa names block %u of a cluster of %u",
                            rank, engine->cluster_blocks);
        uint64_t result = convert_address(warp, op, value, rank);
        out[0][lane] = (uint32_t)result;
        out[1][lane] = (uint32_t)(result >> 32);
        preds |= (uint32_t)(result != 0) << lane;
    }
    if (op->kind == SIM_K_ISSPACEP) {
        sim_set_pred(warp, group, op->pdst, preds, mask);
    } else if (op->dst != SIM_ROW_NONE) {
        engine->lanes->merge(sim_row(program, warp, group, op->dst), out[0], mask, op->dst_rows > 2 ? 2 : op->dst_rows);
    }
    return true;
}

static uint32_t combine(uint8_t boolop, uint32_t a, uint32_t b)
{
    switch (boolop) {
    case ISA_BOOL_AND:
        return a & b;
    case ISA_BOOL_OR:
        return a | b;
    case ISA_BOOL_XOR:
        return a ^ b;
    default:
        return a;
    }
}

static const uint32_t *optional_row(const struct sim_program *program, const struct sim_warp *warp,
                                    const struct sim_group *group, uint32_t row)
{
    return row != SIM_ROW_NONE ? sim_row(program, warp, group, row) : NULL;
}

/* Sign- or zero-extends results to a wider destination register. */
static void extend_rows(uint32_t out[4][32], const struct sim_op *op)
{
    for (unsigned lane = 0; lane < 32; lane++) {
        uint32_t low = out[0][lane];
        if (op->element_bytes == 1)
            low = (uint32_t)(int32_t)(int8_t)low;
        else if (op->element_bytes == 2)
            low = (uint32_t)(int32_t)(int16_t)low;
        uint32_t fill = op->element_bytes != 0 && (low >> 31) != 0 ? UINT32_MAX : 0;
        out[0][lane] = op->reg_bits < 32 ? low & ((1U << op->reg_bits) - 1) : low;
        for (unsigned r = op->vec_rows; r < op->dst_rows && r < 4; r++)
            out[r][lane] = fill;
    }
}

static uint32_t nonzero(const uint32_t row[32])
{
    uint32_t lanes = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        lanes |= (uint32_t)(row[lane] != 0) << lane;
    return lanes;
}

/* Arithmetic with predicates, carries or results that need widening. */
static SIM_APART void run_alu_pred(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                                   const struct sim_op *op, uint32_t mask)
{
    const struct sim_program *program = engine->program;
    uint32_t out[4][32] __attribute__((aligned(64)));
    const uint32_t *s[4];
    for (unsigned i = 0; i < 4; i++)
        s[i] = optional_row(program, warp, group, op->src[i]);
    uint64_t flags = op->fn(out[0], s[0], s[1], s[2], s[3], sim_pred_source(warp, group, op, 0));
    if (op->has_optional)
        extend_rows(out, op);
    if (op->dst != SIM_ROW_NONE)
        engine->lanes->merge(sim_row(program, warp, group, op->dst), out[0], mask,
                             op->has_optional ? op->dst_rows : op->vec_rows);
    if (op->carries_out)
        sim_set_pred(warp, group, op->pdst, (uint32_t)flags, mask);
    if (op->boolop != ISA_BOOL_NONE) /* lop3 with a predicate */
        sim_set_pred(warp, group, op->pdst, combine(op->boolop, nonzero(out[0]), sim_pred_source(warp, group, op, 0)),
                     mask);
}

static SIM_APART void run_setp(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                               const struct sim_op *op, uint32_t mask)
{
    const struct sim_program *program = engine->program;
    uint64_t result = op->fn(NULL, optional_row(program, warp, group, op->src[0]),
                             optional_row(program, warp, group, op->src[1]), NULL, NULL, 0);
    uint32_t p = (uint32_t)result, q = op->has_optional ? (uint32_t)(result >> 32) : ~(uint32_t)result,
             c = sim_pred_source(warp, group, op, 0);
    if (op->psrc >= 0) {
        p = combine(op->boolop, p, c);
        q = combine(op->boolop, q, c);
    }
    sim_set_pred(warp, group, op->pdst, p, mask);
    sim_set_pred(warp, group, op->qdst, q, mask);
}

/* What set writes for "true": into the whole register, or into each half of a packed comparison. */
static uint32_t set_truth(const struct sim_op *op)
{
    bool packed = isa_types[op->insn->type2].class == ISA_CLASS_PACKED;
    switch (op->type) {
    case ISA_TYPE_F32:
        return 0x3f800000U;
    case ISA_TYPE_F16:
    case ISA_TYPE_F16X2:
        return 0x3c00U;
    case ISA_TYPE_BF16:
    case ISA_TYPE_BF16X2:
        return 0x3f80U;
    case ISA_TYPE_U16:
    case ISA_TYPE_S16:
        return 0xffffU;
    default:
        return packed ? 0xffffU : UINT32_MAX;
    }
}

/* set: the lane function compares; with a boolean, its result is taken apart, combined and put together again here. */
static SIM_APART void run_set(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                              const struct sim_op *op, uint32_t mask)
{
    const struct sim_program *program = engine->program;
    uint32_t out[4][32] __attribute__((aligned(64)));
    (void)op->fn(out[0], optional_row(program, warp, group, op->src[0]), optional_row(program, warp, group, op->src[1]),
                 NULL, NULL, 0);
    if (op->psrc >= 0) {
        uint32_t c = sim_pred_source(warp, group, op, 0), one = set_truth(op), low = 0, high = 0;
        bool packed = isa_types[op->insn->type2].class == ISA_CLASS_PACKED;
        for (unsigned lane = 0; lane < 32; lane++) {
            low |= (uint32_t)((packed ? out[0][lane] & 0xffffU : out[0][lane]) != 0) << lane;
            high |= (uint32_t)(packed && out[0][lane] >> 16 != 0) << lane;
        }
        low = combine(op->boolop, low, c);
        high = packed ? combine(op->boolop, high, c) : 0;
        for (unsigned lane = 0; lane < 32; lane++)
            out[0][lane] = ((low >> lane & 1) != 0 ? one : 0) | ((high >> lane & 1) != 0 ? one << 16 : 0);
    }
    if (op->dst != SIM_ROW_NONE)
        engine->lanes->merge(sim_row(program, warp, group, op->dst), out[0], mask, 1);
}

static SIM_APART void run_plogic(const struct sim_program *program, struct sim_warp *warp, struct sim_group *group,
                                 const struct sim_op *op, uint32_t mask)
{
    uint32_t a = 0, b = 0;
    if (op->psrc >= 0) {
        a = sim_pred_source(warp, group, op, 0);
    } else {
        const uint32_t *row = sim_row(program, warp, group, op->src[0]);
        for (unsigned lane = 0; lane < 32; lane++)
            a |= (uint32_t)(row[lane] != 0) << lane;
    }
    if (op->qdst >= 0) {
        b = warp->preds[group->pframe + (uint32_t)op->qdst];
        b = op->carries_out ? ~b : b;
    }
    uint32_t value = op->mode == 0 ? a : combine(op->mode, a, b);
    sim_set_pred(warp, group, op->pdst, op->mode2 != 0 ? ~value : value, mask);
}

/* The groups with lanes `others` become one with the ready group at `pc` that has some of `lanes`. */
static void take_along(struct sim_warp *warp, uint32_t pc, uint32_t lanes, uint32_t others)
{
    uint32_t at = 0;
    while (at < warp->group_count &&
           (warp->groups[at].state != SIM_G_READY || warp->groups[at].pc != pc || (warp->groups[at].mask & lanes) == 0))
        at++;
    for (uint32_t i = 0; at < warp->group_count && i < warp->group_count;) {
        if (i == at || (warp->groups[i].mask & others) == 0) {
            i++;
            continue;
        }
        warp->groups[at].mask |= warp->groups[i].mask;
        at = at == warp->group_count - 1 ? i : at;
        remove_group(warp, i);
    }
}

/* The current group is at BSYNC. When it had to make room, all that wait there execute it with it, and go on with it,
 * whomever they waited for: so calls of several depths come apart (validate/records/h200/nvcc: recursion_fibonacci).
 * When it did not, and BMOV wrote the barrier, all that go on execute it again. So an H200 counts. */
static void meet(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *op)
{
    struct sim_group *group = &warp->groups[warp->current];
    uint32_t *conv = conv_of(warp, group, op);
    const uint32_t lanes = group->mask, pc = group->pc, company = sim_conv_company(conv, lanes);
    const uint32_t with = group->made_room ? lanes_beside(warp, warp->current, SIM_G_CONV) : 0;
    const bool again = !group->made_room && (company & conv[SIM_CONV_MOVED]) != 0;
    group->made_room = false;
    engine->counts[op->counter].threads += (uint32_t)__builtin_popcount(with);
    engine->counts[op->counter].threads_on += (uint32_t)__builtin_popcount(with);
    if (!try_converge(warp, warp->current, op))
        return;
    if (again)
        count_again(engine, op, lanes_ready_at(warp, pc + 1, lanes));
    if ((with & ~company) != 0) {
        sim_conv_remove(conv, with & ~company);
        take_along(warp, pc + 1, lanes, with & ~company);
    }
}

/* ---- The loop ---- */

/* What a step does with its group. */
enum after { AFTER_NEXT, AFTER_SWITCH, AFTER_FAULT };

/* Instructions that move, split or stop the group. The caller has not advanced the pc. */
static SIM_APART enum after run_control(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *op,
                                        uint32_t mask)
{
    uint32_t index = warp->current;
    struct sim_group *group = &warp->groups[index];
    switch (op->kind) {
    case SIM_K_BRX:
        if (mask == 0) {
            group->pc++;
            return AFTER_NEXT;
        }
        return branch_indexed(engine, warp, op, mask) ? AFTER_SWITCH : AFTER_FAULT;
    case SIM_K_JUMP:
        if (mask == 0) {
            group->pc++;
            return AFTER_NEXT;
        }
        return jump_to_register(engine, warp, op, mask) ? AFTER_SWITCH : AFTER_FAULT;
    case SIM_K_YIELD:
        group->pc++;
        yield(engine, warp, mask);
        return AFTER_SWITCH;
    case SIM_K_END_COLLECTIVE:
        end_collective(engine, warp, op, mask);
        return AFTER_SWITCH;
    case SIM_K_BREAK: {
        mask &= sim_pred_source(warp, group, op, UINT32_MAX);
        group->pc++;
        const uint32_t lanes = group->mask;
        sim_conv_remove(conv_of(warp, group, op), mask);
        const uint32_t freed = free_waiting(engine, warp);
        if (freed != 0)
            fewer_first(engine, warp, lanes, freed);
        return AFTER_SWITCH;
    }
    case SIM_K_BSYNC:
        if (mask != group->mask) {
            if (mask == 0) {
                group->pc++;
                return AFTER_NEXT;
            }
            split_group(warp, index, group->mask & ~mask, group->pc + 1);
        }
        meet(engine, warp, op);
        return AFTER_SWITCH;
    case SIM_K_CALL:
        if (mask == 0) {
            group->pc++;
            return AFTER_NEXT;
        }
        return sim_call(engine, warp, group, op, mask) ? AFTER_SWITCH : AFTER_FAULT;
    case SIM_K_RET:
        if (mask != group->mask) {
            if (mask == 0) {
                group->pc++;
                return AFTER_NEXT;
            }
            split_group(warp, index, group->mask & ~mask, group->pc + 1);
        }
        (void)try_return(engine, warp, index);
        return AFTER_SWITCH;
    case SIM_K_EXIT:
        if (op->psrc >= 0)
            mask &= sim_pred_source(warp, group, op, UINT32_MAX);
        if (mask == 0) {
            group->pc++;
            return AFTER_NEXT;
        }
        group->pc++;
        group->mask &= ~mask;
        uint32_t rest = group->mask;
        if (rest == 0)
            remove_group(warp, index);
        exit_lanes(engine, warp, mask);
        if (!engine->program->is_machine)
            sim_warp_recheck(engine, warp);
        else if (free_waiting(engine, warp) != 0)
            resume(warp, rest);
        return AFTER_SWITCH;
    case SIM_K_TRAP:
        if (mask == 0) {
            group->pc++;
            return AFTER_NEXT;
        }
        sim_stop(engine, warp, op, (unsigned)__builtin_ctz(mask), SIM_FAULT_TRAP, "the kernel executed %s",
                 op->insn->sass != NULL ? op->insn->text : isa_ops[op->insn->op].mnemonic);
        return AFTER_FAULT;
    case SIM_K_BAR:
        if (mask == 0) {
            group->pc++;
            return AFTER_NEXT;
        }
        if (mask != group->mask)
            split_group(warp, index, group->mask & ~mask, group->pc + 1);
        return sim_barrier_arrive(engine, warp, &warp->groups[index], op, mask) ? AFTER_SWITCH : AFTER_FAULT;
    case SIM_K_MBARRIER_TRY:
        if (mask == 0) {
            group->pc++;
            return AFTER_NEXT;
        }
        if (mask != group->mask)
            split_group(warp, index, group->mask & ~mask, group->pc + 1);
        return sim_mbarrier_try(engine, warp, &warp->groups[index], op) ? AFTER_SWITCH : AFTER_FAULT;
    case SIM_K_CLUSTER_ARRIVE:
        group->pc++;
        if (mask != 0)
            sim_cluster_arrive(engine, warp, mask);
        return AFTER_SWITCH;
    default: /* SIM_K_CLUSTER_WAIT */
        for (uint32_t m = mask; m != 0; m &= m - 1)
            if (warp->cluster_phase[__builtin_ctz(m)] == warp->block->cluster->phase) {
                group->state = SIM_G_CLUSTER;
                return AFTER_SWITCH;
            }
        group->pc++;
        return AFTER_NEXT;
    }
}

static uint32_t guarded(const struct sim_warp *warp, const struct sim_group *group, const struct sim_op *op)
{
    if (op->guard < 0)
        return group->mask;
    return group->mask & (warp->preds[group->pframe + (uint32_t)op->guard] ^ (op->guard_negated ? UINT32_MAX : 0));
}

static void note_warp_sync(const struct sim_engine *engine, const struct sim_warp *warp, const struct sim_group *group,
                           const struct sim_op *op, uint32_t mask)
{
    if (engine->check != NULL)
        sim_check_warp_sync(engine->check, warp,
                            op->src[3] != SIM_ROW_NONE ? sim_row(engine->program, warp, group, op->src[3]) : NULL,
                            mask);
}

/* The lanes that those of `mask` name: they may name different ones, as the tiles of a warp do. */
static uint32_t named_lanes(const uint32_t *members, uint32_t mask)
{
    uint32_t named = 0;
    for (uint32_t m = mask; m != 0; m &= m - 1)
        named |= members[__builtin_ctz(m)];
    return named;
}

/* Each set of lanes that names the same ones is on its own. */
static bool exchange_in_sets(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                             const struct sim_op *op, uint32_t mask)
{
    if (!op->is_sync || op->src[3] == SIM_ROW_NONE)
        return sim_warpwide(engine, warp, group, op, mask);
    uint32_t members[32]; /* a copy: the row may be the destination */
    memcpy(members, sim_row(engine->program, warp, group, op->src[3]), sizeof(members));
    for (uint32_t left = mask; left != 0;) {
        uint32_t first = members[__builtin_ctz(left)], set = 0;
        for (uint32_t m = left; m != 0; m &= m - 1)
            set |= members[__builtin_ctz(m)] == first ? m & (0u - m) : 0;
        if (!sim_warpwide(engine, warp, group, op, set))
            return false;
        left &= ~set;
    }
    return true;
}

static void check_masks(const struct sim_engine *engine, const struct sim_warp *warp, const struct sim_group *group,
                        const struct sim_op *op, uint32_t mask)
{
    if (engine->check != NULL && op->is_sync && op->src[3] != SIM_ROW_NONE && mask != 0)
        sim_check_masks(engine->check, warp, op, sim_row(engine->program, warp, group, op->src[3]), mask,
                        group->mask & ~mask);
}

/* WARPSYNC.EXCLUSIVE, .COLLECTIVE: the lanes that name the same mask as the first one go on; the others do the
 * instruction again. The lanes that are needed, then. */
static uint32_t part_by_masks(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *op, uint32_t mask)
{
    struct sim_group *group = &warp->groups[warp->current];
    const uint32_t *members = sim_row(engine->program, warp, group, op->src[3]);
    const uint32_t set = first_alike(members, members, mask), first = members[__builtin_ctz(set)];
    if (op->mode == SIM_SASS_COLLECTIVE)
        for (uint32_t m = set; m != 0; m &= m - 1)
            warp->after_collective[__builtin_ctz(m)] = op->target + 1;
    const uint32_t others = mask & ~set, off = group->mask & ~mask;
    if (others != 0)
        split_group(warp, warp->current, others, group->pc);
    if (off != 0)
        split_group(warp, warp->current, off, group->pc + 1);
    return first & warp->alive;
}

/* A warp-wide instruction. *ran: lanes that executed it now; 0 when the group waits for others. False: a fault. */
static SIM_APART bool run_warpwide(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *op,
                                   uint32_t mask, uint32_t *ran)
{
    struct sim_group *group = &warp->groups[warp->current];
    *ran = group->mask;
    if (mask == 0) {
        group->pc++;
        return true;
    }
    uint32_t need = 0;
    if (op->is_sync && op->src[3] != SIM_ROW_NONE)
        need =
            named_lanes(sim_row(engine->program, warp, group, op->src[3]), mask) & warp->alive & ~(group->mask & ~mask);
    if (op->is_aligned)
        need = warp->alive & ~(group->mask & ~mask);
    if (op->kind == SIM_K_WARPSYNC && op->machine != NULL && op->mode != 0) {
        *ran = group->mask;
        need = part_by_masks(engine, warp, op, mask);
        group = &warp->groups[warp->current];
        mask &= group->mask;
    }
    if (op->kind == SIM_K_WARPSYNC) {
        check_masks(engine, warp, group, op, mask);
        if ((need & ~group->mask) != 0) {
            if (try_warp_barrier(engine, warp, warp->current, need))
                count_again(engine, op,
                            is_collective(op) ? need & ~mask
                                              : lanes_ready_at(warp, (uint32_t)(op - engine->program->ops) + 1, mask));
            return true;
        }
        group->pc++;
        note_warp_sync(engine, warp, group, op, mask);
        return true;
    }
    if ((need & ~group->mask) != 0) {
        if (!try_exchange(warp, warp->current, need)) {
            *ran = 0;
            return true;
        }
        for (uint32_t i = 0; i < warp->group_count; i++) /* groups have moved */
            if ((warp->groups[i].mask & mask) != 0)
                warp->current = i;
        group = &warp->groups[warp->current];
        mask = guarded(warp, group, op);
        *ran = group->mask;
    }
    group->pc++;
    check_masks(engine, warp, group, op, mask);
    if (op->is_sync)
        note_warp_sync(engine, warp, group, op, mask);
    return exchange_in_sets(engine, warp, group, op, mask);
}

/* Arithmetic by some of the lanes. */
static SIM_APART void run_alu_masked(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                                     const struct sim_op *op, uint32_t mask)
{
    const struct sim_program *program = engine->program;
    uint32_t out[4 * 32] __attribute__((aligned(64)));
    const uint32_t *s[4];
    for (unsigned i = 0; i < 4; i++)
        s[i] = optional_row(program, warp, group, op->src[i]);
    op->fn(out, s[0], s[1], s[2], s[3], 0);
    engine->lanes->merge(sim_row(program, warp, group, op->dst), out, mask, op->vec_rows);
}

/* Runs the current group for at most `turn` steps. Returns the steps done; *after tells why it stopped. */
static uint32_t step_group(struct sim_engine *engine, struct sim_warp *warp, uint32_t turn, enum after *after)
{
    const struct sim_program *program = engine->program;
    struct sim_group *group = &warp->groups[warp->current];
    const struct sim_op *ops = program->ops;
    uint32_t *preds = warp->preds + group->pframe;
    uint32_t *const base[4] = {warp->rows + (size_t)group->frame * 32, (uint32_t *)program->consts, warp->rows,
                               warp->rows};
    const struct sim_op *op = ops + group->pc;
    const uint32_t lanes = group->mask, lane_count = lanes == UINT32_MAX ? 32 : (uint32_t)__builtin_popcount(lanes);
    uint32_t steps = 0, instructions = 0;
    struct sim_count *counts = engine->counts;
    *after = AFTER_NEXT;
#define PC     ((uint32_t)(op - ops))
#define ROW(r) (base[(r) >> 30] + (size_t)((r)&0x3fffffffU) * 32)
    while (steps < turn) {
        struct sim_count *count = &counts[op->counter];
        uint32_t mask = lanes;
        if (op->guard >= 0)
            mask &= preds[op->guard] ^ (op->guard_negated ? UINT32_MAX : 0);
        steps++;
        switch (op->kind) {
        case SIM_K_ALU:
            if (mask == UINT32_MAX) {
                op->fn(ROW(op->dst), ROW(op->src[0]), ROW(op->src[1]), ROW(op->src[2]), ROW(op->src[3]), 0);
            } else if (mask != 0) {
                run_alu_masked(engine, warp, group, op, mask);
            }
            op++;
            break;
        case SIM_K_ALU_PRED:
            run_alu_pred(engine, warp, group, op, mask);
            op++;
            break;
        case SIM_K_SETP:
            run_setp(engine, warp, group, op, mask);
            op++;
            break;
        case SIM_K_SET:
            run_set(engine, warp, group, op, mask);
            op++;
            break;
        case SIM_K_PLOGIC:
            run_plogic(program, warp, group, op, mask);
            op++;
            break;
        case SIM_K_VIDEO:
            sim_video_run(engine, warp, group, op, mask);
            op++;
            break;
        case SIM_K_POLICY:
            sim_policy_run(engine, warp, group, op, mask);
            op++;
            break;
        case SIM_K_MOV_EACH:
            move_each(engine, warp, group, op, mask);
            op++;
            break;
        case SIM_K_MOV_VEC:
            move_vector(engine, warp, group, op, mask);
            op++;
            break;
        case SIM_K_TIME:
            engine->steps += steps;
            read_time(engine, warp, group, op, mask);
            engine->steps -= steps;
            op++;
            break;
        case SIM_K_LOCAL_ADDR:
            write_uniform(engine, warp, group, op,
                          (uint64_t)group->local_base + (uint64_t)op->offset + (op->mode ? SIM_WINDOW_LOCAL : 0), mask);
            op++;
            break;
        case SIM_K_STACK:
            group->pc = PC;
            if (mask != 0 && !sim_stack_run(engine, warp, group, op, mask))
                goto fault;
            op++;
            break;
        case SIM_K_LD_PARAM:
            load_param(engine, warp, group, op, mask);
            op++;
            break;
        case SIM_K_LD:
            group->pc = PC;
            if (mask != 0 && !sim_access_load(engine, warp, group, op, mask))
                goto fault;
            op++;
            break;
        case SIM_K_ST:
            group->pc = PC;
            if (mask != 0 && !sim_access_store(engine, warp, group, op, mask))
                goto fault;
            op++;
            break;
        case SIM_K_ATOM:
            group->pc = PC;
            if (mask != 0 && !sim_access_atomic(engine, warp, group, op, mask))
                goto fault;
            op++;
            break;
        case SIM_K_COPY:
            group->pc = PC;
            if (mask != 0 && !sim_async_copy(engine, warp, group, op, mask))
                goto fault;
            op++;
            break;
        case SIM_K_COPY_GROUP:
            sim_async_group(warp, op, mask);
            op++;
            break;
        case SIM_K_BULK:
            group->pc = PC;
            if (mask != 0 && !sim_bulk_run(engine, warp, group, op, mask))
                goto fault;
            op++;
            break;
        case SIM_K_MBARRIER:
            group->pc = PC;
            if (mask != 0 && !sim_mbarrier_run(engine, warp, group, op, mask))
                goto fault;
            op++;
            break;
        case SIM_K_NOP:
            warp->sync_read |= op->has_optional;
            if (engine->check != NULL && mask != 0)
                sim_check_fence(engine->check, warp, op, mask);
            op++;
            break;
        case SIM_K_CVTA:
        case SIM_K_ISSPACEP:
        case SIM_K_MAPA:
        case SIM_K_GETCTARANK:
            group->pc = PC;
            if (mask != 0 && !convert_addresses(engine, warp, group, op, mask))
                goto fault;
            op++;
            break;
        case SIM_K_ACTIVEMASK:
            write_uniform(engine, warp, group, op, mask, mask);
            op++;
            break;
        case SIM_K_MACHINE:
            group->pc = PC;
            if (mask != 0 && !op->machine->run(engine, warp, group, op, mask))
                goto fault;
            op++;
            break;
        case SIM_K_BSSY:
            if (mask != 0) {
                sim_conv_join(&preds[op->pdst], mask);
                preds[op->pdst + (int32_t)SIM_CONV_MOVED] &= ~mask;
            }
            op++;
            break;
        case SIM_K_BRA_APART:
            op = ((ROW(op->src[0])[__builtin_ctz(lanes)] & warp->alive & ~mask) != 0) != (op->mode != 0)
                     ? ops + op->target
                     : op + 1;
            break;
        case SIM_K_BRA_ANY:
            op = mask != 0 ? ops + op->target : op + 1;
            break;
        case SIM_K_BRA:
            if (op->psrc >= 0)
                mask &= sim_pred_source(warp, group, op, 0);
            if (mask == lanes) {
                op = ops + op->target;
            } else if (mask == 0) {
                op++;
            } else {
                count->executed++;
                count->threads += lane_count;
                count->threads_on += (uint32_t)__builtin_popcount(mask);
                count->divergent++;
                instructions++;
                group->pc = PC + 1;
                split_group(warp, warp->current, mask, op->target);
                if (op->machine != NULL)
                    fewer_first(engine, warp, lanes & ~mask, mask);
                *after = AFTER_SWITCH;
                goto out_counted;
            }
            break;
        case SIM_K_CONV_SET: {
            uint32_t *conv = &preds[op->pdst];
            if (conv[1] == 0 && (conv[0] & ~lanes) == 0)
                conv[0] = lanes;
            else if ((lanes & ~conv[0]) != 0)
                sim_conv_join(conv, lanes);
            op++;
            continue; /* not counted */
        }
        case SIM_K_CONV_SYNC: {
            uint32_t *conv = &preds[op->pdst];
            if (engine->check != NULL)
                sim_check_meet(engine->check, warp, op, lanes);
            if (conv[1] == 0 && (conv[0] & warp->alive & ~lanes) == 0) {
                conv[0] = 0;
                op++;
                continue;
            }
            group->pc = PC;
            (void)try_converge(warp, warp->current, op);
            *after = AFTER_SWITCH;
            goto out_counted;
        }
        case SIM_K_SHFL:
        case SIM_K_VOTE:
        case SIM_K_MATCH:
        case SIM_K_REDUX:
        case SIM_K_ELECT:
        case SIM_K_MATRIX:
        case SIM_K_WARPSYNC: {
            uint32_t ran = 0, at = warp->current;
            group->pc = PC;
            if (!run_warpwide(engine, warp, op, mask, &ran))
                goto fault;
            if (ran != lanes || warp->current != at || group->state != SIM_G_READY || group->pc != PC + 1 ||
                group->mask != lanes) {
                if (ran != 0) {
                    count->executed++;
                    count->threads += (uint32_t)__builtin_popcount(ran);
                    count->threads_on += (uint32_t)__builtin_popcount(ran);
                    instructions++;
                }
                *after = AFTER_SWITCH;
                goto out_counted;
            }
            op++;
            break;
        }
        case SIM_K_END:
            group->pc = PC;
            sim_stop(engine, warp, op, (unsigned)__builtin_ctz(lanes), SIM_FAULT_BAD_INSTRUCTION,
                     "ran into code that control flow cannot reach");
            goto fault;
        default:
            group->pc = PC;
            count->executed++;
            count->threads += lane_count;
            count->threads_on += (uint32_t)__builtin_popcount(mask);
            instructions += op->counter != 0;
            *after = run_control(engine, warp, op, mask);
            if (*after != AFTER_NEXT)
                goto out_counted;
            op = ops + warp->groups[warp->current].pc;
            continue;
        }
        instructions++;
        if (mask == UINT32_MAX) {
            count->whole++;
        } else {
            count->executed++;
            count->threads += lane_count;
            count->threads_on += mask == lanes ? lane_count : (uint32_t)__builtin_popcount(mask);
        }
    }
    group->pc = PC;
    goto out_counted;
fault:
    *after = AFTER_FAULT;
out_counted:
#undef ROW
#undef PC
    engine->instructions += instructions;
    engine->steps += steps;
    return steps;
}

/* The next ready group after the current one, in order of the array; UINT32_MAX: none. */
static uint32_t next_ready(const struct sim_warp *warp)
{
    uint32_t n = warp->group_count;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = (warp->current + k) % n;
        if (warp->groups[i].state == SIM_G_READY)
            return i;
    }
    return UINT32_MAX;
}

/* Machine code: the ready group that was put aside last. */
static uint32_t next_machine_ready(const struct sim_warp *warp)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == SIM_G_READY &&
            (best == UINT32_MAX || warp->groups[i].since > warp->groups[best].since))
            best = i;
    return best;
}

/* One turn of group `ready`, of up to `turn` steps. False: the warp's run ends here, *stop says why. */
static bool take_turn(struct sim_engine *engine, struct sim_warp *warp, uint32_t ready, uint32_t turn, uint32_t *used,
                      enum after *after, enum sim_warp_stop *stop)
{
    warp->current = ready;
    *stop = SIM_STOP_FAULT;
    if (engine->instructions >= engine->limit) {
        const struct sim_group *group = &warp->groups[ready];
        sim_stop(engine, warp, &engine->program->ops[group->pc], (unsigned)__builtin_ctz(group->mask),
                 SIM_FAULT_RUNAWAY, "still running after %llu warp instructions (--max-instructions)",
                 (unsigned long long)engine->limit);
        return false;
    }
    if (engine->limit - engine->instructions < turn)
        turn = (uint32_t)(engine->limit - engine->instructions);
    uint32_t steps = step_group(engine, warp, turn, after);
    *used += steps;
    warp->idle = warp->moved ? 0 : warp->idle + steps;
    warp->moved = false;
    if (*after == AFTER_FAULT || engine->stopped)
        return false;
    if (warp->idle > SPIN_STEPS && warp->repeats >= SPIN_REPEATS) {
        sim_warp_moved(warp); /* counting begins anew */
        if (warp->group_count > 1)
            sim_warp_release(engine, warp);
        warp->spinning = true;
        if (warp->current < warp->group_count)
            warp->groups[warp->current].since = 0;
        if (warp->group_count > 0)
            warp->current = (warp->current + 1) % warp->group_count;
        *stop = SIM_STOP_QUANTUM;
        return false;
    }
    return true;
}

enum sim_warp_stop sim_warp_run(struct sim_engine *engine, struct sim_warp *warp, uint32_t quantum)
{
    uint32_t used = 0, began = 0; /* steps, and those before the current group's first turn in a row */
    warp->spinning = false;
    while (used < quantum) {
        if (warp->group_count == 0)
            return SIM_STOP_DONE;
        uint32_t ready = engine->program->is_machine ? next_machine_ready(warp) : next_ready(warp);
        if (ready == UINT32_MAX) {
            if (sim_warp_recheck(engine, warp))
                continue;
            return SIM_STOP_BLOCKED;
        }
        enum after after;
        enum sim_warp_stop stop;
        uint32_t turn = quantum - used < GROUP_TURN ? quantum - used : GROUP_TURN;
        if (!take_turn(engine, warp, ready, turn, &used, &after, &stop))
            return stop;
        if (after != AFTER_NEXT) {
            began = used;
        } else if (warp->group_count > 0 && (!engine->program->is_machine || used - began >= quantum)) {
            warp->groups[warp->current].since = 0;
            warp->current = (warp->current + 1) % warp->group_count;
        }
    }
    return SIM_STOP_QUANTUM;
}

const struct sim_op *sim_warp_next(struct sim_engine *engine, struct sim_warp *warp)
{
    while (warp->group_count > 0) {
        uint32_t ready = engine->program->is_machine ? next_machine_ready(warp) : next_ready(warp);
        if (ready == UINT32_MAX) {
            if (sim_warp_recheck(engine, warp))
                continue;
            return NULL;
        }
        warp->current = ready;
        const struct sim_op *op = &engine->program->ops[warp->groups[ready].pc];
        if (op->kind != SIM_K_CONV_SET && op->kind != SIM_K_CONV_SYNC)
            return op;
        enum after after;
        (void)step_group(engine, warp, 1, &after);
    }
    return NULL;
}

enum sim_warp_stop sim_warp_step(struct sim_engine *engine, struct sim_warp *warp)
{
    enum after after;
    enum sim_warp_stop stop;
    uint32_t used = 0;
    warp->spinning = false;
    return take_turn(engine, warp, warp->current, 1, &used, &after, &stop) ? SIM_STOP_QUANTUM : stop;
}
