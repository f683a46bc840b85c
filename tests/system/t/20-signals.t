#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# managers: system user
# vm-managers: user
# budget: 240
# Signals of kill(2): they reach the program once, whoever of the group they were sent to, and a second request ends it.
# shellcheck disable=SC2016 # scripts for inner shells
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

signals="python3 -S $data/signals.py"

# start SCRIPT: spawns a run in a process group of its own and waits until its program says ready.
start() {
    rm -f result
    # The shell of the command empties it too, but later than the first look at it may be.
    : >"$captured/out"
    spawn in_shell "exec setsid \$run --result=$tmp/result --allow-read=$data $1"
    wait_for 20 has_output ready || diag "not ready: $1: $(cat "$captured/err")"
}

# send SIGNAL [TARGET]: and waits until the program has printed it.
send() {
    lines=$(wc -l <"$captured/out")
    kill -s "$1" -- "${2:-$pid}" || :
    wait_for 10 has_lines $((lines + 1)) || diag "$1 did not arrive"
}

has_lines() {
    [ "$(wc -l <"$captured/out")" -ge "$1" ]
}

# end_of: how the JSON tells it.
end_of() {
    result '"\(.cause) \(.exit_status) \(.signal)"'
}

# --- B48: to confine alone, and to its group

start "-p TimeoutStopSec=60s -- $signals USR2 7"
for signal in HUP QUIT USR1 CONT HUP TERM USR2; do
    send "$signal"
done
finish "$pid"
is "$out" 'ready
HUP
QUIT
USR1
CONT
HUP
TERM
USR2' 'B48: each signal to confine reaches the program, once'
is "$rc: $(end_of)" '7: exit 7 null' 'B48: and it may answer one by exiting'
start "-p TimeoutStopSec=60s -- $signals USR1 7"
send INT
send USR2
send USR1
finish "$pid"
is "$rc: $out" '7: ready
INT
USR2
USR1' 'B48: the other two as well'

start "-p TimeoutStopSec=60s -- $signals USR2 7"
for signal in HUP QUIT USR1 CONT TERM; do
    send "$signal" "-$pid"
done
send USR2
finish "$pid"
is "$rc: $out" '7: ready
HUP
QUIT
USR1
CONT
TERM
USR2' 'B48: each signal to the whole group arrives once'

rounds=$(loops 200 10)
# shellcheck disable=SC2086 # words
capture run_as python3 "$data/deliver.py" "$rounds" $run_words -q --allow-read="$data" -- $signals USR2 7
is "$out" "alone lost 0 USR1 $rounds USR2 1 status 7
group lost 0 USR1 $rounds USR2 1 status 7
turns lost 0 USR1 $rounds USR2 1 status 7" "B48: of $rounds signals none is lost and none comes twice, alone, to the group and in turns"

# --- a program that dies by them

for case in $(pick 'TERM:15 INT:2 HUP:1 QUIT:3 USR1:10 USR2:12' 'TERM:15 HUP:1'); do
    start '--allow-run -- sh -c "echo ready; exec sleep 1000"'
    kill -s "${case%:*}" "$pid" || :
    finish "$pid"
    is "$rc: $(end_of)" "$((128 + ${case#*:})): signal null ${case#*:}" "B48: SIG${case%:*} ends a program that does not catch it"
done
start '--allow-run -- sh -c "echo ready; exec sleep 1000"'
kill -s KILL "$(worker_of "$pid")"
finish "$pid"
is "$rc: $(end_of)" '137: signal null 9' 'a kill of the program from outside is a death by signal'

# P6: a program that could have the kernel signal the group of its terminal, O_ASYNC, is denied that; and confine stands it.
spawn run_as sleep 1000
kill -s IO "$pid"
finish "$pid"
is "$rc" 157 'control: SIGIO ends a process that does not know it'
start "-- $signals USR2 7"
kill -s IO "$pid"
send USR2
finish "$pid"
is "$rc: $(end_of)" '7: exit 7 null' 'SIGIO does not end confine, and does not reach the program'

# --- requests to end, and what follows them

start "-p TimeoutStopSec=50s -- $signals USR2 7"
send TERM
kill -s TERM "$pid"
finish "$pid"
is "$rc: $(end_of)" '137: killed null 9' 'B48: a second SIGTERM kills'
start "-p TimeoutStopSec=50s -- $signals USR2 7"
send INT
kill -s TERM "$pid"
finish "$pid"
is "$rc: $(end_of)" '137: killed null 9' 'SIGINT and then SIGTERM are two as well'
start "-p TimeoutStopSec=50s -- $signals USR2 7"
send HUP
send HUP
send QUIT
send QUIT
send USR2
finish "$pid"
is "$rc: $(end_of)" '7: exit 7 null' 'others are no request, however many'

# Ended within its grace, which nobody is there to see before that is over: stopped here, on a busy machine without its turn.
start "-p TimeoutStopSec=2s -- $signals QUIT 7"
keeper=$(keeper_of "$pid")
worker=$(worker_of "$pid")
send TERM
kill -STOP "$pid" "$keeper" || :
send QUIT "$worker"
wait_for 3 false || :
kill -CONT "$keeper" "$pid" || :
finish "$pid"
is "$rc: $(end_of)" '7: exit 7 null' 'what ended within its grace was not killed, if that is seen late'
start "-p TimeoutStopSec=1s -- $signals USR2 7"
send TERM
finish "$pid"
is "$rc: $(end_of)" '137: killed null 9' 'the grace after a SIGTERM ends with a kill'
start "-p TimeoutStopSec=1s --allow-run -- sh -c '$bin/ignoreterm >/dev/null & exec $signals USR2 7'"
send INT
finish "$pid"
is "$rc: $(end_of)" '137: killed null 9' 'of the whole sandbox'
check 'so that no child is left' sh -c '! pgrep -x ignoreterm'

# Which of confine and its keeper sees the group's signal first is chance.
n=0
rounds=$(loops 10 4)
i=0
while [ "$i" -lt "$rounds" ]; do
    i=$((i + 1))
    start "-p TimeoutStopSec=$(pick 100ms 1s) -- $bin/ignoreterm"
    kill -s TERM -- "-$pid" || :
    COMMAND_SECONDS=20
    finish "$pid"
    COMMAND_SECONDS=60
    [ "$rc: $(end_of)" != '137: killed null 9' ] || n=$((n + 1))
done
is "$n" "$rounds" "a SIGTERM to the group is a request too: the grace kills ($rounds times)"

start "-p TimeoutStopSec=50s -- $signals TERM 5 0.5"
kill -s TERM "$pid"
kill -s TERM -- "-$pid"
kill -s CONT -- "-$pid"
finish "$pid"
is "$rc: $(end_of)" '5: exit 5 null' 'timeout(1), which signals its child and then the group, leaves the program its grace'
capture in_shell "timeout --preserve-status $(pick 1 5) \$run --allow-read=$data -- $signals TERM 5 0.5"
is "$rc" 5 'and so does timeout(1) itself'

# --- dispositions and masks: the same on every kernel, and slow in the VM

if limits; then
    assert_clean
    done_testing
    exit
fi

# in_status SETTING KEY WANTED: what the program sees of it. Bit 24 is XFSZ, which is ignored in any case.
in_status() {
    capture in_shell "env $1 $bin/status $2"
    plain=$out
    capture in_shell "env $1 \$run -- $bin/status $2"
    is "$rc: $out ($plain)" "0: $3" "$1: $2 is handed on as it was (plain)"
}

in_status '' sig_ignored '0x1000000 (0)'
in_status '' sig_blocked '0 (0)'
in_status --ignore-signal=HUP,USR1,CHLD,TERM sig_ignored '0x1014201 (0x14201)'
in_status --ignore-signal sig_ignored '0xfffffffe7ffbfeff (0xfffffffe7ffbfeff)'
in_status --block-signal=USR1,TERM,CHLD,WINCH sig_blocked '0x8014200 (0x8014200)'
in_status --block-signal sig_blocked '0xfffffffe7ffbfeff (0xfffffffe7ffbfeff)'

capture in_shell "env --ignore-signal=CHLD \$run --result=$tmp/result -- sh -c 'exit 3'"
is "$rc: $(end_of)" '3: exit 3 null' 'a caller that ignores SIGCHLD gets the status'
capture in_shell "exec env --block-signal \$run --result=$tmp/result -- sh -c 'exit 3'"
is "$rc: $(end_of)" '3: exit 3 null' 'so does one that blocks every signal'

start_ignoring() {
    rm -f result
    : >"$captured/out"
    spawn in_shell "exec env --ignore-signal=$1 setsid \$run --result=$tmp/result -p TimeoutStopSec=300ms --allow-run -- sh -c 'echo ready; exec sleep 1'"
    wait_for 20 has_output ready || diag "not ready"
}
start_ignoring HUP
kill -s HUP "$pid"
kill -s HUP -- "-$pid"
finish "$pid"
is "$rc: $(end_of)" '0: exit 0 null' 'nohup: a program that ignores SIGHUP lives on'
for signal in INT TERM; do
    start_ignoring $signal
    kill -s $signal "$pid"
    kill -s $signal -- "-$pid"
    finish "$pid"
    is "$rc: $(end_of)" '0: exit 0 null' "SIG$signal, ignored by the caller (a job of sh with &): no request either"
done

assert_clean
done_testing
