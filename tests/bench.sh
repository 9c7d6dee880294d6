#!/bin/sh
# How fast the simulator is on this machine; `make bench`. Each figure is the best of three whole runs of the command
# (of one where it takes a minute), reading and parsing the program included.
set -eu
runs='1 2 3'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
record=$SRCDIR/validate/records/h200/guide

now()
{
    date +%s.%N
}

# best COMMAND...: the shortest of three runs, in seconds; the last run's stdout stays in out.
best()
{
    shortest=
    for _ in $runs; do
        start=$(now)
        "$@" >"$work/out"
        shortest=$(awk -v a="$start" -v b="$(now)" -v old="$shortest" \
            'BEGIN { t = b - a; printf "%.4f", old == "" || t < old ? t : old }')
    done
    echo "$shortest"
}

instructions()
{
    sed -n 's/.*"[a-z]*__inst_executed.sum": \([0-9]*\).*/\1/p' "$work/out"
}

# bench TITLE LIST LAUNCH OPTION...: one launch of a list.
bench()
{
    title=$1 list=$2 launch=$3
    shift 3
    seconds=$(best "$SIMTLAB" batch "$list" -q -j "${threads:-1}" --only "$launch" "$@")
    awk -v n="$launch, $title" -v s="$seconds" -v c="$(instructions)" 'BEGIN {
        printf "%-34s %7.3f s   %11d warp instructions   %6.1f million a second\n", n, s, c, c / s / 1e6 }'
}

cp "$record/guide.cubin" "$record/guide.sass" "$work"
sed 's/ guide\.ptx / guide.cubin /' "$record/guide.cases" >"$work/machine.cases"
echo "processor  $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1), $(getconf _NPROCESSORS_ONLN) in use"
echo "compiler   $($CC --version | head -n 1), CFLAGS $CFLAGS"
bench counts "$record/guide.cases" matMul32_1024 --mode counts
bench counts "$record/guide.cases" transpose_pad_4096 --mode counts
bench 'machine code' "$work/machine.cases" matMul32_1024 --mode counts
bench checks "$record/guide.cases" matMul32_256 --mode counts --check
bench clock "$record/guide.cases" matMul32_256
runs=1
bench 'clock, machine code' "$work/machine.cases" matMul32_1024
one=$seconds
threads=2
bench 'the same, two threads' "$work/machine.cases" matMul32_1024
threads=1
awk -v a="$one" -v b="$seconds" 'BEGIN { printf "%-34s %7.2f times one\n", "two threads", a / b }'
runs='1 2 3'

# Ten times the blocks; one warp that follows pointers through DRAM, a line each; the memory that a launch takes.
cat >"$work/chase.ptx" <<'EOF'
.version 7.8
.target sm_90
.address_size 64
.visible .entry chase(.param .u64 p, .param .u32 n)
{
    .reg .pred %p;
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [n];
again:
    ld.global.u32 %r2, [%rd1];
    cvt.u64.u32 %rd2, %r2;
    add.u64 %rd1, %rd1, %rd2;
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p, %r1, 0;
    @%p bra again;
    st.global.u64 [%rd1], %rd1;
    ret;
}
EOF
cat >"$work/blocks.cases" <<EOF
blocks_13200 $record/guide.ptx vecAdd grid=13200 block=256 f32[3379200]=rand:1 f32[3379200]=rand:2 f32[3379200]=zero s32=3379200
blocks_132000 $record/guide.ptx vecAdd grid=132000 block=256 f32[33792000]=rand:1 f32[33792000]=rand:2 f32[33792000]=zero s32=33792000
chase_10000 $work/chase.ptx chase grid=1 block=32 u32[2600000]=const:1024 u32=10000
EOF
bench clock "$work/blocks.cases" blocks_13200
one=$seconds
bench clock "$work/blocks.cases" blocks_132000
awk -v a="$one" -v b="$seconds" 'BEGIN { printf "%-34s %7.2f times the time\n", "ten times the blocks", b / a }'
bench clock "$work/blocks.cases" chase_10000
seconds=$(best "$SIMTLAB" run "$record/guide.ptx" vecAdd --mode counts --grid 4 --block 256 --arg 'f32[1000]=rand:1' \
    --arg 'f32[1000]=rand:2' --arg 'f32[1000]=zero' --arg s32=1000)
awk -v s="$seconds" 'BEGIN { printf "%-34s %7.3f s   from the command to its report\n", "vecAdd, 1000", s }'
