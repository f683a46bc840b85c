#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: system user
# budget: 240
# The service manager: where it is looked for, what is said if it is missing or does not answer, and what it does to a run.
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; $run_words are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# What a run that must not take place would leave.
touch ran
chmod 0666 ran
ran() {
    [ -s "$tmp/ran" ]
}

# refused SETTING OPTIONS: tries a run with this environment; $seconds is what it took.
refused() {
    rm -f result
    COMMAND_SECONDS=15
    begin=$(date +%s)
    capture run_as env $1 $run_words --result="$tmp/result" $2 --allow-write="$tmp/ran" -- sh -c "echo ran >$tmp/ran"
    seconds=$(($(date +%s) - begin))
    COMMAND_SECONDS=60
}

case $MANAGER in
system) address=DBUS_SYSTEM_BUS_ADDRESS real=/run/dbus/system_bus_socket ;;
user) address=DBUS_SESSION_BUS_ADDRESS real=/run/user/$(id -u alice)/bus ;;
esac

# --- no bus

refused "$address=unix:path=$tmp/nowhere" ''
is "$rc: $(result '"\(.cause) \(.error)"')" '125: refused CapabilityNotSupported' 'a bus that is not there'
case $MANAGER in
system) like "$(messages)" "^confine: no system bus .*start dbus" 'is named, with what to do' ;;
user) like "$(messages)" "^confine: no user manager for uid 1000: .*enable-linger" 'is named, with what to do' ;;
esac
check 'and nothing ran' sh -c '! [ -s ran ]'

if [ "$MANAGER" = system ]; then
    # In a mount namespace of its own, where dbus seems never to have been.
    capture run_as unshare --mount sh -c "mount -t tmpfs none /run/dbus; exec $run_words -- true"
    is "$rc" 125 'the same where the directory of the bus is empty'
    like "$(messages)" '^confine: no system bus at ./run/dbus/system_bus_socket.' 'which is named'
fi

# --- no systemd at all, as in most containers: whatever else is missing there, that is why

# contained HIDE OPTIONS COMMAND...: in namespaces in which /run is empty, and /sys/fs/cgroup too where HIDE says so.
contained() {
    hide=$1
    shift
    cat >"$captured/contain" <<END
#!/bin/sh
mount -t tmpfs none /run
$hide
exec "\$@"
END
    chmod 0755 "$captured" "$captured/contain"
    limited="${limited:-} unshare --mount --pid --fork --mount-proc $captured/contain"
    run_as "$@"
}
why="systemd does not manage this machine (no '/run/systemd/system'), and its scopes hold the limits: run confine on a host that it \
manages, or start this container with systemd as its first process; 'confine doctor' tells all that this host lacks; \
'confine --no-sandbox' runs Python unrestricted [CapabilityNotSupported]"
for hide in : 'mount -t tmpfs none /sys/fs/cgroup'; do
    for option in '' '-p Audit=best-effort' --dry-run; do
        [ "$hide$option" != :--dry-run ] || continue
        capture contained "$hide" $run_words $option --allow-write="$tmp/ran" -- sh -c "echo ran >$tmp/ran"
        is "$rc: $(messages | tail -n 1)" "125: confine: $why" "a container without systemd ($hide) $option: refused, with the one fix that there is"
    done
    capture contained "$hide" /usr/bin/confine doctor --json
    is "$rc: $(jq -r '.checks[] | select(.check == "systemd") | "\(.result) \(.fatal)"' "$captured/out")" '1: failed true' 'P18: the doctor says so, too'
    is "$(jq -r '.checks[] | select(.check == "journal") | .fix' "$captured/out")" 'see to systemd first' '... and sends nobody to journald'
done
check 'and nothing ran' sh -c '! [ -s ran ]'

# --- B17: a bare environment, as cron, sudo or ssh leave it

if [ "$MANAGER" = user ]; then
    capture run_as env -u XDG_RUNTIME_DIR -u DBUS_SESSION_BUS_ADDRESS $run_words -q -- echo found
    is "$rc: $out: $err" '0: found: ' 'B17: without XDG_RUNTIME_DIR and DBUS_SESSION_BUS_ADDRESS'
    capture run_as env -u XDG_RUNTIME_DIR $run_words -q -- echo found
    is "$rc: $out: $err" '0: found: ' 'B17: without the first'
    capture run_as env -u DBUS_SESSION_BUS_ADDRESS $run_words -q -- echo found
    is "$rc: $out: $err" '0: found: ' 'B17: without the second'
    capture run_as env -i /usr/bin/confine run -q ${run_words#/usr/bin/confine run} -- echo found
    is "$rc: $out: $err" '0: found: ' 'B17: without any environment'
    capture run_as env DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/0/bus $run_words -- true
    is "$rc: $(messages)" "125: confine: cannot connect to the bus: Permission denied: set DBUS_SESSION_BUS_ADDRESS and XDG_RUNTIME_DIR as a login of yours has them, or neither, and see what 'confine doctor' says [CreationError]" \
        "S20: with the address of somebody else's bus"
    for setting in '' XDG_RUNTIME_DIR=/run/user/1001; do
        capture setpriv --reuid=bob --regid=bob --init-groups --inh-caps=-all env -i HOME=/home/bob PATH=/usr/bin $setting $run_words -- true
        is "$rc: $(messages)" "125: confine: no user manager for uid 1001: run 'loginctl enable-linger' as an admin once, or run confine as root with --system; 'confine doctor' tells all that this host lacks; 'confine --no-sandbox' runs Python unrestricted [CapabilityNotSupported]" \
            "B17: a user without a manager is told how to get one${setting:+ ($setting)}"
    done
    capture run_as $run_words --system -- true
    is "$rc" 125 '--system is for root'
    like "$(messages)" '^confine: --system needs root: .*\[CapabilityNotSupported\]$' 'and says so'
else
    capture run_as env -i /usr/bin/confine run -q ${run_words#/usr/bin/confine run} -- echo found
    is "$rc: $out: $err" '0: found: ' 'B17: without any environment'
    capture run_as env -i $run_words -q --system -- echo found
    is "$rc: $out: $err" '0: found: ' 'B17: nor with --system'
fi

# --- a bus that does not answer, or not the truth

for mode in silent deaf auth close garbage liar; do
    rm -f "bus" "bus.ready"
    (
        become='exec'
        limited=
        run_as python3 -S "$data/bus.py" "$mode" "$tmp/bus"
    ) </dev/null >"$captured/bus" 2>&1 &
    bus=$!
    wait_for 20 test -e bus.ready || diag 'no bus'
    refused "$address=unix:path=$tmp/bus" '-p StartTimeoutSec=1s'
    kill -KILL "$bus"
    wait "$bus" 2>/dev/null || :
    case $mode in
    silent | deaf | auth)
        is "$rc: $(result '"\(.cause) \(.error)"')" '125: error CreateTimeout' "a bus that is $mode: StartTimeoutSec ends the wait"
        like "$(messages)" '^confine: StartTimeoutSec=1s passed while waiting for .*systemctl.*status' 'and is named, with what to look at'
        within "$seconds" 1 "$(pick 4 8)" 'in time'
        ;;
    liar)
        is "$rc: $(result '"\(.cause) \(.error)"')" '125: error CreationError' \
            'B12: a scope that is said to be there, and has not the first process: an error'
        like "$(messages)" \
            "^confine: systemd reported the scope 'confine-[0-9a-f]*\.scope' as started, but its first process is in '/.*' \(" \
            'which says where the process is'
        ;;
    *)
        is "$rc: $(result '"\(.cause) \(.error)"')" '125: error CreationError' "a bus that does $mode is an error"
        within "$seconds" 0 "$(pick 4 8)" 'at once'
        ;;
    esac
done
check 'and nothing ran' sh -c '! [ -s ran ]'
refused '' ''
check 'control: with the real bus it does' ran
: >ran

if [ "$MANAGER" = user ]; then
    # The manager itself; its bus answers.
    manager=$(systemctl show --value --property=MainPID user@1000.service)
    kill -STOP "$manager"
    refused '' '-p StartTimeoutSec=1s'
    kill -CONT "$manager"
    is "$rc: $(result '"\(.cause) \(.error)"')" '125: error CreateTimeout' 'a manager that is stopped: StartTimeoutSec ends the wait'
    within "$seconds" 1 "$(pick 4 8)" 'in time'
    check 'and nothing ran' sh -c '! [ -s ran ]'
    # It gets to the call now: for a process that is gone.
    as_alice systemctl --user show --property=Version >/dev/null
    assert_clean
fi

# --- what happens to a run that is under way

# start PROGRAM...: and sets $unit.
start() {
    rm -f result
    : >"$captured/out"
    spawn confine run --result="$tmp/result" "$@"
    wait_for 20 has_output ready || diag "not ready: $(cat "$captured/err")"
    unit=$(sed -n 's,^0::.*/\(confine-[0-9a-f]*\.scope\)/.*,\1,p' "/proc/$(worker_of "$pid")/cgroup")
}

manager() {
    case $MANAGER in
    system) systemctl "$@" ;;
    user) as_alice systemctl --user "$@" ;;
    esac
}

start --allow-run -- sh -c "$bin/ignoreterm & exec $bin/ignoreterm"
kill -s KILL "$(keeper_of "$pid")"
finish "$pid"
is "$rc: $(result '"\(.cause) \(.error) \(.exit_status)"')" '125: error SandboxGone 125' 'the keeper is killed: the run ends'
like "$(messages)" "^confine: the keeper of '$unit' was killed from outside, .*journalctl -u $unit.*\[SandboxGone\]$" 'with a message'
check 'and nothing of it is left' sh -c '! pgrep -x ignoreterm'

# S13: how many milliseconds the sandbox outlives its supervisor, killed at some moment of the run.
outlives='import os, random, sys, time
time.sleep(random.random() / 20)
begin = time.monotonic()
os.kill(int(sys.argv[1]), 9)
while os.path.exists(sys.argv[2]) and time.monotonic() < begin + 20:
    time.sleep(0.001)
print(int((time.monotonic() - begin) * 1000))'
longest=0
for round in $(seq "$(loops 10 10)"); do
    start --allow-run -- sh -c "setsid $bin/ignoreterm & exec $bin/ignoreterm"
    leaf=/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$(worker_of "$pid")/cgroup")
    populated=$(sed -n 's/^populated //p' "$leaf/cgroup.events")
    msec=$(python3 -S -c "$outlives" "$pid" "$leaf")
    finish "$pid"
    [ "$rc:$populated" = 137:1 ] || { diag "round $round: status $rc, populated $populated" && msec=99999; }
    [ "$longest" -ge "$msec" ] || longest=$msec
done
within "$longest" 0 1000 'S13: the supervisor is killed: its keeper ends the sandbox within a second, 10 times'
check '... all of it' sh -c '! pgrep -x ignoreterm'

start --allow-run -- sh -c 'echo ready; exec sleep 1000'
check 'the unit is stopped by an admin' manager stop "$unit"
finish "$pid"
is "$rc: $(result '"\(.cause) \(.signal) \(.error)"')" '143: killed 15 null' 'which is cause killed, by the signal used'
like "$(messages)" "^confine: unit '$unit' was stopped from outside$" 'with a message'

# The same with a bus that has fallen silent meanwhile: how the unit ended cannot be told, and is not waited for without an end.
for mode in silent auth; do
    rm -f mute mute.ready result
    (
        become='exec'
        limited=
        run_as python3 -S "$data/bus.py" "$mode" "$tmp/mute"
    ) </dev/null >"$captured/bus" 2>&1 &
    bus=$!
    check "a bus that is $mode" wait_for 20 test -e mute.ready
    ln -sfn "$real" way
    : >"$captured/out"
    # shellcheck disable=SC2086 # words
    spawn run_as env "$address=unix:path=$tmp/way" $run_words --result="$tmp/result" --allow-run -- sh -c 'echo ready; exec sleep 1000'
    wait_for 20 has_output ready || diag "not ready: $(cat "$captured/err")"
    unit=$(sed -n 's,^0::.*/\(confine-[0-9a-f]*\.scope\)/.*,\1,p' "/proc/$(worker_of "$pid")/cgroup")
    ln -sfn "$tmp/mute" way
    manager stop "$unit"
    before=$(date +%s)
    finish "$pid"
    within "$(($(date +%s) - before))" 0 "$(pick 6 20)" 'S13: does not hold up the end of a run that was stopped'
    is "$rc: $(result '"\(.cause) \(.signal)"')" '143: killed 15' 'whose cause the keeper knows'
    kill -KILL "$bus"
    wait "$bus" 2>/dev/null || :
done

start -p TimeoutStopSec=1s -- "$bin/ignoreterm"
check 'a program that ignores SIGTERM is stopped, too' manager stop "$unit"
finish "$pid"
is "$rc: $(result '"\(.cause) \(.signal) \(.error)"')" '137: killed 9 null' 'by SIGKILL, after TimeoutStopSec'

start --allow-read="$data" -- python3 -S "$data/signals.py" TERM 5
check 'a program that handles SIGTERM is stopped' manager stop "$unit"
finish "$pid"
is "$rc: $(result '"\(.cause) \(.signal)"')" '143: killed 15' 'the same: it was the stop that ended it'
is "$out" 'ready
TERM' 'having had the signal once'

start --allow-run -- sh -c 'echo ready; exec sleep 1000'
like "$(manager show --property=ActiveState --property=Slice --property=CollectMode "$unit" | sort | tr '\n' ' ')" \
    '^ActiveState=active CollectMode=inactive-or-failed Slice=confine.slice $' 'while it runs, the unit is what it should be'
like "$(manager show --property=RuntimeMaxUSec "$unit")" '^RuntimeMaxUSec=5min 7s$' 'with a deadline of its own'
kill -s TERM "$pid"
finish "$pid"

assert_clean
done_testing
