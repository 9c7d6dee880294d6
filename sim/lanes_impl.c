/* The row functions of sim/lanes.h, compiled once for each instruction set: SIM_EXEC_LEVEL_NAME is base, avx2 or
 * avx512. Plain loops over 32 lanes that the compiler vectorises. */
#include "sim/lanes.h"

#include <string.h>

#define LANES_PASTE2(a, b) a##b
#define LANES_PASTE(a, b)  LANES_PASTE2(a, b)
#define LANES_TABLE        LANES_PASTE(sim_lanes_table_, SIM_EXEC_LEVEL_NAME)

extern const struct sim_lanes LANES_TABLE;

/* Few instructions have scattered addresses. Contiguous and uniform ones are told from 32-bit differences alone, and
 * their entries are not written. */
static bool summarise_regular(struct sim_addresses *out, const uint32_t *lo, const uint32_t *hi, uint64_t add)
{
    uint32_t first = lo[0], step = out->width_bytes, differs = 0, breaks = 0, high = 0;
    for (uint32_t i = 0; i < 32; i++) {
        differs |= lo[i] ^ first;
        breaks |= lo[i] ^ (first + i * step);
    }
    out->uniform = differs == 0;
    out->contiguous = breaks == 0;
    if (!out->uniform && !out->contiguous)
        return false;
    for (unsigned i = 0; hi != NULL && i < 32; i++)
        high |= hi[i] ^ hi[0];
    bool wraps = out->contiguous && first > UINT32_MAX - 31 * step;
    if (hi == NULL && out->contiguous) {
        uint32_t start = first + (uint32_t)add;
        wraps = start > UINT32_MAX - 31 * step;
    }
    if (high != 0 || wraps) {
        out->uniform = out->contiguous = false;
        return false;
    }
    out->min = hi != NULL ? ((uint64_t)hi[0] << 32 | first) + add : (uint32_t)(first + (uint32_t)add);
    out->max = out->uniform ? out->min : out->min + UINT64_C(31) * step;
    out->low_bits = out->uniform ? out->min : out->min | step; /* the multiples of a power of two add no lower bit */
    return true;
}

static void summarise(struct sim_addresses *out)
{
    uint64_t min = out->at[0], max = out->at[0], bits = 0;
    for (unsigned i = 0; i < 32; i++) {
        min = out->at[i] < min ? out->at[i] : min;
        max = out->at[i] > max ? out->at[i] : max;
        bits |= out->at[i];
    }
    out->min = min;
    out->max = max;
    out->low_bits = bits;
    out->uniform = min == max;
}

static void addresses(struct sim_addresses *out, const uint32_t *lo, const uint32_t *hi, int64_t offset, uint32_t mask,
                      uint32_t width_bytes)
{
    uint64_t add = (uint64_t)offset;
    out->mask = mask;
    out->width_bytes = width_bytes;
    out->contiguous = false;
    if (mask == UINT32_MAX && summarise_regular(out, lo, hi, add))
        return;
    if (hi != NULL) {
        for (unsigned i = 0; i < 32; i++)
            out->at[i] = ((uint64_t)hi[i] << 32 | lo[i]) + add;
    } else {
        for (unsigned i = 0; i < 32; i++)
            out->at[i] = (uint32_t)(lo[i] + (uint32_t)add);
    }
    if (mask != UINT32_MAX) {
        uint64_t first = out->at[__builtin_ctz(mask)];
        for (unsigned i = 0; i < 32; i++)
            out->at[i] = (mask >> i & 1) != 0 ? out->at[i] : first;
    }
    summarise(out);
}

static void merge(uint32_t *d, const uint32_t *s, uint32_t mask, uint32_t rows)
{
    uint32_t select[32];
    for (unsigned i = 0; i < 32; i++)
        select[i] = (uint32_t)0 - (mask >> i & 1);
    for (uint32_t r = 0; r < rows; r++, d += 32, s += 32)
        for (unsigned i = 0; i < 32; i++)
            d[i] = (s[i] & select[i]) | (d[i] & ~select[i]);
}

static void gather32(uint32_t *d, const uint8_t *base, const struct sim_addresses *a, uint64_t origin)
{
    if (a->contiguous && a->width_bytes == 4) {
        memcpy(d, base + (a->min - origin), 128);
        return;
    }
    if (a->uniform) {
        uint32_t word;
        memcpy(&word, base + (a->min - origin), 4);
        for (unsigned i = 0; i < 32; i++)
            d[i] = word;
        return;
    }
    if (a->contiguous) {
        for (unsigned i = 0; i < 32; i++)
            memcpy(&d[i], base + (a->min - origin) + (size_t)i * a->width_bytes, 4);
        return;
    }
    for (unsigned i = 0; i < 32; i++)
        memcpy(&d[i], base + (a->at[i] - origin), 4);
}

static void scatter32(uint8_t *base, const struct sim_addresses *a, uint64_t origin, const uint32_t *s)
{
    if (a->contiguous && a->width_bytes == 4) {
        memcpy(base + (a->min - origin), s, 128);
        return;
    }
    if (a->contiguous) {
        for (unsigned i = 0; i < 32; i++)
            memcpy(base + (a->min - origin) + (size_t)i * a->width_bytes, &s[i], 4);
        return;
    }
    if (a->uniform) { /* the last lane's value stays */
        memcpy(base + (a->min - origin), &s[31 - __builtin_clz(a->mask)], 4);
        return;
    }
    if (a->mask == UINT32_MAX) {
        for (unsigned i = 0; i < 32; i++)
            memcpy(base + (a->at[i] - origin), &s[i], 4);
        return;
    }
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        memcpy(base + (a->at[i] - origin), &s[i], 4);
    }
}

const struct sim_lanes LANES_TABLE = {addresses, merge, gather32, scatter32};
