/* Reads of memory that nobody wrote: a bit for each byte of shared and local memory, and of buffers made with `none`.
 *
 * What is read is judged element by element, and only an element of which no byte was written is told: copying a struct
 * reads the gaps between its members, too. */
#include "sim/check/check.h"

#include <stdlib.h>
#include <string.h>

/* ---- Bits ---- */

static bool any_set(const uint8_t *bits, uint64_t from, uint64_t count)
{
    for (uint64_t i = from; i < from + count; i++)
        if ((bits[i / 8] >> (i % 8) & 1) != 0)
            return true;
    return false;
}

static bool all_set(const uint8_t *bits, uint64_t from, uint64_t count)
{
    uint64_t at = from, end = from + count;
    for (; at < end && at % 8 != 0; at++)
        if ((bits[at / 8] >> (at % 8) & 1) == 0)
            return false;
    for (; end - at >= 64; at += 64) {
        uint64_t word;
        memcpy(&word, bits + at / 8, sizeof(word));
        if (word != UINT64_MAX)
            return false;
    }
    for (; end - at >= 8; at += 8)
        if (bits[at / 8] != 0xff)
            return false;
    for (; at < end; at++)
        if ((bits[at / 8] >> (at % 8) & 1) == 0)
            return false;
    return true;
}

static void set_all(uint8_t *bits, uint64_t from, uint64_t count, bool value)
{
    uint64_t at = from, end = from + count;
    while (at < end) {
        if (at % 8 == 0 && end - at >= 8) {
            uint64_t bytes = (end - at) / 8;
            memset(bits + at / 8, value ? 0xff : 0, bytes);
            at += bytes * 8;
            continue;
        }
        uint8_t bit = (uint8_t)(1U << (at % 8));
        bits[at / 8] = (uint8_t)(value ? bits[at / 8] | bit : bits[at / 8] & ~bit);
        at++;
    }
}

/* ---- Where the bits of an access are ---- */

static uint8_t *shared_bits(struct sim_check *check, struct check_block *block)
{
    if (block->written == NULL)
        block->written = check_alloc(check, check->engine->shared_bytes / 8 + 16, 1);
    return block->written;
}

/* Bits of a buffer made with `none`, and the first address they stand for; NULL: the address is of no such buffer. */
static uint8_t *global_bits(struct sim_check *check, uint64_t address, uint64_t width_bytes, uint64_t *origin)
{
    struct sim_memory *memory = check->engine->memory;
    int64_t found = sim_memory_find(memory, address, width_bytes, check->last_buffer);
    if (found < 0 || !memory->items[found].uninitialised)
        return NULL;
    struct sim_allocation *item = &memory->items[found];
    check->last_buffer = found;
    if (item->written == NULL)
        item->written = check_alloc(check, item->size_bytes / 8 + 16, 1);
    *origin = item->address;
    return item->written;
}

static uint64_t lane_bits_bytes(const struct sim_check *check)
{
    return sim_local_lane_bytes(check->engine->program) / 8 + 16;
}

/* Bits of a piece of a lane's local memory; NULL: nothing of it was written (or, when it is to be, no memory). */
static uint8_t *local_bits(struct sim_check *check, struct check_warp *warp, unsigned lane, uint64_t address, bool make)
{
    uint64_t stack = check->engine->program->stack_bytes, piece = address / SIM_LOCAL_PIECE_BYTES;
    if (warp->local_written == NULL && make)
        warp->local_written = check_alloc(check, stack / SIM_LOCAL_PIECE_BYTES + 1, sizeof(*warp->local_written));
    if (warp->local_written == NULL)
        return NULL;
    if (warp->local_written[piece] == NULL && make)
        warp->local_written[piece] = check_alloc(check, 32, lane_bits_bytes(check));
    return warp->local_written[piece] != NULL ? warp->local_written[piece] + lane * lane_bits_bytes(check) : NULL;
}

/* Any range of a lane's local memory. */
static void set_local(struct sim_check *check, struct check_warp *warp, unsigned lane, uint64_t address, uint64_t bytes,
                      bool value)
{
    while (bytes > 0) {
        uint64_t within = address % SIM_LOCAL_PIECE_BYTES, some = SIM_LOCAL_PIECE_BYTES - within;
        some = some < bytes ? some : bytes;
        uint8_t *bits = local_bits(check, warp, lane, address, value);
        if (bits != NULL)
            set_all(bits, within, some, value);
        address += some;
        bytes -= some;
    }
}

/* ---- Effects ---- */

static void tell(const struct check_view *view, const struct sim_effect *effect, unsigned lane, uint64_t address)
{
    bool is_local = effect->space == ISA_SPACE_LOCAL, is_global = effect->space == ISA_SPACE_GLOBAL;
    struct check_finding finding = {
        .kind = is_local    ? CHECK_INIT_LOCAL
                : is_global ? CHECK_INIT_GLOBAL
                            : CHECK_INIT_SHARED,
        .first = {effect->op->counter, view->block->linear, view->index * 32 + lane,
                  effect->kind == SIM_EFFECT_ATOMIC ? SIM_ACCESS_ATOMIC : SIM_ACCESS_READ},
        .has_address = true,
        .address = address,
        .space = effect->space,
    };
    check_find(view->check, &finding, (uint64_t)view->check->serial << 5 | lane, 1);
}

/* One lane: its elements are looked at before they are marked, for an atomic does both. */
static void visit_lane(const struct check_view *view, const struct sim_effect *effect, uint8_t *bits, uint64_t at,
                       unsigned lane, uint64_t address)
{
    uint32_t element = effect->op->element_bytes != 0 ? effect->op->element_bytes : effect->width_bytes;
    if (effect->kind != SIM_EFFECT_STORE)
        for (uint32_t i = 0; i < effect->width_bytes; i += element)
            if (bits == NULL || !any_set(bits, at + i, element))
                tell(view, effect, lane, address + i);
    if (effect->kind != SIM_EFFECT_LOAD && bits != NULL)
        set_all(bits, at, effect->width_bytes, true);
}

/* All lanes at once where they lie side by side, or at one place. True: done. */
static bool visit_row(const struct sim_effect *effect, uint8_t *bits, uint64_t at)
{
    const struct sim_addresses *a = effect->addresses;
    uint64_t bytes = a->contiguous ? UINT64_C(32) * a->width_bytes : a->width_bytes;
    if (effect->kind != SIM_EFFECT_STORE && !all_set(bits, at, bytes))
        return false;
    if (effect->kind == SIM_EFFECT_STORE)
        set_all(bits, at, bytes, true);
    return true;
}

static void visit_local(const struct check_view *view, const struct sim_effect *effect)
{
    struct sim_addresses *a = effect->addresses;
    sim_addresses_expand(a);
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        bool writes = effect->kind != SIM_EFFECT_LOAD;
        if (!writes && view->check->insns[effect->op->counter].copies)
            continue;
        uint8_t *bits = local_bits(view->check, view->warp, lane, a->at[lane], writes);
        if (bits != NULL || !writes)
            visit_lane(view, effect, bits, a->at[lane] % SIM_LOCAL_PIECE_BYTES, lane, a->at[lane]);
    }
}

static void visit_lanes(const struct check_view *view, const struct sim_effect *effect)
{
    struct sim_addresses *a = effect->addresses;
    sim_addresses_expand(a);
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address = a->at[lane], origin = 0;
        uint8_t *bits = effect->space == ISA_SPACE_GLOBAL
                            ? global_bits(view->check, address, effect->width_bytes, &origin)
                            : shared_bits(view->check, check_block_at(view, effect, address));
        if (effect->space != ISA_SPACE_GLOBAL)
            address &= (UINT64_C(1) << SIM_CLUSTER_SHIFT) - 1;
        if (bits != NULL)
            visit_lane(view, effect, bits, address - origin, lane, a->at[lane]);
    }
}

void check_init_effect(struct sim_check *check, const struct sim_effect *effect)
{
    struct check_view view = check_view_of(check, effect->warp);
    const struct sim_addresses *a = effect->addresses;
    uint64_t origin = 0;
    uint8_t *bits = NULL;
    switch (effect->space) {
    case ISA_SPACE_LOCAL:
        if (check->is_machine) /* wide loads of spilled and of packed registers read what nobody wrote */
            return;
        visit_local(&view, effect);
        return;
    case ISA_SPACE_GLOBAL:
        if (!check->has_uninitialised)
            return;
        if (a->contiguous || a->uniform)
            bits = global_bits(check, a->min, effect->width_bytes, &origin);
        if ((a->contiguous || a->uniform) && bits == NULL)
            return;
        break;
    case ISA_SPACE_SHARED:
        bits = shared_bits(check, view.block);
        break;
    case ISA_SPACE_SHARED_CLUSTER:
        break;
    default:
        return;
    }
    if ((a->contiguous || a->uniform) && bits != NULL && effect->kind != SIM_EFFECT_ATOMIC &&
        visit_row(effect, bits, a->min - origin))
        return;
    visit_lanes(&view, effect);
}

/* ---- What is written or forgotten without an effect ---- */

void check_init_block_start(struct sim_check *check, struct check_block *block)
{
    uint64_t pieces = check->engine->program->stack_bytes / SIM_LOCAL_PIECE_BYTES + 1;
    if (block->written != NULL)
        memset(block->written, 0, check->engine->shared_bytes / 8 + 16);
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint64_t i = 0; block->warps[w].local_written != NULL && i < pieces; i++)
            if (block->warps[w].local_written[i] != NULL)
                memset(block->warps[w].local_written[i], 0, 32 * lane_bits_bytes(check));
}

void check_init_block_free(struct sim_check *check, struct check_block *block)
{
    uint64_t pieces = check->engine->program->stack_bytes / SIM_LOCAL_PIECE_BYTES + 1;
    free(block->written);
    for (uint32_t w = 0; block->warps != NULL && w < block->warp_count; w++) {
        for (uint64_t i = 0; block->warps[w].local_written != NULL && i < pieces; i++)
            free(block->warps[w].local_written[i]);
        free(block->warps[w].local_written);
    }
}

void sim_check_local_written(struct sim_check *check, const struct sim_warp *warp, unsigned lane, uint64_t address,
                             uint64_t bytes)
{
    if ((check->which & SIM_CHECK_INIT) != 0)
        set_local(check, &warp->block->check->warps[warp->index], lane, address, bytes, true);
}

void sim_check_frame(struct sim_check *check, const struct sim_warp *warp, uint32_t lanes, uint64_t address,
                     uint64_t bytes)
{
    for (uint32_t m = (check->which & SIM_CHECK_INIT) != 0 ? lanes : 0; m != 0; m &= m - 1)
        set_local(check, &warp->block->check->warps[warp->index], (unsigned)__builtin_ctz(m), address, bytes, false);
}

void check_init_heap(struct sim_check *check, uint64_t address, uint64_t bytes)
{
    uint64_t origin = 0;
    int64_t found = sim_memory_search(check->engine->memory, address, bytes);
    if (found < 0)
        return;
    check->engine->memory->items[found].uninitialised = check->has_uninitialised = true;
    uint8_t *bits = global_bits(check, address, bytes, &origin);
    if (bits != NULL)
        set_all(bits, address - origin, bytes, false);
}

/* Variables of the module are zero where nothing else is said; buffers are what their INIT says. */
void check_init_begin(struct sim_check *check)
{
    const struct sim_memory *memory = check->engine->memory;
    for (size_t i = 0; i < memory->count; i++)
        check->has_uninitialised |= memory->items[i].uninitialised;
}
