#!/bin/sh
# Every example of tests/headings.def is valid for NVIDIA's own assembler. An example whose PTX version or target this ptxas
# does not know (it refuses an empty kernel of them too) is skipped, by name. Without ptxas all are, and the test says so.
# What `simtlab disasm` prints of an example that it supports is valid too.
set -u
ptxas=${PTXAS:-}
[ -n "$ptxas" ] && [ "$ptxas" != no ] || ptxas=$(command -v ptxas) || {
    echo "skipped: ptxas is not installed"
    exit 77
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
"$BUILDDIR/tools/gen-coverage-doc" "$work" || exit 99

# knows VERSION TARGET: whether ptxas takes an empty kernel of them; asked once for each pair.
knows()
{
    answer=$work/$1-$2.knows
    if [ ! -e "$answer" ]; then
        printf '.version %s\n.target %s\n.address_size 64\n.visible .entry e()\n{\nret;\n}\n' "$1" "$2" >"$work/empty"
        if "$ptxas" -arch="$2" -o /dev/null "$work/empty" >/dev/null 2>&1; then echo yes; else echo no; fi >"$answer"
    fi
    [ "$(cat "$answer")" = yes ]
}

count=0
printed=0
skipped=0
failed=0
for file in "$work"/*.ptx; do
    version=$(sed -n 's/^\.version //p' "$file")
    target=$(sed -n 's/^\.target //p' "$file")
    if ! knows "$version" "$target"; then
        echo "skipped, no PTX $version for $target: $(tail -n 3 "$file" | head -n 1)"
        skipped=$((skipped + 1))
        continue
    fi
    count=$((count + 1))
    "$ptxas" -arch="$target" -o /dev/null "$file" >"$work/out" 2>&1 || {
        echo "$(basename "$file"): refused by $ptxas"
        cat "$work/out"
        failed=1
    }
    if ! "$SIMTLAB" disasm "$file" >"$work/printed" 2>"$work/out"; then
        echo "$(basename "$file"): not printed"
        cat "$work/out"
        failed=1
    elif ! grep -q '// not supported' "$work/printed"; then
        printed=$((printed + 1))
        "$ptxas" -arch="$target" -o /dev/null "$work/printed" >"$work/out" 2>&1 || {
            echo "$(basename "$file"): refused by $ptxas as simtlab disasm prints it"
            cat "$work/out"
            failed=1
        }
    fi
done
echo "$count examples assembled by $ptxas, $printed of them also as simtlab disasm prints them, $skipped skipped"
[ "$count" -ge 300 ] && [ "$printed" -ge 100 ] || failed=1
exit $failed
