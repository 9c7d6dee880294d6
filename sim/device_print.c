/* A device for people: every parameter with unit, value and source, and the words that cudaDeviceProp has for them. */
#include "sim/device.h"
#include "sim/device_internal.h"

#include <inttypes.h>
#include <string.h>

#define WARP_SIZE 32

static void print_parameters(const struct sim_device *device, struct base_strbuf *out)
{
    for (size_t i = 0; i < SIM_PARAM_COUNT; i++) {
        const struct sim_param *param = sim_param_at(i);
        size_t begin = out->length, width;
        base_strbuf_printf(out, "%-31s ", param->field);
        sim_device_value(device, i, out);
        base_strbuf_printf(out, "%s%s", *param->unit ? " " : "", param->unit);
        width = out->length - begin;
        base_strbuf_repeat(out, ' ', width < 64 ? 64 - width : 1);
        base_strbuf_printf(out, "%s\n", device->source[i]);
    }
}

static void print_word(struct base_strbuf *out, const char *word, uint64_t value)
{
    base_strbuf_printf(out, "%-31s %" PRIu64 "\n", word, value);
}

static void print_cuda_words(const struct sim_device *d, struct base_strbuf *out)
{
    base_strbuf_printf(out, "%-31s %s\n", "name", d->product);
    print_word(out, "totalGlobalMem", d->memory_bytes);
    print_word(out, "sharedMemPerBlock", d->shared_per_block_bytes);
    print_word(out, "regsPerBlock", d->registers_per_block);
    print_word(out, "warpSize", WARP_SIZE);
    print_word(out, "maxThreadsPerBlock", d->max_threads_per_block);
    base_strbuf_printf(out, "%-31s %" PRIu32 ", %" PRIu32 ", %" PRIu32 "\n", "maxThreadsDim", d->max_block_x,
                       d->max_block_y, d->max_block_z);
    base_strbuf_printf(out, "%-31s %" PRIu32 ", %" PRIu32 ", %" PRIu32 "\n", "maxGridSize", d->max_grid_x,
                       d->max_grid_y, d->max_grid_z);
    print_word(out, "clockRate", d->clock_khz);
    print_word(out, "totalConstMem", d->constant_bytes);
    print_word(out, "major", d->compute_major);
    print_word(out, "minor", d->compute_minor);
    print_word(out, "multiProcessorCount", d->sm_count);
    print_word(out, "memoryClockRate", d->memory_clock_khz);
    print_word(out, "memoryBusWidth", d->memory_bus_bits);
    print_word(out, "l2CacheSize", d->l2_bytes);
    print_word(out, "maxThreadsPerMultiProcessor", (uint64_t)d->max_warps_per_sm * WARP_SIZE);
    print_word(out, "sharedMemPerMultiprocessor", d->shared_per_sm_bytes);
    print_word(out, "regsPerMultiprocessor", d->registers_per_sm);
    print_word(out, "sharedMemPerBlockOptin", d->shared_per_block_optin_bytes);
    print_word(out, "maxBlocksPerMultiProcessor", d->max_blocks_per_sm);
    print_word(out, "reservedSharedMemPerBlock", d->shared_reserved_bytes);
    print_word(out, "singleToDoublePrecisionPerfRatio", d->fp32_lanes_per_sm / d->fp64_lanes_per_sm);
    print_word(out, "clusterLaunch", d->max_cluster_blocks > 1);
}

void sim_device_print(const struct sim_device *device, struct base_strbuf *out)
{
    base_strbuf_printf(out, "%s: %s (%s, compute capability %" PRIu32 ".%" PRIu32 ")\n\n", device->name,
                       device->product, device->architecture, device->compute_major, device->compute_minor);
    print_parameters(device, out);
    base_strbuf_puts(out, "\nIn the words of cudaDeviceProp:\n\n");
    print_cuda_words(device, out);
}
