#!/bin/sh
# Every kernel file of the tree is valid for NVIDIA's own assembler: the same text runs here and on the real driver.
# So is what `simtlab disasm` prints of it. Without ptxas the test is skipped, and says so.
: "${SRCDIR:=.}"
ptxas=${PTXAS:-}
[ -n "$ptxas" ] && [ "$ptxas" != no ] || ptxas=$(command -v ptxas) || {
    echo "skipped: ptxas is not installed"
    exit 77
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
count=0
for file in "$SRCDIR"/kernels/*.ptx "$SRCDIR"/kernels/faulty/*.ptx "$SRCDIR"/kernels/numba/*.ptx \
    "$SRCDIR"/validate/records/h200/*/*.ptx; do
    count=$((count + 1))
    "$ptxas" -arch=sm_90 -o /dev/null "$file" || {
        echo "$file: refused by $ptxas"
        failed=1
    }
    if ! "$SIMTLAB" disasm "$file" >"$work/printed" || ! "$ptxas" -arch=sm_90 -o /dev/null "$work/printed"; then
        echo "$file: refused as simtlab disasm prints it"
        failed=1
    fi
done
echo "$count files assembled by $ptxas, also as simtlab disasm prints them"
[ "$count" -ge 30 ] || failed=1
exit $failed
