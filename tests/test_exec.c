/* The lane functions against the host: scalar arithmetic written another way (128-bit integers, single bits, the
 * processor's rounding modes, exact neighbours), every level against the base level, and the list of what exists. What
 * the H200 computes is tests/test_ops.c's subject. */
#include "sim/exec_tables.h"

#include <check.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *exec_suite(void);

enum { LANES = SIM_WARP_SIZE, ROUNDS = 64 };

__extension__ typedef unsigned __int128 wide_u;
__extension__ typedef __int128 wide_s;

/* One source or result: two rows. */
struct rows {
    uint32_t word[2 * LANES] __attribute__((aligned(64)));
};

static const struct sim_exec_table *const base_tables[] = {
    &sim_exec_int_base, &sim_exec_float_base, &sim_exec_half_base, &sim_exec_cmp_base,
    &sim_exec_cvt_base, &sim_exec_round_base, &sim_exec_set_base,  &sim_exec_cvt_rare_base};
enum { TABLES = sizeof base_tables / sizeof *base_tables };

/* ---- Operands ---- */

static uint64_t random_state = 1;

static uint64_t random64(void) /* splitmix64 */
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Bit patterns at the corners of some type: integers, f16 in both halves, f32, f64. */
static const uint64_t corners[] = {
    0,
    1,
    2,
    31,
    32,
    33,
    64,
    255,
    UINT64_C(0x7fff),
    UINT64_C(0x8000),
    UINT64_C(0xffff),
    UINT64_C(0x7fffffff),
    UINT64_C(0x80000000),
    UINT64_C(0xffffffff),
    UINT64_C(0x7fffffffffffffff),
    UINT64_C(0x8000000000000000),
    UINT64_MAX,
    UINT64_C(0x3c00bc00),
    UINT64_C(0x04007bff),
    UINT64_C(0x03ff7c00),
    UINT64_C(0x7e00fc00),
    UINT64_C(0x3f800000),
    UINT64_C(0xbf800000),
    UINT64_C(0x00800000),
    UINT64_C(0x80800000),
    UINT64_C(0x007fffff),
    UINT64_C(0x00000001),
    UINT64_C(0x80000001),
    UINT64_C(0x7f7fffff),
    UINT64_C(0x7f800000),
    UINT64_C(0xff800000),
    UINT64_C(0x7f800001),
    UINT64_C(0x7fc00000),
    UINT64_C(0x4f000000),
    UINT64_C(0xcf000000),
    UINT64_C(0x4f800000),
    UINT64_C(0x3fffffff),
    UINT64_C(0x33800000),
    UINT64_C(0x3ff0000000000000),
    UINT64_C(0xbff0000000000000),
    UINT64_C(0x7ff0000000000000),
    UINT64_C(0xfff0000000000000),
    UINT64_C(0x7ff8000000000000),
    UINT64_C(0x7ff0000000000001),
    UINT64_C(0x0010000000000000),
    UINT64_C(0x000fffffffffffff),
    UINT64_C(0x43e0000000000000),
    UINT64_C(0x41e0000000000000),
    UINT64_C(0x3ca0000000000000),
    UINT64_C(0x47efffffe0000000),
    UINT64_C(0x36a0000000000000),
};

/* A corner, a small number, noise, or a float of middling size. */
static uint64_t operand(void)
{
    const uint64_t noise = random64(), pick = random64();
    switch (pick & 7U) {
    case 0:
    case 1:
        return corners[noise % (sizeof corners / sizeof *corners)];
    case 2:
        return noise & 127U;
    case 3: /* f64 with an exponent of up to 64 either way */
        return (noise & UINT64_C(0x800fffffffffffff)) | (UINT64_C(959) + (pick >> 8 & 127U)) << 52;
    case 4: /* f32 with an exponent of up to 32 either way */
        return (noise & 0x807fffffU) | (95U + (pick >> 8 & 63U)) << 23;
    case 5: /* two f16 around 1 */
        return (noise & 0x87ff87ffU) | 0x38003800U;
    default:
        return noise;
    }
}

static void fill(struct rows *rows)
{
    for (unsigned i = 0; i < LANES; i++) {
        const uint64_t value = operand();
        rows->word[i] = (uint32_t)value;
        rows->word[i + LANES] = (uint32_t)(value >> 32);
    }
}

static uint64_t wide(const struct rows *rows, unsigned lane)
{
    return rows->word[lane] | (uint64_t)rows->word[lane + LANES] << 32;
}

static float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? 0x7fffffffU : bits;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static struct isa_insn insn_of(enum isa_op op, enum isa_type type, enum isa_type type2)
{
    struct isa_insn insn = {.op = (uint16_t)op, .type = (uint8_t)type, .type2 = (uint8_t)type2, .guard = -1};
    return insn;
}

static struct isa_insn insn_of_key(const struct sim_exec_key *key)
{
    struct isa_insn insn = insn_of((enum isa_op)key->op, (enum isa_type)key->type, (enum isa_type)key->type2);
    insn.mods.round = key->round;
    insn.mods.cmp = key->cmp;
    insn.mods.mode = key->mode;
    insn.mods.mode2 = key->mode2;
    insn.mods.flags = key->flags;
    return insn;
}

static sim_lane_fn *must_find(const struct isa_insn *insn)
{
    sim_lane_fn *fn = sim_exec_find(insn, SIM_LEVEL_BASE);
    ck_assert_msg(fn != NULL, "no function for %s.%s", isa_ops[insn->op].mnemonic, isa_types[insn->type].name);
    return fn;
}

/* ---- Tables and levels ---- */

START_TEST(every_entry_is_found_by_its_key)
{
    for (size_t t = 0; t < TABLES; t++)
        for (size_t i = 0; i < base_tables[t]->count; i++) {
            const struct isa_insn insn = insn_of_key(&base_tables[t]->entries[i].key);
            ck_assert_msg(sim_exec_find(&insn, SIM_LEVEL_BASE) == base_tables[t]->entries[i].fn,
                          "entry %zu of table %zu: %s.%s", i, t, isa_ops[insn.op].mnemonic, isa_types[insn.type].name);
        }
}
END_TEST

static void compare_levels(const struct isa_insn *insn, sim_lane_fn *base, sim_lane_fn *other)
{
    struct rows source[4], want = {{0}}, got = {{0}};
    for (unsigned round = 0; round < ROUNDS; round++) {
        const uint32_t mask = (uint32_t)random64();
        for (unsigned i = 0; i < 4; i++)
            fill(&source[i]);
        const uint64_t want_out = base(want.word, source[0].word, source[1].word, source[2].word, source[3].word, mask);
        const uint64_t got_out = other(got.word, source[0].word, source[1].word, source[2].word, source[3].word, mask);
        ck_assert_msg(want_out == got_out && memcmp(&want, &got, sizeof want) == 0,
                      "%s.%s.%s flags %x round %u differs", isa_ops[insn->op].mnemonic, isa_types[insn->type].name,
                      isa_types[insn->type2].name, insn->mods.flags, insn->mods.round);
        if (insn->op == ISA_OP_SETP || insn->op == ISA_OP_TESTP)
            continue;
        const bool counts = insn->op == ISA_OP_POPC || insn->op == ISA_OP_CLZ || insn->op == ISA_OP_BFIND;
        const unsigned words = counts ? LANES : LANES * isa_type_slots(insn->type);
        other(source[0].word, source[0].word, source[1].word, source[2].word, source[3].word, mask);
        ck_assert_msg(memcmp(&want, &source[0], words * sizeof(uint32_t)) == 0,
                      "%s.%s differs when the destination is the first source", isa_ops[insn->op].mnemonic,
                      isa_types[insn->type].name);
    }
}

START_TEST(levels_agree)
{
    for (unsigned level = SIM_LEVEL_BASE; level <= sim_exec_best_level(); level++)
        for (size_t t = 0; t < TABLES; t++)
            for (size_t i = 0; i < base_tables[t]->count; i++) {
                const struct isa_insn insn = insn_of_key(&base_tables[t]->entries[i].key);
                sim_lane_fn *other = sim_exec_find(&insn, (enum sim_level)level);
                ck_assert(other != NULL);
                compare_levels(&insn, base_tables[t]->entries[i].fn, other);
            }
}
END_TEST

/* ---- Integers ---- */

struct integer_case {
    enum isa_op op;
    enum isa_type type;
    uint8_t mode, mode2;
    uint64_t (*expect)(uint64_t a, uint64_t b, uint64_t c, uint64_t e);
};

static uint64_t bits_of(uint64_t value, unsigned from, unsigned count) /* by single bits */
{
    uint64_t result = 0;
    for (unsigned i = 0; i < count; i++)
        result |= (value >> (from + i) & 1U) << i;
    return result;
}

static uint64_t expect_add64(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return (uint64_t)((wide_u)a + b);
}

static uint64_t expect_sub64(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return (uint64_t)((wide_u)a - b);
}

static uint64_t expect_mulhi_u64(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return (uint64_t)((wide_u)a * b >> 64);
}

static uint64_t expect_mulhi_s64(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return (uint64_t)((wide_u)((wide_s)(int64_t)a * (int64_t)b) >> 64);
}

static uint64_t expect_madhi_s64(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    return expect_mulhi_s64(a, b, c, e) + c;
}

static uint64_t expect_mulhi_s32(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return (uint32_t)((wide_u)((wide_s)(int32_t)(uint32_t)a * (int32_t)(uint32_t)b) >> 32);
}

static uint64_t expect_wide_s32(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)e;
    return (uint64_t)((int64_t)(int32_t)(uint32_t)a * (int32_t)(uint32_t)b) + c;
}

static uint64_t expect_div_u32(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return (uint32_t)b == 0 ? UINT32_MAX : (uint32_t)a / (uint32_t)b;
}

static uint64_t expect_rem_u32(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return (uint32_t)b == 0 ? UINT32_MAX : (uint32_t)a % (uint32_t)b;
}

static uint64_t expect_div_s32(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    const int64_t x = (int32_t)(uint32_t)a, y = (int32_t)(uint32_t)b;
    (void)c, (void)e;
    return y == 0 ? UINT32_MAX : (uint32_t)(uint64_t)(x / y);
}

static uint64_t expect_rem_s32(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    const int64_t x = (int32_t)(uint32_t)a, y = (int32_t)(uint32_t)b;
    (void)c, (void)e;
    return y == 0 ? UINT32_MAX : (uint32_t)(uint64_t)(x % y);
}

static uint64_t expect_div_s64(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    (void)c, (void)e;
    return b == 0 ? UINT64_MAX : (uint64_t)((wide_u)((wide_s)(int64_t)a / (int64_t)b));
}

static uint64_t expect_popc64(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t count = 0;
    (void)b, (void)c, (void)e;
    for (; a != 0; a &= a - 1)
        count++;
    return count;
}

static uint64_t expect_clz32(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t count = 0;
    (void)b, (void)c, (void)e;
    while (count < 32 && (a >> (31 - count) & 1) == 0)
        count++;
    return count;
}

static uint64_t expect_brev64(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t result = 0;
    (void)b, (void)c, (void)e;
    for (unsigned i = 0; i < 64; i++)
        result |= (a >> i & 1) << (63 - i);
    return result;
}

static uint64_t expect_bfe_s32(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    const unsigned pos = b & 255, len = c & 255;
    uint64_t result = 0;
    (void)e;
    for (unsigned i = 0; i < 32; i++) {
        const unsigned last = pos + len - 1 < 31 ? pos + len - 1 : 31;
        const uint64_t sign = len == 0 ? 0 : a >> last & 1;
        result |= (i < len && pos + i <= 31 ? a >> (pos + i) & 1 : sign) << i;
    }
    return result;
}

static uint64_t expect_bfi32(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    const unsigned pos = c & 255, len = e & 255;
    uint64_t result = (uint32_t)b;
    for (unsigned i = 0; i < len && pos + i < 32; i++)
        result = (result & ~(UINT64_C(1) << (pos + i))) | (a >> i & 1) << (pos + i);
    return result;
}

static uint64_t expect_prmt(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    const uint64_t both = (uint32_t)a | b << 32;
    uint64_t result = 0;
    (void)e;
    for (unsigned k = 0; k < 4; k++) {
        const unsigned nibble = (unsigned)bits_of(c, 4 * k, 4);
        const uint64_t byte = bits_of(both, 8 * (nibble & 7), 8);
        result |= (nibble < 8 ? byte : byte >= 128 ? 255U : 0U) << 8 * k;
    }
    return result;
}

static uint64_t expect_lop3(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < 32; i++)
        result |= (e >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
    return result;
}

static uint64_t expect_shf_left(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    const uint64_t both = (uint32_t)a | b << 32, n = (uint32_t)c > 32 ? 32 : (uint32_t)c;
    (void)e;
    return (uint32_t)((wide_u)both << n >> 32);
}

static uint64_t expect_shr_s64(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    wide_u value = (wide_u)((wide_s)(int64_t)a);
    (void)c, (void)e;
    for (uint32_t i = 0; i < (uint32_t)b && i < 64; i++)
        value = value >> 1 | (value & (wide_u)1 << 127);
    return (uint64_t)value;
}

static uint64_t expect_dp4a(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    int64_t sum = (int32_t)(uint32_t)c;
    (void)e;
    for (unsigned k = 0; k < 4; k++)
        sum += (int8_t)(a >> 8 * k) * (int8_t)(b >> 8 * k);
    return (uint32_t)(uint64_t)sum;
}

static uint64_t expect_sad_s32(uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    const int64_t x = (int32_t)(uint32_t)a, y = (int32_t)(uint32_t)b;
    (void)e;
    return (uint32_t)(c + (uint64_t)(x < y ? y - x : x - y));
}

static const struct integer_case integer_cases[] = {
    {ISA_OP_ADD, ISA_TYPE_U64, 0, 0, expect_add64},
    {ISA_OP_SUB, ISA_TYPE_S64, 0, 0, expect_sub64},
    {ISA_OP_MUL, ISA_TYPE_U64, ISA_PART_HI, 0, expect_mulhi_u64},
    {ISA_OP_MUL, ISA_TYPE_S64, ISA_PART_HI, 0, expect_mulhi_s64},
    {ISA_OP_MAD, ISA_TYPE_S64, ISA_PART_HI, 0, expect_madhi_s64},
    {ISA_OP_MUL, ISA_TYPE_S32, ISA_PART_HI, 0, expect_mulhi_s32},
    {ISA_OP_MAD, ISA_TYPE_S32, ISA_PART_WIDE, 0, expect_wide_s32},
    {ISA_OP_DIV, ISA_TYPE_U32, 0, 0, expect_div_u32},
    {ISA_OP_REM, ISA_TYPE_U32, 0, 0, expect_rem_u32},
    {ISA_OP_DIV, ISA_TYPE_S32, 0, 0, expect_div_s32},
    {ISA_OP_REM, ISA_TYPE_S32, 0, 0, expect_rem_s32},
    {ISA_OP_DIV, ISA_TYPE_S64, 0, 0, expect_div_s64},
    {ISA_OP_POPC, ISA_TYPE_B64, 0, 0, expect_popc64},
    {ISA_OP_CLZ, ISA_TYPE_B32, 0, 0, expect_clz32},
    {ISA_OP_BREV, ISA_TYPE_B64, 0, 0, expect_brev64},
    {ISA_OP_BFE, ISA_TYPE_S32, 0, 0, expect_bfe_s32},
    {ISA_OP_BFI, ISA_TYPE_B32, 0, 0, expect_bfi32},
    {ISA_OP_PRMT, ISA_TYPE_B32, 0, 0, expect_prmt},
    {ISA_OP_LOP3, ISA_TYPE_B32, 0, 0, expect_lop3},
    {ISA_OP_SHF, ISA_TYPE_B32, ISA_SHF_L, ISA_WRAP_CLAMP, expect_shf_left},
    {ISA_OP_SHR, ISA_TYPE_S64, 0, 0, expect_shr_s64},
    {ISA_OP_DP4A, ISA_TYPE_S32, 0, 0, expect_dp4a},
    {ISA_OP_SAD, ISA_TYPE_S32, 0, 0, expect_sad_s32},
};

START_TEST(integers_equal_the_hosts)
{
    const struct integer_case *t = &integer_cases[_i];
    struct isa_insn insn = insn_of(t->op, t->type, t->op == ISA_OP_DP4A ? ISA_TYPE_S32 : ISA_TYPE_NONE);
    struct rows source[4], d = {{0}};
    insn.mods.mode = t->mode;
    insn.mods.mode2 = t->mode2;
    sim_lane_fn *fn = must_find(&insn);
    const bool is_narrow = isa_types[t->type].bits == 32 && t->mode != ISA_PART_WIDE;
    const bool is_word = is_narrow || t->op == ISA_OP_POPC || t->op == ISA_OP_SHF;
    for (unsigned round = 0; round < 16 * ROUNDS; round++) {
        for (unsigned i = 0; i < 4; i++)
            fill(&source[i]);
        fn(d.word, source[0].word, source[1].word, source[2].word, source[3].word, 0);
        for (unsigned i = 0; i < LANES; i++) {
            uint64_t want =
                t->expect(wide(&source[0], i), wide(&source[1], i), wide(&source[2], i), wide(&source[3], i));
            want = is_word ? (uint32_t)want : want;
            ck_assert_msg((is_word ? d.word[i] : wide(&d, i)) == want, "%s: %llx %llx %llx: %llx",
                          isa_ops[t->op].mnemonic, (unsigned long long)wide(&source[0], i),
                          (unsigned long long)wide(&source[1], i), (unsigned long long)wide(&source[2], i),
                          (unsigned long long)wide(&d, i));
        }
    }
}
END_TEST

/* A 128-bit sum in two halves joined by the carry. */
START_TEST(carries_join_the_halves_of_a_sum)
{
    struct isa_insn low = insn_of(ISA_OP_ADD, ISA_TYPE_U64, ISA_TYPE_NONE);
    struct isa_insn high = insn_of(ISA_OP_ADDC, ISA_TYPE_U64, ISA_TYPE_NONE);
    low.mods.flags = ISA_FLAG_CC;
    struct rows a[2], b[2], d[2];
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < 2; i++) {
            fill(&a[i]);
            fill(&b[i]);
        }
        const uint64_t carry = must_find(&low)(d[0].word, a[0].word, b[0].word, NULL, NULL, 0);
        must_find (&high)(d[1].word, a[1].word, b[1].word, NULL, NULL, (uint32_t)carry);
        for (unsigned i = 0; i < LANES; i++) {
            const wide_u sum =
                ((wide_u)wide(&a[1], i) << 64 | wide(&a[0], i)) + ((wide_u)wide(&b[1], i) << 64 | wide(&b[0], i));
            ck_assert((uint64_t)sum == wide(&d[0], i) && (uint64_t)(sum >> 64) == wide(&d[1], i));
        }
    }
}
END_TEST

/* ---- Floating point: the processor's own scalar operations in each rounding mode ---- */

static float host_f32(enum isa_op op, volatile float a, volatile float b, volatile float c)
{
    switch (op) {
    case ISA_OP_ADD:
        return a + b;
    case ISA_OP_SUB:
        return a - b;
    case ISA_OP_MUL:
        return a * b;
    case ISA_OP_DIV:
        return a / b;
    case ISA_OP_RCP:
        return 1 / a;
    case ISA_OP_SQRT:
        return sqrtf(a);
    default:
        return fmaf(a, b, c);
    }
}

static double host_f64(enum isa_op op, volatile double a, volatile double b, volatile double c)
{
    switch (op) {
    case ISA_OP_ADD:
        return a + b;
    case ISA_OP_SUB:
        return a - b;
    case ISA_OP_MUL:
        return a * b;
    case ISA_OP_DIV:
        return a / b;
    case ISA_OP_RCP:
        return 1 / a;
    case ISA_OP_SQRT:
        return sqrt(a);
    default:
        return fma(a, b, c);
    }
}

static const enum isa_op float_ops[] = {ISA_OP_ADD, ISA_OP_SUB,  ISA_OP_MUL, ISA_OP_DIV,
                                        ISA_OP_RCP, ISA_OP_SQRT, ISA_OP_FMA};
static const struct {
    uint8_t round;
    int direction;
} directions[] = {{ISA_ROUND_RN, FE_TONEAREST},
                  {ISA_ROUND_RZ, FE_TOWARDZERO},
                  {ISA_ROUND_RM, FE_DOWNWARD},
                  {ISA_ROUND_RP, FE_UPWARD}};

START_TEST(f32_arithmetic_rounds_as_the_hosts)
{
    const enum isa_op op = float_ops[_i / 4];
    struct isa_insn insn = insn_of(op, ISA_TYPE_F32, ISA_TYPE_NONE);
    struct rows a, b, c, d;
    insn.mods.round = directions[_i % 4].round;
    sim_lane_fn *fn = must_find(&insn);
    for (unsigned round = 0; round < 16 * ROUNDS; round++) {
        fill(&a);
        fill(&b);
        fill(&c);
        fn(d.word, a.word, b.word, c.word, NULL, 0);
        ck_assert_int_eq(fegetround(), FE_TONEAREST);
        for (unsigned i = 0; i < LANES; i++) {
            fesetround(directions[_i % 4].direction);
            const float want = host_f32(op, as_float(a.word[i]), as_float(b.word[i]), as_float(c.word[i]));
            fesetround(FE_TONEAREST);
            ck_assert_msg(d.word[i] == float_bits(want), "%s: %x %x %x: %x", isa_ops[op].mnemonic, a.word[i], b.word[i],
                          c.word[i], d.word[i]);
        }
    }
}
END_TEST

START_TEST(f64_arithmetic_rounds_as_the_hosts)
{
    const enum isa_op op = float_ops[_i / 4];
    struct isa_insn insn = insn_of(op, ISA_TYPE_F64, ISA_TYPE_NONE);
    struct rows a, b, c, d;
    insn.mods.round = directions[_i % 4].round;
    sim_lane_fn *fn = must_find(&insn);
    for (unsigned round = 0; round < 16 * ROUNDS; round++) {
        fill(&a);
        fill(&b);
        fill(&c);
        fn(d.word, a.word, b.word, c.word, NULL, 0);
        for (unsigned i = 0; i < LANES; i++) {
            fesetround(directions[_i % 4].direction);
            const double want = host_f64(op, as_double(wide(&a, i)), as_double(wide(&b, i)), as_double(wide(&c, i)));
            fesetround(FE_TONEAREST);
            const double got = as_double(wide(&d, i));
            ck_assert(isnan(want) ? isnan(got) : double_bits(got) == double_bits(want));
        }
    }
}
END_TEST

/* ---- Narrow formats, by their neighbours ---- */

static double f16_value(uint32_t h)
{
    const int exponent = (int)(h >> 10 & 31), mantissa = (int)(h & 1023);
    const double magnitude = exponent == 0 ? ldexp(mantissa, -24) : ldexp(1024 + mantissa, exponent - 25);
    return h & 0x8000U ? -magnitude
                       : magnitude; /* with the exponent 31 as one more binade, to find where infinity begins */
}

/* Whether h is x rounded to nearest even: no neighbour is nearer, nor as near with an even last bit. */
static bool is_nearest_f16(double x, uint32_t h)
{
    const uint32_t magnitude = h & 0x7fffU;
    const double error = fabs(fabs(x) - fabs(f16_value(h)));
    if (isnan(x))
        return h == 0x7fff;
    if (signbit(x) != 0 ? (h & 0x8000U) == 0 : (h & 0x8000U) != 0)
        return false;
    if (isinf(x) || magnitude == 0x7c00U)
        return magnitude == 0x7c00U && fabs(x) >= 65520;
    const double above = fabs(fabs(x) - f16_value(magnitude + 1));
    const double below = magnitude == 0 ? HUGE_VAL : fabs(fabs(x) - f16_value(magnitude - 1));
    return error <= above && error <= below && ((error < above && error < below) || (magnitude & 1) == 0);
}

START_TEST(f16_conversion_is_to_nearest)
{
    for (unsigned type = ISA_TYPE_F32; type <= ISA_TYPE_F64; type++) {
        struct isa_insn insn = insn_of(ISA_OP_CVT, ISA_TYPE_F16, (enum isa_type)type);
        struct rows a, d;
        insn.mods.round = ISA_ROUND_RN;
        for (unsigned round = 0; round < 16 * ROUNDS; round++) {
            fill(&a);
            must_find (&insn)(d.word, a.word, NULL, NULL, NULL, 0);
            for (unsigned i = 0; i < LANES; i++) {
                const double x = type == ISA_TYPE_F32 ? (double)as_float(a.word[i]) : as_double(wide(&a, i));
                ck_assert_msg(is_nearest_f16(x, d.word[i]) || (isnan(x) && (d.word[i] & 0x7fffU) > 0x7c00U),
                              "%a gives %x", x, d.word[i]);
            }
        }
    }
}
END_TEST

/* Products and sums of f16 are exact in double but for a few far below half a unit. */
START_TEST(f16_fma_rounds_once)
{
    struct isa_insn insn = insn_of(ISA_OP_FMA, ISA_TYPE_F16, ISA_TYPE_NONE);
    struct rows a, b, c, d;
    insn.mods.round = ISA_ROUND_RN;
    for (unsigned round = 0; round < 32 * ROUNDS; round++) {
        for (unsigned i = 0; i < LANES; i++) {
            a.word[i] = (uint32_t)random64() & 0xbfffU;
            b.word[i] = (uint32_t)random64() & 0xbfffU;
            c.word[i] = (uint32_t)random64() & 0xbfffU;
        }
        must_find (&insn)(d.word, a.word, b.word, c.word, NULL, 0);
        for (unsigned i = 0; i < LANES; i++)
            ck_assert(is_nearest_f16(fma(f16_value(a.word[i]), f16_value(b.word[i]), f16_value(c.word[i])), d.word[i]));
    }
}
END_TEST

/* ---- Conversions to integers ---- */

START_TEST(f64_to_s32_rounds_and_clamps)
{
    static const uint8_t rounds[] = {ISA_ROUND_RNI, ISA_ROUND_RZI, ISA_ROUND_RMI, ISA_ROUND_RPI};
    struct isa_insn insn = insn_of(ISA_OP_CVT, ISA_TYPE_S32, ISA_TYPE_F64);
    struct rows a, d;
    insn.mods.round = rounds[_i];
    for (unsigned round = 0; round < 16 * ROUNDS; round++) {
        fill(&a);
        must_find (&insn)(d.word, a.word, NULL, NULL, NULL, 0);
        for (unsigned i = 0; i < LANES; i++) {
            const double x = as_double(wide(&a, i));
            const double whole = _i == 0 ? nearbyint(x) : _i == 1 ? trunc(x) : _i == 2 ? floor(x) : ceil(x);
            const double clamped = fmin(fmax(whole, INT32_MIN), INT32_MAX);
            const uint32_t want = isnan(x) ? 0x80000000U : (uint32_t)(int32_t)clamped;
            ck_assert_msg(d.word[i] == want, "%a gives %x", x, d.word[i]);
        }
    }
}
END_TEST

/* ---- Atomics ---- */

START_TEST(atomics_step_a_cell)
{
    ck_assert_uint_eq(sim_atom_apply(ISA_ATOM_ADD, ISA_TYPE_U32, UINT32_MAX, 2, 0), 1);
    ck_assert_uint_eq(sim_atom_apply(ISA_ATOM_MIN, ISA_TYPE_S32, 1, UINT32_MAX, 0), UINT32_MAX);
    ck_assert_uint_eq(sim_atom_apply(ISA_ATOM_MIN, ISA_TYPE_U32, 1, UINT32_MAX, 0), 1);
    ck_assert_uint_eq(sim_atom_apply(ISA_ATOM_MAX, ISA_TYPE_S64, 1, UINT64_MAX, 0), 1);
    ck_assert_uint_eq(sim_atom_apply(ISA_ATOM_INC, ISA_TYPE_U32, 7, 7, 0), 0);
    ck_assert_uint_eq(sim_atom_apply(ISA_ATOM_INC, ISA_TYPE_U32, 6, 7, 0), 7);
    ck_assert_uint_eq(sim_atom_apply(ISA_ATOM_DEC, ISA_TYPE_U32, 0, 7, 0), 7);
    ck_assert_uint_eq(sim_atom_apply(ISA_ATOM_DEC, ISA_TYPE_U32, 9, 7, 0), 7);
    ck_assert_uint_eq(sim_atom_apply(ISA_ATOM_CAS, ISA_TYPE_B16, 3, 3, 9), 9);
    ck_assert_uint_eq(sim_atom_apply(ISA_ATOM_CAS, ISA_TYPE_B64, 3, 4, 9), 3);
    ck_assert_uint_eq(sim_atom_apply(ISA_ATOM_ADD, ISA_TYPE_F16X2, 0x3c003c00, 0x40003c00, 0), 0x42004000);
    ck_assert_uint_eq(sim_atom_apply(ISA_ATOM_ADD, ISA_TYPE_F32, 0x3f800000, 0x40000000, 0), 0x40400000);
    ck_assert(!sim_atom_supported(ISA_ATOM_INC, ISA_TYPE_S32));
    ck_assert(!sim_atom_supported(ISA_ATOM_NONE, ISA_TYPE_U32));
    for (unsigned mode = 0; mode <= ISA_ATOM_CAS; mode++)
        for (unsigned type = 0; type < ISA_TYPE_COUNT;
             type++) /* total, supported or not, and within the type's width */
            for (unsigned i = 0; i < ROUNDS; i++) {
                const uint64_t value = sim_atom_apply((uint8_t)mode, (uint8_t)type, operand(), operand(), operand());
                ck_assert(isa_types[type].bits >= 64 || value >> isa_types[type].bits == 0);
            }
}
END_TEST

Suite *exec_suite(void)
{
    Suite *suite = suite_create("exec");
    TCase *tables = tcase_create("tables"), *host = tcase_create("host");
    tcase_set_timeout(tables, 300);
    tcase_add_test(tables, every_entry_is_found_by_its_key);
    tcase_add_test(tables, levels_agree);
    suite_add_tcase(suite, tables);
    tcase_set_timeout(host, 300);
    tcase_add_loop_test(host, integers_equal_the_hosts, 0, (int)(sizeof integer_cases / sizeof *integer_cases));
    tcase_add_test(host, carries_join_the_halves_of_a_sum);
    tcase_add_loop_test(host, f32_arithmetic_rounds_as_the_hosts, 0, 4 * (int)(sizeof float_ops / sizeof *float_ops));
    tcase_add_loop_test(host, f64_arithmetic_rounds_as_the_hosts, 0, 4 * (int)(sizeof float_ops / sizeof *float_ops));
    tcase_add_test(host, f16_conversion_is_to_nearest);
    tcase_add_test(host, f16_fma_rounds_once);
    tcase_add_loop_test(host, f64_to_s32_rounds_and_clamps, 0, 4);
    tcase_add_test(host, atomics_step_a_cell);
    suite_add_tcase(suite, host);
    return suite;
}
