/* Bulk copies without tensor maps (cp.async.bulk, cp.reduce.async.bulk), and what stores into another block's shared
 * memory for a barrier there to count (st.async, red.async).
 *
 * Each is done when it issues: the bytes are there, and the barrier has counted them, before the next instruction. That
 * is one of the orders that the PTX ISA allows, and the only one here; commit_group and wait_group have nothing to
 * wait for. Every lane copies by itself. No thread's memory pipe is used: nothing is counted, and the clock sees the
 * instruction alone. */
#include "sim/engine.h"

#include <string.h>

enum { PIECE_BYTES = 16, MULTICAST_MAX = 16 };

struct bulk { /* of one lane */
    struct sim_engine *engine;
    struct sim_warp *warp;
    const struct sim_group *group;
    const struct sim_op *op;
    unsigned lane;
};

/* The memory behind an address of the lane; NULL: a fault was set. */
static uint8_t *reach(const struct bulk *b, enum sim_effect_kind kind, uint8_t space, uint64_t address,
                      uint32_t width_bytes)
{
    const struct sim_reach reach = {
        .kind = kind, .space = space, .apart = true, .mask = UINT32_C(1) << b->lane, .width_bytes = width_bytes};
    uint64_t addresses[32];
    uint8_t *at[32];
    for (unsigned lane = 0; lane < 32; lane++)
        addresses[lane] = address;
    return sim_access_at(b->engine, b->warp, b->group, b->op, &reach, addresses, at) ? at[b->lane] : NULL;
}

/* What the instruction does to an element of `bytes` bytes. */
static void combine(const struct sim_op *op, uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    uint64_t old = 0, operand = 0;
    memcpy(&old, to, bytes);
    memcpy(&operand, from, bytes);
    old = sim_atom_apply(op->mode, op->type, old, operand, 0);
    memcpy(to, &old, bytes);
}

static bool copy_bytes(const struct bulk *b, uint64_t to, uint64_t from, uint32_t bytes)
{
    const struct sim_op *source = &b->engine->program->seconds[b->op->target];
    const bool combines = b->op->mode != ISA_ATOM_NONE;
    for (uint32_t done = 0; done < bytes; done += PIECE_BYTES) {
        const uint8_t *read = reach(b, SIM_EFFECT_LOAD, source->space, from + done, PIECE_BYTES);
        uint8_t *written = read != NULL ? reach(b, combines ? SIM_EFFECT_ATOMIC : SIM_EFFECT_STORE, b->op->space,
                                                to + done, PIECE_BYTES)
                                        : NULL;
        if (written == NULL)
            return false;
        for (uint32_t i = 0; combines && i < PIECE_BYTES; i += b->op->element_bytes)
            combine(b->op, written + i, read + i, b->op->element_bytes);
        if (!combines)
            memmove(written, read, PIECE_BYTES);
    }
    return true;
}

/* Copies, and tells the barrier, which lies in the block that the bytes go to. */
static bool copy_lane(const struct bulk *b, uint64_t to, uint64_t from, uint64_t barrier, uint32_t bytes)
{
    return copy_bytes(b, to, from, bytes) &&
           (b->op->target_count < 2 ||
            sim_mbarrier_complete(b->engine, b->warp, b->group, b->op, b->lane, barrier, bytes));
}

/* The same place in the shared memory of each block of the mask. */
static bool copy_to_all(const struct bulk *b, uint64_t to, uint64_t from, uint64_t barrier, uint32_t bytes,
                        uint32_t blocks)
{
    const uint64_t offset_mask = (UINT64_C(1) << SIM_CLUSTER_SHIFT) - 1;
    for (uint32_t rank = 0; rank < MULTICAST_MAX; rank++) {
        const uint64_t block = (uint64_t)(rank + 1) << SIM_CLUSTER_SHIFT;
        if ((blocks >> rank & 1) != 0 &&
            !copy_lane(b, block | (to & offset_mask), from, block | (barrier & offset_mask), bytes))
            return false;
    }
    return true;
}

static bool run_copy(const struct bulk *b, uint64_t to, uint64_t from, uint64_t barrier)
{
    const struct sim_op *op = b->op;
    const struct sim_program *program = b->engine->program;
    const uint32_t bytes = sim_row(program, b->warp, b->group, op->src[0])[b->lane];
    if (bytes % PIECE_BYTES != 0)
        return sim_stop(b->engine, b->warp, op, b->lane, SIM_FAULT_BAD_INSTRUCTION,
                        "%s of %u bytes: they must be a multiple of 16", isa_ops[op->insn->op].mnemonic, bytes);
    if (op->src[1] == SIM_ROW_NONE)
        return copy_lane(b, to, from, barrier, bytes);
    return copy_to_all(b, to, from, barrier, bytes, sim_row(program, b->warp, b->group, op->src[1])[b->lane]);
}

/* st.async, red.async. */
static bool run_store(const struct bulk *b, uint64_t to, uint64_t barrier)
{
    const struct sim_op *op = b->op;
    const uint32_t bytes = (uint32_t)op->element_bytes * op->count;
    uint8_t data[32];
    for (uint32_t e = 0; e < op->count; e++) {
        const uint32_t *row = sim_row(b->engine->program, b->warp, b->group, op->vec[e]);
        const uint32_t words[2] = {row[b->lane], op->element_bytes > 4 ? row[32 + b->lane] : 0};
        memcpy(data + (size_t)e * op->element_bytes, words, op->element_bytes);
    }
    const bool combines = op->mode != ISA_ATOM_NONE;
    uint8_t *at = reach(b, combines ? SIM_EFFECT_ATOMIC : SIM_EFFECT_STORE, op->space, to, bytes);
    if (at == NULL)
        return false;
    if (combines)
        combine(op, at, data, bytes);
    else
        memcpy(at, data, bytes);
    return sim_mbarrier_complete(b->engine, b->warp, b->group, op, b->lane, barrier, bytes);
}

bool sim_bulk_run(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                  uint32_t mask)
{
    const struct sim_op *seconds = engine->program->seconds + op->target;
    uint64_t to[32], second[2][32] = {{0}};
    sim_access_addresses(engine, warp, group, op, to);
    for (uint32_t i = 0; i < op->target_count; i++)
        sim_access_addresses(engine, warp, group, &seconds[i], second[i]);
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        const struct bulk b = {engine, warp, group, op, lane};
        if (!(op->count > 0 ? run_store(&b, to[lane], second[0][lane])
                            : run_copy(&b, to[lane], second[0][lane], second[1][lane])))
            return false;
    }
    sim_warp_moved(warp);
    return true;
}
