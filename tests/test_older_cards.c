/* Rules that older cards have, and profiles for teaching: Fermi's 128-byte transactions through L1 and 32-byte ones
 * past it, half- and quarter-warps, 16 banks, sectors of 64 bytes. Expectations are the rules of the CUDA C Programming
 * Guide, appendix F.4 (compute capability 2.x), worked out in each test.
 */
#include "sim/requests.h"
#include "tests/engine_kit.h"

Suite *older_cards_suite(void);

#define ALL UINT32_MAX

/* One warp: `load` reads from out + offset + lane * stride. */
static void run_load(struct kit *kit, struct kit_launch launch, const char *load, unsigned stride, unsigned offset)
{
    char text[4096];
    kit_kernel_text(text, sizeof text,
                    "mul.wide.u32 %%d2, %%r0, %u;\nadd.u64 %%d2, %%d0, %%d2;\n%s [%%d2+%u];\n"
                    "st.global.u32 [%%d1+16384], %%r2;\n",
                    stride, load, offset);
    launch.ptx = text;
    launch.args = "u32[8192]=iota";
    launch.block[0] = 32;
    kit_run_ok(kit, &launch);
}

static void check_load(struct kit_launch launch, const char *load, unsigned stride, unsigned offset, uint64_t requests,
                       uint64_t sectors)
{
    struct kit kit;
    run_load(&kit, launch, load, stride, offset);
    const struct sim_insn_report *row = kit_insn(&kit, "[%d2");
    ck_assert_uint_eq(row->requests, requests);
    ck_assert_uint_eq(row->sectors, sectors);
    kit_free(&kit);
}

#define LD4  "ld.global.u32 %r2,"
#define LD8  "ld.global.v2.u32 {%r2,%r3},"
#define LD16 "ld.global.v4.u32 {%r2,%r3,%r4,%r5},"

START_TEST(fermi_loads_lines_through_l1)
{
    const struct kit_launch through = {.device = "gtx580"}, past = {.device = "gtx580", .bypass_l1 = true};
    /* Neighbours: 128 bytes, one line of four sectors. One word further on: two lines, but only five sectors. */
    check_load(through, LD4, 4, 0, 1, 4);
    check_load(past, LD4, 4, 0, 1, 4);
    check_load(through, LD4, 4, 4, 1, 8);
    check_load(past, LD4, 4, 4, 1, 5);
    /* One address in all lanes: a whole line for four bytes, or one sector. */
    check_load(through, LD4, 0, 0, 1, 4);
    check_load(past, LD4, 0, 0, 1, 1);
    /* A word of each line: 32 lines, 128 sectors, 3 % of them of use; or 32 sectors. */
    check_load(through, LD4, 128, 0, 1, 128);
    check_load(past, LD4, 128, 0, 1, 32);
    /* What the instruction says goes before the option. */
    check_load(through, "ld.global.cg.u32 %r2,", 4, 4, 1, 5);
    check_load(past, "ld.global.ca.u32 %r2,", 4, 4, 1, 8);
    check_load(through, "ld.volatile.global.u32 %r2,", 4, 4, 1, 5);
    check_load(past, "ld.global.nc.u32 %r2,", 4, 4, 1, 8);
    /* Later cards fetch sectors either way. */
    check_load((struct kit_launch){.device = "h200"}, LD4, 4, 4, 1, 5);
    check_load((struct kit_launch){.device = "h200", .bypass_l1 = true}, LD4, 4, 4, 1, 5);
}
END_TEST

START_TEST(fermi_splits_wide_loads)
{
    const struct kit_launch through = {.device = "gtx580"}, past = {.device = "gtx580", .bypass_l1 = true};
    /* 8 bytes: two half-warps of 128 bytes; 16 bytes: four quarter-warps. */
    check_load(through, LD8, 8, 0, 2, 2 * 4);
    check_load(through, LD16, 16, 0, 4, 4 * 4);
    check_load(past, LD16, 16, 0, 4, 16);
    /* 8 bytes further on, each half-warp touches two lines, and both touch the middle one. */
    check_load(through, LD8, 8, 8, 2, 2 * 2 * 4);
    check_load(past, LD8, 8, 8, 2, 2 * 5);
    /* One address in all lanes is asked for by each half. */
    check_load(through, LD8, 0, 0, 2, 2 * 4);
    check_load((struct kit_launch){.device = "h200"}, LD8, 8, 8, 1, 9);
    check_load((struct kit_launch){.device = "h200"}, LD16, 0, 0, 1, 1);
}
END_TEST

START_TEST(fermi_stores_sectors)
{
    struct kit kit;
    struct kit_launch launch = {
        .ptx = PTX_KERNEL("st.global.u32 [%d1+4], %r0;\n"), .args = "u32[64]=zero", .block = {32}, .device = "gtx580"};
    kit_run_ok(&kit, &launch);
    const struct sim_insn_report *row = kit_insn(&kit, "st.");
    ck_assert_uint_eq(row->requests, 1);
    ck_assert_uint_eq(row->sectors, 5);
    kit_free(&kit);
}
END_TEST

/* The clock moves what was counted: a load of one warp, misses and all. */
START_TEST(fermi_by_the_clock)
{
    static const char *const names[] = {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
                                        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum"};
    for (int past = 0; past < 2; past++) {
        struct kit kit;
        uint64_t sectors = 0;
        run_load(&kit, (struct kit_launch){.device = "gtx580", .bypass_l1 = past == 1, .cycles = true}, LD4, 4, 4);
        for (int i = 0; i < 2; i++) {
            const struct sim_metric *metric = sim_report_metric(&kit.report, names[i]);
            ck_assert_ptr_nonnull(metric);
            sectors += metric->integer;
        }
        ck_assert_uint_eq(sectors, past == 1 ? 5 : 8);
        kit_free(&kit);
    }
}
END_TEST

static struct sim_wavefronts on(const char *device, unsigned width, unsigned stride, enum sim_shared_kind kind)
{
    uint64_t address[32];
    for (unsigned lane = 0; lane < 32; lane++)
        address[lane] = (uint64_t)lane * stride;
    return sim_request_shared(sim_device_find(device), address, ALL, width, kind, NULL);
}

START_TEST(fermi_banks)
{
    /* 4 bytes: 32 banks, one pass; every second bank: two lanes each; one bank: all. One word is given to all lanes. */
    static const unsigned four[][2] = {{4, 1}, {8, 2}, {12, 1}, {128, 32}, {132, 1}, {0, 1}};
    for (size_t i = 0; i < sizeof four / sizeof four[0]; i++) {
        ck_assert_uint_eq(on("gtx580", 4, four[i][0], SIM_SHARED_LOAD).actual, four[i][1]);
        ck_assert_uint_eq(on("gtx580", 4, four[i][0], SIM_SHARED_STORE).actual, four[i][1]);
    }
    /* 8 bytes: by half-warps, each one pass; at 16 bytes two lanes of a half share a bank. Halves never merge. */
    ck_assert_uint_eq(on("gtx580", 8, 8, SIM_SHARED_LOAD).actual, 2);
    ck_assert_uint_eq(on("gtx580", 8, 16, SIM_SHARED_LOAD).actual, 4);
    ck_assert_uint_eq(on("gtx580", 8, 0, SIM_SHARED_LOAD).actual, 2);
    ck_assert_uint_eq(on("h200", 8, 0, SIM_SHARED_LOAD).actual, 1);
    /* 16 bytes: a half-warp takes one pass more than the worse of its quarters: 1 + 1 without a conflict, 1 + 2 at 32
     * bytes, 1 + 8 at 128. */
    ck_assert_uint_eq(on("gtx580", 16, 16, SIM_SHARED_LOAD).actual, 2 * (1 + 1));
    ck_assert_uint_eq(on("gtx580", 16, 32, SIM_SHARED_LOAD).actual, 2 * (1 + 2));
    ck_assert_uint_eq(on("gtx580", 16, 128, SIM_SHARED_STORE).actual, 2 * (1 + 8));
    ck_assert_uint_eq(on("h200", 16, 32, SIM_SHARED_LOAD).actual, 4 * 2);
    ck_assert_uint_eq(on("gtx580", 16, 16, SIM_SHARED_LOAD).ideal, 4);
    /* Atomics on one word follow each other. */
    ck_assert_uint_eq(on("gtx580", 4, 0, SIM_SHARED_ATOMIC).actual, 32);
}
END_TEST

static void read_profile(const char *text, struct sim_device *device)
{
    struct base_source source = {"old.dev", text, strlen(text)};
    struct base_diags diags = {0};
    ck_assert_int_eq(sim_device_read(&source, device, &diags), BASE_OK);
    base_diags_free(&diags);
}

/* A tile of 16 x 16 words read by columns, with rows of 16 words and of 17: lane's word is column * 1 + row * pitch. */
static void check_tile(const struct sim_device *device, unsigned pitch, unsigned wavefronts)
{
    struct kit kit;
    char text[4096];
    kit_kernel_text(text, sizeof text,
                    ".shared .u32 tile[272];\nand.b32 %%r2, %%r0, 15;\nshr.u32 %%r3, %%r0, 4;\n"
                    "mad.lo.u32 %%r4, %%r2, %u, %%r3;\nshl.b32 %%r4, %%r4, 2;\nmov.u32 %%r5, tile;\n"
                    "add.u32 %%r5, %%r5, %%r4;\nld.shared.u32 %%r6, [%%r5];\nst.global.u32 [%%d1], %%r6;\n",
                    pitch);
    kit_run_ok(&kit, &(struct kit_launch){.ptx = text, .args = "u32[32]=zero", .block = {32}, .profile = device});
    ck_assert_uint_eq(kit_insn(&kit, "ld.shared")->wavefronts, wavefronts);
    kit_free(&kit);
}

START_TEST(sixteen_banks)
{
    struct sim_device device;
    read_profile("base = gtx580\nname = old\nbank_count = 16\nglobal_request_lanes = 16\n", &device);
    /* Half-warps: without a conflict two passes a warp. A column of a tile with rows of 16 words: all 16 lanes of a
     * half meet in one bank. With 17 words they do not. */
    check_tile(&device, 16, 2 * 16);
    check_tile(&device, 17, 2);
    /* 32 banks, and the halves judged together. 16 words: the columns of each half fall on two banks, eight words each.
     * 17 words: the columns 0 and 1 meet only in bank 0: 0 x 17 and 15 x 17 + 1 = 8 x 32. */
    check_tile(sim_device_find("h200"), 16, 8);
    check_tile(sim_device_find("h200"), 17, 2);
}
END_TEST

START_TEST(half_warps_and_large_sectors)
{
    struct sim_device device;
    read_profile("base = gtx580\nname = old\nglobal_request_lanes = 16\nsector_bytes = 64\nl1_fetch_bytes = 64\n",
                 &device);
    const struct kit_launch launch = {.profile = &device};
    check_load(launch, LD4, 4, 0, 2, 2);   /* 16 lanes x 4 bytes: one sector a half-warp */
    check_load(launch, LD4, 4, 4, 2, 4);   /* one word on: two each */
    check_load(launch, LD4, 8, 0, 2, 4);   /* 128 bytes each */
    check_load(launch, LD4, 64, 0, 2, 32); /* a sector a lane */
    check_load(launch, LD4, 0, 0, 2, 2);   /* one address: each half asks */
    check_load(launch, LD8, 8, 0, 2, 4);   /* 128 bytes a half-warp */
    check_load(launch, LD16, 16, 0, 4, 8); /* 128 bytes a quarter-warp */
    read_profile("name = wide\nsector_bytes = 64\nl1_fetch_bytes = 64\n", &device);
    check_load(launch, LD4, 4, 0, 1, 2);
    check_load(launch, LD4, 128, 0, 1, 32);
    check_load(launch, LD16, 16, 8 * 16, 1, 8);
    struct kit kit;
    run_load(&kit, launch, LD4, 8, 0); /* half of each byte moved is of use */
    const struct sim_metric *metric =
        sim_report_metric(&kit.report, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct");
    ck_assert_ptr_nonnull(metric);
    ck_assert(metric->real == 50.0); /* 128 bytes of 4 x 64 */
    kit_free(&kit);
}
END_TEST

START_TEST(profiles_that_cannot_be)
{
    static const char *const texts[] = {"l1_fetch_bytes = 48\n",       "l1_fetch_bytes = 256\n",
                                        "global_request_lanes = 12\n", "global_request_bytes = 100\n",
                                        "shared_wide_rule = 2\n",      "global_request_lanes = 0\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct base_source source = {"bad.dev", texts[i], strlen(texts[i])};
        struct base_diags diags = {0};
        struct sim_device device;
        ck_assert_int_eq(sim_device_read(&source, &device, &diags), BASE_INVALID);
        base_diags_free(&diags);
    }
}
END_TEST

Suite *older_cards_suite(void)
{
    Suite *suite = suite_create("older_cards");
    TCase *tests = tcase_create("older_cards");
    tcase_add_test(tests, fermi_loads_lines_through_l1);
    tcase_add_test(tests, fermi_splits_wide_loads);
    tcase_add_test(tests, fermi_stores_sectors);
    tcase_add_test(tests, fermi_by_the_clock);
    tcase_add_test(tests, fermi_banks);
    tcase_add_test(tests, sixteen_banks);
    tcase_add_test(tests, half_warps_and_large_sectors);
    tcase_add_test(tests, profiles_that_cannot_be);
    suite_add_tcase(suite, tests);
    return suite;
}
