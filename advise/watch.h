/* What every memory instruction of a run did, kept for the rules (advise/rules.h): some of its executions, and sums.
 *
 * Give advise_watch_access() to sim_run() as its access hook. Afterwards the items are in no order;
 * item->captured->insn says of which instruction each is. An instruction with generic addresses has one for each space
 * that it touched.
 */
#ifndef ADVISE_WATCH_H
#define ADVISE_WATCH_H

#include "advise/capture.h"

struct advise_watched {
    struct advise_captured *captured; /* shared and global: executions that were kept; others: none but the sums */
    uint8_t space;                    /* enum isa_space */
    uint64_t executions;
    uint64_t lowest, end;      /* all addresses lie in [lowest, end) */
    uint64_t lanes, addresses; /* atomics and constants: active lanes, and different addresses among them */
    /* Atomics: the address that lanes met most often, if there is one that more than half of them met: `hot_lanes` is
     * then a lower bound of how many did. */
    uint64_t hot_address, hot_lanes;
    bool one_address; /* all lanes of all executions: hot_address */
};

struct advise_watch {
    const struct sim_device *device;
    BASE_VEC(struct advise_watched *) items;
    BASE_VEC(uint32_t) slots; /* by number and kind of space: 0 none yet, n: items[n - 1] */
    bool dropped;             /* there were too many instructions: some were not looked at */
    bool failed;              /* no memory */
};

/* A sim_access_hook; `user` is the watch. */
void advise_watch_access(void *user, const struct sim_access *access);
/* NULL: that instruction did not touch the space. */
const struct advise_watched *advise_watch_find(const struct advise_watch *watch, const struct isa_insn *insn,
                                               uint8_t space);
void advise_watch_free(struct advise_watch *watch);

#endif
