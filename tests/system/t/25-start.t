#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# managers: system user
# vm-managers: system
# budget: 240
# The start: names that do not collide, many at once, a manager that is busy, a start that is interrupted.
# shellcheck disable=SC2016 # scripts for inner shells
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

manager() {
    case $MANAGER in
    system) systemctl "$@" ;;
    user) as_alice systemctl --user "$@" ;;
    esac
}

n_units() {
    manager list-units --all --plain --no-legend | wc -l
}

# --- B11: names

rounds=$(loops 200 10)
: >units
chmod 0666 units
capture in_shell "i=0
while [ \$i -lt $rounds ]; do
    i=\$((i + 1))
    \$run --result=fd:3 -- true 3>>units || exit
done"
is "$rc" 0 "B11: $rounds runs in a row"
is "$(jq -r .unit units | sort -u | wc -l)" "$rounds" 'B11: each has a name of its own'

# In the container the file is read-only.
if limits; then
    # The same pid again and again: a name made from it would be there twice.
    : >units
    wanted=
    again=0
    for i in 1 2 3; do
        echo 29999 >/proc/sys/kernel/ns_last_pid
        spawn in_shell "exec \$run --result=fd:3 -- true 3>>units"
        wanted=${wanted:-$pid}
        [ "$pid" != "$wanted" ] || again=$((again + 1))
        finish "$pid"
    done
    # Another process may have taken it once, not always.
    within "$again" 2 3 'B11: runs with the same pid'
    is "$(jq -r .unit units | sort -u | wc -l)" 3 'B11: have different names too'
fi

# --- B12: the manager reloads meanwhile

touch reload
(while [ -e "$tmp/reload" ]; do
    manager daemon-reload || :
done) &
reloader=$!
forks='i=0; while [ $i -lt 100 ]; do : & i=$((i + 1)); done; wait; echo done'
rounds=$(loops 200 3)
seconds=$COMMAND_SECONDS
COMMAND_SECONDS=$((seconds * 5 / 2))
capture in_shell "i=0; n=0
while [ \$i -lt $rounds ]; do
    i=\$((i + 1))
    [ \"\$(\$run --allow-run -- sh -c '$forks')\" != done ] || n=\$((n + 1))
done
echo \$n"
COMMAND_SECONDS=$seconds
is "$out: $err" "$rounds: " "B12: $rounds runs that fork at once, beside daemon-reload in a loop"
mkfifo hold
chmod 0666 hold
exec 9<>hold
n=0
tries=$(pick '1 2 3 4 5' '1 2')
for i in $tries; do
    spawn in_shell 'exec $run -- cat <hold 9<&-'
    wait_for 20 worker_of "$pid" >/dev/null || :
    worker=$(worker_of "$pid") || worker=none
    cgroup=$(sed -n 's/^0:://p' "/proc/$worker/cgroup" 2>/dev/null) || :
    unit=${cgroup%/run}
    unit=${unit##*/}
    case $cgroup in
    */confine.slice/confine-*.scope/run) n=$((n + $(manager is-active "$unit" | grep -cx active))) ;;
    *) diag "the worker is in '$cgroup'" ;;
    esac
    kill -s TERM "$pid"
    finish "$pid"
done
is "$n" "${tries##* }" 'B12: the program is in its scope, which is active, when it runs'
rm reload
wait "$reloader"

spawn in_shell "exec \$run --result=$tmp/result -- cat <hold 9<&-"
wait_for 20 worker_of "$pid" >/dev/null || :
check 'B15: the manager is executed anew' manager daemon-reexec
check 'B15: while the program runs' worker_of "$pid"
# End of file for it, not for the descriptor of ours.
exec 9>&-
finish "$pid"
is "$rc: $(result .cause)" '0: exit' 'B15: which ends as if nothing had been'

# --- B16: many at once. Where they are limited, 62-many-starts does it.

if ! limits; then
    exec 9<>hold
    before=$(n_units)
    n=200
    mkdir started
    chmod 0777 started
    i=0
    pids=
    while [ "$i" -lt "$n" ]; do
        i=$((i + 1))
        # All live at the same time: each waits until it is released.
        in_shell "exec \$run --allow-write=$tmp/started -- sh -c ': >started/$i; read -r x' <hold 9<&-" >>"$captured/many" 2>&1 &
        pids="$pids $!"
    done
    all_started() {
        # shellcheck disable=SC2012 # names of ours
        [ "$(ls started | wc -l)" -eq "$n" ]
    }
    check "B16: $n starts at once, all of them" wait_for 60 all_started
    # A byte for each of those that wait for one.
    i=0
    while [ "$i" -lt "$n" ]; do
        i=$((i + 1))
        echo
    done >&9
    failed=0
    for i in $pids; do
        wait "$i" || failed=$((failed + 1))
    done
    exec 9>&-
    is "$failed: $(cat "$captured/many")" '0: ' 'B16: and each ends well, without a word'
    as_before() {
        [ "$(n_units)" -le "$before" ]
    }
    check 'B16: the manager has no more units than before' wait_for 10 as_before
fi

# --- B24: an interrupt at any moment of the start

rounds=$(loops 200 20)
# shellcheck disable=SC2086 # words
capture run_as python3 -S "$data/interrupt.py" "$rounds" "$(pick 50 1000)" $run_words -q -- sleep 1000
is "$(printf '%s\n' "$out" | grep -v '^#')" "as sent $rounds
others 0" "B24: $rounds interrupts at random moments of the start: each run dies by what it got"
diag "$(printf '%s\n' "$out" | sed -n 's/^# *//p')"
assert_clean

done_testing
