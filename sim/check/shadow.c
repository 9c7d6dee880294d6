/* Which accesses a piece of memory remembers: lines of 128 bytes, each a summary or cells.
 *
 * Where a warp accesses all words of a line side by side, one summary says who did; as soon as words were accessed in
 * different ways the line gets a cell for each word, and one for each byte when bytes are accessed alone. */
#include "sim/check/check.h"

#include <stdlib.h>
#include <string.h>

#define WORDS 32u

void check_pool_free(struct check_pool *pool)
{
    for (size_t i = 0; i < pool->slabs.count; i++)
        free(pool->slabs.data[i]);
    base_vec_free(&pool->slabs);
    pool->used = 0;
}

/* `pieces` runs of 32 cells, one behind the other; their index plus 1, 0: no memory. */
static uint32_t pool_take(struct sim_check *check, struct check_pool *pool, uint32_t pieces)
{
    uint32_t per_slab = pool->slab_pieces;
    uint32_t at = pool->used;
    if (at % per_slab + pieces > per_slab)
        at = (at / per_slab + 1) * per_slab;
    if (at > UINT32_MAX - 2 * per_slab)
        return 0;
    if (at / per_slab >= pool->slabs.count) {
        struct check_cell *slab = check_alloc(check, (uint64_t)per_slab * WORDS, sizeof(*slab));
        if (slab == NULL || !base_vec_push(&pool->slabs, slab)) {
            free(slab);
            return 0;
        }
    }
    pool->used = at + pieces;
    return at + 1;
}

static struct check_cell *pool_at(const struct check_pool *pool, uint32_t index)
{
    return pool->slabs.data[(index - 1) / pool->slab_pieces] + (size_t)((index - 1) % pool->slab_pieces) * WORDS;
}

static struct check_access of_word(struct check_access access, unsigned word)
{
    access.lane = (access.lane + (word >> access.pattern)) & 31;
    access.pattern = 0;
    return access;
}

struct check_cell *check_line_cells(struct sim_check *check, struct check_region *region, struct check_line *line,
                                    bool by_byte)
{
    if (line->cells != 0 && (line->by_byte || !by_byte))
        return pool_at(region->pool, line->cells);
    uint32_t made = pool_take(check, region->pool, by_byte ? 4 : 1);
    if (made == 0)
        return NULL;
    struct check_cell *cells = pool_at(region->pool, made);
    const struct check_cell *words = line->cells != 0 ? pool_at(region->pool, line->cells) : NULL;
    for (unsigned i = 0; i < (by_byte ? CHECK_LINE_BYTES : WORDS); i++) {
        unsigned word = by_byte ? i / 4 : i;
        if (words != NULL)
            cells[i] = words[word];
        else
            cells[i] = (struct check_cell){of_word(line->all.write, word), of_word(line->all.read, word)};
    }
    line->cells = made;
    line->by_byte = by_byte;
    return cells;
}

static bool make_lines(struct sim_check *check, struct check_region *region, struct check_pool *pool, uint64_t bytes,
                       uint32_t slab_pieces)
{
    region->line_count = (bytes + CHECK_LINE_BYTES - 1) / CHECK_LINE_BYTES;
    region->lines = check_alloc(check, region->line_count, sizeof(*region->lines));
    region->pool = pool;
    pool->slab_pieces = slab_pieces;
    return region->lines != NULL;
}

bool check_region_shared(struct sim_check *check, struct check_block *block)
{
    if (block->shared.lines == NULL && block->shared.line_count == 0)
        (void)make_lines(check, &block->shared, &block->pool, check->engine->shared_bytes, 32);
    return block->shared.lines != NULL;
}

struct check_region *check_region_global(struct sim_check *check, uint64_t address, uint64_t width_bytes,
                                         uint64_t *offset)
{
    const struct sim_memory *memory = check->engine->memory;
    int64_t found = sim_memory_find(memory, address, width_bytes, check->last_region);
    if (found < 0)
        return NULL;
    check->last_region = found;
    while (check->regions.count <= (size_t)found) {
        struct check_region none = {NULL, 0, NULL};
        if (!base_vec_push(&check->regions, none)) {
            check->incomplete = true;
            return NULL;
        }
    }
    struct check_region *region = &check->regions.data[found];
    if (region->lines == NULL && region->line_count == 0)
        (void)make_lines(check, region, &check->pool, memory->items[found].size_bytes, 1024);
    *offset = address - memory->items[found].address;
    return region->lines != NULL ? region : NULL;
}

void check_region_forget(struct check_region *region, uint64_t offset, uint64_t bytes)
{
    static const struct check_cell nothing;
    for (uint64_t at = offset; at < offset + bytes; at += 4) {
        struct check_line *line = &region->lines[at / CHECK_LINE_BYTES];
        uint64_t word = at % CHECK_LINE_BYTES / 4;
        if (line->cells == 0)
            line->all = nothing;
        else
            for (uint64_t i = line->by_byte ? word * 4 : word; i <= (line->by_byte ? word * 4 + 3 : word); i++)
                pool_at(region->pool, line->cells)[i] = nothing;
    }
}
