/* Opcodes of two halves in a register: HADD2, HMUL2, HFMA2 and their comparisons. */
#include "sim/sass/lower.h"

static enum isa_type take_half_type(struct sim_sass_builder *b)
{
    return sim_sass_word(b, ISA_SASS_W_BF16_V2) ? ISA_TYPE_BF16X2 : ISA_TYPE_F16X2;
}

/* A source of two halves; two numbers in the text are one 32-bit immediate. */
static void half_source(struct sim_sass_builder *b, unsigned n, enum isa_type type)
{
    const struct isa_sass_operand *o = sim_sass_peek(b);
    bool pair = o != NULL && o->kind == ISA_SASS_IMM && o->is_decimal;
    sim_sass_src(b, n, 1, (uint8_t)type);
    o = sim_sass_peek(b);
    if (pair && o != NULL && o->kind == ISA_SASS_IMM && o->is_decimal)
        (void)sim_sass_take(b);
}

static void arithmetic(struct sim_sass_builder *b, enum isa_op op, unsigned sources)
{
    struct isa_mods mods = {.round = ISA_ROUND_RN};
    (void)sim_sass_word(b, ISA_SASS_W_MMA);
    enum isa_type type = take_half_type(b);
    mods.flags |= sim_sass_word(b, ISA_SASS_W_FTZ) ? ISA_FLAG_FTZ : 0;
    mods.flags |= sim_sass_word(b, ISA_SASS_W_SAT) ? ISA_FLAG_SAT : 0;
    mods.flags |= sim_sass_word(b, ISA_SASS_W_RELU) ? ISA_FLAG_RELU : 0;
    sim_sass_dst(b, 1);
    for (unsigned n = 0; n < sources; n++)
        half_source(b, n, type);
    sim_sass_alu(b, sim_sass_like(b, op, type, ISA_TYPE_NONE, &mods), 1);
}

/* HADD2.F32 d, -RZ, a: a half as f32. */
static void half_to_f32(struct sim_sass_builder *b)
{
    struct isa_mods mods = {0};
    enum isa_type from = sim_sass_word(b, ISA_SASS_W_BF16_V2) ? ISA_TYPE_BF16 : ISA_TYPE_F16;
    sim_sass_dst(b, 1);
    const struct isa_sass_operand *zero = sim_sass_take(b);
    if (zero->kind != ISA_SASS_REG || zero->index != ISA_SASS_RZ || !zero->negative)
        sim_sass_refuse(b, "a sum");
    sim_sass_src(b, 0, 1, ISA_TYPE_F16X2);
    b->more->part[0] = b->more->part[0] == ISA_SASS_PART_H1_H1 ? ISA_SASS_PART_H1 : ISA_SASS_PART_H0;
    sim_sass_alu(b, sim_sass_like(b, ISA_OP_CVT, ISA_TYPE_F32, from, &mods), 1);
}

void sim_sass_lower_hadd2(struct sim_sass_builder *b)
{
    if (sim_sass_word(b, ISA_SASS_W_F32)) {
        half_to_f32(b);
        return;
    }
    arithmetic(b, ISA_OP_ADD, 2);
}

void sim_sass_lower_hmul2(struct sim_sass_builder *b)
{
    arithmetic(b, ISA_OP_MUL, 2);
}

void sim_sass_lower_hfma2(struct sim_sass_builder *b)
{
    arithmetic(b, ISA_OP_FMA, 3);
}

void sim_sass_lower_hmnmx2(struct sim_sass_builder *b)
{
    struct isa_mods mods = {0};
    enum isa_type type = take_half_type(b);
    mods.flags |= sim_sass_word(b, ISA_SASS_W_FTZ) ? ISA_FLAG_FTZ : 0;
    mods.flags |= sim_sass_word(b, ISA_SASS_W_NAN) ? ISA_FLAG_NAN : 0;
    mods.flags |= sim_sass_word(b, ISA_SASS_W_XORSIGN) ? ISA_FLAG_XORSIGN | ISA_FLAG_ABS : 0;
    sim_sass_dst(b, 1);
    half_source(b, 0, type);
    half_source(b, 1, type);
    sim_sass_psrc(b, 0);
    sim_sass_signs_as_given(b, &mods);
    sim_sass_min_or_max(b, type, &mods, 1);
}

static void take_comparison(struct sim_sass_builder *b, enum isa_type type, struct isa_mods *mods)
{
    mods->cmp = (uint8_t)sim_sass_comparison(b);
    mods->flags |= sim_sass_word(b, ISA_SASS_W_FTZ) ? ISA_FLAG_FTZ : 0;
    b->op->boolop = sim_sass_boolean(b);
    b->op->fn = sim_sass_like(b, ISA_OP_SETP, type, ISA_TYPE_NONE, mods);
}

void sim_sass_lower_hset2(struct sim_sass_builder *b)
{
    struct isa_mods mods = {0};
    enum isa_type type = take_half_type(b);
    bool as_float = sim_sass_word(b, ISA_SASS_W_BF);
    (void)sim_sass_word(b, ISA_SASS_W_BM);
    take_comparison(b, type, &mods);
    b->more->flags = 1;
    b->more->immediate = !as_float ? 0xffffU : type == ISA_TYPE_BF16X2 ? 0x3f80U : 0x3c00U;
    sim_sass_dst(b, 1);
    half_source(b, 0, type);
    half_source(b, 1, type);
    sim_sass_psrc(b, 0);
    sim_sass_through(b, sim_sass_run_set);
}

void sim_sass_lower_hsetp2(struct sim_sass_builder *b)
{
    struct isa_mods mods = {0};
    enum isa_type type = take_half_type(b);
    take_comparison(b, type, &mods);
    b->op->has_optional = true; /* the second predicate: the upper half's comparison */
    sim_sass_pdst(b, 2);
    half_source(b, 0, type);
    half_source(b, 1, type);
    sim_sass_psrc(b, 0);
    sim_sass_through(b, sim_sass_run_setp);
}
