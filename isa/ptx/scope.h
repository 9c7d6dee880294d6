/* Names of PTX text and what they stand for.
 *
 * A scope is one level of declarations: the module, a function, or a { } block inside it. Register families
 * (".reg .b32 %r<8>") are one symbol under their stem; a member becomes a symbol of its own when it is first used, in
 * the scope of its family.
 */
#ifndef ISA_PTX_SCOPE_H
#define ISA_PTX_SCOPE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum ptx_symbol_kind {
    PTX_SYMBOL_VAR,    /* ref: variable */
    PTX_SYMBOL_FUNC,   /* ref: function */
    PTX_SYMBOL_REG,    /* ref: register, or PTX_NO_REF until it is used */
    PTX_SYMBOL_FAMILY, /* count members */
    PTX_SYMBOL_LABEL,  /* ref: label */
    PTX_SYMBOL_TABLE,  /* ref: table */
    PTX_SYMBOL_STEM,   /* some name is this stem and an ordinal; count: the smallest such ordinal */
};

#define PTX_NO_REF UINT32_MAX

struct ptx_symbol {
    const char *name; /* in the source text or the module's arena */
    uint32_t length;
    uint32_t hash;
    uint8_t kind;
    uint8_t type;     /* of registers */
    uint8_t elements; /* of a vector register: 2 or 4; members are named NAME.x and so on; 0: a scalar */
    bool function_level;
    uint32_t ref;    /* of a vector register: how far behind it its elements are in its scope */
    uint32_t count;  /* members of a family; the ordinal of such a member */
    uint32_t family; /* of registers: index into the body's families, or PTX_NO_REF until one is used */
};

struct ptx_scope {
    BASE_VEC(struct ptx_symbol) symbols;
    uint32_t *slots; /* open addressing; 0: free, else symbol index + 1 */
    uint32_t slot_count;
    size_t first_fixup; /* the body's fixups that were made inside begin here */
};

uint32_t ptx_hash(const char *name, uint32_t length);

/* Names are looked for in one of three spaces: "%r" may be a register beside the family "%r", and a stem beside both.
 */
enum ptx_space { PTX_SPACE_NAMES, PTX_SPACE_FAMILIES, PTX_SPACE_STEMS };

/* NULL when there is none. */
struct ptx_symbol *ptx_scope_find(const struct ptx_scope *scope, const char *name, uint32_t length,
                                  enum ptx_space space);

/* Adds without a look for duplicates. NULL without memory. Earlier pointers into the scope are no longer valid. */
struct ptx_symbol *ptx_scope_add(struct ptx_scope *scope, const struct ptx_symbol *symbol);

/* Whether the scope has the name already: itself, as a family's member, or among the members of the new family. */
bool ptx_scope_conflicts(const struct ptx_scope *scope, const struct ptx_symbol *symbol);

/* Adds the symbol, and for a name with digits at its end the stems that it takes an ordinal from, so that a family of
 * such a stem is seen to conflict. The symbol itself comes first. False without memory. */
bool ptx_scope_declare(struct ptx_scope *scope, const struct ptx_symbol *symbol);

/* Empties the scope; its memory may be kept for the next use. */
void ptx_scope_reset(struct ptx_scope *scope);
void ptx_scope_free(struct ptx_scope *scope);

/* Splits NAME into a stem and a decimal ordinal of `digits` characters. False when the last `digits` characters are no
 * ordinal (a leading zero, no digits, no stem). */
bool ptx_name_split(const char *name, uint32_t length, uint32_t digits, uint32_t *ordinal);

#endif
