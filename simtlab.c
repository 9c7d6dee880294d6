/* The embeddable library: simtlab.h on top of the layers. It adds no logic of its own; a launch line is a line of a
 * launch list, bound and run as the command does. */
#include "simtlab.h"

#include "report/report.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

struct simtlab_module {
    struct isa_module *isa;
};

struct simtlab_result {
    struct sim_memory memory;
    struct sim_named_buffers named;
    struct sim_report report;
    char *json;
    struct base_arena arena; /* of the bound arguments */
    struct sim_bound bound;
};

const char *simtlab_version(void)
{
    return SIMTLAB_VERSION;
}

const char *simtlab_device_name(size_t index)
{
    return index < sim_device_count() ? sim_device_at(index)->name : NULL;
}

int simtlab_device_find(const char *name)
{
    return sim_device_find(name) ? 0 : -1;
}

static enum simtlab_status status_of(enum base_status status)
{
    switch (status) {
    case BASE_OK:
        return SIMTLAB_OK;
    case BASE_UNSUPPORTED:
        return SIMTLAB_UNSUPPORTED;
    case BASE_NOMEM:
        return SIMTLAB_NOMEM;
    case BASE_INVALID:
    case BASE_IO:
        break;
    }
    return SIMTLAB_INVALID;
}

/* Moves the messages to *errors. */
static void hand_out(struct base_diags *diags, char **errors)
{
    struct base_strbuf text = {0};
    base_diags_print(diags, &text);
    if (errors)
        *errors = text.length > 0 ? base_strbuf_take(&text) : NULL;
    base_strbuf_free(&text);
    base_diags_free(diags);
}

enum simtlab_status simtlab_module_load(const char *name, const char *text, size_t size, struct simtlab_module **out,
                                        char **errors)
{
    struct base_diags diags = {0};
    *out = NULL;
    struct simtlab_module *module = calloc(1, sizeof(*module));
    enum base_status status = module ? isa_ptx_read(name, text, size, &module->isa, &diags) : BASE_NOMEM;
    if (status == BASE_OK)
        *out = module;
    else
        free(module);
    hand_out(&diags, errors);
    return status_of(status);
}

void simtlab_module_free(struct simtlab_module *module)
{
    if (!module)
        return;
    isa_module_free(module->isa);
    free(module);
}

/* sim_file_reader: the library opens no files. */
static enum base_status no_files(void *user, const char *path, uint8_t *data, uint64_t size_bytes, char *message,
                                 size_t message_size)
{
    static const char words[] = "the library opens no files";
    (void)user, (void)path, (void)data, (void)size_bytes;
    if (message_size > 0) {
        size_t length = sizeof(words) <= message_size ? sizeof(words) - 1 : message_size - 1;
        memcpy(message, words, length);
        message[length] = '\0';
    }
    return BASE_IO;
}

static enum base_status parse_line(const char *launch, struct sim_launch_list **list, struct base_diags *diags)
{
    struct base_strbuf line = {0};
    base_strbuf_puts(&line, "launch - ");
    base_strbuf_puts(&line, launch);
    enum base_status status =
        line.failed ? BASE_NOMEM : sim_launch_list_parse("launch", line.data, line.length, list, diags);
    base_strbuf_free(&line);
    if (status == BASE_OK && (*list)->count != 1) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "expected one launch, found %zu", (*list)->count);
        status = BASE_INVALID;
    }
    return status;
}

static enum base_status run(const struct isa_module *module, const struct sim_launch_list *list,
                            const struct simtlab_options *options, struct simtlab_result *result,
                            struct base_diags *diags)
{
    const struct sim_launch_text *text = &list->items[0];
    const struct sim_device *device = sim_device_find(options->device ? options->device : "h200");
    uint32_t kernel = 0;
    if (!device) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "no device '%s'", options->device);
        return BASE_INVALID;
    }
    bool cycles = options->mode == NULL || strcmp(options->mode, "cycles") == 0;
    if (!cycles && strcmp(options->mode, "counts") != 0) {
        base_diag_add(diags, BASE_ERROR, NULL, 0, 0, "no mode '%s'; there are counts and cycles", options->mode);
        return BASE_INVALID;
    }
    enum base_status status = isa_find_kernel(module, text->kernel, &kernel, diags);
    if (status == BASE_OK)
        status = sim_args_bind(module, kernel, &list->source, text->args, text->arg_count, &result->memory,
                               &result->named, no_files, NULL, &result->arena, &result->bound, diags);
    struct sim_options run_options = {.device = device,
                                      .cycles = cycles,
                                      .scheduler = SIM_SCHEDULER_CGGTY,
                                      .max_instructions = options->max_instructions > 0 ? options->max_instructions
                                                                                        : SIM_MAX_INSTRUCTIONS_DEFAULT};
    if (status == BASE_OK)
        status = sim_run(module, kernel, text, &result->bound, &result->memory, &run_options, &result->report, diags);
    return status;
}

enum simtlab_status simtlab_run(const struct simtlab_module *module, const char *launch,
                                const struct simtlab_options *options, struct simtlab_result **out, char **errors)
{
    static const struct simtlab_options defaults = {0};
    struct base_diags diags = {0};
    struct sim_launch_list *list = NULL;
    struct base_strbuf json = {0};
    options = options ? options : &defaults;
    *out = NULL;
    struct simtlab_result *result = calloc(1, sizeof(*result));
    if (!result) {
        hand_out(&diags, errors);
        return SIMTLAB_NOMEM;
    }
    sim_memory_init(&result->memory, options->memory_limit_bytes);
    base_arena_init(&result->arena, 0);
    enum base_status status = parse_line(launch, &list, &diags);
    if (status == BASE_OK)
        status = run(module->isa, list, options, result, &diags);
    if (status == BASE_OK) {
        report_json(&result->report, NULL, SIMTLAB_VERSION, &json);
        result->json = base_strbuf_take(&json);
        status = result->json ? BASE_OK : BASE_NOMEM;
    }
    base_strbuf_free(&json);
    enum simtlab_status answer = status_of(status);
    if (status == BASE_OK) {
        *out = result;
        answer = result->report.status == SIM_RUN_FAULT ? SIMTLAB_FAULT : SIMTLAB_OK;
    } else {
        simtlab_result_free(result);
    }
    if (list)
        sim_launch_list_free(list);
    hand_out(&diags, errors);
    return answer;
}

void simtlab_result_free(struct simtlab_result *result)
{
    if (!result)
        return;
    sim_report_free(&result->report);
    sim_named_buffers_free(&result->named);
    sim_memory_free(&result->memory);
    base_arena_free(&result->arena);
    free(result->json);
    free(result);
}

const char *simtlab_result_json(const struct simtlab_result *result)
{
    return result->json;
}

int simtlab_result_metric(const struct simtlab_result *result, const char *name, double *value)
{
    const struct sim_metric *metric = sim_report_metric(&result->report, name);
    if (!metric)
        return -1;
    *value = metric->is_integer ? (double)metric->integer : metric->real;
    return 0;
}

const void *simtlab_result_buffer(const struct simtlab_result *result, size_t index, size_t *size_bytes)
{
    if (index >= result->bound.arg_count || !result->bound.args[index].has_buffer)
        return NULL;
    const struct sim_bound_arg *arg = &result->bound.args[index];
    *size_bytes = (size_t)arg->size_bytes;
    return sim_memory_at(&result->memory, arg->address, arg->size_bytes);
}

void simtlab_string_free(char *text)
{
    free(text);
}
