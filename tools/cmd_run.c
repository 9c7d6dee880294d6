/* simtlab run and simtlab explain: one launch, told on the command line. */
#include "tools/tool.h"

#include "advise/metric_names.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The --arg values, one a line of a text named "--arg", so that messages point into them. */
static enum base_status parse_args(const struct tool_options *options, struct base_strbuf *joined,
                                   struct base_source *source, struct base_arena *arena, struct sim_launch_text *text,
                                   struct base_diags *diags)
{
    size_t count = options->args.count;
    for (size_t i = 0; i < count; i++) {
        base_strbuf_puts(joined, options->args.data[i]);
        base_strbuf_putc(joined, '\n');
    }
    struct sim_arg *args = base_arena_alloc(arena, count, sizeof(*args));
    if (joined->failed || !args)
        return BASE_NOMEM;
    *source = (struct base_source){.name = "--arg", .text = joined->data ? joined->data : "", .size = joined->length};
    enum base_status status = BASE_OK;
    for (size_t i = 0, offset = 0; i < count; i++) {
        size_t length = strlen(options->args.data[i]);
        enum base_status one = sim_arg_parse(source, offset, length, arena, &args[i], diags);
        if (one != BASE_OK)
            status = one;
        offset += length + 1;
    }
    text->args = args;
    text->arg_count = count;
    return status;
}

struct progress {
    const char *kernel;
    time_t started, last;
};

static bool show_progress(void *user, uint64_t blocks_done, uint64_t blocks_total, uint64_t warp_instructions)
{
    struct progress *progress = user;
    time_t now = time(NULL);
    if (now > progress->last && now > progress->started + 1) {
        progress->last = now;
        struct base_strbuf text = {0};
        base_strbuf_printf(&text, "%s: %llu of %llu blocks, %.3g warp instructions ", progress->kernel,
                           (unsigned long long)blocks_done, (unsigned long long)blocks_total,
                           (double)warp_instructions);
        base_strbuf_plain(&text);
        fprintf(stderr, "\r%s", text.data ? text.data : "");
        fflush(stderr);
        base_strbuf_free(&text);
    }
    return true;
}

/* What is written: all about the launch, or what there is to say about it. */
struct run {
    bool only_advice;
};

static void write_html(const struct tool_launch *launch, const struct sim_report *report, struct tool_html *html,
                       struct base_strbuf *out)
{
    const char *slash = strrchr(launch->text->file, '/');
    tool_html_make(html, launch, report, 1);
    tool_html_page(html, 1, slash ? slash + 1 : launch->text->file, out);
}

/* advice: NULL when nobody watched. */
static void write_report(const struct tool_options *options, const struct run *run, const struct sim_device *device,
                         const struct sim_report *report, const struct report_advice *advice, struct base_strbuf *out)
{
    if (options->format == TOOL_JSON) {
        report_json(report, advice, SIMTLAB_VERSION, out);
        return;
    }
    base_strbuf_append(out, report->printed_length > 0 ? report->printed : "", report->printed_length);
    out->plain_bytes = out->length; /* the kernel's own output, byte for byte */
    if (options->format == TOOL_CSV) {
        char cc[32];
        snprintf(cc, sizeof(cc), "%u.%u", device->compute_major, device->compute_minor);
        report_csv((const struct sim_report *const *)&report, 1, cc, out);
        return;
    }
    struct tool_sources sources = {.beside = report->file};
    struct report_text_options text = {.colour = !options->output && isatty(STDOUT_FILENO),
                                       .source_line = tool_sources_line,
                                       .user = &sources,
                                       .advice = advice,
                                       .metrics = options->metrics,
                                       .only_advice = run->only_advice};
    report_text(report, &text, out);
    tool_sources_free(&sources);
}

/* Every name of --metrics that means nothing is told. report: NULL before the launch, when it is not known what is
 * absent of this one because there is nothing of its kind. */
static bool metrics_are_known(const struct tool_launch *launch, const struct sim_report *report)
{
    const struct tool_options *options = launch->options;
    const struct advise_metric_launch what = {.is_machine = launch->module->form == ISA_FORM_SASS,
                                              .has_registers = options->regs != 0,
                                              .has_clock = options->cycles_mode};
    bool good = true;
    for (const char *at = options->metrics; at && *at != '\0';) {
        const size_t length = strcspn(at, ",");
        char *name = strndup(at, length);
        struct base_strbuf why = {0};
        struct sim_metric metric;
        if (report && name && !advise_metric_named(report, name, &metric))
            advise_metric_missing(report, name, &why);
        if (!name || why.length > 0 || (!report && !advise_metric_possible(&what, name, &why))) {
            tool_error("--metrics: %s", why.data ? why.data : "out of memory");
            good = false;
        }
        base_strbuf_free(&why);
        free(name);
        at += length + (at[length] == ',');
    }
    return good;
}

/* A tool_launch_body. */
static enum tool_exit run_launch(struct tool_launch *launch, struct base_diags *diags, void *user)
{
    const struct run *run = user;
    const struct tool_options *options = launch->options;
    struct sim_report report;
    struct tool_advice advice = {0};
    struct base_strbuf out = {0};
    struct tool_html html = {0};
    struct progress progress = {.kernel = launch->text->kernel ? launch->text->kernel : launch->text->file,
                                .started = time(NULL)};
    if (!metrics_are_known(launch, NULL))
        return TOOL_ERROR;
    if (!options->quiet && isatty(STDERR_FILENO)) {
        launch->progress = show_progress;
        launch->progress_user = &progress;
    }
    /* Counts alone are wanted fast: nobody watches then but for explain and for pictures. */
    bool watched = run->only_advice || (options->cycles_mode && options->format != TOOL_CSV);
    if (options->format == TOOL_HTML)
        tool_html_begin(&html, launch);
    else if (watched)
        tool_advice_begin(&advice, launch);
    enum base_status status = tool_launch_run(launch, &report, diags);
    if (progress.last > 0)
        fputs("\r\033[K", stderr);
    tool_print_diags(diags);
    enum tool_exit answer = tool_exit_of(status, &report);
    if (answer != TOOL_ERROR || options->format == TOOL_JSON) {
        bool explained = options->format != TOOL_HTML && watched && status == BASE_OK && report.status == SIM_RUN_OK &&
                         tool_advice_make(&advice, launch, &report);
        if (options->format == TOOL_HTML)
            write_html(launch, &report, &html, &out);
        else
            write_report(options, run, launch->device, &report, explained ? &advice.shown : NULL, &out);
        if (tool_output_text(options, &out) != TOOL_OK)
            answer = TOOL_ERROR;
        if (status == BASE_OK && report.status == SIM_RUN_OK && !metrics_are_known(launch, &report))
            answer = TOOL_ERROR;
    }
    tool_html_free(&html);
    base_strbuf_free(&out);
    tool_advice_free(&advice);
    sim_report_free(&report);
    return answer;
}

static bool is_complete(const struct tool_options *options)
{
    const char *name = options->command->name;
    if (options->operand_count < 1 || options->operand_count > 2)
        tool_error("%s needs FILE and may have KERNEL; see simtlab %s --help", name, name);
    else if (options->grid[0] == 0 || options->block[0] == 0)
        tool_error("%s needs --grid X[,Y[,Z]] and --block X[,Y[,Z]]", name);
    else
        return true;
    return false;
}

static struct sim_launch_text launch_text(const struct tool_options *options)
{
    struct sim_launch_text text = {
        .file = options->operands[0],
        .kernel = options->operand_count > 1 ? options->operands[1] : NULL,
        .cluster = {1, 1, 1},
        .has_cluster = options->cluster[0] > 0,
        .shared_bytes = options->shared_bytes,
        .cooperative = options->cooperative,
        .carveout_percent = options->carveout_percent,
        .regs = options->regs,
    };
    memcpy(text.grid, options->grid, sizeof(text.grid));
    memcpy(text.block, options->block, sizeof(text.block));
    if (text.has_cluster)
        memcpy(text.cluster, options->cluster, sizeof(text.cluster));
    return text;
}

enum tool_exit tool_launch_told(const struct tool_options *options, const struct sim_device *device,
                                tool_launch_body *body, void *user)
{
    struct base_arena arena;
    struct base_diags diags = {0};
    struct base_strbuf joined = {0};
    struct base_source source;
    struct sim_memory memory;
    struct sim_named_buffers named = {0};
    struct isa_module *module = NULL;
    if (!is_complete(options))
        return TOOL_ERROR;
    struct sim_launch_text text = launch_text(options);
    base_arena_init(&arena, 0);
    sim_memory_init(&memory, 0);
    enum tool_exit answer = TOOL_ERROR;
    enum base_status status = parse_args(options, &joined, &source, &arena, &text, &diags);
    if (status == BASE_OK)
        status = tool_module_load(options, text.file, &module, &diags);
    if (status == BASE_OK) {
        struct tool_launch launch = {.text = &text,
                                     .source = &source,
                                     .module = module,
                                     .memory = &memory,
                                     .named = &named,
                                     .options = options,
                                     .device = device,
                                     .threads = tool_threads_wanted(options)};
        answer = body(&launch, &diags, user);
    } else {
        tool_print_diags(&diags);
    }
    base_diags_free(&diags);
    if (module)
        isa_module_free(module);
    sim_named_buffers_free(&named);
    sim_memory_free(&memory);
    base_arena_free(&arena);
    base_strbuf_free(&joined);
    return answer;
}

static enum tool_exit run_or_explain(const struct tool_options *options, bool only_advice)
{
    struct sim_device device;
    struct run run = {.only_advice = only_advice};
    if (tool_device_load(options->device, &device) != BASE_OK)
        return TOOL_ERROR;
    return tool_launch_told(options, &device, run_launch, &run);
}

enum tool_exit tool_run(const struct tool_options *options)
{
    return run_or_explain(options, false);
}

enum tool_exit tool_explain(const struct tool_options *options)
{
    return run_or_explain(options, true);
}
