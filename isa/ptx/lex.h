/* Words of PTX text.
 *
 * A lexer is a position in a text; isa_ptx_lex() reads the token there and moves on, so a copy of the lexer is a way to
 * look ahead. Comments, white space and lines that begin with '#' are skipped. A dotted word (".global",
 * ".L1::evict_last") is one token; an instruction's whole mnemonic is read by isa_ptx_lex_mnemonic(), since its words
 * may begin with digits.
 */
#ifndef ISA_PTX_LEX_H
#define ISA_PTX_LEX_H

#include "base/diag.h"

#include <stdbool.h>
#include <stdint.h>

enum ptx_token_kind {
    PTX_END,
    PTX_BAD, /* `problem` says why */
    PTX_IDENT,
    PTX_DOT,    /* a word with its dot */
    PTX_INT,    /* value, is_unsigned */
    PTX_FLOAT,  /* value: the bits; float_bits 32 or 64: written as bits; 0: decimal, value holds a double */
    PTX_STRING, /* with its quotes */
    PTX_PUNCT,  /* punct: the character, or two of them as PTX_PUNCT2 */
};

#define PTX_PUNCT2(a, b) ((unsigned)(a) << 8 | (unsigned)(b))

struct ptx_token {
    enum ptx_token_kind kind;
    unsigned punct;
    uint32_t offset, length, line;
    uint64_t value;
    uint8_t float_bits;
    bool is_unsigned;
    const char *problem;
};

struct ptx_lexer {
    const struct base_source *source;
    uint32_t position, line;
};

struct ptx_token isa_ptx_lex(struct ptx_lexer *lexer);

/* Length of the mnemonic that begins at `offset`: identifier characters, dots, and colons in pairs. */
uint32_t isa_ptx_lex_mnemonic(const struct base_source *source, uint32_t offset);

#endif
