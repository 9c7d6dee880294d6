#!/bin/sh
# Stands for cuda/runner where there is no GPU: the lines that it prints, with the simulator's buffers.
while [ $# -gt 1 ]; do
    [ "$1" != --repeat ] || shift
    shift
done
"$SIMTLAB" batch --mode counts "$1" 2>/dev/null | awk -f "$SRCDIR/tests/runner-lines.awk"
