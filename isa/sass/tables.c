/* The expansions of opcode.def, word.def and sreg.def. */
#include "isa/sass/sass.h"

const struct isa_sass_op_info isa_sass_ops[ISA_SASS_OP_COUNT] = {
#define SASS(id, mnemonic, unit, flags, lower, meaning)                                                                \
    [ISA_SASS_##id] = {mnemonic, ISA_UNIT_##unit, (uint16_t)(flags), meaning},
#include "isa/sass/opcode.def"
#undef SASS
};

const char *const isa_sass_words[ISA_SASS_WORD_COUNT] = {
#define WORD(id, text) [ISA_SASS_W_##id] = text,
#include "isa/sass/word.def"
#undef WORD
};

const char *const isa_sass_sregs[ISA_SASS_SREG_COUNT] = {
#define SASS_SREG(id, text) [ISA_SASS_SR_##id] = text,
#include "isa/sass/sreg.def"
#undef SASS_SREG
};
