/* The tags of a sectored, set-associative cache with least-recently-used replacement. Who uses it moves the data. */
#include "sim/timing/timing.h"

#define WAYS 16u

bool timing_cache_init(struct sim_engine *engine, struct timing_cache *cache, uint64_t bytes, uint32_t line_bytes)
{
    uint64_t lines = bytes / line_bytes;
    cache->ways = lines < WAYS ? (uint32_t)(lines > 0 ? lines : 1) : WAYS;
    cache->sets = lines / cache->ways;
    if (cache->sets == 0)
        cache->sets = 1;
    cache->ticks = 0;
    cache->lines = sim_engine_alloc(engine, cache->sets * cache->ways, sizeof(*cache->lines));
    return cache->lines != NULL;
}

/* Sets are chosen by a hash, as in every GPU since Fermi: a power-of-two stride does not camp on a few. Lines side by
 * side go around all sets, each round from another one on. */
static struct timing_line *set_of(const struct timing_cache *cache, uint64_t line)
{
    uint64_t hash = line / cache->sets * UINT64_C(0x9e3779b97f4a7c15);
    return &cache->lines[(line + (hash >> 24)) % cache->sets * cache->ways];
}

struct timing_line *timing_cache_find(struct timing_cache *cache, uint64_t line)
{
    struct timing_line *set = set_of(cache, line);
    for (uint32_t w = 0; w < cache->ways; w++)
        if (set[w].tag == line + 1) {
            set[w].used = ++cache->ticks;
            return &set[w];
        }
    return NULL;
}

void timing_cache_drop(struct timing_cache *cache, uint64_t line)
{
    struct timing_line *set = set_of(cache, line);
    for (uint32_t w = 0; w < cache->ways; w++)
        if (set[w].tag == line + 1)
            set[w] = (struct timing_line){.tag = 0};
}

/* Whether a changed line that was used longest ago goes, and not the oldest unchanged one: now and then. */
static bool changed_leaves(const struct timing_cache *cache)
{
    return (cache->ticks * UINT32_C(0x9e3779b1) >> 16) % 100 < cache->changed_leaves_percent;
}

struct timing_line *timing_cache_place(struct timing_cache *cache, uint64_t line, struct timing_line *evicted)
{
    struct timing_line *set = set_of(cache, line), *oldest = set, *clean = NULL;
    for (uint32_t w = 0; w < cache->ways; w++) {
        if (set[w].tag == 0) {
            oldest = &set[w];
            break;
        }
        if (cache->ticks - set[w].used > cache->ticks - oldest->used)
            oldest = &set[w];
        if (set[w].dirty == 0 && (clean == NULL || cache->ticks - set[w].used > cache->ticks - clean->used))
            clean = &set[w];
    }
    if (oldest->dirty != 0 && clean != NULL && !changed_leaves(cache))
        oldest = clean;
    *evicted = *oldest;
    *oldest = (struct timing_line){.tag = line + 1, .used = ++cache->ticks};
    return oldest;
}

void timing_cache_fill(struct timing_cache *cache, uint64_t first, uint32_t percent, uint8_t sectors)
{
    for (uint64_t i = 0; i < cache->sets * cache->ways; i++) {
        const uint32_t hash = (uint32_t)(i * UINT64_C(0x9e3779b97f4a7c15) >> 32) % 100;
        cache->lines[i] = (struct timing_line){.tag = first + i + 1,
                                               .used = (uint32_t)(i % cache->ways),
                                               .valid = sectors,
                                               .dirty = hash < percent ? sectors : 0};
    }
    cache->ticks = cache->ways;
}

void timing_cache_void(struct timing_cache *cache, uint64_t keep)
{
    for (uint64_t i = 0; i < cache->sets * cache->ways; i++)
        if (cache->lines[i].tag <= keep)
            cache->lines[i] = (struct timing_line){.tag = cache->lines[i].tag, .under_way = cache->lines[i].under_way};
}

struct timing_line *timing_cache_too_dirty(const struct timing_cache *cache, struct timing_line *line, uint32_t percent)
{
    struct timing_line *set = cache->lines + (size_t)(line - cache->lines) / cache->ways * cache->ways, *oldest = line;
    uint32_t dirty = 0;
    for (uint32_t w = 0; w < cache->ways; w++) {
        if (set[w].dirty == 0)
            continue;
        dirty++;
        if (cache->ticks - set[w].used > cache->ticks - oldest->used)
            oldest = &set[w];
    }
    return dirty * 100 > cache->ways * percent ? oldest : NULL;
}
