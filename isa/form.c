/* The form letters of opcode.def. */
#include "isa/form.h"

#include "isa/matrix.h"

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
    case 'X':
    case 'x':
    case 'N':
    case 'i':
    case 'y':
        return ISA_TYPE_B32;
    case 'f':
        return ISA_TYPE_F32;
    case 'b':
        return insn->type2 != ISA_TYPE_NONE ? (enum isa_type)insn->type2 : type;
    case 'H':
        return ISA_TYPE_B16;
    case 'h':
        return isa_types[type].bits == 16 ? ISA_TYPE_B16 : ISA_TYPE_B32;
    case 'p':
    case 'z':
        return ISA_TYPE_PRED;
    case 'F':
    case 'A':
    case 'B':
    case 'C':
        return isa_matrix_fragment(insn, letter).type;
    default:
        return type;
    }
}

unsigned isa_form_elements(unsigned op)
{
    return op == ISA_OP_MOV_V2 ? 2 : op == ISA_OP_MOV_V4 ? 4 : 0;
}

bool isa_form_is_destination(char letter)
{
    return letter && strchr("dwDpqvX", letter) != NULL;
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

/* Operands that a letter stands for. */
static unsigned letter_count(const struct isa_insn *insn, char letter)
{
    if (letter == 'v' || letter == 'V')
        return insn->mods.vec > 1 ? insn->mods.vec : 1;
    if (strchr("FABC", letter))
        return isa_matrix_fragment(insn, letter).count;
    return letter == 'p' || letter == 'q' ? insn->dst_count : 1;
}

unsigned isa_form_given(const struct isa_insn *insn, const struct isa_operand *operands)
{
    const struct isa_operand_form form = isa_form_parse(isa_ops[insn->op].form);
    unsigned given = 0, optional = 0, index = 0;
    for (unsigned i = 0; i < form.count; i++) {
        const bool there = index < insn->operand_count && operands[index].kind != ISA_OPERAND_NONE;
        if (form.optional[i])
            given |= (unsigned)there << optional++;
        index += there ? letter_count(insn, form.letters[i]) : index < insn->operand_count;
    }
    return given;
}

bool isa_form_has_policy(const struct isa_op_info *op)
{
    return (op->modifiers & M_CACHE) != 0 && strstr(op->form, "s?") != NULL;
}

bool isa_form_policy_given(const struct isa_insn *insn, const struct isa_operand *operands)
{
    const struct isa_operand_form form = isa_form_parse(isa_ops[insn->op].form);
    const unsigned last = form.count - form.required - 1U;
    return isa_form_has_policy(&isa_ops[insn->op]) && (isa_form_given(insn, operands) >> last & 1);
}
