/* The memory pipe of an SM: address generation, the data stage that shared memory and L1 have in common, L1 itself.
 *
 * timing_pipe_issue() takes one executed memory instruction through it and says when its results are there. */
#include "sim/timing/timing.h"

/* A calendar of the SM alone: its uses come in order. */
static uint64_t take(uint64_t *free_at, uint64_t arrival, uint64_t service_cycles)
{
    uint64_t start = *free_at > arrival ? *free_at : arrival;
    *free_at = start + service_cycles;
    return start;
}

/* The stage that shared memory and L1 have in common. */
static uint64_t use_data(struct timing_sm *sm, uint64_t arrival, uint64_t cycles)
{
    sm->data_busy += cycles;
    const uint64_t start = take(&sm->data_free, arrival, cycles);
    if (sm->clock->shares_data)
        timing_returns_note_use(sm, sm->data_free);
    return start;
}

/* Cycles in which L1 looks up the lines: each of its tag banks takes one a cycle. */
static uint32_t tag_wavefronts(const struct sim_device *d, const struct timing_effect *effect)
{
    uint8_t in_bank[64] = {0};
    uint32_t banks = d->l1_tags_per_cycle, most = 1;
    for (uint32_t i = 0; i < effect->count; i++) {
        uint64_t hash = effect->requests[i].line;
        hash ^= hash >> 32;
        hash ^= hash >> 16;
        hash ^= hash >> 8;
        hash ^= hash >> 4;
        hash ^= hash >> 2;
        uint32_t bank = (uint32_t)hash % (banks > 4 ? banks : 4) % banks;
        if (++in_bank[bank] > most)
            most = in_bank[bank];
    }
    return most;
}

/* Lines are looked up while their data is moved. */
static uint32_t stage_cycles(const struct sim_device *d, const struct timing_effect *effect)
{
    uint32_t tags = tag_wavefronts(d, effect);
    return tags > effect->wavefronts ? tags : effect->wavefronts;
}

/* More latency for each wavefront after the first; wide accesses have theirs in any case. */
static uint64_t slope(const struct sim_clock *clock, uint32_t wavefronts)
{
    return clock->warp->cost->controlled ? (uint64_t)(wavefronts - 1) * clock->memory.device->shared_conflict_cycles
                                         : 0;
}

static uint64_t wide_cycles(const struct sim_device *d, const struct timing_effect *effect)
{
    if (effect->width_bytes <= 4)
        return 0;
    return effect->width_bytes > 8 ? d->shared_16_byte_cycles : d->shared_8_byte_cycles;
}

static bool send(struct timing_sm *sm, enum timing_sent_kind kind, const struct timing_request *request,
                 const struct timing_line *l1_line, uint64_t at)
{
    struct timing_sent sent = {.at = at, .request = *request, .kind = (uint8_t)kind, .l1_line = UINT32_MAX};
    if (l1_line != NULL)
        sent.l1_line = (uint32_t)(l1_line - sm->l1.lines);
    return timing_send(sm, &sent);
}

/* Sectors of the request that L1 has: brought, or all the words asked for were written here. */
static uint32_t held(const struct timing_sm *sm, const struct timing_line *line, const struct timing_request *request)
{
    const struct timing_memory *memory = &sm->clock->memory;
    uint32_t has = request->sectors & line->valid, lacks = request->words & ~line->words;
    if (has == request->sectors || line->words == 0)
        return has;
    for (uint32_t m = request->sectors & ~has; m != 0; m &= m - 1) {
        uint32_t sector = (uint32_t)__builtin_ctz(m), words = memory->sector_bytes / 4;
        if ((lacks >> sector * words & (UINT32_MAX >> (32 - words))) == 0)
            has |= UINT32_C(1) << sector;
    }
    return has;
}

/* When what the line has is there; what it lacks is asked for. */
static uint64_t load_line(struct timing_sm *sm, const struct timing_request *request, bool cached, uint64_t at,
                          uint32_t *hits)
{
    uint64_t hit = at + sm->clock->memory.device->l1_latency_cycles;
    struct timing_line *line = cached ? timing_cache_find(&sm->l1, request->line) : NULL, evicted;
    uint32_t had = line != NULL ? held(sm, line, request) : 0;
    struct timing_request missing = {request->line, request->sectors & ~had, cached ? 0 : request->words, 1, 1, 1, 1};
    *hits += (uint32_t)__builtin_popcount(had);
    if (line != NULL && line->under_way > 0)
        (void)send(sm, TIMING_SENT_HIT, request, line, at);
    const uint64_t filled = line != NULL ? line->filled_at + sm->ahead_cycles : 0;
    uint64_t done = filled > hit ? filled : hit;
    if (missing.sectors == 0)
        return done;
    if (cached && line == NULL)
        line = timing_cache_place(&sm->l1, request->line, &evicted);
    if (line != NULL) {
        line->valid = (uint8_t)(line->valid | missing.sectors);
        line->under_way++;
    }
    (void)send(sm, TIMING_SENT_LOAD, &missing, line, at);
    return done;
}

static uint64_t loads(struct timing_sm *sm, const struct timing_effect *effect, const struct sim_op *op, uint64_t at,
                      uint64_t *left, uint64_t *more)
{
    const struct sim_device *d = sm->clock->memory.device;
    const struct timing_cost *cost = sm->clock->warp->cost;
    bool is_cached = sim_load_is_cached(sm->clock->engine, op->insn) && !cost->past_l1;
    uint64_t start = use_data(sm, at, stage_cycles(d, effect)), done = start;
    uint32_t hits = 0, all = 0;
    for (uint32_t i = 0; i < effect->count; i++) {
        uint64_t came = load_line(sm, &effect->requests[i], is_cached, start, &hits);
        all += (uint32_t)__builtin_popcount(effect->requests[i].sectors);
        done = came > done ? came : done;
    }
    if (effect->space == ISA_SPACE_GLOBAL) {
        sm->clock->l1_hit += hits;
        sm->clock->l1_miss += all - hits;
    }
    *left = start;
    *more = slope(sm->clock, effect->wavefronts) + (cost->controlled ? wide_cycles(d, effect) : 0);
    return done;
}

static uint64_t stores(struct timing_sm *sm, const struct timing_effect *effect, uint64_t at, uint64_t *left)
{
    const struct sim_device *d = sm->clock->memory.device;
    uint64_t start = use_data(sm, at, stage_cycles(d, effect));
    for (uint32_t i = 0; i < effect->count; i++) {
        const struct timing_request *request = &effect->requests[i];
        const struct timing_sent sent = {
            .at = start, .request = *request, .kind = TIMING_SENT_STORE, .whole = effect->whole};
        sm->sending += timing_memory_sending(d, request, effect->whole);
        (void)timing_send(sm, &sent);
        /* Words that are written as a whole stay in L1: with all those asked for, a load needs no more. */
        if (effect->width_bytes < 4 || request->words == 0)
            continue;
        struct timing_line *line = timing_cache_find(&sm->l1, request->line), evicted;
        if (line == NULL)
            line = timing_cache_place(&sm->l1, request->line, &evicted);
        line->words |= request->words;
    }
    *left = start;
    return start;
}

/* Between lanes on one address. */
static uint64_t lane_interval(const struct sim_device *d, const struct sim_op *op)
{
    bool adds_floats = isa_types[op->type].class == ISA_CLASS_FLOAT || isa_types[op->type].class == ISA_CLASS_PACKED;
    return adds_floats ? d->l2_atomic_f32_centicycles : d->l2_atomic_int_centicycles;
}

static void void_sectors(const struct timing_sm *sm, struct timing_line *line, uint32_t sectors)
{
    uint32_t words = sm->clock->memory.sector_bytes / 4;
    line->valid = (uint8_t)(line->valid & ~sectors);
    for (uint32_t m = line->words != 0 ? sectors : 0; m != 0; m &= m - 1)
        line->words &= ~(UINT32_MAX >> (32 - words) << (uint32_t)__builtin_ctz(m) * words);
}

static uint64_t atomics(struct timing_sm *sm, const struct timing_effect *effect, const struct sim_op *op, uint64_t at,
                        uint64_t *left)
{
    const struct sim_device *d = sm->clock->memory.device;
    bool returns = !sm->clock->warp->cost->reduces;
    uint64_t start = use_data(sm, at, tag_wavefronts(d, effect));
    for (uint32_t i = 0; i < effect->count; i++) {
        /* L2 changes the sectors: what L1 has of them is void. */
        struct timing_line *line = timing_cache_find(&sm->l1, effect->requests[i].line);
        if (line != NULL)
            void_sectors(sm, line, effect->requests[i].sectors);
        struct timing_request request = effect->requests[i];
        /* Both numbers of lanes side by side are more than a sector has. */
        request.pieces = op->mode == ISA_ATOM_CAS && request.operands > request.accesses ? 2 : 1;
        const struct timing_sent sent = {.at = start,
                                         .request = request,
                                         .kind = returns ? TIMING_SENT_ATOMIC : TIMING_SENT_RED,
                                         .is_unread = sm->clock->warp->cost->tells_space,
                                         .lane_centicycles = lane_interval(d, op)};
        (void)timing_send(sm, &sent);
    }
    *left = start;
    return start;
}

static uint64_t shared(struct timing_sm *sm, const struct timing_effect *effect, uint32_t wavefronts, uint64_t at,
                       uint64_t *left)
{
    const struct sim_device *d = sm->clock->memory.device;
    uint32_t count = wavefronts > 0 ? wavefronts : 1;
    uint64_t start = use_data(sm, at, count);
    *left = start;
    uint64_t latency = effect->kind == SIM_EFFECT_ATOMIC ? d->shared_atomic_latency_cycles : d->shared_latency_cycles;
    latency += effect->kind == SIM_EFFECT_LOAD ? wide_cycles(d, effect) : 0;
    return start + latency + (uint64_t)(count - 1) * d->shared_conflict_cycles;
}

static uint64_t remote(struct timing_sm *sm, const struct timing_effect *effect, uint64_t at, uint64_t *left)
{
    const struct sim_device *d = sm->clock->memory.device;
    *left = timing_take(&sm->clock->memory.dsmem_free[sm->index], at, at,
                        (uint64_t)effect->sectors * d->dsmem_sector_centicycles);
    sm->remote_at = *left;
    sm->remote_done = *left + d->dsmem_latency_cycles;
    return sm->remote_done;
}

/* The instruction takes the place that is free first, and gives it back when it leaves the queue. The places stay in
 * the order in which they are given back, from queue_first on; most come last. */
static void leave_queue(struct timing_scheduler *s, const struct sim_clock *clock, uint64_t at)
{
    const uint32_t last = clock->queue_entries - 1;
    uint32_t place = s->queue_first;
    s->queue_uses++;
    s->queue_first = place == last ? 0 : place + 1;
    while (place != s->queue_first) {
        const uint32_t before = place == 0 ? last : place - 1;
        if (s->queue[before] <= at)
            break;
        s->queue[place] = s->queue[before];
        place = before;
    }
    s->queue[place] = at;
}

/* When the instruction that took its place last is among the queue's first ones, which have read their registers. */
static uint64_t near_front(const struct timing_scheduler *s, const struct sim_clock *clock)
{
    const uint32_t entries = clock->queue_entries, ahead = clock->memory.device->memory_queue_entries;
    return entries > ahead ? s->queue[(s->queue_first + entries - 1 - ahead) % entries] : 0;
}

uint64_t timing_pipe_pass(struct timing_scheduler *s, const struct sim_clock *clock, uint64_t *unit_free,
                          uint64_t interval, uint64_t at)
{
    uint64_t start = take(unit_free, at, interval);
    leave_queue(s, clock, start);
    return start;
}

/* How long the scheduler's own part of the pipe is busy: it hands over a wavefront of shared memory every two cycles.
 */
static uint64_t own_interval(const struct sim_clock *clock, uint32_t wavefronts)
{
    if (clock->effects[0].space == ISA_SPACE_GLOBAL && clock->effects[0].kind == SIM_EFFECT_LOAD)
        wavefronts = clock->effects[0].wavefronts;
    uint64_t interval = clock->unit_interval[TIMING_U_MEMORY];
    uint64_t handing =
        clock->warp->cost->controlled ? (uint64_t)wavefronts * clock->memory.device->shared_conflict_cycles : 0;
    return handing > interval ? handing : interval;
}

/* One effect of the instruction, from `at` on: when what is known of it is there. */
static uint64_t take_effect(struct timing_sm *sm, struct timing_scheduler *s, const struct timing_effect *effect,
                            const struct sim_op *op, uint32_t wavefronts, uint64_t at, uint64_t *left, uint64_t *more)
{
    if (effect->space == ISA_SPACE_SHARED)
        return shared(sm, effect, wavefronts, at, left);
    if (effect->space == ISA_SPACE_SHARED_CLUSTER)
        return remote(sm, effect, at, left);
    if (effect->space == ISA_SPACE_CONST)
        return timing_constant_load(sm, s, effect, at);
    if (effect->count == 0)
        return at + sm->clock->memory.device->constant_latency_cycles;
    at = at > sm->remote_at ? at : sm->remote_at;
    if (effect->kind == SIM_EFFECT_LOAD)
        return loads(sm, effect, op, at, left, more);
    return effect->kind == SIM_EFFECT_STORE ? stores(sm, effect, at, left) : atomics(sm, effect, op, at, left);
}

static bool leaves_sm(const struct sim_op *op)
{
    return op->space != ISA_SPACE_SHARED && op->space != ISA_SPACE_SHARED_CLUSTER && op->space != ISA_SPACE_CONST &&
           op->space != ISA_SPACE_PARAM;
}

/* Stores and atomics that leave the SM have places of their own: the scheduler's and, together, the SM's. A load waits
 * until the one that is so many before it has left, whatever it is. */
struct timing_places timing_pipe_places(struct timing_sm *sm, struct timing_scheduler *s, const struct sim_op *op)
{
    const struct sim_device *d = sm->clock->memory.device;
    if (!leaves_sm(op))
        return (struct timing_places){&s->backlog[s->backlog_at % d->memory_backlog_entries], NULL, NULL};
    uint64_t *of_order = &sm->order[sm->order_at % d->global_backlog_sm_entries];
    if (op->kind == SIM_K_LD)
        return (struct timing_places){of_order, NULL, NULL};
    return (struct timing_places){&s->leaving[s->leaving_at % d->global_backlog_entries],
                                  &sm->leaving[sm->leaving_at % d->global_backlog_sm_entries], of_order};
}

/* When the store that takes places next gets from its queue to those behind: one of them has left then. */
static uint64_t behind_free(const struct timing_sm *sm)
{
    const uint32_t before =
        (sm->leaving_at - sm->clock->behind_entries) % sm->clock->memory.device->global_backlog_sm_entries;
    const uint64_t at = sm->leaving[before];
    return at != TIMING_NEVER ? at : (sm->guess.at[before] + sm->guess.late) / 100;
}

static struct timing_places take_places(struct timing_sm *sm, struct timing_scheduler *s, const struct sim_op *op)
{
    struct timing_places places = timing_pipe_places(sm, s, op);
    s->backlog_at += !leaves_sm(op);
    sm->order_at += leaves_sm(op);
    s->leaving_at += places.of_sm != NULL;
    sm->leaving_at += places.of_sm != NULL;
    return places;
}

uint64_t timing_pipe_turn(struct timing_sm *sm, struct timing_scheduler *s, const struct sim_op *op, uint64_t at)
{
    struct timing_places places = take_places(sm, s, op);
    const uint64_t free_at = timing_places_free(places);
    uint64_t start = take(&s->agu_free, at > free_at ? at : free_at, sm->clock->unit_interval[TIMING_U_MEMORY]);
    timing_telling_leave(sm, places, sm->telling.issued, start);
    leave_queue(s, sm->clock, start);
    return start;
}

/* What the instruction's answer has to know. Its places are given back when its last write has left. */
static void note_answer(struct timing_sm *sm, struct timing_places *places, uint64_t done, uint64_t leaves,
                        uint64_t more)
{
    struct timing_answer *answer = &sm->answers.items[sm->answers.now];
    answer->done = done;
    answer->left = leaves;
    answer->more_cycles = (uint32_t)more;
    if (!answer->writes)
        return;
    timing_places_set(*places, TIMING_NEVER);
    answer->places = *places;
    if (places->of_sm == NULL)
        return;
    struct timing_guess *guess = &sm->guess;
    guess->port_free = (guess->port_free > leaves * 100 ? guess->port_free : leaves * 100) + sm->sending;
    guess->at[places->of_sm - sm->leaving] = guess->port_free;
}

uint64_t timing_pipe_issue(struct timing_sm *sm, struct timing_scheduler *s, const struct sim_op *op,
                           uint32_t wavefronts, uint64_t at)
{
    struct sim_clock *clock = sm->clock;
    const struct sim_device *d = clock->memory.device;
    uint64_t none = 0;
    struct timing_places places = {&none, NULL, NULL};
    const uint64_t behind_at = op->kind == SIM_K_ST && leaves_sm(op) ? behind_free(sm) : 0;
    if (timing_is_tracked(clock->warp->cost))
        places = take_places(sm, s, op);
    const uint64_t free_at = timing_places_free(places);
    uint64_t start = take(&s->agu_free, at > free_at ? at : free_at, own_interval(clock, wavefronts));
    uint64_t done = start + d->alu_latency_cycles, leaves = start, more = 0;
    sm->answers.now = TIMING_NO_ANSWER;
    sm->sending = 0;
    for (uint32_t i = 0; i < clock->effect_count; i++) {
        const struct timing_effect *effect = &clock->effects[i];
        uint64_t left = start;
        if (effect->space == ISA_SPACE_SHARED && i > 0 && clock->effects[i - 1].space == ISA_SPACE_SHARED)
            continue; /* its wavefronts are among the first one's */
        uint64_t came = take_effect(sm, s, effect, op, wavefronts, start, &left, &more);
        done = came > done ? came : done;
        leaves = left > leaves ? left : leaves;
    }
    sm->read_at = start > behind_at ? start : behind_at;
    sm->left_at = leaves;
    timing_places_set(places, clock->warp->cost->controlled ? leaves : 0);
    leave_queue(s, clock, clock->warp->cost->controlled && sm->answers.now != TIMING_NO_ANSWER ? start : leaves);
    if (clock->effects[0].space == ISA_SPACE_SHARED) {
        const uint64_t front = near_front(s, clock);
        sm->read_at = front > at ? front : at;
    }
    const bool is_settled = sm->answers.now == TIMING_NO_ANSWER;
    if (!is_settled)
        note_answer(sm, &places, done, leaves, more);
    if (timing_is_heard(sm)) {
        struct sim_clock_event event = timing_hook_request(sm, clock->warp, wavefronts, at);
        if (is_settled)
            timing_hook_tell(sm, &event, done + more);
        else
            sm->answers.items[sm->answers.now].event = event;
    }
    return is_settled ? done + more : TIMING_NEVER;
}
