/* The operands of the tensor records. Every value follows from its class, its register, its lane and the tuple's
 * number.
 *
 * A kind of tuple is a way of choosing signs, exponents and fractions that lays one part of the arithmetic bare:
 * 0 numbers of everyday size; 1 any finite bits; 2 products of one size, an addend far above or below them; 3 mostly
 * zeros, the rest far apart; 4 neighbours that cancel all but their last bits; 5 powers of two far apart; 6 subnormals;
 * 7 with infinities, NaN, negative zeros and the largest numbers; 8 sums near overflow; 9 any bits;
 * 10 zeros of both signs and products about as small as the smallest sums. */
#include "tests/tensor_operands.h"

#include <stdlib.h>
#include <string.h>

enum kind { KIND_BITS, KIND_FLOAT, KIND_ROW, KIND_ROWS };

struct class_info {
    const char *name;
    uint8_t kind;
    uint8_t bits, count; /* of an element; elements in a register (f64: one in two) */
    uint8_t mantissa_bits, exponent_bits;
};

static const struct class_info class_table[] = {
    {"b32", KIND_BITS, 32, 1, 0, 0},    {"f16x2", KIND_FLOAT, 16, 2, 10, 5}, {"bf16x2", KIND_FLOAT, 16, 2, 7, 8},
    {"tf32", KIND_FLOAT, 32, 1, 23, 8}, {"f32", KIND_FLOAT, 32, 1, 23, 8},   {"f64", KIND_FLOAT, 64, 1, 52, 11},
    {"s32", KIND_BITS, 32, 1, 0, 0},    {"s8x4", KIND_BITS, 32, 1, 0, 0},    {"row", KIND_ROW, 32, 1, 0, 0},
    {"rows", KIND_ROWS, 32, 1, 0, 0},
};

static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

struct place { /* which value is wanted */
    uint32_t kind;
    uint64_t seed; /* of the tuple */
    bool is_first, is_addend;
};

/* A float by sign, exponent relative to 1.0 and fraction; exponents out of range become the nearest in it. */
static uint64_t compose(const struct class_info *info, bool sign, int exponent, uint64_t fraction)
{
    const int bias = (1 << (info->exponent_bits - 1)) - 1, top = 2 * bias;
    int field = exponent + bias;
    field = field < 0 ? 0 : field > top ? top : field;
    const uint64_t mantissa = fraction & ((UINT64_C(1) << info->mantissa_bits) - 1);
    return (uint64_t)sign << (info->bits - 1) | (uint64_t)field << info->mantissa_bits | mantissa;
}

static uint64_t special(const struct class_info *info, uint64_t r)
{
    const int bias = (1 << (info->exponent_bits - 1)) - 1;
    const uint64_t sign = (r >> 8 & 1) << (info->bits - 1), m = info->mantissa_bits;
    const uint64_t infinity = (uint64_t)(2 * bias + 1) << m;
    switch (r % 8) {
    case 0:
    case 1:
        return sign | infinity;
    case 2:
        return sign | infinity | 1 | (r >> 16 & 1) << (m - 1);
    case 3:
    case 4:
        return UINT64_C(1) << (info->bits - 1);
    case 5:
        return sign | (infinity - 1);
    default:
        return sign;
    }
}

static uint64_t float_bits(const struct class_info *info, const struct place *p, uint64_t r, uint32_t element)
{
    const int bias = (1 << (info->exponent_bits - 1)) - 1, span = (int)(p->seed >> 8 & 31) - 15;
    const bool sign = r & 1;
    const uint64_t fraction = r >> 8;
    const uint32_t pick = (uint32_t)(r >> 1 & 0x7f);
    switch (p->kind) {
    case 0:
        return compose(info, sign, -(int)(pick % 4), fraction);
    case 1:
        return compose(info, sign, (int)(fraction >> 40 & 0xffff) % (2 * bias + 1) - bias, fraction);
    case 2:
        return p->is_addend ? compose(info, sign, 2 * span + (int)(pick & 1), fraction)
                            : compose(info, sign, 0, fraction);
    case 3:
        if (!p->is_addend && pick % 4 != 0)
            return 0;
        return compose(info, sign, (int)(fraction >> 50 & 31) - 16, fraction);
    case 4: /* a register's second element is the first's opposite in the first matrix, the same in the other,
             * but for the last bit */
        if (element == 1)
            return compose(info, sign != p->is_first, 0, (r ^ (mix(r) & 1)) >> 8);
        return p->is_addend ? compose(info, sign, -span, fraction) : compose(info, sign, 0, fraction);
    case 5:
        if (pick % 8 == 0)
            return 0;
        return compose(info, sign, (int)(fraction % 31) - 15 + (p->is_addend ? span / 2 : 0), 0);
    case 6:
        return compose(info, sign, -bias + (int)(pick % (p->is_addend ? 3 : 12)) - 1, fraction);
    case 7:
        return pick < 3 ? special(info, fraction) : compose(info, sign, -(int)(pick % 4), fraction);
    case 8:
        return p->is_addend ? compose(info, sign, bias - (int)(pick % 2), fraction)
                            : compose(info, sign, (bias + 1) / 2 - (int)(pick % 3), fraction);
    case 10: {
        const int least = info->exponent_bits == 5 ? -12 : -(bias + (int)info->mantissa_bits) / 2;
        if (pick % 2 == 0)
            return compose(info, sign, -bias, 0);
        return p->is_addend ? compose(info, sign, -bias, fraction & 7)
                            : compose(info, sign, least + (int)(pick / 2 % 5) - 2, fraction);
    }
    default:
        return info->bits == 64 ? r : r & ((UINT64_C(1) << info->bits) - 1);
    }
}

static uint32_t integer_bits(const struct class_info *info, const struct place *p, uint64_t r)
{
    const uint32_t word = (uint32_t)(r >> 20);
    if (info->name[0] == 'b' || info->bits != 32)
        return word;
    if (strcmp(info->name, "s8x4") == 0 && p->kind % 2 == 1) /* the ends of the range */
        return (r & 3) == 0 ? UINT32_C(0x80808080) : (r & 3) == 1 ? UINT32_C(0x7f7f7f7f) : word | UINT32_C(0x80808080);
    if (strcmp(info->name, "s32") == 0)
        return p->kind % 3 == 0   ? word & 0xffff
               : p->kind % 3 == 1 ? UINT32_C(0x7fffffff) - (word & 0xfffff)
                                  : UINT32_C(0x80000000) + (word & 0xfffff);
    return word;
}

/* Rows of 16 bytes in the kernel's shared memory of 4096 bytes: any, or 32 different ones in the first 512. */
static uint32_t row_bits(const struct class_info *info, const struct place *p, uint64_t r, uint32_t lane)
{
    if (info->kind == KIND_ROW)
        return (uint32_t)(r % 256) * 16;
    const uint32_t odd = (uint32_t)(p->seed & 15) * 2 + 1, first = (uint32_t)(p->seed >> 4 & 31);
    return (lane * odd + first) % 32 * 16;
}

static const struct class_info *parse_class(const char **at, uint32_t *count)
{
    const size_t length = strcspn(*at, ":");
    for (size_t i = 0; i < sizeof class_table / sizeof *class_table; i++)
        if (strlen(class_table[i].name) == length && strncmp(class_table[i].name, *at, length) == 0) {
            *count = (*at)[length] == ':' ? (uint32_t)strtoul(*at + length + 1, NULL, 10) : 1;
            *at += strcspn(*at, ",");
            *at += **at == ',';
            return &class_table[i];
        }
    return NULL;
}

uint32_t tensor_operand_words(const char *classes)
{
    uint32_t words = 0, count = 0;
    while (*classes) {
        const struct class_info *info = parse_class(&classes, &count);
        if (!info)
            return 0;
        words += count * (info->bits == 64 ? 2U : 1U);
    }
    return words <= TENSOR_WORDS ? words : 0;
}

static void fill(const struct class_info *info, struct place *p, uint32_t r, uint32_t lane, uint32_t word[][32])
{
    const uint64_t random = mix(p->seed ^ mix((uint64_t)r << 8 | lane));
    uint64_t value = 0;
    if (info->kind == KIND_FLOAT) {
        value = float_bits(info, p, random, 0);
        if (info->count == 2) /* of its own, but for the kind that makes neighbours cancel */
            value |= float_bits(info, p, p->kind == 4 ? random : mix(random), 1) << 16;
    } else if (info->kind == KIND_BITS) {
        value = integer_bits(info, p, random);
    } else {
        value = row_bits(info, p, random, lane);
    }
    word[0][lane] = (uint32_t)value;
    if (info->bits == 64)
        word[1][lane] = (uint32_t)(value >> 32);
}

bool tensor_operands(const char *classes, uint32_t i, uint32_t word[TENSOR_WORDS][32])
{
    struct place p = {.kind = i % TENSOR_KINDS, .seed = mix(i), .is_first = true};
    uint32_t at = 0, count = 0;
    if (!tensor_operand_words(classes))
        return false;
    while (*classes) {
        const struct class_info *info = parse_class(&classes, &count);
        p.is_addend = *classes == '\0'; /* the accumulator comes last */
        for (uint32_t n = 0; n < count; n++, at += info->bits == 64 ? 2 : 1)
            for (uint32_t lane = 0; lane < 32; lane++)
                fill(info, &p, at, lane, word + at);
        p.is_first = false;
    }
    return true;
}
