/* Control opcodes: branches, calls, convergence barriers, block and cluster barriers.
 *
 * Machine code passes return addresses in registers: a call is a branch, and a return a branch to a register. A place
 * in code is its function's byte offset, or SIM_CODE_BASE plus the byte offset in all of the module's code. */
#include "sim/sass/lower.h"

static uint32_t target_op(struct sim_sass_builder *b, int64_t offset, int32_t function)
{
    uint32_t f = function >= 0 ? (uint32_t)function : b->function_index;
    uint64_t count = b->module->functions[f].insn_count;
    if (offset < 0 || (uint64_t)offset % ISA_SASS_INSN_BYTES != 0 || (uint64_t)offset / ISA_SASS_INSN_BYTES >= count) {
        sim_sass_refuse(b, "a target outside the function");
        return b->op_first;
    }
    return b->program->function_entry[f] + (uint32_t)((uint64_t)offset / ISA_SASS_INSN_BYTES);
}

static uint32_t take_target(struct sim_sass_builder *b)
{
    const struct isa_sass_operand *o = sim_sass_take(b);
    if (o->kind != ISA_SASS_IMM && o->kind != ISA_SASS_TARGET) {
        sim_sass_refuse(b, "a target of this kind");
        return b->op_first;
    }
    return target_op(b, o->value, o->kind == ISA_SASS_TARGET ? o->function : -1);
}

static void set_psrc(struct sim_sass_builder *b)
{
    sim_sass_psrc(b, 0);
    struct sim_sass_pred p = b->more->psrc[0];
    if (p.number == -1 && p.negated)
        sim_sass_refuse(b, "a branch that is never taken");
    if (p.number >= 0) {
        b->op->psrc = p.number;
        b->op->psrc_negated = p.negated;
    }
}

void sim_sass_lower_bra(struct sim_sass_builder *b)
{
    bool apart = sim_sass_word(b, ISA_SASS_W_DIV), together = !apart && sim_sass_word(b, ISA_SASS_W_CONV);
    (void)sim_sass_word(b, ISA_SASS_W_U);
    if (sim_sass_word(b, ISA_SASS_W_ANY)) {
        b->op->kind = SIM_K_BRA_ANY;
    } else if (apart || together) {
        b->op->mode = together;
        sim_sass_src(b, 0, 1, ISA_TYPE_U32);
        b->op->kind = SIM_K_BRA_APART;
        if (b->more->change[0] == SIM_SASS_NOT && b->sass->operands[0].index == ISA_SASS_URZ) {
            b->more->change[0] = SIM_SASS_PLAIN;
            b->op->src[0] = sim_sass_constant_row(b, UINT32_MAX, 1);
        }
        if (b->more->change[0] != SIM_SASS_PLAIN)
            sim_sass_refuse(b, "a mask that is changed");
    } else {
        set_psrc(b);
        b->op->kind = SIM_K_BRA;
    }
    b->op->target = take_target(b);
}

/* BRX R4 -0x120, RET.REL.NODEC R20 0x0, JMX R4: to a register, plus the place behind this instruction and an offset
 * when relative. The listing shows the sum of those two for RET. */
void sim_sass_lower_brx(struct sim_sass_builder *b)
{
    bool relative = b->sass->op == ISA_SASS_BRX || b->sass->op == ISA_SASS_BRXU;
    bool is_return = b->sass->op == ISA_SASS_RET;
    if (is_return)
        relative = sim_sass_word(b, ISA_SASS_W_REL);
    (void)sim_sass_word(b, ISA_SASS_W_ABS);
    (void)sim_sass_word(b, ISA_SASS_W_NODEC);
    sim_sass_src(b, 0, 2, ISA_TYPE_U64);
    int64_t offset = 0;
    const struct isa_sass_operand *o = sim_sass_peek(b);
    if (o != NULL && (o->kind == ISA_SASS_IMM || o->kind == ISA_SASS_TARGET)) {
        (void)sim_sass_take(b);
        offset = o->value;
    }
    int64_t base = (int64_t)SIM_CODE_BASE + (int64_t)b->op_first * ISA_SASS_INSN_BYTES;
    if (relative && !is_return)
        offset += (int64_t)b->insn->pc + ISA_SASS_INSN_BYTES;
    b->op->offset = relative ? base + offset : offset;
    b->op->kind = SIM_K_JUMP;
}

void sim_sass_lower_call(struct sim_sass_builder *b)
{
    bool relative = sim_sass_word(b, ISA_SASS_W_REL);
    (void)sim_sass_word(b, ISA_SASS_W_ABS);
    (void)sim_sass_word(b, ISA_SASS_W_NOINC);
    const struct isa_sass_operand *o = sim_sass_peek(b);
    if (o != NULL && (o->kind == ISA_SASS_REG || o->kind == ISA_SASS_UREG)) {
        sim_sass_src(b, 0, 2, ISA_TYPE_U64);
        o = sim_sass_peek(b);
        int64_t offset = o != NULL ? sim_sass_immediate(b) : 0;
        b->op->offset = offset;
        if (relative)
            b->op->offset += (int64_t)SIM_CODE_BASE + (int64_t)b->op_first * ISA_SASS_INSN_BYTES;
        b->op->kind = SIM_K_JUMP;
        return;
    }
    b->op->target = take_target(b);
    b->op->kind = SIM_K_BRA;
}

void sim_sass_lower_exit(struct sim_sass_builder *b)
{
    set_psrc(b);
    b->op->kind = SIM_K_EXIT;
}

/* ---- Convergence ---- */

static void take_barrier(struct sim_sass_builder *b)
{
    const struct isa_sass_operand *o = sim_sass_take(b);
    if (o->kind != ISA_SASS_CONV)
        sim_sass_refuse(b, "a form without a convergence barrier");
    b->op->pdst = (int32_t)(SIM_SASS_PREDICATES + o->index * SIM_CONV_WORDS);
}

void sim_sass_lower_bssy(struct sim_sass_builder *b)
{
    (void)sim_sass_word(b, ISA_SASS_W_RELIABLE);
    take_barrier(b);
    b->op->target = take_target(b);
    b->op->kind = SIM_K_BSSY;
}

void sim_sass_lower_bsync(struct sim_sass_builder *b)
{
    (void)sim_sass_word(b, ISA_SASS_W_RELIABLE);
    set_psrc(b);
    if (b->op->psrc >= 0)
        sim_sass_refuse(b, "a second predicate");
    take_barrier(b);
    b->op->kind = SIM_K_BSYNC;
}

void sim_sass_lower_break(struct sim_sass_builder *b)
{
    (void)sim_sass_word(b, ISA_SASS_W_RELIABLE);
    set_psrc(b);
    take_barrier(b);
    b->op->kind = SIM_K_BREAK;
}

/* BMOV d, B0 / BMOV B0, a: the lanes that will meet. .CLEAR: they no longer will. */
static bool run_bmov(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                     uint32_t mask)
{
    uint32_t *conv = &warp->preds[group->pframe + (uint32_t)op->pdst];
    if (op->machine->flags == 2) { /* to the barrier */
        const uint32_t *row = sim_row(engine->program, warp, group, op->src[0]);
        sim_conv_remove(conv, mask);
        if (mask != 0 && (row[__builtin_ctz(mask)] & mask) != 0)
            sim_conv_join(conv, row[__builtin_ctz(mask)] & warp->alive);
        conv[SIM_CONV_MOVED] |= mask;
        return true;
    }
    uint32_t out[32] __attribute__((aligned(64))), company = sim_conv_company(conv, mask);
    for (unsigned i = 0; i < 32; i++)
        out[i] = company;
    sim_sass_write(engine, warp, group, op, out, 1, mask);
    if (op->machine->flags == 1)
        sim_conv_remove(conv, mask);
    return true;
}

void sim_sass_lower_bmov(struct sim_sass_builder *b)
{
    (void)sim_sass_word(b, ISA_SASS_W_32);
    if (sim_sass_word(b, ISA_SASS_W_PRIVATE))
        sim_sass_refuse(b, ".PRIVATE");
    b->more->flags = sim_sass_word(b, ISA_SASS_W_CLEAR);
    const struct isa_sass_operand *o = sim_sass_peek(b);
    if (o != NULL && o->kind == ISA_SASS_CONV) {
        b->more->flags = 2;
        take_barrier(b);
        sim_sass_src(b, 0, 1, ISA_TYPE_U32);
    } else {
        sim_sass_dst(b, 1);
        take_barrier(b);
    }
    sim_sass_through(b, run_bmov);
}

void sim_sass_lower_warpsync(struct sim_sass_builder *b)
{
    bool all = sim_sass_word(b, ISA_SASS_W_ALL), collective = sim_sass_word(b, ISA_SASS_W_COLLECTIVE);
    b->op->mode = collective ? SIM_SASS_COLLECTIVE : sim_sass_word(b, ISA_SASS_W_EXCLUSIVE) ? SIM_SASS_EXCLUSIVE : 0;
    b->op->is_sync = true;
    if (all)
        b->op->src[3] = sim_sass_constant_row(b, UINT32_MAX, 1);
    else
        b->op->src[3] = sim_sass_row(b, sim_sass_take(b), 1);
    if (collective)
        b->op->target = take_target(b);
    b->op->kind = SIM_K_WARPSYNC;
}

void sim_sass_lower_endcollective(struct sim_sass_builder *b)
{
    b->op->kind = SIM_K_END_COLLECTIVE;
}

void sim_sass_lower_yield(struct sim_sass_builder *b)
{
    b->op->kind = SIM_K_YIELD;
}

/* ---- Barriers ---- */

void sim_sass_lower_bar(struct sim_sass_builder *b)
{
    static const uint8_t reductions[] = {ISA_SASS_W_POPC, ISA_SASS_W_AND, ISA_SASS_W_OR, ISA_SASS_W_NONE};
    struct sim_op *op = b->op;
    op->kind = SIM_K_BAR;
    (void)sim_sass_word(b, ISA_SASS_W_DEFER_BLOCKING);
    if (sim_sass_word(b, ISA_SASS_W_ARV)) {
        op->mode = 1;
    } else if (sim_sass_word(b, ISA_SASS_W_RED)) {
        enum isa_sass_word how = sim_sass_word_of(b, reductions);
        if (how == ISA_SASS_W_NONE)
            sim_sass_refuse(b, "a reduction of this kind");
        b->more->flags = SIM_SASS_VOTES_KEPT | (how == ISA_SASS_W_AND ? SIM_SASS_VOTES_AND : 0);
    } else if (!sim_sass_word(b, ISA_SASS_W_SYNC)) {
        sim_sass_refuse(b, "a form of this kind");
    }
    const struct isa_sass_operand *number = sim_sass_take(b), *o = sim_sass_peek(b);
    op->src[0] = sim_sass_row(b, number, 1);
    if (o != NULL && number != NULL && number->kind == ISA_SASS_REG && o->kind == ISA_SASS_REG &&
        number->index == o->index) {
        (void)sim_sass_take(b);
        b->more->flags |= SIM_SASS_BARRIER_PACKED;
    } else if (o != NULL && !sim_sass_next_is_pred(b)) {
        op->src[1] = sim_sass_row(b, sim_sass_take(b), 1);
        op->has_optional = true;
    }
    set_psrc(b);
    if ((b->more->flags & SIM_SASS_VOTES_KEPT) != 0 && op->psrc < 0) /* PT */
        b->more->flags |= SIM_SASS_VOTES_TRUE;
}

/* B2R.RESULT d, p: what the last reducing barrier of this thread found. */
static bool run_b2r(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                    uint32_t mask)
{
    uint32_t out[32] __attribute__((aligned(64)));
    for (unsigned i = 0; i < 32; i++)
        out[i] = warp->votes_true;
    sim_sass_write(engine, warp, group, op, out, 1, mask);
    uint32_t result = warp->votes_result ? UINT32_MAX : 0;
    sim_sass_write_pred(warp, group, op, 0, result, mask);
    return true;
}

void sim_sass_lower_b2r(struct sim_sass_builder *b)
{
    if (!sim_sass_word(b, ISA_SASS_W_RESULT))
        sim_sass_refuse(b, "a form of this kind");
    sim_sass_dst(b, 1);
    sim_sass_pdst(b, 1);
    sim_sass_through(b, run_b2r);
}

void sim_sass_lower_cgabar(struct sim_sass_builder *b)
{
    b->words_used = UINT32_MAX;
    b->op->kind = b->sass->op == ISA_SASS_UCGABAR_ARV ? SIM_K_CLUSTER_ARRIVE : SIM_K_CLUSTER_WAIT;
}

void sim_sass_lower_bpt(struct sim_sass_builder *b)
{
    b->words_used = UINT32_MAX;
    b->next = b->sass->operand_count;
    b->op->kind = SIM_K_TRAP;
}
