/* The guide's launches against what an H200 gave for them (validate/records/h200/guide): every buffer's hash, and every
 * counter that must agree when the simulator runs PTX.
 *
 * From nvcc's machine code every exact metric is equal. nvcc merges, drops or adds shared-memory instructions in seven
 * launches, so there the shared wavefronts of the PTX differ from the card's; the test holds that list to be exact in
 * both directions.
 */
#include "tests/support.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD "validate/records/h200/guide/"
enum { LAUNCHES = 48, BUFFERS = 85 };

static const char *const other_shared[] = {"example_syncthreads", "sum_reduce",   "sum_reduce_racy", "matMul16_256",
                                           "matMul16_odd",        "matMul32_256", "matMul32_1024"};

/* From any form, beside those of support.h: command line manual, "Metrics". */
static const char *const shared_metrics[] = {
    "launch__shared_mem_per_block",
    "launch__shared_mem_per_block_static",
    NULL,
};
/* Rounded as ncu prints them: two digits behind the point. */
static const char *const machine_ratios[] = {
    "smsp__thread_inst_executed_per_inst_executed.ratio",
    "launch__waves_per_multiprocessor",
    "sm__maximum_warps_per_active_cycle_pct",
};

/* Read once, before the tests; each test's process inherits them. */
static struct support_list list, machine_list;
static struct support_record record;

static void read_record(void)
{
    support_list_read(&list, RECORD "guide.cases");
    support_list_read_as(&machine_list, RECORD "guide.cases", "guide.sass");
    support_record_read(&record, SUPPORT_GUIDE);
}

static void free_record(void)
{
    support_list_free(&list);
    support_list_free(&machine_list);
    support_record_free(&record);
}

static bool is_bad(const char *name)
{
    return strcmp(name, "dyn_partition_bad") == 0;
}

/* The H200's value for a launch. */
static uint64_t recorded(const char *launch, const char *metric)
{
    int64_t row = support_record_row(&record, launch);
    ck_assert_msg(row >= 0, "the record has no launch %s", launch);
    return support_record_metric(&record, (size_t)row, metric);
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
static void check_racy_sum(const struct support_launch *ran)
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
    char *source = support_read(RECORD "guide.cu", &size);
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

static void check_equal(const char *launch, const struct sim_report *report, const char *metric)
{
    uint64_t here = support_metric(report, metric), there = recorded(launch, metric);
    ck_assert_msg(here == there, "%s: %s is %" PRIu64 ", the H200 has %" PRIu64, launch, metric, here, there);
}

static void check_all(const char *launch, const struct sim_report *report, const char *const *metrics)
{
    for (; *metrics != NULL; metrics++)
        check_equal(launch, report, *metrics);
}

/* The driver's choice, which is modelled but should be met. */
static void check_modelled(const char *launch, const struct sim_report *report, const char *name)
{
    const struct sim_metric *metric = sim_report_metric(report, name);
    ck_assert(metric != NULL && metric->modelled);
    ck_assert_uint_eq(metric->integer, recorded(launch, name));
}

/* Atomics, with and without a result: ptxas makes the one of the other where nobody uses the result. */
static void check_atomics(const char *launch, const struct sim_report *report)
{
    static const char *const names[] = {"requests", "sectors"}, *const ops[] = {"red", "atom"};
    for (unsigned i = 0; i < 2; i++) {
        uint64_t there = 0, here = 0;
        for (unsigned o = 0; o < 2; o++) {
            char metric[80];
            snprintf(metric, sizeof(metric), "l1tex__t_%s_pipe_lsu_mem_global_op_%s.sum", names[i], ops[o]);
            const struct sim_metric *found = sim_report_metric(report, metric);
            ck_assert_msg(found && found->is_integer && found->modelled, "%s: no %s", launch, metric);
            here += found->integer;
            there += recorded(launch, metric);
        }
        ck_assert_msg(here == there, "%s: %" PRIu64 " %s of atomics, the H200 has %" PRIu64, launch, here, names[i],
                      there);
    }
}

static void check_shared(const char *launch, const struct sim_report *report)
{
    static const char actual[] = "memory_l1_wavefronts_shared", ideal[] = "memory_l1_wavefronts_shared_ideal";
    bool equal = support_metric(report, actual) == recorded(launch, actual) &&
                 support_metric(report, ideal) == recorded(launch, ideal);
    if (has_other_shared(launch)) {
        ck_assert_msg(!equal, "%s: PTX and machine code should differ in shared wavefronts", launch);
    } else {
        check_equal(launch, report, actual);
        check_equal(launch, report, ideal);
    }
}

START_TEST(test_launch)
{
    struct support_launch ran;
    support_launch_bind(&ran, &list, (size_t)_i);
    support_launch_run(&ran);
    const struct sim_launch_text *text = ran.text;
    if (is_bad(text->name)) {
        check_fault(&ran.report);
    } else {
        ck_assert_msg(ran.report.status == SIM_RUN_OK, "%s: %s", text->name,
                      ran.report.message ? ran.report.message : "no message");
        check_buffers(text, &ran.report);
        if (strcmp(text->name, "sum_reduce_racy") == 0)
            check_racy_sum(&ran);
        check_all(text->name, &ran.report, support_memory_metrics);
        check_all(text->name, &ran.report, support_launch_metrics);
        check_all(text->name, &ran.report, shared_metrics);
        check_shared(text->name, &ran.report);
        check_atomics(text->name, &ran.report);
        if (recorded(text->name, "launch__cluster_dim_x") > 0) {
            check_modelled(text->name, &ran.report, "launch__cluster_max_active");
            check_modelled(text->name, &ran.report, "launch__cluster_max_potential_size");
        }
    }
    support_launch_free(&ran);
}
END_TEST

static void check_ratio(const char *launch, const struct sim_report *report, const char *metric)
{
    int64_t row = support_record_row(&record, launch);
    const char *there = support_record_text(&record, (size_t)row, metric);
    for (size_t i = 0; i < report->metric_count; i++) {
        if (strcmp(report->metrics[i].name, metric) != 0)
            continue;
        double difference = report->metrics[i].real - strtod(there, NULL);
        ck_assert_msg(difference <= 0.005 + 1e-9 && difference >= -0.005 - 1e-9, "%s: %s is %g, the H200 has %s",
                      launch, metric, report->metrics[i].real, there);
        return;
    }
    ck_abort_msg("%s: no %s", launch, metric);
}

/* The same launches from nvcc's machine code: everything that is exact must be equal, without exception, but for the
 * memory traffic of the racy sum, which the order of its blocks decides. */
START_TEST(test_machine)
{
    struct support_launch ran;
    support_launch_bind(&ran, &machine_list, (size_t)_i);
    support_launch_run(&ran);
    const struct sim_launch_text *text = ran.text;
    if (is_bad(text->name)) {
        check_fault(&ran.report);
    } else {
        ck_assert_msg(ran.report.status == SIM_RUN_OK, "%s: %s", text->name,
                      ran.report.message ? ran.report.message : "no message");
        check_buffers(text, &ran.report);
        check_all(text->name, &ran.report, support_memory_metrics);
        check_all(text->name, &ran.report, support_launch_metrics);
        check_all(text->name, &ran.report, shared_metrics);
        check_all(text->name, &ran.report, support_machine_metrics);
        for (size_t i = 0; i < sizeof(machine_ratios) / sizeof(machine_ratios[0]); i++)
            check_ratio(text->name, &ran.report, machine_ratios[i]);
    }
    support_launch_free(&ran);
}
END_TEST

/* So that a list that shrank does not pass for one that agrees. */
START_TEST(test_record)
{
    ck_assert_uint_eq(list.launches->count, LAUNCHES);
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
    tcase_add_loop_test(tcase, test_machine, 0, LAUNCHES);
    suite_add_tcase(suite, tcase);
    return suite;
}
