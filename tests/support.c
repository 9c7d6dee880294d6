/* See support.h. In order: files, lists, launches, the record. */
#include "tests/support.h"

#include "isa/sass/sass.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* ---- Files ---- */

static char *joined(const char *front, const char *back)
{
    size_t size = strlen(front) + strlen(back) + 1;
    char *text = malloc(size);
    ck_assert_ptr_nonnull(text);
    snprintf(text, size, "%s%s", front, back);
    return text;
}

/* The file, or the one that gzip has made of it; NULL: neither is there. gzread() reads both. */
static gzFile open_file(const char *path)
{
    char *whole = joined(TEST_SRCDIR "/", path), *zipped = joined(whole, ".gz");
    gzFile stream = gzopen(access(whole, R_OK) == 0 ? whole : zipped, "rb");
    free(whole);
    free(zipped);
    return stream;
}

char *support_read(const char *path, size_t *size)
{
    gzFile stream = open_file(path);
    ck_assert_msg(stream != NULL, "cannot open %s", path);
    BASE_VEC(char) text = {0};
    int got = 0;
    do {
        ck_assert(base_vec_reserve(&text, 65536));
        got = gzread(stream, text.data + text.count, 65535);
        ck_assert_msg(got >= 0, "cannot read %s", path);
        text.count += (size_t)got;
    } while (got > 0);
    gzclose(stream);
    text.data[text.count] = '\0';
    *size = text.count;
    return text.data;
}

static bool is_there(const char *path)
{
    gzFile stream = open_file(path);
    if (stream != NULL)
        gzclose(stream);
    return stream != NULL;
}

static void must_be_ok(enum base_status status, const char *what, struct base_diags *diags)
{
    struct base_strbuf messages = {0};
    base_diags_print(diags, &messages);
    ck_assert_msg(status == BASE_OK, "%s: %s", what, messages.data ? messages.data : "");
    base_strbuf_free(&messages);
    base_diags_free(diags);
}

/* ---- Lists ---- */

/* Machine code: the listing of that name, with the cubin beside it. */
static struct isa_module *read_machine(const char *path)
{
    struct isa_module *module = NULL;
    struct base_diags diags = {0};
    size_t size = 0, cubin_size = 0;
    char *stem = joined(path, "");
    stem[strlen(stem) - strlen(".sass")] = '\0';
    char *cubin_path = joined(stem, ".cubin");
    free(stem);
    char *text = support_read(path, &size), *cubin = support_read(cubin_path, &cubin_size);
    must_be_ok(isa_sass_read(path, text, size, cubin_path, (const uint8_t *)cubin, cubin_size, &module, &diags), path,
               &diags);
    free(text);
    free(cubin);
    free(cubin_path);
    return module;
}

static void read_module(struct support_list *list, const char *file)
{
    struct support_module m = {joined(list->folder, file), NULL};
    struct base_diags diags = {0};
    size_t size = 0;
    for (size_t i = 0; i < list->modules.count; i++) {
        if (strcmp(list->modules.data[i].path, m.path) == 0) {
            free(m.path);
            return;
        }
    }
    if (!is_there(m.path)) {
        free(m.path);
        return;
    }
    if (strstr(file, ".sass") != NULL) {
        m.module = read_machine(m.path);
    } else {
        char *text = support_read(m.path, &size);
        must_be_ok(isa_ptx_read(m.path, text, size, &m.module, &diags), m.path, &diags);
        free(text);
    }
    ck_assert(base_vec_push(&list->modules, m));
}

void support_list_read(struct support_list *list, const char *path)
{
    support_list_read_as(list, path, NULL);
}

static const char *with_extension(struct support_list *list, size_t index, const char *extension)
{
    const char *file = list->launches->items[index].file, *dot = strrchr(file, '.');
    struct base_strbuf name = {0};
    base_strbuf_append(&name, file, dot ? (size_t)(dot - file) : strlen(file));
    base_strbuf_puts(&name, extension);
    const char *kept = base_arena_strndup(&list->launches->arena, name.data, name.length);
    base_strbuf_free(&name);
    ck_assert_ptr_nonnull(kept);
    return kept;
}

void support_list_read_as(struct support_list *list, const char *path, const char *file)
{
    struct base_diags diags = {0};
    size_t size = 0;
    *list = (struct support_list){0};
    list->folder = joined(path, "");
    ck_assert_ptr_nonnull(strrchr(path, '/'));
    list->folder[strrchr(path, '/') - path + 1] = '\0';
    char *text = support_read(path, &size);
    must_be_ok(sim_launch_list_parse(path, text, size, &list->launches, &diags), path, &diags);
    free(text);
    for (size_t i = 0; i < list->launches->count; i++) {
        if (file != NULL) {
            list->launches->items[i].file = file[0] == '.' ? with_extension(list, i, file) : file;
            list->launches->items[i].regs = 0;
        }
        read_module(list, list->launches->items[i].file);
    }
}

void support_list_read_text(struct support_list *list, const char *folder, const char *text)
{
    struct base_diags diags = {0};
    *list = (struct support_list){.folder = joined(folder, "")};
    must_be_ok(sim_launch_list_parse(folder, text, strlen(text), &list->launches, &diags), folder, &diags);
    for (size_t i = 0; i < list->launches->count; i++)
        read_module(list, list->launches->items[i].file);
}

void support_list_free(struct support_list *list)
{
    for (size_t i = 0; i < list->modules.count; i++) {
        isa_module_free(list->modules.data[i].module);
        free(list->modules.data[i].path);
    }
    base_vec_free(&list->modules);
    sim_launch_list_free(list->launches);
    free(list->folder);
}

bool support_list_has_module(const struct support_list *list, const char *file)
{
    char *path = joined(list->folder, file);
    bool found = false;
    for (size_t i = 0; i < list->modules.count; i++)
        found = found || strcmp(list->modules.data[i].path, path) == 0;
    free(path);
    return found;
}

const struct isa_module *support_list_module(const struct support_list *list, const char *file)
{
    const struct isa_module *module = NULL;
    char *path = joined(list->folder, file);
    for (size_t i = 0; i < list->modules.count; i++) {
        if (strcmp(list->modules.data[i].path, path) == 0)
            module = list->modules.data[i].module;
    }
    free(path);
    ck_assert_ptr_nonnull(module);
    return module;
}

/* ---- Launches ---- */

/* file:PATH of a list is relative to the list. */
static enum base_status read_fill(void *user, const char *path, uint8_t *data, uint64_t size_bytes, char *message,
                                  size_t message_size)
{
    const struct support_list *list = user;
    size_t size = 0;
    char *whole = joined(list->folder, path);
    char *contents = support_read(whole, &size);
    bool fits = size == size_bytes;
    if (fits)
        memcpy(data, contents, size);
    else
        snprintf(message, message_size, "%s has %zu bytes", path, size);
    free(contents);
    free(whole);
    return fits ? BASE_OK : BASE_IO;
}

void support_launch_bind(struct support_launch *launch, const struct support_list *list, size_t index)
{
    struct base_diags diags = {0};
    struct support_list reader = *list;
    *launch = (struct support_launch){.list = list, .text = &list->launches->items[index]};
    launch->module = support_list_module(list, launch->text->file);
    sim_memory_init(&launch->memory, 0);
    base_arena_init(&launch->arena, 0);
    enum base_status status = isa_find_kernel(launch->module, launch->text->kernel, &launch->kernel, &diags);
    if (status == BASE_OK)
        status = sim_args_bind(launch->module, launch->kernel, &list->launches->source, launch->text->args,
                               launch->text->arg_count, &launch->memory, &launch->named, read_fill, &reader,
                               &launch->arena, &launch->bound, &diags);
    must_be_ok(status, launch->text->name, &diags);
}

static void run_launch(struct support_launch *launch, bool cycles, unsigned checks, uint32_t threads)
{
    struct base_diags diags = {0};
    struct sim_options options = {.device = sim_device_find("h200"),
                                  .max_instructions = SIM_MAX_INSTRUCTIONS_DEFAULT,
                                  .cycles = cycles,
                                  .scheduler = SIM_SCHEDULER_CGGTY,
                                  .threads = threads,
                                  .checks = checks};
    enum base_status status = sim_run(launch->module, launch->kernel, launch->text, &launch->bound, &launch->memory,
                                      &options, &launch->report, &diags);
    must_be_ok(status, launch->text->name, &diags);
}

void support_launch_run(struct support_launch *launch)
{
    run_launch(launch, false, 0, 1);
}

void support_launch_run_checked(struct support_launch *launch, unsigned checks)
{
    run_launch(launch, false, checks, 1);
}

void support_launch_run_clock_checked(struct support_launch *launch, unsigned checks)
{
    run_launch(launch, true, checks, 1);
}

void support_launch_run_clock(struct support_launch *launch)
{
    run_launch(launch, true, 0, 1);
}

void support_launch_run_threads(struct support_launch *launch, uint32_t threads)
{
    run_launch(launch, true, 0, threads);
}

void support_launch_free(struct support_launch *launch)
{
    sim_report_free(&launch->report);
    sim_named_buffers_free(&launch->named);
    base_arena_free(&launch->arena);
    sim_memory_free(&launch->memory);
}

uint64_t support_metric(const struct sim_report *report, const char *name)
{
    const struct sim_metric *metric = sim_report_metric(report, name);
    ck_assert_msg(metric && metric->is_integer && !metric->modelled, "%s: no exact %s", report->name, name);
    return metric->integer;
}

/* ---- The record ---- */

/* "a","b" ...: every cell is quoted and none holds a quote. */
static void read_csv(struct support_record *record, const char *path)
{
    size_t size = 0;
    char *text = support_read(path, &size);
    for (char *at = text; *at != '\0';) {
        struct support_cells row = {0};
        while (*at == '"') {
            char *end = strchr(at + 1, '"');
            ck_assert_ptr_nonnull(end);
            ck_assert(base_vec_push(&row.cell, strndup(at + 1, (size_t)(end - at - 1))));
            at = end[1] == ',' ? end + 2 : end + 1;
        }
        at += strspn(at, "\r\n");
        ck_assert(row.cell.count > 0 && base_vec_push(&record->csv, row));
    }
    free(text);
}

/* One row for each launch of the list, but for those that fault: they have no outputs. */
static void read_names(struct support_record *record, const char *path)
{
    size_t size = 0;
    struct base_diags diags = {0};
    struct sim_launch_list *list = NULL;
    char *text = support_read(path, &size);
    must_be_ok(sim_launch_list_parse(path, text, size, &list, &diags), path, &diags);
    free(text);
    for (size_t i = 0; i < list->count; i++) {
        char start[128];
        snprintf(start, sizeof(start), "\n%s arg", list->items[i].name);
        if (strstr(record->outputs, start) != NULL)
            ck_assert(base_vec_push(&record->names, joined(list->items[i].name, "")));
    }
    sim_launch_list_free(list);
}

void support_record_read(struct support_record *record, const char *stem)
{
    size_t size = 0;
    char *csv = joined(stem, ".ncu.csv"), *cases = joined(stem, ".cases"), *outputs = joined(stem, ".outputs.txt");
    *record = (struct support_record){0};
    char *text = support_read(outputs, &size);
    record->outputs = joined("\n", text);
    free(text);
    read_csv(record, csv);
    read_names(record, cases);
    ck_assert_uint_eq(record->csv.count, record->names.count + 2); /* names and units above */
    free(csv);
    free(cases);
    free(outputs);
}

void support_record_free(struct support_record *record)
{
    for (size_t i = 0; i < record->csv.count; i++) {
        for (size_t j = 0; j < record->csv.data[i].cell.count; j++)
            free(record->csv.data[i].cell.data[j]);
        base_vec_free(&record->csv.data[i].cell);
    }
    base_vec_free(&record->csv);
    for (size_t i = 0; i < record->names.count; i++)
        free(record->names.data[i]);
    base_vec_free(&record->names);
    free(record->outputs);
}

int64_t support_record_row(const struct support_record *record, const char *launch)
{
    for (size_t i = 0; i < record->names.count; i++) {
        if (strcmp(record->names.data[i], launch) == 0)
            return (int64_t)i + 2;
    }
    return -1;
}

const char *support_record_text(const struct support_record *record, size_t row, const char *metric)
{
    const struct support_cells *names = &record->csv.data[0];
    size_t column = 0;
    while (column < names->cell.count && strcmp(names->cell.data[column], metric) != 0)
        column++;
    ck_assert_msg(column < names->cell.count, "the record has no %s", metric);
    return record->csv.data[row].cell.data[column];
}

uint64_t support_record_metric(const struct support_record *record, size_t row, const char *metric)
{
    uint64_t value = 0;
    for (const char *digit = support_record_text(record, row, metric); *digit != '\0'; digit++) {
        ck_assert_msg((*digit >= '0' && *digit <= '9') || *digit == ',', "%s is no integer in the record", metric);
        value = *digit == ',' ? value : 10 * value + (uint64_t)(*digit - '0');
    }
    return value;
}

bool support_record_hash(const struct support_record *record, const char *launch, uint32_t arg, uint64_t *fnv1a64)
{
    char start[128];
    snprintf(start, sizeof(start), "\n%s arg%" PRIu32 " bytes=", launch, arg);
    const char *found = strstr(record->outputs, start);
    const char *hash = found ? strstr(found, " fnv=") : NULL;
    if (!hash)
        return false;
    *fnv1a64 = strtoull(hash + strlen(" fnv="), NULL, 16);
    return true;
}

const char *const support_launch_metrics[] = {
    "launch__grid_dim_x",
    "launch__grid_dim_y",
    "launch__grid_dim_z",
    "launch__block_dim_x",
    "launch__block_dim_y",
    "launch__block_dim_z",
    "launch__cluster_dim_x",
    "launch__cluster_dim_y",
    "launch__cluster_dim_z",
    "launch__grid_size",
    "launch__block_size",
    "launch__thread_count",
    "launch__shared_mem_per_block_dynamic",
    "launch__shared_mem_per_block_driver",
    "launch__shared_mem_per_block_allocated",
    "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_warps",
    NULL,
};

const char *const support_memory_metrics[] = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "memory_l2_theoretical_sectors_global",
    "memory_l2_theoretical_sectors_global_ideal",
    NULL,
};

const char *const support_machine_metrics[] = {
    "memory_l1_wavefronts_shared",
    "memory_l1_wavefronts_shared_ideal",
    "smsp__inst_executed.sum",
    "smsp__thread_inst_executed.sum",
    "smsp__inst_executed_op_global_ld.sum",
    "smsp__inst_executed_op_global_st.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "smsp__inst_executed_op_local_ld.sum",
    "smsp__inst_executed_op_local_st.sum",
    "smsp__inst_executed_op_branch.sum",
    "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "launch__registers_per_thread",
    "launch__occupancy_limit_registers",
    NULL,
};
