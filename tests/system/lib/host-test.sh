# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# shellcheck disable=SC2034 # for the tests
# What packages.t and tools.t share, which run on the host, by prove and as root: $tmp, the counts of the TAP, and that the guests in
# $started (box, vm; tools in $here) are stopped at the end. What make has handed on is forgotten.

tmp=$(mktemp -d)
started=
n=0
failed=0
unset MAKEFLAGS MFLAGS MAKELEVEL GNUMAKEFLAGS

at_exit() {
    for guest in $started; do
        "${here:?}/$guest" stop
    done
    rm -rf "$tmp"
}
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

done_testing() {
    echo "1..$n"
    exit "$failed"
}
