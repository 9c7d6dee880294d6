/* Keeps events of the clock, SM by SM, within a limit. */
#include "advise/timeline.h"

#include <stdlib.h>

static struct advise_sm *sm_of(struct advise_timeline *timeline, uint32_t number)
{
    while (timeline->sms.count <= number) {
        struct advise_sm none = {.number = (uint32_t)timeline->sms.count};
        if (!base_vec_push(&timeline->sms, none)) {
            timeline->failed = true;
            return NULL;
        }
    }
    return &timeline->sms.data[number];
}

static void free_sm(struct advise_sm *sm)
{
    base_vec_free(&sm->stays);
    base_vec_free(&sm->moments);
    base_vec_free(&sm->current);
}

static uint64_t events_of(const struct advise_sm *sm)
{
    return sm->moments.count + sm->stays.count;
}

/* Lets half of the SMs go. False when only one is left. */
static bool make_room(struct advise_timeline *timeline)
{
    uint32_t kept = timeline->kept_sms > 0 ? timeline->kept_sms : timeline->used_sms;
    if (kept <= 1)
        return false;
    kept = (kept + 1) / 2;
    for (size_t i = kept; i < timeline->sms.count; i++) {
        timeline->count -= events_of(&timeline->sms.data[i]);
        free_sm(&timeline->sms.data[i]);
    }
    if (timeline->sms.count > kept)
        timeline->sms.count = kept;
    timeline->kept_sms = kept;
    return true;
}

static bool has_room(struct advise_timeline *timeline, const struct sim_clock_event *event)
{
    while (timeline->count >= timeline->limit) {
        if (!make_room(timeline)) {
            timeline->cut = true;
            timeline->kept_sms = 1;
            timeline->cut_at = event->from;
            return false;
        }
    }
    return timeline->kept_sms == 0 || event->sm < timeline->kept_sms;
}

static void begin(struct advise_timeline *timeline, struct advise_sm *sm, const struct sim_clock_event *event)
{
    struct advise_stay stay = {.place = event->place,
                               .warp = event->warp,
                               .block = {event->block[0], event->block[1], event->block[2]},
                               .from = event->from,
                               .to = event->from};
    while (sm->current.count <= event->place) {
        if (!base_vec_push(&sm->current, 0)) {
            timeline->failed = true;
            return;
        }
    }
    if (!base_vec_push(&sm->stays, stay)) {
        timeline->failed = true;
        return;
    }
    sm->current.data[event->place] = (uint32_t)sm->stays.count;
    timeline->count++;
}

static void add(struct advise_timeline *timeline, struct advise_sm *sm, uint32_t stay,
                const struct sim_clock_event *event)
{
    uint64_t cycles = event->to - event->from;
    struct advise_moment moment = {.from = event->from,
                                   .cycles = cycles < UINT32_MAX ? (uint32_t)cycles : UINT32_MAX,
                                   .stay = stay,
                                   .pc = event->pc,
                                   .sectors = event->sectors,
                                   .wavefronts = event->wavefronts,
                                   .kind = (uint8_t)event->kind,
                                   .reason = event->reason,
                                   .space = event->space,
                                   .access = (uint8_t)event->access};
    if (!base_vec_push(&sm->moments, moment)) {
        timeline->failed = true;
        return;
    }
    if (event->kind == SIM_CLOCK_SPAN)
        sm->stays.data[stay].to = event->to;
    timeline->count++;
}

void advise_timeline_event(void *user, const struct sim_clock_event *event)
{
    struct advise_timeline *timeline = user;
    if (event->kind != SIM_CLOCK_END)
        timeline->told++;
    if (event->sm >= timeline->used_sms)
        timeline->used_sms = event->sm + 1;
    if (timeline->failed || (timeline->cut && event->kind != SIM_CLOCK_END) ||
        (event->kind != SIM_CLOCK_END && !has_room(timeline, event)))
        return;
    if (timeline->kept_sms > 0 && event->sm >= timeline->kept_sms)
        return;
    struct advise_sm *sm = sm_of(timeline, event->sm);
    if (!sm)
        return;
    if (event->kind == SIM_CLOCK_BEGIN) {
        begin(timeline, sm, event);
        return;
    }
    uint32_t stay = event->place < sm->current.count ? sm->current.data[event->place] : 0;
    if (stay == 0)
        return;
    if (event->kind != SIM_CLOCK_END) {
        add(timeline, sm, stay - 1, event);
        return;
    }
    sm->current.data[event->place] = 0;
    sm->stays.data[stay - 1].ended = !timeline->cut;
}

void advise_timeline_free(struct advise_timeline *timeline)
{
    for (size_t i = 0; i < timeline->sms.count; i++)
        free_sm(&timeline->sms.data[i]);
    base_vec_free(&timeline->sms);
}
