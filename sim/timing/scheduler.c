/* Which of the warps that can issue goes first. The policy sees their ages, who yielded and who went last, nothing
 * else.
 *
 * A scheduler is asked every cycle, and most candidates often wait for the same unit. So all that it looks at lies in
 * struct timing_scheduler, place by place, and those whose unit is taken are left out a unit at a time. */
#include "sim/timing/timing.h"

/* ---- Claims ---- */

static enum timing_claim claim_of(const struct timing_cost *cost)
{
    if (timing_is_tracked(cost))
        return TIMING_CLAIM_PLACES;
    if (cost->unit == TIMING_U_MEMORY || cost->queued)
        return TIMING_CLAIM_QUEUE;
    if (cost->unit == TIMING_U_FMA && cost->controlled)
        return TIMING_CLAIM_EITHER;
    return (enum timing_claim)cost->unit;
}

void timing_scheduler_claims(struct timing_cost *costs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        costs[i].claim = (uint8_t)claim_of(&costs[i]);
}

void timing_scheduler_claim(struct timing_scheduler *s, uint32_t place, const struct timing_cost *cost)
{
    uint64_t bit = UINT64_C(1) << place;
    const uint32_t claim = cost->claim, old = s->claim[place];
    s->claims[old] &= ~bit;
    if (s->claims[old] == 0)
        s->claimed &= ~(UINT32_C(1) << old);
    s->claims[claim] |= bit;
    s->claimed |= UINT32_C(1) << claim;
    s->claim[place] = (uint8_t)claim;
}

uint64_t timing_scheduler_free(const struct timing_scheduler *s, enum timing_claim claim)
{
    if (claim >= TIMING_CLAIM_QUEUE)
        return s->queue[s->queue_first];
    if (claim != TIMING_CLAIM_EITHER)
        return s->unit_free[claim];
    uint64_t fma = s->unit_free[TIMING_U_FMA], imad = s->unit_free[TIMING_U_IMAD];
    return imad < fma ? imad : fma;
}

uint64_t timing_scheduler_able(const struct timing_scheduler *s, uint64_t mask, uint64_t now, uint64_t *soonest)
{
    for (uint32_t claimed = s->claimed & ~(UINT32_C(1) << TIMING_CLAIM_PLACES); claimed != 0; claimed &= claimed - 1) {
        const uint32_t claim = (uint32_t)__builtin_ctz(claimed);
        if ((mask & s->claims[claim]) == 0)
            continue;
        uint64_t free_at = timing_scheduler_free(s, (enum timing_claim)claim);
        if (free_at <= now)
            continue;
        mask &= ~s->claims[claim];
        *soonest = free_at < *soonest ? free_at : *soonest;
    }
    return mask;
}

/* ---- Policies ---- */

/* Of those that let others go first, the one that did longest ago; of those that have not, the youngest. */
static bool goes_before(const struct timing_scheduler *s, uint32_t a, uint32_t b)
{
    return s->yielded_at[a] != s->yielded_at[b] ? s->yielded_at[a] < s->yielded_at[b] : s->age[a] > s->age[b];
}

/* Greedy, then oldest or youngest: the last one again while it can, unless it lets others go first, else the one that
 * has been here longest, or not as long as the others. */
static uint32_t pick_greedy(const struct timing_scheduler *s, uint64_t mask, bool youngest)
{
    uint64_t last = UINT64_C(1) << s->last;
    if ((mask & last) != 0 && ((mask & ~last) == 0 || !youngest || (s->yielded & last) == 0))
        return s->last;
    if (youngest)
        mask &= ~last;
    uint32_t best = (uint32_t)__builtin_ctzll(mask);
    for (uint64_t m = mask & (mask - 1); m != 0; m &= m - 1) {
        uint32_t place = (uint32_t)__builtin_ctzll(m);
        if (youngest ? goes_before(s, place, best) : s->age[place] < s->age[best])
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

/* Of those that ask something of global memory, the ones of the block that came first: two blocks that store are served
 * one after the other (validate/records/h200/micro, stream_st32_far_clean_g264: the second waits in its short stretch
 * until the first is done), and the warps of one take turns. */
static uint64_t of_first_block(const struct timing_scheduler *s, uint64_t mask)
{
    uint64_t asking = mask & s->claims[TIMING_CLAIM_PLACES], kept = 0, first = TIMING_NEVER;
    for (uint64_t m = asking; m != 0; m &= m - 1) {
        uint32_t place = (uint32_t)__builtin_ctzll(m);
        if (s->block_age[place] > first)
            continue;
        kept = s->block_age[place] < first ? 0 : kept;
        kept |= UINT64_C(1) << place;
        first = s->block_age[place];
    }
    return (mask & ~asking) | kept;
}

uint32_t timing_scheduler_pick(const struct timing_scheduler *s, uint64_t mask, enum sim_scheduler policy)
{
    switch (policy) {
    case SIM_SCHEDULER_GTO:
        return pick_greedy(s, mask, false);
    case SIM_SCHEDULER_CGGTY:
        return pick_greedy(s, of_first_block(s, mask), true);
    case SIM_SCHEDULER_TWO_LEVEL:
        return pick_in_group(s, mask);
    case SIM_SCHEDULER_LRR:
        break;
    }
    return pick_next(s, mask);
}
