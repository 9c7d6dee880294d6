/* Matrices between registers and memory: ldmatrix, stmatrix, movmatrix, wmma.load and wmma.store. And sim_matrix_run(),
 * where all matrix instructions begin.
 *
 * wmma's accesses are counted as those of the machine code that ptxas makes for the H200: operands of 16 bits in shared
 * memory are read by whole rows, as ldmatrix does; what lies side by side for a lane in one access; else each element.
 */
#include "sim/engine.h"

#include <string.h>

#define TILE 8 /* rows and columns of the small matrices */

/* ---- ldmatrix, stmatrix, movmatrix ---- */

static bool locate_tiles(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                         const struct sim_op *op, enum sim_effect_kind kind, uint32_t tiles, uint8_t *at[32])
{
    uint64_t address[32];
    const struct sim_reach reach = {.kind = kind,
                                    .space = op->space,
                                    .only_shared = true,
                                    .by_rows = true,
                                    .mask = tiles >= 4 ? UINT32_MAX : (UINT32_C(1) << (TILE * tiles)) - 1,
                                    .width_bytes = 2 * TILE};
    sim_access_addresses(engine, warp, group, op, address);
    return sim_access_at(engine, warp, group, op, &reach, address, at);
}

/* Row and column of a lane's two elements in a tile. */
static unsigned tile_row(unsigned lane, unsigned part, bool transposed)
{
    return transposed ? lane % 4 * 2 + part : lane / 4;
}

static unsigned tile_column(unsigned lane, unsigned part, bool transposed)
{
    return transposed ? lane / 4 : lane % 4 * 2 + part;
}

static bool load_tiles(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                       const struct sim_op *op)
{
    const struct sim_fragment *d = &engine->program->matrices[op->target].d;
    const bool transposed = (op->insn->mods.flags & ISA_FLAG_TRANS) != 0;
    uint8_t *at[32];
    uint32_t out[8][32];
    if (!locate_tiles(engine, warp, group, op, SIM_EFFECT_LOAD, d->count, at))
        return false;
    for (unsigned q = 0; q < d->count; q++)
        for (unsigned lane = 0; lane < 32; lane++) {
            out[q][lane] = 0;
            for (unsigned part = 0; part < 2; part++) {
                uint16_t element;
                memcpy(&element,
                       at[q * TILE + tile_row(lane, part, transposed)] + 2 * tile_column(lane, part, transposed), 2);
                out[q][lane] |= (uint32_t)element << (16 * part);
            }
        }
    for (unsigned q = 0; q < d->count; q++)
        memcpy(sim_row(engine->program, warp, group, d->row[q]), out[q], sizeof(out[q]));
    return true;
}

static bool store_tiles(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                        const struct sim_op *op)
{
    const struct sim_fragment *c = &engine->program->matrices[op->target].c;
    const bool transposed = (op->insn->mods.flags & ISA_FLAG_TRANS) != 0;
    uint8_t *at[32];
    if (!locate_tiles(engine, warp, group, op, SIM_EFFECT_STORE, c->count, at))
        return false;
    for (unsigned q = 0; q < c->count; q++) {
        const uint32_t *from = sim_row(engine->program, warp, group, c->row[q]);
        for (unsigned lane = 0; lane < 32; lane++)
            for (unsigned part = 0; part < 2; part++) {
                const uint16_t element = (uint16_t)(from[lane] >> (16 * part));
                memcpy(at[q * TILE + tile_row(lane, part, transposed)] + 2 * tile_column(lane, part, transposed),
                       &element, 2);
            }
    }
    sim_warp_moved(warp);
    return true;
}

static void transpose(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                      const struct sim_op *op)
{
    const uint32_t *from = sim_row(engine->program, warp, group, op->src[0]);
    uint16_t tile[TILE][TILE];
    uint32_t out[32];
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned part = 0; part < 2; part++)
            tile[tile_row(lane, part, false)][tile_column(lane, part, false)] = (uint16_t)(from[lane] >> (16 * part));
    for (unsigned lane = 0; lane < 32; lane++)
        out[lane] = tile[tile_row(lane, 0, true)][tile_column(lane, 0, true)] |
                    (uint32_t)tile[tile_row(lane, 1, true)][tile_column(lane, 1, true)] << 16;
    engine->lanes->merge(sim_row(engine->program, warp, group, op->dst), out, UINT32_MAX, 1);
}

/* ---- wmma.load, wmma.store ---- */

/* A matrix in memory. */
struct plane {
    uint64_t base, stride; /* the latter in elements */
    uint32_t element_bytes;
    bool by_columns;
};

static uint64_t element_address(const struct plane *plane, unsigned row, unsigned column)
{
    const uint64_t line = plane->by_columns ? column : row, place = plane->by_columns ? row : column;
    return plane->base + (line * plane->stride + place) * plane->element_bytes;
}

static struct plane find_plane(const struct sim_engine *engine, const struct sim_warp *warp,
                               const struct sim_group *group, const struct sim_op *op, const struct sim_fragment *f)
{
    uint64_t address[32];
    struct plane plane = {.element_bytes = isa_types[f->type].bits / 8U,
                          .by_columns = op->insn->mods.layout == ISA_LAYOUT_COL};
    const unsigned down = TILE * (unsigned)f->tiles_down, across = 4U * f->run * f->tiles_across;
    sim_access_addresses(engine, warp, group, op, address);
    plane.base = address[0];
    plane.stride = plane.by_columns == f->transposed ? across : down;
    if (op->src[0] != SIM_ROW_NONE)
        plane.stride = sim_row(engine->program, warp, group, op->src[0])[0];
    return plane;
}

/* The accesses of one tile, with `run` elements side by side for each lane: told and checked. `turned`: the tile lies
 * across, so that lanes read it the other way round and exchange. */
static bool touch_tile(struct sim_engine *engine, struct sim_warp *warp, const struct sim_group *group,
                       const struct sim_op *op, const struct sim_fragment *f, const struct plane *plane,
                       enum sim_effect_kind kind, unsigned tile, bool turned, unsigned run)
{
    uint64_t address[32];
    uint8_t *at[32];
    const struct sim_reach reach = {
        .kind = kind, .space = op->space, .mask = UINT32_MAX, .width_bytes = plane->element_bytes * run};
    for (unsigned first = 0; first < f->run; first += run) {
        for (unsigned lane = 0; lane < 32; lane++) {
            unsigned row, column;
            const unsigned other = turned ? lane % 4 * 8 + lane / 8 : lane;
            sim_fragment_place(f, other, tile * f->run + first, &row, &column);
            if (turned && lane / 4 % 2 == 1) /* the second of the two elements that `other` holds */
                sim_fragment_place(f, other, tile * f->run + 1, &row, &column);
            address[lane] = element_address(plane, row, column);
        }
        if (!sim_access_at(engine, warp, group, op, &reach, address, at))
            return false;
    }
    return true;
}

/* Rows of 16 bytes, up to four tiles at once. */
static bool touch_rows(struct sim_engine *engine, struct sim_warp *warp, const struct sim_group *group,
                       const struct sim_op *op, const struct sim_fragment *f, const struct plane *plane, unsigned tiles)
{
    const bool turned = plane->by_columns != f->transposed;
    for (unsigned first = 0; first < tiles; first += 4) {
        uint64_t address[32] = {0};
        uint8_t *at[32];
        const unsigned now = tiles - first < 4 ? tiles - first : 4;
        const struct sim_reach reach = {.kind = SIM_EFFECT_LOAD,
                                        .space = op->space,
                                        .by_rows = true,
                                        .mask = now == 4 ? UINT32_MAX : (UINT32_C(1) << (TILE * now)) - 1,
                                        .width_bytes = 2 * TILE};
        for (unsigned lane = 0; lane < TILE * now; lane++) {
            unsigned row, column;
            const unsigned line = lane % TILE; /* the lane that holds the line's first element */
            sim_fragment_place(f, turned ? line / 2 : line * 4,
                               (first + lane / TILE) * f->run + (turned ? line % 2 : 0), &row, &column);
            address[lane] = element_address(plane, row, column);
        }
        if (!sim_access_at(engine, warp, group, op, &reach, address, at))
            return false;
    }
    return true;
}

static bool touch(struct sim_engine *engine, struct sim_warp *warp, const struct sim_group *group,
                  const struct sim_op *op, const struct sim_fragment *f, const struct plane *plane,
                  enum sim_effect_kind kind)
{
    const unsigned tiles = (unsigned)f->tiles_down * f->tiles_across;
    const bool along = plane->by_columns == f->transposed, halves = plane->element_bytes == 2 && f->run == 2;
    const bool operand = op->insn->op == ISA_OP_WMMA_LOAD_A || op->insn->op == ISA_OP_WMMA_LOAD_B;
    if (operand && halves && op->space == ISA_SPACE_SHARED)
        return touch_rows(engine, warp, group, op, f, plane, tiles);
    for (unsigned tile = 0; tile < tiles; tile++)
        if (!touch_tile(engine, warp, group, op, f, plane, kind, tile, !along && halves, along || halves ? f->run : 1))
            return false;
    return true;
}

static bool move_plane(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                       const struct sim_op *op, bool is_store)
{
    const struct sim_matrix *x = &engine->program->matrices[op->target];
    const struct sim_fragment *f = is_store ? &x->c : &x->d;
    const struct plane plane = find_plane(engine, warp, group, op, f);
    const unsigned bits = isa_types[f->type].bits;
    if (!touch(engine, warp, group, op, f, &plane, is_store ? SIM_EFFECT_STORE : SIM_EFFECT_LOAD))
        return false;
    for (unsigned r = 0; r < f->count; r++) {
        uint32_t *row_of = sim_row(engine->program, warp, group, f->row[r]), loaded[32] = {0};
        for (unsigned lane = 0; lane < 32; lane++)
            for (unsigned part = 0; part < f->per_register; part++) {
                unsigned row, column;
                sim_fragment_place(f, lane, r * f->per_register + part, &row, &column);
                uint8_t *host = sim_access_host_in(engine, warp, lane, op->space, element_address(&plane, row, column),
                                                   plane.element_bytes);
                uint32_t element = row_of[lane] >> (part * bits);
                if (host == NULL)
                    continue; /* not reached: touch() has been there */
                if (is_store) {
                    memcpy(host, &element, plane.element_bytes);
                } else {
                    element = 0;
                    if (!sim_late_read(engine, host, &element, plane.element_bytes))
                        return false;
                    loaded[lane] |= element << (part * bits);
                }
            }
        if (!is_store)
            memcpy(row_of, loaded, sizeof(loaded));
    }
    if (is_store)
        sim_warp_moved(warp);
    return true;
}

bool sim_matrix_run(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                    uint32_t mask)
{
    if (mask != UINT32_MAX)
        return sim_stop(engine, warp, op, (unsigned)__builtin_ctz(mask), SIM_FAULT_BAD_INSTRUCTION,
                        "%s is for all 32 lanes of a warp; %d execute it", isa_ops[op->insn->op].mnemonic,
                        __builtin_popcount(mask));
    switch (op->insn->op) {
    case ISA_OP_LDMATRIX:
        return load_tiles(engine, warp, group, op);
    case ISA_OP_STMATRIX:
        return store_tiles(engine, warp, group, op);
    case ISA_OP_WMMA_LOAD_A:
    case ISA_OP_WMMA_LOAD_B:
    case ISA_OP_WMMA_LOAD_C:
        return move_plane(engine, warp, group, op, false);
    case ISA_OP_WMMA_STORE:
        return move_plane(engine, warp, group, op, true);
    case ISA_OP_MOVMATRIX:
        transpose(engine, warp, group, op);
        return true;
    default:
        sim_matrix_multiply(engine, warp, group, op);
        return true;
    }
}
