/* The lexer. One function for each kind of token; isa_ptx_lex() looks at the first character and chooses. */
#include "isa/ptx/lex.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum { FLOAT_TEXT_MAX = 128 };

static char peek(const struct ptx_lexer *lexer, uint32_t ahead)
{
    const size_t at = (size_t)lexer->position + ahead;
    return at < lexer->source->size ? lexer->source->text[at] : '\0';
}

static bool at_end(const struct ptx_lexer *lexer)
{
    return lexer->position >= lexer->source->size;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '$' || c == '%';
}

static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

static void skip_line(struct ptx_lexer *lexer)
{
    while (!at_end(lexer) && peek(lexer, 0) != '\n')
        lexer->position++;
}

/* False when the comment has no end. */
static bool skip_block_comment(struct ptx_lexer *lexer)
{
    lexer->position += 2;
    while (!at_end(lexer)) {
        if (peek(lexer, 0) == '*' && peek(lexer, 1) == '/') {
            lexer->position += 2;
            return true;
        }
        lexer->line += peek(lexer, 0) == '\n';
        lexer->position++;
    }
    return false;
}

/* False when a comment has no end; it begins at *comment. */
static bool skip_space(struct ptx_lexer *lexer, uint32_t *comment)
{
    while (!at_end(lexer)) {
        const char c = peek(lexer, 0);
        if (c == '\n') {
            lexer->line++;
            lexer->position++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            lexer->position++;
        } else if (c == '#' || (c == '/' && peek(lexer, 1) == '/')) {
            skip_line(lexer);
        } else if (c == '/' && peek(lexer, 1) == '*') {
            *comment = lexer->position;
            if (!skip_block_comment(lexer))
                return false;
        } else {
            break;
        }
    }
    return true;
}

static void bad(struct ptx_token *token, const char *problem)
{
    token->kind = PTX_BAD;
    token->problem = problem;
}

/* 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX. */
static void lex_float_bits(struct ptx_lexer *lexer, struct ptx_token *token, uint32_t digits)
{
    lexer->position += 2;
    uint32_t count = 0;
    for (; hex_digit(peek(lexer, 0)) < 16; lexer->position++, count++)
        token->value = token->value << 4 | (uint64_t)hex_digit(peek(lexer, 0));
    token->kind = PTX_FLOAT;
    token->float_bits = (uint8_t)(digits * 4);
    if (count != digits || is_name(peek(lexer, 0)))
        bad(token, digits == 8 ? "0f takes 8 hexadecimal digits" : "0d takes 16 hexadecimal digits");
}

static void lex_integer(struct ptx_lexer *lexer, struct ptx_token *token, unsigned base)
{
    bool overflow = false;
    uint32_t count = 0;
    for (int digit = 0; (digit = hex_digit(peek(lexer, 0))) < (int)base; lexer->position++, count++) {
        overflow |= __builtin_mul_overflow(token->value, (uint64_t)base, &token->value);
        overflow |= __builtin_add_overflow(token->value, (uint64_t)digit, &token->value);
    }
    token->kind = PTX_INT;
    token->is_unsigned = peek(lexer, 0) == 'U' || peek(lexer, 0) == 'u';
    lexer->position += token->is_unsigned;
    token->is_unsigned |= token->value > INT64_MAX;
    if (count == 0 || is_name(peek(lexer, 0)))
        bad(token, "this is not a number");
    else if (overflow)
        bad(token, "this number does not fit 64 bits");
}

/* Decimal digits with a point or an exponent. strtod() expects the point of the current locale. */
static void lex_decimal_float(struct ptx_lexer *lexer, struct ptx_token *token)
{
    char text[FLOAT_TEXT_MAX + 1];
    size_t length = 0;
    char previous = '\0';
    for (;; lexer->position++) {
        const char c = peek(lexer, 0);
        const bool sign = (c == '+' || c == '-') && (previous == 'e' || previous == 'E');
        if (!is_digit(c) && c != '.' && c != 'e' && c != 'E' && !sign)
            break;
        if (length < FLOAT_TEXT_MAX)
            text[length] = c == '.' ? localeconv()->decimal_point[0] : c;
        length++;
        previous = c;
    }
    token->kind = PTX_FLOAT;
    if (length > FLOAT_TEXT_MAX) {
        bad(token, "this number is too long");
        return;
    }
    text[length] = '\0';
    char *end = NULL;
    const double value = strtod(text, &end);
    memcpy(&token->value, &value, sizeof value);
    if (*end != '\0' || is_name(peek(lexer, 0)))
        bad(token, "this is not a number");
}

static bool is_decimal_float(const struct ptx_lexer *lexer)
{
    uint32_t ahead = 0;
    while (is_digit(peek(lexer, ahead)))
        ahead++;
    const char c = peek(lexer, ahead);
    return c == '.' || c == 'e' || c == 'E';
}

static void lex_number(struct ptx_lexer *lexer, struct ptx_token *token)
{
    const char second = peek(lexer, 0) == '0' ? peek(lexer, 1) : '\0';
    if (second == 'f' || second == 'F') {
        lex_float_bits(lexer, token, 8);
    } else if (second == 'd' || second == 'D') {
        lex_float_bits(lexer, token, 16);
    } else if (second == 'x' || second == 'X' || second == 'b' || second == 'B') {
        lexer->position += 2;
        lex_integer(lexer, token, second == 'x' || second == 'X' ? 16 : 2);
    } else if (is_decimal_float(lexer)) {
        lex_decimal_float(lexer, token);
    } else {
        lex_integer(lexer, token, is_digit(second) ? 8 : 10);
    }
    if (token->kind == PTX_BAD)
        while (is_name(peek(lexer, 0)))
            lexer->position++;
}

static void lex_string(struct ptx_lexer *lexer, struct ptx_token *token)
{
    token->kind = PTX_STRING;
    lexer->position++;
    while (!at_end(lexer) && peek(lexer, 0) != '\n') {
        const char c = peek(lexer, 0);
        lexer->position++;
        if (c == '"')
            return;
        if (c == '\\' && !at_end(lexer) && peek(lexer, 0) != '\n')
            lexer->position++;
    }
    bad(token, "this string has no end");
}

static void lex_punct(struct ptx_lexer *lexer, struct ptx_token *token)
{
    static const char pairs[][3] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    token->kind = PTX_PUNCT;
    const char c = peek(lexer, 0);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (c == pairs[i][0] && peek(lexer, 1) == pairs[i][1]) {
            token->punct = PTX_PUNCT2(pairs[i][0], pairs[i][1]);
            lexer->position += 2;
            return;
        }
    }
    token->punct = (unsigned char)c;
    lexer->position++;
    if (c == '\0' || !strchr(",;:(){}[]<>+-*/%&|^~!=?@", c))
        bad(token, "this character has no meaning here");
}

/* A colon belongs to a word only in pairs, with more of the word behind it. */
static uint32_t word_step(const struct ptx_lexer *lexer)
{
    if (is_name(peek(lexer, 0)))
        return 1;
    return peek(lexer, 0) == ':' && peek(lexer, 1) == ':' && is_name(peek(lexer, 2)) ? 2 : 0;
}

struct ptx_token isa_ptx_lex(struct ptx_lexer *lexer)
{
    struct ptx_token token = {0};
    uint32_t comment = 0;
    const bool closed = skip_space(lexer, &comment);
    token.offset = lexer->position;
    token.line = lexer->line;
    const char c = peek(lexer, 0);
    if (!closed) {
        token.offset = comment;
        token.length = 2;
        bad(&token, "this comment has no end");
        return token;
    }
    if (at_end(lexer)) {
        token.kind = PTX_END;
    } else if (is_digit(c)) {
        lex_number(lexer, &token);
    } else if (is_name(c) &&
               (c != '%' || is_letter(peek(lexer, 1)) || peek(lexer, 1) == '_' || peek(lexer, 1) == '$')) {
        token.kind = PTX_IDENT;
        while (is_name(peek(lexer, 0)))
            lexer->position++;
    } else if (c == '.' && (is_letter(peek(lexer, 1)) || peek(lexer, 1) == '_')) {
        token.kind = PTX_DOT;
        lexer->position++;
        for (uint32_t step = 0; (step = word_step(lexer)) != 0;)
            lexer->position += step;
    } else if (c == '"') {
        lex_string(lexer, &token);
    } else {
        lex_punct(lexer, &token);
    }
    token.length = lexer->position - token.offset;
    return token;
}

uint32_t isa_ptx_lex_mnemonic(const struct base_source *source, uint32_t offset)
{
    struct ptx_lexer lexer = {.source = source, .position = offset};
    for (;;) {
        const uint32_t step = peek(&lexer, 0) == '.' && is_name(peek(&lexer, 1)) ? 1 : word_step(&lexer);
        if (step == 0)
            return lexer.position - offset;
        lexer.position += step;
    }
}
