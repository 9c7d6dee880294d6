/* Splits C text into tokens, one at a time. Comments are no part of an index expression and are not known. */
#include "advise/lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* What follows a digit in a number, right or wrong, so that "12abc" is one wrong number. A point belongs to it, for a
 * message about floating point. */
static bool is_number_part(char c)
{
    return is_digit(c) || is_letter(c) || c == '.' || c == '\'';
}

static const char *const two_character_signs[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--",
                                                  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "->", "::"};

static size_t sign_length(const char *text, size_t left)
{
    for (size_t i = 0; left > 1 && i < sizeof(two_character_signs) / sizeof(two_character_signs[0]); i++) {
        if (memcmp(text, two_character_signs[i], 2) == 0)
            return 2;
    }
    return 1;
}

void advise_next(struct advise_lexer *lexer)
{
    const char *text = lexer->source->text;
    size_t at = lexer->at, end = lexer->end;
    while (at < end && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r'))
        at++;
    struct advise_token token = {.kind = ADVISE_END, .offset = at};
    if (at < end && is_digit(text[at])) {
        token.kind = ADVISE_NUMBER;
        while (at + token.length < end && is_number_part(text[at + token.length]))
            token.length++;
    } else if (at < end && is_letter(text[at])) {
        token.kind = ADVISE_WORD;
        while (at + token.length < end && (is_letter(text[at + token.length]) || is_digit(text[at + token.length])))
            token.length++;
    } else if (at < end) {
        token.kind = ADVISE_SIGN;
        token.length = sign_length(text + at, end - at);
        token.sign = token.length == 2 ? ADVISE_SIGN2((unsigned char)text[at], (unsigned char)text[at + 1])
                                       : (unsigned char)text[at];
    }
    lexer->at = at + token.length;
    lexer->token = token;
}

void advise_lex_start(struct advise_lexer *lexer, const struct base_source *source, struct base_diags *diags)
{
    *lexer = (struct advise_lexer){.source = source, .end = source->size, .diags = diags};
    advise_next(lexer);
}

bool advise_at_sign(const struct advise_lexer *lexer, uint32_t sign)
{
    return lexer->token.kind == ADVISE_SIGN && lexer->token.sign == sign;
}

bool advise_at_word(const struct advise_lexer *lexer, const char *word)
{
    return lexer->token.kind == ADVISE_WORD && lexer->token.length == strlen(word) &&
           memcmp(lexer->source->text + lexer->token.offset, word, lexer->token.length) == 0;
}

bool advise_skip(struct advise_lexer *lexer, uint32_t sign)
{
    if (!advise_at_sign(lexer, sign))
        return false;
    advise_next(lexer);
    return true;
}

bool advise_expect(struct advise_lexer *lexer, char sign)
{
    if (advise_skip(lexer, (unsigned char)sign))
        return true;
    return advise_complain(lexer, lexer->token, "expected '%c' before %s", sign,
                           advise_quote_of(lexer, lexer->token).text);
}

bool advise_complain(struct advise_lexer *lexer, struct advise_token token, const char *format, ...)
{
    va_list args;
    if (lexer->failed)
        return false;
    lexer->failed = true;
    va_start(args, format);
    base_diag_vadd(lexer->diags, BASE_ERROR, lexer->source, token.offset, token.length, format, args);
    va_end(args);
    return false;
}

struct advise_quote advise_quote_of(const struct advise_lexer *lexer, struct advise_token token)
{
    struct advise_quote quote = {"the end"};
    if (token.kind == ADVISE_END)
        return quote;
    int shown = token.length > 40 ? 40 : (int)token.length;
    snprintf(quote.text, sizeof(quote.text), "'%.*s'", shown, lexer->source->text + token.offset);
    for (char *c = quote.text; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ')
            *c = '?';
    }
    return quote;
}
