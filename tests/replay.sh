#!/bin/sh
# The record of kernels/ and cuda/ on an H200, replayed without one: every buffer and every exact metric, in all forms
# (validate/replay), and docs/validation.md is what comes of it. A record that is falsified is not believed.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
name=kernels/
record=$SRCDIR/validate/records/h200/$name

fail()
{
    echo "FAILED: $*"
    failed=1
}

# What ran on the card is what is in the sources.
for file in "$SRCDIR"/kernels/*.ptx; do
    cmp -s "$file" "$record/ir/$(basename "$file")" || fail "$file is not what was recorded: run validate/run again"
done

sh "$SRCDIR/validate/page" --work "$work/made" "${record%/}" >"$work/page" 2>"$work/out"
[ $? -eq 0 ] || fail "validate/page: $(tail -3 "$work/out")"
diff "$SRCDIR/docs/validation.md" "$work/page" >"$work/diff" || {
    fail "docs/validation.md is not what validate/page makes of the record"
    head -20 "$work/diff"
}
# Every difference has its reason.
grep '^simulated\|differs*\.$\| differ\.$' "$work/out" && fail "the simulator is not the card's any more"
for sim in ir ir-machine twins numba numba-machine; do
    [ "$(grep -c '"agrees"' "$work/made/$sim.csv")" -gt 100 ] || fail "$sim: hardly anything was compared"
done

# A buffer and a counter that are not the card's: both are told.
mkdir "$work/false" && cp -R "$record/." "$work/false" && chmod -R u+w "$work/false"
for list in "$work"/false/*/*.cases; do
    grep '^vecAdd_1000 ' "$list" >"$work/list"
    cp "$work/list" "$list"
done
sed 's/^\(vecAdd_1000 arg2 bytes=4000 fnv=\)./\1x/' "$record/ir.outputs.txt" | sed 's/fnv=x/fnv=0/' >"$work/false/ir.outputs.txt"
gzip -dc "$record/twins.ncu.csv.gz" | sed '/"vecAdd".*"(8, 1, 1)"/s/"250"/"251"/' | gzip >"$work/false/twins.ncu.csv.gz"
sh "$SRCDIR/validate/replay" "$work/false" >"$work/out" 2>&1
[ $? -eq 1 ] || fail "a false record is believed: $(tail -3 "$work/out")"
grep -q '! buffer of argument 2 ' "$work/out" || fail "a false buffer is not told"
grep -q '! l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum  *250  *251' "$work/out" || fail "a false counter is not told"
exit $failed
