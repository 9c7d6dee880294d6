/* Metrics by the names that people use: Nsight Compute's in full, without what stands behind the dot, those of
 * articles.
 *
 *     sm__warps_active                 -> sm__warps_active.avg.pct_of_peak_sustained_active
 *     l1tex__data_bank_conflicts       -> l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum, or an exact one
 *     sm__sass_average_regs_per_warp   -> launch__registers_per_thread (Nsight Compute has no such metric)
 */
#ifndef ADVISE_METRIC_NAMES_H
#define ADVISE_METRIC_NAMES_H

#include "base/strbuf.h"
#include "sim/report.h"

#include <stdbool.h>

/* Why a report has no metric of that name, with what may have been meant: "the report has no metric 'a'; did you mean
 * 'b'?" */
void advise_metric_missing(const struct sim_report *report, const char *name, struct base_strbuf *out);
/* Whether a launch that is yet to run may have a metric of that name; if not, why. */
struct advise_metric_launch {
    bool is_machine, has_registers, has_clock; /* has_registers: they were given (--regs) */
};
bool advise_metric_possible(const struct advise_metric_launch *launch, const char *name, struct base_strbuf *why);
/* False: the report has none that is meant by `name`. metric->name is what it is. */
bool advise_metric_named(const struct sim_report *report, const char *name, struct sim_metric *metric);

#endif
