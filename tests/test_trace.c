/* The trace (report/trace.c) of small launches: JSON that a parser takes, events that nest, and sums that are those of
 * the report, which the clock adds up by another way. */
#include "report/trace.h"

#include "tests/engine_kit.h"

#include <jansson.h>
#include <stdlib.h>

/* Strided loads, a store into one bank, a barrier, a branch that parts the lanes. */
#define KERNEL                                                                                                         \
    PTX_HEAD ".visible .entry k(.param .u64 out)\n{\n.shared .align 16 .b8 s[8192];\n" PTX_REGS PTX_SETUP              \
             "shl.b32 %r2, %r0, 7;\nand.b32 %r2, %r2, 4095;\nmov.u32 %r3, s;\nadd.u32 %r2, %r2, %r3;\n"                \
             "mul.wide.u32 %d2, %r0, 32;\nadd.u64 %d2, %d0, %d2;\nld.global.u32 %r4, [%d2];\n"                         \
             "st.shared.u32 [%r2], %r4;\nbar.sync 0;\nld.shared.u32 %r5, [%r2];\nsetp.lt.u32 %p1, %r0, 40;\n"          \
             "@%p1 bra SKIP;\natom.global.add.u32 %r6, [%d0], %r5;\nbar.warp.sync 0xffffff00;\nSKIP:\n"                \
             "st.global.u32 [%d1], %r5;\nret;\n}\n"
enum { BLOCKS = 300, THREADS = 64, WARPS = BLOCKS * THREADS / 32, PCS = 64 };

struct run {
    struct kit kit;
    struct advise_timeline timeline;
    struct base_strbuf text;
    json_t *root, *events;
};

static void make(struct run *run, const struct sim_device *device, uint64_t limit)
{
    const struct kit_launch launch = {.ptx = KERNEL, .args = "u32[32768]=iota"};
    const struct sim_launch_text text = {
        .carveout_percent = -1, .grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}, .cluster = {1, 1, 1}};
    uint32_t kernel = 0;
    memset(run, 0, sizeof(*run));
    run->timeline.limit = limit;
    kit_prepare(&run->kit, &launch, &kernel);
    const struct sim_options options = {.device = device,
                                        .cycles = true,
                                        .scheduler = SIM_SCHEDULER_CGGTY,
                                        .clock_hook = advise_timeline_event,
                                        .clock_user = &run->timeline};
    run->kit.status = sim_run(run->kit.module, kernel, &text, &run->kit.bound, &run->kit.memory, &options,
                              &run->kit.report, &run->kit.diags);
    ck_assert_int_eq(run->kit.status, BASE_OK);
    ck_assert_int_eq(run->kit.report.status, SIM_RUN_OK);
    report_trace(&run->timeline, &run->kit.report, "1.2.3", &run->text);
    ck_assert(!run->text.failed && !run->timeline.failed);
    json_error_t error;
    run->root = json_loadb(run->text.data, run->text.length, 0, &error);
    ck_assert_msg(run->root != NULL, "line %d: %s", error.line, error.text);
    run->events = json_object_get(run->root, "traceEvents");
    ck_assert(json_is_array(run->events));
}

static void unmake(struct run *run)
{
    json_decref(run->root);
    base_strbuf_free(&run->text);
    advise_timeline_free(&run->timeline);
    kit_free(&run->kit);
}

static const char *word(const json_t *event, const char *key)
{
    const char *text = json_string_value(json_object_get(event, key));
    return text ? text : "";
}

static json_int_t number(const json_t *event, const char *key)
{
    const json_t *value = json_object_get(event, key);
    ck_assert_msg(json_is_integer(value), "no whole number %s", key);
    return json_integer_value(value);
}

/* Goes through the events: within a thread, spans lie end to end between the begin and the end of a stay. Returns the
 * stays; cycles of spans by pc and reason go to `spent`. */
static unsigned check_nesting(const struct run *run, json_int_t spent[PCS][SIM_STALL_COUNT])
{
    size_t index;
    json_t *event;
    unsigned stays = 0;
    json_int_t thread = 0, at = 0;
    json_array_foreach(run->events, index, event)
    {
        const char *phase = word(event, "ph");
        if (strchr("BXE", phase[0]) == NULL)
            continue;
        if (phase[0] == 'B') {
            ck_assert_int_eq(thread, 0);
            thread = number(event, "tid");
            at = number(event, "ts");
            stays++;
            continue;
        }
        ck_assert_int_eq(number(event, "tid"), thread);
        ck_assert_int_eq(number(event, "ts"), at);
        if (phase[0] == 'E') {
            thread = 0;
            continue;
        }
        json_int_t pc = number(json_object_get(event, "args"), "pc"), cycles = number(event, "dur");
        unsigned reason = SIM_STALL_SELECTED;
        if (strcmp(word(event, "cat"), "stall") == 0)
            for (reason = 0; reason < SIM_STALL_COUNT && strcmp(sim_stall_names[reason], word(event, "name")) != 0;)
                reason++;
        ck_assert_uint_lt(reason, SIM_STALL_COUNT);
        ck_assert(pc >= 0 && pc < PCS && cycles > 0);
        spent[pc][reason] += cycles;
        at += cycles;
    }
    ck_assert_int_eq(thread, 0);
    return stays;
}

START_TEST(test_spans)
{
    struct run run;
    json_int_t spent[PCS][SIM_STALL_COUNT] = {{0}};
    make(&run, sim_device_find("h200"), UINT64_MAX);
    ck_assert_uint_eq(check_nesting(&run, spent), WARPS);
    ck_assert_ptr_null(json_object_get(json_object_get(run.root, "otherData"), "left_out"));
    for (size_t i = 0; i < run.kit.report.insn_count; i++) {
        const struct sim_insn_report *insn = &run.kit.report.insns[i];
        for (unsigned r = 0; r < SIM_STALL_COUNT; r++)
            ck_assert_msg(spent[insn->pc][r] == (json_int_t)insn->stalls[r], "%s: %lld cycles of %s, not %llu",
                          insn->text, (long long)spent[insn->pc][r], sim_stall_names[r],
                          (unsigned long long)insn->stalls[r]);
    }
    unmake(&run);
}
END_TEST

START_TEST(test_requests)
{
    struct run run;
    size_t index;
    json_t *event;
    json_int_t sectors[PCS] = {0}, wavefronts[PCS] = {0}, begun = 0, began_at = 0, requests = 0;
    make(&run, sim_device_find("h200"), UINT64_MAX);
    json_array_foreach(run.events, index, event)
    {
        if (strcmp(word(event, "ph"), "b") == 0) {
            json_t *args = json_object_get(event, "args");
            ck_assert_int_eq(begun, 0);
            begun = number(event, "id");
            began_at = number(event, "ts");
            ck_assert_int_eq(begun, ++requests);
            ck_assert_int_lt(number(args, "pc"), PCS);
            sectors[number(args, "pc")] += number(args, "sectors");
            wavefronts[number(args, "pc")] += number(args, "wavefronts");
        } else if (strcmp(word(event, "ph"), "e") == 0) {
            ck_assert_int_eq(number(event, "id"), begun);
            ck_assert_int_ge(number(event, "ts"), began_at);
            begun = 0;
        }
    }
    ck_assert_int_eq(begun, 0);
    for (size_t i = 0; i < run.kit.report.insn_count; i++) {
        const struct sim_insn_report *insn = &run.kit.report.insns[i];
        if (insn->is_global)
            ck_assert_int_eq(sectors[insn->pc], (json_int_t)insn->sectors);
        if (insn->is_shared)
            ck_assert_int_eq(wavefronts[insn->pc], (json_int_t)insn->wavefronts);
    }
    /* By hand: each of the warps loads 32 lanes 32 bytes apart, and stores 32 words of one bank. */
    size_t loads = 0, stores = 0;
    for (size_t i = 0; i < run.kit.report.insn_count; i++) {
        const struct sim_insn_report *insn = &run.kit.report.insns[i];
        loads += insn->is_global && insn->is_load ? (size_t)sectors[insn->pc] : 0;
        stores += insn->is_shared && insn->is_store ? (size_t)wavefronts[insn->pc] : 0;
    }
    ck_assert_uint_eq(loads, WARPS * 32);
    ck_assert_uint_eq(stores, WARPS * 32);
    unmake(&run);
}
END_TEST

/* With less room, whole SMs go first and the last one's end after that; what is left nests, and the file says so. */
START_TEST(test_limits)
{
    static const uint64_t limits[] = {1, 2, 10, 100, 1000, 5000};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        struct run run;
        json_int_t spent[PCS][SIM_STALL_COUNT] = {{0}};
        make(&run, sim_device_find("h200"), limits[i]);
        unsigned stays = check_nesting(&run, spent);
        ck_assert_uint_le(run.timeline.count, limits[i]);
        ck_assert_uint_ge(stays, 1);
        ck_assert_uint_lt(stays, WARPS);
        const char *words = word(json_object_get(run.root, "otherData"), "left_out");
        ck_assert_msg(strstr(words, "SM") != NULL, "%s", words);
        ck_assert_int_eq(run.timeline.cut, strstr(words, "nothing from cycle") != NULL);
        if (!run.timeline.cut) /* as many stays as those SMs had */
            for (size_t s = 0; s < run.timeline.sms.count; s++)
                for (size_t k = 0; k < run.timeline.sms.data[s].stays.count; k++)
                    ck_assert(run.timeline.sms.data[s].stays.data[k].ended);
        unmake(&run);
    }
}
END_TEST

/* Two runs; and a listener changes nothing that is reported. */
START_TEST(test_deterministic)
{
    struct run one, two;
    make(&one, sim_device_find("h200"), 20000);
    make(&two, sim_device_find("h200"), 20000);
    ck_assert_uint_eq(one.text.length, two.text.length);
    ck_assert_mem_eq(one.text.data, two.text.data, one.text.length);
    ck_assert_uint_eq(kit_metric(&one.kit, "sm__cycles_active.max"), kit_metric(&two.kit, "sm__cycles_active.max"));
    unmake(&one);
    unmake(&two);
}
END_TEST

/* A card whose issue slot is longer than a cycle. */
START_TEST(test_long_slots)
{
    struct run run;
    json_int_t spent[PCS][SIM_STALL_COUNT] = {{0}};
    struct sim_device slow = *sim_device_find("h200");
    slow.issue_interval_cycles = 3;
    make(&run, &slow, UINT64_MAX);
    ck_assert_uint_eq(check_nesting(&run, spent), WARPS);
    unmake(&run);
}
END_TEST

Suite *trace_suite(void);
Suite *trace_suite(void)
{
    Suite *suite = suite_create("trace");
    TCase *tcase = tcase_create("trace");
    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, test_spans);
    tcase_add_test(tcase, test_requests);
    tcase_add_test(tcase, test_limits);
    tcase_add_test(tcase, test_deterministic);
    tcase_add_test(tcase, test_long_slots);
    suite_add_tcase(suite, tcase);
    return suite;
}
