#!/bin/sh
# The twins of cuda/, compiled here by nvcc and by clang, whichever there are, and simulated: every buffer is what the
# kernel of kernels/ leaves, which the suite `kernels` holds to references in C. Every kernel has its twin.
set -u
. "$SRCDIR/tests/support.sh"
ran=0

# hashes <NDJSON: "NAME I HASH" of every buffer, and "NAME status" of a launch that did not end well.
hashes()
{
    awk '{
        match($0, /"name": "[^"]*"/); name = substr($0, RSTART + 9, RLENGTH - 10)
        if (!/"status": "ok"/) print name " did not end well"
        rest = substr($0, index($0, "\"buffers\":"))
        while (match(rest, /"arg": [0-9]+, "type": "[a-z0-9]+", "bytes": [0-9]+, "fnv1a64": "[0-9a-f]+"/)) {
            split(substr(rest, RSTART, RLENGTH), part, /[:,] */)
            print name, part[2], part[8]
            rest = substr(rest, RSTART + RLENGTH)
        } }'
}

# The large ones are the same kernels again.
grep -v '_4096 \|_1024 \|^#\|^$' "$SRCDIR/kernels/kernels.cases" |
    sed "s#file:\\([a-z_]*\\.f32\\)#file:$SRCDIR/kernels/\\1#" >"$work/all"
sed "s#\\([a-z_]*\\)\\.ptx #$SRCDIR/kernels/\\1.ptx #" "$work/all" >"$work/kernels.cases"
"$SIMTLAB" batch --mode counts "$work/kernels.cases" >"$work/json" 2>"$work/err" || fail "kernels: $(head -3 "$work/err")"
hashes <"$work/json" >"$work/want"
launches=$(wc -l <"$work/all")
[ "$launches" -ge 70 ] || fail "only $launches launches in kernels.cases"

# compiled NAME LEAST PATH [PATTERN]: the twins as this compiler makes them; launches that fit PATTERN are beyond it.
compiled()
{
    name=$1 least=$2 path=$3 beyond=${4:-^$}
    sed "s#\\([a-z_]*\\)\\.ptx #$SRCDIR/cuda/\\1.cu #" "$work/all" | grep -v "$beyond" >"$work/$name.cases"
    PATH=$path "$SIMTLAB" batch --form ptx --mode counts "$work/$name.cases" >"$work/json" 2>"$work/err" ||
        fail "$name: $(grep error "$work/err" | head -3)"
    hashes <"$work/json" >"$work/got"
    count=$(wc -l <"$work/got")
    [ "$count" -ge "$least" ] || fail "$name: only $count buffers"
    grep -F -x -v -f "$work/want" "$work/got" >"$work/other" && fail "$name: not as kernels/ has it: $(head -5 "$work/other")"
    echo "$name: $count buffers of cuda/ are those of kernels/"
    ran=1
}

for file in "$SRCDIR"/kernels/*.ptx; do
    twin=$SRCDIR/cuda/$(basename "$file" .ptx).cu
    [ -f "$twin" ] || { fail "no twin of $file"; continue; }
    sed -n 's/.*\.entry \([A-Za-z0-9_]*\).*/\1/p' "$file" | while read -r kernel; do
        grep -q "__global__ .*[ *]$kernel(" "$twin" || echo "$kernel"
    done >"$work/missing"
    [ ! -s "$work/missing" ] || fail "$twin lacks $(tr '\n' ' ' <"$work/missing")"
done

if [ -n "${NVCC-}" ] && [ -x "$NVCC" ]; then
    compiled nvcc 135 "$(dirname "$NVCC"):$PATH"
fi
# Without NVIDIA's headers there are no cooperative groups, no clusters and no cuda::atomic_ref.
clang=$(command -v clang)
if [ -n "$clang" ]; then
    mkdir "$work/bin" && ln -s "$clang" "$work/bin/clang"
    compiled clang 110 "$work/bin" 'cluster_hist\|coop_groups\| sumReduction \| sum_relaxed '
fi
[ $failures -eq 0 ] && [ $ran -eq 0 ] && { echo "neither nvcc nor clang: the twins are not compiled here"; exit 77; }
[ $failures -eq 0 ]
