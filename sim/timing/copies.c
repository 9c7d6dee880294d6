/* When a warp's asynchronous copies (cp.async) are done, group by group. */
#include "sim/timing/timing.h"

#include <string.h>

void timing_copies_reset(struct timing_copies *copies)
{
    memset(copies, 0, sizeof(*copies));
}

void timing_copies_add(struct timing_copies *copies, uint64_t done)
{
    copies->open = done > copies->open ? done : copies->open;
}

/* Ends the open group. Its time is that of all groups up to it: they are waited for in this order. */
void timing_copies_commit(struct timing_copies *copies)
{
    copies->done[copies->groups++ % TIMING_COPY_GROUPS] = copies->open;
}

uint64_t timing_copies_all(const struct timing_copies *copies)
{
    return copies->open;
}

uint64_t timing_copies_wait(const struct timing_copies *copies, uint32_t under_way)
{
    if (copies->groups <= under_way || under_way >= TIMING_COPY_GROUPS)
        return 0;
    return copies->done[(copies->groups - 1 - under_way) % TIMING_COPY_GROUPS];
}
