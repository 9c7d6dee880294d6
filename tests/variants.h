/* Every variant (opcode, types, modifiers) of the lane-wise instructions that the reader takes and the engine has a
 * lane function for. */
#ifndef TESTS_VARIANTS_H
#define TESTS_VARIANTS_H

#include "base/strbuf.h"
#include "isa/isa.h"
#include "sim/exec.h"

struct variant {
    struct isa_insn insn; /* op, types, modifiers */
    sim_lane_fn *base;
    char letters[8]; /* of the operands, those that may be left out taken or dropped */
};

struct variant_list {
    struct variant *items;
    size_t count, capacity;
    size_t first[ISA_OP_COUNT + 1]; /* by opcode */
};

void variant_list_make(struct variant_list *list);
void variant_list_free(struct variant_list *list);

void variant_put_mnemonic(struct base_strbuf *out, const struct isa_insn *insn);

/* The width of an operand, and the file of the registers that hold it: p, h (16 bits), r (32) or d (64). */
unsigned variant_letter_bits(const struct isa_insn *insn, char letter);
char variant_file(unsigned bits);

#endif
