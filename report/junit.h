/* Verdicts as JUnit XML, which CI services show: a suite a launch, a case a rule. */
#ifndef REPORT_JUNIT_H
#define REPORT_JUNIT_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

enum report_verdict { REPORT_PASSED, REPORT_FAILED, REPORT_ERROR };

struct report_junit_suite {
    struct base_strbuf cases; /* the XML of the cases */
    size_t tests, failures, errors;
};

/* Adds a case. `why` may be NULL for one that passed. */
void report_junit_case(struct report_junit_suite *suite, const char *launch, const char *rule,
                       enum report_verdict verdict, const char *why);
/* The whole document. `names` are the launches'. */
void report_junit(const struct report_junit_suite *suites, const char *const *names, size_t count,
                  struct base_strbuf *out);

#endif
