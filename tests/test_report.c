/* The writers, on reports made by hand: exact text, so that nobody's script breaks unnoticed. */
#include "report/escape.h"
#include "report/report.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct sim_metric metrics[] = {
    {.name = "z__last.sum", .unit = "inst", .is_integer = true, .integer = 1234567},
    {.name = "launch__waves_per_multiprocessor", .unit = "", .real = 3.69981},
    {.name = "a__first.ratio", .unit = "", .real = 4},
    {.name = "a__huge.sum", .unit = "sector", .is_integer = true, .integer = UINT64_C(0x8000000000000000)},
};

static struct sim_insn_report insns[] = {
    {.pc = 3,
     .text = "ld.global.f32 %f1, [%rd4];",
     .file = "k.cu",
     .line = 7,
     .executed = 10,
     .thread_executed = 320,
     .predicated_off = 5,
     .is_global = true,
     .is_load = true,
     .requests = 10,
     .sectors = 320,
     .sectors_ideal = 40,
     .width_bytes = 4},
    {.pc = 9,
     .text = "st.shared.f32 [%r1], %f1;",
     .file = "k.cu",
     .line = 8,
     .executed = 2,
     .thread_executed = 64,
     .is_shared = true,
     .is_store = true,
     .requests = 2,
     .wavefronts = 64,
     .wavefronts_ideal = 2,
     .width_bytes = 4},
    {.pc = 11, .text = "add.s32 %r1, %r2, %r3;", .line = 9, .executed = 2, .thread_executed = 64},
};

static struct sim_buffer_report buffers[] = {
    {.arg = 2, .type = ISA_TYPE_F32, .bytes = 4096, .fnv1a64 = UINT64_C(0xcbf29ce484222325)},
};

static struct sim_report sample(void)
{
    struct sim_report report = {
        .name = "first",
        .file = "k.ptx",
        .kernel = "k",
        .device = "h200",
        .cycles_mode = false,
        .grid = {4, 1, 1},
        .block = {32, 8, 1},
        .cluster = {1, 1, 1},
        .shared_static_bytes = 128,
        .shared_dynamic_bytes = 64,
        .registers_per_thread = 16,
        .metrics = metrics,
        .metric_count = 4,
        .insns = insns,
        .insn_count = 3,
        .printed = "hi\n\xff",
        .printed_length = 4,
        .buffers = buffers,
        .buffer_count = 1,
        .has_occupancy = true,
        .occupancy = {.limit_blocks = {8, 32, 16, 8, UINT32_MAX},
                      .blocks_per_sm = 8,
                      .warps_per_sm = 64,
                      .occupancy_pct = 100,
                      .limiter = SIM_LIMIT_WARPS,
                      .limiter_mask = 9,
                      .launchable = true},
    };
    return report;
}

static void expect(struct base_strbuf *out, const char *want)
{
    ck_assert(!out->failed);
    ck_assert_str_eq(out->data, want);
    base_strbuf_free(out);
}

START_TEST(test_json)
{
    struct sim_report report = sample();
    struct base_strbuf out = {0};
    report_json(&report, NULL, "1.2.3", &out);
    expect(&out,
           "{\"schema\": 1, \"simtlab\": \"1.2.3\", \"name\": \"first\", \"file\": \"k.ptx\", \"form\": \"ptx\", "
           "\"kernel\": \"k\", \"device\": \"h200\", \"mode\": \"counts\", \"status\": \"ok\", "
           "\"launch\": {\"grid\": [4, 1, 1], \"block\": [32, 8, 1], \"cluster\": [1, 1, 1], \"shared_static\": 128, "
           "\"shared_dynamic\": 64, \"registers_per_thread\": 16}, "
           "\"occupancy\": {\"device\": \"h200\", \"block\": 256, \"registers_per_thread\": 16, "
           "\"shared_per_block\": 192, \"blocks_per_sm\": 8, \"warps_per_sm\": 64, \"occupancy_pct\": 100.0, "
           "\"limiter\": \"warps\", \"limiters\": [\"warps\", \"shared_mem\"], "
           "\"limits\": {\"warps\": 8, \"blocks\": 32, \"registers\": 16, \"shared_mem\": 8}, "
           "\"threads_per_sm\": 2048, \"shared_allocated\": 0, \"shared_config\": 0, "
           "\"shared_optin_needed\": false}, "
           "\"metrics\": {\"z__last.sum\": 1234567, \"launch__waves_per_multiprocessor\": 3.69981, "
           "\"a__first.ratio\": 4.0, \"a__huge.sum\": 9.22337203685478e18}, "
           "\"instructions\": [{\"pc\": 3, \"text\": \"ld.global.f32 %f1, [%rd4];\", \"file\": \"k.cu\", \"line\": 7, "
           "\"executed\": 10, \"thread_executed\": 320, \"predicated_off\": 5, \"requests\": 10, \"sectors\": 320, "
           "\"sectors_ideal\": 40}, "
           "{\"pc\": 9, \"text\": \"st.shared.f32 [%r1], %f1;\", \"file\": \"k.cu\", \"line\": 8, \"executed\": 2, "
           "\"thread_executed\": 64, \"predicated_off\": 0, \"requests\": 2, \"wavefronts\": 64, "
           "\"wavefronts_ideal\": 2}, "
           "{\"pc\": 11, \"text\": \"add.s32 %r1, %r2, %r3;\", \"line\": 9, \"executed\": 2, \"thread_executed\": 64, "
           "\"predicated_off\": 0}], "
           "\"printed\": \"hi\\n\xef\xbf\xbd\", "
           "\"buffers\": [{\"arg\": 2, \"type\": \"f32\", \"bytes\": 4096, \"fnv1a64\": \"cbf29ce484222325\"}]}\n");
}
END_TEST

static struct sim_report faulty(void)
{
    return (struct sim_report){
        .file = "k.ptx",
        .kernel = "k",
        .device = "h200",
        .cycles_mode = true,
        .status = SIM_RUN_FAULT,
        .message = "misaligned",
        .has_fault = true,
        .fault = {.kind = SIM_FAULT_MISALIGNED,
                  .block = {1, 0, 0},
                  .thread = {33, 0, 0},
                  .has_address = true,
                  .address = UINT64_C(0x700000000004),
                  .space = ISA_SPACE_GLOBAL,
                  .message = "write of 8 bytes at 0x700000000004 is not aligned to 8",
                  .nearest = "4 bytes into argument 0 (f32[256])"},
        .fault_file = "k.cu",
        .fault_line = 12,
        .fault_pc = 21,
        .fault_text = "st.global.f64 [%rd1], %fd1;",
        .grid = {2, 1, 1},
        .block = {64, 1, 1},
        .cluster = {1, 1, 1},
    };
}

START_TEST(test_json_fault)
{
    struct sim_report report = faulty();
    struct base_strbuf out = {0}, want = {0};
    report_json(&report, NULL, "1", &out);
    base_strbuf_printf(
        &want,
        "{\"schema\": 1, \"simtlab\": \"1\", \"file\": \"k.ptx\", \"form\": \"ptx\", \"kernel\": \"k\", "
        "\"device\": \"h200\", \"mode\": \"cycles\", \"status\": \"fault\", \"message\": "
        "\"misaligned\", \"fault\": {\"kind\": \"%s\", \"file\": \"k.cu\", \"line\": 12, \"pc\": 21, "
        "\"block\": [1, 0, 0], \"thread\": [33, 0, 0], \"address\": \"0x700000000004\", \"space\": "
        "\"global\", \"nearest\": \"4 bytes into argument 0 (f32[256])\"}, \"launch\": {\"grid\": [2, 1, "
        "1], \"block\": [64, 1, 1], \"cluster\": [1, 1, 1], \"shared_static\": 0, \"shared_dynamic\": "
        "0}}\n",
        sim_fault_kind_name(SIM_FAULT_MISALIGNED));
    expect(&out, want.data);
    base_strbuf_free(&want);
}
END_TEST

START_TEST(test_csv)
{
    struct sim_metric one = {.name = "m \"quoted\"", .unit = "%", .real = 0.5};
    struct sim_report a = sample(),
                      b = {.kernel = "k2", .grid = {1, 2, 3}, .block = {4, 5, 6}, .metrics = &one, .metric_count = 1};
    const struct sim_report *both[] = {&a, &b};
    struct base_strbuf out = {0};
    report_csv(both, 2, "9.0", &out);
    expect(&out, "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block "
                 "Size\",\"Grid Size\",\"Device\",\"CC\",\"a__first.ratio\",\"a__huge.sum\","
                 "\"launch__waves_per_multiprocessor\",\"m \"\"quoted\"\"\",\"z__last.sum\"\n"
                 "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"sector\",\"\",\"%\",\"inst\"\n"
                 "\"0\",\"0\",\"simtlab\",\"localhost\",\"k\",\"1\",\"7\",\"(32, 8, 1)\",\"(4, 1, 1)\",\"0\",\"9.0\","
                 "\"4\",\"9,223,372,036,854,775,808\",\"3.69981\",\"n/a\",\"1,234,567\"\n"
                 "\"1\",\"0\",\"simtlab\",\"localhost\",\"k2\",\"1\",\"7\",\"(4, 5, 6)\",\"(1, 2, 3)\",\"0\",\"9.0\","
                 "\"n/a\",\"n/a\",\"n/a\",\"0.5\",\"n/a\"\n");
}
END_TEST

static const struct {
    double value;
    const char *text;
} reals[] = {
    {0, "0"},         {100, "100"},        {5.951923, "5.951923"},
    {0.9999999, "1"}, {1234.5, "1,234.5"}, {999.9999999, "1,000"},
    {-2.5, "-2.5"},   {1e300, "1e+300"},
};

/* For people: six digits, but the whole part whole. */
static const struct {
    double value;
    const char *text;
} shown_reals[] = {
    {0, "0"},
    {3.69981234, "3.69981"},
    {95.8333333, "95.8333"},
    {274.0606061, "274.061"},
    {2149.494949, "2,149.49"},
    {100, "100"},
    {864889.64, "864,890"},
    {999999.7, "1,000,000"},
    {1234567.89, "1,234,568"},
    {0.0123456, "0.012346"},
    {-2.5, "-2.5"},
    {99.99999, "100"},
};

START_TEST(test_shown_real)
{
    struct sim_metric metric = {.name = "m", .real = shown_reals[_i].value};
    struct base_strbuf out = {0};
    report_metric_shown(&out, &metric);
    expect(&out, shown_reals[_i].text);
}
END_TEST

START_TEST(test_real)
{
    struct sim_metric metric = {.name = "m", .real = reals[_i].value};
    struct base_strbuf out = {0};
    report_metric_value(&out, &metric);
    expect(&out, reals[_i].text);
}
END_TEST

static const char *source_line(void *user, const char *file, uint32_t line, size_t *length)
{
    static const char text[] = "    x[i] = y[32 * i];";
    ck_assert_ptr_eq(user, NULL);
    ck_assert_str_eq(file, "k.cu");
    if (line != 7)
        return NULL;
    *length = sizeof(text) - 1;
    return text;
}

START_TEST(test_text)
{
    struct sim_metric shown[] = {
        {.name = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", .is_integer = true, .integer = 62500},
        {.name = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", .real = 32},
        {.name = "memory_l1_wavefronts_shared", .is_integer = true, .integer = 0},
    };
    struct sim_report report = sample();
    report.metrics = shown;
    report.metric_count = 3;
    report.has_occupancy = false;
    struct report_text_options options = {.source_line = source_line};
    struct base_strbuf out = {0};
    report_text(&report, &options, &out);
    expect(&out, "k   grid 4   block 32 x 8   on h200\n"
                 "k.ptx, counts of the PTX\n"
                 "\n"
                 "Global memory\n"
                 "  load requests          62,500  l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\n"
                 "  sectors a load             32  "
                 "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio\n"
                 "\n"
                 "Source lines, the most wasteful first\n"
                 "  k.cu:7\n"
                 "      x[i] = y[32 * i];\n"
                 "      global load    10 requests, 32 sectors each where 4 would do\n"
                 "      predication    5 of 320 threads were switched off by the guard\n"
                 "  k.cu:8\n"
                 "      shared store   2 requests, 32 wavefronts each where 1 would do: 32-way bank conflict\n"
                 "\n"
                 "Buffers after the launch\n"
                 "  argument 2   f32  4,096 bytes, fnv1a64 cbf29ce484222325\n");
}
END_TEST

/* What people stumble over: more than 100 % of a sector, lines of which none wastes anything, mangled names. */
START_TEST(test_text_words)
{
    struct sim_insn_report insn = {.text = "ld.global.f32 %f1, [%rd1];",
                                   .file = "k.cu",
                                   .line = 8,
                                   .executed = 1,
                                   .thread_executed = 32,
                                   .is_global = true,
                                   .is_load = true,
                                   .requests = 1,
                                   .sectors = 1,
                                   .sectors_ideal = 1};
    struct sim_metric shown = {.name = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", .real = 12.5};
    struct sim_report report = {.kernel = "_Z6vecAddPKfS0_Pfi",
                                .device = "h200",
                                .file = "k.ptx",
                                .grid = {1, 1, 1},
                                .block = {32, 1, 1},
                                .metrics = &shown,
                                .metric_count = 1,
                                .insns = &insn,
                                .insn_count = 1};
    struct report_text_options options = {0};
    struct base_strbuf out = {0};
    report_text(&report, &options, &out);
    expect(&out, "vecAdd(float const*, float const*, float*, int)   grid 1   block 32   on h200\n"
                 "k.ptx, counts of the PTX\n"
                 "\n"
                 "Global memory\n"
                 "  lanes' bytes, %          12.5  smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct\n"
                 "\n"
                 "Source lines\n"
                 "  no access takes more sectors or wavefronts than its bytes need\n"
                 "  k.cu:8\n"
                 "      global load    1 request, 1 sector each\n");
    report.kernel = "_ZN12_GLOBAL__N_15scaleILi4EEEvPKfPfS2_i"; /* 64 columns: a line of its own */
    struct base_strbuf wide = {0};
    report_text(&report, &options, &wide);
    ck_assert_ptr_nonnull(strstr(wide.data,
                                 "void (anonymous namespace)::scale<4>(float const*, float*, float const*, int)\n"
                                 "  grid 1   block 32   on h200\n"));
    base_strbuf_free(&wide);
}
END_TEST

START_TEST(test_text_fault)
{
    struct sim_report report = faulty();
    struct report_text_options options = {0};
    struct base_strbuf out = {0};
    report_text(&report, &options, &out);
    ck_assert_ptr_nonnull(strstr(out.data, " in kernel k\n"));
    ck_assert_ptr_nonnull(strstr(out.data, "  what     write of 8 bytes at 0x700000000004 is not aligned to 8\n"
                                           "  source   k.cu:12\n"
                                           "  PTX      st.global.f64 [%rd1], %fd1;   (instruction 21)\n"
                                           "  thread   (33, 0, 0) of block (1, 0, 0)\n"
                                           "  address  0x700000000004\n"
                                           "  nearest  4 bytes into argument 0 (f32[256])\n"));
    ck_assert_ptr_null(strchr(out.data, '\033'));
    base_strbuf_free(&out);
    options.colour = true;
    report_text(&report, &options, &out);
    ck_assert_ptr_nonnull(strstr(out.data, "\033[1;31mFault:"));
    base_strbuf_free(&out);
}
END_TEST

START_TEST(test_find_metric)
{
    struct sim_report report = sample();
    ck_assert_ptr_eq(sim_report_metric(&report, "a__first.ratio"), &metrics[2]);
    ck_assert_ptr_null(sim_report_metric(&report, "a__first"));
}
END_TEST

static void expect_escaped(const char *text, size_t length, const char *want)
{
    struct base_strbuf out = {0};
    report_escape(&out, text, length);
    ck_assert_str_eq(out.data, want);
    base_strbuf_free(&out);
}
#define ESCAPED(text, want) expect_escaped(text, sizeof(text) - 1, want)

/* Well-formed sequences by table 3-7 of the Unicode standard; what is none becomes U+FFFD, byte by byte. */
START_TEST(test_escape)
{
    ESCAPED("a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c&#39;");
    ESCAPED("</script>", "&lt;/script&gt;");
    ESCAPED("\t\n\r\0\x7f", "\t\n???");
    ESCAPED("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    ESCAPED("\xff", "\xef\xbf\xbd");
    ESCAPED("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");                                 /* overlong */
    ESCAPED("\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd");                                 /* cut off */
    ESCAPED("\xed\xa0\x80x", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx");               /* a surrogate */
    ESCAPED("\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* past U+10FFFF */
    ESCAPED("\xef\xbf\xbf\xef\xbf\xbe!", "\xef\xbf\xbd\xef\xbf\xbd!");               /* no characters of XML */
    ESCAPED("\xef\xbf\xbd", "\xef\xbf\xbd");
}
END_TEST

Suite *report_suite(void);

Suite *report_suite(void)
{
    Suite *suite = suite_create("report");
    TCase *tcase = tcase_create("writers");
    tcase_add_test(tcase, test_json);
    tcase_add_test(tcase, test_json_fault);
    tcase_add_test(tcase, test_csv);
    tcase_add_loop_test(tcase, test_real, 0, sizeof(reals) / sizeof(reals[0]));
    tcase_add_loop_test(tcase, test_shown_real, 0, sizeof(shown_reals) / sizeof(shown_reals[0]));
    tcase_add_test(tcase, test_text);
    tcase_add_test(tcase, test_text_words);
    tcase_add_test(tcase, test_text_fault);
    tcase_add_test(tcase, test_find_metric);
    tcase_add_test(tcase, test_escape);
    suite_add_tcase(suite, tcase);
    return suite;
}
