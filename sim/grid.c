/* The grid: which blocks are resident, and whose turn it is.
 *
 * A cluster (a single block, when the launch has none) is started, and runs until it is done, only waits for others, or
 * has used its quantum; then the next is started while the device has room for it, as many as occupancy allows, and the
 * resident ones take turns. So a kernel's working set stays small, and blocks that wait for one another through global
 * memory still finish. Everything happens in one fixed order: same launch, same result.
 */
#include "sim/engine.h"

#include <stdlib.h>
#include <string.h>

#define WARP_QUANTUM    65536u
#define CLUSTER_QUANTUM UINT64_C(8000000)
#define PROGRESS_STEPS  UINT64_C(20000000)
/* Rounds in which all resident blocks only waited, before the launch is called a deadlock; a thread that gives up by
 * itself after a bounded number of tries has had its chance by then. */
#define IDLE_ROUNDS_MIN 100u
#define IDLE_STEPS      UINT64_C(2000000000)

void *sim_engine_alloc(struct sim_engine *engine, uint64_t count, uint64_t size_bytes)
{
    if (count == 0)
        count = 1;
    void *memory = NULL;
    if (size_bytes <= UINT64_MAX / count && count * size_bytes <= engine->limit_bytes - engine->used_bytes)
        memory = calloc(count, size_bytes);
    if (memory == NULL) {
        engine->out_of_memory = engine->stopped = true;
        return NULL;
    }
    engine->used_bytes += count * size_bytes;
    return memory;
}

void *sim_engine_alloc_lines(struct sim_engine *engine, uint64_t count, uint64_t size_bytes)
{
    void *memory = NULL;
    if (count > 0 && size_bytes <= UINT64_MAX / count &&
        count * size_bytes <= engine->limit_bytes - engine->used_bytes &&
        posix_memalign(&memory, SIM_HOST_LINE_BYTES, count * size_bytes) == 0) {
        memset(memory, 0, count * size_bytes);
        engine->used_bytes += count * size_bytes;
        return memory;
    }
    engine->out_of_memory = engine->stopped = true;
    return NULL;
}

uint32_t *sim_engine_alloc_rows(struct sim_engine *engine, uint64_t rows)
{
    return sim_engine_alloc_lines(engine, rows <= UINT32_MAX ? rows : UINT64_MAX, 32 * sizeof(uint32_t));
}

/* ---- Blocks ---- */

static void fill_row(struct sim_warp *warp, uint32_t row, uint64_t value, uint32_t rows)
{
    for (uint32_t r = 0; r < rows; r++)
        for (unsigned lane = 0; lane < 32; lane++)
            warp->rows[(size_t)(row + r) * 32 + lane] = (uint32_t)(value >> (32 * r));
}

static uint32_t lane_special(const struct sim_engine *engine, const struct sim_warp *warp, unsigned sreg, unsigned lane)
{
    uint32_t thread[3];
    sim_thread_index(engine, warp, lane, thread);
    switch (sreg) {
    case ISA_SREG_TID_X:
        return thread[0];
    case ISA_SREG_TID_Y:
        return thread[1];
    case ISA_SREG_TID_Z:
        return thread[2];
    case ISA_SREG_LANEMASK_EQ:
        return UINT32_C(1) << lane;
    case ISA_SREG_LANEMASK_LT:
        return (UINT32_C(1) << lane) - 1;
    case ISA_SREG_LANEMASK_LE:
        return UINT32_MAX >> (31 - lane);
    case ISA_SREG_LANEMASK_GT:
        return ~(UINT32_MAX >> (31 - lane));
    case ISA_SREG_LANEMASK_GE:
        return UINT32_MAX << lane;
    default: /* LANEID */
        return lane;
    }
}

static uint64_t grid_special(const struct sim_engine *engine, unsigned sreg)
{
    const uint32_t *grid = engine->grid, *block = engine->block_dim, *cluster = engine->cluster_dim;
    switch (sreg) {
    case ISA_SREG_NTID_X:
    case ISA_SREG_NTID_Y:
    case ISA_SREG_NTID_Z:
        return block[sreg - ISA_SREG_NTID_X];
    case ISA_SREG_NCTAID_X:
    case ISA_SREG_NCTAID_Y:
    case ISA_SREG_NCTAID_Z:
        return grid[sreg - ISA_SREG_NCTAID_X];
    case ISA_SREG_CLUSTER_NCTAID_X:
    case ISA_SREG_CLUSTER_NCTAID_Y:
    case ISA_SREG_CLUSTER_NCTAID_Z:
        return cluster[sreg - ISA_SREG_CLUSTER_NCTAID_X];
    case ISA_SREG_NCLUSTERID_X:
    case ISA_SREG_NCLUSTERID_Y:
    case ISA_SREG_NCLUSTERID_Z:
        return grid[sreg - ISA_SREG_NCLUSTERID_X] / cluster[sreg - ISA_SREG_NCLUSTERID_X];
    case ISA_SREG_CLUSTER_NCTARANK:
        return engine->cluster_blocks;
    case ISA_SREG_IS_EXPLICIT_CLUSTER:
        return engine->launch->has_cluster;
    case ISA_SREG_NWARPID:
        return engine->device->max_warps_per_sm;
    case ISA_SREG_NSMID:
        return engine->device->sm_count;
    case ISA_SREG_DYNAMIC_SMEM_SIZE:
        return engine->launch->shared_bytes;
    case ISA_SREG_TOTAL_SMEM_SIZE:
    case ISA_SREG_AGGR_SMEM_SIZE:
        return engine->shared_bytes - engine->program->shared_base;
    case ISA_SREG_ENVREG1: /* the address of the grid's workspace, for cooperative launches: high and low word
                              (sim/run.c) */
        return engine->workspace >> 32;
    case ISA_SREG_ENVREG2:
        return engine->workspace & UINT32_MAX;
    case ISA_SREG_GRIDID:
        return 1;
    case ISA_SREG_RESERVED_SMEM_END: /* what the system uses of it: 288 bytes on an H200 */
        return engine->program->shared_base < 288 ? engine->program->shared_base : 288;
    case ISA_SREG_RESERVED_SMEM_CAP:
        return engine->program->shared_base;
    default: /* other environment registers, performance counters, and what is reserved begins at 0 */
        return 0;
    }
}

static uint64_t block_special(const struct sim_engine *engine, const struct sim_block *block, unsigned sreg)
{
    const uint32_t *id = block->ctaid, *cluster = engine->cluster_dim;
    switch (sreg) {
    case ISA_SREG_CTAID_X:
    case ISA_SREG_CTAID_Y:
    case ISA_SREG_CTAID_Z:
        return id[sreg - ISA_SREG_CTAID_X];
    case ISA_SREG_CLUSTERID_X:
    case ISA_SREG_CLUSTERID_Y:
    case ISA_SREG_CLUSTERID_Z:
        return id[sreg - ISA_SREG_CLUSTERID_X] / cluster[sreg - ISA_SREG_CLUSTERID_X];
    case ISA_SREG_CLUSTER_CTAID_X:
    case ISA_SREG_CLUSTER_CTAID_Y:
    case ISA_SREG_CLUSTER_CTAID_Z:
        return id[sreg - ISA_SREG_CLUSTER_CTAID_X] % cluster[sreg - ISA_SREG_CLUSTER_CTAID_X];
    case ISA_SREG_CLUSTER_CTARANK:
        return block->rank;
    default: /* SMID */
        return block->smid;
    }
}

/* Special registers: those of lane, warp and grid once for a warp's place, those of the block for every block. */
static void fill_specials(const struct sim_engine *engine, struct sim_warp *warp, bool first)
{
    for (unsigned sreg = 0; sreg < ISA_SREG_COUNT; sreg++) {
        uint32_t row = engine->program->special[sreg];
        if (row == UINT8_MAX)
            continue;
        uint32_t rows = isa_type_slots(isa_sregs[sreg].type);
        switch (isa_sregs[sreg].scope) {
        case ISA_SREG_SCOPE_LANE:
            for (unsigned lane = 0; first && lane < 32; lane++)
                warp->rows[(size_t)row * 32 + lane] = lane_special(engine, warp, sreg, lane);
            break;
        case ISA_SREG_SCOPE_WARP:
            if (first)
                fill_row(warp, row, warp->index, rows);
            break;
        case ISA_SREG_SCOPE_GRID:
            if (first)
                fill_row(warp, row, grid_special(engine, sreg), rows);
            break;
        default:
            fill_row(warp, row, block_special(engine, warp->block, sreg), rows);
            break;
        }
    }
}

static bool make_block(struct sim_engine *engine, struct sim_block *block)
{
    const struct sim_program *p = engine->program;
    uint32_t kernel = p->linked->kernel;
    block->warp_count = engine->warps_per_block;
    block->warps = sim_engine_alloc_lines(engine, block->warp_count, sizeof(*block->warps));
    block->shared = sim_engine_alloc(engine, engine->shared_bytes + 64, 1);
    if (block->warps == NULL || block->shared == NULL || engine->stopped)
        return false;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct sim_warp *warp = &block->warps[w];
        warp->block = block;
        warp->index = w;
        warp->row_capacity = p->special_rows + p->frame_rows[kernel] + 1;
        warp->pred_capacity = p->frame_preds[kernel] + 1;
        warp->rows = sim_engine_alloc_rows(engine, warp->row_capacity);
        warp->preds = sim_engine_alloc(engine, warp->pred_capacity, sizeof(uint32_t));
        if (warp->rows == NULL || warp->preds == NULL)
            return false;
    }
    return true;
}

static void free_block(struct sim_engine *engine, struct sim_block *block)
{
    for (uint32_t w = 0; block->warps != NULL && w < block->warp_count; w++) {
        sim_local_give_back(engine, &block->warps[w]);
        free(block->warps[w].local);
        free(block->warps[w].rows);
        free(block->warps[w].preds);
        sim_async_free(&block->warps[w]);
        free(block->warps[w].returns);
    }
    sim_check_block_free(engine, block);
    free(block->warps);
    free(block->shared);
}

static void free_cluster(struct sim_engine *engine, struct sim_cluster *cluster)
{
    for (uint32_t b = 0; cluster->blocks != NULL && b < cluster->block_count; b++)
        free_block(engine, &cluster->blocks[b]);
    free(cluster->blocks);
    free(cluster);
}

static void start_warp(struct sim_engine *engine, struct sim_warp *warp, bool first)
{
    const struct sim_program *p = engine->program;
    uint32_t left = engine->block_threads - warp->index * 32;
    warp->alive = left >= 32 ? UINT32_MAX : (UINT32_C(1) << left) - 1;
    warp->group_count = 1;
    warp->current = 0;
    warp->groups[0] =
        (struct sim_group){.mask = warp->alive, .pc = p->function_entry[p->linked->kernel], .frame = p->special_rows};
    warp->idle = warp->repeats = 0;
    warp->moved = warp->sync_read = warp->spinning = false;
    memset(warp->seen, 0, sizeof(warp->seen));
    memset(warp->preds, 0, (size_t)warp->pred_capacity * sizeof(uint32_t));
    sim_async_reset(warp);
    for (unsigned lane = 0; lane < 32; lane++)
        warp->stack_top[lane] = (uint32_t)p->stack_bytes;
    memset(warp->cluster_phase, 0xff, sizeof(warp->cluster_phase));
    fill_specials(engine, warp, first);
}

static void start_block(struct sim_engine *engine, struct sim_cluster *cluster, uint32_t rank,
                        const uint32_t first_ctaid[3], bool first)
{
    struct sim_block *block = &cluster->blocks[rank];
    const uint32_t *dim = engine->cluster_dim;
    block->cluster = cluster;
    block->rank = rank;
    block->ctaid[0] = first_ctaid[0] + rank % dim[0];
    block->ctaid[1] = first_ctaid[1] + rank / dim[0] % dim[1];
    block->ctaid[2] = first_ctaid[2] + rank / dim[0] / dim[1];
    block->linear = ((uint64_t)block->ctaid[2] * engine->grid[1] + block->ctaid[1]) * engine->grid[0] + block->ctaid[0];
    block->smid = (uint32_t)(block->linear % engine->device->sm_count);
    block->warps_done = 0;
    block->barriers_in_use = 0;
    block->done = false;
    memset(block->barriers, 0, sizeof(block->barriers));
    memset(block->shared, 0, engine->shared_bytes);
    for (uint32_t w = 0; w < block->warp_count; w++)
        start_warp(engine, &block->warps[w], first);
}

void sim_block_place(struct sim_engine *engine, struct sim_block *block, uint32_t smid)
{
    uint32_t row = engine->program->special[ISA_SREG_SMID];
    block->smid = smid;
    for (uint32_t w = 0; row != UINT8_MAX && w < block->warp_count; w++)
        fill_row(&block->warps[w], row, smid, 1);
}

/* Makes or reuses a cluster and starts it as number `index` of the grid. */
struct sim_cluster *sim_cluster_start(struct sim_engine *engine, uint64_t index)
{
    struct sim_cluster *cluster = engine->free_clusters;
    bool first = cluster == NULL;
    uint64_t used_before = engine->used_bytes;
    if (first) {
        cluster = sim_engine_alloc(engine, 1, sizeof(*cluster));
        if (cluster == NULL)
            return NULL;
        cluster->block_count = engine->cluster_blocks;
        cluster->blocks = sim_engine_alloc(engine, cluster->block_count, sizeof(*cluster->blocks));
        bool made = cluster->blocks != NULL;
        for (uint32_t b = 0; made && b < cluster->block_count; b++)
            made = make_block(engine, &cluster->blocks[b]);
        if (!made) {
            free_cluster(engine, cluster);
            engine->used_bytes = used_before;
            return NULL;
        }
    } else {
        engine->free_clusters = cluster->next;
    }
    cluster->next = NULL;
    cluster->blocks_done = 0;
    cluster->alive = engine->block_threads * engine->cluster_blocks;
    cluster->arrived = 0;
    cluster->phase = 0;
    cluster->trying = cluster->woken = 0;
    uint64_t nx = engine->grid[0] / engine->cluster_dim[0], ny = engine->grid[1] / engine->cluster_dim[1];
    uint32_t ctaid[3] = {(uint32_t)(index % nx) * engine->cluster_dim[0],
                         (uint32_t)(index / nx % ny) * engine->cluster_dim[1],
                         (uint32_t)(index / nx / ny) * engine->cluster_dim[2]};
    for (uint32_t b = 0; b < cluster->block_count; b++)
        start_block(engine, cluster, b, ctaid, first);
    for (uint32_t b = 0; engine->check != NULL && b < cluster->block_count; b++)
        if (!sim_check_block_start(engine, &cluster->blocks[b])) {
            free_cluster(engine, cluster);
            return NULL;
        }
    return cluster;
}

/* ---- Turns ---- */

enum cluster_stop { CLUSTER_DONE, CLUSTER_YIELDED, CLUSTER_WAITS, CLUSTER_FAULT };

/* What one round over a cluster's warps found. */
struct round {
    bool progress, can_run;
};

static bool run_block_round(struct sim_engine *engine, struct sim_block *block, struct round *round)
{
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct sim_warp *warp = &block->warps[w];
        if (warp->group_count == 0)
            continue;
        uint64_t before = engine->steps;
        enum sim_warp_stop stop = sim_warp_run(engine, warp, WARP_QUANTUM);
        if (stop == SIM_STOP_FAULT || engine->stopped)
            return false;
        if (stop == SIM_STOP_QUANTUM)
            round->can_run = true;
        if (engine->steps != before && !(stop == SIM_STOP_QUANTUM && warp->spinning))
            round->progress = true;
    }
    if (!block->done && block->warps_done == block->warp_count) {
        block->done = true;
        block->cluster->blocks_done++;
    }
    return true;
}

/* Lanes that wait to exchange values with lanes that wait for them to converge: the latter go on alone. */
static bool release_exchanges(struct sim_engine *engine, struct sim_cluster *cluster)
{
    bool any = false;
    for (uint32_t b = 0; b < cluster->block_count; b++)
        for (uint32_t w = 0; w < cluster->blocks[b].warp_count; w++) {
            struct sim_warp *warp = &cluster->blocks[b].warps[w];
            bool exchanges = false;
            for (uint32_t i = 0; i < warp->group_count; i++)
                exchanges |= warp->groups[i].state == SIM_G_WARP;
            if (exchanges && engine->check != NULL)
                sim_check_stuck(engine->check, warp);
            if (exchanges)
                any |= sim_warp_release(engine, warp);
        }
    return any;
}

static bool release_last(struct sim_engine *engine, struct sim_cluster *cluster)
{
    bool any = false;
    for (uint32_t b = 0; b < cluster->block_count; b++)
        for (uint32_t w = 0; w < cluster->blocks[b].warp_count; w++)
            any |= sim_warp_release_last(engine, &cluster->blocks[b].warps[w]);
    return any;
}

bool sim_cluster_unblock(struct sim_engine *engine, struct sim_cluster *cluster)
{
    if (engine->program->is_machine && release_last(engine, cluster))
        return true;
    if (release_exchanges(engine, cluster) || sim_mbarrier_expire(engine, cluster))
        return true;
    sim_cluster_deadlock(engine, cluster);
    return false;
}

void sim_cluster_retire(struct sim_engine *engine, struct sim_cluster *cluster)
{
    for (uint32_t b = 0; engine->check != NULL && b < cluster->block_count; b++)
        sim_check_block_end(engine->check, &cluster->blocks[b]);
    for (uint32_t b = 0; b < cluster->block_count; b++)
        for (uint32_t w = 0; w < cluster->blocks[b].warp_count; w++)
            sim_local_give_back(engine, &cluster->blocks[b].warps[w]);
    cluster->next = engine->free_clusters;
    engine->free_clusters = cluster;
}

static enum cluster_stop run_cluster(struct sim_engine *engine, struct sim_cluster *cluster)
{
    uint64_t start = engine->steps;
    for (;;) {
        struct round round = {false, false};
        for (uint32_t b = 0; b < cluster->block_count; b++)
            if (!cluster->blocks[b].done && !run_block_round(engine, &cluster->blocks[b], &round))
                return CLUSTER_FAULT;
        if (cluster->blocks_done == cluster->block_count)
            return CLUSTER_DONE;
        if (!round.progress) {
            if (round.can_run)
                return CLUSTER_WAITS;
            if (!sim_cluster_unblock(engine, cluster))
                return CLUSTER_FAULT;
        }
        if (engine->steps - start > CLUSTER_QUANTUM)
            return CLUSTER_YIELDED;
    }
}

/* ---- The grid ---- */

/* Resident clusters, first in, first out. */
struct ring {
    struct sim_cluster *head, *tail;
    uint64_t count;
};

static void ring_push(struct ring *ring, struct sim_cluster *cluster)
{
    cluster->next = NULL;
    if (ring->tail != NULL)
        ring->tail->next = cluster;
    else
        ring->head = cluster;
    ring->tail = cluster;
    ring->count++;
}

static struct sim_cluster *ring_pop(struct ring *ring)
{
    struct sim_cluster *cluster = ring->head;
    ring->head = cluster->next;
    if (ring->head == NULL)
        ring->tail = NULL;
    ring->count--;
    return cluster;
}

static void free_all(struct sim_engine *engine, struct sim_cluster *cluster)
{
    while (cluster != NULL) {
        struct sim_cluster *next = cluster->next;
        free_cluster(engine, cluster);
        cluster = next;
    }
}

void sim_clusters_free(struct sim_engine *engine, struct sim_cluster *first)
{
    free_all(engine, first);
    free_all(engine, engine->free_clusters);
    engine->free_clusters = NULL;
    sim_local_free(engine);
}

bool sim_grid_progress(struct sim_engine *engine, uint64_t blocks_done, uint64_t *next_tell)
{
    if (engine->options->progress == NULL || engine->steps < *next_tell)
        return true;
    *next_tell = engine->steps + PROGRESS_STEPS;
    if (engine->options->progress(engine->options->progress_user, blocks_done, engine->block_count,
                                  engine->instructions))
        return true;
    sim_stop(engine, NULL, NULL, 0, SIM_FAULT_RUNAWAY, "stopped by the caller after %llu warp instructions",
             (unsigned long long)engine->instructions);
    return false;
}

/* So many clusters have room even if each touches all of its local memory. */
static uint64_t clusters_with_room(const struct sim_engine *engine)
{
    uint64_t threads = (uint64_t)engine->cluster_blocks * engine->warps_per_block * 32;
    uint64_t each = threads * (engine->program->stack_bytes + 1), room = (engine->limit_bytes - engine->used_bytes) / 2;
    return room / each > 0 ? room / each : 1;
}

void sim_grid_run(struct sim_engine *engine)
{
    struct ring ring = {NULL, NULL, 0};
    uint64_t total = engine->block_count / engine->cluster_blocks, next = 0, done = 0, next_tell = PROGRESS_STEPS;
    uint64_t idle_runs = 0, idle_since = 0, comfortable = clusters_with_room(engine);
    while (done < total && !engine->stopped) {
        struct sim_cluster *cluster = NULL;
        /* More than have room for certain only when these wait, perhaps for others. */
        if (next < total && ring.count < engine->resident_clusters &&
            (ring.count < comfortable || idle_runs >= ring.count)) {
            cluster = sim_cluster_start(engine, next);
            if (cluster != NULL) {
                next++;
                idle_runs = 0;
            } else if (ring.count > 0) {
                /* No room for one more: go on with those there are. */
                engine->resident_clusters = ring.count;
                engine->out_of_memory = engine->stopped = false;
            } else {
                break;
            }
        }
        if (cluster == NULL)
            cluster = ring_pop(&ring);
        enum cluster_stop stop = run_cluster(engine, cluster);
        if (stop == CLUSTER_DONE) {
            sim_cluster_retire(engine, cluster);
            done++;
            idle_runs = 0;
        } else {
            ring_push(&ring, cluster);
            idle_runs = stop == CLUSTER_WAITS ? idle_runs + 1 : 0;
        }
        if (idle_runs == 0)
            idle_since = engine->steps;
        else if (idle_runs > ring.count * IDLE_ROUNDS_MIN && engine->steps - idle_since > IDLE_STEPS)
            sim_cluster_livelock(engine, ring.head);
        if (!engine->stopped)
            (void)sim_grid_progress(engine, done * engine->cluster_blocks, &next_tell);
    }
    sim_clusters_free(engine, ring.head);
}
