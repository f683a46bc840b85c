#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# managers: system user
# vm-managers: system
# budget: 240
# What a program leaves behind: nothing of it outlives the return of confine, and the record counts it.
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# A number of seconds that no other command line has.
mark=$((1000000 + $$))

# escape NAME COUNT COMMAND...: the command exits 0 and leaves COUNT processes that have $mark in their command line.
escape() {
    name=$1
    count=$2
    shift 2
    rm -f result
    capture confine run --result="$tmp/result" --allow-run "$@"
    check "$name: nothing runs when confine returns" not_running "$mark"
    is "$rc: $(result '"\(.cause) \(.exit_status) \(.killed_after_exit)"')" "0: exit 0 $count" "$name: status 0, $count killed after exit"
    is "$(messages)" '' "$name: without a word"
}

# control NAME COMMAND...: unconfined it does stay.
control() {
    name=$1
    shift
    capture run_as "$@"
    check "$name: control: unconfined it stays" running "$mark"
    pkill -KILL -f "$mark" || :
}

# --- B39: descendants that leave

command="setsid sleep $mark >/dev/null 2>&1 & exit 0"
escape 'B39: a session of its own' 1 -- sh -c "$command"
control 'B39: a session of its own' sh -c "$command"

escape 'B39: a daemon by the book, which ignores every signal' 1 --allow-read="$data" -- python3 "$data/daemon.py" "$mark"
control 'B39: a daemon by the book' python3 "$data/daemon.py" "$mark"

escape 'B39: five of them' 5 -- sh -c "for i in 1 2 3 4 5; do (setsid sleep $mark &) </dev/null >/dev/null 2>&1; done"
escape 'B39: children in the same group' 2 -- sh -c "sleep $mark & sleep $mark & exit 0"
escape 'B39: a stopped one' 1 -- sh -c "sleep $mark & kill -STOP \$!; exit 0"
escape 'B39: one that ignores SIGTERM and SIGHUP' 1 -- \
    sh -c "trap '' TERM HUP; sleep $mark >/dev/null 2>&1 & exit 0"

rm -f result
capture confine run --result="$tmp/result" --allow-run -- "$bin/setsid-escape" hold
is "$rc: $out" '0: escaped' 'B39: one that holds stdout, in its own session'
# Its parent may still be on its way out.
within "$(result .killed_after_exit)" 1 2 'B39: is counted'
check 'B39: it is gone' sh -c '! pgrep -x setsid-escape'

# Not a fixed number of them, but more all the time while the program ends.
capture confine run --result="$tmp/result" --allow-run --tasks=100 -- \
    sh -c "(trap '' TERM; while :; do sleep $mark & sleep 0.01; done) >/dev/null 2>&1 & sleep 0.2; exit 7"
is "$rc" 7 'one that keeps forking: the status is the one of the program'
check 'one that keeps forking: nothing is left' not_running "$mark"
within "$(result .killed_after_exit)" 2 100 'and they are counted'

# The other ends count them too.
rm -f result
capture confine run --result="$tmp/result" --allow-run -- sh -c "setsid sleep $mark >/dev/null 2>&1 & kill -KILL \$\$"
is "$rc: $(result '"\(.cause) \(.signal) \(.killed_after_exit)"')" '137: signal 9 1' 'after a death by signal as well'
check 'and nothing is left' not_running "$mark"

# --- what ignores SIGTERM, at the deadline

spawn confine run --result="$tmp/result" --allow-run --timeout=1s -p TimeoutStopSec=1s -- "$bin/ignoreterm"
finish "$pid"
is "$rc: $(result '"\(.cause) \(.limit) \(.error)"')" '124: timeout RuntimeMaxSec ExecutionTimeout' \
    'B19: a program that ignores SIGTERM is killed after the grace'
within "$(result .duration_usec)" 2000000 "$(pick 3500000 9000000)" 'B19: at its end, not later'
check 'B19: it is gone' sh -c '! pgrep -x ignoreterm'

# A child that ignores it has no grace of its own: the program's end is the end.
spawn confine run --result="$tmp/result" --allow-run -p TimeoutStopSec=30s -- sh -c "$bin/ignoreterm & echo started; exit 0"
finish "$pid"
is "$rc: $(result .killed_after_exit)" '0: 1' 'a child that ignores SIGTERM is killed when the program ends'
within "$(result .duration_usec)" 1 10000000 'without the grace'

# --- B50: work stops when confine returns

: >ticks
chmod 0666 ticks
capture confine run --result="$tmp/result" --allow-run --timeout=1s -p TimeoutStopSec=500ms --allow-write="$tmp/ticks" -- \
    sh -c "trap '' TERM; (trap '' TERM; while :; do date >>ticks; sleep 0.0$mark; done) & while :; do date >>ticks; sleep 0.1; done"
size=$(wc -c <ticks)
is "$rc" 124 'B50: the deadline ends the run'
isnt "$size" 0 'B50: which worked until then'
check 'B50: no process of it is left' not_running "0.0$mark"
capture confine run --allow-run -- sleep 0.5
is "$(wc -c <ticks)" "$size" 'B50: and nothing works on'

# --- B45: zombies

n=1000
mkfifo end
chmod 0666 end
exec 9<>end
spawn in_shell "exec \$run --allow-run --tasks=1100 --allow-read=$data -- python3 -S $data/zombies.py $n <end 9<&-"
check 'B45: a program that never waits has its zombies' wait_for 60 has_output ready
worker=$(worker_of "$pid")
# The orphan's parent is gone, so its zombie is nobody's that stays.
is "$(pgrep -c -r Z -P "$worker")" "$((n + 1))" "B45: $((n + 1)) of them, all its own"
is "$(pgrep -c -r Z -P "$pid" || :)" 0 'B45: none is confine'\''s'
is "$(pgrep -c -P "$pid")" 2 'B45: which has its two children'
exec 9>&-
finish "$pid"
is "$rc" 0 'B45: and the program ends by itself'
# The program's own were handed to PID 1, which reaps them one by one.
no_zombie() {
    ! pgrep -r Z python3
}
check 'B45: no zombie of it is left in the system' wait_for 20 no_zombie

assert_clean
done_testing
