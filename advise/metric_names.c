/* Finds a metric by one of its names. */
#include "advise/metric_names.h"

#include "base/near.h"

#include <stdint.h>
#include <string.h>

enum { MOST_NAMES = 160 };

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
    {"sm__cycles_active", {"sm__cycles_active.max"}},
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

/* Nsight Compute's names of what is counted here in part only: another number, so another name. */
static const struct {
    const char *wanted, *part;
} parts[] = {
    {"l1tex__t_sector_hit_rate.pct", "of global loads alone: l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct"},
    {"lts__t_sector_hit_rate.pct",
     "of what the SMs ask for: lts__t_sectors_srcunit_tex_lookup_hit.sum, and of how many "
     "sectors: lts__t_sectors_srcunit_tex.sum"},
    {"lts__t_sectors.sum", "of what the SMs ask for: lts__t_sectors_srcunit_tex.sum"},
};

static const char *part_of(const char *name)
{
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strcmp(parts[i].wanted, name) == 0)
            return parts[i].part;
    return NULL;
}

/* Names have many words in common: nearer than other words, or it is another metric that is meant. */
static size_t near_enough(size_t length)
{
    return 3 + length / 8;
}

void advise_metric_missing(const struct sim_report *report, const char *name, struct base_strbuf *out)
{
    const char *meant = NULL;
    size_t length = strlen(name), best = near_enough(length);
    struct sim_metric metric;
    for (size_t i = 0; i < report->metric_count; i++)
        if (base_word_is_near(name, length, report->metrics[i].name, &best))
            meant = report->metrics[i].name;
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
        if (advise_metric_named(report, aliases[i].alias, &metric) &&
            base_word_is_near(name, length, aliases[i].alias, &best))
            meant = aliases[i].alias;
    base_strbuf_printf(out, "the report has no metric '%s'", name);
    if (part_of(name))
        base_strbuf_printf(out, "; it has that %s", part_of(name));
    else if (meant)
        base_strbuf_printf(out, "; did you mean '%s'?", meant);
    else
        base_strbuf_printf(out, "; run --format json has all%s",
                           report->cycles_mode ? "" : " of --mode counts, --mode cycles has more");
}

static bool is_possible(const struct advise_metric_launch *launch, enum sim_metric_source source)
{
    switch (source) {
    case SIM_METRIC_ANY:
        return true;
    case SIM_METRIC_PTX:
        return !launch->is_machine;
    case SIM_METRIC_MACHINE:
        return launch->is_machine;
    case SIM_METRIC_REGISTERS:
        return launch->is_machine || launch->has_registers;
    case SIM_METRIC_CLOCK:
        return launch->has_clock;
    }
    return false;
}

static const char *const lacks[] = {
    [SIM_METRIC_ANY] = "",
    [SIM_METRIC_PTX] = "is counted of PTX, and this is machine code",
    [SIM_METRIC_MACHINE] = "is counted of machine code, and this is PTX; --form sass or a cubin has it",
    [SIM_METRIC_REGISTERS] =
        "depends on the registers that ptxas gives, and this is PTX: with --regs, from --form sass "
        "or of a cubin the report has it",
    [SIM_METRIC_CLOCK] = "is the clock's: with --mode cycles the report has it",
};

/* A report that has all metrics that there may be, each 0, answers by the same rules as that of the launch will. */
bool advise_metric_possible(const struct advise_metric_launch *launch, const char *name, struct base_strbuf *why)
{
    struct sim_metric metrics[MOST_NAMES], found;
    struct sim_report able = {.metrics = metrics, .cycles_mode = launch->has_clock};
    for (size_t i = 0; i < sim_metric_name_count && i < MOST_NAMES; i++)
        if (is_possible(launch, sim_metric_names[i].source))
            metrics[able.metric_count++] = (struct sim_metric){.name = sim_metric_names[i].name, .is_integer = true};
    if (advise_metric_named(&able, name, &found))
        return true;
    for (size_t i = 0; i < sim_metric_name_count; i++)
        if (strcmp(sim_metric_names[i].name, name) == 0) {
            base_strbuf_printf(why, "'%s' %s", name, lacks[sim_metric_names[i].source]);
            return false;
        }
    advise_metric_missing(&able, name, why);
    return false;
}
