/* Basic blocks of machine code: isa/cfg.c reads the operands of PTX, which machine instructions lack. */
#include "advise/flow.h"

#include "isa/cfg.h"
#include "isa/sass/sass.h"

struct machine_flow {
    const struct isa_function *function;
    struct isa_cfg *cfg;
    struct base_arena *arena;
    bool *exits; /* by block */
};

/* The instruction a branch goes to; -1: none that is known. */
static int64_t target_of(const struct isa_function *function, const struct isa_sass_insn *sass)
{
    if ((isa_sass_ops[sass->op].flags & ISA_OPF_BRANCH) == 0)
        return -1;
    for (unsigned i = 0; i < sass->operand_count; i++) {
        const struct isa_sass_operand *o = &sass->operands[i];
        bool is_place = (o->kind == ISA_SASS_TARGET && o->function < 0) || o->kind == ISA_SASS_IMM;
        if (is_place && o->value >= 0 && (uint64_t)o->value / ISA_SASS_INSN_BYTES < function->insn_count)
            return o->value / (int64_t)ISA_SASS_INSN_BYTES;
    }
    return -1;
}

static bool falls_through(const struct isa_sass_insn *sass)
{
    uint32_t flags = isa_sass_ops[sass->op].flags;
    if (sass->guard != ISA_SASS_PT || (flags & (ISA_OPF_BRANCH | ISA_OPF_EXIT | ISA_OPF_RETURN)) == 0)
        return true;
    return (flags & ISA_OPF_BRANCH) != 0 && (sass->operand_count > 1 || sass->word_count > 0);
}

static bool is_indirect(const struct isa_function *function, const struct isa_sass_insn *sass)
{
    return (isa_sass_ops[sass->op].flags & ISA_OPF_BRANCH) != 0 && target_of(function, sass) < 0;
}

static bool ends_block(const struct isa_sass_insn *sass)
{
    return (isa_sass_ops[sass->op].flags & (ISA_OPF_BRANCH | ISA_OPF_EXIT | ISA_OPF_RETURN)) != 0;
}

static enum base_status mark_blocks(struct machine_flow *f)
{
    const struct isa_function *function = f->function;
    size_t count = function->insn_count, blocks = 0;
    bool *starts = base_arena_alloc(f->arena, count + 1, sizeof(*starts));
    f->cfg->block_of = base_arena_alloc(f->arena, count, sizeof(*f->cfg->block_of));
    if (!starts || !f->cfg->block_of)
        return BASE_NOMEM;
    starts[0] = true;
    for (size_t i = 0; i < count; i++) {
        const struct isa_sass_insn *sass = function->insns[i].sass;
        int64_t target = target_of(function, sass);
        if (is_indirect(function, sass))
            return BASE_UNSUPPORTED;
        if (target >= 0)
            starts[target] = true;
        if (ends_block(sass))
            starts[i + 1] = true;
    }
    for (size_t i = 0; i < count; i++)
        blocks += starts[i];
    f->cfg->blocks = base_arena_alloc(f->arena, blocks, sizeof(*f->cfg->blocks));
    f->exits = base_arena_alloc(f->arena, blocks, sizeof(*f->exits));
    if (!f->cfg->blocks || !f->exits)
        return BASE_NOMEM;
    for (size_t i = 0; i < count; i++) {
        if (starts[i])
            f->cfg->blocks[f->cfg->block_count++].first = (uint32_t)i;
        f->cfg->blocks[f->cfg->block_count - 1].count++;
        f->cfg->block_of[i] = (uint32_t)f->cfg->block_count - 1;
    }
    return BASE_OK;
}

/* Each block has two successors at most; predecessors are counted first. */
static enum base_status join_blocks(struct machine_flow *f)
{
    struct isa_cfg *cfg = f->cfg;
    uint32_t *edges = base_arena_alloc(f->arena, 2 * cfg->block_count, sizeof(*edges));
    uint32_t *back = base_arena_alloc(f->arena, 2 * cfg->block_count, sizeof(*back));
    if (!edges || !back)
        return BASE_NOMEM;
    for (size_t b = 0; b < cfg->block_count; b++) {
        struct isa_block *block = &cfg->blocks[b];
        const struct isa_sass_insn *last = f->function->insns[block->first + block->count - 1].sass;
        int64_t target = target_of(f->function, last);
        block->succ = &edges[2 * b];
        if (falls_through(last) && b + 1 < cfg->block_count)
            block->succ[block->succ_count++] = (uint32_t)b + 1;
        if (target >= 0 && (block->succ_count == 0 || block->succ[0] != cfg->block_of[target]))
            block->succ[block->succ_count++] = cfg->block_of[target];
        f->exits[b] = (isa_sass_ops[last->op].flags & (ISA_OPF_EXIT | ISA_OPF_RETURN)) != 0 || block->succ_count == 0;
        for (uint32_t s = 0; s < block->succ_count; s++)
            cfg->blocks[block->succ[s]].pred_count++;
    }
    for (size_t b = 0; b < cfg->block_count; b++) {
        cfg->blocks[b].pred = back;
        back += cfg->blocks[b].pred_count;
        cfg->blocks[b].pred_count = 0;
    }
    for (size_t b = 0; b < cfg->block_count; b++)
        for (uint32_t s = 0; s < cfg->blocks[b].succ_count; s++) {
            struct isa_block *next = &cfg->blocks[cfg->blocks[b].succ[s]];
            next->pred[next->pred_count++] = (uint32_t)b;
        }
    return BASE_OK;
}

static enum base_status find_meetings(struct machine_flow *f)
{
    struct isa_cfg *cfg = f->cfg;
    uint32_t *first = base_arena_alloc(f->arena, cfg->block_count + 1, sizeof(*first));
    uint32_t *succ = base_arena_alloc(f->arena, 2 * cfg->block_count, sizeof(*succ));
    int32_t *ipdom = base_arena_alloc(f->arena, cfg->block_count, sizeof(*ipdom));
    if (!first || !succ || !ipdom)
        return BASE_NOMEM;
    for (size_t b = 0; b < cfg->block_count; b++) {
        first[b + 1] = first[b];
        for (uint32_t s = 0; s < cfg->blocks[b].succ_count; s++)
            succ[first[b + 1]++] = cfg->blocks[b].succ[s];
    }
    struct isa_graph graph = {.node_count = cfg->block_count, .first = first, .succ = succ, .exits = f->exits};
    enum base_status status = isa_graph_post_dominators(&graph, ipdom);
    for (size_t b = 0; status == BASE_OK && b < cfg->block_count; b++)
        cfg->blocks[b].ipdom = ipdom[b];
    return status;
}

enum base_status advise_flow_build(const struct isa_function *function, struct base_arena *arena, struct isa_cfg *cfg)
{
    struct machine_flow flow = {.function = function, .cfg = cfg, .arena = arena};
    if (!function->machine)
        return isa_cfg_build(function, arena, cfg);
    *cfg = (struct isa_cfg){0};
    if (function->insn_count == 0)
        return BASE_OK;
    enum base_status status = mark_blocks(&flow);
    if (status == BASE_OK)
        status = join_blocks(&flow);
    return status == BASE_OK ? find_meetings(&flow) : status;
}
