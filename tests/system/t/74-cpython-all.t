#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: long
# managers: user
# budget: 1800
# All of CPython's own test suite that runs without a terminal, the internet, or hours.
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"
. "${0%/*}/../data/cpython/cpython.sh"

compare_cpython all
assert_clean
done_testing
