/* Sectors of one warp, with what is used of them. */
#include "advise/sectors.h"

#include "sim/requests.h"

#include <inttypes.h>
#include <string.h>

/* The sector that begins at `address`; sectors are kept by rising address. NULL when there is no room. */
static struct advise_sector *sector_at(struct advise_sector_view *view, uint64_t address)
{
    uint32_t at = view->sector_count;
    while (at > 0 && view->items[at - 1].address >= address)
        at--;
    if (at < view->sector_count && view->items[at].address == address)
        return &view->items[at];
    if (view->sector_count == ADVISE_SECTORS_MAX)
        return NULL;
    memmove(&view->items[at + 1], &view->items[at], (view->sector_count - at) * sizeof(view->items[0]));
    view->items[at] = (struct advise_sector){.address = address};
    view->sector_count++;
    return &view->items[at];
}

/* Marks the bytes of one lane. */
static void touch(struct advise_sector_view *view, uint32_t lane)
{
    uint64_t from = view->address[lane], end = from + view->width_bytes;
    for (uint64_t at = from; at < end;) {
        uint64_t start = at - at % view->sector_bytes, stop = start + view->sector_bytes;
        struct advise_sector *sector = sector_at(view, start);
        stop = stop < end ? stop : end;
        if (sector) {
            sector->lanes |= UINT32_C(1) << lane;
            for (uint64_t piece = (at - start) / view->piece_bytes; piece * view->piece_bytes < stop - start; piece++)
                sector->used |= UINT32_C(1) << piece;
        }
        at = stop;
    }
}

/* Bytes that lanes asked for, each once: accesses are aligned, so two of them are equal or apart. */
static uint64_t distinct_bytes(const struct advise_sector_view *view)
{
    uint64_t bytes = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        bool again = !(view->mask >> lane & 1);
        for (uint32_t i = 0; i < lane; i++)
            again = again || (view->mask >> i & 1 && view->address[i] == view->address[lane]);
        bytes += again ? 0 : view->width_bytes;
    }
    return bytes;
}

static uint64_t distance(const struct advise_sector_view *view)
{
    uint64_t step = 0;
    int last = -1;
    for (int lane = 0; lane < 32; lane++) {
        if (!(view->mask >> lane & 1))
            continue;
        if (last >= 0) {
            uint64_t here = view->address[lane] - view->address[last];
            if (lane != last + 1 || (last != __builtin_ctz(view->mask) && here != step))
                return 0;
            step = here;
        }
        last = lane;
    }
    return step;
}

/* Fermi's L1 fetches a whole line for a load; later ones fetch sectors. By `sectors` is counted what is fetched. */
static bool fetches_lines(const struct sim_device *device, enum sim_shared_kind kind)
{
    return device->l1_fetch_bytes == device->line_bytes && device->line_bytes > device->sector_bytes &&
           kind == SIM_SHARED_LOAD;
}

static uint32_t sectors_of(const struct sim_device *device, const struct advise_sector_view *view,
                           const uint64_t address[32], enum sim_shared_kind kind)
{
    return sim_request_global(device, address, view->mask, view->width_bytes, kind == SIM_SHARED_LOAD).sectors;
}

static void compare_with_better(const struct sim_device *device, enum sim_shared_kind kind,
                                struct advise_sector_view *view)
{
    uint64_t lowest = UINT64_MAX, moved[32], packed[32];
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (view->mask >> lane & 1 && view->address[lane] < lowest)
            lowest = view->address[lane];
    }
    view->misaligned_bytes = (uint32_t)(lowest % view->sector_bytes);
    uint64_t place = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        moved[lane] = view->address[lane] - view->misaligned_bytes;
        packed[lane] = place;
        place += view->mask >> lane & 1 ? view->width_bytes : 0;
    }
    view->sectors_if_aligned = sectors_of(device, view, moved, kind);
    view->sectors_if_packed = sectors_of(device, view, packed, kind);
}

void advise_sector_look(const struct sim_device *device, const uint64_t address[32], uint32_t mask,
                        uint32_t width_bytes, enum sim_shared_kind kind, struct advise_sector_view *view)
{
    memset(view, 0, sizeof(*view));
    view->mask = mask;
    view->width_bytes = width_bytes;
    view->sector_bytes = device->sector_bytes;
    view->line_bytes = device->line_bytes;
    view->piece_bytes = device->sector_bytes > ADVISE_PIECES ? device->sector_bytes / ADVISE_PIECES : 1;
    view->aligned = true;
    memcpy(view->address, address, sizeof(view->address));
    for (uint32_t lane = 0; lane < 32; lane++)
        view->aligned = view->aligned && (!(mask >> lane & 1) || address[lane] % width_bytes == 0);
    if (mask == 0 || !view->aligned)
        return;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (mask >> lane & 1)
            touch(view, lane);
    }
    struct sim_global_cost cost = sim_request_global(device, address, mask, width_bytes, kind == SIM_SHARED_LOAD);
    view->sectors = cost.sectors;
    view->sectors_ideal = cost.sectors_ideal;
    view->lines = sim_sectors(address, mask, width_bytes, view->line_bytes);
    view->whole_lines = fetches_lines(device, kind);
    view->used_bytes = distinct_bytes(view);
    view->fetched_bytes = (uint64_t)view->sectors * view->sector_bytes;
    view->efficiency_pct = 100.0 * (double)view->used_bytes / (double)view->fetched_bytes;
    view->distance_bytes = distance(view);
    compare_with_better(device, kind, view);
}

/* Byte addresses of one warp. */
static void addresses_of(const struct advise_sectors *out, uint32_t warp, uint64_t address[32])
{
    const struct advise_lanes *lanes = &out->pattern->warps[warp];
    for (uint32_t lane = 0; lane < 32; lane++)
        address[lane] = lanes->mask >> lane & 1 ? out->offset_bytes + out->pattern->component_bytes +
                                                      lanes->element[lane] * out->array->type.bytes
                                                : 0;
}

enum base_status advise_sectors_look(const struct sim_device *device, const struct advise_array *array,
                                     uint64_t offset_bytes, const struct advise_pattern *pattern, uint32_t warp,
                                     struct advise_sectors *out, struct base_diags *diags)
{
    uint64_t address[32], most = 0;
    uint32_t worst = 0;
    *out = (struct advise_sectors){.device = device, .array = array, .offset_bytes = offset_bytes, .pattern = pattern};
    if (warp != UINT32_MAX && warp >= pattern->warp_count) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "warp %u: the block has warps 0 to %u", warp,
                      pattern->warp_count - 1);
        return BASE_INVALID;
    }
    for (uint32_t i = 0; i < pattern->warp_count; i++) {
        addresses_of(out, i, address);
        for (uint32_t lane = 0; lane < 32; lane++) {
            if (!(pattern->warps[i].mask >> lane & 1) || address[lane] % pattern->width_bytes == 0)
                continue;
            base_diag_add(diags, BASE_ERROR, NULL, 0, 0,
                          "%s: lane %u of warp %u is at byte %" PRIu64
                          ", no multiple of the %u bytes that it accesses: a GPU would fault",
                          pattern->text, lane, i, address[lane], pattern->width_bytes);
            return BASE_INVALID;
        }
        struct sim_global_cost cost = sim_request_global(device, address, pattern->warps[i].mask, pattern->width_bytes,
                                                         pattern->kind == SIM_SHARED_LOAD);
        out->sectors += cost.sectors;
        out->sectors_ideal += cost.sectors_ideal;
        if (cost.sectors > most) {
            most = cost.sectors;
            worst = i;
        }
    }
    worst = warp == UINT32_MAX ? worst : warp;
    addresses_of(out, worst, address);
    advise_sector_look(device, address, pattern->warps[worst].mask, pattern->width_bytes, pattern->kind, &out->view);
    out->view.warp = worst;
    return BASE_OK;
}
