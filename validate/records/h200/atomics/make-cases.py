#!/usr/bin/env python3
"""Writes atomics.cases: every kernel of atomics.cu on a few patterns of addresses, the main ones on all.

A pattern is the contents of `index` and (stride, group, step, mask): lane l works on index[l] * stride + l / group * step.
"""
import re

ALL = 0xFFFFFFFF
FEW = {
    "same": ("const:0", 1, 1, 0, ALL),
    "stride1": ("iota", 1, 1, 0, ALL),
    "stride8": ("iota", 8, 1, 0, ALL),
    "pairs": ("const:0", 1, 2, 1, ALL),
    "rand16": ("randmod:1:16", 1, 1, 0, ALL),
    "rand64": ("randmod:2:64", 1, 1, 0, ALL),
}
MANY = dict(FEW)
for stride in (2, 3, 4, 16, 32, 33):
    MANY[f"stride{stride}"] = ("iota", stride, 1, 0, ALL)
for group in (3, 4, 8, 16):
    MANY[f"group{group}"] = ("const:0", 1, group, 1, ALL)
for group, step in ((2, 8), (4, 8), (8, 8), (16, 2), (16, 64), (4, 32)):
    MANY[f"group{group}step{step}"] = ("const:0", 1, group, step, ALL)
for number, modulus in enumerate((2, 4, 4, 8, 8, 16, 32, 32, 128, 256, 512)):
    MANY[f"rand{modulus}.{number}"] = (f"randmod:{number + 3}:{modulus}", 1, 1, 0, ALL)
for name, mask in (("low", 0xFFFF), ("high", 0xFFFF0000), ("even", 0x55555555), ("one", 0x80), ("some", 0x8F31A0C5)):
    MANY[f"same.{name}"] = ("const:5", 1, 1, 0, mask)
    MANY[f"stride1.{name}"] = ("iota", 1, 1, 0, mask)
    MANY[f"rand32.{name}"] = ("randmod:20:32", 1, 1, 0, mask)
MAIN = ["red_add_u32", "red_add_u64", "red_add_f32", "atom_add_u32", "shared_add_u32", "shared_red_add_one", "shared_exch_b64",
        "shared_cas_b64", "shared_add_f32"]

kernels = re.findall(r"^(?:RED\d+|ATOM\d+|ATOMS32|GLOBAL|SHARED)\((\w+)", open("atomics.cu").read(), re.M)
kernels = [k for k in kernels if k != "name"]
with open("atomics.cases", "w") as out:
    out.write("# Made by make-cases.py: KERNEL.PATTERN, one warp each.\n")
    for kernel in kernels:
        for name, (index, stride, group, step, mask) in (MANY if kernel in MAIN else FEW).items():
            out.write(f"{kernel}.{name} atomics.cubin {kernel} grid=1 block=32 u32[8192]=zero s32[32]={index} "
                      f"s32={stride} s32={group} s32={step} u32={mask:#x} u32[32]=zero\n")
