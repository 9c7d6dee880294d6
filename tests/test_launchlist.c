/* sim/launchlist.c: fields, quotes, comments, and the place of every error. */
#include "sim/args.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *launchlist_suite(void);

static struct sim_launch_list *must_parse(const char *text)
{
    struct sim_launch_list *list = NULL;
    struct base_diags diags = {0};
    const enum base_status status = sim_launch_list_parse("list", text, strlen(text), &list, &diags);
    struct base_strbuf out = {0};
    base_diags_print(&diags, &out);
    ck_assert_msg(status == BASE_OK, "%s", out.data ? out.data : "");
    ck_assert_uint_eq(diags.count, 0);
    base_strbuf_free(&out);
    base_diags_free(&diags);
    return list;
}

START_TEST(a_line_has_all_its_fields)
{
    struct sim_launch_list *list =
        must_parse("# comment\n\n  \t \n"
                   "one a.ptx k grid=3907 block=32,8,2 shared=1536 cluster=2,1 cooperative=1 carveout=50 regs=40 "
                   "f32[4]=zero s32=-5 null\n"
                   "two b.ptx _Z1kv s32=7 block=1 grid=1,2,3 # block=9\r\n"
                   "three c.ptx k grid=0x10 block=1");
    ck_assert_uint_eq(list->count, 3);
    const struct sim_launch_text *one = &list->items[0];
    ck_assert_str_eq(one->name, "one");
    ck_assert_str_eq(one->file, "a.ptx");
    ck_assert_str_eq(one->kernel, "k");
    ck_assert_uint_eq(one->grid[0], 3907);
    ck_assert_uint_eq(one->grid[1], 1);
    ck_assert_uint_eq(one->grid[2], 1);
    ck_assert_uint_eq(one->block[0], 32);
    ck_assert_uint_eq(one->block[1], 8);
    ck_assert_uint_eq(one->block[2], 2);
    ck_assert_uint_eq(one->shared_bytes, 1536);
    ck_assert(one->has_cluster && one->cooperative);
    ck_assert_uint_eq(one->cluster[0], 2);
    ck_assert_uint_eq(one->cluster[1], 1);
    ck_assert_int_eq(one->carveout_percent, 50);
    ck_assert_uint_eq(one->regs, 40);
    ck_assert_uint_eq(one->arg_count, 3);
    ck_assert_int_eq(one->args[0].kind, SIM_ARG_BUFFER);
    ck_assert_int_eq(one->args[1].kind, SIM_ARG_SCALAR);
    ck_assert_uint_eq(one->args[1].value, 0xfffffffb);
    ck_assert_int_eq(one->args[2].kind, SIM_ARG_NULL);
    ck_assert_mem_eq(list->source.text + one->offset, "one a.ptx", 9);
    ck_assert_mem_eq(list->source.text + one->offset + one->length - 4, "null\n", 5);
    const struct sim_launch_text *two = &list->items[1];
    ck_assert_uint_eq(two->block[0], 1);
    ck_assert_uint_eq(two->grid[2], 3);
    ck_assert_uint_eq(two->arg_count, 1);
    ck_assert(!two->has_cluster && !two->cooperative);
    ck_assert_uint_eq(two->cluster[0], 1);
    ck_assert_int_eq(two->carveout_percent, -1);
    ck_assert_uint_eq(two->regs, 0);
    ck_assert_uint_eq(list->items[2].grid[0], 16);
    sim_launch_list_free(list);
}
END_TEST

START_TEST(quotes_hold_white_space)
{
    struct sim_launch_list *list = must_parse("\xef\xbb\xbf\"my name\" 'my file.ptx' k grid=\"2,3\" block=1 "
                                              "f32[4]=file:\"a b#c'd.bin\" 'f32[4]=file:x \"y\"' \"s32=1\"\n");
    ck_assert_uint_eq(list->count, 1);
    const struct sim_launch_text *launch = &list->items[0];
    ck_assert_str_eq(launch->name, "my name");
    ck_assert_str_eq(launch->file, "my file.ptx");
    ck_assert_uint_eq(launch->grid[1], 3);
    ck_assert_uint_eq(launch->arg_count, 3);
    ck_assert_str_eq(launch->args[0].init.path, "a b#c'd.bin");
    ck_assert_str_eq(launch->args[1].init.path, "x \"y\"");
    ck_assert_uint_eq(launch->args[2].value, 1);
    sim_launch_list_free(list);
}
END_TEST

START_TEST(an_empty_list_is_one)
{
    static const char *const texts[] = {"", "\n", "# nothing", " \t\n#\n\r\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct sim_launch_list *list = must_parse(texts[i]);
        ck_assert_uint_eq(list->count, 0);
        sim_launch_list_free(list);
    }
    sim_launch_list_free(NULL);
}
END_TEST

struct error_case {
    const char *text, *message; /* message: "line:column: words", the beginning of what is printed after "list:" */
};

static void check_error(const struct error_case *c)
{
    struct sim_launch_list *list = NULL;
    struct base_diags diags = {0};
    struct base_strbuf out = {0};
    ck_assert_msg(sim_launch_list_parse("list", c->text, strlen(c->text), &list, &diags) == BASE_INVALID, "%s",
                  c->text);
    ck_assert_ptr_nonnull(list);
    ck_assert_uint_eq(diags.errors, 1);
    base_diag_print(&diags.items[0], &out);
    ck_assert_msg(strncmp(out.data, "list:", 5) == 0 && strncmp(out.data + 5, c->message, strlen(c->message)) == 0,
                  "%s gives %s, not %s", c->text, out.data, c->message);
    base_strbuf_free(&out);
    base_diags_free(&diags);
    sim_launch_list_free(list);
}

START_TEST(errors_have_their_place)
{
    static const struct error_case cases[] = {
        {"a b k grid=1 block=1 s32=x", "1:26: error: 'x' is not an integer"},
        {"\n  a b k grid=0 block=1", "2:14: error: grid wants X[,Y[,Z]], each from 1 to 2147483647"},
        {"a b k grid=1,2,3,4 block=1", "1:12: error: grid wants"},
        {"a b k grid=1, block=1", "1:12: error: grid wants"},
        {"a b k grid= block=1", "1:12: error: grid wants"},
        {"a b k grid=2147483648 block=1", "1:12: error: grid wants"},
        {"a b k grid=1 block=-1", "1:20: error: block wants"},
        {"a b k grid=1 block=1 cluster=0", "1:30: error: cluster wants"},
        {"a b k grid=1 block=1 shared=x", "1:29: error: shared wants a number from 0 to 4294967295"},
        {"a b k grid=1 block=1 cooperative=2", "1:34: error: cooperative wants a number from 0 to 1"},
        {"a b k grid=1 block=1 carveout=101", "1:31: error: carveout wants a number from 0 to 100"},
        {"a b k grid=1 block=1 regs=0", "1:27: error: regs wants a number from 1 to 255"},
        {"a b k grid=1 block=1 regs=256", "1:27: error: regs wants"},
        {"a b k grid=1 grid=1 block=1", "1:14: error: grid is given twice"},
        {"a b k block=1", "1:14: error: grid=X[,Y[,Z]] is missing"},
        {"a b k grid=1 s32=1  # x", "1:19: error: block=X[,Y[,Z]] is missing"},
        {"a b k grid=1 block=1 gird=2", "1:22: error: 'gird' is neither a field"},
        {"a b k grid=1 block=1 x32=2", "1:22: error: 'x32' is no type"},
        {"a b k grid=1 block=1 what", "1:22: error: 'what' is no argument"},
        {"a", "1:2: error: FILE is missing"},
        {"a b", "1:4: error: KERNEL is missing"},
        {"a b grid=1 block=1", "1:5: error: KERNEL is missing"},
        {"\"\" b k grid=1 block=1", "1:1: error: NAME is missing"},
        {"a b k grid=1 block=1 \"s32=1\n", "1:22: error: this quote is not closed on its line"},
        {"a b k grid=1 block=1 f32[1]=file:'x y", "1:34: error: this quote is not closed on its line"},
        {"a b k grid=1 block=1 \"f32\"[0]=zero", "1:28: error: the number of elements must be at least 1"},
        {"a b k grid=1 block=1\nb c k grid=1 block=1\na b k grid=1 block=1", "3:1: error: an earlier launch is named "
                                                                             "'a' too"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_error(&cases[i]);
}
END_TEST

START_TEST(a_nul_byte_is_an_error)
{
    static const char text[] = "a b\0c k grid=1 block=1";
    struct sim_launch_list *list = NULL;
    struct base_diags diags = {0};
    ck_assert_int_eq(sim_launch_list_parse("list", text, sizeof text - 1, &list, &diags), BASE_INVALID);
    ck_assert_uint_eq(diags.items[0].offset, 3);
    base_diags_free(&diags);
    sim_launch_list_free(list);
}
END_TEST

START_TEST(many_errors_and_the_right_lines_stay)
{
    static const char text[] = "a f k grid=1 block=1 s8=300 u8=-1\n"
                               "b f k grid=1 block=1\n"
                               "c f k grid=x block=y\n"
                               "b f k grid=2 block=1\n"
                               "d f k grid=1 block=1 s32=4\n";
    struct sim_launch_list *list = NULL;
    struct base_diags diags = {0};
    ck_assert_int_eq(sim_launch_list_parse("list", text, sizeof text - 1, &list, &diags), BASE_INVALID);
    ck_assert_uint_eq(diags.errors, 5);
    static const unsigned lines[] = {1, 1, 3, 3, 4, 2};
    ck_assert_uint_eq(diags.count, 6);
    for (size_t i = 0; i < diags.count; i++) {
        unsigned line = 0;
        unsigned column = 0;
        base_source_position(diags.items[i].source, diags.items[i].offset, &line, &column);
        ck_assert_uint_eq(line, lines[i]);
    }
    ck_assert_uint_eq(list->count, 2);
    ck_assert_str_eq(list->items[0].name, "b");
    ck_assert_uint_eq(list->items[0].grid[0], 1);
    ck_assert_str_eq(list->items[1].name, "d");
    base_diags_free(&diags);
    sim_launch_list_free(list);
}
END_TEST

START_TEST(diagnostics_are_optional)
{
    struct sim_launch_list *list = NULL;
    ck_assert_int_eq(sim_launch_list_parse("list", "a", 1, &list, NULL), BASE_INVALID);
    sim_launch_list_free(list);
}
END_TEST

Suite *launchlist_suite(void)
{
    Suite *suite = suite_create("launchlist");
    TCase *tests = tcase_create("launchlist");
    tcase_add_test(tests, a_line_has_all_its_fields);
    tcase_add_test(tests, quotes_hold_white_space);
    tcase_add_test(tests, an_empty_list_is_one);
    tcase_add_test(tests, errors_have_their_place);
    tcase_add_test(tests, a_nul_byte_is_an_error);
    tcase_add_test(tests, many_errors_and_the_right_lines_stay);
    tcase_add_test(tests, diagnostics_are_optional);
    suite_add_tcase(suite, tests);
    return suite;
}
