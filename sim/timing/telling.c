/* What waits behind atomics that tell what memory their address is in.
 *
 * An atomic through a generic address stays in the memory queue until the SM has room for it; then it is known to be
 * one of global memory, and tells so (validate/records/h200/queue, backlog,generic). The queue keeps its order: what
 * has issued behind it (stores, CCTL) has its place until then, and fences and a warp's end wait for it. Atomics of an
 * SM are numbered as they issue; when they tell is known when their answers are (answer.c). */
#include "sim/timing/timing.h"

void timing_telling_note(struct timing_sm *sm, struct timing_warp *w)
{
    struct timing_telling *t = &sm->telling;
    struct timing_answer *answer = &sm->answers.items[sm->answers.now];
    if (w->cost->tells_space) {
        t->at[t->issued % TIMING_TELLING] = TIMING_NEVER;
        answer->turn = ++t->issued;
        timing_counters_leave_open(w, w->cost);
    } else if (answer->writes) {
        answer->behind = w->behind = t->issued;
    }
}

void timing_telling_leave(struct timing_sm *sm, struct timing_places places, uint32_t behind, uint64_t at)
{
    struct timing_telling *t = &sm->telling;
    const uint64_t told = timing_told_at(sm, behind);
    const uint64_t free_at = told > at ? told : at;
    timing_places_set(places, free_at);
    if (told == TIMING_NEVER && t->held_count < TIMING_TELLING)
        t->held[t->held_count++] = (struct timing_held){places, behind, at};
}

/* The places of what was behind it, fences, and warps that have ended. */
static bool let_go(struct timing_sm *sm)
{
    struct timing_telling *t = &sm->telling;
    const uint32_t count = t->held_count;
    t->held_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct timing_held held = t->held[i];
        timing_telling_leave(sm, held.places, held.behind, held.at);
    }
    for (uint32_t i = 0; i < sm->clock->places_per_sm * sm->clock->warps_per_block; i++) {
        struct timing_warp *w = &sm->warps[i];
        if (w->warp == NULL || w->behind == 0)
            continue;
        timing_answer_end_waits(sm, w);
        const bool is_looking = w->warp != NULL && !w->ending && w->op != NULL && w->ready_at == TIMING_NEVER;
        if (is_looking && !timing_sm_look(sm, w))
            return false;
    }
    return true;
}

bool timing_telling_told(struct timing_sm *sm, uint32_t turn, uint64_t at)
{
    sm->telling.at[(turn - 1) % TIMING_TELLING] = at;
    return let_go(sm);
}
