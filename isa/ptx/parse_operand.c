/* Operands: first as written (struct ptx_raw), since what a text means depends on the opcode's form; then, for a form
 * letter, what its name stands for. */
#include "isa/ptx/parse.h"

#include <string.h>

/* A name with the ".x" that follows it directly. */
static void take_name(struct ptx_parser *parser, struct ptx_raw *raw)
{
    raw->kind = PTX_RAW_NAME;
    raw->name_offset = parser->token.offset;
    raw->name_length = parser->token.length;
    ptx_next(parser);
    if (parser->token.kind == PTX_DOT && parser->token.offset == parser->previous_end) {
        raw->name_length += parser->token.length;
        ptx_next(parser);
    }
}

static bool parse_generic(struct ptx_parser *parser, struct ptx_raw *raw)
{
    ptx_next(parser);
    ptx_next(parser);
    if (parser->token.kind != PTX_IDENT)
        return ptx_error(parser, "expected the name of a variable or function");
    take_name(parser, raw);
    raw->generic = true;
    return ptx_expect(parser, ')', "after the name");
}

/* "p|q": the second half. */
static bool parse_pair(struct ptx_parser *parser, struct ptx_raw *raw)
{
    ptx_next(parser);
    if (parser->element_count >= sizeof parser->elements / sizeof *parser->elements)
        return ptx_error(parser, "too many operands");
    struct ptx_raw *second = &parser->elements[parser->element_count++];
    *second = (struct ptx_raw){.offset = parser->token.offset};
    if (parser->token.kind != PTX_IDENT)
        return ptx_error(parser, "expected a predicate after '|'");
    if (ptx_is_word(parser, "_")) {
        second->kind = PTX_RAW_SINK;
        ptx_next(parser);
    } else {
        take_name(parser, second);
    }
    second->length = parser->previous_end - second->offset;
    raw->pair = parser->element_count;
    return true;
}

static bool parse_named(struct ptx_parser *parser, struct ptx_raw *raw)
{
    const struct ptx_token behind = ptx_peek(parser);
    if (ptx_is_word(parser, "_")) {
        raw->kind = PTX_RAW_SINK;
        ptx_next(parser);
    } else if (ptx_is_word(parser, "generic") && behind.kind == PTX_PUNCT && behind.punct == '(') {
        if (!parse_generic(parser, raw))
            return false;
    } else {
        take_name(parser, raw);
    }
    if (ptx_is(parser, '|'))
        return parse_pair(parser, raw);
    raw->has_addend = ptx_is(parser, '+') || ptx_is(parser, '-');
    return ptx_parse_addends(parser, &raw->addend);
}

static bool parse_constant(struct ptx_parser *parser, struct ptx_raw *raw)
{
    raw->kind = PTX_RAW_CONST;
    return ptx_parse_const(parser, &raw->constant);
}

/* A name that is no constant. */
static bool is_name(const struct ptx_parser *parser, struct ptx_token token)
{
    static const char constant[] = "WARP_SZ";
    const uint32_t length = sizeof constant - 1;
    return token.kind == PTX_IDENT &&
           (token.length != length || memcmp(ptx_text(parser, token.offset), constant, length) != 0);
}

/* A register, name or constant: what may stand inside braces too. */
static bool parse_simple(struct ptx_parser *parser, struct ptx_raw *raw)
{
    *raw = (struct ptx_raw){.offset = parser->token.offset};
    bool good = false;
    if (parser->token.kind == PTX_IDENT && !ptx_is_word(parser, "WARP_SZ")) {
        good = parse_named(parser, raw);
    } else if (ptx_is(parser, '!') && ptx_peek(parser).kind == PTX_IDENT) {
        ptx_next(parser);
        take_name(parser, raw);
        raw->negated = true;
        good = true;
    } else if (ptx_is(parser, '-') && is_name(parser, ptx_peek(parser))) {
        ptx_next(parser);
        take_name(parser, raw);
        raw->minus = true;
        good = true;
    } else {
        good = parse_constant(parser, raw);
    }
    raw->length = parser->previous_end - raw->offset;
    return good;
}

static bool parse_vector(struct ptx_parser *parser, struct ptx_raw *raw)
{
    raw->kind = PTX_RAW_VECTOR;
    raw->first_element = parser->element_count;
    ptx_next(parser);
    parser->open_braces++;
    do {
        if (raw->element_count >= PTX_ELEMENTS_MAX ||
            parser->element_count >= sizeof parser->elements / sizeof *parser->elements)
            return ptx_error(parser, "a vector has at most %d elements", PTX_ELEMENTS_MAX);
        struct ptx_raw *element = &parser->elements[parser->element_count++];
        raw->element_count++;
        if (!parse_simple(parser, element))
            return false;
        if (element->pair)
            return ptx_error_at(parser, element->offset, element->length, "'|' has no meaning in a vector");
    } while (ptx_accept(parser, ','));
    if (!ptx_expect(parser, '}', "after the vector"))
        return false;
    parser->open_braces--;
    return true;
}

static bool parse_memory(struct ptx_parser *parser, struct ptx_raw *raw)
{
    raw->kind = PTX_RAW_MEM;
    ptx_next(parser);
    if (parser->token.kind == PTX_IDENT && !ptx_is_word(parser, "WARP_SZ")) {
        take_name(parser, raw);
        raw->kind = PTX_RAW_MEM;
        raw->base_is_name = true;
        if (!ptx_parse_addends(parser, &raw->addend))
            return false;
    } else {
        if (!ptx_parse_const(parser, &raw->constant))
            return false;
        if (raw->constant.is_float)
            return ptx_error_at(parser, raw->offset, 1, "an address must be an integer");
        raw->addend = (int64_t)raw->constant.bits;
    }
    return ptx_expect(parser, ']', "after the address");
}

bool ptx_parse_operand(struct ptx_parser *parser, struct ptx_raw *raw)
{
    *raw = (struct ptx_raw){.offset = parser->token.offset};
    bool good = false;
    if (ptx_is(parser, '{'))
        good = parse_vector(parser, raw);
    else if (ptx_is(parser, '['))
        good = parse_memory(parser, raw);
    else
        return parse_simple(parser, raw);
    raw->length = parser->previous_end - raw->offset;
    return good;
}

/* A new entry of the body's families for a symbol that is used for the first time. */
static bool new_family(struct ptx_parser *parser, struct ptx_symbol *symbol, bool is_family)
{
    struct ptx_body *body = &parser->body;
    const struct ptx_family family = {
        .name = base_arena_strndup(&parser->module->arena, symbol->name, symbol->length),
        .length = symbol->length,
        .first_reg = -1,
        .is_family = is_family,
        .function_level = symbol->function_level,
    };
    symbol->family = (uint32_t)body->families.count;
    return (family.name && base_vec_push(&body->families, family)) || ptx_no_memory(parser);
}

bool ptx_add_elements(struct ptx_parser *parser, struct ptx_scope *scope, size_t index)
{
    const struct ptx_symbol whole = scope->symbols.data[index];
    scope->symbols.data[index].ref = (uint32_t)(scope->symbols.count - index);
    for (unsigned i = 0; i < whole.elements; i++) {
        struct ptx_symbol element = whole;
        char *name = base_arena_alloc(&parser->module->arena, whole.length + 3U, 1);
        if (!name)
            return ptx_no_memory(parser);
        memcpy(name, whole.name, whole.length);
        name[whole.length] = '.';
        name[whole.length + 1] = "xyzw"[i];
        element.name = name;
        element.length = whole.length + 2;
        if (!ptx_scope_add(scope, &element))
            return ptx_no_memory(parser);
    }
    return true;
}

/* A vector of a family of vectors, or the element of it that the whole name ends with. */
static struct ptx_symbol *add_vector(struct ptx_parser *parser, struct ptx_scope *scope, struct ptx_symbol vector,
                                     const char *name, uint32_t stem_length, uint32_t length)
{
    const size_t index = scope->symbols.count;
    vector.kind = PTX_SYMBOL_REG;
    vector.name = name;
    vector.length = stem_length;
    vector.count = 1;
    if (!ptx_scope_add(scope, &vector)) {
        ptx_no_memory(parser);
        return NULL;
    }
    return ptx_add_elements(parser, scope, index) ? ptx_scope_find(scope, name, length, PTX_SPACE_NAMES) : NULL;
}

/* A member of a register family, as a symbol of its own in the family's scope, with its ordinal as count; NULL when
 * there is no such family. Of two families that could have it, the one with the longer stem. */
static struct ptx_symbol *resolve_member(struct ptx_parser *parser, struct ptx_scope *scope, const char *name,
                                         uint32_t whole_length)
{
    const char *dot = memchr(name, '.', whole_length);
    const uint32_t length = dot ? (uint32_t)(dot - name) : whole_length;
    for (uint32_t digits = 1; digits < length && digits <= 9; digits++) {
        uint32_t ordinal = 0;
        if (name[length - digits] < '0' || name[length - digits] > '9')
            break;
        if (!ptx_name_split(name, length, digits, &ordinal))
            continue;
        struct ptx_symbol *family = ptx_scope_find(scope, name, length - digits, PTX_SPACE_FAMILIES);
        if (!family || ordinal >= family->count || (dot && !family->elements))
            continue;
        if (family->elements)
            return add_vector(parser, scope, *family, name, length, whole_length);
        if (family->family == PTX_NO_REF && !new_family(parser, family, true))
            return NULL;
        struct ptx_symbol member = *family;
        member.kind = PTX_SYMBOL_REG;
        member.name = name;
        member.length = length;
        member.count = ordinal;
        struct ptx_symbol *added = ptx_scope_add(scope, &member);
        if (!added)
            ptx_no_memory(parser);
        return added;
    }
    return NULL;
}

struct ptx_symbol *ptx_resolve(struct ptx_parser *parser, uint32_t offset, uint32_t length)
{
    const char *name = ptx_text(parser, offset);
    for (uint32_t depth = parser->depth + 1; depth-- > 0;) {
        struct ptx_scope *scope = &parser->scopes[depth];
        struct ptx_symbol *symbol = ptx_scope_find(scope, name, length, PTX_SPACE_NAMES);
        if (!symbol && depth > 0)
            symbol = resolve_member(parser, scope, name, length);
        if (symbol || parser->no_memory)
            return symbol;
    }
    return NULL;
}

uint32_t ptx_use_register(struct ptx_parser *parser, struct ptx_symbol *symbol)
{
    struct ptx_body *body = &parser->body;
    if (symbol->ref != PTX_NO_REF)
        return symbol->ref;
    if (symbol->family == PTX_NO_REF && !new_family(parser, symbol, false))
        return PTX_NO_REF;
    struct ptx_family *family = &body->families.data[symbol->family];
    const uint32_t ref = (uint32_t)body->regs.count;
    const struct isa_reg reg = {
        .name = family->name, .ordinal = family->is_family ? (int32_t)symbol->count : -1, .type = symbol->type};
    if (!base_vec_push(&body->regs, reg) || !base_vec_push(&body->reg_family, symbol->family) ||
        !base_vec_push(&body->reg_next, family->first_reg)) {
        ptx_no_memory(parser);
        return PTX_NO_REF;
    }
    family->first_reg = (int32_t)ref;
    symbol->ref = ref;
    return ref;
}

static bool undefined(struct ptx_parser *parser, const struct ptx_raw *raw)
{
    const char *name = ptx_text(parser, raw->name_offset);
    return ptx_error_at(parser, raw->name_offset, raw->name_length, "%s '%.*s' is not declared",
                        name[0] == '%' ? "the register" : "the name", (int)raw->name_length, name);
}

static bool lower_register_symbol(struct ptx_parser *parser, const struct ptx_raw *raw, struct ptx_symbol *symbol,
                                  struct isa_operand *out)
{
    if (symbol->elements && !memchr(symbol->name, '.', symbol->length))
        return ptx_error_at(parser, raw->offset, raw->length, "'%.*s' is a vector: name one of its elements",
                            (int)symbol->length, symbol->name);
    if (raw->has_addend)
        return ptx_error_at(parser, raw->offset, raw->length, "an offset has no meaning behind a register here");
    const uint32_t ref = ptx_use_register(parser, symbol);
    *out = (struct isa_operand){.kind = ISA_OPERAND_REG, .ref = ref, .negated = raw->negated};
    return ref != PTX_NO_REF;
}

bool ptx_lower_register(struct ptx_parser *parser, const struct ptx_raw *raw, struct isa_operand *out)
{
    if (raw->kind == PTX_RAW_SINK) {
        *out = (struct isa_operand){.kind = ISA_OPERAND_SINK};
        return true;
    }
    if (raw->kind != PTX_RAW_NAME || raw->negated || raw->minus || raw->generic)
        return ptx_error_at(parser, raw->offset, raw->length, "expected a register");
    struct ptx_symbol *symbol = ptx_resolve(parser, raw->name_offset, raw->name_length);
    if (!symbol)
        return !parser->no_memory && undefined(parser, raw);
    if (symbol->kind != PTX_SYMBOL_REG)
        return ptx_error_at(parser, raw->offset, raw->length, "expected a register");
    return lower_register_symbol(parser, raw, symbol, out);
}

/* "%tid.w": vectors in special registers have a fourth element, which is zero. */
static bool is_fourth_element(const struct ptx_parser *parser, const struct ptx_raw *raw)
{
    char name[32];
    const char *text = ptx_text(parser, raw->name_offset);
    if (raw->name_length < 3 || raw->name_length > sizeof name || memcmp(text + raw->name_length - 2, ".w", 2) != 0)
        return false;
    memcpy(name, text, raw->name_length);
    name[raw->name_length - 1] = 'x';
    return ptx_words_find(&parser->words, PTX_WORD_SREG, name, raw->name_length, NULL) != NULL;
}

static bool lower_named_source(struct ptx_parser *parser, const struct ptx_raw *raw, struct isa_operand *out)
{
    struct ptx_symbol *symbol = ptx_resolve(parser, raw->name_offset, raw->name_length);
    if (parser->no_memory)
        return false;
    if (!symbol) {
        const struct ptx_word *word =
            ptx_words_find(&parser->words, PTX_WORD_SREG, ptx_text(parser, raw->name_offset), raw->name_length, NULL);
        const bool fourth = !word && is_fourth_element(parser, raw);
        if (!word && !fourth)
            return undefined(parser, raw);
        if (raw->has_addend || raw->negated)
            return ptx_error_at(parser, raw->offset, raw->length, "a special register stands alone");
        if (fourth)
            *out = (struct isa_operand){.kind = ISA_OPERAND_IMM};
        else
            *out = (struct isa_operand){.kind = ISA_OPERAND_SREG, .ref = word->value};
        return true;
    }
    switch (symbol->kind) {
    case PTX_SYMBOL_REG:
        return lower_register_symbol(parser, raw, symbol, out);
    case PTX_SYMBOL_VAR:
    case PTX_SYMBOL_FUNC:
        *out = (struct isa_operand){
            .kind = symbol->kind == PTX_SYMBOL_VAR ? ISA_OPERAND_SYMBOL : ISA_OPERAND_FUNC,
            .ref = symbol->ref,
            .imm = raw->addend,
            .generic = raw->generic,
        };
        return true;
    default:
        return ptx_error_at(parser, raw->offset, raw->length, "'%.*s' is a label", (int)raw->name_length,
                            ptx_text(parser, raw->name_offset));
    }
}

bool ptx_lower_source(struct ptx_parser *parser, const struct ptx_raw *raw, unsigned type, struct isa_operand *out)
{
    if (raw->negated && type != ISA_TYPE_PRED)
        return ptx_error_at(parser, raw->offset, raw->length, "'!' stands before predicates only");
    if (raw->pair || raw->minus)
        return ptx_error_at(parser, raw->offset, raw->length, "'%c' has no meaning here", raw->pair ? '|' : '-');
    if (raw->kind == PTX_RAW_NAME)
        return lower_named_source(parser, raw, out);
    if (raw->kind != PTX_RAW_CONST)
        return ptx_error_at(parser, raw->offset, raw->length, "expected a register or a constant");
    uint64_t bits = 0;
    if (!ptx_const_bits(parser, &raw->constant, type, raw->offset, raw->length, &bits))
        return false;
    *out = (struct isa_operand){.kind = ISA_OPERAND_IMM, .imm = (int64_t)bits};
    return true;
}

bool ptx_lower_mem(struct ptx_parser *parser, const struct ptx_raw *raw, struct isa_operand *out)
{
    if (raw->kind != PTX_RAW_MEM)
        return ptx_error_at(parser, raw->offset, raw->length, "expected an address in brackets");
    *out = (struct isa_operand){.kind = ISA_OPERAND_MEM, .imm = raw->addend};
    if (!raw->base_is_name)
        return true;
    struct ptx_raw base = {.kind = PTX_RAW_NAME,
                           .offset = raw->name_offset,
                           .length = raw->name_length,
                           .name_offset = raw->name_offset,
                           .name_length = raw->name_length};
    struct isa_operand operand = {0};
    if (!lower_named_source(parser, &base, &operand))
        return false;
    if (operand.kind != ISA_OPERAND_REG && operand.kind != ISA_OPERAND_SYMBOL)
        return ptx_error_at(parser, base.offset, base.length, "an address begins with a register or a variable");
    out->base_kind = operand.kind;
    out->ref = operand.ref;
    return true;
}
