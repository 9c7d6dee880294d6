/* Shapes, types and fragment lengths of mma, wmma, ldmatrix, stmatrix and movmatrix. */
#include "isa/matrix.h"

const struct isa_shape_info isa_shapes[ISA_SHAPE_COUNT] = {
    [ISA_SHAPE_M8N8] = {8, 8, 0},       [ISA_SHAPE_M8N8K4] = {8, 8, 4},       [ISA_SHAPE_M8N8K16] = {8, 8, 16},
    [ISA_SHAPE_M16N8K4] = {16, 8, 4},   [ISA_SHAPE_M16N8K8] = {16, 8, 8},     [ISA_SHAPE_M16N8K16] = {16, 8, 16},
    [ISA_SHAPE_M16N8K32] = {16, 8, 32}, [ISA_SHAPE_M16N16K16] = {16, 16, 16}, [ISA_SHAPE_M32N8K16] = {32, 8, 16},
    [ISA_SHAPE_M8N32K16] = {8, 32, 16}, [ISA_SHAPE_M16N16K8] = {16, 16, 8},
};

struct isa_matrix_types isa_matrix_types(const struct isa_insn *insn)
{
    struct isa_matrix_types types = {insn->type, insn->type2, insn->type3, insn->type4};
    if (insn->op == ISA_OP_WMMA_MMA && insn->type3 == ISA_TYPE_NONE) { /* only .f16 is left out */
        types.a = types.b = ISA_TYPE_F16;
        types.c = insn->type2;
    } else if (insn->op == ISA_OP_WMMA_LOAD_A) {
        types.a = insn->type;
    } else if (insn->op == ISA_OP_WMMA_LOAD_B) {
        types.b = insn->type;
    } else if (insn->op == ISA_OP_WMMA_LOAD_C || insn->op == ISA_OP_WMMA_STORE || insn->op == ISA_OP_STMATRIX) {
        types.c = insn->type;
    }
    return types;
}

/* The type of a register that holds elements of `type`. */
static uint8_t register_type(uint8_t type)
{
    switch (type) {
    case ISA_TYPE_F32:
    case ISA_TYPE_F64:
    case ISA_TYPE_S32:
        return type;
    default:
        return ISA_TYPE_B32;
    }
}

static struct isa_fragment spread(unsigned rows, unsigned columns, uint8_t type)
{
    const uint8_t held = register_type(type);
    return (struct isa_fragment){(uint8_t)(rows * columns * isa_types[type].bits / 32U / isa_types[held].bits), held};
}

static bool is_wmma(const struct isa_insn *insn)
{
    return insn->op == ISA_OP_WMMA_MMA || insn->op == ISA_OP_WMMA_LOAD_A || insn->op == ISA_OP_WMMA_LOAD_B ||
           insn->op == ISA_OP_WMMA_LOAD_C || insn->op == ISA_OP_WMMA_STORE;
}

/* Which matrix a letter of this instruction stands for: 'a', 'b' or 'c'. */
static char matrix_of(const struct isa_insn *insn, char letter)
{
    switch (insn->op) {
    case ISA_OP_WMMA_LOAD_A:
        return 'a';
    case ISA_OP_WMMA_LOAD_B:
        return 'b';
    default:
        return letter == 'A' ? 'a' : letter == 'B' ? 'b' : 'c';
    }
}

struct isa_fragment isa_matrix_fragment(const struct isa_insn *insn, char letter)
{
    const struct isa_shape_info *shape = &isa_shapes[insn->mods.shape];
    const struct isa_matrix_types types = isa_matrix_types(insn);
    if (insn->op == ISA_OP_LDMATRIX || insn->op == ISA_OP_STMATRIX)
        return (struct isa_fragment){insn->mods.vec, ISA_TYPE_B32};
    switch (matrix_of(insn, letter)) {
    case 'a':
        if (is_wmma(insn) && types.a == ISA_TYPE_F16) /* eight whatever the shape */
            return (struct isa_fragment){8, ISA_TYPE_B32};
        return spread(shape->m, shape->k, types.a);
    case 'b':
        if (is_wmma(insn) && types.b == ISA_TYPE_F16)
            return (struct isa_fragment){8, ISA_TYPE_B32};
        return spread(shape->k, shape->n, types.b);
    default:
        return spread(shape->m, shape->n, letter == 'C' || insn->op == ISA_OP_WMMA_LOAD_C ? types.c : types.d);
    }
}

static bool is_byte(uint8_t type)
{
    return type == ISA_TYPE_S8 || type == ISA_TYPE_U8;
}

/* A product's operand and accumulator types go together. */
static bool types_fit(const struct isa_matrix_types *t)
{
    switch (t->a) {
    case ISA_TYPE_F16:
        return t->b == ISA_TYPE_F16 && (t->d == ISA_TYPE_F16 || t->d == ISA_TYPE_F32) &&
               (t->c == ISA_TYPE_F16 || t->c == ISA_TYPE_F32);
    case ISA_TYPE_BF16:
    case ISA_TYPE_TF32:
        return t->b == t->a && t->d == ISA_TYPE_F32 && t->c == ISA_TYPE_F32;
    case ISA_TYPE_F64:
        return t->b == t->a && t->d == ISA_TYPE_F64 && t->c == ISA_TYPE_F64;
    default:
        return is_byte(t->a) && is_byte(t->b) && t->d == ISA_TYPE_S32 && t->c == ISA_TYPE_S32;
    }
}

static bool mma_known(const struct isa_insn *insn)
{
    const struct isa_matrix_types t = isa_matrix_types(insn);
    const bool half = t.a == ISA_TYPE_F16 || t.a == ISA_TYPE_BF16;
    if (!types_fit(&t) || t.c != t.d || insn->mods.layout != ISA_LAYOUT_ROW || insn->mods.layout2 != ISA_LAYOUT_COL)
        return false;
    switch (insn->mods.shape) {
    case ISA_SHAPE_M8N8K4:
        return t.a == ISA_TYPE_F64;
    case ISA_SHAPE_M8N8K16:
    case ISA_SHAPE_M16N8K32:
        return is_byte(t.a);
    case ISA_SHAPE_M16N8K4:
        return t.a == ISA_TYPE_TF32 || t.a == ISA_TYPE_F64;
    case ISA_SHAPE_M16N8K8:
        return half || t.a == ISA_TYPE_TF32 || t.a == ISA_TYPE_F64;
    case ISA_SHAPE_M16N8K16:
        return half || is_byte(t.a) || t.a == ISA_TYPE_F64;
    default:
        return false;
    }
}

/* Whether wmma has the shape for operands of that type. */
static bool wmma_shape_known(uint8_t shape, uint8_t type)
{
    if (type == ISA_TYPE_TF32)
        return shape == ISA_SHAPE_M16N16K8;
    return shape == ISA_SHAPE_M16N16K16 || shape == ISA_SHAPE_M32N8K16 || shape == ISA_SHAPE_M8N32K16;
}

static bool wmma_known(const struct isa_insn *insn)
{
    const struct isa_matrix_types t = isa_matrix_types(insn);
    const uint8_t shape = insn->mods.shape;
    if (insn->mods.layout == ISA_LAYOUT_NONE)
        return false;
    switch (insn->op) {
    case ISA_OP_WMMA_MMA:
        return types_fit(&t) && t.a == t.b && insn->mods.layout2 != ISA_LAYOUT_NONE && wmma_shape_known(shape, t.a) &&
               (insn->type3 == ISA_TYPE_NONE) == (t.a == ISA_TYPE_F16);
    case ISA_OP_WMMA_LOAD_A:
    case ISA_OP_WMMA_LOAD_B:
        return insn->mods.layout2 == ISA_LAYOUT_NONE && wmma_shape_known(shape, insn->type);
    default: /* the accumulators of .tf32 are .f32 */
        return insn->mods.layout2 == ISA_LAYOUT_NONE &&
               (wmma_shape_known(shape, insn->type) || (shape == ISA_SHAPE_M16N16K8 && insn->type == ISA_TYPE_F32));
    }
}

bool isa_matrix_known(const struct isa_insn *insn)
{
    const uint32_t flags = insn->mods.flags;
    const bool integers = insn->type == ISA_TYPE_S32;
    if (!(isa_ops[insn->op].modifiers & M_SHAPE))
        return true;
    if (!(flags & ISA_FLAG_ALIGNED) || (flags & ISA_FLAG_SAT) || ((flags & ISA_FLAG_SATFINITE) && !integers))
        return false;
    switch (insn->op) {
    case ISA_OP_MMA:
        return mma_known(insn);
    case ISA_OP_LDMATRIX:
    case ISA_OP_STMATRIX:
        return insn->mods.shape == ISA_SHAPE_M8N8 && insn->mods.vec != 0 && insn->mods.layout == ISA_LAYOUT_NONE;
    case ISA_OP_MOVMATRIX:
        return insn->mods.shape == ISA_SHAPE_M8N8 && (flags & ISA_FLAG_TRANS) && insn->mods.vec == 0 &&
               insn->mods.layout == ISA_LAYOUT_NONE;
    default:
        return wmma_known(insn);
    }
}
