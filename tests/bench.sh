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
    sed -n 's/.*"ir__inst_executed.sum": \([0-9]*\).*/\1/p' "$work/out"
}

echo "processor  $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1), $(getconf _NPROCESSORS_ONLN) in use"
echo "compiler   $("$CC" --version | head -n 1), CFLAGS $CFLAGS"
for launch in matMul32_1024 transpose_pad_4096; do
    seconds=$(best "$SIMTLAB" batch "$record/guide.cases" --mode counts -q -j 1 --only $launch)
    count=$(instructions)
    awk -v n="$launch" -v s="$seconds" -v c="$count" 'BEGIN {
        printf "%-20s %7.3f s   %11d warp instructions   %6.1f million a second\n", n, s, c, c / s / 1e6 }'
done
seconds=$(best "$SIMTLAB" run "$record/guide.ptx" vecAdd --mode counts --grid 4 --block 256 --arg 'f32[1000]=rand:1' \
    --arg 'f32[1000]=rand:2' --arg 'f32[1000]=zero' --arg s32=1000)
awk -v s="$seconds" 'BEGIN { printf "%-20s %7.3f s   from the command to its report\n", "vecAdd, 1000", s }'
