#!/bin/sh
# Makes the .ptx beside each .cu again: needs nvcc. File names in it are without folders, so that it is the same anywhere.
set -e
cd "$(dirname "$0")"
for source in *.cu; do
    target=${source%.cu}.ptx
    ${NVCC:-nvcc} -ptx -lineinfo -arch=sm_90 "$source" -o "$target.new"
    sed 's|\(\.file[[:space:]]*[0-9]*\) "[^"]*/\([^"/]*\)"|\1 "\2"|' "$target.new" >"$target"
    rm "$target.new"
done
