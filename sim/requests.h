/* What one memory instruction of a warp costs on a device: the arithmetic of sim/coalesce.h under the rules that the
 * device's profile names. `address` and `mask` as there.
 */
#ifndef SIM_REQUESTS_H
#define SIM_REQUESTS_H

#include "sim/coalesce.h"
#include "sim/device.h"

#include <stdbool.h>
#include <stdint.h>

struct sim_global_cost {
    uint32_t requests, sectors, sectors_ideal;
};

/* A load that L1 caches brings whole pieces of l1_fetch_bytes: is_cached says that it is one. Lanes beyond a request's
 * share, by global_request_lanes and global_request_bytes, make requests of their own. */
struct sim_global_cost sim_request_global(const struct sim_device *device, const uint64_t address[32], uint32_t mask,
                                          uint32_t width_bytes, bool is_cached);

/* Whether the device has one request an instruction, and whole pieces are sectors: so it is since Volta. */
static inline bool sim_requests_are_plain(const struct sim_device *device, uint32_t width_bytes)
{
    return device->global_request_lanes == 32 && device->global_request_bytes >= 32 * width_bytes &&
           device->l1_fetch_bytes <= device->sector_bytes;
}

/* groups: may be NULL; which lanes are served together. */
struct sim_wavefronts sim_request_shared(const struct sim_device *device, const uint64_t address[32], uint32_t mask,
                                         uint32_t width_bytes, enum sim_shared_kind kind,
                                         struct sim_bank_groups *groups);

#endif
