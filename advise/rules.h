/* Inside advise/: what the files of rules share. A rule looks at the query and adds findings. */
#ifndef ADVISE_RULES_H
#define ADVISE_RULES_H

#include "advise/explain.h"

struct advise_rules {
    const struct advise_explain_query *query;
    const struct sim_report *report;
    const struct sim_device *device;
    struct advise_findings *out;
    BASE_VEC(struct advise_finding) findings;
    uint64_t blocks;
    uint32_t block_threads, warps_per_block;
    double sm_share; /* of a sum over the launch, what falls to the busiest SM */
    double cycles;   /* 0: the clock did not run */
    double scale;    /* cycles, or what the launch takes at least */
    bool failed;
};

/* A new finding; NULL: no memory. row: the instruction it is about, or NULL. */
struct advise_finding *advise_add(struct advise_rules *rules, enum advise_rule rule, enum advise_word title,
                                  enum advise_word what, const struct sim_insn_report *row);
void advise_cure(struct advise_finding *finding, enum advise_word cure);
void advise_count(struct advise_finding *finding, const char *name, uint64_t value);
void advise_real(struct advise_finding *finding, const char *name, double value);
/* The text is copied. */
void advise_text(struct advise_rules *rules, struct advise_finding *finding, const char *name, const char *text);
/* What a cure saves at most, in cycles of an SM; sets the severity. */
void advise_saves(struct advise_rules *rules, struct advise_finding *finding, double cycles);

/* The kernel's instruction of a report's row. */
const struct isa_insn *advise_insn(const struct advise_rules *rules, const struct sim_insn_report *row);
/* Threads that did it: executions by a thread whose guard was on. */
uint64_t advise_threads_on(const struct sim_insn_report *row);
double advise_metric(const struct advise_rules *rules, const char *name); /* -1: the report has none */
/* Of the warps' time, what they wait for one reason; 0 without the clock. */
double advise_stall_pct(const struct advise_rules *rules, enum sim_stall reason);

void advise_rules_memory(struct advise_rules *rules);
void advise_rules_shared(struct advise_rules *rules);
void advise_rules_launch(struct advise_rules *rules);
void advise_rules_flow(struct advise_rules *rules);
void advise_rules_reduction(struct advise_rules *rules);

#endif
