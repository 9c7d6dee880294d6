/* Finds a reduction written by hand: many values in, a few out, combined through shared memory or by shuffles.
 *
 * It is told by its data flow: global memory gives at least eight values for each one that is stored, at most one
 * thread of each warp stores, and the value stored was made by an operation that combines (add, min, max, and, or, xor)
 * on what another thread left in shared memory or in a register. Matrix products, scans and histograms store more.
 */
#include "advise/rules.h"

enum { STEPS_BACK = 256 };

struct definition {
    const struct isa_insn *insn;
    size_t at;
};

/* The instruction before `at` in the text that last wrote the register; none: insn is NULL. */
static struct definition definition_of(const struct isa_function *function, size_t at, uint32_t reg)
{
    for (size_t back = 0; back < STEPS_BACK && at > 0; back++) {
        const struct isa_insn *insn = &function->insns[--at];
        for (uint32_t d = 0; d < insn->dst_count; d++) {
            const struct isa_operand *operand = &function->operands[insn->operand_first + d];
            if (operand->kind == ISA_OPERAND_REG && operand->ref == reg)
                return (struct definition){insn, at};
        }
    }
    return (struct definition){NULL, 0};
}

static bool combines(const struct isa_insn *insn)
{
    switch (insn->op) {
    case ISA_OP_ADD:
    case ISA_OP_MIN:
    case ISA_OP_MAX:
    case ISA_OP_AND:
    case ISA_OP_OR:
    case ISA_OP_XOR:
        return insn->type != ISA_TYPE_PRED;
    default:
        return false;
    }
}

/* Through what a combining instruction got one of its operands from another thread. */
enum source { SOURCE_NONE, SOURCE_SHARED, SOURCE_SHUFFLE };
static enum source source_of(const struct isa_function *function, const struct isa_insn *insn, size_t at)
{
    for (uint32_t i = insn->dst_count; i < insn->operand_count; i++) {
        const struct isa_operand *operand = &function->operands[insn->operand_first + i];
        if (operand->kind != ISA_OPERAND_REG)
            continue;
        struct definition from = definition_of(function, at, operand->ref);
        for (int moves = 0; moves < 4 && from.insn && from.insn->op == ISA_OP_MOV && from.insn->operand_count == 2;
             moves++) {
            const struct isa_operand *moved = &function->operands[from.insn->operand_first + 1];
            if (moved->kind != ISA_OPERAND_REG)
                break;
            from = definition_of(function, from.at, moved->ref);
        }
        if (from.insn && from.insn->op == ISA_OP_SHFL)
            return SOURCE_SHUFFLE;
        if (from.insn && from.insn->op == ISA_OP_LD && from.insn->mods.space == ISA_SPACE_SHARED)
            return SOURCE_SHARED;
    }
    return SOURCE_NONE;
}

static void tell(struct advise_rules *rules, const struct sim_insn_report *row, enum source source, uint64_t loads,
                 uint64_t outputs)
{
    struct advise_finding *f =
        advise_add(rules, ADVISE_RULE_REDUCTION, ADVISE_WORD_REDUCTION,
                   source == SOURCE_SHARED ? ADVISE_WORD_REDUCTION_SHARED : ADVISE_WORD_REDUCTION_SHUFFLE, row);
    advise_count(f, "loads", loads);
    advise_count(f, "outputs", outputs);
    advise_text(rules, f, "operation", isa_ops[advise_insn(rules, row)->op].mnemonic);
    advise_cure(f, ADVISE_WORD_REDUCTION_CURE);
    if (f)
        f->severity = ADVISE_NOTE;
}

/* Only PTX says plainly what is combined with what. */
void advise_rules_reduction(struct advise_rules *rules)
{
    const struct sim_report *report = rules->report;
    uint64_t loads = 0, outputs = 0, most = 0;
    const struct sim_insn_report *found = NULL;
    enum source source = SOURCE_NONE;
    if (report->form != ISA_FORM_PTX)
        return;
    for (size_t i = 0; i < report->insn_count; i++) {
        const struct sim_insn_report *row = &report->insns[i];
        const struct isa_insn *insn = advise_insn(rules, row);
        uint32_t vec = insn->mods.vec > 1 ? insn->mods.vec : 1;
        if (row->is_global && row->is_load)
            loads += advise_threads_on(row) * vec;
        else if (row->is_global && (row->is_store || row->is_atomic))
            outputs += advise_threads_on(row) * vec;
        if (!combines(insn) || row->thread_executed <= most)
            continue;
        enum source from = source_of(&rules->query->module->functions[row->function], insn, row->insn);
        if (from != SOURCE_NONE) {
            most = row->thread_executed;
            found = row;
            source = from;
        }
    }
    if (found && outputs > 0 && loads / 8 >= outputs && outputs <= rules->blocks * rules->warps_per_block)
        tell(rules, found, source, loads, outputs);
}
