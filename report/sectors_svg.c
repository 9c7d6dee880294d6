/* Lanes and sectors as a picture: the warp above, the memory that it fetches below (the guide's figures 12 and 13). */
#include "report/picture_words.h"
#include "report/report.h"
#include "report/svg.h"

#include <inttypes.h>
#include <stdio.h>

/* In tenths of a pixel. */
enum {
    WIDTH = 11200,
    MARGIN = 200,
    LINE = 190,
    HEAD = 3 * LINE + 350,
    LANE = 337, /* from one lane to the next */
    LANE_HEIGHT = 200,
    FLIGHT = 1500, /* of the lines */
    MEMORY_HEIGHT = 300,
    FOOT = 900,
    GAP = 60, /* where memory is left out */
    WIDEST = 1300,
    LABEL_ROOM = 620,
};

struct drawing {
    const struct advise_sectors *sectors;
    const struct report_picture *picture;
    struct base_strbuf *out;
    int32_t top;          /* of the lanes */
    int32_t sector_width; /* on paper */
    int32_t x[ADVISE_SECTORS_MAX];
};

static struct report_svg_point at(int32_t x, int32_t y)
{
    return (struct report_svg_point){x, y};
}

static void put_taken(const struct drawing *d, const char *style, int32_t x, int32_t y, struct base_strbuf *text)
{
    report_svg_text(d->out, style, at(x, y), REPORT_SVG_START, text->data ? text->data : "");
    d->out->failed |= text->failed;
    base_strbuf_free(text);
}

static void place_sectors(struct drawing *d)
{
    const struct advise_sector_view *view = &d->sectors->view;
    int32_t gaps = 0, room = WIDTH - 2 * MARGIN;
    for (uint32_t i = 1; i < view->sector_count; i++)
        gaps += view->items[i].address != view->items[i - 1].address + view->sector_bytes;
    d->sector_width = (room - gaps * GAP) / (int32_t)view->sector_count;
    d->sector_width = d->sector_width > WIDEST ? WIDEST : d->sector_width < 1 ? 1 : d->sector_width;
    int32_t x = MARGIN + (room - gaps * GAP - d->sector_width * (int32_t)view->sector_count) / 2;
    for (uint32_t i = 0; i < view->sector_count; i++) {
        if (i > 0 && view->items[i].address != view->items[i - 1].address + view->sector_bytes)
            x += GAP;
        d->x[i] = x;
        x += d->sector_width;
    }
}

static int32_t lane_x(uint32_t lane)
{
    return MARGIN + (int32_t)lane * LANE;
}

static void draw_links(const struct drawing *d)
{
    const struct advise_sector_view *view = &d->sectors->view;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(view->mask >> lane & 1))
            continue;
        uint32_t i = 0;
        while (view->items[i].address + view->sector_bytes <= view->address[lane])
            i++;
        uint64_t middle = view->address[lane] - view->items[i].address + view->width_bytes / 2;
        middle = middle > view->sector_bytes ? view->sector_bytes : middle;
        int32_t x = d->x[i] + (int32_t)(middle * (uint64_t)d->sector_width / view->sector_bytes);
        report_svg_line(d->out, "link", at(lane_x(lane) + LANE / 2, d->top + LANE_HEIGHT),
                        at(x, d->top + LANE_HEIGHT + FLIGHT));
    }
}

static void draw_lanes(const struct drawing *d)
{
    const struct advise_sector_view *view = &d->sectors->view;
    for (uint32_t lane = 0; lane < 32; lane++) {
        char text[8];
        bool on = view->mask >> lane & 1;
        snprintf(text, sizeof(text), "%u", lane);
        report_svg_rect(d->out, on ? "box" : "off", at(lane_x(lane) + 15, d->top), LANE - 30, LANE_HEIGHT);
        if (on)
            report_svg_text(d->out, "num", at(lane_x(lane) + LANE / 2, d->top + 135), REPORT_SVG_MIDDLE, text);
    }
}

/* A run of pieces that some lane asked for; words of four bytes are told apart where there is room. */
static void draw_used(const struct drawing *d, const struct advise_sector *sector, int32_t left, int32_t top)
{
    const struct advise_sector_view *view = &d->sectors->view;
    uint32_t pieces = view->sector_bytes / view->piece_bytes, step = view->width_bytes / view->piece_bytes;
    step = step == 0 ? 1 : step;
    for (uint32_t i = 0; i < pieces; i += step) {
        if (!(sector->used >> i & 1))
            continue;
        int32_t from = (int32_t)(i * (uint32_t)d->sector_width / pieces);
        int32_t to = (int32_t)((i + step) * (uint32_t)d->sector_width / pieces);
        report_svg_rect(d->out, "used", at(left + from, top), to - from, MEMORY_HEIGHT);
    }
}

static void draw_memory(const struct drawing *d)
{
    const struct advise_sector_view *view = &d->sectors->view;
    int32_t top = d->top + LANE_HEIGHT + FLIGHT, free_x = 0;
    for (uint32_t i = 0; i < view->sector_count; i++) {
        report_svg_rect(d->out, "waste", at(d->x[i], top), d->sector_width, MEMORY_HEIGHT);
        draw_used(d, &view->items[i], d->x[i], top);
        report_svg_rect(d->out, "frame", at(d->x[i], top), d->sector_width, MEMORY_HEIGHT);
        if (d->x[i] < free_x)
            continue;
        char text[24];
        snprintf(text, sizeof(text), "%" PRIu64, view->items[i].address);
        report_svg_line(d->out, "axis", at(d->x[i], top + MEMORY_HEIGHT), at(d->x[i], top + MEMORY_HEIGHT + 60));
        report_svg_text(d->out, "small", at(d->x[i], top + MEMORY_HEIGHT + 180), REPORT_SVG_START, text);
        free_x = d->x[i] + LABEL_ROOM;
    }
}

static void draw_words(const struct drawing *d, int32_t top)
{
    const struct advise_sector_view *view = &d->sectors->view;
    struct base_strbuf text = {0};
    base_strbuf_puts(&text, d->sectors->pattern->text);
    if (!d->sectors->pattern->who) {
        base_strbuf_puts(&text, " of ");
        report_declaration(&text, d->sectors->array);
    }
    put_taken(d, "title", MARGIN, top + 180, &text);
    report_access_words(&text, d->sectors->pattern, view->warp, d->picture);
    put_taken(d, "label", MARGIN, top + 180 + LINE + 20, &text);
    report_sector_verdict(&text, view);
    put_taken(d, view->sectors == view->sectors_ideal ? "good" : "bad", MARGIN, top + 180 + 2 * LINE + 20, &text);
    report_svg_text(d->out, "heading", at(MARGIN, d->top - 80), REPORT_SVG_START,
                    "Addresses requested by the threads of the warp");
}

static void draw_advice(const struct drawing *d, int32_t top)
{
    struct base_strbuf text = {0};
    base_strbuf_printf(&text,
                       "Numbers: the first byte of a sector of %u bytes. Green: asked for. Red: moved for nothing. A "
                       "gap: memory that nobody asks for.",
                       d->sectors->view.sector_bytes);
    put_taken(d, "small", MARGIN, top, &text);
    for (unsigned i = 0; d->sectors->view.mask != 0 && report_sector_advice(&text, &d->sectors->view, i); i++)
        put_taken(d, "label", MARGIN, top + (int32_t)(i + 1) * LINE, &text);
}

enum { SECTION = HEAD + LANE_HEIGHT + FLIGHT + MEMORY_HEIGHT + FOOT };

void report_sectors_svg(const struct advise_sectors *sectors, size_t count, const struct report_picture *picture,
                        struct base_strbuf *out)
{
    report_svg_begin(out, WIDTH, (int32_t)count * SECTION + 2 * MARGIN, "Threads of a warp and the sectors they fetch",
                     picture->in_page);
    for (size_t i = 0; i < count; i++) {
        int32_t top = MARGIN / 2 + (int32_t)i * SECTION;
        struct drawing d = {.sectors = &sectors[i], .picture = picture, .out = out, .top = top + HEAD};
        draw_words(&d, top);
        if (sectors[i].view.mask != 0) {
            place_sectors(&d);
            draw_links(&d);
        }
        draw_lanes(&d);
        if (sectors[i].view.mask != 0)
            draw_memory(&d);
        draw_advice(&d, top + HEAD + LANE_HEIGHT + FLIGHT + MEMORY_HEIGHT + 420);
    }
    report_svg_end(out);
}
