#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# suites: trixie bookworm-backports trixie-backports
# managers: system user
# budget: 240
# Ways around the boundary that a review found, each closed.
# shellcheck disable=SC2086 # words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# --- P5: what a grant's path leads to counts, not its text

if [ "$MANAGER" = user ]; then
    control=/var/run/user/$(id -u alice)/systemd
    check 'control: alice can write to the directories of her manager' run_as test -w "$control"
else
    control=/var/run/systemd/system
fi
capture confine run --result="$tmp/result" --allow-write="$control" -- true
is "$rc $(result '"\(.cause) \(.error)"')" '125 refused ConfigurationError' "a write grant of $control, through a link of the system"
run_as ln -s "$control" "$tmp/link"
capture confine run --allow-write="$tmp/link" -- true
is "$rc" 125 'and through a link that an earlier run may have left'
run_as ln -s / "$tmp/root"
capture confine run --allow-write="$tmp/root" -- true
is "$rc" 125 'a link to / is / as well'

# B03: what is mounted below a grant comes with it; here the cgroups, by which a program would leave its scope.
if ! limits; then
    mkdir -p "$tmp/below/cgroups"
    chmod 0777 "$tmp/below"
    mount --bind /sys/fs/cgroup "$tmp/below/cgroups"
    capture confine run --result="$tmp/result" --allow-write="$tmp/below" -- true
    is "$rc $(result '"\(.cause) \(.error)"')" '125 refused ConfigurationError' 'a write grant above a mount of the cgroups'
    like "$(messages)" "^confine: AllowWrite= '$tmp/below' .* at '$tmp/below/cgroups': unmount that" 'which is named'
    capture confine run --allow-read="$tmp/below" -- true
    is "$rc" 0 'control: to be read it may be granted'
    umount "$tmp/below/cgroups"
    capture confine run --allow-write="$tmp/below" -- true
    is "$rc" 0 'control: and without the mount to be written'
fi

# While a grant is opened, its path becomes a link to such a place, and an ordinary directory again. Not in the VM, whose few
# rounds would not meet both.
if ! limits; then
    run_as mkdir "$tmp/turn"
    run_as ln -s "$control" "$tmp/turn.link"
    evil=$control/evil-$$
    as_root=
    [ "$MANAGER" = user ] || as_root=--uid=root
    # shellcheck disable=SC2016 # perl
    run_as perl -e 'my ($d, $l) = @ARGV; while (getppid() != 1) { rename($d, "$d.dir"); rename($l, $d); rename($d, $l); rename("$d.dir", $d) }' \
        "$tmp/turn" "$tmp/turn.link" &
    turning=$!
    planted() {
        run_as sh -c "echo x >'$tmp/turn/${evil##*/}'" 2>/dev/null || :
        [ -e "$evil" ]
    }
    check 'B84 control: a write through the path comes to the forbidden place' wait_for 20 planted
    rm -f "$evil"
    n_run=0
    n_refused=0
    for round in $(seq "$(loops 600 0)"); do
        status=0
        run_as $run_words -q $as_root --allow-write="$tmp/turn" -- sh -c "echo x >'$tmp/turn/${evil##*/}'" >/dev/null 2>&1 || status=$?
        case $status in
        125) n_refused=$((n_refused + 1)) ;;
        *) n_run=$((n_run + 1)) ;;
        esac
    done
    kill "$turning"
    wait "$turning" 2>/dev/null || :
    check 'B84: in runs none does, whenever the path is turned' test ! -e "$evil"
    isnt "$n_run" 0 "of which $n_run ran"
    isnt "$n_refused" 0 "and $n_refused were refused"
fi

# By its kind, wherever it is mounted: of those that any kernel has.
if [ "$MANAGER" = system ]; then
    mkdir "$tmp/control"
    capture confine run --uid=root --allow-write="$tmp/control" -- true
    is "$rc" 0 'control: a directory'
    for kind in $(pick 'proc sysfs cgroup2 bpf tracefs debugfs' tracefs); do
        check "control: $kind can be mounted" mount -t "$kind" none "$tmp/control"
        capture confine run --uid=root --allow-write="$tmp/control" -- true
        is "$rc" 125 "$kind is not granted"
        like "$err" "^confine: AllowWrite= '$tmp/control' is on a file system that controls this machine" 'and that is said'
        umount "$tmp/control"
    done
fi

# --- --result: nothing of confine's own, nothing of somebody else's

for fd in 3 4 5 6 7 8 9; do
    capture confine run --result="fd:$fd" -- true
    is "$rc" 125 "a descriptor of confine's own, or none: fd:$fd is refused"
done
run_as touch "$tmp/target"
run_as ln -s "$tmp/target" "$tmp/planted"
capture confine run --result="$tmp/planted" -- true
is "$rc $(wc -c <"$tmp/target")" '125 0' '--result does not follow a link'

# The program can write to the directory: what it leaves there is not taken for confine's word.
mkdir "$tmp/shared"
chmod 0777 "$tmp/shared"
cat >"$tmp/forge.py" <<'END'
import os, sys
with open("shared/forged", "w") as f:
    f.write('{"cause":"exit","exit_status":0}')
os.replace("shared/forged", sys.argv[1])
END
capture confine run --result="$tmp/result" --allow-read="$tmp" --allow-write="$tmp/shared" -- python3 -S forge.py shared/other
is "$rc $(result .cause)" '0 exit' 'control: a program that replaces another file'
capture confine run --result=shared/result --allow-read="$tmp" --allow-write="$tmp/shared" -- python3 -S forge.py shared/result
is "$rc" 125 'a result that the program has replaced is an error'
like "$err" "^confine: the result could not be stored in 'shared/result': it was replaced .*\[AuditError\]$" 'and named'
rm -f shared/result
capture confine run --result=shared/result --allow-read="$tmp" --allow-write="$tmp/shared" -- python3 -S -c 'import os; os.unlink("shared/result")'
is "$rc" 125 'so is one that it has removed'
run_as touch shared/result
chmod 0666 shared/result
capture confine run --result=shared/result --allow-read="$tmp" --allow-write="$tmp/shared" -- \
    python3 -S -c 'open("shared/result", "w").write("x" * 100000); raise SystemExit(3)'
is "$rc $(jq -s '[length, .[0].exit_status]' -c <shared/result)" '3 [1,3]' 'what it wrote to it is gone'
capture confine run --result=/dev/full -- sh -c 'exit 3'
is "$rc" 125 'a result that cannot be stored is an error'
like "$err" "^confine: the result could not be stored in '/dev/full': No space left on device \[AuditError\]$" 'and named'
capture confine run -q --result=/dev/full -- sh -c 'exit 3'
like "$rc $err" '^125 confine: the result could not be stored' 'also with -q'
capture confine run --result=/dev/full -p MemoryMax=infinity -- true
is "$rc $(printf '%s\n' "$err" | wc -l)" '125 2' 'a refusal that cannot be stored says both'

# --- S11: a realtime policy is not bound by CPUQuota, so a run has none

scheduler='import os, resource; print(os.sched_getscheduler(0), resource.getrlimit(resource.RLIMIT_RTPRIO))'
capture confine run -- python3 -c "$scheduler"
is "$rc $out" '0 0 (0, 0)' 'a run is under the ordinary policy, and cannot leave it'
if [ "$MANAGER" = system ] && chrt -f 1 true 2>/dev/null; then
    # shellcheck disable=SC2086 # words
    capture chrt -f 1 $run_words -q -- python3 -c "$scheduler"
    is "$rc $out" '0 0 (0, 0)' 'also when its caller is under a realtime one'
fi

# --- B55: TIOCLINUX on a virtual console, where it pastes (3) and tells of shift keys (6). The container has none.

on_console() {
    limited="${limited:-} setsid --ctty --wait"
    "$@" </dev/tty9
}
if limits && [ "$MANAGER" = system ]; then
    console='import fcntl
for code in 3, 6:
    try: print(code, fcntl.ioctl(0, 0x541c, bytearray([code])))
    except OSError as e: print(code, e.strerror)'
    capture on_console run_as python3 -S -c "$console"
    is "$rc $out" '0 3 0
6 0' 'B55: control: root may paste'
    capture on_console run_as setpriv --reuid=60000 --regid=60000 --clear-groups --inh-caps=-all python3 -S -c "$console"
    like "$out" '^6 0$' 'B55: control: on its own console anybody is told'
    capture on_console confine run -- python3 -S -c "$console"
    is "$rc $out" '0 3 Operation not permitted
6 Operation not permitted' 'B55: a run may neither'
fi

# --- the number of the program's first process is not free while a process of the run lives

# Where Landlock has no scope for signals the filter lets a run signal that number, whoever has it.
freed='import os
pid = os.getpid()
fd = os.open("freed", os.O_WRONLY | os.O_APPEND)
if os.fork():
    os._exit(0)
while True:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        os.write(fd, b"x")
        break'
run_as touch freed
chmod 0666 freed
capture run_as python3 -S -c "$freed"
check 'control: the number of a process that has ended, and was waited for, is free' wait_for 10 test -s freed
: >freed
for _ in $(seq "$(loops 200 5)"); do
    capture confine run --allow-run --allow-write="$tmp/freed" -- python3 -S -c "$freed"
    printf %s "${rc#0}" >>freed
done
is "$(cat freed)" '' "B59: not so in a run ($(loops 200 5) times)"

# --- S13: a start that is given up leaves no scope behind, however it ends

for round in $(seq "$(loops 200 10)"); do
    spawn confine run -- sleep 0.05
    # Anywhere in the start: there is no event to wait for.
    perl -e 'select undef, undef, undef, rand 0.02'
    kill -KILL "$pid" 2>/dev/null || :
    finish "$pid"
    capture confine run -p StartTimeoutSec="$((round % 8 + 1))ms" -- true
done
check 'nothing is left of starts that were killed or timed out' wait_for 10 sh -c \
    '! find /sys/fs/cgroup -type d -name "confine-*.scope" | grep -q .'

assert_clean
done_testing
