/* A report by source line, for the writers that show one: the counters of all instructions that came from a line, and
 * the key figures with their words. Internal to report/.
 *
 * A line's excess is what its accesses took beyond packed, conflict-free accesses of the same lanes: sectors and
 * wavefronts.
 */
#ifndef REPORT_LINES_H
#define REPORT_LINES_H

#include "base/strbuf.h"
#include "sim/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct report_line {
    const char *file; /* "": not known */
    uint32_t line;
    uint64_t excess;
    uint64_t executed, thread_executed;
    uint64_t sectors, sectors_ideal, wavefronts, wavefronts_ideal;
    uint64_t stalls[SIM_STALL_COUNT], warp_cycles; /* of warps, waiting and issuing: all reasons */
    bool has_global, has_shared;
    const struct sim_insn_report **insns; /* by pc */
    size_t insn_count;
};

struct report_lines {
    struct report_line *items;
    size_t count;
    const struct sim_insn_report **insns; /* by file, line and pc */
};

/* All lines by file and number. With `notable`, only of instructions that ran and access memory, switch threads off or
 * diverge. False without memory. */
bool report_lines_make(const struct sim_report *report, bool notable, struct report_lines *lines);
void report_lines_free(struct report_lines *lines);
void report_line_add(struct report_line *line, const struct sim_insn_report *insn);
/* The most wasteful first. */
void report_lines_sort(struct report_lines *lines);

uint64_t report_insn_excess(const struct sim_insn_report *insn);
uint64_t report_insn_warp_cycles(const struct sim_insn_report *insn);

/* Key figures: words, and Nsight Compute's name; neighbours with one heading are a group. */
struct report_figure {
    const char *heading, *words, *metric;
};
extern const struct report_figure report_figures[];
extern const size_t report_figure_count;
/* The metric of figure `index`, NULL when the report does not have it or it says nothing: a zero says something only
 * beside its group's other figures. */
const struct sim_metric *report_figure_metric(const struct sim_report *report, size_t index);
/* A share of sectors' bytes, which passes 100 where generic accesses go to shared memory. */
bool report_figure_is_share(const struct sim_metric *metric);

/* "sub/k.cu" is k.cu. */
const char *report_base_name(const char *path);
/* "32 x 8 x 2"; trailing ones are left out. */
void report_dim3(struct base_strbuf *out, const uint32_t dim[3]);
/* value / count to four digits; 0 of nothing. */
void report_ratio(struct base_strbuf *out, uint64_t value, uint64_t count);

#endif
