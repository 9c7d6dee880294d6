/* Tokens, messages, and how reading goes on after an error. */
#include "isa/ptx/parse.h"

#include <string.h>

void ptx_next(struct ptx_parser *parser)
{
    parser->previous_end = parser->token.offset + parser->token.length;
    parser->previous_line = parser->token.line;
    parser->token = isa_ptx_lex(&parser->lexer);
}

static void error_vat(struct ptx_parser *parser, uint32_t offset, uint32_t length, const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));

static void error_vat(struct ptx_parser *parser, uint32_t offset, uint32_t length, const char *format, va_list args)
{
    parser->errors++;
    base_diag_vadd(parser->diags, BASE_ERROR, &parser->module->source, offset, length, format, args);
}

bool ptx_error_at(struct ptx_parser *parser, uint32_t offset, uint32_t length, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error_vat(parser, offset, length, format, args);
    va_end(args);
    return false;
}

bool ptx_error(struct ptx_parser *parser, const char *format, ...)
{
    const struct ptx_token *token = &parser->token;
    if (token->kind == PTX_BAD)
        return ptx_error_at(parser, token->offset, token->length, "%s", token->problem);
    va_list args;
    va_start(args, format);
    error_vat(parser, token->offset, token->length, format, args);
    va_end(args);
    return false;
}

bool ptx_no_memory(struct ptx_parser *parser)
{
    parser->no_memory = true;
    return false;
}

bool ptx_is(const struct ptx_parser *parser, unsigned punct)
{
    return parser->token.kind == PTX_PUNCT && parser->token.punct == punct;
}

bool ptx_is_word(const struct ptx_parser *parser, const char *word)
{
    const struct ptx_token *token = &parser->token;
    return (token->kind == PTX_DOT || token->kind == PTX_IDENT) && token->length == strlen(word) &&
           memcmp(ptx_text(parser, token->offset), word, token->length) == 0;
}

bool ptx_accept(struct ptx_parser *parser, unsigned punct)
{
    if (!ptx_is(parser, punct))
        return false;
    ptx_next(parser);
    return true;
}

bool ptx_accept_word(struct ptx_parser *parser, const char *word)
{
    if (!ptx_is_word(parser, word))
        return false;
    ptx_next(parser);
    return true;
}

bool ptx_expect(struct ptx_parser *parser, unsigned punct, const char *where)
{
    if (ptx_accept(parser, punct))
        return true;
    return ptx_error(parser, "expected '%c' %s", (char)punct, where);
}

bool ptx_expect_semicolon(struct ptx_parser *parser, const char *after)
{
    if (ptx_accept(parser, ';'))
        return true;
    if (parser->token.kind == PTX_BAD)
        return ptx_error(parser, "bad token");
    ptx_error_at(parser, parser->previous_end, 0, "expected ';' after %s", after);
    return parser->token.line > parser->previous_line;
}

const char *ptx_text(const struct ptx_parser *parser, uint32_t offset)
{
    return parser->module->source.text + offset;
}

char *ptx_token_copy(struct ptx_parser *parser)
{
    char *copy =
        base_arena_strndup(&parser->module->arena, ptx_text(parser, parser->token.offset), parser->token.length);
    if (!copy)
        ptx_no_memory(parser);
    return copy;
}

struct ptx_token ptx_peek(const struct ptx_parser *parser)
{
    struct ptx_lexer lexer = parser->lexer;
    return isa_ptx_lex(&lexer);
}

void ptx_recover(struct ptx_parser *parser)
{
    uint32_t braces = parser->open_braces;
    parser->open_braces = 0;
    for (; parser->token.kind != PTX_END; ptx_next(parser)) {
        if (ptx_is(parser, '{')) {
            braces++;
        } else if (ptx_is(parser, '}')) {
            if (braces == 0)
                return;
            braces--;
        } else if (ptx_is(parser, ';')) {
            ptx_next(parser);
            return;
        }
    }
}
