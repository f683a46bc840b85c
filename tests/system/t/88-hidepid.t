#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: system
# budget: 60
# S13: on a host whose /proc hides the processes of others, a run is not taken for one that has lost its supervisor.
# shellcheck disable=SC2016 # scripts for inner shells
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

trap 'mount -o remount,hidepid=off /proc; at_exit' EXIT

# seen: the state of the run, as alice sees it.
seen() {
    as_alice /usr/bin/confine list --system --json | jq -r '.runs[0].state'
}

# start: a run of root. Sets $pid, its supervisor.
start() {
    spawn confine run --allow-run -- sh -c 'echo ready; sleep 1000 & wait'
    wait_for 20 has_output ready || bail_out 'the run did not start'
}

start
is "$(seen)" running 'control: anybody may see the runs of root'
mount -o remount,hidepid=invisible /proc
check 'control: alice does not see its supervisor any more' as_alice test ! -e "/proc/$pid"
is "$(seen)" running 'S13: a supervisor that is hidden is not gone'
capture as_alice /usr/bin/confine reap --system
is "$rc: $out" '0: ' '... and there is nothing to reap'
capture as_alice /usr/bin/confine kill --system --signal=TERM --all
is "$rc" 1 '... and who may not see its program has not signalled it'
like "$err" "cannot be ended: Permission denied: it is another user's" 'S20: as is told'
journalctl --sync
capture env setpriv --reuid=alice --regid=alice --groups=systemd-journal --inh-caps=-all env -i /usr/bin/confine log --json --no-pager --cause=running
is "$rc: $(jq -r .state "$captured/out")" '0: running' 'S19: nor has its record lost its end'

mount -o remount,hidepid=noaccess /proc
check 'control: alice may not look into it any more' as_alice sh -c '! cat "$1"' sh "/proc/$pid/stat" 2>/dev/null
is "$(seen)" running 'S13: nor is one that nobody else may look into'

forsake "$pid"
is "$(seen)" orphaned 'S13: one that is gone is not taken for a hidden one, though nobody has waited for it'
wait "$pid" 2>/dev/null || :
pid=
is "$(seen)" orphaned '... nor when somebody has'
capture confine reap --kill
is "$rc" 0 'and the reaper of root ends what it was for'

assert_clean
done_testing
