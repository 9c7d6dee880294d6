/* simtlab compare: ncu's CSV in every shape that it comes in (tests/vectors/ncu), numbers and units, which launches are
 * taken for each other, what agrees, and the reasons that rules give. */
#include "tests/support.h"
#include "validate/number.h"
#include "validate/page.h"

#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "tests/vectors/ncu/"

/* Two measures and what came of comparing them. */
struct run {
    char *text[3];
    struct validate_measure measure[3]; /* sim, gpu, machine */
    struct validate_outputs outputs;
    struct validate_options options;
    struct validate_comparison comparison;
    struct base_diags diags;
    enum base_status status;
    bool compared;
};

static void read_text(struct run *r, size_t which, const char *name, char *text, size_t size)
{
    r->text[which] = text;
    enum base_status status = validate_measure_read(name, text, size, &r->measure[which], &r->diags);
    r->status = r->status == BASE_OK ? status : r->status;
}

static void start(struct run *r)
{
    *r = (struct run){.options.classes = VALIDATE_EXACT | VALIDATE_MODELLED};
}

static void compare(struct run *r)
{
    if (r->status != BASE_OK)
        return;
    r->compared = true;
    r->status = validate_compare(&r->measure[0], &r->measure[1], &r->options, &r->comparison, &r->diags);
}

static void finish(struct run *r)
{
    if (r->compared)
        validate_comparison_free(&r->comparison);
    for (size_t i = 0; i < 3; i++) {
        if (r->text[i])
            validate_measure_free(&r->measure[i]);
        free(r->text[i]);
    }
    base_diags_free(&r->diags);
}

static void read_files(struct run *r, const char *sim, const char *gpu)
{
    char path[256];
    size_t size = 0;
    const char *names[] = {sim, gpu};
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), FOLDER "%s", names[i]);
        char *text = support_read(path, &size);
        read_text(r, i, names[i], text, size);
    }
}

static void read_strings(struct run *r, const char *sim, const char *gpu)
{
    read_text(r, 0, "sim", strdup(sim), strlen(sim));
    read_text(r, 1, "gpu", strdup(gpu), strlen(gpu));
}

/* ---- Every shape of ncu's CSV ---- */

/* Of sim.json's 26 metrics 20 are exact; grid and block of two launches are compared too, where the file has them. */
static const struct {
    const char *file;
    size_t exact, modelled, differ; /* rows; of the exact ones so many differ */
    const char *error;              /* instead: the one message has this in it */
} shapes[] = {
    {"plain.csv", 22, 6, 0, NULL},
    {"prof_lines.csv", 22, 6, 0, NULL},
    {"german.csv", 22, 6, 0, NULL},
    {"german_whole_numbers.csv", 18, 6, 0, NULL},
    {"french.csv", 22, 6, 0, NULL},
    {"swiss.csv", 22, 6, 0, NULL},
    {"indian.csv", 22, 6, 0, NULL},
    {"scaled_units.csv", 22, 6, 0, NULL},
    {"old_words.csv", 20, 6, 0, NULL},
    {"useconds.csv", 22, 6, 0, NULL},
    {"two_processes.csv", 22, 6, 0, NULL},
    {"missing_and_extra.csv", 16, 6, 0, NULL},
    {"excel_semicolons.csv", 22, 6, 0, NULL},
    {"powershell_utf16.csv", 22, 6, 0, NULL},
    {"without_units.csv", 22, 6, 0, NULL},
    {"long_kernel_names.csv", 22, 6, 0, NULL},
    {"other_order.csv", 22, 6, 0, NULL},
    {"print_fp.csv", 22, 6, 0, NULL},
    {"one_sector_more.csv", 22, 6, 1, NULL},
    {"error_empty.csv", 0, 0, 0, "the file is empty"},
    {"error_details_page.csv", 0, 0, 0, "this is ncu's details page, one metric a line; print the raw page"},
    {"error_source_page.csv", 0, 0, 0, "this is ncu's source page"},
    {"error_cut_row.csv", 0, 0, 0, "error_cut_row.csv:4:1: error: the line ends in column 18 of 26"},
    {"error_cut_in_quotes.csv", 0, 0, 0, "the file is cut off"},
    {"error_cut_names.csv", 0, 0, 0, "the names of the columns are cut off"},
    {"error_more_columns.csv", 0, 0, 0, "the line has 28 columns, the names 26"},
    {"error_no_permission.csv", 0, 0, 0, "ERR_NVGPUCTRPERM"},
    {"error_no_kernels.csv", 0, 0, 0, "No kernels were profiled"},
    {"error_no_launch.csv", 0, 0, 0, "names of metrics, but no launch"},
    {"error_wrong_card.csv", 0, 0, 0, "NVIDIA A100-SXM4-80GB of compute capability 8.0"},
    {"error_other_slice.csv", 0, 0, 0, "NVIDIA H100 PCIe with 114 SMs"},
    {"error_other_kernels.csv", 0, 0, 0, "the first is of ampere_sgemm_128x64_nn there and vecAdd here"},
    {"error_two_locales.csv", 0, 0, 0, "the decimal sign is a point in line 3 and a comma in line 6"},
};

START_TEST(test_shape)
{
    struct run r;
    start(&r);
    read_files(&r, "sim.json", shapes[_i].file);
    compare(&r);
    if (shapes[_i].error) {
        struct base_strbuf said = {0};
        base_diags_print(&r.diags, &said);
        ck_assert_int_eq(r.status, BASE_INVALID);
        ck_assert_uint_eq(r.diags.count, 1);
        ck_assert_msg(strstr(said.data, shapes[_i].error) != NULL, "%s: %s", shapes[_i].file, said.data);
        base_strbuf_free(&said);
    } else {
        const struct validate_tally *exact = &r.comparison.exact, *modelled = &r.comparison.modelled;
        ck_assert_msg(r.status == BASE_OK, "%s", shapes[_i].file);
        ck_assert_uint_eq(r.comparison.pairs.count, 2);
        ck_assert_msg(exact->differ == shapes[_i].differ, "%s: %zu differ", shapes[_i].file, exact->differ);
        ck_assert_msg(exact->agree == shapes[_i].exact - shapes[_i].differ, "%s: %zu agree", shapes[_i].file,
                      exact->agree);
        ck_assert_uint_eq(modelled->agree, shapes[_i].modelled);
        ck_assert_uint_eq(modelled->differ + modelled->explained + exact->explained, 0);
        ck_assert(validate_agrees(&r.comparison) == (shapes[_i].differ == 0));
    }
    finish(&r);
}
END_TEST

/* ---- Numbers and units ---- */

START_TEST(test_numbers)
{
    static const struct {
        const char *text;
        enum validate_look look;
        char decimal;
        double value, step;
    } rows[] = {
        {"7", VALIDATE_LOOK_PLAIN, '.', 7, 1},
        {"27.595.520", VALIDATE_LOOK_COMMA, ',', 27595520, 1},
        {"65,77", VALIDATE_LOOK_COMMA, ',', 65.77, 0.01},
        {"1.234,5", VALIDATE_LOOK_COMMA, ',', 1234.5, 0.1},
        {"1,234.50", VALIDATE_LOOK_POINT, '.', 1234.5, 0.01},
        {"1,234", VALIDATE_LOOK_COMMA_OR_GROUP, '.', 1234, 1},
        {"1,234", VALIDATE_LOOK_COMMA_OR_GROUP, ',', 1.234, 0.001},
        {"0.123", VALIDATE_LOOK_POINT, '.', 0.123, 0.001},
        {"1234.567", VALIDATE_LOOK_POINT, '.', 1234.567, 0.001},
        {"12,34,567", VALIDATE_LOOK_POINT, '.', 1234567, 1},
        {"1 234 567,8", VALIDATE_LOOK_COMMA, ',', 1234567.8, 0.1},
        {"1\xc2\xa0"
         "234",
         VALIDATE_LOOK_PLAIN, '.', 1234, 1},
        {"1'234.5", VALIDATE_LOOK_POINT, '.', 1234.5, 0.1},
        {"-2.5e-05", VALIDATE_LOOK_POINT, '.', -2.5e-5, 1e-6},
        {"1e+06", VALIDATE_LOOK_PLAIN, '.', 1e6, 1e6},
        {"384 (128; 256)", VALIDATE_LOOK_PLAIN, '.', 384, 1},
    };
    static const char *const texts[] = {"",          "n/a",  "(!) n/a", "nan", "NVIDIA H200",
                                        "1.2.3,4,5", "12-3", "e5",      ".",   "1e99999"};
    struct validate_number number;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t length = strlen(rows[i].text);
        ck_assert_msg(validate_number_look(rows[i].text, length) == rows[i].look, "%s", rows[i].text);
        ck_assert_msg(validate_number_read(rows[i].text, length, rows[i].decimal, &number), "%s", rows[i].text);
        ck_assert_double_eq_tol(number.real, rows[i].value, 1e-9 * (rows[i].value < 0 ? 1 : rows[i].value));
        ck_assert_double_eq_tol(number.step, rows[i].step, 1e-9 * rows[i].step);
    }
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        bool is_text = validate_number_look(texts[i], strlen(texts[i])) == VALIDATE_LOOK_TEXT ||
                       !validate_number_read(texts[i], strlen(texts[i]), '.', &number);
        ck_assert_msg(is_text, "%s is taken for a number", texts[i]);
    }
    ck_assert(validate_number_read("18446744073709551615", 20, '.', &number));
    ck_assert(number.is_integer && number.integer == UINT64_MAX);
    ck_assert(validate_number_read("18446744073709551616", 20, '.', &number) && !number.is_integer);
}
END_TEST

START_TEST(test_units)
{
    static const struct {
        const char *unit;
        double scale;
    } rows[] = {
        {"", 1},
        {"sector", 1},
        {"%", 1},
        {"nsecond", 1},
        {"ns", 1},
        {"usecond", 1e3},
        {"us", 1e3},
        {"msecond", 1e6},
        {"ms", 1e6},
        {"second", 1e9},
        {"s", 1e9},
        {"Kbyte", 1e3},
        {"Mbyte", 1e6},
        {"Gbyte", 1e9},
        {"byte/block", 1},
        {"Kbyte/block", 1e3},
        {"Gbyte/second", 1e9},
        {"cycle/nsecond", 1e9},
        {"Ghz", 1e9},
        {"register/thread", 1},
        {"KiB", 1024},
        {"Kernel", 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        ck_assert_msg(validate_unit_scale(rows[i].unit) / rows[i].scale - 1 < 1e-12 &&
                          1 - validate_unit_scale(rows[i].unit) / rows[i].scale < 1e-12,
                      "%s: %g", rows[i].unit, validate_unit_scale(rows[i].unit));
}
END_TEST

/* ---- Partners ---- */

#define SIM(name, kernel, grid, metrics)                                                                               \
    "{\"schema\": 1, \"name\": \"" name "\", \"kernel\": \"" kernel                                                    \
    "\", \"form\": \"sass\", \"device\": \"h200\", \"status\": \"ok\", \"launch\": {\"grid\": [" grid                  \
    ", 1, 1], \"block\": [32, 1, 1]}, \"metrics\": {" metrics "}}\n"
#define NCU_NAMES "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"CC\",\"smsp__inst_executed.sum\"\n"
#define NCU(id, kernel, grid, count)                                                                                   \
    "\"" id "\",\"" kernel "\",\"(32, 1, 1)\",\"(" grid ", 1, 1)\",\"9.0\",\"" count "\"\n"

START_TEST(test_partners)
{
    static const char sim[] = SIM("a", "_Z1kILi4EEvPf", "4", "\"smsp__inst_executed.sum\": 10")
        SIM("b", "k", "8", "\"smsp__inst_executed.sum\": 20") SIM("c", "k", "4", "\"smsp__inst_executed.sum\": 30");
    static const char gpu[] = NCU_NAMES NCU("5", "k", "8", "20") NCU("6", "void k<4>(float *)", "4", "10")
        NCU("7", "other", "4", "99") NCU("8", "k", "4", "30");
    struct run r;
    start(&r);
    read_strings(&r, sim, gpu);
    compare(&r);
    ck_assert_int_eq(r.status, BASE_OK);
    ck_assert_uint_eq(r.comparison.pairs.count, 3);
    ck_assert_uint_eq(r.comparison.pairs.data[0].gpu->id, 6);
    ck_assert_uint_eq(r.comparison.pairs.data[1].gpu->id, 5);
    ck_assert_uint_eq(r.comparison.pairs.data[2].gpu->id, 8);
    ck_assert(validate_agrees(&r.comparison)); /* what the GPU ran besides is no disagreement */
    ck_assert_uint_eq(r.comparison.alone.count, 1);
    finish(&r);

    start(&r); /* as they stand: the kernels' names do not matter, the grids are compared */
    r.options.match = VALIDATE_MATCH_ORDER;
    read_strings(&r, sim, gpu);
    compare(&r);
    ck_assert_uint_eq(r.comparison.pairs.count, 3);
    ck_assert_uint_eq(r.comparison.exact.differ, 5);
    finish(&r);

    start(&r); /* a launch of the simulation that the GPU's file lacks is one */
    read_strings(&r, sim, NCU_NAMES NCU("0", "k", "4", "10"));
    compare(&r);
    ck_assert_uint_eq(r.comparison.pairs.count, 1);
    ck_assert(!validate_agrees(&r.comparison));
    finish(&r);

    start(&r);
    r.options.match = VALIDATE_MATCH_ID;
    read_strings(&r, sim, NCU_NAMES NCU("2", "k", "4", "30") NCU("1", "k", "8", "20") NCU("0", "k", "4", "10"));
    compare(&r);
    ck_assert_uint_eq(r.comparison.pairs.count, 3);
    ck_assert(validate_agrees(&r.comparison));
    finish(&r);
}
END_TEST

/* ---- Two simulations ---- */

START_TEST(test_before_and_after)
{
    static const char before[] =
        SIM("pad", "t", "4", "\"memory_l1_wavefronts_shared\": 1000, \"sm__cycles_active.max\": 900");
    static const char after[] =
        SIM("pad", "t", "4", "\"memory_l1_wavefronts_shared\": 250, \"sm__cycles_active.max\": 891");
    struct run r;
    start(&r);
    read_strings(&r, before, after);
    compare(&r);
    ck_assert_int_eq(r.status, BASE_OK);
    ck_assert_uint_eq(r.comparison.pairs.count, 1);
    ck_assert_uint_eq(r.comparison.exact.differ, 1);
    ck_assert_uint_eq(r.comparison.modelled.differ, 1); /* the same program: a cycle more is a difference */
    const struct validate_row *row = &r.comparison.pairs.data[0].rows.data[2]; /* after status, grid x block */
    ck_assert_str_eq(row->name, "memory_l1_wavefronts_shared");
    ck_assert_double_eq_tol(row->error_pct, -75, 1e-9); /* what the change did: of the first, less is less */
    finish(&r);

    start(&r); /* with the operands changed the other way round: 750 more than 250 */
    read_strings(&r, after, before);
    compare(&r);
    ck_assert_double_eq_tol(r.comparison.pairs.data[0].rows.data[2].error_pct, 300, 1e-9);
    finish(&r);

    const struct validate_tolerance tolerances[] = {{"memory_*", 0}, {"sm__cycles_active.max", 1}};
    start(&r);
    r.options.tolerances = tolerances;
    r.options.tolerance_count = 2;
    r.options.classes = VALIDATE_MODELLED;
    read_strings(&r, before, after);
    compare(&r);
    ck_assert(validate_agrees(&r.comparison));
    ck_assert_uint_eq(r.comparison.exact.agree, 0);
    finish(&r);
}
END_TEST

/* What two simulations need not have in common is told, and counts, whichever of them comes first. */
#define REPORT(name, device, mode, form, status, rest)                                                                 \
    "{\"schema\": 1, \"name\": \"" name "\", \"kernel\": \"k\", \"form\": \"" form "\", \"device\": \"" device         \
    "\", \"mode\": \"" mode "\", \"status\": \"" status "\", \"metrics\": {\"launch__grid_size\": 4}" rest "}\n"
#define RUN_WITH(options) REPORT("a", "h200", "counts", "ptx", "ok", ", \"options\": {" options "}")
#define PLAIN(name)       REPORT(name, "h200", "counts", "ptx", "ok", "")

static const struct {
    const char *one, *other;
    const char *row; /* that differs; NULL: a launch is missing */
} unlike[] = {
    {PLAIN("a"), PLAIN("a") PLAIN("b"), NULL},
    {PLAIN("a"), PLAIN("a") REPORT("b", "h200", "counts", "ptx", "fault", ""), NULL},
    {PLAIN("a"), PLAIN("a") REPORT("b", "h200", "counts", "ptx", "unsupported", ""), NULL},
    {PLAIN("a"), REPORT("a", "h200", "counts", "ptx", "fault", ""), "status"},
    {PLAIN("a"), REPORT("a", "a100", "counts", "ptx", "ok", ""), "device"},
    {PLAIN("a"), REPORT("a", "h200", "cycles", "ptx", "ok", ""), "mode"},
    {PLAIN("a"), REPORT("a", "h200", "counts", "sass", "ok", ""), "form"},
    {PLAIN("a"),
     REPORT("a", "h200", "counts", "ptx", "ok", ", \"buffers\": [{\"arg\": 1, \"bytes\": 4, \"fnv1a64\": \"a\"}]"),
     "buffer of argument 1"},
};

/* Other options are told, but what is equal in spite of them agrees: so one sees that no order of blocks matters. */
START_TEST(test_other_options)
{
    static const struct validate_page page = {.quiet = false};
    static const char lrr[] = RUN_WITH("\"scheduler\": \"lrr\", \"carveout\": \"50\"");
    for (unsigned turned = 0; turned < 3; turned++) {
        struct base_strbuf text = {0};
        struct run r;
        start(&r);
        read_strings(&r, turned > 0 ? lrr : PLAIN("a"), turned == 1 ? PLAIN("a") : lrr);
        compare(&r);
        ck_assert_int_eq(r.status, BASE_OK);
        ck_assert(validate_agrees(&r.comparison));
        validate_text(&r.comparison, &page, &text);
        ck_assert_uint_eq(r.comparison.exact.explained, turned == 2 ? 0 : 1);
        ck_assert_msg((strstr(text.data, "--scheduler lrr --carveout 50") != NULL) == (turned != 2), "%s", text.data);
        ck_assert_msg((strstr(text.data, "default") != NULL) == (turned != 2), "%s", text.data);
        base_strbuf_free(&text);
        finish(&r);
    }
}
END_TEST

START_TEST(test_unlike)
{
    static const struct validate_page page = {.quiet = true};
    for (size_t turned = 0; turned < 2; turned++) {
        struct base_strbuf text = {0}, csv = {0};
        struct run r;
        start(&r);
        read_strings(&r, turned ? unlike[_i].other : unlike[_i].one, turned ? unlike[_i].one : unlike[_i].other);
        compare(&r);
        ck_assert_int_eq(r.status, BASE_OK);
        ck_assert_uint_eq(r.comparison.pairs.count, 1);
        ck_assert(!validate_agrees(&r.comparison));
        validate_text(&r.comparison, &page, &text);
        validate_csv(&r.comparison, &page, &csv);
        ck_assert_ptr_nonnull(strstr(csv.data, ",first,second,change_pct,"));
        if (unlike[_i].row) {
            ck_assert_uint_eq(r.comparison.exact.differ, 1);
            ck_assert_msg(strstr(text.data, unlike[_i].row) != NULL, "%s", text.data);
            ck_assert_msg(strstr(csv.data, unlike[_i].row) != NULL, "%s", csv.data);
        } else { /* "gpu" is what the second text is called */
            ck_assert_msg(strstr(text.data, turned ? "! b, only in sim:" : "! b, only in gpu:") != NULL, "%s",
                          text.data);
            ck_assert_msg(strstr(text.data, turned ? "Only in sim: 1 launch." : "Only in gpu: 1 launch.") != NULL, "%s",
                          text.data);
            ck_assert_ptr_nonnull(strstr(csv.data, turned ? "\"b\",\"k\",\"exact\",\"launch\",\"there\",\"none\""
                                                          : "\"b\",\"k\",\"exact\",\"launch\",\"none\",\"there\""));
        }
        base_strbuf_free(&text);
        base_strbuf_free(&csv);
        finish(&r);
    }
}
END_TEST

/* ---- Reasons ---- */

#define INSN(pc, text, executed, kind)                                                                                 \
    "{\"pc\": " pc ", \"text\": \"" text "\", \"file\": \"k.cu\", \"line\": 8, \"executed\": " executed ", \"" kind    \
    "\": 1}"
#define WITH_CODE(form, metric, insns)                                                                                 \
    "{\"schema\": 1, \"name\": \"k\", \"kernel\": \"k\", \"form\": \"" form                                            \
    "\", \"device\": \"h200\", \"status\": \"ok\", \"metrics\": {" metric "}, \"instructions\": [" insns "]}\n"
#define WAVEFRONTS "memory_l1_wavefronts_shared"
#define HARDWARE   "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"

/* The reason of the one row that does not agree; NULL: it has none. */
static const char *reason_of(struct run *r)
{
    for (size_t i = 0; i < r->comparison.pairs.data[0].rows.count; i++) {
        const struct validate_row *row = &r->comparison.pairs.data[0].rows.data[i];
        if (row->verdict != VALIDATE_AGREES)
            return row->reason;
    }
    ck_abort_msg("all agrees");
}

START_TEST(test_merged_loads)
{
    static const char ptx[] =
        WITH_CODE("ptx", "\"" WAVEFRONTS "\": 512", INSN("7", "ld.shared.f32 %f1, [%rd2];", "512", "wavefronts"));
    static const char merged[] =
        WITH_CODE("sass", "\"" WAVEFRONTS "\": 128", INSN("576", "LDS.128 R4, [R8] ;", "128", "wavefronts"));
    static const char same[] =
        WITH_CODE("sass", "\"" WAVEFRONTS "\": 128", INSN("576", "LDS R4, [R8] ;", "512", "wavefronts"));
    static const char gpu[] = "\"ID\",\"Kernel Name\",\"" WAVEFRONTS "\"\n\"0\",\"k\",\"128\"\n";
    static const struct {
        const char *machine;
        bool proved;
    } rows[] = {{merged, true}, {same, false}, {NULL, false}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct run r;
        start(&r);
        read_strings(&r, ptx, gpu);
        if (rows[i].machine) {
            read_text(&r, 2, "machine", strdup(rows[i].machine), strlen(rows[i].machine));
            r.options.machine = &r.measure[2];
        }
        compare(&r);
        ck_assert_int_eq(r.status, BASE_OK);
        const char *reason = reason_of(&r);
        ck_assert(validate_agrees(&r.comparison) == rows[i].proved);
        if (rows[i].proved) {
            ck_assert_ptr_nonnull(reason);
            ck_assert_msg(strstr(reason, "ld.shared.f32 %f1, [%rd2] in line 8 of k.cu, executed 512 times") != NULL,
                          "%s", reason);
            ck_assert_msg(strstr(reason, "LDS.128 R4, [R8] at 0x240, executed 128 times") != NULL, "%s", reason);
        }
        finish(&r);
    }
}
END_TEST

START_TEST(test_lost_arbitration)
{
    static const char sim[] = SIM("k", "k", "1", "\"" WAVEFRONTS "\": 32768, \"" HARDWARE "\": 32768");
    static const struct {
        const char *gpu;
        bool proved;
    } rows[] = {
        {"\"32768\",\"37000\"", true},
        {"\"32768\",\"20000\"", false}, /* below what the addresses say: no arbitration can do that */
        {"\"32769\",\"37000\"", false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct run r;
        char gpu[512];
        snprintf(gpu, sizeof(gpu), "\"ID\",\"Kernel Name\",\"" WAVEFRONTS "\",\"" HARDWARE "\"\n\"0\",\"k\",%s\n",
                 rows[i].gpu);
        start(&r);
        read_strings(&r, sim, gpu);
        compare(&r);
        ck_assert_int_eq(r.status, BASE_OK);
        ck_assert_uint_eq(r.comparison.modelled.explained, rows[i].proved);
        ck_assert(validate_agrees(&r.comparison) == rows[i].proved);
        finish(&r);
    }
}
END_TEST

/* Buffers, by what the runner printed. */
static const struct {
    const char *insns, *findings;
    const char *reason; /* NULL: none */
} outputs[] = {
    {"", "", NULL},
    {INSN("1", "atom.global.add.f32 %f1, [%rd1], %f2;", "4", "sectors"), "", "round by the order they come in"},
    {INSN("1", "atom.global.add.u32 %r1, [%rd1], %r2;", "4", "sectors"), "", NULL},
    {INSN("1", "mov.u32 %r1, %smid;", "4", "other"), "", "the card's choice: mov.u32 %r1, %smid"},
    {"", ", \"findings\": [{\"check\": \"races\"}]", "data race"},
    {"", ", \"findings\": [{\"check\": \"init\"}]", NULL},
};

START_TEST(test_outputs)
{
    static const char printed[] = "k arg0 bytes=4 fnv=00000000000000aa\nk arg0 bytes=4 fnv=00000000000000bb run=2\n"
                                  "k arg1 bytes=4 fnv=00000000000000cc\nnoise\nk fault: kernel: what\n";
    struct base_strbuf sim = {0};
    struct run r;
    base_strbuf_printf(&sim,
                       "{\"schema\": 1, \"name\": \"k\", \"kernel\": \"k\", \"status\": \"ok\", \"metrics\": {}, "
                       "\"instructions\": [%s], \"buffers\": [{\"arg\": 0, \"bytes\": 4, \"fnv1a64\": \"aa\"}, "
                       "{\"arg\": 1, \"bytes\": 4, \"fnv1a64\": \"dd\"}]%s}",
                       outputs[_i].insns, outputs[_i].findings);
    start(&r);
    read_strings(&r, sim.data, "\"ID\",\"Kernel Name\"\n\"0\",\"k\"\n");
    ck_assert_int_eq(validate_outputs_read(printed, strlen(printed), &r.outputs), BASE_OK);
    r.options.outputs = &r.outputs;
    compare(&r);
    ck_assert_int_eq(r.status, BASE_OK);
    ck_assert_uint_eq(r.comparison.exact.agree, 1); /* argument 0: the first run counts */
    const char *reason = reason_of(&r);
    ck_assert(validate_agrees(&r.comparison) == (outputs[_i].reason != NULL));
    ck_assert_msg(outputs[_i].reason == NULL ? reason == NULL : strstr(reason, outputs[_i].reason) != NULL, "%s",
                  reason ? reason : "no reason");
    validate_outputs_free(&r.outputs);
    base_strbuf_free(&sim);
    finish(&r);
}
END_TEST

/* ---- Pages ---- */

START_TEST(test_pages)
{
    static const struct validate_page page = {.version = "1.2"};
    struct base_strbuf text = {0}, json = {0}, csv = {0}, html = {0};
    struct run r;
    start(&r);
    read_files(&r, "sim.json", "one_sector_more.csv");
    compare(&r);
    validate_text(&r.comparison, &page, &text);
    ck_assert_ptr_nonnull(strstr(text.data, "21 of 22 agree, 1 differs"));
    const char *exact = strstr(text.data, "exact "), *modelled = strstr(text.data, "modelled ");
    ck_assert(exact && modelled && exact < modelled);
    ck_assert_ptr_nonnull(strstr(text.data, "! l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum "));
    validate_csv(&r.comparison, &page, &csv);
    ck_assert_ptr_nonnull(strstr(csv.data,
                                 "\"vecAdd\",\"vecAdd\",\"exact\",\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld"
                                 ".sum\",250000,250001,-0.000399998,,\"differs\",\"\"\n"));
    validate_html(&r.comparison, &page, &html);
    ck_assert_ptr_nonnull(strstr(html.data, "<tr class=\"differs\"><td>exact</td><td><code>l1tex__t_sectors_"));
    validate_json(&r.comparison, &page, &json);
    json_t *object = json_loads(json.data, 0, NULL);
    ck_assert_ptr_nonnull(object);
    ck_assert(json_is_false(json_object_get(object, "agree")));
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(object, "exact"), "differ")), 1);
    ck_assert_uint_eq(json_array_size(json_object_get(object, "launches")), 2);
    json_decref(object);
    ck_assert(!text.failed && !json.failed && !csv.failed && !html.failed);
    base_strbuf_free(&text);
    base_strbuf_free(&json);
    base_strbuf_free(&csv);
    base_strbuf_free(&html);
    finish(&r);
}
END_TEST

START_TEST(test_many_columns)
{
    struct base_strbuf names = {0}, said = {0};
    struct run r;
    base_strbuf_puts(&names, "\"ID\",\"Kernel Name\"");
    for (int i = 0; i < 100000; i++)
        base_strbuf_puts(&names, ",\"m\"");
    base_strbuf_puts(&names, "\n");
    start(&r);
    read_strings(&r, PLAIN("a"), names.data);
    base_diags_print(&r.diags, &said);
    ck_assert_int_eq(r.status, BASE_INVALID); /* not: no memory */
    ck_assert_msg(said.data && strstr(said.data, "more than 100,000 columns"), "%s", said.data);
    base_strbuf_free(&said);
    base_strbuf_free(&names);
    finish(&r);
}
END_TEST

START_TEST(test_not_json)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"{\"schema\": 2}", "its \"schema\" is not 1"},
        {"{\"a\": 1}", "there is no \"schema\""},
        {"{\"schema\": 1, \"status\": \"ok\", \"metrics\": {", "not simtlab's JSON"},
        {"\"ID\",\"Kernel Name\"\n\"0\",\"k\"\n", "the first file is the simulation's"},
        {PLAIN("a"), "the first is called other there and a here"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct run r;
        struct base_strbuf said = {0};
        start(&r);
        read_strings(&r, rows[i].text,
                     strstr(rows[i].error, "called") ? PLAIN("other") : "\"ID\",\"Kernel Name\"\n\"0\",\"k\"\n");
        compare(&r);
        base_diags_print(&r.diags, &said);
        ck_assert_int_eq(r.status, BASE_INVALID);
        ck_assert_msg(said.data && strstr(said.data, rows[i].error), "%s", said.data ? said.data : "nothing is said");
        base_strbuf_free(&said);
        finish(&r);
    }
}
END_TEST

Suite *compare_suite(void);

Suite *compare_suite(void)
{
    Suite *suite = suite_create("compare");
    TCase *tcase = tcase_create("compare");
    tcase_add_loop_test(tcase, test_shape, 0, sizeof(shapes) / sizeof(shapes[0]));
    tcase_add_test(tcase, test_numbers);
    tcase_add_test(tcase, test_units);
    tcase_add_test(tcase, test_partners);
    tcase_add_test(tcase, test_before_and_after);
    tcase_add_test(tcase, test_other_options);
    tcase_add_loop_test(tcase, test_unlike, 0, sizeof(unlike) / sizeof(unlike[0]));
    tcase_add_test(tcase, test_merged_loads);
    tcase_add_test(tcase, test_lost_arbitration);
    tcase_add_loop_test(tcase, test_outputs, 0, sizeof(outputs) / sizeof(outputs[0]));
    tcase_add_test(tcase, test_pages);
    tcase_add_test(tcase, test_not_json);
    tcase_add_test(tcase, test_many_columns);
    suite_add_tcase(suite, tcase);
    return suite;
}
