/* The instruction headings of the PTX ISA, each with examples: the rows of tests/headings.def. */
#ifndef TESTS_HEADINGS_H
#define TESTS_HEADINGS_H

#include "base/strbuf.h"

#include <stddef.h>

enum heading_row_kind { HEADING_ROW_SECTION, HEADING_ROW_HEADING, HEADING_ROW_EXAMPLE };

/* Of a heading: whether simtlab does it. Of an example: what simtlab does with it. */
enum heading_state {
    HEADING_NONE,
    HEADING_DONE,
    HEADING_PART,
    HEADING_OUT,
    EXAMPLE_RUNS,
    EXAMPLE_FAULTS,
    EXAMPLE_REFUSED
};

struct heading_row {
    enum heading_row_kind kind;
    enum heading_state state;
    const char *number, *name;    /* of a section or heading */
    const char *remark;           /* of a heading: what is out, or why it is */
    const char *version, *target; /* of an example: the least that ptxas must be told */
    const char *declarations;     /* of an example: what stands before the kernel */
    const char *text;             /* of an example: its instructions */
};

extern const struct heading_row heading_rows[];
extern const size_t heading_row_count;

/* A module of one kernel `e` that has the example between its first and last instruction. */
void heading_module(const struct heading_row *example, struct base_strbuf *out);

/* The line of heading_module()'s text that the example stands on. */
unsigned heading_example_line(const struct heading_row *example);

#endif
