/* The lane functions of machine code (sim/sass/lane.def), for one instruction set. */
#include "sim/exec_lane.h"
#include "sim/exec_mufu.h"

#include "sim/sass/lane.h"
#include "sim/sass/lane_tables.h"

#include <stdbool.h>

#define A   a[i]
#define B   b[i]
#define C   c[i]
#define E   e[i]
#define A64 ((uint64_t)a[i] | (uint64_t)a[i + SIM_WARP_SIZE] << 32)
#define B64 ((uint64_t)b[i] | (uint64_t)b[i + SIM_WARP_SIZE] << 32)
#define C64 ((uint64_t)c[i] | (uint64_t)c[i + SIM_WARP_SIZE] << 32)
#define SET64(value)                                                                                                   \
    do {                                                                                                               \
        d[i] = (uint32_t)(value);                                                                                      \
        d[i + SIM_WARP_SIZE] = (uint32_t)((value) >> 32);                                                              \
    } while (0)

/* Numbers of 64 bits in the order of integers, -0 before +0. */
LANE_INLINE int64_t order64(uint64_t bits)
{
    return (int64_t)(bits >> 63 != 0 ? ~bits ^ (UINT64_C(1) << 63) : bits);
}

LANE_INLINE float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

LANE_INLINE uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return (bits & 0x7fffffffU) > 0x7f800000U ? 0x7fffffffU : bits;
}
#define GETF        float_of(A)
#define SETF(value) d[i] = bits_of(value)

#define SASS_LANE(id, ...)                                                                                             \
    static uint64_t lane_##id(LANE_PARAMETERS)                                                                         \
    {                                                                                                                  \
        uint32_t out = 0, out_high = 0;                                                                                \
        LANE_ROWS;                                                                                                     \
        LANE_LOOP                                                                                                      \
        __VA_ARGS__                                                                                                    \
        return out | (uint64_t)out_high << 32;                                                                         \
    }
#include "sim/sass/lane.def"
#undef SASS_LANE

sim_lane_fn *const LANE_PASTE2(sass, SIM_EXEC_LEVEL_NAME)[SIM_SASS_LANE_COUNT] = {
#define SASS_LANE(id, ...) [SIM_SASS_LANE_##id] = lane_##id,
#include "sim/sass/lane.def"
};
