#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: system user
# budget: 240
# B51: job control. A run on a terminal behaves as the program itself would; the scenarios are in data/terminal.py.
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

COMMAND_SECONDS=170
# shellcheck disable=SC2086 # words
capture run_as python3 "$data/terminal.py" "$bin" "$data" $run_words
is "$rc" 0 'every scenario was played'
while read -r first rest; do
    case $first in
    ok) ok "B51: $rest" ;;
    not) not_ok "B51: ${rest#ok }" ;;
    *) diag "$rest" ;;
    esac
done <"$captured/out"

assert_clean
done_testing
