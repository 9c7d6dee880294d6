#!/usr/bin/env python3
"""Makes docs/clock-errors.md of what the suites `micro` and `cycles` print.

    (SIMTLAB_MICRO= CK_RUN_SUITE=micro CK_RUN_CASE=table tests/runner
     SIMTLAB_CYCLES=1 SIMTLAB_LONG_TESTS=1 CK_RUN_SUITE=cycles tests/runner) | page.py >docs/clock-errors.md

An error is of the stretch of code that the launch measures (validate/micro/micro.cu), the long one, or the short one,
which comes first, where caches are cold on purpose (of code_ in the first run alone); of a chain of dependent
instructions it is cycles a link.
"""
import re
import statistics
import sys

# Title, pattern of the launches' names, column of the card's three figures (0: short, 1: long, 2: the difference).
GROUPS = [
    ("Register to register, a link of a chain: cycles", r"lat_", 2),
    ("Units, 1 to 16 warps", r"thr_", 1),
    ("Loops of 1 to 256 instructions, branches that part", r"loop_|diverge_", 1),
    ("Instruction cache, cold", r"code_", 0),
    ("Constants, cached", r"ldc_warm", 1),
    ("Constants, cold", r"ldc_cold", 0),
    ("Shared memory, a chain, conflicts of 1 to 32 ways", r"lds\d+_chain|sts_lds", 1),
    ("Shared memory, loads of 1 to 32 warps", r"lds\d+_many", 1),
    ("Shared memory, stores of 1 to 32 warps (the long stretch's are one)", r"sts\d+_many", 0),
    ("Atomics in shared memory", r"atoms_", 1),
    ("Barriers of blocks, warps and clusters, fences", r"bar_|syncwarp|fence|cluster_sync", 1),
    ("L1, a chain", r"ldg\d+_chain", 1),
    ("L1, 1 to 32 warps", r"ldg\d+_many|stream_ca|local_words", 1),
    ("L1, latency", r"walk_l1", 1),
    ("L2, latency", r"walk_l2", 1),
    ("DRAM, latency", r"walk_dram", 1),
    ("Loads under way together, from L2", r"ahead_.*_l2", 1),
    ("Loads under way together, from DRAM", r"ahead_.*_clean", 1),
    ("L2, bandwidth of loads", r"stream_ld\d+_(l2|part)", 1),
    ("L2, bandwidth of stores and copies", r"stream_(st\d+|copy32)_(l2|part)", 1),
    ("DRAM, bandwidth", r"stream_[a-z0-9]+(_far)?_clean", 1),
    ("DRAM, L2 full of changed lines", r"(ahead|stream)_.*_dram", 1),
    ("Atomics in global memory, a chain", r"atomg_", 1),
    ("Reductions in global memory", r"red_|stream_red", 1),
]

HEAD = """# How far the clock is from the card

Made by `validate/micro/page.py` of what the tests print; do not edit. `docs/clock.md` has the model.

## Microbenchmarks

Each launch of `validate/records/h200/micro`, as machine code: the cycles that the H200's clock register showed, and the model's. The
first line is in cycles, the others in parts of the card's figure.

| what | launches | mean error | worst: launch, H200, model |
|---|---|---|---|
"""


def percent(part):
    return "%.1f %%" % (100 * part)


def micro_line(title, pattern, column, launches):
    rows = []
    for name, card, here in launches:
        if not re.match(pattern, name):
            continue
        want, got = card[column], here[column]
        if column == 2:
            want, got = want / 64, got / 64
            rows.append((abs(got - want), name, want, got))
        elif want > 0:
            rows.append((abs(got - want) / want, name, want, got))
    if not rows:
        return ""
    show = (lambda value: "%.1f" % value) if column == 2 else percent
    worst = max(rows)
    return "| %s | %d | %s | %s: `%s`, %s, %s |\n" % (
        title, len(rows), show(statistics.mean(row[0] for row in rows)), show(worst[0]), worst[1],
        format(round(worst[2], 1), ","), format(round(worst[3], 1), ","))


def mean_line(what, errors):
    errors = sorted(errors)
    return "%s: %d launches, mean %s, nine in ten within %s, worst %s." % (
        what, len(errors), percent(statistics.mean(errors)), percent(errors[(len(errors) * 9 + 9) // 10 - 1]),
        percent(errors[-1]))


def main():
    text = sys.stdin.read()
    number = r"\s+(-?[\d.]+)"
    launches = [(m.group(1), [float(m.group(k)) for k in (2, 3, 4)], [float(m.group(k)) for k in (5, 6, 7)])
                for m in re.finditer(r"^(\w+)\s+card%s\s+here%s" % (number * 3, number * 3), text, re.M)]
    sets = {}
    for m in re.finditer(r"^(machine|ptx|share) (\S+)\s+card%s here%s" % (number, number), text, re.M):
        sets.setdefault(m.group(1), {})[m.group(2)] = (float(m.group(3)), float(m.group(4)))
    if not launches or set(sets) != {"machine", "ptx", "share"}:
        sys.exit("page.py: not what the suites micro and cycles print")
    out = HEAD + "".join(micro_line(*group, launches) for group in GROUPS)
    error = lambda pair: (pair[1] - pair[0]) / pair[0]
    long = lambda name: [abs(error(pair)) for pair in sets[name].values() if pair[0] >= 5000]
    out += "\n## The guide's launches\n\n`sm__cycles_active.max`; the H200's is the median of ten runs, and varies by tens of percent below 5,000.\n\n"
    out += "- %s\n- %s\n\n" % (mean_line("Machine code, from 5,000 cycles on", long("machine")),
                               mean_line("From PTX, from 5,000 cycles on", long("ptx")))
    out += "| launch | H200 | machine code | error | from PTX | error |\n|---|---|---|---|---|---|\n"
    for name, pair in sets["machine"].items():
        ptx = sets["ptx"].get(name)
        out += "| %s | %s | %s | %+.1f %% | %s | %s |\n" % (
            name, format(round(pair[0]), ","), format(round(pair[1]), ","), 100 * error(pair),
            format(round(ptx[1]), ",") if ptx else "", "%+.1f %%" % (100 * error(ptx)) if ptx else "")
    out += "\n## The test share\n\nKernels of `validate/records/h200/nvcc` that no parameter and no rule was chosen by (`test-share.txt`), from 5,000 cycles on.\n\n"
    out += "- %s\n\n| launch | H200 | machine code | error |\n|---|---|---|---|\n" % mean_line("Machine code", long("share"))
    for name, pair in sets["share"].items():
        out += "| %s | %s | %s | %+.1f %% |\n" % (name, format(round(pair[0]), ","), format(round(pair[1]), ","),
                                                   100 * error(pair))
    sys.stdout.write(out)


if __name__ == "__main__":
    main()
