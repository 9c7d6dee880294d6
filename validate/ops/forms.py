#!/usr/bin/env python3
"""Writes the instructions whose operands have forms of their own: video instructions with their parts and masks, cvt.pack,
lop3 with a predicate, atomics of vectors and of 128 bits, cache policies, special registers.

usage: forms.py OUTPUT_FOLDER [PTXAS]

Leaves in OUTPUT_FOLDER: forms.txt, one line a variant: classes of the operands (validate/ops/operands.c), tab, text; forms_N.ptx
and forms_N.cubin, GROUP variants a kernel. forms.c runs them on a GPU; tests/test_forms.c runs the same texts on the engine.

A text uses these registers: %a %b %c (32 bits), %A %B %C (64 bits; %a is the low half of %A), %q %r (predicates); results go to
%d (32 bits), %D and %E (64 bits), %o (predicate), which are zero before. %g is the address of 16 bytes in global memory, %s of 16
in shared memory, of the thread's own; they hold %A and %B before, and what they hold after counts as a result too.
"""
import itertools
import os
import random
import re
import subprocess
import sys

GROUP = 100
HEADER = ".version 9.0\n.target sm_90\n.address_size 64\n"
PARTS = ["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"]
dice = random.Random(1)


class Forms:
    def __init__(self):
        self.rows = []

    def add(self, classes, text):
        if (classes, text) not in self.rows:
            self.rows.append((classes, text))


def part():
    return dice.choice(PARTS)


def video_scalar(v):
    types = ("u32", "s32")
    for op in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        for d, a, b in itertools.product(types, repeat=3):
            for sat in ("", ".sat"):
                name = "%s.%s.%s.%s%s" % (op, d, a, b, sat)
                v.add("b32,b32,b32", "%s %%d, %%a%s, %%b%s;" % (name, part(), part()))
                for second in ("add", "min", "max"):
                    v.add("b32,b32,b32", "%s.%s %%d, %%a%s, %%b%s, %%c;" % (name, second, part(), part()))
                for to in dice.sample(PARTS[1:], 3):
                    v.add("b32,b32,b32", "%s %%d%s, %%a%s, %%b%s, %%c;" % (name, to, part(), part()))
        for a, b in itertools.product(PARTS, repeat=2):
            v.add("b32,b32", "%s.s32.s32.u32 %%d, %%a%s, %%b%s;" % (op, a, b))
            v.add("b32,b32", "%s.u32.u32.s32.sat %%d, %%a%s, %%b%s;" % (op, a, b))
        for to in PARTS[1:]:
            for d, sat in itertools.product(types, ("", ".sat")):
                v.add("b32,b32,b32", "%s.%s.s32.u32%s %%d%s, %%a, %%b.h1, %%c;" % (op, d, sat, to))
    for op, d, a in itertools.product(("vshl", "vshr"), types, types):
        for sat, mode in itertools.product(("", ".sat"), ("clamp", "wrap")):
            name = "%s.%s.%s.u32%s.%s" % (op, d, a, sat, mode)
            for count in ("%b", "%b.b0", "%b.h1"):
                v.add("b32,shift,b32", "%s %%d, %%a%s, %s;" % (name, part(), count))
            for second in ("add", "min", "max"):
                v.add("b32,shift,b32", "%s.%s %%d, %%a%s, %%b, %%c;" % (name, second, part()))
            for to in PARTS[1:]:
                v.add("b32,shift,b32", "%s %%d%s, %%a%s, %%b, %%c;" % (name, to, part()))
    for d, a, b in itertools.product(types, repeat=3):
        for sat, scale in itertools.product(("", ".sat"), ("", ".shr7", ".shr15")):
            for na, nb, nc in (("", "", ""), ("-", "", ""), ("", "-", ""), ("", "", "-"), ("-", "-", "")):
                v.add("b32,b32,b32", "vmad.%s.%s.%s%s%s %%d, %s%%a%s, %s%%b%s, %s%%c;" % (
                    d, a, b, sat, scale, na, part(), nb, part(), nc))
            v.add("b32,b32,b32", "vmad.%s.%s.%s.po%s%s %%d, %%a%s, %%b%s, %%c;" % (d, a, b, sat, scale, part(), part()))
            v.add("b32,b32,b32", "vmad.%s.%s.%s%s%s %%d, %%a, %%b, %%c;" % (d, a, b, sat, scale))
    for a, b, cmp in itertools.product(types, types, ("eq", "ne", "lt", "le", "gt", "ge")):
        name = "vset.%s.%s.%s" % (a, b, cmp)
        v.add("b32,b32", "%s %%d, %%a%s, %%b%s;" % (name, part(), part()))
        for second in ("add", "min", "max"):
            v.add("b32,b32,b32", "%s.%s %%d, %%a%s, %%b%s, %%c;" % (name, second, part(), part()))
        for to in PARTS[1:]:
            v.add("b32,b32,b32", "%s %%d%s, %%a%s, %%b%s, %%c;" % (name, to, part(), part()))


def simd_parts(width):
    if width == 2:
        return dice.choice(["", ".h%d%d" % (dice.randrange(4), dice.randrange(4))])
    return dice.choice(["", ".b" + "".join(str(dice.randrange(8)) for _ in range(4))])


def masks(width):
    if width == 2:
        return ["", ".h0", ".h1", ".h10"]
    return [""] + [".b" + "".join(str(k) for k in (3, 2, 1, 0) if m >> k & 1) for m in range(1, 16)]


def video_simd(v):
    types = ("u32", "s32")
    for op, width, d, a, b in itertools.product(("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"), (2, 4), types, types,
                                                types):
        for word in ("", ".sat", ".add"):
            name = "%s%d.%s.%s.%s%s" % (op, width, d, a, b, word)
            v.add("b32,b32,b32", "%s %%d, %%a, %%b, %%c;" % name)
            for _ in range(2):
                v.add("b32,b32,b32", "%s %%d%s, %%a%s, %%b%s, %%c;" % (
                    name, dice.choice(masks(width)), simd_parts(width), simd_parts(width)))
    for width in (2, 4):
        for mask, word in itertools.product(masks(width), ("", ".add")):
            v.add("b32,b32,b32", "vsub%d.s32.s32.u32%s %%d%s, %%a%s, %%b%s, %%c;" % (
                width, word, mask, simd_parts(width), simd_parts(width)))
            v.add("b32,b32,b32", "vset%d.s32.u32.lt%s %%d%s, %%a%s, %%b%s, %%c;" % (
                width, word, mask, simd_parts(width), simd_parts(width)))
    for width, a, b, cmp, word in itertools.product((2, 4), types, types, ("eq", "ne", "lt", "le", "gt", "ge"), ("", ".add")):
        v.add("b32,b32,b32", "vset%d.%s.%s.%s%s %%d, %%a, %%b, %%c;" % (width, a, b, cmp, word))


def others(v):
    for t in ("u16", "s16"):
        v.add("s32,s32", "cvt.pack.sat.%s.s32 %%d, %%a, %%b;" % t)
    for t in ("u8", "s8", "u4", "s4", "u2", "s2"):
        v.add("s32,s32,b32", "cvt.pack.sat.%s.s32.b32 %%d, %%a, %%b, %%c;" % t)
    for boolop, neg, table in itertools.product(("or", "and"), ("", "!"), (0x96, 0x80, 0x00, 0xca, 0xfe)):
        v.add("b32,b32,b32", "lop3.%s.b32 %%d|%%o, %%a, %%b, %%c, %d, %s%%q;" % (boolop, table, neg))
        v.add("b32,b32,b32", "lop3.%s.b32 _|%%o, %%a, %%b, %%c, %d, %s%%q;" % (boolop, table, neg))
    for t in ("f16", "bf16"):
        for relu in ("", ".relu"):
            v.add("%s,%s,%s" % (t, t, t), "{ .reg .b16 %%x<4>; cvt.u16.u32 %%x0, %%a; cvt.u16.u32 %%x1, %%b; cvt.u16.u32 %%x2, %%c; "
                  "fma.rn.oob%s.%s %%x3, %%x0, %%x1, %%x2; cvt.u32.u16 %%d, %%x3; }" % (relu, t))
            v.add("%sx2,%sx2,%sx2" % (t, t, t), "fma.rn.oob%s.%sx2 %%d, %%a, %%b, %%c;" % (relu, t))
    first = ("evict_last", "evict_normal", "evict_first", "evict_unchanged")
    for one in first:
        for fraction in ("", ", 1.0", ", 0.5", ", 0.25", ", 0.75", ", 0.1", ", 0.0625", ", 0.01", ", 0.9375", ", 0.97", ", 0.3333333"):
            v.add("b32", "createpolicy.fractional.L2::%s.b64 %%D%s;" % (one, fraction))
            for two in ("evict_first", "evict_unchanged"):
                v.add("b32", "createpolicy.fractional.L2::%s.L2::%s.b64 %%D%s;" % (one, two, fraction))
        for two in ("", ".L2::evict_first", ".L2::evict_unchanged"):
            for size, total in ((0x100000, 0x200000), (4096, 8192), (100, 1000), (65536, 65536), (1 << 20, 1 << 30),
                                (0x80000000, 0xc0000000)):
                for at in ("", "+4096", "+1048576"):
                    v.add("b32", "createpolicy.range.global.L2::%s%s.b64 %%D, [%%G%s], %d, %d;" % (one, two, at, size, total))
    v.add("b64", "createpolicy.cvt.L2.b64 %D, %A;")
    for n in range(32):
        v.add("b32", "mov.u32 %%d, %%envreg%d;" % n)
    for name in ("begin", "end", "cap", "0", "1"):
        v.add("b32", "mov.u32 %%d, %%reserved_smem_offset_%s;" % name)
    for name in ("current_graph_exec",):
        v.add("b32", "mov.u64 %%D, %%%s;" % name)


def wide_atomics(v):
    for address in ("global", "shared"):
        cell = "%g" if address == "global" else "%s"
        for op in ("exch", "cas"):
            last = ", %z" if op == "cas" else ""
            v.add("b64,b64,b64", "{ .reg .b128 %%x, %%y, %%z; mov.b128 %%y, {%%B, %%C}; mov.b128 %%z, {%%C, %%A}; "
                  "atom.%s.%s.b128 %%x, [%s], %%y%s; mov.b128 {%%D, %%E}, %%x; }" % (address, op, cell, last))
        v.add("b64,b64,b64", "{ .reg .b128 %%x, %%y, %%z; mov.b128 %%y, {%%A, %%B}; mov.b128 %%z, {%%C, %%A}; "
              "atom.%s.cas.b128 %%x, [%s], %%y, %%z; mov.b128 {%%D, %%E}, %%x; }" % (address, cell))
    for t, bits, counts in (("f32", 32, (2, 4)), ("f16", 16, (2, 4, 8)), ("bf16", 16, (2, 4, 8)), ("f16x2", 32, (2, 4)),
                            ("bf16x2", 32, (2, 4))):
        for count, op, kind in itertools.product(counts, ("add",) if t == "f32" else ("add", "min", "max"), ("atom", "red")):
            classes = {"f32": "f32,f32,f32", "f16": "f16x2,f16x2,f16x2", "bf16": "bf16x2,bf16x2,bf16x2"}.get(t, "%s,%s,%s" % (t, t, t))
            # The operand's bits: C, B, A, C ...; the cell has A and B.
            regs = ["%%w%d" % k for k in range(count)]
            outs = ["%%v%d" % k for k in range(count)]
            words = "{ .reg .b%d %%w<8>, %%v<8>; .reg .b32 %%p<4>, %%u<4>; " % bits
            if bits == 16:
                pairs = ["%c", "%b", "%a", "%c"]
                for k in range(count // 2):
                    words += "mov.b32 {%s, %s}, %s; " % (regs[2 * k], regs[2 * k + 1], pairs[k])
            else:
                for k in range(count):
                    words += "mov.b32 %s, %s; " % (regs[k], ["%c", "%b", "%a", "%c"][k])
            name = "%s.global.%s%s.v%d.%s" % (kind, op, "" if t == "f32" else ".noftz", count, t)
            operands = ("{%s}, " % ", ".join(outs) if kind == "atom" else "") + "[%g], {" + ", ".join(regs) + "}"
            words += "%s %s; " % (name, operands)
            if kind == "atom":
                if bits == 16:
                    for k in range(count // 2):
                        words += "mov.b32 %%u%d, {%s, %s}; " % (k, outs[2 * k], outs[2 * k + 1])
                    have = count // 2
                else:
                    for k in range(count):
                        words += "mov.b32 %%u%d, %s; " % (k, outs[k])
                    have = count
                words += "mov.b64 %%D, {%%u0, %s}; " % ("%u1" if have > 1 else "0")
                if have > 2:
                    words += "mov.b64 %E, {%u2, %u3}; "
            v.add(classes, words + "}")


REGISTERS = ("\t.reg .pred %q, %r, %o, %w;\n\t.reg .b32 %a, %b, %c, %d, %n, %i, %t, %s;\n"
             "\t.reg .b64 %A, %B, %C, %D, %E, %f, %g, %G, %m, %y;\n\t.shared .align 16 .b8 cell[2048];\n")
HEAD = ("\tmov.u32 %i, %ctaid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, 128, %t; ld.param.u32 %n, [count];\n"
        "\tsetp.ge.u32 %w, %i, %n; @%w ret;\n"
        "\tld.param.u64 %f, [in]; mad.wide.u32 %f, %i, 32, %f; mov.b64 %G, 0x7f0000000000;\n"
        "\tld.global.b64 %A, [%f]; ld.global.b64 %B, [%f+8]; ld.global.b64 %C, [%f+16];\n"
        "\tld.global.b32 %a, [%f]; ld.global.b32 %b, [%f+8]; ld.global.b32 %c, [%f+16]; ld.global.b32 %m32, [%f+24];\n")


def kernel(name, rows):
    """Thread i: operands from in[i] (32 bytes); results of variant k to out[k * count + i] (48 bytes): D, E or d, the cells, the
    predicate."""
    out = [".visible .entry %s(.param .u64 in, .param .u64 out, .param .u32 count)\n{\n" % name, REGISTERS,
           "\t.reg .b32 %m32;\n", HEAD,
           "\tand.b32 %t, %m32, 1; setp.ne.u32 %q, %t, 0; and.b32 %t, %m32, 2; setp.ne.u32 %r, %t, 0;\n"
           "\tmov.u32 %s, %tid.x; mov.u32 %t, cell; mad.lo.u32 %s, %s, 16, %t;\n"
           "\tld.param.u64 %m, [out]; mad.wide.u32 %m, %i, 48, %m; mul.wide.u32 %y, %n, 48;\n"]
    for classes, text in rows:
        out.append("\tmov.b32 %d, 0; mov.b64 %D, 0; mov.b64 %E, 0; setp.ne.u32 %o, 0, 0; add.u64 %g, %m, 16;\n")
        uses = re.search(r"\[(%[gs])\]", text)
        if uses:
            space = "global" if uses.group(1) == "%g" else "shared"
            out.append("\tst.%s.v2.b64 [%s], {%%A, %%B};\n" % (space, uses.group(1)))
        out.append("\t" + text + "\n")
        if not re.search(r"%D\b", text):
            out.append("\tcvt.u64.u32 %D, %d;\n")
        if uses and uses.group(1) == "%s":
            out.append("\t{ .reg .b64 %x<2>; ld.shared.v2.b64 {%x0, %x1}, [%s]; st.global.v2.b64 [%g], {%x0, %x1}; }\n")
        elif not uses:
            out.append("\tst.global.v2.b64 [%g], {0, 0};\n")
        out.append("\tst.global.v2.b64 [%m], {%D, %E}; selp.b64 %D, 1, 0, %o; st.global.v2.b64 [%m+32], {%D, 0}; "
                   "add.u64 %m, %m, %y;\n")
    out.append("\tret;\n}\n")
    return "".join(out)


def groups(rows):
    """Variants of the same classes, at most GROUP together."""
    for classes in dict.fromkeys(c for c, _ in rows):
        same = [row for row in rows if row[0] == classes]
        for start in range(0, len(same), GROUP):
            yield same[start:start + GROUP]


def accepted(folder, ptxas, rows):
    """The rows that ptxas assembles; it names the lines of all errors."""
    path = os.path.join(folder, "probe.ptx")
    while True:
        text, owner = HEADER, {}
        for k, row in enumerate(rows):
            first = text.count("\n") + 1
            text += kernel("k%d" % k, [row])
            for line in range(first, text.count("\n") + 1):
                owner[line] = k
        with open(path, "w") as file:
            file.write(text)
        done = subprocess.run([ptxas, "-arch=compute_90", path, "-o", os.devnull], capture_output=True, text=True)
        bad = {owner[int(n)] for n in re.findall(r"line (\d+);[ ]*error", done.stderr + done.stdout) if int(n) in owner}
        if not bad:
            os.remove(path)
            return rows
        for k in sorted(bad):
            print("refused:", rows[k][1])
        rows = [row for k, row in enumerate(rows) if k not in bad]


def main():
    folder, ptxas = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "ptxas"
    v = Forms()
    for make in (video_scalar, video_simd, others, wide_atomics):
        make(v)
    os.makedirs(folder, exist_ok=True)
    rows = accepted(folder, ptxas, v.rows)
    with open(os.path.join(folder, "forms.txt"), "w") as file:
        for n, group in enumerate(groups(rows)):
            for row in group:
                file.write("%d\t%s\t%s\n" % (n, row[0], row[1]))
            base = os.path.join(folder, "forms_%d" % n)
            with open(base + ".ptx", "w") as ptx:
                ptx.write(HEADER + kernel("k", group))
            subprocess.run([ptxas, "-arch=sm_90", base + ".ptx", "-o", base + ".cubin"], check=True)
    print("%d forms" % len(rows))


main()
