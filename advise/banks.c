/* Who is served when: the groups of sim/coalesce.h, lane by lane. */
#include "advise/banks.h"

#include "sim/requests.h"

#include <inttypes.h>
#include <string.h>

/* A unit is what one lane accesses, at least a bank's word. */
struct shape {
    uint32_t unit_bytes, unit_banks;
};

static struct shape shape_of(const struct sim_device *device, uint32_t width_bytes)
{
    struct shape shape = {.unit_bytes = width_bytes > device->bank_bytes ? width_bytes : device->bank_bytes};
    shape.unit_banks = device->bank_count * device->bank_bytes / shape.unit_bytes;
    if (shape.unit_banks == 0) /* a profile of few narrow banks: one lane needs all of them, several times */
        shape.unit_banks = 1;
    return shape;
}

/* Turns of the lanes of one group, counted from `first`: the n-th different unit of its bank is served n-th. Lanes of
 * an atomic never share a turn. */
static void take_turns(struct advise_bank_view *view, struct shape shape, struct sim_bank_group group,
                       enum sim_shared_kind kind, uint32_t first)
{
    uint32_t units_of_bank[32] = {0};
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(group.mask >> lane & 1))
            continue;
        uint64_t unit = view->address[lane] / shape.unit_bytes;
        uint32_t bank = (uint32_t)(unit % shape.unit_banks), other = lane;
        for (uint32_t i = 0; i < lane && other == lane && kind != SIM_SHARED_ATOMIC; i++) {
            if (group.mask >> i & 1 && view->address[i] / shape.unit_bytes == unit)
                other = i;
        }
        uint32_t turn = other < lane ? view->turn[other] - first : units_of_bank[bank]++;
        view->turn[lane] = first + (turn < group.wavefronts ? turn : group.wavefronts - 1);
    }
}

static void find_broadcasts(struct advise_bank_view *view, struct shape shape)
{
    uint32_t left = view->mask;
    while (left != 0) {
        uint32_t first = (uint32_t)__builtin_ctz(left), lanes = 0;
        uint64_t unit = view->address[first] / shape.unit_bytes;
        for (uint32_t lane = first; lane < 32; lane++) {
            if (left >> lane & 1 && view->address[lane] / shape.unit_bytes == unit &&
                view->turn[lane] == view->turn[first])
                lanes |= UINT32_C(1) << lane;
        }
        left &= ~lanes;
        if (lanes & (lanes - 1))
            view->broadcasts[view->broadcast_count++] = (struct advise_broadcast){unit * shape.unit_bytes, lanes};
    }
}

void advise_bank_look(const struct sim_device *device, const uint64_t address[32], uint32_t mask, uint32_t width_bytes,
                      enum sim_shared_kind kind, struct advise_bank_view *view)
{
    struct shape shape = shape_of(device, width_bytes);
    struct sim_bank_groups groups;
    uint32_t turn = 0;
    *view = (struct advise_bank_view){.mask = mask, .width_bytes = width_bytes, .aligned = true};
    memcpy(view->address, address, sizeof(view->address));
    for (uint32_t lane = 0; lane < 32; lane++) {
        view->aligned = view->aligned && (!(mask >> lane & 1) || address[lane] % width_bytes == 0);
        view->bank[lane] = (uint32_t)(address[lane] / device->bank_bytes % device->bank_count);
    }
    view->banks_each = width_bytes > device->bank_bytes ? width_bytes / device->bank_bytes : 1;
    if (view->banks_each > device->bank_count)
        view->banks_each = device->bank_count;
    view->wavefronts = sim_request_shared(device, address, mask, width_bytes, kind, &groups);
    for (uint32_t i = 0; i < groups.count; i++) {
        for (uint32_t lane = 0; lane < 32; lane++) {
            if (groups.items[i].mask >> lane & 1)
                view->group[lane] = i;
        }
        take_turns(view, shape, groups.items[i], kind, turn);
        turn += groups.items[i].wavefronts;
        view->degree = groups.items[i].wavefronts > view->degree ? groups.items[i].wavefronts : view->degree;
    }
    view->conflict_free = view->degree <= 1;
    find_broadcasts(view, shape);
}

static enum base_status look_at(const struct advise_banks_query *query, const struct advise_pattern *pattern,
                                uint32_t warp, struct advise_access_banks *out, struct base_diags *diags)
{
    static const struct advise_layout plain;
    uint64_t address[32];
    out->pattern = pattern;
    out->cost = advise_cost_of(query, &plain, pattern);
    uint32_t shown = warp == UINT32_MAX ? out->cost.worst_warp : warp;
    if (shown >= pattern->warp_count) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "warp %u: the block has warps 0 to %u", shown,
                      pattern->warp_count - 1);
        return BASE_INVALID;
    }
    for (uint32_t i = 0; i < pattern->warp_count; i++) {
        if (advise_addresses(query, &plain, pattern, i, address))
            continue;
        uint32_t lane = 0;
        while (!(pattern->warps[i].mask >> lane & 1) || address[lane] % pattern->width_bytes == 0)
            lane++;
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0,
                      "%s: lane %u of warp %u is at byte %" PRIu64
                      ", no multiple of the %u bytes that it accesses: a GPU would fault",
                      pattern->text, lane, i, address[lane], pattern->width_bytes);
        return BASE_INVALID;
    }
    advise_addresses(query, &plain, pattern, shown, address);
    advise_bank_look(query->device, address, pattern->warps[shown].mask, pattern->width_bytes, pattern->kind,
                     &out->view);
    out->view.warp = shown;
    return BASE_OK;
}

enum base_status advise_banks_look(const struct advise_banks_query *query, uint32_t warp, struct advise_banks *out,
                                   struct base_diags *diags)
{
    *out = (struct advise_banks){.query = *query, .access_count = query->pattern_count};
    for (uint32_t i = 0; i < query->pattern_count; i++) {
        enum base_status status = look_at(query, query->patterns[i], warp, &out->accesses[i], diags);
        if (status != BASE_OK)
            return status;
    }
    advise_cure_padding(query, &out->padding);
    advise_cure_swizzle(query, &out->swizzle);
    return BASE_OK;
}

bool advise_bank_conflicts(const struct advise_bank_view *view, uint32_t lane)
{
    for (uint32_t other = 0; other < 32; other++) {
        if (view->mask >> other & 1 && view->group[other] == view->group[lane] &&
            view->bank[other] == view->bank[lane] && view->turn[other] != view->turn[lane])
            return true;
    }
    return false;
}
