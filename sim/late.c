/* Writes to global memory that are put off to the end of a clock's window: sim/late.h says why.
 *
 * An entry is a header and, for a store, pointers and then bytes; for an atomic, cells. The granules are a hash table
 * of what a unit sees of memory it has written; most windows never need it. */
#include "sim/late.h"

#include "sim/engine.h"

#include <stdlib.h>
#include <string.h>

#define GRANULE_BYTES 16u
#define PIECE_BYTES   32u

struct entry {
    uint64_t cycle;
    uint32_t size_bytes; /* with the header */
    uint32_t count;      /* pieces or cells */
    uint32_t bytes;      /* of a piece */
    uint32_t dst_rows;
    uint64_t dst;
    const struct sim_op *op; /* NULL: a store */
    struct sim_warp *warp;
};

/* ---- The list ---- */

static uint64_t hash_of(uint64_t x)
{
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

static void note_write(struct sim_late *late, const uint8_t *at, uint64_t bytes)
{
    uint64_t first = (uintptr_t)at / PIECE_BYTES, last = ((uintptr_t)at + bytes - 1) / PIECE_BYTES;
    for (uint64_t piece = first; piece <= last; piece++) {
        uint64_t hash = hash_of(piece) >> 40;
        late->filter[hash % SIM_LATE_FILTER_WORDS] |= UINT64_C(1) << (hash / SIM_LATE_FILTER_WORDS % 64);
    }
}

bool sim_late_touches(const struct sim_late *late, const uint8_t *at, uint64_t bytes)
{
    uint64_t first = (uintptr_t)at / PIECE_BYTES, last = ((uintptr_t)at + bytes - 1) / PIECE_BYTES;
    for (uint64_t piece = first; late->count > 0 && piece <= last; piece++) {
        uint64_t hash = hash_of(piece) >> 40;
        if ((late->filter[hash % SIM_LATE_FILTER_WORDS] >> (hash / SIM_LATE_FILTER_WORDS % 64) & 1) != 0)
            return true;
    }
    return false;
}

/* Room for an entry with `bytes` bytes behind its header; NULL: out of memory. */
static struct entry *add_entry(struct sim_engine *engine, size_t bytes)
{
    struct sim_late *late = engine->late;
    size_t size = (sizeof(struct entry) + bytes + 7) / 8 * 8;
    if (late->capacity - late->used < size) {
        size_t capacity = late->capacity * 2 > late->used + size ? late->capacity * 2 : late->used + size + 4096;
        uint8_t *data = sim_engine_alloc(engine, capacity, 1);
        if (data == NULL)
            return NULL;
        if (late->used > 0)
            memcpy(data, late->data, late->used);
        free(late->data);
        engine->used_bytes -= late->capacity;
        late->data = data;
        late->capacity = capacity;
    }
    struct entry *entry = (struct entry *)(void *)(late->data + late->used);
    late->used += size;
    late->count++;
    *entry = (struct entry){.cycle = sim_clock_now(engine->clock), .size_bytes = (uint32_t)size};
    return entry;
}

static uint8_t **pieces_of(struct entry *entry)
{
    return (uint8_t **)(void *)(entry + 1);
}

static uint8_t *bytes_of(struct entry *entry)
{
    return (uint8_t *)(pieces_of(entry) + entry->count);
}

static struct sim_late_cell *cells_of(struct entry *entry)
{
    return (struct sim_late_cell *)(void *)(entry + 1);
}

bool sim_late_store(struct sim_engine *engine, uint8_t *const to[], uint32_t count, uint32_t bytes, const uint8_t *from)
{
    struct entry *entry = add_entry(engine, count * (sizeof(to[0]) + (size_t)bytes));
    if (entry == NULL)
        return false;
    entry->count = count;
    entry->bytes = bytes;
    memcpy(pieces_of(entry), to, count * sizeof(to[0]));
    memcpy(bytes_of(entry), from, (size_t)count * bytes);
    for (uint32_t i = 0; i < count; i++)
        note_write(engine->late, to[i], bytes);
    return true;
}

bool sim_late_atomic(struct sim_engine *engine, struct sim_warp *warp, const struct sim_op *op,
                     const struct sim_late_cell *cells, uint32_t count, uint64_t dst, uint32_t dst_rows)
{
    struct entry *entry = add_entry(engine, count * sizeof(cells[0]));
    if (entry == NULL)
        return false;
    entry->count = count;
    entry->op = op;
    entry->warp = warp;
    entry->dst = dst;
    entry->dst_rows = dst_rows;
    memcpy(cells_of(entry), cells, count * sizeof(cells[0]));
    for (uint32_t i = 0; i < count; i++)
        note_write(engine->late, cells[i].at, op->element_bytes);
    return true;
}

/* ---- What the unit sees ---- */

static struct sim_late_granule *granule_place(struct sim_late_granule *granules, uint32_t capacity, const uint8_t *at)
{
    uint32_t i = (uint32_t)(hash_of((uintptr_t)at / GRANULE_BYTES) >> 32) & (capacity - 1);
    while (granules[i].at != NULL && granules[i].at != at)
        i = (i + 1) & (capacity - 1);
    return &granules[i];
}

static const struct sim_late_granule *granule_find(const struct sim_late *late, const uint8_t *at)
{
    if (late->granule_count == 0)
        return NULL;
    const struct sim_late_granule *granule = granule_place(late->granules, late->granule_capacity, at);
    return granule->at != NULL ? granule : NULL;
}

static bool grow_granules(struct sim_engine *engine)
{
    struct sim_late *late = engine->late;
    uint32_t capacity = late->granule_capacity > 0 ? late->granule_capacity * 2 : 256;
    struct sim_late_granule *granules = sim_engine_alloc(engine, capacity, sizeof(*granules));
    if (granules == NULL)
        return false;
    for (uint32_t i = 0; i < late->granule_capacity; i++)
        if (late->granules[i].at != NULL)
            *granule_place(granules, capacity, late->granules[i].at) = late->granules[i];
    free(late->granules);
    engine->used_bytes -= (uint64_t)late->granule_capacity * sizeof(*granules);
    late->granules = granules;
    late->granule_capacity = capacity;
    return true;
}

/* The granule that begins at `at`, made from memory where there is none yet. Memory is given in whole pages, so a
 * granule at the end of a buffer may be read as a whole. NULL: out of memory. */
static struct sim_late_granule *granule_make(struct sim_engine *engine, uint8_t *at)
{
    struct sim_late *late = engine->late;
    if (late->granule_count * 2 >= late->granule_capacity && !grow_granules(engine))
        return NULL;
    struct sim_late_granule *granule = granule_place(late->granules, late->granule_capacity, at);
    if (granule->at == NULL) {
        granule->at = at;
        memcpy(granule->bytes, at, GRANULE_BYTES);
        late->granule_count++;
    }
    return granule;
}

static uint8_t *granule_start(uint8_t *at)
{
    return at - (uintptr_t)at % GRANULE_BYTES;
}

static bool see_store(struct sim_engine *engine, struct entry *entry)
{
    const uint8_t *from = bytes_of(entry);
    for (uint32_t i = 0; i < entry->count; i++)
        for (uint32_t done = 0, n; done < entry->bytes; done += n) {
            uint8_t *at = pieces_of(entry)[i] + done;
            uint32_t offset = (uint32_t)((uintptr_t)at % GRANULE_BYTES);
            struct sim_late_granule *granule = granule_make(engine, granule_start(at));
            if (granule == NULL)
                return false;
            n = GRANULE_BYTES - offset < entry->bytes - done ? GRANULE_BYTES - offset : entry->bytes - done;
            memcpy(granule->bytes + offset, from + (size_t)i * entry->bytes + done, n);
        }
    return true;
}

static bool see_atomic(struct sim_engine *engine, struct entry *entry)
{
    const struct sim_late_cell *cells = cells_of(entry);
    for (uint32_t i = 0; i < entry->count; i++) {
        struct sim_late_granule *granule = granule_make(engine, granule_start(cells[i].at));
        uint32_t old[4];
        if (granule == NULL)
            return false;
        (void)sim_access_atomic_cell(entry->op, ISA_SPACE_GLOBAL,
                                     granule->bytes + (uintptr_t)cells[i].at % GRANULE_BYTES, cells[i].operand,
                                     cells[i].other, old);
    }
    return true;
}

bool sim_late_read(struct sim_engine *engine, const uint8_t *at, void *to, uint32_t bytes)
{
    struct sim_late *late = engine->late;
    memcpy(to, at, bytes);
    if (late == NULL || bytes == 0 || !sim_late_touches(late, at, bytes))
        return true;
    while (late->seen < late->used) {
        struct entry *entry = (struct entry *)(void *)(late->data + late->seen);
        if (!(entry->op != NULL ? see_atomic(engine, entry) : see_store(engine, entry)))
            return false;
        late->seen += entry->size_bytes;
    }
    for (uint32_t done = 0, n; done < bytes; done += n) {
        uint32_t offset = (uint32_t)((uintptr_t)(at + done) % GRANULE_BYTES);
        const struct sim_late_granule *granule = granule_find(late, at + done - offset);
        n = GRANULE_BYTES - offset < bytes - done ? GRANULE_BYTES - offset : bytes - done;
        if (granule != NULL)
            memcpy((uint8_t *)to + done, granule->bytes + offset, n);
    }
    return true;
}

/* ---- The end of the window ---- */

static void do_store(struct entry *entry)
{
    for (uint32_t i = 0; i < entry->count; i++)
        memcpy(pieces_of(entry)[i], bytes_of(entry) + (size_t)i * entry->bytes, entry->bytes);
}

static void do_atomic(struct sim_engine *engine, struct entry *entry)
{
    const struct sim_late_cell *cells = cells_of(entry);
    struct sim_addresses a = {.width_bytes = entry->op->element_bytes, .is_written = true};
    struct sim_target target = {.by_lane = true};
    uint32_t old_rows[4][32];
    bool changed = false;
    memset(old_rows, 0, sizeof(old_rows));
    for (uint32_t i = 0; i < entry->count; i++) {
        uint32_t old[4], lane = cells[i].lane;
        changed |=
            sim_access_atomic_cell(entry->op, ISA_SPACE_GLOBAL, cells[i].at, cells[i].operand, cells[i].other, old);
        for (unsigned r = 0; r < 4; r++)
            old_rows[r][lane] = old[r];
        a.mask |= UINT32_C(1) << lane;
        a.at[lane] = cells[i].address;
        target.at[lane] = cells[i].at;
    }
    if (entry->dst != UINT64_MAX)
        engine->lanes->merge(entry->warp->rows + entry->dst, old_rows[0], a.mask, entry->dst_rows);
    sim_access_atomic_done(entry->warp, entry->op, &a, &target, changed);
}

static void empty(struct sim_late *late)
{
    memset(late->filter, 0, sizeof(late->filter));
    if (late->granule_count > 0)
        memset(late->granules, 0, late->granule_capacity * sizeof(*late->granules));
    late->used = late->seen = 0;
    late->count = late->granule_count = 0;
}

/* Counting sort by cycle: entries of one cycle keep the order of the lists. */
static void sort(struct sim_late *const lists[], uint32_t count, uint64_t from, uint32_t *starts, uint32_t window,
                 struct entry **sorted)
{
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t l = 0; l < count; l++)
            for (size_t at = 0; at < lists[l]->used;) {
                struct entry *entry = (struct entry *)(void *)(lists[l]->data + at);
                uint64_t slot = entry->cycle > from ? entry->cycle - from : 0;
                slot = slot < window ? slot : window - 1;
                if (pass == 0)
                    starts[slot + 1]++;
                else
                    sorted[starts[slot]++] = entry;
                at += entry->size_bytes;
            }
        for (uint32_t slot = 0; pass == 0 && slot < window; slot++)
            starts[slot + 1] += starts[slot];
    }
}

bool sim_late_apply(struct sim_engine *engine, struct sim_late *const lists[], uint32_t count, uint64_t from,
                    uint32_t window_cycles)
{
    uint64_t all = 0;
    for (uint32_t l = 0; l < count; l++)
        all += lists[l]->count;
    if (all == 0)
        return true;
    uint32_t *starts = calloc((size_t)window_cycles + 2, sizeof(*starts));
    struct entry **sorted = calloc(all, sizeof(*sorted));
    bool fine = starts != NULL && sorted != NULL;
    if (fine)
        sort(lists, count, from, starts, window_cycles, sorted);
    else
        engine->out_of_memory = engine->stopped = true;
    for (uint64_t i = 0; fine && i < all; i++) {
        if (sorted[i]->op != NULL)
            do_atomic(engine, sorted[i]);
        else
            do_store(sorted[i]);
    }
    for (uint32_t l = 0; l < count; l++)
        if (lists[l]->count > 0)
            empty(lists[l]);
    free(starts);
    free(sorted);
    return fine;
}

void sim_late_free(struct sim_late *late)
{
    free(late->data);
    free(late->granules);
    *late = (struct sim_late){0};
}
