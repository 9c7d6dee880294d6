/* Machine code that no compiler wrote: the fuzzers' corpus, and the cubin of fuzz/cubin.sass cut short and with bytes
 * changed. Each must give an error or a run; a crash ends the test. */
#include "base/strbuf.h"
#include "fuzz/machine.h"
#include "isa/sass/sass.h"
#include "tests/support.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *hostile_suite(void);

static enum base_status read_and_run(const char *listing, size_t listing_bytes, const uint8_t *cubin,
                                     size_t cubin_bytes, size_t choice)
{
    struct isa_module *module = NULL;
    struct base_diags diags = {0};
    enum base_status status =
        isa_sass_read("listing", listing, listing_bytes, "cubin", cubin, cubin_bytes, &module, &diags);
    if (status == BASE_OK)
        fuzz_machine_run(module, choice);
    else
        ck_assert_uint_gt(diags.count, 0);
    isa_module_free(module);
    base_diags_free(&diags);
    return status;
}

START_TEST(listings_of_the_corpus_run)
{
    static const char folder[] = "fuzz/corpus/sass";
    char path[1024];
    size_t count = 0;
    snprintf(path, sizeof path, "%s/%s", TEST_SRCDIR, folder);
    DIR *dir = opendir(path);
    ck_assert_ptr_nonnull(dir);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        size_t size = 0;
        char *listing = support_read(path, &size);
        ck_assert_msg(read_and_run(listing, size, NULL, 0, count) == BASE_OK, "%s", path);
        free(listing);
        count++;
    }
    closedir(dir);
    ck_assert_uint_gt(count, 5);
}
END_TEST

struct cubin_case {
    char *listing, *cubin;
    size_t listing_bytes, cubin_bytes;
};

static void read_case(struct cubin_case *c, const char *cubin)
{
    c->listing = support_read("fuzz/cubin.sass", &c->listing_bytes);
    c->cubin = support_read(cubin, &c->cubin_bytes);
}

static void free_case(struct cubin_case *c)
{
    free(c->listing);
    free(c->cubin);
}

START_TEST(a_bank_stands_once)
{
    struct cubin_case c;
    read_case(&c, "fuzz/corpus/cubin/bank_twice");
    ck_assert_int_eq(read_and_run(c.listing, c.listing_bytes, (const uint8_t *)c.cubin, c.cubin_bytes, 0),
                     BASE_INVALID);
    free_case(&c);
}
END_TEST

START_TEST(a_cubin_cut_anywhere_is_told)
{
    struct cubin_case c;
    read_case(&c, "fuzz/corpus/cubin/lines");
    ck_assert_int_eq(read_and_run(c.listing, c.listing_bytes, (const uint8_t *)c.cubin, c.cubin_bytes, 0), BASE_OK);
    /* The table of sections stands at the end: without its first rows nothing can be read. */
    for (size_t size = 1; size < c.cubin_bytes; size += 97) {
        const enum base_status status = read_and_run(c.listing, c.listing_bytes, (const uint8_t *)c.cubin, size, size);
        ck_assert(status == BASE_INVALID || size > c.cubin_bytes * 9 / 10);
    }
    free_case(&c);
}
END_TEST

START_TEST(a_cubin_with_a_byte_changed_is_read_or_told)
{
    struct cubin_case c;
    size_t read = 0, refused = 0;
    read_case(&c, "fuzz/corpus/cubin/lines");
    for (size_t at = 0; at < c.cubin_bytes; at += 37) {
        c.cubin[at] = (char)~c.cubin[at];
        *(read_and_run(c.listing, c.listing_bytes, (const uint8_t *)c.cubin, c.cubin_bytes, at) == BASE_OK
              ? &read
              : &refused) += 1;
        c.cubin[at] = (char)~c.cubin[at];
    }
    ck_assert_uint_gt(read, 0);
    ck_assert_uint_gt(refused, 0);
    free_case(&c);
}
END_TEST

Suite *hostile_suite(void)
{
    Suite *suite = suite_create("hostile");
    TCase *tests = tcase_create("machine code");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, listings_of_the_corpus_run);
    tcase_add_test(tests, a_bank_stands_once);
    tcase_add_test(tests, a_cubin_cut_anywhere_is_told);
    tcase_add_test(tests, a_cubin_with_a_byte_changed_is_read_or_told);
    suite_add_tcase(suite, tests);
    return suite;
}
