/* How many blocks an SM holds, told to a person. */
#include "report/report.h"

#include <string.h>

static const char *const limiter_words[SIM_LIMIT_COUNT] = {
    [SIM_LIMIT_WARPS] = "warps of an SM", [SIM_LIMIT_BLOCKS] = "blocks of an SM",  [SIM_LIMIT_REGISTERS] = "registers",
    [SIM_LIMIT_SHARED] = "shared memory", [SIM_LIMIT_BARRIERS] = "named barriers",
};

struct report_occupancy report_occupancy_of(const struct sim_report *report)
{
    return (struct report_occupancy){
        .device = report->device,
        .block_threads = report->block[0] * report->block[1] * report->block[2],
        .registers_per_thread = report->registers_per_thread,
        .shared_per_block_bytes = report->shared_static_bytes + report->shared_dynamic_bytes,
        .occupancy = &report->occupancy,
    };
}

void report_occupancy_text(const struct report_occupancy *query, struct base_strbuf *out)
{
    const struct sim_occupancy *occupancy = query->occupancy;
    base_strbuf_printf(out, "Occupancy of %u-thread blocks on %s: %.4g%%\n", query->block_threads, query->device,
                       occupancy->occupancy_pct);
    base_strbuf_puts(out, "  an SM holds   ");
    base_strbuf_printf(out, "%u block%s, %u", occupancy->blocks_per_sm, occupancy->blocks_per_sm == 1 ? "" : "s",
                       occupancy->warps_per_sm);
    if (query->max_warps_per_sm > 0)
        base_strbuf_printf(out, " of %u", query->max_warps_per_sm);
    base_strbuf_puts(out, " warps\n  a block has   ");
    base_strbuf_printf(out, "%u registers a thread, ", query->registers_per_thread);
    report_count(out, query->shared_per_block_bytes);
    base_strbuf_puts(out, " bytes of shared memory (");
    report_count(out, occupancy->shared_per_block_allocated_bytes);
    base_strbuf_puts(out, " allocated)\n");
    for (unsigned i = 0; i < SIM_LIMIT_COUNT; i++) {
        if (occupancy->limit_blocks[i] == UINT32_MAX)
            continue;
        base_strbuf_printf(out, "  %-16s would allow %4u block%s%s\n", limiter_words[i], occupancy->limit_blocks[i],
                           occupancy->limit_blocks[i] == 1 ? " " : "s",
                           occupancy->limiter_mask >> i & 1 ? "   <- this is the limit" : "");
    }
    if (!occupancy->launchable)
        base_strbuf_puts(out, "  no SM can hold even one such block: the launch would fail\n");
}
