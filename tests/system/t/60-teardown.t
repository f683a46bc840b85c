#!/bin/sh
# SPDX-License-Identifier: MIT
# However a run ends: when confine returns its leaf, keeper and program are gone, and a moment later so is the scope.
# rung: vm
# suites: trixie bookworm-backports trixie-backports
# managers: system user
# budget: 240
# shellcheck disable=SC2016 # what is in single quotes is for the program under test
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/limits.sh"

# A number that the command line of nothing else has.
seconds=77777

alive() {
    pgrep -f "^sleep $seconds\$|^confine-keeper\$" || pgrep -x 'confine|confine-keeper'
}

# gone WHAT: at once after confine returned, but for the scope, which is PID 1's to remove.
gone() {
    ended_scope=$slice_dir/$(facts unit)
    [ ! -e "$ended_scope/run" ] || complain "$1: the leaf is there"
    left=$(alive) || left=
    [ -z "$left" ] || complain "$1: processes $left"
    wait_for 5 absent "$ended_scope" || complain "$1: the scope is there"
}

for round in $(seq "$(loops 0 4)"); do
    confined --allow-run -- sh -c "setsid sleep $seconds & sleep $seconds & exit 3"
    got="$rc $(facts cause killed_after_exit)"
    [ "$got" = '3 exit 2' ] || complain "exit, round $round: $got"
    gone "exit, round $round"
done
none_wrong 'a normal end that leaves descendants behind, 4 times'
for round in $(seq "$(loops 0 4)"); do
    confined --memory=32M --allow-run -- sh -c "sleep $seconds & perl -e \"\$1\"" sh "$hog"
    got="$rc $(facts cause)"
    [ "$got" = '137 limit' ] || complain "OOM, round $round: $got"
    gone "OOM, round $round"
done
none_wrong 'an OOM, 4 times'
for round in $(seq "$(loops 0 4)"); do
    confined --timeout=200ms --allow-run -- sh -c "setsid sleep $seconds & sleep $seconds"
    got="$rc $(facts cause)"
    [ "$got" = '124 timeout' ] || complain "deadline, round $round: $got"
    gone "deadline, round $round"
done
none_wrong 'the deadline, 4 times'

# --- kill -9, at any moment

gone_without_supervisor() {
    no_scope && ! alive
}

# left_in ROUND: says what there is, and clears it away, so that it is not found again in every round that follows.
left_in() {
    for scope in "$slice_dir"/confine-*.scope; do
        [ -e "$scope" ] || continue
        complain "$1: ${scope##*/} is $(run_as systemctl "$manager_option" is-active "${scope##*/}"), with processes:" \
            "$(find "$scope" -name cgroup.procs -exec cat {} +)"
        run_as systemctl "$manager_option" stop "${scope##*/}" || :
    done
    left=$(alive) || return 0
    complain "$1: processes $left"
}

# How long a start takes here and now: an emulated machine that is busy takes ten times as long as one that is not.
begin=$(date +%s%3N)
spawn confine run --allow-run -- sh -c "echo started; exec sleep $seconds"
check 'control: a start' wait_for 20 grep -q started "$captured/out"
start=$(($(date +%s%3N) - begin))
kill -TERM "$pid"
finish "$pid"

# The delay is not awaited for anything: it is what is tested.
reached=0
for round in $(seq "$(loops 0 14)"); do
    # Half of them while it starts.
    delay=$(random_ms "$start")
    [ $((round % 2)) -eq 0 ] || delay=$((delay + start * 3 / 2))
    rm -f "$tmp/result"
    spawn confine run "--result=$tmp/result" --allow-run -- sh -c "setsid sleep $seconds & echo started; exec sleep $seconds"
    sleep "$((delay / 1000)).$(printf %03d $((delay % 1000)))"
    kill -KILL "$pid" 2>/dev/null || complain "round $round, after $delay ms: it ended by itself"
    finish "$pid"
    [ "$rc" -eq 137 ] || complain "round $round, after $delay ms: status $rc"
    # Within a second natively. The deadline, which would end it too, is five minutes away.
    wait_for 5 gone_without_supervisor || left_in "round $round, after $delay ms"
    ! grep -q started "$captured/out" || reached=$((reached + 1))
done
none_wrong 'kill -9 of the supervisor at 14 random moments: all is gone at once'
# Otherwise the moments were all too early, or too late, to say something.
within "$reached" 1 13 "... control: some of them during the start, some later ($reached of 14)"

# --- others are killed

background --allow-run -- sh -c "setsid sleep $seconds & echo started; exec sleep $seconds"
kill -KILL "$worker" || :
finish "$pid"
is "$rc $(facts cause signal limit oom_kills)" '137 signal 9 - 0' 'the program killed from outside: its signal'
gone 'the program killed'
none_wrong '... and all is gone'
background --allow-run -- sh -c "setsid sleep $seconds & echo started; exec sleep $seconds"
kill -KILL "$keeper" || :
finish "$pid"
is "$rc $(facts cause error)" '125 error SandboxGone' 'the keeper killed from outside: the run is ended, and that is said'
like "$err" "^confine: the keeper of '$unit' was killed from outside, .* \[SandboxGone\]$" '... on stderr'
gone 'the keeper killed'
none_wrong '... and all is gone'
background --allow-run -- sh -c "setsid sleep $seconds & echo started; exec sleep $seconds"
echo 1 >"$scope/cgroup.kill"
finish "$pid"
isnt "$rc" 0 "the whole scope killed from outside: not a success (status $rc, $(facts cause))"
gone 'the scope killed'
none_wrong '... and all is gone'

assert_clean
done_testing
