/* --format html: what is watched while a launch runs, and the page of one launch or of many. */
#include "tools/tool.h"

#include "report/html.h"

#include <stdlib.h>
#include <string.h>

enum { TIMELINE = 500000, TIMELINE_BRIEF = 100000 }; /* events */
enum { BRIEF_FROM = 8 };                             /* launches of a page */

void tool_html_begin(struct tool_html *html, struct tool_launch *launch)
{
    tool_advice_begin(&html->advice, launch);
    html->timeline.limit = html->brief ? TIMELINE_BRIEF : TIMELINE;
    launch->clock_hook = advise_timeline_event;
    launch->clock_user = &html->timeline;
}

void tool_html_make(struct tool_html *html, const struct tool_launch *launch, const struct sim_report *report,
                    size_t number)
{
    struct base_arena arena;
    struct sim_occupancy_study study;
    char *path = launch->beside ? tool_path_beside(launch->beside, launch->text->file) : NULL;
    struct tool_sources sources = {.beside = path ? path : launch->text->file};
    uint32_t cluster = report->cluster[0] * report->cluster[1] * report->cluster[2];
    base_arena_init(&arena, 0);
    bool studied =
        report->has_occupancy && sim_occupancy_study_make(launch->device, &report->occupancy_query,
                                                          cluster > 0 ? cluster : 1, &arena, &study) == BASE_OK;
    bool explained = report->status == SIM_RUN_OK && tool_advice_make(&html->advice, launch, report);
    const struct report_html page = {.report = report,
                                     .device = launch->device,
                                     .number = number,
                                     .source_line = tool_sources_line,
                                     .user = &sources,
                                     .module = launch->module,
                                     .watch = &html->advice.watch,
                                     .advice = explained ? &html->advice.shown : NULL,
                                     .timeline = &html->timeline,
                                     .brief = html->brief,
                                     .study = studied ? &study : NULL};
    report_html_launch(&page, &html->article, &html->contents);
    html->article.failed |= html->advice.watch.failed || html->timeline.failed || arena.failed;
    tool_sources_free(&sources);
    free(path);
    base_arena_free(&arena);
    tool_advice_free(&html->advice);
    html->advice = (struct tool_advice){0};
    advise_timeline_free(&html->timeline);
}

void tool_html_free(struct tool_html *html)
{
    tool_advice_free(&html->advice);
    advise_timeline_free(&html->timeline);
    base_strbuf_free(&html->article);
    base_strbuf_free(&html->contents);
}

static void append(struct base_strbuf *out, const struct base_strbuf *part)
{
    if (part->length > 0)
        base_strbuf_append(out, part->data, part->length);
    out->failed |= part->failed;
}

void tool_html_page(struct tool_html *launches, size_t count, const char *title, struct base_strbuf *out)
{
    report_html_begin(out, title, SIMTLAB_VERSION, count);
    for (size_t i = 0; i < count; i++)
        append(out, &launches[i].contents);
    report_html_middle(out);
    for (size_t i = 0; i < count; i++)
        append(out, &launches[i].article);
    report_html_end(out, SIMTLAB_VERSION);
}

/* ---- Of a list ---- */

struct pages {
    const char *title;
    struct tool_html *launches;
    size_t count;
};

static enum base_status begin(void *user, const struct sim_launch_list *list, size_t count)
{
    struct pages *pages = user;
    (void)list;
    pages->launches = calloc(count + 1, sizeof(*pages->launches));
    pages->count = pages->launches ? count : 0;
    return pages->launches ? BASE_OK : BASE_NOMEM;
}

/* A tool_batch_body. It shows nothing: the page is written when all have run. */
static enum tool_exit make_launch(void *user, size_t index, struct tool_launch *launch, struct base_diags *diags,
                                  struct base_strbuf *out)
{
    struct pages *pages = user;
    struct tool_html *html = &pages->launches[index];
    struct sim_report report;
    (void)out;
    html->brief = pages->count > BRIEF_FROM;
    tool_html_begin(html, launch);
    enum base_status status = tool_launch_run(launch, &report, diags);
    enum tool_exit answer = tool_exit_of(status, &report);
    tool_html_make(html, launch, &report, index + 1);
    sim_report_free(&report);
    return answer;
}

static enum tool_exit end(void *user, struct tool_output *output)
{
    struct pages *pages = user;
    struct base_strbuf out = {0};
    tool_html_page(pages->launches, pages->count, pages->title, &out);
    bool good = !out.failed;
    if (good)
        tool_output_write(output, out.data, out.length);
    else
        tool_error("out of memory");
    base_strbuf_free(&out);
    return good ? TOOL_OK : TOOL_ERROR;
}

enum tool_exit tool_html_batch(const struct tool_options *options)
{
    const char *list = options->operand_count > 0 ? options->operands[0] : "", *slash = strrchr(list, '/');
    struct pages pages = {.title = slash ? slash + 1 : list};
    struct tool_batch_job job = {.body = make_launch, .begin = begin, .end = end, .user = &pages};
    enum tool_exit answer = tool_batch_run(options, &job);
    for (size_t i = 0; i < pages.count; i++)
        tool_html_free(&pages.launches[i]);
    free(pages.launches);
    return answer;
}
