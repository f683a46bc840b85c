#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: system
# budget: 60
# S13 S19: a user who makes up many runs keeps no record of another one out of the journal, which takes only so much of one unit.
# shellcheck disable=SC2016 # scripts for inner shells
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"
. "${0%/*}/../data/fakes.sh"

conf=/run/systemd/journald.conf.d/reap-many.conf
restart_journald() {
    systemctl restart systemd-journald
    wait_for 20 systemctl is-active --quiet systemd-journald
}
trap 'rm -f "$conf"; restart_journald; at_exit' EXIT
mkdir -p "${conf%/*}"
# By the room that it has journald makes it up to six times as much.
printf '[Journal]\nRateLimitIntervalSec=60s\nRateLimitBurst=30\n' >"$conf"
restart_journald

# reap: the service, over a run of root that has lost its supervisor.
reap() {
    spawn confine run --allow-run --result="$tmp/result" -- sh -c 'echo ready; sleep 1000 & wait'
    wait_for 20 has_output ready || bail_out 'the run did not start'
    unit=$(confine list --json | jq -r '.runs[] | select(.manager == "system") | "confine-\(.id).scope"')
    forsake "$pid"
    wait "$pid" 2>/dev/null || :
    pid=
    capture systemctl start confine-reap.service
    journalctl --sync
    ends=$(journalctl --quiet --output=json CONFINE_EVENT=end "CONFINE_UNIT=$unit" | wc -l)
}

reap
is "$rc: $ends" '0: 1' 'control: the reaper records the end of the run'

n=200
as_alice mkdir -p "$alices"
as_alice python3 -c 'import os, sys
os.chdir(sys.argv[1])
for i in range(int(sys.argv[2])):
    scope = "confine-%032x.scope" % i
    os.makedirs(scope + "/run")
    for word in "supervisor=999999 1", "started=1":
        os.setxattr(scope, *("user.confine." + word).encode().split(b"="))' "$alices" "$n"
is "$(confine list --json | jq '[.runs[] | select(.state == "orphaned")] | length')" "$n" "control: alice has made up $n more"
reap
is "$rc: $ends" '1: 1' 'S19: with them around it does, too'
capture confine reap --kill
is "$(printf '%s\n' "$err" | grep -c "^confine: ending 'confine-")" 20 'S13: some of them are told one by one'
like "$err" "^confine: ending $((n - 20)) more of other users, without a word about each\$" '... and how many there are'
is "$(printf '%s\n' "$err" | wc -l)" 41 '... nor anything else about each'
as_alice sh -c 'cd "$1" && rmdir confine-0*.scope/run confine-0*.scope' sh "$alices"

assert_clean
done_testing
