/* Global memory: a sorted array of allocations, each its own anonymous mapping.
 *
 * Device addresses only grow, so a new allocation goes to the end of the array and a search is a binary one. The host
 * hands out zero pages on the first touch, which makes a large buffer that nobody writes free. Where the host has huge
 * pages large buffers ask for them: filling one is several times faster with a fault per 2 MiB than per 4 KiB. */
#include "sim/memory.h"

#include "base/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ADDRESS_ALIGN = 256, HUGE_FROM_BYTES = 4 << 20 };

/* Device addresses stay below this, so that address arithmetic of a sane kernel cannot wrap. */
#define ADDRESS_END (UINT64_C(1) << 62)

/* Three quarters of the machine's memory: past that the host would be killed rather than told. */
static uint64_t host_limit_bytes(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page_bytes <= 0)
        return UINT64_C(1) << 30;
    return (uint64_t)pages / 4 * 3 * (uint64_t)page_bytes;
}

void sim_memory_init(struct sim_memory *memory, uint64_t limit_bytes)
{
    *memory = (struct sim_memory){.next_address = SIM_GLOBAL_BASE,
                                  .limit_bytes = limit_bytes ? limit_bytes : host_limit_bytes()};
}

/* Zero pages, or NULL. */
static uint8_t *map_zeros(uint64_t size_bytes)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *map =
        size_bytes <= SIZE_MAX ? mmap(NULL, (size_t)size_bytes, PROT_READ | PROT_WRITE, flags, -1, 0) : MAP_FAILED;
    if (map == MAP_FAILED)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (size_bytes >= HUGE_FROM_BYTES)
        (void)madvise(map, (size_t)size_bytes, MADV_HUGEPAGE); /* only a wish */
#endif
    return map;
}

static void unmap(const struct sim_allocation *item)
{
    free(item->written);
    if (item->data)
        munmap(item->data, (size_t)item->size_bytes);
}

void sim_memory_free(struct sim_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++)
        unmap(&memory->items[i]);
    free(memory->items);
    *memory = (struct sim_memory){.next_address = SIM_GLOBAL_BASE, .limit_bytes = memory->limit_bytes};
}

static uint64_t address_after(uint64_t address, uint64_t size_bytes)
{
    const uint64_t end = address + size_bytes + SIM_GLOBAL_GAP_BYTES;
    return (end + ADDRESS_ALIGN - 1) / ADDRESS_ALIGN * ADDRESS_ALIGN;
}

enum base_status sim_memory_alloc(struct sim_memory *memory, uint64_t size_bytes, const char *label, uint64_t *address)
{
    const uint64_t margin = SIM_GLOBAL_GAP_BYTES + ADDRESS_ALIGN;
    if (size_bytes > memory->limit_bytes || memory->used_bytes > memory->limit_bytes - size_bytes)
        return BASE_NOMEM;
    if (memory->next_address > ADDRESS_END - margin || size_bytes > ADDRESS_END - margin - memory->next_address)
        return BASE_NOMEM;
    if (!base_vec_grow((void **)(void *)&memory->items, &memory->capacity, memory->count, 1, sizeof *memory->items))
        return BASE_NOMEM;
    uint8_t *data = size_bytes ? map_zeros(size_bytes) : NULL;
    if (size_bytes && !data)
        return BASE_NOMEM;
    struct sim_allocation *item = &memory->items[memory->count++];
    *item = (struct sim_allocation){.address = memory->next_address, .size_bytes = size_bytes, .data = data};
    snprintf(item->label, sizeof item->label, "%s", label ? label : "");
    memory->used_bytes += size_bytes;
    memory->next_address = address_after(item->address, size_bytes);
    *address = item->address;
    return BASE_OK;
}

/* How many allocations begin at or below `address`. */
static size_t count_up_to(const struct sim_memory *memory, uint64_t address)
{
    size_t low = 0;
    size_t high = memory->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (memory->items[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void sim_memory_release(struct sim_memory *memory, uint64_t address)
{
    const size_t count = count_up_to(memory, address);
    if (!count || memory->items[count - 1].address != address)
        return;
    unmap(&memory->items[count - 1]);
    memory->used_bytes -= memory->items[count - 1].size_bytes;
    for (size_t i = count; i < memory->count; i++)
        memory->items[i - 1] = memory->items[i];
    memory->count--;
    memory->next_address = SIM_GLOBAL_BASE;
    if (memory->count) {
        const struct sim_allocation *last = &memory->items[memory->count - 1];
        memory->next_address = address_after(last->address, last->size_bytes);
    }
}

int64_t sim_memory_search(const struct sim_memory *memory, uint64_t address, uint64_t width_bytes)
{
    const size_t count = count_up_to(memory, address);
    if (!count)
        return -1;
    const struct sim_allocation *item = &memory->items[count - 1];
    if (width_bytes > item->size_bytes || address - item->address > item->size_bytes - width_bytes)
        return -1;
    return (int64_t)(count - 1);
}

uint8_t *sim_memory_at(const struct sim_memory *memory, uint64_t address, uint64_t width_bytes)
{
    const int64_t index = sim_memory_search(memory, address, width_bytes);
    if (index < 0 || !memory->items[index].data)
        return NULL;
    return memory->items[index].data + (address - memory->items[index].address);
}

static void describe_past(const struct sim_allocation *item, uint64_t bytes, char *text, size_t size)
{
    if (bytes == 0)
        snprintf(text, size, "just past the end of %s", item->label);
    else
        snprintf(text, size, "%" PRIu64 " byte%s past the end of %s", bytes, bytes == 1 ? "" : "s", item->label);
}

static void describe_before(const struct sim_allocation *item, uint64_t bytes, char *text, size_t size)
{
    snprintf(text, size, "%" PRIu64 " byte%s before the start of %s", bytes, bytes == 1 ? "" : "s", item->label);
}

void sim_memory_describe(const struct sim_memory *memory, uint64_t address, char *text, size_t size)
{
    if (!size)
        return;
    text[0] = '\0';
    if (!memory->count)
        return;
    const size_t count = count_up_to(memory, address);
    const struct sim_allocation *below = count ? &memory->items[count - 1] : NULL;
    const struct sim_allocation *above = count < memory->count ? &memory->items[count] : NULL;
    if (below && address - below->address < below->size_bytes) {
        snprintf(text, size, "at byte %" PRIu64 " of %s", address - below->address, below->label);
        return;
    }
    const uint64_t past = below ? address - below->address - below->size_bytes : UINT64_MAX;
    const uint64_t before = above ? above->address - address : UINT64_MAX;
    if (below && past <= before)
        describe_past(below, past, text, size);
    else if (above)
        describe_before(above, before, text, size);
}
