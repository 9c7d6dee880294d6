/* Making a linked kernel ready to run: where variables lie, what each operand is, which lane function each instruction
 * has.
 *
 * sim_program_build() at the end is the table of contents: layout, then decode of every reachable function. Each
 * `decode_*` fills one struct sim_op from one instruction; what an opcode becomes is chosen in decode_insn().
 */
#include "sim/constants.h"
#include "sim/program.h"
#include "sim/sass/op.h"

#include "base/vec.h"
#include "isa/form.h"
#include "isa/form.h"
#include "isa/video.h"

#include <stdlib.h>
#include <string.h>

struct builder {
    struct sim_program *program;
    const struct isa_module *module;
    const struct isa_linked *linked;
    const struct sim_device *device;
    struct sim_memory *memory;
    struct base_arena *arena;
    struct base_diags *diags;
    enum sim_level level;
    BASE_VEC(struct sim_op) ops;
    BASE_VEC(uint32_t) targets;
    BASE_VEC(struct sim_call_arg) call_args;
    BASE_VEC(struct sim_call_site) call_sites;
    struct sim_constants constants;
    BASE_VEC(struct sim_matrix) matrices;
    BASE_VEC(struct sim_op) seconds;
    bool failed, unsupported;
    /* of the function being decoded */
    uint32_t function_index, op_first;
    const struct isa_function *function;
    const struct isa_slots *slots;
    const struct isa_insn *insn;
};

static uint32_t constant_row(struct builder *b, uint64_t value, uint32_t rows)
{
    return sim_constant_row(&b->constants, value, rows);
}

static uint32_t special_row(struct builder *b, uint32_t sreg)
{
    struct sim_program *p = b->program;
    if (p->special[sreg] == UINT8_MAX) {
        p->special[sreg] = (uint8_t)p->special_rows;
        p->special_rows += isa_type_slots(isa_sregs[sreg].type);
    }
    return SIM_ROW(SIM_ROW_SPECIAL, p->special[sreg]);
}

static void unsupported(struct builder *b, const char *what)
{
    struct base_strbuf text = {0};
    isa_print_insn(b->module, b->function, b->insn, &text);
    base_diag_add(b->diags, BASE_ERROR, &b->module->source, b->insn->offset, b->insn->length, "%s is not supported: %s",
                  what, text.data != NULL ? text.data : isa_ops[b->insn->op].mnemonic);
    base_strbuf_free(&text);
    b->unsupported = true;
}

static void invalid(struct builder *b, const char *message)
{
    base_diag_add(b->diags, BASE_ERROR, &b->module->source, b->insn->offset, b->insn->length, "%s", message);
    b->unsupported = true;
}

static const struct isa_operand *operand(const struct builder *b, unsigned index)
{
    return &b->function->operands[b->insn->operand_first + index];
}

static bool is_pred_reg(const struct builder *b, const struct isa_operand *o)
{
    return o->kind == ISA_OPERAND_REG && b->function->regs[o->ref].type == ISA_TYPE_PRED;
}

/* Address of a variable in its own space, as an operand has it. Local and device-function parameter variables have none
 * (the frame). */
static bool is_kernel_param(const struct isa_module *module, uint32_t v)
{
    const struct isa_var *var = &module->vars[v];
    if (var->space != ISA_SPACE_PARAM || var->function < 0 || !module->functions[var->function].is_entry)
        return false;
    const struct isa_function *function = &module->functions[var->function];
    for (size_t i = 0; i < function->param_count; i++)
        if (function->params[i] == v)
            return true;
    return false;
}

static bool symbol_is_in_frame(const struct builder *b, const struct isa_operand *o)
{
    uint8_t space = b->module->vars[o->ref].space;
    return space == ISA_SPACE_LOCAL || (space == ISA_SPACE_PARAM && !is_kernel_param(b->module, o->ref));
}

static uint64_t symbol_address(const struct builder *b, const struct isa_operand *o)
{
    const struct isa_var *var = &b->module->vars[o->ref];
    uint64_t address = b->program->var_address[o->ref] + (uint64_t)o->imm;
    if (!o->generic)
        return address;
    switch (var->space) {
    case ISA_SPACE_SHARED:
        return SIM_WINDOW_SHARED + address;
    case ISA_SPACE_CONST:
        return SIM_WINDOW_CONST + address;
    case ISA_SPACE_PARAM:
        return SIM_WINDOW_PARAM + address;
    default:
        return address;
    }
}

/* The row of a source operand that is `rows` rows wide. */
static uint32_t source_row(struct builder *b, const struct isa_operand *o, uint32_t rows)
{
    switch (o->kind) {
    case ISA_OPERAND_REG:
        if (is_pred_reg(b, o)) {
            invalid(b, "a predicate cannot stand here");
            return SIM_ROW(SIM_ROW_CONST, 0);
        }
        if (isa_type_slots(b->function->regs[o->ref].type) < rows) {
            invalid(b, "a register is narrower than the instruction's type");
            return SIM_ROW(SIM_ROW_CONST, 0);
        }
        return SIM_ROW(SIM_ROW_FRAME, b->slots->slot[o->ref]);
    case ISA_OPERAND_IMM:
        return constant_row(b, (uint64_t)o->imm, rows);
    case ISA_OPERAND_SREG:
        if (isa_sregs[o->ref].scope == ISA_SREG_SCOPE_TIME || isa_type_slots(isa_sregs[o->ref].type) < rows)
            unsupported(b, "a special register of this kind here");
        return special_row(b, o->ref);
    case ISA_OPERAND_SYMBOL:
        if (symbol_is_in_frame(b, o)) {
            unsupported(b, "the address of a local variable here");
            return SIM_ROW(SIM_ROW_CONST, 0);
        }
        return constant_row(b, symbol_address(b, o), rows);
    case ISA_OPERAND_FUNC:
        return constant_row(b, SIM_CODE_BASE + (uint64_t)o->ref * 16, rows);
    default:
        invalid(b, "an operand of this kind cannot stand here");
        return SIM_ROW(SIM_ROW_CONST, 0);
    }
}

static int32_t pred_number(struct builder *b, const struct isa_operand *o)
{
    if (o->kind == ISA_OPERAND_SINK || o->kind == ISA_OPERAND_NONE)
        return -1;
    if (!is_pred_reg(b, o)) {
        invalid(b, "a predicate must stand here");
        return -1;
    }
    return (int32_t)b->slots->slot[o->ref];
}

static void set_dst(struct builder *b, struct sim_op *op, const struct isa_operand *o)
{
    op->dst = SIM_ROW_NONE;
    if (o->kind == ISA_OPERAND_SINK)
        return;
    if (o->kind != ISA_OPERAND_REG || is_pred_reg(b, o)) {
        invalid(b, "a register must stand here");
        return;
    }
    op->dst = SIM_ROW(SIM_ROW_FRAME, b->slots->slot[o->ref]);
    op->dst_rows = (uint8_t)isa_type_slots(b->function->regs[o->ref].type);
}

/* A predicate source: -1 and `absent` when it is not given. A constant 0 or 1 is not accepted by ptxas either. */
static void set_psrc(struct builder *b, struct sim_op *op, const struct isa_operand *o)
{
    op->psrc = pred_number(b, o);
    op->psrc_negated = o->negated;
}

/* Width in rows of source operand number `position` (0 = a) of the instruction, by its opcode's form. */
static uint32_t source_rows(const struct builder *b, char code)
{
    const struct isa_insn *insn = b->insn;
    uint32_t rows = isa_type_slots(insn->type);
    switch (code) {
    case 'a':
        return rows;
    case 'W':
        return insn->mods.mode == ISA_PART_WIDE && isa_types[insn->type].bits == 32 ? 2 : rows;
    case 'b':
        return isa_type_slots(insn->type2 != ISA_TYPE_NONE ? insn->type2 : insn->type);
    default:
        return 1;
    }
}

/* The source letters of a form, in order, without destinations and '?'. */
static void form_sources(const char *form, unsigned dst_letters, char out[8])
{
    unsigned n = 0, skip = dst_letters;
    for (; *form != '\0' && n < 7; form++) {
        if (*form == '?')
            continue;
        if (skip > 0) {
            skip--;
            continue;
        }
        out[n++] = *form;
    }
    out[n] = '\0';
}

/* The common case: one destination register, sources in order, predicate sources to psrc. */
static void decode_alu(struct builder *b, struct sim_op *op)
{
    const struct isa_insn *insn = b->insn;
    op->kind = SIM_K_ALU;
    op->fn = sim_exec_find(insn, b->level);
    if (op->fn == NULL) {
        unsupported(b, isa_ops[insn->op].mnemonic);
        return;
    }
    set_dst(b, op, operand(b, 0));
    char letters[8];
    form_sources(insn->op == ISA_OP_MOV ? "da" : isa_ops[insn->op].form, 1, letters);
    unsigned n = 0;
    for (unsigned i = insn->dst_count; i < insn->operand_count; i++) {
        const struct isa_operand *o = operand(b, i);
        char code = letters[i - insn->dst_count < 7 ? i - insn->dst_count : 6];
        if (code == 'z') {
            if (o->kind != ISA_OPERAND_NONE)
                set_psrc(b, op, o);
        } else if (o->kind != ISA_OPERAND_NONE && n < 4) {
            op->src[n++] = source_row(b, o, source_rows(b, code));
        }
    }
    uint32_t type_rows = isa_type_slots(insn->type);
    if (insn->op == ISA_OP_MUL || insn->op == ISA_OP_MAD)
        type_rows = source_rows(b, 'W');
    if (isa_ops[insn->op].form[0] == 'D')
        type_rows = 1;
    if (op->dst != SIM_ROW_NONE && op->dst_rows < type_rows) {
        invalid(b, "the destination is narrower than the result");
        return;
    }
    /* A destination register wider than the result takes it sign- or zero-extended. */
    op->vec_rows = (uint8_t)type_rows;
    if (insn->op == ISA_OP_CVT && op->dst != SIM_ROW_NONE) {
        unsigned bits = isa_types[insn->type].bits, have = isa_types[b->function->regs[operand(b, 0)->ref].type].bits;
        bool is_signed = isa_types[insn->type].class == ISA_CLASS_SIGNED;
        op->reg_bits = (uint8_t)have;
        op->element_bytes = is_signed ? (uint8_t)(bits / 8) : 0;
        op->has_optional = have > bits && (is_signed || op->dst_rows > type_rows);
    }
    for (unsigned i = n; i < 4; i++)
        op->src[i] = SIM_ROW(SIM_ROW_CONST, 0); /* absent: rows that may be read */
    bool reads_carry = (isa_ops[insn->op].flags & ISA_OPF_READS_CC) != 0;
    op->carries_out = (insn->mods.flags & ISA_FLAG_CC) != 0;
    int32_t carry = (int32_t)b->slots->pred_count;
    if (insn->op == ISA_OP_LOP3 && insn->dst_count == 2)
        op->pdst = pred_number(b, operand(b, 1));
    if (reads_carry)
        op->psrc = carry;
    if (op->carries_out)
        op->pdst = carry;
    if (insn->op == ISA_OP_SET)
        op->kind = SIM_K_SET;
    else if (reads_carry || op->carries_out || op->psrc >= 0 || op->has_optional || op->dst == SIM_ROW_NONE)
        op->kind = SIM_K_ALU_PRED;
}

static void decode_setp(struct builder *b, struct sim_op *op)
{
    const struct isa_insn *insn = b->insn;
    op->kind = SIM_K_SETP;
    op->fn = sim_exec_find(insn, b->level);
    if (op->fn == NULL) {
        unsupported(b, isa_ops[insn->op].mnemonic);
        return;
    }
    op->pdst = pred_number(b, operand(b, 0));
    if (insn->dst_count > 1)
        op->qdst = pred_number(b, operand(b, 1));
    for (unsigned i = insn->dst_count, n = 0; i < insn->operand_count; i++) {
        const struct isa_operand *o = operand(b, i);
        if (o->kind == ISA_OPERAND_NONE)
            continue;
        if (n < 2)
            op->src[n++] = source_row(b, o, isa_type_slots(insn->type));
        else
            set_psrc(b, op, o);
        if (insn->op == ISA_OP_TESTP)
            n = 2;
    }
    op->has_optional = isa_types[insn->type].class == ISA_CLASS_PACKED; /* two comparisons */
    if (op->boolop == ISA_BOOL_NONE)
        op->psrc = -1;
}

static void decode_plogic(struct builder *b, struct sim_op *op)
{
    op->kind = SIM_K_PLOGIC;
    op->mode = b->insn->op == ISA_OP_AND   ? ISA_BOOL_AND
               : b->insn->op == ISA_OP_OR  ? ISA_BOOL_OR
               : b->insn->op == ISA_OP_XOR ? ISA_BOOL_XOR
                                           : 0;
    op->pdst = pred_number(b, operand(b, 0));
    const struct isa_operand *first = operand(b, 1);
    op->mode2 = b->insn->op == ISA_OP_NOT;
    if (first->kind == ISA_OPERAND_SREG) {
        op->src[0] = special_row(b, first->ref);
    } else if (first->kind == ISA_OPERAND_IMM) {
        op->src[0] = constant_row(b, first->imm != 0, 1);
    } else {
        set_psrc(b, op, first);
    }
    if (b->insn->operand_count > 2) {
        op->qdst = pred_number(b, operand(b, 2)); /* the second source */
        op->carries_out = operand(b, 2)->negated;
    }
}

static uint32_t vector_row(struct builder *b, const struct isa_operand *o, bool is_source, uint32_t rows)
{
    if (o->kind == ISA_OPERAND_SINK && !is_source)
        return SIM_ROW_NONE;
    if (is_source)
        return source_row(b, o, rows);
    if (o->kind != ISA_OPERAND_REG || is_pred_reg(b, o)) {
        invalid(b, "a register must stand here");
        return SIM_ROW_NONE;
    }
    return SIM_ROW(SIM_ROW_FRAME, b->slots->slot[o->ref]);
}

static void decode_mov(struct builder *b, struct sim_op *op)
{
    const struct isa_insn *insn = b->insn;
    unsigned dsts = insn->dst_count, srcs = insn->operand_count - insn->dst_count;
    if (insn->type == ISA_TYPE_PRED) {
        decode_plogic(b, op);
        return;
    }
    if (dsts > 1 || srcs > 1 || insn->type == ISA_TYPE_B128) {
        op->kind = SIM_K_MOV_VEC;
        unsigned n = dsts > 1 ? dsts : srcs;
        unsigned bits = isa_types[insn->type].bits / n;
        if (n > 8 || bits < 8 || dsts + srcs > 8) {
            unsupported(b, "mov of this shape");
            return;
        }
        op->count = (uint8_t)n;
        op->dst_count = (uint8_t)dsts;
        op->element_bytes = (uint8_t)(bits / 8);
        op->vec_rows = (uint8_t)(bits > 32 ? bits / 32 : 1);
        uint32_t whole = isa_type_slots(insn->type);
        if (dsts > 1) {
            for (unsigned i = 0; i < dsts; i++)
                op->vec[i] = vector_row(b, operand(b, i), false, 0);
            op->src[0] = source_row(b, operand(b, dsts), whole);
        } else {
            set_dst(b, op, operand(b, 0));
            op->dst_rows = (uint8_t)whole;
            for (unsigned i = 0; i < srcs; i++)
                op->vec[i] = vector_row(b, operand(b, 1 + i), true, op->vec_rows);
        }
        return;
    }
    const struct isa_operand *o = operand(b, dsts);
    if (o->kind == ISA_OPERAND_SREG && isa_sregs[o->ref].scope == ISA_SREG_SCOPE_TIME) {
        op->kind = SIM_K_TIME;
        op->mode = (uint8_t)o->ref;
        set_dst(b, op, operand(b, 0));
        return;
    }
    if (o->kind == ISA_OPERAND_SYMBOL && symbol_is_in_frame(b, o)) {
        op->kind = SIM_K_LOCAL_ADDR;
        op->offset = (int64_t)b->linked->local_offset[o->ref] + o->imm;
        op->mode = o->generic;
        set_dst(b, op, operand(b, 0));
        return;
    }
    decode_alu(b, op);
}

static void decode_address(struct builder *b, struct sim_op *op, const struct isa_operand *o)
{
    op->offset = o->imm;
    op->addr_base = SIM_ADDR_ABSOLUTE;
    if (o->kind != ISA_OPERAND_MEM) {
        invalid(b, "an address [..] must stand here");
        return;
    }
    if (o->base_kind == ISA_OPERAND_REG) {
        unsigned bits = isa_types[b->function->regs[o->ref].type].bits;
        op->addr_base = bits == 64 ? SIM_ADDR_REG64 : SIM_ADDR_REG32;
        if (bits != 32 && bits != 64) {
            invalid(b, "an address register has 32 or 64 bits");
            return;
        }
        op->wraps32 = bits == 32;
        op->address = SIM_ROW(SIM_ROW_FRAME, b->slots->slot[o->ref]);
    } else if (o->base_kind == ISA_OPERAND_SYMBOL) {
        const struct isa_var *var = &b->module->vars[o->ref];
        if (symbol_is_in_frame(b, o)) {
            op->addr_base = SIM_ADDR_FRAME;
            op->offset += b->linked->local_offset[o->ref];
            if (op->space == ISA_SPACE_GENERIC)
                op->space = ISA_SPACE_LOCAL;
        } else {
            op->offset = (int64_t)symbol_address(b, o);
            if (op->space == ISA_SPACE_GENERIC)
                op->space = var->space;
        }
    }
}

/* Kernel parameters read at a fixed offset are constants of the launch. */
static void decode_ld_param(struct builder *b, struct sim_op *op)
{
    uint64_t bytes = (uint64_t)op->element_bytes * op->count;
    if (op->offset < 0 || (uint64_t)op->offset + bytes > b->program->param_bytes) {
        invalid(b, "reads past the kernel's parameters");
        return;
    }
    op->kind = SIM_K_LD_PARAM;
}

static void decode_memory(struct builder *b, struct sim_op *op)
{
    const struct isa_insn *insn = b->insn;
    bool is_load = insn->op != ISA_OP_ST;
    op->kind = is_load ? SIM_K_LD : SIM_K_ST;
    op->count = insn->mods.vec > 1 ? insn->mods.vec : 1;
    op->element_bytes = isa_types[insn->type].bits / 8;
    if (insn->type == ISA_TYPE_PRED || op->element_bytes == 0 || op->count * op->element_bytes > 32 || op->count > 8) {
        unsupported(b, isa_ops[insn->op].mnemonic);
        return;
    }
    unsigned first = is_load ? 0 : 1, memory = is_load ? insn->dst_count : 0;
    for (unsigned i = 0; i < op->count; i++) {
        const struct isa_operand *o = operand(b, first + i);
        op->vec[i] = vector_row(b, o, !is_load, isa_type_slots(insn->type));
        if (is_load && o->kind == ISA_OPERAND_REG)
            op->reg_bits = isa_types[b->function->regs[o->ref].type].bits;
    }
    op->vec_rows = (uint8_t)(op->reg_bits <= 32 ? 1 : op->reg_bits / 32);
    if (op->reg_bits == 0)
        op->reg_bits = 32;
    if (is_load && op->vec_rows < isa_type_slots(insn->type))
        op->vec_rows = (uint8_t)isa_type_slots(insn->type);
    decode_address(b, op, operand(b, memory));
    if (op->space == ISA_SPACE_PARAM && op->addr_base == SIM_ADDR_FRAME)
        op->space = ISA_SPACE_LOCAL;
    if (op->space == ISA_SPACE_PARAM && !b->function->is_entry && op->addr_base != SIM_ADDR_ABSOLUTE)
        op->space = ISA_SPACE_LOCAL; /* the address of a device function's parameter is one in its frame */
    if (is_load && op->space == ISA_SPACE_PARAM && op->addr_base == SIM_ADDR_ABSOLUTE)
        decode_ld_param(b, op);
}

/* Rows of a vector atomic's destinations: in `targets`, from op->target on. */
static void decode_atom_vector(struct builder *b, struct sim_op *op)
{
    op->target = (uint32_t)b->targets.count;
    op->dst_rows = (uint8_t)isa_type_slots(b->insn->type);
    for (unsigned i = 0; i < op->count; i++) {
        const uint32_t row = b->insn->op == ISA_OP_ATOM ? vector_row(b, operand(b, i), false, 0) : SIM_ROW_NONE;
        if (!base_vec_push(&b->targets, row))
            b->failed = true;
    }
}

/* Values in op->vec, cas's new one in op->src[0]. */
static void decode_atom(struct builder *b, struct sim_op *op)
{
    const struct isa_insn *insn = b->insn;
    op->kind = SIM_K_ATOM;
    op->count = insn->mods.vec > 1 ? insn->mods.vec : 1;
    op->element_bytes = isa_types[insn->type].bits / 8;
    if (!sim_atom_supported(op->mode, insn->type) || op->count > 8) {
        unsupported(b, isa_ops[insn->op].mnemonic);
        return;
    }
    unsigned at = insn->dst_count;
    op->dst = SIM_ROW_NONE;
    if (op->count > 1)
        decode_atom_vector(b, op);
    else if (insn->op == ISA_OP_ATOM)
        set_dst(b, op, operand(b, 0));
    decode_address(b, op, operand(b, at++));
    for (unsigned i = 0; i < op->count; i++)
        op->vec[i] = source_row(b, operand(b, at++), isa_type_slots(insn->type));
    if (op->mode == ISA_ATOM_CAS)
        op->src[0] = source_row(b, operand(b, at), isa_type_slots(insn->type));
}

/* The alignment must be a power of two. */
static void decode_stack(struct builder *b, struct sim_op *op)
{
    const struct isa_insn *insn = b->insn;
    op->kind = SIM_K_STACK;
    if (insn->dst_count > 0)
        set_dst(b, op, operand(b, 0));
    if (insn->operand_count > insn->dst_count)
        op->src[0] = source_row(b, operand(b, insn->dst_count), isa_type_slots(insn->type));
    op->offset = insn->op == ISA_OP_ALLOCA && insn->operand_count > 2 ? operand(b, 2)->imm : 8;
    if (op->offset < 1 || op->offset > 4096 || (op->offset & (op->offset - 1)) != 0)
        invalid(b, "alloca aligns to a power of two up to 4096");
}

/* createpolicy: the address in the address members; sizes, or the fraction (all of it when not given), in src. */
static void decode_policy(struct builder *b, struct sim_op *op)
{
    const struct isa_insn *insn = b->insn;
    const bool range = insn->op == ISA_OP_POLICY_RANGE;
    op->kind = SIM_K_POLICY;
    set_dst(b, op, operand(b, 0));
    if (range)
        decode_address(b, op, operand(b, 1));
    op->src[0] = !range && insn->operand_count < 2 ? constant_row(b, 0x3f800000, 1)
                                                   : source_row(b, operand(b, range ? 2 : 1), 1);
    op->src[1] = range ? source_row(b, operand(b, 3), 1) : SIM_ROW(SIM_ROW_CONST, 0);
}

static void decode_video(struct builder *b, struct sim_op *op)
{
    const struct isa_insn *insn = b->insn;
    op->kind = SIM_K_VIDEO;
    set_dst(b, op, operand(b, 0));
    for (unsigned i = 0; i < 3; i++)
        op->src[i] = i + 1 < insn->operand_count ? source_row(b, operand(b, i + 1), 1) : SIM_ROW(SIM_ROW_CONST, 0);
}

static uint32_t op_index_of(const struct builder *b, uint32_t insn)
{
    return b->op_first + insn;
}

static void decode_brx(struct builder *b, struct sim_op *op)
{
    op->kind = SIM_K_BRX;
    op->src[0] = source_row(b, operand(b, 0), 1);
    const struct isa_table *table = &b->function->tables[operand(b, 1)->ref];
    op->target = (uint32_t)b->targets.count;
    op->target_count = (uint32_t)table->count;
    for (size_t i = 0; i < table->count; i++)
        if (!base_vec_push(&b->targets, op_index_of(b, table->items[i])))
            b->failed = true;
}

static bool push_call_arg(struct builder *b, const struct isa_operand *o, uint32_t callee_var, uint32_t ordinal,
                          bool is_return)
{
    struct sim_call_arg arg = {.callee_offset = ordinal, .row = SIM_ROW_NONE, .is_return = is_return};
    if (callee_var != UINT32_MAX) {
        arg.callee_offset = b->linked->local_offset[callee_var];
        arg.bytes = (uint32_t)b->module->vars[callee_var].size_bytes;
    }
    if (o->kind == ISA_OPERAND_SYMBOL) {
        arg.caller_offset = b->linked->local_offset[o->ref] + (uint32_t)o->imm;
        uint32_t own = (uint32_t)b->module->vars[o->ref].size_bytes;
        arg.bytes = callee_var == UINT32_MAX || own < arg.bytes ? own : arg.bytes;
    } else {
        uint32_t rows = arg.bytes > 4 ? 2 : 1;
        if (o->kind == ISA_OPERAND_REG && !is_pred_reg(b, o))
            rows = isa_type_slots(b->function->regs[o->ref].type);
        arg.row = is_return ? vector_row(b, o, false, rows) : source_row(b, o, rows);
        arg.rows = (uint8_t)rows;
        if (callee_var == UINT32_MAX || arg.bytes > rows * 4)
            arg.bytes = rows * 4;
    }
    return base_vec_push(&b->call_args, arg);
}

static void decode_call(struct builder *b, struct sim_op *op)
{
    const struct isa_insn *insn = b->insn;
    op->kind = SIM_K_CALL;
    const struct isa_operand *callee = operand(b, insn->dst_count);
    const struct isa_function *target = callee->kind == ISA_OPERAND_FUNC ? &b->module->functions[callee->ref] : NULL;
    struct sim_call_site site = {(uint32_t)b->call_args.count, 0, insn->dst_count};
    op->target = UINT32_MAX;
    if (target != NULL)
        op->target = callee->ref;
    else
        op->src[0] = source_row(b, callee, isa_type_slots(b->function->regs[callee->ref].type));
    op->dst_rows = target == NULL ? (uint8_t)isa_type_slots(b->function->regs[callee->ref].type) : 0;
    unsigned args = 0;
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct isa_operand *o = operand(b, i);
        bool is_return = i < insn->dst_count;
        if (i == insn->dst_count || o->kind == ISA_OPERAND_TABLE || o->kind == ISA_OPERAND_NONE)
            continue;
        uint32_t ordinal = is_return ? i : args++;
        uint32_t var = UINT32_MAX;
        if (target != NULL) {
            size_t have = is_return ? target->ret_count : target->param_count;
            if (ordinal >= have) {
                invalid(b, "the call has more arguments than the function");
                return;
            }
            var = is_return ? target->rets[ordinal] : target->params[ordinal];
            if (target->is_declaration)
                var = UINT32_MAX; /* a built-in function: its arguments stay in the caller's frame */
        }
        if (!push_call_arg(b, o, var, ordinal, is_return))
            b->failed = true;
        site.arg_count++;
    }
    op->target_count = (uint32_t)b->call_sites.count;
    if (!base_vec_push(&b->call_sites, site))
        b->failed = true;
}

static void decode_barrier(struct builder *b, struct sim_op *op)
{
    const struct isa_insn *insn = b->insn;
    op->kind = SIM_K_BAR;
    op->mode = insn->op == ISA_OP_BAR_ARRIVE ? 1 : 0;
    if (insn->op == ISA_OP_BAR_RED_POPC)
        set_dst(b, op, operand(b, 0));
    else if (insn->dst_count > 0)
        op->pdst = pred_number(b, operand(b, 0));
    unsigned n = 0;
    for (unsigned i = insn->dst_count; i < insn->operand_count; i++) {
        const struct isa_operand *o = operand(b, i);
        if (o->kind != ISA_OPERAND_NONE && is_pred_reg(b, o))
            set_psrc(b, op, o);
        else if (n < 2 && o->kind != ISA_OPERAND_NONE)
            op->src[n++] = source_row(b, o, 1);
        else
            n++;
    }
    op->has_optional = op->src[1] != SIM_ROW_NONE;
}

static void decode_warpwide(struct builder *b, struct sim_op *op)
{
    const struct isa_insn *insn = b->insn;
    op->is_sync = (insn->mods.flags & ISA_FLAG_SYNC) != 0 || insn->op == ISA_OP_BAR_WARP_SYNC;
    unsigned first = insn->dst_count;
    if (insn->dst_count > 0) {
        if (insn->op == ISA_OP_VOTE && insn->mods.mode != ISA_VOTE_BALLOT)
            op->pdst = pred_number(b, operand(b, 0));
        else
            set_dst(b, op, operand(b, 0));
        if (insn->dst_count > 1)
            op->pdst = pred_number(b, operand(b, 1));
    }
    if (insn->op == ISA_OP_VOTE)
        set_psrc(b, op, operand(b, first++));
    unsigned n = 0;
    for (unsigned i = first; i < insn->operand_count && n < 4; i++, n++)
        if (operand(b, i)->kind != ISA_OPERAND_NONE)
            op->src[n] =
                source_row(b, operand(b, i), n == 0 && isa_ops[insn->op].types != 0 ? isa_type_slots(insn->type) : 1);
    /* The member mask is the last source; remember its place in src[3]. */
    if (op->is_sync && n > 0 && insn->op != ISA_OP_SHFL)
        op->src[3] = op->src[n - 1];
    if (insn->op == ISA_OP_REDUX && !(insn->mods.mode >= ISA_ATOM_ADD && insn->mods.mode <= ISA_ATOM_XOR))
        unsupported(b, "redux");
    if (insn->op == ISA_OP_REDUX &&
        !sim_atom_supported(op->mode, insn->type == ISA_TYPE_B32 ? ISA_TYPE_B32 : insn->type))
        unsupported(b, "redux");
}

static void decode_simple_source(struct builder *b, struct sim_op *op, uint8_t kind)
{
    const struct isa_insn *insn = b->insn;
    op->kind = kind;
    if (insn->op == ISA_OP_ISSPACEP)
        op->pdst = pred_number(b, operand(b, 0));
    else
        set_dst(b, op, operand(b, 0));
    const struct isa_operand *o = operand(b, 1);
    uint32_t rows = isa_type_slots(insn->type);
    if (insn->op == ISA_OP_ISSPACEP)
        rows = o->kind == ISA_OPERAND_REG ? isa_type_slots(b->function->regs[o->ref].type) : 2;
    op->count = (uint8_t)rows;
    if (o->kind == ISA_OPERAND_SYMBOL && symbol_is_in_frame(b, o)) {
        /* cvta.local d, variable */
        op->kind = SIM_K_LOCAL_ADDR;
        op->mode = (insn->mods.flags & ISA_FLAG_TO) == 0;
        op->offset = (int64_t)b->linked->local_offset[o->ref] + o->imm;
        return;
    }
    op->src[0] = source_row(b, o, rows);
    if (insn->operand_count > 2)
        op->src[1] = source_row(b, operand(b, 2), 1);
    op->carries_out = (insn->mods.flags & ISA_FLAG_TO) != 0;
}

static void decode_copy(struct builder *b, struct sim_op *op)
{
    const struct isa_insn *insn = b->insn;
    struct sim_op second = *op;
    op->kind = SIM_K_COPY;
    op->space = ISA_SPACE_SHARED;
    second.space = ISA_SPACE_GLOBAL;
    decode_address(b, op, operand(b, 0));
    decode_address(b, &second, operand(b, 1));
    op->element_bytes = (uint8_t)operand(b, 2)->imm;
    const struct isa_operand *last = insn->operand_count > 3 ? operand(b, 3) : NULL;
    if (last != NULL && is_pred_reg(b, last))
        set_psrc(b, op, last);
    else if (last != NULL && last->kind != ISA_OPERAND_NONE)
        op->src[0] = source_row(b, last, 1);
    op->target = (uint32_t)b->seconds.count;
    if (!base_vec_push(&b->seconds, second))
        b->failed = true;
}

static bool is_global_side(unsigned op, unsigned number)
{
    const bool from = op == ISA_OP_BULK_TO_CLUSTER || op == ISA_OP_BULK_TO_CTA;
    const bool to = op == ISA_OP_BULK_TO_GLOBAL || op == ISA_OP_BULK_REDUCE_GLOBAL;
    return (from && number == 1) || (to && number == 0);
}

/* Addresses in the form's order: of the destination, the source, the barrier. */
static void decode_bulk(struct builder *b, struct sim_op *op)
{
    const struct isa_insn *insn = b->insn;
    const struct isa_operand_form form = isa_form_parse(isa_ops[insn->op].form);
    const struct sim_op blank = *op;
    const unsigned last = form.count - 1U;
    unsigned at = 0, addresses = 0;
    if (op->mode == ISA_ATOM_ADD && op->type == ISA_TYPE_S64)
        op->type = ISA_TYPE_U64; /* the sums are the same */
    if (op->mode != ISA_ATOM_NONE && !sim_atom_supported(op->mode, op->type))
        unsupported(b, isa_ops[insn->op].mnemonic);
    op->kind = SIM_K_BULK;
    op->element_bytes = (uint8_t)(isa_types[insn->type].bits / 8);
    op->target = (uint32_t)b->seconds.count;
    for (unsigned i = 0; i < form.count && at < insn->operand_count; i++) {
        const struct isa_operand *o = operand(b, at);
        struct sim_op second = blank;
        const uint8_t space = is_global_side(insn->op, addresses) ? ISA_SPACE_GLOBAL : ISA_SPACE_SHARED;
        switch (form.letters[i]) {
        case 'm':
            op->space = addresses == 0 ? space : op->space;
            second.space = space;
            decode_address(b, addresses == 0 ? op : &second, o);
            if (addresses++ > 0 && !base_vec_push(&b->seconds, second))
                b->failed = true;
            break;
        case 's': /* the number of bytes, or a cache policy */
            op->src[0] = i == last && form.optional[i] ? op->src[0] : source_row(b, o, 1);
            break;
        case 'H':
            op->src[1] = o->kind == ISA_OPERAND_NONE ? SIM_ROW_NONE : source_row(b, o, 1);
            break;
        default: /* values */
            op->count = (uint8_t)(insn->mods.vec > 1 ? insn->mods.vec : 1);
            for (unsigned e = 0; e < op->count; e++)
                op->vec[e] = vector_row(b, operand(b, at + e), true, isa_type_slots(insn->type));
            at += op->count - 1U;
            break;
        }
        at++;
    }
    op->target_count = (uint32_t)(b->seconds.count - op->target);
}

static void decode_mbarrier(struct builder *b, struct sim_op *op)
{
    const struct isa_insn *insn = b->insn;
    unsigned at = 0;
    op->kind =
        insn->op == ISA_OP_MBARRIER_TRY || insn->op == ISA_OP_MBARRIER_TRY_PARITY ? SIM_K_MBARRIER_TRY : SIM_K_MBARRIER;
    for (const char *letter = isa_ops[insn->op].form; *letter != '\0' && at < insn->operand_count; letter++) {
        switch (*letter) {
        case 'd':
        case 'D':
            set_dst(b, op, operand(b, at++));
            break;
        case 'p':
            op->pdst = pred_number(b, operand(b, at++));
            break;
        case 'm':
            decode_address(b, op, operand(b, at++));
            break;
        case 'a':
        case 's': /* the second is a time, which nothing here depends on */
            if (op->src[0] == SIM_ROW_NONE)
                op->src[0] = source_row(b, operand(b, at), *letter == 'a' ? 2 : 1);
            at++;
            break;
        default:
            break;
        }
    }
}

/* The registers of one matrix of the instruction, from operand *at on. */
static struct sim_fragment decode_fragment(struct builder *b, char letter, unsigned *at)
{
    struct sim_fragment fragment = sim_fragment_layout(b->insn, letter);
    for (unsigned r = 0; r < fragment.count; r++, ++*at)
        fragment.row[r] = vector_row(b, operand(b, *at), letter != 'F', fragment.register_rows);
    return fragment;
}

static void decode_matrix(struct builder *b, struct sim_op *op)
{
    const struct isa_insn *insn = b->insn;
    struct sim_matrix matrix = {.shape = isa_shapes[insn->mods.shape],
                                .types = isa_matrix_types(insn),
                                .saturates = (insn->mods.flags & ISA_FLAG_SATFINITE) != 0};
    unsigned at = 0;
    op->kind = SIM_K_MATRIX;
    op->is_aligned = true;
    for (const char *letter = isa_ops[insn->op].form; *letter != '\0' && at < insn->operand_count; letter++) {
        switch (*letter) {
        case 'F':
            matrix.d = decode_fragment(b, *letter, &at);
            break;
        case 'A':
            matrix.a = decode_fragment(b, *letter, &at);
            break;
        case 'B':
            matrix.b = decode_fragment(b, *letter, &at);
            break;
        case 'C':
            matrix.c = decode_fragment(b, *letter, &at);
            break;
        case 'D':
            set_dst(b, op, operand(b, at++));
            break;
        case 'm':
            decode_address(b, op, operand(b, at++));
            break;
        case 's':
            op->src[0] = source_row(b, operand(b, at++), 1);
            break;
        default:
            break;
        }
    }
    op->target = (uint32_t)b->matrices.count;
    if (!base_vec_push(&b->matrices, matrix))
        b->failed = true;
}

/* mov.v2, mov.v4: the destinations' rows, then the sources'. */
static void decode_mov_each(struct builder *b, struct sim_op *op)
{
    const unsigned count = b->insn->dst_count;
    op->kind = SIM_K_MOV_EACH;
    op->count = (uint8_t)(2 * count);
    op->dst_count = (uint8_t)count;
    op->vec_rows = (uint8_t)isa_type_slots(b->insn->type);
    for (unsigned i = 0; i < 2 * count; i++)
        op->vec[i] = vector_row(b, operand(b, i), i >= count, op->vec_rows);
}

static void decode_kind(struct builder *b, struct sim_op *op)
{
    const struct isa_insn *insn = b->insn;
    switch (insn->op) {
    case ISA_OP_MOV:
        decode_mov(b, op);
        break;
    case ISA_OP_MOV_V2:
    case ISA_OP_MOV_V4:
        decode_mov_each(b, op);
        break;
    case ISA_OP_SETP:
    case ISA_OP_TESTP:
        decode_setp(b, op);
        break;
    case ISA_OP_AND:
    case ISA_OP_OR:
    case ISA_OP_XOR:
    case ISA_OP_NOT:
        if (insn->type == ISA_TYPE_PRED)
            decode_plogic(b, op);
        else
            decode_alu(b, op);
        break;
    case ISA_OP_CVTA:
        decode_simple_source(b, op, SIM_K_CVTA);
        break;
    case ISA_OP_ISSPACEP:
        decode_simple_source(b, op, SIM_K_ISSPACEP);
        break;
    case ISA_OP_MAPA:
        decode_simple_source(b, op, SIM_K_MAPA);
        break;
    case ISA_OP_GETCTARANK:
        decode_simple_source(b, op, SIM_K_GETCTARANK);
        break;
    case ISA_OP_LD:
    case ISA_OP_LDU:
    case ISA_OP_ST:
        decode_memory(b, op);
        break;
    case ISA_OP_ATOM:
    case ISA_OP_RED:
        decode_atom(b, op);
        break;
    case ISA_OP_POLICY_FRACTION:
    case ISA_OP_POLICY_RANGE:
        decode_policy(b, op);
        break;
    case ISA_OP_STACKSAVE:
    case ISA_OP_STACKRESTORE:
    case ISA_OP_ALLOCA:
        decode_stack(b, op);
        break;
    case ISA_OP_PREFETCH:
    case ISA_OP_PREFETCHU:
    case ISA_OP_APPLYPRIORITY:
    case ISA_OP_DISCARD:
    case ISA_OP_PMEVENT_MASK:
    case ISA_OP_BULK_PREFETCH:
    case ISA_OP_BULK_COMMIT:
    case ISA_OP_BULK_WAIT:
    case ISA_OP_BULK_WAIT_READ:
    case ISA_OP_MEMBAR:
    case ISA_OP_FENCE:
    case ISA_OP_MEMBAR_ALIAS:
    case ISA_OP_FENCE_ALIAS:
    case ISA_OP_FENCE_ASYNC:
    case ISA_OP_FENCE_ASYNC_GLOBAL:
    case ISA_OP_FENCE_ASYNC_CTA:
    case ISA_OP_FENCE_ASYNC_CLUSTER:
    case ISA_OP_FENCE_ASYNC_ACQUIRE:
    case ISA_OP_FENCE_ASYNC_RELEASE:
    case ISA_OP_FENCE_MAP_ACQUIRE:
    case ISA_OP_FENCE_MAP_RELEASE:
    case ISA_OP_FENCE_MBARRIER:
    case ISA_OP_FENCE_SHARED_ACQUIRE:
    case ISA_OP_FENCE_SHARED_RELEASE:
    case ISA_OP_NANOSLEEP:
    case ISA_OP_PMEVENT:
    case ISA_OP_SETMAXNREG_INC:
    case ISA_OP_SETMAXNREG_DEC:
    case ISA_OP_GRIDDEP_LAUNCH:
    case ISA_OP_GRIDDEP_WAIT:
        op->kind = SIM_K_NOP;
        /* A fence or a sleep tells that other threads' writes are waited for. */
        op->has_optional = (isa_ops[insn->op].flags & ISA_OPF_FENCE) != 0 || insn->op == ISA_OP_NANOSLEEP;
        break;
    case ISA_OP_BAR_SYNC:
    case ISA_OP_BAR_ARRIVE:
    case ISA_OP_BAR_RED_POPC:
    case ISA_OP_BAR_RED_AND:
    case ISA_OP_BAR_RED_OR:
        decode_barrier(b, op);
        break;
    case ISA_OP_CLUSTER_ARRIVE:
        op->kind = SIM_K_CLUSTER_ARRIVE;
        break;
    case ISA_OP_CLUSTER_WAIT:
        op->kind = SIM_K_CLUSTER_WAIT;
        break;
    case ISA_OP_BAR_WARP_SYNC:
        op->kind = SIM_K_WARPSYNC;
        decode_warpwide(b, op);
        break;
    case ISA_OP_SHFL:
        op->kind = SIM_K_SHFL;
        decode_warpwide(b, op);
        break;
    case ISA_OP_VOTE:
        op->kind = SIM_K_VOTE;
        decode_warpwide(b, op);
        break;
    case ISA_OP_MATCH_ANY:
    case ISA_OP_MATCH_ALL:
        op->kind = SIM_K_MATCH;
        decode_warpwide(b, op);
        break;
    case ISA_OP_REDUX:
        op->kind = SIM_K_REDUX;
        decode_warpwide(b, op);
        break;
    case ISA_OP_ACTIVEMASK:
        op->kind = SIM_K_ACTIVEMASK;
        set_dst(b, op, operand(b, 0));
        break;
    case ISA_OP_ELECT:
        op->kind = SIM_K_ELECT;
        decode_warpwide(b, op);
        break;
    case ISA_OP_CP_ASYNC_CA:
    case ISA_OP_CP_ASYNC_CG:
        decode_copy(b, op);
        break;
    case ISA_OP_BULK_TO_CLUSTER:
    case ISA_OP_BULK_TO_CTA:
    case ISA_OP_BULK_BETWEEN:
    case ISA_OP_BULK_TO_GLOBAL:
    case ISA_OP_BULK_REDUCE_BETWEEN:
    case ISA_OP_BULK_REDUCE_GLOBAL:
    case ISA_OP_ST_ASYNC:
    case ISA_OP_RED_ASYNC:
        decode_bulk(b, op);
        break;
    case ISA_OP_CP_ASYNC_WAIT:
        op->target_count = (uint32_t)operand(b, 0)->imm;
        /* fall through */
    case ISA_OP_CP_ASYNC_COMMIT:
    case ISA_OP_CP_ASYNC_WAIT_ALL:
        op->kind = SIM_K_COPY_GROUP;
        break;
    case ISA_OP_CP_ASYNC_MBARRIER:
    case ISA_OP_CP_ASYNC_MBARRIER_NOINC:
    case ISA_OP_MBARRIER_INIT:
    case ISA_OP_MBARRIER_INVAL:
    case ISA_OP_MBARRIER_ARRIVE:
    case ISA_OP_MBARRIER_ARRIVE_TX:
    case ISA_OP_MBARRIER_ARRIVE_NOCOMPLETE:
    case ISA_OP_MBARRIER_DROP:
    case ISA_OP_MBARRIER_DROP_TX:
    case ISA_OP_MBARRIER_DROP_NOCOMPLETE:
    case ISA_OP_MBARRIER_EXPECT_TX:
    case ISA_OP_MBARRIER_COMPLETE_TX:
    case ISA_OP_MBARRIER_TEST:
    case ISA_OP_MBARRIER_TEST_PARITY:
    case ISA_OP_MBARRIER_TRY:
    case ISA_OP_MBARRIER_TRY_PARITY:
    case ISA_OP_MBARRIER_PENDING:
        decode_mbarrier(b, op);
        break;
    case ISA_OP_MMA:
    case ISA_OP_WMMA_MMA:
    case ISA_OP_WMMA_LOAD_A:
    case ISA_OP_WMMA_LOAD_B:
    case ISA_OP_WMMA_LOAD_C:
    case ISA_OP_WMMA_STORE:
    case ISA_OP_LDMATRIX:
    case ISA_OP_STMATRIX:
    case ISA_OP_MOVMATRIX:
        decode_matrix(b, op);
        break;
    case ISA_OP_BRA:
        op->kind = SIM_K_BRA;
        op->target = op_index_of(b, operand(b, 0)->ref);
        break;
    case ISA_OP_BRX_IDX:
        decode_brx(b, op);
        break;
    case ISA_OP_CALL:
        decode_call(b, op);
        break;
    case ISA_OP_RET:
        op->kind = b->function->is_entry ? SIM_K_EXIT : SIM_K_RET;
        break;
    case ISA_OP_EXIT:
        op->kind = SIM_K_EXIT;
        break;
    case ISA_OP_TRAP:
    case ISA_OP_BRKPT:
        op->kind = SIM_K_TRAP;
        break;
    case ISA_OP_CONV_SET:
        op->kind = SIM_K_CONV_SET;
        op->pdst = (int32_t)(b->slots->pred_count + 1 + (uint32_t)operand(b, 0)->imm * SIM_CONV_WORDS);
        op->target = op_index_of(b, operand(b, 1)->ref);
        break;
    case ISA_OP_CONV_SYNC:
        op->kind = SIM_K_CONV_SYNC;
        op->pdst = (int32_t)(b->slots->pred_count + 1 + (uint32_t)operand(b, 0)->imm * SIM_CONV_WORDS);
        break;
    default:
        if (isa_video_lanes(insn->op) != 0)
            decode_video(b, op);
        else
            decode_alu(b, op);
        break;
    }
}

struct sim_op sim_op_blank(uint32_t function)
{
    struct sim_op op = {.guard = -1,
                        .pdst = -1,
                        .qdst = -1,
                        .psrc = -1,
                        .dst = SIM_ROW_NONE,
                        .address = SIM_ROW_NONE,
                        .address2 = SIM_ROW_NONE,
                        .function = function};
    for (unsigned i = 0; i < 4; i++)
        op.src[i] = SIM_ROW_NONE;
    for (unsigned i = 0; i < 8; i++)
        op.vec[i] = SIM_ROW_NONE;
    return op;
}

static void decode_insn(struct builder *b, uint32_t index)
{
    const struct isa_insn *insn = &b->function->insns[index];
    struct sim_op op = sim_op_blank(b->function_index);
    b->insn = insn;
    op.insn = insn;
    op.is_strong = sim_mods_are_strong(&insn->mods);
    op.mode = insn->mods.mode;
    op.mode2 = insn->mods.mode2;
    op.type = insn->type;
    op.boolop = insn->mods.boolop;
    op.space = insn->mods.space;
    if (insn->guard >= 0) {
        op.guard = (int32_t)b->slots->slot[insn->guard];
        op.guard_negated = insn->guard_negated;
    }
    bool derived = (isa_ops[insn->op].flags & ISA_OPF_DERIVED) != 0;
    op.counter = derived ? 0 : b->program->counter_count++;
    if (b->linked->reaches_insn[b->linked->reach_first[b->function_index] + index])
        decode_kind(b, &op);
    else
        op.kind = SIM_K_END; /* dead code: never run */
    if (!base_vec_push(&b->ops, op))
        b->failed = true;
}

static void decode_function(struct builder *b, uint32_t index)
{
    b->function_index = index;
    b->function = &b->module->functions[index];
    b->slots = &b->linked->slots[index];
    b->op_first = (uint32_t)b->ops.count;
    b->program->function_entry[index] = b->op_first;
    b->program->frame_rows[index] = b->slots->slot_count;
    b->program->frame_preds[index] = b->slots->pred_count + 1 + b->function->conv_count * SIM_CONV_WORDS;
    for (uint32_t i = 0; i < b->function->insn_count && !b->failed; i++)
        decode_insn(b, i);
    struct sim_op end = sim_op_blank(b->function_index); /* running off the end returns, as ptxas makes it */
    end.kind = b->function->is_entry ? SIM_K_EXIT : SIM_K_RET;
    end.insn = b->function->insn_count > 0 ? &b->function->insns[b->function->insn_count - 1] : NULL;
    if (!base_vec_push(&b->ops, end))
        b->failed = true;
}

/* Space-relative addresses of all reached variables. Module-level global variables are always laid out: a host may fill
 * any. */
static enum base_status lay_out_variables(struct builder *b)
{
    struct sim_program *p = b->program;
    uint64_t const_end = 0;
    for (uint32_t v = 0; v < b->module->var_count; v++) {
        const struct isa_var *var = &b->module->vars[v];
        uint64_t align = var->align_bytes > 0 ? var->align_bytes : 1;
        switch (var->space) {
        case ISA_SPACE_GLOBAL: {
            char label[64];
            strcpy(label, "variable ");
            strncat(label, var->name, sizeof(label) - strlen(label) - 1);
            enum base_status status = sim_memory_alloc(b->memory, var->size_bytes, label, &p->var_address[v]);
            if (status != BASE_OK)
                return status;
            break;
        }
        case ISA_SPACE_CONST:
            const_end = (const_end + align - 1) / align * align;
            p->var_address[v] = const_end;
            const_end += var->size_bytes;
            if (const_end > (UINT64_C(1) << 24))
                return BASE_NOMEM;
            break;
        case ISA_SPACE_SHARED:
            if (b->linked->shared_offset[v] != UINT64_MAX)
                p->var_address[v] = p->shared_base + b->linked->shared_offset[v];
            break;
        case ISA_SPACE_PARAM:
            p->var_address[v] = var->offset;
            break;
        default:
            break;
        }
    }
    p->const_bytes = const_end;
    p->const_data = base_arena_alloc(b->arena, const_end + 16, 1);
    return p->const_data != NULL ? BASE_OK : BASE_NOMEM;
}

static uint8_t *variable_data(struct builder *b, uint32_t v)
{
    const struct isa_var *var = &b->module->vars[v];
    if (var->space == ISA_SPACE_GLOBAL)
        return sim_memory_at(b->memory, b->program->var_address[v], var->size_bytes);
    return var->space == ISA_SPACE_CONST ? b->program->const_data + b->program->var_address[v] : NULL;
}

static uint64_t reloc_value(const struct builder *b, const struct isa_reloc *reloc)
{
    if (reloc->is_function)
        return SIM_CODE_BASE + (uint64_t)reloc->ref * 16 + (uint64_t)reloc->addend;
    const struct isa_operand o = {
        .kind = ISA_OPERAND_SYMBOL, .ref = reloc->ref, .imm = reloc->addend, .generic = reloc->generic};
    return symbol_address(b, &o);
}

static void fill_variables(struct builder *b, const struct sim_bound *bound)
{
    for (uint32_t v = 0; v < b->module->var_count; v++) {
        const struct isa_var *var = &b->module->vars[v];
        uint8_t *data = variable_data(b, v);
        if (data == NULL || var->size_bytes == 0)
            continue;
        if (var->init != NULL)
            memcpy(data, var->init, var->size_bytes);
        for (size_t r = 0; r < var->reloc_count; r++) {
            uint64_t value = reloc_value(b, &var->relocs[r]);
            uint64_t size = var->relocs[r].size_bytes <= 8 ? var->relocs[r].size_bytes : 8;
            if (var->relocs[r].offset_bytes + size <= var->size_bytes)
                memcpy(data + var->relocs[r].offset_bytes, &value, size);
        }
    }
    for (size_t s = 0; bound != NULL && s < bound->symbol_count; s++) {
        uint8_t *data = variable_data(b, bound->symbols[s].var);
        uint64_t have = b->module->vars[bound->symbols[s].var].size_bytes;
        if (data != NULL)
            memcpy(data, bound->symbols[s].data,
                   bound->symbols[s].size_bytes < have ? bound->symbols[s].size_bytes : have);
    }
}

/* Local memory of a thread. Frames of a program without recursion and indirect calls have a known depth; otherwise a
 * thread gets STACK_BYTES, more than the 1 KiB that a CUDA context gives by default, so that kernels which raise that
 * limit run too. */
#define STACK_BYTES UINT64_C(65536)

static uint64_t deepest_frames(const struct builder *b)
{
    uint64_t sum = 0;
    for (size_t f = 0; f < b->module->function_count; f++)
        if (b->linked->reaches_function[f])
            sum += b->linked->frame_bytes[f];
    return sum;
}

static void *copy_array(struct builder *b, const void *data, size_t count, size_t size)
{
    void *copy = base_arena_alloc(b->arena, count + 1, size);
    if (copy == NULL)
        b->failed = true;
    else if (count > 0)
        memcpy(copy, data, count * size);
    return copy;
}

bool sim_program_alloc_tables(struct sim_program *program, const struct isa_module *module, struct base_arena *arena)
{
    size_t functions = module->function_count;
    program->function_entry = base_arena_alloc(arena, functions, sizeof(uint32_t));
    program->frame_rows = base_arena_alloc(arena, functions, sizeof(uint32_t));
    program->frame_preds = base_arena_alloc(arena, functions, sizeof(uint32_t));
    program->var_address = base_arena_alloc(arena, module->var_count + 1, sizeof(uint64_t));
    if (program->function_entry == NULL || program->frame_rows == NULL || program->frame_preds == NULL ||
        program->var_address == NULL)
        return false;
    for (size_t f = 0; f < functions; f++)
        program->function_entry[f] = UINT32_MAX;
    memset(program->special, UINT8_MAX, sizeof(program->special));
    return true;
}

bool sim_program_map_counters(struct sim_program *p, struct base_arena *arena)
{
    p->counter_function = base_arena_alloc(arena, p->counter_count, sizeof(uint32_t));
    p->counter_insn = base_arena_alloc(arena, p->counter_count, sizeof(uint32_t));
    if (p->counter_function == NULL || p->counter_insn == NULL)
        return false;
    for (uint32_t i = 0; i < p->op_count; i++) {
        const struct sim_op *op = &p->ops[i];
        if (op->counter == 0)
            continue;
        p->counter_function[op->counter] = op->function;
        const struct isa_insn *insn = op->machine != NULL ? op->machine->listed : op->insn;
        p->counter_insn[op->counter] = (uint32_t)(insn - p->module->functions[op->function].insns);
    }
    return true;
}

uint32_t sim_program_pc(const struct sim_program *p, uint32_t counter)
{
    const struct isa_function *function = &p->module->functions[p->counter_function[counter]];
    const struct isa_insn *insn = &function->insns[p->counter_insn[counter]];
    return insn->sass != NULL ? insn->pc : counter - 1;
}

static void finish(struct builder *b)
{
    struct sim_program *p = b->program;
    sim_constants_finish(&b->constants, p, b->arena);
    b->failed |= b->constants.failed;
    p->op_count = (uint32_t)b->ops.count;
    p->ops = copy_array(b, b->ops.data, b->ops.count, sizeof(*p->ops));
    p->targets = copy_array(b, b->targets.data, b->targets.count, sizeof(*p->targets));
    p->call_args = copy_array(b, b->call_args.data, b->call_args.count, sizeof(*p->call_args));
    p->seconds = copy_array(b, b->seconds.data, b->seconds.count, sizeof(*p->seconds));
    p->matrices = copy_array(b, b->matrices.data, b->matrices.count, sizeof(*p->matrices));
    p->call_sites = copy_array(b, b->call_sites.data, b->call_sites.count, sizeof(*p->call_sites));
    if (b->failed || !sim_program_map_counters(p, b->arena))
        b->failed = true;
}

enum base_status sim_program_build(struct sim_program *program, const struct isa_module *module,
                                   const struct isa_linked *linked, const struct sim_bound *bound,
                                   const struct sim_device *device, struct sim_memory *memory, enum sim_level level,
                                   struct base_arena *arena, struct base_diags *diags)
{
    struct builder b = {.program = program,
                        .module = module,
                        .linked = linked,
                        .device = device,
                        .memory = memory,
                        .arena = arena,
                        .diags = diags,
                        .level = level};
    memset(program, 0, sizeof(*program));
    program->module = module;
    program->linked = linked;
    program->shared_base = device->shared_reserved_bytes;
    program->shared_static_bytes = linked->shared_static_bytes;
    program->params = bound != NULL ? bound->params : NULL;
    program->param_bytes = bound != NULL ? bound->param_bytes : 0;
    program->counter_count = 1; /* row 0 is shared by derived operations */
    if (!sim_program_alloc_tables(b.program, b.module, b.arena))
        return BASE_NOMEM;
    enum base_status status = lay_out_variables(&b);
    if (status != BASE_OK)
        return status;
    fill_variables(&b, bound);
    program->stack_bytes = linked->is_recursive || linked->has_indirect_call || linked->moves_stack
                               ? STACK_BYTES
                               : (deepest_frames(&b) + 15) / 16 * 16;
    (void)constant_row(&b, 0, 2);
    decode_function(&b, linked->kernel);
    for (uint32_t f = 0; f < module->function_count && !b.failed; f++)
        if (f != linked->kernel && linked->reaches_function[f] && !module->functions[f].is_declaration)
            decode_function(&b, f);
    finish(&b);
    base_vec_free(&b.ops);
    base_vec_free(&b.targets);
    base_vec_free(&b.call_args);
    base_vec_free(&b.call_sites);
    sim_constants_free(&b.constants);
    base_vec_free(&b.matrices);
    base_vec_free(&b.seconds);
    return b.failed ? BASE_NOMEM : b.unsupported ? BASE_UNSUPPORTED : BASE_OK;
}
