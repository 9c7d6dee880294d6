/* --check: every faulty kernel of tests/checks is found out at the right lines, and nothing is found in its twin. What
 * must be found is announced in the source (tests/checks/README.md). */
#include "tests/support.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "tests/checks/"
enum { LAUNCHES = 32 };

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

START_TEST(test_suite)
{
    struct support_launch launch;
    struct expectations all = {0};
    support_launch_bind(&launch, &list, (size_t)_i);
    const char *kernel = launch.text->kernel;
    char *text = source_of(launch.text->file);
    read_expectations(text, &all);
    support_launch_run_checked(&launch, SIM_CHECK_MEMORY | SIM_CHECK_RACES | SIM_CHECK_INIT | SIM_CHECK_SYNC);
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
    suite_add_tcase(suite, tcase);
    return suite;
}
