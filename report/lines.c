/* Sums over the instructions of a source line, and the key figures' table. */
#include "report/lines.h"

#include "base/vec.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

uint64_t report_insn_excess(const struct sim_insn_report *insn)
{
    uint64_t excess = 0;
    if (insn->is_global && insn->sectors > insn->sectors_ideal)
        excess += insn->sectors - insn->sectors_ideal;
    if (insn->is_shared && insn->wavefronts > insn->wavefronts_ideal)
        excess += insn->wavefronts - insn->wavefronts_ideal;
    return excess;
}

uint64_t report_insn_warp_cycles(const struct sim_insn_report *insn)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < SIM_STALL_COUNT && insn->has_stalls; i++)
        sum += insn->stalls[i];
    return sum;
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
    const struct report_line *x = a, *y = b;
    if (x->excess != y->excess)
        return x->excess > y->excess ? -1 : 1;
    return x->insns < y->insns ? -1 : 1;
}

void report_line_add(struct report_line *line, const struct sim_insn_report *insn)
{
    line->excess += report_insn_excess(insn);
    line->executed += insn->executed;
    line->thread_executed += insn->thread_executed;
    if (insn->is_global) {
        line->has_global = true;
        line->sectors += insn->sectors;
        line->sectors_ideal += insn->sectors_ideal;
    }
    if (insn->is_shared) {
        line->has_shared = true;
        line->wavefronts += insn->wavefronts;
        line->wavefronts_ideal += insn->wavefronts_ideal;
    }
    for (unsigned i = 0; i < SIM_STALL_COUNT && insn->has_stalls; i++)
        line->stalls[i] += insn->stalls[i];
    line->warp_cycles += report_insn_warp_cycles(insn);
    line->insn_count++;
}

bool report_lines_make(const struct sim_report *report, bool notable, struct report_lines *lines)
{
    BASE_VEC(const struct sim_insn_report *) insns = {0};
    BASE_VEC(struct report_line) all = {0};
    bool good = true;
    for (size_t i = 0; i < report->insn_count; i++) {
        if (!notable || is_notable(&report->insns[i]))
            good = base_vec_push(&insns, &report->insns[i]) && good;
    }
    if (insns.count > 0)
        qsort(insns.data, insns.count, sizeof(insns.data[0]), by_place);
    for (size_t i = 0; i < insns.count && good; i++) {
        const char *file = insns.data[i]->file ? insns.data[i]->file : "";
        struct report_line *last = all.count > 0 ? &all.data[all.count - 1] : NULL;
        if (!last || strcmp(last->file, file) != 0 || last->line != insns.data[i]->line) {
            struct report_line line = {.file = file, .line = insns.data[i]->line, .insns = insns.data + i};
            good = base_vec_push(&all, line);
            last = good ? &all.data[all.count - 1] : NULL;
        }
        if (last)
            report_line_add(last, insns.data[i]);
    }
    *lines = (struct report_lines){.items = all.data, .count = all.count, .insns = insns.data};
    if (!good)
        report_lines_free(lines);
    return good;
}

void report_lines_free(struct report_lines *lines)
{
    free(lines->items);
    free(lines->insns);
    *lines = (struct report_lines){0};
}

void report_lines_sort(struct report_lines *lines)
{
    if (lines->count > 0)
        qsort(lines->items, lines->count, sizeof(lines->items[0]), by_excess);
}

/* ---- Key figures ---- */

/* Bytes that lanes ask for, of the bytes of the sectors that serve them. */
#define BYTES_LD "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"
#define BYTES_ST "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"

const struct report_figure report_figures[] = {
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

const size_t report_figure_count = sizeof(report_figures) / sizeof(report_figures[0]);

const struct sim_metric *report_figure_metric(const struct sim_report *report, size_t index)
{
    const struct sim_metric *metric = sim_report_metric(report, report_figures[index].metric);
    if (!metric || !metric->is_integer || metric->integer > 0)
        return metric;
    for (size_t i = 0; i < report_figure_count; i++) {
        const struct sim_metric *other = sim_report_metric(report, report_figures[i].metric);
        if (other && other->is_integer && other->integer > 0 &&
            strcmp(report_figures[i].heading, report_figures[index].heading) == 0)
            return metric;
    }
    return NULL;
}

bool report_figure_is_share(const struct sim_metric *metric)
{
    return strcmp(metric->name, BYTES_LD) == 0 || strcmp(metric->name, BYTES_ST) == 0;
}

/* ---- Words ---- */

const char *report_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void report_dim3(struct base_strbuf *out, const uint32_t dim[3])
{
    report_count(out, dim[0]);
    for (int i = 1; i < 3 && (dim[1] > 1 || dim[2] > 1); i++) {
        if (i == 1 || dim[2] > 1) {
            base_strbuf_puts(out, " x ");
            report_count(out, dim[i]);
        }
    }
}

void report_ratio(struct base_strbuf *out, uint64_t value, uint64_t count)
{
    base_strbuf_printf(out, "%.4g", count > 0 ? (double)value / (double)count : 0.0);
}
