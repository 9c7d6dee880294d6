/* Threads that should wait for each other and do not: barriers that a part of the block misses, masks that do not name
 * who is there.
 *
 * Whether all threads execute a barrier is asked where they meet again behind it: at a conv.sync that ends a region
 * with barriers in it, every thread that comes there for the n-th time must have executed as many barriers as the
 * others. A thread that has ended is not waited for and not missed. */
#include "sim/check/check.h"

#include <stdlib.h>
#include <string.h>

#define MEETS_MAX    255u
#define RECENT       4u
#define ROUNDS       16u /* of a meeting place that are remembered: threads are never many rounds apart */
#define SEARCH_STEPS UINT64_C(50000000)
#define CALLS_MAX    64u /* deep that a barrier is looked for */

struct check_round { /* the n-th time that threads come to a meeting place: by the first of them */
    uint32_t number; /* n, from 1; 0: nobody yet */
    uint32_t barriers, counter[RECENT], thread;
};
struct check_lanes {              /* of a warp */
    uint32_t barriers[32];        /* executed so far */
    uint32_t counter[32][RECENT]; /* the last of them: number n at n % RECENT */
    uint32_t passed[][32];        /* by meeting place: how often */
};

/* ---- Before the run: which meeting places have barriers in their region ---- */

static bool is_full_barrier(const struct sim_op *op)
{
    return op->kind == SIM_K_BAR && op->mode != 1 && !op->has_optional;
}

struct search {
    const struct sim_program *program;
    bool *has_barrier; /* by function: it or one that it calls executes a barrier */
    uint32_t *stack, *seen;
    uint32_t mark;
    uint64_t steps;
};

static bool calls_barrier(const struct search *s, const struct sim_op *op)
{
    return op->kind == SIM_K_CALL && op->target != UINT32_MAX && s->has_barrier[op->target];
}

static void find_functions(const struct search *s)
{
    bool changed = true;
    for (unsigned depth = 0; changed && depth < CALLS_MAX; depth++) {
        changed = false;
        for (uint32_t i = 0; i < s->program->op_count; i++) {
            const struct sim_op *op = &s->program->ops[i];
            if (!s->has_barrier[op->function] && (is_full_barrier(op) || calls_barrier(s, op)))
                s->has_barrier[op->function] = changed = true;
        }
    }
}

/* True when a barrier can be reached from op `from` without passing op `meet`. */
static bool encloses(struct search *s, uint32_t from, uint32_t meet)
{
    uint32_t count = 0;
    s->mark++;
    s->seen[meet] = s->mark;
#define VISIT(i) (s->seen[i] != s->mark ? (void)(s->seen[i] = s->mark, s->stack[count++] = (i)) : (void)0)
    VISIT(from);
    while (count > 0 && s->steps < SEARCH_STEPS) {
        uint32_t at = s->stack[--count];
        const struct sim_op *op = &s->program->ops[at];
        bool falls = op->guard >= 0;
        s->steps++;
        if (is_full_barrier(op) || calls_barrier(s, op))
            return true;
        switch (op->kind) {
        case SIM_K_BRA:
            VISIT(op->target);
            break;
        case SIM_K_BRX:
            for (uint32_t i = 0; i < op->target_count; i++)
                VISIT(s->program->targets[op->target + i]);
            break;
        case SIM_K_RET:
        case SIM_K_EXIT:
        case SIM_K_TRAP:
        case SIM_K_END:
            break;
        default:
            falls = true;
            break;
        }
        if (falls)
            VISIT(at + 1);
    }
#undef VISIT
    return false;
}

static void find_meets(struct sim_check *check, struct search *s)
{
    const struct sim_program *p = s->program;
    for (uint32_t i = 0; i < p->op_count; i++) {
        const struct sim_op *op = &p->ops[i];
        if (op->kind == SIM_K_CONV_SET && s->has_barrier[op->function] && check->meet_of[op->target] == 0 &&
            check->meet_count < MEETS_MAX && encloses(s, i + 1, op->target))
            check->meet_of[op->target] = (uint8_t)++check->meet_count;
    }
}

bool check_sync_begin(struct sim_check *check)
{
    const struct sim_program *p = check->engine->program;
    struct search s = {.program = p};
    s.has_barrier = calloc(p->module->function_count + 1, sizeof(*s.has_barrier));
    s.stack = calloc(p->op_count + 1, sizeof(*s.stack));
    s.seen = calloc(p->op_count + 1, sizeof(*s.seen));
    check->meet_of = calloc(p->op_count + 1, sizeof(*check->meet_of));
    bool made = s.has_barrier != NULL && s.stack != NULL && s.seen != NULL && check->meet_of != NULL;
    if (made) {
        find_functions(&s);
        find_meets(check, &s);
    }
    free(s.has_barrier);
    free(s.stack);
    free(s.seen);
    return made;
}

/* ---- Barriers ---- */

static struct check_lanes *lanes_of(struct sim_check *check, struct check_warp *warp)
{
    if (warp->lanes == NULL)
        warp->lanes = check_alloc(check, 1, sizeof(*warp->lanes) + check->meet_count * sizeof(warp->lanes->passed[0]));
    return warp->lanes;
}

void check_sync_block_start(struct sim_check *check, struct check_block *block)
{
    if (block->rounds != NULL)
        memset(block->rounds, 0, (size_t)check->meet_count * ROUNDS * sizeof(*block->rounds));
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (block->warps[w].lanes != NULL)
            memset(block->warps[w].lanes, 0,
                   sizeof(struct check_lanes) + check->meet_count * sizeof(block->warps[w].lanes->passed[0]));
}

void check_sync_barrier(const struct check_view *view, const struct sim_op *op, uint32_t mask)
{
    struct check_lanes *lanes = view->check->meet_count > 0 ? lanes_of(view->check, view->warp) : NULL;
    for (uint32_t m = lanes != NULL && is_full_barrier(op) ? mask : 0; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        lanes->counter[lane][++lanes->barriers[lane] % RECENT] = op->counter;
    }
}

static struct check_finding between(const struct check_view *view, enum check_kind kind, uint32_t counter,
                                    uint32_t thread, uint32_t other_counter, uint32_t other, uint8_t other_access)
{
    return (struct check_finding){
        .kind = kind,
        .first = {counter, view->block->linear, thread, SIM_ACCESS_EXECUTES},
        .other = {other_counter, view->block->linear, other, other_access},
        .has_other = true,
    };
}

/* One lane comes to a meeting place: as many barriers as the first one that came in this round? */
static void meet_lane(const struct check_view *view, struct check_round *rounds, const struct check_lanes *lanes,
                      unsigned lane, uint32_t number)
{
    struct check_round *round = &rounds[number % ROUNDS];
    uint32_t thread = view->index * 32 + lane, barriers = lanes->barriers[lane];
    if (round->number < number) {
        *round = (struct check_round){.number = number, .barriers = barriers, .thread = thread};
        memcpy(round->counter, lanes->counter[lane], sizeof(round->counter));
    }
    if (round->number != number || round->barriers == barriers)
        return;
    bool more = barriers > round->barriers;
    /* The first that only one of the two executed, as far back as is known. */
    uint32_t most = more ? barriers : round->barriers, least = more ? round->barriers : barriers;
    uint32_t which = most - least > RECENT ? most - RECENT + 1 : least + 1;
    uint32_t executed = more ? lanes->counter[lane][which % RECENT] : round->counter[which % RECENT];
    struct check_finding finding = between(view, CHECK_SYNC_PART, executed, more ? thread : round->thread, executed,
                                           more ? round->thread : thread, SIM_ACCESS_MISSES);
    check_find(view->check, &finding, CHECK_ALWAYS, 1);
}

void check_sync_meet(const struct check_view *view, uint32_t op_index, uint32_t mask)
{
    struct sim_check *check = view->check;
    uint32_t meet = check->meet_of[op_index];
    if (meet == 0)
        return;
    struct check_lanes *lanes = lanes_of(check, view->warp);
    if (view->block->rounds == NULL)
        view->block->rounds = check_alloc(check, (uint64_t)check->meet_count * ROUNDS, sizeof(*view->block->rounds));
    if (lanes == NULL || view->block->rounds == NULL)
        return;
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        meet_lane(view, view->block->rounds + (size_t)(meet - 1) * ROUNDS, lanes, lane,
                  ++lanes->passed[meet - 1][lane]);
    }
}

/* A barrier without a count is complete: its threads wait at one place, or it is several that met. */
void check_sync_barrier_done(struct sim_check *check, const struct sim_block *block, uint32_t number)
{
    const struct sim_op *ops = check->engine->program->ops;
    const struct sim_warp *first_warp = NULL;
    const struct sim_group *first = NULL;
    for (uint32_t w = 0; !check->is_machine && w < block->warp_count; w++)
        for (uint32_t i = 0; i < block->warps[w].group_count; i++) {
            const struct sim_group *group = &block->warps[w].groups[i];
            if (group->state != SIM_G_BAR || group->barrier != number)
                continue;
            if (first == NULL) {
                first = group;
                first_warp = &block->warps[w];
            } else if (group->pc != first->pc) {
                struct check_view view = check_view_of(check, first_warp);
                struct check_finding finding =
                    between(&view, CHECK_SYNC_PLACES, ops[group->pc].counter,
                            w * 32 + (uint32_t)__builtin_ctz(group->mask), ops[first->pc].counter,
                            first_warp->index * 32 + (uint32_t)__builtin_ctz(first->mask), SIM_ACCESS_EXECUTES);
                check_find(check, &finding, CHECK_ALWAYS, (uint32_t)__builtin_popcount(group->mask));
            }
        }
}

/* Arrivals that nobody waited for when the block ended. */
void check_sync_block_end(struct sim_check *check, const struct sim_block *block)
{
    for (uint32_t m = block->check->barriers != NULL ? block->barriers_in_use : 0; m != 0; m &= m - 1) {
        const struct check_barrier *barrier = &block->check->barriers[__builtin_ctz(m)];
        struct check_finding finding = {
            .kind = CHECK_SYNC_LEFT,
            .first = {barrier->last_counter, block->check->linear, barrier->last_thread, SIM_ACCESS_EXECUTES},
        };
        if (barrier->arrived != 0)
            check_find(check, &finding, CHECK_ALWAYS, 1);
    }
}

/* ---- Masks of warp-wide instructions ---- */

static void tell_mask(const struct check_view *view, enum check_kind kind, const struct sim_op *op, unsigned lane,
                      uint32_t others, uint8_t other_access)
{
    uint32_t thread = view->index * 32 + lane;
    struct check_finding finding =
        between(view, kind, op->counter, thread, op->counter,
                others != 0 ? view->index * 32 + (uint32_t)__builtin_ctz(others) : thread, other_access);
    finding.has_other = others != 0;
    check_find(view->check, &finding, CHECK_ALWAYS, 1);
}

/* Lanes `mask` execute, lanes `off` of their group do not: their guard is false. */
void check_sync_masks(const struct check_view *view, const struct sim_op *op, const uint32_t *masks, uint32_t mask,
                      uint32_t off)
{
    if (view->check->is_machine) /* its masks are ptxas's, not the program's */
        return;
    uint32_t differs = 0, first = masks[__builtin_ctz(mask)];
    for (uint32_t m = mask; m != 0; m &= m - 1)
        differs |= masks[__builtin_ctz(m)] ^ first;
    if (differs == 0 && (mask & ~first) == 0 && (off & first) == 0)
        return;
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint32_t named = masks[lane], unequal = 0;
        for (uint32_t k = mask & named; k != 0; k &= k - 1)
            unequal |= (uint32_t)(masks[__builtin_ctz(k)] != named) << __builtin_ctz(k);
        if ((named >> lane & 1) == 0)
            tell_mask(view, CHECK_SYNC_SELF, op, lane, 0, SIM_ACCESS_EXECUTES);
        else if ((named & off) != 0)
            tell_mask(view, CHECK_SYNC_MISSING, op, lane, named & off, SIM_ACCESS_MISSES);
        else if (unequal != 0)
            tell_mask(view, CHECK_SYNC_MASKS, op, lane, unequal, SIM_ACCESS_EXECUTES);
    }
}

/* Lanes wait at a warp-wide instruction for others that wait for them to come to where all meet: these never execute
 * it. */
void check_sync_missing(const struct check_view *view)
{
    const struct sim_warp *warp = view->sim;
    for (uint32_t i = 0; !view->check->is_machine && i < warp->group_count; i++) {
        const struct sim_group *group = &warp->groups[i];
        uint32_t missing = 0;
        for (uint32_t k = 0; k < warp->group_count; k++)
            if (warp->groups[k].state == SIM_G_CONV || warp->groups[k].state == SIM_G_RET)
                missing |= warp->groups[k].mask & group->wait_mask;
        for (uint32_t m = group->state == SIM_G_WARP && missing != 0 ? group->mask : 0; m != 0; m &= m - 1)
            tell_mask(view, CHECK_SYNC_MISSING, &view->check->engine->program->ops[group->pc],
                      (unsigned)__builtin_ctz(m), missing, SIM_ACCESS_MISSES);
    }
}
