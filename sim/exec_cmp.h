/* Comparisons: what each one is, and the row families of exec_cmp.def. exec_cmp.c makes setp of them, exec_set.c set.
 */
#ifndef SIM_EXEC_CMP_H
#define SIM_EXEC_CMP_H

#include "sim/exec_half.h"

/* Bitwise operators, so that a lane has no branch. A comparison with a NaN is false but for the unordered ones. */
#define CMP_EQ(x, y)  ((x) == (y))
#define CMP_NE(x, y)  (((x) < (y)) | ((x) > (y)))
#define CMP_LT(x, y)  ((x) < (y))
#define CMP_LE(x, y)  ((x) <= (y))
#define CMP_GT(x, y)  ((x) > (y))
#define CMP_GE(x, y)  ((x) >= (y))
#define CMP_EQU(x, y) (!CMP_NE(x, y))
#define CMP_NEU(x, y) ((x) != (y))
#define CMP_LTU(x, y) (!((x) >= (y)))
#define CMP_LEU(x, y) (!((x) > (y)))
#define CMP_GTU(x, y) (!((x) <= (y)))
#define CMP_GEU(x, y) (!((x) < (y)))
#define CMP_NUM(x, y) (((x) == (x)) & ((y) == (y)))
#define CMP_NAN(x, y) (((x) != (x)) | ((y) != (y)))

/* How the sources are read. Without commas between declarations, for they are handed on as one macro argument. */
#define INTEGERS(T)                                                                                                    \
    const TYPE_##T x = LOAD_##T(a);                                                                                    \
    const TYPE_##T y = LOAD_##T(b);
#define FLOATS(flag_bits)                                                                                              \
    const float x = lane_in32(a[i], flag_bits);                                                                        \
    const float y = lane_in32(b[i], flag_bits);
#define DOUBLES                                                                                                        \
    const double x = lane_double(LOAD_u64(a));                                                                         \
    const double y = lane_double(LOAD_u64(b));
#define HALVES(F, flag_bits)                                                                                           \
    const float x = lane_in_##F(a[i] & 0xffffU, flag_bits);                                                            \
    const float y = lane_in_##F(b[i] & 0xffffU, flag_bits);
#define UPPER_HALVES(F, flag_bits)                                                                                     \
    const float xh = lane_in_##F(a[i] >> 16, flag_bits);                                                               \
    const float yh = lane_in_##F(b[i] >> 16, flag_bits);

#define ROW_CMP(type, variant, sources, compare, flag_bits)                                                            \
    ROW(SETP, type, NONE, variant##_##compare, sources OUT(CMP_##compare(x, y));                                       \
        , .cmp = ISA_CMP_##compare, K_FLAGS(flag_bits))
#define ROWS_EQUALITY(type, sources)                                                                                   \
    ROW_CMP(type, plain, sources, EQ, 0)                                                                               \
    ROW_CMP(type, plain, sources, NE, 0)
#define ROWS_ORDER(type, sources)                                                                                      \
    ROW_CMP(type, plain, sources, LT, 0)                                                                               \
    ROW_CMP(type, plain, sources, LE, 0)                                                                               \
    ROW_CMP(type, plain, sources, GT, 0)                                                                               \
    ROW_CMP(type, plain, sources, GE, 0)
#define ROWS_FLOAT(type, variant, sources, flag_bits)                                                                  \
    ROW_CMP(type, variant, sources, EQ, flag_bits)                                                                     \
    ROW_CMP(type, variant, sources, NE, flag_bits)                                                                     \
    ROW_CMP(type, variant, sources, LT, flag_bits)                                                                     \
    ROW_CMP(type, variant, sources, LE, flag_bits)                                                                     \
    ROW_CMP(type, variant, sources, GT, flag_bits)                                                                     \
    ROW_CMP(type, variant, sources, GE, flag_bits)                                                                     \
    ROW_CMP(type, variant, sources, EQU, flag_bits)                                                                    \
    ROW_CMP(type, variant, sources, NEU, flag_bits)                                                                    \
    ROW_CMP(type, variant, sources, LTU, flag_bits)                                                                    \
    ROW_CMP(type, variant, sources, LEU, flag_bits)                                                                    \
    ROW_CMP(type, variant, sources, GTU, flag_bits)                                                                    \
    ROW_CMP(type, variant, sources, GEU, flag_bits)                                                                    \
    ROW_CMP(type, variant, sources, NUM, flag_bits)                                                                    \
    ROW_CMP(type, variant, sources, NAN, flag_bits)

#define ROW_CMP_PAIR(type, variant, F, compare, flag_bits)                                                             \
    ROW(SETP, type, NONE, variant##_##compare,                                                                         \
        HALVES(F, flag_bits) UPPER_HALVES(F, flag_bits) OUT(CMP_##compare(x, y));                                      \
        OUT_HIGH(CMP_##compare(xh, yh));, .cmp = ISA_CMP_##compare, K_FLAGS(flag_bits))
#define ROWS_PAIR(type, variant, F, flag_bits)                                                                         \
    ROW_CMP_PAIR(type, variant, F, EQ, flag_bits)                                                                      \
    ROW_CMP_PAIR(type, variant, F, NE, flag_bits)                                                                      \
    ROW_CMP_PAIR(type, variant, F, LT, flag_bits)                                                                      \
    ROW_CMP_PAIR(type, variant, F, LE, flag_bits)                                                                      \
    ROW_CMP_PAIR(type, variant, F, GT, flag_bits)                                                                      \
    ROW_CMP_PAIR(type, variant, F, GE, flag_bits)                                                                      \
    ROW_CMP_PAIR(type, variant, F, EQU, flag_bits)                                                                     \
    ROW_CMP_PAIR(type, variant, F, NEU, flag_bits)                                                                     \
    ROW_CMP_PAIR(type, variant, F, LTU, flag_bits)                                                                     \
    ROW_CMP_PAIR(type, variant, F, LEU, flag_bits)                                                                     \
    ROW_CMP_PAIR(type, variant, F, GTU, flag_bits)                                                                     \
    ROW_CMP_PAIR(type, variant, F, GEU, flag_bits)                                                                     \
    ROW_CMP_PAIR(type, variant, F, NUM, flag_bits)                                                                     \
    ROW_CMP_PAIR(type, variant, F, NAN, flag_bits)

#endif
