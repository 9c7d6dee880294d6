/* Conversions: I2F, F2I, F2F, FRND, I2FP, F2FP, I2I. The first type word is the result's, the second the source's; a
 * word that is left out is the usual 32-bit type. */
#include "sim/sass/lower.h"

static const struct {
    uint8_t word, type;
} type_words[] = {
    {ISA_SASS_W_F16, ISA_TYPE_F16}, {ISA_SASS_W_BF16, ISA_TYPE_BF16}, {ISA_SASS_W_F32, ISA_TYPE_F32},
    {ISA_SASS_W_F64, ISA_TYPE_F64}, {ISA_SASS_W_TF32, ISA_TYPE_TF32}, {ISA_SASS_W_S8, ISA_TYPE_S8},
    {ISA_SASS_W_U8, ISA_TYPE_U8},   {ISA_SASS_W_S16, ISA_TYPE_S16},   {ISA_SASS_W_U16, ISA_TYPE_U16},
    {ISA_SASS_W_S32, ISA_TYPE_S32}, {ISA_SASS_W_U32, ISA_TYPE_U32},   {ISA_SASS_W_S64, ISA_TYPE_S64},
    {ISA_SASS_W_U64, ISA_TYPE_U64},
};

/* The next type word, in the order of the text; `absent` when there is none of the class. */
static enum isa_type take_type(struct sim_sass_builder *b, bool is_float, enum isa_type absent)
{
    for (unsigned at = 0; at < b->sass->word_count; at++)
        for (size_t i = 0; i < sizeof(type_words) / sizeof(type_words[0]); i++)
            if ((b->words_used >> at & 1) == 0 && b->sass->words[at] == type_words[i].word &&
                (isa_types[type_words[i].type].class == ISA_CLASS_FLOAT) == is_float) {
                b->words_used |= 1U << at;
                return (enum isa_type)type_words[i].type;
            }
    return absent;
}

static uint8_t take_rounding(struct sim_sass_builder *b, bool to_integer)
{
    static const uint8_t words[][3] = {
        {ISA_SASS_W_TRUNC, ISA_ROUND_RZI, ISA_ROUND_RZ}, {ISA_SASS_W_FLOOR, ISA_ROUND_RMI, ISA_ROUND_RM},
        {ISA_SASS_W_CEIL, ISA_ROUND_RPI, ISA_ROUND_RP},  {ISA_SASS_W_RZ, ISA_ROUND_RZI, ISA_ROUND_RZ},
        {ISA_SASS_W_RM, ISA_ROUND_RMI, ISA_ROUND_RM},    {ISA_SASS_W_RP, ISA_ROUND_RPI, ISA_ROUND_RP},
        {ISA_SASS_W_RNA, ISA_ROUND_RNA, ISA_ROUND_RNA},  {ISA_SASS_W_RN, ISA_ROUND_RNI, ISA_ROUND_RN}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (sim_sass_word(b, (enum isa_sass_word)words[i][0]))
            return words[i][to_integer ? 1 : 2];
    return to_integer ? ISA_ROUND_RNI : ISA_ROUND_RN;
}

/* d = cvt(a). Signs of the source are those of its type. */
static void convert(struct sim_sass_builder *b, enum isa_type to, enum isa_type from, struct isa_mods mods)
{
    mods.flags |= sim_sass_word(b, ISA_SASS_W_FTZ) ? ISA_FLAG_FTZ : 0;
    (void)sim_sass_word(b, ISA_SASS_W_NTZ);
    mods.flags |= sim_sass_word(b, ISA_SASS_W_SAT) ? ISA_FLAG_SAT : 0;
    uint32_t to_rows = isa_type_slots(to), from_rows = isa_type_slots(from);
    sim_sass_dst(b, to_rows);
    sim_sass_src(
        b, 0, from_rows,
        (uint8_t)(isa_types[from].bits == 16 && isa_types[from].class == ISA_CLASS_FLOAT ? ISA_TYPE_F16X2 : from));
    sim_sass_alu(b, sim_sass_like(b, ISA_OP_CVT, to, from, &mods), to_rows);
}

/* A narrow signed result fills the register with its sign. */
static bool run_narrow(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                       const struct sim_op *op, uint32_t mask)
{
    struct sim_sass_sources s;
    uint32_t out[32] __attribute__((aligned(64)));
    sim_sass_fetch(engine, warp, group, op, &s);
    (void)op->fn(out, s.row[0], s.row[1], s.row[2], s.row[3], 0);
    for (unsigned i = 0; i < 32; i++)
        out[i] = (uint32_t)(op->machine->flags == 8 ? (int32_t)(int8_t)out[i] : (int32_t)(int16_t)out[i]);
    sim_sass_write(engine, warp, group, op, out, 1, mask);
    return true;
}

static void fill_register(struct sim_sass_builder *b, enum isa_type to)
{
    if (isa_types[to].class != ISA_CLASS_SIGNED || isa_types[to].bits >= 32)
        return;
    b->more->flags = (uint8_t)isa_types[to].bits;
    sim_sass_through(b, run_narrow);
}

void sim_sass_lower_i2f(struct sim_sass_builder *b)
{
    enum isa_type to = take_type(b, true, ISA_TYPE_F32), from = take_type(b, false, ISA_TYPE_S32);
    struct isa_mods mods = {.round = take_rounding(b, false)};
    convert(b, to, from, mods);
}

void sim_sass_lower_f2i(struct sim_sass_builder *b)
{
    enum isa_type to = take_type(b, false, ISA_TYPE_S32), from = take_type(b, true, ISA_TYPE_F32);
    struct isa_mods mods = {.round = take_rounding(b, true)};
    convert(b, to, from, mods);
    fill_register(b, to);
}

void sim_sass_lower_f2f(struct sim_sass_builder *b)
{
    enum isa_type to = take_type(b, true, ISA_TYPE_F32), from = take_type(b, true, ISA_TYPE_F32);
    struct isa_mods mods = {.round = take_rounding(b, false)};
    convert(b, to, from, mods);
}

void sim_sass_lower_frnd(struct sim_sass_builder *b)
{
    enum isa_type type = take_type(b, true, ISA_TYPE_F32);
    struct isa_mods mods = {.round = take_rounding(b, true)};
    convert(b, type, type, mods);
}

void sim_sass_lower_i2i(struct sim_sass_builder *b)
{
    struct isa_mods mods = {0};
    enum isa_type to = take_type(b, false, ISA_TYPE_S32), from = take_type(b, false, ISA_TYPE_S32);
    convert(b, to, from, mods);
    fill_register(b, to);
}

/* An operand that must be RZ: what it would be merged with is not modelled. */
static void take_zero(struct sim_sass_builder *b)
{
    const struct isa_sass_operand *o = sim_sass_take(b);
    if (o->kind != ISA_SASS_REG || o->index != ISA_SASS_RZ)
        sim_sass_refuse(b, "a value to be merged with");
}

/* F2IP.U8.F32 d, RZ, a, RZ */
void sim_sass_lower_f2ip(struct sim_sass_builder *b)
{
    enum isa_type to = take_type(b, false, ISA_TYPE_U8), from = take_type(b, true, ISA_TYPE_F32);
    struct isa_mods mods = {.round = take_rounding(b, true)};
    (void)sim_sass_word(b, ISA_SASS_W_NTZ);
    if (isa_types[to].class != ISA_CLASS_UNSIGNED)
        sim_sass_refuse(b, "a signed result");
    sim_sass_dst(b, 1);
    take_zero(b);
    sim_sass_src(b, 0, 1, (uint8_t)from);
    take_zero(b);
    sim_sass_alu(b, sim_sass_like(b, ISA_OP_CVT, to, from, &mods), 1);
}

/* Types of F2FP's result when two values are packed. */
static enum isa_type packed(enum isa_type type)
{
    switch (type) {
    case ISA_TYPE_F16:
        return ISA_TYPE_F16X2;
    case ISA_TYPE_BF16:
        return ISA_TYPE_BF16X2;
    default:
        return type;
    }
}

static enum isa_type take_f2fp_type(struct sim_sass_builder *b)
{
    if (sim_sass_word(b, ISA_SASS_W_E4M3))
        return ISA_TYPE_E4M3X2;
    if (sim_sass_word(b, ISA_SASS_W_E5M2))
        return ISA_TYPE_E5M2X2;
    return take_type(b, true, ISA_TYPE_F32);
}

/* F2FP.TO.FROM.PACK_AB d, a, b: both, a in the upper half. .MERGE_C, .PACK_B: a alone. .UNPACK_B: two of the narrower
 * type from one register. */
void sim_sass_lower_f2fp(struct sim_sass_builder *b)
{
    struct isa_mods mods = {0};
    mods.flags |= sim_sass_word(b, ISA_SASS_W_RELU) ? ISA_FLAG_RELU : 0;
    mods.flags |= sim_sass_word(b, ISA_SASS_W_SATFINITE) ? ISA_FLAG_SATFINITE : 0;
    bool from_narrow = isa_sass_has(b->sass, ISA_SASS_W_UNPACK_B);
    enum isa_type to = from_narrow ? take_type(b, true, ISA_TYPE_F16) : take_f2fp_type(b), from = take_f2fp_type(b);
    bool pair = sim_sass_word(b, ISA_SASS_W_PACK_AB), pair_merged = sim_sass_word(b, ISA_SASS_W_PACK_AB_MERGE_C);
    bool unpacks = sim_sass_word(b, ISA_SASS_W_UNPACK_B),
         unpacks_merged = sim_sass_word(b, ISA_SASS_W_UNPACK_B_MERGE_C);
    bool merges = sim_sass_word(b, ISA_SASS_W_MERGE_C);
    if (!pair && !pair_merged && !unpacks && !unpacks_merged && !merges && !sim_sass_word(b, ISA_SASS_W_PACK_B))
        sim_sass_refuse(b, "a form of this kind");
    mods.round = take_rounding(b, false);
    sim_sass_dst(b, 1);
    sim_sass_src(b, 0, 1, ISA_TYPE_F32);
    if (pair || pair_merged) {
        sim_sass_src(b, 1, 1, ISA_TYPE_F32);
        to = packed(to);
    } else if (unpacks || unpacks_merged) {
        to = packed(to);
        from = packed(from);
    }
    if (pair_merged || unpacks_merged || merges)
        take_zero(b);
    sim_sass_alu(b, sim_sass_like(b, ISA_OP_CVT, to, from, &mods), 1);
}
