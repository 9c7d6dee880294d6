/* sim_sass_build(): a linked kernel of machine code made ready to run.
 *
 * Order: constant banks (bank 0 is the launch itself), variables' addresses, then every instruction of every function
 * the module has, in order, so that an operation's index is its function's first one plus its byte offset / 16. */
#include "sim/sass/lower.h"

#include "sim/constants.h"
#include "sim/sass/bank.h"

#include <stdlib.h>
#include <string.h>

static sim_sass_lower *const lowers[ISA_SASS_OP_COUNT] = {
#define SASS(id, mnemonic, unit, flags, lower, meaning) [ISA_SASS_##id] = sim_sass_lower_##lower,
#include "isa/sass/opcode.def"
#undef SASS
};

void sim_sass_lower_unknown(struct sim_sass_builder *b)
{
    sim_sass_refuse(b, "everything");
}

/* Everything of an instruction must have been used up. */
static void check_all_used(struct sim_sass_builder *b)
{
    char what[64];
    for (unsigned i = 0; i < b->sass->word_count; i++)
        if ((b->words_used >> i & 1) == 0) {
            what[0] = '.';
            strncpy(what + 1, isa_sass_words[b->sass->words[i]], sizeof(what) - 2);
            what[sizeof(what) - 1] = '\0';
            sim_sass_refuse(b, what);
        }
    if (b->next < b->sass->operand_count)
        sim_sass_refuse(b, "a form with more operands");
}

static void lower_insn(struct sim_sass_builder *b, uint32_t index)
{
    struct sim_op op = sim_op_blank(b->function_index);
    struct sim_sass_op *more = base_arena_alloc(b->arena, 1, sizeof(*more));
    if (more == NULL) {
        b->failed = true;
        return;
    }
    b->insn = op.insn = more->listed = &b->function->insns[index];
    b->sass = b->insn->sass;
    b->op = &op;
    b->more = more;
    more->pdst[0] = more->pdst[1] = -1;
    for (unsigned i = 0; i < 3; i++)
        more->psrc[i].number = -2;
    op.machine = more;
    op.space = b->insn->mods.space;
    op.type = ISA_TYPE_B32;
    op.is_strong = isa_sass_has(b->sass, ISA_SASS_W_STRONG) || isa_sass_has(b->sass, ISA_SASS_W_MMIO);
    op.counter = b->program->counter_count++;
    if (b->sass->guard != ISA_SASS_PT) {
        op.guard = b->sass->guard + (b->sass->guard_uniform ? 7 : 0);
        op.guard_negated = b->sass->guard_negated;
    }
    b->words_used = b->next = 0;
    b->refused = false;
    if (!b->linked->reaches_insn[b->linked->reach_first[b->function_index] + index]) {
        op.kind = SIM_K_END;
    } else if (b->sass->guard == ISA_SASS_PT && b->sass->guard_negated) {
        op.kind = SIM_K_NOP; /* "@!PT": never done */
    } else if (b->sass->unknown != NULL) {
        sim_sass_refuse(b, b->sass->unknown);
    } else {
        lowers[b->sass->op](b);
        if (!b->refused)
            check_all_used(b);
    }
    if (!base_vec_push(&b->ops, op))
        b->failed = true;
}

/* How many registers and uniform registers the reached code names. */
static void count_registers(struct sim_sass_builder *b)
{
    uint32_t registers = 0, uniform = 0;
    for (size_t f = 0; f < b->module->function_count; f++) {
        const struct isa_function *function = &b->module->functions[f];
        for (size_t i = 0; b->linked->reaches_function[f] && i < function->insn_count; i++)
            for (unsigned k = 0; k < function->insns[i].sass->operand_count; k++) {
                const struct isa_sass_operand *o = &function->insns[i].sass->operands[k];
                uint32_t r = o->kind == ISA_SASS_REG ? o->index : o->kind == ISA_SASS_MEM ? o->base : ISA_SASS_RZ;
                uint32_t u = o->kind == ISA_SASS_UREG ? o->index : o->kind == ISA_SASS_MEM ? o->ubase : ISA_SASS_URZ;
                registers = r != ISA_SASS_RZ && r + 1 > registers ? r + 1 : registers;
                uniform = u != ISA_SASS_URZ && u + 1 > uniform ? u + 1 : uniform;
            }
    }
    /* The last named register may begin a value of four. */
    b->register_rows = registers + 4;
    b->uniform_rows = uniform + 4;
}

static void lower_function(struct sim_sass_builder *b, uint32_t index)
{
    struct sim_program *p = b->program;
    b->function_index = index;
    b->function = &b->module->functions[index];
    b->op_first = (uint32_t)b->ops.count;
    p->function_entry[index] = b->op_first;
    for (uint32_t i = 0; i < b->function->insn_count && !b->failed; i++)
        lower_insn(b, i);
    struct sim_op end = sim_op_blank(b->function_index);
    end.kind = SIM_K_END;
    end.insn = b->function->insn_count > 0 ? &b->function->insns[b->function->insn_count - 1] : NULL;
    if (!base_vec_push(&b->ops, end))
        b->failed = true;
}

static bool allocate_tables(struct sim_sass_builder *b)
{
    struct sim_program *p = b->program;
    if (!sim_program_alloc_tables(p, b->module, b->arena))
        return false;
    uint32_t first = 0;
    for (size_t f = 0; f < b->module->function_count; f++) { /* an END follows each function */
        if (!b->linked->reaches_function[f])
            continue;
        p->function_entry[f] = first;
        first += (uint32_t)b->module->functions[f].insn_count + 1;
    }
    return true;
}

static void *copy_array(struct sim_sass_builder *b, const void *data, size_t count, size_t size)
{
    void *copy = base_arena_alloc(b->arena, count + 1, size);
    if (copy == NULL)
        b->failed = true;
    else if (count > 0)
        memcpy(copy, data, count * size);
    return copy;
}

static void finish(struct sim_sass_builder *b)
{
    struct sim_program *p = b->program;
    sim_constants_finish(b->constants, p, b->arena);
    p->op_count = (uint32_t)b->ops.count;
    p->ops = base_arena_alloc(b->arena, b->ops.count + 1, sizeof(*p->ops));
    if (p->ops == NULL || b->constants->failed) {
        b->failed = true;
        return;
    }
    if (b->ops.count > 0)
        memcpy(p->ops, b->ops.data, b->ops.count * sizeof(*p->ops));
    p->matrices = copy_array(b, b->matrices.data, b->matrices.count, sizeof(*p->matrices));
    p->seconds = copy_array(b, b->seconds.data, b->seconds.count, sizeof(*p->seconds));
    b->failed |= !sim_program_map_counters(p, b->arena);
    for (size_t f = 0; f < b->module->function_count; f++) {
        p->frame_rows[f] = b->register_rows + b->uniform_rows;
        p->frame_preds[f] = SIM_SASS_PREDICATES + SIM_SASS_CONVERGENCE_BARRIERS * SIM_CONV_WORDS;
    }
}

enum base_status sim_sass_build(struct sim_program *program, const struct isa_module *module,
                                const struct isa_linked *linked, const struct sim_bound *bound,
                                const struct sim_sass_launch *launch, const struct sim_device *device,
                                struct sim_memory *memory, enum sim_level level, struct base_arena *arena,
                                struct base_diags *diags)
{
    struct sim_constants constants = {0};
    struct sim_sass_builder b = {.program = program,
                                 .module = module,
                                 .linked = linked,
                                 .device = device,
                                 .arena = arena,
                                 .diags = diags,
                                 .level = level,
                                 .constants = &constants};
    memset(program, 0, sizeof(*program));
    program->module = module;
    program->linked = linked;
    program->is_machine = true;
    program->shared_base = device->shared_reserved_bytes;
    program->shared_static_bytes = linked->shared_static_bytes;
    program->params = bound != NULL ? bound->params : NULL;
    program->param_bytes = bound != NULL ? bound->param_bytes : 0;
    program->counter_count = 1; /* row 0 is of operations that are not reported */
    if (!allocate_tables(&b))
        return BASE_NOMEM;
    program->stack_bytes = sim_sass_stack_bytes(module, linked);
    enum base_status status =
        sim_sass_banks_fill(program, module, linked->kernel, bound, launch, device, memory, arena);
    if (status != BASE_OK)
        return status;
    count_registers(&b);
    (void)sim_constant_row(&constants, 0, 4);
    for (uint32_t f = 0; f < module->function_count && !b.failed; f++)
        if (linked->reaches_function[f])
            lower_function(&b, f);
    if (!b.failed)
        finish(&b);
    base_vec_free(&b.ops);
    base_vec_free(&b.matrices);
    base_vec_free(&b.seconds);
    sim_constants_free(&constants);
    return b.failed ? BASE_NOMEM : b.unsupported ? BASE_UNSUPPORTED : BASE_OK;
}
