/* Pictures without a kernel, or of one of its instructions: lanes and banks, lanes and sectors, threads and tiles.
 *
 * Each writer takes a finished look of advise/ and appends: a page for a terminal, at most 104 columns wide; one JSON
 * object and a newline; an SVG document in the manner of the CUDA programming guide's figures 11 to 18. They compute
 * nothing but where to draw.
 */
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include "advise/banks.h"
#include "advise/sectors.h"
#include "advise/threads.h"
#include "base/strbuf.h"

#include <stdbool.h>

struct report_picture {
    bool colour;                      /* text: the output is a terminal */
    const char *version;              /* JSON: simtlab's own */
    const struct advise_shape *shape; /* of the launch; NULL where it is no matter of one */
    bool in_page;                     /* SVG: part of a page that has the style sheet */
    bool first_only;                  /* SVG of banks: only the first access is drawn; cures suit all of them */
    bool no_cures;                    /* SVG of banks: no word of them */
};

void report_banks_text(const struct advise_banks *banks, const struct report_picture *picture, struct base_strbuf *out);
void report_banks_json(const struct advise_banks *banks, const struct report_picture *picture, struct base_strbuf *out);
void report_banks_svg(const struct advise_banks *banks, const struct report_picture *picture, struct base_strbuf *out);

/* One access after the other; JSON and SVG hold all of them in one document. */
void report_sectors_text(const struct advise_sectors *sectors, size_t count, const struct report_picture *picture,
                         struct base_strbuf *out);
void report_sectors_json(const struct advise_sectors *sectors, size_t count, const struct report_picture *picture,
                         struct base_strbuf *out);
void report_sectors_svg(const struct advise_sectors *sectors, size_t count, const struct report_picture *picture,
                        struct base_strbuf *out);

/* With `transpose`, also the matrix that a transpose of this one writes. */
struct report_threads {
    const struct advise_threads *threads;
    const char *device;
    bool transpose;
};
void report_threads_text(const struct report_threads *threads, const struct report_picture *picture,
                         struct base_strbuf *out);
void report_threads_json(const struct report_threads *threads, const struct report_picture *picture,
                         struct base_strbuf *out);
void report_threads_svg(const struct report_threads *threads, const struct report_picture *picture,
                        struct base_strbuf *out);

#endif
