/* What one warp's access does to the banks of shared memory: who is served when, and by which bank.
 *
 * Counts are the simulator's own (sim/coalesce.h). In which order a bank serves its words is not known; here the words
 * of a bank are numbered as the lanes ask for them.
 */
#ifndef ADVISE_BANKS_H
#define ADVISE_BANKS_H

#include "advise/layout.h"

struct advise_broadcast {
    uint64_t address; /* of the word */
    uint32_t lanes;   /* that are given it at once: two or more */
};

struct advise_bank_view {
    uint32_t warp, mask, width_bytes;
    uint64_t address[32];
    bool aligned; /* otherwise the access faults, and the rest says nothing */
    struct sim_wavefronts wavefronts;
    uint32_t degree;     /* the most wavefronts that lanes served together need: 2 is a 2-way conflict */
    bool conflict_free;  /* degree is 1 (or no lane is active) */
    uint32_t group[32];  /* by lane: lanes of one group are served together */
    uint32_t turn[32];   /* by lane: the wavefront that serves it, from 0 */
    uint32_t bank[32];   /* by lane: the first bank that serves it */
    uint32_t banks_each; /* so many neighbouring banks serve a lane */
    uint32_t broadcast_count;
    struct advise_broadcast broadcasts[16];
};

/* Looks at the addresses of one warp. */
void advise_bank_look(const struct sim_device *device, const uint64_t address[32], uint32_t mask, uint32_t width_bytes,
                      enum sim_shared_kind kind, struct advise_bank_view *view);

/* Whether an active lane's bank is asked for more than one word by the lanes that are served together with it. */
bool advise_bank_conflicts(const struct advise_bank_view *view, uint32_t lane);

#define ADVISE_ACCESS_MAX 8

/* Accesses to one array by the warps of a block, with what cures them. */
struct advise_banks {
    struct advise_banks_query query;
    struct advise_access_banks {
        const struct advise_pattern *pattern;
        struct advise_bank_view view; /* of the warp that is shown */
        struct advise_cost cost;      /* of all warps */
    } accesses[ADVISE_ACCESS_MAX];
    uint32_t access_count;
    struct advise_cure padding, swizzle;
};

/* `warp`: the one to show; UINT32_MAX: the first of those with most wavefronts, for each access. BASE_INVALID with a
 * message when the warp is none of the block or a lane's address is no multiple of what it accesses. */
enum base_status advise_banks_look(const struct advise_banks_query *query, uint32_t warp, struct advise_banks *out,
                                   struct base_diags *diags);

#endif
