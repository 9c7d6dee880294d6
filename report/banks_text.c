/* Lanes and banks on a terminal: a chart of wavefronts by banks, the array with each element's bank, and the cures. */
#include "report/picture_words.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

enum { MAP_COLUMNS = 33, MAP_ROWS = 33, BROADCASTS_SHOWN = 6 };

struct page {
    const struct advise_banks *banks;
    const struct report_picture *picture;
    struct base_strbuf *out;
};

static void style(const struct page *page, const char *code)
{
    if (page->picture->colour)
        base_strbuf_style(page->out, code);
}

/* A background for each bank: the 6 x 6 x 6 cube's full colours in a circle, so that neighbours look alike and a column
 * of one colour stands out. */
static void bank_style(const struct page *page, uint32_t bank, bool touched)
{
    static const uint8_t circle[32] = {217, 216, 215, 222, 221, 228, 227, 192, 191, 190, 155, 154, 120, 119, 84,  85,
                                       86,  87,  123, 117, 111, 105, 99,  141, 135, 171, 177, 207, 206, 213, 212, 211};
    uint32_t at = bank * 32 / page->banks->query.device->bank_count % 32;
    char code[32];
    snprintf(code, sizeof(code), touched ? "1;40;38;5;%u" : "30;48;5;%u", circle[at]);
    style(page, code);
}

static void headline(const struct page *page, const struct advise_access_banks *access)
{
    const struct sim_device *device = page->banks->query.device;
    style(page, "1");
    base_strbuf_puts(page->out, access->pattern->text);
    style(page, "0");
    if (!access->pattern->who) {
        base_strbuf_puts(page->out, "   of ");
        report_declaration(page->out, page->banks->query.array);
    }
    base_strbuf_printf(page->out, "   on %s: %u banks of %u bytes\n", device->name, device->bank_count,
                       device->bank_bytes);
    report_access_words(page->out, access->pattern, access->view.warp, page->picture);
    base_strbuf_puts(page->out, "\n\n  ");
    style(page, access->view.conflict_free ? "1;32" : "1;31");
    report_bank_verdict(page->out, &access->view);
    style(page, "0");
    base_strbuf_putc(page->out, '\n');
    if (access->pattern->warp_count > 1) {
        base_strbuf_printf(page->out, access->pattern->who ? "  %u different executions: " : "  all %u warps: ",
                           access->pattern->warp_count);
        report_number_of(page->out, access->cost.wavefronts, "wavefront");
        if (access->cost.ideal < access->cost.wavefronts && !access->cost.conflict_free) {
            base_strbuf_puts(page->out, " where ");
            report_count(page->out, access->cost.ideal);
            base_strbuf_puts(page->out, " would do");
        }
        base_strbuf_putc(page->out, '\n');
    }
}

/* Lanes that a bank serves in one turn. */
static uint32_t lanes_at(const struct advise_bank_view *view, uint32_t turn, uint32_t bank, uint32_t bank_count)
{
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t from = view->bank[lane];
        if (view->mask >> lane & 1 && view->turn[lane] == turn &&
            (bank + bank_count - from) % bank_count < view->banks_each)
            lanes |= UINT32_C(1) << lane;
    }
    return lanes;
}

static void chart_cell(const struct page *page, const struct advise_bank_view *view, uint32_t turn, uint32_t bank)
{
    uint32_t lanes = lanes_at(view, turn, bank, page->banks->query.device->bank_count);
    if (lanes == 0) {
        style(page, "2");
        base_strbuf_puts(page->out, " \xc2\xb7 ");
        style(page, "0");
        return;
    }
    uint32_t first = (uint32_t)__builtin_ctz(lanes);
    style(page, advise_bank_conflicts(view, first) ? "1;31" : "1;32");
    if (view->bank[first] == bank)
        base_strbuf_printf(page->out, "%2u%c", first, (lanes & (lanes - 1)) != 0 ? '+' : ' ');
    else
        base_strbuf_puts(page->out, "\xe2\x94\x80\xe2\x94\x80 "); /* the rest of a wide access */
    style(page, "0");
}

static void chart(const struct page *page, const struct advise_bank_view *view)
{
    uint32_t bank_count = page->banks->query.device->bank_count;
    base_strbuf_puts(page->out, "\nLanes, by the bank that serves them and the wavefront in which it does\n    ");
    style(page, "4");
    for (uint32_t bank = 0; bank < bank_count; bank++)
        base_strbuf_printf(page->out, "%2u ", bank);
    base_strbuf_puts(page->out, "bank");
    style(page, "0");
    base_strbuf_putc(page->out, '\n');
    for (uint32_t turn = 0; turn < view->wavefronts.actual; turn++) {
        base_strbuf_printf(page->out, "%3u ", turn + 1);
        for (uint32_t bank = 0; bank < bank_count; bank++)
            chart_cell(page, view, turn, bank);
        base_strbuf_putc(page->out, '\n');
    }
    for (uint32_t i = 0; i < view->broadcast_count && i < BROADCASTS_SHOWN; i++) {
        const struct advise_broadcast *broadcast = &view->broadcasts[i];
        base_strbuf_printf(page->out, "  + bank %u, byte %llu: one word for lanes ",
                           view->bank[__builtin_ctz(broadcast->lanes)], (unsigned long long)broadcast->address);
        report_lane_list(page->out, broadcast->lanes);
        base_strbuf_putc(page->out, '\n');
    }
    if (view->broadcast_count > BROADCASTS_SHOWN)
        base_strbuf_printf(page->out, "  + and %u more words for several lanes each\n",
                           view->broadcast_count - BROADCASTS_SHOWN);
}

static void map_row(const struct page *page, const struct advise_access_banks *access, const struct report_map *map,
                    uint64_t row)
{
    base_strbuf_printf(page->out, "%3llu ", (unsigned long long)row);
    for (uint64_t column = 0; column < map->columns && column < MAP_COLUMNS; column++) {
        uint64_t element = row * map->columns + column;
        uint32_t bank = report_map_bank(page->banks, element);
        bool touched = report_map_touches(access->pattern, access->view.warp, element);
        bank_style(page, bank, touched);
        base_strbuf_printf(page->out, "%2u%c", bank, touched ? '*' : ' ');
        style(page, "0");
    }
    base_strbuf_puts(page->out, map->columns > MAP_COLUMNS ? "...\n" : "\n");
}

/* Arrays with rows: the element's bank, and what the warp touches. */
static void map(const struct page *page, const struct advise_access_banks *access)
{
    struct report_map map = report_map_of(page->banks);
    if (page->banks->query.array->dim_count < 2 || map.rows == 0)
        return;
    base_strbuf_puts(page->out, "\nThe bank of each element; * is touched by this warp\n    ");
    style(page, "4");
    for (uint64_t column = 0; column < map.columns && column < MAP_COLUMNS; column++)
        base_strbuf_printf(page->out, "%2llu ", (unsigned long long)column % 100);
    style(page, "0");
    base_strbuf_putc(page->out, '\n');
    for (uint64_t row = 0; row < map.rows && row < MAP_ROWS; row++)
        map_row(page, access, &map, map.first_row + row);
    if (map.rows > MAP_ROWS) {
        base_strbuf_puts(page->out, "    ... ");
        report_number_of(page->out, map.rows - MAP_ROWS, "more row");
        base_strbuf_putc(page->out, '\n');
    }
}

static void cure(const struct page *page, const struct advise_cure *cure, const char *name, const char *absent)
{
    base_strbuf_printf(page->out, "  %-9s", name);
    if (!cure->found) {
        base_strbuf_printf(page->out, "%s\n", absent);
        return;
    }
    style(page, "1");
    advise_layout_print(&cure->layout, page->banks->query.array, page->out);
    style(page, "0");
    base_strbuf_puts(page->out, "   ");
    report_cure_words(page->out, page->banks, cure);
    base_strbuf_putc(page->out, '\n');
    if (!cure->has_walks)
        return;
    base_strbuf_puts(page->out, "           ");
    report_walk_words(page->out, cure);
    base_strbuf_putc(page->out, '\n');
}

void report_banks_text(const struct advise_banks *banks, const struct report_picture *picture, struct base_strbuf *out)
{
    struct page page = {banks, picture, out};
    bool conflict = false;
    for (uint32_t i = 0; i < banks->access_count; i++) {
        const struct advise_access_banks *access = &banks->accesses[i];
        conflict = conflict || !access->cost.conflict_free;
        if (i > 0)
            base_strbuf_putc(out, '\n');
        headline(&page, access);
        if (access->view.mask != 0)
            chart(&page, &access->view);
        map(&page, access);
    }
    if (!conflict)
        return;
    base_strbuf_printf(out, "\nWhat would help, tried out on all %s%s\n",
                       banks->access_count > 1 ? "accesses and " : "",
                       banks->accesses[0].pattern->who ? "these executions" : "warps");
    cure(&page, &banks->padding, "padding", "no longer row helps");
    cure(&page, &banks->swizzle, "swizzle", "no XOR of the column with the row helps");
}
