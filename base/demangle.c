/* The demangler: one function for each production of the ABI's grammar
 * (https://itanium-cxx-abi.github.io/cxx-abi/abi.html, "External Names").
 *
 * A type is written around what it is the type of: int (*f)(char) has one part left of f and one right of it, so every
 * parsed thing is a pair of strings in an arena. A production that fails sets nothing but `failed`, and the whole name
 * stays mangled. What bounds hostile names: MANGLED_MAX bytes of input, TEXT_MAX bytes of any string, ARENA_BYTES of
 * all, DEPTH_MAX productions inside one another. */
#include "base/demangle.h"

#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    MANGLED_MAX = 8192,
    TEXT_MAX = 16384,
    ARENA_BYTES = 4 << 20,
    DEPTH_MAX = 200,
    SUBS_MAX = 1024,
    ITEMS_MAX = 1024,
};

enum kind { PLAIN, FUNCTION, ARRAY };

struct item {
    const char *left, *right; /* right of a type: what stands behind the declared thing */
    const char *last;         /* of a name: its last part without template arguments, for constructors */
    enum kind kind;
    char reference;           /* '&', 'R' for &&, 0 */
    bool simple;              /* of an expression: a name, which needs no parentheses */
    const struct items *pack; /* a template argument that stands for any number of them */
};

struct items {
    struct item *data;
    unsigned count, capacity;
};

struct demangler {
    const char *at, *end;
    struct base_arena arena;
    struct item subs[SUBS_MAX];
    unsigned sub_count;
    const struct items *args; /* the template arguments that T_ names */
    unsigned depth;
    int pack_index; /* inside a pack expansion: which element; -1: outside */
    int pack_size;  /* of the packs seen in the expansion; -1: none yet */
    bool failed;
};

static struct item parse_type(struct demangler *d);
static struct item parse_encoding(struct demangler *d, bool tells_result);
static struct item parse_expression(struct demangler *d);
static struct item parse_name(struct demangler *d, bool *is_template, char qualifiers[32]);

static struct item fail(struct demangler *d)
{
    d->failed = true;
    d->at = d->end;
    return (struct item){.left = "", .right = "", .last = ""};
}

static bool enter(struct demangler *d)
{
    if (++d->depth > DEPTH_MAX)
        (void)fail(d);
    return !d->failed;
}

/* ---- Texts ---- */

/* Up to four strings, one after another. */
static const char *join(struct demangler *d, const char *a, const char *b, const char *c, const char *e)
{
    const char *const parts[4] = {a, b, c, e};
    size_t length = 0, lengths[4];
    for (unsigned i = 0; i < 4; i++)
        length += lengths[i] = strlen(parts[i]);
    char *text = length <= TEXT_MAX ? base_arena_alloc(&d->arena, length + 1, 1) : NULL;
    if (!text) {
        (void)fail(d);
        return "";
    }
    for (unsigned i = 0, n = 0; i < 4; n += (unsigned)lengths[i++])
        memcpy(text + n, parts[i], lengths[i]);
    return text;
}

static void push(struct demangler *d, struct items *items, struct item item)
{
    if (items->count == items->capacity) {
        unsigned capacity = items->capacity ? 2 * items->capacity : 4;
        struct item *data = capacity <= ITEMS_MAX ? base_arena_alloc(&d->arena, capacity, sizeof(*data)) : NULL;
        if (!data) {
            (void)fail(d);
            return;
        }
        if (items->count > 0)
            memcpy(data, items->data, items->count * sizeof(*data));
        items->data = data;
        items->capacity = capacity;
    }
    items->data[items->count++] = item;
}

static struct item plain(const char *text)
{
    return (struct item){.left = text, .right = "", .last = text};
}

static const char *whole(struct demangler *d, const struct item *item)
{
    return *item->right ? join(d, item->left, item->right, "", "") : item->left;
}

/* "a, b, c"; packs are told by their elements. */
static const char *list(struct demangler *d, const struct items *items)
{
    const char *text = "";
    for (unsigned i = 0; i < items->count && !d->failed; i++) {
        const struct item *item = &items->data[i];
        const char *one = item->pack ? list(d, item->pack) : whole(d, item);
        if (*one)
            text = join(d, text, *text ? ", " : "", one, "");
    }
    return text;
}

static const char *angle(struct demangler *d, const struct items *args)
{
    const char *inner = list(d, args);
    size_t length = strlen(inner);
    return join(d, "<", inner, length > 0 && inner[length - 1] == '>' ? " >" : ">", "");
}

/* ---- Characters ---- */

static char peek(const struct demangler *d)
{
    return d->at < d->end ? *d->at : '\0';
}

static char peek_second(const struct demangler *d)
{
    return d->end - d->at > 1 ? d->at[1] : '\0';
}

static bool take(struct demangler *d, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(d->end - d->at) < length || memcmp(d->at, word, length) != 0)
        return false;
    d->at += length;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static unsigned parse_number(struct demangler *d)
{
    unsigned value = 0;
    if (!is_digit(peek(d)))
        (void)fail(d);
    while (is_digit(peek(d))) {
        value = value * 10 + (unsigned)(*d->at++ - '0');
        if (value > 1000000)
            (void)fail(d);
    }
    return value;
}

/* "_" is 0, "N_" is N + 1; a sequence number has base 36. */
static unsigned parse_index(struct demangler *d, unsigned base)
{
    unsigned value = 0;
    if (take(d, "_"))
        return 0;
    while (!d->failed && !take(d, "_")) {
        char c = peek(d);
        unsigned digit = is_digit(c)                         ? (unsigned)(c - '0')
                         : base > 10 && c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A' + 10)
                                                             : 99;
        if (digit >= base || value > 1000000) {
            (void)fail(d);
            break;
        }
        value = value * base + digit;
        d->at++;
    }
    return value + 1;
}

/* ---- Substitutions and template arguments ---- */

static void remember(struct demangler *d, struct item item)
{
    if (d->sub_count < SUBS_MAX)
        d->subs[d->sub_count++] = item;
    else
        (void)fail(d);
}

static struct item parse_substitution(struct demangler *d)
{
    static const struct {
        const char *code, *text, *last;
    } known[] = {
        {"Sa", "std::allocator", "allocator"},
        {"Sb", "std::basic_string", "basic_string"},
        {"Ss", "std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "basic_string"},
        {"Si", "std::basic_istream<char, std::char_traits<char> >", "basic_istream"},
        {"So", "std::basic_ostream<char, std::char_traits<char> >", "basic_ostream"},
        {"Sd", "std::basic_iostream<char, std::char_traits<char> >", "basic_iostream"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (take(d, known[i].code)) {
            struct item item = plain(known[i].text);
            item.last = known[i].last;
            return item;
        }
    if (!take(d, "S"))
        return fail(d);
    unsigned index = parse_index(d, 36);
    return index < d->sub_count ? d->subs[index] : fail(d);
}

static struct item parse_template_param(struct demangler *d)
{
    if (!take(d, "T"))
        return fail(d);
    unsigned index = parse_index(d, 10);
    if (d->failed || !d->args || index >= d->args->count)
        return fail(d);
    struct item item = d->args->data[index];
    if (!item.pack || d->pack_index < 0)
        return item;
    d->pack_size = (int)item.pack->count;
    if ((unsigned)d->pack_index < item.pack->count)
        return item.pack->data[d->pack_index];
    return plain("");
}

static struct item parse_literal(struct demangler *d);

/* I arg... E, and J arg... E for a pack. The list is made while T_ still names the outer ones. */
static const struct items *parse_args(struct demangler *d)
{
    struct items *args = base_arena_alloc(&d->arena, 1, sizeof(*args));
    if (!args || !enter(d)) {
        (void)fail(d);
        return NULL;
    }
    while (!d->failed && !take(d, "E")) {
        struct item arg;
        if (take(d, "J")) {
            arg = plain("");
            arg.pack = parse_args(d);
        } else if (take(d, "X")) {
            arg = parse_expression(d);
            if (!take(d, "E"))
                (void)fail(d);
        } else {
            arg = peek(d) == 'L' ? parse_literal(d) : parse_type(d);
        }
        push(d, args, arg);
        if (d->at == d->end)
            (void)fail(d);
    }
    d->depth--;
    return d->failed ? NULL : args;
}

static struct item with_args(struct demangler *d, struct item name, const struct items *args)
{
    if (args)
        name.left = join(d, name.left, angle(d, args), "", "");
    return name;
}

/* ---- Names ---- */

static const struct operator_name {
    const char *code, *text;
    unsigned arity; /* in expressions; 0: not there */
} operators[] = {
    {"nw", " new", 0}, {"na", " new[]", 0}, {"dl", " delete", 0}, {"da", " delete[]", 0}, {"ps", "+", 1},
    {"ng", "-", 1},    {"ad", "&", 1},      {"de", "*", 1},       {"co", "~", 1},         {"pl", "+", 2},
    {"mi", "-", 2},    {"ml", "*", 2},      {"dv", "/", 2},       {"rm", "%", 2},         {"an", "&", 2},
    {"or", "|", 2},    {"eo", "^", 2},      {"aS", "=", 2},       {"pL", "+=", 2},        {"mI", "-=", 2},
    {"mL", "*=", 2},   {"dV", "/=", 2},     {"rM", "%=", 2},      {"aN", "&=", 2},        {"oR", "|=", 2},
    {"eO", "^=", 2},   {"ls", "<<", 2},     {"rs", ">>", 2},      {"lS", "<<=", 2},       {"rS", ">>=", 2},
    {"eq", "==", 2},   {"ne", "!=", 2},     {"lt", "<", 2},       {"gt", ">", 2},         {"le", "<=", 2},
    {"ge", ">=", 2},   {"ss", "<=>", 2},    {"nt", "!", 1},       {"aa", "&&", 2},        {"oo", "||", 2},
    {"pp", "++", 0},   {"mm", "--", 0},     {"cm", ",", 2},       {"pm", "->*", 2},       {"pt", "->", 0},
    {"cl", "()", 0},   {"ix", "[]", 0},
};

static const struct operator_name *find_operator(struct demangler *d)
{
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
        if (take(d, operators[i].code))
            return &operators[i];
    return NULL;
}

static struct item parse_source_name(struct demangler *d)
{
    unsigned length = parse_number(d);
    if (d->failed || length == 0 || length > (size_t)(d->end - d->at))
        return fail(d);
    const char *name = d->at;
    d->at += length;
    if (length > 10 && memcmp(name, "_GLOBAL_", 8) == 0 && strchr("._$", name[8]) && name[9] == 'N')
        return plain("(anonymous namespace)");
    char *copy = base_arena_strndup(&d->arena, name, length);
    return copy ? plain(copy) : fail(d);
}

/* "(int, float)" of a bare function type: up to E, to a function's own & or &&, or to the end. */
static const char *parse_parameters(struct demangler *d)
{
    struct items types = {0};
    if (take(d, "v"))
        return "()";
    while (d->at < d->end && peek(d) != 'E' && !(strchr("RO", peek(d)) && peek_second(d) == 'E'))
        push(d, &types, parse_type(d));
    if (types.count == 0)
        (void)fail(d);
    return join(d, "(", list(d, &types), ")", "");
}

/* Lambdas and unnamed types, behind U. */
static struct item parse_unnamed(struct demangler *d)
{
    char number[40];
    const char *what = "{unnamed type#", *parameters = "";
    if (take(d, "l")) {
        what = "{lambda";
        parameters = parse_parameters(d);
        if (!take(d, "E"))
            return fail(d);
    } else if (!take(d, "t")) {
        return fail(d);
    }
    snprintf(number, sizeof(number), "%s%u}", *parameters ? "#" : "", parse_index(d, 10) + 1);
    return plain(join(d, what, parameters, number, ""));
}

/* `scope`: the name so far; its last part names a constructor. */
static struct item parse_unqualified(struct demangler *d, const struct item *scope)
{
    struct item item;
    (void)take(d, "L"); /* internal linkage */
    if (is_digit(peek(d))) {
        item = parse_source_name(d);
    } else if (peek(d) == 'C' && scope && is_digit(peek_second(d))) {
        d->at += 2;
        item = plain(scope->last);
    } else if (peek(d) == 'D' && scope && is_digit(peek_second(d))) {
        d->at += 2;
        item = plain(join(d, "~", scope->last, "", ""));
    } else if (take(d, "U")) {
        item = parse_unnamed(d);
    } else if (take(d, "cv")) {
        struct item type = parse_type(d);
        item = plain(join(d, "operator ", whole(d, &type), "", ""));
    } else if (take(d, "li")) {
        struct item suffix = parse_source_name(d);
        item = plain(join(d, "operator\"\" ", suffix.left, "", ""));
    } else {
        const struct operator_name *known = find_operator(d);
        item = known ? plain(join(d, "operator", known->text, "", "")) : fail(d);
    }
    while (take(d, "B")) {
        struct item tag = parse_source_name(d);
        item.left = join(d, item.left, "[abi:", tag.left, "]");
    }
    return item;
}

/* What a nested name is made of so far, and whether it ends with template arguments. */
static struct item parse_nested(struct demangler *d, bool *is_template, char qualifiers[32])
{
    struct item name = plain("");
    const struct items *outer = d->args, *args = outer;
    bool any = false;
    char *q = qualifiers;
    q[0] = '\0';
    if (take(d, "r"))
        q += snprintf(q, 16, " restrict");
    if (take(d, "V"))
        q += snprintf(q, 16, " volatile");
    if (take(d, "K"))
        q += snprintf(q, 16, " const");
    if (take(d, "R"))
        snprintf(q, 4, " &");
    else if (take(d, "O"))
        snprintf(q, 4, " &&");
    while (!d->failed && !take(d, "E")) {
        bool known = false; /* a substitution of what came before, no new candidate */
        *is_template = false;
        if (peek(d) == 'S' && take(d, "St")) {
            name = plain("std");
            known = true;
        } else if (peek(d) == 'S' && !any) {
            name = parse_substitution(d);
            known = true;
        } else if (peek(d) == 'T' && !any) {
            name = parse_template_param(d);
        } else if (peek(d) == 'D' && !any && (peek_second(d) == 't' || peek_second(d) == 'T')) {
            name = parse_type(d);
            known = true;
        } else if (take(d, "I")) {
            args = any ? parse_args(d) : NULL;
            if (!args)
                return fail(d);
            name = with_args(d, name, args);
            *is_template = true;
        } else {
            struct item part = parse_unqualified(d, any ? &name : NULL);
            const char *scope = whole(d, &name);
            name = (struct item){
                .left = any ? join(d, scope, "::", part.left, "") : part.left, .right = "", .last = part.last};
        }
        any = true;
        if (!known && peek(d) != 'E')
            remember(d, name);
    }
    d->args = args;
    return any && !d->failed ? name : fail(d);
}

/* Z encoding E name: what is declared inside a function. */
static struct item parse_local(struct demangler *d, bool *is_template, char qualifiers[32])
{
    const struct items *outer = d->args;
    struct item function = parse_encoding(d, false);
    if (!take(d, "E"))
        return fail(d);
    d->args = outer;
    if (take(d, "s")) {
        *is_template = false;
        return plain(join(d, whole(d, &function), "::string literal", "", ""));
    }
    if (take(d, "d"))
        (void)parse_index(d, 10);
    struct item inner = parse_name(d, is_template, qualifiers);
    if (take(d, "__")) {
        (void)parse_number(d);
        (void)take(d, "_");
    } else if (peek(d) == '_' && is_digit(peek_second(d))) {
        d->at += 2;
    }
    inner.left = join(d, whole(d, &function), "::", inner.left, "");
    return inner;
}

/* A name; `is_template`: it ends with template arguments, so that its function's type begins with the result.
 * `qualifiers`: those of a member function. */
static struct item parse_name(struct demangler *d, bool *is_template, char qualifiers[32])
{
    struct item name;
    bool substituted = false;
    *is_template = false;
    qualifiers[0] = '\0';
    if (!enter(d))
        return fail(d);
    if (take(d, "N")) {
        name = parse_nested(d, is_template, qualifiers);
        d->depth--;
        return name;
    }
    if (take(d, "Z")) {
        name = parse_local(d, is_template, qualifiers);
        d->depth--;
        return name;
    }
    if (take(d, "St")) {
        struct item part = parse_unqualified(d, NULL);
        name = (struct item){.left = join(d, "std::", part.left, "", ""), .right = "", .last = part.last};
    } else if (peek(d) == 'S') {
        name = parse_substitution(d);
        substituted = true;
    } else {
        name = parse_unqualified(d, NULL);
    }
    if (take(d, "I")) {
        if (!substituted)
            remember(d, name);
        const struct items *args = parse_args(d);
        name = with_args(d, name, args);
        d->args = args;
        *is_template = true;
    } else if (substituted) {
        name = fail(d); /* a name alone is never one that stood before */
    }
    d->depth--;
    return name;
}

/* ---- Types ---- */

static const char *builtin(struct demangler *d)
{
    static const struct {
        const char *code, *text;
    } types[] = {
        {"v", "void"},
        {"w", "wchar_t"},
        {"b", "bool"},
        {"c", "char"},
        {"a", "signed char"},
        {"h", "unsigned char"},
        {"s", "short"},
        {"t", "unsigned short"},
        {"i", "int"},
        {"j", "unsigned int"},
        {"l", "long"},
        {"m", "unsigned long"},
        {"x", "long long"},
        {"y", "unsigned long long"},
        {"n", "__int128"},
        {"o", "unsigned __int128"},
        {"f", "float"},
        {"d", "double"},
        {"e", "long double"},
        {"g", "__float128"},
        {"z", "..."},
        {"Dd", "decimal64"},
        {"De", "decimal128"},
        {"Df", "decimal32"},
        {"Dh", "half"},
        {"Di", "char32_t"},
        {"Ds", "char16_t"},
        {"Du", "char8_t"},
        {"Da", "auto"},
        {"Dc", "decltype(auto)"},
        {"Dn", "decltype(nullptr)"},
        {"DF16b", "std::bfloat16_t"},
        {"DF16_", "_Float16"},
        {"DF32_", "_Float32"},
        {"DF64_", "_Float64"},
        {"DF128_", "_Float128"},
    };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (take(d, types[i].code))
            return types[i].text;
    return NULL;
}

/* What is put to the declared thing's left: "*", "&", "A::*". Functions and arrays need parentheses for it. */
static struct item point(struct demangler *d, struct item to, const char *mark)
{
    bool parentheses = to.kind != PLAIN;
    const char *open = !parentheses ? "" : to.kind == ARRAY ? " (" : "(";
    to.left = join(d, to.left, open, mark, "");
    if (parentheses)
        to.right = join(d, ")", to.right, "", "");
    to.kind = PLAIN;
    to.reference = 0;
    return to;
}

static struct item parse_reference(struct demangler *d, bool is_rvalue)
{
    struct item to = parse_type(d);
    if (d->failed || to.reference == '&' || (to.reference == 'R' && is_rvalue))
        return to; /* a reference to a reference is one */
    if (to.reference == 'R') {
        to.left = base_arena_strndup(&d->arena, to.left, strlen(to.left) - 1); /* && and & are & */
        if (!to.left)
            return fail(d);
    } else {
        to = point(d, to, is_rvalue ? "&&" : "&");
    }
    to.reference = is_rvalue ? 'R' : '&';
    return to;
}

static struct item parse_qualified(struct demangler *d)
{
    const char *words = "";
    for (; strchr("rVK", peek(d)) && peek(d) != '\0'; d->at++)
        words = join(d, peek(d) == 'K' ? " const" : peek(d) == 'V' ? " volatile" : " restrict", words, "", "");
    struct item type = parse_type(d);
    if (type.kind == FUNCTION)
        type.right = join(d, type.right, words, "", "");
    else if (type.reference == 0)
        type.left = join(d, type.left, words, "", "");
    return type;
}

static struct item parse_function(struct demangler *d)
{
    (void)take(d, "Y"); /* extern "C" */
    struct item result = parse_type(d);
    const char *parameters = parse_parameters(d), *mark = take(d, "R") ? " &" : take(d, "O") ? " &&" : "";
    if (!take(d, "E"))
        return fail(d);
    struct item type = {.kind = FUNCTION, .last = ""};
    type.left = join(d, result.left, *result.right ? "" : " ", "", "");
    type.right = join(d, parameters, mark, result.right, "");
    return type;
}

static struct item parse_array(struct demangler *d)
{
    const char *size = "";
    if (is_digit(peek(d))) {
        char number[16];
        snprintf(number, sizeof(number), "%u", parse_number(d));
        size = join(d, number, "", "", "");
    } else if (peek(d) != '_') {
        struct item expression = parse_expression(d);
        size = whole(d, &expression);
    }
    if (!take(d, "_"))
        return fail(d);
    struct item element = parse_type(d);
    const char *rest = element.kind == ARRAY ? element.right + 1 : element.right;
    element.right = join(d, " [", size, "]", rest);
    element.kind = ARRAY;
    return element;
}

static struct item parse_member_pointer(struct demangler *d)
{
    struct item scope = parse_type(d), member = parse_type(d);
    const char *mark = join(d, member.kind == PLAIN ? " " : "", whole(d, &scope), "::*", "");
    return point(d, member, mark);
}

static struct item parse_vector(struct demangler *d)
{
    char suffix[40];
    unsigned count = parse_number(d);
    if (!take(d, "_"))
        return fail(d);
    struct item element = parse_type(d);
    snprintf(suffix, sizeof(suffix), " __vector(%u)", count);
    element.left = join(d, element.left, suffix, "", "");
    return element;
}

/* Dp: the pattern once for each element of the packs in it. */
static struct item parse_expansion(struct demangler *d)
{
    struct items *items = base_arena_alloc(&d->arena, 1, sizeof(*items));
    const char *pattern = d->at;
    unsigned subs = d->sub_count;
    if (!items || d->pack_index >= 0)
        return fail(d);
    d->pack_size = -1;
    d->pack_index = 0;
    struct item first = parse_type(d);
    int size = d->pack_size;
    if (size < 0)
        return fail(d); /* no pack in it */
    if (size > 0)
        push(d, items, first);
    for (int i = 1; i < size && !d->failed; i++) {
        d->at = pattern;
        d->sub_count = subs;
        d->pack_index = i;
        push(d, items, parse_type(d));
    }
    d->pack_index = -1;
    struct item item = plain("");
    item.pack = items;
    return item;
}

/* A class, an enumeration, or a template parameter with arguments. */
static struct item parse_named(struct demangler *d)
{
    bool is_template;
    char qualifiers[32];
    const struct items *outer = d->args;
    struct item type;
    if (peek(d) == 'T') {
        type = parse_template_param(d);
        remember(d, type);
        if (!take(d, "I"))
            return type;
        type = with_args(d, type, parse_args(d));
    } else if (peek(d) == 'S' && peek_second(d) != 't') {
        type = parse_substitution(d);
        if (!take(d, "I"))
            return type;
        type = with_args(d, type, parse_args(d));
    } else {
        type = parse_name(d, &is_template, qualifiers);
    }
    d->args = outer;
    remember(d, type);
    return type;
}

static struct item parse_other(struct demangler *d)
{
    if (take(d, "P"))
        return point(d, parse_type(d), "*");
    if (take(d, "R"))
        return parse_reference(d, false);
    if (take(d, "O"))
        return parse_reference(d, true);
    if (take(d, "F"))
        return parse_function(d);
    if (take(d, "A"))
        return parse_array(d);
    if (take(d, "M"))
        return parse_member_pointer(d);
    if (take(d, "Dv"))
        return parse_vector(d);
    if (take(d, "Dp"))
        return parse_expansion(d);
    if (take(d, "Dt") || take(d, "DT")) {
        struct item expression = parse_expression(d);
        if (!take(d, "E"))
            return fail(d);
        return plain(join(d, "decltype (", whole(d, &expression), ")", ""));
    }
    if (take(d, "U")) { /* a vendor's qualifier, as clang's address spaces */
        struct item word = parse_source_name(d), type = parse_type(d);
        type.left = join(d, type.left, " ", word.left, "");
        return type;
    }
    if (take(d, "u"))
        return parse_source_name(d);
    if (peek(d) != '\0' && strchr("rVK", peek(d)))
        return parse_qualified(d);
    return fail(d);
}

static struct item parse_type(struct demangler *d)
{
    struct item type;
    char c = peek(d);
    if (!enter(d))
        return fail(d);
    const char *known = builtin(d);
    if (known) {
        type = plain(known);
    } else if (is_digit(c) || c == 'N' || c == 'Z' || c == 'T' || c == 'S') {
        type = parse_named(d);
    } else {
        type = parse_other(d);
        if (!d->failed)
            remember(d, type);
    }
    d->depth--;
    return type;
}

/* ---- Expressions ---- */

/* L type value E, L _Z encoding E. */
static struct item parse_literal(struct demangler *d)
{
    static const struct {
        const char *type, *suffix;
    } plain_ones[] = {{"int", ""},         {"unsigned int", "u"},        {"long", "l"}, {"unsigned long", "ul"},
                      {"long long", "ll"}, {"unsigned long long", "ull"}};
    if (!take(d, "L"))
        return fail(d);
    if (take(d, "_Z")) {
        const struct items *outer = d->args;
        struct item named = parse_encoding(d, true);
        d->args = outer;
        bool is_variable = named.simple;
        named = plain(whole(d, &named));
        named.simple = is_variable;
        return take(d, "E") ? named : fail(d);
    }
    struct item type = parse_type(d);
    const char *name = whole(d, &type), *minus = take(d, "n") ? "-" : "", *digits = d->at;
    while (peek(d) != '\0' && peek(d) != 'E')
        d->at++;
    const char *value = base_arena_strndup(&d->arena, digits, (size_t)(d->at - digits));
    if (!value || !take(d, "E"))
        return fail(d);
    if (strcmp(name, "bool") == 0 && (strcmp(value, "0") == 0 || strcmp(value, "1") == 0))
        return plain(*value == '1' ? "true" : "false");
    for (size_t i = 0; i < sizeof(plain_ones) / sizeof(plain_ones[0]); i++)
        if (strcmp(name, plain_ones[i].type) == 0)
            return plain(join(d, minus, value, plain_ones[i].suffix, ""));
    bool is_real = strcmp(name, "float") == 0 || strcmp(name, "double") == 0 || strcmp(name, "long double") == 0;
    const char *cast = join(d, "(", name, ")", minus);
    return plain(is_real ? join(d, cast, "[", value, "]") : join(d, cast, value, "", ""));
}

/* An operand in parentheses, unless it is a name. */
static const char *parse_operand(struct demangler *d)
{
    struct item operand = parse_expression(d);
    return operand.simple ? whole(d, &operand) : join(d, "(", whole(d, &operand), ")", "");
}

static struct item parse_simple_id(struct demangler *d)
{
    struct item name = parse_unqualified(d, NULL);
    return take(d, "I") ? with_args(d, name, parse_args(d)) : name;
}

static const char *scoped(struct demangler *d, const char *scope, struct item name)
{
    return *scope ? join(d, scope, "::", name.left, "") : name.left;
}

/* Behind sr: N type level... E name, level... E name, or in older names type name. */
static struct item parse_scoped(struct demangler *d)
{
    const char *scope = "", *start = d->at;
    unsigned subs = d->sub_count;
    bool has_type = take(d, "N");
    if (has_type) {
        struct item type = parse_type(d);
        scope = whole(d, &type);
    }
    while (is_digit(peek(d)))
        scope = scoped(d, scope, parse_simple_id(d));
    bool is_old = !has_type && (!take(d, "E") || !is_digit(peek(d)));
    if (has_type && !take(d, "E"))
        return fail(d);
    if (is_old && !d->failed) {
        d->at = start;
        d->sub_count = subs;
        struct item type = parse_type(d);
        scope = whole(d, &type);
    }
    struct item name = plain(scoped(d, scope, parse_simple_id(d)));
    name.simple = true;
    return name;
}

static struct item parse_call(struct demangler *d)
{
    struct item function = parse_expression(d);
    struct items args = {0};
    const char *name = whole(d, &function);
    /* A function stands there with its parameters' types. */
    const char *called = *name == '(' ? name : base_arena_strndup(&d->arena, name, strcspn(name, "("));
    while (!d->failed && !take(d, "E")) {
        push(d, &args, parse_expression(d));
        if (d->at == d->end)
            return fail(d);
    }
    return called ? plain(join(d, called, "(", list(d, &args), ")")) : fail(d);
}

static struct item parse_operation(struct demangler *d)
{
    const struct operator_name *known = find_operator(d);
    if (!known || known->arity == 0)
        return fail(d);
    const char *first = parse_operand(d);
    if (known->arity == 1)
        return plain(join(d, known->text, first, "", ""));
    const char *second = parse_operand(d), *text = join(d, first, known->text, second, "");
    /* A bare > would end the template arguments that it stands in. */
    return plain(strcmp(known->text, ">") == 0 ? join(d, "(", text, ")", "") : text);
}

/* The size of a pack: sizeof...(T). */
static struct item parse_pack_size(struct demangler *d)
{
    char number[16];
    struct item pack = peek(d) == 'T' ? parse_template_param(d) : fail(d);
    if (!pack.pack)
        return fail(d);
    snprintf(number, sizeof(number), "%u", pack.pack->count);
    return plain(join(d, number, "", "", ""));
}

static struct item parse_function_parameter(struct demangler *d)
{
    char number[32];
    while (peek(d) != '\0' && strchr("rVK", peek(d)))
        d->at++;
    bool is_this = take(d, "T");
    snprintf(number, sizeof(number), "{parm#%u}", is_this ? 0 : parse_index(d, 10) + 1);
    struct item item = plain(is_this ? "this" : join(d, number, "", "", ""));
    item.simple = true;
    return item;
}

static struct item parse_expression(struct demangler *d)
{
    struct item item;
    if (!enter(d))
        return fail(d);
    if (peek(d) == 'L') {
        item = parse_literal(d);
    } else if (peek(d) == 'T') {
        item = parse_template_param(d);
    } else if (is_digit(peek(d))) {
        item = parse_source_name(d);
        item.simple = true;
        if (take(d, "I"))
            item = with_args(d, item, parse_args(d));
    } else if (take(d, "fp")) {
        item = parse_function_parameter(d);
    } else if (take(d, "sr")) {
        item = parse_scoped(d);
    } else if (take(d, "st")) {
        struct item type = parse_type(d);
        item = plain(join(d, "sizeof (", whole(d, &type), ")", ""));
    } else if (take(d, "sz")) {
        item = plain(join(d, "sizeof ", parse_operand(d), "", ""));
    } else if (take(d, "sZ")) {
        item = parse_pack_size(d);
    } else if (take(d, "cv")) {
        struct item type = parse_type(d);
        const char *name = whole(d, &type);
        item = plain(join(d, "(", name, ")", parse_operand(d)));
    } else if (take(d, "cl")) {
        item = parse_call(d);
    } else if (take(d, "qu")) {
        const char *first = parse_operand(d), *second = parse_operand(d);
        item = plain(join(d, join(d, first, "?", second, " : "), parse_operand(d), "", ""));
    } else {
        item = parse_operation(d);
    }
    d->depth--;
    return item;
}

/* ---- A whole name ---- */

/* A function's name with parameters and, for a template, the result; a variable's name. */
static struct item parse_encoding(struct demangler *d, bool tells_result)
{
    bool is_template = false;
    char qualifiers[32];
    if (!enter(d))
        return fail(d);
    struct item name = parse_name(d, &is_template, qualifiers);
    d->depth--;
    if (d->failed || d->at == d->end || peek(d) == 'E') {
        name.simple = true; /* a variable */
        return name;
    }
    struct item result = {.left = "", .right = "", .last = ""};
    if (is_template) {
        result = parse_type(d);
        result.left = join(d, result.left, *result.right ? "" : " ", "", "");
    }
    const char *parameters = parse_parameters(d);
    name.left = join(d, tells_result ? result.left : "", whole(d, &name), parameters, qualifiers);
    name.right = tells_result ? result.right : "";
    name.simple = false;
    return name;
}

void base_demangle(const char *name, struct base_strbuf *out)
{
    size_t length = strnlen(name, MANGLED_MAX + 1);
    struct demangler d = {.at = name + 2, .end = name + length, .pack_index = -1, .pack_size = -1};
    if (length < 3 || length > MANGLED_MAX || strncmp(name, "_Z", 2) != 0) {
        base_strbuf_puts(out, name);
        return;
    }
    base_arena_init(&d.arena, ARENA_BYTES);
    struct item item = parse_encoding(&d, true);
    const char *text = whole(&d, &item);
    base_strbuf_puts(out, d.failed || d.at != d.end ? name : text);
    base_arena_free(&d.arena);
}
