/* The page around the articles of its launches, and an article's table of contents: which parts it has, in which order.
 * Style and script stand in assets/. */
#include "report/html_parts.h"

#include "base/demangle.h"
#include "report/escape.h"
#include "report/svg.h"

#include <string.h>

static const char *const style[] = {
#include "report/page.css.inc"
};
static const char *const script[] = {
#include "report/page.js.inc"
};

static const struct part {
    const char *name, *title;
    bool (*has)(const struct html *h); /* NULL: always */
    void (*write)(struct html *h);
} parts[] = {
    {"summary", "Summary", NULL, html_summary},
    {"findings", "Findings of the checks", html_findings_has, html_findings},
    {"advice", "What to change", html_advice_has, html_advice},
    {"source", "Source, line by line", html_source_has, html_source},
    {"shared", "Shared memory: lanes and banks", html_shared_has, html_shared},
    {"global", "Global memory: lanes and sectors", html_global_has, html_global},
    {"divergence", "Divergence", html_divergence_has, html_divergence},
    {"stalls", "What warps waited for", html_stalls_has, html_stalls},
    {"timeline", "Warps over time", html_timeline_has, html_timeline},
    {"occupancy", "Occupancy", html_occupancy_has, html_occupancy},
    {"results", "Results", html_results_has, html_results},
    {"metrics", "All metrics", html_metrics_has, html_metrics},
};
enum { PART_COUNT = sizeof(parts) / sizeof(parts[0]) };

static void put_asset(struct base_strbuf *out, const char *const *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        base_strbuf_puts(out, lines[i]);
}

/* ---- The page ---- */

void report_html_begin(struct base_strbuf *out, const char *title, const char *version, size_t count)
{
    base_strbuf_puts(out,
                     "<!DOCTYPE html>\n"
                     "<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                     "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n<meta name=\"generator\" "
                     "content=\"simtlab ");
    report_escape(out, version, strlen(version));
    base_strbuf_puts(out, "\"/>\n<title>");
    report_escape(out, title, strlen(title));
    base_strbuf_puts(out, ": simtlab report</title>\n<style>\n/*<![CDATA[*/\n");
    put_asset(out, style, sizeof(style) / sizeof(style[0]));
    report_svg_sheet(out);
    base_strbuf_puts(out, "/*]]>*/\n</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to the "
                          "report</a>\n<header class=\"page\">\n<h1><span class=\"brand\">simtlab report</span> ");
    report_escape(out, title, strlen(title));
    base_strbuf_puts(out, "</h1>\n</header>\n<nav class=\"contents\" aria-labelledby=\"contents\">\n"
                          "<h2 id=\"contents\">Contents</h2>\n");
    base_strbuf_puts(out, count > 1 ? "<ol class=\"many\">\n" : "<ol>\n");
}

void report_html_middle(struct base_strbuf *out)
{
    base_strbuf_puts(out, "</ol>\n</nav>\n<main id=\"content\" tabindex=\"-1\">\n");
}

void report_html_end(struct base_strbuf *out, const char *version)
{
    base_strbuf_puts(out, "</main>\n<footer>\n<p>Made by simtlab ");
    report_escape(out, version, strlen(version));
    base_strbuf_puts(out, ". Counts are exact for the form that ran; what is called modelled comes from a model of the "
                          "GPU. Metrics have the names that Nsight Compute uses.</p>\n</footer>\n<script>\n"
                          "//<![CDATA[\n");
    put_asset(out, script, sizeof(script) / sizeof(script[0]));
    base_strbuf_puts(out, "//]]>\n</script>\n</body>\n</html>\n");
}

/* ---- One launch ---- */

/* A C++ name as it was written. */
static void put_kernel(struct html *h)
{
    struct base_strbuf name = {0};
    base_demangle(h->report->kernel ? h->report->kernel : "(no kernel)", &name);
    html_taken(h, &name);
}

static void put_contents(struct html *h)
{
    html_puts(h, "<li><a href=\"#");
    html_anchor(h, "launch");
    html_puts(h, "\">");
    if (h->report->name && h->report->name[0] != '\0')
        html_text(h, h->report->name);
    else
        put_kernel(h);
    html_puts(h, "</a>");
    if (h->report->status != SIM_RUN_OK)
        html_puts(h, h->report->status == SIM_RUN_FAULT ? " <strong class=\"bad\">fault</strong>"
                                                        : " <strong class=\"bad\">not run</strong>");
    else if (h->report->finding_count > 0)
        html_puts(h, " <strong class=\"bad\">findings</strong>");
    html_puts(h, "\n<ol class=\"parts\">\n");
    for (size_t i = 0; i < PART_COUNT; i++) {
        if (parts[i].has && !parts[i].has(h))
            continue;
        html_puts(h, "<li><a href=\"#");
        html_anchor(h, parts[i].name);
        html_puts(h, "\">");
        html_text(h, parts[i].title);
        html_puts(h, "</a></li>\n");
    }
    html_puts(h, "</ol></li>\n");
}

static void put_part(struct html *h, const struct part *part)
{
    html_puts(h, "<section id=\"");
    html_anchor(h, part->name);
    html_puts(h, "\" class=\"");
    html_text(h, part->name);
    html_puts(h, "\" aria-labelledby=\"");
    html_anchor(h, part->name);
    html_puts(h, "-title\">\n<h3 id=\"");
    html_anchor(h, part->name);
    html_puts(h, "-title\">");
    html_text(h, part->title);
    html_puts(h, "</h3>\n");
    part->write(h);
    html_puts(h, "</section>\n");
}

static void put_fact(struct html *h, const char *term, const char *text)
{
    html_puts(h, "<div><dt>");
    html_text(h, term);
    html_puts(h, "</dt><dd>");
    html_text(h, text);
    html_puts(h, "</dd></div>\n");
}

static void put_dim_fact(struct html *h, const char *term, const uint32_t dim[3], const char *of)
{
    struct base_strbuf text = {0};
    report_dim3(&text, dim);
    base_strbuf_printf(&text, " %s", of);
    put_fact(h, term, text.data ? text.data : "");
    h->out->failed |= text.failed;
    base_strbuf_free(&text);
}

static void put_facts(struct html *h)
{
    const struct sim_report *report = h->report;
    html_puts(h, "<dl class=\"facts\">\n");
    if (report->file)
        put_fact(h, "File", report->file);
    put_fact(h, "Form", report->form == ISA_FORM_SASS ? "machine code (SASS)" : "PTX");
    if (report->grid[0] > 0) {
        put_dim_fact(h, "Grid", report->grid, "blocks");
        put_dim_fact(h, "Block", report->block, "threads");
    }
    if (report->cluster[0] * report->cluster[1] * report->cluster[2] > 1)
        put_dim_fact(h, "Cluster", report->cluster, "blocks");
    put_fact(h, "Device", report->device ? report->device : "?");
    put_fact(h, "Mode",
             report->cycles_mode ? "cycles: exact counts, and a model of time"
                                 : "counts: exact counts, no model of time");
    if (report->option_count > 0) {
        struct base_strbuf options = {0};
        report_options_text(report, &options);
        put_fact(h, "Run with", options.data ? options.data : "");
        base_strbuf_free(&options);
    }
    if (report->uncalibrated)
        put_fact(h, "Cycles uncalibrated", report->uncalibrated);
    html_puts(h, "</dl>\n");
}

/* Which lines to point at. */
static void find_lines(struct html *h)
{
    for (size_t i = 0; i < h->lines.count; i++) {
        const struct report_line *line = &h->lines.items[i];
        h->warp_cycles += line->warp_cycles;
        h->executed += line->executed;
        if (line->excess > (h->wasteful ? h->wasteful->excess : 0))
            h->wasteful = line;
        if (line->warp_cycles > (h->slow ? h->slow->warp_cycles : 0))
            h->slow = line;
    }
    uint64_t excess = 0, cycles = 0;
    for (size_t i = 0; i < h->report->insn_count; i++) {
        const struct sim_insn_report *insn = &h->report->insns[i];
        if (report_insn_excess(insn) > excess) {
            excess = report_insn_excess(insn);
            h->wasteful_insn = insn;
        }
        if (report_insn_warp_cycles(insn) > cycles) {
            cycles = report_insn_warp_cycles(insn);
            h->slow_insn = insn;
        }
    }
}

void report_html_launch(const struct report_html *launch, struct base_strbuf *article, struct base_strbuf *contents)
{
    struct html h = {.launch = launch, .report = launch->report, .out = article};
    if (!report_lines_make(launch->report, false, &h.lines)) {
        article->failed = true;
        return;
    }
    base_arena_init(&h.arena, 0);
    find_lines(&h);
    html_source_plan(&h);
    html_access_plan(&h);
    html_puts(&h, "<article id=\"");
    html_anchor(&h, "launch");
    html_puts(&h, "\" aria-labelledby=\"");
    html_anchor(&h, "title");
    html_puts(&h, "\">\n<h2 id=\"");
    html_anchor(&h, "title");
    html_puts(&h, "\">");
    if (launch->report->name && launch->report->name[0] != '\0') {
        html_text(&h, launch->report->name);
        html_puts(&h, ": ");
    }
    html_puts(&h, "<code>");
    put_kernel(&h);
    html_puts(&h, "</code></h2>\n");
    put_facts(&h);
    for (size_t i = 0; i < PART_COUNT; i++) {
        if (!parts[i].has || parts[i].has(&h))
            put_part(&h, &parts[i]);
    }
    html_puts(&h, "</article>\n");
    h.out = contents;
    put_contents(&h);
    report_lines_free(&h.lines);
    base_arena_free(&h.arena);
}
