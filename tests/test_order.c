/* Which lanes of a warp go on first, and what that makes of the counts: machine code against an H200
 * (validate/records/h200/order, README.md there). Each kernel stores, lane by lane, which places it came to and a
 * clock; here the clock is the engine's count of steps. */
#include "isa/sass/sass.h"
#include "sim/sim.h"
#include "tests/support.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD "validate/records/h200/order/"

enum { KERNELS = 52, WARPS = 16, EVENTS = 64, IN_WORDS = 1024, WARP_WORDS = 4096, LINE_MAX_BYTES = 64 * 32 * 12 };

Suite *order_suite(void);

static uint32_t in_words[IN_WORDS];
static struct isa_module *module;
static char *recorded, *counts; /* a CSV: metrics, a line for each kernel */

static void read_record(void)
{
    size_t cubin_bytes = 0, listing_bytes = 0, text_bytes = 0, counts_bytes = 0;
    struct base_diags diags = {0};
    uint64_t seed = 12345;
    char *cubin = support_read(RECORD "order.cubin", &cubin_bytes);
    char *listing = support_read(RECORD "order.sass", &listing_bytes);
    recorded = support_read(RECORD "order.txt", &text_bytes);
    counts = support_read(RECORD "order.ncu.csv", &counts_bytes);
    ck_assert_int_eq(isa_sass_read("order.sass", listing, listing_bytes, "order.cubin", (const uint8_t *)cubin,
                                   cubin_bytes, &module, &diags),
                     BASE_OK);
    base_diags_free(&diags);
    for (unsigned i = 0; i < IN_WORDS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        in_words[i] = (uint32_t)(seed >> 32);
    }
    free(cubin);
    free(listing);
}

static void free_record(void)
{
    isa_module_free(module);
    free(recorded);
    free(counts);
}

static uint32_t find_kernel(const char *name)
{
    for (size_t i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i].name, name) == 0)
            return (uint32_t)i;
    ck_abort_msg("no kernel %s", name);
    return 0;
}

struct event {
    uint32_t clock, place, lane;
};

static int by_clock(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->clock != y->clock)
        return x->clock < y->clock ? -1 : 1;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->lane < y->lane ? -1 : x->lane > y->lane;
}

/* The line of order.txt that a warp's words make. */
static void write_line(char *line, size_t size, const char *kernel, unsigned warp, const uint32_t *words)
{
    static struct event events[EVENTS * 32];
    size_t count = 0;
    for (unsigned n = 0; n < EVENTS; n++)
        for (unsigned lane = 0; lane < 32; lane++)
            if (words[n * 64 + lane] != 0)
                events[count++] = (struct event){words[n * 64 + 32 + lane], words[n * 64 + lane], lane};
    qsort(events, count, sizeof(events[0]), by_clock);
    int length = snprintf(line, size, "%s %u", kernel, warp);
    for (size_t i = 0, next; i < count; i = next) {
        uint32_t mask = 0;
        for (next = i; next < count && events[next].clock == events[i].clock && events[next].place == events[i].place;
             next++)
            mask |= UINT32_C(1) << events[next].lane;
        length += snprintf(line + length, size - (size_t)length, " %" PRIu32 ":%08" PRIx32, events[i].place, mask);
    }
    snprintf(line + length, size - (size_t)length, "\n");
}

/* Whether all that the card counted for the kernel is so here. */
static bool counts_are_equal(const struct sim_report *report, const char *kernel)
{
    char line[24], metric[96];
    snprintf(line, sizeof(line), "\n%s,", kernel);
    const char *value = strstr(counts, line);
    ck_assert_msg(value != NULL, "the record has no %s", kernel);
    value += strlen(line);
    bool equal = true;
    for (const char *name = strchr(counts, ',') + 1; name != NULL; name = *name == ',' ? name + 1 : NULL) {
        const size_t length = strcspn(name, ",\r\n");
        ck_assert_uint_lt(length, sizeof(metric));
        snprintf(metric, sizeof(metric), "%.*s", (int)length, name);
        char *end = NULL;
        equal &= support_metric(report, metric) == strtoull(value, &end, 10);
        ck_assert_ptr_ne(end, value);
        value = end + 1;
        name += length;
    }
    return equal;
}

/* How many of the kernel's warps came to their places as on the card; and whether its counts are the card's. */
static unsigned run_kernel(unsigned number, bool *counts_equal)
{
    static char line[LINE_MAX_BYTES + 64];
    char name[16];
    uint64_t addresses[2];
    struct sim_memory memory;
    struct sim_report report;
    struct base_diags diags = {0};
    unsigned equal = 0;
    const struct sim_options options = {.device = sim_device_find("h200"), .max_instructions = 3000000};
    const struct sim_launch_text launch = {
        .name = "order", .grid = {4, 1, 1}, .block = {128, 1, 1}, .cluster = {1, 1, 1}, .carveout_percent = -1};
    const uint64_t out_bytes = (uint64_t)WARPS * WARP_WORDS * 4;
    sim_memory_init(&memory, 0);
    ck_assert_int_eq(sim_memory_alloc(&memory, sizeof(in_words), "in", &addresses[0]), BASE_OK);
    ck_assert_int_eq(sim_memory_alloc(&memory, out_bytes, "out", &addresses[1]), BASE_OK);
    memcpy(sim_memory_at(&memory, addresses[0], sizeof(in_words)), in_words, sizeof(in_words));
    const struct sim_bound bound = {.params = (uint8_t *)addresses, .param_bytes = sizeof(addresses)};
    snprintf(name, sizeof(name), "k%u", number);
    ck_assert_int_eq(sim_run(module, find_kernel(name), &launch, &bound, &memory, &options, &report, &diags), BASE_OK);
    ck_assert_msg(report.status == SIM_RUN_OK, "%s: %s", name, report.message != NULL ? report.message : "");
    const uint32_t *words = (const uint32_t *)(const void *)sim_memory_at(&memory, addresses[1], out_bytes);
    for (unsigned warp = 0; warp < WARPS; warp++) {
        write_line(line, sizeof(line), name, warp, words + (size_t)warp * WARP_WORDS);
        const char *found = strstr(recorded, line);
        equal += found != NULL && (found == recorded || found[-1] == '\n');
    }
    *counts_equal = counts_are_equal(&report, name);
    sim_report_free(&report);
    base_diags_free(&diags);
    sim_memory_free(&memory);
    return equal;
}

START_TEST(lanes_go_in_the_cards_order)
{
    /* YIELD while lanes are apart (24 to 31) is understood in part. */
    static const struct {
        unsigned kernel, equal;
    } others[] = {{24, 4}, {25, 0}, {26, 10}, {27, 0}, {31, 0}};
    /* In these the counts differ; where the order is the card's, by BSYNCs that it executes once more. */
    static const unsigned counted_otherwise[] = {3, 6, 8, 10, 12, 14, 24, 25, 26, 27, 29, 31, 43, 47, 48, 50};
    for (unsigned k = 0; k < KERNELS; k++) {
        bool want_counts = true, counts_equal = false;
        unsigned want = WARPS;
        for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
            want = others[i].kernel == k ? others[i].equal : want;
        for (size_t i = 0; i < sizeof(counted_otherwise) / sizeof(counted_otherwise[0]); i++)
            want_counts &= counted_otherwise[i] != k;
        const unsigned equal = run_kernel(k, &counts_equal);
        ck_assert_msg(equal == want, "k%u: %u of %u warps in the card's order, expected %u", k, equal, WARPS, want);
        ck_assert_msg(counts_equal == want_counts, "k%u: the counts are %sthe card's", k, counts_equal ? "" : "not ");
    }
}
END_TEST

Suite *order_suite(void)
{
    Suite *suite = suite_create("order");
    TCase *tcase = tcase_create("h200");
    tcase_set_timeout(tcase, 120);
    tcase_add_unchecked_fixture(tcase, read_record, free_record);
    tcase_add_test(tcase, lanes_go_in_the_cards_order);
    suite_add_tcase(suite, tcase);
    return suite;
}
