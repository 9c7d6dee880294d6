/* A timeline in Chrome's trace event format, which ui.perfetto.dev opens. */
#ifndef REPORT_TRACE_H
#define REPORT_TRACE_H

#include "advise/timeline.h"
#include "report/report.h"

/* One JSON object. A process is an SM, a thread a place for a warp in it; one microsecond of the format stands for a
 * cycle. A warp's stay holds, end to end, what it waited for and the instructions that it issued; requests to memory
 * are asynchronous events. What the timeline lacks is said in "otherData". */
void report_trace(const struct advise_timeline *timeline, const struct sim_report *report, const char *version,
                  struct base_strbuf *out);

/* "SMs 0 to 15 of 132 are told", for the file and for people; false: all is told. */
bool report_trace_left_out(const struct advise_timeline *timeline, struct base_strbuf *out);

#endif
