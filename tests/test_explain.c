/* advise/: what is said about launches. Which rules speak of which kernel, and which do not, is worked out by hand from
 * what the kernels do (their files say it); what a cure saves is held against pairs of the H200's record.
 */
#include "advise/explain.h"
#include "advise/words.h"
#include "report/advice.h"

#include "tests/engine_kit.h"
#include "tests/support.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *explain_suite(void);

struct told {
    struct advise_watch watch;
    struct advise_findings findings;
};

/* A launch of a list, watched and explained. */
static void tell_launch(struct told *told, struct support_launch *launch, const struct support_list *list,
                        const char *name, bool cycles, bool watched)
{
    size_t index = 0;
    while (index < list->launches->count && strcmp(list->launches->items[index].name, name) != 0)
        index++;
    ck_assert_msg(index < list->launches->count, "no launch %s", name);
    support_launch_bind(launch, list, index);
    *told = (struct told){.watch = {.device = sim_device_find("h200")}};
    struct sim_options options = {.device = told->watch.device,
                                  .cycles = cycles,
                                  .max_instructions = SIM_MAX_INSTRUCTIONS_DEFAULT,
                                  .access_hook = watched ? advise_watch_access : NULL,
                                  .access_user = &told->watch};
    ck_assert_int_eq(sim_run(launch->module, launch->kernel, launch->text, &launch->bound, &launch->memory, &options,
                             &launch->report, NULL),
                     BASE_OK);
    struct advise_explain_query query = {.report = &launch->report,
                                         .device = told->watch.device,
                                         .module = launch->module,
                                         .watch = watched ? &told->watch : NULL,
                                         .carveout_percent = launch->text->carveout_percent};
    ck_assert_int_eq(advise_explain(&query, &told->findings), BASE_OK);
    ck_assert(!told->findings.incomplete);
}

static void tell_free(struct told *told)
{
    advise_findings_free(&told->findings);
    advise_watch_free(&told->watch);
}

/* "rule:line" of each finding, those of the launch without a line, in order of the rules' names. */
static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void list_rules(const struct advise_findings *findings, char *text, size_t size)
{
    char words[64][48];
    size_t used = 0;
    ck_assert_uint_le(findings->count, 64);
    for (size_t i = 0; i < findings->count; i++) {
        const struct advise_finding *f = &findings->items[i];
        if (f->line > 0)
            snprintf(words[i], sizeof words[i], "%s:%u", advise_rule_names[f->rule], f->line);
        else
            snprintf(words[i], sizeof words[i], "%s", advise_rule_names[f->rule]);
    }
    qsort(words, findings->count, sizeof words[0], by_text);
    text[0] = '\0';
    for (size_t i = 0; i < findings->count; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? " " : "", words[i]);
    ck_assert_uint_lt(used, size);
}

/* Launches of kernels/: all that is said, nothing else. Lines are those of the .ptx files. */
static const struct {
    const char *launch, *rules;
    bool counts; /* without the clock */
} kernels[] = {
    {"vecAdd_1000", "too-few-blocks", false},
    {"threads_fig11", "block-not-warps block-small too-few-blocks", false},
    {"threads_3d", "block-not-warps too-few-blocks", false},
    {"example_syncthreads", "divergence:47 too-few-blocks", false},
    {"dynsmem100k", "occupancy", false},
    {"constcompute", "block-not-warps block-small too-few-blocks", false},
    {"const_uniform", "too-few-blocks", false},
    {"const_lane", "constant-by-lane:88 too-few-blocks", false},
    {"local_array", "local-memory:36", false},
    {"copy_stride1", "", false},
    {"copy_stride8", "uncoalesced:46", false},
    {"copy_stride32", "uncoalesced:46", true},
    {"copy_offset1", "misaligned:76", false},
    {"copy_offset8", "", false},
    {"permuted", "", false}, /* out of order within the same sectors */
    {"copy_wide", "", true},
    {"bank_stride1", "", false},
    {"bank_stride2", "bank-conflict:56", false},
    {"bank_stride3", "", false},
    {"bank_stride32", "bank-conflict:56", false},
    {"bank_fig16_perm", "block-small too-few-blocks", false},
    {"bank_fig16_same", "block-small too-few-blocks", false}, /* a broadcast is no conflict */
    {"bank_same_word", "too-few-blocks", false},
    {"fig17_row", "too-few-blocks", false},
    {"fig17_column", "bank-conflict:160 too-few-blocks", false},
    {"fig18_row", "too-few-blocks", false},
    {"fig18_column", "too-few-blocks", false},
    {"tile16_plain", "too-few-blocks", false},
    {"tile16_padded", "bank-conflict:150 bank-conflict:160 too-few-blocks", false},
    {"transpose_naive_1000", "uncoalesced:57", false},
    {"transpose_smem_1000", "bank-conflict:101", false},
    {"transpose_pad_1000", "", true},
    {"sumReduction_1000", "same-address-atomics:41 too-few-blocks", false},
    {"sum_reduce_any", "divergence:157 reduction:163 too-few-blocks", false},
    {"reduceSum", "reduction:55", true},
    {"tile8_reduce", "divergence:83 too-few-blocks", false}, /* a value for each 8 threads: too many for a reduction */
    {"shfl_reduce", "reduction:119", true},
    {"grid_sync", "", false}, /* the blocks wait for each other: that is no imbalance */
    {"clusterHist_c2", "too-few-blocks", true},
    {"matMul16_256", "", true}, /* sums, but no reduction */
    {"matMulNaive_odd", "divergence:48 too-few-blocks", false},
    {"divergent", "divergence:39", false},
    {"uniformbranch", "", false},
    {"block768", "occupancy", true},
    {"block32", "block-small", false},
    {"filter_256", "occupancy tail", false},
    {"filter_192", "occupancy", false},
};

START_TEST(rules_of_kernels)
{
    struct support_list list;
    char text[1024];
    support_list_read(&list, "kernels/kernels.cases");
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        struct support_launch launch;
        struct told told;
        tell_launch(&told, &launch, &list, kernels[i].launch, !kernels[i].counts, true);
        list_rules(&told.findings, text, sizeof text);
        ck_assert_msg(strcmp(text, kernels[i].rules) == 0, "%s: \"%s\", not \"%s\"", kernels[i].launch, text,
                      kernels[i].rules);
        tell_free(&told);
        support_launch_free(&launch);
    }
    support_list_free(&list);
}
END_TEST

/* The guide's kernels as nvcc compiled them: lines of guide.cu, loops unrolled, small branches predicated. */
static const struct {
    const char *launch, *rules;
} machine[] = {
    {"transpose_naive_1000", "uncoalesced:20"},
    {"transpose_smem_1024", "bank-conflict:23"},
    {"transpose_pad_1024", ""},
    {"matMul16_256", "few-warps"}, /* 16 of 64 warps; on the H200 52 % of their time is long_scoreboard */
    {"divergent", "divergence:32"},
    {"uniformbranch", ""},
    {"bank_stride2", "bank-conflict:37"},
    {"bank_stride3", ""},
    {"local_array", "local-memory:39"},
    {"spill", "local-memory:40"},
    {"reduceSum", ""},
    {"shfl_reduce", ""},
};

static bool has_word(const struct advise_findings *findings, enum advise_word word)
{
    for (size_t i = 0; i < findings->count; i++) {
        if (findings->items[i].what == word)
            return true;
        for (uint32_t c = 0; c < findings->items[i].cure_count; c++)
            if (findings->items[i].cures[c] == word)
                return true;
    }
    return false;
}

START_TEST(rules_of_machine_code)
{
    struct support_list list;
    char text[1024];
    support_list_read_as(&list, SUPPORT_GUIDE ".cases", "guide.sass");
    for (size_t i = 0; i < sizeof machine / sizeof machine[0]; i++) {
        struct support_launch launch;
        struct told told;
        tell_launch(&told, &launch, &list, machine[i].launch, strcmp(machine[i].launch, "spill") != 0, true);
        list_rules(&told.findings, text, sizeof text);
        ck_assert_msg(strcmp(text, machine[i].rules) == 0, "%s: \"%s\", not \"%s\"", machine[i].launch, text,
                      machine[i].rules);
        /* Spills have fixed places on the stack, the array of local_array is indexed. */
        ck_assert_int_eq(has_word(&told.findings, ADVISE_WORD_LOCAL_SPILL), strcmp(machine[i].launch, "spill") == 0);
        ck_assert_int_eq(has_word(&told.findings, ADVISE_WORD_LOCAL_ARRAY),
                         strcmp(machine[i].launch, "local_array") == 0);
        tell_free(&told);
        support_launch_free(&launch);
    }
    support_list_free(&list);
}
END_TEST

/* Ordinary kernels as nvcc compiled them (validate/kernels): lines of the .cu files. */
static const struct {
    const char *launch, *rules;
} ordinary[] = {
    {"block_scan", "too-few-blocks"}, /* a scan is no reduction */
    {"match_histogram", "too-few-blocks"},
    {"saxpy", "too-few-blocks"},
    {"mandelbrot", "divergence:183 too-few-blocks"},
    {"gcd", "divergence:73 too-few-blocks"},
    {"crc32", "constant-by-lane:144 too-few-blocks"},
    {"collatz", "divergence:88 too-few-blocks"},
    {"copy_vec4", "too-few-blocks"},
    {"copy_vec4_odd", "block-not-warps too-few-blocks"},
    {"rgb_to_gray", "too-few-blocks"},
    {"stencil", "too-few-blocks"}, /* a warp more work at the edges is no imbalance to speak of */
};

START_TEST(rules_of_ordinary_kernels)
{
    struct support_list list;
    char text[1024];
    support_list_read_as(&list, "validate/records/h200/nvcc/nvcc.cases", ".sass");
    for (size_t i = 0; i < sizeof ordinary / sizeof ordinary[0]; i++) {
        struct support_launch launch;
        struct told told;
        tell_launch(&told, &launch, &list, ordinary[i].launch, true, true);
        list_rules(&told.findings, text, sizeof text);
        ck_assert_msg(strcmp(text, ordinary[i].rules) == 0, "%s: \"%s\", not \"%s\"", ordinary[i].launch, text,
                      ordinary[i].rules);
        tell_free(&told);
        support_launch_free(&launch);
    }
    support_list_free(&list);
}
END_TEST

static const struct advise_number *number_of(const struct advise_finding *f, const char *name)
{
    for (uint32_t i = 0; i < f->number_count; i++)
        if (strcmp(f->numbers[i].name, name) == 0)
            return &f->numbers[i];
    ck_abort_msg("no number %s", name);
    return NULL;
}

/* The guide's tile of 32 x 32: 32 lanes 128 bytes apart, a row of 33 cures it; of the 32 kept executions of the store
 * and the few different ones of the load each then takes one wavefront. And in words. */
START_TEST(words_of_a_conflict)
{
    struct support_list list;
    struct support_launch launch;
    struct told told;
    struct base_strbuf out = {0};
    support_list_read(&list, "kernels/kernels.cases");
    tell_launch(&told, &launch, &list, "transpose_smem_1024", false, true);
    ck_assert_uint_eq(told.findings.count, 1);
    const struct advise_finding *f = &told.findings.items[0];
    uint64_t bank = number_of(f, "bank")->count;
    ck_assert_uint_lt(bank, 32);
    ck_assert_uint_eq(number_of(f, "lanes")->count, 32);
    ck_assert_uint_eq(number_of(f, "stride")->count, 128);
    ck_assert_uint_eq(number_of(f, "worst")->count, 32);
    ck_assert_uint_eq(number_of(f, "new_row")->count, 33);
    ck_assert_uint_eq(number_of(f, "after")->count, number_of(f, "tried")->count);
    ck_assert_uint_eq(number_of(f, "swizzled")->count, number_of(f, "tried")->count);
    ck_assert_uint_ge(number_of(f, "tried")->count, 33);
    /* 32,768 stores, 31 wavefronts too many each, the busiest of 132 SMs runs 8 of 1,024 blocks. */
    ck_assert_double_eq_tol(f->saved_cycles, 32768.0 * 31 * 8 / 1024, 0.5);
    struct report_advice advice = {.findings = &told.findings, .language = ADVISE_EN};
    struct report_text_options options = {0};
    report_advice_text(&advice, 9, &options, &out);
    char expected[128];
    snprintf(expected, sizeof expected, "32 lanes, stride 128 bytes, all in bank %u: 32 wavefronts where 1 would do\n",
             (unsigned)bank);
    ck_assert_ptr_nonnull(strstr(out.data, expected));
    ck_assert_ptr_nonnull(strstr(out.data, "cure  a row of 33 floats instead of 32 cures it;"));
    ck_assert_ptr_nonnull(strstr(out.data, "element i at [i ^ (i / 32 & 31)]"));
    base_strbuf_free(&out);
    advice.language = ADVISE_ZH;
    report_advice_text(&advice, 9, &options, &out);
    ck_assert_ptr_nonnull(strstr(out.data, "存储体冲突"));
    ck_assert_ptr_nonnull(strstr(out.data, "把每行 32 个元素（4 字节）改为 33 个即可消除"));
    base_strbuf_free(&out);
    tell_free(&told);
    /* Nobody watched: the conflict is told, no cure is made up. */
    support_launch_free(&launch);
    tell_launch(&told, &launch, &list, "transpose_smem_1024", false, false);
    ck_assert_uint_eq(told.findings.count, 1);
    ck_assert_int_eq(told.findings.items[0].rule, ADVISE_RULE_BANK_CONFLICT);
    ck_assert_int_eq(told.findings.items[0].cures[0], ADVISE_WORD_BANK_CURE_LOOK);
    tell_free(&told);
    support_launch_free(&launch);
    support_list_free(&list);
}
END_TEST

/* What the clock's finding says that a cure saves at most, and what the card saved with the cured kernel: the saving is
 * not much more than what was said, and what was said not far from it. */
static const struct {
    const char *bad, *good;
} pairs[] = {
    {"transpose_naive_1024", "transpose_pad_1024"},
    {"transpose_smem_1024", "transpose_pad_1024"},
    {"copy_stride2", "copy_stride1"},
    {"copy_stride8", "copy_stride1"},
    {"copy_stride32", "copy_stride1"},
    {"bank_stride2", "bank_stride1"},
    {"bank_stride8", "bank_stride1"},
    {"bank_stride32", "bank_stride1"},
    {"divergent", "uniformbranch"},
    {"sumReduction", "sum_reduce"},
};

static double recorded_cycles(const char *csv, const char *launch)
{
    char head[80];
    snprintf(head, sizeof head, "\n%s,sm__cycles_active.max,", launch);
    const char *at = strstr(csv, head);
    ck_assert_msg(at != NULL, "%s is not recorded", launch);
    return strtod(at + strlen(head), NULL);
}

/* The pair's row in the table of docs/explain.md. */
static void page_says(const char *page, const char *bad, const char *good, double *said, double *saved)
{
    char head[120];
    snprintf(head, sizeof head, "\n| %s | %s | ", bad, good);
    const char *at = strstr(page, head);
    ck_assert_msg(at != NULL && sscanf(at + strlen(head), "%lf %% | %lf %% |", said, saved) == 2, "no row of %s", bad);
}

START_TEST(what_a_cure_saves)
{
    struct support_list list;
    size_t size = 0;
    char *csv = support_read("validate/records/h200/guide/guide.cycles.csv", &size);
    char *page = support_read("docs/explain.md", &size);
    support_list_read(&list, "kernels/kernels.cases");
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct support_launch launch;
        struct told told;
        double saved = 100 - 100 * recorded_cycles(csv, pairs[i].good) / recorded_cycles(csv, pairs[i].bad);
        tell_launch(&told, &launch, &list, pairs[i].bad, true, true);
        ck_assert_uint_ge(told.findings.count, 1);
        const struct advise_finding *f = &told.findings.items[0];
        ck_assert(f->has_share);
        ck_assert_msg(f->saved_pct >= saved - 5 && f->saved_pct <= saved + 25,
                      "%s: up to %.1f %% was said, %.1f %% it is", pairs[i].bad, f->saved_pct, saved);
        double page_said = 0, page_saved = 0;
        page_says(page, pairs[i].bad, pairs[i].good, &page_said, &page_saved);
        ck_assert_msg(fabs(page_said - f->saved_pct) <= 10 && fabs(page_saved - saved) < 0.6,
                      "%s: docs/explain.md has %.0f and %.0f %%, not %.1f and %.1f", pairs[i].bad, page_said,
                      page_saved, f->saved_pct, saved);
        ck_assert_int_eq(f->severity, f->saved_pct >= 20 ? ADVISE_PROBLEM : ADVISE_HINT);
        tell_free(&told);
        support_launch_free(&launch);
    }
    free(csv);
    free(page);
    support_list_free(&list);
}
END_TEST

/* ---- Small kernels ---- */

static void tell_text(struct told *told, struct kit *kit, const struct kit_launch *launch, int32_t carveout)
{
    uint32_t kernel = 0;
    kit_prepare(kit, launch, &kernel);
    *told = (struct told){.watch = {.device = sim_device_find("h200")}};
    struct sim_launch_text text = {.carveout_percent = carveout, .shared_bytes = launch->shared_bytes};
    for (unsigned d = 0; d < 3; d++) {
        text.grid[d] = kit_or_one(launch->grid[d]);
        text.block[d] = kit_or_one(launch->block[d]);
        text.cluster[d] = 1;
    }
    struct sim_options options = {.device = told->watch.device,
                                  .cycles = launch->cycles,
                                  .access_hook = advise_watch_access,
                                  .access_user = &told->watch};
    ck_assert_int_eq(
        sim_run(kit->module, kernel, &text, &kit->bound, &kit->memory, &options, &kit->report, &kit->diags), BASE_OK);
    ck_assert_int_eq(kit->report.status, SIM_RUN_OK);
    struct advise_explain_query query = {.report = &kit->report,
                                         .device = told->watch.device,
                                         .module = kit->module,
                                         .watch = &told->watch,
                                         .carveout_percent = carveout};
    ck_assert_int_eq(advise_explain(&query, &told->findings), BASE_OK);
}

/* Each body twice, a number in it changed. Registers and addresses: PTX_KERNEL. */
#define SHARED_WORDS ".shared .align 4 .b32 s[2048];\n"
#define CHASE                                                                                                          \
    "mov.u32 %r2, 0;\nmov.u64 %d2, %d1;\nL: ld.global.cg.u32 %r3, [%d2];\ncvt.u64.u32 %d2, %r3;\nadd.u64 %d2, %d2, "   \
    "%d1;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p0, %r2, 64;\n@%p0 bra L;\n"
#define OWN_WORD "shl.b32 %r2, %r0, 2;\nmov.u32 %r3, s;\nadd.u32 %r3, %r3, %r2;\n"
static const struct {
    const char *body;
    uint32_t grid, block;
    int32_t carveout;
    bool cycles;
    const char *rules;
} bodies[] = {
    /* Members of structures of four words: 16 bytes apart. Together as one vector: not. */
    {"mul.wide.u32 %d1, %r1, 16;\nadd.u64 %d1, %d0, %d1;\nst.global.u32 [%d1], %r1;\n", 132, 256, -1, false,
     "uncoalesced:21"},
    {"mul.wide.u32 %d1, %r1, 16;\nadd.u64 %d1, %d0, %d1;\nst.global.v4.u32 [%d1], {%r1, %r1, %r1, %r1};\n", 132, 256,
     -1, false, ""},
    /* A histogram of 4 and of 1,024 bins, in global memory. */
    {"and.b32 %r2, %r1, 3;\nmul.wide.u32 %d1, %r2, 4;\nadd.u64 %d1, %d0, %d1;\nred.global.add.u32 [%d1], 1;\n", 132,
     256, -1, false, "same-address-atomics:22"},
    {"and.b32 %r2, %r1, 1023;\nmul.wide.u32 %d1, %r2, 4;\nadd.u64 %d1, %d0, %d1;\nred.global.add.u32 [%d1], 1;\n", 132,
     256, -1, false, ""},
    /* A lane of each warp adds to one word; one of each block; a lane of each warp to a word of its block. */
    {"and.b32 %r2, %r0, 31;\nsetp.eq.u32 %p0, %r2, 0;\n@%p0 red.global.add.u32 [%d0], 1;\n", 132, 256, -1, false,
     "same-address-atomics:21"},
    {"setp.eq.u32 %p0, %r0, 0;\n@%p0 red.global.add.u32 [%d0], 1;\n", 132, 256, -1, false, ""},
    {"and.b32 %r2, %r0, 31;\nsetp.eq.u32 %p0, %r2, 0;\nmov.u32 %r3, %ctaid.x;\nmul.wide.u32 %d1, %r3, 4;\n"
     "add.u64 %d1, %d0, %d1;\n@%p0 red.global.add.u32 [%d1], 1;\n",
     132, 256, -1, false, ""},
    /* 64 loads one after another, by two warps of each SM and by 64; the same of two warps, with nothing to wait for.
     */
    {CHASE "st.global.u32 [%d1], %r3;\n", 132, 64, -1, true, "few-warps"},
    {CHASE "st.global.u32 [%d1], %r3;\n", 264, 1024, -1, true, ""},
    {"mov.u32 %r2, 0;\nL: mad.lo.u32 %r4, %r4, %r2, 1;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p0, %r2, 64;\n@%p0 bra L;\n"
     "st.global.u32 [%d1], %r4;\n",
     132, 64, -1, true, ""},
    /* The same in shared memory. */
    {SHARED_WORDS "and.b32 %r2, %r1, 3;\nshl.b32 %r2, %r2, 2;\nmov.u32 %r3, s;\nadd.u32 %r3, %r3, %r2;\n"
                  "red.shared.add.u32 [%r3], 1;\n",
     132, 256, -1, false, "same-address-atomics:24"},
    {SHARED_WORDS OWN_WORD "red.shared.add.u32 [%r3], 1;\n", 132, 256, -1, false, ""},
    /* Warp 0 works 64 times as long as the others, then all meet; and all alike. */
    {"setp.ge.u32 %p0, %r0, 32;\n@%p0 bra M;\nmov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1;\nmul.lo.u32 %r4, %r4, %r2;\n"
     "setp.lt.u32 %p1, %r2, 512;\n@%p1 bra L;\nM: bar.sync 0;\nst.global.u32 [%d1], %r4;\n",
     264, 256, -1, true, "barrier-imbalance:26"},
    {"mov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1;\nmul.lo.u32 %r4, %r4, %r2;\n"
     "setp.lt.u32 %p1, %r2, 512;\n@%p1 bra L;\nM: bar.sync 0;\nst.global.u32 [%d1], %r4;\n",
     264, 256, -1, true, ""},
    /* Every second thread works: the lanes of a warp, or whole warps. */
    {"and.b32 %r2, %r0, 1;\nsetp.ne.u32 %p0, %r2, 0;\n@%p0 bra M;\nmov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1;\n"
     "setp.lt.u32 %p1, %r2, 64;\n@%p1 bra L;\nM: st.global.u32 [%d1], %r2;\n",
     264, 256, -1, true, "divergence:21"},
    {"and.b32 %r2, %r0, 32;\nsetp.ne.u32 %p0, %r2, 0;\n@%p0 bra M;\nmov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1;\n"
     "setp.lt.u32 %p1, %r2, 64;\n@%p1 bra L;\nM: st.global.u32 [%d1], %r2;\n",
     264, 256, -1, true, ""},
    /* Loops as long as the lane's number; as long as the warp's. */
    {"mov.u32 %r2, 0;\nand.b32 %r3, %r0, 31;\nL: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r3;\n@%p1 bra L;\n"
     "st.global.u32 [%d1], %r2;\n",
     264, 256, -1, true, "divergence:23"},
    {"mov.u32 %r2, 0;\nshr.u32 %r3, %r0, 5;\nL: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r3;\n@%p1 bra L;\n"
     "st.global.u32 [%d1], %r2;\n",
     264, 256, -1, true, ""},
    /* Blocks of 1,024: two fit an SM. 300 are 1.14 times what 132 SMs hold, 528 are two whole waves. */
    {"st.global.u32 [%d1], %r1;\n", 300, 1024, -1, false, "tail"},
    {"st.global.u32 [%d1], %r1;\n", 528, 1024, -1, false, ""},
    /* A wish for shared memory where a block has 8 KB of it, which 8 of them hold together anyway; a wish that changes
     * something: the smallest carve-out leaves room for fewer. */
    {SHARED_WORDS OWN_WORD "st.shared.u32 [%r3], %r1;\nst.global.u32 [%d1], %r1;\n", 132, 256, 57, false,
     "cache-preference"},
    {SHARED_WORDS OWN_WORD "st.shared.u32 [%r3], %r1;\nst.global.u32 [%d1], %r1;\n", 132, 256, 0, false, "occupancy"},
    {SHARED_WORDS OWN_WORD "st.shared.u32 [%r3], %r1;\nst.global.u32 [%d1], %r1;\n", 132, 256, -1, false, ""},
    /* Block sizes: 33 of 64 lanes; 96 and 64 threads fill the SM's warps; 160 are 12 blocks of 5 warps. */
    {"st.global.u32 [%d1], %r1;\n", 4224, 33, -1, false, "block-not-warps misaligned:19"},
    {"st.global.u32 [%d1], %r1;\n", 5544, 96, -1, false, ""},
    {"st.global.u32 [%d1], %r1;\n", 4224, 64, -1, false, ""},
    {"st.global.u32 [%d1], %r1;\n", 4752, 160, -1, false, ""},
};

START_TEST(rules_of_small_kernels)
{
    static char ptx[8192];
    char text[512];
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        struct kit kit;
        struct told told;
        kit_kernel_text(ptx, sizeof ptx, "%s", bodies[i].body);
        struct kit_launch launch = {.ptx = ptx,
                                    .args = "u32[1200000]=zero",
                                    .grid = {bodies[i].grid},
                                    .block = {bodies[i].block},
                                    .cycles = bodies[i].cycles};
        tell_text(&told, &kit, &launch, bodies[i].carveout);
        list_rules(&told.findings, text, sizeof text);
        ck_assert_msg(strcmp(text, bodies[i].rules) == 0, "%zu: \"%s\", not \"%s\"", i, text, bodies[i].rules);
        tell_free(&told);
        kit_free(&kit);
    }
}
END_TEST

/* ---- Words ---- */

/* The names of the numbers in a sentence, each once, sorted. */
static void names_in(const char *sentence, char *names, size_t size)
{
    char found[16][32];
    size_t count = 0, used = 0;
    for (const char *at = strchr(sentence, '{'); at; at = strchr(at + 1, '{')) {
        size_t length = strcspn(at + 1, "|}");
        ck_assert_uint_lt(length, sizeof found[0]);
        ck_assert_uint_lt(count, 16);
        snprintf(found[count++], sizeof found[0], "%.*s", (int)length, at + 1);
    }
    qsort(found, count, sizeof found[0], by_text);
    names[0] = '\0';
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(found[i], found[i - 1]) != 0)
            used += (size_t)snprintf(names + used, size - used, "%s ", found[i]);
}

/* Every sentence is there in both languages, with the same numbers (but for the name of an element, which is English),
 * and the Chinese one is not the English one. */
START_TEST(sentences)
{
    char en[256], zh[256];
    for (int word = ADVISE_WORD_NONE + 1; word < ADVISE_WORD_COUNT; word++) {
        const char *english = advise_word((enum advise_word)word, ADVISE_EN);
        const char *chinese = advise_word((enum advise_word)word, ADVISE_ZH);
        ck_assert(english[0] != '\0' && chinese[0] != '\0' && strcmp(english, chinese) != 0);
        names_in(english, en, sizeof en);
        names_in(chinese, zh, sizeof zh);
        if (word == ADVISE_WORD_BANK_CURE_ROW)
            ck_assert_str_eq(zh, "after before bytes new_row row tried ");
        else
            ck_assert_msg(strcmp(en, zh) == 0, "%s| %s", english, zh);
        bool is_chinese = false;
        for (const char *at = chinese; *at; at++)
            is_chinese = is_chinese || (unsigned char)*at >= 0xe3;
        ck_assert(is_chinese);
    }
}
END_TEST

START_TEST(numbers_in_sentences)
{
    struct base_strbuf out = {0};
    struct advise_number numbers[] = {{.name = "blocks", .kind = ADVISE_COUNT, .count = 1},
                                      {.name = "sms", .kind = ADVISE_COUNT, .count = 1320000},
                                      {.name = "idle_sms", .kind = ADVISE_REAL, .real = 1234.5}};
    advise_words_put(ADVISE_WORD_TOO_FEW_BLOCKS_WHAT, ADVISE_EN, numbers, 3, &out);
    ck_assert_str_eq(out.data, "1 block for 1,320,000 SMs: 1,235 SMs have nothing to do");
    out.length = 0;
    numbers[0].count = 2;
    numbers[2].real = 12.345;
    advise_words_put(ADVISE_WORD_TOO_FEW_BLOCKS_WHAT, ADVISE_EN, numbers, 3, &out);
    ck_assert_str_eq(out.data, "2 blocks for 1,320,000 SMs: 12.3 SMs have nothing to do");
    out.length = 0;
    advise_words_put(ADVISE_WORD_TOO_FEW_BLOCKS_WHAT, ADVISE_ZH, numbers, 1, &out);
    ck_assert_str_eq(out.data, "2 个块，{sms} 个 SM：有 {idle_sms} 个 SM 空闲");
    base_strbuf_free(&out);
}
END_TEST

START_TEST(languages)
{
    ck_assert_int_eq(advise_language_of("en"), ADVISE_EN);
    ck_assert_int_eq(advise_language_of("en_GB.UTF-8"), ADVISE_EN);
    ck_assert_int_eq(advise_language_of("zh"), ADVISE_ZH);
    ck_assert_int_eq(advise_language_of("zh_CN.UTF-8"), ADVISE_ZH);
    ck_assert_int_eq(advise_language_of("zh-Hans"), ADVISE_ZH);
    ck_assert_int_eq(advise_language_of("zhx"), -1);
    ck_assert_int_eq(advise_language_of("C"), -1);
    ck_assert_int_eq(advise_language_of(""), -1);
}
END_TEST

Suite *explain_suite(void)
{
    Suite *suite = suite_create("explain");
    TCase *tests = tcase_create("explain");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, sentences);
    tcase_add_test(tests, numbers_in_sentences);
    tcase_add_test(tests, languages);
    tcase_add_test(tests, rules_of_small_kernels);
    tcase_add_test(tests, rules_of_kernels);
    tcase_add_test(tests, rules_of_machine_code);
    tcase_add_test(tests, rules_of_ordinary_kernels);
    tcase_add_test(tests, words_of_a_conflict);
    tcase_add_test(tests, what_a_cure_saves);
    suite_add_tcase(suite, tests);
    return suite;
}
