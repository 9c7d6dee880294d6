/* The elements of an SVG picture, each one line of the file, and their style sheet. */
#include "report/svg.h"

#include "report/escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const sheet[] = {
#include "report/svg.css.inc"
};

static void put_number(struct base_strbuf *out, int32_t tenths)
{
    int32_t size = abs(tenths);
    base_strbuf_printf(out, "%s%" PRId32, tenths < 0 ? "-" : "", size / REPORT_SVG_PX);
    if (size % REPORT_SVG_PX != 0)
        base_strbuf_printf(out, ".%" PRId32, size % REPORT_SVG_PX);
}

/* name="12.5", after a space. */
static void put_attribute(struct base_strbuf *out, const char *name, int32_t tenths)
{
    base_strbuf_printf(out, " %s=\"", name);
    put_number(out, tenths);
    base_strbuf_putc(out, '"');
}

void report_svg_sheet(struct base_strbuf *out)
{
    for (size_t i = 0; i < sizeof(sheet) / sizeof(sheet[0]); i++)
        base_strbuf_puts(out, sheet[i]);
}

void report_svg_begin(struct base_strbuf *out, int32_t width, int32_t height, const char *title, bool in_page)
{
    base_strbuf_puts(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"");
    put_attribute(out, "width", width);
    put_attribute(out, "height", height);
    base_strbuf_puts(out, " viewBox=\"0 0 ");
    put_number(out, width);
    base_strbuf_putc(out, ' ');
    put_number(out, height);
    base_strbuf_puts(out, "\">\n<title>");
    report_escape(out, title, strlen(title));
    base_strbuf_puts(out, "</title>\n");
    if (!in_page) {
        base_strbuf_puts(out, "<style>\n");
        report_svg_sheet(out);
        base_strbuf_puts(out, "</style>\n");
    }
    report_svg_rect(out, "paper", (struct report_svg_point){0, 0}, width, height);
}

void report_svg_end(struct base_strbuf *out)
{
    base_strbuf_puts(out, "</svg>\n");
}

void report_svg_line(struct base_strbuf *out, const char *style, struct report_svg_point from,
                     struct report_svg_point to)
{
    base_strbuf_printf(out, "<line class=\"%s\"", style);
    put_attribute(out, "x1", from.x);
    put_attribute(out, "y1", from.y);
    put_attribute(out, "x2", to.x);
    put_attribute(out, "y2", to.y);
    base_strbuf_puts(out, "/>\n");
}

void report_svg_rect(struct base_strbuf *out, const char *style, struct report_svg_point corner, int32_t width,
                     int32_t height)
{
    base_strbuf_printf(out, "<rect class=\"%s\"", style);
    put_attribute(out, "x", corner.x);
    put_attribute(out, "y", corner.y);
    put_attribute(out, "width", width);
    put_attribute(out, "height", height);
    base_strbuf_puts(out, "/>\n");
}

void report_svg_circle(struct base_strbuf *out, const char *style, struct report_svg_point centre, int32_t radius)
{
    base_strbuf_printf(out, "<circle class=\"%s\"", style);
    put_attribute(out, "cx", centre.x);
    put_attribute(out, "cy", centre.y);
    put_attribute(out, "r", radius);
    base_strbuf_puts(out, "/>\n");
}

void report_svg_lines(struct base_strbuf *out, const char *style, const struct report_svg_point *points, size_t count)
{
    base_strbuf_printf(out, "<polyline class=\"%s\" points=\"", style);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            base_strbuf_putc(out, ' ');
        put_number(out, points[i].x);
        base_strbuf_putc(out, ',');
        put_number(out, points[i].y);
    }
    base_strbuf_puts(out, "\"/>\n");
}

void report_svg_text(struct base_strbuf *out, const char *style, struct report_svg_point at,
                     enum report_svg_anchor anchor, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    base_strbuf_printf(out, "<text class=\"%s\"", style);
    put_attribute(out, "x", at.x);
    put_attribute(out, "y", at.y);
    bool by_sheet = strcmp(style, "num") == 0 || strcmp(style, "tiny") == 0;
    if (anchor != REPORT_SVG_START && !by_sheet)
        base_strbuf_printf(out, " text-anchor=\"%s\"", anchors[anchor]);
    base_strbuf_putc(out, '>');
    report_escape(out, text, strlen(text));
    base_strbuf_puts(out, "</text>\n");
}
