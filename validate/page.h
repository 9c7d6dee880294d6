/* Writers of a comparison. Each appends to a string buffer, whose `failed` tells of lack of memory. */
#ifndef VALIDATE_PAGE_H
#define VALIDATE_PAGE_H

#include "validate/compare.h"

struct validate_page {
    bool colour;         /* the output is a terminal */
    bool quiet;          /* text: only what does not agree */
    const char *version; /* simtlab's own */
};

void validate_text(const struct validate_comparison *comparison, const struct validate_page *page,
                   struct base_strbuf *out);
/* One JSON object and a newline. */
void validate_json(const struct validate_comparison *comparison, const struct validate_page *page,
                   struct base_strbuf *out);
/* A row of names, then one row a metric. */
void validate_csv(const struct validate_comparison *comparison, const struct validate_page *page,
                  struct base_strbuf *out);
/* A page that needs nothing but itself. */
void validate_html(const struct validate_comparison *comparison, const struct validate_page *page,
                   struct base_strbuf *out);

/* For all: "agrees", "explained", "differs"; "exact", "modelled"; what a launch is called. */
extern const char *const validate_verdict_names[3];
const char *validate_class_name(enum validate_class class);
const char *validate_launch_name(const struct validate_launch *launch);
/* What the two sides are called, and how far one is from the other. */
struct validate_words {
    const char *first, *second, *change;
};
const struct validate_words *validate_words_of(const struct validate_comparison *comparison);
/* The sentence that sums all up, without newline. */
void validate_summary(const struct validate_comparison *comparison, struct base_strbuf *out);

#endif
