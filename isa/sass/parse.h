/* Inside the reader of listings: from text to decoded instructions. */
#ifndef ISA_SASS_PARSE_H
#define ISA_SASS_PARSE_H

#include "isa/sass/sass.h"

/* A piece of the text being read. */
struct sass_cursor {
    const char *at, *end;
};

/* A branch target written as a name, "(.L_x_3)": resolved when the labels of the section are known. */
struct sass_label_use {
    uint32_t operand;
    const char *name;
    size_t length;
};

/* Decodes one instruction: guard, opcode, words, operands; `text` is what stands before the ";". What it cannot
 * decode is told in insn->unknown (allocated in `arena`). *use: a target by name, name NULL when there is none. */
void sass_parse_insn(struct base_arena *arena, const char *text, size_t length, struct isa_sass_insn *insn,
                     struct sass_label_use *use);

/* Takes the control information and exact immediates from the encoding. */
void sass_apply_encoding(struct isa_sass_insn *insn, uint64_t low, uint64_t high);

#endif
