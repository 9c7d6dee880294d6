/* Looking an instruction up in isa/legal.def, and saying what is wrong with one that is not there. */
#include "isa/legal.h"
#include "isa/form.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

/* The names of legal.def. */
#define NO_WORDS        .round = 0
#define ABSENT          1U
#define MODE(value)     (1U << ISA_##value)
#define MODES(count)    ((1U << ((count) + 1)) - 2U) /* all values of the opcode's enum, one of them given */
#define COUNT(n)        (1U << (n))
#define NOT_GIVEN       ABSENT
#define GIVEN           2U /* of one optional operand: it is there */
#define FTZ             ISA_FLAG_FTZ
#define SAT             ISA_FLAG_SAT
#define SATFINITE       ISA_FLAG_SATFINITE
#define APPROX          ISA_FLAG_APPROX
#define FULL            ISA_FLAG_FULL
#define NAN             ISA_FLAG_NAN
#define XORSIGN         ISA_FLAG_XORSIGN
#define ABS             ISA_FLAG_ABS
#define RELU            ISA_FLAG_RELU
#define CC              ISA_FLAG_CC
#define MULTICAST       ISA_FLAG_MULTICAST
#define OOB             ISA_FLAG_OOB
#define PO              ISA_FLAG_PO
#define SHIFTAMT        ISA_FLAG_SHIFTAMT
#define SYNC            ISA_FLAG_SYNC
#define ALIGNED         ISA_FLAG_ALIGNED
#define NOFTZ           ISA_FLAG_NOFTZ
#define NC              ISA_FLAG_NC
#define MMIO            ISA_FLAG_MMIO
#define TO              ISA_FLAG_TO
#define NEAREST_GIVEN   MODE(ROUND_RN)
#define NEAREST         (ABSENT | NEAREST_GIVEN)
#define DIRECTION_GIVEN (MODE(ROUND_RN) | MODE(ROUND_RZ) | MODE(ROUND_RM) | MODE(ROUND_RP))
#define DIRECTION       (ABSENT | DIRECTION_GIVEN)
#define INTEGRAL        (MODE(ROUND_RNI) | MODE(ROUND_RZI) | MODE(ROUND_RMI) | MODE(ROUND_RPI))
#define EQUALITY        (MODE(CMP_EQ) | MODE(CMP_NE))
#define ORDER           (EQUALITY | MODE(CMP_LT) | MODE(CMP_LE) | MODE(CMP_GT) | MODE(CMP_GE))
#define UNSIGNED_ORDER  (MODE(CMP_LO) | MODE(CMP_LS) | MODE(CMP_HI) | MODE(CMP_HS))
#define UNORDERED                                                                                                      \
    (MODE(CMP_EQU) | MODE(CMP_NEU) | MODE(CMP_LTU) | MODE(CMP_LEU) | MODE(CMP_GTU) | MODE(CMP_GEU) | MODE(CMP_NUM) |   \
     MODE(CMP_NAN))

#define SET_RESULT (T_INT32 | T_F32 | T(F16) | T(BF16))
#define CVT_INT    (T_INT | T(U8) | T(S8))
#define LD_EIGHT   (T(B8) | T(B16) | T(U8) | T(U16) | T(S8) | T(S16))
#define LD_FOUR    (LD_EIGHT | T(B32) | T(U32) | T(S32) | T_F32)
#define LD_TWO     (LD_FOUR | T(B64) | T(U64) | T(S64) | T(F64))
#define LD_ANY     (LD_TWO | T(B128))
#define DATA_SPACES                                                                                                    \
    (MODE(SPACE_GLOBAL) | MODE(SPACE_SHARED) | MODE(SPACE_SHARED_CLUSTER) | MODE(SPACE_LOCAL) | MODE(SPACE_CONST))
#define STORE_SPACES    (DATA_SPACES & ~MODE(SPACE_CONST))
#define GLOBAL          (ABSENT | MODE(SPACE_GLOBAL)) /* or a generic address */
#define SHARED          (MODE(SPACE_SHARED) | MODE(SPACE_SHARED_CLUSTER))
#define WEAK            (ABSENT | MODE(SEM_WEAK))
#define LOAD_ORDER      (MODE(SEM_RELAXED) | MODE(SEM_ACQUIRE))
#define STORE_ORDER     (MODE(SEM_RELAXED) | MODE(SEM_RELEASE))
#define LOAD_CACHE      (ABSENT | MODES(5))
#define NC_CACHE        (ABSENT | MODES(3))
#define SCOPE           (ABSENT | MODES(4))
#define ATOM_ORDER      (ABSENT | LOAD_ORDER | MODE(SEM_RELEASE) | MODE(SEM_ACQ_REL))
#define ATOM_SUM        (MODE(ATOM_ADD) | MODE(ATOM_MIN) | MODE(ATOM_MAX))
#define ATOM_HALF       (T(F16) | T(F16X2) | T(BF16) | T(BF16X2))
#define STORE_CACHE     (ABSENT | MODE(CACHE_CG) | MODE(CACHE_CS) | MODE(CACHE_WB) | MODE(CACHE_WT))
#define HINT            (ABSENT | MODES(5))
#define HINT2           (ABSENT | MODES(3))
#define SECOND_PRIORITY (ABSENT | MODE(HINT2_L2_EVICT_FIRST) | MODE(HINT2_L2_EVICT_UNCHANGED))
#define PREFETCH        (ABSENT | MODES(3))
#define POLICY          (NOT_GIVEN | GIVEN)

/* A load or store of up to 128 bits, one of 256, and an atomic operation on a scalar. */
#define LEGAL_ACCESS(id, ...)                                                                                          \
    LEGAL(id, LD_ANY, 0, __VA_ARGS__)                                                                                  \
    LEGAL(id, LD_TWO, 0, .vec = COUNT(2), __VA_ARGS__)                                                                 \
    LEGAL(id, LD_FOUR, 0, .vec = COUNT(4), __VA_ARGS__)                                                                \
    LEGAL(id, LD_EIGHT, 0, .vec = COUNT(8), __VA_ARGS__)
#define LEGAL_WIDE(id, ...)                                                                                            \
    LEGAL(id, LD_TWO & ~LD_FOUR, 0, .vec = COUNT(4), __VA_ARGS__)                                                      \
    LEGAL(id, LD_FOUR & ~LD_EIGHT, 0, .vec = COUNT(8), __VA_ARGS__)
#define LEGAL_ATOM_GLOBAL(first, ...)                                                                                  \
    LEGAL(ATOM, first, 0, .sem = ATOM_ORDER, .scope = SCOPE, .space = GLOBAL, .given = COUNT(0) | COUNT(2), __VA_ARGS__)
#define LEGAL_ATOM(first, ...)                                                                                         \
    LEGAL_ATOM_GLOBAL(first, __VA_ARGS__)                                                                              \
    LEGAL(ATOM, first, 0, .sem = ATOM_ORDER, .scope = SCOPE, .space = SHARED, __VA_ARGS__)
#define LEGAL_CAS(first)                                                                                               \
    LEGAL(ATOM, first, 0, .sem = ATOM_ORDER, .scope = SCOPE, .space = GLOBAL, .given = COUNT(1),                       \
          .mode = MODE(ATOM_CAS))                                                                                      \
    LEGAL(ATOM, first, 0, .sem = ATOM_ORDER, .scope = SCOPE, .space = SHARED, .given = COUNT(1), .mode = MODE(ATOM_CAS))
#define LEGAL_RED_GLOBAL(first, ...)                                                                                   \
    LEGAL(RED, first, 0, .sem = ABSENT | STORE_ORDER, .scope = SCOPE, .space = GLOBAL, .given = POLICY, __VA_ARGS__)
#define LEGAL_RED(first, ...)                                                                                          \
    LEGAL_RED_GLOBAL(first, __VA_ARGS__)                                                                               \
    LEGAL(RED, first, 0, .sem = ABSENT | STORE_ORDER, .scope = SCOPE, .space = SHARED, __VA_ARGS__)

/* A scalar video instruction, without and with a third source. */
#define LEGAL_VIDEO(id, ...)                                                                                           \
    LEGAL(id, T_INT32, T_INT32, .types3 = T_INT32, .may = SAT, __VA_ARGS__)                                            \
    LEGAL(id, T_INT32, T_INT32, .types3 = T_INT32, .may = SAT, .given = GIVEN, .mode = ABSENT | MODES(3), __VA_ARGS__)
#define LEGAL_VIDEO_SHIFT(id)                                                                                          \
    LEGAL(id, T_INT32, T_INT32, .types3 = T_U32, .may = SAT, .mode2 = MODES(2))                                        \
    LEGAL(id, T_INT32, T_INT32, .types3 = T_U32, .may = SAT, .mode2 = MODES(2), .given = GIVEN,                        \
          .mode = ABSENT | MODES(3))
#define LEGAL_VIDEO_LANES(id)                                                                                          \
    LEGAL(id, T_INT32, T_INT32, .types3 = T_INT32, .may = SAT)                                                         \
    LEGAL(id, T_INT32, T_INT32, .types3 = T_INT32, .mode = MODE(SECOND_ADD))

/* A comparison, alone or combined with a predicate. */
#define LEGAL_CMP(id, first, second, ...)                                                                              \
    LEGAL(id, first, second, __VA_ARGS__)                                                                              \
    LEGAL(id, first, second, .given = GIVEN, .boolop = MODES(3), __VA_ARGS__)

#define LEGAL(id, first, second, ...) {.op = ISA_OP_##id, .types = (first), .types2 = (second), __VA_ARGS__},
const struct isa_legal isa_legal[] = {
#include "isa/legal.def"
};
#undef LEGAL

const size_t isa_legal_count = sizeof isa_legal / sizeof *isa_legal;

/* The members that hold one word: where it is in an instruction, and in a row the set of what it may be. */
static const struct member {
    size_t word, set;
} members[] = {
#define MEMBER(name)                                                                                                   \
    {                                                                                                                  \
        offsetof(struct isa_mods, name), offsetof(struct isa_legal, name)                                              \
    }
    MEMBER(cmp),   MEMBER(boolop), MEMBER(round), MEMBER(mode), MEMBER(mode2), MEMBER(space), MEMBER(sem),
    MEMBER(scope), MEMBER(vec),    MEMBER(cache), MEMBER(hint), MEMBER(hint2), MEMBER(hint3), MEMBER(prefetch),
#undef MEMBER
};

enum { MEMBERS = sizeof members / sizeof *members };

static uint32_t set_of(const struct isa_legal *row, const struct member *member)
{
    uint32_t set = 0;
    memcpy(&set, (const uint8_t *)row + member->set, sizeof set);
    return set ? set : ABSENT;
}

static uint8_t word_of(const struct isa_insn *insn, const struct member *member)
{
    return ((const uint8_t *)&insn->mods)[member->word];
}

/* A wrong type weighs more than a wrong word, and that more than a wrong number of operands. */
enum { OPERAND_FAULT = 1, WORD_FAULT = 2, TYPE_FAULT = 8 };

static unsigned type_faults(const struct isa_legal *row, const struct isa_insn *insn)
{
    const uint64_t sets[] = {row->types, row->types2, row->types3};
    const uint8_t types[] = {insn->type, insn->type2, insn->type3};
    unsigned faults = 0;
    for (unsigned i = 0; i < 3; i++)
        faults += (sets[i] ? sets[i] : T(NONE)) >> types[i] & 1 ? 0U : TYPE_FAULT;
    return faults;
}

/* How much of the instruction the row does not take; 0: it is legal. */
static unsigned faults(const struct isa_legal *row, const struct isa_insn *insn, unsigned given)
{
    const uint32_t flags = insn->mods.flags, extra = flags & ~(row->may | row->must), missing = row->must & ~flags;
    unsigned count = (unsigned)__builtin_popcount(extra) + (unsigned)__builtin_popcount(missing);
    for (size_t i = 0; i < MEMBERS; i++)
        count += !(set_of(row, &members[i]) >> word_of(insn, &members[i]) & 1);
    count *= WORD_FAULT;
    count += (row->given ? row->given : ABSENT) >> given & 1 ? 0U : OPERAND_FAULT;
    count += !row->dsts || (row->dsts >> insn->dst_count & 1) ? 0U : OPERAND_FAULT;
    return count + type_faults(row, insn);
}

const struct isa_legal *isa_legal_find(const struct isa_insn *insn, const struct isa_operand *operands,
                                       unsigned *distance)
{
    const unsigned given = isa_form_given(insn, operands);
    const struct isa_legal *nearest = NULL;
    *distance = 0;
    for (size_t i = 0; i < isa_legal_count; i++) {
        const struct isa_legal *row = &isa_legal[i];
        const unsigned count = row->op == insn->op ? faults(row, insn, given) : UINT_MAX;
        if (count == UINT_MAX || (nearest && count >= *distance))
            continue;
        nearest = row;
        *distance = count;
        if (count == 0)
            break;
    }
    return nearest;
}

/* The word that gives a member (or sets a flag) this value, among those the opcode has. */
static const char *word_for(unsigned op, size_t offset, uint32_t value)
{
    for (size_t i = 0; i < isa_modifier_count; i++) {
        const struct isa_modifier_info *info = &isa_modifiers[i];
        if ((info->group & isa_ops[op].modifiers) && info->field_offset == offset && info->value == value)
            return info->word;
    }
    return NULL;
}

static void put_types(const struct isa_insn *insn, struct base_strbuf *out)
{
    if (insn->type != ISA_TYPE_NONE)
        base_strbuf_printf(out, ".%s", isa_types[insn->type].name);
    if (insn->type2 != ISA_TYPE_NONE)
        base_strbuf_printf(out, ".%s", isa_types[insn->type2].name);
    if (insn->type3 != ISA_TYPE_NONE)
        base_strbuf_printf(out, ".%s", isa_types[insn->type3].name);
}

static void put_word(unsigned op, size_t offset, uint32_t value, const char *before, struct base_strbuf *out)
{
    const char *word = word_for(op, offset, value);
    base_strbuf_printf(out, "%s.%s", before, word ? word : "?");
}

/* The values of a member that the rows as near as `nearest` want, where that is what the instruction lacks. */
static uint32_t wanted_set(const struct isa_legal *nearest, const struct isa_insn *insn, unsigned given,
                           const struct member *member)
{
    uint32_t wanted = 0;
    for (size_t i = 0; i < isa_legal_count; i++) {
        const struct isa_legal *row = &isa_legal[i];
        if (row->op == insn->op && faults(row, insn, given) == faults(nearest, insn, given) &&
            !type_faults(row, insn) && !(set_of(row, member) & ABSENT))
            wanted |= set_of(row, member);
    }
    return wanted;
}

/* "add.s32 does not take .ftz", "mul.s32 needs .lo or .hi". False: the words are right. */
static bool explain_words(const struct isa_legal *row, const struct isa_insn *insn, unsigned given,
                          struct base_strbuf *out)
{
    const uint32_t flags = insn->mods.flags, extra = flags & ~(row->may | row->must), missing = row->must & ~flags;
    const size_t flags_at = offsetof(struct isa_mods, flags);
    base_strbuf_puts(out, isa_ops[insn->op].mnemonic);
    put_types(insn, out);
    if (extra) {
        put_word(insn->op, flags_at, extra & (0U - extra), " does not take ", out);
        return true;
    }
    for (size_t i = 0; i < MEMBERS; i++) {
        const uint32_t set = set_of(row, &members[i]), word = word_of(insn, &members[i]);
        if (set >> word & 1)
            continue;
        if (word) {
            put_word(insn->op, members[i].word, word, " does not take ", out);
            return true;
        }
        const uint32_t wanted = wanted_set(row, insn, given, &members[i]);
        const char *before = " needs ";
        for (uint32_t value = 1; value < 32; value++)
            if (wanted >> value & 1) {
                put_word(insn->op, members[i].word, value, before, out);
                before = wanted >> value >> 2 ? ", " : " or ";
            }
        return true;
    }
    if (missing)
        put_word(insn->op, flags_at, missing & (0U - missing), " needs ", out);
    return missing != 0;
}

void isa_legal_explain(const struct isa_legal *nearest, const struct isa_insn *insn, const struct isa_operand *operands,
                       struct base_strbuf *out)
{
    if ((nearest->types2 && insn->type2 == ISA_TYPE_NONE) || (nearest->types3 && insn->type3 == ISA_TYPE_NONE)) {
        base_strbuf_printf(out, "%s needs %s types", isa_ops[insn->op].mnemonic, nearest->types3 ? "three" : "two");
    } else if (type_faults(nearest, insn)) {
        base_strbuf_printf(out, "%s does not take ", isa_ops[insn->op].mnemonic);
        put_types(insn, out);
        base_strbuf_puts(out, insn->mods.mode || insn->mods.flags ? " with these words" : "");
    } else if (!explain_words(nearest, insn, isa_form_given(insn, operands), out)) {
        base_strbuf_puts(out, " with these words takes another number of operands");
    }
}
