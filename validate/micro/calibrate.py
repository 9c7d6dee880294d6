#!/usr/bin/env python3
"""Fits the clock's parameters of the H200 to the records of its microbenchmarks, and to nothing else.

    calibrate.py [RECORDS]           prints each fit: name, value before rounding, what it is rounded to, residual
    calibrate.py --header [RECORDS]  prints sim/device_clock.h with the fitted values in it: the file, byte for byte
                                     (tests/calibrate.sh)

RECORDS is a folder like validate/records/h200, the default. Every row of sim/device_clock.h whose source is a record
of the H200 ("H200: ...", "TENSOR: cycles.csv ...") has its fit here, and no other row has one. What stands beside the
measured instruction in a link of a chain (its stall counts, an addition) is in the formulas;
validate/records/h200/micro/micro.sass.gz has the code. A fit is rounded to the unit of its parameter.

Nothing is fitted to the record of the guide's launches.
"""
import csv
import gzip
import math
import os
import re
import statistics
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
HEADER = os.path.join(TOP, "sim", "device_clock.h")
RECORDS = os.path.join(TOP, "validate", "records", "h200")

# The first SMs of the pairs of CPCs of two pairs (validate/records/h200/shares).
SMALL_CPCS = (20, 24, 32, 34, 38, 42, 66, 70, 78, 82, 86, 126)


def rows_of(records, *path):
    with open(os.path.join(records, *path), newline="") as file:
        return list(csv.reader(file))


def read_record(records=RECORDS):
    """micro.csv: what the long stretch of each launch takes more than the short one, median of three ("NAME short":
    what the short one takes); single words."""
    runs, words = {}, {}
    for row in rows_of(records, "micro", "micro.csv")[1:]:
        if row[0].startswith(("each_", "blocks_", "issue_")):
            words[row[0]] = [int(word) for word in row[2:]]
        else:
            runs.setdefault(row[0], []).append(float(row[4]))
            runs.setdefault(row[0] + " short", []).append(float(row[2]))
    return {name: statistics.median(values) for name, values in runs.items()}, words


def read_pipe(records):
    """pipe.csv: the stamps of each launch's first warp, third run."""
    counts = {"turn": 16, "constant": 16, "queue": 40}
    return {row[0]: [int(word) for word in row[2:]][:counts[row[0].split("_")[0]]]
            for row in rows_of(records, "pipe", "pipe.csv") if row[1] == "2" and row[0].split("_")[0] in counts}


def read_long(records):
    """micro.csv: what the long stretch of each launch takes, median of three."""
    runs = {}
    for row in rows_of(records, "micro", "micro.csv")[1:]:
        if not row[0].startswith(("each_", "blocks_", "issue_")):
            runs.setdefault(row[0], []).append(float(row[3]))
    return {name: statistics.median(values) for name, values in runs.items()}


def read_counted(records, folder="micro", name=None):
    """micro.ncu.csv, streams.ncu.csv, l2_start.ncu.csv: what Nsight Compute counted in launches."""
    rows = rows_of(records, folder, (name or folder) + ".ncu.csv")
    return {row[0]: dict(zip(rows[0][1:], map(float, row[1:]))) for row in rows[1:]}


def read_once(records):
    """atom_once.csv: cycles of the launches of 16 blocks of 8 warps, by what they do."""
    rows = {row[0]: row[1] for row in rows_of(records, "micro", "atom_once.csv")[1:] if row[1]}
    return {name.split("_x0_")[0]: float(cycles) for name, cycles in rows.items()
            if name.endswith(("_s0_a1_w8_g16", "_l1_x0_s0_a0_w8_g16"))}


def read_waits(records):
    """stalls.csv: cycles that the warps of a launch have waited, by reason."""
    return {(row[0], row[2]): float(row[3]) for row in rows_of(records, "pipe", "stalls.csv")[1:] if row[1] == "1"}


def read_code(records):
    """code.csv: cycles from one line of code to the next, by kernel, state of L2 and pass."""
    return {(row[0], row[1], int(row[2])): [int(cell) for cell in row[3:]]
            for row in rows_of(records, "code", "code.csv")[1:]}


def late_lines(cycles):
    """How many lines come before the first that waits for L2."""
    return 1 + next(i for i, between in enumerate(cycles) if between > 100)


def code(records, long):
    """Instruction caches. A line of these kernels takes 16 cycles by itself."""
    rows = read_code(records)
    loops = {int(name.split("_")[1]): statistics.mean(cycles) for (name, state, number), cycles in rows.items()
             if name.startswith("straight_") and state == "warm"}
    late = [i for i, cycles in enumerate(rows["straight_512", "warm", 2]) if cycles > 18]
    jumps = lambda state: statistics.mean(cycles for number in (8, 9, 10, 12, 16)
                                          for cycles in rows["jump_%d" % number, state, 1][3:])
    ahead = statistics.median(b - a for a, b in zip(late, late[1:]))
    there = late_lines(rows["run_24", "l2", 1][1 + 2 * 24:])
    near = long["code_4096_w1"] / 512 * ahead
    return {
        "code_scheduler_bytes": 128 * max(lines for lines, cycles in loops.items() if cycles < 16.5),
        "code_sm_bytes": 128 * max(lines for lines, cycles in loops.items() if cycles < 30),
        # Six lines of the kernel come before the first stamp.
        "code_launch_bytes": 128 * (6 + late_lines(rows["straight_2048", "l2", 1])),
        "code_ahead_lines": ahead,
        # A line, and those it asks for, lie in so many pairs.
        "code_ahead_groups": there / 2 - 1 - ahead // 2,
        "code_sm_cycles": near,
        "code_l2_cycles": jumps("l2") - 16 - near,
        "code_cold_cycles": jumps("memory") - 16 - near,
    }


def read_shares(records):
    """shares.csv: mean cycles of the two stretches of both passes of each launch of 132 blocks, by what SMs a block's has
    beside it: CPCs of "4" SMs, of "6" in GPCs of 16 SMs, of "18" in GPCs of so many."""
    kind = {}
    for row in rows_of(records, "shares", "gpcs.csv"):
        pairs = [int(word) for word in row]
        for i, sm in enumerate(pairs):
            kind[sm] = kind[sm + 1] = "18" if len(pairs) == 9 else "4" if sm in SMALL_CPCS else "6"
    cycles = {}
    with gzip.open(os.path.join(records, "shares", "shares.csv.gz"), "rt", newline="") as file:
        for row in csv.reader(file):
            if row[0].endswith("_g132"):
                cycles.setdefault((row[0][:-5], kind[int(row[2])]), []).append([int(word) for word in row[4:8]])
    return {key: [statistics.mean(column) for column in zip(*blocks)] for key, blocks in cycles.items()}


def read_clock(records):
    """clock.csv: the numbers of each line, by name and parameter."""
    numbers = {}
    for row in rows_of(records, "clock", "clock.csv"):
        found = re.findall(r"(?<![\w.])\d+(?:\.\d+)?", ",".join(row[2:]))
        numbers[row[0], int(row[1])] = [float(number) for number in found]
    return numbers


def read_tensor(records):
    """cycles.csv: latency and interval of each instruction."""
    return {row[0]: [float(cell or 0) for cell in row[1:]] for row in rows_of(records, "tensor", "cycles.csv")[1:]}


def read_told(records, blocks):
    """queue.csv: when each warp of block 0 read the clock first, and when it knew what memory its atomic's address is in,
    earliest first."""
    rows = [row for row in rows_of(records, "queue", "queue.csv") if row[:3] == ["backlog", "generic", str(blocks)]]
    return sorted(int(row[8]) for row in rows), sorted(int(row[9]) for row in rows)


def read_probes(records):
    """waits/probe.csv: by traffic (0: none, 2: writes) and pause, single reads, its bytes a cycle and what such a read
    takes."""
    runs = {}
    for row in rows_of(records, "waits", "probe.csv"):
        if row[3] == "512":
            runs.setdefault((int(row[1]), int(row[2])), []).append([float(word) for word in row[4:7]])
    return {key: [statistics.mean(values) for values in zip(*pairs)] for key, pairs in runs.items()}


def write_rates(records, stream):
    """passes.ncu.csv, what 32 MiB more take: bytes a cycle that are written, and beside as many reads (of what has been
    written in part, at the rate of a stream of loads) how much longer each write takes."""
    rows = {row[0]: [32 * int(word) for word in row[1:3]] + [int(row[-1])]
            for row in rows_of(records, "stores", "passes.ncu.csv")[1:]}
    more = {kind: [b - a for a, b in zip(rows[kind + "_m64"], rows[kind + "_m96"])] for kind in ("st32", "part")}
    rate = more["st32"][1] / more["st32"][2]
    read, written, cycles = more["part"]
    return rate, (cycles - read / stream) / (written / rate) - 1


def writes(records, stream):
    """A read that comes while a channel makes writes, or turns round before or behind them, waits for half of that on
    average; that is their share of the channel's time, from when L2 has taken 27 MB until cycle 50,000; the reads begin
    at 6,000. A channel turns round where one of them has come since it wrote last: they are few."""
    written, longer = write_rates(records, stream)
    probes, bursts = read_probes(records), []
    for pause in (1270, 1693):
        loads, rate, latency = probes[2, pause]
        waits, burst = latency - probes[0, 0][2], 1000
        for _ in range(50):
            turns = 1 + longer * (1 - math.exp(-loads / 96 / 44000 * burst * written / rate))
            share = turns * rate / written * (50000 - 27.0e6 / rate) / 44000
            burst = waits / share * 2
        bursts.append(burst)
    burst = statistics.mean(bursts)
    return {
        "dram_write_percent": 100 * stream / written,
        "dram_write_burst_cycles": burst,
        "dram_turn_cycles": burst * longer / (1 + longer),
    }


def read_passes(records):
    """passes.csv: mean cycles of a block's second pass."""
    return {row[0]: statistics.mean(int(word) for word in row[2::8]) for row in rows_of(records, "streams", "passes.csv")}


def by_sm(words):
    """Begin and end of each SM's blocks."""
    sms = {}
    for at in range(0, len(words), 4):
        sms.setdefault(words[at + 2], []).append((words[at], words[at + 1]))
    return sms.values()


def between_blocks(words):
    """Cycles between the beginnings of the first and second block of an SM."""
    return statistics.mean(sorted(blocks)[1][0] - sorted(blocks)[0][0] for blocks in by_sm(words))


def after_blocks(words):
    """Cycles from what a block reads as its end to the beginning of the one that takes its place."""
    gaps = []
    for blocks in by_sm(words):
        ends, begins = sorted(end for _, end in blocks), sorted(begin for begin, _ in blocks)
        places = sum(begin < ends[0] for begin in begins)
        gaps += [begin - end for begin, end in zip(begins[places:], ends)]
    return statistics.median(gaps)


def pages_of(loads, lines=32):
    """Single accesses, page by page, and a page's middle: it is home to one half of L2 or the other."""
    pages = [loads[at:at + lines] for at in range(0, len(loads), lines)]
    return [(statistics.median(page), page) for page in pages]


def two_speeds(loads):
    """Between the middles of the fast and of the slow pages."""
    middles = [middle for middle, _ in pages_of(loads)]
    return (statistics.median(middle for middle in middles if middle > 650) -
            statistics.median(middle for middle in middles if middle <= 650))


def waits_of(loads, noise=60, most=700):
    """Of single accesses, how much longer they take than their page's others: the spread of those that do not wait for
    a refresh, the part that waits, and the longest wait, if all are as likely."""
    more = sorted(cycles - middle for middle, page in pages_of(loads) for cycles in page)
    quiet = [cycles for cycles in more if cycles <= noise]
    waits = [cycles for cycles in more if noise < cycles <= most]
    spread = (quiet[len(quiet) * 9 // 10] - quiet[len(quiet) // 10]) / 0.8
    longest = 2 * statistics.mean(waits) - noise
    return spread, len(waits) / len(more) * longest / (longest - noise), longest


def before_waiting(times, warps, spacing=8):
    """How many instructions of `warps` warps issue `spacing` cycles after each other, and when the last one does."""
    count = next(i for i in range(1, 48) if times[i] - times[i - 1] > spacing)
    return count * warps, times[count - 1]


def cluster_wait(records):
    """Cycles of "wait" in each of 200 barriers of a cluster, less the stall counts of CGAERRBAR and UCGABAR_ARV."""
    ratios = {row[0]: float(row[1]) for row in rows_of(records, "micro", "cluster_stalls.csv")[1:]}
    cycles = ratios.pop("sm__cycles_active.max") / 200
    return cycles * ratios["wait"] / sum(ratios.values()) - 7 - 5


def queued(words, warps):
    """Instructions in the queue when the first has to wait: those that issued, less those that left, 32 cycles each."""
    issued, at = before_waiting(words["issue_red_lines_w%d_g1" % warps], warps)
    return issued - at / 33


def dram(records, m, words, long):
    """Latency, spread, refreshes, bandwidth, writes."""
    far = two_speeds(words["each_dram_128"])
    spread, share, refresh = waits_of(words["each_dram_128"])
    latency = m["walk_dram_128"] / 960 - far / 2 - spread / 2 - share * refresh / 2
    # Bytes a cycle of a block on average; clock.csv's load_dram_stream is what the last block got, beside writes.
    stream = statistics.mean([112 * 4224 * 128 / long["stream_ld32_far_clean_g132"],
                              112 * 8448 * 128 / long["stream_ld32_far_clean_g264"]])
    return {
        "dram_latency_cycles": latency - 15.35,
        "l2_far_cycles": far,
        "dram_spread_cycles": spread,
        "dram_refresh_cycles": refresh,
        "dram_refresh_interval_cycles": refresh / share,
        "dram_efficiency_percent": 100 * stream / (4814304 / 1980),
        **writes(records, stream),
    }


def changed_leaves(started):
    """Launches that read much, L2 full of another buffer's changed lines: of the lines that are brought, half of them
    to both halves, the part for which a changed one goes."""
    names = ["stream_ld32_dram_g132", "stream_ld128_dram_g132", "stream_ld128_l2_g132", "stream_ld32_l2_g264"]
    return statistics.mean(started[name]["dram__sectors_write.sum"] / started[name]["dram__sectors_read.sum"] / 1.5
                           for name in names)


def mean_of(cycles, *names):
    return statistics.mean(cycles[name] for name in names)


def power_of_two(value):
    return min((2 ** n for n in range(13)), key=lambda power: abs(power - value))


def read_stalls(records):
    """cluster_stalls.csv: cycles of one barrier of a cluster, by what the warps wait for."""
    rows = {row[0]: float(row[1]) for row in rows_of(records, "micro", "cluster_stalls.csv")[1:]}
    cycles = rows.pop("sm__cycles_active.max") / 200
    return {reason: cycles * ratio / sum(rows.values()) for reason, ratio in rows.items()}


def fits(records):
    fence_idle = read_stalls(records)["membar"]
    m, words = read_record(records)
    long, ncu = read_long(records), read_counted(records)
    clock, tensor = read_clock(records), read_tensor(records)
    streams, passes = read_counted(records, "streams"), read_passes(records)
    pipe, waits, shares = read_pipe(records), read_waits(records), read_shares(records)
    once = read_once(records)
    link = lambda name: m[name] / 64
    at = lambda name, parameter=1: clock[name, parameter][0]
    empty = ["ends_none_t%d_g%d" % (threads, blocks) for threads in (32, 1024) for blocks in (1, 132)]
    # Of 8 turns between two stamps; of 4 links, whichever warp's.
    turn = lambda name: (pipe["turn_" + name + "_w1"][15] - pipe["turn_" + name + "_w1"][3]) / 12 / 8
    constant = lambda name: (pipe["constant_" + name][15] - pipe["constant_" + name][0]) / 15 / 4
    slices = 96 / 132  # for each SM
    begun, told = read_told(records, 1)
    at_once = 1 + next(i for i, (a, b) in enumerate(zip(told, told[1:])) if b - a > 15)
    barrier_warp = (at("barrier_warps", 32) - at("barrier_warps")) / 31
    return {
        # Units.
        "alu_latency_cycles": link("lat_fadd"),
        # 32 cycles of a link are its seven additions; the code's stall count at the comparison is 13.
        "predicate_latency_cycles": link("lat_branch") - 32 - 7,
        "branch_latency_cycles": link("lat_branch") - 32 - 13,
        "sfu_latency_cycles": link("lat_ex2"),
        "fp64_latency_cycles": link("lat_dfma"),
        "shuffle_latency_cycles": link("lat_shfl_down"),
        "special_latency_cycles": link("lat_s2r") - 6,
        "special_interval_cycles": m["thr_s2r_w16"] / 512,
        "constant_latency_cycles": link("ldc_warm_s0") - 16,
        "taken_branch_cycles": link("loop_1_w1") - 23,
        # What is taken off: the stall counts of the code, its loads of constants, its branches as above.
        "branch_fetch_cycles": waits["turn_plain", "no_instruction"] / 256,
        "return_cycles": turn("call") - 90.25,
        "indirect_branch_cycles": turn("pointer") - 95.5,
        "divergence_cycles": (turn("lane") - 426) / 31,
        "reconvergence_cycles": turn("half") - 115 - (turn("lane") - 426) / 31,
        "convergence_move_cycles": (turn("recurse") - 944) / 10,
        # Of 160 instructions of four warps; a fixed part is as much as beside products of two cycles.
        "long_product_centicycles": 100 * ((long["thr_wide_w16"] + long["thr_imadhi_w16"]) / 2 -
                                           (long["thr_imad_w16"] - 2 * 640)) / 640,
        "product_pass_cycles": (link("lat_wide") / 3 + m["thr_wide_w1"] / 128 / 2) / 2,
        "wide_conversion_latency_cycles": link("lat_f2d_d2f") / 2,
        "wide_source_interval_cycles": m["thr_f2d_d2f_w1"] / 128 - 8,
        "constant_address_cycles": (constant("32_s4_w1") - constant("1_s4_w1")) / 31,
        "constant_interval_cycles": constant("8_s4_w16") / 4 / 8,
        "constant_miss_cycles": (constant("16_s256_w1") - constant("16_s4_w1")) / 16,
        "constant_cold_cycles": -m["ldc_cold_s64"] / 80,
        "match_latency_cycles": link("lat_match"),
        "match_interval_cycles": m["thr_match_w4"] / 512,
        "redux_latency_cycles": link("lat_redux") - 6,
        "redux_interval_cycles": (m["thr_redux_w16 short"] + m["thr_redux_w16"]) / 640,
        "tensor_latency_cycles": tensor["f16_k8"][0],
        "tensor_more_latency_cycles": tensor["f16_k16"][0] - tensor["f16_k8"][0],
        "tensor_interval_cycles": tensor["f16_k8"][1],
        "tensor_more_interval_cycles": tensor["f16_k16"][1] - tensor["f16_k8"][1],
        "tensor_f64_latency_cycles": tensor["f64_k4"][0],
        "tensor_f64_interval_cycles": tensor["f64_k4"][1],
        # Shared memory, barriers.
        "shared_latency_cycles": link("lds32_chain_s4") - 5,
        "shared_conflict_cycles": (link("lds32_chain_s128") - link("lds32_chain_s4")) / 31,
        "shared_8_byte_cycles": link("lds64_chain_s8") - link("lds32_chain_s8"),
        "shared_16_byte_cycles": link("lds128_chain_s16") - link("lds32_chain_s16"),
        "shared_atomic_latency_cycles": link("atoms_chain_s4"),
        # Of 20 loads of 16 wavefronts, 41.3 cycles each, the last waits until those before the last 16 are on their way.
        "machine_queue_entries": 20 - math.ceil((pipe["queue_lds128_s64_w1"][39] - pipe["queue_lds128_s64_w1"][38] - 10) /
                                                (m["lds128_many_s64_w1"] / 128)),
        # So many of 32 atomics have issued when the first wait begins, less the queue's 5 and the one that is served.
        "memory_backlog_entries": 32 - m["atoms_many_s128_w1 short"] / (m["atoms_many_s128_w1"] / 128) - 5 - 1,
        "barrier_latency_cycles": at("barrier_warps") - barrier_warp,
        "barrier_warp_cycles": barrier_warp,
        "mbarrier_latency_cycles": tensor["mb_try"][0] - 4,
        # Its fence, and 23 cycles of stall counts.
        "cluster_barrier_latency_cycles": m["cluster_sync_2"] / 16 - fence_idle - 23,
        "cluster_barrier_wait_cycles": cluster_wait(records),
        "dsmem_latency_cycles": statistics.mean(at("dsmem_load", blocks) for blocks in (2, 4, 8)),
        "dsmem_sector_centicycles": at("dsmem_red_cluster_2_spread_1_grid", 128) / 4 * 100,
        # Code.
        **code(records, long),
        # L1, L2. A slice's time is that of all SMs, each of which has slices of its own to ask.
        "l1_latency_cycles": m["walk_l1"] / 128 - 15.35,
        "l2_latency_cycles": m["walk_l2_128"] / 960 - 15.35,
        "copy_latency_cycles": statistics.mean([tensor["cp4_wait"][0] - (m["walk_l1"] / 128 - 15.35),
                                                tensor["cp16_wait"][0] - (m["walk_l2_128"] / 960 - 15.35)]),
        "l2_atomic_latency_cycles": link("atomg_chain_1"),
        "l2_request_centicycles": at("load_L2_lanes_per_line_all") * slices * 100,
        "l2_sector_centicycles": at("load_L2_lanes_per_line_all", 4) / 4 * slices * 100,
        "l2_atomic_f32_centicycles": clock["red_one_address", 132][0] / 32 * 100,
        "l2_atomic_int_centicycles": clock["red_one_address", 132][1] / 32 * 100,
        "l2_atomic_accesses": 32 / at("red_own_lines_of_lane", 132),
        # 128 sectors and a word of the result for each block.
        "l2_joins_requests": statistics.mean(132 * 128 / (streams[name]["lts__t_sectors_srcunit_tex.sum"] - 132)
                                             for name in ("once_g132_d0", "once_g132_d5000")),
        "l2_changed_leaves_percent": 100 * changed_leaves(read_counted(records, name="l2_start")),
        "l2_dirty_percent": statistics.mean(mib / 60 - streams["writes_m%d_g132" % mib]["dram__sectors_write.sum"] * 32 /
                                            (60 << 20) for mib in (40, 48, 64)) * 100,
        "tpc_bytes_per_cycle": (24 << 20) / (passes["passes_m32_s0"] - passes["passes_m8_s0"]) / 66,
        # 24 lines of 32 warps; what is over the port's time is latency.
        "gpc_bytes_per_cycle": 18 * 98304 / (shares["ld32_l2_clean", "18"][3] - shares["ld32_l2_clean", "6"][3] +
                                             2 * 98304 / 64),
        # 2,048 lines of four sectors of each SM; 8 of 16 SMs have a neighbour; 1.03 of an SM alone, the rest is latency.
        "tpc_sector_centicycles": (2 * (long["stream_ld32_part_clean_g16"] - long["stream_ld32_part_clean_g1"]) +
                                   2048 * at("load_L2_lanes_per_line_one")) / 4096 / 4 * 100,
        # The slowest SM is one of six.
        "cpc_request_centicycles": at("load_L2_lanes_per_line_all") / 6 * 100,
        # An SM's 32 warps ask for 8 x 4 lines at once, as often as they have them: what an SM has under way, and so its share
        # of DRAM, is all of that in CPCs of 4, less in CPCs of 6.
        "cpc_loads_under_way": 6 * 1024 * shares["ld128_far_clean", "4"][1] / shares["ld128_far_clean", "6"][1],
        # CPCs of 4 SMs have sent theirs (4,096 lines of each port) when those of 6 have sent as much of theirs as the
        # time is shorter: all are done in the order in which they are sent.
        "cpc_sector_centicycles": 4096 * at("load_L2_lanes_per_line_one") / ((132 * shares["ld32_part_clean", "4"][0] /
                                                  shares["ld32_part_clean", "6"][0] - 24) / 108) / 12288 / 4 * 100,
        # 576 instructions: of 32 lines of one access, of one line of four.
        "sm_atomic_centicycles": (long["atom_eight_s4_w8_g1"] - long["atom_eight_s128_w8_g1"] / 32) / 576 / 3 * 100,
        "sm_atomic_packet_centicycles": (4 * long["atom_eight_s128_w8_g1"] / 32 - long["atom_eight_s4_w8_g1"]) /
                                        576 / 3 * 100,
        # Of the accesses to one line half are of the other kind: what that takes more than all of one.
        "l2_atomic_kind_centicycles": 2 * (mean_of(once, "o76_u32_R_l0", "o76_u64_R_l0", "o76_u64_R_l1") -
                                           mean_of(once, "o87_u32_R_l0", "o87_u32_R_l1")) / 8192 * 100,
        "sm_red_centicycles": (words["issue_red_lines_w1_g1"][47] - words["issue_red_lines_w1_g1"][42]) / 5 / 32 * 100,
        # The queue's five of each scheduler beside; in steps of the number of warps.
        "global_backlog_entries": queued(words, 1),
        "global_backlog_sm_entries": queued(words, 4),
        # So many warps go on at once, the next ones as fast as atomics are sent, one of which is being sent, until the
        # first has to wait for what comes back.
        "sm_atomics_waiting": at_once,
        "sm_atomics_under_way": 32 * (sum(end < 1000 for end in read_told(records, 264)[1]) - at_once - 1),
        # Behind the last warp of a barrier, whose release takes 12, a load of a constant, 28, and 57 of the code behind.
        "atomic_told_cycles": told[0] - begun[-1] - 12 - 28 - 57,
        "l2_interleave_bytes": 4096 / (94 / (ncu["red_s32_lines_w8_g1"]["lts__t_sectors_srcunit_tex.max"] /
                                             ncu["red_s32_lines_w8_g1"]["lts__t_sectors_srcunit_tex.avg"])),
        "store_sector_centicycles": (at("store_lanes_per_line_one", 4) - at("store_lanes_per_line_one")) / 3 * 100,
        "store_whole_sector_centicycles": (m["stream_st32_l2_g1"] / 512 - 1) / 4 * 100,
        # The slowest SM is one of six.
        "store_cpc_ports": statistics.mean(6 * (1 + n) / at("store_lanes_per_line_all", n) for n in (1, 2, 4)) * 10,
        "store_cpc_whole_centicycles": (statistics.mean([shares["st32_far_clean", "6"][1] / 3584,
                                                         sum(shares["st128_l2_clean", "6"][2:]) / 2048]) *
                                        3.1 / 6 - 1) / 4 * 100,
        # 768 reductions of four sectors of each of four SMs.
        "atomic_cpc_centicycles": long["stream_red32_l2_clean_g16"] / 768 * 3.1 / 4 / 4 * 100,
        "fence_idle_cycles": fence_idle,
        "fence_after_store_cycles": m["fence_gpu"] / 32 - 288,
        # DRAM.
        **dram(records, m, words, long),
        "dram_access_bytes": power_of_two(32 * at("load_dram_stream", 128) / at("load_dram_1_sector_per_line", 32)),
        # Blocks and launches. 48: from a block's last reading of the clock until its stores have left the SM.
        "block_dispatch_cycles": between_blocks(words["blocks_t32_d2000_g2112"]) - 1,
        "warp_launch_cycles": between_blocks(words["blocks_t1024_d2000_g2112"]) / 32,
        "block_launch_cycles": after_blocks(words["blocks_t1024_d0_g2112"]) - 48,
        # An empty kernel: its one instruction takes a cycle.
        "first_fetch_cycles": ncu["ends_none_t32_g1"]["sm__cycles_active.max"] - 1,
        "kernel_overhead_cycles": statistics.mean(ncu[name]["sm__cycles_elapsed.max"] - ncu[name]["sm__cycles_active.max"]
                                                  for name in empty),
    }


def main():
    arguments = [word for word in sys.argv[1:] if word != "--header"]
    fitted = fits(arguments[0] if arguments else RECORDS)
    with open(HEADER) as file:
        text = file.read()
    of_record = set(re.findall(r'PARAM\((\w+),(?=[^\n]*"(?:H200:|TENSOR: cycles\.csv) )', text))
    if of_record != set(fitted):
        sys.exit("calibrate.py: fits and rows differ: %s" % sorted(of_record ^ set(fitted)))
    for name, value in fitted.items():
        text = re.sub(r'(PARAM\(%s, U32, "[^"]*", )\d+' % name, lambda at: at.group(1) + str(round(value)), text)
    if "--header" in sys.argv[1:]:
        sys.stdout.write(text)
        return
    for name, value in fitted.items():
        print("%-34s %9.2f %6d %+6.2f" % (name, value, round(value), round(value) - value))


if __name__ == "__main__":
    main()
