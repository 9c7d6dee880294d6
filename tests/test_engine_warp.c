/* Instructions that look across the lanes of a warp, against the PTX ISA's own words for them. */
#include "tests/engine_kit.h"

Suite *engine_warp_suite(void);

/* The PTX ISA's pseudo code of shfl. */
static uint32_t shuffle(const uint32_t values[32], unsigned lane, const char *mode, uint32_t b, uint32_t c,
                        bool *in_range)
{
    uint32_t bval = b & 0x1f, cval = c & 0x1f, mask = c >> 8 & 0x1f;
    int64_t max = (int64_t)((lane & mask) | (cval & ~mask)), min = lane & mask, j = 0;
    if (strcmp(mode, "up") == 0) {
        j = (int64_t)lane - bval;
        *in_range = j >= max;
    } else if (strcmp(mode, "down") == 0) {
        j = (int64_t)lane + bval;
        *in_range = j <= max;
    } else if (strcmp(mode, "bfly") == 0) {
        j = lane ^ bval;
        *in_range = j <= max;
    } else {
        j = min | (bval & ~mask);
        *in_range = j <= max;
    }
    return values[*in_range ? (unsigned)j : lane];
}

START_TEST(test_shfl)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    static const uint32_t clamps[] = {0x1f, 0, 0x181f, 0x1c1f, 0x1000, 0x101f, 0x1e1f, 0x1807, 0x0f0f};
    static const uint32_t steps[] = {0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 35, 0xffffffff};
    for (size_t c = 0; c < sizeof(clamps) / sizeof(clamps[0]); c++)
        for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
            char ptx[4096];
            /* the second time the step is a register that differs by lane */
            kit_kernel_text(
                ptx, sizeof(ptx),
                "mad.lo.u32 %%r10, %%r0, 3, 100; mov.u32 %%r11, %u; add.u32 %%r12, %%r11, %%r0; mov.u32 %%r13, "
                "%u;\n"
                "shfl.sync.%s.b32 %%r20|%%p1, %%r10, %u, %u, 0xffffffff;\n"
                "shfl.sync.%s.b32 %%r21|%%p2, %%r10, %%r12, %%r13, 0xffffffff;\n"
                "selp.u32 %%r22, 1, 0, %%p1; selp.u32 %%r23, 2, 0, %%p2; or.b32 %%r22, %%r22, %%r23;\n"
                "st.global.u32 [%%d1], %%r20; st.global.u32 [%%d1+128], %%r21; st.global.u32 [%%d1+256], %%r22;\n",
                steps[s], clamps[c], modes[_i], steps[s], clamps[c], modes[_i]);
            struct kit kit;
            kit_run_ok(&kit, &(struct kit_launch){.ptx = ptx, .args = "u32[96]=zero", .block = {32}});
            uint32_t values[32];
            for (uint32_t t = 0; t < 32; t++)
                values[t] = t * 3 + 100;
            for (uint32_t t = 0; t < 32; t++) {
                bool p = false, q = false;
                ck_assert_uint_eq(kit_words(&kit, 0)[t], shuffle(values, t, modes[_i], steps[s], clamps[c], &p));
                ck_assert_uint_eq(kit_words(&kit, 0)[t + 32],
                                  shuffle(values, t, modes[_i], steps[s] + t, clamps[c], &q));
                ck_assert_uint_eq(kit_words(&kit, 0)[t + 64], (p ? 1U : 0U) + (q ? 2U : 0U));
            }
            kit_free(&kit);
        }
}
END_TEST

/* Twelve lanes of a warp vote by t % 3 == 0, the others are elsewhere. */
START_TEST(test_vote)
{
    struct kit kit;
    kit_run_ok(
        &kit,
        &(struct kit_launch){
            .ptx = PTX_KERNEL(
                "rem.u32 %r5, %r0, 3; setp.eq.u32 %p1, %r5, 0; setp.lt.u32 %p2, %r0, 100;\n"
                "setp.ge.u32 %p3, %r0, 12; mov.u32 %r20, 0; mov.u32 %r21, 0;\n"
                "@%p3 bra END;\n"
                "vote.sync.ballot.b32 %r20, %p1, 0xfff;\n"
                "vote.sync.all.pred %p4, %p1, 0xfff; vote.sync.all.pred %p5, %p2, 0xfff;\n"
                "vote.sync.any.pred %p6, %p1, 0xfff; vote.sync.any.pred %p7, !%p2, 0xfff;\n"
                "vote.sync.uni.pred %p8, %p1, 0xfff; vote.sync.uni.pred %p9, !%p2, 0xfff;\n"
                "selp.u32 %r6, 1, 0, %p4; or.b32 %r21, %r21, %r6; selp.u32 %r6, 2, 0, %p5; or.b32 %r21, %r21, %r6;\n"
                "selp.u32 %r6, 4, 0, %p6; or.b32 %r21, %r21, %r6; selp.u32 %r6, 8, 0, %p7; or.b32 %r21, %r21, %r6;\n"
                "selp.u32 %r6, 16, 0, %p8; or.b32 %r21, %r21, %r6; selp.u32 %r6, 32, 0, %p9; or.b32 %r21, %r21, %r6;\n"
                "END: st.global.u32 [%d1], %r20; st.global.u32 [%d1+128], %r21;\n"),
            .args = "u32[64]=zero",
            .block = {32}});
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t < 12 ? 0x249 : 0);
        ck_assert_uint_eq(kit_words(&kit, 0)[t + 32], t < 12 ? 2 + 4 + 32 : 0);
    }
    kit_free(&kit);
}
END_TEST

START_TEST(test_match)
{
    struct kit kit;
    kit_run_ok(&kit,
               &(struct kit_launch){
                   .ptx = PTX_KERNEL(
                       "rem.u32 %r5, %r0, 5; cvt.u64.u32 %d5, %r5; shl.b64 %d5, %d5, 40; mov.u32 %r6, 7;\n"
                       "match.any.sync.b32 %r10, %r5, 0xffffffff; match.any.sync.b64 %r11, %d5, 0xffffffff;\n"
                       "match.all.sync.b32 %r12|%p1, %r6, 0xffffffff; match.all.sync.b64 %r13|%p2, %d5, 0xffffffff;\n"
                       "selp.u32 %r14, 1, 0, %p1; selp.u32 %r15, 2, 0, %p2; or.b32 %r14, %r14, %r15;\n"
                       "mul.wide.u32 %d6, %r0, 20; add.u64 %d6, %d0, %d6;\n"
                       "st.global.u32 [%d6], %r10; st.global.u32 [%d6+4], %r11; st.global.u32 [%d6+8], %r12; "
                       "st.global.u32 [%d6+12], %r13; st.global.u32 [%d6+16], %r14;\n"),
                   .args = "u32[160]=zero",
                   .block = {32}});
    for (uint32_t t = 0; t < 32; t++) {
        uint32_t same = 0;
        for (uint32_t other = t % 5; other < 32; other += 5)
            same |= UINT32_C(1) << other;
        const uint32_t expected[5] = {same, same, UINT32_MAX, 0, 1};
        for (unsigned i = 0; i < 5; i++)
            ck_assert_uint_eq(kit_words(&kit, 0)[t * 5 + i], expected[i]);
    }
    kit_free(&kit);
}
END_TEST

/* The halves of a warp name themselves in one and the same instruction, as tiles of 16 threads do. */
START_TEST(test_two_sets)
{
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){
                         .ptx = PTX_KERNEL(
                             "setp.lt.u32 %p1, %r0, 16; mov.u32 %r5, 0xffff0000; selp.u32 %r5, 0xffff, %r5, %p1;\n"
                             "rem.u32 %r6, %r0, 3; setp.eq.u32 %p2, %r6, 0; setp.lt.u32 %p3, %r0, 20;\n"
                             "redux.sync.add.u32 %r10, %r0, %r5; match.any.sync.b32 %r11, %r6, %r5;\n"
                             "vote.sync.ballot.b32 %r12, %p2, %r5; vote.sync.all.pred %p4, %p3, %r5;\n"
                             "selp.u32 %r13, 1, 0, %p4; shfl.sync.down.b32 %r14, %r0, 1, 0x100f, %r5;\n"
                             "mul.wide.u32 %d6, %r0, 20; add.u64 %d6, %d0, %d6;\n"
                             "st.global.u32 [%d6], %r10; st.global.u32 [%d6+4], %r11; st.global.u32 [%d6+8], %r12; "
                             "st.global.u32 [%d6+12], %r13; st.global.u32 [%d6+16], %r14;\n"),
                         .args = "u32[160]=zero",
                         .block = {32}});
    for (uint32_t t = 0; t < 32; t++) {
        uint32_t first = t < 16 ? 0 : 16, sum = 0, same = 0, third = 0;
        for (uint32_t other = first; other < first + 16; other++) {
            sum += other;
            same |= (uint32_t)(other % 3 == t % 3) << other;
            third |= (uint32_t)(other % 3 == 0) << other;
        }
        const uint32_t expected[5] = {sum, same, third, first == 0, t % 16 == 15 ? t : t + 1};
        for (unsigned i = 0; i < 5; i++)
            ck_assert_msg(kit_words(&kit, 0)[t * 5 + i] == expected[i], "lane %u, value %u", t, i);
    }
    kit_free(&kit);
}
END_TEST

START_TEST(test_redux)
{
    static const char *const ops[] = {"add.u32", "min.u32", "max.u32", "add.s32", "min.s32",
                                      "max.s32", "and.b32", "or.b32",  "xor.b32"};
    char ptx[4096];
    kit_kernel_text(ptx, sizeof(ptx),
                    "mul.lo.u32 %%r5, %%r0, 0x9e3779b9; and.b32 %%r6, %%r0, 1; mov.u32 %%r7, 0x55555555; "
                    "setp.eq.u32 %%p1, %%r6, 0;\n"
                    "selp.u32 %%r7, %%r7, 0xaaaaaaaa, %%p1; redux.sync.%s %%r10, %%r5, 0xffffffff;\n"
                    "@%%p1 bra EVEN; redux.sync.%s %%r11, %%r5, 0xaaaaaaaa; bra JOIN;\n"
                    "EVEN: redux.sync.%s %%r11, %%r5, 0x55555555;\n"
                    "JOIN: st.global.u32 [%%d1], %%r10; st.global.u32 [%%d1+128], %%r11;\n",
                    ops[_i], ops[_i], ops[_i]);
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){.ptx = ptx, .args = "u32[64]=zero", .block = {32}});
    for (unsigned part = 0; part < 3; part++) { /* all, even, odd */
        uint32_t first = part == 2, step = part == 0 ? 1 : 2, value = first * UINT32_C(0x9e3779b9);
        for (uint32_t t = first + step; t < 32; t += step) {
            uint32_t x = t * UINT32_C(0x9e3779b9);
            bool less = _i < 3 ? x < value : (int32_t)x < (int32_t)value;
            switch (_i) {
            case 0:
            case 3:
                value += x;
                break;
            case 1:
            case 4:
                value = less ? x : value;
                break;
            case 2:
            case 5:
                value = less ? value : x;
                break;
            case 6:
                value &= x;
                break;
            case 7:
                value |= x;
                break;
            default:
                value ^= x;
                break;
            }
        }
        for (uint32_t t = first; t < 32; t += step)
            ck_assert_uint_eq(kit_words(&kit, 0)[t + (part == 0 ? 0 : 32)], value);
    }
    kit_free(&kit);
}
END_TEST

START_TEST(test_activemask_elect)
{
    struct kit kit;
    kit_run_ok(
        &kit,
        &(struct kit_launch){
            .ptx = PTX_KERNEL(
                "activemask.b32 %r10; mov.u32 %r11, 0; mov.u32 %r12, 99; setp.lt.u32 %p1, %r0, 6; setp.ge.u32 %p3, "
                "%r0, 3;\n"
                "@!%p1 bra END;\n"
                "activemask.b32 %r11;\n"
                "@!%p3 bra END;\n"
                "elect.sync %r12|%p2, 0x38; selp.u32 %r13, 100, 0, %p2; add.u32 %r12, %r12, %r13;\n"
                "END: st.global.u32 [%d1], %r10; st.global.u32 [%d1+120], %r11; st.global.u32 [%d1+240], %r12;\n"),
            .args = "u32[90]=zero",
            .block = {30}});
    for (uint32_t t = 0; t < 30; t++) {
        ck_assert_uint_eq(kit_words(&kit, 0)[t], 0x3fffffff);
        ck_assert_uint_eq(kit_words(&kit, 0)[t + 30], t < 6 ? 0x3f : 0);
        ck_assert_uint_eq(kit_words(&kit, 0)[t + 60], t == 3 ? 103 : t < 6 && t > 3 ? 3 : 99);
    }
    kit_free(&kit);
}
END_TEST

/* Lanes of a pair hand words over through shared memory, coming to the warp's barrier from two places. */
START_TEST(test_bar_warp_sync)
{
    struct kit kit;
    kit_run_ok(
        &kit,
        &(struct kit_launch){
            .ptx = PTX_KERNEL(
                ".shared .align 4 .b8 s[128];\n"
                "mov.u32 %r5, s; shl.b32 %r6, %r0, 2; add.u32 %r6, %r5, %r6; xor.b32 %r7, %r6, 4; and.b32 %r8, %r0, "
                "1;\n"
                "setp.eq.u32 %p1, %r8, 0; mul.lo.u32 %r9, %r0, 11; @%p1 bra EVEN;\n"
                "st.volatile.shared.u32 [%r6], %r9; bar.warp.sync 0xffffffff; ld.volatile.shared.u32 %r10, [%r7]; "
                "bar.warp.sync -1; bra JOIN;\n"
                "EVEN: bar.warp.sync 0xffffffff; ld.volatile.shared.u32 %r10, [%r7]; st.volatile.shared.u32 [%r6], "
                "%r9; bar.warp.sync 0xffffffff;\n"
                "JOIN: ld.shared.u32 %r11, [%r7]; mad.lo.u32 %r10, %r10, 1000, %r11; st.global.u32 [%d1], %r10;\n"),
            .args = "u32[32]=zero",
            .block = {32}});
    for (uint32_t t = 0; t < 32; t += 2)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], (t + 1) * 11 * 1001);
    for (uint32_t t = 1; t < 32; t += 2)
        ck_assert_uint_eq(kit_words(&kit, 0)[t] % 1000, (t - 1) * 11);
    kit_expect_count(&kit, "[%d1], %r10", 1, 32);
    kit_free(&kit);
}
END_TEST

/* Lanes that come to the same shuffle one after the other, from the two sides of a branch, exchange all the same. */
START_TEST(test_shfl_gathers)
{
    struct kit kit;
    kit_run_ok(&kit,
               &(struct kit_launch){
                   .ptx = PTX_KERNEL(
                       "setp.lt.u32 %p1, %r0, 16; mov.u32 %r10, %r0; setp.ge.u32 %p2, %r0, 100;\n"
                       "@%p1 bra LOW; add.u32 %r10, %r10, 1000; @%p2 bra OUT; bra MEET;\n"
                       "LOW: add.u32 %r10, %r10, 2000;\n"
                       "MEET: shfl.sync.bfly.b32 %r11, %r10, 16, 31, 0xffffffff; st.global.u32 [%d1], %r11; OUT:\n"),
                   .args = "u32[32]=zero",
                   .block = {32}});
    for (uint32_t t = 0; t < 32; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], (t ^ 16) + (t < 16 ? 1000 : 2000));
    kit_expect_count(&kit, "shfl", 1, 32);
    kit_free(&kit);
}
END_TEST

/* Lanes that have ended are not waited for. */
START_TEST(test_sync_exited)
{
    struct kit kit;
    kit_run_ok(&kit,
               &(struct kit_launch){.ptx = PTX_KERNEL("setp.ge.u32 %p1, %r0, 10; @%p1 exit;\n"
                                                      "vote.sync.ballot.b32 %r10, %p1, 0xffffffff; setp.lt.u32 %p2, "
                                                      "%r0, 100; vote.sync.ballot.b32 %r11, %p2, 0xffffffff;\n"
                                                      "bar.warp.sync 0xffffffff; st.global.u32 [%d1], %r11;\n"),
                                    .args = "u32[32]=zero",
                                    .block = {32}});
    for (uint32_t t = 0; t < 32; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t < 10 ? 0x3ff : 0);
    kit_free(&kit);
}
END_TEST

Suite *engine_warp_suite(void)
{
    Suite *suite = suite_create("engine_warp");
    TCase *tcase = tcase_create("warp");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, test_shfl, 0, 4);
    tcase_add_test(tcase, test_vote);
    tcase_add_test(tcase, test_two_sets);
    tcase_add_test(tcase, test_match);
    tcase_add_loop_test(tcase, test_redux, 0, 9);
    tcase_add_test(tcase, test_activemask_elect);
    tcase_add_test(tcase, test_bar_warp_sync);
    tcase_add_test(tcase, test_shfl_gathers);
    tcase_add_test(tcase, test_sync_exited);
    suite_add_tcase(suite, tcase);
    return suite;
}
