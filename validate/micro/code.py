#!/usr/bin/env python3
"""Writes NAME.cubin, the kernels of code.cu, and configs.h, its launches (needs ptxas, nvcc and cuobjdump).

A kernel is so many lines of 128 bytes, each with a stamp: a reading of the clock, its store to shared memory, six fma.
straight_N runs through N lines. In the others a branch stands in the place of some lines' last instruction, put into
the cubin: jump_S goes on S lines further after each line, run_K 32 lines further after K lines, back_1 to the line
before. They begin behind FIRST lines, which a launch brings along. call_up and call_down call 24 functions of 1 KB,
compiled with -G, in the order in which they are written, or the other way round.
"""
import re
import struct
import subprocess

FIRST = 512
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 buf[];\n"
FUNCTIONS = 24


def runs(count, step, times):
    return [0] + [FIRST + step * i + j for i in range(times) for j in range(count)] + [FIRST + step * times]


KERNELS = {"straight_%d" % n: (n, []) for n in (128, 256, 320, 512, 1024, 1280, 1536, 2048)}
KERNELS.update({"jump_%d" % s: (FIRST + 64 * s + 1, runs(1, s, 64)) for s in (2, 4, 8, 9, 10, 12, 16)})
KERNELS.update({"run_%d" % k: (FIRST + 32 * 40 + 1, runs(k, 32, 40)) for k in (8, 24)})
KERNELS["back_1"] = (FIRST + 130, [0] + list(range(FIRST + 128, FIRST, -1)) + [FIRST + 129])
KERNELS["evict"] = (4096, [])


def ptx(lines, pad):
    code = [HEAD + ".visible .entry k(.param .u64 out, .param .u32 passes, .param .u32 apart, "
            ".param .u32 of_warps)\n.maxntid 1024, 1, 1\n{",
            ".reg .pred %p<8>; .reg .b32 %r<40>; .reg .b64 %d<8>; .reg .f32 %f<16>; .reg .b32 %c;",
            "ld.param.u64 %d0, [out]; ld.param.u32 %r0, [passes]; ld.param.u32 %r1, [apart];",
            "ld.param.u32 %r2, [of_warps];",
            "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %tid.x; shr.u32 %r5, %r4, 5; and.b32 %r6, %r4, 31;",
            "mov.u32 %r7, %ntid.x; shr.u32 %r7, %r7, 5;"]
    code += ["cvt.rn.f32.u32 %%f%d, %%r%d;" % (i, i % 4) for i in range(8)]
    code += ["mov.u32 %%r8, buf; mul.lo.u32 %%r9, %%r0, %d; mul.lo.u32 %%r9, %%r9, %%r5;" % (4 * lines),
             "add.u32 %r8, %r8, %r9; mov.u32 %r10, %r8; mov.u32 %r11, 0; mul.lo.u32 %r12, %r3, %r1;",
             "mad.lo.u32 %r12, %r5, %r2, %r12;",
             "mul.lo.u32 %%r30, %%r0, %d; mul.lo.u32 %%r30, %%r30, %%r7; mov.u32 %%r31, %%nctaid.x;" % lines,
             "mad.lo.u32 %r30, %r30, %r31, %r3; mul.wide.u32 %d4, %r30, 4; add.u64 %d4, %d0, %d4;",
             "mov.u32 %r32, %smid; st.global.u32 [%d4], %r32;"  # behind the stamps
             ]
    code += ["st.volatile.shared.u32 [%r10], %r5;"] * pad
    code += ["bar.sync 0; mov.u32 %r13, %clock;",
             "SPIN: mov.u32 %r14, %clock; sub.u32 %r14, %r14, %r13; setp.lt.u32 %p1, %r14, %r12; @%p1 bra SPIN;",
             "LOOP:"]
    for i in range(lines):
        code.append("mov.u32 %c, %clock;")
        code += ["fma.rn.f32 %%f%d, %%f%d, %%f7, %%f7;" % (k, k) for k in range(6)]
        code.append("st.volatile.shared.u32 [%%r10+%d], %%c;" % (4 * i))
    code += ["add.u32 %%r10, %%r10, %d; add.u32 %%r11, %%r11, 1;" % (4 * lines),
             "setp.lt.u32 %p2, %r11, %r0; @%p2 bra LOOP;",
             "mul.lo.u32 %%r20, %%r0, %d; mad.lo.u32 %%r21, %%r3, %%r7, %%r5; mul.lo.u32 %%r22, %%r21, %%r20;" % lines,
             "mul.wide.u32 %d1, %r22, 4; add.u64 %d1, %d0, %d1; mov.u32 %r23, %r6; bar.warp.sync -1;",
             "COPY: setp.ge.u32 %p3, %r23, %r20; @%p3 bra DONE; shl.b32 %r24, %r23, 2; add.u32 %r25, %r8, %r24;",
             "ld.shared.u32 %r26, [%r25]; cvt.u64.u32 %d2, %r24; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r26;",
             "add.u32 %r23, %r23, 32; bra COPY;", "DONE: setp.ne.u32 %p4, %r0, 77; @%p4 bra END;"]
    code += ["st.global.f32 [%%d0+%d], %%f%d;" % (4 * k, k) for k in range(8)]
    return "\n".join(code + ["END: ret;\n}"])


def stamps(name):
    """Addresses of the stamps."""
    text = subprocess.run(["cuobjdump", "-sass", name], capture_output=True, text=True, check=True).stdout
    return [int(m[1], 16) for m in re.finditer(r"/\*([0-9a-f]{4,})\*/\s+CS2R\.32 [^;]*CLOCKLO", text)]


def text_at(data):
    """Where the code lies in a cubin."""
    heads, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3a)
    head = lambda i: struct.unpack_from("<IIQQQQ", data, heads + i * size)
    strings = head(names)[4]
    return next(head(i)[4] for i in range(count) if data[strings + head(i)[0]:].startswith(b".text.k\0"))


def put_branches(cubin, order, first):
    data = bytearray(open(cubin, "rb").read())
    text = text_at(bytes(data))
    for here, there in zip(order, order[1:]):
        if there == here + 1:
            continue
        at = first + 128 * here + 112
        distance = (first + 128 * there - at - 16) // 4
        low = 0x7947 | (distance & 0xff) << 16 | ((distance >> 8) & 0x3fffffff) << 34
        high = 0x000fea0003800000 | (0x3ffff if distance < 0 else 0)
        assert struct.unpack_from("<H", data, text + at)[0] == 0x7223  # an fma
        struct.pack_into("<QQ", data, text + at, low, high)
    open(cubin, "wb").write(data)


def build(name, lines, order):
    pad = 4
    for _ in range(3):  # until the stamps stand at the beginnings of lines
        open(name + ".ptx", "w").write(ptx(lines, pad))
        subprocess.check_call(["ptxas", "-arch=sm_90", name + ".ptx", "-o", name + ".cubin"])
        at = stamps(name + ".cubin")
        if at[-1] % 128 == 0:
            break
        pad += (128 - at[-1] % 128) // 16
    assert len(at) == lines and {b - a for a, b in zip(at, at[1:])} == {128} and at[0] == 0x300
    put_branches(name + ".cubin", order, at[0])


def build_calls(name, order):
    now = 'asm volatile("mov.u32 %0, %%clock;" : "=r"(t));'
    work = 'asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(a));' * 8
    text = ["typedef unsigned u32;", "extern __shared__ u32 buf[];",
            "__device__ __forceinline__ u32 now() { u32 t; %s return t; }" % now]
    text += ['extern "C" __device__ __noinline__ u32 f%d(float *p)\n'
             '{ u32 t = now(); float a = *p; %s *p = a; return t; }' % (i, work) for i in range(FUNCTIONS)]
    text += ['extern "C" __global__ void __launch_bounds__(1024) k(u32 *out, u32 passes, u32 apart, u32 of_warps)',
             "{ float a = 1; u32 *b = buf; for (u32 r = 0; r < passes; r++, b += %d) {" % (2 * FUNCTIONS)]
    text += ["b[%d] = now(); b[%d] = f%d(&a);" % (2 * i, 2 * i + 1, f) for i, f in enumerate(order)]
    text += ["} for (u32 i = threadIdx.x; i < passes * %d; i += 32) out[i] = buf[i]; if (passes == 77) *out = a; }" %
             (2 * FUNCTIONS)]
    open(name + ".cu", "w").write("\n".join(text))
    subprocess.check_call(["nvcc", "-arch=sm_90", "-G", "-w", "-cubin", "-o", name + ".cubin", name + ".cu"])


def main():
    configs = []
    for name, (lines, order) in KERNELS.items():
        build(name, lines, order)
        order = order or range(lines)
        if name != "evict":
            configs.append('{"%s", %d, 3, 1, 0, {%s}},' % (name, lines, ", ".join(map(str, order))))
    for name, order in ("call_up", range(FUNCTIONS)), ("call_down", range(FUNCTIONS)[::-1]):
        build_calls(name, order)
        configs.append('{"%s", %d, 3, 1, 0, {%s}},' % (name, 2 * FUNCTIONS, ", ".join(map(str, range(2 * FUNCTIONS)))))
    lines = ", ".join(map(str, range(1024)))
    configs += ['{"straight_1024", 1024, 2, %d, 0, {%s}},' % (blocks, lines) for blocks in (4, 16, 132)]
    configs.append('{"straight_2048", 2048, 1, 132, 600000, {%s}},' % ", ".join(map(str, range(2048))))
    open("configs.h", "w").write("\n".join(configs) + "\n")


if __name__ == "__main__":
    main()
