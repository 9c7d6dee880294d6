/* The approximate functions against the H200: every bit of every argument in whole binades, and of special ones
 * (validate/records/h200/mufu, README.md there). */
#include "sim/args.h"
#include "sim/exec.h"
#include "tests/support.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *mufu_suite(void);

#define RECORD "validate/records/h200/mufu/"

static const struct {
    const char *name;
    enum isa_op op;
} functions[] = {{"rcp", ISA_OP_RCP}, {"rsq", ISA_OP_RSQRT}, {"sqrt", ISA_OP_SQRT}, {"ex2", ISA_OP_EX2},
                 {"lg2", ISA_OP_LG2}, {"sin", ISA_OP_SIN},   {"cos", ISA_OP_COS}};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static void compute(enum isa_op op, bool ftz, enum sim_level level, const uint32_t *in, uint32_t *out, size_t count)
{
    const struct isa_insn insn = {
        .op = (uint16_t)op, .type = ISA_TYPE_F32, .mods = {.flags = ISA_FLAG_APPROX | (ftz ? ISA_FLAG_FTZ : 0U)}};
    sim_lane_fn *fn = sim_exec_find(&insn, level);
    ck_assert(fn != NULL);
    for (size_t i = 0; i < count; i += SIM_WARP_SIZE) {
        uint32_t row[SIM_WARP_SIZE] __attribute__((aligned(64))), result[SIM_WARP_SIZE] __attribute__((aligned(64)));
        memcpy(row, in + i, sizeof row);
        (void)fn(result, row, NULL, NULL, NULL, 0);
        memcpy(out + i, result, sizeof result);
    }
}

static void draw(uint32_t *out, size_t count, uint32_t mask, uint32_t add)
{
    uint64_t state = 12345;
    for (size_t i = 0; i < count; i++) {
        state += UINT64_C(0x9e3779b97f4a7c15);
        uint64_t z = state;
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        out[i] = ((uint32_t)(z ^ z >> 31) & mask) + add;
    }
}

static enum isa_op find(const char *name, bool *ftz)
{
    const char *end = strchr(name, '_');
    *ftz = end == NULL;
    for (size_t f = 0; f < FUNCTIONS; f++)
        if (strncmp(functions[f].name, name, end != NULL ? (size_t)(end - name) : strlen(name)) == 0)
            return functions[f].op;
    ck_abort_msg("no function %s", name);
}

static void check_line(const char *line)
{
    char name[16];
    uint32_t first, stride, mask;
    size_t count;
    uint64_t hash;
    bool ftz, drawn = sscanf(line, "%15s drawn %zu %" SCNx32 " %" SCNx32 " %" SCNx64, name, &count, &mask, &first,
                             &hash) == 5;
    ck_assert(drawn ||
              sscanf(line, "%15s %" SCNx32 " %zu %" SCNu32 " %" SCNx64, name, &first, &count, &stride, &hash) == 5);
    const enum isa_op op = find(name, &ftz);
    uint32_t *in = malloc(count * sizeof *in), *out = malloc(count * sizeof *out);
    ck_assert(in != NULL && out != NULL && count % SIM_WARP_SIZE == 0);
    if (drawn)
        draw(in, count, mask, first);
    for (size_t i = 0; !drawn && i < count; i++)
        in[i] = first + (uint32_t)i * stride;
    compute(op, ftz, sim_exec_best_level(), in, out, count);
    ck_assert_msg(sim_fnv1a64((const uint8_t *)out, count * sizeof *out) == hash, "%.60s", line);
    free(in);
    free(out);
}

START_TEST(every_argument_of_a_binade)
{
    size_t size, lines = 0;
    char *text = support_read(RECORD "hashes.txt", &size);
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
        if (*line != '#') {
            check_line(line);
            lines++;
        }
    ck_assert_uint_eq(lines, 35);
    free(text);
}
END_TEST

START_TEST(special_arguments)
{
    static const uint32_t fractions[] = {0, 1, 2, 0x3fffff, 0x400000, 0x7ffffe, 0x7fffff, 0x2aaaaa};
    enum { COUNT = 512 * 8 };
    static uint32_t in[COUNT], out[COUNT];
    size_t size;
    char *record = support_read(RECORD "corner.u32", &size);
    ck_assert_uint_eq(size, sizeof out * 2 * FUNCTIONS);
    for (uint32_t i = 0; i < COUNT; i++)
        in[i] = (i / 8) << 23 | fractions[i % 8];
    for (size_t f = 0; f < 2 * (size_t)FUNCTIONS; f++)
        for (unsigned level = SIM_LEVEL_BASE; level <= (unsigned)sim_exec_best_level(); level++) {
            compute(functions[f / 2].op, f % 2 == 0, (enum sim_level)level, in, out, COUNT);
            for (size_t i = 0; i < COUNT; i++) {
                uint32_t want;
                memcpy(&want, record + (f * COUNT + i) * sizeof want, sizeof want);
                ck_assert_msg(out[i] == want, "%s%s of %08x: %08x, the H200 gives %08x", functions[f / 2].name,
                              f % 2 == 0 ? ".ftz" : "", in[i], out[i], want);
            }
        }
    free(record);
}
END_TEST

Suite *mufu_suite(void)
{
    Suite *suite = suite_create("mufu");
    TCase *tests = tcase_create("approximate functions");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, special_arguments);
    tcase_add_test(tests, every_argument_of_a_binade);
    suite_add_tcase(suite, tests);
    return suite;
}
