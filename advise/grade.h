/* Rules that a launch has to keep, as a course or a CI job sets them.
 *
 *     # one rule a line
 *     l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum <= 131072        every launch of the list
 *     transpose: occupancy >= 50                                      the launch of that name
 *     transpose: line transpose.cu:23 wavefronts <= 65536             sums over the instructions of a source line
 *     findings == 0                                                   of --check
 *     advice == 0                                                     what explain finds: all,
 *     advice:bank-conflict == 0                                       of a rule,
 *     advice:problem == 0                                             of a severity or worse
 *     output 2 == file:expected.bin                                   a buffer argument, byte for byte
 *     output 2 ~= file:expected.bin 1e-5                              f32 or f64, within so much of each value
 *
 * Operators: <= >= == != < >. A metric's name may be any that advise/metric_names.h knows.
 */
#ifndef ADVISE_GRADE_H
#define ADVISE_GRADE_H

#include "advise/explain.h"

enum advise_grade_subject {
    ADVISE_GRADE_METRIC,
    ADVISE_GRADE_OCCUPANCY,
    ADVISE_GRADE_FINDINGS,
    ADVISE_GRADE_ADVICE,
    ADVISE_GRADE_LINE,
    ADVISE_GRADE_OUTPUT
};
enum advise_grade_op { ADVISE_LE, ADVISE_GE, ADVISE_EQ, ADVISE_NE, ADVISE_LT, ADVISE_GT, ADVISE_NEAR };

struct advise_grade_rule {
    const char *text;  /* as written, without comment and outer space */
    const char *scope; /* of one launch; NULL: all */
    enum advise_grade_subject subject;
    const char *name; /* METRIC; ADVICE: a rule or a severity, or NULL; LINE: the file */
    uint32_t line;
    uint32_t field; /* LINE */
    uint32_t arg;   /* OUTPUT */
    const char *path;
    enum advise_grade_op op;
    double value; /* NEAR: the tolerance */
};

struct advise_grade {
    struct base_arena arena;
    BASE_VEC(struct advise_grade_rule) rules;
};

/* Adds the rules of a text. What is wrong has its line and column in `diags`; then BASE_INVALID. */
enum base_status advise_grade_read(const struct base_source *source, struct advise_grade *grade,
                                   struct base_diags *diags);
void advise_grade_init(struct advise_grade *grade);
void advise_grade_free(struct advise_grade *grade);

/* Whether some rule needs the checks, or what explain finds. */
bool advise_grade_needs(const struct advise_grade *grade, enum advise_grade_subject subject);
bool advise_grade_applies(const struct advise_grade_rule *rule, const char *launch);

enum advise_verdict { ADVISE_PASSED, ADVISE_FAILED, ADVISE_NOT_THERE };
/* For all subjects but OUTPUT. `why`: what it is, "it is 12, not <= 10"; NOT_THERE: what the report lacks. */
enum advise_verdict advise_grade_check(const struct advise_grade_rule *rule, const struct sim_report *report,
                                       const struct advise_findings *findings, struct base_strbuf *why);
/* For OUTPUT: `got` and `wanted` have `bytes` bytes of elements of `type` (enum isa_type). */
enum advise_verdict advise_grade_compare(const struct advise_grade_rule *rule, uint8_t type, const void *got,
                                         const void *wanted, uint64_t bytes, struct base_strbuf *why);

#endif
