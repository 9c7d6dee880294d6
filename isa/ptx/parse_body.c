/* Function bodies: a flat list of statements between braces. Inner braces open scopes, kept on the parser's own stack,
 * so that depth of nesting costs no stack of the host.
 *
 * Labels and target tables may be named before they stand; such names wait as fixups until the scope ends in which they
 * were used, and go on to the outer scope when it has no such label. */
#include "isa/ptx/parse.h"

#include <stdlib.h>
#include <string.h>

static bool open_scope(struct ptx_parser *parser)
{
    if (parser->depth >= PTX_DEPTH_MAX)
        return ptx_error(parser, "blocks are nested deeper than %d levels", PTX_DEPTH_MAX);
    parser->depth++;
    ptx_scope_reset(&parser->scopes[parser->depth]);
    parser->scopes[parser->depth].first_fixup = parser->body.fixups.count;
    return true;
}

/* Gives the place that waits for a name what the name stands for. False when it stands for something else. */
static bool apply_fixup(struct ptx_body *body, const struct ptx_fixup *fixup, const struct ptx_symbol *symbol)
{
    const bool wants_table = fixup->kind == PTX_FIX_TABLE;
    if (symbol->kind != (wants_table ? PTX_SYMBOL_TABLE : PTX_SYMBOL_LABEL))
        return false;
    if (fixup->kind == PTX_FIX_ITEM) {
        body->tables.data[fixup->table].labels[fixup->index] = symbol->ref;
    } else {
        struct isa_operand *operand = &body->operands.data[fixup->index];
        if (wants_table)
            operand->ref = symbol->ref;
        else
            operand->aux = symbol->ref;
    }
    return true;
}

static void close_scope(struct ptx_parser *parser)
{
    struct ptx_body *body = &parser->body;
    const struct ptx_scope *scope = &parser->scopes[parser->depth];
    size_t kept = scope->first_fixup;
    for (size_t i = scope->first_fixup; i < body->fixups.count; i++) {
        const struct ptx_fixup fixup = body->fixups.data[i];
        const char *name = ptx_text(parser, fixup.offset);
        const struct ptx_symbol *symbol = ptx_scope_find(scope, name, fixup.length, PTX_SPACE_NAMES);
        const char *kind = fixup.kind == PTX_FIX_TABLE ? "target table" : "label";
        if (symbol && !apply_fixup(body, &fixup, symbol))
            ptx_error_at(parser, fixup.offset, fixup.length, "'%.*s' is no %s", (int)fixup.length, name, kind);
        else if (!symbol && parser->depth == 1)
            ptx_error_at(parser, fixup.offset, fixup.length, "the %s '%.*s' is not declared", kind, (int)fixup.length,
                         name);
        else if (!symbol)
            body->fixups.data[kept++] = fixup;
    }
    body->fixups.count = kept;
    ptx_scope_reset(&parser->scopes[parser->depth]);
    parser->depth--;
}

static bool declare_vector(struct ptx_parser *parser, const struct ptx_symbol *whole, uint32_t offset)
{
    struct ptx_scope *scope = &parser->scopes[parser->depth];
    const size_t index = scope->symbols.count;
    return ptx_add_symbol(parser, whole, offset) && ptx_add_elements(parser, scope, index);
}

/* NAME, NAME<N>: one entry of a .reg list. */
static bool declare_register(struct ptx_parser *parser, enum isa_type type, unsigned elements)
{
    const struct ptx_token name = parser->token;
    if (name.kind != PTX_IDENT)
        return ptx_error(parser, "expected the name of a register");
    struct ptx_symbol symbol = {.name = ptx_text(parser, name.offset),
                                .length = name.length,
                                .kind = PTX_SYMBOL_REG,
                                .type = (uint8_t)type,
                                .elements = (uint8_t)elements,
                                .function_level = parser->depth == 1,
                                .ref = PTX_NO_REF,
                                .count = 1,
                                .family = PTX_NO_REF};
    ptx_next(parser);
    if (ptx_accept(parser, '<')) {
        symbol.kind = PTX_SYMBOL_FAMILY;
        const struct ptx_token count = parser->token;
        struct ptx_const value = {0};
        if (!ptx_parse_const_sum(parser, &value) || !ptx_expect(parser, '>', "after the number of registers"))
            return false;
        if (value.is_float || value.bits > PTX_REGISTERS_MAX)
            return ptx_error_at(parser, count.offset, count.length, "a function has at most %d registers",
                                PTX_REGISTERS_MAX);
        symbol.count = (uint32_t)value.bits;
    }
    parser->body.registers_declared += (uint64_t)symbol.count * (elements ? elements : 1);
    if (parser->body.registers_declared > PTX_REGISTERS_MAX)
        return ptx_error_at(parser, name.offset, name.length, "a function has at most %d registers", PTX_REGISTERS_MAX);
    return elements && symbol.kind == PTX_SYMBOL_REG ? declare_vector(parser, &symbol, name.offset)
                                                     : ptx_add_symbol(parser, &symbol, name.offset);
}

static bool parse_registers(struct ptx_parser *parser)
{
    ptx_next(parser);
    unsigned elements = 0;
    if (ptx_is_word(parser, ".v2") || ptx_is_word(parser, ".v4")) {
        elements = ptx_is_word(parser, ".v2") ? 2 : 4;
        ptx_next(parser);
    }
    const enum isa_type type = ptx_parse_type(parser);
    if (type == ISA_TYPE_NONE)
        return ptx_error(parser, "expected the type of the registers");
    ptx_next(parser);
    do {
        if (!declare_register(parser, type, elements))
            return false;
    } while (ptx_accept(parser, ','));
    return ptx_expect_semicolon(parser, "the registers");
}

static bool new_label(struct ptx_parser *parser, const struct ptx_token *name)
{
    struct ptx_body *body = &parser->body;
    const struct ptx_symbol symbol = {.name = ptx_text(parser, name->offset),
                                      .length = name->length,
                                      .kind = PTX_SYMBOL_LABEL,
                                      .ref = (uint32_t)body->labels.count};
    if (!ptx_add_symbol(parser, &symbol, name->offset))
        return false;
    const struct ptx_label label = {
        .label = {.name = base_arena_strndup(&parser->module->arena, symbol.name, name->length),
                  .insn = (uint32_t)body->insns.count},
        .function_level = parser->depth == 1};
    return (label.label.name && base_vec_push(&body->labels, label)) || ptx_no_memory(parser);
}

/* The names behind .branchtargets or .calltargets. */
static bool parse_targets(struct ptx_parser *parser, struct isa_table *table, uint32_t table_index)
{
    BASE_VEC(uint32_t) items = {0};
    bool good = true;
    do {
        const struct ptx_token name = parser->token;
        uint32_t item = 0;
        if (name.kind != PTX_IDENT) {
            good = ptx_error(parser, "expected a name in the list of targets");
            break;
        }
        if (table->kind == ISA_TABLE_CALL) {
            const struct ptx_symbol *symbol = ptx_resolve(parser, name.offset, name.length);
            good = symbol && symbol->kind == PTX_SYMBOL_FUNC;
            if (!good)
                ptx_error(parser, "'%.*s' is no declared function", (int)name.length, ptx_text(parser, name.offset));
            item = good ? symbol->ref : 0;
        } else {
            const struct ptx_fixup fixup = {.offset = name.offset,
                                            .length = name.length,
                                            .kind = PTX_FIX_ITEM,
                                            .index = (uint32_t)items.count,
                                            .table = table_index};
            good = base_vec_push(&parser->body.fixups, fixup) || ptx_no_memory(parser);
        }
        ptx_next(parser);
        good = good && (base_vec_push(&items, item) || ptx_no_memory(parser));
    } while (good && ptx_accept(parser, ','));
    table->count = good ? items.count : 0;
    table->items = base_arena_alloc(&parser->module->arena, items.count, sizeof *table->items);
    if (table->kind == ISA_TABLE_BRANCH)
        table->labels = base_arena_alloc(&parser->module->arena, items.count, sizeof *table->labels);
    if (!table->items || (table->kind == ISA_TABLE_BRANCH && !table->labels))
        good = ptx_no_memory(parser);
    else if (table->kind == ISA_TABLE_CALL && items.count)
        memcpy(table->items, items.data, items.count * sizeof *items.data);
    base_vec_free(&items);
    return good;
}

/* "(.param .b64 _) _ (.param .b32 _)": the text is kept with single spaces, and the sizes of both lists. */
static bool parse_prototype(struct ptx_parser *parser, struct isa_table *table)
{
    struct ptx_lexer lexer = parser->lexer;
    struct base_strbuf text = {0};
    uint32_t *vars = NULL;
    size_t count = 0;
    for (struct ptx_token token = parser->token; token.kind != PTX_END && token.kind != PTX_BAD;
         token = isa_ptx_lex(&lexer)) {
        if (token.kind == PTX_PUNCT && token.punct == ';')
            break;
        if (text.length)
            base_strbuf_putc(&text, ' ');
        base_strbuf_append(&text, ptx_text(parser, token.offset), token.length);
    }
    table->prototype = text.failed ? NULL : base_arena_strndup(&parser->module->arena, text.data, text.length);
    base_strbuf_free(&text);
    if (!table->prototype)
        return ptx_no_memory(parser);
    /* Names in it are of no use outside: they get a scope of their own. */
    if (!open_scope(parser))
        return false;
    bool good = !ptx_is(parser, '(') || ptx_parse_param_list(parser, &vars, &count, &table->ret_bytes);
    if (good && parser->token.kind != PTX_IDENT)
        good = ptx_error(parser, "expected '_' in the prototype");
    if (good)
        ptx_next(parser);
    if (good && ptx_is(parser, '('))
        good = ptx_parse_param_list(parser, &vars, &count, &table->param_bytes);
    close_scope(parser);
    uint32_t ignored = 0;
    while (good && (ptx_is_word(parser, ".noreturn") || ptx_is_word(parser, ".abi_preserve") ||
                    ptx_is_word(parser, ".abi_preserve_control"))) {
        ptx_next(parser);
        good = parser->token.kind != PTX_INT || ptx_parse_u32(parser, "a number of registers", &ignored);
    }
    return good;
}

/* NAME: .branchtargets ... ; NAME: .calltargets ... ; NAME: .callprototype ... ; */
static bool parse_table(struct ptx_parser *parser, const struct ptx_token *name)
{
    struct ptx_body *body = &parser->body;
    struct isa_table table = {0};
    const uint32_t index = (uint32_t)body->tables.count;
    table.kind = ptx_is_word(parser, ".branchtargets") ? ISA_TABLE_BRANCH
                 : ptx_is_word(parser, ".calltargets") ? ISA_TABLE_CALL
                                                       : ISA_TABLE_PROTOTYPE;
    const struct ptx_symbol symbol = {
        .name = ptx_text(parser, name->offset), .length = name->length, .kind = PTX_SYMBOL_TABLE, .ref = index};
    if (!ptx_add_symbol(parser, &symbol, name->offset))
        return false;
    table.name = base_arena_strndup(&parser->module->arena, symbol.name, name->length);
    if (!table.name || !base_vec_push(&body->tables, table) ||
        !base_vec_push(&body->table_function_level, parser->depth == 1))
        return ptx_no_memory(parser);
    ptx_next(parser);
    const bool good =
        table.kind == ISA_TABLE_PROTOTYPE ? parse_prototype(parser, &table) : parse_targets(parser, &table, index);
    body->tables.data[index] = table;
    return good && ptx_expect_semicolon(parser, "the table");
}

static bool parse_label(struct ptx_parser *parser)
{
    const struct ptx_token name = parser->token;
    ptx_next(parser);
    ptx_next(parser);
    if (ptx_is_word(parser, ".branchtargets") || ptx_is_word(parser, ".calltargets") ||
        ptx_is_word(parser, ".callprototype"))
        return parse_table(parser, &name);
    return new_label(parser, &name);
}

static bool parse_directive(struct ptx_parser *parser)
{
    if (ptx_is_word(parser, ".reg"))
        return parse_registers(parser);
    if (ptx_is_word(parser, ".loc"))
        return ptx_parse_loc(parser);
    if (ptx_is_word(parser, ".file"))
        return ptx_parse_file(parser);
    if (ptx_is_word(parser, ".pragma"))
        return ptx_parse_pragma(parser);
    if (ptx_is_word(parser, ".section"))
        return ptx_skip_section(parser);
    return ptx_parse_variables(parser, ptx_parse_linkage(parser));
}

static bool parse_statement(struct ptx_parser *parser)
{
    if (ptx_accept(parser, ';'))
        return true;
    if (ptx_is(parser, '{')) {
        if (!open_scope(parser))
            return false;
        ptx_next(parser);
        return true;
    }
    if (parser->token.kind == PTX_DOT)
        return parse_directive(parser);
    const struct ptx_token behind = parser->token.kind == PTX_IDENT ? ptx_peek(parser) : parser->token;
    if (behind.kind == PTX_PUNCT && behind.punct == ':')
        return parse_label(parser);
    return ptx_parse_insn(parser);
}

/* Whether control can go on behind the last instruction. */
static bool can_fall_off(const struct ptx_body *body)
{
    if (body->insns.count == 0)
        return true;
    if (body->labels.count && body->labels.data[body->labels.count - 1].label.insn == body->insns.count)
        return true;
    const struct isa_insn *last = &body->insns.data[body->insns.count - 1];
    return last->guard >= 0 || !(isa_ops[last->op].flags & (ISA_OPF_BRANCH | ISA_OPF_RETURN | ISA_OPF_EXIT));
}

/* A body that ends without ret ends with an implied one; later passes find a terminator at the end of every body. */
static bool end_body(struct ptx_parser *parser)
{
    struct ptx_body *body = &parser->body;
    if (!can_fall_off(body))
        return true;
    struct isa_insn insn = {.op = ISA_OP_RET,
                            .guard = -1,
                            .offset = parser->token.offset,
                            .length = parser->token.length,
                            .line = parser->token.line,
                            .loc_file = body->loc,
                            .loc_line = body->loc_line};
    if (!ptx_move_reg_params(parser, true, &insn))
        return false;
    insn.pc = (uint32_t)body->insns.count;
    insn.operand_first = (uint32_t)body->operands.count;
    return base_vec_push(&body->insns, insn) || ptx_no_memory(parser);
}

static void reset_body(struct ptx_body *body, uint32_t function)
{
    body->insns.count = 0;
    body->operands.count = 0;
    body->regs.count = 0;
    body->reg_family.count = 0;
    body->reg_next.count = 0;
    body->families.count = 0;
    body->labels.count = 0;
    body->tables.count = 0;
    body->table_function_level.count = 0;
    body->locals.count = 0;
    body->fixups.count = 0;
    body->registers_declared = 0;
    body->loc = 0;
    body->loc_line = 0;
    body->function = function;
}

bool ptx_parse_body(struct ptx_parser *parser, uint32_t function)
{
    const struct ptx_token start = parser->token;
    reset_body(&parser->body, function);
    parser->scopes[1].first_fixup = 0;
    const size_t errors_before = parser->errors;
    const struct isa_insn head = {.guard = -1, .offset = start.offset, .length = start.length, .line = start.line};
    ptx_next(parser);
    if (!ptx_move_reg_params(parser, false, &head))
        return false;
    while (!parser->no_memory) {
        if (parser->token.kind == PTX_END)
            return ptx_error_at(parser, start.offset, start.length, "this '{' has no '}'");
        if (ptx_is(parser, '}')) {
            if (parser->depth == 1 && !end_body(parser))
                return false;
            close_scope(parser);
            if (parser->depth == 0)
                break;
            ptx_next(parser);
            continue;
        }
        parser->open_braces = 0;
        if (!parse_statement(parser))
            ptx_recover(parser);
    }
    if (parser->no_memory)
        return false;
    ptx_next(parser);
    return parser->errors != errors_before || ptx_finish_body(parser);
}
