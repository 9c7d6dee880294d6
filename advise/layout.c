/* Layouts tried out: their cost on every warp, and the search for one that cures. */
#include "advise/layout.h"

#include "sim/requests.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    MASK_BITS_MAX = 6,  /* a swizzle moves an element by less than 2^6 of its kind ... */
    SCALE_MAX = 6,      /* ... times 2^scale ... */
    SHIFT_MAX = 7,      /* ... by the row's number divided by 2^shift */
    WALK_WARPS_MAX = 64 /* of a walk through the array that are tried */
};

uint64_t advise_layout_place(const struct advise_layout *layout, uint64_t element)
{
    if (layout->row == 0)
        return element;
    uint64_t row = element / layout->row;
    return (element + row * layout->pad) ^ (row >> layout->shift & layout->mask) << layout->scale;
}

/* The system's bank line: all banks once. */
static uint64_t line_bytes(const struct sim_device *device)
{
    return (uint64_t)device->bank_count * device->bank_bytes;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool addresses_of(const struct advise_banks_query *query, const struct advise_layout *layout,
                         const struct advise_pattern *pattern, const struct advise_lanes *lanes, uint64_t address[32])
{
    uint64_t low_bits = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        address[lane] = 0;
        if (!(lanes->mask >> lane & 1))
            continue;
        address[lane] = query->offset_bytes + pattern->component_bytes +
                        advise_layout_place(layout, lanes->element[lane]) * query->array->type.bytes;
        low_bits |= address[lane];
    }
    return (low_bits & (pattern->width_bytes - 1)) == 0;
}

bool advise_addresses(const struct advise_banks_query *query, const struct advise_layout *layout,
                      const struct advise_pattern *pattern, uint32_t warp, uint64_t address[32])
{
    return addresses_of(query, layout, pattern, &pattern->warps[warp], address);
}

/* Adds one warp. A layout under which a lane's address is no multiple of its width is no layout. */
static bool add_warp(const struct advise_banks_query *query, const struct advise_layout *layout,
                     const struct advise_pattern *pattern, const struct advise_lanes *lanes, uint32_t warp,
                     struct advise_cost *cost)
{
    const struct sim_device *device = query->device;
    struct sim_bank_groups groups;
    uint64_t address[32];
    if (!addresses_of(query, layout, pattern, lanes, address))
        return false;
    struct sim_wavefronts w =
        sim_request_shared(device, address, lanes->mask, pattern->width_bytes, pattern->kind, &groups);
    cost->wavefronts += w.actual;
    cost->ideal += w.ideal;
    if (w.actual > cost->worst) {
        cost->worst = w.actual;
        cost->worst_warp = warp;
    }
    for (uint32_t i = 0; i < groups.count; i++)
        cost->conflict_free = cost->conflict_free && groups.items[i].wavefronts == 1;
    return true;
}

struct advise_cost advise_cost_of(const struct advise_banks_query *query, const struct advise_layout *layout,
                                  const struct advise_pattern *pattern)
{
    struct advise_cost cost = {.conflict_free = true};
    for (uint32_t warp = 0; warp < pattern->warp_count; warp++) {
        if (!add_warp(query, layout, pattern, &pattern->warps[warp], warp, &cost))
            cost.conflict_free = false;
    }
    return cost;
}

/* ---- Walks: warps that read the whole array, 32 neighbours in a row or in a column at a time ---- */

struct walk {
    uint64_t row, rows; /* elements of a row; rows. 0: the shape is not known */
};

static struct walk walk_of(const struct advise_banks_query *query)
{
    struct walk walk = {0};
    if (query->array->dim_count > 1 && query->array->dims[0] > 0) {
        walk.row = advise_array_row(query->array);
        walk.rows = advise_array_elements(query->array) / walk.row;
    }
    return walk;
}

/* A walk reads whole elements; wide ones in pieces of 16 bytes, of which this is the first. */
static uint32_t walk_width(const struct advise_array *array)
{
    uint32_t bytes = array->type.bytes;
    return bytes > 16 ? 16 : (bytes & (bytes - 1)) != 0 ? array->type.component_bytes : bytes;
}

static struct advise_cost walk_cost(const struct advise_banks_query *query, const struct advise_layout *layout,
                                    struct walk walk, bool by_column)
{
    struct advise_cost cost = {.conflict_free = true};
    struct advise_pattern pattern = {.kind = SIM_SHARED_LOAD, .width_bytes = walk_width(query->array)};
    uint64_t count = walk.row * walk.rows;
    for (uint32_t warp = 0; warp < WALK_WARPS_MAX && warp * UINT64_C(32) < count; warp++) {
        struct advise_lanes lanes = {0};
        for (uint32_t lane = 0; lane < 32 && warp * UINT64_C(32) + lane < count; lane++) {
            uint64_t i = warp * UINT64_C(32) + lane;
            lanes.mask |= UINT32_C(1) << lane;
            lanes.element[lane] = by_column ? i % walk.rows * walk.row + i / walk.rows : i;
        }
        if (!add_warp(query, layout, &pattern, &lanes, warp, &cost))
            cost.conflict_free = false;
    }
    return cost;
}

/* ---- What a layout does to all accesses ---- */

static struct advise_cost total_cost(const struct advise_banks_query *query, const struct advise_layout *layout)
{
    struct advise_cost total = {.conflict_free = true};
    for (uint32_t i = 0; i < query->pattern_count; i++) {
        struct advise_cost cost = advise_cost_of(query, layout, query->patterns[i]);
        total.wavefronts += cost.wavefronts;
        total.ideal += cost.ideal;
        total.conflict_free = total.conflict_free && cost.conflict_free;
    }
    return total;
}

/* By how many elements the padded array is longer; rows of a declaration are all padded, of others the last is not. */
static uint64_t extra_elements(const struct advise_array *array, const struct advise_layout *layout)
{
    uint64_t count = advise_array_elements(array);
    if (count == 0)
        return 0;
    return array->dim_count > 1 ? count / layout->row * layout->pad : (count - 1) / layout->row * layout->pad;
}

static void complete(const struct advise_banks_query *query, struct advise_cure *cure)
{
    struct walk walk = walk_of(query);
    uint64_t bytes = query->array->type.bytes, most = query->device->shared_per_block_optin_bytes;
    if (most < query->device->shared_per_block_bytes)
        most = query->device->shared_per_block_bytes;
    cure->extra_bytes = extra_elements(query->array, &cure->layout) * bytes;
    cure->fits = advise_array_elements(query->array) * bytes + cure->extra_bytes <= most;
    cure->has_walks = walk.row > 0;
    if (!cure->has_walks)
        return;
    struct advise_cost row = walk_cost(query, &cure->layout, walk, false);
    struct advise_cost column = walk_cost(query, &cure->layout, walk, true);
    cure->row_walk = row.worst;
    cure->row_walk_free = row.conflict_free;
    cure->column_walk = column.worst;
    cure->column_walk_free = column.conflict_free;
}

/* ---- Row lengths that a search tries ---- */

/* Lanes at even distances of at least two elements, in all warps that have more than one lane: the distance, else 0. */
static uint64_t even_distance(const struct advise_pattern *pattern)
{
    uint64_t distance = 0;
    for (uint32_t warp = 0; warp < pattern->warp_count; warp++) {
        const struct advise_lanes *lanes = &pattern->warps[warp];
        int last = -1;
        for (int lane = 0; lane < 32; lane++) {
            if (!(lanes->mask >> lane & 1))
                continue;
            if (last >= 0) {
                uint64_t step = lanes->element[lane] - lanes->element[last];
                if (lane != last + 1 || (distance != 0 && step != distance))
                    return 0;
                distance = step;
            }
            last = lane;
        }
    }
    return distance >= 2 && distance <= UINT32_MAX ? distance : 0;
}

/* As many elements as fill all banks once. */
static uint64_t bank_row(const struct advise_banks_query *query)
{
    uint64_t line = line_bytes(query->device), bytes = query->array->type.bytes;
    return bytes >= line ? 1 : line / gcd(line, bytes);
}

struct rows {
    uint64_t items[2];
    uint32_t count;
};

static struct rows padded_rows(const struct advise_banks_query *query)
{
    struct rows rows = {0};
    if (query->array->dim_count > 1) {
        rows.items[rows.count++] = advise_array_row(query->array);
        return rows;
    }
    for (uint32_t i = 0; i < query->pattern_count && rows.count == 0; i++) {
        uint64_t distance = even_distance(query->patterns[i]);
        if (distance > 0)
            rows.items[rows.count++] = distance;
    }
    rows.items[rows.count++] = bank_row(query);
    return rows;
}

static struct rows swizzled_rows(const struct advise_banks_query *query)
{
    struct rows rows = padded_rows(query);
    if (rows.count == 1 && rows.items[0] != bank_row(query) && advise_array_elements(query->array) > 0)
        rows.items[rows.count++] = bank_row(query);
    return rows;
}

/* ---- The searches ---- */

/* Keeps the better of two: first what cures, then what has fewer wavefronts; what was there first among equals. */
static void consider(struct advise_cure *best, const struct advise_layout *layout, struct advise_cost cost,
                     uint64_t wavefronts_before)
{
    bool better = cost.wavefronts < wavefronts_before &&
                  (!best->found || (cost.conflict_free && !best->conflict_free) ||
                   (cost.conflict_free == best->conflict_free && cost.wavefronts < best->wavefronts));
    if (better)
        *best = (struct advise_cure){
            .found = true, .conflict_free = cost.conflict_free, .layout = *layout, .wavefronts = cost.wavefronts};
}

void advise_cure_padding(const struct advise_banks_query *query, struct advise_cure *cure)
{
    static const struct advise_layout plain;
    struct rows rows = padded_rows(query);
    uint64_t line = line_bytes(query->device), period = line / gcd(line, query->array->type.bytes);
    struct advise_cost before = total_cost(query, &plain);
    *cure = (struct advise_cure){0};
    for (uint32_t i = 0; i < rows.count && !cure->conflict_free && !before.conflict_free; i++) {
        for (uint64_t pad = 1; pad < period && !cure->conflict_free; pad++) {
            struct advise_layout layout = {.row = rows.items[i], .pad = pad};
            consider(cure, &layout, total_cost(query, &layout), before.wavefronts);
        }
    }
    if (cure->found)
        complete(query, cure);
}

/* Elements of aligned groups within which a swizzle may move them: the largest power of two that divides a row and the
 * array. Each element of such a group goes to another one of it, or stays. */
static uint64_t swizzle_group(const struct advise_array *array, uint64_t row)
{
    uint64_t common = gcd(advise_array_elements(array), row);
    return common & (0 - common);
}

/* One row length. With `walks` rows and columns must be free of conflicts too. */
static void try_swizzles(const struct advise_banks_query *query, uint64_t row, const struct walk *walks,
                         uint64_t wavefronts_before, struct advise_cure *cure)
{
    uint64_t group = swizzle_group(query->array, row);
    for (uint32_t shift = 0; shift <= SHIFT_MAX; shift++) {
        for (uint32_t scale = 0; scale <= SCALE_MAX; scale++) {
            for (uint32_t bits = 1; bits <= MASK_BITS_MAX && UINT64_C(1) << (bits + scale) <= group; bits++) {
                struct advise_layout layout = {
                    .row = row, .shift = shift, .scale = scale, .mask = (UINT32_C(1) << bits) - 1};
                struct advise_cost cost = total_cost(query, &layout);
                if (walks && cost.conflict_free &&
                    !(walk_cost(query, &layout, *walks, false).conflict_free &&
                      walk_cost(query, &layout, *walks, true).conflict_free))
                    continue;
                if (walks && !cost.conflict_free)
                    continue;
                consider(cure, &layout, cost, wavefronts_before);
                if (cure->conflict_free)
                    return;
            }
        }
    }
}

void advise_cure_swizzle(const struct advise_banks_query *query, struct advise_cure *cure)
{
    static const struct advise_layout plain;
    struct rows rows = swizzled_rows(query);
    struct walk walk = walk_of(query);
    struct advise_cost before = total_cost(query, &plain);
    *cure = (struct advise_cure){0};
    if (before.conflict_free)
        return;
    for (uint32_t i = 0; i < rows.count && !cure->conflict_free && walk.row > 0; i++)
        try_swizzles(query, rows.items[i], &walk, before.wavefronts, cure);
    for (uint32_t i = 0; i < rows.count && !cure->conflict_free; i++)
        try_swizzles(query, rows.items[i], NULL, before.wavefronts, cure);
    if (cure->found)
        complete(query, cure);
}

/* ---- Layouts as C ---- */

static void print_swizzle(const struct advise_layout *layout, const char *row, struct base_strbuf *out)
{
    base_strbuf_printf(out, "%s%s", layout->scale > 0 ? "((" : "(", row);
    if (layout->shift > 0)
        base_strbuf_printf(out, " >> %u", layout->shift);
    base_strbuf_printf(out, " & %u)", layout->mask);
    if (layout->scale > 0)
        base_strbuf_printf(out, " << %u)", layout->scale);
}

void advise_layout_print(const struct advise_layout *layout, const struct advise_array *array, struct base_strbuf *out)
{
    bool by_rows = array->dim_count > 1 && layout->row == advise_array_row(array);
    if (layout->mask == 0 && by_rows) {
        base_strbuf_printf(out, "%s %s", array->type.name, array->name);
        for (uint32_t i = 0; i < array->dim_count; i++) {
            uint64_t extent = array->dims[i] + (i + 1 == array->dim_count ? layout->pad : 0);
            if (extent > 0)
                base_strbuf_printf(out, "[%" PRIu64 "]", extent);
            else
                base_strbuf_puts(out, "[]");
        }
    } else if (layout->mask == 0) {
        base_strbuf_printf(out, "%s[i + i / %" PRIu64, array->name, layout->row);
        if (layout->pad > 1)
            base_strbuf_printf(out, " * %" PRIu64, layout->pad);
        base_strbuf_puts(out, "]");
    } else if (by_rows) {
        base_strbuf_printf(out, "%s[r][c ^ ", array->name);
        print_swizzle(layout, "r", out);
        base_strbuf_puts(out, "]");
    } else {
        char row[40];
        snprintf(row, sizeof(row), "i / %" PRIu64, layout->row);
        base_strbuf_printf(out, "%s[i ^ ", array->name);
        print_swizzle(layout, row, out);
        base_strbuf_puts(out, "]");
    }
}
