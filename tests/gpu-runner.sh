#!/bin/sh
# cuda/runner, which launches lists on a real GPU, with the simulator behind the driver's interface
# (cuda/simulated_driver.c): what it passes, fills and reads back is what `simtlab batch` does with the same list.
: "${SRCDIR:=.}" "${BUILDDIR:=.}" "${SIMTLAB:=./simtlab}"
runner=$BUILDDIR/cuda/runner_simulated
[ -x "$runner" ] || {
    echo "skipped: cuda/runner is not built: no CUDA toolkit"
    exit 77
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0

fail()
{
    echo "FAILED: $*"
    failed=1
}

# The lines that the runner should print for a list.
expected()
{
    "$SIMTLAB" batch "$@" 2>/dev/null | awk -f "$SRCDIR/tests/runner-lines.awk"
}

# same STATUS LEAST LIST [OPTION]...: at least LEAST buffers, all equal, and this exit status.
same()
{
    status=$1 least=$2 list=$3
    shift 3
    expected "$@" "$list" >"$work/expected"
    "$runner" "$@" "$list" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$status" ] || fail "$list $*: exit status $got: $(head -3 "$work/err")"
    grep ' fnv=' "$work/out" >"$work/lines"
    [ "$(wc -l <"$work/lines")" -ge "$least" ] || fail "$list $*: only $(wc -l <"$work/lines") buffers"
    cmp -s "$work/expected" "$work/lines" || fail "$list $*: $(diff "$work/expected" "$work/lines" | head -4)"
}

# Every kind of argument; clusters, cooperation, dynamic shared memory.
same 0 16 "$SRCDIR/kernels/numba/numba.cases"
same 0 9 "$SRCDIR/kernels/kernels.cases" --only vecAdd_1000 --only constcompute --only const_lane --only clusterHist_c4 \
    --only transpose_naive_1000
kernels=$(cd "$SRCDIR/kernels" && pwd)
file=$kernels/vecadd.ptx
printf 'abcdabcd' >"$work/eight"
cat >"$work/bytes.ptx" <<'PTX'
.version 7.8
.target sm_90
.address_size 64
.global .align 8 .f64 scale[2] = {1.0, 1.0};
.visible .entry _Z5mixedPff4pairPd(.param .u64 out, .param .f32 add, .param .align 4 .b8 pair[8], .param .u64 nothing)
{
    .reg .b64 %rd<5>;
    .reg .b32 %r<5>;
    .reg .f64 %fd<4>;
    .reg .f32 %f<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [nothing];
    ld.param.f32 %f1, [add];
    ld.param.u32 %r1, [pair+4];
    ld.global.f64 %fd1, [scale+8];
    cvt.rn.f32.f64 %f2, %fd1;
    fma.rn.f32 %f3, %f1, %f2, %f2;
    st.global.f32 [%rd1], %f3;
    st.global.u32 [%rd1+4], %r1;
    st.global.u64 [%rd1+8], %rd2;
    st.global.f64 [scale], %fd1;
    ld.global.f64 %fd2, [scale+8];
    add.f64 %fd2, %fd2, 0d3ff0000000000000;
    st.global.f64 [scale+8], %fd2;
    ret;
}
PTX
cat >"$work/kinds.cases" <<CASES
pointer $file vecAdd grid=1 block=32 f32[64]=iota &0+128 f32[32]=zero s32=32
mixed bytes.ptx mixed grid=1 block=1 u32[4]=none f32=1.5 bytes[8]=file:eight null symbol:scale=const:2.5
mangled bytes.ptx _Z5mixedPff4pairPd grid=1 block=1 u32[4]=const:9 f32=inf bytes[8]=file:eight null symbol:scale=iota
plain bytes.ptx mixed grid=1 block=1 u32[4]=zero f32=0x1p-3 bytes[8]=file:eight null
CASES
same 0 5 "$work/kinds.cases"

# Each run has a module and buffers of its own; a difference would be told.
"$runner" --repeat 3 --dump "$work" "$work/kinds.cases" >"$work/again" 2>"$work/err" || fail "--repeat: $(cat "$work/err")"
cmp -s "$work/again" "$work/out" || fail "--repeat: $(diff "$work/out" "$work/again" | head -3)"
[ "$(tail -c +5 "$work/mixed.arg0.bin" | head -c 4)" = abcd ] || fail "--dump: not the bytes that were passed"

# A fault ends one launch only, and shared buffers outlive it.
cat >"$work/faults.cases" <<CASES
first $file vecAdd grid=1 block=32 f32[32]=iota @sum:f32[32]=const:1 @sum:f32[32]=const:7 s32=32
beyond $file vecAdd grid=1 block=32 f32[32]=iota f32[16]=iota f32[32]=zero s32=32
after $file vecAdd grid=1 block=32 f32[32]=iota @sum:f32[32]=zero f32[32]=zero s32=32
CASES
same 1 6 "$work/faults.cases"
[ "$(grep -c '^beyond fault: kernel: CUDA_ERROR_' "$work/out")" -eq 1 ] || fail "the fault is not told: $(cat "$work/out")"
"$runner" --one-process "$work/faults.cases" >"$work/out" 2>&1
[ $? -eq 1 ] && ! grep -q '^after' "$work/out" || fail "--one-process goes on after a fault"

# What is no launch is told, and the next runs.
cat >"$work/wrong.cases" <<CASES
few $file vecAdd grid=1 block=32 f32[32]=iota f32[32]=iota f32[32]=zero
many $file vecAdd grid=1 block=32 f32[32]=iota f32[32]=iota f32[32]=zero s32=32 s32=1
width $file vecAdd grid=1 block=32 f32[32]=iota f32[32]=iota f32[32]=zero s64=32
nobody $file nobody grid=1 block=32 f32[32]=iota f32[32]=iota f32[32]=zero s32=32
nofile nothere.ptx vecAdd grid=1 block=32 f32[32]=iota f32[32]=iota f32[32]=zero s32=32
length $file vecAdd grid=1 block=32 f32[32]=file:eight f32[32]=iota f32[32]=zero s32=32
right $file vecAdd grid=1 block=32 f32[32]=iota f32[32]=iota f32[32]=zero s32=32
CASES
same 2 3 "$work/wrong.cases"
for name in few many width nobody nofile length; do
    grep -q "^runner: $name: " "$work/err" || fail "$name: nothing is said"
done
for arguments in '' '--repeat 0 x' '--wrong x' 'nothere.cases' 'a b'; do
    # shellcheck disable=SC2086 # words
    "$runner" $arguments >"$work/out" 2>&1
    [ $? -eq 2 ] || fail "runner $arguments: exit status"
done
exit $failed
