#!/usr/bin/env python3
"""Writes the PTX of the instruction records: one kernel for each instruction variant that ptxas accepts.

usage: generate.py OUTPUT_FOLDER [PTXAS]

Every combination of opcode, types and modifiers below is tried with ptxas; those it rejects are left out. Leaves in
OUTPUT_FOLDER: variants.txt (one line a variant: kernel, operand classes, outputs, text; tab-separated), ops_N.ptx and
ops_N.cubin (GROUP kernels each). record.c runs them.

A variant's text uses fixed registers: %a16 %a32 %a64, %b.., %c..: the operands; %q %r: source predicates;
%d16 %d32 %d64, %e16 %e32 %e64: results; %o %p: predicate results. An atomic's cell holds a before it and is read into e after
it: %g and %s are its global or shared address, %x and %y the same as generic addresses.
"""
import itertools
import os
import re
import subprocess
import sys

GROUP = 500
HEADER = ".version 9.0\n.target sm_90\n.address_size 64\n"
INTS = ["u16", "s16", "u32", "s32", "u64", "s64"]
BITS = {"b8": 8, "u8": 8, "s8": 8, "f16": 16, "bf16": 16, "e4m3x2": 16, "e5m2x2": 16, "f64": 64, "f32": 32, "tf32": 32,
        "f16x2": 32, "bf16x2": 32, "u16x2": 32, "s16x2": 32, "shift": 32, "nib": 32}


def bits(name):
    return BITS.get(name) or int(name[1:])


def reg(letter, name):
    return "%%%s%d" % (letter, max(bits(name), 16))


class Variants:
    def __init__(self):
        self.rows = []
        self.seen = set()

    def add(self, text, classes, outputs):
        if text not in self.seen:
            self.seen.add(text)
            self.rows.append((",".join(classes), ",".join(outputs), text))

    def op(self, name, classes, dst, extra=""):
        """name d, a, b, c[extra] with operands of the given classes and one result."""
        d = reg("d", dst)
        args = [reg(letter, c) for letter, c in zip("abc", classes)]
        self.add("%s %s%s;" % (name, ", ".join([d] + args), extra), classes, [d[1:]])


def options(*groups):
    """All joins of one word out of each group; "" is the absent word."""
    for words in itertools.product(*groups):
        yield "".join("." + w for w in words if w)


def integer_ops(v):
    for t in INTS + ["u16x2", "s16x2"]:
        for op in ("add", "sub", "min", "max"):
            for m in options(["", "sat"] if op in ("add", "sub") else ["", "relu"]):
                v.op("%s%s.%s" % (op, m, t), [t, t], t)
    for t in INTS:
        wide = t[0] + str(2 * bits(t))
        for m in ("lo", "hi", "wide"):
            d = wide if m == "wide" else t
            v.op("mul.%s.%s" % (m, t), [t, t], d)
            v.op("mad.%s.%s" % (m, t), [t, t, d], d)
            v.op("mad.%s.sat.%s" % (m, t), [t, t, d], d)
        for op in ("div", "rem"):
            v.op("%s.%s" % (op, t), [t, t], t)
        for op in ("abs", "neg"):
            v.op("%s.%s" % (op, t), [t], t)
        v.op("sad.%s" % t, [t, t, t], t)
    for t in ("u32", "s32"):
        for m in ("lo", "hi"):
            v.op("mul24.%s.%s" % (m, t), [t, t], t)
            v.op("mad24.%s.%s" % (m, t), [t, t, t], t)
            v.op("mad24.%s.sat.%s" % (m, t), [t, t, t], t)
        for m in ("clamp", "wrap"):
            v.op("szext.%s.%s" % (m, t), [t, "shift"], t)
        for u in ("u32", "s32"):
            v.op("dp4a.%s.%s" % (t, u), [t, u, "s32"], t)
            for m in ("lo", "hi"):
                v.op("dp2a.%s.%s.%s" % (m, t, u), [t, u, "s32"], t)


def carry_ops(v):
    for t in ("u32", "s32", "u64", "s64", "b32", "b64"):
        n = bits(t)
        outputs = ["d%d" % n, "e%d" % n]
        for op in ("add", "sub"):
            v.add("{0}.cc.{1} %d{2}, %a{2}, %b{2}; {0}c.{1} %e{2}, %c{2}, %b{2};".format(op, t, n), [t] * 3, outputs)
            v.add("{0}.cc.{1} %e{2}, %a{2}, %b{2}; {0}c.cc.{1} %d{2}, %c{2}, %b{2}; {0}c.{1} %e{2}, %a{2}, 0;".format(
                op, t, n), [t] * 3, outputs)
        for half in ("lo", "hi"):
            v.add("mad.{0}.cc.{1} %d{2}, %a{2}, %b{2}, %c{2}; addc.{1} %e{2}, %a{2}, 0;".format(half, t, n), [t] * 3,
                  outputs)
            v.add("add.cc.{1} %e{2}, %a{2}, %b{2}; madc.{0}.{1} %d{2}, %a{2}, %b{2}, %c{2};".format(half, t, n),
                  [t] * 3, outputs)
            v.add("add.cc.{1} %e{2}, %a{2}, %b{2}; madc.{0}.cc.{1} %d{2}, %a{2}, %b{2}, %c{2}; "
                  "addc.{1} %e{2}, %c{2}, 0;".format(half, t, n), [t] * 3, outputs)


def bit_ops(v):
    for t in ("b32", "b64"):
        for op in ("popc", "clz"):
            v.op("%s.%s" % (op, t), [t], "u32")
        v.op("brev.%s" % t, [t], t)
        v.op("bfi.%s" % t, [t, t, "shift"], t, ", 5")
        v.add("bfi.{0} %d{1}, %a{1}, %b{1}, %c32, %b32;".format(t, bits(t)), [t, t, "shift"], ["d%d" % bits(t)])
        v.add("bfi.{0} %d{1}, %a{1}, %a{1}, %b32, %c32;".format(t, bits(t)), [t, "shift", "shift"],
              ["d%d" % bits(t)])
    for t in ("u32", "s32", "u64", "s64"):
        for m in ("", ".shiftamt"):
            v.op("bfind%s.%s" % (m, t), [t], "u32")
        v.op("bfe.%s" % t, [t, "shift", "shift"], t)
    for m in ("clamp", "wrap"):
        v.op("bmsk.%s.b32" % m, ["shift", "shift"], "b32")
        for d in ("l", "r"):
            v.op("shf.%s.%s.b32" % (d, m), ["b32", "b32", "shift"], "b32")
    v.add("and.b32 %e32, %b32, 63; and.b32 %d32, %c32, 127; sub.s32 %d32, %d32, 64; fns.b32 %d32, %a32, %e32, %d32;",
          ["b32", "shift", "b32"], ["d32"])
    for m in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        v.op("prmt.b32" + m, ["b32", "b32", "nib"], "b32")
    for lut in (0x00, 0xff, 0x80, 0xfe, 0x96, 0xe8, 0xca, 0xd8, 0x1e, 0x2a, 0x6a, 0x01, 0xf0, 0xcc, 0xaa, 0x40):
        v.op("lop3.b32", ["b32", "b32", "b32"], "b32", ", 0x%02x" % lut)
    for t in ("b16", "b32", "b64"):
        for op in ("and", "or", "xor"):
            v.op("%s.%s" % (op, t), [t, t], t)
        for op in ("not", "cnot"):
            v.op("%s.%s" % (op, t), [t], t)
        v.op("shl.%s" % t, [t, "shift"], t)
    for t in ("b16", "b32", "b64") + tuple(INTS):
        v.op("shr.%s" % t, [t, "shift"], t)


def float_ops(v):
    rounds = ["", "rn", "rz", "rm", "rp"]
    for t in ("f32", "f64"):
        for op, n in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3), ("mad", 3), ("div", 2), ("rcp", 1), ("sqrt", 1)):
            for m in options(rounds, ["", "ftz"], ["", "sat"]):
                v.op("%s%s.%s" % (op, m, t), [t] * n, t)
        for m in options(["approx", "full"], ["", "ftz"]):
            v.op("div%s.%s" % (m, t), [t, t], t)
            for op in ("rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"):
                v.op("%s%s.%s" % (op, m, t), [t], t)
        v.op("copysign.%s" % t, [t, t], t)
        for m in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            v.add("testp.%s.%s %%o, %s;" % (m, t, reg("a", t)), [t], ["o"])
    for t in ("f32", "f64", "f16", "bf16", "f16x2", "bf16x2"):
        for m in ("", ".ftz"):
            for op in ("abs", "neg"):
                v.op("%s%s.%s" % (op, m, t), [t], t)
        for op in ("min", "max"):
            for m in options(["", "ftz"], ["", "NaN"], ["", "xorsign.abs"]):
                v.op("%s%s.%s" % (op, m, t), [t, t], t)
        for m in options(["ex2", "tanh"], ["approx"], ["", "ftz"]):
            v.op("%s.%s" % (m[1:], t), [t], t)
    for t in ("f16", "bf16", "f16x2", "bf16x2"):
        for op, n in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3)):
            for m in options(["", "rn", "rz"], ["", "ftz"], ["", "sat", "relu"]):
                v.op("%s%s.%s" % (op, m, t), [t] * n, t)


def compare_ops(v):
    ordered = ["eq", "ne", "lt", "le", "gt", "ge"]
    kinds = {t: ordered for t in ("s16", "s32", "s64")}
    kinds.update({t: ordered + ["lo", "ls", "hi", "hs"] for t in ("u16", "u32", "u64")})
    kinds.update({t: ["eq", "ne"] for t in ("b16", "b32", "b64")})
    kinds.update({t: ordered + ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
                  for t in ("f32", "f64", "f16", "bf16", "f16x2", "bf16x2")})
    for t, cmps in kinds.items():
        a, b = reg("a", t), reg("b", t)
        for cmp, ftz in itertools.product(cmps, ("", ".ftz") if "f" in t else ("",)):
            if not t.endswith("x2"):
                v.add("setp.%s%s.%s %%o, %s, %s;" % (cmp, ftz, t, a, b), [t, t], ["o"])
            v.add("setp.%s%s.%s %%o|%%p, %s, %s;" % (cmp, ftz, t, a, b), [t, t], ["o", "p"])
            if cmp in ("lt", "neu", "eq"):
                for boolop, neg in itertools.product(("and", "or", "xor"), ("", "!")):
                    v.add("setp.%s.%s%s.%s %%o|%%p, %s, %s, %s%%q;" % (cmp, boolop, ftz, t, a, b, neg), [t, t],
                          ["o", "p"])
            for d in ("u32", "s32", "f32", "u16", "s16", "f16", "bf16", "f16x2", "bf16x2"):
                dst = reg("d", d)
                v.add("set.%s%s.%s.%s %s, %s, %s;" % (cmp, ftz, d, t, dst, a, b), [t, t], [dst[1:]])
                if cmp in ("lt", "ne") and d in ("u32", "f32", "f16", "f16x2"):
                    for boolop, neg in (("and", ""), ("or", "!"), ("xor", "")):
                        v.add("set.%s.%s%s.%s.%s %s, %s, %s, %s%%q;" % (cmp, boolop, ftz, d, t, dst, a, b, neg),
                              [t, t], [dst[1:]])
    for t in ["b16", "b32", "b64"] + INTS + ["f32", "f64"]:
        v.op("selp.%s" % t, [t, t], t, ", %q")
        v.op("selp.%s" % t, [t, t], t, ", !%q")
        for c in ("s32", "f32"):
            for ftz in ("", ".ftz"):
                v.op("slct%s.%s.%s" % (ftz, t, c), [t, t, c], t)
        v.op("mov.%s" % t, [t], t)


def convert_ops(v):
    types = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"]
    rounds = ["", "rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"]
    for d, s in itertools.product(types, types):
        for m in options(rounds, ["", "ftz"], ["", "relu"], ["", "sat", "satfinite"]):
            v.op("cvt%s.%s.%s" % (m, d, s), [s], d)
    # A register wider than the type: the source is truncated, the result is extended to the register.
    for d, s in itertools.product(types[:8], types[:8]):
        for dst, src in ((32, 32), (64, 64), (32, 64), (64, 32)):
            if dst >= bits(d) and src >= bits(s) and bits(d) < 64:
                for sat in ("", ".sat"):
                    v.add("cvt%s.%s.%s %%d%d, %%a%d;" % (sat, d, s, dst, src), ["b%d" % src], ["d%d" % dst])
    for d, s in itertools.product(("u8", "s8", "u16", "s16"), ("f32", "f64", "f16")):
        v.add("cvt.rzi.%s.%s %%d32, %s;" % (d, s, reg("a", s)), [s], ["d32"])
    for s in ("u8", "s8"):
        v.add("cvt.rn.f32.%s %%d32, %%a32;" % s, ["b32"], ["d32"])
    suffixes = list(options(["rn", "rz", "rna"], ["", "satfinite"], ["", "relu"]))
    for m in suffixes + list(options(["rn", "rz", "rna"], ["relu"], ["satfinite"])):
        for d in ("f16x2", "bf16x2", "e4m3x2", "e5m2x2"):
            v.op("cvt%s.%s.f32" % (m, d), ["f32", "f32"], d)
            for s in ("f16x2", "bf16x2", "e4m3x2", "e5m2x2"):
                v.op("cvt%s.%s.%s" % (m, d, s), [s], d)
        v.op("cvt%s.tf32.f32" % m, ["f32"], "tf32")


def atomic_ops(v):
    operations = {
        "add": ["u32", "s32", "u64", "f32", "f64", "f16", "bf16", "f16x2", "bf16x2"],
        "min": ["u32", "s32", "u64", "s64", "f16", "bf16", "f16x2", "bf16x2"],
        "max": ["u32", "s32", "u64", "s64", "f16", "bf16", "f16x2", "bf16x2"],
        "and": ["b32", "b64"], "or": ["b32", "b64"], "xor": ["b32", "b64"], "inc": ["u32"], "dec": ["u32"],
        "exch": ["b32", "b64"], "cas": ["b16", "b32", "b64"]}
    for space, address in ((".global", "%g"), (".shared", "%s"), ("", "%x"), ("", "%y")):
        for op, types in operations.items():
            for t, noftz in itertools.product(types, ("", ".noftz")):
                n = bits(t)
                classes = [t, t, t] if op == "cas" else [t, t]
                last = ", %%c%d" % n if op == "cas" else ""
                v.add("atom%s.%s%s.%s %%d%d, [%s], %%b%d%s;" % (space, op, noftz, t, n, address, n, last), classes,
                      ["d%d" % n, "e%d" % n])
                if op not in ("exch", "cas"):
                    v.add("red%s.%s%s.%s [%s], %%b%d;" % (space, op, noftz, t, address, n), classes, ["e%d" % n])


REGISTERS = ("\t.reg .pred %q, %r, %o, %p, %w;\n\t.reg .b16 %a16, %b16, %c16, %d16, %e16;\n"
             "\t.reg .b32 %a32, %b32, %c32, %d32, %e32, %i, %n, %s, %t;\n"
             "\t.reg .b64 %a64, %b64, %c64, %d64, %e64, %g, %x, %y, %f, %m;\n")


def is_atomic(text):
    return text.startswith(("atom", "red"))


def probe(name, row):
    """The smallest kernel that holds the instruction, to ask ptxas about it."""
    return ".visible .entry %s()\n{\n%s\t%s\n\tret;\n}\n" % (name, REGISTERS.replace("\n", " "), row[2])


def kernel(name, row):
    """Thread i: slots a, b, c, predicates from in[i] (32 bytes); d, e, predicates to out[i] (24 bytes); cells[i] is
    the atomic's cell of 16 bytes. Each width is loaded by itself: ptxas 13.0 takes the wrong halves of an f16x2 that is
    truncated out of a 64-bit register and added atomically in shared memory."""
    classes, outputs, text = row
    out = [".visible .entry %s(.param .u64 in, .param .u64 out, .param .u64 cells, .param .u32 count)\n{\n" % name]
    out.append(REGISTERS)
    out.append("\t.shared .align 16 .b8 cell[2048];\n")
    out.append("\tmov.u32 %i, %ctaid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, 128, %t;\n"
               "\tld.param.u32 %n, [count]; setp.ge.u32 %w, %i, %n; @%w ret;\n"
               "\tld.param.u64 %f, [in]; mad.wide.u32 %f, %i, 32, %f;\n")
    for k, letter in enumerate("abc"):
        for width in (16, 32, 64):
            out.append("\tld.global.b%d %%%s%d, [%%f+%d];\n" % (width, letter, width, 8 * k))
    out.append("\tld.global.b32 %n, [%f+24]; and.b32 %s, %n, 1; setp.ne.u32 %q, %s, 0;\n"
               "\tand.b32 %s, %n, 2; setp.ne.u32 %r, %s, 0;\n"
               "\tmov.b64 %d64, 0; mov.b64 %e64, 0; setp.ne.u32 %o, 0, 0; setp.ne.u32 %p, 0, 0;\n"
               "\tld.param.u64 %g, [cells]; mad.wide.u32 %g, %i, 16, %g; mov.u32 %s, cell; mad.lo.u32 %s, %t, 16, %s;\n"
               "\tcvta.global.u64 %x, %g; cvt.u64.u32 %y, %s; cvta.shared.u64 %y, %y;\n")
    cell = ".shared.b64 %s [%%s]%s" if "[%s]" in text or "[%y]" in text else ".global.b64 %s [%%g]%s"
    if is_atomic(text):
        out.append("\tst" + cell % ("", ", %a64;\n"))
    out.append("\t" + text + "\n")
    if is_atomic(text):
        out.append("\tmembar.gl; ld.volatile" + cell % ("%e64,", ";\n"))
    out.append("\tld.param.u64 %m, [out]; mad.wide.u32 %m, %i, 24, %m;\n")
    for offset, letter in ((0, "d"), (8, "e")):
        width = re.search(letter + r"(\d+)", outputs)
        if width and width.group(1) != "64" and not (letter == "e" and is_atomic(text)):
            out.append("\tcvt.u64.u%s %%%s64, %%%s%s;\n" % (width.group(1), letter, letter, width.group(1)))
        out.append("\tst.global.b64 [%%m+%d], %%%s64;\n" % (offset, letter))
    out.append("\tselp.u32 %n, 1, 0, %o; selp.u32 %s, 2, 0, %p; or.b32 %n, %n, %s; cvt.u64.u32 %e64, %n;\n"
               "\tst.global.b64 [%m+16], %e64;\n\tret;\n}\n")
    return "".join(out)


def accepted(folder, ptxas, rows):
    """The rows ptxas assembles: it names the lines of all errors, so that each round removes many."""
    good = []
    path = os.path.join(folder, "probe.ptx")
    for start in range(0, len(rows), 400):
        part = rows[start:start + 400]
        while part:
            head = HEADER + ".global .u32 unused;\n"
            text, owner = head, {}
            for k, row in enumerate(part):
                first = text.count("\n") + 1
                text += probe("k%d" % k, row)
                for line in range(first, text.count("\n") + 1):
                    owner[line] = k
            with open(path, "w") as file:
                file.write(text)
            done = subprocess.run([ptxas, "-O0", "-arch=sm_90", path, "-o", os.devnull], capture_output=True, text=True)
            if done.returncode == 0:
                break
            bad = {owner[int(n)] for n in re.findall(r"line (\d+)[;:]", done.stderr + done.stdout)
                   if int(n) in owner}
            if not bad:
                sys.exit("ptxas names no line:\n" + done.stderr[:2000])
            part = [row for k, row in enumerate(part) if k not in bad]
        good += part
    os.remove(path)
    return good


def main():
    folder = sys.argv[1]
    ptxas = sys.argv[2] if len(sys.argv) > 2 else "ptxas"
    v = Variants()
    for make in (integer_ops, carry_ops, bit_ops, float_ops, compare_ops, convert_ops, atomic_ops):
        make(v)
    os.makedirs(folder, exist_ok=True)
    rows = accepted(folder, ptxas, v.rows)
    print("%d candidates, %d accepted" % (len(v.rows), len(rows)))
    with open(os.path.join(folder, "variants.txt"), "w") as file:
        for k, (classes, outputs, text) in enumerate(rows):
            file.write("%d\t%s\t%s\t%s\n" % (k, classes, outputs, text))
    for group, start in enumerate(range(0, len(rows), GROUP)):
        base = os.path.join(folder, "ops_%d" % group)
        with open(base + ".ptx", "w") as file:
            file.write(HEADER + "".join(kernel("k%d" % (start + k), row)
                                        for k, row in enumerate(rows[start:start + GROUP])))
        subprocess.run([ptxas, "-arch=sm_90", base + ".ptx", "-o", base + ".cubin"], check=True)


main()
