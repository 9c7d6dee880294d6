/* Branches that part the lanes of a warp, lanes switched off, and what warps waited for. */
#include "report/html_parts.h"
#include "report/speed.h"

#include <inttypes.h>
#include <string.h>

enum { ROWS_SHOWN = 40 };

/* ---- Divergence ---- */

bool html_divergence_has(const struct html *h)
{
    return h->executed > 0;
}

static bool parts_lanes(const struct sim_insn_report *insn)
{
    return insn->is_branch && insn->divergent > 0;
}

static bool idles_lanes(const struct sim_insn_report *insn)
{
    return !insn->is_branch && insn->predicated_off > 0;
}

static void put_insn_cells(struct html *h, const struct sim_insn_report *insn)
{
    html_puts(h, "<tr><th scope=\"row\">");
    bool linked = html_line_link(h, insn->file, insn->line);
    html_place(h, insn->file, insn->line);
    html_puts(h, linked ? "</a></th><td><code>" : "</th><td><code>");
    html_text(h, insn->text ? insn->text : "");
    html_puts(h, "</code></td>");
}

/* A table of the instructions that `shown` accepts, `part` of `whole` each. */
static size_t put_table(struct html *h, const char *label, const char *caption, const char *part_title,
                        const char *whole_title, bool (*shown)(const struct sim_insn_report *insn))
{
    size_t count = 0;
    for (size_t i = 0; i < h->report->insn_count; i++) {
        const struct sim_insn_report *insn = &h->report->insns[i];
        if (!shown(insn) || ++count > ROWS_SHOWN)
            continue;
        if (count == 1) {
            html_scroll_begin(h, label);
            html_puts(h, "<table>\n<caption>");
            html_text(h, caption);
            html_puts(h, "</caption>\n<thead><tr>");
            html_head_cell(h, "Line", false);
            html_head_cell(h, "Instruction", false);
            html_head_cell(h, part_title, true);
            html_head_cell(h, whole_title, true);
            html_head_cell(h, "Share", true);
            html_puts(h, "</tr></thead>\n<tbody>\n");
        }
        uint64_t part = insn->is_branch ? insn->divergent : insn->predicated_off;
        uint64_t whole = insn->is_branch ? insn->executed : insn->thread_executed;
        put_insn_cells(h, insn);
        html_count_cell(h, part);
        html_count_cell(h, whole);
        html_puts(h, "<td class=\"n\">");
        html_share(h, part, whole);
        html_puts(h, "</td></tr>\n");
    }
    if (count > 0) {
        html_puts(h, "</tbody></table>\n");
        html_scroll_end(h);
    }
    if (count > ROWS_SHOWN)
        html_textf(h, "and %zu more", count - ROWS_SHOWN);
    return count;
}

void html_divergence(struct html *h)
{
    uint64_t threads = 0;
    for (size_t i = 0; i < h->lines.count; i++)
        threads += h->lines.items[i].thread_executed;
    html_puts(h, "<p>Of the 32 lanes of a warp, ");
    html_textf(h, "%.2f", h->executed > 0 ? (double)threads / (double)h->executed : 0.0);
    html_puts(h, " took part in an instruction on average.</p>\n");
    if (put_table(h, "Branches that part lanes",
                  "Branches at which lanes of one warp went both ways: the warp runs both, one after the other.",
                  "Went both ways", "Executed by warps", parts_lanes) == 0)
        html_puts(h, "<p class=\"fine\">No branch sent lanes of one warp both ways.</p>\n");
    (void)put_table(h, "Lanes switched off",
                    "Instructions at which a guard switched lanes off: they take the warp's time all the same.",
                    "Threads switched off", "Threads", idles_lanes);
}

/* ---- Stalls ---- */

bool html_stalls_has(const struct html *h)
{
    return h->slow != NULL;
}

static void put_stall_row(struct html *h, unsigned reason, uint64_t cycles)
{
    const struct report_line *most = NULL;
    for (size_t i = 0; i < h->lines.count; i++) {
        if (h->lines.items[i].stalls[reason] > (most ? most->stalls[reason] : 0))
            most = &h->lines.items[i];
    }
    html_puts(h, "<tr><th scope=\"row\"><code>");
    html_text(h, sim_stall_names[reason]);
    html_puts(h, "</code></th><td>");
    html_text(h, report_stall_meanings[reason]);
    html_puts(h, "</td><td class=\"b\">");
    html_bar(h, 100.0 * (double)cycles / (double)h->warp_cycles);
    html_puts(h, "</td>");
    html_count_cell(h, cycles);
    html_puts(h, "<td class=\"place\">");
    if (most) {
        bool linked = html_line_link(h, most->file, most->line);
        html_place(h, most->file, most->line);
        html_puts(h, linked ? "</a> (" : " (");
        html_share(h, most->stalls[reason], cycles);
        html_puts(h, ")");
    }
    html_puts(h, "</td></tr>\n");
}

void html_stalls(struct html *h)
{
    uint64_t sums[SIM_STALL_COUNT] = {0};
    bool told[SIM_STALL_COUNT] = {false};
    for (size_t i = 0; i < h->lines.count; i++)
        for (unsigned r = 0; r < SIM_STALL_COUNT; r++)
            sums[r] += h->lines.items[i].stalls[r];
    html_scroll_begin(h, "What warps waited for");
    html_puts(h, "<table>\n<caption>Cycles of all warps by what they waited for (modelled). A wait is charged to the "
                 "instruction that could not go on, not to the one that it waited for.</caption>\n<thead><tr>");
    html_head_cell(h, "Reason", false);
    html_head_cell(h, "The warp waited for", false);
    html_head_cell(h, "Share", false);
    html_head_cell(h, "Warps' cycles", true);
    html_head_cell(h, "Most of it at", false);
    html_puts(h, "</tr></thead>\n<tbody>\n");
    for (;;) {
        unsigned most = SIM_STALL_COUNT;
        for (unsigned r = 0; r < SIM_STALL_COUNT; r++)
            if (!told[r] && sums[r] > 0 && (most == SIM_STALL_COUNT || sums[r] > sums[most]))
                most = r;
        if (most == SIM_STALL_COUNT)
            break;
        told[most] = true;
        put_stall_row(h, most, sums[most]);
    }
    html_puts(h, "</tbody></table>\n");
    html_scroll_end(h);
}
