#!/bin/sh
# Three ways to transpose 1024 x 1024 floats: simtlab's counts, and beside each what a real H200 counted. The H200's
# numbers are read from the record (Nsight Compute's CSV), not written here.
set -eu
here=$(dirname "$0")
record=$here/records/h200/guide
simtlab=${SIMTLAB:-$here/../simtlab}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$simtlab" batch "$record/guide.cases" --mode counts -q --only transpose_naive_1024 --only transpose_smem_1024 \
    --only transpose_pad_1024 -o "$work/sim.json"

# NAME METRIC VALUE lines from both sides.
sed -n 's/.*"name": "\([^"]*\)".*"metrics": {\([^}]*\)}.*/\1, \2/p' "$work/sim.json" |
    awk -F', ' '{ for (i = 2; i <= NF; i++) { split($i, m, ": "); gsub(/"/, "", m[1]); print "sim", $1, m[1], m[2] } }' \
        >"$work/values"
awk -F'","' '
    NR == FNR { if ($0 !~ /^#/ && NF) { split($0, word, " "); if (word[1] != "dyn_partition_bad") name[++n] = word[1] } next }
    FNR == 1 { for (i = 1; i <= NF; i++) metric[i] = $i; next }
    FNR > 2 { for (i = 12; i <= NF; i++) { value = $i; gsub(/[",]/, "", value); print "gpu", name[FNR - 2], metric[i], value } }
' "$record/guide.cases" "$record/guide.ncu.csv" >>"$work/values"

awk '
    { value[$1, $2, $3] = $4 }
    function get(side, launch, metric) {
        if (!((side, launch, metric) in value)) { print "no " metric " of " launch; exit 1 }
        return value[side, launch, metric]
    }
    function figure(what, side, launch,    op) {
        if (what == "wavefronts") return get(side, launch, "memory_l1_wavefronts_shared")
        if (what == "conflicts")
            return get(side, launch, "memory_l1_wavefronts_shared") - get(side, launch, "memory_l1_wavefronts_shared_ideal")
        op = "_pipe_lsu_mem_global_op_" what ".sum"
        return get(side, launch, "l1tex__t_sectors" op) / get(side, launch, "l1tex__t_requests" op)
    }
    function row(words, what,    i, line) {
        line = sprintf("  %-26s", words)
        for (i = 1; i <= 3; i++) line = line sprintf(" %9d %9d  ", figure(what, "sim", launch[i]), figure(what, "gpu", launch[i]))
        print line
        for (i = 1; i <= 3; i++) if (figure(what, "sim", launch[i]) != figure(what, "gpu", launch[i])) differs = 1
    }
    END {
        split("transpose_naive_1024 transpose_smem_1024 transpose_pad_1024", launch, " ")
        print ""
        print "Transposing 1024 x 1024 floats on a modelled H200 (sim), beside what a real one counted (H200)"
        print ""
        printf "  %-26s %-21s %-21s %-21s\n", "", "      naive", "  shared memory", " padded shared memory"
        printf "  %-26s %9s %9s   %9s %9s   %9s %9s\n", "", "sim", "H200", "sim", "H200", "sim", "H200"
        row("sectors per load request", "ld")
        row("sectors per store request", "st")
        row("shared wavefronts", "wavefronts")
        row("  of them bank conflicts", "conflicts")
        print ""
        if (differs) { print "The two sides differ."; exit 1 }
        print "Every figure is equal."
    }' "$work/values"
