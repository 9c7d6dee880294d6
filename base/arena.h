/* Memory that is given back all at once.
 *
 * An arena owns every block taken from it; base_arena_free() releases them together. Blocks are zeroed. An arena
 * has a limit in bytes so that hostile input cannot eat the machine: past it, and when malloc fails, allocation
 * returns NULL and `failed` stays set, so a caller may check once after a series of calls.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct base_arena_chunk;

struct base_arena {
    struct base_arena_chunk *chunks;
    size_t used_bytes;
    size_t limit_bytes; /* 0: no limit */
    bool failed;
};

void base_arena_init(struct base_arena *arena, size_t limit_bytes);
void base_arena_free(struct base_arena *arena);

/* `count` elements of `size` bytes, zeroed, aligned to 64 bytes when the block is at least 64 bytes long and to 16
 * otherwise. NULL on overflow, past the limit or without memory. count * size == 0 gives a valid empty block. */
void *base_arena_alloc(struct base_arena *arena, size_t count, size_t size);

/* A NUL-terminated copy of the first `length` bytes of `text`. */
char *base_arena_strndup(struct base_arena *arena, const char *text, size_t length);

#endif
