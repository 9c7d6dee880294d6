/* Products of matrices: mma and wmma.mma.
 *
 * All lanes' fragments are put together to whole matrices, multiplied, and given out again. What the sum of products
 * is, bit for bit, is sim/dot.c for floating point; f64 is a chain of fused multiply-adds in order of k, integers are
 * exact. */
#include "sim/matrix.h"

#include "sim/dot.h"
#include "sim/engine.h"
#include "sim/exec_arith.h"
#include "sim/exec_half.h"

#include <math.h>
#include <string.h>

#define DIM_MAX 32 /* of m, n and k */

struct whole { /* a matrix; what stands in it is up to the product's type */
    uint64_t at[DIM_MAX][DIM_MAX];
};

static uint64_t read_element(const struct sim_fragment *f, const uint32_t *const rows[8], unsigned lane, unsigned index)
{
    const unsigned r = index / f->per_register, bits = isa_types[f->type].bits;
    if (bits == 64)
        return (uint64_t)rows[r][32 + lane] << 32 | rows[r][lane];
    const uint32_t word = rows[r][lane] >> (index % f->per_register * bits);
    return bits == 32 ? word : word & ((1U << bits) - 1);
}

static void gather(const struct sim_engine *engine, const struct sim_warp *warp, const struct sim_group *group,
                   const struct sim_fragment *f, struct whole *whole)
{
    const uint32_t *rows[8];
    const unsigned elements = (unsigned)f->tiles_down * f->tiles_across * f->run; /* of a lane, once */
    for (unsigned r = 0; r < f->count; r++)
        rows[r] = sim_row(engine->program, warp, group, f->row[r]);
    for (unsigned index = 0; index < elements; index++)
        for (unsigned lane = 0; lane < 32; lane++) {
            unsigned row, column;
            sim_fragment_place(f, lane, index, &row, &column);
            whole->at[row][column] = read_element(f, rows, lane, index);
        }
}

static void give_out(const struct sim_engine *engine, const struct sim_warp *warp, const struct sim_group *group,
                     const struct sim_fragment *f, const struct whole *whole)
{
    const unsigned bits = isa_types[f->type].bits;
    for (unsigned r = 0; r < f->count; r++) {
        uint32_t *to = sim_row(engine->program, warp, group, f->row[r]);
        for (unsigned lane = 0; lane < 32; lane++) {
            uint64_t value = 0;
            for (unsigned part = 0; part < f->per_register; part++) {
                unsigned row, column;
                sim_fragment_place(f, lane, r * f->per_register + part, &row, &column);
                value |= whole->at[row][column] << (part * bits);
            }
            to[lane] = (uint32_t)value;
            if (f->register_rows == 2)
                to[32 + lane] = (uint32_t)(value >> 32);
        }
    }
}

/* ---- The products ---- */

/* How the device adds: .tf32 fills the multipliers with half as many products, and wmma takes them four at a time. */
static struct sim_dot_rule rule_of(const struct sim_device *device, const struct sim_matrix *x)
{
    struct sim_dot_rule rule = {device->tensor_products, device->tensor_fraction_bits};
    if (x->types.a == ISA_TYPE_TF32 && rule.products > 1)
        rule.products /= 2;
    if (x->types.a == ISA_TYPE_TF32 && x->shape.n == 16 && rule.products > 4)
        rule.products = 4;
    return rule;
}

/* An accumulator that is not of the result's type is converted before, an f16 result of an f32 one after the sum. */
static void multiply_floats(const struct sim_engine *engine, const struct sim_matrix *x, const struct whole *a,
                            const struct whole *b, struct whole *c)
{
    const struct sim_dot_rule rule = rule_of(engine->device, x);
    const unsigned m = x->shape.m, n = x->shape.n, k = x->shape.k;
    const bool narrows = x->types.c == ISA_TYPE_F32 && x->types.d == ISA_TYPE_F16;
    const uint8_t out = narrows ? (uint8_t)ISA_TYPE_F32 : x->types.d;
    struct sim_dot_value left[DIM_MAX], right[DIM_MAX][DIM_MAX];
    for (unsigned j = 0; j < n; j++)
        for (unsigned i = 0; i < k; i++)
            right[j][i] = sim_dot_unpack((uint32_t)b->at[i][j], x->types.b);
    for (unsigned row = 0; row < m; row++) {
        for (unsigned i = 0; i < k; i++)
            left[i] = sim_dot_unpack((uint32_t)a->at[row][i], x->types.a);
        for (unsigned j = 0; j < n; j++) {
            uint32_t addend = (uint32_t)c->at[row][j];
            if (x->types.c == ISA_TYPE_F16 && out == ISA_TYPE_F32)
                addend = lane_float_bits(lane_from_f16(addend));
            const uint32_t sum = sim_dot(left, right[j], k, x->types.a, addend, out, &rule);
            c->at[row][j] = narrows ? lane_to_f16(lane_float(sum)) : sum;
        }
    }
}

static uint64_t fma_bits(uint64_t a, uint64_t b, uint64_t c)
{
    double x, y, z;
    uint64_t bits;
    memcpy(&x, &a, sizeof(x));
    memcpy(&y, &b, sizeof(y));
    memcpy(&z, &c, sizeof(z));
    const double result = fma(x, y, z);
    if (result != result) { /* the first NaN of b, c, a, quieted, as fma.f64 has it */
        const uint64_t nan = y != y ? b : z != z ? c : x != x ? a : UINT64_C(0xfff8000000000000);
        return nan | UINT64_C(1) << 51;
    }
    memcpy(&bits, &result, sizeof(bits));
    return bits;
}

static void multiply_doubles(const struct sim_matrix *x, const struct whole *a, const struct whole *b, struct whole *c)
{
    for (unsigned row = 0; row < x->shape.m; row++)
        for (unsigned j = 0; j < x->shape.n; j++)
            for (unsigned i = 0; i < x->shape.k; i++)
                c->at[row][j] = fma_bits(a->at[row][i], b->at[i][j], c->at[row][j]);
}

static int32_t as_byte(uint64_t bits, uint8_t type)
{
    return type == ISA_TYPE_S8 ? (int32_t)(int8_t)bits : (int32_t)(uint8_t)bits;
}

static void multiply_bytes(const struct sim_matrix *x, const struct whole *a, const struct whole *b, struct whole *c)
{
    for (unsigned row = 0; row < x->shape.m; row++)
        for (unsigned j = 0; j < x->shape.n; j++) {
            int64_t sum = (int32_t)(uint32_t)c->at[row][j];
            for (unsigned i = 0; i < x->shape.k; i++)
                sum += as_byte(a->at[row][i], x->types.a) * as_byte(b->at[i][j], x->types.b);
            if (x->saturates)
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            c->at[row][j] = (uint32_t)sum;
        }
}

void sim_matrix_multiply(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                         const struct sim_op *op)
{
    const struct sim_matrix *x = &engine->program->matrices[op->target];
    struct whole a, b, c;
    gather(engine, warp, group, &x->a, &a);
    gather(engine, warp, group, &x->b, &b);
    gather(engine, warp, group, &x->c, &c);
    if (x->types.a == ISA_TYPE_F64)
        multiply_doubles(x, &a, &b, &c);
    else if (x->types.a == ISA_TYPE_S8 || x->types.a == ISA_TYPE_U8)
        multiply_bytes(x, &a, &b, &c);
    else
        multiply_floats(engine, x, &a, &b, &c);
    give_out(engine, warp, group, &x->d, &c);
}
