/* Variables: declarators, array sizes, initialisers, parameters.
 *
 * An initialiser is written into a growing image of the variable, element by element; addresses inside it become
 * relocations. A 64-bit address may be given as its eight bytes, 0xFF(sym), 0xFF00(sym), ...: that run becomes one
 * relocation. */
#include "isa/ptx/parse.h"

#include <stdlib.h>
#include <string.h>

enum { DIMS_MAX = 16, ADDRESS_BYTES = 8 };
#define INIT_BYTES_MAX (UINT64_C(256) << 20)

struct shape {
    uint64_t dims[DIMS_MAX];
    unsigned count;
    bool unsized; /* the first dimension is "[]" */
};

struct init {
    BASE_VEC(uint8_t) bytes;
    BASE_VEC(struct isa_reloc) relocs;
    const struct shape *shape;
    unsigned type;
    uint64_t limit_elements;
    uint8_t masked_bytes; /* of the last relocation, given so far byte by byte; 0: it is whole */
};

enum isa_type ptx_parse_type(const struct ptx_parser *parser)
{
    if (parser->token.kind != PTX_DOT)
        return ISA_TYPE_NONE;
    const struct ptx_word *word = ptx_words_find(
        &parser->words, PTX_WORD_TYPE, ptx_text(parser, parser->token.offset + 1), parser->token.length - 1, NULL);
    return word && (T_DECLARED >> word->value & 1) ? (enum isa_type)word->value : ISA_TYPE_NONE;
}

static enum isa_space space_of(const struct ptx_parser *parser)
{
    static const struct {
        const char *word;
        enum isa_space space;
    } spaces[] = {{".global", ISA_SPACE_GLOBAL},
                  {".shared", ISA_SPACE_SHARED},
                  {".local", ISA_SPACE_LOCAL},
                  {".const", ISA_SPACE_CONST},
                  {".param", ISA_SPACE_PARAM}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (ptx_is_word(parser, spaces[i].word))
            return spaces[i].space;
    return ISA_SPACE_GENERIC;
}

static bool parse_align(struct ptx_parser *parser, uint32_t *align_bytes)
{
    const struct ptx_token token = parser->token;
    if (!ptx_parse_u32(parser, "an alignment", align_bytes))
        return false;
    if (*align_bytes == 0 || *align_bytes > 65536 || (*align_bytes & (*align_bytes - 1)))
        return ptx_error_at(parser, token.offset, token.length, "an alignment must be a power of two up to 65536");
    return true;
}

bool ptx_skip_parentheses(struct ptx_parser *parser)
{
    if (!ptx_expect(parser, '(', "here"))
        return false;
    for (uint32_t open = 1; open > 0; ptx_next(parser)) {
        if (parser->token.kind == PTX_END || ptx_is(parser, ';'))
            return ptx_error(parser, "expected ')' at the end of the list");
        open += ptx_is(parser, '(');
        open -= ptx_is(parser, ')');
    }
    return true;
}

/* ".ptr .global .align 16": what a pointer parameter points to. Says nothing about the parameter itself. */
static bool skip_pointee(struct ptx_parser *parser)
{
    uint32_t ignored = 0;
    if (space_of(parser) != ISA_SPACE_GENERIC)
        ptx_next(parser);
    return !ptx_accept_word(parser, ".align") || parse_align(parser, &ignored);
}

static bool parse_opaque(struct ptx_parser *parser, struct ptx_declarator *declarator)
{
    if (!ptx_is_word(parser, ".texref") && !ptx_is_word(parser, ".samplerref") && !ptx_is_word(parser, ".surfref"))
        return false;
    declarator->type = ISA_TYPE_B64;
    declarator->opaque = true;
    ptx_next(parser);
    return true;
}

/* One word of a declarator; false with *unknown when it is none. */
static bool parse_declarator_word(struct ptx_parser *parser, struct ptx_declarator *declarator)
{
    const enum isa_type type = ptx_parse_type(parser);
    if (ptx_accept_word(parser, ".align"))
        return parse_align(parser, &declarator->align_bytes);
    if (ptx_accept_word(parser, ".ptr"))
        return skip_pointee(parser);
    if (ptx_accept_word(parser, ".attribute"))
        return ptx_skip_parentheses(parser);
    if (ptx_is_word(parser, ".v2") || ptx_is_word(parser, ".v4") || ptx_is_word(parser, ".v8")) {
        declarator->vector = (uint8_t)(ptx_text(parser, parser->token.offset)[2] - '0');
        ptx_next(parser);
        return true;
    }
    if (type != ISA_TYPE_NONE && declarator->type == ISA_TYPE_NONE) {
        declarator->type = (uint8_t)type;
        ptx_next(parser);
        return true;
    }
    return parse_opaque(parser, declarator) || ptx_error(parser, "this word has no meaning in a declaration");
}

bool ptx_parse_declarator(struct ptx_parser *parser, struct ptx_declarator *declarator)
{
    const struct ptx_token start = parser->token;
    const unsigned linkage = declarator->linkage;
    *declarator = (struct ptx_declarator){.space = (uint8_t)space_of(parser), .linkage = (uint8_t)linkage};
    if (declarator->space == ISA_SPACE_GENERIC)
        return ptx_error(parser, "expected a state space: .global, .shared, .local, .const or .param");
    ptx_next(parser);
    while (parser->token.kind == PTX_DOT)
        if (!parse_declarator_word(parser, declarator))
            return false;
    if (declarator->type == ISA_TYPE_NONE)
        return ptx_error_at(parser, start.offset, start.length, "this declaration has no type");
    if (declarator->type == ISA_TYPE_PRED)
        return ptx_error_at(parser, start.offset, start.length, "predicates live in registers only");
    const uint32_t element_bytes = isa_types[declarator->type].bits / 8U;
    if (declarator->align_bytes == 0)
        declarator->align_bytes = element_bytes * (declarator->vector ? declarator->vector : 1U);
    return true;
}

static bool parse_shape(struct ptx_parser *parser, const struct ptx_declarator *declarator, struct shape *shape)
{
    while (ptx_is(parser, '[')) {
        if (shape->count >= DIMS_MAX - 1)
            return ptx_error(parser, "an array has at most %d dimensions", DIMS_MAX - 1);
        ptx_next(parser);
        const struct ptx_token token = parser->token;
        struct ptx_const size = {0};
        if (ptx_is(parser, ']') && shape->count == 0)
            shape->unsized = true;
        else if (!ptx_parse_const(parser, &size))
            return false;
        else if (size.is_float || (int64_t)size.bits < 0)
            return ptx_error_at(parser, token.offset, token.length, "an array size must be an integer, 0 or more");
        shape->dims[shape->count++] = size.bits;
        if (!ptx_expect(parser, ']', "after the array size"))
            return false;
    }
    if (declarator->vector)
        shape->dims[shape->count++] = declarator->vector;
    return true;
}

static const char *space_limit(unsigned space, uint64_t *limit_bytes)
{
    switch (space) {
    case ISA_SPACE_GLOBAL:
        *limit_bytes = UINT64_C(4) << 30;
        return "4 GiB for a .global variable";
    case ISA_SPACE_CONST:
        *limit_bytes = UINT64_C(64) << 10;
        return "64 KiB for a .const variable";
    case ISA_SPACE_LOCAL:
        *limit_bytes = UINT64_C(512) << 10;
        return "512 KiB for a .local variable";
    case ISA_SPACE_SHARED:
        *limit_bytes = UINT64_C(16) << 20;
        return "16 MiB for a .shared variable";
    default:
        *limit_bytes = UINT64_C(1) << 20;
        return "1 MiB for a .param variable";
    }
}

/* Elements below one entry of dimension `level`. */
static uint64_t stride_of(const struct shape *shape, unsigned level)
{
    uint64_t elements = 1;
    for (unsigned i = level + 1; i < shape->count; i++)
        elements *= shape->dims[i];
    return elements;
}

/* Size in bytes of the sized dimensions; told when it passes the limit of the space. */
static bool size_of(struct ptx_parser *parser, const struct ptx_declarator *declarator, const struct shape *shape,
                    const struct ptx_token *name, uint64_t *bytes)
{
    uint64_t limit = 0;
    const char *text = space_limit(declarator->space, &limit);
    *bytes = isa_types[declarator->type].bits / 8U;
    bool too_large = false;
    for (unsigned i = shape->unsized; i < shape->count; i++)
        too_large |= __builtin_mul_overflow(*bytes, shape->dims[i], bytes);
    if (too_large || *bytes > limit)
        return ptx_error_at(parser, name->offset, name->length, "this variable is larger than the limit of %s", text);
    return true;
}

/* Room in the image for element `index`; its first byte, or NULL. */
static uint8_t *init_element(struct ptx_parser *parser, struct init *init, uint64_t index)
{
    const size_t element_bytes = isa_types[init->type].bits / 8U;
    const size_t end = ((size_t)index + 1) * element_bytes;
    if (end > INIT_BYTES_MAX) {
        ptx_error(parser, "an initialised variable has at most 256 MiB");
        return NULL;
    }
    if (end > init->bytes.count) {
        const size_t more = end - init->bytes.count;
        if (!base_vec_reserve(&init->bytes, more)) {
            ptx_no_memory(parser);
            return NULL;
        }
        memset(init->bytes.data + init->bytes.count, 0, more);
        init->bytes.count = end;
    }
    return init->bytes.data + end - element_bytes;
}

/* "sym", "sym + 4", "generic(sym) + 4". */
static bool parse_symbol_address(struct ptx_parser *parser, struct isa_reloc *reloc)
{
    const bool generic = ptx_is_word(parser, "generic");
    if (generic) {
        ptx_next(parser);
        if (!ptx_expect(parser, '(', "after generic"))
            return false;
    }
    if (parser->token.kind != PTX_IDENT)
        return ptx_error(parser, "expected the name of a variable or function");
    const struct ptx_symbol *symbol = ptx_resolve(parser, parser->token.offset, parser->token.length);
    if (!symbol)
        return ptx_error(parser, "'%.*s' is not declared", (int)parser->token.length,
                         ptx_text(parser, parser->token.offset));
    if (symbol->kind != PTX_SYMBOL_VAR && symbol->kind != PTX_SYMBOL_FUNC)
        return ptx_error(parser, "'%.*s' is no variable or function", (int)parser->token.length,
                         ptx_text(parser, parser->token.offset));
    *reloc = (struct isa_reloc){.is_function = symbol->kind == PTX_SYMBOL_FUNC, .generic = generic, .ref = symbol->ref};
    ptx_next(parser);
    if (generic && !ptx_expect(parser, ')', "after the name"))
        return false;
    return ptx_parse_addends(parser, &reloc->addend);
}

static bool push_reloc(struct ptx_parser *parser, struct init *init, const struct isa_reloc *reloc)
{
    return base_vec_push(&init->relocs, *reloc) || ptx_no_memory(parser);
}

static bool parse_init_address(struct ptx_parser *parser, struct init *init, uint64_t index)
{
    const struct ptx_token token = parser->token;
    struct isa_reloc reloc = {0};
    if (!parse_symbol_address(parser, &reloc))
        return false;
    const uint8_t bytes = isa_types[init->type].bits / 8U;
    if ((bytes != 4 && bytes != 8) || isa_types[init->type].class == ISA_CLASS_FLOAT ||
        isa_types[init->type].class == ISA_CLASS_PACKED)
        return ptx_error_at(parser, token.offset, token.length, "an address does not fit an element of .%s",
                            isa_types[init->type].name);
    reloc.offset_bytes = index * bytes;
    reloc.size_bytes = bytes;
    return push_reloc(parser, init, &reloc) && init_element(parser, init, index);
}

/* "0xFF00(sym)": byte 1 of an address; the bytes of one address follow each other. */
static bool parse_init_masked(struct ptx_parser *parser, struct init *init, uint64_t index)
{
    const struct ptx_token token = parser->token;
    struct isa_reloc reloc = {.offset_bytes = index};
    ptx_next(parser);
    ptx_next(parser);
    if (!parse_symbol_address(parser, &reloc) || !ptx_expect(parser, ')', "after the masked address"))
        return false;
    reloc.offset_bytes = index;
    reloc.size_bytes = ADDRESS_BYTES;
    const unsigned byte = init->masked_bytes;
    bool fits = isa_types[init->type].bits == 8 && token.value == UINT64_C(0xff) << (8 * byte);
    if (fits && byte > 0) {
        const struct isa_reloc *last = &init->relocs.data[init->relocs.count - 1];
        fits = last->offset_bytes + byte == index && last->ref == reloc.ref && last->addend == reloc.addend &&
               last->is_function == reloc.is_function && last->generic == reloc.generic;
    }
    if (!fits)
        return ptx_error_at(parser, token.offset, token.length,
                            "a masked address must be given as its eight bytes in order: 0xFF(sym), 0xFF00(sym), ...");
    if (byte == 0 && !push_reloc(parser, init, &reloc))
        return false;
    init->masked_bytes = (uint8_t)((byte + 1) % ADDRESS_BYTES);
    return init_element(parser, init, index) != NULL;
}

static bool parse_init_number(struct ptx_parser *parser, struct init *init, uint64_t index)
{
    const struct ptx_token token = parser->token;
    struct ptx_const constant = {0};
    uint64_t bits = 0;
    if (!ptx_parse_const(parser, &constant) ||
        !ptx_const_bits(parser, &constant, init->type, token.offset, parser->previous_end - token.offset, &bits))
        return false;
    uint8_t *element = init_element(parser, init, index);
    if (!element)
        return false;
    const unsigned width = isa_types[init->type].bits;
    for (unsigned byte = 0; byte < width / 8 && byte < 8; byte++)
        element[byte] = (uint8_t)(bits >> (8 * byte));
    return true;
}

/* The characters of a string and a NUL, as elements of 8 bits. */
static bool parse_init_string(struct ptx_parser *parser, struct init *init, uint64_t *index, uint64_t end)
{
    const char *text = ptx_text(parser, parser->token.offset);
    const uint32_t last = parser->token.length - 1;
    if (isa_types[init->type].bits != 8)
        return ptx_error(parser, "a string needs elements of 8 bits");
    for (uint32_t i = 1; i <= last; i++) {
        char c = i < last ? text[i] : '\0';
        if (c == '\\' && i + 1 < last) {
            c = text[++i];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c == '0' ? '\0' : c;
        }
        if (*index == end)
            return i == last || ptx_error(parser, "this string is longer than its array");
        uint8_t *element = init_element(parser, init, *index);
        if (!element)
            return false;
        *element = (uint8_t)c;
        ++*index;
    }
    return true;
}

static bool parse_init_value(struct ptx_parser *parser, struct init *init, uint64_t *index, uint64_t end)
{
    if (parser->token.kind == PTX_STRING) {
        if (!parse_init_string(parser, init, index, end))
            return false;
        ptx_next(parser);
        return true;
    }
    if (*index >= end)
        return ptx_error(parser, "there are more values than elements");
    const struct ptx_token behind = ptx_peek(parser);
    const bool masked = parser->token.kind == PTX_INT && behind.kind == PTX_PUNCT && behind.punct == '(';
    if (!masked && init->masked_bytes)
        return ptx_error(parser, "the address before this has only %u of its eight bytes", init->masked_bytes);
    bool good = false;
    if (masked)
        good = parse_init_masked(parser, init, *index);
    else if (parser->token.kind == PTX_IDENT && !ptx_is_word(parser, "WARP_SZ"))
        good = parse_init_address(parser, init, *index);
    else
        good = parse_init_number(parser, init, *index);
    ++*index;
    return good;
}

/* "{ ... }" for one entry of dimension `level` - 1; its elements begin at `first`. */
static bool parse_init_braces(struct ptx_parser *parser, struct init *init, unsigned level, uint64_t first)
{
    const struct shape *shape = init->shape;
    const uint64_t stride = level < shape->count ? stride_of(shape, level) : 1;
    uint64_t end = init->limit_elements;
    if (level > 0 || !shape->unsized)
        end = first + (level < shape->count ? shape->dims[level] * stride : 1);
    uint64_t index = first;
    ptx_next(parser);
    parser->open_braces++;
    while (!ptx_is(parser, '}')) {
        if (ptx_is(parser, '{')) {
            if (level + 1 >= shape->count)
                return ptx_error(parser, "there are more braces than dimensions");
            index = stride ? (index - first + stride - 1) / stride * stride + first : first;
            if (index >= end)
                return ptx_error(parser, "there are more values than elements");
            if (!parse_init_braces(parser, init, level + 1, index))
                return false;
            index += stride;
        } else if (!parse_init_value(parser, init, &index, end)) {
            return false;
        }
        if (!ptx_accept(parser, ',') && !ptx_is(parser, '}'))
            return ptx_error(parser, "expected ',' or '}' in the initialiser");
    }
    ptx_next(parser);
    parser->open_braces--;
    return true;
}

static bool store_init(struct ptx_parser *parser, struct init *init, struct isa_var *var)
{
    struct base_arena *arena = &parser->module->arena;
    size_t nonzero = 0;
    for (size_t i = 0; i < init->bytes.count; i++)
        nonzero += init->bytes.data[i] != 0;
    if (nonzero == 0 && init->relocs.count == 0)
        return true; /* without an initialiser it is zero as well */
    uint8_t *bytes = base_arena_alloc(arena, (size_t)var->size_bytes, 1);
    struct isa_reloc *relocs = base_arena_alloc(arena, init->relocs.count, sizeof *relocs);
    if (!bytes || !relocs)
        return ptx_no_memory(parser);
    if (init->bytes.count)
        memcpy(bytes, init->bytes.data, init->bytes.count);
    if (init->relocs.count)
        memcpy(relocs, init->relocs.data, init->relocs.count * sizeof *relocs);
    var->init = bytes;
    var->relocs = init->relocs.count ? relocs : NULL;
    var->reloc_count = init->relocs.count;
    return true;
}

/* Gives an array without size that of its initialiser: whole rows. */
static void size_from_init(const struct init *init, struct isa_var *var)
{
    const uint64_t row_bytes = var->size_bytes ? var->size_bytes : 1;
    var->size_bytes = (init->bytes.count + row_bytes - 1) / row_bytes * row_bytes;
    var->unsized = false;
}

static bool parse_init(struct ptx_parser *parser, const struct shape *shape, struct isa_var *var)
{
    struct init init = {.shape = shape, .type = var->type};
    uint64_t limit_bytes = 0;
    (void)space_limit(var->space, &limit_bytes);
    const uint64_t element_bytes = isa_types[var->type].bits / 8U;
    init.limit_elements = (shape->unsized ? limit_bytes : var->size_bytes) / element_bytes;
    const struct ptx_token token = parser->token;
    bool good = false;
    uint64_t index = 0;
    if (ptx_is(parser, '{'))
        good = parse_init_braces(parser, &init, 0, 0);
    else
        good = parse_init_value(parser, &init, &index, init.limit_elements);
    if (good && init.masked_bytes)
        good = ptx_error_at(parser, token.offset, token.length, "the last address has only %u of its eight bytes",
                            init.masked_bytes);
    if (good && !shape->unsized && var->size_bytes > INIT_BYTES_MAX)
        good = ptx_error_at(parser, token.offset, token.length, "an initialised variable has at most 256 MiB");
    if (good && shape->unsized)
        size_from_init(&init, var);
    good = good && store_init(parser, &init, var);
    base_vec_free(&init.bytes);
    base_vec_free(&init.relocs);
    return good;
}

bool ptx_add_symbol(struct ptx_parser *parser, const struct ptx_symbol *symbol, uint32_t offset)
{
    struct ptx_scope *scope = &parser->scopes[parser->depth];
    if (ptx_scope_conflicts(scope, symbol))
        return ptx_error_at(parser, offset, symbol->length, "'%.*s' is declared twice", (int)symbol->length,
                            ptx_text(parser, offset));
    return ptx_scope_declare(scope, symbol) || ptx_no_memory(parser);
}

/* The variable `index` under its name. An .extern declaration and a definition of the same name are one variable. */
static bool add_variable_symbol(struct ptx_parser *parser, uint32_t index, const struct ptx_token *name)
{
    const struct isa_var *var = &parser->vars.data[index].var;
    struct ptx_symbol *old = NULL;
    if (parser->depth == 0)
        old = ptx_scope_find(&parser->scopes[0], var->name, name->length, PTX_SPACE_NAMES);
    if (old && old->kind == PTX_SYMBOL_VAR) {
        const struct isa_var *first = &parser->vars.data[old->ref].var;
        const bool same = first->space == var->space && isa_types[first->type].bits == isa_types[var->type].bits;
        if (same && var->linkage == ISA_LINKAGE_EXTERN) {
            parser->vars.data[index].moved_to = old->ref;
            return true;
        }
        if (same && first->linkage == ISA_LINKAGE_EXTERN) {
            parser->vars.data[old->ref].moved_to = index;
            old->ref = index;
            return true;
        }
    }
    const struct ptx_symbol symbol = {.name = var->name, .length = name->length, .kind = PTX_SYMBOL_VAR, .ref = index};
    return ptx_add_symbol(parser, &symbol, name->offset);
}

static bool new_variable(struct ptx_parser *parser, const struct isa_var *var, uint32_t *index)
{
    if (parser->vars.count >= INT32_MAX)
        return ptx_no_memory(parser);
    const struct ptx_var entry = {.var = *var, .function_level = parser->depth <= 1, .moved_to = PTX_NO_REF};
    *index = (uint32_t)parser->vars.count;
    return base_vec_push(&parser->vars, entry) || ptx_no_memory(parser);
}

static bool check_init_allowed(struct ptx_parser *parser, const struct isa_var *var, bool opaque)
{
    if (var->linkage == ISA_LINKAGE_EXTERN)
        return ptx_error(parser, "an .extern variable has no initialiser");
    if (var->space != ISA_SPACE_GLOBAL && var->space != ISA_SPACE_CONST)
        return ptx_error(parser, "only .global and .const variables have initialisers");
    if (opaque)
        return ptx_error(parser, "initialisers of texture, sampler and surface references are not supported");
    return true;
}

/* NAME, sizes and initialiser. */
static bool parse_variable(struct ptx_parser *parser, const struct ptx_declarator *declarator)
{
    const struct ptx_token name = parser->token;
    if (name.kind != PTX_IDENT)
        return ptx_error(parser, "expected the name of a variable");
    struct isa_var var = {.space = declarator->space,
                          .type = declarator->type,
                          .linkage = declarator->linkage,
                          .align_bytes = declarator->align_bytes,
                          .function = parser->depth ? (int32_t)parser->body.function : -1,
                          .source_offset = name.offset,
                          .name = ptx_token_copy(parser)};
    if (!var.name)
        return false;
    ptx_next(parser);
    struct shape shape = {0};
    if (!parse_shape(parser, declarator, &shape) || !size_of(parser, declarator, &shape, &name, &var.size_bytes))
        return false;
    var.unsized = shape.unsized;
    if (ptx_is(parser, '=')) {
        if (!check_init_allowed(parser, &var, declarator->opaque))
            return false;
        ptx_next(parser);
        if (!parse_init(parser, &shape, &var))
            return false;
    } else if (shape.unsized) {
        var.size_bytes = 0;
        if (var.linkage != ISA_LINKAGE_EXTERN)
            return ptx_error_at(parser, name.offset, name.length,
                                "an array without size needs .extern or an initialiser");
    }
    uint32_t index = 0;
    if (!new_variable(parser, &var, &index) || !add_variable_symbol(parser, index, &name))
        return false;
    return parser->depth == 0 || base_vec_push(&parser->body.locals, index) || ptx_no_memory(parser);
}

bool ptx_parse_variables(struct ptx_parser *parser, unsigned linkage)
{
    struct ptx_declarator declarator = {.linkage = (uint8_t)linkage};
    const struct ptx_token start = parser->token;
    if (!ptx_parse_declarator(parser, &declarator))
        return false;
    if (parser->depth == 0 && (declarator.space == ISA_SPACE_PARAM || declarator.space == ISA_SPACE_LOCAL))
        return ptx_error_at(parser, start.offset, start.length, "this state space belongs into a function");
    do {
        if (!parse_variable(parser, &declarator))
            return false;
    } while (ptx_accept(parser, ','));
    return ptx_expect_semicolon(parser, "the variable");
}

/* ".reg .b32 name": a variable NAME_s0_ that the caller fills, and a register that has its value in the body. */
static bool parse_reg_param(struct ptx_parser *parser, uint32_t *index)
{
    ptx_next(parser);
    const enum isa_type type = ptx_parse_type(parser);
    if (type == ISA_TYPE_NONE || type == ISA_TYPE_PRED)
        return ptx_error(parser, "expected the type of the register, which is no predicate");
    ptx_next(parser);
    const struct ptx_token name = parser->token;
    const bool named = name.kind == PTX_IDENT && !ptx_is_word(parser, "_");
    struct isa_var var = {.space = ISA_SPACE_PARAM,
                          .type = (uint8_t)type,
                          .align_bytes = isa_types[type].bits / 8U,
                          .size_bytes = isa_types[type].bits / 8U,
                          .function = (int32_t)parser->body.function,
                          .source_offset = name.offset,
                          .name = "_"};
    if (name.kind == PTX_IDENT)
        ptx_next(parser);
    if (!named)
        return new_variable(parser, &var, index);
    char *text = base_arena_alloc(&parser->module->arena, name.length + sizeof "_s0_", 1);
    if (!text)
        return ptx_no_memory(parser);
    memcpy(text, ptx_text(parser, name.offset), name.length);
    memcpy(text + name.length, "_s0_", sizeof "_s0_");
    var.name = text;
    const struct ptx_symbol reg = {.name = ptx_text(parser, name.offset),
                                   .length = name.length,
                                   .kind = PTX_SYMBOL_REG,
                                   .type = (uint8_t)type,
                                   .function_level = true,
                                   .ref = PTX_NO_REF,
                                   .count = 1,
                                   .family = PTX_NO_REF};
    if (!new_variable(parser, &var, index) || !ptx_add_symbol(parser, &reg, name.offset))
        return false;
    const struct ptx_symbol variable = {.name = text, .length = name.length + 4, .kind = PTX_SYMBOL_VAR, .ref = *index};
    const struct ptx_reg_param param = {*index, name.offset, name.length};
    return ptx_add_symbol(parser, &variable, name.offset) &&
           (parser->depth != 1 || base_vec_push(&parser->reg_params, param) || ptx_no_memory(parser));
}

bool ptx_parse_param(struct ptx_parser *parser, uint32_t *index)
{
    if (ptx_is_word(parser, ".reg"))
        return parse_reg_param(parser, index);
    struct ptx_declarator declarator = {0};
    if (!ptx_parse_declarator(parser, &declarator))
        return false;
    struct isa_var var = {.space = ISA_SPACE_PARAM,
                          .type = declarator.type,
                          .align_bytes = declarator.align_bytes,
                          .function = (int32_t)parser->body.function,
                          .source_offset = parser->token.offset,
                          .name = "_"};
    const struct ptx_token name = parser->token;
    const bool named = name.kind == PTX_IDENT && !ptx_is_word(parser, "_");
    if (named && !(var.name = ptx_token_copy(parser)))
        return false;
    if (name.kind == PTX_IDENT)
        ptx_next(parser);
    struct shape shape = {0};
    if (!parse_shape(parser, &declarator, &shape))
        return false;
    if (shape.unsized)
        return ptx_error_at(parser, name.offset, name.length, "a parameter needs a size");
    if (declarator.space != ISA_SPACE_PARAM)
        return ptx_error_at(parser, name.offset, name.length, "a parameter lies in .param");
    if (!size_of(parser, &declarator, &shape, &name, &var.size_bytes) || !new_variable(parser, &var, index))
        return false;
    return !named || add_variable_symbol(parser, *index, &name);
}
