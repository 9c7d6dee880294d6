/* Both modes give one output and one set of exact counters: every launch of kernels/ and of the guide, with the clock
 * and without it.
 *
 * What depends on timing is left out by name: the values that a race leaves, and how often a barrier's loop looks.
 * Where a launch faults, the clock may meet another thread first; the kind of fault is the same. The largest launches
 * run when SIMTLAB_LONG_TESTS is set in the environment. */
#include "tests/support.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *modes_suite(void);

enum { LISTS = 4 };
static const char *const paths[LISTS] = {"kernels/kernels.cases", "kernels/faulty/faulty.cases",
                                         "kernels/numba/numba.cases", "validate/records/h200/guide/guide.cases"};
static const int launches[LISTS] = {86, 12, 9, 48};
static struct support_list lists[LISTS];

static void read_lists(void)
{
    for (size_t i = 0; i < LISTS; i++)
        support_list_read(&lists[i], paths[i]);
}

static void free_lists(void)
{
    for (size_t i = 0; i < LISTS; i++)
        support_list_free(&lists[i]);
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool is_skipped(const char *name)
{
    return (strstr(name, "_4096") != NULL || strcmp(name, "matMul32_1024") == 0) &&
           getenv("SIMTLAB_LONG_TESTS") == NULL;
}

static void compare_buffers(const struct sim_report *counts, const struct sim_report *clock)
{
    ck_assert_uint_eq(counts->buffer_count, clock->buffer_count);
    for (size_t i = 0; i < counts->buffer_count; i++)
        ck_assert_msg(counts->buffers[i].fnv1a64 == clock->buffers[i].fnv1a64, "%s: buffer %zu differs", counts->name,
                      i);
    ck_assert_uint_eq(counts->printed_length, clock->printed_length);
    if (counts->printed_length > 0)
        ck_assert_mem_eq(counts->printed, clock->printed, counts->printed_length);
}

/* The clock's report has all metrics that the other has, each with the same value, and more behind them. */
static void compare_metrics(const struct sim_report *counts, const struct sim_report *clock)
{
    ck_assert_uint_gt(clock->metric_count, counts->metric_count);
    for (size_t i = 0; i < counts->metric_count; i++) {
        const struct sim_metric *one = &counts->metrics[i], *other = sim_report_metric(clock, one->name);
        ck_assert_msg(other != NULL && one->integer == other->integer &&
                          !(one->real < other->real || one->real > other->real),
                      "%s: %s differs", counts->name, one->name);
    }
}

static void compare_rows(const struct sim_report *counts, const struct sim_report *clock)
{
    ck_assert_uint_eq(counts->insn_count, clock->insn_count);
    for (size_t i = 0; i < counts->insn_count; i++) {
        const struct sim_insn_report *x = &counts->insns[i], *y = &clock->insns[i];
        ck_assert_msg(x->executed == y->executed && x->thread_executed == y->thread_executed &&
                          x->predicated_off == y->predicated_off && x->requests == y->requests &&
                          x->sectors == y->sectors && x->sectors_ideal == y->sectors_ideal &&
                          x->wavefronts == y->wavefronts && x->wavefronts_ideal == y->wavefronts_ideal &&
                          x->divergent == y->divergent,
                      "%s: %s differs", counts->name, x->text);
    }
}

static void compare(const struct sim_report *counts, const struct sim_report *clock)
{
    static const char *const races[] = {"sum_reduce_racy", "syncthreads_nobar"};
    static const char *const waits[] = {"grid_sync", "grid_sync_counter"};
    ck_assert(!counts->cycles_mode && clock->cycles_mode);
    ck_assert_int_eq(counts->status, clock->status);
    ck_assert_int_eq(counts->fault.kind, clock->fault.kind);
    if (counts->status != SIM_RUN_OK)
        return;
    if (!is_one_of(counts->name, races, 2))
        compare_buffers(counts, clock);
    if (is_one_of(counts->name, waits, 2))
        return;
    compare_metrics(counts, clock);
    compare_rows(counts, clock);
}

static void run_both(const struct support_list *list, size_t index)
{
    struct support_launch counts, clock;
    if (is_skipped(list->launches->items[index].name))
        return;
    support_launch_bind(&counts, list, index);
    support_launch_bind(&clock, list, index);
    support_launch_run(&counts);
    support_launch_run_clock(&clock);
    compare(&counts.report, &clock.report);
    support_launch_free(&counts);
    support_launch_free(&clock);
}

START_TEST(test_kernels)
{
    run_both(&lists[0], (size_t)_i);
}
END_TEST

START_TEST(test_faulty)
{
    run_both(&lists[1], (size_t)_i);
}
END_TEST

START_TEST(test_numba)
{
    run_both(&lists[2], (size_t)_i);
}
END_TEST

START_TEST(test_guide)
{
    run_both(&lists[3], (size_t)_i);
}
END_TEST

/* No launch of a list is left out. */
START_TEST(test_all)
{
    for (size_t i = 0; i < LISTS; i++)
        ck_assert_uint_eq(lists[i].launches->count, (size_t)launches[i]);
}
END_TEST

Suite *modes_suite(void)
{
    Suite *suite = suite_create("modes");
    TCase *tcase = tcase_create("launches");
    tcase_add_unchecked_fixture(tcase, read_lists, free_lists);
    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, test_all);
    tcase_add_loop_test(tcase, test_kernels, 0, launches[0]);
    tcase_add_loop_test(tcase, test_faulty, 0, launches[1]);
    tcase_add_loop_test(tcase, test_numba, 0, launches[2]);
    tcase_add_loop_test(tcase, test_guide, 0, launches[3]);
    suite_add_tcase(suite, tcase);
    return suite;
}
