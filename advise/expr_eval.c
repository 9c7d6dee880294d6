/* The value of an index expression for one thread, in C's arithmetic. Recursion is as deep as the tree, which the
 * parser has limited. */
#include "advise/expr_node.h"

#include <inttypes.h>
#include <stdio.h>

struct evaluation {
    const struct advise_thread *thread;
    struct base_diags *diags;
    bool failed;
};

static uint64_t complain(struct evaluation *e, const struct advise_expr *node, const char *what)
{
    const uint32_t *tid = e->thread->tid;
    if (!e->failed)
        base_diag_add(e->diags, BASE_ERROR, node->source, node->offset, node->length, "%s in thread (%u, %u, %u)", what,
                      tid[0], tid[1], tid[2]);
    e->failed = true;
    return 0;
}

static bool is_signed(enum advise_type type)
{
    return type == ADVISE_INT || type == ADVISE_LONG;
}

/* A value of any type as one of `type`: the low bits, sign-extended or zero-extended. */
static uint64_t convert(uint64_t bits, enum advise_type type)
{
    switch (type) {
    case ADVISE_INT:
        return (uint64_t)(int64_t)(int32_t)(uint32_t)bits;
    case ADVISE_UNSIGNED:
        return (uint32_t)bits;
    default:
        return bits;
    }
}

static uint64_t checked(struct evaluation *e, const struct advise_expr *node, int64_t value, bool overflow)
{
    if (overflow || (node->type == ADVISE_INT && value != (int32_t)value))
        return complain(e, node,
                        node->type == ADVISE_INT ? "the result does not fit into an int"
                                                 : "the result does not fit into 64 bits");
    return (uint64_t)value;
}

static uint64_t arithmetic(struct evaluation *e, const struct advise_expr *node, uint64_t x, uint64_t y)
{
    int64_t a = (int64_t)x, b = (int64_t)y, result = 0;
    bool overflow = false;
    if (!is_signed(node->work))
        return convert(node->op == ADVISE_ADD ? x + y : node->op == ADVISE_SUB ? x - y : x * y, node->work);
    if (node->op == ADVISE_ADD)
        overflow = __builtin_add_overflow(a, b, &result);
    else if (node->op == ADVISE_SUB)
        overflow = __builtin_sub_overflow(a, b, &result);
    else
        overflow = __builtin_mul_overflow(a, b, &result);
    return checked(e, node, result, overflow);
}

static uint64_t divide(struct evaluation *e, const struct advise_expr *node, uint64_t x, uint64_t y)
{
    if (y == 0)
        return complain(e, node, "division by zero");
    if (!is_signed(node->work))
        return node->op == ADVISE_DIV ? x / y : x % y;
    int64_t a = (int64_t)x, b = (int64_t)y;
    if (b == -1) /* the one quotient that can overflow */
        return checked(e, node, node->op == ADVISE_DIV && a != INT64_MIN ? -a : 0,
                       a == (node->work == ADVISE_INT ? INT32_MIN : INT64_MIN));
    return (uint64_t)(node->op == ADVISE_DIV ? a / b : a % b);
}

static uint64_t shift(struct evaluation *e, const struct advise_expr *node, uint64_t x, uint64_t y)
{
    unsigned bits = node->work == ADVISE_INT || node->work == ADVISE_UNSIGNED ? 32 : 64;
    if (y >= bits) /* negative counts are large ones here */
        return complain(e, node, "a shift by as many bits as the number has, or more,");
    if (node->op == ADVISE_SHL)
        return convert(x << y, node->work);
    if (!is_signed(node->work) || (int64_t)x >= 0)
        return x >> y;
    return ~(~x >> y); /* rounds towards minus infinity */
}

static bool compare(const struct advise_expr *node, uint64_t x, uint64_t y)
{
    bool less = is_signed(node->work) ? (int64_t)x < (int64_t)y : x < y, equal = x == y;
    switch (node->op) {
    case ADVISE_LT:
        return less;
    case ADVISE_GT:
        return !less && !equal;
    case ADVISE_LE:
        return less || equal;
    case ADVISE_GE:
        return !less;
    case ADVISE_EQ:
        return equal;
    default:
        return !equal;
    }
}

static uint64_t cast(const struct advise_expr *node, uint64_t bits)
{
    unsigned unused = 64U - node->cast_bits;
    uint64_t top = bits << unused;
    if (node->cast_signed && (int64_t)top < 0)
        return ~(~top >> unused);
    return top >> unused;
}

static uint64_t builtin(const struct advise_thread *thread, uint64_t which)
{
    switch (which / 3 * 3) {
    case ADVISE_TID:
        return thread->tid[which % 3];
    case ADVISE_BLOCK_DIM:
        return thread->block_dim[which % 3];
    case ADVISE_BLOCK:
        return thread->block[which % 3];
    case ADVISE_GRID_DIM:
        return thread->grid_dim[which % 3];
    default:
        return which == ADVISE_LANE ? thread->lane : thread->warp;
    }
}

static uint64_t value_of(struct evaluation *e, const struct advise_expr *node);

/* One operator, its first operand known. */
static uint64_t apply(struct evaluation *e, const struct advise_expr *node, uint64_t first)
{
    if (e->failed)
        return 0;
    if (node->op == ADVISE_LAND)
        return first != 0 && value_of(e, node->b) != 0;
    if (node->op == ADVISE_LOR)
        return first != 0 || value_of(e, node->b) != 0;
    uint64_t x = convert(first, node->work), y = value_of(e, node->b);
    if (e->failed)
        return 0;
    if (node->op == ADVISE_SHL || node->op == ADVISE_SHR)
        return shift(e, node, x, y);
    y = convert(y, node->work);
    switch (node->op) {
    case ADVISE_ADD:
    case ADVISE_SUB:
    case ADVISE_MUL:
        return arithmetic(e, node, x, y);
    case ADVISE_DIV:
    case ADVISE_MOD:
        return divide(e, node, x, y);
    case ADVISE_AND:
        return x & y;
    case ADVISE_OR:
        return x | y;
    case ADVISE_XOR:
        return x ^ y;
    case ADVISE_MIN:
    case ADVISE_MAX: {
        bool less = is_signed(node->work) ? (int64_t)x < (int64_t)y : x < y;
        return less == (node->op == ADVISE_MIN) ? x : y;
    }
    default:
        return compare(node, x, y);
    }
}

static uint64_t binary(struct evaluation *e, const struct advise_expr *node)
{
    if (!node->chain)
        return apply(e, node, value_of(e, node->a));
    uint64_t value = value_of(e, node->chain[0]->a);
    for (uint32_t i = 0; i < node->chain_length; i++)
        value = apply(e, node->chain[i], value);
    return value;
}

static uint64_t value_of(struct evaluation *e, const struct advise_expr *node)
{
    if (e->failed)
        return 0;
    switch (node->op) {
    case ADVISE_LITERAL:
        return node->value;
    case ADVISE_BUILTIN:
        return builtin(e->thread, node->value);
    case ADVISE_CAST:
        return cast(node, value_of(e, node->a));
    case ADVISE_PLUS:
        return value_of(e, node->a);
    case ADVISE_COMPLEMENT:
        return convert(~value_of(e, node->a), node->type);
    case ADVISE_NOT:
        return value_of(e, node->a) == 0;
    case ADVISE_NEGATE: {
        uint64_t x = value_of(e, node->a);
        return is_signed(node->type)
                   ? checked(e, node, x == (uint64_t)INT64_MIN ? 0 : -(int64_t)x, x == (uint64_t)INT64_MIN)
                   : convert(0 - x, node->type);
    }
    case ADVISE_COND:
        return convert(value_of(e, value_of(e, node->a) != 0 ? node->b : node->c), node->type);
    default:
        return binary(e, node);
    }
}

enum base_status advise_expr_value(const struct advise_expr *expr, const struct advise_thread *thread,
                                   struct advise_value *value, struct base_diags *diags)
{
    struct evaluation e = {.thread = thread, .diags = diags};
    *value = (struct advise_value){.type = expr->type, .bits = value_of(&e, expr)};
    return e.failed ? BASE_INVALID : BASE_OK;
}

void advise_value_print(struct advise_value value, char text[24])
{
    if (is_signed(value.type))
        snprintf(text, 24, "%" PRId64, (int64_t)value.bits);
    else
        snprintf(text, 24, "%" PRIu64, value.bits);
}
