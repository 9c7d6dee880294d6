/* Cache policies, the opaque 64-bit values that createpolicy makes. */
#ifndef SIM_POLICY_H
#define SIM_POLICY_H

#include "sim/engine.h"

/* The instruction's policy for a fraction (the bits of an f32), or for `bytes` of `total` at an address. */
uint64_t sim_policy_fraction(const struct isa_insn *insn, uint32_t fraction);
uint64_t sim_policy_range(const struct isa_insn *insn, uint64_t address, uint32_t bytes, uint32_t total);

/* All lanes of createpolicy.fractional and createpolicy.range. */
void sim_policy_run(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                    const struct sim_op *op, uint32_t mask);

#endif
