/* The outer level of a PTX text: directives, variables, and the heads of functions. */
#include "isa/ptx/parse.h"

#include <stdlib.h>
#include <string.h>

/* ".version 9.0": the lexer reads "9.0" as a decimal number; its text gives both parts. */
static bool parse_version(struct ptx_parser *parser)
{
    ptx_next(parser);
    const struct ptx_token token = parser->token;
    char text[16] = {0};
    if (token.kind != PTX_FLOAT || token.float_bits || token.length >= sizeof text)
        return ptx_error(parser, "expected a version number such as 9.0");
    memcpy(text, ptx_text(parser, token.offset), token.length);
    char *end = NULL;
    const unsigned long major = strtoul(text, &end, 10);
    const unsigned long minor = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
    if (*end != '\0')
        return ptx_error(parser, "expected a version number such as 9.0");
    if (major < 3 || major > 9)
        return ptx_error(parser, "PTX ISA version %s is not supported: 6.0 to 9.x are", text);
    if (major < 6)
        base_diag_add(parser->diags, BASE_WARNING, &parser->module->source, token.offset, token.length,
                      "PTX ISA version %s is older than 6.0; it is read as 6.0", text);
    parser->module->version_major = (uint32_t)major;
    parser->module->version_minor = (uint32_t)minor;
    ptx_next(parser);
    return true;
}

/* ".target sm_90" and options, of which none changes what is read. */
static bool parse_target(struct ptx_parser *parser)
{
    ptx_next(parser);
    if (parser->token.kind != PTX_IDENT)
        return ptx_error(parser, "expected a target such as sm_90");
    parser->module->target = ptx_token_copy(parser);
    ptx_next(parser);
    while (ptx_accept(parser, ',')) {
        if (parser->token.kind != PTX_IDENT)
            return ptx_error(parser, "expected a target option");
        ptx_next(parser);
    }
    return true;
}

static bool parse_address_size(struct ptx_parser *parser)
{
    ptx_next(parser);
    const struct ptx_token token = parser->token;
    uint32_t bits = 0;
    if (!ptx_parse_u32(parser, "the address size", &bits))
        return false;
    if (bits != 32 && bits != 64)
        return ptx_error_at(parser, token.offset, token.length, "the address size must be 32 or 64");
    parser->module->address_bits = bits;
    return true;
}

/* The characters between the quotes, with no escapes resolved: they are printed as they came. */
static const char *string_copy(struct ptx_parser *parser)
{
    const char *copy = base_arena_strndup(&parser->module->arena, ptx_text(parser, parser->token.offset + 1),
                                          parser->token.length - 2);
    if (!copy)
        ptx_no_memory(parser);
    return copy;
}

/* .file N "name" [, time, size] */
bool ptx_parse_file(struct ptx_parser *parser)
{
    struct isa_file file = {0};
    ptx_next(parser);
    if (!ptx_parse_u32(parser, "a file number", &file.key))
        return false;
    if (parser->token.kind != PTX_STRING)
        return ptx_error(parser, "expected the file's name in quotes");
    file.name = string_copy(parser);
    if (!file.name)
        return false;
    ptx_next(parser);
    while (ptx_accept(parser, ',')) {
        struct ptx_const ignored = {0};
        if (!ptx_parse_const(parser, &ignored))
            return false;
    }
    ptx_accept(parser, ';');
    return base_vec_push(&parser->files, file) || ptx_no_memory(parser);
}

/* .section NAME { ... }: debug data, which is not read. */
bool ptx_skip_section(struct ptx_parser *parser)
{
    const struct ptx_token start = parser->token;
    ptx_next(parser);
    while (parser->token.kind == PTX_DOT || parser->token.kind == PTX_IDENT || parser->token.kind == PTX_STRING ||
           ptx_is(parser, ','))
        ptx_next(parser);
    if (!ptx_expect(parser, '{', "after the section's name"))
        return false;
    for (uint32_t braces = 1; braces > 0; ptx_next(parser)) {
        if (parser->token.kind == PTX_END)
            return ptx_error_at(parser, start.offset, start.length, "this section has no end");
        braces += ptx_is(parser, '{');
        braces -= ptx_is(parser, '}');
    }
    return true;
}

bool ptx_parse_pragma(struct ptx_parser *parser)
{
    do {
        ptx_next(parser);
        if (parser->token.kind != PTX_STRING)
            return ptx_error(parser, "expected the pragma in quotes");
        ptx_next(parser);
    } while (ptx_is(parser, ','));
    return ptx_expect_semicolon(parser, "the pragma");
}

unsigned ptx_parse_linkage(struct ptx_parser *parser)
{
    static const struct {
        const char *word;
        enum isa_linkage linkage;
    } words[] = {{".visible", ISA_LINKAGE_VISIBLE},
                 {".extern", ISA_LINKAGE_EXTERN},
                 {".weak", ISA_LINKAGE_WEAK},
                 {".common", ISA_LINKAGE_COMMON}};
    unsigned linkage = ISA_LINKAGE_NONE;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ptx_is_word(parser, words[i].word))
            linkage = words[i].linkage;
    if (linkage != ISA_LINKAGE_NONE)
        ptx_next(parser);
    return linkage;
}

bool ptx_parse_param_list(struct ptx_parser *parser, uint32_t **vars, size_t *count, uint32_t *bytes)
{
    BASE_VEC(uint32_t) list = {0};
    uint64_t offset = 0;
    bool good = ptx_expect(parser, '(', "before the parameters");
    while (good && !ptx_is(parser, ')')) {
        uint32_t index = 0;
        good = ptx_parse_param(parser, &index) && (base_vec_push(&list, index) || ptx_no_memory(parser));
        if (!good)
            break;
        struct isa_var *var = &parser->vars.data[index].var;
        offset = (offset + var->align_bytes - 1) / var->align_bytes * var->align_bytes;
        var->offset = (uint32_t)offset;
        offset += var->size_bytes;
        if (offset > UINT32_C(16) << 20 || list.count > PTX_ARGS_MAX)
            good = ptx_error(parser, "a function has at most %d parameters of 16 MiB together", PTX_ARGS_MAX);
        else if (!ptx_accept(parser, ',') && !ptx_is(parser, ')'))
            good = ptx_error(parser, "expected ',' or ')' after the parameter");
    }
    good = good && ptx_expect(parser, ')', "after the parameters");
    uint32_t *copy = good ? base_arena_alloc(&parser->module->arena, list.count, sizeof *copy) : NULL;
    if (good && !copy)
        good = ptx_no_memory(parser);
    if (good && list.count)
        memcpy(copy, list.data, list.count * sizeof *copy);
    *vars = copy;
    *count = good ? list.count : 0;
    *bytes = (uint32_t)offset;
    base_vec_free(&list);
    return good;
}

/* Up to three numbers; those left out are 1. */
static bool parse_extent(struct ptx_parser *parser, uint32_t extent[3])
{
    extent[0] = extent[1] = extent[2] = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (!ptx_parse_u32(parser, "a size", &extent[i]))
            return false;
        if (!ptx_accept(parser, ','))
            break;
    }
    return true;
}

static bool parse_abi_preserve(struct ptx_parser *parser)
{
    uint32_t ignored = 0;
    return ptx_parse_u32(parser, "a number of registers", &ignored);
}

/* Directives between a function's head and its body. */
static bool parse_attributes(struct ptx_parser *parser, struct isa_function *function)
{
    bool good = true;
    while (good && parser->token.kind == PTX_DOT) {
        if (ptx_accept_word(parser, ".maxntid"))
            good = parse_extent(parser, function->maxntid);
        else if (ptx_accept_word(parser, ".reqntid"))
            good = parse_extent(parser, function->reqntid);
        else if (ptx_accept_word(parser, ".reqnctapercluster"))
            good = parse_extent(parser, function->reqnctapercluster);
        else if (ptx_accept_word(parser, ".minnctapersm"))
            good = ptx_parse_u32(parser, "a number of blocks", &function->minnctapersm);
        else if (ptx_accept_word(parser, ".maxnctapersm"))
            good = ptx_parse_u32(parser, "a number of blocks", &function->maxnctapersm);
        else if (ptx_accept_word(parser, ".maxnreg"))
            good = ptx_parse_u32(parser, "a number of registers", &function->maxnreg);
        else if (ptx_accept_word(parser, ".maxclusterrank"))
            good = ptx_parse_u32(parser, "a number of blocks", &function->maxclusterrank);
        else if (ptx_accept_word(parser, ".explicitcluster"))
            function->explicitcluster = true;
        else if (ptx_accept_word(parser, ".noreturn"))
            function->is_noreturn = true;
        else if (ptx_accept_word(parser, ".abi_preserve") || ptx_accept_word(parser, ".abi_preserve_control"))
            good = parse_abi_preserve(parser);
        else if (ptx_is_word(parser, ".pragma"))
            good = ptx_parse_pragma(parser);
        else
            good = ptx_error(parser, "this directive is not known here");
    }
    return good;
}

/* The index for a function of that name: a new one, or that of its earlier declaration. */
static bool enter_function(struct ptx_parser *parser, const struct ptx_token *name, const struct isa_function *head,
                           uint32_t *index)
{
    const char *text = ptx_text(parser, name->offset);
    const struct ptx_symbol *old = ptx_scope_find(&parser->scopes[0], text, name->length, PTX_SPACE_NAMES);
    if (old) {
        const struct isa_function *first =
            old->kind == PTX_SYMBOL_FUNC ? &parser->functions.data[old->ref].function : NULL;
        if (!first || first->is_entry != head->is_entry)
            return ptx_error_at(parser, name->offset, name->length, "'%.*s' is declared twice", (int)name->length,
                                text);
        *index = old->ref;
        return true;
    }
    struct ptx_function entry = {.function = *head, .alias_of = PTX_NO_REF, .moved_to = PTX_NO_REF};
    entry.function.is_declaration = true;
    entry.function.name = base_arena_strndup(&parser->module->arena, text, name->length);
    entry.order = parser->functions_seen++;
    *index = (uint32_t)parser->functions.count;
    const struct ptx_symbol symbol = {.name = text, .length = name->length, .kind = PTX_SYMBOL_FUNC, .ref = *index};
    if (!entry.function.name || !base_vec_push(&parser->functions, entry))
        return ptx_no_memory(parser);
    return ptx_add_symbol(parser, &symbol, name->offset);
}

static bool same_parameters(const struct ptx_parser *parser, const struct isa_function *a, const struct isa_function *b)
{
    if (a->param_count != b->param_count || a->ret_count != b->ret_count)
        return false;
    for (size_t i = 0; i < a->param_count; i++)
        if (parser->vars.data[a->params[i]].var.size_bytes != parser->vars.data[b->params[i]].var.size_bytes)
            return false;
    for (size_t i = 0; i < a->ret_count; i++)
        if (parser->vars.data[a->rets[i]].var.size_bytes != parser->vars.data[b->rets[i]].var.size_bytes)
            return false;
    return true;
}

static void store_head(struct ptx_parser *parser, uint32_t index, struct isa_function *head, bool defines)
{
    struct ptx_function *entry = &parser->functions.data[index];
    struct isa_function *function = &entry->function;
    if (!function->is_declaration)
        return;
    head->name = function->name;
    head->is_declaration = !defines;
    head->is_noreturn |= function->is_noreturn;
    if (head->linkage == ISA_LINKAGE_NONE || (head->linkage == ISA_LINKAGE_EXTERN && function->linkage))
        head->linkage = function->linkage;
    if (defines && head->linkage == ISA_LINKAGE_EXTERN)
        head->linkage = ISA_LINKAGE_NONE;
    *function = *head;
}

/* The function's own scope is open while its head is read, so that parameters are declared in it. */
static bool parse_head(struct ptx_parser *parser, struct isa_function *head, struct ptx_token *name, uint32_t *index)
{
    if (!head->is_entry && ptx_is(parser, '(') &&
        !ptx_parse_param_list(parser, &head->rets, &head->ret_count, &head->ret_bytes))
        return false;
    parser->reg_returns = parser->reg_params.count;
    *name = parser->token;
    if (name->kind != PTX_IDENT)
        return ptx_error(parser, "expected the name of a function");
    parser->depth = 0;
    const bool entered = enter_function(parser, name, head, index);
    parser->depth = 1;
    if (!entered)
        return false;
    ptx_next(parser);
    if (ptx_is(parser, '(') && !ptx_parse_param_list(parser, &head->params, &head->param_count, &head->param_bytes))
        return false;
    if (head->is_entry && parser->reg_params.count > 0)
        return ptx_error_at(parser, name->offset, name->length, "the parameters of a kernel lie in .param");
    head->source_offset = name->offset;
    for (size_t i = 0; i < head->param_count; i++)
        parser->vars.data[head->params[i]].var.function = (int32_t)*index;
    for (size_t i = 0; i < head->ret_count; i++)
        parser->vars.data[head->rets[i]].var.function = (int32_t)*index;
    return parse_attributes(parser, head);
}

static bool parse_function_rest(struct ptx_parser *parser, struct isa_function *head)
{
    struct ptx_token name = {0};
    uint32_t index = 0;
    const bool head_good = parse_head(parser, head, &name, &index);
    if (!head_good) {
        /* Go on behind the body, which cannot be understood without its head. */
        while (parser->token.kind != PTX_END && !ptx_is(parser, '{') && !ptx_is(parser, ';'))
            ptx_next(parser);
        if (!ptx_accept(parser, '{'))
            return false;
        for (uint32_t braces = 1; braces > 0 && parser->token.kind != PTX_END; ptx_next(parser)) {
            braces += ptx_is(parser, '{');
            braces -= ptx_is(parser, '}');
        }
        return true;
    }
    const struct isa_function *first = &parser->functions.data[index].function;
    const bool defines = ptx_is(parser, '{');
    const bool is_alias = parser->functions.data[index].alias_of != PTX_NO_REF;
    if (defines && (!first->is_declaration || is_alias))
        ptx_error_at(parser, name.offset, name.length, "'%s' is defined twice", first->name);
    else if (first->source_offset && !same_parameters(parser, first, head))
        ptx_error_at(parser, name.offset, name.length, "'%s' was declared with other parameters", first->name);
    store_head(parser, index, head, defines);
    if (!defines)
        return ptx_expect_semicolon(parser, "the declaration");
    parser->functions.data[index].order = parser->functions_seen++;
    return ptx_parse_body(parser, index);
}

static bool parse_function(struct ptx_parser *parser, unsigned linkage)
{
    struct isa_function head = {.is_entry = ptx_is_word(parser, ".entry"), .linkage = (uint8_t)linkage};
    ptx_next(parser);
    for (;;) {
        if (ptx_accept_word(parser, ".noreturn"))
            head.is_noreturn = true;
        else if (!ptx_accept_word(parser, ".attribute"))
            break;
        else if (!ptx_skip_parentheses(parser))
            return false;
    }
    parser->depth = 1;
    parser->reg_params.count = 0;
    ptx_scope_reset(&parser->scopes[1]);
    const bool good = parse_function_rest(parser, &head);
    parser->depth = 0;
    return good;
}

/* The declared function that stands here; NULL: told. */
static struct ptx_function *parse_function_name(struct ptx_parser *parser)
{
    const struct ptx_token name = parser->token;
    const struct ptx_symbol *symbol =
        name.kind == PTX_IDENT
            ? ptx_scope_find(&parser->scopes[0], ptx_text(parser, name.offset), name.length, PTX_SPACE_NAMES)
            : NULL;
    struct ptx_function *entry =
        symbol && symbol->kind == PTX_SYMBOL_FUNC ? &parser->functions.data[symbol->ref] : NULL;
    if (!entry || entry->function.is_entry || entry->alias_of != PTX_NO_REF) {
        ptx_error(parser, "expected a declared function that is no kernel and no alias");
        return NULL;
    }
    ptx_next(parser);
    return entry;
}

/* ".alias other_name, function;" */
static bool parse_alias(struct ptx_parser *parser)
{
    const struct ptx_token start = parser->token;
    ptx_next(parser);
    struct ptx_function *alias = parse_function_name(parser);
    if (!alias || !ptx_expect(parser, ',', "after the alias"))
        return false;
    const struct ptx_function *function = parse_function_name(parser);
    if (!function)
        return false;
    if (!alias->function.is_declaration || alias == function)
        return ptx_error_at(parser, start.offset, start.length, "'%s' has a body: it cannot be an alias",
                            alias->function.name);
    if (!same_parameters(parser, &alias->function, &function->function))
        return ptx_error_at(parser, start.offset, start.length, "'%s' was declared with other parameters",
                            alias->function.name);
    alias->alias_of = (uint32_t)(function - parser->functions.data);
    return ptx_expect_semicolon(parser, "the alias");
}

static bool parse_item(struct ptx_parser *parser)
{
    if (ptx_accept(parser, ';'))
        return true;
    if (ptx_is_word(parser, ".version"))
        return parse_version(parser);
    if (ptx_is_word(parser, ".target"))
        return parse_target(parser);
    if (ptx_is_word(parser, ".address_size"))
        return parse_address_size(parser);
    if (ptx_is_word(parser, ".file"))
        return ptx_parse_file(parser);
    if (ptx_is_word(parser, ".loc"))
        return ptx_parse_loc(parser);
    if (ptx_is_word(parser, ".section"))
        return ptx_skip_section(parser);
    if (ptx_is_word(parser, ".pragma"))
        return ptx_parse_pragma(parser);
    if (ptx_is_word(parser, ".alias"))
        return parse_alias(parser);
    const unsigned linkage = ptx_parse_linkage(parser);
    if (ptx_is_word(parser, ".entry") || ptx_is_word(parser, ".func"))
        return parse_function(parser, linkage);
    if (parser->token.kind == PTX_DOT && !ptx_is_word(parser, ".reg"))
        return ptx_parse_variables(parser, linkage);
    return ptx_error(parser, "expected a directive, a variable or a function");
}

bool ptx_parse_module(struct ptx_parser *parser)
{
    ptx_next(parser);
    if (!ptx_is_word(parser, ".version"))
        return ptx_error(parser, "expected .version: a PTX text begins with it");
    while (parser->token.kind != PTX_END && !parser->no_memory) {
        if (parse_item(parser))
            continue;
        ptx_recover(parser);
        ptx_accept(parser, '}');
    }
    if (!parser->module->target && parser->errors == 0)
        ptx_error(parser, "the text has no .target");
    return parser->errors == 0 && !parser->no_memory;
}
