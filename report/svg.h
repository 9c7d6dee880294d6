/* Simple pictures as SVG: what a page, or a browser alone, can show. Coordinates are in tenths of a pixel, so that no
 * locale's decimal comma gets in. Text is escaped. A style is the name of a class of the one style sheet,
 * assets/svg.css, which serves light and dark pages; k0 to k31 are fillings around the colour circle.
 */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPORT_SVG_PX      10 /* units of a pixel */
#define REPORT_SVG_COLOURS 32

enum report_svg_anchor { REPORT_SVG_START, REPORT_SVG_MIDDLE, REPORT_SVG_END };

struct report_svg_point {
    int32_t x, y;
};

/* A picture of so many units; `title` is what a screen reader says. in_page: part of a page that has the sheet. */
void report_svg_begin(struct base_strbuf *out, int32_t width, int32_t height, const char *title, bool in_page);
void report_svg_sheet(struct base_strbuf *out);
void report_svg_end(struct base_strbuf *out);

void report_svg_line(struct base_strbuf *out, const char *style, struct report_svg_point from,
                     struct report_svg_point to);
void report_svg_rect(struct base_strbuf *out, const char *style, struct report_svg_point corner, int32_t width,
                     int32_t height);
void report_svg_circle(struct base_strbuf *out, const char *style, struct report_svg_point centre, int32_t radius);
/* Corners joined by lines; a style with a filling closes the figure. */
void report_svg_lines(struct base_strbuf *out, const char *style, const struct report_svg_point *points, size_t count);
/* The styles num and tiny stand in the middle, whatever `anchor` says. */
void report_svg_text(struct base_strbuf *out, const char *style, struct report_svg_point at,
                     enum report_svg_anchor anchor, const char *text);

#endif
