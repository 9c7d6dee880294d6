#!/bin/sh
# Compiles every file that the record's nvcc.cases names: sh build.sh FOLDER
#
# Leaves there, for each FILE.cubin of the list, the cubin, its PTX (-O3 alone) and, when cuobjdump is found, its listing
# (FILE.sass) and the resource usage of all (res-usage.txt). A variant has the kernels that the list launches from it and no
# others. NVCC and CUOBJDUMP choose other programs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
list=$here/../records/h200/nvcc/nvcc.cases
out=$1
nvcc=${NVCC:-nvcc}
cuobjdump=${CUOBJDUMP:-cuobjdump}
mkdir -p "$out"
out=$(cd "$out" && pwd)

flags_of()
{
    case $1 in
    G) echo '-G' ;;
    O0) echo '-O0 -Xptxas -O0 -lineinfo' ;;
    O1) echo '-O3 -Xptxas -O1 -lineinfo' ;;
    r24) echo '-O3 -maxrregcount=24 -lineinfo' ;;
    fast) echo '-O3 --use_fast_math -lineinfo' ;;
    cubin) echo '-O3 -lineinfo' ;;
    *) echo "build.sh: no variant $1" >&2; exit 1 ;;
    esac
}

# ptxas is to make only the kernels that the list launches from a file; a template has its mangled name.
entries_of()
{
    awk -v file="$1" '$2 == file { print $3 }' "$list" | sort -u |
        sed -e 's/^reduce_tree$/_Z11reduce_treeILi128EEvPKiPii/' -e 's/^/-Xptxas --entry=/'
}

cd "$here"
: >"$out/res-usage.txt"
for cubin in $(awk '$2 ~ /\.cubin$/ { print $2 }' "$list" | sort -u); do
    name=${cubin%.cubin}
    source=${name%%.*}.cu
    variant=${cubin#*.}
    variant=${variant%.cubin}
    flags=$(flags_of "$variant")
    if [ "$variant" = cubin ]; then
        # shellcheck disable=SC2086 # the flags are words
        "$nvcc" -arch=sm_90 -std=c++17 $flags -ptx -o "$out/$name.ptx" "$source"
    else
        flags="$flags $(entries_of "$cubin")"
    fi
    # shellcheck disable=SC2086
    "$nvcc" -arch=sm_90 -std=c++17 $flags -cubin -o "$out/$cubin" "$source"
    if command -v "$cuobjdump" >/dev/null; then
        "$cuobjdump" -sass "$out/$cubin" >"$out/$name.sass"
        { echo "$cubin"; "$cuobjdump" -res-usage "$out/$cubin" 2>&1; } >>"$out/res-usage.txt"
    fi
done
