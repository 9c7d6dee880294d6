/* Local memory, which a warp is given piece by piece (sim/local.c): what it holds, and what it costs, in both modes. */
#include "tests/engine_kit.h"

Suite *local_suite(void);

#define MIB UINT64_C(1048576)

#define LOCAL_KERNEL(functions, bytes, body)                                                                           \
    PTX_HEAD functions ".visible .entry k(.param .u64 out)\n{\n.local .align 16 .b8 a[" bytes                          \
                       "];\n" PTX_REGS PTX_SETUP "mov.u64 %d5, a;\n" body "ret;\n}\n"

/* Touches every 256th byte of `bytes` bytes: the sum of what was written there goes out. */
#define FILL_AND_SUM(bytes)                                                                                            \
    "mov.u32 %r5, 0; mov.u32 %r6, 0;\n"                                                                                \
    "W: cvt.u64.u32 %d6, %r5; add.u64 %d6, %d5, %d6; add.u32 %r7, %r1, %r5; st.local.u32 [%d6], %r7;\n"                \
    "add.u32 %r5, %r5, 256; setp.lt.u32 %p1, %r5, " bytes "; @%p1 bra W; bar.sync 0; mov.u32 %r5, 0;\n"                \
    "R: cvt.u64.u32 %d6, %r5; add.u64 %d6, %d5, %d6; ld.local.u32 %r7, [%d6]; add.u32 %r6, %r6, %r7;\n"                \
    "add.u32 %r5, %r5, 256; setp.lt.u32 %p1, %r5, " bytes "; @%p1 bra R; st.global.u32 [%d1], %r6;\n"

/* Thread t uses word t % 32 of its own 400,000 bytes: of 300 blocks of 1,024 threads this would be 115 GiB. */
START_TEST(test_large_frames)
{
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){.ptx = LOCAL_KERNEL("", "409600",
                                                              "and.b32 %r5, %r1, 31; mul.wide.u32 %d6, %r5, 4;\n"
                                                              "add.u64 %d6, %d5, %d6; add.u32 %r6, %r1, 7;\n"
                                                              "st.local.u32 [%d6+400000], %r6; bar.sync 0;\n"
                                                              "ld.local.u32 %r7, [%d6+400000];\n"
                                                              "ld.local.u32 %r8, [%d6+200000];\n"
                                                              "add.u32 %r7, %r7, %r8; st.global.u32 [%d1], %r7;\n"),
                                          .args = "u32[307200]=zero",
                                          .grid = {300},
                                          .block = {1024},
                                          .cycles = _i == 1,
                                          .memory_limit_bytes = 1024 * MIB});
    for (uint32_t t = 0; t < 307200; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t + 7);
    kit_free(&kit);
}
END_TEST

/* Every block finds zeros, whoever had the memory before it. */
START_TEST(test_fresh)
{
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){.ptx = LOCAL_KERNEL("", "64",
                                                              "ld.local.u32 %r5, [%d5+32]; st.local.u32 [%d5+32], -1;\n"
                                                              "add.u32 %r5, %r5, 3; st.global.u32 [%d1], %r5;\n"),
                                          .args = "u32[320000]=zero",
                                          .grid = {10000},
                                          .block = {32},
                                          .cycles = _i == 1});
    for (uint32_t t = 0; t < 320000; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], 3);
    kit_free(&kit);
}
END_TEST

/* A structure of 1,200 bytes by value: its copy lies across pieces. Word w of the argument is t + w. */
START_TEST(test_structure)
{
    static const char ptx[] =
        LOCAL_KERNEL(".func (.param .align 4 .b8 q[1200]) twice(.param .align 4 .b8 s[1200])\n{\n.reg .b32 %r<3>;\n"
                     "ld.param.b32 %r1, [s]; add.u32 %r1, %r1, %r1; st.param.b32 [q], %r1;\n"
                     "ld.param.b32 %r1, [s+508]; add.u32 %r1, %r1, %r1; st.param.b32 [q+508], %r1;\n"
                     "ld.param.b32 %r1, [s+1196]; add.u32 %r1, %r1, %r1; st.param.b32 [q+1196], %r1;\nret;\n}\n",
                     "40",
                     "{ .param .align 4 .b8 s[1200]; .param .align 4 .b8 q[1200];\n"
                     "st.param.b32 [s], %r1; add.u32 %r5, %r1, 127; st.param.b32 [s+508], %r5;\n"
                     "add.u32 %r5, %r1, 299; st.param.b32 [s+1196], %r5; call.uni (q), twice, (s);\n"
                     "ld.param.b32 %r6, [q]; ld.param.b32 %r7, [q+508]; ld.param.b32 %r8, [q+1196]; }\n"
                     "mul.wide.u32 %d6, %r1, 12; add.u64 %d6, %d0, %d6; st.global.u32 [%d6], %r6;\n"
                     "st.global.u32 [%d6+4], %r7; st.global.u32 [%d6+8], %r8;\n");
    struct kit kit;
    kit_run_ok(
        &kit, &(struct kit_launch){.ptx = ptx, .args = "u32[192]=zero", .grid = {1}, .block = {64}, .cycles = _i == 1});
    for (uint32_t t = 0; t < 64; t++) {
        ck_assert_uint_eq(kit_words(&kit, 0)[3 * t], 2 * t);
        ck_assert_uint_eq(kit_words(&kit, 0)[3 * t + 1], 2 * (t + 127));
        ck_assert_uint_eq(kit_words(&kit, 0)[3 * t + 2], 2 * (t + 299));
    }
    kit_free(&kit);
}
END_TEST

/* 8 KiB a thread, all of it in use, are 2 MiB a block: few blocks at a time fit, and in turn they all do. */
START_TEST(test_in_turn)
{
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){.ptx = LOCAL_KERNEL("", "8192", FILL_AND_SUM("8192")),
                                          .args = "u32[51200]=zero",
                                          .grid = {200},
                                          .block = {256},
                                          .memory_limit_bytes = 24 * MIB});
    for (uint32_t t = 0; t < 51200; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], 32 * t + 256 * (31 * 32 / 2));
    kit_free(&kit);
}
END_TEST

/* More than there is, in use by one block: no memory, which is no fault of the kernel's. */
START_TEST(test_too_much)
{
    struct kit kit;
    kit_run(&kit, &(struct kit_launch){.ptx = LOCAL_KERNEL("", "400000", FILL_AND_SUM("400000")),
                                       .args = "u32[1024]=zero",
                                       .block = {1024},
                                       .cycles = _i == 1,
                                       .memory_limit_bytes = 64 * MIB});
    ck_assert_int_eq(kit.status, BASE_NOMEM);
    ck_assert(!kit.report.has_fault);
    ck_assert_ptr_nonnull(strstr(kit.report.message, "out of memory"));
    kit_free(&kit);
}
END_TEST

Suite *local_suite(void)
{
    Suite *suite = suite_create("local");
    TCase *tcase = tcase_create("local");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test_large_frames, 0, 2);
    tcase_add_loop_test(tcase, test_fresh, 0, 2);
    tcase_add_loop_test(tcase, test_structure, 0, 2);
    tcase_add_test(tcase, test_in_turn);
    tcase_add_loop_test(tcase, test_too_much, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}
