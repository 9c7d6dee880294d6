/* Global memory of a simulated GPU: allocations at device addresses, with unmapped space between them.
 *
 * Buffers are aligned to 256 bytes and lie in the order they were made. An access belongs to an allocation or it is a
 * fault; there is no wrap-around and no sharing. Contents are zero unless said otherwise; pages of a zero buffer that
 * nobody writes cost no memory.
 */
#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include "base/status.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_GLOBAL_BASE      UINT64_C(0x0000700000000000) /* first device address given out */
#define SIM_GLOBAL_GAP_BYTES UINT64_C(1048576)            /* at least so much unmapped space between two allocations */

struct sim_allocation {
    uint64_t address;
    uint64_t size_bytes;
    uint8_t *data;  /* host memory, size_bytes long, 64-byte aligned */
    char label[64]; /* for messages: "argument 0 (f32[256])", "variable coeffs" */
    bool read_only;
    bool uninitialised; /* made with `none` */
    uint8_t
        *written; /* of such a one: a bit for each byte that was written since, when that is looked at (sim/check) */
};

struct sim_memory {
    struct sim_allocation *items; /* sorted by address */
    size_t count, capacity;
    uint64_t next_address;
    uint64_t used_bytes, limit_bytes; /* limit 0: what the host has */
};

void sim_memory_init(struct sim_memory *memory, uint64_t limit_bytes);
void sim_memory_free(struct sim_memory *memory);

/* Zeroed (lazily, by the host's kernel). BASE_NOMEM past the limit or without memory. size_bytes 0 takes an address but
 * holds no byte. */
enum base_status sim_memory_alloc(struct sim_memory *memory, uint64_t size_bytes, const char *label, uint64_t *address);

/* Gives one allocation back, by the address it begins at; no such allocation: nothing happens. Addresses behind the
 * last one that is left are given out again. */
void sim_memory_release(struct sim_memory *memory, uint64_t address);

/* Index of the allocation that holds all of [address, address + width), or -1. `hint`: where to look first; may be any
 * number. */
static inline int64_t sim_memory_find(const struct sim_memory *memory, uint64_t address, uint64_t width_bytes,
                                      int64_t hint);
int64_t sim_memory_search(const struct sim_memory *memory, uint64_t address, uint64_t width_bytes);

/* Host pointer to [address, address + width), or NULL. */
uint8_t *sim_memory_at(const struct sim_memory *memory, uint64_t address, uint64_t width_bytes);

/* Describes the allocation nearest to an address: "4 bytes past the end of argument 0 (f32[256])". Cuts to `size`. */
void sim_memory_describe(const struct sim_memory *memory, uint64_t address, char *text, size_t size);

static inline int64_t sim_memory_find(const struct sim_memory *memory, uint64_t address, uint64_t width_bytes,
                                      int64_t hint)
{
    if (hint >= 0 && (size_t)hint < memory->count) {
        const struct sim_allocation *item = &memory->items[hint];
        if (address >= item->address && width_bytes <= item->size_bytes &&
            address - item->address <= item->size_bytes - width_bytes)
            return hint;
    }
    return sim_memory_search(memory, address, width_bytes);
}

#endif
