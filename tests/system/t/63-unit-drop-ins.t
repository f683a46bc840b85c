#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# managers: system user
# vm-managers: system
# budget: 240
# S10: a drop-in in confine-.scope.d wins over what confine asked for. One that would keep systemd, the third holder of the
# deadline, from ending a run is refused by name. 58-drop-ins.t has the limits.
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

case $MANAGER in
system) dir=/etc/systemd/system/confine-.scope.d ;;
user) dir=/home/alice/.config/systemd/user/confine-.scope.d ;;
esac

reload() {
    run_as systemctl "$manager_option" daemon-reload
}

drop_in() {
    printf '[Scope]\n%s\n' "$1" >"$dir/50-test.conf"
}

restore() {
    rm -rf "$dir"
    reload
}

trap 'restore; at_exit' EXIT
run_as mkdir -p "$dir"
drop_in ''
# The directory is new to systemd; what is in it is read for each unit.
reload
capture confine run -- true
is "$rc $(messages)" '0 ' 'control: a drop-in that says nothing'

# refused LINE FOUND WANTED
refused() {
    drop_in "$1"
    rm -f result ran
    capture confine run --result="$tmp/result" --timeout=60s -p TimeoutStopSec=1s --allow-write="$tmp" -- touch "$tmp/ran"
    is "$rc $(result '"\(.cause) \(.error)"') $(ls "$tmp/ran" 2>/dev/null)" '125 refused CapabilityNotSupported ' "$1 is refused, nothing ran"
    like "$(messages)" "^confine: $2 of 'confine-[0-9a-f]*\.scope' is looser than the run's $3, .*'$dir/50-test.conf'; 'confine doctor' tells all that this host lacks \[" 'with the value and the drop-in'
}

refused RuntimeMaxSec=infinity RuntimeMaxSec=infinity '1min 3s'
refused RuntimeMaxSec=64s 'RuntimeMaxSec=1min 4s' '1min 3s'
refused KillMode=none KillMode=none control-group
if [ "$CONFINE_RUNG" = box ]; then
    refused RuntimeRandomizedExtraSec=1s RuntimeRandomizedExtraSec=1s 0s
    refused TimeoutStopSec=2s TimeoutStopSec=2s 1s
    refused SendSIGKILL=no SendSIGKILL=0 yes
    refused FinalKillSignal=SIGCONT FinalKillSignal=18 SIGKILL
    printf '[Unit]\nDescription=another\n' >"$dir/40-other.conf"
    drop_in KillMode=process
    capture confine run -- true
    like "$(messages)" "take it out of '$dir/40-other.conf', '$dir/50-test.conf'; 'confine doctor' tells all that this host lacks \[" 'of several drop-ins each is named'
fi

# B12: then the limits of that slice are not above the run.
drop_in Slice=elsewhere.slice
rm -f result ran
capture confine run --result="$tmp/result" --allow-write="$tmp" -- touch "$tmp/ran"
is "$rc $(result '"\(.cause) \(.error)"') $(ls "$tmp/ran" 2>/dev/null)" '125 refused CapabilityNotSupported ' \
    'B12: a scope that a drop-in puts into another slice is refused, nothing ran'
like "$(messages)" "^confine: Slice=confine\.slice is not in force, the scope is in '/.*elsewhere\.slice/confine-[0-9a-f]*\.scope': look for a drop-in in confine-\.scope\.d " \
    'with the slice that it is in'
run_as systemctl "$manager_option" stop elsewhere.slice

drop_in 'RuntimeMaxSec=50s
TimeoutStopSec=1s
KillSignal=SIGINT'
capture confine run --timeout=60s -- true
is "$rc $(messages)" '0 ' 'a stricter one is accepted'

restore
trap at_exit EXIT
capture confine run -- true
is "$rc $(messages)" '0 ' 'control: without the drop-in'

assert_clean
done_testing
