/* Video instructions. Cards since Maxwell have none: what ptxas makes of them is what counts, and is not everywhere
 * what the pseudo code of the PTX ISA says (sections 9.7.19.1 and 9.7.19.2). Here they do what an H200 was seen to do;
 * validate/records/h200/forms/README.md lists where that departs.
 *
 * An intermediate result is an int64_t. Which parts of its registers an instruction uses stands in its operands
 * (isa/video.h). */
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

static bool is_shift(unsigned op)
{
    return op == ISA_OP_VSHL || op == ISA_OP_VSHR;
}

static bool is_sum(unsigned op)
{
    return op == ISA_OP_VADD || op == ISA_OP_VSUB;
}

static uint32_t low_word(int64_t value)
{
    return (uint32_t)(uint64_t)value;
}

/* Shifts are cut to 34 bits, then saturate to 32, whatever part of d they go to. For a part, anything beyond 32 bits,
 * negative numbers too, is the largest; a whole unsigned register has no largest but for shifts. */
static int64_t saturated(const struct isa_insn *insn, int64_t value, uint16_t to)
{
    const bool sign = is_signed(insn->type);
    if (is_shift(insn->op))
        return clamped(extended((uint64_t)value, 34, true), 32, sign);
    if (to != ISA_VIDEO_WHOLE) {
        const int64_t most = (INT64_C(1) << (part_bits(to) - sign)) - 1;
        return value < 0 || value > most ? most : value;
    }
    if (sign)
        return clamped(value, 32, true);
    return value < 0 ? 0 : value;
}

/* The secondary operation with c as a number of the destination's type (vset: of a's). Of a sum only 32 bits are left,
 * with their sign extended; unsigned numbers are compared as 64 bits. */
static uint32_t second(const struct isa_insn *insn, int64_t value, uint32_t c)
{
    const bool sign = is_signed(insn->type);
    const bool narrow = is_sum(insn->op) || (is_shift(insn->op) && (insn->mods.flags & ISA_FLAG_SAT) != 0);
    const int64_t y = extended(c, 32, sign), x = narrow ? extended(low_word(value), 32, true) : value;
    const bool less = sign ? x < y : (uint64_t)x < (uint64_t)y;
    switch (insn->mods.mode) {
    case ISA_SECOND_ADD:
        return low_word(value) + c;
    case ISA_SECOND_MIN:
        return low_word(less ? x : y);
    case ISA_SECOND_MAX:
        return low_word(less ? y : x);
    default:
        return low_word(value);
    }
}

static uint32_t scalar(const struct isa_insn *insn, const struct isa_operand *operands, uint32_t a, uint32_t b,
                       uint32_t c)
{
    const bool sets = insn->op == ISA_OP_VSET;
    const uint16_t to = operands[0].select;
    const int64_t x = take_part(a, operands[1].select, sets ? insn->type : insn->type2);
    const int64_t y = take_part(b, operands[2].select, sets ? insn->type2 : insn->type3);
    int64_t value = basic(insn, x, y);
    if (insn->mods.flags & ISA_FLAG_SAT)
        value = saturated(insn, value, to);
    const uint32_t result = second(insn, value, c);
    if (to == ISA_VIDEO_WHOLE)
        return result;
    const uint32_t mask = (uint32_t)((UINT64_C(1) << part_bits(to)) - 1) << part_shift(to);
    const uint32_t placed = to == ISA_VIDEO_H1 ? result : result << part_shift(to); /* .h1: the upper half of it */
    return (c & ~mask) | (placed & mask);
}

/* ---- vmad: 32-bit numbers, of which a whole register is a signed one, and a sum of 64 bits ---- */

static int64_t factor(uint32_t value, uint16_t part, uint8_t type)
{
    return part == ISA_VIDEO_WHOLE ? extended(value, 32, true) : take_part(value, part, type);
}

static uint32_t multiply_add(const struct isa_insn *insn, const struct isa_operand *operands, uint32_t a, uint32_t b,
                             uint32_t c)
{
    const bool negates = operands[1].negated != operands[2].negated, negates_c = operands[3].negated;
    const bool sign = is_signed(insn->type2) || is_signed(insn->type3) || negates || negates_c;
    const unsigned shift = insn->mods.mode == ISA_SCALE_SHR7 ? 7 : insn->mods.mode == ISA_SCALE_SHR15 ? 15 : 0;
    const uint64_t product =
        (uint64_t)factor(a, operands[1].select, insn->type2) * (uint64_t)factor(b, operands[2].select, insn->type3);
    const bool rounds = (insn->mods.flags & ISA_FLAG_PO) != 0;
    const uint64_t addend = (uint64_t)extended(negates_c && !rounds ? ~c : c, 32, true);
    const uint64_t sum = (negates && !rounds ? ~product : product) + addend + (rounds || negates || negates_c);
    const uint64_t logical = sum >> shift;
    const int64_t result = (int64_t)(sign && sum >> 63 && shift > 0 ? logical | UINT64_MAX << (64 - shift) : logical);
    if (!(insn->mods.flags & ISA_FLAG_SAT))
        return low_word(result);
    return low_word(clamped(result, 32, sign));
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
