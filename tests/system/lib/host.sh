# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Host side of the test rungs: the verbs of `vm` and `box`. The tool sets $rung and $here and defines
#     rung_boot     boots the guest from $image in the background, writes $state/pid, sets the lines of $state/ssh_config
#     rung_booted   true once sshd of the guest can be asked (polled)
#     rung_kill     ends the guest by what is recorded in $state
# and sets $rung_image (what `image` is to make), $boot_seconds and $boot_tries. The way in is ssh: a guest's command lives in a real PAM session of the guest, and stdin, stdout, stderr and the exit
# status are what they are. One connection per user stays open, a command is a session of it and costs no handshake.

: "${rung:?}" "${here:?}" "${rung_image:?}" "${boot_seconds:?}" "${boot_tries:?}"
cache=${CONFINE_CACHE:-${HOME:-/root}/.cache/confine}
case $cache in
/*) ;;
*) cache=$PWD/$cache ;;
esac
export CONFINE_CACHE="$cache"
tree=$(cd "$here/../.." && pwd -P)
# Short, because the names of sockets may not be longer than 107 bytes; one per tree, so that two trees do not meet.
if [ "$(id -u)" -eq 0 ]; then
    state_base=/run/confine-tests
else
    state_base=${XDG_RUNTIME_DIR:-/tmp}/confine-tests-$(id -u)
fi
state=$state_base/$rung-$(printf '%s' "$tree" | sha256sum | cut -c1-10)

die() {
    echo "$rung: $*" >&2
    exit 1
}

say() {
    echo "$rung: $*" >&2
}

usage() {
    cat >&2 <<END
usage: $rung start [--suite=SUITE] [--bare]     boot, and install the tree if it can be installed and --bare is not
                                         given; SUITE is trixie or bookworm, or one of them with -backports, a newer kernel
       $rung exec [--user=NAME] [-t] -- COMMAND [ARG...]
       $rung shell [--user=NAME]
       $rung run [--suite=...] [--user=NAME] [-t] -- COMMAND [ARG...]     start, exec, stop
       $rung install                             make install of the tree, and its tests, into the guest
       $rung push [--user=NAME] FILE... DIR
       $rung pull [--user=NAME] FILE... DIR
       $rung status
       $rung console                             what the guest wrote on its console
       $rung stop
END
    exit 64
}

# The start time tells a process from a later one with the same number.
pid_birth() {
    # The name in the second field may contain anything: cut it off first.
    stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
    # shellcheck disable=SC2086 # split into fields
    set -- ${stat##*) }
    case $1 in Z | X) return 1 ;; esac
    shift 19
    echo "$1"
}

record_pid() {
    birth=$(pid_birth "$1") || return 1
    echo "$1 $birth" >"$state/pid.new"
    mv "$state/pid.new" "$state/pid"
}

# Prints the pid of the running guest.
guest_pid() {
    [ -e "$state/pid" ] || return 1
    read -r pid birth <"$state/pid" || return 1
    [ "$(pid_birth "$pid")" = "$birth" ] || return 1
    echo "$pid"
}

running() {
    guest_pid >/dev/null && [ -e "$state/ready" ]
}

# poll SECONDS COMMAND...: until it succeeds, the guest is gone (2) or the time is over (1).
poll() {
    poll_end=$(($(date +%s) + $1))
    shift
    while ! "$@"; do
        guest_pid >/dev/null || return 2
        [ "$(date +%s)" -lt "$poll_end" ] || return 1
        sleep 0.05
    done
}

gone() {
    ! pid_birth "$1" >/dev/null
}

# kill_pid PID: at once; what it held is thrown away anyway.
kill_pid() {
    kill -KILL "$1" 2>/dev/null || return 0
    kill_end=$(($(date +%s) + 10))
    until gone "$1"; do
        [ "$(date +%s)" -lt "$kill_end" ] || {
            say "process $1 does not go away"
            return 1
        }
        sleep 0.02
    done
}

ssh_guest() {
    ssh -F "$state/ssh_config" "$@"
}

# Opens the connection of a user; under a lock, because several commands may find it missing at the same time.
master() {
    ssh_guest -O check "$1@guest" 2>/dev/null && return
    (
        flock 7
        ssh_guest -O check "$1@guest" 2>/dev/null && exit
        rm -f "$state/ctl-$1"
        # Only root and alice are there for good; a longer connection would keep another user's manager running.
        case $1 in
        root | alice) persist=yes ;;
        *) persist=1 ;;
        esac
        # The master outlives us: it must not keep our descriptors.
        if ! timeout 60 setsid ssh -F "$state/ssh_config" -o ControlMaster=yes -o ControlPersist=$persist -fN "$1@guest" \
            </dev/null >/dev/null 2>"$state/ssh-$1.log" 7<&- 8<&-; then
            cat "$state/ssh-$1.log" >&2
            die "cannot connect to the guest as $1"
        fi
    ) 7>"$state/ssh.lock"
}

quote() {
    for quote_arg; do
        case $quote_arg in
        '' | *[!A-Za-z0-9_./=:,@%+-]*)
            # The x keeps newlines at the end, which the command substitution would take away.
            quote_arg=$(printf '%sx' "$quote_arg" | LC_ALL=C sed "s/'/'\\\\''/g")
            printf " '%s'" "${quote_arg%x}"
            ;;
        *) printf ' %s' "$quote_arg" ;;
        esac
    done
}

# guest_command USER COMMAND...: the caller's process becomes the command, as far as anyone can tell.
guest_command() {
    guest_user=$1
    shift
    running || die "not running; start it with: $0 start"
    master "$guest_user"
    line=$(quote "$@"; echo x)
    # shellcheck disable=SC2086 # $tty is an option or nothing
    exec ssh -F "$state/ssh_config" $tty "$guest_user@guest" "exec /usr/lib/confine-guest/exec${line%x}"
}

in_guest() {
    (tty=; guest_command root "$@")
}

parse() {
    user=root
    tty=
    suite=${CONFINE_SUITE:-trixie}
    bare=
    n_options=0
    for arg; do
        case $arg in
        --user=?*) user=${arg#--user=} ;;
        --suite=trixie | --suite=bookworm | --suite=trixie-backports | --suite=bookworm-backports) suite=${arg#--suite=} ;;
        --bare) bare=yes ;;
        # A terminal even where we have none; without -q ssh would add a line of its own at the end.
        -t) tty=-qtt ;;
        --)
            n_options=$((n_options + 1))
            break
            ;;
        -*) usage ;;
        *) break ;;
        esac
        n_options=$((n_options + 1))
    done
}

# One start or stop at a time; the file is in the cache, where it may stay: removing a lock's file is a race.
lock() {
    mkdir -p "$cache"
    exec 6>"$cache/${state##*/}.lock"
    flock 6
}

failed_start() {
    say "$1; the end of its console:"
    tail -n 40 "$state/console" >&2 || :
    stop
    exit 1
}

# An emulated kernel panics now and then where the machine is busy; what is tested here is not that.
boot() {
    cp "$state/ssh_config" "$state/ssh_config.base"
    boots=1
    while :; do
        rung_boot
        # The lock is not to be held by anything that stays.
        ! poll "$boot_seconds" rung_booted || break
        [ "$boots" -lt "$boot_tries" ] || failed_start "the guest did not boot, at $boot_seconds s at most"
        boots=$((boots + 1))
        say "the guest did not boot: try $boots of $boot_tries; the end of its console:"
        tail -n 5 "$state/console" >&2 || :
        rung_kill
        cp "$state/ssh_config.base" "$state/ssh_config"
    done
}

start() {
    "$here/deps" "$rung"
    lock
    if running; then
        [ "$(cat "$state/suite")" = "$suite" ] || die "already running with $(cat "$state/suite"); stop it first"
        say "already running"
        return
    fi
    stop
    image=$("$here/image" --suite="$suite" "$rung_image")
    mkdir -p "$state_base"
    mkdir -m 0700 "$state"
    # The guest's users read their authorized_keys in it.
    mkdir -m 0755 "$state/shared"
    echo "$suite" >"$state/suite"
    # Shared, as long as the guest runs: `image` does not remove a directory in use.
    exec 8<"$image"
    flock --shared 8
    ssh-keygen -q -t ed25519 -N '' -C confine -f "$state/key"
    cp "$state/key.pub" "$state/shared/authorized_keys"
    # With -F nothing of the user's own configuration or agent comes into it.
    cat >"$state/ssh_config" <<END
Host guest
HostKeyAlias confine-guest
UserKnownHostsFile $state/known_hosts
StrictHostKeyChecking yes
GlobalKnownHostsFile /dev/null
IdentityFile $state/key
IdentitiesOnly yes
IdentityAgent none
PreferredAuthentications publickey
KexAlgorithms curve25519-sha256
ControlPath $state/ctl-%r
ControlMaster no
EscapeChar none
LogLevel ERROR
ServerAliveInterval 15
ServerAliveCountMax 8
ConnectTimeout 60
END
    echo "confine-guest $(cut -d' ' -f1,2 "$image/root/etc/ssh/ssh_host_ed25519_key.pub")" >"$state/known_hosts"

    trap 'stop; exit 130' INT
    trap 'stop; exit 143' TERM HUP
    boot
    : >"$state/ready"
    (master root) || failed_start "sshd of the guest does not answer"
    in_guest timeout "$boot_seconds" /usr/lib/confine-guest/wait-booted </dev/null >&2 || failed_start "the guest did not come up"
    trap - INT TERM HUP
    exec 8<&- 6>&-
    [ -n "$bare" ] || install_tree
}

installable() {
    [ -e "$tree/Makefile" ] && grep -q '^install:' "$tree/Makefile"
}

install_tree() {
    stage=$(mktemp -d "$state/stage.XXXXXX")
    (
        # We may be called by a make of the same tree, with its flags and its job server.
        unset MAKEFLAGS MFLAGS MAKELEVEL GNUMAKEFLAGS
        umask 022
        # Both rungs may come to this at once, and what is not built yet is built by it.
        exec 5>"$cache/make-${state##*-}.lock"
        flock 5
        if installable; then
            # The attack programs are not installed, but the tests run them.
            attacks=
            ! grep -q '^attacks:' "$tree/Makefile" || attacks=attacks
            make -C "$tree" $attacks install DESTDIR="$stage" PREFIX=/usr SYSCONFDIR=/etc >"$state/install.log" 2>&1 || {
                cat "$state/install.log" >&2
                exit 1
            }
        fi
        tests=$stage/usr/lib/confine-tests
        mkdir -p "$tests/lib" "$tests/t" "$tests/bin"
        cp "$here/lib/lib.sh" "$tests/lib/" 2>/dev/null || :
        for dir in t data; do
            [ ! -d "$here/$dir" ] || cp -R "$here/$dir" "$tests/"
        done
        if [ -d "$tree/build/tests-guest" ]; then
            cp -R "$tree/build/tests-guest/." "$tests/bin/"
        fi
    ) || {
        rm -rf "$stage"
        die "make install failed"
    }
    # What an earlier installation had and this one has not must go, or a test would still find it.
    tar -C "$stage" --owner=0 --group=0 -cf - . | in_guest /usr/lib/confine-guest/unpack || {
        rm -rf "$stage"
        die "unpacking in the guest failed"
    }
    rm -rf "$stage"
}

stop() {
    [ -d "$state" ] || return 0
    for socket in "$state"/ctl-*; do
        [ -S "$socket" ] || continue
        timeout 5 ssh -F "$state/ssh_config" -O exit "${socket##*/ctl-}@guest" >/dev/null 2>&1 || :
    done
    rung_kill
    rm -rf "$state"
    rmdir "$state_base" 2>/dev/null || :
}

main() {
    [ $# -gt 0 ] || usage
    verb=$1
    shift
    parse "$@"
    [ "$n_options" -eq 0 ] || shift "$n_options"
    case $verb in
    start)
        [ $# -eq 0 ] || usage
        start
        ;;
    exec)
        [ $# -gt 0 ] || usage
        guest_command "$user" "$@"
        ;;
    shell)
        tty=-qtt
        guest_command "$user" bash -l
        ;;
    run)
        [ $# -gt 0 ] || usage
        if running; then
            say "already running, it stays so"
            guest_command "$user" "$@"
        fi
        status=0
        trap 'stop' EXIT
        trap 'exit 130' INT
        trap 'exit 143' TERM
        trap 'exit 129' HUP
        # Not in a condition, and in a process of its own: a failing step of it has to end it.
        "$0" start --suite="$suite" </dev/null || exit
        (guest_command "$user" "$@") || status=$?
        exit "$status"
        ;;
    install)
        running || die "not running; start it with: $0 start"
        install_tree
        ;;
    push)
        [ $# -ge 2 ] || usage
        running || die "not running; start it with: $0 start"
        for dest; do :; done
        tar_args=
        while [ $# -gt 1 ]; do
            tar_args="$tar_args -C$(quote "$(cd "$(dirname "$1")" && pwd)")$(quote "./$(basename "$1")")"
            shift
        done
        eval "tar -cf - --transform='s,^\./,,' $tar_args" | (guest_command "$user" tar -C "$dest" --no-same-owner --warning=no-timestamp -xf -)
        ;;
    pull)
        [ $# -ge 2 ] || usage
        for dest; do :; done
        [ -d "$dest" ] || die "'$dest' is not a directory"
        while [ $# -gt 1 ]; do
            # shellcheck disable=SC2016 # expanded in the guest
            (guest_command "$user" sh -c 'cd "$(dirname "$1")" && tar -cf - "./$(basename "$1")"' sh "$1") |
                tar -C "$dest" --no-same-owner --warning=no-timestamp -xf -
            shift
        done
        ;;
    console)
        cat "$state/console"
        ;;
    status)
        if running; then
            echo "running: $(cat "$state/suite"), pid $(guest_pid)"
        else
            echo "not running"
            exit 3
        fi
        ;;
    stop)
        lock
        stop
        ;;
    *) usage ;;
    esac
}
