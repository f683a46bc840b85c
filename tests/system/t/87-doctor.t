#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# managers: system user
# vm-managers: user
# budget: 120
# P18, B17, B83, S4: what `confine doctor` says of this host, and of hosts that lack something, made by filters, mount namespaces
# and variables around it. Each row that fails there is good, or fails for another reason, without.
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; options are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# row CHECK: "result fatal found" of the last output.
row() {
    jq -r --arg name "$1" '.checks[] | select(.check == $name) | "\(.result) \(.fatal) \(.found) | fix: \(.fix // "")"' "$captured/out" 2>&1
}

valid() {
    check "$1: its JSON is as doctor.json says" python3 "$data/schema.py" /usr/share/confine/schema/doctor.json "$captured/out"
}

# under CALL-NUMBER ERRNO: the doctor where something filters that system call.
under() {
    capture run_as python3 "$data/filter.py" "$1" "$2" -- /usr/bin/confine doctor --json
}

# --- this host

begin=$(date +%s%N)
capture run_as /usr/bin/confine doctor --json
msec=$((($(date +%s%N) - begin) / 1000000))
limits || within "$msec" 0 2000 'P18: it takes less than two seconds'
is "$rc" "$(pick 1 0)" 'P18: the exit status says whether the default policy can be enforced'
is "$err" '' 'and nothing else is said'
valid 'this host'
for name in architecture kernel landlock 'seccomp filter' 'seccomp listener' no_new_privs pidfd 'clone3 into cgroup' \
    'mount namespace' systemd 'cgroup v2' 'system manager' 'user manager' journal 'OOM policy' python 'files of confine'; do
    like "$(row "$name")" '^ok false ' "control: $name is good here"
done
if limits; then
    for name in controllers 'swap accounting' 'trial scope'; do
        like "$(row "$name")" '^ok false ' "P18: $name is good here"
    done
else
    like "$(row controllers)" '^failed true (missing|not delegated): cpu, memory, pids' 'P18: controllers that are missing'
    like "$(row 'trial scope')" '^failed true created and removed, but not in force: MemoryMax' 'limits that are not in force'
fi
like "$(row start)" '^(ok|note) false a scope took [0-9.]+ ms after a pause, the next one [0-9.]+ ms, with' 'what an isolated start costs is measured'
case $MANAGER in
user) firewall='note false not in a user manager [|] fix: run confine as root' ;;
system) firewall='(ok false programs can be attached to cgroups|note false no programs on cgroups: .* fix: boot a kernel)' ;;
esac
like "$(row 'BPF firewall')" "^$firewall" 'B23: whether addresses could be filtered here'
assert_clean

# The verdict is that of a run with the default policy.
capture run_as /usr/bin/confine run -- true
is "$rc" "$(pick 125 0)" 'S4: a run is refused where the doctor says so'

# --- as text

capture run_as /usr/bin/confine doctor
is "$rc" "$(pick 1 0)" 'the same as text'
like "$out" '^landlock +ok +ABI [0-9]+, and it denies' 'a line for each check'
like "$out" "^VERDICT +the default policy $(pick cannot can) be enforced here by the $MANAGER manager\$" 'and the verdict'
limits || like "$out" '^controllers +FATAL .*; fix: ' 'a fatal one says so, what it means, and how to mend it'
case $MANAGER in
system) like "$out" '^User +yes +root only ' 'what the system manager can enforce, and what one of a user could' ;;
user)
    like "$out" '^User +yes +root only ' 'what each manager can enforce'
    like "$out" '^BPF firewall +note .* addresses cannot be filtered; the network is denied all the same; fix: ' \
        'B23: and what it means that a user manager filters no addresses'
    ;;
esac
like "$out" "^MemoryMax +$(pick 'lacks memory +lacks memory' 'yes +yes') " 'a key whose controller is missing cannot be enforced by either'
like "$out" '^AllowRead +yes +yes ' 'one that needs none can'
like "$out" '^OOM policy +ok +OOMPolicy=continue is set' 'B07: whether systemd knows OOMPolicy of scopes'
like "$out" '^python +ok +Python 3[.][0-9]+[.][0-9]+: /usr/bin/python3 is ' 'P18: Python, with its version'

# Broken hosts. The VM, where each look takes a second, has one that is broken in earnest.
if limits; then
    if [ "$MANAGER" = user ]; then
        namespaces=$(cat /proc/sys/user/max_user_namespaces)
        echo 0 >/proc/sys/user/max_user_namespaces
        capture run_as /usr/bin/confine doctor --json
        is "$rc" 1 'no user namespaces'
        like "$(row 'mount namespace')" '^failed true user namespaces are switched off by the sysctl' '... are told with the sysctl'
        capture run_as /usr/bin/confine run -- true
        is "$rc" 125 '... and a run is refused'
        echo "$namespaces" >/proc/sys/user/max_user_namespaces
        # A sysctl of Debian's kernels.
        clone=/proc/sys/kernel/unprivileged_userns_clone
        if [ -e $clone ]; then
            echo 0 >$clone
            capture run_as /usr/bin/confine doctor --json
            echo 1 >$clone
            like "$rc $(row 'mount namespace')" "^1 failed true user namespaces are root's by the sysctl" 'the same by the other sysctl'
        else
            skip kernel.unprivileged_userns_clone 'the same by the other sysctl'
        fi
    fi
else
    # --- B83: Landlock not built, off at boot, filtered and lying are told apart

    for pair in ENOSYS:'not built into this kernel, or filtered' EOPNOTSUPP:'built, but not enabled at boot' EPERM:'filtered: '; do
        under 444 "${pair%%:*}"
        is "$rc" 1 "B83: Landlock that answers ${pair%%:*}"
        like "$(row landlock)" "^failed true ${pair#*:}.*fix: [a-z]" 'is told by its reason'
        valid "${pair%%:*}"
    done
    capture run_as python3 "$data/filter.py" 444 EPERM -- $run_words -- true
    is "$rc" 125 'P5: a run is refused there'
    like "$(messages)" "; 'confine doctor' tells all that this host lacks; .*\[CapabilityNotSupported\]\$" 'P18: and says who tells the rest'
    under 446 ok
    like "$(row landlock)" '^failed true ABI [0-9]+ is claimed, and nothing is denied' 'B83: a Landlock that only pretends is found out'
    under 446 EPERM
    like "$(row landlock)" '^failed true ABI [0-9]+ is claimed, but: Operation not permitted' 'and one that cannot be used'

    # --- P18: a micro-VM service or a container that filters other calls

    under 157 EPERM
    is "$rc" 1 'P18: a filtered prctl'
    like "$(row no_new_privs)" '^failed true prctl is filtered: Operation not permitted' 'is named'
    under 317 EPERM
    like "$(row 'seccomp filter')" '^failed true filtered: Operation not permitted' 'a filtered seccomp, too'
    like "$(row 'seccomp listener')" '^failed true no user notifications' 'and with it the listener'
    under 434 ENOSYS
    like "$(row pidfd)" '^failed true Function not implemented' 'pidfd_open'
    under 435 ENOSYS
    like "$(row 'clone3 into cgroup')" '^failed true clone3 is filtered: Function not implemented' 'clone3'
    under 165 EPERM
    like "$(row 'mount namespace')" '^failed true cannot be made: Operation not permitted' 'mount'
    under 9999 ENOSYS
    is "$rc" "$(pick 1 0)" 'control: a filter that takes nothing away changes nothing'
    like "$(row landlock)" '^ok false ' 'nor what is found'

    # --- no bus, a bus that says nothing, no journal

    case $MANAGER in
    system) address=DBUS_SYSTEM_BUS_ADDRESS ;;
    user) address=DBUS_SESSION_BUS_ADDRESS ;;
    esac
    capture run_as env "$address=unix:path=$tmp/nowhere" /usr/bin/confine doctor --json
    is "$rc" 1 'B17: no bus'
    like "$(row "$MANAGER manager")" '^failed true does not answer: No such file or directory .*fix: .*(dbus|enable-linger)' 'is fatal, with its fix'
    like "$(row 'trial scope')" '^failed true no manager to ask' 'and no scope is tried'
    valid 'no bus'

    python3 -S "$data/bus.py" silent bus &
    server=$!
    if wait_for 5 test -S bus; then
        chmod 0777 bus
        capture run_as timeout 10 env "$address=unix:path=$tmp/bus" /usr/bin/confine doctor --json
        is "$rc" 1 'a bus that says nothing is waited for no longer than that'
        like "$(row "$MANAGER manager")" '^failed true does not answer: Connection timed out' 'and named'
    else
        not_ok 'a bus that says nothing'
    fi
    kill "$server" 2>/dev/null || :
    wait "$server" 2>/dev/null || :

    if [ "$MANAGER" = system ]; then
        capture run_as unshare --mount sh -c 'mount -t tmpfs none /run/systemd/journal; exec confine doctor --json'
        is "$rc" 1 'no journal'
        like "$(row journal)" '^failed true ./run/systemd/journal/socket.: No such file or directory .*fix: systemctl start systemd-journald.socket' 'is fatal: no record, no run'
    fi

    # Its socket takes what it is given, until it is full; nobody is there to read it.
    journald=$(systemctl show --value --property=MainPID systemd-journald.service)
    trap 'kill -CONT "$journald"; at_exit' EXIT
    # A user's manager writes there too, and is stuck in that while it is full: the trial scope is waited for.
    for pair in stopped:2000 full:10000; do
        state=${pair%:*}
        journalctl --sync
        kill -STOP "$journald"
        [ "$state" = stopped ] || check 'control: a socket of journald that takes no more' timeout 20 python3 "$data/fill.py"
        begin=$(date +%s%N)
        capture run_as /usr/bin/confine doctor --json
        msec=$((($(date +%s%N) - begin) / 1000000))
        kill -CONT "$journald"
        is "$rc" 1 "P18: a journald that is $state"
        like "$(row journal)" '^failed true journald takes nothing .*fix: see .systemctl status systemd-journald' 'is found out'
        within "$msec" 0 "${pair#*:}" 'in time'
        valid "$state"
    done
    trap at_exit EXIT
    journalctl --sync
    capture run_as /usr/bin/confine doctor --json
    like "$(row journal)" '^ok false takes records' 'control: it goes on'

    # --- user namespaces that are switched off: in one of our own, whose limit is nobody else's

    if [ "$MANAGER" = user ]; then
        # The box has /proc/sys read-only.
        capture unshare --mount sh -c 'mount -o remount,bind,rw /proc/sys 2>/dev/null || :
            exec setpriv --reuid=alice --regid=alice --init-groups --inh-caps=-all unshare --user --map-user=1000 --map-group=1000 --keep-caps \
                sh -c "echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --inh-caps=-all --ambient-caps=-all confine doctor --json"'
        like "$(row 'mount namespace')" '^failed true user namespaces are switched off by the sysctl' 'no user namespaces'
    fi
fi

# --- where the journal is, whatever the directories are

stored() {
    capture unshare --mount sh -c "mount -t tmpfs none /run/log/journal; mount -t tmpfs none /var/log; id=\$(cat /etc/machine-id)
        $1; exec confine doctor --json"
    like "$(row 'journal storage')" "^$2" "P18: $1"
}
file='touch "$place/$id/system.journal"'
on_disk='place=/var/log/journal; mkdir -p "$place/$id"'
in_memory='place=/run/log/journal; mkdir -p "$place/$id"'
stored "$on_disk; $file" 'ok false kept on disk'
stored "$on_disk; $file; $in_memory; $file" 'note false in memory: /var/log/journal is not used .* Storage='
stored "$on_disk" 'note false nowhere'
stored "$in_memory; $file" 'note false in memory: there is no /var/log/journal .* mkdir .*journalctl --flush'

mkdir -p "$captured/path/python3"
capture run_as env "PATH=$captured/path:$PATH" /usr/bin/confine doctor --json
unlike "$(row python)" "$captured" 'a directory is no python3'

# --- it takes no policy

capture run_as /usr/bin/confine doctor --memory=1G
is "$rc" 2 'the options of a run are refused'
like "$err" "^confine: 'doctor' looks at this machine" 'by name'
capture run_as /usr/bin/confine doctor x
is "$rc" 2 'so are words'
assert_clean
done_testing
