/* The first fetch of code that lies apart.
 *
 * An SM asks ahead for the lines that follow the one it is at, so straight code is there in time. A branch or call to a
 * line that has not been asked for waits for memory: behind the SM, instructions share the cache of constants. The
 * first fetch of a kernel is counted when its first block is launched. */
#include "sim/timing/timing.h"

enum { AHEAD_LINES = 8 };

void timing_fetch_line(struct timing_sm *sm, struct timing_warp *w, uint32_t line)
{
    const struct sim_clock *clock = sm->clock;
    uint64_t *code = sm->code;
    if (code[line] == 0)
        code[line] = sm->has_fetched ? w->issued_at + clock->engine->device->constant_cold_cycles : 1;
    sm->has_fetched = true;
    for (uint32_t i = line + 1; i <= line + AHEAD_LINES && i < clock->code_lines; i++)
        if (code[i] == 0)
            code[i] = code[line];
    w->line = line;
    if (code[line] > w->ready_at) {
        w->ready_at = code[line];
        w->reason = SIM_STALL_NO_INSTRUCTION;
    }
}
