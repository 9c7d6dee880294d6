/* The page docs/devices.md, from the parameter table and the built-in profiles. */
#include "sim/device.h"
#include "sim/device_internal.h"

#include <inttypes.h>
#include <string.h>

static const char opening[] =
    "# Devices\n\n"
    "Generated from `sim/device.def` and `sim/device_profiles.c` by `tools/gen-device-doc`; do not edit.\n\n"
    "A device is a set of parameters. `simtlab devices` lists the built-in ones, `simtlab devices NAME` shows every\n"
    "parameter of one with its source, and `--device FILE` reads a profile of your own:\n\n"
    "    base = h200            # optional, first: start from this profile; without it from the defaults\n"
    "    name = half-h200\n"
    "    sm_count = 66\n"
    "    shared_carveouts_kib = 0 8 16 32 64 100\n\n"
    "Numbers are decimal or 0x hexadecimal. An unknown parameter, a value out of range, a parameter set twice or\n"
    "parameters that contradict each other are errors.\n\n"
    "A profile goes by its `name`, or by that of its file. A built-in device's name is its own: a profile that differs "
    "from it\n"
    "in anything must have another. When a parameter that cycles depend on is not the H200's, reports and "
    "`simtlab devices`\n"
    "say that the cycles are uncalibrated; `simtlab devices FILE` shows what the profile changes.\n\n"
    "Limits and allocation rules of every generation are NVIDIA's published ones. Clocks, lanes, cache and memory "
    "sizes\n"
    "are only as good as their source; values marked *unsourced* come from no document or measurement at hand. Only "
    "the\n"
    "H200 was measured for this program.\n";

static const char changes[] =
    "\nWhat changed for who writes kernels:\n\n"
    "- **Fermi** (2.0): the first L1. A load through it moves a line of 128 bytes, one past it (`--dlcm cg`) and a "
    "store\n"
    "  32 bytes; 8-byte accesses go by half-warps, 16-byte ones by quarter-warps. 32 banks (1.x: 16, by half-warps). "
    "Lanes\n"
    "  of a warp part and meet by a stack. 63 registers a thread. L1 and shared memory are 16 and 48 KiB or 48 and "
    "16.\n"
    "- Kepler, Maxwell and Pascal (3.x to 6.x) have no profile here.\n"
    "- **Volta** (7.0): every lane has its own program counter. Four parts of an SM, each with a scheduler and its "
    "own\n"
    "  registers, given to a warp by 256. One request an instruction, sectors of 32 bytes. L1 and shared memory share "
    "128\n"
    "  KiB; a block gets more than 48 KiB of it when the kernel asks (the opt-in), up to 96.\n"
    "- **Turing** (7.5): half the warps and blocks of an SM, the same registers: 64 for each thread when it is full.\n"
    "- **Ampere** (8.0, 8.6): 1 KiB of each block's shared memory is the system's; shared memory in units of 128 "
    "bytes.\n"
    "  The GeForce cards hold 48 warps and have twice the FP32 lanes, half of them shared with integers.\n"
    "- **Ada** (8.9): 24 blocks an SM, a large L2.\n"
    "- **Hopper** (9.0): clusters of blocks within a GPC, which read each other's shared memory; 227 KiB a block.\n"
    "- **Blackwell** (10.0, 12.0): the data-centre card keeps the limits of Hopper's SM, the GeForce card\n"
    "  Ada's, with clusters.\n";

static const char corrections[] =
    "\n## Claims that are wrong\n\n"
    "What articles and guides about these generations say, and what holds:\n\n"
    "| claim | true | source |\n"
    "|---|---|---|\n"
    "| Fermi has 16 shared-memory banks | 32 banks, each 32 bits in two shader clocks. 16 banks, and conflicts judged "
    "within half a warp, are compute capability 1.x. | CPG-F4 |\n"
    "| Fermi has no special-function units | 4 an SM. | CPG-F4 |\n"
    "| A Turing SM holds 64 warps | 32 warps, 1,024 threads: `sm__warps_active` cannot pass 32. Volta, the A100, "
    "Hopper and "
    "the B200 hold 64; Fermi 48. | CPG, OCC |\n"
    "| Turing has 96 KiB of shared memory | 64 KiB at most. 96 KiB is Turing's L1 and shared memory together; 96 KiB "
    "of "
    "*shared* memory is Volta. | CPG, OCC |\n"
    "| 192 threads a block instead of 256 are better on Turing, for its scheduling | They are where registers make "
    "them so: at "
    "136 to 168 registers an RTX 2080's SM holds one block of 256 (8 warps) but two of 192 (12 warps): `simtlab "
    "occupancy "
    "--device rtx2080 --block 192 --regs 136`. With up to 64, four blocks of 256 fill it and five of 192 do not (30 of "
    "32). | OCC |\n"
    "| `-Xptxas -dlcm=ca` reports how the hardware is used | It chooses whether global loads go through L1 (`--dlcm` "
    "here) and "
    "prints nothing. `-Xptxas -v` prints \"Used N registers\". | ptxas 13.0 |\n"
    "| `--maxrregcount` limits the registers of a block | Of a thread; at least 24, and not where the kernel has "
    "launch bounds. "
    "| ptxas 13.0 |\n"
    "| 49,152 bytes (`sharedMemPerBlock`) are the most a block can have | They are what it gets without asking. With "
    "`cudaFuncAttributeMaxDynamicSharedMemorySize` it gets up to `sharedMemPerBlockOptin`; without, the launch of 100 "
    "KB "
    "fails. | H200: clusters/optin.txt |\n"
    "| Without shared memory all of the unified memory is L1 | The H200's driver keeps 8 to 32 KiB of it for shared "
    "memory. | "
    "H200: carveout.csv |\n";

static const char *const sources[][2] = {
    {"ACFG", "gpgpu-sim_distribution and accel-sim-framework, tested configurations and tuner"},
    {"ADA-RE", "public study of Ada machine code on an RTX 4070 Ti"},
    {"B300", "public catalogue of microbenchmarks on a B300"},
    {"BITTECH", "bit-tech.net, review of the GeForce GTX 580"},
    {"C&C", "chipsandcheese.com, articles on H100, B200 and GB202"},
    {"CICUVC", "github.com/cicuvc/nvidia-sass-document, measurements on an RTX 5090"},
    {"CPG", "NVIDIA, CUDA C++ Programming Guide, tables by compute capability"},
    {"CPG-F4", "NVIDIA, CUDA C Programming Guide, older editions, appendix F.4, compute capability 2.x"},
    {"FORUM-L1", "forums.developer.nvidia.com, NVIDIA's answer on the L1 cache, /t/pascal-l1-cache/49571/14"},
    {"GAMEGPU", "en.gamegpu.com, review of the GeForce RTX 2080"},
    {"H200", "read from a real card: validate/records/h200, folder guide unless another is named"},
    {"KR", "public compilation of the figures in NVIDIA's white papers and data sheets"},
    {"LUO24",
     "Luo and others, Benchmarking and Dissecting the NVIDIA Hopper GPU (arXiv 2402.13499; LUO25: 2501.12084)"},
    {"L2SLICE", "public measurements of L2 slices and their width"},
    {"MICRO25", "Huerta and others, Analyzing Modern NVIDIA GPU cores, MICRO 2025 (arXiv 2503.20481)"},
    {"MMASIM", "Xie and others, MMA-Sim: Bit-Accurate Reference Model of Tensor Cores (arXiv 2511.10909)"},
    {"MT4G", "github.com/caps-tum/mt4g, sample results"},
    {"NCU-DOC", "NVIDIA, Nsight Compute, Profiling Guide"},
    {"OCC", "NVIDIA, cuda_occupancy.h of the CUDA Toolkit 13.0"},
    {"OCCXLS", "NVIDIA, CUDA Occupancy Calculator (spreadsheet), row for compute capability 2.0"},
    {"PPT", "lanl/PPT, hardware models (Arafa and others, HPEC 2019)"},
    {"RRZE", "github.com/RRZE-HPC/gpu-benches, measured bandwidths"},
    {"TENSOR", "read from a real card: validate/records/h200/tensor"},
    {"TP86, TP90, TP120",
     "NVIDIA, arithmetic throughput by compute capability: guides 11.5, 12.6; Best Practices 13.x"},
    {"inferred", "worked out from other values in this table"},
    {"unsourced", "no document or measurement at hand"},
};

/* ---- Generations, in numbers that say something about a kernel ---- */

static uint64_t threads_of_sm(const struct sim_device *d)
{
    return (uint64_t)d->max_warps_per_sm * 32;
}

static uint64_t filling_block(const struct sim_device *d)
{
    uint64_t warps = (d->max_warps_per_sm + d->max_blocks_per_sm - 1) / d->max_blocks_per_sm;
    return warps * 32;
}

static uint64_t registers_when_full(const struct sim_device *d)
{
    uint64_t per_warp = d->registers_per_sm / d->max_warps_per_sm / d->register_unit * d->register_unit;
    return per_warp / 32;
}

static uint64_t shared_when_full(const struct sim_device *d)
{
    return d->shared_per_sm_bytes / threads_of_sm(d);
}

static uint64_t warps_at_most_registers(const struct sim_device *d)
{
    uint64_t per_warp = ((uint64_t)d->max_registers_per_thread * 32 + d->register_unit - 1) / d->register_unit;
    uint64_t parts = d->warp_allocation_granularity;
    return d->registers_per_sm / (per_warp * d->register_unit) / parts * parts;
}

static uint64_t fmas_for_a_byte(const struct sim_device *d)
{
    return (uint64_t)d->sm_count * d->fp32_lanes_per_sm * d->clock_khz * 1000 / d->dram_bytes_per_second;
}

static void compare_generations(struct base_strbuf *out)
{
    static const struct {
        const char *what;
        uint64_t (*value)(const struct sim_device *);
    } rows[] = {
        {"threads that an SM holds", threads_of_sm},
        {"threads of the smallest block that can fill an SM", filling_block},
        {"registers for each thread of a full SM", registers_when_full},
        {"warps of an SM at the most registers a thread can have", warps_at_most_registers},
        {"bytes of shared memory for each thread of a full SM", shared_when_full},
        {"f32 multiply-adds in the time of a byte from DRAM", fmas_for_a_byte},
    };
    base_strbuf_puts(out, "\n## Generations compared\n\n| |");
    for (size_t d = 0; d < sim_device_count(); d++)
        base_strbuf_printf(out, " %s |", sim_device_at(d)->name);
    base_strbuf_puts(out, "\n|---|");
    for (size_t d = 0; d < sim_device_count(); d++)
        base_strbuf_puts(out, "---|");
    base_strbuf_puts(out, "\n| generation |");
    for (size_t d = 0; d < sim_device_count(); d++)
        base_strbuf_printf(out, " %s %u.%u |", sim_device_at(d)->architecture, sim_device_at(d)->compute_major,
                           sim_device_at(d)->compute_minor);
    base_strbuf_putc(out, '\n');
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        base_strbuf_printf(out, "| %s |", rows[i].what);
        for (size_t d = 0; d < sim_device_count(); d++)
            base_strbuf_printf(out, " %" PRIu64 " |", rows[i].value(sim_device_at(d)));
        base_strbuf_putc(out, '\n');
    }
    base_strbuf_puts(out, changes);
}

static void compare_devices(struct base_strbuf *out)
{
    base_strbuf_puts(out, "\n## The built-in devices\n\n| parameter | unit |");
    for (size_t d = 0; d < sim_device_count(); d++)
        base_strbuf_printf(out, " %s |", sim_device_at(d)->name);
    base_strbuf_puts(out, "\n|---|---|");
    for (size_t d = 0; d < sim_device_count(); d++)
        base_strbuf_puts(out, "---|");
    base_strbuf_putc(out, '\n');
    for (size_t i = SIM_PARAM_AT_product; i < SIM_PARAM_COUNT; i++) {
        base_strbuf_printf(out, "| %s | %s |", sim_param_at(i)->field, sim_param_at(i)->unit);
        for (size_t d = 0; d < sim_device_count(); d++) {
            const struct sim_device *device = sim_device_at(d);
            bool marked = strncmp(device->source[i], "unsourced", 9) == 0;
            base_strbuf_puts(out, marked ? " *" : " ");
            sim_device_value(device, i, out);
            base_strbuf_puts(out, marked ? "* |" : " |");
        }
        base_strbuf_putc(out, '\n');
    }
    base_strbuf_puts(out, "\nValues in *italics* are unsourced.\n");
}

static void list_parameters(struct base_strbuf *out)
{
    base_strbuf_puts(out,
                     "\n## The parameters\n\n| parameter | what | unit | default | range | source of the default |\n"
                     "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < SIM_PARAM_COUNT; i++) {
        const struct sim_param *param = sim_param_at(i);
        base_strbuf_printf(out, "| %s | %s | %s | %s | ", param->field, param->help, param->unit, param->initial_text);
        if (param->kind != SIM_PARAM_TEXT)
            base_strbuf_printf(out, "%" PRIu64 " to %" PRIu64, param->min, param->max);
        base_strbuf_printf(out, " | %s |\n", param->initial_source);
    }
}

static void list_sources(struct base_strbuf *out)
{
    base_strbuf_puts(out, "\n## Sources by device\n\n| parameter |");
    for (size_t d = 0; d < sim_device_count(); d++)
        base_strbuf_printf(out, " %s |", sim_device_at(d)->name);
    base_strbuf_puts(out, "\n|---|");
    for (size_t d = 0; d < sim_device_count(); d++)
        base_strbuf_puts(out, "---|");
    for (size_t i = SIM_PARAM_AT_sm_count; i < SIM_PARAM_COUNT; i++) {
        base_strbuf_printf(out, "\n| %s |", sim_param_at(i)->field);
        for (size_t d = 0; d < sim_device_count(); d++)
            base_strbuf_printf(out, " %s |", sim_device_at(d)->source[i]);
    }
    base_strbuf_puts(out, "\n\n## Keys of the sources\n\n| key | source |\n|---|---|\n");
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        base_strbuf_printf(out, "| %s | %s |\n", sources[i][0], sources[i][1]);
}

void sim_device_document(struct base_strbuf *out)
{
    base_strbuf_puts(out, opening);
    compare_generations(out);
    base_strbuf_puts(out, corrections);
    compare_devices(out);
    list_parameters(out);
    list_sources(out);
}
