/* How opcode.def's form letters read: which type an operand has, which words stand for a modifier. Shared by reader,
 * verifier and printer. */
#ifndef ISA_FORM_H
#define ISA_FORM_H

#include "isa/isa.h"

/* The type of the operand that `letter` stands for; NONE where any address-sized integer will do. */
enum isa_type isa_form_type(const struct isa_insn *insn, char letter);

/* Elements of the opcode's vectors, where its name says so; else 0. */
unsigned isa_form_elements(unsigned op);

/* Whether the letter's operand is written: the first operands of a form are. */
bool isa_form_is_destination(char letter);

/* The smallest and largest number of operands in text, and the letters without '?'. */
struct isa_operand_form {
    char letters[8];
    bool optional[8];
    unsigned count, required;
};
struct isa_operand_form isa_form_parse(const char *form);

/* Which of the optional operands an instruction has: bit 0 is the form's first. */
unsigned isa_form_given(const struct isa_insn *insn, const struct isa_operand *operands);

/* ".L2::cache_hint" is no modifier of its own: the last, optional operand of such a row is its cache policy. */
bool isa_form_has_policy(const struct isa_op_info *op);
bool isa_form_policy_given(const struct isa_insn *insn, const struct isa_operand *operands);

#endif
