/* What a kernel of machine code can reach: the twin of isa_link() for it. Branches are followed inside a function;
 * where a place in code stands in a register or in a constant bank, everything it could name counts as reached. */
#include "isa/sass/link.h"

#include "base/vec.h"

#include <stdlib.h>

struct sass_linker {
    const struct isa_module *module;
    struct isa_linked *linked;
    BASE_VEC(uint32_t) todo; /* instructions of the function being followed */
    BASE_VEC(uint32_t) functions;
    bool no_memory;
};

static void reach_function(struct sass_linker *l, uint32_t f)
{
    if (f >= l->module->function_count || l->linked->reaches_function[f])
        return;
    l->linked->reaches_function[f] = true;
    l->no_memory |= !base_vec_push(&l->functions, f);
}

static void reach_insn(struct sass_linker *l, uint32_t f, uint64_t index)
{
    const struct isa_function *function = &l->module->functions[f];
    if (index >= function->insn_count || l->linked->reaches_insn[l->linked->reach_first[f] + index])
        return;
    l->linked->reaches_insn[l->linked->reach_first[f] + index] = true;
    l->no_memory |= !base_vec_push(&l->todo, (uint32_t)index);
}

static bool is_indirect(const struct isa_sass_insn *sass)
{
    if (sass->op == ISA_SASS_BRX || sass->op == ISA_SASS_JMX || sass->op == ISA_SASS_BRXU || sass->op == ISA_SASS_LEPC)
        return true;
    return sass->op == ISA_SASS_CALL && sass->operand_count > 0 && sass->operands[0].kind == ISA_SASS_REG;
}

/* A target: one of another function, or an instruction of this one. */
static void reach_targets(struct sass_linker *l, uint32_t f, const struct isa_sass_insn *sass)
{
    bool jumps = (isa_sass_ops[sass->op].flags & (ISA_OPF_BRANCH | ISA_OPF_CALL)) != 0 || sass->op == ISA_SASS_BSSY ||
                 sass->op == ISA_SASS_WARPSYNC;
    for (unsigned i = 0; i < sass->operand_count; i++) {
        const struct isa_sass_operand *o = &sass->operands[i];
        if (o->kind == ISA_SASS_ADDRESS && o->function >= 0)
            reach_function(l, (uint32_t)o->function);
        if (!jumps)
            continue;
        if (o->kind == ISA_SASS_TARGET && o->function >= 0)
            reach_function(l, (uint32_t)o->function);
        else if ((o->kind == ISA_SASS_TARGET || (o->kind == ISA_SASS_IMM && sass->op != ISA_SASS_WARPSYNC)) &&
                 o->value >= 0)
            reach_insn(l, f, (uint64_t)o->value / ISA_SASS_INSN_BYTES);
    }
}

static bool falls_through(const struct isa_sass_insn *sass)
{
    if (sass->guard != ISA_SASS_PT || sass->op == ISA_SASS_CALL)
        return true;
    bool plain_branch = sass->op == ISA_SASS_BRA && sass->operand_count == 1 && sass->word_count == 0;
    uint32_t flags = isa_sass_ops[sass->op].flags;
    return !(plain_branch || sass->op == ISA_SASS_JMP || (flags & (ISA_OPF_EXIT | ISA_OPF_RETURN)) != 0);
}

static void follow_function(struct sass_linker *l, uint32_t f)
{
    const struct isa_function *function = &l->module->functions[f];
    bool everything = false;
    for (size_t i = 0; i < function->insn_count; i++)
        everything |= is_indirect(function->insns[i].sass);
    for (size_t i = 0; everything && i < function->insn_count; i++)
        reach_insn(l, f, i);
    reach_insn(l, f, 0);
    while (l->todo.count > 0 && !l->no_memory) {
        uint32_t at = l->todo.data[--l->todo.count];
        const struct isa_sass_insn *sass = function->insns[at].sass;
        reach_targets(l, f, sass);
        if (falls_through(sass))
            reach_insn(l, f, (uint64_t)at + 1);
    }
    for (size_t b = 0; b < function->machine->bank_count; b++)
        for (size_t r = 0; r < function->machine->banks[b].reloc_count; r++)
            if (function->machine->banks[b].relocs[r].is_function)
                reach_function(l, function->machine->banks[b].relocs[r].ref);
    for (size_t v = 0; everything && v < l->module->var_count; v++)
        for (size_t r = 0; r < l->module->vars[v].reloc_count; r++)
            if (l->module->vars[v].relocs[r].is_function)
                reach_function(l, l->module->vars[v].relocs[r].ref);
}

enum base_status isa_sass_link(const struct isa_module *module, uint32_t kernel, struct base_arena *arena,
                               struct isa_linked *linked, struct base_diags *diags)
{
    struct sass_linker l = {.module = module, .linked = linked};
    size_t functions = module->function_count, insns = 0;
    *linked = (struct isa_linked){.kernel = kernel};
    linked->reaches_function = base_arena_alloc(arena, functions, sizeof(bool));
    linked->reach_first = base_arena_alloc(arena, functions, sizeof(uint32_t));
    for (size_t f = 0; linked->reach_first != NULL && f < functions; f++) {
        linked->reach_first[f] = (uint32_t)insns;
        insns += module->functions[f].insn_count;
    }
    linked->reaches_insn = base_arena_alloc(arena, insns + 1, sizeof(bool));
    if (linked->reaches_function == NULL || linked->reach_first == NULL || linked->reaches_insn == NULL)
        return BASE_NOMEM;
    (void)diags;
    reach_function(&l, kernel);
    while (l.functions.count > 0 && !l.no_memory)
        follow_function(&l, l.functions.data[--l.functions.count]);
    const struct isa_sass_kernel *machine = module->functions[kernel].machine;
    linked->shared_static_bytes = machine->shared_bytes;
    linked->registers_estimate = machine->registers;
    base_vec_free(&l.todo);
    base_vec_free(&l.functions);
    return l.no_memory ? BASE_NOMEM : BASE_OK;
}
