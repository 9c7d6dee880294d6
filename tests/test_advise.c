/* advise/: the guide's figures 11 to 18, and cures of bank conflicts held against counting of this file's own. */
#include "advise/banks.h"
#include "advise/capture.h"
#include "advise/sectors.h"
#include "advise/threads.h"

#include "tests/support.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *advise_suite(void);

/* Everything that a look at one or more accesses needs. */
struct look {
    struct base_source sources[4];
    struct base_arena arena;
    struct base_diags diags;
    struct advise_array array;
    struct advise_access access[3];
    struct advise_pattern pattern[3];
    const struct advise_pattern *patterns[3];
    uint32_t count;
};

static void look_read(struct look *look, const char *declaration, const char *const *accesses, uint32_t count,
                      const struct advise_shape *shape, enum sim_shared_kind kind)
{
    memset(look, 0, sizeof *look);
    base_arena_init(&look->arena, 0);
    look->sources[0] = (struct base_source){"declaration", declaration, strlen(declaration)};
    ck_assert_int_eq(advise_array_read(&look->sources[0], NULL, &look->arena, &look->array, &look->diags), BASE_OK);
    for (uint32_t i = 0; i < count; i++) {
        look->sources[i + 1] = (struct base_source){"access", accesses[i], strlen(accesses[i])};
        enum base_status status =
            advise_access_read(&look->sources[i + 1], &look->array, NULL, &look->arena, &look->access[i], &look->diags);
        ck_assert_msg(status == BASE_OK, "%s: %s", accesses[i], look->diags.count ? look->diags.items[0].message : "?");
        look->pattern[i].kind = kind;
        look->pattern[i].text = accesses[i];
        status = advise_pattern_make(&look->access[i], &look->array, shape, &look->pattern[i], &look->diags);
        ck_assert_msg(status == BASE_OK, "%s: %s", accesses[i], look->diags.count ? look->diags.items[0].message : "?");
        look->patterns[i] = &look->pattern[i];
    }
    look->count = count;
}

static void look_free(struct look *look)
{
    base_diags_free(&look->diags);
    base_arena_free(&look->arena);
}

static const struct advise_shape block_32_32 = {.block_dim = {32, 32, 1}, .grid_dim = {1, 1, 1}};

static void look_banks(struct look *look, const char *declaration, const char *access, struct advise_banks *banks)
{
    look_read(look, declaration, &access, 1, &block_32_32, SIM_SHARED_LOAD);
    struct advise_banks_query query = {
        .device = sim_device_find("h200"), .array = &look->array, .patterns = look->patterns, .pattern_count = 1};
    ck_assert_int_eq(advise_banks_look(&query, 0, banks, &look->diags), BASE_OK);
}

static const struct {
    const char *declaration, *access;
    uint32_t wavefronts, degree, broadcasts;
    uint64_t block_wavefronts; /* of the 32 warps of a block of 32 x 32 */
} bank_figures[] = {
    /* Figure 15: strides of one, two and three words. */
    {"float s[96]", "s[tid.x]", 1, 1, 0, 32},
    {"float s[96]", "s[tid.x * 2]", 2, 2, 0, 64},
    {"float s[96]", "s[tid.x * 3]", 1, 1, 0, 32},
    /* Figure 16: a permutation; threads 3, 4, 6, 7, 9 on one word of bank 5; one word for all. */
    {"float s[32]", "s[(tid.x * 13 + 7) % 32]", 1, 1, 0, 32},
    {"float s[32]", "s[lane == 3 || lane == 4 || lane == 6 || lane == 7 || lane == 9 ? 5 : lane]", 1, 1, 1, 32},
    {"float s[32]", "s[17]", 1, 1, 1, 32},
    /* Figure 17: a column and a row of 32 x 32. Figure 18: of 32 x 33. */
    {"float t[32][32]", "t[tid.x][tid.y]", 32, 32, 0, 1024},
    {"float t[32][32]", "t[tid.y][tid.x]", 1, 1, 0, 32},
    {"float t[32][33]", "t[tid.x][tid.y]", 1, 1, 0, 32},
    {"float t[32][33]", "t[tid.y][tid.x]", 1, 1, 0, 32},
};

START_TEST(figures_15_to_18)
{
    for (size_t i = 0; i < sizeof bank_figures / sizeof bank_figures[0]; i++) {
        static struct advise_banks banks;
        struct look look;
        look_banks(&look, bank_figures[i].declaration, bank_figures[i].access, &banks);
        const struct advise_access_banks *access = &banks.accesses[0];
        ck_assert_uint_eq(access->view.wavefronts.actual, bank_figures[i].wavefronts);
        ck_assert_uint_eq(access->view.wavefronts.ideal, 1);
        ck_assert_uint_eq(access->view.degree, bank_figures[i].degree);
        ck_assert_int_eq(access->view.conflict_free, bank_figures[i].degree == 1);
        ck_assert_uint_eq(access->cost.wavefronts, bank_figures[i].block_wavefronts);
        ck_assert_uint_eq(access->view.broadcast_count, bank_figures[i].broadcasts);
        look_free(&look);
    }
}
END_TEST

/* Figure 16, centre: who is on the word of bank 5. Lane 5 itself reads it too. */
START_TEST(broadcast_of_figure_16)
{
    static struct advise_banks banks;
    struct look look;
    look_banks(&look, bank_figures[4].declaration, bank_figures[4].access, &banks);
    const struct advise_bank_view *view = &banks.accesses[0].view;
    ck_assert_uint_eq(view->broadcasts[0].address, 20);
    ck_assert_uint_eq(view->broadcasts[0].lanes, 1u << 3 | 1u << 4 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << 9);
    for (uint32_t lane = 0; lane < 32; lane++)
        ck_assert_uint_eq(view->bank[lane], view->broadcasts[0].lanes >> lane & 1 ? 5 : lane);
    look_free(&look);
    look_banks(&look, bank_figures[5].declaration, bank_figures[5].access, &banks);
    ck_assert_uint_eq(banks.accesses[0].view.broadcasts[0].lanes, UINT32_MAX);
    look_free(&look);
}
END_TEST

/* Figure 17 left: lane n is served n-th, all by bank 0; the cures are those of the guide and of textbooks. */
START_TEST(cures_of_figure_17)
{
    static struct advise_banks banks;
    struct look look;
    struct base_strbuf text = {0};
    look_banks(&look, "float t[32][32]", "t[tid.x][tid.y]", &banks);
    for (uint32_t lane = 0; lane < 32; lane++) {
        ck_assert_uint_eq(banks.accesses[0].view.turn[lane], lane);
        ck_assert_uint_eq(banks.accesses[0].view.bank[lane], 0);
    }
    ck_assert(banks.padding.conflict_free && banks.swizzle.conflict_free);
    ck_assert_uint_eq(banks.padding.extra_bytes, 32 * 4);
    ck_assert_uint_eq(banks.padding.wavefronts, 32);
    ck_assert_uint_eq(banks.swizzle.extra_bytes, 0);
    advise_layout_print(&banks.padding.layout, &look.array, &text);
    ck_assert_str_eq(text.data, "float t[32][33]");
    text.length = 0;
    advise_layout_print(&banks.swizzle.layout, &look.array, &text);
    ck_assert_str_eq(text.data, "t[r][c ^ (r & 31)]");
    base_strbuf_free(&text);
    look_free(&look);
}
END_TEST

/* Figures 12 and 13, and what the guide says beside them. */
static const struct {
    const char *access;
    uint64_t offset;
    uint32_t sectors, ideal, lines;
    double efficiency;
} sector_figures[] = {
    {"p[tid.x]", 0, 4, 4, 1, 100.0},       {"p[tid.x * 8]", 0, 32, 4, 8, 12.5},
    {"p[tid.x * 32]", 0, 32, 4, 32, 12.5}, {"p[31 - tid.x]", 0, 4, 4, 1, 100.0}, /* permuted within the same segments */
    {"p[tid.x ^ 21]", 0, 4, 4, 1, 100.0},  {"p[tid.x]", 4, 5, 4, 2, 80.0},       /* begins 4 bytes late */
    {"p[tid.x * 2]", 0, 8, 4, 2, 50.0},    {"p[0]", 0, 1, 1, 1, 12.5},
};

START_TEST(figures_12_and_13)
{
    for (size_t i = 0; i < sizeof sector_figures / sizeof sector_figures[0]; i++) {
        static struct advise_sectors sectors;
        struct look look;
        look_read(&look, "float *p", &sector_figures[i].access, 1, &block_32_32, SIM_SHARED_LOAD);
        ck_assert_int_eq(advise_sectors_look(sim_device_find("h200"), &look.array, sector_figures[i].offset,
                                             &look.pattern[0], 0, &sectors, &look.diags),
                         BASE_OK);
        const struct advise_sector_view *view = &sectors.view;
        ck_assert_uint_eq(view->sectors, sector_figures[i].sectors);
        ck_assert_uint_eq(view->sector_count, sector_figures[i].sectors);
        ck_assert_uint_eq(view->sectors_ideal, sector_figures[i].ideal);
        ck_assert_uint_eq(view->lines, sector_figures[i].lines);
        ck_assert(view->efficiency_pct == sector_figures[i].efficiency);
        ck_assert(!view->whole_lines);
        ck_assert_uint_eq(sectors.sectors, sector_figures[i].sectors * UINT64_C(32));
        look_free(&look);
    }
}
END_TEST

/* The shifted access: which sectors, which lanes, which bytes. Fermi fetches lines of 128 bytes. */
START_TEST(shifted_sectors)
{
    static struct advise_sectors sectors;
    static const char *const access = "p[tid.x]";
    struct look look;
    look_read(&look, "float *p", &access, 1, &block_32_32, SIM_SHARED_LOAD);
    ck_assert_int_eq(
        advise_sectors_look(sim_device_find("h200"), &look.array, 4, &look.pattern[0], 0, &sectors, &look.diags),
        BASE_OK);
    const struct advise_sector_view *view = &sectors.view;
    ck_assert_uint_eq(view->misaligned_bytes, 4);
    ck_assert_uint_eq(view->sectors_if_aligned, 4);
    ck_assert_uint_eq(view->sectors_if_packed, 4);
    ck_assert_uint_eq(view->distance_bytes, 4);
    ck_assert_uint_eq(view->items[0].lanes, 0x7f);
    ck_assert_uint_eq(view->items[0].used, UINT32_MAX << 4);
    ck_assert_uint_eq(view->items[1].lanes, 0xffu << 7);
    ck_assert_uint_eq(view->items[4].address, 128);
    ck_assert_uint_eq(view->items[4].lanes, 1u << 31);
    ck_assert_uint_eq(view->items[4].used, 0xf);
    const struct sim_device *fermi = sim_device_find("gtx580");
    ck_assert_ptr_nonnull(fermi);
    ck_assert_int_eq(advise_sectors_look(fermi, &look.array, 4, &look.pattern[0], 0, &sectors, &look.diags), BASE_OK);
    ck_assert(view->whole_lines);
    ck_assert_uint_eq(view->fetched_bytes, 256);
    ck_assert_uint_eq(view->sectors, 8); /* two lines of four */
    ck_assert_uint_eq(view->sector_count, 5);
    ck_assert_uint_eq(view->sectors_if_aligned, 4);
    ck_assert(view->efficiency_pct == 50.0);
    look_free(&look);
}
END_TEST

/* Figure 11: a grid of 3 x 2 blocks of one dimension. */
START_TEST(figure_11)
{
    struct advise_threads threads;
    struct base_diags diags = {0};
    struct advise_threads_query query = {.grid_dim = {3, 2, 1}, .block_dim = {96, 1, 1}, .block = {1, 1, 0}};
    ck_assert_int_eq(advise_threads_look(sim_device_find("h200"), &query, &threads, &diags), BASE_OK);
    ck_assert_uint_eq(threads.blocks, 6);
    ck_assert_uint_eq(threads.threads, 576);
    ck_assert_uint_eq(threads.block_warps, 3);
    ck_assert_uint_eq(threads.warps, 18);
    ck_assert_uint_eq(threads.idle_lanes, 0);
    ck_assert_uint_eq(threads.block_linear, 4);
    struct advise_place place = advise_threads_place(&threads, 70);
    ck_assert_uint_eq(place.tid[0], 70);
    ck_assert_uint_eq(place.warp, 2);
    ck_assert_uint_eq(place.lane, 6);
    ck_assert_uint_eq(place.global, 4 * 96 + 70);
}
END_TEST

/* x first, then y, then z; the last warp of 60 threads has 28. */
START_TEST(linear_numbers)
{
    struct advise_threads threads;
    struct base_diags diags = {0};
    struct advise_threads_query query = {.grid_dim = {2, 3, 4}, .block_dim = {5, 4, 3}, .block = {1, 2, 3}};
    uint32_t linear = 0;
    ck_assert_int_eq(advise_threads_look(sim_device_find("h200"), &query, &threads, &diags), BASE_OK);
    ck_assert_uint_eq(threads.block_linear, 23);
    ck_assert_uint_eq(threads.last_warp_lanes, 28);
    ck_assert_uint_eq(threads.idle_lanes, 24 * 4);
    for (uint32_t z = 0; z < 3; z++)
        for (uint32_t y = 0; y < 4; y++)
            for (uint32_t x = 0; x < 5; x++) {
                struct advise_place place = advise_threads_place(&threads, linear);
                ck_assert_uint_eq(place.tid[0], x);
                ck_assert_uint_eq(place.tid[1], y);
                ck_assert_uint_eq(place.tid[2], z);
                ck_assert_uint_eq(place.warp * 32 + place.lane, linear);
                ck_assert_uint_eq(place.global, 23 * 60 + linear);
                linear++;
            }
    query.block[0] = 2;
    ck_assert_int_eq(advise_threads_look(sim_device_find("h200"), &query, &threads, &diags), BASE_INVALID);
    base_diags_free(&diags);
}
END_TEST

/* Figure 14: tiles of 32 x 32 of a matrix. The kernel's own formulas, thread by thread; edges counted one by one. */
static void check_matrix(uint64_t rows, uint64_t columns, uint32_t tile_height)
{
    struct advise_threads threads;
    struct base_diags diags = {0};
    uint32_t tiles_x = (uint32_t)(columns + 31) / 32, grid_y = 3;
    uint64_t covered = 0, outside = 0;
    for (uint32_t by = 0; by < grid_y; by++) {
        for (uint32_t bx = 0; bx < tiles_x; bx++) {
            struct advise_threads_query query = {.grid_dim = {tiles_x, grid_y, 1},
                                                 .block_dim = {32, 8, 1},
                                                 .block = {bx, by, 0},
                                                 .tile_width = 32,
                                                 .tile_height = tile_height,
                                                 .rows = rows,
                                                 .columns = columns};
            uint64_t inside = 0;
            ck_assert_int_eq(advise_threads_look(sim_device_find("h200"), &query, &threads, &diags), BASE_OK);
            ck_assert_uint_eq(threads.steps_y, tile_height / 8);
            for (uint64_t y = 0; y < tile_height; y++)
                for (uint64_t x = 0; x < 32; x++)
                    inside += by * UINT64_C(1) * tile_height + y < rows && bx * UINT64_C(32) + x < columns;
            ck_assert_uint_eq(threads.block_outside, tile_height * UINT64_C(32) - inside);
            ck_assert_int_eq(threads.tile.empty, inside == 0);
            covered += inside;
            outside += inside ? tile_height * UINT64_C(32) - inside : 0;
            struct advise_place place = advise_threads_place(&threads, 7 * 32 + 3);
            ck_assert_uint_eq(place.row, by * tile_height + 7);
            ck_assert_uint_eq(place.column, bx * 32 + 3);
            ck_assert_int_eq(place.inside, place.row < rows && place.column < columns);
        }
    }
    ck_assert_uint_eq(threads.uncovered, rows * columns - covered);
    ck_assert_uint_eq(threads.outside, outside);
}

START_TEST(figure_14)
{
    check_matrix(96, 96, 32);
    check_matrix(96, 128, 8);
    check_matrix(70, 100, 32);
    check_matrix(33, 31, 16);
    check_matrix(1000, 1, 32);
}
END_TEST

/* ---- Counting of this file's own: lanes in groups that fill 32 banks of 4 bytes, and in each group the most different
 * words that one bank must give. A conflict is a group that needs more than one pass. ---- */

static bool has_conflict(const uint64_t address[32], uint32_t width)
{
    uint32_t lanes = width <= 4 ? 32 : 128 / width;
    for (uint32_t from = 0; from < 32; from += lanes) {
        for (uint32_t a = from; a < from + lanes; a++) {
            for (uint32_t b = from; b < a; b++) {
                for (uint64_t i = 0; i < width; i++) {
                    for (uint64_t j = 0; j < width; j++) {
                        uint64_t x = (address[a] + i) / 4, y = (address[b] + j) / 4;
                        if (x != y && x % 32 == y % 32)
                            return true;
                    }
                }
            }
        }
    }
    return false;
}

/* Column `column` of 32 rows, with the columns where `place` puts them. */
typedef uint64_t place_of(uint64_t row, uint64_t column, uint64_t columns, const struct advise_layout *layout);

static uint64_t padded(uint64_t row, uint64_t column, uint64_t columns, const struct advise_layout *layout)
{
    return row * (columns + layout->pad) + column;
}

/* As the C text that is printed says: row-wise where the layout's row is the tile's, else on the whole index. */
static uint64_t swizzled(uint64_t row, uint64_t column, uint64_t columns, const struct advise_layout *layout)
{
    uint64_t i = row * columns + column;
    if (layout->row == columns)
        return row * columns + (column ^ ((row >> layout->shift & layout->mask) << layout->scale));
    return i ^ ((i / layout->row >> layout->shift & layout->mask) << layout->scale);
}

static bool column_conflicts(place_of *place, uint64_t column, uint64_t columns, const struct advise_layout *layout,
                             uint32_t bytes)
{
    uint64_t address[32];
    for (uint64_t row = 0; row < 32; row++)
        address[row] = place(row, column, columns, layout) * bytes;
    return has_conflict(address, bytes);
}

static bool any_column_conflicts(place_of *place, uint64_t columns, const struct advise_layout *layout, uint32_t bytes)
{
    for (uint64_t column = 0; column < columns && column < 32; column++) {
        if (column_conflicts(place, column, columns, layout, bytes))
            return true;
    }
    return false;
}

static bool any_row_conflicts(place_of *place, uint64_t columns, const struct advise_layout *layout, uint32_t bytes)
{
    for (uint64_t first = 0; first + 32 <= 32 * columns; first += 32) {
        uint64_t address[32];
        for (uint64_t lane = 0; lane < 32; lane++)
            address[lane] = place((first + lane) / columns, (first + lane) % columns, columns, layout) * bytes;
        if (has_conflict(address, bytes))
            return true;
    }
    return false;
}

static bool is_bijection(uint64_t columns, const struct advise_layout *layout)
{
    static uint8_t taken[32 * 64];
    memset(taken, 0, sizeof taken);
    for (uint64_t row = 0; row < 32; row++) {
        for (uint64_t column = 0; column < columns; column++) {
            uint64_t at = swizzled(row, column, columns, layout);
            if (at >= 32 * columns || taken[at])
                return false;
            taken[at] = 1;
        }
    }
    return true;
}

static const struct {
    const char *type;
    uint32_t bytes;
} element_types[] = {{"unsigned char", 1}, {"__half", 2}, {"float", 4}, {"double", 8}, {"float4", 16}};
enum { TYPE_COUNT = sizeof element_types / sizeof element_types[0] };

/* Columns of 32-row tiles, 8 to 64 wide, of every element size: each warp of the block reads one column. The block has
 * as many warps as there are columns, up to 32. */
static void tile_look(struct look *look, uint32_t type, uint64_t columns, struct advise_banks *banks)
{
    char declaration[64];
    static const char *const access = "t[tid.x][tid.y]";
    struct advise_shape shape = {.block_dim = {32, columns < 32 ? (uint32_t)columns : 32, 1}, .grid_dim = {1, 1, 1}};
    snprintf(declaration, sizeof declaration, "%s t[32][%llu]", element_types[type].type, (unsigned long long)columns);
    look_read(look, declaration, &access, 1, &shape, SIM_SHARED_STORE);
    struct advise_banks_query query = {
        .device = sim_device_find("h200"), .array = &look->array, .patterns = look->patterns, .pattern_count = 1};
    ck_assert_int_eq(advise_banks_look(&query, 0, banks, &look->diags), BASE_OK);
}

START_TEST(padding_is_the_smallest)
{
    static const struct advise_layout plain;
    static struct advise_banks banks;
    uint32_t cured = 0;
    for (uint32_t type = 0; type < TYPE_COUNT; type++) {
        for (uint64_t columns = 8; columns <= 64; columns++) {
            struct look look;
            uint32_t bytes = element_types[type].bytes;
            bool conflict = any_column_conflicts(padded, columns, &plain, bytes);
            tile_look(&look, type, columns, &banks);
            ck_assert_int_eq(banks.accesses[0].cost.conflict_free, !conflict);
            ck_assert_int_eq(banks.padding.found, conflict);
            if (conflict) {
                const struct advise_layout *layout = &banks.padding.layout;
                ck_assert_msg(banks.padding.conflict_free, "%s, %u columns", element_types[type].type,
                              (unsigned)columns);
                ck_assert(!any_column_conflicts(padded, columns, layout, bytes));
                for (uint64_t pad = 1; pad < layout->pad; pad++)
                    ck_assert(any_column_conflicts(padded, columns, &(struct advise_layout){.pad = pad}, bytes));
                ck_assert_uint_eq(banks.padding.extra_bytes, 32 * layout->pad * bytes);
                cured++;
            }
            look_free(&look);
        }
    }
    ck_assert_uint_ge(cured, 57); /* at least the even widths of words */
}
END_TEST

/* Whether any swizzle of the documented family cures the columns; tried here one by one. */
static bool some_swizzle_cures(uint64_t columns, uint32_t bytes)
{
    uint64_t rows[2] = {columns, 128 / bytes};
    for (int which = 0; which < 2; which++) {
        for (uint32_t shift = 0; shift < 8; shift++) {
            for (uint32_t scale = 0; scale < 7; scale++) {
                for (uint32_t bits = 1; bits < 7; bits++) {
                    struct advise_layout layout = {
                        .row = rows[which], .shift = shift, .scale = scale, .mask = (1u << bits) - 1};
                    if (is_bijection(columns, &layout) && !any_column_conflicts(swizzled, columns, &layout, bytes))
                        return true;
                }
            }
        }
    }
    return false;
}

START_TEST(swizzles_are_bijections_that_cure)
{
    static const struct advise_layout plain;
    static struct advise_banks banks;
    for (uint32_t type = 0; type < TYPE_COUNT; type++) {
        for (uint64_t columns = 8; columns <= 64; columns++) {
            struct look look;
            uint32_t bytes = element_types[type].bytes;
            if (!any_column_conflicts(padded, columns, &plain, bytes))
                continue;
            tile_look(&look, type, columns, &banks);
            const struct advise_layout *layout = &banks.swizzle.layout;
            bool power = (columns & (columns - 1)) == 0;
            if (banks.swizzle.found)
                ck_assert_msg(is_bijection(columns, layout), "%s, %u columns", element_types[type].type,
                              (unsigned)columns);
            if (banks.swizzle.conflict_free) {
                ck_assert(!any_column_conflicts(swizzled, columns, layout, bytes));
                /* Rows too, where the suggestion says so; always for powers of two. */
                ck_assert_int_eq(banks.swizzle.row_walk_free, !any_row_conflicts(swizzled, columns, layout, bytes));
                ck_assert_int_eq(banks.swizzle.column_walk_free,
                                 !any_column_conflicts(swizzled, columns, layout, bytes));
                ck_assert(!power || !any_row_conflicts(swizzled, columns, layout, bytes));
            } else {
                ck_assert_msg(!power, "%s, %u columns", element_types[type].type, (unsigned)columns);
                ck_assert(!some_swizzle_cures(columns, bytes));
            }
            look_free(&look);
        }
    }
}
END_TEST

/* One-dimensional arrays addressed as tiles: the row is found from the lanes' distance, and i + i / row * pad is one
 * more way to write a padded tile. Distances without conflict need none. */
START_TEST(padding_of_one_dimension)
{
    for (uint32_t type = 0; type < TYPE_COUNT; type++) {
        for (uint64_t columns = 8; columns <= 64; columns++) {
            static struct advise_banks banks;
            static const struct advise_layout plain;
            struct look look;
            char declaration[64], text[64];
            const char *access = text;
            uint32_t bytes = element_types[type].bytes;
            struct advise_shape shape = {.block_dim = {32, 1, 1}, .grid_dim = {1, 1, 1}};
            snprintf(declaration, sizeof declaration, "%s s[%llu]", element_types[type].type,
                     (unsigned long long)columns * 32);
            snprintf(text, sizeof text, "s[tid.x * %llu + 3]", (unsigned long long)columns);
            look_read(&look, declaration, &access, 1, &shape, SIM_SHARED_STORE);
            struct advise_banks_query query = {
                .device = sim_device_find("h200"), .array = &look.array, .patterns = look.patterns, .pattern_count = 1};
            ck_assert_int_eq(advise_banks_look(&query, 0, &banks, &look.diags), BASE_OK);
            bool conflict = column_conflicts(padded, 3, columns, &plain, bytes);
            ck_assert_int_eq(banks.padding.found, conflict);
            if (conflict) {
                ck_assert(banks.padding.conflict_free);
                ck_assert_uint_eq(banks.padding.layout.row, columns);
                uint64_t pad = banks.padding.layout.pad, address[32];
                for (uint64_t lane = 0; lane < 32; lane++) {
                    uint64_t i = lane * columns + 3;
                    address[lane] = (i + i / columns * pad) * bytes;
                }
                ck_assert(!has_conflict(address, bytes));
                for (uint64_t less = 1; less < pad; less++)
                    ck_assert(column_conflicts(padded, 3, columns, &(struct advise_layout){.pad = less}, bytes));
                ck_assert_uint_eq(banks.padding.extra_bytes, 31 * pad * bytes);
            }
            look_free(&look);
        }
    }
}
END_TEST

/* Two accesses to one tile are cured together, or not at all. */
START_TEST(two_accesses_at_once)
{
    static const char *const accesses[] = {"t[tid.x][tid.y]", "t[tid.y][tid.x * 2 % 64 + tid.x / 32]"};
    static struct advise_banks banks;
    struct look look;
    look_read(&look, "float t[32][64]", accesses, 2, &block_32_32, SIM_SHARED_LOAD);
    struct advise_banks_query query = {
        .device = sim_device_find("h200"), .array = &look.array, .patterns = look.patterns, .pattern_count = 2};
    ck_assert_int_eq(advise_banks_look(&query, UINT32_MAX, &banks, &look.diags), BASE_OK);
    ck_assert_uint_eq(banks.accesses[0].view.degree, 32);
    ck_assert_uint_eq(banks.accesses[1].view.degree, 2);
    /* Every other word of a row: 2-way whatever the row's length. The column alone would be cured by 1. */
    ck_assert(banks.padding.found && !banks.padding.conflict_free);
    ck_assert_uint_eq(banks.padding.layout.pad, 1);
    ck_assert_uint_eq(banks.padding.wavefronts, 32 + 64);
    look_free(&look);
}
END_TEST

/* Lanes on one word of an atomic follow each other: nothing cures that, and nothing is suggested. */
START_TEST(atomics_on_one_word)
{
    static const char *const access = "s[0]";
    static struct advise_banks banks;
    struct look look;
    struct advise_shape shape = {.block_dim = {32, 1, 1}, .grid_dim = {1, 1, 1}};
    look_read(&look, "int s[32]", &access, 1, &shape, SIM_SHARED_ATOMIC);
    struct advise_banks_query query = {
        .device = sim_device_find("h200"), .array = &look.array, .patterns = look.patterns, .pattern_count = 1};
    ck_assert_int_eq(advise_banks_look(&query, 0, &banks, &look.diags), BASE_OK);
    ck_assert_uint_eq(banks.accesses[0].view.wavefronts.actual, 32);
    for (uint32_t lane = 0; lane < 32; lane++)
        ck_assert_uint_eq(banks.accesses[0].view.turn[lane], lane);
    ck_assert(!banks.padding.found && !banks.swizzle.found);
    ck_assert_int_eq(advise_banks_look(&query, 1, &banks, &look.diags), BASE_INVALID);
    look_free(&look);
}
END_TEST

/* Runs a launch of the guide with a capture of one line. */
static void capture_run(struct advise_capture *capture, const struct support_list *list, const char *name,
                        struct support_launch *launch)
{
    size_t index = 0;
    while (strcmp(list->launches->items[index].name, name) != 0)
        index++;
    support_launch_bind(launch, list, index);
    struct sim_options options = {.device = sim_device_find("h200"),
                                  .max_instructions = SIM_MAX_INSTRUCTIONS_DEFAULT,
                                  .access_hook = advise_capture_access,
                                  .access_user = capture};
    capture->module = launch->module;
    capture->device = options.device;
    ck_assert_int_eq(sim_run(launch->module, launch->kernel, launch->text, &launch->bound, &launch->memory, &options,
                             &launch->report, NULL),
                     BASE_OK);
    ck_assert(!capture->failed && !capture->dropped);
}

/* The tile of the guide's transpose: 32 rows of 32 floats after the kilobyte that the system keeps. What is captured of
 * all executions adds up to what the report counts, and the first one is that of warp 0 of block 0. */
START_TEST(a_line_of_a_real_run)
{
    struct support_list list;
    support_list_read(&list, "validate/records/h200/guide/guide.cases");
    for (int shared = 0; shared < 2; shared++) {
        struct support_launch launch;
        struct advise_capture capture = {.file = "guide.cu", .line = 23, .shared = shared != 0};
        uint64_t cost = 0, executions = 0, captured_cost = 0, captured = 0;
        capture_run(&capture, &list, "transpose_smem_1024", &launch);
        ck_assert_uint_eq(capture.count, 2);
        for (size_t i = 0; i < launch.report.insn_count; i++) {
            const struct sim_insn_report *insn = &launch.report.insns[i];
            if (insn->line != 23 || !(shared ? insn->is_shared : insn->is_global))
                continue;
            cost += shared ? insn->wavefronts : insn->sectors;
            executions += insn->requests;
        }
        for (uint32_t i = 0; i < capture.count; i++) {
            captured += capture.items[i]->executions;
            captured_cost += capture.items[i]->cost;
        }
        ck_assert_uint_eq(captured, 2 * 32768);
        ck_assert_uint_eq(captured, executions);
        ck_assert_uint_eq(captured_cost, cost);
        const struct advise_captured *item = capture.items[0];
        ck_assert_int_eq(item->kind, shared ? SIM_SHARED_STORE : SIM_SHARED_LOAD);
        ck_assert_uint_eq(item->kept_count, 32);
        ck_assert_uint_eq(item->kept[0].warp, 0);
        for (uint32_t lane = 0; lane < 32 && shared; lane++)
            ck_assert_uint_eq(item->kept[0].address[lane], 1024 + lane * 128);
        advise_capture_free(&capture);
        support_launch_free(&launch);
    }
    support_list_free(&list);
}
END_TEST

/* As patterns: a column of the window's words, which padding by one cures. */
START_TEST(patterns_of_a_real_run)
{
    struct support_list list;
    struct support_launch launch;
    struct base_arena arena;
    struct advise_array array;
    struct advise_pattern *patterns[ADVISE_ACCESS_MAX];
    static struct advise_banks banks;
    struct advise_capture capture = {.line = 23, .shared = true};
    uint64_t base = 0;
    base_arena_init(&arena, 0);
    support_list_read(&list, "validate/records/h200/guide/guide.cases");
    capture_run(&capture, &list, "transpose_smem_1024", &launch);
    ck_assert_int_eq(advise_captured_patterns(capture.items, capture.count, capture.device, capture.shared, &arena,
                                              &array, patterns, &base),
                     BASE_OK);
    ck_assert_uint_eq(base, 1024);
    for (uint32_t warp = 0; warp < 32; warp++) {
        for (uint32_t lane = 0; lane < 32; lane++)
            ck_assert_uint_eq(patterns[0]->warps[warp].element[lane] % 32, patterns[0]->warps[warp].element[0] % 32);
    }
    patterns[0]->text = patterns[1]->text = "";
    struct advise_banks_query query = {.device = capture.device,
                                       .array = &array,
                                       .patterns = (const struct advise_pattern *const *)patterns,
                                       .pattern_count = 2};
    ck_assert_int_eq(advise_banks_look(&query, UINT32_MAX, &banks, NULL), BASE_OK);
    ck_assert_uint_eq(banks.accesses[0].view.degree, 32);
    ck_assert_uint_eq(banks.accesses[1].view.degree, 1);
    ck_assert(banks.padding.conflict_free);
    ck_assert_uint_eq(banks.padding.layout.row, 32);
    ck_assert_uint_eq(banks.padding.layout.pad, 1);
    advise_capture_free(&capture);
    support_launch_free(&launch);
    support_list_free(&list);
    base_arena_free(&arena);
}
END_TEST

Suite *advise_suite(void)
{
    Suite *suite = suite_create("advise");
    TCase *tests = tcase_create("advise");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, figure_11);
    tcase_add_test(tests, linear_numbers);
    tcase_add_test(tests, figures_12_and_13);
    tcase_add_test(tests, shifted_sectors);
    tcase_add_test(tests, figure_14);
    tcase_add_test(tests, figures_15_to_18);
    tcase_add_test(tests, broadcast_of_figure_16);
    tcase_add_test(tests, cures_of_figure_17);
    tcase_add_test(tests, padding_is_the_smallest);
    tcase_add_test(tests, swizzles_are_bijections_that_cure);
    tcase_add_test(tests, padding_of_one_dimension);
    tcase_add_test(tests, two_accesses_at_once);
    tcase_add_test(tests, atomics_on_one_word);
    tcase_add_test(tests, a_line_of_a_real_run);
    tcase_add_test(tests, patterns_of_a_real_run);
    suite_add_tcase(suite, tests);
    return suite;
}
