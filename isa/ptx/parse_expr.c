/* Constant expressions: C's operators over 64-bit integers, and floating-point literals that may only be negated.
 *
 * Precedence climbing over the table `operators`. An integer is signed unless it was written with U, does not fit, is
 * cast, or meets an unsigned one. */
#include "isa/ptx/parse.h"

#include <string.h>

static const struct {
    unsigned punct, precedence;
} operators[] = {
    {PTX_PUNCT2('|', '|'), 1},
    {PTX_PUNCT2('&', '&'), 2},
    {'|', 3},
    {'^', 4},
    {'&', 5},
    {PTX_PUNCT2('=', '='), 6},
    {PTX_PUNCT2('!', '='), 6},
    {'<', 7},
    {'>', 7},
    {PTX_PUNCT2('<', '='), 7},
    {PTX_PUNCT2('>', '='), 7},
    {PTX_PUNCT2('<', '<'), 8},
    {PTX_PUNCT2('>', '>'), 8},
    {'+', 9},
    {'-', 9},
    {'*', 10},
    {'/', 10},
    {'%', 10},
};
enum { PRECEDENCE_SUM = 9, PRECEDENCE_TERM = 10 };

static bool parse_binary(struct ptx_parser *parser, unsigned weakest, struct ptx_const *out);

static unsigned precedence_of(const struct ptx_parser *parser)
{
    for (size_t i = 0; parser->token.kind == PTX_PUNCT && i < sizeof operators / sizeof *operators; i++)
        if (operators[i].punct == parser->token.punct)
            return operators[i].precedence;
    return 0;
}

static struct ptx_const truth(bool value)
{
    return (struct ptx_const){.bits = value};
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned, bool remainder)
{
    if (is_unsigned)
        return remainder ? a % b : a / b;
    if (b == UINT64_MAX) /* -1: the quotient of the smallest integer would overflow */
        return remainder ? 0 : 0 - a;
    return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shift_right(uint64_t a, uint64_t b, bool is_unsigned)
{
    const bool fill = !is_unsigned && a >> 63;
    if (b > 63)
        return fill ? UINT64_MAX : 0;
    return fill ? ~(~a >> b) : a >> b;
}

static bool less(uint64_t a, uint64_t b, bool is_unsigned)
{
    return is_unsigned ? a < b : (int64_t)a < (int64_t)b;
}

static bool apply(struct ptx_parser *parser, const struct ptx_token *operator, struct ptx_const * a,
                  const struct ptx_const *b)
{
    if (a->is_float || b->is_float)
        return ptx_error_at(parser, operator->offset, operator->length,
                            "floating-point constants take no operator but '-'");
    const bool shifts = operator->punct == PTX_PUNCT2('<', '<') || operator->punct == PTX_PUNCT2('>', '>');
    const bool is_unsigned = shifts ? a->is_unsigned : a->is_unsigned || b->is_unsigned;
    const uint64_t x = a->bits;
    const uint64_t y = b->bits;
    *a = (struct ptx_const){.is_unsigned = is_unsigned};
    switch (operator->punct) {
    case PTX_PUNCT2('|', '|'):
        *a = truth(x || y);
        break;
    case PTX_PUNCT2('&', '&'):
        *a = truth(x && y);
        break;
    case '|':
        a->bits = x | y;
        break;
    case '^':
        a->bits = x ^ y;
        break;
    case '&':
        a->bits = x & y;
        break;
    case PTX_PUNCT2('=', '='):
        *a = truth(x == y);
        break;
    case PTX_PUNCT2('!', '='):
        *a = truth(x != y);
        break;
    case '<':
        *a = truth(less(x, y, is_unsigned));
        break;
    case '>':
        *a = truth(less(y, x, is_unsigned));
        break;
    case PTX_PUNCT2('<', '='):
        *a = truth(!less(y, x, is_unsigned));
        break;
    case PTX_PUNCT2('>', '='):
        *a = truth(!less(x, y, is_unsigned));
        break;
    case PTX_PUNCT2('<', '<'):
        a->bits = y > 63 ? 0 : x << y;
        break;
    case PTX_PUNCT2('>', '>'):
        a->bits = shift_right(x, y, is_unsigned);
        break;
    case '+':
        a->bits = x + y;
        break;
    case '-':
        a->bits = x - y;
        break;
    case '*':
        a->bits = x * y;
        break;
    default:
        if (y == 0)
            return ptx_error_at(parser, operator->offset, operator->length, "division by zero");
        a->bits = divide(x, y, is_unsigned, operator->punct == '%');
        break;
    }
    return true;
}

static bool parse_literal(struct ptx_parser *parser, struct ptx_const *out)
{
    const struct ptx_token *token = &parser->token;
    if (token->kind == PTX_INT)
        *out = (struct ptx_const){.is_unsigned = token->is_unsigned, .bits = token->value};
    else if (token->kind == PTX_FLOAT)
        *out =
            (struct ptx_const){.is_float = true, .float_bits = token->float_bits == 32 ? 32 : 64, .bits = token->value};
    else if (ptx_is_word(parser, "WARP_SZ"))
        *out = (struct ptx_const){.bits = 32};
    else
        return ptx_error(parser, "expected a constant or a name");
    ptx_next(parser);
    return true;
}

/* "(.s64) x", "(.u64) x" and "(expression)". */
static bool parse_parentheses(struct ptx_parser *parser, struct ptx_const *out)
{
    ptx_next(parser);
    const bool is_signed = ptx_is_word(parser, ".s64");
    if (is_signed || ptx_is_word(parser, ".u64")) {
        ptx_next(parser);
        if (!ptx_expect(parser, ')', "after the type of a cast") || !parse_binary(parser, UINT32_MAX, out))
            return false;
        if (out->is_float)
            return ptx_error(parser, "floating-point constants take no operator but '-'");
        out->is_unsigned = !is_signed;
        return true;
    }
    return ptx_parse_const(parser, out) && ptx_expect(parser, ')', "after the expression");
}

static bool parse_unary_operator(struct ptx_parser *parser, struct ptx_const *out)
{
    const struct ptx_token operator= parser->token;
    ptx_next(parser);
    if (!parse_binary(parser, UINT32_MAX, out))
        return false;
    if (out->is_float) {
        if (operator.punct != '-' && operator.punct != '+')
            return ptx_error_at(parser, operator.offset, operator.length,
                                "floating-point constants take no operator but '-'");
        if (operator.punct == '-')
            out->bits ^= UINT64_C(1) << (out->float_bits - 1);
    } else if (operator.punct == '-') {
        out->bits = 0 - out->bits;
    } else if (operator.punct == '~') {
        out->bits = ~out->bits;
    } else if (operator.punct == '!') {
        *out = truth(out->bits == 0);
    }
    return true;
}

static bool parse_unary(struct ptx_parser *parser, struct ptx_const *out)
{
    if (parser->nesting >= PTX_DEPTH_MAX)
        return ptx_error(parser, "this expression is nested deeper than %d levels", PTX_DEPTH_MAX);
    parser->nesting++;
    bool good = false;
    if (ptx_is(parser, '('))
        good = parse_parentheses(parser, out);
    else if (ptx_is(parser, '-') || ptx_is(parser, '+') || ptx_is(parser, '~') || ptx_is(parser, '!'))
        good = parse_unary_operator(parser, out);
    else
        good = parse_literal(parser, out);
    parser->nesting--;
    return good;
}

/* Operators of at least `weakest`; UINT32_MAX: none at all. */
static bool parse_binary(struct ptx_parser *parser, unsigned weakest, struct ptx_const *out)
{
    if (!parse_unary(parser, out))
        return false;
    for (unsigned precedence = 0; (precedence = precedence_of(parser)) != 0 && precedence >= weakest;) {
        const struct ptx_token operator= parser->token;
        struct ptx_const right = {0};
        ptx_next(parser);
        if (!parse_binary(parser, precedence + 1, &right) || !apply(parser, &operator, out, &right))
            return false;
    }
    return true;
}

bool ptx_parse_const(struct ptx_parser *parser, struct ptx_const *out)
{
    if (!parse_binary(parser, 1, out))
        return false;
    if (!ptx_is(parser, '?'))
        return true;
    if (parser->nesting >= PTX_DEPTH_MAX)
        return ptx_error(parser, "this expression is nested deeper than %d levels", PTX_DEPTH_MAX);
    parser->nesting++;
    struct ptx_const yes = {0};
    struct ptx_const no = {0};
    ptx_next(parser);
    const bool good = ptx_parse_const(parser, &yes) && ptx_expect(parser, ':', "between the two choices") &&
                      ptx_parse_const(parser, &no);
    parser->nesting--;
    if (good)
        *out = out->bits ? yes : no;
    return good;
}

bool ptx_parse_const_sum(struct ptx_parser *parser, struct ptx_const *out)
{
    return parse_binary(parser, PRECEDENCE_SUM, out);
}

bool ptx_parse_const_term(struct ptx_parser *parser, struct ptx_const *out)
{
    return parse_binary(parser, PRECEDENCE_TERM, out);
}

bool ptx_parse_u32(struct ptx_parser *parser, const char *what, uint32_t *out)
{
    const struct ptx_token token = parser->token;
    struct ptx_const value = {0};
    if (!ptx_parse_const(parser, &value))
        return false;
    if (value.is_float || value.bits > UINT32_MAX)
        return ptx_error_at(parser, token.offset, token.length, "%s must be an integer from 0 to 4294967295", what);
    *out = (uint32_t)value.bits;
    return true;
}

bool ptx_parse_addends(struct ptx_parser *parser, int64_t *addend)
{
    while (ptx_is(parser, '+') || ptx_is(parser, '-')) {
        const struct ptx_token sign = parser->token;
        struct ptx_const term = {0};
        ptx_next(parser);
        if (!ptx_parse_const_term(parser, &term))
            return false;
        if (term.is_float)
            return ptx_error_at(parser, sign.offset, sign.length, "an address takes integer offsets only");
        const uint64_t sum = sign.punct == '+' ? (uint64_t)*addend + term.bits : (uint64_t)*addend - term.bits;
        *addend = (int64_t)sum;
    }
    return true;
}

static uint64_t float_to(const struct ptx_const *constant, unsigned bits)
{
    if (constant->float_bits == bits)
        return constant->bits;
    uint64_t result = 0;
    if (bits == 32) {
        double wide = 0;
        memcpy(&wide, &constant->bits, sizeof wide);
        const float narrow = (float)wide;
        uint32_t narrow_bits = 0;
        memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
        result = narrow_bits;
    } else {
        const uint32_t narrow_bits = (uint32_t)constant->bits;
        float narrow = 0;
        memcpy(&narrow, &narrow_bits, sizeof narrow);
        const double wide = (double)narrow;
        memcpy(&result, &wide, sizeof result);
    }
    return result;
}

bool ptx_const_bits(struct ptx_parser *parser, const struct ptx_const *constant, unsigned type, uint32_t offset,
                    uint32_t length, uint64_t *bits)
{
    const unsigned width = isa_types[type].bits;
    const unsigned class = isa_types[type].class;
    if (type == ISA_TYPE_PRED && !constant->is_float) {
        *bits = constant->bits != 0;
        return true;
    }
    const bool float_place =
        type == ISA_TYPE_F32 || type == ISA_TYPE_F64 || (class == ISA_CLASS_UNTYPED && (width == 32 || width == 64));
    if (constant->is_float) {
        if (!float_place)
            return ptx_error_at(parser, offset, length, "a floating-point constant cannot stand for a .%s",
                                isa_types[type].name);
        *bits = float_to(constant, width);
        return true;
    }
    if (class == ISA_CLASS_FLOAT)
        return ptx_error_at(parser, offset, length, "an integer constant cannot stand for a .%s: write 0f or 0d",
                            isa_types[type].name);
    *bits = width >= 64 ? constant->bits : constant->bits & ((UINT64_C(1) << width) - 1);
    if (class == ISA_CLASS_SIGNED && width < 64 && (*bits >> (width - 1)))
        *bits |= ~((UINT64_C(1) << width) - 1);
    return true;
}
