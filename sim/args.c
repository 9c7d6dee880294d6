/* Reads one ARG.
 *
 * A cursor walks over a field; each kind of argument has a function that reads what follows its first characters. Every
 * reader answers true or has added a diagnostic at the characters that are wrong. VALUEs are at the top: they are read
 * for module variables too, whose type is known only when a kernel is chosen (sim/bind.c). */
#include "sim/argtext.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A longer text is cut in messages, and no number that means anything is longer. */
enum { SHOWN = 80, LITERAL_MAX = 1024 };

struct cursor {
    const struct sim_field *field;
    size_t at;
    struct base_arena *arena;
    struct base_diags *diags;
};

static int shown(size_t length)
{
    return length < SHOWN ? (int)length : SHOWN;
}

void sim_field_error(const struct sim_field *field, size_t from, size_t to, struct base_diags *diags,
                     const char *format, ...)
{
    const size_t first = field->places ? field->places[from] : field->offset + from;
    const size_t last = field->places ? field->places[to] : field->offset + to;
    va_list args;
    va_start(args, format);
    base_diag_vadd(diags, BASE_ERROR, field->source, first, last - first, format, args);
    va_end(args);
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
}

bool sim_number_parse(const char *text, size_t length, uint64_t *value, const char **why)
{
    const bool hex = length > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
    const unsigned base = hex ? 16 : 10;
    uint64_t sum = 0;
    bool too_large = false;
    *why = "is not a number";
    if (length == 0)
        return false;
    for (size_t i = hex ? 2 : 0; i < length; i++) {
        const unsigned digit = (unsigned)digit_of(text[i]);
        if (digit >= base)
            return false;
        too_large |= __builtin_mul_overflow(sum, base, &sum);
        too_large |= __builtin_add_overflow(sum, digit, &sum);
    }
    *why = "is too large";
    *value = sum;
    return !too_large;
}

static bool integer_parse(uint8_t type, const char *text, size_t length, uint64_t *bits, char *why, size_t why_size)
{
    const char *name = isa_types[type].name;
    const unsigned width = isa_types[type].bits;
    const bool is_signed = isa_types[type].class == ISA_CLASS_SIGNED;
    const bool negative = length > 0 && text[0] == '-';
    const size_t sign = length > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    const uint64_t most = UINT64_MAX >> (64 - width + (is_signed ? 1 : 0));
    const uint64_t least = is_signed ? most + 1 : 0; /* magnitude of the smallest */
    const char *reason = NULL;
    uint64_t magnitude = 0;
    const bool is_number = sim_number_parse(text + sign, length - sign, &magnitude, &reason);
    if (is_number && magnitude <= (negative ? least : most)) {
        *bits = (negative ? 0 - magnitude : magnitude) & (UINT64_MAX >> (64 - width));
        return true;
    }
    if (!is_number && strcmp(reason, "is not a number") == 0)
        snprintf(why, why_size, "is not an integer");
    else
        snprintf(why, why_size, "does not fit %s (%s%" PRIu64 " to %" PRIu64 ")", name, is_signed ? "-" : "", least,
                 most);
    return false;
}

/* 1 when a constant ends in C's suffix f: 1.5f, 1e3f, 0x1p3f; the f of 0x1f is a digit, 1f is no constant. */
static size_t float_suffix(const char *text, size_t length)
{
    const char *first = text + (text[0] == '-' || text[0] == '+');
    if (length < 2 || (text[length - 1] | 0x20) != 'f' || (digit_of(*first) > 9 && *first != '.'))
        return 0;
    const bool hex = first[0] == '0' && (first[1] | 0x20) == 'x';
    return strpbrk(first, hex ? "pP" : ".eE") ? 1 : 0;
}

/* In the "C" locale, whatever the program has set. Each type has its own conversion: by way of double a float would be
 * rounded twice. */
static bool float_convert(uint8_t type, const char *text, uint64_t *bits, char **end, bool *is_infinite)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return false;
    const locale_t before = uselocale(plain);
    *bits = 0;
    if (type == ISA_TYPE_F32) {
        const float value = strtof(text, end);
        memcpy(bits, &value, sizeof value);
        *is_infinite = isinf(value);
    } else {
        const double value = strtod(text, end);
        memcpy(bits, &value, sizeof value);
        *is_infinite = isinf(value);
    }
    uselocale(before);
    freelocale(plain);
    return true;
}

static bool float_parse(uint8_t type, const char *text, size_t length, uint64_t *bits, char *why, size_t why_size)
{
    char copy[LITERAL_MAX + 1];
    snprintf(why, why_size, "is not a number");
    /* strtod() would skip leading white space. */
    if (length == 0 || length > LITERAL_MAX || strchr(" \t\n\v\f\r", text[0]))
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    copy[length - float_suffix(copy, length)] = '\0';
    char *end = NULL;
    bool is_infinite = false;
    if (!float_convert(type, copy, bits, &end, &is_infinite)) {
        snprintf(why, why_size, "cannot be read: out of memory");
        return false;
    }
    if (end == copy || *end || strlen(copy) + 1 < length)
        return false;
    const char *first = copy + (*copy == '-' || *copy == '+');
    if (is_infinite && (*first | 0x20) != 'i') {
        snprintf(why, why_size, "does not fit %s; infinity is written inf", isa_types[type].name);
        return false;
    }
    return true;
}

bool sim_value_parse(uint8_t type, const char *text, size_t length, uint64_t *bits, char *why, size_t why_size)
{
    if (isa_types[type].class == ISA_CLASS_FLOAT)
        return float_parse(type, text, length, bits, why, why_size);
    return integer_parse(type, text, length, bits, why, why_size);
}

static const char *rest(const struct cursor *c)
{
    return c->field->text + c->at;
}

static size_t rest_length(const struct cursor *c)
{
    return c->field->length - c->at;
}

static bool starts_with(const struct cursor *c, const char *word)
{
    return strncmp(rest(c), word, strlen(word)) == 0;
}

static bool skip(struct cursor *c, const char *word)
{
    if (!starts_with(c, word))
        return false;
    c->at += strlen(word);
    return true;
}

/* Characters until one of `stops` or the end. */
static size_t span_to(const struct cursor *c, const char *stops)
{
    return strcspn(rest(c), stops);
}

static bool expect(struct cursor *c, const char *word, const char *after)
{
    if (skip(c, word))
        return true;
    sim_field_error(c->field, c->at, c->field->length, c->diags, "expected '%s' after %s", word, after);
    return false;
}

static bool read_number(struct cursor *c, size_t length, const char *what, uint64_t *value)
{
    const char *why = NULL;
    if (length == 0)
        sim_field_error(c->field, c->at, c->at, c->diags, "%s is missing", what);
    else if (!sim_number_parse(rest(c), length, value, &why))
        sim_field_error(c->field, c->at, c->at + length, c->diags, "%s '%.*s' %s", what, shown(length), rest(c), why);
    else {
        c->at += length;
        return true;
    }
    return false;
}

static bool read_path(struct cursor *c, const char **path)
{
    if (rest_length(c) == 0) {
        sim_field_error(c->field, c->at, c->at, c->diags, "the file's name is missing");
        return false;
    }
    *path = base_arena_strndup(c->arena, rest(c), rest_length(c));
    c->at = c->field->length;
    return true;
}

/* V of const:V. A module variable's type is not known yet: its text is kept. */
static bool read_constant(struct cursor *c, uint8_t type, struct sim_init *init)
{
    char why[96];
    const size_t length = rest_length(c);
    if (type == ISA_TYPE_NONE && length > 0) {
        init->path = base_arena_strndup(c->arena, rest(c), length);
    } else if (length == 0) {
        sim_field_error(c->field, c->at, c->at, c->diags, "the value of 'const:' is missing");
        return false;
    } else if (!sim_value_parse(type, rest(c), length, &init->value, why, sizeof why)) {
        sim_field_error(c->field, c->at, c->field->length, c->diags, "'%.*s' %s", shown(length), rest(c), why);
        return false;
    }
    c->at = c->field->length;
    return true;
}

static bool read_init(struct cursor *c, uint8_t type, struct sim_init *init)
{
    static const struct {
        const char *word;
        enum sim_init_kind kind;
    } words[] = {{"zero", SIM_INIT_ZERO}, {"none", SIM_INIT_NONE}, {"iota", SIM_INIT_IOTA}};
    const size_t start = c->at;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(rest(c), words[i].word) == 0) {
            init->kind = words[i].kind;
            c->at = c->field->length;
            return true;
        }
    if (skip(c, "const:")) {
        init->kind = SIM_INIT_CONST;
        return read_constant(c, type, init);
    }
    if (skip(c, "rand:")) {
        init->kind = SIM_INIT_RAND;
        return read_number(c, rest_length(c), "the seed", &init->seed);
    }
    if (skip(c, "file:")) {
        init->kind = SIM_INIT_FILE;
        return read_path(c, &init->path);
    }
    if (skip(c, "randmod:")) {
        init->kind = SIM_INIT_RANDMOD;
        if (!read_number(c, span_to(c, ":"), "the seed", &init->seed) || !expect(c, ":", "the seed"))
            return false;
        const size_t modulus_at = c->at;
        if (!read_number(c, rest_length(c), "the modulus", &init->modulus))
            return false;
        if (init->modulus > 0)
            return true;
        sim_field_error(c->field, modulus_at, c->at, c->diags, "the modulus must be at least 1");
        return false;
    }
    sim_field_error(c->field, start, c->field->length, c->diags,
                    "'%.*s' is no contents: zero, none, iota, const:V, rand:SEED, randmod:SEED:M or file:PATH",
                    shown(rest_length(c)), rest(c));
    return false;
}

/* The type a name of ARG stands for, NONE for any other name. */
static uint8_t type_by_name(const char *name, size_t length)
{
    static const uint8_t as[ISA_TYPE_COUNT] = {
        [ISA_TYPE_B8] = ISA_TYPE_U8,   [ISA_TYPE_B16] = ISA_TYPE_U16, [ISA_TYPE_B32] = ISA_TYPE_U32,
        [ISA_TYPE_B64] = ISA_TYPE_U64, [ISA_TYPE_U8] = ISA_TYPE_U8,   [ISA_TYPE_U16] = ISA_TYPE_U16,
        [ISA_TYPE_U32] = ISA_TYPE_U32, [ISA_TYPE_U64] = ISA_TYPE_U64, [ISA_TYPE_S8] = ISA_TYPE_S8,
        [ISA_TYPE_S16] = ISA_TYPE_S16, [ISA_TYPE_S32] = ISA_TYPE_S32, [ISA_TYPE_S64] = ISA_TYPE_S64,
        [ISA_TYPE_F32] = ISA_TYPE_F32, [ISA_TYPE_F64] = ISA_TYPE_F64};
    for (size_t i = 0; i < ISA_TYPE_COUNT; i++)
        if (strlen(isa_types[i].name) == length && memcmp(isa_types[i].name, name, length) == 0)
            return as[i];
    return ISA_TYPE_NONE;
}

static bool read_type(struct cursor *c, uint8_t *type)
{
    const size_t length = span_to(c, "=[");
    *type = type_by_name(rest(c), length);
    if (*type != ISA_TYPE_NONE) {
        c->at += length;
        return true;
    }
    const bool is_half = (length == 3 && starts_with(c, "f16")) || (length == 4 && starts_with(c, "bf16"));
    if (is_half)
        sim_field_error(c->field, c->at, c->at + length, c->diags, "%.*s is passed by its bits, as u16", (int)length,
                        rest(c));
    else if (c->at == 0 && length == c->field->length)
        sim_field_error(c->field, 0, length, c->diags,
                        "'%.*s' is no argument: TYPE=VALUE, TYPE[N]=INIT, @NAME:TYPE[N]=INIT, &I[+BYTES], null, "
                        "bytes[N]=file:PATH, symbol:NAME=INIT or TYPE[N]~numba=INIT",
                        shown(length), rest(c));
    else
        sim_field_error(c->field, c->at, c->at + length, c->diags,
                        "'%.*s' is no type: s8, u8, s16, u16, s32, u32, s64, u64, f32, f64 or b8 to b64", shown(length),
                        rest(c));
    return false;
}

static bool read_count(struct cursor *c, const char *stops, uint64_t *count)
{
    const size_t start = c->at;
    if (!read_number(c, span_to(c, stops), "the number of elements", count))
        return false;
    if (*count > 0)
        return true;
    sim_field_error(c->field, start, c->at, c->diags, "the number of elements must be at least 1");
    return false;
}

/* N], R,C]: what stands between the brackets, and the size in bytes. */
static bool read_counts(struct cursor *c, struct sim_arg *arg)
{
    const size_t start = c->at;
    uint64_t bytes = 0;
    if (!read_count(c, ",]", &arg->rows))
        return false;
    if (skip(c, ",") && !read_count(c, "]", &arg->columns))
        return false;
    if (!expect(c, "]", "the number of elements"))
        return false;
    if (__builtin_mul_overflow(arg->rows, arg->columns ? arg->columns : 1, &arg->count) ||
        __builtin_mul_overflow(arg->count, (uint64_t)isa_types[arg->type].bits / 8, &bytes)) {
        sim_field_error(c->field, start, c->at - 1, c->diags, "so many elements have no size in 64 bits");
        return false;
    }
    return true;
}

/* TYPE[ is read: the rest of a buffer. */
static bool read_buffer(struct cursor *c, struct sim_arg *arg)
{
    const size_t start = c->at;
    if (!read_counts(c, arg))
        return false;
    const size_t end = c->at;
    arg->kind = SIM_ARG_BUFFER;
    if (skip(c, "~")) {
        const size_t length = span_to(c, "=");
        if (length != 5 || !starts_with(c, "numba")) {
            sim_field_error(c->field, c->at, c->at + length, c->diags, "'%.*s' is no calling convention: numba",
                            shown(length), rest(c));
            return false;
        }
        c->at += length;
        arg->kind = SIM_ARG_NUMBA;
    } else if (arg->columns) {
        sim_field_error(c->field, start, end - 1, c->diags, "only a ~numba array has two dimensions");
        return false;
    }
    return expect(c, "=", "the number of elements") && read_init(c, arg->type, &arg->init);
}

static bool read_shared(struct cursor *c, struct sim_arg *arg)
{
    const size_t length = span_to(c, ":");
    if (length == 0) {
        sim_field_error(c->field, c->at, c->at, c->diags, "the shared buffer's name is missing");
        return false;
    }
    arg->name = base_arena_strndup(c->arena, rest(c), length);
    c->at += length;
    if (!expect(c, ":", "the shared buffer's name") || !read_type(c, &arg->type))
        return false;
    return expect(c, "[", "the type: a shared buffer is @NAME:TYPE[N]=INIT") && read_buffer(c, arg);
}

static bool read_pointer(struct cursor *c, struct sim_arg *arg)
{
    uint64_t target = 0;
    const size_t start = c->at;
    arg->kind = SIM_ARG_POINTER;
    if (!read_number(c, span_to(c, "+"), "the argument's number", &target))
        return false;
    if (target > UINT32_MAX) {
        sim_field_error(c->field, start, c->at, c->diags, "the argument's number is too large");
        return false;
    }
    arg->target = (uint32_t)target;
    return !skip(c, "+") || read_number(c, rest_length(c), "the offset", &arg->pointer_offset_bytes);
}

static bool read_bytes(struct cursor *c, struct sim_arg *arg)
{
    arg->kind = SIM_ARG_BYTES;
    arg->type = ISA_TYPE_U8;
    arg->init.kind = SIM_INIT_FILE;
    if (!read_count(c, "]", &arg->count) || !expect(c, "]", "the number of bytes") || !expect(c, "=", "bytes[N]"))
        return false;
    return expect(c, "file:", "bytes[N]=") && read_path(c, &arg->init.path);
}

static bool read_symbol(struct cursor *c, struct sim_arg *arg)
{
    const size_t length = span_to(c, "=");
    arg->kind = SIM_ARG_SYMBOL;
    if (length == 0) {
        sim_field_error(c->field, c->at, c->at, c->diags, "the variable's name is missing");
        return false;
    }
    arg->name = base_arena_strndup(c->arena, rest(c), length);
    c->at += length;
    if (!expect(c, "=", "the variable's name"))
        return false;
    const size_t start = c->at;
    if (!read_init(c, ISA_TYPE_NONE, &arg->init))
        return false;
    if (arg->init.kind != SIM_INIT_NONE)
        return true;
    sim_field_error(c->field, start, c->field->length, c->diags, "a variable cannot be filled with 'none'");
    return false;
}

static bool read_typed(struct cursor *c, struct sim_arg *arg)
{
    char why[96];
    if (!read_type(c, &arg->type))
        return false;
    if (skip(c, "["))
        return read_buffer(c, arg);
    arg->kind = SIM_ARG_SCALAR;
    if (!expect(c, "=", "the type"))
        return false;
    const size_t length = rest_length(c);
    if (length == 0) {
        sim_field_error(c->field, c->at, c->at, c->diags, "the value is missing");
        return false;
    }
    if (sim_value_parse(arg->type, rest(c), length, &arg->value, why, sizeof why))
        return true;
    sim_field_error(c->field, c->at, c->field->length, c->diags, "'%.*s' %s", shown(length), rest(c), why);
    return false;
}

static bool read_arg(struct cursor *c, struct sim_arg *arg)
{
    if (strlen(c->field->text) != c->field->length) {
        sim_field_error(c->field, strlen(c->field->text), c->field->length, c->diags, "a NUL byte in an argument");
        return false;
    }
    if (strcmp(c->field->text, "null") == 0) {
        arg->kind = SIM_ARG_NULL;
        return true;
    }
    if (skip(c, "&"))
        return read_pointer(c, arg);
    if (skip(c, "@"))
        return read_shared(c, arg);
    if (skip(c, "symbol:"))
        return read_symbol(c, arg);
    if (skip(c, "bytes["))
        return read_bytes(c, arg);
    return read_typed(c, arg);
}

enum base_status sim_field_parse_arg(const struct sim_field *field, struct base_arena *arena, struct sim_arg *arg,
                                     struct base_diags *diags)
{
    *arg = (struct sim_arg){.text = field->text, .offset = field->offset, .length = field->span};
    struct cursor c = {.field = field, .arena = arena, .diags = diags};
    const bool ok = read_arg(&c, arg);
    if (arena->failed)
        return BASE_NOMEM;
    return ok ? BASE_OK : BASE_INVALID;
}

enum base_status sim_arg_parse(const struct base_source *source, size_t offset, size_t length, struct base_arena *arena,
                               struct sim_arg *arg, struct base_diags *diags)
{
    const char *text = base_arena_strndup(arena, source->text + offset, length);
    if (!text)
        return BASE_NOMEM;
    const struct sim_field field = {.source = source, .text = text, .length = length, .offset = offset, .span = length};
    return sim_field_parse_arg(&field, arena, arg, diags);
}

enum base_status sim_dim3_parse(const char *text, size_t length, uint32_t dim[3])
{
    dim[0] = dim[1] = dim[2] = 1;
    size_t start = 0;
    for (unsigned axis = 0; axis < 3; axis++) {
        const char *comma = length > start ? memchr(text + start, ',', length - start) : NULL;
        const size_t end = comma ? (size_t)(comma - text) : length;
        const char *why = NULL;
        uint64_t value = 0;
        if (!sim_number_parse(text + start, end - start, &value, &why) || value == 0 || value > INT32_MAX)
            return BASE_INVALID;
        dim[axis] = (uint32_t)value;
        if (!comma)
            return BASE_OK;
        start = end + 1;
    }
    return BASE_INVALID;
}
