/* The engine: how a grid is cut into warps, which lanes execute what together, who waits for whom, and how a run ends
 * that cannot end well. Expectations are counted by hand or by the loops beside them. */
#include "tests/engine_kit.h"

#include <stdlib.h>

Suite *engine_suite(void);

/* ---- Blocks, warps, lanes ---- */

enum { FIELDS = 19 };

static const char identity_ptx[] = PTX_HEAD
    ".visible .entry k(.param .u64 out)\n{\n" PTX_REGS "ld.param.u64 %d0, [out];\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z;\n"
    "mov.u32 %r3, %ntid.x; mov.u32 %r4, %ntid.y; mov.u32 %r5, %ntid.z;\n"
    "mov.u32 %r6, %ctaid.x; mov.u32 %r7, %ctaid.y; mov.u32 %r8, %ctaid.z;\n"
    "mov.u32 %r9, %nctaid.x; mov.u32 %r10, %nctaid.y; mov.u32 %r11, %nctaid.z;\n"
    "mov.u32 %r12, %laneid; mov.u32 %r13, %warpid;\n"
    "mov.u32 %r14, %lanemask_eq; mov.u32 %r15, %lanemask_lt; mov.u32 %r16, %lanemask_le;\n"
    "mov.u32 %r17, %lanemask_gt; mov.u32 %r18, %lanemask_ge;\n"
    "mad.lo.u32 %r20, %r2, %r4, %r1; mad.lo.u32 %r20, %r20, %r3, %r0;\n"  /* thread in its block */
    "mad.lo.u32 %r21, %r8, %r10, %r7; mad.lo.u32 %r21, %r21, %r9, %r6;\n" /* block in the grid */
    "mul.lo.u32 %r22, %r3, %r4; mul.lo.u32 %r22, %r22, %r5;\n"
    "mad.lo.u32 %r23, %r21, %r22, %r20;\n"
    "mul.wide.u32 %d1, %r23, 76; add.u64 %d1, %d0, %d1;\n"
    "st.global.u32 [%d1], %r0; st.global.u32 [%d1+4], %r1; st.global.u32 [%d1+8], %r2; st.global.u32 [%d1+12], %r3;\n"
    "st.global.u32 [%d1+16], %r4; st.global.u32 [%d1+20], %r5; st.global.u32 [%d1+24], %r6;\n"
    "st.global.u32 [%d1+28], %r7; st.global.u32 [%d1+32], %r8; st.global.u32 [%d1+36], %r9;\n"
    "st.global.u32 [%d1+40], %r10; st.global.u32 [%d1+44], %r11; st.global.u32 [%d1+48], %r12;\n"
    "st.global.u32 [%d1+52], %r13; st.global.u32 [%d1+56], %r14; st.global.u32 [%d1+60], %r15;\n"
    "st.global.u32 [%d1+64], %r16; st.global.u32 [%d1+68], %r17; st.global.u32 [%d1+72], %r18;\n"
    "ret;\n}\n";

static void expect_identity(const uint32_t *word, const uint32_t grid[3], const uint32_t block[3], uint32_t cta,
                            uint32_t thread)
{
    uint32_t lane = thread % 32, expected[FIELDS] = {thread % block[0],
                                                     thread / block[0] % block[1],
                                                     thread / block[0] / block[1],
                                                     block[0],
                                                     block[1],
                                                     block[2],
                                                     cta % grid[0],
                                                     cta / grid[0] % grid[1],
                                                     cta / grid[0] / grid[1],
                                                     grid[0],
                                                     grid[1],
                                                     grid[2],
                                                     lane,
                                                     thread / 32,
                                                     0,
                                                     0,
                                                     0,
                                                     0,
                                                     0};
    for (uint32_t other = 0; other < 32; other++) {
        uint32_t bit = UINT32_C(1) << other;
        expected[14] |= other == lane ? bit : 0;
        expected[15] |= other < lane ? bit : 0;
        expected[16] |= other <= lane ? bit : 0;
        expected[17] |= other > lane ? bit : 0;
        expected[18] |= other >= lane ? bit : 0;
    }
    for (unsigned f = 0; f < FIELDS; f++)
        ck_assert_msg(word[f] == expected[f], "block %u thread %u field %u: %u, expected %u", cta, thread, f, word[f],
                      expected[f]);
}

START_TEST(test_identity)
{
    static const uint32_t shapes[][6] = {
        {1, 1, 1, 1, 1, 1},   {3, 1, 1, 31, 1, 1}, {2, 1, 1, 32, 1, 1},   {5, 1, 1, 33, 1, 1},   {2, 1, 1, 1024, 1, 1},
        {2, 3, 1, 7, 5, 1},   {2, 2, 2, 4, 8, 3},  {1, 2, 3, 10, 10, 10}, {1, 1, 1, 1, 1, 64},   {3, 2, 1, 1, 33, 1},
        {1, 4, 5, 16, 16, 4}, {7, 1, 2, 2, 2, 2},  {1, 1, 2, 1, 1024, 1}, {1, 1, 1, 1023, 1, 1},
    };
    const uint32_t *grid = shapes[_i], *block = shapes[_i] + 3;
    uint32_t threads = block[0] * block[1] * block[2], blocks = grid[0] * grid[1] * grid[2];
    char args[64];
    snprintf(args, sizeof(args), "u32[%u]=zero", threads * blocks * FIELDS);
    struct kit kit;
    struct kit_launch launch = {.ptx = identity_ptx, .args = args};
    memcpy(launch.grid, grid, sizeof(launch.grid));
    memcpy(launch.block, block, sizeof(launch.block));
    kit_run_ok(&kit, &launch);
    const uint32_t *out = kit_words(&kit, 0);
    for (uint32_t cta = 0; cta < blocks; cta++)
        for (uint32_t thread = 0; thread < threads; thread++)
            expect_identity(out + ((size_t)cta * threads + thread) * FIELDS, grid, block, cta, thread);
    uint32_t warps = (threads + 31) / 32;
    kit_expect_count(&kit, "mov.u32 %r12, %laneid", (uint64_t)warps * blocks, (uint64_t)threads * blocks);
    kit_free(&kit);
}
END_TEST

/* Sizes the device knows, and sums of shared memory. */
START_TEST(test_grid_registers)
{
    static const char ptx[] =
        PTX_KERNEL(".shared .align 4 .b8 fixed[100];\n"
                   "st.shared.u32 [fixed], %r0;\n"
                   "mov.u32 %r10, %nsmid; mov.u32 %r11, %dynamic_smem_size; mov.u32 %r12, %total_smem_size;\n"
                   "mov.u32 %r13, %smid; mov.u32 %r14, %nwarpid;\n"
                   "st.global.u32 [%d0], %r10; st.global.u32 [%d0+4], %r11; st.global.u32 [%d0+8], %r12;\n"
                   "st.global.u32 [%d0+12], %r14; setp.lt.u32 %p1, %r13, %r10; @!%p1 trap;\n");
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){.ptx = ptx, .args = "u32[4]=zero", .block = {32}, .shared_bytes = 400});
    const struct sim_device *device = sim_device_find("h200");
    ck_assert_uint_eq(kit_words(&kit, 0)[0], device->sm_count);
    ck_assert_uint_eq(kit_words(&kit, 0)[1], 400);
    ck_assert_uint_ge(kit_words(&kit, 0)[2], 500);
    ck_assert_uint_eq(kit_words(&kit, 0)[3], device->max_warps_per_sm);
    kit_free(&kit);
}
END_TEST

/* Clocks never run backwards, and run on. */
START_TEST(test_clock)
{
    static const char ptx[] =
        PTX_KERNEL("mov.u64 %d5, %clock64; mov.u32 %r5, %clock; add.u32 %r6, %r5, 1; add.u32 %r6, %r6, 1;\n"
                   "mov.u64 %d6, %clock64; mov.u64 %d7, %globaltimer;\n"
                   "setp.lt.u64 %p1, %d5, %d6; selp.u32 %r7, 1, 0, %p1; st.global.u32 [%d1], %r7;\n");
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){.ptx = ptx, .args = "u32[64]=zero", .grid = {2}, .block = {32}});
    for (unsigned t = 0; t < 64; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], 1);
    kit_free(&kit);
}
END_TEST

/* ---- Divergence ---- */

static void run_divergence(struct kit *kit, const char *ptx, uint32_t threads)
{
    kit_run_ok(kit, &(struct kit_launch){.ptx = ptx, .args = "u32[1024]=zero", .block = {threads}});
}

START_TEST(test_if_else)
{
    struct kit kit;
    run_divergence(&kit,
                   PTX_KERNEL("setp.lt.u32 %p1, %r0, 10;\n"
                              "@!%p1 bra ELSE;\n"
                              "add.u32 %r10, %r0, 100;\n"
                              "bra JOIN;\n"
                              "ELSE: add.u32 %r10, %r0, 200;\n"
                              "JOIN: st.global.u32 [%d1], %r10;\n"),
                   64);
    for (uint32_t t = 0; t < 64; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t + (t < 10 ? 100 : 200));
    kit_expect_count(&kit, "%r0, 100;", 1, 10);
    kit_expect_count(&kit, "%r0, 200;", 2, 54);
    kit_expect_count(&kit, "[%d1], %r10", 2, 64);
    const struct sim_insn_report *branch = kit_insn(&kit, "bra ELSE");
    ck_assert_uint_eq(branch->executed, 2);
    ck_assert_uint_eq(branch->thread_executed, 64);
    ck_assert_uint_eq(branch->predicated_off, 10);
    ck_assert_uint_eq(branch->divergent, 1);
    ck_assert_uint_eq(kit_insn(&kit, "bra JOIN")->divergent, 0);
    kit_free(&kit);
}
END_TEST

START_TEST(test_nested_if)
{
    struct kit kit;
    run_divergence(&kit,
                   PTX_KERNEL("and.b32 %r5, %r0, 1; and.b32 %r6, %r0, 2; mov.u32 %r10, 0;\n"
                              "setp.ne.u32 %p1, %r5, 0; setp.ne.u32 %p2, %r6, 0;\n"
                              "@%p1 bra ODD;\n"
                              "@%p2 bra E2;\n"
                              "add.u32 %r10, %r10, 1000;\n"
                              "bra EJ;\n"
                              "E2: add.u32 %r10, %r10, 1002;\n"
                              "EJ: add.u32 %r10, %r10, 50;\n"
                              "bra JOIN;\n"
                              "ODD: @%p2 bra O2;\n"
                              "add.u32 %r10, %r10, 2001;\n"
                              "O2: add.u32 %r10, %r10, 70;\n"
                              "JOIN: st.global.u32 [%d1], %r10;\n"),
                   32);
    for (uint32_t t = 0; t < 32; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], (t & 1) != 0   ? ((t & 2) != 0 ? 70 : 2071)
                                                 : (t & 2) != 0 ? 1052
                                                                : 1050);
    kit_expect_count(&kit, "%r10, 1000;", 1, 8);
    kit_expect_count(&kit, "%r10, 1002;", 1, 8);
    kit_expect_count(&kit, "%r10, 50;", 1, 16);
    kit_expect_count(&kit, "%r10, 2001;", 1, 8);
    kit_expect_count(&kit, "%r10, 70;", 1, 16);
    kit_expect_count(&kit, "[%d1], %r10", 1, 32);
    kit_free(&kit);
}
END_TEST

/* Lane t goes round t times: the warp goes round 31 times with fewer lanes each time. */
START_TEST(test_loop_trip_counts)
{
    struct kit kit;
    run_divergence(&kit,
                   PTX_KERNEL("mov.u32 %r10, 0;\n"
                              "LOOP: setp.ge.u32 %p1, %r10, %r0;\n"
                              "@%p1 bra DONE;\n"
                              "add.u32 %r10, %r10, 1;\n"
                              "bra LOOP;\n"
                              "DONE: st.global.u32 [%d1], %r10;\n"),
                   32);
    for (uint32_t t = 0; t < 32; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t);
    kit_expect_count(&kit, "setp.ge", 32, 32 * 33 / 2);
    kit_expect_count(&kit, "%r10, 1;", 31, 31 * 32 / 2);
    kit_expect_count(&kit, "[%d1], %r10", 1, 32);
    ck_assert_uint_eq(kit_insn(&kit, "bra DONE")->divergent, 31);
    kit_free(&kit);
}
END_TEST

/* Warps and threads at three places of the loop below. */
struct trip_counts {
    uint64_t tests[2], adds[2], nexts[2];
};

static void count_trip(uint64_t count[2], uint32_t lanes)
{
    count[0]++;
    count[1] += (uint64_t)__builtin_popcount(lanes);
}

/* What `lanes`, which run together, do from round i on. Because of the break, the lanes that took the `continue` meet
 * the others only behind the loop. */
static void break_continue_from(struct trip_counts *counts, uint32_t sums[32], uint32_t lanes, uint32_t i)
{
    uint32_t part[2] = {0, 0}; /* go on by continue, or through the sum */
    count_trip(counts->tests, lanes);
    for (uint32_t t = 0; t < 32; t++) {
        if ((lanes >> t & 1) == 0 || (i != t % 4 && i + t > 10))
            continue;
        part[i != t % 4] |= UINT32_C(1) << t;
        sums[t] += i != t % 4 ? i : 0;
    }
    if (part[1] != 0)
        count_trip(counts->adds, part[1]);
    for (unsigned k = 0; k < 2; k++) {
        if (part[k] == 0)
            continue;
        count_trip(counts->nexts, part[k]);
        if (i + 1 < 8)
            break_continue_from(counts, sums, part[k], i + 1);
    }
}

/* for (i = 0; i < 8; i++) { if (i == t % 4) continue; if (i + t > 10) break; sum += i; } */
START_TEST(test_break_continue)
{
    struct kit kit;
    run_divergence(&kit,
                   PTX_KERNEL("mov.u32 %r10, 0; mov.u32 %r11, 0; and.b32 %r5, %r0, 3;\n"
                              "LOOP: setp.eq.u32 %p1, %r11, %r5;\n"
                              "@%p1 bra NEXT;\n"
                              "add.u32 %r12, %r11, %r0;\n"
                              "setp.gt.u32 %p2, %r12, 10;\n"
                              "@%p2 bra DONE;\n"
                              "add.u32 %r10, %r10, %r11;\n"
                              "NEXT: add.u32 %r11, %r11, 1;\n"
                              "setp.lt.u32 %p3, %r11, 8;\n"
                              "@%p3 bra LOOP;\n"
                              "DONE: st.global.u32 [%d1], %r10;\n"),
                   32);
    struct trip_counts counts = {0};
    uint32_t sums[32] = {0};
    break_continue_from(&counts, sums, UINT32_MAX, 0);
    for (uint32_t t = 0; t < 32; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], sums[t]);
    kit_expect_count(&kit, "setp.eq", counts.tests[0], counts.tests[1]);
    kit_expect_count(&kit, "%r10, %r11;", counts.adds[0], counts.adds[1]);
    kit_expect_count(&kit, "setp.lt", counts.nexts[0], counts.nexts[1]);
    kit_expect_count(&kit, "[%d1], %r10", 1, 32);
    kit_free(&kit);
}
END_TEST

START_TEST(test_switch)
{
    struct kit kit;
    run_divergence(&kit,
                   PTX_KERNEL("rem.u32 %r5, %r0, 5; mov.u32 %r10, 0;\n"
                              "T: .branchtargets C0, C1, C2, C1, DEF;\n"
                              "brx.idx %r5, T;\n"
                              "C0: mov.u32 %r10, 7000;\n"
                              "bra JOIN;\n"
                              "C1: mov.u32 %r10, 7001;\n" /* falls into the next */
                              "C2: add.u32 %r10, %r10, 9;\n"
                              "bra JOIN;\n"
                              "DEF: mov.u32 %r10, 7004;\n"
                              "JOIN: st.global.u32 [%d1], %r10;\n"),
                   32);
    static const uint32_t expected[5] = {7000, 7010, 9, 7010, 7004};
    uint32_t lanes[5] = {0};
    for (uint32_t t = 0; t < 32; t++) {
        lanes[t % 5]++;
        ck_assert_uint_eq(kit_words(&kit, 0)[t], expected[t % 5]);
    }
    kit_expect_count(&kit, "brx.idx", 1, 32);
    ck_assert_uint_eq(kit_insn(&kit, "brx.idx")->divergent, 1);
    kit_expect_count(&kit, "%r10, 7000", 1, lanes[0]);
    kit_expect_count(&kit, "%r10, 7001", 1, lanes[1] + lanes[3]);
    kit_expect_count(&kit, "%r10, 7004", 1, lanes[4]);
    kit_expect_count(&kit, "[%d1], %r10", 1, 32);
    kit_free(&kit);
}
END_TEST

START_TEST(test_divergent_exit)
{
    struct kit kit;
    run_divergence(&kit,
                   PTX_KERNEL("setp.lt.u32 %p1, %r0, 5;\n"
                              "@%p1 exit;\n"
                              "setp.lt.u32 %p2, %r0, 12;\n"
                              "@!%p2 bra REST;\n"
                              "mov.u32 %r10, 111;\n"
                              "st.global.u32 [%d1], %r10;\n"
                              "ret;\n"
                              "REST: mov.u32 %r10, 222;\n"
                              "setp.lt.u32 %p3, %r0, 20;\n"
                              "@%p3 bra IN;\n"
                              "bra OUT;\n"
                              "IN: mov.u32 %r10, 333;\n"
                              "OUT: st.global.u32 [%d1+128], %r10;\n"),
                   32);
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t >= 5 && t < 12 ? 111 : 0);
        ck_assert_uint_eq(kit_words(&kit, 0)[t + 32], t < 12 ? 0 : t < 20 ? 333 : 222);
    }
    kit_expect_count(&kit, "@%p1 exit", 1, 32);
    ck_assert_uint_eq(kit_insn(&kit, "@%p1 exit")->predicated_off, 27);
    kit_expect_count(&kit, "setp.lt.u32 %p2", 1, 27);
    kit_expect_count(&kit, "%r10, 111;", 1, 7);
    kit_expect_count(&kit, "%r10, 333;", 1, 8);
    kit_expect_count(&kit, "[%d1+128], %r10", 1, 20);
    kit_free(&kit);
}
END_TEST

/* if (a) { if (b) return; x(); } y(): the lanes that are left meet before y(). */
START_TEST(test_early_return)
{
    struct kit kit;
    run_divergence(&kit,
                   PTX_KERNEL("and.b32 %r5, %r0, 1; and.b32 %r6, %r0, 2; mov.u32 %r10, 1;\n"
                              "setp.eq.u32 %p1, %r5, 0; setp.ne.u32 %p2, %r6, 0;\n"
                              "@%p1 bra Y;\n"
                              "@!%p2 bra X;\n"
                              "ret;\n"
                              "X: add.u32 %r10, %r10, 40;\n"
                              "Y: st.global.u32 [%d1], %r10;\n"),
                   32);
    for (uint32_t t = 0; t < 32; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t % 4 == 3 ? 0 : t % 2 == 1 ? 41 : 1);
    kit_expect_count(&kit, "%r10, 40;", 1, 8);
    kit_expect_count(&kit, "[%d1], %r10", 1, 24);
    kit_free(&kit);
}
END_TEST

/* A guard switches lanes off without a branch: the instruction still counts, its requests do not. */
START_TEST(test_predication_counts)
{
    struct kit kit;
    run_divergence(&kit,
                   PTX_KERNEL("setp.ge.u32 %p1, %r0, 1000; setp.lt.u32 %p2, %r0, 3; mov.u32 %r10, 5;\n"
                              "@%p1 ld.global.u32 %r10, [%d1];\n"
                              "@%p2 ld.global.u32 %r11, [%d1];\n"
                              "@%p2 st.global.u32 [%d1], %r10;\n"),
                   64);
    const struct sim_insn_report *off = kit_insn(&kit, "@%p1 ld.global"), *some = kit_insn(&kit, "@%p2 ld.global");
    kit_expect_count(&kit, "@%p1 ld.global", 2, 64);
    ck_assert_uint_eq(off->predicated_off, 64);
    ck_assert_uint_eq(off->requests, 0);
    ck_assert_uint_eq(off->sectors, 0);
    kit_expect_count(&kit, "@%p2 ld.global", 2, 64);
    ck_assert_uint_eq(some->predicated_off, 61);
    ck_assert_uint_eq(some->requests, 1);
    ck_assert_uint_eq(some->sectors, 1);
    ck_assert_uint_eq(kit_metric(&kit, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), 1);
    for (uint32_t t = 0; t < 64; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t < 3 ? 5 : 0);
    uint64_t executed = 0, threads = 0;
    for (size_t i = 0; i < kit.report.insn_count; i++) {
        executed += kit.report.insns[i].executed;
        threads += kit.report.insns[i].thread_executed;
    }
    ck_assert_uint_eq(kit_metric(&kit, "ir__inst_executed.sum"), executed);
    ck_assert_uint_eq(kit_metric(&kit, "ir__thread_inst_executed.sum"), threads);
    ck_assert_uint_eq(executed, 2 * (PTX_SETUP_INSNS + 7));
    kit_free(&kit);
}
END_TEST

/* ---- Barriers of a block ---- */

/* Each thread writes shared memory and reads what thread (t + 33) % n wrote, n not a multiple of 32. */
START_TEST(test_bar_sync)
{
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){
                         .ptx = PTX_KERNEL(".shared .align 4 .b8 s[4096];\n"
                                           "mov.u32 %r5, s; shl.b32 %r6, %r0, 2; add.u32 %r6, %r5, %r6;\n"
                                           "add.u32 %r7, %r1, 77; st.shared.u32 [%r6], %r7;\n"
                                           "bar.sync 0;\n"
                                           "add.u32 %r8, %r0, 33; rem.u32 %r8, %r8, %r63; shl.b32 %r8, %r8, 2;\n"
                                           "add.u32 %r8, %r5, %r8; ld.shared.u32 %r9, [%r8];\n"
                                           "st.global.u32 [%d1], %r9;\n"),
                         .args = "u32[3000]=zero",
                         .grid = {3},
                         .block = {1000}});
    for (uint32_t t = 0; t < 3000; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t / 1000 * 1000 + (t % 1000 + 33) % 1000 + 77);
    kit_expect_count(&kit, "bar.sync", 3 * 32, 3000);
    kit_free(&kit);
}
END_TEST

/* Threads that have ended, whole warps and single lanes, are not waited for; also when they end while others wait. */
START_TEST(test_bar_exited)
{
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){
                         .ptx = PTX_KERNEL("setp.ge.u32 %p1, %r0, 70;\n"
                                           "@%p1 exit;\n"
                                           "mov.u32 %r10, 0;\n"
                                           "setp.lt.u32 %p2, %r0, 40;\n"
                                           "@%p2 bra WAIT;\n"
                                           "SPIN: add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 500; @%p3 bra SPIN;\n"
                                           "ret;\n"
                                           "WAIT: bar.sync 0;\n"
                                           "bar.sync 0;\n"
                                           "st.global.u32 [%d1], 9;\n"),
                         .args = "u32[256]=zero",
                         .block = {256}});
    for (uint32_t t = 0; t < 256; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t < 40 ? 9 : 0);
    kit_free(&kit);
}
END_TEST

/* Producer and consumer: warps 0 and 1 fill a buffer and arrive at barrier 1, warps 2 and 3 wait there for all 128 and
 * hand the buffer back through barrier 2; ten rounds. */
START_TEST(test_bar_arrive)
{
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){
                         .ptx = PTX_KERNEL(
                             ".shared .align 4 .b8 s[256];\n"
                             "mov.u32 %r5, s; and.b32 %r6, %r0, 63; shl.b32 %r6, %r6, 2; add.u32 %r6, %r5, %r6;\n"
                             "mov.u32 %r10, 0; mov.u32 %r11, 0; setp.ge.u32 %p1, %r0, 64; @%p1 bra CONSUMER;\n"
                             "P: bar.sync 2, 128;\n"
                             "mad.lo.u32 %r7, %r10, 100, %r0; st.shared.u32 [%r6], %r7;\n"
                             "bar.arrive 1, 128;\n"
                             "add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 10; @%p2 bra P;\n"
                             "ret;\n"
                             "CONSUMER: bar.arrive 2, 128;\n"
                             "bar.sync 1, 128;\n"
                             "ld.shared.u32 %r8, [%r6]; add.u32 %r11, %r11, %r8;\n"
                             "add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 10; @%p2 bra CONSUMER;\n"
                             "st.global.u32 [%d1], %r11;\n"),
                         .args = "u32[128]=zero",
                         .block = {128}});
    for (uint32_t t = 0; t < 128; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t < 64 ? 0 : 4500 + 10 * (t - 64));
    kit_free(&kit);
}
END_TEST

START_TEST(test_bar_red)
{
    struct kit kit;
    kit_run_ok(
        &kit,
        &(struct kit_launch){
            .ptx = PTX_KERNEL(
                "setp.lt.u32 %p1, %r0, 37; setp.lt.u32 %p2, %r0, 500; setp.gt.u32 %p3, %r0, 500;\n"
                "bar.red.popc.u32 %r10, 0, %p1;\n"
                "bar.red.popc.u32 %r11, 3, !%p1;\n"
                "bar.red.and.pred %p4, 0, %p1;\n"
                "bar.red.and.pred %p5, 0, %p2;\n"
                "bar.red.or.pred %p6, 0, %p1;\n"
                "bar.red.or.pred %p7, 0, %p3;\n"
                "setp.ge.u32 %p8, %r0, 64; mov.u32 %r12, 0; @%p8 bra OTHERS;\n"
                "bar.red.popc.u32 %r12, 5, 64, %p1;\n"
                "OTHERS: mad.lo.u32 %r10, %r11, 1000, %r10; mad.lo.u32 %r10, %r12, 1000000, %r10;\n"
                "selp.u32 %r5, 1, 0, %p4; selp.u32 %r6, 2, 0, %p5; selp.u32 %r7, 4, 0, %p6; selp.u32 %r8, 8, 0, %p7;\n"
                "or.b32 %r5, %r5, %r6; or.b32 %r5, %r5, %r7; or.b32 %r5, %r5, %r8;\n"
                "st.global.u32 [%d1], %r10; st.global.u32 [%d1+400], %r5;\n"),
            .args = "u32[200]=zero",
            .block = {100}});
    for (uint32_t t = 0; t < 100; t++) {
        ck_assert_uint_eq(kit_words(&kit, 0)[t], 37 + 63 * 1000 + (t < 64 ? 37000000 : 0));
        ck_assert_uint_eq(kit_words(&kit, 0)[t + 100], 2 + 4);
    }
    kit_free(&kit);
}
END_TEST

/* The two halves of every warp come to the barrier from different places. */
START_TEST(test_bar_divergent)
{
    struct kit kit;
    kit_run_ok(&kit,
               &(struct kit_launch){
                   .ptx = PTX_KERNEL(
                       ".shared .align 4 .b8 s[256];\n"
                       "mov.u32 %r5, s; shl.b32 %r6, %r0, 2; add.u32 %r6, %r5, %r6; and.b32 %r7, %r0, 1;\n"
                       "setp.eq.u32 %p1, %r7, 0; @%p1 bra EVEN;\n"
                       "st.shared.u32 [%r6], %r0; bar.sync 0; xor.b32 %r8, %r6, 4; ld.shared.u32 %r9, [%r8];\n"
                       "bra JOIN;\n"
                       "EVEN: st.shared.u32 [%r6], %r0; bar.sync 0; xor.b32 %r8, %r6, 4; ld.shared.u32 %r9, [%r8];\n"
                       "JOIN: st.global.u32 [%d1], %r9;\n"),
                   .args = "u32[64]=zero",
                   .block = {64}});
    for (uint32_t t = 0; t < 64; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t ^ 1);
    kit_expect_count(&kit, "[%d1], %r9", 2, 64);
    kit_free(&kit);
}
END_TEST

/* ---- Forward progress ---- */

/* A lock taken by every thread of every warp, with the release behind the loop: lanes that lost wait for the winner. */
START_TEST(test_spin_lock)
{
    struct kit kit;
    kit_run_ok(
        &kit,
        &(struct kit_launch){
            .ptx = PTX_KERNEL(
                "LOCK: atom.global.cas.b32 %r10, [%d0], 0, 1;\n"
                "setp.ne.u32 %p1, %r10, 0;\n"
                "@%p1 bra LOCK;\n"
                "membar.gl;\n"
                "ld.volatile.global.u32 %r11, [%d0+4]; add.u32 %r11, %r11, 1; st.volatile.global.u32 [%d0+4], %r11;\n"
                "membar.gl;\n"
                "atom.global.exch.b32 %r12, [%d0], 0;\n"),
            .args = "u32[2]=zero",
            .grid = {3},
            .block = {96},
            .max_instructions = 100000000});
    ck_assert_uint_eq(kit_words(&kit, 0)[0], 0);
    ck_assert_uint_eq(kit_words(&kit, 0)[1], 3 * 96);
    kit_free(&kit);
}
END_TEST

/* The usual shape that works on every GPU: the critical section inside the loop. */
START_TEST(test_spin_lock_inside)
{
    struct kit kit;
    kit_run_ok(
        &kit,
        &(struct kit_launch){
            .ptx = PTX_KERNEL(
                "AGAIN: atom.global.cas.b32 %r10, [%d0], 0, 1;\n"
                "setp.ne.u32 %p1, %r10, 0;\n"
                "@%p1 bra TEST;\n"
                "ld.volatile.global.u32 %r11, [%d0+4]; add.u32 %r11, %r11, 1; st.volatile.global.u32 [%d0+4], %r11;\n"
                "atom.global.exch.b32 %r12, [%d0], 0;\n"
                "TEST: @%p1 bra AGAIN;\n"),
            .args = "u32[2]=zero",
            .grid = {2},
            .block = {64}});
    ck_assert_uint_eq(kit_words(&kit, 0)[1], 128);
    /* Within a warp one lane gets in at every turn; nobody else interferes, since a warp runs for long. */
    kit_free(&kit);
}
END_TEST

/* Loops that read shared state for long, but do not wait for others: the lanes that are done still wait for the rest.
 * A store in every round; a read at the start and nothing but arithmetic; a search by volatile reads. */
START_TEST(test_busy_is_not_spinning)
{
    static const char *const bodies[] = {
        "L: ld.volatile.global.u32 %r11, [%d1]; st.global.u32 [%d1], %r10; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, "
        "%r10, %r5;\n@%p1 bra L;\n",
        "ld.volatile.global.u32 %r11, [%d1];\nL: add.u32 %r12, %r10, %r11; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, "
        "%r10, %r5;\n@%p1 bra L;\n",
        "L: add.u64 %d5, %d1, %d4; ld.volatile.global.u32 %r11, [%d5]; add.u64 %d4, %d4, 4; add.u32 %r10, %r10, 1; "
        "setp.lt.u32 %p1, %r10, %r5;\n@%p1 bra L;\n",
    };
    char ptx[4096];
    snprintf(ptx, sizeof(ptx), "%s%s%s",
             PTX_HEAD ".visible .entry k(.param .u64 out)\n{\n" PTX_REGS PTX_SETUP
                      "mul.lo.u32 %r5, %r0, 500; mov.u32 %r10, 0; mov.u64 %d4, 0;\n",
             bodies[_i], "mov.u32 %r20, 4321; st.global.u32 [%d1], %r20; ret;\n}\n");
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){.ptx = ptx, .args = "u32[20000]=zero", .block = {32}});
    kit_expect_count(&kit, "4321", 1, 32);
    kit_free(&kit);
}
END_TEST

/* Thread 0 waits for a flag that the last warp sets; by volatile, by acquire, and by an atomic that changes nothing. */
START_TEST(test_spin_between_warps)
{
    static const char *const loads[] = {"ld.volatile.global.u32 %r10, [%d0];", "ld.acquire.gpu.global.u32 %r10, [%d0];",
                                        "atom.global.or.b32 %r10, [%d0], 0;", "ld.relaxed.sys.global.u32 %r10, [%d0];"};
    char ptx[4096];
    snprintf(ptx, sizeof(ptx), "%s%s%s",
             PTX_HEAD ".visible .entry k(.param .u64 out)\n{\n" PTX_REGS PTX_SETUP
                      "setp.eq.u32 %p1, %r1, 0; @!%p1 bra OTHERS;\nWAIT: ",
             loads[_i],
             "setp.eq.u32 %p2, %r10, 0; @%p2 bra WAIT; st.global.u32 [%d0+4], %r10; ret;\n"
             "OTHERS: setp.eq.u32 %p3, %r1, 127; @!%p3 bra END; st.global.u32 [%d0], 55; END: ret;\n}\n");
    for (uint32_t blocks = 1; blocks <= 4; blocks *= 2) {
        struct kit kit;
        kit_run_ok(&kit,
                   &(struct kit_launch){.ptx = ptx, .args = "u32[2]=zero", .grid = {blocks}, .block = {128 / blocks}});
        ck_assert_uint_eq(kit_words(&kit, 0)[1], 55);
        kit_free(&kit);
    }
}
END_TEST

/* Every block adds its number, waits until all have, and takes the sum. */
START_TEST(test_grid_barrier)
{
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){
                         .ptx = PTX_KERNEL(
                             "mov.u32 %r20, %nctaid.x; setp.ne.u32 %p1, %r0, 0; @%p1 bra JOIN;\n"
                             "atom.global.add.u32 %r10, [%d0], %r62;\n"
                             "membar.gl;\n"
                             "atom.global.add.u32 %r10, [%d0+4], 1;\n"
                             "WAIT: ld.volatile.global.u32 %r11, [%d0+4]; setp.lt.u32 %p2, %r11, %r20; @%p2 bra WAIT;\n"
                             "JOIN: bar.sync 0;\n"
                             "ld.volatile.global.u32 %r12, [%d0];\n"
                             "st.global.u32 [%d1+8], %r12;\n"),
                         .args = "u32[16898]=zero",
                         .grid = {264},
                         .block = {64},
                         .cooperative = true});
    for (uint32_t t = 0; t < 264 * 64; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t + 2], 263 * 264 / 2);
    kit_free(&kit);
}
END_TEST

START_TEST(test_cooperative_too_large)
{
    struct kit kit;
    kit_run(&kit,
            &(struct kit_launch){
                .ptx = PTX_KERNEL(""), .args = "u32[2]=zero", .grid = {100000}, .block = {1024}, .cooperative = true});
    ck_assert_int_eq(kit.status, BASE_INVALID);
    ck_assert_int_eq(kit.report.status, SIM_RUN_INVALID);
    kit_free(&kit);
}
END_TEST

/* ---- Clusters ---- */

static const char cluster_ptx[] = PTX_HEAD
    ".visible .entry k(.param .u64 out)\n{\n" PTX_REGS PTX_SETUP ".shared .align 8 .b8 s[512];\n"
    "mov.u32 %r5, s; shl.b32 %r6, %r0, 2; add.u32 %r6, %r5, %r6;\n"
    "mov.u32 %r7, %cluster_ctarank; mov.u32 %r8, %cluster_nctarank;\n"
    "mad.lo.u32 %r9, %r62, 1000, %r0; st.shared.u32 [%r6], %r9;\n"
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
    "add.u32 %r10, %r7, 1; rem.u32 %r10, %r10, %r8;\n"
    "mapa.shared::cluster.u32 %r11, %r6, %r10;\n"
    "ld.shared::cluster.u32 %r12, [%r11];\n" /* the next block's word */
    "cvt.u64.u32 %d5, %r6; cvta.shared.u64 %d6, %d5; mapa.u64 %d7, %d6, %r10; ld.u32 %r13, [%d7+4];\n" /* its neighbour
                                                                                                        */
    "mapa.shared::cluster.u32 %r14, %r6, %r7; ld.shared::cluster.u32 %r15, [%r14];\n" /* the own word, by mapa */
    "getctarank.shared::cluster.u32 %r16, %r11; getctarank.u64 %r17, %d6;\n"
    "isspacep.shared::cta %p1, %d7; isspacep.shared::cluster %p2, %d7; isspacep.shared %p3, %d6; isspacep.global %p4, "
    "%d7;\n"
    "selp.u32 %r18, 1, 0, %p1; selp.u32 %r19, 2, 0, %p2; selp.u32 %r20, 4, 0, %p3; selp.u32 %r21, 8, 0, %p4;\n"
    "or.b32 %r18, %r18, %r19; or.b32 %r18, %r18, %r20; or.b32 %r18, %r18, %r21;\n"
    "mapa.shared::cluster.u32 %r22, %r5, 0; atom.shared::cluster.add.u32 %r23, [%r22+256], 1;\n"
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
    "ld.shared.u32 %r24, [%r5+256];\n"
    "mul.wide.u32 %d8, %r1, 32; add.u64 %d8, %d0, %d8;\n"
    "st.global.u32 [%d8], %r12; st.global.u32 [%d8+4], %r13; st.global.u32 [%d8+8], %r15; st.global.u32 [%d8+12], "
    "%r16;\n"
    "st.global.u32 [%d8+16], %r17; st.global.u32 [%d8+20], %r18; st.global.u32 [%d8+24], %r24; st.global.u32 [%d8+28], "
    "%r7;\n"
    "ret;\n}\n";

START_TEST(test_cluster)
{
    static const uint32_t sizes[] = {2, 4, 8};
    uint32_t size = sizes[_i], blocks = 8;
    struct kit kit;
    kit_run_ok(&kit,
               &(struct kit_launch){
                   .ptx = cluster_ptx, .args = "u32[4096]=zero", .grid = {blocks}, .block = {48}, .cluster = {size}});
    for (uint32_t t = 0; t < blocks * 48; t++) {
        const uint32_t *word = kit_words(&kit, 0) + (size_t)t * 8;
        uint32_t block = t / 48, rank = block % size, first = block - rank, next = first + (rank + 1) % size;
        ck_assert_uint_eq(word[0], next * 1000 + t % 48);
        if (t % 48 != 47)
            ck_assert_uint_eq(word[1], next * 1000 + t % 48 + 1);
        ck_assert_uint_eq(word[2], block * 1000 + t % 48);
        ck_assert_uint_eq(word[3], (rank + 1) % size);
        ck_assert_uint_eq(word[4], rank);
        ck_assert_uint_eq(word[5], 2 + 4);
        ck_assert_uint_eq(word[6], rank == 0 ? size * 48 : 0);
        ck_assert_uint_eq(word[7], rank);
    }
    kit_free(&kit);
}
END_TEST

/* A cluster of two dimensions: identity of its blocks. */
START_TEST(test_cluster_registers)
{
    struct kit kit;
    kit_run_ok(&kit,
               &(struct kit_launch){
                   .ptx = PTX_HEAD
                   ".visible .entry k(.param .u64 out)\n{\n" PTX_REGS
                   "ld.param.u64 %d0, [out]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ctaid.y; mov.u32 %r2, %nctaid.x;\n"
                   "mad.lo.u32 %r3, %r1, %r2, %r0; mul.wide.u32 %d1, %r3, 40; add.u64 %d1, %d0, %d1;\n"
                   "mov.u32 %r10, %cluster_ctaid.x; mov.u32 %r11, %cluster_ctaid.y; mov.u32 %r12, %clusterid.x; "
                   "mov.u32 %r13, %clusterid.y;\n"
                   "mov.u32 %r14, %nclusterid.x; mov.u32 %r15, %nclusterid.y; mov.u32 %r16, %cluster_nctaid.x; mov.u32 "
                   "%r17, %cluster_nctaid.y;\n"
                   "mov.u32 %r18, %cluster_ctarank; mov.u32 %r19, %cluster_nctarank;\n"
                   "st.global.u32 [%d1], %r10; st.global.u32 [%d1+4], %r11; st.global.u32 [%d1+8], %r12; st.global.u32 "
                   "[%d1+12], %r13;\n"
                   "st.global.u32 [%d1+16], %r14; st.global.u32 [%d1+20], %r15; st.global.u32 [%d1+24], %r16; "
                   "st.global.u32 [%d1+28], %r17;\n"
                   "st.global.u32 [%d1+32], %r18; st.global.u32 [%d1+36], %r19; ret;\n}\n",
                   .args = "u32[240]=zero",
                   .grid = {6, 4},
                   .cluster = {3, 2}});
    for (uint32_t b = 0; b < 24; b++) {
        uint32_t x = b % 6, y = b / 6, expected[10] = {x % 3, y % 2, x / 3, y / 2, 2, 2, 3, 2, y % 2 * 3 + x % 3, 6};
        for (unsigned f = 0; f < 10; f++)
            ck_assert_uint_eq(kit_words(&kit, 0)[b * 10 + f], expected[f]);
    }
    kit_free(&kit);
}
END_TEST

/* Threads that have ended are not waited for at the cluster's barrier either, nor are those that arrived and ended. */
START_TEST(test_cluster_exited)
{
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){.ptx = PTX_KERNEL("setp.ge.u32 %p1, %r0, 50; @%p1 exit;\n"
                                                            "barrier.cluster.arrive;\n"
                                                            "setp.ge.u32 %p1, %r0, 40; @%p1 exit;\n"
                                                            "barrier.cluster.wait;\n"
                                                            "barrier.cluster.arrive; barrier.cluster.wait;\n"
                                                            "st.global.u32 [%d1], 3;\n"),
                                          .args = "u32[256]=zero",
                                          .grid = {4},
                                          .block = {64},
                                          .cluster = {4}});
    for (uint32_t t = 0; t < 256; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t % 64 < 40 ? 3 : 0);
    kit_free(&kit);
}
END_TEST

/* ---- Runs that cannot end well ---- */

static void expect_fault(struct kit *kit, enum sim_fault_kind kind)
{
    ck_assert_int_eq(kit->status, BASE_OK);
    ck_assert_int_eq(kit->report.status, SIM_RUN_FAULT);
    ck_assert(kit->report.has_fault);
    ck_assert_msg(kit->report.fault.kind == kind, "%s: %s", sim_fault_kind_name(kit->report.fault.kind),
                  kit->report.fault.message);
    ck_assert_str_ne(kit->report.fault.message, "");
}

START_TEST(test_deadlock)
{
    static const char *const ptx[] = {
        /* the halves of a warp wait at two barriers that need all of the block */
        PTX_KERNEL("setp.lt.u32 %p1, %r0, 16; @%p1 bra A; bar.sync 1; bra END; A: bar.sync 0; END:\n"),
        /* a barrier in a branch; the others wait for these lanes where the branch ends */
        PTX_KERNEL("setp.ge.u32 %p1, %r0, 16; @%p1 bra END; bar.sync 0; END: st.global.u32 [%d1], 1;\n"),
        /* more threads than the block has */
        PTX_KERNEL("bar.sync 0, 1024;\n"),
        /* a shuffle that waits for lanes at a barrier */
        PTX_KERNEL("setp.ge.u32 %p1, %r0, 16; @%p1 bra B; shfl.sync.idx.b32 %r5, %r0, 0, 31, -1; bra END; B: bar.sync "
                   "0; END:\n"),
        /* warp 0 waits for the cluster's barrier, which warp 1 never comes to since it waits at the block's */
        PTX_KERNEL("setp.lt.u32 %p1, %r0, 32; @%p1 bra C; bar.sync 0, 64; bra END;\n"
                   "C: barrier.cluster.arrive; barrier.cluster.wait; END:\n"),
    };
    /* How many threads are left, and how many wait where. */
    static const char *const said[5][3] = {
        {"none of the 64 threads left", " 16 wait at barrier 0 of the block (test.ptx:1",
         " 48 wait at barrier 1 of the block"},
        {"none of the 32 threads left", " 16 wait at barrier 0 of the block (test.ptx:1",
         " 16 wait for the other lanes of their warp"},
        {"none of the 64 threads left", ": all wait at barrier 0 of the block (test.ptx:1"},
        {"none of the 64 threads left", " 48 wait at barrier 0 of the block",
         " 16 wait for other lanes that a warp-wide instruction"},
        {"none of the 64 threads left", " 32 wait at barrier 0 of the block",
         " 32 wait at the barrier of the cluster (test.ptx:"},
    };
    struct kit kit;
    kit_run(&kit,
            &(struct kit_launch){.ptx = ptx[_i], .args = "u32[64]=zero", .block = {64}, .max_instructions = 50000000});
    expect_fault(&kit, SIM_FAULT_DEADLOCK);
    ck_assert_ptr_nonnull(kit.report.fault_text);
    for (size_t i = 0; i < 3 && said[_i][i] != NULL; i++)
        ck_assert_msg(strstr(kit.report.fault.message, said[_i][i]) != NULL, "\"%s\" lacks \"%s\"",
                      kit.report.fault.message, said[_i][i]);
    kit_free(&kit);
}
END_TEST

START_TEST(test_runaway)
{
    struct kit kit;
    kit_run(&kit, &(struct kit_launch){.ptx = PTX_KERNEL("L: add.u32 %r5, %r5, 1; bra L;\n"),
                                       .args = "u32[64]=zero",
                                       .block = {64},
                                       .max_instructions = 5000});
    expect_fault(&kit, SIM_FAULT_RUNAWAY);
    ck_assert_uint_eq(kit_metric(&kit, "ir__inst_executed.sum"), 5000);
    kit_free(&kit);
}
END_TEST

/* A launch of exactly as many instructions as the limit is no runaway; with one more it is. */
START_TEST(test_runaway_limit)
{
    uint64_t need = 2 * 3 * (PTX_SETUP_INSNS + 2);
    for (unsigned less = 0; less < 2; less++) {
        struct kit kit;
        kit_run(&kit, &(struct kit_launch){.ptx = PTX_KERNEL("st.global.u32 [%d1], 8;\n"),
                                           .args = "u32[512]=zero",
                                           .grid = {3},
                                           .block = {64},
                                           .max_instructions = need - less});
        if (less == 0) {
            ck_assert_int_eq(kit.report.status, SIM_RUN_OK);
            ck_assert_uint_eq(kit_metric(&kit, "ir__inst_executed.sum"), need);
        } else {
            expect_fault(&kit, SIM_FAULT_RUNAWAY);
        }
        kit_free(&kit);
    }
}
END_TEST

START_TEST(test_trap)
{
    struct kit kit;
    kit_run(&kit,
            &(struct kit_launch){.ptx = PTX_KERNEL("setp.eq.u32 %p1, %r1, 77;\n@%p1 trap;\nst.global.u32 [%d1], 8;\n"),
                                 .args = "u32[512]=zero",
                                 .grid = {3},
                                 .block = {40}});
    expect_fault(&kit, SIM_FAULT_TRAP);
    ck_assert_uint_eq(kit.report.fault.block[0], 1);
    ck_assert_uint_eq(kit.report.fault.thread[0], 37);
    ck_assert_uint_eq(kit.report.fault_line, 13 + PTX_SETUP_INSNS);
    kit_free(&kit);
}
END_TEST

START_TEST(test_bad_operands)
{
    static const char *const ptx[] = {
        PTX_KERNEL("add.u32 %r5, %r0, 1; bar.sync %r5;\n"),
        PTX_KERNEL("mov.u32 %r5, 33; bar.sync 0, %r5;\n"),
        PTX_KERNEL("T: .branchtargets A, B; brx.idx %r0, T; A: add.u32 %r5, %r0, 1; B:\n"),
    };
    struct kit kit;
    kit_run(&kit, &(struct kit_launch){.ptx = ptx[_i], .args = "u32[64]=zero", .block = {64}});
    expect_fault(&kit, SIM_FAULT_BAD_INSTRUCTION);
    kit_free(&kit);
}
END_TEST

START_TEST(test_invalid_launches)
{
    static const struct kit_launch launches[] = {{.block = {1025}},
                                                 {.block = {32, 33}},
                                                 {.block = {1, 1, 65}},
                                                 {.grid = {1, 65536}},
                                                 {.grid = {4}, .cluster = {3}},
                                                 {.grid = {32}, .cluster = {32}},
                                                 {.shared_bytes = 300000},
                                                 {.grid = {2}, .cluster = {2}, .device = "a100"}};
    struct kit_launch launch = launches[_i];
    struct kit kit;
    launch.ptx = PTX_KERNEL("");
    launch.args = "u32[64]=zero";
    kit_run(&kit, &launch);
    ck_assert_int_eq(kit.status, BASE_INVALID);
    ck_assert_int_eq(kit.report.status, SIM_RUN_INVALID);
    ck_assert_ptr_nonnull(kit.report.message);
    kit_free(&kit);
}
END_TEST

START_TEST(test_deterministic)
{
    struct kit a, b;
    struct kit_launch launch = {
        .ptx = cluster_ptx, .args = "u32[4096]=zero", .grid = {8}, .block = {48}, .cluster = {4}};
    kit_run_ok(&a, &launch);
    kit_run_ok(&b, &launch);
    kit_expect_same(&a.report, &b.report);
    kit_free(&a);
    kit_free(&b);
}
END_TEST

Suite *engine_suite(void)
{
    Suite *suite = suite_create("engine");
    TCase *identity = tcase_create("identity"), *divergence = tcase_create("divergence");
    TCase *barriers = tcase_create("barriers"), *progress = tcase_create("progress");
    TCase *clusters = tcase_create("clusters"), *ends = tcase_create("ends");
    tcase_add_loop_test(identity, test_identity, 0, 14);
    tcase_add_test(identity, test_grid_registers);
    tcase_add_test(identity, test_clock);
    tcase_add_test(divergence, test_if_else);
    tcase_add_test(divergence, test_nested_if);
    tcase_add_test(divergence, test_loop_trip_counts);
    tcase_add_test(divergence, test_break_continue);
    tcase_add_test(divergence, test_switch);
    tcase_add_test(divergence, test_divergent_exit);
    tcase_add_test(divergence, test_early_return);
    tcase_add_test(divergence, test_predication_counts);
    tcase_add_test(barriers, test_bar_sync);
    tcase_add_test(barriers, test_bar_exited);
    tcase_add_test(barriers, test_bar_arrive);
    tcase_add_test(barriers, test_bar_red);
    tcase_add_test(barriers, test_bar_divergent);
    tcase_add_test(progress, test_spin_lock);
    tcase_add_test(progress, test_spin_lock_inside);
    tcase_add_loop_test(progress, test_busy_is_not_spinning, 0, 3);
    tcase_add_loop_test(progress, test_spin_between_warps, 0, 4);
    tcase_add_test(progress, test_grid_barrier);
    tcase_add_test(progress, test_cooperative_too_large);
    tcase_add_loop_test(clusters, test_cluster, 0, 3);
    tcase_add_test(clusters, test_cluster_registers);
    tcase_add_test(clusters, test_cluster_exited);
    tcase_add_loop_test(ends, test_deadlock, 0, 5);
    tcase_add_test(ends, test_runaway);
    tcase_add_test(ends, test_runaway_limit);
    tcase_add_test(ends, test_trap);
    tcase_add_loop_test(ends, test_bad_operands, 0, 3);
    tcase_add_loop_test(ends, test_invalid_launches, 0, 8);
    tcase_add_test(ends, test_deterministic);
    TCase *const cases[] = {identity, divergence, barriers, progress, clusters, ends};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tcase_set_timeout(cases[i], 60);
        suite_add_tcase(suite, cases[i]);
    }
    return suite;
}
