/* Atomic operations on vectors and on 128 bits, cache policies beside them, and shfl and vote without .sync: against
 * what the PTX ISA says, computed here. */
#include "tests/engine_kit.h"

Suite *engine_atomics_suite(void);

/* Small whole numbers in the floating-point formats. */
static uint32_t number_bits(const char *type, unsigned n)
{
    const float value = (float)n;
    uint32_t f32;
    memcpy(&f32, &value, sizeof(f32));
    if (strcmp(type, "f32") == 0)
        return f32;
    if (strncmp(type, "bf16", 4) == 0)
        return f32 >> 16;
    return n == 0 ? 0 : (f32 >> 13) - ((127U - 15U) << 10);
}

struct vector_case {
    const char *type;
    unsigned bytes, count; /* of an element, of elements */
};
static const struct vector_case vector_cases[] = {{"f32", 4, 2},   {"f32", 4, 4},   {"f16", 2, 2},    {"f16", 2, 4},
                                                  {"f16", 2, 8},   {"bf16", 2, 2},  {"bf16", 2, 4},   {"bf16", 2, 8},
                                                  {"f16x2", 4, 2}, {"f16x2", 4, 4}, {"bf16x2", 4, 2}, {"bf16x2", 4, 4}};
static const char *const sums[] = {"add", "min", "max"};

/* Element e of the cell, and of the operand. */
static uint32_t element(const struct vector_case *c, unsigned n)
{
    const uint32_t low = number_bits(c->type, n);
    return strstr(c->type, "x2") != NULL ? low | number_bits(c->type, n + 1) << 16 : low;
}

static unsigned combined(unsigned op, unsigned x, unsigned y)
{
    return op == 0 ? x + y : (op == 1) == (x < y) ? x : y;
}

static uint32_t combined_element(const struct vector_case *c, unsigned op, unsigned x, unsigned y)
{
    const uint32_t low = number_bits(c->type, combined(op, x, y));
    return strstr(c->type, "x2") != NULL ? low | number_bits(c->type, combined(op, x + 1, y + 1)) << 16 : low;
}

static void put_list(struct base_strbuf *out, const struct vector_case *c, unsigned first)
{
    for (unsigned e = 0; e < c->count; e++)
        base_strbuf_printf(out, "%s%%%c%u", e ? ", " : "{", c->bytes == 2 ? 'h' : 'r', first + e);
    base_strbuf_puts(out, "}");
}

/* A thread; cell: 3, 4, 5 ..., operand: 9, 7, 5, 3 ... */
START_TEST(test_vectors)
{
    const struct vector_case *c = &vector_cases[_i / 6];
    const unsigned op = (unsigned)_i % 3;
    const bool returns = _i / 3 % 2 == 0;
    const unsigned olds = c->bytes == 2 ? 0 : 20; /* registers of the values before */
    if (op != 0 && strcmp(c->type, "f32") == 0)
        return;
    struct base_strbuf text = {0};
    struct kit kit;
    const char *word = c->bytes == 2 ? "16" : "32";
    base_strbuf_puts(&text, PTX_HEAD ".visible .entry k(.param .u64 out)\n{\n" PTX_REGS PTX_SETUP);
    for (unsigned e = 0; e < c->count; e++)
        base_strbuf_printf(&text, "st.global.b%s [%%d0+%u], %u;\nmov.b%s %%%c%u, %u;\n", word, c->bytes * e,
                           element(c, 3 + e), word, c->bytes == 2 ? 'h' : 'r', 8 + e, element(c, 15 - 2 * e));
    base_strbuf_printf(&text, "%s.global.%s%s.v%u.%s ", returns ? "atom" : "red", sums[op],
                       strcmp(c->type, "f32") == 0 ? "" : ".noftz", c->count, c->type);
    if (returns)
        put_list(&text, c, olds);
    base_strbuf_puts(&text, returns ? ", [%d0], " : "[%d0], ");
    put_list(&text, c, 8);
    base_strbuf_puts(&text, ";\n");
    for (unsigned e = 0; returns && e < c->count; e++)
        base_strbuf_printf(&text, "st.global.b%s [%%d0+%u], %%%c%u;\n", word, 64 + c->bytes * e,
                           c->bytes == 2 ? 'h' : 'r', olds + e);
    base_strbuf_puts(&text, "ret;\n}\n");
    kit_run_ok(&kit, &(struct kit_launch){.ptx = text.data, .args = "u32[64]=zero"});
    for (unsigned e = 0; e < c->count; e++) {
        const uint8_t *out = kit_buffer(&kit, 0);
        const uint32_t now = combined_element(c, op, 3 + e, 15 - 2 * e), old = element(c, 3 + e);
        ck_assert_mem_eq(out + (size_t)c->bytes * e, &now, c->bytes);
        if (returns)
            ck_assert_mem_eq(out + 64 + (size_t)c->bytes * e, &old, c->bytes);
    }
    kit_free(&kit);
    base_strbuf_free(&text);
}
END_TEST

/* A vector has the alignment of its whole, as a load has. */
START_TEST(test_vector_alignment)
{
    struct kit kit;
    kit_run(&kit, &(struct kit_launch){.ptx = PTX_KERNEL("red.global.add.v2.f32 [%d0+4], {%r1, %r1};\n"),
                                       .args = "u32[64]=zero"});
    ck_assert_int_eq(kit.report.status, SIM_RUN_FAULT);
    ck_assert_int_eq(kit.report.fault.kind, SIM_FAULT_MISALIGNED);
    kit_free(&kit);
}
END_TEST

/* exch and cas of 128 bits, in global and shared memory: cas compares all of them. */
START_TEST(test_128_bits)
{
    static const char *const spaces[] = {"global", "shared"};
    char ptx[4096];
    struct kit kit;
    kit_kernel_text(ptx, sizeof(ptx),
                    ".reg .b128 %%q<8>; .shared .align 16 .b8 s[16]; mov.u32 %%r5, s; cvt.u64.u32 %%d6, %%r5;\n"
                    "mov.b64 %%d7, 0x1111; mov.b64 %%d8, 0x2222; mov.b64 %%d9, 0x3333;\n"
                    "mov.b128 %%q1, {%%d7, %%d8}; mov.b128 %%q2, {%%d7, %%d9}; mov.b128 %%q3, {%%d8, %%d9};\n"
                    "mov.u32 %%r6, %d; setp.eq.u32 %%p1, %%r6, 0; selp.b64 %%d5, %%d0, %%d6, %%p1;\n"
                    "st.%s.b128 [%%d5], %%q1;\n"
                    "atom.%s.exch.b128 %%q4, [%%d5], %%q2; st.global.b128 [%%d0+16], %%q4;\n"
                    "atom.%s.cas.b128 %%q4, [%%d5], %%q1, %%q3; st.global.b128 [%%d0+32], %%q4;\n"
                    "atom.%s.cas.b128 _, [%%d5], %%q2, %%q3; ld.%s.b128 %%q5, [%%d5]; st.global.b128 [%%d0+48], %%q5;\n"
                    "mov.b128 %%q6, %%q5; mov.b128 {%%d10, %%d11}, %%q6; st.global.b64 [%%d0+64], %%d11;\n",
                    _i, spaces[_i], spaces[_i], spaces[_i], spaces[_i], spaces[_i]);
    kit_run_ok(&kit, &(struct kit_launch){.ptx = ptx, .args = "u64[32]=zero"});
    const uint64_t *out = kit_buffer(&kit, 0);
    const uint64_t want[] = {0x1111, 0x2222, 0x1111, 0x3333, 0x2222, 0x3333, 0x3333};
    ck_assert_mem_eq(out + 2, want, sizeof(want));
    kit_free(&kit);
}
END_TEST

/* Cache policies change nothing. */
START_TEST(test_policies)
{
    struct kit kit;
    kit_run_ok(&kit,
               &(struct kit_launch){.ptx = PTX_KERNEL("mov.b64 %d9, 0; st.global.L2::cache_hint.u32 [%d0], 5, %d9;\n"
                                                      "atom.global.add.L2::cache_hint.u32 %r5, [%d0], 3, %d9;\n"
                                                      "red.relaxed.sys.global.max.L2::cache_hint.u32 [%d0], 100, %d9;\n"
                                                      "atom.global.exch.L2::cache_hint.b32 %r6, [%d0], 7, %d9;\n"
                                                      "ld.global.L2::cache_hint.L2::128B.u32 %r7, [%d0], %d9;\n"
                                                      "st.global.v4.u32 [%d0+16], {%r5, %r6, %r7, 0};\n"),
                                    .args = "u32[8]=zero"});
    const uint32_t want[] = {5, 100, 7};
    ck_assert_mem_eq(kit_words(&kit, 0) + 4, want, sizeof(want));
    kit_free(&kit);
}
END_TEST

/* Without .sync and mask the lanes that execute it together take part. */
START_TEST(test_old_warp_operations)
{
    static const char old[] =
        ".version 6.3\n.target sm_60\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n" PTX_REGS PTX_SETUP
        "setp.lt.u32 %p1, %r0, 20; @!%p1 bra L;\n"
        "shfl.up.b32 %r5|%p2, %r0, 3, 0; selp.u32 %r6, 100, 0, %p2; add.u32 %r5, %r5, %r6; st.global.u32 [%d1], %r5;\n"
        "setp.lt.u32 %p3, %r0, 7; vote.ballot.b32 %r7, %p3; vote.all.pred %p4, !%p3; vote.any.pred %p5, %p3;\n"
        "selp.u32 %r8, 1, 0, %p4; selp.u32 %r9, 2, 0, %p5; or.b32 %r8, %r8, %r9; vote.uni.pred %p6, %p1;\n"
        "selp.u32 %r9, 4, 0, %p6; or.b32 %r8, %r8, %r9; st.global.u32 [%d1+128], %r7; st.global.u32 [%d1+256], %r8;\n"
        "L: ret;\n}\n";
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){.ptx = old, .args = "u32[96]=zero", .block = {32}});
    for (uint32_t t = 0; t < 20; t++) {
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t < 3 ? t : t - 3 + 100);
        ck_assert_uint_eq(kit_words(&kit, 0)[32 + t], 0x7f);
        ck_assert_uint_eq(kit_words(&kit, 0)[64 + t], 2 | 4);
    }
    kit_free(&kit);
}
END_TEST

Suite *engine_atomics_suite(void)
{
    Suite *suite = suite_create("engine_atomics");
    TCase *tests = tcase_create("atomics");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, test_vectors, 0, 6 * (int)(sizeof(vector_cases) / sizeof(vector_cases[0])));
    tcase_add_test(tests, test_vector_alignment);
    tcase_add_loop_test(tests, test_128_bits, 0, 2);
    tcase_add_test(tests, test_policies);
    tcase_add_test(tests, test_old_warp_operations);
    suite_add_tcase(suite, tests);
    return suite;
}
