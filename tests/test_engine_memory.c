/* Memory: every space, every width, what is counted, and every way to go wrong. */
#include "tests/engine_kit.h"

#include <stdlib.h>

Suite *engine_memory_suite(void);

/* ---- Spaces ---- */

START_TEST(test_spaces)
{
    static const char ptx[] = PTX_HEAD
        ".global .align 4 .u32 counts[4] = {10, 20, 30, 40};\n.const .align 8 .u64 big[2] = {5, "
        "0x123456789abcdef0};\n.const .align 4 .f32 half = 0f3F000000;\n"
        ".global .align 8 .u64 where = counts;\n.extern .shared .align 16 .b8 dynamic[];\n"
        ".visible .entry k(.param .u64 out)\n{\n" PTX_REGS
        ".local .align 8 .b8 stack[64];\n.shared .align 4 .u32 fixed[32];\n" PTX_SETUP
        /* global, by name and through a pointer stored in another variable */
        "and.b32 %r5, %r0, 3; mul.wide.u32 %d5, %r5, 4; mov.u64 %d6, counts; add.u64 %d6, %d6, %d5; ld.global.u32 "
        "%r10, [%d6];\n"
        "ld.global.u64 %d7, [where]; add.u64 %d7, %d7, %d5; ld.u32 %r11, [%d7]; ld.global.u32 %r12, [counts+8];\n"
        /* constant */
        "ld.const.u64 %d8, [big+8]; shr.u64 %d8, %d8, 32; cvt.u32.u64 %r13, %d8; ld.const.f32 %f1, [half]; "
        "cvt.rzi.u32.f32 %r14, %f1; cvta.const.u64 %d9, big; ld.u32 %r15, [%d9];\n"
        /* local: lanes never see each other's */
        "mov.u32 %r20, 0; mov.u64 %d10, stack; cvta.local.u64 %d11, %d10;\n"
        "L: add.u32 %r21, %r20, %r0; mul.wide.u32 %d12, %r20, 4; add.u64 %d13, %d10, %d12; st.local.u32 [%d13], %r21; "
        "add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 16; @%p1 bra L;\n"
        "and.b32 %r22, %r0, 15; mul.wide.u32 %d12, %r22, 4; add.u64 %d13, %d11, %d12; ld.u32 %r16, [%d13];\n"
        /* shared: static and dynamic, and the generic way to it */
        "mov.u32 %r23, fixed; shl.b32 %r24, %r0, 2; add.u32 %r23, %r23, %r24; st.shared.u32 [%r23], %r0; mov.u32 %r25, "
        "dynamic; add.u32 %r25, %r25, %r24; mul.lo.u32 %r26, %r0, 9; st.shared.u32 [%r25], %r26;\n"
        "bar.sync 0; xor.b32 %r27, %r23, 4; ld.shared.u32 %r17, [%r27]; xor.b32 %r28, %r25, 8; cvt.u64.u32 %d14, %r28; "
        "cvta.shared.u64 %d14, %d14; ld.u32 %r18, [%d14]; cvta.to.shared.u64 %d15, %d14; cvt.u32.u64 %r29, %d15; "
        "sub.u32 %r19, %r29, %r28;\n"
        "mul.wide.u32 %d16, %r0, 40; add.u64 %d16, %d0, %d16;\n"
        "st.global.u32 [%d16], %r10; st.global.u32 [%d16+4], %r11; st.global.u32 [%d16+8], %r12; st.global.u32 "
        "[%d16+12], %r13; st.global.u32 [%d16+16], %r14; st.global.u32 [%d16+20], %r15; st.global.u32 [%d16+24], %r16; "
        "st.global.u32 [%d16+28], %r17; st.global.u32 [%d16+32], %r18; st.global.u32 [%d16+36], %r19; ret;\n}\n";
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){.ptx = ptx, .args = "u32[320]=zero", .block = {32}, .shared_bytes = 128});
    for (uint32_t t = 0; t < 32; t++) {
        const uint32_t expected[10] = {
            (t % 4 + 1) * 10, (t % 4 + 1) * 10, 30, 0x12345678, 0, 5, t % 16 + t, t ^ 1, (t ^ 2) * 9, 0};
        for (unsigned i = 0; i < 10; i++)
            ck_assert_msg(kit_words(&kit, 0)[t * 10 + i] == expected[i], "thread %u word %u: %u, expected %u", t, i,
                          kit_words(&kit, 0)[t * 10 + i], expected[i]);
    }
    ck_assert_uint_eq(kit_metric(&kit, "launch__shared_mem_per_block_static"), 128);
    kit_free(&kit);
}
END_TEST

/* Parameters of every width, sign-extended into wider registers, and a struct by value. */
START_TEST(test_params)
{
    static const char ptx[] = PTX_HEAD
        ".visible .entry k(.param .u64 out, .param .s8 a, .param .s16 b, .param .u16 c, .param .u32 d, .param .s64 e, "
        ".param .f32 f, .param .f64 g, .param .align 8 .b8 s[24])\n{\n" PTX_REGS
        "ld.param.u64 %d0, [out]; ld.param.s8 %r1, [a]; ld.param.s16 %r2, [b]; ld.param.u16 %r3, [c]; ld.param.u32 "
        "%r4, [d]; ld.param.s64 %d1, [e]; ld.param.f32 %f1, [f]; ld.param.f64 %g1, [g];\n"
        "ld.param.u8 %r5, [a]; ld.param.s8 %d2, [a]; ld.param.v2.u32 {%r6, %r7}, [s+8]; ld.param.u16 %r8, [s+18]; "
        "ld.param.u64 %d3, [s];\n"
        "mov.b64 %d4, s; cvta.param.u64 %d5, %d4; ld.u32 %r9, [%d5+4];\n"
        "st.global.u32 [%d0], %r1; st.global.u32 [%d0+4], %r2; st.global.u32 [%d0+8], %r3; st.global.u32 [%d0+12], "
        "%r4; st.global.u64 [%d0+16], %d1; st.global.f32 [%d0+24], %f1; st.global.u32 [%d0+28], %r5;\n"
        "st.global.f64 [%d0+32], %g1; st.global.u64 [%d0+40], %d2; st.global.u32 [%d0+48], %r6; st.global.u32 "
        "[%d0+52], %r7; st.global.u32 [%d0+56], %r8; st.global.u32 [%d0+60], %r9; st.global.u64 [%d0+64], %d3; "
        "ret;\n}\n";
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){.ptx = ptx,
                                          .args = "u32[18]=zero s8=-3 s16=-400 u16=65000 u32=4000000000 "
                                                  "s64=-5000000000 f32=2.5 f64=-0.125 bytes[24]=file:x"});
    uint8_t s[24], expected[72];
    for (unsigned i = 0; i < 24; i++)
        s[i] = (uint8_t)(i * 7 + 1);
    int32_t words[4] = {-3, -400, 65000, (int32_t)4000000000U};
    int64_t e = -5000000000, d2 = -3;
    float f = 2.5F;
    double g = -0.125;
    uint32_t r5 = 0xfd, r8 = (uint32_t)(s[18] | s[19] << 8);
    memcpy(expected, words, 16);
    memcpy(expected + 16, &e, 8);
    memcpy(expected + 24, &f, 4);
    memcpy(expected + 28, &r5, 4);
    memcpy(expected + 32, &g, 8);
    memcpy(expected + 40, &d2, 8);
    memcpy(expected + 48, s + 8, 8);
    memcpy(expected + 56, &r8, 4);
    memcpy(expected + 60, s + 4, 4);
    memcpy(expected + 64, s, 8);
    ck_assert_mem_eq(kit_buffer(&kit, 0), expected, sizeof(expected));
    kit_free(&kit);
}
END_TEST

/* ---- Widths ---- */

static char file_of(unsigned bytes)
{
    return bytes <= 2 ? 'h' : bytes == 4 ? 'r' : 'd';
}

/* Every type by 1, 2 and 4 elements, through shared memory: elements come back in reverse order. */
START_TEST(test_vectors)
{
    static const char *const types[] = {"b8",  "u8",  "s8",  "b16", "u16", "s16",
                                        "b32", "u32", "s32", "b64", "u64", "s64"};
    unsigned bytes = _i < 3 ? 1 : _i < 6 ? 2 : _i < 9 ? 4 : 8;
    for (unsigned vec = 1; vec <= 4 && vec * bytes <= 16; vec *= 2) {
        char ptx[4096], forward[64], backward[64], word[8] = "", args[64];
        size_t f = 0, b = 0;
        for (unsigned e = 0; e < vec; e++) {
            f += (size_t)snprintf(forward + f, sizeof(forward) - f, "%s%%%c%u", e == 0 ? "{" : ", ", file_of(bytes),
                                  5 + e);
            b += (size_t)snprintf(backward + b, sizeof(backward) - b, "%s%%%c%u", e == 0 ? "{" : ", ", file_of(bytes),
                                  5 + vec - 1 - e);
        }
        snprintf(forward + f, sizeof(forward) - f, "}");
        snprintf(backward + b, sizeof(backward) - b, "}");
        if (vec > 1)
            snprintf(word, sizeof(word), ".v%u", vec);
        else {
            snprintf(forward, sizeof(forward), "%%%c5", file_of(bytes));
            snprintf(backward, sizeof(backward), "%%%c5", file_of(bytes));
        }
        unsigned width = vec * bytes;
        kit_kernel_text(ptx, sizeof(ptx),
                        ".shared .align 16 .b8 s[512]; mul.wide.u32 %%d20, %%r1, %u; add.u64 %%d20, %%d0, %%d20; "
                        "mov.u32 %%r20, s; mad.lo.u32 %%r20, %%r0, %u, %%r20;\n"
                        "ld.global%s.%s %s, [%%d20]; st.shared%s.%s [%%r20], %s; bar.sync 0; ld.shared%s.%s %s, "
                        "[%%r20]; st.global%s.%s [%%d20+%u], %s;\n",
                        width, width, word, types[_i], forward, word, types[_i], backward, word, types[_i], forward,
                        word, types[_i], width * 27, forward);
        snprintf(args, sizeof(args), "u8[%u]=rand:%u", width * 54, _i + 1);
        struct kit kit;
        kit_run_ok(&kit, &(struct kit_launch){.ptx = ptx, .args = args, .block = {27}});
        const uint8_t *data = kit_buffer(&kit, 0);
        for (unsigned t = 0; t < 27; t++)
            for (unsigned e = 0; e < vec; e++)
                ck_assert_mem_eq(data + (size_t)(t + 27) * width + (size_t)e * bytes,
                                 data + (size_t)t * width + (size_t)(vec - 1 - e) * bytes, bytes);
        kit_free(&kit);
    }
}
END_TEST

/* A vector load with unwanted elements. */
START_TEST(test_vector_sink)
{
    struct kit kit;
    kit_run_ok(&kit,
               &(struct kit_launch){
                   .ptx = PTX_KERNEL("mul.wide.u32 %d5, %r0, 16; add.u64 %d5, %d0, %d5; ld.global.v4.u32 {%r10, _, _, "
                                     "%r11}, [%d5]; add.u32 %r10, %r10, %r11; st.global.u32 [%d5+4], %r10;\n"),
                   .args = "u32[128]=iota",
                   .block = {32}});
    for (uint32_t t = 0; t < 32; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t * 4 + 1], t * 8 + 3);
    kit_free(&kit);
}
END_TEST

/* Loads of narrow types into registers of every width, with and without sign; stores of a register's low bytes. */
START_TEST(test_extension)
{
    static const char *const types[] = {"u8", "s8", "b8", "u16", "s16", "u32", "s32"};
    static const unsigned bits[] = {8, 8, 8, 16, 16, 32, 32};
    bool is_signed = types[_i][0] == 's';
    for (unsigned bytes = bits[_i] <= 16 ? 2 : 4; bytes <= 8; bytes *= 2) {
        char ptx[4096];
        kit_kernel_text(ptx, sizeof(ptx),
                        "mul.wide.u32 %%d5, %%r0, 4; add.u64 %%d5, %%d0, %%d5; ld.global.%s %%%c9, [%%d5]; "
                        "mul.wide.u32 %%d6, %%r0, %u; add.u64 %%d6, %%d0, %%d6; st.global.b%u [%%d6+128], %%%c9;\n",
                        types[_i], file_of(bytes), bytes, bytes * 8, file_of(bytes));
        struct kit kit;
        kit_run_ok(&kit, &(struct kit_launch){.ptx = ptx, .args = "u32[128]=rand:77", .block = {32}});
        for (unsigned t = 0; t < 32; t++) {
            uint64_t value = kit_words(&kit, 0)[t], expected = value & ((UINT64_C(1) << bits[_i]) - 1);
            if (is_signed && (expected >> (bits[_i] - 1) & 1) != 0)
                expected |= UINT64_MAX << bits[_i];
            ck_assert_mem_eq((const uint8_t *)kit_buffer(&kit, 0) + 128 + (size_t)t * bytes, &expected, bytes);
        }
        kit_free(&kit);
    }
}
END_TEST

/* ---- Atomics ---- */

/* A warp on one word; lanes take their turn in order. */
START_TEST(test_atomics)
{
    static const char *const ops[] = {"add.u32", "min.u32", "max.u32", "min.s32", "max.s32",  "inc.u32",
                                      "dec.u32", "and.b32", "or.b32",  "xor.b32", "exch.b32", "add.s32"};
    static const char *const spaces[] = {"global", "shared"};
    for (unsigned s = 0; s < 2; s++) {
        char ptx[4096];
        kit_kernel_text(ptx, sizeof(ptx),
                        ".shared .align 4 .u32 s; mul.lo.u32 %%r5, %%r0, 0x9e3779b9; %s setp.ne.u32 %%p1, %%r0, 0; "
                        "@%%p1 bra GO; st.%s.u32 [%s], 0x2345; GO: bar.sync 0;\n"
                        "atom.%s.%s %%r10, [%s], %%r5; bar.sync 0; ld.%s.u32 %%r11, [%s]; st.global.u32 [%%d1+4], "
                        "%%r10; st.global.u32 [%%d0], %%r11;\n",
                        _i == 5 || _i == 6 ? "and.b32 %r5, %r5, 0x3fff;" : "", spaces[s], s == 0 ? "%d0" : "s",
                        spaces[s], ops[_i], s == 0 ? "%d0" : "s", spaces[s], s == 0 ? "%d0" : "s");
        struct kit kit;
        kit_run_ok(&kit, &(struct kit_launch){.ptx = ptx, .args = "u32[33]=zero", .block = {32}});
        uint32_t cell = 0x2345;
        for (uint32_t t = 0; t < 32; t++) {
            uint32_t a = t * UINT32_C(0x9e3779b9), old = cell;
            if (_i == 5 || _i == 6)
                a &= 0x3fff;
            const uint32_t now[] = {old + a,
                                    a < old ? a : old,
                                    a > old ? a : old,
                                    (int32_t)a < (int32_t)old ? a : old,
                                    (int32_t)a > (int32_t)old ? a : old,
                                    old >= a ? 0 : old + 1,
                                    old == 0 || old > a ? a : old - 1,
                                    old & a,
                                    old | a,
                                    old ^ a,
                                    a,
                                    old + a};
            cell = now[_i];
            ck_assert_uint_eq(kit_words(&kit, 0)[t + 1], old);
        }
        ck_assert_uint_eq(kit_words(&kit, 0)[0], cell);
        kit_free(&kit);
    }
}
END_TEST

START_TEST(test_atomics_wide)
{
    struct kit kit;
    kit_run_ok(&kit,
               &(struct kit_launch){
                   .ptx = PTX_KERNEL("cvt.u64.u32 %d5, %r1; shl.b64 %d5, %d5, 33; atom.global.add.u64 %d6, [%d0], %d5; "
                                     "mov.f32 %f1, 0f3F800000; red.global.add.f32 [%d0+8], %f1; cvt.rn.f64.u32 %g1, "
                                     "%r1; red.global.add.f64 [%d0+16], %g1;\n"
                                     "mov.u64 %d7, 0; cvt.u64.u32 %d8, %r1; add.u64 %d8, %d8, 1; atom.global.cas.b64 "
                                     "%d9, [%d0+24], %d7, %d8; red.global.max.s64 [%d0+32], %d5;\n"),
                   .args = "u64[5]=zero",
                   .grid = {3},
                   .block = {50}});
    uint64_t sum = 149 * 150 / 2;
    const uint64_t *out = kit_buffer(&kit, 0);
    float ones = 0;
    double numbers = 0;
    memcpy(&ones, &out[1], 4);
    memcpy(&numbers, &out[2], 8);
    ck_assert_uint_eq(out[0], sum << 33);
    ck_assert(ones >= 150.0F && ones <= 150.0F);
    ck_assert(numbers >= (double)sum && numbers <= (double)sum);
    ck_assert_uint_eq(out[3], 1);
    ck_assert_uint_eq(out[4], UINT64_C(149) << 33);
    kit_free(&kit);
}
END_TEST

/* ---- Counters ---- */

struct count_case {
    const char *body, *insn;
    uint32_t sectors, wavefronts; /* of one warp */
};

START_TEST(test_counts)
{
    static const struct count_case cases[] = {
        /* global: sectors of 32 bytes */
        {"ld.global.u32 %r10, [%d1];", "ld.global", 4, 0},
        {"ld.global.u32 %r10, [%d0];", "ld.global", 1, 0},
        {"ld.global.u32 %r10, [%d1+4];", "ld.global", 5, 0},
        {"mul.wide.u32 %d5, %r0, 32; add.u64 %d5, %d0, %d5; ld.global.u32 %r10, [%d5];", "ld.global", 32, 0},
        {"mul.wide.u32 %d5, %r0, 8; add.u64 %d5, %d0, %d5; st.global.u64 [%d5], %d5;", "st.global", 8, 0},
        {"mul.wide.u32 %d5, %r0, 16; add.u64 %d5, %d0, %d5; ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%d5];",
         "ld.global", 16, 0},
        {"xor.b32 %r5, %r0, 21; mul.wide.u32 %d5, %r5, 4; add.u64 %d5, %d0, %d5; ld.global.u32 %r10, [%d5];",
         "ld.global", 4, 0},
        {"setp.lt.u32 %p1, %r0, 9; @%p1 ld.global.u32 %r10, [%d1];", "ld.global", 2, 0},
        /* shared: %r20 the array; passes over 32 banks of 4 bytes */
        {"mad.lo.u32 %r5, %r0, 4, %r20; ld.shared.u32 %r10, [%r5];", "ld.shared", 0, 1},
        {"ld.shared.u32 %r10, [%r20];", "ld.shared", 0, 1},
        {"mad.lo.u32 %r5, %r0, 8, %r20; ld.shared.u32 %r10, [%r5];", "ld.shared", 0, 2},
        {"mad.lo.u32 %r5, %r0, 128, %r20; ld.shared.u32 %r10, [%r5];", "ld.shared", 0, 32},
        {"mad.lo.u32 %r5, %r0, 132, %r20; st.shared.u32 [%r5], %r0;", "st.shared", 0, 1},
        {"mad.lo.u32 %r5, %r0, 8, %r20; ld.shared.v2.u32 {%r10, %r11}, [%r5];", "ld.shared", 0, 2},
        {"shr.u32 %r6, %r0, 1; mad.lo.u32 %r5, %r6, 8, %r20; ld.shared.v2.u32 {%r10, %r11}, [%r5];", "ld.shared", 0, 1},
        {"mad.lo.u32 %r5, %r0, 16, %r20; ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r5];", "ld.shared", 0, 4},
        {"mad.lo.u32 %r5, %r0, 16, %r20; st.shared.v4.u32 [%r5], {%r10, %r11, %r12, %r13};", "st.shared", 0, 4},
        {"shr.u32 %r6, %r0, 1; mad.lo.u32 %r5, %r6, 8, %r20; st.shared.v2.u32 [%r5], {%r10, %r11};", "st.shared", 0, 2},
        /* atomics: lanes on one word follow each other */
        {"atom.shared.add.u32 %r10, [%r20], 1;", "atom.shared", 0, 32},
        {"mad.lo.u32 %r5, %r0, 4, %r20; atom.shared.add.u32 %r10, [%r5], 1;", "atom.shared", 0, 1},
        {"and.b32 %r6, %r0, 7; mad.lo.u32 %r5, %r6, 4, %r20; atom.shared.add.u32 %r10, [%r5], 1;", "atom.shared", 0, 4},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char ptx[4096];
        kit_kernel_text(ptx, sizeof(ptx), ".shared .align 128 .b8 s[8192]; mov.u32 %%r20, s;\n%s\n", cases[i].body);
        struct kit kit;
        kit_run_ok(&kit, &(struct kit_launch){.ptx = ptx, .args = "u32[1024]=zero", .grid = {3}, .block = {32}});
        const struct sim_insn_report *row = kit_insn(&kit, cases[i].insn);
        ck_assert_msg(row->sectors == 3 * cases[i].sectors && row->wavefronts == 3 * cases[i].wavefronts,
                      "%s: %llu sectors, %llu wavefronts of 3 warps", cases[i].body, (unsigned long long)row->sectors,
                      (unsigned long long)row->wavefronts);
        ck_assert_uint_eq(row->requests, 3);
        kit_free(&kit);
    }
}
END_TEST

/* A warp whose generic addresses lie in two spaces. */
START_TEST(test_generic_mixed)
{
    struct kit kit;
    kit_run_ok(&kit,
               &(struct kit_launch){
                   .ptx = PTX_KERNEL(
                       ".shared .align 4 .b8 s[128]; .local .align 4 .b8 l[4];\n"
                       "mov.u32 %r5, s; mad.lo.u32 %r5, %r0, 4, %r5; add.u32 %r6, %r0, 500; st.shared.u32 [%r5], %r6; "
                       "cvt.u64.u32 %d5, %r5; cvta.shared.u64 %d5, %d5;\n"
                       "mov.u64 %d6, l; add.u32 %r7, %r0, 900; st.local.u32 [%d6], %r7; cvta.local.u64 %d6, %d6;\n"
                       "rem.u32 %r8, %r0, 3; setp.eq.u32 %p1, %r8, 0; setp.eq.u32 %p2, %r8, 1; selp.b64 %d7, %d5, %d1, "
                       "%p1; selp.b64 %d7, %d6, %d7, %p2;\n"
                       "ld.u32 %r10, [%d7]; add.u32 %r10, %r10, 1; st.u32 [%d7], %r10; ld.shared.u32 %r11, [%r5]; "
                       "ld.local.u32 %r12, [l]; st.global.u32 [%d1+128], %r11; st.global.u32 [%d1+256], %r12;\n"),
                   .args = "u32[96]=iota",
                   .block = {32}});
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t + (t % 3 == 2));
        ck_assert_uint_eq(kit_words(&kit, 0)[t + 32], t + 500 + (t % 3 == 0));
        ck_assert_uint_eq(kit_words(&kit, 0)[t + 64], t + 900 + (t % 3 == 1));
    }
    const struct sim_insn_report *row = kit_insn(&kit, "ld.u32");
    ck_assert_uint_eq(row->executed, 1);
    ck_assert_uint_eq(row->requests, 1);
    ck_assert_uint_eq(row->sectors, 4);
    ck_assert_uint_eq(row->wavefronts, 1);
    kit_free(&kit);
}
END_TEST

/* ---- Faults ---- */

struct fault_case {
    const char *body;
    enum sim_fault_kind kind;
    uint32_t thread; /* number in its block: 16 x 4 threads */
    int64_t offset;  /* of the address: from the buffer (global), from 0 (null), else -1 */
    bool is_write;
    const char *nearest;
};

START_TEST(test_faults)
{
    static const struct fault_case cases[] = {
        {"st.global.u32 [%d1+148], %r0;", SIM_FAULT_OUT_OF_BOUNDS, 27, 256, true, "just past the end of argument 0"},
        {"st.global.u32 [%d1+-20], %r0;", SIM_FAULT_OUT_OF_BOUNDS, 0, -20, true,
         "20 bytes before the start of argument 0"},
        {"ld.global.u64 %d5, [%d0+252];", SIM_FAULT_MISALIGNED, 0, 252, false, "argument 0"},
        {"ld.global.v2.u64 {%d5, %d6}, [%d0+248];", SIM_FAULT_MISALIGNED, 0, 248, false, "argument 0"},
        {"setp.eq.u32 %p1, %r1, 33; selp.b64 %d5, 2, 0, %p1; add.u64 %d5, %d0, %d5; ld.global.u32 %r5, [%d5];",
         SIM_FAULT_MISALIGNED, 33, 2, false, "argument 0"},
        {"mov.u64 %d5, 8; ld.global.u32 %r5, [%d5];", SIM_FAULT_NULL, 0, 8, false, ""},
        {"mov.u64 %d5, 0; st.u32 [%d5], %r0;", SIM_FAULT_NULL, 0, 0, true, ""},
        {"setp.eq.u32 %p1, %r1, 50; selp.b64 %d5, 0, %d0, %p1; atom.global.add.u32 %r5, [%d5], 1;", SIM_FAULT_NULL, 50,
         0, true, ""},
        {"cvta.const.u64 %d5, c; st.u32 [%d5], %r0;", SIM_FAULT_READ_ONLY, 0, -1, true, "constant"},
        {"mov.u32 %r5, s; st.shared.u32 [%r5+64], %r0;", SIM_FAULT_OUT_OF_BOUNDS, 0, -1, true,
         "0 bytes past the end of the block's 64 bytes"},
        {"mov.u32 %r5, s; mad.lo.u32 %r5, %r1, 4, %r5; ld.shared.u32 %r6, [%r5];", SIM_FAULT_OUT_OF_BOUNDS, 16, -1,
         false, "past the end of the block's 64 bytes"},
        {"mov.u32 %r5, s; ld.shared.u32 %r6, [%r5+1];", SIM_FAULT_MISALIGNED, 0, -1, false,
         "byte 1 of the block's 64 bytes"},
        {"mov.u64 %d5, l; st.local.u32 [%d5+16], %r0;", SIM_FAULT_OUT_OF_BOUNDS, 0, 16, true,
         "past the end of the 16 bytes"},
        {"mov.u64 %d5, c; ld.const.u32 %r5, [%d5+4];", SIM_FAULT_OUT_OF_BOUNDS, 0, -1, false, "constant memory"},
        {"cvta.shared.u64 %d5, 0; ld.u32 %r5, [%d5+8388608];", SIM_FAULT_OUT_OF_BOUNDS, 0, -1, false, "shared memory"},
        {"setp.eq.u32 %p1, %r1, 5; @%p1 atom.global.add.u64 %d5, [%d0+4], 1;", SIM_FAULT_MISALIGNED, 5, 4, true,
         "argument 0"},
        {"mov.u64 %d5, 0xfffffffffffffffc; ld.global.u64 %d6, [%d5+4];", SIM_FAULT_NULL, 0, 0, false, ""},
        {"mov.u64 %d5, 0xfffffffffffffff8; ld.global.v2.u64 {%d6, %d7}, [%d5+-8];", SIM_FAULT_OUT_OF_BOUNDS, 0, -1,
         false, ""},
        {"mov.u32 %r5, s; mapa.shared::cluster.u32 %r6, %r5, 1;", SIM_FAULT_BAD_INSTRUCTION, 0, -1, false, ""},
    };
    const struct fault_case *c = &cases[_i];
    char ptx[4096];
    snprintf(ptx, sizeof(ptx), "%s%s%s",
             PTX_HEAD ".const .align 4 .u32 c = 3;\n.visible .entry k(.param .u64 out)\n{\n.shared .align 8 .b8 s[64]; "
                      ".local .align 8 .b8 l[16];\n" PTX_REGS
                      "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r2, %tid.y; mad.lo.u32 %r1, %r2, 16, "
                      "%r0; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d0, %d1;\n"
                      "st.shared.u32 [s], %r0; st.local.u32 [l], %r0;\n",
             c->body, "\nret;\n}\n");
    struct kit kit;
    kit_run(&kit, &(struct kit_launch){.ptx = ptx, .args = "u32[64]=zero", .grid = {2}, .block = {16, 4}});
    const struct sim_fault *fault = &kit.report.fault;
    ck_assert_int_eq(kit.report.status, SIM_RUN_FAULT);
    ck_assert_msg(fault->kind == c->kind, "%s: %s: %s", c->body, sim_fault_kind_name(fault->kind), fault->message);
    ck_assert_uint_eq(fault->thread[0], c->thread % 16);
    ck_assert_uint_eq(fault->thread[1], c->thread / 16);
    ck_assert_uint_eq(fault->block[0], 0);
    bool is_buffer = strstr(c->nearest, "argument 0") != NULL;
    if (c->offset != -1)
        ck_assert_int_eq((int64_t)(fault->address - (is_buffer ? kit.bound.args[0].address : 0)), c->offset);
    ck_assert_int_eq(fault->is_write, c->is_write);
    ck_assert_msg(strstr(fault->nearest, c->nearest) != NULL, "%s: nearest is \"%s\"", c->body, fault->nearest);
    ck_assert_ptr_nonnull(kit.report.fault_text);
    kit_free(&kit);
}
END_TEST

/* Kernel parameters are read-only too, and a fault in a later block names it. */
START_TEST(test_fault_block)
{
    struct kit kit;
    kit_run(&kit, &(struct kit_launch){
                      .ptx = PTX_HEAD
                      ".visible .entry k(.param .u64 out)\n{\n" PTX_REGS
                      "mov.u32 %r0, %ctaid.y; mov.u32 %r1, %ctaid.x; mov.b64 %d1, out; cvta.param.u64 %d2, %d1; "
                      "setp.eq.u32 %p1, %r0, 2; setp.eq.and.u32 %p2, %r1, 1, %p1; @%p2 st.u32 [%d2], 1; ret;\n}\n",
                      .args = "u32[4]=zero",
                      .grid = {3, 4},
                      .block = {8}});
    ck_assert_int_eq(kit.report.status, SIM_RUN_FAULT);
    ck_assert_int_eq(kit.report.fault.kind, SIM_FAULT_READ_ONLY);
    ck_assert_uint_eq(kit.report.fault.block[0], 1);
    ck_assert_uint_eq(kit.report.fault.block[1], 2);
    kit_free(&kit);
}
END_TEST

Suite *engine_memory_suite(void)
{
    Suite *suite = suite_create("engine_memory");
    TCase *tcase = tcase_create("memory");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, test_spaces);
    tcase_add_test(tcase, test_params);
    tcase_add_loop_test(tcase, test_vectors, 0, 12);
    tcase_add_test(tcase, test_vector_sink);
    tcase_add_loop_test(tcase, test_extension, 0, 7);
    tcase_add_loop_test(tcase, test_atomics, 0, 12);
    tcase_add_test(tcase, test_atomics_wide);
    tcase_add_test(tcase, test_counts);
    tcase_add_test(tcase, test_generic_mixed);
    tcase_add_loop_test(tcase, test_faults, 0, 19);
    tcase_add_test(tcase, test_fault_block);
    suite_add_tcase(suite, tcase);
    return suite;
}
