/* What the readers of arguments and of launch lists share: a field of user text that knows where it came from.
 *
 * Quotes are gone from a field's text, so a character's place in the source is looked up, not computed. */
#ifndef SIM_ARGTEXT_H
#define SIM_ARGTEXT_H

#include "base/arena.h"
#include "base/diag.h"
#include "sim/args.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_field {
    const struct base_source *source;
    const char *text; /* NUL-terminated, without quotes */
    size_t length;
    size_t offset, span;  /* place in the source, quotes included */
    const size_t *places; /* of each character and of the end; NULL: one after the other from offset */
};

/* Adds an error at characters [from, to) of a field. */
void sim_field_error(const struct sim_field *field, size_t from, size_t to, struct base_diags *diags,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

enum base_status sim_field_parse_arg(const struct sim_field *field, struct base_arena *arena, struct sim_arg *arg,
                                     struct base_diags *diags);

/* Decimal or 0x hex without sign. False: *why says what is wrong ("is not a number", "is too large"). */
bool sim_number_parse(const char *text, size_t length, uint64_t *value, const char **why);

/* A VALUE of `type` as its bits. False: `why` says what is wrong, as words that follow the value. */
bool sim_value_parse(uint8_t type, const char *text, size_t length, uint64_t *bits, char *why, size_t why_size);

#endif
