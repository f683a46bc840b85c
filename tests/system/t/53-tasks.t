#!/bin/sh
# SPDX-License-Identifier: MIT
# TasksMax: forks and threads stop at the number, the run says so, and its own end is its own.
# rung: vm
# managers: system user
# budget: 240
# shellcheck disable=SC2016 # what is in single quotes is for the program under test
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/limits.sh"


for round in $(seq "$(loops 0 20)"); do
    confined --tasks=16 --allow-run -- perl -e "$forks" 7
    got="$rc $out $(facts cause exit_status limit tasks_peak tasks_refused killed_after_exit)"
    # 16 with the program itself.
    [ "$got" = "7 15, $eagain exit 7 - 16 1 15" ] || complain "round $round: $got"
    [ "$err" = 'confine: TasksMax=16 reached: 1 forks or threads refused: raise it with --tasks= [ResourceLimitExceeded]' ] ||
        complain "round $round: $err"
done
none_wrong 'B33: a fork loop stops at TasksMax=16, with EAGAIN and figures, and ends as it likes, 20 times in a row'
confined --tasks=64 --allow-run -- perl -e '
    for (1 .. 40) { $child = fork; exit 3 if !defined $child; if (!$child) { sleep 1000; exit } }
    exit 7'
is "$rc $err $(facts cause tasks_peak tasks_refused)" '7  exit 41 0' 'control: 40 of them fit into TasksMax=64, and nothing is said'
confined --tasks=1 --allow-run -- perl -e "$forks" 7
journalctl --sync
is "$(journalctl --output=json CONFINE_ID="$(facts id)" | jq -r 'select(.CONFINE_EVENT == "limit") | .CONFINE_LIMIT')" TasksMax \
    'S19: it is recorded when it is reached'
is "$rc $out $(facts tasks_peak tasks_refused)" "7 0, $eagain 1 1" 'TasksMax=1 is the program alone: the keeper takes nothing of it'

# --- threads count (B34)

threads='
import threading
started = 0
stop = threading.Event()
try:
    while True:
        threading.Thread(target=stop.wait).start()
        started += 1
except RuntimeError as e:
    print(started, e)
stop.set()
raise SystemExit(5)'
confined --tasks=16 -- python3 -c "$threads"
is "$rc $out" "5 15 can't start new thread" 'a thread loop stops at TasksMax=16 without --allow-run too, and ends as it likes'
is "$(facts cause exit_status limit tasks_peak tasks_refused)" 'exit 5 - 16 1' '... with the figures in the JSON'
is "$err" 'confine: TasksMax=16 reached: 1 threads refused: raise it with --tasks=, or have numerical libraries start fewer with -p Environment=OMP_NUM_THREADS=1 [ResourceLimitExceeded]' \
    'B34: ... and on stderr, with a hint where only threads can have been refused'
confined --tasks=16 -q -- python3 -c "$threads"
is "$rc $err $(facts tasks_refused)" '5  1' '... but for -q'

# --- B33: a bomb

now
begin=$now
confined --tasks=64 --allow-run --timeout=3s -p TimeoutStopSec=1s -- sh -c '
    bomb() {
        bomb | bomb &
    }
    bomb
    exec sleep 1000'
now
is "$rc $(facts cause limit tasks_peak)" '124 timeout RuntimeMaxSec 64' 'B33: a fork bomb is held at 64 and ends with its time'
if at_least "$(facts tasks_refused)" 1; then
    ok '... with the forks counted'
else
    not_ok '... with the forks counted'
    diag "tasks_refused: $(facts tasks_refused)"
fi
like "$err" '^confine: TasksMax=64 reached: [1-9][0-9]* forks or threads refused: ' '... and told'
# A second natively. Emulated, and with a bomb on both processors until the end, five.
within $((now - begin)) 300 $((300 + 500)) '... and cleared away at once (in hundredths of a second)'
is_empty() {
    [ "$(find "$slice_dir" -name cgroup.procs -exec cat {} + 2>/dev/null | wc -l)" -eq 0 ]
}
check '... with no process of it left' wait_for 1 is_empty
# The host: a process can be started, and there are no more of them than before.
capture run_as sh -c 'sh -c "echo fine"'
is "$rc $out" '0 fine' '... and the host is fine'

# One that does not wait for its end: what is left is killed, and counted.
confined --tasks=64 --allow-run -- sh -c '
    bomb() {
        bomb | bomb &
    }
    bomb
    exit 9'
is "$rc $(facts cause exit_status)" '9 exit 9' 'a bomb whose first process ends: its status'
check '... and no process of it left' wait_for 1 is_empty

# A descendant, not the program, meets the limit.
confined --tasks=8 --allow-run -- sh -c 'perl -e "$1" 7 & wait $!; echo "child: $?"; exit 0' sh "$forks"
is "$rc $(printf '%s' "$out" | tr '\n' ' ') $(facts cause tasks_peak tasks_refused)" \
    "0 6, $eagain child: 7 exit 8 1" 'a descendant meets TasksMax=8: counted, and the program goes on'

assert_clean
done_testing
