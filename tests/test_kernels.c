/* The kernels of kernels/, launched as their lists say: every buffer against a reference in C, and where the H200's
 * record has the same launch, its hashes and exact counters. Then Numba's, then the faulty ones, which must go wrong in
 * the way their files say.
 *
 * nvcc merges shared-memory reads where these kernels, written by hand, do not: those launches are in other_shared[],
 * and their merged twins are compared with the same row of the record (twins[]).
 */
#include "tests/kernel_reference.h"
#include "tests/support.h"

#include <check.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES = 86, NUMBA_LAUNCHES = 9, FAULTY_LAUNCHES = 12, RECORDED = 47 };

#define REQUESTS_LD  "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
#define REQUESTS_ST  "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"
#define SECTORS_LD   "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
#define SECTORS_ST   "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
#define SECTORS      "memory_l2_theoretical_sectors_global"
#define SECTORS_BEST "memory_l2_theoretical_sectors_global_ideal"
#define SHARED       "memory_l1_wavefronts_shared"
#define SHARED_BEST  "memory_l1_wavefronts_shared_ideal"

static const char *const recorded_metrics[] = {
    REQUESTS_LD,
    REQUESTS_ST,
    SECTORS_LD,
    SECTORS_ST,
    SECTORS,
    SECTORS_BEST,
    "launch__grid_size",
    "launch__block_size",
    "launch__thread_count",
    "launch__shared_mem_per_block_static",
    "launch__shared_mem_per_block_dynamic",
    "launch__shared_mem_per_block_allocated",
    "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_warps",
};

static const char *const other_shared[] = {"example_syncthreads", "sum_reduce",   "sum_reduce_racy",
                                           "matMul16_256",        "matMul16_odd", "matMul32_256"};

static const struct {
    const char *launch, *recorded;
} twins[] = {
    {"example_syncthreads_v4", "example_syncthreads"},
    {"matMul32_v4_256", "matMul32_256"},
};

/* What the lessons say about launches that the record does not have: worked out by hand, in the comment or file. */
static const struct {
    const char *launch, *metric;
    uint64_t value;
} lessons[] = {
    {"threads_3d", SECTORS_ST, 12 * 30},    /* 12 blocks of 60 threads, 16 bytes each: 30 sectors */
    {"block_sum_any", REQUESTS_LD, 63},     /* 2000 / 32, rounded up */
    {"const_uniform", REQUESTS_LD, 32 * 4}, /* the array's; constants make none */
    {"const_lane", REQUESTS_LD, 0},
    {"local_lanes", REQUESTS_LD, 0}, /* local memory is not global memory */
    {"copy_wide", REQUESTS_LD, 2048},
    {"copy_wide", SECTORS_LD, 32768},
    {"fig17_row", SHARED, 32 + 32}, /* a store and a load of 32 warps */
    {"fig17_column", SHARED, 32 + 32 * 32},
    {"fig17_column", SHARED_BEST, 32 + 32},
    {"fig18_row", SHARED, 32 + 32},
    {"fig18_column", SHARED, 32 + 32},
    {"tile16_plain", SHARED, 8 + 8},
    {"tile16_padded", SHARED, 2 * (8 + 8)}, /* the article's padding makes the conflict */
    {"tile16_padded", SHARED_BEST, 8 + 8},
    {"bank_same_word", SHARED, 2 + 2},
    {"transpose_smem_1000", SECTORS_LD, 125000},
    {"transpose_smem_1000", SECTORS_ST, 125000},
    {"transpose_smem_1000", SHARED, 31 * 1000 * (32 + 1) + 1000 * (8 + 1)}, /* 31 full tiles of each row, one of 8 */
    {"transpose_pad_1000", SHARED, 32 * 1000 * 2},
    {"matMul16_256", SHARED, 256 * 16 * 8 * (2 + 32)},
    {"matMul32_256", SHARED, 64 * 8 * 32 * (2 + 64)},
    {"example_syncthreads", SHARED, 64 * (4 + 128)},
    {"sum_reduce", SHARED, 1024 * (8 + 256)},
    {"sum_relaxed", SECTORS, 32768 + 8192}, /* the additions of a warp are at one address: one sector */
    {"reduceSum_64", SHARED, 100 * (2 + 3 * 6 + 1)},
    {"tile8_reduce", SHARED, 0},
    {"spill_free", SECTORS_LD, 2048 * 40 * 4},
    {"filter_256", REQUESTS_LD, 1536 * 128},
};

static const struct {
    const char *launch;
    uint32_t blocks, warps; /* on an SM */
} occupancies[] = {
    {"block768", 2, 48}, {"block32", 32, 32}, {"dynsmem100k", 2, 16}, {"filter_256", 1, 8}, {"filter_192", 2, 12},
};

enum outcome { OUTCOME_FAULT, OUTCOME_WRONG, OUTCOME_ANY };

/* What the faulty launches come to. A fault stops at a line of the launch's file that holds `line`. */
static const struct faulty {
    const char *launch;
    enum outcome outcome;
    enum sim_fault_kind kind;
    const char *line;
} faulty[] = {
    {"dyn_partition_bad", OUTCOME_FAULT, SIM_FAULT_MISALIGNED, "st.shared.f32 [%slot1], %f"},
    {"transpose_guard", OUTCOME_FAULT, SIM_FAULT_OUT_OF_BOUNDS, "st.global.f32 [%p], %v"},
    {"sum_unguarded", OUTCOME_FAULT, SIM_FAULT_OUT_OF_BOUNDS, "ld.global.f32 %x, [%p]"},
    {"clusterHist_original", OUTCOME_FAULT, SIM_FAULT_BAD_INSTRUCTION, "mapa.shared::cluster"},
    {"clusterHist_too_small", OUTCOME_FAULT, SIM_FAULT_TRAP, "trap"},
    {"grid_sync_plain", OUTCOME_FAULT, SIM_FAULT_NULL, "atom.release.gpu.add"},
    {"reduceSum_192_trap", OUTCOME_FAULT, SIM_FAULT_TRAP, "trap"},
    {"transpose_guard_room", OUTCOME_WRONG, SIM_FAULT_NONE, NULL},
    {"reduceSum_192", OUTCOME_WRONG, SIM_FAULT_NONE, NULL},
    {"matMul16_truncated", OUTCOME_WRONG, SIM_FAULT_NONE, NULL},
    {"sum_reduce_racy", OUTCOME_ANY, SIM_FAULT_NONE, NULL},
    {"syncthreads_nobar", OUTCOME_ANY, SIM_FAULT_NONE, NULL},
};

/* Read once, before the tests; each test's process inherits them. */
static struct support_list kernels_list, numba_list, faulty_list;
static struct support_record record;

static void read_all_lists(void)
{
    support_list_read(&kernels_list, "kernels/kernels.cases");
    support_list_read(&numba_list, "kernels/numba/numba.cases");
    support_list_read(&faulty_list, "kernels/faulty/faulty.cases");
    support_record_read(&record, SUPPORT_GUIDE);
}

static void free_all_lists(void)
{
    support_list_free(&kernels_list);
    support_list_free(&numba_list);
    support_list_free(&faulty_list);
    support_record_free(&record);
}

/* ---- Against the reference ---- */

static uint64_t product_of(const uint32_t dim[3])
{
    return (uint64_t)dim[0] * dim[1] * dim[2];
}

/* The launch as its reference sees it, with copies of the buffers as they are now. */
static void copy_call(const struct support_launch *launch, struct reference_call *call)
{
    const struct sim_launch_text *text = launch->text;
    *call = (struct reference_call){.blocks = product_of(text->grid), .threads = product_of(text->block)};
    memcpy(call->grid, text->grid, sizeof(call->grid));
    memcpy(call->block, text->block, sizeof(call->block));
    for (size_t i = 0; i < text->arg_count; i++) {
        const struct sim_bound_arg *arg = &launch->bound.args[i];
        ck_assert(call->buffer_count < REFERENCE_ARGS_MAX && call->scalar_count < REFERENCE_ARGS_MAX);
        if (arg->has_buffer) {
            void *copy = malloc(arg->size_bytes);
            ck_assert_ptr_nonnull(copy);
            memcpy(copy, sim_memory_at(&launch->memory, arg->address, arg->size_bytes), arg->size_bytes);
            call->buffers[call->buffer_count++] =
                (struct reference_buffer){copy, arg->size_bytes, arg->size_bytes / (isa_types[arg->type].bits / 8)};
        } else if (text->args[i].kind == SIM_ARG_SCALAR) {
            call->scalars[call->scalar_count++] = text->args[i].value;
        }
    }
}

static void free_call(struct reference_call *call)
{
    for (size_t i = 0; i < call->buffer_count; i++)
        free(call->buffers[i].data);
}

/* The n-th buffer argument after the run. */
static const void *result_of(const struct support_launch *launch, size_t n)
{
    for (size_t i = 0; i < launch->bound.arg_count; i++) {
        const struct sim_bound_arg *arg = &launch->bound.args[i];
        if (arg->has_buffer && n-- == 0)
            return sim_memory_at(&launch->memory, arg->address, arg->size_bytes);
    }
    ck_abort_msg("%s: too few buffers", launch->text->name);
    return NULL;
}

static void check_buffers(const struct support_launch *launch, const struct reference_call *want)
{
    ck_assert_uint_eq(launch->report.buffer_count, want->buffer_count);
    for (size_t n = 0; n < want->buffer_count; n++) {
        const struct reference_buffer *buffer = &want->buffers[n];
        const uint8_t *have = result_of(launch, n), *right = buffer->data;
        size_t at = 0, width = (size_t)(buffer->size_bytes / buffer->count);
        while (at < buffer->size_bytes && have[at] == right[at])
            at++;
        ck_assert_msg(at == buffer->size_bytes, "%s: buffer %zu differs from the reference at element %zu",
                      launch->text->name, n, at / width);
    }
}

static void check_run(struct support_launch *launch, const struct support_list *list, size_t index)
{
    struct reference_call want;
    support_launch_bind(launch, list, index);
    reference_function *reference = reference_find(launch->text->kernel);
    ck_assert_msg(reference != NULL, "no reference for the kernel %s", launch->text->kernel);
    copy_call(launch, &want);
    reference(&want);
    support_launch_run(launch);
    ck_assert_msg(launch->report.status == SIM_RUN_OK, "%s: %s", launch->text->name,
                  launch->report.message ? launch->report.message : "no message");
    check_buffers(launch, &want);
    free_call(&want);
}

/* ---- Against the record ---- */

static const char *recorded_name(const char *launch)
{
    for (size_t i = 0; i < sizeof(twins) / sizeof(twins[0]); i++) {
        if (strcmp(twins[i].launch, launch) == 0)
            return twins[i].recorded;
    }
    return launch;
}

static void check_equal(const struct sim_report *report, size_t row, const char *metric)
{
    uint64_t here = support_metric(report, metric), there = support_record_metric(&record, row, metric);
    ck_assert_msg(here == there, "%s: %s is %" PRIu64 ", the H200 has %" PRIu64, report->name, metric, here, there);
}

static void check_shared(const struct sim_report *report, size_t row)
{
    bool other = false;
    for (size_t i = 0; i < sizeof(other_shared) / sizeof(other_shared[0]); i++)
        other = other || strcmp(other_shared[i], report->name) == 0;
    if (other) {
        ck_assert_msg(support_metric(report, SHARED) > support_record_metric(&record, row, SHARED),
                      "%s: nvcc's merged reads should take fewer wavefronts", report->name);
    } else {
        check_equal(report, row, SHARED);
        check_equal(report, row, SHARED_BEST);
    }
}

/* The record numbers its arguments without symbols, which are variables there. */
static void check_hashes(const struct support_launch *launch, const char *name)
{
    const struct sim_report *report = &launch->report;
    uint32_t symbols = 0;
    for (size_t i = 0; i < launch->text->arg_count; i++)
        symbols += launch->text->args[i].kind == SIM_ARG_SYMBOL;
    for (size_t i = 0; i < report->buffer_count; i++) {
        uint64_t there = 0;
        ck_assert_msg(support_record_hash(&record, name, report->buffers[i].arg - symbols, &there),
                      "%s: the record has no argument %" PRIu32, name, report->buffers[i].arg);
        ck_assert_msg(report->buffers[i].fnv1a64 == there, "%s: argument %" PRIu32 " differs from the H200's", name,
                      report->buffers[i].arg);
    }
}

static void check_record(const struct support_launch *launch)
{
    const char *name = recorded_name(launch->text->name);
    int64_t row = support_record_row(&record, name);
    if (row < 0)
        return;
    for (size_t i = 0; i < sizeof(recorded_metrics) / sizeof(recorded_metrics[0]); i++)
        check_equal(&launch->report, (size_t)row, recorded_metrics[i]);
    check_shared(&launch->report, (size_t)row);
    if (strcmp(name, "sum_reduce_racy") != 0)
        check_hashes(launch, name);
}

static void check_lessons(const struct sim_report *report)
{
    for (size_t i = 0; i < sizeof(lessons) / sizeof(lessons[0]); i++) {
        if (strcmp(lessons[i].launch, report->name) == 0)
            ck_assert_msg(support_metric(report, lessons[i].metric) == lessons[i].value,
                          "%s: %s is %" PRIu64 ", it should be %" PRIu64, report->name, lessons[i].metric,
                          support_metric(report, lessons[i].metric), lessons[i].value);
    }
    for (size_t i = 0; i < sizeof(occupancies) / sizeof(occupancies[0]); i++) {
        if (strcmp(occupancies[i].launch, report->name) == 0) {
            ck_assert_uint_eq(report->occupancy.blocks_per_sm, occupancies[i].blocks);
            ck_assert_uint_eq(report->occupancy.warps_per_sm, occupancies[i].warps);
        }
    }
}

START_TEST(test_kernel)
{
    struct support_launch launch;
    check_run(&launch, &kernels_list, (size_t)_i);
    check_record(&launch);
    check_lessons(&launch.report);
    support_launch_free(&launch);
}
END_TEST

/* A float64 array makes twice the sectors of a float32 one; everything else is as in the hand-written kernels. */
START_TEST(test_numba)
{
    struct support_launch launch;
    check_run(&launch, &numba_list, (size_t)_i);
    if (strncmp(launch.text->name, "sum_reduce", 10) == 0) {
        bool wide = strcmp(launch.text->name, "sum_reduce64") == 0;
        ck_assert_uint_eq(support_metric(&launch.report, SECTORS_LD), wide ? 65536 : 32768);
    }
    if (strcmp(launch.text->name, "transpose") == 0)
        ck_assert_uint_eq(support_metric(&launch.report, SECTORS_ST), 1048576);
    if (strcmp(launch.text->name, "smem_transpose") == 0)
        ck_assert_uint_eq(support_metric(&launch.report, SECTORS_ST), 131072);
    support_launch_free(&launch);
}
END_TEST

/* ---- Faulty ones ---- */

static void check_fault(const struct support_launch *launch, const struct faulty *expected)
{
    const struct sim_report *report = &launch->report;
    char path[256];
    size_t size = 0;
    ck_assert_msg(report->status == SIM_RUN_FAULT, "%s: no fault", report->name);
    ck_assert_msg(report->fault.kind == expected->kind, "%s: %s", report->name, report->message);
    snprintf(path, sizeof(path), "kernels/faulty/%s", launch->text->file);
    char *text = support_read(path, &size);
    char *line = text;
    for (uint32_t i = 1; i < report->fault_line && line != NULL; i++) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    ck_assert_ptr_nonnull(line);
    line[strcspn(line, "\n")] = '\0';
    ck_assert_msg(strstr(line, expected->line) != NULL, "%s: stopped at %s", report->name, line);
    free(text);
}

/* m = 1000: thread (x, y) of a tile at the edge reads one element and writes another, with the guard of the first. */
static void check_transpose_guard(const struct support_launch *launch)
{
    const float *c = result_of(launch, 1);
    unsigned wrong = 0, stray = 0;
    for (size_t i = 0; i < 1000000; i++)
        wrong += c[i] != (float)(i % 1000 * 1000 + i / 1000);
    for (size_t i = 1000000; i < 1024024; i++)
        stray += c[i] != -1.0F;
    ck_assert_uint_eq(wrong, 17856);
    ck_assert_uint_eq(stray, 5952);
}

/* A grid of 6 x 4 blocks of 16 x 16 covers 96 of 100 columns and 64 of 77 rows. */
static void check_truncated(const struct support_launch *launch, struct reference_call *want)
{
    reference_product(want->buffers[0].data, want->buffers[1].data, want->buffers[2].data, 64, 96, 100, 77);
    check_buffers(launch, want);
}

static void check_wrong(const struct support_launch *launch, struct reference_call *want)
{
    ck_assert_int_eq(launch->report.status, SIM_RUN_OK);
    if (strcmp(launch->text->name, "transpose_guard_room") == 0) {
        check_transpose_guard(launch);
    } else if (strcmp(launch->text->name, "matMul16_truncated") == 0) {
        check_truncated(launch, want);
    } else {
        ck_assert_str_eq(launch->text->name, "reduceSum_192");
        for (size_t block = 0; block < 10; block++)
            ck_assert(((const float *)result_of(launch, 1))[block] == 128.0F);
    }
}

/* A race between blocks may lose sums, never all of them, and never adds. */
static void check_any(const struct support_launch *launch)
{
    ck_assert_int_eq(launch->report.status, SIM_RUN_OK);
    if (strcmp(launch->text->name, "sum_reduce_racy") == 0) {
        float sum = *(const float *)result_of(launch, 1);
        ck_assert_msg(sum >= 256.0F && sum <= 262144.0F, "the racy sum is %g", (double)sum);
        check_record(launch);
    }
}

START_TEST(test_faulty)
{
    struct support_launch launch;
    struct reference_call before;
    support_launch_bind(&launch, &faulty_list, (size_t)_i);
    copy_call(&launch, &before);
    support_launch_run(&launch);
    ck_assert_str_eq(launch.text->name, faulty[_i].launch);
    if (faulty[_i].outcome == OUTCOME_FAULT)
        check_fault(&launch, &faulty[_i]);
    else if (faulty[_i].outcome == OUTCOME_WRONG)
        check_wrong(&launch, &before);
    else
        check_any(&launch);
    free_call(&before);
    support_launch_free(&launch);
}
END_TEST

/* ---- Nothing left out ---- */

static bool has_launch(const struct support_list *list, const char *name)
{
    for (size_t i = 0; i < list->launches->count; i++) {
        if (strcmp(list->launches->items[i].name, name) == 0)
            return true;
    }
    return false;
}

/* Lists that shrank must not pass for lists that agree. matMul32_1024 of the record is left to the guide's suite. */
START_TEST(test_counts)
{
    size_t recorded = 0;
    ck_assert_uint_eq(kernels_list.launches->count, LAUNCHES);
    ck_assert_uint_eq(numba_list.launches->count, NUMBA_LAUNCHES);
    ck_assert_uint_eq(faulty_list.launches->count, FAULTY_LAUNCHES);
    ck_assert_uint_eq(sizeof(faulty) / sizeof(faulty[0]), FAULTY_LAUNCHES);
    for (size_t i = 0; i < record.names.count; i++) {
        const char *name = record.names.data[i];
        bool here = has_launch(&kernels_list, name) || has_launch(&faulty_list, name);
        ck_assert_msg(here || strcmp(name, "matMul32_1024") == 0, "no launch %s", name);
        recorded++;
    }
    ck_assert_uint_eq(recorded, RECORDED);
    for (size_t i = 0; i < sizeof(lessons) / sizeof(lessons[0]); i++)
        ck_assert_msg(has_launch(&kernels_list, lessons[i].launch), "no launch %s", lessons[i].launch);
}
END_TEST

static void check_kernels_launched(const struct support_list *list, const struct support_module *module)
{
    for (size_t f = 0; f < module->module->function_count; f++) {
        const struct isa_function *function = &module->module->functions[f];
        bool launched = !function->is_entry;
        for (size_t i = 0; i < list->launches->count && !launched; i++) {
            const struct sim_launch_text *text = &list->launches->items[i];
            launched =
                strcmp(text->kernel, function->name) == 0 && support_list_module(list, text->file) == module->module;
        }
        ck_assert_msg(launched, "%s: no launch of %s", module->path, function->name);
    }
}

/* Every file of kernels/ is in its list, and every kernel of it is launched. */
START_TEST(test_all_launched)
{
    size_t files = 0;
    DIR *folder = opendir(TEST_SRCDIR "/kernels");
    ck_assert_ptr_nonnull(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        size_t length = strlen(entry->d_name);
        files += length > 4 && strcmp(entry->d_name + length - 4, ".ptx") == 0;
    }
    closedir(folder);
    ck_assert_uint_eq(files, kernels_list.modules.count);
    for (size_t i = 0; i < kernels_list.modules.count; i++)
        check_kernels_launched(&kernels_list, &kernels_list.modules.data[i]);
}
END_TEST

Suite *kernels_suite(void);

Suite *kernels_suite(void)
{
    Suite *suite = suite_create("kernels");
    TCase *tcase = tcase_create("launches");
    tcase_add_unchecked_fixture(tcase, read_all_lists, free_all_lists);
    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, test_counts);
    tcase_add_test(tcase, test_all_launched);
    tcase_add_loop_test(tcase, test_kernel, 0, LAUNCHES);
    tcase_add_loop_test(tcase, test_numba, 0, NUMBA_LAUNCHES);
    tcase_add_loop_test(tcase, test_faulty, 0, FAULTY_LAUNCHES);
    suite_add_tcase(suite, tcase);
    return suite;
}
