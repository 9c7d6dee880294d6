/* The page for a person. report_text() is its table of contents: headline, fault, key figures, source lines from the
 * worst, occupancy, buffers, what to change. A figure that the report lacks has no line.
 *
 * A source line's counters are those of all instructions that came from it. "Worst" is the excess: sectors and
 * wavefronts beyond what packed, conflict-free accesses of the same lanes would have needed.
 */
#include "report/report.h"
#include "advise/metric_names.h"
#include "report/advice.h"

#include "base/demangle.h"
#include "base/vec.h"

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
        base_strbuf_printf(page->out, "\033[%sm", code);
}

static void heading(const struct page *page, const char *text)
{
    base_strbuf_putc(page->out, '\n');
    style(page, "1");
    base_strbuf_puts(page->out, text);
    style(page, "0");
    base_strbuf_putc(page->out, '\n');
}

static void put_dim3(struct base_strbuf *out, const uint32_t dim[3])
{
    report_count(out, dim[0]);
    for (int i = 1; i < 3 && (dim[1] > 1 || dim[2] > 1); i++) {
        if (i == 1 || dim[2] > 1) {
            base_strbuf_puts(out, " x ");
            report_count(out, dim[i]);
        }
    }
}

/* A C++ name as it was written; --format json has the mangled one. Returns its length. */
static size_t kernel_name(const struct page *page)
{
    size_t before = page->out->length;
    base_demangle(page->report->kernel ? page->report->kernel : "(no kernel)", page->out);
    return page->out->length - before;
}

static void headline(const struct page *page)
{
    const struct sim_report *report = page->report;
    style(page, "1");
    bool is_long = kernel_name(page) > NAME_WIDTH;
    style(page, "0");
    base_strbuf_puts(page->out, is_long ? "\n  grid " : "   grid ");
    put_dim3(page->out, report->grid);
    base_strbuf_puts(page->out, "   block ");
    put_dim3(page->out, report->block);
    if (report->cluster[0] * report->cluster[1] * report->cluster[2] > 1) {
        base_strbuf_puts(page->out, "   cluster ");
        put_dim3(page->out, report->cluster);
    }
    base_strbuf_printf(page->out, "   on %s\n", report->device ? report->device : "?");
    base_strbuf_printf(page->out, "%s, counts of the %s\n", report->file ? report->file : "",
                       report->form == ISA_FORM_SASS ? "machine code" : "PTX");
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
    base_strbuf_puts(out, options->colour ? "\033[36m" : "");
    for (size_t i = 0; i < length; i++)
        base_strbuf_putc(out, text[i] == '\t' ? ' ' : (unsigned char)text[i] < ' ' ? '?' : text[i]);
    base_strbuf_puts(out, cut ? "..." : "");
    base_strbuf_puts(out, options->colour ? "\033[0m" : "");
    base_strbuf_putc(out, '\n');
}

static void source_text(const struct page *page, const char *file, uint32_t line, size_t indent)
{
    report_text_source(page->options, file, line, indent, page->out);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
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
        base_strbuf_printf(page->out, "  PTX      %s   (instruction %u)\n", report->fault_text, report->fault_pc);
    base_strbuf_printf(page->out, "  thread   (%u, %u, %u) of block (%u, %u, %u)\n", f->thread[0], f->thread[1],
                       f->thread[2], f->block[0], f->block[1], f->block[2]);
    if (f->has_address)
        base_strbuf_printf(page->out, "  address  0x%" PRIx64 "\n", f->address);
    if (f->nearest[0] != '\0')
        base_strbuf_printf(page->out, "  nearest  %s\n", f->nearest);
    if (report->metric_count > 0)
        base_strbuf_puts(page->out, "  The figures below are those up to the fault.\n");
}

static void finding_thread(const struct page *page, const struct sim_finding_thread *thread)
{
    base_strbuf_printf(page->out, "    %-8s %s:%u   thread (%u, %u, %u) of block (%u, %u, %u)\n",
                       sim_access_name(thread->access), thread->file ? base_name(thread->file) : "?", thread->line,
                       thread->thread[0], thread->thread[1], thread->thread[2], thread->block[0], thread->block[1],
                       thread->block[2]);
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

/* Bytes that lanes ask for, of the bytes of the sectors that serve them. */
#define BYTES_LD "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"
#define BYTES_ST "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"

/* Key figures: words on the left, Nsight Compute's name on the right, a heading before the first of each group. */
struct figure {
    const char *heading, *words, *metric;
};
static const struct figure figures[] = {
    {"Global memory", "load requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {"Global memory", "sectors loaded", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"Global memory", "sectors a load", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"},
    {"Global memory", "lanes' bytes, %", BYTES_LD},
    {"Global memory", "store requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    {"Global memory", "sectors stored", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    {"Global memory", "sectors a store", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"},
    {"Global memory", "lanes' bytes, %", BYTES_ST},
    {"Global memory", "all sectors", "memory_l2_theoretical_sectors_global"},
    {"Global memory", "if packed", "memory_l2_theoretical_sectors_global_ideal"},
    {"Local memory", "sectors loaded", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"},
    {"Local memory", "sectors stored", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"},
    {"Shared memory", "wavefronts", "memory_l1_wavefronts_shared"},
    {"Shared memory", "if conflict-free", "memory_l1_wavefronts_shared_ideal"},
    {"Shared memory", "bank conflicts", "derived__memory_l1_wavefronts_shared_excessive"},
    {"Instructions", "warp instructions", "smsp__inst_executed.sum"},
    {"Instructions", "of all threads", "smsp__thread_inst_executed.sum"},
    {"Instructions", "threads of 32", "smsp__thread_inst_executed_per_inst_executed.ratio"},
    {"Instructions", "PTX, by warps", "ir__inst_executed.sum"},
    {"Instructions", "PTX, by threads", "ir__thread_inst_executed.sum"},
    {"Time", "cycles", "sm__cycles_active.max"},
    {"Time", "nanoseconds", "gpu__time_duration.sum"},
};

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
            report_metric_value(&value, &metric);
        base_strbuf_printf(page->out, "  %-32s %11s  %s%s\n", name[0] != '\0' ? name : "?",
                           value.data ? value.data : "-", found ? metric.name : "the report has no metric of that name",
                           found && metric.modelled ? " (modelled)" : "");
        base_strbuf_free(&value);
        at += length + (at[length] == ',');
    }
}

static bool is_worth_a_line(const struct page *page, size_t index)
{
    const struct sim_metric *metric = sim_report_metric(page->report, figures[index].metric);
    if (!metric)
        return false;
    if (metric->is_integer && metric->integer > 0)
        return true;
    if (!metric->is_integer)
        return true;
    /* A zero says something only beside its group's other figures: no shared memory, no lines about it. */
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        const struct sim_metric *other = sim_report_metric(page->report, figures[i].metric);
        if (other && other->is_integer && other->integer > 0 && strcmp(figures[i].heading, figures[index].heading) == 0)
            return true;
    }
    return false;
}

static void key_figures(const struct page *page)
{
    const char *last = "";
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        if (!is_worth_a_line(page, i))
            continue;
        const struct sim_metric *metric = sim_report_metric(page->report, figures[i].metric);
        if (strcmp(last, figures[i].heading) != 0)
            heading(page, figures[i].heading);
        last = figures[i].heading;
        struct base_strbuf value = {0};
        report_metric_value(&value, metric);
        base_strbuf_printf(page->out, "  %-17s %11s  ", figures[i].words, value.data ? value.data : "");
        page->out->failed |= value.failed;
        base_strbuf_free(&value);
        style(page, "2");
        base_strbuf_printf(page->out, "%s%s", metric->name, metric->modelled ? " (modelled)" : "");
        style(page, "0");
        base_strbuf_putc(page->out, '\n');
        bool is_share = strcmp(metric->name, BYTES_LD) == 0 || strcmp(metric->name, BYTES_ST) == 0;
        if (is_share && metric->real > 100)
            base_strbuf_puts(page->out, "                                 "
                                        "over 100: lanes share bytes, and each lane's are counted\n");
    }
}

/* One source line, or one kind of access on it: sums over instructions. */
struct line_sum {
    const char *file;
    uint32_t line;
    uint64_t excess;
    const struct sim_insn_report **insns;
    size_t first, count;
};

static uint64_t insn_excess(const struct sim_insn_report *insn)
{
    uint64_t excess = 0;
    if (insn->is_global && insn->sectors > insn->sectors_ideal)
        excess += insn->sectors - insn->sectors_ideal;
    if (insn->is_shared && insn->wavefronts > insn->wavefronts_ideal)
        excess += insn->wavefronts - insn->wavefronts_ideal;
    return excess;
}

static bool is_notable(const struct sim_insn_report *insn)
{
    return insn->executed > 0 &&
           (insn->is_global || insn->is_shared || (insn->is_branch ? insn->divergent : insn->predicated_off) > 0);
}

static int by_place(const void *a, const void *b)
{
    const struct sim_insn_report *const *x = a, *const *y = b;
    int order = strcmp((*x)->file ? (*x)->file : "", (*y)->file ? (*y)->file : "");
    if (order != 0)
        return order;
    if ((*x)->line != (*y)->line)
        return (*x)->line < (*y)->line ? -1 : 1;
    return (*x)->pc < (*y)->pc ? -1 : (*x)->pc > (*y)->pc;
}

static int by_excess(const void *a, const void *b)
{
    const struct line_sum *x = a, *y = b;
    if (x->excess != y->excess)
        return x->excess > y->excess ? -1 : 1;
    return x->first < y->first ? -1 : 1;
}

static void put_ratio(struct base_strbuf *out, uint64_t value, uint64_t count)
{
    base_strbuf_printf(out, "%.4g", count > 0 ? (double)value / (double)count : 0.0);
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
        put_ratio(out, insn->sectors, insn->requests);
        base_strbuf_puts(out, " sectors each");
        if (insn->sectors > insn->sectors_ideal) {
            base_strbuf_puts(out, " where ");
            put_ratio(out, insn->sectors_ideal, insn->requests);
            base_strbuf_puts(out, " would do");
        }
    }
    if (insn->is_shared && insn->requests > 0) {
        base_strbuf_puts(out, ", ");
        put_ratio(out, insn->wavefronts, insn->requests);
        base_strbuf_puts(out, " wavefronts each");
        if (insn->wavefronts > insn->wavefronts_ideal) {
            base_strbuf_puts(out, " where ");
            put_ratio(out, insn->wavefronts_ideal, insn->requests);
            base_strbuf_puts(out, " would do: ");
            put_ratio(out, insn->wavefronts, insn->wavefronts_ideal);
            base_strbuf_puts(out, "-way bank conflict");
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

/* Groups `insns` (sorted by place) into source lines; false without memory. */
static bool sum_lines(const struct sim_insn_report **insns, size_t count, struct line_sum **lines, size_t *line_count)
{
    BASE_VEC(struct line_sum) all = {0};
    for (size_t i = 0; i < count; i++) {
        const char *file = insns[i]->file ? insns[i]->file : "";
        struct line_sum *last = all.count > 0 ? &all.data[all.count - 1] : NULL;
        if (!last || strcmp(last->file, file) != 0 || last->line != insns[i]->line) {
            struct line_sum line = {.file = file, .line = insns[i]->line, .insns = insns, .first = i};
            if (!base_vec_push(&all, line)) {
                base_vec_free(&all);
                return false;
            }
            last = &all.data[all.count - 1];
        }
        last->excess += insn_excess(insns[i]);
        last->count++;
    }
    *lines = all.data;
    *line_count = all.count;
    return true;
}

static void source_lines(const struct page *page)
{
    const struct sim_report *report = page->report;
    BASE_VEC(const struct sim_insn_report *) insns = {0};
    struct line_sum *lines = NULL;
    size_t line_count = 0;
    for (size_t i = 0; i < report->insn_count; i++) {
        if (is_notable(&report->insns[i]) && !base_vec_push(&insns, &report->insns[i]))
            page->out->failed = true;
    }
    if (insns.count > 0)
        qsort(insns.data, insns.count, sizeof(insns.data[0]), by_place);
    if (!sum_lines(insns.data, insns.count, &lines, &line_count))
        page->out->failed = true;
    if (line_count > 0) {
        qsort(lines, line_count, sizeof(lines[0]), by_excess);
        heading(page, lines[0].excess > 0 ? "Source lines, the most wasteful first" : "Source lines");
        if (lines[0].excess == 0)
            base_strbuf_puts(page->out, "  no access takes more sectors or wavefronts than its bytes need\n");
    }
    for (size_t i = 0; i < line_count && i < LINES_SHOWN; i++) {
        base_strbuf_printf(page->out, "  %s:%u\n", base_name(lines[i].file), lines[i].line);
        source_text(page, lines[i].file, lines[i].line, 6);
        for (size_t j = 0; j < lines[i].count; j++)
            insn_lines(page, lines[i].insns[lines[i].first + j]);
    }
    if (line_count > LINES_SHOWN)
        base_strbuf_printf(page->out, "  ... and %zu more; --format json has every instruction\n",
                           line_count - LINES_SHOWN);
    free(lines);
    base_vec_free(&insns);
}

static void occupancy(const struct page *page)
{
    const struct sim_report *report = page->report;
    if (!report->has_occupancy)
        return;
    struct report_occupancy query = report_occupancy_of(report);
    base_strbuf_putc(page->out, '\n');
    report_occupancy_text(&query, page->out);
    if (!report->registers_given)
        base_strbuf_puts(page->out,
                         "  The registers are an estimate from the PTX; give the real number with --regs.\n");
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
        source_lines(&page);
        occupancy(&page);
        buffers(&page);
    }
    if (report->printed_cut)
        base_strbuf_puts(out, "\nThe kernel printed more than was kept.\n");
    if (options->advice)
        report_advice_text(options->advice, options->only_advice ? SIZE_MAX : ADVICE_SHOWN, options, out);
}
