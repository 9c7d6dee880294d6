/* From PTX to machine code: instructions that a compiler makes one with the instruction that uses their result.
 *
 * The machine adds three numbers, has every logic function of three, adds to a product and to a shifted number. So an
 * instruction whose only use is in such a sum or function, in the same basic block, is no instruction of its own. */
#include "sim/timing/timing.h"

#include <stdlib.h>

/* What the text does with a register. */
struct use {
    uint32_t reads, writes;
    uint32_t written_at; /* op */
};

struct folder {
    const struct sim_program *program;
    struct timing_cost *costs;
    struct use *uses;
    uint32_t *first;   /* by function: its registers' place in `uses` */
    uint32_t *block;   /* by op: number of its basic block */
    uint8_t *absorbed; /* by op: whether another one is part of it */
};

static bool is_predicate(const struct isa_function *function, uint32_t reg)
{
    return function->regs[reg].type == ISA_TYPE_PRED;
}

static void count_operand(struct folder *f, const struct sim_op *op, uint32_t at, uint32_t number)
{
    const struct isa_function *function = &f->program->module->functions[op->function];
    const struct isa_operand *operand = &function->operands[op->insn->operand_first + number];
    const bool is_base = operand->kind == ISA_OPERAND_MEM && operand->base_kind == ISA_OPERAND_REG;
    if ((operand->kind != ISA_OPERAND_REG && !is_base) || is_predicate(function, operand->ref))
        return;
    struct use *use = &f->uses[f->first[op->function] + operand->ref];
    if (number < op->insn->dst_count && !is_base) {
        use->writes++;
        use->written_at = at;
    } else {
        use->reads++;
    }
}

static void count_uses(struct folder *f)
{
    const struct sim_program *p = f->program;
    for (uint32_t i = 0; i < p->op_count; i++)
        for (uint32_t k = 0; p->ops[i].insn != NULL && k < p->ops[i].insn->operand_count; k++)
            count_operand(f, &p->ops[i], i, k);
}

static void number_blocks(struct folder *f)
{
    const struct sim_program *p = f->program;
    for (uint32_t i = 0; i < p->op_count; i++) {
        const struct sim_op *op = &p->ops[i];
        if (op->kind == SIM_K_BRA)
            f->block[op->target] = 1;
        for (uint32_t t = 0; op->kind == SIM_K_BRX && t < op->target_count; t++)
            f->block[p->targets[op->target + t]] = 1;
    }
    uint32_t number = 0;
    for (uint32_t i = 0; i < p->op_count; i++) {
        number += f->block[i];
        f->block[i] = number;
        number += f->costs[i].closes;
    }
}

static bool is_logic(const struct sim_op *op)
{
    return op->insn->op == ISA_OP_AND || op->insn->op == ISA_OP_OR || op->insn->op == ISA_OP_XOR ||
           op->insn->op == ISA_OP_NOT;
}

static bool is_sum(const struct sim_op *op)
{
    return op->insn->op == ISA_OP_ADD || op->insn->op == ISA_OP_SUB;
}

static bool is_constant_shift(const struct sim_op *op)
{
    return op->insn->op == ISA_OP_SHL && op->src[1] >> 30 == SIM_ROW_CONST;
}

static bool is_integer(const struct sim_op *op)
{
    const uint8_t class = isa_types[op->type].class;
    return class != ISA_CLASS_FLOAT && class != ISA_CLASS_PACKED && isa_types[op->type].bits <= 32;
}

/* Whether `op` can be part of the instruction that `user` becomes. */
static bool joins(const struct sim_op *op, const struct sim_op *user)
{
    if (op->kind != SIM_K_ALU || op->guard >= 0 || op->carries_out || !is_integer(op) || !is_integer(user))
        return false;
    if (is_logic(user))
        return is_logic(op);
    const bool multiplies = op->insn->op == ISA_OP_MUL && op->insn->mods.mode == ISA_PART_LO;
    return is_sum(user) && !user->carries_out && (is_sum(op) || multiplies || is_constant_shift(op));
}

static void fold_into(struct folder *f, uint32_t at)
{
    const struct sim_op *user = &f->program->ops[at];
    if (user->kind != SIM_K_ALU || user->insn == NULL || f->costs[at].slots != 1 || f->absorbed[at])
        return;
    const struct isa_function *function = &f->program->module->functions[user->function];
    for (uint32_t k = user->insn->dst_count; k < user->insn->operand_count; k++) {
        const struct isa_operand *operand = &function->operands[user->insn->operand_first + k];
        if (operand->kind != ISA_OPERAND_REG || is_predicate(function, operand->ref))
            continue;
        const struct use *use = &f->uses[f->first[user->function] + operand->ref];
        const uint32_t by = use->written_at;
        if (use->reads != 1 || use->writes != 1 || by >= at || f->block[by] != f->block[at] ||
            f->costs[by].slots != 1 || f->absorbed[by] || !joins(&f->program->ops[by], user))
            continue;
        f->costs[by].slots = 0;
        f->absorbed[at] = true;
        return;
    }
}

static bool prepare(struct folder *f, struct sim_engine *engine)
{
    const struct isa_module *module = f->program->module;
    uint32_t registers = 0;
    f->first = sim_engine_alloc(engine, module->function_count + 1, sizeof(*f->first));
    f->block = sim_engine_alloc(engine, f->program->op_count, sizeof(*f->block));
    f->absorbed = sim_engine_alloc(engine, f->program->op_count, sizeof(*f->absorbed));
    for (size_t i = 0; f->first != NULL && i < module->function_count; i++) {
        f->first[i] = registers;
        registers += (uint32_t)module->functions[i].reg_count;
    }
    f->uses = sim_engine_alloc(engine, (uint64_t)registers + 1, sizeof(*f->uses));
    return f->first != NULL && f->block != NULL && f->absorbed != NULL && f->uses != NULL;
}

bool timing_costs_fold(struct sim_engine *engine, struct timing_cost *costs)
{
    struct folder f = {engine->program, costs, NULL, NULL, NULL, NULL};
    const bool is_ready = prepare(&f, engine);
    if (is_ready) {
        count_uses(&f);
        number_blocks(&f);
        for (uint32_t i = 0; i < f.program->op_count; i++)
            fold_into(&f, i);
    }
    free(f.first);
    free(f.block);
    free(f.absorbed);
    free(f.uses);
    return is_ready;
}
