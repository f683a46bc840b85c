#!/bin/sh
# SPDX-License-Identifier: MIT
# S11, S12: forks that the TasksMax= of a slice refused are told as the slice's, and the run's own as its own.
# rung: vm
# managers: system user
# vm-managers: system
# budget: 90
# shellcheck disable=SC2016 # what is in single quotes is for the program under test
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/limits.sh"

# systemd keeps a slice that is empty.
at_end 'rm -f "$units"/confine-test*.slice; reload; run_as systemctl "$manager_option" stop confine-test.slice'
slice confine-test TasksMax=20
slice confine-test-inner TasksMax=8
reload

# whose DESCRIPTION LIMIT OWN OTHERS: whose TasksMax= refused something to the last run.
whose() {
    is "$(facts cause limit slice_limit tasks_refused slice_tasks_refused)" "exit - $2 $3 $4" "$1"
}
told="^confine: 'confine-test-inner.slice' reached its TasksMax, and 1 forks or threads were refused meanwhile: not the run's own TasksMax; see 'systemctl show -p TasksMax confine-test-inner.slice' \[ResourceLimitExceeded\]\$"

confined --slice=confine-test-inner --allow-run -- perl -e "$forks" 7
# 8 with the program and the keeper.
is "$rc $out" "7 6, $eagain" 'S11: a fork loop stops at the TasksMax of its slice'
whose '... which is told as its own, and not the one of the run' 'confine-test-inner.slice TasksMax' 0 1
like "$err" "$told" '... and in the message'
unlike "$err" 'TasksMax=' '... where nothing is said of the one of the run'
journalctl --sync
is "$(run_as journalctl "$manager_option" --output=json CONFINE_ID="$(facts id)" | jq -r 'select(.CONFINE_EVENT == "limit" or .CONFINE_SLICE_LIMIT) | [.CONFINE_EVENT, .CONFINE_SLICE_LIMIT] | join(" ")')" \
    'end confine-test-inner.slice TasksMax' 'S19: ... and in the record'
confined --slice=confine-test-inner --allow-run -- perl -e "$forks" 0
is "$rc $err" '0 ' 'a program that gets along is told nothing'
whose '... but its result is' 'confine-test-inner.slice TasksMax' 0 1
confined --slice=confine-test-inner --allow-run -- sh -c 'exit 7'
is "$rc $err" '7 ' 'control: of what was refused before it'
whose '... a run is told nothing' - 0 -
confined --slice=confine-test-inner --tasks=4 --allow-run -- perl -e "$forks" 7
is "$rc $out" "7 3, $eagain" 'control: a run whose own TasksMax is less'
whose '... meets that' - 1 -
confined --slice=confine-test --allow-run -- perl -e "$forks" 7
whose 'each level counts' 'confine-test.slice TasksMax' 0 1

# That is how kernels before 6.11 count: at the cgroup whose fork it is.
if [ "$MANAGER" = system ]; then
    options=remount,nosuid,nodev,noexec,nsdelegate,memory_recursiveprot
    at_end 'mount --options-mode=ignore -o "$options" cgroup2 /sys/fs/cgroup'
    capture mount -o "$options,pids_localevents" /sys/fs/cgroup
    is "$rc" 0 'the kernel counts as before 6.11'
    confined --slice=confine-test-inner --allow-run -- perl -e "$forks" 7
    whose '... and it is told as the one of the slice' 'confine-test-inner.slice TasksMax' 0 1
    like "$err" "$told" '... and in the message'
    confined --slice=confine-test-inner --tasks=4 --allow-run -- perl -e "$forks" 7
    whose 'control: the own one is told as the own' - 1 -
else
    tasks=/sys/fs/cgroup/user.slice/user-1000.slice/pids
    at_end 'systemctl set-property --runtime user-1000.slice TasksMax=infinity; systemctl revert user-1000.slice'
    systemctl set-property --runtime user-1000.slice "TasksMax=$(($(cat "$tasks.current") + 8))"
    confined --allow-run -- perl -e "$forks" 7
    is "$(facts cause limit slice_limit tasks_refused)" 'exit - user-1000.slice TasksMax 0' 'the one of the slice of the user is told as that'
fi

restore
assert_clean
done_testing
