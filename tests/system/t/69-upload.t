#!/bin/sh
# SPDX-License-Identifier: MIT
# S19: the records of a fleet: what one service uploads, another one receives, and confine log reads.
# rung: box vm
# managers: system
# suites: trixie
# budget: 120
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# Not all of the guest's journal, which takes its time.
mark
capture confine run --label=tenant_id=fleet --result="$tmp/result" -- sh -c 'exit 3'
is "$rc" 3 'control: a run'
id=$(result .id)
journalctl --sync

port=19532
fleet=$(mktemp -d /var/tmp/fleet.XXXXXX)
trap 'systemctl stop test-receiver.service 2>/dev/null || :; rm -rf "$fleet"; at_exit' EXIT
systemd-run --quiet --collect --unit=test-receiver.service /lib/systemd/systemd-journal-remote \
    --listen-http=127.0.0.1:$port --split-mode=none --output="$fleet/fleet.journal"
listens() {
    ss --listening --tcp --numeric | grep -q "127.0.0.1:$port"
}
check 'control: a service receives' wait_for 30 listens
check 'control: and another one uploads' timeout 60 systemd-run --quiet --collect --wait --unit=test-upload.service \
    /lib/systemd/systemd-journal-upload --url=http://127.0.0.1:$port --after-cursor="$cursor" --save-state="$tmp/upload" --follow=no

# read_back ARG...: confine log, of what was received.
read_back() {
    capture /usr/bin/confine log --no-pager --directory="$fleet" "$@"
}
received() {
    read_back --json --id="$id"
    [ -n "$out" ]
}
wait_for 20 received || diag "$(journalctl --unit=test-receiver.service --unit=test-upload.service --lines=20)"
is "$rc: $(printf '%s' "$out" | jq -r '[.trust, .state, .cause, .exit_status, .hostname, .label_tenant_id] | map(tostring) | join(" ")')" \
    "0: authentic ended exit 3 $(uname -n) fleet" 'what was uploaded and received is read as it was recorded'
read_back --json --since=-1h
is "$rc: $(printf '%s\n' "$out" | jq -r 'select(.id != "'"$id"'") | .id')" '0: ' '... and nothing else is there'
assert_clean
done_testing
