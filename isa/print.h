/* The two halves of the printer: print.c writes modules and functions, print_insn.c one instruction. */
#ifndef ISA_PRINT_H
#define ISA_PRINT_H

#include "isa/isa.h"

/* A constant of that type as PTX reads it. */
void isa_print_constant(struct base_strbuf *out, unsigned type, uint64_t bits);

/* "generic(NAME)+4"; the driver's assembler wants "+-4", not "-4". */
void isa_print_address(struct base_strbuf *out, const char *name, bool generic, int64_t addend);

#endif
