/* The tables of exec_mufu.def as numbers: a row's sum is the function's value. */
#include "sim/exec_mufu.h"

/* Units of the constant, of the slope over a whole piece, of the curve; bias: what is added before the sum is cut. */
#define PIECE(c0, c1, c2, ulp, unit0, bias, unit1, unit2)                                                              \
    {((c0) + (bias)) * (unit0) * (ulp), (c1) * (unit1) * (ulp)*0x1p-17, (c2) * (unit2) * (ulp)*0x1p-15},
#define RCP(c0, c1, c2)      PIECE(c0, c1, c2, 0x1p-24, 0.25, 4047 * 0x1p-14, 2.0, 1.0)
#define RSQ(c0, c1, c2)      PIECE(c0, c1, c2, 0x1p-24, 0.25, 1 - 0x1p-15, 2.0, 1.0)
#define RSQ_ODD(c0, c1, c2)  RSQ(c0, c1, c2)
#define SQRT(c0, c1, c2)     PIECE(c0, c1, c2, 0x1p-23, 0.25, 1 - 0x1p-15, 1.0, 0.5)
#define SQRT_ODD(c0, c1, c2) SQRT(c0, c1, c2)
#define EX2(c0, c1, c2)      PIECE(c0, c1, c2, 0x1p-23, 0.25, 24458 * 0x1p-15, 1.0, 0.5)
#define LG2(c0, c1, c2)      PIECE(c0, c1, c2, 0x1p-24, 0.25, 1675 * 0x1p-13, 8.0, 4.0)
#define SIN(c0, c1, c2)      PIECE(c0, c1, c2, 0x1p-24, 0.5, 0.0, 16.0, 4.0)

const struct sim_mufu_row sim_mufu_rows[SIM_MUFU_ROWS] = {
#include "sim/exec_mufu.def"
};
