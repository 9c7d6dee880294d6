/* simtlab disasm: the program as the simulator has it, in the language it is read from. */
#include "report/disasm.h"
#include "tools/tool.h"

/* Of machine code all that the kernel can reach is shown; of PTX as JSON, the kernel alone. */
static const bool *choose_functions(const struct isa_module *module, uint32_t kernel, struct base_arena *arena,
                                    struct base_diags *diags)
{
    struct isa_linked linked = {0};
    bool *chosen = base_arena_alloc(arena, module->function_count, sizeof(*chosen));
    if (chosen == NULL)
        return NULL;
    chosen[kernel] = true;
    if (module->form != ISA_FORM_SASS)
        return chosen;
    return isa_link(module, kernel, arena, &linked, diags) == BASE_OK ? linked.reaches_function : NULL;
}

static enum base_status write_disasm(const struct tool_options *options, const struct isa_module *module,
                                     const uint32_t *kernel, struct base_strbuf *out, struct base_diags *diags)
{
    struct base_arena arena;
    struct tool_sources sources = {.beside = options->operands[0]};
    struct report_disasm disasm = {
        .module = module, .control = options->control, .source_line = tool_sources_line, .user = &sources};
    base_arena_init(&arena, 0);
    if (kernel != NULL)
        disasm.functions = choose_functions(module, *kernel, &arena, diags);
    enum base_status status = kernel != NULL && disasm.functions == NULL ? BASE_NOMEM : BASE_OK;
    if (status == BASE_OK && options->format == TOOL_JSON)
        report_disasm_json(&disasm, SIMTLAB_VERSION, out);
    else if (status == BASE_OK)
        report_disasm_text(&disasm, out);
    else
        tool_error("out of memory");
    tool_sources_free(&sources);
    base_arena_free(&arena);
    return status;
}

static enum base_status write_module(const struct tool_options *options, const struct isa_module *module,
                                     const uint32_t *kernel, struct base_strbuf *out, struct base_diags *diags)
{
    if (module->form == ISA_FORM_SASS || options->format == TOOL_JSON)
        return write_disasm(options, module, kernel, out, diags);
    if (kernel != NULL)
        isa_print_function(module, *kernel, out, true);
    else
        isa_print_module(module, out, true);
    return BASE_OK;
}

enum tool_exit tool_disasm(const struct tool_options *options)
{
    if (options->operand_count < 1 || options->operand_count > 2) {
        tool_error("disasm needs FILE and may have KERNEL; see simtlab disasm --help");
        return TOOL_ERROR;
    }
    struct base_diags diags = {0};
    struct base_strbuf out = {0};
    struct isa_module *module = NULL;
    uint32_t kernel = 0;
    bool has_kernel = options->operand_count > 1;
    enum tool_exit answer = TOOL_ERROR;
    enum base_status status = tool_module_load(options, options->operands[0], &module, &diags);
    if (status == BASE_OK && has_kernel)
        status = isa_find_kernel(module, options->operands[1], &kernel, &diags);
    if (status == BASE_OK && options->control && module->form != ISA_FORM_SASS) {
        tool_error("--control: %s is PTX, which has no scheduling bits; they are in machine code",
                   options->operands[0]);
        status = BASE_INVALID;
    }
    if (status == BASE_OK)
        status = write_module(options, module, has_kernel ? &kernel : NULL, &out, &diags);
    tool_print_diags(&diags);
    if (status == BASE_OK)
        answer = tool_output_text(options, &out);
    base_strbuf_free(&out);
    base_diags_free(&diags);
    if (module)
        isa_module_free(module);
    return answer;
}
