/* Blocks onto SMs: as many as occupancy allows. The first ones are shared out evenly among the GPCs, neighbours to one,
 * and of two SMs that share a port to one while there are enough; each later one goes to the SM with the most room. The
 * SMs of a cluster lie in one GPC.
 *
 * When a block has ended is known at the end of a window; the next ones are then given out in the order in which places
 * became free. They begin later than the window ends, for a launch takes longer than a window. */
#include "sim/timing/timing.h"

#include <stdlib.h>

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

/* How many of `blocks` each GPC gets that has room for so many: all the same, or all it has room for; of those that get
 * the most the last ones one less. */
static void share_evenly(uint32_t blocks, uint32_t gpcs, const uint32_t *room, uint32_t *shares)
{
    uint32_t given = 0;
    for (uint32_t level = 1; given < blocks; level++) {
        given = 0;
        for (uint32_t g = 0; g < gpcs; g++)
            given += shares[g] = room[g] < level ? room[g] : level;
        for (uint32_t g = gpcs; g-- > 0 && given > blocks;)
            if (shares[g] == level) {
                shares[g]--;
                given--;
            }
    }
}

/* The SMs of the first blocks (validate/records/h200/streams, places.csv). Pairs that the driver keeps apart from their
 * GPC come first. */
static bool place_first(struct sim_clock *clock)
{
    const uint32_t chip = clock->engine->device->gpc_count, *sizes = clock->gpc_sms;
    const uint32_t apart = clock->gpc_count > chip ? clock->gpc_count - chip : 0, gpcs = clock->gpc_count - apart;
    const uint32_t count = clock->cluster_count < clock->sm_count ? (uint32_t)clock->cluster_count : clock->sm_count;
    uint32_t room[SIM_GPC_MAX], shares[SIM_GPC_MAX] = {0}, placed = 0, first = 0, pairs = 0;
    if (clock->engine->cluster_blocks > 1)
        return true;
    clock->first_sms = sim_engine_alloc(clock->engine, clock->sm_count, sizeof(*clock->first_sms));
    if (clock->first_sms == NULL)
        return false;
    for (uint32_t g = 0; g < apart; g++)
        first += sizes[g];
    for (; placed < first && placed < count; placed++)
        clock->first_sms[placed] = placed;
    for (uint32_t g = 0; g < gpcs; g++)
        pairs += (sizes[apart + g] + 1) / 2;
    for (uint32_t g = 0; g < gpcs; g++)
        room[g] = count - placed > pairs ? sizes[apart + g] : (sizes[apart + g] + 1) / 2;
    share_evenly(count - placed, gpcs, room, shares);
    for (uint32_t g = 0; g < gpcs; first += sizes[apart + g++]) {
        const uint32_t here = (sizes[apart + g] + 1) / 2, both = shares[g] > here ? shares[g] - here : 0;
        for (uint32_t i = 0, left = shares[g]; left > 0; i++) {
            clock->first_sms[placed++] = first + 2 * i;
            if (--left > 0 && i < both) {
                clock->first_sms[placed++] = first + 2 * i + 1;
                left--;
            }
        }
    }
    clock->first_count = count;
    return true;
}

bool timing_blocks_make(struct sim_clock *clock)
{
    struct sim_engine *engine = clock->engine;
    clock->cluster_count = engine->block_count / engine->cluster_blocks;
    clock->cluster_places = clock->places_per_sm * clock->sm_count;
    clock->clusters = sim_engine_alloc(engine, clock->cluster_places, sizeof(*clock->clusters));
    clock->cluster_blocks = sim_engine_alloc(engine, (uint64_t)clock->cluster_places * engine->cluster_blocks,
                                             sizeof(*clock->cluster_blocks));
    if (engine->out_of_memory || !make_order(clock) || !place_first(clock))
        return false;
    for (uint32_t c = 0; c < clock->cluster_places; c++)
        clock->clusters[c].blocks = clock->cluster_blocks + (size_t)c * engine->cluster_blocks;
    return true;
}

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

/* Where the next block goes that belongs to no cluster. */
static struct timing_sm *next_sm(struct sim_clock *clock, uint64_t number)
{
    const uint32_t count = clock->first_count;
    const uint64_t first = count < clock->sm_count ? count : (uint64_t)count * clock->places_per_sm;
    struct timing_sm *sm = number < first ? &clock->sms[clock->first_sms[number % count]] : NULL;
    return sm != NULL && sm->free_blocks > 0 ? sm : roomiest(clock, UINT32_MAX);
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
    const bool is_alone = clock->engine->cluster_blocks == 1;
    struct timing_sm *sm = is_alone ? next_sm(clock, clock->next_cluster - 1) : roomiest(clock, gpc);
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
    cluster->launches[rank] = from == sm->first_at ? start : from;
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
                             cluster->launches[b], cluster->starts[b]))
            return false;
    return true;
}

void timing_blocks_begin(struct sim_clock *clock, uint64_t now)
{
    while (clock->next_cluster < clock->cluster_count && !clock->engine->stopped) {
        uint32_t gpc = UINT32_MAX;
        if (clock->engine->cluster_blocks > 1 ? !find_gpc(clock, &gpc) : roomiest(clock, gpc) == NULL)
            return;
        if (!begin_cluster(clock, gpc, now))
            clock->engine->stopped = true;
    }
}

/* Local memory goes back to the SM that had it last: its next blocks take it. */
static void retire(struct sim_clock *clock, struct timing_sm *sm, struct timing_cluster *cluster)
{
    struct sim_engine *engine = clock->engine;
    struct sim_local_piece *others = engine->free_local;
    engine->free_local = sm->free_local;
    sim_cluster_retire(engine, cluster->cluster);
    sm->free_local = engine->free_local;
    engine->free_local = others;
    cluster->cluster = NULL;
}

static void end_block(struct sim_clock *clock, struct timing_block *block)
{
    struct timing_cluster *cluster = block->cluster;
    struct timing_sm *sm = block->sm;
    uint64_t now = block->ends_at;
    block->block = NULL;
    block->taken = block->ended = false;
    block->free_from = now;
    sm->ended--;
    sm->free_blocks++;
    clock->blocks_done++;
    clock->end = now > clock->end ? now : clock->end;
    clock->end = sm->answered_at > clock->end ? sm->answered_at : clock->end;
    if (--sm->resident_blocks == 0)
        sm->active += now - sm->active_since;
    if (--cluster->blocks_left == 0)
        retire(clock, sm, cluster);
    timing_blocks_begin(clock, now);
}

/* The block that ended first, of those that have: on the SM with the lowest number if there are several. */
static struct timing_block *first_ended(const struct sim_clock *clock)
{
    struct timing_block *first = NULL;
    for (uint32_t i = 0; i < clock->sm_count; i++) {
        struct timing_sm *sm = &clock->sms[i];
        for (uint32_t b = 0, left = sm->ended; left > 0 && b < clock->places_per_sm; b++) {
            if (!sm->blocks[b].ended)
                continue;
            left--;
            if (first == NULL || sm->blocks[b].ends_at < first->ends_at)
                first = &sm->blocks[b];
        }
    }
    return first;
}

void timing_blocks_end(struct sim_clock *clock)
{
    uint32_t ended = 0;
    for (uint32_t i = 0; i < clock->sm_count; i++)
        ended += clock->sms[i].ended;
    for (; ended > 0 && !clock->engine->stopped; ended--)
        end_block(clock, first_ended(clock));
}

struct sim_cluster *timing_blocks_first(const struct sim_clock *clock)
{
    for (uint32_t c = 0; c < clock->cluster_places; c++)
        if (clock->clusters[c].cluster != NULL)
            return clock->clusters[c].cluster;
    return NULL;
}

void timing_blocks_free(struct sim_clock *clock)
{
    for (uint32_t c = 0; clock->clusters != NULL && c < clock->cluster_places; c++)
        if (clock->clusters[c].cluster != NULL) {
            clock->clusters[c].cluster->next = NULL;
            sim_cluster_retire(clock->engine, clock->clusters[c].cluster);
        }
    free(clock->clusters);
    free(clock->cluster_blocks);
    free(clock->order);
    free(clock->first_sms);
}
