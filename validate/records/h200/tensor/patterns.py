#!/usr/bin/env python3
"""Writes patterns.txt for patterns.cu: rows of 16 bytes, strides, copies, barriers. Everything follows from a fixed seed."""
import random

random.seed(7)
lines = []


def add(kinds, i, j=None):
    for kind in kinds:
        lines.append("%s %s" % (kind, " ".join(str(x) for x in list(i) + list(j or [0] * 32))))


rows = [[l for l in range(32)], [0] * 32, [l % 2 for l in range(32)], [l % 4 for l in range(32)], [l % 8 for l in range(32)],
        [l // 8 for l in range(32)], [l ^ 1 for l in range(32)], [31 - l for l in range(32)]]
rows += [[l * s for l in range(32)] for s in (2, 3, 4, 5, 8, 9, 16, 17, 24)]
rows += [[(l % 8) * s + l // 8 for l in range(32)] for s in (4, 8, 9, 16, 17, 32)]
rows += [[(l % 16) * s + l // 16 for l in range(32)] for s in (4, 8, 9, 16, 32)]
rows += [[(l % 8) * 8 + ((l // 8) ^ (l % 8)) for l in range(32)], [(l % 8) * 4 + ((l // 8) ^ (l // 2 % 4)) for l in range(32)]]
rows += [[l // 2 * 8 for l in range(32)], [l // 4 * 8 for l in range(32)], [l // 2 for l in range(32)], [l % 16 for l in range(32)]]
rows += [[random.randrange(r) for _ in range(32)] for r in (4, 8, 16, 32, 64, 256, 1024) for _ in range(2)]
for r in rows:
    add(("ldsm1", "ldsm2", "ldsm4", "stsm4"), r)
for r in rows[::3]:
    add(("ldsmt1", "ldsmt2", "ldsmt4", "stsm1", "stsm2", "stsmt4"), r)
line = list(range(32))
spread = [line, [0] * 32, [2 * l for l in line], [4 * l for l in line], [8 * l for l in line], [32 * l % 1024 for l in line],
          [l ^ 1 for l in line], [31 - l for l in line], [l // 2 for l in line], [l % 8 * 9 + l // 8 for l in line],
          [l // 8 * 8 + (l % 8 ^ l // 8) for l in line]]
spread += [[random.randrange(r) for _ in line] for r in (32, 128, 1024)]
for to in spread:
    add(("cpa4", "cpa8", "cpa16", "cpg16"), to, line)
for source in spread[1:]:
    add(("cpa4", "cpa8", "cpa16", "cpg16"), line, source)
for _ in range(6):
    small = [random.randrange(48) for _ in line]
    add(("cpa4", "cpa8", "cpa16", "cpg16"), [random.randrange(64) for _ in line], small)
    shuffled = random.sample(line, 32)
    add(("cpa4", "cpa8", "cpa16", "cpg16"), shuffled, small)
for pitch in (8, 12, 64): # rows of a tile, copied as they are, padded and with swizzled places
    rows = [l // 8 * pitch + l % 8 for l in line]
    for to in (line, [l // 8 * 9 + l % 8 for l in line], [l // 8 * 8 + (l % 8 ^ l // 8) for l in line]):
        add(("cpa16", "cpg16"), to, rows)
for off in ([l for l in line if l % 2], [l for l in line if l >= 8], line, [l for l in line if l > 0]):
    add(("cpaz4", "cpgz16"), line, [0xffff if l in off else l for l in line])
for stride in (16, 24, 32, 40, 64, 72, 128):
    for base in (0, 32):
        add(("wlar", "wlac", "wlbr", "wlbc", "wlcr", "wscr", "wlgar", "wlgac", "wsgcr"), [stride] * 32, [base] * 32)
for who in ([0] + [99] * 31, [0] * 32, line, [l % 2 for l in line], [l % 2 * 16 for l in line], [0, 1] + [99] * 30,
            [0, 16] + [99] * 30):
    add(("mbinit", "mbarr", "mbarrs", "mbtest", "mbtry", "mbcp", "mbexp"), who)
print("\n".join(lines))
