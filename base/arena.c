/* Arenas: a list of chunks, each filled from its start. The newest chunk is the one that is filled; a block too large
 * for it gets a chunk of its own behind it, so that the rest of the newest is not lost. */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 64 * 1024, SMALL_ALIGN = 16, LARGE_ALIGN = 64 };

/* The payload begins at `start`, aligned to LARGE_ALIGN inside the allocation. */
struct base_arena_chunk {
    struct base_arena_chunk *next;
    unsigned char *start;
    size_t used, capacity;
};

void base_arena_init(struct base_arena *arena, size_t limit_bytes)
{
    *arena = (struct base_arena){.limit_bytes = limit_bytes};
}

void base_arena_free(struct base_arena *arena)
{
    struct base_arena_chunk *chunk = arena->chunks;
    while (chunk) {
        struct base_arena_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    *arena = (struct base_arena){.limit_bytes = arena->limit_bytes};
}

static struct base_arena_chunk *chunk_new(size_t capacity)
{
    const size_t overhead = sizeof(struct base_arena_chunk) + LARGE_ALIGN;
    if (capacity > SIZE_MAX - overhead)
        return NULL;
    struct base_arena_chunk *chunk = calloc(1, capacity + overhead);
    if (!chunk)
        return NULL;
    unsigned char *after = (unsigned char *)(chunk + 1);
    const size_t misaligned = (size_t)((uintptr_t)after % LARGE_ALIGN);
    chunk->start = misaligned ? after + (LARGE_ALIGN - misaligned) : after;
    chunk->capacity = capacity;
    return chunk;
}

/* A chunk with room for `bytes` at `align`, new or the newest. */
static struct base_arena_chunk *chunk_for(struct base_arena *arena, size_t bytes, size_t align)
{
    struct base_arena_chunk *newest = arena->chunks;
    if (newest) {
        const size_t start = (newest->used + align - 1) / align * align;
        if (start <= newest->capacity && bytes <= newest->capacity - start) {
            newest->used = start;
            return newest;
        }
    }
    const bool own = bytes > CHUNK_BYTES / 4;
    struct base_arena_chunk *chunk = chunk_new(own ? bytes : CHUNK_BYTES);
    if (!chunk)
        return NULL;
    if (own && newest) {
        chunk->next = newest->next;
        newest->next = chunk;
    } else {
        chunk->next = newest;
        arena->chunks = chunk;
    }
    return chunk;
}

void *base_arena_alloc(struct base_arena *arena, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - SMALL_ALIGN) {
        arena->failed = true;
        return NULL;
    }
    bytes = bytes ? (bytes + SMALL_ALIGN - 1) / SMALL_ALIGN * SMALL_ALIGN : SMALL_ALIGN;
    if (arena->limit_bytes &&
        (arena->used_bytes > arena->limit_bytes || bytes > arena->limit_bytes - arena->used_bytes)) {
        arena->failed = true;
        return NULL;
    }
    struct base_arena_chunk *chunk = chunk_for(arena, bytes, bytes >= LARGE_ALIGN ? LARGE_ALIGN : SMALL_ALIGN);
    if (!chunk) {
        arena->failed = true;
        return NULL;
    }
    void *block = chunk->start + chunk->used;
    chunk->used += bytes;
    arena->used_bytes += bytes;
    return block;
}

char *base_arena_strndup(struct base_arena *arena, const char *text, size_t length)
{
    if (length == SIZE_MAX) {
        arena->failed = true;
        return NULL;
    }
    char *copy = base_arena_alloc(arena, length + 1, 1);
    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}
