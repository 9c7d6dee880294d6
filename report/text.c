/* The page for a person. report_text() is its table of contents: headline, fault, key figures, source lines from the
 * worst, occupancy, buffers, what to change. A figure that the report lacks has no line.
 */
#include "report/report.h"
#include "report/speed.h"
#include "advise/metric_names.h"
#include "report/advice.h"

#include "base/demangle.h"
#include "report/lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_WIDTH = 100, LINES_SHOWN = 10, ADVICE_SHOWN = 5, FINDINGS_SHOWN = 20, NAME_WIDTH = 50 };

struct page {
    const struct sim_report *report;
    const struct report_text_options *options;
    struct base_strbuf *out;
};

static void style(const struct page *page, const char *code)
{
    if (page->options->colour)
        base_strbuf_style(page->out, code);
}

static void heading(const struct page *page, const char *text)
{
    base_strbuf_putc(page->out, '\n');
    style(page, "1");
    base_strbuf_puts(page->out, text);
    style(page, "0");
    base_strbuf_putc(page->out, '\n');
}

/* A C++ name as it was written; --format json has the mangled one. Returns its length. */
static size_t kernel_name(const struct page *page)
{
    size_t before = page->out->length;
    base_demangle(page->report->kernel ? page->report->kernel : "(no kernel)", page->out);
    return page->out->length - before;
}

void report_options_text(const struct sim_report *report, struct base_strbuf *out)
{
    for (size_t i = 0; i < report->option_count; i++)
        base_strbuf_printf(out, "%s--%s %s", i > 0 ? " " : "", report->options[i].name, report->options[i].value);
}

static void headline(const struct page *page)
{
    const struct sim_report *report = page->report;
    style(page, "1");
    bool is_long = kernel_name(page) > NAME_WIDTH;
    style(page, "0");
    base_strbuf_puts(page->out, is_long ? "\n  grid " : "   grid ");
    report_dim3(page->out, report->grid);
    base_strbuf_puts(page->out, "   block ");
    report_dim3(page->out, report->block);
    if (report->cluster[0] * report->cluster[1] * report->cluster[2] > 1) {
        base_strbuf_puts(page->out, "   cluster ");
        report_dim3(page->out, report->cluster);
    }
    base_strbuf_printf(page->out, "   on %s\n", report->device ? report->device : "?");
    base_strbuf_printf(page->out, "%s, counts of the %s\n", report->file ? report->file : "",
                       report->form == ISA_FORM_SASS ? "machine code" : "PTX");
    if (report->option_count > 0) {
        base_strbuf_puts(page->out, "run with ");
        report_options_text(report, page->out);
        base_strbuf_putc(page->out, '\n');
    }
    if (report->uncalibrated)
        base_strbuf_printf(page->out, "cycles uncalibrated: %s\n", report->uncalibrated);
    if (report->status != SIM_RUN_OK && report->status != SIM_RUN_FAULT && report->message)
        base_strbuf_printf(page->out, "not run: %s\n", report->message);
}

/* Cut to the page's width. */
void report_text_source(const struct report_text_options *options, const char *file, uint32_t line, size_t indent,
                        struct base_strbuf *out)
{
    size_t length = 0;
    const char *text = NULL;
    if (options->source_line && file && line > 0)
        text = options->source_line(options->user, file, line, &length);
    if (!text)
        return;
    while (length > 0 && (*text == ' ' || *text == '\t'))
        text++, length--;
    while (length > 0 && strchr(" \t\r", text[length - 1]))
        length--;
    if (length == 0)
        return;
    bool cut = length > PAGE_WIDTH - indent;
    if (cut)
        length = PAGE_WIDTH - indent - 3;
    base_strbuf_repeat(out, ' ', indent);
    if (options->colour)
        base_strbuf_style(out, "36");
    for (size_t i = 0; i < length; i++)
        base_strbuf_putc(out, text[i] == '\t' ? ' ' : text[i]);
    base_strbuf_puts(out, cut ? "..." : "");
    if (options->colour)
        base_strbuf_style(out, "0");
    base_strbuf_putc(out, '\n');
}

static void source_text(const struct page *page, const char *file, uint32_t line, size_t indent)
{
    report_text_source(page->options, file, line, indent, page->out);
}

static void fault(const struct page *page)
{
    const struct sim_report *report = page->report;
    const struct sim_fault *f = &report->fault;
    base_strbuf_putc(page->out, '\n');
    style(page, "1;31");
    base_strbuf_printf(page->out, "Fault: %s", sim_fault_kind_name(f->kind));
    style(page, "0");
    base_strbuf_puts(page->out, " in kernel ");
    (void)kernel_name(page);
    base_strbuf_putc(page->out, '\n');
    if (f->message[0] != '\0')
        base_strbuf_printf(page->out, "  what     %s\n", f->message);
    if (report->fault_file)
        base_strbuf_printf(page->out, "  source   %s:%u\n", report->fault_file, report->fault_line);
    source_text(page, report->fault_file, report->fault_line, 11);
    if (report->fault_text)
        base_strbuf_printf(page->out,
                           report->form == ISA_FORM_SASS ? "  code     %s   (offset 0x%x)\n"
                                                         : "  PTX      %s   (instruction %u)\n",
                           report->fault_text, report->fault_pc);
    base_strbuf_printf(page->out, "  thread   (%u, %u, %u) of block (%u, %u, %u)\n", f->thread[0], f->thread[1],
                       f->thread[2], f->block[0], f->block[1], f->block[2]);
    if (f->has_address)
        base_strbuf_printf(page->out, "  address  0x%" PRIx64 "\n", f->address);
    if (f->nearest[0] != '\0')
        base_strbuf_printf(page->out, "  nearest  %s\n", f->nearest);
    if (report->metric_count > 0)
        base_strbuf_printf(page->out, "  The figures below are those up to the fault%s.\n",
                           report->cycles_mode ? "; the clock has none for a launch that did not end" : "");
}

static void finding_thread(const struct page *page, const struct sim_finding_thread *thread)
{
    base_strbuf_printf(page->out, "    %-8s %s:%u   thread (%u, %u, %u) of block (%u, %u, %u)\n",
                       sim_access_name(thread->access), thread->file ? report_base_name(thread->file) : "?",
                       thread->line, thread->thread[0], thread->thread[1], thread->thread[2], thread->block[0],
                       thread->block[1], thread->block[2]);
    source_text(page, thread->file, thread->line, 13);
}

static void finding(const struct page *page, const struct sim_finding *f)
{
    base_strbuf_puts(page->out, "  ");
    style(page, "1;31");
    base_strbuf_printf(page->out, "%s: %s", f->check, f->kind);
    style(page, "0");
    base_strbuf_puts(page->out, ", ");
    report_count(page->out, f->count);
    base_strbuf_puts(page->out, f->count == 1 ? " time\n" : " times, the first of them:\n");
    base_strbuf_printf(page->out, "    what     %s\n", f->message);
    finding_thread(page, &f->first);
    if (f->has_other)
        finding_thread(page, &f->other);
    if (f->has_address)
        base_strbuf_printf(page->out, "    address  0x%" PRIx64 "%s%s\n", f->address, f->nearest ? ", " : "",
                           f->nearest ? f->nearest : "");
}

/* What the checks that were made have to say, if only that they found nothing. */
static void findings(const struct page *page)
{
    const struct sim_report *report = page->report;
    if (report->checks == 0)
        return;
    heading(page, report->finding_count > 0 ? "Findings" : "Findings: none");
    for (size_t i = 0; i < report->finding_count && i < FINDINGS_SHOWN; i++)
        finding(page, &report->findings[i]);
    if (report->finding_count > FINDINGS_SHOWN)
        base_strbuf_printf(page->out, "  ... and %zu more; --format json has them all\n",
                           report->finding_count - FINDINGS_SHOWN);
    if (report->checks_incomplete)
        base_strbuf_puts(page->out, "  Not everything was looked at: the checks ran out of memory.\n");
}

/* What was asked for, by whatever name it goes. */
static void asked_metrics(const struct page *page)
{
    const char *at = page->options->metrics;
    if (at)
        heading(page, "Metrics");
    while (at && *at != '\0') {
        size_t length = strcspn(at, ",");
        char name[128] = "";
        struct base_strbuf value = {0};
        if (length < sizeof(name))
            memcpy(name, at, length);
        struct sim_metric metric;
        bool found = name[0] != '\0' && advise_metric_named(page->report, name, &metric);
        if (found)
            report_metric_shown(&value, &metric);
        base_strbuf_printf(page->out, "  %-32s %11s  %s%s\n", name[0] != '\0' ? name : "?",
                           value.data ? value.data : "-", found ? metric.name : "the report has no metric of that name",
                           found && metric.modelled ? " (modelled)" : "");
        base_strbuf_free(&value);
        at += length + (at[length] == ',');
    }
}

static void key_figures(const struct page *page)
{
    const char *last = "";
    for (size_t i = 0; i < report_figure_count; i++) {
        const struct sim_metric *metric = report_figure_metric(page->report, i);
        if (!metric)
            continue;
        if (strcmp(last, report_figures[i].heading) != 0)
            heading(page, report_figures[i].heading);
        last = report_figures[i].heading;
        struct base_strbuf value = {0};
        report_metric_shown(&value, metric);
        base_strbuf_printf(page->out, "  %-17s %11s  ", report_figures[i].words, value.data ? value.data : "");
        page->out->failed |= value.failed;
        base_strbuf_free(&value);
        style(page, "2");
        base_strbuf_printf(page->out, "%s%s", metric->name, metric->modelled ? " (modelled)" : "");
        style(page, "0");
        base_strbuf_putc(page->out, '\n');
        if (report_figure_is_share(metric) && metric->real > 100)
            base_strbuf_puts(page->out, "                                 "
                                        "over 100: a generic access to shared memory counts too\n");
    }
}

static void speed_heading(void *user, const char *title)
{
    heading(user, title);
}

static void speed(const struct page *page)
{
    struct page own = *page;
    report_speed_text(page->report, speed_heading, &own, page->out);
}

static void access_line(const struct page *page, const struct sim_insn_report *insn)
{
    struct base_strbuf *out = page->out;
    base_strbuf_printf(out, "      %s %s  ", insn->is_shared ? "shared" : "global",
                       insn->is_atomic  ? "atomic"
                       : insn->is_store ? "store "
                                        : "load  ");
    report_count(out, insn->requests);
    base_strbuf_puts(out, insn->requests == 1 ? " request" : " requests");
    if (insn->is_global && insn->requests > 0) {
        base_strbuf_puts(out, ", ");
        report_ratio(out, insn->sectors, insn->requests);
        base_strbuf_puts(out, insn->sectors == insn->requests ? " sector each" : " sectors each");
        if (insn->sectors > insn->sectors_ideal) {
            base_strbuf_puts(out, " where ");
            report_ratio(out, insn->sectors_ideal, insn->requests);
            base_strbuf_puts(out, " would do");
        }
    }
    if (insn->is_shared && insn->requests > 0) {
        base_strbuf_puts(out, ", ");
        report_ratio(out, insn->wavefronts, insn->requests);
        base_strbuf_puts(out, insn->wavefronts == insn->requests ? " wavefront each" : " wavefronts each");
        if (insn->wavefronts > insn->wavefronts_ideal) {
            base_strbuf_puts(out, " where ");
            report_ratio(out, insn->wavefronts_ideal, insn->requests);
            base_strbuf_puts(out, " would do: ");
            report_ratio(out, insn->wavefronts, insn->wavefronts_ideal);
            base_strbuf_puts(out, insn->wavefronts_ideal > 0 && insn->wavefronts % insn->wavefronts_ideal == 0
                                      ? "-way bank conflict"
                                      : "-way bank conflict on average");
        }
    }
    base_strbuf_putc(out, '\n');
}

static void insn_lines(const struct page *page, const struct sim_insn_report *insn)
{
    if (insn->is_global || insn->is_shared)
        access_line(page, insn);
    if (insn->predicated_off > 0 && !insn->is_branch) {
        base_strbuf_puts(page->out, "      predication    ");
        report_count(page->out, insn->predicated_off);
        base_strbuf_puts(page->out, " of ");
        report_count(page->out, insn->thread_executed);
        base_strbuf_puts(page->out, " threads were switched off by the guard\n");
    }
    if (insn->is_branch && insn->divergent > 0) {
        base_strbuf_puts(page->out, "      divergence     ");
        report_count(page->out, insn->divergent);
        base_strbuf_puts(page->out, " of ");
        report_count(page->out, insn->executed);
        base_strbuf_puts(page->out, " warps went both ways\n");
    }
}

static void source_lines(const struct page *page)
{
    struct report_lines lines;
    if (!report_lines_make(page->report, true, &lines)) {
        page->out->failed = true;
        return;
    }
    report_lines_sort(&lines);
    if (lines.count > 0) {
        heading(page, lines.items[0].excess > 0 ? "Source lines, the most wasteful first" : "Source lines");
        if (lines.items[0].excess == 0)
            base_strbuf_puts(page->out, "  no access takes more sectors or wavefronts than its bytes need\n");
    }
    for (size_t i = 0; i < lines.count && i < LINES_SHOWN; i++) {
        const struct report_line *line = &lines.items[i];
        base_strbuf_printf(page->out, "  %s:%u\n", report_base_name(line->file), line->line);
        source_text(page, line->file, line->line, 6);
        for (size_t j = 0; j < line->insn_count; j++)
            insn_lines(page, line->insns[j]);
    }
    if (lines.count > LINES_SHOWN)
        base_strbuf_printf(page->out, "  ... and %zu more; --format json has every instruction\n",
                           lines.count - LINES_SHOWN);
    report_lines_free(&lines);
}

static void occupancy(const struct page *page)
{
    const struct sim_report *report = page->report;
    if (!report->has_occupancy)
        return;
    struct report_occupancy query = report_occupancy_of(report);
    base_strbuf_putc(page->out, '\n');
    report_occupancy_text(&query, page->out);
}

static void buffers(const struct page *page)
{
    const struct sim_report *report = page->report;
    if (report->buffer_count > 0)
        heading(page, "Buffers after the launch");
    for (size_t i = 0; i < report->buffer_count; i++) {
        const struct sim_buffer_report *buffer = &report->buffers[i];
        base_strbuf_printf(page->out, "  argument %-2u  %-4s ", buffer->arg, isa_types[buffer->type].name);
        report_count(page->out, buffer->bytes);
        base_strbuf_printf(page->out, " bytes, fnv1a64 %016" PRIx64 "\n", buffer->fnv1a64);
    }
}

void report_text(const struct sim_report *report, const struct report_text_options *options, struct base_strbuf *out)
{
    struct page page = {.report = report, .options = options, .out = out};
    headline(&page);
    if (report->has_fault)
        fault(&page);
    findings(&page);
    asked_metrics(&page);
    if (!options->only_advice) {
        key_figures(&page);
        speed(&page);
        source_lines(&page);
        occupancy(&page);
        buffers(&page);
    }
    if (report->printed_cut)
        base_strbuf_puts(out, "\nThe kernel printed more than was kept.\n");
    if (options->advice)
        report_advice_text(options->advice, options->only_advice ? SIZE_MAX : ADVICE_SHOWN, options, out);
}
