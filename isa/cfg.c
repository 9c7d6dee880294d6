/* The control-flow graph of a function, and post-dominators.
 *
 * Read isa_cfg_build_in() first: it marks the first instruction of every block, numbers the blocks in text order,
 * collects each block's successors and turns the edges round. The exit is no block: a block that can leave the function
 * has the exit as a successor that stands in no list, and -1 names it as a post-dominator.
 *
 * Post-dominators are dominators of the graph turned round, by Lengauer and Tarjan's algorithm with path compression
 * ("A fast algorithm for finding dominators in a flowgraph", TOPLAS 1979). The simpler iterative scheme walks long
 * chains again and again on graphs that are easy to write down; this one does not.
 */
#include "isa/cfg.h"

#include <string.h>

/* More edges than this are refused: many brx.idx can share one long table, so edges are not bounded by the text. */
#define CFG_EDGES_MAX (UINT32_C(1) << 24)

#define NO_NODE UINT32_MAX

static bool insn_ends_thread_or_call(const struct isa_insn *insn)
{
    return (isa_ops[insn->op].flags & (ISA_OPF_RETURN | ISA_OPF_EXIT)) != 0;
}

static bool insn_never_returns(const struct isa_module *module, const struct isa_function *function,
                               const struct isa_insn *insn)
{
    if (module == NULL || !(isa_ops[insn->op].flags & ISA_OPF_CALL)) {
        return false;
    }
    const struct isa_operand *callee = &function->operands[insn->operand_first + insn->dst_count];
    return insn->dst_count < insn->operand_count && callee->kind == ISA_OPERAND_FUNC &&
           module->functions[callee->ref].is_noreturn;
}

bool isa_insn_falls_through(const struct isa_module *module, const struct isa_function *function,
                            const struct isa_insn *insn)
{
    if (insn->guard >= 0) {
        return true;
    }
    return !(isa_ops[insn->op].flags & ISA_OPF_BRANCH) && !insn_ends_thread_or_call(insn) &&
           !insn_never_returns(module, function, insn);
}

bool isa_insn_exits(const struct isa_module *module, const struct isa_function *function, const struct isa_insn *insn)
{
    return insn_ends_thread_or_call(insn) || insn_never_returns(module, function, insn);
}

const uint32_t *isa_insn_targets(const struct isa_function *function, const struct isa_insn *insn, size_t *count)
{
    *count = 0;
    if (!(isa_ops[insn->op].flags & ISA_OPF_BRANCH)) {
        return NULL;
    }
    const struct isa_operand *operands = &function->operands[insn->operand_first];
    for (size_t i = 0; i < insn->operand_count; i++) {
        if (operands[i].kind == ISA_OPERAND_LABEL) {
            *count = 1;
            return &operands[i].ref;
        }
        if (operands[i].kind == ISA_OPERAND_TABLE) {
            *count = function->tables[operands[i].ref].count;
            return function->tables[operands[i].ref].items;
        }
    }
    return NULL;
}

/* Turns the edges of reachable nodes round: pred of node n is pred[first[n]] .. pred[first[n + 1] - 1]. */
static bool graph_reverse(const struct isa_graph *graph, const bool *reachable, struct base_arena *arena,
                          uint32_t **first_out, uint32_t **pred_out)
{
    size_t nodes = graph->node_count;
    uint32_t *first = base_arena_alloc(arena, nodes + 2, sizeof(*first));
    uint32_t *pred = base_arena_alloc(arena, (size_t)graph->first[nodes] + 1, sizeof(*pred));
    if (first == NULL || pred == NULL) {
        return false;
    }
    for (size_t n = 0; n < nodes; n++) {
        for (uint32_t e = graph->first[n]; reachable[n] && e < graph->first[n + 1]; e++) {
            first[graph->succ[e] + 2]++;
        }
    }
    for (size_t n = 2; n < nodes + 2; n++) {
        first[n] += first[n - 1];
    }
    for (size_t n = 0; n < nodes; n++) {
        for (uint32_t e = graph->first[n]; reachable[n] && e < graph->first[n + 1]; e++) {
            pred[first[graph->succ[e] + 1]++] = (uint32_t)n;
        }
    }
    *first_out = first;
    *pred_out = pred;
    return true;
}

/* Depth-first from the entry: marks what is reachable and writes it to `postorder`; returns how many. */
static size_t graph_postorder(const struct isa_graph *graph, bool *reachable, uint32_t *postorder, uint32_t *stack,
                              uint32_t *next)
{
    size_t depth = 0, count = 0;
    reachable[0] = true;
    next[0] = graph->first[0];
    stack[depth++] = 0;
    while (depth > 0) {
        uint32_t node = stack[depth - 1];
        if (next[node] == graph->first[node + 1]) {
            postorder[count++] = node;
            depth--;
            continue;
        }
        uint32_t succ = graph->succ[next[node]++];
        if (!reachable[succ]) {
            reachable[succ] = true;
            next[succ] = graph->first[succ];
            stack[depth++] = succ;
        }
    }
    return count;
}

/* The dominator search. Nodes carry their number in the depth-first order of the reversed graph, from 1; 0 is the
 * exit, where the search begins. */
struct search {
    const struct isa_graph *graph;
    const uint32_t *pred_first, *pred;
    uint32_t *number; /* by node; 0: not seen yet */
    uint32_t *node;   /* by number */
    uint32_t *parent; /* by number, as all below */
    uint32_t *semi, *label, *ancestor, *dom;
    uint32_t *bucket, *bucket_next;
    uint32_t *stack;
    bool *leaves; /* by node: the exit is a successor, given or assumed */
    uint32_t count;
};

static bool search_init(struct search *s, struct base_arena *arena)
{
    size_t n = s->graph->node_count + 1;
    s->number = base_arena_alloc(arena, n, sizeof(uint32_t));
    s->node = base_arena_alloc(arena, n, sizeof(uint32_t));
    s->parent = base_arena_alloc(arena, n, sizeof(uint32_t));
    s->semi = base_arena_alloc(arena, n, sizeof(uint32_t));
    s->label = base_arena_alloc(arena, n, sizeof(uint32_t));
    s->ancestor = base_arena_alloc(arena, n, sizeof(uint32_t));
    s->dom = base_arena_alloc(arena, n, sizeof(uint32_t));
    s->bucket = base_arena_alloc(arena, n, sizeof(uint32_t));
    s->bucket_next = base_arena_alloc(arena, n, sizeof(uint32_t));
    s->stack = base_arena_alloc(arena, n, sizeof(uint32_t));
    s->leaves = base_arena_alloc(arena, n, sizeof(bool));
    return !arena->failed;
}

/* Numbers every node from which `root` can be reached and that has no number yet. */
static void search_number(struct search *s, uint32_t root, uint32_t *next)
{
    size_t depth = 0;
    s->leaves[root] = true;
    if (s->number[root] != 0) {
        return;
    }
    s->number[root] = ++s->count;
    s->node[s->count] = root;
    next[root] = s->pred_first[root];
    s->stack[depth++] = root;
    while (depth > 0) {
        uint32_t node = s->stack[depth - 1];
        if (next[node] == s->pred_first[node + 1]) {
            depth--;
            continue;
        }
        uint32_t pred = s->pred[next[node]++];
        if (s->number[pred] == 0) {
            s->number[pred] = ++s->count;
            s->node[s->count] = pred;
            s->parent[s->count] = s->number[node];
            next[pred] = s->pred_first[pred];
            s->stack[depth++] = pred;
        }
    }
}

/* The node of smallest semi-dominator on the way from v up to, not including, the root of its tree in the forest. */
static uint32_t search_eval(struct search *s, uint32_t v)
{
    if (s->ancestor[v] == NO_NODE) {
        return s->label[v];
    }
    size_t depth = 0;
    uint32_t u = v;
    while (s->ancestor[s->ancestor[u]] != NO_NODE) {
        s->stack[depth++] = u;
        u = s->ancestor[u];
    }
    while (depth > 0) {
        uint32_t w = s->stack[--depth];
        uint32_t above = s->ancestor[w];
        if (s->semi[s->label[above]] < s->semi[s->label[w]]) {
            s->label[w] = s->label[above];
        }
        s->ancestor[w] = s->ancestor[above];
    }
    return s->label[v];
}

static void search_improve(struct search *s, uint32_t w, uint32_t v)
{
    uint32_t u = search_eval(s, v);
    if (s->semi[u] < s->semi[w]) {
        s->semi[w] = s->semi[u];
    }
}

static void search_dominators(struct search *s)
{
    const struct isa_graph *graph = s->graph;
    for (uint32_t i = 0; i <= s->count; i++) {
        s->semi[i] = s->label[i] = i;
        s->ancestor[i] = s->bucket[i] = s->bucket_next[i] = NO_NODE;
    }
    for (uint32_t w = s->count; w > 0; w--) {
        uint32_t node = s->node[w], parent = s->parent[w];
        for (uint32_t e = graph->first[node]; e < graph->first[node + 1]; e++) {
            search_improve(s, w, s->number[graph->succ[e]]);
        }
        if (s->leaves[node]) {
            search_improve(s, w, 0);
        }
        s->bucket_next[w] = s->bucket[s->semi[w]];
        s->bucket[s->semi[w]] = w;
        s->ancestor[w] = parent;
        for (uint32_t v = s->bucket[parent]; v != NO_NODE; v = s->bucket_next[v]) {
            uint32_t u = search_eval(s, v);
            s->dom[v] = s->semi[u] < s->semi[v] ? u : parent;
        }
        s->bucket[parent] = NO_NODE;
    }
    for (uint32_t w = 1; w <= s->count; w++) {
        if (s->dom[w] != s->semi[w]) {
            s->dom[w] = s->dom[s->dom[w]];
        }
    }
}

static enum base_status post_dominators(const struct isa_graph *graph, int32_t *ipdom, struct base_arena *arena)
{
    size_t nodes = graph->node_count;
    struct search s = {.graph = graph};
    bool *reachable = base_arena_alloc(arena, nodes, sizeof(*reachable));
    uint32_t *postorder = base_arena_alloc(arena, nodes, sizeof(*postorder));
    uint32_t *next = base_arena_alloc(arena, nodes, sizeof(*next));
    uint32_t *pred_first, *pred;
    if (reachable == NULL || postorder == NULL || next == NULL || !search_init(&s, arena)) {
        return BASE_NOMEM;
    }
    size_t reached = graph_postorder(graph, reachable, postorder, s.stack, next);
    if (!graph_reverse(graph, reachable, arena, &pred_first, &pred)) {
        return BASE_NOMEM;
    }
    s.pred_first = pred_first;
    s.pred = pred;
    for (uint32_t n = 0; n < nodes; n++) {
        if (reachable[n] && graph->exits[n]) {
            search_number(&s, n, next);
        }
    }
    /* What is left cannot reach the exit. The first to finish in the forward search is a far end of such a loop. */
    for (size_t i = 0; i < reached; i++) {
        if (s.number[postorder[i]] == 0) {
            search_number(&s, postorder[i], next);
        }
    }
    search_dominators(&s);
    for (size_t n = 0; n < nodes; n++) {
        uint32_t dom = reachable[n] ? s.dom[s.number[n]] : 0;
        ipdom[n] = dom == 0 ? -1 : (int32_t)s.node[dom];
    }
    return BASE_OK;
}

enum base_status isa_graph_post_dominators(const struct isa_graph *graph, int32_t *ipdom)
{
    if (graph->node_count == 0) {
        return BASE_OK;
    }
    struct base_arena scratch;
    base_arena_init(&scratch, 0);
    enum base_status status = post_dominators(graph, ipdom, &scratch);
    base_arena_free(&scratch);
    return status;
}

/* What isa_cfg_build_in() knows on its way. */
struct builder {
    const struct isa_module *module;
    const struct isa_function *function;
    struct isa_cfg *cfg;
    struct base_arena *arena; /* of the result */
    struct base_arena scratch;
    uint32_t *first; /* of the edges, by block */
    uint32_t *succ;  /* all edges, block by block */
    bool *exits;
};

static bool insn_ends_block(const struct builder *b, const struct isa_insn *insn)
{
    return (isa_ops[insn->op].flags & ISA_OPF_BRANCH) || isa_insn_exits(b->module, b->function, insn);
}

static enum base_status build_blocks(struct builder *b)
{
    const struct isa_function *function = b->function;
    size_t insns = function->insn_count;
    bool *leader = base_arena_alloc(&b->scratch, insns + 1, sizeof(*leader));
    uint32_t *block_of = base_arena_alloc(b->arena, insns, sizeof(*block_of));
    if (leader == NULL || block_of == NULL) {
        return BASE_NOMEM;
    }
    leader[0] = true;
    for (size_t i = 0; i < insns; i++) {
        size_t targets;
        const uint32_t *target = isa_insn_targets(function, &function->insns[i], &targets);
        for (size_t t = 0; t < targets; t++) {
            leader[target[t]] = true;
        }
        leader[i + 1] |= insn_ends_block(b, &function->insns[i]);
    }
    size_t blocks = 0;
    for (size_t i = 0; i < insns; i++) {
        blocks += leader[i];
        block_of[i] = (uint32_t)blocks - 1;
    }
    struct isa_block *block = base_arena_alloc(b->arena, blocks, sizeof(*block));
    if (block == NULL) {
        return BASE_NOMEM;
    }
    for (size_t i = 0; i < insns; i++) {
        if (leader[i]) {
            block[block_of[i]].first = (uint32_t)i;
        }
        block[block_of[i]].count++;
    }
    *b->cfg = (struct isa_cfg){.blocks = block, .block_count = blocks, .block_of = block_of};
    return BASE_OK;
}

/* Adds to `succ`, unless it is NULL, the successors of a block, each once: stamp[s] == n + 1 tells that block n has s
 * already. */
static uint32_t block_successors(struct builder *b, uint32_t n, uint32_t *stamp, uint32_t *succ)
{
    const struct isa_function *function = b->function;
    const struct isa_block *block = &b->cfg->blocks[n];
    uint32_t last = block->first + block->count - 1, count = 0;
    const struct isa_insn *insn = &function->insns[last];
    size_t targets;
    const uint32_t *target = isa_insn_targets(function, insn, &targets);
    bool falls = isa_insn_falls_through(b->module, function, insn);
    b->exits[n] = isa_insn_exits(b->module, function, insn);
    for (size_t t = 0; t < targets + falls; t++) {
        uint32_t to = t < targets ? target[t] : last + 1;
        if (to >= function->insn_count) {
            b->exits[n] = true;
            continue;
        }
        to = b->cfg->block_of[to];
        if (stamp[to] != n + 1) {
            stamp[to] = n + 1;
            if (succ != NULL) {
                succ[count] = to;
            }
            count++;
        }
    }
    return count;
}

static enum base_status build_edges(struct builder *b)
{
    size_t blocks = b->cfg->block_count;
    uint64_t edges = 0;
    uint32_t *stamp = base_arena_alloc(&b->scratch, blocks, sizeof(*stamp));
    b->first = base_arena_alloc(&b->scratch, blocks + 1, sizeof(*b->first));
    b->exits = base_arena_alloc(&b->scratch, blocks, sizeof(*b->exits));
    if (b->scratch.failed) {
        return BASE_NOMEM;
    }
    for (uint32_t n = 0; n < blocks; n++) {
        edges += block_successors(b, n, stamp, NULL);
        if (edges > CFG_EDGES_MAX) {
            return BASE_NOMEM;
        }
        b->first[n + 1] = (uint32_t)edges;
    }
    b->succ = base_arena_alloc(b->arena, (size_t)edges, sizeof(*b->succ));
    if (b->succ == NULL) {
        return BASE_NOMEM;
    }
    memset(stamp, 0, blocks * sizeof(*stamp));
    for (uint32_t n = 0; n < blocks; n++) {
        b->cfg->blocks[n].succ = b->succ + b->first[n];
        b->cfg->blocks[n].succ_count = block_successors(b, n, stamp, b->succ + b->first[n]);
    }
    return BASE_OK;
}

static enum base_status build_order(struct builder *b)
{
    size_t blocks = b->cfg->block_count;
    struct isa_graph graph = {.node_count = blocks, .first = b->first, .succ = b->succ, .exits = b->exits};
    bool *reachable = base_arena_alloc(&b->scratch, blocks, sizeof(*reachable));
    bool *all = base_arena_alloc(&b->scratch, blocks, sizeof(*all));
    uint32_t *scratch = base_arena_alloc(&b->scratch, blocks * 3, sizeof(*scratch));
    int32_t *ipdom = base_arena_alloc(&b->scratch, blocks, sizeof(*ipdom));
    uint32_t *pred_first, *pred;
    if (b->scratch.failed) {
        return BASE_NOMEM;
    }
    memset(all, true, blocks * sizeof(*all));
    graph_postorder(&graph, reachable, scratch, scratch + blocks, scratch + 2 * blocks);
    enum base_status status = isa_graph_post_dominators(&graph, ipdom);
    if (status != BASE_OK) {
        return status;
    }
    if (!graph_reverse(&graph, all, b->arena, &pred_first, &pred)) {
        return BASE_NOMEM;
    }
    for (size_t n = 0; n < blocks; n++) {
        struct isa_block *block = &b->cfg->blocks[n];
        block->reachable = reachable[n];
        block->ipdom = ipdom[n];
        block->pred = pred + pred_first[n];
        block->pred_count = pred_first[n + 1] - pred_first[n];
    }
    return BASE_OK;
}

enum base_status isa_cfg_build_in(const struct isa_module *module, const struct isa_function *function,
                                  struct base_arena *arena, struct isa_cfg *cfg)
{
    *cfg = (struct isa_cfg){0};
    if (function->insn_count == 0) {
        return BASE_OK;
    }
    struct builder b = {.module = module, .function = function, .cfg = cfg, .arena = arena};
    base_arena_init(&b.scratch, 0);
    enum base_status status = build_blocks(&b);
    if (status == BASE_OK) {
        status = build_edges(&b);
    }
    if (status == BASE_OK) {
        status = build_order(&b);
    }
    base_arena_free(&b.scratch);
    return status;
}

enum base_status isa_cfg_build(const struct isa_function *function, struct base_arena *arena, struct isa_cfg *cfg)
{
    return isa_cfg_build_in(NULL, function, arena, cfg);
}
