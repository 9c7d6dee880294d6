/* Which of the warps that can issue goes first. The policy sees their ages and who went last, nothing else. */
#include "sim/timing/timing.h"

/* Greedy, then oldest: the last one again while it can, else the one that has been here longest. */
static uint32_t pick_oldest(const struct timing_scheduler *s, struct timing_warp *const *places, uint64_t mask)
{
    if ((mask >> s->last & 1) != 0)
        return s->last;
    uint32_t best = (uint32_t)__builtin_ctzll(mask);
    for (uint64_t m = mask & (mask - 1); m != 0; m &= m - 1) {
        uint32_t place = (uint32_t)__builtin_ctzll(m);
        if (places[place]->age < places[best]->age)
            best = place;
    }
    return best;
}

/* Loose round-robin: the next place after the last one. */
static uint32_t pick_next(const struct timing_scheduler *s, uint64_t mask)
{
    uint64_t after = s->last >= 63 ? 0 : mask >> (s->last + 1) << (s->last + 1);
    return (uint32_t)__builtin_ctzll(after != 0 ? after : mask);
}

uint32_t timing_scheduler_pick(const struct timing_scheduler *s, struct timing_warp *const *places, uint64_t mask,
                               enum sim_scheduler policy)
{
    return policy == SIM_SCHEDULER_GTO ? pick_oldest(s, places, mask) : pick_next(s, mask);
}
