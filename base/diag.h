/* Diagnostics: what is wrong with a user's text, and where.
 *
 * A location is a byte offset into a source; line and column (both from 1, a tab is one column) and the excerpt are
 * taken when a message is added, so messages may outlive the text that they are about. At most BASE_DIAG_MAX messages
 * are kept, the rest are counted. A message looks like
 *
 *     vec.ptx:12:5: error: fma.rn.f16 is not supported
 *         fma.rn.f16 %h1, %h2, %h3, %h4;
 *         ^~~~~~~~~~
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include "base/status.h"
#include "base/strbuf.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define BASE_DIAG_MAX 20

/* Text being read, owned by the caller. `text` need not be NUL-terminated. */
struct base_source {
    const char *name;
    const char *text;
    size_t size;
};

enum base_severity { BASE_NOTE, BASE_WARNING, BASE_ERROR };

struct base_diag {
    enum base_severity severity;
    const struct base_source *source; /* NULL: no place in a text; of use only while the caller keeps the source */
    size_t offset, length;            /* length 0: a caret alone */
    char *message;
    char *shown; /* the whole of it, as printed */
};

struct base_kept_source; /* a copy of a text, owned by the messages */

struct base_diags {
    struct base_diag items[BASE_DIAG_MAX];
    size_t count;   /* kept */
    size_t dropped; /* not kept */
    size_t errors;  /* all errors, kept or not */
    struct base_kept_source *sources;
};

void base_diags_free(struct base_diags *diags);

/* `diags` may be NULL: then nothing is kept. */
void base_diag_add(struct base_diags *diags, enum base_severity severity, const struct base_source *source,
                   size_t offset, size_t length, const char *format, ...) __attribute__((format(printf, 6, 7)));
void base_diag_vadd(struct base_diags *diags, enum base_severity severity, const struct base_source *source,
                    size_t offset, size_t length, const char *format, va_list args)
    __attribute__((format(printf, 6, 0)));

/* For a source that ends before the messages do: those that point into it get a copy of it. False without memory; they
 * then have no place any more. */
bool base_diags_keep_source(struct base_diags *diags, const struct base_source *source);

/* Line and column, from 1, of a byte offset. */
void base_source_position(const struct base_source *source, size_t offset, unsigned *line, unsigned *column);

/* Appends one message, as above, or all of them and a line that tells how many were dropped. Control characters in
 * quoted source lines are shown as '?', and lines longer than 160 columns are cut around the caret. */
void base_diag_print(const struct base_diag *diag, struct base_strbuf *out);
void base_diags_print(const struct base_diags *diags, struct base_strbuf *out);

#endif
