/* Lanes and sectors on a terminal: a line for each sector, with the bytes that are used of it and the lanes it serves.
 */
#include "report/picture_words.h"
#include "report/report.h"

#include <inttypes.h>

struct page {
    const struct advise_sectors *sectors;
    const struct report_picture *picture;
    struct base_strbuf *out;
};

static void style(const struct page *page, const char *code)
{
    if (page->picture->colour)
        base_strbuf_style(page->out, code);
}

static void headline(const struct page *page)
{
    const struct advise_sectors *sectors = page->sectors;
    const struct advise_sector_view *view = &sectors->view;
    bool good = view->sectors == view->sectors_ideal;
    style(page, "1");
    base_strbuf_puts(page->out, sectors->pattern->text);
    style(page, "0");
    if (!sectors->pattern->who) {
        base_strbuf_puts(page->out, "   of ");
        report_declaration(page->out, sectors->array);
    }
    base_strbuf_printf(page->out, "   on %s: sectors of %u bytes\n", sectors->device->name, view->sector_bytes);
    report_access_words(page->out, sectors->pattern, view->warp, page->picture);
    base_strbuf_puts(page->out, "\n\n  ");
    style(page, good ? "1;32" : "1;31");
    report_sector_verdict(page->out, view);
    style(page, "0");
    base_strbuf_putc(page->out, '\n');
    if (sectors->pattern->warp_count > 1) {
        base_strbuf_printf(page->out, sectors->pattern->who ? "  %u different executions: " : "  all %u warps: ",
                           sectors->pattern->warp_count);
        report_number_of(page->out, sectors->sectors, "sector");
        if (sectors->sectors_ideal < sectors->sectors) {
            base_strbuf_puts(page->out, " where ");
            report_count(page->out, sectors->sectors_ideal);
            base_strbuf_puts(page->out, " would do");
        }
        base_strbuf_putc(page->out, '\n');
    }
    for (unsigned i = 0; view->mask != 0; i++) {
        struct base_strbuf advice = {0};
        bool more = report_sector_advice(&advice, view, i);
        if (more)
            base_strbuf_printf(page->out, "  %s\n", advice.data ? advice.data : "");
        page->out->failed |= advice.failed;
        base_strbuf_free(&advice);
        if (!more)
            break;
    }
}

static void sector_line(const struct page *page, uint32_t at)
{
    const struct advise_sector_view *view = &page->sectors->view;
    const struct advise_sector *sector = &view->items[at];
    uint64_t line = sector->address / view->line_bytes;
    bool first = at == 0 || view->items[at - 1].address / view->line_bytes != line;
    base_strbuf_printf(page->out, "  %s %14" PRIu64 "  ", first ? "\xe2\x94\x8c" : "\xe2\x94\x82", sector->address);
    for (uint32_t piece = 0; piece < view->sector_bytes / view->piece_bytes; piece++) {
        bool used = sector->used >> piece & 1;
        style(page, used ? "32" : "31");
        base_strbuf_puts(page->out, used ? "\xe2\x96\x88" : "\xe2\x96\x91");
    }
    style(page, "0");
    base_strbuf_puts(page->out, "  ");
    report_lane_list(page->out, sector->lanes);
    base_strbuf_putc(page->out, '\n');
}

static void chart(const struct page *page)
{
    const struct advise_sector_view *view = &page->sectors->view;
    int width = (int)(view->sector_bytes / view->piece_bytes);
    base_strbuf_printf(page->out, "\nSectors by address; a bracket holds those of one line of %u bytes\n  ",
                       view->line_bytes);
    style(page, "4");
    base_strbuf_printf(page->out, "  %14s  %-*s  lanes", "first byte", width, "used");
    style(page, "0");
    base_strbuf_putc(page->out, '\n');
    for (uint32_t i = 0; i < view->sector_count; i++)
        sector_line(page, i);
}

void report_sectors_text(const struct advise_sectors *sectors, size_t count, const struct report_picture *picture,
                         struct base_strbuf *out)
{
    for (size_t i = 0; i < count; i++) {
        struct page page = {&sectors[i], picture, out};
        if (i > 0)
            base_strbuf_putc(out, '\n');
        headline(&page);
        if (sectors[i].view.mask != 0)
            chart(&page);
    }
}
