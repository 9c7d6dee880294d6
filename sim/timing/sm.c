/* An SM: its schedulers issue one instruction each cycle at most; an instruction is executed the moment it issues.
 *
 * timing_sm_run() goes from one cycle in which something can issue to the next. issue() is one instruction: run it, let
 * its unit and its results take their time, and see what the warp will do next. Why a warp did not issue earlier is
 * known when it does: the time in between is split among the reasons then. */
#include "sim/timing/timing.h"

#include <string.h>

#define GROUP_TURN 1024u /* instructions before another ready group of the warp gets its turn */

/* ---- Memory of the host ----
 *
 * The registers of all resident warps do not fit into the host's caches, and every window of cycles goes through all
 * SMs. What a warp will want is asked for ahead: when its next instruction is known, and when its SM's turn begins. */

#define BRING_MOST 64u /* warps at the beginning of a turn */

/* It is read, and not prefetched: processors leave out prefetches of pages that they have not looked up lately, and
 * go on with what follows a read that nobody waits for as well. */
static void bring(const void *at)
{
    (void)*(const volatile uint8_t *)at;
}

static void bring_row(const struct sim_program *program, const struct sim_warp *warp, const struct sim_group *group,
                      uint32_t row)
{
    if (row == SIM_ROW_NONE)
        return;
    const uint32_t *at = sim_row(program, warp, group, row);
    bring(at);
    bring(at + 16);
}

static void bring_rows(const struct sim_program *program, const struct timing_warp *w)
{
    const struct sim_warp *warp = w->warp;
    const struct sim_group *group = &warp->groups[warp->current];
    for (unsigned i = 0; i < 3; i++)
        bring_row(program, warp, group, w->op->src[i]);
    bring_row(program, warp, group, w->op->dst);
    bring_row(program, warp, group, w->op->address);
    bring_row(program, warp, group, w->op->vec[0]);
}

/* The warps that may issue before `until`. */
static void bring_warps(const struct timing_sm *sm, uint64_t until)
{
    const struct timing_warp *soon[BRING_MOST];
    uint32_t count = 0, places = sm->clock->places_per_scheduler;
    for (uint32_t i = 0; i < sm->clock->scheduler_count; i++) {
        const struct timing_scheduler *s = &sm->schedulers[i];
        for (uint64_t m = s->present & ~s->waiting; m != 0 && count < BRING_MOST; m &= m - 1) {
            uint32_t place = (uint32_t)__builtin_ctzll(m);
            if (s->ready_at[place] >= until)
                continue;
            soon[count] = sm->places[(size_t)i * places + place];
            bring(&soon[count]->warp);
            bring(&soon[count]->place);
            bring(&soon[count]->counters[0]);
            count++;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        bring(&soon[i]->warp->current);
        bring(&soon[i]->warp->groups[0]);
    }
    for (uint32_t i = 0; i < count; i++) {
        bring_rows(sm->clock->engine->program, soon[i]);
        timing_values_bring(soon[i]);
    }
}

/* ---- What a warp does next ---- */

/* What the warp runs next. Most warps are one group, at an instruction of its own. */
static inline const struct sim_op *next_op(struct sim_engine *engine, struct sim_warp *warp)
{
    if (warp->group_count == 1 && warp->groups[0].state == SIM_G_READY) {
        const struct sim_op *op = &engine->program->ops[warp->groups[0].pc];
        if (op->kind != SIM_K_CONV_SET && op->kind != SIM_K_CONV_SYNC) {
            warp->current = 0;
            return op;
        }
    }
    return sim_warp_next(engine, warp);
}

/* Looks at what the warp does next and when it can. Instructions that cost nothing are run on the way. False: the
 * engine has stopped. */
static bool look_ahead(struct timing_sm *sm, struct timing_warp *w)
{
    struct sim_clock *clock = sm->clock;
    struct sim_engine *engine = clock->engine;
    struct timing_scheduler *s = &sm->schedulers[w->scheduler];
    uint64_t bit = UINT64_C(1) << w->place;
    for (;;) {
        w->op = next_op(engine, w->warp);
        if (w->op == NULL)
            break;
        w->cost = &clock->costs[w->op - engine->program->ops];
        const struct sim_group *group = &w->warp->groups[w->warp->current];
        const bool is_free = w->cost->slots == 0 || (w->cost->rolled_up && (w->laps + 1) % TIMING_UNROLL != 0);
        if (is_free && !timing_values_known(w, w->cost, group->frame, group->pframe)) {
            w->ready_at = TIMING_NEVER;
            break;
        }
        bool rolls = w->cost->unrolls && ++w->laps % TIMING_UNROLL != 0;
        if (!is_free && !rolls) {
            if (w->cost->controlled) {
                timing_counters_wait(w);
                if (w->cost->line != w->line)
                    timing_fetch_line(sm, s, w);
            } else
                timing_values_wait(w, group->frame, group->pframe);
            break;
        }
        if (!rolls)
            timing_values_pass(w, w->cost, group->frame, group->pframe);
        if (sim_warp_step(engine, w->warp) != SIM_STOP_QUANTUM)
            return false;
    }
    s->candidates &= ~bit;
    if (w->op == NULL) {
        s->waiting |= bit;
        return true;
    }
    s->waiting &= ~bit;
    s->ready_at[w->place] = w->ready_at;
    timing_scheduler_claim(s, w->place, w->cost);
    if (w->ready_at == TIMING_NEVER)
        return true;
    if (w->ready_at < sm->until)
        bring_rows(engine->program, w);
    if (w->ready_at < s->wake)
        s->wake = w->ready_at;
    if (w->ready_at < s->next)
        s->next = w->ready_at;
    if (s->next < sm->next)
        sm->next = s->next;
    return true;
}

bool timing_sm_look(struct timing_sm *sm, struct timing_warp *w)
{
    return look_ahead(sm, w);
}

/* ---- Warps that wait for others ---- */

/* `from`: for machine code's instructions that ask nothing of memory. `fixed`: the last cycles until then, which are no
 * wait for others. */
static bool wake_block(struct timing_block *block, uint64_t from, uint64_t at, uint32_t fixed)
{
    for (uint32_t i = 0; block->waiting > 0 && i < block->block->warp_count; i++) {
        struct timing_warp *w = &block->warps[i];
        if (w->warp == NULL || w->op != NULL || sim_warp_next(w->block->sm->clock->engine, w->warp) == NULL)
            continue;
        block->waiting--;
        block->cluster->able++;
        if (w->cost->defers) {
            w->ahead = from > w->not_before ? from - w->not_before : 0;
            w->not_before = from > w->not_before ? from : w->not_before;
            w->held_until = at;
        } else {
            w->not_before = w->floor = at;
        }
        w->floor_reason = SIM_STALL_BARRIER;
        w->fixed_wait = fixed;
        if (!look_ahead(block->sm, w))
            return false;
    }
    return true;
}

static bool wake_cluster(struct timing_cluster *cluster, uint64_t at, uint32_t fixed)
{
    for (uint32_t b = 0; b < cluster->cluster->block_count; b++)
        if (cluster->blocks[b]->block != NULL && !wake_block(cluster->blocks[b], at, at, fixed))
            return false;
    return true;
}

/* A warp has come to wait for others: if none of its cluster can go on, lanes are freed or the launch ends. */
static bool check_able(struct timing_sm *sm, struct timing_cluster *cluster, uint64_t now)
{
    while (cluster->able == 0 && cluster->cluster->alive > 0)
        if (!sim_cluster_unblock(sm->clock->engine, cluster->cluster) || !wake_cluster(cluster, now + 1, 0))
            return false;
    return true;
}

/* ---- Issue ---- */

static uint8_t throttle_of(const struct timing_cost *cost)
{
    if (!cost->queued && cost->unit != TIMING_U_MEMORY)
        return SIM_STALL_MATH_PIPE_THROTTLE;
    return cost->reason == SIM_STALL_LONG_SCOREBOARD ? SIM_STALL_LG_THROTTLE : SIM_STALL_MIO_THROTTLE;
}

/* The time since the warp's last instruction: until it might issue, for one reason; until what it needs was there, for
 * another; until its unit or queue was free; the rest for its turn. */
static inline void spend(const struct timing_sm *sm, const struct timing_warp *w, enum sim_stall reason, uint64_t from,
                         uint64_t to)
{
    if (to == from)
        return;
    sm->clock->stalls[w->op->counter][reason] += to - from;
    if (timing_is_heard(sm))
        timing_hook_span(sm, w, reason, from, to);
}

/* The time from its last instruction until it might go on. After a branch that is taken, the stall count comes first,
 * and the last cycles are its target's fetch. */
static void spend_floor(const struct timing_sm *sm, const struct timing_warp *w, uint64_t from, uint64_t to)
{
    if (w->floor_reason != SIM_STALL_BRANCH_RESOLVING) {
        const uint64_t fixed = w->floor_reason == SIM_STALL_BARRIER ? w->fixed_wait : 0;
        const uint64_t until = to - from < fixed ? from : to - fixed;
        spend(sm, w, w->floor_reason, from, until);
        spend(sm, w, SIM_STALL_WAIT, until, to);
        return;
    }
    const struct sim_device *d = sm->clock->engine->device;
    const uint64_t fetch = to - from < d->branch_fetch_cycles ? from : to - d->branch_fetch_cycles;
    const uint64_t resolve = to - from < d->taken_branch_cycles ? from : to - d->taken_branch_cycles;
    spend(sm, w, SIM_STALL_WAIT, from, resolve);
    spend(sm, w, SIM_STALL_BRANCH_RESOLVING, resolve, fetch);
    spend(sm, w, SIM_STALL_NO_INSTRUCTION, fetch, to);
}

/* The time it waits for a unit or for the memory queue. Where others had them, they went first once in each interval.
 */
static void spend_throttled(const struct timing_sm *sm, const struct timing_scheduler *s, const struct timing_warp *w,
                            uint64_t from, uint64_t to)
{
    const struct timing_cost *cost = w->cost;
    uint64_t interval = cost->interval > 0 ? cost->interval : sm->clock->unit_interval[cost->unit];
    if (cost->queued)
        interval = sm->clock->unit_interval[TIMING_U_MEMORY];
    else if (cost->unit == TIMING_U_FMA)
        interval *= 2;
    uint64_t others = s->last != w->place && cost->controlled && interval > 0 ? (to - from) / interval : 0;
    if (cost->queued && others > s->queue_uses - w->queue_uses)
        others = s->queue_uses - w->queue_uses;
    spend(sm, w, throttle_of(cost), from, to - others);
    spend(sm, w, SIM_STALL_NOT_SELECTED, to - others, to);
}

static void count_stalls(const struct timing_sm *sm, const struct timing_scheduler *s, const struct timing_warp *w,
                         uint64_t throttled_until, uint64_t now)
{
    uint64_t from = w->issued_at, ready = w->ready_at > from ? w->ready_at : from;
    uint64_t floor = w->not_before > from ? w->not_before : from;
    if (ready > now)
        ready = now;
    if (floor > ready)
        floor = ready;
    spend_floor(sm, w, from, floor);
    spend(sm, w, w->reason, floor, ready);
    if (throttled_until > ready) {
        uint64_t until = throttled_until < now ? throttled_until : now;
        spend_throttled(sm, s, w, ready, until);
        ready = until;
    }
    spend(sm, w, SIM_STALL_NOT_SELECTED, ready, now);
    sm->clock->stalls[w->op->counter][SIM_STALL_SELECTED] += w->cost->slots;
    if (timing_is_heard(sm))
        timing_hook_span(sm, w, SIM_STALL_SELECTED, now,
                         now + (uint64_t)w->cost->slots * sm->clock->engine->device->issue_interval_cycles);
}

static bool is_load(const struct sim_op *op)
{
    return op->kind == SIM_K_LD || (op->kind == SIM_K_MATRIX && (isa_ops[op->insn->op].flags & ISA_OPF_READS_MEMORY));
}

/* When a memory instruction may begin, had the compiler moved it ahead as far as it can. */
static uint64_t hoisted(const struct timing_warp *w, const struct sim_op *op, uint64_t early, uint64_t now)
{
    if (!is_load(op))
        return now;
    bool shared = op->space == ISA_SPACE_SHARED || op->space == ISA_SPACE_SHARED_CLUSTER;
    uint64_t floor = shared ? w->floor_shared : w->floor_global;
    if (op->space == ISA_SPACE_GENERIC && w->floor_shared > floor)
        floor = w->floor_shared;
    if (floor > early)
        early = floor;
    return early < now ? early : now;
}

static void note_write(struct timing_warp *w, const struct sim_op *op, uint64_t now)
{
    bool shared = op->space == ISA_SPACE_SHARED || op->space == ISA_SPACE_SHARED_CLUSTER;
    if (shared || op->space == ISA_SPACE_GENERIC)
        w->floor_shared = now;
    if (!shared)
        w->floor_global = now;
}

/* For copies of unknown time: the warp hears when it is known. */
static uint64_t wait_for_copies(struct timing_warp *w, uint32_t left, uint64_t now)
{
    uint64_t until = left == UINT32_MAX ? timing_copies_all(&w->copies) : timing_copies_wait(&w->copies, left);
    w->waits_for_copies = until == TIMING_NEVER;
    w->copies_left = left;
    w->waits_from = now;
    return until;
}

/* Copies under way, and barriers in shared memory, which wait for copies too: when the instruction is through. */
static uint64_t wait_for_others(struct timing_warp *w, const struct sim_op *op, uint64_t done, uint64_t now)
{
    struct timing_cluster *cluster = w->block->cluster;
    uint64_t until = done;
    if (op->kind == SIM_K_COPY_GROUP) {
        if (op->insn->op == ISA_OP_CP_ASYNC_COMMIT)
            timing_copies_commit(&w->copies);
        else
            until = wait_for_copies(w, op->insn->op == ISA_OP_CP_ASYNC_WAIT_ALL ? UINT32_MAX : op->target_count, done);
    } else if (op->kind == SIM_K_MBARRIER || op->kind == SIM_K_MBARRIER_TRY) {
        const uint64_t copied = w->copies.open; /* as far as is known */
        if ((op->insn->op == ISA_OP_CP_ASYNC_MBARRIER || op->insn->op == ISA_OP_CP_ASYNC_MBARRIER_NOINC) &&
            copied > cluster->copied_at)
            cluster->copied_at = copied;
        w->floor = now;
        if (w->cost->closes) {
            done = now + w->cost->latency;
            until = cluster->copied_at + w->cost->latency;
        }
    }
    return until > done ? until : done;
}

static void add_copy(const struct sim_clock *clock, struct timing_warp *w, uint64_t done)
{
    timing_copies_done(&w->copies, timing_copies_add(&w->copies), done + clock->engine->device->copy_latency_cycles);
}

/* The instruction under way has requests that are not settled: what their answer will be for. */
static void await(struct timing_sm *sm, struct timing_warp *w, const struct sim_op *op, uint32_t frame, uint32_t pframe,
                  uint64_t ahead)
{
    struct timing_answer *answer = &sm->answers.items[sm->answers.now];
    answer->frame = frame;
    answer->pframe = pframe;
    answer->ahead_cycles = ahead;
    answer->is_copy = op->kind == SIM_K_COPY;
    if (answer->is_copy)
        answer->copy_group = timing_copies_add(&w->copies);
    w->unanswered += answer->writes;
    w->loading += !answer->writes;
    if (w->cost->closes)
        w->closed_by = sm->answers.now + 1;
}

/* Takes time for an instruction that has just been executed. */
static void take_time(struct timing_sm *sm, struct timing_scheduler *s, struct timing_warp *w, const struct sim_op *op,
                      uint32_t wavefronts, uint32_t frame, uint32_t pframe, uint64_t now)
{
    struct sim_clock *clock = sm->clock;
    const struct timing_cost *cost = w->cost;
    uint64_t early = timing_values_early(w, cost, frame, pframe), done = now + cost->latency;
    if (cost->unit == TIMING_U_MEMORY && clock->effect_count > 0) {
        uint64_t ahead = now - hoisted(w, op, early, now);
        sm->ahead_cycles = ahead;
        early = done = timing_pipe_issue(sm, s, op, wavefronts, now);
        if (done == TIMING_NEVER) {
            await(sm, w, op, frame, pframe, ahead);
        } else {
            early = w->merged_at = done -= ahead;
            if (op->kind == SIM_K_COPY)
                add_copy(clock, w, done);
        }
        if (!is_load(op)) {
            note_write(w, op, now);
            if (done != TIMING_NEVER)
                w->drained_at = done > w->drained_at ? done : w->drained_at;
        }
    } else {
        early += cost->latency;
        if (cost->rolled_up) /* it is worked out while the turn's loads are under way */
            done = early;
        s->unit_free[cost->unit] =
            now + (cost->interval > 0 ? cost->interval : clock->unit_interval[cost->unit] * (cost->slots > 1 ? 2 : 1));
    }
    done = wait_for_others(w, op, done, now);
    if (done <= now)
        done = now + 1;
    timing_values_set(w, cost, frame, pframe, done, early);
    w->ring[w->issued++ % TIMING_HOIST] = now;
    w->not_before = now + 1;
    w->floor_reason = SIM_STALL_WAIT;
    if (cost->closes) {
        w->laps = 0;
        w->floor = now;
        w->not_before = done;
        w->floor_reason = cost->reason;
    }
}

/* Machine code: LDGSTS, the groups that LDGDEPBAR ends, and DEPBAR's wait for them. */
static void take_machine_copies(struct sim_clock *clock, struct timing_warp *w, const struct sim_op *op, uint64_t done)
{
    if (op->kind == SIM_K_COPY && done != TIMING_NEVER)
        add_copy(clock, w, done);
    if (op->kind != SIM_K_COPY_GROUP)
        return;
    if (op->insn->op == ISA_OP_CP_ASYNC_COMMIT) {
        timing_copies_commit(&w->copies);
        return;
    }
    uint64_t until = wait_for_copies(w, op->target_count, w->not_before);
    if (until <= w->not_before)
        return;
    w->not_before = until;
    w->floor_reason = SIM_STALL_LONG_SCOREBOARD;
}

/* Additions and products of f32 have two units, of which the other also multiplies integers. */
static unsigned free_unit(const struct timing_scheduler *s, const struct timing_cost *cost, uint64_t now)
{
    return cost->unit == TIMING_U_FMA && s->unit_free[TIMING_U_FMA] > now ? TIMING_U_IMAD : cost->unit;
}

/* The sources keep the register banks busy; an instruction goes on when the next three cycles have room for them, and
 * until then no other issues. */
static void use_ports(struct timing_scheduler *s, const struct timing_cost *cost, bool is_same, uint64_t now)
{
    const uint8_t *cycles = is_same ? cost->port_cycles : cost->port_cycles_cold;
    uint64_t last = 0;
    for (unsigned bank = 0; bank < 2; bank++) {
        s->port_free[bank] = (s->port_free[bank] > now ? s->port_free[bank] : now) + cycles[bank];
        last = s->port_free[bank] > last ? s->port_free[bank] : last;
    }
    s->free_at = last > 2 ? last - 2 : 0;
}

/* Products of integers of which more than the low half is asked for: cycles of the unit. */
static uint64_t long_product(struct timing_scheduler *s, const struct sim_device *d)
{
    const uint32_t taken = s->long_rest + d->long_product_centicycles;
    s->long_rest = taken % 100;
    return taken / 100;
}

/* The same for machine code with control bits. `turn`: what it takes to go elsewhere, or on with other lanes. */
static void take_machine_time(struct timing_sm *sm, struct timing_scheduler *s, struct timing_warp *w,
                              const struct sim_op *op, uint32_t wavefronts, uint64_t turn, uint64_t now)
{
    struct sim_clock *clock = sm->clock;
    const struct sim_device *d = clock->engine->device;
    const struct timing_cost *cost = w->cost;
    uint64_t done = now + cost->latency, read = now + d->source_read_cycles;
    uint64_t interval = cost->interval > 0 ? cost->interval : clock->unit_interval[cost->unit];
    if (cost->unit == TIMING_U_FMA && cost->interval == 0)
        interval *= 2;
    if (cost->unit == TIMING_U_MEMORY && clock->effect_count > 0) {
        done = timing_pipe_issue(sm, s, op, wavefronts, now);
        read = sm->read_at + d->source_read_cycles;
        if (done == TIMING_NEVER) {
            await(sm, w, op, 0, 0, 0);
            timing_telling_note(sm, w);
        } else if (!is_load(op)) {
            w->drained_at = done > w->drained_at ? done : w->drained_at;
            w->sent_at = sm->left_at > w->sent_at ? sm->left_at : w->sent_at;
        }
    } else if (cost->unit == TIMING_U_MEMORY && op->kind == SIM_K_NOP) {
        read = done = timing_pipe_turn(sm, s, op, now);
        w->behind = sm->telling.issued;
    } else if (cost->queued) {
        read = timing_pipe_pass(s, clock, cost->of_sm ? &sm->match_free : &s->unit_free[cost->unit], interval, now);
        done = read + cost->latency;
    } else {
        if (cost->unit == TIMING_U_FP64) {
            const uint8_t *reads = s->last == w->place ? cost->port_cycles : cost->port_cycles_cold;
            interval = reads[0] > interval ? reads[0] : interval;
        }
        s->unit_free[free_unit(s, cost, now)] =
            now + (cost->is_long ? long_product(s, d) : interval + cost->waits_inside);
        if (cost->unit != TIMING_U_FP64)
            use_ports(s, cost, s->last == w->place, now);
    }
    uint32_t number = timing_counters_raise(w, cost, cost->reads_late ? done : read, done);
    if (done == TIMING_NEVER)
        sm->answers.items[sm->answers.now].number = number;
    w->not_before = now + cost->stall;
    w->floor_reason = SIM_STALL_WAIT;
    if (cost->fences) {
        w->not_before = timing_fence_until(sm, w, d, now);
        w->floor_reason = SIM_STALL_MEMBAR;
        if (timing_is_writing(sm, w) || w->loading > 0) {
            w->not_before = TIMING_NEVER;
            w->is_fenced = true;
            w->waits_from = now;
        }
    } else if (turn > 0) {
        w->not_before = now + cost->stall + turn;
        w->floor_reason = SIM_STALL_BRANCH_RESOLVING;
    }
    if (op->kind == SIM_K_COPY || op->kind == SIM_K_COPY_GROUP)
        take_machine_copies(clock, w, op, done);
    if (w->ahead > 0) {
        const uint64_t used = cost->stall - 1u < w->ahead ? cost->stall - 1u : w->ahead;
        w->not_before -= used;
        w->ahead -= used;
    }
    const uint64_t bit = UINT64_C(1) << w->place;
    s->yielded = cost->yields ? s->yielded | bit : s->yielded & ~bit;
    if (cost->yields)
        s->yielded_at[w->place] = now;
}

/* From machine code when its stores have left the SM and what its atomics give back has come, whether or not a register
 * waited for it. */
void timing_sm_ended(struct timing_sm *sm, struct timing_warp *w)
{
    struct timing_block *block = w->block;
    uint64_t left = w->drained_at;
    if (w->cost->controlled) {
        left = w->sent_at > w->came_at ? w->sent_at : w->came_at;
        const uint64_t told = timing_told_at(sm, w->behind);
        left = told > left ? told : left;
    }
    const uint64_t after = w->issued_at;
    const uint64_t end = after > left ? after : left;
    block->ends_at = end > block->ends_at ? end : block->ends_at;
    sm->warp_cycles += end - w->started_at;
    sm->clock->stalls[w->op->counter][SIM_STALL_DRAIN] += end - after;
    if (timing_is_heard(sm))
        timing_hook_end(sm, w, end);
    w->warp = NULL;
    w->ending = false;
    if (--block->warps_left == 0) {
        block->ended = true;
        sm->ended++;
    }
}

/* The warp has ended; when, is known when all that it has stored is on its way. */
static void end_warp(struct timing_sm *sm, struct timing_scheduler *s, struct timing_warp *w)
{
    uint64_t bit = UINT64_C(1) << w->place;
    s->present &= ~bit;
    s->candidates &= ~bit;
    s->waiting &= ~bit;
    w->block->cluster->able--;
    w->ending = true;
    if (!timing_is_writing(sm, w))
        timing_sm_ended(sm, w);
}

/* Barriers: arrivals take their turn in the barrier unit; the last one lets the others go. */
static bool after_step(struct timing_sm *sm, struct timing_scheduler *s, struct timing_warp *w, uint8_t kind,
                       uint64_t now)
{
    struct sim_clock *clock = sm->clock;
    const struct sim_device *d = clock->engine->device;
    struct timing_block *block = w->block;
    struct timing_cluster *cluster = block->cluster;
    uint64_t release = now;
    bool ended = w->warp->group_count == 0;
    if (kind == SIM_K_BAR) {
        if (sm->barrier_free < now)
            sm->barrier_free = now;
        sm->barrier_free += d->barrier_warp_cycles;
        release = sm->barrier_free + d->barrier_latency_cycles;
        if (w->cost->defers) {
            w->held_until = release;
        } else {
            w->not_before = release;
            w->floor_reason = SIM_STALL_BARRIER;
            w->fixed_wait = 0;
        }
    }
    if (!ended && !look_ahead(sm, w))
        return false;
    if (!ended && w->op == NULL) {
        block->waiting++;
        cluster->able--;
    }
    if (block->waiting > 0 && (kind == SIM_K_EXIT || kind == SIM_K_RET || (kind == SIM_K_BAR && w->op != NULL)))
        if (!wake_block(block, now, release > now ? release : now + d->barrier_latency_cycles, 0))
            return false;
    if (cluster->cluster->phase != cluster->phase) {
        cluster->phase = cluster->cluster->phase;
        if (!wake_cluster(cluster, now + d->cluster_barrier_latency_cycles, d->cluster_barrier_wait_cycles))
            return false;
    }
    if (cluster->cluster->woken != cluster->woken) {
        cluster->woken = cluster->cluster->woken;
        if (!wake_cluster(cluster, (cluster->copied_at > now ? cluster->copied_at : now) + d->mbarrier_latency_cycles,
                          0))
            return false;
    }
    if (ended)
        end_warp(sm, s, w);
    return check_able(sm, cluster, now);
}

/* What a branch that is taken takes beyond its stall count, lanes that part, and lanes that meet again. */
static uint64_t turn_cycles(const struct sim_engine *engine, const struct timing_warp *w, const struct sim_op *op,
                            uint32_t lanes)
{
    const struct timing_cost *cost = w->cost;
    if ((!cost->jumps && !cost->meets) || w->warp->group_count == 0)
        return 0;
    for (uint32_t i = 0; cost->meets && i < w->warp->group_count; i++) {
        const uint32_t joined = w->warp->groups[i].mask;
        if ((joined & lanes) != 0 && joined != lanes)
            return engine->device->reconvergence_cycles;
    }
    if (cost->meets)
        return 0;
    const struct sim_group *group = &w->warp->groups[w->warp->current];
    uint64_t turn = group->pc != (uint32_t)(op - engine->program->ops) + 1 ? cost->jump_cycles : 0;
    return turn + ((lanes & ~group->mask) != 0 ? engine->device->divergence_cycles : 0);
}

static bool issue(struct timing_sm *sm, struct timing_scheduler *s, struct timing_warp *w, uint64_t throttled_until,
                  uint64_t now)
{
    struct sim_clock *clock = sm->clock;
    struct sim_engine *engine = clock->engine;
    const struct sim_op *op = w->op;
    const struct sim_group *group = &w->warp->groups[w->warp->current];
    uint32_t frame = group->frame, pframe = group->pframe, lanes = group->mask;
    uint64_t before = engine->counts[op->counter].wavefronts;
    if (w->cost->held)
        w->ahead = 0; /* it has waited for the last warp */
    clock->now = now - w->ahead;
    clock->sm = sm;
    clock->warp = w;
    clock->effect_count = 0;
    count_stalls(sm, s, w, throttled_until, now);
    enum sim_warp_stop stop = sim_warp_step(engine, w->warp);
    if (stop == SIM_STOP_FAULT || engine->stopped)
        return false;
    if (w->warp->spinning)
        w->spun_in = clock->window + 1;
    else if (w->warp->idle == 0)
        sm->moved = true;
    uint32_t wavefronts = (uint32_t)(engine->counts[op->counter].wavefronts - before);
    if (w->cost->voids_l1)
        timing_cache_void(&sm->l1, TIMING_LOCAL_BASE / engine->device->line_bytes);
    if (w->cost->controlled)
        take_machine_time(sm, s, w, op, wavefronts, turn_cycles(engine, w, op, lanes), now);
    else {
        take_time(sm, s, w, op, w->cost->width > 0 && wavefronts > 0 ? clock->wide_wavefronts : wavefronts, frame,
                  pframe, now);
        w->not_before += turn_cycles(engine, w, op, lanes);
    }
    clock->warp = NULL;
    uint64_t slots = (uint64_t)w->cost->slots * engine->device->issue_interval_cycles;
    sm->issue_slots += w->cost->slots;
    s->free_at = s->free_at > now + slots ? s->free_at : now + slots;
    s->last = w->place;
    w->queue_uses = s->queue_uses;
    w->issued_at = now + slots;
    if (++w->turn >= GROUP_TURN && w->warp->group_count > 1) {
        w->warp->current = (w->warp->current + 1) % w->warp->group_count;
        w->turn = 0;
    }
    return after_step(sm, s, w, op->kind, now);
}

/* Moves warps whose time has come to the candidates. */
static void collect(struct timing_scheduler *s, uint64_t now)
{
    s->wake = TIMING_NEVER;
    for (uint64_t m = s->present & ~s->waiting & ~s->candidates; m != 0; m &= m - 1) {
        uint32_t place = (uint32_t)__builtin_ctzll(m);
        uint64_t ready = s->ready_at[place];
        if (ready <= now)
            s->candidates |= UINT64_C(1) << place;
        else if (ready < s->wake)
            s->wake = ready;
    }
}

/* Whether its next instruction is not taken into the queue before there is a place behind it, too: machine code's store
 * or atomic that leaves the SM, and what waits behind atomics whose address is looked up on the way. Loads wait in the
 * queue. */
static bool waits_outside(const struct timing_sm *sm, const struct timing_warp *w, struct timing_places places,
                          uint64_t now)
{
    return (w->cost->controlled && places.of_sm != NULL) || w->cost->tells_space || w->op->kind == SIM_K_NOP ||
           timing_told_at(sm, sm->telling.issued) > now;
}

/* When all that the warp's next instruction claims is free, or has become free if it was not when it was last asked. */
static uint64_t resource_free(struct timing_sm *sm, struct timing_scheduler *s, const struct timing_warp *w,
                              uint64_t now)
{
    const enum timing_claim claim = (enum timing_claim)s->claim[w->place];
    uint64_t at = timing_scheduler_free(s, claim);
    if (claim != TIMING_CLAIM_PLACES)
        return at;
    const struct timing_places places = timing_pipe_places(sm, s, w->op);
    if (timing_places_free(places) == TIMING_NEVER) {
        s->has_no_place = s->is_short = sm->crowded = true;
        return TIMING_NEVER;
    }
    const uint64_t free_at = waits_outside(sm, w, places, now) ? timing_places_free(places) : 0;
    if (free_at > now) {
        s->is_short = true;
        return free_at > at ? free_at : at;
    }
    if (at <= now && s->is_short) {
        s->short_until = now;
        s->is_short = false;
        /* Not while atomics wait to tell what memory their address is in: queue, stalls.csv. */
        if (timing_told_at(sm, sm->telling.issued) <= now)
            sm->first_scheduler = places.of_sm != NULL ? (uint32_t)(s - sm->schedulers) + 1 : 0;
    }
    return s->short_until > at ? s->short_until : at;
}

/* One scheduler's cycle. False: the engine has stopped. */
static bool run_scheduler(struct timing_sm *sm, uint32_t index, uint64_t now)
{
    struct sim_clock *clock = sm->clock;
    struct timing_scheduler *s = &sm->schedulers[index];
    struct timing_warp **places = &sm->places[(size_t)index * clock->places_per_scheduler];
    if (s->free_at > now) { /* a warp was woken in the middle of an instruction of several slots */
        s->next = s->free_at;
        return true;
    }
    if (s->wake <= now)
        collect(s, now);
    uint64_t soonest = s->wake;
    for (uint64_t mask = timing_scheduler_able(s, s->candidates, now, &soonest); mask != 0;) {
        uint32_t place = timing_scheduler_pick(s, mask, clock->policy);
        struct timing_warp *w = places[place];
        uint64_t free_at = resource_free(sm, s, w, now);
        if (free_at <= now) {
            s->next = TIMING_NEVER;
            if (!issue(sm, s, w, free_at, now))
                return false;
            uint64_t next = s->candidates != 0 ? s->free_at : s->wake;
            s->next = next > s->free_at ? next : s->free_at;
            return true;
        }
        if (free_at < soonest)
            soonest = free_at;
        mask &= ~(UINT64_C(1) << place);
    }
    s->next = soonest;
    return true;
}

bool timing_sm_run(struct timing_sm *sm, uint64_t from, uint64_t until)
{
    struct sim_clock *clock = sm->clock;
    sm->until = until;
    if (!timing_hear(sm, from))
        return false;
    if (timing_returns_next(sm) < sm->next)
        sm->next = timing_returns_next(sm);
    if (sm->next < until)
        bring_warps(sm, until);
    while (sm->next < until) {
        uint64_t now = sm->next > from ? sm->next : from;
        sm->next = TIMING_NEVER;
        if (!timing_returns_pass(sm, now))
            return false;
        const uint32_t first = sm->first_scheduler;
        for (uint32_t k = 0; k < clock->scheduler_count; k++) {
            const uint32_t i = (first + k) % clock->scheduler_count;
            if (sm->schedulers[i].next <= now && !run_scheduler(sm, i, now))
                return false;
        }
        uint64_t next = timing_returns_next(sm);
        for (uint32_t i = 0; i < clock->scheduler_count; i++)
            next = sm->schedulers[i].next < next ? sm->schedulers[i].next : next;
        sm->next = next > now ? next : now + 1;
    }
    return true;
}

bool timing_sm_begin(struct timing_sm *sm, struct timing_block *place, struct sim_block *block, uint64_t since,
                     uint64_t from)
{
    struct sim_clock *clock = sm->clock;
    place->block = block;
    place->warps_left = block->warp_count;
    place->waiting = 0;
    place->ends_at = 0;
    const uint64_t block_age = clock->age;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct timing_warp *w = &place->warps[i];
        struct timing_scheduler *s = &sm->schedulers[w->scheduler];
        w->warp = &block->warps[i];
        w->block = place;
        w->started_at = w->issued_at = since;
        s->age[w->place] = clock->age++;
        s->block_age[w->place] = block_age;
        w->line = UINT32_MAX;
        s->yielded_at[w->place] = 0;
        s->yielded &= ~(UINT64_C(1) << w->place);
        w->spun_in = w->held_until = w->ahead = 0;
        w->life++;
        timing_values_reset(w, from);
        timing_counters_reset(w);
        timing_copies_reset(&w->copies);
        w->floor_reason = SIM_STALL_NO_INSTRUCTION;
        s->present |= UINT64_C(1) << w->place;
        place->cluster->able++;
        if (timing_is_heard(sm))
            timing_hook_begin(sm, w);
        if (!look_ahead(sm, w))
            return false;
    }
    return true;
}
