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
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

Suite *ops_suite(void);

enum { LANES = SIM_WARP_SIZE, ROWS = 2, REGS_MAX = 40, OUTPUTS_MAX = 3 };

struct variant {
    uint64_t offset, hash;
    unsigned stored, total;
    char classes[64], outputs[32], text[400];
};

struct operand_set {
    const char *classes;
    uint64_t (*tuples)[VALIDATE_OPS_SLOTS];
};

struct record { /* the whole of it, in memory */
    uint8_t *data;
    size_t size;
    struct variant *variants;
    size_t count;
    struct operand_set sets[256];
    size_t set_count;
};

static struct record record;

/* The registers of the variant's tiny kernel. */
struct machine {
    uint32_t rows[REGS_MAX][ROWS * LANES] __attribute__((aligned(64)));
    uint32_t preds[REGS_MAX];
    uint32_t carry;
};

struct result { /* outputs in the order of the variant's list, for one batch */
    uint64_t value[OUTPUTS_MAX][LANES];
};

/* ---- Reading the record ---- */

static unsigned output_bits(const char *output)
{
    return *output == 'd' || *output == 'e' ? (unsigned)atoi(output + 1) : 1;
}

static const char *next_output(const char *output)
{
    const char *comma = strchr(output, ',');
    return comma ? comma + 1 : NULL;
}

static void path_of(const char *name, char *path, size_t size)
{
    const char *folder = getenv("srcdir");
    snprintf(path, size, "%s/%s%s", folder ? folder : ".", OPS_RECORD, name);
}

/* The bytes a variant's results take. */
static uint64_t stored_bytes(const struct variant *v)
{
    uint64_t bytes = 0;
    for (const char *output = v->outputs; output; output = next_output(output))
        bytes += (output_bits(output) + 7) / 8;
    return bytes * v->stored;
}

static bool parse_line(const char *line, struct variant *v)
{
    struct validate_ops_counts counts;
    return sscanf(line, "%" SCNu64 "\t%u\t%u\t%" SCNx64 "\t%63[^\t]\t%31[^\t]\t%399[^\n]", &v->offset, &v->stored,
                  &v->total, &v->hash, v->classes, v->outputs, v->text) == 7 &&
           validate_ops_counts(v->classes, &counts) && counts.stored == v->stored && counts.total == v->total &&
           v->offset + stored_bytes(v) <= record.size;
}

static void read_record(void)
{
    char path[1024], line[640];
    path_of("results.bin.gz", path, sizeof path);
    gzFile data = gzopen(path, "rb");
    ck_assert_msg(data != NULL, "cannot open %s", path);
    size_t capacity = 0;
    for (int got = 1; got > 0; record.size += (size_t)(got > 0 ? got : 0)) {
        if (capacity - record.size < 1U << 20) {
            capacity = capacity * 2 + (1U << 21);
            record.data = realloc(record.data, capacity);
            ck_assert_ptr_nonnull(record.data);
        }
        got = gzread(data, record.data + record.size, (unsigned)(1U << 20));
        ck_assert_int_ge(got, 0);
    }
    gzclose(data);
    path_of("index.txt", path, sizeof path);
    FILE *index = fopen(path, "r");
    ck_assert_msg(index != NULL, "cannot open %s", path);
    for (capacity = 0; fgets(line, sizeof line, index); record.count++) {
        if (record.count == capacity) {
            capacity = capacity * 2 + 4096;
            record.variants = realloc(record.variants, capacity * sizeof *record.variants);
            ck_assert_ptr_nonnull(record.variants);
        }
        ck_assert_msg(parse_line(line, &record.variants[record.count]), "index.txt: %s", line);
    }
    fclose(index);
}

static void free_record(void)
{
    for (size_t i = 0; i < record.set_count; i++)
        free(record.sets[i].tuples);
    free(record.data);
    free(record.variants);
    memset(&record, 0, sizeof record);
}

/* The operand tuples of a list of classes, rounded up to whole warps; made once, for many variants share them. Not
 * checked by Check's macros: those write to a pipe at every pass. */
static const uint64_t (*operands_of(const struct variant *v))[VALIDATE_OPS_SLOTS]
{
    for (size_t i = 0; i < record.set_count; i++)
        if (strcmp(record.sets[i].classes, v->classes) == 0)
            return (const uint64_t(*)[VALIDATE_OPS_SLOTS])record.sets[i].tuples;
    ck_assert_uint_lt(record.set_count, sizeof record.sets / sizeof *record.sets);
    const uint32_t count = (v->total + LANES - 1) / LANES * LANES;
    struct operand_set *set = &record.sets[record.set_count++];
    set->classes = v->classes;
    set->tuples = calloc(count, sizeof *set->tuples);
    ck_assert_ptr_nonnull(set->tuples);
    for (uint32_t i = 0; i < count; i++)
        (void)validate_ops_operands(v->classes, i, set->tuples[i]);
    return (const uint64_t(*)[VALIDATE_OPS_SLOTS])set->tuples;
}

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
static void evaluate_atomic(const struct isa_insn *insn, const struct variant *variant,
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
        for (const char *output = variant->outputs; output && n < OUTPUTS_MAX; output = next_output(output), n++)
            result->value[n][lane] = *output == 'd' ? slots[lane][0] & mask : after;
    }
}

static void collect(const struct machine *m, const struct isa_function *f, const char *outputs, struct result *result)
{
    unsigned n = 0;
    for (const char *output = outputs; output && n < OUTPUTS_MAX; output = next_output(output), n++) {
        uint32_t reg = 0;
        const unsigned bits = output_bits(output);
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

static void evaluate(const struct isa_function *f, const struct variant *v, enum sim_level level, struct machine *m,
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

static uint64_t recorded(const struct variant *v, unsigned output_index, uint32_t i)
{
    uint64_t at = v->offset, value = 0;
    unsigned bytes = 0, n = 0;
    for (const char *output = v->outputs; output && n <= output_index; output = next_output(output), n++) {
        at += n > 0 ? (uint64_t)bytes * v->stored : 0;
        bytes = (output_bits(output) + 7) / 8;
    }
    at += (uint64_t)bytes * i;
    memcpy(&value, record.data + at, bytes);
    return value;
}

/* ---- Approximate instructions: what the PTX ISA states ----
 *
 * PTX ISA 9.0, section of each instruction: a bound on the absolute error (where `reach` is not 0, for |a| up to it),
 * on the relative error, or on the units in the last place. Where it states none, the bits must be the card's. */

struct bound {
    const char *prefix;
    unsigned mantissa_bits, exponent_bits; /* of the result */
    unsigned count;                        /* elements */
    double absolute, reach, relative, ulp;
};

#define PI 3.14159265358979323846
static const struct bound bounds[] = {
    {"sin.approx", 23, 8, 1, 0x1p-20 * 0.70710678118654752440, 2 * PI, 0, 0},
    {"cos.approx", 23, 8, 1, 0x1p-20 * 0.70710678118654752440, 2 * PI, 0, 0},
    {"lg2.approx", 23, 8, 1, 0x1p-22, 0, 0x1p-22, 0},
    {"ex2.approx.f32", 23, 8, 1, 0, 0, 0, 2},
    {"ex2.approx.ftz.f32", 23, 8, 1, 0, 0, 0, 2},
    {"ex2.approx.f16", 10, 5, 1, 0, 0, 0x1p-9 * 0.53588673126814658, 0}, /* 2 ** -9.9 */
    {"ex2.approx.ftz.bf16", 7, 8, 1, 0, 0, 0x1p-7, 0},
    {"tanh.approx.f32", 23, 8, 1, 0, 0, 0x1p-11, 0},
    {"tanh.approx.f16", 10, 5, 1, 0x1p-10 * 0.50452, 0, 0, 0}, /* 2 ** -10.987 */
    {"tanh.approx.bf16", 7, 8, 1, 0x1p-8, 0, 0, 0},
    {"rcp.approx.f32", 23, 8, 1, 0, 0, 0, 1},
    {"rcp.approx.ftz.f32", 23, 8, 1, 0, 0, 0, 1},
    {"sqrt.approx", 23, 8, 1, 0, 0, 0x1p-23, 0},
    {"rsqrt.approx.f32", 23, 8, 1, 0, 0, 0x1p-22 * 0.53588673126814658, 0}, /* 2 ** -22.9 */
    {"rsqrt.approx.ftz.f32", 23, 8, 1, 0, 0, 0x1p-22 * 0.53588673126814658, 0},
    {"rsqrt.approx.f64", 52, 11, 1, 0, 0, 0x1p-20, 0},
    {"rsqrt.approx.ftz.f64", 52, 11, 1, 0, 0, 0x1p-20, 0},
    {"rcp.approx.ftz.f64", 52, 11, 1, 0, 0, 0x1p-20, 0},
    {"div.approx", 23, 8, 1, 0, 0, 0, 2},
    {"div.full", 23, 8, 1, 0, 0, 0, 2},
};

static const struct bound *bound_of(const char *text)
{
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (strncmp(text, bounds[i].prefix, strlen(bounds[i].prefix)) == 0)
            return &bounds[i];
    return NULL;
}

static double number(uint64_t bits, const struct bound *b)
{
    const unsigned m = b->mantissa_bits, e = b->exponent_bits;
    const uint64_t mantissa = bits & ((UINT64_C(1) << m) - 1), exponent = bits >> m & ((UINT64_C(1) << e) - 1);
    const int bias = (1 << (e - 1)) - 1;
    double value;
    if (exponent == (UINT64_C(1) << e) - 1)
        value = mantissa ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        value = ldexp((double)mantissa, 1 - bias - (int)m);
    else
        value = ldexp((double)(mantissa | UINT64_C(1) << m), (int)exponent - bias - (int)m);
    return bits >> (m + e) & 1 ? -value : value;
}

static double exact(const char *text, double a, double b)
{
    static const struct {
        const char *name;
        double (*fn)(double);
    } unary[] = {{"sin", sin}, {"cos", cos}, {"lg2", log2}, {"ex2", exp2}, {"tanh", tanh}, {"sqrt", sqrt}};
    for (size_t i = 0; i < sizeof unary / sizeof *unary; i++)
        if (strncmp(text, unary[i].name, strlen(unary[i].name)) == 0)
            return unary[i].fn(a);
    return *text == 'd' ? a / b : text[1] == 'c' ? 1 / a : 1 / sqrt(a);
}

static bool within(const char *text, const struct bound *b, double a, double y, double got)
{
    const double want = exact(text, a, y), error = fabs(got - want);
    const double least_normal = ldexp(1, 2 - (1 << (b->exponent_bits - 1)));
    const double largest = ldexp(2, (1 << (b->exponent_bits - 1)) - 1);
    const bool trigonometric = *text == 's' && text[1] == 'i', ftz = strstr(text, ".ftz") != NULL;
    if (isnan(want) || isnan(got) || isinf(got) || want == 0 || fabs(want) >= largest)
        return false;
    /* Where subnormals are flushed, and at the ends of the range that div.approx treats apart, only the card's bits do.
     */
    if ((ftz || trigonometric) && (fabs(a) < least_normal || fabs(want) < least_normal))
        return false;
    /* A subnormal divisor has no stated bound without .ftz; the bound of normal ones is asked of it too. */
    if (strncmp(text, "div.approx", 10) == 0 && ((ftz && fabs(y) < least_normal) || fabs(y) > largest / 4))
        return false;
    if (b->reach != 0 && fabs(a) > b->reach) /* sine and cosine: 2 ** -14.7 up to 100 pi, then nothing but the range */
        return error <= (fabs(a) <= 100 * PI ? 0x1p-14 * 0.6155722066724582 : 2);
    if (strncmp(text, "lg2", 3) == 0 && a > 0.5 && a < 2)
        return error <= b->absolute;
    if (b->relative != 0)
        return error <= b->relative * fmax(fabs(want), least_normal);
    if (b->ulp != 0)
        return error <= b->ulp * ldexp(fmax(ldexp(1, ilogb(want)), least_normal), -(int)b->mantissa_bits);
    return error <= b->absolute;
}

/* An element of an approximate result: the card's bits, or near enough to the true value. */
static bool is_near(const struct variant *v, const struct bound *b, const uint64_t *slots, uint64_t got, uint64_t want)
{
    const unsigned bits = 1 + b->mantissa_bits + b->exponent_bits;
    const bool packed = strstr(v->text, "x2") != NULL;
    for (unsigned part = 0; part < (packed ? 2U : 1U); part++) {
        const unsigned shift = part * bits;
        const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
        const uint64_t g = got >> shift & mask, w = want >> shift & mask;
        if (g != w &&
            !within(v->text, b, number(slots[0] >> shift & mask, b), number(slots[1] >> shift & mask, b), number(g, b)))
            return false;
    }
    return true;
}

/* ---- The comparison ---- */

struct tally {
    uint64_t results, identical;
};

static bool compare_batch(const struct variant *v, uint32_t first, const uint64_t (*slots)[VALIDATE_OPS_SLOTS],
                          const struct result *result, struct tally *tally, char *message, size_t message_size)
{
    const struct bound *bound = bound_of(v->text);
    unsigned n = 0;
    for (const char *output = v->outputs; output && n < OUTPUTS_MAX; output = next_output(output), n++)
        for (uint32_t lane = 0; lane < LANES && first + lane < v->stored; lane++) {
            const uint64_t want = recorded(v, n, first + lane), got = result->value[n][lane];
            tally->results++;
            tally->identical += got == want;
            if (got == want || (bound && is_near(v, bound, slots[lane], got, want)))
                continue;
            snprintf(message, message_size,
                     "%s a %" PRIx64 " b %" PRIx64 " c %" PRIx64 ": %.3s is %" PRIx64 ", the card has %" PRIx64,
                     v->text, slots[lane][0], slots[lane][1], slots[lane][2], output, got, want);
            return false;
        }
    return true;
}

static uint64_t hash_batch(uint64_t hash, const struct variant *v, uint32_t first, const struct result *result)
{
    for (uint32_t lane = 0; lane < LANES && first + lane < v->total; lane++) {
        unsigned n = 0;
        for (const char *output = v->outputs; output && n < OUTPUTS_MAX; output = next_output(output), n++)
            hash = validate_ops_hash(hash, result->value[n][lane]);
    }
    return hash;
}

/* All tuples of a variant at one level. False: it differs, and `message` says where. */
static bool replay(const struct isa_function *f, const struct variant *v, enum sim_level level, struct tally *tally,
                   char *message, size_t message_size)
{
    static struct machine machine;
    const bool exact_bits = bound_of(v->text) == NULL;
    const uint64_t(*tuples)[VALIDATE_OPS_SLOTS] = operands_of(v);
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
        const struct variant *v = &record.variants[i];
        struct isa_module *module = ops_record_module(v->text);
        struct tally tally = {0, 0};
        if (module && ops_record_is_covered(kernel_of(module), level)) {
            compared++;
            if (!replay(kernel_of(module), v, level, &tally, message, sizeof message)) {
                if (different++ == 0)
                    memcpy(first, message, sizeof first);
                if (report)
                    printf("differs: %s\n", message);
            } else if (report && bound_of(v->text)) {
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
    path_of("not-covered.txt", path, sizeof path);
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

Suite *ops_suite(void)
{
    Suite *suite = suite_create("ops");
    TCase *tcase = tcase_create("h200");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, read_record, free_record);
    tcase_add_loop_test(tcase, lane_functions_give_the_cards_bits, 0, SIM_LEVEL_COUNT);
    tcase_add_test(tcase, variants_that_are_not_covered);
    suite_add_tcase(suite, tcase);
    return suite;
}
