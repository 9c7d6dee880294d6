/* Loads from constant memory: one address after another, each in the constant cache of the SM, or behind it.
 *
 * The near cache is small: 64-byte lines, 8 sets of 4. Behind it is one that holds all of a bank; what it has not been
 * asked for before comes from memory, a line of 256 bytes. */
#include "sim/timing/timing.h"

#include <string.h>

enum { NEAR_LINE_BYTES = 64, FAR_LINE_BYTES = 256 };

/* The line becomes the last used of its set. False: it was not there. */
static bool touch_near(struct timing_constant *c, uint64_t address)
{
    uint64_t line = address / NEAR_LINE_BYTES + 1;
    uint64_t *set = c->near[line % TIMING_CONSTANT_SETS];
    unsigned at = 0;
    while (at < TIMING_CONSTANT_WAYS - 1 && set[at] != line)
        at++;
    bool found = set[at] == line;
    memmove(set + 1, set, at * sizeof(*set));
    set[0] = line;
    return found;
}

static bool touch_far(struct timing_constant *c, uint64_t address)
{
    uint64_t line = address / FAR_LINE_BYTES % (64 * TIMING_CONSTANT_WORDS), bit = UINT64_C(1) << line % 64;
    bool found = (c->far[line / 64] & bit) != 0;
    c->far[line / 64] |= bit;
    return found;
}

uint64_t timing_constant_load(struct timing_sm *sm, struct timing_scheduler *s, const struct timing_effect *effect,
                              uint64_t at)
{
    const struct sim_device *d = sm->clock->memory.device;
    uint64_t start = at > s->constant_free ? at : s->constant_free, missed = 0;
    for (uint32_t i = 0; i < effect->count; i++) {
        uint64_t address = effect->requests[i].line;
        if (!touch_near(&sm->constant, address))
            missed += d->constant_miss_cycles;
        if (!touch_far(&sm->constant, address))
            missed += d->constant_cold_cycles;
    }
    uint64_t more = effect->count > 1 ? effect->count - 1 : 0;
    s->constant_free = start + d->constant_interval_cycles * (more + 1);
    return start + d->constant_latency_cycles + d->constant_address_cycles * more + missed;
}
