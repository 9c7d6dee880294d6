/* What a picture of one watched access is drawn from. */
#ifndef ADVISE_PICTURE_H
#define ADVISE_PICTURE_H

#include "advise/watch.h"
#include "base/strbuf.h"

/* In shared memory `patterns` has the accesses that touch the same bytes too, since a cure has to suit all of them; the
 * first is the one that is shown. */
struct advise_picture {
    const struct advise_captured *item;
    struct advise_array array;
    struct advise_pattern *patterns[ADVISE_ACCESS_MAX];
    uint32_t count;
    bool too_many; /* more accesses touch these bytes than are looked at together: a cure cannot be told */
    uint64_t base; /* address of the array's first element */
};

/* `text` stands for the instruction. */
enum base_status advise_picture_make(const struct advise_watch *watch, const struct advise_watched *item,
                                     const char *text, struct base_arena *arena, struct advise_picture *picture);

/* Who executed what is kept at `which`: "warp 0 of block (3, 0, 0), execution 9 of 16, the worst; byte 0 is 0x400". */
void advise_captured_who(const struct advise_captured *item, uint32_t which, uint64_t base, struct base_strbuf *out);

/* Whether the worst executions look the same: lanes, widths and distances, and the place within `unit_bytes`. */
bool advise_captured_alike(const struct advise_captured *a, const struct advise_captured *b, uint64_t unit_bytes);

#endif
