/* From PTX to machine code: instructions that a compiler makes one with the instruction that uses their result.
 *
 * The machine adds three numbers, has every logic function of three, adds to a product and to a shifted number. So an
 * instruction whose only use is in such a sum or function, in the same basic block, is no instruction of its own. And
 * atomics on one address are done by one lane for all. */
#include "sim/timing/timing.h"

#include <stdlib.h>

#define SPREAD_PASSES   8u
#define AGGREGATE_SLOTS 6u /* of an atomic that one lane does for all: vote, find it, add up, compare, the atomic */

/* What the text does with a register. */
struct use {
    uint32_t reads, writes;
    uint32_t written_at; /* op */
    bool differs;        /* from lane to lane, for all that the text tells */
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

/* ---- What is the same in all lanes ---- */

/* Whether the op's result may differ though its sources do not. */
static bool parts_lanes(const struct sim_op *op)
{
    switch ((enum sim_kind)op->kind) {
    case SIM_K_ALU:
    case SIM_K_SETP:
    case SIM_K_SET:
    case SIM_K_PLOGIC:
    case SIM_K_CVTA:
    case SIM_K_LD_PARAM:
    case SIM_K_MOV_VEC:
    case SIM_K_MOV_EACH:
        return op->guard >= 0;
    default:
        return true;
    }
}

static bool is_lanes_own(uint32_t sreg)
{
#define SREG_LANE  true
#define SREG_WARP  false
#define SREG_BLOCK false
#define SREG_GRID  false
#define SREG_TIME  false
    static const bool own[] = {
#define SREG(id, name, type, scope) [ISA_SREG_##id] = SREG_##scope,
#include "isa/sreg.def"
#undef SREG
    };
    return sreg >= sizeof(own) / sizeof(own[0]) || own[sreg];
}

static bool reads_differing(const struct folder *f, const struct sim_op *op)
{
    const struct isa_function *function = &f->program->module->functions[op->function];
    for (uint32_t k = op->insn->dst_count; k < op->insn->operand_count; k++) {
        const struct isa_operand *o = &function->operands[op->insn->operand_first + k];
        if (o->kind == ISA_OPERAND_SREG && is_lanes_own(o->ref))
            return true;
        if (o->kind == ISA_OPERAND_REG && f->uses[f->first[op->function] + o->ref].differs)
            return true;
    }
    return false;
}

/* Whether the result is written elsewhere too: lanes may come there by other ways. */
static bool writes_again(const struct folder *f, const struct sim_op *op)
{
    const struct isa_function *function = &f->program->module->functions[op->function];
    for (uint32_t k = 0; k < op->insn->dst_count; k++) {
        const struct isa_operand *o = &function->operands[op->insn->operand_first + k];
        if (o->kind == ISA_OPERAND_REG && f->uses[f->first[op->function] + o->ref].writes > 1)
            return true;
    }
    return false;
}

/* Spreads what differs until nothing more does. False: not in so many passes; text in the order in which it runs takes
 * two. */
static bool find_differing(struct folder *f)
{
    const struct sim_program *p = f->program;
    bool changed = true;
    for (unsigned pass = 0; changed && pass < SPREAD_PASSES; pass++) {
        changed = false;
        for (uint32_t i = 0; i < p->op_count; i++) {
            const struct sim_op *op = &p->ops[i];
            if (op->insn == NULL || !(parts_lanes(op) || writes_again(f, op) || reads_differing(f, op)))
                continue;
            const struct isa_function *function = &p->module->functions[op->function];
            for (uint32_t k = 0; k < op->insn->dst_count; k++) {
                const struct isa_operand *o = &function->operands[op->insn->operand_first + k];
                bool *differs = o->kind == ISA_OPERAND_REG ? &f->uses[f->first[op->function] + o->ref].differs : NULL;
                changed |= differs != NULL && !*differs;
                if (differs != NULL)
                    *differs = true;
            }
        }
    }
    return !changed;
}

/* Atomics of 32-bit integers on what is one address for all lanes: one lane does it for all (its number is voted for,
 * the operands are added up by REDUX, or counted). */
static void aggregate(struct folder *f, uint32_t at)
{
    const struct sim_op *op = &f->program->ops[at];
    if (op->kind != SIM_K_ATOM || op->insn == NULL || op->guard >= 0 || !is_integer(op) || op->count > 1 ||
        isa_types[op->type].bits != 32)
        return;
    const uint8_t does = op->insn->mods.mode;
    if (does != ISA_ATOM_ADD && does != ISA_ATOM_MIN && does != ISA_ATOM_MAX && does != ISA_ATOM_AND &&
        does != ISA_ATOM_OR && does != ISA_ATOM_XOR)
        return;
    const struct isa_function *function = &f->program->module->functions[op->function];
    for (uint32_t k = 0; k < op->insn->operand_count; k++) {
        const struct isa_operand *o = &function->operands[op->insn->operand_first + k];
        if (o->kind != ISA_OPERAND_MEM)
            continue;
        if (o->base_kind == ISA_OPERAND_REG && f->uses[f->first[op->function] + o->ref].differs)
            return;
        f->costs[at].one_lane = true;
        f->costs[at].slots = AGGREGATE_SLOTS;
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
        const bool is_known = find_differing(&f);
        for (uint32_t i = 0; i < f.program->op_count; i++) {
            fold_into(&f, i);
            if (is_known)
                aggregate(&f, i);
        }
    }
    free(f.first);
    free(f.block);
    free(f.absorbed);
    free(f.uses);
    return is_ready;
}
