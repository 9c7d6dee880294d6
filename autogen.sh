#!/bin/sh
# Makes ./configure from a checkout of the repository.
set -e
cd "$(dirname "$0")"
autoreconf --force --install --warnings=all
