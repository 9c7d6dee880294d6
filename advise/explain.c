/* Asks all rules, and puts what they found in order. */
#include "advise/rules.h"

#include <stdlib.h>
#include <string.h>

const char *const advise_rule_names[ADVISE_RULE_COUNT] = {
#define RULE(id, name) [ADVISE_RULE_##id] = name,
    ADVISE_RULES
#undef RULE
};

const char *const advise_severity_names[ADVISE_SEVERITIES] = {
    [ADVISE_NOTE] = "note", [ADVISE_HINT] = "hint", [ADVISE_PROBLEM] = "problem"};

#define PROBLEM_PCT 20.0
#define HINT_PCT    5.0

struct advise_finding *advise_add(struct advise_rules *rules, enum advise_rule rule, enum advise_word title,
                                  enum advise_word what, const struct sim_insn_report *row)
{
    struct advise_finding finding = {.rule = rule, .severity = ADVISE_HINT, .title = title, .what = what, .file = NULL};
    if (row) {
        finding.file = row->file ? base_arena_strndup(&rules->out->arena, row->file, strlen(row->file)) : NULL;
        finding.line = row->line;
        finding.has_pc = true;
        finding.pc = row->pc;
    }
    if (!base_vec_push(&rules->findings, finding)) {
        rules->failed = true;
        return NULL;
    }
    return &rules->findings.data[rules->findings.count - 1];
}

void advise_cure(struct advise_finding *finding, enum advise_word cure)
{
    if (finding && finding->cure_count < ADVISE_CURES_MAX)
        finding->cures[finding->cure_count++] = cure;
}

static void add_number(struct advise_finding *finding, struct advise_number number)
{
    if (finding && finding->number_count < ADVISE_NUMBERS_MAX)
        finding->numbers[finding->number_count++] = number;
}

void advise_count(struct advise_finding *finding, const char *name, uint64_t value)
{
    add_number(finding, (struct advise_number){.name = name, .kind = ADVISE_COUNT, .count = value});
}

void advise_real(struct advise_finding *finding, const char *name, double value)
{
    add_number(finding, (struct advise_number){.name = name, .kind = ADVISE_REAL, .real = value});
}

void advise_text(struct advise_rules *rules, struct advise_finding *finding, const char *name, const char *text)
{
    const char *copy = base_arena_strndup(&rules->out->arena, text ? text : "", text ? strlen(text) : 0);
    add_number(finding, (struct advise_number){.name = name, .kind = ADVISE_TEXT, .text = copy ? copy : ""});
}

void advise_saves(struct advise_rules *rules, struct advise_finding *finding, double cycles)
{
    if (!finding)
        return;
    if (rules->cycles > 0 && cycles > rules->cycles)
        cycles = rules->cycles;
    finding->has_estimate = true;
    finding->saved_cycles = cycles;
    advise_real(finding, "saved_cycles", cycles);
    if (rules->cycles <= 0)
        return;
    finding->has_share = true;
    finding->saved_pct = 100 * cycles / rules->cycles;
    advise_real(finding, "saved_pct", finding->saved_pct);
    advise_real(finding, "cycles", rules->cycles);
    finding->severity = finding->saved_pct >= PROBLEM_PCT ? ADVISE_PROBLEM
                        : finding->saved_pct >= HINT_PCT  ? ADVISE_HINT
                                                          : ADVISE_NOTE;
}

const struct isa_insn *advise_insn(const struct advise_rules *rules, const struct sim_insn_report *row)
{
    return &rules->query->module->functions[row->function].insns[row->insn];
}

uint64_t advise_threads_on(const struct sim_insn_report *row)
{
    return row->thread_executed - row->predicated_off;
}

double advise_metric(const struct advise_rules *rules, const char *name)
{
    const struct sim_metric *metric = sim_report_metric(rules->report, name);
    return !metric ? -1 : metric->is_integer ? (double)metric->integer : metric->real;
}

/* By what they save; those of which it is not known where their severity stands. */
static double weight(const struct advise_finding *finding)
{
    static const double without[ADVISE_SEVERITIES] = {
        [ADVISE_NOTE] = 0, [ADVISE_HINT] = HINT_PCT, [ADVISE_PROBLEM] = PROBLEM_PCT};
    return finding->has_share ? finding->saved_pct : without[finding->severity];
}

static int by_promise(const void *a, const void *b)
{
    const struct advise_finding *x = a, *y = b;
    double wx = weight(x), wy = weight(y);
    if (wx != wy)
        return wx > wy ? -1 : 1;
    if (x->saved_cycles != y->saved_cycles)
        return x->saved_cycles > y->saved_cycles ? -1 : 1;
    if (x->rule != y->rule)
        return x->rule < y->rule ? -1 : 1;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* Accesses that waste next to nothing each are told together, by the one that wastes most, and not at all if all of
 * them waste nothing to speak of. */
#define SMALL_PCT 1.0

static bool is_small(const struct advise_rules *rules, const struct advise_finding *f)
{
    return (f->rule == ADVISE_RULE_UNCOALESCED || f->rule == ADVISE_RULE_MISALIGNED) &&
           100 * f->saved_cycles < SMALL_PCT * rules->scale;
}

/* A sum of findings, as if they were one. */
static void add_up(struct advise_rules *rules, struct advise_finding *f, uint64_t others, double saved)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->number_count; i++)
        if (strcmp(f->numbers[i].name, "saved_cycles") != 0 && strcmp(f->numbers[i].name, "saved_pct") != 0 &&
            strcmp(f->numbers[i].name, "cycles") != 0)
            f->numbers[kept++] = f->numbers[i];
    f->number_count = kept;
    advise_saves(rules, f, saved);
    if (others > 0) {
        advise_count(f, "more", others);
        advise_cure(f, ADVISE_WORD_ACCESS_MORE);
    }
}

/* Findings of one rule at one source line, as unrolled loops give them, are one: the first one, with the sum of what
 * all save. */
static void join_lines(struct advise_rules *rules)
{
    size_t kept = 0;
    for (size_t i = 0; i < rules->findings.count; i++) {
        struct advise_finding *f = &rules->findings.data[i], *same = NULL;
        for (size_t k = 0; k < kept && !same && f->has_estimate && f->line > 0; k++) {
            struct advise_finding *other = &rules->findings.data[k];
            if (other->rule == f->rule && other->line == f->line && other->has_estimate && other->what == f->what &&
                strcmp(other->file ? other->file : "", f->file ? f->file : "") == 0)
                same = other;
        }
        if (!same) {
            rules->findings.data[kept++] = *f;
            continue;
        }
        same->joined += 1;
        same->saved_cycles += f->saved_cycles;
    }
    rules->findings.count = kept;
    for (size_t k = 0; k < kept; k++)
        if (rules->findings.data[k].joined > 0)
            add_up(rules, &rules->findings.data[k], rules->findings.data[k].joined,
                   rules->findings.data[k].saved_cycles);
}

static void join_small(struct advise_rules *rules, enum advise_rule rule)
{
    size_t kept = 0, first = SIZE_MAX;
    uint64_t count = 0;
    double saved = 0;
    for (size_t i = 0; i < rules->findings.count; i++) {
        struct advise_finding *f = &rules->findings.data[i];
        bool joins = f->rule == rule && is_small(rules, f);
        saved += joins ? f->saved_cycles : 0;
        count += joins;
        if (joins && first != SIZE_MAX) {
            if (f->saved_cycles > rules->findings.data[first].saved_cycles)
                rules->findings.data[first] = *f;
            continue;
        }
        first = joins ? kept : first;
        rules->findings.data[kept] = *f;
        kept++;
    }
    rules->findings.count = kept;
    if (first == SIZE_MAX)
        return;
    add_up(rules, &rules->findings.data[first], count - 1, saved);
    if (100 * saved >= SMALL_PCT * rules->scale)
        return;
    for (size_t i = first + 1; i < rules->findings.count; i++)
        rules->findings.data[i - 1] = rules->findings.data[i];
    rules->findings.count--;
}

/* What the launch takes at least by its busiest part, for want of cycles. */
static double least_cycles(const struct advise_rules *rules)
{
    const struct sim_report *report = rules->report;
    const struct sim_device *d = rules->device;
    double issued = 0, wavefronts = 0, sectors = 0;
    for (size_t i = 0; i < report->insn_count; i++) {
        issued += (double)report->insns[i].executed;
        wavefronts += (double)report->insns[i].wavefronts;
        sectors += (double)report->insns[i].sectors;
    }
    double least = issued * rules->sm_share * d->issue_interval_cycles / d->schedulers_per_sm;
    double by_wavefronts = wavefronts * rules->sm_share,
           by_sectors = sectors * d->l2_sector_centicycles / 100 / d->l2_slices;
    least = by_wavefronts > least ? by_wavefronts : least;
    return by_sectors > least ? by_sectors : least;
}

static void measure(struct advise_rules *rules)
{
    const struct sim_report *report = rules->report;
    rules->blocks = (uint64_t)report->grid[0] * report->grid[1] * report->grid[2];
    rules->block_threads = report->block[0] * report->block[1] * report->block[2];
    rules->warps_per_block = (rules->block_threads + 31) / 32;
    uint64_t sms = rules->device->sm_count, busiest = (rules->blocks + sms - 1) / sms;
    rules->sm_share = rules->blocks > 0 ? (double)busiest / (double)rules->blocks : 1;
    double cycles = advise_metric(rules, "sm__cycles_active.max");
    rules->cycles = cycles > 0 ? cycles : 0;
    rules->scale = rules->cycles > 0 ? rules->cycles : least_cycles(rules);
}

enum base_status advise_explain(const struct advise_explain_query *query, struct advise_findings *out)
{
    struct advise_rules rules = {.query = query, .report = query->report, .device = query->device, .out = out};
    memset(out, 0, sizeof(*out));
    base_arena_init(&out->arena, 0);
    if (query->report->status == SIM_RUN_OK) {
        measure(&rules);
        advise_rules_memory(&rules);
        advise_rules_shared(&rules);
        advise_rules_flow(&rules);
        advise_rules_reduction(&rules);
        advise_rules_launch(&rules);
        join_lines(&rules);
        join_small(&rules, ADVISE_RULE_UNCOALESCED);
        join_small(&rules, ADVISE_RULE_MISALIGNED);
    }
    if (rules.findings.count > 0)
        qsort(rules.findings.data, rules.findings.count, sizeof(rules.findings.data[0]), by_promise);
    out->items = base_arena_alloc(&out->arena, rules.findings.count, sizeof(*out->items));
    if (out->items && rules.findings.count > 0)
        memcpy(out->items, rules.findings.data, rules.findings.count * sizeof(*out->items));
    out->count = out->items ? rules.findings.count : 0;
    out->incomplete = query->watch && (query->watch->dropped || query->watch->failed);
    base_vec_free(&rules.findings);
    if (!rules.failed && !out->arena.failed)
        return BASE_OK;
    out->count = 0;
    return BASE_NOMEM;
}

void advise_findings_free(struct advise_findings *findings)
{
    base_arena_free(&findings->arena);
    findings->items = NULL;
    findings->count = 0;
}
