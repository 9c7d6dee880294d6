#!/bin/sh
# The profile of the H200 is what validate/micro/calibrate.py fits to the records, byte for byte; it follows a record that
# says something else; and a row that claims a record without having a fit is found.
set -u
command -v python3 >/dev/null || { echo "python3 is not installed: the calibration is not tested"; exit 77; }
work=$(mktemp -d) || exit 99
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
fit="$SRCDIR/validate/micro/calibrate.py"
header="$SRCDIR/sim/device_clock.h"
export PYTHONDONTWRITEBYTECODE=1

python3 "$fit" --header >"$work/header" || exit 1
if ! diff -u "$header" "$work/header"; then
    echo "sim/device_clock.h is not what calibrate.py fits to the records"
    exit 1
fi
echo "sim/device_clock.h is what calibrate.py fits to the records"

# falsified FILE EDIT ROW: with the edit made in a copy of the record, that row alone is another one.
falsified()
{
    rm -rf "$work/h200"
    mkdir "$work/h200" || exit 99
    for part in micro pipe clock tensor streams shares code queue waits stores; do
        mkdir "$work/h200/$part" && cp "$SRCDIR/validate/records/h200/$part"/*.c* "$work/h200/$part" || exit 99
    done
    chmod -R u+w "$work/h200"
    sed "$2" "$SRCDIR/validate/records/h200/$1" >"$work/h200/$1" || exit 99
    cmp -s "$SRCDIR/validate/records/h200/$1" "$work/h200/$1" && { echo "$1: nothing was falsified"; exit 99; }
    python3 "$fit" --header "$work/h200" >"$work/false" || exit 1
    diff "$header" "$work/false" | sed -n 's/^> *PARAM(\([a-z0-9_]*\),.*/\1/p' >"$work/changed"
    if [ "$(cat "$work/changed")" != "$3" ]; then
        echo "$1 falsified: the rows that change are '$(cat "$work/changed")', not $3"
        exit 1
    fi
    echo "$1 falsified: $3 changes"
}
falsified micro/micro.csv 's/^lat_ex2,\(.\),\([0-9.]*\),\([0-9.]*\),[0-9.]*/lat_ex2,\1,\2,\3,1280.00/' sfu_latency_cycles
falsified clock/clock.csv 's/^dsmem_load,\(.\),.*/dsmem_load,\1,300/' dsmem_latency_cycles
falsified code/code.csv '/^straight_1024,warm/d' code_sm_bytes
falsified queue/queue.csv 's/^\(backlog,generic,1,.*\),209$/\1,219/' atomic_told_cycles
falsified tensor/cycles.csv 's/^f64_k4,26.17,/f64_k4,31.2,/' tensor_f64_latency_cycles

# A row without a fit, in a copy of the program's surroundings.
mkdir -p "$work/top/validate/micro" "$work/top/sim" || exit 99
cp "$fit" "$work/top/validate/micro/" || exit 99
sed 's/PARAM(source_read_cycles, \(.*\)"MICRO25"/PARAM(source_read_cycles, \1"H200: micro nothing"/' "$header" \
    >"$work/top/sim/device_clock.h" || exit 99
cmp -s "$header" "$work/top/sim/device_clock.h" && { echo "no row was falsified"; exit 99; }
if python3 "$work/top/validate/micro/calibrate.py" "$SRCDIR/validate/records/h200" >/dev/null 2>"$work/says"; then
    echo "a row without a fit went unnoticed"
    exit 1
fi
grep -q source_read_cycles "$work/says" || { cat "$work/says"; exit 1; }
echo "a row that claims a record and has no fit is found"
