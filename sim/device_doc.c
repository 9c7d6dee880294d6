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
    "Limits and allocation rules of every generation are NVIDIA's published ones. Clocks, lanes, cache and memory "
    "sizes\n"
    "are only as good as their source; values marked *unsourced* come from no document or measurement at hand. Only "
    "the\n"
    "H200 was measured for this program.\n";

static const char corrections[] =
    "\n## Claims that are wrong\n\n"
    "Three figures that articles about these generations repeat, and what holds:\n\n"
    "| claim | true | source |\n"
    "|---|---|---|\n"
    "| Fermi has 16 shared-memory banks | 32 banks, each 32 bits in two shader clocks. 16 banks, and conflicts judged "
    "within half a warp, are compute capability 1.x. | CPG-F4 |\n"
    "| Fermi holds 64 warps on an SM | 48 warps, 1536 threads. 64 came with Kepler (3.x). | CPG-F4, OCCXLS |\n"
    "| Turing has 96 KiB of shared memory | 64 KiB at most. 96 KiB is Turing's L1 and shared memory together; 96 KiB "
    "of "
    "*shared* memory is Volta. | CPG, OCC |\n";

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
    {"H200", "read from a real card: validate/records/h200/guide"},
    {"KR", "public compilation of the figures in NVIDIA's white papers and data sheets"},
    {"LUO24",
     "Luo and others, Benchmarking and Dissecting the NVIDIA Hopper GPU (arXiv 2402.13499; LUO25: 2501.12084)"},
    {"L2SLICE", "public measurements of L2 slices and their width"},
    {"MICRO25", "Huerta and others, Analyzing Modern NVIDIA GPU cores, MICRO 2025 (arXiv 2503.20481)"},
    {"MT4G", "github.com/caps-tum/mt4g, sample results"},
    {"NCU-DOC", "NVIDIA, Nsight Compute, Profiling Guide"},
    {"OCC", "NVIDIA, cuda_occupancy.h of the CUDA Toolkit 13.0"},
    {"OCCXLS", "NVIDIA, CUDA Occupancy Calculator (spreadsheet), row for compute capability 2.0"},
    {"PPT", "lanl/PPT, hardware models (Arafa and others, HPEC 2019)"},
    {"RRZE", "github.com/RRZE-HPC/gpu-benches, measured bandwidths"},
    {"TP86, TP90, TP120",
     "NVIDIA, arithmetic throughput by compute capability: guides 11.5, 12.6; Best Practices 13.x"},
    {"inferred", "worked out from other values in this table"},
    {"unsourced", "no document or measurement at hand"},
};

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
    base_strbuf_puts(out, corrections);
    compare_devices(out);
    list_parameters(out);
    list_sources(out);
}
