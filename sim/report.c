/* What can be done with a finished report besides reading its members: finding a metric, and giving it back. */
#include "sim/report.h"

#include <string.h>

void sim_report_free(struct sim_report *report)
{
    base_arena_free(&report->arena);
    memset(report, 0, sizeof(*report));
}

const struct sim_metric *sim_report_metric(const struct sim_report *report, const char *name)
{
    for (size_t i = 0; i < report->metric_count; i++) {
        if (strcmp(report->metrics[i].name, name) == 0)
            return &report->metrics[i];
    }
    return NULL;
}
