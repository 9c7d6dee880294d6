/* Occupancy curves in text, for a terminal: bars of block characters, eight steps a line, with the launch's own value
 * marked below. A bar stands for the values up to its right edge and shows that edge; the marked one shows the launch.
 */
#include "report/report.h"

enum { LINES = 8, EIGHTHS = 8, BARS = 64, LABEL_WIDTH = 7 };

static uint64_t last_of(const struct sim_occupancy_curve *curve)
{
    return curve->pieces[curve->count - 1].to;
}

static uint64_t edge(const struct sim_occupancy_curve *curve, unsigned bar)
{
    uint64_t at = last_of(curve) * (bar + 1) / BARS;
    return at > curve->pieces[0].from ? at : curve->pieces[0].from;
}

static unsigned own_bar(const struct sim_occupancy_curve *curve)
{
    unsigned bar = 0;
    while (bar < BARS - 1 && edge(curve, bar) < curve->own)
        bar++;
    return bar;
}

/* In eighths of a line; what is not 0 is seen. */
static unsigned height(const struct sim_occupancy_curve *curve, uint64_t value)
{
    double pct = sim_occupancy_curve_at(curve, value)->occupancy_pct;
    unsigned eighths = (unsigned)(pct * (LINES * EIGHTHS) / 100 + 0.5);
    if (pct > 0 && eighths == 0)
        return 1;
    return eighths < LINES * EIGHTHS ? eighths : LINES * EIGHTHS;
}

static void put_bar(struct base_strbuf *out, unsigned eighths)
{
    if (eighths == 0)
        base_strbuf_putc(out, ' ');
    else /* U+2581 to U+2588 */
        base_strbuf_printf(out, "\xe2\x96%c", (char)(0x80 + (eighths < EIGHTHS ? eighths : EIGHTHS)));
}

static void put_line(const struct report_occupancy *query, const struct sim_occupancy_curve *curve, unsigned line,
                     struct base_strbuf *out)
{
    const unsigned floor = (LINES - 1 - line) * EIGHTHS, own = own_bar(curve);
    if (line % 2 == 0)
        base_strbuf_printf(out, "%4u%% \xe2\x94\xa4", 100 * (LINES - line) / LINES);
    else
        base_strbuf_puts(out, "      \xe2\x94\x82");
    for (unsigned bar = 0; bar < BARS; bar++) {
        unsigned eighths = height(curve, bar == own ? curve->own : edge(curve, bar));
        if (query->colour && bar == own)
            base_strbuf_style(out, "33");
        put_bar(out, eighths > floor ? eighths - floor : 0);
        if (query->colour && bar == own)
            base_strbuf_style(out, "0");
    }
    base_strbuf_putc(out, '\n');
}

/* Numbers under their bars, right edges together. */
static void put_scale(const struct sim_occupancy_curve *curve, struct base_strbuf *out)
{
    base_strbuf_puts(out, "    0 \xe2\x94\x94");
    for (unsigned bar = 0; bar < BARS; bar++)
        base_strbuf_puts(out, (bar + 1) % (BARS / 4) == 0 ? "\xe2\x94\xb4" : "\xe2\x94\x80");
    base_strbuf_putc(out, '\n');
    base_strbuf_repeat(out, ' ', LABEL_WIDTH);
    for (unsigned quarter = 1; quarter <= 4; quarter++) {
        struct base_strbuf number = {0};
        report_count(&number, edge(curve, quarter * (BARS / 4) - 1));
        base_strbuf_printf(out, "%*s", BARS / 4, number.data != NULL ? number.data : "");
        base_strbuf_free(&number);
    }
    base_strbuf_putc(out, '\n');
}

/* An arrow at the launch's own bar, and what it has there, on the side where there is room. */
static void put_own(const struct report_occupancy *query, const struct sim_occupancy_curve *curve,
                    struct base_strbuf *out)
{
    struct base_strbuf words = {0};
    const unsigned own = own_bar(curve);
    report_count(&words, curve->own);
    base_strbuf_printf(&words, ": %.4g%%", query->occupancy->occupancy_pct);
    const unsigned length = (unsigned)words.length;
    if (own < BARS / 2) {
        base_strbuf_repeat(out, ' ', LABEL_WIDTH + own);
        base_strbuf_printf(out, "\xe2\x96\xb2 %s\n", words.data != NULL ? words.data : "");
    } else {
        base_strbuf_repeat(out, ' ', LABEL_WIDTH + own > length + 1 ? LABEL_WIDTH + own - length - 1 : 0);
        base_strbuf_printf(out, "%s \xe2\x96\xb2\n", words.data != NULL ? words.data : "");
    }
    base_strbuf_free(&words);
}

void report_occupancy_curves_text(const struct report_occupancy *query, struct base_strbuf *out)
{
    for (unsigned axis = 0; axis < SIM_AXIS_COUNT; axis++) {
        const struct sim_occupancy_curve *curve = &query->study->curves[axis];
        base_strbuf_printf(out, "\nOccupancy over %s (%s), the rest as it is\n", report_axis_titles[axis],
                           report_axis_units[axis]);
        for (unsigned line = 0; line < LINES; line++)
            put_line(query, curve, line, out);
        put_scale(curve, out);
        put_own(query, curve, out);
    }
}
