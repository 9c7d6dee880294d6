#!/bin/sh
# docs/tutorial.md and its Chinese twin: every command runs (in a copy of kernels/) and prints the lines that stand below
# it, in that order; ratios and cycles of the H200 are those of the record, simulated cycles are within 30 % of what is
# printed, and within 35 % of the record (from PTX; copy_stride8 is 30.1 % off: what short copies wait for is not all
# modelled), parameters of devices are the profiles'. A .cu file is left out where there is no compiler, and said so.
set -u
. "$SRCDIR/tests/support.sh"
cp -R "$SRCDIR/kernels" "$work/kernels" && chmod -R u+w "$work/kernels" || exit 99
source_folder=$(cd "$SRCDIR" && pwd)
ln -s "$source_folder/tests" "$work/tests"
ln -s "$source_folder/validate" "$work/validate"
mkdir "$work/bin"
ln -s "$SIMTLAB" "$work/bin/simtlab"
PATH=$work/bin:$PATH
unset LC_ALL LC_MESSAGES LANG
record=$SRCDIR/validate/records/h200/guide/guide.cycles.csv

# The median of a launch's ten runs on the H200.
median()
{
    awk -F, -v name="$1" '
        $1 == name && $2 == "sm__cycles_active.max" {
            for (i = 0; i < 10; i++) v[i] = $(i + 3) + 0
            for (i = 0; i < 10; i++) for (j = 0; j < 9; j++) if (v[j] > v[j + 1]) { t = v[j]; v[j] = v[j + 1]; v[j + 1] = t }
            print (v[4] + v[5]) / 2
        }' "$record"
}

# commands PAGE: files $work/N.cmd, $work/N.want and $work/N.status for each command.
commands()
{
    rm -f "$work"/*.cmd "$work"/*.want "$work"/*.status
    awk -v work="$work" '
        function begin() { n++; file = sprintf("%s/%03d", work, n) }
        /^    \$ / {
            begin(); line = substr($0, 7)
            more = sub(/\\$/, "", line)
            cmd = line
            if (!more) finish()
            in_block = 1
            next
        }
        more { line = $0; more = sub(/\\$/, "", line); cmd = cmd line; if (!more) finish(); next }
        in_block && /^    / { print substr($0, 5) >(file ".want"); next }
        { in_block = 0 }
        function finish() {
            print cmd >(file ".cmd")
            print (cmd ~ /# exit status 1/) ? 1 : 0 >(file ".status")
            printf "" >(file ".want")
        }' "$1"
}

# run_commands PAGE
run_commands()
{
    commands "$1"
    count=0
    for file in "$work"/*.cmd; do
        command=$(cat "$file")
        want=$(cat "${file%.cmd}.status")
        case $command in
        *.cu\ *)
            if ! command -v nvcc >/dev/null 2>&1 && ! command -v clang >/dev/null 2>&1; then
                echo "skipped, for there is no compiler: $command"
                continue
            fi
            ;;
        esac
        count=$((count + 1))
        checks=$((checks + 1))
        (cd "$work/kernels" && sh -c "$command") >"$work/out" 2>"$work/err" </dev/null
        got=$?
        [ $got -eq "$want" ] || { fail "$command exits with $got, not $want"; sed 's/^/    /' "$work/err"; }
        # Each line that is shown, in order; "..." stands for any.
        awk 'NR == FNR { want[++n] = $0; next }
             { sub(/ +$/, ""); while (at < n && want[at + 1] == "...") at++; if (at < n && $0 == want[at + 1]) at++ }
             END { while (at < n && want[at + 1] == "...") at++; if (at < n) { print want[at + 1]; exit 1 } }' \
            "${file%.cmd}.want" "$work/out" >"$work/missing" || fail "$command does not print: $(cat "$work/missing")"
    done
    [ $count -ge 24 ] || fail "$1 has only $count commands"
}

# ratios PAGE: `cycles A / B` and, behind an arrow, the number.
ratios()
{
    tr '\n' ' ' <"$1" | awk '{ count = split($0, part, "`"); for (i = 2; i < count; i += 2) if (part[i] ~ /^cycles /) print part[i], part[i + 2] }' >"$work/ratios"
    while read -r word a slash b gives; do
        checks=$((checks + 1))
        places=${gives#*.}
        [ "$places" != "$gives" ] || places=
        got=$(awk -v a="$(median "$a")" -v b="$(median "$b")" -v p=${#places} 'BEGIN { if (b > 0) printf("%." p "f", a / b) }')
        [ "$got" = "$gives" ] || fail "$1: $word $a $slash $b is $got, not $gives"
    done <"$work/ratios"
    [ "$(wc -l <"$work/ratios")" -ge 6 ] || fail "$1 has too few ratios"
}

# cycle_tables PAGE: | launch | simulated | H200 |
cycle_tables()
{
    sed -n 's/^| \([a-zA-Z0-9_]*\) | \([0-9,]*\) | \([0-9,]*\) |$/\1 \2 \3/p' "$1" | tr -d , >"$work/rows"
    while read -r launch simulated card; do
        checks=$((checks + 1))
        [ "$(awk -v m="$(median "$launch")" 'BEGIN { printf "%d", m + 0.5 }')" = "$card" ] || fail "$1: the H200 took $(median "$launch") cycles for $launch, not $card"
        got=$(cd "$work/kernels" && simtlab batch kernels.cases --only "$launch" | sed 's/.*"sm__cycles_active.max": \([0-9]*\).*/\1/')
        for near in "$simulated 0.30" "$card 0.35"; do
            checks=$((checks + 1))
            awk -v got="$got" -v want="$near" 'BEGIN { split(want, w); exit !(got > w[1] * (1 - w[2]) && got < w[1] * (1 + w[2])) }' ||
                fail "$1: $launch takes $got cycles in the simulator, not about ${near% *}"
        done
    done <"$work/rows"
    [ "$(wc -l <"$work/rows")" -ge 10 ] || fail "$1 has too few rows of cycles"
}

# device_table PAGE: | `parameter` | GTX 580 | RTX 2080 | H200 |
device_table()
{
    for device in gtx580 rtx2080 h200; do
        simtlab devices $device >"$work/$device"
    done
    sed -n 's/^| `\([a-z0-9_]*\)` | \([0-9]*\) | \([0-9]*\) | \([0-9]*\) |$/\1 \2 \3 \4/p' "$1" >"$work/rows"
    while read -r name a b c; do
        for pair in "gtx580 $a" "rtx2080 $b" "h200 $c"; do
            checks=$((checks + 1))
            grep -qE "^$name +${pair#* } " "$work/${pair% *}" || fail "$1: $name of ${pair% *} is not ${pair#* }"
        done
    done <"$work/rows"
    [ "$(wc -l <"$work/rows")" -eq 8 ] || fail "$1 has not eight parameters"
}

for page in tutorial.md tutorial.zh.md; do
    run_commands "$SRCDIR/docs/$page"
    ratios "$SRCDIR/docs/$page"
    device_table "$SRCDIR/docs/$page"
done
cycle_tables "$SRCDIR/docs/tutorial.md"
# The twin says the same: its commands but for the language, and its tables.
for page in tutorial.md tutorial.zh.md; do
    commands "$SRCDIR/docs/$page"
    sed 's/ --lang zh//' "$work"/*.cmd >"$work/$page.commands"
    grep -E '^\| [a-zA-Z0-9_`]+ \| [0-9]' "$SRCDIR/docs/$page" >"$work/$page.rows"
done
checks=$((checks + 2))
cmp -s "$work/tutorial.md.commands" "$work/tutorial.zh.md.commands" || fail "the two languages have other commands"
cmp -s "$work/tutorial.md.rows" "$work/tutorial.zh.md.rows" || fail "the two languages have other tables"

echo "tutorial: $checks checks, $failures failures"
[ $failures -eq 0 ]
