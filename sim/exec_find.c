/* From an instruction to its lane function: which tables there are at each level, and what of an instruction matters.
 */
#include "sim/exec_tables.h"

/* The tables of a level, by subject; the rare instructions come last and exist at the base level only. */
enum { SUBJECTS = 8 };
#define LEVEL_TABLES(level)                                                                                            \
    {                                                                                                                  \
        &sim_exec_int_##level, &sim_exec_float_##level, &sim_exec_half_##level, &sim_exec_cmp_##level,                 \
            &sim_exec_cvt_##level, &sim_exec_cvt_rare_base, &sim_exec_round_base, &sim_exec_set_base                   \
    }

#ifdef HAVE_AVX2_BUILD
#define AVX2_TABLES LEVEL_TABLES(avx2)
#else
#define AVX2_TABLES LEVEL_TABLES(base)
#endif
#ifdef HAVE_AVX512_BUILD
#define AVX512_TABLES LEVEL_TABLES(avx512)
#else
#define AVX512_TABLES AVX2_TABLES
#endif

static const struct sim_exec_table *const level_tables[SIM_LEVEL_COUNT][SUBJECTS] = {
    [SIM_LEVEL_BASE] = LEVEL_TABLES(base),
    [SIM_LEVEL_AVX2] = AVX2_TABLES,
    [SIM_LEVEL_AVX512] = AVX512_TABLES,
};

enum sim_level sim_exec_best_level(void)
{
#if defined(HAVE_AVX512_BUILD)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
        return SIM_LEVEL_AVX512;
    }
#endif
#if defined(HAVE_AVX2_BUILD)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
        return SIM_LEVEL_AVX2;
    }
#endif
    return SIM_LEVEL_BASE;
}

static uint8_t unsigned_of_width(uint32_t bits)
{
    return bits == 8 ? ISA_TYPE_U8 : bits == 16 ? ISA_TYPE_U16 : bits == 32 ? ISA_TYPE_U32 : ISA_TYPE_U64;
}

static bool is_integer(uint8_t type)
{
    return isa_types[type].class == ISA_CLASS_UNSIGNED || isa_types[type].class == ISA_CLASS_SIGNED ||
           isa_types[type].class == ISA_CLASS_UNTYPED;
}

/* The type that stands for `type` in the tables where only its width, or its width and signedness, matter. */
static uint8_t width_only(uint8_t type)
{
    return unsigned_of_width(isa_types[type].bits);
}

static uint8_t without_sign(uint8_t type)
{
    if (type == ISA_TYPE_S16X2) {
        return ISA_TYPE_U16X2;
    }
    return is_integer(type) ? width_only(type) : type;
}

static uint8_t untyped_as_unsigned(uint8_t type)
{
    return isa_types[type].class == ISA_CLASS_UNTYPED && type != ISA_TYPE_NONE ? width_only(type) : type;
}

static void reduce_type(struct sim_exec_key *key)
{
    const bool saturates = (key->flags & ISA_FLAG_SAT) != 0;
    switch (key->op) {
    case ISA_OP_MOV:
    case ISA_OP_POLICY_CVT:
    case ISA_OP_SELP:
    case ISA_OP_SLCT:
        key->type = width_only(key->type);
        break;
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_ADDC:
    case ISA_OP_SUBC:
    case ISA_OP_CVT:
        key->type = saturates ? key->type : without_sign(key->type);
        break;
    case ISA_OP_SET:
        key->type = without_sign(key->type);
        break;
    case ISA_OP_MUL:
    case ISA_OP_MAD:
    case ISA_OP_MADC:
        key->type = key->mode == ISA_PART_LO ? without_sign(key->type) : key->type;
        break;
    default:
        key->type = untyped_as_unsigned(key->type);
    }
}

/* Comparisons of integers: lo, ls, hi, hs are those of unsigned numbers, and equality has no sign. */
static void reduce_comparison(struct sim_exec_key *key)
{
    uint8_t *type = key->op == ISA_OP_SET ? &key->type2 : &key->type;
    if (key->cmp >= ISA_CMP_LO && key->cmp <= ISA_CMP_HS) {
        static const uint8_t plain[] = {ISA_CMP_LT, ISA_CMP_LE, ISA_CMP_GT, ISA_CMP_GE};
        key->cmp = isa_types[*type].class == ISA_CLASS_UNSIGNED ? plain[key->cmp - ISA_CMP_LO] : key->cmp;
    } else if (key->cmp == ISA_CMP_EQ || key->cmp == ISA_CMP_NE) {
        *type = without_sign(*type);
    }
}

/* cvt takes modifiers that change nothing: .ftz without an f32, .sat to an integer (it saturates anyway). */
static void reduce_conversion(struct sim_exec_key *key)
{
    const bool from_integer = is_integer(key->type2), to_integer = is_integer(key->type);
    key->type2 = untyped_as_unsigned(key->type2);
    if (from_integer || (key->type != ISA_TYPE_F32 && key->type2 != ISA_TYPE_F32)) {
        key->flags &= ~(uint32_t)ISA_FLAG_FTZ;
    }
    if (to_integer && !from_integer) {
        key->flags &= ~(uint32_t)ISA_FLAG_SAT;
    }
}

/* The part of an instruction that its lane function depends on, in the form the tables have. */
static struct sim_exec_key key_of(const struct isa_insn *insn)
{
    const uint32_t relevant = ISA_FLAG_FTZ | ISA_FLAG_SAT | ISA_FLAG_SATFINITE | ISA_FLAG_APPROX | ISA_FLAG_FULL |
                              ISA_FLAG_NAN | ISA_FLAG_XORSIGN | ISA_FLAG_ABS | ISA_FLAG_RELU | ISA_FLAG_CC |
                              ISA_FLAG_SHIFTAMT | ISA_FLAG_OOB;
    struct sim_exec_key key = {
        .op = insn->op,
        .type = insn->type,
        .type2 = isa_ops[insn->op].types2 != 0 ? insn->type2 : (uint8_t)ISA_TYPE_NONE,
        .round = insn->mods.round,
        .cmp = insn->mods.cmp,
        .mode = insn->mods.mode,
        .mode2 = insn->mods.mode2,
        .flags = insn->mods.flags & relevant,
    };
    const uint8_t class = isa_types[key.type].class;
    if ((key.flags & ISA_FLAG_XORSIGN) != 0) {
        key.flags &= ~(uint32_t)ISA_FLAG_ABS; /* the two stand together */
    }
    if (key.op == ISA_OP_MAD && class == ISA_CLASS_FLOAT) {
        key.op = ISA_OP_FMA;
        key.mode = ISA_PART_NONE;
    }
    if (key.type == ISA_TYPE_F64 && (key.flags & ISA_FLAG_APPROX) == 0 && key.type2 == ISA_TYPE_NONE) {
        key.flags &= ~(uint32_t)ISA_FLAG_FTZ;
    }
    if (key.op == ISA_OP_SET || key.op == ISA_OP_SETP) {
        reduce_comparison(&key);
    } else if (key.op == ISA_OP_CVT) {
        if (is_integer(key.type) && is_integer(key.type2)) {
            key.round = ISA_ROUND_NONE;
        }
        const bool clamps = is_integer(key.type2) && (key.flags & ISA_FLAG_SAT) != 0;
        const uint8_t type = key.type;
        reduce_conversion(&key);
        if (!is_integer(key.type2) || clamps) {
            key.type = untyped_as_unsigned(type);
            return key;
        }
    }
    reduce_type(&key);
    return key;
}

static bool same_key(const struct sim_exec_key *x, const struct sim_exec_key *y)
{
    return x->op == y->op && x->type == y->type && x->type2 == y->type2 && x->round == y->round && x->cmp == y->cmp &&
           x->mode == y->mode && x->mode2 == y->mode2 && x->flags == y->flags;
}

static sim_lane_fn *find(const struct sim_exec_key *key, enum sim_level level)
{
    for (size_t subject = 0; subject < SUBJECTS; subject++) {
        const struct sim_exec_table *table = level_tables[level][subject];
        for (size_t i = 0; i < table->count; i++) {
            if (same_key(&table->entries[i].key, key)) {
                return table->entries[i].fn;
            }
        }
    }
    return NULL;
}

sim_lane_fn *sim_exec_find(const struct isa_insn *insn, enum sim_level level)
{
    const uint32_t sources = (uint32_t)insn->operand_count - insn->dst_count;
    if (insn->op >= ISA_OP_COUNT || insn->type >= ISA_TYPE_COUNT || insn->type2 >= ISA_TYPE_COUNT ||
        level >= SIM_LEVEL_COUNT || isa_types[insn->type].class == ISA_CLASS_PRED) {
        return NULL;
    }
    struct sim_exec_key key = key_of(insn);
    if ((insn->op == ISA_OP_MIN || insn->op == ISA_OP_MAX) && insn->operand_count != 0 && sources == 3) {
        key.mode2 = SIM_EXEC_THREE;
    }
    sim_lane_fn *fn = find(&key, level);
    if (fn == NULL && key.round == ISA_ROUND_NONE) {
        key.round = ISA_ROUND_RN; /* what an instruction without a rounding does where its table has roundings */
        fn = find(&key, level);
    } else if (fn == NULL) {
        key.round = ISA_ROUND_NONE; /* and a rounding that cannot change an exact result */
        fn = find(&key, level);
    }
    return fn;
}
