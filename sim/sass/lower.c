/* What every opcode's function uses: words, operands, sources and results, and how an operation is finished. */
#include "sim/sass/lower.h"

#include "sim/constants.h"

#include <string.h>

/* ---- Words ---- */

bool sim_sass_word(struct sim_sass_builder *b, enum isa_sass_word word)
{
    for (unsigned i = 0; i < b->sass->word_count; i++)
        if (b->sass->words[i] == word && (b->words_used >> i & 1) == 0) {
            b->words_used |= 1U << i;
            return true;
        }
    return false;
}

enum isa_sass_word sim_sass_word_of(struct sim_sass_builder *b, const uint8_t *words)
{
    for (; *words != ISA_SASS_W_NONE; words++)
        if (sim_sass_word(b, (enum isa_sass_word) * words))
            return (enum isa_sass_word) * words;
    return ISA_SASS_W_NONE;
}

void sim_sass_refuse(struct sim_sass_builder *b, const char *what)
{
    if (b->refused)
        return;
    b->refused = b->unsupported = true;
    base_diag_add(b->diags, BASE_ERROR, &b->module->source, b->insn->offset, b->insn->length,
                  "%s of %s is not supported", what, isa_sass_ops[b->sass->op].mnemonic);
}

/* ---- Operands ---- */

const struct isa_sass_operand *sim_sass_peek(const struct sim_sass_builder *b)
{
    return b->next < b->sass->operand_count ? &b->sass->operands[b->next] : NULL;
}

const struct isa_sass_operand *sim_sass_take(struct sim_sass_builder *b)
{
    static const struct isa_sass_operand none = {.kind = ISA_SASS_NONE};
    if (b->next < b->sass->operand_count)
        return &b->sass->operands[b->next++];
    sim_sass_refuse(b, "a form with fewer operands");
    return &none;
}

bool sim_sass_next_is_pred(const struct sim_sass_builder *b)
{
    const struct isa_sass_operand *o = sim_sass_peek(b);
    return o != NULL && (o->kind == ISA_SASS_PRED || o->kind == ISA_SASS_UPRED);
}

int8_t sim_sass_pred_number(const struct isa_sass_operand *o)
{
    if (o->index == ISA_SASS_PT)
        return -1;
    return (int8_t)(o->index + (o->kind == ISA_SASS_UPRED ? 7 : 0));
}

uint32_t sim_sass_constant_row(struct sim_sass_builder *b, uint64_t value, uint32_t rows)
{
    return sim_constant_row(b->constants, value, rows);
}

uint32_t sim_sass_special_row(struct sim_sass_builder *b, enum isa_sreg sreg)
{
    struct sim_program *p = b->program;
    if (p->special[sreg] == UINT8_MAX) {
        p->special[sreg] = (uint8_t)p->special_rows;
        p->special_rows += isa_type_slots(isa_sregs[sreg].type);
    }
    return SIM_ROW(SIM_ROW_SPECIAL, p->special[sreg]);
}

static uint32_t register_row(struct sim_sass_builder *b, const struct isa_sass_operand *o, uint32_t rows)
{
    bool uniform = o->kind == ISA_SASS_UREG;
    uint32_t limit = uniform ? b->uniform_rows : b->register_rows;
    if (o->index + rows > limit) {
        sim_sass_refuse(b, "a register past the kernel's last one");
        return sim_sass_constant_row(b, 0, rows);
    }
    return SIM_ROW(SIM_ROW_FRAME, (uniform ? b->register_rows : 0) + o->index);
}

uint32_t sim_sass_row(struct sim_sass_builder *b, const struct isa_sass_operand *o, uint32_t rows)
{
    uint64_t value = 0;
    switch (o->kind) {
    case ISA_SASS_REG:
        return o->index == ISA_SASS_RZ ? sim_sass_constant_row(b, 0, rows) : register_row(b, o, rows);
    case ISA_SASS_UREG:
        return o->index == ISA_SASS_URZ ? sim_sass_constant_row(b, 0, rows) : register_row(b, o, rows);
    case ISA_SASS_IMM:
        return sim_sass_constant_row(b, (uint64_t)o->value, rows);
    case ISA_SASS_ADDRESS:
        value = sim_sass_address_of(b->program, o->function >= 0, (uint32_t)(o->function >= 0 ? o->function : o->var)) +
                (uint64_t)o->value;
        return sim_sass_constant_row(b, o->index != 0 ? value >> 32 : value & UINT32_MAX, rows);
    case ISA_SASS_CONST:
        if (o->base != ISA_SASS_RZ || o->ubase != ISA_SASS_URZ) {
            sim_sass_refuse(b, "a constant at an address in a register");
            return sim_sass_constant_row(b, 0, rows);
        }
        if (!sim_sass_constant(b->program, o->bank, o->value, rows * 4, &value))
            sim_sass_refuse(b, "a constant past its bank's end");
        return sim_sass_constant_row(b, value, rows);
    default:
        sim_sass_refuse(b, "an operand of this kind");
        return sim_sass_constant_row(b, 0, rows);
    }
}

void sim_sass_dst(struct sim_sass_builder *b, uint32_t rows)
{
    const struct isa_sass_operand *o = sim_sass_take(b);
    b->op->dst_rows = b->op->vec_rows = (uint8_t)rows;
    if (o->kind != ISA_SASS_REG && o->kind != ISA_SASS_UREG) {
        sim_sass_refuse(b, "a result that is not a register");
        return;
    }
    b->more->uniform |= o->kind == ISA_SASS_UREG;
    if (o->part != ISA_SASS_PART_NONE)
        sim_sass_refuse(b, "a part of the result");
    if (o->index != (o->kind == ISA_SASS_UREG ? ISA_SASS_URZ : ISA_SASS_RZ))
        b->op->dst = register_row(b, o, rows);
}

void sim_sass_pdst(struct sim_sass_builder *b, unsigned most)
{
    for (unsigned n = 0; n < most && sim_sass_next_is_pred(b); n++) {
        const struct isa_sass_operand *o = sim_sass_take(b);
        b->more->pdst[n] = sim_sass_pred_number(o);
        b->more->uniform |= o->kind == ISA_SASS_UPRED;
    }
}

void sim_sass_psrc(struct sim_sass_builder *b, unsigned n)
{
    if (!sim_sass_next_is_pred(b))
        return;
    const struct isa_sass_operand *o = sim_sass_take(b);
    b->more->psrc[n] = (struct sim_sass_pred){sim_sass_pred_number(o), o->inverted};
}

int64_t sim_sass_immediate(struct sim_sass_builder *b)
{
    const struct isa_sass_operand *o = sim_sass_take(b);
    if (o->kind != ISA_SASS_IMM || o->negative || o->inverted)
        sim_sass_refuse(b, "an operand that is not a number");
    return o->value;
}

/* How "-", "|..|" and "~" are done for a type. */
static uint8_t change_of(struct sim_sass_builder *b, const struct isa_sass_operand *o, uint8_t type)
{
    if (o->inverted)
        return SIM_SASS_NOT;
    if (!o->negative && !o->absolute)
        return SIM_SASS_PLAIN;
    unsigned which = o->negative && o->absolute ? 2 : o->absolute ? 1 : 0;
    switch (type) {
    case ISA_TYPE_F32:
        return (uint8_t)(SIM_SASS_NEG_F32 + which);
    case ISA_TYPE_F64:
        return (uint8_t)(SIM_SASS_NEG_F64 + which);
    case ISA_TYPE_F16X2:
    case ISA_TYPE_BF16X2:
        return (uint8_t)(SIM_SASS_NEG_H2 + which);
    default:
        if (o->absolute)
            sim_sass_refuse(b, "|..| of an integer");
        return isa_types[type].bits == 64 ? SIM_SASS_NEG64 : SIM_SASS_NEG;
    }
}

/* The bits of an immediate of a type: encodings hold 32 bits; those of an f64 are its upper half. */
static uint64_t immediate_bits(const struct isa_sass_operand *o, uint8_t type)
{
    if (type == ISA_TYPE_F64)
        return (uint64_t)(uint32_t)o->value << 32;
    if (isa_types[type].class == ISA_CLASS_SIGNED)
        return (uint64_t)(int64_t)(int32_t)o->value;
    return (uint64_t)(uint32_t)o->value;
}

void sim_sass_src(struct sim_sass_builder *b, unsigned n, uint32_t rows, uint8_t type)
{
    const struct isa_sass_operand *o = sim_sass_take(b);
    b->more->rows[n] = (uint8_t)rows;
    b->more->change[n] = change_of(b, o, type);
    b->more->part[n] = o->part;
    uint64_t value = 0;
    if (o->kind == ISA_SASS_CONST && type == ISA_TYPE_F64 && o->base == ISA_SASS_RZ && o->ubase == ISA_SASS_URZ) {
        if (!sim_sass_constant(b->program, o->bank, o->value, 8, &value))
            sim_sass_refuse(b, "a constant past its bank's end");
        b->op->src[n] = sim_sass_constant_row(b, value, 2);
        return;
    }
    if (o->kind == ISA_SASS_IMM) {
        b->op->src[n] = sim_sass_constant_row(b, immediate_bits(o, type), rows);
        return;
    }
    b->op->src[n] = sim_sass_row(b, o, rows);
}

/* ---- Finishing an operation ---- */

struct isa_insn *sim_sass_act_as(struct sim_sass_builder *b, enum isa_op op)
{
    struct isa_insn *insn = base_arena_alloc(b->arena, 1, sizeof(*insn));
    if (insn == NULL) {
        b->failed = true;
        return &b->spare;
    }
    *insn = *b->insn;
    insn->op = (uint16_t)op;
    b->op->insn = insn;
    return insn;
}

sim_lane_fn *sim_sass_like(struct sim_sass_builder *b, enum isa_op op, enum isa_type type, enum isa_type type2,
                           const struct isa_mods *mods)
{
    struct isa_insn insn = {.op = (uint16_t)op, .type = (uint8_t)type, .type2 = (uint8_t)type2};
    if (mods != NULL)
        insn.mods = *mods;
    sim_lane_fn *fn = sim_exec_find(&insn, b->level);
    if (fn == NULL)
        sim_sass_refuse(b, "this combination of types and words");
    return fn;
}

void sim_sass_through(struct sim_sass_builder *b, sim_sass_run *run)
{
    b->op->kind = SIM_K_MACHINE;
    b->more->run = run;
}

static bool is_plain(const struct sim_sass_op *more)
{
    bool plain = !more->uniform && more->pdst[0] < 0 && more->pdst[1] < 0;
    for (unsigned i = 0; i < 4; i++)
        plain = plain && more->change[i] == SIM_SASS_PLAIN && more->part[i] == ISA_SASS_PART_NONE;
    for (unsigned i = 0; i < 3; i++)
        plain = plain && more->psrc[i].number == -2;
    return plain;
}

static bool is_constant(const struct sim_sass_builder *b, unsigned n)
{
    return b->op->src[n] >> 30 == SIM_ROW_CONST;
}

/* The rows of a constant source. */
static void constant_rows(const struct sim_sass_builder *b, unsigned n, uint32_t rows[4][32])
{
    const uint64_t value = sim_constant_value(b->constants, b->op->src[n]);
    for (unsigned r = 0; r < 4; r++)
        for (unsigned i = 0; i < 32; i++)
            rows[r][i] = r < 2 ? (uint32_t)(value >> 32 * r) : 0;
}

static uint32_t row_of_value(struct sim_sass_builder *b, uint32_t rows[4][32], uint32_t count)
{
    return sim_sass_constant_row(b, count > 1 ? (uint64_t)rows[1][0] << 32 | rows[0][0] : rows[0][0], count);
}

/* A constant with a sign is another constant. */
static void fold_source(struct sim_sass_builder *b, unsigned n)
{
    struct sim_sass_op *more = b->more;
    uint32_t rows[4][32], changed[4][32];
    if (!is_constant(b, n) || more->rows[n] > 2 ||
        (more->change[n] == SIM_SASS_PLAIN && more->part[n] == ISA_SASS_PART_NONE))
        return;
    constant_rows(b, n, rows);
    sim_sass_change(more, n, rows[0], changed);
    b->op->src[n] = row_of_value(b, changed, more->rows[n]);
    more->change[n] = SIM_SASS_PLAIN;
    more->part[n] = ISA_SASS_PART_NONE;
}

/* What is computed from constants alone is one: compilers move numbers into registers so (HFMA2.MMA R, -RZ, RZ, ...).
 */
static void fold_operation(struct sim_sass_builder *b)
{
    struct sim_op *op = b->op;
    uint32_t in[4][4][32] __attribute__((aligned(64))), out[4][32] __attribute__((aligned(64)));
    for (unsigned n = 0; n < 4; n++) {
        if (!is_constant(b, n))
            return;
        constant_rows(b, n, in[n]);
    }
    if (op->fn == NULL || op->vec_rows > 2)
        return;
    (void)op->fn(out[0], in[0][0], in[1][0], in[2][0], in[3][0], 0);
    op->fn = sim_sass_like(b, ISA_OP_MOV, op->vec_rows > 1 ? ISA_TYPE_B64 : ISA_TYPE_B32, ISA_TYPE_NONE, NULL);
    op->src[0] = row_of_value(b, out, op->vec_rows);
}

void sim_sass_alu(struct sim_sass_builder *b, sim_lane_fn *fn, uint32_t rows)
{
    b->op->fn = fn;
    b->op->vec_rows = b->op->dst_rows = (uint8_t)rows;
    for (unsigned i = 0; i < 4; i++) /* a lane function may look at any row */
        if (b->op->src[i] == SIM_ROW_NONE)
            b->op->src[i] = sim_sass_constant_row(b, 0, 4);
    for (unsigned i = 0; i < 4; i++)
        fold_source(b, i);
    if (b->more->run != NULL) /* it does more than the function, even where all is constant */
        return;
    if (is_plain(b->more) && b->op->dst != SIM_ROW_NONE) {
        b->op->kind = SIM_K_ALU;
        fold_operation(b);
        return;
    }
    sim_sass_through(b, sim_sass_run_alu);
}
