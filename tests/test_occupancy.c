/* sim/occupancy: against NVIDIA's cuda_occupancy.h (vectors made from it, and the header itself where it is installed),
 * Fermi's published rules, and what a real H200 reported.
 */
#include "sim/occupancy.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CUDA_OCCUPANCY_H
#include "tests/occupancy_reference.h"
#endif

#define RECORD TEST_SRCDIR "/validate/records/h200/"

Suite *occupancy_suite(void);

static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    return file;
}

/* The cells of one CSV line, in place. Quotes hold commas. */
static size_t split(char *line, char **cells, size_t most)
{
    size_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; count < most; at++) {
        bool quoted = *at == '"';
        cells[count++] = at += quoted;
        at += strcspn(at, quoted ? "\"" : ",");
        if (quoted && *at)
            *at++ = '\0';
        if (!*at)
            break;
        *at = '\0';
    }
    return count;
}

/* A number as Nsight Compute writes it: 1,234,567. */
static uint64_t number(const char *text)
{
    uint64_t value = 0;
    for (; *text >= '0' || *text == ','; text++) {
        if (*text != ',')
            value = value * 10 + (uint64_t)(*text - '0');
    }
    return value;
}

static uint32_t limit_of(int value)
{
    return value == 2147483647 ? UINT32_MAX : (uint32_t)value;
}

/* r: blocks, limits of warps, blocks, registers, shared memory, barriers; allocated shared memory. */
static void check_against(const char *name, const struct sim_occupancy_query *q, const int64_t r[7])
{
    struct sim_occupancy o;
    const struct sim_device *device = sim_device_find(name);
    ck_assert_ptr_nonnull(device);
    sim_occupancy_compute(device, q, &o);
    uint32_t shared = q->carveout_percent < 0 ? o.limit_shared_largest : o.limit_blocks[SIM_LIMIT_SHARED];
    if (o.blocks_per_sm == r[0] && o.limit_blocks[SIM_LIMIT_WARPS] == r[1] &&
        o.limit_blocks[SIM_LIMIT_BLOCKS] == r[2] && o.limit_blocks[SIM_LIMIT_REGISTERS] == limit_of((int)r[3]) &&
        shared == limit_of((int)r[4]) && o.limit_blocks[SIM_LIMIT_BARRIERS] == limit_of((int)r[5]) &&
        o.shared_per_block_allocated_bytes == (uint64_t)r[6] && o.launchable == (r[0] > 0))
        return;
    ck_abort_msg("%s threads %u regs %u shared %u + %u carveout %d barriers %u: %u blocks, limits %u %u %u %u %u; "
                 "expected %d, limits %d %d %d %d %d",
                 name, q->block_threads, q->registers_per_thread, (unsigned)q->shared_static_bytes,
                 (unsigned)q->shared_dynamic_bytes, q->carveout_percent, q->barriers, o.blocks_per_sm,
                 o.limit_blocks[SIM_LIMIT_WARPS], o.limit_blocks[SIM_LIMIT_BLOCKS], o.limit_blocks[SIM_LIMIT_REGISTERS],
                 shared, o.limit_blocks[SIM_LIMIT_BARRIERS], (int)r[0], (int)r[1], (int)r[2], (int)r[3], (int)r[4],
                 (int)r[5]);
}

START_TEST(vectors_of_cuda_occupancy)
{
    FILE *file = open_file(TEST_SRCDIR "/tests/vectors/occupancy.csv");
    char line[512], *cells[16];
    int rows = 0;
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    for (; fgets(line, sizeof line, file); rows++) {
        int64_t r[7];
        ck_assert_uint_eq(split(line, cells, 16), 14);
        struct sim_occupancy_query q = {
            .block_threads = (uint32_t)number(cells[1]),
            .registers_per_thread = (uint32_t)number(cells[2]),
            .shared_static_bytes = number(cells[3]),
            .shared_dynamic_bytes = number(cells[4]),
            .carveout_percent = atoi(cells[5]),
            .barriers = (uint32_t)number(cells[6]),
        };
        for (int i = 0; i < 7; i++)
            r[i] = (int64_t)number(cells[7 + i]);
        check_against(cells[0], &q, r);
    }
    fclose(file);
    ck_assert_int_eq(rows, 2000);
}
END_TEST

#ifdef HAVE_CUDA_OCCUPANCY_H
START_TEST(random_against_cuda_occupancy)
{
    const struct reference_device *device = &reference_devices[_i];
    uint64_t state = 7 + (uint64_t)_i;
    int compared = 0;
    for (int i = 0; i < 1000000; i++) {
        struct reference_query v = reference_random(&state);
        cudaOccResult result;
        if (reference_occupancy(device, &v, &result))
            continue;
        struct sim_occupancy_query q = {v.threads,        v.registers, v.shared_static,
                                        v.shared_dynamic, v.carveout,  v.barriers};
        int64_t r[7] = {result.activeBlocksPerMultiprocessor,
                        result.blockLimitWarps,
                        result.blockLimitBlocks,
                        result.blockLimitRegs,
                        result.blockLimitSharedMem,
                        result.blockLimitBarriers,
                        (int64_t)result.allocatedSharedMemPerBlock};
        check_against(device->name, &q, r);
        compared++;
    }
    ck_assert_int_gt(compared, 700000);
}
END_TEST
#endif

/* Fermi by the published rules, said as "the most blocks that still fit": 48 warps, 8 blocks; registers in units of 64
 * a warp, an even number of warps; shared memory in units of 128 bytes of 48 KiB. */
static bool fermi_fits(uint32_t blocks, uint32_t threads, uint32_t registers, uint32_t shared)
{
    uint32_t warps = (threads + 31) / 32, per_warp = 0, room = 0;
    while (per_warp < registers * 32)
        per_warp += 64;
    while ((room + 2) * per_warp <= 32768)
        room += 2;
    while (shared % 128)
        shared++;
    return threads <= 1024 && registers <= 63 && blocks <= 8 && blocks * warps <= 48 && blocks * warps <= room &&
           blocks * shared <= 49152;
}

START_TEST(fermi_by_its_published_rules)
{
    static const uint32_t threads[] = {32, 96, 128, 192, 256, 480, 512, 768, 1000, 1024};
    static const uint32_t usage[][2] = {{20, 0}, {21, 4096}, {33, 6145}, {63, 16384}};
    int count = 0;
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        for (size_t u = 0; u < sizeof usage / sizeof usage[0]; u++, count++) {
            struct sim_occupancy_query q = {threads[t], usage[u][0], usage[u][1] / 2, (usage[u][1] + 1) / 2, -1, 1};
            struct sim_occupancy o;
            uint32_t most = 0;
            while (fermi_fits(most + 1, threads[t], usage[u][0], usage[u][1]))
                most++;
            sim_occupancy_compute(sim_device_find("gtx580"), &q, &o);
            ck_assert_uint_eq(o.blocks_per_sm, most);
            ck_assert_uint_eq(o.limit_blocks[SIM_LIMIT_BARRIERS], UINT32_MAX);
        }
    }
    ck_assert_int_eq(count, 40);
}
END_TEST

static uint32_t blocks_on(const char *device, uint32_t threads, uint32_t registers, uint64_t shared)
{
    struct sim_occupancy_query q = {threads, registers, 0, shared, -1, 1};
    struct sim_occupancy o;
    sim_occupancy_compute(sim_device_find(device), &q, &o);
    return o.blocks_per_sm;
}

START_TEST(figures_worked_out_by_hand)
{
    struct sim_occupancy_query q = {256, 20, 0, 0, -1, 1};
    struct sim_occupancy o;

    /* 20 registers x 32 = 640 a warp; 32768 / 640 = 51, even 50; 50 / 8 = 6. Warps: 48 / 8 = 6. */
    sim_occupancy_compute(sim_device_find("gtx580"), &q, &o);
    ck_assert_uint_eq(o.blocks_per_sm, 6);
    ck_assert_uint_eq(o.warps_per_sm, 48);
    ck_assert(o.occupancy_pct == 100.0);
    ck_assert_uint_eq(o.limiter, SIM_LIMIT_WARPS);
    ck_assert_uint_eq(o.limiter_mask, 1u << SIM_LIMIT_WARPS | 1u << SIM_LIMIT_REGISTERS);

    ck_assert_uint_eq(blocks_on("gtx580", 256, 64, 0), 0);  /* 63 registers at most */
    ck_assert_uint_eq(blocks_on("gtx580", 1024, 33, 0), 0); /* 33 x 32 = 1056 -> 1088; 30 warps */
    /* 80 registers: 2560 a warp, 6 warps in a quarter's 16384: 24 blocks of one warp, not 25. */
    ck_assert_uint_eq(blocks_on("h200", 32, 80, 0), 24);
    /* 33 registers: 1056 -> 1280 a warp; 12 in a quarter, 48 warps; 6 blocks of 8. */
    ck_assert_uint_eq(blocks_on("h200", 256, 33, 0), 6);
    ck_assert_uint_eq(blocks_on("h200", 1024, 64, 0), 1); /* 2048 a warp, all 65536 */
    ck_assert_uint_eq(blocks_on("h200", 1024, 65, 0), 0);
    ck_assert_uint_eq(blocks_on("h200", 128, 168, 60000), 3); /* (60000 + 1024) -> 61056; 233472 / 61056 */
    ck_assert_uint_eq(blocks_on("rtx3090", 64, 32, 1000), 16);
    ck_assert_uint_eq(blocks_on("rtx4090", 64, 32, 1000), 24);
    ck_assert_uint_eq(blocks_on("v100", 32, 16, 98304), 1);
    ck_assert_uint_eq(blocks_on("v100", 32, 16, 98305), 0);
}
END_TEST

START_TEST(a_chosen_carveout_does_not_bind)
{
    /* 32 blocks of 64 threads: the driver gives 32 KiB, room for just those 32 blocks, but would give more. */
    struct sim_occupancy_query q = {64, 16, 0, 0, -1, 1};
    struct sim_occupancy o;
    sim_occupancy_compute(sim_device_find("h200"), &q, &o);
    ck_assert_uint_eq(o.blocks_per_sm, 32);
    ck_assert_uint_eq(o.limit_blocks[SIM_LIMIT_SHARED], 32);
    ck_assert_uint_eq(o.limiter_mask, 1u << SIM_LIMIT_WARPS | 1u << SIM_LIMIT_BLOCKS);
    q.carveout_percent = 0;
    sim_occupancy_compute(sim_device_find("h200"), &q, &o);
    ck_assert_uint_eq(o.shared_config_bytes, 8192);
    ck_assert_uint_eq(o.blocks_per_sm, 8);
    ck_assert_uint_eq(o.limiter_mask, 1u << SIM_LIMIT_SHARED);
}
END_TEST

START_TEST(barriers_bind)
{
    /* 64 named barriers an SM, 16 a block: 4 blocks. */
    struct sim_occupancy_query q = {64, 16, 0, 0, -1, 16};
    struct sim_occupancy o;
    sim_occupancy_compute(sim_device_find("h200"), &q, &o);
    ck_assert_uint_eq(o.blocks_per_sm, 4);
    ck_assert_uint_eq(o.limiter, SIM_LIMIT_BARRIERS);
    sim_occupancy_compute(sim_device_find("a100"), &q, &o);
    ck_assert_uint_eq(o.blocks_per_sm, 32);
}
END_TEST

START_TEST(wild_values)
{
    static const uint64_t sizes[] = {0, 1, 49152, 1u << 30, UINT64_MAX};
    static const uint32_t counts[] = {0, 1, 1025, UINT32_MAX};
    for (size_t d = 0; d < sim_device_count(); d++) {
        for (int i = 0; i < 4 * 4 * 5 * 5 * 4; i++) {
            struct sim_occupancy_query q = {counts[i % 4],
                                            counts[i / 4 % 4],
                                            sizes[i / 16 % 5],
                                            sizes[i / 80 % 5],
                                            (int32_t[]){-1, 0, 100, INT32_MAX}[i / 400],
                                            counts[i / 4 % 4]};
            struct sim_occupancy o;
            sim_occupancy_compute(sim_device_at(d), &q, &o);
            ck_assert_uint_le(o.blocks_per_sm, sim_device_at(d)->max_blocks_per_sm);
            ck_assert_uint_lt(o.limiter, SIM_LIMIT_COUNT);
            ck_assert(o.launchable == (o.blocks_per_sm > 0));
            if (q.block_threads == 0 || q.block_threads > 1024)
                ck_assert(!o.launchable);
        }
    }
}
END_TEST

#define COLUMNS 600

static size_t column(char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return i;
    }
    ck_abort_msg("no column %s", name);
    return 0;
}

START_TEST(launches_of_the_h200_record)
{
    static const char *const names[] = {"launch__block_size",
                                        "launch__registers_per_thread",
                                        "launch__shared_mem_per_block_static",
                                        "launch__shared_mem_per_block_dynamic",
                                        "launch__occupancy_limit_warps",
                                        "launch__occupancy_limit_blocks",
                                        "launch__occupancy_limit_registers",
                                        "launch__occupancy_limit_shared_mem",
                                        "launch__shared_mem_config_size",
                                        "launch__shared_mem_per_block_allocated",
                                        "sm__maximum_warps_per_active_cycle_pct"};
    static char head_line[65536], line[65536];
    char *head[COLUMNS], *cells[COLUMNS];
    size_t at[11];
    FILE *file = open_file(RECORD "guide/guide.ncu.csv");
    int rows = 0;

    ck_assert_ptr_nonnull(fgets(head_line, sizeof head_line, file));
    size_t columns = split(head_line, head, COLUMNS);
    for (int i = 0; i < 11; i++)
        at[i] = column(head, columns, names[i]);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file)); /* units */
    for (; fgets(line, sizeof line, file); rows++) {
        uint64_t v[10];
        struct sim_occupancy o;
        ck_assert_uint_eq(split(line, cells, COLUMNS), columns);
        for (int i = 0; i < 10; i++)
            v[i] = number(cells[at[i]]);
        struct sim_occupancy_query q = {(uint32_t)v[0], (uint32_t)v[1], v[2], v[3], -1, 1};
        sim_occupancy_compute(sim_device_find("h200"), &q, &o);
        ck_assert_uint_eq(o.limit_blocks[SIM_LIMIT_WARPS], v[4]);
        ck_assert_uint_eq(o.limit_blocks[SIM_LIMIT_BLOCKS], v[5]);
        ck_assert_uint_eq(o.limit_blocks[SIM_LIMIT_REGISTERS], v[6]);
        ck_assert_uint_eq(o.limit_blocks[SIM_LIMIT_SHARED], v[7]);
        ck_assert_uint_eq(o.shared_config_bytes, v[8]);
        ck_assert_uint_eq(o.shared_per_block_allocated_bytes, v[9]);
        ck_assert(fabs(o.occupancy_pct - strtod(cells[at[10]], NULL)) < 0.005); /* ncu prints two decimals */
    }
    fclose(file);
    ck_assert_int_eq(rows, 47);
}
END_TEST

START_TEST(carveouts_of_the_h200_record)
{
    static const struct {
        const char *path;
        int rows;
    } files[] = {{RECORD "guide/carveout.csv", 540}, {RECORD "carveout/sizes.csv", 70}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        FILE *file = open_file(files[i].path);
        char line[256], *cells[16];
        int rows = 0;
        ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
        for (; fgets(line, sizeof line, file); rows++) {
            struct sim_occupancy o;
            ck_assert_uint_eq(split(line, cells, 16), 8);
            struct sim_occupancy_query q = {
                (uint32_t)number(cells[1]), (uint32_t)number(cells[3]), 0, number(cells[2]), -1, 1};
            sim_occupancy_compute(sim_device_find("h200"), &q, &o);
            ck_assert_uint_eq(o.shared_per_block_allocated_bytes, number(cells[4]));
            ck_assert_uint_eq(o.limit_blocks[SIM_LIMIT_WARPS], number(cells[5]));
            ck_assert_uint_eq(o.limit_blocks[SIM_LIMIT_REGISTERS], number(cells[6]));
            ck_assert_uint_eq(o.shared_config_bytes, number(cells[7]));
        }
        fclose(file);
        ck_assert_int_eq(rows, files[i].rows);
    }
}
END_TEST

Suite *occupancy_suite(void)
{
    Suite *suite = suite_create("occupancy");
    TCase *tests = tcase_create("occupancy");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, vectors_of_cuda_occupancy);
#ifdef HAVE_CUDA_OCCUPANCY_H
    tcase_add_loop_test(tests, random_against_cuda_occupancy, 0, (int)REFERENCE_DEVICES);
#endif
    tcase_add_test(tests, fermi_by_its_published_rules);
    tcase_add_test(tests, figures_worked_out_by_hand);
    tcase_add_test(tests, a_chosen_carveout_does_not_bind);
    tcase_add_test(tests, barriers_bind);
    tcase_add_test(tests, wild_values);
    tcase_add_test(tests, launches_of_the_h200_record);
    tcase_add_test(tests, carveouts_of_the_h200_record);
    suite_add_tcase(suite, tests);
    return suite;
}
