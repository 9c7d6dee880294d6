/* From the effects of one instruction to requests: which lines, which sectors of them. */
#include "sim/requests.h"
#include "sim/timing/timing.h"

static void add_request(struct timing_effect *effect, uint64_t line, uint32_t sectors, uint32_t words)
{
    for (uint32_t i = effect->count; i > 0; i--)
        if (effect->requests[i - 1].line == line) {
            effect->requests[i - 1].sectors |= sectors;
            effect->requests[i - 1].words |= words;
            return;
        }
    if (effect->count < TIMING_REQUESTS)
        effect->requests[effect->count++] = (struct timing_request){line, sectors, words, 1, 1, 1, 1};
}

static void add_bytes(const struct timing_memory *memory, struct timing_effect *effect, uint64_t first, uint64_t bytes)
{
    uint64_t last = first + bytes - 1;
    for (uint64_t line = first / memory->line_bytes; line <= last / memory->line_bytes; line++) {
        uint64_t from = line * memory->line_bytes, to = from + memory->line_bytes - 1;
        uint32_t a = (uint32_t)(((first > from ? first : from) - from) / memory->sector_bytes);
        uint32_t b = (uint32_t)(((last < to ? last : to) - from) / memory->sector_bytes);
        uint32_t w = (uint32_t)((first > from ? first : from) - from) / 4,
                 v = (uint32_t)((last < to ? last : to) - from) / 4;
        add_request(effect, line, ((UINT32_C(2) << b) - 1) & ~((UINT32_C(1) << a) - 1),
                    memory->line_bytes <= 128 ? (uint32_t)((UINT64_C(2) << v) - 1) & ~((UINT32_C(1) << w) - 1) : 0);
    }
}

/* Atomics on one address are done one after another: the most lanes on one address of each line. */
static void count_lanes(const struct timing_memory *memory, struct timing_effect *effect, const struct sim_addresses *a)
{
    uint32_t seen = 0;
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        if ((seen >> lane & 1) != 0)
            continue;
        uint32_t lanes = 0;
        for (uint32_t k = m; k != 0; k &= k - 1) {
            unsigned other = (unsigned)__builtin_ctz(k);
            if (a->at[other] == a->at[lane]) {
                seen |= UINT32_C(1) << other;
                lanes++;
            }
        }
        for (uint32_t i = 0; i < effect->count; i++)
            if (effect->requests[i].line == a->at[lane] / memory->line_bytes && effect->requests[i].lanes < lanes)
                effect->requests[i].lanes = lanes;
    }
}

/* How often L2 goes to the sectors of each line: as often as there are lanes on one element. */
static void count_accesses(const struct timing_memory *memory, struct timing_effect *effect,
                           const struct sim_addresses *a)
{
    for (uint32_t i = 0; i < effect->count; i++) {
        uint32_t mask = a->mask;
        for (uint32_t m = effect->count > 1 ? mask : 0; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            if (a->at[lane] / memory->line_bytes != effect->requests[i].line)
                mask &= ~(UINT32_C(1) << lane);
        }
        uint32_t times = sim_sectors_atomic(a->at, mask, a->width_bytes, memory->sector_bytes);
        effect->requests[i].accesses = times > 0 ? times : 1;
        effect->requests[i].operands = (uint32_t)__builtin_popcount(mask);
    }
}

/* Data of L1 lies in the banks of shared memory, and comes out of them by the same rule, but groups never share. */
static uint32_t data_wavefronts(const struct timing_memory *memory, struct sim_addresses *a)
{
    if (a->contiguous || a->uniform)
        return a->width_bytes > 4 ? a->width_bytes / 4 : 1;
    sim_addresses_expand(a);
    return sim_request_shared(memory->device, a->at, a->mask, a->width_bytes, SIM_SHARED_STORE, NULL).actual;
}

static void add_global(const struct timing_memory *memory, struct timing_effect *effect, struct sim_addresses *a,
                       bool one_lane)
{
    effect->wavefronts = data_wavefronts(memory, a);
    if (a->contiguous) {
        add_bytes(memory, effect, a->min, 32 * (uint64_t)a->width_bytes);
    } else if (a->uniform) {
        add_bytes(memory, effect, a->min, a->width_bytes);
    } else {
        sim_addresses_expand(a);
        for (uint32_t m = a->mask; m != 0; m &= m - 1)
            add_bytes(memory, effect, a->at[__builtin_ctz(m)], a->width_bytes);
    }
    if (effect->kind == SIM_EFFECT_ATOMIC && !one_lane) {
        sim_addresses_expand(a);
        count_lanes(memory, effect, a);
        count_accesses(memory, effect, a);
    }
}

/* Loads that bring whole pieces: lines of Fermi's L1. */
static void fill_pieces(const struct timing_memory *memory, struct timing_effect *effect)
{
    uint32_t sectors = memory->device->l1_fetch_bytes / memory->sector_bytes;
    uint32_t all = memory->line_bytes / memory->sector_bytes;
    for (uint32_t i = 0; i < effect->count && sectors > 1; i++)
        for (uint32_t first = 0; first < all; first += sectors) {
            uint32_t piece = ((UINT32_C(1) << sectors) - 1) << first;
            effect->requests[i].sectors |= (effect->requests[i].sectors & piece) != 0 ? piece : 0;
        }
}

static void add_local(const struct sim_clock *clock, struct timing_effect *effect, struct sim_addresses *a)
{
    uint64_t words = clock->engine->program->stack_bytes / 4 + 1;
    uint64_t per_sm = (uint64_t)clock->places_per_sm * clock->warps_per_block;
    uint64_t warp = clock->sm->index * per_sm + (uint64_t)(clock->warp - clock->sm->warps);
    /* One word of all lanes is a whole line. */
    effect->whole = a->uniform && a->mask == UINT32_MAX && a->width_bytes >= 4;
    sim_addresses_expand(a);
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t first = a->at[lane] / 4, last = (a->at[lane] + a->width_bytes - 1) / 4;
        for (uint64_t word = first; word <= last; word++)
            add_bytes(&clock->memory, effect, TIMING_LOCAL_BASE + (warp * words + word) * 128 + lane * 4U, 4);
    }
}

static void add_remote(const struct timing_memory *memory, struct timing_effect *effect, struct sim_addresses *a)
{
    sim_addresses_expand(a);
    for (uint32_t m = a->mask; m != 0; m &= m - 1)
        add_bytes(memory, effect, a->at[__builtin_ctz(m)], a->width_bytes);
    for (uint32_t i = 0; i < effect->count; i++)
        effect->sectors += (uint32_t)__builtin_popcount(effect->requests[i].sectors);
}

/* The different addresses. */
static void add_constant(struct timing_effect *effect, struct sim_addresses *a)
{
    sim_addresses_expand(a);
    for (uint32_t m = a->mask; m != 0; m &= m - 1) {
        const uint64_t address = a->at[__builtin_ctz(m)];
        uint32_t i = 0;
        while (i < effect->count && effect->requests[i].line != address)
            i++;
        if (i == effect->count)
            effect->requests[effect->count++].line = address;
    }
}

/* The first of loads that are one in machine code: what the whole takes. */
static void widen(struct sim_clock *clock, struct sim_addresses *a)
{
    const struct sim_device *d = clock->engine->device;
    sim_addresses_expand(a);
    clock->wide_wavefronts =
        sim_request_shared(d, a->at, a->mask, clock->warp->cost->width, SIM_SHARED_LOAD, NULL).actual;
}

void sim_clock_effect(struct sim_clock *clock, const struct sim_effect *effect)
{
    if (clock->warp == NULL || clock->effect_count >= TIMING_EFFECTS)
        return;
    struct timing_effect *out = &clock->effects[clock->effect_count++];
    out->kind = (uint8_t)effect->kind;
    out->space = effect->space;
    out->width_bytes = effect->width_bytes;
    out->count = out->sectors = 0;
    out->wavefronts = 1;
    out->whole = effect->addresses->contiguous;
    if (effect->space == ISA_SPACE_GLOBAL)
        add_global(&clock->memory, out, effect->addresses, clock->warp->cost->one_lane);
    else if (effect->space == ISA_SPACE_LOCAL)
        add_local(clock, out, effect->addresses);
    else if (effect->space == ISA_SPACE_SHARED && clock->warp->cost->width > 0)
        widen(clock, effect->addresses);
    else if (effect->space == ISA_SPACE_CONST)
        add_constant(out, effect->addresses);
    else if (effect->space == ISA_SPACE_SHARED_CLUSTER)
        add_remote(&clock->memory, out, effect->addresses);
    if (effect->is_cached && effect->space == ISA_SPACE_GLOBAL)
        fill_pieces(&clock->memory, out);
}
