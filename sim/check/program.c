/* What the checks read off the program before it runs: loads that only copy, atomics that decide.
 *
 * A load into registers of which nothing but stores to local memory come moves a value without looking at it; compilers
 * copy structs so, gaps between members and all. */
#include "sim/check/check.h"

#include <stdlib.h>
#include <string.h>

static bool stores_within_thread(const struct isa_insn *insn)
{
    return insn->op == ISA_OP_ST && (insn->mods.space == ISA_SPACE_GENERIC || insn->mods.space == ISA_SPACE_LOCAL ||
                                     insn->mods.space == ISA_SPACE_PARAM);
}

/* Registers of the function that something but a store within the thread reads. */
static void find_used(const struct isa_function *function, bool *used)
{
    for (size_t i = 0; i < function->insn_count; i++) {
        const struct isa_insn *insn = &function->insns[i];
        if (insn->guard >= 0)
            used[insn->guard] = true;
        for (uint32_t k = 0; k < insn->operand_count; k++) {
            const struct isa_operand *operand = &function->operands[insn->operand_first + k];
            bool is_source = operand->kind == ISA_OPERAND_REG && k >= insn->dst_count && !stores_within_thread(insn);
            if (is_source || (operand->kind == ISA_OPERAND_MEM && operand->base_kind == ISA_OPERAND_REG))
                used[operand->ref] = true;
        }
    }
}

static bool only_copies(const struct isa_function *function, const struct isa_insn *insn, const bool *used)
{
    bool copies = insn->op == ISA_OP_LD;
    for (uint32_t k = 0; copies && k < insn->dst_count; k++) {
        const struct isa_operand *operand = &function->operands[insn->operand_first + k];
        copies = operand->kind != ISA_OPERAND_REG || !used[operand->ref];
    }
    return copies;
}

bool check_decides(const struct isa_insn *insn)
{
    uint8_t mode = insn->mods.mode;
    return (isa_ops[insn->op].flags & ISA_OPF_ATOMIC) != 0 &&
           (mode == ISA_ATOM_CAS || mode == ISA_ATOM_MIN || mode == ISA_ATOM_MAX || mode == ISA_ATOM_AND ||
            mode == ISA_ATOM_OR);
}

/* What is known of a function's registers. */
struct registers {
    bool *used;
    int32_t *origin;
    bool has_origins;
};

static bool read_registers(const struct isa_module *module, const struct isa_function *function, struct registers *r)
{
    free(r->used);
    free(r->origin);
    r->used = calloc(function->reg_count + 1, sizeof(*r->used));
    r->origin = calloc(function->reg_count + 1, sizeof(*r->origin));
    if (r->used == NULL || r->origin == NULL)
        return false;
    find_used(function, r->used);
    r->has_origins = check_origins(module, function, r->origin);
    return true;
}

bool check_program_begin(struct sim_check *check)
{
    const struct sim_program *p = check->engine->program;
    struct registers registers = {NULL, NULL, false};
    bool good = true;
    check->insns = calloc(p->counter_count, sizeof(*check->insns));
    if (check->insns == NULL)
        return false;
    for (uint32_t c = 1; good && c < p->counter_count; c++) {
        const struct isa_function *function = &p->module->functions[p->counter_function[c]];
        const struct isa_insn *insn = &function->insns[p->counter_insn[c]];
        if (c == 1 || p->counter_function[c] != p->counter_function[c - 1])
            good = read_registers(p->module, function, &registers);
        if (!good)
            break;
        check->has_deciding |= check_decides(insn);
        check->insns[c].copies = only_copies(function, insn, registers.used);
        if (registers.has_origins)
            check->insns[c].variable = check_origin_of(p->module, function, registers.origin, insn) + 1;
    }
    free(registers.used);
    free(registers.origin);
    return good;
}
