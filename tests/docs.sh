#!/bin/sh
# Pages that are made from tables say what the tables say.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# same TOOL PAGE TABLES: docs/PAGE is what tools/TOOL makes of TABLES.
same()
{
    "$BUILDDIR/tools/$1" >"$work/$2" || exit 99
    if ! diff -u "$SRCDIR/docs/$2" "$work/$2"; then
        echo "docs/$2 is not what tools/$1 makes of $3"
        exit 1
    fi
    echo "docs/$2 agrees with $3"
}
same gen-isa-doc isa.md 'isa/*.def'
same gen-coverage-doc ptx-coverage.md tests/headings.def

# Every machine opcode of the table has its row in docs/sass.md, with what the table says of running it.
sed -n 's/^SASS([A-Z0-9_]*, "\([A-Z0-9_]*[A-Z0-9]\)", \([A-Z]*\), .*, \([a-z0-9_]*\), ".*/\1 \2 \3/p' \
    "$SRCDIR/isa/sass/opcode.def" >"$work/opcodes"
[ -s "$work/opcodes" ] || exit 99
while read -r name unit lower; do
    runs=yes
    [ "$lower" = unknown ] && runs=no
    grep -qF "| \`$name\` | $unit | $runs |" "$SRCDIR/docs/sass.md" || { echo "docs/sass.md: $name: no row, or another one"; exit 1; }
done <"$work/opcodes"
echo "docs/sass.md has the opcodes of isa/sass/opcode.def"
