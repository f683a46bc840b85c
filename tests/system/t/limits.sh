# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # what lib.sh sets is used here, what is set here is used by the tests
# What the tests of limits and of the end share (50 to 79). To be read after lib.sh.

case $MANAGER in
system) slice_dir=/sys/fs/cgroup/confine.slice ;;
user) slice_dir=/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/confine.slice ;;
esac

# For what the program writes: root's runs have a uid of their own. On a disk, because /tmp is memory of the run.
disk=$(mktemp -d /var/tmp/test.XXXXXX)
chmod 0777 "$disk"
restores=
trap 'restore; rm -rf "$disk"; at_exit' EXIT

# at_end COMMAND: what has to be put back, also if the test breaks off. restore: does it, once.
at_end() {
    restores="$1
$restores"
}

restore() {
    # In a function of its own: a failing one does not keep the others from being done.
    restore_commands=$restores
    restores=
    [ -z "$restore_commands" ] || (
        set +e
        eval "$restore_commands"
    ) >/dev/null 2>&1
}

# What a program needs 256M for, in perl. Not of zeros: the kernel may give those back.
# shellcheck disable=SC2016 # perl's own variable
hog='$x = "x" x (256 << 20)'

# confined ARG...: a run with a result; sets $rc, $out and $err.
confined() {
    rm -f "$tmp/result"
    capture confine run "--result=$tmp/result" "$@"
}

# facts NAME...: what the result says, in one line, '-' for what it does not name.
facts() {
    # shellcheck disable=SC2016 # jq's own variables
    jq -r '[$ARGS.positional[] as $name | if has($name) then .[$name] | tostring else "-" end] | join(" ")' \
        "${result:-$tmp/result}" --args "$@" 2>&1 || :
}

# at_least NUMBER LOW, at_most NUMBER HIGH: conditions; not met by what is no number.
at_least() {
    [ "$1" -ge "$2" ] 2>/dev/null
}

at_most() {
    [ "$1" -le "$2" ] 2>/dev/null
}

# now: sets $now to hundredths of a second; without a process, since one takes ten of them here.
now() {
    read -r now _ </proc/uptime
    now=${now%.*}${now#*.}
}

# One line for everything that went wrong in a loop.
wrong=
complain() {
    wrong="$wrong
$*"
}

# none_wrong DESCRIPTION: the check at the end of a loop.
none_wrong() {
    is "$wrong" '' "$1"
    wrong=
}

has_started() {
    grep -q '^started$' "$captured/out"
}

# background ARG...: a run in the background whose program says "started". Sets $pid (of confine), $scope (its cgroup), $unit,
# $keeper and $worker (pids). The only run at that time.
background() {
    rm -f "$tmp/result"
    spawn confine run "--result=$tmp/result" "$@"
    if ! wait_for 60 has_started; then
        not_ok "the run in the background starts: $*"
        diag "$(cat "$captured/err")"
        kill -KILL "$pid"
    fi
    for scope in "$slice_dir"/confine-*.scope; do :; done
    unit=${scope##*/}
    keeper=
    worker=
    read -r keeper <"$scope/keeper/cgroup.procs" || :
    read -r worker <"$scope/run/cgroup.procs" || :
}

# The state letter of a process; empty if it is gone.
state_of() {
    sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null || :
}

in_state() {
    [ "$(state_of "$1")" = "$2" ]
}

absent() {
    [ ! -e "$1" ]
}

# journal MATCH...: the messages of records, newest last.
journal() {
    journalctl --quiet --no-pager --output=cat "$@"
}

# records_of ID TEXT: true once the journal has the end record of a run with this text.
recorded() {
    journal CONFINE_EVENT=end "CONFINE_ID=$1" | grep -qF -e "$2"
}
