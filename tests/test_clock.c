/* The clock (docs/clock.md): its parts by arithmetic. tests/test_cycles.c has whole launches.
 *
 * A part is measured as a whole launch: two launches that differ in the length of one chain differ in cycles by what
 * the profile says of a link. */
#include "tests/engine_kit.h"
#include "tests/support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ACTIVE "sm__cycles_active.max"

static const struct sim_device *h200(void)
{
    return sim_device_find("h200");
}

static void run_clock(struct kit *kit, const struct kit_launch *launch, struct sim_options options)
{
    uint32_t kernel = 0;
    kit_prepare(kit, launch, &kernel);
    struct sim_launch_text text = {.carveout_percent = -1, .shared_bytes = launch->shared_bytes};
    for (unsigned d = 0; d < 3; d++) {
        text.grid[d] = kit_or_one(launch->grid[d]);
        text.block[d] = kit_or_one(launch->block[d]);
        text.cluster[d] = 1;
    }
    options.cycles = true;
    options.max_instructions = launch->max_instructions;
    if (options.device == NULL)
        options.device = h200();
    kit->status = sim_run(kit->module, kernel, &text, &kit->bound, &kit->memory, &options, &kit->report, &kit->diags);
    ck_assert_int_eq(kit->status, BASE_OK);
}

static double real_metric(const struct sim_report *report, const char *name)
{
    const struct sim_metric *metric = sim_report_metric(report, name);
    ck_assert_msg(metric != NULL, "no metric %s", name);
    return metric->real;
}

/* A kernel of `head`, then `body` so many times, then a store of %r2 and %f1. */
static char *kernel_text(const char *head, const char *body, unsigned times)
{
    static const char start[] =
        PTX_HEAD ".visible .entry k(.param .u64 out)\n{\n.shared .align 16 .b8 s[16384];\n" PTX_REGS PTX_SETUP;
    static const char end[] = "st.global.u32 [%d1], %r2;\nst.global.f32 [%d1], %f1;\nret;\n}\n";
    size_t size = sizeof(start) + strlen(head) + times * strlen(body) + sizeof(end);
    char *text = malloc(size);
    ck_assert_ptr_nonnull(text);
    size_t at = (size_t)snprintf(text, size, "%s%s", start, head);
    for (unsigned i = 0; i < times; i++)
        at += (size_t)snprintf(text + at, size - at, "%s", body);
    snprintf(text + at, size - at, "%s", end);
    return text;
}

/* In round-robin: greedy warps would leave the last ones to run alone. */
static uint64_t cycles_of(const char *head, const char *body, unsigned times, uint32_t block)
{
    struct kit kit;
    char *text = kernel_text(head, body, times);
    struct kit_launch launch = {.ptx = text, .args = "u32[1024]=zero", .block = {block}};
    run_clock(&kit, &launch, (struct sim_options){.scheduler = SIM_SCHEDULER_LRR});
    ck_assert_int_eq(kit.report.status, SIM_RUN_OK);
    uint64_t cycles = kit_metric(&kit, ACTIVE);
    kit_free(&kit);
    free(text);
    return cycles;
}

/* Cycles that each of 64 more repetitions takes. */
static double each(const char *head, const char *body, uint32_t block)
{
    uint64_t few = cycles_of(head, body, 64, block), many = cycles_of(head, body, 128, block);
    ck_assert_uint_gt(many, few);
    return (double)(many - few) / 64.0;
}

static void expect_near(double got, double want, double tolerance)
{
    ck_assert_msg(got >= want - tolerance && got <= want + tolerance, "%g cycles, expected %g within %g", got, want,
                  tolerance);
}

#define CHAIN_ADD   "add.f32 %f1, %f1, %f2;\n"
#define CHAIN_LOAD  "ld.global.u32 %r2, [%d2];\ncvt.u64.u32 %d3, %r2;\nadd.s64 %d2, %d2, %d3;\n"
#define CHAIN_CG    "ld.global.cg.u32 %r2, [%d2];\ncvt.u64.u32 %d3, %r2;\nadd.s64 %d2, %d2, %d3;\n"
#define CHAIN_SHARE "ld.shared.u32 %r2, [%r3];\nadd.s32 %r3, %r3, %r2;\n"

START_TEST(test_chain)
{
    const struct sim_device *d = h200();
    expect_near(each("", CHAIN_ADD, 32), d->alu_latency_cycles, 0.01);
    expect_near(each("", "mad.lo.s32 %r2, %r2, %r2, %r2;\n", 32), d->alu_latency_cycles, 0.01);
    /* Four independent warps of a scheduler hide each other's latency: an instruction a cycle. */
    expect_near(each("", CHAIN_ADD, 512), 4.0, 0.1);
    expect_near(each("", CHAIN_ADD, 1024), 8.0, 0.2);
}
END_TEST

START_TEST(test_units)
{
    /* 16 warps, each with independent instructions: the scheduler's unit is the limit. */
    expect_near(each("", "sqrt.approx.f32 %f3, %f2;\n", 512), 4 * 8.0, 0.5);
    expect_near(each("", "add.s32 %r3, %r4, %r5;\n", 512), 4 * 2.0, 0.2);
}
END_TEST

/* What ptxas makes one instruction, or many: a link of a chain takes so long. */
START_TEST(test_folded)
{
    static const char *const one[] = {
        "{.reg .b32 x; xor.b32 x, %r2, %r3; and.b32 %r2, x, %r4;}\n",
        "{.reg .b32 x; add.s32 x, %r2, %r3; sub.s32 %r2, x, %r4;}\n",
        "{.reg .b32 x; mul.lo.s32 x, %r2, %r3; add.s32 %r2, x, %r4;}\n",
        "{.reg .b32 x; shl.b32 x, %r2, 3; add.s32 %r2, x, %r4;}\n",
    };
    static const char *const two[] = {
        "{.reg .b32 x; xor.b32 x, %r2, %r3; add.s32 %r2, x, %r4;}\n", /* a sum of a logic function */
        "{.reg .b32 x; xor.b32 x, %r2, %r3; and.b32 %r2, x, x;}\n",   /* used twice */
        "{.reg .b32 x; shl.b32 x, %r2, %r3; add.s32 %r2, x, %r4;}\n", /* by no constant */
        "{.reg .b32 x, y; xor.b32 x, %r2, %r3; xor.b32 y, x, %r4; xor.b32 %r2, y, %r5;}\n", /* four sources */
    };
    const double link = h200()->alu_latency_cycles;
    for (size_t i = 0; i < 4; i++) {
        expect_near(each("", one[i], 32), link, 0.01);
        expect_near(each("", two[i], 32), 2 * link, 0.01);
    }
    /* Of 32 bits, by what changes and by a constant: validate/records has no chain of it, ptxas's code has. */
    ck_assert(each("", "div.u32 %r2, %r3, %r2;\n", 32) > 2 * each("", "div.u32 %r2, %r2, 7;\n", 32));
}
END_TEST

/* Where the text tells that all lanes have one address, ptxas lets one lane do it (validate/records/h200/nvcc,
 * `tickets`: VOTE, POPC, and an ATOMG of the elected lane). Elsewhere the lanes take turns in L2,
 * l2_atomic_int_centicycles each. */
START_TEST(test_aggregated)
{
    const double turns = 32 * h200()->l2_atomic_int_centicycles / 100.0;
    const double one = each("", "red.global.add.u32 [%d0], %r0;\n", 256);
    const double each_lane = each("and.b64 %d2, %d1, -256;\n", "red.global.add.u32 [%d2], %r0;\n", 64);
    ck_assert_msg(one < 8 * turns / 4, "%g cycles for 8 warps", one);
    ck_assert_msg(each_lane > 2 * turns * 0.9, "%g cycles for 2 warps", each_lane);
}
END_TEST

/* A predicate is late for who is guarded by it, not for who computes with it: 8 cycles a link on the H200
 * (validate/records/h200/micro, lat_setp_selp), and 13 to a branch. */
START_TEST(test_predicates)
{
    expect_near(each("", "setp.lt.u32 %p1, %r2, %r3; selp.u32 %r2, %r3, %r4, %p1;\n", 32), 8, 0.01);
    expect_near(each("", "setp.lt.u32 %p1, %r2, %r3; @%p1 add.u32 %r2, %r3, %r4;\n", 32), 13 + 4, 0.01);
}
END_TEST

/* A link of a chain of products, and what four chains of each of 16 warps take of a scheduler, against the record of an
 * H200 (validate/records/h200/tensor/cycles.csv). */
static const struct {
    const char *name, *text; /* '#' stands for the chain's number */
} tensor_links[] = {
    {"f16_k8", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1#, %r2#, %r3#, %r4#}, {%r50, %r50}, {%r50}, "
               "{%r1#, %r2#, %r3#, %r4#};\n"},
    {"f16_k16", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1#, %r2#, %r3#, %r4#}, {%r50, %r50, %r50, "
                "%r50}, {%r50, %r50}, {%r1#, %r2#, %r3#, %r4#};\n"},
    {"tf32_k8", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r1#, %r2#, %r3#, %r4#}, {%r50, %r50, %r50, "
                "%r50}, {%r50, %r50}, {%r1#, %r2#, %r3#, %r4#};\n"},
    {"s8_k16", "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%r1#, %r2#, %r3#, %r4#}, {%r50, %r50}, {%r50}, "
               "{%r1#, %r2#, %r3#, %r4#};\n"},
    {"s8_k32", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1#, %r2#, %r3#, %r4#}, {%r50, %r50, %r50, "
               "%r50}, {%r50, %r50}, {%r1#, %r2#, %r3#, %r4#};\n"},
    {"movm", "movmatrix.sync.aligned.m8n8.trans.b16 %r1#, %r1#;\n"},
};
enum { TENSOR_LINKS = sizeof(tensor_links) / sizeof(tensor_links[0]) };

static void recorded_tensor(const char *name, double *latency, double *interval)
{
    char line[128];
    FILE *file = fopen(TEST_SRCDIR "/validate/records/h200/tensor/cycles.csv", "r");
    ck_assert_ptr_nonnull(file);
    *latency = *interval = 0;
    while (fgets(line, sizeof(line), file))
        if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ',')
            (void)sscanf(line + strlen(name) + 1, "%lf,%lf", latency, interval);
    fclose(file);
    ck_assert(*latency > 0 && *interval > 0);
}

/* The text with the chain's number; also to `copy`, if there is one. */
static void put_link(char *copy, char *out, const char *text, unsigned number)
{
    strcpy(out, text);
    for (char *at = strchr(out, '#'); at != NULL; at = strchr(at, '#'))
        *at = (char)('0' + number);
    if (copy != NULL)
        strcpy(copy, out);
}

START_TEST(test_tensor)
{
    double latency, interval;
    char chain[512], chains[2048];
    for (unsigned k = 0; k < 4; k++)
        put_link(k == 0 ? chain : NULL, chains + strlen(tensor_links[_i].text) * k, tensor_links[_i].text, k);
    recorded_tensor(tensor_links[_i].name, &latency, &interval);
    const double link = each("", chain, 32), scheduler = each("", chains, 512) / 16;
    ck_assert_msg(link > latency - 1 && link < latency + 1, "%s: latency %.2f, the card's %.2f", tensor_links[_i].name,
                  link, latency);
    ck_assert_msg(scheduler > interval * 0.9 && scheduler < interval * 1.1, "%s: interval %.2f, the card's %.2f",
                  tensor_links[_i].name, scheduler, interval);
}
END_TEST

/* Copies past L1 that are waited for one by one, and a barrier asked again and again. */
START_TEST(test_async)
{
    const double copy =
        each("mov.u32 %r5, s;\n", "cp.async.cg.shared.global [%r5], [%d0], 16; cp.async.wait_all;\n", 1);
    const double ask = each("mov.u32 %r5, s; mbarrier.init.shared.b64 [%r5], 1; mov.u32 %r6, 1;\n",
                            "mbarrier.try_wait.parity.shared.b64 %p1, [%r5], %r6; selp.u32 %r6, 1, 0, %p1;\n", 1);
    ck_assert_msg(copy > 343.0 * 0.9 && copy < 343.0 * 1.1, "%.1f a copy, the card's 343.0", copy);
    ck_assert_msg(ask > 48.0 * 0.9 && ask < 48.0 * 1.1, "%.1f a look, the card's 48.0", ask);
}
END_TEST

START_TEST(test_caches)
{
    const struct sim_device *d = h200();
    double address = 2.0 * d->alu_latency_cycles; /* the 64-bit addition */
    expect_near(each("mov.u64 %d2, %d0;\n", CHAIN_LOAD, 32), d->l1_latency_cycles + address, 1);
    expect_near(each("mov.u64 %d2, %d0;\n", CHAIN_CG, 32), d->l2_latency_cycles + address, 4);
    /* The first touch of a line is the only one that goes to DRAM. */
    uint64_t one = cycles_of("mov.u64 %d2, %d0;\n", CHAIN_LOAD, 1, 32), none = cycles_of("", CHAIN_ADD, 1, 32);
    ck_assert_uint_ge(one - none, d->dram_latency_cycles - 50);
    ck_assert_uint_le(one - none, d->dram_latency_cycles + d->dram_spread_cycles + d->dram_refresh_cycles + 50);
}
END_TEST

START_TEST(test_shared)
{
    const struct sim_device *d = h200();
    static const char free_of_conflict[] = "shl.b32 %r4, %r0, 2;\nmov.u32 %r5, s;\nadd.s32 %r3, %r5, %r4;\n";
    static const char all_in_one_bank[] =
        "and.b32 %r4, %r0, 31;\nshl.b32 %r4, %r4, 7;\nmov.u32 %r5, s;\nadd.s32 %r3, %r5, %r4;\n";
    expect_near(each(free_of_conflict, CHAIN_SHARE, 32), d->shared_latency_cycles + d->alu_latency_cycles, 0.5);
    expect_near(each(all_in_one_bank, CHAIN_SHARE, 32),
                d->shared_latency_cycles + d->alu_latency_cycles + 31.0 * d->shared_conflict_cycles, 0.5);
    /* 32 warps: the data stage takes a wavefront a cycle. */
    expect_near(each(free_of_conflict, "ld.volatile.shared.u32 %r2, [%r3];\n", 1024), 32, 1);
    expect_near(each(all_in_one_bank, "ld.volatile.shared.u32 %r2, [%r3];\n", 1024), 32 * 32, 32);
}
END_TEST

START_TEST(test_barrier)
{
    const struct sim_device *d = h200();
    for (uint32_t warps = 1; warps <= 32; warps *= 4)
        expect_near(each("", "bar.sync 0;\n", warps * 32),
                    d->barrier_latency_cycles + (double)warps * d->barrier_warp_cycles, 1.0);
}
END_TEST

static const char stream_text[] =
    PTX_KERNEL("ld.global.u32 %r2, [%d1];\nadd.s32 %r2, %r2, 1;\nst.global.u32 [%d1], %r2;\n");

/* No launch reads faster than DRAM gives. */
START_TEST(test_bandwidth)
{
    struct kit kit;
    struct kit_launch launch = {.ptx = stream_text, .args = "u32[4194304]=zero", .grid = {4096}, .block = {1024}};
    run_clock(&kit, &launch, (struct sim_options){.scheduler = SIM_SCHEDULER_GTO});
    double a_cycle = (double)h200()->dram_bytes_per_second / (h200()->clock_khz * 1000.0);
    ck_assert_uint_eq(kit_metric(&kit, "dram__sectors_read.sum"), 4194304 / 8);
    ck_assert(4194304 * 4.0 / (double)kit_metric(&kit, ACTIVE) <= a_cycle);
    ck_assert(real_metric(&kit.report, "sm__warps_active.avg.pct_of_peak_sustained_active") <= 100.0);
    kit_free(&kit);
}
END_TEST

/* Two blocks of an SM at once, where shared memory has room for two. */
START_TEST(test_occupancy)
{
    struct kit kit;
    struct kit_launch launch = {
        .ptx = stream_text, .args = "u32[67584]=zero", .grid = {2112}, .block = {32}, .shared_bytes = 100 * 1024};
    run_clock(&kit, &launch, (struct sim_options){.scheduler = SIM_SCHEDULER_GTO});
    double most = 100.0 * 2 / h200()->max_warps_per_sm;
    double got = real_metric(&kit.report, "sm__warps_active.avg.pct_of_peak_sustained_active");
    ck_assert_msg(got > most / 4 && got <= most, "%g %% of %g %%", got, most);
    kit_free(&kit);
}
END_TEST

/* Policies and orders change the cycles, never what a program without races gives. */
START_TEST(test_policies)
{
    struct sim_options ways[] = {{.scheduler = SIM_SCHEDULER_GTO},
                                 {.scheduler = SIM_SCHEDULER_LRR},
                                 {.scheduler = SIM_SCHEDULER_GTO, .shuffle_blocks = true, .block_order_seed = 7},
                                 {.scheduler = SIM_SCHEDULER_GTO}};
    struct kit kit[4];
    struct kit_launch launch = {.ptx = stream_text, .args = "u32[262144]=iota", .grid = {1024}, .block = {256}};
    for (unsigned i = 0; i < 4; i++) {
        run_clock(&kit[i], &launch, ways[i]);
        ck_assert_int_eq(memcmp(kit_words(&kit[i], 0), kit_words(&kit[0], 0), 4 * 262144), 0);
        ck_assert_uint_eq(kit_words(&kit[i], 0)[77], 78);
    }
    kit_expect_same(&kit[0].report, &kit[3].report);
    for (unsigned i = 0; i < 4; i++)
        kit_free(&kit[i]);
}
END_TEST

/* A warp's time is split among the reasons: nothing is lost, nothing counted twice. */
START_TEST(test_stalls)
{
    struct kit kit;
    char *text = kernel_text("mov.u64 %d2, %d0;\n", CHAIN_CG, 16);
    struct kit_launch launch = {.ptx = text, .args = "u32[1024]=zero", .block = {32}};
    run_clock(&kit, &launch, (struct sim_options){.scheduler = SIM_SCHEDULER_GTO});
    uint64_t waited = 0, on_loads = 0;
    for (size_t i = 0; i < kit.report.insn_count; i++) {
        ck_assert(kit.report.insns[i].has_stalls);
        on_loads += kit.report.insns[i].stalls[SIM_STALL_LONG_SCOREBOARD];
        for (unsigned r = 0; r < SIM_STALL_COUNT; r++)
            waited += kit.report.insns[i].stalls[r];
    }
    ck_assert_uint_ge(on_loads, 15 * (h200()->l2_latency_cycles - 1));
    ck_assert_uint_le(waited, kit_metric(&kit, ACTIVE) + 1);
    ck_assert_uint_ge(waited + h200()->first_fetch_cycles + 8, kit_metric(&kit, ACTIVE));
    kit_free(&kit);
    free(text);
}
END_TEST

/* The old value of an atomic that nobody reads comes when the register's place is another one's already. */
START_TEST(test_unread_result)
{
    struct kit kit;
    char *text = kernel_text("{.reg .b64 old, a, b, c, d, e; atom.global.add.u64 old, [%d0], 1;\n"
                             "add.s64 a, %d0, 256; add.s64 b, %d0, 260; add.s64 c, %d0, 264; add.s64 d, %d0, 268;\n"
                             "add.s64 e, a, 16; membar.gl; st.global.u32 [a], 77; st.global.u32 [b], 77;\n"
                             "st.global.u32 [c], 77; st.global.u32 [d], 77; st.global.u32 [e], 77; }\nret;\n",
                             "", 0);
    struct kit_launch launch = {.ptx = text, .args = "u32[1024]=zero", .grid = {4}, .block = {32}};
    run_clock(&kit, &launch, (struct sim_options){.scheduler = SIM_SCHEDULER_GTO});
    ck_assert_int_eq(kit.report.status, SIM_RUN_OK);
    ck_assert_uint_eq(kit_words(&kit, 0)[0], 4 * 32);
    for (unsigned i = 64; i < 69; i++)
        ck_assert_uint_eq(kit_words(&kit, 0)[i], 77);
    kit_free(&kit);
    free(text);
}
END_TEST

/* The clock stood still in the middle of something: its numbers would be neither the launch's nor 0. */
static void expect_no_times(const struct sim_report *report)
{
    static const char *const beginnings[] = {"sm__cycles",          "gpc__", "gpu__",  "sm__warps_active",
                                             "smsp__average_warps", "lts__", "dram__", "smsp__issue",
                                             "l1tex__throughput"};
    ck_assert_ptr_nonnull(sim_report_metric(report, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"));
    for (size_t i = 0; i < report->metric_count; i++)
        for (size_t b = 0; b < sizeof(beginnings) / sizeof(beginnings[0]); b++)
            ck_assert_msg(strncmp(report->metrics[i].name, beginnings[b], strlen(beginnings[b])) != 0, "%s",
                          report->metrics[i].name);
    for (size_t i = 0; i < report->insn_count; i++)
        ck_assert(!report->insns[i].has_stalls);
}

static void expect_fault(const char *body, uint32_t threads, uint64_t limit, enum sim_fault_kind kind)
{
    struct kit kit;
    char *text = kernel_text(body, "", 0);
    struct kit_launch launch = {.ptx = text, .args = "u32[64]=zero", .block = {threads}, .max_instructions = limit};
    run_clock(&kit, &launch, (struct sim_options){.scheduler = SIM_SCHEDULER_LRR});
    ck_assert_int_eq(kit.report.status, SIM_RUN_FAULT);
    ck_assert_int_eq(kit.report.fault.kind, kind);
    expect_no_times(&kit.report);
    kit_free(&kit);
    free(text);
}

START_TEST(test_faults)
{
    expect_fault("loop: bra.uni loop;\n", 32, 100000, SIM_FAULT_RUNAWAY);
    expect_fault("bar.sync 1, 96;\n", 64, 0, SIM_FAULT_DEADLOCK);
    expect_fault("mov.u64 %d2, 4;\nst.global.u32 [%d2], %r0;\n", 32, 0, SIM_FAULT_NULL);
}
END_TEST

START_TEST(test_clock_register)
{
    struct kit kit;
    char *text = kernel_text("mov.u32 %r3, %clock;\n" CHAIN_ADD CHAIN_ADD CHAIN_ADD CHAIN_ADD
                             "bar.sync 0;\nmov.u32 %r4, %clock;\nsub.s32 %r2, %r4, %r3;\nst.global.u32 [%d1], "
                             "%r2;\nret;\n",
                             "", 0);
    struct kit_launch launch = {.ptx = text, .args = "u32[64]=zero", .block = {32}};
    run_clock(&kit, &launch, (struct sim_options){.scheduler = SIM_SCHEDULER_GTO});
    ck_assert_uint_ge(kit_words(&kit, 0)[0], h200()->barrier_latency_cycles);
    ck_assert_uint_le(kit_words(&kit, 0)[0], 100);
    kit_free(&kit);
    free(text);
}
END_TEST

/* ---- Blocks onto SMs ---- */

static const char places_text[] =
    PTX_KERNEL("mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %smid;\nmul.wide.u32 %d2, %r2, 4;\nadd.u64 %d2, %d0, %d2;\n"
               "st.global.u32 [%d2], %r3;\n");

/* Two blocks that follow each other lie on two SMs that share a port, or they do not, as on the card. */
static void check_places(uint32_t blocks, const uint32_t *card)
{
    struct kit kit;
    run_clock(&kit, &(struct kit_launch){.ptx = places_text, .args = "u32[264]=zero", .grid = {blocks}},
              (struct sim_options){.scheduler = SIM_SCHEDULER_CGGTY});
    const uint32_t *here = kit_words(&kit, 0);
    for (uint32_t b = 1; b < blocks; b++)
        ck_assert_msg((here[b] / 2 == here[b - 1] / 2) == (card[b] / 2 == card[b - 1] / 2),
                      "%u blocks: %u on SM %u, %u", blocks, b, here[b - 1], here[b]);
    kit_free(&kit);
}

START_TEST(test_places)
{
    size_t size = 0, launches = 0;
    char *record = support_read("validate/records/h200/streams/places.csv", &size), *at = strchr(record, '\n') + 1;
    for (; *at != '\0'; at++, launches++) {
        const uint32_t blocks = (uint32_t)strtoul(at, &at, 10);
        uint32_t card[264];
        ck_assert_uint_le(blocks, 264);
        for (uint32_t b = 0; b < blocks; b++)
            card[b] = (uint32_t)strtoul(at + 1, &at, 10);
        check_places(blocks, card);
    }
    ck_assert_uint_ge(launches, 6);
    free(record);
}
END_TEST

/* ---- What comes back from L2 beside stores to shared memory ---- */

/* Each warp loads a line that L2 has and stores it, with conflicts of so many ways; its word is when the line was
 * there. */
static const char back_body[] =
    ".shared .align 16 .b8 s[16384];\nshr.u32 %%r3, %%r0, 5;\nand.b32 %%r4, %%r0, 31;\n"
    "mul.wide.u32 %%d3, %%r3, 4;\nadd.u64 %%d3, %%d0, %%d3;\n"
    "mul.lo.u32 %%r6, %%r4, %u;\nadd.u32 %%r6, %%r6, %%r3;\nshl.b32 %%r6, %%r6, 2;\nmov.u32 %%r7, s;\n"
    "add.u32 %%r7, %%r7, %%r6;\nld.global.cg.u32 %%r5, [%%d1+4096];\nst.shared.u32 [%%r7], %%r5;\n"
    "bar.sync 0;\nbar.sync 0;\nld.global.ca.u32 %%r5, [%%d1+4096];\nadd.u32 %%r5, %%r5, %%r0;\n"
    "mov.u32 %%r8, %%clock;\nst.shared.u32 [%%r7], %%r5;\nst.global.u32 [%%d3], %%r8;\n";

/* From the first line of 32 warps' to the last one. */
static double spread_here(unsigned ways)
{
    char text[2048];
    struct kit kit;
    kit_kernel_text(text, sizeof(text), back_body, ways);
    run_clock(&kit, &(struct kit_launch){.ptx = text, .args = "u32[2048]=zero", .block = {1024}},
              (struct sim_options){.scheduler = SIM_SCHEDULER_CGGTY});
    ck_assert_int_eq(kit.report.status, SIM_RUN_OK);
    const uint32_t *here = kit_words(&kit, 0);
    uint32_t first = UINT32_MAX, last = 0;
    for (unsigned w = 0; w < 32; w++) {
        first = here[w] < first ? here[w] : first;
        last = here[w] > last ? here[w] : last;
    }
    kit_free(&kit);
    return last - first;
}

/* The same of the card's record: lines of `start`, whose second stamp it is. */
static double spread_recorded(const char *record, const char *start)
{
    double first = 1e9, last = 0;
    unsigned warps = 0;
    for (const char *at = record; (at = strstr(at, start)) != NULL; at++, warps++) {
        unsigned long begun, there;
        ck_assert_int_eq(sscanf(at + strlen(start), "%*u,%lu,%lu", &begun, &there), 2);
        first = (double)there < first ? (double)there : first;
        last = (double)there > last ? (double)there : last;
    }
    ck_assert_uint_eq(warps, 32);
    return last - first;
}

/* Beside stores of 32 wavefronts the lines come one a store: four times as slowly as without, or more. The tolerance is
 * what the model is known to be too fast by: more lines are there before the first store has the stage than on the
 * card; how many depends on a few cycles. */
START_TEST(test_returns)
{
    size_t size = 0;
    char *record = support_read("validate/records/h200/queue/returns.csv", &size);
    const double slow = spread_recorded(record, "\nback,ca1,1,32,32,3,");
    expect_near(spread_here(32), slow, 0.5 * slow);
    ck_assert_double_lt(spread_here(1), slow / 4);
    free(record);
}
END_TEST

/* Reasons for which warps wait for atomics. */
static const char *const late_reasons[] = {"drain", "long_scoreboard", "lg_throttle"};

static double waited_here(const struct sim_report *report, size_t reason)
{
    char metric[96];
    snprintf(metric, sizeof(metric), "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio",
             late_reasons[reason]);
    return sim_report_metric(report, metric)->real;
}

/* The card's ratio for a reason, of backlog_generic with so many blocks: a line of stalls.csv. */
static double waited(const char *record, const char *blocks, const char *reason)
{
    char start[64], end[64];
    snprintf(start, sizeof(start), "backlog_generic(unsigned long long *, float *)\",\"(%s, 1, 1)\"", blocks);
    snprintf(end, sizeof(end), ",%s,", reason);
    const char *at = strstr(record, start);
    while (at != NULL && strncmp(strchr(strstr(at, "000000,"), ','), end, strlen(end)) != 0)
        at = strstr(at + 1, start);
    ck_assert_msg(at != NULL, "%s of %s blocks", reason, blocks);
    return strtod(strstr(at, end) + strlen(end), NULL);
}

/* Atomics that tell what memory their address is in, and stores behind them: 16 warps of an SM are told of at once, the
 * others' atomics wait in the queue and the stores behind them, and a warp's end waits for both. */
START_TEST(test_telling)
{
    size_t size = 0;
    char *record = support_read("validate/records/h200/queue/stalls.csv", &size);
    struct support_list launches;
    support_list_read_as(&launches, "validate/records/h200/queue/queue.cases", ".sass");
    for (size_t i = 0; i < launches.launches->count; i++) {
        struct support_launch ran;
        double card[3], here[3], card_all = 0, here_all = 0;
        support_launch_bind(&ran, &launches, i);
        support_launch_run_clock(&ran);
        for (size_t k = 0; k < 3; k++) {
            card[k] = waited(record, strrchr(launches.launches->items[i].name, '_') + 1, late_reasons[k]);
            here[k] = waited_here(&ran.report, k);
            card_all += card[k];
            here_all += here[k];
        }
        for (size_t k = 0; k < 3; k++)
            expect_near(here[k] / here_all, card[k] / card_all, 0.05);
        support_launch_free(&ran);
    }
    support_list_free(&launches);
    free(record);
}
END_TEST

/* The shares of drain, long_scoreboard and lg_throttle in a launch of waits/stalls.csv. */
static void read_waits(const char *record, const char *launch, double share[3])
{
    const char *at = strstr(record, launch);
    ck_assert_ptr_nonnull(at);
    double ratios[15], all = 0;
    for (unsigned i = 0; i < 5; i++)
        at = strchr(at, ',') + 1;
    for (unsigned i = 0; i < 15; i++) {
        char *end;
        all += ratios[i] = strtod(at, &end);
        at = end + 1;
    }
    for (unsigned i = 0; i < 3; i++)
        share[i] = ratios[i] / all;
}

/* Atomics through generic addresses with nothing behind them, several of a warp, ones that acquire (a CCTL is behind
 * them) and ones behind fences, which wait less here: for no atomics of other warps. */
START_TEST(test_waits)
{
    size_t size = 0;
    char *record = support_read("validate/records/h200/waits/stalls.csv", &size);
    struct support_list launches;
    support_list_read_as(&launches, "validate/records/h200/waits/waits.cases", ".sass");
    unsigned count = 0;
    for (size_t i = 0; i < launches.launches->count; i++) {
        const char *name = launches.launches->items[i].name;
        struct support_launch ran;
        double card[3], issued = 0;
        if (name[0] == 'p')
            continue;
        read_waits(record, name, card);
        support_launch_bind(&ran, &launches, i);
        support_launch_run_clock(&ran);
        for (size_t k = 0; k < ran.report.metric_count; k++)
            if (strncmp(ran.report.metrics[k].name, "smsp__average_warps_issue_stalled_", 34) == 0)
                issued += ran.report.metrics[k].real;
        for (size_t k = 0; k < 3; k++)
            expect_near(waited_here(&ran.report, k) / issued, card[k], name[0] == 'f' ? 0.12 : 0.05);
        support_launch_free(&ran);
        count++;
    }
    ck_assert_uint_eq(count, 4);
    support_list_free(&launches);
    free(record);
}
END_TEST

/* ---- SMs that share a way to L2 ---- */

/* Mean cycles of a stretch (word `to` less word `from` of each warp: the block's last less its first) of the blocks on
 * SMs of CPCs of four SMs, and of six. */
static void read_shares(const struct support_launch *ran, unsigned from, unsigned to, double mean[2])
{
    enum { WORDS = 10, WARPS = 32, BLOCKS = 132 };
    const struct sim_bound_arg *out = &ran->bound.args[0];
    const uint32_t *words = (const uint32_t *)sim_memory_at(&ran->memory, out->address, out->size_bytes);
    unsigned count[2] = {0, 0};
    ck_assert_uint_eq(out->size_bytes, BLOCKS * WARPS * WORDS * sizeof(*words));
    mean[0] = mean[1] = 0;
    for (unsigned b = 0; b < BLOCKS; b++) {
        const uint32_t *block = words + b * WARPS * WORDS;
        uint32_t first = block[from], last = block[to];
        for (unsigned w = 1; w < WARPS; w++) {
            first = block[w * WORDS + from] < first ? block[w * WORDS + from] : first;
            last = block[w * WORDS + to] > last ? block[w * WORDS + to] : last;
        }
        /* Six GPCs of 16 SMs come first, two of 18 behind them. */
        const uint32_t sm = block[8], pair = sm < 96 ? sm % 16 / 2 : (sm - 96) % 18 / 2;
        const unsigned is_six = sm >= 96 || pair % 3 != 2;
        mean[is_six] += last - first;
        count[is_six]++;
    }
    ck_assert_uint_eq(count[0], 24);
    mean[0] /= count[0];
    mean[1] /= count[1];
}

/* A CPC of four SMs has the way of six for itself: its stores take 4 / 6 of the time. Loads from DRAM that it has sent
 * sooner are done sooner: 14,422 cycles for 16,240 (shares.csv.gz); here they are ahead by half as much again, because
 * the way's time and the loads under way are fitted one by one. */
START_TEST(test_shares)
{
    struct support_list launches;
    support_list_read_as(&launches, "validate/records/h200/shares/shares.cases", ".sass");
    ck_assert_uint_eq(launches.launches->count, 2);
    for (size_t i = 0; i < 2; i++) {
        const bool stores = launches.launches->items[i].name[0] == 's';
        struct support_launch ran;
        double mean[2];
        support_launch_bind(&ran, &launches, i);
        support_launch_run_clock(&ran);
        read_shares(&ran, stores ? 1 : 0, stores ? 2 : 1, mean);
        expect_near(mean[0] / mean[1], stores ? 4.0 / 6 : 14422.0 / 16240, stores ? 0.05 : 0.10);
        support_launch_free(&ran);
    }
    support_list_free(&launches);
}
END_TEST

Suite *clock_suite(void);

Suite *clock_suite(void)
{
    Suite *suite = suite_create("clock");
    TCase *parts = tcase_create("parts");
    tcase_set_timeout(parts, 0);
    tcase_add_test(parts, test_chain);
    tcase_add_test(parts, test_units);
    tcase_add_test(parts, test_folded);
    tcase_add_test(parts, test_aggregated);
    tcase_add_test(parts, test_predicates);
    tcase_add_loop_test(parts, test_tensor, 0, TENSOR_LINKS);
    tcase_add_test(parts, test_async);
    tcase_add_test(parts, test_caches);
    tcase_add_test(parts, test_shared);
    tcase_add_test(parts, test_barrier);
    tcase_add_test(parts, test_bandwidth);
    tcase_add_test(parts, test_occupancy);
    tcase_add_test(parts, test_policies);
    tcase_add_test(parts, test_stalls);
    tcase_add_test(parts, test_unread_result);
    tcase_add_test(parts, test_faults);
    tcase_add_test(parts, test_clock_register);
    tcase_add_test(parts, test_places);
    tcase_add_test(parts, test_returns);
    tcase_add_test(parts, test_telling);
    tcase_add_test(parts, test_waits);
    tcase_add_test(parts, test_shares);
    suite_add_tcase(suite, parts);
    return suite;
}
