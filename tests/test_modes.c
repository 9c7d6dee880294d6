/* Both modes give one output and one set of exact counters: every launch of kernels/ and of the guide, with the clock
 * and without it.
 *
 * What depends on timing is left out by name: the values that a race leaves, and how often a barrier's loop looks.
 * Where a launch faults, the clock may meet another thread first; the kind of fault is the same. The largest launches
 * run when SIMTLAB_LONG_TESTS is set in the environment. A list's launches run side by side; what fails names its
 * launch. */
#include "tests/support.h"

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
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
    ck_assert_msg(counts->buffer_count == clock->buffer_count, "%s: other buffers", counts->name);
    for (size_t i = 0; i < counts->buffer_count; i++)
        ck_assert_msg(counts->buffers[i].fnv1a64 == clock->buffers[i].fnv1a64, "%s: buffer %zu differs", counts->name,
                      i);
    ck_assert_msg(
        counts->printed_length == clock->printed_length &&
            (counts->printed_length == 0 || memcmp(counts->printed, clock->printed, counts->printed_length) == 0),
        "%s: what it printed differs", counts->name);
}

/* The clock's report has all metrics that the other has, each with the same value, and more behind them. */
static void compare_metrics(const struct sim_report *counts, const struct sim_report *clock)
{
    ck_assert_msg(clock->metric_count > counts->metric_count, "%s: no metrics of the clock", counts->name);
    for (size_t i = 0; i < counts->metric_count; i++) {
        const struct sim_metric *one = &counts->metrics[i], *other = sim_report_metric(clock, one->name);
        ck_assert_msg(other != NULL && one->integer == other->integer &&
                          !(one->real < other->real || one->real > other->real),
                      "%s: %s differs", counts->name, one->name);
    }
}

static void compare_rows(const struct sim_report *counts, const struct sim_report *clock)
{
    ck_assert_msg(counts->insn_count == clock->insn_count, "%s: other instructions", counts->name);
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
    ck_assert_msg(!counts->cycles_mode && clock->cycles_mode, "%s: not both modes", counts->name);
    ck_assert_msg(counts->status == clock->status, "%s: status %d and %d", counts->name, counts->status, clock->status);
    ck_assert_msg(counts->fault.kind == clock->fault.kind, "%s: fault %d and %d", counts->name, counts->fault.kind,
                  clock->fault.kind);
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

enum { THREADS = 4 };

struct share {
    const struct support_list *list;
    atomic_size_t next;
};

static void *run_share(void *user)
{
    struct share *share = user;
    for (;;) {
        size_t index = atomic_fetch_add(&share->next, 1);
        if (index >= share->list->launches->count)
            return NULL;
        run_both(share->list, index);
    }
}

START_TEST(test_list)
{
    pthread_t threads[THREADS];
    struct share share = {.list = &lists[_i]};
    atomic_init(&share.next, 0);
    ck_assert_uint_eq(share.list->launches->count, (size_t)launches[_i]);
    for (size_t t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&threads[t], NULL, run_share, &share), 0);
    for (size_t t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    ck_assert_uint_eq(atomic_load(&share.next), (size_t)launches[_i] + THREADS);
}
END_TEST

Suite *modes_suite(void)
{
    Suite *suite = suite_create("modes");
    TCase *tcase = tcase_create("launches");
    tcase_add_unchecked_fixture(tcase, read_lists, free_lists);
    tcase_set_timeout(tcase, 0);
    tcase_add_loop_test(tcase, test_list, 0, LISTS);
    suite_add_tcase(suite, tcase);
    return suite;
}
