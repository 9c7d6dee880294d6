/* What the engine does to whole rows: address arithmetic, merging under a mask, moving 32 words to and from memory.
 *
 * Like the lane functions (sim/exec.h) these are compiled for several instruction sets; sim_lanes_find() gives the
 * table of one.
 */
#ifndef SIM_LANES_H
#define SIM_LANES_H

#include "sim/exec.h"

#include <stdbool.h>
#include <stdint.h>

/* The addresses of one warp instruction. `mask` is not empty. Lanes outside it repeat the address of the first lane in
 * it, so that every entry is a valid one and loops need no mask. Where the addresses of a whole warp are evenly spaced,
 * as most are, `step_bytes` says all; the entries are then written only by sim_addresses_expand(), which whoever reads
 * at[] calls first. */
struct sim_addresses {
    uint64_t min, max; /* over all entries */
    uint64_t low_bits; /* OR of all entries, exact below the width: alignment at a glance */
    uint32_t mask;
    uint32_t width_bytes; /* what a lane accesses; a power of two */
    uint32_t step_bytes;  /* where even */
    bool even;            /* at[i] == min + i * step_bytes for all 32, mask full */
    bool contiguous;      /* even, and the step is the width */
    bool uniform;         /* all entries equal */
    bool is_written;      /* at[] is */
    uint64_t at[32];
};

static inline void sim_addresses_expand(struct sim_addresses *a)
{
    uint64_t step = a->even ? a->step_bytes : 0;
    if (a->is_written)
        return;
    for (unsigned i = 0; i < 32; i++)
        a->at[i] = a->min + i * step;
    a->is_written = true;
}

struct sim_lanes {
    /* addresses[i] = (hi ? hi:lo : lo)[i] + offset; hi == NULL: 32-bit registers, the sum wraps at 32 bits. */
    void (*addresses)(struct sim_addresses *out, const uint32_t *lo, const uint32_t *hi, int64_t offset, uint32_t mask,
                      uint32_t width_bytes);
    /* d[i] = mask bit i ? s[i] : d[i], for `rows` rows. */
    void (*merge)(uint32_t *d, const uint32_t *s, uint32_t mask, uint32_t rows);
    /* d[i] = the 32-bit word at base + at[i] - origin, for all 32 entries, whatever the width. */
    void (*gather32)(uint32_t *d, const uint8_t *base, const struct sim_addresses *a, uint64_t origin);
    /* The word at base + at[i] - origin = s[i], for lanes of the mask, in lane order. */
    void (*scatter32)(uint8_t *base, const struct sim_addresses *a, uint64_t origin, const uint32_t *s);
};

const struct sim_lanes *sim_lanes_find(enum sim_level level);

#endif
