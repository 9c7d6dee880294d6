/* The built-in devices, oldest first: constant data, each value beside where it comes from.
 *
 * V(field, source, value) sets one parameter. The groups above the devices hold what all cards of a generation share;
 * a device is its groups plus its own numbers. Sources are the keys that docs/devices.md spells out; "unsourced" marks
 * a value that no document or measurement at hand gives. None of the timing-related numbers is calibrated.
 */
#include "sim/device.h"
#include "sim/device_clock.h"

#define V(field, from, ...) .field = __VA_ARGS__, .source[SIM_PARAM_AT_##field] = from

#define IDENTITY(word, card, generation, major, minor)                                                                 \
    V(name, "simtlab", word), V(product, "simtlab", card), V(architecture, "CPG", generation),                         \
        V(compute_major, "CPG", major), V(compute_minor, "CPG", minor)

/* The same from Fermi to Blackwell. */
#define EVERY_CARD                                                                                                     \
    V(max_threads_per_block, "CPG", 1024), V(max_block_x, "CPG", 1024), V(max_block_y, "CPG", 1024),                   \
        V(max_block_z, "CPG", 64), V(max_grid_y, "CPG", 65535), V(max_grid_z, "CPG", 65535),                           \
        V(shared_per_block_bytes, "CPG", 49152), V(bank_count, "CPG", 32), V(bank_bytes, "CPG", 4),                    \
        V(named_barriers_per_block, "CPG", 16), V(line_bytes, "MT4G; CPG-F4", 128),                                    \
        V(sector_bytes, "NCU-DOC; CPG-F4", 32), V(global_request_lanes, "NCU-DOC; CPG-F4", 32),                        \
        V(constant_bytes, "CPG", 65536), V(constant_cache_bytes, "CPG", 8192),                                         \
        V(local_per_thread_bytes, "CPG", 524288)

/* Volta and later: one register file part a scheduler, independent lanes. */
#define SINCE_VOLTA                                                                                                    \
    EVERY_CARD, V(l1_fetch_bytes, "NCU-DOC, MT4G", 32), V(global_request_bytes, "NCU-DOC", 1024),                      \
        V(shared_wide_rule, "H200: lanes, for all since Volta", 1), V(max_grid_x, "CPG", 2147483647),                  \
        V(independent_threads, "CPG", 1), V(registers_per_sm, "CPG", 65536), V(registers_per_block, "CPG", 65536),     \
        V(max_registers_per_thread, "CPG", 255), V(register_unit, "OCC", 256),                                         \
        V(warp_allocation_granularity, "OCC", 4), V(schedulers_per_sm, "CPG", 4),                                      \
        V(issue_interval_cycles, "MICRO25", 1), V(sfu_lanes_per_sm, "CPG, TP90", 16),                                  \
        V(shuffle_lanes_per_sm, "CPG, TP90", 32), V(imad_lanes_per_sm, "CPG, TP90", 64)

#define NO_CLUSTERS                                                                                                    \
    V(max_cluster_blocks, "CPG", 1), V(max_cluster_blocks_nonportable, "CPG", 1), V(cluster_blocks_per_sm, "CPG", 0),  \
        V(named_barriers_per_sm, "OCC", 0)
#define CLUSTERS                                                                                                       \
    V(max_cluster_blocks, "CPG", 8), V(max_cluster_blocks_nonportable, "CPG", 16), V(named_barriers_per_sm, "OCC", 64)
#define CLUSTER_BLOCKS_AS_H200 V(cluster_blocks_per_sm, "unsourced: as on the H200", 8)

#define SM_HOLDS(warps, blocks, warps_each)                                                                            \
    V(max_warps_per_sm, "CPG", warps), V(max_blocks_per_sm, "CPG, OCC", blocks),                                       \
        V(warps_per_scheduler, "CPG: warps over schedulers", warps_each)

#define SHARED_NONE_RESERVED V(shared_reserved_bytes, "OCC", 0), V(shared_unit_bytes, "OCC", 256)
#define SHARED_RESERVED      V(shared_reserved_bytes, "CPG, OCC", 1024), V(shared_unit_bytes, "OCC", 128)

#define SHARED_100K                                                                                                    \
    SHARED_RESERVED, V(unified_bytes, "CPG", 131072), V(shared_per_sm_bytes, "CPG", 102400),                           \
        V(shared_per_block_optin_bytes, "CPG", 101376), V(shared_carveouts_kib, "OCC", {6, {0, 8, 16, 32, 64, 100}})
#define SHARED_228K                                                                                                    \
    SHARED_RESERVED, V(unified_bytes, "CPG", 262144), V(shared_per_sm_bytes, "CPG", 233472),                           \
        V(shared_per_block_optin_bytes, "CPG", 232448),                                                                \
        V(shared_carveouts_kib, "OCC", {10, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}})

#define MIN_REGISTERS_AS_H200 V(min_registers_per_thread, "unsourced: as on the H200", 16)

/* How tensor cores add: products of 16-bit operands in one step, bits kept below the largest term. */
#define TENSOR_ADDS(from, products, bits) V(tensor_products, from, products), V(tensor_fraction_bits, from, bits)

/* Hopper and data-centre Blackwell. */
#define LANES_90(from)                                                                                                 \
    V(fp32_lanes_per_sm, from, 128), V(fp16_lanes_per_sm, from, 256), V(int_lanes_per_sm, from, 64),                   \
        V(fp64_lanes_per_sm, from, 64), V(tensor_cores_per_sm, "CPG", 4)

/* The clock. Only the H200's numbers are measured or published for that card. */
#define MEASURED(field, kind, unit, value, low, high, help, from)   V(field, from, value),
#define AS_ON_H200(field, kind, unit, value, low, high, help, from) V(field, "unsourced: as on the H200", value),
#define CLOCK_H200                                                  SIM_DEVICE_LATENCIES(MEASURED) SIM_DEVICE_CLOCK(MEASURED)
#define CLOCK_AS_H200                                               SIM_DEVICE_CLOCK(AS_ON_H200)
#define LATENCIES(from, shared, l1, l2, dram)                                                                          \
    V(shared_latency_cycles, from, shared), V(l1_latency_cycles, from, l1), V(l2_latency_cycles, from, l2),            \
        V(dram_latency_cycles, from, dram)

static const struct sim_device profiles[] = {
    {
        IDENTITY("gtx580", "GeForce GTX 580", "Fermi", 2, 0),
        CLOCK_AS_H200 LATENCIES("ACFG (uncalibrated)", 26, 35, 155, 255),
        EVERY_CARD,
        V(sm_count, "BITTECH", 16),
        V(gpc_count, "BITTECH", 4),
        V(gpc_sms, "unsourced: not known", {1, {0}}),
        V(clock_khz, "BITTECH (shader clock)", 1544000),
        V(memory_clock_khz, "BITTECH: bandwidth over bus", 2004000),
        V(memory_bus_bits, "BITTECH", 384),
        V(memory_bytes, "unsourced: 1.5 GiB", 1610612736),
        V(dram_bytes_per_second, "BITTECH", 192400000000),
        V(l2_bytes, "CPG-F4", 786432),
        V(l2_slices, "unsourced: one a 64-bit memory channel", 6),
        V(max_grid_x, "CPG-F4", 65535),
        V(l1_fetch_bytes, "CPG-F4", 128),
        V(global_request_bytes, "CPG-F4", 128),
        V(shared_wide_rule, "CPG-F4", 0),
        V(independent_threads, "CPG-F4", 0),
        SM_HOLDS(48, 8, 24),
        NO_CLUSTERS,
        V(registers_per_sm, "CPG-F4, OCCXLS", 32768),
        V(registers_per_block, "OCCXLS", 32768),
        V(max_registers_per_thread, "CPG-F4, OCCXLS", 63),
        V(min_registers_per_thread, "unsourced: no minimum known", 1),
        V(register_unit, "OCCXLS", 64),
        V(warp_allocation_granularity, "OCCXLS", 2),
        V(unified_bytes, "CPG-F4", 65536),
        V(shared_per_sm_bytes, "CPG-F4", 49152),
        V(shared_per_block_optin_bytes, "CPG-F4: no opt-in", 49152),
        V(shared_reserved_bytes, "OCCXLS", 0),
        V(shared_unit_bytes, "OCCXLS", 128),
        V(shared_carveouts_kib, "CPG-F4", {2, {16, 48}}),
        V(schedulers_per_sm, "CPG-F4", 2),
        V(issue_interval_cycles, "CPG-F4 (shader clock)", 2),
        V(fp32_lanes_per_sm, "CPG-F4", 32),
        V(fp16_lanes_per_sm, "CPG-F4", 0),
        V(int_lanes_per_sm, "CPG-F4", 32),
        V(imad_lanes_per_sm, "unsourced", 16),
        V(fp64_lanes_per_sm, "unsourced: a GeForce has a quarter of 16", 4),
        V(sfu_lanes_per_sm, "CPG-F4", 4),
        V(ldst_lanes_per_sm, "unsourced", 16),
        V(shuffle_lanes_per_sm, "CPG: since Kepler", 0),
        V(tensor_cores_per_sm, "CPG: since Volta", 0),
        TENSOR_ADDS("unsourced: it has no tensor cores", 4, 23),
    },
    {
        IDENTITY("v100", "Tesla V100-SXM2-16GB", "Volta", 7, 0),
        CLOCK_AS_H200 LATENCIES("PPT, MT4G, RRZE", 24, 28, 213, 425),
        SINCE_VOLTA,
        V(sm_count, "MT4G", 80),
        V(gpc_count, "unsourced", 6),
        V(gpc_sms, "unsourced: not known", {1, {0}}),
        V(clock_khz, "MT4G, KR", 1530000),
        V(memory_clock_khz, "KR: bandwidth over bus", 877000),
        V(memory_bus_bits, "KR", 4096),
        V(memory_bytes, "KR: 16 GiB", 17179869184),
        V(dram_bytes_per_second, "KR", 900000000000),
        V(l2_bytes, "MT4G, KR", 6291456),
        V(l2_slices, "L2SLICE", 64),
        SM_HOLDS(64, 32, 16),
        NO_CLUSTERS,
        MIN_REGISTERS_AS_H200,
        SHARED_NONE_RESERVED,
        V(unified_bytes, "CPG", 131072),
        V(shared_per_sm_bytes, "CPG", 98304),
        V(shared_per_block_optin_bytes, "CPG", 98304),
        V(shared_carveouts_kib, "OCC", {6, {0, 8, 16, 32, 64, 96}}),
        V(fp32_lanes_per_sm, "CPG, TP86", 64),
        V(fp16_lanes_per_sm, "CPG, TP86", 128),
        V(int_lanes_per_sm, "CPG, TP86", 64),
        V(fp64_lanes_per_sm, "CPG, TP86", 32),
        V(ldst_lanes_per_sm, "RRZE", 32),
        V(tensor_cores_per_sm, "CPG", 8),
        TENSOR_ADDS("MMASIM", 4, 23),
    },
    {
        IDENTITY("rtx2080", "GeForce RTX 2080", "Turing", 7, 5),
        CLOCK_AS_H200 LATENCIES("PPT, ACFG", 30, 30, 231, 331),
        SINCE_VOLTA,
        V(sm_count, "GAMEGPU", 46),
        V(gpc_count, "GAMEGPU", 6),
        V(gpc_sms, "unsourced: not known", {1, {0}}),
        V(clock_khz, "GAMEGPU", 1710000),
        V(memory_clock_khz, "GAMEGPU: 14 Gb/s", 7000000),
        V(memory_bus_bits, "GAMEGPU", 256),
        V(memory_bytes, "unsourced: 8 GiB", 8589934592),
        V(dram_bytes_per_second, "GAMEGPU", 448000000000),
        V(l2_bytes, "GAMEGPU", 4194304),
        V(l2_slices, "unsourced", 32),
        SM_HOLDS(32, 16, 8),
        NO_CLUSTERS,
        MIN_REGISTERS_AS_H200,
        SHARED_NONE_RESERVED,
        V(unified_bytes, "CPG", 98304),
        V(shared_per_sm_bytes, "CPG", 65536),
        V(shared_per_block_optin_bytes, "CPG", 65536),
        V(shared_carveouts_kib, "OCC", {2, {32, 64}}),
        V(fp32_lanes_per_sm, "CPG, TP86", 64),
        V(fp16_lanes_per_sm, "CPG, TP86", 128),
        V(int_lanes_per_sm, "CPG, TP86", 64),
        V(fp64_lanes_per_sm, "CPG, TP86", 2),
        V(ldst_lanes_per_sm, "KR", 16),
        V(tensor_cores_per_sm, "CPG", 8),
        TENSOR_ADDS("MMASIM", 8, 24),
    },
    {
        IDENTITY("a100", "A100-SXM4-80GB", "Ampere", 8, 0),
        CLOCK_AS_H200 LATENCIES("LUO24, RRZE", 29, 33, 205, 466),
        SINCE_VOLTA,
        V(sm_count, "RRZE, KR", 108),
        V(gpc_count, "unsourced: 7 or 8", 7),
        V(gpc_sms, "unsourced: not known", {1, {0}}),
        V(clock_khz, "RRZE, KR", 1410000),
        V(memory_clock_khz, "KR: bandwidth over bus", 1593000),
        V(memory_bus_bits, "KR", 5120),
        V(memory_bytes, "KR: 80 GiB", 85899345920),
        V(dram_bytes_per_second, "KR", 2039000000000),
        V(l2_bytes, "RRZE, KR", 41943040),
        V(l2_slices, "unsourced", 80),
        SM_HOLDS(64, 32, 16),
        NO_CLUSTERS,
        MIN_REGISTERS_AS_H200,
        SHARED_RESERVED,
        V(unified_bytes, "CPG", 196608),
        V(shared_per_sm_bytes, "CPG", 167936),
        V(shared_per_block_optin_bytes, "CPG", 166912),
        V(shared_carveouts_kib, "OCC", {8, {0, 8, 16, 32, 64, 100, 132, 164}}),
        V(fp32_lanes_per_sm, "CPG, TP90", 64),
        V(fp16_lanes_per_sm, "CPG, TP90", 256),
        V(int_lanes_per_sm, "CPG, TP90", 64),
        V(fp64_lanes_per_sm, "CPG, TP90", 32),
        V(ldst_lanes_per_sm, "RRZE", 32),
        V(tensor_cores_per_sm, "CPG", 4),
        TENSOR_ADDS("MMASIM", 8, 24),
    },
    {
        IDENTITY("rtx3090", "GeForce RTX 3090", "Ampere", 8, 6),
        CLOCK_AS_H200 LATENCIES("MICRO25, RRZE (A40)", 24, 34, 250, 547),
        SINCE_VOLTA,
        V(sm_count, "MICRO25", 82),
        V(gpc_count, "unsourced", 7),
        V(gpc_sms, "unsourced: not known", {1, {0}}),
        V(clock_khz, "unsourced (boost)", 1695000),
        V(memory_clock_khz, "unsourced: bandwidth over bus", 9751000),
        V(memory_bus_bits, "MICRO25", 384),
        V(memory_bytes, "unsourced: 24 GiB", 25769803776),
        V(dram_bytes_per_second, "unsourced", 936000000000),
        V(l2_bytes, "MICRO25", 6291456),
        V(l2_slices, "unsourced", 48),
        SM_HOLDS(48, 16, 12),
        NO_CLUSTERS,
        MIN_REGISTERS_AS_H200,
        SHARED_100K,
        V(fp32_lanes_per_sm, "CPG, TP90 (64 shared with integer)", 128),
        V(fp16_lanes_per_sm, "CPG (the older TP86 says 256)", 128),
        V(int_lanes_per_sm, "CPG, TP90", 64),
        V(fp64_lanes_per_sm, "CPG, TP90", 2),
        V(ldst_lanes_per_sm, "RRZE (A40)", 16),
        V(tensor_cores_per_sm, "CPG", 4),
        TENSOR_ADDS("MMASIM", 8, 24),
    },
    {
        IDENTITY("rtx4090", "GeForce RTX 4090", "Ada Lovelace", 8, 9),
        CLOCK_AS_H200 LATENCIES("LUO24, RRZE", 30, 34, 273, 541),
        SINCE_VOLTA,
        V(sm_count, "KR", 128),
        V(gpc_count, "KR", 11),
        V(gpc_sms, "unsourced: not known", {1, {0}}),
        V(clock_khz, "KR", 2520000),
        V(memory_clock_khz, "KR: bandwidth over bus", 10501000),
        V(memory_bus_bits, "KR", 384),
        V(memory_bytes, "unsourced: 24 GiB", 25769803776),
        V(dram_bytes_per_second, "KR", 1008000000000),
        V(l2_bytes, "KR", 75497472),
        V(l2_slices, "unsourced", 48),
        SM_HOLDS(48, 24, 12),
        NO_CLUSTERS,
        MIN_REGISTERS_AS_H200,
        SHARED_100K,
        V(fp32_lanes_per_sm, "CPG, TP90 (64 shared with integer)", 128),
        V(fp16_lanes_per_sm, "CPG, TP90", 128),
        V(int_lanes_per_sm, "CPG, TP90", 64),
        V(fp64_lanes_per_sm, "CPG, TP90", 2),
        V(ldst_lanes_per_sm, "RRZE (L40)", 16),
        V(tensor_cores_per_sm, "CPG", 4),
        TENSOR_ADDS("MMASIM", 8, 24),
    },
    {
        IDENTITY("h100", "H100 SXM5 80GB", "Hopper", 9, 0),
        CLOCK_AS_H200 LATENCIES("LUO24, RRZE", 29, 32, 263, 570),
        SINCE_VOLTA,
        V(sm_count, "KR, C&C", 132),
        V(gpc_count, "KR, C&C", 8),
        V(gpc_sms, "unsourced: not known", {1, {0}}),
        CLUSTER_BLOCKS_AS_H200,
        V(clock_khz, "KR", 1980000),
        V(memory_clock_khz, "KR: bandwidth over bus", 2619000),
        V(memory_bus_bits, "KR", 5120),
        V(memory_bytes, "KR: 80 GiB", 85899345920),
        V(dram_bytes_per_second, "KR", 3350000000000),
        V(l2_bytes, "KR", 52428800),
        V(l2_slices, "inferred: the H200's 640 KiB a slice", 80),
        SM_HOLDS(64, 32, 16),
        CLUSTERS,
        MIN_REGISTERS_AS_H200,
        SHARED_228K,
        LANES_90("CPG, TP90"),
        V(ldst_lanes_per_sm, "RRZE (H200)", 32),
        TENSOR_ADDS("MMASIM", 16, 25),
    },
    {
        IDENTITY("h200", "NVIDIA H200", "Hopper", 9, 0),
        CLOCK_H200 SINCE_VOLTA,
        V(sm_count, "H200", 132),
        V(gpc_count, "KR (H100 SXM die)", 8),
        V(gpc_sms, "H200: clusters/gpcs.txt, one card", {12, {2, 2, 2, 2, 8, 16, 16, 16, 16, 16, 18, 18}}),
        V(cluster_blocks_per_sm, "H200: clusters/max_active.csv", 8),
        V(clock_khz, "H200", 1980000),
        V(memory_clock_khz, "H200", 3201000),
        V(memory_bus_bits, "H200", 6016),
        V(memory_bytes, "H200", 150109880320),
        V(dram_bytes_per_second, "H200: 2 x clock x bus / 8", 4814304000000),
        V(l2_bytes, "H200", 62914560),
        V(l2_slices, "H200", 96),
        SM_HOLDS(64, 32, 16),
        CLUSTERS,
        V(min_registers_per_thread, "H200: launch__registers_per_thread", 16),
        SHARED_228K,
        LANES_90("CPG, TP90"),
        V(ldst_lanes_per_sm, "RRZE", 32),
        TENSOR_ADDS("TENSOR", 16, 25),
    },
    {
        IDENTITY("b200", "NVIDIA B200", "Blackwell", 10, 0),
        CLOCK_AS_H200 LATENCIES("C&C, B200-26", 29, 39, 295, 860),
        SINCE_VOLTA,
        V(sm_count, "KR, C&C", 148),
        V(gpc_count, "unsourced", 8),
        V(gpc_sms, "unsourced: not known", {1, {0}}),
        CLUSTER_BLOCKS_AS_H200,
        V(clock_khz, "unsourced: about 1900 MHz", 1900000),
        V(memory_clock_khz, "unsourced: bandwidth over bus", 3906000),
        V(memory_bus_bits, "unsourced", 8192),
        V(memory_bytes, "unsourced: 180 GiB", 193273528320),
        V(dram_bytes_per_second, "KR", 8000000000000),
        V(l2_bytes, "KR, C&C", 132120576),
        V(l2_slices, "unsourced", 192),
        SM_HOLDS(64, 32, 16),
        CLUSTERS,
        MIN_REGISTERS_AS_H200,
        SHARED_228K,
        LANES_90("CPG"),
        V(ldst_lanes_per_sm, "unsourced: as on the H200", 32),
        TENSOR_ADDS("MMASIM", 16, 25),
    },
    {
        IDENTITY("rtx5090", "GeForce RTX 5090", "Blackwell", 12, 0),
        CLOCK_AS_H200 LATENCIES("C&C, 6000D", 34, 44, 360, 877),
        SINCE_VOLTA,
        V(sm_count, "KR, CICUVC", 170),
        V(gpc_count, "unsourced", 11),
        V(gpc_sms, "unsourced: not known", {1, {0}}),
        CLUSTER_BLOCKS_AS_H200,
        V(clock_khz, "KR", 2407000),
        V(memory_clock_khz, "KR: bandwidth over bus", 14000000),
        V(memory_bus_bits, "KR", 512),
        V(memory_bytes, "unsourced: 32 GiB", 34359738368),
        V(dram_bytes_per_second, "KR", 1792000000000),
        V(l2_bytes, "KR", 100663296),
        V(l2_slices, "unsourced", 64),
        SM_HOLDS(48, 24, 12),
        V(max_cluster_blocks, "CPG", 8),
        V(max_cluster_blocks_nonportable, "unsourced: no more than the portable size", 8),
        V(named_barriers_per_sm, "OCC", 24),
        MIN_REGISTERS_AS_H200,
        SHARED_100K,
        V(fp32_lanes_per_sm, "TP120", 128),
        V(fp16_lanes_per_sm, "TP120", 128),
        V(int_lanes_per_sm, "TP120", 128),
        V(fp64_lanes_per_sm, "TP120", 2),
        V(ldst_lanes_per_sm, "unsourced", 16),
        V(tensor_cores_per_sm, "unsourced: as on earlier cards", 4),
        TENSOR_ADDS("MMASIM", 16, 25),
    },
};

size_t sim_device_count(void)
{
    return sizeof profiles / sizeof profiles[0];
}

const struct sim_device *sim_device_at(size_t index)
{
    return index < sim_device_count() ? &profiles[index] : NULL;
}
