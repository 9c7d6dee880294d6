/* How near a launch by the clock came to what the device could do, and what its warps waited for: words and tables that
 * the page and the text share. */
#ifndef REPORT_SPEED_H
#define REPORT_SPEED_H

#include "base/strbuf.h"
#include "sim/report.h"

struct report_limit {
    const char *metric;          /* its share of the peak, in percent */
    const char *words, *meaning; /* "L2 cache", "of the time of its slices" */
};
extern const struct report_limit report_limits[];
extern const size_t report_limit_count;

/* What a warp waits for, by enum sim_stall: "data from global or local memory". */
extern const char *const report_stall_meanings[SIM_STALL_COUNT];

/* Both sections as text, with nothing before them but an empty line. `heading` is called with the title of each. */
typedef void report_speed_heading(void *user, const char *title);
void report_speed_text(const struct sim_report *report, report_speed_heading *heading, void *user,
                       struct base_strbuf *out);

#endif
