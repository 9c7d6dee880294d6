#!/usr/bin/env python3
"""Makes machine/ of index.txt: its variants as machine code. usage: machine.py (ptxas and cuobjdump on PATH)

Kernel kI is line I of index.txt, from 0: generate.py's kernel of that text, with the memory filled in a loop and only
where the text has an address, which keeps the listing small.
"""
import gzip
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = """.visible .entry %(name)s(.param .u64 in, .param .u64 out, .param .u64 memory)
{
	.reg .pred %%p<4>; .reg .b32 %%i<40>, %%o<40>, %%f<8>, %%lane, %%w, %%s, %%n, %%t, %%k;
	.reg .b64 %%l<16>, %%m<8>, %%g, %%in, %%out, %%at; .reg .pred %%q;
	.shared .align 128 .b8 cell[4096];
	mov.u32 %%lane, %%tid.x; mov.u32 %%w, %%ctaid.x; mov.u32 %%s, cell;
	ld.param.u64 %%g, [memory]; mul.wide.u32 %%at, %%w, 4096; add.u64 %%g, %%g, %%at;
	mad.lo.u32 %%t, %%lane, 4, %%s; mul.wide.u32 %%l0, %%lane, 4; add.u64 %%l0, %%g, %%l0;
	mad.lo.u32 %%n, %%lane, 0x20002, 0x10000; mov.u32 %%k, 0;
"""
FILL = """FILL: st.shared.b32 [%t], %n; st.global.b32 [%l0], %n; add.u32 %n, %n, 0x400040;
	add.u32 %t, %t, 128; add.u64 %l0, %l0, 128; add.u32 %k, %k, 1;
	setp.lt.u32 %q, %k, 32; @%q bra FILL;
"""
PLACE = "\tmul.wide.u32 %%at, %%w, %d; add.u64 %%%s, %%%s, %%at; mul.wide.u32 %%at, %%lane, 4; add.u64 %%%s, %%%s, %%at;\n"


def words_of(classes):
    return sum(int(part.split(":")[1]) * (2 if part.startswith("f64") else 1) for part in classes.split(","))


def kernel(name, classes, words, text):
    inputs = words_of(classes)
    out = [HEAD % {"name": name}]
    if "[%" in text:
        out.append(FILL)
    out.append("\tbar.sync 0; ld.param.u64 %in, [in];\n" + PLACE % ((inputs * 128,) + ("in",) * 4))
    out += ["\tld.global.b32 %%i%d, [%%in+%d];\n" % (k, k * 128) for k in range(inputs)]
    out += ["\tmov.b32 %%o%d, 0;\n" % k for k in range(words)]
    out.append("\t%s\n\tld.param.u64 %%out, [out];\n" % text + PLACE % ((words * 128,) + ("out",) * 4))
    out += ["\tst.global.b32 [%%out+%d], %%o%d;\n" % (k * 128, k) for k in range(words)]
    return "".join(out) + "\tret;\n}\n"


def pack(path, data):
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(data)


def main():
    rows = [line.rstrip("\n").split("\t") for line in open(os.path.join(HERE, "index.txt"))]
    folder = os.path.join(HERE, "machine")
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        ptx, cubin = os.path.join(scratch, "tensor.ptx"), os.path.join(scratch, "tensor.cubin")
        with open(ptx, "w") as file:
            file.write(".version 9.0\n.target sm_90a\n.address_size 64\n")
            file.writelines(kernel("k%d" % i, row[4], int(row[5]), row[6]) for i, row in enumerate(rows))
        subprocess.run(["ptxas", "-arch=sm_90a", ptx, "-o", cubin], check=True)
        listing = subprocess.run(["cuobjdump", "-sass", cubin], check=True, capture_output=True).stdout
        pack(os.path.join(folder, "tensor.cubin.gz"), open(cubin, "rb").read())
        pack(os.path.join(folder, "tensor.sass.gz"), listing)


main()
