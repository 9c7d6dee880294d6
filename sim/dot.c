/* Sums of products as tensor cores make them. */
#include "sim/dot.h"

#include "isa/isa.h"

/* Terms are not lined up at less than 2 to this: seen with products of .tf32 near the smallest sums. */
#define LEAST_EXPONENT (-133)

/* A floating-point type: fraction bits stored, bits of the exponent, and how many low bits the tensor core drops. */
struct format {
    uint8_t fraction, exponent, dropped;
};

static struct format format_of(uint8_t type)
{
    switch (type) {
    case ISA_TYPE_F16:
        return (struct format){10, 5, 0};
    case ISA_TYPE_BF16:
        return (struct format){7, 8, 0};
    case ISA_TYPE_TF32:
        return (struct format){23, 8, 13};
    default:
        return (struct format){23, 8, 0};
    }
}

/* Fraction bits of a value that sim_dot_unpack() has made. */
static int fraction_of(uint8_t type)
{
    const struct format format = format_of(type);
    return format.fraction - format.dropped;
}

struct sim_dot_value sim_dot_unpack(uint32_t bits, uint8_t type)
{
    const struct format format = format_of(type);
    const uint32_t fraction_bits = (uint32_t)format.fraction - format.dropped;
    const uint32_t kept = bits >> format.dropped; /* a NaN whose payload is dropped becomes an infinity */
    const uint32_t field = kept >> fraction_bits & ((1U << format.exponent) - 1);
    const uint32_t fraction = kept & ((1U << fraction_bits) - 1);
    const bool negative = (kept >> (fraction_bits + format.exponent) & 1) != 0;
    const int bias = (1 << (format.exponent - 1)) - 1;
    struct sim_dot_value value = {(int32_t)fraction, (int16_t)(1 - bias), SIM_DOT_FINITE};
    if (field == (1U << format.exponent) - 1) {
        value.kind = fraction != 0 ? SIM_DOT_NAN : SIM_DOT_INFINITE;
        value.significand = 1;
    } else if (field != 0) {
        value.significand = (int32_t)(fraction | 1U << fraction_bits);
        value.exponent = (int16_t)((int)field - bias);
    }
    if (negative)
        value.significand = -value.significand;
    return value;
}

/* significand * 2 ** shift, cut toward zero; a profile's fraction_bits keep it in range. */
static int64_t scaled(int64_t significand, int shift)
{
    const uint64_t magnitude = (uint64_t)(significand < 0 ? -significand : significand);
    if (magnitude == 0 || shift <= -63)
        return 0;
    const int64_t result = (int64_t)(shift >= 0 ? magnitude << shift : magnitude >> -shift);
    return significand < 0 ? -result : result;
}

/* |sum| * 2 ** unit in `format`: cut off, or rounded to the nearest, ties to even. A result of zero is positive. */
static uint32_t pack(int64_t sum, int unit, struct format format, bool nearest)
{
    const int bias = (1 << (format.exponent - 1)) - 1, fraction = format.fraction;
    uint64_t magnitude = (uint64_t)(sum < 0 ? -sum : sum);
    const uint32_t sign = sum < 0 ? 1U << (format.exponent + format.fraction) : 0;
    if (magnitude == 0)
        return 0;
    const int top = 63 - __builtin_clzll(magnitude) + unit;
    const int last = (top < 1 - bias ? 1 - bias : top) - fraction; /* exponent of the last bit kept */
    const int drop = last - unit;
    if (drop >= 64)
        return 0;
    if (drop > 0) {
        const uint64_t rest = magnitude & ((UINT64_C(1) << drop) - 1), half = UINT64_C(1) << (drop - 1);
        magnitude >>= drop;
        if (nearest && (rest > half || (rest == half && (magnitude & 1) != 0)))
            magnitude++;
    } else {
        magnitude <<= -drop;
    }
    if (magnitude == 0)
        return 0;
    /* A carry out of the fraction moves the exponent up by itself. */
    const uint64_t hidden = UINT64_C(1) << fraction;
    const uint64_t bits =
        magnitude < hidden ? magnitude : ((uint64_t)(last + fraction + bias - 1) << fraction) + magnitude;
    const uint64_t infinity = ((UINT64_C(1) << format.exponent) - 1) << fraction;
    return sign | (uint32_t)(bits < infinity ? bits : infinity);
}

/* What infinities and NaN among the terms make of the sum; false: all terms are finite. */
struct specials {
    bool nan, positive, negative;
};

static void note_product(struct specials *specials, const struct sim_dot_value *a, const struct sim_dot_value *b)
{
    if (a->kind == SIM_DOT_FINITE && b->kind == SIM_DOT_FINITE)
        return;
    if (a->kind == SIM_DOT_NAN || b->kind == SIM_DOT_NAN || a->significand == 0 || b->significand == 0)
        specials->nan = true;
    else if ((a->significand < 0) != (b->significand < 0))
        specials->negative = true;
    else
        specials->positive = true;
}

static bool special_result(const struct specials *specials, uint8_t out, uint32_t *result)
{
    const bool half = out == ISA_TYPE_F16;
    if (specials->nan || (specials->positive && specials->negative))
        *result = half ? 0x7fffU : 0x7fffffffU;
    else if (specials->positive)
        *result = half ? 0x7c00U : 0x7f800000U;
    else if (specials->negative)
        *result = half ? 0xfc00U : 0xff800000U;
    else
        return false;
    return true;
}

/* One step: at most rule->products products. */
static uint32_t step(const struct sim_dot_value *a, const struct sim_dot_value *b, uint32_t count, int fraction,
                     struct sim_dot_value c, uint8_t out, uint32_t fraction_bits)
{
    const struct sim_dot_value one = {1, 0, SIM_DOT_FINITE};
    struct specials specials = {false, false, false};
    int largest = INT16_MIN; /* zeros have no exponent */
    uint32_t result;
    note_product(&specials, &c, &one);
    if (c.significand != 0)
        largest = c.exponent;
    for (uint32_t i = 0; i < count; i++) {
        const int exponent = a[i].exponent + b[i].exponent;
        note_product(&specials, &a[i], &b[i]);
        if (a[i].significand != 0 && b[i].significand != 0 && exponent > largest)
            largest = exponent;
    }
    if (special_result(&specials, out, &result))
        return result;
    if (largest < LEAST_EXPONENT)
        largest = LEAST_EXPONENT;
    const int unit = largest - (int)fraction_bits;
    int64_t sum = scaled(c.significand, c.exponent - fraction_of(out) - unit);
    for (uint32_t i = 0; i < count; i++)
        sum +=
            scaled((int64_t)a[i].significand * b[i].significand, a[i].exponent + b[i].exponent - 2 * fraction - unit);
    return pack(sum, unit, format_of(out), out == ISA_TYPE_F16);
}

uint32_t sim_dot(const struct sim_dot_value *a, const struct sim_dot_value *b, uint32_t count, uint8_t type, uint32_t c,
                 uint8_t out, const struct sim_dot_rule *rule)
{
    const int fraction = fraction_of(type);
    for (uint32_t at = 0; at < count; at += rule->products) {
        const uint32_t now = count - at < rule->products ? count - at : rule->products;
        c = step(a + at, b + at, now, fraction, sim_dot_unpack(c, out), out, rule->fraction_bits);
    }
    return c;
}
