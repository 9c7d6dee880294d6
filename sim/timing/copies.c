/* When a warp's asynchronous copies (cp.async) are done, group by group. */
#include "sim/timing/timing.h"

#include <string.h>

void timing_copies_reset(struct timing_copies *copies)
{
    memset(copies, 0, sizeof(*copies));
}

uint32_t timing_copies_add(struct timing_copies *copies)
{
    copies->unknown[copies->groups % TIMING_COPY_GROUPS]++;
    return copies->groups;
}

/* Groups are waited for in their order: a copy counts for all groups from its own on. */
void timing_copies_done(struct timing_copies *copies, uint32_t group, uint64_t done)
{
    uint32_t *unknown = &copies->unknown[group % TIMING_COPY_GROUPS];
    *unknown -= *unknown > 0;
    copies->open = done > copies->open ? done : copies->open;
    for (uint32_t g = group; g != copies->groups; g++) {
        uint64_t *at = &copies->done[g % TIMING_COPY_GROUPS];
        if (copies->groups - g <= TIMING_COPY_GROUPS && done > *at)
            *at = done;
    }
}

/* Ends the open group. Its time is that of all groups up to it. */
void timing_copies_commit(struct timing_copies *copies)
{
    copies->done[copies->groups++ % TIMING_COPY_GROUPS] = copies->open;
}

static bool is_known(const struct timing_copies *copies, uint32_t newest)
{
    uint32_t oldest = newest >= TIMING_COPY_GROUPS ? newest - TIMING_COPY_GROUPS + 1 : 0;
    for (uint32_t g = oldest; g <= newest; g++)
        if (copies->unknown[g % TIMING_COPY_GROUPS] > 0)
            return false;
    return true;
}

uint64_t timing_copies_all(const struct timing_copies *copies)
{
    return is_known(copies, copies->groups) ? copies->open : TIMING_NEVER;
}

uint64_t timing_copies_wait(const struct timing_copies *copies, uint32_t under_way)
{
    if (copies->groups <= under_way || under_way >= TIMING_COPY_GROUPS)
        return 0;
    uint32_t newest = copies->groups - 1 - under_way;
    return is_known(copies, newest) ? copies->done[newest % TIMING_COPY_GROUPS] : TIMING_NEVER;
}
