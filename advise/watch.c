/* Keeps what the memory instructions of a run did while they run. */
#include "advise/watch.h"

#include <stdlib.h>

enum { ITEMS_MAX = 2048, PLACES = 5 };

/* The place of a space among an instruction's slots; -1: of no interest. */
static int place_of(uint8_t space)
{
    switch (space) {
    case ISA_SPACE_GLOBAL:
        return 0;
    case ISA_SPACE_SHARED:
        return 1;
    case ISA_SPACE_LOCAL:
        return 2;
    case ISA_SPACE_CONST:
        return 3;
    case ISA_SPACE_SHARED_CLUSTER:
        return 4;
    default:
        return -1;
    }
}

static bool is_kept(uint8_t space)
{
    return space == ISA_SPACE_GLOBAL || space == ISA_SPACE_SHARED;
}

static struct advise_watched *add_item(struct advise_watch *watch, const struct sim_access *access)
{
    struct advise_watched *item = calloc(1, sizeof(*item));
    struct advise_captured *captured = advise_captured_new(access);
    if (!item || !captured || !base_vec_push(&watch->items, item)) {
        free(item);
        free(captured);
        watch->failed = true;
        return NULL;
    }
    item->captured = captured;
    item->space = access->space;
    item->lowest = UINT64_MAX;
    item->one_address = true;
    return item;
}

static struct advise_watched *item_of(struct advise_watch *watch, const struct sim_access *access)
{
    int place = place_of(access->space);
    if (place < 0 || watch->failed)
        return NULL;
    size_t at = (size_t)access->number * PLACES + (size_t)place;
    while (watch->slots.count <= at) {
        if (!base_vec_push(&watch->slots, 0)) {
            watch->failed = true;
            return NULL;
        }
    }
    uint32_t *slot = &watch->slots.data[at];
    if (*slot > 0)
        return watch->items.data[*slot - 1];
    if (watch->items.count == ITEMS_MAX) {
        watch->dropped = true;
        return NULL;
    }
    struct advise_watched *item = add_item(watch, access);
    *slot = item ? (uint32_t)watch->items.count : 0;
    return item;
}

static uint32_t different_addresses(const struct sim_access *access)
{
    uint32_t count = 0;
    for (uint32_t rest = access->mask; rest != 0; count++) {
        uint64_t address = access->address[__builtin_ctz(rest)];
        uint32_t others = 0;
        for (uint32_t m = rest; m != 0; m &= m - 1)
            if (access->address[__builtin_ctz(m)] != address)
                others |= m & (0U - m);
        rest = others;
    }
    return count;
}

/* The majority vote of Boyer and Moore: an address that more than half of the lanes meet stays at the end. */
static void vote(struct advise_watched *item, const struct sim_access *access)
{
    for (uint32_t m = access->mask; m != 0; m &= m - 1) {
        uint64_t address = access->address[__builtin_ctz(m)];
        if (item->hot_lanes == 0) {
            item->hot_address = address;
            item->hot_lanes = 1;
        } else if (item->hot_address == address) {
            item->hot_lanes++;
        } else {
            item->one_address = false;
            item->hot_lanes--;
        }
    }
}

void advise_watch_access(void *user, const struct sim_access *access)
{
    struct advise_watch *watch = user;
    struct advise_watched *item = access->mask != 0 ? item_of(watch, access) : NULL;
    if (!item)
        return;
    item->executions++;
    for (uint32_t m = access->mask; m != 0; m &= m - 1) {
        uint64_t address = access->address[__builtin_ctz(m)];
        item->lowest = address < item->lowest ? address : item->lowest;
        item->end = address + access->width_bytes > item->end ? address + access->width_bytes : item->end;
    }
    if (is_kept(access->space))
        advise_captured_note(item->captured, watch->device, access->space == ISA_SPACE_SHARED, true, access);
    if (access->kind == SIM_SHARED_ATOMIC || access->space == ISA_SPACE_CONST) {
        item->lanes += (uint32_t)__builtin_popcount(access->mask);
        item->addresses += different_addresses(access);
    }
    if (access->kind == SIM_SHARED_ATOMIC)
        vote(item, access);
}

const struct advise_watched *advise_watch_find(const struct advise_watch *watch, const struct isa_insn *insn,
                                               uint8_t space)
{
    for (size_t i = 0; watch && i < watch->items.count; i++)
        if (watch->items.data[i]->captured->insn == insn && watch->items.data[i]->space == space)
            return watch->items.data[i];
    return NULL;
}

void advise_watch_free(struct advise_watch *watch)
{
    for (size_t i = 0; i < watch->items.count; i++) {
        free(watch->items.data[i]->captured);
        free(watch->items.data[i]);
    }
    base_vec_free(&watch->items);
    base_vec_free(&watch->slots);
}
