/* Finds a metric by one of its names. */
#include "advise/metric_names.h"

#include "base/near.h"

#include <stdint.h>
#include <string.h>

/* Wavefronts beyond the ideal ones, exactly: the difference of two metrics. */
#define CONFLICTS "memory_l1_wavefronts_shared - memory_l1_wavefronts_shared_ideal"

/* The first that a report has is meant. */
static const struct {
    const char *alias, *names[4];
} aliases[] = {
    {"sm__warps_active",
     {"sm__warps_active.avg.pct_of_peak_sustained_active", "sm__maximum_warps_per_active_cycle_pct"}},
    {"achieved_occupancy", {"sm__warps_active.avg.pct_of_peak_sustained_active"}},
    {"l1tex__data_bank_conflicts", {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", CONFLICTS}},
    {"sm__sass_average_regs_per_warp", {"launch__registers_per_thread", "ir__registers_estimate"}},
    {"bank_conflicts", {CONFLICTS}},
    {"registers_per_thread", {"launch__registers_per_thread", "ir__registers_estimate"}},
    {"cycles", {"sm__cycles_active.max"}},
    {"instructions", {"smsp__inst_executed.sum", "ir__inst_executed.sum"}},
    {"smsp__inst_executed", {"smsp__inst_executed.sum", "ir__inst_executed.sum"}},
};

/* "a__b" means "a__b.sum" where that is the only one that goes on so. */
static const struct sim_metric *by_beginning(const struct sim_report *report, const char *name)
{
    const struct sim_metric *found = NULL;
    size_t length = strlen(name);
    for (size_t i = 0; i < report->metric_count; i++) {
        if (strncmp(report->metrics[i].name, name, length) != 0 || report->metrics[i].name[length] != '.')
            continue;
        if (found)
            return NULL;
        found = &report->metrics[i];
    }
    return found;
}

static bool find_one(const struct sim_report *report, const char *name, struct sim_metric *metric)
{
    const struct sim_metric *found = sim_report_metric(report, name);
    const struct sim_metric *all = sim_report_metric(report, "memory_l1_wavefronts_shared"),
                            *ideal = sim_report_metric(report, "memory_l1_wavefronts_shared_ideal");
    if (strcmp(name, CONFLICTS) == 0 && all && ideal) {
        *metric = *all;
        metric->name = CONFLICTS;
        metric->integer = all->integer - ideal->integer;
        metric->real = (double)metric->integer;
        return true;
    }
    if (found)
        *metric = *found;
    return found != NULL;
}

bool advise_metric_named(const struct sim_report *report, const char *name, struct sim_metric *metric)
{
    if (find_one(report, name, metric))
        return true;
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
        if (strcmp(aliases[i].alias, name) != 0)
            continue;
        for (size_t n = 0; n < 4 && aliases[i].names[n]; n++)
            if (find_one(report, aliases[i].names[n], metric))
                return true;
    }
    const struct sim_metric *found = by_beginning(report, name);
    if (found)
        *metric = *found;
    return found != NULL;
}

void advise_metric_missing(const struct sim_report *report, const char *name, struct base_strbuf *out)
{
    const char *meant = NULL;
    size_t best = SIZE_MAX, length = strlen(name);
    struct sim_metric metric;
    for (size_t i = 0; i < report->metric_count; i++)
        if (base_word_is_near(name, length, report->metrics[i].name, &best))
            meant = report->metrics[i].name;
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
        if (advise_metric_named(report, aliases[i].alias, &metric) &&
            base_word_is_near(name, length, aliases[i].alias, &best))
            meant = aliases[i].alias;
    base_strbuf_printf(out, "the report has no metric '%s'", name);
    if (meant)
        base_strbuf_printf(out, "; did you mean '%s'?", meant);
    else
        base_strbuf_printf(out, "; run --format json has all%s",
                           report->cycles_mode ? "" : " of --mode counts, --mode cycles has more");
}
