/* What one thread computes by one instruction: the PTX ISA's definitions in plain C, for tests/test_differential.c. */
#ifndef TESTS_LANE_REFERENCE_H
#define TESTS_LANE_REFERENCE_H

#include "isa/isa.h"

#include <stdbool.h>
#include <stdint.h>

struct lane_result {
    uint64_t value; /* bits of the destination's type */
    bool carry;     /* of add.cc and its like; the comparison of setp and testp */
    bool second;    /* setp of a packed type: the comparison of the second elements */
};

/* a: sources in operand order, cut to their types' widths; predicate: selp's selector or the carry in. False: not
 * written here. */
bool lane_reference(const struct isa_insn *insn, const uint64_t a[4], bool predicate, struct lane_result *out);

#endif
