#!/usr/bin/env python3
"""Writes the PTX of the tensor records: one kernel for each instruction variant that ptxas accepts.

usage: generate.py OUTPUT_FOLDER [PTXAS]

Leaves in OUTPUT_FOLDER: variants.txt (one line a variant: number, operand classes, words of output,
tuples whose results are kept, text; tab-separated),
tensor.ptx and tensor.cubin. record.c runs them.

A kernel is run by blocks of one warp; warp w works on tuple w. Its text uses: %i0.. the operands (32 bits, see
tests/tensor_operands.h), %o0.. the results, %f.. %l.. %p..: scratch of 32 and 64 bits and predicates, %lane, %s: the address
of 4096 bytes of shared memory in which halfword n holds n at the start, %g: 4096 bytes of global memory of the same contents
that belong to the warp.
"""
import itertools
import os
import subprocess
import sys

HEADER = ".version 9.0\n.target sm_90a\n.address_size 64\n"


def regs(letter, first, count):
    return "{%s}" % ", ".join("%%%s%d" % (letter, first + k) for k in range(count))


def bits(t):
    return {"bf16": 16, "tf32": 32, "f16": 16, "f32": 32, "f64": 64, "s8": 8, "u8": 8, "s32": 32, "s4": 4, "u4": 4}[t]


def operand_class(t):
    return {"f16": "f16x2", "bf16": "bf16x2", "tf32": "tf32", "f64": "f64", "s8": "s8x4", "u8": "s8x4", "f32": "f32",
            "s32": "s32"}[t]


def raw(out, text, na, nb, nc, nd, classes):
    """An instruction {d}, {a}, {b}, {c} on registers of 32 bits."""
    operands = ", ".join([regs("o", 0, nd), regs("i", 0, na), regs("i", na, nb), regs("i", na + nb, nc)])
    names = "%s:%d,%s:%d,%s:%d" % (classes[0], na, classes[1], nb, classes[2], nc)
    out.append((names, nd, "%s %s;" % (text, operands)))


def raw64(out, text, na, nb, nc, nd):
    """The same on registers of 64 bits."""
    pack = "".join("mov.b64 %%l%d, {%%i%d, %%i%d}; " % (k, 2 * k, 2 * k + 1) for k in range(na + nb + nc))
    unpack = " ".join("mov.b64 {%%o%d, %%o%d}, %%m%d;" % (2 * k, 2 * k + 1, k) for k in range(nd))
    operands = ", ".join([regs("m", 0, nd), regs("l", 0, na), regs("l", na, nb), regs("l", na + nb, nc)])
    out.append(("f64:%d,f64:%d,f64:%d" % (na, nb, nc), 2 * nd, "%s%s %s; %s" % (pack, text, operands, unpack)))


def mma(out):
    shapes = [(8, 8, 4), (8, 8, 16), (8, 8, 32), (16, 8, 4), (16, 8, 8), (16, 8, 16), (16, 8, 32)]
    kinds = [("f16", "f16", "f16", "f16"), ("f32", "f16", "f16", "f32"), ("f32", "bf16", "bf16", "f32"),
             ("f32", "tf32", "tf32", "f32"), ("f64", "f64", "f64", "f64")]
    kinds += [("s32", a, b, "s32") for a in ("s8", "u8") for b in ("s8", "u8")]
    for (m, n, k), (d, a, b, c) in itertools.product(shapes, kinds):
        na, nb, nc = (rows * columns * bits(t) // 32 // 32 for rows, columns, t in ((m, k, a), (k, n, b), (m, n, c)))
        if (m, n, k) == (8, 8, 4) and d != "f64" or min(na, nb, nc) == 0:
            continue
        for sat in ("", ".satfinite") if d == "s32" else ("",):
            text = "mma.sync.aligned.m%dn%dk%d.row.col%s.%s.%s.%s.%s" % (m, n, k, sat, d, a, b, c)
            if d == "f64":
                raw64(out, text, na // 2, nb // 2, nc // 2, nc // 2)
            else:
                raw(out, text, na, nb, nc, nc, (operand_class(a), operand_class(b), operand_class(c) if c != "f16" else "f16x2"))


def wmma_fragment(which, t, m, n, k):
    """Registers of a fragment as ptxas asks for them."""
    if t in ("f16",):
        return 8 if which in "ab" else 4
    if t == "f32" or t == "s32":
        return 8
    if t == "bf16":
        return {(16, 16): 4, (32, 8): (8 if which == "a" else 2), (8, 32): (2 if which == "a" else 8)}[(m, n)]
    if t in ("s8", "u8"):
        return {(16, 16): 2, (32, 8): (4 if which == "a" else 1), (8, 32): (1 if which == "a" else 4)}[(m, n)]
    if t == "tf32":
        return 4
    return 0


def wmma(out):
    shapes = [(16, 16, 16), (32, 8, 16), (8, 32, 16), (16, 16, 8)]
    types = [("f16", "f16"), ("f16", "f32"), ("bf16", "f32"), ("tf32", "f32"), ("s8", "s32"), ("u8", "s32")]
    for m, n, k in shapes:
        shape = "m%dn%dk%d" % (m, n, k)
        for a, c in types:
            if (a == "tf32") != (k == 8):
                continue
            na, nb = wmma_fragment("a", a, m, n, k), wmma_fragment("b", a, m, n, k)
            nc = wmma_fragment("c", c, m, n, k)
            for la, lb in itertools.product(("row", "col"), repeat=2):
                sats = ("", ".satfinite") if c == "s32" else ("",)
                for sat in sats:
                    if c in ("s32",) or a in ("bf16", "tf32"):
                        text = "wmma.mma.sync.aligned.%s.%s.%s.%s.%s.%s.%s%s" % (la, lb, shape, c, a, a, c, sat)
                        raw(out, text, na, nb, nc, nc, (operand_class(a), operand_class(a), operand_class(c)))
                    else:
                        for d in ("f16", "f32"):
                            nd = wmma_fragment("d", d, m, n, k)
                            text = "wmma.mma.sync.aligned.%s.%s.%s.%s.%s%s" % (la, lb, shape, d, c, sat)
                            raw(out, text, na, nb, nc, nd, ("f16x2", "f16x2", "f16x2" if c == "f16" else "f32"))
        loads = [("a", t) for t in ("f16", "bf16", "tf32", "s8", "u8")] + [("b", t) for t in ("f16", "bf16", "tf32", "s8", "u8")]
        loads += [("c", t) for t in ("f16", "f32", "s32")]
        for (which, t), layout in itertools.product(loads, ("row", "col")):
            if (which in "ab") and (t == "tf32") != (k == 8):
                continue
            count = wmma_fragment(which, t, m, n, k)
            rows, columns = {"a": (m, k), "b": (k, n), "c": (m, n)}[which]
            least = columns if layout == "row" else rows
            for stride, space, address in ((", %d" % (least + 128 // bits(t)), ".shared", "%s"), ("", ".global", "%g"),
                                           (", %%n%d" % (least * 2), "", "%g")):
                strided = stride.replace("%n", "")
                head = "" if "%n" not in stride else "mov.u32 %%o15, %s; " % stride.split("%n")[1]
                tail = stride if "%n" not in stride else ", %o15"
                text = "%swmma.load.%s.sync.aligned.%s.%s%s.%s %s, [%s]%s;" % (
                    head, which, layout, shape, space, t, regs("o", 0, count), address, tail)
                out.append(("b32:1", count, text))
            if which == "c":
                for stride, space, address in ((", %d" % (least + 128 // bits(t)), ".shared", "%s"), ("", ".shared", "%s"),
                                               (", %d" % (least + 128 // bits(t)), ".global", "%g")):
                    back = readback(space, address, 20)
                    text = "wmma.store.d.sync.aligned.%s.%s%s.%s [%s], %s%s; %s" % (
                        layout, shape, space, t, address, regs("i", 0, count), stride, back)
                    out.append(("b32:%d" % count, 20, text))


def readback(space, address, words):
    """The first words * 128 bytes of the memory, 32 words at a time."""
    offset = ("mul.wide.u32 %%m0, %%lane, 4; add.u64 %%m0, %s, %%m0; " % address if address == "%g" else
              "mad.lo.u32 %%f0, %%lane, 4, %s; " % address)
    base = "%m0" if address == "%g" else "%f0"
    return "bar.warp.sync 0xffffffff; " + offset + " ".join(
        "ld%s.b32 %%o%d, [%s+%d];" % (space, k, base, 128 * k) for k in range(words))


def matrices(out):
    for count, trans in itertools.product((1, 2, 4), ("", ".trans")):
        out.append(("row:1", count, "add.u32 %%f0, %%s, %%i0; ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 %s, [%%f0];" % (
            count, trans, regs("o", 0, count))))
        out.append(("rows:1,b32:%d" % count, 4,
                    "add.u32 %%f0, %%s, %%i0; stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [%%f0], %s; %s" % (
                        count, trans, regs("i", 1, count), readback(".shared", "%s", 4))))
    out.append(("b32:1", 1, "movmatrix.sync.aligned.m8n8.trans.b16 %o0, %i0;"))


def mbarrier(out):
    """Sequences on one barrier by lane 0: its 64 bits at the end, and what was pending in the states returned. A load sees the
    bits only when mbarrier.inval has been there: so each sequence is recorded at each of its lengths."""
    look = "mbarrier.inval.shared.b64 [%%s]; ld.volatile.shared.b64 %%l0, [%%s]; mov.b64 {%%o%d, %%o%d}, %%l0; "
    give = "mbarrier.pending_count.b64 %%o%d, %%m0; "
    init = "mbarrier.init.shared.b64 [%s], %f0; "
    first = "setp.ne.u32 %p0, %lane, 0; @%p0 bra END; "

    def add(count, steps):
        for length in range(len(steps) + 1):
            text, n = first + count + init, 2
            for step in steps[:length]:
                text += step + " "
                if "%m0" in step:
                    text += give % n
                    n += 1
            out.append(("b32:4", n, text + look % (0, 1) + "END:"))

    small = "and.b32 %f0, %i0, 7; add.u32 %f0, %f0, 2; "
    any_count = "and.b32 %f0, %i0, 0xfffff; max.u32 %f0, %f0, 64; "
    arrive = "mbarrier.arrive.shared.b64 %m0, [%s];"
    add(any_count, ["and.b32 %f1, %i1, 31; add.u32 %f1, %f1, 1; mbarrier.arrive.shared.b64 %m0, [%s], %f1;", arrive,
                    "mbarrier.arrive_drop.shared.b64 %m0, [%s];"])
    add(small, [arrive] * 6)
    add("mov.u32 %f0, 1; ", [arrive] * 6)
    add("mov.u32 %f0, 0xfffff; ", [arrive])
    add("mov.u32 %f0, 3; ", [arrive, "mbarrier.arrive_drop.shared.b64 %m0, [%s];", arrive, arrive, arrive, arrive])
    add("mov.u32 %f0, 3; ", ["mbarrier.arrive.noComplete.shared.b64 %m0, [%s], 1;",
                             "mbarrier.arrive_drop.noComplete.shared.b64 %m0, [%s], 1;", arrive, arrive])
    tx = "and.b32 %f1, %i1, 0xffff; "
    add(small, [tx + "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%s], %f1;", arrive,
                "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%s], %f1;", arrive, arrive, arrive])
    add("mov.u32 %f0, 1; ", [tx + "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %m0, [%s], %f1;",
                             "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%s], %f1;", arrive])
    add("mov.u32 %f0, 1; ", ["mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%s], 1048575;", arrive,
                             "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%s], 1048575;"])
    add("mov.u32 %f0, 2; ", ["mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%s], 16;", arrive,
                             "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%s], 16;", arrive, arrive])
    # what test_wait, try_wait and pending_count say
    tests = ("mbarrier.test_wait.shared.b64 %p1, [%s], %m0; selp.u32 %o{0}, 1, 0, %p1; "
             "mbarrier.test_wait.parity.shared.b64 %p1, [%s], 0; selp.u32 %o{1}, 1, 0, %p1; "
             "mbarrier.test_wait.parity.shared.b64 %p1, [%s], 1; selp.u32 %o{2}, 1, 0, %p1; "
             "mbarrier.pending_count.b64 %o{3}, %m0; ")
    text = first + "mov.u32 %f0, 3; " + init
    for k in range(4):
        text += arrive + " " + tests.format(*range(4 * k, 4 * k + 4))
    out.append(("b32:1", 16, text + "END:"))
    text = first + "mov.u32 %f0, 2; " + init + arrive + " " + arrive
    text += (" mbarrier.try_wait.parity.shared.b64 %p1, [%s], 0; selp.u32 %o0, 1, 0, %p1;"
             " mbarrier.try_wait.parity.shared.b64 %p1, [%s], 1; selp.u32 %o1, 1, 0, %p1;"
             " mbarrier.try_wait.shared.b64 %p1, [%s], %m0; selp.u32 %o2, 1, 0, %p1;"
             " mbarrier.try_wait.parity.shared.b64 %p1, [%s], 1, 100; selp.u32 %o3, 1, 0, %p1; ")
    out.append(("b32:1", 4, text + "END:"))
    # all lanes at once
    out.append(("b32:1", 4, "mov.u32 %f0, 64; setp.eq.u32 %p0, %lane, 0; @%p0 mbarrier.init.shared.b64 [%s], %f0; "
                "bar.warp.sync 0xffffffff; mbarrier.arrive.shared.b64 _, [%s]; bar.warp.sync 0xffffffff; "
                "mbarrier.arrive.shared.b64 %m0, [%s]; mbarrier.pending_count.b64 %o2, %m0; "
                "bar.warp.sync 0xffffffff; @%p0 " + look % (0, 1) + "mov.b32 %o3, 0;"))


def copies(out):
    """cp.async: what it copies and what it fills with zeros."""
    for cache, size in (("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)):
        place = "and.b32 %%f0, %%i0, 31; mad.lo.u32 %%f1, %%lane, %d, %%s; mul.wide.u32 %%m0, %%f0, %d; add.u64 %%m0, %%g, %%m0; " % (
            size, size)
        wait = " cp.async.commit_group; cp.async.wait_group 0; "
        back = readback(".shared", "%s", 4)
        head = "cp.async.%s.shared.global" % cache
        out.append(("b32:2", 4, place + "%s [%%f1], [%%m0], %d;" % (head, size) + wait + back))
        out.append(("b32:2", 4, place + "and.b32 %%f2, %%i1, %d; min.u32 %%f2, %%f2, %d; " % (2 * size - 1, size) +
                    "%s [%%f1], [%%m0], %d, %%f2;" % (head, size) + " cp.async.wait_all; " + back))
        out.append(("b32:2", 4, place + "and.b32 %f2, %i1, 1; setp.ne.u32 %p0, %f2, 0; " +
                    "%s [%%f1], [%%m0], %d, %%p0;" % (head, size) + wait + back))


REGISTERS = ("\t.reg .pred %p<4>;\n\t.reg .b32 %i<40>, %o<40>, %f<8>, %lane, %w, %s, %n, %t;\n"
             "\t.reg .b64 %l<16>, %m<8>, %g, %in, %out, %at;\n")


def kernel(name, row):
    classes, words, text = row
    count = sum(int(part.split(":")[1]) * (2 if part.startswith("f64") else 1) for part in classes.split(","))
    out = [".visible .entry %s(.param .u64 in, .param .u64 out, .param .u64 memory)\n{\n" % name, REGISTERS,
           "\t.shared .align 128 .b8 cell[4096];\n",
           "\tmov.u32 %lane, %tid.x; mov.u32 %w, %ctaid.x; mov.u32 %s, cell;\n",
           "\tld.param.u64 %g, [memory]; mul.wide.u32 %at, %w, 4096; add.u64 %g, %g, %at;\n",
           "\tmad.lo.u32 %t, %lane, 4, %s; mul.wide.u32 %l0, %lane, 4; add.u64 %l0, %g, %l0;\n",
           "\tmad.lo.u32 %n, %lane, 0x20002, 0x10000;\n"]
    for k in range(32): # halfword 2 w of word w is 2 w, the next 2 w + 1
        out.append("\tst.shared.b32 [%%t+%d], %%n; st.global.b32 [%%l0+%d], %%n; add.u32 %%n, %%n, 0x400040;\n" % (
            128 * k, 128 * k))
    out.append("\tbar.sync 0;\n\tld.param.u64 %%in, [in]; mul.wide.u32 %%at, %%w, %d; add.u64 %%in, %%in, %%at;\n"
               "\tmul.wide.u32 %%at, %%lane, 4; add.u64 %%in, %%in, %%at;\n" % (count * 128))
    for k in range(count):
        out.append("\tld.global.b32 %%i%d, [%%in+%d];\n" % (k, 128 * k))
    for k in range(words):
        out.append("\tmov.b32 %%o%d, 0;\n" % k)
    out.append("\t" + text + "\n")
    out.append("\tld.param.u64 %%out, [out]; mul.wide.u32 %%at, %%w, %d; add.u64 %%out, %%out, %%at;\n"
               "\tmul.wide.u32 %%at, %%lane, 4; add.u64 %%out, %%out, %%at;\n" % (words * 128))
    for k in range(words):
        out.append("\tst.global.b32 [%%out+%d], %%o%d;\n" % (128 * k, k))
    return "".join(out) + "\tret;\n}\n"


def stored(text):
    """Tuples whose results are kept: more where rounding is to be seen."""
    return 22 if "mma.sync" in text and "wmma" not in text and ".s32." not in text else 2


def accepted(folder, ptxas, rows):
    good = []
    path = os.path.join(folder, "probe.ptx")
    for row in rows:
        with open(path, "w") as file:
            file.write(HEADER + kernel("k", row))
        done = subprocess.run([ptxas, "-O0", "-arch=sm_90a", path, "-o", os.devnull], capture_output=True, text=True)
        if done.returncode == 0:
            good.append(row)
        else:
            print("not accepted: %s\n    %s" % (row[2], done.stderr.strip().split("\n")[0]))
    os.remove(path)
    return good


def main():
    folder = sys.argv[1]
    ptxas = sys.argv[2] if len(sys.argv) > 2 else "ptxas"
    rows = []
    for make in (mma, wmma, matrices, mbarrier, copies):
        make(rows)
    os.makedirs(folder, exist_ok=True)
    good = accepted(folder, ptxas, rows)
    print("%d candidates, %d accepted" % (len(rows), len(good)))
    with open(os.path.join(folder, "variants.txt"), "w") as file:
        for k, (classes, words, text) in enumerate(good):
            file.write("%d\t%s\t%d\t%d\t%s\n" % (k, classes, words, stored(text), text))
    base = os.path.join(folder, "tensor")
    with open(base + ".ptx", "w") as file:
        file.write(HEADER + "".join(kernel("k%d" % k, row) for k, row in enumerate(good)))
    subprocess.run([ptxas, "-arch=sm_90a", base + ".ptx", "-o", base + ".cubin"], check=True)


main()
