/* Reading the variants of the H200's record: what their texts presuppose, and which of them this version computes. */
#include "tests/ops_record.h"

#include <stdio.h>
#include <string.h>

static const char registers[] = ".reg .pred %q, %r, %o, %p; .reg .b16 %a16, %b16, %c16, %d16, %e16; "
                                ".reg .b32 %a32, %b32, %c32, %d32, %e32, %s; "
                                ".reg .b64 %a64, %b64, %c64, %d64, %e64, %g, %x, %y;";

struct isa_module *ops_record_module(const char *variant)
{
    char text[1600];
    snprintf(text, sizeof text,
             ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n%s\n%s\nret;\n}\n", registers,
             variant);
    struct isa_module *module = NULL;
    struct base_diags diags = {0};
    if (isa_ptx_read("variant.ptx", text, strlen(text), &module, &diags) != BASE_OK)
        module = NULL;
    base_diags_free(&diags);
    return module;
}

bool ops_record_is_atomic(const struct isa_insn *insn)
{
    return insn->op == ISA_OP_ATOM || insn->op == ISA_OP_RED;
}

bool ops_record_is_covered(const struct isa_function *f, enum sim_level level)
{
    for (size_t i = 0; i < f->insn_count; i++) {
        const struct isa_insn *insn = &f->insns[i];
        if (insn->op == ISA_OP_RET || insn->op == ISA_OP_EXIT)
            continue;
        if (insn->op == ISA_OP_UNSUPPORTED ||
            (ops_record_is_atomic(insn) ? !sim_atom_supported(insn->mods.mode, insn->type)
                                        : sim_exec_find(insn, level) == NULL))
            return false;
    }
    return true;
}
