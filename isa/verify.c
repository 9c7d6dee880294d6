/* isa_verify(): does every instruction have the shape that its row of opcode.def asks for?
 *
 * check_insn() walks the row's form letters along the operands. Later passes and the engine trust what is checked here:
 * indices in range, operand kinds and counts, register widths, and modifiers without which an operation means nothing.
 */
#include "isa/form.h"
#include "isa/legal.h"
#include "isa/matrix.h"
#include "isa/video.h"

#include <string.h>

struct context {
    const struct isa_module *module;
    const struct isa_function *function;
    const struct isa_insn *insn;
    const struct isa_operand *operands;
    struct base_diags *diags;
    size_t errors;
};

static bool error(struct context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool error(struct context *context, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    context->errors++;
    base_diag_vadd(context->diags, BASE_ERROR, &context->module->source, context->insn->offset, context->insn->length,
                   format, args);
    va_end(args);
    return false;
}

static const char *mnemonic(const struct context *context)
{
    return isa_ops[context->insn->op].mnemonic;
}

static bool is_float_class(unsigned type)
{
    return isa_types[type].class == ISA_CLASS_FLOAT;
}

static bool is_integer_class(unsigned type)
{
    return isa_types[type].class == ISA_CLASS_SIGNED || isa_types[type].class == ISA_CLASS_UNSIGNED;
}

/* ld, st and cvt take integer registers that are wider than the type. */
static bool takes_wider(const struct context *context, unsigned type)
{
    const unsigned op = context->insn->op;
    const bool relaxed = op == ISA_OP_LD || op == ISA_OP_LDU || op == ISA_OP_ST || op == ISA_OP_CVT;
    return relaxed && !is_float_class(type) && isa_types[type].class != ISA_CLASS_PACKED;
}

static bool check_register(struct context *context, unsigned number, uint32_t ref, unsigned type)
{
    const struct isa_reg *reg = &context->function->regs[ref];
    const unsigned have = isa_types[reg->type].bits;
    unsigned want = isa_types[type].bits;
    if (type == ISA_TYPE_NONE)
        want = have == 32 ? 32 : 64;
    if ((reg->type == ISA_TYPE_PRED) != (type == ISA_TYPE_PRED))
        return error(context, "operand %u of %s must %sbe a predicate", number, mnemonic(context),
                     type == ISA_TYPE_PRED ? "" : "not ");
    if (have != want && !(have > want && takes_wider(context, type)))
        return error(context, "operand %u of %s must have %u bits, its register has %u", number, mnemonic(context),
                     want, have);
    if ((is_integer_class(type) && is_float_class(reg->type)) || (is_float_class(type) && is_integer_class(reg->type)))
        return error(context, "operand %u of %s must be .%s, its register is .%s", number, mnemonic(context),
                     isa_types[type].name, isa_types[reg->type].name);
    return true;
}

/* Operand `number` counts from 1 in messages. */
static bool check_destination(struct context *context, unsigned index, unsigned type, bool sink_allowed)
{
    const struct isa_operand *operand = &context->operands[index];
    if (operand->kind == ISA_OPERAND_SINK && sink_allowed)
        return true;
    if (operand->kind != ISA_OPERAND_REG)
        return error(context, "operand %u of %s must be a register", index + 1, mnemonic(context));
    return check_register(context, index + 1, operand->ref, type);
}

static bool takes_address(const struct context *context)
{
    switch (context->insn->op) {
    case ISA_OP_MOV:
    case ISA_OP_CVTA:
    case ISA_OP_MAPA:
    case ISA_OP_GETCTARANK:
    case ISA_OP_ISSPACEP:
        return true;
    default:
        return false;
    }
}

/* Special registers that grew, of which old programs read the low part. */
static bool reads_low_part(uint32_t sreg)
{
    return sreg <= ISA_SREG_NCTAID_Z || sreg == ISA_SREG_GRIDID;
}

static bool check_source(struct context *context, unsigned index, unsigned type)
{
    const struct isa_operand *operand = &context->operands[index];
    const unsigned op = context->insn->op;
    switch (operand->kind) {
    case ISA_OPERAND_REG:
        return check_register(context, index + 1, operand->ref, type);
    case ISA_OPERAND_IMM:
        return true;
    case ISA_OPERAND_SREG:
        if (op != ISA_OP_MOV && op != ISA_OP_CVT && op != ISA_OP_MOV_V2 && op != ISA_OP_MOV_V4)
            return error(context, "only mov and cvt read special registers");
        if (isa_types[isa_sregs[operand->ref].type].bits != isa_types[type].bits &&
            !(isa_types[isa_sregs[operand->ref].type].bits > isa_types[type].bits && reads_low_part(operand->ref)))
            return error(context, "%s has %u bits", isa_sregs[operand->ref].name,
                         isa_types[isa_sregs[operand->ref].type].bits);
        return true;
    case ISA_OPERAND_SYMBOL:
    case ISA_OPERAND_FUNC:
        if (!takes_address(context))
            return error(context, "operand %u of %s must be a register or a constant", index + 1, mnemonic(context));
        if (type != ISA_TYPE_NONE && (isa_types[type].bits < 32 || is_float_class(type)))
            return error(context, "an address does not fit .%s", isa_types[type].name);
        return true;
    default:
        return error(context, "operand %u of %s must be a register or a constant", index + 1, mnemonic(context));
    }
}

static bool check_memory(struct context *context, unsigned index)
{
    const struct isa_operand *operand = &context->operands[index];
    if (operand->kind != ISA_OPERAND_MEM)
        return error(context, "operand %u of %s must be an address in brackets", index + 1, mnemonic(context));
    if (operand->base_kind == ISA_OPERAND_REG)
        return check_register(context, index + 1, operand->ref, ISA_TYPE_NONE);
    if (operand->base_kind != ISA_OPERAND_SYMBOL || !(isa_ops[context->insn->op].modifiers & M_SPACE))
        return true;
    const unsigned have = context->module->vars[operand->ref].space;
    unsigned want = context->insn->mods.space;
    if (want == ISA_SPACE_SHARED_CLUSTER)
        want = ISA_SPACE_SHARED;
    if (want != ISA_SPACE_GENERIC && want != have)
        return error(context, "'%s' lies in another state space", context->module->vars[operand->ref].name);
    return true;
}

static bool check_predicate(struct context *context, unsigned index)
{
    const struct isa_operand *operand = &context->operands[index];
    if (operand->kind != ISA_OPERAND_REG)
        return error(context, "operand %u of %s must be a predicate", index + 1, mnemonic(context));
    return check_register(context, index + 1, operand->ref, ISA_TYPE_PRED);
}

static bool check_vector(struct context *context, unsigned *index, bool writes)
{
    const struct isa_insn *insn = context->insn;
    const unsigned count = insn->mods.vec > 1 ? insn->mods.vec : 1;
    if (*index + count > insn->operand_count)
        return error(context, "%s has too few operands", mnemonic(context));
    for (unsigned i = 0; i < count; i++, ++*index) {
        const bool sink = count > 1 || insn->op == ISA_OP_ATOM;
        const bool good =
            writes ? check_destination(context, *index, insn->type, sink) : check_source(context, *index, insn->type);
        if (!good)
            return false;
    }
    return true;
}

static bool check_fragment(struct context *context, unsigned *index, char letter)
{
    const struct isa_fragment fragment = isa_matrix_fragment(context->insn, letter);
    if (*index + fragment.count > context->insn->operand_count)
        return error(context, "%s has too few operands", mnemonic(context));
    for (unsigned i = 0; i < fragment.count; i++, ++*index) {
        const bool good = letter == 'F' ? check_destination(context, *index, fragment.type, false)
                                        : check_source(context, *index, fragment.type);
        if (!good)
            return false;
        if (context->operands[*index].kind != ISA_OPERAND_REG)
            return error(context, "operand %u of %s must be a register", *index + 1, mnemonic(context));
    }
    return true;
}

/* "d" or, where the operation has it, "d|p". */
static bool check_pair(struct context *context, unsigned *index, char letter)
{
    const struct isa_insn *insn = context->insn;
    const bool may_pair = letter == 'q' || insn->op == ISA_OP_SETP;
    if (insn->dst_count > 2 || (insn->dst_count == 2 && !may_pair) || *index + insn->dst_count > insn->operand_count)
        return error(context, "%s does not have that many destinations", mnemonic(context));
    const bool two = insn->dst_count == 2;
    if (!check_destination(context, (*index)++, isa_form_type(insn, letter), two))
        return false;
    return !two || check_destination(context, (*index)++, ISA_TYPE_PRED, true);
}

/* Arrivals whose state is not wanted. */
static bool takes_sink(unsigned op)
{
    return op >= ISA_OP_MBARRIER_ARRIVE && op <= ISA_OP_MBARRIER_DROP_NOCOMPLETE;
}

static bool check_letter(struct context *context, char letter, unsigned *index)
{
    const struct isa_insn *insn = context->insn;
    const struct isa_operand *operand = &context->operands[*index];
    switch (letter) {
    case 'd':
    case 'w':
    case 'X':
    case 'D':
        return check_destination(context, (*index)++, isa_form_type(insn, letter), takes_sink(insn->op));
    case 'p':
    case 'q':
        return check_pair(context, index, letter);
    case 'v':
    case 'V':
        return check_vector(context, index, letter == 'v');
    case 'F':
    case 'A':
    case 'B':
    case 'C':
        return check_fragment(context, index, letter);
    case 'y':
        if (operand->kind == ISA_OPERAND_REG && context->function->regs[operand->ref].type == ISA_TYPE_PRED)
            return check_predicate(context, (*index)++);
        return check_source(context, (*index)++, ISA_TYPE_B32);
    case 'z':
        return check_predicate(context, (*index)++);
    case 'm':
        return check_memory(context, (*index)++);
    case 'i':
        ++*index;
        return operand->kind == ISA_OPERAND_IMM || error(context, "operand %u must be a constant", *index);
    case 'l':
        ++*index;
        return operand->kind == ISA_OPERAND_LABEL || error(context, "operand %u must be a label", *index);
    case 't':
        ++*index;
        return (operand->kind == ISA_OPERAND_TABLE &&
                context->function->tables[operand->ref].kind == ISA_TABLE_BRANCH) ||
               error(context, "operand %u must be a .branchtargets table", *index);
    default:
        return check_source(context, (*index)++, isa_form_type(insn, letter));
    }
}

static bool check_form(struct context *context)
{
    const struct isa_insn *insn = context->insn;
    const struct isa_op_info *op = &isa_ops[insn->op];
    const struct isa_operand_form form = isa_form_parse(op->form);
    unsigned index = 0;
    for (unsigned i = 0; i < form.count; i++) {
        const bool absent = index >= insn->operand_count || context->operands[index].kind == ISA_OPERAND_NONE;
        if (form.optional[i] && absent) {
            index += index < insn->operand_count;
            continue;
        }
        if (index >= insn->operand_count)
            return error(context, "%s has too few operands", op->mnemonic);
        const bool policy = i + 1 == form.count && isa_form_has_policy(op);
        if (policy ? !check_source(context, index++, ISA_TYPE_B64) : !check_letter(context, form.letters[i], &index))
            return false;
    }
    return index == insn->operand_count || error(context, "%s has too many operands", op->mnemonic);
}

/* Elements of a mov's vector: 2 or 4 of equal width. */
static bool check_mov_elements(struct context *context, unsigned first, unsigned count, bool writes)
{
    const struct isa_insn *insn = context->insn;
    const unsigned bits = isa_types[insn->type].bits;
    if ((count != 2 && count != 4) || bits / count < 8)
        return error(context, "a vector in mov has 2 or 4 elements of 8 bits or more");
    for (unsigned i = first; i < first + count; i++) {
        const struct isa_operand *operand = &context->operands[i];
        if ((operand->kind == ISA_OPERAND_SINK && writes) || (operand->kind == ISA_OPERAND_IMM && !writes))
            continue;
        if (operand->kind != ISA_OPERAND_REG)
            return error(context, "element %u of the vector must be a register", i - first + 1);
        const struct isa_reg *reg = &context->function->regs[operand->ref];
        if (isa_types[reg->type].bits != bits / count)
            return error(context, "element %u of the vector must have %u bits, its register has %u", i - first + 1,
                         bits / count, isa_types[reg->type].bits);
    }
    return true;
}

static bool check_mov(struct context *context)
{
    const struct isa_insn *insn = context->insn;
    const unsigned count = insn->operand_count;
    const unsigned dst = insn->dst_count;
    if (dst == 0 || count <= dst)
        return error(context, "mov takes 2 operands");
    if (context->operands[0].group) {
        if (count != dst + 1U || context->operands[0].group != dst)
            return error(context, "mov has one vector at most");
        return check_mov_elements(context, 0, dst, true) && check_source(context, dst, insn->type);
    }
    if (dst != 1 || !check_destination(context, 0, insn->type, false))
        return dst == 1 ? false : error(context, "mov has one destination");
    if (context->operands[1].group)
        return count == 1U + context->operands[1].group && check_mov_elements(context, 1, count - 1, false);
    return count == 2 ? check_source(context, 1, insn->type) : error(context, "mov takes 2 operands");
}

/* One actual argument or return value against its formal parameter (NULL: not known). */
static bool check_argument(struct context *context, unsigned index, const struct isa_var *formal, bool returns)
{
    const struct isa_operand *operand = &context->operands[index];
    uint64_t bytes = formal ? formal->size_bytes : 0;
    switch (operand->kind) {
    case ISA_OPERAND_SYMBOL:
        if (context->module->vars[operand->ref].space != ISA_SPACE_PARAM || operand->imm || operand->generic)
            return error(context, "a call passes .param variables, registers and constants");
        bytes = context->module->vars[operand->ref].size_bytes;
        break;
    case ISA_OPERAND_REG:
        bytes = isa_types[context->function->regs[operand->ref].type].bits / 8U;
        if (bytes == 0)
            return error(context, "a call does not pass predicates");
        break;
    case ISA_OPERAND_IMM:
        if (!returns)
            break;
        return error(context, "a constant takes no return value");
    default:
        return error(context, "a call passes .param variables, registers and constants");
    }
    if (formal && bytes != formal->size_bytes)
        return error(context, "'%s' has %llu bytes, %llu are passed", formal->name,
                     (unsigned long long)formal->size_bytes, (unsigned long long)bytes);
    return true;
}

static bool check_call(struct context *context)
{
    const struct isa_insn *insn = context->insn;
    const unsigned rets = insn->dst_count;
    if (rets >= insn->operand_count)
        return error(context, "call has no callee");
    const struct isa_operand *callee = &context->operands[rets];
    const struct isa_function *function = NULL;
    unsigned end = insn->operand_count;
    if (callee->kind == ISA_OPERAND_FUNC)
        function = &context->module->functions[callee->ref];
    else if (callee->kind != ISA_OPERAND_REG || !check_register(context, rets + 1, callee->ref, ISA_TYPE_NONE))
        return callee->kind == ISA_OPERAND_REG ? false : error(context, "call has no callee");
    const struct isa_operand *last = &context->operands[end - 1];
    if (last->kind == ISA_OPERAND_TABLE) {
        end--;
        if (context->function->tables[last->ref].kind == ISA_TABLE_BRANCH)
            return error(context, "a call needs a prototype or a list of call targets");
    } else if (!function) {
        return error(context, "a call through a register needs a prototype or a list of call targets");
    }
    const unsigned args = end - rets - 1;
    if (function && function->is_entry)
        return error(context, "'%s' is a kernel: it cannot be called", function->name);
    if (function && (args != function->param_count || rets != function->ret_count))
        return error(context, "'%s' takes %zu and returns %zu values; the call has %u and %u", function->name,
                     function->param_count, function->ret_count, args, rets);
    for (unsigned i = 0; i < rets; i++)
        if (!check_argument(context, i, function ? &context->module->vars[function->rets[i]] : NULL, true))
            return false;
    for (unsigned i = 0; i < args; i++)
        if (!check_argument(context, rets + 1 + i, function ? &context->module->vars[function->params[i]] : NULL,
                            false))
            return false;
    return true;
}

/* The combination of types and words, by legal.def. */
static bool check_legal(struct context *context)
{
    unsigned distance = 0;
    const struct isa_legal *nearest = isa_legal_find(context->insn, context->operands, &distance);
    struct base_strbuf why = {0};
    if (distance == 0)
        return true;
    isa_legal_explain(nearest, context->insn, context->operands, &why);
    error(context, "%s", why.data ? why.data : mnemonic(context));
    base_strbuf_free(&why);
    return false;
}

/* Three sources: a secondary operation, or a part of the destination, the rest of which is the third. */
static bool check_video(struct context *context)
{
    const int uses = (context->insn->mods.mode != ISA_SECOND_NONE) + (context->operands[0].select != 0);
    if (uses != (context->insn->operand_count == 4))
        return error(context, "%s takes a third source with .add, .min, .max or with a part of its destination",
                     mnemonic(context));
    return true;
}

/* A special register in a vector: all four of "%tid", in order, the last a zero. */
static bool check_vector_move(struct context *context)
{
    const struct isa_operand *source = context->operands + context->insn->dst_count;
    const unsigned count = context->insn->dst_count;
    bool special = false, whole = count == 4 && source[3].kind == ISA_OPERAND_IMM && source[3].imm == 0;
    for (unsigned i = 0; i < count; i++)
        special |= source[i].kind == ISA_OPERAND_SREG;
    for (unsigned i = 0; special && whole && i < 3; i++) {
        const char *name = source[i].kind == ISA_OPERAND_SREG ? isa_sregs[source[i].ref].name : "";
        const char *dot = strchr(name, '.');
        whole = dot && dot[1] == "xyz"[i] && dot[2] == '\0' && source[i].ref == source[0].ref + i;
    }
    return !special || whole || error(context, "a special register stands alone");
}

/* Constants that the PTX ISA limits and whose values change no result here. */
static bool check_constant(struct context *context)
{
    static const struct {
        enum isa_op op;
        int64_t least, most, multiple;
    } limits[] = {{ISA_OP_SETMAXNREG_INC, 24, 256, 8},
                  {ISA_OP_SETMAXNREG_DEC, 24, 256, 8},
                  {ISA_OP_PMEVENT, 0, 15, 1},
                  {ISA_OP_PMEVENT_MASK, 0, 65535, 1}};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        const int64_t value = context->operands[0].imm;
        if (context->insn->op != limits[i].op ||
            (value >= limits[i].least && value <= limits[i].most && value % limits[i].multiple == 0))
            continue;
        return error(context, "%s takes a constant from %d to %d%s", mnemonic(context), (int)limits[i].least,
                     (int)limits[i].most, limits[i].multiple == 8 ? ", a multiple of 8" : "");
    }
    return true;
}

/* Those of cache policies, where they are constants: registers are only known when it runs. */
static bool check_policy(struct context *context)
{
    const struct isa_insn *insn = context->insn;
    const struct isa_operand *sources = context->operands + insn->dst_count;
    if (insn->op == ISA_OP_POLICY_FRACTION && insn->operand_count > insn->dst_count &&
        sources[0].kind == ISA_OPERAND_IMM) {
        const uint32_t bits = (uint32_t)sources[0].imm;
        float fraction;
        memcpy(&fraction, &bits, sizeof(fraction));
        if (!(fraction > 0.0F && fraction <= 1.0F))
            return error(context, "the fraction of %s is above 0 and at most 1", mnemonic(context));
    }
    if (insn->op == ISA_OP_POLICY_RANGE && sources[1].kind == ISA_OPERAND_IMM && sources[2].kind == ISA_OPERAND_IMM &&
        (uint32_t)sources[1].imm > (uint32_t)sources[2].imm)
        return error(context, "the first size of %s is at most the second", mnemonic(context));
    return true;
}

static bool check_special(struct context *context)
{
    const struct isa_insn *insn = context->insn;
    if (!check_constant(context) || !check_policy(context))
        return false;
    if (insn->op == ISA_OP_LOP3 && (context->operands[insn->dst_count + 3U].imm & ~INT64_C(255)))
        return error(context, "the table of lop3 is a constant from 0 to 255");
    if (insn->op == ISA_OP_CP_ASYNC_CA || insn->op == ISA_OP_CP_ASYNC_CG) {
        const int64_t size = context->operands[2].imm;
        if (size != 16 && (insn->op == ISA_OP_CP_ASYNC_CG || (size != 4 && size != 8)))
            return error(context, "%s copies %s bytes", mnemonic(context),
                         insn->op == ISA_OP_CP_ASYNC_CG ? "16" : "4, 8 or 16");
    }
    const bool of_line =
        insn->op == ISA_OP_APPLYPRIORITY || insn->op == ISA_OP_DISCARD || insn->op == ISA_OP_FENCE_MAP_ACQUIRE;
    if (of_line && context->operands[1].imm != 128)
        return error(context, "%s takes 128 bytes", mnemonic(context));
    if (insn->op == ISA_OP_MOV_V2 || insn->op == ISA_OP_MOV_V4)
        return check_vector_move(context);
    if (isa_video_lanes(insn->op) == 1 && insn->op != ISA_OP_VMAD)
        return check_video(context);
    return true;
}

static bool check_operand_range(struct context *context, const struct isa_operand *operand)
{
    const struct isa_function *function = context->function;
    const uint8_t kind = operand->kind == ISA_OPERAND_MEM ? operand->base_kind : operand->kind;
    size_t limit = SIZE_MAX;
    switch (kind) {
    case ISA_OPERAND_REG:
        limit = function->reg_count;
        break;
    case ISA_OPERAND_SREG:
        limit = ISA_SREG_COUNT;
        break;
    case ISA_OPERAND_SYMBOL:
        limit = context->module->var_count;
        break;
    case ISA_OPERAND_FUNC:
        limit = context->module->function_count;
        break;
    case ISA_OPERAND_LABEL:
        limit = function->insn_count;
        break;
    case ISA_OPERAND_TABLE:
        limit = function->table_count;
        break;
    default:
        break;
    }
    return operand->ref < limit || error(context, "an operand of %s refers to nothing", mnemonic(context));
}

static bool check_insn(struct context *context)
{
    const struct isa_insn *insn = context->insn;
    if (insn->guard >= 0 && ((size_t)insn->guard >= context->function->reg_count ||
                             context->function->regs[insn->guard].type != ISA_TYPE_PRED))
        return error(context, "the guard is no predicate");
    if (isa_ops[insn->op].flags & ISA_OPF_DERIVED)
        return true;
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (!check_operand_range(context, &context->operands[i]))
            return false;
    if (context->module->form == ISA_FORM_PTX && !check_legal(context))
        return false;
    switch (isa_ops[insn->op].form[0]) {
    case 'M':
        return check_mov(context);
    case 'c':
        return check_call(context);
    default:
        return check_form(context) && check_special(context);
    }
}

static void check_function(struct context *context)
{
    const struct isa_function *function = context->function;
    for (size_t i = 0; i < function->insn_count; i++) {
        const struct isa_insn *insn = &function->insns[i];
        context->insn = insn;
        const size_t first = insn->operand_first;
        if (insn->op >= ISA_OP_COUNT || first > function->operand_count ||
            insn->operand_count > function->operand_count - first) {
            error(context, "instruction %zu of '%s' is damaged", i, function->name);
            continue;
        }
        context->operands = function->operands + first;
        check_insn(context);
    }
}

enum base_status isa_verify(struct isa_module *module, struct base_diags *diags)
{
    struct context context = {.module = module, .diags = diags};
    for (size_t i = 0; i < module->function_count; i++) {
        context.function = &module->functions[i];
        check_function(&context);
    }
    return context.errors ? BASE_INVALID : BASE_OK;
}
