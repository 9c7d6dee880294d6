/* cp.async: copies from global to shared memory that are done some time, at the latest when they are waited for.
 *
 * The source is read when the instruction issues; what it gives lies in a queue of the warp and is written when a wait
 * asks for it, so that a program that forgets the wait sees what was there before. Which copies a wait covers is kept
 * lane by lane: a lane counts its groups, and a copy knows the number of the group that each of its lanes had open. */
#include "sim/sass/op.h"

#include <stdlib.h>
#include <string.h>

#define COPIES_MAX 1024u /* of a warp under way; more, and the oldest are done at once */

struct copy {
    uint32_t lanes;
    uint32_t bytes;
    uint32_t group[32];
    uint8_t *to[32];
    uint8_t data[32][16];
};

struct sim_async {
    struct copy *copies;
    uint32_t count, capacity;
    uint32_t open[32]; /* number of each lane's open group */
};

static void write_lanes(struct copy *copy, uint32_t lanes)
{
    for (uint32_t m = copy->lanes & lanes; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        memcpy(copy->to[lane], copy->data[lane], copy->bytes);
    }
    copy->lanes &= ~lanes;
}

/* Takes copies that are done out of the queue. */
static void tidy(struct sim_async *async)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < async->count; i++) {
        if (async->copies[i].lanes == 0)
            continue;
        if (kept != i)
            async->copies[kept] = async->copies[i];
        kept++;
    }
    async->count = kept;
}

/* Does the copies of `lanes` whose groups are at least `behind` older than the open one. */
static void finish_groups(struct sim_warp *warp, uint32_t lanes, uint32_t behind)
{
    struct sim_async *async = warp->async;
    if (async == NULL || async->count == 0)
        return;
    for (uint32_t i = 0; i < async->count; i++) {
        struct copy *copy = &async->copies[i];
        uint32_t due = 0;
        for (uint32_t m = copy->lanes & lanes; m != 0; m &= m - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(m);
            due |= (uint32_t)(async->open[lane] - copy->group[lane] >= behind) << lane;
        }
        if (due != 0)
            sim_warp_moved(warp);
        write_lanes(copy, due);
    }
    tidy(async);
}

void sim_async_finish(struct sim_warp *warp, uint32_t lanes)
{
    finish_groups(warp, lanes, 0);
}

void sim_async_reset(struct sim_warp *warp)
{
    if (warp->async != NULL) {
        warp->async->count = 0;
        memset(warp->async->open, 0, sizeof(warp->async->open));
    }
}

void sim_async_free(struct sim_warp *warp)
{
    if (warp->async != NULL)
        free(warp->async->copies);
    free(warp->async);
    warp->async = NULL;
}

/* Room for one more copy, empty; NULL: out of memory. */
static struct copy *new_copy(struct sim_engine *engine, struct sim_warp *warp)
{
    struct sim_async *async = warp->async;
    if (async == NULL) {
        async = warp->async = sim_engine_alloc(engine, 1, sizeof(*async));
        if (async == NULL)
            return NULL;
    }
    if (async->count == COPIES_MAX) {
        write_lanes(&async->copies[0], UINT32_MAX);
        tidy(async);
    }
    if (async->count == async->capacity) {
        const uint32_t capacity = async->capacity == 0 ? 16 : async->capacity * 2;
        struct copy *copies = sim_engine_alloc(engine, capacity, sizeof(*copies));
        if (copies == NULL)
            return NULL;
        if (async->count > 0)
            memcpy(copies, async->copies, async->count * sizeof(*copies));
        free(async->copies);
        engine->used_bytes -= (uint64_t)async->capacity * sizeof(*copies);
        async->copies = copies;
        async->capacity = capacity;
    }
    struct copy *copy = &async->copies[async->count++];
    memset(copy, 0, sizeof(*copy));
    return copy;
}

/* Bytes that a lane reads; the rest of its place is filled with zeros. */
static uint32_t bytes_read(const struct sim_engine *engine, const struct sim_warp *warp, const struct sim_group *group,
                           const struct sim_op *op, unsigned lane)
{
    const uint32_t size = op->element_bytes;
    if (op->psrc >= 0)
        return (sim_pred_source(warp, group, op, 0) >> lane & 1) != 0 ? 0 : size;
    if (op->src[0] == SIM_ROW_NONE)
        return size;
    const uint32_t wanted = sim_row(engine->program, warp, group, op->src[0])[lane];
    return wanted < size ? wanted : size;
}

/* Machine code: how far the source is past a multiple of the width is how many bytes are not read. */
static void shorten(uint64_t *address, uint32_t *bytes, uint32_t width)
{
    const uint32_t past = (uint32_t)(*address % width);
    *address -= past;
    *bytes = *bytes > past ? *bytes - past : 0;
}

/* The source of all lanes that read: a part of a place is checked by its first and last byte. */
static bool find_sources(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group,
                         const struct sim_op *op, const uint32_t bytes[32], const uint64_t address[32],
                         uint32_t read_mask, uint8_t *at[32])
{
    struct sim_reach reach = {
        .kind = SIM_EFFECT_LOAD, .space = ISA_SPACE_GLOBAL, .silent = true, .width_bytes = op->element_bytes};
    uint32_t parts = 0;
    for (uint32_t m = read_mask; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        if (bytes[lane] == op->element_bytes)
            reach.mask |= m & (0U - m);
        else if (address[lane] % op->element_bytes != 0)
            return sim_stop_address(engine, warp, op, lane, SIM_FAULT_MISALIGNED, ISA_SPACE_GLOBAL, address[lane],
                                    op->element_bytes, false);
        else
            parts |= m & (0U - m);
    }
    if (reach.mask != 0 && !sim_access_at(engine, warp, group, op, &reach, address, at))
        return false;
    if (parts == 0)
        return true;
    uint64_t last[32];
    uint8_t *unused[32];
    for (unsigned lane = 0; lane < 32; lane++)
        last[lane] = address[lane] + (bytes[lane] > 0 ? bytes[lane] - 1 : 0);
    reach.mask = parts;
    reach.width_bytes = 1;
    return sim_access_at(engine, warp, group, op, &reach, address, at) &&
           sim_access_at(engine, warp, group, op, &reach, last, unused);
}

static void tell(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                 const struct sim_copy *copy, uint8_t *const from[32], uint8_t *const to[32])
{
    struct sim_reach reach = {.kind = SIM_EFFECT_LOAD,
                              .space = ISA_SPACE_GLOBAL,
                              .mask = copy->read_mask,
                              .width_bytes = copy->width_bytes,
                              .copy = copy};
    if (reach.mask != 0)
        sim_access_tell(engine, warp, group, op, &reach, copy->from, from);
    reach.kind = SIM_EFFECT_STORE;
    reach.space = ISA_SPACE_SHARED;
    reach.mask = copy->mask;
    sim_access_tell(engine, warp, group, op, &reach, copy->to, to);
}

bool sim_async_copy(struct sim_engine *engine, struct sim_warp *warp, struct sim_group *group, const struct sim_op *op,
                    uint32_t mask)
{
    const struct sim_op *second = &engine->program->seconds[op->target];
    struct sim_copy copy = {
        .mask = mask, .width_bytes = op->element_bytes, .past_l1 = op->insn->op == ISA_OP_CP_ASYNC_CG};
    const struct sim_reach reach = {.kind = SIM_EFFECT_STORE,
                                    .space = ISA_SPACE_SHARED,
                                    .silent = true,
                                    .mask = mask,
                                    .width_bytes = op->element_bytes};
    uint8_t *to[32] = {NULL}, *from[32] = {NULL};
    uint32_t bytes[32];
    sim_access_addresses(engine, warp, group, op, copy.to);
    sim_access_addresses(engine, warp, group, second, copy.from);
    for (unsigned lane = 0; lane < 32; lane++) {
        bytes[lane] = bytes_read(engine, warp, group, op, lane);
        if (op->machine != NULL && (op->machine->flags & SIM_SASS_COPY_SHORT) != 0)
            shorten(&copy.from[lane], &bytes[lane], op->element_bytes);
        copy.read_mask |= (uint32_t)(bytes[lane] > 0) << lane & mask;
    }
    if (!sim_access_at(engine, warp, group, op, &reach, copy.to, to) ||
        !find_sources(engine, warp, group, op, bytes, copy.from, copy.read_mask, from))
        return false;
    tell(engine, warp, group, op, &copy, from, to);
    struct copy *queued = new_copy(engine, warp);
    if (queued == NULL)
        return false;
    queued->lanes = mask;
    queued->bytes = op->element_bytes;
    memcpy(queued->group, warp->async->open, sizeof(queued->group));
    memcpy(queued->to, to, sizeof(queued->to));
    for (uint32_t m = copy.read_mask; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        if (!sim_late_read(engine, from[lane], queued->data[lane], bytes[lane]))
            return false;
    }
    return true;
}

void sim_async_group(struct sim_warp *warp, const struct sim_op *op, uint32_t mask)
{
    if (warp->async == NULL)
        return;
    const bool all = op->insn->op == ISA_OP_CP_ASYNC_WAIT_ALL;
    if (op->insn->op == ISA_OP_CP_ASYNC_COMMIT || all)
        for (uint32_t m = mask; m != 0; m &= m - 1)
            warp->async->open[__builtin_ctz(m)]++;
    if (op->insn->op == ISA_OP_CP_ASYNC_WAIT || all) /* the open group, the newest, is not waited for */
        finish_groups(warp, mask, all ? 1 : op->target_count + 1);
}
