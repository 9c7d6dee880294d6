/* The kernels that nvcc compiled (validate/kernels) against what an H200 gave for them (validate/records/h200/nvcc):
 * every buffer of the launches whose PTX is in the record. The card gave the same from that PTX and from the machine
 * code.
 *
 * A launch with an instruction that is not simulated is left out; their number can only go down. */
#include "tests/support.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD "validate/records/h200/nvcc/nvcc"
enum { LAUNCHES = 191, FROM_PTX = 128, UNSUPPORTED_MOST = 9, BUFFERS_LEAST = 276 };

static struct support_record record;

static enum base_status run(struct support_launch *ran)
{
    struct sim_options options = {.device = sim_device_find("h200"), .max_instructions = SIM_MAX_INSTRUCTIONS_DEFAULT};
    return sim_run(ran->module, ran->kernel, ran->text, &ran->bound, &ran->memory, &options, &ran->report, NULL);
}

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
    "launch__shared_mem_per_block_dynamic",
    "launch__shared_mem_per_block_driver",
    "launch__shared_mem_per_block_allocated",
    "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_warps",
};

static void check_metric(const struct sim_report *report, size_t row, const char *metric)
{
    uint64_t here = support_metric(report, metric), there = support_record_metric(&record, row, metric);
    ck_assert_msg(here == there, "%s: %s is %" PRIu64 ", the H200 has %" PRIu64, record.names.data[row - 2], metric,
                  here, there);
}

/* ptxas may round a kernel's static shared memory up; where it did not, the whole is the same. */
static void check_launch(const struct sim_report *report, const char *name)
{
    static const char statics[] = "launch__shared_mem_per_block_static";
    int64_t row = support_record_row(&record, name);
    ck_assert_msg(row >= 0, "the record has no launch %s", name);
    for (size_t i = 0; i < sizeof(launch_metrics) / sizeof(launch_metrics[0]); i++)
        check_metric(report, (size_t)row, launch_metrics[i]);
    ck_assert_uint_le(support_metric(report, statics), support_record_metric(&record, (size_t)row, statics));
    if (support_metric(report, statics) == support_record_metric(&record, (size_t)row, statics))
        check_metric(report, (size_t)row, "launch__shared_mem_per_block");
}

static unsigned check_buffers(const struct sim_report *report, const char *name)
{
    for (size_t i = 0; i < report->buffer_count; i++) {
        uint64_t there = 0;
        const struct sim_buffer_report *buffer = &report->buffers[i];
        ck_assert_msg(support_record_hash(&record, name, buffer->arg, &there), "%s: the record has no argument %u",
                      name, buffer->arg);
        ck_assert_msg(buffer->fnv1a64 == there, "%s: argument %u is not as on the H200", name, buffer->arg);
    }
    return (unsigned)report->buffer_count;
}

START_TEST(test_ptx)
{
    struct support_list list;
    unsigned from_ptx = 0, unsupported = 0, buffers = 0;
    support_list_read_as(&list, RECORD ".cases", ".ptx");
    support_record_read(&record, RECORD);
    ck_assert_uint_eq(list.launches->count, LAUNCHES);
    ck_assert_uint_eq(record.names.count, LAUNCHES);
    for (size_t i = 0; i < list.launches->count; i++) {
        struct support_launch ran;
        if (!support_list_has_module(&list, list.launches->items[i].file))
            continue;
        from_ptx++;
        support_launch_bind(&ran, &list, i);
        enum base_status status = run(&ran);
        unsupported += status == BASE_UNSUPPORTED;
        ck_assert_msg(status == BASE_UNSUPPORTED || (status == BASE_OK && ran.report.status == SIM_RUN_OK), "%s: %s",
                      ran.text->name, ran.report.message ? ran.report.message : "no message");
        if (status == BASE_OK) {
            buffers += check_buffers(&ran.report, ran.text->name);
            check_launch(&ran.report, ran.text->name);
        }
        support_launch_free(&ran);
    }
    ck_assert_uint_eq(from_ptx, FROM_PTX);
    ck_assert_uint_le(unsupported, UNSUPPORTED_MOST);
    ck_assert_uint_ge(buffers, BUFFERS_LEAST);
    support_list_free(&list);
    support_record_free(&record);
}
END_TEST

Suite *nvcc_suite(void);

Suite *nvcc_suite(void)
{
    Suite *suite = suite_create("nvcc");
    TCase *tcase = tcase_create("h200");
    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, test_ptx);
    suite_add_tcase(suite, tcase);
    return suite;
}
