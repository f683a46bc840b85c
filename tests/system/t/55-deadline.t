#!/bin/sh
# SPDX-License-Identifier: MIT
# RuntimeMaxSec, held by the supervisor, by the keeper if that is stopped, and by systemd if both are gone.
# rung: vm
# managers: system user
# budget: 240
# shellcheck disable=SC2016 # what is in single quotes is for the program under test
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/limits.sh"

# takes LOW HIGH DESCRIPTION: milliseconds, by the record. The upper bounds of the design have 1 s in them; emulated, give it 5.
takes() {
    within "$(($(facts duration_usec) / 1000))" "$1" "$(($2 + 4000))" "$3"
}

told='reached: the run was ended: raise it with --timeout= [ExecutionTimeout]'

# --- by the supervisor

for round in $(seq "$(loops 0 20)"); do
    confined --timeout=300ms -- sleep 1000
    got="$rc $out $(facts cause limit error signal)"
    [ "$got" = '124  timeout RuntimeMaxSec ExecutionTimeout 15' ] || complain "round $round: $got"
    [ "$err" = "confine: RuntimeMaxSec=300ms $told" ] || complain "round $round: $err"
done
none_wrong 'the deadline of 300ms ends a run, and is named: 20 times in a row'
id=$(facts id)
check '... in the journal too' wait_for 10 recorded "$id" ': ended: timeout, signal 15, '
like "$(journal CONFINE_EVENT=end "CONFINE_ID=$id")" ': RuntimeMaxSec=300ms reached: ' '... with the limit and its value'

confined --timeout=1s --allow-run -- sleep 1000
is "$rc $err $(facts cause)" "124 confine: RuntimeMaxSec=1s $told timeout" '--timeout=1s'
takes 1000 2000 '... comes after a second'
confined --timeout=1s --allow-run -- sh -c 'trap "echo bye; exit 5" TERM; while :; do sleep 0.1; done'
is "$rc $out $(facts cause exit_status)" '124 bye timeout 5' 'SIGTERM comes first: a program can end in order, and the cause stays'
takes 1000 2000 '... without waiting for the grace'
confined -- sh -c 'exit 124'
is "$rc $err $(facts cause exit_status error)" '124  exit 124 -' 'control: a program that exits with 124 has not timed out'
confined --timeout=30s -- true
is "$rc $err $(facts cause)" '0  exit' 'control: an end before the deadline'

# --- B19: SIGTERM ignored

confined --timeout=1s -p TimeoutStopSec=1s --allow-run -- sh -c 'trap "" TERM; while :; do sleep 0.1; done'
is "$rc $(facts cause limit signal)" '124 timeout RuntimeMaxSec 9' 'B19: who ignores SIGTERM is killed after TimeoutStopSec'
takes 2000 3000 '... and not later'
confined --timeout=1s -p TimeoutStopSec=30s --allow-run -- sh -c 'sh -c "trap \"\" TERM; while :; do sleep 0.1; done" & sleep 1000'
is "$rc $(facts cause signal)" '124 timeout 15' 'a descendant that ignores SIGTERM'
takes 1000 2000 '... goes with the program, not after the grace'
isnt "$(facts killed_after_exit)" 0 '... and is counted'

# --- stopped programs

# A plain program that stops itself would wait for a SIGCONT; a run has a deadline.
spawn confine run "--result=$tmp/result" --timeout=1s -p TimeoutStopSec=1s -- sh -c 'echo started; kill -STOP $$; echo went on'
if wait_for 20 ended "$pid"; then
    finish "$pid"
    is "$rc $(facts cause limit)" '124 timeout RuntimeMaxSec' 'a program that stops itself ends with its deadline'
else
    not_ok 'a program that stops itself ends with its deadline'
    diag "after 20 s confine is in state $(state_of "$pid")"
    kill -CONT "$pid"
    finish "$pid"
    diag "continued: status $rc, $(facts cause limit)"
fi
spawn confine run "--result=$tmp/result" --timeout=1s -p TimeoutStopSec=1s --allow-run -- sh -c 'sh -c "kill -STOP \$\$" & exec sleep 1000'
finish "$pid"
is "$rc $(facts cause limit signal killed_after_exit)" '124 timeout RuntimeMaxSec 15 1' 'a descendant that stops itself ends too'
background --timeout=2s -p TimeoutStopSec=1s --allow-run -- sh -c 'trap "" TERM; echo started; while :; do sleep 0.1; done'
echo 1 >"$scope/run/cgroup.freeze"
finish "$pid"
is "$rc $(facts cause limit signal)" '124 timeout RuntimeMaxSec 9' 'a frozen one that ignores SIGTERM ends too'

# --- by the keeper: the supervisor is stopped, and nobody wakes it. (Three seconds, so that there is time to stop it.)

background --timeout=3s -p TimeoutStopSec=60s --allow-run -- sh -c 'echo started; exec sleep 1000'
kill -STOP "$pid" || :
check 'control: the supervisor is stopped' wait_for 5 in_state "$pid" T
finish "$pid"
is "$rc $err $(facts cause limit signal)" "124 confine: RuntimeMaxSec=3s $told timeout RuntimeMaxSec 15" \
    'the supervisor stopped: the keeper sends SIGTERM at the deadline, and wakes it to tell'
# systemd would come at 65 s.
takes 3000 5000 '... not systemd'
background --timeout=2s -p TimeoutStopSec=4s --allow-run -- sh -c 'trap "" TERM; echo started; while :; do sleep 0.1; done'
kill -STOP "$pid" || :
finish "$pid"
is "$rc $(facts cause limit signal)" '124 timeout RuntimeMaxSec 9' 'the supervisor stopped and SIGTERM ignored: the keeper kills'
# systemd would kill at 12 s.
takes 7000 7900 '... after TimeoutStopSec, and before systemd'

# --- by systemd: nobody is there who knows. Two runs at a time, since each takes all of its seconds.

unloaded() {
    [ "$(run_as systemctl "$manager_option" show --property=LoadState --value "$1")" = not-found ]
}
runtime_limit() {
    journalctl --sync
    run_as journalctl --quiet --no-pager "$manager_option" --output=cat --unit="$1" | grep -q 'reached runtime time limit'
}

# One whose supervisor stays stopped until all is over, and knows of it afterwards only.
result_file=$tmp/result.stopped
background --timeout=3s -p TimeoutStopSec=1s --allow-run -- sh -c 'echo started; exec sleep 1000'
kill -STOP "$pid" "$keeper" || :
result_file=$tmp/result
stopped=$pid
stopped_unit=$unit
mv "$captured/err" "$captured/err.stopped"
# One whose supervisor and keeper are killed: not one after the other, since each would notice the end of the other one.
background --timeout=3s -p TimeoutStopSec=1s --allow-run -- sh -c '
    sh -c "trap \"\" TERM INT HUP; while :; do sleep 0.1; done" &
    echo started
    wait'
kill -STOP "$pid" "$keeper" || :
kill -KILL "$pid" "$keeper" || :
finish "$pid"
isnt "$(wc -l <"$scope/run/cgroup.procs")" 0 'supervisor and keeper killed: control: something of the run is alive'
check '... and systemd ends it' wait_for 20 absent "$scope"
check '... at its RuntimeMaxSec' wait_for 30 runtime_limit "$unit"
check 'supervisor and keeper stopped: systemd ends the run, and forgets it' wait_for 30 unloaded "$stopped_unit"
# The keeper may have woken it at its own end.
kill -CONT "$stopped" 2>/dev/null || :
stopped_rc=0
wait "$stopped" || stopped_rc=$?
is "$stopped_rc $(facts_of "$tmp/result.stopped" cause limit)" '124 timeout RuntimeMaxSec' \
    '... and the supervisor names the cause when it goes on'

# --- B05, and B50

background --allow-run -- sh -c '
    trap "" TERM INT HUP
    setsid sh -c "trap \"\" TERM INT HUP; while :; do sleep 0.1; done" &
    echo started
    while :; do sleep 0.1; done'
kill -KILL "$pid" || :
# Within a second natively; the deadline of this run is minutes away.
check 'B05: the supervisor killed: the keeper ends the run at once' wait_for 5 absent "$scope"
finish "$pid"

: >"$disk/work"
chmod 0666 "$disk/work"
confined --timeout=1s "--allow-write=$disk" --allow-run -- sh -c '
    while :; do echo x >>"$1"; done & while :; do echo x >>"$1"; done' sh "$disk/work"
size=$(stat -c %s "$disk/work")
is "$rc $(facts cause)" '124 timeout' 'B50: a run that writes ends with its time'
isnt "$size" 0 '... control: it wrote'
capture confine run -- true
is "$(stat -c %s "$disk/work")" "$size" '... and nothing is written any more after confine returned'

assert_clean
done_testing
