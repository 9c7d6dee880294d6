/* The consumer of effects that counts: what Nsight Compute would have counted for a memory instruction.
 *
 * Most accesses are those of a whole warp with evenly spaced addresses, or stay within one row of banks.
 * sim_count_plain() counts them from two numbers; nobody need make an effect of them. sim_count_effect() counts any.
 */
#ifndef SIM_COUNTERS_H
#define SIM_COUNTERS_H

#include "sim/engine.h"
#include "sim/requests.h"

struct sim_plain sim_plain_rules(const struct sim_device *device);

void sim_count_effect(struct sim_engine *engine, const struct sim_effect *effect);

/* Once all is executed, before counters are read. */
void sim_count_fold(struct sim_count *counts, uint32_t count);

/* Shared memory. Lanes within as many bytes as all banks are wide ask no bank for two words: one wavefront. */
static inline bool sim_count_plain_shared(const struct sim_engine *engine, struct sim_count *count,
                                          enum sim_effect_kind kind, const struct sim_addresses *a)
{
    const struct sim_device *device = engine->device;
    const enum sim_shared_kind shared = kind == SIM_EFFECT_LOAD ? SIM_SHARED_LOAD : SIM_SHARED_STORE;
    const bool is_one = a->width_bytes <= 4 && engine->plain.word_banks && a->max / 4 - a->min / 4 < 32;
    struct sim_wavefronts w = {1, 1};
    if (a->max >> SIM_CLUSTER_SHIFT != 0)
        return false;
    if (!is_one && !(a->even && engine->plain.even_banks &&
                     sim_shared_wavefronts_even(a->min, a->step_bytes, a->width_bytes, shared, device->bank_count,
                                                device->bank_bytes, &w)))
        return false;
    count->shared_requests++;
    count->wavefronts += w.actual;
    count->wavefronts_ideal += w.ideal;
    return true;
}

static inline bool sim_count_plain_global(const struct sim_engine *engine, struct sim_count *count,
                                          const struct sim_addresses *a)
{
    struct sim_global_sectors s;
    if (!a->even || a->width_bytes > engine->plain.request_bytes ||
        !sim_sectors_even(a->min, a->step_bytes, a->width_bytes, engine->device->sector_bytes, &s))
        return false;
    count->requests++;
    count->sectors += s.actual;
    count->sectors_ideal += s.ideal;
    count->global_bytes += s.bytes;
    return true;
}

/* Counts a load or store whose addresses have a simple form. False: they have not. */
static inline bool sim_count_plain(const struct sim_engine *engine, uint32_t counter, enum sim_effect_kind kind,
                                   uint8_t space, const struct sim_addresses *a)
{
    struct sim_count *count = &engine->counts[counter];
    if (kind == SIM_EFFECT_ATOMIC)
        return false;
    if (space == ISA_SPACE_SHARED)
        return sim_count_plain_shared(engine, count, kind, a);
    return space == ISA_SPACE_GLOBAL && sim_count_plain_global(engine, count, a);
}

#endif
