/* base/: arenas, strings, vectors, diagnostics. */
#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

Suite *base_suite(void);

START_TEST(status_names)
{
    ck_assert_str_eq(base_status_name(BASE_OK), "ok");
    ck_assert_str_eq(base_status_name(BASE_INVALID), "invalid");
    ck_assert_str_eq(base_status_name(BASE_UNSUPPORTED), "unsupported");
    ck_assert_str_eq(base_status_name(BASE_NOMEM), "out of memory");
    ck_assert_str_eq(base_status_name(BASE_IO), "I/O error");
}
END_TEST

static bool all_are(const unsigned char *bytes, size_t count, size_t value)
{
    size_t others = 0;
    for (size_t i = 0; i < count; i++)
        others += bytes[i] != value;
    return others == 0;
}

START_TEST(arena_blocks_are_zeroed_aligned_and_apart)
{
    struct base_arena arena;
    base_arena_init(&arena, 0);
    unsigned char *blocks[2000];
    size_t sizes[2000];
    for (size_t i = 0; i < 2000; i++) {
        sizes[i] = i % 101 == 0 ? 30000 + i : i % 97;
        blocks[i] = base_arena_alloc(&arena, sizes[i], 1);
        ck_assert_ptr_nonnull(blocks[i]);
        ck_assert_uint_eq((uintptr_t)blocks[i] % (sizes[i] >= 64 ? 64 : 16), 0);
        ck_assert(all_are(blocks[i], sizes[i], 0));
        if (sizes[i])
            memset(blocks[i], (int)(i % 255 + 1), sizes[i]);
    }
    for (size_t i = 0; i < 2000; i++)
        ck_assert(all_are(blocks[i], sizes[i], i % 255 + 1));
    ck_assert(!arena.failed);
    base_arena_free(&arena);
    ck_assert_ptr_null(arena.chunks);
}
END_TEST

START_TEST(arena_limit_and_overflow)
{
    struct base_arena arena;
    base_arena_init(&arena, 4096);
    ck_assert_ptr_nonnull(base_arena_alloc(&arena, 4000, 1));
    ck_assert(!arena.failed);
    ck_assert_ptr_null(base_arena_alloc(&arena, 4000, 1));
    ck_assert(arena.failed);
    base_arena_free(&arena);

    base_arena_init(&arena, 0);
    ck_assert_ptr_null(base_arena_alloc(&arena, SIZE_MAX / 2, 3));
    ck_assert(arena.failed);
    base_arena_free(&arena);
    base_arena_init(&arena, 0);
    ck_assert_ptr_null(base_arena_alloc(&arena, SIZE_MAX, 1));
    ck_assert_ptr_null(base_arena_strndup(&arena, "", SIZE_MAX));
    base_arena_free(&arena);
}
END_TEST

START_TEST(arena_strndup_copies_and_terminates)
{
    struct base_arena arena;
    base_arena_init(&arena, 0);
    ck_assert_str_eq(base_arena_strndup(&arena, "warpspeed", 4), "warp");
    ck_assert_str_eq(base_arena_strndup(&arena, NULL, 0), "");
    base_arena_free(&arena);
}
END_TEST

START_TEST(strbuf_appends)
{
    struct base_strbuf buf = {0};
    base_strbuf_puts(&buf, "a");
    base_strbuf_putc(&buf, 'b');
    base_strbuf_repeat(&buf, '-', 200);
    base_strbuf_printf(&buf, "%d|%s", -7, "x");
    base_strbuf_append(&buf, "hidden", 3);
    ck_assert_uint_eq(buf.length, 2 + 200 + 4 + 3);
    ck_assert_int_eq(strncmp(buf.data, "ab---", 5), 0);
    ck_assert_str_eq(buf.data + 202, "-7|xhid");
    char *text = base_strbuf_take(&buf);
    ck_assert_ptr_nonnull(text);
    ck_assert_ptr_null(buf.data);
    free(text);
    text = base_strbuf_take(&buf);
    ck_assert_str_eq(text, "");
    free(text);
}
END_TEST

START_TEST(strbuf_failure_is_sticky)
{
    struct base_strbuf buf = {.limit_bytes = 5};
    base_strbuf_puts(&buf, "12345");
    ck_assert(!buf.failed);
    base_strbuf_putc(&buf, '6');
    ck_assert(buf.failed);
    base_strbuf_puts(&buf, "");
    ck_assert_str_eq(buf.data, "12345");
    ck_assert_ptr_null(base_strbuf_take(&buf));
    ck_assert(!buf.failed);
    base_strbuf_free(&buf);
}
END_TEST

/* Control characters of every kind, of one byte and of two; what is a character stays, and so does what writers style.
 */
START_TEST(strbuf_makes_plain)
{
    struct base_strbuf buf = {0};
    base_strbuf_puts(&buf, "a\033]0;b\007\tc\r\n\x7f\b");
    base_strbuf_plain(&buf);
    ck_assert_str_eq(buf.data, "a?]0;b?\tc?\n??");
    base_strbuf_free(&buf);
    base_strbuf_puts(&buf, "\xc2\x9b"
                           "1m \x9b"
                           "2m \xc3\xa4 \xe4\xb8\xad \xf0\x9f\x98\x80 \xe4"); /* CSI twice; letters */
    base_strbuf_append(&buf, "\0", 1);
    base_strbuf_plain(&buf);
    ck_assert_str_eq(buf.data, "?1m ?2m \xc3\xa4 \xe4\xb8\xad \xf0\x9f\x98\x80 \xe4?");
    base_strbuf_free(&buf);
    base_strbuf_puts(&buf, "\033[5m");
    base_strbuf_style(&buf, "1");
    base_strbuf_line(&buf, "x\n\ty\033");
    base_strbuf_style(&buf, "0");
    base_strbuf_plain(&buf);
    ck_assert_str_eq(buf.data, "?[5m\033[1mx??y?\033[0m");
    base_strbuf_free(&buf);
    base_strbuf_plain(&buf); /* nothing was appended */
    ck_assert_ptr_null(buf.data);
}
END_TEST

START_TEST(vec_grows)
{
    BASE_VEC(uint64_t) v = {0};
    for (uint64_t i = 0; i < 1000; i++)
        ck_assert(base_vec_push(&v, i * i));
    ck_assert_uint_eq(v.count, 1000);
    for (uint64_t i = 0; i < 1000; i++)
        ck_assert_uint_eq(v.data[i], i * i);
    ck_assert(!base_vec_reserve(&v, SIZE_MAX));
    ck_assert(!base_vec_reserve(&v, SIZE_MAX / 4));
    ck_assert_uint_eq(v.data[999], 999 * 999);
    base_vec_free(&v);
    ck_assert_ptr_null(v.data);
    ck_assert_uint_eq(v.capacity, 0);
}
END_TEST

/* What one message prints as. */
static char *printed(const char *text, size_t offset, size_t length, const char *message)
{
    const struct base_source source = {.name = "vec.ptx", .text = text, .size = strlen(text)};
    struct base_diags diags = {0};
    base_diag_add(&diags, BASE_ERROR, &source, offset, length, "%s", message);
    struct base_strbuf out = {0};
    base_diags_print(&diags, &out);
    base_diags_free(&diags);
    return base_strbuf_take(&out);
}

START_TEST(source_positions)
{
    const char text[] = "ab\n\n\tcd";
    const struct base_source source = {.name = "t", .text = text, .size = sizeof text - 1};
    static const unsigned lines[] = {1, 1, 1, 2, 3, 3, 3, 3};
    static const unsigned columns[] = {1, 2, 3, 1, 1, 2, 3, 4};
    for (size_t offset = 0; offset < 8; offset++) {
        unsigned line = 0;
        unsigned column = 0;
        base_source_position(&source, offset, &line, &column);
        ck_assert_uint_eq(line, lines[offset]);
        ck_assert_uint_eq(column, columns[offset]);
    }
    unsigned line = 0;
    unsigned column = 0;
    base_source_position(&source, 99999, &line, &column);
    ck_assert_uint_eq(line, 3);
    ck_assert_uint_eq(column, 4);
}
END_TEST

START_TEST(diag_shows_line_and_caret)
{
    char *text = printed(".version 9.0\n    fma.rn.f16 %h1;\nret;\n", 17, 10, "fma.rn.f16 is not supported");
    ck_assert_str_eq(text, "vec.ptx:2:5: error: fma.rn.f16 is not supported\n"
                           "    fma.rn.f16 %h1;\n"
                           "    ^~~~~~~~~~\n");
    free(text);
    text = printed("\tx\001y\r\nz", 1, 0, "odd");
    ck_assert_str_eq(text, "vec.ptx:1:2: error: odd\n x?y\n ^\n");
    free(text);
    text = printed("ab", 2, 5, "end of file");
    ck_assert_str_eq(text, "vec.ptx:1:3: error: end of file\nab\n  ^\n");
    free(text);
    text = printed("", 0, 0, "empty");
    ck_assert_str_eq(text, "vec.ptx:1:1: error: empty\n");
    free(text);
}
END_TEST

START_TEST(diag_cuts_long_lines_around_the_caret)
{
    char line[1001];
    for (size_t i = 0; i < 1000; i++)
        line[i] = (char)('a' + (char)(i % 26));
    line[1000] = '\0';
    char *text = printed(line, 500, 4, "here");
    const char *excerpt = strchr(text, '\n') + 1;
    const char *caret_line = strchr(excerpt, '\n') + 1;
    ck_assert_uint_eq((size_t)(caret_line - excerpt), 161);
    const char *caret = strchr(caret_line, '^');
    ck_assert_int_eq(excerpt[caret - caret_line], line[500]);
    ck_assert_str_eq(caret, "^~~~\n");
    free(text);
}
END_TEST

START_TEST(diag_keeps_twenty_and_counts_the_rest)
{
    struct base_diags diags = {0};
    base_diag_add(&diags, BASE_WARNING, NULL, 0, 0, "first");
    for (int i = 0; i < 25; i++)
        base_diag_add(&diags, BASE_ERROR, NULL, 0, 0, "number %d", i);
    ck_assert_uint_eq(diags.count, BASE_DIAG_MAX);
    ck_assert_uint_eq(diags.dropped, 6);
    ck_assert_uint_eq(diags.errors, 25);
    struct base_strbuf out = {0};
    base_diags_print(&diags, &out);
    ck_assert_int_eq(strncmp(out.data, "warning: first\nerror: number 0\n", 31), 0);
    ck_assert_ptr_nonnull(strstr(out.data, "error: number 18\nand 6 more messages\n"));
    base_strbuf_free(&out);
    base_diags_free(&diags);
    base_diag_add(NULL, BASE_ERROR, NULL, 0, 0, "nowhere");
}
END_TEST

Suite *base_suite(void)
{
    Suite *suite = suite_create("base");
    TCase *tcase = tcase_create("base");
    tcase_add_test(tcase, status_names);
    tcase_add_test(tcase, arena_blocks_are_zeroed_aligned_and_apart);
    tcase_add_test(tcase, arena_limit_and_overflow);
    tcase_add_test(tcase, arena_strndup_copies_and_terminates);
    tcase_add_test(tcase, strbuf_appends);
    tcase_add_test(tcase, strbuf_failure_is_sticky);
    tcase_add_test(tcase, strbuf_makes_plain);
    tcase_add_test(tcase, vec_grows);
    tcase_add_test(tcase, source_positions);
    tcase_add_test(tcase, diag_shows_line_and_caret);
    tcase_add_test(tcase, diag_cuts_long_lines_around_the_caret);
    tcase_add_test(tcase, diag_keeps_twenty_and_counts_the_rest);
    suite_add_tcase(suite, tcase);
    return suite;
}
