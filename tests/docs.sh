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
