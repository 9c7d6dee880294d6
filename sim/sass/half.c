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

void sim_sass_lower_hadd2(struct sim_sass_builder *b)
{
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
