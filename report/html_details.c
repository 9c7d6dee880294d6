/* Occupancy with its curves; buffers and what the kernel printed; every metric. */
#include "report/html_parts.h"

#include <inttypes.h>

/* ---- Occupancy ---- */

bool html_occupancy_has(const struct html *h)
{
    return h->report->has_occupancy;
}

void html_occupancy(struct html *h)
{
    struct report_occupancy query = report_occupancy_of(h->report);
    struct base_strbuf text = {0};
    query.study = h->launch->study;
    query.in_page = true;
    report_occupancy_text(&query, &text);
    html_puts(h, "<pre class=\"words\" tabindex=\"0\">");
    html_taken(h, &text);
    html_puts(h, "</pre>\n");
    if (!query.study)
        return;
    html_puts(h, "<figure>\n");
    html_scroll_begin(h, "Occupancy curves");
    report_occupancy_svg(&query, h->out);
    html_scroll_end(h);
    html_puts(h, "<figcaption>What occupancy would be with another block size, other registers or other shared memory, "
                 "the rest as it is. The dot is this launch.</figcaption>\n</figure>\n");
}

/* ---- Results ---- */

bool html_results_has(const struct html *h)
{
    return h->report->buffer_count > 0 || h->report->printed_length > 0;
}

void html_results(struct html *h)
{
    const struct sim_report *report = h->report;
    if (report->buffer_count > 0) {
        html_scroll_begin(h, "Buffers after the launch");
        html_puts(h, "<table>\n<caption>Buffers after the launch. FNV-1a: a sum over the bytes; equal sums, equal "
                     "contents.</caption>\n<thead><tr>");
        html_head_cell(h, "Argument", true);
        html_head_cell(h, "Type", false);
        html_head_cell(h, "Bytes", true);
        html_head_cell(h, "FNV-1a", false);
        html_puts(h, "</tr></thead>\n<tbody>\n");
    }
    for (size_t i = 0; i < report->buffer_count; i++) {
        const struct sim_buffer_report *buffer = &report->buffers[i];
        html_puts(h, "<tr><th scope=\"row\" class=\"n\">");
        html_textf(h, "%u", buffer->arg);
        html_puts(h, "</th><td>");
        html_text(h, isa_types[buffer->type].name);
        html_puts(h, "</td>");
        html_count_cell(h, buffer->bytes);
        html_puts(h, "<td><code>");
        html_textf(h, "%016" PRIx64, buffer->fnv1a64);
        html_puts(h, "</code></td></tr>\n");
    }
    if (report->buffer_count > 0) {
        html_puts(h, "</tbody></table>\n");
        html_scroll_end(h);
    }
    if (report->printed_length == 0)
        return;
    html_puts(h, "<h4>What the kernel printed</h4>\n<pre tabindex=\"0\">");
    enum { PRINTED_SHOWN = 65536 };
    bool cut = report->printed_length > PRINTED_SHOWN;
    html_bytes(h, report->printed, cut ? PRINTED_SHOWN : report->printed_length);
    html_puts(h, "</pre>\n");
    if (cut || report->printed_cut)
        html_puts(h, "<p>The kernel printed more than is shown here.</p>\n");
}

/* ---- Metrics ---- */

bool html_metrics_has(const struct html *h)
{
    return h->report->metric_count > 0;
}

void html_metrics(struct html *h)
{
    html_puts(h, "<details>\n<summary>");
    html_number_of(h, h->report->metric_count, "metric");
    html_puts(h, " by Nsight Compute's names</summary>\n");
    html_scroll_begin(h, "All metrics");
    html_puts(h, "<table>\n<caption>All metrics</caption>\n<thead><tr>");
    html_head_cell(h, "Metric", false);
    html_head_cell(h, "Value", true);
    html_head_cell(h, "Unit", false);
    html_head_cell(h, "Exact or modelled", false);
    html_puts(h, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < h->report->metric_count; i++) {
        const struct sim_metric *metric = &h->report->metrics[i];
        struct base_strbuf value = {0};
        html_puts(h, "<tr><th scope=\"row\"><code>");
        html_text(h, metric->name);
        html_puts(h, "</code></th><td class=\"n\">");
        report_metric_value(&value, metric);
        html_taken(h, &value);
        html_puts(h, "</td><td>");
        html_text(h, metric->unit ? metric->unit : "");
        html_puts(h, metric->modelled ? "</td><td>modelled</td></tr>\n" : "</td><td>exact</td></tr>\n");
    }
    html_puts(h, "</tbody></table>\n");
    html_scroll_end(h);
    html_puts(h, "</details>\n");
}
