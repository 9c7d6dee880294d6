/* Reading the H200's record: the files, what the variants' texts presuppose, which of them this version computes, and
 * how near an approximate result must be. */
#include "tests/ops_record.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- Reading the record ---- */

unsigned ops_output_bits(const char *output)
{
    return *output == 'd' || *output == 'e' ? (unsigned)atoi(output + 1) : 1;
}

const char *ops_next_output(const char *output)
{
    const char *comma = strchr(output, ',');
    return comma ? comma + 1 : NULL;
}

void ops_record_path(const char *name, char *path, size_t size)
{
    const char *folder = getenv("srcdir");
    snprintf(path, size, "%s/%s%s", folder ? folder : ".", OPS_RECORD, name);
}

/* The bytes a variant's results take. */
static uint64_t stored_bytes(const struct ops_variant *v)
{
    uint64_t bytes = 0;
    for (const char *output = v->outputs; output; output = ops_next_output(output))
        bytes += (ops_output_bits(output) + 7) / 8;
    return bytes * v->stored;
}

static bool parse_line(const struct ops_record *record, const char *line, struct ops_variant *v)
{
    struct validate_ops_counts counts;
    return sscanf(line, "%" SCNu64 "\t%u\t%u\t%" SCNx64 "\t%63[^\t]\t%31[^\t]\t%399[^\n]", &v->offset, &v->stored,
                  &v->total, &v->hash, v->classes, v->outputs, v->text) == 7 &&
           validate_ops_counts(v->classes, &counts) && counts.stored == v->stored && counts.total == v->total &&
           v->offset + stored_bytes(v) <= record->size;
}

uint8_t *ops_read_gz(const char *path, size_t *size)
{
    gzFile file = gzopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    uint8_t *data = NULL;
    size_t capacity = 0;
    *size = 0;
    for (int got = 1; got > 0; *size += (size_t)got) {
        if (capacity - *size < 1U << 20) {
            capacity = capacity * 2 + (1U << 21);
            data = realloc(data, capacity);
            ck_assert_ptr_nonnull(data);
        }
        got = gzread(file, data + *size, (unsigned)(1U << 20));
        ck_assert_int_ge(got, 0);
    }
    gzclose(file);
    return data;
}

void ops_record_read(struct ops_record *record)
{
    char path[1024], line[640];
    memset(record, 0, sizeof *record);
    ops_record_path("results.bin.gz", path, sizeof path);
    record->data = ops_read_gz(path, &record->size);
    ops_record_path("index.txt", path, sizeof path);
    FILE *index = fopen(path, "r");
    ck_assert_msg(index != NULL, "cannot open %s", path);
    for (size_t capacity = 0; fgets(line, sizeof line, index); record->count++) {
        if (record->count == capacity) {
            capacity = capacity * 2 + 4096;
            record->variants = realloc(record->variants, capacity * sizeof *record->variants);
            ck_assert_ptr_nonnull(record->variants);
        }
        ck_assert_msg(parse_line(record, line, &record->variants[record->count]), "index.txt: %s", line);
    }
    fclose(index);
}

void ops_record_free(struct ops_record *record)
{
    for (size_t i = 0; i < record->set_count; i++)
        free(record->sets[i].tuples);
    free(record->data);
    free(record->variants);
    memset(record, 0, sizeof *record);
}

/* Not checked by Check's macros: those write to a pipe at every pass. */
const uint64_t (*ops_operands(struct ops_record *record, const struct ops_variant *v))[VALIDATE_OPS_SLOTS]
{
    for (size_t i = 0; i < record->set_count; i++)
        if (strcmp(record->sets[i].classes, v->classes) == 0)
            return (const uint64_t(*)[VALIDATE_OPS_SLOTS])record->sets[i].tuples;
    ck_assert_uint_lt(record->set_count, sizeof record->sets / sizeof *record->sets);
    const uint32_t count = (v->total + SIM_WARP_SIZE - 1) / SIM_WARP_SIZE * SIM_WARP_SIZE;
    struct operand_set *set = &record->sets[record->set_count++];
    set->classes = v->classes;
    set->tuples = calloc(count, sizeof *set->tuples);
    ck_assert_ptr_nonnull(set->tuples);
    for (uint32_t i = 0; i < count; i++)
        (void)validate_ops_operands(v->classes, i, set->tuples[i]);
    return (const uint64_t(*)[VALIDATE_OPS_SLOTS])set->tuples;
}

/* ---- The variants as PTX ---- */

static const char registers[] = ".reg .pred %q, %r, %o, %p; .reg .b16 %a16, %b16, %c16, %d16, %e16; "
                                ".reg .b32 %a32, %b32, %c32, %d32, %e32, %s; "
                                ".reg .b64 %a64, %b64, %c64, %d64, %e64, %g, %x, %y;";

struct isa_module *ops_record_module(const char *variant)
{
    char text[1600];
    snprintf(text, sizeof text,
             ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n%s\n%s\nret;\n}\n", registers,
             variant);
    struct isa_module *module = NULL;
    struct base_diags diags = {0};
    if (isa_ptx_read("variant.ptx", text, strlen(text), &module, &diags) != BASE_OK)
        module = NULL;
    base_diags_free(&diags);
    return module;
}

bool ops_record_is_atomic(const struct isa_insn *insn)
{
    return insn->op == ISA_OP_ATOM || insn->op == ISA_OP_RED;
}

bool ops_record_is_covered(const struct isa_function *f, enum sim_level level)
{
    for (size_t i = 0; i < f->insn_count; i++) {
        const struct isa_insn *insn = &f->insns[i];
        if (insn->op == ISA_OP_RET || insn->op == ISA_OP_EXIT)
            continue;
        if (insn->op == ISA_OP_UNSUPPORTED ||
            (ops_record_is_atomic(insn) ? !sim_atom_supported(insn->mods.mode, insn->type)
                                        : sim_exec_find(insn, level) == NULL))
            return false;
    }
    return true;
}

uint64_t ops_recorded(const struct ops_record *record, const struct ops_variant *v, unsigned output_index, uint32_t i)
{
    uint64_t at = v->offset, value = 0;
    unsigned bytes = 0, n = 0;
    for (const char *output = v->outputs; output && n <= output_index; output = ops_next_output(output), n++) {
        at += n > 0 ? (uint64_t)bytes * v->stored : 0;
        bytes = (ops_output_bits(output) + 7) / 8;
    }
    at += (uint64_t)bytes * i;
    memcpy(&value, record->data + at, bytes);
    return value;
}

/* ---- Approximate instructions: what the PTX ISA states ----
 *
 * PTX ISA 9.0, section of each instruction: a bound on the absolute error (where `reach` is not 0, for |a| up to it),
 * on the relative error, or on the units in the last place. Where it states none, the bits must be the card's. */

#define PI 3.14159265358979323846
static const struct ops_bound bounds[] = {
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

const struct ops_bound *ops_bound_of(const char *text)
{
    for (size_t i = 0; i < ops_bound_count(); i++)
        if (strncmp(text, bounds[i].prefix, strlen(bounds[i].prefix)) == 0)
            return &bounds[i];
    return NULL;
}

static double number(uint64_t bits, const struct ops_bound *b)
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

/* Values that the stated errors are not about: NaN, infinity, zero, what .ftz flushes, and the ends of the range that
 * div.approx treats apart. There only the card's bits do. */
static bool is_special(const char *text, const struct ops_bound *b, double a, double y, double want)
{
    const double least_normal = ldexp(1, 2 - (1 << (b->exponent_bits - 1)));
    const double largest = ldexp(2, (1 << (b->exponent_bits - 1)) - 1);
    const bool trigonometric = *text == 's' && text[1] == 'i', ftz = strstr(text, ".ftz") != NULL;
    if (isnan(want) || want == 0 || fabs(want) >= largest)
        return true;
    if ((ftz || trigonometric) && (fabs(a) < least_normal || fabs(want) < least_normal))
        return true;
    /* A subnormal divisor has no stated bound without .ftz; the bound of normal ones is asked of it too. */
    if (*text == 'd' && ftz && fabs(y) < least_normal)
        return true;
    return strncmp(text, "div.approx", 10) == 0 && fabs(y) > largest / 4;
}

static enum ops_verdict judge(const char *text, const struct ops_bound *b, double a, double y, double got)
{
    const double want = exact(text, a, y), error = fabs(got - want);
    const double least_normal = ldexp(1, 2 - (1 << (b->exponent_bits - 1)));
    double most = b->absolute;
    if (is_special(text, b, a, y, want))
        return OPS_SPECIAL;
    if (b->reach != 0 && fabs(a) > b->reach) /* sine and cosine: 2 ** -14.7 up to 100 pi, then nothing but the range */
        most = fabs(a) <= 100 * PI ? 0x1p-14 * 0.6155722066724582 : 2;
    else if (strncmp(text, "lg2", 3) == 0 && a > 0.5 && a < 2)
        most = b->absolute;
    else if (b->relative != 0)
        most = b->relative * fmax(fabs(want), least_normal);
    else if (b->ulp != 0)
        most = b->ulp * ldexp(fmax(ldexp(1, ilogb(want)), least_normal), -(int)b->mantissa_bits);
    return error <= most ? OPS_WITHIN : OPS_BEYOND; /* beyond too: NaN and infinity */
}

enum ops_verdict ops_judge(const char *text, const struct ops_bound *b, const uint64_t *slots, unsigned part,
                           uint64_t got)
{
    const unsigned bits = 1 + b->mantissa_bits + b->exponent_bits, shift = part * bits;
    const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return judge(text, b, number(slots[0] >> shift & mask, b), number(slots[1] >> shift & mask, b),
                 number(got >> shift & mask, b));
}

unsigned ops_parts(const char *text)
{
    return strstr(text, "f16x2") != NULL ? 2 : 1; /* bf16x2 too; "ex2" is no pair */
}

bool ops_is_near(const struct ops_variant *v, const struct ops_bound *b, const uint64_t *slots, uint64_t got,
                 uint64_t want)
{
    const unsigned bits = 1 + b->mantissa_bits + b->exponent_bits;
    for (unsigned part = 0; part < ops_parts(v->text); part++) {
        const uint64_t mask = bits == 64 ? UINT64_MAX : ((UINT64_C(1) << bits) - 1) << (part * bits);
        if ((got & mask) != (want & mask) && ops_judge(v->text, b, slots, part, got) != OPS_WITHIN)
            return false;
    }
    return true;
}

size_t ops_bound_count(void)
{
    return sizeof bounds / sizeof *bounds;
}

const struct ops_bound *ops_bound_at(size_t i)
{
    return &bounds[i];
}
