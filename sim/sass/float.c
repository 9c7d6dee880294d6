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
    compare(b, ISA_TYPE_F64);
}
