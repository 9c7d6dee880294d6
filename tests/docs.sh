#!/bin/sh
# Pages that are made from tables say what the tables say.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

"$BUILDDIR/tools/gen-isa-doc" >"$work/isa.md" || exit 99
if ! diff -u "$SRCDIR/docs/isa.md" "$work/isa.md"; then
    echo "docs/isa.md is not what tools/gen-isa-doc makes of isa/*.def"
    exit 1
fi
echo "docs/isa.md agrees with the tables"
