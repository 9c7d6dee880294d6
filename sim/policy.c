/* Cache policies, bit for bit as an H200 makes them (validate/records/h200/forms). Nothing here reads one: a policy
 * changes no result.
 *
 *   63:60  1
 *   59     a range
 *   58:57  the first priority: unchanged, first, last, normal
 *   56     the second one: first
 *   fraction: 55:52  sixteenths, less one
 *   range:    55:52  n: blocks have 4096 * 2^n bytes, so that up to 128 hold the total
 *             51:44  the first block, as a number in the address space
 *             43:37  how many blocks the first priority has */
#include "sim/policy.h"

#include "sim/exec_lane.h"

#define POLICY       (UINT64_C(1) << 60)
#define POLICY_RANGE (UINT64_C(1) << 59)

static uint64_t priorities(const struct isa_insn *insn)
{
    static const uint8_t codes[] = {[ISA_HINT2_L2_EVICT_FIRST] = 1,
                                    [ISA_HINT2_L2_EVICT_LAST] = 2,
                                    [ISA_HINT2_L2_EVICT_NORMAL] = 3,
                                    [ISA_HINT2_L2_EVICT_UNCHANGED] = 0};
    return (uint64_t)codes[insn->mods.hint2] << 57 | (uint64_t)(insn->mods.hint3 == ISA_HINT2_L2_EVICT_FIRST) << 56;
}

uint64_t sim_policy_fraction(const struct isa_insn *insn, uint32_t fraction)
{
    const float sixteenths = lane_float(fraction) * 16.0F;
    uint64_t whole = 0;
    while (whole < 15 && (float)(int)(whole + 1) < sixteenths)
        whole++;
    return POLICY | priorities(insn) | whole << 52;
}

uint64_t sim_policy_range(const struct isa_insn *insn, uint64_t address, uint32_t bytes, uint32_t total)
{
    uint64_t n = 0;
    while ((UINT64_C(128) * 4096 << n) < total)
        n++;
    const uint64_t block = UINT64_C(4096) << n, first = address / block;
    const uint64_t end = (address % block + bytes + block - 1) / block, blocks = end < 127 ? end : 127;
    return POLICY | POLICY_RANGE | priorities(insn) | n << 52 | (first & 255) << 44 | blocks << 37;
}

void sim_policy_run(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                    const struct sim_op *op, uint32_t mask)
{
    const bool range = op->insn->op == ISA_OP_POLICY_RANGE, wide = op->addr_base == SIM_ADDR_REG64;
    const uint32_t *first = sim_row(engine->program, warp, group, op->src[0]);
    const uint32_t *second = sim_row(engine->program, warp, group, op->src[1]);
    const uint32_t *base = op->address != SIM_ROW_NONE ? sim_row(engine->program, warp, group, op->address) : NULL;
    uint32_t out[2][32];
    for (unsigned lane = 0; lane < 32; lane++) {
        const uint64_t high = wide && base != NULL ? (uint64_t)base[32 + lane] << 32 : 0;
        const uint64_t address = (base != NULL ? high | base[lane] : 0) + (uint64_t)op->offset;
        const uint64_t policy = range ? sim_policy_range(op->insn, address, first[lane], second[lane])
                                      : sim_policy_fraction(op->insn, first[lane]);
        out[0][lane] = (uint32_t)policy;
        out[1][lane] = (uint32_t)(policy >> 32);
    }
    if (op->dst != SIM_ROW_NONE)
        engine->lanes->merge(sim_row(engine->program, warp, group, op->dst), out[0], mask, 2);
}
