/* The clock's windows: any number of threads gives one report, byte for byte, and one memory; and what a thread of the
 * GPU wrote it reads, though its write waits for the window's end.
 *
 * The second part's kernels are tests/vectors/window.ptx; what they must leave is worked out in C. */
#include "report/report.h"
#include "tests/support.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *window_suite(void);

static const struct {
    const char *path, *file; /* file: another form of the list's modules */
    uint32_t step;           /* every so many launches */
} lists[] = {
    {"kernels/kernels.cases", NULL, 3},
    {"kernels/faulty/faulty.cases", NULL, 1},
    {"validate/records/h200/guide/guide.cases", ".sass", 3},
    {"validate/records/h200/nvcc/nvcc.cases", ".sass", 6},
};

/* Tens of millions of instructions: three runs of each take minutes. */
static bool is_large(const char *name)
{
    return strstr(name, "_4096") != NULL || strcmp(name, "matMul32_1024") == 0 || strcmp(name, "sumReduction") == 0;
}

static char *report_of(const struct support_list *list, size_t index, uint32_t threads)
{
    struct support_launch launch;
    struct base_strbuf out = {0};
    support_launch_bind(&launch, list, index);
    support_launch_run_threads(&launch, threads);
    report_json(&launch.report, NULL, "", &out);
    support_launch_free(&launch);
    ck_assert(!out.failed);
    return out.data;
}

/* Reports have hashes of all buffers. */
START_TEST(test_threads)
{
    struct support_list list;
    if (lists[_i].file == NULL)
        support_list_read(&list, lists[_i].path);
    else
        support_list_read_as(&list, lists[_i].path, lists[_i].file);
    for (size_t i = 0; i < list.launches->count; i += lists[_i].step) {
        const char *name = list.launches->items[i].name;
        if (is_large(name) || !support_list_has_module(&list, list.launches->items[i].file))
            continue;
        char *one = report_of(&list, i, 1), *two = report_of(&list, i, 2), *eight = report_of(&list, i, 8);
        ck_assert_msg(strcmp(one, two) == 0, "%s: two threads give another report than one", name);
        ck_assert_msg(strcmp(one, eight) == 0, "%s: eight threads give another report than one", name);
        free(one);
        free(two);
        free(eight);
    }
    support_list_free(&list);
}
END_TEST

/* ---- What a thread has written it reads ---- */

enum { THREADS = 256, CELLS = 4 * THREADS };

static void run(const char *kernel, uint32_t *out)
{
    char text[256];
    struct support_list list;
    struct support_launch launch;
    snprintf(text, sizeof(text), "%s window.ptx %s grid=%d block=128 u32[%d]=iota\n", kernel, kernel, THREADS / 128,
             CELLS);
    support_list_read_text(&list, "tests/vectors/", text);
    support_launch_bind(&launch, &list, 0);
    support_launch_run_threads(&launch, 2);
    ck_assert_msg(launch.report.status == SIM_RUN_OK, "%s", launch.report.message);
    const struct sim_bound_arg *arg = &launch.bound.args[0];
    memcpy(out, sim_memory_at(&launch.memory, arg->address, arg->size_bytes), CELLS * sizeof(*out));
    support_launch_free(&launch);
    support_list_free(&list);
}

/* Stores of 4, 2 and 1 bytes, read at once with another width. */
START_TEST(test_own_stores)
{
    uint32_t out[CELLS];
    run("own_stores", out);
    for (uint32_t i = 0; i < THREADS; i++) {
        const uint32_t first = (((i + 1000000) & 0xff) | 171u << 8) | 4660u << 16;
        ck_assert_uint_eq(out[4 * i], first);
        ck_assert_uint_eq(out[4 * i + 1], i + 1000001);
        ck_assert_uint_eq(out[4 * i + 2], first);
        ck_assert_uint_eq(out[4 * i + 3], i + 1000001);
    }
}
END_TEST

/* A store, an atomic on it and a load, all by one thread; the atomic of a warp on one word, in the order of lanes. */
START_TEST(test_own_atomics)
{
    uint32_t out[CELLS];
    run("own_atomics", out);
    for (uint32_t i = 0; i < THREADS; i++) {
        ck_assert_uint_eq(out[4 * i], 5 + i);
        ck_assert_uint_eq(out[4 * i + 1], 5 + i);
        ck_assert_uint_eq(out[4 * i + 2], 77);
        ck_assert_uint_eq(out[4 * i + 3], 77 + 4 * i + 2);
    }
}
END_TEST

/* What one warp writes before a barrier another reads behind it. */
START_TEST(test_across_barrier)
{
    uint32_t out[CELLS];
    run("across_barrier", out);
    for (uint32_t i = 0; i < THREADS; i++) {
        ck_assert_uint_eq(out[4 * i], i + 10);
        ck_assert_uint_eq(out[4 * i + 1], (i ^ 64) + 10);
    }
}
END_TEST

Suite *window_suite(void)
{
    Suite *suite = suite_create("window");
    TCase *tcase = tcase_create("threads");
    tcase_set_timeout(tcase, 0);
    tcase_add_loop_test(tcase, test_threads, 0, sizeof(lists) / sizeof(lists[0]));
    suite_add_tcase(suite, tcase);
    tcase = tcase_create("own");
    tcase_add_test(tcase, test_own_stores);
    tcase_add_test(tcase, test_own_atomics);
    tcase_add_test(tcase, test_across_barrier);
    suite_add_tcase(suite, tcase);
    return suite;
}
