/* C++ names: against c++filt's spelling (tests/vectors/demangle.txt), and what is no such name. */
#include "base/demangle.h"
#include "tests/support.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *demangle_suite(void);

static void expect(const char *name, const char *want)
{
    struct base_strbuf out = {0};
    base_demangle(name, &out);
    ck_assert_str_eq(out.data, want);
    base_strbuf_free(&out);
}

START_TEST(test_vectors)
{
    size_t size = 0, count = 0;
    char *text = support_read("tests/vectors/demangle.txt", &size);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *tab = strchr(line, '\t');
        if (line[0] == '#')
            continue;
        ck_assert_ptr_nonnull(tab);
        *tab = '\0';
        expect(line, tab + 1);
        count++;
    }
    ck_assert_uint_ge(count, 140);
    free(text);
}
END_TEST

/* Whole or not at all: what cannot be read stays as it is. */
START_TEST(test_unchanged)
{
    static const char *const names[] = {
        "vecAdd",
        "_",
        "_Z",
        "_Zz",
        "_Z0",
        "_Z1",
        "_Z2k",
        "_Z1kIv",
        "_Z1kv.part.0",
        "_Z1kT_",
        "_Z1kS_",
        "_Z1kIiEvT0_",
        "_Z1kA5",
        "_Z1kPFv",
        "_ZN1kv",
        "_Z1kvE",
        "_Z999999999999k",
        "_Z1kDpi",
        "_Z1kL1i",
        "_Z1kIXplT_Li1EEEvv",
        "__Z1kv",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        expect(names[i], names[i]);
}
END_TEST

/* Names that nest deeply or double with every part end, and quickly. */
START_TEST(test_hostile)
{
    static char name[9000];
    static const char letters[] = "PRKNIFMAJXZSTDL";
    for (size_t i = 0; letters[i] != '\0'; i++) {
        memset(name, letters[i], sizeof(name) - 1);
        memcpy(name, "_Z1k", 4);
        name[sizeof(name) - 1] = '\0';
        expect(name, name); /* too long */
        name[4000] = '\0';
        expect(name, name);
    }
    struct base_strbuf doubling = {0};
    base_strbuf_puts(&doubling, "_Z1k1AFvS_S_E"); /* S_ is A; each function type has the one before it twice */
    for (unsigned i = 0; i < 34; i++) {
        char digit = (char)(i < 10 ? '0' + i : 'A' + (i - 10));
        base_strbuf_printf(&doubling, "FvS%c_S%c_E", digit, digit);
    }
    expect(doubling.data, doubling.data);
    base_strbuf_free(&doubling);
}
END_TEST

Suite *demangle_suite(void)
{
    Suite *suite = suite_create("demangle");
    TCase *tcase = tcase_create("names");
    tcase_add_test(tcase, test_vectors);
    tcase_add_test(tcase, test_unchanged);
    tcase_add_test(tcase, test_hostile);
    suite_add_tcase(suite, tcase);
    return suite;
}
