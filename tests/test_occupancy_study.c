/* sim/occupancy_study and sim/limits: the guide's examples, steps and curves against arithmetic and, where it is
 * installed, against cuda_occupancy.h; clusters; refusals.
 */
#include "sim/limits.h"
#include "sim/occupancy.h"
#include "tests/engine_kit.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#ifdef HAVE_CUDA_OCCUPANCY_H
#include "tests/occupancy_reference.h"
#endif

Suite *occupancy_study_suite(void);

static struct sim_occupancy_query ask(uint32_t threads, uint32_t registers, uint64_t shared)
{
    return (struct sim_occupancy_query){threads, registers, 0, shared, -1, 1};
}

static struct sim_occupancy occupancy_on(const char *device, uint32_t threads, uint32_t registers, uint64_t shared)
{
    struct sim_occupancy_query query = ask(threads, registers, shared);
    struct sim_occupancy out;
    sim_occupancy_compute(sim_device_find(device), &query, &out);
    return out;
}

/* Compute capability 10.0: 2,048 threads, 32 blocks, 233,472 bytes of shared memory an SM. */
START_TEST(the_guides_examples)
{
    struct sim_occupancy o = occupancy_on("b200", 768, 16, 0);
    ck_assert_uint_eq(o.blocks_per_sm, 2); /* 3 x 768 = 2,304 > 2,048 */
    ck_assert(o.occupancy_pct == 75.0);    /* 1,536 / 2,048 */
    ck_assert_uint_eq(o.limiter_mask, 1U << SIM_LIMIT_WARPS);
    o = occupancy_on("b200", 32, 16, 0);
    ck_assert_uint_eq(o.blocks_per_sm, 32);
    ck_assert(o.occupancy_pct == 50.0); /* 1,024 / 2,048 */
    ck_assert_uint_eq(o.limiter, SIM_LIMIT_BLOCKS);
    o = occupancy_on("b200", 128, 16, 102400);
    ck_assert_uint_eq(o.blocks_per_sm, 2); /* 3 x (102,400 + 1,024) = 310,272 > 233,472 */
    ck_assert_uint_eq(o.limiter, SIM_LIMIT_SHARED);
    ck_assert(o.needs_optin);
    ck_assert(!occupancy_on("b200", 128, 16, 49152).needs_optin);
    ck_assert(occupancy_on("b200", 128, 16, 49153).needs_optin);
}
END_TEST

/* Turing: 32 warps, 65,536 registers in four parts. 136 to 168 registers: a warp takes 4,352 to 5,376, so three warps a
 * part, 12 in all. Blocks of 256 threads are 8 warps: one fits. Blocks of 192 are 6: two fit. */
START_TEST(why_192_threads_beat_256_on_turing)
{
    for (uint32_t registers = 136; registers <= 168; registers++) {
        ck_assert_uint_eq(occupancy_on("rtx2080", 256, registers, 0).warps_per_sm, 8);
        ck_assert_uint_eq(occupancy_on("rtx2080", 192, registers, 0).warps_per_sm, 12);
    }
    ck_assert_uint_eq(occupancy_on("rtx2080", 256, 128, 0).warps_per_sm, 16);
    ck_assert_uint_eq(occupancy_on("rtx2080", 192, 169, 0).warps_per_sm, 6);
}
END_TEST

static void check_step(const char *device, struct sim_occupancy_query query, enum sim_occupancy_axis axis, bool is_more,
                       int64_t value, uint32_t warps)
{
    struct sim_occupancy_step step;
    sim_occupancy_step_compute(sim_device_find(device), &query, axis, is_more, &step);
    ck_assert(step.is_possible == (value >= 0));
    if (value < 0)
        return;
    ck_assert_uint_eq(step.value, (uint64_t)value);
    ck_assert_uint_eq(step.warps_per_sm, warps);
}

START_TEST(steps_worked_out_by_hand)
{
    /* 33 to 40 registers: 1,280 a warp, 12 a part, 48 warps: 6 blocks of 8. */
    struct sim_occupancy_query query = ask(256, 33, 0);
    check_step("h200", query, SIM_AXIS_REGISTERS, false, 32, 64); /* 1,024 a warp: 64 warps */
    check_step("h200", query, SIM_AXIS_REGISTERS, true, 48, 40);  /* 1,536: 10 a part, 40 warps: 5 blocks */
    check_step("h200", query, SIM_AXIS_BLOCK, false, 224, 42);    /* 48 warps / 7 = 6 blocks of 7 */
    check_step("h200", query, SIM_AXIS_BLOCK, true, 288, 45);     /* 48 / 9 = 5 blocks of 9 */
    check_step("h200", query, SIM_AXIS_SHARED, true, 128, 48);    /* 1,024 + 128 bytes: 202 blocks */
    check_step("h200", query, SIM_AXIS_SHARED, false, -1, 0);
    /* The ends of the axes. */
    check_step("h200", ask(32, 1, 0), SIM_AXIS_BLOCK, false, -1, 0);
    check_step("h200", ask(1000, 8, 0), SIM_AXIS_BLOCK, true, -1, 0);
    check_step("h200", ask(1000, 8, 0), SIM_AXIS_BLOCK, false, 992, 62); /* 2 blocks of 31 warps */
    check_step("h200", ask(32, 8, 0), SIM_AXIS_REGISTERS, false, -1, 0);
    check_step("h200", ask(32, 248, 0), SIM_AXIS_REGISTERS, true, 255, 8);
    check_step("h200", ask(32, 249, 0), SIM_AXIS_REGISTERS, true, -1, 0);
    check_step("h200", ask(32, 16, 232448), SIM_AXIS_SHARED, true, -1, 0);
    /* 38,913 bytes and 1,024 are 39,937, in units of 128 bytes 40,064; five of them are 200,320. One unit less is
     * 39,936: 233,472 / 39,936 = 5. */
    check_step("h200", ask(32, 16, 38913), SIM_AXIS_SHARED, false, 38912, 5);
    check_step("h200", ask(32, 16, 38913), SIM_AXIS_SHARED, true, 39168, 5);
    /* Fermi: 64 registers a unit, so two registers a thread. 21 or 22: 704; 32,768 / 704 = 46; 46 / 8 = 5. */
    check_step("gtx580", ask(256, 21, 0), SIM_AXIS_REGISTERS, false, 20, 48);
    check_step("gtx580", ask(256, 21, 0), SIM_AXIS_REGISTERS, true, 24, 40);
    check_step("gtx580", ask(256, 62, 0), SIM_AXIS_REGISTERS, true, 63, 16);
    check_step("gtx580", ask(32, 8, 0), SIM_AXIS_SHARED, true, 128, 8);
    check_step("gtx580", ask(32, 8, 1), SIM_AXIS_SHARED, false, 0, 8);
}
END_TEST

/* Pieces without gaps from one end of the axis to the other, neighbours different, `at` finding each. */
static void check_pieces(const struct sim_occupancy_curve *curve, uint64_t first, uint64_t last)
{
    ck_assert_uint_gt(curve->count, 0);
    ck_assert_uint_eq(curve->pieces[0].from, first);
    ck_assert_uint_eq(curve->pieces[curve->count - 1].to, last);
    for (uint32_t i = 0; i < curve->count; i++) {
        const struct sim_occupancy_piece *p = &curve->pieces[i];
        ck_assert_uint_le(p->from, p->to);
        ck_assert_ptr_eq(sim_occupancy_curve_at(curve, p->from), p);
        ck_assert_ptr_eq(sim_occupancy_curve_at(curve, p->to), p);
        if (i == 0)
            continue;
        ck_assert_uint_eq(p->from, p[-1].to + 1);
        ck_assert(p->blocks_per_sm != p[-1].blocks_per_sm || p->warps_per_sm != p[-1].warps_per_sm);
    }
}

START_TEST(curves_worked_out_by_hand)
{
    const struct sim_device *device = sim_device_find("h200");
    struct sim_occupancy_query query = ask(256, 33, 0);
    struct sim_occupancy_curve curve;
    struct base_arena arena;
    base_arena_init(&arena, 0);

    /* Registers: 8 units of 8 more each cost warps; 65,536 / 4 / (units x 256) warps a part, 8 warps a block. */
    ck_assert_int_eq(sim_occupancy_curve_make(device, &query, SIM_AXIS_REGISTERS, &arena, &curve), BASE_OK);
    ck_assert_uint_eq(curve.own, 33);
    check_pieces(&curve, 1, 255);
    for (uint32_t registers = 1; registers <= 255; registers++) {
        uint32_t units = (registers + 7) / 8, warps = 16384 / (units * 256) * 4, blocks = warps / 8;
        blocks = blocks < 8 ? blocks : 8; /* 64 warps */
        ck_assert_uint_eq(sim_occupancy_curve_at(&curve, registers)->blocks_per_sm, blocks);
    }
    ck_assert_uint_eq(sim_occupancy_curve_next(&curve, false)->to, 32);
    ck_assert_uint_eq(sim_occupancy_curve_next(&curve, true)->from, 41);

    /* Blocks: 48 warps fit, at most 32 blocks. A block's warps must fit as if they filled all four parts. */
    ck_assert_int_eq(sim_occupancy_curve_make(device, &query, SIM_AXIS_BLOCK, &arena, &curve), BASE_OK);
    check_pieces(&curve, 1, 1024);
    for (uint32_t threads = 1; threads <= 1024; threads++) {
        uint32_t warps = (threads + 31) / 32, blocks = 48 / warps;
        ck_assert_uint_eq(sim_occupancy_curve_at(&curve, threads)->warps_per_sm, (blocks < 32 ? blocks : 32) * warps);
    }

    /* Shared memory: 228 KiB over blocks of 1 KiB more than they ask for; never more than 6 blocks, for registers. */
    ck_assert_int_eq(sim_occupancy_curve_make(device, &query, SIM_AXIS_SHARED, &arena, &curve), BASE_OK);
    check_pieces(&curve, 0, 232448);
    ck_assert_uint_eq(curve.count, 6);
    for (uint64_t shared = 0; shared <= 232448; shared += 61) {
        uint64_t blocks = 233472 / ((shared + 1024 + 127) / 128 * 128);
        ck_assert_uint_eq(sim_occupancy_curve_at(&curve, shared)->blocks_per_sm, blocks < 6 ? blocks : 6);
    }
    ck_assert_ptr_null(sim_occupancy_curve_next(&curve, false));
    /* Six blocks: 233,472 / 6 = 38,912; less the 1,024 that are not the kernel's. */
    ck_assert_uint_eq(sim_occupancy_curve_next(&curve, true)->from, 38912 - 1024 + 1);
    base_arena_free(&arena);
}
END_TEST

/* Units of one register and one byte: the curve gets coarser, not endless. */
START_TEST(a_profile_with_tiny_units)
{
    static const char text[] = "base = h200\nname = tiny\nunified_bytes = 16777216\nshared_per_sm_bytes = 16777216\n"
                               "shared_per_block_optin_bytes = 16777216\nshared_unit_bytes = 1\nregister_unit = 1\n";
    struct base_source source = {"tiny.dev", text, sizeof text - 1};
    struct sim_occupancy_query query = ask(256, 33, 5000);
    struct sim_device device;
    struct sim_occupancy_study study;
    struct base_diags diags = {0};
    struct base_arena arena;
    base_arena_init(&arena, 0);
    ck_assert_int_eq(sim_device_read(&source, &device, &diags), BASE_OK);
    ck_assert_int_eq(sim_occupancy_study_make(&device, &query, 1, &arena, &study), BASE_OK);
    check_pieces(&study.curves[SIM_AXIS_SHARED], 0, 16777216);
    ck_assert_uint_lt(study.curves[SIM_AXIS_SHARED].count, 4100);
    check_pieces(&study.curves[SIM_AXIS_REGISTERS], 1, 255);
    ck_assert_uint_eq(study.steps[2 * SIM_AXIS_REGISTERS].value, 32);
    ck_assert_uint_eq(study.steps[2 * SIM_AXIS_REGISTERS + 1].value, 34);
    ck_assert_uint_eq(study.steps[2 * SIM_AXIS_SHARED].value, 4999);
    ck_assert_uint_eq(study.steps[2 * SIM_AXIS_SHARED + 1].value, 5001);
    base_arena_free(&arena);
    base_diags_free(&diags);
}
END_TEST

#ifdef HAVE_CUDA_OCCUPANCY_H
/* Each piece's ends, and steps, as the header has them. */
static void check_value(const struct reference_device *device, struct reference_query v, enum sim_occupancy_axis axis,
                        uint64_t value, uint32_t blocks)
{
    cudaOccResult result;
    if (axis == SIM_AXIS_BLOCK)
        v.threads = (uint32_t)value;
    else if (axis == SIM_AXIS_REGISTERS)
        v.registers = (uint32_t)value;
    else
        v.shared_dynamic = (uint32_t)value;
    if (reference_occupancy(device, &v, &result) == 0)
        ck_assert_int_eq(result.activeBlocksPerMultiprocessor, (int)blocks);
}

START_TEST(curves_of_cuda_occupancy)
{
    const struct reference_device *reference = &reference_devices[_i];
    uint64_t state = 99 + (uint64_t)_i;
    for (int i = 0; i < 60; i++) {
        struct reference_query v = reference_random(&state);
        struct sim_occupancy_study study;
        struct base_arena arena;
        v.shared_dynamic = v.threads <= 1024 ? (v.shared_static + v.shared_dynamic) % 49152 : 0;
        v.shared_static = 0;
        v.threads = v.threads <= 1024 ? v.threads : 1024;
        struct sim_occupancy_query query = {v.threads, v.registers, 0, v.shared_dynamic, v.carveout, v.barriers};
        base_arena_init(&arena, 0);
        ck_assert_int_eq(sim_occupancy_study_make(sim_device_find(reference->name), &query, 1, &arena, &study),
                         BASE_OK);
        for (int axis = 0; axis < SIM_AXIS_COUNT; axis++) {
            const struct sim_occupancy_curve *curve = &study.curves[axis];
            for (uint32_t p = 0; p < curve->count; p++) {
                uint32_t blocks = curve->pieces[p].blocks_per_sm;
                check_value(reference, v, (enum sim_occupancy_axis)axis, curve->pieces[p].from, blocks);
                check_value(reference, v, (enum sim_occupancy_axis)axis, curve->pieces[p].to, blocks);
            }
            for (int more = 0; more < 2; more++) {
                const struct sim_occupancy_step *step = &study.steps[2 * axis + more];
                if (step->is_possible)
                    check_value(reference, v, (enum sim_occupancy_axis)axis, step->value, step->blocks_per_sm);
            }
        }
        base_arena_free(&arena);
    }
}
END_TEST
#endif

/* The record's card, all cluster sizes that its driver takes and one more. */
START_TEST(clusters_of_the_h200_record)
{
    const struct sim_device *device = sim_device_find("h200");
    FILE *file = fopen(TEST_SRCDIR "/validate/records/h200/clusters/max_active.csv", "r");
    char line[128];
    int rows = 0;
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    for (; fgets(line, sizeof line, file); rows++) {
        unsigned threads, registers, shared, cluster, clusters, blocks;
        struct sim_cluster_occupancy out;
        ck_assert_int_eq(sscanf(line, "%u,%u,%u,%u,%u,%u", &threads, &registers, &shared, &cluster, &clusters, &blocks),
                         6);
        ck_assert_uint_eq(occupancy_on("h200", threads, registers, shared).blocks_per_sm, blocks);
        sim_cluster_occupancy_compute(device, blocks, cluster, &out);
        ck_assert_uint_eq(out.max_active_clusters, clusters);
        ck_assert(out.is_portable == (cluster <= 8));
    }
    fclose(file);
    ck_assert_int_eq(rows, 4080);
}
END_TEST

/* A card whose GPCs nobody looked at. */
START_TEST(clusters_of_another_card)
{
    /* 66 pairs of SMs over 8 GPCs: two GPCs of 18, six of 16. With one block on each SM, clusters of 16 find room
     * once in each GPC, clusters of 8 twice; of 3, six and five times. */
    static const uint32_t expected[][3] = {{1, 1, 132}, {1, 2, 66}, {1, 4, 32},  {1, 8, 16},
                                           {1, 16, 8},  {1, 3, 42}, {2, 16, 16}, {8, 16, 66}};
    const struct sim_device *device = sim_device_find("h100");
    struct sim_cluster_occupancy out;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        sim_cluster_occupancy_compute(device, expected[i][0], expected[i][1], &out);
        ck_assert_uint_eq(out.max_active_clusters, expected[i][2]);
        ck_assert(out.is_portable == (expected[i][1] <= 8));
    }
    sim_cluster_occupancy_compute(device, 1, 19, &out);
    ck_assert_uint_eq(out.max_active_clusters, 0);
    sim_cluster_occupancy_compute(device, 32, 1, &out);
    ck_assert_uint_eq(out.max_active_clusters, 8 * 132);
    for (size_t d = 0; d < sim_device_count(); d++) {
        uint32_t sms = 0;
        sim_cluster_occupancy_compute(sim_device_at(d), 1, 1, &out);
        for (uint32_t g = 0; g < out.gpc_count; g++)
            sms += out.gpc_sms[g];
        ck_assert_uint_eq(sms, sim_device_at(d)->sm_count);
    }
}
END_TEST

/* As validate/records/h200/clusters/resident.cu: each block counts who is on its SM, and stays for long. */
static const char residents[] =
    PTX_KERNEL("mov.u32 %r2, %smid;\nmul.wide.u32 %d2, %r2, 4;\nadd.u64 %d2, %d0, %d2;\n"
               "atom.global.add.u32 %r3, [%d2], 1;\nadd.u32 %r3, %r3, 1;\nred.global.max.u32 [%d2+64], %r3;\n"
               "mov.u64 %d3, %clock64;\nWAIT: mov.u64 %d4, %clock64;\nsub.u64 %d4, %d4, %d3;\n"
               "setp.lt.u64 %p1, %d4, 6000;\n@%p1 bra WAIT;\nred.global.add.u32 [%d2], -1;\n");

static void check_residents(const struct sim_device *device, uint32_t cluster, uint32_t most, uint32_t sum)
{
    struct kit kit;
    uint32_t found = 0, total = 0;
    kit_run_ok(&kit, &(struct kit_launch){.ptx = residents,
                                          .args = "u32[32]=zero",
                                          .grid = {1024},
                                          .cluster = {cluster},
                                          .profile = device,
                                          .cycles = true});
    for (uint32_t sm = 0; sm < 16; sm++) {
        uint32_t here = kit_words(&kit, 0)[16 + sm];
        found = here > found ? here : found;
        total += here;
    }
    ck_assert_uint_eq(found, most);
    ck_assert_uint_eq(total, sum);
    kit_free(&kit);
}

START_TEST(clusters_on_the_clock)
{
    static const char text[] = "base = h200\nname = small\nsm_count = 16\ngpc_sms = 2 2 4 8\n";
    struct base_source source = {"small.dev", text, sizeof text - 1};
    struct sim_device device;
    struct base_diags diags = {0};
    ck_assert_int_eq(sim_device_read(&source, &device, &diags), BASE_OK);
    base_diags_free(&diags);
    check_residents(&device, 0, 32, 16 * 32);
    check_residents(&device, 1, 8, 16 * 8);
    check_residents(&device, 2, 8, 16 * 8);
    check_residents(&device, 4, 8, (4 + 8) * 8); /* the pairs hold none */
    check_residents(&device, 8, 8, 8 * 8);
}
END_TEST

static const char *refusal(bool good, struct base_diags *diags)
{
    static const char none[] = "";
    const char *said = diags->count > 0 ? diags->items[diags->count - 1].message : none;
    ck_assert(good == (diags->count == 0));
    return said;
}

START_TEST(refusals_name_the_limit)
{
    const struct sim_device *device = sim_device_find("h200");
    static const struct {
        uint32_t block[3];
        const char *says;
    } blocks[] = {
        {{1024, 1, 1}, ""},
        {{1025, 1, 1}, "1025 threads; the device takes up to 1024 (maxThreadsPerBlock"},
        {{32, 33, 1}, "1056 threads"},
        {{1, 1, 65}, "block z is 65; the device takes 1 to 64 (maxThreadsDim"},
        {{0, 1, 1}, "block x is 0"},
        {{2147483647, 2147483647, 2147483647}, "maxThreadsPerBlock"},
        {{4194304, 4194304, 1048576}, "maxThreadsPerBlock"}, /* 2^64 */
    };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        struct base_diags diags = {0};
        ck_assert_ptr_nonnull(
            strstr(refusal(sim_limits_block(device, NULL, blocks[i].block, &diags), &diags), blocks[i].says));
        ck_assert((blocks[i].says[0] == '\0') == (diags.count == 0));
        base_diags_free(&diags);
    }
    static const struct {
        uint64_t fixed, dynamic;
        const char *says;
    } shared[] = {{49152, 232448 - 49152, ""},
                  {0, 232448, ""},
                  {0, 232449, "up to 232448 (sharedMemPerBlockOptin"},
                  {1, 232448, "sharedMemPerBlockOptin"},
                  {49153, 0, "more than 49152 (sharedMemPerBlock) must be dynamic"},
                  {0, UINT64_MAX, "sharedMemPerBlockOptin"},
                  {UINT64_MAX, 0, "sharedMemPerBlock"}};
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        struct base_diags diags = {0};
        ck_assert_ptr_nonnull(strstr(
            refusal(sim_limits_shared(device, shared[i].fixed, shared[i].dynamic, &diags), &diags), shared[i].says));
        ck_assert((shared[i].says[0] == '\0') == (diags.count == 0));
        base_diags_free(&diags);
    }
}
END_TEST

START_TEST(refusals_of_clusters_and_registers)
{
    static const struct {
        const char *device;
        uint32_t cluster[3];
        const char *says;
    } clusters[] = {
        {"h200", {16, 1, 1}, ""},
        {"h200", {4, 4, 1}, ""},
        {"h200", {17, 1, 1}, "a cluster of 17 blocks; h200 takes up to 16"},
        {"h200", {4194304, 4194304, 1048576}, "h200 takes up to 16"},
        {"h200", {2, 0, 1}, "h200 takes up to 16"},
        {"a100", {1, 1, 1}, ""},
        {"a100", {2, 1, 1}, "a100 has no clusters"},
    };
    for (size_t i = 0; i < sizeof clusters / sizeof clusters[0]; i++) {
        struct base_diags diags = {0};
        uint32_t cluster[3] = {clusters[i].cluster[0], clusters[i].cluster[1], clusters[i].cluster[2]};
        bool good = sim_limits_cluster(sim_device_find(clusters[i].device), NULL, true, cluster, &diags);
        ck_assert_ptr_nonnull(strstr(refusal(good, &diags), clusters[i].says));
        ck_assert(good == (clusters[i].says[0] == '\0'));
        base_diags_free(&diags);
    }
    struct base_diags diags = {0};
    ck_assert(sim_limits_registers(sim_device_find("h200"), 255, &diags));
    ck_assert(sim_limits_registers(sim_device_find("gtx580"), 63, &diags));
    ck_assert(!sim_limits_registers(sim_device_find("gtx580"), 64, &diags));
    ck_assert_ptr_nonnull(strstr(refusal(false, &diags), "64 registers a thread; gtx580 has up to 63"));
    base_diags_free(&diags);
}
END_TEST

/* What ptxas 13.0 does with -maxrregcount: .maxnreg and .maxntid win, 24 is the least: what ptxas -v says. */
START_TEST(register_caps)
{
    const struct sim_device *device = sim_device_find("h200");
    struct isa_function kernel = {0};
    struct isa_linked linked = {.registers_estimate = 51};
    ck_assert_uint_eq(sim_launch_registers(device, &kernel, &linked, 0, 0), 51);
    ck_assert_uint_eq(sim_launch_registers(device, &kernel, &linked, 0, 32), 32);
    ck_assert_uint_eq(sim_launch_registers(device, &kernel, &linked, 0, 64), 51);
    ck_assert_uint_eq(sim_launch_registers(device, &kernel, &linked, 0, 5), 24);
    ck_assert_uint_eq(sim_launch_registers(device, &kernel, &linked, 72, 32), 72);
    ck_assert_uint_eq(sim_launch_registers(device, &kernel, &linked, 5, 0), 16);
    kernel.reqntid[0] = 128;
    ck_assert_uint_eq(sim_launch_registers(device, &kernel, &linked, 0, 32), 32);
    kernel.maxntid[0] = 128;
    ck_assert_uint_eq(sim_launch_registers(device, &kernel, &linked, 0, 32), 51);
    kernel.maxnreg = 40;
    ck_assert_uint_eq(sim_launch_registers(device, &kernel, &linked, 0, 32), 40);
    linked.registers_estimate = 400;
    kernel.maxnreg = 0;
    ck_assert_uint_eq(sim_launch_registers(device, &kernel, &linked, 0, 0), 255);
    linked.registers_estimate = 3;
    ck_assert_uint_eq(sim_launch_registers(device, &kernel, &linked, 0, 0), 16);
}
END_TEST

Suite *occupancy_study_suite(void)
{
    Suite *suite = suite_create("occupancy_study");
    TCase *tests = tcase_create("occupancy_study");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, the_guides_examples);
    tcase_add_test(tests, why_192_threads_beat_256_on_turing);
    tcase_add_test(tests, steps_worked_out_by_hand);
    tcase_add_test(tests, curves_worked_out_by_hand);
    tcase_add_test(tests, a_profile_with_tiny_units);
#ifdef HAVE_CUDA_OCCUPANCY_H
    tcase_add_loop_test(tests, curves_of_cuda_occupancy, 0, (int)REFERENCE_DEVICES);
#endif
    tcase_add_test(tests, clusters_of_the_h200_record);
    tcase_add_test(tests, clusters_of_another_card);
    tcase_add_test(tests, clusters_on_the_clock);
    tcase_add_test(tests, refusals_name_the_limit);
    tcase_add_test(tests, refusals_of_clusters_and_registers);
    tcase_add_test(tests, register_caps);
    suite_add_tcase(suite, tests);
    return suite;
}
