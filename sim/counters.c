/* Counters: what Nsight Compute would have counted for one memory instruction, from its effect alone.
 *
 * Global memory: one request an instruction, distinct 32-byte sectors; older cards have rules of their own
 * (sim/requests.h). Shared memory: wavefronts by the bank rule.
 * Lanes that a guard switched off are in no effect; an instruction whose guard is false in all lanes has none. */
#include "sim/counters.h"

#include "sim/copy.h"
#include "sim/sass/op.h"

static uint32_t atomic_sectors(const struct sim_device *device, const struct sim_effect *effect, uint32_t sectors)
{
    struct sim_addresses *a = effect->addresses;
    if (a->contiguous)
        return sectors;
    sim_addresses_expand(a);
    return sim_sectors_atomic(a->at, a->mask, effect->width_bytes, device->sector_bytes);
}

static struct sim_global_cost global_cost(const struct sim_device *device, const struct sim_effect *effect)
{
    struct sim_addresses *a = effect->addresses;
    const uint32_t sector = device->sector_bytes;
    if (effect->copy != NULL && effect->copy->past_l1) {
        const struct sim_global_sectors s = sim_copy_sectors(effect->copy, sector);
        return (struct sim_global_cost){1, s.actual, s.ideal};
    }
    sim_addresses_expand(a);
    if (!sim_requests_are_plain(device, a->width_bytes))
        return sim_request_global(device, a->at, a->mask, effect->width_bytes, effect->is_cached);
    const struct sim_global_sectors s = sim_sectors_both(a->at, a->mask, effect->width_bytes, sector);
    return (struct sim_global_cost){1, s.actual, s.ideal};
}

static void count_global(const struct sim_device *device, struct sim_count *count, const struct sim_effect *effect)
{
    const struct sim_addresses *a = effect->addresses;
    const struct sim_global_cost cost = global_cost(device, effect);
    if (effect->kind == SIM_EFFECT_ATOMIC)
        count->atomic_sectors += atomic_sectors(device, effect, cost.sectors);
    count->requests += cost.requests;
    count->sectors += cost.sectors;
    count->sectors_ideal += cost.sectors_ideal;
    count->global_bytes += effect->copy != NULL && effect->copy->past_l1
                               ? (uint64_t)__builtin_popcount(a->mask) * a->width_bytes
                               : sim_distinct_bytes(a->at, a->mask, a->width_bytes);
}

static enum sim_shared_kind shared_kind(const struct sim_effect *effect)
{
    static const enum sim_shared_kind kinds[] = {SIM_SHARED_LOAD, SIM_SHARED_STORE, SIM_SHARED_ATOMIC};
    return effect->by_rows ? SIM_SHARED_STORE : kinds[effect->kind];
}

static enum sim_shared_atomic served(const struct sim_op *op)
{
    if (op->machine != NULL)
        return (enum sim_shared_atomic)op->machine->served;
    return op->mode == ISA_ATOM_CAS ? SIM_SHARED_ATOMIC_CAS : SIM_SHARED_ATOMIC_PLAIN;
}

static struct sim_wavefronts shared_cost(const struct sim_device *device, const struct sim_effect *effect)
{
    struct sim_addresses *a = effect->addresses;
    if (effect->copy != NULL)
        return sim_copy_wavefronts(effect->copy, device->bank_count * device->bank_bytes);
    sim_addresses_expand(a);
    const enum sim_shared_atomic how = effect->kind == SIM_EFFECT_ATOMIC ? served(effect->op) : SIM_SHARED_ATOMIC_PLAIN;
    if (how != SIM_SHARED_ATOMIC_PLAIN && device->bank_count == 32)
        return sim_shared_atomic_wavefronts(a->at, a->mask, effect->width_bytes, how, device->bank_count,
                                            device->bank_bytes);
    return sim_request_shared(device, a->at, a->mask, effect->width_bytes, shared_kind(effect), NULL);
}

static void count_shared(const struct sim_device *device, struct sim_count *count, const struct sim_effect *effect)
{
    const struct sim_wavefronts w = shared_cost(device, effect);
    count->shared_requests++;
    count->wavefronts += w.actual;
    count->wavefronts_ideal += w.ideal;
}

/* Local memory: threads' words lie side by side, so word w of lane l is at 128 * w + 4 * l. A request for each word of
 * a lane's access (validate/records/h200/guide: local_array, spill). */
static void count_local(const struct sim_device *device, struct sim_count *count, const struct sim_effect *effect)
{
    struct sim_addresses *a = effect->addresses;
    uint32_t words = effect->width_bytes > 4 ? effect->width_bytes / 4 : 1;
    uint64_t at[32];
    sim_addresses_expand(a);
    count->local_requests += words;
    for (uint32_t w = 0; w < words; w++) {
        for (unsigned lane = 0; lane < 32; lane++)
            at[lane] = (a->at[lane] / 4 + w) * 128 + 4U * lane;
        count->local_sectors += sim_sectors(at, a->mask, 4, device->sector_bytes);
    }
}

struct sim_plain sim_plain_rules(const struct sim_device *device)
{
    return (struct sim_plain){
        .request_bytes = sim_requests_are_plain(device, 1) ? device->global_request_bytes / 32 : 0,
        .word_banks = device->bank_count == 32 && device->bank_bytes == 4,
        .even_banks = device->shared_wide_rule != 0,
    };
}

void sim_count_effect(struct sim_engine *engine, const struct sim_effect *effect)
{
    const struct sim_device *device = engine->device;
    struct sim_count *count = &engine->counts[effect->op->counter];
    const bool is_plain = effect->copy == NULL && !effect->by_rows;
    if (is_plain && sim_count_plain(engine, effect->op->counter, effect->kind, effect->space, effect->addresses))
        return;
    if (effect->space == ISA_SPACE_GLOBAL)
        count_global(device, count, effect);
    else if (effect->space == ISA_SPACE_SHARED)
        count_shared(device, count, effect);
    else if (effect->space == ISA_SPACE_LOCAL)
        count_local(device, count, effect);
}

void sim_count_fold(struct sim_count *counts, uint32_t count)
{
    for (uint32_t c = 0; c < count; c++) {
        counts[c].executed += counts[c].whole;
        counts[c].threads += 32 * counts[c].whole;
        counts[c].threads_on += 32 * counts[c].whole;
        counts[c].whole = 0;
    }
}
