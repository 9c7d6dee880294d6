/* The operands of the instruction records. Every value follows from its class, its slot and the tuple's number: corner
 * values crossed first (all pairs for two operands, a sample for three), then a mixture drawn from splitmix64: corners
 * again, random bits, numbers of everyday size, integers and halves, numbers half way between two of a narrower format,
 * subnormals, and operands that are related to the earlier ones (equal, near, products near the ends of the range,
 * addends near the product). A single 16-bit operand takes all its 65,536 values. */
#include "validate/ops/operands.h"

#include <stddef.h>
#include <string.h>

enum kind { KIND_INT, KIND_FLOAT, KIND_SHIFT, KIND_NIBBLE };

struct class_info {
    const char *name;
    uint8_t kind;
    uint8_t bits;  /* of one element */
    uint8_t count; /* elements: 1, or 2 when packed */
    uint8_t mantissa_bits;
};

static const struct class_info class_table[] = {
    {"b8", KIND_INT, 8, 1, 0},        {"u8", KIND_INT, 8, 1, 0},        {"s8", KIND_INT, 8, 1, 0},
    {"b16", KIND_INT, 16, 1, 0},      {"u16", KIND_INT, 16, 1, 0},      {"s16", KIND_INT, 16, 1, 0},
    {"b32", KIND_INT, 32, 1, 0},      {"u32", KIND_INT, 32, 1, 0},      {"s32", KIND_INT, 32, 1, 0},
    {"b64", KIND_INT, 64, 1, 0},      {"u64", KIND_INT, 64, 1, 0},      {"s64", KIND_INT, 64, 1, 0},
    {"u16x2", KIND_INT, 16, 2, 0},    {"s16x2", KIND_INT, 16, 2, 0},    {"f16", KIND_FLOAT, 16, 1, 10},
    {"bf16", KIND_FLOAT, 16, 1, 7},   {"f32", KIND_FLOAT, 32, 1, 23},   {"f64", KIND_FLOAT, 64, 1, 52},
    {"f16x2", KIND_FLOAT, 16, 2, 10}, {"bf16x2", KIND_FLOAT, 16, 2, 7}, {"e4m3x2", KIND_FLOAT, 8, 2, 3},
    {"e5m2x2", KIND_FLOAT, 8, 2, 2},  {"shift", KIND_SHIFT, 32, 1, 0},  {"nib", KIND_NIBBLE, 32, 1, 0},
};

#define CORNERS 22

static uint64_t mask_of(unsigned bits)
{
    return bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

static uint64_t draw(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t corner_int(unsigned bits, unsigned n)
{
    const uint64_t top = UINT64_C(1) << (bits - 1), middle = UINT64_C(1) << (bits / 2);
    const uint64_t value[CORNERS] = {0,
                                     1,
                                     2,
                                     3,
                                     7,
                                     31,
                                     32,
                                     10,
                                     top - 1,
                                     top,
                                     top + 1,
                                     ~UINT64_C(0),
                                     ~UINT64_C(0) - 1,
                                     ~UINT64_C(0) - 9,
                                     middle - 1,
                                     middle,
                                     middle + 1,
                                     UINT64_C(0x5555555555555555),
                                     UINT64_C(0xaaaaaaaaaaaaaaaa),
                                     top >> 1,
                                     0xff,
                                     0x80};
    return value[n] & mask_of(bits);
}

static uint64_t corner_float(const struct class_info *info, unsigned n)
{
    const unsigned m = info->mantissa_bits;
    const uint64_t sign = UINT64_C(1) << (info->bits - 1), one_ulp = 1, quiet = UINT64_C(1) << (m - 1);
    const uint64_t infinity = mask_of(info->bits - 1U - m) << m, bias = mask_of(info->bits - 2U - m);
    const uint64_t one = bias << m, least_normal = UINT64_C(1) << m;
    const uint64_t value[CORNERS] = {0,
                                     sign,
                                     one,
                                     sign | one,
                                     (bias + 1) << m,
                                     (bias - 1) << m,
                                     one | quiet,
                                     ((bias + 1) << m) | quiet,
                                     one_ulp,
                                     sign | one_ulp,
                                     least_normal - 1,
                                     least_normal,
                                     sign | least_normal,
                                     infinity - 1,
                                     sign | (infinity - 1),
                                     infinity,
                                     sign | infinity,
                                     mask_of(info->bits - 1U),
                                     sign | infinity | quiet | (quiet >> 1),
                                     infinity | one_ulp,
                                     one + 1,
                                     one - 1};
    return value[n];
}

static uint64_t corner_shift(unsigned n)
{
    static const uint32_t value[CORNERS] = {0,  1,  2,  4,  8,   15,  16,  17,  31,       32,          33,
                                            48, 63, 64, 65, 127, 128, 255, 256, 0x10000U, 0x80000000U, 0xffffffffU};
    return value[n];
}

static uint64_t corner_nibble(unsigned n)
{
    static const uint32_t value[CORNERS] = {0x3210, 0x7654, 0x0123, 0x4567, 0x8888,      0xfedc,     0xba98, 0x0000,
                                            0xffff, 0x1054, 0x5410, 0x7632, 0x6420,      0x7531,     0xc840, 0x0001,
                                            0x0002, 0x0003, 0x0004, 0x0007, 0xffff3210U, 0x00010000U};
    return value[n];
}

static uint64_t corner(const struct class_info *info, unsigned n)
{
    switch (info->kind) {
    case KIND_FLOAT:
        return corner_float(info, n);
    case KIND_SHIFT:
        return corner_shift(n);
    case KIND_NIBBLE:
        return corner_nibble(n);
    default:
        return corner_int(info->bits, n);
    }
}

/* Low bits of a mantissa or integer such that it lies half way, or one step beside, at a random cut. */
static uint64_t half_way(uint64_t value, unsigned bits, uint64_t random)
{
    const unsigned cut = 1 + (unsigned)(random % bits);
    const uint64_t half = UINT64_C(1) << (cut - 1), low = mask_of(cut);
    const uint64_t pattern[4] = {half, half - 1, half + 1, 0};
    return (value & ~low) | (pattern[(random >> 8) % 4] & low);
}

static uint64_t mixed_int(const struct class_info *info, const uint64_t *earlier, unsigned slot, uint64_t *state)
{
    const unsigned bits = info->bits;
    const uint64_t choice = draw(state), random = draw(state), more = draw(state);
    const uint64_t small = random >> (63 - more % bits); /* 1 + more % bits random bits */
    uint64_t value;
    switch (choice % 8) {
    case 0:
    case 1:
        value = corner_int(bits, (unsigned)(random % CORNERS));
        break;
    case 2:
    case 3:
        value = random;
        break;
    case 4:
        value = small;
        break;
    case 5:
        value = ~small;
        break;
    case 6:
        value = half_way(small, bits, draw(state));
        break;
    default:
        value = slot == 0 ? random : earlier[0] + random % 5 - 2;
        break;
    }
    return value & mask_of(bits);
}

static uint64_t clamp_exponent(int64_t exponent, uint64_t most)
{
    return exponent < 0 ? 0 : (uint64_t)exponent > most ? most : (uint64_t)exponent;
}

/* An operand chosen by those before it: see the list at the top of the file. */
static uint64_t related_float(const struct class_info *info, const uint64_t *earlier, unsigned slot, uint64_t *state)
{
    const unsigned m = info->mantissa_bits;
    const uint64_t finite = mask_of(info->bits - 1U - m) - 1, random = draw(state), choice = draw(state);
    const int64_t bias = (int64_t)mask_of(info->bits - 2U - m);
    const int64_t e0 = (int64_t)((earlier[0] >> m) & (finite + 1)), e1 = (int64_t)((earlier[1] >> m) & (finite + 1));
    const int64_t near = (int64_t)(draw(state) % (m + 4U));
    int64_t exponent;
    if (slot == 2) {
        exponent = e0 + e1 - bias + 2 * near - (int64_t)m - 3;
    } else {
        switch (choice % 6) {
        case 0:
            return earlier[0];
        case 1:
            return earlier[0] ^ (UINT64_C(1) << (info->bits - 1));
        case 2:
            return (earlier[0] + random % 5 - 2) & mask_of(info->bits);
        case 3:
            exponent = bias - e0 + 3 - near;
            break;
        case 4:
            exponent = (int64_t)finite + bias - e0 + 1 - near % 3;
            break;
        default:
            exponent = random & 1 ? e0 + bias - 3 + near : e0 - bias + near % 3;
            break;
        }
    }
    const uint64_t mantissa = choice & 64 ? half_way(random, m, choice >> 8) : random;
    return (random >> 63 << (info->bits - 1)) | (clamp_exponent(exponent, finite) << m) | (mantissa & mask_of(m));
}

/* An integer, or an integer and a half, quarter or eighth. */
static uint64_t fraction_float(const struct class_info *info, uint64_t *state)
{
    const unsigned m = info->mantissa_bits;
    const uint64_t random = draw(state), more = draw(state);
    const unsigned top = (unsigned)(more % (m + 1U)); /* the integer has top + 1 bits */
    const uint64_t integer = (random & mask_of(top)) << (m - top);
    const int64_t exponent = (int64_t)mask_of(info->bits - 2U - m) + top - (int64_t)((more >> 16) % 4);
    return (random >> 63 << (info->bits - 1)) | (clamp_exponent(exponent, mask_of(info->bits - 1U - m) - 1) << m) |
           (integer & mask_of(m));
}

static uint64_t mixed_float(const struct class_info *info, const uint64_t *earlier, unsigned slot, uint64_t *state)
{
    static const uint8_t spread[16] = {0, 0, 0, 0, 0, 0, 0, 4, 4, 16, 140, 0, 16, 140, 0, 0};
    const unsigned m = info->mantissa_bits;
    const uint64_t choice = draw(state) % 16, random = draw(state), more = draw(state);
    const uint64_t sign = random >> 63 << (info->bits - 1);
    const int64_t bias = (int64_t)mask_of(info->bits - 2U - m);
    switch (choice) {
    case 0:
    case 1:
    case 2:
        return corner_float(info, (unsigned)(random % CORNERS));
    case 3:
    case 4:
    case 5:
        return random & mask_of(info->bits);
    case 6:
    case 14:
        return slot == 0 ? random & mask_of(info->bits) : related_float(info, earlier, slot, state);
    case 11:
        return fraction_float(info, state);
    case 15:
        return sign | (random & mask_of(m));
    default: {
        const int64_t offset = (int64_t)(more % (2U * spread[choice] + 1U)) - spread[choice];
        const uint64_t mantissa = choice >= 12 ? half_way(random, m, more >> 16) : random;
        return sign | (clamp_exponent(bias + offset, mask_of(info->bits - 1U - m) - 1) << m) | (mantissa & mask_of(m));
    }
    }
}

static uint64_t mixed(const struct class_info *info, const uint64_t *earlier, unsigned slot, uint64_t *state)
{
    if (info->kind == KIND_FLOAT)
        return mixed_float(info, earlier, slot, state);
    if (info->kind == KIND_INT)
        return mixed_int(info, earlier, slot, state);
    const uint64_t choice = draw(state), random = draw(state);
    if (choice % 4 == 0)
        return corner(info, (unsigned)(random % CORNERS));
    return info->kind == KIND_SHIFT ? random % 70 : random & UINT32_MAX;
}

static size_t parse_classes(const char *classes, const struct class_info *info[3])
{
    size_t count = 0;
    for (const char *at = classes; *at;) {
        const size_t length = strcspn(at, ",");
        const struct class_info *found = NULL;
        for (size_t i = 0; i < sizeof class_table / sizeof *class_table; i++)
            if (strlen(class_table[i].name) == length && memcmp(class_table[i].name, at, length) == 0)
                found = &class_table[i];
        if (!found || count == 3)
            return 0;
        info[count++] = found;
        at += length + (at[length] == ',');
    }
    return count;
}

/* The single operand is narrow enough for all its values to be tried. */
static bool is_exhaustive(size_t count, const struct class_info *const *info)
{
    return count == 1 && (info[0]->bits == 16 || info[0]->bits == 8);
}

static uint32_t stored_count(size_t count)
{
    return count == 1 ? 384 : 768;
}

bool validate_ops_counts(const char *classes, struct validate_ops_counts *counts)
{
    const struct class_info *info[3];
    const size_t count = parse_classes(classes, info);
    if (count == 0)
        return false;
    counts->stored = stored_count(count);
    counts->total = is_exhaustive(count, info) ? counts->stored + 65536 : 16384;
    return true;
}

static uint64_t element(size_t count, const struct class_info *const *info, uint32_t i, unsigned slot, unsigned part,
                        const uint64_t *earlier)
{
    const struct class_info *own = info[slot];
    if (is_exhaustive(count, info) && i >= stored_count(count)) {
        const uint32_t n = i - stored_count(count);
        if (own->bits == 8)
            return (own->count == 2 && part == 1 ? n >> 8 : n) & 0xff;
        return (part == 0 ? n : n * 0x9e37U + 0x1234U) & 0xffff;
    }
    if (count == 1 && i < CORNERS)
        return corner(own, part == 0 ? i : (i * 5 + 11) % CORNERS);
    if (count == 2 && i < CORNERS * CORNERS) {
        const uint32_t pair = part == 0 ? i : (i * 5 + 11) % (CORNERS * CORNERS);
        return corner(own, slot == 0 ? pair / CORNERS : pair % CORNERS);
    }
    uint64_t state = ((uint64_t)i * 8 + slot * 2 + part) * UINT64_C(0xd1342543de82ef95);
    if (count == 3 && i < stored_count(count) / 2)
        return corner(own, (unsigned)(draw(&state) % CORNERS));
    return mixed(own, earlier, slot, &state);
}

bool validate_ops_operands(const char *classes, uint32_t i, uint64_t slot[VALIDATE_OPS_SLOTS])
{
    const struct class_info *info[3];
    const size_t count = parse_classes(classes, info);
    if (count == 0)
        return false;
    uint64_t parts[2][3] = {{0}};
    for (unsigned s = 0; s < 3; s++) {
        slot[s] = 0;
        for (unsigned part = 0; s < count && part < info[s]->count; part++) {
            parts[part][s] = element(count, info, i, s, part, parts[part]);
            slot[s] |= parts[part][s] << (part * info[s]->bits);
        }
    }
    uint64_t state = ~(uint64_t)i;
    slot[3] = draw(&state) & 3;
    return true;
}

uint64_t validate_ops_hash(uint64_t hash, uint64_t value)
{
    hash = (hash ^ (value & UINT32_MAX)) * UINT64_C(0x100000001b3);
    return (hash ^ (value >> 32)) * UINT64_C(0x100000001b3);
}
