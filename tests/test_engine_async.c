/* Asynchronous copies, barriers in shared memory and the rules that matrix instructions have for lanes, against the PTX
 * ISA's words. Each test runs without the clock and with it. */
#include "tests/engine_kit.h"

Suite *engine_async_suite(void);

#define SHARED_BARRIERS ".shared .align 8 .b64 full; .shared .align 8 .b64 empty; .shared .align 16 .b32 cell[64];\n"

static void run_ok(struct kit *kit, const char *ptx, const char *args, uint32_t threads, int mode)
{
    kit_run_ok(kit, &(struct kit_launch){.ptx = ptx, .args = args, .block = {threads}, .cycles = mode == 1});
}

static void expect_fault(const char *ptx, const char *args, uint32_t threads, enum sim_fault_kind kind,
                         const char *word, int mode)
{
    struct kit kit;
    kit_run(&kit, &(struct kit_launch){.ptx = ptx, .args = args, .block = {threads}, .cycles = mode == 1});
    ck_assert_int_eq(kit.report.status, SIM_RUN_FAULT);
    ck_assert_msg(kit.report.fault.kind == kind && strstr(kit.report.fault.message, word) != NULL, "%s",
                  kit.report.fault.message);
    kit_free(&kit);
}

/* ---- cp.async ---- */

/* Three groups of one word each. What a thread sees after each wait: group i is there when at most 2 - i may be open.
 */
START_TEST(test_groups)
{
    struct kit kit;
    run_ok(&kit,
           PTX_KERNEL(SHARED_BARRIERS
                      "mov.u32 %r2, cell; mov.u32 %r3, 0; st.shared.u32 [%r2], %r3; st.shared.u32 [%r2+4], %r3; "
                      "st.shared.u32 [%r2+8], %r3;\n"
                      "cp.async.ca.shared.global [%r2], [%d0], 4; cp.async.commit_group;\n"
                      "cp.async.ca.shared.global [%r2+4], [%d0+4], 4; cp.async.commit_group;\n"
                      "cp.async.ca.shared.global [%r2+8], [%d0+8], 4; cp.async.commit_group;\n"
                      "cp.async.wait_group 2; ld.shared.u32 %r4, [%r2]; ld.shared.u32 %r5, [%r2+4]; st.global.u32 "
                      "[%d0+16], %r4; st.global.u32 [%d0+20], %r5;\n"
                      "cp.async.wait_group 1; ld.shared.u32 %r5, [%r2+4]; ld.shared.u32 %r6, [%r2+8]; st.global.u32 "
                      "[%d0+24], %r5; st.global.u32 [%d0+28], %r6;\n"
                      "cp.async.ca.shared.global [%r2], [%d0+12], 4; cp.async.wait_group 0; ld.shared.u32 %r6, "
                      "[%r2+8]; st.global.u32 [%d0+32], %r6; ld.shared.u32 %r4, [%r2]; st.global.u32 [%d0+36], %r4;\n"
                      "cp.async.wait_all; ld.shared.u32 %r4, [%r2]; st.global.u32 [%d0+40], %r4;\n"),
           "u32[12]=iota", 1, _i);
    /* iota: words 0, 1, 2, 3. Not yet copied: 0. The last copy was in no group, so that only wait_all covers it. */
    const uint32_t want[] = {0, 0, 1, 0, 2, 0, 3};
    for (unsigned k = 0; k < 7; k++)
        ck_assert_msg(kit_words(&kit, 0)[4 + k] == want[k], "look %u: %u", k, kit_words(&kit, 0)[4 + k]);
    kit_free(&kit);
}
END_TEST

/* Copies that a thread never waited for are done when it has ended, and lanes have groups of their own. */
START_TEST(test_lanes_apart)
{
    struct kit kit;
    run_ok(&kit,
           PTX_KERNEL(SHARED_BARRIERS
                      "mov.u32 %r2, cell; shl.b32 %r3, %r0, 2; add.u32 %r2, %r2, %r3; mov.u32 %r4, 0; st.shared.u32 "
                      "[%r2], %r4;\n"
                      "cp.async.ca.shared.global [%r2], [%d1], 4;\n"
                      "and.b32 %r5, %r0, 1; setp.ne.u32 %p1, %r5, 0;\n"
                      "@%p1 cp.async.commit_group; @%p1 cp.async.wait_group 0;\n"
                      "ld.shared.u32 %r6, [%r2]; st.global.u32 [%d1+128], %r6;\n"
                      "setp.eq.u32 %p2, %r0, 31; @!%p2 ret; nanosleep.u32 100;\n"
                      "mov.u32 %r7, cell; ld.shared.u32 %r6, [%r7+8]; st.global.u32 [%d1+256], %r6;\n"),
           "u32[128]=iota", 32, _i);
    for (uint32_t t = 0; t < 32; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t + 32], t % 2 == 1 ? t : 0);
    ck_assert_uint_eq(kit_words(&kit, 0)[31 + 64], 2); /* lane 2 has ended */
    kit_free(&kit);
}
END_TEST

/* A place of 16 bytes at the end of a buffer of 20: four bytes of it can be read, the rest is filled with zeros. */
START_TEST(test_partial)
{
    static const char copy[] =
        PTX_KERNEL(SHARED_BARRIERS "mov.u32 %r2, cell; add.u64 %d2, %d0, 16; mov.u32 %r3, 4;\n"
                                   "cp.async.cg.shared.global [%r2], [%d2], 16, %r3; cp.async.wait_all;\n"
                                   "ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2]; add.u32 %r4, %r4, %r5; "
                                   "add.u32 %r4, %r4, %r6; add.u32 %r4, %r4, %r7; st.global.u32 [%d0], %r4;\n");
    struct kit kit;
    run_ok(&kit, copy, "u32[5]=iota", 1, _i);
    ck_assert_uint_eq(kit_words(&kit, 0)[0], 4);
    kit_free(&kit);
    expect_fault(copy, "u32[4]=iota", 1, SIM_FAULT_OUT_OF_BOUNDS, "read", _i);
}
END_TEST

START_TEST(test_copy_faults)
{
    expect_fault(PTX_KERNEL(SHARED_BARRIERS "mov.u32 %r2, cell; cp.async.ca.shared.global [%r2+4], [%d0], 8;\n"),
                 "u32[8]=zero", 1, SIM_FAULT_MISALIGNED, "shared", _i);
    expect_fault(PTX_KERNEL(SHARED_BARRIERS "mov.u32 %r2, cell; cp.async.ca.shared.global [%r2], [%d0+4], 8;\n"),
                 "u32[8]=zero", 1, SIM_FAULT_MISALIGNED, "global", _i);
    expect_fault(PTX_KERNEL(SHARED_BARRIERS "mov.u32 %r2, cell; mov.u32 %r3, 2;\n"
                                            "cp.async.ca.shared.global [%r2], [%d0+4], 8, %r3;\n"),
                 "u32[8]=zero", 1, SIM_FAULT_MISALIGNED, "global", _i);
    expect_fault(PTX_KERNEL(SHARED_BARRIERS "mov.u32 %r2, 4000000; cp.async.ca.shared.global [%r2], [%d0], 8;\n"),
                 "u32[8]=zero", 1, SIM_FAULT_OUT_OF_BOUNDS, "shared", _i);
}
END_TEST

/* ---- mbarrier ---- */

/* Warp 0 fills a cell eight times, warp 1 empties it: two barriers of 32 arrivals, waited for by parity. */
START_TEST(test_ring)
{
    struct kit kit;
    run_ok(&kit,
           PTX_KERNEL(SHARED_BARRIERS
                      "mov.u32 %r2, full; mov.u32 %r3, empty; mov.u32 %r4, cell; and.b32 %r5, %r0, 31; shl.b32 %r6, "
                      "%r5, 2; add.u32 %r4, %r4, %r6; setp.eq.u32 %p0, %r0, 0;\n"
                      "@%p0 mbarrier.init.shared.b64 [%r2], 32; @%p0 mbarrier.init.shared.b64 [%r3], 32;\n"
                      "bar.sync 0; mov.u32 %r10, 0; mov.u32 %r11, 0; setp.lt.u32 %p1, %r0, 32; @!%p1 bra USE;\n"
                      "MAKE: xor.b32 %r12, %r10, 1; and.b32 %r12, %r12, 1;\n"
                      "W1: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], %r12; @!%p2 bra W1;\n"
                      "mad.lo.u32 %r13, %r10, 100, %r5; st.shared.u32 [%r4], %r13;\n"
                      "mbarrier.arrive.shared.b64 _, [%r2]; add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 8; @%p3 bra "
                      "MAKE; bra DONE;\n"
                      "USE: and.b32 %r12, %r10, 1;\n"
                      "W2: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], %r12; @!%p2 bra W2;\n"
                      "ld.shared.u32 %r13, [%r4]; mad.lo.u32 %r11, %r11, 3, %r13; mbarrier.arrive.shared.b64 %d5, "
                      "[%r3]; add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 8; @%p3 bra USE;\n"
                      "st.global.u32 [%d1], %r11;\nDONE: nanosleep.u32 1;\n"),
           "u32[64]=zero", 64, _i);
    for (uint32_t t = 0; t < 32; t++) {
        uint32_t want = 0;
        for (uint32_t i = 0; i < 8; i++)
            want = want * 3 + i * 100 + t;
        ck_assert_uint_eq(kit_words(&kit, 0)[32 + t], want);
    }
    /* A wait is one instruction, however long it is. */
    kit_expect_count(&kit, "mbarrier.try_wait.parity.shared.b64 %p2, [%r2]", 8, 256);
    kit_free(&kit);
}
END_TEST

/* What arrivals leave pending, and which states and parities are complete: the PTX ISA's phase rules. */
START_TEST(test_phases)
{
    struct kit kit;
    run_ok(
        &kit,
        PTX_KERNEL(SHARED_BARRIERS
                   "mov.u32 %r2, full; mbarrier.init.shared.b64 [%r2], 3; add.u64 %d9, %d0, 0;\n"
                   "mbarrier.arrive.shared.b64 %d2, [%r2], 2; mbarrier.pending_count.b64 %r4, %d2;\n"
                   "mbarrier.test_wait.shared.b64 %p1, [%r2], %d2; selp.u32 %r5, 1, 0, %p1;\n"
                   "mbarrier.arrive_drop.shared.b64 %d3, [%r2]; mbarrier.pending_count.b64 %r6, %d3;\n"
                   "mbarrier.test_wait.shared.b64 %p1, [%r2], %d2; selp.u32 %r7, 1, 0, %p1;\n"
                   "mbarrier.arrive.noComplete.shared.b64 %d4, [%r2], 1; mbarrier.pending_count.b64 %r8, %d4;\n"
                   "mbarrier.test_wait.shared.b64 %p1, [%r2], %d4; selp.u32 %r9, 1, 0, %p1;\n"
                   "mbarrier.arrive.expect_tx.shared.b64 %d5, [%r2], 48;\n"
                   "mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 1; selp.u32 %r10, 1, 0, %p1;\n"
                   "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r2], 40;\n"
                   "mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 1; selp.u32 %r11, 1, 0, %p1;\n"
                   "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r2], 8;\n"
                   "mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 1; selp.u32 %r12, 1, 0, %p1;\n"
                   "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r2], 8;\n"
                   "mbarrier.arrive_drop.noComplete.shared.b64 %d6, [%r2], 1;\n"
                   "mbarrier.arrive_drop.expect_tx.shared.b64 %d7, [%r2], 4;\n"
                   "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r2], 12;\n"
                   "mbarrier.try_wait.shared.b64 %p1, [%r2], %d6; selp.u32 %r13, 1, 0, %p1; mbarrier.inval.shared.b64 "
                   "[%r2];\n"
                   "st.global.v4.u32 [%d0], {%r4, %r5, %r6, %r7}; st.global.v4.u32 [%d0+16], {%r8, %r9, %r10, "
                   "%r11}; st.global.v2.u32 [%d0+32], {%r12, %r13};\n"),
        "u32[12]=zero", 1, _i);
    /* 3 pending before two arrive; incomplete; 1 before the drop; complete. Then 2 are expected: 2 before one arrives;
     * incomplete; incomplete while 48, then 8 bytes are missing; complete; and complete after the last two dropped out.
     */
    const uint32_t want[] = {3, 0, 1, 1, 2, 0, 0, 0, 1, 1};
    for (unsigned k = 0; k < 10; k++)
        ck_assert_msg(kit_words(&kit, 0)[k] == want[k], "answer %u: %u", k, kit_words(&kit, 0)[k]);
    kit_free(&kit);
}
END_TEST

/* Copies tell a barrier when they are done: with .noinc the barrier counts the arrival, without it the barrier's own
 * arrivals are all that count. */
START_TEST(test_copies_arrive)
{
    struct kit kit;
    run_ok(&kit,
           PTX_KERNEL(SHARED_BARRIERS
                      "mov.u32 %r2, full; mov.u32 %r3, empty; mov.u32 %r4, cell; shl.b32 %r6, %r0, 2; add.u32 %r5, "
                      "%r4, %r6; setp.eq.u32 %p0, %r0, 0;\n"
                      "@%p0 mbarrier.init.shared.b64 [%r2], 64; @%p0 mbarrier.init.shared.b64 [%r3], 64; bar.sync 0;\n"
                      "cp.async.ca.shared.global [%r5], [%d1], 4;\n"
                      "cp.async.mbarrier.arrive.noinc.shared.b64 [%r2];\n"
                      "W1: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra W1;\n"
                      "xor.b32 %r7, %r6, 252; add.u32 %r7, %r4, %r7; ld.shared.u32 %r8, [%r7]; bar.sync 0;\n"
                      "cp.async.ca.shared.global [%r5], [%d1+256], 4; cp.async.mbarrier.arrive.shared.b64 [%r3];\n"
                      "mbarrier.arrive.shared.b64 %d5, [%r3];\n"
                      "W2: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0; @!%p2 bra W2;\n"
                      "ld.shared.u32 %r9, [%r7]; mad.lo.u32 %r8, %r8, 1000, %r9; st.global.u32 [%d1+512], %r8;\n"),
           "u32[192]=iota", 64, _i);
    for (uint32_t t = 0; t < 64; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[128 + t], (63 - t) * 1000 + 64 + 63 - t);
    kit_free(&kit);
}
END_TEST

/* Every block of a cluster arrives at block 0's barrier; block 0 waits. */
START_TEST(test_cluster_arrivals)
{
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){
                         .ptx = PTX_KERNEL(
                             SHARED_BARRIERS
                             "mov.u32 %r2, full; mov.u32 %r3, cell; mov.u32 %r20, %cluster_ctarank; setp.eq.u32 %p0, "
                             "%r20, 0; setp.eq.u32 %p1, %r0, 0;\n"
                             "and.pred %p2, %p0, %p1; @%p2 mbarrier.init.shared.b64 [%r2], 128; mov.u32 %r4, 0; @%p2 "
                             "st.shared.u32 [%r3], %r4;\n"
                             "barrier.cluster.arrive; barrier.cluster.wait;\n"
                             "mapa.shared::cluster.u32 %r5, %r2, 0; mapa.shared::cluster.u32 %r6, %r3, 0;\n"
                             "red.relaxed.cluster.shared::cluster.add.u32 [%r6], 1;\n"
                             "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];\n"
                             "@!%p0 bra END;\n"
                             "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r2], 0; @!%p3 bra W;\n"
                             "ld.shared.u32 %r7, [%r3]; st.global.u32 [%d1], %r7;\n"
                             "END: barrier.cluster.arrive; barrier.cluster.wait;\n"),
                         .args = "u32[128]=zero",
                         .grid = {4},
                         .block = {32},
                         .cluster = {4},
                         .cycles = _i == 1});
    for (uint32_t t = 0; t < 32; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], 128);
    kit_free(&kit);
}
END_TEST

/* One warp waits while another works for much longer than any spin is allowed to last. */
START_TEST(test_long_wait)
{
    struct kit kit;
    run_ok(&kit,
           PTX_KERNEL(SHARED_BARRIERS
                      "mov.u32 %r2, full; setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [%r2], 1; bar.sync "
                      "0; setp.lt.u32 %p1, %r0, 32; @!%p1 bra WORK;\n"
                      "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra W;\n"
                      "mov.u32 %r7, 1; st.global.u32 [%d1], %r7; bra END;\n"
                      "WORK: mov.u32 %r3, 0; L: add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 100000; @%p3 bra L;\n"
                      "setp.eq.u32 %p4, %r0, 32; @%p4 mbarrier.arrive.shared.b64 %d5, [%r2];\nEND: nanosleep.u32 1;\n"),
           "u32[64]=zero", 64, _i);
    for (uint32_t t = 0; t < 32; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], 1);
    kit_free(&kit);
}
END_TEST

/* Nobody arrives: the wait is a deadlock, told with what is waited for. A thread that gives up after some tries ends.
 */
START_TEST(test_nobody_comes)
{
    expect_fault(PTX_KERNEL(SHARED_BARRIERS
                            "mov.u32 %r2, full; setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [%r2], 65;\n"
                            "bar.sync 0; mbarrier.arrive.shared.b64 %d5, [%r2];\n"
                            "W: mbarrier.try_wait.shared.b64 %p2, [%r2], %d5; @!%p2 bra W;\n"),
                 "u32[64]=zero", 64, SIM_FAULT_DEADLOCK, "mbarrier.try_wait", _i);
    struct kit kit;
    run_ok(&kit,
           PTX_KERNEL(SHARED_BARRIERS
                      "mov.u32 %r2, full; mbarrier.init.shared.b64 [%r2], 2; mov.u32 %r3, 0;\n"
                      "W: add.u32 %r3, %r3, 1; mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0, 100; @%p2 bra END; "
                      "setp.lt.u32 %p3, %r3, 50; @%p3 bra W;\nEND: st.global.u32 [%d1], %r3;\n"),
           "u32[1]=zero", 1, _i);
    ck_assert_uint_eq(kit_words(&kit, 0)[0], 50);
    kit_free(&kit);
}
END_TEST

START_TEST(test_barrier_faults)
{
    expect_fault(PTX_KERNEL(SHARED_BARRIERS "mov.u32 %r2, full; mbarrier.init.shared.b64 [%r2], 1048576;\n"),
                 "u32[1]=zero", 1, SIM_FAULT_BAD_INSTRUCTION, "1048576", _i);
    expect_fault(PTX_KERNEL(SHARED_BARRIERS "mov.u32 %r2, full; mov.u64 %d2, 0; st.shared.u64 [%r2], %d2; "
                                            "mbarrier.arrive.shared.b64 %d5, [%r2];\n"),
                 "u32[1]=zero", 1, SIM_FAULT_BAD_INSTRUCTION, "not initialised", _i);
    expect_fault(PTX_KERNEL(SHARED_BARRIERS "mov.u32 %r2, full; mbarrier.init.shared.b64 [%r2], 2; "
                                            "mbarrier.arrive.shared.b64 %d5, [%r2], 3;\n"),
                 "u32[1]=zero", 1, SIM_FAULT_BAD_INSTRUCTION, "not await so many", _i);
    expect_fault(PTX_KERNEL(SHARED_BARRIERS "mov.u32 %r2, full; mbarrier.init.shared.b64 [%r2], 1; "
                                            "mbarrier.arrive.noComplete.shared.b64 %d5, [%r2], 1;\n"),
                 "u32[1]=zero", 1, SIM_FAULT_BAD_INSTRUCTION, "noComplete", _i);
    expect_fault(PTX_KERNEL("mbarrier.init.b64 [%d0], 1;\n"), "u64[1]=zero", 1, SIM_FAULT_BAD_INSTRUCTION,
                 "outside shared memory", _i);
}
END_TEST

/* ---- Matrices ---- */

/* All lanes of a warp, however they come to the instruction; a lane that is missing is a fault. */
START_TEST(test_whole_warp)
{
    struct kit kit;
    run_ok(
        &kit,
        PTX_KERNEL("and.b32 %r2, %r0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra ODD; mov.u32 %r3, 7; bra MEET; ODD: mov.u32 "
                   "%r3, 9;\nMEET: movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r3; st.global.u32 [%d1], %r4;\n"),
        "u32[32]=zero", 32, _i);
    for (uint32_t lane = 0; lane < 32; lane++) { /* element (r, c) was 7 or 9 by lane 4 r + c / 2 for even c, else 0 */
        const uint32_t column = lane / 4, row = lane % 4 * 2;
        uint32_t want = 0;
        for (uint32_t half = 0; half < 2; half++)
            if (column % 2 == 0)
                want |= (column / 2 % 2 == 1 ? 9U : 7U) << (16 * half);
        (void)row;
        ck_assert_uint_eq(kit_words(&kit, 0)[lane], want);
    }
    kit_free(&kit);
    expect_fault(PTX_KERNEL("movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r0;\n"), "u32[32]=zero", 16,
                 SIM_FAULT_BAD_INSTRUCTION, "all 32 lanes", _i);
    expect_fault(PTX_KERNEL("setp.lt.u32 %p1, %r0, 20; @%p1 movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r0;\n"),
                 "u32[32]=zero", 32, SIM_FAULT_BAD_INSTRUCTION, "20 execute it", _i);
}
END_TEST

/* Rows that are not aligned, or not in shared memory. */
START_TEST(test_matrix_faults)
{
    expect_fault(PTX_KERNEL(SHARED_BARRIERS "mov.u32 %r2, cell; add.u32 %r2, %r2, 8; "
                                            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2];\n"),
                 "u32[32]=zero", 32, SIM_FAULT_MISALIGNED, "16", _i);
    expect_fault(PTX_KERNEL("ldmatrix.sync.aligned.m8n8.x1.b16 {%r3}, [%d0];\n"), "u32[32]=zero", 32,
                 SIM_FAULT_BAD_INSTRUCTION, "outside shared memory", _i);
    expect_fault(
        PTX_KERNEL("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d0], {%r1, %r2, %r3, %r4, %r5, %r6, %r7, "
                   "%r8};\n"),
        "u32[255]=zero", 32, SIM_FAULT_OUT_OF_BOUNDS, "write", _i);
}
END_TEST

/* Instructions that are only read: with and without them the kernel does the same. */
START_TEST(test_without_effect)
{
    struct kit kit;
    run_ok(&kit,
           PTX_KERNEL("griddepcontrol.wait; setmaxnreg.dec.sync.aligned.u32 24; st.global.u32 [%d1], %r0; "
                      "setmaxnreg.inc.sync.aligned.u32 240; griddepcontrol.launch_dependents;\n"),
           "u32[32]=zero", 32, _i);
    for (uint32_t t = 0; t < 32; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t);
    kit_free(&kit);
}
END_TEST

/* ---- Bulk copies ---- */

#define BULK_MEMORY ".shared .align 8 .b64 full; .shared .align 16 .b32 box[64];\n"

/* A thread fetches 256 bytes for all, who wait for the barrier that counts them; then it sends them back elsewhere. */
START_TEST(test_bulk_copies)
{
    static const char *const forms[] = {"shared::cluster", "shared::cta"};
    for (unsigned form = 0; form < 2; form++) {
        struct kit kit;
        char ptx[4096];
        kit_kernel_text(ptx, sizeof(ptx),
                        BULK_MEMORY
                        "setp.eq.u32 %%p0, %%r0, 0; mov.u32 %%r2, full; mov.u32 %%r3, box;\n"
                        "@%%p0 mbarrier.init.shared.b64 [%%r2], 1; fence.mbarrier_init.release.cluster; bar.sync 0;\n"
                        "@%%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], 256;\n"
                        "@%%p0 cp.async.bulk.prefetch.L2.global [%%d0+16], 256;\n"
                        "@%%p0 cp.async.bulk.%s.global.mbarrier::complete_tx::bytes [%%r3], [%%d0+16], 256, [%%r2];\n"
                        "W: mbarrier.try_wait.parity.shared.b64 %%p1, [%%r2], 0; @!%%p1 bra W;\n"
                        "shl.b32 %%r4, %%r0, 2; add.u32 %%r4, %%r4, %%r3; ld.shared.u32 %%r5, [%%r4];\n"
                        "mul.lo.u32 %%r5, %%r5, 3; st.shared.u32 [%%r4], %%r5; fence.proxy.async; bar.sync 0;\n"
                        "@%%p0 cp.async.bulk.global.shared::cta.bulk_group [%%d0+512], [%%r3], 256;\n"
                        "@%%p0 cp.async.bulk.commit_group; @%%p0 cp.async.bulk.wait_group.read 0;\n"
                        "@%%p0 cp.async.bulk.wait_group 0;\n",
                        forms[form]);
        run_ok(&kit, ptx, "u32[192]=iota", 64, _i);
        for (uint32_t k = 0; k < 64; k++)
            ck_assert_uint_eq(kit_words(&kit, 0)[128 + k], 3 * (k + 4));
        kit_free(&kit);
    }
}
END_TEST

/* Old values 5, 6, 7, 8 and operands 3, 0xfffffffe, 10, 1: words, or pairs of them as numbers of 64 bits. */
static const struct {
    const char *operation;
    bool in_shared;
    uint32_t want[4];
} reductions[] = {
    {"add.u32", true, {8, 4, 17, 9}},          {"add.s32", true, {8, 4, 17, 9}},
    {"add.u64", true, {8, 4, 17, 9}},          {"min.u32", true, {3, 6, 7, 1}},
    {"min.s32", true, {3, 0xfffffffe, 7, 1}},  {"max.u32", true, {5, 0xfffffffe, 10, 8}},
    {"max.s32", true, {5, 6, 10, 8}},          {"inc.u32", true, {0, 7, 8, 0}},
    {"dec.u32", true, {3, 5, 6, 1}},           {"and.b32", true, {1, 6, 2, 0}},
    {"or.b32", true, {7, 0xfffffffe, 15, 9}},  {"xor.b32", true, {6, 0xfffffff8, 13, 9}},
    {"min.u64", false, {5, 6, 10, 1}}, /* the high words decide */
    {"max.u64", false, {3, 0xfffffffe, 7, 8}}, {"min.s64", false, {3, 0xfffffffe, 10, 1}},
    {"max.s64", false, {5, 6, 7, 8}},          {"and.b64", false, {1, 6, 2, 0}},
    {"or.b64", false, {7, 0xfffffffe, 15, 9}}, {"xor.b64", false, {6, 0xfffffff8, 13, 9}},
};

#define BULK_VALUES                                                                                                    \
    BULK_MEMORY "mov.u32 %%r3, box; mov.u32 %%r4, 3; mov.u32 %%r5, -2; mov.u32 %%r6, 10; mov.u32 %%r7, 1;\n"           \
                "st.shared.v4.u32 [%%r3], {%%r4, %%r5, %%r6, %%r7};\n"                                                 \
                "mov.u32 %%r4, 5; mov.u32 %%r5, 6; mov.u32 %%r6, 7; mov.u32 %%r7, 8;\n"

static void expect_reduced(struct kit *kit, size_t i)
{
    for (uint32_t k = 0; k < 4; k++)
        ck_assert_msg(kit_words(kit, 0)[k] == reductions[i].want[k], "%s, word %u: %x", reductions[i].operation, k,
                      kit_words(kit, 0)[k]);
}

START_TEST(test_bulk_reductions)
{
    for (size_t i = 0; i < sizeof(reductions) / sizeof(reductions[0]); i++) {
        struct kit kit;
        char ptx[4096];
        kit_kernel_text(ptx, sizeof(ptx),
                        BULK_VALUES "st.global.v4.u32 [%%d0], {%%r4, %%r5, %%r6, %%r7};\n"
                                    "cp.reduce.async.bulk.global.shared::cta.bulk_group.%s [%%d0], [%%r3], 16;\n",
                        reductions[i].operation);
        run_ok(&kit, ptx, "u32[4]=zero", 1, _i);
        expect_reduced(&kit, i);
        kit_free(&kit);
    }
}
END_TEST

/* In shared memory a barrier counts the bytes. */
START_TEST(test_bulk_between)
{
    for (size_t i = 0; i < sizeof(reductions) / sizeof(reductions[0]); i++) {
        struct kit kit;
        char ptx[4096];
        if (!reductions[i].in_shared)
            continue;
        kit_kernel_text(
            ptx, sizeof(ptx),
            BULK_VALUES
            "st.shared.v4.u32 [%%r3+16], {%%r4, %%r5, %%r6, %%r7};\n"
            "mov.u32 %%r2, full; mbarrier.init.shared.b64 [%%r2], 1;\n"
            "mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], 32;\n"
            "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.%s [%%r3+16], "
            "[%%r3], 16, [%%r2];\n"
            "mbarrier.test_wait.parity.shared.b64 %%p1, [%%r2], 0; selp.u32 %%r8, 1, 0, %%p1;\n"
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%%r3+32], [%%r3+16], "
            "16, [%%r2];\n"
            "mbarrier.test_wait.parity.shared.b64 %%p1, [%%r2], 0; selp.u32 %%r9, 1, 0, %%p1;\n"
            "ld.shared.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%r3+32];\n"
            "st.global.v4.u32 [%%d0], {%%r4, %%r5, %%r6, %%r7}; st.global.v2.u32 [%%d0+16], {%%r8, %%r9};\n",
            reductions[i].operation);
        run_ok(&kit, ptx, "u32[6]=zero", 1, _i);
        expect_reduced(&kit, i);
        ck_assert_uint_eq(kit_words(&kit, 0)[4], 0);
        ck_assert_uint_eq(kit_words(&kit, 0)[5], 1);
        kit_free(&kit);
    }
}
END_TEST

/* One element at a time; of 64 bits sums alone. */
START_TEST(test_red_async)
{
    for (size_t i = 0; i <= sizeof(reductions) / sizeof(reductions[0]); i++) {
        struct kit kit;
        char ptx[4096];
        const bool more = i == sizeof(reductions) / sizeof(reductions[0]); /* add.s64 has no bulk form */
        const char *operation = more ? "add.s64" : reductions[i].operation;
        const bool wide = strstr(operation, "64") != NULL;
        if (!more && !reductions[i].in_shared)
            continue;
        kit_kernel_text(ptx, sizeof(ptx),
                        BULK_VALUES
                        "st.shared.v4.u32 [%%r3+16], {%%r4, %%r5, %%r6, %%r7};\n"
                        "mov.u32 %%r2, full; mbarrier.init.shared.b64 [%%r2], 1;\n"
                        "mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], %u; mov.u32 %%r10, 0;\n"
                        "NEXT: add.u32 %%r11, %%r3, %%r10; ld.shared.b%u %s, [%%r11];\n"
                        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.%s [%%r11+16], %s, "
                        "[%%r2];\n"
                        "add.u32 %%r10, %%r10, %u; setp.lt.u32 %%p0, %%r10, 16; @%%p0 bra NEXT;\n"
                        "mbarrier.test_wait.parity.shared.b64 %%p1, [%%r2], 0; selp.u32 %%r9, 1, 0, %%p1;\n"
                        "ld.shared.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%r3+16];\n"
                        "st.global.v4.u32 [%%d0], {%%r4, %%r5, %%r6, %%r7}; st.global.u32 [%%d0+16], %%r9;\n",
                        16, wide ? 64 : 32, wide ? "%d6" : "%r12", operation, wide ? "%d6" : "%r12", wide ? 8 : 4);
        run_ok(&kit, ptx, "u32[5]=zero", 1, _i);
        expect_reduced(&kit, more ? 2 : i); /* as add.u64 */
        ck_assert_uint_eq(kit_words(&kit, 0)[4], 1);
        kit_free(&kit);
    }
}
END_TEST

START_TEST(test_st_async)
{
    static const char *const types[] = {"b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"};
    static const struct {
        const char *word, *narrow, *wide;
        uint32_t elements;
    } forms[] = {
        {"", "%r4", "%d4", 1}, {".v2", "{%r4, %r5}", "{%d4, %d5}", 2}, {".v4", "{%r4, %r5, %r6, %r7}", NULL, 4}};
    for (unsigned i = 0; i < 8 * 3; i++) {
        const unsigned type = i / 3, form = i % 3;
        const bool wide = type >= 4;
        struct kit kit;
        char ptx[4096];
        if (wide && forms[form].wide == NULL)
            continue;
        const uint32_t bytes = forms[form].elements * (wide ? 8 : 4);
        kit_kernel_text(ptx, sizeof(ptx),
                        BULK_VALUES
                        "mov.b64 %%d4, {%%r4, %%r5}; mov.b64 %%d5, {%%r6, %%r7};\n"
                        "mov.u32 %%r2, full; mbarrier.init.shared.b64 [%%r2], 1;\n"
                        "mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], %u;\n"
                        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes%s.%s [%%r3], %s, [%%r2];\n"
                        "mbarrier.test_wait.parity.shared.b64 %%p1, [%%r2], 0; selp.u32 %%r9, 1, 0, %%p1;\n"
                        "ld.shared.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%r3];\n"
                        "st.global.v4.u32 [%%d0], {%%r4, %%r5, %%r6, %%r7}; st.global.u32 [%%d0+16], %%r9;\n",
                        bytes, forms[form].word, types[type], wide ? forms[form].wide : forms[form].narrow);
        run_ok(&kit, ptx, "u32[5]=zero", 1, _i);
        const uint32_t before[4] = {3, 0xfffffffe, 10, 1};
        for (uint32_t k = 0; k < 4; k++)
            ck_assert_msg(kit_words(&kit, 0)[k] == (4 * k < bytes ? 5 + k : before[k]), "%s.%s, word %u: %x",
                          forms[form].word, types[type], k, kit_words(&kit, 0)[k]);
        ck_assert_uint_eq(kit_words(&kit, 0)[4], 1);
        kit_free(&kit);
    }
}
END_TEST

/* Sums of floating point are of global memory alone. */
START_TEST(test_bulk_sums)
{
    static const struct {
        const char *operation;
        uint32_t global, shared, want;
    } cases[] = {
        {"add.f32", 0x40200000, 0x3fc00000, 0x40800000},       /* 2.5 + 1.5 */
        {"add.noftz.f16", 0x41003c00, 0x3e003c00, 0x44004000}, /* 2.5 + 1.5, 1 + 1 */
        {"min.f16", 0x41003c00, 0x3e004000, 0x3e003c00},        {"max.f16", 0x41003c00, 0x3e004000, 0x41004000},
        {"min.bf16", 0x40203f80, 0x3fc04000, 0x3fc03f80},       {"max.bf16", 0x40203f80, 0x3fc04000, 0x40204000},
        {"add.noftz.bf16", 0x40203f80, 0x3fc03f80, 0x40804000},
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct kit kit;
        char ptx[2048];
        kit_kernel_text(ptx, sizeof(ptx),
                        BULK_MEMORY "mov.u32 %%r3, box; mov.u32 %%r4, %u; mov.u32 %%r5, %u;\n"
                                    "st.shared.v4.u32 [%%r3], {%%r4, %%r4, %%r4, %%r4};\n"
                                    "st.global.v4.u32 [%%d0], {%%r5, %%r5, %%r5, %%r5};\n"
                                    "cp.reduce.async.bulk.global.shared::cta.bulk_group.%s [%%d0], [%%r3], 16;\n",
                        cases[i].shared, cases[i].global, cases[i].operation);
        run_ok(&kit, ptx, "u32[4]=zero", 1, _i);
        for (uint32_t k = 0; k < 4; k++)
            ck_assert_msg(kit_words(&kit, 0)[k] == cases[i].want, "%s: %x", cases[i].operation, kit_words(&kit, 0)[k]);
        kit_free(&kit);
    }
    struct kit kit;
    run_ok(&kit,
           PTX_KERNEL(BULK_MEMORY
                      "mov.u32 %r3, box; mov.b64 %d4, 0d4004000000000000; st.shared.v2.b64 [%r3], {%d4, %d4};\n"
                      "mov.b64 %d5, 0d3FF8000000000000; st.global.v2.b64 [%d0], {%d5, %d5};\n"
                      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%d0], [%r3], 16;\n"),
           "u32[4]=zero", 1, _i);
    for (uint32_t k = 0; k < 4; k++)
        ck_assert_uint_eq(kit_words(&kit, 0)[k], k % 2 ? 0x40100000 : 0); /* 4.0 */
    kit_free(&kit);
}
END_TEST

/* Block 0 of a cluster of four sends 64 bytes to blocks 1 and 3; every block stores to the next one and adds in block
 * 0. All wait for what they get. */
START_TEST(test_bulk_cluster)
{
    struct kit kit;
    kit_run_ok(
        &kit,
        &(struct kit_launch){
            .ptx = PTX_KERNEL(
                BULK_MEMORY
                "mov.u32 %r2, full; mov.u32 %r3, box; mov.u32 %r20, %cluster_ctarank; mul.lo.u32 %r4, %r20, 100;\n"
                "st.shared.u32 [%r3+128], 0; st.shared.u32 [%r3+64], 0; st.shared.u32 [%r3], %r4;\n"
                "mbarrier.init.shared.b64 [%r2], 1; fence.mbarrier_init.release.cluster;\n"
                /* 8 bytes from the neighbour; block 0 also the four additions, blocks 1 and 3 also the copy */
                "mov.u32 %r5, 8; setp.eq.u32 %p0, %r20, 0; @%p0 mov.u32 %r5, 24; and.b32 %r6, %r20, 1;\n"
                "setp.eq.u32 %p1, %r6, 1; @%p1 mov.u32 %r5, 72; mbarrier.arrive.expect_tx.shared.b64 _, [%r2], %r5;\n"
                "barrier.cluster.arrive; barrier.cluster.wait;\n"
                "mov.u16 %h1, 10;\n"
                "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r3], "
                "[%d0], 64, [%r2], %h1;\n"
                "add.u32 %r7, %r20, 1; and.b32 %r7, %r7, 3; add.u32 %r12, %r20, 40; add.u32 %r13, %r20, 50;\n"
                "mapa.shared::cluster.u32 %r8, %r3, %r7; mapa.shared::cluster.u32 %r9, %r2, %r7;\n"
                "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r8+64], {%r12, %r13}, [%r9];\n"
                "mapa.shared::cluster.u32 %r8, %r3, 0; mapa.shared::cluster.u32 %r9, %r2, 0;\n"
                "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r8+128], %r12, "
                "[%r9];\n"
                "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r2], 0; @!%p3 bra W;\n"
                "ld.shared.u32 %r4, [%r3]; ld.shared.u32 %r5, [%r3+4]; ld.shared.v2.u32 {%r6, %r7}, [%r3+64];\n"
                "ld.shared.u32 %r8, [%r3+128]; mul.wide.u32 %d1, %r20, 16; add.u64 %d1, %d0, %d1;\n"
                "st.global.v4.u32 [%d1+64], {%r4, %r6, %r7, %r8};\n"
                "barrier.cluster.arrive; barrier.cluster.wait;\n"),
            .args = "u32[32]=iota",
            .grid = {4},
            .block = {1},
            .cluster = {4},
            .cycles = _i == 1,
        });
    for (uint32_t rank = 0; rank < 4; rank++) {
        const uint32_t *words = &kit_words(&kit, 0)[16 + 4 * rank], before = (rank + 3) % 4;
        ck_assert_uint_eq(words[0], rank % 2 ? 0 : 100 * rank); /* iota's first word, or its own */
        ck_assert_uint_eq(words[1], before + 40);
        ck_assert_uint_eq(words[2], before + 50);
        ck_assert_uint_eq(words[3], rank == 0 ? 40 + 41 + 42 + 43 : 0);
    }
    kit_free(&kit);
}
END_TEST

START_TEST(test_bulk_faults)
{
    static const struct {
        const char *copy, *word;
        enum sim_fault_kind kind;
    } cases[] = {
        {"cp.async.bulk.global.shared::cta.bulk_group [%d0], [%r3], 24;", "multiple of 16", SIM_FAULT_BAD_INSTRUCTION},
        {"cp.async.bulk.global.shared::cta.bulk_group [%d0+8], [%r3], 16;", "", SIM_FAULT_MISALIGNED},
        {"cp.async.bulk.global.shared::cta.bulk_group [%d0], [%r3+4], 16;", "", SIM_FAULT_MISALIGNED},
        {"cp.async.bulk.global.shared::cta.bulk_group [%d0], [%r3], 1040;", "", SIM_FAULT_OUT_OF_BOUNDS},
        {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%d0], 16, [%r3+32];", "not initialised",
         SIM_FAULT_BAD_INSTRUCTION},
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char ptx[2048];
        kit_kernel_text(
            ptx, sizeof(ptx),
            ".shared .align 16 .b32 box[512];\nmov.u32 %%r3, box; mov.u64 %%d4, 0; st.shared.u64 [%%r3+32], "
            "%%d4;\n%s\n",
            cases[i].copy);
        expect_fault(ptx, "u32[256]=zero", 1, cases[i].kind, cases[i].word, _i);
    }
}
END_TEST

Suite *engine_async_suite(void)
{
    Suite *suite = suite_create("engine_async");
    TCase *copies = tcase_create("copies"), *barriers = tcase_create("barriers"), *matrices = tcase_create("matrices");
    tcase_set_timeout(barriers, 60);
    tcase_add_loop_test(copies, test_groups, 0, 2);
    tcase_add_loop_test(copies, test_lanes_apart, 0, 2);
    tcase_add_loop_test(copies, test_partial, 0, 2);
    tcase_add_loop_test(copies, test_copy_faults, 0, 2);
    tcase_add_loop_test(copies, test_bulk_copies, 0, 2);
    tcase_add_loop_test(copies, test_bulk_reductions, 0, 2);
    tcase_add_loop_test(copies, test_bulk_between, 0, 2);
    tcase_add_loop_test(copies, test_bulk_sums, 0, 2);
    tcase_add_loop_test(copies, test_red_async, 0, 2);
    tcase_add_loop_test(copies, test_st_async, 0, 2);
    tcase_add_loop_test(copies, test_bulk_cluster, 0, 2);
    tcase_add_loop_test(copies, test_bulk_faults, 0, 2);
    tcase_add_loop_test(barriers, test_ring, 0, 2);
    tcase_add_loop_test(barriers, test_phases, 0, 2);
    tcase_add_loop_test(barriers, test_copies_arrive, 0, 2);
    tcase_add_loop_test(barriers, test_cluster_arrivals, 0, 2);
    tcase_add_loop_test(barriers, test_long_wait, 0, 2);
    tcase_add_loop_test(barriers, test_nobody_comes, 0, 2);
    tcase_add_loop_test(barriers, test_barrier_faults, 0, 2);
    tcase_add_loop_test(matrices, test_whole_warp, 0, 2);
    tcase_add_loop_test(matrices, test_matrix_faults, 0, 2);
    tcase_add_loop_test(matrices, test_without_effect, 0, 2);
    suite_add_tcase(suite, copies);
    suite_add_tcase(suite, barriers);
    suite_add_tcase(suite, matrices);
    return suite;
}
