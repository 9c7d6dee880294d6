/* The lane functions against the H200: every recorded variant (validate/records/h200/ops, README.md there) is read as
 * PTX, computed at every level and compared bit for bit; approximate instructions must keep the error that the PTX ISA
 * states for them.
 *
 * SIMTLAB_OPS_REPORT=1 prints how many results of the approximate instructions are bit-identical, and every variant
 * that differs instead of the first. */
#include "isa/isa.h"
#include "sim/exec.h"
#include "tests/ops_record.h"
#include "validate/ops/operands.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *ops_suite(void);

enum { LANES = SIM_WARP_SIZE, ROWS = 2, REGS_MAX = 40, OUTPUTS_MAX = 3 };

static struct ops_record record;

/* The registers of the variant's tiny kernel. */
struct machine {
    uint32_t rows[REGS_MAX][ROWS * LANES] __attribute__((aligned(64)));
    uint32_t preds[REGS_MAX];
    uint32_t carry;
};

struct result { /* outputs in the order of the variant's list, for one batch */
    uint64_t value[OUTPUTS_MAX][LANES];
};

/* ---- Evaluating a variant's instructions ---- */

static const char *reg_name(const struct isa_function *f, uint32_t reg)
{
    return f->regs[reg].name[0] == '%' ? f->regs[reg].name + 1 : f->regs[reg].name;
}

static void load_operands(struct machine *m, const struct isa_function *f, const uint64_t (*slots)[VALIDATE_OPS_SLOTS])
{
    memset(m, 0, sizeof *m);
    for (uint32_t reg = 0; reg < f->reg_count; reg++) {
        const char *name = reg_name(f, reg);
        for (unsigned lane = 0; lane < LANES; lane++) {
            if (*name == 'q' || *name == 'r')
                m->preds[reg] |= (uint32_t)(slots[lane][3] >> (*name == 'r') & 1) << lane;
            if (*name < 'a' || *name > 'c')
                continue;
            const uint64_t value = slots[lane][*name - 'a'];
            m->rows[reg][lane] = name[1] == '1' ? (uint16_t)value : (uint32_t)value;
            m->rows[reg][lane + LANES] = name[1] == '6' ? (uint32_t)(value >> 32) : 0;
        }
    }
}

static uint32_t combine(uint8_t boolop, uint32_t a, uint32_t b)
{
    return boolop == ISA_BOOL_AND ? a & b : boolop == ISA_BOOL_OR ? a | b : boolop == ISA_BOOL_XOR ? a ^ b : a;
}

/* What the engine does around set's lane function when there is a predicate: the comparison's truth lies in the result.
 */
static void combine_set(const struct isa_insn *insn, uint32_t *d, uint32_t predicate)
{
    static const struct {
        uint8_t type;
        uint32_t yes;
    } table[] = {{ISA_TYPE_F32, 0x3f800000}, {ISA_TYPE_F16, 0x3c00},        {ISA_TYPE_BF16, 0x3f80},
                 {ISA_TYPE_U16, 0xffff},     {ISA_TYPE_S16, 0xffff},        {ISA_TYPE_F16X2, 0x3c003c00},
                 {ISA_TYPE_U32, UINT32_MAX}, {ISA_TYPE_BF16X2, 0x3f803f80}, {ISA_TYPE_S32, UINT32_MAX}};
    uint32_t yes = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].type == insn->type)
            yes = table[i].yes;
    const bool packed =
        isa_types[insn->type].class == ISA_CLASS_PACKED || isa_types[insn->type2].class == ISA_CLASS_PACKED;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t value = 0;
        for (unsigned part = 0; part < (packed ? 2U : 1U); part++) {
            const uint32_t part_mask = packed ? UINT32_C(0xffff) << (16 * part) : UINT32_MAX;
            if (combine(insn->mods.boolop, (d[lane] & part_mask) != 0, predicate >> lane & 1))
                value |= yes & part_mask;
        }
        d[lane] = value;
    }
}

/* cvt's result in a register wider than its type. */
static void extend(const struct isa_insn *insn, uint32_t *d, unsigned register_bits)
{
    const unsigned bits = isa_types[insn->type].bits;
    if (bits >= register_bits || bits > 32)
        return;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t value = d[lane];
        if (bits < 32)
            value &= (UINT64_C(1) << bits) - 1;
        if (isa_types[insn->type].class == ISA_CLASS_SIGNED && value >> (bits - 1) & 1)
            value |= UINT64_MAX << bits;
        d[lane] = register_bits == 16 ? (uint16_t)value : (uint32_t)value;
        d[lane + LANES] = register_bits == 64 ? (uint32_t)(value >> 32) : 0;
    }
}

static void write_predicates(struct machine *m, const struct isa_insn *insn, const struct isa_operand *o, uint64_t out,
                             uint32_t predicate, bool has_predicate)
{
    uint32_t p = (uint32_t)out;
    uint32_t q = isa_types[insn->type].class == ISA_CLASS_PACKED ? (uint32_t)(out >> 32) : ~p;
    if (has_predicate) {
        p = combine(insn->mods.boolop, p, predicate);
        q = combine(insn->mods.boolop, q, predicate);
    }
    m->preds[o[0].ref] = p;
    if (insn->dst_count > 1)
        m->preds[o[1].ref] = q;
}

static void step(struct machine *m, const struct isa_function *f, const struct isa_insn *insn, sim_lane_fn *fn)
{
    static const uint32_t zero[4 * LANES] __attribute__((aligned(64)));
    uint32_t immediates[4][ROWS * LANES] __attribute__((aligned(64)));
    uint32_t d[4 * LANES] __attribute__((aligned(64)));
    const uint32_t *sources[4] = {NULL, NULL, NULL, NULL};
    const struct isa_operand *o = f->operands + insn->operand_first;
    uint32_t predicate = m->carry;
    bool has_predicate = false;
    memcpy(d, zero, sizeof d);
    for (unsigned i = insn->dst_count, n = 0; i < insn->operand_count; i++) {
        if (o[i].kind == ISA_OPERAND_REG && f->regs[o[i].ref].type == ISA_TYPE_PRED) {
            predicate = o[i].negated ? ~m->preds[o[i].ref] : m->preds[o[i].ref];
            has_predicate = true;
        } else if (o[i].kind == ISA_OPERAND_REG) {
            sources[n++] = m->rows[o[i].ref];
        } else if (o[i].kind == ISA_OPERAND_IMM) {
            for (unsigned lane = 0; lane < LANES; lane++) {
                immediates[n][lane] = (uint32_t)(uint64_t)o[i].imm;
                immediates[n][lane + LANES] = (uint32_t)((uint64_t)o[i].imm >> 32);
            }
            sources[n] = immediates[n];
            n++;
        }
    }
    const bool to_predicate = insn->op == ISA_OP_SETP || insn->op == ISA_OP_TESTP;
    const uint64_t out = fn(to_predicate ? NULL : d, sources[0], sources[1], sources[2], sources[3], predicate);
    if (to_predicate) {
        write_predicates(m, insn, o, out, predicate, has_predicate);
        return;
    }
    if (insn->mods.flags & ISA_FLAG_CC)
        m->carry = (uint32_t)out;
    if (insn->op == ISA_OP_SET && has_predicate)
        combine_set(insn, d, predicate);
    if (insn->op == ISA_OP_CVT)
        extend(insn, d, isa_types[f->regs[o[0].ref].type].bits);
    memcpy(m->rows[o[0].ref], d, sizeof m->rows[0]);
}

static uint64_t flush_f32(uint64_t bits)
{
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

static uint64_t quiet_f64(uint64_t bits)
{
    return (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000) ? bits | UINT64_C(1) << 51 : bits;
}

/* The atomic's cell holds a before; d is what it held, e what it holds after. As in the engine, additions of f32
 * outside shared memory flush subnormals, and those of f64 in shared memory are ordinary ones, operand first. */
static void evaluate_atomic(const struct isa_insn *insn, const struct ops_variant *variant,
                            const uint64_t (*slots)[VALIDATE_OPS_SLOTS], struct result *result)
{
    const bool in_shared = strstr(variant->text, "[%s]") || strstr(variant->text, "[%y]");
    const bool flush = insn->mods.mode == ISA_ATOM_ADD && insn->type == ISA_TYPE_F32 && !in_shared;
    const bool in_loop = insn->mods.mode == ISA_ATOM_ADD && insn->type == ISA_TYPE_F64 && in_shared;
    const unsigned bits = isa_types[insn->type].bits;
    const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t v[3];
        for (unsigned i = 0; i < 3; i++)
            v[i] = flush ? flush_f32(slots[lane][i] & mask) : slots[lane][i] & mask;
        const uint64_t sum =
            sim_atom_apply(insn->mods.mode, insn->type, v[in_loop ? 1 : 0], v[in_loop ? 0 : 1], v[2]) & mask;
        const uint64_t after = flush ? flush_f32(sum) : in_loop ? quiet_f64(sum) : sum;
        unsigned n = 0;
        for (const char *output = variant->outputs; output && n < OUTPUTS_MAX; output = ops_next_output(output), n++)
            result->value[n][lane] = *output == 'd' ? slots[lane][0] & mask : after;
    }
}

static void collect(const struct machine *m, const struct isa_function *f, const char *outputs, struct result *result)
{
    unsigned n = 0;
    for (const char *output = outputs; output && n < OUTPUTS_MAX; output = ops_next_output(output), n++) {
        uint32_t reg = 0;
        const unsigned bits = ops_output_bits(output);
        for (uint32_t i = 0; i < f->reg_count; i++) {
            const char *name = reg_name(f, i);
            if (*name == *output && (bits == 1 || (unsigned)atoi(name + 1) == bits))
                reg = i;
        }
        for (unsigned lane = 0; lane < LANES; lane++) {
            const uint64_t whole = m->rows[reg][lane] | (uint64_t)m->rows[reg][lane + LANES] << 32;
            result->value[n][lane] = bits == 1    ? m->preds[reg] >> lane & 1
                                     : bits == 64 ? whole
                                                  : whole & ((UINT64_C(1) << bits) - 1);
        }
    }
}

static void evaluate(const struct isa_function *f, const struct ops_variant *v, enum sim_level level, struct machine *m,
                     const uint64_t (*slots)[VALIDATE_OPS_SLOTS], struct result *result)
{
    if (ops_record_is_atomic(&f->insns[0])) {
        evaluate_atomic(&f->insns[0], v, slots, result);
        return;
    }
    load_operands(m, f, slots);
    for (size_t i = 0; i < f->insn_count; i++) {
        const struct isa_insn *insn = &f->insns[i];
        if (insn->op != ISA_OP_RET && insn->op != ISA_OP_EXIT)
            step(m, f, insn, sim_exec_find(insn, level));
    }
    collect(m, f, v->outputs, result);
}

/* ---- The comparison ---- */

struct tally {
    uint64_t results, identical;
};

static bool compare_batch(const struct ops_variant *v, uint32_t first, const uint64_t (*slots)[VALIDATE_OPS_SLOTS],
                          const struct result *result, struct tally *tally, char *message, size_t message_size)
{
    const struct ops_bound *bound = ops_bound_of(v->text);
    unsigned n = 0;
    for (const char *output = v->outputs; output && n < OUTPUTS_MAX; output = ops_next_output(output), n++)
        for (uint32_t lane = 0; lane < LANES && first + lane < v->stored; lane++) {
            const uint64_t want = ops_recorded(&record, v, n, first + lane), got = result->value[n][lane];
            tally->results++;
            tally->identical += got == want;
            if (got == want || (bound && ops_is_near(v, bound, slots[lane], got, want)))
                continue;
            snprintf(message, message_size,
                     "%s a %" PRIx64 " b %" PRIx64 " c %" PRIx64 ": %.3s is %" PRIx64 ", the card has %" PRIx64,
                     v->text, slots[lane][0], slots[lane][1], slots[lane][2], output, got, want);
            return false;
        }
    return true;
}

static uint64_t hash_batch(uint64_t hash, const struct ops_variant *v, uint32_t first, const struct result *result)
{
    for (uint32_t lane = 0; lane < LANES && first + lane < v->total; lane++) {
        unsigned n = 0;
        for (const char *output = v->outputs; output && n < OUTPUTS_MAX; output = ops_next_output(output), n++)
            hash = validate_ops_hash(hash, result->value[n][lane]);
    }
    return hash;
}

/* All tuples of a variant at one level. False: it differs, and `message` says where. */
static bool replay(const struct isa_function *f, const struct ops_variant *v, enum sim_level level, struct tally *tally,
                   char *message, size_t message_size)
{
    static struct machine machine;
    const bool exact_bits = ops_bound_of(v->text) == NULL;
    const uint64_t(*tuples)[VALIDATE_OPS_SLOTS] = ops_operands(&record, v);
    uint64_t hash = VALIDATE_OPS_HASH_BASIS;
    for (uint32_t first = 0; first < (exact_bits ? v->total : v->stored); first += LANES) {
        const uint64_t(*slots)[VALIDATE_OPS_SLOTS] = tuples + first;
        struct result result;
        evaluate(f, v, level, &machine, slots, &result);
        if (first < v->stored && !compare_batch(v, first, slots, &result, tally, message, message_size))
            return false;
        hash = hash_batch(hash, v, first, &result);
    }
    snprintf(message, message_size, "%s: a result after the stored ones differs", v->text);
    return !exact_bits || hash == v->hash;
}

static struct isa_function *kernel_of(struct isa_module *module)
{
    ck_assert_uint_eq(module->function_count, 1);
    ck_assert_uint_le(module->functions[0].reg_count, REGS_MAX);
    return &module->functions[0];
}

START_TEST(lane_functions_give_the_cards_bits)
{
    const enum sim_level level = (enum sim_level)_i;
    const bool report = getenv("SIMTLAB_OPS_REPORT") != NULL;
    size_t compared = 0, different = 0;
    char message[768], first[768] = "";
    if (level > sim_exec_best_level())
        return;
    for (size_t i = 0; i < record.count; i++) {
        const struct ops_variant *v = &record.variants[i];
        struct isa_module *module = ops_record_module(v->text);
        struct tally tally = {0, 0};
        if (module && ops_record_is_covered(kernel_of(module), level)) {
            compared++;
            if (!replay(kernel_of(module), v, level, &tally, message, sizeof message)) {
                if (different++ == 0)
                    memcpy(first, message, sizeof first);
                if (report)
                    printf("differs: %s\n", message);
            } else if (report && ops_bound_of(v->text)) {
                printf("approximate: %s %" PRIu64 " of %" PRIu64 " identical\n", v->text, tally.identical,
                       tally.results);
            }
        }
        isa_module_free(module);
    }
    ck_assert_msg(different == 0, "%zu of %zu variants differ, the first: %s", different, compared, first);
    ck_assert_uint_gt(compared, 0);
}
END_TEST

/* Variants this version does not compute, one a line of not-covered.txt: the list may only become shorter. */
START_TEST(variants_that_are_not_covered)
{
    char path[1024], line[640];
    size_t listed = 0, missing = 0;
    const bool report = getenv("SIMTLAB_OPS_REPORT") != NULL;
    ops_record_path("not-covered.txt", path, sizeof path);
    FILE *list = fopen(path, "r");
    ck_assert_msg(list != NULL, "cannot open %s", path);
    for (size_t i = 0; i < record.count; i++) {
        struct isa_module *module = ops_record_module(record.variants[i].text);
        if (!module || !ops_record_is_covered(kernel_of(module), SIM_LEVEL_BASE)) {
            missing++;
            if (report)
                printf("not covered: %s\n", record.variants[i].text);
            if (fgets(line, sizeof line, list)) {
                line[strcspn(line, "\n")] = '\0';
                listed++;
            } else {
                *line = '\0';
            }
            if (!report)
                ck_assert_str_eq(record.variants[i].text, line);
        }
        isa_module_free(module);
    }
    while (fgets(line, sizeof line, list))
        listed++;
    fclose(list);
    ck_assert_uint_eq(missing, listed);
}
END_TEST

/* ---- The stated errors ---- */

/* What the card gave keeps them too, so they are stated right; and each is asked of some variant. */
START_TEST(the_card_keeps_the_stated_errors)
{
    for (size_t k = 0; k < ops_bound_count(); k++) {
        const struct ops_bound *bound = ops_bound_at(k);
        uint64_t within = 0;
        for (size_t i = 0; i < record.count; i++) {
            const struct ops_variant *v = &record.variants[i];
            if (ops_bound_of(v->text) != bound)
                continue;
            const uint64_t(*tuples)[VALIDATE_OPS_SLOTS] = ops_operands(&record, v);
            for (uint32_t t = 0; t < v->stored; t++)
                for (unsigned part = 0; part < ops_parts(v->text); part++) {
                    const uint64_t card = ops_recorded(&record, v, 0, t);
                    const enum ops_verdict verdict = ops_judge(v->text, bound, tuples[t], part, card);
                    if (verdict == OPS_BEYOND)
                        ck_abort_msg("%s a %" PRIx64 " b %" PRIx64 ": the card has %" PRIx64, v->text, tuples[t][0],
                                     tuples[t][1], card);
                    within += verdict == OPS_WITHIN;
                }
        }
        ck_assert_msg(within >= 100, "%s: %" PRIu64 " recorded results", bound->prefix, within);
    }
}
END_TEST

/* Operands all over the range of the approximate instruction's type: every one of 16 bits, every 16381st of 32. */
static uint32_t dense_count(const struct ops_bound *bound)
{
    const unsigned bits = 1 + bound->mantissa_bits + bound->exponent_bits;
    return bits == 16 ? 65536 : 262144;
}

static void dense_operands(const struct ops_bound *bound, uint32_t i, uint64_t slots[VALIDATE_OPS_SLOTS])
{
    const unsigned bits = 1 + bound->mantissa_bits + bound->exponent_bits;
    const uint64_t spread = i * UINT64_C(0x9e3779b97f4a7c15);
    memset(slots, 0, sizeof(uint64_t) * VALIDATE_OPS_SLOTS);
    slots[0] = bits == 16 ? i | (uint64_t)(65535 - i) << 16 : bits == 32 ? (uint32_t)(i * 16381U) : spread;
    slots[1] = bits == 32 ? (uint32_t)(spread >> 20) : 0;
}

static void check_dense(const struct isa_function *f, const struct ops_variant *v)
{
    static struct machine machine;
    const struct ops_bound *bound = ops_bound_of(v->text);
    const uint32_t count = dense_count(bound);
    uint64_t within = 0;
    for (uint32_t first = 0; first < count; first += LANES) {
        uint64_t slots[LANES][VALIDATE_OPS_SLOTS];
        struct result result;
        for (uint32_t lane = 0; lane < LANES; lane++)
            dense_operands(bound, first + lane, slots[lane]);
        evaluate(f, v, SIM_LEVEL_BASE, &machine, (const uint64_t(*)[VALIDATE_OPS_SLOTS])slots, &result);
        for (uint32_t lane = 0; lane < LANES; lane++)
            for (unsigned part = 0; part < ops_parts(v->text); part++) {
                const enum ops_verdict verdict = ops_judge(v->text, bound, slots[lane], part, result.value[0][lane]);
                if (verdict == OPS_BEYOND)
                    ck_abort_msg("%s a %" PRIx64 " b %" PRIx64 ": %" PRIx64 " is further from the true value than the "
                                 "PTX ISA states",
                                 v->text, slots[lane][0], slots[lane][1], result.value[0][lane]);
                within += verdict == OPS_WITHIN;
            }
    }
    ck_assert_msg(within > count / 8, "%s: %" PRIu64 " of %u", v->text, within, count);
}

START_TEST(approximations_keep_the_stated_errors)
{
    size_t checked = 0;
    for (size_t i = 0; i < record.count; i++) {
        const struct ops_variant *v = &record.variants[i];
        struct isa_module *module = ops_bound_of(v->text) ? ops_record_module(v->text) : NULL;
        if (module) {
            check_dense(kernel_of(module), v);
            checked++;
        }
        isa_module_free(module);
    }
    ck_assert_uint_ge(checked, ops_bound_count());
}
END_TEST

static void read_record(void)
{
    ops_record_read(&record);
}

static void free_record(void)
{
    ops_record_free(&record);
}

Suite *ops_suite(void)
{
    Suite *suite = suite_create("ops");
    TCase *tcase = tcase_create("h200");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, read_record, free_record);
    tcase_add_loop_test(tcase, lane_functions_give_the_cards_bits, 0, SIM_LEVEL_COUNT);
    tcase_add_test(tcase, variants_that_are_not_covered);
    tcase_add_test(tcase, the_card_keeps_the_stated_errors);
    tcase_add_test(tcase, approximations_keep_the_stated_errors);
    suite_add_tcase(suite, tcase);
    return suite;
}
