/* Floating-point opcodes of one and two words: FADD, FMUL, FFMA, comparisons, MUFU, and the D ones. Each is the PTX
 * instruction of the same name, whose results are the H200's bit for bit (validate/records/h200/ops). */
#include "sim/sass/lane.h"
#include "sim/sass/lower.h"

/* .RN .RZ .RM .RP: none is to nearest. */
static uint8_t take_rounding(struct sim_sass_builder *b)
{
    static const uint8_t words[] = {ISA_SASS_W_RN, ISA_SASS_W_RZ, ISA_SASS_W_RM, ISA_SASS_W_RP, ISA_SASS_W_NONE};
    switch (sim_sass_word_of(b, words)) {
    case ISA_SASS_W_RZ:
        return ISA_ROUND_RZ;
    case ISA_SASS_W_RM:
        return ISA_ROUND_RM;
    case ISA_SASS_W_RP:
        return ISA_ROUND_RP;
    default:
        return ISA_ROUND_RN;
    }
}

static void arithmetic(struct sim_sass_builder *b, enum isa_op op, enum isa_type type, unsigned sources)
{
    struct isa_mods mods = {0};
    mods.flags |= sim_sass_word(b, ISA_SASS_W_FTZ) ? ISA_FLAG_FTZ : 0;
    mods.flags |= sim_sass_word(b, ISA_SASS_W_SAT) ? ISA_FLAG_SAT : 0;
    mods.round = take_rounding(b);
    uint32_t rows = isa_type_slots(type);
    sim_sass_dst(b, rows);
    for (unsigned n = 0; n < sources; n++)
        sim_sass_src(b, n, rows, (uint8_t)type);
    sim_sass_alu(b, sim_sass_like(b, op, type, ISA_TYPE_NONE, &mods), rows);
}

void sim_sass_lower_fadd(struct sim_sass_builder *b)
{
    arithmetic(b, ISA_OP_ADD, ISA_TYPE_F32, 2);
}

void sim_sass_lower_fmul(struct sim_sass_builder *b)
{
    arithmetic(b, ISA_OP_MUL, ISA_TYPE_F32, 2);
}

void sim_sass_lower_ffma(struct sim_sass_builder *b)
{
    arithmetic(b, ISA_OP_FMA, ISA_TYPE_F32, 3);
}

void sim_sass_lower_dadd(struct sim_sass_builder *b)
{
    arithmetic(b, ISA_OP_ADD, ISA_TYPE_F64, 2);
}

void sim_sass_lower_dmul(struct sim_sass_builder *b)
{
    arithmetic(b, ISA_OP_MUL, ISA_TYPE_F64, 2);
}

void sim_sass_lower_dfma(struct sim_sass_builder *b)
{
    arithmetic(b, ISA_OP_FMA, ISA_TYPE_F64, 3);
}

void sim_sass_lower_fmnmx(struct sim_sass_builder *b)
{
    struct isa_mods mods = {0};
    mods.flags |= sim_sass_word(b, ISA_SASS_W_FTZ) ? ISA_FLAG_FTZ : 0;
    mods.flags |= sim_sass_word(b, ISA_SASS_W_NAN) ? ISA_FLAG_NAN : 0;
    mods.flags |= sim_sass_word(b, ISA_SASS_W_XORSIGN) ? ISA_FLAG_XORSIGN | ISA_FLAG_ABS : 0;
    sim_sass_dst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_F32);
    sim_sass_src(b, 1, 1, ISA_TYPE_F32);
    sim_sass_psrc(b, 0);
    sim_sass_signs_as_given(b, &mods);
    sim_sass_min_or_max(b, ISA_TYPE_F32, &mods, 1);
}

void sim_sass_lower_fsel(struct sim_sass_builder *b)
{
    struct isa_mods mods = {0};
    sim_sass_dst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_F32);
    sim_sass_src(b, 1, 1, ISA_TYPE_F32);
    sim_sass_psrc(b, 0);
    if (b->more->psrc[0].number == -2)
        sim_sass_refuse(b, "a form without a predicate");
    sim_sass_alu(b, sim_sass_like(b, ISA_OP_SELP, ISA_TYPE_F32, ISA_TYPE_NONE, &mods), 1);
}

static void compare(struct sim_sass_builder *b, enum isa_type type)
{
    struct isa_mods mods = {.cmp = (uint8_t)sim_sass_comparison(b)};
    mods.flags |= sim_sass_word(b, ISA_SASS_W_FTZ) ? ISA_FLAG_FTZ : 0;
    b->op->boolop = sim_sass_boolean(b);
    uint32_t rows = isa_type_slots(type);
    sim_sass_pdst(b, 2);
    sim_sass_src(b, 0, rows, (uint8_t)type);
    sim_sass_src(b, 1, rows, (uint8_t)type);
    sim_sass_psrc(b, 0);
    b->op->fn = sim_sass_like(b, ISA_OP_SETP, type, ISA_TYPE_NONE, &mods);
    sim_sass_through(b, sim_sass_run_setp);
}

void sim_sass_lower_fsetp(struct sim_sass_builder *b)
{
    compare(b, ISA_TYPE_F32);
}

void sim_sass_lower_dsetp(struct sim_sass_builder *b)
{
    bool min = sim_sass_word(b, ISA_SASS_W_MIN);
    if (min || sim_sass_word(b, ISA_SASS_W_MAX)) {
        b->op->boolop = sim_sass_boolean(b);
        sim_sass_pdst(b, 2);
        sim_sass_src(b, 0, 2, ISA_TYPE_F64);
        sim_sass_src(b, 1, 2, ISA_TYPE_F64);
        sim_sass_psrc(b, 0);
        b->op->fn = sim_sass_lane(min ? SIM_SASS_LANE_DSETP_MIN : SIM_SASS_LANE_DSETP_MAX, b->level);
        b->op->has_optional = true;
        sim_sass_through(b, sim_sass_run_setp);
        return;
    }
    compare(b, ISA_TYPE_F64);
}

/* FCHK p, a, b: does a / b need the long way? */
void sim_sass_lower_fchk(struct sim_sass_builder *b)
{
    (void)sim_sass_word(b, ISA_SASS_W_DIV);
    sim_sass_pdst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_F32);
    sim_sass_src(b, 1, 1, ISA_TYPE_F32);
    b->op->fn = sim_sass_lane(SIM_SASS_LANE_FCHK, b->level);
    b->op->boolop = ISA_BOOL_AND;
    sim_sass_through(b, sim_sass_run_setp);
}

/* .XORSIGN: the lane function takes the signs away itself, after it has looked at them. */
void sim_sass_signs_as_given(struct sim_sass_builder *b, const struct isa_mods *mods)
{
    for (unsigned n = 0; n < 2 && (mods->flags & ISA_FLAG_XORSIGN) != 0; n++) {
        uint8_t *change = &b->more->change[n];
        if (*change != SIM_SASS_ABS_F32 && *change != SIM_SASS_ABS_H2)
            sim_sass_refuse(b, ".XORSIGN without |..|");
        *change = SIM_SASS_PLAIN;
    }
}

/* d = truth of a comparison. flags != 0: of two halves. */
bool sim_sass_run_set(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                      const struct sim_op *op, uint32_t mask)
{
    struct sim_sass_sources s;
    uint32_t out[32] __attribute__((aligned(64))), other = UINT32_MAX, one = op->machine->immediate;
    sim_sass_fetch(engine, warp, group, op, &s);
    uint64_t result = op->fn(NULL, s.row[0], s.row[1], s.row[2], s.row[3], 0);
    uint32_t low = (uint32_t)result, high = op->machine->flags != 0 ? (uint32_t)(result >> 32) : 0;
    if (op->machine->psrc[0].number != -2)
        other = sim_sass_pred_lanes(warp, group, op->machine->psrc[0]);
    low = sim_sass_combine(op->boolop, low, other);
    high = op->machine->flags != 0 ? sim_sass_combine(op->boolop, high, other) : 0;
    for (unsigned i = 0; i < 32; i++)
        out[i] = ((low >> i & 1) != 0 ? one : 0) | ((high >> i & 1) != 0 ? one << 16 : 0);
    sim_sass_write(engine, warp, group, op, out, 1, mask);
    return true;
}

void sim_sass_lower_fset(struct sim_sass_builder *b)
{
    bool as_float = sim_sass_word(b, ISA_SASS_W_BF);
    struct isa_mods mods = {.cmp = (uint8_t)sim_sass_comparison(b)};
    mods.flags |= sim_sass_word(b, ISA_SASS_W_FTZ) ? ISA_FLAG_FTZ : 0;
    b->op->boolop = sim_sass_boolean(b);
    b->more->immediate = as_float ? 0x3f800000U : UINT32_MAX;
    sim_sass_dst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_F32);
    sim_sass_src(b, 1, 1, ISA_TYPE_F32);
    sim_sass_psrc(b, 0);
    b->op->fn = sim_sass_like(b, ISA_OP_SETP, ISA_TYPE_F32, ISA_TYPE_NONE, &mods);
    sim_sass_through(b, sim_sass_run_set);
}
