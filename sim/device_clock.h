/* What the clock of simtlab takes for each part of an H200: rows as in sim/device.def.
 *
 * LATENCIES differ from card to card where they are known; the rest stands for all cards, marked "unsourced" for those
 * that are not the H200. A value whose source begins "H200:" or "TENSOR: cycles.csv" is fitted by
 * validate/micro/calibrate.py; tests/calibrate.sh holds this file to what it prints. micro, clock.csv: the folders of
 * validate/records/h200. */
#ifndef SIM_DEVICE_CLOCK_H
#define SIM_DEVICE_CLOCK_H

/* clang-format off */
#define SIM_DEVICE_LATENCIES(PARAM) \
    PARAM(shared_latency_cycles, U32, "cycle", 23, 1, 1000, "a load from shared memory", "H200: micro lds32_chain_s4: 28 a link, 5 of them the addition") \
    PARAM(l1_latency_cycles, U32, "cycle", 31, 1, 1000, "a load that hits L1", "H200: micro walk_l1") \
    PARAM(l2_latency_cycles, U32, "cycle", 276, 1, 100000, "a load that hits L2", "H200: micro walk_l2_128") \
    PARAM(dram_latency_cycles, U32, "cycle", 521, 1, 100000, "a load that misses L2, at its fastest", "H200: micro walk_dram_128: 690 on average, spread and refreshes taken off")

#define SIM_DEVICE_CLOCK(PARAM) \
    PARAM(alu_latency_cycles, U32, "cycle", 4, 1, 1000, "from an addition or fma to the next instruction that needs its result", "H200: micro lat_fadd, lat_imad") \
    PARAM(predicate_latency_cycles, U32, "cycle", 13, 1, 1000, "from a comparison to the branch on it", "H200: micro lat_branch: 52 a link, 32 of them additions, 13 the code's stall count") \
    PARAM(branch_latency_cycles, U32, "cycle", 7, 1, 1000, "from a branch to the instruction after it", "H200: micro lat_branch: 52 a link, 32 of them additions, 13 the comparison") \
    PARAM(sfu_latency_cycles, U32, "cycle", 17, 1, 1000, "result of the special-function unit", "H200: micro lat_ex2: 17.0 a link") \
    PARAM(fp64_latency_cycles, U32, "cycle", 8, 1, 1000, "result of an FP64 fma", "H200: micro lat_dfma") \
    PARAM(taken_branch_cycles, U32, "cycle", 5, 0, 1000, "machine code: from a branch that is taken to the instruction after it, beyond its stall count", "H200: micro loop_1_w1: 27.7 a turn, 23 of them stall counts") \
    PARAM(branch_fetch_cycles, U32, "cycle", 2, 0, 100, "machine code: of taken_branch_cycles, those that count as waiting for an instruction", "H200: pipe stalls turn_plain: 0.38 an instruction, 5.4 instructions a branch") \
    PARAM(return_cycles, U32, "cycle", 29, 0, 250, "machine code: the same of a return", "H200: pipe turn_call: 119.3 a turn, 90.3 of them the rest") \
    PARAM(indirect_branch_cycles, U32, "cycle", 44, 0, 250, "machine code: the same of a call or branch to what is in a register", "H200: pipe turn_pointer: 139.3 a turn, 95.3 of them the rest") \
    PARAM(convergence_move_cycles, U32, "cycle", 51, 0, 1000, "machine code: to or from a convergence barrier", "H200: pipe turn_recurse") \
    PARAM(divergence_cycles, U32, "cycle", 4, 0, 100, "machine code: of a branch that parts the lanes", "H200: pipe turn_lane: 551 for 31 turns") \
    PARAM(reconvergence_cycles, U32, "cycle", 14, 0, 100, "machine code: of the BSYNC at which they meet again", "H200: pipe turn_half: 132.6 a turn") \
    PARAM(long_product_centicycles, U32, "cycle/100", 442, 0, 100000, "machine code: of the unit for IMAD.HI or IMAD.WIDE", "H200: micro thr_imadhi_w16, thr_wide_w16: 4.56 each, thr_imad_w16: 2.14 instead of 2") \
    PARAM(product_pass_cycles, U32, "cycle", 3, 1, 100, "machine code: of a pass of IMAD.HI or IMAD.WIDE: two to the low half and the unit's next one, three to the upper half", "H200: micro lat_wide: 9.0; thr_wide_w1: 6.0") \
    PARAM(wide_conversion_latency_cycles, U32, "cycle", 18, 1, 1000, "machine code: result of a conversion to or from f64", "H200: micro lat_f2d_d2f: 36.0 for two") \
    PARAM(wide_source_interval_cycles, U32, "cycle", 9, 1, 1000, "machine code: between two conversions from f64", "H200: micro thr_f2d_d2f_w1: 17.0 for one of each") \
    PARAM(match_latency_cycles, U32, "cycle", 369, 1, 1000, "machine code: result of a match", "H200: micro lat_match") \
    PARAM(match_interval_cycles, U32, "cycle", 66, 1, 1000, "machine code: between two matches of a scheduler", "H200: micro thr_match_w1") \
    PARAM(redux_latency_cycles, U32, "cycle", 38, 1, 1000, "machine code: result of a reduction over a warp", "H200: micro lat_redux") \
    PARAM(redux_interval_cycles, U32, "cycle", 8, 1, 1000, "machine code: between two reductions of a scheduler", "H200: micro thr_redux_w16: 8.4") \
    PARAM(shared_8_byte_cycles, U32, "cycle", 1, 0, 1000, "machine code: more latency of a shared load of 8 bytes a lane", "H200: micro lds64_chain") \
    PARAM(shared_16_byte_cycles, U32, "cycle", 3, 0, 1000, "machine code: the same of 16 bytes", "H200: micro lds128_chain") \
    PARAM(special_latency_cycles, U32, "cycle", 23, 1, 1000, "machine code: result of a read of a special register", "H200: micro lat_s2r") \
    PARAM(special_interval_cycles, U32, "cycle", 8, 1, 1000, "machine code: between two such reads of a scheduler", "H200: micro thr_s2r_w16: 8.3") \
    PARAM(constant_latency_cycles, U32, "cycle", 28, 1, 1000, "a load from constant memory", "H200: micro ldc_warm_s0") \
    PARAM(constant_address_cycles, U32, "cycle", 11, 0, 1000, "more latency of such a load for each address beyond the first", "H200: pipe constant_32_s4_w1") \
    PARAM(constant_interval_cycles, U32, "cycle", 9, 0, 1000, "between two addresses of a scheduler's loads from constant memory", "H200: pipe constant_8_s4_w16: 74.8 for 8") \
    PARAM(constant_miss_cycles, U32, "cycle", 66, 0, 1000, "more, when the address is not among the 2 KB of the SM's cache", "H200: pipe constant_16_s256_w1") \
    PARAM(constant_cold_cycles, U32, "cycle", 619, 0, 10000, "more, when its 256 bytes have not been asked for before", "H200: micro ldc_cold_s64 less ldc_warm_s64") \
    PARAM(code_scheduler_bytes, U32, "byte", 32768, 128, 1048576, "machine code: instruction cache of a scheduler", "H200: code straight_256, straight_320: the largest loop that stays in it") \
    PARAM(code_sm_bytes, U32, "byte", 131072, 256, 4194304, "machine code: instruction cache of an SM, behind those of its schedulers", "H200: code straight_1024, straight_1280: the largest loop that stays in it") \
    PARAM(code_launch_bytes, U32, "byte", 65536, 0, 1048576, "machine code: of a kernel, that its launch brings to the SMs", "H200: code straight_2048: where it waits first") \
    PARAM(code_ahead_lines, U32, "line", 3, 0, 64, "machine code: lines of 128 bytes that a scheduler asks for ahead", "H200: code straight_512, second pass: each third one is late") \
    PARAM(code_ahead_groups, U32, "line", 1, 0, 64, "machine code: lines of 256 bytes that an SM asks for ahead of those", "H200: code run_24: six lines are there after a jump") \
    PARAM(code_sm_cycles, U32, "cycle", 53, 0, 10000, "machine code: until a scheduler has a line of the SM's", "H200: micro code_4096_w1: 17.6 a line, three at a time") \
    PARAM(code_l2_cycles, U32, "cycle", 211, 0, 10000, "machine code: until the SM has a line of L2's", "H200: code jump_8 and others, L2 warm") \
    PARAM(code_cold_cycles, U32, "cycle", 626, 0, 10000, "machine code: until the SM has a line of memory", "H200: code jump_8 and others, L2 cold") \
    PARAM(source_read_cycles, U32, "cycle", 9, 0, 1000, "machine code: until an instruction of the memory pipe has read its registers", "MICRO25") \
    PARAM(shuffle_latency_cycles, U32, "cycle", 24, 1, 1000, "result of a shuffle", "H200: micro lat_shfl_down") \
    PARAM(fence_latency_cycles, U32, "cycle", 270, 0, 100000, "a fence of GPU scope", "B300") \
    PARAM(barrier_latency_cycles, U32, "cycle", 12, 0, 100000, "from the last arrival at a barrier to the next instruction", "H200: clock.csv barrier_warps: 12 + 2 a warp") \
    PARAM(barrier_warp_cycles, U32, "cycle", 2, 0, 1000, "between two warps that arrive at barriers of an SM", "H200: clock.csv barrier_warps: 12 + 2 a warp") \
    PARAM(cluster_barrier_latency_cycles, U32, "cycle", 100, 0, 100000, "the same for a cluster", "H200: micro cluster_sync_2") \
    PARAM(cluster_barrier_wait_cycles, U32, "cycle", 29, 0, 1000, "of these the last ones, which are a fixed wait and not one for other warps", "H200: micro/cluster_stalls.csv sync_only") \
    PARAM(first_fetch_cycles, U32, "cycle", 249, 0, 100000, "from the first block on an SM to its first instruction, caches cold", "H200: micro.ncu.csv ends_none_t32_g1: active for 250") \
    PARAM(block_launch_cycles, U32, "cycle", 300, 0, 100000, "from the end of a block to the first instruction of the one that takes its place", "H200: micro blocks_t1024_d0_g2112: 348 from the end that a block reads, 48 of them until it has left") \
    PARAM(block_dispatch_cycles, U32, "cycle", 23, 0, 100000, "between two blocks given to one SM, and a cycle for each warp", "H200: micro blocks_t32_d2000_g2112: 24.5; blocks_t256: 31") \
    PARAM(warp_launch_cycles, U32, "cycle", 3, 0, 1000, "of a warp, if a block has many", "H200: micro blocks_t1024_d0_g2112: 98") \
    PARAM(kernel_overhead_cycles, U32, "cycle", 2801, 0, 1000000, "of a launch, beside the time its blocks are on SMs", "H200: micro.ncu.csv ends_none: 2,716 to 2,895") \
    PARAM(machine_queue_entries, U32, "instruction", 16, 1, 64, "machine code: such instructions, until the data stage takes them", "H200: pipe queue_lds128_s64_w1: the last of 20 waits") \
    PARAM(memory_queue_entries, U32, "instruction", 5, 1, 64, "memory instructions of a scheduler that wait for the load-store unit", "MICRO25") \
    PARAM(memory_backlog_entries, U32, "instruction", 16, 1, 64, "machine code: instructions of a scheduler behind the queue that wait for the data stage", "H200: micro atoms_many_s128_w1: 22 of 32 atomics issue at once, 5 of them into the queue, one is served") \
    PARAM(global_backlog_entries, U32, "instruction", 31, 1, 64, "machine code: instructions of a scheduler, in the queue and behind it, that wait to leave the SM", "H200: micro issue_red_one_w1_g1: 41 before they wait, 9 of them gone") \
    PARAM(global_backlog_sm_entries, U32, "instruction", 60, 1, 64, "machine code: the same of an SM", "H200: micro issue_red_one_w4_g1: 17 x 4 before they wait, 4 of them gone") \
    PARAM(shared_conflict_cycles, U32, "cycle", 2, 0, 100, "more latency for each wavefront after the first", "H200: micro lds32_chain, 2 to 32 ways") \
    PARAM(shared_atomic_latency_cycles, U32, "cycle", 26, 1, 1000, "an atomic in shared memory that gives its old value", "H200: micro atoms_chain_s4") \
    PARAM(tensor_latency_cycles, U32, "cycle", 18, 1, 1000, "a product of matrices of up to 16 x 8 x 8 numbers of 16 bits, or as many bits", "TENSOR: cycles.csv f16_k8") \
    PARAM(tensor_more_latency_cycles, U32, "cycle", 8, 0, 1000, "more, when it is twice as long", "TENSOR: cycles.csv f16_k16") \
    PARAM(tensor_interval_cycles, U32, "cycle", 4, 1, 1000, "of a tensor core for such a product", "TENSOR: cycles.csv f16_k8") \
    PARAM(tensor_more_interval_cycles, U32, "cycle", 2, 0, 1000, "more, when it is twice as long", "TENSOR: cycles.csv f16_k16") \
    PARAM(tensor_f64_latency_cycles, U32, "cycle", 26, 1, 1000, "a product of 8 x 8 x 4 f64", "TENSOR: cycles.csv f64_k4") \
    PARAM(tensor_f64_interval_cycles, U32, "cycle", 16, 1, 1000, "of a tensor core for such a product", "TENSOR: cycles.csv f64_k4") \
    PARAM(copy_latency_cycles, U32, "cycle", 56, 0, 1000, "of a copy to shared memory and the wait for it, beside a load's", "TENSOR: cycles.csv cp4_wait less l1_latency, cp16_wait less l2_latency: 45, 67") \
    PARAM(mbarrier_latency_cycles, U32, "cycle", 44, 1, 1000, "whether the phase of a barrier in shared memory is complete", "TENSOR: cycles.csv mb_try") \
    PARAM(dsmem_latency_cycles, U32, "cycle", 202, 1, 100000, "a load from the shared memory of another block", "H200: clock.csv dsmem_load: 194, 211, 202") \
    PARAM(dsmem_sector_centicycles, U32, "cycle/100", 652, 0, 100000, "of an SM for each sector it sends to another block", "H200: clock.csv dsmem_red_cluster_2_spread_1: 26 for 4 sectors") \
    PARAM(l1_tags_per_cycle, U32, "line", 4, 1, 64, "lines that L1 looks up in a cycle, each in a bank of its own", "FORUM-L1, CICUVC") \
    PARAM(l2_atomic_latency_cycles, U32, "cycle", 274, 1, 100000, "an atomic that gives its old value", "H200: micro atomg_chain_1") \
    PARAM(l2_partitions, U32, "half", 2, 1, 2, "parts of L2 that keep copies of each other's sectors", "LUO24, C&C") \
    PARAM(l2_far_cycles, U32, "cycle", 180, 0, 100000, "more, for what the other half of L2 is home to", "H200: micro each_dram_128: pages of 540 to 575, pages of 710 to 765") \
    PARAM(l2_joins_requests, U32, "request", 4, 0, 100, "of a GPC's SMs for the same sectors while they are under way that L2 is asked once for", "H200: streams once_g132: 34 requests where 132 SMs ask") \
    PARAM(l2_request_centicycles, U32, "cycle/100", 120, 0, 100000, "of an L2 slice for a request", "H200: clock.csv load_L2_lanes_per_line_all 1") \
    PARAM(l2_sector_centicycles, U32, "cycle/100", 69, 0, 100000, "of an L2 slice for each sector of a request, if that is more", "H200: clock.csv load_L2_lanes_per_line_all 4") \
    PARAM(l2_atomic_f32_centicycles, U32, "cycle/100", 347, 0, 100000, "of an L2 slice for each lane that adds to one f32", "H200: clock.csv red_one_address f32: 111 / 32") \
    PARAM(l2_atomic_int_centicycles, U32, "cycle/100", 145, 0, 100000, "the same, integers, and of all atomics for each access", "H200: clock.csv red_one_address s32: 46.3 / 32") \
    PARAM(l2_atomic_accesses, U32, "access/cycle", 48, 1, 10000, "of atomics that all of L2 takes", "H200: clock.csv red_own_lines_of_lane 132: 0.66 for 32") \
    PARAM(l2_atomic_kind_centicycles, U32, "cycle/100", 121, 0, 100000, "more, if the line's last access was of the other kind: gave its old value back, or did not", "H200: micro/atom_once.csv o76 and o87 of 16 blocks of 8 warps: 2.2 and 1.6 an access, half of them of the other kind") \
    PARAM(l2_interleave_bytes, U32, "byte", 512, 1, 65536, "side by side in one L2 slice", "H200: micro.ncu.csv red_s32_lines_w8_g1: 4 KiB in 8 slices") \
    PARAM(l2_dirty_percent, U32, "%", 43, 1, 100, "of the lines of a set of L2 that stay changed", "H200: streams writes_m40, m48, m64: 27.0 MB are not written back") \
    PARAM(l2_changed_leaves_percent, U32, "%", 24, 0, 100, "of the times that the line used longest ago is a changed one, that it goes, and not the oldest unchanged one", "H200: micro l2_start.ncu.csv: of what reads bring to L2 full of changed lines, written back") \
    PARAM(tpc_bytes_per_cycle, U32, "byte/cycle", 64, 1, 100000, "that come back from L2 to two SMs that share a port", "H200: streams passes_m8, m32: 24 MiB in 5,951 cycles, 66 ports") \
    PARAM(gpc_cpcs, U32, "CPC", 3, 1, 8, "parts of a GPC whose SMs share a way to L2; its pairs of SMs are dealt out to them in turns (records/h200/shares: every third pair of a GPC of eight is faster)", "H200") \
    PARAM(gpc_bytes_per_cycle, U32, "byte/cycle", 546, 1, 100000, "that come back from L2 to a GPC", "H200: shares ld32_l2_clean_g132: GPCs of 18 SMs") \
    PARAM(tpc_sector_centicycles, U32, "cycle/100", 25, 0, 100000, "of the port that two SMs share for each sector that they ask for", "H200: micro stream_ld32_part_clean_g16: half of the SMs have a neighbour") \
    PARAM(cpc_request_centicycles, U32, "cycle/100", 27, 0, 100000, "of a CPC for a request to L2", "H200: clock.csv load_L2_lanes_per_line_all 1: 1.65 with 6 SMs") \
    PARAM(cpc_sector_centicycles, U32, "cycle/100", 10, 0, 100000, "the same for each sector, if that is more", "H200: shares ld32_part_clean_g132: CPCs of 4 SMs are done sooner") \
    PARAM(cpc_loads_under_way, U32, "line", 4800, 1, 8192, "that a CPC has asked L2 for and does not have, most", "H200: shares ld128_far_clean_g132: SMs of CPCs of 6 have 0.78 of the 1,024 lines under way that SMs of CPCs of 4 have") \
    PARAM(store_sector_centicycles, U32, "cycle/100", 103, 0, 100000, "of a store port for a request, and for each sector of it", "H200: clock.csv store_lanes_per_line: 1 + 1 a sector") \
    PARAM(store_whole_sector_centicycles, U32, "cycle/100", 72, 0, 100000, "the same for a sector that is written as a whole", "H200: micro stream_st32_l2_g1: 3.88 for 4") \
    PARAM(store_cpc_whole_centicycles, U32, "cycle/100", 61, 0, 100000, "the same of the CPC's ports", "H200: shares st32_far_clean_g132, st128_l2_clean_g132: 6.9 and 6.5 for 4 with 6 SMs") \
    PARAM(atomic_cpc_centicycles, U32, "cycle/100", 97, 0, 100000, "the same for each access of an atomic", "H200: micro stream_red32_l2_clean_g16: of CPCs with 4 of 16 SMs none waits") \
    PARAM(store_cpc_ports, U32, "port/10", 31, 1, 10000, "ports that the SMs of a CPC share for their stores", "H200: clock.csv store_lanes_per_line_all: 3.74, 5.76, 9.83 with 6 SMs") \
    PARAM(sm_red_centicycles, U32, "cycle/100", 103, 0, 100000, "of an SM for each access of an atomic that gives nothing back, and one more for a line with several", "H200: micro issue_red_lines_w1_g1: 33 for 32") \
    PARAM(sm_atomic_centicycles, U32, "cycle/100", 154, 0, 100000, "of an SM for each access of an atomic that gives its old value", "H200: micro atom_eight_s128_w8_g1, atom_eight_s4_w8_g1: 64.7 for 32 lines, 6.6 for a line of 4") \
    PARAM(sm_atomic_packet_centicycles, U32, "cycle/100", 49, 0, 100000, "the same, for each line, as often as there are lanes on one address of it", "H200: micro atom_eight_s128_w8_g1, atom_eight_s4_w8_g1") \
    PARAM(sm_atomics_under_way, U32, "access", 256, 1, 100000, "accesses of atomics that an SM has under way", "H200: queue backlog,generic,264: 16 warps' are told of before the first has to wait, 7 of them wait to be sent, one is being sent; micro/atom_once.csv: 256 of o1_u64, and not 512 of o32_s32, are gone at once") \
    PARAM(sm_atomics_waiting, U32, "instruction", 7, 1, 64, "atomics of an SM that wait to be sent: one through a generic address tells what memory it is in when it may", "H200: queue backlog,generic,1: 7 warps' are told of at once") \
    PARAM(atomic_told_cycles, U32, "cycle", 64, 0, 1000, "machine code: until it does", "H200: queue backlog,generic,1") \
    PARAM(fence_after_store_cycles, U32, "cycle", 92, 0, 100000, "machine code: a fence of GPU scope, after the last store has arrived", "H200: micro fence_gpu: 380 with its store") \
    PARAM(fence_idle_cycles, U32, "cycle", 230, 0, 100000, "machine code: a fence of GPU scope with no store under way", "H200: micro cluster_stalls.csv: 66 % of 348 cycles of a cluster's barrier are membar") \
    PARAM(dram_spread_cycles, U32, "cycle", 79, 0, 100000, "more, by address: it takes up to so much longer", "H200: micro each_dram_128: those of a page that do not wait") \
    PARAM(dram_refresh_interval_cycles, U32, "cycle", 3613, 1, 10000000, "between two refreshes of a bank", "H200: micro each_dram_128: 14 % of single accesses wait for one") \
    PARAM(dram_refresh_cycles, U32, "cycle", 524, 0, 1000000, "a refresh: accesses wait for it", "H200: micro each_dram_128: up to so much longer than the others of their page") \
    PARAM(dram_efficiency_percent, U32, "%", 96, 1, 100, "of the peak DRAM bandwidth", "H200: micro stream_ld32_far_clean_g132, g264: 2,270 and 2,405 of 2,431 bytes a cycle") \
    PARAM(dram_write_percent, U32, "%", 103, 1, 10000, "of a read's time that a write of DRAM takes", "H200: stores/passes.ncu.csv: 2,261 bytes a cycle; micro stream_ld32_far_clean") \
    PARAM(dram_write_burst_cycles, U32, "cycle", 1020, 0, 100000, "of a channel, of writes that it makes one after another", "H200: waits/probe.csv 2,1270 and 2,1693: single reads take 1,108 and 949 cycles on average beside writes, 775 without") \
    PARAM(dram_turn_cycles, U32, "cycle", 218, 0, 100000, "of these, to turn round, if the channel has read since the last ones", "H200: stores/passes.ncu.csv part_m64, part_m96: 226,000 cycles for 252 MB that are read and 211 MB that are written") \
    PARAM(dram_access_bytes, U32, "byte", 64, 1, 4096, "least that is read from DRAM", "H200: clock.csv load_dram_1_sector_per_line: 972 useful bytes a cycle of 2021")
/* clang-format on */

#endif
