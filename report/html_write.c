/* The writer of pages: markup as it stands, everything else escaped. */
#include "report/html_parts.h"

#include "report/escape.h"

#include <inttypes.h>
#include <string.h>

void html_puts(struct html *h, const char *markup)
{
    base_strbuf_puts(h->out, markup);
}

void html_bytes(struct html *h, const char *text, size_t length)
{
    report_escape(h->out, text, length);
}

void html_text(struct html *h, const char *text)
{
    report_escape(h->out, text, strlen(text));
}

void html_taken(struct html *h, struct base_strbuf *text)
{
    if (text->length > 0)
        report_escape(h->out, text->data, text->length);
    h->out->failed |= text->failed;
    base_strbuf_free(text);
}

void html_textf(struct html *h, const char *format, ...)
{
    struct base_strbuf text = {0};
    va_list args;
    va_start(args, format);
    base_strbuf_vprintf(&text, format, args);
    va_end(args);
    html_taken(h, &text);
}

void html_count(struct html *h, uint64_t value)
{
    report_count(h->out, value);
}

void html_number_of(struct html *h, uint64_t count, const char *singular)
{
    report_count(h->out, count);
    html_textf(h, " %s%s", singular, count == 1 ? "" : "s");
}

void html_share(struct html *h, uint64_t part, uint64_t whole)
{
    html_textf(h, "%.1f\xc2\xa0%%", whole > 0 ? 100.0 * (double)part / (double)whole : 0.0);
}

void html_anchor(struct html *h, const char *name)
{
    html_textf(h, "l%zu-%s", h->launch->number, name);
}

void html_anchor_n(struct html *h, const char *name, uint64_t number)
{
    html_textf(h, "l%zu-%s%" PRIu64, h->launch->number, name, number);
}

void html_count_cell(struct html *h, uint64_t value)
{
    html_puts(h, "<td class=\"n\">");
    html_count(h, value);
    html_puts(h, "</td>");
}

void html_bar(struct html *h, double pct)
{
    double width = pct > 100 ? 100 : pct >= 0 ? pct : 0;
    html_puts(h, "<span class=\"bar\" aria-hidden=\"true\"><span style=\"width:");
    html_textf(h, "%.1f", width);
    html_puts(h, "%\"></span></span> ");
    html_textf(h, "%.1f\xc2\xa0%%", pct);
}

void html_scroll_begin(struct html *h, const char *label)
{
    html_puts(h, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
    html_text(h, label);
    html_puts(h, "\">\n");
}

void html_scroll_end(struct html *h)
{
    html_puts(h, "</div>\n");
}

void html_head_cell(struct html *h, const char *text, bool is_number)
{
    html_puts(h, is_number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
    html_text(h, text);
    html_puts(h, "</th>");
}

void html_place(struct html *h, const char *file, uint32_t line)
{
    html_text(h, file && file[0] != '\0' ? report_base_name(file) : "?");
    html_textf(h, ":%" PRIu32, line);
}
