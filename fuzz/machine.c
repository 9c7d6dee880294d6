/* Running whatever a reader of machine code accepted: a kernel gets pointers to one buffer for parameters, as many as
 * it says it has, and at least 64 bytes of them. */
#include "fuzz/machine.h"

#include "report/disasm.h"
#include "report/report.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

enum {
    PARAM_BYTES = 64,
    BUFFER_BYTES = 4096,
    MEMORY_BYTES = 1 << 20,
    ENGINE_BYTES = 64 << 20,
    TEXT_BYTES = 16 << 20,
    WARP_INSTRUCTIONS = 3000,
    KERNELS = 4
};

static void write_report(const struct sim_report *report)
{
    struct base_strbuf out = {.limit_bytes = TEXT_BYTES};
    report_json(report, NULL, "fuzz", &out);
    base_strbuf_free(&out);
}

static void run_kernel(const struct isa_module *module, uint32_t kernel, size_t choice)
{
    const struct sim_launch_text launch = {.kernel = module->functions[kernel].name,
                                           .grid = {2, 1, 1},
                                           .block = {48, choice % 5 == 0 ? 2 : 1, 1},
                                           .cluster = {1, 1, 1},
                                           .shared_bytes = 256,
                                           .carveout_percent = -1};
    const struct sim_options options = {.device = sim_device_find("h200"),
                                        .cycles = choice % 2 == 1,
                                        .checks = choice % 3 == 0 ? 15 : 0,
                                        .max_instructions = WARP_INSTRUCTIONS,
                                        .memory_limit_bytes = ENGINE_BYTES};
    const uint32_t own = module->functions[kernel].param_bytes;
    struct sim_bound bound = {.param_bytes = own > PARAM_BYTES ? own : PARAM_BYTES};
    struct sim_memory memory;
    struct base_diags diags = {0};
    struct sim_report report;
    uint64_t address = 0;
    sim_memory_init(&memory, MEMORY_BYTES);
    bound.params = calloc(bound.param_bytes, 1);
    if (bound.params && sim_memory_alloc(&memory, BUFFER_BYTES, "buffer", &address) == BASE_OK) {
        for (uint32_t at = 0; at + sizeof address <= bound.param_bytes; at += sizeof address)
            memcpy(bound.params + at, &address, sizeof address);
        if (sim_run(module, kernel, &launch, &bound, &memory, &options, &report, &diags) == BASE_OK)
            write_report(&report);
        sim_report_free(&report);
    }
    base_diags_free(&diags);
    sim_memory_free(&memory);
    free(bound.params);
}

void fuzz_machine_run(const struct isa_module *module, size_t choice)
{
    const struct report_disasm disasm = {.module = module, .control = true};
    struct base_strbuf out = {.limit_bytes = TEXT_BYTES};
    report_disasm_text(&disasm, &out);
    report_disasm_json(&disasm, "fuzz", &out);
    base_strbuf_free(&out);
    for (uint32_t i = 0; i < module->function_count && i < KERNELS; i++)
        run_kernel(module, i, choice);
}
