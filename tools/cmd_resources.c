/* simtlab resources: what `cuobjdump -res-usage` tells of machine code, as far as the PTX tells it. From machine
 * code: what its cubin says. */
#include "isa/sass/sass.h"
#include "sim/limits.h"
#include "tools/tool.h"

static uint64_t constant_bytes(const struct isa_module *module)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < module->var_count; i++) {
        const struct isa_var *var = &module->vars[i];
        if (var->function < 0 && var->space == ISA_SPACE_CONST) {
            uint64_t align = var->align_bytes > 0 ? var->align_bytes : 1;
            sum = (sum + align - 1) / align * align + var->size_bytes;
        }
    }
    return sum;
}

static uint64_t stack_bytes(const struct isa_module *module, const struct isa_function *function,
                            const struct isa_linked *linked)
{
    if (function->machine != NULL)
        return function->machine->stack_bytes;
    uint64_t sum = 0;
    for (size_t i = 0; i < module->function_count; i++)
        sum += linked->reaches_function[i] ? linked->frame_bytes[i] : 0;
    return sum;
}

/* A number of bytes, or that nothing tells it. */
static void put_bytes(struct base_strbuf *out, const char *name, bool known, uint64_t bytes, const char *remark)
{
    base_strbuf_printf(out, "  %-20s ", name);
    if (known)
        base_strbuf_printf(out, "%llu%s\n", (unsigned long long)bytes, remark);
    else
        base_strbuf_puts(out, "n/a: a listing alone does not tell\n");
}

static void put_registers(const struct tool_options *options, const struct sim_device *device,
                          const struct isa_function *function, const struct isa_linked *linked, struct base_strbuf *out)
{
    if (function->machine != NULL) {
        put_bytes(out, "registers a thread", function->machine->registers > 0, function->machine->registers, "");
        return;
    }
    if (options->regs > 0) {
        put_bytes(out, "registers a thread", true, options->regs, " (as given)");
        return;
    }
    uint32_t registers = sim_launch_registers(device, function, linked, 0, options->max_registers);
    base_strbuf_printf(out, "  registers a thread   %u ", registers);
    if (registers < linked->registers_estimate)
        base_strbuf_printf(out, "(the limit; the estimate is %u, and nvcc's machine code would spill)\n",
                           linked->registers_estimate);
    else
        base_strbuf_puts(out, "(an estimate: nvcc's machine code may have others)\n");
}

static enum base_status describe(const struct tool_options *options, const struct sim_device *device,
                                 const struct isa_module *module, uint32_t kernel, struct base_strbuf *out,
                                 struct base_diags *diags)
{
    struct base_arena arena;
    struct isa_linked linked = {0};
    base_arena_init(&arena, 0);
    enum base_status status = isa_link(module, kernel, &arena, &linked, diags);
    if (status == BASE_OK) {
        const struct isa_function *function = &module->functions[kernel];
        const bool known = function->machine == NULL || function->machine->from_cubin;
        base_strbuf_printf(out, "%s\n", function->name);
        put_registers(options, device, function, &linked, out);
        put_bytes(out, "stack, bytes", known, stack_bytes(module, function, &linked),
                  linked.is_recursive ? " (the kernel is recursive: it may take more)" : "");
        put_bytes(out, "static shared, bytes", known || options->has_shared_static, linked.shared_static_bytes,
                  linked.uses_dynamic_shared ? " and dynamic shared memory" : "");
        put_bytes(out, "parameters, bytes", known, function->param_bytes, "");
        put_bytes(out, "constants, bytes", known, constant_bytes(module), " (of the whole module)");
    }
    base_arena_free(&arena);
    return status;
}

enum tool_exit tool_resources(const struct tool_options *options)
{
    if (options->operand_count < 1 || options->operand_count > 2) {
        tool_error("resources needs FILE and may have KERNEL; see simtlab resources --help");
        return TOOL_ERROR;
    }
    struct sim_device device;
    if (tool_device_load(options->device, &device) != BASE_OK)
        return TOOL_ERROR;
    struct base_diags diags = {0};
    struct base_strbuf out = {0};
    struct isa_module *module = NULL;
    uint32_t kernel = 0;
    enum tool_exit answer = TOOL_ERROR;
    enum base_status status = tool_module_load(options, options->operands[0], &module, &diags);
    if (status == BASE_OK && options->operand_count > 1) {
        status = isa_find_kernel(module, options->operands[1], &kernel, &diags);
        if (status == BASE_OK)
            status = describe(options, &device, module, kernel, &out, &diags);
    } else if (status == BASE_OK) {
        for (uint32_t i = 0; i < module->function_count; i++) {
            if (module->functions[i].is_entry) {
                enum base_status one = describe(options, &device, module, i, &out, &diags);
                status = one != BASE_OK ? one : status;
            }
        }
    }
    tool_print_diags(&diags);
    if (out.length > 0)
        answer = tool_output_text(options, &out);
    base_strbuf_free(&out);
    base_diags_free(&diags);
    if (module)
        isa_module_free(module);
    return status == BASE_OK ? answer : TOOL_ERROR;
}
