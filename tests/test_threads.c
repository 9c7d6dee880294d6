/* Simulations in several host threads at once: each gives what it gives alone. */
#include "tests/engine_kit.h"

#include <pthread.h>
#include <stdlib.h>

Suite *threads_suite(void);

enum { THREADS = 6, KINDS = 3, ROUNDS = 4 };

/* Divergence, shared memory, a barrier, atomics whose order shows in the output; a lock; output and a fault. */
static const struct kit_launch launches[KINDS] = {
    {.ptx = PTX_KERNEL(".shared .align 4 .b8 s[1024];\n"
                       "mov.u32 %r5, s; mad.lo.u32 %r5, %r0, 4, %r5; mov.u32 %r10, 0;\n"
                       "L: add.u32 %r10, %r10, 1; st.shared.u32 [%r5], %r10; rem.u32 %r11, %r0, 7; setp.le.u32 %p1, "
                       "%r10, %r11; @%p1 bra L;\n"
                       "bar.sync 0; ld.shared.u32 %r12, [%r5]; atom.global.add.u32 %r13, [%d0], %r12; st.global.u32 "
                       "[%d1+4], %r13;\n"),
     .args = "u32[2000]=zero",
     .grid = {7},
     .block = {250}},
    {.ptx = PTX_KERNEL("AGAIN: atom.global.cas.b32 %r10, [%d0], 0, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra TEST;\n"
                       "ld.volatile.global.u32 %r11, [%d0+4]; add.u32 %r11, %r11, 1; st.volatile.global.u32 [%d0+4], "
                       "%r11; atom.global.exch.b32 %r12, [%d0], 0;\n"
                       "TEST: @%p1 bra AGAIN; st.global.u32 [%d1+8], %r11;\n"),
     .args = "u32[400]=zero",
     .grid = {4},
     .block = {64}},
    {.ptx = PTX_KERNEL("setp.eq.u32 %p1, %r1, 333; @!%p1 bra FINE; st.global.u32 [%d1+1000000], %r0; FINE: "
                       "st.global.u32 [%d1], %r1;\n"),
     .args = "u32[400]=zero",
     .grid = {2},
     .block = {200}},
};

struct job {
    pthread_t thread;
    unsigned number;
    struct kit kits[ROUNDS];
};

/* Check's assertions are for the main thread alone: here nothing is asserted but that the launch could be read. */
static void *work(void *argument)
{
    struct job *job = argument;
    for (unsigned round = 0; round < ROUNDS; round++)
        kit_run(&job->kits[round], &launches[(job->number + round) % KINDS]);
    return NULL;
}

START_TEST(test_at_once)
{
    static const enum sim_run_status expected[KINDS] = {SIM_RUN_OK, SIM_RUN_OK, SIM_RUN_FAULT};
    struct kit alone[KINDS];
    struct job *jobs = calloc(THREADS, sizeof(*jobs));
    ck_assert_ptr_nonnull(jobs);
    for (unsigned k = 0; k < KINDS; k++) {
        kit_run(&alone[k], &launches[k]);
        ck_assert_int_eq(alone[k].report.status, expected[k]);
    }
    for (unsigned t = 0; t < THREADS; t++) {
        jobs[t].number = t;
        ck_assert_int_eq(pthread_create(&jobs[t].thread, NULL, work, &jobs[t]), 0);
    }
    for (unsigned t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_join(jobs[t].thread, NULL), 0);
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned round = 0; round < ROUNDS; round++) {
            kit_expect_same(&jobs[t].kits[round].report, &alone[(t + round) % KINDS].report);
            kit_free(&jobs[t].kits[round]);
        }
    for (unsigned k = 0; k < KINDS; k++)
        kit_free(&alone[k]);
    free(jobs);
}
END_TEST

/* One module, read once, run by all threads at the same time. */
static void *run_shared(void *argument)
{
    struct kit *kit = argument;
    kit_start(kit, &launches[0], 0);
    return NULL;
}

START_TEST(test_one_module)
{
    struct kit kits[THREADS];
    pthread_t threads[THREADS];
    uint32_t kernel = 0;
    for (unsigned t = 0; t < THREADS; t++) {
        kit_prepare(&kits[t], &launches[0], &kernel);
        if (t > 0) {
            isa_module_free(kits[t].module);
            kits[t].module = kits[0].module;
        }
    }
    for (unsigned t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&threads[t], NULL, run_shared, &kits[t]), 0);
    for (unsigned t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_join(threads[t], NULL), 0);
    for (unsigned t = THREADS; t-- > 0;) {
        ck_assert_int_eq(kits[t].report.status, SIM_RUN_OK);
        kit_expect_same(&kits[t].report, &kits[0].report);
        if (t > 0) {
            kits[t].module = NULL;
            kit_free(&kits[t]);
        }
    }
    kit_free(&kits[0]);
}
END_TEST

Suite *threads_suite(void)
{
    Suite *suite = suite_create("threads");
    TCase *tcase = tcase_create("threads");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, test_at_once);
    tcase_add_test(tcase, test_one_module);
    suite_add_tcase(suite, tcase);
    return suite;
}
