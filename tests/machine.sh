#!/bin/sh
# The command on machine code: disasm, and which form of a file is run. The machine code is that of the guide's record;
# what its control bits say was worked out from its listing by hand.
set -u
guide="$top_srcdir/validate/records/h200/guide"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0
checks=0

fail()
{
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# expect STATUS COMMAND...: stdout in out, stderr in err.
expect()
{
    want=$1
    shift
    checks=$((checks + 1))
    "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    if [ $got -ne "$want" ]; then
        fail "$* exits with $got, not $want"
        sed 's/^/    /' "$work/err"
    fi
}

# has FILE TEXT: the fixed text stands in it.
has()
{
    checks=$((checks + 1))
    grep -qF -- "$2" "$work/$1" || { fail "$1 lacks: $2"; sed 's/^/    /' "$work/$1" | head -n 30; }
}

lacks()
{
    checks=$((checks + 1))
    ! grep -qF -- "$2" "$work/$1" || fail "$1 has: $2"
}

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

echo "$checks checks, $failures failures"
[ $failures -eq 0 ]
