#!/bin/sh
# SPDX-License-Identifier: MIT
# Who calls confine (B17): with children of its own, from a thread, by sudo, as a service, as cron does. Each works, or is told
# what to do.
# rung: box
# managers: system user
# budget: 120
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; $run_words are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# --- children that the process had before it became confine

capture in_shell 'sleep 77777 >/dev/null 2>&1 & sleep 0.05 & exec $run -- sh -c "exit 7"'
is "$rc: $out$err" '7: ' 'S13: a process with two children, of which one ends meanwhile, becomes confine: the status of the run'
check '... and the other one is not touched' running '^sleep 77777$'
pkill -xf 'sleep 77777'

# --- a thread that ends before the run does

cat >"$tmp/thread.py" <<'END'
import subprocess, sys, threading
started = []
def start():
    started.append(subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE))
    assert started[0].stdout.readline() == b"ready\n"
thread = threading.Thread(target=start)
thread.start()
thread.join()
try:
    print("after the thread:", started[0].wait(0.5))
except subprocess.TimeoutExpired:
    print("lives")
started[0].terminate()
print(started[0].wait())
END
capture run_as python3 -S "$tmp/thread.py" $run_words -q --allow-run -- sh -c 'echo ready; exec sleep 1000'
is "$rc: $(printf '%s' "$out" | tr '\n' ' ')" '0: lives -15' 'S13: the thread that started confine ends: the run goes on'

# --- a service unit, and what cron gives: no terminal, no session, hardly an environment

# in_service OPTIONS: with the user of the manager; what confine says and its status come through.
in_service() {
    for word; do
        set -- "$@" "$word"
        shift
    done
    systemd-run --quiet --wait --pipe --collect --property=User="$user" "$@"
}
as_service() {
    (
        in_service "$@" -- $run_words --allow-run -- sh -c 'echo "ran as $(id -u)"; exit 7'
    )
}
capture as_service
uid=1000
[ "$MANAGER" = user ] || uid='6[01][0-9]{3}'
is "$rc" 7 'B17: from a service of the system'
like "$out" "^ran as $uid\$" '... as the user that it should be'
capture as_service --property=NoNewPrivileges=yes --property=PrivateTmp=yes --property=ProtectSystem=strict \
    --property=ReadWritePaths=/run/confine
is "$rc: $(messages)" '7: ' '... with NoNewPrivileges=, PrivateTmp= and ProtectSystem=strict'
if [ "$MANAGER" = system ]; then
    capture as_service --property=ProtectSystem=strict
    is "$rc: $(messages)" '125: confine: cannot lock a uid of the range 60578-61183: Read-only file system: a unit that calls confine under ProtectSystem=strict needs ReadWritePaths=/run/confine [CreationError]' \
        '... which has to leave /run/confine writable for it, and is told so'
fi
capture as_service --property=StandardInput=null --setenv=PATH=/usr/bin:/bin --setenv=SHELL=/bin/sh
is "$rc: $(messages)" '7: ' '... with no more than cron gives'
# What a service forbids to all below it cannot be done: then that is named, and nothing runs.
capture as_service --property=SystemCallFilter=~unshare
like "$rc: $out: $(messages)" '^(7: ran as [0-9]*: |125: : confine: .*\[[A-Za-z]+\])$' \
    '... that is without unshare(2): it works without, or is refused by name'

if [ "$MANAGER" = user ]; then
    capture as_alice systemd-run --user --quiet --wait --pipe --collect -- $run_words -- sh -c 'exit 7'
    is "$rc: $(messages)" '7: ' 'B17: from a service of the user'"'"'s manager'
    # --- B18: from a login, whose cgroup is not the manager's, where the system manager does not help

    capture as_alice $run_words -- sh -c 'exit 7'
    is "$rc: $(grep -c /user@1000.service/ /proc/self/cgroup || :)" '7: 0' 'control: from a login, which is not in a cgroup of that manager'
    forbid=/etc/dbus-1/system.d/zz-confine-test.conf
    cat >$forbid <<'END'
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><policy context="mandatory"><deny send_destination="org.freedesktop.systemd1"
    send_interface="org.freedesktop.systemd1.Manager" send_member="AttachProcessesToUnit"/></policy></busconfig>
END
    systemctl reload dbus
    mark
    capture as_alice $run_words -- sh -c 'exit 7'
    like "$rc: $(messages)" "^125: confine: systemd refused the scope .*: failed: see .*'journalctl --user -n 50'; if it may not add the processes, \
call confine from a unit of this manager \('systemd-run --user --pipe --wait'\), or as root; 'confine doctor' tells all that this host lacks \[CreationError\]\$" 'B18: what systemd calls "Failed to add PIDs" is told, with what to do'
    check '... which its journal has' sh -c 'journalctl --sync
        journalctl -q --after-cursor="$1" _UID=1000 | grep -q "Failed to add PIDs to scope.s control group: Permission denied"' sh "$cursor"
    capture as_alice systemd-run --user --quiet --wait --pipe --collect -- $run_words -- sh -c 'exit 7'
    is "$rc: $(messages)" '7: ' 'B18: and what it says works'
    rm $forbid
    systemctl reload dbus
    # --- sudo
    capture as_alice sudo -n $run_words --allow-run -- sh -c 'id -u; exit 7'
    is "$rc: $out: $(messages)" '7: 1000: ' 'by sudo: with the system manager, as who called sudo'
    capture as_alice sudo -n -u bob $run_words -- true
    like "$rc: $(messages)" "^125: confine: no user manager for uid 1001: run 'loginctl enable-linger'" \
        'B17: by sudo as a user without a manager: told how to get one'
fi

assert_clean
done_testing
