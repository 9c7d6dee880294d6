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

/* The first request of a list of the way's, if none is before it. */
struct first {
    uint64_t ready_at, asked_at;
};
static void compare(struct timing_way *way, const struct timing_memory *memory, uint32_t sm,
                    const struct timing_requests *list, bool writes, struct first *first)
{
    if (list->settled == list->count)
        return;
    const struct timing_sent *sent = &list->items[list->settled];
    const uint64_t at = timing_memory_ready_at(memory, sm, sent);
    if (at > first->ready_at || (at == first->ready_at && sent->at >= first->asked_at))
        return;
    *first = (struct first){at, sent->at};
    way->head = sm;
    way->head_writes = writes;
}

static struct timing_requests *head_list(struct sim_clock *clock, const struct timing_way *way)
{
    struct timing_answers *a = &clock->sms[way->head].answers;
    return way->head_writes ? &a->writes : &a->reads;
}

/* Puts the way into the slot of its next request, no earlier one than `slot`, if that leaves before `until`. */
static void look(struct sim_clock *clock, uint32_t number, uint32_t slot, uint64_t from, uint64_t until)
{
    struct timing_memory *memory = &clock->memory;
    struct timing_way *way = &memory->ways[number];
    struct first first = {until, 0};
    for (uint32_t i = 0; i < way->sm_count; i++) {
        const struct timing_answers *a = &clock->sms[way->sms[i]].answers;
        compare(way, memory, way->sms[i], &a->reads, false, &first);
        compare(way, memory, way->sms[i], &a->writes, true, &first);
    }
    if (first.ready_at == until)
        return;
    const struct timing_requests *list = head_list(clock, way);
    const uint64_t leaves = timing_memory_leaves_at(memory, way->head, &list->items[list->settled]);
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
    for (uint32_t number = memory->way_count; number-- > 0;)
        look(clock, number, 0, from, until);
    for (uint32_t slot = 0; slot < slots;) {
        const uint32_t number = clock->slots[slot];
        if (number == NO_WAY) {
            slot++;
            continue;
        }
        struct timing_way *way = &memory->ways[number];
        struct timing_requests *list = head_list(clock, way);
        clock->slots[slot] = way->next;
        settle(clock, way->head, &list->items[list->settled]);
        note_unheard(&clock->sms[way->head].answers, list);
        look(clock, number, slot, from, until);
    }
}
