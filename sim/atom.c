/* One atomic step on a cell's value: a function for each operation and type.
 */
#include "sim/exec.h"
#include "sim/exec_arith.h"
#include "sim/exec_half.h"

static uint64_t sum_half(uint8_t type, uint32_t x, uint32_t y)
{
    switch (type) {
    case ISA_TYPE_F16:
        return lane_to_f16(lane_from_f16(x & 0xffffU) + lane_from_f16(y & 0xffffU));
    case ISA_TYPE_BF16:
        return lane_to_bf16(lane_from_bf16(x & 0xffffU) + lane_from_bf16(y & 0xffffU));
    case ISA_TYPE_F16X2:
        return sum_half(ISA_TYPE_F16, x, y) | sum_half(ISA_TYPE_F16, x >> 16, y >> 16) << 16;
    default:
        return sum_half(ISA_TYPE_BF16, x, y) | sum_half(ISA_TYPE_BF16, x >> 16, y >> 16) << 16;
    }
}

/* Minimum and maximum of the 16-bit formats; numbers convert to float and back unchanged. */
static uint64_t choose_half(uint8_t type, uint32_t x, uint32_t y, bool want_max)
{
    switch (type) {
    case ISA_TYPE_F16:
        return lane_to_f16(lane_minmax32(lane_from_f16(x & 0xffffU), lane_from_f16(y & 0xffffU), want_max, 0));
    case ISA_TYPE_BF16:
        return lane_to_bf16(lane_minmax32(lane_from_bf16(x & 0xffffU), lane_from_bf16(y & 0xffffU), want_max, 0));
    case ISA_TYPE_F16X2:
        return choose_half(ISA_TYPE_F16, x, y, want_max) | choose_half(ISA_TYPE_F16, x >> 16, y >> 16, want_max) << 16;
    default:
        return choose_half(ISA_TYPE_BF16, x, y, want_max) | choose_half(ISA_TYPE_BF16, x >> 16, y >> 16, want_max)
                                                                << 16;
    }
}

static uint64_t sum(uint8_t type, uint64_t old, uint64_t a)
{
    const double x = lane_double(old), y = lane_double(a);
    switch (type) {
    case ISA_TYPE_F32:
        return lane_out32(lane_float((uint32_t)old) + lane_float((uint32_t)a), 0);
    case ISA_TYPE_F64:
        return y != y ? a : x != x ? old : lane_out64(x + y, x, y, 0.0); /* a NaN is not even quieted */
    case ISA_TYPE_F16:
    case ISA_TYPE_BF16:
    case ISA_TYPE_F16X2:
    case ISA_TYPE_BF16X2:
        return sum_half(type, (uint32_t)old, (uint32_t)a);
    default:
        return old + a;
    }
}

static uint64_t choose(uint8_t type, uint64_t old, uint64_t a, bool want_max)
{
    bool is_less;
    switch (type) {
    case ISA_TYPE_F16:
    case ISA_TYPE_BF16:
    case ISA_TYPE_F16X2:
    case ISA_TYPE_BF16X2:
        return choose_half(type, (uint32_t)old, (uint32_t)a, want_max);
    case ISA_TYPE_F32:
        return lane_out32(lane_minmax32(lane_float((uint32_t)old), lane_float((uint32_t)a), want_max, 0), 0);
    case ISA_TYPE_S32:
        is_less = (int32_t)(uint32_t)old < (int32_t)(uint32_t)a;
        break;
    case ISA_TYPE_S64:
        is_less = (int64_t)old < (int64_t)a;
        break;
    default:
        is_less = old < a;
    }
    return is_less == want_max ? a : old;
}

/* The types that an operation takes: the PTX ISA's table of atom, redux's f32 minimum and maximum included. */
bool sim_atom_supported(uint8_t mode, uint8_t type)
{
    const uint64_t integers = T(U32) | T(S32) | T(U64) | T(S64);
    const uint64_t halves = T(F16) | T(F16X2) | T(BF16) | T(BF16X2);
    uint64_t types = 0;
    switch (mode) {
    case ISA_ATOM_ADD:
        types = T(U32) | T(S32) | T(U64) | T(F32) | T(F64) | halves;
        break;
    case ISA_ATOM_MIN:
    case ISA_ATOM_MAX:
        types = integers | T(F32) | halves;
        break;
    case ISA_ATOM_INC:
    case ISA_ATOM_DEC:
        types = T(U32);
        break;
    case ISA_ATOM_AND:
    case ISA_ATOM_OR:
    case ISA_ATOM_XOR:
        types = T(B32) | T(B64);
        break;
    case ISA_ATOM_EXCH:
        types = T(B32) | T(B64) | T(B128);
        break;
    case ISA_ATOM_CAS:
        types = T(B16) | T(B32) | T(B64) | T(B128);
        break;
    default:
        break;
    }
    return type < ISA_TYPE_COUNT && (types >> type & 1U) != 0;
}

static uint64_t apply(uint8_t mode, uint8_t type, uint64_t old, uint64_t a, uint64_t b)
{
    switch (mode) {
    case ISA_ATOM_ADD:
        return sum(type, old, a);
    case ISA_ATOM_MIN:
        return choose(type, old, a, false);
    case ISA_ATOM_MAX:
        return choose(type, old, a, true);
    case ISA_ATOM_INC:
        return old >= a ? 0 : old + 1;
    case ISA_ATOM_DEC:
        return old == 0 || old > a ? a : old - 1;
    case ISA_ATOM_AND:
        return old & a;
    case ISA_ATOM_OR:
        return old | a;
    case ISA_ATOM_XOR:
        return old ^ a;
    case ISA_ATOM_EXCH:
        return a;
    case ISA_ATOM_CAS:
        return old == a ? b : old;
    default:
        return old;
    }
}

uint64_t sim_atom_apply(uint8_t mode, uint8_t type, uint64_t old, uint64_t a, uint64_t b)
{
    const uint32_t bits = type < ISA_TYPE_COUNT ? isa_types[type].bits : 64;
    const uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return apply(mode, type, old & mask, a & mask, b & mask) & mask;
}
