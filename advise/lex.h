/* Words, numbers and signs of a C expression or declaration. Internal to advise/. */
#ifndef ADVISE_LEX_H
#define ADVISE_LEX_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum advise_token_kind { ADVISE_END, ADVISE_NUMBER, ADVISE_WORD, ADVISE_SIGN };

/* The code of a sign: its characters, the first one lowest. */
#define ADVISE_SIGN2(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)

struct advise_token {
    enum advise_token_kind kind;
    size_t offset, length;
    uint32_t sign;
};

/* `token` is the next one; advise_next() goes on to the one behind it. Messages point into `source`. */
struct advise_lexer {
    const struct base_source *source;
    size_t at, end;
    struct advise_token token;
    struct base_diags *diags;
    bool failed; /* a message was added; there is at most one */
};

void advise_lex_start(struct advise_lexer *lexer, const struct base_source *source, struct base_diags *diags);
void advise_next(struct advise_lexer *lexer);
/* Whether the next token is this sign or word. */
bool advise_at_sign(const struct advise_lexer *lexer, uint32_t sign);
bool advise_at_word(const struct advise_lexer *lexer, const char *word);
/* Passes over the sign if it comes next. */
bool advise_skip(struct advise_lexer *lexer, uint32_t sign);
/* The same, and complains if it does not. */
bool advise_expect(struct advise_lexer *lexer, char sign);
/* Complains about `token`; always false. */
bool advise_complain(struct advise_lexer *lexer, struct advise_token token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "'...'" or "the end", for messages: at most 40 characters of it, in a buffer of the caller. */
struct advise_quote {
    char text[48];
};
struct advise_quote advise_quote_of(const struct advise_lexer *lexer, struct advise_token token);

#endif
