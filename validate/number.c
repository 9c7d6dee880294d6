/* See number.h. */
#include "validate/number.h"

#include <math.h>
#include <string.h>

enum { DIGITS_MAX = 400 };

/* A number taken apart: digits and separators alone. */
struct parts {
    char text[DIGITS_MAX]; /* digits, '.' and ',' */
    size_t length;
    bool negative;
    int exponent;
    bool has_exponent;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytes of a sign that only ever groups digits, 0: none. No-break, narrow and thin spaces, both apostrophes; the
 * no-break space of code page 1252 too. */
static size_t group_sign(const char *text, size_t length)
{
    static const char *const signs[] = {" ", "'", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89", "\xe2\x80\x99", "\xa0"};
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        size_t size = strlen(signs[i]);
        if (size <= length && memcmp(text, signs[i], size) == 0)
            return size;
    }
    return 0;
}

static bool read_exponent(const char *text, size_t length, struct parts *parts)
{
    size_t at = 1;
    bool negative = at < length && text[at] == '-';
    at += at < length && (text[at] == '-' || text[at] == '+');
    if (at == length || length - at > 4)
        return false;
    for (; at < length; at++) {
        if (!is_digit(text[at]))
            return false;
        parts->exponent = 10 * parts->exponent + (text[at] - '0');
    }
    parts->exponent = negative ? -parts->exponent : parts->exponent;
    parts->has_exponent = true;
    return true;
}

/* False: no number. "12 (3; 4)", a value with its instances, is 12. */
static bool take_apart(const char *text, size_t length, struct parts *parts)
{
    bool digit = false;
    memset(parts, 0, sizeof(*parts));
    while (length > 0 && text[length - 1] == ' ')
        length--;
    while (length > 0 && *text == ' ')
        text++, length--;
    const char *instances = length > 0 ? memchr(text, '(', length) : NULL;
    if (instances && instances > text + 1 && instances[-1] == ' ')
        length = (size_t)(instances - text) - 1;
    if (length > 0 && (*text == '-' || *text == '+')) {
        parts->negative = *text == '-';
        text++, length--;
    }
    for (size_t i = 0; i < length;) {
        size_t group = digit && i + 1 < length ? group_sign(text + i, length - i) : 0;
        if (group > 0 && i + group < length && is_digit(text[i + group])) {
            i += group;
            continue;
        }
        if (digit && (text[i] == 'e' || text[i] == 'E'))
            return read_exponent(text + i, length - i, parts);
        if (!is_digit(text[i]) && text[i] != '.' && text[i] != ',')
            return false;
        if (parts->length == DIGITS_MAX)
            return false;
        digit = digit || is_digit(text[i]);
        parts->text[parts->length++] = text[i++];
    }
    return digit;
}

static size_t count_of(const struct parts *parts, char c)
{
    size_t count = 0;
    for (size_t i = 0; i < parts->length; i++)
        count += parts->text[i] == c;
    return count;
}

static size_t last_of(const struct parts *parts, char c)
{
    size_t at = parts->length;
    while (at > 0 && parts->text[at - 1] != c)
        at--;
    return at - 1;
}

/* With one kind of sign in it, `sign`, that stands `count` times. */
static enum validate_look look_at_one(const struct parts *parts, char sign, size_t count)
{
    const enum validate_look decimal = sign == '.' ? VALIDATE_LOOK_POINT : VALIDATE_LOOK_COMMA;
    const enum validate_look other = sign == '.' ? VALIDATE_LOOK_COMMA : VALIDATE_LOOK_POINT;
    if (count > 1)
        return parts->has_exponent ? VALIDATE_LOOK_TEXT : other;
    size_t before = last_of(parts, sign), behind = parts->length - before - 1;
    if (behind != 3 || before == 0 || before > 3 || parts->text[0] == '0' || parts->has_exponent)
        return decimal;
    return sign == '.' ? VALIDATE_LOOK_POINT_OR_GROUP : VALIDATE_LOOK_COMMA_OR_GROUP;
}

enum validate_look validate_number_look(const char *text, size_t length)
{
    struct parts parts;
    if (!take_apart(text, length, &parts))
        return VALIDATE_LOOK_TEXT;
    size_t points = count_of(&parts, '.'), commas = count_of(&parts, ',');
    if (points == 0 && commas == 0)
        return VALIDATE_LOOK_PLAIN;
    if (points == 0 || commas == 0)
        return look_at_one(&parts, points > 0 ? '.' : ',', points + commas);
    char decimal = last_of(&parts, '.') > last_of(&parts, ',') ? '.' : ',';
    if (count_of(&parts, decimal) > 1)
        return VALIDATE_LOOK_TEXT;
    return decimal == '.' ? VALIDATE_LOOK_POINT : VALIDATE_LOOK_COMMA;
}

bool validate_number_read(const char *text, size_t length, char decimal, struct validate_number *number)
{
    struct parts parts;
    int behind = 0;
    bool fraction = false, whole = true;
    *number = (struct validate_number){.is_integer = true};
    if (!take_apart(text, length, &parts))
        return false;
    for (size_t i = 0; i < parts.length; i++) {
        if (!is_digit(parts.text[i])) {
            if (parts.text[i] == decimal && fraction)
                return false;
            fraction = fraction || parts.text[i] == decimal;
            continue;
        }
        unsigned digit = (unsigned)(parts.text[i] - '0');
        number->real = 10 * number->real + digit;
        if (!fraction && (number->integer > (UINT64_MAX - digit) / 10))
            number->is_integer = false;
        number->integer = fraction ? number->integer : 10 * number->integer + digit;
        behind += fraction;
        whole = whole && (!fraction || digit == 0);
    }
    number->step = pow(10, parts.exponent - behind);
    number->real = number->real * number->step;
    number->is_integer = number->is_integer && whole && !parts.negative && !parts.has_exponent;
    if (number->is_integer)
        number->real = (double)number->integer;
    if (parts.negative)
        number->real = -number->real;
    return isfinite(number->real) && isfinite(number->step);
}

/* ---- Units ---- */

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* A word of time in seconds; 0: none. Old and new spelling. */
static double seconds_of(const char *text, size_t length)
{
    static const struct {
        const char *word;
        double seconds;
    } times[] = {{"nsecond", 1e-9}, {"ns", 1e-9},  {"usecond", 1e-6}, {"us", 1e-6},   {"msecond", 1e-3},
                 {"ms", 1e-3},      {"second", 1}, {"s", 1},          {"minute", 60}, {"hour", 3600}};
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        if (is_word(text, length, times[i].word))
            return times[i].seconds;
    return 0;
}

/* "Kbyte" is a thousand bytes. */
static double prefix_of(const char *text, size_t length)
{
    static const char prefixes[] = "KMGTPE";
    static const char *const words[] = {"byte",    "hz",    "Hz",   "inst",   "sector",
                                        "request", "cycle", "warp", "thread", "B"};
    const char *prefix = length > 1 && text[0] != '\0' ? strchr(prefixes, text[0]) : NULL;
    if (!prefix)
        return 1;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (is_word(text + 1, length - 1, words[i]))
            return pow(1000, (double)(prefix - prefixes + 1));
    if (length > 2 && text[1] == 'i' && is_word(text + 2, length - 2, "B"))
        return pow(1024, (double)(prefix - prefixes + 1));
    return 1;
}

double validate_unit_scale(const char *unit)
{
    const char *slash = strchr(unit, '/');
    size_t length = slash ? (size_t)(slash - unit) : strlen(unit);
    double seconds = seconds_of(unit, length), scale = seconds > 0 ? seconds * 1e9 : prefix_of(unit, length);
    double per = slash ? seconds_of(slash + 1, strlen(slash + 1)) : 0;
    return per > 0 ? scale / per : scale;
}
