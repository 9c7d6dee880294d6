/* Machine code: when the warp goes on behind a product of integers of which more than the low half is asked for.
 *
 * Such a product takes passes of a few cycles: two until the low half is there and the unit's next product can begin,
 * one more for the upper half; if it adds a pair of registers, the low half comes with the upper one; UIMAD.WIDE takes
 * the unit, too. Stall counts are of shorter ones: the instruction that reads a half, or that is the unit's next one,
 * comes so much later (validate/records/h200/micro, lat_wide, thr_wide, thr_wide_ffma). Where that is the ALU's, it
 * waits there, and the ALU takes no other in that time, of whatever warp (validate/records/h200/stores, products.csv:
 * wide_add64_reg, wide_load; micro, stream_ca32_l1). That is worked out once, from one instruction to the next. */
#include "isa/sass/sass.h"
#include "sim/timing/timing.h"

enum { LOOKED_AT = 12 }; /* instructions behind a product */

static bool writes_register(const struct isa_sass_insn *sass)
{
    return sass->operand_count > 0 && sass->operands[0].kind == ISA_SASS_REG;
}

/* Of uniform registers, in the same unit. */
static bool is_uniform(const struct sim_op *op)
{
    const struct isa_sass_insn *sass = op->insn != NULL ? op->insn->sass : NULL;
    return sass != NULL && sass->op == ISA_SASS_UIMAD && isa_sass_has(sass, ISA_SASS_W_WIDE);
}

static bool is_pair(const struct isa_sass_insn *sass, unsigned operand)
{
    return sass->op == ISA_SASS_IMAD && operand == 3 && isa_sass_has(sass, ISA_SASS_W_WIDE);
}

static bool reads(const struct isa_sass_insn *sass, uint32_t number)
{
    for (unsigned k = writes_register(sass); k < sass->operand_count; k++) {
        const struct isa_sass_operand *o = &sass->operands[k];
        const uint32_t first = o->kind == ISA_SASS_MEM ? o->base : o->index;
        if ((o->kind != ISA_SASS_REG && o->kind != ISA_SASS_MEM) || first == ISA_SASS_RZ)
            continue;
        if (first == number || ((o->kind == ISA_SASS_MEM || is_pair(sass, k)) && first + 1 == number))
            return true;
    }
    return false;
}

static bool multiplies(const struct timing_cost *cost, const struct isa_sass_insn *sass)
{
    return cost->unit == TIMING_U_IMAD && !isa_sass_has(sass, ISA_SASS_W_IADD) && !isa_sass_has(sass, ISA_SASS_W_MOV);
}

/* Cycles from the product, whose halves go to these registers, to the instruction at the least. */
static uint32_t distance(const struct sim_device *d, const struct timing_cost *cost, const struct isa_sass_insn *sass,
                         const uint32_t halves[2], bool adds)
{
    const uint32_t pass = d->product_pass_cycles;
    uint32_t least = multiplies(cost, sass) ? 2 * pass : 0;
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t there = (2 + half) * pass;
        if (half == 0 && adds)
            there += pass;
        if (cost->queued) /* the memory pipe reads its registers later */
            there = 2 * pass;
        if (halves[half] != ISA_SASS_RZ && reads(sass, halves[half]) && there > least)
            least = there;
    }
    return least;
}

static void hold(const struct sim_device *d, struct timing_cost *costs, const struct sim_op *ops, uint32_t count)
{
    const struct isa_sass_insn *sass = ops[0].insn->sass;
    const bool is_wide = isa_sass_has(sass, ISA_SASS_W_WIDE);
    const struct isa_sass_operand *sum = sass->operand_count > 3 ? &sass->operands[3] : NULL;
    const bool adds = sum != NULL && sum->kind == ISA_SASS_REG && sum->index != ISA_SASS_RZ;
    const uint32_t to = writes_register(sass) ? sass->operands[0].index : ISA_SASS_RZ;
    uint32_t halves[2] = {is_wide ? to : ISA_SASS_RZ, is_wide && to != ISA_SASS_RZ ? to + 1 : to};
    uint32_t at = costs[0].stall;
    for (uint32_t i = 1; i < count && i <= LOOKED_AT; i++) {
        const struct isa_sass_insn *next = ops[i].insn != NULL ? ops[i].insn->sass : NULL;
        if (next == NULL || !costs[i].controlled)
            return;
        const uint32_t least = distance(d, &costs[i], next, halves, adds);
        if (least > at && costs[i].unit == TIMING_U_INT)
            costs[i].waits_inside = (uint8_t)(least - at);
        if (least > at) {
            costs[i - 1].stall = (uint8_t)(costs[i - 1].stall + least - at);
            at = least;
        }
        if (costs[i].unit == TIMING_U_CONTROL)
            return;
        for (uint32_t half = 0; half < 2; half++)
            if (writes_register(next) && next->operands[0].index == halves[half])
                halves[half] = ISA_SASS_RZ;
        at += costs[i].stall;
    }
}

void timing_products_hold(const struct sim_device *device, struct timing_cost *costs, const struct sim_op *ops,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (costs[i].controlled && (costs[i].is_long || is_uniform(&ops[i])))
            hold(device, costs + i, ops + i, count - i);
}
