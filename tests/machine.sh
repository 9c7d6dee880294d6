#!/bin/sh
# The command on machine code: disasm, and which form of a file is run. The machine code is that of the guide's record;
# what its control bits say was worked out from its listing by hand.
set -u
guide="$top_srcdir/validate/records/h200/guide"
. "$SRCDIR/tests/support.sh"

# A fault tells the instruction by the offset that the listing has, in every form of report, and findings do too. What a
# block has of registers is of the code: 12, of which an H200 makes 16.
vecadd="--grid 2 --block 64 --arg f32[128]=zero --arg f32[64]=zero --arg f32[128]=zero --arg s32=128"
# shellcheck disable=SC2086 # words
expect 1 "$SIMTLAB" run "$guide/guide.cubin" vecAdd $vecadd
has out 'code     LDG.E R4, desc[UR4][R4.64] ;   (offset 0xf0)'
has out 'the code has 12, the card gives no fewer than 16'
lacks out 'PTX'
lacks out "instruction 15"
# shellcheck disable=SC2086
expect 1 "$SIMTLAB" run "$guide/guide.cubin" vecAdd $vecadd --format json
has out '"pc": 240, "block": [1, 0, 0]'
has out '"pc": 240, "text": "LDG.E R4, desc[UR4][R4.64] ;"'
# shellcheck disable=SC2086
expect 1 "$SIMTLAB" run "$guide/guide.cubin" vecAdd $vecadd --check=init --format html
lacks out 'estimate from the PTX'
expect 0 "$SIMTLAB" occupancy "$guide/guide.cubin" vecAdd --block 256
has out 'the code has 12, the card gives no fewer than 16'
lacks out 'PTX'
expect 0 "$SIMTLAB" occupancy "$guide/guide.cubin" vecAdd --block 256 --format json
has out '"registers_from": "machine code", "registers_of_code": 12'

# disasm: the CUDA line, the PTX, the instruction; the bits of 0x000fe40000000a00 and the like in columns.
expect 0 "$SIMTLAB" disasm "$guide/guide.cubin" vecAdd
has out "vecAdd: kernel for sm_90, 12 registers a thread"
has out "guide.cu:7  __global__ void vecAdd(float* A, float* B"
has out "    ptx 51  mov.u32 %r3, %tid.x;"
has out "        0010  S2R R9, SR_TID.X"
has out "        0070  @P0 EXIT"
lacks out "reduceSum"
expect 0 "$SIMTLAB" disasm --control "$guide/guide.cubin" vecAdd
has out "        0010      1    -    0    -  ------  ----  S2R R9, SR_TID.X"
has out "        0040      1    -    -    -  0-----  ----  IMAD R9, R0, UR4, R9"
has out "        0060     13    y    -    -  ------  ----  ISETP.GE.AND P0, PT, R9, UR4, PT"
expect 0 "$SIMTLAB" disasm "$guide/guide.cubin"
checks=$((checks + 1))
[ "$(grep -c '^[A-Za-z0-9_]*: kernel for sm_90' "$work/out")" -eq 28 ] || fail "the guide has 28 kernels"
expect 0 "$SIMTLAB" disasm --format json "$guide/guide.cubin" vecAdd
has out '"form": "sass", "target": "sm_90"'
has out '"pc": 16, "text": "S2R R9, SR_TID.X ;"'
has out '"line": 7, "ptx_line": 51, "ptx": "mov.u32 \t%r3, %tid.x;"'
has out '"encoding": "0x000e2200000021000000000000097919"'
has out '"control": {"stall_cycles": 13, "yield": true, "wait": [], "reuse": []}'
# A listing alone has neither.
cp "$guide/guide.sass" "$work/alone.sass"
expect 0 "$SIMTLAB" disasm "$work/alone.sass" vecAdd
has out "vecAdd: kernel for sm_90"
lacks out "registers"
lacks out "ptx"
expect 0 "$SIMTLAB" disasm --format json "$guide/guide.ptx" vecAdd
has out '"form": "ptx"'
has out '"name": "vecAdd", "kernel": true'
has out '"text": "mov.u32 %r3, %tid.x;"'
expect 2 "$SIMTLAB" disasm --format csv "$guide/guide.cubin"
has err "expected text|json"

# A cubin without a disassembler: the listing beside it, else one error that names both ways.
run="run $work/g.cubin vecAdd --grid 1 --block 32 --arg f32[32]=iota --arg f32[32]=iota --arg f32[32]=zero --arg s32=32"
cp "$guide/guide.cubin" "$work/g.cubin"
expect 2 env PATH=/nonexistent "$SIMTLAB" $run
has err "cuobjdump or nvdisasm on the PATH"
has err "beside it, with the ending .sass"
cp "$guide/guide.sass" "$work/g.sass"
expect 0 env PATH=/nonexistent "$SIMTLAB" $run --format json
has out '"form": "sass"'
# By its content, whatever it is called. 32 lanes of four bytes: four sectors.
cp "$work/g.cubin" "$work/other"
cp "$work/g.sass" "$work/other.sass"
expect 0 env PATH=/nonexistent "$SIMTLAB" run "$work/other" vecAdd --grid 1 --block 32 --arg 'f32[32]=iota' \
    --arg 'f32[32]=iota' --arg 'f32[32]=zero' --arg s32=32 --format json
has out '"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": 4'
# What holds a cubin, or nothing.
expect 2 "$SIMTLAB" run "$SIMTLAB" --grid 1 --block 1
has err "cuobjdump -xelf all"
printf 'P\355U\272\001\000\020\000' >"$work/x.fatbin"
expect 2 "$SIMTLAB" run "$work/x.fatbin" --grid 1 --block 1
has err "cuobjdump -xelf all"
head -c 1000 "$work/g.cubin" >"$work/cut.cubin"
cp "$work/g.sass" "$work/cut.sass"
expect 2 env PATH=/nonexistent "$SIMTLAB" run "$work/cut.cubin" vecAdd --grid 1 --block 1
has err "cut.cubin: not a cubin"

# Another architecture, another card: errors.
sed 's/sm_90/sm_80/' "$work/g.sass" >"$work/old.sass"
expect 2 "$SIMTLAB" disasm "$work/old.sass"
has err "machine code of sm_80 is not supported"
for device in b200 a100; do
    expect 2 env PATH=/nonexistent "$SIMTLAB" $run --device $device
    has err "no kernel image is available for execution on the device"
    has err "--device $device has"
done
expect 0 env PATH=/nonexistent "$SIMTLAB" $run --device h100

# A listing alone does not tell what its cubin does.
expect 0 "$SIMTLAB" resources "$work/alone.sass" vecAdd
has out "registers a thread   n/a"
has out "static shared, bytes n/a"
# shellcheck disable=SC2086 # words
expect 2 "$SIMTLAB" run "$work/alone.sass" vecAdd $vecadd
has err "the listing does not tell what vecAdd takes: put its cubin beside it"
lacks err "too many arguments"
expect 0 "$SIMTLAB" resources "$work/alone.sass" vecAdd --regs 12 --shared-static 256
has out "registers a thread   12"
has out "static shared, bytes 256"
expect 0 env PATH=/nonexistent "$SIMTLAB" resources "$work/g.cubin" vecAdd
has out "registers a thread   12"
has out "static shared, bytes 0"

# A .cu file, in either form, with what is installed. Nothing stays behind.
mkdir "$work/tmp"
cat >"$work/t.cu" <<'END'
__global__ void twice(float *a) { a[threadIdx.x] = 2.0f * a[threadIdx.x]; }
END
echo '__global__ void broken(' >"$work/broken.cu"
twice="$work/t.cu twice --grid 1 --block 32 --arg f32[32]=iota --format json"
expect 2 env PATH=/nonexistent "$SIMTLAB" run $twice --form sass
has err "needs nvcc"
nvcc=$(command -v nvcc)
folder=${nvcc%/nvcc}
if [ -z "$nvcc" ]; then
    echo "nvcc is not installed: CUDA source to machine code is not tested"
elif command -v cuobjdump >/dev/null || command -v nvdisasm >/dev/null || [ -x "$folder/cuobjdump" ] ||
    [ -x "$folder/nvdisasm" ]; then
    expect 0 env TMPDIR="$work/tmp" "$SIMTLAB" run $twice
    has out '"form": "sass"'
    has out '"smsp__inst_executed_op_global_st.sum": 1,'
    has out '"line": 1,'
    expect 0 env TMPDIR="$work/tmp" "$SIMTLAB" run $twice --device b200
    has out '"form": "ptx"'
    expect 2 env TMPDIR="$work/tmp" "$SIMTLAB" run "$work/broken.cu" --grid 1 --block 32
    has err "broken.cu(1): error"
    has err "could not compile"
    echo '__global__ void wrong() { asm volatile("foo.bar;"); }' >"$work/wrong.cu"
    expect 2 env TMPDIR="$work/tmp" "$SIMTLAB" run "$work/wrong.cu" --grid 1 --block 32
    has err "ptxas the PTX of $work/wrong.cu, line"
    lacks err "$work/tmp"
else
    echo "no disassembler is installed: CUDA source to machine code is not tested"
    expect 2 "$SIMTLAB" run $twice --form sass
    has err "neither cuobjdump nor nvdisasm"
fi
# A compiler without a disassembler: what is missing is told, and no file that could stand beside a .cu.
mkdir "$work/alone"
printf '#!/bin/sh\nexit 0\n' >"$work/alone/nvcc" && chmod +x "$work/alone/nvcc"
expect 2 env PATH="$work/alone" "$SIMTLAB" run $twice --form sass
has err "t.cu: its machine code cannot be read, for neither cuobjdump nor nvdisasm is on the PATH or beside nvcc"
has err "--form ptx"
lacks err ".sass"
if [ -n "$nvcc" ]; then
    expect 0 env TMPDIR="$work/tmp" "$SIMTLAB" run $twice --form ptx
    has out '"form": "ptx"'
fi
checks=$((checks + 1))
[ -z "$(ls "$work/tmp")" ] || fail "temporary files stay behind: $(ls "$work/tmp")"

echo "machine: $checks checks, $failures failures"
[ $failures -eq 0 ]
