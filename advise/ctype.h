/* The types that a CUDA program's arrays are made of, and how they are written. Internal to advise/. */
#ifndef ADVISE_CTYPE_H
#define ADVISE_CTYPE_H

#include "advise/lex.h"

#include <stdbool.h>
#include <stdint.h>

struct advise_ctype {
    char name[32];
    uint32_t bytes;           /* of the whole */
    uint32_t align_bytes;     /* of the whole */
    uint32_t components;      /* float4 has 4: x, y, z, w */
    uint32_t component_bytes; /* of one */
    bool is_integer, is_signed;
};

/* Whether the next word begins a type. */
bool advise_at_type(const struct advise_lexer *lexer);
/* Passes over a type name, qualifiers before and behind it included. */
bool advise_type_parse(struct advise_lexer *lexer, struct advise_ctype *type);

#endif
