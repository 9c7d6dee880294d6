/* sim/memory.c: addresses, limits, search, descriptions. */
#include "sim/memory.h"

#include <check.h>
#include <stdint.h>
#include <string.h>

Suite *memory_suite(void);

static uint64_t must_alloc(struct sim_memory *memory, uint64_t size_bytes, const char *label)
{
    uint64_t address = 0;
    ck_assert_int_eq(sim_memory_alloc(memory, size_bytes, label, &address), BASE_OK);
    return address;
}

START_TEST(addresses_are_aligned_in_order_and_apart)
{
    struct sim_memory memory;
    sim_memory_init(&memory, 0);
    uint64_t end = 0;
    for (uint64_t i = 0; i < 500; i++) {
        const uint64_t size = i * i * 7 % 10007;
        const uint64_t address = must_alloc(&memory, size, "x");
        ck_assert_uint_eq(address % 256, 0);
        ck_assert_uint_ge(address, i ? end + SIM_GLOBAL_GAP_BYTES : SIM_GLOBAL_BASE);
        ck_assert_uint_lt(address, end + SIM_GLOBAL_GAP_BYTES + 256 + (i ? 0 : SIM_GLOBAL_BASE));
        ck_assert_uint_eq(memory.items[i].size_bytes, size);
        ck_assert_uint_eq((uintptr_t)memory.items[i].data % 64, 0);
        uint8_t any = 0;
        for (uint64_t k = 0; k < size; k++)
            any |= memory.items[i].data[k];
        ck_assert_uint_eq(any, 0);
        end = address + size;
    }
    sim_memory_free(&memory);
    ck_assert_uint_eq(memory.count, 0);
    ck_assert_uint_eq(memory.used_bytes, 0);
    ck_assert_uint_eq(must_alloc(&memory, 4, "again"), SIM_GLOBAL_BASE);
    sim_memory_free(&memory);
}
END_TEST

START_TEST(search_wants_the_whole_access)
{
    struct sim_memory memory;
    sim_memory_init(&memory, 0);
    uint64_t at[3];
    for (unsigned i = 0; i < 3; i++)
        at[i] = must_alloc(&memory, 100, "x");
    for (int64_t hint = -1; hint < 5; hint++)
        for (unsigned i = 0; i < 3; i++) {
            ck_assert_int_eq(sim_memory_find(&memory, at[i], 100, hint), i);
            ck_assert_int_eq(sim_memory_find(&memory, at[i] + 96, 4, hint), i);
            ck_assert_int_eq(sim_memory_find(&memory, at[i] + 97, 4, hint), -1);
            ck_assert_int_eq(sim_memory_find(&memory, at[i] + 100, 1, hint), -1);
            ck_assert_int_eq(sim_memory_find(&memory, at[i] - 1, 4, hint), -1);
            ck_assert_int_eq(sim_memory_find(&memory, at[i], 101, hint), -1);
            ck_assert_int_eq(sim_memory_find(&memory, at[i] + 4, UINT64_MAX, hint), -1);
        }
    ck_assert_int_eq(sim_memory_search(&memory, 0, 4), -1);
    ck_assert_int_eq(sim_memory_search(&memory, UINT64_MAX, 4), -1);
    ck_assert_ptr_eq(sim_memory_at(&memory, at[1] + 5, 95), memory.items[1].data + 5);
    ck_assert_ptr_null(sim_memory_at(&memory, at[1] + 5, 96));
    sim_memory_free(&memory);
}
END_TEST

START_TEST(limit_is_an_answer)
{
    struct sim_memory memory;
    uint64_t address = 1;
    sim_memory_init(&memory, 1000);
    ck_assert_uint_eq(must_alloc(&memory, 600, "a"), SIM_GLOBAL_BASE);
    ck_assert_int_eq(sim_memory_alloc(&memory, 401, "b", &address), BASE_NOMEM);
    ck_assert_int_eq(sim_memory_alloc(&memory, UINT64_MAX, "b", &address), BASE_NOMEM);
    ck_assert_uint_eq(address, 1);
    ck_assert_uint_eq(memory.count, 1);
    must_alloc(&memory, 400, "c");
    must_alloc(&memory, 0, "empty");
    ck_assert_uint_eq(memory.used_bytes, 1000);
    sim_memory_free(&memory);

    /* No limit given: the host's; more than the address space is refused under any limit. */
    sim_memory_init(&memory, 0);
    ck_assert_uint_gt(memory.limit_bytes, 0);
    ck_assert_int_eq(sim_memory_alloc(&memory, memory.limit_bytes + 1, "b", &address), BASE_NOMEM);
    sim_memory_free(&memory);
    sim_memory_init(&memory, UINT64_MAX);
    ck_assert_int_eq(sim_memory_alloc(&memory, UINT64_MAX, "b", &address), BASE_NOMEM);
    ck_assert_int_eq(sim_memory_alloc(&memory, UINT64_C(1) << 63, "b", &address), BASE_NOMEM);
    ck_assert_int_eq(sim_memory_alloc(&memory, UINT64_C(1) << 60, "b", &address), BASE_NOMEM);
    sim_memory_free(&memory);
}
END_TEST

START_TEST(buffers_past_two_gigabytes)
{
    const uint64_t size = UINT64_C(3) << 30;
    struct sim_memory memory;
    sim_memory_init(&memory, UINT64_C(8) << 30);
    const uint64_t address = must_alloc(&memory, size, "large");
    const uint64_t next = must_alloc(&memory, 4, "next");
    ck_assert_uint_eq(next, SIM_GLOBAL_BASE + size + SIM_GLOBAL_GAP_BYTES);
    uint8_t *last = sim_memory_at(&memory, address + size - 1, 1);
    ck_assert_ptr_nonnull(last);
    ck_assert_uint_eq(*last, 0);
    *last = 7;
    ck_assert_uint_eq(*sim_memory_at(&memory, address + size - 1, 1), 7);
    ck_assert_ptr_null(sim_memory_at(&memory, address + size, 1));
    sim_memory_free(&memory);
}
END_TEST

START_TEST(empty_allocation_holds_no_byte)
{
    struct sim_memory memory;
    sim_memory_init(&memory, 0);
    const uint64_t empty = must_alloc(&memory, 0, "empty");
    const uint64_t after = must_alloc(&memory, 4, "after");
    ck_assert_uint_ne(empty, after);
    ck_assert_int_eq(sim_memory_search(&memory, empty, 1), -1);
    ck_assert_ptr_null(sim_memory_at(&memory, empty, 1));
    sim_memory_free(&memory);
}
END_TEST

START_TEST(release_gives_the_tail_back)
{
    struct sim_memory memory;
    sim_memory_init(&memory, 1000);
    const uint64_t a = must_alloc(&memory, 300, "a");
    const uint64_t b = must_alloc(&memory, 300, "b");
    const uint64_t c = must_alloc(&memory, 300, "c");
    sim_memory_release(&memory, b + 1);
    ck_assert_uint_eq(memory.count, 3);
    sim_memory_release(&memory, b);
    ck_assert_uint_eq(memory.used_bytes, 600);
    ck_assert_int_eq(sim_memory_search(&memory, b, 1), -1);
    ck_assert_int_eq(sim_memory_search(&memory, c, 300), 1);
    sim_memory_release(&memory, c);
    ck_assert_uint_eq(must_alloc(&memory, 300, "d"), b);
    sim_memory_release(&memory, b);
    sim_memory_release(&memory, a);
    ck_assert_uint_eq(must_alloc(&memory, 300, "e"), SIM_GLOBAL_BASE);
    sim_memory_free(&memory);
}
END_TEST

START_TEST(describe_names_the_nearest)
{
    struct sim_memory memory;
    char text[128];
    sim_memory_init(&memory, 0);
    sim_memory_describe(&memory, SIM_GLOBAL_BASE, text, sizeof text);
    ck_assert_str_eq(text, "");
    const uint64_t a = must_alloc(&memory, 1024, "argument 0 (f32[256])");
    const uint64_t b = must_alloc(&memory, 16, "argument 1 (f32[4])");
    const struct {
        uint64_t address;
        const char *text;
    } cases[] = {{a + 1028, "4 bytes past the end of argument 0 (f32[256])"},
                 {a + 1025, "1 byte past the end of argument 0 (f32[256])"},
                 {a + 1024, "just past the end of argument 0 (f32[256])"},
                 {a + 1022, "at byte 1022 of argument 0 (f32[256])"},
                 {a - 1, "1 byte before the start of argument 0 (f32[256])"},
                 {b - 8, "8 bytes before the start of argument 1 (f32[4])"},
                 {b + 116, "100 bytes past the end of argument 1 (f32[4])"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sim_memory_describe(&memory, cases[i].address, text, sizeof text);
        ck_assert_str_eq(text, cases[i].text);
    }
    char small[8] = "???????";
    sim_memory_describe(&memory, b, small, sizeof small);
    ck_assert_str_eq(small, "at byte");
    sim_memory_describe(&memory, b, small, 0);
    ck_assert_str_eq(small, "at byte");
    sim_memory_free(&memory);
}
END_TEST

START_TEST(labels_are_cut)
{
    char label[200];
    memset(label, 'x', sizeof label - 1);
    label[sizeof label - 1] = '\0';
    struct sim_memory memory;
    sim_memory_init(&memory, 0);
    must_alloc(&memory, 4, label);
    must_alloc(&memory, 4, NULL);
    ck_assert_uint_eq(strlen(memory.items[0].label), sizeof memory.items[0].label - 1);
    ck_assert_str_eq(memory.items[1].label, "");
    sim_memory_free(&memory);
}
END_TEST

Suite *memory_suite(void)
{
    Suite *suite = suite_create("memory");
    TCase *tests = tcase_create("memory");
    tcase_add_test(tests, addresses_are_aligned_in_order_and_apart);
    tcase_add_test(tests, search_wants_the_whole_access);
    tcase_add_test(tests, limit_is_an_answer);
    tcase_add_test(tests, buffers_past_two_gigabytes);
    tcase_add_test(tests, empty_allocation_holds_no_byte);
    tcase_add_test(tests, release_gives_the_tail_back);
    tcase_add_test(tests, describe_names_the_nearest);
    tcase_add_test(tests, labels_are_cut);
    suite_add_tcase(suite, tests);
    return suite;
}
