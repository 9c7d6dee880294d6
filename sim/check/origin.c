/* Which shared variable an address was made from, read off the program.
 *
 * A register's value comes from the address of one variable when every instruction that sets it adds plain numbers to
 * that address, or copies or converts it: whatever the numbers are, C++ lets it be used within that variable alone.
 * What comes from several variables, or from nowhere that can be seen, is not judged. The order of instructions plays
 * no part: a register has one origin, from all that set it. */
#include "sim/check/check.h"

#include <stdlib.h>

enum { NOT_SET = -1, NUMBER = -2, UNKNOWN = -3 }; /* else a variable's index */
#define PASSES_MAX 64u

static int32_t either(int32_t a, int32_t b)
{
    return a == NOT_SET ? b : b == NOT_SET || a == b ? a : UNKNOWN;
}

static int32_t sum(int32_t a, int32_t b)
{
    if (a == NOT_SET || b == NOT_SET)
        return NOT_SET;
    return a == NUMBER ? b : b == NUMBER ? a : UNKNOWN;
}

struct origins {
    const struct isa_module *module;
    const struct isa_function *function;
    int32_t *of; /* by register */
};

static int32_t of_operand(const struct origins *o, const struct isa_operand *operand)
{
    if (operand->kind == ISA_OPERAND_REG)
        return o->of[operand->ref];
    if (operand->kind != ISA_OPERAND_SYMBOL)
        return NUMBER;
    const struct isa_var *var = &o->module->vars[operand->ref];
    return var->space == ISA_SPACE_SHARED && !var->unsized && var->size_bytes > 0 ? (int32_t)operand->ref : UNKNOWN;
}

/* All sources are numbers: so is the result. An address among them: nobody knows. */
static int32_t of_others(const struct origins *o, const struct isa_insn *insn)
{
    int32_t all = NUMBER;
    for (uint32_t k = insn->dst_count; k < insn->operand_count; k++) {
        int32_t one = of_operand(o, &o->function->operands[insn->operand_first + k]);
        if (one == NOT_SET)
            all = all == UNKNOWN ? UNKNOWN : NOT_SET;
        else if (one != NUMBER)
            all = UNKNOWN;
    }
    return all;
}

static int32_t of_result(const struct origins *o, const struct isa_insn *insn)
{
    const struct isa_operand *source = &o->function->operands[insn->operand_first + insn->dst_count];
    uint32_t sources = (uint32_t)insn->operand_count - insn->dst_count;
    int32_t a = sources > 0 ? of_operand(o, &source[0]) : NUMBER;
    switch (insn->op) {
    case ISA_OP_LD:
    case ISA_OP_LDU:
    case ISA_OP_ATOM:
    case ISA_OP_CALL:
        return NUMBER; /* a pointer from memory is as good as a number: its use is not judged */
    case ISA_OP_MOV:
        return sources == 1 && insn->dst_count == 1 ? a : of_others(o, insn);
    case ISA_OP_CVTA:
    case ISA_OP_CVT:
        return a;
    case ISA_OP_ADD:
    case ISA_OP_OR:
        return sources == 2 ? sum(a, of_operand(o, &source[1])) : UNKNOWN;
    case ISA_OP_SUB: {
        int32_t b = sources == 2 ? of_operand(o, &source[1]) : UNKNOWN;
        return b == NUMBER ? a : b == NOT_SET ? NOT_SET : UNKNOWN;
    }
    case ISA_OP_MAD: {
        int32_t b = sources == 3 ? of_operand(o, &source[1]) : UNKNOWN;
        int32_t product = a == NUMBER && b == NUMBER ? NUMBER : a == NOT_SET || b == NOT_SET ? NOT_SET : UNKNOWN;
        return product == UNKNOWN ? UNKNOWN : sum(product, of_operand(o, &source[2]));
    }
    case ISA_OP_SELP:
        return sources == 3 ? either(a, of_operand(o, &source[1])) : UNKNOWN;
    default:
        return of_others(o, insn);
    }
}

/* True when something changed. */
static bool pass(const struct origins *o)
{
    bool changed = false;
    for (size_t i = 0; i < o->function->insn_count; i++) {
        const struct isa_insn *insn = &o->function->insns[i];
        int32_t result = insn->dst_count > 0 ? of_result(o, insn) : NOT_SET;
        for (uint32_t k = 0; k < insn->dst_count; k++) {
            const struct isa_operand *d = &o->function->operands[insn->operand_first + k];
            if (d->kind != ISA_OPERAND_REG)
                continue;
            int32_t now = either(o->of[d->ref], result);
            changed |= now != o->of[d->ref];
            o->of[d->ref] = now;
        }
    }
    return changed;
}

bool check_origins(const struct isa_module *module, const struct isa_function *function, int32_t *of)
{
    struct origins o = {module, function, of};
    for (size_t r = 0; r < function->reg_count; r++)
        of[r] = NOT_SET;
    unsigned passes = 0;
    while (pass(&o))
        if (++passes == PASSES_MAX)
            return false;
    return true;
}

int32_t check_origin_of(const struct isa_module *module, const struct isa_function *function, const int32_t *of,
                        const struct isa_insn *insn)
{
    const struct origins o = {module, function, (int32_t *)of};
    for (uint32_t k = 0; k < insn->operand_count; k++) {
        struct isa_operand operand = function->operands[insn->operand_first + k];
        if (operand.kind != ISA_OPERAND_MEM || operand.base_kind == ISA_OPERAND_NONE)
            continue;
        operand.kind = operand.base_kind;
        int32_t origin = of_operand(&o, &operand);
        return origin >= 0 ? origin : -1;
    }
    return -1;
}
