/* What becomes of the requests that SMs have sent, at the end of a window.
 *
 * The SMs of a CPC share a way to L2. Each way has a next request: of the first ones in its SMs' lists the one that is
 * ready first. It is settled when it leaves (timing_memory_leaves_at), and slices and channels see the requests of all
 * ways in the order in which they leave; those that have not left at the end of the window stay in their lists. Ways
 * wait in slots, one a cycle of the window: a slot's ways are in a list, last come first. */
#include "sim/timing/timing.h"

#define NO_WAY UINT32_MAX

static void settle(struct sim_clock *clock, uint32_t sm, struct timing_sent *sent)
{
    struct timing_memory *memory = &clock->memory;
    sent->left = sent->told = 0;
    memory->ahead_cycles = clock->sms[sm].answers.items[sent->answer].ahead_cycles;
    switch ((enum timing_sent_kind)sent->kind) {
    case TIMING_SENT_LOAD:
        sent->came = timing_memory_load(memory, sm, &sent->request, sent->at);
        break;
    case TIMING_SENT_HIT:
        sent->came = sent->at + memory->device->l1_latency_cycles;
        break;
    case TIMING_SENT_STORE:
        sent->came = timing_memory_store(memory, sm, &sent->request, sent->whole, sent->at, &sent->left);
        break;
    default:
        sent->came = timing_memory_atomic(memory, sm, &sent->request,
                                          sent->kind == TIMING_SENT_RED ? TIMING_GIVES_NOTHING
                                          : sent->is_unread             ? TIMING_GIVES_UNREAD
                                                                        : TIMING_GIVES_VALUE,
                                          sent->lane_centicycles, sent->at, &sent->left, &sent->told);
        break;
    }
}

/* When the SM hears of it: what its places wait for, and its values. */
static void note_unheard(struct timing_answers *a, struct timing_requests *list)
{
    const struct timing_sent *sent = &list->items[list->settled];
    const uint64_t ahead = a->items[sent->answer].ahead_cycles; /* counted from then, a load is there sooner */
    uint64_t at = sent->left != 0 && sent->left < sent->came ? sent->left : sent->came;
    at = sent->is_unread && sent->told < at ? sent->told : at;
    at = at > ahead ? at - ahead : 0;
    a->unheard_at = !timing_has_settled(a) || at < a->unheard_at ? at : a->unheard_at;
    list->settled++;
}

static struct timing_requests *list_of(struct sim_clock *clock, const struct timing_way *way, uint32_t list)
{
    struct timing_answers *a = &clock->sms[way->sms[list / 2]].answers;
    return list % 2 != 0 ? &a->writes : &a->reads;
}

/* Notes what the way has to know of the first request of a list: reads and writes of an SM follow each other. */
static void note_first(struct sim_clock *clock, struct timing_way *way, uint32_t list)
{
    const struct timing_requests *r = list_of(clock, way, list);
    way->firsts[list] = (struct timing_first){TIMING_NEVER, false};
    if (r->settled < r->count)
        way->firsts[list] =
            (struct timing_first){r->items[r->settled].at, r->items[r->settled].kind == TIMING_SENT_LOAD};
}

/* Puts the way into the slot of its next request, no earlier one than `slot`, if that leaves before `until`. */
static void look(struct sim_clock *clock, uint32_t number, uint32_t slot, uint64_t from, uint64_t until)
{
    struct timing_memory *memory = &clock->memory;
    struct timing_way *way = &memory->ways[number];
    uint64_t ready_at = until, asked_at = 0;
    for (uint32_t list = 0; list < way->sm_count * 2; list++) {
        const struct timing_first *first = &way->firsts[list];
        if (first->at > ready_at)
            continue;
        const uint64_t at = timing_memory_ready_at(memory, way->sms[list / 2], first->at, first->is_load);
        if (at > ready_at || (at == ready_at && first->at >= asked_at))
            continue;
        ready_at = at;
        asked_at = first->at;
        way->head = list;
    }
    if (ready_at == until)
        return;
    const uint64_t leaves = timing_memory_leaves_at(memory, number, ready_at, way->firsts[way->head].is_load);
    if (leaves >= until)
        return;
    way->leaves_at = leaves > from + slot ? leaves : from + slot;
    slot = (uint32_t)(way->leaves_at - from);
    way->next = clock->slots[slot];
    clock->slots[slot] = number;
}

void timing_settle(struct sim_clock *clock, uint64_t from, uint64_t until)
{
    struct timing_memory *memory = &clock->memory;
    const uint32_t slots = (uint32_t)(until - from);
    for (uint32_t slot = 0; slot < slots; slot++)
        clock->slots[slot] = NO_WAY;
    for (uint32_t number = memory->way_count; number-- > 0;) {
        for (uint32_t list = 0; list < memory->ways[number].sm_count * 2; list++)
            note_first(clock, &memory->ways[number], list);
        look(clock, number, 0, from, until);
    }
    for (uint32_t slot = 0; slot < slots;) {
        const uint32_t number = clock->slots[slot];
        if (number == NO_WAY) {
            slot++;
            continue;
        }
        struct timing_way *way = &memory->ways[number];
        const uint32_t sm = way->sms[way->head / 2];
        struct timing_requests *list = list_of(clock, way, way->head);
        clock->slots[slot] = way->next;
        settle(clock, sm, &list->items[list->settled]);
        note_unheard(&clock->sms[sm].answers, list);
        note_first(clock, way, way->head);
        look(clock, number, slot, from, until);
    }
}
