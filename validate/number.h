/* Numbers and units as ncu prints them, in any locale: "1,234.5", "1.234,5", "1 234,5", "12,34,567", "1'234.5".
 *
 * One number alone can mean two things ("1.234"), so a file's cells are looked at together: validate_number_look() for
 * each, then validate_number_read() with the style that they agree on. */
#ifndef VALIDATE_NUMBER_H
#define VALIDATE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum validate_look {
    VALIDATE_LOOK_TEXT,  /* no number */
    VALIDATE_LOOK_PLAIN, /* a number that reads the same in all locales */
    VALIDATE_LOOK_POINT, /* its decimal sign must be a point */
    VALIDATE_LOOK_COMMA,
    VALIDATE_LOOK_POINT_OR_GROUP, /* "1.234": a point may be either */
    VALIDATE_LOOK_COMMA_OR_GROUP,
};

struct validate_number {
    bool is_integer; /* `integer` is all of it */
    uint64_t integer;
    double real;
    double step; /* of the last digit */
};

enum validate_look validate_number_look(const char *text, size_t length);
/* False: no number. */
bool validate_number_read(const char *text, size_t length, char decimal, struct validate_number *number);

/* What a value in that unit is multiplied by to be in the base unit; 1 when nothing is known of the unit. */
double validate_unit_scale(const char *unit);

#endif
