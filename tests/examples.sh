#!/bin/sh
# Every command line that --help, README.md and kernels/README.md show runs as it stands, in a copy of the sources. It
# exits with 0, and below a heading that says "exit status 1" with that. (tests/cli.sh does this for the manual page.)
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cp -R "$SRCDIR/kernels" "$work/kernels" && chmod -R u+w "$work/kernels" || exit 99
ln -s "$SRCDIR/validate" "$work/validate"
mkdir "$work/bin"
ln -s "$SIMTLAB" "$work/bin/simtlab"
ln -s "$SIMTLAB" "$work/simtlab"
PATH=$work/bin:$PATH
failures=0
count=0

# run_examples FOLDER: those of the text on stdin. "STATUS LINE" of each, a line that ends with a backslash joined with
# the next.
run_examples()
{
    awk '
        /^[A-Z].*:$/ { status = /exit status 1/ ? 1 : 0 }
        more || /^ +(\.\/)?simtlab / { line = line $0; more = sub(/\\$/, "", line); if (!more) { print status + 0, line; line = "" } }
    ' >"$work/lines"
    while read -r want line; do
        count=$((count + 1))
        (cd "$1" && sh -c "$line") >"$work/out" 2>"$work/err" </dev/null
        got=$?
        [ $got -eq "$want" ] && [ ! -s "$work/err" ] && continue
        echo "FAIL: $line"
        echo "    exits with $got, not $want"
        sed 's/^/    /' "$work/err"
        failures=$((failures + 1))
    done <"$work/lines"
    [ -s "$work/lines" ] || { echo "FAIL: there is no example"; failures=$((failures + 1)); }
}

commands=$(simtlab --help | awk '/^usage:/ { on = 1; next } / COMMAND --help/ { on = 0 } on && NF { print $1 }')
[ -n "$commands" ] || { echo "simtlab --help names no commands"; exit 1; }
for command in '' $commands; do
    simtlab $command --help >"$work/text"
    run_examples "$work/kernels" <"$work/text"
done
run_examples "$work" <"$SRCDIR/README.md"
run_examples "$work/kernels" <"$SRCDIR/kernels/README.md"
echo "examples: $count command lines, $failures failures"
[ $failures -eq 0 ] && [ $count -ge 40 ]
