/* Words that the pictures' writers share. Internal to report/. */
#ifndef REPORT_PICTURE_WORDS_H
#define REPORT_PICTURE_WORDS_H

#include "report/picture.h"

/* "float tile[32][33]", "float *p" */
void report_declaration(struct base_strbuf *out, const struct advise_array *array);
/* Lanes of a mask: "0-7, 9". */
void report_lane_list(struct base_strbuf *out, uint32_t mask);
/* "load", "store", "atomic" */
const char *report_access_kind(enum sim_shared_kind kind);
/* "load of 4 bytes a lane by warp 0 of a block of 32 x 32 x 1 threads" */
void report_access_words(struct base_strbuf *out, const struct advise_pattern *pattern, uint32_t warp,
                         const struct report_picture *picture);
/* "1 wavefront", "1,024 wavefronts" */
void report_number_of(struct base_strbuf *out, uint64_t count, const char *singular);
/* "32-way bank conflict: 32 wavefronts where 1 would do" */
void report_bank_verdict(struct base_strbuf *out, const struct advise_bank_view *view);
/* What a cure does: "32 wavefronts for 1,024, 128 bytes more" */
void report_cure_words(struct base_strbuf *out, const struct advise_banks *banks, const struct advise_cure *cure);
/* "the tile by rows: 1 wavefront a warp, no conflict; by columns: 2 wavefronts", for a cure with walks. */
void report_walk_words(struct base_strbuf *out, const struct advise_cure *cure);
/* "32 sectors where 4 would do; 128 of 1,024 fetched bytes are used, 12.5 %" */
void report_sector_verdict(struct base_strbuf *out, const struct advise_sector_view *view);
/* What would be better, a sentence each time it is called with the next `index`; false when there is no more. */
bool report_sector_advice(struct base_strbuf *out, const struct advise_sector_view *view, unsigned index);

/* How a picture shows an array: `columns` elements a row. 2-D arrays as they are, others by lines of all banks. */
struct report_map {
    uint64_t columns, rows, first_row;
};
struct report_map report_map_of(const struct advise_banks *banks);
/* The first bank of an element. */
uint32_t report_map_bank(const struct advise_banks *banks, uint64_t element);
/* The first warp that touches the element, UINT32_MAX: none; and whether `warp` does. */
uint32_t report_map_warp(const struct advise_pattern *pattern, uint64_t element);
bool report_map_touches(const struct advise_pattern *pattern, uint32_t warp, uint64_t element);

#endif
