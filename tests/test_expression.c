/* advise/expr, advise/array: index expressions against the compiler that builds this test, and wrong texts. */
#include "advise/array.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

Suite *expression_suite(void);

struct text {
    struct base_source source;
    struct base_arena arena;
    struct base_diags diags;
    struct advise_scope scope;
};

static void text_start(struct text *text, const char *string)
{
    memset(text, 0, sizeof *text);
    text->source = (struct base_source){.name = "expression", .text = string, .size = strlen(string)};
    base_arena_init(&text->arena, 8 << 20); /* the longest expression that is allowed takes three */
}

static void text_end(struct text *text)
{
    base_diags_free(&text->diags);
    base_arena_free(&text->arena);
}

/* Thread (5, 3, 1) of block (2, 1, 0), blocks of 16 x 4 x 2. */
static const struct advise_thread someone = {
    .tid = {5, 3, 1}, .block_dim = {16, 4, 2}, .block = {2, 1, 0}, .grid_dim = {7, 3, 1}, .lane = 21, .warp = 3};

static enum base_status evaluate(struct text *text, const char *string, struct advise_value *value)
{
    const struct advise_expr *expr = NULL;
    text_start(text, string);
    enum base_status status = advise_expr_read(&text->source, NULL, &text->arena, &expr, &text->diags);
    return status == BASE_OK ? advise_expr_value(expr, &someone, value, &text->diags) : status;
}

static void check_value(const char *string, uint64_t bits, enum advise_type type)
{
    struct text text;
    struct advise_value value = {0};
    enum base_status status = evaluate(&text, string, &value);
    ck_assert_msg(status == BASE_OK, "%s: %s", string, text.diags.count ? text.diags.items[0].message : "?");
    ck_assert_msg(value.bits == bits && value.type == type, "%s: %llx of type %d, expected %llx of type %d", string,
                  (unsigned long long)value.bits, (int)value.type, (unsigned long long)bits, (int)type);
    text_end(&text);
}

struct vector {
    unsigned x, y, z;
};

#define TYPE_OF(e)                                                                                                     \
    _Generic((e), int                                                                                                  \
             : ADVISE_INT, unsigned                                                                                    \
             : ADVISE_UNSIGNED, long                                                                                   \
             : ADVISE_LONG, unsigned long                                                                              \
             : ADVISE_UNSIGNED_LONG, long long                                                                         \
             : ADVISE_LONG, unsigned long long                                                                         \
             : ADVISE_UNSIGNED_LONG)
#define SAME(...) check_value(#__VA_ARGS__, (uint64_t)(__VA_ARGS__), TYPE_OF(__VA_ARGS__))

/* The same text, read here and by the compiler: value and type must agree. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Woverflow"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wextra"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wall"
#endif

START_TEST(arithmetic_is_that_of_c)
{
    const struct vector threadIdx = {5, 3, 1}, blockDim = {16, 4, 2}, blockIdx = {2, 1, 0}, gridDim = {7, 3, 1};
    const struct vector tid = threadIdx;
    const int lane = 21, warp = 3, warpSize = 32;
    SAME(threadIdx.x);
    SAME(tid.y * 33 + tid.x);
    SAME(blockIdx.x * blockDim.x + threadIdx.x);
    SAME(threadIdx.z * blockDim.y * blockDim.x + threadIdx.y * blockDim.x + threadIdx.x);
    SAME(gridDim.x - gridDim.y * gridDim.z);
    SAME(lane + warp * warpSize);
    SAME(1 + 2 * 3 - 4 / 2 % 3);
    SAME(100 - 10 - 1);
    SAME(100 / 10 / 2);
    SAME(1 << 2 + 3);
    SAME(1 << 2 << 3);
    SAME(256 >> 2 >> 1);
    SAME(1 < 2 < 3);
    SAME(3 > 2 > 1);
    SAME(5 & 3 == 3);
    SAME(5 & 6 ^ 3 | 8);
    SAME(1 | 2 ^ 3 & 4);
    SAME(1 || 0 && 0);
    SAME(0 && 1 || 1);
    SAME(1 ? 2 : 0 ? 3 : 4);
    SAME(0 ? 2 : 0 ? 3 : 4);
    SAME(0 ? 1 : 2 ? 3 ? 4 : 5 : 6);
    SAME((1 ? 2 : 3) + 4);
    SAME(1 + 1 ? 2 : 3);
    SAME(- -3);
    SAME(-3 - -3);
    SAME(!0 + !5);
    SAME(~5);
    SAME(-~!0);
    SAME(+7);
    SAME(-7 / 2);
    SAME(-7 % 3);
    SAME(7 % -3);
    SAME(-8 >> 1);
    SAME(-1 >> 31);
    SAME(-1 < 1u);
    SAME(-1 < 1);
    SAME(-1l < 1u);
    SAME(tid.x - 6);
    SAME(tid.x - 6 >> 1);
    SAME((int)tid.x - 6);
    SAME((int)tid.x - 6 >> 1);
    SAME((tid.x - 6) % 32);
    SAME(-tid.x & 31);
    SAME(~tid.x % 32);
    SAME(4294967295u + 1);
    SAME(4294967295 + 1);
    SAME(0xffffffff + 1);
    SAME(0x7fffffff);
    SAME(0x80000000);
    SAME(2147483648);
    SAME(-2147483647 - 1);
    SAME(9223372036854775807);
    SAME(0xffffffffffffffff);
    SAME(1ull - 2);
    SAME(1ul << 63);
    SAME(1LL << 40);
    SAME(0x10uL * 3u);
    SAME(017 + 0x1F);
    SAME(tid.x * 1ull * 4000000000);
    SAME((unsigned char)300 + 0);
    SAME((signed char)200 + 0);
    SAME((short)40000 + 0);
    SAME((unsigned short)-1 + 0);
    SAME((unsigned)-1);
    SAME((long long)(unsigned)-1);
    SAME((unsigned long)-1 >> 60);
    SAME((long)-1 >> 60);
    SAME((int)4294967297);
    SAME(1 ? -1 : 1u);
    SAME((1 ? -1 : 1u) > 0);
    SAME(0 && 1 / 0);
    SAME(1 || 1 % 0);
    SAME(tid.x == 5 && tid.y != 4);
    SAME(tid.x <= 5 | tid.y >= 4 << 1);
    SAME((tid.y ^ tid.x) * 2 + (tid.x ^ tid.x >> 2));
}
END_TEST
#pragma GCC diagnostic pop

/* CUDA's, PTX's and Numba's spellings, functions, and what C has no word for. */
START_TEST(other_spellings)
{
    check_value("ntid.y", 4, ADVISE_UNSIGNED);
    check_value("ctaid.x + nctaid.x", 9, ADVISE_UNSIGNED);
    check_value("cuda.threadIdx.x", 5, ADVISE_UNSIGNED);
    check_value("laneid + warpid", 24, ADVISE_INT);
    check_value("min(tid.x, tid.y) + max(1, -1)", 4, ADVISE_UNSIGNED);
    check_value("min(-1, 1)", UINT64_MAX, ADVISE_INT);
    check_value("min(-1, 1u)", 1, ADVISE_UNSIGNED);
    check_value("int(tid.x) - 6", UINT64_MAX, ADVISE_INT);
    check_value("(size_t)tid.x", 5, ADVISE_UNSIGNED_LONG);
    check_value("(uint32_t) -1", UINT32_MAX, ADVISE_UNSIGNED);
    check_value("0b101 + 1'000", 1005, ADVISE_INT);
    check_value("1 << 31", UINT64_C(0xffffffff80000000), ADVISE_INT); /* undefined in C; the GPU drops bits */
    check_value(" ( ( tid.x ) )\n", 5, ADVISE_UNSIGNED);
}
END_TEST

START_TEST(definitions)
{
    struct text text;
    struct advise_value value;
    const struct advise_expr *expr = NULL;
    static const char *const lines[] = {"ld = 32", "row=threadIdx.y", "at = row*ld + tid.x", "ld = ld + 1"};
    struct base_source sources[4];
    text_start(&text, "at * 2 + ld");
    for (int i = 0; i < 4; i++) {
        sources[i] = (struct base_source){.name = "-D", .text = lines[i], .size = strlen(lines[i])};
        ck_assert_int_eq(advise_scope_define(&text.scope, &sources[i], &text.arena, &text.diags), BASE_OK);
    }
    ck_assert_int_eq(advise_expr_read(&text.source, &text.scope, &text.arena, &expr, &text.diags), BASE_OK);
    ck_assert_int_eq(advise_expr_value(expr, &someone, &value, &text.diags), BASE_OK);
    ck_assert_uint_eq(value.bits, (3 * 32 + 5) * 2 + 33); /* `at` keeps the ld of its day */
    text_end(&text);
}
END_TEST

/* Text, a word of the message, and the column it points at. */
struct wrong {
    const char *text, *message;
    size_t offset;
};

static const struct wrong wrong_expressions[] = {
    {"", "expected a number", 0},
    {"1 +", "expected a number", 3},
    {"1 2", "expected an operator", 2},
    {"(1", "expected ')'", 2},
    {"1)", "expected an operator", 1},
    {"tid", "needs .x", 0},
    {"tid.w", "needs .x", 0},
    {"tid.xx", "needs .x", 0},
    {"1 + row", "-D NAME", 4},
    {"1.5", "floating point", 0},
    {"2e3", "floating point", 0},
    {"12ab", "no integer", 0},
    {"0x", "no integer", 0},
    {"08", "no integer", 0},
    {"1uu", "no integer", 0},
    {"18446744073709551616", "64 bits", 0},
    {"9223372036854775808", "64 bits", 0},
    {"(float)1", "integer", 1},
    {"x = 1", "-D NAME", 0},
    {"1 = 2", "expected an operator", 2},
    {"1 ? 2", "expected ':'", 5},
    {"min(1)", "expected ','", 5},
    {"$", "expected a number", 0},
    {"1 /* c */", "expected a number", 3},
    {"unsigned signed(1)", "no type", 0},
    {"1 / 0", "division by zero", 2},
    {"1 % (tid.x - 5)", "division by zero", 2},
    {"2147483647 + 1", "does not fit", 11},
    {"-2147483647 - 2", "does not fit", 12},
    {"65536 * 65536", "does not fit", 6},
    {"9223372036854775807 + 1", "does not fit", 20},
    {"(-2147483647 - 1) / -1", "does not fit", 18},
    {"-(-2147483647 - 1)", "does not fit", 0},
    {"1 << 32", "a shift", 2},
    {"1 >> -1", "a shift", 2},
    {"1ull << 64", "a shift", 5},
};

START_TEST(wrong_text_is_told)
{
    for (size_t i = 0; i < sizeof wrong_expressions / sizeof wrong_expressions[0]; i++) {
        const struct wrong *wrong = &wrong_expressions[i];
        struct text text;
        struct advise_value value;
        ck_assert_msg(evaluate(&text, wrong->text, &value) == BASE_INVALID, "%s is accepted", wrong->text);
        ck_assert_uint_eq(text.diags.errors, 1);
        ck_assert_msg(strstr(text.diags.items[0].message, wrong->message) != NULL, "%s: %s", wrong->text,
                      text.diags.items[0].message);
        ck_assert_msg(text.diags.items[0].offset == wrong->offset, "%s: at %zu", wrong->text,
                      text.diags.items[0].offset);
        text_end(&text);
    }
}
END_TEST

/* Depth and length are limited: a message, no crash and no endless work. */
START_TEST(hostile_text_is_refused)
{
    static const char *const pieces[] = {"(", "- ", "~", "1?", "1+(", "min(1,", "(int)", "int(", "!"};
    static char long_text[200001];
    struct text text;
    struct advise_value value;
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        size_t length = strlen(pieces[i]), at = 0;
        for (; at + length < sizeof long_text - 2; at += length)
            memcpy(long_text + at, pieces[i], length);
        long_text[at] = '1';
        long_text[at + 1] = '\0';
        ck_assert_int_eq(evaluate(&text, long_text, &value), BASE_INVALID);
        ck_assert_msg(strstr(text.diags.items[0].message, "deep") != NULL, "%s", text.diags.items[0].message);
        text_end(&text);
    }
    for (size_t at = 0; at + 2 < sizeof long_text; at += 2)
        memcpy(long_text + at, "1+", 3);
    ck_assert_int_eq(evaluate(&text, long_text, &value), BASE_INVALID);
    text_end(&text);

    /* A long sum is not deep, with other operators between and in front, and is still worked out from the left. */
    size_t at = (size_t)snprintf(long_text, sizeof long_text, "100 - 1");
    for (int i = 0; i < 2000; i++)
        at += (size_t)snprintf(long_text + at, sizeof long_text - at, " + %d * 2 - 2", i);
    snprintf(long_text + at, sizeof long_text - at, " == 99 + 2 * (1999 * 2000 / 2) - 4000 && 1 || 1 / 0");
    ck_assert_int_eq(evaluate(&text, long_text, &value), BASE_OK);
    ck_assert_uint_eq(value.bits, 1);
    text_end(&text);
    ck_assert_int_eq(evaluate(&text, "0 && 1 / 0 && 1 / 0", &value), BASE_OK);
    ck_assert_uint_eq(value.bits, 0);
    text_end(&text);
    ck_assert_int_eq(evaluate(&text, "2147483647 + 1 - 1", &value), BASE_INVALID); /* from the left it overflows */
    text_end(&text);

    /* Each definition uses the one before twice: 2^40 steps, written out. */
    struct base_source sources[41];
    char lines[41][32];
    text_start(&text, "v0");
    enum base_status status = BASE_OK;
    for (int i = 0; i <= 40 && status == BASE_OK; i++) {
        snprintf(lines[i], sizeof lines[i], i == 0 ? "v0 = tid.x" : "v%d = v%d + v%d", i, i - 1, i - 1);
        sources[i] = (struct base_source){.name = "-D", .text = lines[i], .size = strlen(lines[i])};
        status = advise_scope_define(&text.scope, &sources[i], &text.arena, &text.diags);
    }
    ck_assert_int_eq(status, BASE_INVALID);
    ck_assert_ptr_nonnull(strstr(text.diags.items[0].message, "too long"));
    text_end(&text);
}
END_TEST

struct declaration {
    const char *text, *name;
    uint32_t bytes, dims;
    uint64_t elements, row; /* 0: not told */
};

static const struct declaration declarations[] = {
    {"float tile[32][33]", "tile", 4, 2, 1056, 33},
    {"__shared__ float tile[32][32 + 1];", "tile", 4, 2, 1056, 33},
    {"extern __shared__ double s[];", "s", 8, 1, 0, 0},
    {"volatile unsigned char b[4][8][16]", "b", 1, 3, 512, 16},
    {"const float4 *__restrict__ p", "p", 16, 1, 0, 0},
    {"long long unsigned int v[7]", "v", 8, 1, 7, 7},
    {"float3 v[7]", "v", 12, 1, 7, 7},
    {"__half2 h[2][2]", "h", 4, 2, 4, 2},
    {"short int s[(1 << 4) * 2]", "s", 2, 1, 32, 32},
    {"float32 a[8, 9]", "a", 4, 2, 72, 9},
    {"int a[][5]", "a", 4, 2, 0, 5},
};

START_TEST(declarations_are_read)
{
    for (size_t i = 0; i < sizeof declarations / sizeof declarations[0]; i++) {
        const struct declaration *want = &declarations[i];
        struct text text;
        struct advise_array array;
        text_start(&text, want->text);
        enum base_status status = advise_array_read(&text.source, NULL, &text.arena, &array, &text.diags);
        ck_assert_msg(status == BASE_OK, "%s: %s", want->text, text.diags.count ? text.diags.items[0].message : "?");
        ck_assert_str_eq(array.name, want->name);
        ck_assert_uint_eq(array.type.bytes, want->bytes);
        ck_assert_uint_eq(array.dim_count, want->dims);
        ck_assert_uint_eq(advise_array_elements(&array), want->elements);
        ck_assert_uint_eq(advise_array_row(&array), want->row);
        text_end(&text);
    }
}
END_TEST

static const struct wrong wrong_declarations[] = {
    {"tile[32]", "expected a type", 0},
    {"float", "array's name", 5},
    {"float t", "expected an array", 6},
    {"float t[0]", "at least 1", 8},
    {"float t[-1]", "at least 1", 8},
    {"float t[tid.x]", "same for all", 8},
    {"float t[1/0]", "division by zero", 9},
    {"float t[4][]", "expected a number", 11},
    {"float t[4", "expected ']'", 9},
    {"float t[1][1][1][1][1]", "more than 4", 19},
    {"float *t[4]", "pointers", 6},
    {"double t[1ull << 45]", "2^47", 8},
    {"float t[1ull << 40][1ull << 40]", "2^47", 19},
    {"float t[4] = {0}", "expected the end", 11},
    {"char long t[4]", "no type", 0},
};

START_TEST(wrong_declarations_are_told)
{
    for (size_t i = 0; i < sizeof wrong_declarations / sizeof wrong_declarations[0]; i++) {
        const struct wrong *wrong = &wrong_declarations[i];
        struct text text;
        struct advise_array array;
        text_start(&text, wrong->text);
        enum base_status status = advise_array_read(&text.source, NULL, &text.arena, &array, &text.diags);
        ck_assert_msg(status == BASE_INVALID, "%s is accepted", wrong->text);
        ck_assert_msg(strstr(text.diags.items[0].message, wrong->message) != NULL, "%s: %s", wrong->text,
                      text.diags.items[0].message);
        ck_assert_msg(text.diags.items[0].offset == wrong->offset, "%s: at %zu", wrong->text,
                      text.diags.items[0].offset);
        text_end(&text);
    }
}
END_TEST

/* Reads declaration and access and evaluates it for a block. */
static enum base_status make(struct text *text, struct base_source *access_source, const char *declaration,
                             const char *access_text, const struct advise_shape *shape, struct advise_pattern *pattern)
{
    static struct advise_array array;
    static struct advise_access access;
    text_start(text, declaration);
    *access_source = (struct base_source){.name = "access", .text = access_text, .size = strlen(access_text)};
    enum base_status status = advise_array_read(&text->source, NULL, &text->arena, &array, &text->diags);
    ck_assert_int_eq(status, BASE_OK);
    status = advise_access_read(access_source, &array, NULL, &text->arena, &access, &text->diags);
    return status == BASE_OK ? advise_pattern_make(&access, &array, shape, pattern, &text->diags) : status;
}

START_TEST(elements_of_a_block)
{
    struct text text;
    struct base_source source;
    static struct advise_pattern pattern;
    struct advise_shape shape = {.block_dim = {8, 5, 1}, .grid_dim = {4, 4, 4}, .block = {3, 2, 1}};
    ck_assert_int_eq(
        make(&text, &source, "float t[4][8][16]", "t[blockIdx.x][tid.y][tid.x * 2 + 1];", &shape, &pattern), BASE_OK);
    ck_assert_uint_eq(pattern.warp_count, 2);
    ck_assert_uint_eq(pattern.width_bytes, 4);
    ck_assert_uint_eq(pattern.warps[0].mask, UINT32_MAX);
    ck_assert_uint_eq(pattern.warps[1].mask, 0xff);
    for (uint32_t i = 0; i < 40; i++)
        ck_assert_uint_eq(pattern.warps[i / 32].element[i % 32], 3 * 128 + i / 8 * 16 + i % 8 * 2 + 1);
    text_end(&text);
    ck_assert_int_eq(make(&text, &source, "float4 *p", "p[tid.y + 10].z", &shape, &pattern), BASE_OK);
    ck_assert_uint_eq(pattern.width_bytes, 4);
    ck_assert_uint_eq(pattern.component_bytes, 8);
    ck_assert_uint_eq(pattern.warps[1].element[7], 14);
    text_end(&text);
}
END_TEST

static const struct {
    const char *declaration, *access, *message;
    size_t offset;
} wrong_accesses[] = {
    {"float t[4][8]", "t[0]", "2 dimensions", 0},
    {"float t[8]", "t[0][0]", "1 dimension,", 0},
    {"float t[8]", "s[0]", "access to t", 0},
    {"float t[8]", "t", "1 dimension,", 0},
    {"float t[8]", "t[0] = 1", "expected the end", 5},
    {"float t[8]", "t[0].x", "no component", 5},
    {"float2 t[8]", "t[0].z", "no component", 5},
    {"float3 t[8]", "t[0]", "several pieces", 0},
    {"double4 t[8]", "t[0]", "several pieces", 0},
    {"float t[8]", "t[tid.x]", "thread (8, 0, 0) has subscript 8, outside 0 to 7", 2},
    {"float t[8]", "t[(int)tid.x - 1]", "subscript -1", 2},
    {"float t[40]", "t[tid.x - 1]", "subscript 4294967295", 2},
    {"float t[4][8]", "t[3][tid.x]", "outside 0 to 7", 5},
    {"float *p", "p[-1]", "before the array", 2},
    {"float *p", "p[1ull << 62]", "2^47", 2},
    {"float p[][4]", "p[1ull << 44][0]", "2^47", 14},
    {"float *p", "p[1 / (3 - tid.x)]", "division by zero in thread (3, 0, 0)", 4},
};

START_TEST(wrong_accesses_are_told)
{
    static struct advise_pattern pattern;
    struct advise_shape shape = {.block_dim = {32, 1, 1}, .grid_dim = {1, 1, 1}};
    for (size_t i = 0; i < sizeof wrong_accesses / sizeof wrong_accesses[0]; i++) {
        struct text text;
        struct base_source source;
        enum base_status status =
            make(&text, &source, wrong_accesses[i].declaration, wrong_accesses[i].access, &shape, &pattern);
        ck_assert_msg(status == BASE_INVALID, "%s is accepted", wrong_accesses[i].access);
        ck_assert_msg(strstr(text.diags.items[0].message, wrong_accesses[i].message) != NULL, "%s: %s",
                      wrong_accesses[i].access, text.diags.items[0].message);
        ck_assert_msg(text.diags.items[0].offset == wrong_accesses[i].offset, "%s: at %zu", wrong_accesses[i].access,
                      text.diags.items[0].offset);
        text_end(&text);
    }
}
END_TEST

Suite *expression_suite(void)
{
    Suite *suite = suite_create("expression");
    TCase *tests = tcase_create("expression");
    tcase_add_test(tests, arithmetic_is_that_of_c);
    tcase_add_test(tests, other_spellings);
    tcase_add_test(tests, definitions);
    tcase_add_test(tests, wrong_text_is_told);
    tcase_add_test(tests, hostile_text_is_refused);
    tcase_add_test(tests, declarations_are_read);
    tcase_add_test(tests, wrong_declarations_are_told);
    tcase_add_test(tests, elements_of_a_block);
    tcase_add_test(tests, wrong_accesses_are_told);
    suite_add_tcase(suite, tests);
    return suite;
}
