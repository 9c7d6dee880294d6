#!/bin/sh
# Makes the .ptx beside each .cu again: needs nvcc. The names of this folder and of the toolkit's are taken
# out, so that it is the same anywhere.
set -e
cd "$(dirname "$0")"
for source in *.cu; do
    target=${source%.cu}.ptx
    ${NVCC:-nvcc} -ptx -lineinfo -arch=sm_90 "$source" -o "$target.new"
    sed -e 's|\(\.file[[:space:]]*[0-9]*\) "[^"]*/include/\([^"]*\)"|\1 "include/\2"|' \
        -e "s|\"$PWD/|\"|" "$target.new" >"$target"
    rm "$target.new"
done
