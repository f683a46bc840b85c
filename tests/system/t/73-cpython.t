#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: user
# budget: 400
# A choice of CPython's own test suite: data/cpython/compare.py runs it outside and inside, and says what is compared.
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"
. "${0%/*}/../data/cpython/cpython.sh"

compare_cpython short
assert_clean
done_testing
