/* From what was parsed to what is kept.
 *
 * ptx_finish_body(): a body has been read. Names of inner blocks move to the level of the function, so those that would
 * meet another name there get a new one, NAME_s1_ and so on. The underscore at the end keeps a new register name from
 * looking like the member of a family.
 *
 * ptx_finish_module(): the whole text has been read. Functions and variables get their final order, which does not
 * depend on forward declarations: functions without a body first, then the others as they are defined; variables of the
 * module first, then those of each function. Every reference is then renumbered. */
#include "isa/ptx/parse.h"

#include <stdlib.h>
#include <string.h>

/* Names taken at the level of the function. Families are entered under their stem. */
struct names {
    struct ptx_scope taken;
    struct ptx_parser *parser;
    unsigned last_number; /* of all new names: counting on keeps the search for a free one short */
};

/* How many members a family has does not matter here. */
static struct ptx_symbol named(const char *name, bool family)
{
    return (struct ptx_symbol){.name = name,
                               .length = (uint32_t)strlen(name),
                               .kind = family ? PTX_SYMBOL_FAMILY : PTX_SYMBOL_REG,
                               .count = PTX_REGISTERS_MAX};
}

static bool take(struct names *names, const char *name, bool family)
{
    const struct ptx_symbol symbol = named(name, family);
    return ptx_scope_declare(&names->taken, &symbol) || ptx_no_memory(names->parser);
}

static bool is_taken(const struct names *names, const char *name)
{
    const struct ptx_symbol family = named(name, true);
    const struct ptx_symbol single = named(name, false);
    return ptx_scope_conflicts(&names->taken, &family) || ptx_scope_conflicts(&names->taken, &single) ||
           ptx_scope_conflicts(&names->parser->scopes[0], &single);
}

/* A free name made from `name`, in the arena. */
static const char *fresh_name(struct names *names, const char *name)
{
    struct base_strbuf text = {0};
    const char *result = NULL;
    while (!result && !names->parser->no_memory) {
        text.length = 0;
        base_strbuf_printf(&text, "%s_s%u_", name, ++names->last_number);
        if (text.failed) {
            ptx_no_memory(names->parser);
            break;
        }
        for (size_t i = 0; i < text.length; i++)
            if (text.data[i] == '.')
                text.data[i] = '_';
        if (is_taken(names, text.data))
            continue;
        result = base_arena_strndup(&names->parser->module->arena, text.data, text.length);
        if (!result)
            ptx_no_memory(names->parser);
    }
    base_strbuf_free(&text);
    return result;
}

/* First what keeps its name on the function's own level, then what cannot (a name of the module would be hidden from
 * what stands before the declaration; a vector's element has a dot in its name), then what comes from inner blocks. */
enum pass { PASS_KEPT, PASS_RENAMED, PASS_INNER, PASS_COUNT };

static enum pass pass_of(const struct names *names, const char *name, bool function_level)
{
    if (!function_level)
        return PASS_INNER;
    const bool hides = ptx_scope_find(&names->parser->scopes[0], name, (uint32_t)strlen(name), PTX_SPACE_NAMES);
    return hides || strchr(name, '.') ? PASS_RENAMED : PASS_KEPT;
}

/* Gives *name its name at the level of the function, when this is its pass. */
static bool settle(struct names *names, const char **name, bool function_level, bool family, enum pass pass)
{
    if (pass_of(names, *name, function_level) != pass)
        return true;
    bool keeps = pass == PASS_KEPT;
    if (pass == PASS_INNER)
        keeps = !strchr(*name, '.') && !is_taken(names, *name);
    if (!keeps)
        *name = fresh_name(names, *name);
    return *name && take(names, *name, family);
}

static bool settle_family(struct names *names, struct ptx_body *body, struct ptx_family *family, enum pass pass)
{
    if (!settle(names, &family->name, family->function_level, family->is_family, pass))
        return false;
    for (int32_t reg = family->first_reg; reg >= 0; reg = body->reg_next.data[reg])
        body->regs.data[reg].name = family->name;
    return true;
}

static bool name_pass(struct names *names, struct ptx_body *body, enum pass pass)
{
    bool good = true;
    for (size_t i = 0; good && i < body->families.count; i++)
        good = settle_family(names, body, &body->families.data[i], pass);
    for (size_t i = 0; good && i < body->locals.count; i++) {
        struct ptx_var *entry = &names->parser->vars.data[body->locals.data[i]];
        good = settle(names, &entry->var.name, entry->function_level, false, pass);
    }
    for (size_t i = 0; good && i < body->labels.count; i++) {
        struct ptx_label *label = &body->labels.data[i];
        good = settle(names, &label->label.name, label->function_level, false, pass);
    }
    for (size_t i = 0; good && i < body->tables.count; i++)
        good = settle(names, &body->tables.data[i].name, body->table_function_level.data[i], false, pass);
    return good;
}

static bool name_all(struct ptx_parser *parser, const struct isa_function *function)
{
    struct names names = {.parser = parser};
    bool good = true;
    for (size_t i = 0; good && i < function->param_count; i++)
        good = take(&names, parser->vars.data[function->params[i]].var.name, false);
    for (size_t i = 0; good && i < function->ret_count; i++)
        good = take(&names, parser->vars.data[function->rets[i]].var.name, false);
    for (unsigned pass = 0; good && pass < PASS_COUNT; pass++)
        good = name_pass(&names, &parser->body, (enum pass)pass);
    ptx_scope_free(&names.taken);
    return good;
}

/* Labels that nothing names are dropped: compilers write many for debuggers. Operands get the instruction that their
 * label stands for. */
static bool resolve_labels(struct ptx_parser *parser)
{
    struct ptx_body *body = &parser->body;
    uint32_t *place = calloc(body->labels.count + 1, sizeof *place); /* by label: its new index + 1; 0: not named */
    if (!place)
        return ptx_no_memory(parser);
    for (size_t i = 0; i < body->operands.count; i++)
        if (body->operands.data[i].kind == ISA_OPERAND_LABEL)
            place[body->operands.data[i].aux] = 1;
    for (size_t i = 0; i < body->tables.count; i++)
        for (size_t k = 0; body->tables.data[i].labels && k < body->tables.data[i].count; k++)
            place[body->tables.data[i].labels[k]] = 1;
    uint32_t count = 0;
    for (size_t i = 0; i < body->labels.count; i++) {
        if (!place[i])
            continue;
        body->labels.data[count++] = body->labels.data[i];
        place[i] = count;
    }
    body->labels.count = count;
    for (size_t i = 0; i < body->operands.count; i++) {
        struct isa_operand *operand = &body->operands.data[i];
        if (operand->kind != ISA_OPERAND_LABEL)
            continue;
        operand->aux = place[operand->aux] - 1;
        operand->ref = body->labels.data[operand->aux].label.insn;
    }
    for (size_t i = 0; i < body->tables.count; i++) {
        struct isa_table *table = &body->tables.data[i];
        for (size_t k = 0; table->labels && k < table->count; k++) {
            table->labels[k] = place[table->labels[k]] - 1;
            table->items[k] = body->labels.data[table->labels[k]].label.insn;
        }
    }
    free(place);
    return true;
}

static void *arena_copy(struct ptx_parser *parser, const void *data, size_t count, size_t size)
{
    void *copy = base_arena_alloc(&parser->module->arena, count, size);
    if (!copy)
        ptx_no_memory(parser);
    else if (count)
        memcpy(copy, data, count * size);
    return copy;
}

bool ptx_finish_body(struct ptx_parser *parser)
{
    struct ptx_body *body = &parser->body;
    struct isa_function *function = &parser->functions.data[body->function].function;
    if (!resolve_labels(parser) || !name_all(parser, function))
        return false;
    function->insn_count = function->text_insn_count = body->insns.count;
    function->operand_count = body->operands.count;
    function->reg_count = body->regs.count;
    function->label_count = body->labels.count;
    function->table_count = body->tables.count;
    function->local_count = body->locals.count;
    function->insns = arena_copy(parser, body->insns.data, body->insns.count, sizeof *function->insns);
    function->operands = arena_copy(parser, body->operands.data, body->operands.count, sizeof *function->operands);
    function->regs = arena_copy(parser, body->regs.data, body->regs.count, sizeof *function->regs);
    function->tables = arena_copy(parser, body->tables.data, body->tables.count, sizeof *function->tables);
    function->locals = arena_copy(parser, body->locals.data, body->locals.count, sizeof *function->locals);
    function->labels = base_arena_alloc(&parser->module->arena, body->labels.count, sizeof *function->labels);
    if (!function->labels)
        return ptx_no_memory(parser);
    for (size_t i = 0; i < body->labels.count; i++)
        function->labels[i] = body->labels.data[i].label;
    return !parser->no_memory;
}

static bool order_functions(struct ptx_parser *parser)
{
    struct isa_module *module = parser->module;
    const size_t count = parser->functions.count;
    /* by_order[o]: the function whose place in the text is o, plus 1; places of declarations that were followed by a
     * definition stay empty. */
    uint32_t *by_order = calloc((size_t)parser->functions_seen + 1, sizeof *by_order);
    module->functions = base_arena_alloc(&module->arena, count, sizeof *module->functions);
    if (!by_order || !module->functions) {
        free(by_order);
        return ptx_no_memory(parser);
    }
    for (size_t i = 0; i < count; i++)
        by_order[parser->functions.data[i].order] = (uint32_t)i + 1;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t order = 0; order < parser->functions_seen; order++) {
            if (by_order[order] == 0)
                continue;
            struct ptx_function *entry = &parser->functions.data[by_order[order] - 1];
            if (entry->function.is_declaration != (pass == 0) || entry->alias_of != PTX_NO_REF)
                continue;
            entry->moved_to = (uint32_t)module->function_count;
            module->functions[module->function_count++] = entry->function;
        }
    }
    free(by_order);
    for (size_t i = 0; i < count; i++)
        if (parser->functions.data[i].alias_of != PTX_NO_REF)
            parser->functions.data[i].moved_to = parser->functions.data[parser->functions.data[i].alias_of].moved_to;
    return true;
}

/* The entry that stands for a variable which was declared more than once. */
static uint32_t canonical_var(const struct ptx_parser *parser, uint32_t var)
{
    while (parser->vars.data[var].moved_to != PTX_NO_REF)
        var = parser->vars.data[var].moved_to;
    return var;
}

static void place_var(struct ptx_parser *parser, uint32_t *places, uint32_t var, int32_t function)
{
    struct isa_module *module = parser->module;
    places[var] = (uint32_t)module->var_count;
    module->vars[module->var_count] = parser->vars.data[var].var;
    module->vars[module->var_count++].function = function;
}

static void order_vars(struct ptx_parser *parser, uint32_t *places)
{
    struct isa_module *module = parser->module;
    for (uint32_t i = 0; i < parser->vars.count; i++)
        if (parser->vars.data[i].var.function < 0 && parser->vars.data[i].moved_to == PTX_NO_REF)
            place_var(parser, places, i, -1);
    for (size_t f = 0; f < module->function_count; f++) {
        const struct isa_function *function = &module->functions[f];
        for (size_t i = 0; i < function->ret_count; i++)
            place_var(parser, places, function->rets[i], (int32_t)f);
        for (size_t i = 0; i < function->param_count; i++)
            place_var(parser, places, function->params[i], (int32_t)f);
        for (size_t i = 0; i < function->local_count; i++)
            place_var(parser, places, function->locals[i], (int32_t)f);
    }
}

static void renumber_operands(const struct ptx_parser *parser, const struct isa_function *function,
                              const uint32_t *places)
{
    for (size_t i = 0; i < function->operand_count; i++) {
        struct isa_operand *operand = &function->operands[i];
        const bool symbol = operand->kind == ISA_OPERAND_SYMBOL ||
                            (operand->kind == ISA_OPERAND_MEM && operand->base_kind == ISA_OPERAND_SYMBOL);
        if (symbol)
            operand->ref = places[canonical_var(parser, operand->ref)];
        else if (operand->kind == ISA_OPERAND_FUNC)
            operand->ref = parser->functions.data[operand->ref].moved_to;
    }
    for (size_t i = 0; i < function->table_count; i++)
        for (size_t k = 0; function->tables[i].kind == ISA_TABLE_CALL && k < function->tables[i].count; k++)
            function->tables[i].items[k] = parser->functions.data[function->tables[i].items[k]].moved_to;
}

static bool renumber_relocs(struct ptx_parser *parser, struct isa_var *var, const uint32_t *places)
{
    if (var->reloc_count == 0)
        return true;
    struct isa_reloc *relocs = arena_copy(parser, var->relocs, var->reloc_count, sizeof *relocs);
    if (!relocs)
        return false;
    for (size_t i = 0; i < var->reloc_count; i++)
        relocs[i].ref = relocs[i].is_function ? parser->functions.data[relocs[i].ref].moved_to
                                              : places[canonical_var(parser, relocs[i].ref)];
    var->relocs = relocs;
    return true;
}

bool ptx_finish_module(struct ptx_parser *parser)
{
    struct isa_module *module = parser->module;
    if (!order_functions(parser))
        return false;
    module->vars = base_arena_alloc(&module->arena, parser->vars.count, sizeof *module->vars);
    uint32_t *places = calloc(parser->vars.count + 1, sizeof *places);
    bool good = (module->vars && places) || ptx_no_memory(parser);
    if (good)
        order_vars(parser, places);
    for (size_t f = 0; good && f < module->function_count; f++) {
        struct isa_function *function = &module->functions[f];
        renumber_operands(parser, function, places);
        for (size_t i = 0; i < function->ret_count; i++)
            function->rets[i] = places[function->rets[i]];
        for (size_t i = 0; i < function->param_count; i++)
            function->params[i] = places[function->params[i]];
        for (size_t i = 0; i < function->local_count; i++)
            function->locals[i] = places[function->locals[i]];
    }
    for (size_t i = 0; good && i < module->var_count; i++)
        good = renumber_relocs(parser, &module->vars[i], places);
    free(places);
    module->files = good ? arena_copy(parser, parser->files.data, parser->files.count, sizeof *module->files) : NULL;
    module->file_count = module->files ? parser->files.count : 0;
    return good && ptx_finish_locs(parser) && !parser->no_memory;
}
