/* The records of validate/records: every one has a test that holds the simulator to it, and those without a suite of
 * their own are held here: which lanes run together (divergence), the correct kernels of tests/checks (checks), where
 * the clock's figures come from (clock). */
#include "tests/support.h"

#include <check.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS "validate/records/"

/* A folder, and the file of tests/ that reads it. */
static const struct {
    const char *folder, *test;
} records[] = {
    {"h200/arithmetic", "test_nvcc.c"},
    {"h200/atomics", "test_coalesce.c"},
    {"h200/builtins", "test_nvcc.c"},
    {"h200/carveout", "test_occupancy.c"},
    {"h200/checks", "test_records.c"},
    {"h200/clock", "test_records.c"},
    {"h200/clusters", "test_occupancy_study.c"},
    {"h200/code", "calibrate.sh"},
    {"h200/divergence", "test_records.c"},
    {"h200/forms", "test_forms.c"},
    {"h200/guide", "test_guide.c"},
    {"h200/kernels", "replay.sh"},
    {"h200/lanes", "test_coalesce.c"},
    {"h200/micro", "test_micro.c"},
    {"h200/mufu", "test_mufu.c"},
    {"h200/nvcc", "test_nvcc.c"},
    {"h200/ops", "test_ops.c"},
    {"h200/order", "test_order.c"},
    {"h200/pipe", "test_records.c"},
    {"h200/queue", "test_clock.c"},
    {"h200/shares", "test_clock.c"},
    {"h200/stores", "test_micro.c"},
    {"h200/streams", "test_clock.c"},
    {"h200/tensor", "test_tensor.c"},
    {"h200/waits", "test_clock.c"},
    {"ptxas", "test_legal.c"},
};
enum { RECORD_COUNT = sizeof(records) / sizeof(records[0]) };

static bool is_listed(const char *folder)
{
    for (size_t i = 0; i < RECORD_COUNT; i++)
        if (strcmp(records[i].folder, folder) == 0)
            return true;
    return false;
}

/* The folders below `parent`, "" or "h200/"; one that holds only folders is a card. */
static size_t check_folders(const char *parent)
{
    char path[512];
    size_t count = 0;
    snprintf(path, sizeof(path), TEST_SRCDIR "/" RECORDS "%s", parent);
    DIR *folder = opendir(path);
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[512];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof(name), "%s%s", parent, entry->d_name);
        if (strcmp(name, "h200") == 0) {
            count += check_folders("h200/");
            continue;
        }
        ck_assert_msg(is_listed(name), RECORDS "%s: no test is said to read it", name);
        count++;
    }
    closedir(folder);
    return count;
}

START_TEST(test_every_record_has_a_test)
{
    ck_assert_uint_eq(check_folders(""), RECORD_COUNT);
    for (size_t i = 0; i < RECORD_COUNT; i++) {
        char path[256], last[64];
        size_t size = 0;
        snprintf(path, sizeof(path), "tests/%s", records[i].test);
        char *text = support_read(path, &size);
        const char *slash = strrchr(records[i].folder, '/');
        snprintf(last, sizeof(last), "%s/", slash ? slash + 1 : records[i].folder);
        ck_assert_msg(strstr(text, last) != NULL, "%s does not read " RECORDS "%s", path, records[i].folder);
        free(text);
    }
}
END_TEST

/* ---- divergence: which lanes run together ---- */

#define DIVERGENCE RECORDS "h200/divergence/"

/* Of the other kernels the machine code executes YIELD while lanes are apart (the record's README): their lanes stay
 * apart on the card where the PTX does not say so. */
static const char *const together[] = {"k_ifelse", "k_loop", "k_nested", "k_brx", "k_predret", "k_two"};

static bool is_together(const char *kernel)
{
    for (size_t i = 0; i < sizeof(together) / sizeof(together[0]); i++)
        if (strcmp(together[i], kernel) == 0)
            return true;
    return false;
}

struct lane_record {
    uint32_t before, after, value;
};

/* "KERNEL rc 0", then 32 times "mask/mask:value"; the text behind it, NULL: there is no further kernel. */
static const char *next_kernel(const char *text, char kernel[64], struct lane_record lanes[32])
{
    int used = 0;
    if (sscanf(text, "%63s rc 0%n", kernel, &used) != 1)
        return NULL;
    text += used;
    for (unsigned lane = 0; lane < 32; lane++) {
        ck_assert_int_eq(sscanf(text, " %" SCNx32 "/%" SCNx32 ":%" SCNx32 "%n", &lanes[lane].before, &lanes[lane].after,
                                &lanes[lane].value, &used),
                         3);
        text += used;
    }
    return text;
}

static void check_divergence(const char *kernel, const struct lane_record lanes[32])
{
    static const char list_text[] = "%s divergence.ptx %s grid=1 block=32 u32[128]=zero u32[64]=zero\n";
    char text[256];
    snprintf(text, sizeof(text), list_text, kernel, kernel);
    struct support_list list;
    struct support_launch ran;
    support_list_read_text(&list, DIVERGENCE, text);
    support_launch_bind(&ran, &list, 0);
    support_launch_run(&ran);
    ck_assert_msg(ran.report.status == SIM_RUN_OK, "%s: %s", kernel, ran.report.message ? ran.report.message : "");
    const uint32_t *words = (const uint32_t *)(const void *)sim_memory_at(&ran.memory, ran.bound.args[0].address, 512);
    for (unsigned lane = 0; lane < 32; lane++, words += 4) {
        ck_assert_msg(words[1] == lanes[lane].value, "%s, lane %u: %" PRIx32 ", the H200 has %" PRIx32, kernel, lane,
                      words[1], lanes[lane].value);
        if (is_together(kernel))
            ck_assert_msg(words[0] == lanes[lane].before && words[2] == lanes[lane].after,
                          "%s, lane %u: with %" PRIx32 " and %" PRIx32, kernel, lane, words[0], words[2]);
    }
    support_launch_free(&ran);
    support_list_free(&list);
}

START_TEST(test_divergence)
{
    char kernel[64];
    struct lane_record lanes[32];
    size_t size = 0, count = 0;
    char *text = support_read(DIVERGENCE "divergence.outputs.txt", &size);
    for (const char *at = text; (at = next_kernel(at, kernel, lanes)) != NULL; count++)
        check_divergence(kernel, lanes);
    ck_assert_uint_eq(count, 13);
    free(text);
}
END_TEST

/* ---- checks: the correct kernels ---- */

START_TEST(test_good_kernels)
{
    struct support_list list;
    size_t size = 0, buffers = 0;
    char *outputs = support_read(RECORDS "h200/checks/good.outputs.txt", &size);
    support_list_read(&list, "tests/checks/checks.cases");
    for (size_t i = 0; i < list.launches->count; i++) {
        const char *name = list.launches->items[i].name;
        struct support_launch ran;
        if (strstr(name, "_good") == NULL)
            continue;
        support_launch_bind(&ran, &list, i);
        support_launch_run(&ran);
        for (size_t b = 0; b < ran.report.buffer_count; b++) {
            char line[256];
            const struct sim_buffer_report *buffer = &ran.report.buffers[b];
            snprintf(line, sizeof(line), "%s arg%u bytes=%" PRIu64 " fnv=%016" PRIx64 "\n", name, buffer->arg,
                     buffer->bytes, buffer->fnv1a64);
            ck_assert_msg(strstr(outputs, line) != NULL, "the H200 has no %s", line);
            buffers++;
        }
        support_launch_free(&ran);
    }
    ck_assert_uint_ge(buffers, 57);
    support_list_free(&list);
    free(outputs);
}
END_TEST

/* ---- clock: what the profile cites is there ---- */

START_TEST(test_cited_measurements)
{
    static const char mark[] = "clock.csv ";
    const struct sim_device *device = sim_device_find("h200");
    size_t size = 0, cited = 0;
    char *text = support_read(RECORDS "h200/clock/clock.csv", &size);
    for (size_t i = 0; i < SIM_PARAM_COUNT; i++) {
        const char *source = strstr(device->source[i], mark);
        char row[80];
        if (!source)
            continue;
        source += strlen(mark);
        snprintf(row, sizeof(row), "%.*s", (int)strcspn(source, " :;,"), source);
        const char *found = strncmp(text, row, strlen(row)) == 0 ? text : NULL;
        if (!found) {
            char line[96];
            snprintf(line, sizeof(line), "\n%s", row);
            found = strstr(text, line);
        }
        ck_assert_msg(found != NULL, "%s cites %s, which clock.csv has not", sim_param_at(i)->field, row);
        cited++;
    }
    ck_assert_uint_ge(cited, 5);
    free(text);
}
END_TEST

/* ---- pipe: what the clock is fitted to ---- */

/* Each launch is there, by a listing that is read, and has its rows. */
START_TEST(test_pipe_launches)
{
    struct support_list list;
    size_t size = 0;
    char *rows = support_read(RECORDS "h200/pipe/pipe.csv", &size);
    support_list_read_as(&list, RECORDS "h200/pipe/pipe.cases", ".sass");
    ck_assert_uint_ge(list.launches->count, 170);
    for (size_t i = 0; i < list.launches->count; i++)
        for (unsigned row = 0; row < 3; row++) {
            struct support_launch launch;
            char start[96];
            support_launch_bind(&launch, &list, i);
            snprintf(start, sizeof(start), "%s,%u,", launch.text->name, row);
            const char *found = strstr(rows, start);
            ck_assert_msg(found != NULL && (found == rows || found[-1] == '\n'), "pipe.csv has no row %s", start);
            support_launch_free(&launch);
        }
    free(rows);
    support_list_free(&list);
}
END_TEST

Suite *records_suite(void);

Suite *records_suite(void)
{
    Suite *suite = suite_create("records");
    TCase *tcase = tcase_create("records");
    tcase_add_test(tcase, test_every_record_has_a_test);
    tcase_add_test(tcase, test_divergence);
    tcase_add_test(tcase, test_good_kernels);
    tcase_add_test(tcase, test_cited_measurements);
    tcase_add_test(tcase, test_pipe_launches);
    suite_add_tcase(suite, tcase);
    return suite;
}
