/* sim/device: built-in profiles against published tables and the H200's own attributes; the profile reader and writers.
 */
#include "sim/target.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *device_suite(void);

/* Numbers of a parameter; how many there are. */
static size_t numbers(const struct sim_device *device, size_t index, uint64_t value[SIM_DEVICE_LIST_MAX])
{
    const struct sim_param *param = sim_param_at(index);
    const char *field = (const char *)device + param->offset;
    struct sim_device_list list = {0};
    uint32_t narrow = 0;
    switch (param->kind) {
    case SIM_PARAM_TEXT:
        return 0;
    case SIM_PARAM_U32:
        memcpy(&narrow, field, sizeof narrow);
        value[0] = narrow;
        return 1;
    case SIM_PARAM_U64:
        memcpy(&value[0], field, sizeof value[0]);
        return 1;
    case SIM_PARAM_LIST:
        memcpy(&list, field, sizeof list);
        for (uint32_t i = 0; i < list.count; i++)
            value[i] = list.items[i];
        return list.count;
    }
    return 0;
}

START_TEST(profiles_are_complete_and_in_range)
{
    ck_assert_uint_eq(sim_device_count(), 10);
    ck_assert_ptr_null(sim_device_at(10));
    ck_assert_ptr_null(sim_param_at(SIM_PARAM_COUNT));
    for (size_t d = 0; d < sim_device_count(); d++) {
        const struct sim_device *device = sim_device_at(d);
        for (size_t i = 0; i < SIM_PARAM_COUNT; i++) {
            const struct sim_param *param = sim_param_at(i);
            uint64_t value[SIM_DEVICE_LIST_MAX];
            size_t count = numbers(device, i, value);
            ck_assert_msg(device->source[i] && *device->source[i], "%s: %s has no source", device->name, param->field);
            for (size_t k = 0; k < count; k++)
                ck_assert_msg(value[k] >= param->min && value[k] <= param->max, "%s: %s", device->name, param->field);
            ck_assert(param->kind == SIM_PARAM_TEXT || count > 0);
        }
        ck_assert_ptr_eq(sim_device_find(device->name), device);
        ck_assert_uint_eq(device->warps_per_scheduler * device->schedulers_per_sm, device->max_warps_per_sm);
        ck_assert_uint_eq(device->shared_carveouts_kib.items[device->shared_carveouts_kib.count - 1] * 1024,
                          device->shared_per_sm_bytes);
    }
}
END_TEST

/* Every source begins with a key that docs/devices.md explains. */
START_TEST(sources_are_explained)
{
    struct base_strbuf page = {0};
    sim_device_document(&page);
    for (size_t d = 0; d < sim_device_count(); d++) {
        for (size_t i = SIM_PARAM_AT_sm_count; i < SIM_PARAM_COUNT; i++) {
            char key[64], row[96];
            snprintf(key, sizeof key, "%s", sim_device_at(d)->source[i]);
            key[strcspn(key, " ,:;")] = '\0';
            snprintf(row, sizeof row, strncmp(key, "TP", 2) == 0 ? "%s" : "\n| %s | ", key);
            ck_assert_msg(strstr(page.data, row) != NULL, "%s", key);
        }
    }
    base_strbuf_free(&page);
}
END_TEST

START_TEST(the_page_is_up_to_date)
{
    struct base_strbuf page = {0};
    static char text[131072];
    FILE *file = fopen(TEST_SRCDIR "/docs/devices.md", "r");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    sim_device_document(&page);
    ck_assert_uint_eq(page.length, size);
    ck_assert_mem_eq(page.data, text, size);
    /* 32,768 registers over 48 warps are 682, in units of 64 640, 20 a thread; 65,536 over 64, 32 and 48 warps: 1,024,
     * 2,048 and 1,365, in units of 256 1,280. 48 warps in 8 blocks: 6 each; in 16: 3; in 24: 2. */
    ck_assert_ptr_nonnull(strstr(page.data, "full SM | 20 | 32 | 64 | 32 | 40 | 40 | 32 | 32 | 32 | 40 |\n"));
    ck_assert_ptr_nonnull(strstr(page.data, "fill an SM | 192 | 64 | 64 | 64 | 96 | 64 | 64 | 64 | 64 | 64 |\n"));
    base_strbuf_free(&page);
}
END_TEST

/* CUDA C++ Programming Guide, technical specifications per compute capability; for 2.0 the older guide's. */
START_TEST(published_limits)
{
    static const struct {
        const char *name;
        uint32_t major, minor, warps, blocks, registers, most, shared_kib, optin_kib, unified_kib;
    } rows[] = {
        {"gtx580", 2, 0, 48, 8, 32768, 63, 48, 48, 64},      {"v100", 7, 0, 64, 32, 65536, 255, 96, 96, 128},
        {"rtx2080", 7, 5, 32, 16, 65536, 255, 64, 64, 96},   {"a100", 8, 0, 64, 32, 65536, 255, 164, 163, 192},
        {"rtx3090", 8, 6, 48, 16, 65536, 255, 100, 99, 128}, {"rtx4090", 8, 9, 48, 24, 65536, 255, 100, 99, 128},
        {"h100", 9, 0, 64, 32, 65536, 255, 228, 227, 256},   {"h200", 9, 0, 64, 32, 65536, 255, 228, 227, 256},
        {"b200", 10, 0, 64, 32, 65536, 255, 228, 227, 256},  {"rtx5090", 12, 0, 48, 24, 65536, 255, 100, 99, 128},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct sim_device *d = sim_device_find(rows[i].name);
        ck_assert_ptr_nonnull(d);
        ck_assert_uint_eq(d->compute_major, rows[i].major);
        ck_assert_uint_eq(d->compute_minor, rows[i].minor);
        ck_assert_uint_eq(d->max_warps_per_sm, rows[i].warps);
        ck_assert_uint_eq(d->max_blocks_per_sm, rows[i].blocks);
        ck_assert_uint_eq(d->registers_per_sm, rows[i].registers);
        ck_assert_uint_eq(d->max_registers_per_thread, rows[i].most);
        ck_assert_uint_eq(d->shared_per_sm_bytes, rows[i].shared_kib * 1024);
        ck_assert_uint_eq(d->shared_per_block_optin_bytes, rows[i].optin_kib * 1024);
        ck_assert_uint_eq(d->unified_bytes, rows[i].unified_kib * 1024);
        ck_assert_uint_eq(d->shared_reserved_bytes, rows[i].major >= 8 ? 1024 : 0);
        ck_assert_uint_eq(d->max_threads_per_block, 1024);
        ck_assert_uint_eq(d->bank_count, 32);
        ck_assert_uint_eq(d->independent_threads, rows[i].major >= 7);
        ck_assert_uint_eq(d->max_cluster_blocks, rows[i].major >= 9 ? 8 : 1);
    }
}
END_TEST

/* One cell of a CSV line, quotes and thousands' commas taken off. */
static const char *next_cell(const char *at, char *cell, size_t size)
{
    bool quoted = *at == '"';
    size_t length = 0;
    for (at += quoted; *at && *at != '\n' && *at != (quoted ? '"' : ','); at++) {
        if (length + 1 < size && !(quoted && *at == ','))
            cell[length++] = *at;
    }
    cell[length] = '\0';
    at += quoted && *at == '"';
    return *at == ',' ? at + 1 : NULL;
}

static uint64_t attribute(const char *names, const char *values, const char *want)
{
    char name[128], value[256];
    const char *n = names, *v = values;
    while (n && v) {
        n = next_cell(n, name, sizeof name);
        v = next_cell(v, value, sizeof value);
        if (strncmp(name, "device__attribute_", 18) == 0 && strcmp(name + 18, want) == 0)
            return strtoull(value, NULL, 10);
    }
    ck_abort_msg("no attribute %s", want);
    return 0;
}

START_TEST(h200_as_the_card_reports_itself)
{
    static char names[65536], values[65536];
    FILE *file = fopen(TEST_SRCDIR "/validate/records/h200/guide/guide.ncu.csv", "r");
    const struct sim_device *d = sim_device_find("h200");
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(names, sizeof names, file));
    ck_assert_ptr_nonnull(fgets(values, sizeof values, file));
    ck_assert_ptr_nonnull(fgets(values, sizeof values, file));
    fclose(file);
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {
        {"compute_capability_major", d->compute_major},
        {"compute_capability_minor", d->compute_minor},
        {"multiprocessor_count", d->sm_count},
        {"clock_rate", d->clock_khz},
        {"memory_clock_rate", d->memory_clock_khz},
        {"global_memory_bus_width", d->memory_bus_bits},
        {"total_memory", d->memory_bytes},
        {"l2_cache_size", d->l2_bytes},
        {"l2s_count", d->l2_slices},
        {"max_threads_per_block", d->max_threads_per_block},
        {"max_block_dim_x", d->max_block_x},
        {"max_block_dim_y", d->max_block_y},
        {"max_block_dim_z", d->max_block_z},
        {"max_grid_dim_x", d->max_grid_x},
        {"max_grid_dim_y", d->max_grid_y},
        {"max_grid_dim_z", d->max_grid_z},
        {"max_warps_per_multiprocessor", d->max_warps_per_sm},
        {"max_threads_per_multiprocessor", d->max_warps_per_sm * 32},
        {"max_blocks_per_multiprocessor", d->max_blocks_per_sm},
        {"max_registers_per_multiprocessor", d->registers_per_sm},
        {"max_registers_per_block", d->registers_per_block},
        {"max_registers_per_thread", d->max_registers_per_thread},
        {"max_shared_memory_per_multiprocessor", d->shared_per_sm_bytes},
        {"max_shared_memory_per_block", d->shared_per_block_bytes},
        {"max_shared_memory_per_block_optin", d->shared_per_block_optin_bytes},
        {"reserved_shared_memory_per_block", d->shared_reserved_bytes},
        {"total_constant_memory", d->constant_bytes},
        {"num_schedulers_per_multiprocessor", d->schedulers_per_sm},
        {"max_warps_per_scheduler", d->warps_per_scheduler},
        {"max_ipc_per_scheduler", d->issue_interval_cycles},
        {"single_to_double_precision_perf_ratio", d->fp32_lanes_per_sm / d->fp64_lanes_per_sm},
        {"cluster_launch", d->max_cluster_blocks > 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_msg(attribute(names, values, rows[i].name) == rows[i].value, "%s", rows[i].name);
    ck_assert_uint_eq(2 * UINT64_C(3201000000) * 6016 / 8, d->dram_bytes_per_second);
}
END_TEST

/* The line of a word of cudaDeviceProp in what `simtlab devices NAME` prints: value, then source. */
static void split_word(const char *page, const char *word, char value[64], char source[128])
{
    char start[64];
    snprintf(start, sizeof start, "\n%s ", word);
    const char *line = strstr(strstr(page, "cudaDeviceProp"), start);
    ck_assert_msg(line != NULL, "no line for %s", word);
    line++;
    size_t length = strcspn(line, "\n");
    ck_assert_uint_gt(length, 64);
    snprintf(value, 64, "%.*s", (int)(64 - strlen(word)), line + strlen(word));
    snprintf(source, 128, "%.*s", (int)(length - 64), line + 64);
}

START_TEST(words_of_cuda_device_prop)
{
    static const struct {
        const char *word;
        const char *attribute; /* of the H200's record */
        size_t param;          /* whose source it has */
    } rows[] = {
        {"totalGlobalMem", "total_memory", SIM_PARAM_AT_memory_bytes},
        {"sharedMemPerBlock", "max_shared_memory_per_block", SIM_PARAM_AT_shared_per_block_bytes},
        {"regsPerBlock", "max_registers_per_block", SIM_PARAM_AT_registers_per_block},
        {"warpSize", "warp_size", SIM_PARAM_COUNT},
        {"maxThreadsPerBlock", "max_threads_per_block", SIM_PARAM_AT_max_threads_per_block},
        {"maxThreadsDim", "max_block_dim_x", SIM_PARAM_AT_max_block_x},
        {"maxGridSize", "max_grid_dim_x", SIM_PARAM_AT_max_grid_x},
        {"clockRate", "clock_rate", SIM_PARAM_AT_clock_khz},
        {"totalConstMem", "total_constant_memory", SIM_PARAM_AT_constant_bytes},
        {"major", "compute_capability_major", SIM_PARAM_AT_compute_major},
        {"minor", "compute_capability_minor", SIM_PARAM_AT_compute_minor},
        {"multiProcessorCount", "multiprocessor_count", SIM_PARAM_AT_sm_count},
        {"memoryClockRate", "memory_clock_rate", SIM_PARAM_AT_memory_clock_khz},
        {"memoryBusWidth", "global_memory_bus_width", SIM_PARAM_AT_memory_bus_bits},
        {"l2CacheSize", "l2_cache_size", SIM_PARAM_AT_l2_bytes},
        {"maxThreadsPerMultiProcessor", "max_threads_per_multiprocessor", SIM_PARAM_AT_max_warps_per_sm},
        {"sharedMemPerMultiprocessor", "max_shared_memory_per_multiprocessor", SIM_PARAM_AT_shared_per_sm_bytes},
        {"regsPerMultiprocessor", "max_registers_per_multiprocessor", SIM_PARAM_AT_registers_per_sm},
        {"sharedMemPerBlockOptin", "max_shared_memory_per_block_optin", SIM_PARAM_AT_shared_per_block_optin_bytes},
        {"maxBlocksPerMultiProcessor", "max_blocks_per_multiprocessor", SIM_PARAM_AT_max_blocks_per_sm},
        {"reservedSharedMemPerBlock", "reserved_shared_memory_per_block", SIM_PARAM_AT_shared_reserved_bytes},
        {"singleToDoublePrecisionPerfRatio", "single_to_double_precision_perf_ratio", SIM_PARAM_AT_fp64_lanes_per_sm},
        {"clusterLaunch", "cluster_launch", SIM_PARAM_AT_max_cluster_blocks},
    };
    static char names[65536], values[65536];
    FILE *file = fopen(TEST_SRCDIR "/validate/records/h200/guide/guide.ncu.csv", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(names, sizeof names, file));
    ck_assert_ptr_nonnull(fgets(values, sizeof values, file)); /* units */
    ck_assert_ptr_nonnull(fgets(values, sizeof values, file));
    fclose(file);
    for (size_t d = 0; d < sim_device_count(); d++) {
        const struct sim_device *device = sim_device_at(d);
        struct base_strbuf page = {0};
        char value[64], source[128];
        sim_device_print(device, &page);
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            split_word(page.data, rows[i].word, value, source);
            if (rows[i].param < SIM_PARAM_COUNT)
                ck_assert_str_eq(source, device->source[rows[i].param]);
            if (strcmp(device->name, "h200") == 0)
                ck_assert_msg(strtoull(value, NULL, 10) == attribute(names, values, rows[i].attribute), "%s",
                              rows[i].word);
        }
        split_word(page.data, "name", value, source);
        ck_assert_ptr_nonnull(strstr(value, device->product));
        base_strbuf_free(&page);
    }
}
END_TEST

START_TEST(names_are_found_and_suggested)
{
    ck_assert_str_eq(sim_device_find("H200")->name, "h200");
    ck_assert_str_eq(sim_device_find("Rtx4090")->name, "rtx4090");
    ck_assert_ptr_null(sim_device_find("h20"));
    ck_assert_ptr_null(sim_device_find("h2000"));
    ck_assert_ptr_null(sim_device_find(""));
    ck_assert_str_eq(sim_device_suggest("h201"), "h200");
    ck_assert_str_eq(sim_device_suggest("h300"), "h100"); /* as near as h200: the older one */
    ck_assert_str_eq(sim_device_suggest("rtx509O"), "rtx5090");
    ck_assert_ptr_null(sim_device_suggest("mi300x"));
    ck_assert_ptr_null(sim_device_suggest(""));
}
END_TEST

static enum base_status read_text(const char *text, struct sim_device *device, struct base_strbuf *messages)
{
    struct base_source source = {"my.gpu", text, strlen(text)};
    struct base_diags diags = {0};
    enum base_status status = sim_device_read(&source, device, &diags);
    if (messages)
        base_diags_print(&diags, messages);
    ck_assert((status == BASE_OK) == (diags.errors == 0));
    base_diags_free(&diags);
    return status;
}

static void same_numbers(const struct sim_device *a, const struct sim_device *b)
{
    for (size_t i = 0; i < SIM_PARAM_COUNT; i++) {
        struct base_strbuf left = {0}, right = {0};
        sim_device_value(a, i, &left);
        sim_device_value(b, i, &right);
        ck_assert_str_eq(left.data, right.data);
        base_strbuf_free(&left);
        base_strbuf_free(&right);
    }
}

START_TEST(what_is_written_reads_back)
{
    for (size_t d = 0; d < sim_device_count(); d++) {
        struct base_strbuf text = {0};
        struct sim_device back;
        sim_device_write(sim_device_at(d), &text);
        ck_assert(!text.failed);
        ck_assert_int_eq(read_text(text.data, &back, NULL), BASE_OK);
        same_numbers(&back, sim_device_at(d));
        base_strbuf_free(&text);
    }
}
END_TEST

START_TEST(a_profile_changes_its_base)
{
    struct sim_device device, expected = *sim_device_find("a100");
    ck_assert_int_eq(read_text("# mine\r\n\r\n  base = A100   # the 80 GB one\r\nname=half-a100\n"
                               "\tproduct = Half an A100, say\nsm_count = 0x36\nmemory_bytes = 4294967296\n"
                               "shared_carveouts_kib = 0 8  16\t164",
                               &device, NULL),
                     BASE_OK);
    strcpy(expected.name, "half-a100");
    strcpy(expected.product, "Half an A100, say");
    expected.sm_count = 54;
    expected.memory_bytes = UINT64_C(4294967296);
    expected.shared_carveouts_kib = (struct sim_device_list){4, {0, 8, 16, 164}};
    same_numbers(&device, &expected);
    ck_assert_str_eq(device.source[SIM_PARAM_AT_sm_count], "profile file");
    ck_assert_str_eq(device.source[SIM_PARAM_AT_gpc_count], expected.source[SIM_PARAM_AT_gpc_count]);
}
END_TEST

/* Without a base a file starts from the table's defaults, which are the H200's. */
START_TEST(defaults_are_the_h200)
{
    struct sim_device device, expected = *sim_device_find("h200");
    ck_assert_int_eq(read_text("", &device, NULL), BASE_OK);
    ck_assert_str_eq(device.name, "my.gpu"); /* its file's */
    strcpy(expected.name, "my.gpu");
    strcpy(expected.product, "custom");
    same_numbers(&device, &expected);
}
END_TEST

/* Who reads a report, or compares two, takes the name's word for what was simulated. */
START_TEST(a_changed_profile_has_its_own_name)
{
    static const struct {
        const char *file, *text, *name;
    } cases[] = {
        {"my.dev", "base = h200\nsm_count = 66\n", "my.dev"},
        {"some/where/my dev", "base = h200\nclock_khz = 1000000\n", "my_dev"},
        {"my.dev", "base = h200\nproduct = Mine\n", "my.dev"},
        {"my.dev", "base = h200\nname = half\nsm_count = 66\n", "half"},
        {"./H200", "base = h200\nsm_count = 66\n", "custom"},
        {"./", "base = h200\nsm_count = 66\n", "custom"},
        {"my.dev", "base = h200\n", "h200"},
        {"my.dev", "base = h200\nsm_count = 132\n", "h200"},
        {"my.dev", "base = h200\nname = H200\n", "H200"},
        {"my.dev", "base = h200\nname = mine\n", "mine"},
        {"0123456789012345678901234567890123456789012345678901234567890123456789", "sm_count = 2",
         "01234567890123456789012345678901234567890123456"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct base_source source = {cases[i].file, cases[i].text, strlen(cases[i].text)};
        struct base_diags diags = {0};
        struct sim_device device;
        ck_assert_int_eq(sim_device_read(&source, &device, &diags), BASE_OK);
        ck_assert_str_eq(device.name, cases[i].name);
        base_diags_free(&diags);
    }
}
END_TEST

START_TEST(every_mistake_is_shown)
{
    static const char *const cases[][2] = {
        {"sm_cout = 3\n", "my.gpu:1:1: error: there is no parameter 'sm_cout'; did you mean 'sm_count'?\n"
                          "sm_cout = 3\n^~~~~~~\n"},
        {"zzz = 3", "my.gpu:1:1: error: there is no parameter 'zzz'\nzzz = 3\n^~~\n"},
        {"sm_count = many", "my.gpu:1:12: error: 'many' is not a whole number\nsm_count = many\n"
                            "           ^~~~\n"},
        {"\nbank_count = 33 # too many", "my.gpu:2:14: error: bank_count must be 1 to 32 bank\n"
                                         "bank_count = 33 # too many\n             ^~\n"},
        {"bank_count = 24", "my.gpu:1:14: error: bank_count must be a power of two\nbank_count = 24\n"
                            "             ^~\n"},
        {"base = h20", "my.gpu:1:8: error: there is no device 'h20'; did you mean 'h200'?\nbase = h20\n"
                       "       ^~~\n"},
        {"sm_count = 1\nbase = h200", "my.gpu:2:1: error: base must come first\nbase = h200\n^~~~\n"},
        {"sm_count = 1\nsm_count = 1", "my.gpu:2:1: error: sm_count is set twice\nsm_count = 1\n^~~~~~~~\n"},
        {"sm_count\n", "my.gpu:1:1: error: a line must be 'key = value'\nsm_count\n^~~~~~~~\n"},
        {"sm_count =\n", "my.gpu:1:1: error: a line must be 'key = value'\nsm_count =\n^~~~~~~~~~\n"},
        {"base = h200\nname = A100\n", "my.gpu:2:8: error: A100 is a built-in device, which has another product; give "
                                       "this one a name of its own\nname = A100\n       ^~~~\n"},
        {"name = a b", "my.gpu:1:9: error: name may not have this character\nname = a b\n        ^\n"},
        {"sm_count = 18446744073709551616", "my.gpu:1:12: error: '18446744073709551616' is not a whole number\n"
                                            "sm_count = 18446744073709551616\n"
                                            "           ^~~~~~~~~~~~~~~~~~~~\n"},
        {"shared_carveouts_kib = 8 8", "my.gpu:1:26: error: shared_carveouts_kib must rise\n"
                                       "shared_carveouts_kib = 8 8\n                         ^\n"},
        {"min_registers_per_thread = 99\nmax_registers_per_thread = 32",
         "my.gpu:1:28: error: min_registers_per_thread (99) must not be more than max_registers_per_thread (32)\n"
         "min_registers_per_thread = 99\n                           ^~\n"},
        {"shared_per_sm_bytes = 102400", "my.gpu:1:23: error: shared_per_block_optin_bytes (232448) must not be more "
                                         "than shared_per_sm_bytes (102400)\n"
                                         "shared_per_sm_bytes = 102400\n                      ^~~~~~\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct base_strbuf messages = {0};
        struct sim_device device;
        ck_assert_int_eq(read_text(cases[i][0], &device, &messages), BASE_INVALID);
        ck_assert_str_eq(messages.data, cases[i][1]);
        base_strbuf_free(&messages);
    }
    struct base_strbuf messages = {0};
    struct sim_device device;
    ck_assert_int_eq(read_text("a = 1\nb = 2\nsm_count = x\n", &device, &messages), BASE_INVALID);
    ck_assert_ptr_nonnull(strstr(messages.data, "my.gpu:3:12"));
    ck_assert_ptr_nonnull(strstr(messages.data, "my.gpu:2:1"));
    base_strbuf_free(&messages);
}
END_TEST

START_TEST(hostile_text)
{
    static char text[200000];
    uint64_t state = 3;
    static const char alphabet[] = "=#\n \t\r0x9azsm_count base h200\0\x7f\xff";
    for (int round = 0; round < 3000; round++) {
        size_t size = round % 10 ? (size_t)round % 300 : 2000;
        struct sim_device device;
        struct base_diags diags = {0};
        for (size_t i = 0; i < size; i++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
            text[i] = alphabet[(state >> 33) % (sizeof alphabet - 1)];
        }
        struct base_source source = {"hostile", text, size};
        sim_device_read(&source, &device, &diags);
        base_diags_free(&diags);
    }
    /* One very long line, as a key, a value and a list. */
    static const char *const starts[] = {"", "name = ", "shared_carveouts_kib = 1 ", "base = ", "sm_count = "};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        struct base_strbuf messages = {0};
        struct sim_device device;
        memset(text, '7', sizeof text - 1);
        memcpy(text, starts[i], strlen(starts[i]));
        ck_assert_int_eq(read_text(text, &device, &messages), BASE_INVALID);
        ck_assert_uint_lt(messages.length, 2000);
        base_strbuf_free(&messages);
    }
}
END_TEST

START_TEST(the_listing_has_everything)
{
    struct base_strbuf out = {0};
    const struct sim_device *device = sim_device_find("h200");
    sim_device_print(device, &out);
    for (size_t i = 0; i < SIM_PARAM_COUNT; i++) {
        const struct sim_param *param = sim_param_at(i);
        const char *line = strstr(out.data, param->field);
        ck_assert_msg(line != NULL, "%s", param->field);
        while (line[-1] != '\n' || line[strlen(param->field)] != ' ')
            line = strstr(line + 1, param->field);
        ck_assert_msg(strstr(line, device->source[i]) < strchr(line, '\n'), "%s", param->field);
        ck_assert_msg(strstr(line, param->unit) < strchr(line, '\n'), "%s", param->field);
    }
    static const char headline[] = "h200: NVIDIA H200 (Hopper, compute capability 9.0)\n";
    ck_assert_int_eq(strncmp(out.data, headline, strlen(headline)), 0);
    base_strbuf_free(&out);
}
END_TEST

/* Only the H200's clock was fitted to records: every other card's page says in words that its cycles were not. */
START_TEST(cycles_without_a_record_are_told)
{
    static const struct {
        const char *text;
        bool is_fitted;
    } profiles[] = {{"base = h200\nname = small\nsm_count = 66\n", false},
                    {"base = h200\nname = slow\nclock_khz = 1000000\n", false},
                    {"base = h200\nname = slow\nalu_latency_cycles = 5\n", false},
                    {"base = h200\nname = same\nsm_count = 132\n", true},
                    {"base = h200\nname = poor\nmemory_bytes = 4294967296\nproduct = Mine\n", true},
                    {"", true},
                    {"base = b200\nname = small\nsm_count = 66\n", false}};
    for (size_t d = 0; d < sim_device_count(); d++) {
        struct base_strbuf page = {0};
        const struct sim_device *device = sim_device_at(d);
        sim_device_print(device, &page);
        bool is_h200 = strcmp(device->name, "h200") == 0;
        ck_assert_msg((strstr(page.data, "\nCycles uncalibrated: ") == NULL) == is_h200, "%s", device->name);
        ck_assert_msg((strstr(page.data, "\nCycles calibrated: ") != NULL) == is_h200, "%s", device->name);
        base_strbuf_free(&page);
    }
    for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++) {
        struct sim_device device;
        ck_assert_int_eq(read_text(profiles[i].text, &device, NULL), BASE_OK);
        ck_assert_msg((sim_device_uncalibrated(&device) == NULL) == profiles[i].is_fitted, "%s", profiles[i].text);
        struct base_strbuf page = {0};
        sim_device_print(&device, &page);
        ck_assert_msg((strstr(page.data, "\nCycles calibrated: ") != NULL) == profiles[i].is_fitted, "%s", page.data);
        ck_assert_msg((strstr(page.data, "\nChanged: sm_count = 66 (h200: 132).\n") != NULL) == (i == 0), "%s",
                      page.data);
        base_strbuf_free(&page);
    }
}
END_TEST

/* A device runs texts for older GPUs; sm_90a only on 9.0, sm_100f on 10.x: the CUDA documents' rules. */
START_TEST(texts_for_newer_devices_are_told)
{
    static const struct {
        const char *target, *device;
        bool runs;
    } cases[] = {
        {"sm_90", "h200", true},       {"sm_75", "h200", true},     {"sm_20", "gtx580", true},
        {"sm_100", "h200", false},     {"sm_30", "gtx580", false},  {"sm_89", "rtx3090", false},
        {"sm_90a", "h200", true},      {"sm_90a", "b200", false},   {"sm_100a", "b200", true},
        {"sm_100a", "rtx5090", false}, {"sm_100f", "b200", true},   {"sm_100f", "rtx5090", false},
        {"sm_103f", "b200", false},    {"sm_120", "rtx5090", true}, {"sm_121", "rtx5090", false},
        {"texmode", "v100", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct isa_module module = {.target = cases[i].target, .source = {.name = "text.ptx"}};
        struct base_diags diags = {0};
        ck_assert(sim_target_check(&module, sim_device_find(cases[i].device), &diags));
        ck_assert_msg(diags.count == !cases[i].runs, "%s on %s", cases[i].target, cases[i].device);
        if (diags.count > 0)
            ck_assert_int_eq(diags.items[0].severity, BASE_WARNING);
        base_diags_free(&diags);
    }
}
END_TEST

/* Machine code runs on its own major version only, from its minor version on. */
START_TEST(machine_code_for_other_devices_is_refused)
{
    static const struct {
        const char *target, *device;
        bool runs;
    } cases[] = {{"sm_90", "h200", true},  {"sm_90a", "h200", true},  {"sm_90", "b200", false},
                 {"sm_90", "a100", false}, {"sm_90a", "b200", false}, {"sm_80", "rtx3090", true}, /* 8.6 */
                 {"sm_80", "h200", false}, {"sm_86", "a100", false},  {NULL, "a100", true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct isa_module module = {
            .form = ISA_FORM_SASS, .target = cases[i].target, .source = {.name = "code.sass"}};
        struct base_diags diags = {0};
        bool runs = sim_target_check(&module, sim_device_find(cases[i].device), &diags);
        ck_assert_msg(runs == cases[i].runs, "%s on %s", cases[i].target, cases[i].device);
        ck_assert_uint_eq(diags.errors, !cases[i].runs);
        base_diags_free(&diags);
    }
}
END_TEST

Suite *device_suite(void)
{
    Suite *suite = suite_create("device");
    TCase *tests = tcase_create("device");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, profiles_are_complete_and_in_range);
    tcase_add_test(tests, sources_are_explained);
    tcase_add_test(tests, the_page_is_up_to_date);
    tcase_add_test(tests, published_limits);
    tcase_add_test(tests, h200_as_the_card_reports_itself);
    tcase_add_test(tests, words_of_cuda_device_prop);
    tcase_add_test(tests, names_are_found_and_suggested);
    tcase_add_test(tests, what_is_written_reads_back);
    tcase_add_test(tests, a_profile_changes_its_base);
    tcase_add_test(tests, defaults_are_the_h200);
    tcase_add_test(tests, a_changed_profile_has_its_own_name);
    tcase_add_test(tests, every_mistake_is_shown);
    tcase_add_test(tests, hostile_text);
    tcase_add_test(tests, the_listing_has_everything);
    tcase_add_test(tests, cycles_without_a_record_are_told);
    tcase_add_test(tests, texts_for_newer_devices_are_told);
    tcase_add_test(tests, machine_code_for_other_devices_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
