/* Matrix instructions: which shapes and types there are, and how many registers a lane gives to each matrix.
 *
 * Reader, verifier, printer and engine take the lengths of {..} from here; what lies in those registers is
 * sim/matrix.c. */
#ifndef ISA_MATRIX_H
#define ISA_MATRIX_H

#include "isa/isa.h"

struct isa_shape_info {
    uint8_t m, n, k; /* k == 0: a plain matrix of m by n */
};
extern const struct isa_shape_info isa_shapes[ISA_SHAPE_COUNT];

/* The types of the four matrices of mma and wmma.mma; a load or store has one of them. */
struct isa_matrix_types {
    uint8_t d, a, b, c;
};
struct isa_matrix_types isa_matrix_types(const struct isa_insn *insn);

/* A lane's part of one matrix: registers, and their type. */
struct isa_fragment {
    uint8_t count, type;
};
/* `letter` as in opcode.def: F the destination, A, B, C the sources. */
struct isa_fragment isa_matrix_fragment(const struct isa_insn *insn, char letter);

/* Whether the PTX ISA has this shape with these types, layouts and words. True for other instructions. */
bool isa_matrix_known(const struct isa_insn *insn);

#endif
