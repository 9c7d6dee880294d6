/* The parser of index expressions: precedence climbing over the operators' table; types are C's and known here already.
 *
 * advise_expr_parse() -> parse_binary() -> parse_unary() -> parse_primary() -> advise_expr_parse(). */
#include "advise/ctype.h"
#include "advise/expr_node.h"

#include <limits.h>
#include <string.h>

struct parser {
    struct advise_lexer *lexer;
    const struct advise_scope *scope;
    struct base_arena *arena;
    uint32_t depth;
};

struct binary {
    uint32_t sign;
    enum advise_op op;
    unsigned precedence; /* higher binds tighter */
};

static const struct binary binaries[] = {
    {'*', ADVISE_MUL, 10},
    {'/', ADVISE_DIV, 10},
    {'%', ADVISE_MOD, 10},
    {'+', ADVISE_ADD, 9},
    {'-', ADVISE_SUB, 9},
    {ADVISE_SIGN2('<', '<'), ADVISE_SHL, 8},
    {ADVISE_SIGN2('>', '>'), ADVISE_SHR, 8},
    {'<', ADVISE_LT, 7},
    {'>', ADVISE_GT, 7},
    {ADVISE_SIGN2('<', '='), ADVISE_LE, 7},
    {ADVISE_SIGN2('>', '='), ADVISE_GE, 7},
    {ADVISE_SIGN2('=', '='), ADVISE_EQ, 6},
    {ADVISE_SIGN2('!', '='), ADVISE_NE, 6},
    {'&', ADVISE_AND, 5},
    {'^', ADVISE_XOR, 4},
    {'|', ADVISE_OR, 3},
    {ADVISE_SIGN2('&', '&'), ADVISE_LAND, 2},
    {ADVISE_SIGN2('|', '|'), ADVISE_LOR, 1},
};

static const struct {
    const char *name;
    enum advise_builtin builtin;
} vectors[] = {
    {"threadIdx", ADVISE_TID},  {"tid", ADVISE_TID},     {"blockDim", ADVISE_BLOCK_DIM}, {"ntid", ADVISE_BLOCK_DIM},
    {"blockIdx", ADVISE_BLOCK}, {"ctaid", ADVISE_BLOCK}, {"gridDim", ADVISE_GRID_DIM},   {"nctaid", ADVISE_GRID_DIM},
};

static const struct advise_expr *parse_expr(struct parser *parser);

static const struct advise_expr *complain(struct parser *parser, struct advise_token token, const char *message)
{
    advise_complain(parser->lexer, token, "%s", message);
    return NULL;
}

/* By C's usual arithmetic conversions. */
static enum advise_type common_type(enum advise_type a, enum advise_type b)
{
    return a > b ? a : b; /* a long holds every unsigned int */
}

static enum advise_type type_of(enum advise_op op, const struct advise_expr *a, const struct advise_expr *b,
                                const struct advise_expr *c)
{
    switch (op) {
    case ADVISE_NEGATE:
    case ADVISE_PLUS:
    case ADVISE_COMPLEMENT:
    case ADVISE_SHL:
    case ADVISE_SHR:
        return a->type;
    case ADVISE_NOT:
    case ADVISE_LT:
    case ADVISE_GT:
    case ADVISE_LE:
    case ADVISE_GE:
    case ADVISE_EQ:
    case ADVISE_NE:
    case ADVISE_LAND:
    case ADVISE_LOR:
        return ADVISE_INT;
    case ADVISE_COND:
        return common_type(b->type, c->type);
    default:
        return common_type(a->type, b->type);
    }
}

static uint32_t at_most(uint64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static struct advise_expr *new_node(struct parser *parser, enum advise_op op, struct advise_token token)
{
    struct advise_expr *node = base_arena_alloc(parser->arena, 1, sizeof(*node));
    if (!node) {
        complain(parser, token, "out of memory");
        return NULL;
    }
    *node = (struct advise_expr){.op = op,
                                 .source = parser->lexer->source,
                                 .offset = token.offset,
                                 .length = token.length,
                                 .depth = 1,
                                 .nodes = 1,
                                 .is_constant = true};
    return node;
}

/* A node over one to three others. `in_chain`: `a` is the chain that this node goes on with. */
static const struct advise_expr *join_as(struct parser *parser, enum advise_op op, struct advise_token token,
                                         const struct advise_expr *a, const struct advise_expr *b,
                                         const struct advise_expr *c, bool in_chain)
{
    const struct advise_expr *const parts[3] = {a, b, c};
    struct advise_expr *node = new_node(parser, op, token);
    if (!node)
        return NULL;
    node->a = a, node->b = b, node->c = c;
    for (int i = 0; i < 3; i++) {
        if (!parts[i])
            continue;
        const uint32_t depth = parts[i]->depth + (i > 0 || !in_chain);
        node->depth = depth > node->depth ? depth : node->depth;
        node->nodes = at_most((uint64_t)node->nodes + parts[i]->nodes);
        node->is_constant = node->is_constant && parts[i]->is_constant;
    }
    node->type = type_of(op, a, b, c);
    node->work = op == ADVISE_SHL || op == ADVISE_SHR || !b || c ? a->type : common_type(a->type, b->type);
    if (node->depth > ADVISE_DEPTH_MAX)
        return complain(parser, token, "the expression is nested too deeply");
    if (node->nodes > ADVISE_NODES_MAX)
        return complain(parser, token, "the expression is too long, its definitions written out");
    return node;
}

static const struct advise_expr *join(struct parser *parser, enum advise_op op, struct advise_token token,
                                      const struct advise_expr *a, const struct advise_expr *b,
                                      const struct advise_expr *c)
{
    return join_as(parser, op, token, a, b, c, false);
}

static const struct advise_expr *literal(struct parser *parser, struct advise_token token, uint64_t value,
                                         enum advise_type type)
{
    struct advise_expr *node = new_node(parser, ADVISE_LITERAL, token);
    if (!node)
        return NULL;
    node->type = node->work = type;
    node->value = value;
    return node;
}

static unsigned digit_value(char c)
{
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                  : 99;
}

/* The suffix u, l, ll in either order and case. */
static bool read_suffix(const char *text, size_t length, bool *is_unsigned, bool *is_long)
{
    unsigned us = 0, ls = 0;
    for (size_t i = 0; i < length; i++) {
        us += text[i] == 'u' || text[i] == 'U';
        ls += text[i] == 'l' || text[i] == 'L';
    }
    *is_unsigned = us > 0;
    *is_long = ls > 0;
    return us + ls == length && us <= 1 && ls <= 2;
}

static enum advise_type literal_type(uint64_t value, bool is_decimal, bool is_unsigned, bool is_long)
{
    if (!is_long && !is_unsigned && value <= INT32_MAX)
        return ADVISE_INT;
    if (!is_long && (is_unsigned || !is_decimal) && value <= UINT32_MAX)
        return ADVISE_UNSIGNED;
    return is_unsigned || value > INT64_MAX ? ADVISE_UNSIGNED_LONG : ADVISE_LONG;
}

static const struct advise_expr *parse_number(struct parser *parser)
{
    struct advise_token token = parser->lexer->token;
    const char *text = parser->lexer->source->text + token.offset;
    size_t at = 0, length = token.length;
    unsigned base = 10, digits = 0;
    uint64_t value = 0;
    bool is_unsigned, is_long, too_large = false;
    if (length > 1 && text[0] == '0') {
        base = text[1] == 'x' || text[1] == 'X' ? 16 : text[1] == 'b' || text[1] == 'B' ? 2 : 8;
        at = base == 8 ? 0 : 2;
    }
    for (; at < length && (text[at] == '\'' || digit_value(text[at]) < base); at++) {
        if (text[at] == '\'')
            continue;
        digits++;
        too_large = too_large || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
                    __builtin_add_overflow(value, (uint64_t)digit_value(text[at]), &value);
    }
    if (memchr(text, '.', length) ||
        (base == 10 && length > 0 && (text[length - 1] == 'f' || text[length - 1] == 'F' || memchr(text, 'e', length))))
        return complain(parser, token, "an index is an integer, this is floating point");
    if (digits == 0 || !read_suffix(text + at, length - at, &is_unsigned, &is_long))
        return complain(parser, token, "this is no integer");
    enum advise_type type = literal_type(value, base == 10, is_unsigned, is_long);
    if (too_large || (base == 10 && !is_unsigned && type == ADVISE_UNSIGNED_LONG))
        return complain(parser, token, "this number does not fit into 64 bits");
    advise_next(parser->lexer);
    return literal(parser, token, value, type);
}

static bool word_is(const struct advise_lexer *lexer, struct advise_token token, const char *word)
{
    return token.length == strlen(word) && memcmp(lexer->source->text + token.offset, word, token.length) == 0;
}

static const struct advise_expr *builtin(struct parser *parser, struct advise_token token, uint32_t which,
                                         enum advise_type type)
{
    struct advise_expr *node = new_node(parser, ADVISE_BUILTIN, token);
    if (!node)
        return NULL;
    node->type = node->work = type;
    node->value = which;
    node->is_constant = false;
    return node;
}

/* What follows threadIdx and its like: .x, .y or .z. */
static const struct advise_expr *parse_member(struct parser *parser, struct advise_token token,
                                              enum advise_builtin first)
{
    struct advise_lexer *lexer = parser->lexer;
    if (advise_skip(lexer, '.') && lexer->token.kind == ADVISE_WORD && lexer->token.length == 1) {
        char letter = lexer->source->text[lexer->token.offset];
        if (letter >= 'x' && letter <= 'z') {
            token.length = lexer->token.offset + 1 - token.offset;
            advise_next(lexer);
            return builtin(parser, token, (uint32_t)first + (uint32_t)(letter - 'x'), ADVISE_UNSIGNED);
        }
    }
    advise_complain(lexer, token, "%s needs .x, .y or .z behind it, or a definition of its own",
                    advise_quote_of(lexer, token).text);
    return NULL;
}

/* min(a, b), max(a, b). */
static const struct advise_expr *parse_call(struct parser *parser, struct advise_token token, enum advise_op op)
{
    struct advise_lexer *lexer = parser->lexer;
    const struct advise_expr *a, *b;
    if (!advise_expect(lexer, '(') || !(a = parse_expr(parser)) || !advise_expect(lexer, ',') ||
        !(b = parse_expr(parser)) || !advise_expect(lexer, ')'))
        return NULL;
    return join(parser, op, token, a, b, NULL);
}

static const struct advise_expr *parse_word(struct parser *parser)
{
    struct advise_lexer *lexer = parser->lexer;
    struct advise_token token = lexer->token;
    advise_next(lexer);
    if (word_is(lexer, token, "cuda") && advise_at_sign(lexer, '.')) { /* Numba's spelling */
        advise_next(lexer);
        token = lexer->token;
        advise_next(lexer);
    }
    for (size_t i = parser->scope ? parser->scope->count : 0; i-- > 0 && !advise_at_sign(lexer, '.');) {
        if (word_is(lexer, token, parser->scope->items[i].name))
            return parser->scope->items[i].value;
    }
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        if (word_is(lexer, token, vectors[i].name))
            return parse_member(parser, token, vectors[i].builtin);
    }
    if (word_is(lexer, token, "lane") || word_is(lexer, token, "laneid"))
        return builtin(parser, token, ADVISE_LANE, ADVISE_INT);
    if (word_is(lexer, token, "warp") || word_is(lexer, token, "warpid"))
        return builtin(parser, token, ADVISE_WARP, ADVISE_INT);
    if (word_is(lexer, token, "warpSize"))
        return literal(parser, token, 32, ADVISE_INT);
    if (word_is(lexer, token, "min") || word_is(lexer, token, "max"))
        return parse_call(parser, token, word_is(lexer, token, "min") ? ADVISE_MIN : ADVISE_MAX);
    advise_complain(lexer, token, "no name %s is known; -D NAME=EXPRESSION defines one",
                    advise_quote_of(lexer, token).text);
    return NULL;
}

static const struct advise_expr *parse_unary(struct parser *parser);

/* A type name, then its operand: (int)x with `closed`, int(x) without. */
static const struct advise_expr *parse_cast(struct parser *parser, bool closed)
{
    struct advise_lexer *lexer = parser->lexer;
    struct advise_token token = lexer->token;
    struct advise_ctype type;
    if (!advise_type_parse(lexer, &type))
        return NULL;
    if (!type.is_integer)
        return complain(parser, token, "an index is an integer, and this is no integer type");
    if (!advise_expect(lexer, closed ? ')' : '('))
        return NULL;
    const struct advise_expr *operand = closed ? parse_unary(parser) : parse_expr(parser);
    if (!operand || (!closed && !advise_expect(lexer, ')')))
        return NULL;
    struct advise_expr *node = (struct advise_expr *)join(parser, ADVISE_PLUS, token, operand, NULL, NULL);
    if (!node)
        return NULL;
    node->op = ADVISE_CAST;
    node->cast_bits = (uint8_t)(type.bytes * CHAR_BIT);
    node->cast_signed = type.is_signed;
    node->type = type.bytes == 8   ? (type.is_signed ? ADVISE_LONG : ADVISE_UNSIGNED_LONG)
                 : type.bytes == 4 ? (type.is_signed ? ADVISE_INT : ADVISE_UNSIGNED)
                                   : ADVISE_INT;
    return node;
}

static const struct advise_expr *parse_primary(struct parser *parser)
{
    struct advise_lexer *lexer = parser->lexer;
    if (lexer->token.kind == ADVISE_NUMBER)
        return parse_number(parser);
    if (advise_at_type(lexer))
        return parse_cast(parser, false);
    if (lexer->token.kind == ADVISE_WORD)
        return parse_word(parser);
    if (advise_skip(lexer, '(')) {
        if (advise_at_type(lexer))
            return parse_cast(parser, true);
        const struct advise_expr *inner = parse_expr(parser);
        return inner && advise_expect(lexer, ')') ? inner : NULL;
    }
    advise_complain(lexer, lexer->token, "expected a number or a name before %s",
                    advise_quote_of(lexer, lexer->token).text);
    return NULL;
}

static const struct advise_expr *parse_unary(struct parser *parser)
{
    static const struct {
        char sign;
        enum advise_op op;
    } unaries[] = {{'-', ADVISE_NEGATE}, {'+', ADVISE_PLUS}, {'~', ADVISE_COMPLEMENT}, {'!', ADVISE_NOT}};
    struct advise_lexer *lexer = parser->lexer;
    struct advise_token token = lexer->token;
    const struct advise_expr *answer = NULL;
    if (parser->depth >= ADVISE_DEPTH_MAX)
        return complain(parser, token, "the expression is nested too deeply");
    parser->depth++;
    size_t i = 0, count = sizeof(unaries) / sizeof(unaries[0]);
    while (i < count && !advise_at_sign(lexer, (unsigned char)unaries[i].sign))
        i++;
    if (i < count) {
        advise_next(lexer);
        const struct advise_expr *operand = parse_unary(parser);
        answer = operand ? join(parser, unaries[i].op, token, operand, NULL, NULL) : NULL;
    } else {
        answer = parse_primary(parser);
    }
    parser->depth--;
    return answer;
}

/* The last of a chain of so many nodes. */
static const struct advise_expr *with_chain(struct parser *parser, const struct advise_expr *last, uint32_t length)
{
    const struct advise_expr **chain = base_arena_alloc(parser->arena, length, sizeof(const struct advise_expr *));
    struct advise_expr *node = (struct advise_expr *)last;
    if (!chain)
        return complain(parser, parser->lexer->token, "out of memory");
    for (uint32_t i = length; i-- > 0; last = last->a)
        chain[i] = last;
    node->chain = chain;
    node->chain_length = length;
    return node;
}

static const struct advise_expr *parse_binary(struct parser *parser, unsigned lowest)
{
    struct advise_lexer *lexer = parser->lexer;
    const struct advise_expr *left = parse_unary(parser);
    uint32_t length = 0;
    while (left) {
        struct advise_token token = lexer->token;
        size_t i = 0, count = sizeof(binaries) / sizeof(binaries[0]);
        while (i < count && !advise_at_sign(lexer, binaries[i].sign))
            i++;
        if (i == count || binaries[i].precedence < lowest)
            break;
        advise_next(lexer);
        const struct advise_expr *right = parse_binary(parser, binaries[i].precedence + 1);
        left = right ? join_as(parser, binaries[i].op, token, left, right, NULL, length > 0) : NULL;
        length++;
    }
    return left && length > 1 ? with_chain(parser, left, length) : left;
}

static const struct advise_expr *parse_expr(struct parser *parser)
{
    struct advise_lexer *lexer = parser->lexer;
    const struct advise_expr *condition = parse_binary(parser, 0);
    struct advise_token token = lexer->token;
    if (!condition || !advise_skip(lexer, '?'))
        return condition;
    if (parser->depth >= ADVISE_DEPTH_MAX)
        return complain(parser, token, "the expression is nested too deeply");
    parser->depth++;
    const struct advise_expr *yes = parse_expr(parser), *no = NULL;
    if (yes && advise_expect(lexer, ':'))
        no = parse_expr(parser);
    parser->depth--;
    return no ? join(parser, ADVISE_COND, token, condition, yes, no) : NULL;
}

const struct advise_expr *advise_expr_parse(struct advise_lexer *lexer, const struct advise_scope *scope,
                                            struct base_arena *arena)
{
    struct parser parser = {.lexer = lexer, .scope = scope, .arena = arena};
    return parse_expr(&parser);
}

/* Nothing may stand behind. */
static enum base_status finish(struct advise_lexer *lexer, const struct advise_expr *expr,
                               const struct base_arena *arena)
{
    if (expr && lexer->token.kind != ADVISE_END)
        advise_complain(lexer, lexer->token, "expected an operator or the end before %s",
                        advise_quote_of(lexer, lexer->token).text);
    return !lexer->failed ? BASE_OK : arena->failed ? BASE_NOMEM : BASE_INVALID;
}

enum base_status advise_expr_read(const struct base_source *source, const struct advise_scope *scope,
                                  struct base_arena *arena, const struct advise_expr **out, struct base_diags *diags)
{
    struct advise_lexer lexer;
    advise_lex_start(&lexer, source, diags);
    *out = advise_expr_parse(&lexer, scope, arena);
    return finish(&lexer, *out, arena);
}

enum base_status advise_scope_define(struct advise_scope *scope, const struct base_source *source,
                                     struct base_arena *arena, struct base_diags *diags)
{
    struct advise_lexer lexer;
    const struct advise_expr *value = NULL;
    advise_lex_start(&lexer, source, diags);
    struct advise_token name = lexer.token;
    if (name.kind != ADVISE_WORD || advise_at_type(&lexer)) {
        advise_complain(&lexer, name, "expected NAME=EXPRESSION");
    } else if (scope->count >= ADVISE_DEFINE_MAX) {
        advise_complain(&lexer, name, "more than %d definitions", ADVISE_DEFINE_MAX);
    } else {
        advise_next(&lexer);
        if (advise_expect(&lexer, '='))
            value = advise_expr_parse(&lexer, scope, arena);
    }
    enum base_status status = finish(&lexer, value, arena);
    char *copy = status == BASE_OK ? base_arena_strndup(arena, source->text + name.offset, name.length) : NULL;
    if (status == BASE_OK && !copy)
        status = BASE_NOMEM;
    if (status == BASE_OK)
        scope->items[scope->count++] = (struct advise_define){copy, value};
    return status;
}

bool advise_expr_is_constant(const struct advise_expr *expr)
{
    return expr->is_constant;
}
