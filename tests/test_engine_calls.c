/* Calls and returns, and the functions a device has without any library. */
#include "tests/engine_kit.h"

Suite *engine_calls_suite(void);

#define CALLS_KERNEL(functions, body)                                                                                  \
    PTX_HEAD functions ".visible .entry k(.param .u64 out)\n{\n" PTX_REGS PTX_SETUP body "ret;\n}\n"
/* r = name(a), by 32-bit parameters */
#define CALL1(r, name, a)                                                                                              \
    "{ .param .b32 p; .param .b32 q; st.param.b32 [p], " a "; call.uni (q), " name ", (p); ld.param.b32 " r ", [q]; "  \
    "}\n"

#define FACTORIAL                                                                                                      \
    ".func (.param .b32 q) factorial(.param .b32 n)\n{\n.reg .pred %p<2>; .reg .b32 %r<5>;\n"                          \
    "ld.param.b32 %r1, [n]; setp.gt.u32 %p1, %r1, 1; @%p1 bra MORE; st.param.b32 [q], 1; ret;\n"                       \
    "MORE: sub.u32 %r2, %r1, 1;\n" CALL1("%r3", "factorial",                                                           \
                                         "%r2") "mul.lo.u32 %r4, %r3, %r1; st.param.b32 [q], %r4; ret;\n}\n"

#define FIBONACCI                                                                                                      \
    ".func (.param .b32 q) fib(.param .b32 n)\n{\n.reg .pred %p<2>; .reg .b32 %r<8>;\n"                                \
    "ld.param.b32 %r1, [n]; setp.gt.u32 %p1, %r1, 1; @%p1 bra MORE; st.param.b32 [q], %r1; ret;\n"                     \
    "MORE: sub.u32 %r2, %r1, 1;\n" CALL1("%r3", "fib", "%r2") "sub.u32 %r4, %r1, 2;\n" CALL1(                          \
        "%r5", "fib", "%r4") "add.u32 %r6, %r3, %r5; st.param.b32 [q], %r6; ret;\n}\n"

static void run_calls(struct kit *kit, const char *ptx, uint32_t threads)
{
    kit_run_ok(kit, &(struct kit_launch){.ptx = ptx, .args = "u32[256]=zero", .block = {threads}});
}

START_TEST(test_nested)
{
    struct kit kit;
    run_calls(&kit,
              CALLS_KERNEL(".func (.param .b32 q) inner(.param .b32 n)\n{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [n]; "
                           "add.u32 %r2, %r1, 5; st.param.b32 [q], %r2; ret;\n}\n"
                           ".func (.param .b32 q) outer(.param .b32 n)\n{\n.reg .b32 %r<9>;\nld.param.b32 %r1, [n]; "
                           "mul.lo.u32 %r5, %r1, 7;\n" CALL1("%r2", "inner", "%r1")
                               CALL1("%r3", "inner", "%r2") "add.u32 %r4, %r3, %r5; st.param.b32 [q], %r4; ret;\n}\n",
                           "mov.u32 %r20, 31;\n" CALL1("%r10", "outer",
                                                       "%r0") "add.u32 %r10, %r10, %r20; st.global.u32 [%d1], %r10;\n"),
              64);
    for (uint32_t t = 0; t < 64; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t * 7 + t + 10 + 31);
    kit_expect_count(&kit, "%r1, 5;", 4, 128);
    kit_free(&kit);
}
END_TEST

START_TEST(test_recursive)
{
    struct kit kit;
    run_calls(&kit,
              CALLS_KERNEL(FACTORIAL FIBONACCI,
                           "rem.u32 %r5, %r0, 11;\n" CALL1("%r10", "factorial", "%r5") CALL1(
                               "%r11", "fib", "%r5") "st.global.u32 [%d1], %r10; st.global.u32 [%d1+128], %r11;\n"),
              32);
    uint32_t factorial[11] = {1}, fib[11] = {0, 1};
    for (uint32_t n = 1; n < 11; n++)
        factorial[n] = factorial[n - 1] * n;
    for (uint32_t n = 2; n < 11; n++)
        fib[n] = fib[n - 1] + fib[n - 2];
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_uint_eq(kit_words(&kit, 0)[t], factorial[t % 11]);
        ck_assert_uint_eq(kit_words(&kit, 0)[t + 32], fib[t % 11]);
    }
    kit_expect_count(&kit, "[%d1], %r10", 1, 32);
    kit_free(&kit);
}
END_TEST

/* Lanes call different functions of a table; each runs once, and all meet behind the call. */
START_TEST(test_indirect)
{
    struct kit kit;
    run_calls(&kit,
              CALLS_KERNEL(".func (.param .b32 q) f0(.param .b32 n)\n{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [n]; "
                           "add.u32 %r2, %r1, 111; st.param.b32 [q], %r2; ret;\n}\n"
                           ".func (.param .b32 q) f1(.param .b32 n)\n{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [n]; "
                           "mul.lo.u32 %r2, %r1, 222; st.param.b32 [q], %r2; ret;\n}\n"
                           ".func (.param .b32 q) f2(.param .b32 n)\n{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [n]; "
                           "xor.b32 %r2, %r1, 333; st.param.b32 [q], %r2; ret;\n}\n"
                           ".global .align 8 .u64 table[3] = {f0, f1, f2};\n",
                           "rem.u32 %r5, %r0, 3; mul.wide.u32 %d5, %r5, 8; mov.u64 %d6, table; add.u64 %d6, %d6, %d5; "
                           "ld.global.u64 %d7, [%d6];\n"
                           "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r0;\n"
                           "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                           "call (q), %d7, (p), proto; ld.param.b32 %r10, [q]; }\n"
                           "st.global.u32 [%d1], %r10;\n"),
              32);
    for (uint32_t t = 0; t < 32; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t % 3 == 0 ? t + 111 : t % 3 == 1 ? t * 222 : t ^ 333);
    kit_expect_count(&kit, "%r1, 111;", 1, 11);
    kit_expect_count(&kit, "%r1, 222;", 1, 11);
    kit_expect_count(&kit, "%r1, 333;", 1, 10);
    kit_expect_count(&kit, "[%d1], %r10", 1, 32);
    kit_free(&kit);
}
END_TEST

/* A function that returns lane by lane, called from both sides of a branch; a barrier of the block behind it.
 * Lanes of the two calls never wait for each other to return. */
START_TEST(test_divergent_calls)
{
    static const char function[] = ".func (.param .b32 q) f(.param .b32 n)\n{\n.reg .pred %p<3>; .reg .b32 %r<6>;\n"
                                   "ld.param.b32 %r1, [n]; and.b32 %r2, %r1, 1; setp.ne.u32 %p1, %r2, 0; and.b32 %r3, "
                                   "%r1, 2; setp.ne.u32 %p2, %r3, 0;\n"
                                   "@%p1 bra ODD; add.u32 %r4, %r1, 10000; @%p2 bra TWO; st.param.b32 [q], %r4; ret;\n"
                                   "TWO: add.u32 %r4, %r4, 5; st.param.b32 [q], %r4; ret;\n"
                                   "ODD: add.u32 %r4, %r1, 20000; st.param.b32 [q], %r4; ret;\n}\n";
    char ptx[8192];
    snprintf(ptx, sizeof(ptx), "%s%s%s", PTX_HEAD, function,
             ".visible .entry k(.param .u64 out)\n{\n" PTX_REGS PTX_SETUP
             "setp.lt.u32 %p1, %r0, 13; @%p1 bra LOW;\n" CALL1(
                 "%r10", "f", "%r0") "add.u32 %r10, %r10, 7; bra JOIN;\n"
                                     "LOW: add.u32 %r5, %r0, 64;\n" CALL1(
                                         "%r10", "f", "%r5") "JOIN: bar.sync 1; st.global.u32 [%d1], %r10; ret;\n}\n");
    struct kit kit;
    run_calls(&kit, ptx, 32);
    for (uint32_t t = 0; t < 32; t++) {
        uint32_t n = t < 13 ? t + 64 : t, f = (n & 1) != 0 ? n + 20000 : n + 10000 + ((n & 2) != 0 ? 5 : 0);
        ck_assert_uint_eq(kit_words(&kit, 0)[t], f + (t < 13 ? 0 : 7));
    }
    kit_expect_count(&kit, "[%d1], %r10", 1, 32);
    kit_free(&kit);
}
END_TEST

/* Structs by value, in and out; predicated call. */
START_TEST(test_structs)
{
    struct kit kit;
    run_calls(
        &kit,
        CALLS_KERNEL(".func (.param .align 8 .b8 q[16]) swap(.param .align 8 .b8 a[16], .param .b32 k)\n{\n.reg .b32 "
                     "%r<6>; .reg .b64 %d<3>; .reg .b16 %h<3>;\n"
                     "ld.param.u64 %d1, [a]; ld.param.u32 %r1, [a+8]; ld.param.s16 %r2, [a+12]; ld.param.u8 %r3, "
                     "[a+14]; ld.param.u32 %r4, [k];\n"
                     "cvt.u32.u64 %r5, %d1; add.u32 %r5, %r5, %r4; st.param.u32 [q], %r5; st.param.u16 [q+4], %r3; "
                     "st.param.u16 [q+6], %r2;\n"
                     "cvt.u64.u32 %d2, %r1; st.param.u64 [q+8], %d2; ret;\n}\n",
                     "setp.lt.u32 %p1, %r0, 20; mov.u32 %r10, 0; mov.u64 %d8, 0; mov.u32 %r11, 0;\n"
                     "@!%p1 bra END;\n"
                     "{ .param .align 8 .b8 p[16]; .param .b32 k; .param .align 8 .b8 q[16];\n"
                     "cvt.u64.u32 %d5, %r0; st.param.u64 [p], %d5; mul.lo.u32 %r5, %r0, 3; st.param.u32 [p+8], %r5; "
                     "mov.b16 %h1, -2; st.param.b16 [p+12], %h1; mov.b16 %h2, 200; st.param.b8 [p+14], %h2;\n"
                     "st.param.b32 [k], 50; call (q), swap, (p, k);\n"
                     "ld.param.u32 %r10, [q]; ld.param.u32 %r11, [q+4]; ld.param.u64 %d8, [q+8]; }\n"
                     "END: cvt.u32.u64 %r12, %d8; st.global.u32 [%d1], %r10; st.global.u32 [%d1+128], %r11; "
                     "st.global.u32 [%d1+256], %r12;\n"),
        32);
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t < 20 ? t + 50 : 0);
        ck_assert_uint_eq(kit_words(&kit, 0)[t + 32], t < 20 ? UINT32_C(0xfffe0000) + 200 : 0);
        ck_assert_uint_eq(kit_words(&kit, 0)[t + 64], t < 20 ? t * 3 : 0);
    }
    kit_free(&kit);
}
END_TEST

static void expect_calls_fault(const char *ptx, enum sim_fault_kind kind, const char *message)
{
    struct kit kit;
    kit_run(&kit, &(struct kit_launch){.ptx = ptx, .args = "u32[256]=zero", .block = {32}});
    ck_assert_int_eq(kit.report.status, SIM_RUN_FAULT);
    ck_assert_msg(kit.report.fault.kind == kind && strstr(kit.report.fault.message, message) != NULL, "%s: %s",
                  sim_fault_kind_name(kit.report.fault.kind), kit.report.fault.message);
    kit_free(&kit);
}

START_TEST(test_call_faults)
{
    expect_calls_fault(
        CALLS_KERNEL(".func (.param .b32 q) f(.param .b32 n)\n{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [n];\n" CALL1(
                         "%r2", "f", "%r1") "st.param.b32 [q], %r2; ret;\n}\n",
                     CALL1("%r10", "f", "%r0") "st.global.u32 [%d1], %r10;\n"),
        SIM_FAULT_STACK_OVERFLOW, "stack");
    expect_calls_fault(
        CALLS_KERNEL(".func f()\n{\nret;\n}\n",
                     "mov.u64 %d5, f; mov.u64 %d5, 12345;\nproto: .callprototype _ ();\ncall %d5, (), proto;\n"),
        SIM_FAULT_BAD_INSTRUCTION, "0x3039");
    expect_calls_fault(
        CALLS_KERNEL(
            ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
            ".global .align 1 .b8 text[6] = {120, 32, 62, 32, 48, 0};\n.global .align 1 .b8 file[5] = {97, 46, 99, "
            "117, 0};\n.global .align 1 .b8 name[3] = {107, 107, 0};\n",
            "setp.eq.u32 %p1, %r0, 9; @!%p1 bra END;\n"
            "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; cvta.global.u64 %d5, text; "
            "cvta.global.u64 %d6, file; cvta.global.u64 %d7, name;\n"
            "st.param.b64 [a], %d5; st.param.b64 [b], %d6; st.param.b32 [c], 42; st.param.b64 [d], %d7; st.param.b64 "
            "[e], 1;\n"
            "call.uni __assertfail, (a, b, c, d, e); }\nEND:\n"),
        SIM_FAULT_ASSERT, "a.cu:42: kk: assertion `x > 0' failed");
}
END_TEST

/* vprintf with the arguments in a local buffer, as compilers write it. */
START_TEST(test_vprintf)
{
    static const char format[] = "%d %5u|%-4d|%x %lld %llu %5.2f %c %% %s %e %p\n";
    struct base_strbuf ptx = {0};
    base_strbuf_puts(&ptx, PTX_HEAD ".extern .func (.param .b32 q) vprintf(.param .b64 f, .param .b64 a);\n.global "
                                    ".align 1 .b8 word[4] = {97, 98, 99, 0};\n");
    base_strbuf_printf(&ptx, ".global .align 1 .b8 format[%zu] = {", sizeof(format));
    for (size_t i = 0; i < sizeof(format); i++)
        base_strbuf_printf(&ptx, "%s%d", i == 0 ? "" : ", ", format[i]);
    base_strbuf_puts(&ptx,
                     "};\n.visible .entry k(.param .u64 out)\n{\n.local .align 8 .b8 depot[88];\n" PTX_REGS PTX_SETUP
                     "mov.u64 %d5, depot; cvta.local.u64 %d6, %d5; mul.lo.s32 %r10, %r0, -3; setp.ge.u32 %p1, %r0, 2; "
                     "@%p1 bra END;\n"
                     "st.local.u32 [%d5], %r10; st.local.u32 [%d5+4], %r0; st.local.u32 [%d5+8], %r10; st.local.u32 "
                     "[%d5+12], 0xbeef;\n"
                     "mov.u64 %d7, -5000000000; st.local.u64 [%d5+16], %d7; mov.u64 %d7, 18446744073709551615; "
                     "st.local.u64 [%d5+24], %d7;\n"
                     "mov.f64 %g1, 0d40091EB851EB851F; st.local.f64 [%d5+32], %g1; st.local.u32 [%d5+40], 65; "
                     "cvta.global.u64 %d8, word; st.local.u64 [%d5+48], %d8;\n"
                     "st.local.f64 [%d5+56], %g1; mov.u64 %d9, 4660; st.local.u64 [%d5+64], %d9;\n"
                     "{ .param .b64 f; .param .b64 a; .param .b32 q; cvta.global.u64 %d10, format; st.param.b64 [f], "
                     "%d10; st.param.b64 [a], %d6; call.uni (q), vprintf, (f, a); ld.param.b32 %r11, [q]; }\n"
                     "st.global.u32 [%d1], %r11;\nEND: ret;\n}\n");
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){.ptx = ptx.data, .args = "u32[256]=zero", .block = {32}});
    char expected[400];
    size_t n = 0;
    for (int t = 0; t < 2; t++)
        n += (size_t)snprintf(expected + n, sizeof(expected) - n, "%d %5u|%-4d|%x %lld %llu %5.2f %c %% %s %e 0x1234\n",
                              t * -3, (unsigned)t, t * -3, 0xbeefU, -5000000000LL, 18446744073709551615ULL, 3.14, 'A',
                              "abc", 3.14);
    ck_assert_uint_eq(kit.report.printed_length, n);
    ck_assert_str_eq(kit.report.printed, expected);
    ck_assert_uint_eq(kit_words(&kit, 0)[0], 11);
    kit_free(&kit);
    base_strbuf_free(&ptx);
}
END_TEST

/* A call of printf with one format and up to three arguments, each in eight bytes of the buffer or, with `packed`, in
 * four. */
static void print_one(struct kit *kit, const char *format, const uint64_t *values, unsigned count, bool packed)
{
    struct base_strbuf ptx = {0};
    base_strbuf_puts(&ptx, PTX_HEAD ".extern .func (.param .b32 q) vprintf(.param .b64 f, .param .b64 a);\n");
    base_strbuf_puts(&ptx, ".global .align 1 .b8 format[] = {");
    for (const char *f = format; *f != '\0'; f++)
        base_strbuf_printf(&ptx, "%d, ", *f);
    base_strbuf_puts(&ptx, "0};\n.visible .entry k(.param .u64 out)\n{\n.local .align 8 .b8 a[64];\n" PTX_REGS PTX_SETUP
                           "mov.u64 %d5, a; cvta.local.u64 %d6, %d5;\n");
    for (unsigned i = 0; i < count; i++)
        base_strbuf_printf(&ptx, "mov.b64 %%d9, %llu; cvt.u32.u64 %%r9, %%d9; st.local.%s [%%d5+%u], %%%s9;\n",
                           (unsigned long long)values[i], packed ? "u32" : "u64", i * (packed ? 4 : 8),
                           packed ? "r" : "d");
    base_strbuf_puts(&ptx, "{ .param .b64 f; .param .b64 a; .param .b32 q; cvta.global.u64 %d10, format; "
                           "st.param.b64 [f], %d10; st.param.b64 [a], %d6; call.uni (q), vprintf, (f, a); "
                           "ld.param.b32 %r11, [q]; }\nst.global.u32 [%d1], %r11;\nret;\n}\n");
    kit_run_ok(kit, &(struct kit_launch){.ptx = ptx.data, .args = "u32[1]=zero", .block = {1}});
    base_strbuf_free(&ptx);
}

static void expect_printed(struct kit *kit, const char *want)
{
    ck_assert_ptr_nonnull(kit->report.printed);
    ck_assert_msg(strcmp(kit->report.printed, want) == 0, "printed %.60s, not %.60s", kit->report.printed, want);
    kit_free(kit);
}

/* Widths, precisions and flags are C's, however large. */
START_TEST(test_vprintf_widths)
{
    static char want[70000];
    struct kit kit;
    double third = 1.0 / 3;
    uint64_t bits;
    memcpy(&bits, &third, sizeof(bits));
    print_one(&kit, "%12000d|", (uint64_t[]){42}, 1, true);
    snprintf(want, sizeof(want), "%12000d|", 42);
    expect_printed(&kit, want);
    print_one(&kit, "%-*u|%.*x", (uint64_t[]){20000, 7, 30000}, 3, true);
    /* The precision's value is missing from the buffer's first twelve bytes: the next word, never written, is 0. */
    snprintf(want, sizeof(want), "%-*u|%.*x", 20000, 7U, 30000, 0U);
    expect_printed(&kit, want);
    print_one(&kit, "%*d|%+.3d|%05d", (uint64_t[]){(uint32_t)-9, 5, 6}, 3, true);
    snprintf(want, sizeof(want), "%*d|%+.3d|%05d", -9, 5, 6, 0);
    expect_printed(&kit, want);
    print_one(&kit, "%.15000f|%#.0a", (uint64_t[]){bits, bits}, 2, false);
    snprintf(want, sizeof(want), "%.15000f|%#.0a", third, third);
    expect_printed(&kit, want);
    print_one(&kit, "%hhd %hu|%20p|%-12p|", (uint64_t[]){0x1ff | UINT64_C(0x12345) << 32, 4096, 255}, 3, false);
    snprintf(want, sizeof(want), "%d %u|%20s|%-12s|", -1, 0x2345U, "0x1000", "0xff");
    expect_printed(&kit, want);
}
END_TEST

/* What nobody could keep is cut, and does not take long. */
START_TEST(test_vprintf_huge)
{
    static const char *const formats[] = {"%999999999999999d", "%.2147483647f", "%4294967296s", "%2000000000c"};
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        struct kit kit;
        print_one(&kit, formats[i], (uint64_t[]){0}, 1, false);
        ck_assert(kit.report.printed_cut);
        kit_free(&kit);
    }
}
END_TEST

/* Every thread gets memory of its own, writes it, reads it back and gives half of it up; the rest is given again. */
START_TEST(test_malloc)
{
    struct kit kit;
    run_calls(&kit,
              CALLS_KERNEL(".extern .func (.param .b64 q) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n",
                           "mul.wide.u32 %d5, %r0, 8; add.u64 %d5, %d5, 8;\n"
                           "{ .param .b64 n; .param .b64 q; st.param.b64 [n], %d5; call.uni (q), malloc, (n); "
                           "ld.param.b64 %d6, [q]; }\n"
                           "add.u64 %d7, %d6, %d5; st.u32 [%d6], %r0; st.u32 [%d7+-4], %r0; bar.sync 0; ld.u32 %r10, "
                           "[%d6]; ld.u32 %r11, [%d7+-4]; add.u32 %r10, %r10, %r11;\n"
                           "{ .param .b64 p; st.param.b64 [p], %d6; call.uni free, (p); }\n"
                           "mov.u64 %d5, 100000000000; { .param .b64 n; .param .b64 q; st.param.b64 [n], %d5; call.uni "
                           "(q), malloc, (n); ld.param.b64 %d8, [q]; }\n"
                           "setp.eq.u64 %p1, %d8, 0; selp.u32 %r12, 0, 5000, %p1; add.u32 %r10, %r10, %r12; "
                           "st.global.u32 [%d1], %r10;\n"),
              200);
    for (uint32_t t = 0; t < 200; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], 2 * t);
    kit_free(&kit);
}
END_TEST

/* Addresses of a width in %x registers. */
#define STACK_TEXT(width)                                                                                              \
    PTX_HEAD ".func (.param .b32 o) f(.param .b32 n)\n{\n" PTX_REGS ".reg .b" width " %x<8>;\n"                        \
             "ld.param.u32 %r1, [n]; cvt.u" width ".u32 %x1, %r1; alloca.u" width " %x2, %x1; "                        \
             "st.local.u32 [%x2], %r1;\nld.local.u32 %r3, [%x2]; st.param.b32 [o], %r3; ret;\n}\n"                     \
             ".visible .entry k(.param .u64 out)\n{\n" PTX_REGS PTX_SETUP ".reg .b" width " %x<8>;\n"                  \
             "stacksave.u" width " %x0; add.u32 %r4, %r0, 4; cvt.u" width ".u32 %x4, %r4; alloca.u" width              \
             " %x1, %x4, 64;\nalloca.u" width " %x2, %x4; st.local.u32 [%x1], %r0; st.local.u32 [%x2], 7;\n"           \
             "{ .param .b32 n; .param .b32 o; st.param.b32 [n], %r4; call (o), f, (n); ld.param.b32 %r5, [o]; }\n"     \
             "ld.local.u32 %r6, [%x1]; mad.lo.u32 %r5, %r5, 1000, %r6; cvt.u32.u" width " %r7, %x1;\n"                 \
             "and.b32 %r7, %r7, 63; mad.lo.u32 %r5, %r7, 1000000, %r5; stackrestore.u" width " %x0;\n"                 \
             "stacksave.u" width " %x3; setp.ne.u" width " %p1, %x3, %x0; @%p1 add.u32 %r5, %r5, 500;\n"               \
             "st.global.u32 [%d1], %r5; ret;\n}\n"

/* Each thread takes as much as it likes, twice, aligned, and gets different places; a function's are given back when it
 * returns, and stackrestore gives back what was taken since stacksave. */
START_TEST(test_stack)
{
    static const char *const texts[] = {STACK_TEXT("64"), STACK_TEXT("32")};
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){.ptx = texts[_i], .args = "u32[64]=zero", .block = {64}});
    for (uint32_t t = 0; t < 64; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], (t + 4) * 1000 + t);
    kit_free(&kit);
}
END_TEST

/* More than there is, in one piece and in many. */
START_TEST(test_stack_overflow)
{
    static const char *const bodies[] = {"mov.u64 %d5, 0x7fffffffff; alloca.u64 %d6, %d5;\n",
                                         "mov.u64 %d5, 1000; L: alloca.u64 %d6, %d5; bra L;\n",
                                         "mov.u64 %d5, 0; stackrestore.u64 %d5;\n"};
    char ptx[4096];
    struct kit kit;
    kit_kernel_text(ptx, sizeof(ptx), "%s", bodies[_i]);
    kit_run(&kit, &(struct kit_launch){.ptx = ptx, .args = "u32[64]=zero", .block = {64}});
    ck_assert_int_eq(kit.report.status, SIM_RUN_FAULT);
    ck_assert_int_eq(kit.report.fault.kind, SIM_FAULT_STACK_OVERFLOW);
    kit_free(&kit);
}
END_TEST

/* Parameters that are registers: given as registers and constants, of several widths, returned from two places. */
START_TEST(test_register_parameters)
{
    struct kit kit;
    run_calls(
        &kit,
        CALLS_KERNEL(".func (.reg .u32 low, .reg .b64 high) f(.reg .u32 a, .reg .f32 b, .reg .b64 c, .reg .b16 %h)\n{\n"
                     ".reg .pred %p; .reg .b32 %x; cvt.rzi.u32.f32 %x, b; add.u32 low, a, %x; mov.b64 high, c;\n"
                     "setp.lt.u32 %p, a, 10; @%p ret; cvt.u32.u16 %x, %h; add.u32 low, low, %x; { .reg .u32 low; "
                     "mov.u32 low, 9; }\n}\n",
                     ".reg .f32 %f; .reg .b16 %i; mov.f32 %f, 0f40E00000; cvt.u16.u32 %i, %r0; add.u64 %d5, %d1, 9;\n"
                     "call (%r10, %d6), f, (%r0, %f, %d5, %i); sub.u64 %d6, %d6, %d1; cvt.u32.u64 %r11, %d6;\n"
                     "st.global.u32 [%d1], %r10; call (%r10, %d6), f, (5, 0f40000000, %d1, %i);\n"
                     "add.u32 %r10, %r10, %r11; st.global.u32 [%d1+128], %r10;\n"),
        32);
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t < 10 ? t + 7 : 2 * t + 7);
        ck_assert_uint_eq(kit_words(&kit, 0)[32 + t], 5 + 2 + 9);
    }
    kit_free(&kit);
}
END_TEST

/* A function under two names, called by each, directly and by its address. */
START_TEST(test_alias)
{
    struct kit kit;
    run_calls(
        &kit,
        CALLS_KERNEL(".visible .func (.param .b32 q) other(.param .b32 n);\n"
                     ".visible .func (.param .b32 q) f(.param .b32 n)\n{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [n]; "
                     "add.u32 %r2, %r1, 5; st.param.b32 [q], %r2; ret;\n}\n.alias other, f;\n",
                     CALL1("%r10", "other", "%r0")
                         CALL1("%r10", "f",
                               "%r10") "mov.u64 %d4, other; P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                                       "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r10; call (q), %d4, (p), P; "
                                       "ld.param.b32 %r10, [q]; }\nst.global.u32 [%d1], %r10;\n"),
        32);
    for (uint32_t t = 0; t < 32; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t + 15);
    kit_free(&kit);
}
END_TEST

Suite *engine_calls_suite(void)
{
    Suite *suite = suite_create("engine_calls");
    TCase *tcase = tcase_create("calls");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, test_nested);
    tcase_add_test(tcase, test_recursive);
    tcase_add_test(tcase, test_indirect);
    tcase_add_test(tcase, test_divergent_calls);
    tcase_add_test(tcase, test_structs);
    tcase_add_test(tcase, test_call_faults);
    tcase_add_test(tcase, test_vprintf);
    tcase_add_test(tcase, test_vprintf_widths);
    tcase_add_test(tcase, test_vprintf_huge);
    tcase_add_test(tcase, test_malloc);
    tcase_add_test(tcase, test_register_parameters);
    tcase_add_test(tcase, test_alias);
    tcase_add_loop_test(tcase, test_stack, 0, 2);
    tcase_add_loop_test(tcase, test_stack_overflow, 0, 3);
    suite_add_tcase(suite, tcase);
    return suite;
}
