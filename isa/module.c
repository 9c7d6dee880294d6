/* What holds for a module as a whole: its end, and where its instructions come from. */
#include "isa/sass/sass.h"

#include <stdlib.h>

void isa_module_free(struct isa_module *module)
{
    if (!module)
        return;
    base_arena_free(&module->arena);
    free(module);
}

uint32_t isa_insn_flags(const struct isa_insn *insn)
{
    return insn->sass != NULL ? isa_sass_ops[insn->sass->op].flags : isa_ops[insn->op].flags;
}

uint8_t isa_insn_unit(const struct isa_insn *insn)
{
    return insn->sass != NULL ? isa_sass_ops[insn->sass->op].unit : isa_ops[insn->op].unit;
}

void isa_insn_location(const struct isa_module *module, const struct isa_insn *insn, const char **file, uint32_t *line)
{
    *file = module->source.name;
    *line = insn->line;
    if (insn->loc_line == 0)
        return;
    for (size_t i = 0; i < module->file_count; i++) {
        if (module->files[i].key == insn->loc_file) {
            *file = module->files[i].name;
            *line = insn->loc_line;
            return;
        }
    }
}
