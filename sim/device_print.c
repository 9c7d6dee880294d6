/* A device for people: every parameter with unit, value and source, and the words that cudaDeviceProp has for them. */
#include "sim/device.h"
#include "sim/device_internal.h"

#include <inttypes.h>
#include <string.h>

#define WARP_SIZE     32
#define SOURCE_COLUMN 64

static void end_line(struct base_strbuf *out, size_t begin, const char *source)
{
    size_t width = out->length - begin;
    base_strbuf_repeat(out, ' ', width < SOURCE_COLUMN ? SOURCE_COLUMN - width : 1);
    base_strbuf_printf(out, "%s\n", source);
}

static void print_parameters(const struct sim_device *device, struct base_strbuf *out)
{
    for (size_t i = 0; i < SIM_PARAM_COUNT; i++) {
        const struct sim_param *param = sim_param_at(i);
        size_t begin = out->length;
        base_strbuf_printf(out, "%-32s ", param->field);
        sim_device_value(device, i, out);
        base_strbuf_printf(out, "%s%s", *param->unit ? " " : "", param->unit);
        end_line(out, begin, device->source[i]);
    }
}

/* A field of cudaDeviceProp and the parameters it is made of. */
struct word {
    const char *name;
    enum sim_param_index param;
    unsigned count;   /* parameters in a row: x, y, z */
    uint64_t times;   /* the value is so many times the parameter */
    bool is_question; /* whether the parameter is more than 1 */
};

#define WORD(name, field)                                                                                              \
    {                                                                                                                  \
        name, SIM_PARAM_AT_##field, 1, 1, false                                                                        \
    }
#define WORD3(name, field)                                                                                             \
    {                                                                                                                  \
        name, SIM_PARAM_AT_##field, 3, 1, false                                                                        \
    }
#define WORD_TIMES(name, field, n)                                                                                     \
    {                                                                                                                  \
        name, SIM_PARAM_AT_##field, 1, n, false                                                                        \
    }
#define WORD_IF(name, field)                                                                                           \
    {                                                                                                                  \
        name, SIM_PARAM_AT_##field, 1, 1, true                                                                         \
    }

/* In the order of the CUDA headers. */
static const struct word words[] = {
    WORD("name", product),
    WORD("totalGlobalMem", memory_bytes),
    WORD("sharedMemPerBlock", shared_per_block_bytes),
    WORD("regsPerBlock", registers_per_block),
    WORD("maxThreadsPerBlock", max_threads_per_block),
    WORD3("maxThreadsDim", max_block_x),
    WORD3("maxGridSize", max_grid_x),
    WORD("clockRate", clock_khz),
    WORD("totalConstMem", constant_bytes),
    WORD("major", compute_major),
    WORD("minor", compute_minor),
    WORD("multiProcessorCount", sm_count),
    WORD("memoryClockRate", memory_clock_khz),
    WORD("memoryBusWidth", memory_bus_bits),
    WORD("l2CacheSize", l2_bytes),
    WORD_TIMES("maxThreadsPerMultiProcessor", max_warps_per_sm, WARP_SIZE),
    WORD("sharedMemPerMultiprocessor", shared_per_sm_bytes),
    WORD("regsPerMultiprocessor", registers_per_sm),
    WORD("sharedMemPerBlockOptin", shared_per_block_optin_bytes),
    WORD("maxBlocksPerMultiProcessor", max_blocks_per_sm),
    WORD("reservedSharedMemPerBlock", shared_reserved_bytes),
    WORD_IF("clusterLaunch", max_cluster_blocks),
};

static void print_number(const char *name, uint64_t value, const char *source, struct base_strbuf *out)
{
    size_t begin = out->length;
    base_strbuf_printf(out, "%-32s %" PRIu64, name, value);
    end_line(out, begin, source);
}

static void print_word(const struct sim_device *device, const struct word *word, struct base_strbuf *out)
{
    size_t begin = out->length;
    if (word->is_question || word->times > 1) {
        uint64_t value = sim_param_number(device, word->param, 0);
        print_number(word->name, word->is_question ? value > 1 : value * word->times, device->source[word->param], out);
        return;
    }
    base_strbuf_printf(out, "%-32s ", word->name);
    for (unsigned i = 0; i < word->count; i++) {
        base_strbuf_puts(out, i > 0 ? ", " : "");
        sim_device_value(device, word->param + i, out);
    }
    end_line(out, begin, device->source[word->param]);
}

static void print_cuda_words(const struct sim_device *d, struct base_strbuf *out)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (words[i].param == SIM_PARAM_AT_max_threads_per_block)
            print_number("warpSize", WARP_SIZE, "CPG", out);
        print_word(d, &words[i], out);
    }
    print_number("singleToDoublePrecisionPerfRatio", d->fp32_lanes_per_sm / d->fp64_lanes_per_sm,
                 d->source[SIM_PARAM_AT_fp64_lanes_per_sm], out);
}

/* What a launch may be, what a card is called, and what tensor cores add up to: no cycle depends on these. */
static bool is_of_the_clock(size_t index)
{
    switch ((enum sim_param_index)index) {
    case SIM_PARAM_AT_name:
    case SIM_PARAM_AT_product:
    case SIM_PARAM_AT_architecture:
    case SIM_PARAM_AT_memory_clock_khz:
    case SIM_PARAM_AT_memory_bus_bits:
    case SIM_PARAM_AT_memory_bytes:
    case SIM_PARAM_AT_max_threads_per_block:
    case SIM_PARAM_AT_max_block_x:
    case SIM_PARAM_AT_max_block_y:
    case SIM_PARAM_AT_max_block_z:
    case SIM_PARAM_AT_max_grid_x:
    case SIM_PARAM_AT_max_grid_y:
    case SIM_PARAM_AT_max_grid_z:
    case SIM_PARAM_AT_constant_bytes:
    case SIM_PARAM_AT_local_per_thread_bytes:
    case SIM_PARAM_AT_tensor_products:
    case SIM_PARAM_AT_tensor_fraction_bits:
        return false;
    default:
        return true;
    }
}

/* Values are compared, not their sources: a profile may well write down what it has of its base. */
const char *sim_device_uncalibrated(const struct sim_device *device)
{
    const struct sim_device *fitted = sim_device_find("h200");
    for (size_t i = 0; i < SIM_PARAM_COUNT; i++)
        if (is_of_the_clock(i) && !sim_param_is_same(device, fitted, i))
            return "not fitted to measurements of this GPU; what nobody published of it is taken from the H200";
    return NULL;
}

/* A profile of one's own: what it changes, each value with the old one. */
static void print_changes(const struct sim_device *device, struct base_strbuf *out)
{
    const struct sim_device *base = NULL;
    bool any = false;
    for (size_t i = 0; i < sim_device_count(); i++)
        if (strcmp(sim_device_at(i)->product, device->product) == 0)
            base = sim_device_at(i);
    for (size_t i = 0; base && i < SIM_PARAM_COUNT; i++) {
        if (i == SIM_PARAM_AT_name || sim_param_is_same(device, base, i))
            continue;
        base_strbuf_puts(out, any ? ", " : "Changed: ");
        base_strbuf_printf(out, "%s = ", sim_param_at(i)->field);
        sim_device_value(device, i, out);
        base_strbuf_printf(out, " (%s: ", base->name);
        sim_device_value(base, i, out);
        base_strbuf_putc(out, ')');
        any = true;
    }
    base_strbuf_puts(out, any ? ".\n" : "");
}

void sim_device_print(const struct sim_device *device, struct base_strbuf *out)
{
    base_strbuf_printf(out, "%s: %s (%s, compute capability %" PRIu32 ".%" PRIu32 ")\n", device->name, device->product,
                       device->architecture, device->compute_major, device->compute_minor);
    print_changes(device, out);
    const char *uncalibrated = sim_device_uncalibrated(device);
    base_strbuf_printf(out, "Cycles %s%s.\n\n",
                       uncalibrated ? "uncalibrated: " : "calibrated: fitted to records of an H200",
                       uncalibrated ? uncalibrated : "");
    print_parameters(device, out);
    base_strbuf_puts(out, "\nIn the words of cudaDeviceProp:\n\n");
    print_cuda_words(device, out);
}
