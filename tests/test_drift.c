/* A simulator that is broken on purpose: 16 banks, sectors of 64 bytes, registers given out in another unit, an FMA
 * that rounds towards zero. Each time the replay of the H200's record of the guide fails, and names the kernel and the
 * metric; unbroken it does not.
 *
 * The first three are changes of the device; for the last the linker leads every call of sim_exec_find() here
 * (-Wl,--wrap), so that nothing of it is in the simulator. */
#include "tests/support.h"
#include "validate/page.h"

#include "report/report.h"
#include "sim/exec.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD "validate/records/h200/guide/guide"

sim_lane_fn *__real_sim_exec_find(const struct isa_insn *insn, enum sim_level level);
sim_lane_fn *__wrap_sim_exec_find(const struct isa_insn *insn, enum sim_level level);

static bool fma_is_broken; /* in the process of one test */

sim_lane_fn *__wrap_sim_exec_find(const struct isa_insn *insn, enum sim_level level)
{
    struct isa_insn other = *insn;
    if (fma_is_broken && insn->op == ISA_OP_FMA && insn->type == ISA_TYPE_F32)
        other.mods.round = ISA_ROUND_RZ;
    return __real_sim_exec_find(&other, level);
}

static void break_banks(struct sim_device *device)
{
    device->bank_count = 16;
}

static void break_sectors(struct sim_device *device)
{
    device->sector_bytes = 64;
}

static void break_registers(struct sim_device *device)
{
    device->register_unit++;
}

static void break_fma(struct sim_device *device)
{
    (void)device;
    fma_is_broken = true;
}

/* Of the record's launches one that shows it, and what the page says then: the kernel and the metric. */
static const struct {
    const char *launch, *form;
    void (*destroy)(struct sim_device *device);
    const char *kernel, *metric;
} rows[] = {
    {"bank_stride2", "ptx", break_banks, "bank_stride", "memory_l1_wavefronts_shared"},
    {"copy_offset1", "ptx", break_sectors, "copy_offset", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"copy_offset8", "sass", break_registers, "copy_offset", "launch__occupancy_limit_registers"},
    {"matMul16_odd", "ptx", break_fma, "matMul16", "buffer of argument 2"},
    {"matMul16_odd", "sass", break_fma, "matMul16", "buffer of argument 2"},
};

/* The launch's report as JSON. */
static void simulate(const struct support_list *list, const char *launch, const struct sim_device *device,
                     struct base_strbuf *json)
{
    for (size_t i = 0; i < list->launches->count; i++) {
        struct support_launch ran;
        const struct sim_options options = {.device = device, .max_instructions = SIM_MAX_INSTRUCTIONS_DEFAULT};
        if (strcmp(list->launches->items[i].name, launch) != 0)
            continue;
        support_launch_bind(&ran, list, i);
        ck_assert_int_eq(
            sim_run(ran.module, ran.kernel, ran.text, &ran.bound, &ran.memory, &options, &ran.report, NULL), BASE_OK);
        report_json(&ran.report, NULL, "0", json);
        support_launch_free(&ran);
    }
    ck_assert(json->length > 0 && !json->failed);
}

/* ncu's rows: the names, the units and the launch's own, which need not be the first of its kernel. */
static char *row_of(const char *launch)
{
    struct support_record record;
    struct base_strbuf out = {0};
    support_record_read(&record, RECORD);
    int64_t row = support_record_row(&record, launch);
    ck_assert_int_ge(row, 0);
    const size_t lines[] = {0, 1, (size_t)row};
    for (size_t i = 0; i < 3; i++)
        for (size_t c = 0; c < record.csv.data[lines[i]].cell.count; c++)
            base_strbuf_printf(&out, "%s\"%s\"%s", c > 0 ? "," : "", record.csv.data[lines[i]].cell.data[c],
                               c + 1 == record.csv.data[lines[i]].cell.count ? "\n" : "");
    support_record_free(&record);
    return base_strbuf_take(&out);
}

/* The page of what differs. True: all agrees. */
static bool replay(size_t index, const struct sim_device *device, struct base_strbuf *page)
{
    const struct validate_page how = {.quiet = true, .version = "0"};
    struct support_list list;
    struct base_strbuf json = {0};
    struct validate_measure sim, gpu;
    struct validate_outputs outputs;
    struct validate_comparison comparison;
    struct base_diags diags = {0};
    size_t size = 0;
    char *ncu = row_of(rows[index].launch), *printed = support_read(RECORD ".outputs.txt", &size);
    support_list_read_as(&list, RECORD ".cases", strcmp(rows[index].form, "sass") == 0 ? "guide.sass" : NULL);
    simulate(&list, rows[index].launch, device, &json);
    ck_assert_int_eq(validate_measure_read("sim", json.data, json.length, &sim, &diags), BASE_OK);
    ck_assert_int_eq(validate_measure_read("gpu", ncu, strlen(ncu), &gpu, &diags), BASE_OK);
    ck_assert_int_eq(validate_outputs_read(printed, size, &outputs), BASE_OK);
    /* The shared wavefronts of this launch's PTX are not the card's (suite guide): the buffers are looked at. */
    const struct validate_options options = {.classes = VALIDATE_EXACT, .outputs = &outputs};
    ck_assert_int_eq(validate_compare(&sim, &gpu, &options, &comparison, &diags), BASE_OK);
    validate_text(&comparison, &how, page);
    bool agrees = validate_agrees(&comparison);
    validate_comparison_free(&comparison);
    validate_outputs_free(&outputs);
    validate_measure_free(&gpu);
    validate_measure_free(&sim);
    base_strbuf_free(&json);
    base_diags_free(&diags);
    support_list_free(&list);
    free(printed);
    free(ncu);
    return agrees;
}

START_TEST(test_broken)
{
    struct sim_device device = *sim_device_find("h200");
    struct base_strbuf good = {0}, bad = {0};
    char line[128];
    snprintf(line, sizeof(line), "\n  ! %s ", rows[_i].metric);
    replay((size_t)_i, &device, &good);
    ck_assert_msg(strstr(good.data, line) == NULL, "%s", good.data);
    rows[_i].destroy(&device);
    bool agrees = replay((size_t)_i, &device, &bad);
    ck_assert_msg(!agrees, "%s", bad.data);
    ck_assert_msg(strstr(bad.data, line) != NULL, "%s", bad.data);
    snprintf(line, sizeof(line), "\n%s: %s (", rows[_i].launch, rows[_i].kernel);
    ck_assert_msg(strstr(bad.data, line) != NULL, "%s", bad.data);
    base_strbuf_free(&good);
    base_strbuf_free(&bad);
}
END_TEST

Suite *drift_suite(void);

Suite *drift_suite(void)
{
    Suite *suite = suite_create("drift");
    TCase *tcase = tcase_create("broken");
    tcase_set_timeout(tcase, 0);
    tcase_add_loop_test(tcase, test_broken, 0, sizeof(rows) / sizeof(rows[0]));
    suite_add_tcase(suite, tcase);
    return suite;
}
