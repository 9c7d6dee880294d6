/* Integer opcodes: IADD3, IMAD, LEA, LOP3, SHF, comparisons, bit operations, and those of predicates. Their uniform
 * twins (UIADD3 ...) are the same with uniform registers. */
#include "sim/sass/lane.h"
#include "sim/sass/lower.h"

#include <string.h>

static const struct isa_mods no_mods = {0};

static sim_lane_fn *lane(struct sim_sass_builder *b, enum sim_sass_lane which)
{
    return sim_sass_lane(which, b->level);
}

/* ---- Sums ---- */

enum { ADD_NEGATED = 3 }; /* of sim_sass_op.flags: how many sources are negated by inverting and adding one */

/* Adds carries and the ones of negated sources as a fourth source. */
static bool run_add(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                    uint32_t mask)
{
    const struct sim_sass_op *more = op->machine;
    struct sim_sass_sources s;
    uint32_t out[4][32] __attribute__((aligned(64))), extra[32] __attribute__((aligned(64)));
    sim_sass_fetch(engine, warp, group, op, &s);
    uint32_t carry[2] = {0, 0};
    for (unsigned n = 0; n < 2; n++)
        if (more->psrc[n].number != -2)
            carry[n] = sim_sass_pred_lanes(warp, group, more->psrc[n]);
    for (unsigned i = 0; i < 32; i++)
        extra[i] = (more->flags & ADD_NEGATED) + (carry[0] >> i & 1) + (carry[1] >> i & 1);
    uint64_t flags = op->fn(out[0], s.row[0], s.row[1], s.row[2], extra, 0);
    sim_sass_write(engine, warp, group, op, out[0], op->vec_rows, mask);
    sim_sass_write_pred(warp, group, op, 0, (uint32_t)flags, mask);
    sim_sass_write_pred(warp, group, op, 1, (uint32_t)(flags >> 32), mask);
    return true;
}

/* Sources that are to be negated are inverted instead, and counted: only so is the carry right. */
static void negate_by_inverting(struct sim_sass_builder *b)
{
    for (unsigned n = 0; n < 3; n++)
        if (b->more->change[n] == SIM_SASS_NEG) {
            b->more->change[n] = SIM_SASS_NOT;
            b->more->flags++;
        }
}

void sim_sass_lower_iadd3(struct sim_sass_builder *b)
{
    bool extended = sim_sass_word(b, ISA_SASS_W_X);
    sim_sass_dst(b, 1);
    sim_sass_pdst(b, 2);
    for (unsigned n = 0; n < 3; n++)
        sim_sass_src(b, n, 1, ISA_TYPE_U32);
    if (extended) {
        sim_sass_psrc(b, 0);
        sim_sass_psrc(b, 1);
    }
    if (!extended && b->more->pdst[0] < 0 && b->more->pdst[1] < 0) {
        sim_sass_alu(b, lane(b, SIM_SASS_LANE_ADD3), 1);
        return;
    }
    negate_by_inverting(b);
    sim_sass_alu(b, lane(b, SIM_SASS_LANE_ADD4), 1);
    sim_sass_through(b, run_add);
}

void sim_sass_lower_viadd(struct sim_sass_builder *b)
{
    bool halves = sim_sass_word(b, ISA_SASS_W_16X2);
    sim_sass_dst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_U32);
    sim_sass_src(b, 1, 1, ISA_TYPE_U32);
    if (halves && (b->more->change[0] != SIM_SASS_PLAIN || b->more->change[1] != SIM_SASS_PLAIN))
        sim_sass_refuse(b, "a sign of packed numbers");
    sim_sass_alu(b, sim_sass_like(b, ISA_OP_ADD, halves ? ISA_TYPE_U16X2 : ISA_TYPE_U32, ISA_TYPE_NONE, &no_mods), 1);
}

/* The words of IMAD that only tell how the assembler uses it. */
static void use_imad_names(struct sim_sass_builder *b)
{
    (void)(sim_sass_word(b, ISA_SASS_W_MOV) || sim_sass_word(b, ISA_SASS_W_IADD) || sim_sass_word(b, ISA_SASS_W_SHL));
}

void sim_sass_lower_imad(struct sim_sass_builder *b)
{
    use_imad_names(b);
    bool wide = sim_sass_word(b, ISA_SASS_W_WIDE), high = sim_sass_word(b, ISA_SASS_W_HI);
    bool is_unsigned = sim_sass_word(b, ISA_SASS_W_U32), extended = sim_sass_word(b, ISA_SASS_W_X);
    uint32_t sum_rows = wide || high ? 2 : 1;
    sim_sass_dst(b, wide ? 2 : 1);
    sim_sass_pdst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_U32);
    sim_sass_src(b, 1, 1, ISA_TYPE_U32);
    sim_sass_src(b, 2, sum_rows, sum_rows == 2 ? ISA_TYPE_S64 : ISA_TYPE_U32);
    if (extended)
        sim_sass_psrc(b, 0);
    bool carries = extended || b->more->pdst[0] >= 0;
    struct isa_mods mods = {.mode = wide ? ISA_PART_WIDE : ISA_PART_LO};
    if (!wide && !high && !carries) {
        sim_sass_alu(b, sim_sass_like(b, ISA_OP_MAD, ISA_TYPE_U32, ISA_TYPE_NONE, &mods), 1);
        return;
    }
    if (wide && !carries) {
        sim_sass_alu(b, sim_sass_like(b, ISA_OP_MAD, is_unsigned ? ISA_TYPE_U32 : ISA_TYPE_S32, ISA_TYPE_NONE, &mods),
                     2);
        return;
    }
    enum sim_sass_lane which = SIM_SASS_LANE_MAD_X;
    if (wide)
        which = is_unsigned ? SIM_SASS_LANE_MAD_WIDE_U32 : SIM_SASS_LANE_MAD_WIDE_S32;
    else if (high)
        which = is_unsigned ? SIM_SASS_LANE_MAD_HI_U32 : SIM_SASS_LANE_MAD_HI_S32;
    sim_sass_alu(b, lane(b, which), wide ? 2 : 1);
    sim_sass_through(b, run_add);
}

void sim_sass_lower_lea(struct sim_sass_builder *b)
{
    bool high = sim_sass_word(b, ISA_SASS_W_HI), extended = sim_sass_word(b, ISA_SASS_W_X);
    bool sign = sim_sass_word(b, ISA_SASS_W_SX32);
    sim_sass_dst(b, 1);
    sim_sass_pdst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_U32);
    sim_sass_src(b, 1, 1, ISA_TYPE_U32);
    if (high && !sign)
        sim_sass_src(b, 2, 1, ISA_TYPE_U32);
    sim_sass_src(b, 3, 1, ISA_TYPE_U32);
    if (extended)
        sim_sass_psrc(b, 0);
    if (b->more->change[0] == SIM_SASS_NEG && b->more->pdst[0] >= 0)
        sim_sass_refuse(b, "a carry of a negated number");
    sim_sass_alu(b, lane(b, sign ? SIM_SASS_LANE_LEA_HI_SX32 : high ? SIM_SASS_LANE_LEA_HI : SIM_SASS_LANE_LEA), 1);
}

/* ---- Logic and shifts ---- */

enum { LOP_AND = 1 };

/* The predicate says whether the result is not zero, combined with another. */
static bool run_lop3(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                     uint32_t mask)
{
    struct sim_sass_sources s;
    uint32_t out[32] __attribute__((aligned(64))), lanes = 0;
    sim_sass_fetch(engine, warp, group, op, &s);
    (void)op->fn(out, s.row[0], s.row[1], s.row[2], s.row[3], 0);
    for (unsigned i = 0; i < 32; i++)
        lanes |= (uint32_t)(out[i] != 0) << i;
    if (op->machine->psrc[0].number != -2) {
        uint32_t other = sim_sass_pred_lanes(warp, group, op->machine->psrc[0]);
        lanes = (op->machine->flags & LOP_AND) != 0 ? lanes & other : lanes | other;
    }
    sim_sass_write(engine, warp, group, op, out, 1, mask);
    sim_sass_write_pred(warp, group, op, 0, lanes, mask);
    return true;
}

void sim_sass_lower_lop3(struct sim_sass_builder *b)
{
    (void)sim_sass_word(b, ISA_SASS_W_LUT);
    b->more->flags = sim_sass_word(b, ISA_SASS_W_PAND) ? LOP_AND : 0;
    (void)sim_sass_word(b, ISA_SASS_W_POR);
    sim_sass_pdst(b, 1);
    sim_sass_dst(b, 1);
    for (unsigned n = 0; n < 4; n++)
        sim_sass_src(b, n, 1, ISA_TYPE_U32);
    sim_sass_psrc(b, 0);
    bool plain = b->more->pdst[0] < 0;
    if (plain)
        b->more->psrc[0].number = -2;
    sim_sass_alu(b, sim_sass_like(b, ISA_OP_LOP3, ISA_TYPE_B32, ISA_TYPE_NONE, &no_mods), 1);
    if (!plain)
        sim_sass_through(b, run_lop3);
}

void sim_sass_lower_shf(struct sim_sass_builder *b)
{
    static const uint8_t types[] = {ISA_SASS_W_U32, ISA_SASS_W_S32, ISA_SASS_W_U64, ISA_SASS_W_S64, ISA_SASS_W_NONE};
    bool left = sim_sass_word(b, ISA_SASS_W_L);
    bool right = !left && sim_sass_word(b, ISA_SASS_W_R);
    bool wraps = sim_sass_word(b, ISA_SASS_W_W);
    enum isa_sass_word type = sim_sass_word_of(b, types);
    bool high = sim_sass_word(b, ISA_SASS_W_HI);
    if (!left && !right)
        sim_sass_refuse(b, "a shift without a direction");
    bool is_64 = type == ISA_SASS_W_U64 || type == ISA_SASS_W_S64;
    bool is_signed = type == ISA_SASS_W_S32 || type == ISA_SASS_W_S64;
    sim_sass_dst(b, 1);
    for (unsigned n = 0; n < 3; n++)
        sim_sass_src(b, n, 1, ISA_TYPE_U32);
    unsigned which = left ? SIM_SASS_LANE_SHF_L_C32 : is_signed ? SIM_SASS_LANE_SHF_A_C32 : SIM_SASS_LANE_SHF_R_C32;
    which += (high ? 4U : 0U) + (wraps ? 2U : 0U) + (is_64 ? 1U : 0U);
    sim_sass_alu(b, lane(b, (enum sim_sass_lane)which), 1);
}

void sim_sass_lower_shl(struct sim_sass_builder *b)
{
    bool is_left = b->sass->op == ISA_SASS_SHL, is_signed = false;
    if (sim_sass_word(b, ISA_SASS_W_S32))
        is_signed = true;
    else
        (void)sim_sass_word(b, ISA_SASS_W_U32);
    sim_sass_dst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_U32);
    sim_sass_src(b, 1, 1, ISA_TYPE_U32);
    enum isa_type type = is_left ? ISA_TYPE_B32 : is_signed ? ISA_TYPE_S32 : ISA_TYPE_U32;
    sim_sass_alu(b, sim_sass_like(b, is_left ? ISA_OP_SHL : ISA_OP_SHR, type, ISA_TYPE_NONE, &no_mods), 1);
}

/* PRMT d, a, selector, b: PTX's prmt d, a, b, selector. */
void sim_sass_lower_prmt(struct sim_sass_builder *b)
{
    static const uint8_t words[] = {ISA_SASS_W_F4E, ISA_SASS_W_B4E,  ISA_SASS_W_RC8, ISA_SASS_W_ECL,
                                    ISA_SASS_W_ECR, ISA_SASS_W_RC16, ISA_SASS_W_NONE};
    static const uint8_t modes[][2] = {{ISA_SASS_W_F4E, ISA_PRMT_F4E}, {ISA_SASS_W_B4E, ISA_PRMT_B4E},
                                       {ISA_SASS_W_RC8, ISA_PRMT_RC8}, {ISA_SASS_W_ECL, ISA_PRMT_ECL},
                                       {ISA_SASS_W_ECR, ISA_PRMT_ECR}, {ISA_SASS_W_RC16, ISA_PRMT_RC16}};
    struct isa_mods mods = {0};
    enum isa_sass_word word = sim_sass_word_of(b, words);
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        if (modes[i][0] == word)
            mods.mode = modes[i][1];
    sim_sass_dst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_U32);
    sim_sass_src(b, 2, 1, ISA_TYPE_U32);
    sim_sass_src(b, 1, 1, ISA_TYPE_U32);
    sim_sass_alu(b, sim_sass_like(b, ISA_OP_PRMT, ISA_TYPE_B32, ISA_TYPE_NONE, &mods), 1);
}

/* ---- Choosing ---- */

/* By a predicate's lanes: the first lane function's result, else the second's. */
bool sim_sass_run_choose(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                         const struct sim_op *op, uint32_t mask)
{
    struct sim_sass_sources s;
    uint32_t first[4][32] __attribute__((aligned(64))), second[4][32] __attribute__((aligned(64)));
    sim_sass_fetch(engine, warp, group, op, &s);
    uint32_t lanes = sim_sass_pred_lanes(warp, group, op->machine->psrc[0]);
    (void)op->fn(first[0], s.row[0], s.row[1], s.row[2], s.row[3], 0);
    (void)op->machine->other(second[0], s.row[0], s.row[1], s.row[2], s.row[3], 0);
    engine->lanes->merge(second[0], first[0], lanes, op->vec_rows);
    sim_sass_write(engine, warp, group, op, second[0], op->vec_rows, mask);
    return true;
}

/* The first lane function where more->psrc[0] holds, else the second. */
static void choose(struct sim_sass_builder *b, sim_lane_fn *first, sim_lane_fn *second, uint32_t rows)
{
    struct sim_sass_pred p = b->more->psrc[0];
    if (p.number == -2)
        sim_sass_refuse(b, "a form without a predicate");
    if (p.number == -1) {
        b->more->psrc[0].number = -2;
        sim_sass_alu(b, p.negated ? second : first, rows);
        return;
    }
    sim_sass_alu(b, first, rows);
    b->more->other = second;
    sim_sass_through(b, sim_sass_run_choose);
}

void sim_sass_min_or_max(struct sim_sass_builder *b, enum isa_type type, const struct isa_mods *mods, uint32_t rows)
{
    sim_lane_fn *min = sim_sass_like(b, ISA_OP_MIN, type, ISA_TYPE_NONE, mods);
    choose(b, min, sim_sass_like(b, ISA_OP_MAX, type, ISA_TYPE_NONE, mods), rows);
}

void sim_sass_lower_imnmx(struct sim_sass_builder *b)
{
    static const uint8_t types[] = {ISA_SASS_W_U32, ISA_SASS_W_S32, ISA_SASS_W_U16X2, ISA_SASS_W_S16X2,
                                    ISA_SASS_W_U64, ISA_SASS_W_S64, ISA_SASS_W_NONE};
    struct isa_mods mods = {0};
    enum isa_type type = ISA_TYPE_S32;
    switch (sim_sass_word_of(b, types)) {
    case ISA_SASS_W_U32:
        type = ISA_TYPE_U32;
        break;
    case ISA_SASS_W_U16X2:
        type = ISA_TYPE_U16X2;
        break;
    case ISA_SASS_W_S16X2:
        type = ISA_TYPE_S16X2;
        break;
    case ISA_SASS_W_U64:
        type = ISA_TYPE_U64;
        break;
    case ISA_SASS_W_S64:
        type = ISA_TYPE_S64;
        break;
    default:
        break;
    }
    if (sim_sass_word(b, ISA_SASS_W_RELU))
        mods.flags |= ISA_FLAG_RELU;
    uint32_t rows = isa_type_slots(type);
    sim_sass_dst(b, rows);
    sim_sass_src(b, 0, rows, (uint8_t)type);
    sim_sass_src(b, 1, rows, (uint8_t)type);
    sim_sass_psrc(b, 0);
    sim_sass_min_or_max(b, type, &mods, rows);
}

void sim_sass_lower_viaddmnmx(struct sim_sass_builder *b)
{
    bool is_unsigned = sim_sass_word(b, ISA_SASS_W_U32);
    sim_lane_fn *min = lane(b, is_unsigned ? SIM_SASS_LANE_ADD_MIN_U32 : SIM_SASS_LANE_ADD_MIN_S32);
    sim_lane_fn *max = lane(b, is_unsigned ? SIM_SASS_LANE_ADD_MAX_U32 : SIM_SASS_LANE_ADD_MAX_S32);
    sim_sass_dst(b, 1);
    for (unsigned n = 0; n < 3; n++)
        sim_sass_src(b, n, 1, ISA_TYPE_U32);
    sim_sass_psrc(b, 0);
    choose(b, min, max, 1);
}

void sim_sass_lower_sel(struct sim_sass_builder *b)
{
    sim_sass_dst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_U32);
    sim_sass_src(b, 1, 1, ISA_TYPE_U32);
    sim_sass_psrc(b, 0);
    if (b->more->psrc[0].number == -2)
        sim_sass_refuse(b, "a form without a predicate");
    sim_sass_alu(b, sim_sass_like(b, ISA_OP_SELP, ISA_TYPE_B32, ISA_TYPE_NONE, &no_mods), 1);
}

void sim_sass_lower_iabs(struct sim_sass_builder *b)
{
    sim_sass_dst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_S32);
    sim_sass_alu(b, sim_sass_like(b, ISA_OP_ABS, ISA_TYPE_S32, ISA_TYPE_NONE, &no_mods), 1);
}

/* ---- Comparisons ---- */

uint32_t sim_sass_combine(uint8_t how, uint32_t a, uint32_t b)
{
    return how == ISA_BOOL_OR ? a | b : how == ISA_BOOL_XOR ? a ^ b : a & b;
}

/* Both predicates: the comparison and its opposite, each combined with a third. */
bool sim_sass_run_setp(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                       const struct sim_op *op, uint32_t mask)
{
    struct sim_sass_sources s;
    sim_sass_fetch(engine, warp, group, op, &s);
    const struct sim_sass_op *more = op->machine;
    uint32_t low = more->psrc[1].number == -2 ? 0 : sim_sass_pred_lanes(warp, group, more->psrc[1]);
    uint64_t result = op->fn(NULL, s.row[0], s.row[1], s.row[2], s.row[3], low);
    uint32_t p = (uint32_t)result, q = op->has_optional ? (uint32_t)(result >> 32) : ~p;
    uint32_t other = more->psrc[0].number == -2 ? UINT32_MAX : sim_sass_pred_lanes(warp, group, more->psrc[0]);
    sim_sass_write_pred(warp, group, op, 0, sim_sass_combine(op->boolop, p, other), mask);
    sim_sass_write_pred(warp, group, op, 1, sim_sass_combine(op->boolop, q, other), mask);
    return true;
}

uint8_t sim_sass_boolean(struct sim_sass_builder *b)
{
    static const uint8_t words[] = {ISA_SASS_W_AND, ISA_SASS_W_OR, ISA_SASS_W_XOR, ISA_SASS_W_NONE};
    switch (sim_sass_word_of(b, words)) {
    case ISA_SASS_W_OR:
        return ISA_BOOL_OR;
    case ISA_SASS_W_XOR:
        return ISA_BOOL_XOR;
    default:
        return ISA_BOOL_AND;
    }
}

enum isa_cmp sim_sass_comparison(struct sim_sass_builder *b)
{
    static const uint8_t words[][2] = {
        {ISA_SASS_W_EQ, ISA_CMP_EQ},   {ISA_SASS_W_NE, ISA_CMP_NE},   {ISA_SASS_W_LT, ISA_CMP_LT},
        {ISA_SASS_W_LE, ISA_CMP_LE},   {ISA_SASS_W_GT, ISA_CMP_GT},   {ISA_SASS_W_GE, ISA_CMP_GE},
        {ISA_SASS_W_EQU, ISA_CMP_EQU}, {ISA_SASS_W_NEU, ISA_CMP_NEU}, {ISA_SASS_W_LTU, ISA_CMP_LTU},
        {ISA_SASS_W_LEU, ISA_CMP_LEU}, {ISA_SASS_W_GTU, ISA_CMP_GTU}, {ISA_SASS_W_GEU, ISA_CMP_GEU},
        {ISA_SASS_W_NUM, ISA_CMP_NUM}, {ISA_SASS_W_NAN, ISA_CMP_NAN}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (sim_sass_word(b, (enum isa_sass_word)words[i][0]))
            return (enum isa_cmp)words[i][1];
    sim_sass_refuse(b, "a comparison of this kind");
    return ISA_CMP_EQ;
}

static enum sim_sass_lane extended_comparison(enum isa_cmp cmp, bool is_signed)
{
    switch (cmp) {
    case ISA_CMP_LT:
        return is_signed ? SIM_SASS_LANE_EX_LT_S32 : SIM_SASS_LANE_EX_LT_U32;
    case ISA_CMP_LE:
        return is_signed ? SIM_SASS_LANE_EX_LE_S32 : SIM_SASS_LANE_EX_LE_U32;
    case ISA_CMP_GT:
        return is_signed ? SIM_SASS_LANE_EX_GT_S32 : SIM_SASS_LANE_EX_GT_U32;
    case ISA_CMP_GE:
        return is_signed ? SIM_SASS_LANE_EX_GE_S32 : SIM_SASS_LANE_EX_GE_U32;
    case ISA_CMP_NE:
        return SIM_SASS_LANE_EX_NE;
    default:
        return SIM_SASS_LANE_EX_EQ;
    }
}

void sim_sass_lower_isetp(struct sim_sass_builder *b)
{
    enum isa_cmp cmp = sim_sass_comparison(b);
    bool is_signed = !sim_sass_word(b, ISA_SASS_W_U32);
    b->op->boolop = sim_sass_boolean(b);
    bool extended = sim_sass_word(b, ISA_SASS_W_EX);
    struct isa_mods mods = {.cmp = (uint8_t)cmp};
    sim_sass_pdst(b, 2);
    sim_sass_src(b, 0, 1, ISA_TYPE_S32);
    sim_sass_src(b, 1, 1, ISA_TYPE_S32);
    sim_sass_psrc(b, 0);
    if (extended) {
        sim_sass_psrc(b, 1);
        b->op->fn = lane(b, extended_comparison(cmp, is_signed));
    } else {
        b->op->fn = sim_sass_like(b, ISA_OP_SETP, is_signed ? ISA_TYPE_S32 : ISA_TYPE_U32, ISA_TYPE_NONE, &mods);
    }
    sim_sass_through(b, sim_sass_run_setp);
}

/* ---- Bits ---- */

/* FLO, POPC, BREV: one source. */
void sim_sass_lower_bits1(struct sim_sass_builder *b)
{
    struct isa_mods mods = {0};
    enum isa_op op = ISA_OP_POPC;
    enum isa_type type = ISA_TYPE_B32;
    if (b->sass->op == ISA_SASS_FLO || b->sass->op == ISA_SASS_UFLO) {
        op = ISA_OP_BFIND;
        type = sim_sass_word(b, ISA_SASS_W_U32) ? ISA_TYPE_U32 : ISA_TYPE_S32;
        if (sim_sass_word(b, ISA_SASS_W_SH))
            mods.flags |= ISA_FLAG_SHIFTAMT;
    } else if (b->sass->op == ISA_SASS_BREV || b->sass->op == ISA_SASS_UBREV) {
        op = ISA_OP_BREV;
    }
    sim_sass_dst(b, 1);
    sim_sass_pdst(b, 1);
    if (b->more->pdst[0] >= 0)
        sim_sass_refuse(b, "a predicate result");
    sim_sass_src(b, 0, 1, ISA_TYPE_U32);
    sim_sass_alu(b, sim_sass_like(b, op, type, ISA_TYPE_NONE, &mods), 1);
}

static struct isa_mods wrap_or_clamp(struct sim_sass_builder *b)
{
    struct isa_mods mods = {.mode2 = ISA_WRAP_CLAMP};
    if (sim_sass_word(b, ISA_SASS_W_W))
        mods.mode2 = ISA_WRAP_WRAP;
    return mods;
}

void sim_sass_lower_bmsk(struct sim_sass_builder *b)
{
    struct isa_mods mods = wrap_or_clamp(b);
    sim_sass_dst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_U32);
    sim_sass_src(b, 1, 1, ISA_TYPE_U32);
    sim_sass_alu(b, sim_sass_like(b, ISA_OP_BMSK, ISA_TYPE_B32, ISA_TYPE_NONE, &mods), 1);
}

void sim_sass_lower_sgxt(struct sim_sass_builder *b)
{
    struct isa_mods mods = wrap_or_clamp(b);
    enum isa_type type = sim_sass_word(b, ISA_SASS_W_U32) ? ISA_TYPE_U32 : ISA_TYPE_S32;
    sim_sass_dst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_U32);
    sim_sass_src(b, 1, 1, ISA_TYPE_U32);
    sim_sass_alu(b, sim_sass_like(b, ISA_OP_SZEXT, type, ISA_TYPE_NONE, &mods), 1);
}

/* Without .ACC the third source would give the bytes that a mask leaves out; there is no mask. */
void sim_sass_lower_vabsdiff4(struct sim_sass_builder *b)
{
    const bool is_unsigned = sim_sass_word(b, ISA_SASS_W_U8), sums = sim_sass_word(b, ISA_SASS_W_ACC);
    if (!is_unsigned && !sim_sass_word(b, ISA_SASS_W_S8))
        sim_sass_refuse(b, "a type of this kind");
    sim_sass_dst(b, 1);
    for (unsigned n = 0; n < 3; n++)
        sim_sass_src(b, n, 1, ISA_TYPE_U32);
    sim_sass_alu(b,
                 lane(b, sums ? (is_unsigned ? SIM_SASS_LANE_ABSDIFF4_SUM_U8 : SIM_SASS_LANE_ABSDIFF4_SUM_S8)
                              : (is_unsigned ? SIM_SASS_LANE_ABSDIFF4_U8 : SIM_SASS_LANE_ABSDIFF4_S8)),
                 1);
}

void sim_sass_lower_vabsdiff(struct sim_sass_builder *b)
{
    enum isa_type type = sim_sass_word(b, ISA_SASS_W_U32) ? ISA_TYPE_U32 : ISA_TYPE_S32;
    sim_sass_dst(b, 1);
    for (unsigned n = 0; n < 3; n++)
        sim_sass_src(b, n, 1, (uint8_t)type);
    sim_sass_alu(b, sim_sass_like(b, ISA_OP_SAD, type, ISA_TYPE_NONE, &no_mods), 1);
}

void sim_sass_lower_idp(struct sim_sass_builder *b)
{
    static const uint8_t first[] = {ISA_SASS_W_U8, ISA_SASS_W_S8, ISA_SASS_W_U16, ISA_SASS_W_S16, ISA_SASS_W_NONE};
    struct isa_mods mods = {0};
    bool four = sim_sass_word(b, ISA_SASS_W_4A);
    if (!four && !sim_sass_word(b, ISA_SASS_W_2A))
        sim_sass_refuse(b, "a form of this kind");
    if (sim_sass_word(b, ISA_SASS_W_LO))
        mods.mode = ISA_PART_LO;
    else if (sim_sass_word(b, ISA_SASS_W_HI))
        mods.mode = ISA_PART_HI;
    /* In the order of the text: the first source's type, then the second's. */
    bool is_signed[2] = {false, false};
    for (unsigned n = 0, at = 0; at < b->sass->word_count && n < 2; at++)
        for (unsigned k = 0; first[k] != ISA_SASS_W_NONE; k++)
            if (b->sass->words[at] == first[k]) {
                is_signed[n++] = first[k] == ISA_SASS_W_S8 || first[k] == ISA_SASS_W_S16;
                b->words_used |= 1U << at;
            }
    sim_sass_dst(b, 1);
    for (unsigned n = 0; n < 3; n++)
        sim_sass_src(b, n, 1, ISA_TYPE_U32);
    sim_sass_alu(b,
                 sim_sass_like(b, four ? ISA_OP_DP4A : ISA_OP_DP2A, is_signed[0] ? ISA_TYPE_S32 : ISA_TYPE_U32,
                               is_signed[1] ? ISA_TYPE_S32 : ISA_TYPE_U32, &mods),
                 1);
}

/* ---- Predicates ---- */

/* PLOP3.LUT p, q, a, b, c, table, table of q. */
static bool run_plop3(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                      const struct sim_op *op, uint32_t mask)
{
    const struct sim_sass_op *more = op->machine;
    uint32_t in[3], out[2] = {0, 0};
    for (unsigned n = 0; n < 3; n++) {
        in[n] = 0;
        if (more->psrc[n].number != -2) {
            in[n] = sim_sass_pred_lanes(warp, group, more->psrc[n]);
            continue;
        }
        const uint32_t *row = sim_row(engine->program, warp, group, op->src[n]);
        for (unsigned i = 0; i < 32; i++)
            in[n] |= (row[i] >> 31) << i;
    }
    for (unsigned which = 0; which < 8; which++) {
        uint32_t lanes = ((which & 4) != 0 ? in[0] : ~in[0]) & ((which & 2) != 0 ? in[1] : ~in[1]) &
                         ((which & 1) != 0 ? in[2] : ~in[2]);
        out[0] |= (more->immediate >> which & 1) != 0 ? lanes : 0;
        out[1] |= (more->immediate >> (8 + which) & 1) != 0 ? lanes : 0;
    }
    sim_sass_write_pred(warp, group, op, 0, out[0], mask);
    sim_sass_write_pred(warp, group, op, 1, out[1], mask);
    return true;
}

/* A predicate, or a register's sign bit. */
static void take_truth(struct sim_sass_builder *b, unsigned n)
{
    if (sim_sass_next_is_pred(b)) {
        sim_sass_psrc(b, n);
        return;
    }
    const struct isa_sass_operand *o = sim_sass_take(b);
    if (o->part != ISA_SASS_PART_SIGN || o->negative || o->inverted)
        sim_sass_refuse(b, "a source that is no predicate");
    b->op->src[n] = sim_sass_row(b, o, 1);
}

void sim_sass_lower_plop3(struct sim_sass_builder *b)
{
    (void)sim_sass_word(b, ISA_SASS_W_LUT);
    sim_sass_pdst(b, 2);
    for (unsigned n = 0; n < 3; n++)
        take_truth(b, n);
    uint32_t first = (uint32_t)sim_sass_immediate(b) & 0xffU;
    b->more->immediate = first | ((uint32_t)sim_sass_immediate(b) & 0xffU) << 8;
    sim_sass_through(b, run_plop3);
}

static uint32_t predicate_base(const struct sim_op *op)
{
    return op->machine->flags != 0 ? 7 : 0;
}

/* P2R d, PR, a, mask: bits of the mask from the predicates, the others from a. */
static bool run_p2r(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                    uint32_t mask)
{
    struct sim_sass_sources s;
    uint32_t out[32] __attribute__((aligned(64)));
    sim_sass_fetch(engine, warp, group, op, &s);
    unsigned shift = op->machine->immediate;
    for (unsigned i = 0; i < 32; i++) {
        uint32_t bits = 0;
        for (unsigned p = 0; p < 7; p++)
            bits |= (warp->preds[group->pframe + predicate_base(op) + p] >> i & 1) << p;
        bits |= 1U << 7; /* PT */
        out[i] = (s.row[0][i] & ~(s.row[1][i] << shift)) | (bits & s.row[1][i]) << shift;
    }
    sim_sass_write(engine, warp, group, op, out, 1, mask);
    return true;
}

static unsigned byte_word(struct sim_sass_builder *b)
{
    static const uint8_t words[] = {ISA_SASS_W_B0, ISA_SASS_W_B1, ISA_SASS_W_B2, ISA_SASS_W_B3, ISA_SASS_W_NONE};
    enum isa_sass_word word = sim_sass_word_of(b, words);
    return word == ISA_SASS_W_NONE ? 0 : (unsigned)(word - ISA_SASS_W_B0) * 8;
}

static void take_all_predicates(struct sim_sass_builder *b)
{
    const struct isa_sass_operand *o = sim_sass_take(b);
    if (o->kind != ISA_SASS_PR || o->part != ISA_SASS_PART_NONE)
        sim_sass_refuse(b, "a form without PR");
}

void sim_sass_lower_p2r(struct sim_sass_builder *b)
{
    b->more->immediate = byte_word(b);
    b->more->flags = b->sass->op == ISA_SASS_UP2UR;
    sim_sass_dst(b, 1);
    take_all_predicates(b);
    sim_sass_src(b, 0, 1, ISA_TYPE_U32);
    sim_sass_src(b, 1, 1, ISA_TYPE_U32);
    sim_sass_through(b, run_p2r);
}

static bool run_r2p(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                    uint32_t mask)
{
    struct sim_sass_sources s;
    sim_sass_fetch(engine, warp, group, op, &s);
    for (unsigned p = 0; p < 7; p++) {
        uint32_t value = 0, chosen = 0;
        for (unsigned i = 0; i < 32; i++) {
            value |= (s.row[0][i] >> (op->machine->immediate + p) & 1) << i;
            chosen |= (s.row[1][i] >> p & 1) << i;
        }
        sim_set_pred(warp, group, (int32_t)(predicate_base(op) + p), value,
                     chosen & (op->machine->flags != 0 && mask != 0 ? UINT32_MAX : mask));
    }
    (void)engine;
    return true;
}

void sim_sass_lower_r2p(struct sim_sass_builder *b)
{
    b->more->immediate = byte_word(b);
    b->more->flags = b->sass->op == ISA_SASS_UR2UP;
    take_all_predicates(b);
    const struct isa_sass_operand *o = sim_sass_peek(b);
    if (o != NULL && o->part >= ISA_SASS_PART_B0 && o->part <= ISA_SASS_PART_B3)
        b->more->immediate = (unsigned)(o->part - ISA_SASS_PART_B0) * 8;
    sim_sass_src(b, 0, 1, ISA_TYPE_U32);
    b->more->part[0] = ISA_SASS_PART_NONE;
    sim_sass_src(b, 1, 1, ISA_TYPE_U32);
    sim_sass_through(b, run_r2p);
}
