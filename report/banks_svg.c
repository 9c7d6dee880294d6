/* Lanes and banks as a picture: threads joined with the words that their banks give (the guide's figures 15 and 16),
 * and beside it the array, coloured by bank, with the warp that touches each element (figures 17 and 18). */
#include "report/picture_words.h"
#include "report/report.h"
#include "report/svg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* In tenths of a pixel. */
enum {
    MARGIN = 200,
    LINE = 190, /* of text */
    ROW = 170,  /* of a thread or a bank */
    BOX_HEIGHT = 140,
    LANE_X = 200,
    LANE_WIDTH = 340,
    BANK_X = 2700,     /* where words begin */
    BANK_LABEL = 320,  /* before them */
    TURN = 300,        /* of a wavefront's column */
    NARROW_TURN = 170, /* of one of many */
    LEAST_TURNS = 4,
    MAP_GAP = 700,
    CELL = 175,
    MAP_HEADING = 4400, /* the words above need so much */
    MAP_COLUMNS = 66,
    MAP_ROWS = 64,
    LEAST_WIDTH = 7600,
};

struct drawing {
    const struct advise_banks *banks;
    const struct report_picture *picture;
    struct base_strbuf *out;
};

static struct report_svg_point at(int32_t x, int32_t y)
{
    return (struct report_svg_point){x, y};
}

/* A text made by one of the writers of words; it is freed. */
static void put_taken(const struct drawing *d, const char *style, int32_t x, int32_t y, struct base_strbuf *text)
{
    report_svg_text(d->out, style, at(x, y), REPORT_SVG_START, text->data ? text->data : "");
    d->out->failed |= text->failed;
    base_strbuf_free(text);
}

static void put_uint(const struct drawing *d, const char *style, int32_t x, int32_t y, enum report_svg_anchor anchor,
                     uint64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRIu64, value);
    report_svg_text(d->out, style, at(x, y), anchor, text);
}

/* ---- Threads and banks ---- */

static int32_t turn_width(const struct advise_bank_view *view)
{
    return view->wavefronts.actual > 8 ? NARROW_TURN : TURN;
}

static int32_t words_width(const struct advise_bank_view *view)
{
    uint32_t turns = view->wavefronts.actual > LEAST_TURNS ? view->wavefronts.actual : LEAST_TURNS;
    return (int32_t)turns * turn_width(view);
}

/* Lanes that are given the same word at once with this one. */
static uint32_t companions(const struct advise_bank_view *view, uint32_t lane)
{
    uint32_t lanes = 0;
    for (uint32_t other = 0; other < 32; other++) {
        if (view->mask >> other & 1 && view->bank[other] == view->bank[lane] && view->turn[other] == view->turn[lane])
            lanes |= UINT32_C(1) << other;
    }
    return lanes;
}

/* A box for each word: in the row of its bank, in the column of its wavefront. */
static void draw_words(const struct drawing *d, const struct advise_bank_view *view, int32_t top)
{
    int32_t width = turn_width(view), height = (int32_t)view->banks_each * ROW - (ROW - BOX_HEIGHT);
    for (uint32_t lane = 0; lane < 32; lane++) {
        char text[16];
        uint32_t lanes = companions(view, lane);
        int32_t x = BANK_X + (int32_t)view->turn[lane] * width, y = top + (int32_t)view->bank[lane] * ROW;
        if (!(view->mask >> lane & 1) || (lanes & ((UINT32_C(1) << lane) - 1)) != 0)
            continue;
        snprintf(text, sizeof(text), (lanes & (lanes - 1)) != 0 ? "\xc3\x97%u" : "%u",
                 (lanes & (lanes - 1)) != 0 ? (uint32_t)__builtin_popcount(lanes) : lane);
        report_svg_rect(d->out, advise_bank_conflicts(view, lane) ? "clash" : "word", at(x + 10, y), width - 20,
                        height);
        report_svg_text(d->out, "tiny", at(x + width / 2, y + height / 2 + 35), REPORT_SVG_MIDDLE, text);
    }
}

static void draw_links(const struct drawing *d, const struct advise_bank_view *view, int32_t top)
{
    int32_t middle = ((int32_t)view->banks_each * ROW - (ROW - BOX_HEIGHT)) / 2;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (view->mask >> lane & 1)
            report_svg_line(d->out, advise_bank_conflicts(view, lane) ? "badlink" : "link",
                            at(LANE_X + LANE_WIDTH, top + (int32_t)lane * ROW + BOX_HEIGHT / 2),
                            at(BANK_X - BANK_LABEL, top + (int32_t)view->bank[lane] * ROW + middle));
    }
}

static void draw_bank_rows(const struct drawing *d, const struct advise_bank_view *view, int32_t top)
{
    uint32_t bank_count = d->banks->query.device->bank_count;
    for (uint32_t bank = 0; bank < bank_count; bank++) {
        int32_t y = top + (int32_t)bank * ROW;
        char style[16];
        snprintf(style, sizeof(style), "cell k%u", bank * REPORT_SVG_COLOURS / bank_count);
        report_svg_rect(d->out, "bank", at(BANK_X - 20, y - 5), words_width(view) + 40, BOX_HEIGHT + 10);
        report_svg_rect(d->out, style, at(BANK_X - BANK_LABEL, y), BANK_LABEL - 60, BOX_HEIGHT);
        put_uint(d, "num", BANK_X - BANK_LABEL / 2 - 30, y + 110, REPORT_SVG_MIDDLE, bank);
    }
    for (uint32_t turn = 0; turn < view->wavefronts.actual; turn++)
        put_uint(d, "small", BANK_X + (int32_t)turn * turn_width(view) + turn_width(view) / 2, top - 50,
                 REPORT_SVG_MIDDLE, turn + UINT64_C(1));
}

static void draw_banks(const struct drawing *d, const struct advise_bank_view *view, int32_t top)
{
    report_svg_text(d->out, "heading", at(LANE_X, top - 220), REPORT_SVG_START, "Threads (lanes)");
    report_svg_text(d->out, "heading", at(BANK_X - BANK_LABEL, top - 220), REPORT_SVG_START, "Banks, by wavefront");
    draw_links(d, view, top);
    draw_bank_rows(d, view, top);
    for (uint32_t lane = 0; lane < 32; lane++) {
        int32_t y = top + (int32_t)lane * ROW;
        report_svg_rect(d->out, view->mask >> lane & 1 ? "box" : "off", at(LANE_X, y), LANE_WIDTH, BOX_HEIGHT);
        if (view->mask >> lane & 1)
            put_uint(d, "num", LANE_X + LANE_WIDTH / 2, y + 110, REPORT_SVG_MIDDLE, lane);
    }
    draw_words(d, view, top);
}

/* ---- The array ---- */

static void draw_cell(const struct drawing *d, const struct advise_access_banks *access, uint64_t element, int32_t x,
                      int32_t y)
{
    char style[16];
    uint32_t bank_count = d->banks->query.device->bank_count, warp = report_map_warp(access->pattern, element);
    snprintf(style, sizeof(style), "cell k%u", report_map_bank(d->banks, element) * REPORT_SVG_COLOURS / bank_count);
    report_svg_rect(d->out, style, at(x, y), CELL, CELL);
    if (warp != UINT32_MAX && !access->pattern->who)
        put_uint(d, "tiny", x + CELL / 2, y + 120, REPORT_SVG_MIDDLE, warp);
}

/* A captured access is shown by lines of all banks: a column is one bank, and no cell has a number. */
static void draw_strips(const struct drawing *d, const struct report_map *map, uint64_t columns, uint64_t rows,
                        int32_t left, int32_t top)
{
    uint32_t bank_count = d->banks->query.device->bank_count;
    for (uint64_t column = 0; column < columns; column++) {
        char style[16];
        uint32_t bank = report_map_bank(d->banks, map->first_row * map->columns + column);
        snprintf(style, sizeof(style), "cell k%u", bank * REPORT_SVG_COLOURS / bank_count);
        report_svg_rect(d->out, style, at(left + (int32_t)column * CELL, top), CELL, (int32_t)rows * CELL);
    }
    for (uint64_t row = 1; row < rows; row++)
        report_svg_line(d->out, "rule", at(left, top + (int32_t)row * CELL),
                        at(left + (int32_t)columns * CELL, top + (int32_t)row * CELL));
}

static void draw_map(const struct drawing *d, const struct advise_access_banks *access, const struct report_map *map,
                     int32_t left, int32_t top)
{
    uint64_t columns = map->columns < MAP_COLUMNS ? map->columns : MAP_COLUMNS;
    uint64_t rows = map->rows < MAP_ROWS ? map->rows : MAP_ROWS;
    uint64_t all = advise_array_elements(d->banks->query.array);
    for (uint64_t column = 0; column < columns; column++)
        put_uint(d, "small", left + (int32_t)column * CELL + CELL / 2, top - 50, REPORT_SVG_MIDDLE, column);
    const bool strips = access->pattern->who != NULL && d->banks->query.array->dim_count == 1 && all == 0;
    if (strips)
        draw_strips(d, map, columns, rows, left, top);
    for (int pass = strips; pass < 2; pass++) { /* outlines lie over all cells */
        for (uint64_t i = 0; i < rows * columns; i++) {
            uint64_t element = (map->first_row + i / columns) * map->columns + i % columns;
            int32_t x = left + (int32_t)(i % columns) * CELL, y = top + (int32_t)(i / columns) * CELL;
            if (all > 0 && element >= all)
                continue;
            if (pass == 0)
                draw_cell(d, access, element, x, y);
            else if (report_map_touches(access->pattern, access->view.warp, element))
                report_svg_rect(d->out, "hot", at(x + 8, y + 8), CELL - 16, CELL - 16);
        }
    }
    for (uint64_t row = 0; row < rows; row++)
        put_uint(d, "small", left - 50, top + (int32_t)row * CELL + 125, REPORT_SVG_END, map->first_row + row);
    if (map->rows > rows || map->columns > columns)
        report_svg_text(d->out, "small", at(left, top + (int32_t)rows * CELL + 140), REPORT_SVG_START,
                        "... the array goes on");
}

/* ---- Sections ---- */

struct section {
    int32_t width, height;
};

static bool has_map(const struct report_map *map)
{
    return map->rows > 0 && map->columns > 0;
}

enum { HEAD = 3 * LINE + 500 };

static struct section section_of(const struct drawing *d, const struct advise_access_banks *access)
{
    struct report_map map = report_map_of(d->banks);
    uint32_t lanes = d->banks->query.device->bank_count > 32 ? d->banks->query.device->bank_count : 32;
    struct section section = {.width = BANK_X + words_width(&access->view) + MARGIN,
                              .height = HEAD + (int32_t)lanes * ROW + MARGIN};
    if (has_map(&map)) {
        int32_t columns = (int32_t)(map.columns < MAP_COLUMNS ? map.columns : MAP_COLUMNS);
        int32_t rows = (int32_t)(map.rows < MAP_ROWS ? map.rows : MAP_ROWS);
        section.width += MAP_GAP + (columns * CELL > MAP_HEADING ? columns * CELL : MAP_HEADING);
        if (section.height < HEAD + rows * CELL + 2 * MARGIN)
            section.height = HEAD + rows * CELL + 2 * MARGIN;
    }
    return section;
}

static void draw_section(const struct drawing *d, const struct advise_access_banks *access, int32_t top)
{
    struct base_strbuf text = {0};
    struct report_map map = report_map_of(d->banks);
    base_strbuf_puts(&text, access->pattern->text);
    if (!access->pattern->who) {
        base_strbuf_puts(&text, " of ");
        report_declaration(&text, d->banks->query.array);
    }
    put_taken(d, "title", MARGIN, top + 180, &text);
    report_access_words(&text, access->pattern, access->view.warp, d->picture);
    put_taken(d, "label", MARGIN, top + 180 + LINE + 20, &text);
    report_bank_verdict(&text, &access->view);
    put_taken(d, access->view.conflict_free ? "good" : "bad", MARGIN, top + 180 + 2 * LINE + 20, &text);
    draw_banks(d, &access->view, top + HEAD);
    if (!has_map(&map))
        return;
    int32_t left = BANK_X + words_width(&access->view) + MAP_GAP;
    report_svg_text(d->out, "heading", at(left, top + HEAD - 220), REPORT_SVG_START,
                    access->pattern->who ? "Colour: bank. Outlined: what the warp touches"
                                         : "Colour: bank. Number: warp. Outlined: what this warp touches");
    draw_map(d, access, &map, left, top + HEAD);
}

static int32_t draw_cure(const struct drawing *d, const struct advise_cure *cure, const char *name, const char *absent,
                         int32_t top)
{
    struct base_strbuf text = {0};
    base_strbuf_printf(&text, "%s: ", name);
    if (cure->found) {
        advise_layout_print(&cure->layout, d->banks->query.array, &text);
        base_strbuf_puts(&text, " ");
        report_cure_words(&text, d->banks, cure);
    } else {
        base_strbuf_puts(&text, absent);
    }
    put_taken(d, "label", MARGIN, top, &text);
    if (!cure->found || !cure->has_walks)
        return top + LINE;
    report_walk_words(&text, cure);
    put_taken(d, "small", MARGIN + 2 * LINE, top + LINE, &text);
    return top + 2 * LINE;
}

static bool any_conflict(const struct advise_banks *banks)
{
    for (uint32_t i = 0; i < banks->access_count; i++) {
        if (!banks->accesses[i].cost.conflict_free)
            return true;
    }
    return false;
}

void report_banks_svg(const struct advise_banks *banks, const struct report_picture *picture, struct base_strbuf *out)
{
    struct drawing d = {banks, picture, out};
    int32_t width = LEAST_WIDTH, height = MARGIN, top = MARGIN / 2;
    const uint32_t drawn = picture->first_only && banks->access_count > 0 ? 1 : banks->access_count;
    for (uint32_t i = 0; i < drawn; i++) {
        struct section section = section_of(&d, &banks->accesses[i]);
        width = section.width > width ? section.width : width;
        height += section.height;
    }
    /* One access of many: what cures it has to leave no conflict in any. */
    bool cured = banks->padding.conflict_free || banks->swizzle.conflict_free;
    bool conflict = any_conflict(banks);
    if (picture->first_only)
        conflict = !picture->no_cures && cured && !banks->accesses[0].cost.conflict_free;
    report_svg_begin(out, width, height + (conflict ? 6 * LINE : 2 * LINE),
                     "Threads of a warp and the banks of shared memory", picture->in_page);
    for (uint32_t i = 0; i < drawn; i++) {
        draw_section(&d, &banks->accesses[i], top);
        top += section_of(&d, &banks->accesses[i]).height;
    }
    report_svg_text(out, "small", at(MARGIN, top + LINE), REPORT_SVG_START,
                    "A red box is a word that a bank gives to the thread in it; \xc3\x97"
                    "6: one word for six threads at "
                    "once. Filled: the bank is asked for several words.");
    top += 2 * LINE;
    if (conflict) {
        if (!picture->first_only || banks->padding.conflict_free)
            top = draw_cure(&d, &banks->padding, "Padding", "no longer row helps", top);
        if (!picture->first_only || banks->swizzle.conflict_free)
            draw_cure(&d, &banks->swizzle, "Swizzle", "no XOR of the column with the row helps", top);
    }
    report_svg_end(out);
}
