/* Counters: what Nsight Compute would have counted for one memory instruction, from its effect alone.
 *
 * Global memory: one request an instruction, distinct 32-byte sectors; older cards have rules of their own
 * (sim/requests.h). Shared memory: wavefronts by the bank rule.
 * Lanes that a guard switched off are in no effect; an instruction whose guard is false in all lanes has none. */
#include "sim/copy.h"
#include "sim/engine.h"
#include "sim/requests.h"

static uint32_t atomic_sectors(const struct sim_device *device, const struct sim_effect *effect, uint32_t sectors)
{
    struct sim_addresses *a = effect->addresses;
    if (a->contiguous)
        return sectors;
    sim_addresses_expand(a);
    return sim_sectors_atomic(a->at, a->mask, effect->width_bytes, device->sector_bytes);
}

static void count_global(const struct sim_device *device, struct sim_count *count, const struct sim_effect *effect)
{
    struct sim_addresses *a = effect->addresses;
    uint32_t sector = device->sector_bytes, sectors, ideal;
    uint32_t requests = 1;
    if (effect->copy != NULL && effect->copy->past_l1) {
        const struct sim_global_sectors s = sim_copy_sectors(effect->copy, sector);
        sectors = s.actual;
        ideal = s.ideal;
    } else if (!sim_requests_are_plain(device, a->width_bytes)) {
        sim_addresses_expand(a);
        struct sim_global_cost cost =
            sim_request_global(device, a->at, a->mask, effect->width_bytes, effect->is_cached);
        requests = cost.requests;
        sectors = cost.sectors;
        ideal = cost.sectors_ideal;
    } else if (a->contiguous) {
        uint64_t last = a->max + a->width_bytes - 1;
        sectors = (uint32_t)(last / sector - a->min / sector + 1);
        ideal = (32 * a->width_bytes + sector - 1) / sector;
    } else if (a->uniform && a->width_bytes <= sector) {
        sectors = ideal = 1;
    } else {
        sim_addresses_expand(a);
        sectors = sim_sectors(a->at, a->mask, effect->width_bytes, sector);
        ideal = sim_sectors_ideal(a->at, a->mask, effect->width_bytes, sector);
    }
    if (effect->kind == SIM_EFFECT_ATOMIC)
        count->atomic_sectors += atomic_sectors(device, effect, sectors);
    count->requests += requests;
    count->sectors += sectors;
    count->sectors_ideal += ideal;
    count->global_bytes +=
        (a->mask == UINT32_MAX ? UINT64_C(32) : (uint64_t)__builtin_popcount(a->mask)) * a->width_bytes;
}

static void count_shared(const struct sim_device *device, struct sim_count *count, const struct sim_effect *effect)
{
    struct sim_addresses *a = effect->addresses;
    count->shared_requests++;
    if (effect->copy != NULL) {
        const struct sim_wavefronts w = sim_copy_wavefronts(effect->copy, device->bank_count * device->bank_bytes);
        count->wavefronts += w.actual;
        count->wavefronts_ideal += w.ideal;
        return;
    }
    if (a->width_bytes == 4 && device->bank_bytes == 4 && device->bank_count == 32 && (a->contiguous || a->uniform) &&
        (effect->kind != SIM_EFFECT_ATOMIC || (a->contiguous && effect->op->mode != ISA_ATOM_CAS))) {
        count->wavefronts++;
        count->wavefronts_ideal++;
        return;
    }
    sim_addresses_expand(a);
    if (effect->kind == SIM_EFFECT_ATOMIC && effect->op->mode == ISA_ATOM_CAS && device->bank_count == 32) {
        struct sim_wavefronts w = sim_shared_atomic_wavefronts(
            a->at, a->mask, effect->width_bytes, SIM_SHARED_ATOMIC_CAS, device->bank_count, device->bank_bytes);
        count->wavefronts += w.actual;
        count->wavefronts_ideal += w.ideal;
        return;
    }
    static const enum sim_shared_kind kinds[] = {SIM_SHARED_LOAD, SIM_SHARED_STORE, SIM_SHARED_ATOMIC};
    const enum sim_shared_kind kind = effect->by_rows ? SIM_SHARED_STORE : kinds[effect->kind];
    struct sim_wavefronts w = sim_request_shared(device, a->at, a->mask, effect->width_bytes, kind, NULL);
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

void sim_count_effect(const struct sim_device *device, struct sim_count *count, const struct sim_effect *effect)
{
    if (effect->space == ISA_SPACE_GLOBAL)
        count_global(device, count, effect);
    else if (effect->space == ISA_SPACE_SHARED)
        count_shared(device, count, effect);
    else if (effect->space == ISA_SPACE_LOCAL)
        count_local(device, count, effect);
}
