/* Operations that the engine's own kinds do not cover: sources with signs and parts, predicates in and out, uniform
 * results. sim_sass_run_alu() is the general one; the others stand beside the opcodes they belong to. */
#include "sim/sass/lower.h"

#include <string.h>

/* A NaN keeps its sign whatever is asked (validate/records/h200/ops: neg.f64, abs.f64, sub.f64). */
static void change_f64(uint32_t rows[4][32], uint8_t change)
{
    for (unsigned i = 0; i < 32; i++) {
        uint32_t high = rows[1][i], magnitude = high & 0x7fffffffU;
        if (magnitude > 0x7ff00000U || (magnitude == 0x7ff00000U && rows[0][i] != 0))
            continue;
        rows[1][i] = change == SIM_SASS_NEG_F64   ? high ^ 0x80000000U
                     : change == SIM_SASS_ABS_F64 ? magnitude
                                                  : high | 0x80000000U;
    }
}

/* One row of a source with its sign applied. */
static void change_row(uint32_t *out, const uint32_t *in, uint8_t change)
{
    switch ((enum sim_sass_change)change) {
    case SIM_SASS_NOT:
        for (unsigned i = 0; i < 32; i++)
            out[i] = ~in[i];
        return;
    case SIM_SASS_NEG:
        for (unsigned i = 0; i < 32; i++)
            out[i] = 0U - in[i];
        return;
    case SIM_SASS_NEG_F32:
        for (unsigned i = 0; i < 32; i++)
            out[i] = in[i] ^ 0x80000000U;
        return;
    case SIM_SASS_ABS_F32:
        for (unsigned i = 0; i < 32; i++)
            out[i] = in[i] & 0x7fffffffU;
        return;
    case SIM_SASS_NEGABS_F32:
        for (unsigned i = 0; i < 32; i++)
            out[i] = in[i] | 0x80000000U;
        return;
    case SIM_SASS_NEG_H2:
        for (unsigned i = 0; i < 32; i++)
            out[i] = in[i] ^ 0x80008000U;
        return;
    case SIM_SASS_ABS_H2:
        for (unsigned i = 0; i < 32; i++)
            out[i] = in[i] & 0x7fff7fffU;
        return;
    case SIM_SASS_NEGABS_H2:
        for (unsigned i = 0; i < 32; i++)
            out[i] = in[i] | 0x80008000U;
        return;
    case SIM_SASS_PLAIN:
    case SIM_SASS_NEG64: /* both rows at once: negate64(), change_f64() */
    case SIM_SASS_NEG_F64:
    case SIM_SASS_ABS_F64:
    case SIM_SASS_NEGABS_F64:
        memcpy(out, in, 128);
        return;
    }
}

static void take_part(uint32_t *out, const uint32_t *in, uint8_t part)
{
    static const uint8_t first_bit[] = {
        [ISA_SASS_PART_H0] = 0,  [ISA_SASS_PART_H1] = 16, [ISA_SASS_PART_B0] = 0, [ISA_SASS_PART_B1] = 8,
        [ISA_SASS_PART_B2] = 16, [ISA_SASS_PART_B3] = 24, [ISA_SASS_PART_F32] = 0};
    switch (part) {
    case ISA_SASS_PART_NONE:
    case ISA_SASS_PART_H1_H0:
    case ISA_SASS_PART_F32:
        memcpy(out, in, 128);
        return;
    case ISA_SASS_PART_H0_H0:
        for (unsigned i = 0; i < 32; i++)
            out[i] = (in[i] & 0xffffU) * 0x10001U;
        return;
    case ISA_SASS_PART_H1_H1:
        for (unsigned i = 0; i < 32; i++)
            out[i] = (in[i] >> 16) * 0x10001U;
        return;
    case ISA_SASS_PART_H0_NH1: /* the upper half with its sign flipped */
        for (unsigned i = 0; i < 32; i++)
            out[i] = in[i] ^ 0x80000000U;
        return;
    default: {
        uint32_t keep = part == ISA_SASS_PART_H0 || part == ISA_SASS_PART_H1 ? 0xffffU : 0xffU;
        for (unsigned i = 0; i < 32; i++)
            out[i] = in[i] >> first_bit[part] & keep;
        return;
    }
    }
}

static void negate64(uint32_t rows[4][32])
{
    for (unsigned i = 0; i < 32; i++) {
        uint64_t value = 0 - ((uint64_t)rows[1][i] << 32 | rows[0][i]);
        rows[0][i] = (uint32_t)value;
        rows[1][i] = (uint32_t)(value >> 32);
    }
}

void sim_sass_change(const struct sim_sass_op *more, unsigned n, const uint32_t *from, uint32_t to[4][32])
{
    for (unsigned r = 0; r < more->rows[n]; r++, from += 32) {
        uint32_t part[32];
        take_part(part, from, more->part[n]);
        change_row(to[r], part, more->change[n]);
    }
    if (more->change[n] == SIM_SASS_NEG64)
        negate64(to);
    else if (more->change[n] >= SIM_SASS_NEG_F64 && more->change[n] <= SIM_SASS_NEGABS_F64)
        change_f64(to, more->change[n]);
}

void sim_sass_fetch(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                    const struct sim_op *op, struct sim_sass_sources *s)
{
    const struct sim_sass_op *more = op->machine;
    for (unsigned n = 0; n < 4; n++) {
        s->row[n] = op->src[n] != SIM_ROW_NONE ? sim_row(engine->program, warp, group, op->src[n]) : NULL;
        if (s->row[n] == NULL || (more->change[n] == SIM_SASS_PLAIN && more->part[n] == ISA_SASS_PART_NONE))
            continue;
        sim_sass_change(more, n, s->row[n], s->space[n]);
        s->row[n] = s->space[n][0];
    }
}

uint32_t sim_sass_pred_lanes(const struct sim_warp *warp, const struct sim_group *group, struct sim_sass_pred p)
{
    int32_t number = p.number;
    uint32_t lanes = number < 0 ? UINT32_MAX : warp->preds[group->pframe + (uint32_t)number];
    return p.negated ? ~lanes : lanes;
}

void sim_sass_write(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                    const uint32_t *rows, uint32_t row_count, uint32_t mask)
{
    if (op->dst == SIM_ROW_NONE)
        return;
    if (op->machine->uniform)
        mask = mask != 0 ? UINT32_MAX : 0;
    engine->lanes->merge(sim_row(engine->program, warp, group, op->dst), rows, mask, row_count);
}

void sim_sass_write_pred(struct sim_warp *warp, const struct sim_group *group, const struct sim_op *op, unsigned n,
                         uint32_t value, uint32_t mask)
{
    if (op->machine->uniform)
        mask = mask != 0 ? UINT32_MAX : 0;
    sim_set_pred(warp, group, op->machine->pdst[n], value, mask);
}

bool sim_sass_run_alu(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                      const struct sim_op *op, uint32_t mask)
{
    struct sim_sass_sources s;
    uint32_t out[4][32] __attribute__((aligned(64)));
    sim_sass_fetch(engine, warp, group, op, &s);
    struct sim_sass_pred in = op->machine->psrc[0];
    uint64_t flags = op->fn(out[0], s.row[0], s.row[1], s.row[2], s.row[3],
                            in.number == -2 ? 0 : sim_sass_pred_lanes(warp, group, in));
    sim_sass_write(engine, warp, group, op, out[0], op->vec_rows, mask);
    sim_sass_write_pred(warp, group, op, 0, (uint32_t)flags, mask);
    sim_sass_write_pred(warp, group, op, 1, (uint32_t)(flags >> 32), mask);
    return true;
}
