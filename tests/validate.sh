#!/bin/sh
# validate/run from beginning to end without a GPU: the compilers hand out the machine code of the committed record, the
# runner and ncu are the simulator (fake-runner.sh, fake-ncu.sh). What it records is complete, and it agrees with itself.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
record=$SRCDIR/validate/records/h200/kernels

fail()
{
    echo "FAILED: $*"
    failed=1
}

# compiler: nvcc and ptxas: what is behind -o, from the record's folder of the same name.
cat >"$work/compiler" <<END
#!/bin/sh
[ "\$1" != --version ] || { echo "Cuda compilation tools, release 0.0, V0.0.1"; exit 0; }
while [ "\$1" != -o ]; do shift; done
gzip -dc "$record/\$(basename "\$(dirname "\$2")")/\$(basename "\$2").gz" >"\$2"
END
cat >"$work/cuobjdump" <<END
#!/bin/sh
folder=\$(basename "\$(dirname "\$2")") name=\$(basename "\$2" .cubin)
[ "\$1" = -sass ] || { echo "Resource usage:"; exit 0; }
gzip -dc "$record/\$folder/\$name.sass.gz"
END
chmod +x "$work/compiler" "$work/cuobjdump"
printf '%s\n' launch__grid_size no__such_metric l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum >"$work/counters"
cp "$SRCDIR/tests/fake-ncu.sh" "$SRCDIR/tests/fake-runner.sh" "$work" && chmod +x "$work"/fake-*.sh

export SIMTLAB
NVCC=$work/compiler PTXAS=$work/compiler CUOBJDUMP=$work/cuobjdump NCU=$work/fake-ncu.sh RUNNER=$work/fake-runner.sh \
    sh "$SRCDIR/validate/run" --only vecAdd_1000 --only which_sm --only dyn_dtype --cycles 3 --counters "$work/counters" \
    "$work/new" >"$work/out" 2>"$work/err"
[ $? -eq 0 ] || fail "validate/run: $(cat "$work/out" "$work/err" | tail -5)"
[ "$(grep -c '^[0-9]* launch.* agree\.$' "$work/out")" -eq 5 ] || fail "not five comparisons: $(cat "$work/out")"
grep -q 'does not know no__such_metric' "$work/err" || fail "an unknown metric is not told"
for file in ir.outputs.txt twins.outputs.txt numba.outputs.txt provenance.txt res-usage.txt metrics.txt ir.html twins.html \
    ir/vecadd.ptx ir/vecadd.cubin.gz ir/vecadd.sass.gz twins/vecadd.cubin.gz numba/dyn_dtype.sass.gz; do
    [ -s "$work/new/$file" ] || fail "no $file"
done
for form in ir twins numba; do
    [ "$(gzip -dc "$work/new/$form.ncu.csv.gz" | grep -c '^"[0-9]')" -ge 1 ] || fail "$form: no counters"
    [ "$(gzip -dc "$work/new/$form.cycles.csv.gz" | grep -c ',sm__cycles_active.max,[0-9]*,[0-9]*,[0-9]*$')" -ge 1 ] ||
        fail "$form: no cycles"
done
grep -q '^vecAdd_1000 arg2 bytes=4000 fnv=[0-9a-f]*$' "$work/new/twins.outputs.txt" || fail "no outputs of the twin"
grep -q '^nvcc *0.0.1$' "$work/new/provenance.txt" || fail "provenance: $(cat "$work/new/provenance.txt")"
SIMTLAB=$SIMTLAB sh "$SRCDIR/validate/replay" --quiet "$work/new" >"$work/out" 2>&1 || fail "replay: $(tail -3 "$work/out")"
for wrong in '' '--wrong x' '--only x'; do
    # shellcheck disable=SC2086 # words
    NVCC=$work/compiler PTXAS=$work/compiler CUOBJDUMP=$work/cuobjdump sh "$SRCDIR/validate/run" $wrong >"$work/out" 2>&1
    [ $? -eq 2 ] || fail "validate/run $wrong: exit status"
done
exit $failed
