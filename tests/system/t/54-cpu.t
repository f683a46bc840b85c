#!/bin/sh
# SPDX-License-Identifier: MIT
# CPUQuota: what a run used and how often it was held back, as the kernel counted it. The clock of an emulated machine says
# nothing, so both sides of each comparison come from the record.
# rung: vm
# managers: system user
# budget: 240
# shellcheck disable=SC2016 # what is in single quotes is for the program under test
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/limits.sh"

# within_quota PERCENT: what the last run used is at most that share of its time; a period (100 ms) may be begun, and each
# processor may overrun its slice (5 ms) by the tick that ends it, which an emulated one delivers late.
within_quota() {
    used=$(facts cpu_usec)
    most=$(($(facts duration_usec) * $1 / 100 + 100000 * $1 / 100 + 25000 * $(nproc)))
    at_most "$used" "$most" || complain "used $used us, allowed $most us"
}

# held_back LOW: throttled in at least that many periods, and for some time.
held_back() {
    at_least "$(facts cpu_throttled_periods)" "$1" || complain "cpu_throttled_periods: $(facts cpu_throttled_periods)"
    at_least "$(facts cpu_throttled_usec)" 1 || complain "cpu_throttled_usec: $(facts cpu_throttled_usec)"
}

busy='while :; do :; done'

for round in $(seq "$(loops 0 3)"); do
    confined --cpu=25% --timeout=1s -- sh -c "$busy"
    [ "$rc $(facts cause limit)" = '124 timeout RuntimeMaxSec' ] || complain "round $round: $rc $err"
    # Ten periods in a second; the first and the last one may be short.
    held_back 5
    within_quota 25
done
none_wrong 'CPUQuota=25%: a busy loop is held back in every period, and uses no more than its share, 3 times in a row'

confined -p CPUQuota=25% --timeout=1s --allow-run -- sh -c "($busy) & ($busy) & $busy"
held_back 5
within_quota 25
none_wrong '... three busy loops share it'
confined --cpu=10% --timeout=1s -- sh -c "$busy"
held_back 5
within_quota 10
none_wrong 'CPUQuota=10% is less'
confined --cpu=400% --timeout=1s -- sh -c "$busy"
is "$rc $(facts cpu_throttled_periods cpu_throttled_usec)" '124 0 0' 'control: with CPUQuota=400% it is not held back'
used_free=$(facts cpu_usec)
at_least "$used_free" 300000 || complain "$used_free us"
none_wrong '... and uses more than a quarter of its second'
confined --timeout=2s --allow-run -- sh -c "($busy) & $busy"
held_back 5
within_quota 100
none_wrong 'the shipped default is one processor: two busy loops are held back'

# A program that ends by itself is not made to fail by it, only to take its time.
confined --cpu=20% --allow-run -- sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; exit 3'
is "$rc $err $(facts cause exit_status limit)" '3  exit 3 -' 'a run that is held back ends by itself, and nothing is said'
held_back 1
within_quota 20
none_wrong '... though it was held back'

assert_clean
done_testing
