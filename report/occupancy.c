/* How many blocks an SM holds, told to a person: what binds, what one step of each resource would change, clusters. */
#include "report/report.h"

#include <string.h>

static const char *const limiter_words[SIM_LIMIT_COUNT] = {
    [SIM_LIMIT_WARPS] = "warps of an SM", [SIM_LIMIT_BLOCKS] = "blocks of an SM",  [SIM_LIMIT_REGISTERS] = "registers",
    [SIM_LIMIT_SHARED] = "shared memory", [SIM_LIMIT_BARRIERS] = "named barriers",
};

const char *const report_axis_titles[SIM_AXIS_COUNT] = {
    [SIM_AXIS_BLOCK] = "block size",
    [SIM_AXIS_REGISTERS] = "registers",
    [SIM_AXIS_SHARED] = "shared memory",
};

const char *const report_axis_units[SIM_AXIS_COUNT] = {
    [SIM_AXIS_BLOCK] = "threads of a block",
    [SIM_AXIS_REGISTERS] = "registers of a thread",
    [SIM_AXIS_SHARED] = "bytes of shared memory of a block",
};

struct report_occupancy report_occupancy_of(const struct sim_report *report)
{
    return (struct report_occupancy){
        .device = report->device,
        .block_threads = report->block[0] * report->block[1] * report->block[2],
        .registers_per_thread = report->registers_per_thread,
        .shared_per_block_bytes = report->shared_static_bytes + report->shared_dynamic_bytes,
        .occupancy = &report->occupancy,
        .registers_from = report->registers_given         ? REPORT_REGISTERS_GIVEN
                          : report->form == ISA_FORM_SASS ? REPORT_REGISTERS_OF_LISTING
                                                          : REPORT_REGISTERS_OF_PTX,
        .code_registers = report->code_registers,
    };
}

static void put_plural(struct base_strbuf *out, uint64_t count, const char *word)
{
    report_count(out, count);
    base_strbuf_printf(out, " %s%s", word, count == 1 ? "" : "s");
}

static void put_headline(const struct report_occupancy *query, struct base_strbuf *out)
{
    base_strbuf_puts(out, "Occupancy of ");
    if (query->kernel != NULL)
        base_strbuf_printf(out, "%s in ", query->kernel);
    base_strbuf_printf(out, "%u-thread blocks on %s: %.4g%%\n", query->block_threads, query->device,
                       query->occupancy->occupancy_pct);
}

static void put_room(const struct report_occupancy *query, struct base_strbuf *out)
{
    const struct sim_occupancy *occupancy = query->occupancy;
    const uint32_t most = query->study != NULL ? query->study->device->max_warps_per_sm : 0;
    base_strbuf_puts(out, "  an SM holds   ");
    put_plural(out, occupancy->blocks_per_sm, "block");
    base_strbuf_printf(out, ", %u", occupancy->warps_per_sm);
    if (most > 0)
        base_strbuf_printf(out, " of %u", most);
    base_strbuf_puts(out, " warps, ");
    report_count(out, (uint64_t)occupancy->blocks_per_sm * query->block_threads);
    if (most > 0) {
        base_strbuf_puts(out, " of ");
        report_count(out, (uint64_t)most * 32);
    }
    base_strbuf_puts(out, " threads\n");
}

/* Where the number of registers may be another than a reader thinks. */
static void put_registers_note(const struct report_occupancy *query, struct base_strbuf *out)
{
    static const char *const notes[] = {
        [REPORT_REGISTERS_OF_PTX] = "are an estimate from the PTX; give the real number with --regs",
        [REPORT_REGISTERS_OF_LISTING] = "are an estimate from the listing; give the real number with --regs",
        [REPORT_REGISTERS_ASSUMED] = "are assumed, the fewest that the card gives; say how many with --regs"};
    if (query->registers_from != REPORT_REGISTERS_GIVEN)
        base_strbuf_printf(out, "                the registers %s\n", notes[query->registers_from]);
    else if (query->code_registers > 0 && query->code_registers < query->registers_per_thread)
        base_strbuf_printf(out, "                the code has %u, the card gives no fewer than %u\n",
                           query->code_registers, query->registers_per_thread);
}

static void put_block(const struct report_occupancy *query, struct base_strbuf *out)
{
    const struct sim_occupancy *occupancy = query->occupancy;
    base_strbuf_printf(out, "  a block has   %u registers a thread, ", query->registers_per_thread);
    put_plural(out, query->shared_per_block_bytes, "byte");
    base_strbuf_puts(out, " of shared memory (");
    report_count(out, occupancy->shared_per_block_allocated_bytes);
    base_strbuf_puts(out, " allocated)\n");
    put_registers_note(query, out);
    if (query->study == NULL || query->study->device->compute_major < 7)
        return;
    base_strbuf_puts(out, "  carve-out     ");
    report_count(out, occupancy->shared_config_bytes / 1024);
    base_strbuf_printf(out, " KiB of an SM are shared memory%s\n",
                       query->study->query.carveout_percent < 0 ? ", the driver's choice (modelled)" : "");
}

static void put_limits(const struct report_occupancy *query, struct base_strbuf *out)
{
    const struct sim_occupancy *occupancy = query->occupancy;
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

/* The default limit of a block's shared memory, and the way past it. */
static void put_optin(const struct sim_occupancy_study *study, struct base_strbuf *out)
{
    const struct sim_device *device = study->device;
    const uint64_t bytes = study->query.shared_static_bytes + study->query.shared_dynamic_bytes;
    if (device->shared_per_block_optin_bytes <= device->shared_per_block_bytes)
        return;
    base_strbuf_puts(out, "\nShared memory: a block has up to ");
    report_count(out, device->shared_per_block_bytes);
    base_strbuf_puts(out, " bytes, or up to ");
    report_count(out, device->shared_per_block_optin_bytes);
    base_strbuf_puts(out, " when the kernel asks for it.\n");
    if (!study->result.needs_optin)
        return;
    base_strbuf_puts(out, "  ");
    report_count(out, bytes);
    base_strbuf_puts(out, " bytes need, or the launch fails:\n  cudaFuncSetAttribute(kernel, "
                          "cudaFuncAttributeMaxDynamicSharedMemorySize, ");
    base_strbuf_printf(out, "%llu)\n", (unsigned long long)study->query.shared_dynamic_bytes);
}

static void put_numbers(struct base_strbuf *out, const char *word, uint64_t value, uint32_t blocks, uint32_t warps,
                        double pct)
{
    struct base_strbuf number = {0};
    report_count(&number, value);
    base_strbuf_printf(out, "%-5s %9s %7u %6u   %.4g%%\n", word, number.data != NULL ? number.data : "", blocks, warps,
                       pct);
    base_strbuf_free(&number);
}

/* Where along the axis the number of warps changes next, either way. */
static void put_changes(const struct sim_occupancy_curve *curve, struct base_strbuf *out)
{
    const struct sim_occupancy_piece *below = sim_occupancy_curve_next(curve, false);
    const struct sim_occupancy_piece *above = sim_occupancy_curve_next(curve, true);
    if (below == NULL && above == NULL)
        return;
    base_strbuf_puts(out, "                  next change: ");
    if (below != NULL) {
        base_strbuf_printf(out, "%.4g%% at ", below->occupancy_pct);
        report_count(out, below->to);
    }
    if (above != NULL) {
        base_strbuf_printf(out, "%s%.4g%% from ", below != NULL ? ", " : "", above->occupancy_pct);
        report_count(out, above->from);
    }
    base_strbuf_puts(out, "\n");
}

static void put_steps(const struct sim_occupancy_study *study, struct base_strbuf *out)
{
    const struct sim_occupancy *now = &study->result;
    base_strbuf_puts(out, "\nOne step             value  blocks  warps   occupancy\n");
    for (unsigned axis = 0; axis < SIM_AXIS_COUNT; axis++) {
        for (unsigned more = 0; more < 2; more++) {
            const struct sim_occupancy_step *step = &study->steps[2 * axis + more];
            base_strbuf_printf(out, "  %-13s ", more == 0 ? report_axis_titles[axis] : "");
            if (step->is_possible)
                put_numbers(out, more != 0 ? "more" : "less", step->value, step->blocks_per_sm, step->warps_per_sm,
                            step->occupancy_pct);
            else
                base_strbuf_printf(out, "%-5s %9s\n", more != 0 ? "more" : "less", "none");
            if (more != 0)
                continue;
            base_strbuf_repeat(out, ' ', 16);
            put_numbers(out, "now", study->curves[axis].own, now->blocks_per_sm, now->warps_per_sm, now->occupancy_pct);
        }
        put_changes(&study->curves[axis], out);
    }
}

/* "6 GPCs of 16 SMs hold 8 each": GPCs of one size are told together. */
static void put_gpcs(const struct sim_cluster_occupancy *cluster, struct base_strbuf *out)
{
    for (uint32_t g = 0, same; g < cluster->gpc_count; g += same) {
        for (same = 1; g + same < cluster->gpc_count && cluster->gpc_sms[g + same] == cluster->gpc_sms[g];)
            same++;
        base_strbuf_puts(out, g > 0 ? "; " : "  ");
        put_plural(out, same, "GPC");
        base_strbuf_printf(out, " of %u SMs hold%s ", cluster->gpc_sms[g], same == 1 ? "s" : "");
        report_count(out, cluster->gpc_clusters[g]);
        base_strbuf_puts(out, same == 1 ? "" : " each");
    }
    base_strbuf_putc(out, '\n');
}

static void put_cluster_sizes(const struct sim_occupancy_study *study, struct base_strbuf *out)
{
    base_strbuf_puts(out, "  blocks of a cluster ");
    for (uint32_t blocks = 1; blocks <= study->max_cluster_blocks; blocks *= 2)
        base_strbuf_printf(out, " %6u", blocks);
    base_strbuf_puts(out, "\n  clusters at once    ");
    for (uint32_t blocks = 1; blocks <= study->max_cluster_blocks; blocks *= 2)
        base_strbuf_printf(out, " %6u", study->max_active_clusters[blocks]);
    base_strbuf_putc(out, '\n');
}

static void put_cluster(const struct sim_occupancy_study *study, struct base_strbuf *out)
{
    const struct sim_cluster_occupancy *cluster = &study->cluster;
    if (study->max_cluster_blocks < 2)
        return;
    base_strbuf_printf(out,
                       "\nClusters (modelled: the blocks of one lie in one GPC; an SM holds %u blocks of clusters)\n",
                       study->device->cluster_blocks_per_sm);
    if (cluster->cluster_blocks > 1) {
        const uint64_t blocks = (uint64_t)cluster->max_active_clusters * cluster->cluster_blocks;
        base_strbuf_puts(out, "  ");
        put_plural(out, cluster->max_active_clusters, "cluster");
        base_strbuf_printf(out, " of %u at once, ", cluster->cluster_blocks);
        report_count(out, blocks);
        base_strbuf_puts(out, " of the ");
        report_count(out, (uint64_t)study->result.blocks_per_sm * study->device->sm_count);
        base_strbuf_puts(out, " blocks that would be resident without\n");
        put_gpcs(cluster, out);
        if (!cluster->is_portable)
            base_strbuf_printf(out, "  more than %u blocks need cudaFuncAttributeNonPortableClusterSizeAllowed\n",
                               study->device->max_cluster_blocks);
    }
    put_cluster_sizes(study, out);
}

void report_occupancy_text(const struct report_occupancy *query, struct base_strbuf *out)
{
    put_headline(query, out);
    put_room(query, out);
    put_block(query, out);
    put_limits(query, out);
    if (query->study == NULL && query->occupancy->needs_optin)
        base_strbuf_puts(out, "  so much shared memory needs cudaFuncAttributeMaxDynamicSharedMemorySize\n");
    if (query->study == NULL)
        return;
    put_optin(query->study, out);
    put_steps(query->study, out);
    put_cluster(query->study, out);
    if (query->curves)
        report_occupancy_curves_text(query, out);
}
