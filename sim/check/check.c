/* The doors of the checks: what the engine tells, handed to the parts; and the memory they share. */
#include "sim/check/check.h"

#include <stdlib.h>
#include <string.h>

void *check_alloc(struct sim_check *check, uint64_t count, uint64_t size_bytes)
{
    void *memory = NULL;
    if (count > 0 && size_bytes <= UINT64_MAX / count && count * size_bytes <= check->limit_bytes - check->used_bytes)
        memory = calloc(count, size_bytes);
    if (memory == NULL)
        check->incomplete = true;
    else
        check->used_bytes += count * size_bytes;
    return memory;
}

/* ---- Tables ---- */

static uint32_t table_hash(uint64_t key)
{
    return (uint32_t)((key ^ key >> 29) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static uint32_t table_find(const struct check_table *table, uint64_t key)
{
    uint32_t at = table_hash(key) & (table->capacity - 1);
    while (table->keys[at] != 0 && table->keys[at] != key)
        at = (at + 1) & (table->capacity - 1);
    return at;
}

static bool table_grow(struct sim_check *check, struct check_table *table)
{
    struct check_table grown = {.capacity = table->capacity == 0 ? 64 : table->capacity * 2, .count = table->count};
    grown.keys = check_alloc(check, grown.capacity, sizeof(*grown.keys));
    grown.values = check_alloc(check, grown.capacity, sizeof(*grown.values));
    if (grown.keys == NULL || grown.values == NULL) {
        check_table_free(&grown);
        return false;
    }
    for (uint32_t i = 0; i < table->capacity; i++)
        if (table->keys[i] != 0) {
            uint32_t at = table_find(&grown, table->keys[i]);
            grown.keys[at] = table->keys[i];
            grown.values[at] = table->values[i];
        }
    check_table_free(table);
    *table = grown;
    return true;
}

uint32_t *check_table_slot(struct sim_check *check, struct check_table *table, uint64_t key)
{
    if (table->count * 2 >= table->capacity && (table->capacity >= UINT32_C(1) << 30 || !table_grow(check, table)))
        return NULL;
    uint32_t at = table_find(table, key);
    if (table->keys[at] == 0) {
        table->keys[at] = key;
        table->count++;
    }
    return &table->values[at];
}

uint32_t check_table_get(const struct check_table *table, uint64_t key)
{
    if (table->count == 0)
        return 0;
    uint32_t at = table_find(table, key);
    return table->keys[at] == key ? table->values[at] : 0;
}

void check_table_clear(struct check_table *table)
{
    if (table->count == 0)
        return;
    memset(table->keys, 0, table->capacity * sizeof(*table->keys));
    memset(table->values, 0, table->capacity * sizeof(*table->values));
    table->count = 0;
}

void check_table_free(struct check_table *table)
{
    free(table->keys);
    free(table->values);
    *table = (struct check_table){NULL, NULL, 0, 0};
}

/* ---- Beginning and end ---- */

enum base_status sim_check_begin(struct sim_engine *engine)
{
    if (engine->options->checks == 0)
        return BASE_OK;
    struct sim_check *check = calloc(1, sizeof(*check));
    if (check == NULL)
        return BASE_NOMEM;
    check->engine = engine;
    check->which = engine->options->checks;
    check->limit_bytes = engine->limit_bytes;
    engine->check = check;
    check_init_begin(check);
    return check_program_begin(check) && check_sync_begin(check) ? BASE_OK : BASE_NOMEM;
}

void sim_check_end(struct sim_engine *engine)
{
    struct sim_check *check = engine->check;
    if (check == NULL)
        return;
    for (size_t i = 0; i < check->regions.count; i++)
        free(check->regions.data[i].lines);
    base_vec_free(&check->regions);
    free(check->insns);
    free(check->meet_of);
    base_vec_free(&check->findings);
    check_table_free(&check->finding_of);
    check_flags_free(&check->flags);
    check_pool_free(&check->pool);
    free(check);
    engine->check = NULL;
}

/* ---- Blocks ---- */

static struct check_block *make_block(struct sim_check *check)
{
    struct check_block *block = check_alloc(check, 1, sizeof(*block));
    if (block == NULL)
        return NULL;
    block->warp_count = check->engine->warps_per_block;
    block->warps = check_alloc(check, block->warp_count, sizeof(*block->warps));
    block->peer_time = check_alloc(check, check->engine->cluster_blocks, sizeof(*block->peer_time));
    return block;
}

bool sim_check_block_start(struct sim_engine *engine, struct sim_block *block)
{
    struct sim_check *check = engine->check;
    if (block->check == NULL)
        block->check = make_block(check);
    if (block->check == NULL || block->check->warps == NULL || block->check->peer_time == NULL) {
        engine->out_of_memory = engine->stopped = true;
        return false;
    }
    block->check->linear = (uint32_t)block->linear;
    block->check->rank = block->rank;
    check_order_block_start(check, block->check);
    check_init_block_start(check, block->check);
    check_sync_block_start(check, block->check);
    return true;
}

void sim_check_block_free(struct sim_engine *engine, struct sim_block *block)
{
    struct check_block *b = block->check;
    if (b == NULL)
        return;
    check_init_block_free(engine->check, b);
    for (uint32_t w = 0; b->warps != NULL && w < b->warp_count; w++) {
        free(b->warps[w].lane_time);
        free(b->warps[w].guesses);
        free(b->warps[w].lanes);
        for (unsigned level = 0; level < CHECK_LEVELS; level++)
            free(b->warps[w].fences[level]);
        base_vec_free(&b->warps[w].references);
    }
    free(b->warps);
    free(b->peer_time);
    free(b->others);
    free(b->barriers);
    free(b->rounds);
    free(b->guests);
    free(b->shared.lines);
    base_vec_free(&b->references);
    check_flags_free(&b->flags);
    check_pool_free(&b->pool);
    free(b);
    block->check = NULL;
}

/* ---- What the engine tells ---- */

void sim_check_effect(struct sim_check *check, const struct sim_effect *effect)
{
    check->serial++;
    check_bounds_effect(check, effect);
    if ((check->which & SIM_CHECK_RACES) != 0)
        check_race_effect(check, effect);
    if ((check->which & SIM_CHECK_INIT) != 0)
        check_init_effect(check, effect);
}

void sim_check_fence(struct sim_check *check, const struct sim_warp *warp, const struct sim_op *op, uint32_t mask)
{
    struct check_view view = check_view_of(check, warp);
    if (check->insns[op->counter].fence != 0)
        check_flag_fence(&view, mask, check->insns[op->counter].fence - 1);
}

/* Lanes of one instruction may meet in several groups: each lane with those of its own mask. */
void sim_check_warp_sync(struct sim_check *check, const struct sim_warp *warp, const uint32_t *masks, uint32_t lanes)
{
    struct check_view view = check_view_of(check, warp);
    for (uint32_t todo = lanes; todo != 0;) {
        uint32_t named = masks != NULL ? masks[__builtin_ctz(todo)] : lanes;
        uint32_t together = (named & lanes) | (todo & (0U - todo));
        check_order_warp(&view, together);
        todo &= ~together;
    }
}

void sim_check_barrier_arrive(struct sim_check *check, const struct sim_warp *warp, const struct sim_op *op,
                              uint32_t mask, uint32_t number)
{
    struct check_view view = check_view_of(check, warp);
    if (op->has_optional)
        check_order_arrive(&view, op, mask, number);
    if ((check->which & SIM_CHECK_SYNC) != 0)
        check_sync_barrier(&view, op, mask);
}

void sim_check_barrier_done(struct sim_check *check, const struct sim_block *block, uint32_t number)
{
    bool all = block->barriers[number].expected == 0;
    check_order_barrier(check, block->check, number, all);
    if (all && (check->which & SIM_CHECK_SYNC) != 0)
        check_sync_barrier_done(check, block, number);
}

void sim_check_cluster_arrive(struct sim_check *check, const struct sim_warp *warp)
{
    struct check_view view = check_view_of(check, warp);
    check_order_cluster_arrive(&view);
}

void sim_check_cluster_done(struct sim_check *check, struct sim_cluster *cluster)
{
    check_order_cluster(check, cluster);
}

void sim_check_block_end(struct sim_check *check, const struct sim_block *block)
{
    if (block->warps_done < block->warp_count)
        return; /* the launch was stopped */
    check_bounds_block_end(check, block);
    if ((check->which & SIM_CHECK_SYNC) != 0)
        check_sync_block_end(check, block);
}

void sim_check_meet(struct sim_check *check, const struct sim_warp *warp, const struct sim_op *op, uint32_t mask)
{
    struct check_view view = check_view_of(check, warp);
    if ((check->which & SIM_CHECK_SYNC) != 0)
        check_sync_meet(&view, (uint32_t)(op - check->engine->program->ops), mask);
}

void sim_check_masks(struct sim_check *check, const struct sim_warp *warp, const struct sim_op *op,
                     const uint32_t *masks, uint32_t mask, uint32_t off)
{
    struct check_view view = check_view_of(check, warp);
    if ((check->which & SIM_CHECK_SYNC) != 0)
        check_sync_masks(&view, op, masks, mask, off);
}

void sim_check_stuck(struct sim_check *check, const struct sim_warp *warp)
{
    struct check_view view = check_view_of(check, warp);
    if ((check->which & SIM_CHECK_SYNC) != 0)
        check_sync_missing(&view);
}

void sim_check_heap_given(struct sim_check *check, uint64_t address, uint64_t bytes)
{
    uint64_t offset;
    struct check_region *region = check_region_global(check, address, bytes, &offset);
    if (region != NULL)
        check_region_forget(region, offset, bytes);
    if ((check->which & SIM_CHECK_INIT) != 0)
        check_init_heap(check, address, bytes);
}
