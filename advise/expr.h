/* Index expressions: C as it stands between the brackets of `tile[threadIdx.x][0]`, over the thread's place.
 *
 * Arithmetic is C's: int, unsigned and their 64-bit kin by the usual conversions; threadIdx and its like are unsigned,
 * as in CUDA, so that threadIdx.x - 1 of thread 0 is 4294967295 here as it is there. Overflow of signed numbers,
 * division by zero and shifts that are too far are errors with a place in the text.
 *
 * Names: threadIdx, tid, blockDim, ntid, blockIdx, ctaid, gridDim, nctaid, each with .x .y .z (also cuda.threadIdx.x);
 * lane, warp, warpSize; and what the scope defines. Functions: min, max.
 */
#ifndef ADVISE_EXPR_H
#define ADVISE_EXPR_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADVISE_DEFINE_MAX 64

enum advise_type { ADVISE_INT, ADVISE_UNSIGNED, ADVISE_LONG, ADVISE_UNSIGNED_LONG };

/* Where a thread stands. */
struct advise_thread {
    uint32_t tid[3], block_dim[3], block[3], grid_dim[3];
    uint32_t lane, warp;
};

/* bits: sign-extended for INT, zero-extended for UNSIGNED. */
struct advise_value {
    enum advise_type type;
    uint64_t bits;
};

struct advise_expr; /* read, in an arena */
struct advise_lexer;

/* Names that stand for expressions: -D row=blockIdx.y*8+threadIdx.y. Later ones may use earlier ones. */
struct advise_scope {
    size_t count;
    struct advise_define {
        const char *name;
        const struct advise_expr *value;
    } items[ADVISE_DEFINE_MAX];
};

/* Reads the whole of `source`. */
enum base_status advise_expr_read(const struct base_source *source, const struct advise_scope *scope,
                                  struct base_arena *arena, const struct advise_expr **out, struct base_diags *diags);
/* Reads NAME=EXPRESSION into the scope. */
enum base_status advise_scope_define(struct advise_scope *scope, const struct base_source *source,
                                     struct base_arena *arena, struct base_diags *diags);
/* Reads as far as an expression goes; NULL after a complaint. For the parts of a declaration or an access. */
const struct advise_expr *advise_expr_parse(struct advise_lexer *lexer, const struct advise_scope *scope,
                                            struct base_arena *arena);

/* BASE_INVALID with a message that points into the expression's source, which must still be there. */
enum base_status advise_expr_value(const struct advise_expr *expr, const struct advise_thread *thread,
                                   struct advise_value *value, struct base_diags *diags);
/* Whether the value is the same for all threads of all blocks. */
bool advise_expr_is_constant(const struct advise_expr *expr);
/* "4294967295", "-3". */
void advise_value_print(struct advise_value value, char text[24]);

#endif
