/* The clock's part of the report: its metrics under Nsight Compute's names, and the stalls of each instruction. */
#include "sim/timing/timing.h"

#include <stdio.h>
#include <string.h>

const char *const sim_stall_names[SIM_STALL_COUNT] = {
    "wait",           "long_scoreboard",    "short_scoreboard", "barrier",      "membar", "branch_resolving",
    "no_instruction", "math_pipe_throttle", "lg_throttle",      "mio_throttle", "drain",  "not_selected",
    "selected",
};

static void add_integer(struct sim_report *report, const char *name, const char *unit, uint64_t value)
{
    sim_metric_add(report, (struct sim_metric){name, unit, true, true, value, (double)value});
}

static void add_real(struct sim_report *report, const char *name, const char *unit, double value)
{
    sim_metric_add(report, (struct sim_metric){name, unit, false, true, 0, value});
}

static void add_stalls(const struct sim_clock *clock, struct sim_report *report)
{
    uint64_t sums[SIM_STALL_COUNT] = {0}, issued;
    for (uint32_t c = 0; c < clock->engine->program->counter_count; c++)
        for (unsigned r = 0; r < SIM_STALL_COUNT; r++)
            sums[r] += clock->stalls[c][r];
    issued = sums[SIM_STALL_SELECTED];
    for (unsigned r = 0; r < SIM_STALL_COUNT && issued > 0; r++) {
        char name[128];
        int length = snprintf(name, sizeof(name), "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio",
                              sim_stall_names[r]);
        const char *copy = base_arena_strndup(&report->arena, name, (size_t)length);
        if (copy != NULL)
            add_real(report, copy, "inst", (double)sums[r] / (double)issued);
    }
}

static void add_memory(const struct sim_clock *clock, uint64_t elapsed, struct sim_report *report)
{
    const struct timing_memory *m = &clock->memory;
    add_integer(report, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "sector", clock->l1_hit);
    add_integer(report, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", "sector", clock->l1_miss);
    if (clock->l1_hit + clock->l1_miss > 0)
        add_real(report, "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", "%",
                 100.0 * (double)clock->l1_hit / (double)(clock->l1_hit + clock->l1_miss));
    add_integer(report, "lts__t_sectors_op_read.sum", "sector", m->l2_read);
    add_integer(report, "lts__t_sectors_op_write.sum", "sector", m->l2_write);
    add_integer(report, "lts__t_sectors_op_atom.sum", "sector", m->l2_atom);
    add_integer(report, "lts__t_sectors_op_red.sum", "sector", m->l2_red);
    add_integer(report, "lts__t_sectors_srcunit_tex.sum", "sector", m->l2_asked);
    add_integer(report, "lts__t_sectors_srcunit_tex_lookup_hit.sum", "sector", m->l2_hit);
    add_integer(report, "lts__t_sectors_srcunit_tex_lookup_miss.sum", "sector", m->l2_miss);
    add_integer(report, "dram__sectors_read.sum", "sector", m->dram_read);
    add_integer(report, "dram__sectors_write.sum", "sector", m->dram_write);
    add_integer(report, "dram__bytes_read.sum", "byte", m->dram_read * m->sector_bytes);
    add_integer(report, "dram__bytes_write.sum", "byte", m->dram_write * m->sector_bytes);
    if (elapsed > 0)
        add_real(report, "dram__bytes.sum.per_second", "byte/second",
                 (double)(m->dram_read + m->dram_write) * m->sector_bytes * m->device->clock_khz * 1000.0 /
                     (double)elapsed);
}

void sim_clock_tell(const struct sim_engine *engine, struct sim_report *report)
{
    const struct sim_clock *clock = engine->clock;
    const struct sim_device *d = engine->device;
    uint64_t most = 0, active = 0, warp_cycles = 0, slots = 0, data_busy = 0;
    for (uint32_t i = 0; i < clock->sm_count; i++) {
        const struct timing_sm *sm = &clock->sms[i];
        most = sm->active > most ? sm->active : most;
        active += sm->active;
        warp_cycles += sm->warp_cycles;
        slots += sm->issue_slots;
        data_busy += sm->data_busy;
    }
    uint64_t elapsed = clock->end + d->kernel_overhead_cycles;
    add_integer(report, "sm__cycles_active.max", "cycle", most);
    add_real(report, "sm__cycles_active.avg", "cycle", (double)active / clock->sm_count);
    add_integer(report, "sm__cycles_elapsed.max", "cycle", elapsed);
    add_integer(report, "gpc__cycles_elapsed.max", "cycle", elapsed);
    add_real(report, "gpu__time_duration.sum", "ns", (double)elapsed * 1e6 / d->clock_khz);
    if (active > 0) {
        add_real(report, "sm__warps_active.avg.pct_of_peak_sustained_active", "%",
                 100.0 * (double)warp_cycles / ((double)active * d->max_warps_per_sm));
        add_real(report, "smsp__issue_active.avg.pct_of_peak_sustained_active", "%",
                 100.0 * (double)slots / ((double)active * clock->scheduler_count));
        add_real(report, "l1tex__throughput.avg.pct_of_peak_sustained_active", "%",
                 100.0 * (double)data_busy / (double)active);
    }
    /* Calendars count hundredths of a cycle, so that a share is a percentage. */
    double slices = (double)elapsed * d->l2_slices;
    add_real(report, "lts__throughput.avg.pct_of_peak_sustained_elapsed", "%",
             (double)clock->memory.slices_busy / slices);
    add_real(report, "dram__throughput.avg.pct_of_peak_sustained_elapsed", "%",
             (double)clock->memory.channels_busy / slices);
    add_memory(clock, elapsed, report);
    add_stalls(clock, report);
}

const uint64_t *sim_clock_stalls(const struct sim_engine *engine, uint32_t counter)
{
    return engine->clock->stalls[counter];
}
