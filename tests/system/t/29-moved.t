#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# managers: system user
# vm-managers: user
# budget: 120
# B02: the manager moves a process of a run into another scope, for somebody outside of the run, who may ask for it: it must not outlive
# the deadline, the end or the supervisor, and what was done is told.
# shellcheck disable=SC2016 # scripts for inner shells
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

n_moves=0
mover="run_as busctl $manager_option"

# move PID...: by a second StartTransientUnit, by whoever $mover is. Sets $place, the scope that it is in then.
move() {
    n_moves=$((n_moves + 1))
    place=moved-$$-$n_moves.scope
    $mover --quiet call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager \
        StartTransientUnit 'ssa(sv)a(sa(sv))' "$place" fail 1 PIDs au "$#" "$@" 0
}

# is_moved PID: or gone, in which case it was.
is_moved() {
    ended "$1" || grep -q "/$place\$" "/proc/$1/cgroup"
}

# start OPTION... -- PROGRAM...: until it says ready. Sets $worker, $start (its start time) and $unit.
start() {
    rm -f result
    : >"$captured/out"
    spawn confine run --result="$tmp/result" -p TimeoutStopSec=500ms "$@"
    wait_for 20 has_output ready || diag "not ready: $(cat "$captured/err")"
    worker=$(worker_of "$pid")
    unit=$(sed -n 's,^0::.*/\(confine-[0-9a-f]*\.scope\)/.*,\1,p' "/proc/$worker/cgroup")
}

# is_told WHAT [HINT]: the end of a run whose program was moved to $place.
is_told() {
    is "$rc: $(result '"\(.cause) \(.error) \(.exit_status)"')" '125: error SandboxGone 125' "$1: never a success"
    like "$(messages)" "^confine: the program of '$unit' was moved out of it from outside, to '.*/$place', .*: ${2:-look for who did it with 'journalctl .*-u $place'} \[SandboxGone\]$" \
        "$1: and named"
    check "$1: and the program is gone" ended "$worker"
}

(
    become='exec'
    limited=
    run_as sleep 1000
) </dev/null >/dev/null 2>&1 &
plain=$!
wait_for 20 grep -qx sleep "/proc/$plain/comm" || :
check 'control: whoever may, moves a process' move "$plain"
check '... as is seen in /proc' wait_for 10 grep -q "/$place\$" "/proc/$plain/cgroup"
kill "$plain"

# --- the program, alone in its leaf

start -- "$bin/ignoreterm"
check 'the program is moved' move "$worker"
moved=$(date +%s%3N)
finish "$pid"
within "$(($(date +%s%3N) - moved))" 0 "$(pick 1000 5000)" 'B02: the program is killed when it is moved, minutes before its deadline'
is_told B02

# --- one of several: nobody tells confine that one has gone

children='sh -c "exec sleep 1000" & '
mkfifo go
chmod 0666 go
start --allow-run --allow-read="$tmp" -- sh -c "$children"'echo ready; read -r _ <"$1"; exit 0' sh "$tmp/go"
check 'a program with a child is moved' move "$worker"
check '... alone' wait_for 10 is_moved "$worker"
capture confine kill --signal=TERM "$unit"
is "$rc" 1 'S13: a signal that it does not get is none that was sent'
like "$(messages)" "the run '.*' cannot be ended: its program was moved out of it: call it without --signal$" 'S20: as is told'
check 'control: it did not get it' kill -0 "$worker"
echo >go
finish "$pid"
is_told 'a program that is moved, and then succeeds'

start --timeout=2s --allow-run -- sh -c 'trap "" TERM; '"$children"'echo ready; while :; do sleep 0.1; done'
check 'one that ignores SIGTERM is moved' move "$worker"
finish "$pid"
is_told 'its deadline comes'
within "$(($(result .duration_usec) / 1000))" 2400 "$(pick 3500 8000)" '... and it does not outlive it by more than TimeoutStopSec'

# --- by hand, into cgroups that have no unit

# find_scope: sets $scope, of the run, and $slice, which it is in.
find_scope() {
    scope=$(dirname "/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$worker/cgroup")")
    slice=$(dirname "$scope")
}
# move_by_hand DIRECTORY: below the scope of the run.
move_by_hand() {
    find_scope
    # Not with alice's rights, who is not in the manager's part of the tree here.
    run_as mkdir -p "$scope/$1" && echo "$worker" >"$scope/$1/cgroup.procs"
}

no_command="look for who did it in the journal"
start --timeout=5s -- "$bin/ignoreterm"
check 'it is moved to a cgroup that is called like a leaf that was removed' move_by_hand 'run (deleted)'
finish "$pid"
place='run [(]deleted[)]'
is_told 'B02: the leaf is not taken for removed' "$no_command"

start --timeout=5s -- "$bin/ignoreterm"
check 'and to one with a name that a shell or a terminal would act on' move_by_hand "../\$(id)'$(printf '\033')[2J;.scope"
finish "$pid"
place="[$][(]id[)]'[?]\\[2J;[.]scope"
is_told 'S20: no such name is put into a command' "$no_command"
is "$(result .reason | tr '\033' E | grep -c 'E.2J')" 0 '... nor its control characters into the record'
rmdir "$slice/"*'[2J;.scope'

start --timeout=5s -- "$bin/ignoreterm"
find_scope
check 'and to one whose path /proc has no room for' python3 "$data/deep_cgroup.py" "$slice" "$worker"
finish "$pid"
like "$(messages)" "moved out of it from outside, to 'a cgroup whose path is too long to be told', .*: $no_command \[SandboxGone\]$" \
    'B02: it is noticed all the same, and the name leaves room for the rest of what is told'
is "$rc" 125 '... never a success'
python3 "$data/deep_cgroup.py" "$slice"

# --- by the user that root has it run as

if [ "$MANAGER" = system ]; then
    mover='as_alice busctl --user'
    has_no_job() {
        ! as_alice systemctl --user list-jobs --no-legend | grep -qF "$place"
    }
    start -- "$bin/ignoreterm"
    check 'alice asks her manager to move a program of root' move "$worker"
    wait_for 10 has_no_job || not_ok 'her manager is done'
    check 'control: one with a uid of its own stays where it is' grep -q "/$unit/run\$" "/proc/$worker/cgroup"
    kill -KILL "$worker"
    finish "$pid"
    start --uid=alice -- "$bin/ignoreterm"
    check 'and one that runs as alice' move "$worker"
    finish "$pid"
    is_told 'B02: it is hers to move, confine-security(7)' "look for who did it with 'journalctl USER_UNIT=$place'"
    mover="run_as busctl $manager_option"
fi

# --- the supervisor does not act

start --timeout=1s -- "$bin/ignoreterm"
kill -STOP "$pid"
check 'the supervisor is stopped, the program moved' move "$worker"
finish "$pid"
is_told 'the keeper holds the deadline'
within "$(($(result .duration_usec) / 1000))" 2400 "$(pick 3500 8000)" '... and kills, after what the supervisor would'

start --allow-run -- sh -c "$children"'echo ready; exec sleep 1000'
scope=$(dirname "/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$worker/cgroup")")
check 'a program with a child is moved once more' move "$worker"
check '... alone' wait_for 10 is_moved "$worker"
kill -KILL "$pid"
finish "$pid"
check 'the supervisor is killed: the program does not outlive it' wait_for "$(pick 1 5)" ended "$worker"
check '... nor does its child' wait_for "$(pick 1 5)" sh -c "! [ -e '$scope' ]"

# --- what cannot be held, confine-security(7)

start --allow-run --allow-read="$tmp" -- sh -c 'sleep 1000 & echo ready; read -r _ <"$1"; exit 7' sh "$tmp/go"
child=$(pgrep -P "$worker" -x sleep)
check 'a descendant is moved' move "$child"
check '... alone' wait_for 10 is_moved "$child"
echo >go
finish "$pid"
is "$rc: $(result .cause)" '7: exit' 'the run ends as its program does'
check '... and what was moved is its own master' kill "$child"

assert_clean
done_testing
