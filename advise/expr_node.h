/* The tree of an index expression. Internal to advise/expr_parse.c and advise/expr_eval.c. */
#ifndef ADVISE_EXPR_NODE_H
#define ADVISE_EXPR_NODE_H

#include "advise/expr.h"

#include <stdbool.h>

/* Limits of one expression, definitions that it uses written out. */
enum { ADVISE_DEPTH_MAX = 200, ADVISE_NODES_MAX = 20000 };

enum advise_op {
    ADVISE_LITERAL, /* value */
    ADVISE_BUILTIN, /* value: an enum advise_builtin */
    ADVISE_CAST,    /* to cast_bits, cast_signed */
    ADVISE_NEGATE,
    ADVISE_PLUS,
    ADVISE_COMPLEMENT,
    ADVISE_NOT,
    ADVISE_MUL,
    ADVISE_DIV,
    ADVISE_MOD,
    ADVISE_ADD,
    ADVISE_SUB,
    ADVISE_SHL,
    ADVISE_SHR,
    ADVISE_LT,
    ADVISE_GT,
    ADVISE_LE,
    ADVISE_GE,
    ADVISE_EQ,
    ADVISE_NE,
    ADVISE_AND,
    ADVISE_XOR,
    ADVISE_OR,
    ADVISE_LAND,
    ADVISE_LOR,
    ADVISE_COND, /* a ? b : c */
    ADVISE_MIN,
    ADVISE_MAX,
};

/* TID + 0 is threadIdx.x, and so on. */
enum advise_builtin {
    ADVISE_TID = 0,
    ADVISE_BLOCK_DIM = 3,
    ADVISE_BLOCK = 6,
    ADVISE_GRID_DIM = 9,
    ADVISE_LANE = 12,
    ADVISE_WARP = 13,
};

struct advise_expr {
    enum advise_op op;
    enum advise_type type; /* of the value */
    enum advise_type work; /* that the operands are converted to */
    uint64_t value;
    uint8_t cast_bits;
    bool cast_signed;
    bool is_constant;
    uint32_t depth, nodes; /* depth: of the recursion that evaluates it */
    const struct advise_expr *a, *b, *c;
    /* Of a chain as a + b + c its nodes from the innermost to this one, so that a long sum is no deep tree; NULL: this
     * node alone. */
    const struct advise_expr *const *chain;
    uint32_t chain_length;
    const struct base_source *source;
    size_t offset, length; /* of the operator, for messages */
};

#endif
