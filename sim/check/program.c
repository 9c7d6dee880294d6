/* What the checks read off the program before it runs: what orders memory, loads that only copy, atomics that decide.
 *
 * A load into registers of which nothing but stores to local memory come moves a value without looking at it; compilers
 * copy structs so, gaps between members and all. */
#include "sim/check/check.h"

#include "isa/sass/sass.h"

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

bool check_decides(const struct sim_op *op)
{
    return op->kind == SIM_K_ATOM && (op->mode == ISA_ATOM_CAS || op->mode == ISA_ATOM_MIN ||
                                      op->mode == ISA_ATOM_MAX || op->mode == ISA_ATOM_AND || op->mode == ISA_ATOM_OR);
}

/* ---- Order ---- */

/* Level of a scope; none, and wider ones: the device's. */
static uint8_t level_of(uint8_t scope)
{
    return scope == ISA_SCOPE_CTA ? 0 : scope == ISA_SCOPE_CLUSTER ? 1 : 2;
}

/* The order of an instruction's accesses: barriers in shared memory release and acquire without saying so. */
static uint8_t order_of(const struct isa_insn *insn)
{
    if (insn->mods.sem != ISA_SEM_NONE)
        return insn->mods.sem;
    switch (insn->op) {
    case ISA_OP_MBARRIER_ARRIVE:
    case ISA_OP_MBARRIER_ARRIVE_TX:
    case ISA_OP_MBARRIER_ARRIVE_NOCOMPLETE:
    case ISA_OP_MBARRIER_DROP:
    case ISA_OP_MBARRIER_DROP_TX:
    case ISA_OP_MBARRIER_DROP_NOCOMPLETE:
    case ISA_OP_BULK_TO_CLUSTER:
    case ISA_OP_BULK_TO_CTA:
    case ISA_OP_BULK_BETWEEN:
    case ISA_OP_BULK_REDUCE_BETWEEN:
    case ISA_OP_ST_ASYNC:
    case ISA_OP_RED_ASYNC:
    case ISA_OP_CP_ASYNC_MBARRIER:
    case ISA_OP_CP_ASYNC_MBARRIER_NOINC:
        return ISA_SEM_RELEASE;
    case ISA_OP_MBARRIER_TEST:
    case ISA_OP_MBARRIER_TEST_PARITY:
    case ISA_OP_MBARRIER_TRY:
    case ISA_OP_MBARRIER_TRY_PARITY:
        return ISA_SEM_ACQUIRE;
    default:
        return ISA_SEM_NONE;
    }
}

static void read_order(struct check_insn *to, const struct isa_insn *insn)
{
    const struct isa_mods *mods = &insn->mods;
    const uint8_t order = order_of(insn);
    bool both = order == ISA_SEM_ACQ_REL || order == ISA_SEM_SC;
    to->strength = order > ISA_SEM_WEAK || mods->cache == ISA_CACHE_CV ? CHECK_STRONG : CHECK_WEAK;
    to->level = order == ISA_SEM_VOLATILE ? 2 : level_of(mods->scope);
    to->acquires = both || order == ISA_SEM_ACQUIRE;
    to->releases = both || order == ISA_SEM_RELEASE;
    if ((isa_ops[insn->op].flags & ISA_OPF_FENCE) != 0)
        to->fence = level_of(mods->scope) + 1;
}

/* Machine code has relaxed accesses and fences; CCTL.IVALL is what an acquiring load leaves behind it. */
static void read_machine_order(struct check_insn *to, const struct isa_sass_insn *sass)
{
    bool is_block = isa_sass_has(sass, ISA_SASS_W_CTA) || isa_sass_has(sass, ISA_SASS_W_SM);
    uint8_t level = is_block ? 0 : isa_sass_has(sass, ISA_SASS_W_CLUSTER) ? 1 : 2;
    to->strength =
        isa_sass_has(sass, ISA_SASS_W_STRONG) || isa_sass_has(sass, ISA_SASS_W_MMIO) ? CHECK_STRONG : CHECK_WEAK;
    to->level = level;
    if ((isa_sass_ops[sass->op].flags & ISA_OPF_FENCE) != 0)
        to->fence = level + 1;
    else if (sass->op == ISA_SASS_CCTL)
        to->fence = 3;
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
        if (insn->sass != NULL)
            read_machine_order(&check->insns[c], insn->sass);
        else
            read_order(&check->insns[c], insn);
        check->insns[c].copies = only_copies(function, insn, registers.used);
        if (registers.has_origins)
            check->insns[c].variable = check_origin_of(p->module, function, registers.origin, insn) + 1;
    }
    for (uint32_t i = 0; i < p->op_count; i++)
        check->has_deciding |= check_decides(&p->ops[i]);
    check->is_machine = p->module->form == ISA_FORM_SASS;
    free(registers.used);
    free(registers.origin);
    return good;
}
