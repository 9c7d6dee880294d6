/* Numbers of threads, and the part of a matrix that they cover. */
#include "advise/threads.h"

#include <inttypes.h>

enum { XYZ = 3 };

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool refuse(struct base_diags *diags, const char *what, uint32_t value, char axis, uint32_t most)
{
    base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "%s %c is %u; the device takes 1 to %u", what, axis, value, most);
    return false;
}

static bool check_shape(const struct sim_device *device, const struct advise_threads_query *query,
                        struct base_diags *diags)
{
    const uint32_t block_most[XYZ] = {device->max_block_x, device->max_block_y, device->max_block_z};
    const uint32_t grid_most[XYZ] = {device->max_grid_x, device->max_grid_y, device->max_grid_z};
    uint64_t threads = 1;
    for (int i = 0; i < XYZ; i++) {
        if (query->block_dim[i] == 0 || query->block_dim[i] > block_most[i])
            return refuse(diags, "block", query->block_dim[i], (char)('x' + i), block_most[i]);
        if (query->grid_dim[i] == 0 || query->grid_dim[i] > grid_most[i])
            return refuse(diags, "grid", query->grid_dim[i], (char)('x' + i), grid_most[i]);
        if (query->block[i] >= query->grid_dim[i]) {
            base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "the grid has no block (%u, %u, %u)", query->block[0],
                          query->block[1], query->block[2]);
            return false;
        }
        threads *= query->block_dim[i];
    }
    if (threads > device->max_threads_per_block) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "a block of %" PRIu64 " threads; the device takes up to %u",
                      threads, device->max_threads_per_block);
        return false;
    }
    return true;
}

static bool check_tile(const struct advise_threads_query *query, struct base_diags *diags)
{
    const uint64_t most = INT32_MAX;
    if (query->rows > most || query->columns > most || query->tile_width > most || query->tile_height > most) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "a matrix or a tile of more than 2^31 - 1 rows or columns");
        return false;
    }
    if (query->tile_width % query->block_dim[0] != 0 || query->tile_height % query->block_dim[1] != 0) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0,
                      "a tile of %" PRIu64 " x %" PRIu64 " is no multiple of the block's %u x %u threads",
                      query->tile_width, query->tile_height, query->block_dim[0], query->block_dim[1]);
        return false;
    }
    return true;
}

/* Elements of the matrix within a tile; the tile may lie past the edge as a whole. */
static struct advise_range range_of(const struct advise_threads_query *query)
{
    uint64_t row = query->block[1] * query->tile_height, column = query->block[0] * query->tile_width;
    struct advise_range range = {.first_row = row, .first_column = column};
    range.empty = row >= query->rows || column >= query->columns;
    if (!range.empty) {
        range.last_row = smaller(row + query->tile_height, query->rows) - 1;
        range.last_column = smaller(column + query->tile_width, query->columns) - 1;
    }
    return range;
}

static void look_at_matrix(struct advise_threads *out)
{
    const struct advise_threads_query *query = &out->query;
    uint64_t tile = query->tile_width * query->tile_height, inside = 0;
    out->tile = range_of(query);
    out->steps_x = (uint32_t)(query->tile_width / query->block_dim[0]);
    out->steps_y = (uint32_t)(query->tile_height / query->block_dim[1]);
    out->tiles_x = (query->columns + query->tile_width - 1) / query->tile_width;
    out->tiles_y = (query->rows + query->tile_height - 1) / query->tile_height;
    uint64_t covered_columns = smaller(query->grid_dim[0] * query->tile_width, query->columns);
    uint64_t covered_rows = smaller(query->grid_dim[1] * query->tile_height, query->rows);
    out->uncovered = query->rows * query->columns - covered_rows * covered_columns;
    uint64_t used_x = smaller(query->grid_dim[0], out->tiles_x), used_y = smaller(query->grid_dim[1], out->tiles_y);
    out->outside = used_x * query->tile_width * (used_y * query->tile_height) - covered_rows * covered_columns;
    if (!out->tile.empty)
        inside = (out->tile.last_row - out->tile.first_row + 1) * (out->tile.last_column - out->tile.first_column + 1);
    out->block_outside = tile - inside;
}

enum base_status advise_threads_look(const struct sim_device *device, const struct advise_threads_query *query,
                                     struct advise_threads *out, struct base_diags *diags)
{
    *out = (struct advise_threads){.query = *query};
    struct advise_threads_query *q = &out->query;
    if (!check_shape(device, q, diags))
        return BASE_INVALID;
    if (q->tile_width == 0) {
        q->tile_width = q->block_dim[0];
        q->tile_height = q->block_dim[1];
    }
    if (!check_tile(q, diags))
        return BASE_INVALID;
    out->block_threads = q->block_dim[0] * q->block_dim[1] * q->block_dim[2];
    out->block_warps = (out->block_threads + 31) / 32;
    out->last_warp_lanes = out->block_threads - (out->block_warps - 1) * 32;
    uint64_t plane = (uint64_t)q->grid_dim[0] * q->grid_dim[1];
    if (__builtin_mul_overflow(plane, (uint64_t)q->grid_dim[2], &out->blocks) ||
        __builtin_mul_overflow(out->blocks, (uint64_t)out->block_warps * 32, &out->threads)) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "the grid has more than 2^64 threads");
        return BASE_INVALID;
    }
    out->threads = out->blocks * out->block_threads;
    out->warps = out->blocks * out->block_warps;
    out->idle_lanes = out->blocks * (32 - out->last_warp_lanes);
    out->block_linear = q->block[0] + (uint64_t)q->block[1] * q->grid_dim[0] + q->block[2] * plane;
    if (q->rows > 0)
        look_at_matrix(out);
    return BASE_OK;
}

struct advise_place advise_threads_place(const struct advise_threads *threads, uint32_t linear)
{
    const struct advise_threads_query *query = &threads->query;
    const uint32_t *dim = query->block_dim;
    struct advise_place place = {
        .tid = {linear % dim[0], linear / dim[0] % dim[1], linear / dim[0] / dim[1]},
        .linear = linear,
        .warp = linear / 32,
        .lane = linear % 32,
        .global = threads->block_linear * threads->block_threads + linear,
    };
    place.row = query->block[1] * query->tile_height + place.tid[1];
    place.column = query->block[0] * query->tile_width + place.tid[0];
    place.inside = place.row < query->rows && place.column < query->columns;
    return place;
}
