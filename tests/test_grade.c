/* advise/: rules of grading are read with their mistakes told by line and column, and hold reports to what they say;
 * and metrics are found by the names that articles use. */
#include "advise/grade.h"
#include "advise/metric_names.h"
#include "report/junit.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *grade_suite(void);

static struct sim_metric metrics[] = {
    {.name = "sm__cycles_active.max", .is_integer = true, .modelled = true, .integer = 1000, .real = 1000},
    {.name = "sm__warps_active.avg.pct_of_peak_sustained_active", .modelled = true, .real = 62.5},
    {.name = "memory_l1_wavefronts_shared", .is_integer = true, .integer = 96, .real = 96},
    {.name = "memory_l1_wavefronts_shared_ideal", .is_integer = true, .integer = 32, .real = 32},
    {.name = "launch__registers_per_thread", .is_integer = true, .integer = 40, .real = 40},
    {.name = "dram__sectors_read.sum", .is_integer = true, .integer = 7, .real = 7},
    {.name = "lts__t_sectors.a", .is_integer = true, .integer = 1, .real = 1},
    {.name = "lts__t_sectors.b", .is_integer = true, .integer = 2, .real = 2},
};
static struct sim_insn_report insns[] = {
    {.file = "dir/k.cu",
     .line = 7,
     .executed = 10,
     .thread_executed = 320,
     .sectors = 4,
     .wavefronts = 2,
     .requests = 3},
    {.file = "dir/k.cu", .line = 7, .executed = 5, .sectors = 6, .divergent = 1},
    {.file = "dir/k.cu", .line = 8, .executed = 1, .sectors = 100},
    {.file = "dir/other_k.cu", .line = 7, .executed = 1, .sectors = 1000},
};

static struct sim_report sample(void)
{
    return (struct sim_report){.metrics = metrics,
                               .metric_count = sizeof metrics / sizeof metrics[0],
                               .insns = insns,
                               .insn_count = sizeof insns / sizeof insns[0],
                               .has_occupancy = true,
                               .occupancy = {.occupancy_pct = 50},
                               .finding_count = 2,
                               .cycles_mode = true};
}

static struct advise_finding told[] = {
    {.rule = ADVISE_RULE_BANK_CONFLICT, .severity = ADVISE_PROBLEM},
    {.rule = ADVISE_RULE_TAIL, .severity = ADVISE_HINT},
    {.rule = ADVISE_RULE_REDUCTION, .severity = ADVISE_NOTE},
};

static enum base_status read_text(const char *text, struct advise_grade *grade, struct base_diags *diags)
{
    struct base_source source = {"rules", text, strlen(text)};
    advise_grade_init(grade);
    return advise_grade_read(&source, grade, diags);
}

static const struct {
    const char *rule, *why;
    enum advise_verdict verdict;
} verdicts[] = {
    {"sm__cycles_active.max <= 1000", "it is 1000", ADVISE_PASSED},
    {"sm__cycles_active.max<=999", "it is 1000", ADVISE_FAILED},
    {"cycles < 1000", "it is 1000", ADVISE_FAILED},
    {"cycles >= 1e3", "it is 1000", ADVISE_PASSED},
    {"cycles > 1000", "it is 1000", ADVISE_FAILED},
    {"cycles != 1000", "it is 1000", ADVISE_FAILED},
    {"sm__warps_active == 62.5", "it is 62.5", ADVISE_PASSED},
    {"l1tex__data_bank_conflicts == 64", "it is 64", ADVISE_PASSED},
    {"sm__sass_average_regs_per_warp <= 32", "it is 40", ADVISE_FAILED},
    {"dram__sectors_read == 7", "it is 7", ADVISE_PASSED},
    {"lts__t_sectors == 1", "the report has no metric 'lts__t_sectors'; did you mean 'lts__t_sectors.a'?",
     ADVISE_NOT_THERE}, /* which of two? */
    {"no_such_metric == 1", "the report has no metric 'no_such_metric'; run --format json has all", ADVISE_NOT_THERE},
    {"occupancy >= 50", "it is 50", ADVISE_PASSED},
    {"findings == 0", "it is 2", ADVISE_FAILED},
    {"advice == 0", "it is 3", ADVISE_FAILED},
    {"advice:bank-conflict == 1", "it is 1", ADVISE_PASSED},
    {"advice:divergence == 0", "it is 0", ADVISE_PASSED},
    {"advice:problem == 1", "it is 1", ADVISE_PASSED},
    {"advice:hint == 2", "it is 2", ADVISE_PASSED}, /* or worse */
    {"advice:note == 3", "it is 3", ADVISE_PASSED},
    {"line k.cu:7 sectors == 10", "it is 10", ADVISE_PASSED},
    {"line dir/k.cu:7 executed == 15", "it is 15", ADVISE_PASSED},
    {"line k.cu:7 divergent <= 0", "it is 1", ADVISE_FAILED},
    {"line k.cu:9 sectors == 0", "no instruction of the kernel comes from k.cu:9", ADVISE_NOT_THERE},
};

START_TEST(rules_are_held_to)
{
    struct sim_report report = sample();
    struct advise_findings findings = {.items = told, .count = 3};
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
        struct advise_grade grade;
        struct base_diags diags = {0};
        struct base_strbuf why = {0};
        ck_assert_int_eq(read_text(verdicts[i].rule, &grade, &diags), BASE_OK);
        ck_assert_uint_eq(grade.rules.count, 1);
        ck_assert_str_eq(grade.rules.data[0].text, verdicts[i].rule);
        enum advise_verdict verdict = advise_grade_check(&grade.rules.data[0], &report, &findings, &why);
        ck_assert_msg(verdict == verdicts[i].verdict, "%s: %d", verdicts[i].rule, (int)verdict);
        ck_assert_str_eq(why.data, verdicts[i].why);
        base_strbuf_free(&why);
        advise_grade_free(&grade);
    }
}
END_TEST

/* What is wrong, with its place. */
static const struct {
    const char *text, *message;
} mistakes[] = {
    {"cycles <", "rules:1:9: error: expected a number"},
    {"\n  cycles 5", "rules:2:10: error: expected <=, >=, ==, !=, < or >"},
    {"cycles <= many", "rules:1:11: error: expected a number"},
    {"cycles <= nan", "rules:1:11: error: expected a number"},
    {"cycles <= 1e999", "rules:1:11: error: expected a number"},
    {"cycles <= 5 6", "rules:1:13: error: what is '6' here for?"},
    {"a: # nothing", "rules:1:3: error: expected a metric, occupancy, findings, advice, line or output"},
    {"<= 5", "rules:1:1: error: expected a metric, occupancy, findings, advice, line or output"},
    {"cycles ~= 5", "rules:1:8: error: ~= is for outputs"},
    {"advice:fun == 0", "rules:1:1: error: explain has no rule or severity 'fun'"},
    {"line 7 sectors == 0", "rules:1:6: error: expected FILE:LINE"},
    {"line k.cu:0 sectors == 0", "rules:1:6: error: expected FILE:LINE"},
    {"line k.cu:99999999999 sectors == 0", "rules:1:6: error: expected FILE:LINE"},
    {"output x == file:a", "rules:1:8: error: expected the number of a buffer argument, from 0"},
    {"output 1 <= file:a", "rules:1:10: error: an output is held to a file with == or ~="},
    {"output 1 == a.bin", "rules:1:13: error: expected file:PATH"},
    {"output 1 == file:", "rules:1:13: error: expected file:PATH"},
    {"output 1 ~= file:a", "rules:1:19: error: expected a tolerance, such as 1e-5"},
    {"output 1 ~= file:a -1", "rules:1:20: error: expected a tolerance, such as 1e-5"},
    {"a b c d e f g h i j", "rules:1:15: error: too many words in a rule"},
};

START_TEST(mistakes_have_their_place)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct advise_grade grade;
        struct base_diags diags = {0};
        struct base_strbuf shown = {0};
        ck_assert_int_eq(read_text(mistakes[i].text, &grade, &diags), BASE_INVALID);
        base_diags_print(&diags, &shown);
        ck_assert_msg(strncmp(shown.data, mistakes[i].message, strlen(mistakes[i].message)) == 0, "%s\nnot %s",
                      shown.data, mistakes[i].message);
        base_strbuf_free(&shown);
        base_diags_free(&diags);
        advise_grade_free(&grade);
    }
}
END_TEST

/* Texts that nobody would write: NULs, no newline, very long lines, many rules, random bytes. */
START_TEST(hostile_texts)
{
    static char text[20000];
    struct advise_grade grade;
    struct base_diags diags = {0};
    struct base_source source = {"rules", text, 5};
    memcpy(text, "a\0b<1", 5);
    advise_grade_init(&grade);
    ck_assert_int_eq(advise_grade_read(&source, &grade, &diags), BASE_INVALID);
    memset(text, 'x', sizeof text);
    source.size = sizeof text;
    ck_assert_int_eq(advise_grade_read(&source, &grade, &diags), BASE_INVALID);
    ck_assert_uint_eq(grade.rules.count, 0);
    base_diags_free(&diags);
    diags = (struct base_diags){0};
    for (size_t i = 0; i + 4 <= sizeof text; i += 4)
        memcpy(text + i, "a<1\n", 4);
    ck_assert_int_eq(advise_grade_read(&source, &grade, &diags), BASE_OK);
    ck_assert_uint_eq(grade.rules.count, sizeof text / 4);
    uint32_t state = 12345;
    for (int round = 0; round < 200; round++) {
        static const char letters[] = "abline outp:<>=!~#\n\t 0123.eadvice";
        for (size_t i = 0; i < 400; i++) {
            state = state * 1664525u + 1013904223u;
            text[i] = round % 2 != 0 ? (char)(state >> 24) : letters[(state >> 16) % (sizeof letters - 1)];
        }
        struct base_diags some = {0};
        source.size = 400;
        enum base_status status = advise_grade_read(&source, &grade, &some);
        ck_assert_int_eq(status == BASE_OK, some.errors == 0);
        base_diags_free(&some);
    }
    base_diags_free(&diags);
    advise_grade_free(&grade);
}
END_TEST

START_TEST(scopes)
{
    struct advise_grade grade;
    struct base_diags diags = {0};
    ck_assert_int_eq(read_text("# a comment\n\none: cycles < 5 # more\nfindings == 0", &grade, &diags), BASE_OK);
    ck_assert_uint_eq(grade.rules.count, 2);
    ck_assert_str_eq(grade.rules.data[0].text, "one: cycles < 5");
    ck_assert(advise_grade_applies(&grade.rules.data[0], "one"));
    ck_assert(!advise_grade_applies(&grade.rules.data[0], "on"));
    ck_assert(!advise_grade_applies(&grade.rules.data[0], "one:"));
    ck_assert(advise_grade_applies(&grade.rules.data[1], "one"));
    ck_assert(advise_grade_needs(&grade, ADVISE_GRADE_FINDINGS));
    ck_assert(!advise_grade_needs(&grade, ADVISE_GRADE_ADVICE));
    advise_grade_free(&grade);
}
END_TEST

static void compare(const char *text, uint8_t type, const void *got, const void *wanted, uint64_t bytes,
                    enum advise_verdict verdict, const char *expected)
{
    struct advise_grade grade;
    struct base_diags diags = {0};
    struct base_strbuf why = {0};
    ck_assert_int_eq(read_text(text, &grade, &diags), BASE_OK);
    ck_assert_int_eq(advise_grade_compare(&grade.rules.data[0], type, got, wanted, bytes, &why), verdict);
    ck_assert_str_eq(why.data, expected);
    base_strbuf_free(&why);
    advise_grade_free(&grade);
}

START_TEST(outputs)
{
    float a[4] = {1, 2, 3, NAN}, b[4] = {1, 2, 3, NAN};
    double c[2] = {100, 200}, d[2] = {100, 201};
    uint32_t e[2] = {1, 2}, f[2] = {1, 3};
    compare("output 0 == file:x", ISA_TYPE_F32, a, b, sizeof a, ADVISE_PASSED, "it is");
    compare("output 0 ~= file:x 0", ISA_TYPE_F32, a, b, sizeof a, ADVISE_PASSED, "it is");
    a[1] = 2.0001f;
    compare("output 0 ~= file:x 1e-4", ISA_TYPE_F32, a, b, sizeof a, ADVISE_PASSED, "it is");
    compare("output 0 ~= file:x 1e-5", ISA_TYPE_F32, a, b, sizeof a, ADVISE_FAILED,
            "1 of 4 elements differ, the first is element 1: 2.0000999, not 2");
    a[3] = 0;
    compare("output 0 ~= file:x 1", ISA_TYPE_F32, a, b, sizeof a, ADVISE_FAILED,
            "1 of 4 elements differ, the first is element 3: 0, not nan");
    compare("output 0 ~= file:x 0.01", ISA_TYPE_F64, c, d, sizeof c, ADVISE_PASSED, "it is");
    compare("output 0 == file:x", ISA_TYPE_F64, c, d, sizeof c, ADVISE_FAILED,
            "1 of 2 elements differ, the first is element 1: 200, not 201");
    compare("output 0 == file:x", ISA_TYPE_U32, e, f, sizeof e, ADVISE_FAILED,
            "1 of 2 elements differ, the first is element 1");
    compare("output 0 ~= file:x 1", ISA_TYPE_U32, e, f, sizeof e, ADVISE_NOT_THERE,
            "argument 0 is u32; ~= is for f32 and f64");
}
END_TEST

START_TEST(junit)
{
    struct report_junit_suite suites[1] = {{{0}, 0, 0, 0}};
    const char *const names[] = {"a&b"};
    struct base_strbuf out = {0};
    report_junit_case(&suites[0], names[0], "x <= 1", REPORT_PASSED, NULL);
    report_junit_case(&suites[0], names[0], "y", REPORT_FAILED, "\"\x01\xff\xe4\xb8\xad");
    report_junit_case(&suites[0], names[0], "z", REPORT_ERROR, NULL);
    report_junit(suites, names, 1, &out);
    ck_assert_str_eq(out.data, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                               "<testsuites name=\"simtlab\" tests=\"3\" failures=\"1\" errors=\"1\">\n"
                               "  <testsuite name=\"a&amp;b\" tests=\"3\" failures=\"1\" errors=\"1\">\n"
                               "    <testcase classname=\"a&amp;b\" name=\"x &lt;= 1\"/>\n"
                               "    <testcase classname=\"a&amp;b\" name=\"y\">\n"
                               "      <failure message=\"&quot;\xef\xbf\xbd\xef\xbf\xbd\xe4\xb8\xad\"/>\n"
                               "    </testcase>\n"
                               "    <testcase classname=\"a&amp;b\" name=\"z\">\n"
                               "      <error message=\"\"/>\n"
                               "    </testcase>\n"
                               "  </testsuite>\n"
                               "</testsuites>\n");
    base_strbuf_free(&out);
    base_strbuf_free(&suites[0].cases);
}
END_TEST

Suite *grade_suite(void)
{
    Suite *suite = suite_create("grade");
    TCase *tests = tcase_create("grade");
    tcase_add_test(tests, rules_are_held_to);
    tcase_add_test(tests, mistakes_have_their_place);
    tcase_add_test(tests, hostile_texts);
    tcase_add_test(tests, scopes);
    tcase_add_test(tests, outputs);
    tcase_add_test(tests, junit);
    suite_add_tcase(suite, tests);
    return suite;
}
