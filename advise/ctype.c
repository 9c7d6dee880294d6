/* Type names: C's integer types in any order of their words, and one table for the rest. */
#include "advise/ctype.h"

#include <stdio.h>
#include <string.h>

/* Scalars of one word. A digit 1 to 4 behind a `vector` name makes CUDA's vector of so many. */
struct scalar {
    const char *name;
    uint8_t bytes;
    bool is_integer, is_signed;
};

static const struct scalar scalars[] = {
    {"float", 4, false, true},         {"double", 8, false, true},      {"bool", 1, true, false},
    {"half", 2, false, true},          {"__half", 2, false, true},      {"__nv_bfloat16", 2, false, true},
    {"nv_bfloat16", 2, false, true},   {"bfloat16", 2, false, true},    {"__nv_fp8_e4m3", 1, false, true},
    {"__nv_fp8_e5m2", 1, false, true}, {"int8_t", 1, true, true},       {"uint8_t", 1, true, false},
    {"int16_t", 2, true, true},        {"uint16_t", 2, true, false},    {"int32_t", 4, true, true},
    {"uint32_t", 4, true, false},      {"int64_t", 8, true, true},      {"uint64_t", 8, true, false},
    {"size_t", 8, true, false},        {"ptrdiff_t", 8, true, true},    {"uintptr_t", 8, true, false},
    {"intptr_t", 8, true, true},       {"uchar", 1, true, false},       {"ushort", 2, true, false},
    {"uint", 4, true, false},          {"ulong", 8, true, false},       {"longlong", 8, true, true},
    {"ulonglong", 8, true, false},     {"float16", 2, false, true},     {"float32", 4, false, true},
    {"float64", 8, false, true},       {"int8", 1, true, true},         {"uint8", 1, true, false},
    {"int16", 2, true, true},          {"uint16", 2, true, false},      {"int32", 4, true, true},
    {"uint32", 4, true, false},        {"int64", 8, true, true},        {"uint64", 8, true, false},
    {"complex64", 8, false, true},     {"complex128", 16, false, true},
};

static const struct scalar vectors[] = {
    {"char", 1, true, true},         {"uchar", 1, true, false},  {"short", 2, true, true},
    {"ushort", 2, true, false},      {"int", 4, true, true},     {"uint", 4, true, false},
    {"long", 8, true, true},         {"ulong", 8, true, false},  {"longlong", 8, true, true},
    {"ulonglong", 8, true, false},   {"float", 4, false, true},  {"double", 8, false, true},
    {"half", 2, false, true},        {"__half", 2, false, true}, {"__nv_bfloat16", 2, false, true},
    {"nv_bfloat16", 2, false, true},
};

static const char *const integer_words[] = {"unsigned", "signed", "char", "short", "int", "long"};
static const char *const qualifiers[] = {"const",        "volatile",   "extern",       "static",     "__shared__",
                                         "__restrict__", "__restrict", "__constant__", "__device__", "restrict"};

static const struct scalar *find(const struct scalar *rows, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0)
            return &rows[i];
    }
    return NULL;
}

static bool is_one_of(const struct advise_lexer *lexer, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (advise_at_word(lexer, words[i]))
            return true;
    }
    return false;
}

static bool at_integer_word(const struct advise_lexer *lexer)
{
    return is_one_of(lexer, integer_words, sizeof(integer_words) / sizeof(integer_words[0]));
}

static bool at_qualifier(const struct advise_lexer *lexer)
{
    return is_one_of(lexer, qualifiers, sizeof(qualifiers) / sizeof(qualifiers[0]));
}

/* The row of the word that comes next, and how many components it has. */
static const struct scalar *named_type(const struct advise_lexer *lexer, uint32_t *components)
{
    const char *word = lexer->source->text + lexer->token.offset;
    size_t length = lexer->token.length;
    if (lexer->token.kind != ADVISE_WORD)
        return NULL;
    *components = 1;
    const struct scalar *row = find(scalars, sizeof(scalars) / sizeof(scalars[0]), word, length);
    if (!row && length > 1 && word[length - 1] >= '1' && word[length - 1] <= '4') {
        *components = (uint32_t)(word[length - 1] - '0');
        row = find(vectors, sizeof(vectors) / sizeof(vectors[0]), word, length - 1);
    }
    return row;
}

bool advise_at_type(const struct advise_lexer *lexer)
{
    uint32_t components;
    return at_integer_word(lexer) || at_qualifier(lexer) || named_type(lexer, &components) != NULL;
}

/* unsigned long long int and its kin: how often each of integer_words[] was there. */
static bool parse_integer(struct advise_lexer *lexer, struct advise_ctype *type)
{
    struct advise_token first = lexer->token;
    unsigned count[sizeof(integer_words) / sizeof(integer_words[0])] = {0};
    size_t length = 0;
    while (at_integer_word(lexer)) {
        for (size_t i = 0; i < sizeof(integer_words) / sizeof(integer_words[0]); i++)
            count[i] += advise_at_word(lexer, integer_words[i]);
        if (length < sizeof(type->name))
            length +=
                (size_t)snprintf(type->name + length, sizeof(type->name) - length, "%s%.*s", length > 0 ? " " : "",
                                 (int)lexer->token.length, lexer->source->text + lexer->token.offset);
        advise_next(lexer);
    }
    unsigned is_unsigned = count[0], is_signed = count[1], chars = count[2], shorts = count[3], ints = count[4],
             longs = count[5];
    if (is_unsigned + is_signed > 1 || chars + shorts > 1 || ints > 1 || longs > 2 || (chars > 0 && ints + longs > 0) ||
        (shorts > 0 && longs > 0))
        return advise_complain(lexer, first, "these words make no type");
    type->bytes = chars ? 1 : shorts ? 2 : longs ? 8 : 4;
    type->is_integer = true;
    type->is_signed = !is_unsigned;
    return true;
}

bool advise_type_parse(struct advise_lexer *lexer, struct advise_ctype *type)
{
    *type = (struct advise_ctype){.components = 1};
    while (at_qualifier(lexer))
        advise_next(lexer);
    uint32_t components = 1;
    const struct scalar *row = named_type(lexer, &components);
    if (row) {
        snprintf(type->name, sizeof(type->name), "%.*s", (int)lexer->token.length,
                 lexer->source->text + lexer->token.offset);
        type->bytes = row->bytes;
        type->components = components;
        type->is_integer = row->is_integer && components == 1;
        type->is_signed = row->is_signed;
        advise_next(lexer);
    } else if (at_integer_word(lexer)) {
        if (!parse_integer(lexer, type))
            return false;
    } else {
        return advise_complain(lexer, lexer->token, "expected a type such as float, int or double2 before %s",
                               advise_quote_of(lexer, lexer->token).text);
    }
    type->component_bytes = type->bytes;
    type->bytes *= type->components;
    /* Three components have no alignment of their own; four of eight bytes have that of 16 bytes. */
    type->align_bytes = type->components == 3 ? type->component_bytes : type->bytes > 16 ? 16 : type->bytes;
    while (at_qualifier(lexer))
        advise_next(lexer);
    return true;
}
