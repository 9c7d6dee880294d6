/* Tells a listener (sim_options.clock_hook) what warps do with their time. */
#include "sim/timing/timing.h"

static uint32_t pc_of(const struct sim_op *op)
{
    if (op == NULL)
        return 0;
    return op->insn != NULL && op->insn->sass != NULL ? op->insn->pc : op->counter - 1;
}

static struct sim_clock_event event_of(const struct timing_sm *sm, const struct timing_warp *w)
{
    const struct sim_block *block = w->block->block;
    return (struct sim_clock_event){.sm = sm->index,
                                    .place = (uint32_t)(w - sm->warps),
                                    .block = {block->ctaid[0], block->ctaid[1], block->ctaid[2]},
                                    .warp = w->warp->index,
                                    .pc = pc_of(w->op)};
}

static void tell(const struct timing_sm *sm, const struct sim_clock_event *event)
{
    const struct sim_options *options = sm->clock->engine->options;
    options->clock_hook(options->clock_user, event);
}

void timing_hook_begin(const struct timing_sm *sm, const struct timing_warp *w)
{
    struct sim_clock_event event = event_of(sm, w);
    event.kind = SIM_CLOCK_BEGIN;
    event.from = event.to = w->started_at;
    tell(sm, &event);
}

void timing_hook_span(const struct timing_sm *sm, const struct timing_warp *w, enum sim_stall reason, uint64_t from,
                      uint64_t to)
{
    struct sim_clock_event event = event_of(sm, w);
    event.kind = SIM_CLOCK_SPAN;
    event.reason = (uint8_t)reason;
    event.from = from;
    event.to = to;
    tell(sm, &event);
}

struct sim_clock_event timing_hook_request(const struct timing_sm *sm, const struct timing_warp *w, uint32_t wavefronts,
                                           uint64_t from)
{
    static const enum sim_shared_kind accesses[] = {[SIM_EFFECT_LOAD] = SIM_SHARED_LOAD,
                                                    [SIM_EFFECT_STORE] = SIM_SHARED_STORE,
                                                    [SIM_EFFECT_ATOMIC] = SIM_SHARED_ATOMIC};
    const struct sim_clock *clock = sm->clock;
    struct sim_clock_event event = event_of(sm, w);
    event.kind = SIM_CLOCK_REQUEST;
    event.space = clock->effects[0].space;
    event.access = accesses[clock->effects[0].kind];
    event.wavefronts = event.space == ISA_SPACE_SHARED ? wavefronts : 0;
    for (uint32_t e = 0; e < clock->effect_count; e++)
        for (uint32_t i = 0; i < clock->effects[e].count; i++)
            event.sectors += (uint32_t)__builtin_popcount(clock->effects[e].requests[i].sectors);
    event.from = from;
    return event;
}

void timing_hook_tell(const struct timing_sm *sm, struct sim_clock_event *event, uint64_t to)
{
    event->to = to;
    tell(sm, event);
}

void timing_hook_end(const struct timing_sm *sm, const struct timing_warp *w, uint64_t end)
{
    struct sim_clock_event event = event_of(sm, w);
    if (end > w->issued_at)
        timing_hook_span(sm, w, SIM_STALL_DRAIN, w->issued_at, end);
    event.kind = SIM_CLOCK_END;
    event.from = w->started_at;
    event.to = end > w->issued_at ? end : w->issued_at; /* an issue slot may be longer than a cycle */
    tell(sm, &event);
}
