# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # what lib.sh sets is used here, what is set here is used by the tests
# What the tests of limits and of the end share (50 to 79). To be read after lib.sh.

case $MANAGER in
system)
    slice_dir=/sys/fs/cgroup/confine.slice
    units=/etc/systemd/system
    ;;
user)
    slice_dir=/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/confine.slice
    units=/etc/systemd/user
    ;;
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
    # A failing one does not keep the others from being done.
    restore_commands=$restores
    restores=
    (
        set +e
        eval "$restore_commands"
    ) >/dev/null 2>&1 || :
}

# What a program needs 256M for, in perl. Not of zeros: the kernel may give those back.
# shellcheck disable=SC2016 # perl's own variables
hog='$size = 256 << 20; $x = "x" x $size'

# confined ARG...: a run with a result; sets $rc, $out and $err.
confined() {
    rm -f "$tmp/result"
    capture confine run "--result=$tmp/result" "$@"
}

# facts_of FILE NAME...: what a result says, in one line, '-' for what it does not name. facts NAME...: the last one. Not by jq,
# which takes a tenth of a second here; that a result is JSON, other tests see.
facts_of() {
    facts_line=
    { read -r facts_line <"$1"; } 2>/dev/null || :
    shift
    facts_text=
    for fact; do
        case $facts_line in
        *"\"$fact\":\""*)
            fact=${facts_line#*"\"$fact\":\""}
            fact=${fact%%\"*}
            ;;
        *"\"$fact\":"*)
            fact=${facts_line#*"\"$fact\":"}
            fact=${fact%%[,\}]*}
            ;;
        *) fact=- ;;
        esac
        facts_text="$facts_text${facts_text:+ }$fact"
    done
    [ -n "$facts_line" ] || facts_text='no result'
    printf '%s\n' "$facts_text"
}

facts() {
    facts_of "$tmp/result" "$@"
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

# random_ms MOST: a number of milliseconds.
random_ms() {
    od -An -N2 -tu2 /dev/urandom | awk -v most="$1" '{ print int($1 * most / 65536) }'
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
    grep -q '^started$' "$captured/out" || ended "$pid"
}

# background ARG...: a run in the background whose program says "started". Sets $pid (of confine), $keeper and $worker (pids),
# $scope (its cgroup) and $unit; the result goes to $result_file. stop: ends it, and sets what finish sets.
background() {
    rm -f "${result_file:=$tmp/result}"
    spawn confine run "--result=$result_file" "$@"
    wait_for 60 has_started || :
    if ! grep -q '^started$' "$captured/out"; then
        not_ok "the run in the background starts: $*"
        diag "$(cat "$captured/err")"
    fi
    if ! keeper=$(pgrep --parent "$pid" --exact confine-keeper); then
        keeper=none
        not_ok "the run in the background is still there when its keeper is looked for"
    fi
    scope=/sys/fs/cgroup$(sed -n 's,/keeper$,,; s/^0:://p' "/proc/$keeper/cgroup" 2>/dev/null)
    unit=${scope##*/}
    worker=
    read -r worker 2>/dev/null <"$scope/run/cgroup.procs" || :
}

# alongside COMMAND...: in the background as the user, beside the runs; $! is its pid.
alongside() {
    (
        become='exec'
        limited=
        run_as "$@"
    ) </dev/null &
}

stop() {
    kill -TERM "$pid" 2>/dev/null || :
    finish "$pid"
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

# No run is there. (Less than assert_clean, and faster.)
no_scope() {
    for scope in "$slice_dir"/confine-*.scope; do
        [ ! -e "$scope" ] || return 1
    done
}

# journal MATCH...: the messages of records, newest last.
journal() {
    journalctl --quiet --no-pager --output=cat "$@"
}

# records_of ID TEXT: true once the journal has the end record of a run with this text.
recorded() {
    journal CONFINE_EVENT=end "CONFINE_ID=$1" | grep -qF -e "$2"
}

# slice NAME LINE...: the admin's file for a slice, in force after reload.
slice() {
    slice_file=$units/$1.slice
    shift
    { printf '[Slice]\n' && printf '%s\n' "$@"; } >"$slice_file"
}

reload() {
    run_as systemctl "$manager_option" daemon-reload
}

# Forks until it is refused, tells errno and how many it has, and ends with the status that it is given.
forks='
    $SIG{CHLD} = "IGNORE";
    $n = 0;
    while (1) {
        $child = fork;
        last if !defined $child;
        if (!$child) { sleep 1000; exit }
        $n++;
    }
    print "$n, ", $! + 0, "\n";
    exit shift'
eagain=11
