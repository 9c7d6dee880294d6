/* What one warp's access to global memory fetches: sectors, and on a GPU whose L1 fetches whole lines, lines.
 *
 * Counts are the simulator's own (sim/requests.h), of loads through L1. "Used" are the bytes that some lane asked for,
 * each counted once.
 */
#ifndef ADVISE_SECTORS_H
#define ADVISE_SECTORS_H

#include "advise/array.h"
#include "sim/device.h"

#define ADVISE_SECTORS_MAX 256
#define ADVISE_PIECES      32 /* a sector is drawn in so many pieces at most */

struct advise_sector {
    uint64_t address; /* of its first byte */
    uint32_t lanes;   /* that touch it */
    uint32_t used;    /* pieces that some lane asked for, bit by bit */
};

struct advise_sector_view {
    uint32_t warp, mask, width_bytes;
    uint64_t address[32];
    bool aligned;
    uint32_t sector_bytes, line_bytes;
    uint32_t sectors, sectors_ideal; /* that are moved; on a device that fetches lines more than are touched */
    uint32_t lines;
    bool whole_lines; /* the device fetches lines, not sectors, for this access */
    uint64_t used_bytes, fetched_bytes;
    double efficiency_pct;       /* used of fetched */
    uint32_t misaligned_bytes;   /* of the lowest address, from its sector's start */
    uint32_t sectors_if_aligned; /* if everything began at a sector's start */
    uint32_t sectors_if_packed;  /* if each lane were next to the one before, from a sector's start */
    uint64_t distance_bytes;     /* between neighbouring lanes, where it is the same for all; else 0 */
    uint32_t piece_bytes;
    uint32_t sector_count; /* in `items`, by address */
    struct advise_sector items[ADVISE_SECTORS_MAX];
};

void advise_sector_look(const struct sim_device *device, const uint64_t address[32], uint32_t mask,
                        uint32_t width_bytes, enum sim_shared_kind kind, struct advise_sector_view *view);

/* One access by the warps of a block: the view of one warp, and the sums over all. */
struct advise_sectors {
    const struct sim_device *device;
    const struct advise_array *array;
    uint64_t offset_bytes;
    const struct advise_pattern *pattern;
    struct advise_sector_view view;
    uint64_t sectors, sectors_ideal;
};
/* As advise_banks_look(). */
enum base_status advise_sectors_look(const struct sim_device *device, const struct advise_array *array,
                                     uint64_t offset_bytes, const struct advise_pattern *pattern, uint32_t warp,
                                     struct advise_sectors *out, struct base_diags *diags);

#endif
