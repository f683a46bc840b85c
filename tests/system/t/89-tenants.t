#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: system user
# budget: 60
# S15 P11: what one run has is out of reach of another of the same user, also of one with the same uid: scratch, credentials,
# shared memory, files, descriptors, memory, signals, cgroup. Control: a process of that uid without sandbox reaches it.
# shellcheck disable=SC2086 # words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

tenants=$data/tenants.py
# It may be stricter than the machines that this is for; the sandbox is what is tested.
[ ! -w /proc/sys/kernel/yama/ptrace_scope ] || echo 0 >/proc/sys/kernel/yama/ptrace_scope

case $MANAGER in
system)
    uid=60001
    options=--uid=$uid
    plainly="setpriv --reuid=$uid --regid=$uid --clear-groups --inh-caps=-all"
    # Root's runs see no process but their own.
    no_process=ENOENT
    no_number=ESRCH
    ;;
user)
    uid=$(id -u alice)
    options=
    plainly=
    no_process=EACCES
    no_number=EPERM
    ;;
esac
# Not below /tmp, where a grant would take the place of the run's own.
base=/srv/tenants
rm -rf "$base"
mkdir -p "$base"
cd "$base"
mkdir private other
chown "$uid:$uid" private other
chmod 0700 private other

# hold LABEL: the first run, in the background. Sets $first and the file facts.json.
hold() {
    spawn run_as env 'TENANT=of tenant one' $run_words -q $options "--label=tenant_id=$1" --secret=TENANT \
        --allow-write="$base/private" --allow-read="$data" -- python3 -S "$tenants" hold "$base/private"
    first=$pid
    wait_for 20 grep -q credential "$captured/out" || bail_out "no first run: $(cat "$captured/err")"
    wait_for 20 is_written "$1" || bail_out 'its cgroup tells nothing'
    cgroup=/sys/fs/cgroup$(confine inspect "$id" --json | jq -r .run.cgroup)
    confine inspect "$id" --json | jq --slurpfile facts "$captured/out" --arg cgroup "$cgroup" --argjson keeper "$(keeper_of "$first")" \
        '$facts[0] + {main: .run.main_pid, supervisor: .run.supervisor_pid, keeper: $keeper, cgroup: $cgroup}' >facts.json
}

is_written() {
    id=$(confine list --json "--label=tenant_id=$1" | jq -r '.runs[] | select(.state == "running") | .id')
    [ -n "$id" ]
}

# reach OPTION...: the second run tries. Its uid is the first one's.
reach() {
    capture run_as $run_words -q $options --label=tenant_id=two --secret=TENANT=file:"$base/of-two" --allow-write="$base/other" \
        --allow-read="$base/facts.json" --allow-read="$data" "$@" -- python3 -S "$tenants" reach "$base/facts.json"
}

# said NAME: what the last command printed for it.
said() {
    printf '%s\n' "$out" | sed -n "s/^$1 //p"
}

echo 'of tenant two' >of-two
chown "$uid:$uid" of-two
run_as chmod 0600 of-two 2>/dev/null || chmod 0600 of-two

hold one
is "$(jq -r '.main != .supervisor and .main > 1 and .keeper > 1' facts.json)" true 'the first run is there, with a secret, files and shared memory'
capture run_as $plainly python3 -S "$tenants" reach "$base/facts.json"
plain=$out
for name in scratch home tmp shm credential file file-write file-chmod fd memory environ cwd signal-main pidfd priority limit cgroup label \
    shared-memory socket; do
    is "$(printf '%s\n' "$plain" | sed -n "s/^$name //p")" ok "control: without sandbox, $name is reached"
done
[ "$MANAGER" = system ] || for name in signal-supervisor signal-keeper; do
    is "$(printf '%s\n' "$plain" | sed -n "s/^$name //p")" ok "control: without sandbox, $name is reached"
done

all_denied() {
    is "$rc $(printf '%s\n' "$out" | wc -l)" '0 27' "$1: every attempt was made"
    for name in scratch home tmp shm credential fd memory environ cwd; do
        is "$(said $name)" $no_process "S15: $1: $name of the other run"
    done
    # The same names are there, with this run's own behind them, or nothing.
    for name in scratch-here home-here tmp-here shm-here; do
        is "$(said $name)" ENOENT "S15: $1: $name is nobody's"
    done
    is "$(said credential-here)" another "S15: $1: the credential of that name is its own"
    for name in signal-main signal-supervisor signal-keeper pidfd priority limit; do
        like "$(said $name)" "^($no_number|EPERM)\$" "P11: $1: $name"
    done
    is "$(said file)" EACCES "S15: $1: a file that is not granted"
    for name in file-write file-chmod; do
        like "$(said $name)" '^(EROFS|EACCES)$' "S15: $1: $name"
    done
    is "$(said cgroup)" EACCES "S15: $1: the cgroup"
    is "$(said label)" ok "S15: $1: labels are public, as the manual says"
    for name in shared-memory socket; do
        is "$(said $name)" EPERM "P11: $1: no $name to meet at"
    done
}

reach
all_denied 'another run'
reach --allow-run --allow-net
all_denied 'with processes and network'
check 'the first run lives' kill -0 "$first"

confine kill "$id"
finish "$first"
is "$rc" 137 'the first run is ended'
reach
for name in scratch home tmp shm scratch-here home-here tmp-here shm-here; do
    like "$(said $name)" '^(ENOENT|EACCES)$' "S15: after its end nothing of it is left: $name"
done

if [ "$MANAGER" = system ]; then
    # Without --uid= runs of root are apart by their uids, too.
    options=
    chmod 0755 "$data"
    spawn confine run --label=tenant_id=three -- sleep 1000
    first=$pid
    wait_for 20 is_written three || bail_out 'no third run'
    third=$id
    capture confine run -q -- id -u
    isnt "$out" "$(confine list --json --label=tenant_id=three | jq -r '.runs[0].uid')" 'S15: two runs of root have different uids'
    confine kill "$third"
    finish "$first"
fi
cd "$tmp"
rm -rf "$base"
assert_clean
done_testing
