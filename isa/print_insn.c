/* One instruction as PTX: guard, mnemonic with its words in PTX's order, operands by form. */
#include "isa/form.h"
#include "isa/matrix.h"
#include "isa/print.h"
#include "isa/video.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

struct printer {
    const struct isa_module *module;
    const struct isa_function *function;
    const struct isa_insn *insn;
    const struct isa_operand *operands;
    struct base_strbuf *out;
};

void isa_print_constant(struct base_strbuf *out, unsigned type, uint64_t bits)
{
    const unsigned width = isa_types[type].bits;
    const uint64_t mask = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    const uint64_t value = bits & mask;
    if (type == ISA_TYPE_PRED || isa_types[type].class == ISA_CLASS_UNSIGNED)
        base_strbuf_printf(out, "%" PRIu64, value);
    else if (type == ISA_TYPE_F32)
        base_strbuf_printf(out, "0f%08" PRIX32, (uint32_t)value);
    else if (type == ISA_TYPE_F64)
        base_strbuf_printf(out, "0d%016" PRIX64, value);
    else if (width > 0 && width <= 64 && value >> (width - 1))
        base_strbuf_printf(out, "-%" PRIu64, (mask - value) + 1);
    else
        base_strbuf_printf(out, "%" PRIu64, width ? value : bits);
}

void isa_print_address(struct base_strbuf *out, const char *name, bool generic, int64_t addend)
{
    base_strbuf_printf(out, generic ? "generic(%s)" : "%s", name);
    if (addend)
        base_strbuf_printf(out, "+%" PRId64, addend);
}

void isa_print_reg(const struct isa_function *function, uint32_t reg, struct base_strbuf *out)
{
    const struct isa_reg *r = &function->regs[reg];
    base_strbuf_puts(out, r->name);
    if (r->ordinal >= 0)
        base_strbuf_printf(out, "%" PRId32, r->ordinal);
}

/* The word of one of the opcode's groups that sets a member to a value. */
static const char *word_for(const struct isa_insn *insn, size_t field_offset, uint32_t value, uint64_t groups)
{
    const char *found = NULL;
    for (size_t i = 0; i < isa_modifier_count; i++) {
        const struct isa_modifier_info *info = &isa_modifiers[i];
        if (!(info->group & groups & isa_ops[insn->op].modifiers) || info->field_offset != field_offset ||
            info->value != value)
            continue;
        if (!found)
            found = info->word;
        else if (insn->op == ISA_OP_MEMBAR) /* .gl is what membar calls .gpu */
            return info->word;
    }
    return found;
}

static void print_field(struct printer *printer, size_t field_offset, uint64_t groups)
{
    const uint8_t value = ((const uint8_t *)&printer->insn->mods)[field_offset];
    const char *word = value ? word_for(printer->insn, field_offset, value, groups) : NULL;
    if (word)
        base_strbuf_printf(printer->out, ".%s", word);
}

static void print_flag(struct printer *printer, enum isa_flag flag)
{
    const char *word = NULL;
    if (printer->insn->mods.flags & (uint32_t)flag)
        word = word_for(printer->insn, offsetof(struct isa_mods, flags), (uint32_t)flag, ~UINT64_C(0));
    if (word)
        base_strbuf_printf(printer->out, ".%s", word);
}

#define FIELD(member, groups) print_field(printer, offsetof(struct isa_mods, member), groups)

static void print_memory_words(struct printer *printer)
{
    print_flag(printer, ISA_FLAG_MMIO);
    FIELD(sem, M_MEMORY);
    FIELD(scope, M_SCOPE);
    FIELD(space, M_SPACE);
}

/* Of the two L2 priorities that a policy has: hint3 holds a value of hint2. */
static void print_second_policy(struct printer *printer)
{
    const uint8_t value = printer->insn->mods.hint3;
    const char *word = value ? word_for(printer->insn, offsetof(struct isa_mods, hint2), value, M_POLICY) : NULL;
    if (word)
        base_strbuf_printf(printer->out, ".%s", word);
}

static void print_cache_words(struct printer *printer)
{
    FIELD(cache, M_CACHE);
    print_flag(printer, ISA_FLAG_NC);
    FIELD(hint, M_CACHE);
    FIELD(hint2, M_CACHE | M_POLICY);
    print_second_policy(printer);
    if (isa_form_policy_given(printer->insn, printer->operands))
        base_strbuf_puts(printer->out, ".L2::cache_hint");
    FIELD(prefetch, M_CACHE);
    FIELD(vec, M_VECTOR);
}

static void print_number_words(struct printer *printer)
{
    const struct isa_insn *insn = printer->insn;
    const bool narrow = insn->type == ISA_TYPE_E4M3X2 || insn->type == ISA_TYPE_E5M2X2;
    print_flag(printer, ISA_FLAG_APPROX);
    print_flag(printer, ISA_FLAG_FULL);
    FIELD(round, M_ROUND);
    print_flag(printer, ISA_FLAG_OOB);
    if (insn->op == ISA_OP_CVT) {
        print_flag(printer, narrow ? ISA_FLAG_SATFINITE : ISA_FLAG_RELU);
        print_flag(printer, narrow ? ISA_FLAG_RELU : ISA_FLAG_SATFINITE);
    }
    print_flag(printer, ISA_FLAG_FTZ);
    print_flag(printer, ISA_FLAG_SAT);
    if (insn->op != ISA_OP_CVT) {
        print_flag(printer, ISA_FLAG_SATFINITE);
        print_flag(printer, ISA_FLAG_RELU);
    }
    if (insn->op == ISA_OP_REDUX)
        print_flag(printer, ISA_FLAG_ABS);
    print_flag(printer, ISA_FLAG_NAN);
    print_flag(printer, ISA_FLAG_XORSIGN);
    if (insn->op != ISA_OP_REDUX)
        print_flag(printer, ISA_FLAG_ABS);
}

static void print_types(struct printer *printer)
{
    const struct isa_insn *insn = printer->insn;
    const uint8_t types[4] = {insn->type, insn->type2, insn->type3, insn->type4};
    for (unsigned i = 0; i < 4 && types[i] != ISA_TYPE_NONE; i++)
        base_strbuf_printf(printer->out, ".%s", isa_types[types[i]].name);
}

/* wmma names the layouts before the shape, the others behind it. */
static void print_matrix_words(struct printer *printer)
{
    static const char *const layouts[] = {"", ".row", ".col"};
    const struct isa_insn *insn = printer->insn;
    const bool shape_first = insn->op == ISA_OP_MMA;
    print_flag(printer, ISA_FLAG_SYNC);
    print_flag(printer, ISA_FLAG_ALIGNED);
    if (shape_first)
        FIELD(shape, M_SHAPE);
    base_strbuf_puts(printer->out, layouts[insn->mods.layout]);
    base_strbuf_puts(printer->out, layouts[insn->mods.layout2]);
    if (!shape_first)
        FIELD(shape, M_SHAPE);
    FIELD(vec, M_MATRIX);
    print_flag(printer, ISA_FLAG_TRANS);
    FIELD(space, M_SPACE);
    if (shape_first)
        print_flag(printer, ISA_FLAG_SATFINITE);
    print_types(printer);
    if (!shape_first)
        print_flag(printer, ISA_FLAG_SATFINITE);
}

/* Video instructions name their types first. */
static void print_video_words(struct printer *printer)
{
    print_types(printer);
    FIELD(cmp, M_CMP);
    print_flag(printer, ISA_FLAG_PO);
    print_flag(printer, ISA_FLAG_SAT);
    FIELD(mode2, M_WRAP);
    FIELD(mode, M_SECOND | M_SCALE);
}

static void print_mnemonic(struct printer *printer)
{
    const struct isa_insn *insn = printer->insn;
    base_strbuf_puts(printer->out, isa_ops[insn->op].mnemonic);
    if (insn->mods.shape != ISA_SHAPE_NONE) {
        print_matrix_words(printer);
        return;
    }
    if (isa_video_lanes(insn->op) != 0) {
        print_video_words(printer);
        return;
    }
    print_flag(printer, ISA_FLAG_TO);
    print_flag(printer, ISA_FLAG_SYNC);
    print_memory_words(printer);
    print_flag(printer, ISA_FLAG_MULTICAST);
    if (insn->op == ISA_OP_BULK_REDUCE_GLOBAL) /* its cache words stand before the operation */
        print_cache_words(printer);
    if (insn->op != ISA_OP_PRMT)
        FIELD(mode, ~UINT64_C(0));
    FIELD(mode2, ~UINT64_C(0));
    print_flag(printer, ISA_FLAG_NOFTZ);
    FIELD(cmp, M_CMP);
    FIELD(boolop, M_BOOL);
    print_flag(printer, ISA_FLAG_SHIFTAMT);
    print_number_words(printer);
    print_flag(printer, ISA_FLAG_UNI);
    print_flag(printer, ISA_FLAG_CC);
    if (insn->op != ISA_OP_BULK_REDUCE_GLOBAL)
        print_cache_words(printer);
    print_flag(printer, ISA_FLAG_ALIGNED);
    print_types(printer);
    if (insn->op == ISA_OP_PRMT)
        FIELD(mode, ~UINT64_C(0));
}

static void print_memory(struct printer *printer, const struct isa_operand *operand)
{
    base_strbuf_putc(printer->out, '[');
    if (operand->base_kind == ISA_OPERAND_REG) {
        isa_print_reg(printer->function, operand->ref, printer->out);
        if (operand->imm)
            base_strbuf_printf(printer->out, "+%" PRId64, operand->imm);
    } else if (operand->base_kind == ISA_OPERAND_SYMBOL) {
        isa_print_address(printer->out, printer->module->vars[operand->ref].name, false, operand->imm);
    } else {
        base_strbuf_printf(printer->out, "%" PRId64, operand->imm);
    }
    base_strbuf_putc(printer->out, ']');
}

/* Labels of derived instructions need not exist in the text: then the place is told by its number. */
static void print_label(struct printer *printer, const struct isa_operand *operand)
{
    const struct isa_function *function = printer->function;
    if (operand->aux < function->label_count && function->labels[operand->aux].insn == operand->ref)
        base_strbuf_puts(printer->out, function->labels[operand->aux].name);
    else if (operand->ref < function->insn_count)
        base_strbuf_printf(printer->out, "#%" PRIu32, function->insns[operand->ref].pc);
}

static void print_operand(struct printer *printer, const struct isa_operand *operand, unsigned type)
{
    struct base_strbuf *out = printer->out;
    if (operand->negated)
        base_strbuf_putc(out, type == ISA_TYPE_PRED ? '!' : '-');
    switch (operand->kind) {
    case ISA_OPERAND_REG:
        isa_print_reg(printer->function, operand->ref, out);
        break;
    case ISA_OPERAND_IMM:
        isa_print_constant(out, type, (uint64_t)operand->imm);
        break;
    case ISA_OPERAND_SREG:
        base_strbuf_puts(out, isa_sregs[operand->ref].name);
        break;
    case ISA_OPERAND_SYMBOL:
        isa_print_address(out, printer->module->vars[operand->ref].name, operand->generic, operand->imm);
        break;
    case ISA_OPERAND_FUNC:
        isa_print_address(out, printer->module->functions[operand->ref].name, operand->generic, operand->imm);
        break;
    case ISA_OPERAND_LABEL:
        print_label(printer, operand);
        break;
    case ISA_OPERAND_TABLE:
        base_strbuf_puts(out, printer->function->tables[operand->ref].name);
        break;
    case ISA_OPERAND_MEM:
        print_memory(printer, operand);
        break;
    case ISA_OPERAND_SINK:
        base_strbuf_putc(out, '_');
        break;
    default:
        break;
    }
}

static void print_list(struct printer *printer, unsigned first, unsigned count, unsigned type, const char *open,
                       const char *close)
{
    base_strbuf_puts(printer->out, open);
    for (unsigned i = 0; i < count; i++) {
        base_strbuf_puts(printer->out, i ? ", " : "");
        print_operand(printer, &printer->operands[first + i], type);
    }
    base_strbuf_puts(printer->out, close);
}

static void print_mov(struct printer *printer)
{
    const struct isa_insn *insn = printer->insn;
    const unsigned dst = insn->dst_count;
    const unsigned sources = insn->operand_count - dst;
    if (printer->operands[0].group)
        print_list(printer, 0, dst, insn->type, "{", "}");
    else
        print_operand(printer, &printer->operands[0], insn->type);
    base_strbuf_puts(printer->out, ", ");
    if (sources > 1)
        print_list(printer, dst, sources, ISA_TYPE_U64, "{", "}");
    else
        print_operand(printer, &printer->operands[dst], insn->type);
}

static void print_call(struct printer *printer)
{
    const struct isa_insn *insn = printer->insn;
    const unsigned rets = insn->dst_count;
    const struct isa_operand *callee = &printer->operands[rets];
    const bool table = printer->operands[insn->operand_count - 1].kind == ISA_OPERAND_TABLE;
    const unsigned args = insn->operand_count - rets - 1U - table;
    if (rets)
        print_list(printer, 0, rets, ISA_TYPE_B64, "(", "), ");
    print_operand(printer, callee, ISA_TYPE_B64);
    for (unsigned i = 0; i < args; i++) {
        unsigned type = ISA_TYPE_B64;
        if (callee->kind == ISA_OPERAND_FUNC && i < printer->module->functions[callee->ref].param_count)
            type = printer->module->vars[printer->module->functions[callee->ref].params[i]].type;
        base_strbuf_puts(printer->out, i ? ", " : ", (");
        print_operand(printer, &printer->operands[rets + 1 + i], type);
    }
    base_strbuf_puts(printer->out, args ? ")" : "");
    if (table) {
        base_strbuf_puts(printer->out, ", ");
        print_operand(printer, &printer->operands[insn->operand_count - 1], ISA_TYPE_B64);
    }
}

/* The operands of one letter, from *index on. */
static void print_letter(struct printer *printer, char letter, unsigned type, unsigned *index)
{
    const struct isa_insn *insn = printer->insn;
    const unsigned vec = insn->mods.vec > 1 ? insn->mods.vec : 1;
    if (letter == 'V' && insn->op == ISA_OP_MOV_V4 && printer->operands[*index].kind == ISA_OPERAND_SREG) {
        const char *name = isa_sregs[printer->operands[*index].ref].name; /* of "%tid", "%tid.x" */
        base_strbuf_append(printer->out, name, strlen(name) - 2);
        *index += vec;
        return;
    }
    if ((letter == 'v' || letter == 'V') && vec > 1) {
        print_list(printer, *index, vec, type, "{", "}");
        *index += vec;
        return;
    }
    if (strchr("FABC", letter)) {
        const unsigned count = isa_matrix_fragment(insn, letter).count;
        print_list(printer, *index, count, type, "{", "}");
        *index += count;
        return;
    }
    print_operand(printer, &printer->operands[*index], type);
    isa_video_print(insn->op, letter == 'X', printer->operands[(*index)++].select, printer->out);
    if ((letter == 'p' || letter == 'q') && insn->dst_count == 2) {
        base_strbuf_putc(printer->out, '|');
        print_operand(printer, &printer->operands[(*index)++], ISA_TYPE_PRED);
    }
}

static void print_form(struct printer *printer)
{
    const struct isa_insn *insn = printer->insn;
    const struct isa_op_info *op = &isa_ops[insn->op];
    const struct isa_operand_form form = isa_form_parse(op->form);
    unsigned index = 0;
    bool first = true;
    for (unsigned i = 0; i < form.count && index < insn->operand_count; i++) {
        if (printer->operands[index].kind == ISA_OPERAND_NONE) {
            index++;
            continue;
        }
        const bool policy = i + 1 == form.count && isa_form_has_policy(op);
        base_strbuf_puts(printer->out, first ? "" : ", ");
        print_letter(printer, form.letters[i], policy ? ISA_TYPE_B64 : isa_form_type(insn, form.letters[i]), &index);
        first = false;
    }
}

void isa_print_insn(const struct isa_module *module, const struct isa_function *function, const struct isa_insn *insn,
                    struct base_strbuf *out)
{
    if (insn->sass != NULL) {
        base_strbuf_puts(out, insn->text);
        base_strbuf_puts(out, " ;");
        return;
    }
    struct printer printer = {.module = module,
                              .function = function,
                              .insn = insn,
                              .operands = function->operands + insn->operand_first,
                              .out = out};
    if (insn->guard >= 0) {
        base_strbuf_puts(out, insn->guard_negated ? "@!" : "@");
        isa_print_reg(function, (uint32_t)insn->guard, out);
        base_strbuf_putc(out, ' ');
    }
    if (insn->op == ISA_OP_UNSUPPORTED) {
        base_strbuf_puts(out, insn->text);
    } else {
        print_mnemonic(&printer);
        base_strbuf_puts(out, insn->operand_count ? " " : "");
        const char form = isa_ops[insn->op].form[0];
        if (form == 'M')
            print_mov(&printer);
        else if (form == 'c')
            print_call(&printer);
        else
            print_form(&printer);
    }
    base_strbuf_putc(out, ';');
}
