#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# managers: system user
# vm-managers: user
# budget: 120
# P17 S13 S15: list, inspect, kill and reap, from another terminal than that of the run. What has to do with no limit is done in
# the container only.
# shellcheck disable=SC2016 # no expansion is meant
# shellcheck disable=SC2154 # `start` assigns by name
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"
. "${0%/*}/../data/fakes.sh"

# start NAME OPTION... -- COMMAND...: a run in the background. Sets $NAME_pid, the supervisor, and $NAME_id.
start() {
    start_name=$1
    shift
    rm -f "$tmp/$start_name.json"
    spawn confine run --allow-run --result="$tmp/$start_name.json" "--label=name=$start_name" "$@"
    wait_for 20 is_listed "$start_name" running || bail_out "no run $start_name"
    mv "$captured/out" "$captured/$start_name.out"
    mv "$captured/err" "$captured/$start_name.err"
    eval "${start_name}_pid=$pid ${start_name}_id=\$(id_of $start_name)"
}

listed() {
    confine list --json --label="name=$1"
}

is_listed() {
    [ "$(listed "$1" 2>/dev/null | jq -r '.runs[0].state')" = "$2" ]
}

id_of() {
    listed "$1" | jq -r '.runs[0].id'
}

scope_of() {
    find /sys/fs/cgroup -type d -name "confine-$1.scope"
}

# ended_with NAME PID: waits for the run's confine. Sets $rc.
ended_with() {
    finish "$2"
    err=$(cat "$captured/$1.err")
}

is_ready() {
    grep -qx ready "$captured/$1.out"
}

end_of() {
    jq -r '[.cause, .signal, .killed_by_uid] | join(" ")' "$tmp/$1.json"
}

uid=$(run_as id -u)

valid() {
    python3 "$data/schema.py" /usr/share/confine/schema/runs.json "$captured/out"
}

# --- list and inspect

capture confine list --json
is "$rc: $out" '0: {"runs":[]}' 'control: without a run there is nothing to list'
start one --label=tenant_id=acme --label='odd=a "b" \ %n' -- sh -c 'sleep 1000 & wait'
start two --slice=confine-test-inner --label=tenant_id=other -- sleep 1001
like "$(scope_of "$two_id")" '/confine\.slice/confine-test\.slice/confine-test-inner\.slice/' 'control: it is in a slice of its own'
capture confine list
is "$rc: $(printf '%s\n' "$out" | wc -l)" '0: 3' 'S13: list has a line for each run, below its heading'
like "$out" "^$(printf %.12s "$one_id") .* running .*name=one odd=a \"b\" \\\\ %n tenant_id=acme  [0-9a-f]{12}\$" \
    'with its labels and the hash of its command'
capture confine list --json
check 'its JSON is as runs.json says' valid
is "$(jq -r '[.runs[].labels.name] | join(" ")' "$captured/out")" 'one two' 'the oldest is the first'
is "$(jq -r '.runs[0].labels.odd' "$captured/out")" 'a "b" \ %n' 'a label is told to the byte'
is "$(jq -r '.runs[0] | .left_usec > 200000000 and .left_usec <= 300000000' "$captured/out")" true 'the deadline is that of the run'
if limits; then
    is "$(jq -r '.runs[0] | .memory_bytes > 0 and .tasks == 2' "$captured/out")" true 'memory and tasks are those of the kernel'
fi
capture confine list --json --label=tenant_id=other
is "$(jq -r '[.runs[].id] | join(" ")' "$captured/out")" "$two_id" 'S15: --label= chooses'
capture confine list --json --label=tenant_id=other --label=name=one
is "$out" '{"runs":[]}' 'each of several has to be there'
capture as_alice /usr/bin/confine list --json
case $MANAGER in
system) is "$rc: $out" '0: {"runs":[]}' 'a user sees none of the system manager' ;;
user)
    capture env confine list --json
    is "$rc: $(jq -r '[.runs[].id] | length' "$captured/out")" '0: 2' 'S13: root sees the runs of users'
    ;;
esac

capture confine inspect "confine-$one_id.scope" --json
check 'the JSON of inspect is as runs.json says' valid
is "$(jq -r '[.run.unit_state, .run.owner, .run.supervisor_pid] | join(" ")' "$captured/out")" \
    "active (running) $uid $one_pid" 'P17: inspect asks systemd, too, and names the supervisor'
is "$(jq -r '[.processes[].name] | join(" ")' "$captured/out")" 'sh sleep' 'and has the processes'
is "$(jq -r '.run.main_pid == .processes[0].pid' "$captured/out")" true 'the first is the main one'
journalctl --sync
is "$(run_as journalctl "$manager_option" --unit="confine-$one_id.scope" --output=json | jq -rs '.[0] | .CONFINE_COMMAND_SHA256 + .CONFINE_POLICY_SHA256')" \
    "$(jq -r '.run | .command_sha256 + .policy_sha256' "$captured/out")" 'the hashes are those of the records'

# --- the ids

ids() {
    short=$(printf %.8s "$one_id")
    capture confine inspect "$short" --json
    is "$rc: $(jq -r .run.id "$captured/out")" "0: $one_id" 'S13: an id may be shortened while it is unique'
    # A cgroup of that name is all that a run is found by.
    tail=$(printf %s "${one_id#"$short"}" | tr 0123456789abcdef 123456789abcdef0)
    other=$(dirname "$(scope_of "$one_id")")/confine-$short$tail.scope
    run_as mkdir "$other"
    capture confine kill "$short"
    is "$rc" 1 'S13: one that fits two runs is refused'
    like "$err" "2 runs have an id that begins with '$short': write more of its digits" 'S20: with what to write'
    rmdir "$other"
    for bad in '' g "${one_id}0" "confine-$short.scope" "../$one_id" "$(printf %.31s "$one_id")X"; do
        capture confine kill "$one_id" "$bad"
        is "$rc: $out" '2: ' "'$bad' is no id"
        like "$err" 'is no id: write the first' 'S20: it is said what one is'
    done
    capture confine inspect ffffffffffffffffffffffffffffffff
    is "$rc: $out" '1: ' 'a run that is not there is not inspected'
    like "$err" 'there is no run.*SandboxGone' 'S20: and where to look'
    check 'none of that ended a run' is_listed one running
}
if ! limits; then ids; fi

# --- kill

capture confine kill "$two_id" "$two_id"
is "$rc: $out$err" '0: ' 'S13: kill ends a run, without a word'
is "$(scope_of "$two_id")" '' 'nothing of it is left when kill returns'
ended_with two "$two_pid"
is "$rc: $(end_of two)" "137: killed 9 $uid" 'P17: the cause is killed, by whom, and confine ends by the signal'
like "$err" "the run was ended by uid $uid with 'confine kill'" 'with a message'
run_as systemctl "$manager_option" stop confine-test.slice # systemd keeps one that is empty
capture confine kill "$two_id"
is "$rc: $out$err" '0: ' 'S13: a second kill succeeds silently'
check 'another run is not touched' is_listed one running

# --- other signals

signals() {
    start two -- sleep 1001
    capture confine kill "$two_id" --signal=term
    is "$rc: $err" '0: ' 'a signal may be chosen'
    ended_with two "$two_pid"
    is "$rc: $(end_of two)" "143: killed 15 $uid" 'and is the one the run ends by'
    start two -- sh -c 'trap "echo got it" USR1; trap "exit 143" TERM; echo ready; while :; do sleep 0.05; done'
    wait_for 10 is_ready two || bail_out 'not ready'
    capture confine kill --signal=USR1 "$two_id"
    wait_for 10 grep -q 'got it' "$captured/two.out" || not_ok 'the program gets a signal that does not end it'
    check 'and goes on' is_listed two running
    capture confine kill --signal=SIGTERM "$two_id"
    ended_with two "$two_pid"
    is "$rc: $(end_of two)" '143: exit  ' 'a program that ends itself by the status of the signal was not killed, which it may do at any time'
    start two -- sh -c 'trap "exit 0" TERM; echo ready; while :; do sleep 0.05; done'
    wait_for 10 is_ready two || bail_out 'not ready'
    capture confine kill --signal=TERM "$two_id"
    ended_with two "$two_pid"
    is "$rc: $(end_of two)" '0: exit  ' 'control: one that takes it as a request ends by itself'
}
if ! limits; then signals; fi

# --- kill by label

start two --label=tenant_id=other -- sleep 1001
capture confine kill --all --label=tenant_id=other
ended_with two "$two_pid"
is "$rc: $(end_of two)" "137: killed 9 $uid" 'S15: kill --all --label= ends the runs of a tenant'
check 'and no other' is_listed one running

if [ "$MANAGER" = system ]; then
    # The control is the same kill, by root, below.
    capture as_alice /usr/bin/confine kill --system "$one_id"
    is "$rc" 1 'S13: a user cannot end a run of root'
    like "$err" "it is another user's" 'S20: and is told'
    check 'which goes on' is_listed one running
fi
capture env confine kill --all
is "$rc: $err" '0: ' 'root ends those of users, too'
ended_with one "$one_pid"
is "$rc: $(end_of one)" '137: killed 9 0' 'and the record says that it was root'

# --- what a cgroup tells is the word of its owner

words() {
    if [ "$MANAGER" = user ]; then
        start one -- sleep 1000
        sleep 1002 &
        bystander=$!
        mark="$bystander $(cut -d' ' -f22 "/proc/$bystander/stat")"
        run_as python3 -c 'import os, sys
d, mark = sys.argv[1:]
os.setxattr(d, "user.confine.main", mark.encode())
os.setxattr(d, "user.confine.label.evil", b"\x1b[2Jx")
os.setxattr(d, "user.confine.label.UPPER", b"x")
os.setxattr(d, "user.confine.deadline", b"99999999999999999999999")
os.setxattr(d, "user.confine.command_sha256", b"\xff" * 64)
try:
    for i in range(128):
        os.setxattr(d, "user." + "%03d" % i + "x" * 247, b"x")
except OSError:
    pass
assert len(os.listxattr(d)) > 100' "$(scope_of "$one_id")" "$mark"
        capture env confine list --json
        check 'S13: what is malformed is left out' valid
        is "$(jq -r '.runs[0] | [.left_usec, .command_sha256, .labels.evil, .labels.UPPER] | map(. == null) | all' "$captured/out")" true \
            'every bit of it'
        capture env confine kill --signal=KILL --all
        is "$rc" 0 'root kills that run'
        ended_with one "$one_pid"
        start one -- sleep 1000
        mark="$bystander $(cut -d' ' -f22 "/proc/$bystander/stat")"
        run_as python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.confine.main", sys.argv[2].encode())' "$(scope_of "$one_id")" "$mark"
        capture env confine kill --signal=TERM "$one_id"
        check 'S13: a process outside of the run is not signalled, whatever the cgroup says' kill -0 "$bystander"
        check 'nor the run, whose main process nobody knows now' is_listed one running
        capture env confine kill "$one_id"
        ended_with one "$one_pid"
        kill -KILL "$bystander"
        wait "$bystander" 2>/dev/null || :
    fi
}
if ! limits; then words; fi

# --- reap

start one -p RuntimeMaxSec=1h -- sh -c 'sleep 1000 & wait'
scope=$(scope_of "$one_id")
capture confine reap
is "$rc: $out" '0: ' 'control: while its supervisor lives there is nothing to reap'
capture confine reap --kill
check 'and nothing is ended' is_listed one running
forsake "$one_pid"
check 'S13: a run whose supervisor and keeper were killed is there' grep -q . "$scope/run/cgroup.procs"
is "$(listed one | jq -r '.runs[0].state')" orphaned 'list says so, though nobody has waited for its supervisor'
wait "$one_pid" 2>/dev/null || :
pid=
is "$(listed one | jq -r '.runs[0].state')" orphaned 'and when somebody has'
capture confine reap
is "$rc" 1 'reap finds it'
like "$out" "^$(printf %.12s "$one_id") .* orphaned " 'and lists it'
capture confine reap --json
check 'its JSON is as runs.json says' valid
check 'listing ends nothing' grep -q . "$scope/run/cgroup.procs"
capture confine reap --kill
is "$rc" 0 'S13: reap --kill ends it, long before its deadline'
like "$err" "ending 'confine-$one_id.scope', whose supervisor is gone" 'and says so'
is "$(scope_of "$one_id")" '' 'nothing of it is left when reap returns'
capture confine reap
is "$rc: $out" '0: ' 'and there is nothing to reap any more'

# the_end FIELD...: of the end records of the run in $one_id, one a line.
the_end() {
    journalctl --sync
    journalctl --output=json CONFINE_EVENT=end CONFINE_ID="$one_id" |
        jq -r --args '[.[$ARGS.positional[]] | tostring] | join(" ")' "$@"
}
journalctl --output=json CONFINE_EVENT=start CONFINE_ID="$one_id" >"$tmp/start"
runs_uid=$uid roots_label=null
[ "$MANAGER" = user ] || runs_uid=$(jq -r .CONFINE_UID "$tmp/start") roots_label=one
is "$(the_end CONFINE_CAUSE CONFINE_SIGNAL CONFINE_KILLED_BY_UID CONFINE_UID CONFINE_KILLED_AFTER_EXIT CONFINE_LABEL_NAME CONFINE_MANAGER)" \
    "killed 9 $uid $runs_uid 1 one $MANAGER" 'S13 S19: it has an end record, by whom and of what: its first process went with its supervisor'
is "$(the_end CONFINE_COMMAND_SHA256)" "$(jq -r .CONFINE_COMMAND_SHA256 "$tmp/start")" 'with the hash of its start'
like "$(the_end CONFINE_CPU_USEC CONFINE_DURATION_USEC)" '^[1-9][0-9]* [1-9][0-9]*$' 'and what its cgroup told'
if limits; then
    like "$(the_end CONFINE_MEMORY_PEAK_BYTES CONFINE_TASKS_PEAK)" '^[1-9][0-9]* 2$' 'with its limits'
fi
capture confine log --json --id="$one_id"
is "$rc: $(jq -r '[.state, .cause, .killed_by_uid] | join(" ")' "$captured/out")" "0: ended killed $uid" 'its start has an end in the log'

# --- by root, and a program that ends before anybody is there

# abandon: the run one, without supervisor and keeper.
abandon() {
    start one "$@"
    scope=$(scope_of "$one_id")
    forsake "$one_pid"
    wait "$one_pid" 2>/dev/null || :
    pid=
}

ends() {
    abandon -- sh -c 'sleep 1000 & wait'
    [ "$MANAGER" = system ] || as_alice python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.confine.reaped", b"1")' "$scope"
    capture env confine reap --kill
    is "$rc: $(the_end CONFINE_CAUSE CONFINE_KILLED_BY_UID CONFINE_LABEL_NAME)" "0: killed 0 $roots_label" \
        'root ends that of a user, too, and passes nothing on that only the user says; nor does the user keep the record away'
    capture env confine log --json --id="$one_id"
    is "$rc: $(jq -r '[.state, .trust, .cause] | join(" ")' "$captured/out")" '0: ended authentic killed' 'S19: which is the end of that start'
    abandon -- sh -c 'sleep 1000 & wait'
    echo 1 >"$scope/run/cgroup.kill"
    wait_for 10 test ! -e "$scope" || not_ok 'its scope goes with it'
    capture env confine reap --kill
    is "$rc: $(the_end CONFINE_CAUSE)" '0: ' 'what nobody ended has no end'
    capture env confine log --json --id="$one_id"
    is "$rc: $(jq -r .state "$captured/out")" '1: no-end' 'control: the log says so'
}
if ! limits; then ends; fi

# --- cgroups that a user made up, in the part of the tree that is the user's own

fakes() {
    start one -- sleep 1000
    fake '' "$one_id" yes
    unmake "$fake" &
    remover=$!
    capture confine reap --kill
    wait "$remover" "$fake_pid" 2>/dev/null || :
    is "$rc: $(the_end CONFINE_MANAGER CONFINE_UID CONFINE_DURATION_USEC)" '0: user 1000 null' 'control: what alice gave the id of a run of root has an end'
    capture confine log --json --id="$one_id"
    # Since when it ran only the user says. So it may be older than the journal of the container, as the machine is.
    is "$(jq -r '[.manager, .state] | join(" ")' "$captured/out" | sort | tr '\n' ,)" 'system running,user ended,' \
        'S19: which is not taken for that of the run of root, and no start of it is missed'

    fake '' "$one_id" no
    capture confine kill "$(printf %.31s "$one_id")"
    is "$rc" 1 'S13: digits that fit runs of two managers are refused'
    like "$err" 'or choose among their managers with --system or --user' 'S20: with what to write'
    capture confine kill "$one_id"
    is "$rc: $err" '0: ' 'S13: a whole id is that of the run of the system manager, whatever a user named so'
    ended_with one "$one_pid"
    is "$rc: $(end_of one)" "137: killed 9 $uid" 'which is ended'
    check 'the other is not touched' test -d "$fake"
    unmake "$fake"

    abandon -- sh -c 'sleep 1000 & wait'
    fake confine-x.slice/ 00000000000000000000000000000001 no
    as_alice sh -c 'echo threaded >"$1/cgroup.type"' sh "$fake"
    capture confine reap --kill
    is "$rc: $(the_end CONFINE_CAUSE)" '1: killed' 'S13: a cgroup that cannot be killed keeps no record of another run away'
    like "$err" "'000000000000' cannot be ended: Operation not supported: look at its cgroup" 'control: it cannot'
    unmake "$fake"
    rmdir "$alices/confine-x.slice"

    abandon -- sh -c 'sleep 1000 & wait'
    for i in 1 2 3 4; do fake '' "0000000000000000000000000000000$i" no; done
    begin=$(date +%s%6N)
    capture confine reap --kill
    end=$(date +%s%6N)
    is "$rc: $(the_end CONFINE_CAUSE)" '1: killed' 'control: four cgroups stay, which root cannot help'
    check 'S13: they are waited for at once, not 2 s for each' test $((end - begin)) -lt 6000000
    check 'and the record of what has ended does not wait for them' test $((end - $(the_end __REALTIME_TIMESTAMP))) -gt 1000000
    for i in 1 2 3 4; do unmake "$alices/confine-0000000000000000000000000000000$i.scope"; done
}
if ! limits && [ "$MANAGER" = system ]; then fakes; fi

forgotten() {
    fake '' 00000000000000000000000000000005 no
    is "$(run_as systemctl --user show --property=LoadState --value "${fake##*/}")" not-found 'control: a cgroup whose unit the manager has forgotten'
    run_as mkdir "$fake/keeper"
    check 'control: it is there, with all that a run has in it' test -d "$fake/run" -a -d "$fake/keeper"
    capture confine reap --kill
    is "$rc" 0 'S13: the reaper ends it'
    check '... and removes it' test ! -e "$fake"
}
if ! limits && [ "$MANAGER" = user ]; then forgotten; fi

# --- the units

units() {
    capture run_as systemctl "$manager_option" start confine-reap.service
    is "$rc: $err" '0: ' 'S13: confine-reap.service works'
    is "$(run_as systemctl "$manager_option" is-enabled confine-reap.timer 2>&1)" disabled 'its timer is there, and off by itself'
    capture run_as systemd-analyze "$manager_option" --man=no verify confine.slice confine-reap.service confine-reap.timer
    is "$rc: $out$err" '0: ' 'systemd finds no fault with any'

    # --- watching

    start one -- sleep 1000
    spawn confine list --watch
    wait_for 10 sh -c '[ "$(grep -c running "$1")" -ge 2 ]' sh "$captured/out" || not_ok 'list --watch shows it again'
    is "$(tr -d '\n -~' <"$captured/out")" '' 'without a terminal in plain lines'
    kill -INT "$pid"
    finish
    is "$rc" 130 'until it is interrupted'
    capture run_as script -qec 'timeout -s INT 1 confine list --watch' /dev/null
    like "$(printf '%s' "$out" | tr '\033' '^')" '\^\[H\^\[2J.*ID' 'on a terminal in place'
    start two -- sleep 1001
    capture run_as script -qec 'stty rows 3; timeout -s INT 1 confine list --watch' /dev/null
    is "$(printf '%s\n' "$out" | grep -c running)" 1 'and no more runs than it has lines for'
    capture confine kill "$two_id"
    ended_with two "$two_pid"
    capture confine kill "$one_id"
    ended_with one "$one_pid"
}
if ! limits; then units; fi

assert_clean
done_testing
