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
    /* A narrow signed result fills the register. */
    if (isa_types[to].bits < 32)
        sim_sass_refuse(b, "a narrow result");
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
