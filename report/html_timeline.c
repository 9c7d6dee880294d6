/* What warps did with their time, SM by SM: a row for each place that holds a warp, coloured by what the warp did most
 * in each stretch of time. */
#include "report/html_parts.h"

#include "report/svg.h"
#include "report/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* In pixels. */
enum { LEFT = 60, TOP = 40, ROW = 10, ROW_FILLED = 9, WIDTH = 960, FOOT = 30, TICKS = 6 };
enum { ROWS = 64, ROWS_BRIEF = 8, COLUMNS = 240, COLUMNS_BRIEF = 120, NOTHING = SIM_STALL_COUNT };

struct chart {
    struct html *h;
    const struct advise_sm *sm;
    uint32_t rows, columns;
    uint64_t from, to;
    uint64_t (*spent)[SIM_STALL_COUNT]; /* by row and column */
    bool used[SIM_STALL_COUNT];
};

bool html_timeline_has(const struct html *h)
{
    for (size_t i = 0; h->launch->timeline && i < h->launch->timeline->sms.count; i++) {
        if (h->launch->timeline->sms.data[i].moments.count > 0)
            return true;
    }
    return false;
}

/* ---- Cycles to columns ---- */

static void add_span(struct chart *chart, const struct advise_moment *moment)
{
    const uint32_t row = chart->sm->stays.data[moment->stay].place;
    const uint64_t whole = chart->to - chart->from, end = moment->from + moment->cycles;
    if (row >= chart->rows || moment->kind != SIM_CLOCK_SPAN)
        return;
    uint64_t column = (moment->from - chart->from) * chart->columns / whole;
    for (uint64_t at = moment->from; at < end && column < chart->columns; column++) {
        uint64_t next = chart->from + ((column + 1) * whole + chart->columns - 1) / chart->columns;
        next = next < end ? next : end;
        if (next > at)
            chart->spent[row * chart->columns + column][moment->reason] += next - at;
        at = next > at ? next : at;
    }
}

static unsigned most_of(const struct chart *chart, uint32_t row, uint32_t column)
{
    const uint64_t *spent = chart->spent[row * chart->columns + column];
    unsigned most = NOTHING;
    for (unsigned r = 0; r < SIM_STALL_COUNT; r++) {
        if (spent[r] > (most == NOTHING ? 0 : spent[most]))
            most = r;
    }
    return most;
}

/* False: nothing to draw, or no memory. */
static bool fill(struct chart *chart)
{
    const struct advise_sm *sm = chart->sm;
    uint32_t places = 0;
    chart->from = UINT64_MAX;
    for (size_t i = 0; i < sm->stays.count; i++) {
        const struct advise_stay *stay = &sm->stays.data[i];
        chart->from = stay->from < chart->from ? stay->from : chart->from;
        chart->to = stay->to > chart->to ? stay->to : chart->to;
        places = stay->place >= places ? stay->place + 1 : places;
    }
    if (sm->stays.count == 0 || chart->to <= chart->from)
        return false;
    chart->rows = places < chart->rows ? places : chart->rows;
    chart->spent = calloc((size_t)chart->rows * chart->columns, sizeof(*chart->spent));
    if (!chart->spent) {
        chart->h->out->failed = true;
        return false;
    }
    for (size_t i = 0; i < sm->moments.count; i++)
        add_span(chart, &sm->moments.data[i]);
    return true;
}

/* ---- The picture ---- */

/* Stretches of one reason, as one path. */
static void put_reason(struct chart *chart, unsigned reason)
{
    struct base_strbuf *out = chart->h->out;
    const uint32_t step = WIDTH / chart->columns;
    bool begun = false;
    for (uint32_t row = 0; row < chart->rows; row++) {
        for (uint32_t column = 0, length; column < chart->columns; column += length) {
            bool same = most_of(chart, row, column) == reason;
            for (length = 1;
                 column + length < chart->columns && (most_of(chart, row, column + length) == reason) == same;)
                length++;
            if (!same)
                continue;
            if (!begun)
                base_strbuf_printf(out, "<path class=\"w%u\" d=\"", reason);
            begun = true;
            base_strbuf_printf(out, "M%" PRIu32 " %" PRIu32 "h%" PRIu32 "v%dh-%" PRIu32 "z", LEFT + column * step,
                               TOP + row * ROW, length * step, ROW_FILLED, length * step);
        }
    }
    if (begun)
        base_strbuf_puts(out, "\"/>\n");
    chart->used[reason] = begun;
}

static void put_label(struct chart *chart, int32_t x, int32_t y, enum report_svg_anchor anchor, uint64_t value)
{
    struct base_strbuf text = {0};
    report_count(&text, value);
    report_svg_text(chart->h->out, "small", (struct report_svg_point){x * REPORT_SVG_PX, y * REPORT_SVG_PX}, anchor,
                    text.data ? text.data : "");
    base_strbuf_free(&text);
}

static void put_scales(struct chart *chart)
{
    const int32_t bottom = TOP + (int32_t)chart->rows * ROW;
    for (uint32_t row = 0; row < chart->rows; row += 4)
        put_label(chart, LEFT - 6, TOP + (int32_t)row * ROW + 9, REPORT_SVG_END, row);
    for (uint64_t tick = 0; tick <= TICKS; tick++) {
        int32_t x = LEFT + (int32_t)(tick * WIDTH / TICKS);
        report_svg_line(chart->h->out, "grid", (struct report_svg_point){x * REPORT_SVG_PX, TOP * REPORT_SVG_PX},
                        (struct report_svg_point){x * REPORT_SVG_PX, (bottom + 4) * REPORT_SVG_PX});
        put_label(chart, x, bottom + 18,
                  tick == 0       ? REPORT_SVG_START
                  : tick == TICKS ? REPORT_SVG_END
                                  : REPORT_SVG_MIDDLE,
                  chart->from + (chart->to - chart->from) * tick / TICKS);
    }
    report_svg_text(chart->h->out, "heading", (struct report_svg_point){0, 250}, REPORT_SVG_START,
                    "Place of a warp (rows), cycles (from left to right)");
}

static void put_legend(struct chart *chart)
{
    html_puts(chart->h, "<ul class=\"legend\">\n");
    for (unsigned r = 0; r < SIM_STALL_COUNT; r++) {
        if (!chart->used[r])
            continue;
        base_strbuf_printf(chart->h->out, "<li><span class=\"key w%u\" aria-hidden=\"true\"></span> ", r);
        html_text(chart->h, r == SIM_STALL_SELECTED ? "issued instructions" : sim_stall_names[r]);
        html_puts(chart->h, "</li>\n");
    }
    html_puts(chart->h, "</ul>\n");
}

static void put_sm(struct html *h, const struct advise_sm *sm)
{
    const bool brief = h->launch->brief;
    struct chart chart = {
        .h = h, .sm = sm, .rows = brief ? ROWS_BRIEF : ROWS, .columns = brief ? COLUMNS_BRIEF : COLUMNS};
    char title[64];
    if (!fill(&chart))
        return;
    html_puts(h, "<figure>\n<figcaption><h4>SM ");
    html_count(h, sm->number);
    html_puts(h, "</h4>\n<p>");
    html_number_of(h, sm->stays.count, "warp");
    html_puts(h, " one after another in its places, from cycle ");
    html_count(h, chart.from);
    html_puts(h, " to ");
    html_count(h, chart.to);
    html_puts(h, ".</p></figcaption>\n");
    html_scroll_begin(h, "Timeline of an SM's warps");
    snprintf(title, sizeof(title), "Warps of SM %u over time", sm->number);
    report_svg_begin(h->out, (LEFT + WIDTH + 10) * REPORT_SVG_PX,
                     (TOP + (int32_t)chart.rows * ROW + FOOT) * REPORT_SVG_PX, title, true);
    put_scales(&chart);
    for (unsigned r = 0; r < SIM_STALL_COUNT; r++)
        put_reason(&chart, r);
    report_svg_end(h->out);
    html_scroll_end(h);
    put_legend(&chart);
    html_puts(h, "</figure>\n");
    free(chart.spent);
}

static uint64_t end_of(const struct advise_sm *sm)
{
    uint64_t end = 0;
    for (size_t i = 0; i < sm->stays.count; i++)
        end = sm->stays.data[i].to > end ? sm->stays.data[i].to : end;
    return end;
}

/* The first SM, and of those that are known the one that ended last. */
void html_timeline(struct html *h)
{
    const struct advise_timeline *timeline = h->launch->timeline;
    const struct advise_sm *first = NULL, *last = NULL;
    struct base_strbuf left_out = {0};
    for (size_t i = 0; i < timeline->sms.count; i++) {
        const struct advise_sm *sm = &timeline->sms.data[i];
        if (sm->moments.count == 0)
            continue;
        first = first ? first : sm;
        last = last && end_of(last) >= end_of(sm) ? last : sm;
    }
    html_puts(h,
              "<p>Each row is a place of the SM that holds one warp at a time; a colour is what the warp did most in "
              "that stretch of time: most waits are long beside the one cycle of an instruction (modelled). --trace "
              "writes every cycle of it for ui.perfetto.dev.</p>\n");
    put_sm(h, first);
    if (last != first && !h->launch->brief) {
        html_puts(h, "<details>\n<summary>The SM that ended last</summary>\n");
        put_sm(h, last);
        html_puts(h, "</details>\n");
    }
    if (report_trace_left_out(timeline, &left_out)) {
        html_puts(h, "<p>Of the timeline ");
        html_taken(h, &left_out);
        html_puts(h, ".</p>\n");
    }
    base_strbuf_free(&left_out);
}
