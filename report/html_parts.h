/* The parts of a launch's article, and the writer that they share. Internal to report/.
 *
 * Markup is written as it stands, by html_puts(); everything else goes through the functions that escape. What is
 * written is XHTML and HTML at once, so that any XML reader can check it. Anchors are "l3-source": launch 3's source.
 */
#ifndef REPORT_HTML_PARTS_H
#define REPORT_HTML_PARTS_H

#include "report/html.h"
#include "report/lines.h"

#include <stdbool.h>
#include <stdint.h>

/* A file that instructions came from: lines.items[first] and so many on. */
struct html_file {
    const char *name;
    size_t first, count;
    bool has_text; /* its text can be had */
};

/* One picture, of the worst of the instructions whose accesses look the same. */
struct html_picture {
    const struct advise_watched *item;
    const struct sim_insn_report *insn;
};

struct html {
    const struct report_html *launch;
    const struct sim_report *report;
    struct base_strbuf *out;
    struct base_arena arena;
    struct report_lines lines;          /* all, by file and number */
    const struct report_line *wasteful; /* the line with the largest excess, NULL: none has any */
    const struct report_line *slow;     /* the line at which warps spent most cycles, NULL: no clock */
    const struct sim_insn_report *wasteful_insn, *slow_insn; /* the same of instructions */
    uint64_t warp_cycles, executed;                          /* of all lines */
    struct html_file *files;
    size_t file_count;
    struct html_picture *pictures; /* the most wasteful first */
    size_t picture_count;
    size_t *picture_of;         /* by instruction of the report: its picture's number from 1, 0: none */
    size_t pictures_missing[2]; /* global, shared: instructions that have none for want of room */
};

/* ---- html_write.c ---- */

void html_puts(struct html *h, const char *markup);
void html_text(struct html *h, const char *text);
void html_bytes(struct html *h, const char *text, size_t length);
void html_textf(struct html *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Takes the text over. */
void html_taken(struct html *h, struct base_strbuf *text);
void html_count(struct html *h, uint64_t value);
/* "1 sector", "1,024 sectors" */
void html_number_of(struct html *h, uint64_t count, const char *singular);
/* 12.3 %; nothing of nothing is 0 %. */
void html_share(struct html *h, uint64_t part, uint64_t whole);
/* l1-NAME, and l1-NAMEn */
void html_anchor(struct html *h, const char *name);
void html_anchor_n(struct html *h, const char *name, uint64_t number);
/* A cell of a number. */
void html_count_cell(struct html *h, uint64_t value);
/* A bar of so many percent beside its number, for a cell. */
void html_bar(struct html *h, double pct);
/* A box that scrolls sideways where the page is narrow, reachable by keyboard; `label` says what is in it. */
void html_scroll_begin(struct html *h, const char *label);
void html_scroll_end(struct html *h);
/* A heading cell; numbers stand to the right. */
void html_head_cell(struct html *h, const char *text, bool is_number);

/* ---- Parts. Each `has` says whether there is something to write. ---- */

/* html_summary.c */
void html_summary(struct html *h);
/* html_findings.c */
bool html_findings_has(const struct html *h);
void html_findings(struct html *h);
/* html_advice.c */
bool html_advice_has(const struct html *h);
void html_advice(struct html *h);
/* html_source.c */
void html_source_plan(struct html *h); /* fills files */
bool html_source_has(const struct html *h);
void html_source(struct html *h);
/* Opens a link to the row of a line, which the caller closes; false: it has no row, and there is no link. */
bool html_line_link(struct html *h, const char *file, uint32_t line);
/* html_access.c */
void html_access_plan(struct html *h); /* fills pictures */
size_t html_picture_of(const struct html *h, const struct sim_insn_report *insn);
bool html_shared_has(const struct html *h);
void html_shared(struct html *h);
bool html_global_has(const struct html *h);
void html_global(struct html *h);
/* html_flow.c */
bool html_divergence_has(const struct html *h);
void html_divergence(struct html *h);
bool html_stalls_has(const struct html *h);
void html_stalls(struct html *h);
/* html_timeline.c */
bool html_timeline_has(const struct html *h);
void html_timeline(struct html *h);
/* html_details.c */
bool html_occupancy_has(const struct html *h);
void html_occupancy(struct html *h);
bool html_metrics_has(const struct html *h);
void html_metrics(struct html *h);
bool html_results_has(const struct html *h);
void html_results(struct html *h);

/* "guide.cu:23" */
void html_place(struct html *h, const char *file, uint32_t line);

#endif
