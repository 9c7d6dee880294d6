/* The pictures as JSON: everything that they are drawn from. */
#include "report/picture_words.h"

#include "report/json_value.h"

#include <jansson.h>
#include <stdlib.h>

/* A text made by one of the writers of words. */
static json_t *json_taken(struct base_strbuf *text)
{
    json_t *value = text->failed ? NULL : json_text(text->data ? text->data : "", text->length);
    base_strbuf_free(text);
    return value;
}

static json_t *json_lanes(uint32_t mask, bool *failed)
{
    json_t *array = json_array();
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (mask >> lane & 1 && json_array_append_new(array, json_integer((json_int_t)lane)) != 0)
            *failed = true;
    }
    return array;
}

static void append(json_t *array, json_t *value, bool *failed)
{
    if (json_array_append_new(array, value) != 0)
        *failed = true;
}

static json_t *begin(const char *command, const struct sim_device *device, const struct report_picture *picture,
                     bool *failed)
{
    json_t *object = json_object();
    set(object, "schema", json_integer(REPORT_SCHEMA), failed);
    set_name(object, "simtlab", picture->version, failed);
    set(object, "command", json_string(command), failed);
    if (device)
        set_name(object, "device", device->name, failed);
    if (picture->shape) {
        set(object, "block_dim", json_dim3(picture->shape->block_dim), failed);
        set(object, "block", json_dim3(picture->shape->block), failed);
    }
    return object;
}

static json_t *json_array_of(const struct advise_array *array, uint64_t offset_bytes, bool *failed)
{
    json_t *object = json_object(), *dims = json_array();
    struct base_strbuf text = {0};
    report_declaration(&text, array);
    set(object, "declaration", json_taken(&text), failed);
    set(object, "element_bytes", json_count(array->type.bytes), failed);
    for (uint32_t i = 0; i < array->dim_count; i++)
        append(dims, json_count(array->dims[i]), failed);
    set(object, "dimensions", dims, failed);
    set(object, "offset_bytes", json_count(offset_bytes), failed);
    return object;
}

static void set_access(json_t *object, const struct advise_pattern *pattern, uint32_t warp, uint32_t mask, bool *failed)
{
    set_name(object, "access", pattern->text, failed);
    set(object, "kind", json_string(report_access_kind(pattern->kind)), failed);
    set(object, "width_bytes", json_count(pattern->width_bytes), failed);
    if (pattern->who)
        set_name(object, "by", pattern->who, failed);
    else
        set(object, "warp", json_count(warp), failed);
    set(object, "active_lanes", json_count((uint64_t)__builtin_popcount(mask)), failed);
}

/* ---- Banks ---- */

static json_t *json_bank_lanes(const struct advise_bank_view *view, bool *failed)
{
    json_t *array = json_array();
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(view->mask >> lane & 1))
            continue;
        json_t *object = json_object();
        set(object, "lane", json_count(lane), failed);
        set(object, "address", json_count(view->address[lane]), failed);
        set(object, "bank", json_count(view->bank[lane]), failed);
        set(object, "wavefront", json_count(view->turn[lane]), failed);
        append(array, object, failed);
    }
    return array;
}

static json_t *json_broadcasts(const struct advise_bank_view *view, bool *failed)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < view->broadcast_count; i++) {
        const struct advise_broadcast *broadcast = &view->broadcasts[i];
        json_t *object = json_object();
        set(object, "address", json_count(broadcast->address), failed);
        set(object, "bank", json_count(view->bank[__builtin_ctz(broadcast->lanes)]), failed);
        set(object, "lanes", json_lanes(broadcast->lanes, failed), failed);
        append(array, object, failed);
    }
    return array;
}

static json_t *json_bank_access(const struct advise_access_banks *access, bool *failed)
{
    const struct advise_bank_view *view = &access->view;
    json_t *object = json_object();
    set_access(object, access->pattern, view->warp, view->mask, failed);
    set(object, "wavefronts", json_count(view->wavefronts.actual), failed);
    set(object, "wavefronts_ideal", json_count(view->wavefronts.ideal), failed);
    set(object, "conflict_degree", json_count(view->degree), failed);
    set(object, "banks_per_lane", json_count(view->banks_each), failed);
    set(object, "all_warps", json_count(access->pattern->warp_count), failed);
    set(object, "all_wavefronts", json_count(access->cost.wavefronts), failed);
    set(object, "all_wavefronts_ideal", json_count(access->cost.ideal), failed);
    set(object, "all_conflict_free", json_boolean(access->cost.conflict_free), failed);
    set(object, "lanes", json_bank_lanes(view, failed), failed);
    set(object, "broadcasts", json_broadcasts(view, failed), failed);
    return object;
}

static json_t *json_cure(const struct advise_banks *banks, const struct advise_cure *cure, bool *failed)
{
    json_t *object = json_object();
    struct base_strbuf text = {0};
    advise_layout_print(&cure->layout, banks->query.array, &text);
    set(object, "text", json_taken(&text), failed);
    set(object, "conflict_free", json_boolean(cure->conflict_free), failed);
    set(object, "all_wavefronts", json_count(cure->wavefronts), failed);
    set(object, "row_elements", json_count(cure->layout.row), failed);
    if (cure->layout.mask == 0) {
        set(object, "pad_elements", json_count(cure->layout.pad), failed);
    } else {
        set(object, "shift", json_count(cure->layout.shift), failed);
        set(object, "mask", json_count(cure->layout.mask), failed);
        set(object, "scale", json_count(cure->layout.scale), failed);
    }
    set(object, "extra_bytes", json_count(cure->extra_bytes), failed);
    set(object, "fits", json_boolean(cure->fits), failed);
    if (cure->has_walks) {
        set(object, "row_walk_wavefronts", json_count(cure->row_walk), failed);
        set(object, "row_walk_conflict_free", json_boolean(cure->row_walk_free), failed);
        set(object, "column_walk_wavefronts", json_count(cure->column_walk), failed);
        set(object, "column_walk_conflict_free", json_boolean(cure->column_walk_free), failed);
    }
    return object;
}

void report_banks_json(const struct advise_banks *banks, const struct report_picture *picture, struct base_strbuf *out)
{
    bool failed = false;
    const struct sim_device *device = banks->query.device;
    json_t *object = begin("banks", device, picture, &failed), *accesses = json_array();
    set(object, "bank_count", json_count(device->bank_count), &failed);
    set(object, "bank_bytes", json_count(device->bank_bytes), &failed);
    set(object, "array", json_array_of(banks->query.array, banks->query.offset_bytes, &failed), &failed);
    for (uint32_t i = 0; i < banks->access_count; i++)
        append(accesses, json_bank_access(&banks->accesses[i], &failed), &failed);
    set(object, "accesses", accesses, &failed);
    if (banks->padding.found)
        set(object, "padding", json_cure(banks, &banks->padding, &failed), &failed);
    if (banks->swizzle.found)
        set(object, "swizzle", json_cure(banks, &banks->swizzle, &failed), &failed);
    json_finish(object, failed, out);
}

/* ---- Sectors ---- */

static json_t *json_sector_items(const struct advise_sector_view *view, bool *failed)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < view->sector_count; i++) {
        const struct advise_sector *sector = &view->items[i];
        json_t *object = json_object();
        set(object, "address", json_count(sector->address), failed);
        set(object, "used_bytes", json_count((uint64_t)__builtin_popcount(sector->used) * view->piece_bytes), failed);
        set(object, "lanes", json_lanes(sector->lanes, failed), failed);
        append(array, object, failed);
    }
    return array;
}

static json_t *json_sector_access(const struct advise_sectors *sectors, bool *failed)
{
    const struct advise_sector_view *view = &sectors->view;
    json_t *object = json_object();
    set_access(object, sectors->pattern, view->warp, view->mask, failed);
    set(object, "sectors", json_count(view->sectors), failed);
    set(object, "sectors_ideal", json_count(view->sectors_ideal), failed);
    set(object, "lines", json_count(view->lines), failed);
    set(object, "used_bytes", json_count(view->used_bytes), failed);
    set(object, "moved_bytes", json_count(view->fetched_bytes), failed);
    set(object, "efficiency_pct", json_real(view->efficiency_pct), failed);
    set(object, "misaligned_bytes", json_count(view->misaligned_bytes), failed);
    set(object, "sectors_if_aligned", json_count(view->sectors_if_aligned), failed);
    set(object, "sectors_if_packed", json_count(view->sectors_if_packed), failed);
    set(object, "all_warps", json_count(sectors->pattern->warp_count), failed);
    set(object, "all_sectors", json_count(sectors->sectors), failed);
    set(object, "all_sectors_ideal", json_count(sectors->sectors_ideal), failed);
    set(object, "touched", json_sector_items(view, failed), failed);
    return object;
}

void report_sectors_json(const struct advise_sectors *sectors, size_t count, const struct report_picture *picture,
                         struct base_strbuf *out)
{
    bool failed = false;
    const struct sim_device *device = sectors[0].device;
    json_t *object = begin("sectors", device, picture, &failed), *accesses = json_array();
    set(object, "sector_bytes", json_count(device->sector_bytes), &failed);
    set(object, "line_bytes", json_count(device->line_bytes), &failed);
    set(object, "array", json_array_of(sectors[0].array, sectors[0].offset_bytes, &failed), &failed);
    for (size_t i = 0; i < count; i++)
        append(accesses, json_sector_access(&sectors[i], &failed), &failed);
    set(object, "accesses", accesses, &failed);
    json_finish(object, failed, out);
}

/* ---- Threads ---- */

static json_t *json_range(const struct advise_threads *threads, bool *failed)
{
    const struct advise_range *tile = &threads->tile;
    json_t *object = json_object();
    set(object, "first_row", json_count(tile->first_row), failed);
    set(object, "last_row", json_count(tile->last_row), failed);
    set(object, "first_column", json_count(tile->first_column), failed);
    set(object, "last_column", json_count(tile->last_column), failed);
    return object;
}

static json_t *json_matrix(const struct advise_threads *threads, bool *failed)
{
    const struct advise_threads_query *query = &threads->query;
    json_t *object = json_object();
    set(object, "rows", json_count(query->rows), failed);
    set(object, "columns", json_count(query->columns), failed);
    set(object, "tile_width", json_count(query->tile_width), failed);
    set(object, "tile_height", json_count(query->tile_height), failed);
    set(object, "tiles_x", json_count(threads->tiles_x), failed);
    set(object, "tiles_y", json_count(threads->tiles_y), failed);
    set(object, "uncovered", json_count(threads->uncovered), failed);
    set(object, "outside", json_count(threads->outside), failed);
    set(object, "block_outside", json_count(threads->block_outside), failed);
    if (!threads->tile.empty)
        set(object, "tile", json_range(threads, failed), failed);
    return object;
}

static json_t *json_place(const struct advise_threads *threads, uint32_t linear, bool *failed)
{
    struct advise_place place = advise_threads_place(threads, linear);
    json_t *object = json_object();
    set(object, "thread", json_dim3(place.tid), failed);
    set(object, "number", json_count(place.linear), failed);
    set(object, "warp", json_count(place.warp), failed);
    set(object, "lane", json_count(place.lane), failed);
    set(object, "grid_number", json_count(place.global), failed);
    if (place.inside) {
        set(object, "row", json_count(place.row), failed);
        set(object, "column", json_count(place.column), failed);
    }
    return object;
}

void report_threads_json(const struct report_threads *what, const struct report_picture *picture,
                         struct base_strbuf *out)
{
    bool failed = false;
    const struct advise_threads *threads = what->threads;
    json_t *object = begin("threads", NULL, picture, &failed), *all = json_array();
    set_name(object, "device", what->device, &failed);
    set(object, "grid_dim", json_dim3(threads->query.grid_dim), &failed);
    set(object, "block_dim", json_dim3(threads->query.block_dim), &failed);
    set(object, "blocks", json_count(threads->blocks), &failed);
    set(object, "warps", json_count(threads->warps), &failed);
    set(object, "threads", json_count(threads->threads), &failed);
    set(object, "block_threads", json_count(threads->block_threads), &failed);
    set(object, "block_warps", json_count(threads->block_warps), &failed);
    set(object, "last_warp_lanes", json_count(threads->last_warp_lanes), &failed);
    set(object, "idle_lanes", json_count(threads->idle_lanes), &failed);
    set(object, "block", json_dim3(threads->query.block), &failed);
    set(object, "block_number", json_count(threads->block_linear), &failed);
    if (threads->query.rows > 0)
        set(object, "matrix", json_matrix(threads, &failed), &failed);
    for (uint32_t i = 0; i < threads->block_threads; i++)
        append(all, json_place(threads, i, &failed), &failed);
    set(object, "block_places", all, &failed);
    json_finish(object, failed, out);
}
