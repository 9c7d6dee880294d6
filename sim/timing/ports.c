/* Register ports: how many cycles an instruction's sources keep each of the two register banks of a sub-partition.
 *
 * A bank gives one register a cycle. A source with the reuse flag stays in the reuse cache for the next instruction of
 * the same warp, if none of another warp comes between. So each instruction has two counts a bank: as its own text goes
 * on, and after another warp. */
#include "isa/sass/sass.h"
#include "sim/timing/timing.h"

enum { KEPT_MOST = 3 };

struct kept {
    uint8_t registers[KEPT_MOST];
    unsigned count;
};

static bool is_kept(const struct kept *kept, uint8_t number)
{
    for (unsigned i = 0; i < kept->count; i++)
        if (kept->registers[i] == number)
            return true;
    return false;
}

/* Sources in pairs of registers: one of each bank. */
static bool is_pair(const struct timing_cost *cost)
{
    return cost->unit == TIMING_U_FP64;
}

static void count_source(struct timing_cost *cost, const struct isa_sass_operand *o, const struct kept *before,
                         struct kept *after)
{
    const bool is_there = is_kept(before, o->index);
    for (unsigned bank = 0; bank < 2; bank++) {
        if (!is_pair(cost) && o->index % 2 != bank)
            continue;
        cost->port_cycles_cold[bank]++;
        cost->port_cycles[bank] = (uint8_t)(cost->port_cycles[bank] + !is_there);
    }
    if (o->reuse && after->count < KEPT_MOST && !is_kept(after, o->index))
        after->registers[after->count++] = o->index;
}

/* The first register is what it writes, but for comparisons, which write predicates. */
static bool writes_register(const struct isa_sass_insn *sass)
{
    return sass->operand_count > 0 && sass->operands[0].kind == ISA_SASS_REG;
}

void timing_ports_count(struct timing_cost *costs, const struct sim_op *ops, uint32_t count)
{
    struct kept before = {.count = 0};
    for (uint32_t i = 0; i < count; i++) {
        struct timing_cost *cost = &costs[i];
        struct kept after = {.count = 0};
        const struct isa_sass_insn *sass = ops[i].insn != NULL ? ops[i].insn->sass : NULL;
        if (sass != NULL && cost->controlled && !cost->queued && cost->unit != TIMING_U_CONTROL)
            for (unsigned k = writes_register(sass); k < sass->operand_count; k++)
                if (sass->operands[k].kind == ISA_SASS_REG && sass->operands[k].index != ISA_SASS_RZ)
                    count_source(cost, &sass->operands[k], &before, &after);
        before = after;
    }
}
