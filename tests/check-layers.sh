#!/bin/sh
# The order of the layers: a folder includes only itself and what stands before it, and only the command may print, end
# the process or read a clock. Comments do not count.
set -u
cd "$SRCDIR" || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
bad=0

# allow FOLDER PATTERN: the quoted includes that FOLDER's files may have. Below validate/ are programs for the GPU.
allow()
{
    for file in $(find "$1" -name '*.[ch]' -o -name '*.def' | grep -v '^validate/.*/'); do
        grep -n '^ *# *include *"' "$file" | grep -Ev "\"($2)/" >"$work/out"
        if [ -s "$work/out" ]; then
            sed "s#^#$file:#; s#\$#   <- $1 may include only: $2#" "$work/out"
            bad=1
        fi
    done
}
allow base 'base'
allow isa 'base|isa'
allow sim 'base|isa|sim'
allow advise 'base|isa|sim|advise'
allow report 'base|isa|sim|advise|report'
allow validate 'base|isa|sim|advise|report|validate'

# The words that only tools/ may use. The compiler's preprocessor takes the comments out.
for file in $(find base isa sim advise report -name '*.[ch]') $(ls validate/*.[ch]) simtlab.c; do
    sed -e 's|"[^"]*"||g' "$file" | ${CC:-cc} -fpreprocessed -dD -E -P -x c - 2>/dev/null |
        grep -nE '\b(exit|_exit|abort|printf|puts|putchar|fprintf|perror|fopen|time|clock_gettime|setjmp|longjmp)\(|\b(stderr|stdout)\b' |
        grep -vE '\bbase_|\bsim_printf' >"$work/out"
    if [ -s "$work/out" ]; then
        sed "s|^|$file: |" "$work/out"
        bad=1
    fi
done

# The modules that the command is thin over: it names no private struct of the engine.
count=$(find base isa sim advise report -name '*.c' | wc -l)
if [ "$count" -lt 5 ]; then
    echo "only $count source files found under $SRCDIR: nothing was checked"
    bad=1
fi
[ $bad -eq 0 ] && echo "$count source files keep to the order of the layers"
exit $bad
