/* What global memory sends back passes the data stage of its SM.
 *
 * The stage serves the instructions that wait for it and the lines that come back by turns: a line waits for the end of
 * the instruction that has the stage, and the next line for the end of the next one. Where stores to shared memory of
 * many wavefronts follow each other, the loads of other warps so come one by one (validate/records/h200/queue, tile).
 * An answer whose lines may find the stage taken waits in a heap until it comes (timing_returns_add); then
 * timing_returns_pass() says when it is through. */
#include "sim/timing/timing.h"

#include <stdlib.h>

/* When the answer's next line wants to pass. */
static uint64_t comes_at(const struct timing_sm *sm, uint32_t index)
{
    return sm->answers.items[index].passes_at;
}

/* Of two that come together, the one that was asked for first in the list. */
static bool comes_before(const struct timing_sm *sm, uint32_t a, uint32_t b)
{
    const uint64_t at_a = comes_at(sm, a), at_b = comes_at(sm, b);
    return at_a != at_b ? at_a < at_b : a < b;
}

static void swap(uint32_t *a, uint32_t *b)
{
    const uint32_t other = *a;
    *a = *b;
    *b = other;
}

static bool put(struct timing_sm *sm, uint32_t index, uint64_t passes_at)
{
    struct timing_returns *r = &sm->returns;
    if (r->count == r->capacity) {
        uint32_t *heap = timing_grow(sm->clock->engine, r->heap, &r->capacity, sizeof(*r->heap));
        if (heap == NULL)
            return false;
        r->heap = heap;
    }
    sm->answers.items[index].passes_at = passes_at;
    uint32_t at = r->count++;
    r->heap[at] = index;
    for (; at > 0 && comes_before(sm, r->heap[at], r->heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&r->heap[at], &r->heap[(at - 1) / 2]);
    return true;
}

bool timing_returns_add(struct timing_sm *sm, uint32_t index)
{
    const struct timing_answer *answer = &sm->answers.items[index];
    return put(sm, index, answer->done - answer->ahead_cycles);
}

static uint32_t take_first(struct timing_sm *sm)
{
    struct timing_returns *r = &sm->returns;
    const uint32_t first = r->heap[0];
    r->heap[0] = r->heap[--r->count];
    for (uint32_t at = 0, least = 1; least < r->count; least = 2 * at + 1) {
        if (least + 1 < r->count && comes_before(sm, r->heap[least + 1], r->heap[least]))
            least++;
        if (!comes_before(sm, r->heap[least], r->heap[at]))
            break;
        swap(&r->heap[at], &r->heap[least]);
        at = least;
    }
    return first;
}

uint64_t timing_returns_next(const struct timing_sm *sm)
{
    return sm->returns.count > 0 ? comes_at(sm, sm->returns.heap[0]) : TIMING_NEVER;
}

void timing_returns_note_use(struct timing_sm *sm, uint64_t end)
{
    struct timing_returns *r = &sm->returns;
    r->ends[r->uses++ % TIMING_DATA_USES] = end;
}

/* The end of the instruction that has the stage at cycle `at`; `at` if it is idle. */
static uint64_t end_of_use(const struct timing_returns *r, uint64_t at)
{
    uint64_t end = at;
    for (uint32_t i = 1; i <= TIMING_DATA_USES && i <= r->uses; i++) {
        const uint64_t one = r->ends[(r->uses - i) % TIMING_DATA_USES];
        if (one <= at)
            break;
        end = one;
    }
    return end;
}

/* A line of the answer that comes first: it passes where the stage is idle or changes hands, or it looks again at the
 * next change. */
static bool pass_line(struct timing_sm *sm, uint64_t now)
{
    struct timing_returns *r = &sm->returns;
    const uint32_t index = take_first(sm);
    struct timing_answer *answer = &sm->answers.items[index];
    const uint64_t at = answer->passes_at, end = end_of_use(r, at);
    if (end > at && end <= r->passed_at)
        return put(sm, index, r->passed_at);
    if (end > at)
        r->passed_at = end;
    if (--answer->lines > 0)
        return put(sm, index, end);
    answer->done = end + answer->ahead_cycles;
    return timing_answer_finish(sm, index, now);
}

bool timing_returns_pass(struct timing_sm *sm, uint64_t now)
{
    bool fine = true;
    while (fine && timing_returns_next(sm) <= now)
        fine = pass_line(sm, now);
    return fine;
}
