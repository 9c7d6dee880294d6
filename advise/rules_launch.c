/* Rules of the launch: block size, occupancy, blocks and waves, the cache preference. */
#include "advise/rules.h"

/* The launch as the occupancy calculator takes it. */
static struct sim_occupancy_query occupancy_query(const struct advise_rules *rules)
{
    const struct sim_report *report = rules->report;
    return (struct sim_occupancy_query){.block_threads = rules->block_threads,
                                        .registers_per_thread = report->registers_per_thread,
                                        .shared_static_bytes = report->shared_static_bytes,
                                        .shared_dynamic_bytes = report->shared_dynamic_bytes,
                                        .carveout_percent = rules->query->carveout_percent,
                                        .barriers = 1};
}

/* Whether an SM is given as many blocks as it can hold: only then does it matter how many that is. */
static bool fills_sms(const struct advise_rules *rules)
{
    uint64_t each = (rules->blocks + rules->device->sm_count - 1) / rules->device->sm_count;
    return each >= rules->report->occupancy.blocks_per_sm;
}

static void block_not_warps(struct advise_rules *rules)
{
    uint32_t rest = rules->block_threads % 32, lanes = rules->warps_per_block * 32;
    if (rest == 0)
        return;
    double idle_pct = 100.0 * (32 - rest) / lanes;
    struct advise_finding *f = advise_add(rules, ADVISE_RULE_BLOCK_NOT_WARPS, ADVISE_WORD_BLOCK_NOT_WARPS,
                                          ADVISE_WORD_BLOCK_NOT_WARPS_WHAT, NULL);
    if (!f)
        return;
    advise_count(f, "threads", rules->block_threads);
    advise_count(f, "warps", rules->warps_per_block);
    advise_count(f, "idle", 32 - rest);
    advise_real(f, "idle_pct", idle_pct);
    advise_count(f, "rounded", lanes);
    advise_cure(f, ADVISE_WORD_BLOCK_NOT_WARPS_CURE);
    f->severity = idle_pct >= 10 && rules->blocks > 1 ? ADVISE_HINT : ADVISE_NOTE;
}

static void occupancy_numbers(const struct advise_rules *rules, struct advise_finding *f)
{
    const struct sim_report *report = rules->report;
    advise_count(f, "threads", rules->block_threads);
    advise_count(f, "blocks", report->occupancy.blocks_per_sm);
    advise_count(f, "warps", report->occupancy.warps_per_sm);
    advise_count(f, "warps_max", rules->device->max_warps_per_sm);
    advise_real(f, "occupancy", report->occupancy.occupancy_pct);
    advise_count(f, "registers", report->registers_per_thread);
    advise_count(f, "shared", report->shared_static_bytes + report->shared_dynamic_bytes);
}

static void next_numbers(struct advise_finding *f, uint64_t next, uint32_t blocks, uint32_t warps, double pct)
{
    advise_count(f, "next", next);
    advise_count(f, "next_blocks", blocks);
    advise_count(f, "next_warps", warps);
    advise_real(f, "next_occupancy", pct);
}

/* Fewer threads than 128, and the number of blocks that an SM holds is what limits. */
static bool block_small(struct advise_rules *rules, const struct sim_occupancy_curve *curve)
{
    const struct sim_occupancy *o = &rules->report->occupancy;
    const struct sim_occupancy_piece *next = sim_occupancy_curve_next(curve, true);
    if (rules->block_threads >= 128 || o->limiter != SIM_LIMIT_BLOCKS || !next || next->warps_per_sm <= o->warps_per_sm)
        return false;
    struct advise_finding *f =
        advise_add(rules, ADVISE_RULE_BLOCK_SMALL, ADVISE_WORD_BLOCK_SMALL, ADVISE_WORD_BLOCK_SMALL_WHAT, NULL);
    uint64_t threads = next->from;
    while (threads % 32 != 0 && threads < next->to)
        threads++;
    const struct sim_occupancy_piece *better = sim_occupancy_curve_at(curve, 128);
    if (better && better->warps_per_sm >= next->warps_per_sm) {
        next = better;
        threads = 128;
    }
    occupancy_numbers(rules, f);
    advise_count(f, "blocks_max", rules->device->max_blocks_per_sm);
    next_numbers(f, threads, next->blocks_per_sm, next->warps_per_sm, next->occupancy_pct);
    advise_cure(f, ADVISE_WORD_BLOCK_SMALL_CURE);
    if (f)
        f->severity = fills_sms(rules) ? ADVISE_HINT : ADVISE_NOTE;
    return true;
}

struct limit {
    enum sim_limiter limiter;
    enum sim_occupancy_axis axis;
    enum advise_word what, cure;
};
static const struct limit limits[] = {
    {SIM_LIMIT_REGISTERS, SIM_AXIS_REGISTERS, ADVISE_WORD_OCCUPANCY_REGISTERS, ADVISE_WORD_OCCUPANCY_CURE_REGISTERS},
    {SIM_LIMIT_SHARED, SIM_AXIS_SHARED, ADVISE_WORD_OCCUPANCY_SHARED, ADVISE_WORD_OCCUPANCY_CURE_SHARED},
    {SIM_LIMIT_WARPS, SIM_AXIS_BLOCK, ADVISE_WORD_OCCUPANCY_WARPS, ADVISE_WORD_OCCUPANCY_CURE_BLOCK},
};

/* The largest block of whole warps that gives more warps than now; NULL: none does. */
static const struct sim_occupancy_piece *better_block(const struct advise_rules *rules,
                                                      const struct sim_occupancy_curve *curve, uint64_t *threads)
{
    for (uint64_t t = rules->block_threads / 32 * 32; t >= 64; t -= 32) {
        const struct sim_occupancy_piece *piece = sim_occupancy_curve_at(curve, t);
        if (piece && piece->warps_per_sm > rules->report->occupancy.warps_per_sm) {
            *threads = t;
            return piece;
        }
    }
    return NULL;
}

/* An SM holds less than it could, is given as much as it holds, and its schedulers have nothing to issue most of the
 * time. Where they are busy, more warps would not help. */
#define ISSUE_BUSY_PCT 60.0

/* What registers or shared memory limit, blocks of another size may fit better. */
static void other_block(struct advise_rules *rules, struct advise_finding *f, struct base_arena *arena)
{
    struct sim_occupancy_query query = occupancy_query(rules);
    struct sim_occupancy_curve curve;
    uint64_t threads = 0;
    if (sim_occupancy_curve_make(rules->device, &query, SIM_AXIS_BLOCK, arena, &curve) != BASE_OK) {
        rules->failed = true;
        return;
    }
    const struct sim_occupancy_piece *piece = better_block(rules, &curve, &threads);
    if (!piece)
        return;
    advise_count(f, "other", threads);
    advise_count(f, "other_blocks", piece->blocks_per_sm);
    advise_count(f, "other_warps", piece->warps_per_sm);
    advise_real(f, "other_occupancy", piece->occupancy_pct);
    advise_cure(f, ADVISE_WORD_OCCUPANCY_CURE_OTHER);
}

/* Shared memory limits because so little of it was asked for: the wish is what to change. */
static bool preference_limits(struct advise_rules *rules)
{
    struct sim_occupancy_query query = occupancy_query(rules);
    struct sim_occupancy plain;
    if (query.carveout_percent < 0)
        return false;
    query.carveout_percent = -1;
    sim_occupancy_compute(rules->device, &query, &plain);
    if (plain.warps_per_sm <= rules->report->occupancy.warps_per_sm)
        return false;
    struct advise_finding *f =
        advise_add(rules, ADVISE_RULE_OCCUPANCY, ADVISE_WORD_OCCUPANCY, ADVISE_WORD_OCCUPANCY_CARVEOUT, NULL);
    occupancy_numbers(rules, f);
    advise_count(f, "carveout", (uint64_t)rules->query->carveout_percent);
    advise_count(f, "config", rules->report->occupancy.shared_config_bytes);
    next_numbers(f, plain.shared_config_bytes, plain.blocks_per_sm, plain.warps_per_sm, plain.occupancy_pct);
    advise_cure(f, ADVISE_WORD_OCCUPANCY_CURE_CARVEOUT);
    return true;
}

static void occupancy(struct advise_rules *rules, const struct limit *limit, const struct sim_occupancy_curve *curve,
                      struct base_arena *arena)
{
    const struct sim_occupancy *o = &rules->report->occupancy;
    double issue = advise_metric(rules, "smsp__issue_active.avg.pct_of_peak_sustained_active");
    if (o->occupancy_pct > 75 || !fills_sms(rules) || issue > ISSUE_BUSY_PCT)
        return;
    if (limit->limiter == SIM_LIMIT_SHARED && preference_limits(rules))
        return;
    bool by_block = limit->axis == SIM_AXIS_BLOCK;
    uint64_t value = 0;
    const struct sim_occupancy_piece *next =
        by_block ? better_block(rules, curve, &value) : sim_occupancy_curve_next(curve, false);
    if (!next || next->warps_per_sm <= o->warps_per_sm)
        return;
    struct advise_finding *f = advise_add(rules, ADVISE_RULE_OCCUPANCY, ADVISE_WORD_OCCUPANCY, limit->what, NULL);
    occupancy_numbers(rules, f);
    next_numbers(f, by_block ? value : next->to, next->blocks_per_sm, next->warps_per_sm, next->occupancy_pct);
    advise_cure(f, limit->cure);
    if (!by_block)
        other_block(rules, f, arena);
    if (issue >= 0) {
        advise_real(f, "issue", issue);
        advise_cure(f, ADVISE_WORD_OCCUPANCY_WAITS);
    }
    bool guessed = limit->limiter == SIM_LIMIT_REGISTERS && !rules->report->registers_given;
    if (guessed)
        advise_cure(f, ADVISE_WORD_OCCUPANCY_ESTIMATE);
    if (f)
        f->severity = o->occupancy_pct <= 50 && issue >= 0 && !guessed ? ADVISE_HINT : ADVISE_NOTE;
}

static void block_and_occupancy(struct advise_rules *rules)
{
    const struct sim_occupancy *o = &rules->report->occupancy;
    struct sim_occupancy_query query = occupancy_query(rules);
    struct sim_occupancy_curve curve;
    struct base_arena arena;
    bool told = false;
    base_arena_init(&arena, 0);
    if (sim_occupancy_curve_make(rules->device, &query, SIM_AXIS_BLOCK, &arena, &curve) == BASE_OK)
        told = block_small(rules, &curve);
    else
        rules->failed = true;
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]) && !told; i++) {
        if (o->limiter != limits[i].limiter)
            continue;
        if (sim_occupancy_curve_make(rules->device, &query, limits[i].axis, &arena, &curve) == BASE_OK)
            occupancy(rules, &limits[i], &curve, &arena);
        else
            rules->failed = true;
    }
    base_arena_free(&arena);
}

static uint64_t instructions_per_warp(const struct advise_rules *rules)
{
    uint64_t all = 0, warps = rules->blocks * rules->warps_per_block;
    for (size_t i = 0; i < rules->report->insn_count; i++)
        all += rules->report->insns[i].executed;
    return warps > 0 ? all / warps : 0;
}

static void too_few_blocks(struct advise_rules *rules)
{
    uint64_t sms = rules->device->sm_count;
    if (rules->blocks >= sms)
        return;
    struct advise_finding *f = advise_add(rules, ADVISE_RULE_TOO_FEW_BLOCKS, ADVISE_WORD_TOO_FEW_BLOCKS,
                                          ADVISE_WORD_TOO_FEW_BLOCKS_WHAT, NULL);
    if (!f)
        return;
    advise_count(f, "blocks", rules->blocks);
    advise_count(f, "sms", sms);
    advise_count(f, "idle_sms", sms - rules->blocks);
    advise_cure(f, ADVISE_WORD_TOO_FEW_BLOCKS_CURE);
    /* A launch of a few instructions is done before other SMs could help. */
    const uint64_t per_warp = instructions_per_warp(rules);
    f->severity = per_warp >= 1000 && rules->blocks * 2 <= sms ? ADVISE_PROBLEM
                  : per_warp >= 100                            ? ADVISE_HINT
                                                               : ADVISE_NOTE;
}

/* An SM is given less than half of the warps it can hold, and they wait for memory that has little to do: for its
 * latency. Fewer blocks than SMs is what too_few_blocks() says, and what to do about local memory is to do without. */
#define FEW_WARPS_LONG  100u /* instructions of a warp: shorter launches are over before more warps have begun */
#define FEW_WARPS_PCT   50.0
#define FEW_ISSUE_PCT   30.0
#define FEW_WAITS_PCT   40.0
#define MEMORY_IDLE_PCT 40.0

static bool memory_is_busy(const struct advise_rules *rules)
{
    return advise_metric(rules, "dram__throughput.avg.pct_of_peak_sustained_elapsed") > MEMORY_IDLE_PCT ||
           advise_metric(rules, "lts__throughput.avg.pct_of_peak_sustained_elapsed") > MEMORY_IDLE_PCT ||
           advise_metric(rules, "l1tex__throughput.avg.pct_of_peak_sustained_active") > MEMORY_IDLE_PCT;
}

static bool is_said(const struct advise_rules *rules, enum advise_rule rule)
{
    for (size_t i = 0; i < rules->findings.count; i++)
        if (rules->findings.data[i].rule == rule)
            return true;
    return false;
}

static void few_warps(struct advise_rules *rules)
{
    const uint64_t sms = rules->device->sm_count, blocks = (rules->blocks + sms - 1) / sms;
    const uint64_t given = blocks * rules->warps_per_block;
    const double issue = advise_metric(rules, "smsp__issue_active.avg.pct_of_peak_sustained_active");
    const double waits = advise_stall_pct(rules, SIM_STALL_LONG_SCOREBOARD);
    const bool few = rules->blocks >= sms && !fills_sms(rules) &&
                     100.0 * (double)given < FEW_WARPS_PCT * rules->device->max_warps_per_sm;
    const bool waiting = issue >= 0 && issue <= FEW_ISSUE_PCT && waits >= FEW_WAITS_PCT && !memory_is_busy(rules);
    if (!few || !waiting || instructions_per_warp(rules) < FEW_WARPS_LONG || is_said(rules, ADVISE_RULE_LOCAL_MEMORY))
        return;
    struct advise_finding *f =
        advise_add(rules, ADVISE_RULE_FEW_WARPS, ADVISE_WORD_FEW_WARPS, ADVISE_WORD_FEW_WARPS_WHAT, NULL);
    advise_count(f, "given", given);
    advise_count(f, "warps_max", rules->device->max_warps_per_sm);
    advise_real(f, "waits", waits);
    advise_real(f, "issue", issue);
    advise_cure(f, ADVISE_WORD_FEW_WARPS_CURE);
}

static void last_wave(struct advise_rules *rules)
{
    uint64_t resident = (uint64_t)rules->report->occupancy.blocks_per_sm * rules->device->sm_count;
    const uint32_t *cluster = rules->report->cluster;
    if (resident == 0 || rules->blocks <= resident || cluster[0] > 1 || cluster[1] > 1 || cluster[2] > 1)
        return;
    uint64_t rest = rules->blocks % resident, waves_up = (rules->blocks + resident - 1) / resident;
    double waves = (double)rules->blocks / (double)resident, lost = 1 - waves / (double)waves_up;
    if (rest == 0 || lost < 0.2)
        return;
    struct advise_finding *f = advise_add(rules, ADVISE_RULE_TAIL, ADVISE_WORD_TAIL, ADVISE_WORD_TAIL_WHAT, NULL);
    if (!f)
        return;
    advise_count(f, "blocks", rules->blocks);
    advise_real(f, "waves", waves);
    advise_count(f, "resident", resident);
    advise_real(f, "last_pct", 100.0 * (double)rest / (double)resident);
    advise_cure(f, ADVISE_WORD_TAIL_CURE);
    if (rules->cycles > 0)
        advise_saves(rules, f, lost * rules->cycles);
}

static void cache_preference(struct advise_rules *rules)
{
    const struct sim_occupancy *o = &rules->report->occupancy;
    struct sim_occupancy_query query = occupancy_query(rules);
    struct sim_occupancy plain;
    if (rules->query->carveout_percent < 0 || o->shared_config_bytes == 0)
        return;
    query.carveout_percent = -1;
    sim_occupancy_compute(rules->device, &query, &plain);
    uint64_t wanted = (uint64_t)rules->query->carveout_percent * rules->device->shared_per_sm_bytes / 100;
    bool is_same = plain.shared_config_bytes == o->shared_config_bytes && plain.blocks_per_sm == o->blocks_per_sm;
    bool cannot = o->shared_per_block_allocated_bytes > wanted;
    if (!is_same)
        return;
    struct advise_finding *f = advise_add(rules, ADVISE_RULE_CACHE_PREFERENCE, ADVISE_WORD_CACHE_PREFERENCE,
                                          cannot ? ADVISE_WORD_CACHE_MORE : ADVISE_WORD_CACHE_SAME, NULL);
    if (!f)
        return;
    advise_count(f, "carveout", (uint64_t)rules->query->carveout_percent);
    advise_count(f, "config", o->shared_config_bytes);
    advise_count(f, "needed", o->shared_per_block_allocated_bytes);
    advise_count(f, "blocks", o->blocks_per_sm);
    advise_cure(f, ADVISE_WORD_CACHE_CURE);
    f->severity = ADVISE_NOTE;
}

void advise_rules_launch(struct advise_rules *rules)
{
    block_not_warps(rules);
    too_few_blocks(rules);
    if (!rules->report->has_occupancy || rules->report->occupancy.blocks_per_sm == 0)
        return;
    block_and_occupancy(rules);
    few_warps(rules);
    last_wave(rules);
    cache_preference(rules);
}
