/* Matrix opcodes: products (HMMA, IMMA, DMMA), 8 x 8 matrices between registers and shared memory (LDSM, STSM), and
 * their transposition (MOVM). Each does what one instruction of PTX does, with the same layout of a matrix in the
 * lanes' registers (validate/records/h200/tensor/machine), and so runs as that one: sim/matrix.c, sim/matrix_memory.c.
 */
#include "sim/sass/lower.h"

/* The registers of one matrix, from one register on. */
static struct sim_fragment take_fragment(struct sim_sass_builder *b, char letter)
{
    struct sim_fragment f = sim_fragment_layout(b->op->insn, letter);
    const struct isa_sass_operand *o = sim_sass_take(b);
    const bool is_zero = o->kind == ISA_SASS_REG && o->index == ISA_SASS_RZ;
    if (o->kind != ISA_SASS_REG || o->negative || o->inverted || o->part != ISA_SASS_PART_NONE)
        sim_sass_refuse(b, "a matrix that is not in registers");
    if (is_zero && letter == 'F')
        sim_sass_refuse(b, "a result without a register");
    const uint32_t row = sim_sass_row(b, o, is_zero ? f.register_rows : (uint32_t)f.count * f.register_rows);
    for (unsigned r = 0; r < f.count; r++)
        f.row[r] = is_zero ? row : row + r * f.register_rows;
    return f;
}

static void add_matrix(struct sim_sass_builder *b, const struct sim_matrix *matrix)
{
    b->op->kind = SIM_K_MATRIX;
    b->op->is_aligned = true;
    b->op->target = (uint32_t)b->matrices.count;
    if (!base_vec_push(&b->matrices, *matrix))
        b->failed = true;
}

/* ---- Products ---- */

/* The shape, whose words say m, n and k. */
static uint8_t take_shape(struct sim_sass_builder *b)
{
    static const uint8_t words[][2] = {{ISA_SASS_W_16816, ISA_SHAPE_M16N8K16},  {ISA_SASS_W_1688, ISA_SHAPE_M16N8K8},
                                       {ISA_SASS_W_1684, ISA_SHAPE_M16N8K4},    {ISA_SASS_W_16832, ISA_SHAPE_M16N8K32},
                                       {ISA_SASS_W_8816, ISA_SHAPE_M8N8K16},    {ISA_SASS_W_8X8X4, ISA_SHAPE_M8N8K4},
                                       {ISA_SASS_W_16X8X4, ISA_SHAPE_M16N8K4},  {ISA_SASS_W_16X8X8, ISA_SHAPE_M16N8K8},
                                       {ISA_SASS_W_16X8X16, ISA_SHAPE_M16N8K16}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (sim_sass_word(b, (enum isa_sass_word)words[i][0]))
            return words[i][1];
    sim_sass_refuse(b, "a shape of this kind");
    return ISA_SHAPE_M16N8K16;
}

static void take_types(struct sim_sass_builder *b, struct isa_insn *insn)
{
    insn->type = ISA_TYPE_F64;
    insn->type2 = insn->type3 = ISA_TYPE_F64;
    if (b->sass->op == ISA_SASS_HMMA) {
        insn->type = sim_sass_word(b, ISA_SASS_W_F32) ? ISA_TYPE_F32 : ISA_TYPE_F16;
        insn->type2 = sim_sass_word(b, ISA_SASS_W_BF16)   ? ISA_TYPE_BF16
                      : sim_sass_word(b, ISA_SASS_W_TF32) ? ISA_TYPE_TF32
                                                          : ISA_TYPE_F16;
        insn->type3 = insn->type2;
        if (insn->type == ISA_TYPE_F16)
            (void)sim_sass_word(b, ISA_SASS_W_F16);
    } else if (b->sass->op == ISA_SASS_IMMA) {
        static const uint8_t words[] = {ISA_SASS_W_S8, ISA_SASS_W_U8, ISA_SASS_W_NONE};
        insn->type = ISA_TYPE_S32; /* the words stand in the order of the operands */
        const bool first_signed = b->sass->word_count > 1 && b->sass->words[1] == ISA_SASS_W_S8;
        const bool second_signed = b->sass->word_count > 2 && b->sass->words[2] == ISA_SASS_W_S8;
        if (sim_sass_word_of(b, words) == ISA_SASS_W_NONE || sim_sass_word_of(b, words) == ISA_SASS_W_NONE)
            sim_sass_refuse(b, "a type of this kind");
        insn->type2 = first_signed ? ISA_TYPE_S8 : ISA_TYPE_U8;
        insn->type3 = second_signed ? ISA_TYPE_S8 : ISA_TYPE_U8;
    }
    insn->type4 = insn->type;
}

void sim_sass_lower_mma(struct sim_sass_builder *b)
{
    struct isa_insn *insn = sim_sass_act_as(b, ISA_OP_MMA);
    insn->mods.shape = take_shape(b);
    insn->mods.layout = ISA_LAYOUT_ROW;
    insn->mods.layout2 = ISA_LAYOUT_COL;
    insn->mods.flags |= ISA_FLAG_ALIGNED;
    take_types(b, insn);
    struct sim_matrix matrix = {.shape = isa_shapes[insn->mods.shape],
                                .types = isa_matrix_types(insn),
                                .saturates = sim_sass_word(b, ISA_SASS_W_SAT)};
    if (!isa_matrix_known(insn)) {
        sim_sass_refuse(b, "this combination of shape and types");
        return;
    }
    matrix.d = take_fragment(b, 'F');
    matrix.a = take_fragment(b, 'A');
    matrix.b = take_fragment(b, 'B');
    matrix.c = take_fragment(b, 'C');
    add_matrix(b, &matrix);
}

/* ---- 8 x 8 matrices ---- */

/* .16, .M88 or .MT88 (transposed), and how many. */
static void take_tiles(struct sim_sass_builder *b, struct isa_insn *insn)
{
    const bool turned = sim_sass_word(b, ISA_SASS_W_MT88);
    if (!sim_sass_word(b, ISA_SASS_W_16) || (!turned && !sim_sass_word(b, ISA_SASS_W_M88)))
        sim_sass_refuse(b, "a matrix of this kind");
    insn->mods.vec = sim_sass_word(b, ISA_SASS_W_4) ? 4 : sim_sass_word(b, ISA_SASS_W_2) ? 2 : 1;
    insn->mods.shape = ISA_SHAPE_M8N8;
    insn->mods.flags |= turned ? ISA_FLAG_TRANS : 0;
    insn->type = ISA_TYPE_B16;
}

void sim_sass_lower_ldsm(struct sim_sass_builder *b)
{
    const bool is_store = b->sass->op == ISA_SASS_STSM;
    struct isa_insn *insn = sim_sass_act_as(b, is_store ? ISA_OP_STMATRIX : ISA_OP_LDMATRIX);
    struct sim_matrix matrix = {.shape = {0}};
    take_tiles(b, insn);
    b->op->space = ISA_SPACE_SHARED;
    if (is_store) {
        sim_sass_take_address(b, false);
        matrix.c = take_fragment(b, 'C');
    } else {
        matrix.d = take_fragment(b, 'F');
        sim_sass_take_address(b, false);
    }
    add_matrix(b, &matrix);
}

void sim_sass_lower_movm(struct sim_sass_builder *b)
{
    struct isa_insn *insn = sim_sass_act_as(b, ISA_OP_MOVMATRIX);
    const struct sim_matrix none = {.shape = {0}};
    take_tiles(b, insn);
    if ((insn->mods.flags & ISA_FLAG_TRANS) == 0)
        sim_sass_refuse(b, "a form that does not transpose");
    sim_sass_dst(b, 1);
    if (b->op->dst == SIM_ROW_NONE)
        sim_sass_refuse(b, "a result without a register");
    b->op->src[0] = sim_sass_row(b, sim_sass_take(b), 1);
    add_matrix(b, &none);
}
