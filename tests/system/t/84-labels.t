#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: system user
# budget: 30
# S15: labels reach systemd, the cgroup, both records and the result; what is no label starts nothing.
# shellcheck disable=SC2016 # no expansion is meant
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

odd='50% of $x "y" %i \ z'

# attribute NAME DIRECTORY
attribute() {
    python3 -c 'import os, sys; print(os.getxattr(sys.argv[2], sys.argv[1]).decode())' "$1" "$2"
}

spawn confine run --allow-run --result="$tmp/result" --label=tenant_id=acme --label "odd=$odd" -- \
    sh -c 'echo started; exec sleep 100'
wait_for 20 grep -q started "$captured/out" || bail_out 'no run'
scope=$(find /sys/fs/cgroup -type d -name 'confine-*.scope')
name=${scope##*/}
is "$(run_as systemctl "$manager_option" show -p Description --value "$name")" "$name odd=$odd tenant_id=acme" \
    'S15 B56: the description of the unit has the labels, to the byte'
is "$(attribute user.confine.label.tenant_id "$scope")" acme 'S15: the cgroup has them as attributes'
is "$(attribute user.confine.label.odd "$scope")" "$odd" 'to the byte'
kill -TERM "$pid"
finish "$pid"
is "$(result '[.label_tenant_id, .label_odd] | join(" ")')" "acme $odd" 'S15: the result has them'
check 'and is as result.json says' python3 "$data/schema.py" /usr/share/confine/schema/result.json "$tmp/result"
journalctl --sync
run_as journalctl "$manager_option" --unit="$name" --output=json --all |
    jq -r 'select(.CONFINE_EVENT) | [.CONFINE_EVENT, .CONFINE_LABEL_TENANT_ID, .CONFINE_LABEL_ODD] | join(" ")' >records
is "$(cat records)" "start acme $odd
end acme $odd" 'S15: the record of the start has them, and that of the end'

capture confine run --result="$tmp/result" -- true
is "$(result '[keys[] | select(startswith("label"))] | length')" 0 'control: a run without labels has none'

capture confine run --label='a=b
c' -- echo ran
is "$rc: $out" '125: ' 'S15: a label with a newline starts nothing'
like "$err" "'a=b.c' is refused for 'Label' \(--label\): write a value of printable UTF-8" 'S20: and says why'

capture confine run --label=api_key=abc -- echo ran
is "$rc: $out" '125: ' 'S15: what looks like a credential is no label'
like "$err" "the value of 'Label' \(--label\) looks like a credential.*--secret=NAME" 'S20: and is told the right way'
assert_clean
done_testing
