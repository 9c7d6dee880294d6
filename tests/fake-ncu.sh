#!/bin/sh
# Stands for ncu where there is no GPU: runs the program, and writes for each launch of its list the row that ncu would,
# with the simulator's own figures. Knows what validate/run asks: --log-file, --metrics, and the runner behind them.
set -u
log= metrics= repeat=1 only=
case $1 in --version) echo "Version 2025.0 (fake)"; exit 0 ;; esac
while [ $# -gt 0 ]; do
    case $1 in
    --log-file) log=$2; shift ;;
    --metrics) metrics=$2; shift ;;
    --page | --print-units | --clock-control | --cache-control | --print-kernel-base) shift ;;
    --*) ;;
    *) break ;;
    esac
    shift
done
case ,$metrics, in
*,no__such_metric,*) echo "==ERROR== Failed to find metric no__such_metric" >"$log"; exit 1 ;;
esac
runner=$1
shift
"$runner" "$@" || exit 1
while [ $# -gt 1 ]; do
    case $1 in
    --repeat) repeat=$2; shift ;;
    --only) only="$only --only $2"; shift ;;
    esac
    shift
done
# shellcheck disable=SC2086 # words
"$SIMTLAB" batch $only "$1" 2>/dev/null | awk -v metrics="$metrics" -v repeat="$repeat" '
    function value(key,    at, rest) {
        at = index($0, "\"" key "\": ")
        if (!at) return ""
        rest = substr($0, at + length(key) + 4)
        gsub(/^"/, "", rest)
        match(rest, /^[-+.A-Za-z0-9_]+/)
        return substr(rest, 1, RLENGTH)
    }
    function dims(key,    at, rest) {
        at = index($0, "\"" key "\": [")
        rest = substr($0, at + length(key) + 5)
        return "(" substr(rest, 1, index(rest, "]") - 1) ")"
    }
    BEGIN {
        count = split(metrics, name, ",")
        printf "==PROF== Connected to process 1\n\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\""
        for (i = 1; i <= count; i++) printf ",\"%s\"", name[i]
        printf "\n\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\""
        for (i = 1; i <= count; i++) printf ",\"\""
        print ""
    }
    /"status": "ok"/ {
        for (k = 0; k < repeat; k++) {
            printf "\"%d\",\"1\",\"runner\",\"host\",\"%s\",\"1\",\"7\",\"%s\",\"%s\",\"0\",\"9.0\"", id++, value("kernel"), dims("block"), dims("grid")
            for (i = 1; i <= count; i++) {
                v = value(name[i])
                printf ",\"%s\"", v == "" ? "n/a" : v
            }
            print ""
        }
    }' >"$log"
