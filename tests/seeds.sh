#!/bin/sh
# docs/seeds.md holds: the files, kernels, launches and tests that it names are there, its command lines run and print
# what it says, its ratios are those of the H200's record; and it leaves out no kernel of kernels/ and no section.
set -u
page=$SRCDIR/docs/seeds.md
. "$SRCDIR/tests/support.sh"
cp -R "$SRCDIR/kernels" "$work/kernels" && chmod -R u+w "$work/kernels" || exit 99
mkdir "$work/bin"
ln -s "$SIMTLAB" "$work/bin/simtlab"
PATH=$work/bin:$PATH

# The page's code spans, one a line: STATUS TAB SPAN TAB what an arrow says that it gives, or nothing.
awk '
    {
        count = split($0, part, "`")
        for (i = 2; i <= count; i += 2) {
            gives = part[i + 1] ~ /^( \(exit status 1\))? → $/ ? part[i + 2] : ""
            printf "%d\t%s\t%s\n", part[i + 1] ~ /^ \(exit status 1\)/, part[i], gives
            if (gives != "")
                i += 2
        }
    }' "$page" >"$work/spans"

# `simtlab ...`
commands=0
while IFS="$(printf '\t')" read -r status span gives; do
    case $span in
    'simtlab …' | *FILE*) continue ;;
    'simtlab '*) ;;
    *) continue ;;
    esac
    commands=$((commands + 1))
    checks=$((checks + 1))
    (cd "$work/kernels" && sh -c "$span") >"$work/out" 2>"$work/err" </dev/null
    got=$?
    [ $got -eq "$status" ] || { fail "$span exits with $got, not $status"; sed 's/^/    /' "$work/err"; }
    [ -z "$gives" ] || grep -qF -- "$gives" "$work/out" || fail "$span does not print: $gives"
done <"$work/spans"
[ $commands -ge 60 ] || fail "only $commands command lines were found"

# `FILE WORD`
files=0
while IFS="$(printf '\t')" read -r status span gives; do
    file=${span%% *}
    case $file in
    *[!a-zA-Z0-9_./-]* | -* | simtlab) continue ;;
    *.ptx | *.cases | *.md | *.c | *.h | *.sh | *.csv | *.txt | *.f32 | */*) ;;
    *) continue ;;
    esac
    files=$((files + 1))
    checks=$((checks + 1))
    path=$SRCDIR/$file
    [ -e "$path" ] || path=$SRCDIR/kernels/$file
    [ -e "$path" ] || { fail "$file is not there"; continue; }
    for word in ${span#"$file"}; do
        case $file in
        *.ptx) pattern="\\.entry[[:space:]]+$word([^a-zA-Z0-9_]|\$)|([^a-zA-Z0-9_]|^)$word([^a-zA-Z0-9_]|\$)" ;;
        *.cases) pattern="^$word " ;;
        *) pattern="([^a-zA-Z0-9_]|^)$word([^a-zA-Z0-9_]|\$)" ;;
        esac
        grep -qE -- "$pattern" "$path" || fail "$file has no $word"
    done
done <"$work/spans"
[ $files -ge 80 ] || fail "only $files files were found"

# `cycles A / B`, rounded to as many places as the page gives.
ratios=0
while IFS="$(printf '\t')" read -r status span gives; do
    case $span in
    'cycles A / B') continue ;;
    'cycles '*) ;;
    *) continue ;;
    esac
    ratios=$((ratios + 1))
    checks=$((checks + 1))
    got=$(awk -F, -v span="$span" -v gives="$gives" '
        function median(    i, j, t, v) {
            for (i = 0; i < 10; i++) v[i] = $(i + 3) + 0
            for (i = 0; i < 10; i++) for (j = 0; j < 9; j++) if (v[j] > v[j + 1]) { t = v[j]; v[j] = v[j + 1]; v[j + 1] = t }
            return (v[4] + v[5]) / 2
        }
        BEGIN { split(span, word, " ") }
        $2 == "sm__cycles_active.max" && $1 == word[2] { a = median() }
        $2 == "sm__cycles_active.max" && $1 == word[4] { b = median() }
        END {
            places = index(gives, ".") ? length(gives) - index(gives, ".") : 0
            if (a && b) printf ("%." places "f"), a / b
        }' "$SRCDIR/validate/records/h200/guide/guide.cycles.csv")
    [ "$got" = "$gives" ] || fail "$span is $got, not $gives"
done <"$work/spans"
[ $ratios -ge 10 ] || fail "only $ratios ratios were found"

# Nothing is left out.
for file in "$SRCDIR"/kernels/*.ptx; do
    for kernel in $(sed -n 's/.*\.entry[[:space:]]*\([A-Za-z_0-9]*\).*/\1/p' "$file"); do
        checks=$((checks + 1))
        grep -qF "\`$(basename "$file") $kernel\`" "$page" || fail "the page does not name $(basename "$file") $kernel"
    done
done
for section in 2.3.1 2.3.2 2.3.2.1 2.3.3 2.3.3.1 2.3.3.2 2.3.3.2.1 2.3.3.2.2 2.3.3.3 2.3.3.4 2.3.3.5 2.3.3.6 2.3.3.7 2.3.3.8 \
    2.3.4 2.3.4.1 2.3.4.1.1 2.3.4.2 2.3.4.2.1 2.3.4.2.2 2.3.5 2.3.5.1 2.3.5.2 2.3.6 2.3.7; do
    checks=$((checks + 1))
    grep -qE "(^|[^0-9.])$section([^0-9.]|:|\$)" "$page" || fail "the page does not name section $section"
done
for figure in 11 12 13 14 15 16 17 18; do
    checks=$((checks + 1))
    grep -q "figure $figure" "$page" || fail "the page does not name figure $figure"
done

echo "seeds: $checks checks ($commands command lines), $failures failures"
[ $failures -eq 0 ]
