/* What pictures say in words, for every form the same. */
#include "report/picture_words.h"

#include "report/report.h"

#include <inttypes.h>

void report_declaration(struct base_strbuf *out, const struct advise_array *array)
{
    if (array->dim_count == 1 && array->dims[0] == 0) {
        base_strbuf_printf(out, "%s *%s", array->type.name, array->name);
        return;
    }
    base_strbuf_printf(out, "%s %s", array->type.name, array->name);
    for (uint32_t i = 0; i < array->dim_count; i++) {
        base_strbuf_putc(out, '[');
        if (array->dims[i] > 0)
            base_strbuf_printf(out, "%" PRIu64, array->dims[i]);
        base_strbuf_putc(out, ']');
    }
}

void report_lane_list(struct base_strbuf *out, uint32_t mask)
{
    const char *between = "";
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t last = lane;
        if (!(mask >> lane & 1))
            continue;
        while (last < 31 && mask >> (last + 1) & 1)
            last++;
        base_strbuf_printf(out, last > lane ? "%s%u-%u" : "%s%u", between, lane, last);
        between = ", ";
        lane = last;
    }
}

const char *report_access_kind(enum sim_shared_kind kind)
{
    return kind == SIM_SHARED_LOAD ? "load" : kind == SIM_SHARED_STORE ? "store" : "atomic";
}

void report_access_words(struct base_strbuf *out, const struct advise_pattern *pattern, uint32_t warp,
                         const struct report_picture *picture)
{
    base_strbuf_printf(out, "%s of %u byte%s a lane by ", report_access_kind(pattern->kind), pattern->width_bytes,
                       pattern->width_bytes == 1 ? "" : "s");
    if (pattern->who) {
        base_strbuf_puts(out, pattern->who);
    } else {
        base_strbuf_printf(out, "warp %u", warp);
        if (picture->shape)
            base_strbuf_printf(out, " of a block of %u x %u x %u threads", picture->shape->block_dim[0],
                               picture->shape->block_dim[1], picture->shape->block_dim[2]);
    }
}

void report_number_of(struct base_strbuf *out, uint64_t count, const char *singular)
{
    report_count(out, count);
    base_strbuf_printf(out, " %s%s", singular, count == 1 ? "" : "s");
}

void report_bank_verdict(struct base_strbuf *out, const struct advise_bank_view *view)
{
    if (view->mask == 0) {
        base_strbuf_puts(out, "no lane takes part");
        return;
    }
    if (view->conflict_free)
        base_strbuf_puts(out, "no bank conflict: ");
    else
        base_strbuf_printf(out, "%u-way bank conflict: ", view->degree);
    report_number_of(out, view->wavefronts.actual, "wavefront");
    if (!view->conflict_free && view->wavefronts.ideal < view->wavefronts.actual)
        base_strbuf_printf(out, " where %u would do", view->wavefronts.ideal);
}

static uint64_t wavefronts_before(const struct advise_banks *banks)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < banks->access_count; i++)
        sum += banks->accesses[i].cost.wavefronts;
    return sum;
}

void report_cure_words(struct base_strbuf *out, const struct advise_banks *banks, const struct advise_cure *cure)
{
    base_strbuf_puts(out, cure->conflict_free ? "cures it: " : "lessens it: ");
    report_number_of(out, cure->wavefronts, "wavefront");
    base_strbuf_puts(out, " for ");
    report_count(out, wavefronts_before(banks));
    if (cure->extra_bytes > 0) {
        base_strbuf_puts(out, ", ");
        report_number_of(out, cure->extra_bytes, "byte");
        base_strbuf_puts(out, " more");
    }
    if (banks->query.array->dim_count == 1 && cure->layout.pad > 0)
        base_strbuf_printf(out, "; rows of %" PRIu64 " for rows of %" PRIu64, cure->layout.row + cure->layout.pad,
                           cure->layout.row);
    if (banks->query.array->dim_count > 2 && cure->layout.mask != 0)
        base_strbuf_puts(out, "; r counts the rows of all layers");
    if (!cure->fits)
        base_strbuf_printf(out, "; more than a block on %s has", banks->query.device->name);
}

void report_walk_words(struct base_strbuf *out, const struct advise_cure *cure)
{
    base_strbuf_puts(out, "the tile by rows: ");
    report_number_of(out, cure->row_walk, "wavefront");
    base_strbuf_puts(out, cure->row_walk_free ? " a warp, no conflict; by columns: " : " a warp; by columns: ");
    report_number_of(out, cure->column_walk, "wavefront");
    base_strbuf_puts(out, cure->column_walk_free ? ", no conflict" : "");
}

void report_sector_verdict(struct base_strbuf *out, const struct advise_sector_view *view)
{
    if (view->mask == 0) {
        base_strbuf_puts(out, "no lane takes part");
        return;
    }
    report_number_of(out, view->sectors, "sector");
    if (view->sectors > view->sectors_ideal)
        base_strbuf_printf(out, " where %u would do", view->sectors_ideal);
    base_strbuf_puts(out, "; ");
    report_count(out, view->used_bytes);
    base_strbuf_puts(out, " of ");
    report_count(out, view->fetched_bytes);
    base_strbuf_printf(out, " bytes moved are used, %.4g %%", view->efficiency_pct);
}

bool report_sector_advice(struct base_strbuf *out, const struct advise_sector_view *view, unsigned index)
{
    bool misaligned = view->sectors_if_aligned < view->sectors;
    bool apart = view->distance_bytes != view->width_bytes && view->sectors_if_packed < view->sectors_if_aligned;
    if (misaligned && index-- == 0) {
        base_strbuf_printf(out, "It begins %u bytes after a sector's start; from a sector's start it would be ",
                           view->misaligned_bytes);
        report_number_of(out, view->sectors_if_aligned, "sector");
        return true;
    }
    if (apart && index-- == 0) {
        bool even = view->distance_bytes > 0 && view->distance_bytes <= INT64_MAX;
        if (even) {
            base_strbuf_puts(out, "Neighbouring lanes are ");
            report_number_of(out, view->distance_bytes, "byte");
            base_strbuf_puts(out, " apart; ");
        }
        base_strbuf_puts(out, even ? "with" : "With");
        base_strbuf_puts(out, " their data side by side they would need ");
        report_number_of(out, view->sectors_if_packed, "sector");
        return true;
    }
    if (view->whole_lines && index-- == 0) {
        base_strbuf_printf(out, "This GPU's L1 fetches whole lines of %u bytes: ", view->line_bytes);
        report_number_of(out, view->lines, "line");
        return true;
    }
    return false;
}

struct report_map report_map_of(const struct advise_banks *banks)
{
    const struct advise_array *array = banks->query.array;
    const struct sim_device *device = banks->query.device;
    struct report_map map = {.columns = advise_array_row(array)};
    uint64_t first = UINT64_MAX, last = 0;
    for (uint32_t i = 0; i < banks->access_count; i++) {
        const struct advise_pattern *pattern = banks->accesses[i].pattern;
        /* Of a real run, what is drawn; of an expression, what all warps touch. */
        bool captured = banks->accesses[0].pattern->who != NULL;
        for (uint32_t at = 0; at < pattern->warp_count * 32; at++) {
            if (captured && (!pattern->who || at / 32 != banks->accesses[i].view.warp))
                continue;
            if (!(pattern->warps[at / 32].mask >> at % 32 & 1))
                continue;
            uint64_t element = pattern->warps[at / 32].element[at % 32];
            first = element < first ? element : first;
            last = element > last ? element : last;
        }
    }
    if (array->dim_count == 1)
        map.columns = (uint64_t)device->bank_count * device->bank_bytes / array->type.bytes;
    if (map.columns == 0 || first == UINT64_MAX)
        return (struct report_map){0};
    uint64_t all = advise_array_elements(array);
    if (array->dim_count == 1 || all == 0) {
        map.first_row = first / map.columns;
        map.rows = last / map.columns - map.first_row + 1;
    } else {
        map.rows = all / map.columns;
    }
    return map;
}

uint32_t report_map_bank(const struct advise_banks *banks, uint64_t element)
{
    const struct sim_device *device = banks->query.device;
    uint64_t address = banks->query.offset_bytes + element * banks->query.array->type.bytes;
    return (uint32_t)(address / device->bank_bytes % device->bank_count);
}

bool report_map_touches(const struct advise_pattern *pattern, uint32_t warp, uint64_t element)
{
    const struct advise_lanes *lanes = &pattern->warps[warp];
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (lanes->mask >> lane & 1 && lanes->element[lane] == element)
            return true;
    }
    return false;
}

uint32_t report_map_warp(const struct advise_pattern *pattern, uint64_t element)
{
    for (uint32_t warp = 0; warp < pattern->warp_count; warp++) {
        if (report_map_touches(pattern, warp, element))
            return warp;
    }
    return UINT32_MAX;
}
