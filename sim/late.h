/* Writes to global memory that are put off to the end of a clock's window.
 *
 * SMs that run at the same time must not see each other's writes at a moment that the host's threads decide. So a unit
 * (an SM, or the SMs of a GPC where clusters run) keeps its stores and atomics of a window in a list of its own; when
 * all units are through, the lists are carried out in the order of their cycles (sim_late_apply). Until then memory
 * does not change; a unit sees its own writes through sim_late_read().
 *
 * An engine without a list (engine->late NULL) writes at once. */
#ifndef SIM_LATE_H
#define SIM_LATE_H

#include "sim/lanes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_engine;
struct sim_op;
struct sim_warp;

#define SIM_LATE_FILTER_WORDS 64u

/* One lane's part of an atomic: where, and its operands (of up to 16 bytes). */
struct sim_late_cell {
    uint8_t *at;
    uint64_t address;
    uint32_t operand[4], other[4];
    uint32_t lane;
};

struct sim_late_granule { /* 16 bytes as the unit sees them */
    uint8_t *at;          /* NULL: free */
    uint8_t bytes[16];
};

struct sim_late {
    uint8_t *data; /* entries, one after another */
    size_t used, capacity;
    uint32_t count;
    uint64_t filter[SIM_LATE_FILTER_WORDS]; /* hashes of the 32-byte pieces written */
    /* What the unit sees, made of the entries up to `seen` when it first reads something it has written. */
    struct sim_late_granule *granules;
    uint32_t granule_count, granule_capacity;
    size_t seen;
};

/* Adds a store of `count` pieces of `bytes` bytes, which lie one after another at `from`. False: out of memory, and the
 * engine is stopped. */
bool sim_late_store(struct sim_engine *engine, uint8_t *const to[], uint32_t count, uint32_t bytes,
                    const uint8_t *from);
/* Adds one element of an atomic. `dst`: the warp's row that gets the old values, in words from its first, or
 * UINT64_MAX; `dst_rows`: of it. */
bool sim_late_atomic(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *op,
                     const struct sim_late_cell *cells, uint32_t count, uint64_t dst, uint32_t dst_rows);

/* Whether the unit may have written any of the bytes. */
bool sim_late_touches(const struct sim_late *late, const uint8_t *at, uint64_t bytes);
/* The bytes as the unit sees them. False: out of memory, and the engine is stopped. */
bool sim_late_read(struct sim_engine *engine, const uint8_t *at, void *to, uint32_t bytes);

/* Carries out all entries of all lists, whose cycles are `from` or later, and empties the lists. `engine`: one without
 * a list. False: out of memory, and the engine is stopped. */
bool sim_late_apply(struct sim_engine *engine, struct sim_late *const lists[], uint32_t count, uint64_t from,
                    uint32_t window_cycles);
void sim_late_free(struct sim_late *late);

#endif
