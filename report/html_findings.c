/* What the checks found: each finding with both threads and their lines. */
#include "report/html_parts.h"

#include <inttypes.h>

enum { FINDINGS_SHOWN = 200 };

bool html_findings_has(const struct html *h)
{
    return h->report->checks != 0;
}

static void put_thread(struct html *h, const struct sim_finding_thread *thread)
{
    size_t length = 0;
    const char *text = NULL;
    html_puts(h, "<tr><th scope=\"row\">");
    html_text(h, sim_access_name(thread->access));
    html_puts(h, "</th><td>");
    bool linked = html_line_link(h, thread->file, thread->line);
    html_place(h, thread->file, thread->line);
    html_puts(h, linked ? "</a></td><td>" : "</td><td>");
    html_textf(h, "(%u, %u, %u) of block (%u, %u, %u)", thread->thread[0], thread->thread[1], thread->thread[2],
               thread->block[0], thread->block[1], thread->block[2]);
    html_puts(h, "</td><td><code>");
    if (h->launch->source_line && thread->file)
        text = h->launch->source_line(h->launch->user, thread->file, thread->line, &length);
    while (text && length > 0 && (*text == ' ' || *text == '\t'))
        text++, length--;
    if (text)
        html_bytes(h, text, length);
    else if (thread->text)
        html_text(h, thread->text);
    html_puts(h, "</code></td></tr>\n");
}

static void put_finding(struct html *h, const struct sim_finding *finding)
{
    html_puts(h, "<li>\n<p><strong class=\"bad\">");
    html_text(h, finding->check);
    html_puts(h, ": ");
    html_text(h, finding->kind);
    html_puts(h, "</strong>, ");
    html_number_of(h, finding->count, "time");
    html_puts(h, ". ");
    html_text(h, finding->message ? finding->message : "");
    html_puts(h, "</p>\n");
    html_scroll_begin(h, "Who");
    html_puts(h, "<table>\n<caption>The first of them");
    if (finding->has_address) {
        html_textf(h, ", at address 0x%" PRIx64, finding->address);
        if (finding->nearest && finding->nearest[0] != '\0') {
            html_puts(h, ": ");
            html_text(h, finding->nearest);
        }
    }
    html_puts(h, "</caption>\n<thead><tr>");
    html_head_cell(h, "What", false);
    html_head_cell(h, "Line", false);
    html_head_cell(h, "Thread", false);
    html_head_cell(h, "Source", false);
    html_puts(h, "</tr></thead>\n<tbody>\n");
    put_thread(h, &finding->first);
    if (finding->has_other)
        put_thread(h, &finding->other);
    html_puts(h, "</tbody></table>\n");
    html_scroll_end(h);
    html_puts(h, "</li>\n");
}

void html_findings(struct html *h)
{
    const struct sim_report *report = h->report;
    if (report->finding_count == 0)
        html_puts(h, "<p class=\"fine\">The checks found nothing.</p>\n");
    else
        html_puts(h, "<ol class=\"findings\">\n");
    for (size_t i = 0; i < report->finding_count && i < FINDINGS_SHOWN; i++)
        put_finding(h, &report->findings[i]);
    if (report->finding_count > 0)
        html_puts(h, "</ol>\n");
    if (report->finding_count > FINDINGS_SHOWN) {
        html_puts(h, "<p>And ");
        html_count(h, report->finding_count - FINDINGS_SHOWN);
        html_puts(h, " more; --format json has them all.</p>\n");
    }
    if (report->checks_incomplete)
        html_puts(h, "<p>Not everything was looked at: the checks ran out of memory.</p>\n");
}
