/* Reports as one page for a browser, which needs nothing else: no network, no other file, no script to be read.
 *
 * A page is written in order: report_html_begin(), the contents of every launch, report_html_middle(), the articles of
 * every launch, report_html_end(). report_html_launch() makes both parts of one launch; the order in which launches are
 * made does not matter, so that they can run at the same time.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "advise/timeline.h"
#include "report/advice.h"

/* One launch, and what is known of it beside the report. */
struct report_html {
    const struct sim_report *report;
    const struct sim_device *device;
    size_t number;                           /* of the launch in its page, from 1: anchors are made of it */
    report_source_line *source_line;         /* may be NULL */
    void *user;                              /* of source_line */
    const struct isa_module *module;         /* that the report's instructions are in; with `watch` */
    const struct advise_watch *watch;        /* NULL: no pictures of accesses */
    const struct report_advice *advice;      /* NULL: nothing was explained */
    const struct advise_timeline *timeline;  /* NULL: no picture of it */
    const struct sim_occupancy_study *study; /* NULL: no curves */
    bool brief;                              /* one of many launches: fewer pictures, smaller ones */
};

void report_html_launch(const struct report_html *launch, struct base_strbuf *article, struct base_strbuf *contents);

/* `title`: what was run, e.g. the file; `count`: of launches. */
void report_html_begin(struct base_strbuf *out, const char *title, const char *version, size_t count);
void report_html_middle(struct base_strbuf *out);
void report_html_end(struct base_strbuf *out, const char *version);

#endif
