/* Pictures of what a warp's lanes touch: banks of shared memory, sectors of global memory. Instructions whose worst
 * execution looks the same share a picture. */
#include "report/html_parts.h"

#include "advise/picture.h"
#include "report/picture.h"
#include "report/picture_words.h"

#include <stdlib.h>
#include <string.h>

enum { PICTURES_MAX = 8, PICTURES_BRIEF = 2 }; /* of each kind */

/* ---- Which pictures ---- */

static int by_excess(const void *a, const void *b)
{
    const struct html_picture *x = a, *y = b;
    uint64_t left = report_insn_excess(x->insn), right = report_insn_excess(y->insn);
    if (left != right)
        return left > right ? -1 : 1;
    return x->insn->pc < y->insn->pc ? -1 : x->insn->pc > y->insn->pc;
}

size_t html_picture_of(const struct html *h, const struct sim_insn_report *insn)
{
    return h->picture_of ? h->picture_of[insn - h->report->insns] : 0;
}

static bool is_shared(const struct advise_watched *item)
{
    return item->space == ISA_SPACE_SHARED;
}

/* Pictures look the same when banks, or places in a line, are the same. */
static uint64_t unit_of(const struct html *h, const struct advise_watched *item)
{
    const struct sim_device *device = h->launch->device;
    return is_shared(item) ? (uint64_t)device->bank_count * device->bank_bytes : device->line_bytes;
}

/* Gives a candidate its picture: an older one that looks the same, or one of its own while there is room. */
static void take(struct html *h, const struct html_picture *candidate, size_t counts[2])
{
    const bool shared = is_shared(candidate->item);
    size_t number = 0;
    for (size_t i = 0; i < h->picture_count && number == 0; i++) {
        const struct advise_watched *other = h->pictures[i].item;
        if (other->space == candidate->item->space &&
            advise_captured_alike(other->captured, candidate->item->captured, unit_of(h, other)))
            number = i + 1;
    }
    if (number == 0 && counts[shared] < (h->launch->brief ? PICTURES_BRIEF : PICTURES_MAX)) {
        counts[shared]++;
        h->pictures[h->picture_count++] = *candidate;
        number = h->picture_count;
    }
    if (number == 0)
        h->pictures_missing[shared]++;
    else
        h->picture_of[candidate->insn - h->report->insns] = number;
}

/* The picture that an instruction of the report would have in a space. */
static bool find(const struct html *h, const struct sim_insn_report *insn, uint8_t space,
                 struct html_picture *candidate)
{
    const struct isa_function *function = &h->launch->module->functions[insn->function];
    const struct advise_watched *item = advise_watch_find(h->launch->watch, &function->insns[insn->insn], space);
    *candidate = (struct html_picture){item, insn};
    return item && item->captured->kept_count > 0;
}

void html_access_plan(struct html *h)
{
    size_t count = 0, counts[2] = {0, 0}, most = 2 * h->report->insn_count;
    if (!h->launch->watch || !h->launch->module)
        return;
    struct html_picture *candidates = base_arena_alloc(&h->arena, most, sizeof(*candidates));
    h->pictures = base_arena_alloc(&h->arena, most, sizeof(*h->pictures));
    h->picture_of = base_arena_alloc(&h->arena, h->report->insn_count, sizeof(*h->picture_of));
    if (!candidates || !h->pictures || !h->picture_of) {
        h->out->failed = true;
        h->picture_of = NULL;
        return;
    }
    for (size_t i = 0; i < h->report->insn_count; i++) {
        const struct sim_insn_report *insn = &h->report->insns[i];
        count += insn->is_global && find(h, insn, ISA_SPACE_GLOBAL, &candidates[count]);
        count += insn->is_shared && find(h, insn, ISA_SPACE_SHARED, &candidates[count]);
    }
    if (count > 0)
        qsort(candidates, count, sizeof(candidates[0]), by_excess);
    for (size_t i = 0; i < count; i++)
        take(h, &candidates[i], counts);
}

static bool has_kind(const struct html *h, bool shared)
{
    for (size_t i = 0; i < h->picture_count; i++) {
        if (is_shared(h->pictures[i].item) == shared)
            return true;
    }
    return false;
}

bool html_shared_has(const struct html *h)
{
    return has_kind(h, true);
}

bool html_global_has(const struct html *h)
{
    return has_kind(h, false);
}

/* ---- One picture ---- */

/* Other instructions that the picture stands for. */
static void put_others(struct html *h, size_t number)
{
    size_t count = 0;
    for (size_t i = 0; i < h->report->insn_count; i++) {
        const struct sim_insn_report *insn = &h->report->insns[i];
        if (html_picture_of(h, insn) != number || insn == h->pictures[number - 1].insn)
            continue;
        html_puts(h, count++ == 0 ? "<p>It looks the same at " : ", ");
        html_puts(h, "<a href=\"#");
        html_anchor_n(h, "pc", insn->pc);
        html_puts(h, "\">");
        html_place(h, insn->file, insn->line);
        html_puts(h, "</a>");
    }
    if (count > 0)
        html_puts(h, ".</p>\n");
}

/* "1,024 requests, 32 wavefronts each where 1 would do" */
static void put_totals(struct html *h, const struct sim_insn_report *insn, bool shared)
{
    uint64_t actual = shared ? insn->wavefronts : insn->sectors;
    uint64_t needed = shared ? insn->wavefronts_ideal : insn->sectors_ideal;
    struct base_strbuf text = {0};
    report_number_of(&text, insn->requests, "request");
    base_strbuf_puts(&text, ", ");
    report_number_of(&text, actual, shared ? "wavefront" : "sector");
    base_strbuf_puts(&text, ": ");
    report_ratio(&text, actual, insn->requests);
    base_strbuf_puts(&text, " a request");
    if (actual > needed) {
        base_strbuf_puts(&text, " where ");
        report_ratio(&text, needed, insn->requests);
        base_strbuf_puts(&text, " would do");
    }
    html_puts(h, "<p>In all executions: ");
    html_taken(h, &text);
    html_puts(h, ".</p>\n");
}

static void draw_banks(struct html *h, const struct advise_picture *picture)
{
    struct base_diags diags = {0};
    struct advise_banks *banks = base_arena_alloc(&h->arena, 1, sizeof(*banks));
    const struct advise_banks_query query = {.device = h->launch->device,
                                             .array = &picture->array,
                                             .offset_bytes = 0,
                                             .patterns = (const struct advise_pattern *const *)picture->patterns,
                                             .pattern_count = picture->count};
    const struct report_picture style = {.in_page = true, .first_only = true, .no_cures = picture->too_many};
    if (!banks)
        h->out->failed = true;
    else if (advise_banks_look(&query, UINT32_MAX, banks, &diags) == BASE_OK)
        report_banks_svg(banks, &style, h->out);
    base_diags_free(&diags);
}

static void draw_sectors(struct html *h, const struct advise_picture *picture)
{
    struct base_diags diags = {0};
    struct advise_sectors *sectors = base_arena_alloc(&h->arena, 1, sizeof(*sectors));
    const struct report_picture style = {.in_page = true};
    if (!sectors)
        h->out->failed = true;
    else if (advise_sectors_look(h->launch->device, &picture->array, 0, picture->patterns[0], picture->item->worst,
                                 sectors, &diags) == BASE_OK)
        report_sectors_svg(sectors, 1, &style, h->out);
    base_diags_free(&diags);
}

static void put_picture(struct html *h, size_t number)
{
    const struct html_picture *shown = &h->pictures[number - 1];
    const bool shared = is_shared(shown->item);
    struct advise_picture picture;
    if (advise_picture_make(h->launch->watch, shown->item, shown->insn->text ? shown->insn->text : "", &h->arena,
                            &picture) != BASE_OK) {
        h->out->failed = true;
        return;
    }
    html_puts(h, "<figure id=\"");
    html_anchor_n(h, "picture", number);
    html_puts(h, "\">\n<figcaption>\n<h4>");
    bool linked = html_line_link(h, shown->insn->file, shown->insn->line);
    html_place(h, shown->insn->file, shown->insn->line);
    html_puts(h, linked ? "</a> <code>" : " <code>");
    html_text(h, shown->insn->text ? shown->insn->text : "");
    html_puts(h, "</code></h4>\n");
    put_totals(h, shown->insn, shared);
    put_others(h, number);
    html_puts(h, "</figcaption>\n");
    html_scroll_begin(h, shared ? "Picture of lanes and banks" : "Picture of lanes and sectors");
    (shared ? draw_banks : draw_sectors)(h, &picture);
    html_scroll_end(h);
    html_puts(h, "</figure>\n");
}

static void put_kind(struct html *h, bool shared)
{
    for (size_t i = 0; i < h->picture_count; i++) {
        if (is_shared(h->pictures[i].item) == shared)
            put_picture(h, i + 1);
    }
    if (h->pictures_missing[shared] > 0) {
        html_puts(h, "<p>");
        html_number_of(h, h->pictures_missing[shared], "instruction");
        html_puts(h, " with less waste than these have no picture here; simtlab banks and sectors --kernel-line draw "
                     "those of a line.</p>\n");
    }
}

void html_shared(struct html *h)
{
    html_puts(h, "<p>Shared memory has banks that each give one word at a time. Lanes that ask one bank for different "
                 "words wait for each other: each round is a wavefront. The pictures show the worst execution of each "
                 "instruction.</p>\n");
    put_kind(h, true);
}

void html_global(struct html *h)
{
    html_puts(h, "<p>Global memory moves in sectors of ");
    html_textf(h, "%u", h->launch->device->sector_bytes);
    html_puts(h, " bytes. The fewer sectors a warp's lanes touch, the less is moved. The pictures show the worst "
                 "execution of each instruction.</p>\n");
    put_kind(h, false);
}
