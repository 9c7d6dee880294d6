/* Requests to L2 that an SM has sent, and what becomes of them.
 *
 * The SM puts its requests into a list (timing_send). When all SMs have come to the end of the window, those that leave
 * before it are settled (settle.c). At its next turn the SM hears it (timing_hear): the last answer to an instruction
 * brings its result, gives back its place in the backlog, and lets a warp go on that waited for it. */
#include "sim/timing/timing.h"

#include <stdlib.h>
#include <string.h>

/* ---- Sending ---- */

/* An array with room for twice as much as there is. NULL: out of memory. */
void *timing_grow(struct sim_engine *engine, void *items, uint32_t *capacity, size_t item_bytes)
{
    uint32_t larger = *capacity > 0 ? *capacity * 2 : 64;
    void *grown = sim_engine_alloc(engine, larger, item_bytes);
    if (grown == NULL)
        return NULL;
    if (*capacity > 0)
        memcpy(grown, items, *capacity * item_bytes);
    free(items);
    engine->used_bytes -= *capacity * item_bytes;
    *capacity = larger;
    return grown;
}

static uint32_t new_answer(struct timing_sm *sm)
{
    struct timing_answers *a = &sm->answers;
    struct timing_warp *w = sm->clock->warp;
    uint32_t index = a->free;
    if (index != TIMING_NO_ANSWER) {
        a->free = a->items[index].next_free;
    } else {
        if (a->count == a->capacity) {
            void *items = timing_grow(sm->clock->engine, a->items, &a->capacity, sizeof(*a->items));
            if (items == NULL)
                return TIMING_NO_ANSWER;
            a->items = items;
        }
        index = a->count++;
    }
    a->items[index] = (struct timing_answer){.warp = w, .cost = w->cost, .life = w->life};
    return index;
}

bool timing_send(struct timing_sm *sm, const struct timing_sent *sent)
{
    struct timing_answers *a = &sm->answers;
    if (a->now == TIMING_NO_ANSWER)
        a->now = new_answer(sm);
    struct timing_requests *list = sent->kind >= TIMING_SENT_STORE ? &a->writes : &a->reads;
    if (list->count == list->capacity) {
        void *items = timing_grow(sm->clock->engine, list->items, &list->capacity, sizeof(*list->items));
        if (items == NULL)
            return false;
        list->items = items;
    }
    if (a->now == TIMING_NO_ANSWER)
        return false;
    struct timing_answer *answer = &a->items[a->now];
    answer->unsettled++;
    answer->lines += sent->kind == TIMING_SENT_LOAD;
    answer->writes |= sent->kind >= TIMING_SENT_STORE;
    answer->returns |= sent->kind == TIMING_SENT_ATOMIC;
    struct timing_sent *last = &list->items[list->count++];
    *last = *sent;
    last->answer = a->now;
    return true;
}

/* ---- Hearing ---- */

static void free_answer(struct timing_answers *a, uint32_t index)
{
    a->items[index].next_free = a->free;
    a->free = index;
}

/* A fence that waited for what the warp has asked of memory, or its end, which waits for its writes. */
void timing_answer_end_waits(struct timing_sm *sm, struct timing_warp *w)
{
    if (timing_is_writing(sm, w) || (w->loading > 0 && !w->ending))
        return;
    if (w->ending) {
        timing_sm_ended(sm, w);
    } else if (w->is_fenced) {
        w->not_before = timing_fence_until(sm, w, sm->clock->engine->device, w->waits_from);
        w->is_fenced = false;
    }
}

static void end_copy(struct timing_sm *sm, struct timing_warp *w, const struct timing_answer *answer, uint64_t done)
{
    timing_copies_done(&w->copies, answer->copy_group, done + sm->clock->engine->device->copy_latency_cycles);
    if (!w->waits_for_copies)
        return;
    uint64_t until =
        w->copies_left == UINT32_MAX ? timing_copies_all(&w->copies) : timing_copies_wait(&w->copies, w->copies_left);
    if (until == TIMING_NEVER)
        return;
    w->waits_for_copies = false;
    w->not_before = until > w->waits_from ? until : w->waits_from;
}

/* The instruction has all its answers. */
static void give(struct timing_sm *sm, struct timing_warp *w, uint32_t index)
{
    const struct timing_answer *answer = &sm->answers.items[index];
    const uint64_t done = answer->done + answer->more_cycles - answer->ahead_cycles;
    if (answer->turn > 0)
        timing_counters_tell(w, answer->cost, answer->told + sm->clock->memory.device->atomic_told_cycles);
    if (answer->cost->controlled)
        timing_counters_answer(w, answer->cost, answer->number, done);
    else
        timing_values_answer(w, answer->cost, answer->frame, answer->pframe, done);
    if (w->closed_by == index + 1) {
        w->closed_by = 0;
        w->not_before = done;
    }
    if (answer->is_copy)
        end_copy(sm, w, answer, done);
    if (answer->writes) {
        w->unanswered--;
        w->drained_at = done > w->drained_at ? done : w->drained_at;
        w->sent_at = answer->left > w->sent_at ? answer->left : w->sent_at;
        if (answer->returns)
            w->came_at = done > w->came_at ? done : w->came_at;
    } else {
        w->loading--;
        w->loaded_at = done > w->loaded_at ? done : w->loaded_at;
    }
    timing_answer_end_waits(sm, w);
}

/* An instruction has left the SM: by how much later than guessed. */
static void correct_guess(struct timing_sm *sm, const struct timing_answer *answer)
{
    const uint64_t guess = sm->guess.at[answer->places.of_sm - sm->leaving], left = answer->left * 100;
    sm->guess.late = left > guess ? left - guess : 0;
}

/* Schedulers that waited for one of them look again. */
static void give_places_back(struct timing_sm *sm, const struct timing_answer *answer, uint64_t now)
{
    timing_telling_leave(sm, answer->places, answer->behind, answer->left);
    if (answer->places.of_sm != NULL)
        correct_guess(sm, answer);
    for (uint32_t i = 0; i < sm->clock->scheduler_count; i++) {
        struct timing_scheduler *s = &sm->schedulers[i];
        if (!s->has_no_place)
            continue;
        s->has_no_place = false;
        s->next = s->next > now ? now : s->next;
        sm->next = sm->next > now ? now : sm->next;
    }
}

bool timing_answer_finish(struct timing_sm *sm, uint32_t index, uint64_t now)
{
    struct timing_answer *answer = &sm->answers.items[index];
    struct timing_warp *w = answer->warp;
    if (answer->places.of_scheduler != NULL)
        give_places_back(sm, answer, now);
    const uint32_t turn = answer->turn;
    const uint64_t told = answer->told;
    if (timing_is_heard(sm))
        timing_hook_tell(sm, &answer->event, answer->done + answer->more_cycles);
    if (answer->writes && answer->done > sm->answered_at)
        sm->answered_at = answer->done;
    const bool lives = w->warp != NULL && w->life == answer->life;
    if (lives)
        give(sm, w, index);
    free_answer(&sm->answers, index);
    if (turn > 0 && !timing_telling_told(sm, turn, told))
        return false;
    return !lives || w->warp == NULL || w->ending || w->op == NULL || w->ready_at != TIMING_NEVER ||
           timing_sm_look(sm, w);
}

/* The instruction's last request is settled. */
static bool end_answer(struct timing_sm *sm, uint32_t index, uint64_t now)
{
    const struct timing_answer *answer = &sm->answers.items[index];
    if (sm->clock->shares_data && answer->lines > 0 && !answer->writes && !answer->is_copy)
        return timing_returns_add(sm, index);
    return timing_answer_finish(sm, index, now);
}

/* What the request brings to L1. */
static void fill(struct timing_sm *sm, struct timing_sent *sent)
{
    struct timing_line *line = sent->l1_line != UINT32_MAX ? &sm->l1.lines[sent->l1_line] : NULL;
    if (line == NULL || line->tag != sent->request.line + 1)
        return;
    const uint64_t ahead = sm->answers.items[sent->answer].ahead_cycles;
    if (sent->kind == TIMING_SENT_HIT) {
        sent->came = line->filled_at + ahead > sent->came ? line->filled_at + ahead : sent->came;
    } else if (line->under_way > 0) {
        line->under_way--;
        line->filled_at = sent->came - ahead > line->filled_at ? sent->came - ahead : line->filled_at;
    }
}

static bool hear(struct timing_sm *sm, struct timing_requests *list, uint64_t now)
{
    bool fine = true;
    for (uint32_t i = 0; fine && i < list->settled; i++) {
        struct timing_sent *sent = &list->items[i];
        struct timing_answer *answer = &sm->answers.items[sent->answer];
        fill(sm, sent);
        answer->done = sent->came > answer->done ? sent->came : answer->done;
        answer->left = sent->left > answer->left ? sent->left : answer->left;
        answer->told = sent->told > answer->told ? sent->told : answer->told;
        if (--answer->unsettled == 0)
            fine = end_answer(sm, sent->answer, now);
    }
    list->count -= list->settled;
    if (list->settled > 0 && list->count > 0)
        memmove(list->items, list->items + list->settled, list->count * sizeof(*list->items));
    list->settled = 0;
    return fine;
}

bool timing_hear(struct timing_sm *sm, uint64_t now)
{
    return hear(sm, &sm->answers.reads, now) && hear(sm, &sm->answers.writes, now);
}

static uint64_t first_unsettled(const struct timing_requests *list)
{
    return list->settled < list->count ? list->items[list->settled].at : TIMING_NEVER;
}

uint64_t timing_unheard_at(const struct timing_sm *sm)
{
    const struct timing_answers *a = &sm->answers;
    const uint64_t reads = first_unsettled(&a->reads), writes = first_unsettled(&a->writes);
    const uint64_t first = reads < writes ? reads : writes;
    return timing_has_settled(a) && a->unheard_at < first ? a->unheard_at : first;
}

void timing_answers_free(struct timing_sm *sm)
{
    free(sm->answers.items);
    free(sm->answers.reads.items);
    free(sm->answers.writes.items);
    free(sm->returns.heap);
}
