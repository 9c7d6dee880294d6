#!/bin/sh
# From a bare Debian or Ubuntu to a result, in one command:
#
#     ./setup.sh demo     builds simtlab and shows the guide's three transposes beside what a real H200 counted
#     ./setup.sh check    builds it and runs every test
#
# What is missing is installed with apt-get, as root or through sudo; where neither is possible, the script prints the
# one command to run and stops. Debian 12 and 13, Ubuntu 22.04 and 24.04.
set -eu
cd "$(dirname "$0")"

build_packages='autoconf automake libtool pkg-config gcc libc6-dev make libjansson-dev libelf-dev'
test_packages='check libsubunit-dev zlib1g-dev mandoc'
optional_packages='clang'

usage()
{
    sed -n '2,8s/^# \{0,1\}//p' "$0"
    exit 2
}

# The packages of "$@" that are not installed.
missing()
{
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || printf '%s ' "$package"
    done
}

# Everything there already, by whatever way? Then no package is needed.
can_build()
{
    command -v autoreconf && command -v libtoolize && command -v pkg-config && command -v make &&
        command -v "${CC:-gcc}" && pkg-config --exists 'jansson >= 2.10' 'libelf >= 0.170'
}
can_test()
{
    pkg-config --exists 'check >= 0.15' zlib && command -v mandoc
}

# install PACKAGE...
install()
{
    if ! command -v apt-get >/dev/null; then
        echo "setup.sh: this system has no apt-get; install what these Debian packages hold: $*" >&2
        exit 1
    fi
    if [ "$(id -u)" -eq 0 ]; then
        as_root=
    elif sudo -n true 2>/dev/null; then
        as_root='sudo -n'
    elif [ -t 0 ] && command -v sudo >/dev/null; then
        as_root=sudo
    else
        echo "setup.sh: packages are missing; run this as root, then again ./setup.sh:" >&2
        echo "    apt-get update && apt-get install -y --no-install-recommends $*" >&2
        exit 1
    fi
    $as_root apt-get update -q
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

build()
{
    [ -x configure ] || ./autogen.sh
    [ -f Makefile ] || ./configure ${SIMTLAB_CONFIGURE:-}
    make -j"$(getconf _NPROCESSORS_ONLN)"
}

[ $# -eq 1 ] || usage
case $1 in
demo)
    if ! can_build >/dev/null; then
        install $(missing $build_packages)
    fi
    build
    sh validate/transposes.sh
    ;;
check)
    if ! can_build >/dev/null || ! can_test >/dev/null; then
        install $(missing $build_packages $test_packages)
    fi
    if [ "${CI:-}" = true ] && ! command -v clang >/dev/null; then
        install $optional_packages || echo "setup.sh: goes on without $optional_packages: its tests are skipped"
    fi
    build
    make check
    ;;
*)
    usage
    ;;
esac
