/* Occupancy curves as a picture: one panel for each axis, the launch's own point marked and named. */
#include "report/report.h"
#include "report/svg.h"

#include <stdio.h>
#include <stdlib.h>

/* In tenths of a pixel. */
enum {
    WIDTH = 8000,
    HEAD = 700,         /* the picture's title */
    PANEL = 2300,       /* of one curve, its title and numbers included */
    LEFT = 600,         /* the plot begins here */
    PLOT_WIDTH = 6800,  /* and is so wide */
    PLOT_TOP = 400,     /* from the panel's top */
    PLOT_HEIGHT = 1400, /* 100 % */
    MOST_NUMBERS = 9,   /* on the scale below */
};

struct panel {
    struct base_strbuf *out;
    const struct report_occupancy *query;
    const struct sim_occupancy_curve *curve;
    int32_t top; /* of the plot */
};

static int32_t at_value(const struct panel *panel, uint64_t value)
{
    uint64_t last = panel->curve->pieces[panel->curve->count - 1].to;
    return LEFT + (int32_t)(value * PLOT_WIDTH / (last > 0 ? last : 1));
}

static int32_t at_pct(const struct panel *panel, double pct)
{
    return panel->top + PLOT_HEIGHT - (int32_t)(pct * PLOT_HEIGHT / 100 + 0.5);
}

static void draw_grid(const struct panel *panel)
{
    for (int pct = 0; pct <= 100; pct += 25) {
        char label[8];
        int32_t y = at_pct(panel, pct);
        snprintf(label, sizeof label, "%d%%", pct);
        report_svg_line(panel->out, pct == 0 ? "axis" : "grid", (struct report_svg_point){LEFT, y},
                        (struct report_svg_point){LEFT + PLOT_WIDTH, y});
        report_svg_text(panel->out, "small", (struct report_svg_point){LEFT - 60, y + 40}, REPORT_SVG_END, label);
    }
}

static void put_value(const struct panel *panel, uint64_t value, struct base_strbuf *out)
{
    if (panel->curve->axis == SIM_AXIS_SHARED && value >= 1024 && value % 1024 == 0) {
        report_count(out, value / 1024);
        base_strbuf_puts(out, " KiB");
    } else {
        report_count(out, value);
    }
}

/* Numbers a power of two apart. */
static void draw_scale(const struct panel *panel)
{
    uint64_t last = panel->curve->pieces[panel->curve->count - 1].to, step = 1;
    int32_t base = panel->top + PLOT_HEIGHT;
    while (last / step >= MOST_NUMBERS)
        step *= 2;
    for (uint64_t value = 0; value <= last; value += step) {
        struct base_strbuf label = {0};
        int32_t x = at_value(panel, value);
        report_svg_line(panel->out, "axis", (struct report_svg_point){x, base},
                        (struct report_svg_point){x, base + 40});
        put_value(panel, value, &label);
        report_svg_text(panel->out, "small", (struct report_svg_point){x, base + 170}, REPORT_SVG_MIDDLE,
                        label.data != NULL ? label.data : "");
        base_strbuf_free(&label);
    }
}

/* Where shared memory must be asked for. */
static void draw_default(const struct panel *panel)
{
    const struct sim_device *device = panel->query->study->device;
    const uint64_t most = device->shared_per_block_bytes;
    struct base_strbuf label = {0};
    int32_t x = at_value(panel, most), base = panel->top + PLOT_HEIGHT;
    if (panel->curve->axis != SIM_AXIS_SHARED || device->shared_per_block_optin_bytes <= most)
        return;
    put_value(panel, most, &label);
    base_strbuf_puts(&label, ": more needs the opt-in");
    report_svg_line(panel->out, "mark", (struct report_svg_point){x, panel->top}, (struct report_svg_point){x, base});
    report_svg_text(panel->out, "small", (struct report_svg_point){x + 40, panel->top + 130}, REPORT_SVG_START,
                    label.data != NULL ? label.data : "");
    base_strbuf_free(&label);
}

/* The stairs: each piece is level and stands from the end of the one before it. */
static void draw_curve(const struct panel *panel)
{
    const struct sim_occupancy_curve *curve = panel->curve;
    size_t count = 0;
    struct report_svg_point *points = calloc((size_t)curve->count * 2 + 2, sizeof *points);
    if (points == NULL) {
        panel->out->failed = true;
        return;
    }
    int32_t x = LEFT;
    points[count++] = (struct report_svg_point){x, panel->top + PLOT_HEIGHT};
    for (uint32_t i = 0; i < curve->count; i++) {
        int32_t y = at_pct(panel, curve->pieces[i].occupancy_pct);
        points[count++] = (struct report_svg_point){x, y};
        x = at_value(panel, curve->pieces[i].to);
        points[count++] = (struct report_svg_point){x, y};
    }
    points[count++] = (struct report_svg_point){x, panel->top + PLOT_HEIGHT};
    report_svg_lines(panel->out, "area", points, count);
    report_svg_lines(panel->out, "curve", points + 1, count - 2);
    free(points);
}

/* The launch's point; what it has there stands beside the panel's title, out of the curve's way. */
static void draw_own(const struct panel *panel)
{
    const struct sim_occupancy *own = panel->query->occupancy;
    struct report_svg_point at = {at_value(panel, panel->curve->own), at_pct(panel, own->occupancy_pct)};
    struct base_strbuf label = {0};
    report_count(&label, panel->curve->own);
    base_strbuf_printf(&label, ": %u block%s, %u warps, %.4g%%", own->blocks_per_sm, own->blocks_per_sm == 1 ? "" : "s",
                       own->warps_per_sm, own->occupancy_pct);
    report_svg_line(panel->out, "ownline", at, (struct report_svg_point){at.x, panel->top + PLOT_HEIGHT});
    report_svg_circle(panel->out, "own", at, 50);
    report_svg_text(panel->out, "ownlabel", (struct report_svg_point){LEFT + PLOT_WIDTH, panel->top - 120},
                    REPORT_SVG_END, label.data != NULL ? label.data : "");
    base_strbuf_free(&label);
}

static void draw_panel(const struct report_occupancy *query, enum sim_occupancy_axis axis, struct base_strbuf *out)
{
    struct panel panel = {out, query, &query->study->curves[axis], HEAD + (int32_t)axis * PANEL + PLOT_TOP};
    report_svg_text(out, "heading", (struct report_svg_point){LEFT, panel.top - 120}, REPORT_SVG_START,
                    report_axis_units[axis]);
    draw_grid(&panel);
    draw_curve(&panel);
    draw_default(&panel);
    draw_scale(&panel);
    draw_own(&panel);
}

void report_occupancy_svg(const struct report_occupancy *query, struct base_strbuf *out)
{
    struct base_strbuf title = {0}, words = {0};
    base_strbuf_puts(&title, "Occupancy");
    if (query->kernel != NULL)
        base_strbuf_printf(&title, " of %s", query->kernel);
    base_strbuf_printf(&title, " on %s: %.4g%%", query->device, query->occupancy->occupancy_pct);
    base_strbuf_printf(&words, "%u threads a block, %u registers a thread, ", query->block_threads,
                       query->registers_per_thread);
    report_count(&words, query->shared_per_block_bytes);
    base_strbuf_puts(&words, " bytes of shared memory a block");
    report_svg_begin(out, WIDTH, HEAD + SIM_AXIS_COUNT * PANEL, title.data != NULL ? title.data : "", query->in_page);
    report_svg_text(out, "title", (struct report_svg_point){LEFT, 320}, REPORT_SVG_START,
                    title.data != NULL ? title.data : "");
    report_svg_text(out, "small", (struct report_svg_point){LEFT, 520}, REPORT_SVG_START,
                    words.data != NULL ? words.data : "");
    for (int axis = 0; axis < SIM_AXIS_COUNT; axis++)
        draw_panel(query, (enum sim_occupancy_axis)axis, out);
    report_svg_end(out);
    out->failed |= title.failed || words.failed;
    base_strbuf_free(&title);
    base_strbuf_free(&words);
}
