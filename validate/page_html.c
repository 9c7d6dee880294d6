/* A comparison as a page for a browser: one table a launch, closed where all agrees. See page.h. */
#include "validate/page.h"

#include "report/escape.h"

#include <math.h>
#include <string.h>

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>simtlab compare</title>\n<style>\n"
    "body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:72em;padding:0 1em;color:#1c1c1c;"
    "background:#fff}\n"
    "table{border-collapse:collapse;width:100%;margin:.5em 0}\n"
    "th,td{text-align:left;padding:.15em .6em;border-bottom:1px solid #e2e2e2}\n"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\n"
    "code{font-family:ui-monospace,monospace;font-size:.93em}\n"
    "summary{cursor:pointer;padding:.25em 0}\n"
    "tr.explained td{background:#fff6dd}tr.differs td{background:#ffe3e0}\n"
    "p.alone{background:#ffe3e0}.why{color:#5a4300;font-size:.93em}.mark{display:inline-block;width:6em}\n"
    "@media (prefers-color-scheme:dark){body{background:#181818;color:#e6e6e6}th,td{border-color:#3a3a3a}"
    "tr.explained td{background:#3b3212}tr.differs td,p.alone{background:#4a1f1b}.why{color:#e5cf8a}}\n"
    "</style></head><body>\n";

static void escape(struct base_strbuf *out, const char *text)
{
    report_escape(out, text, strlen(text));
}

static void row_html(const struct validate_row *row, struct base_strbuf *out)
{
    base_strbuf_printf(out, "<tr class=\"%s\"><td>%s</td><td><code>", validate_verdict_names[row->verdict],
                       validate_class_name(row->class));
    escape(out, row->name);
    base_strbuf_puts(out, "</code></td><td class=\"n\">");
    escape(out, row->sim_shown);
    base_strbuf_puts(out, "</td><td class=\"n\">");
    escape(out, row->gpu_shown);
    base_strbuf_puts(out, "</td><td class=\"n\">");
    if (row->is_number && !isnan(row->error_pct) && row->error_pct != 0)
        base_strbuf_printf(out, "%+.1f&nbsp;%%", row->error_pct);
    base_strbuf_printf(out, "</td><td>%s", validate_verdict_names[row->verdict]);
    if (row->class == VALIDATE_MODELLED && row->tolerance_pct > 0)
        base_strbuf_printf(out, " (%g&nbsp;%% allowed)", row->tolerance_pct);
    base_strbuf_puts(out, "</td></tr>\n");
    if (row->reason) {
        base_strbuf_puts(out, "<tr class=\"explained\"><td></td><td colspan=\"5\" class=\"why\">");
        escape(out, row->reason);
        base_strbuf_puts(out, "</td></tr>\n");
    }
}

static void pair_html(const struct validate_comparison *c, const struct validate_pair *pair, struct base_strbuf *out)
{
    bool agrees = pair->exact.differ == 0 && pair->modelled.differ == 0;
    size_t explained = pair->exact.explained + pair->modelled.explained;
    const struct validate_words *words = validate_words_of(c);
    base_strbuf_printf(out, "<details%s><summary><span class=\"mark\">%s</span><b>", agrees ? "" : " open",
                       !agrees         ? "differs"
                       : explained > 0 ? "explained"
                                       : "agrees");
    escape(out, validate_launch_name(pair->sim));
    base_strbuf_puts(out, "</b>, kernel <code>");
    escape(out, pair->sim->kernel);
    base_strbuf_printf(out,
                       "</code>: %zu exact agree, %zu explained, %zu differ; %zu modelled within, %zu without"
                       "</summary>\n<table><tr><th>class</th><th>metric</th><th class=\"n\">%s</th>"
                       "<th class=\"n\">%s</th><th class=\"n\">%s</th><th>verdict</th></tr>\n",
                       pair->exact.agree, pair->exact.explained, pair->exact.differ, pair->modelled.agree,
                       pair->modelled.differ, words->first, words->second, words->change);
    for (size_t i = 0; i < pair->rows.count; i++)
        row_html(&pair->rows.data[i], out);
    base_strbuf_puts(out, "</table></details>\n");
}

void validate_html(const struct validate_comparison *c, const struct validate_page *page, struct base_strbuf *out)
{
    base_strbuf_puts(out, head);
    base_strbuf_printf(out, "<h1>%s</h1>\n", c->both_simulated ? "Two simulations" : "Simulated and measured");
    base_strbuf_puts(out, "<p><code>");
    escape(out, c->sim->name);
    base_strbuf_puts(out, "</code> with <code>");
    escape(out, c->gpu->name);
    base_strbuf_printf(out, "</code>, by simtlab %s. ", page->version);
    validate_summary(c, out);
    base_strbuf_puts(out, "</p>\n");
    for (size_t i = 0; i < c->pairs.count; i++)
        pair_html(c, &c->pairs.data[i], out);
    for (size_t i = 0; i < c->alone.count; i++) {
        base_strbuf_puts(out, c->alone.data[i].counts ? "<p class=\"alone\">" : "<p>");
        escape(out, validate_launch_name(c->alone.data[i].launch));
        base_strbuf_puts(out, ", only in <code>");
        escape(out, c->alone.data[i].in_gpu ? c->gpu->name : c->sim->name);
        base_strbuf_printf(out, "</code>: %s</p>\n", c->alone.data[i].why);
    }
    base_strbuf_puts(out, "</body></html>\n");
}
