/* Convergence: where the lanes of a warp that went apart meet again.
 *
 * Every branch that can send lanes of one warp different ways gets a `conv.set B, L` in front of it, and L, where all
 * of those ways first come together, begins with `conv.sync B`: there the lanes of B wait for each other. L is the
 * branch's immediate post-dominator, and each such place has one barrier number, shared by the branches that meet
 * there. Two things are told apart from the textbook:
 *
 * - A thread that ends never meets the others, so ways into the end of the thread do not count. In
 *       if (a) { if (b) return; x(); } y();
 *   the lanes that are left meet before y(), although y() post-dominates nothing, as they do on the GPU, whose EXIT
 *   takes a lane out of its barriers. What counts as an end: a block of nothing but `exit`, `trap` or, in a kernel,
 *   `ret`; a block that ends in `trap` or in a call that never returns; and a block that only one other leads to, that
 *   leaves the kernel, and in which no lane waits for another. No lane ever waits at an end: one that waited there
 *   would still be expected at the block's barriers.
 *
 * - A function can return lane by lane: when it has a branch whose ways do not meet before its end. A call of such a
 *   function, and every indirect call, is like a branch that meets at the instruction after it.
 *
 * Why sharing a number is right: lanes of B are in the region between a branch and L, and every way out of the region
 * leads to L or ends the thread. A branch inside it that meets at L too only adds lanes that are expected there anyhow.
 *
 * First every function is analysed (struct plan), then instructions are inserted (struct rewrite).
 */
#include "isa/cfg.h"

#include <stdio.h>
#include <string.h>

/* Instruction indices must stay in 32 bits when up to two derived instructions stand before each. */
#define INSNS_MAX (UINT32_MAX / 8)

#define NOWHERE UINT32_MAX

struct plan {
    bool done;            /* has convergence instructions already */
    bool returns_apart;   /* lanes that called it together may come back at different times */
    uint32_t *meet;       /* by instruction: where lanes that go apart at it meet, or NOWHERE; NULL: nowhere at all */
};

static bool is_derived(const struct isa_insn *insn)
{
    return insn->op == ISA_OP_CONV_SET || insn->op == ISA_OP_CONV_SYNC;
}

static bool insn_ends_thread(const struct isa_function *function, const struct isa_insn *insn)
{
    uint32_t flags = isa_ops[insn->op].flags;
    return (flags & ISA_OPF_EXIT) || ((flags & ISA_OPF_RETURN) && function->is_entry);
}

/* An unguarded end of the thread at the head of a block. */
static bool is_bare_end(const struct isa_function *function, uint32_t index)
{
    const struct isa_insn *insn = &function->insns[index];
    return insn->guard < 0 && insn_ends_thread(function, insn);
}

static bool block_waits(const struct isa_function *function, const struct isa_block *block)
{
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        if (isa_ops[function->insns[i].op].flags & (ISA_OPF_BARRIER | ISA_OPF_WARP | ISA_OPF_CALL)) {
            return true;
        }
    }
    return false;
}

/* Whether lanes that go into the block end there without a look back at the others. */
static bool is_end(const struct isa_module *module, const struct isa_function *function, const struct isa_cfg *cfg,
                   const struct isa_block *block)
{
    const struct isa_insn *last = &function->insns[block->first + block->count - 1];
    if (is_bare_end(function, block->first)) {
        return true;
    }
    if (block->succ_count == 0 && !isa_insn_falls_through(module, function, last) &&
        (last->op == ISA_OP_TRAP || (isa_ops[last->op].flags & ISA_OPF_CALL))) {
        return true;
    }
    if (block->pred_count != 1 || block_waits(function, block)) {
        return false;
    }
    if (block->succ_count == 0) {
        return last->guard < 0 && insn_ends_thread(function, last);
    }
    return block->succ_count == 1 && is_bare_end(function, cfg->blocks[block->succ[0]].first);
}

/* The graph that surviving lanes see: without edges into ends, unless a block leads to nothing else, and without the
 * exits of lanes that end at a guarded instruction. */
static bool survivors_graph(const struct isa_module *module, const struct isa_function *function,
                            const struct isa_cfg *cfg, struct base_arena *arena, struct isa_graph *graph)
{
    size_t blocks = cfg->block_count, edges = 0;
    bool *end = base_arena_alloc(arena, blocks, sizeof(*end));
    bool *exits = base_arena_alloc(arena, blocks, sizeof(*exits));
    uint32_t *first = base_arena_alloc(arena, blocks + 1, sizeof(*first));
    for (size_t n = 0; n < blocks; n++) {
        edges += cfg->blocks[n].succ_count;
    }
    uint32_t *succ = base_arena_alloc(arena, edges, sizeof(*succ));
    if (arena->failed) {
        return false;
    }
    for (size_t n = 0; n < blocks; n++) {
        end[n] = is_end(module, function, cfg, &cfg->blocks[n]);
    }
    for (size_t n = 0; n < blocks; n++) {
        const struct isa_block *block = &cfg->blocks[n];
        const struct isa_insn *last = &function->insns[block->first + block->count - 1];
        uint32_t count = 0;
        for (uint32_t s = 0; s < block->succ_count; s++) {
            if (!end[block->succ[s]]) {
                succ[first[n] + count++] = block->succ[s];
            }
        }
        if (count == 0 && block->succ_count > 0) {
            memcpy(&succ[first[n]], block->succ, block->succ_count * sizeof(*succ));
            count = block->succ_count;
        }
        first[n + 1] = first[n] + count;
        bool to_end = block->leaves;
        exits[n] = count == 0 || (to_end && !insn_ends_thread(function, last));
    }
    *graph = (struct isa_graph){.node_count = blocks, .first = first, .succ = succ, .exits = exits};
    return true;
}
