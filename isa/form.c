/* The form letters of opcode.def. */
#include "isa/form.h"

#include <string.h>

static enum isa_type widened(enum isa_type type)
{
    switch (type) {
    case ISA_TYPE_U16:
        return ISA_TYPE_U32;
    case ISA_TYPE_S16:
        return ISA_TYPE_S32;
    case ISA_TYPE_U32:
        return ISA_TYPE_U64;
    case ISA_TYPE_S32:
        return ISA_TYPE_S64;
    default:
        return type;
    }
}

static bool is_wide(const struct isa_insn *insn)
{
    return (isa_ops[insn->op].modifiers & M_PART) && insn->mods.mode == ISA_PART_WIDE;
}

enum isa_type isa_form_type(const struct isa_insn *insn, char letter)
{
    const enum isa_type type = insn->type;
    switch (letter) {
    case 'w':
    case 'W':
        return is_wide(insn) ? widened(type) : type;
    case 'D':
    case 'q':
    case 's':
    case 'i':
        return ISA_TYPE_B32;
    case 'b':
        return insn->type2 != ISA_TYPE_NONE ? (enum isa_type)insn->type2 : type;
    case 'h':
        return isa_types[type].bits == 16 ? ISA_TYPE_B16 : ISA_TYPE_B32;
    case 'p':
    case 'z':
        return ISA_TYPE_PRED;
    default:
        return type;
    }
}

struct isa_operand_form isa_form_parse(const char *form)
{
    struct isa_operand_form parsed = {0};
    for (const char *c = form; *c && parsed.count < sizeof parsed.letters; c++) {
        parsed.letters[parsed.count] = *c;
        parsed.optional[parsed.count] = c[1] == '?';
        parsed.required += c[1] != '?';
        parsed.count++;
        c += c[1] == '?';
    }
    return parsed;
}

bool isa_form_has_policy(const struct isa_op_info *op)
{
    return (op->modifiers & M_CACHE) != 0 && strstr(op->form, "s?") != NULL;
}
