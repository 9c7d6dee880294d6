/* The kernels that nvcc compiled (validate/kernels) against what an H200 gave for them (validate/records/h200/nvcc):
 * every buffer of the launches whose PTX is in the record (the card gave the same from that PTX and from the machine
 * code), and every buffer and every exact count of all launches from their machine code.
 *
 * A launch with an instruction of PTX that is not simulated is left out; their number can only go down. */
#include "tests/support.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD "validate/records/h200/nvcc/nvcc"
enum { LAUNCHES = 191, FROM_PTX = 128, UNSUPPORTED_MOST = 9, BUFFERS_LEAST = 276, MACHINE_BUFFERS_LEAST = 430 };

static struct support_record record;

static enum base_status run(struct support_launch *ran)
{
    struct sim_options options = {.device = sim_device_find("h200"), .max_instructions = SIM_MAX_INSTRUCTIONS_DEFAULT};
    return sim_run(ran->module, ran->kernel, ran->text, &ran->bound, &ran->memory, &options, &ran->report, NULL);
}

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
    for (const char *const *metric = support_launch_metrics; *metric != NULL; metric++)
        check_metric(report, (size_t)row, *metric);
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

/* ---- From machine code ---- */

static const char *const more_metrics[] = {
    "launch__shared_mem_per_block",
    "launch__shared_mem_per_block_static",
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    NULL,
};

/* Where the counts from machine code are not the card's, and what they are here; all others are equal. The list is
 * exact: what comes nearer, and what goes away, shows. */
static const struct departure {
    const char *launch, *metric;
    uint64_t here;
} departures[] = {
    /* Which lanes go first after YIELD is known in part (docs/sass.md); in recursion_fibonacci one BSYNC of 23 lanes is
       executed once more, and the sectors are counted by instrumented code, whose lanes stay together. */
    {"histogram_shared.G", "memory_l2_theoretical_sectors_global_ideal", 349},
    {"histogram_shared.G", "smsp__inst_executed.sum", 29258},
    {"histogram_shared.G", "smsp__thread_inst_executed.sum", 789550},
    {"histogram_shared.G", "smsp__inst_executed_op_local_ld.sum", 860},
    {"histogram_shared.G", "smsp__inst_executed_op_branch.sum", 2806},
    {"histogram_shared.G", "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", 860},
    {"histogram_shared.G", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 3280},
    {"histogram_shared.G", "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", 47},
    {"histogram_shared.G", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", 1001},
    {"recursion_fibonacci", "memory_l2_theoretical_sectors_global", 53},
    {"recursion_fibonacci", "memory_l2_theoretical_sectors_global_ideal", 24},
    {"recursion_fibonacci", "smsp__inst_executed.sum", 19709},
    {"recursion_fibonacci", "smsp__thread_inst_executed.sum", 136367},
    {"recursion_fibonacci", "smsp__inst_executed_op_branch.sum", 3606},
    /* Atomics of several warps at once, and of other blocks' shared memory (validate/records/h200/atomics, "What is
       left"). */
    {"histogram_global", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", 25568},
    {"shared_s32", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", 10968},
    {"shared_s32.G", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", 3850},
    {"shared_floats", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", 960},
    {"bfs_level", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", 821},
    {"cluster_sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", 8},
    {"cluster_histogram", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", 505},
    /* One store whose lanes lie in three spaces. */
    {"generic_pointers", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 32},
    {"generic_pointers", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 128},
    {"generic_pointers", "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", 32},
    {"generic_pointers", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 128},
    {"generic_pointers.O1", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 32},
    {"generic_pointers.O1", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 128},
    {"generic_pointers.O1", "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", 32},
    {"generic_pointers.O1", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 128},
};

static bool is_departure(const char *launch, const char *metric, uint64_t *here)
{
    for (size_t i = 0; i < sizeof(departures) / sizeof(departures[0]); i++)
        if (strcmp(departures[i].launch, launch) == 0 && strcmp(departures[i].metric, metric) == 0) {
            *here = departures[i].here;
            return true;
        }
    return false;
}

static uint64_t counted(const struct sim_report *report, const char *name)
{
    const struct sim_metric *metric = sim_report_metric(report, name);
    ck_assert_msg(metric != NULL && metric->is_integer, "the report has no %s", name);
    return metric->integer;
}

/* Its blocks wait for one another in a loop: how often it turns is a matter of time, on the card too. */
static bool waits_in_a_loop(const char *launch)
{
    return strcmp(launch, "grid_phases") == 0;
}

/* Returns how many departures it met. */
static unsigned check_counts(const struct sim_report *report, const char *name, const char *const *metrics)
{
    unsigned met = 0;
    int64_t row = support_record_row(&record, name);
    ck_assert_msg(row >= 0, "the record has no launch %s", name);
    for (; *metrics != NULL; metrics++) {
        uint64_t here = counted(report, *metrics), there = support_record_metric(&record, (size_t)row, *metrics),
                 listed = 0;
        if (!is_departure(name, *metrics, &listed)) {
            ck_assert_msg(here == there, "%s: %s is %" PRIu64 ", the H200 has %" PRIu64, name, *metrics, here, there);
            continue;
        }
        met++;
        ck_assert_msg(here == listed && here != there,
                      "%s: %s is %" PRIu64 ", the list of departures has %" PRIu64 " and the H200 %" PRIu64, name,
                      *metrics, here, listed, there);
    }
    return met;
}

START_TEST(test_machine_code)
{
    struct support_list list;
    unsigned buffers = 0, met = 0;
    support_list_read_as(&list, RECORD ".cases", ".sass");
    support_record_read(&record, RECORD);
    ck_assert_uint_eq(list.launches->count, LAUNCHES);
    for (size_t i = 0; i < list.launches->count; i++) {
        struct support_launch ran;
        support_launch_bind(&ran, &list, i);
        const char *name = ran.text->name;
        ck_assert_msg(run(&ran) == BASE_OK && ran.report.status == SIM_RUN_OK, "%s: %s", name,
                      ran.report.message ? ran.report.message : "no message");
        buffers += check_buffers(&ran.report, name);
        check_launch(&ran.report, name);
        if (!waits_in_a_loop(name))
            met += check_counts(&ran.report, name, support_memory_metrics) +
                   check_counts(&ran.report, name, support_machine_metrics) +
                   check_counts(&ran.report, name, more_metrics);
        support_launch_free(&ran);
    }
    ck_assert_uint_eq(met, sizeof(departures) / sizeof(departures[0]));
    ck_assert_uint_ge(buffers, MACHINE_BUFFERS_LEAST);
    support_list_free(&list);
    support_record_free(&record);
}
END_TEST

/* Arithmetic of f32 and f64, thread by thread (validate/records/h200/arithmetic). */
START_TEST(test_arithmetic)
{
    static const char *const names[6] = {"fadd", "fmul", "ffma", "dadd", "dmul", "dfma"};
    struct support_list list;
    size_t size = 0;
    support_list_read_as(&list, "validate/records/h200/arithmetic/arithmetic.cases", ".sass");
    char *counts = support_read("validate/records/h200/arithmetic/arithmetic.csv", &size);
    for (size_t i = 0; i < list.launches->count; i++) {
        struct support_launch ran;
        support_launch_bind(&ran, &list, i);
        ck_assert_int_eq(run(&ran), BASE_OK);
        const char *at = strstr(counts, ran.text->name);
        for (unsigned k = 0; k < 6; k++) {
            char metric[96];
            ck_assert_ptr_nonnull(at);
            at = strchr(at, ',') + 1;
            snprintf(metric, sizeof(metric), "smsp__sass_thread_inst_executed_op_%s_pred_on.sum", names[k]);
            ck_assert_msg(support_metric(&ran.report, metric) == strtoull(at, NULL, 10), "%s: %s", ran.text->name,
                          metric);
        }
        support_launch_free(&ran);
    }
    free(counts);
    support_list_free(&list);
}
END_TEST

/* What is printed, taken from the heap and read from narrow constants (validate/records/h200/builtins): by lane. */
START_TEST(test_builtins)
{
    static const char *const columns[] = {"narrow_constants", "heap", "say"};
    struct support_list list;
    size_t size = 0;
    support_list_read_as(&list, "validate/records/h200/builtins/builtins.cases", ".sass");
    char *csv = support_read("validate/records/h200/builtins/builtins.csv", &size);
    char *printed = support_read("validate/records/h200/builtins/builtins.out", &size);
    ck_assert_uint_eq(list.launches->count, 3);
    for (size_t i = 0; i < list.launches->count; i++) {
        struct support_launch ran;
        support_launch_bind(&ran, &list, i);
        if (_i == 0)
            support_launch_run(&ran);
        else
            support_launch_run_clock(&ran);
        ck_assert_str_eq(ran.text->name, columns[i]);
        ck_assert_msg(ran.report.status == SIM_RUN_OK, "%s: %s", columns[i], ran.report.message);
        const struct sim_bound_arg *out = &ran.bound.args[i == 2 ? 2 : 0];
        const uint8_t *data = sim_memory_at(&ran.memory, out->address, out->size_bytes);
        const char *row = csv;
        for (size_t lane = 0; lane < 64; lane++) {
            int64_t want = 0, got = 0;
            row = strchr(row, '\n') + 1;
            const char *cell = row;
            for (size_t k = 0; k <= i; k++)
                cell = strchr(cell, ',') + 1;
            want = strtoll(cell, NULL, 10);
            if (i == 0)
                memcpy(&got, data + lane * 8, 8);
            else
                got = ((const int32_t *)(const void *)data)[lane];
            ck_assert_msg(got == want, "%s: lane %zu has %" PRId64 ", on the H200 %" PRId64, columns[i], lane, got,
                          want);
        }
        if (i == 2) {
            ck_assert_uint_eq(ran.report.printed_length, size);
            ck_assert_mem_eq(ran.report.printed, printed, size);
        }
        support_launch_free(&ran);
    }
    free(csv);
    free(printed);
    support_list_free(&list);
}
END_TEST

/* Whose line an instruction has, as nvdisasm -gi tells it for this cubin: atomicAdd of the compiler's
 * device_atomic_functions.hpp (lines 107 and 162) that of its call; kernel.h, which is the kernel's own, keeps its. */
START_TEST(test_inlined)
{
    static const struct {
        uint32_t pc, line;
        const char *file;
    } wanted[] = {
        {0x50, 8, "kernel.h"}, {0x270, 239, "atomics.cu"}, {0x350, 244, "atomics.cu"}, {0x520, 252, "atomics.cu"}};
    struct support_list list;
    support_list_read_text(&list, "validate/records/h200/nvcc/",
                           "k atomics.sass last_block_sum grid=1 block=32 null null null s32=0\n");
    const struct isa_module *module = support_list_module(&list, "atomics.sass");
    const struct isa_function *function = NULL;
    for (size_t f = 0; f < module->function_count; f++)
        if (strcmp(module->functions[f].name, "last_block_sum") == 0)
            function = &module->functions[f];
    ck_assert_ptr_nonnull(function);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        const struct isa_insn *insn = &function->insns[wanted[i].pc / 16];
        const char *name = "";
        for (size_t k = 0; k < module->file_count; k++)
            if (module->files[k].key == insn->loc_file)
                name = module->files[k].name;
        const char *last = strrchr(name, '/');
        ck_assert_msg(insn->loc_line == wanted[i].line && strcmp(last != NULL ? last + 1 : name, wanted[i].file) == 0,
                      "0x%x is of %s:%u, not %s:%u", wanted[i].pc, name, insn->loc_line, wanted[i].file,
                      wanted[i].line);
    }
    support_list_free(&list);
}
END_TEST

Suite *nvcc_suite(void);

Suite *nvcc_suite(void)
{
    Suite *suite = suite_create("nvcc");
    TCase *tcase = tcase_create("h200");
    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, test_ptx);
    tcase_add_test(tcase, test_machine_code);
    tcase_add_test(tcase, test_arithmetic);
    tcase_add_loop_test(tcase, test_builtins, 0, 2);
    tcase_add_test(tcase, test_inlined);
    suite_add_tcase(suite, tcase);
    return suite;
}
