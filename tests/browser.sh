#!/bin/sh
# The page of --format html in a real browser, from the disk: no console message, the script has run, links reveal what
# they lead to. With SIMTLAB_LONG_TESTS also all of the guide's launches in one page, which stays under 5 MB.
set -u
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "chromium is not installed: pages are not opened in a browser"
    exit 77
}
. "$SRCDIR/tests/support.sh"
guide=$SRCDIR/validate/records/h200/guide/guide.cases

# show FILE [ANCHOR]: the page as it stands when its script has run, in dom.
show()
{
    timeout 300 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --enable-logging=stderr \
        --v=0 --virtual-time-budget=5000 --dump-dom "file://$1${2:-}" >"$work/dom" 2>"$work/log" || fail "$1: the browser failed"
    grep CONSOLE "$work/log" >"$work/err" && { fail "$1: console messages"; head -5 "$work/err"; }
    grep -q '</html>' "$work/dom" || fail "$1: no page"
}

# in_dom NUMBER PATTERN: so many lines of the page match.
in_dom()
{
    found=$(grep -cE -- "$2" "$work/dom")
    [ "$found" -eq "$1" ] || fail "$found lines, not $1, with $2"
}

"$SIMTLAB" batch "$guide" --only transpose_smem_1024 --format html -o "$work/smem.html" || fail "no page"
show "$work/smem.html"
# Two views, the first of them shown; a button for each; columns that sort.
in_dom 1 '<div class="switch" role="group" aria-label="View of the source">'
in_dom 1 '<section class="view" id="l1-view[0-9]*" aria-labelledby="[^"]*">'
in_dom 1 '<section class="view" id="l1-instructions0" aria-labelledby="[^"]*" hidden="">'
[ "$(grep -o 'class="sort"' "$work/dom" | wc -l)" -eq 16 ] || fail "not eight columns that sort in each of two views"
in_dom 2 '<tr id="[^"]*" class="worst">'
# A link to an instruction shows its view.
pc=$(grep -oE '^<tr id="l1-pc[0-9]*" class="worst">' "$work/smem.html" | grep -oE 'l1-pc[0-9]*')
show "$work/smem.html" "#$pc"
in_dom 1 '<section class="view" id="l1-view[0-9]*" aria-labelledby="[^"]*" hidden="">'
in_dom 1 '<section class="view" id="l1-instructions0" aria-labelledby="[^"]*">'

if [ -n "${SIMTLAB_LONG_TESTS:-}" ]; then
    "$SIMTLAB" batch "$guide" --format html -o "$work/guide.html"
    [ $? -le 1 ] || fail "the guide's page"
    size=$(wc -c <"$work/guide.html")
    [ "$size" -lt 5000000 ] || fail "the guide's page has $size bytes"
    show "$work/guide.html"
else
    echo "SIMTLAB_LONG_TESTS is not set: the page of all the guide's launches is not made"
fi

echo "$failures failures"
[ $failures -eq 0 ]
