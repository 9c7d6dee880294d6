/* The arithmetic of tensor cores on floating point: a sum of exact products and an addend, rounded once.
 *
 * It is no chain of fused multiply-adds. All products of a step and the addend are lined up at the largest exponent
 * among them, cut off (toward zero) some bits below it, added exactly, and the sum is cut to f32, or rounded to the
 * nearest f16. validate/records/h200/tensor shows it bit for bit. */
#ifndef SIM_DOT_H
#define SIM_DOT_H

#include <stdint.h>

enum sim_dot_kind { SIM_DOT_FINITE, SIM_DOT_INFINITE, SIM_DOT_NAN };

/* significand * 2 ** exponent, or an infinity of the significand's sign. */
struct sim_dot_value {
    int32_t significand;
    int16_t exponent;
    uint8_t kind;
};

/* How a generation of tensor cores adds. */
struct sim_dot_rule {
    uint32_t products;      /* added in one step; further ones are steps of their own, each rounded */
    uint32_t fraction_bits; /* kept below the largest exponent */
};

/* Takes a value of type F16, BF16, TF32 or F32 apart. */
struct sim_dot_value sim_dot_unpack(uint32_t bits, uint8_t type);

/* c + the sum of a[i] * b[i], all of operand type `type`; c and the result are of type `out`: F32 or F16. */
uint32_t sim_dot(const struct sim_dot_value *a, const struct sim_dot_value *b, uint32_t count, uint8_t type, uint32_t c,
                 uint8_t out, const struct sim_dot_rule *rule);

#endif
