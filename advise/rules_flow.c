/* Rules of control flow: lanes of a warp that go different ways, warps of a block that wait at barriers.
 *
 * A branch's region is what lies between it and the place where all its ways meet again (its immediate
 * post-dominator). Waste is counted in warp instructions: those executed, less those that would do if the lanes that
 * arrived at the branch all worked.
 */
#include "advise/rules.h"

#include "advise/flow.h"
#include "isa/sass/sass.h"

#include <stdlib.h>
#include <string.h>

#define WASTE_MIN_PCT   5.0  /* of all instructions issued */
#define ONE_LANE        1.5  /* lanes that work on average, below which one is meant */
#define BARRIER_MIN_PCT 20.0 /* of the warps' time */
#define WORKING_MAX_PCT 60.0

struct region {
    const struct sim_insn_report *branch;
    size_t size; /* instructions */
    bool is_loop;
    bool skips;  /* one way leads straight to where the ways meet */
    bool *holds; /* by instruction of the function */
};

struct function_view {
    const struct isa_function *function;
    uint32_t index;
    struct isa_cfg cfg;
    const struct sim_insn_report **rows; /* by instruction; NULL: none */
};

static enum base_status view_function(const struct advise_rules *rules, uint32_t index, struct base_arena *arena,
                                      struct function_view *view)
{
    const struct isa_function *function = &rules->query->module->functions[index];
    *view = (struct function_view){.function = function, .index = index};
    view->rows = base_arena_alloc(arena, function->insn_count, sizeof(const struct sim_insn_report *));
    enum base_status status = view->rows ? advise_flow_build(function, arena, &view->cfg) : BASE_NOMEM;
    if (status != BASE_OK)
        return status;
    for (size_t i = 0; i < rules->report->insn_count; i++) {
        const struct sim_insn_report *row = &rules->report->insns[i];
        if (row->function == index && row->insn < function->insn_count)
            view->rows[row->insn] = row;
    }
    return BASE_OK;
}

/* Marks the blocks that can be reached from the branch before its ways meet. False: no memory. */
static bool fill_region(const struct function_view *view, struct base_arena *arena, struct region *region)
{
    const struct isa_cfg *cfg = &view->cfg;
    uint32_t branch_block = cfg->block_of[region->branch->insn];
    int32_t end = cfg->blocks[branch_block].ipdom;
    uint32_t *todo = base_arena_alloc(arena, cfg->block_count + 1, sizeof(*todo));
    bool *seen = base_arena_alloc(arena, cfg->block_count, sizeof(*seen));
    region->holds = base_arena_alloc(arena, view->function->insn_count, sizeof(*region->holds));
    if (!todo || !seen || !region->holds)
        return false;
    size_t count = 0;
    todo[count++] = branch_block;
    for (bool is_branch = true; count > 0; is_branch = false) {
        const struct isa_block *block = &cfg->blocks[todo[--count]];
        for (uint32_t i = 0; !is_branch && i < block->count; i++, region->size++)
            region->holds[block->first + i] = true;
        /* A branch to the end of the function has no block to go to. */
        region->skips = region->skips || (is_branch && end < 0 && block->succ_count < 2);
        for (uint32_t s = 0; s < block->succ_count; s++) {
            uint32_t next = block->succ[s];
            region->skips = region->skips || (is_branch && (int32_t)next == end);
            if ((int32_t)next == end || seen[next])
                continue;
            seen[next] = true;
            region->is_loop = region->is_loop || next == branch_block;
            todo[count++] = next;
        }
    }
    return true;
}

/* The lanes of 32 that came to the region, in parts of one. Into a loop they come by another way than the branch. */
static double arrived(const struct function_view *view, const struct region *region)
{
    const struct isa_cfg *cfg = &view->cfg;
    const struct sim_insn_report *from = region->branch;
    for (size_t b = 0; b < cfg->block_count && region->is_loop; b++) {
        if (!region->holds[cfg->blocks[b].first])
            continue;
        for (uint32_t p = 0; p < cfg->blocks[b].pred_count; p++) {
            const struct isa_block *pred = &cfg->blocks[cfg->blocks[b].pred[p]];
            const struct sim_insn_report *last = view->rows[pred->first + pred->count - 1];
            for (uint32_t i = pred->count; i-- > 0 && !last;)
                last = view->rows[pred->first + i]; /* derived instructions have no row */
            if (!region->holds[pred->first] && last && last->executed > 0)
                from = last;
        }
    }
    return (double)from->thread_executed / (32.0 * (double)from->executed);
}

static int by_size(const void *a, const void *b)
{
    const struct region *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->branch->pc < y->branch->pc ? -1 : 1;
}

struct waste {
    double wasted, executed, threads;
    double waiting; /* cycles of warps at these instructions */
    bool spins;
    uint32_t from, to; /* source lines */
};

/* A read by which a thread may wait for another one, as a barrier of the grid is made of: no work that lanes or warps
 * could share. */
static bool may_spin(const struct isa_insn *insn)
{
    return (isa_insn_flags(insn) & ISA_OPF_READS_MEMORY) != 0 && insn->mods.sem > ISA_SEM_WEAK;
}

/* Cycles of warps at an instruction, issuing or waiting. */
static double stalls_of(const struct sim_insn_report *row)
{
    double sum = 0;
    for (unsigned s = 0; row->has_stalls && s < SIM_STALL_COUNT; s++)
        sum += (double)row->stalls[s];
    return sum;
}

static double all_stalls(const struct advise_rules *rules)
{
    double sum = 0;
    for (size_t i = 0; i < rules->report->insn_count; i++)
        sum += stalls_of(&rules->report->insns[i]);
    return sum;
}

/* What the region's instructions waste that no smaller region has accounted for. */
static struct waste waste_of(const struct function_view *view, const struct region *region, bool *taken)
{
    double lanes = 32 * arrived(view, region);
    struct waste waste = {.from = UINT32_MAX};
    for (size_t i = 0; i < view->function->insn_count; i++) {
        const struct sim_insn_report *row = region->holds[i] && !taken[i] ? view->rows[i] : NULL;
        if (!row || row->executed == 0)
            continue;
        taken[i] = true;
        double needed = (double)row->thread_executed / lanes;
        waste.wasted += (double)row->executed > needed ? (double)row->executed - needed : 0;
        waste.executed += (double)row->executed;
        waste.threads += (double)row->thread_executed;
        waste.waiting += stalls_of(row);
        waste.spins = waste.spins || may_spin(&view->function->insns[i]);
        if (row->line > 0 && row->line < waste.from)
            waste.from = row->line;
        waste.to = row->line > waste.to ? row->line : waste.to;
    }
    return waste;
}

static double all_executed(const struct advise_rules *rules)
{
    double sum = 0;
    for (size_t i = 0; i < rules->report->insn_count; i++)
        sum += (double)rules->report->insns[i].executed;
    return sum;
}

static void tell_divergence(struct advise_rules *rules, const struct region *region, const struct waste *waste)
{
    double all = all_executed(rules), wasted_pct = all > 0 ? 100 * waste->wasted / all : 0;
    double active = waste->executed > 0 ? waste->threads / waste->executed : 32;
    if (wasted_pct < WASTE_MIN_PCT || waste->spins)
        return;
    bool one = active < ONE_LANE, idle = region->skips && !region->is_loop;
    struct advise_finding *f = advise_add(rules, ADVISE_RULE_DIVERGENCE, ADVISE_WORD_DIVERGENCE,
                                          one    ? ADVISE_WORD_DIVERGENCE_ONE
                                          : idle ? ADVISE_WORD_DIVERGENCE_IDLE
                                                 : ADVISE_WORD_DIVERGENCE_WHAT,
                                          region->branch);
    if (!f)
        return;
    advise_count(f, "divergent", region->branch->divergent);
    advise_count(f, "executed", region->branch->executed);
    advise_count(f, "from", waste->from);
    advise_count(f, "to", waste->to);
    advise_real(f, "active", active);
    advise_count(f, "region", (uint64_t)waste->executed);
    advise_real(f, "wasted_pct", wasted_pct);
    advise_cure(f, one               ? ADVISE_WORD_DIVERGENCE_ONE_CURE
                   : region->is_loop ? ADVISE_WORD_DIVERGENCE_LOOP_CURE
                   : idle            ? ADVISE_WORD_DIVERGENCE_IDLE_CURE
                                     : ADVISE_WORD_DIVERGENCE_CURE);
    /* The region's part of the warps' time, and of it what is wasted. Without the clock there is no time to speak of.
     */
    double time = all_stalls(rules);
    if (time > 0 && waste->executed > 0)
        advise_saves(rules, f, rules->cycles * waste->waiting / time * waste->wasted / waste->executed);
}

static void divergence(struct advise_rules *rules, const struct function_view *view, struct base_arena *arena)
{
    BASE_VEC(struct region) regions = {0};
    bool *taken = base_arena_alloc(arena, view->function->insn_count, sizeof(*taken));
    rules->failed = rules->failed || !taken;
    for (size_t i = 0; i < view->function->insn_count && !rules->failed; i++) {
        const struct sim_insn_report *row = view->rows[i];
        if (!row || !row->is_branch || row->divergent == 0)
            continue;
        struct region region = {.branch = row};
        rules->failed = !fill_region(view, arena, &region) || !base_vec_push(&regions, region);
    }
    if (regions.count > 0)
        qsort(regions.data, regions.count, sizeof(regions.data[0]), by_size);
    for (size_t i = 0; i < regions.count && !rules->failed; i++) {
        struct waste waste = waste_of(view, &regions.data[i], taken);
        tell_divergence(rules, &regions.data[i], &waste);
    }
    base_vec_free(&regions);
}

/* ---- Barriers ---- */

static bool is_block_barrier(const struct sim_insn_report *row, const struct isa_function *function)
{
    const struct isa_insn *insn = &function->insns[row->insn];
    if (insn->sass)
        return insn->sass->op == ISA_SASS_BAR;
    return (isa_insn_flags(insn) & ISA_OPF_BARRIER) != 0 && insn->op != ISA_OP_CLUSTER_ARRIVE &&
           insn->op != ISA_OP_CLUSTER_WAIT;
}

/* Marks what can be reached from a block by its successors, or its predecessors; itself only by way of a loop. */
static void reach(const struct isa_cfg *cfg, uint32_t from, bool backwards, uint32_t *todo, bool *seen)
{
    size_t count = 0;
    todo[count++] = from;
    while (count > 0) {
        const struct isa_block *block = &cfg->blocks[todo[--count]];
        uint32_t edges = backwards ? block->pred_count : block->succ_count;
        for (uint32_t e = 0; e < edges; e++) {
            uint32_t next = backwards ? block->pred[e] : block->succ[e];
            if (!seen[next]) {
                seen[next] = true;
                todo[count++] = next;
            }
        }
    }
}

/* The blocks of the loop that a barrier stands in; all of the function if it stands in none. NULL: no memory. */
static bool *loop_of(const struct function_view *view, size_t barrier, struct base_arena *arena)
{
    const struct isa_cfg *cfg = &view->cfg;
    uint32_t own = cfg->block_of[barrier];
    uint32_t *todo = base_arena_alloc(arena, cfg->block_count + 1, sizeof(*todo));
    bool *after = base_arena_alloc(arena, cfg->block_count, sizeof(*after));
    bool *before = base_arena_alloc(arena, cfg->block_count, sizeof(*before));
    if (!todo || !after || !before)
        return NULL;
    reach(cfg, own, false, todo, after);
    reach(cfg, own, true, todo, before);
    for (size_t b = 0; b < cfg->block_count; b++)
        before[b] = !after[own] || (before[b] && after[b]);
    return before;
}

/* The instructions before a barrier, back to the one before it or to the start of the loop: what part of them is made,
 * of what all warps that come to the barrier would make. An inner loop is made by the warps that enter it. */
static double working_pct(const struct function_view *view, size_t barrier, const bool *loop, uint32_t *from,
                          uint32_t *to)
{
    double all = (double)view->rows[barrier]->executed, made = 0, possible = 0;
    double unplaced = 0; /* of inner loops, until the code before them says how many warps entered */
    *from = *to = view->rows[barrier]->line;
    for (size_t i = barrier; i-- > 0;) {
        const struct sim_insn_report *row = view->rows[i];
        if (!row || !loop[view->cfg.block_of[i]])
            continue;
        if (is_block_barrier(row, view->function))
            break;
        if (may_spin(&view->function->insns[i]))
            return 100;
        double executed = (double)row->executed;
        made += executed;
        if (executed > all) {
            unplaced += executed;
        } else {
            possible += all + (executed > 0 ? unplaced * all / executed : unplaced);
            unplaced = 0;
        }
        if (row->line > 0)
            *from = row->line < *from ? row->line : *from;
    }
    possible += unplaced;
    return possible > 0 ? 100 * made / possible : 100;
}

double advise_stall_pct(const struct advise_rules *rules, enum sim_stall reason)
{
    double waiting = 0, all = all_stalls(rules);
    for (size_t i = 0; i < rules->report->insn_count; i++) {
        const struct sim_insn_report *row = &rules->report->insns[i];
        waiting += row->has_stalls ? (double)row->stalls[reason] : 0;
    }
    return all > 0 ? 100 * waiting / all : 0;
}

/* The barrier before which the least part of the work is done. */
static void barriers(struct advise_rules *rules, const struct function_view *view, struct base_arena *arena)
{
    double waiting = advise_stall_pct(rules, SIM_STALL_BARRIER), least = WORKING_MAX_PCT;
    const struct sim_insn_report *worst = NULL;
    uint32_t from = 0, to = 0;
    if (waiting < BARRIER_MIN_PCT)
        return;
    for (size_t i = 0; i < view->function->insn_count; i++) {
        uint32_t first, last;
        if (!view->rows[i] || view->rows[i]->executed == 0 || !is_block_barrier(view->rows[i], view->function))
            continue;
        const bool *loop = loop_of(view, i, arena);
        if (!loop) {
            rules->failed = true;
            return;
        }
        double working = working_pct(view, i, loop, &first, &last);
        if (working >= least)
            continue;
        least = working;
        worst = view->rows[i];
        from = first;
        to = last;
    }
    if (!worst)
        return;
    struct advise_finding *f = advise_add(rules, ADVISE_RULE_BARRIER_IMBALANCE, ADVISE_WORD_BARRIER_IMBALANCE,
                                          ADVISE_WORD_BARRIER_WHAT, worst);
    advise_real(f, "barrier_pct", waiting);
    advise_real(f, "working_pct", least);
    advise_count(f, "from", from);
    advise_count(f, "to", to);
    advise_cure(f, ADVISE_WORD_BARRIER_CURE);
    if (f)
        f->severity = waiting >= 50 ? ADVISE_PROBLEM : ADVISE_HINT;
}

void advise_rules_flow(struct advise_rules *rules)
{
    const struct isa_module *module = rules->query->module;
    for (uint32_t index = 0; index < module->function_count && !rules->failed; index++) {
        struct base_arena arena;
        struct function_view view;
        bool runs = false;
        for (size_t i = 0; i < rules->report->insn_count && !runs; i++)
            runs = rules->report->insns[i].function == index && rules->report->insns[i].executed > 0;
        if (!runs)
            continue;
        base_arena_init(&arena, 0);
        enum base_status status = view_function(rules, index, &arena, &view);
        if (status == BASE_OK) {
            divergence(rules, &view, &arena);
            barriers(rules, &view, &arena);
        }
        rules->failed = rules->failed || status == BASE_NOMEM;
        base_arena_free(&arena);
    }
}
