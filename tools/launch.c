/* One launch: find the kernel, bind the arguments, run, write the --dump files. Whatever fails on the way becomes a
 * report with status invalid or unsupported, so that a list's output has one object for each of its lines. */
#include "tools/tool.h"

#include "report/trace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct file_reader {
    const char *beside;
};

/* sim_file_reader: exactly so many bytes. */
static enum base_status read_buffer(void *user, const char *path, uint8_t *data, uint64_t size_bytes, char *message,
                                    size_t message_size)
{
    const struct file_reader *reader = user;
    char *full = tool_path_beside(reader->beside, path);
    struct base_strbuf why = {0};
    struct tool_file file = {0};
    enum base_status status = BASE_NOMEM;
    if (full && size_bytes < SIZE_MAX)
        status = tool_file_read(full, (size_t)size_bytes, &file, &why);
    if (status == BASE_OK && file.size != size_bytes) {
        base_strbuf_printf(&why, "has %zu bytes", file.size);
        status = BASE_IO;
    }
    if (status == BASE_OK && size_bytes > 0)
        memcpy(data, file.data, (size_t)size_bytes);
    else if (status != BASE_OK)
        snprintf(message, message_size, "%s: %s", full ? full : path, why.data ? why.data : "out of memory");
    base_strbuf_free(&why);
    free(file.data);
    free(full);
    return status;
}

static const char *first_error(const struct base_diags *diags)
{
    for (size_t i = 0; i < diags->count; i++) {
        if (diags->items[i].severity == BASE_ERROR && diags->items[i].message)
            return diags->items[i].message;
    }
    return NULL;
}

static const char *keep(struct base_arena *arena, const char *text)
{
    return text ? base_arena_strndup(arena, text, strlen(text)) : NULL;
}

/* The report of a launch that never reached the engine. */
static enum base_status refuse(const struct tool_launch *launch, enum base_status status,
                               const struct base_diags *diags, struct sim_report *report)
{
    const struct sim_launch_text *text = launch->text;
    base_arena_init(&report->arena, 0);
    report->name = keep(&report->arena, text->name);
    report->file = keep(&report->arena, text->file);
    report->kernel = keep(&report->arena, text->kernel);
    report->device = keep(&report->arena, launch->device->name);
    report->cycles_mode = launch->options->cycles_mode;
    report->status = status == BASE_UNSUPPORTED ? SIM_RUN_UNSUPPORTED : SIM_RUN_INVALID;
    const char *why = first_error(diags);
    report->message = keep(&report->arena, why ? why : base_status_name(status));
    memcpy(report->grid, text->grid, sizeof(report->grid));
    memcpy(report->block, text->block, sizeof(report->block));
    memcpy(report->cluster, text->cluster, sizeof(report->cluster));
    report->shared_dynamic_bytes = text->shared_bytes;
    return report->arena.failed ? BASE_NOMEM : status;
}

static enum base_status write_dumps(const struct tool_launch *launch, const struct sim_bound *bound,
                                    struct base_diags *diags)
{
    const struct tool_options *options = launch->options;
    for (size_t i = 0; i < options->dumps.count; i++) {
        const struct tool_dump *dump = &options->dumps.data[i];
        const struct sim_bound_arg *arg = &bound->args[dump->arg];
        const uint8_t *data = sim_memory_at(launch->memory, arg->address, arg->size_bytes);
        struct tool_output output;
        enum base_status status = data ? tool_output_open(&output, dump->path, diags) : BASE_IO;
        if (status == BASE_OK) {
            tool_output_write(&output, data, (size_t)arg->size_bytes);
            status = tool_output_close(&output, true);
        }
        if (status != BASE_OK)
            return status;
    }
    return BASE_OK;
}

/* Before anything runs: --dump names buffers. */
static enum base_status check_dumps(const struct tool_launch *launch, const struct sim_bound *bound,
                                    struct base_diags *diags)
{
    for (size_t i = 0; i < launch->options->dumps.count; i++) {
        uint32_t arg = launch->options->dumps.data[i].arg;
        if (arg >= bound->arg_count || !bound->args[arg].has_buffer) {
            base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "--dump=%u: argument %u is not a buffer", arg, arg);
            return BASE_INVALID;
        }
    }
    return BASE_OK;
}

/* --trace: the launch's own listener too, if it has one. */
struct listeners {
    struct advise_timeline timeline;
    sim_clock_hook *other;
    void *other_user;
};

static void hear(void *user, const struct sim_clock_event *event)
{
    struct listeners *listeners = user;
    advise_timeline_event(&listeners->timeline, event);
    if (listeners->other)
        listeners->other(listeners->other_user, event);
}

static enum base_status write_trace(const struct tool_launch *launch, const struct listeners *listeners,
                                    const struct sim_report *report, struct base_diags *diags)
{
    const char *path = launch->options->trace;
    struct base_strbuf out = {0}, left_out = {0};
    struct tool_output output;
    report_trace(&listeners->timeline, report, SIMTLAB_VERSION, &out);
    enum base_status status = out.failed || listeners->timeline.failed ? BASE_NOMEM : BASE_OK;
    if (status == BASE_OK)
        status = tool_output_open(&output, path, diags);
    if (status == BASE_OK) {
        tool_output_write(&output, out.data, out.length);
        status = tool_output_close(&output, true);
    }
    if (status == BASE_OK && report_trace_left_out(&listeners->timeline, &left_out))
        base_diag_add(diags, BASE_WARNING, NULL, 0, 0, "--trace=%s: %s; --trace-limit says how many", path,
                      left_out.data);
    base_strbuf_free(&left_out);
    base_strbuf_free(&out);
    return status;
}

uint32_t tool_threads_wanted(const struct tool_options *options)
{
    if (options->jobs > 0)
        return options->jobs;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 ? (uint32_t)processors : 1;
}

static enum base_status run_bound(const struct tool_launch *launch, uint32_t kernel, const struct sim_bound *bound,
                                  struct sim_report *report, struct base_diags *diags)
{
    struct sim_launch_text text = *launch->text;
    if (text.regs == 0)
        text.regs = launch->options->regs;
    if (text.carveout_percent < 0)
        text.carveout_percent = launch->options->carveout_percent;
    struct sim_options options = {
        .device = launch->device,
        .cycles = launch->options->cycles_mode,
        .checks = launch->options->checks,
        .scheduler = launch->options->scheduler,
        .threads = launch->threads,
        .shuffle_blocks = launch->options->shuffle_blocks,
        .block_order_seed = launch->options->block_order_seed,
        .l2_changed = launch->options->l2_changed,
        .bypass_l1 = launch->options->bypass_l1,
        .max_registers = launch->options->max_registers,
        .max_instructions = launch->options->max_instructions,
        .progress = launch->progress,
        .progress_user = launch->progress_user,
        .access_hook = launch->access_hook,
        .access_user = launch->access_user,
        .clock_hook = launch->clock_hook,
        .clock_user = launch->clock_user,
    };
    struct listeners listeners = {.timeline = {.limit = launch->options->trace_limit},
                                  .other = launch->clock_hook,
                                  .other_user = launch->clock_user};
    if (launch->options->trace) {
        options.clock_hook = hear;
        options.clock_user = &listeners;
    }
    enum base_status status = sim_run(launch->module, kernel, &text, bound, launch->memory, &options, report, diags);
    if (status == BASE_OK)
        status = write_dumps(launch, bound, diags);
    if (status == BASE_OK && launch->options->trace)
        status = write_trace(launch, &listeners, report, diags);
    advise_timeline_free(&listeners.timeline);
    return status;
}

enum base_status tool_launch_run(const struct tool_launch *launch, struct sim_report *report, struct base_diags *diags)
{
    struct base_arena arena;
    struct sim_bound bound = {0};
    struct file_reader reader = {.beside = launch->beside};
    uint32_t kernel = 0;
    *report = (struct sim_report){0};
    if (!launch->module)
        return refuse(launch, launch->module_status, diags, report);
    base_arena_init(&arena, 0);
    enum base_status status = isa_find_kernel(launch->module, launch->text->kernel, &kernel, diags);
    if (status == BASE_OK)
        status = sim_args_bind(launch->module, kernel, launch->source, launch->text->args, launch->text->arg_count,
                               launch->memory, launch->named, read_buffer, &reader, &arena, &bound, diags);
    if (status == BASE_OK)
        status = check_dumps(launch, &bound, diags);
    if (status == BASE_OK)
        status = run_bound(launch, kernel, &bound, report, diags);
    else
        status = refuse(launch, status, diags, report);
    if (status != BASE_OK && diags->errors == 0)
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "%s",
                      report->message ? report->message : base_status_name(status));
    base_arena_free(&arena);
    return status;
}

enum tool_exit tool_exit_of(enum base_status status, const struct sim_report *report)
{
    if (status != BASE_OK || report->status == SIM_RUN_INVALID || report->status == SIM_RUN_UNSUPPORTED)
        return TOOL_ERROR;
    return report->status == SIM_RUN_FAULT || report->finding_count > 0 ? TOOL_FAULT : TOOL_OK;
}
