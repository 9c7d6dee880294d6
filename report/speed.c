/* How near a launch by the clock came to what the device could do ("speed of light"), and what its warps waited for. */
#include "report/speed.h"

#include "report/report.h"

#include <stdbool.h>

/* The parts that can be a kernel's limit come first: RESIDENT is none. */
const struct report_limit report_limits[] = {
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "Memory (DRAM)",
     "of the time in which the memory chips could move bytes"},
    {"lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2 cache", "of the time of its slices"},
    {"l1tex__throughput.avg.pct_of_peak_sustained_active", "L1 and shared memory",
     "of the time of the SMs' data stages"},
    {"smsp__issue_active.avg.pct_of_peak_sustained_active", "Instruction issue",
     "of the schedulers' cycles in which an instruction could be issued"},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "Warps resident",
     "of the warps that the SMs could hold (achieved occupancy)"},
};
const size_t report_limit_count = sizeof(report_limits) / sizeof(report_limits[0]);
enum { RESIDENT = 4 };

const char *const report_stall_meanings[SIM_STALL_COUNT] = {
    [SIM_STALL_WAIT] = "a fixed time for the result of an arithmetic instruction",
    [SIM_STALL_LONG_SCOREBOARD] = "data from global or local memory",
    [SIM_STALL_SHORT_SCOREBOARD] = "shared memory, a special function or a shuffle",
    [SIM_STALL_BARRIER] = "the other warps, at a barrier such as __syncthreads()",
    [SIM_STALL_MEMBAR] = "a memory fence",
    [SIM_STALL_BRANCH_RESOLVING] = "the target of a branch",
    [SIM_STALL_NO_INSTRUCTION] = "the first instruction to be fetched",
    [SIM_STALL_MATH_PIPE_THROTTLE] = "an arithmetic unit that was in use",
    [SIM_STALL_LG_THROTTLE] = "room in the queue for global and local memory",
    [SIM_STALL_MIO_THROTTLE] = "room in the queue for shared memory",
    [SIM_STALL_DRAIN] = "stores and atomics to arrive before the warp could end",
    [SIM_STALL_NOT_SELECTED] = "its turn: it could go on, but another warp went first",
    [SIM_STALL_SELECTED] = "nothing: it issued an instruction",
};

static const struct rate {
    const char *metric, *words, *unit;
    double scale;
} rates[] = {
    {"dram__bytes.sum.per_second", "DRAM moved", "GB/s", 1e9},
    {"derived__flop_f32_per_second", "f32 arithmetic", "GFLOP/s", 1e9},
    {"derived__flop_f64_per_second", "f64 arithmetic", "GFLOP/s", 1e9},
};

/* What each share is, by the metrics: of L2 Nsight Compute has no such share, its lts__t_sector_hit_rate is of more
 * than the SMs' sectors. Misses of L2 are sectors that it brings, and more come than were asked for. */
static const struct share {
    const char *words, *hits, *of, *name;
    bool of_the_rest; /* the other metric has what did not hit; else all */
} shares[] = {
    {"L1 hits of loads", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum",
     "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", true},
    {"L2 hits", "lts__t_sectors_srcunit_tex_lookup_hit.sum", "lts__t_sectors_srcunit_tex.sum",
     "lts__t_sectors_srcunit_tex_lookup_hit.sum", false},
};

/* Below so much of every limit it is latency that takes the time: the bound of Nsight Compute's rule of the same name.
 */
#define NEAR_PERCENT 60.0

static void put_limits(const struct sim_report *report, struct base_strbuf *out)
{
    size_t nearest = 0;
    double most = -1;
    for (size_t i = 0; i < RESIDENT; i++) {
        const struct sim_metric *metric = sim_report_metric(report, report_limits[i].metric);
        if (metric && metric->real > most) {
            most = metric->real;
            nearest = i;
        }
    }
    for (size_t i = 0; i < report_limit_count; i++) {
        const struct sim_metric *metric = sim_report_metric(report, report_limits[i].metric);
        if (metric)
            base_strbuf_printf(out, "  %-21s %5.1f %%   %s%s\n", report_limits[i].words, metric->real,
                               report_limits[i].meaning, i == nearest ? "   <- the nearest limit" : "");
    }
    if (most < NEAR_PERCENT)
        base_strbuf_puts(out, "  No limit is near: it is waiting that takes the time.\n");
}

static void put_rates(const struct sim_report *report, struct base_strbuf *out)
{
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        const struct sim_metric *metric = sim_report_metric(report, rates[i].metric);
        if (metric && metric->real > 0)
            base_strbuf_printf(out, "  %-21s %7.4g %s\n", rates[i].words, metric->real / rates[i].scale, rates[i].unit);
    }
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        const struct sim_metric *hits = sim_report_metric(report, shares[i].hits);
        const struct sim_metric *of = sim_report_metric(report, shares[i].of);
        const uint64_t all = hits && of ? of->integer + (shares[i].of_the_rest ? hits->integer : 0) : 0;
        if (all == 0)
            continue;
        base_strbuf_printf(out, "  %-21s %5.1f %%   of ", shares[i].words, 100.0 * (double)hits->integer / (double)all);
        report_count(out, all);
        base_strbuf_printf(out, " sector%s: %s\n", all == 1 ? "" : "s", shares[i].name);
    }
}

/* From the longest wait to the shortest, but for those below a hundredth. */
static void put_stalls(const uint64_t sums[SIM_STALL_COUNT], uint64_t all, struct base_strbuf *out)
{
    bool told[SIM_STALL_COUNT] = {false};
    for (;;) {
        unsigned most = SIM_STALL_COUNT;
        for (unsigned r = 0; r < SIM_STALL_COUNT; r++)
            if (!told[r] && (most == SIM_STALL_COUNT || sums[r] > sums[most]))
                most = r;
        if (most == SIM_STALL_COUNT || sums[most] == 0 || sums[most] * 100 < all)
            return;
        told[most] = true;
        base_strbuf_printf(out, "  %-21s %5.1f %%   %s\n", sim_stall_names[most],
                           100.0 * (double)sums[most] / (double)all, report_stall_meanings[most]);
    }
}

void report_speed_text(const struct sim_report *report, report_speed_heading *heading, void *user,
                       struct base_strbuf *out)
{
    uint64_t sums[SIM_STALL_COUNT] = {0}, all = 0;
    if (!report->cycles_mode || !sim_report_metric(report, "sm__cycles_active.max"))
        return;
    heading(user, "Speed of light (modelled): how much of each limit was used");
    put_limits(report, out);
    put_rates(report, out);
    for (size_t i = 0; i < report->insn_count; i++)
        for (unsigned r = 0; report->insns[i].has_stalls && r < SIM_STALL_COUNT; r++) {
            sums[r] += report->insns[i].stalls[r];
            all += report->insns[i].stalls[r];
        }
    if (all == 0)
        return;
    heading(user, "Where warps spent their time (modelled): waiting for");
    put_stalls(sums, all, out);
    if (sim_report_metric(report, "ir__inst_executed.sum"))
        base_strbuf_puts(
            out,
            "  From PTX these shares are rough: what a compiler does to the code is not known. The same from a .cu or\n"
            "  .cubin file is close to a card's.\n");
}
