/* simtlab disasm: the program as the simulator has it, in the language it is read from. */
#include "tools/tool.h"

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
    enum tool_exit answer = TOOL_ERROR;
    enum base_status status = tool_module_load(options, options->operands[0], &module, &diags);
    if (status == BASE_OK && options->operand_count > 1)
        status = isa_find_kernel(module, options->operands[1], &kernel, &diags);
    tool_print_diags(&diags);
    if (status == BASE_OK) {
        if (options->operand_count > 1)
            isa_print_function(module, kernel, &out, true);
        else
            isa_print_module(module, &out, true);
        answer = tool_output_text(options, &out);
    }
    base_strbuf_free(&out);
    base_diags_free(&diags);
    if (module)
        isa_module_free(module);
    return answer;
}
