/* One instruction, one thread. Integers are computed in 64 or 128 bits and cut; floating point by the host's own
 * arithmetic with its rounding mode set. A result that is NaN, and what is rarely used, is left to others. */
#include "tests/lane_reference.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide_bits;
__extension__ typedef __int128 wide_signed;

static uint64_t cut(uint64_t value, unsigned bits)
{
    return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

static int64_t extend(uint64_t value, unsigned bits)
{
    if (bits >= 64)
        return (int64_t)value;
    uint64_t sign = UINT64_C(1) << (bits - 1);
    return (int64_t)((cut(value, bits) ^ sign) - sign);
}

static bool is_signed(uint8_t type)
{
    return isa_types[type].class == ISA_CLASS_SIGNED;
}

static bool is_integer(uint8_t type)
{
    uint8_t class = isa_types[type].class;
    return type != ISA_TYPE_NONE &&
           (class == ISA_CLASS_SIGNED || class == ISA_CLASS_UNSIGNED || class == ISA_CLASS_UNTYPED);
}

/* A value of an integer type as a number. */
static wide_signed number(uint64_t value, uint8_t type)
{
    unsigned bits = isa_types[type].bits;
    return is_signed(type) ? (wide_signed)extend(value, bits) : (wide_signed)cut(value, bits);
}

static wide_signed least(uint8_t type)
{
    return is_signed(type) ? -((wide_signed)1 << (isa_types[type].bits - 1)) : 0;
}

static wide_signed most(uint8_t type)
{
    return ((wide_signed)1 << (isa_types[type].bits - (is_signed(type) ? 1 : 0))) - 1;
}

static wide_signed clamp(wide_signed x, uint8_t type)
{
    return x < least(type) ? least(type) : x > most(type) ? most(type) : x;
}

/* ---- Integers ---- */

static uint64_t product_part(const struct isa_insn *insn, uint64_t a, uint64_t b)
{
    unsigned bits = isa_types[insn->type].bits;
    wide_bits product;
    if (is_signed(insn->type))
        product = (wide_bits)(number(a, insn->type) * number(b, insn->type));
    else
        product = (wide_bits)a * b;
    return (uint64_t)(insn->mods.mode == ISA_PART_HI ? product >> bits : product);
}

static uint64_t product24(const struct isa_insn *insn, uint64_t a, uint64_t b)
{
    uint64_t product = is_signed(insn->type) ? (uint64_t)(extend(a, 24) * extend(b, 24)) : cut(a, 24) * cut(b, 24);
    return cut(insn->mods.mode == ISA_PART_HI ? product >> 16 : product, 32);
}

static bool multiply(const struct isa_insn *insn, const uint64_t a[4], bool carry_in, struct lane_result *out)
{
    unsigned bits = isa_types[insn->type].bits, result_bits = insn->mods.mode == ISA_PART_WIDE ? bits * 2 : bits;
    bool sat = (insn->mods.flags & ISA_FLAG_SAT) != 0;
    switch (insn->op) {
    case ISA_OP_MUL:
        out->value = cut(product_part(insn, a[0], a[1]), result_bits);
        return true;
    case ISA_OP_MUL24:
        out->value = product24(insn, a[0], a[1]);
        return true;
    case ISA_OP_MAD24:
        if (sat)
            out->value = cut((uint64_t)(int64_t)clamp(
                                 (wide_signed)extend(product24(insn, a[0], a[1]), 32) + extend(a[2], 32), insn->type),
                             32);
        else
            out->value = cut(product24(insn, a[0], a[1]) + a[2], 32);
        return true;
    default: {
        uint64_t part = cut(product_part(insn, a[0], a[1]), result_bits);
        if (sat) {
            out->value =
                cut((uint64_t)(int64_t)clamp((wide_signed)extend(part, bits) + extend(a[2], bits), insn->type), bits);
            return true;
        }
        wide_bits sum = (wide_bits)part + a[2] + (insn->op == ISA_OP_MADC && carry_in);
        out->value = cut((uint64_t)sum, result_bits);
        out->carry = sum >> result_bits != 0;
        return true;
    }
    }
}

static bool add_subtract(const struct isa_insn *insn, const uint64_t a[4], bool carry_in, struct lane_result *out)
{
    unsigned bits = isa_types[insn->type].bits;
    bool extended = insn->op == ISA_OP_ADDC || insn->op == ISA_OP_SUBC,
         adds = insn->op == ISA_OP_ADD || insn->op == ISA_OP_ADDC;
    uint64_t in = extended && carry_in;
    if ((insn->mods.flags & ISA_FLAG_SAT) != 0) {
        wide_signed x = number(a[0], insn->type), y = number(a[1], insn->type);
        out->value = cut((uint64_t)(int64_t)clamp(adds ? x + y : x - y, insn->type), bits);
        return true;
    }
    wide_bits result = adds ? (wide_bits)a[0] + a[1] + in : (wide_bits)a[0] - a[1] - in;
    out->value = cut((uint64_t)result, bits);
    out->carry = (result >> bits & 1) != 0; /* a borrow fills all higher bits */
    return true;
}

/* Position and length of bfe and bfi: their low bytes for 32 bits; all of them for 64, as the H200 has it. */
static uint64_t field_number(unsigned bits, uint64_t value)
{
    return bits == 32 ? value & 0xff : value < 64 ? value : 64;
}

static uint64_t bit_field(const struct isa_insn *insn, uint64_t a, uint64_t b, uint64_t c)
{
    unsigned bits = isa_types[insn->type].bits, at = (unsigned)field_number(bits, b),
             length = (unsigned)field_number(bits, c);
    bool fill = false;
    if (is_signed(insn->type) && length != 0) {
        unsigned sign = at + length - 1 < bits - 1 ? at + length - 1 : bits - 1;
        fill = (a >> sign & 1) != 0;
    }
    uint64_t d = 0;
    for (unsigned i = 0; i < bits; i++) {
        bool bit = i < length && at + i < bits ? (a >> (at + i) & 1) != 0 : fill;
        d |= (uint64_t)bit << i;
    }
    return d;
}

static uint64_t insert_field(unsigned bits, uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    unsigned at = (unsigned)field_number(bits, c), length = (unsigned)field_number(bits, e);
    for (unsigned i = 0; i < length && at + i < bits; i++) {
        uint64_t bit = UINT64_C(1) << (at + i);
        b = (a >> i & 1) != 0 ? b | bit : b & ~bit;
    }
    return b;
}

static uint64_t find_leading(const struct isa_insn *insn, uint64_t a)
{
    unsigned bits = isa_types[insn->type].bits;
    if (is_signed(insn->type) && extend(a, bits) < 0)
        a = cut(~a, bits);
    for (unsigned i = bits; i-- > 0;)
        if ((a >> i & 1) != 0)
            return (insn->mods.flags & ISA_FLAG_SHIFTAMT) != 0 ? bits - 1 - i : i;
    return UINT32_MAX;
}

static bool count_bits(const struct isa_insn *insn, const uint64_t a[4], struct lane_result *out)
{
    unsigned bits = isa_types[insn->type].bits;
    bool wraps = insn->mods.mode2 == ISA_WRAP_WRAP;
    out->value = 0;
    switch (insn->op) {
    case ISA_OP_POPC:
        for (unsigned i = 0; i < bits; i++)
            out->value += a[0] >> i & 1;
        return true;
    case ISA_OP_CLZ:
        while (out->value < bits && (a[0] >> (bits - 1 - out->value) & 1) == 0)
            out->value++;
        return true;
    case ISA_OP_BREV:
        for (unsigned i = 0; i < bits; i++)
            out->value |= (a[0] >> i & 1) << (bits - 1 - i);
        return true;
    case ISA_OP_BFIND:
        out->value = find_leading(insn, a[0]);
        return true;
    case ISA_OP_BFE:
        out->value = bit_field(insn, a[0], a[1], a[2]);
        return true;
    case ISA_OP_BFI:
        out->value = insert_field(bits, a[0], a[1], a[2], a[3]);
        return true;
    case ISA_OP_BMSK: {
        uint64_t at = wraps ? a[0] & 31 : a[0] < 32 ? a[0] : 32, length = wraps ? a[1] & 31 : a[1] < 32 ? a[1] : 32;
        for (uint64_t i = at; i < at + length && i < 32; i++)
            out->value |= UINT64_C(1) << i;
        return true;
    }
    default: { /* SZEXT */
        unsigned n = (unsigned)(wraps ? a[1] & 31 : a[1] < 32 ? a[1] : 32);
        out->value = n == 0 ? 0 : is_signed(insn->type) ? cut((uint64_t)extend(a[0], n), 32) : cut(a[0], n);
        return true;
    }
    }
}

static uint64_t dot(const struct isa_insn *insn, const uint64_t a[4])
{
    uint64_t sum = a[2];
    bool four = insn->op == ISA_OP_DP4A;
    unsigned first = !four && insn->mods.mode == ISA_PART_HI ? 2 : 0;
    for (unsigned i = 0; i < (four ? 4U : 2U); i++) {
        unsigned a_bits = four ? 8 : 16;
        uint64_t x = cut(a[0] >> (i * a_bits), a_bits), y = cut(a[1] >> ((i + first) * 8), 8);
        int64_t xs = is_signed(insn->type) ? extend(x, a_bits) : (int64_t)x;
        int64_t ys = is_signed(insn->type2) ? extend(y, 8) : (int64_t)y;
        sum += (uint64_t)(xs * ys);
    }
    return cut(sum, 32);
}

static bool divide_integers(const struct isa_insn *insn, const uint64_t a[4], struct lane_result *out)
{
    unsigned bits = isa_types[insn->type].bits;
    wide_signed x = number(a[0], insn->type), y = number(a[1], insn->type);
    if (y == 0)
        return false; /* unspecified */
    out->value = cut((uint64_t)(insn->op == ISA_OP_DIV ? x / y : x % y), bits);
    return true;
}

static uint64_t permute(const struct isa_insn *insn, const uint64_t a[4])
{
    uint64_t bytes = a[1] << 32 | a[0], d = 0;
    unsigned n = a[2] & 3;
    for (unsigned i = 0; i < 4; i++) {
        unsigned from = 0;
        bool sign_only = false;
        switch (insn->mods.mode) {
        case ISA_PRMT_F4E:
            from = n + i;
            break;
        case ISA_PRMT_B4E:
            from = (n - i) & 7;
            break;
        case ISA_PRMT_RC8:
            from = n;
            break;
        case ISA_PRMT_ECL:
            from = i > n ? i : n;
            break;
        case ISA_PRMT_ECR:
            from = i < n ? i : n;
            break;
        case ISA_PRMT_RC16:
            from = (n & 1) * 2 + (i & 1);
            break;
        default:
            from = (unsigned)(a[2] >> (4 * i)) & 7;
            sign_only = (a[2] >> (4 * i + 3) & 1) != 0;
            break;
        }
        uint64_t byte = bytes >> (8 * from) & 0xff;
        d |= (sign_only ? ((byte & 0x80) != 0 ? UINT64_C(0xff) : 0) : byte) << (8 * i);
    }
    return d;
}

static bool shift(const struct isa_insn *insn, const uint64_t a[4], struct lane_result *out)
{
    unsigned bits = isa_types[insn->type].bits;
    if (insn->op == ISA_OP_SHF) {
        uint64_t both = a[1] << 32 | a[0];
        unsigned n = (unsigned)(insn->mods.mode2 == ISA_WRAP_WRAP ? a[2] & 31 : a[2] < 32 ? a[2] : 32);
        out->value = cut(insn->mods.mode == ISA_SHF_L ? (both << n) >> 32 : both >> n, 32);
        return insn->mods.mode2 != ISA_WRAP_NONE;
    }
    uint64_t n = a[1];
    if (insn->op == ISA_OP_SHL)
        out->value = n >= bits ? 0 : cut(a[0] << n, bits);
    else if (is_signed(insn->type))
        out->value = cut((uint64_t)(extend(a[0], bits) >> (n >= bits ? bits - 1 : n)), bits);
    else
        out->value = n >= bits ? 0 : a[0] >> n;
    return true;
}

static bool logic(const struct isa_insn *insn, const uint64_t a[4], struct lane_result *out)
{
    unsigned bits = isa_types[insn->type].bits;
    switch (insn->op) {
    case ISA_OP_AND:
        out->value = a[0] & a[1];
        return true;
    case ISA_OP_OR:
        out->value = a[0] | a[1];
        return true;
    case ISA_OP_XOR:
        out->value = a[0] ^ a[1];
        return true;
    case ISA_OP_NOT:
        out->value = cut(~a[0], bits);
        return true;
    case ISA_OP_CNOT:
        out->value = a[0] == 0;
        return true;
    default: /* LOP3 */
        out->value = 0;
        for (unsigned i = 0; i < 32; i++) {
            unsigned index = (unsigned)((a[0] >> i & 1) * 4 + (a[1] >> i & 1) * 2 + (a[2] >> i & 1));
            out->value |= (a[3] >> index & 1) << i;
        }
        return true;
    }
}

static bool integer_min_max(const struct isa_insn *insn, const uint64_t a[4], struct lane_result *out)
{
    bool first_less = number(a[0], insn->type) < number(a[1], insn->type);
    if ((insn->mods.flags & ISA_FLAG_RELU) != 0)
        return false;
    out->value = first_less == (insn->op == ISA_OP_MIN) ? a[0] : a[1];
    return true;
}

static bool integer_one(const struct isa_insn *insn, const uint64_t a[4], struct lane_result *out)
{
    unsigned bits = isa_types[insn->type].bits;
    wide_signed x = number(a[0], insn->type), y = number(a[1], insn->type);
    switch (insn->op) {
    case ISA_OP_ABS:
        out->value = cut((uint64_t)(x < 0 ? -x : x), bits);
        return true;
    case ISA_OP_NEG:
        out->value = cut((uint64_t)-x, bits);
        return true;
    default: /* SAD */
        out->value = cut((uint64_t)(x < y ? y - x : x - y) + a[2], bits);
        return true;
    }
}

/* ---- Floating point ---- */

/* f32 values travel as double where nothing is rounded, as float where something is. */
static uint64_t float_bits(uint8_t type, double value)
{
    if (type == ISA_TYPE_F32) {
        float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, 4);
        return bits;
    }
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
}

static double float_value(uint8_t type, uint64_t bits, bool flush)
{
    if (type == ISA_TYPE_F32) {
        uint32_t narrow_bits = (uint32_t)bits;
        float narrow;
        memcpy(&narrow, &narrow_bits, 4);
        if (flush && fpclassify(narrow) == FP_SUBNORMAL)
            narrow = copysignf(0.0F, narrow);
        return (double)narrow;
    }
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

static bool set_rounding(uint8_t round)
{
    static const int modes[] = {[ISA_ROUND_NONE] = FE_TONEAREST,
                                [ISA_ROUND_RN] = FE_TONEAREST,
                                [ISA_ROUND_RZ] = FE_TOWARDZERO,
                                [ISA_ROUND_RM] = FE_DOWNWARD,
                                [ISA_ROUND_RP] = FE_UPWARD};
    return round != ISA_ROUND_RNA && round <= ISA_ROUND_RP && fesetround(modes[round]) == 0;
}

/* Flushing and saturation of a finished result. False: NaN. */
static bool finish_float(const struct isa_insn *insn, uint8_t type, double value, struct lane_result *out)
{
    bool flush = (insn->mods.flags & ISA_FLAG_FTZ) != 0;
    if (isnan(value) || (flush && type == ISA_TYPE_F32 && fabs(value) <= 0x1p-126 && fabs(value) >= 0x1p-126))
        return false; /* whether the least normal number is flushed depends on what was rounded to it */
    if ((insn->mods.flags & ISA_FLAG_SAT) != 0)
        value = value > 1.0 ? 1.0 : value > 0.0 ? value : 0.0;
    if (flush && type == ISA_TYPE_F32 && value != 0.0 && fabs(value) < 0x1p-126)
        value = copysign(0.0, value);
    out->value = float_bits(type, value);
    return true;
}

static double round_narrow(const struct isa_insn *insn, double x, double y, double z)
{
    volatile float a = (float)x, b = (float)y, c = (float)z, d;
    switch (insn->op) {
    case ISA_OP_ADD:
        d = a + b;
        break;
    case ISA_OP_SUB:
        d = a - b;
        break;
    case ISA_OP_MUL:
        d = a * b;
        break;
    case ISA_OP_DIV:
        d = a / b;
        break;
    case ISA_OP_RCP:
        d = 1.0F / a;
        break;
    case ISA_OP_SQRT:
        d = sqrtf(a);
        break;
    default:
        d = fmaf(a, b, c);
        break;
    }
    return (double)d;
}

static double round_double(const struct isa_insn *insn, double x, double y, double z)
{
    volatile double a = x, b = y, c = z, d;
    switch (insn->op) {
    case ISA_OP_ADD:
        d = a + b;
        break;
    case ISA_OP_SUB:
        d = a - b;
        break;
    case ISA_OP_MUL:
        d = a * b;
        break;
    case ISA_OP_DIV:
        d = a / b;
        break;
    case ISA_OP_RCP:
        d = 1.0 / a;
        break;
    case ISA_OP_SQRT:
        d = sqrt(a);
        break;
    default:
        d = fma(a, b, c);
        break;
    }
    return d;
}

static bool is_half(uint8_t type);
static double half_value(uint8_t type, uint64_t bits);

/* Source i of an addition or fma; the first, of fma the first two, may be 16-bit numbers. */
static double source_value(const struct isa_insn *insn, unsigned i, uint64_t bits, bool flush)
{
    const bool mixed = is_half(insn->type2) && i < (insn->op == ISA_OP_FMA ? 2U : 1U);
    return mixed ? half_value(insn->type2, bits) : float_value(insn->type, bits, flush);
}

static bool float_arithmetic(const struct isa_insn *insn, const uint64_t a[4], struct lane_result *out)
{
    bool flush = (insn->mods.flags & ISA_FLAG_FTZ) != 0;
    double x = source_value(insn, 0, a[0], flush), y = source_value(insn, 1, a[1], flush),
           z = source_value(insn, 2, a[2], flush);
    if ((insn->mods.flags & (ISA_FLAG_APPROX | ISA_FLAG_FULL | ISA_FLAG_RELU)) != 0 || !set_rounding(insn->mods.round))
        return false;
    bool narrow = insn->type == ISA_TYPE_F32;
    volatile double result = narrow ? round_narrow(insn, x, y, z) : round_double(insn, x, y, z);
    fesetround(FE_TONEAREST);
    return finish_float(insn, insn->type, result, out);
}

static bool float_min_max(const struct isa_insn *insn, const uint64_t a[4], struct lane_result *out)
{
    bool flush = (insn->mods.flags & ISA_FLAG_FTZ) != 0;
    double x = float_value(insn->type, a[0], flush), y = float_value(insn->type, a[1], flush);
    if ((insn->mods.flags & ~(uint32_t)ISA_FLAG_FTZ) != 0 || (isnan(x) && isnan(y)))
        return false;
    bool first_less = x < y || (x <= y && signbit(x) != 0 && signbit(y) == 0);
    double result = isnan(x) ? y : isnan(y) ? x : first_less == (insn->op == ISA_OP_MIN) ? x : y;
    out->value = float_bits(insn->type, result);
    return true;
}

static bool float_sign(const struct isa_insn *insn, const uint64_t a[4], struct lane_result *out)
{
    double x = float_value(insn->type, a[0], (insn->mods.flags & ISA_FLAG_FTZ) != 0);
    double y = float_value(insn->type, a[1], false);
    if (isnan(x) || (insn->op == ISA_OP_COPYSIGN && isnan(y)))
        return false;
    out->value = float_bits(insn->type, insn->op == ISA_OP_ABS   ? fabs(x)
                                        : insn->op == ISA_OP_NEG ? -x
                                                                 : copysign(y, x));
    return true;
}

static bool test_property(const struct isa_insn *insn, const uint64_t a[4], struct lane_result *out)
{
    double x = float_value(insn->type, a[0], false);
    int class = insn->type == ISA_TYPE_F32 ? fpclassify((float)x) : fpclassify(x);
    switch (insn->mods.mode) {
    case ISA_TESTP_FINITE:
        out->carry = class != FP_NAN && class != FP_INFINITE;
        return true;
    case ISA_TESTP_INFINITE:
        out->carry = class == FP_INFINITE;
        return true;
    case ISA_TESTP_NUMBER:
        out->carry = class != FP_NAN;
        return true;
    case ISA_TESTP_NOTANUMBER:
        out->carry = class == FP_NAN;
        return true;
    case ISA_TESTP_NORMAL:
        out->carry = class == FP_NORMAL || class == FP_ZERO; /* as the PTX ISA has it */
        return true;
    case ISA_TESTP_SUBNORMAL:
        out->carry = class == FP_SUBNORMAL;
        return true;
    default:
        return false;
    }
}

/* ---- Comparison ---- */

static bool compare(const struct isa_insn *insn, uint8_t type, uint64_t a, uint64_t b, bool *truth)
{
    bool is_float = type == ISA_TYPE_F32 || type == ISA_TYPE_F64, nan = false, less, equal;
    uint8_t cmp = insn->mods.cmp;
    if (is_float) {
        bool flush = (insn->mods.flags & ISA_FLAG_FTZ) != 0;
        double x = float_value(type, a, flush), y = float_value(type, b, flush);
        nan = isnan(x) || isnan(y);
        less = x < y;
        equal = !nan && x <= y && x >= y;
    } else if (is_integer(type)) {
        bool as_unsigned = cmp >= ISA_CMP_LO && cmp <= ISA_CMP_HS;
        less = as_unsigned ? a < b : number(a, type) < number(b, type);
        equal = a == b;
        cmp = as_unsigned ? (uint8_t)(cmp - ISA_CMP_LO + ISA_CMP_LT) : cmp;
    } else {
        return false;
    }
    if (cmp == ISA_CMP_NUM || cmp == ISA_CMP_NAN) {
        *truth = nan == (cmp == ISA_CMP_NAN);
        return true;
    }
    bool unordered = cmp >= ISA_CMP_EQU;
    uint8_t base = unordered ? (uint8_t)(cmp - ISA_CMP_EQU + ISA_CMP_EQ) : cmp;
    if (nan) {
        *truth = unordered;
        return true;
    }
    *truth = base == ISA_CMP_EQ   ? equal
             : base == ISA_CMP_NE ? !equal
             : base == ISA_CMP_LT ? less
             : base == ISA_CMP_LE ? less || equal
             : base == ISA_CMP_GT ? !less && !equal
                                  : !less;
    return true;
}

static bool select_value(const struct isa_insn *insn, const uint64_t a[4], bool predicate, struct lane_result *out)
{
    if (insn->op == ISA_OP_SELP) {
        out->value = predicate ? a[0] : a[1];
        return true;
    }
    bool first = insn->type2 == ISA_TYPE_F32
                     ? float_value(ISA_TYPE_F32, a[2], (insn->mods.flags & ISA_FLAG_FTZ) != 0) >= 0.0
                     : extend(a[2], 32) >= 0;
    out->value = first ? a[0] : a[1];
    return true;
}

/* ---- Conversion ---- */

static bool is_float_type(uint8_t type)
{
    return type == ISA_TYPE_F32 || type == ISA_TYPE_F64;
}

static bool round_integral(uint8_t round, double *x)
{
    switch (round) {
    case ISA_ROUND_RNI:
        *x = nearbyint(*x);
        return true;
    case ISA_ROUND_RZI:
        *x = trunc(*x);
        return true;
    case ISA_ROUND_RMI:
        *x = floor(*x);
        return true;
    case ISA_ROUND_RPI:
        *x = ceil(*x);
        return true;
    default:
        return false;
    }
}

static bool float_to_integer(const struct isa_insn *insn, double x, struct lane_result *out)
{
    unsigned bits = isa_types[insn->type].bits;
    if (isnan(x)) {
        out->value = insn->type2 != ISA_TYPE_F64 && bits != 64 ? 0 : UINT64_C(1) << (bits - 1);
        return bits >= 32; /* narrower ones are not told */
    }
    if (!round_integral(insn->mods.round, &x))
        return false;
    wide_signed value = x >= 0x1p65 ? (wide_signed)1 << 65 : x <= -0x1p65 ? -((wide_signed)1 << 65) : (wide_signed)x;
    out->value = cut((uint64_t)clamp(value, insn->type), bits);
    return true;
}

static bool integer_to_float(const struct isa_insn *insn, uint64_t a, struct lane_result *out)
{
    if (a == 0) { /* some compilers' conversions make it -0 when rounding down */
        out->value = 0;
        return true;
    }
    if (!set_rounding(insn->mods.round))
        return false;
    volatile int64_t s = extend(a, isa_types[insn->type2].bits);
    volatile uint64_t u = a;
    volatile float narrow = is_signed(insn->type2) ? (float)s : (float)u;
    volatile double wide = is_signed(insn->type2) ? (double)s : (double)u;
    fesetround(FE_TONEAREST);
    return finish_float(insn, insn->type, insn->type == ISA_TYPE_F32 ? (double)narrow : wide, out);
}

static bool float_to_float(const struct isa_insn *insn, uint64_t a, struct lane_result *out)
{
    volatile double x = float_value(insn->type2, a, (insn->mods.flags & ISA_FLAG_FTZ) != 0);
    double integral = x;
    if (isnan(x))
        return false;
    if (insn->type == insn->type2) {
        if (insn->mods.round != ISA_ROUND_NONE && !round_integral(insn->mods.round, &integral))
            return false;
        return finish_float(insn, insn->type, integral, out);
    }
    if (insn->type == ISA_TYPE_F64)
        return insn->mods.round == ISA_ROUND_NONE && finish_float(insn, insn->type, x, out);
    if (!set_rounding(insn->mods.round))
        return false;
    volatile float narrow = (float)x;
    fesetround(FE_TONEAREST);
    return finish_float(insn, insn->type, (double)narrow, out);
}

/* ---- 16-bit floating point ---- */

static bool is_half(uint8_t type)
{
    return type == ISA_TYPE_F16 || type == ISA_TYPE_BF16;
}

static unsigned half_mantissa(uint8_t type)
{
    return type == ISA_TYPE_F16 ? 10 : 7;
}

static double half_value(uint8_t type, uint64_t bits)
{
    unsigned m = half_mantissa(type), e = 15 - m;
    int exponent = (int)(bits >> m & ((1U << e) - 1)), bias = (1 << (e - 1)) - 1;
    double mantissa = (double)(bits & ((1U << m) - 1)), value;
    if (exponent == (1 << e) - 1)
        value = mantissa > 0 ? (double)NAN : (double)INFINITY;
    else
        value =
            exponent == 0 ? ldexp(mantissa, 1 - bias - (int)m) : ldexp(mantissa + (1 << m), exponent - bias - (int)m);
    return (bits >> 15 & 1) != 0 ? -value : value;
}

/* Whether what was cut off, `rest` of `one`, makes the magnitude one more. */
static bool rounds_up(uint8_t round, bool negative, bool odd, wide_bits rest, wide_bits one)
{
    switch (round) {
    case ISA_ROUND_RZ:
        return false;
    case ISA_ROUND_RM:
        return negative && rest != 0;
    case ISA_ROUND_RP:
        return !negative && rest != 0;
    default:
        return rest * 2 > one || (rest * 2 == one && odd);
    }
}

/* An integer in a 16-bit format: its leading bits, rounded by the rest. */
static uint64_t half_bits(uint8_t type, uint8_t round, bool negative, wide_bits magnitude)
{
    unsigned m = half_mantissa(type), e = 15 - m, exponent = 0, bias = (1U << (e - 1)) - 1;
    uint64_t sign = negative ? UINT64_C(0x8000) : 0, infinity = (UINT64_C(1) << 15) - (UINT64_C(1) << m);
    if (magnitude == 0)
        return 0;
    while (magnitude >> exponent > 1)
        exponent++;
    if (exponent > m) {
        wide_bits one = (wide_bits)1 << (exponent - m), rest = magnitude & (one - 1);
        magnitude >>= exponent - m;
        magnitude += rounds_up(round, negative, (magnitude & 1) != 0, rest, one);
    } else {
        magnitude <<= m - exponent;
    }
    uint64_t bits = ((uint64_t)(exponent + bias) << m) + (uint64_t)magnitude - (UINT64_C(1) << m);
    if (bits >= infinity) /* past the largest number: as far as the direction goes */
        bits = rounds_up(round, negative, true, 1, 2) ? infinity : infinity - 1;
    return sign | bits;
}

static bool integer_to_half(const struct isa_insn *insn, uint64_t a, struct lane_result *out)
{
    wide_signed x = number(a, insn->type2);
    if (insn->mods.round == ISA_ROUND_RNA || insn->mods.round > ISA_ROUND_RP)
        return false;
    if ((insn->mods.flags & ISA_FLAG_SAT) != 0)
        x = x < 0 ? 0 : x > 1 ? 1 : x;
    out->value = half_bits(insn->type, insn->mods.round, x < 0, (wide_bits)(x < 0 ? -x : x));
    return true;
}

static bool convert(const struct isa_insn *insn, const uint64_t a[4], struct lane_result *out)
{
    bool sat = (insn->mods.flags & ISA_FLAG_SAT) != 0;
    if ((insn->mods.flags & ~(uint32_t)(ISA_FLAG_FTZ | ISA_FLAG_SAT)) != 0)
        return false;
    if (is_integer(insn->type) && is_integer(insn->type2)) {
        wide_signed x = number(a[0], insn->type2);
        out->value = cut((uint64_t)(sat ? clamp(x, insn->type) : x), isa_types[insn->type].bits);
        return true;
    }
    if (is_integer(insn->type) && is_float_type(insn->type2))
        return float_to_integer(insn, float_value(insn->type2, a[0], (insn->mods.flags & ISA_FLAG_FTZ) != 0), out);
    if (is_integer(insn->type) && is_half(insn->type2))
        return float_to_integer(insn, half_value(insn->type2, a[0]), out);
    if (is_half(insn->type) && is_integer(insn->type2))
        return integer_to_half(insn, a[0], out);
    if (is_float_type(insn->type) && is_integer(insn->type2))
        return integer_to_float(insn, a[0], out);
    return is_float_type(insn->type) && is_float_type(insn->type2) && float_to_float(insn, a[0], out);
}

/* ---- The choice ---- */

static bool by_integer(const struct isa_insn *insn, const uint64_t a[4], bool predicate, struct lane_result *out)
{
    switch (insn->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_ADDC:
    case ISA_OP_SUBC:
        return add_subtract(insn, a, predicate, out);
    case ISA_OP_MUL:
    case ISA_OP_MAD:
    case ISA_OP_MADC:
    case ISA_OP_MUL24:
    case ISA_OP_MAD24:
        return multiply(insn, a, predicate, out);
    case ISA_OP_DIV:
    case ISA_OP_REM:
        return divide_integers(insn, a, out);
    case ISA_OP_ABS:
    case ISA_OP_NEG:
    case ISA_OP_SAD:
        return integer_one(insn, a, out);
    case ISA_OP_MIN:
    case ISA_OP_MAX:
        return integer_min_max(insn, a, out);
    case ISA_OP_POPC:
    case ISA_OP_CLZ:
    case ISA_OP_BREV:
    case ISA_OP_BFIND:
    case ISA_OP_BFE:
    case ISA_OP_BFI:
    case ISA_OP_BMSK:
    case ISA_OP_SZEXT:
        return count_bits(insn, a, out);
    case ISA_OP_DP4A:
    case ISA_OP_DP2A:
        out->value = dot(insn, a);
        return true;
    case ISA_OP_AND:
    case ISA_OP_OR:
    case ISA_OP_XOR:
    case ISA_OP_NOT:
    case ISA_OP_CNOT:
    case ISA_OP_LOP3:
        return logic(insn, a, out);
    case ISA_OP_SHL:
    case ISA_OP_SHR:
    case ISA_OP_SHF:
        return shift(insn, a, out);
    case ISA_OP_PRMT:
        out->value = permute(insn, a);
        return true;
    default:
        return false;
    }
}

static bool by_float(const struct isa_insn *insn, const uint64_t a[4], struct lane_result *out)
{
    switch (insn->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_MUL:
    case ISA_OP_MAD:
    case ISA_OP_FMA:
    case ISA_OP_DIV:
    case ISA_OP_RCP:
    case ISA_OP_SQRT:
        return float_arithmetic(insn, a, out);
    case ISA_OP_MIN:
    case ISA_OP_MAX:
        return float_min_max(insn, a, out);
    case ISA_OP_ABS:
    case ISA_OP_NEG:
    case ISA_OP_COPYSIGN:
        return float_sign(insn, a, out);
    case ISA_OP_TESTP:
        return test_property(insn, a, out);
    default:
        return false;
    }
}

/* Two f32 in one value, each computed by itself. */
static bool by_pair(const struct isa_insn *insn, const uint64_t a[4], struct lane_result *out)
{
    struct isa_insn single = *insn;
    single.type = ISA_TYPE_F32;
    uint64_t value = 0;
    for (unsigned half = 0; half < 2; half++) {
        uint64_t part[4];
        for (unsigned i = 0; i < 4; i++)
            part[i] = cut(a[i] >> (32 * half), 32);
        if (!by_float(&single, part, out))
            return false;
        value |= out->value << (32 * half);
    }
    out->value = value;
    return true;
}

bool lane_reference(const struct isa_insn *insn, const uint64_t a[4], bool predicate, struct lane_result *out)
{
    *out = (struct lane_result){0, false, false};
    switch (insn->op) {
    case ISA_OP_MOV:
        out->value = a[0];
        return true;
    case ISA_OP_SELP:
    case ISA_OP_SLCT:
        return select_value(insn, a, predicate, out);
    case ISA_OP_SETP:
        return compare(insn, insn->type, a[0], a[1], &out->carry);
    case ISA_OP_SET:
        if ((!is_integer(insn->type) && insn->type != ISA_TYPE_F32) ||
            !compare(insn, insn->type2, a[0], a[1], &out->carry))
            return false;
        out->value = !out->carry                  ? 0
                     : insn->type == ISA_TYPE_F32 ? 0x3f800000
                                                  : cut(UINT64_MAX, isa_types[insn->type].bits);
        return true;
    case ISA_OP_CVT_PACK: /* without c */
        for (unsigned i = 0; i < 2; i++)
            out->value =
                out->value << 16 | cut((uint64_t)(int64_t)clamp((wide_signed)extend(a[i], 32), insn->type), 16);
        return isa_types[insn->type].bits == 16;
    case ISA_OP_CVT:
        return convert(insn, a, out);
    default:
        break;
    }
    if (is_integer(insn->type))
        return by_integer(insn, a, predicate, out);
    if (insn->type == ISA_TYPE_F32X2)
        return by_pair(insn, a, out);
    return is_float_type(insn->type) && by_float(insn, a, out);
}
