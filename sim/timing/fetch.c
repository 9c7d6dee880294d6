/* Where code comes from.
 *
 * A scheduler has a cache of lines of 128 bytes. What it lacks comes from the SM's, which holds 256 bytes at a time and
 * asks L2 for them, or memory behind it. Whenever a scheduler's cache lacks what a warp goes on with, a stream begins:
 * as long as warps go on from line to line, the lines ahead of them are asked for, and so is what follows those in the
 * SM's cache. A line that is asked for has its place at once, with the cycle at which it is there; a warp that enters
 * it waits until then.
 *
 * A launch brings the beginning of its kernel along, not the functions that lie elsewhere. What another SM has asked
 * memory for is in L2; that is known from the next window of cycles on. */
#include "sim/timing/timing.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 128, GROUP_LINES = 2, WAYS = 4 };

/* Lines between functions: where a function lies is the loader's choice, and a stream does not run from one into the
 * next (validate/records/h200/code, call_up and call_down). */
enum { APART_LINES = 8 };

/* ---- Lines ---- */

/* The costs get their lines. How many there are. */
static uint32_t number_lines(const struct sim_program *program, struct timing_cost *costs)
{
    uint32_t line = 0;
    for (uint32_t i = 0, first = 0; i < program->op_count; i++) {
        if (i > 0 && program->ops[i].function != program->ops[i - 1].function) {
            line += (i - first - 1) / TIMING_LINE_OPS + 1 + APART_LINES;
            line += line % GROUP_LINES;
            first = i;
        }
        costs[i].line = line + (i - first) / TIMING_LINE_OPS;
    }
    return program->op_count > 0 ? costs[program->op_count - 1].line + 1 : 0;
}

/* ---- Caches ---- */

static bool make_cache(struct sim_engine *engine, struct timing_code_cache *cache, uint64_t lines)
{
    cache->sets = lines > WAYS ? (uint32_t)(lines / WAYS) : 1;
    cache->lines = sim_engine_alloc(engine, (uint64_t)cache->sets * WAYS, sizeof(*cache->lines));
    return cache->lines != NULL;
}

/* The line, which becomes the last used of its set, or NULL. */
static const struct timing_code_line *find_line(const struct timing_code_cache *cache, uint32_t number)
{
    struct timing_code_line *set = &cache->lines[(size_t)(number % cache->sets) * WAYS];
    for (unsigned w = 0; w < WAYS; w++)
        if (set[w].number == number + 1) {
            const struct timing_code_line found = set[w];
            memmove(set + 1, set, w * sizeof(*set));
            set[0] = found;
            return set;
        }
    return NULL;
}

/* A line that is not there takes the place of the one that was used longest ago. */
static void place_line(const struct timing_code_cache *cache, uint32_t number, uint64_t at)
{
    struct timing_code_line *set = &cache->lines[(size_t)(number % cache->sets) * WAYS];
    memmove(set + 1, set, (WAYS - 1) * sizeof(*set));
    set[0] = (struct timing_code_line){.at = at, .number = number + 1};
}

/* What a launch brings along: groups first to last - 1. */
struct launched {
    uint32_t first, last, line;
};

static struct launched launched_code(const struct sim_clock *clock)
{
    const struct sim_program *program = clock->engine->program;
    const uint32_t kernel = program->linked->kernel, entry = program->function_entry[kernel];
    uint32_t end = entry;
    while (end + 1 < program->op_count && program->ops[end + 1].function == kernel)
        end++;
    struct launched l = {.line = clock->costs[entry].line};
    l.first = l.line / GROUP_LINES;
    l.last = clock->costs[end].line / GROUP_LINES + 1;
    const uint32_t most = clock->engine->device->code_launch_bytes / (GROUP_LINES * LINE_BYTES);
    l.last = l.last - l.first < most ? l.last : l.first + most;
    return l;
}

static bool make_sm(struct sim_clock *clock, struct timing_sm *sm, struct launched l)
{
    const struct sim_device *d = clock->engine->device;
    if (!make_cache(clock->engine, &sm->fetch.groups, d->code_sm_bytes / (GROUP_LINES * LINE_BYTES)))
        return false;
    for (uint32_t group = l.first; group < l.last; group++)
        place_line(&sm->fetch.groups, group, 0);
    for (uint32_t i = 0; i < clock->scheduler_count; i++) {
        struct timing_scheduler *s = &sm->schedulers[i];
        if (!make_cache(clock->engine, &s->code, d->code_scheduler_bytes / LINE_BYTES))
            return false;
        for (uint32_t k = 0; k <= d->code_ahead_lines; k++) /* the wait for these is part of the launch */
            place_line(&s->code, l.line + k, 0);
        s->stream_at = l.line;
    }
    return true;
}

bool timing_fetch_make(struct sim_clock *clock)
{
    struct sim_engine *engine = clock->engine;
    if (!engine->program->is_machine)
        return true;
    clock->code_groups = number_lines(engine->program, clock->costs) / GROUP_LINES + 1;
    clock->code_came = sim_engine_alloc(engine, clock->code_groups, sizeof(*clock->code_came));
    if (clock->code_came == NULL)
        return false;
    const struct launched l = launched_code(clock);
    for (uint32_t i = 0; i < clock->code_groups; i++)
        clock->code_came[i] = i >= l.first && i < l.last ? 0 : TIMING_NEVER;
    clock->code_missing = clock->code_groups - (l.last - l.first);
    for (uint32_t i = 0; i < clock->sm_count; i++)
        if (!make_sm(clock, &clock->sms[i], l))
            return false;
    return true;
}

void timing_fetch_free(struct sim_clock *clock)
{
    free(clock->code_came);
    for (uint32_t i = 0; clock->sms != NULL && i < clock->sm_count; i++) {
        struct timing_sm *sm = &clock->sms[i];
        free(sm->fetch.groups.lines);
        for (uint32_t k = 0; sm->schedulers != NULL && k < clock->scheduler_count; k++)
            free(sm->schedulers[k].code.lines);
    }
}

/* ---- Behind the schedulers ---- */

/* When the SM has a group that it does not have yet, asked for at cycle `now`. */
static uint64_t bring_group(struct timing_sm *sm, uint32_t group, uint64_t now)
{
    const struct sim_clock *clock = sm->clock;
    const struct sim_device *d = clock->engine->device;
    struct timing_fetch *f = &sm->fetch;
    const uint64_t came = clock->code_came[group];
    uint64_t at = now + (came == TIMING_NEVER ? d->code_cold_cycles : d->code_l2_cycles);
    if (came == TIMING_NEVER && f->asked_count < TIMING_CODE_ASKED)
        f->asked[f->asked_count++] = (struct timing_code_line){.at = at, .number = group};
    if (came != TIMING_NEVER && came > at)
        at = came;
    place_line(&f->groups, group, at);
    return at;
}

/* When the SM has a line, asked for at cycle `now`; it asks for what follows, too. */
static uint64_t group_at(struct timing_sm *sm, uint32_t line, uint64_t now)
{
    const struct sim_clock *clock = sm->clock;
    const uint32_t group = line / GROUP_LINES;
    const struct timing_code_line *found = find_line(&sm->fetch.groups, group);
    const uint64_t at = found != NULL ? found->at : bring_group(sm, group, now);
    for (uint32_t i = group + 1; i <= group + clock->engine->device->code_ahead_groups && i < clock->code_groups; i++)
        if (find_line(&sm->fetch.groups, i) == NULL)
            bring_group(sm, i, now);
    return at;
}

/* ---- Schedulers ---- */

static uint64_t ask_line(struct timing_sm *sm, struct timing_scheduler *s, uint32_t line, uint64_t now)
{
    uint64_t at = group_at(sm, line, now);
    at = (at > now ? at : now) + sm->clock->engine->device->code_sm_cycles;
    place_line(&s->code, line, at);
    return at;
}

void timing_fetch_line(struct timing_sm *sm, struct timing_scheduler *s, struct timing_warp *w)
{
    const struct sim_clock *clock = sm->clock;
    const uint32_t line = w->cost->line;
    const struct timing_code_line *found = find_line(&s->code, line);
    const uint64_t at = found != NULL ? found->at : ask_line(sm, s, line, w->issued_at);
    w->line = line;
    if (found == NULL || line == s->stream_at + 1) {
        const uint64_t now = at > w->ready_at ? at : w->ready_at;
        s->stream_at = line;
        for (uint32_t i = line + 1; i <= line + clock->engine->device->code_ahead_lines; i++)
            if (i < clock->code_groups * GROUP_LINES && find_line(&s->code, i) == NULL)
                ask_line(sm, s, i, found == NULL ? w->issued_at : now);
    }
    if (at > w->ready_at) {
        w->ready_at = at;
        w->reason = SIM_STALL_NO_INSTRUCTION;
    }
}

/* ---- Between windows ---- */

void timing_fetch_settle(struct sim_clock *clock)
{
    for (uint32_t i = 0; clock->code_missing > 0 && i < clock->sm_count; i++) {
        struct timing_fetch *f = &clock->sms[i].fetch;
        for (uint32_t k = 0; k < f->asked_count; k++) {
            uint64_t *came = &clock->code_came[f->asked[k].number];
            clock->code_missing -= *came == TIMING_NEVER;
            *came = f->asked[k].at < *came ? f->asked[k].at : *came;
        }
        f->asked_count = 0;
    }
}
