/* The clock: which block goes to which SM and when, and the run over all SMs.
 *
 * SMs run one after another, TIMING_WINDOW cycles at a time; spans in which nothing can issue are skipped. A block goes
 * to the SM with the most room, in the order of the grid or in one that a seed shuffles: no program may count on
 * either. */
#include "sim/timing/timing.h"

#include <stdlib.h>

/* Instructions in which all warps that can go on only waited for memory, before the launch is called a deadlock. */
#define IDLE_STEPS UINT64_C(100000000)

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

/* SMs are numbered GPC by GPC. */
static uint32_t gpc_of(const struct sim_clock *clock, uint32_t sm)
{
    uint32_t gpc = 0;
    while (gpc + 1 < clock->gpc_count && sm >= clock->gpc_sms[gpc])
        sm -= clock->gpc_sms[gpc++];
    return gpc;
}

static bool make_sm(struct sim_clock *clock, struct timing_sm *sm, uint32_t index)
{
    struct sim_engine *engine = clock->engine;
    const struct sim_device *d = engine->device;
    const struct sim_program *p = engine->program;
    uint32_t warps = clock->places_per_sm * clock->warps_per_block;
    uint32_t row_mask = values_mask(p->special_rows + p->frame_rows[p->linked->kernel]);
    uint32_t pred_mask = values_mask(p->frame_preds[p->linked->kernel]);
    uint64_t per_warp = (uint64_t)row_mask + pred_mask + 2;
    uint64_t shared = engine->occupancy.shared_config_bytes;
    uint64_t l1_bytes = d->unified_bytes > shared + d->line_bytes ? d->unified_bytes - shared : d->line_bytes;
    sm->clock = clock;
    sm->index = index;
    sm->gpc = gpc_of(clock, index);
    sm->free_blocks = clock->places_per_sm;
    sm->next = TIMING_NEVER;
    sm->blocks = sim_engine_alloc(engine, clock->places_per_sm, sizeof(*sm->blocks));
    sm->warps = sim_engine_alloc(engine, warps, sizeof(*sm->warps));
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
        sm->places[(size_t)(w % clock->scheduler_count) * clock->places_per_scheduler + w / clock->scheduler_count] =
            &sm->warps[w];
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
    clock->unit_interval[TIMING_U_FP64] = interval(clock, d->fp64_lanes_per_sm);
    clock->unit_interval[TIMING_U_SFU] = interval(clock, d->sfu_lanes_per_sm);
    clock->unit_interval[TIMING_U_SHUFFLE] = interval(clock, d->shuffle_lanes_per_sm);
    clock->unit_interval[TIMING_U_MEMORY] = interval(clock, d->ldst_lanes_per_sm);
    clock->unit_interval[TIMING_U_SPECIAL] = d->special_interval_cycles;
    clock->unit_interval[TIMING_U_UNIFORM] = 1;
    clock->unit_interval[TIMING_U_TENSOR] = d->tensor_interval_cycles;
    clock->unit_interval[TIMING_U_CONTROL] = 1;
}

static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static bool make_order(struct sim_clock *clock)
{
    uint64_t state = clock->engine->options->block_order_seed;
    if (!clock->engine->options->shuffle_blocks)
        return true;
    clock->order = sim_engine_alloc(clock->engine, clock->cluster_count, sizeof(*clock->order));
    if (clock->order == NULL)
        return false;
    for (uint64_t i = 0; i < clock->cluster_count; i++)
        clock->order[i] = i;
    for (uint64_t i = clock->cluster_count - 1; i > 0; i--) {
        uint64_t j = draw(&state) % (i + 1), swap = clock->order[i];
        clock->order[i] = clock->order[j];
        clock->order[j] = swap;
    }
    return true;
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
    clock->warps_per_block = engine->warps_per_block;
    clock->cluster_count = engine->block_count / engine->cluster_blocks;
    uint32_t for_cluster = (engine->cluster_blocks + d->sm_count - 1) / d->sm_count;
    clock->places_per_sm =
        engine->occupancy.blocks_per_sm > for_cluster ? engine->occupancy.blocks_per_sm : for_cluster;
    if (engine->has_clusters && clock->places_per_sm > d->cluster_blocks_per_sm)
        clock->places_per_sm = d->cluster_blocks_per_sm > for_cluster ? d->cluster_blocks_per_sm : for_cluster;
    uint32_t warps = clock->places_per_sm * clock->warps_per_block;
    clock->scheduler_count = d->schedulers_per_sm;
    if (clock->scheduler_count * 64 < warps) /* a scheduler's places are the bits of a word */
        clock->scheduler_count = (warps + 63) / 64;
    clock->places_per_scheduler = (warps + clock->scheduler_count - 1) / clock->scheduler_count;
    clock->cluster_places = clock->places_per_sm * clock->sm_count;
    set_units(clock);
    clock->costs = timing_costs_build(engine);
    clock->stalls = sim_engine_alloc(engine, engine->program->counter_count, sizeof(*clock->stalls));
    clock->clusters = sim_engine_alloc(engine, clock->cluster_places, sizeof(*clock->clusters));
    clock->cluster_blocks = sim_engine_alloc(engine, (uint64_t)clock->cluster_places * engine->cluster_blocks,
                                             sizeof(*clock->cluster_blocks));
    clock->sms = sim_engine_alloc(engine, clock->sm_count, sizeof(*clock->sms));
    if (engine->out_of_memory || clock->costs == NULL || !make_order(clock) ||
        !timing_memory_init(engine, &clock->memory, clock->gpc_sms, clock->gpc_count))
        return false;
    for (uint32_t c = 0; c < clock->cluster_places; c++)
        clock->clusters[c].blocks = clock->cluster_blocks + (size_t)c * engine->cluster_blocks;
    for (uint32_t i = 0; i < clock->sm_count; i++)
        if (!make_sm(clock, &clock->sms[i], i))
            return false;
    return true;
}

void sim_clock_free(struct sim_engine *engine)
{
    struct sim_clock *clock = engine->clock;
    if (clock == NULL)
        return;
    for (uint32_t i = 0; clock->sms != NULL && i < clock->sm_count; i++) {
        struct timing_sm *sm = &clock->sms[i];
        free(sm->blocks);
        free(sm->warps);
        free(sm->places);
        free(sm->schedulers);
        free(sm->values);
        free(sm->l1.lines);
    }
    free(clock->sms);
    free(clock->memory.l2.lines);
    free(clock->memory.joints);
    free(clock->memory.gpc);
    free(clock->memory.gpc_free);
    free(clock->memory.slice_free);
    free(clock->memory.channel_free);
    free(clock->memory.port_free);
    free(clock->memory.request_free);
    free(clock->memory.dsmem_free);
    free(clock->costs);
    free(clock->stalls);
    free(clock->clusters);
    free(clock->cluster_blocks);
    free(clock->order);
    free(clock);
    engine->clock = NULL;
}

/* ---- Blocks onto SMs ---- */

static struct timing_sm *roomiest(struct sim_clock *clock, uint32_t gpc)
{
    struct timing_sm *best = NULL;
    for (uint32_t i = 0; i < clock->sm_count; i++) {
        struct timing_sm *sm = &clock->sms[i];
        if (sm->free_blocks > 0 && (gpc == UINT32_MAX || sm->gpc == gpc) &&
            (best == NULL || sm->free_blocks > best->free_blocks))
            best = sm;
    }
    return best;
}

/* The GPC for a cluster: the one with the most room. UINT32_MAX: any SM will do. */
static bool find_gpc(const struct sim_clock *clock, uint32_t *gpc)
{
    uint32_t need = clock->engine->cluster_blocks;
    uint64_t most = 0, all = 0;
    *gpc = UINT32_MAX;
    for (uint32_t g = 0; g < clock->gpc_count; g++) {
        uint64_t room = 0;
        for (uint32_t i = 0; i < clock->sm_count; i++)
            room += clock->sms[i].gpc == g ? clock->sms[i].free_blocks : 0;
        all += room;
        if (room > most && clock->gpc_sms[g] >= need) {
            most = room;
            *gpc = g;
        }
    }
    if (most >= need)
        return true;
    *gpc = UINT32_MAX; /* a cluster larger than a GPC still runs */
    return all == (uint64_t)clock->sm_count * clock->places_per_sm && all >= need;
}

static struct timing_block *free_place(struct timing_sm *sm)
{
    for (uint32_t b = 0; b < sm->clock->places_per_sm; b++)
        if (sm->blocks[b].block == NULL && !sm->blocks[b].taken)
            return &sm->blocks[b];
    return NULL;
}

static bool begin_block(struct sim_clock *clock, struct timing_cluster *cluster, uint32_t rank, uint32_t gpc,
                        uint64_t now)
{
    const struct sim_device *d = clock->engine->device;
    struct timing_sm *sm = roomiest(clock, gpc);
    struct timing_block *place = sm != NULL ? free_place(sm) : NULL;
    if (place == NULL)
        return false;
    uint64_t warps = clock->warps_per_block, launch = d->block_dispatch_cycles + warps;
    if (launch < d->warp_launch_cycles * warps)
        launch = d->warp_launch_cycles * warps;
    uint64_t start = sm->launch_free > now ? sm->launch_free : now;
    sm->launch_free = start + launch;
    uint64_t from = start + (sm->used ? 0 : d->first_fetch_cycles);
    if (place->free_from != 0 && from < place->free_from + d->block_launch_cycles)
        from = place->free_from + d->block_launch_cycles;
    if (sm->used && from < sm->first_at)
        from = sm->first_at;
    if (!sm->used)
        sm->first_at = from;
    sm->used = place->taken = true;
    sm->free_blocks--;
    if (sm->resident_blocks++ == 0)
        sm->active_since = start;
    place->cluster = cluster;
    cluster->blocks[rank] = place;
    cluster->starts[rank] = from;
    return true;
}

static bool begin_cluster(struct sim_clock *clock, uint32_t gpc, uint64_t now)
{
    struct sim_engine *engine = clock->engine;
    struct timing_cluster *cluster = clock->clusters;
    while (cluster->cluster != NULL)
        cluster++;
    uint64_t number = clock->next_cluster++;
    cluster->cluster = sim_cluster_start(engine, clock->order != NULL ? clock->order[number] : number);
    if (cluster->cluster == NULL)
        return false;
    cluster->blocks_left = engine->cluster_blocks;
    cluster->able = cluster->phase = cluster->woken = 0;
    cluster->copied_at = 0;
    for (uint32_t b = 0; b < engine->cluster_blocks; b++) {
        if (!begin_block(clock, cluster, b, gpc, now))
            return false;
        sim_block_place(engine, &cluster->cluster->blocks[b], cluster->blocks[b]->sm->index);
    }
    for (uint32_t b = 0; b < engine->cluster_blocks; b++)
        if (!timing_sm_begin(cluster->blocks[b]->sm, cluster->blocks[b], &cluster->cluster->blocks[b],
                             cluster->starts[b]))
            return false;
    return true;
}

/* Gives out blocks while there is room. */
static void dispatch(struct sim_clock *clock, uint64_t now)
{
    while (clock->next_cluster < clock->cluster_count && !clock->engine->stopped) {
        uint32_t gpc = UINT32_MAX;
        if (clock->engine->cluster_blocks > 1 ? !find_gpc(clock, &gpc) : roomiest(clock, gpc) == NULL)
            return;
        if (!begin_cluster(clock, gpc, now))
            clock->engine->stopped = true;
    }
}

void timing_block_ended(struct sim_clock *clock, struct timing_block *block, uint64_t now)
{
    struct timing_cluster *cluster = block->cluster;
    struct timing_sm *sm = block->sm;
    block->block = NULL;
    block->taken = false;
    block->free_from = now;
    sm->free_blocks++;
    clock->blocks_done++;
    clock->end = now > clock->end ? now : clock->end;
    if (--sm->resident_blocks == 0)
        sm->active += now - sm->active_since;
    if (--cluster->blocks_left == 0) {
        sim_cluster_retire(clock->engine, cluster->cluster);
        cluster->cluster = NULL;
    }
    dispatch(clock, now);
}

/* ---- The run ---- */

static bool all_spin(const struct sim_clock *clock)
{
    for (uint32_t i = 0; i < clock->sm_count; i++)
        for (uint32_t w = 0; w < clock->places_per_sm * clock->warps_per_block; w++) {
            const struct timing_warp *warp = &clock->sms[i].warps[w];
            if (warp->warp != NULL && warp->op != NULL && warp->spun_at <= clock->moved_at)
                return false;
        }
    return true;
}

static struct sim_cluster *first_resident(const struct sim_clock *clock)
{
    for (uint32_t c = 0; c < clock->cluster_places; c++)
        if (clock->clusters[c].cluster != NULL)
            return clock->clusters[c].cluster;
    return NULL;
}

static void run(struct sim_clock *clock)
{
    struct sim_engine *engine = clock->engine;
    uint64_t next_tell = 0, next_look = IDLE_STEPS;
    dispatch(clock, 0);
    while (!engine->stopped && clock->blocks_done < engine->block_count) {
        uint64_t next = TIMING_NEVER;
        for (uint32_t i = 0; i < clock->sm_count; i++)
            next = clock->sms[i].next < next ? clock->sms[i].next : next;
        if (next == TIMING_NEVER) {
            sim_cluster_livelock(engine, first_resident(clock));
            return;
        }
        for (uint32_t i = 0; i < clock->sm_count && !engine->stopped; i++)
            if (clock->sms[i].next < next + TIMING_WINDOW && !timing_sm_run(&clock->sms[i], next + TIMING_WINDOW))
                return;
        if (engine->steps > next_look) {
            if (engine->steps - clock->moved_at > IDLE_STEPS && all_spin(clock))
                sim_cluster_livelock(engine, first_resident(clock));
            next_look = engine->steps + IDLE_STEPS / 10;
        }
        if (!engine->stopped)
            (void)sim_grid_progress(engine, clock->blocks_done, &next_tell);
    }
}

void sim_clock_run(struct sim_engine *engine)
{
    if (make_clock(engine))
        run(engine->clock);
    struct sim_clock *clock = engine->clock;
    for (uint32_t c = 0; clock != NULL && clock->clusters != NULL && c < clock->cluster_places; c++)
        if (clock->clusters[c].cluster != NULL) {
            clock->clusters[c].cluster->next = NULL;
            sim_cluster_retire(engine, clock->clusters[c].cluster);
        }
    sim_clusters_free(engine, NULL);
}
