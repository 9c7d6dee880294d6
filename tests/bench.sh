#!/bin/sh
# How fast the simulator is on this machine; `make bench`. Each figure is the best of three whole runs of the command,
# reading and parsing the program included.
set -eu
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
    for _ in 1 2 3; do
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
    seconds=$(best "$SIMTLAB" batch "$list" -q -j 1 --only "$launch" "$@")
    awk -v n="$launch, $title" -v s="$seconds" -v c="$(instructions)" 'BEGIN {
        printf "%-34s %7.3f s   %11d warp instructions   %6.1f million a second\n", n, s, c, c / s / 1e6 }'
}

cp "$record/guide.cubin" "$record/guide.sass" "$work"
sed 's/ guide\.ptx / guide.cubin /' "$record/guide.cases" >"$work/machine.cases"
echo "processor  $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1), $(getconf _NPROCESSORS_ONLN) in use"
echo "compiler   $("$CC" --version | head -n 1), CFLAGS $CFLAGS"
bench counts "$record/guide.cases" matMul32_1024 --mode counts
bench counts "$record/guide.cases" transpose_pad_4096 --mode counts
bench 'machine code' "$work/machine.cases" matMul32_1024 --mode counts
bench checks "$record/guide.cases" matMul32_256 --mode counts --check
bench clock "$record/guide.cases" matMul32_256
seconds=$(best "$SIMTLAB" run "$record/guide.ptx" vecAdd --mode counts --grid 4 --block 256 --arg 'f32[1000]=rand:1' \
    --arg 'f32[1000]=rand:2' --arg 'f32[1000]=zero' --arg s32=1000)
awk -v s="$seconds" 'BEGIN { printf "%-34s %7.3f s   from the command to its report\n", "vecAdd, 1000", s }'
