#!/usr/bin/env python3
"""Fits the clock's parameters of the H200 to the record of the microbenchmarks, and to nothing else.

    calibrate.py                prints each fit: name, value before rounding, what it is rounded to, residual
    calibrate.py --header       prints sim/device_clock.h with the fitted values in it; tests compare it with the file

A row of sim/device_clock.h whose source begins "H200: micro" must have its fit here. What stands beside the measured
instruction in a link of a chain (its stall counts, an addition) is in the formulas; validate/records/h200/micro/micro.sass.gz
has the code. A fit is rounded to the unit of its parameter.
"""
import csv
import os
import re
import statistics
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
HEADER = os.path.join(TOP, "sim", "device_clock.h")
RECORD = os.path.join(TOP, "validate", "records", "h200", "micro", "micro.csv")


def read_record():
    runs, words = {}, {}
    with open(RECORD, newline="") as file:
        for row in csv.reader(file):
            if row[0] == "launch":
                continue
            if row[0].startswith(("each_", "blocks_")):
                words[row[0]] = [int(word) for word in row[2:]]
            else:
                runs.setdefault(row[0], []).append(float(row[4]))
    return {name: statistics.median(values) for name, values in runs.items()}, words


def between_blocks(words):
    """Cycles between the beginnings of the first and second block of an SM, and so on while all are still there."""
    starts = {}
    for at in range(0, len(words), 4):
        starts.setdefault(words[at + 2], []).append(words[at])
    gaps = [sorted(begun)[1] - sorted(begun)[0] for begun in starts.values()]
    return statistics.mean(gaps)


def two_speeds(loads):
    """Between the middles of the fast and of the slow accesses."""
    fast = [cycles for cycles in loads if cycles <= 650]
    slow = [cycles for cycles in loads if 650 < cycles <= 850]
    return statistics.median(slow) - statistics.median(fast)


def fits(m, words):
    link = lambda name: m[name] / 64
    spread = two_speeds(words["each_dram_128"]) / 0.8
    return {
        "alu_latency_cycles": link("lat_fadd"),
        "sfu_latency_cycles": link("lat_ex2"),
        "fp64_latency_cycles": link("lat_dfma"),
        "shuffle_latency_cycles": link("lat_shfl_down"),
        "special_latency_cycles": link("lat_s2r") - 6,
        "special_interval_cycles": m["thr_s2r_w16"] / 512,
        "constant_latency_cycles": link("ldc_warm_s0") - 16,
        "taken_branch_cycles": link("loop_1_w1") - 23,
        "match_latency_cycles": link("lat_match"),
        "match_interval_cycles": m["thr_match_w4"] / 512,
        "redux_latency_cycles": link("lat_redux") - 6,
        "redux_interval_cycles": m["thr_redux_w1"] / 128,
        "shared_latency_cycles": link("lds32_chain_s4") - 5,
        "shared_conflict_cycles": (link("lds32_chain_s128") - link("lds32_chain_s4")) / 31,
        "shared_8_byte_cycles": link("lds64_chain_s8") - link("lds32_chain_s8"),
        "shared_16_byte_cycles": link("lds128_chain_s16") - link("lds32_chain_s16"),
        "shared_atomic_latency_cycles": link("atoms_chain_s4"),
        "l1_latency_cycles": m["walk_l1"] / 128 - 15.35,
        "l2_latency_cycles": m["walk_l2_128"] / 960 - 15.35,
        "l2_atomic_latency_cycles": link("atomg_chain_1"),
        "sm_atomic_centicycles": (link("atomg_chain_s128") - link("atomg_chain_s4")) / 31 * 100,
        "store_whole_sector_centicycles": (m["stream_st32_l2_g1"] / 512 - 1) / 4 * 100,
        "fence_after_store_cycles": m["fence_gpu"] / 32 - 288,
        "cluster_barrier_latency_cycles": m["cluster_sync_2"] / 16 - 115,
        "block_dispatch_cycles": between_blocks(words["blocks_t32_d2000_g2112"]) - 1,
        "warp_launch_cycles": between_blocks(words["blocks_t1024_d2000_g2112"]) / 32,
        "dram_spread_cycles": spread,
        # Half of the lines by four fifths of the spread, all by a tenth of it on average, refreshes: 700 / 23000 * 350.
        "dram_latency_cycles": m["walk_dram_128"] / 960 - 15.35 - spread / 2 - 10.65,
    }


def main():
    fitted = fits(*read_record())
    with open(HEADER) as file:
        text = file.read()
    of_record = set(re.findall(r'PARAM\((\w+),(?=[^\n]*"H200: micro)', text))
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
