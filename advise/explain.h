/* What is wrong with a launch, in plain words: findings with their numbers, what to do, and what it would bring.
 *
 * advise_explain() asks every rule of advise/rules_*.c. A rule speaks when the report proves its case; docs/explain.md
 * says when each does. Findings are data: the rule, its place, its numbers by name and the sentences (advise/words.h)
 * that tell of them; the writers in report/ put them on a page, into JSON or HTML.
 */
#ifndef ADVISE_EXPLAIN_H
#define ADVISE_EXPLAIN_H

#include "advise/watch.h"
#include "advise/words.h"
#include "sim/report.h"

/* RULE(ID, "name"): the name is part of the JSON report, and what grading rules say. */
#define ADVISE_RULES                                                                                                   \
    RULE(UNCOALESCED, "uncoalesced")                                                                                   \
    RULE(MISALIGNED, "misaligned")                                                                                     \
    RULE(BANK_CONFLICT, "bank-conflict")                                                                               \
    RULE(SAME_ADDRESS_ATOMICS, "same-address-atomics")                                                                 \
    RULE(CONSTANT_BY_LANE, "constant-by-lane")                                                                         \
    RULE(LOCAL_MEMORY, "local-memory")                                                                                 \
    RULE(DIVERGENCE, "divergence")                                                                                     \
    RULE(BARRIER_IMBALANCE, "barrier-imbalance")                                                                       \
    RULE(REDUCTION, "reduction")                                                                                       \
    RULE(BLOCK_NOT_WARPS, "block-not-warps")                                                                           \
    RULE(BLOCK_SMALL, "block-small")                                                                                   \
    RULE(OCCUPANCY, "occupancy")                                                                                       \
    RULE(FEW_WARPS, "few-warps")                                                                                       \
    RULE(TOO_FEW_BLOCKS, "too-few-blocks")                                                                             \
    RULE(TAIL, "tail")                                                                                                 \
    RULE(CACHE_PREFERENCE, "cache-preference")

enum advise_rule {
#define RULE(id, name) ADVISE_RULE_##id,
    ADVISE_RULES
#undef RULE
        ADVISE_RULE_COUNT
};
extern const char *const advise_rule_names[ADVISE_RULE_COUNT];

/* By what a cure would bring: less than 5 % of the time, less than 20 %, more. Without an estimate, by the rule. */
enum advise_severity { ADVISE_NOTE, ADVISE_HINT, ADVISE_PROBLEM, ADVISE_SEVERITIES };
extern const char *const advise_severity_names[ADVISE_SEVERITIES]; /* "note", "hint", "problem" */

#define ADVISE_NUMBERS_MAX 32
#define ADVISE_CURES_MAX   4

struct advise_finding {
    enum advise_rule rule;
    enum advise_severity severity;
    const char *file; /* of the source line; NULL: the finding is about the launch */
    uint32_t line;
    bool has_pc;
    uint32_t pc; /* as in the report's instructions */
    enum advise_word title, what, cures[ADVISE_CURES_MAX];
    uint32_t cure_count;
    struct advise_number numbers[ADVISE_NUMBERS_MAX];
    uint32_t number_count;
    uint64_t joined; /* further findings of the rule at the same line, which this one stands for */
    /* About what a cure can save at most: the cycles of each SM in which the part of it that is relieved was busy with
     * what was needless, as if they hid behind nothing else; and of how many, where the clock ran. */
    bool has_estimate, has_share;
    double saved_cycles, saved_pct;
};

struct advise_findings {
    struct base_arena arena; /* everything below */
    struct advise_finding *items;
    size_t count;
    bool incomplete; /* not all instructions could be watched */
};

struct advise_explain_query {
    const struct sim_report *report; /* of a run that was not refused */
    const struct sim_device *device;
    const struct isa_module *module;
    const struct advise_watch *watch; /* NULL: nobody watched; rules that need addresses say less, or nothing */
    int32_t carveout_percent;         /* that was asked for; -1: nothing was */
    uint32_t max_registers;           /* of --maxrregcount; 0: none */
};

/* Findings, the most promising first. BASE_NOMEM: `out` is empty. To be freed in either case. */
enum base_status advise_explain(const struct advise_explain_query *query, struct advise_findings *out);
void advise_findings_free(struct advise_findings *findings);

#endif
