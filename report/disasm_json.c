/* A module's instructions as JSON, from either form: keys as in the manual page. */
#include "report/disasm.h"

#include "isa/sass/sass.h"
#include "report/json_value.h"

#include <inttypes.h>
#include <stdio.h>

#define BARRIERS 6u
#define SLOTS    4u /* of the reuse cache */

/* The numbers of the bits that are set. */
static json_t *json_mask(unsigned mask, unsigned count)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < count; i++)
        if ((mask >> i & 1) != 0 && json_array_append_new(array, json_count(i)) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *json_control(const struct isa_sass_control *control, bool *failed)
{
    json_t *object = json_object();
    set(object, "stall_cycles", json_count(control->stall_cycles), failed);
    set(object, "yield", json_boolean(control->yield), failed);
    if (control->write_barrier < BARRIERS)
        set(object, "write_barrier", json_count(control->write_barrier), failed);
    if (control->read_barrier < BARRIERS)
        set(object, "read_barrier", json_count(control->read_barrier), failed);
    set(object, "wait", json_mask(control->wait_mask, BARRIERS), failed);
    set(object, "reuse", json_mask(control->reuse_mask, SLOTS), failed);
    return object;
}

static void set_machine(json_t *object, const struct isa_module *module, const struct isa_sass_insn *sass, bool *failed)
{
    char encoding[40];
    if (sass->ptx_line > 0 && sass->ptx_line <= module->ptx_line_count) {
        set(object, "ptx_line", json_count(sass->ptx_line), failed);
        set_name(object, "ptx", module->ptx_lines[sass->ptx_line - 1], failed);
    }
    if (!sass->control.present)
        return;
    snprintf(encoding, sizeof(encoding), "0x%016" PRIx64 "%016" PRIx64, sass->encoding[1], sass->encoding[0]);
    set(object, "encoding", json_name(encoding), failed);
    set(object, "control", json_control(&sass->control, failed), failed);
}

static json_t *json_insn(const struct isa_module *module, const struct isa_function *function,
                         const struct isa_insn *insn, bool *failed)
{
    json_t *object = json_object();
    struct base_strbuf text = {0};
    const char *file = NULL;
    uint32_t line = 0;
    isa_print_insn(module, function, insn, &text);
    *failed |= text.failed;
    set(object, "pc", json_count(insn->pc), failed);
    set_name(object, "text", text.data, failed);
    isa_insn_location(module, insn, &file, &line);
    set_name(object, "file", file, failed);
    set(object, "line", json_count(line), failed);
    if (insn->sass != NULL)
        set_machine(object, module, insn->sass, failed);
    base_strbuf_free(&text);
    return object;
}

static json_t *json_function(const struct isa_module *module, const struct isa_function *function, bool *failed)
{
    json_t *object = json_object(), *insns = json_array();
    set_name(object, "name", function->name, failed);
    set(object, "kernel", json_boolean(function->is_entry), failed);
    if (function->machine != NULL && function->machine->registers > 0)
        set(object, "registers_per_thread", json_count(function->machine->registers), failed);
    for (size_t i = 0; i < function->insn_count && !*failed; i++) {
        const struct isa_insn *insn = &function->insns[i];
        if ((isa_insn_flags(insn) & ISA_OPF_DERIVED) == 0 &&
            json_array_append_new(insns, json_insn(module, function, insn, failed)) != 0)
            *failed = true;
    }
    set(object, "instructions", insns, failed);
    return object;
}

void report_disasm_json(const struct report_disasm *disasm, const char *version, struct base_strbuf *out)
{
    const struct isa_module *module = disasm->module;
    json_t *object = json_object(), *functions = json_array();
    bool failed = false;
    set(object, "schema", json_count(REPORT_SCHEMA), &failed);
    set_name(object, "simtlab", version, &failed);
    set_name(object, "file", module->source.name, &failed);
    set(object, "form", json_name(module->form == ISA_FORM_SASS ? "sass" : "ptx"), &failed);
    set_name(object, "target", module->target, &failed);
    for (size_t f = 0; f < module->function_count && !failed; f++)
        if ((disasm->functions == NULL || disasm->functions[f]) && !module->functions[f].is_declaration &&
            json_array_append_new(functions, json_function(module, &module->functions[f], &failed)) != 0)
            failed = true;
    set(object, "functions", functions, &failed);
    json_finish(object, failed, out);
}
