#!/bin/sh
# Every kernel file of the tree is valid for NVIDIA's own assembler: the same text runs here and on the real driver.
# Without ptxas the test is skipped, and says so.
: "${SRCDIR:=.}"
ptxas=${PTXAS:-}
[ -n "$ptxas" ] && [ "$ptxas" != no ] || ptxas=$(command -v ptxas) || {
    echo "skipped: ptxas is not installed"
    exit 77
}
failed=0
count=0
for file in "$SRCDIR"/kernels/*.ptx "$SRCDIR"/kernels/faulty/*.ptx "$SRCDIR"/kernels/numba/*.ptx; do
    count=$((count + 1))
    "$ptxas" -arch=sm_90 -o /dev/null "$file" || {
        echo "$file: refused by $ptxas"
        failed=1
    }
done
echo "$count files assembled by $ptxas"
[ "$count" -ge 30 ] || failed=1
exit $failed
