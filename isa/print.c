/* Modules and functions as canonical PTX: it reads back to the same IR.
 *
 * The order is: directives, functions that have no body, declarations of functions that are named before their body,
 * variables, functions. Inside a body: registers, variables, target tables, instructions. What is derived (convergence
 * instructions) stands in comments only. */
#include "isa/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct plan { /* what is printed */
    const struct isa_module *module;
    struct base_strbuf *out;
    bool derived;
    bool *functions, *vars; /* by index */
    bool *declare;          /* functions to be declared ahead */
    bool *forward;          /* variables to be declared ahead */
};

static const char *linkage_word(unsigned linkage)
{
    static const char *const words[] = {"", ".visible ", ".extern ", ".weak ", ".common "};
    return words[linkage];
}

static const char *space_word(unsigned space)
{
    switch (space) {
    case ISA_SPACE_GLOBAL:
        return ".global";
    case ISA_SPACE_SHARED:
        return ".shared";
    case ISA_SPACE_LOCAL:
        return ".local";
    case ISA_SPACE_CONST:
        return ".const";
    default:
        return ".param";
    }
}

/* ".align 8 .b8 name[24]" */
static void print_declarator(const struct isa_var *var, struct base_strbuf *out)
{
    const uint32_t element_bytes = isa_types[var->type].bits / 8U;
    base_strbuf_puts(out, space_word(var->space));
    if (var->align_bytes != element_bytes)
        base_strbuf_printf(out, " .align %" PRIu32, var->align_bytes);
    base_strbuf_printf(out, " .%s %s", isa_types[var->type].name, var->name);
    if (var->unsized)
        base_strbuf_puts(out, "[]");
    else if (var->size_bytes != element_bytes)
        base_strbuf_printf(out, "[%" PRIu64 "]", var->size_bytes / element_bytes);
}

static void print_reloc(const struct isa_module *module, const struct isa_reloc *reloc, struct base_strbuf *out)
{
    const char *name = reloc->is_function ? module->functions[reloc->ref].name : module->vars[reloc->ref].name;
    isa_print_address(out, name, reloc->generic, reloc->addend);
}

/* An address among elements of 8 bits: one byte after the other. */
static void print_masked_reloc(const struct isa_module *module, const struct isa_reloc *reloc, struct base_strbuf *out)
{
    for (unsigned byte = 0; byte < reloc->size_bytes; byte++) {
        base_strbuf_printf(out, "%s0x%" PRIX64 "(", byte ? ", " : "", UINT64_C(0xff) << (8 * byte));
        print_reloc(module, reloc, out);
        base_strbuf_putc(out, ')');
    }
}

static uint64_t element_bits(const uint8_t *bytes, uint32_t element_bytes)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < element_bytes && i < 8; i++)
        bits |= (uint64_t)bytes[i] << (8 * i);
    return bits;
}

/* Trailing zeros are left out: they are what an element without a value has. */
static uint64_t init_end(const struct isa_var *var)
{
    uint64_t end = var->size_bytes;
    while (end > 0 && var->init[end - 1] == 0)
        end--;
    if (var->reloc_count) {
        const struct isa_reloc *last = &var->relocs[var->reloc_count - 1];
        if (last->offset_bytes + last->size_bytes > end)
            end = last->offset_bytes + last->size_bytes;
    }
    return end;
}

static void print_init(const struct isa_module *module, const struct isa_var *var, struct base_strbuf *out)
{
    const uint32_t element_bytes = isa_types[var->type].bits / 8U;
    const uint64_t end = init_end(var);
    size_t reloc = 0;
    const bool scalar = var->size_bytes == element_bytes;
    base_strbuf_puts(out, scalar ? " = " : " = {");
    for (uint64_t at = 0; at < end && !out->failed;) {
        base_strbuf_puts(out, at ? ", " : "");
        if (reloc < var->reloc_count && var->relocs[reloc].offset_bytes == at) {
            const struct isa_reloc *r = &var->relocs[reloc++];
            if (r->size_bytes == element_bytes)
                print_reloc(module, r, out);
            else
                print_masked_reloc(module, r, out);
            at += r->size_bytes;
        } else {
            isa_print_constant(out, var->type, element_bits(var->init + at, element_bytes));
            at += element_bytes;
        }
    }
    base_strbuf_puts(out, scalar ? "" : "}");
}

static void print_var(const struct plan *plan, const struct isa_var *var)
{
    base_strbuf_puts(plan->out, linkage_word(var->linkage));
    print_declarator(var, plan->out);
    if (var->init)
        print_init(plan->module, var, plan->out);
    base_strbuf_puts(plan->out, ";\n");
}

static void print_params(const struct plan *plan, const uint32_t *vars, size_t count)
{
    base_strbuf_putc(plan->out, '(');
    for (size_t i = 0; i < count; i++) {
        base_strbuf_puts(plan->out, i ? ",\n\t" : "\n\t");
        print_declarator(&plan->module->vars[vars[i]], plan->out);
    }
    base_strbuf_puts(plan->out, count ? "\n)" : ")");
}

static void print_extent(struct base_strbuf *out, const char *word, const uint32_t extent[3])
{
    if (extent[0] || extent[1] || extent[2])
        base_strbuf_printf(out, "\n%s %" PRIu32 ", %" PRIu32 ", %" PRIu32, word, extent[0], extent[1], extent[2]);
}

static void print_limit(struct base_strbuf *out, const char *word, uint32_t value)
{
    if (value)
        base_strbuf_printf(out, "\n%s %" PRIu32, word, value);
}

/* From the linkage to the directives before the body. */
static void print_head(const struct plan *plan, const struct isa_function *function)
{
    struct base_strbuf *out = plan->out;
    base_strbuf_printf(out, "%s%s ", linkage_word(function->linkage), function->is_entry ? ".entry" : ".func");
    if (function->ret_count) {
        print_params(plan, function->rets, function->ret_count);
        base_strbuf_putc(out, ' ');
    }
    base_strbuf_puts(out, function->name);
    print_params(plan, function->params, function->param_count);
    base_strbuf_puts(out, function->is_noreturn ? "\n.noreturn" : "");
    print_extent(out, ".maxntid", function->maxntid);
    print_extent(out, ".reqntid", function->reqntid);
    print_limit(out, ".minnctapersm", function->minnctapersm);
    print_limit(out, ".maxnctapersm", function->maxnctapersm);
    print_limit(out, ".maxnreg", function->maxnreg);
    base_strbuf_puts(out, function->explicitcluster ? "\n.explicitcluster" : "");
    print_extent(out, ".reqnctapercluster", function->reqnctapercluster);
    print_limit(out, ".maxclusterrank", function->maxclusterrank);
}

struct family {
    const struct isa_reg *reg; /* its first member in the function's array */
    uintptr_t key;             /* members of a family share the bytes of their name */
    uint32_t first;
    int32_t last_ordinal;
};

static int compare_members(const void *a, const void *b)
{
    const struct family *x = a;
    const struct family *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static int compare_first(const void *a, const void *b)
{
    const struct family *x = a;
    const struct family *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* One declaration a family, in the order of their first members. */
static void print_registers(const struct isa_function *function, struct base_strbuf *out)
{
    struct family *families = calloc(function->reg_count + 1, sizeof *families);
    if (!families) {
        out->failed = true;
        return;
    }
    for (uint32_t i = 0; i < function->reg_count; i++) {
        const struct isa_reg *reg = &function->regs[i];
        families[i] =
            (struct family){.reg = reg, .key = (uintptr_t)reg->name, .first = i, .last_ordinal = reg->ordinal};
    }
    qsort(families, function->reg_count, sizeof *families, compare_members);
    size_t count = 0;
    for (size_t i = 0; i < function->reg_count; i++) {
        if (count && families[count - 1].key == families[i].key && families[i].last_ordinal >= 0) {
            if (families[i].last_ordinal > families[count - 1].last_ordinal)
                families[count - 1].last_ordinal = families[i].last_ordinal;
        } else {
            families[count++] = families[i];
        }
    }
    qsort(families, count, sizeof *families, compare_first);
    for (size_t i = 0; i < count; i++) {
        base_strbuf_printf(out, "\t.reg .%s %s", isa_types[families[i].reg->type].name, families[i].reg->name);
        if (families[i].last_ordinal >= 0)
            base_strbuf_printf(out, "<%" PRId32 ">", families[i].last_ordinal + 1);
        base_strbuf_puts(out, ";\n");
    }
    free(families);
}

static void print_table(const struct plan *plan, const struct isa_function *function, const struct isa_table *table)
{
    struct base_strbuf *out = plan->out;
    if (table->kind == ISA_TABLE_PROTOTYPE) {
        base_strbuf_printf(out, "%s: .callprototype %s;\n", table->name, table->prototype);
        return;
    }
    base_strbuf_printf(out, "%s: %s ", table->name,
                       table->kind == ISA_TABLE_BRANCH ? ".branchtargets" : ".calltargets");
    for (size_t i = 0; i < table->count; i++) {
        base_strbuf_puts(out, i ? ", " : "");
        if (table->kind == ISA_TABLE_BRANCH)
            base_strbuf_puts(out, function->labels[table->labels[i]].name);
        else
            base_strbuf_puts(out, plan->module->functions[table->items[i]].name);
    }
    base_strbuf_puts(out, ";\n");
}

/* .loc where the place in the source changes. */
static void print_loc(const struct plan *plan, const struct isa_insn *insn, uint32_t *file, uint32_t *line)
{
    if (insn->loc_file == *file && insn->loc_line == *line)
        return;
    base_strbuf_printf(plan->out, "\t.loc %" PRIu32 " %" PRIu32 " 0", insn->loc_line ? insn->loc_file : *file,
                       insn->loc_line);
    if (plan->derived && insn->loc_line) {
        const char *name = NULL;
        uint32_t source_line = 0;
        isa_insn_location(plan->module, insn, &name, &source_line);
        if (name != plan->module->source.name)
            base_strbuf_printf(plan->out, " // %s:%" PRIu32, name, source_line);
    }
    base_strbuf_putc(plan->out, '\n');
    *file = insn->loc_file;
    *line = insn->loc_line;
}

static bool is_derived(const struct isa_insn *insn)
{
    return (isa_ops[insn->op].flags & ISA_OPF_DERIVED) && insn->op != ISA_OP_UNSUPPORTED;
}

/* The labels at each instruction, and whether what is printed names them. */
struct labels {
    uint32_t *first; /* by instruction: the first label there, plus 1 */
    uint32_t *next;  /* by label: the next one at the same instruction, plus 1 */
    bool *named;     /* by label */
};

static void free_labels(struct labels *labels)
{
    free(labels->first);
    free(labels->next);
    free(labels->named);
}

static bool find_labels(const struct isa_function *function, bool derived, struct labels *labels)
{
    labels->first = calloc(function->insn_count + 1, sizeof *labels->first);
    labels->next = calloc(function->label_count + 1, sizeof *labels->next);
    labels->named = calloc(function->label_count + 1, sizeof *labels->named);
    if (!labels->first || !labels->next || !labels->named)
        return false;
    for (size_t i = function->label_count; i-- > 0;) {
        labels->next[i] = labels->first[function->labels[i].insn];
        labels->first[function->labels[i].insn] = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < function->insn_count; i++) {
        const struct isa_insn *insn = &function->insns[i];
        if (is_derived(insn) && !derived)
            continue;
        for (uint32_t k = 0; k < insn->operand_count; k++) {
            const struct isa_operand *operand = &function->operands[insn->operand_first + k];
            if (operand->kind == ISA_OPERAND_LABEL && operand->aux < function->label_count)
                labels->named[operand->aux] = true;
        }
    }
    for (size_t i = 0; i < function->table_count; i++)
        for (size_t k = 0; function->tables[i].kind == ISA_TABLE_BRANCH && k < function->tables[i].count; k++)
            labels->named[function->tables[i].labels[k]] = true;
    return true;
}

static void print_insns(const struct plan *plan, const struct isa_function *function)
{
    struct labels labels = {0};
    uint32_t file = 0;
    uint32_t line = 0;
    if (!find_labels(function, plan->derived, &labels))
        plan->out->failed = true;
    for (size_t i = 0; i < function->insn_count && !plan->out->failed; i++) {
        const struct isa_insn *insn = &function->insns[i];
        const bool derived = is_derived(insn);
        for (uint32_t label = labels.first[i]; label; label = labels.next[label - 1])
            if (labels.named[label - 1])
                base_strbuf_printf(plan->out, "%s:\n", function->labels[label - 1].name);
        if (derived && !plan->derived)
            continue;
        if (!derived)
            print_loc(plan, insn, &file, &line);
        base_strbuf_puts(plan->out, derived ? "\t// " : "\t");
        isa_print_insn(plan->module, function, insn, plan->out);
        base_strbuf_puts(plan->out, insn->op == ISA_OP_UNSUPPORTED && plan->derived ? " // not supported\n" : "\n");
    }
    free_labels(&labels);
}

static void print_definition(const struct plan *plan, const struct isa_function *function)
{
    print_head(plan, function);
    base_strbuf_puts(plan->out, "\n{\n");
    print_registers(function, plan->out);
    for (size_t i = 0; i < function->local_count; i++) {
        base_strbuf_putc(plan->out, '\t');
        print_var(plan, &plan->module->vars[function->locals[i]]);
    }
    for (size_t i = 0; i < function->table_count; i++)
        print_table(plan, function, &function->tables[i]);
    if (function->reg_count || function->local_count || function->table_count)
        base_strbuf_putc(plan->out, '\n');
    print_insns(plan, function);
    base_strbuf_puts(plan->out, "}\n");
}

static void print_plan(const struct plan *plan)
{
    const struct isa_module *module = plan->module;
    struct base_strbuf *out = plan->out;
    base_strbuf_printf(out, ".version %" PRIu32 ".%" PRIu32 "\n.target %s\n.address_size %" PRIu32 "\n",
                       module->version_major, module->version_minor, module->target, module->address_bits);
    for (size_t i = 0; i < module->file_count; i++)
        base_strbuf_printf(out, ".file %" PRIu32 " \"%s\"\n", module->files[i].key, module->files[i].name);
    for (size_t i = 0; i < module->function_count; i++) {
        if (!plan->functions[i] || !(module->functions[i].is_declaration || plan->declare[i]))
            continue;
        base_strbuf_putc(out, '\n');
        print_head(plan, &module->functions[i]);
        base_strbuf_puts(out, ";\n");
    }
    base_strbuf_putc(out, '\n');
    for (size_t i = 0; i < module->var_count; i++) {
        if (!plan->forward[i])
            continue;
        base_strbuf_puts(out, ".extern ");
        print_declarator(&module->vars[i], out);
        base_strbuf_puts(out, ";\n");
    }
    for (size_t i = 0; i < module->var_count; i++)
        if (plan->vars[i] && module->vars[i].function < 0)
            print_var(plan, &module->vars[i]);
    for (size_t i = 0; i < module->function_count; i++) {
        if (!plan->functions[i] || module->functions[i].is_declaration)
            continue;
        base_strbuf_putc(out, '\n');
        print_definition(plan, &module->functions[i]);
    }
}

/* What each printed thing names; `pending` is a stack of functions and variables still to be looked at. */
struct search {
    struct plan *plan;
    size_t *pending; /* function f: f; variable v: function_count + v */
    size_t pending_count;
};

static void need_function(struct search *search, uint32_t function)
{
    if (search->plan->functions[function])
        return;
    search->plan->functions[function] = true;
    search->pending[search->pending_count++] = function;
}

static void need_var(struct search *search, uint32_t var)
{
    if (search->plan->vars[var])
        return;
    search->plan->vars[var] = true;
    search->pending[search->pending_count++] = search->plan->module->function_count + var;
}

static void visit_var(struct search *search, uint32_t index)
{
    const struct isa_var *var = &search->plan->module->vars[index];
    for (size_t i = 0; i < var->reloc_count; i++) {
        const struct isa_reloc *reloc = &var->relocs[i];
        if (reloc->is_function) {
            search->plan->declare[reloc->ref] = true;
            need_function(search, reloc->ref);
        } else {
            if (reloc->ref >= index && search->plan->module->vars[reloc->ref].function < 0)
                search->plan->forward[reloc->ref] = true;
            need_var(search, reloc->ref);
        }
    }
}

static void name_function(struct search *search, uint32_t from, uint32_t to)
{
    if (to > from)
        search->plan->declare[to] = true;
    need_function(search, to);
}

static void visit_function(struct search *search, uint32_t index)
{
    const struct isa_function *function = &search->plan->module->functions[index];
    for (size_t i = 0; i < function->operand_count; i++) {
        const struct isa_operand *operand = &function->operands[i];
        const uint8_t kind = operand->kind == ISA_OPERAND_MEM ? operand->base_kind : operand->kind;
        if (kind == ISA_OPERAND_SYMBOL)
            need_var(search, operand->ref);
        else if (kind == ISA_OPERAND_FUNC)
            name_function(search, index, operand->ref);
    }
    for (size_t i = 0; i < function->table_count; i++)
        for (size_t k = 0; function->tables[i].kind == ISA_TABLE_CALL && k < function->tables[i].count; k++)
            name_function(search, index, function->tables[i].items[k]);
    for (size_t i = 0; i < function->local_count; i++)
        need_var(search, function->locals[i]);
}

/* Prints `function` and all it names; function < 0: the whole module. */
static void print_from(const struct isa_module *module, int64_t function, struct base_strbuf *out, bool derived)
{
    struct plan plan = {.module = module, .out = out, .derived = derived};
    struct search search = {.plan = &plan};
    plan.functions = calloc(module->function_count + 1, 2 * sizeof *plan.functions);
    plan.vars = calloc(module->var_count + 1, 2 * sizeof *plan.vars);
    search.pending = calloc(module->function_count + module->var_count + 1, sizeof *search.pending);
    if (plan.functions && plan.vars && search.pending) {
        plan.declare = plan.functions + module->function_count;
        plan.forward = plan.vars + module->var_count;
        if (function >= 0)
            need_function(&search, (uint32_t)function);
        for (uint32_t i = 0; function < 0 && i < module->function_count; i++)
            need_function(&search, i);
        for (uint32_t i = 0; function < 0 && i < module->var_count; i++)
            if (module->vars[i].function < 0)
                need_var(&search, i);
        while (search.pending_count) {
            const size_t next = search.pending[--search.pending_count];
            if (next < module->function_count)
                visit_function(&search, (uint32_t)next);
            else
                visit_var(&search, (uint32_t)(next - module->function_count));
        }
        print_plan(&plan);
    } else {
        out->failed = true;
    }
    free(plan.functions);
    free(plan.vars);
    free(search.pending);
}

void isa_print_module(const struct isa_module *module, struct base_strbuf *out, bool derived)
{
    print_from(module, -1, out, derived);
}

void isa_print_function(const struct isa_module *module, uint32_t function, struct base_strbuf *out, bool derived)
{
    print_from(module, function, out, derived);
}
