/* The guide's launches against what an H200 gave for them (validate/records/h200/guide): every buffer's hash, and every
 * counter that must agree when the simulator runs PTX.
 *
 * nvcc's machine code merges, drops or adds shared-memory instructions in seven launches, so there the shared
 * wavefronts of the PTX differ from the card's; the test holds that list to be exact in both directions.
 */
#include "base/vec.h"
#include "sim/sim.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD TEST_SRCDIR "/validate/records/h200/guide/"
enum { LAUNCHES = 48, BUFFERS = 85 };

static const char *const other_shared[] = {"example_syncthreads", "sum_reduce",   "sum_reduce_racy", "matMul16_256",
                                           "matMul16_odd",        "matMul32_256", "matMul32_1024"};

/* From any form: command line manual, "Metrics". */
static const char *const memory_metrics[] = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "memory_l2_theoretical_sectors_global",
    "memory_l2_theoretical_sectors_global_ideal",
};
static const char *const launch_metrics[] = {
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
    "launch__shared_mem_per_block",
    "launch__shared_mem_per_block_static",
    "launch__shared_mem_per_block_dynamic",
    "launch__shared_mem_per_block_driver",
    "launch__shared_mem_per_block_allocated",
    "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_warps",
};

struct cells {
    BASE_VEC(char *) cell;
};

/* Read once, before the tests; each test's process inherits them. */
struct record {
    struct isa_module *module;
    struct sim_launch_list *list;
    BASE_VEC(struct cells) csv;
    char *outputs; /* guide.outputs.txt after a newline, so that every line follows one */
};
static struct record record;

static char *read_all(const char *path, size_t *size)
{
    FILE *stream = fopen(path, "rb");
    ck_assert_msg(stream != NULL, "cannot open %s", path);
    BASE_VEC(char) text = {0};
    size_t got = 0;
    do {
        ck_assert(base_vec_reserve(&text, 65536));
        got = fread(text.data + text.count, 1, 65535, stream);
        text.count += got;
    } while (got > 0);
    fclose(stream);
    text.data[text.count] = '\0';
    *size = text.count;
    return text.data;
}

/* "a","b" ...: every cell is quoted and none holds a quote. */
static void read_csv(void)
{
    size_t size = 0;
    char *text = read_all(RECORD "guide.ncu.csv", &size);
    for (char *at = text; *at != '\0';) {
        struct cells row = {0};
        while (*at == '"') {
            char *end = strchr(at + 1, '"');
            ck_assert_ptr_nonnull(end);
            ck_assert(base_vec_push(&row.cell, strndup(at + 1, (size_t)(end - at - 1))));
            at = end[1] == ',' ? end + 2 : end + 1;
        }
        at += strspn(at, "\r\n");
        ck_assert(row.cell.count > 0 && base_vec_push(&record.csv, row));
    }
    free(text);
}

static void read_record(void)
{
    size_t size = 0;
    char *text = read_all(RECORD "guide.ptx", &size);
    struct base_diags diags = {0};
    ck_assert_int_eq(isa_ptx_read("guide.ptx", text, size, &record.module, &diags), BASE_OK);
    free(text);
    text = read_all(RECORD "guide.cases", &size);
    ck_assert_int_eq(sim_launch_list_parse("guide.cases", text, size, &record.list, &diags), BASE_OK);
    free(text);
    text = read_all(RECORD "guide.outputs.txt", &size);
    record.outputs = malloc(size + 2);
    ck_assert_ptr_nonnull(record.outputs);
    record.outputs[0] = '\n';
    memcpy(record.outputs + 1, text, size + 1);
    free(text);
    read_csv();
    base_diags_free(&diags);
}

static void free_record(void)
{
    isa_module_free(record.module);
    sim_launch_list_free(record.list);
    free(record.outputs);
    for (size_t i = 0; i < record.csv.count; i++) {
        for (size_t j = 0; j < record.csv.data[i].cell.count; j++)
            free(record.csv.data[i].cell.data[j]);
        base_vec_free(&record.csv.data[i].cell);
    }
    base_vec_free(&record.csv);
}

static bool is_bad(const char *name)
{
    return strcmp(name, "dyn_partition_bad") == 0;
}

/* The H200's value, digits only. Rows are in the list's order without the launch that faults. */
static uint64_t recorded(size_t launch, const char *metric)
{
    size_t row = 2, column = 0;
    for (size_t i = 0; i < launch; i++)
        row += !is_bad(record.list->items[i].name);
    const struct cells *names = &record.csv.data[0];
    while (column < names->cell.count && strcmp(names->cell.data[column], metric) != 0)
        column++;
    ck_assert_msg(column < names->cell.count && row < record.csv.count, "the record has no %s", metric);
    uint64_t value = 0;
    for (const char *digit = record.csv.data[row].cell.data[column]; *digit != '\0'; digit++) {
        ck_assert_msg((*digit >= '0' && *digit <= '9') || *digit == ',', "%s is no integer in the record", metric);
        value = *digit == ',' ? value : 10 * value + (uint64_t)(*digit - '0');
    }
    return value;
}

struct ran {
    struct sim_memory memory;
    struct sim_named_buffers named;
    struct base_arena arena;
    struct sim_bound bound;
    struct sim_report report;
};

static void run_launch(const struct sim_launch_text *text, struct ran *ran)
{
    struct base_diags diags = {0};
    struct base_strbuf messages = {0};
    struct sim_options options = {.device = sim_device_find("h200"), .max_instructions = SIM_MAX_INSTRUCTIONS_DEFAULT};
    uint32_t kernel = 0;
    *ran = (struct ran){0};
    sim_memory_init(&ran->memory, 0);
    base_arena_init(&ran->arena, 0);
    enum base_status status = isa_find_kernel(record.module, text->kernel, &kernel, &diags);
    if (status == BASE_OK)
        status = sim_args_bind(record.module, kernel, &record.list->source, text->args, text->arg_count, &ran->memory,
                               &ran->named, NULL, NULL, &ran->arena, &ran->bound, &diags);
    if (status == BASE_OK)
        status = sim_run(record.module, kernel, text, &ran->bound, &ran->memory, &options, &ran->report, &diags);
    base_diags_print(&diags, &messages);
    ck_assert_msg(status == BASE_OK, "%s: %s", text->name, messages.data ? messages.data : "");
    base_strbuf_free(&messages);
    base_diags_free(&diags);
}

static void free_ran(struct ran *ran)
{
    sim_report_free(&ran->report);
    sim_named_buffers_free(&ran->named);
    base_arena_free(&ran->arena);
    sim_memory_free(&ran->memory);
}

static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

/* Every buffer that guide.outputs.txt has of the launch, and no other. */
static void check_buffers(const struct sim_launch_text *text, const struct sim_report *report)
{
    char start[128];
    snprintf(start, sizeof(start), "\n%s arg", text->name);
    ck_assert_uint_eq(report->buffer_count, count_of(record.outputs, start));
    for (size_t i = 0; i < report->buffer_count; i++) {
        const struct sim_buffer_report *buffer = &report->buffers[i];
        char line[256], want[64];
        snprintf(line, sizeof(line), "\n%s arg%u bytes=%" PRIu64 " fnv=", text->name, buffer->arg, buffer->bytes);
        const char *found = strstr(record.outputs, line);
        ck_assert_msg(found != NULL, "%s: the record has no argument %u of %" PRIu64 " bytes", text->name, buffer->arg,
                      buffer->bytes);
        snprintf(want, sizeof(want), "%016" PRIx64 "\n", buffer->fnv1a64);
        bool racy_sum = strcmp(text->name, "sum_reduce_racy") == 0 && buffer->arg == 1;
        if (!racy_sum)
            ck_assert_msg(strncmp(found + strlen(line), want, strlen(want)) == 0, "%s: argument %u differs: %s",
                          text->name, buffer->arg, want);
    }
}

/* A race may lose blocks' sums, never all of them, and never adds. */
static void check_racy_sum(const struct ran *ran)
{
    const struct sim_bound_arg *arg = &ran->bound.args[1];
    float sum = 0;
    memcpy(&sum, sim_memory_at(&ran->memory, arg->address, sizeof(sum)), sizeof(sum));
    ck_assert_msg(sum >= 256.0F && sum <= 262144.0F, "the racy sum is %g", (double)sum);
}

/* The first store through a float pointer that is not aligned to 4: its line in guide.cu. */
static void check_fault(const struct sim_report *report)
{
    size_t size = 0, line = 1;
    char *source = read_all(RECORD "guide.cu", &size);
    const char *statement = strstr(source, "a1[t]=t*0.5f");
    ck_assert_ptr_nonnull(statement);
    for (const char *at = source; at < statement; at++)
        line += *at == '\n';
    ck_assert_int_eq(report->status, SIM_RUN_FAULT);
    ck_assert_int_eq(report->fault.kind, SIM_FAULT_MISALIGNED);
    ck_assert_ptr_nonnull(strstr(report->fault_file, "guide.cu"));
    ck_assert_uint_eq(report->fault_line, line);
    ck_assert(report->fault.has_address && report->fault.address % 4 != 0);
    free(source);
}

static bool has_other_shared(const char *name)
{
    for (size_t i = 0; i < sizeof(other_shared) / sizeof(other_shared[0]); i++) {
        if (strcmp(name, other_shared[i]) == 0)
            return true;
    }
    return false;
}

static uint64_t simulated(const struct sim_report *report, const char *name)
{
    const struct sim_metric *metric = sim_report_metric(report, name);
    ck_assert_msg(metric && metric->is_integer && !metric->modelled, "%s: no exact %s", report->name, name);
    return metric->integer;
}

static void check_equal(size_t launch, const struct sim_report *report, const char *metric)
{
    uint64_t here = simulated(report, metric), there = recorded(launch, metric);
    ck_assert_msg(here == there, "%s: %s is %" PRIu64 ", the H200 has %" PRIu64, record.list->items[launch].name,
                  metric, here, there);
}

static void check_shared(size_t launch, const struct sim_report *report)
{
    static const char actual[] = "memory_l1_wavefronts_shared", ideal[] = "memory_l1_wavefronts_shared_ideal";
    const char *name = record.list->items[launch].name;
    bool equal =
        simulated(report, actual) == recorded(launch, actual) && simulated(report, ideal) == recorded(launch, ideal);
    if (has_other_shared(name)) {
        ck_assert_msg(!equal, "%s: PTX and machine code should differ in shared wavefronts", name);
    } else {
        check_equal(launch, report, actual);
        check_equal(launch, report, ideal);
    }
}

START_TEST(test_launch)
{
    size_t launch = (size_t)_i;
    const struct sim_launch_text *text = &record.list->items[launch];
    struct ran ran;
    run_launch(text, &ran);
    if (is_bad(text->name)) {
        check_fault(&ran.report);
    } else {
        ck_assert_msg(ran.report.status == SIM_RUN_OK, "%s: %s", text->name,
                      ran.report.message ? ran.report.message : "no message");
        check_buffers(text, &ran.report);
        if (strcmp(text->name, "sum_reduce_racy") == 0)
            check_racy_sum(&ran);
        for (size_t i = 0; i < sizeof(memory_metrics) / sizeof(memory_metrics[0]); i++)
            check_equal(launch, &ran.report, memory_metrics[i]);
        for (size_t i = 0; i < sizeof(launch_metrics) / sizeof(launch_metrics[0]); i++)
            check_equal(launch, &ran.report, launch_metrics[i]);
        check_shared(launch, &ran.report);
    }
    free_ran(&ran);
}
END_TEST

/* So that a list that shrank does not pass for one that agrees. */
START_TEST(test_record)
{
    ck_assert_uint_eq(record.list->count, LAUNCHES);
    ck_assert_uint_eq(record.csv.count, 2 + LAUNCHES - 1);
    ck_assert_uint_eq(count_of(record.outputs, " fnv="), BUFFERS);
}
END_TEST

Suite *guide_suite(void);

Suite *guide_suite(void)
{
    Suite *suite = suite_create("guide");
    TCase *tcase = tcase_create("h200");
    tcase_add_unchecked_fixture(tcase, read_record, free_record);
    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, test_record);
    tcase_add_loop_test(tcase, test_launch, 0, LAUNCHES);
    suite_add_tcase(suite, tcase);
    return suite;
}
