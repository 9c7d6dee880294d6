/* What is not lane-wise, type by type: loads and stores of every type that isa/opcode.def gives them against the bytes
 * in memory, logic of predicates against its truth tables, and instructions that must not change a result. */
#include "tests/engine_kit.h"

#include <math.h>
#include <stdlib.h>

Suite *types_suite(void);

enum { THREADS = 32 };

/* ---- Loads and stores ---- */

static bool is_signed(unsigned type)
{
    return isa_types[type].class == ISA_CLASS_SIGNED;
}

/* A register for an element of a type: integers go to registers of 64 bits, where their extension shows. */
static const char *register_file(unsigned type)
{
    const unsigned bits = isa_types[type].bits;
    if (isa_types[type].class == ISA_CLASS_FLOAT)
        return bits == 32 ? "%f" : "%g";
    return bits == 128 ? "%q" : "%d";
}

static void put_vector(struct base_strbuf *out, unsigned type, unsigned vec)
{
    base_strbuf_puts(out, vec > 1 ? "{" : "");
    for (unsigned e = 0; e < vec; e++)
        base_strbuf_printf(out, "%s%s%u", e == 0 ? "" : ", ", register_file(type), 8 + e);
    base_strbuf_puts(out, vec > 1 ? "}" : "");
}

/* Each thread moves its vector from the first buffer to the second, and for integers writes the registers, 8 bytes an
 * element, to the third. */
static void put_kernel(struct base_strbuf *out, const char *load, unsigned type, unsigned vec)
{
    const unsigned bytes = isa_types[type].bits / 8 * vec;
    const char *name = isa_types[type].name, *words[] = {"", "", ".v2", "", ".v4", "", "", "", ".v8"};
    base_strbuf_puts(out,
                     ".version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 from, .param .u64 "
                     "to, .param .u64 wide)\n{\n" PTX_REGS ".reg .b128 %q<16>;\nld.param.u64 %d0, [from]; "
                     "ld.param.u64 %d1, [to]; ld.param.u64 %d2, [wide];\n");
    base_strbuf_printf(out,
                       "mov.u32 %%r0, %%tid.x; mul.wide.u32 %%d3, %%r0, %u; add.u64 %%d0, %%d0, %%d3; add.u64 %%d1, "
                       "%%d1, %%d3; mul.wide.u32 %%d3, %%r0, %u; add.u64 %%d2, %%d2, %%d3;\n%s.global%s.%s ",
                       bytes, 8 * vec, load, words[vec], name);
    put_vector(out, type, vec);
    base_strbuf_printf(out, ", [%%d0];\nst.global%s.%s [%%d1], ", words[vec], name);
    put_vector(out, type, vec);
    base_strbuf_puts(out, ";\n");
    for (unsigned e = 0; register_file(type)[1] == 'd' && e < vec; e++)
        base_strbuf_printf(out, "st.global.b64 [%%d2+%u], %%d%u;\n", 8 * e, 8 + e);
    base_strbuf_puts(out, "ret;\n}\n");
}

/* The low `bits` of the bytes, extended to 64 as the type is. */
static uint64_t extended(const uint8_t *bytes, unsigned type)
{
    const unsigned bits = isa_types[type].bits;
    uint64_t value = 0;
    for (unsigned i = 0; i < bits / 8; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return bits < 64 && is_signed(type) && (value >> (bits - 1) & 1) != 0 ? value | UINT64_MAX << bits : value;
}

static void check_moved(const struct kit *kit, unsigned type, unsigned vec, const char *load)
{
    const unsigned bytes = isa_types[type].bits / 8, count = vec * THREADS;
    const uint8_t *from = kit_buffer(kit, 0), *to = kit_buffer(kit, 1), *wide = kit_buffer(kit, 2);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t value = bytes <= 8 ? extended(from + (size_t)i * bytes, type) : 0;
        uint64_t got;
        memcpy(&got, wide + (size_t)i * 8, 8);
        ck_assert_msg(memcmp(from + (size_t)i * bytes, to + (size_t)i * bytes, bytes) == 0, "%s.v%u.%s: element %u",
                      load, vec, isa_types[type].name, i);
        ck_assert_msg(register_file(type)[1] != 'd' || got == value, "%s.v%u.%s: element %u is %llx, expected %llx",
                      load, vec, isa_types[type].name, i, (unsigned long long)got, (unsigned long long)value);
    }
}

/* One type by one, two and four elements of up to 16 bytes together. */
static void check_type(const char *load, unsigned type)
{
    for (unsigned vec = 1; vec <= 4 && vec * isa_types[type].bits <= 128; vec *= 2) {
        const unsigned bytes = isa_types[type].bits / 8 * vec * THREADS;
        struct base_strbuf ptx = {0};
        char args[96];
        put_kernel(&ptx, load, type, vec);
        snprintf(args, sizeof(args), "u8[%u]=rand:%u u8[%u]=zero u8[%u]=zero", bytes, type + 1, bytes,
                 8 * vec * THREADS);
        struct kit kit;
        kit_run_ok(&kit, &(struct kit_launch){.ptx = ptx.data, .args = args, .block = {THREADS}, .device = "b200"});
        check_moved(&kit, type, vec, load);
        kit_free(&kit);
        base_strbuf_free(&ptx);
    }
}

static void check_types(enum isa_op op)
{
    for (unsigned type = 0; type < ISA_TYPE_COUNT; type++)
        if ((isa_ops[op].types >> type & 1) != 0)
            check_type(isa_ops[op].mnemonic, type);
}

START_TEST(test_ld)
{
    check_types(ISA_OP_LD);
}
END_TEST

START_TEST(test_ldu)
{
    check_types(ISA_OP_LDU);
}
END_TEST

/* st's types: those of ld, which the kernel stores as it loaded them. */
START_TEST(test_st)
{
    ck_assert(isa_ops[ISA_OP_ST].types == isa_ops[ISA_OP_LD].types);
    check_types(ISA_OP_LD);
}
END_TEST

/* ---- Predicates ---- */

/* Thread t has a = bit 0 of t and b = bit 1. */
START_TEST(test_predicates)
{
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){
                         .ptx = PTX_KERNEL(
                             "and.b32 %r5, %r0, 1; and.b32 %r6, %r0, 2; setp.ne.u32 %p1, %r5, 0; setp.ne.u32 %p2, "
                             "%r6, 0;\n"
                             "and.pred %p3, %p1, %p2; or.pred %p4, %p1, %p2; xor.pred %p5, %p1, %p2; not.pred "
                             "%p6, %p1; mov.pred %p7, %p2;\n"
                             "selp.u32 %r7, 1, 0, %p3; selp.u32 %r8, 2, 0, %p4; or.b32 %r7, %r7, %r8; selp.u32 "
                             "%r8, 4, 0, %p5; or.b32 %r7, %r7, %r8; selp.u32 %r8, 8, 0, %p6; or.b32 %r7, %r7, "
                             "%r8; selp.u32 %r8, 16, 0, %p7; or.b32 %r7, %r7, %r8; st.global.u32 [%d1], %r7;\n"),
                         .args = "u32[32]=zero",
                         .block = {32}});
    for (uint32_t t = 0; t < 32; t++) {
        const uint32_t a = t & 1, b = t >> 1 & 1;
        ck_assert_uint_eq(kit_words(&kit, 0)[t], (a & b) | (a | b) << 1 | (a ^ b) << 2 | (a ^ 1) << 3 | b << 4);
    }
    kit_free(&kit);
}
END_TEST

/* ---- Addresses ---- */

/* An address in global memory is its own generic address, in 64 bits and in their low 32. */
START_TEST(test_cvta)
{
    struct kit kit;
    kit_run_ok(&kit,
               &(struct kit_launch){
                   .ptx = PTX_KERNEL("cvta.global.u64 %d5, %d1; cvta.to.global.u64 %d6, %d1; cvt.u32.u64 %r5, %d1; "
                                     "cvta.global.u32 %r6, %r5; cvta.to.global.u32 %r7, %r5;\n"
                                     "xor.b64 %d5, %d5, %d1; xor.b64 %d6, %d6, %d1; or.b64 %d5, %d5, %d6; xor.b32 "
                                     "%r6, %r6, %r5; xor.b32 %r7, %r7, %r5; or.b32 %r6, %r6, %r7; cvt.u64.u32 %d6, "
                                     "%r6; or.b64 %d5, %d5, %d6; setp.eq.u64 %p1, %d5, 0; selp.u32 %r8, 17, 0, "
                                     "%p1; st.global.u32 [%d1], %r8;\n"),
                   .args = "u32[32]=zero",
                   .block = {32}});
    for (uint32_t t = 0; t < 32; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], 17);
    kit_free(&kit);
}
END_TEST

/* ---- Reductions over a warp ---- */

/* The least or greatest of the numbers; a NaN counts only when .NaN says so. */
static float reduce(const float values[THREADS], bool greatest, bool of_magnitudes, bool keeps_nan)
{
    float best = NAN;
    for (unsigned i = 0; i < THREADS; i++) {
        const float x = of_magnitudes ? fabsf(values[i]) : values[i];
        if (isnan(x) && keeps_nan)
            return NAN;
        best = greatest ? fmaxf(best, x) : fminf(best, x);
    }
    return best;
}

/* Numbers of both signs; in the second launch one of the lanes has a NaN. */
START_TEST(test_redux_float)
{
    static const char *const words[] = {"", ".abs", ".NaN", ".abs.NaN"};
    const char *word = words[_i / 2 % 4], *operation = _i % 2 == 0 ? "min" : "max";
    const bool with_nan = _i >= 8;
    char ptx[4096];
    kit_kernel_text(ptx, sizeof(ptx),
                    "ld.global.f32 %%f1, [%%d1]; redux.sync.%s%s.f32 %%f2, %%f1, 0xffffffff; st.global.f32 [%%d1+128], "
                    "%%f2;\n",
                    operation, word);
    struct kit kit;
    uint32_t kernel = 0;
    const struct kit_launch launch = {.ptx = ptx, .args = "f32[64]=zero", .block = {THREADS}};
    float values[THREADS], got;
    for (unsigned i = 0; i < THREADS; i++)
        values[i] = i == 11 && with_nan ? NAN : ((float)i - 12.5F) * (i % 3 == 0 ? 3.0F : 0.25F);
    kit_prepare(&kit, &launch, &kernel);
    memcpy(sim_memory_at(&kit.memory, kit.bound.args[0].address, sizeof(values)), values, sizeof(values));
    kit_start(&kit, &launch, kernel);
    ck_assert_int_eq(kit.report.status, SIM_RUN_OK);
    const float want = reduce(values, _i % 2 != 0, strstr(word, "abs") != NULL, strstr(word, "NaN") != NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        memcpy(&got, &kit_words(&kit, 0)[THREADS + i], sizeof(got));
        ck_assert_msg(isnan(want) ? isnan(got) : got <= want && got >= want, "%s%s: %g, expected %g", operation, word,
                      (double)got, (double)want);
    }
    kit_free(&kit);
}
END_TEST

/* ---- Moves of vectors ---- */

/* Runs a move over four registers of `bits` bits, which thread t has filled with t, t + 1000, t + 2000 and t + 3000,
 * and asks for `want` (by thousands) in them afterwards. */
static void check_vector_move(const char *move, unsigned bits, const unsigned want[4])
{
    char ptx[4096];
    struct kit kit;
    kit_kernel_text(
        ptx, sizeof(ptx),
        ".reg .b%u %%x<4>; mul.wide.u32 %%d1, %%r1, 16; add.u64 %%d1, %%d0, %%d1;\n"
        "add.u32 %%r2, %%r1, 1000; add.u32 %%r3, %%r1, 2000; add.u32 %%r4, %%r1, 3000;\n"
        "cvt.u%u.u32 %%x0, %%r1; cvt.u%u.u32 %%x1, %%r2; cvt.u%u.u32 %%x2, %%r3; cvt.u%u.u32 %%x3, %%r4;\n%s\n"
        "cvt.u32.u%u %%r5, %%x0; cvt.u32.u%u %%r6, %%x1; cvt.u32.u%u %%r7, %%x2; cvt.u32.u%u %%r8, %%x3;\n"
        "st.global.v4.u32 [%%d1], {%%r5, %%r6, %%r7, %%r8};\n",
        bits, bits, bits, bits, bits, move, bits, bits, bits, bits);
    kit_run_ok(&kit, &(struct kit_launch){.ptx = ptx, .args = "u32[128]=zero", .block = {THREADS}});
    for (uint32_t i = 0; i < 4 * THREADS; i++)
        ck_assert_msg(kit_words(&kit, 0)[i] == i / 4 + 1000 * want[i % 4], "%s: %u, element %u: %u", move, i / 4, i % 4,
                      kit_words(&kit, 0)[i]);
    kit_free(&kit);
}

/* All elements are read before the first is written. */
START_TEST(test_mov_v2)
{
    static const unsigned types[] = {ISA_TYPE_B16, ISA_TYPE_U16, ISA_TYPE_S16, ISA_TYPE_B32, ISA_TYPE_U32, ISA_TYPE_S32,
                                     ISA_TYPE_F32, ISA_TYPE_B64, ISA_TYPE_U64, ISA_TYPE_S64, ISA_TYPE_F64};
    const struct isa_type_info *type = &isa_types[types[_i]];
    char move[128];
    snprintf(move, sizeof(move), "mov.v2.%s {%%x0, %%x1}, {%%x1, %%x0};", type->name);
    check_vector_move(move, type->bits, (const unsigned[4]){1, 0, 2, 3});
    snprintf(move, sizeof(move), "mov.v2.%s {_, %%x3}, {%%x1, %%x0};", type->name);
    check_vector_move(move, type->bits, (const unsigned[4]){0, 1, 2, 0});
}
END_TEST

START_TEST(test_mov_v4)
{
    static const unsigned types[] = {ISA_TYPE_B16, ISA_TYPE_U16, ISA_TYPE_S16, ISA_TYPE_B32,
                                     ISA_TYPE_U32, ISA_TYPE_S32, ISA_TYPE_F32};
    const struct isa_type_info *type = &isa_types[types[_i]];
    char move[256];
    snprintf(move, sizeof(move), "mov.v4.%s {%%x0, %%x1, %%x2, %%x3}, {%%x3, %%x0, %%x1, %%x1};", type->name);
    check_vector_move(move, type->bits, (const unsigned[4]){3, 0, 1, 1});
    snprintf(move, sizeof(move),
             ".reg .v4 .b%u %%v<12>; mov.v4.%s %%v11, {%%x2, %%x3, %%x1, %%x0}; mov.v4.%s %%v1, %%v11;\n"
             "mov.b%u %%x2, %%v1.x; mov.b%u %%x0, %%v11.z;",
             type->bits, type->name, type->name, type->bits, type->bits);
    check_vector_move(move, type->bits, (const unsigned[4]){1, 1, 2, 3});
}
END_TEST

/* %tid and its like are vectors of four, the last of which is zero. */
START_TEST(test_special_vectors)
{
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){.ptx = PTX_KERNEL(".reg .v4 .u32 %v<3>;\n"
                                                            "mov.v4.u32 %v0, %tid; mov.v4.u32 %v2, %ntid;\n"
                                                            "mad.lo.u32 %r1, %v0.y, %v2.x, %v0.x;\n"
                                                            "mul.wide.u32 %d1, %r1, 16; add.u64 %d1, %d0, %d1;\n"
                                                            "st.global.v4.u32 [%d1], %v0;\n"),
                                          .args = "u32[128]=const:9",
                                          .block = {8, 4}});
    for (uint32_t t = 0; t < 32; t++) {
        ck_assert_uint_eq(kit_words(&kit, 0)[4 * t], t % 8);
        ck_assert_uint_eq(kit_words(&kit, 0)[4 * t + 1], t / 8);
        ck_assert_uint_eq(kit_words(&kit, 0)[4 * t + 2], 0);
        ck_assert_uint_eq(kit_words(&kit, 0)[4 * t + 3], 0);
    }
    kit_free(&kit);
}
END_TEST

/* Old programs read the low 16 bits of %tid and its like, and the low 32 of %gridid. */
START_TEST(test_special_low_parts)
{
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){
                         .ptx = PTX_KERNEL(".reg .b16 %x<4>;\n"
                                           "mov.u16 %x1, %tid.x; mov.s16 %x2, %ntid.x; cvt.u32.u16 %r4, %tid.y;\n"
                                           "cvt.u32.u16 %r5, %x1; cvt.u32.u16 %r6, %x2;\n"
                                           "mad.lo.u32 %r5, %r4, %r6, %r5; mov.u32 %r7, %ctaid.w;\n"
                                           "mov.u64 %d4, %gridid; mov.u32 %r8, %gridid; cvt.u64.u32 %d5, %r8;\n"
                                           "sub.u64 %d4, %d4, %d5; cvt.u32.u64 %r9, %d4; add.u32 %r5, %r5, %r9;\n"
                                           "add.u32 %r5, %r5, %r7; mul.wide.u32 %d1, %r5, 4;\n"
                                           "add.u64 %d1, %d0, %d1; st.global.u32 [%d1], %r5;\n"),
                         .args = "u32[64]=zero",
                         .block = {16, 4}});
    for (uint32_t t = 0; t < 64; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], t);
    kit_free(&kit);
}
END_TEST

/* ---- Instructions that change no result ---- */

START_TEST(test_without_effect)
{
    static const char *const hints[] = {"prefetch.global.L1 [%d1];",
                                        "prefetch.L2 [%d1];",
                                        "prefetchu.L1 [%d1];",
                                        "nanosleep.u32 20;",
                                        "pmevent 3;",
                                        "membar.cta;",
                                        "membar.sys;",
                                        "fence.sc.gpu;",
                                        "fence.acq_rel.cta;",
                                        "prefetch.global.L2::evict_last [%d0];",
                                        "applypriority.global.L2::evict_normal [%d0], 128;",
                                        "discard.L2 [%d0], 128;",
                                        "pmevent.mask 0xff;",
                                        "prefetch.tensormap [%d0];",
                                        "membar.proxy.alias;",
                                        "fence.proxy.alias;",
                                        "fence.proxy.async;",
                                        "fence.proxy.async.global;",
                                        "fence.proxy.async.shared::cta;",
                                        "fence.proxy.async.shared::cluster;",
                                        "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;",
                                        "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;",
                                        "fence.proxy.tensormap::generic.acquire.gpu [%d0], 128;",
                                        "fence.proxy.tensormap::generic.release.sys;",
                                        "fence.mbarrier_init.release.cluster;",
                                        "fence.acquire.sync_restrict::shared::cluster.cluster;",
                                        "fence.release.sync_restrict::shared::cta.cluster;"};
    char ptx[4096];
    kit_kernel_text(ptx, sizeof(ptx),
                    "ld.global.u32 %%r5, [%%d1]; add.u32 %%r5, %%r5, 5; st.global.u32 [%%d1], %%r5;\n%s\nld.global.u32 "
                    "%%r6, [%%d1]; add.u32 %%r6, %%r6, %%r5; st.global.u32 [%%d1], %%r6;\n",
                    hints[_i]);
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){.ptx = ptx, .args = "u32[64]=iota", .grid = {2}, .block = {32}});
    for (uint32_t t = 0; t < 64; t++)
        ck_assert_uint_eq(kit_words(&kit, 0)[t], 2 * (t + 5));
    kit_free(&kit);
}
END_TEST

/* One block writes, fences and raises a flag; the other waits for the flag, fences and reads. */
START_TEST(test_fence)
{
    struct kit kit;
    kit_run_ok(&kit, &(struct kit_launch){
                         .ptx = PTX_KERNEL(
                             "setp.eq.u32 %p1, %r62, 0; @%p1 bra WAIT;\n"
                             "st.relaxed.gpu.global.u32 [%d0], 4711; fence.acq_rel.gpu; st.relaxed.gpu.global.u32 "
                             "[%d0+4], 1; bra END;\n"
                             "WAIT: ld.relaxed.gpu.global.u32 %r5, [%d0+4]; setp.eq.u32 %p2, %r5, 0; @%p2 bra "
                             "WAIT; fence.acq_rel.gpu; ld.relaxed.gpu.global.u32 %r6, [%d0]; st.global.u32 "
                             "[%d0+8], %r6;\nEND:\n"),
                         .args = "u32[3]=zero",
                         .grid = {2}});
    ck_assert_uint_eq(kit_words(&kit, 0)[2], 4711);
    kit_free(&kit);
}
END_TEST

/* Without a debugger a breakpoint ends the launch. */
START_TEST(test_brkpt)
{
    struct kit kit;
    kit_run(&kit, &(struct kit_launch){
                      .ptx = PTX_KERNEL("st.global.u32 [%d1], %r0;\nbrkpt;\n"), .args = "u32[32]=zero", .block = {32}});
    ck_assert_int_eq(kit.report.status, SIM_RUN_FAULT);
    ck_assert_int_eq(kit.report.fault.kind, SIM_FAULT_TRAP);
    ck_assert_uint_eq(kit.report.fault_line, 13 + PTX_SETUP_INSNS);
    kit_free(&kit);
}
END_TEST

Suite *types_suite(void)
{
    Suite *suite = suite_create("types");
    TCase *tcase = tcase_create("types");
    tcase_add_test(tcase, test_ld);
    tcase_add_test(tcase, test_ldu);
    tcase_add_test(tcase, test_st);
    tcase_add_test(tcase, test_predicates);
    tcase_add_test(tcase, test_cvta);
    tcase_add_loop_test(tcase, test_redux_float, 0, 16);
    tcase_add_loop_test(tcase, test_mov_v2, 0, 11);
    tcase_add_loop_test(tcase, test_mov_v4, 0, 7);
    tcase_add_test(tcase, test_special_vectors);
    tcase_add_test(tcase, test_special_low_parts);
    tcase_add_loop_test(tcase, test_without_effect, 0, 27);
    tcase_add_test(tcase, test_fence);
    tcase_add_test(tcase, test_brkpt);
    suite_add_tcase(suite, tcase);
    return suite;
}
