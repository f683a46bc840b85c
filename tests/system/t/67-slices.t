#!/bin/sh
# SPDX-License-Identifier: MIT
# S12: a slice that an admin fixed: who asks for more than it has is refused, naming it; by default its limits come first.
# rung: vm
# managers: system user
# vm-managers: system user
# budget: 240
# shellcheck disable=SC2016 # what is in single quotes is for the program under test
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/limits.sh"

# systemd keeps a slice that is empty.
at_end 'rm -f "$units"/confine-test*.slice; reload; run_as systemctl "$manager_option" stop confine-test.slice confine-testio.slice confine-other.slice'
slice confine-test MemoryMax=96M MemorySwapMax=32M TasksMax=20 CPUQuota=50%
slice confine-test-inner MemoryMax=200M TasksMax=8
reload

# refused SLICE KEY FOUND ARG...: the run is, since the slice has no more than FOUND.
refused() {
    slice=$1 key=$2 found=$3
    shift 3
    confined "$@" --allow-write="$disk" -- touch "$disk/ran"
    is "$rc $out $(facts cause error)" '125  refused ConfigurationError' "S12: $*: refused"
    like "$err" "^confine: '$key=[^']*' \(.*\) is more than '$slice', which the run is in, has for all of its runs: ask for $found or less, .* \[ConfigurationError\]\$" \
        "... naming '$slice', and what it has"
    check '... and nothing ran' absent "$disk/ran"
    check '... and nothing is left' wait_for 5 no_scope
}

background --slice=confine-test --allow-run -- sh -c 'echo started; exec sleep 1000'
is "${scope%/*}" "$slice_dir/confine-test.slice" 'a run is in the slice it names, below confine.slice'
is "$(cat "${scope%/*}/memory.max" "${scope%/*}/pids.max")" "$((96 << 20))
20" 'control: whose limits are in force'
is "$(cat "$scope/memory.max")" $((1 << 30)) 'a default is no request, and stays what it is'
stop
confined --allow-write="$disk" --memory=97M -- touch "$disk/ran"
is "$rc" 0 'control: without the slice the same runs'
check '... and leaves a file' test -e "$disk/ran"
rm -f "$disk/ran"
confined --slice=confine-test --memory=96M --tasks=19 --cpu=50% -p MemorySwapMax=32M -- echo ran
is "$rc $out" '0 ran' 'control: what a slice has may be asked for, but for the task of the keeper'

refused confine-test.slice MemoryMax 96M --slice=confine-test --memory=97M
refused confine-test.slice MemoryMax 96M --slice=confine-test.slice -p MemoryMax=1G
refused confine-test.slice MemorySwapMax 32M --slice=confine-test -p MemorySwapMax=33M
refused confine-test.slice TasksMax 19 --slice=confine-test --tasks=20
refused confine-test.slice CPUQuota 50% --slice=confine-test --cpu=51%
confined --slice=confine-other --memory=97M -- echo ran
is "$rc $out" '0 ran' 'a slice without a file has no limits'

# --- each level counts, and the innermost that has less is named

refused confine-test-inner.slice TasksMax 7 --slice=confine-test-inner --tasks=8
refused confine-test.slice MemoryMax 96M --slice=confine-test-inner --memory=100M
confined --slice=confine-test-inner --memory=96M --tasks=7 -- echo ran
is "$rc $out" '0 ran' 'control: less than each of them has runs'

if [ "$MANAGER" = system ]; then # a user manager has no controller for it
    slice confine-testio 'IOReadBandwidthMax=/dev/vda 2097152' # there M is a million
    reload
    refused confine-testio.slice IOReadBandwidthMax 2M --slice=confine-testio -p 'IOReadBandwidthMax=/dev/vda 3M'
    confined --slice=confine-testio -p 'IOReadBandwidthMax=/dev/vda 3M' -p 'IOReadBandwidthMax=/var 1M' -- echo ran
    like "$err" "'IOReadBandwidthMax=/dev/vda 3M' \\(-p IOReadBandwidthMax\\) is more than 'confine-testio.slice'" 'of several the one that is too much is named'
    confined --slice=confine-testio -p 'IOReadBandwidthMax=/dev/vda 2M' -p 'IOWriteBandwidthMax=/dev/vda 3M' -- echo ran
    is "$rc $out" '0 ran' 'control: as much as it has runs, and of what it does not limit, too'
fi

# --- by a policy file; and the bound of all

printf '[Limits]\nSlice=confine-test\nMemoryMax=128M\n' >"$tmp/own.conf"
chmod 0644 "$tmp/own.conf"
refused confine-test.slice MemoryMax 96M "--policy=$tmp/own.conf"
like "$err" "$tmp/own.conf:3" '... and the line that asks for it'
confined "--policy=$tmp/own.conf" --memory=64M -- echo ran
is "$rc $out" '0 ran' 'a later layer may ask for less'
at_end 'run_as systemctl "$manager_option" revert confine.slice'
run_as systemctl "$manager_option" set-property --runtime confine.slice MemoryMax=80M
confined --memory=81M -- echo ran
is "$rc $out" '0 ran' 'confine.slice bounds a sum: one of the runs in it may have more'
confined --slice=confine-test --memory=90M -- echo ran
is "$rc $out" '0 ran' '... also if it is in another slice below'

# --- what a limit of the slice does to a run that asked for nothing is told as the slice's

run_as systemctl "$manager_option" set-property --runtime confine.slice MemoryMax=
confined --slice=confine-test -- perl -e "$hog"
is "$rc $(facts cause limit)" '137 limit confine-test.slice MemoryMax' 'an OOM of the slice is told as its own'

restore
assert_clean
done_testing
