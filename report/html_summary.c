/* What a reader wants first: how it ended, how long it took and of which limit, which lines to look at, key figures. */
#include "report/html_parts.h"
#include "report/speed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_SHOWN = 5 };

/* ---- How it ended ---- */

static void put_term(struct html *h, const char *term)
{
    html_puts(h, "<div><dt>");
    html_text(h, term);
    html_puts(h, "</dt><dd>");
}

static void put_fault(struct html *h)
{
    const struct sim_report *report = h->report;
    const struct sim_fault *f = &report->fault;
    html_puts(h, "<div class=\"alert\" role=\"note\">\n<p><strong>Fault: ");
    html_text(h, sim_fault_kind_name(f->kind));
    html_puts(h, "</strong></p>\n<dl>\n");
    if (f->message[0] != '\0') {
        put_term(h, "What");
        html_text(h, f->message);
        html_puts(h, "</dd></div>\n");
    }
    if (report->fault_file) {
        put_term(h, "Source");
        bool linked = html_line_link(h, report->fault_file, report->fault_line);
        html_place(h, report->fault_file, report->fault_line);
        html_puts(h, linked ? "</a></dd></div>\n" : "</dd></div>\n");
    }
    if (report->fault_text) {
        put_term(h, "Instruction");
        html_puts(h, "<code>");
        html_text(h, report->fault_text);
        html_puts(h, "</code></dd></div>\n");
    }
    put_term(h, "Thread");
    html_textf(h, "(%u, %u, %u) of block (%u, %u, %u)", f->thread[0], f->thread[1], f->thread[2], f->block[0],
               f->block[1], f->block[2]);
    html_puts(h, "</dd></div>\n");
    if (f->has_address) {
        put_term(h, "Address");
        html_textf(h, "0x%" PRIx64, f->address);
        html_puts(h, "</dd></div>\n");
    }
    if (f->nearest[0] != '\0') {
        put_term(h, "Nearest");
        html_text(h, f->nearest);
        html_puts(h, "</dd></div>\n");
    }
    html_puts(h, "</dl>\n");
    if (report->metric_count > 0)
        html_puts(h, h->report->cycles_mode
                         ? "<p>The figures below are those up to the fault; the clock has none for a "
                           "launch that did not end.</p>\n"
                         : "<p>The figures below are those up to the fault.</p>\n");
    html_puts(h, "</div>\n");
}

static void put_status(struct html *h)
{
    const struct sim_report *report = h->report;
    if (report->has_fault) {
        put_fault(h);
    } else if (report->status != SIM_RUN_OK) {
        html_puts(h, "<p class=\"alert\" role=\"note\"><strong>Not run:</strong> ");
        html_text(h, report->message ? report->message : "it could not be run");
        html_puts(h, "</p>\n");
    }
    if (report->finding_count > 0) {
        html_puts(h, "<p class=\"alert\" role=\"note\"><strong>");
        html_number_of(h, report->finding_count, "finding");
        html_puts(h, "</strong> of the checks: <a href=\"#");
        html_anchor(h, "findings");
        html_puts(h, "\">what and where</a>.</p>\n");
    }
}

/* ---- Time and limits ---- */

static void put_time(struct html *h)
{
    const struct sim_metric *cycles = sim_report_metric(h->report, "sm__cycles_elapsed.max");
    const struct sim_metric *active = sim_report_metric(h->report, "sm__cycles_active.max");
    const struct sim_metric *time = sim_report_metric(h->report, "gpu__time_duration.sum");
    if (!cycles || !time)
        return;
    html_puts(h, "<p class=\"headline\"><strong>");
    html_count(h, cycles->integer);
    html_puts(h, "</strong> cycles elapsed, <strong>");
    if (time->real >= 1e6)
        html_textf(h, "%.4g</strong> ms", time->real / 1e6);
    else
        html_textf(h, "%.4g", time->real / 1e3);
    html_puts(h, time->real >= 1e6 ? "" : "</strong> \xc2\xb5s");
    if (active && active->integer > 0) {
        html_puts(h, "; ");
        html_count(h, active->integer);
        html_puts(h, " cycles active on the SM that was longest at work");
    }
    html_puts(h, " (modelled)</p>\n");
}

static void put_limits(struct html *h)
{
    bool begun = false;
    for (size_t i = 0; i < report_limit_count; i++) {
        const struct sim_metric *metric = sim_report_metric(h->report, report_limits[i].metric);
        if (!metric)
            continue;
        if (!begun) {
            html_scroll_begin(h, "Speed of light");
            html_puts(h, "<table>\n<caption>Speed of light: how much of each limit was used. One near 100 % is what "
                         "holds the kernel up; all low means that warps wait (modelled).</caption>\n<thead><tr>");
            html_head_cell(h, "Limit", false);
            html_head_cell(h, "Used", false);
            html_head_cell(h, "Which is the share", false);
            html_puts(h, "</tr></thead>\n<tbody>\n");
        }
        begun = true;
        html_puts(h, "<tr><th scope=\"row\">");
        html_text(h, report_limits[i].words);
        html_puts(h, "</th><td class=\"b\">");
        html_bar(h, metric->real);
        html_puts(h, "</td><td>");
        html_text(h, report_limits[i].meaning);
        html_puts(h, "<br/><code class=\"name\">");
        html_text(h, report_limits[i].metric);
        html_puts(h, "</code></td></tr>\n");
    }
    if (begun) {
        html_puts(h, "</tbody></table>\n");
        html_scroll_end(h);
    }
}

/* ---- The lines to look at ---- */

static int by_waste(const void *a, const void *b)
{
    const struct report_line *const *x = a, *const *y = b;
    if ((*x)->excess != (*y)->excess)
        return (*x)->excess > (*y)->excess ? -1 : 1;
    if ((*x)->warp_cycles != (*y)->warp_cycles)
        return (*x)->warp_cycles > (*y)->warp_cycles ? -1 : 1;
    return *x < *y ? -1 : 1;
}

/* "32 sectors a request where 4 would do", of the line's worst instruction. */
static void put_waste(struct html *h, const struct report_line *line)
{
    const struct sim_insn_report *worst = NULL;
    for (size_t i = 0; i < line->insn_count; i++) {
        if (!worst || report_insn_excess(line->insns[i]) > report_insn_excess(worst))
            worst = line->insns[i];
    }
    if (!worst || report_insn_excess(worst) == 0 || worst->requests == 0)
        return;
    struct base_strbuf text = {0};
    bool is_shared = worst->is_shared && worst->wavefronts > worst->wavefronts_ideal;
    base_strbuf_puts(&text, is_shared ? "shared " : "global ");
    base_strbuf_puts(&text, worst->is_atomic ? "atomic: " : worst->is_store ? "store: " : "load: ");
    report_ratio(&text, is_shared ? worst->wavefronts : worst->sectors, worst->requests);
    base_strbuf_puts(&text, is_shared ? " wavefronts a request where " : " sectors a request where ");
    report_ratio(&text, is_shared ? worst->wavefronts_ideal : worst->sectors_ideal, worst->requests);
    base_strbuf_puts(&text, " would do");
    html_taken(h, &text);
}

static void put_worst_row(struct html *h, const struct report_line *line)
{
    size_t length = 0;
    const char *text = NULL;
    html_puts(h, "<tr><th scope=\"row\">");
    bool linked = html_line_link(h, line->file, line->line);
    html_place(h, line->file, line->line);
    html_puts(h, linked ? "</a></th><td>" : "</th><td>");
    if (h->launch->source_line && line->file[0] != '\0' && line->line > 0)
        text = h->launch->source_line(h->launch->user, line->file, line->line, &length);
    while (text && length > 0 && (*text == ' ' || *text == '\t'))
        text++, length--;
    html_puts(h, "<code>");
    if (text)
        html_bytes(h, text, length);
    html_puts(h, "</code></td><td>");
    put_waste(h, line);
    html_puts(h, "</td>");
    html_count_cell(h, line->excess);
    if (h->slow) {
        html_puts(h, "<td class=\"n\">");
        html_share(h, line->warp_cycles, h->warp_cycles);
        html_puts(h, "</td>");
    }
    html_puts(h, "</tr>\n");
}

static void put_worst_lines(struct html *h)
{
    if (!h->wasteful && !h->slow)
        return;
    const struct report_line **sorted = base_arena_alloc(&h->arena, h->lines.count, sizeof(*sorted));
    if (!sorted) {
        h->out->failed = true;
        return;
    }
    for (size_t i = 0; i < h->lines.count; i++)
        sorted[i] = &h->lines.items[i];
    qsort(sorted, h->lines.count, sizeof(sorted[0]), by_waste);
    html_scroll_begin(h, "Lines to look at first");
    html_puts(h, "<table>\n<caption>Lines to look at first. Wasted: sectors and wavefronts beyond what packed accesses "
                 "without bank conflicts would have taken.</caption>\n<thead><tr>");
    html_head_cell(h, "Line", false);
    html_head_cell(h, "Source", false);
    html_head_cell(h, "What is wasted", false);
    html_head_cell(h, "Wasted", true);
    if (h->slow)
        html_head_cell(h, "Warps' time", true);
    html_puts(h, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < h->lines.count && i < LINES_SHOWN && (sorted[i]->excess > 0 || sorted[i]->warp_cycles > 0);
         i++)
        put_worst_row(h, sorted[i]);
    html_puts(h, "</tbody></table>\n");
    html_scroll_end(h);
    if (!h->wasteful)
        html_puts(h, "<p>No access takes more sectors or wavefronts than its bytes need.</p>\n");
}

/* ---- Key figures ---- */

static void put_figures(struct html *h)
{
    const char *last = NULL;
    bool over = false;
    for (size_t i = 0; i < report_figure_count; i++) {
        const struct sim_metric *metric = report_figure_metric(h->report, i);
        struct base_strbuf value = {0};
        if (!metric)
            continue;
        if (!last) {
            html_scroll_begin(h, "Key figures");
            html_puts(h, "<table>\n<caption>Key figures</caption>\n");
        }
        if (!last || strcmp(last, report_figures[i].heading) != 0) {
            html_puts(h, last ? "</tbody>\n<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"3\" class=\"group\">"
                              : "<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"3\" class=\"group\">");
            html_text(h, report_figures[i].heading);
            html_puts(h, "</th></tr>\n");
        }
        last = report_figures[i].heading;
        over = over || (report_figure_is_share(metric) && metric->real > 100);
        html_puts(h, "<tr><th scope=\"row\">");
        html_text(h, report_figures[i].words);
        html_puts(h, "</th><td class=\"n\">");
        report_metric_shown(&value, metric);
        html_taken(h, &value);
        html_puts(h, "</td><td><code class=\"name\">");
        html_text(h, metric->name);
        html_puts(h, metric->modelled ? "</code> (modelled)</td></tr>\n" : "</code></td></tr>\n");
    }
    if (!last)
        return;
    html_puts(h, "</tbody></table>\n");
    html_scroll_end(h);
    if (over)
        html_puts(h, "<p>Lanes' bytes over 100 %: a generic access to shared memory counts too.</p>\n");
}

void html_summary(struct html *h)
{
    put_status(h);
    put_time(h);
    put_limits(h);
    put_worst_lines(h);
    put_figures(h);
}
