/* simtlab occupancy: how many blocks an SM holds, without a kernel. */
#include "tools/tool.h"

enum tool_exit tool_occupancy(const struct tool_options *options)
{
    struct sim_device device;
    if (options->operand_count > 0 || options->block[0] == 0) {
        tool_error("occupancy needs --block N and no operand; see simtlab occupancy --help");
        return TOOL_ERROR;
    }
    if (options->format == TOOL_CSV) {
        tool_error("--format=csv: occupancy has text and json");
        return TOOL_ERROR;
    }
    if (tool_device_load(options->device, &device) != BASE_OK)
        return TOOL_ERROR;
    uint64_t threads = (uint64_t)options->block[0] * options->block[1];
    threads = threads > UINT32_MAX ? threads : threads * options->block[2];
    if (threads > device.max_threads_per_block) {
        tool_error("--block: %s has at most %u threads in a block", device.name, device.max_threads_per_block);
        return TOOL_ERROR;
    }
    uint64_t cluster = (uint64_t)options->cluster[0] * options->cluster[1];
    cluster = cluster > UINT32_MAX ? cluster : cluster * options->cluster[2];
    if (options->cluster[0] > 0 && cluster > device.max_cluster_blocks_nonportable) {
        tool_error("--cluster: %s has at most %u blocks in a cluster", device.name,
                   device.max_cluster_blocks_nonportable);
        return TOOL_ERROR;
    }
    struct sim_occupancy_query query = {
        .block_threads = (uint32_t)threads,
        .registers_per_thread = options->regs > 0 ? options->regs : device.min_registers_per_thread,
        .shared_dynamic_bytes = options->shared_bytes,
        .carveout_percent = options->carveout_percent,
        .barriers = 1,
    };
    struct sim_occupancy occupancy;
    sim_occupancy_compute(&device, &query, &occupancy);
    struct report_occupancy page = {
        .device = device.name,
        .block_threads = query.block_threads,
        .registers_per_thread = query.registers_per_thread,
        .shared_per_block_bytes = query.shared_dynamic_bytes,
        .max_warps_per_sm = device.max_warps_per_sm,
        .occupancy = &occupancy,
    };
    struct base_strbuf out = {0};
    if (options->format == TOOL_JSON)
        report_occupancy_json(&page, &out);
    else
        report_occupancy_text(&page, &out);
    enum tool_exit answer = tool_output_text(options, &out);
    base_strbuf_free(&out);
    return answer;
}
