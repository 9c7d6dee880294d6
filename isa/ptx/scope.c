/* Scopes: open-addressing hash tables over an array of symbols. */
#include "isa/ptx/scope.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 16, SLOTS_KEPT = 1024, ORDINAL_DIGITS_MAX = 9 };

uint32_t ptx_hash(const char *name, uint32_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    hash ^= hash >> 32;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(hash >> 32);
}

static enum ptx_space space_of(const struct ptx_symbol *symbol)
{
    return symbol->kind == PTX_SYMBOL_FAMILY ? PTX_SPACE_FAMILIES
           : symbol->kind == PTX_SYMBOL_STEM ? PTX_SPACE_STEMS
                                             : PTX_SPACE_NAMES;
}

static bool same(const struct ptx_symbol *symbol, const char *name, uint32_t length, uint32_t hash,
                 enum ptx_space space)
{
    return symbol->hash == hash && symbol->length == length && space_of(symbol) == space &&
           memcmp(symbol->name, name, length) == 0;
}

struct ptx_symbol *ptx_scope_find(const struct ptx_scope *scope, const char *name, uint32_t length,
                                  enum ptx_space space)
{
    if (scope->slot_count == 0)
        return NULL;
    const uint32_t hash = ptx_hash(name, length);
    for (uint32_t i = hash & (scope->slot_count - 1); scope->slots[i]; i = (i + 1) & (scope->slot_count - 1)) {
        struct ptx_symbol *symbol = &scope->symbols.data[scope->slots[i] - 1];
        if (same(symbol, name, length, hash, space))
            return symbol;
    }
    return NULL;
}

static void place(struct ptx_scope *scope, uint32_t symbol)
{
    uint32_t i = scope->symbols.data[symbol].hash & (scope->slot_count - 1);
    while (scope->slots[i])
        i = (i + 1) & (scope->slot_count - 1);
    scope->slots[i] = symbol + 1;
}

static bool grow(struct ptx_scope *scope)
{
    const uint32_t count = scope->slot_count ? scope->slot_count * 2 : SLOTS_MIN;
    uint32_t *slots = count ? calloc(count, sizeof *slots) : NULL;
    if (!slots)
        return false;
    free(scope->slots);
    scope->slots = slots;
    scope->slot_count = count;
    for (uint32_t i = 0; i < scope->symbols.count; i++)
        place(scope, i);
    return true;
}

struct ptx_symbol *ptx_scope_add(struct ptx_scope *scope, const struct ptx_symbol *symbol)
{
    if ((scope->symbols.count + 1) * 2 > scope->slot_count && !grow(scope))
        return NULL;
    if (!base_vec_push(&scope->symbols, *symbol))
        return NULL;
    struct ptx_symbol *added = &scope->symbols.data[scope->symbols.count - 1];
    added->hash = ptx_hash(symbol->name, symbol->length);
    place(scope, (uint32_t)(scope->symbols.count - 1));
    return added;
}

void ptx_scope_reset(struct ptx_scope *scope)
{
    if (scope->slot_count > SLOTS_KEPT) {
        ptx_scope_free(scope);
        return;
    }
    if (scope->symbols.count)
        memset(scope->slots, 0, scope->slot_count * sizeof *scope->slots);
    scope->symbols.count = 0;
}

void ptx_scope_free(struct ptx_scope *scope)
{
    base_vec_free(&scope->symbols);
    free(scope->slots);
    scope->slots = NULL;
    scope->slot_count = 0;
}

bool ptx_name_split(const char *name, uint32_t length, uint32_t digits, uint32_t *ordinal)
{
    if (digits == 0 || digits > ORDINAL_DIGITS_MAX || digits >= length)
        return false;
    const char *text = name + length - digits;
    if (text[0] == '0' && digits > 1)
        return false;
    uint32_t value = 0;
    for (uint32_t i = 0; i < digits; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (uint32_t)(text[i] - '0');
    }
    *ordinal = value;
    return true;
}

/* The smallest ordinal that `symbol` takes from the stem that is left without its last `digits` characters. */
static bool stem_ordinal(const struct ptx_symbol *symbol, uint32_t digits, uint64_t *ordinal)
{
    uint32_t value = 0;
    if (!ptx_name_split(symbol->name, symbol->length, digits, &value))
        return false;
    *ordinal = symbol->kind == PTX_SYMBOL_FAMILY ? (uint64_t)value * 10 : value;
    return *ordinal <= UINT32_MAX;
}

bool ptx_scope_conflicts(const struct ptx_scope *scope, const struct ptx_symbol *symbol)
{
    const bool family = symbol->kind == PTX_SYMBOL_FAMILY;
    if (ptx_scope_find(scope, symbol->name, symbol->length, family ? PTX_SPACE_FAMILIES : PTX_SPACE_NAMES))
        return true;
    const struct ptx_symbol *stem =
        family ? ptx_scope_find(scope, symbol->name, symbol->length, PTX_SPACE_STEMS) : NULL;
    if (stem && stem->count < symbol->count)
        return true;
    for (uint32_t digits = 1; digits < symbol->length && digits <= 9; digits++) {
        uint64_t ordinal = 0;
        if (!stem_ordinal(symbol, digits, &ordinal))
            continue;
        const struct ptx_symbol *other =
            ptx_scope_find(scope, symbol->name, symbol->length - digits, PTX_SPACE_FAMILIES);
        if (other && ordinal < other->count)
            return true;
    }
    return false;
}

/* Remembers which stems a name with digits at its end takes an ordinal from. */
static bool add_stems(struct ptx_scope *scope, const struct ptx_symbol *symbol)
{
    for (uint32_t digits = 1; digits < symbol->length && digits <= 9; digits++) {
        uint64_t ordinal = 0;
        if (!stem_ordinal(symbol, digits, &ordinal))
            continue;
        struct ptx_symbol *stem = ptx_scope_find(scope, symbol->name, symbol->length - digits, PTX_SPACE_STEMS);
        const struct ptx_symbol fresh = {.name = symbol->name,
                                         .length = symbol->length - digits,
                                         .kind = PTX_SYMBOL_STEM,
                                         .count = (uint32_t)ordinal};
        if (stem && ordinal < stem->count)
            stem->count = (uint32_t)ordinal;
        else if (!stem && !ptx_scope_add(scope, &fresh))
            return false;
    }
    return true;
}

bool ptx_scope_declare(struct ptx_scope *scope, const struct ptx_symbol *symbol)
{
    return ptx_scope_add(scope, symbol) && add_stems(scope, symbol);
}
