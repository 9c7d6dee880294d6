/* The writers: one finished struct sim_report in, text out. They compute no metric: what the report does not hold is
 * not written. Each appends to a string buffer, whose `failed` tells of lack of memory.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/status.h"
#include "base/strbuf.h"
#include "sim/report.h"

#include <stdbool.h>
#include <stddef.h>

#define REPORT_SCHEMA 1

struct report_advice; /* report/advice.h: findings and their language */

/* One JSON object on one line, keys in the order of the manual page, and a newline. `version` is simtlab's own. advice:
 * may be NULL.
 * Integers past 2^63 - 1 are written as the nearest floating number. Bytes that are not UTF-8 become U+FFFD. */
void report_json(const struct sim_report *report, const struct report_advice *advice, const char *version,
                 struct base_strbuf *out);

/* The layout of `ncu --csv --page raw`: a row of names, a row of units, one row a launch. Metrics stand in alphabetical
 * order; "n/a" where a launch has none of that name. `cc` is the device's compute capability, "9.0". */
void report_csv(const struct sim_report *const *reports, size_t count, const char *cc, struct base_strbuf *out);

/* Text of line `line` of source file `file`, without newline; NULL when it is not to be had. */
typedef const char *report_source_line(void *user, const char *file, uint32_t line, size_t *length);

struct report_text_options {
    bool colour;                     /* the output is a terminal */
    report_source_line *source_line; /* may be NULL */
    void *user;
    const struct report_advice *advice; /* the page's last section; may be NULL */
    const char *metrics;                /* names that were asked for, with commas between them; may be NULL */
    bool only_advice;                   /* after the headline, what is wrong and what to change, and nothing else */
};

/* The page for a person, at most 100 columns wide. */
/* "--scheduler lrr --carveout 50": the options of a launch that are not the default. */
void report_options_text(const struct sim_report *report, struct base_strbuf *out);
void report_text(const struct sim_report *report, const struct report_text_options *options, struct base_strbuf *out);

/* A source line's text on a line of its own, without its indentation; nothing where it is not to be had. */
void report_text_source(const struct report_text_options *options, const char *file, uint32_t line, size_t indent,
                        struct base_strbuf *out);

/* Where the number of registers comes from. */
enum report_registers {
    REPORT_REGISTERS_GIVEN,
    REPORT_REGISTERS_OF_PTX,
    REPORT_REGISTERS_OF_LISTING,
    REPORT_REGISTERS_ASSUMED
};

/* What `simtlab occupancy` and the report's member "occupancy" say. */
struct report_occupancy {
    const char *device;
    uint32_t block_threads, registers_per_thread;
    uint64_t shared_per_block_bytes; /* static and dynamic */
    const struct sim_occupancy *occupancy;
    /* NULL in a run's report: steps, curves and clusters are simtlab occupancy's. */
    const struct sim_occupancy_study *study;
    const char *file, *kernel; /* NULL: none was given */
    enum report_registers registers_from;
    uint32_t code_registers; /* those of machine code; a card may give more. 0: not known */
    bool curves;             /* tell them too; a picture always has them */
    bool colour;             /* text: the output is a terminal */
    bool in_page;            /* SVG: part of a page that has the style sheet */
};
struct report_occupancy report_occupancy_of(const struct sim_report *report);
void report_occupancy_json(const struct report_occupancy *occupancy, struct base_strbuf *out);
void report_occupancy_text(const struct report_occupancy *occupancy, struct base_strbuf *out);
/* The three curves as a picture. Needs the study. */
void report_occupancy_svg(const struct report_occupancy *occupancy, struct base_strbuf *out);

/* For the writers of curves: "block size", "threads of a block". */
extern const char *const report_axis_titles[SIM_AXIS_COUNT];
extern const char *const report_axis_units[SIM_AXIS_COUNT];
void report_occupancy_curves_text(const struct report_occupancy *occupancy, struct base_strbuf *out);

/* Digits in groups of three: 1,048,576. */
void report_count(struct base_strbuf *out, uint64_t value);
/* A metric's value as ncu prints it, to six decimals at most: "5.95", "100", "1,048,576". */
void report_metric_value(struct base_strbuf *out, const struct sim_metric *metric);
/* The same for people: a real number to six digits, or to the whole if that has more. */
void report_metric_shown(struct base_strbuf *out, const struct sim_metric *metric);

#endif
