/* What threads know of each other through memory: one writes a flag after a fence, another reads it and executes a
 * fence.
 *
 * A strong access (an atomic, a volatile or an ordered one) that writes after a fence of its thread *releases* what the
 * thread knew at the fence; one that reads *refers* to all that was released at that place so far. A reference is of
 * use to the thread once it has passed a fence, or met other threads, which CUDA programs use for one. References are
 * kept by warp, and by block when a barrier has spread them; whether one covers an access is asked only when there is a
 * conflict to judge.
 *
 * A fence before a barrier counts for what follows it, too: where all threads of a block execute __threadfence() and
 * __syncthreads(), and then one of them sets the flag. */
#include "sim/check/check.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_MAX     UINT32_C(262144)
#define RELEASES_MAX   UINT32_C(2097152)
#define REFERENCES_MAX 64u
#define ONWARD_MAX     64u
#define OF_WARP_MAX    3u /* releases of a warp that are kept apart at one place */
#define INDEX_BITS     24u
#define INDEX_MASK     ((UINT32_C(1) << INDEX_BITS) - 1)

void check_flags_clear(struct check_flags *flags)
{
    for (size_t i = 0; i < flags->places.count; i++)
        base_vec_free(&flags->places.data[i].onward);
    flags->places.count = flags->releases.count = flags->rows.count = 0;
    check_table_clear(&flags->by_address);
    check_table_clear(&flags->by_block);
    flags->overflow = false;
}

void check_flags_free(struct check_flags *flags)
{
    check_flags_clear(flags);
    base_vec_free(&flags->places);
    base_vec_free(&flags->releases);
    base_vec_free(&flags->rows);
    check_table_free(&flags->by_address);
    check_table_free(&flags->by_block);
}

static void overflow(struct sim_check *check, struct check_flags *flags)
{
    flags->overflow = check->incomplete = true;
}

static struct check_flags *flags_of(const struct check_view *view, uint32_t domain)
{
    const struct sim_cluster *cluster = view->sim->block->cluster;
    return domain == 0 ? &view->check->flags : &cluster->blocks[domain - 1].check->flags;
}

/* ---- Fences ---- */

static void pass_fence(struct check_reference *reference, uint32_t lanes, unsigned level)
{
    uint32_t passed = reference->pending & lanes;
    for (unsigned k = 0; k <= level; k++)
        reference->known[k] |= passed;
    if (level == CHECK_LEVELS - 1)
        reference->pending &= ~lanes;
}

static bool make_fences(struct sim_check *check, struct check_warp *warp, unsigned level)
{
    if (warp->fences[level] == NULL)
        warp->fences[level] = check_alloc(check, 1, sizeof(*warp->fences[level]));
    return warp->fences[level] != NULL;
}

void check_flag_fence(const struct check_view *view, uint32_t lanes, uint8_t level)
{
    struct check_warp *warp = view->warp;
    uint32_t now = check_clock_tick(view->check, view->block);
    for (unsigned k = 0; k <= level; k++) {
        view->block->fence_time[k] = now;
        if (!make_fences(view->check, warp, k)) {
            overflow(view->check, &view->check->flags);
            return;
        }
        struct check_fences *fences = warp->fences[k];
        fences->lanes |= lanes;
        fences->latest = now;
        for (uint32_t m = lanes; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            fences->time[lane] = now;
            fences->warp_time[lane] = warp->warp_time;
            fences->block_time[lane] = view->block->block_time;
        }
    }
    for (size_t i = 0; i < warp->references.count; i++)
        pass_fence(&warp->references.data[i], lanes, level);
}

/* ---- Releasing ---- */

/* The place of an address, made when there is none; UINT32_MAX: no room. */
static uint32_t place_of(struct sim_check *check, struct check_flags *flags, uint64_t address)
{
    uint32_t *slot = check_table_slot(check, &flags->by_address, address + 1);
    if (slot != NULL && *slot != 0)
        return *slot - 1;
    struct check_place place = {.key = address};
    if (slot == NULL || flags->places.count >= PLACES_MAX || !base_vec_push(&flags->places, place)) {
        overflow(check, flags);
        return UINT32_MAX;
    }
    *slot = (uint32_t)flags->places.count;
    return *slot - 1;
}

static uint64_t block_key(uint32_t place, uint32_t block)
{
    return ((uint64_t)place << 32 | block) + 1;
}

static uint32_t copy_row(struct sim_check *check, struct check_flags *flags, const struct check_view *view)
{
    if (view->block->others == NULL)
        return 0;
    if (flags->rows.count > RELEASES_MAX || !base_vec_reserve(&flags->rows, 32)) {
        overflow(check, flags);
        return 0;
    }
    memcpy(flags->rows.data + flags->rows.count, view->block->others[view->index], 32 * sizeof(uint32_t));
    flags->rows.count += 32;
    return (uint32_t)(flags->rows.count / 32);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void keep_release(struct sim_check *check, struct check_flags *flags, uint32_t place, uint32_t block,
                         const struct check_release *release)
{
    uint32_t *head = check_table_slot(check, &flags->by_block, block_key(place, block));
    uint32_t same = 0;
    if (head == NULL) {
        overflow(check, flags);
        return;
    }
    for (uint32_t i = *head; i != 0; i = flags->releases.data[i - 1].next) {
        struct check_release *old = &flags->releases.data[i - 1];
        if (old->warp != release->warp || old->level != release->level)
            continue;
        bool nothing_new = old->time >= release->time && old->warp_time >= release->warp_time &&
                           old->block_time >= release->block_time && (release->lanes & ~old->lanes) == 0;
        if (nothing_new && release->others == 0)
            return;
        if (++same == OF_WARP_MAX) { /* two in one: it covers what both do, from the earlier on */
            old->lanes |= release->lanes;
            old->time = larger(old->time, release->time);
            old->warp_time = larger(old->warp_time, release->warp_time);
            old->block_time = larger(old->block_time, release->block_time);
            old->others = release->others;
            return;
        }
    }
    struct check_release made = *release;
    made.next = *head;
    if (flags->releases.count >= RELEASES_MAX || !base_vec_push(&flags->releases, made)) {
        overflow(check, flags);
        return;
    }
    *head = (uint32_t)flags->releases.count;
}

/* What the releasing lanes know from other places goes on with what they release. */
static void pass_on(struct sim_check *check, struct check_flags *flags, uint32_t place, uint32_t own, uint64_t number,
                    const struct check_reference *reference, uint32_t lanes)
{
    struct check_place *to = &flags->places.data[place];
    if (reference->place == own || ((reference->known[0] | reference->pending) & lanes) == 0)
        return;
    for (size_t i = 0; i < to->onward.count; i++)
        if (to->onward.data[i].place == reference->place) {
            if (to->onward.data[i].upto < reference->upto)
                to->onward.data[i].upto = reference->upto;
            return;
        }
    struct check_onward onward = {reference->place, reference->upto, number};
    if (to->onward.count >= ONWARD_MAX || !base_vec_push(&to->onward, onward))
        overflow(check, flags);
}

/* True when a lane knows something from shared memory: a place in global memory cannot refer to that. */
static bool knows_from_shared(const struct check_view *view, uint32_t lanes)
{
    for (size_t i = 0; i < view->block->references.count; i++)
        if (view->block->references.data[i].place >> INDEX_BITS != 0)
            return true;
    for (size_t i = 0; i < view->warp->references.count; i++) {
        const struct check_reference *r = &view->warp->references.data[i];
        if (r->place >> INDEX_BITS != 0 && ((r->known[0] | r->pending) & lanes) != 0)
            return true;
    }
    return false;
}

static void release_level(const struct check_view *view, struct check_flags *flags, uint32_t domain, uint32_t place,
                          unsigned fence_level, uint8_t level, uint32_t lanes)
{
    const struct check_fences *fences = view->warp->fences[fence_level];
    const struct check_block *block = view->block;
    uint64_t number = view->check->releases;
    bool whole = domain == 0 && knows_from_shared(view, lanes);
    for (uint32_t todo = lanes & fences->lanes; todo != 0;) {
        unsigned first = (unsigned)__builtin_ctz(todo);
        uint32_t same = 0;
        for (uint32_t m = todo; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            if (fences->time[lane] == fences->time[first] && fences->warp_time[lane] == fences->warp_time[first] &&
                fences->block_time[lane] == fences->block_time[first])
                same |= UINT32_C(1) << lane;
        }
        todo &= ~same;
        struct check_release release = {
            .number = number,
            .lanes = same,
            .time = fences->time[first],
            .warp_time = larger(fences->warp_time[first], smaller(view->warp->warp_time, fences->latest)),
            .block_time = larger(fences->block_time[first], smaller(block->block_time, block->fence_seen[fence_level])),
            .others = copy_row(view->check, flags, view),
            .warp = (uint8_t)view->index,
            .level = level,
        };
        if (whole)
            release.block_time = larger(release.block_time, release.time);
        keep_release(view->check, flags, place, block->linear, &release);
    }
}

/* Lanes whose last fence of the level was a wider one: that one's release says as much. */
static uint32_t fenced_wider(const struct check_warp *warp, unsigned level)
{
    uint32_t lanes = 0;
    if (level + 1 == CHECK_LEVELS || warp->fences[level + 1] == NULL)
        return 0;
    const struct check_fences *fences = warp->fences[level], *wider = warp->fences[level + 1];
    for (uint32_t m = wider->lanes; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        lanes |= (uint32_t)(wider->time[lane] == fences->time[lane]) << lane;
    }
    return lanes;
}

static void release_to(const struct check_view *view, uint32_t domain, uint64_t address, uint8_t level, uint32_t lanes)
{
    struct check_flags *flags = flags_of(view, domain);
    struct check_warp *warp = view->warp;
    if (flags->overflow)
        return;
    uint32_t place = place_of(view->check, flags, address);
    if (place == UINT32_MAX)
        return;
    uint32_t own = domain << INDEX_BITS | place;
    view->check->releases++;
    for (unsigned k = 0; k < CHECK_LEVELS; k++)
        if (warp->fences[k] != NULL)
            release_level(view, flags, domain, place, k, (uint8_t)smaller(level, k), lanes & ~fenced_wider(warp, k));
    for (size_t i = 0; i < view->block->references.count; i++)
        if (domain != 0 || view->block->references.data[i].place >> INDEX_BITS == 0)
            pass_on(view->check, flags, place, own, view->check->releases, &view->block->references.data[i], lanes);
    for (size_t i = 0; i < warp->references.count; i++)
        if (domain != 0 || warp->references.data[i].place >> INDEX_BITS == 0)
            pass_on(view->check, flags, place, own, view->check->releases, &warp->references.data[i], lanes);
}

/* ---- Referring ---- */

static struct check_reference *reference_slot(struct sim_check *check, struct check_warp *warp, uint32_t place)
{
    for (size_t i = 0; i < warp->references.count; i++)
        if (warp->references.data[i].place == place)
            return &warp->references.data[i];
    struct check_reference made = {.place = place};
    if (warp->references.count >= REFERENCES_MAX || !base_vec_push(&warp->references, made)) {
        overflow(check, &check->flags);
        return NULL;
    }
    return &warp->references.data[warp->references.count - 1];
}

static void refer_to(const struct check_view *view, uint32_t domain, uint64_t address, uint8_t level, bool acquires,
                     uint32_t lanes)
{
    struct check_flags *flags = flags_of(view, domain);
    uint32_t found = check_table_get(&flags->by_address, address + 1);
    if (found == 0 || flags->overflow)
        return;
    struct check_reference *reference = reference_slot(view->check, view->warp, domain << INDEX_BITS | (found - 1));
    if (reference == NULL)
        return;
    reference->upto = view->check->releases;
    if (acquires)
        for (unsigned k = 0; k <= level; k++)
            reference->known[k] |= lanes;
    else
        reference->pending |= lanes;
}

void check_flag_access(const struct check_view *view, const struct sim_effect *effect, uint32_t domain,
                       uint64_t address, uint32_t lanes)
{
    const struct check_insn *insn = &view->check->insns[effect->op->counter];
    if (effect->kind != SIM_EFFECT_STORE)
        refer_to(view, domain, address, insn->level, insn->acquires, lanes);
    if (effect->kind == SIM_EFFECT_LOAD)
        return;
    if (insn->releases)
        check_flag_fence(view, lanes, insn->level);
    if (view->warp->fences[0] != NULL && (view->warp->fences[0]->lanes & lanes) != 0)
        release_to(view, domain, address, insn->level, lanes);
}

/* ---- Spreading ---- */

void check_flag_meet_warp(const struct check_view *view, uint32_t lanes)
{
    for (size_t i = 0; i < view->warp->references.count; i++) {
        struct check_reference *reference = &view->warp->references.data[i];
        pass_fence(reference, lanes, CHECK_LEVELS - 1);
        for (unsigned k = 0; k < CHECK_LEVELS; k++)
            if ((reference->known[k] & lanes) != 0)
                reference->known[k] |= lanes;
    }
}

/* What some lanes know by `from`, all threads of the block know. */
static void spread(struct sim_check *check, struct check_block *block, const struct check_reference *from)
{
    struct check_reference *to = NULL;
    for (size_t i = 0; i < block->references.count && to == NULL; i++)
        if (block->references.data[i].place == from->place)
            to = &block->references.data[i];
    if (to == NULL) {
        struct check_reference made = {.place = from->place};
        if (block->references.count >= REFERENCES_MAX || !base_vec_push(&block->references, made)) {
            overflow(check, &check->flags);
            return;
        }
        to = &block->references.data[block->references.count - 1];
    }
    if (to->upto < from->upto)
        to->upto = from->upto;
    for (unsigned k = 0; k < CHECK_LEVELS; k++)
        if (from->pending != 0 || from->known[k] != 0)
            to->known[k] = UINT32_MAX;
}

void check_flag_meet_block(struct sim_check *check, struct check_block *block)
{
    for (uint32_t w = 0; w < block->warp_count; w++) {
        for (size_t i = 0; i < block->warps[w].references.count; i++)
            spread(check, block, &block->warps[w].references.data[i]);
        block->warps[w].references.count = 0;
    }
}

void check_flag_meet_warps(struct sim_check *check, struct check_block *block, const struct check_barrier *barrier)
{
    for (uint32_t a = barrier->arrived; a != 0; a &= a - 1) {
        struct check_warp *from = &block->warps[__builtin_ctz(a)];
        for (size_t i = 0; i < from->references.count; i++) {
            struct check_reference reference = from->references.data[i];
            pass_fence(&reference, UINT32_MAX, CHECK_LEVELS - 1);
            for (uint32_t m = barrier->waiting; m != 0; m &= m - 1) {
                struct check_reference *to = reference_slot(check, &block->warps[__builtin_ctz(m)], reference.place);
                for (unsigned k = 0; to != NULL && k < CHECK_LEVELS; k++)
                    if (reference.known[k] != 0)
                        to->known[k] = UINT32_MAX;
                if (to != NULL && to->upto < reference.upto)
                    to->upto = reference.upto;
            }
        }
    }
}

void check_flag_share(struct sim_check *check, struct check_block *from, struct check_block *to)
{
    for (size_t i = 0; i < from->references.count; i++)
        spread(check, to, &from->references.data[i]);
}

/* ---- Asking ---- */

#define VISITED_MAX 32u

struct question {
    const struct check_view *view;
    uint64_t who;
    uint32_t rest; /* lanes not yet covered */
    bool any_lane;
    unsigned level; /* how wide the release must be */
    uint32_t places[VISITED_MAX];
    uint64_t upto[VISITED_MAX];
    unsigned visited;
};

static bool covers(struct question *q, const struct check_flags *flags, const struct check_release *release)
{
    uint32_t time = check_time(q->who), warp = check_warp_of(q->who);
    if (release->level < q->level)
        return false;
    if (time <= release->block_time)
        return true;
    if (release->others != 0 && flags->rows.data[(size_t)(release->others - 1) * 32 + warp] >= time)
        return true;
    if (release->warp != warp)
        return false;
    if (time <= release->warp_time)
        return true;
    if (time > release->time)
        return false;
    q->rest &= ~release->lanes;
    return q->any_lane || q->rest == 0;
}

/* Whether what was released at a place up to then covers the access. */
static bool reaches(struct question *q, uint32_t place, uint64_t upto, unsigned depth)
{
    const struct check_flags *flags = flags_of(q->view, place >> INDEX_BITS);
    if (flags->overflow || depth > VISITED_MAX)
        return true;
    for (unsigned i = 0; i < q->visited; i++)
        if (q->places[i] == place && q->upto[i] >= upto)
            return false;
    if (q->visited == VISITED_MAX)
        return true;
    q->places[q->visited] = place;
    q->upto[q->visited++] = upto;
    uint32_t index = place & INDEX_MASK;
    if (index >= flags->places.count)
        return false;
    uint32_t at = check_table_get(&flags->by_block, block_key(index, check_block_of(q->who)));
    for (; at != 0; at = flags->releases.data[at - 1].next)
        if (flags->releases.data[at - 1].number <= upto && covers(q, flags, &flags->releases.data[at - 1]))
            return true;
    const struct check_place *from = &flags->places.data[index];
    for (size_t i = 0; i < from->onward.count; i++)
        if (from->onward.data[i].since <= upto &&
            reaches(q, from->onward.data[i].place, from->onward.data[i].upto, depth + 1))
            return true;
    return false;
}

/* How wide a release must be for the asking block to hear of the other one. */
static unsigned level_between(const struct check_view *view, uint32_t block)
{
    const struct sim_cluster *cluster = view->sim->block->cluster;
    if (block == view->block->linear)
        return 0;
    for (uint32_t r = 0; r < cluster->block_count; r++)
        if ((uint32_t)cluster->blocks[r].linear == block)
            return 1;
    return 2;
}

enum check_order check_flag_order(const struct check_view *view, uint64_t who, uint32_t lanes, unsigned lane)
{
    const struct check_block *block = view->block;
    const struct check_warp *warp = view->warp;
    if (view->check->flags.overflow || block->flags.overflow)
        return CHECK_ORDERED;
    if (block->references.count + warp->references.count == 0)
        return CHECK_UNORDERED;
    struct question q = {.view = view, .who = who, .rest = lanes, .any_lane = lanes == 0};
    q.level = level_between(view, check_block_of(who));
    for (size_t i = 0; i < block->references.count; i++)
        if (block->references.data[i].known[q.level] != 0 &&
            reaches(&q, block->references.data[i].place, block->references.data[i].upto, 0))
            return CHECK_ORDERED;
    for (size_t i = 0; i < warp->references.count; i++)
        if ((warp->references.data[i].known[q.level] >> lane & 1) != 0 &&
            reaches(&q, warp->references.data[i].place, warp->references.data[i].upto, 0))
            return CHECK_ORDERED;
    for (size_t i = 0; i < warp->references.count; i++)
        if ((warp->references.data[i].pending >> lane & 1) != 0 &&
            reaches(&q, warp->references.data[i].place, warp->references.data[i].upto, 0))
            return CHECK_UNFENCED;
    return CHECK_UNORDERED;
}

enum check_order check_flag_order_blocks(const struct check_view *view, uint32_t releases, unsigned lane)
{
    const struct check_block *block = view->block;
    enum check_order best = CHECK_UNORDERED;
    if (view->check->flags.overflow || block->flags.overflow || block->met_at > releases)
        return CHECK_ORDERED;
    for (size_t i = 0; i < block->references.count; i++)
        if (block->references.data[i].upto > releases)
            return CHECK_ORDERED;
    for (size_t i = 0; i < view->warp->references.count; i++) {
        const struct check_reference *reference = &view->warp->references.data[i];
        if (reference->upto <= releases)
            continue;
        if ((reference->known[0] >> lane & 1) != 0)
            return CHECK_ORDERED;
        if ((reference->pending >> lane & 1) != 0)
            best = CHECK_UNFENCED;
    }
    return best;
}
