/* The thread hierarchy as a picture: the grid of blocks (the guide's figure 11), the lanes of one block, and the tiles
 * of a matrix, before and after a transpose (figure 14). */
#include "report/picture_words.h"
#include "report/report.h"
#include "report/svg.h"

#include <inttypes.h>
#include <stdio.h>

/* In tenths of a pixel. */
enum {
    MARGIN = 200,
    LINE = 190,
    BLOCK_WIDTH = 760,
    BLOCK_HEIGHT = 420,
    BLOCKS_X = 12,
    BLOCKS_Y = 8,
    CELL = 240,
    CELL_HEIGHT = 170,
    CHUNK = 32,
    CHUNKS = 64,
    TILE = 460,
    TILES = 12,
    MATRIX_WORDS = 5600,
    LABELS = 900, /* left of the lanes */
    WIDTH = 11200,
};

struct drawing {
    const struct report_threads *what;
    struct base_strbuf *out;
};

/* A field of boxes, of which those from (first_x, first_y) are drawn. */
struct field {
    uint64_t columns, rows, marked_x, marked_y, shown_x, shown_y, first_x, first_y;
    uint64_t covered_x, covered_y; /* boxes from there on belong to no block */
    bool has_mark, transposed;
    int32_t width, height; /* of a box */
};

static struct report_svg_point at(int32_t x, int32_t y)
{
    return (struct report_svg_point){x, y};
}

static void put_taken(const struct drawing *d, const char *style, int32_t x, int32_t y, struct base_strbuf *text)
{
    report_svg_text(d->out, style, at(x, y), REPORT_SVG_START, text->data ? text->data : "");
    d->out->failed |= text->failed;
    base_strbuf_free(text);
}

static uint64_t first_shown(uint64_t count, uint64_t marked, uint64_t shown)
{
    if (count <= shown || marked < shown - 1)
        return 0;
    return marked + 1 >= count ? count - shown : marked + 2 - shown;
}

static void choose(struct field *field, uint64_t most_x, uint64_t most_y)
{
    field->shown_x = field->columns < most_x ? field->columns : most_x;
    field->shown_y = field->rows < most_y ? field->rows : most_y;
    field->first_x = field->has_mark ? first_shown(field->columns, field->marked_x, field->shown_x) : 0;
    field->first_y = field->has_mark ? first_shown(field->rows, field->marked_y, field->shown_y) : 0;
}

static void put_uint(const struct drawing *d, const char *style, struct report_svg_point where,
                     enum report_svg_anchor anchor, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRIu64, value);
    report_svg_text(d->out, style, where, anchor, text);
}

static void draw_field(const struct drawing *d, const struct field *field, int32_t left, int32_t top)
{
    for (int pass = 0; pass < 2; pass++) { /* the marked box lies over its neighbours */
        for (uint64_t i = 0; i < field->shown_x * field->shown_y; i++) {
            char text[48];
            uint64_t x = field->first_x + i % field->shown_x, y = field->first_y + i / field->shown_x;
            bool marked = field->has_mark && x == field->marked_x && y == field->marked_y;
            int32_t box_x = left + (int32_t)(i % field->shown_x) * field->width;
            int32_t box_y = top + (int32_t)(i / field->shown_x) * field->height;
            if (marked != (pass == 1))
                continue;
            if (x >= field->covered_x || y >= field->covered_y) {
                report_svg_rect(d->out, "off", at(box_x, box_y), field->width, field->height);
                continue;
            }
            report_svg_rect(d->out, marked ? "marked" : "box", at(box_x, box_y), field->width, field->height);
            snprintf(text, sizeof(text), "%" PRIu64 ",%" PRIu64, field->transposed ? y : x, field->transposed ? x : y);
            report_svg_text(d->out, "num", at(box_x + field->width / 2, box_y + field->height / 2 + 40),
                            REPORT_SVG_MIDDLE, text);
        }
    }
    for (uint64_t i = 0; i < field->shown_x; i++)
        put_uint(d, "small", at(left + (int32_t)i * field->width + field->width / 2, top - 50), REPORT_SVG_MIDDLE,
                 field->first_x + i);
    for (uint64_t i = 0; i < field->shown_y; i++)
        put_uint(d, "small", at(left - 60, top + (int32_t)i * field->height + field->height / 2 + 40), REPORT_SVG_END,
                 field->first_y + i);
    if (field->shown_x < field->columns || field->shown_y < field->rows) {
        struct base_strbuf text = {0};
        base_strbuf_printf(&text, "part of %" PRIu64 " x %" PRIu64, field->columns, field->rows);
        put_taken(d, "small", left, top + (int32_t)field->shown_y * field->height + 150, &text);
    }
}

static int32_t draw_grid(const struct drawing *d, int32_t top)
{
    const struct advise_threads *threads = d->what->threads;
    const struct advise_threads_query *query = &threads->query;
    struct base_strbuf text = {0};
    struct field field = {.columns = query->grid_dim[0],
                          .rows = query->grid_dim[1],
                          .marked_x = query->block[0],
                          .marked_y = query->block[1],
                          .has_mark = true,
                          .covered_x = query->grid_dim[0],
                          .covered_y = query->grid_dim[1],
                          .width = BLOCK_WIDTH,
                          .height = BLOCK_HEIGHT};
    choose(&field, BLOCKS_X, BLOCKS_Y);
    base_strbuf_printf(&text, "Grid: %u x %u x %u blocks, each by its x,y", query->grid_dim[0], query->grid_dim[1],
                       query->grid_dim[2]);
    if (query->grid_dim[2] > 1)
        base_strbuf_printf(&text, "; layer z = %u", query->block[2]);
    put_taken(d, "heading", MARGIN, top, &text);
    draw_field(d, &field, MARGIN + 400, top + 320);
    return top + 320 + (int32_t)field.shown_y * BLOCK_HEIGHT + 450;
}

static uint32_t chunk_count(const struct advise_threads *threads)
{
    uint32_t width = threads->query.block_dim[0];
    return threads->block_threads / width * ((width + CHUNK - 1) / CHUNK);
}

static void draw_chunk(const struct drawing *d, uint32_t first, uint32_t count, int32_t top)
{
    struct advise_place place = advise_threads_place(d->what->threads, first);
    struct base_strbuf text = {0};
    base_strbuf_printf(&text, "%u, %u, %u", place.tid[0], place.tid[1], place.tid[2]);
    put_taken(d, "small", MARGIN, top + 125, &text);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t linear = first + i;
        char style[16];
        snprintf(style, sizeof(style), "cell k%u", linear / 32 * 11 % REPORT_SVG_COLOURS);
        report_svg_rect(d->out, style, at(LABELS + (int32_t)i * CELL, top), CELL, CELL_HEIGHT);
        put_uint(d, "tiny", at(LABELS + (int32_t)i * CELL + CELL / 2, top + 120), REPORT_SVG_MIDDLE, linear % 32);
    }
    uint32_t last = (first + count - 1) / 32;
    base_strbuf_printf(&text, last > place.warp ? "warps %u to %u" : "warp %u", place.warp, last);
    put_taken(d, "small", LABELS + CHUNK * CELL + 100, top + 125, &text);
}

static int32_t draw_block(const struct drawing *d, int32_t top)
{
    const struct advise_threads *threads = d->what->threads;
    uint32_t width = threads->query.block_dim[0], drawn = 0;
    struct base_strbuf text = {0};
    base_strbuf_printf(&text, "Block (%u, %u, %u): its %u threads by lane, from x, y, z on; each colour is a warp",
                       threads->query.block[0], threads->query.block[1], threads->query.block[2],
                       threads->block_threads);
    put_taken(d, "heading", MARGIN, top, &text);
    top += 120;
    for (uint32_t row = 0; row < threads->block_threads; row += width) {
        for (uint32_t x = 0; x < width && drawn < CHUNKS; x += CHUNK, drawn++)
            draw_chunk(d, row + x, width - x < CHUNK ? width - x : CHUNK, top + (int32_t)drawn * CELL_HEIGHT);
    }
    if (drawn < chunk_count(threads)) {
        base_strbuf_printf(&text, "... %u more lines", chunk_count(threads) - drawn);
        put_taken(d, "small", MARGIN, top + (int32_t)drawn * CELL_HEIGHT + 140, &text);
    }
    return top + (int32_t)drawn * CELL_HEIGHT + 450;
}

static struct field tiles_of(const struct advise_threads *threads)
{
    struct field field = {.columns = threads->tiles_x,
                          .rows = threads->tiles_y,
                          .marked_x = threads->query.block[0],
                          .marked_y = threads->query.block[1],
                          .has_mark = !threads->tile.empty,
                          .covered_x = threads->query.grid_dim[0],
                          .covered_y = threads->query.grid_dim[1],
                          .width = TILE,
                          .height = TILE};
    choose(&field, TILES, TILES);
    return field;
}

/* Where the transposed matrix begins: beside the matrix, and beside the words above it. */
static int32_t transposed_left(const struct field *field)
{
    int32_t beside = MARGIN + 400 + (int32_t)field->shown_x * TILE + 1400;
    return beside > MARGIN + MATRIX_WORDS ? beside : MARGIN + MATRIX_WORDS;
}

static int32_t draw_matrix(const struct drawing *d, int32_t top)
{
    const struct advise_threads *threads = d->what->threads;
    const struct advise_threads_query *query = &threads->query;
    struct field field = tiles_of(threads), other = field;
    struct base_strbuf text = {0};
    base_strbuf_printf(&text, "Matrix of %" PRIu64 " x %" PRIu64 ": tiles of %" PRIu64 " columns x %" PRIu64 " rows",
                       query->rows, query->columns, query->tile_width, query->tile_height);
    put_taken(d, "heading", MARGIN, top, &text);
    if (!threads->tile.empty) {
        base_strbuf_printf(&text, "marked: rows %" PRIu64 " to %" PRIu64 ", columns %" PRIu64 " to %" PRIu64,
                           threads->tile.first_row, threads->tile.last_row, threads->tile.first_column,
                           threads->tile.last_column);
        put_taken(d, "label", MARGIN, top + LINE, &text);
    }
    if (threads->uncovered > 0) {
        report_number_of(&text, threads->uncovered, "element");
        base_strbuf_puts(&text, " that no block covers");
        put_taken(d, "bad", MARGIN, top + 2 * LINE, &text);
    }
    int32_t y = top + 2 * LINE + 400, left = MARGIN + 400;
    draw_field(d, &field, left, y);
    int32_t rows = (int32_t)field.shown_y;
    if (d->what->transpose) {
        other.columns = field.rows, other.rows = field.columns;
        other.marked_x = field.marked_y, other.marked_y = field.marked_x;
        other.covered_x = field.covered_y, other.covered_y = field.covered_x;
        other.transposed = true;
        choose(&other, TILES, TILES);
        int32_t right = transposed_left(&field);
        report_svg_text(d->out, "heading", at(right, top), REPORT_SVG_START, "After the transpose");
        draw_field(d, &other, right, y);
        rows = rows > (int32_t)other.shown_y ? rows : (int32_t)other.shown_y;
    }
    return y + rows * TILE + 300;
}

/* Drawn once to nowhere, to learn how high it is. */
static int32_t draw(const struct drawing *d)
{
    const struct advise_threads *threads = d->what->threads;
    struct base_strbuf text = {0};
    base_strbuf_printf(&text, "A grid of %u x %u x %u blocks of %u x %u x %u threads", threads->query.grid_dim[0],
                       threads->query.grid_dim[1], threads->query.grid_dim[2], threads->query.block_dim[0],
                       threads->query.block_dim[1], threads->query.block_dim[2]);
    put_taken(d, "title", MARGIN, 300, &text);
    report_number_of(&text, threads->blocks, "block");
    base_strbuf_puts(&text, ", ");
    report_number_of(&text, threads->warps, "warp");
    base_strbuf_puts(&text, ", ");
    report_number_of(&text, threads->threads, "thread");
    put_taken(d, "label", MARGIN, 300 + LINE + 20, &text);
    int32_t y = draw_grid(d, 300 + 3 * LINE);
    y = draw_block(d, y);
    return threads->query.rows > 0 ? draw_matrix(d, y) : y;
}

static int32_t width_of(const struct report_threads *what)
{
    int32_t width = WIDTH;
    if (what->threads->query.rows > 0 && what->transpose) {
        struct field field = tiles_of(what->threads);
        int32_t needed = transposed_left(&field) + (int32_t)(field.rows < TILES ? field.rows : TILES) * TILE + MARGIN;
        width = needed > width ? needed : width;
    }
    return width;
}

void report_threads_svg(const struct report_threads *threads, const struct report_picture *picture,
                        struct base_strbuf *out)
{
    (void)picture;
    struct base_strbuf nowhere = {0};
    int32_t height = draw(&(struct drawing){threads, &nowhere});
    out->failed |= nowhere.failed;
    base_strbuf_free(&nowhere);
    report_svg_begin(out, width_of(threads), height, "Grid, block, warps and lanes of a launch", picture->in_page);
    draw(&(struct drawing){threads, out});
    report_svg_end(out);
}
