/* The source with what each line cost, and the instructions with the same: views to switch between. Without the page's
 * script they stand one after the other. */
#include "report/html_parts.h"

#include <inttypes.h>
#include <string.h>

enum {
    CONTEXT = 3,      /* lines around those that have instructions */
    ROWS_MAX = 4000,  /* of a view */
    ROWS_BRIEF = 300, /* in a page of many launches */
    HEAT_STEPS = 9,
};

/* ---- Which files, which rows ---- */

void html_source_plan(struct html *h)
{
    struct html_file *files = base_arena_alloc(&h->arena, h->lines.count, sizeof(*files));
    if (!files) {
        h->out->failed = true;
        return;
    }
    for (size_t i = 0; i < h->lines.count; i++) {
        const struct report_line *line = &h->lines.items[i];
        size_t length = 0;
        if (h->file_count == 0 || strcmp(files[h->file_count - 1].name, line->file) != 0)
            files[h->file_count++] = (struct html_file){.name = line->file, .first = i};
        struct html_file *file = &files[h->file_count - 1];
        file->count++;
        if (!file->has_text && h->launch->source_line && line->file[0] != '\0' && line->line > 0)
            file->has_text = h->launch->source_line(h->launch->user, line->file, line->line, &length) != NULL;
    }
    h->files = files;
}

/* A row's anchor is of its file and line: l1-f0-23. */
static void put_row_anchor(struct html *h, size_t file, uint32_t line)
{
    html_anchor_n(h, "f", file);
    html_textf(h, "-%" PRIu32, line);
}

bool html_line_link(struct html *h, const char *file, uint32_t line)
{
    for (size_t f = 0; f < h->file_count && file && line > 0; f++) {
        if (strcmp(h->files[f].name, file) != 0)
            continue;
        for (size_t i = 0; i < h->files[f].count; i++) {
            const struct report_line *found = &h->lines.items[h->files[f].first + i];
            if (found->line != line)
                continue;
            html_puts(h, "<a href=\"#");
            if (h->files[f].has_text)
                put_row_anchor(h, f, line);
            else
                html_anchor_n(h, "pc", found->insns[0]->pc);
            html_puts(h, "\">");
            return true;
        }
    }
    return false;
}

bool html_source_has(const struct html *h)
{
    return h->lines.count > 0;
}

/* ---- Rows ---- */

static void put_head(struct html *h, const char *first, const char *second)
{
    html_puts(h, "<thead><tr>");
    html_head_cell(h, first, true);
    html_head_cell(h, second, false);
    html_head_cell(h, h->slow ? "Warps' time" : "Warp instr.", true);
    html_head_cell(h, "Executed by warps", true);
    html_head_cell(h, "Lanes of 32", true);
    html_head_cell(h, "Global sectors", true);
    html_head_cell(h, "needed", true);
    html_head_cell(h, "Shared wavefronts", true);
    html_head_cell(h, "needed", true);
    html_head_cell(h, "Wasted", true);
    html_puts(h, "</tr></thead>\n<tbody>\n");
}

static void put_pair(struct html *h, bool has, uint64_t actual, uint64_t needed)
{
    if (!has) {
        html_puts(h, "<td></td><td></td>");
        return;
    }
    html_puts(h, actual > needed ? "<td class=\"n over\">" : "<td class=\"n\">");
    html_count(h, actual);
    html_puts(h, "</td>");
    html_count_cell(h, needed);
}

static void put_costs(struct html *h, const struct report_line *line)
{
    uint64_t part = h->slow ? line->warp_cycles : line->executed, whole = h->slow ? h->warp_cycles : h->executed;
    double share = whole > 0 ? (double)part / (double)whole : 0;
    html_puts(h, "<td class=\"n h");
    html_textf(h, "%d", part == 0 ? 0 : (int)(share * HEAT_STEPS + 0.999));
    html_puts(h, "\">");
    html_share(h, part, whole);
    html_puts(h, "</td>");
    html_count_cell(h, line->executed);
    html_puts(h, "<td class=\"n\">");
    if (line->executed > 0)
        html_textf(h, "%.4g", (double)line->thread_executed / (double)line->executed);
    html_puts(h, "</td>");
    put_pair(h, line->has_global, line->sectors, line->sectors_ideal);
    put_pair(h, line->has_shared, line->wavefronts, line->wavefronts_ideal);
    if (line->has_global || line->has_shared)
        html_count_cell(h, line->excess);
    else
        html_puts(h, "<td></td>");
    html_puts(h, "</tr>\n");
}

/* What is to be said of a row beside its text: that it is the worst, where its pictures are. */
static void put_marks(struct html *h, bool wasteful, bool slow, const struct sim_insn_report *const *insns,
                      size_t count)
{
    size_t last = 0;
    if (wasteful)
        html_puts(h, " <strong class=\"tag worst-tag\">worst: most wasted</strong>");
    if (slow)
        html_puts(h, " <strong class=\"tag slow-tag\">slowest</strong>");
    for (size_t i = 0; i < count; i++) {
        size_t number = html_picture_of(h, insns[i]);
        if (number == 0 || number == last)
            continue;
        last = number;
        html_puts(h, " <a class=\"tag\" href=\"#");
        html_anchor_n(h, "picture", number);
        html_puts(h, insns[i]->is_shared ? "\">banks</a>" : "\">sectors</a>");
    }
}

static size_t rows_max(const struct html *h)
{
    return h->launch->brief ? ROWS_BRIEF : ROWS_MAX;
}

static void put_row_class(struct html *h, bool wasteful, bool slow)
{
    html_puts(h, wasteful ? " class=\"worst\"" : slow ? " class=\"slow\"" : "");
}

static void put_source_row(struct html *h, size_t file, uint32_t number, const struct report_line *line)
{
    size_t length = 0;
    const char *text = h->launch->source_line(h->launch->user, h->files[file].name, number, &length);
    if (!text && !line)
        return;
    while (text && length > 0 && strchr(" \t\r", text[length - 1]))
        length--;
    if (line) {
        html_puts(h, "<tr id=\"");
        put_row_anchor(h, file, number);
        html_puts(h, "\"");
        put_row_class(h, line == h->wasteful, line == h->slow);
        html_puts(h, ">");
    } else {
        html_puts(h, "<tr>");
    }
    html_puts(h, "<th scope=\"row\" class=\"n\">");
    html_textf(h, "%" PRIu32, number);
    html_puts(h, "</th><td class=\"code\"><code>");
    if (text)
        html_bytes(h, text, length);
    html_puts(h, "</code>");
    if (line)
        put_marks(h, line == h->wasteful, line == h->slow, line->insns, line->insn_count);
    html_puts(h, "</td>");
    if (line)
        put_costs(h, line);
    else
        html_puts(h, "<td></td><td></td><td></td><td></td><td></td><td></td><td></td><td></td></tr>\n");
}

static void put_gap(struct html *h)
{
    html_puts(h, "<tr class=\"gap\"><td colspan=\"10\">\xe2\x8b\xae</td></tr>\n");
}

/* All lines from the one to the other; `at`: the next of the file's lines that have instructions. */
static size_t put_span(struct html *h, size_t file, uint32_t from, uint32_t to, size_t at)
{
    const struct report_line *lines = &h->lines.items[h->files[file].first];
    for (uint64_t number = from; number <= to; number++) {
        bool has = at < h->files[file].count && lines[at].line == number;
        put_source_row(h, file, (uint32_t)number, has ? &lines[at] : NULL);
        at += has;
    }
    return at;
}

static void put_source_rows(struct html *h, size_t file)
{
    const struct report_line *lines = &h->lines.items[h->files[file].first];
    const size_t count = h->files[file].count;
    size_t rows = 0, at = 0;
    while (at < count && lines[at].line == 0)
        at++;
    while (at < count && rows < rows_max(h)) {
        uint32_t from = lines[at].line > CONTEXT ? lines[at].line - CONTEXT : 1, to = lines[at].line;
        for (size_t i = at; i < count && lines[i].line - to <= 2 * CONTEXT + 1; i++)
            to = lines[i].line;
        to = to < UINT32_MAX - CONTEXT ? to + CONTEXT : to;
        if (rows > 0)
            put_gap(h);
        rows += to - from + UINT64_C(1);
        at = put_span(h, file, from, to, at);
    }
    if (at < count)
        html_puts(h, "<tr class=\"gap\"><td colspan=\"10\">more lines than are shown here</td></tr>\n");
}

/* ---- Views ---- */

static void begin_view(struct html *h, const char *name, uint64_t number, const char *title, const char *file)
{
    html_puts(h, "<section class=\"view\" id=\"");
    html_anchor_n(h, name, number);
    html_puts(h, "\" aria-labelledby=\"");
    html_anchor_n(h, name, number);
    html_puts(h, "-title\">\n<h4 id=\"");
    html_anchor_n(h, name, number);
    html_puts(h, "-title\">");
    html_text(h, title);
    if (file) {
        html_puts(h, " ");
        html_text(h, report_base_name(file));
    }
    html_puts(h, "</h4>\n");
    html_scroll_begin(h, title);
    html_puts(h, "<table class=\"source\">\n<caption>");
    html_text(h, h->slow ? "Warps' time: cycles that warps spent at the line, waiting or issuing (modelled)."
                         : "Warp instr.: the line's share of all warp instructions.");
    html_puts(h, " Needed: what packed accesses without bank conflicts would take.</caption>\n");
}

static void end_view(struct html *h)
{
    html_puts(h, "</tbody></table>\n");
    html_scroll_end(h);
    html_puts(h, "</section>\n");
}

static void put_instructions(struct html *h)
{
    const struct sim_report *report = h->report;
    begin_view(h, "instructions", 0, report->form == ISA_FORM_SASS ? "Machine code (SASS)" : "PTX", NULL);
    put_head(h, report->form == ISA_FORM_SASS ? "Offset" : "No.", "Instruction");
    for (size_t i = 0; i < report->insn_count && i < rows_max(h); i++) {
        const struct sim_insn_report *insn = &report->insns[i];
        struct report_line line = {0};
        report_line_add(&line, insn);
        html_puts(h, "<tr id=\"");
        html_anchor_n(h, "pc", insn->pc);
        html_puts(h, "\"");
        put_row_class(h, insn == h->wasteful_insn, insn == h->slow_insn);
        html_puts(h, "><th scope=\"row\" class=\"n\">");
        html_textf(h, report->form == ISA_FORM_SASS ? "%04" PRIx32 : "%" PRIu32, insn->pc);
        html_puts(h, "</th><td class=\"code\"><code>");
        html_text(h, insn->text ? insn->text : "");
        html_puts(h, "</code>");
        put_marks(h, insn == h->wasteful_insn, insn == h->slow_insn, &insn, 1);
        if (insn->line > 0) {
            html_puts(h, " <span class=\"from\">");
            bool linked = html_line_link(h, insn->file, insn->line);
            html_place(h, insn->file, insn->line);
            html_puts(h, linked ? "</a></span>" : "</span>");
        }
        html_puts(h, "</td>");
        put_costs(h, &line);
    }
    if (report->insn_count > rows_max(h))
        html_puts(h, "<tr class=\"gap\"><td colspan=\"10\">more instructions than are shown here</td></tr>\n");
    end_view(h);
}

static void put_jumps(struct html *h)
{
    html_puts(h, "<p class=\"jumps\">");
    if (h->wasteful) {
        if (html_line_link(h, h->wasteful->file, h->wasteful->line))
            html_puts(h, "To the worst line</a> (most wasted). ");
    }
    if (h->slow && html_line_link(h, h->slow->file, h->slow->line))
        html_puts(h, "To the slowest line</a> (most of the warps' time).");
    html_puts(h, "</p>\n");
}

void html_source(struct html *h)
{
    put_jumps(h);
    html_puts(h, "<div class=\"views\">\n");
    for (size_t f = 0; f < h->file_count; f++) {
        if (!h->files[f].has_text)
            continue;
        begin_view(h, "view", f, "Source", h->files[f].name);
        put_head(h, "Line", "Source");
        put_source_rows(h, f);
        end_view(h);
    }
    put_instructions(h);
    html_puts(h, "</div>\n");
}
