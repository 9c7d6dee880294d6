/* Constant rows: a hash table from (value, rows) to the first row. */
#include "sim/constants.h"

#include <stdlib.h>

static uint64_t hash_value(uint64_t value, uint32_t rows)
{
    uint64_t h = (value ^ rows) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static bool table_grow(struct sim_constants *c)
{
    uint32_t size = c->table_size == 0 ? 256 : c->table_size * 2;
    uint32_t *table = calloc(size, sizeof(*table));
    if (table == NULL)
        return false;
    for (size_t i = 0; i < c->items.count; i++) {
        uint32_t at = (uint32_t)hash_value(c->items.data[i].value, c->items.data[i].rows) & (size - 1);
        while (table[at] != 0)
            at = (at + 1) & (size - 1);
        table[at] = (uint32_t)i + 1;
    }
    free(c->table);
    c->table = table;
    c->table_size = size;
    return true;
}

uint32_t sim_constant_row(struct sim_constants *c, uint64_t value, uint32_t rows)
{
    if (rows == 1)
        value &= UINT32_MAX;
    if (c->items.count * 2 >= c->table_size && !table_grow(c)) {
        c->failed = true;
        return SIM_ROW(SIM_ROW_CONST, 0);
    }
    uint32_t at = (uint32_t)hash_value(value, rows) & (c->table_size - 1);
    for (; c->table[at] != 0; at = (at + 1) & (c->table_size - 1)) {
        const struct sim_constant *item = &c->items.data[c->table[at] - 1];
        if (item->value == value && item->rows == rows)
            return SIM_ROW(SIM_ROW_CONST, item->row);
    }
    struct sim_constant item = {value, rows, c->row_count};
    if (!base_vec_push(&c->items, item)) {
        c->failed = true;
        return SIM_ROW(SIM_ROW_CONST, 0);
    }
    c->table[at] = (uint32_t)c->items.count;
    c->row_count += rows;
    return SIM_ROW(SIM_ROW_CONST, item.row);
}

uint64_t sim_constant_value(const struct sim_constants *c, uint32_t row)
{
    const uint32_t index = row & ~SIM_ROW(SIM_ROW_CONST, 0);
    size_t low = 0, high = c->items.count; /* items lie in the order of their rows */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (c->items.data[middle].row <= index)
            low = middle;
        else
            high = middle;
    }
    const uint32_t offset = high > 0 ? index - c->items.data[low].row : 2;
    return offset < 2 ? c->items.data[low].value >> 32 * offset : 0;
}

void sim_constants_finish(struct sim_constants *c, struct sim_program *p, struct base_arena *arena)
{
    p->const_count = c->row_count;
    p->consts = base_arena_alloc(arena, p->const_count + 1U, sizeof(*p->consts));
    if (p->consts == NULL) {
        c->failed = true;
        return;
    }
    for (size_t i = 0; i < c->items.count; i++)
        for (uint32_t r = 0; r < c->items.data[i].rows; r++)
            for (unsigned lane = 0; lane < 32; lane++)
                p->consts[c->items.data[i].row + r][lane] = r < 2 ? (uint32_t)(c->items.data[i].value >> (32 * r)) : 0;
}

void sim_constants_free(struct sim_constants *c)
{
    base_vec_free(&c->items);
    free(c->table);
    *c = (struct sim_constants){0};
}
