#!/usr/bin/env python3
"""What PTX instructions that the machine does not have cost, by the clock from PTX and as ptxas's machine code.

    expansions.py SIMTLAB PTXAS

Each line: a PTX instruction, machine instructions and cycles of a link of a chain of it, from the PTX and from machine
code. The exit status is 1 when a pair lies further apart than LOOSE allows. sim/timing/cost.c has the numbers; where
they are new, they come from here.
"""
import json
import os
import subprocess
import sys
import tempfile

LOOSE_SLOTS, LOOSE_CYCLES = 0.15, 0.10  # parts of the machine code's, beside 2 instructions and 4 cycles

KERNEL = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .%(type)s %%a, %%b, %%c;
    .reg .pred %%p;
    .reg .u64 %%at;
    ld.param.u64 %%at, [out];
    cvta.to.global.u64 %%at, %%at;
    ld.global.%(type)s %%a, [%%at];
    ld.global.%(type)s %%b, [%%at+16];
    ld.global.%(type)s %%c, [%%at+32];
%(body)s    st.global.%(type)s [%%at], %%a;
    ret;
}
"""

# Type, and a link of the chain. What divides changes from link to link, or its reciprocal would be made once.
LINKS = [
    ("u32", "div.u32 %a, %b, %a;"), ("u32", "rem.u32 %a, %b, %a;"), ("u32", "div.s32 %a, %b, %a;"),
    ("u32", "rem.s32 %a, %b, %a;"), ("u64", "div.u64 %a, %b, %a;"), ("u64", "rem.u64 %a, %b, %a;"),
    ("u64", "div.s64 %a, %b, %a;"), ("u64", "rem.s64 %a, %b, %a;"),
    ("u32", "div.u32 %a, %a, 7; add.u32 %a, %a, %b;"), ("u32", "rem.u32 %a, %a, 7; add.u32 %a, %a, %b;"),
    ("u32", "div.s32 %a, %a, 7; add.u32 %a, %a, %b;"), ("u32", "rem.s32 %a, %a, 7; add.u32 %a, %a, %b;"),
    ("f32", "div.rn.f32 %a, %b, %a;"), ("f32", "div.approx.f32 %a, %b, %a;"), ("f64", "div.rn.f64 %a, %b, %a;"),
    ("f32", "rcp.approx.f32 %a, %a;"), ("f32", "rcp.rn.f32 %a, %a;"), ("f64", "rcp.rn.f64 %a, %a;"),
    ("f32", "sqrt.approx.f32 %a, %a;"), ("f32", "sqrt.rn.f32 %a, %a;"), ("f64", "sqrt.rn.f64 %a, %a;"),
    ("f32", "rsqrt.approx.f32 %a, %a;"), ("f64", "rsqrt.approx.f64 %a, %a;"), ("f32", "lg2.approx.f32 %a, %a;"),
    ("f32", "sin.approx.f32 %a, %a;"), ("f32", "cos.approx.f32 %a, %a;"), ("f32", "tanh.approx.f32 %a, %a;"),
    ("u64", "mul.lo.u64 %a, %a, %b;"), ("u64", "mul.hi.u64 %a, %a, %b;"), ("u64", "mad.lo.u64 %a, %a, %b, %c;"),
    ("u64", "min.u64 %a, %a, %b;"), ("u64", "max.s64 %a, %a, %b;"),
    ("u64", "setp.lt.u64 %p, %a, %b; selp.u64 %a, %b, %c, %p;"), ("f64", "max.f64 %a, %a, %b;"),
    ("f64", "setp.lt.f64 %p, %a, %b; selp.f64 %a, %b, %c, %p;"), ("u32", "clz.b32 %a, %a;"),
    ("u32", "popc.b32 %a, %a;"), ("u32", "match.any.sync.b32 %a, %a, -1;"), ("u32", "redux.sync.add.u32 %a, %a, -1;"),
    ("u32", "setp.lt.u32 %p, %a, %b; @%p add.u32 %a, %a, %c;"),
    ("u32", "setp.lt.u32 %p, %a, %b; vote.sync.ballot.b32 %a, %p, -1;"),
]


def run(simtlab, folder, kernel, type):
    """Cycles, and instructions that warps issued."""
    first = {"u32": "u32[64]=const:1000", "u64": "u64[64]=const:1000",
             "f32": "f32[64]=const:3", "f64": "f64[64]=const:3"}
    done = subprocess.run([simtlab, "run", kernel, "k", "--grid", "1", "--block", "32", "--arg", first[type],
                           "--format", "json"], capture_output=True, text=True, cwd=folder)
    if done.returncode != 0:
        sys.exit("%s: %s" % (kernel, done.stderr))
    report = json.loads(done.stdout)
    issued = sum(insn.get("stalls", {}).get("selected", 0) for insn in report["instructions"])
    return report["metrics"]["sm__cycles_active.max"], issued


def link(simtlab, ptxas, folder, form, type, text):
    """Cycles and instructions of one link: what 16 more take."""
    found = []
    for count in (8, 24):
        with open(os.path.join(folder, "k.ptx"), "w") as file:
            file.write(KERNEL % {"type": type, "body": ("    %s\n" % text) * count})
        if form == "cubin":
            subprocess.run([ptxas, "-arch=sm_90", "k.ptx", "-o", "k.cubin"], cwd=folder, check=True)
        found.append(run(simtlab, folder, "k." + form, type))
    return [(many - few) / 16 for few, many in zip(*found)]


def main():
    simtlab, ptxas = os.path.abspath(sys.argv[1]), sys.argv[2]
    bad = 0
    print("%-56s %9s %7s %9s %7s" % ("link", "ptx insns", "cycles", "machine", "cycles"))
    with tempfile.TemporaryDirectory() as folder:
        for type, text in LINKS:
            cycles, slots = link(simtlab, ptxas, folder, "ptx", type, text)
            machine_cycles, machine_slots = link(simtlab, ptxas, folder, "cubin", type, text)
            off = (abs(slots - machine_slots) > 2 + LOOSE_SLOTS * machine_slots or
                   abs(cycles - machine_cycles) > 4 + LOOSE_CYCLES * machine_cycles)
            bad += off
            print("%-56s %9.1f %7.1f %9.1f %7.1f%s" % (text, slots, cycles, machine_slots, machine_cycles,
                                                       "  APART" if off else ""))
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
