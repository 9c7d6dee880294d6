/* Instructions that look across the lanes of a warp: shfl, vote, match, redux, elect, bar.warp.sync. The lanes that
 * take part have already come together (warp.c); `mask` is those that execute it now. */
#include "sim/engine.h"

#include <string.h>

static void write_row(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                      const struct sim_op *op, const uint32_t *row, uint32_t mask)
{
    if (op->dst != SIM_ROW_NONE)
        engine->lanes->merge(sim_row(engine->program, warp, group, op->dst), row, mask, 1);
}

/* The lane that shfl reads for `lane`; *in_range: the predicate. As the PTX ISA's pseudo code. */
static unsigned shuffle_source(uint8_t mode, unsigned lane, uint32_t b, uint32_t c, bool *in_range)
{
    uint32_t segment = c >> 8 & 0x1f, clamp = c & 0x1f, step = b & 0x1f;
    int max = (int)((lane & segment) | (clamp & ~segment & 0x1f)), from;
    switch (mode) {
    case ISA_SHFL_UP:
        from = (int)lane - (int)step;
        *in_range = from >= max;
        break;
    case ISA_SHFL_DOWN:
        from = (int)(lane + step);
        *in_range = from <= max;
        break;
    case ISA_SHFL_BFLY:
        from = (int)(lane ^ step);
        *in_range = from <= max;
        break;
    default:
        from = (int)((lane & segment) | (step & ~segment & 0x1f));
        *in_range = from <= max;
        break;
    }
    return *in_range ? (unsigned)from & 31 : lane;
}

static void shuffle(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                    uint32_t mask)
{
    const struct sim_program *program = engine->program;
    const uint32_t *a = sim_row(program, warp, group, op->src[0]);
    const uint32_t *b = sim_row(program, warp, group, op->src[1]);
    const uint32_t *c = sim_row(program, warp, group, op->src[2]);
    uint32_t out[32], preds = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        bool in_range;
        unsigned from = shuffle_source(op->mode, lane, b[lane], c[lane], &in_range);
        out[lane] = a[from];
        preds |= (uint32_t)in_range << lane;
    }
    write_row(engine, warp, group, op, out, mask);
    sim_set_pred(warp, group, op->pdst, preds, mask);
}

static void vote(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                 uint32_t mask)
{
    uint32_t p = sim_pred_source(warp, group, op, op->psrc_negated ? 0 : UINT32_MAX) & mask;
    bool result = false;
    switch (op->mode) {
    case ISA_VOTE_ALL:
        result = p == mask;
        break;
    case ISA_VOTE_ANY:
        result = p != 0;
        break;
    case ISA_VOTE_UNI:
        result = p == mask || p == 0;
        break;
    default: {
        uint32_t out[32];
        for (unsigned lane = 0; lane < 32; lane++)
            out[lane] = p;
        write_row(engine, warp, group, op, out, mask);
        return;
    }
    }
    sim_set_pred(warp, group, op->pdst, result ? UINT32_MAX : 0, mask);
}

static uint64_t lane_value(const uint32_t *row, unsigned lane, unsigned bits)
{
    return bits == 64 ? (uint64_t)row[32 + lane] << 32 | row[lane] : row[lane];
}

static void match(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                  uint32_t mask)
{
    const uint32_t *a = sim_row(engine->program, warp, group, op->src[0]);
    unsigned bits = isa_types[op->type].bits;
    uint32_t out[32] = {0}, all = 0;
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        for (uint32_t k = mask; k != 0; k &= k - 1) {
            unsigned other = (unsigned)__builtin_ctz(k);
            if (lane_value(a, lane, bits) == lane_value(a, other, bits))
                out[lane] |= UINT32_C(1) << other;
        }
    }
    if (op->insn->op == ISA_OP_MATCH_ALL || (op->machine != NULL && op->mode2 != 0)) {
        all = out[__builtin_ctz(mask)] == mask ? UINT32_MAX : 0;
        for (unsigned lane = 0; lane < 32; lane++)
            out[lane] = all & mask;
        sim_set_pred(warp, group, op->pdst, all, mask);
    }
    write_row(engine, warp, group, op, out, mask);
}

/* One more lane of redux. An f32 loses its sign to .abs; a NaN is passed over unless .NaN keeps it. */
static uint64_t reduce_lane(const struct sim_op *op, uint64_t value, uint32_t a, bool first)
{
    const uint32_t flags = op->insn->mods.flags, magnitude = a & 0x7fffffffU;
    if (op->type != ISA_TYPE_F32)
        return first ? a : sim_atom_apply(op->mode, op->type, value, a, 0);
    if ((flags & ISA_FLAG_NAN) != 0 && (magnitude > 0x7f800000U || (value & 0x7fffffffU) > 0x7f800000U))
        return 0x7fffffffU;
    const uint32_t x = (flags & ISA_FLAG_ABS) != 0 ? magnitude : a;
    return sim_atom_apply(op->mode, op->type, first ? x : value, x, 0);
}

static void reduce(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                   uint32_t mask)
{
    const uint32_t *a = sim_row(engine->program, warp, group, op->src[0]);
    uint64_t value = 0;
    for (uint32_t m = mask; m != 0; m &= m - 1)
        value = reduce_lane(op, value, a[__builtin_ctz(m)], m == mask);
    uint32_t out[32];
    for (unsigned lane = 0; lane < 32; lane++)
        out[lane] = (uint32_t)value;
    write_row(engine, warp, group, op, out, mask);
}

static void elect(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                  uint32_t mask)
{
    unsigned leader = (unsigned)__builtin_ctz(mask);
    uint32_t out[32];
    for (unsigned lane = 0; lane < 32; lane++)
        out[lane] = leader;
    write_row(engine, warp, group, op, out, mask);
    sim_set_pred(warp, group, op->pdst, UINT32_C(1) << leader, mask);
}

bool sim_warpwide(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                  uint32_t mask)
{
    switch (op->kind) {
    case SIM_K_SHFL:
        shuffle(engine, warp, group, op, mask);
        break;
    case SIM_K_VOTE:
        vote(engine, warp, group, op, mask);
        break;
    case SIM_K_MATCH:
        match(engine, warp, group, op, mask);
        break;
    case SIM_K_REDUX:
        reduce(engine, warp, group, op, mask);
        break;
    case SIM_K_ELECT:
        elect(engine, warp, group, op, mask);
        break;
    case SIM_K_MATRIX:
        return sim_matrix_run(engine, warp, group, op, mask);
    default: /* bar.warp.sync: coming together was all */
        break;
    }
    return true;
}
