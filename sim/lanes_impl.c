/* The row functions of sim/lanes.h, compiled once for each instruction set: SIM_EXEC_LEVEL_NAME is base, avx2 or
 * avx512. Plain loops over 32 lanes that the compiler vectorises. */
#include "sim/lanes.h"

#include <string.h>

#define LANES_PASTE2(a, b) a##b
#define LANES_PASTE(a, b)  LANES_PASTE2(a, b)
#define LANES_TABLE        LANES_PASTE(sim_lanes_table_, SIM_EXEC_LEVEL_NAME)

extern const struct sim_lanes LANES_TABLE;

/* Few instructions have scattered addresses. Evenly spaced ones are told from 32-bit differences alone, and their
 * entries are not written. A falling step counts as scattered. */
static bool summarise_even(struct sim_addresses *out, const uint32_t *lo, const uint32_t *hi, uint64_t add)
{
    const uint32_t first = lo[0], step = lo[1] - first;
    uint32_t breaks = 0;
    for (uint32_t i = 0; i < 32; i++)
        breaks |= lo[i] ^ (first + i * step);
    for (unsigned i = 0; hi != NULL && i < 32; i++)
        breaks |= hi[i] ^ hi[0];
    const uint32_t start = hi != NULL ? first : first + (uint32_t)add; /* what must not wrap on the way */
    if (breaks != 0 || UINT64_C(31) * step > UINT32_MAX - start)
        return false;
    out->even = true;
    out->is_written = false;
    out->step_bytes = step;
    out->contiguous = step == out->width_bytes;
    out->uniform = step == 0;
    out->min = hi != NULL ? ((uint64_t)hi[0] << 32 | first) + add : start;
    out->max = out->min + UINT64_C(31) * step;
    out->low_bits = out->min | step; /* the multiples of the step add no lower bit */
    return true;
}

static __attribute__((noinline)) void scattered(struct sim_addresses *out, const uint32_t *lo, const uint32_t *hi,
                                                uint64_t add)
{
    const uint32_t mask = out->mask;
    uint64_t *at = out->at;
    if (hi != NULL) {
        for (unsigned i = 0; i < 32; i++)
            at[i] = ((uint64_t)hi[i] << 32 | lo[i]) + add;
    } else {
        for (unsigned i = 0; i < 32; i++)
            at[i] = (uint32_t)(lo[i] + (uint32_t)add);
    }
    if (mask != UINT32_MAX) {
        uint64_t first = at[__builtin_ctz(mask)];
        for (unsigned i = 0; i < 32; i++)
            at[i] = (mask >> i & 1) != 0 ? at[i] : first;
    }
    uint64_t min = at[0], max = at[0], bits = 0;
    for (unsigned i = 0; i < 32; i++) {
        min = at[i] < min ? at[i] : min;
        max = at[i] > max ? at[i] : max;
        bits |= at[i];
    }
    out->min = min;
    out->max = max;
    out->low_bits = bits;
    out->even = out->contiguous = false;
    out->uniform = min == max;
    out->is_written = true;
}

static void addresses(struct sim_addresses *out, const uint32_t *lo, const uint32_t *hi, int64_t offset, uint32_t mask,
                      uint32_t width_bytes)
{
    out->mask = mask;
    out->width_bytes = width_bytes;
    if (mask != UINT32_MAX || !summarise_even(out, lo, hi, (uint64_t)offset))
        scattered(out, lo, hi, (uint64_t)offset);
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

/* Words anywhere in memory: one, and eight side by side. */
typedef uint32_t loose_word __attribute__((aligned(1), may_alias));
typedef uint32_t loose_words __attribute__((vector_size(32), aligned(1), may_alias));

/* As loads and stores of its own: a call of memcpy() takes longer, and one by halves of a vector keeps the vector
 * instruction waiting that reads the row next. */
static void move_row(void *to, const void *from)
{
    loose_words *d = to;
    const loose_words *s = from;
    const loose_words s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];
    d[0] = s0;
    d[1] = s1;
    d[2] = s2;
    d[3] = s3;
}

static void gather32(uint32_t *d, const uint8_t *base, const struct sim_addresses *a, uint64_t origin)
{
    const uint8_t *first = base + (a->min - origin);
    const size_t step = a->step_bytes;
    if (a->even && step == 4) {
        move_row(d, first);
    } else if (a->uniform) {
        const uint32_t word = *(const loose_word *)first;
        for (unsigned i = 0; i < 32; i++)
            d[i] = word;
    } else if (a->even) {
        for (unsigned i = 0; i < 32; i++)
            d[i] = *(const loose_word *)(first + i * step);
    } else {
        for (unsigned i = 0; i < 32; i++)
            d[i] = *(const loose_word *)(base + (a->at[i] - origin));
    }
}

static void scatter32(uint8_t *base, const struct sim_addresses *a, uint64_t origin, const uint32_t *s)
{
    uint8_t *first = base + (a->min - origin);
    const size_t step = a->step_bytes;
    if (a->even && step == 4) {
        move_row(first, s);
        return;
    }
    if (a->uniform) { /* the last lane's value stays */
        *(loose_word *)first = s[31 - __builtin_clz(a->mask)];
        return;
    }
    if (a->even) { /* in lane order: where the step is less than a word, later lanes stay */
        for (unsigned i = 0; i < 32; i++)
            *(loose_word *)(first + i * step) = s[i];
        return;
    }
    if (a->mask == UINT32_MAX) {
        for (unsigned i = 0; i < 32; i++)
            *(loose_word *)(base + (a->at[i] - origin)) = s[i];
        return;
    }
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        *(loose_word *)(base + (a->at[i] - origin)) = s[i];
    }
}

const struct sim_lanes LANES_TABLE = {addresses, merge, gather32, scatter32};
