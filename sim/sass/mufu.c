/* MUFU: the approximate functions, as the PTX instructions with .approx.ftz compute them.
 *
 * .RCP64H and .RSQ64H take the upper half of an f64 and give that of the result. .SIN and .COS take revolutions: PTX's
 * sin.approx is a multiplication by 1 / (2 pi) and this. */
#include "sim/sass/lane.h"
#include "sim/sass/lower.h"

#include <string.h>

static const struct {
    uint8_t word, op;
} functions[] = {{ISA_SASS_W_RCP, ISA_OP_RCP}, {ISA_SASS_W_RSQ, ISA_OP_RSQRT}, {ISA_SASS_W_SQRT, ISA_OP_SQRT},
                 {ISA_SASS_W_EX2, ISA_OP_EX2}, {ISA_SASS_W_LG2, ISA_OP_LG2},   {ISA_SASS_W_TANH, ISA_OP_TANH}};

/* The upper word of a function of the number whose upper word is the source. */
static bool run_upper_half(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                           const struct sim_op *op, uint32_t mask)
{
    struct sim_sass_sources s;
    uint32_t in[2][32] __attribute__((aligned(64))) = {{0}}, out[2][32] __attribute__((aligned(64)));
    sim_sass_fetch(engine, warp, group, op, &s);
    memcpy(in[1], s.row[0], sizeof(in[1]));
    (void)op->fn(out[0], in[0], s.row[1], s.row[2], s.row[3], 0);
    sim_sass_write(engine, warp, group, op, out[1], 1, mask);
    return true;
}

static void upper_half(struct sim_sass_builder *b, enum isa_op op)
{
    struct isa_mods mods = {.flags = ISA_FLAG_APPROX | ISA_FLAG_FTZ};
    sim_sass_dst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_F32);
    sim_sass_through(b, run_upper_half);
    sim_sass_alu(b, sim_sass_like(b, op, ISA_TYPE_F64, ISA_TYPE_NONE, &mods), 1);
}

static void circular(struct sim_sass_builder *b, enum sim_sass_lane which)
{
    sim_sass_dst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_F32);
    sim_sass_alu(b, sim_sass_lane(which, b->level), 1);
}

/* A half: the low one, or the upper one with ".H1". */
static void half_function(struct sim_sass_builder *b, enum isa_op op, enum isa_type type)
{
    struct isa_mods mods = {.flags = ISA_FLAG_APPROX | (op == ISA_OP_EX2 && type == ISA_TYPE_BF16 ? ISA_FLAG_FTZ : 0)};
    sim_sass_dst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_F16X2);
    if (b->more->part[0] == ISA_SASS_PART_NONE)
        b->more->part[0] = ISA_SASS_PART_H0;
    sim_sass_alu(b, sim_sass_like(b, op, type, ISA_TYPE_NONE, &mods), 1);
}

void sim_sass_lower_mufu(struct sim_sass_builder *b)
{
    if (sim_sass_word(b, ISA_SASS_W_RCP64H)) {
        upper_half(b, ISA_OP_RCP);
        return;
    }
    if (sim_sass_word(b, ISA_SASS_W_RSQ64H)) {
        upper_half(b, ISA_OP_RSQRT);
        return;
    }
    bool sine = sim_sass_word(b, ISA_SASS_W_SIN);
    if (sine || sim_sass_word(b, ISA_SASS_W_COS)) {
        circular(b, sine ? SIM_SASS_LANE_SIN_TURNS : SIM_SASS_LANE_COS_TURNS);
        return;
    }
    enum isa_op op = ISA_OP_UNSUPPORTED;
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (sim_sass_word(b, (enum isa_sass_word)functions[i].word))
            op = (enum isa_op)functions[i].op;
    if (op == ISA_OP_UNSUPPORTED) {
        sim_sass_refuse(b, "a function of this kind");
        return;
    }
    if (sim_sass_word(b, ISA_SASS_W_F16)) {
        half_function(b, op, ISA_TYPE_F16);
        return;
    }
    if (sim_sass_word(b, ISA_SASS_W_BF16)) {
        half_function(b, op, ISA_TYPE_BF16);
        return;
    }
    struct isa_mods mods = {.flags = ISA_FLAG_APPROX | (op == ISA_OP_TANH ? 0U : (uint32_t)ISA_FLAG_FTZ)};
    sim_sass_dst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_F32);
    sim_sass_alu(b, sim_sass_like(b, op, ISA_TYPE_F32, ISA_TYPE_NONE, &mods), 1);
}
