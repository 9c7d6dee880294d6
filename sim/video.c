/* Video instructions, as the pseudo code of the PTX ISA has them (sections 9.7.19.1 and 9.7.19.2).
 *
 * An intermediate result has 33 or 34 bits there; here it is an int64_t, and vmad's a pair of words. Which parts of its
 * registers an instruction uses stands in its operands (isa/video.h). */
#include "sim/video.h"

#include "isa/video.h"

static int64_t extended(uint64_t value, unsigned bits, bool is_signed)
{
    const uint64_t mask = (UINT64_C(1) << bits) - 1, sign = UINT64_C(1) << (bits - 1);
    return is_signed ? (int64_t)(((value & mask) ^ sign) - sign) : (int64_t)(value & mask);
}

static int64_t clamped(int64_t value, unsigned bits, bool is_signed)
{
    const int64_t least = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
    const int64_t most = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
    return value < least ? least : value > most ? most : value;
}

static bool is_signed(uint8_t type)
{
    return isa_types[type].class == ISA_CLASS_SIGNED;
}

/* ---- Scalar ---- */

static unsigned part_bits(uint16_t part)
{
    return part == ISA_VIDEO_WHOLE ? 32 : part <= ISA_VIDEO_B3 ? 8 : 16;
}

static unsigned part_shift(uint16_t part)
{
    return part == ISA_VIDEO_WHOLE ? 0
           : part <= ISA_VIDEO_B3  ? 8U * (part - ISA_VIDEO_B0)
                                   : 16U * (part - ISA_VIDEO_H0);
}

static int64_t take_part(uint32_t value, uint16_t part, uint8_t type)
{
    return extended(value >> part_shift(part), part_bits(part), is_signed(type));
}

static bool compare(uint8_t cmp, int64_t x, int64_t y)
{
    switch (cmp) {
    case ISA_CMP_EQ:
        return x == y;
    case ISA_CMP_NE:
        return x != y;
    case ISA_CMP_LT:
        return x < y;
    case ISA_CMP_LE:
        return x <= y;
    case ISA_CMP_GT:
        return x > y;
    default:
        return x >= y;
    }
}

static int64_t shifted(const struct isa_insn *insn, int64_t value, uint64_t count)
{
    const unsigned n = (unsigned)(insn->mods.mode2 == ISA_WRAP_WRAP ? count & 31 : count > 32 ? 32 : count);
    if (insn->op == ISA_OP_VSHL)
        return (int64_t)((uint64_t)value << n);
    return value < 0 ? ~(~value >> n) : value >> n;
}

static int64_t basic(const struct isa_insn *insn, int64_t x, int64_t y)
{
    switch (insn->op) {
    case ISA_OP_VADD:
    case ISA_OP_VADD2:
    case ISA_OP_VADD4:
        return x + y;
    case ISA_OP_VSUB:
    case ISA_OP_VSUB2:
    case ISA_OP_VSUB4:
        return x - y;
    case ISA_OP_VAVRG2:
    case ISA_OP_VAVRG4:
        return x + y >= 0 ? (x + y + 1) >> 1 : ~(~(x + y) >> 1);
    case ISA_OP_VABSDIFF:
    case ISA_OP_VABSDIFF2:
    case ISA_OP_VABSDIFF4:
        return x < y ? y - x : x - y;
    case ISA_OP_VMIN:
    case ISA_OP_VMIN2:
    case ISA_OP_VMIN4:
        return x < y ? x : y;
    case ISA_OP_VMAX:
    case ISA_OP_VMAX2:
    case ISA_OP_VMAX4:
        return x < y ? y : x;
    case ISA_OP_VSHL:
    case ISA_OP_VSHR:
        return shifted(insn, x, (uint64_t)y);
    default:
        return compare(insn->mods.cmp, x, y);
    }
}

/* The secondary operation: the result so far, not cut to 32 bits, with c as a number of the destination's type (vset:
 * of a's). */
static uint32_t second(const struct isa_insn *insn, int64_t value, uint8_t type, uint32_t c)
{
    const bool sign = is_signed(insn->op == ISA_OP_VSET ? insn->type : type);
    const int64_t y = extended(c, 32, sign);
    switch (insn->mods.mode) {
    case ISA_SECOND_ADD:
        return (uint32_t)value + c;
    case ISA_SECOND_MIN:
        return (uint32_t)(value < y ? value : y);
    case ISA_SECOND_MAX:
        return (uint32_t)(value < y ? y : value);
    default:
        return (uint32_t)value;
    }
}

static uint32_t scalar(const struct isa_insn *insn, const struct isa_operand *operands, uint32_t a, uint32_t b,
                       uint32_t c)
{
    const bool sets = insn->op == ISA_OP_VSET;
    const uint8_t type = sets ? ISA_TYPE_U32 : insn->type;
    const uint16_t to = operands[0].select;
    const int64_t x = take_part(a, operands[1].select, sets ? insn->type : insn->type2);
    const int64_t y = take_part(b, operands[2].select, sets ? insn->type2 : insn->type3);
    int64_t value = basic(insn, x, y);
    if (insn->mods.flags & ISA_FLAG_SAT)
        value = clamped(value, part_bits(to), is_signed(type));
    const uint32_t result = second(insn, value, type, c);
    if (to == ISA_VIDEO_WHOLE)
        return result;
    const uint32_t mask = (uint32_t)((UINT64_C(1) << part_bits(to)) - 1) << part_shift(to);
    return (c & ~mask) | (result << part_shift(to) & mask);
}

/* ---- vmad: a product of 33-bit numbers and a sum, in 128 bits ---- */

struct wide {
    uint64_t low, high;
};

static struct wide wide_add(struct wide x, struct wide y, uint64_t carry)
{
    const uint64_t low = x.low + y.low, sum = low + carry;
    return (struct wide){sum, x.high + y.high + (low < x.low) + (sum < low)};
}

static struct wide wide_of(int64_t x)
{
    return (struct wide){(uint64_t)x, x < 0 ? UINT64_MAX : 0};
}

static struct wide wide_not(struct wide x)
{
    return (struct wide){~x.low, ~x.high};
}

/* Of factors below 2^32 in magnitude. */
static struct wide wide_product(int64_t x, int64_t y)
{
    const uint64_t magnitude =
        (x < 0 ? (uint64_t)0 - (uint64_t)x : (uint64_t)x) * (y < 0 ? (uint64_t)0 - (uint64_t)y : (uint64_t)y);
    const struct wide product = {magnitude, 0}, zero = {0, 0};
    return (x < 0) == (y < 0) ? product : wide_add(wide_not(product), zero, 1);
}

static uint64_t wide_shifted(struct wide x, unsigned n)
{
    return n == 0 ? x.low : x.low >> n | x.high << (64 - n);
}

static uint32_t saturated(uint64_t value, bool final_signed)
{
    if (!final_signed)
        return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    return (uint32_t)clamped((int64_t)value, 32, true);
}

static uint32_t multiply_add(const struct isa_insn *insn, const struct isa_operand *operands, uint32_t a, uint32_t b,
                             uint32_t c)
{
    const bool negates = operands[1].negated != operands[2].negated, negates_c = operands[3].negated;
    const bool final_signed = is_signed(insn->type2) || is_signed(insn->type3) || negates || negates_c;
    const unsigned shift = insn->mods.mode == ISA_SCALE_SHR7 ? 7 : insn->mods.mode == ISA_SCALE_SHR15 ? 15 : 0;
    struct wide sum =
        wide_product(take_part(a, operands[1].select, insn->type2), take_part(b, operands[2].select, insn->type3));
    uint64_t last = negates || negates_c;
    if (insn->mods.flags & ISA_FLAG_PO)
        last = 1;
    else if (negates)
        sum = wide_not(sum);
    else if (negates_c)
        c = ~c;
    sum = wide_add(sum, wide_of(extended(c, 32, final_signed)), last);
    const uint64_t result = wide_shifted(sum, shift);
    return insn->mods.flags & ISA_FLAG_SAT ? saturated(result, final_signed) : (uint32_t)result;
}

/* ---- Two half-words or four bytes ---- */

static uint32_t simd(const struct isa_insn *insn, const struct isa_operand *operands, uint32_t a, uint32_t b,
                     uint32_t c, unsigned lanes)
{
    const bool sets = insn->op == ISA_OP_VSET2 || insn->op == ISA_OP_VSET4;
    const bool accumulates = insn->mods.mode == ISA_SECOND_ADD, saturates = (insn->mods.flags & ISA_FLAG_SAT) != 0;
    const uint8_t type = sets ? ISA_TYPE_U32 : insn->type, type_a = sets ? insn->type : insn->type2;
    const uint8_t type_b = sets ? insn->type2 : insn->type3;
    const unsigned bits = 32 / lanes, mask = isa_video_mask(operands[0].select, lanes);
    const uint64_t sources = a | (uint64_t)b << 32, field = (UINT64_C(1) << bits) - 1;
    uint32_t d = accumulates ? c : 0;
    for (unsigned i = 0; i < lanes; i++) {
        const unsigned from_a = isa_video_element(operands[1].select, i, 0);
        const unsigned from_b = isa_video_element(operands[2].select, i, lanes);
        int64_t value = basic(insn, extended(sources >> (bits * from_a), bits, is_signed(type_a)),
                              extended(sources >> (bits * from_b), bits, is_signed(type_b)));
        if (saturates)
            value = clamped(value, bits, is_signed(type));
        if (accumulates)
            d += mask >> i & 1 ? (uint32_t)value : 0;
        else
            d |= (uint32_t)((mask >> i & 1 ? (uint64_t)value : c >> (bits * i)) & field) << (bits * i);
    }
    return d;
}

uint32_t sim_video(const struct isa_insn *insn, const struct isa_operand *operands, uint32_t a, uint32_t b, uint32_t c)
{
    const unsigned lanes = isa_video_lanes(insn->op);
    if (lanes > 1)
        return simd(insn, operands, a, b, c, lanes);
    return insn->op == ISA_OP_VMAD ? multiply_add(insn, operands, a, b, c) : scalar(insn, operands, a, b, c);
}

void sim_video_run(const struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                   const struct sim_op *op, uint32_t mask)
{
    const struct isa_operand *operands =
        engine->program->module->functions[op->function].operands + op->insn->operand_first;
    const uint32_t *source[3];
    uint32_t out[32];
    for (unsigned i = 0; i < 3; i++)
        source[i] = sim_row(engine->program, warp, group, op->src[i]);
    for (unsigned lane = 0; lane < 32; lane++)
        out[lane] = sim_video(op->insn, operands, source[0][lane], source[1][lane], source[2][lane]);
    if (op->dst != SIM_ROW_NONE)
        engine->lanes->merge(sim_row(engine->program, warp, group, op->dst), out, mask, 1);
}
