/* MUFU: the approximate functions, as the PTX instructions with .approx.ftz compute them. */
#include "sim/sass/lower.h"

void sim_sass_lower_mufu(struct sim_sass_builder *b)
{
    static const uint8_t words[][2] = {{ISA_SASS_W_RCP, ISA_OP_RCP},   {ISA_SASS_W_RSQ, ISA_OP_RSQRT},
                                       {ISA_SASS_W_SQRT, ISA_OP_SQRT}, {ISA_SASS_W_EX2, ISA_OP_EX2},
                                       {ISA_SASS_W_LG2, ISA_OP_LG2},   {ISA_SASS_W_TANH, ISA_OP_TANH}};
    struct isa_mods mods = {.flags = ISA_FLAG_APPROX | ISA_FLAG_FTZ};
    enum isa_op op = ISA_OP_UNSUPPORTED;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (sim_sass_word(b, (enum isa_sass_word)words[i][0]))
            op = (enum isa_op)words[i][1];
    if (op == ISA_OP_UNSUPPORTED) {
        sim_sass_refuse(b, "a function of this kind");
        return;
    }
    if (op == ISA_OP_TANH)
        mods.flags = ISA_FLAG_APPROX;
    sim_sass_dst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_F32);
    sim_sass_alu(b, sim_sass_like(b, op, ISA_TYPE_F32, ISA_TYPE_NONE, &mods), 1);
}
