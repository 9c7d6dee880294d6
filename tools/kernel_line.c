/* banks and sectors of an instruction that really ran: --kernel-line. The launch is told as for run; what the line's
 * instructions did is captured on the way. */
#include "tools/tool.h"

#include "advise/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct job {
    bool shared;
    struct tool_patterns *patterns;
    struct advise_capture capture;
};

static bool read_place(const char *text, struct tool_patterns *p, struct advise_capture *capture)
{
    const char *colon = strrchr(text, ':'), *digits = colon ? colon + 1 : text;
    char *end = NULL;
    unsigned long line = digits[0] >= '0' && digits[0] <= '9' ? strtoul(digits, &end, 10) : 0;
    if (line == 0 || line > UINT32_MAX || *end != '\0' || colon == text) {
        tool_error("--kernel-line=%s: expected FILE:LINE or LINE", text);
        return false;
    }
    capture->line = (uint32_t)line;
    if (colon)
        capture->file = base_arena_strndup(&p->arena, text, (size_t)(colon - text));
    return true;
}

/* A text that lives as long as the patterns. */
static const char *kept(struct tool_patterns *p, struct base_strbuf *text)
{
    const char *copy = text->failed ? NULL : base_arena_strndup(&p->arena, text->data, text->length);
    base_strbuf_free(text);
    return copy;
}

static const char *text_of(struct tool_patterns *p, const struct advise_capture *capture,
                           const struct advise_captured *item)
{
    struct base_strbuf text = {0};
    const char *file = NULL;
    uint32_t line = 0;
    isa_insn_location(capture->module, item->insn, &file, &line);
    const char *slash = file ? strrchr(file, '/') : NULL;
    base_strbuf_printf(&text, "%s:%u ", slash ? slash + 1 : file ? file : "", line);
    isa_print_insn(capture->module, item->function, item->insn, &text);
    while (text.length > 0 && (text.data[text.length - 1] == ';' || text.data[text.length - 1] == ' '))
        text.length--;
    return kept(p, &text);
}

static const char *who_of(struct tool_patterns *p, const struct advise_captured *item, uint32_t which, uint64_t base)
{
    struct base_strbuf text = {0};
    advise_captured_who(item, which, base, &text);
    return kept(p, &text);
}

static bool take_patterns(const struct tool_options *options, const struct job *job)
{
    const struct advise_capture *capture = &job->capture;
    struct tool_patterns *p = job->patterns;
    uint64_t base = 0;
    const char *space = job->shared ? "shared" : "global";
    if (capture->count == 0) {
        tool_error(capture->line_seen ? "--kernel-line=%s: no instruction of it accessed %s memory"
                                      : "--kernel-line=%s: no instruction that accesses memory ran on that line; "
                                        "run tells the lines of a kernel's %s accesses",
                   options->picture.kernel_line, space);
        return false;
    }
    if (advise_captured_patterns(capture->items, capture->count, capture->device, capture->shared, &p->arena, &p->array,
                                 p->patterns, &base) != BASE_OK)
        return false;
    p->count = capture->count;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct advise_captured *item = capture->items[i];
        uint32_t which = p->warp == UINT32_MAX ? item->worst : p->warp;
        if (which >= item->kept_count) {
            tool_error("--warp=%u: the line has %u different executions that were kept", which, item->kept_count);
            return false;
        }
        p->patterns[i]->text = text_of(p, capture, item);
        p->patterns[i]->who = who_of(p, item, which, base);
        if (!p->patterns[i]->text || !p->patterns[i]->who)
            return false;
    }
    if (capture->dropped)
        tool_error("--kernel-line=%s: only the first %d of its instructions are drawn", options->picture.kernel_line,
                   ADVISE_ACCESS_MAX);
    return true;
}

/* A tool_launch_body. */
static enum tool_exit run_and_capture(struct tool_launch *launch, struct base_diags *diags, void *user)
{
    struct job *job = user;
    struct sim_report report;
    launch->access_hook = advise_capture_access;
    launch->access_user = &job->capture;
    job->capture.module = launch->module;
    enum base_status status = tool_launch_run(launch, &report, diags);
    enum tool_exit answer = tool_exit_of(status, &report);
    tool_print_diags(diags);
    if (answer == TOOL_FAULT)
        tool_error("the kernel faulted; the picture is of what ran before (simtlab run tells of the fault)");
    if (job->capture.failed)
        tool_error("out of memory");
    if (job->capture.failed || (answer != TOOL_ERROR && !take_patterns(launch->options, job)))
        answer = TOOL_ERROR;
    sim_report_free(&report);
    return answer;
}

enum tool_exit tool_patterns_run(const struct tool_options *options, const struct sim_device *device, bool shared,
                                 struct tool_patterns *p)
{
    const struct tool_picture_options *picture = &options->picture;
    struct job job = {.shared = shared, .patterns = p, .capture = {.device = device, .shared = shared}};
    struct tool_options counts = *options;
    if (picture->has_stride || picture->index || picture->condition || picture->width_bytes > 0 ||
        picture->defines.count > 0 || picture->offset > 0 || picture->has_at) {
        tool_error("--kernel-line looks at a real launch: --stride, --index, --if, --width, -D, --offset and --at "
                   "belong to expressions");
        return TOOL_ERROR;
    }
    if (!read_place(picture->kernel_line, p, &job.capture))
        return TOOL_ERROR;
    p->from_run = true;
    p->warp = picture->has_warp && !picture->worst_warp ? picture->warp : UINT32_MAX;
    counts.cycles_mode = false;
    counts.checks = 0;
    enum tool_exit answer = tool_launch_told(&counts, device, run_and_capture, &job);
    advise_capture_free(&job.capture);
    return answer;
}
