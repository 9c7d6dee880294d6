/* simtlab batch: every launch of a list, several at a time, one line of JSON each, in list order. What is done with a
 * launch and written about it is a job's own: grade does the same with another one.
 *
 * Launches that share a buffer by name (@NAME), directly or over others, form a group: one thread runs a group in list
 * order on one memory. Other launches are groups of their own. Threads take groups; the main thread prints each result
 * as soon as all before it are printed. So the output does not depend on the number of threads.
 */
#include "tools/tool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIST_LIMIT_BYTES = 64 * 1024 * 1024 };

struct batch_module {
    char *path;
    struct isa_module *module;
    enum base_status status; /* and diags: why there is no module */
    struct base_diags diags;
};

struct batch_item {
    const struct sim_launch_text *text;
    size_t module;     /* index */
    size_t group;      /* the first item of the group */
    bool tells_module; /* the first of those whose module could not be had: it says why */
    struct base_strbuf shown, complaint;
    enum tool_exit exit;
    bool done;
};

struct batch {
    const struct tool_options *options;
    const struct tool_batch_job *job;
    const char *list_path;
    struct sim_device device;
    struct sim_launch_list *list;
    struct batch_item *items;
    size_t count;
    BASE_VEC(struct batch_module) modules;
    pthread_mutex_t lock;
    pthread_cond_t progress;
    uint32_t threads_of_launch;
    size_t next; /* first item that no thread has looked at; under the lock */
};

static bool is_wanted(const struct tool_options *options, const char *name)
{
    for (size_t i = 0; i < options->only.count; i++) {
        if (strcmp(options->only.data[i], name) == 0)
            return true;
    }
    return options->only.count == 0;
}

static bool has_launch(const struct sim_launch_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].name, name) == 0)
            return true;
    }
    return false;
}

static enum base_status select_items(struct batch *batch)
{
    const struct tool_options *options = batch->options;
    for (size_t i = 0; i < options->only.count; i++) {
        if (!has_launch(batch->list, options->only.data[i])) {
            tool_error("--only %s: no launch of that name in %s", options->only.data[i], batch->list_path);
            return BASE_INVALID;
        }
    }
    batch->items = calloc(batch->list->count + 1, sizeof(batch->items[0]));
    if (!batch->items)
        return BASE_NOMEM;
    for (size_t i = 0; i < batch->list->count; i++) {
        if (is_wanted(options, batch->list->items[i].name)) {
            batch->items[batch->count].text = &batch->list->items[i];
            batch->items[batch->count].group = batch->count;
            batch->count++;
        }
    }
    if ((options->dumps.count > 0 || options->trace) && batch->count != 1) {
        tool_error("%s needs one launch; choose it with --only NAME", options->trace ? "--trace" : "--dump");
        return BASE_INVALID;
    }
    return BASE_OK;
}

static bool shares_buffer(const struct sim_launch_text *a, const struct sim_launch_text *b)
{
    for (size_t i = 0; i < a->arg_count; i++) {
        for (size_t j = 0; a->args[i].kind == SIM_ARG_BUFFER && a->args[i].name && j < b->arg_count; j++) {
            if (b->args[j].kind == SIM_ARG_BUFFER && b->args[j].name && strcmp(a->args[i].name, b->args[j].name) == 0)
                return true;
        }
    }
    return false;
}

static bool names_buffer(const struct sim_launch_text *text)
{
    for (size_t i = 0; i < text->arg_count; i++) {
        if (text->args[i].kind == SIM_ARG_BUFFER && text->args[i].name)
            return true;
    }
    return false;
}

/* group[i] is the first item that i is connected with. */
static void form_groups(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        for (size_t j = 0; names_buffer(batch->items[i].text) && j < i; j++) {
            size_t from = batch->items[i].group, to = batch->items[j].group;
            if (from == to || !shares_buffer(batch->items[i].text, batch->items[j].text))
                continue;
            size_t low = from < to ? from : to, high = from < to ? to : from;
            for (size_t k = 0; k <= i; k++) {
                if (batch->items[k].group == high)
                    batch->items[k].group = low;
            }
        }
    }
}

/* Each program file is read once. One that cannot be read fails its own launches only. */
static enum base_status load_modules(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        char *path = tool_path_beside(batch->list_path, batch->items[i].text->file);
        size_t found = 0;
        while (path && found < batch->modules.count && strcmp(batch->modules.data[found].path, path) != 0)
            found++;
        batch->items[i].module = found;
        if (path && found < batch->modules.count) {
            free(path);
            continue;
        }
        struct batch_module module = {.path = path};
        if (!path || !base_vec_push(&batch->modules, module)) {
            free(path);
            return BASE_NOMEM;
        }
        struct batch_module *last = &batch->modules.data[found];
        last->status = tool_module_load(batch->options, path, &last->module, &last->diags);
        batch->items[i].tells_module = last->module == NULL;
        if (last->module)
            tool_print_diags(&last->diags);
    }
    return BASE_OK;
}

/* "LIST:LINE: in launch NAME:", and below it what is to be said. */
static void complain(const struct batch *batch, struct batch_item *item, const struct base_diags *diags)
{
    unsigned line = 0, column = 0;
    if (diags->count == 0)
        return;
    base_source_position(&batch->list->source, item->text->offset, &line, &column);
    base_strbuf_printf(&item->complaint, "%s:%u: in launch %s:\n", batch->list_path, line, item->text->name);
    base_strbuf_plain(&item->complaint);
    base_diags_print(diags, &item->complaint);
}

static void run_item(struct batch *batch, struct batch_item *item, struct sim_memory *memory,
                     struct sim_named_buffers *named)
{
    const struct batch_module *module = &batch->modules.data[item->module];
    struct tool_launch launch = {.text = item->text,
                                 .source = &batch->list->source,
                                 .module = module->module,
                                 .module_status = module->status,
                                 .beside = batch->list_path,
                                 .memory = memory,
                                 .named = named,
                                 .options = batch->options,
                                 .device = &batch->device,
                                 .threads = batch->threads_of_launch};
    struct base_diags diags = {0};
    size_t index = (size_t)(item - batch->items);
    if (module->module) {
        item->exit = batch->job->body(batch->job->user, index, &launch, &diags, &item->shown);
    } else {
        struct base_diags known = module->diags;
        item->exit = batch->job->body(batch->job->user, index, &launch, &known, &item->shown);
        if (!item->tells_module)
            base_diag_add(&diags, BASE_ERROR, NULL, 0, 0, "%s is not usable, as said above", module->path);
    }
    complain(batch, item, item->tells_module ? &module->diags : &diags);
    base_diags_free(&diags);
}

/* A tool_batch_body. */
static enum tool_exit report_launch(void *user, size_t index, struct tool_launch *launch, struct base_diags *diags,
                                    struct base_strbuf *out)
{
    struct sim_report report;
    (void)user;
    (void)index;
    enum base_status status = tool_launch_run(launch, &report, diags);
    enum tool_exit answer = tool_exit_of(status, &report);
    report_json(&report, NULL, SIMTLAB_VERSION, out);
    sim_report_free(&report);
    return answer;
}

static void run_group(struct batch *batch, size_t first)
{
    struct sim_memory memory;
    struct sim_named_buffers named = {0};
    sim_memory_init(&memory, 0);
    for (size_t i = first; i < batch->count; i++) {
        if (batch->items[i].group != first)
            continue;
        const uint64_t from = memory.next_address;
        run_item(batch, &batch->items[i], &memory, &named);
        sim_args_release(&memory, &named, from);
        pthread_mutex_lock(&batch->lock);
        batch->items[i].done = true;
        pthread_cond_signal(&batch->progress);
        pthread_mutex_unlock(&batch->lock);
    }
    sim_named_buffers_free(&named);
    sim_memory_free(&memory);
}

static void *work(void *user)
{
    struct batch *batch = user;
    for (;;) {
        pthread_mutex_lock(&batch->lock);
        while (batch->next < batch->count && batch->items[batch->next].group != batch->next)
            batch->next++;
        size_t first = batch->next < batch->count ? batch->next++ : batch->count;
        pthread_mutex_unlock(&batch->lock);
        if (first == batch->count)
            return NULL;
        run_group(batch, first);
    }
}

static enum tool_exit worse(enum tool_exit a, enum tool_exit b)
{
    return a > b ? a : b;
}

static void show_progress(const struct batch *batch, size_t done)
{
    if (!batch->options->quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%zu of %zu launches ", done, batch->count);
}

/* In list order, each as soon as it is there. */
static enum tool_exit print_items(struct batch *batch, struct tool_output *output)
{
    enum tool_exit answer = TOOL_OK;
    for (size_t i = 0; i < batch->count; i++) {
        struct batch_item *item = &batch->items[i];
        show_progress(batch, i);
        pthread_mutex_lock(&batch->lock);
        while (!item->done)
            pthread_cond_wait(&batch->progress, &batch->lock);
        pthread_mutex_unlock(&batch->lock);
        answer = worse(answer, item->shown.failed ? TOOL_ERROR : item->exit);
        if (!batch->job->is_data)
            base_strbuf_plain(&item->shown);
        tool_output_write(output, item->shown.data, item->shown.length);
        if (item->complaint.length > 0)
            fputs(item->complaint.data, stderr);
        base_strbuf_free(&item->shown);
        base_strbuf_free(&item->complaint);
    }
    if (batch->count > 0 && !batch->options->quiet && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    return answer;
}

static size_t thread_count(const struct batch *batch)
{
    const size_t wanted = tool_threads_wanted(batch->options);
    return wanted < batch->count ? wanted : batch->count;
}

static enum tool_exit run_all(struct batch *batch, struct tool_output *output)
{
    size_t wanted = thread_count(batch), started = 0;
    batch->threads_of_launch = wanted > 0 ? tool_threads_wanted(batch->options) / (uint32_t)wanted : 1;
    pthread_t *threads = calloc(wanted + 1, sizeof(*threads));
    while (threads && started < wanted && pthread_create(&threads[started], NULL, work, batch) == 0)
        started++;
    if (started == 0) /* the system gives no thread: work here, print afterwards */
        work(batch);
    enum tool_exit answer = print_items(batch, output);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    if (batch->job->end)
        answer = worse(answer, batch->job->end(batch->job->user, output));
    return answer;
}

static enum base_status read_list(struct batch *batch)
{
    struct base_strbuf message = {0};
    struct tool_file file = {0};
    struct base_diags diags = {0};
    enum base_status status = tool_file_read(batch->list_path, LIST_LIMIT_BYTES, &file, &message);
    if (status != BASE_OK)
        tool_error("cannot read %s: %s", batch->list_path, message.data ? message.data : "");
    else
        status = sim_launch_list_parse(batch->list_path, file.data ? file.data : "", file.size, &batch->list, &diags);
    tool_print_diags(&diags);
    base_diags_free(&diags);
    base_strbuf_free(&message);
    free(file.data);
    return status;
}

static void release(struct batch *batch)
{
    for (size_t i = 0; i < batch->modules.count; i++) {
        free(batch->modules.data[i].path);
        base_diags_free(&batch->modules.data[i].diags);
        if (batch->modules.data[i].module)
            isa_module_free(batch->modules.data[i].module);
    }
    base_vec_free(&batch->modules);
    free(batch->items);
    if (batch->list)
        sim_launch_list_free(batch->list);
    pthread_cond_destroy(&batch->progress);
    pthread_mutex_destroy(&batch->lock);
}

enum tool_exit tool_batch_run(const struct tool_options *options, const struct tool_batch_job *job)
{
    const char *name = options->command->name;
    if (options->operand_count != 1) {
        tool_error("%s needs one LIST; see simtlab %s --help", name, name);
        return TOOL_ERROR;
    }
    struct batch batch = {.options = options, .job = job, .list_path = options->operands[0]};
    pthread_mutex_init(&batch.lock, NULL);
    pthread_cond_init(&batch.progress, NULL);
    enum base_status status = tool_device_load(options->device, &batch.device);
    if (status == BASE_OK)
        status = read_list(&batch);
    if (status == BASE_OK)
        status = select_items(&batch);
    if (status == BASE_OK && job->begin)
        status = job->begin(job->user, batch.list, batch.count);
    if (status == BASE_OK)
        status = load_modules(&batch);
    if (status == BASE_NOMEM)
        tool_error("out of memory");
    enum tool_exit answer = TOOL_ERROR;
    struct tool_output output;
    if (status == BASE_OK && tool_output_open(&output, options->output, NULL) == BASE_OK) {
        form_groups(&batch);
        answer = run_all(&batch, &output);
        if (tool_output_close(&output, true) != BASE_OK)
            answer = TOOL_ERROR;
    }
    release(&batch);
    return answer;
}

enum tool_exit tool_batch(const struct tool_options *options)
{
    struct tool_batch_job job = {.body = report_launch, .is_data = true};
    if (options->format_given && options->format != TOOL_JSON && options->format != TOOL_HTML)
        tool_error("batch writes JSON, a line for each launch, whatever --format says; "
                   "text and csv are of simtlab run, one launch at a time");
    return options->format == TOOL_HTML ? tool_html_batch(options) : tool_batch_run(options, &job);
}
