/* The row functions of sim/lanes.h, compiled once for each instruction set: SIM_EXEC_LEVEL_NAME is base, avx2 or
 * avx512. Plain loops over 32 lanes that the compiler vectorises. */
#include "sim/lanes.h"

#include <string.h>

#define LANES_PASTE2(a, b) a##b
#define LANES_PASTE(a, b)  LANES_PASTE2(a, b)
#define LANES_TABLE        LANES_PASTE(sim_lanes_table_, SIM_EXEC_LEVEL_NAME)

extern const struct sim_lanes LANES_TABLE;

static void fill_inactive(struct sim_addresses *out, uint32_t mask)
{
    uint64_t first = out->at[__builtin_ctz(mask)];
    for (unsigned i = 0; i < 32; i++)
        out->at[i] = (mask >> i & 1) != 0 ? out->at[i] : first;
}

static void summarise(struct sim_addresses *out, uint32_t mask, uint32_t width_bytes)
{
    uint64_t first = out->at[0], differs = 0, breaks = 0, bits = 0;
    for (unsigned i = 0; i < 32; i++) {
        differs |= out->at[i] ^ first;
        breaks |= out->at[i] ^ (first + (uint64_t)i * width_bytes);
        bits |= out->at[i];
    }
    out->low_bits = bits;
    out->uniform = differs == 0;
    out->contiguous = breaks == 0 && mask == UINT32_MAX;
    if (out->contiguous || out->uniform) {
        out->min = first;
        out->max = out->at[31];
        return;
    }
    uint64_t min = first, max = first;
    for (unsigned i = 1; i < 32; i++) {
        min = out->at[i] < min ? out->at[i] : min;
        max = out->at[i] > max ? out->at[i] : max;
    }
    out->min = min;
    out->max = max;
}

static void addresses(struct sim_addresses *out, const uint32_t *lo, const uint32_t *hi, int64_t offset, uint32_t mask,
                      uint32_t width_bytes)
{
    uint64_t add = (uint64_t)offset;
    if (hi != NULL) {
        for (unsigned i = 0; i < 32; i++)
            out->at[i] = ((uint64_t)hi[i] << 32 | lo[i]) + add;
    } else {
        uint32_t add32 = (uint32_t)add;
        for (unsigned i = 0; i < 32; i++)
            out->at[i] = (uint32_t)(lo[i] + add32);
    }
    out->mask = mask;
    out->width_bytes = width_bytes;
    if (mask != UINT32_MAX)
        fill_inactive(out, mask);
    summarise(out, mask, width_bytes);
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
    for (unsigned i = 0; i < 32; i++)
        memcpy(&d[i], base + (a->at[i] - origin), 4);
}

static void scatter32(uint8_t *base, const struct sim_addresses *a, uint64_t origin, const uint32_t *s)
{
    if (a->contiguous && a->width_bytes == 4) {
        memcpy(base + (a->min - origin), s, 128);
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
