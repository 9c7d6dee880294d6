/* Which metrics are exact and which are modelled, and how far a modelled one may be off: one table (classes.c). */
#ifndef VALIDATE_CLASSES_H
#define VALIDATE_CLASSES_H

#include <stdbool.h>

enum validate_class { VALIDATE_EXACT = 1, VALIDATE_MODELLED = 2 };

struct validate_metric_class {
    const char *pattern; /* '*' stands for any text */
    enum validate_class class;
    double tolerance_pct; /* of the GPU's value */
    double slack;         /* and so much whatever the value: small numbers of ratios and shares */
    bool hardware;        /* a counter of the L1 data stage, which counts lost arbitration too */
};

/* Never NULL: what the table does not name is modelled. */
const struct validate_metric_class *validate_class_of(const char *metric);
/* '*' stands for any text, also for none. */
bool validate_pattern_fits(const char *pattern, const char *text);

#endif
