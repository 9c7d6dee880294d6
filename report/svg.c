/* The elements of an SVG picture, each one line of the file, and their style sheet. */
#include "report/svg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char sheet[] = "<style>\n"
                            "text { font: 12px sans-serif; fill: #333 }\n"
                            ".paper { fill: #fff }\n"
                            ".title { font-weight: bold; font-size: 16px; fill: #111 }\n"
                            ".heading { font-weight: bold; fill: #111 }\n"
                            ".small { font-size: 11px; fill: #666 }\n"
                            ".grid { stroke: #ddd }\n"
                            ".mark { stroke: #888; stroke-dasharray: 2 3 }\n"
                            ".axis { stroke: #555 }\n"
                            ".area { fill: #cfe0f5; stroke: none }\n"
                            ".curve { fill: none; stroke: #2a65b0; stroke-width: 1.5 }\n"
                            ".own { fill: #d9480f; stroke: #fff; stroke-width: 1 }\n"
                            ".ownline { stroke: #d9480f; stroke-dasharray: 3 3 }\n"
                            ".ownlabel { fill: #b23a0a; font-weight: bold }\n"
                            ".good { font-weight: bold; fill: #2b7a36 }\n"
                            ".bad { font-weight: bold; fill: #c22b1c }\n"
                            ".num { font-size: 10px; fill: #111 }\n"
                            ".tiny { font-size: 9px; fill: #111 }\n"
                            ".box { fill: #eef1f5; stroke: #8795a8 }\n"
                            ".off { fill: none; stroke: #c4cad2; stroke-dasharray: 2 2 }\n"
                            ".bank { fill: #f6f6f6; stroke: #ccc }\n"
                            ".word { fill: #fff; stroke: #c22b1c; stroke-width: 1.5 }\n"
                            ".clash { fill: #ffc9bd; stroke: #c22b1c; stroke-width: 1.5 }\n"
                            ".link { stroke: #3f6fae }\n"
                            ".badlink { stroke: #d9480f; stroke-opacity: 0.75 }\n"
                            ".used { fill: #8fce8f; stroke: #3c7a3c; stroke-width: 0.5 }\n"
                            ".waste { fill: #fbdcd6; stroke: none }\n"
                            ".frame { fill: none; stroke: #555 }\n"
                            ".hot { fill: none; stroke: #111; stroke-width: 2 }\n"
                            ".cell { stroke: #fff; stroke-width: 0.5 }\n"
                            ".marked { fill: #8fce8f; stroke: #2b7a36; stroke-width: 2 }\n"
                            "@media (prefers-color-scheme: dark) {\n"
                            "text { fill: #ccc }\n"
                            ".paper { fill: #1b1d21 }\n"
                            ".title, .heading { fill: #eee }\n"
                            ".small { fill: #999 }\n"
                            ".grid { stroke: #383b40 }\n"
                            ".axis { stroke: #999 }\n"
                            ".area { fill: #24405f }\n"
                            ".curve { stroke: #7fb2ee }\n"
                            ".own { stroke: #1b1d21 }\n"
                            ".ownlabel { fill: #ff9a66 }\n"
                            ".good { fill: #7fd48a }\n"
                            ".bad { fill: #ff8d7a }\n"
                            ".num, .tiny { fill: #111 }\n"
                            ".box { fill: #aab4c2 }\n"
                            ".bank { fill: #2a2d33; stroke: #4a4e55 }\n"
                            ".word { fill: #f0e6e4 }\n"
                            ".link { stroke: #86b1e8 }\n"
                            ".waste { fill: #6b3a33 }\n"
                            ".frame { stroke: #999 }\n"
                            ".hot { stroke: #fff }\n"
                            ".cell { stroke: #1b1d21 }\n"
                            "}\n"
                            "</style>\n";

/* Colours in a circle: classes k0 to k31, light enough for dark digits. Neighbours look alike, so that a column of one
 * colour stands out from a rainbow. */
static void put_circle(struct base_strbuf *out)
{
    base_strbuf_puts(out, "<style>\n");
    for (unsigned i = 0; i < REPORT_SVG_COLOURS; i++)
        base_strbuf_printf(out, ".k%u { fill: hsl(%u,75%%,%u%%) }\n", i, i * 360 / REPORT_SVG_COLOURS,
                           i % 2 == 0 ? 76U : 70U);
    base_strbuf_puts(out, "</style>\n");
}

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

/* Also control characters, which XML has no way to hold. */
static void put_escaped(struct base_strbuf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '&')
            base_strbuf_puts(out, "&amp;");
        else if (*text == '<')
            base_strbuf_puts(out, "&lt;");
        else if (*text == '>')
            base_strbuf_puts(out, "&gt;");
        else if (*text == '"')
            base_strbuf_puts(out, "&quot;");
        else
            base_strbuf_putc(out, (unsigned char)*text < ' ' ? '?' : *text);
    }
}

void report_svg_begin(struct base_strbuf *out, int32_t width, int32_t height, const char *title)
{
    base_strbuf_puts(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"");
    put_attribute(out, "width", width);
    put_attribute(out, "height", height);
    base_strbuf_puts(out, " viewBox=\"0 0 ");
    put_number(out, width);
    base_strbuf_putc(out, ' ');
    put_number(out, height);
    base_strbuf_puts(out, "\">\n<title>");
    put_escaped(out, title);
    base_strbuf_puts(out, "</title>\n");
    base_strbuf_puts(out, sheet);
    put_circle(out);
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
    base_strbuf_printf(out, " text-anchor=\"%s\">", anchors[anchor]);
    put_escaped(out, text);
    base_strbuf_puts(out, "</text>\n");
}
