#!/bin/sh
# SPDX-License-Identifier: MIT
# B04: a controller that is missing: refused by name, with the file that fixes it; tolerated by Enforcement=best-effort, which says so.
# rung: vm
# managers: system user
# budget: 240
# shellcheck disable=SC2016 # what is in single quotes is for the program under test
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/limits.sh"

# refused CONTROLLER KEY FIX DESCRIPTION: the next run is.
refused() {
    confined --allow-write="$disk" -- touch "$disk/ran"
    is "$rc $out $(facts cause error)" '125  refused CapabilityNotSupported' "$4: refused"
    like "$err" "^confine: cgroup controller '$1' is not available to the $MANAGER manager, so $2= cannot be enforced" \
        "... naming the controller '$1' and $2="
    like "$err" "$3" '... and what fixes it'
    check '... and nothing ran' absent "$disk/ran"
    check '... and nothing is left' wait_for 5 no_scope
}

# tolerated DESCRIPTION: by best-effort, with what is left of the limits.
tolerated() {
    confined -p Enforcement=best-effort -- sh -c 'echo ran; exit 3'
    is "$rc $out $(facts cause exit_status isolation enforcement)" '3 ran exit 3 process best-effort' \
        "$1: Enforcement=best-effort runs, and claims isolation process"
    like "$err" '^confine: .*controller.*\(Enforcement=best-effort\)$' '... with a warning'
    is "$(printf '%s\n' "$err" | wc -l)" 1 '... of one line'
    id=$(facts id)
    enforcement_recorded() {
        [ -n "$(journal CONFINE_EVENT=end "CONFINE_ID=$id" CONFINE_ENFORCEMENT=best-effort CONFINE_ISOLATION=process)" ]
    }
    check '... and in the record' wait_for 10 enforcement_recorded
}

confined -- true
is "$rc $err $(facts enforcement)" '0  strict' 'control: all controllers are there'

# --- switched off below the slice, by an admin's DisableControllers=

disable() {
    run_as systemctl "$manager_option" set-property --runtime confine.slice "DisableControllers=$1"
}

at_end 'disable ""; run_as systemctl "$manager_option" revert confine.slice'
disable cpu
refused cpu CPUQuota 'without DisableControllers= on confine.slice' 'without cpu'
tolerated 'without cpu'
confined --memory=64M -p Enforcement=best-effort -- perl -e "$hog"
is "$rc $(facts cause limit)" '137 limit MemoryMax' '... and the other limits hold'
disable 'cpu memory'
refused memory MemoryMax 'without DisableControllers= on confine.slice' 'without memory'
tolerated 'without memory'
confined -p Enforcement=best-effort --timeout=500ms -- sleep 1000
is "$rc $(facts cause)" '124 timeout' '... and the deadline holds'
restore
confined -- true
is "$rc $err" '0 ' 'control: switched on again'

# --- B04: not delegated to the user manager

restart_manager() {
    systemctl daemon-reload
    systemctl restart user@1000.service
}
bus_answers() {
    run_as systemctl --user show --property=Version
}

if [ "$MANAGER" = user ]; then
    drop_in=/etc/systemd/system/user@1000.service.d/50-test.conf
    mkdir -p "${drop_in%/*}"
    printf '[Service]\nDelegate=\nDelegate=memory pids\n' >"$drop_in"
    at_end 'rm -rf "${drop_in%/*}"; restart_manager; wait_for 30 bus_answers'
    restart_manager
    check 'control: the user manager is there, with memory and pids' wait_for 30 bus_answers
    is "$(cat "${slice_dir%/*}/cgroup.controllers")" 'memory pids' '... only'
    refused cpu CPUQuota 'Delegate=cpu memory pids.*/etc/systemd/system/user@.service.d/' 'B04: cpu not delegated'
    tolerated 'B04: cpu not delegated'
    capture run_as confine doctor
    is "$rc" 1 'P18: the doctor says the same'
    like "$out" '^controllers +FATAL +not delegated: cpu .*fix: .*Delegate=cpu memory pids' '... with the fix'
    like "$out" '^CPUQuota +yes +lacks cpu ' '... and which key that leaves without anybody'
    confined --memory=64M -p Enforcement=best-effort -- perl -e "$hog"
    is "$rc $(facts cause limit)" '137 limit MemoryMax' '... and the delegated ones hold'
    restore
    confined -- true
    is "$rc $err" '0 ' 'control: delegated again'
    capture run_as confine doctor
    is "$rc" 0 'control: and the doctor says so'
fi

assert_clean
done_testing
