/* Requests, sectors and wavefronts of one instruction by a device's rules. Since Volta an instruction is one request
 * and memory is moved in sectors; before, wide accesses were split into half- and quarter-warps, and a load through L1
 * brought whole lines.
 */
#include "sim/requests.h"

static uint32_t lanes_of_request(const struct sim_device *device, uint32_t width_bytes)
{
    uint32_t by_bytes = device->global_request_bytes / width_bytes;
    uint32_t lanes = by_bytes < device->global_request_lanes ? by_bytes : device->global_request_lanes;
    return lanes > 0 ? lanes : 1;
}

struct sim_global_cost sim_request_global(const struct sim_device *device, const uint64_t address[32], uint32_t mask,
                                          uint32_t width_bytes, bool is_cached)
{
    struct sim_global_cost cost = {0, 0, 0};
    uint32_t lanes = lanes_of_request(device, width_bytes), sector = device->sector_bytes;
    uint32_t piece = is_cached && device->l1_fetch_bytes > sector ? device->l1_fetch_bytes : sector;
    for (uint32_t first = 0; first < 32; first += lanes) {
        uint32_t part = lanes >= 32 ? mask : mask & ((UINT32_C(1) << lanes) - 1) << first;
        if (part == 0)
            continue;
        cost.requests++;
        const struct sim_global_sectors s = sim_sectors_both(address, part, width_bytes, piece);
        cost.sectors += s.actual * (piece / sector);
        cost.sectors_ideal += s.ideal * (piece / sector);
    }
    return cost;
}

struct sim_wavefronts sim_request_shared(const struct sim_device *device, const uint64_t address[32], uint32_t mask,
                                         uint32_t width_bytes, enum sim_shared_kind kind,
                                         struct sim_bank_groups *groups)
{
    if (device->shared_wide_rule == 0)
        return sim_shared_wavefronts_fermi(address, mask, width_bytes, kind, device->bank_count, device->bank_bytes,
                                           groups);
    if (groups != NULL)
        sim_shared_groups(address, mask, width_bytes, kind, device->bank_count, device->bank_bytes, groups);
    return sim_shared_wavefronts(address, mask, width_bytes, kind, device->bank_count, device->bank_bytes);
}
