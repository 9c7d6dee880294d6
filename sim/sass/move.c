/* Moves between registers, special registers, and what looks across lanes. */
#include "sim/sass/lower.h"

static const struct isa_mods no_mods = {0};

void sim_sass_lower_mov(struct sim_sass_builder *b)
{
    bool wide = sim_sass_word(b, ISA_SASS_W_64);
    uint32_t rows = wide ? 2 : 1;
    sim_sass_dst(b, rows);
    sim_sass_src(b, 0, rows, wide ? ISA_TYPE_U64 : ISA_TYPE_U32);
    if (b->next < b->sass->operand_count && sim_sass_immediate(b) != 0xf) /* MOV's byte mask */
        sim_sass_refuse(b, "a byte mask");
    sim_sass_alu(b, sim_sass_like(b, ISA_OP_MOV, wide ? ISA_TYPE_B64 : ISA_TYPE_B32, ISA_TYPE_NONE, &no_mods), rows);
}

/* ---- Special registers ---- */

static const struct {
    uint8_t sass, sreg;
} sregs[] = {
    {ISA_SASS_SR_TID_X, ISA_SREG_TID_X},        {ISA_SASS_SR_TID_Y, ISA_SREG_TID_Y},
    {ISA_SASS_SR_TID_Z, ISA_SREG_TID_Z},        {ISA_SASS_SR_CTAID_X, ISA_SREG_CTAID_X},
    {ISA_SASS_SR_CTAID_Y, ISA_SREG_CTAID_Y},    {ISA_SASS_SR_CTAID_Z, ISA_SREG_CTAID_Z},
    {ISA_SASS_SR_VIRTUALSMID, ISA_SREG_SMID},   {ISA_SASS_SR_LANEID, ISA_SREG_LANEID},
    {ISA_SASS_SR_EQMASK, ISA_SREG_LANEMASK_EQ}, {ISA_SASS_SR_LTMASK, ISA_SREG_LANEMASK_LT},
    {ISA_SASS_SR_LEMASK, ISA_SREG_LANEMASK_LE}, {ISA_SASS_SR_GTMASK, ISA_SREG_LANEMASK_GT},
    {ISA_SASS_SR_GEMASK, ISA_SREG_LANEMASK_GE}, {ISA_SASS_SR_CGACTAID, ISA_SREG_CLUSTER_CTARANK},
    {ISA_SASS_SR_GRIDID, ISA_SREG_GRIDID},
};

static void read_time(struct sim_sass_builder *b, enum isa_sreg sreg)
{
    b->op->kind = SIM_K_TIME;
    b->op->mode = (uint8_t)sreg;
}

/* SR_VIRTID: the warp's place: SM number from bit 20 on, warp in it from bit 8 on. */
static bool run_virtid(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                       const struct sim_op *op, uint32_t mask)
{
    uint32_t out[32] __attribute__((aligned(64)));
    for (unsigned i = 0; i < 32; i++)
        out[i] = warp->block->smid << 20 | (warp->index & 0x7fU) << 8;
    sim_sass_write(engine, warp, group, op, out, 1, mask);
    return true;
}

void sim_sass_lower_s2r(struct sim_sass_builder *b)
{
    bool narrow = sim_sass_word(b, ISA_SASS_W_32);
    bool wide = (b->sass->op == ISA_SASS_CS2R || b->sass->op == ISA_SASS_CS2UR) && !narrow;
    (void)sim_sass_word(b, ISA_SASS_W_64);
    uint32_t rows = wide ? 2 : 1;
    sim_sass_dst(b, rows);
    const struct isa_sass_operand *o = sim_sass_take(b);
    b->more->rows[0] = (uint8_t)rows;
    if (o->kind != ISA_SASS_SREG) {
        sim_sass_refuse(b, "a special register of this kind");
        return;
    }
    sim_lane_fn *move = sim_sass_like(b, ISA_OP_MOV, wide ? ISA_TYPE_B64 : ISA_TYPE_B32, ISA_TYPE_NONE, &no_mods);
    switch (o->index) {
    case ISA_SASS_SR_ZERO:
    case ISA_SASS_SR_LMEMHIOFF: /* where the stack ends: code traps when its pointer is less */
        b->op->src[0] = sim_sass_constant_row(b, 0, rows);
        sim_sass_alu(b, move, rows);
        return;
    case ISA_SASS_SR_SWINHI:
        b->op->src[0] = sim_sass_constant_row(b, SIM_WINDOW_SHARED >> 32, rows);
        sim_sass_alu(b, move, rows);
        return;
    case ISA_SASS_SR_VIRTID:
        sim_sass_through(b, run_virtid);
        return;
    case ISA_SASS_SR_CLOCKLO:
        read_time(b, wide ? ISA_SREG_CLOCK64 : ISA_SREG_CLOCK);
        return;
    case ISA_SASS_SR_CLOCKHI:
        read_time(b, ISA_SREG_CLOCK_HI);
        return;
    case ISA_SASS_SR_GLOBALTIMERLO:
        read_time(b, wide ? ISA_SREG_GLOBALTIMER : ISA_SREG_GLOBALTIMER_LO);
        return;
    case ISA_SASS_SR_GLOBALTIMERHI:
        read_time(b, ISA_SREG_GLOBALTIMER_HI);
        return;
    default:
        break;
    }
    for (size_t i = 0; i < sizeof(sregs) / sizeof(sregs[0]); i++)
        if (sregs[i].sass == o->index && !wide) {
            b->op->src[0] = sim_sass_special_row(b, (enum isa_sreg)sregs[i].sreg);
            sim_sass_alu(b, move, 1);
            return;
        }
    sim_sass_refuse(b, isa_sass_sregs[o->index]);
}

enum { R2UR_OR = 1 }; /* sim_sass_op.flags */

/* R2UR p, d, a: d is the value of the first lane here, p says which lanes have another. .OR: or had it before. */
static bool run_r2ur(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                     uint32_t mask)
{
    const uint32_t *row = sim_row(engine->program, warp, group, op->src[0]);
    uint32_t out[32] __attribute__((aligned(64))), others = 0;
    const struct sim_sass_pred before = {op->machine->pdst[0], false};
    for (unsigned i = 0; i < 32; i++) {
        out[i] = row[__builtin_ctz(mask)];
        others |= (uint32_t)(row[i] != out[i]) << i;
    }
    if (op->machine->flags == R2UR_OR)
        others |= sim_sass_pred_lanes(warp, group, before);
    sim_set_pred(warp, group, before.number, others, mask);
    sim_sass_write(engine, warp, group, op, out, 1, mask);
    return true;
}

void sim_sass_lower_r2ur(struct sim_sass_builder *b)
{
    b->more->flags = sim_sass_word(b, ISA_SASS_W_OR) ? R2UR_OR : 0;
    sim_sass_pdst(b, 1);
    sim_sass_dst(b, 1);
    b->more->uniform = true;
    b->op->src[0] = sim_sass_row(b, sim_sass_take(b), 1);
    sim_sass_through(b, run_r2ur);
}

/* LEPC d: the address of this instruction. */
void sim_sass_lower_lepc(struct sim_sass_builder *b)
{
    sim_sass_dst(b, 2);
    uint64_t here = SIM_CODE_BASE + ((uint64_t)b->op_first * ISA_SASS_INSN_BYTES) + b->insn->pc;
    const struct isa_sass_operand *o = sim_sass_peek(b);
    if (o != NULL && (o->kind == ISA_SASS_IMM || o->kind == ISA_SASS_TARGET)) {
        (void)sim_sass_take(b);
        here = SIM_CODE_BASE + ((uint64_t)b->op_first * ISA_SASS_INSN_BYTES) + (uint64_t)o->value;
    }
    b->op->src[0] = sim_sass_constant_row(b, here, 2);
    sim_sass_alu(b, sim_sass_like(b, ISA_OP_MOV, ISA_TYPE_B64, ISA_TYPE_NONE, &no_mods), 2);
}

/* ---- Across lanes ---- */

void sim_sass_lower_shfl(struct sim_sass_builder *b)
{
    static const uint8_t words[][2] = {{ISA_SASS_W_IDX, ISA_SHFL_IDX},
                                       {ISA_SASS_W_UP, ISA_SHFL_UP},
                                       {ISA_SASS_W_DOWN, ISA_SHFL_DOWN},
                                       {ISA_SASS_W_BFLY, ISA_SHFL_BFLY}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (sim_sass_word(b, (enum isa_sass_word)words[i][0]))
            b->op->mode = words[i][1];
    if (b->op->mode == ISA_SHFL_NONE)
        sim_sass_refuse(b, "a form of this kind");
    sim_sass_pdst(b, 1);
    b->op->pdst = b->more->pdst[0];
    sim_sass_dst(b, 1);
    for (unsigned n = 0; n < 3; n++)
        b->op->src[n] = sim_sass_row(b, sim_sass_take(b), 1);
    b->op->kind = SIM_K_SHFL;
}

static bool run_vote(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                     uint32_t mask)
{
    uint32_t out[32] __attribute__((aligned(64)));
    uint32_t p = sim_sass_pred_lanes(warp, group, op->machine->psrc[0]) & mask;
    bool result = op->mode == ISA_VOTE_ALL ? p == mask : op->mode == ISA_VOTE_ANY ? p != 0 : p == mask || p == 0;
    for (unsigned i = 0; i < 32; i++)
        out[i] = p;
    sim_sass_write(engine, warp, group, op, out, 1, mask);
    sim_sass_write_pred(warp, group, op, 0, result ? UINT32_MAX : 0, mask);
    return true;
}

/* VOTE.ANY d, p, q: d = lanes where q holds, p = whether any, all, or all alike. */
void sim_sass_lower_vote(struct sim_sass_builder *b)
{
    b->op->mode = sim_sass_word(b, ISA_SASS_W_ALL)   ? ISA_VOTE_ALL
                  : sim_sass_word(b, ISA_SASS_W_ANY) ? ISA_VOTE_ANY
                  : sim_sass_word(b, ISA_SASS_W_EQ)  ? ISA_VOTE_UNI
                                                     : ISA_VOTE_NONE;
    if (b->op->mode == ISA_VOTE_NONE)
        sim_sass_refuse(b, "a form of this kind");
    if (!sim_sass_next_is_pred(b))
        sim_sass_dst(b, 1);
    sim_sass_pdst(b, 1);
    sim_sass_psrc(b, 0);
    if (b->more->psrc[0].number == -2)
        sim_sass_refuse(b, "a form with fewer predicates");
    sim_sass_through(b, run_vote);
}

void sim_sass_lower_match(struct sim_sass_builder *b)
{
    b->op->mode2 = sim_sass_word(b, ISA_SASS_W_ALL);
    if (b->op->mode2 == 0 && !sim_sass_word(b, ISA_SASS_W_ANY))
        sim_sass_refuse(b, "a form of this kind");
    bool wide = sim_sass_word(b, ISA_SASS_W_U64);
    b->op->type = wide ? ISA_TYPE_B64 : ISA_TYPE_B32;
    sim_sass_pdst(b, 1);
    b->op->pdst = b->more->pdst[0];
    sim_sass_dst(b, 1);
    b->op->src[0] = sim_sass_row(b, sim_sass_take(b), wide ? 2 : 1);
    b->op->kind = SIM_K_MATCH;
}

static bool run_redux(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                      const struct sim_op *op, uint32_t mask)
{
    const uint32_t *a = sim_row(engine->program, warp, group, op->src[0]);
    uint32_t out[32] __attribute__((aligned(64)));
    uint64_t value = a[__builtin_ctz(mask)];
    for (uint32_t m = mask & (mask - 1); m != 0; m &= m - 1)
        value = sim_atom_apply(op->mode, op->type, value, a[__builtin_ctz(m)], 0);
    for (unsigned i = 0; i < 32; i++)
        out[i] = (uint32_t)value;
    sim_sass_write(engine, warp, group, op, out, 1, mask);
    return true;
}

void sim_sass_lower_redux(struct sim_sass_builder *b)
{
    static const uint8_t words[][2] = {{ISA_SASS_W_SUM, ISA_ATOM_ADD}, {ISA_SASS_W_MIN, ISA_ATOM_MIN},
                                       {ISA_SASS_W_MAX, ISA_ATOM_MAX}, {ISA_SASS_W_AND, ISA_ATOM_AND},
                                       {ISA_SASS_W_OR, ISA_ATOM_OR},   {ISA_SASS_W_XOR, ISA_ATOM_XOR}};
    bool is_signed = sim_sass_word(b, ISA_SASS_W_S32);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (sim_sass_word(b, (enum isa_sass_word)words[i][0]))
            b->op->mode = words[i][1];
    if (b->op->mode == ISA_ATOM_NONE && b->sass->word_count == 0)
        b->op->mode = ISA_ATOM_AND; /* REDUX alone */
    (void)sim_sass_word(b, ISA_SASS_W_U32);
    bool bits = b->op->mode == ISA_ATOM_AND || b->op->mode == ISA_ATOM_OR || b->op->mode == ISA_ATOM_XOR;
    b->op->type = bits ? ISA_TYPE_B32 : is_signed ? ISA_TYPE_S32 : ISA_TYPE_U32;
    sim_sass_dst(b, 1);
    b->op->src[0] = sim_sass_row(b, sim_sass_take(b), 1);
    sim_sass_through(b, run_redux);
}

/* ELECT p, d, q: the first lane here. */
static bool run_elect(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                      const struct sim_op *op, uint32_t mask)
{
    uint32_t out[32] __attribute__((aligned(64)));
    unsigned leader = (unsigned)__builtin_ctz(mask);
    for (unsigned i = 0; i < 32; i++)
        out[i] = leader;
    sim_sass_write(engine, warp, group, op, out, 1, mask);
    sim_set_pred(warp, group, op->machine->pdst[0], UINT32_C(1) << leader, mask);
    return true;
}

void sim_sass_lower_elect(struct sim_sass_builder *b)
{
    sim_sass_pdst(b, 1);
    sim_sass_dst(b, 1);
    b->more->uniform = true;
    sim_sass_psrc(b, 0);
    if (b->more->psrc[0].number != -1 || b->more->psrc[0].negated)
        sim_sass_refuse(b, "a predicate");
    sim_sass_through(b, run_elect);
}
