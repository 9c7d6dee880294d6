#!/bin/sh
# Makes the .ptx beside each .cu again: needs nvcc. The name of this folder is taken out, and that of the
# toolkit the usual one, so that it is the same anywhere.
set -e
cd "$(dirname "$0")"
for source in *.cu; do
    target=${source%.cu}.ptx
    ${NVCC:-nvcc} -ptx -lineinfo -arch=sm_90 "$source" -o "$target.new"
    sed -e 's|\(\.file[[:space:]]*[0-9]*\) "[^"]*/include/\([^"]*\)"|\1 "/usr/local/cuda/include/\2"|' \
        -e "s|\"$PWD/|\"|" "$target.new" >"$target"
    rm "$target.new"
done
