/* Which words an instruction may have with its types: the combinations that PTX has, as ptxas takes them.
 *
 * A row of opcode.def says which types and words an opcode has at all; isa/legal.def says which go together. Each of
 * its rows is a line of the PTX ISA's syntax boxes: a set of allowed values for every member of struct isa_mods, where
 * bit 0 is the absent word. An instruction is legal when one of its opcode's rows takes it; an opcode without rows
 * takes everything that opcode.def lists. */
#ifndef ISA_LEGAL_H
#define ISA_LEGAL_H

#include "base/strbuf.h"
#include "isa/isa.h"

struct isa_legal {
    uint16_t op;                    /* enum isa_op */
    uint8_t dsts;                   /* set of numbers of destinations; 0: as the form has it */
    uint64_t types, types2, types3; /* sets of T(); 0: no type */
    uint32_t may, must;             /* enum isa_flag: what can be there, what has to */
    uint32_t given;                 /* set of isa_form_given()'s answers; 0 as 1: no optional operand is there */
    /* Sets of the values of members of struct isa_mods; 0 as 1: absent. */
    uint32_t cmp, boolop, round, mode, mode2, space, sem, scope, vec, cache, hint, hint2, hint3, prefetch;
};
extern const struct isa_legal isa_legal[];
extern const size_t isa_legal_count;

/* The row of the instruction's opcode that is nearest to it, and how many of its types, words and operands that row
 * does not take: none when the instruction is legal. NULL: the opcode has no rows. */
const struct isa_legal *isa_legal_find(const struct isa_insn *insn, const struct isa_operand *operands,
                                       unsigned *distance);

/* What is wrong, for the nearest row at a distance: "add.s32 does not take .ftz". */
void isa_legal_explain(const struct isa_legal *nearest, const struct isa_insn *insn, const struct isa_operand *operands,
                       struct base_strbuf *out);

#endif
