/* simtlab occupancy: how many blocks an SM holds, what limits them and what would change it; of a kernel in a file, or
 * of numbers alone. */
#include "isa/sass/sass.h"
#include "sim/limits.h"
#include "tools/tool.h"

#include <string.h>
#include <unistd.h>

/* What the answer is about, from the command line and the kernel. */
struct asked {
    const struct tool_options *options;
    struct sim_device device;
    uint32_t block[3], cluster[3];
    struct sim_occupancy_query query;
    struct isa_module *module; /* NULL: numbers alone */
    const char *kernel;
    enum report_registers registers_from;
    uint32_t code_registers;
};

static bool is_complete(const struct tool_options *options)
{
    if (options->operand_count > 2)
        tool_error("occupancy needs --block N and may have FILE and KERNEL; see simtlab occupancy --help");
    else if (options->operand_count == 0 && options->block[0] == 0)
        tool_error("occupancy needs --block N, the threads of a block; see simtlab occupancy --help");
    else
        return true;
    return false;
}

/* The kernel's registers, static shared memory and declared block take the place of what was not said. */
static enum base_status ask_kernel(struct asked *asked, struct base_diags *diags)
{
    const struct tool_options *options = asked->options;
    struct base_arena arena;
    struct isa_linked linked = {0};
    uint32_t index = 0;
    enum base_status status = tool_module_load(options, options->operands[0], &asked->module, diags);
    if (status == BASE_OK)
        status =
            isa_find_kernel(asked->module, options->operand_count > 1 ? options->operands[1] : NULL, &index, diags);
    if (status != BASE_OK)
        return status;
    base_arena_init(&arena, 0);
    status = isa_link(asked->module, index, &arena, &linked, diags);
    const struct isa_function *kernel = &asked->module->functions[index];
    if (status == BASE_OK) {
        asked->kernel = kernel->name;
        const uint32_t code = kernel->machine != NULL ? kernel->machine->registers : 0;
        asked->code_registers = options->regs == 0 ? code : 0;
        asked->registers_from = options->regs > 0 || code > 0 ? REPORT_REGISTERS_GIVEN
                                : kernel->machine != NULL     ? REPORT_REGISTERS_OF_LISTING
                                                              : REPORT_REGISTERS_OF_PTX;
        asked->query.registers_per_thread =
            sim_launch_registers(&asked->device, kernel, &linked, options->regs, options->max_registers);
        asked->query.shared_static_bytes = linked.shared_static_bytes;
        for (unsigned d = 0; d < 3 && options->block[0] == 0; d++)
            asked->block[d] = kernel->reqntid[d] > 0 ? kernel->reqntid[d] : 1;
        if (options->block[0] == 0 && kernel->reqntid[0] == 0) {
            base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "%s does not say its block size (.reqntid): give --block N",
                          kernel->name);
            status = BASE_INVALID;
        } else if (!sim_limits_block(&asked->device, kernel, asked->block, diags) ||
                   !sim_limits_cluster(&asked->device, kernel, options->cluster[0] > 0, asked->cluster, diags)) {
            status = BASE_INVALID;
        }
    }
    base_arena_free(&arena);
    return status;
}

/* Numbers alone: registers are the fewest that a card gives, unless said. */
static enum base_status ask_numbers(struct asked *asked, struct base_diags *diags)
{
    const struct tool_options *options = asked->options;
    asked->query.registers_per_thread = options->regs > 0 ? options->regs : asked->device.min_registers_per_thread;
    asked->registers_from = options->regs > 0 ? REPORT_REGISTERS_GIVEN : REPORT_REGISTERS_ASSUMED;
    bool good = sim_limits_block(&asked->device, NULL, asked->block, diags) &&
                sim_limits_cluster(&asked->device, NULL, options->cluster[0] > 0, asked->cluster, diags);
    return good ? BASE_OK : BASE_INVALID;
}

static enum base_status ask(struct asked *asked, struct base_diags *diags)
{
    const struct tool_options *options = asked->options;
    for (unsigned d = 0; d < 3; d++) {
        asked->block[d] = options->block[d];
        asked->cluster[d] = options->cluster[0] > 0 ? options->cluster[d] : 1;
    }
    asked->query.shared_dynamic_bytes = options->shared_bytes;
    asked->query.carveout_percent = options->carveout_percent;
    asked->query.barriers = 1;
    enum base_status status = options->operand_count > 0 ? ask_kernel(asked, diags) : ask_numbers(asked, diags);
    if (status != BASE_OK)
        return status;
    asked->query.block_threads = (uint32_t)sim_limits_product(asked->block);
    bool registers = sim_limits_registers(&asked->device, asked->query.registers_per_thread, diags);
    bool shared =
        sim_limits_shared(&asked->device, asked->query.shared_static_bytes, asked->query.shared_dynamic_bytes, diags);
    return registers && shared ? BASE_OK : BASE_INVALID;
}

/* A block can be within every limit of its own and still fit no SM. */
static void complain(const struct asked *asked, const struct sim_occupancy *result)
{
    const struct sim_device *device = &asked->device;
    const char *why = "the limit above allows none";
    struct base_strbuf text = {0};
    if (result->limit_blocks[SIM_LIMIT_REGISTERS] == 0) {
        base_strbuf_printf(&text, "%u threads of %u registers, given out in units, are more than %u (regsPerBlock)",
                           asked->query.block_threads, asked->query.registers_per_thread, device->registers_per_block);
        why = text.data;
    } else if (result->limit_blocks[SIM_LIMIT_WARPS] == 0) {
        base_strbuf_printf(&text, "an SM holds %u warps (maxThreadsPerMultiProcessor)", device->max_warps_per_sm);
        why = text.data;
    }
    tool_error("no SM of %s can hold one such block: %s", device->name, why != NULL ? why : "out of memory");
    base_strbuf_free(&text);
}

static enum tool_exit answer(const struct asked *asked, const struct sim_occupancy_study *study)
{
    const struct tool_options *options = asked->options;
    struct report_occupancy page = {
        .device = asked->device.name,
        .block_threads = study->query.block_threads,
        .registers_per_thread = study->query.registers_per_thread,
        .shared_per_block_bytes = study->query.shared_static_bytes + study->query.shared_dynamic_bytes,
        .occupancy = &study->result,
        .study = study,
        .file = options->operand_count > 0 ? options->operands[0] : NULL,
        .kernel = asked->kernel,
        .registers_from = asked->registers_from,
        .code_registers = asked->code_registers,
        .curves = options->curves,
        .colour = !options->output && isatty(STDOUT_FILENO),
    };
    struct base_strbuf out = {0};
    if (options->format == TOOL_JSON)
        report_occupancy_json(&page, &out);
    else if (options->format == TOOL_SVG)
        report_occupancy_svg(&page, &out);
    else
        report_occupancy_text(&page, &out);
    enum tool_exit exit = tool_output_text(options, &out);
    base_strbuf_free(&out);
    if (study->result.launchable)
        return exit;
    complain(asked, &study->result);
    return TOOL_ERROR;
}

enum tool_exit tool_occupancy(const struct tool_options *options)
{
    struct asked asked = {.options = options};
    struct base_diags diags = {0};
    struct base_arena arena;
    struct sim_occupancy_study study;
    if (!is_complete(options) || tool_device_load(options->device, &asked.device) != BASE_OK)
        return TOOL_ERROR;
    base_arena_init(&arena, 0);
    enum tool_exit exit = TOOL_ERROR;
    enum base_status status = ask(&asked, &diags);
    tool_print_diags(&diags);
    if (status == BASE_OK)
        status = sim_occupancy_study_make(&asked.device, &asked.query, (uint32_t)sim_limits_product(asked.cluster),
                                          &arena, &study);
    if (status == BASE_OK)
        exit = answer(&asked, &study);
    else if (status == BASE_NOMEM)
        tool_error("out of memory");
    base_arena_free(&arena);
    base_diags_free(&diags);
    if (asked.module)
        isa_module_free(asked.module);
    return exit;
}
