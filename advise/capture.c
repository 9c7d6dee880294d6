/* Keeps what a line's instructions did while they run. */
#include "advise/capture.h"

#include "sim/requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "dir/k.cu" is meant by "k.cu" and by "dir/k.cu". */
static bool names_file(const char *wanted, const char *file)
{
    size_t length = strlen(wanted), whole = strlen(file);
    return length <= whole && strcmp(file + whole - length, wanted) == 0 &&
           (length == whole || file[whole - length - 1] == '/' || wanted[0] == '/');
}

static bool is_wanted(struct advise_capture *capture, const struct sim_access *access)
{
    const char *file = NULL;
    uint32_t line = 0;
    isa_insn_location(capture->module, access->insn, &file, &line);
    if (line != capture->line || (capture->file && !names_file(capture->file, file ? file : "")))
        return false;
    capture->line_seen = true;
    return true;
}

struct advise_captured *advise_captured_new(const struct sim_access *access)
{
    struct advise_captured *item = calloc(1, sizeof(*item));
    if (item) {
        item->function = access->function;
        item->insn = access->insn;
        item->kind = access->kind;
        item->width_bytes = access->width_bytes;
    }
    return item;
}

/* A new item for an instruction of the line; NULL when there is no room. */
static struct advise_captured *add_item(struct advise_capture *capture, const struct sim_access *access)
{
    if (capture->count == ADVISE_ACCESS_MAX) {
        capture->dropped = true;
        return NULL;
    }
    struct advise_captured *item = advise_captured_new(access);
    if (!item) {
        capture->failed = true;
        return NULL;
    }
    capture->items[capture->count++] = item;
    return item;
}

static struct advise_captured *item_of(struct advise_capture *capture, const struct sim_access *access)
{
    while (capture->slot.count <= access->number) {
        if (!base_vec_push(&capture->slot, 0)) {
            capture->failed = true;
            return NULL;
        }
    }
    int8_t *slot = &capture->slot.data[access->number];
    if (*slot == 0)
        *slot = is_wanted(capture, access) ? INT8_MAX : -1;
    /* On the line, though perhaps not in the space before now: generic addresses point where they like. */
    bool right_space = access->space == (capture->shared ? ISA_SPACE_SHARED : ISA_SPACE_GLOBAL);
    if (*slot == INT8_MAX && right_space)
        *slot = add_item(capture, access) ? (int8_t)capture->count : -1;
    return *slot > 0 && *slot != INT8_MAX && right_space ? capture->items[*slot - 1] : NULL;
}

static uint32_t cost_of(const struct sim_device *device, bool shared, const struct sim_access *access)
{
    if (!shared)
        return sim_request_global(device, access->address, access->mask, access->width_bytes,
                                  access->kind == SIM_SHARED_LOAD)
            .sectors;
    return sim_request_shared(device, access->address, access->mask, access->width_bytes, access->kind, NULL).actual;
}

static uint64_t hash_of(const struct sim_access *access)
{
    uint64_t hash = access->mask;
    for (uint32_t rest = access->mask; rest; rest &= rest - 1)
        hash = (hash ^ access->address[__builtin_ctz(rest)]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
    return hash;
}

static void keep(struct advise_execution *at, const struct sim_access *access, uint64_t number, uint64_t hash,
                 uint32_t cost)
{
    *at = (struct advise_execution){
        .warp = access->warp, .number = number, .hash = hash, .cost = cost, .mask = access->mask};
    memcpy(at->block, access->block, sizeof(at->block));
    for (uint32_t rest = access->mask; rest; rest &= rest - 1)
        at->address[__builtin_ctz(rest)] = access->address[__builtin_ctz(rest)];
}

/* The later half of the places waits for later executions. */
static bool is_too_early(const struct advise_captured *item, uint64_t number)
{
    return item->kept_count >= ADVISE_WARPS_MAX / 2 && number < 2 * item->kept[item->kept_count - 1].number;
}

void advise_captured_note(struct advise_captured *item, const struct sim_device *device, bool shared, bool spread,
                          const struct sim_access *access)
{
    uint32_t cost = cost_of(device, shared, access);
    uint64_t number = item->executions++;
    bool worse = item->kept_count == 0 || cost > item->kept[item->worst].cost;
    item->cost += cost;
    if (!worse && (item->kept_count == ADVISE_WARPS_MAX || (spread && is_too_early(item, number))))
        return;
    uint64_t hash = hash_of(access);
    for (uint32_t i = 0; i < item->kept_count; i++) {
        if (item->kept[i].hash == hash)
            return;
    }
    if (item->kept_count < ADVISE_WARPS_MAX) {
        item->worst = worse ? item->kept_count : item->worst;
        keep(&item->kept[item->kept_count++], access, number, hash, cost);
    } else if (worse) { /* the last place is for what is worse than all before */
        item->worst = ADVISE_WARPS_MAX - 1;
        keep(&item->kept[item->worst], access, number, hash, cost);
    }
}

void advise_capture_access(void *user, const struct sim_access *access)
{
    struct advise_capture *capture = user;
    struct advise_captured *item = item_of(capture, access);
    if (item)
        advise_captured_note(item, capture->device, capture->shared, false, access);
}

void advise_capture_free(struct advise_capture *capture)
{
    for (uint32_t i = 0; i < capture->count; i++)
        free(capture->items[i]);
    base_vec_free(&capture->slot);
    capture->count = 0;
}

static uint64_t lowest_address(struct advise_captured *const *items, uint32_t count)
{
    uint64_t lowest = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const struct advise_captured *item = items[i];
        for (uint32_t k = 0; k < item->kept_count; k++) {
            for (uint32_t rest = item->kept[k].mask; rest; rest &= rest - 1) {
                uint64_t address = item->kept[k].address[__builtin_ctz(rest)];
                lowest = address < lowest ? address : lowest;
            }
        }
    }
    return lowest;
}

enum base_status advise_captured_patterns(struct advise_captured *const *items, uint32_t count,
                                          const struct sim_device *device, bool shared, struct base_arena *arena,
                                          struct advise_array *array, struct advise_pattern **patterns, uint64_t *base)
{
    uint32_t unit = 16;
    uint64_t all_banks = (uint64_t)device->bank_count * device->bank_bytes;
    uint64_t step = shared ? all_banks : device->line_bytes;
    for (uint32_t i = 0; i < count; i++)
        unit = items[i]->width_bytes < unit ? items[i]->width_bytes : unit;
    step = step < 16 ? 16 : step; /* keeps everything a multiple of its width */
    *base = lowest_address(items, count) / step * step;
    *array = (struct advise_array){.name = shared ? "shared" : "global", .dim_count = 1};
    array->type = (struct advise_ctype){
        .bytes = unit, .align_bytes = unit, .components = 1, .component_bytes = unit, .is_integer = true};
    snprintf(array->type.name, sizeof(array->type.name), "b%u", unit * 8);
    for (uint32_t i = 0; i < count; i++) {
        const struct advise_captured *item = items[i];
        struct advise_pattern *pattern = base_arena_alloc(arena, 1, sizeof(*pattern));
        if (!pattern)
            return BASE_NOMEM;
        pattern->kind = item->kind;
        pattern->width_bytes = item->width_bytes;
        pattern->warp_count = item->kept_count;
        for (uint32_t k = 0; k < item->kept_count; k++) {
            pattern->warps[k].mask = item->kept[k].mask;
            for (uint32_t rest = item->kept[k].mask; rest; rest &= rest - 1) {
                uint32_t lane = (uint32_t)__builtin_ctz(rest);
                pattern->warps[k].element[lane] = (item->kept[k].address[lane] - *base) / unit;
            }
        }
        patterns[i] = pattern;
    }
    return BASE_OK;
}
