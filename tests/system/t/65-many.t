#!/bin/sh
# SPDX-License-Identifier: MIT
# Many sandboxes alive at once, twenty of them starting at a time (B16, S15): none fails, what each costs is bounded, and the
# manager is afterwards as it was. tests/bench/scale prints the same figures.
# rung: box vm
# managers: system user
# vm-managers: system
# suites: trixie
# budget: 240
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# Emulated, a start takes a third of a second: a thousand of them are for the soak.
count=1000
if limits && [ "${CONFINE_SOAK:-1}" -eq 1 ]; then
    count=40
fi
COMMAND_SECONDS=$((220 * ${CONFINE_SOAK:-1}))
# Root's runs have a uid each, and the shipped range has 606.
range=
[ "$MANAGER" = user ] || range=-pUIDRange=1900000000-1900001999
# shellcheck disable=SC2086 # words
capture run_as python3 -S "$data/many.py" --manager "$MANAGER" --count "$count" --at-once 20 -- $run_words $range
# fact NAME: in whole units.
fact() {
    printf '%s\n' "$out" | sed -n "s/^$1 \([0-9]*\).*/\1/p"
}
diag "$out"
is "$(printf '%s\n' "$out" | sed -n 's/^bad //p')$err" '' "$count runs alive at once, 20 starting at a time: each starts, and ends by its SIGTERM"
is "$rc $(fact alive)" "0 $count" '... and all of them lived at the same time'
within "$(fact supervisor_pss_kib)" 50 1536 '... a waiting supervisor costs 1.5 MiB at most'
within "$(fact keeper_pss_kib)" 20 307 '... and its keeper 0.3 MiB'
is "$(fact units_after)" "$(fact units_before)" '... and the manager has as many units as before'
within "$(($(fact manager_kib_after) - $(fact manager_kib_before)))" -100000 8192 '... and its memory back'
# The ratio that is promised is the business of the benchmark: here another load of the machine decides.
within "$(fact start_ms_beside_all)" 1 "$((10 * $(fact start_ms_beside_1) + 100))" '... and a start beside them does not take ten times as long'

assert_clean
done_testing
