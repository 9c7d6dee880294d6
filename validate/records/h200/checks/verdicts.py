#!/usr/bin/env python3
"""Makes verdicts.csv of logs.txt.gz: what compute-sanitizer's tools said of each faulty kernel, and of all correct ones in one run.

A log is cut after 12,000 bytes, so how often something was reported is not told: only what, and at which lines.
"""
import csv
import gzip
import re
import sys

TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
REPORTS = [
    ("Warp Level Programming.*Potential (W|R)A(W|R)", "hazard in a warp"),
    ("Potential ... hazard", "hazard"),
    ("Race reported between", "hazard"),
    ("Uninitialized __global__ memory read", "uninitialised global memory"),
    ("Potential invalid __shared__ read", "shared memory of a block that may not be there"),
    ("Divergent thread.s. in warp", "divergent threads in a warp"),
    ("Divergent thread.s. in block", "divergent threads in a block"),
]


def read(path):
    verdicts, key, kind = {}, None, None
    for line in gzip.open(path, "rt", errors="replace"):
        if line.startswith("##### "):
            tool, name = line.split()[1].removesuffix(".txt").split(".")
            key, kind = (name, tool), None
            verdicts[key] = {}
        elif line.startswith("EXIT 137"):
            verdicts[key]["did not end"] = set()
        for pattern, word in REPORTS:
            if line.startswith("=========") and re.search(pattern, line):
                kind = word
                verdicts[key].setdefault(kind, set())
                break
        place = re.search(r" in (\w+\.\w+):(\d+)", line)
        if kind and place and "Host Frame" not in line:
            verdicts[key][kind].add(place.group(1) + ":" + place.group(2))
        if line.startswith("=========     Saved host backtrace"):
            kind = None
    return verdicts


def main():
    verdicts = read("logs.txt.gz")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["kernel"] + TOOLS)
    for name in dict.fromkeys(name for name, _ in verdicts):
        row = [name]
        for tool in TOOLS:
            kinds = verdicts.get((name, tool), {})
            row.append("; ".join(" ".join([kind] + sorted(places)) for kind, places in sorted(kinds.items())))
        out.writerow(row)


if __name__ == "__main__":
    main()
