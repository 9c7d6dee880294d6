/* report/occupancy*: the curves in text and as SVG, drawn where arithmetic says. 768 threads and 16 registers on an
 * H200: two blocks of 24 warps, 48 of 64, 75 %.
 */
#include "report/report.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *occupancy_page_suite(void);

struct drawing {
    struct base_arena arena;
    struct sim_occupancy_study study;
    struct report_occupancy page;
    struct base_strbuf out;
};

static void draw(struct drawing *d, const char *device, uint32_t threads, uint64_t shared, const char *kernel)
{
    *d = (struct drawing){0};
    base_arena_init(&d->arena, 0);
    const struct sim_device *card = sim_device_find(device);
    struct sim_occupancy_query query = {threads, 16, 0, shared, -1, 1};
    ck_assert_int_eq(sim_occupancy_study_make(card, &query, 1, &d->arena, &d->study), BASE_OK);
    d->page = (struct report_occupancy){.device = device,
                                        .block_threads = threads,
                                        .registers_per_thread = 16,
                                        .shared_per_block_bytes = shared,
                                        .occupancy = &d->study.result,
                                        .study = &d->study,
                                        .kernel = kernel,
                                        .curves = true};
}

static void finish(struct drawing *d)
{
    base_strbuf_free(&d->out);
    base_arena_free(&d->arena);
}

/* The height of a bar in eighths, from its cells: line 0 is the top one of eight. */
static unsigned bar_height(const char *chart, unsigned bar)
{
    unsigned eighths = 0;
    const char *line = strchr(chart, '\n') + 1;
    for (unsigned i = 0; i < 8; i++, line = strchr(line, '\n') + 1) {
        const char *cell = line + 6 + 3; /* the label, the axis' character */
        for (unsigned skip = 0; skip < bar; skip++)
            cell += *cell == ' ' ? 1 : 3;
        if (*cell != ' ')
            eighths += (unsigned)((unsigned char)cell[2] - 0x80);
    }
    return eighths;
}

START_TEST(bars_stand_for_warps)
{
    struct drawing d;
    draw(&d, "h200", 768, 0, NULL);
    report_occupancy_text(&d.page, &d.out);
    ck_assert(!d.out.failed);
    const char *chart = strstr(d.out.data, "Occupancy over block size");
    ck_assert_ptr_nonnull(chart);
    /* 64 bars of 16 threads, 64 eighths of a line for 64 warps: a bar is as high as its blocks have warps. */
    for (unsigned bar = 0; bar < 64; bar++) {
        unsigned warps = (16 * (bar + 1) + 31) / 32, blocks = 64 / warps;
        ck_assert_uint_eq(bar_height(chart, bar), (blocks < 32 ? blocks : 32) * warps);
    }
    /* 768 is the right edge of the 48th bar: 7 columns and 47 bars before the arrow, 10 of them words. */
    const char *arrow = strstr(chart, "\xe2\x96\xb2");
    const char *line = arrow;
    while (line[-1] != '\n')
        line--;
    ck_assert_int_eq((int)(arrow - line), 7 + 47);
    ck_assert_int_eq(strncmp(arrow - 9, "768: 75% ", 9), 0);
    /* Registers: 255 over 64 bars; the arrow at 16 is under the fifth: 255 x 5 / 64 = 19, 255 x 4 / 64 = 15. */
    chart = strstr(d.out.data, "Occupancy over registers");
    arrow = strstr(chart, "\xe2\x96\xb2");
    ck_assert_int_eq(strncmp(arrow, "\xe2\x96\xb2 16: 75%\n", 11), 0);
    for (line = arrow; line[-1] != '\n';)
        line--;
    ck_assert_int_eq((int)(arrow - line), 7 + 4);
    finish(&d);
}
END_TEST

static size_t count(const char *text, const char *word)
{
    size_t found = 0;
    while ((text = strstr(text, word)) != NULL) {
        text += strlen(word);
        found++;
    }
    return found;
}

START_TEST(a_picture_of_the_curves)
{
    struct drawing d;
    draw(&d, "h200", 768, 0, "f<int>(a & \"b\")\001");
    report_occupancy_svg(&d.page, &d.out);
    ck_assert(!d.out.failed);
    const char *svg = d.out.data;
    ck_assert_int_eq(strncmp(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\"", 39), 0);
    ck_assert_str_eq(svg + strlen(svg) - 7, "</svg>\n");
    ck_assert_ptr_nonnull(strstr(svg, "<title>Occupancy of f&lt;int&gt;(a &amp; &quot;b&quot;)? on h200: 75%</title>"));
    ck_assert_uint_eq(count(svg, "<polyline class=\"curve\""), 3);
    /* A plot is 680 x 140 pixels, from 60 on the left; the first one's top is at 70 + 40. 75 % is 35 below it. */
    ck_assert_ptr_nonnull(strstr(svg, "<circle class=\"own\" cx=\"570\" cy=\"145\" r=\"5\"/>")); /* 60 + 680 x 3/4 */
    ck_assert_ptr_nonnull(
        strstr(svg, "<circle class=\"own\" cx=\"102.6\" cy=\"375\" r=\"5\"/>")); /* 60 + 680 x 16/255 */
    ck_assert_ptr_nonnull(strstr(svg, "<circle class=\"own\" cx=\"60\" cy=\"605\" r=\"5\"/>"));
    /* Blocks of 1 to 32 threads: 32 warps, 50 %; then two warps each and 100 %. */
    ck_assert_ptr_nonnull(strstr(svg, "<polyline class=\"curve\" points=\"60,180 81.2,180 81.2,110 102.5,110 "));
    ck_assert_ptr_nonnull(strstr(svg, ">48 KiB: more needs the opt-in<"));
    ck_assert_ptr_nonnull(strstr(svg, ">768: 2 blocks, 48 warps, 75%<"));
    ck_assert_uint_eq(count(svg, "<text "), count(svg, "</text>"));
    finish(&d);
    draw(&d, "gtx580", 512, 49152, NULL);
    report_occupancy_svg(&d.page, &d.out);
    ck_assert_ptr_null(strstr(d.out.data, "opt-in"));
    finish(&d);
}
END_TEST

START_TEST(the_page_tells_the_opt_in)
{
    struct drawing d;
    draw(&d, "b200", 128, 102400, NULL);
    d.page.curves = false;
    report_occupancy_text(&d.page, &d.out);
    ck_assert_ptr_nonnull(strstr(d.out.data, "2 blocks, 8 of 64 warps, 256 of 2,048 threads"));
    ck_assert_ptr_nonnull(strstr(d.out.data, "cudaFuncAttributeMaxDynamicSharedMemorySize, 102400)"));
    /* 102,400 + 1,024 bytes: a third block from 233,472 / 3 = 77,824 allocated on, 76,800 of the kernel's. */
    ck_assert_ptr_nonnull(strstr(d.out.data, "next change: 18.75% at 76,800, 6.25% from 115,713"));
    ck_assert_ptr_null(strstr(d.out.data, "Occupancy over"));
    finish(&d);
    /* The same in the page of a run, which has no study. */
    draw(&d, "b200", 128, 102400, NULL);
    d.page.study = NULL;
    report_occupancy_text(&d.page, &d.out);
    ck_assert_ptr_nonnull(strstr(d.out.data, "shared memory needs cudaFuncAttributeMaxDynamicSharedMemorySize\n"));
    ck_assert_ptr_null(strstr(d.out.data, "One step"));
    finish(&d);
    draw(&d, "gtx580", 128, 49152, NULL);
    report_occupancy_text(&d.page, &d.out);
    ck_assert_ptr_null(strstr(d.out.data, "cudaFuncSetAttribute"));
    ck_assert_ptr_null(strstr(d.out.data, "Clusters"));
    finish(&d);
}
END_TEST

Suite *occupancy_page_suite(void)
{
    Suite *suite = suite_create("occupancy_page");
    TCase *tests = tcase_create("occupancy_page");
    tcase_add_test(tests, bars_stand_for_warps);
    tcase_add_test(tests, a_picture_of_the_curves);
    tcase_add_test(tests, the_page_tells_the_opt_in);
    suite_add_tcase(suite, tests);
    return suite;
}
