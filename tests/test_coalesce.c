/* sim/coalesce: against slow counting, the guide's figures, and what Nsight Compute counted on a real H200. */
#include "sim/args.h"
#include "sim/coalesce.h"
#include "tests/support.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *coalesce_suite(void);

#define ALL UINT32_MAX

/* splitmix64. */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Distinct sectors, byte by byte. */
static uint32_t slow_sectors(const uint64_t address[32], uint32_t mask, uint32_t width, uint32_t sector)
{
    uint64_t seen[32 * 33];
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        for (uint32_t byte = 0; mask >> lane & 1 && byte < width; byte++) {
            uint64_t number = (address[lane] + byte) / sector;
            uint32_t i = 0;
            while (i < count && seen[i] != number)
                i++;
            if (i == count)
                seen[count++] = number;
        }
    }
    return count;
}

/* Passes of lanes [from, to): for each bank the distinct words (lanes, for atomics), byte by byte. */
static uint32_t slow_passes(const uint64_t address[32], uint32_t mask, uint32_t width, uint32_t from, uint32_t to,
                            bool count_lanes)
{
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < 32; bank++) {
        uint64_t seen[256];
        uint32_t count = 0, lanes = 0;
        for (uint32_t lane = from; lane < to; lane++) {
            bool touches = false;
            for (uint32_t byte = 0; mask >> lane & 1 && byte < width; byte++) {
                uint64_t word = (address[lane] + byte) / 4;
                uint32_t i = 0;
                if (word % 32 != bank)
                    continue;
                touches = true;
                while (i < count && seen[i] != word)
                    i++;
                if (i == count)
                    seen[count++] = word;
            }
            lanes += touches;
        }
        if (count_lanes)
            count = lanes;
        most = count > most ? count : most;
    }
    return most;
}

static bool slow_pairs(const uint64_t address[32], uint32_t mask, uint32_t from, uint32_t to, uint32_t distance)
{
    for (uint32_t a = from; a < to; a++) {
        if (mask >> a & 1 && mask >> (a ^ distance) & 1 && address[a] != address[a ^ distance])
            return false;
    }
    return true;
}

static uint32_t slow_wavefronts(const uint64_t address[32], uint32_t mask, uint32_t width, enum sim_shared_kind kind)
{
    uint32_t lanes = width <= 4 ? 32 : 128 / width, total = 0, active = 0, first = 32;
    bool same = true, busy = true;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(mask >> lane & 1))
            continue;
        first = first == 32 ? lane : first;
        same = same && address[lane] == address[first];
        active++;
    }
    for (uint32_t from = 0; from < 32; from += lanes)
        busy = busy && slow_passes(address, mask, width, from, from + lanes, false) > 0;
    if (kind == SIM_SHARED_LOAD && lanes < 32 && same)
        return (active * width + 255) / 256;
    for (uint32_t from = 0; from < 32; from += lanes) {
        uint32_t here = slow_passes(address, mask, width, from, from + lanes, kind == SIM_SHARED_ATOMIC);
        if (kind == SIM_SHARED_LOAD && from % (2 * lanes) == 0 && lanes < 32) {
            uint32_t end = from + 2 * lanes;
            uint32_t next = slow_passes(address, mask, width, from + lanes, end, false);
            bool pairs = slow_pairs(address, mask, from, end, 1) || slow_pairs(address, mask, from, end, 2);
            if (here && next && (pairs || !busy) && slow_passes(address, mask, width, from, end, false) == 1) {
                total++;
                from += lanes;
                continue;
            }
        }
        total += here;
    }
    return total;
}

static uint32_t fill(uint32_t mask, uint32_t width, uint32_t unit, uint32_t actual)
{
    uint32_t packed = ((uint32_t)__builtin_popcount(mask) * width + unit - 1) / unit;
    return packed < actual ? packed : actual;
}

static void check_global(const uint64_t address[32], uint32_t mask, uint32_t width, uint32_t sector)
{
    uint32_t want = slow_sectors(address, mask, width, sector);
    ck_assert_uint_eq(sim_sectors(address, mask, width, sector), want);
    ck_assert_uint_eq(sim_sectors_ideal(address, mask, width, sector), fill(mask, width, sector, want));
}

/* The groups hold every active lane once, and their wavefronts sum up to the whole. */
static void check_groups(const uint64_t address[32], uint32_t mask, uint32_t width, enum sim_shared_kind kind,
                         uint32_t want)
{
    struct sim_bank_groups groups;
    uint32_t lanes = 0, sum = 0;
    sim_shared_groups(address, mask, width, kind, 32, 4, &groups);
    for (uint32_t i = 0; i < groups.count; i++) {
        uint32_t from = (uint32_t)__builtin_ctz(groups.items[i].mask);
        ck_assert_uint_eq(lanes & groups.items[i].mask, 0);
        ck_assert_uint_ge(groups.items[i].wavefronts, 1);
        ck_assert_uint_ge(groups.items[i].wavefronts,
                          slow_passes(address, groups.items[i].mask, width, from, 32, kind == SIM_SHARED_ATOMIC));
        lanes |= groups.items[i].mask;
        sum += groups.items[i].wavefronts;
    }
    ck_assert_uint_eq(lanes, mask);
    ck_assert_uint_eq(sum, want);
}

static void check_shared(const uint64_t address[32], uint32_t mask, uint32_t width)
{
    for (int kind = SIM_SHARED_LOAD; kind <= SIM_SHARED_ATOMIC; kind++) {
        if (kind == SIM_SHARED_ATOMIC && width > 8)
            continue;
        uint32_t want = slow_wavefronts(address, mask, width, (enum sim_shared_kind)kind);
        struct sim_wavefronts w = sim_shared_wavefronts(address, mask, width, (enum sim_shared_kind)kind, 32, 4);
        ck_assert_msg(w.actual == want, "kind %d width %u mask %08x: %u, expected %u", kind, width, mask, w.actual,
                      want);
        ck_assert_uint_eq(w.ideal, fill(mask, width, 128, want));
        check_groups(address, mask, width, (enum sim_shared_kind)kind, want);
    }
}

static uint32_t random_mask(uint64_t *state)
{
    uint64_t z = draw(state);
    switch (z % 6) {
    case 0:
        return ALL;
    case 1:
        return ALL >> (z >> 8) % 32;
    case 2:
        return (uint32_t)(z >> 32 & draw(state));
    case 3:
        return UINT32_C(1) << (z >> 8) % 32;
    case 4:
        return ALL << (z >> 8) % 32;
    default:
        return (uint32_t)(z >> 32);
    }
}

/* Addresses of one of several shapes, all multiples of width. */
static void random_addresses(uint64_t *state, uint32_t width, uint64_t base, uint64_t address[32])
{
    uint64_t z = draw(state), spread = UINT64_C(1) << (z >> 8) % 12, step = (z >> 16) % 40;
    for (uint64_t i = 0; i < 32; i++) {
        uint64_t n = 0, r = draw(state);
        switch (z % 8) {
        case 0:
            n = r % spread;
            break;
        case 1:
            n = i * step;
            break;
        case 2:
            n = (31 - i) * step;
            break;
        case 3:
            n = i / (1 + step % 8) * (z >> 24) % 64;
            break;
        case 4:
            n = i % (1 + step);
            break;
        case 5:
            n = i ^ step % 32;
            break;
        case 6:
            n = i * (1 + step) + (i == 17);
            break;
        default:
            n = i >= step ? i * 3 : i;
            break;
        }
        address[i] = base + n * width;
    }
}

START_TEST(random_against_slow_counting)
{
    static const uint32_t widths[] = {1, 2, 4, 8, 16, 32};
    uint64_t state = 11, address[32];
    for (int i = 0; i < 60000; i++) {
        uint32_t width = widths[i % 6], mask = random_mask(&state);
        random_addresses(&state, width, i % 2 ? 0x700000000000 : 256, address);
        check_global(address, mask, width, 32);
        if (i % 8 == 0)
            check_global(address, mask, width, 128);
        if (width <= 16 && i % 3 == 0)
            check_shared(address, mask, width);
    }
}
END_TEST

START_TEST(misaligned_and_far_addresses)
{
    uint64_t state = 5, address[32];
    for (int i = 0; i < 20000; i++) {
        uint32_t width = 1u << i % 6, mask = random_mask(&state);
        for (int lane = 0; lane < 32; lane++)
            address[lane] = 4096 + draw(&state) % (i % 2 ? 200 : 4000);
        check_global(address, mask, width, 32);
        check_global(address, mask, width, 8);
    }
    /* One misaligned 4-byte word that crosses a sector and a bank. */
    address[0] = 30;
    ck_assert_uint_eq(sim_sectors(address, 1, 4, 32), 2);
    ck_assert_uint_eq(sim_shared_wavefronts(address, 1, 4, SIM_SHARED_LOAD, 32, 4).actual, 1);
    /* The end of the address space, wrap-around and steps near 2^63 answer something and return. */
    for (int lane = 0; lane < 32; lane++)
        address[lane] = UINT64_MAX - (uint64_t)lane % 7;
    ck_assert_uint_ge(sim_sectors(address, ALL, 32, 32), 1);
    ck_assert_uint_ge(sim_shared_wavefronts(address, ALL, 16, SIM_SHARED_LOAD, 32, 4).actual, 1);
    for (uint64_t lane = 0; lane < 32; lane++)
        address[lane] = lane << 60;
    ck_assert_uint_eq(sim_sectors(address, ALL, 4, 32), 16);
    for (uint64_t lane = 0; lane < 32; lane++)
        address[lane] = lane << 59;
    ck_assert_uint_eq(sim_sectors(address, ALL, 4, 32), 32);
    ck_assert_uint_eq(sim_shared_wavefronts(address, ALL, 4, SIM_SHARED_LOAD, 32, 4).actual, 32);
}
END_TEST

START_TEST(no_lane_needs_nothing)
{
    uint64_t address[32] = {0};
    ck_assert_uint_eq(sim_sectors(address, 0, 4, 32), 0);
    ck_assert_uint_eq(sim_sectors_ideal(address, 0, 4, 32), 0);
    struct sim_wavefronts w = sim_shared_wavefronts(address, 0, 4, SIM_SHARED_ATOMIC, 32, 4);
    ck_assert_uint_eq(w.actual, 0);
    ck_assert_uint_eq(w.ideal, 0);
}
END_TEST

static void spaced(uint64_t address[32], uint64_t base, uint64_t step)
{
    for (uint64_t i = 0; i < 32; i++)
        address[i] = base + i * step;
}

/* The guide's pictures of global accesses: consecutive, permuted, shifted by one word, strides. */
START_TEST(global_figures)
{
    uint64_t address[32];
    spaced(address, 256, 4);
    ck_assert_uint_eq(sim_sectors(address, ALL, 4, 32), 4);
    for (uint64_t i = 0; i < 32; i++)
        address[i] = 256 + (i ^ 21) * 4;
    ck_assert_uint_eq(sim_sectors(address, ALL, 4, 32), 4);
    spaced(address, 260, 4);
    ck_assert_uint_eq(sim_sectors(address, ALL, 4, 32), 5);
    ck_assert_uint_eq(sim_sectors_ideal(address, ALL, 4, 32), 4);
    spaced(address, 256, 8);
    ck_assert_uint_eq(sim_sectors(address, ALL, 4, 32), 8);
    spaced(address, 256, 32);
    ck_assert_uint_eq(sim_sectors(address, ALL, 4, 32), 32);
    ck_assert_uint_eq(sim_sectors_ideal(address, ALL, 4, 32), 4);
    spaced(address, 256, 0);
    ck_assert_uint_eq(sim_sectors(address, ALL, 4, 32), 1);
    ck_assert_uint_eq(sim_sectors_ideal(address, ALL, 4, 32), 1);
    spaced(address, 256, 8);
    ck_assert_uint_eq(sim_sectors(address, ALL, 8, 32), 8);
    spaced(address, 256, 16);
    ck_assert_uint_eq(sim_sectors(address, ALL, 16, 32), 16);
    spaced(address, 256, 1);
    ck_assert_uint_eq(sim_sectors(address, ALL, 1, 32), 1);
    spaced(address, 256, 4);
    ck_assert_uint_eq(sim_sectors(address, 0xff, 4, 32), 1); /* the last 8 elements of 1000 */
    /* Two rows of 16 words, 100 words apart from word 0: 2 sectors, and 400 = 12.5 x 32: 3 sectors. */
    for (uint64_t i = 0; i < 32; i++)
        address[i] = (i / 16 * 100 + i % 16) * 4;
    ck_assert_uint_eq(sim_sectors(address, ALL, 4, 32), 5);
    ck_assert_uint_eq(sim_sectors_ideal(address, ALL, 4, 32), 4);
}
END_TEST

static uint32_t loads(const uint64_t address[32], uint32_t width)
{
    return sim_shared_wavefronts(address, ALL, width, SIM_SHARED_LOAD, 32, 4).actual;
}

/* Strides 1 to 3 words (2 ways at 2), a random permutation, several lanes on one word, broadcast, the 32 x 32 tile. */
START_TEST(shared_figures)
{
    uint64_t address[32];
    static const uint32_t ways[][2] = {{1, 1}, {2, 2}, {3, 1}, {4, 4}, {8, 8}, {16, 16}, {31, 1}, {32, 32}, {33, 1}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        spaced(address, 0, 4 * ways[i][0]);
        ck_assert_uint_eq(loads(address, 4), ways[i][1]);
        ck_assert_uint_eq(sim_shared_wavefronts(address, ALL, 4, SIM_SHARED_STORE, 32, 4).actual, ways[i][1]);
    }
    for (uint64_t i = 0; i < 32; i++)
        address[i] = (i * 13 + 7) % 32 * 4;
    ck_assert_uint_eq(loads(address, 4), 1);
    spaced(address, 0, 4);
    address[3] = address[4] = address[6] = address[7] = address[9] = 20;
    ck_assert_uint_eq(loads(address, 4), 1);
    spaced(address, 68, 0);
    ck_assert_uint_eq(loads(address, 4), 1);
    ck_assert_uint_eq(loads(address, 2), 1);
    ck_assert_uint_eq(sim_shared_wavefronts(address, ALL, 4, SIM_SHARED_STORE, 32, 4).actual, 1);
    ck_assert_uint_eq(sim_shared_wavefronts(address, ALL, 4, SIM_SHARED_ATOMIC, 32, 4).actual, 32);
    spaced(address, 64, 0);
    ck_assert_uint_eq(loads(address, 8), 1);
    ck_assert_uint_eq(loads(address, 16), 2);
    ck_assert_uint_eq(sim_shared_wavefronts(address, ALL, 16, SIM_SHARED_STORE, 32, 4).actual, 4);
    ck_assert_uint_eq(sim_shared_wavefronts(address, 1, 16, SIM_SHARED_LOAD, 32, 4).actual, 1);
    spaced(address, 0, 8);
    ck_assert_uint_eq(loads(address, 8), 2);
    spaced(address, 0, 16);
    ck_assert_uint_eq(loads(address, 16), 4);
}
END_TEST

/* Not a real GPU, but a profile may say so: 16 banks serve 16 lanes at a time; 8-byte banks; one bank. */
START_TEST(other_banks)
{
    uint64_t address[32];
    spaced(address, 0, 4);
    ck_assert_uint_eq(sim_shared_wavefronts(address, ALL, 4, SIM_SHARED_LOAD, 16, 4).actual, 2);
    spaced(address, 0, 8);
    ck_assert_uint_eq(sim_shared_wavefronts(address, ALL, 4, SIM_SHARED_LOAD, 16, 4).actual, 4);
    ck_assert_uint_eq(sim_shared_wavefronts(address, ALL, 8, SIM_SHARED_LOAD, 32, 8).actual, 1);
    ck_assert_uint_eq(sim_shared_wavefronts(address, ALL, 4, SIM_SHARED_STORE, 1, 4).actual, 32);
    spaced(address, 0, 16);
    ck_assert_uint_eq(sim_shared_wavefronts(address, ALL, 16, SIM_SHARED_STORE, 1, 4).actual, 128);
}
END_TEST

static uint64_t cell(char **at)
{
    uint64_t value = strtoull(*at, at, 0);
    *at += **at == ',';
    return value;
}

/* What Nsight Compute 2025.3.1 counted on the H200 for 1,256 single-warp launches (validate/records/h200/lanes). For 17
 * launches of 16-byte shared loads by parts of all four quarter-warps it says one pass more or less than the rule. */
START_TEST(lanes_of_the_h200_record)
{
    FILE *file = fopen(TEST_SRCDIR "/validate/records/h200/lanes/lanes.csv", "r");
    char line[1024];
    int rows = 0, near = 0;
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    for (; fgets(line, sizeof line, file); rows++) {
        char *at = strchr(line, ',') + 1;
        uint64_t address[32], v[4];
        bool is_load = strncmp(line + 1, "ld", 2) == 0;
        uint32_t width = (uint32_t)cell(&at), mask = (uint32_t)cell(&at);
        for (int i = 0; i < 32; i++)
            address[i] = 4096 + cell(&at) * width;
        for (int i = 0; i < 4; i++)
            v[i] = cell(&at);
        if (line[0] == 'g') {
            ck_assert_uint_eq(sim_sectors(address, mask, width, 32), v[0]);
            ck_assert_uint_eq(sim_sectors_ideal(address, mask, width, 32), v[1]);
        } else {
            enum sim_shared_kind kind = is_load                          ? SIM_SHARED_LOAD
                                        : strncmp(line, "satom", 5) == 0 ? SIM_SHARED_ATOMIC
                                                                         : SIM_SHARED_STORE;
            struct sim_wavefronts w = sim_shared_wavefronts(address, mask, width, kind, 32, 4);
            if (is_load && width == 16 && w.actual != v[2]) {
                ck_assert_uint_le(w.actual, v[2] + 1);
                ck_assert_uint_le(v[2], w.actual + 1);
                near++;
            } else {
                ck_assert_uint_eq(w.actual, v[2]);
                ck_assert_uint_eq(w.ideal, v[3]);
                check_groups(address, mask, width, kind, (uint32_t)v[2]);
            }
        }
    }
    fclose(file);
    ck_assert_int_eq(rows, 1256);
    ck_assert_int_eq(near, 17);
}
END_TEST

/* ---- Single atomics: validate/records/h200/atomics ---- */

#define ATOMICS "validate/records/h200/atomics/"

static uint32_t element_bytes(const char *kernel)
{
    if (strstr(kernel, "v4") || strstr(kernel, "128"))
        return 16;
    return strstr(kernel, "64") || strstr(kernel, "v2") ? 8 : 4;
}

/* As atomics.cu computes them: the index's contents, then stride, group, step, mask. */
static uint32_t element_addresses(const struct sim_launch_text *launch, uint64_t address[32])
{
    int32_t index[32] = {0};
    const struct sim_arg *args = launch->args;
    sim_init_fill(&args[1].init, args[1].type, 32, (uint8_t *)index);
    for (uint32_t lane = 0; lane < 32; lane++)
        address[lane] =
            4096 + ((uint64_t)(uint32_t)index[lane] * args[2].value + lane / args[3].value * args[4].value) *
                       element_bytes(launch->kernel);
    return (uint32_t)args[5].value;
}

/* The loop that nvcc makes of what shared memory cannot add: each turn tries, in each group of lanes, the lowest lane
 * on each bank, and it fails when the group before has just changed its word. */
static uint32_t loop_wavefronts(const uint64_t address[32], uint32_t mask, uint32_t width)
{
    uint32_t total = 0, lanes = width == 8 ? 16 : 32;
    for (uint32_t left = mask; left != 0;) {
        uint32_t done = 0;
        total += sim_shared_atomic_wavefronts(address, left, width, SIM_SHARED_ATOMIC_CAST, 32, 4).actual;
        for (uint32_t first = 0; first < 32; first += lanes) {
            uint32_t banks = 0, changed = done;
            for (uint32_t lane = first; lane < first + lanes; lane++) {
                uint32_t bank = UINT32_C(1) << (address[lane] / 4 % 32);
                bool fails = (left >> lane & 1) == 0 || (banks & bank) != 0;
                banks |= left >> lane & 1 ? bank : 0;
                for (uint32_t other = 0; other < 32 && !fails; other++)
                    fails = (changed >> other & 1) && address[other] == address[lane];
                done |= (uint32_t)!fails << lane;
            }
        }
        left &= ~done;
    }
    return total;
}

static void check_atomic(const struct sim_launch_text *launch, const uint64_t expected[11])
{
    const char *kernel = launch->kernel;
    uint64_t address[32];
    uint32_t mask = element_addresses(launch, address), width = element_bytes(kernel);
    if (strncmp(kernel, "shared", 6) != 0) {
        ck_assert_msg(sim_sectors_atomic(address, mask, width, 32) == expected[2] + expected[3], "%s: %u sectors",
                      launch->name, sim_sectors_atomic(address, mask, width, 32));
        ck_assert_uint_eq(expected[5], 0);
        return;
    }
    if (strstr(kernel, "add_f") || strstr(kernel, "add_u64")) {
        ck_assert_msg(loop_wavefronts(address, mask, width) == expected[5], "%s: %u wavefronts", launch->name,
                      loop_wavefronts(address, mask, width));
        return;
    }
    enum sim_shared_atomic how = strstr(kernel, "cas")   ? SIM_SHARED_ATOMIC_CAS
                                 : strstr(kernel, "one") ? SIM_SHARED_ATOMIC_COUNT
                                                         : SIM_SHARED_ATOMIC_PLAIN;
    struct sim_wavefronts w = sim_shared_atomic_wavefronts(address, mask, width, how, 32, 4);
    ck_assert_msg(w.actual == expected[5] && w.actual == expected[7] && w.ideal == expected[8], "%s: %u wavefronts, %u",
                  launch->name, w.actual, w.ideal);
}

/* 648 launches, but for those of a loop whose turns depend on the values (16-bit compare-and-swap). */
START_TEST(atomics_of_the_h200_record)
{
    size_t size = 0, rows = 0;
    struct sim_launch_list *list = NULL;
    char *cases = support_read(ATOMICS "atomics.cases", &size);
    ck_assert_int_eq(sim_launch_list_parse("atomics.cases", cases, size, &list, NULL), BASE_OK);
    char *csv = support_read(ATOMICS "atomics.csv", &size), *at = strchr(csv, '\n') + 1;
    for (; *at != '\0'; rows++, at += strspn(at, "\n")) {
        uint64_t expected[11];
        ck_assert_uint_lt(rows, list->count);
        const struct sim_launch_text *launch = &list->items[rows];
        size_t length = strlen(launch->name);
        ck_assert_msg(strncmp(at, launch->name, length) == 0 && at[length] == ',', "%s is not next", launch->name);
        at += length + 1;
        for (int i = 0; i < 11; i++)
            expected[i] = cell(&at);
        if (strcmp(launch->kernel, "atom_cas_b16") != 0)
            check_atomic(launch, expected);
    }
    ck_assert_uint_eq(rows, 648);
    ck_assert_uint_eq(list->count, 648);
    sim_launch_list_free(list);
    free(cases);
    free(csv);
}
END_TEST

Suite *coalesce_suite(void)
{
    Suite *suite = suite_create("coalesce");
    TCase *tests = tcase_create("coalesce");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, random_against_slow_counting);
    tcase_add_test(tests, misaligned_and_far_addresses);
    tcase_add_test(tests, no_lane_needs_nothing);
    tcase_add_test(tests, global_figures);
    tcase_add_test(tests, shared_figures);
    tcase_add_test(tests, other_banks);
    tcase_add_test(tests, lanes_of_the_h200_record);
    tcase_add_test(tests, atomics_of_the_h200_record);
    suite_add_tcase(suite, tests);
    return suite;
}
