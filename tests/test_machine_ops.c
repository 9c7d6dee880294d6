/* Machine code against the H200: every recorded variant (validate/records/h200/ops, README.md there) as ptxas assembled
 * it (machine/ there) is run on the recorded operands. Results must be the card's bits; those of approximate
 * instructions must keep the error that the PTX ISA states for them.
 *
 * Kernel kN of the cubins is the variant of line N of index.txt, from 0. Its parameters are those of
 * validate/ops/record.c: operand tuples, results (d, e, predicates), the atomics' cells, the number of tuples. */
#include "isa/sass/sass.h"
#include "sim/sim.h"
#include "tests/ops_record.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *machine_ops_suite(void);

enum { GROUP = 500, GROUPS = 8, BLOCK = 128, RESULT_WORDS = 3, CELL_BYTES = 16 }; /* GROUP: of generate.py */

static struct ops_record record;

struct machine_group { /* a cubin and its listing, and the module made of them */
    uint8_t *cubin, *listing;
    struct isa_module *module;
};

static void read_group(unsigned index, struct machine_group *group)
{
    char name[64], path[1024];
    size_t cubin_bytes, listing_bytes;
    struct base_diags diags = {0};
    snprintf(name, sizeof name, "machine/ops_%u.cubin.gz", index);
    ops_record_path(name, path, sizeof path);
    group->cubin = ops_read_gz(path, &cubin_bytes);
    snprintf(name, sizeof name, "machine/ops_%u.sass.gz", index);
    ops_record_path(name, path, sizeof path);
    group->listing = ops_read_gz(path, &listing_bytes);
    ck_assert_int_eq(isa_sass_read("ops.sass", (const char *)group->listing, listing_bytes, "ops.cubin", group->cubin,
                                   cubin_bytes, &group->module, &diags),
                     BASE_OK);
    base_diags_free(&diags);
}

static void free_group(struct machine_group *group)
{
    isa_module_free(group->module);
    free(group->listing);
    free(group->cubin);
}

static uint32_t find_kernel(const struct isa_module *module, size_t number)
{
    char name[32];
    snprintf(name, sizeof name, "k%zu", number);
    for (size_t i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i].name, name) == 0)
            return (uint32_t)i;
    ck_abort_msg("no kernel %s", name);
}

/* An output of one thread's three words. */
static uint64_t output_of(const uint64_t *words, const char *output)
{
    const unsigned bits = ops_output_bits(output);
    const uint64_t whole = *output == 'd' ? words[0] : *output == 'e' ? words[1] : words[2] >> (*output == 'p');
    return bits == 64 ? whole : whole & ((UINT64_C(1) << bits) - 1);
}

/* False: a result differs, and `message` says which. */
static bool compare(const struct ops_variant *v, const uint64_t (*tuples)[VALIDATE_OPS_SLOTS], const uint64_t *results,
                    char *message, size_t message_bytes)
{
    const struct ops_bound *bound = ops_bound_of(v->text);
    unsigned n = 0;
    for (const char *output = v->outputs; output; output = ops_next_output(output), n++)
        for (uint32_t i = 0; i < v->stored; i++) {
            const uint64_t want = ops_recorded(&record, v, n, i);
            const uint64_t got = output_of(results + (size_t)i * RESULT_WORDS, output);
            if (got == want || (bound && ops_is_near(v, bound, tuples[i], got, want)))
                continue;
            snprintf(message, message_bytes,
                     "%s a %" PRIx64 " b %" PRIx64 " c %" PRIx64 ": %.3s is %" PRIx64 ", the card has %" PRIx64,
                     v->text, tuples[i][0], tuples[i][1], tuples[i][2], output, got, want);
            return false;
        }
    return true;
}

static bool replay(const struct isa_module *module, uint32_t kernel, const struct ops_variant *v, char *message,
                   size_t message_bytes)
{
    const uint64_t(*tuples)[VALIDATE_OPS_SLOTS] = ops_operands(&record, v);
    const uint64_t in_bytes = (uint64_t)v->stored * sizeof *tuples;
    const uint64_t out_bytes = (uint64_t)v->stored * RESULT_WORDS * sizeof(uint64_t);
    const struct sim_options options = {.device = sim_device_find("h200"), .max_instructions = 300000};
    const struct sim_launch_text launch = {.name = "ops",
                                           .grid = {(v->stored + BLOCK - 1) / BLOCK, 1, 1},
                                           .block = {BLOCK, 1, 1},
                                           .cluster = {1, 1, 1},
                                           .carveout_percent = -1};
    struct sim_memory memory;
    struct sim_report report;
    struct base_diags diags = {0};
    uint64_t addresses[3];
    uint8_t params[sizeof addresses + sizeof v->stored];
    sim_memory_init(&memory, 0);
    ck_assert_int_eq(sim_memory_alloc(&memory, in_bytes, "in", &addresses[0]), BASE_OK);
    ck_assert_int_eq(sim_memory_alloc(&memory, out_bytes, "out", &addresses[1]), BASE_OK);
    ck_assert_int_eq(sim_memory_alloc(&memory, (uint64_t)v->stored * CELL_BYTES, "cells", &addresses[2]), BASE_OK);
    memcpy(sim_memory_at(&memory, addresses[0], in_bytes), tuples, in_bytes);
    memcpy(params, addresses, sizeof addresses);
    memcpy(params + sizeof addresses, &v->stored, sizeof v->stored);
    const struct sim_bound bound = {.params = params, .param_bytes = sizeof params};
    const enum base_status status = sim_run(module, kernel, &launch, &bound, &memory, &options, &report, &diags);
    bool equal = status == BASE_OK && report.status == SIM_RUN_OK;
    if (equal)
        equal = compare(v, tuples, (const uint64_t *)(const void *)sim_memory_at(&memory, addresses[1], out_bytes),
                        message, message_bytes);
    else
        snprintf(message, message_bytes, "%s: %s", v->text, report.message ? report.message : "not run");
    if (status != BASE_NOMEM)
        sim_report_free(&report);
    base_diags_free(&diags);
    sim_memory_free(&memory);
    return equal;
}

START_TEST(machine_code_gives_the_cards_bits)
{
    struct machine_group group;
    const size_t first = (size_t)_i * GROUP;
    const size_t end = first + GROUP < record.count ? first + GROUP : record.count;
    size_t different = 0;
    char message[768], first_message[768] = "";
    read_group((unsigned)_i, &group);
    ck_assert_uint_eq(group.module->function_count, end - first);
    for (size_t i = first; i < end; i++)
        if (!replay(group.module, find_kernel(group.module, i), &record.variants[i], message, sizeof message) &&
            different++ == 0)
            memcpy(first_message, message, sizeof first_message);
    free_group(&group);
    ck_assert_msg(different == 0, "%zu of %zu variants differ, the first: %s", different, end - first, first_message);
}
END_TEST

static void read_record(void)
{
    ops_record_read(&record);
}

static void free_record(void)
{
    ops_record_free(&record);
}

Suite *machine_ops_suite(void)
{
    Suite *suite = suite_create("machine_ops");
    TCase *tcase = tcase_create("h200");
    tcase_set_timeout(tcase, 300);
    tcase_add_unchecked_fixture(tcase, read_record, free_record);
    tcase_add_loop_test(tcase, machine_code_gives_the_cards_bits, 0, GROUPS);
    suite_add_tcase(suite, tcase);
    return suite;
}
