#!/bin/sh
# SPDX-License-Identifier: MIT
# S13: what cannot be killed is told, by id and unit, and is no part of the run's own end.
# rung: box vm
# managers: system user
# vm-managers: user
# budget: 120
# shellcheck disable=SC2016 # scripts for inner shells
set -eu
. "${0%/*}/../lib/lib.sh"

mkfifo go hold "$captured/never"
chmod 0666 go

# The number that the host knows the child by, once it is what it will be.
find_child() {
    child=$(grep -lx sleep /proc/[0-9]*/comm 2>/dev/null | while IFS=/ read -r _ _ number _; do
        case $(cat "/proc/$number/cgroup" 2>/dev/null) in *"${scope##*/}"*) echo "$number" ;; esac
    done)
    [ -n "$child" ]
}

# orphan HOLD...: a run whose program ends while a child of it is there; HOLD is done to the child before.
orphan() {
    : >"$captured/out" # what an earlier run said is not this one's
    spawn confine run --label=job=orphan --allow-run --allow-read="$tmp" -- sh -c 'exec sleep 1000 & echo $!; read -r _ <"$1"; exit 7' sh "$tmp/go"
    wait_for 20 test -s "$captured/out" || bail_out 'the run did not start'
    # Other cgroups may go while it looks.
    scope=$(find /sys/fs/cgroup -type d -name 'confine-*.scope' || :)
    wait_for 20 find_child || bail_out 'the child is not there'
    "$@"
    echo >go
    finish "$pid"
}

orphan true
is "$rc: $err" '7: ' 'control: a child that can be killed is, and the status is that of the program'

hold_child() {
    python3 "$tests_dir/data/hold.py" "$child" <"$captured/never" >"$captured/held" &
    holder=$!
    # Opened here, so that it is this shell that ends it.
    exec 9>"$captured/never"
    wait_for 20 grep -q held "$captured/held" || bail_out 'the child is not held'
}
orphan hold_child
is "$rc" 124 'S13: what outlives its kill makes the status 124'
like "$err" "^confine: processes of '${scope##*/}' survive the kill .*\[OrphanedSandboxWarning\]$" 'S20: and is told by name'
journalctl --sync
record=$(journalctl --quiet --output=verbose CONFINE_ERROR=OrphanedSandboxWarning "CONFINE_UNIT=${scope##*/}")
id=${scope##*/confine-}
like "$record" "CONFINE_ID=${id%.scope}\$" 'S13: and in the journal, with its id'
like "$record" 'CONFINE_LABEL_JOB=orphan$' 'S15: and its labels'
unit=${scope##*/}
events=$(journalctl --output=cat --output-fields=CONFINE_EVENT CONFINE_UNIT="$unit" | tr '\n' ' ')
is "$events" 'start orphan end ' 'and recorded as an orphan'
check 'control: it did outlive it' test -d "/proc/$child"
exec 9>&-
wait "$holder" || :
check 'and is gone when it can be' wait_for 20 ended "$child"
assert_clean
done_testing
