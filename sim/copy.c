/* The cost of cp.async. The rules are read off the H200: validate/records/h200/tensor. */
#include "sim/copy.h"

static bool in_mask(uint32_t mask, unsigned lane)
{
    return (mask >> lane & 1) != 0;
}

static uint32_t round_up(uint32_t bytes, uint32_t unit)
{
    return (bytes + unit - 1) / unit;
}

/* Most lanes of `mask` whose places are in one bank; words of one copy's width are a bank. */
static uint32_t busiest_bank(const uint64_t address[32], uint32_t mask, uint32_t width, uint32_t line)
{
    uint8_t lanes[32] = {0};
    uint32_t most = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        if (!in_mask(mask, lane))
            continue;
        uint8_t *bank = &lanes[address[lane] % line / width % 32];
        if (++*bank > most)
            most = *bank;
    }
    return most;
}

/* Lanes are served in groups that fill a line. */
static uint32_t through_l1(const struct sim_copy *copy, uint32_t line)
{
    const uint32_t lanes = line / copy->width_bytes < 32 ? line / copy->width_bytes : 32;
    uint32_t wavefronts = 0;
    for (uint32_t first = 0; first < 32; first += lanes) {
        const uint32_t group = (lanes == 32 ? UINT32_MAX : ((UINT32_C(1) << lanes) - 1) << first) & copy->mask;
        const uint32_t to = busiest_bank(copy->to, group, copy->width_bytes, line);
        const uint32_t from = busiest_bank(copy->from, group & copy->read_mask, copy->width_bytes, line);
        wavefronts += to > from ? to : from;
    }
    return wavefronts;
}

/* The lanes of `mask` that are the first to write their place. */
static uint32_t first_writers(const struct sim_copy *copy, uint32_t mask)
{
    uint32_t first = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        bool is_first = in_mask(mask, lane);
        for (unsigned other = 0; other < lane && is_first; other++)
            is_first = !in_mask(first, other) || copy->to[other] != copy->to[lane];
        first |= (uint32_t)is_first << lane;
    }
    return first;
}

/* Lanes of `mask` with different (from / unit, to / unit, places within the unit exclusive-or'ed). */
static uint32_t different_moves(const struct sim_copy *copy, uint32_t mask, uint32_t unit)
{
    uint32_t count = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        bool is_new = in_mask(mask, lane);
        for (unsigned other = 0; other < lane && is_new; other++)
            is_new = !(in_mask(mask, other) && copy->from[other] / unit == copy->from[lane] / unit &&
                       copy->to[other] / unit == copy->to[lane] / unit &&
                       (copy->from[other] ^ copy->to[other]) % unit == (copy->from[lane] ^ copy->to[lane]) % unit);
        count += is_new;
    }
    return count;
}

static uint32_t past_l1(const struct sim_copy *copy, uint32_t line)
{
    const uint32_t first = first_writers(copy, copy->mask), read = first & copy->read_mask;
    uint32_t wavefronts = different_moves(copy, read, line);
    for (unsigned lane = 0; lane < 32; lane++) { /* lines that only zeros go to */
        bool is_new = in_mask(first & ~read, lane);
        for (unsigned other = 0; other < 32 && is_new; other++)
            is_new = !(in_mask(first, other) && copy->to[other] / line == copy->to[lane] / line &&
                       (in_mask(read, other) || other < lane));
        wavefronts += is_new;
    }
    return wavefronts;
}

struct sim_wavefronts sim_copy_wavefronts(const struct sim_copy *copy, uint32_t line_bytes)
{
    struct sim_wavefronts result;
    const uint32_t lanes = copy->past_l1 ? first_writers(copy, copy->mask) : copy->mask;
    const uint32_t packed = round_up((uint32_t)__builtin_popcount(lanes) * copy->width_bytes, line_bytes);
    result.actual = copy->past_l1 ? past_l1(copy, line_bytes) : through_l1(copy, line_bytes);
    result.ideal = packed < result.actual ? packed : result.actual;
    return result;
}

struct sim_global_sectors sim_copy_sectors(const struct sim_copy *copy, uint32_t sector_bytes)
{
    const uint32_t read = first_writers(copy, copy->mask) & copy->read_mask;
    struct sim_global_sectors result;
    const uint32_t packed = round_up((uint32_t)__builtin_popcount(read) * copy->width_bytes, sector_bytes);
    result.actual = different_moves(copy, read, sector_bytes);
    result.ideal = packed < result.actual ? packed : result.actual;
    return result;
}
