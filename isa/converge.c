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
    bool done;          /* has convergence instructions already */
    bool returns_apart; /* lanes that called it together may come back at different times */
    uint32_t *meet;     /* by instruction: where lanes that go apart at it meet, or NOWHERE; NULL: nowhere at all */
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

/* Whether lanes can go from the block back to a caller. */
static bool block_returns(const struct isa_module *module, const struct isa_function *function,
                          const struct isa_block *block)
{
    const struct isa_insn *last = &function->insns[block->first + block->count - 1];
    if (function->is_entry) {
        return false;
    }
    size_t targets;
    const uint32_t *target = isa_insn_targets(function, last, &targets);
    bool to_end = block->first + block->count == function->insn_count && isa_insn_falls_through(module, function, last);
    for (size_t t = 0; t < targets; t++) {
        to_end |= target[t] == function->insn_count;
    }
    return to_end || (isa_ops[last->op].flags & ISA_OPF_RETURN);
}

/* How far a block is an end of the thread, as told at the head of this file. */
enum end { NO_END, END, TAIL_END };

static enum end block_end(const struct isa_module *module, const struct isa_function *function,
                          const struct isa_cfg *cfg, const struct isa_block *block)
{
    const struct isa_insn *last = &function->insns[block->first + block->count - 1];
    if (is_bare_end(function, block->first)) {
        return END;
    }
    if (block->succ_count == 0 && !isa_insn_falls_through(module, function, last) &&
        (last->op == ISA_OP_TRAP || (isa_ops[last->op].flags & ISA_OPF_CALL))) {
        return END;
    }
    if (block->pred_count != 1 || block_waits(function, block) || block_returns(module, function, block)) {
        return NO_END;
    }
    bool ends = block->succ_count == 0
                    ? last->guard < 0 && insn_ends_thread(function, last)
                    : block->succ_count == 1 && is_bare_end(function, cfg->blocks[block->succ[0]].first);
    return ends ? TAIL_END : NO_END;
}

/* `block` can reach the exit: so can what leads to it. */
static void mark_leaves(const struct isa_cfg *cfg, const enum end *ends, uint32_t block, bool *leaves, uint32_t *stack)
{
    size_t depth = 0;
    if (leaves[block]) {
        return;
    }
    leaves[block] = true;
    stack[depth++] = block;
    while (depth > 0) {
        uint32_t n = stack[--depth];
        for (uint32_t p = 0; ends[n] == NO_END && p < cfg->blocks[n].pred_count; p++) {
            uint32_t pred = cfg->blocks[n].pred[p];
            if (!leaves[pred]) {
                leaves[pred] = true;
                stack[depth++] = pred;
            }
        }
    }
}

static bool leads_only_to_ends(const struct isa_block *block, const enum end *ends)
{
    for (uint32_t s = 0; s < block->succ_count; s++) {
        if (ends[block->succ[s]] == NO_END) {
            return false;
        }
    }
    return true;
}

/* What follows a loop is no end, although it is a block that only the loop leads to: lanes that leave the loop one by
 * one meet there. So ends are taken back, the last in the text first, where without them a block could not reach the
 * exit. */
static bool find_ends(const struct isa_module *module, const struct isa_function *function, const struct isa_cfg *cfg,
                      struct base_arena *arena, enum end *ends)
{
    bool *leaves = base_arena_alloc(arena, cfg->block_count, sizeof(*leaves));
    uint32_t *stack = base_arena_alloc(arena, cfg->block_count, sizeof(*stack));
    if (leaves == NULL || stack == NULL) {
        return false;
    }
    for (size_t n = 0; n < cfg->block_count; n++) {
        ends[n] = block_end(module, function, cfg, &cfg->blocks[n]);
    }
    for (uint32_t n = 0; n < cfg->block_count; n++) {
        if (block_returns(module, function, &cfg->blocks[n]) || leads_only_to_ends(&cfg->blocks[n], ends)) {
            mark_leaves(cfg, ends, n, leaves, stack);
        }
    }
    for (size_t n = cfg->block_count; n-- > 0;) {
        if (ends[n] == TAIL_END && !leaves[cfg->blocks[n].pred[0]]) {
            ends[n] = NO_END;
            mark_leaves(cfg, ends, cfg->blocks[n].pred[0], leaves, stack);
        }
    }
    return true;
}

/* The graph that surviving lanes see: without edges into ends, unless a block leads to nothing else, and without the
 * exits of lanes that end at a guarded instruction. */
static bool survivors_graph(const struct isa_module *module, const struct isa_function *function,
                            const struct isa_cfg *cfg, struct base_arena *arena, enum end *ends,
                            struct isa_graph *graph)
{
    size_t blocks = cfg->block_count, edges = 0;
    bool *exits = base_arena_alloc(arena, blocks, sizeof(*exits));
    uint32_t *first = base_arena_alloc(arena, blocks + 1, sizeof(*first));
    for (size_t n = 0; n < blocks; n++) {
        edges += cfg->blocks[n].succ_count;
    }
    uint32_t *succ = base_arena_alloc(arena, edges, sizeof(*succ));
    if (arena->failed || !find_ends(module, function, cfg, arena, ends)) {
        return false;
    }
    for (size_t n = 0; n < blocks; n++) {
        const struct isa_block *block = &cfg->blocks[n];
        bool all = leads_only_to_ends(block, ends);
        uint32_t count = 0;
        for (uint32_t s = 0; s < block->succ_count; s++) {
            if (all || ends[block->succ[s]] == NO_END) {
                succ[first[n] + count++] = block->succ[s];
            }
        }
        first[n + 1] = first[n] + count;
        exits[n] = count == 0 || block_returns(module, function, block);
    }
    *graph = (struct isa_graph){.node_count = blocks, .first = first, .succ = succ, .exits = exits};
    return true;
}

static bool insn_can_diverge(const struct isa_insn *insn)
{
    if (!(isa_ops[insn->op].flags & ISA_OPF_BRANCH) || (insn->mods.flags & ISA_FLAG_UNI)) {
        return false;
    }
    return insn->guard >= 0 || insn->op != ISA_OP_BRA;
}

/* Whether a block leads more than one way: the exit of a device function is one. */
static bool ways_part(const struct isa_graph *graph, size_t n)
{
    return graph->first[n + 1] - graph->first[n] + (graph->exits[n] ? 1U : 0U) > 1;
}

static enum base_status plan_branches(const struct isa_module *module, const struct isa_function *function,
                                      struct base_arena *arena, struct plan *plan)
{
    struct isa_cfg cfg;
    struct isa_graph graph;
    enum base_status status = isa_cfg_build_in(module, function, arena, &cfg);
    if (status != BASE_OK) {
        return status;
    }
    int32_t *ipdom = base_arena_alloc(arena, cfg.block_count, sizeof(*ipdom));
    enum end *ends = base_arena_alloc(arena, cfg.block_count, sizeof(*ends));
    if (ipdom == NULL || ends == NULL || !survivors_graph(module, function, &cfg, arena, ends, &graph)) {
        return BASE_NOMEM;
    }
    status = isa_graph_post_dominators(&graph, ipdom);
    for (size_t n = 0; status == BASE_OK && n < cfg.block_count; n++) {
        const struct isa_block *block = &cfg.blocks[n];
        uint32_t last = block->first + block->count - 1;
        const struct isa_insn *insn = &function->insns[last];
        if (!block->reachable) {
            continue;
        }
        if (!function->is_entry && insn->guard >= 0 && (isa_ops[insn->op].flags & ISA_OPF_RETURN)) {
            plan->returns_apart = true;
        }
        if (!insn_can_diverge(insn) || !ways_part(&graph, n)) {
            continue;
        }
        if (ipdom[n] < 0) {
            plan->returns_apart |= !function->is_entry;
        } else if (ends[ipdom[n]] == NO_END) {
            plan->meet[last] = cfg.blocks[ipdom[n]].first;
        }
    }
    return status;
}

static enum base_status plan_function(const struct isa_module *module, const struct isa_function *function,
                                      struct base_arena *arena, struct plan *plan)
{
    size_t insns = function->insn_count;
    if (insns > INSNS_MAX) {
        return BASE_NOMEM;
    }
    if (insns == 0) {
        return BASE_OK;
    }
    plan->meet = base_arena_alloc(arena, insns, sizeof(*plan->meet));
    if (plan->meet == NULL) {
        return BASE_NOMEM;
    }
    for (size_t i = 0; i < insns; i++) {
        plan->meet[i] = NOWHERE;
        plan->done |= is_derived(&function->insns[i]);
    }
    struct base_arena scratch;
    base_arena_init(&scratch, 0);
    enum base_status status = plan_branches(module, function, &scratch, plan);
    base_arena_free(&scratch);
    return status;
}

/* Calls after which lanes can be apart. */
static void plan_calls(const struct isa_function *function, const struct plan *plans, struct plan *plan)
{
    for (size_t i = 0; i + 1 < function->insn_count; i++) {
        const struct isa_insn *insn = &function->insns[i];
        if (!(isa_ops[insn->op].flags & ISA_OPF_CALL) || insn->dst_count >= insn->operand_count) {
            continue;
        }
        const struct isa_operand *callee = &function->operands[insn->operand_first + insn->dst_count];
        bool apart = callee->kind != ISA_OPERAND_FUNC || plans[callee->ref].returns_apart;
        if (apart && !is_bare_end(function, (uint32_t)i + 1)) {
            plan->meet[i] = (uint32_t)i + 1;
        }
    }
}

/* One function's new arrays. `start` is the new index of each old instruction, or of the derived ones before it. */
struct rewrite {
    struct isa_function *function;
    const struct plan *plan;
    uint32_t *barrier; /* by old instruction: the barrier whose lanes meet there, or NOWHERE */
    uint32_t *start;
    uint32_t *label; /* by old instruction: a label there, or NOWHERE */
    uint32_t barriers, new_labels;
    size_t insn_count, operand_count, label_count;
    struct isa_insn *insns;
    struct isa_operand *operands;
    struct isa_label *labels;
};

static bool rewrite_measure(struct rewrite *r, struct base_arena *scratch)
{
    const struct isa_function *function = r->function;
    size_t insns = function->insn_count;
    r->barrier = base_arena_alloc(scratch, insns, sizeof(*r->barrier));
    r->label = base_arena_alloc(scratch, insns, sizeof(*r->label));
    r->start = base_arena_alloc(scratch, insns + 1, sizeof(*r->start));
    if (scratch->failed) {
        return false;
    }
    memset(r->barrier, 0xff, insns * sizeof(*r->barrier));
    memset(r->label, 0xff, insns * sizeof(*r->label));
    for (size_t l = function->label_count; l-- > 0;) {
        if (function->labels[l].insn < insns) {
            r->label[function->labels[l].insn] = (uint32_t)l;
        }
    }
    for (size_t i = 0; i < insns; i++) {
        if (r->plan->meet[i] != NOWHERE) {
            r->barrier[r->plan->meet[i]] = 0;
        }
    }
    r->operand_count = function->operand_count;
    for (size_t i = 0; i < insns; i++) {
        r->start[i] = (uint32_t)r->insn_count;
        if (r->barrier[i] != NOWHERE) {
            r->barrier[i] = r->barriers++;
            r->new_labels += r->label[i] == NOWHERE;
            r->insn_count++;
            r->operand_count++;
        }
        if (r->plan->meet[i] != NOWHERE) {
            r->insn_count++;
            r->operand_count += 2;
        }
        r->insn_count++;
    }
    r->start[insns] = (uint32_t)r->insn_count;
    r->label_count = function->label_count + r->new_labels;
    return r->operand_count <= UINT32_MAX;
}

static bool rewrite_alloc(struct rewrite *r, struct base_arena *arena)
{
    const struct isa_function *function = r->function;
    r->insns = base_arena_alloc(arena, r->insn_count, sizeof(*r->insns));
    r->operands = base_arena_alloc(arena, r->operand_count, sizeof(*r->operands));
    r->labels = base_arena_alloc(arena, r->label_count, sizeof(*r->labels));
    if (r->insns == NULL || r->operands == NULL || r->labels == NULL) {
        return false;
    }
    if (function->operand_count > 0) {
        memcpy(r->operands, function->operands, function->operand_count * sizeof(*r->operands));
    }
    if (function->label_count > 0) {
        memcpy(r->labels, function->labels, function->label_count * sizeof(*r->labels));
    }
    return true;
}

/* New labels are named $conv_0, $conv_1 ..., with more underscores when a label of the text begins like that. */
static bool rewrite_labels(struct rewrite *r, struct base_arena *arena)
{
    const struct isa_function *function = r->function;
    char name[64];
    size_t underscores = 1, label = function->label_count;
    for (size_t l = 0; r->new_labels > 0 && l < function->label_count; l++) {
        const char *text = function->labels[l].name;
        if (strncmp(text, "$conv_", 6) == 0) {
            size_t run = strspn(text + 5, "_");
            underscores = run >= underscores ? run + 1 : underscores;
        }
    }
    if (underscores > sizeof(name) / 2) {
        return false;
    }
    for (size_t i = 0; i < function->insn_count; i++) {
        if (r->barrier[i] == NOWHERE || r->label[i] != NOWHERE) {
            continue;
        }
        int length = snprintf(name, sizeof(name), "$conv%.*s%u", (int)underscores, "________________________________",
                              r->barrier[i]);
        r->labels[label].name = base_arena_strndup(arena, name, (size_t)length);
        r->labels[label].insn = (uint32_t)i;
        if (r->labels[label].name == NULL) {
            return false;
        }
        r->label[i] = (uint32_t)label++;
    }
    return true;
}

/* A derived instruction in front of `before`, which it takes its place in the text from. */
static struct isa_insn derived(const struct isa_insn *before, enum isa_op op, size_t operand_first)
{
    return (struct isa_insn){
        .op = (uint16_t)op,
        .guard = -1,
        .operand_count = op == ISA_OP_CONV_SET ? 2 : 1,
        .operand_first = (uint32_t)operand_first,
        .pc = before->pc,
        .offset = before->offset,
        .length = before->length,
        .line = before->line,
        .loc_file = before->loc_file,
        .loc_line = before->loc_line,
    };
}

static void rewrite_insns(struct rewrite *r)
{
    const struct isa_function *function = r->function;
    size_t to = 0, operand = function->operand_count;
    for (size_t i = 0; i < function->insn_count; i++) {
        const struct isa_insn *insn = &function->insns[i];
        uint32_t meet = r->plan->meet[i];
        if (r->barrier[i] != NOWHERE) {
            r->insns[to++] = derived(insn, ISA_OP_CONV_SYNC, operand);
            r->operands[operand++] = (struct isa_operand){.kind = ISA_OPERAND_IMM, .imm = r->barrier[i]};
        }
        if (meet != NOWHERE) {
            r->insns[to++] = derived(insn, ISA_OP_CONV_SET, operand);
            r->operands[operand++] = (struct isa_operand){.kind = ISA_OPERAND_IMM, .imm = r->barrier[meet]};
            r->operands[operand++] =
                (struct isa_operand){.kind = ISA_OPERAND_LABEL, .ref = r->start[meet], .aux = r->label[meet]};
        }
        r->insns[to++] = *insn;
    }
}

/* Everything that names an instruction of the function's text. */
static void rewrite_refs(struct rewrite *r)
{
    struct isa_function *function = r->function;
    for (size_t o = 0; o < function->operand_count; o++) {
        if (r->operands[o].kind == ISA_OPERAND_LABEL) {
            r->operands[o].ref = r->start[r->operands[o].ref];
        }
    }
    for (size_t l = 0; l < r->label_count; l++) {
        r->labels[l].insn = r->start[r->labels[l].insn];
    }
    for (size_t t = 0; t < function->table_count; t++) {
        struct isa_table *table = &function->tables[t];
        for (size_t i = 0; table->kind == ISA_TABLE_BRANCH && i < table->count; i++) {
            table->items[i] = r->start[table->items[i]];
        }
    }
}

static enum base_status rewrite_function(struct isa_function *function, const struct plan *plan,
                                         struct base_arena *arena)
{
    struct rewrite r = {.function = function, .plan = plan};
    struct base_arena scratch;
    base_arena_init(&scratch, 0);
    bool ok = rewrite_measure(&r, &scratch);
    if (ok && r.barriers > 0) {
        ok = rewrite_alloc(&r, arena) && rewrite_labels(&r, arena);
        if (ok) {
            rewrite_insns(&r);
            rewrite_refs(&r);
            function->insns = r.insns;
            function->operands = r.operands;
            function->operand_count = r.operand_count;
            function->labels = r.labels;
            function->label_count = r.label_count;
        }
    }
    base_arena_free(&scratch);
    if (!ok) {
        return BASE_NOMEM;
    }
    function->text_insn_count = function->insn_count;
    function->insn_count = r.insn_count;
    function->conv_count = r.barriers;
    return BASE_OK;
}

enum base_status isa_converge(struct isa_module *module)
{
    struct base_arena scratch;
    base_arena_init(&scratch, 0);
    enum base_status status = BASE_OK;
    struct plan *plans = base_arena_alloc(&scratch, module->function_count, sizeof(*plans));
    if (plans == NULL) {
        status = BASE_NOMEM;
    }
    for (size_t f = 0; status == BASE_OK && f < module->function_count; f++) {
        status = plan_function(module, &module->functions[f], &scratch, &plans[f]);
    }
    for (size_t f = 0; status == BASE_OK && f < module->function_count; f++) {
        if (!plans[f].done) {
            plan_calls(&module->functions[f], plans, &plans[f]);
            status = rewrite_function(&module->functions[f], &plans[f], &module->arena);
        }
    }
    base_arena_free(&scratch);
    return status;
}
