/* Which accesses belong together, and which look the same. */
#include "advise/picture.h"

#include <inttypes.h>

void advise_captured_who(const struct advise_captured *item, uint32_t which, uint64_t base, struct base_strbuf *out)
{
    const struct advise_execution *execution = &item->kept[which];
    base_strbuf_printf(out, "warp %u of block (%u, %u, %u), execution %" PRIu64 " of %" PRIu64 "%s", execution->warp,
                       execution->block[0], execution->block[1], execution->block[2], execution->number + 1,
                       item->executions, which > 0 && which == item->worst ? ", the worst" : "");
    base_strbuf_printf(out, "; byte 0 is 0x%" PRIx64, base);
}

/* Those that touch the same bytes as `item`, or as one that is found, and so on: one array's. */
static uint32_t companions(const struct advise_watch *watch, const struct advise_watched *item,
                           struct advise_captured *found[ADVISE_ACCESS_MAX], bool *too_many)
{
    uint64_t low = item->lowest, high = item->end;
    uint32_t count = 1;
    for (bool grew = true; grew;) {
        grew = false;
        count = 1;
        for (size_t i = 0; i < watch->items.count; i++) {
            const struct advise_watched *other = watch->items.data[i];
            if (other->space != ISA_SPACE_SHARED || other->lowest >= high || other->end <= low)
                continue;
            if (other->lowest < low || other->end > high) {
                low = other->lowest < low ? other->lowest : low;
                high = other->end > high ? other->end : high;
                grew = true;
            }
            if (other == item)
                continue;
            if (count < ADVISE_ACCESS_MAX)
                found[count++] = other->captured;
            else
                *too_many = true;
        }
    }
    return *too_many ? 1 : count;
}

enum base_status advise_picture_make(const struct advise_watch *watch, const struct advise_watched *item,
                                     const char *text, struct base_arena *arena, struct advise_picture *picture)
{
    const bool shared = item->space == ISA_SPACE_SHARED;
    struct advise_captured *items[ADVISE_ACCESS_MAX] = {item->captured};
    struct base_strbuf who = {0};
    *picture = (struct advise_picture){.item = item->captured, .count = 1};
    if (shared)
        picture->count = companions(watch, item, items, &picture->too_many);
    enum base_status status = advise_captured_patterns(items, picture->count, watch->device, shared, arena,
                                                       &picture->array, picture->patterns, &picture->base);
    if (status != BASE_OK)
        return status;
    advise_captured_who(item->captured, item->captured->worst, picture->base, &who);
    picture->patterns[0]->text = text;
    picture->patterns[0]->who = who.failed ? NULL : base_arena_strndup(arena, who.data, who.length);
    base_strbuf_free(&who);
    return picture->patterns[0]->who ? BASE_OK : BASE_NOMEM;
}

bool advise_captured_alike(const struct advise_captured *a, const struct advise_captured *b, uint64_t unit_bytes)
{
    const struct advise_execution *x = &a->kept[a->worst], *y = &b->kept[b->worst];
    if (a->kind != b->kind || a->width_bytes != b->width_bytes || x->mask != y->mask)
        return false;
    uint32_t first = (uint32_t)__builtin_ctz(x->mask);
    uint64_t apart = x->address[first] - y->address[first];
    for (uint32_t rest = x->mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (x->address[lane] - y->address[lane] != apart)
            return false;
    }
    return apart % unit_bytes == 0;
}
