/* --check: every faulty kernel of tests/checks is found out at the right lines, and nothing is found in its twin. What
 * must be found is announced in the source (tests/checks/README.md). Of the guide's kernels and those of kernels/ only
 * the wrong ones have findings. */
#include "tests/support.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "tests/checks/"
enum { LAUNCHES = 114 };

struct expectation {
    char kernel[64], check[16], kind[64];
    uint32_t lines[2]; /* 0: none */
    bool met;
};
struct expectations {
    BASE_VEC(struct expectation) items;
};

static struct support_list list;

static void read_list(void)
{
    support_list_read(&list, FOLDER "checks.cases");
}

static void free_list(void)
{
    support_list_free(&list);
}

/* The line that ends with the tag. */
static uint32_t line_of(const char *text, const char *tag)
{
    size_t length = strlen(tag);
    uint32_t line = 1, found = 0;
    for (const char *at = text; *at != '\0'; line++) {
        size_t end = strcspn(at, "\n");
        if (end > length && strncmp(at + end - length, tag, length) == 0 && strncmp(at, "//!", 3) != 0) {
            ck_assert_msg(found == 0, "%s stands at two lines", tag);
            found = line;
        }
        at += end + (at[end] == '\n');
    }
    ck_assert_msg(found != 0, "no line ends with %s", tag);
    return found;
}

/* The file's announcements; the text is that of the launch's .cu. */
static void read_expectations(const char *text, struct expectations *all)
{
    for (const char *at = strstr(text, "//!"); at != NULL; at = strstr(at + 3, "//!")) {
        struct expectation e = {0};
        char tags[2][64] = {"", ""};
        int fields = sscanf(at, "//! %63[^ |] | %15[^ |] | %63[^|]| %63[^ \n] %63[^ \n]", e.kernel, e.check, e.kind,
                            tags[0], tags[1]);
        ck_assert_msg(fields >= 4, "cannot be read: %.80s", at);
        e.kind[strlen(e.kind) - 1] = '\0'; /* the blank before the bar */
        for (unsigned i = 0; i < 2; i++)
            e.lines[i] = tags[i][0] == '@' ? line_of(text, tags[i]) : 0;
        if (e.lines[1] == 0)
            e.lines[1] = e.lines[0];
        ck_assert(base_vec_push(&all->items, e));
    }
}

static char *source_of(const char *file)
{
    char path[256];
    size_t size;
    ck_assert_int_lt(snprintf(path, sizeof(path), FOLDER "%.*scu", (int)(strlen(file) - 3), file), (int)sizeof(path));
    return support_read(path, &size);
}

static void meet(struct expectations *all, const char *kernel, const char *check, const char *kind, uint32_t a,
                 uint32_t b)
{
    for (size_t i = 0; i < all->items.count; i++) {
        struct expectation *e = &all->items.data[i];
        if (strcmp(e->kernel, kernel) == 0 && strcmp(e->check, check) == 0 && strcmp(e->kind, kind) == 0 &&
            ((e->lines[0] == a && e->lines[1] == b) || (e->lines[0] == b && e->lines[1] == a))) {
            e->met = true;
            return;
        }
    }
    ck_abort_msg("%s: found, but not announced: %s: %s, lines %u and %u", kernel, check, kind, a, b);
}

static bool is_faulty(const char *name)
{
    return strstr(name, "_bad") != NULL;
}

#define EVERYTHING (SIM_CHECK_MEMORY | SIM_CHECK_RACES | SIM_CHECK_INIT | SIM_CHECK_SYNC)

/* All that is announced is found, and nothing else, in the order of counts mode. */
START_TEST(test_suite)
{
    struct support_launch launch;
    struct expectations all = {0};
    support_launch_bind(&launch, &list, (size_t)_i);
    const char *kernel = launch.text->kernel;
    char *text = source_of(launch.text->file);
    read_expectations(text, &all);
    support_launch_run_checked(&launch, EVERYTHING);
    const struct sim_report *report = &launch.report;
    if (report->has_fault)
        meet(&all, kernel, "fault", sim_fault_kind_name(report->fault.kind), report->fault_line, report->fault_line);
    for (size_t i = 0; i < report->finding_count; i++) {
        const struct sim_finding *f = &report->findings[i];
        ck_assert_uint_gt(f->count, 0);
        ck_assert_str_ne(f->message, "");
        meet(&all, kernel, f->check, f->kind, f->first.line, f->has_other ? f->other.line : f->first.line);
    }
    size_t announced = 0;
    for (size_t i = 0; i < all.items.count; i++)
        if (strcmp(all.items.data[i].kernel, kernel) == 0) {
            announced++;
            ck_assert_msg(all.items.data[i].met, "%s: not found: %s: %s, lines %u and %u", kernel,
                          all.items.data[i].check, all.items.data[i].kind, all.items.data[i].lines[0],
                          all.items.data[i].lines[1]);
        }
    ck_assert_msg(is_faulty(launch.text->name) == (announced > 0), "%s: %zu findings announced", kernel, announced);
    ck_assert(!report->checks_incomplete);
    base_vec_free(&all.items);
    free(text);
    support_launch_free(&launch);
}
END_TEST

static bool is_announced(const struct expectations *all, const char *kernel, uint32_t line)
{
    for (size_t i = 0; i < all->items.count; i++) {
        const struct expectation *e = &all->items.data[i];
        if (strcmp(e->kernel, kernel) == 0 && (e->lines[0] == line || e->lines[1] == line))
            return true;
    }
    return false;
}

/* Another order shows the same mistakes, perhaps by other pairs of accesses. */
START_TEST(test_clock)
{
    struct support_launch launch;
    struct expectations all = {0};
    support_launch_bind(&launch, &list, (size_t)_i);
    char *text = source_of(launch.text->file);
    read_expectations(text, &all);
    support_launch_run_clock_checked(&launch, EVERYTHING);
    const struct sim_report *report = &launch.report;
    ck_assert_msg(is_faulty(launch.text->name) == (report->has_fault || report->finding_count > 0), "%s: %zu findings",
                  launch.text->name, report->finding_count);
    for (size_t i = 0; i < report->finding_count; i++) {
        const struct sim_finding *f = &report->findings[i];
        ck_assert_msg(is_announced(&all, launch.text->kernel, f->first.line) &&
                          (!f->has_other || is_announced(&all, launch.text->kernel, f->other.line)),
                      "%s: %s, lines %u and %u", launch.text->name, f->kind, f->first.line, f->other.line);
    }
    base_vec_free(&all.items);
    free(text);
    support_launch_free(&launch);
}
END_TEST

/* ---- Other kernels: nothing is found but in those that are known to be wrong ---- */

/* Launches of the lists below with a finding, and what is to be found first. Launches that end with a fault are looked
 * at by other suites. */
static const struct {
    const char *name, *check, *kind;
} known[] = {
    {"sum_reduce_racy", "races", "race between blocks"},
    {"transpose_guard", "init", "uninitialised shared memory"},
    {"transpose_guard_room", "races", "race between blocks"},
    {"syncthreads_nobar", "races", "race in a block"},
};

static bool is_known(const char *name, const struct sim_finding *finding)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i].name, name) == 0 && (finding == NULL || (strcmp(known[i].check, finding->check) == 0 &&
                                                                     strcmp(known[i].kind, finding->kind) == 0)))
            return true;
    return false;
}

static void look_at(const struct support_list *from, size_t index)
{
    struct support_launch launch;
    support_launch_bind(&launch, from, index);
    support_launch_run_checked(&launch, EVERYTHING);
    const char *name = launch.text->name;
    bool met = !is_known(name, NULL);
    for (size_t i = 0; i < launch.report.finding_count; i++) {
        const struct sim_finding *f = &launch.report.findings[i];
        ck_assert_msg(is_known(name, NULL), "%s: %s, lines %u and %u", name, f->kind, f->first.line, f->other.line);
        met |= is_known(name, f);
    }
    ck_assert_msg(met, "%s: nothing was found", name);
    support_launch_free(&launch);
}

static const char *const others[] = {"validate/records/h200/guide/guide.cases", "kernels/kernels.cases",
                                     "kernels/numba/numba.cases", "kernels/faulty/faulty.cases"};
enum { OTHERS = sizeof(others) / sizeof(others[0]) };

START_TEST(test_others)
{
    struct support_list from;
    support_list_read(&from, others[_i]);
    ck_assert_uint_gt(from.launches->count, 0);
    for (size_t i = 0; i < from.launches->count; i++)
        look_at(&from, i);
    support_list_free(&from);
}
END_TEST

/* So that a list that shrank does not pass. */
START_TEST(test_list)
{
    ck_assert_uint_eq(list.launches->count, LAUNCHES);
}
END_TEST

Suite *checks_suite(void);

Suite *checks_suite(void)
{
    Suite *suite = suite_create("checks");
    TCase *tcase = tcase_create("kernels");
    tcase_add_unchecked_fixture(tcase, read_list, free_list);
    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, test_list);
    tcase_add_loop_test(tcase, test_suite, 0, LAUNCHES);
    tcase_add_loop_test(tcase, test_clock, 0, LAUNCHES);
    suite_add_tcase(suite, tcase);
    TCase *rest = tcase_create("others");
    tcase_set_timeout(rest, 0);
    tcase_add_loop_test(rest, test_others, 0, OTHERS);
    suite_add_tcase(suite, rest);
    return suite;
}
