#!/bin/sh
# bash completion: it reads as bash, and offers what --help tells: every command, every option, what options take.
command -v bash >/dev/null || { echo "bash is not installed: its completion is not tested"; exit 77; }
bash -n "$SRCDIR/completions/simtlab" || exit 1
exec bash -s <<'END'
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
mkdir -p bin files/folder
ln -s "$SIMTLAB" bin/simtlab
PATH=$work/bin:$PATH
cd files || exit 99
. "$SRCDIR/completions/simtlab" || exit 1
compopt() { :; } # outside a completion there is nothing to set
checks=0
failures=0

# offers LINE: what TAB at the line's end would offer. The line is cut as readline cuts it: "=" and ":" are words.
offers()
{
    local line=${1//=/ = }
    line=${line//:/ : }
    read -ra COMP_WORDS <<<"$line"
    [[ $line == *' ' && $1 != *[=:] ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _simtlab simtlab
}

# expect LINE WORD...: exactly these, in any order.
expect()
{
    local line=$1 got want
    shift
    offers "$line"
    got=$(printf '%s\n' "${COMPREPLY[@]}" | sort -u)
    want=$(printf '%s\n' "$@" | sort -u)
    checks=$((checks + 1))
    [ "$got" = "$want" ] && return
    echo "FAIL: '$line' offers" $got "instead of" $want
    failures=$((failures + 1))
}

printf '.visible .entry one(.param .u32 n)\n{\nret;\n}\n.entry two()\n{\nret;\n}\n' >k.ptx
printf '# a list\nfirst k.ptx one grid=1 block=1 u32=1\n  second k.ptx two grid=1 block=1\n' >list.txt
touch k.cu half.dev folder/in.ptx

commands=$(simtlab --help | awk '/^usage:/ { on = 1; next } / COMMAND --help/ { on = 0 } on && NF { print $1 }')
[ "$(wc -w <<<"$commands")" -ge 9 ] || { echo "FAIL: simtlab --help names too few commands"; exit 1; }
expect 'simtlab ' $commands --help --version
expect 'simtlab occ' occupancy
expect 'simtlab xyz' ''
for command in $commands; do
    # The first column of the lines that begin with an option.
    options=$(simtlab "$command" --help | grep -E '^  -' | cut -c1-40 | grep -oE -- '(^| )-(-[a-z-]+|[A-Za-z],)' | tr -d ' ,')
    [ "$(wc -w <<<"$options")" -ge 4 ] || { echo "FAIL: $command --help tells too few options"; exit 1; }
    expect "simtlab $command -" $options
    # Options that choose among words offer those words.
    while read -r option takes; do
        words=
        for word in ${takes//|/ }; do
            [[ $word == *:* ]] && word=${word%%:*}:
            [[ $word == [a-z]* ]] && words="$words $word"
        done
        expect "simtlab $command $option " $words
        expect "simtlab $command $option=" $words
    done < <(simtlab "$command" --help | sed -n 's/^  *\(-., \)\{0,1\}\(--[a-z-]*\) \([^ ]*|[^ ]*\).*/\2 \3/p' | grep -v NAME)
done
devices=$(simtlab devices | awk 'NR > 1 { print $1 }')
expect 'simtlab devices ' $devices half.dev folder
expect 'simtlab run k.ptx --device ' $devices half.dev folder
expect 'simtlab run k.ptx --device=h' h100 h200 half.dev
expect 'simtlab run k.ptx --mode=cy' cycles
expect 'simtlab run k.ptx --mode cy' cycles
expect 'simtlab run k.ptx --block-order sh' shuffle:
expect 'simtlab run k.ptx --check=' memory races init sync
expect 'simtlab run k.ptx --arg f3' f32= 'f32['
expect 'simtlab run k.ptx --arg f32[8]=io' iota
expect 'simtlab run k.ptx --arg=f32[8]=r' rand: randmod:
expect 'simtlab run k.ptx --arg f32[8]=file:h' half.dev
expect 'simtlab run k.ptx -o ha' half.dev
expect 'simtlab run k.ptx --dump 0=ha' half.dev
expect 'simtlab run ' k.ptx k.cu folder
expect 'simtlab run fo' folder
expect 'simtlab run k.ptx ' one two
expect 'simtlab run --grid 4 --arg f32[8]=iota --arg @a:u32[4]=rand:3 --mode=counts -q k.ptx t' two
expect 'simtlab disasm k.ptx o' one
expect 'simtlab run k.ptx one ' ''
expect 'simtlab batch l' list.txt
expect 'simtlab batch list.txt --only ' first second
expect 'simtlab batch list.txt -j 2 --only=se' second

echo "completion: $checks checks, $failures failures"
[ $failures -eq 0 ]
END
