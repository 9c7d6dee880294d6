/* The clock: setting up, and the run: window after window. Spans in which nothing can issue are skipped. */
#include "sim/timing/timing.h"

#include <stdlib.h>

/* Instructions in which all warps that can go on only waited for memory, before the launch is called a deadlock. */
#define IDLE_STEPS UINT64_C(100000000)
/* Windows that stay short after one in which places ran out. */
#define CROWDED_WINDOWS 64u

uint64_t sim_clock_now(const struct sim_clock *clock)
{
    return clock->now;
}

/* ---- Setting up ---- */

static uint32_t values_mask(uint32_t count)
{
    uint32_t size = 16;
    while (size < count && size < UINT32_C(1) << 16)
        size *= 2;
    return size - 1;
}

/* Machine code with control bits tells by itself when a warp goes on: it does with one value for all registers. */
static bool looks_at_registers(const struct sim_clock *clock)
{
    const struct sim_program *p = clock->engine->program;
    for (uint32_t i = 0; i < p->op_count; i++)
        if (clock->costs[i].slots > 0 && !clock->costs[i].controlled)
            return true;
    return false;
}

/* SMs are numbered GPC by GPC. */
static uint32_t gpc_of(const struct sim_clock *clock, uint32_t sm)
{
    uint32_t gpc = 0;
    while (gpc + 1 < clock->gpc_count && sm >= clock->gpc_sms[gpc])
        sm -= clock->gpc_sms[gpc++];
    return gpc;
}

/* Whether some instruction asks shared memory. */
static bool asks_shared_memory(const struct sim_program *program)
{
    for (uint32_t i = 0; i < program->op_count; i++)
        if (program->ops[i].space == ISA_SPACE_SHARED)
            return true;
    return false;
}

static bool make_sm(struct sim_clock *clock, struct timing_sm *sm, uint32_t index)
{
    struct sim_engine *engine = clock->engine;
    const struct sim_device *d = engine->device;
    const struct sim_program *p = engine->program;
    uint32_t warps = clock->places_per_sm * clock->warps_per_block;
    const bool looks = clock->looks_at_registers;
    uint32_t row_mask = looks ? values_mask(p->special_rows + p->frame_rows[p->linked->kernel]) : 0;
    uint32_t pred_mask = looks ? values_mask(p->frame_preds[p->linked->kernel]) : 0;
    uint64_t per_warp = (uint64_t)row_mask + pred_mask + 2;
    uint64_t shared = engine->occupancy.shared_config_bytes;
    uint64_t l1_bytes = d->unified_bytes > shared + d->line_bytes ? d->unified_bytes - shared : d->line_bytes;
    sm->clock = clock;
    sm->index = index;
    sm->gpc = gpc_of(clock, index);
    sm->free_blocks = clock->places_per_sm;
    sm->next = TIMING_NEVER;
    sm->answers.free = sm->answers.now = TIMING_NO_ANSWER;
    sm->blocks = sim_engine_alloc(engine, clock->places_per_sm, sizeof(*sm->blocks));
    sm->warps = sim_engine_alloc_lines(engine, warps, sizeof(*sm->warps));
    sm->places =
        sim_engine_alloc(engine, (uint64_t)clock->scheduler_count * clock->places_per_scheduler, sizeof(*sm->places));
    sm->schedulers = sim_engine_alloc(engine, clock->scheduler_count, sizeof(*sm->schedulers));
    sm->values = sim_engine_alloc(engine, warps * per_warp, sizeof(*sm->values));
    if (!timing_cache_init(engine, &sm->l1, l1_bytes, d->line_bytes) || engine->out_of_memory)
        return false;
    for (uint32_t w = 0; w < warps; w++) {
        sm->warps[w].values = sm->values + w * per_warp;
        sm->warps[w].row_mask = row_mask;
        sm->warps[w].pred_mask = pred_mask;
        sm->warps[w].scheduler = w % clock->scheduler_count;
        sm->warps[w].place = w / clock->scheduler_count;
        sm->places[(size_t)sm->warps[w].scheduler * clock->places_per_scheduler + sm->warps[w].place] = &sm->warps[w];
    }
    for (uint32_t b = 0; b < clock->places_per_sm; b++)
        sm->blocks[b] =
            (struct timing_block){.warps = sm->warps + (size_t)b * clock->warps_per_block, .sm = sm, .place = b};
    for (uint32_t s = 0; s < clock->scheduler_count; s++)
        sm->schedulers[s].next = sm->schedulers[s].wake = TIMING_NEVER;
    return true;
}

static uint64_t interval(const struct sim_clock *clock, uint32_t lanes_per_sm)
{
    uint64_t lanes = lanes_per_sm > 0 ? lanes_per_sm : 1;
    uint64_t cycles = (UINT64_C(32) * clock->scheduler_count + lanes - 1) / lanes;
    return cycles > 0 ? cycles : 1;
}

static void set_units(struct sim_clock *clock)
{
    const struct sim_device *d = clock->engine->device;
    clock->unit_interval[TIMING_U_FMA] = interval(clock, d->fp32_lanes_per_sm);
    clock->unit_interval[TIMING_U_INT] = interval(clock, d->int_lanes_per_sm);
    clock->unit_interval[TIMING_U_IMAD] = interval(clock, d->imad_lanes_per_sm);
    clock->unit_interval[TIMING_U_HALF] = clock->unit_interval[TIMING_U_IMAD];
    clock->unit_interval[TIMING_U_FP64] = interval(clock, d->fp64_lanes_per_sm);
    clock->unit_interval[TIMING_U_SFU] = interval(clock, d->sfu_lanes_per_sm);
    clock->unit_interval[TIMING_U_SHUFFLE] = interval(clock, d->shuffle_lanes_per_sm);
    clock->unit_interval[TIMING_U_MEMORY] = interval(clock, d->ldst_lanes_per_sm);
    clock->unit_interval[TIMING_U_SPECIAL] = d->special_interval_cycles;
    clock->unit_interval[TIMING_U_UNIFORM] = 1;
    clock->unit_interval[TIMING_U_TENSOR] = d->tensor_interval_cycles;
    clock->unit_interval[TIMING_U_CONTROL] = 1;
}

static void set_places(struct sim_clock *clock)
{
    const struct sim_engine *engine = clock->engine;
    const struct sim_device *d = engine->device;
    uint32_t for_cluster = (engine->cluster_blocks + d->sm_count - 1) / d->sm_count;
    clock->warps_per_block = engine->warps_per_block;
    clock->places_per_sm =
        engine->occupancy.blocks_per_sm > for_cluster ? engine->occupancy.blocks_per_sm : for_cluster;
    if (engine->has_clusters && clock->places_per_sm > d->cluster_blocks_per_sm)
        clock->places_per_sm = d->cluster_blocks_per_sm > for_cluster ? d->cluster_blocks_per_sm : for_cluster;
    uint32_t warps = clock->places_per_sm * clock->warps_per_block;
    clock->scheduler_count = d->schedulers_per_sm;
    if (clock->scheduler_count * 64 < warps) /* a scheduler's places are the bits of a word */
        clock->scheduler_count = (warps + 63) / 64;
    clock->places_per_scheduler = (warps + clock->scheduler_count - 1) / clock->scheduler_count;
}

static uint32_t window_cycles(const struct sim_engine *engine)
{
    const uint32_t latency = engine->device->l2_latency_cycles;
    if (engine->cluster_blocks > 1 || !engine->program->is_machine || latency < TIMING_SHORT_WINDOW)
        return TIMING_SHORT_WINDOW;
    return latency < TIMING_WINDOW ? latency : TIMING_WINDOW;
}

/* What waits to leave the SM is in its scheduler's queue, or behind them all: so one scheduler alone has a part of what
 * all have. */
static void set_queues(struct sim_clock *clock)
{
    const struct sim_device *d = clock->engine->device;
    const uint32_t others = clock->scheduler_count - 1, one = d->global_backlog_entries;
    const uint32_t all = d->global_backlog_sm_entries, queued = others > 0 && all > one ? (all - one) / others : 0;
    clock->queue_entries = clock->engine->program->is_machine ? d->machine_queue_entries : d->memory_queue_entries;
    clock->behind_entries = one > queued ? one - queued : 1;
}

static bool make_clock(struct sim_engine *engine)
{
    const struct sim_device *d = engine->device;
    struct sim_clock *clock = sim_engine_alloc(engine, 1, sizeof(*clock));
    if (clock == NULL)
        return false;
    engine->clock = clock;
    clock->engine = engine;
    clock->policy = engine->options->scheduler;
    clock->sm_count = d->sm_count;
    clock->gpc_count = sim_device_gpcs(d, clock->gpc_sms);
    clock->window_cycles = window_cycles(engine);
    set_places(clock);
    set_queues(clock);
    set_units(clock);
    clock->costs = timing_costs_build(engine);
    clock->stalls = sim_engine_alloc(engine, engine->program->counter_count, sizeof(*clock->stalls));
    clock->slots = sim_engine_alloc(engine, clock->window_cycles, sizeof(*clock->slots));
    clock->sms = sim_engine_alloc(engine, clock->sm_count, sizeof(*clock->sms));
    if (engine->out_of_memory || clock->costs == NULL || !timing_blocks_make(clock) ||
        !timing_memory_init(engine, &clock->memory, clock->gpc_sms, clock->gpc_count))
        return false;
    timing_scheduler_claims(clock->costs, engine->program->op_count);
    clock->shares_data = asks_shared_memory(engine->program);
    clock->is_heard = engine->options->clock_hook != NULL;
    clock->looks_at_registers = looks_at_registers(clock);
    for (uint32_t i = 0; i < clock->sm_count; i++)
        if (!make_sm(clock, &clock->sms[i], i))
            return false;
    return timing_fetch_make(clock) && timing_windows_make(clock);
}

static void free_sm(struct timing_sm *sm)
{
    free(sm->blocks);
    free(sm->warps);
    free(sm->places);
    free(sm->schedulers);
    free(sm->values);
    free(sm->l1.lines);
    timing_answers_free(sm);
}

void sim_clock_free(struct sim_engine *engine)
{
    struct sim_clock *clock = engine->clock;
    if (clock == NULL)
        return;
    timing_fetch_free(clock);
    for (uint32_t i = 0; clock->sms != NULL && i < clock->sm_count; i++)
        free_sm(&clock->sms[i]);
    free(clock->sms);
    free(clock->memory.l2[0].lines);
    free(clock->memory.l2[1].lines);
    free(clock->memory.half);
    free(clock->memory.joints);
    free(clock->memory.gpc);
    free(clock->memory.way);
    free(clock->memory.ways);
    free(clock->memory.way_sms);
    free(clock->memory.way_firsts);
    free(clock->memory.gpc_return_free);
    free(clock->memory.kinds);
    free(clock->memory.slice_free);
    free(clock->memory.fabric_free);
    free(clock->memory.channel_free);
    free(clock->memory.writes_waiting);
    free(clock->memory.reads_between);
    free(clock->memory.port_free);
    free(clock->memory.request_free);
    free(clock->memory.under_way);
    free(clock->memory.sending);
    free(clock->memory.answer_free);
    free(clock->memory.dsmem_free);
    free(clock->costs);
    free(clock->stalls);
    free(clock->slots);
    free(clock);
    engine->clock = NULL;
}

/* ---- The run ---- */

static bool all_spin(const struct sim_clock *clock)
{
    for (uint32_t i = 0; i < clock->sm_count; i++)
        for (uint32_t w = 0; w < clock->places_per_sm * clock->warps_per_block; w++) {
            const struct timing_warp *warp = &clock->sms[i].warps[w];
            if (warp->warp != NULL && warp->op != NULL && !warp->ending && warp->spun_in <= clock->moved_in)
                return false;
        }
    return true;
}

static uint64_t next_cycle(const struct sim_clock *clock)
{
    uint64_t next = TIMING_NEVER;
    for (uint32_t i = 0; i < clock->sm_count; i++) {
        uint64_t unheard = timing_unheard_at(&clock->sms[i]);
        next = clock->sms[i].next < next ? clock->sms[i].next : next;
        next = unheard < next ? unheard : next;
    }
    return next;
}

/* What SMs have to say of the window that is over. */
static void note_window(struct sim_clock *clock)
{
    bool moved = false, crowded = false;
    for (uint32_t i = 0; i < clock->sm_count; i++) {
        moved |= clock->sms[i].moved;
        crowded |= clock->sms[i].crowded;
        clock->sms[i].moved = clock->sms[i].crowded = false;
    }
    if (crowded)
        clock->crowded_until = clock->window + CROWDED_WINDOWS;
    if (!moved)
        return;
    clock->moved_in = clock->window + 1;
    clock->moved_steps = clock->engine->steps;
}

static uint32_t next_window(const struct sim_clock *clock)
{
    const bool shortens = clock->window < clock->crowded_until && clock->window_cycles > TIMING_CROWDED_WINDOW;
    return shortens ? TIMING_CROWDED_WINDOW : clock->window_cycles;
}

static void run(struct sim_clock *clock)
{
    struct sim_engine *engine = clock->engine;
    uint64_t next_tell = 0, next_look = IDLE_STEPS, from = 0;
    timing_blocks_begin(clock, 0);
    while (!engine->stopped && clock->blocks_done < engine->block_count) {
        uint64_t next = next_cycle(clock);
        if (next == TIMING_NEVER) {
            sim_cluster_livelock(engine, timing_blocks_first(clock));
            return;
        }
        from = next > from ? next : from;
        uint64_t until = from + next_window(clock);
        timing_fetch_settle(clock);
        if (!timing_windows_run(clock, from, until))
            return;
        timing_settle(clock, from, until);
        note_window(clock);
        timing_blocks_end(clock);
        if (engine->steps > next_look) {
            if (engine->steps - clock->moved_steps > IDLE_STEPS && all_spin(clock))
                sim_cluster_livelock(engine, timing_blocks_first(clock));
            next_look = engine->steps + IDLE_STEPS / 10;
        }
        clock->window++;
        from = until;
        if (!engine->stopped)
            (void)sim_grid_progress(engine, clock->blocks_done, &next_tell);
    }
}

void sim_clock_run(struct sim_engine *engine)
{
    if (make_clock(engine))
        run(engine->clock);
    struct sim_clock *clock = engine->clock;
    if (clock != NULL) {
        timing_windows_end(clock);
        timing_blocks_free(clock);
    }
    for (uint32_t i = 0; clock != NULL && clock->sms != NULL && i < clock->sm_count; i++)
        sim_local_take_over(engine, &clock->sms[i].free_local);
    sim_clusters_free(engine, NULL);
}
