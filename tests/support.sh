# What the scripts that test the command share; they read it with `. "$SRCDIR/tests/support.sh"`.
#
# work is a folder of the script's own, gone at its end. checks and failures count; a script prints them and ends with
# `[ $failures -eq 0 ]`. Files without a leading slash are in work.
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0
checks=0

fail()
{
    echo "FAIL: $*"
    failures=$((failures + 1))
}

in_work()
{
    case $1 in
    /*) echo "$1" ;;
    *) echo "$work/$1" ;;
    esac
}

# expect STATUS COMMAND...: stdout in out, stderr in err.
expect()
{
    want=$1
    shift
    checks=$((checks + 1))
    "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    if [ $got -ne "$want" ]; then
        fail "$* exits with $got, not $want"
        sed 's/^/    /' "$work/err"
    fi
}

# has FILE TEXT: the fixed text stands in it.
has()
{
    checks=$((checks + 1))
    grep -qF -- "$2" "$(in_work "$1")" || { fail "$1 lacks: $2"; sed 's/^/    /' "$(in_work "$1")" | head -n 30; }
}

lacks()
{
    checks=$((checks + 1))
    ! grep -qF -- "$2" "$(in_work "$1")" || fail "$1 has: $2"
}
