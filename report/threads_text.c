/* The thread hierarchy on a terminal: the grid, one block's lanes, and the tiles of a matrix. */
#include "report/picture_words.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BOXES_X = 9, BOXES_Y = 8, CHUNK = 32, CHUNKS = 40 };

struct page {
    const struct report_threads *what;
    const struct report_picture *picture;
    struct base_strbuf *out;
};

static void style(const struct page *page, const char *code)
{
    if (page->picture->colour)
        base_strbuf_style(page->out, code);
}

static void put_dim3(struct base_strbuf *out, const uint32_t dim[3])
{
    base_strbuf_printf(out, "%u x %u x %u", dim[0], dim[1], dim[2]);
}

static void headline(const struct page *page)
{
    const struct advise_threads *threads = page->what->threads;
    struct base_strbuf *out = page->out;
    style(page, "1");
    base_strbuf_puts(out, "A grid of ");
    put_dim3(out, threads->query.grid_dim);
    base_strbuf_puts(out, " blocks of ");
    put_dim3(out, threads->query.block_dim);
    base_strbuf_puts(out, " threads");
    style(page, "0");
    base_strbuf_printf(out, "   on %s\n\n  all      ", page->what->device);
    report_number_of(out, threads->blocks, "block");
    base_strbuf_puts(out, ", ");
    report_number_of(out, threads->warps, "warp");
    base_strbuf_puts(out, ", ");
    report_number_of(out, threads->threads, "thread");
    base_strbuf_puts(out, "\n  a block  ");
    report_number_of(out, threads->block_threads, "thread");
    base_strbuf_puts(out, ", ");
    report_number_of(out, threads->block_warps, "warp");
    if (threads->last_warp_lanes < 32) {
        base_strbuf_printf(out, "; the last has %u of 32 lanes: ", threads->last_warp_lanes);
        report_count(out, threads->idle_lanes);
        base_strbuf_puts(out, " lanes of the grid never work");
    }
    base_strbuf_putc(out, '\n');
}

/* ---- Boxes: blocks of the grid, tiles of a matrix ---- */

struct boxes {
    uint64_t columns, rows, marked_x, marked_y; /* marked_x: UINT64_MAX for none */
    uint64_t covered_x, covered_y;              /* boxes from there on belong to no block */
    bool transposed;                            /* the label of a box is that of the tile that comes to lie there */
};

/* Cut in the middle of what is drawn, the marked box stays in sight. */
static uint64_t first_box(uint64_t count, uint64_t marked, uint64_t shown)
{
    if (count <= shown || marked == UINT64_MAX || marked < shown - 1)
        return 0;
    return marked + 1 >= count ? count - shown : marked + 2 - shown;
}

static void box_row(const struct page *page, const struct boxes *boxes, uint64_t y, uint64_t from_x, uint64_t to_x)
{
    struct base_strbuf *out = page->out;
    base_strbuf_printf(out, "%6" PRIu64 " \xe2\x94\x82", y);
    for (uint64_t x = from_x; x < to_x; x++) {
        char label[48];
        bool marked = x == boxes->marked_x && y == boxes->marked_y;
        snprintf(label, sizeof(label), "%" PRIu64 ",%" PRIu64, boxes->transposed ? y : x, boxes->transposed ? x : y);
        if (x >= boxes->covered_x || y >= boxes->covered_y)
            label[0] = '\0';
        if (marked)
            style(page, "1;30;42");
        if (marked && strlen(label) <= 6)
            base_strbuf_printf(out, "[%*s]", 6, label);
        else
            base_strbuf_printf(out, " %*s ", 6, label);
        if (marked)
            style(page, "0");
        base_strbuf_puts(out, "\xe2\x94\x82");
    }
    base_strbuf_puts(out, to_x < boxes->columns ? " ...\n" : "\n");
}

static void rule(const struct page *page, uint64_t count, const char *left, const char *middle, const char *right)
{
    base_strbuf_printf(page->out, "       %s", left);
    for (uint64_t x = 0; x < count; x++) {
        for (int i = 0; i < 8; i++)
            base_strbuf_puts(page->out, "\xe2\x94\x80");
        base_strbuf_puts(page->out, x + 1 < count ? middle : right);
    }
    base_strbuf_putc(page->out, '\n');
}

static void draw_boxes(const struct page *page, const struct boxes *boxes)
{
    uint64_t from_x = first_box(boxes->columns, boxes->marked_x, BOXES_X);
    uint64_t from_y = first_box(boxes->rows, boxes->marked_y, BOXES_Y);
    uint64_t to_x = from_x + BOXES_X < boxes->columns ? from_x + BOXES_X : boxes->columns;
    uint64_t to_y = from_y + BOXES_Y < boxes->rows ? from_y + BOXES_Y : boxes->rows;
    base_strbuf_puts(page->out, "        ");
    for (uint64_t x = from_x; x < to_x; x++)
        base_strbuf_printf(page->out, " %6" PRIu64 "  ", x);
    base_strbuf_putc(page->out, '\n');
    rule(page, to_x - from_x, "\xe2\x94\x8c", "\xe2\x94\xac", "\xe2\x94\x90");
    for (uint64_t y = from_y; y < to_y; y++) {
        if (y > from_y)
            rule(page, to_x - from_x, "\xe2\x94\x9c", "\xe2\x94\xbc", "\xe2\x94\xa4");
        box_row(page, boxes, y, from_x, to_x);
    }
    rule(page, to_x - from_x, "\xe2\x94\x94", "\xe2\x94\xb4", "\xe2\x94\x98");
    if (to_y < boxes->rows)
        base_strbuf_puts(page->out, "        ...\n");
}

static void grid(const struct page *page)
{
    const struct advise_threads_query *query = &page->what->threads->query;
    struct boxes boxes = {query->grid_dim[0],
                          query->grid_dim[1],
                          query->block[0],
                          query->block[1],
                          query->grid_dim[0],
                          query->grid_dim[1],
                          false};
    base_strbuf_puts(page->out, "\nBlocks, x to the right and y down");
    if (query->grid_dim[2] > 1)
        base_strbuf_printf(page->out, ", the layer z = %u of %u", query->block[2], query->grid_dim[2]);
    base_strbuf_printf(page->out, "; marked: block (%u, %u, %u), number %" PRIu64 "\n", query->block[0],
                       query->block[1], query->block[2], page->what->threads->block_linear);
    draw_boxes(page, &boxes);
}

/* ---- One block ---- */

static void chunk(const struct page *page, uint32_t first, uint32_t count)
{
    struct advise_place place = advise_threads_place(page->what->threads, first);
    static const char *const colours[] = {"36", "33", "35", "32"};
    base_strbuf_printf(page->out, " %4u %3u %3u  ", place.tid[0], place.tid[1], place.tid[2]);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t linear = first + i;
        style(page, colours[linear / 32 % 4]);
        base_strbuf_printf(page->out, linear % 32 == 0 ? "\xe2\x94\x82%u " : "%2u ", linear % 32);
        style(page, "0");
    }
    uint32_t last_warp = (first + count - 1) / 32;
    base_strbuf_printf(page->out, last_warp > place.warp ? " warps %u-%u" : " warp %u", place.warp, last_warp);
    base_strbuf_putc(page->out, '\n');
}

static void block(const struct page *page)
{
    const struct advise_threads *threads = page->what->threads;
    uint32_t width = threads->query.block_dim[0], chunks = 0;
    base_strbuf_puts(page->out,
                     "\nLanes of the block's threads, 32 or fewer neighbours in x on a line; \xe2\x94\x82 begins "
                     "a warp\n");
    style(page, "4");
    base_strbuf_puts(page->out, "    x   y   z  lanes");
    style(page, "0");
    base_strbuf_putc(page->out, '\n');
    for (uint32_t row = 0; row < threads->block_threads; row += width) {
        for (uint32_t x = 0; x < width; x += CHUNK) {
            if (chunks++ < CHUNKS)
                chunk(page, row + x, width - x < CHUNK ? width - x : CHUNK);
        }
    }
    if (chunks > CHUNKS)
        base_strbuf_printf(page->out, "   ... %u more lines\n", chunks - CHUNKS);
    struct advise_place last = advise_threads_place(threads, threads->block_threads - 1);
    base_strbuf_printf(page->out,
                       "\n  thread (x, y, z) is number x + %u * y + %u * z; number / 32 is its warp, number %% 32 its "
                       "lane\n  the last one, (%u, %u, %u): number %u, warp %u, lane %u, number %" PRIu64
                       " of the grid\n",
                       width, width * threads->query.block_dim[1], last.tid[0], last.tid[1], last.tid[2], last.linear,
                       last.warp, last.lane, last.global);
}

/* ---- The matrix ---- */

static void matrix_words(const struct page *page)
{
    const struct advise_threads *threads = page->what->threads;
    const struct advise_threads_query *query = &threads->query;
    const struct advise_range *tile = &threads->tile;
    struct base_strbuf *out = page->out;
    base_strbuf_printf(out,
                       "\nA matrix of %" PRIu64 " rows and %" PRIu64 " columns in tiles of %" PRIu64
                       " columns and %" PRIu64 " rows\n  block (%u, %u): ",
                       query->rows, query->columns, query->tile_width, query->tile_height, query->block[0],
                       query->block[1]);
    if (tile->empty)
        base_strbuf_puts(out, "all of its tile lies outside the matrix");
    else
        base_strbuf_printf(out, "rows %" PRIu64 " to %" PRIu64 ", columns %" PRIu64 " to %" PRIu64, tile->first_row,
                           tile->last_row, tile->first_column, tile->last_column);
    if (!tile->empty && threads->block_outside > 0) {
        base_strbuf_puts(out, "; ");
        report_number_of(out, threads->block_outside, "element");
        base_strbuf_puts(out, " of its tile lie outside");
    }
    base_strbuf_putc(out, '\n');
    if (threads->steps_x * (uint64_t)threads->steps_y > 1)
        base_strbuf_printf(out, "  a thread works on %u x %u elements, %u columns and %u rows apart\n",
                           threads->steps_x, threads->steps_y, query->block_dim[0], query->block_dim[1]);
    if (threads->uncovered > 0) {
        style(page, "1;31");
        base_strbuf_puts(out, "  no block covers ");
        report_number_of(out, threads->uncovered, "element");
        base_strbuf_printf(out, ": the grid needs %" PRIu64 " x %" PRIu64 " blocks", threads->tiles_x,
                           threads->tiles_y);
        style(page, "0");
        base_strbuf_putc(out, '\n');
    }
    if (threads->outside > 0) {
        base_strbuf_puts(out, "  tiles reach ");
        report_number_of(out, threads->outside, "element");
        base_strbuf_puts(out, " over the edge: the kernel must check row and column\n");
    }
}

static void matrix(const struct page *page)
{
    const struct advise_threads *threads = page->what->threads;
    const struct advise_threads_query *query = &threads->query;
    struct boxes boxes = {threads->tiles_x,
                          threads->tiles_y,
                          query->block[0],
                          query->block[1],
                          query->grid_dim[0],
                          query->grid_dim[1],
                          false};
    if (threads->tile.empty)
        boxes.marked_x = UINT64_MAX;
    matrix_words(page);
    base_strbuf_puts(page->out, "\nTiles, each by the x,y of the block that covers it\n");
    draw_boxes(page, &boxes);
    if (!page->what->transpose)
        return;
    struct boxes result = {boxes.rows,      boxes.columns, boxes.marked_y, boxes.marked_x, boxes.covered_y,
                           boxes.covered_x, true};
    if (boxes.marked_x == UINT64_MAX)
        result.marked_x = UINT64_MAX;
    base_strbuf_puts(page->out, "\nThe same tiles in the transposed matrix\n");
    draw_boxes(page, &result);
}

void report_threads_text(const struct report_threads *threads, const struct report_picture *picture,
                         struct base_strbuf *out)
{
    struct page page = {threads, picture, out};
    headline(&page);
    grid(&page);
    block(&page);
    if (threads->threads->query.rows > 0)
        matrix(&page);
}
