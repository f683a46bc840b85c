# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# shellcheck disable=SC2034 # much of what is set here is for the tests
# What the system tests (t/*.t) share. They run inside the guest, as root, from /usr/lib/confine-tests:
#     #!/bin/sh
#     # SPDX-License-Identifier: MIT
#     # rung: box vm               where it can run: box has no controllers, vm has everything
#     # managers: system user      once for each: confine as root, and as alice with her user manager
#     # budget: 120                seconds, for each of them
#     set -eu
#     . "${0%/*}/../lib/lib.sh"
#     capture confine run -- sh -c 'echo hello; exit 3'
#     is "$rc" 3 'the exit status comes through'
#     assert_clean
#     done_testing
# A check never ends the test: it prints its line and returns 0.

MANAGER=${MANAGER:-system}
CONFINE_RUNG=${CONFINE_RUNG:-vm}
# A hanging command is a failure of its check (status 124 or 137), not of the whole file.
COMMAND_SECONDS=${COMMAND_SECONDS:-60}
tests_dir=$(cd "${0%/*}/.." && pwd)
bin=$tests_dir/bin
n_checks=0
n_failed=0
rc=
out=
err=

case $MANAGER in
system)
    user=root
    # For the commands of systemd: systemctl $manager_option, journalctl $manager_option.
    manager_option=--system
    ;;
user)
    user=alice
    manager_option=--user
    ;;
*)
    echo "Bail out! MANAGER is '$MANAGER', not system or user"
    exit 1
    ;;
esac

tmp=$(mktemp -d /tmp/test.XXXXXX)
chmod 0755 "$tmp"
chown "$user:" "$tmp"
# Ours alone: what the program under test may write is $tmp.
captured=$(mktemp -d /tmp/captured.XXXXXX)
cd "$tmp" || exit

# --- checks

# diag TEXT: every line as a comment of the TAP stream.
diag() {
    printf '%s\n' "$*" | sed 's/^/# /'
}

# ok DESCRIPTION, not_ok DESCRIPTION: the result of a check made by hand.
ok() {
    n_checks=$((n_checks + 1))
    printf 'ok %d - %s\n' "$n_checks" "$*"
}

not_ok() {
    n_checks=$((n_checks + 1))
    n_failed=$((n_failed + 1))
    printf 'not ok %d - %s\n' "$n_checks" "$*"
}

# is GOT WANTED DESCRIPTION
is() {
    if [ "$1" = "$2" ]; then
        ok "$3"
    else
        not_ok "$3"
        diag "     got: '$1'"
        diag "  wanted: '$2'"
        last_command
    fi
}

isnt() {
    if [ "$1" != "$2" ]; then
        ok "$3"
    else
        not_ok "$3"
        diag "  should differ from: '$2'"
        last_command
    fi
}

# like TEXT REGEX DESCRIPTION: an extended regular expression that some line of the text has to match.
like() {
    if printf '%s\n' "$1" | grep -Eq -e "$2"; then
        ok "$3"
    else
        not_ok "$3"
        diag "     got: '$1'"
        diag "  wanted: /$2/"
        last_command
    fi
}

unlike() {
    if printf '%s\n' "$1" | grep -Eq -e "$2"; then
        not_ok "$3"
        diag "       got: '$1'"
        diag "  unwanted: /$2/"
        last_command
    else
        ok "$3"
    fi
}

# within GOT LOW HIGH DESCRIPTION: whole numbers.
within() {
    if [ "$1" -ge "$2" ] 2>/dev/null && [ "$1" -le "$3" ]; then
        ok "$4"
    else
        not_ok "$4"
        diag "     got: '$1'"
        diag "  wanted: $2 to $3"
        last_command
    fi
}

# check DESCRIPTION COMMAND...: passes if the command succeeds.
check() {
    check_description=$1
    shift
    if "$@" >"$captured/check" 2>&1; then
        ok "$check_description"
    else
        not_ok "$check_description"
        diag "failed: $*"
        diag "$(cat "$captured/check")"
    fi
}

# skip FEATURE DESCRIPTION: a check that cannot be made here; with CONFINE_TESTS_MUST_RUN=1 that is a failure.
skip() {
    if [ "${CONFINE_TESTS_MUST_RUN:-0}" = 1 ]; then
        not_ok "$2"
        diag "must run, but is missing: $1"
    else
        ok "$2 # SKIP $1"
    fi
}

skip_all() {
    if [ "${CONFINE_TESTS_MUST_RUN:-0}" = 1 ]; then
        not_ok "all of it must run, but is missing: $1"
        done_testing
    else
        echo "1..0 # SKIP $1"
    fi
    exit 0
}

bail_out() {
    echo "Bail out! $*"
    exit 1
}

# Prints the plan, which only now is known. A test that ends before it is one that failed.
done_testing() {
    printf '1..%d\n' "$n_checks"
    [ "$n_failed" -eq 0 ] || diag "$n_failed of $n_checks failed (MANAGER=$MANAGER)"
}

# The command a failed check is about.
last_command() {
    [ -n "$rc" ] || return 0
    diag "the last command: ${captured_command:-?}: status $rc"
    [ -z "$err" ] || diag "its stderr:
$(printf '%s' "$err" | head -c 2000)"
}

# --- commands

# run_as COMMAND...: as the user of $MANAGER with his environment. A function called by `capture` or `spawn` becomes the
# command itself ($become is exec there), so that $pid is it. A shell's background commands ignore INT and QUIT: not these.
run_as() {
    # shellcheck disable=SC2086 # $become and $limited are words or nothing
    case $user in
    root)
        ${become:-} ${limited:-} env -i --default-signal=INT,QUIT HOME=/root USER=root LOGNAME=root SHELL=/bin/bash LANG=C.UTF-8 TERM=dumb \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
        ;;
    *) as_alice "$@" ;;
    esac
}

as_alice() {
    # shellcheck disable=SC2086 # as above
    ${become:-} ${limited:-} setpriv --reuid=alice --regid=alice --init-groups --inh-caps=-all \
        env -i --default-signal=INT,QUIT HOME=/home/alice USER=alice LOGNAME=alice SHELL=/bin/bash LANG=C.UTF-8 TERM=dumb \
        PATH=/usr/local/bin:/usr/bin:/bin XDG_RUNTIME_DIR=/run/user/1000 \
        DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus "$@"
}

# confine VERB ...: the program under test. In the container nothing limits, and every run has to say that it knows.
confine() {
    if [ "${1:-}" = run ] && [ "$CONFINE_RUNG" = box ]; then
        shift
        set -- run -p Enforcement=best-effort "$@"
    fi
    run_as /usr/bin/confine "$@"
}

# What capture and finish have in common: $out and $err from the files, without what a shell variable cannot hold. In the
# container every run says that nothing limits there; that line is not what a test looks for.
read_captured() {
    out=$(tr -d '\0' <"$captured/out")
    if limits; then
        err=$(tr -d '\0' <"$captured/err")
    else
        err=$(tr -d '\0' <"$captured/err" | grep -av 'Enforcement=best-effort)$' || :)
    fi
}

# capture COMMAND...: sets $rc, $out, $err (without newlines at the end; the bytes are in $captured/out and /err).
capture() {
    captured_command=$*
    rc=0
    (
        become='exec'
        limited="timeout --foreground --kill-after=5 $COMMAND_SECONDS"
        "$@"
    ) >"$captured/out" 2>"$captured/err" || rc=$?
    read_captured
}

# spawn COMMAND...: in the background, sets $pid. finish [PID]: waits for it and sets $rc, $out, $err as capture does.
spawn() {
    captured_command=$*
    (
        become='exec'
        limited=
        "$@"
    ) </dev/null >"$captured/out" 2>"$captured/err" &
    pid=$!
}

finish() {
    finish_pid=${1:-$pid}
    rc=0
    if ! wait_for "$COMMAND_SECONDS" ended "$finish_pid"; then
        diag "still running after $COMMAND_SECONDS s, killed: $captured_command"
        kill -KILL "$finish_pid" || :
    fi
    wait "$finish_pid" 2>/dev/null || rc=$?
    [ "$finish_pid" != "${pid:-}" ] || pid=
    read_captured
}

# ended PID: true for a process that is gone or a zombie of ours.
ended() {
    ended_state=$(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) || return 0
    [ -z "$ended_state" ] || [ "$ended_state" = Z ]
}

# wait_for SECONDS COMMAND...: polls until it succeeds. Returns 1 at the deadline.
wait_for() {
    # Whole seconds are all `date` compares well: one more, so that it is never less than what was asked.
    wait_end=$(($(date +%s) + $1 + 1))
    shift
    until "$@"; do
        [ "$(date +%s)" -le "$wait_end" ] || return 1
        sleep 0.03
    done
}

# --- what is true of the guest

# limits: true where the cgroup controllers are there.
limits() {
    [ "$CONFINE_RUNG" = vm ]
}

# loops BOX VM: the number of rounds for this rung, and CONFINE_SOAK times that in a soak.
loops() {
    if limits; then
        echo $(($2 * ${CONFINE_SOAK:-1}))
    else
        echo $(($1 * ${CONFINE_SOAK:-1}))
    fi
}

# pick BOX VM: the words for this rung. What needs no limits is done in full in the box, and in the VM, where a run takes
# a third of a second, by examples.
pick() {
    if limits; then
        echo "$2"
    else
        echo "$1"
    fi
}

mount_points() {
    # Sessions and services come and go by themselves.
    cut -d' ' -f5 /proc/self/mountinfo | grep -Ev '^/run/(user|credentials)(/|$)' | LC_ALL=C sort
}

# Prints a line for everything of confine's that is there.
leftovers() {
    {
        systemctl list-units --all --plain --no-legend 'confine-*'
        as_alice systemctl --user list-units --all --plain --no-legend 'confine-*'
    } 2>&1 | grep -Ev '^confine-(guest|reap)' | sed 's/^/unit: /' || :
    find /run/systemd/transient /run/user/1000/systemd/transient -name 'confine-*' 2>/dev/null | sed 's/^/unit file: /'
    find /sys/fs/cgroup -type d -name 'confine-*.scope' 2>/dev/null | sed 's/^/cgroup: /'
    pgrep -l '^confine' | sed 's/^/process: /' || :
    mount_points | LC_ALL=C comm -13 "$captured/mounts" - | sed 's/^/mount: /'
    # Two lock files stay: removing a lock's file is a race.
    find /run/confine /run/user/1000/confine -mindepth 1 ! -name uids ! \( -name starts -size 0 \) 2>/dev/null |
        sed 's/^/file: /'
    return 0
}

is_clean() {
    [ -z "$(leftovers)" ]
}

# assert_clean: a check that nothing of confine is left. Polled, because PID 1 forgets a unit a few milliseconds after confine
# returned. What is found is cleared away, so that it fails here and not in every test that follows.
assert_clean() {
    if wait_for 5 is_clean; then
        ok "nothing is left behind"
        return
    fi
    found=$(leftovers)
    if [ -z "$found" ]; then
        ok "nothing is left behind"
        return
    fi
    not_ok "nothing is left behind"
    diag "$found"
    sweep
}

sweep() {
    find /sys/fs/cgroup -type d -name 'confine-*.scope' 2>/dev/null | while read -r dir; do
        echo 1 >"$dir/cgroup.kill" || :
    done
    pkill -KILL '^confine' || :
    systemctl reset-failed 'confine-*' 2>/dev/null || :
    as_alice systemctl --user reset-failed 'confine-*' 2>/dev/null || :
    wait_for 5 is_clean || :
}

at_exit() {
    # Also at a failure in the middle: nobody else would end what was spawned. A finished one has no number any more.
    [ -z "${pid:-}" ] || kill -KILL "$pid" 2>/dev/null || :
    cd /
    rm -rf "$tmp" "$captured"
}

mount_points >"$captured/mounts"
trap at_exit EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
