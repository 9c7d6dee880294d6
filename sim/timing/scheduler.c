/* Which of the warps that can issue goes first. The policy sees their ages and who went last, nothing else. */
#include "sim/timing/timing.h"

/* Of those that let others go first, the one that did longest ago; of those that have not, the youngest. */
static bool goes_before(const struct timing_warp *a, const struct timing_warp *b)
{
    return a->yielded_at != b->yielded_at ? a->yielded_at < b->yielded_at : a->age > b->age;
}

/* Greedy, then oldest or youngest: the last one again while it can, unless it lets others go first, else the one that
 * has been here longest, or not as long as the others. */
static uint32_t pick_greedy(const struct timing_scheduler *s, struct timing_warp *const *places, uint64_t mask,
                            bool youngest)
{
    uint64_t last = UINT64_C(1) << s->last;
    if ((mask & last) != 0 && ((mask & ~last) == 0 || !youngest || !places[s->last]->yielded))
        return s->last;
    if (youngest)
        mask &= ~last;
    uint32_t best = (uint32_t)__builtin_ctzll(mask);
    for (uint64_t m = mask & (mask - 1); m != 0; m &= m - 1) {
        uint32_t place = (uint32_t)__builtin_ctzll(m);
        if (youngest ? goes_before(places[place], places[best]) : places[place]->age < places[best]->age)
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

/* Two levels: the places are in groups, which take turns when nobody in one can go; round-robin within. */
static uint32_t pick_in_group(const struct timing_scheduler *s, uint64_t mask)
{
    uint64_t group = UINT64_C(0xff) << (s->last & ~7u);
    return pick_next(s, (mask & group) != 0 ? mask & group : mask);
}

uint32_t timing_scheduler_pick(const struct timing_scheduler *s, struct timing_warp *const *places, uint64_t mask,
                               enum sim_scheduler policy)
{
    switch (policy) {
    case SIM_SCHEDULER_GTO:
    case SIM_SCHEDULER_CGGTY:
        return pick_greedy(s, places, mask, policy == SIM_SCHEDULER_CGGTY);
    case SIM_SCHEDULER_TWO_LEVEL:
        return pick_in_group(s, mask);
    case SIM_SCHEDULER_LRR:
        break;
    }
    return pick_next(s, mask);
}
