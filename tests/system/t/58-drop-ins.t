#!/bin/sh
# SPDX-License-Identifier: MIT
# A drop-in in confine-.scope.d wins over what confine asked for. Looser is refused by name, stricter is in force.
# rung: vm
# managers: system user
# budget: 240
# shellcheck disable=SC2016 # what is in single quotes is for the program under test
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/limits.sh"

case $MANAGER in
system) dir=/etc/systemd/system/confine-.scope.d ;;
user) dir=/home/alice/.config/systemd/user/confine-.scope.d ;;
esac

# drop_in LINE: of all runs from now on.
drop_in() {
    printf '[Scope]\n%s\n' "$1" >"$dir/50-test.conf"
}

at_end 'rm -rf "$dir"; reload'
run_as mkdir -p "$dir"
drop_in ''
# The directory is new to systemd; what is in it is read for each unit.
reload
confined -- true
is "$rc $err" '0 ' 'control: a drop-in that says nothing'

# refused KEY FILE VALUE LINE ARG...
refused() {
    key=$1
    file=$2
    value=$3
    drop_in "$4"
    line=$4
    shift 4
    confined "$@" --allow-write="$disk" -- touch "$disk/ran"
    got="$rc $out $(facts cause error exit_status)"
    [ "$got" = '125  refused CapabilityNotSupported 125' ] || complain "$line: $got"
    case $err in
    "confine: $key= is not in force: '$file' of '"*"/confine.slice/confine-"*".scope' reads '$value': "*'confine-.scope.d'*' [CapabilityNotSupported]') ;;
    *) complain "$line: $err" ;;
    esac
    [ ! -e "$disk/ran" ] || complain "$line: it ran"
    wait_for 5 no_scope || complain "$line: left: $(ls "$slice_dir")"
}

refused MemoryMax memory.max $((2 << 30)) MemoryMax=2G --memory=64M
refused MemoryMax memory.max max MemoryMax=infinity --memory=64M
none_wrong 'MemoryMax raised by a drop-in is refused, with the value found'
refused MemorySwapMax memory.swap.max max MemorySwapMax=infinity
none_wrong 'MemorySwapMax'
refused TasksMax pids.max 1000 TasksMax=1000 --tasks=10
refused TasksMax pids.max max TasksMax=infinity
# The keeper's place is not one for the run.
refused TasksMax pids.max 12 TasksMax=12 --tasks=10
none_wrong 'TasksMax'
refused CPUQuota cpu.max 'max 100000' CPUQuota=
refused CPUQuota cpu.max '200000 100000' CPUQuota=200%
none_wrong 'CPUQuota'
refused MemoryMax memory.max max MemoryMax=infinity --memory=64M -p Enforcement=best-effort
none_wrong 'Enforcement=best-effort does not tolerate it either'

# --- stricter

drop_in MemoryMax=32M
background --memory=512M --allow-run -- sh -c 'echo started; exec sleep 1000'
is "$(cat "$scope/memory.max")" $((32 << 20)) 'a stricter MemoryMax is in force'
stop
confined --memory=512M -- perl -e "$hog"
is "$rc $(facts cause limit)" '137 limit MemoryMax' '... and named when it is reached'
like "$err" '^confine: MemoryMax=32M reached: ' '... with the value that was in force'

drop_in TasksMax=9
confined --tasks=40 --allow-run -- perl -e '
    $n = 0;
    while (1) { $child = fork; last if !defined $child; if (!$child) { sleep 1000; exit } $n++ }
    print "$n\n"; exit 7'
is "$rc $out $(facts tasks_peak tasks_refused)" '7 7 8 1' 'a stricter TasksMax is in force: 9 with the keeper'
like "$err" '^confine: TasksMax=8 reached: ' '... with the value that was in force'

drop_in CPUQuota=10%
background --allow-run -- sh -c 'echo started; exec sleep 1000'
is "$(cat "$scope/cpu.max")" '10000 100000' 'a stricter CPUQuota is in force'
stop
is "$rc" 143 '... and the run runs'

drop_in RuntimeMaxSec=1s
confined --timeout=200s --allow-run -- sleep 1000
is "$rc $(facts cause limit)" '124 timeout RuntimeMaxSec' 'a stricter RuntimeMaxSec ends the run: as its deadline'
unlike "$err" 'RuntimeMaxSec=200s|RuntimeMaxSec=3min' '... and not with a value that was not reached'

restore
confined --memory=64M -- true
is "$rc $err" '0 ' 'control: without the drop-in'

assert_clean
done_testing
