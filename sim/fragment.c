/* How matrices lie in the registers of a warp. */
#include "sim/matrix.h"

/* Which of the product's matrices the letter stands for. */
static char matrix_of(const struct isa_insn *insn, char letter)
{
    switch (insn->op) {
    case ISA_OP_WMMA_LOAD_A:
        return 'A';
    case ISA_OP_WMMA_LOAD_B:
        return 'B';
    default:
        return letter == 'A' || letter == 'B' ? letter : 'C';
    }
}

static uint8_t type_of(const struct isa_matrix_types *types, char matrix, char letter)
{
    if (matrix == 'A')
        return types->a;
    if (matrix == 'B')
        return types->b;
    return letter == 'C' || types->d == ISA_TYPE_NONE ? types->c : types->d;
}

struct sim_fragment sim_fragment_layout(const struct isa_insn *insn, char letter)
{
    const struct isa_shape_info *shape = &isa_shapes[insn->mods.shape];
    const struct isa_matrix_types types = isa_matrix_types(insn);
    const struct isa_fragment registers = isa_matrix_fragment(insn, letter);
    const char matrix = matrix_of(insn, letter);
    const bool turned = insn->mods.shape == ISA_SHAPE_M8N32K16; /* computed as the transposed product */
    struct sim_fragment f = {.count = registers.count, .type = type_of(&types, matrix, letter)};
    const unsigned bits = isa_types[f.type].bits, held = isa_types[registers.type].bits;
    f.register_rows = (uint8_t)(held / 32);
    f.per_register = (uint8_t)(held / bits);
    f.run = matrix == 'C' ? 2 : f.per_register;
    f.transposed = matrix == 'B' || (matrix == 'C' && turned);
    f.pairs = matrix == 'C' || (matrix == 'A') != turned;
    const unsigned down = matrix == 'A' ? shape->m : matrix == 'B' || turned ? shape->n : shape->m;
    const unsigned across = matrix == 'C' ? (turned ? shape->m : shape->n) : shape->k;
    f.tiles_down = (uint8_t)(down / 8);
    f.tiles_across = (uint8_t)(across / (4U * f.run));
    return f;
}

void sim_fragment_place(const struct sim_fragment *fragment, unsigned lane, unsigned index, unsigned *row,
                        unsigned *column)
{
    const unsigned down = fragment->tiles_down, across = fragment->tiles_across;
    const unsigned tile = index / fragment->run % (down * across);
    unsigned tile_row, tile_column;
    if (fragment->pairs && down > 1) {
        tile_row = tile / (2 * across) * 2 + tile % 2;
        tile_column = tile / 2 % across;
    } else {
        tile_row = tile / across;
        tile_column = tile % across;
    }
    const unsigned line = tile_row * 8 + lane / 4;
    const unsigned place = (tile_column * 4 + lane % 4) * fragment->run + index % fragment->run;
    *row = fragment->transposed ? place : line;
    *column = fragment->transposed ? line : place;
}
