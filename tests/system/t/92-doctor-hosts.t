#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: system user
# budget: 120
# P18, S4: what `confine doctor` says where one thing of the host is other than it should be: really so, in a mount namespace or for as
# long as the check lasts. Each has its control, in which the same thing is as it should be. 87-doctor.t has what a filter, the bus and
# journald do.
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; options are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# changed SCRIPT COMMAND...: for `capture`, in a mount namespace in which root ran the script.
changed() {
    printf '#!/bin/sh\nset -eu\n%s\nexec "$@"\n' "$1" >"$captured/change"
    chmod 0755 "$captured" "$captured/change"
    shift
    limited="${limited:-} unshare --mount $captured/change"
    run_as "$@"
}

# row CHECK WANTED DESCRIPTION: "result fatal found | fix: fix" of the last output.
row() {
    like "$(jq -r --arg name "$1" '.checks[] | select(.check == $name) | "\(.result) \(.fatal) \(.found) | fix: \(.fix // "")"' "$captured/out" 2>&1)" \
        "$2" "$3"
    check '... as doctor.json says' python3 "$data/schema.py" /usr/share/confine/schema/doctor.json "$captured/out"
}

# reads FILE TEXT: the script after which FILE of /proc or /sys has that text.
reads() {
    printf "printf '%%s\\\\n' '%s' >%s\nmount --bind %s %s\n" "$2" "$captured/text" "$captured/text" "$1"
}

# with FILE TEXT CHECK WANTED: the doctor where FILE has that text.
with() {
    capture changed "$(reads "$1" "$2")" /usr/bin/confine doctor --json
    row "$3" "$4" "P18: $1 with '$2'"
}

# --- sysctls and files of the kernel

with /proc/sys/kernel/core_pattern core core_pattern '^ok false a file'
with /proc/sys/kernel/core_pattern '|/usr/bin/collect %P' core_pattern '^note false a program that runs as root: /usr/bin/collect %P .*LimitCORE=0'
with /proc/sys/dev/tty/legacy_tiocsti 0 TIOCSTI '^ok false off'
with /proc/sys/dev/tty/legacy_tiocsti 1 TIOCSTI '^note false on .*fix: set the sysctl dev.tty.legacy_tiocsti to 0'
for scheduler in /sys/block/*/queue/scheduler; do
    break
done
with "$scheduler" 'none [bfq]' 'IO weight' '^ok false a block device heeds it'
for device in /sys/block/*/queue/scheduler; do
    reads "$device" '[none] bfq'
done >"$captured/none"
capture changed "$(cat "$captured/none")" /usr/bin/confine doctor --json
row 'IO weight' '^note false no block device has the BFQ scheduler or iocost .*fix: write bfq' 'P18: no block device has BFQ'

capture changed 'mount -t tmpfs none /sys/fs/cgroup' /usr/bin/confine doctor --json
row 'cgroup v2' '^failed true ./sys/fs/cgroup. is no cgroup v2 .*fix: boot with systemd.unified_cgroup_hierarchy=1' 'P18: no cgroup v2'
capture changed 'mount -t tmpfs none /sys/fs/cgroup' $run_words -- true
like "$rc: $(messages)" '^125: .*boot with systemd.unified_cgroup_hierarchy=1; .confine doctor. tells' '... with which a run is refused with the same fix'

# --- filters of another kind than 87-doctor.t has

capture run_as python3 "$data/filter.py" 317 EOPNOTSUPP 0=2 -- /usr/bin/confine doctor --json
row 'seccomp filter' '^failed true no action errno: Operation not supported' 'P18: a missing seccomp action'
row 'seccomp listener' '^failed true no user notifications: Operation not supported' '... that of the listener, too'
if [ "$MANAGER" = system ]; then
    capture run_as /usr/bin/confine doctor --json
    row 'BPF firewall' '^ok false programs can be attached' 'control: the firewall of systemd'
    capture run_as python3 "$data/filter.py" 321 EPERM -- /usr/bin/confine doctor --json
    row 'BPF firewall' '^note false no programs on cgroups: Operation not permitted' 'P18: a filtered bpf(2)'
else
    # --- security modules and limits of users

    capture run_as python3 "$data/filter.py" 435 EACCES -- /usr/bin/confine doctor --json
    row 'mount namespace' '^failed true cannot be made: Permission denied .*fix: allow it in the profile .*apparmor/confine' \
        'P18: a profile without userns is told by name'
    capture run_as python3 "$data/filter.py" 435 EACCES -- $run_words -- true
    like "$rc: $(messages)" "^125: confine: PrivateTmp=yes needs .*allow it in the profile .*'confine doctor' tells all" '... as a run is refused'
    for word in 0 1; do
        capture changed "last=\$(cat /proc/sys/kernel/cap_last_cap)
            mount -t tmpfs none /proc/sys/kernel
            echo \$last >/proc/sys/kernel/cap_last_cap
            echo $word >/proc/sys/kernel/apparmor_restrict_unprivileged_userns" /usr/bin/confine doctor --json
        case $word in
        0) row 'mount namespace' '^ok false made, in a user namespace' 'control: an AppArmor that restricts no user namespaces' ;;
        1) row 'mount namespace' '^failed true cannot be made: .*fix: .*load the profile /usr/share/confine/apparmor/confine' 'P18: one that does' ;;
        esac
    done
    capture run_as prlimit --memlock=1048576 /usr/bin/confine doctor --json
    row 'locked memory' '^ok false room for 8 secrets' 'control: enough memory that may be locked'
    capture run_as prlimit --memlock=65536 /usr/bin/confine doctor --json
    row 'locked memory' '^note false 64K, no room for a secret .*fix: raise the limit' 'P18: less than a secret needs'
    capture run_as prlimit --memlock=65536 env TOKEN=hidden $run_words --secret=TOKEN -- true
    like "$rc: $(messages)" "^125: .*cannot be locked .*'confine doctor' tells all" '... with which it is refused'
fi

# --- drop-ins, of all the places that this manager reads

case $MANAGER in
system)
    dir=/run/systemd/system/confine-.scope.d
    reload='systemctl daemon-reload'
    ;;
user)
    dir=/home/alice/.config/systemd/user/confine-.scope.d
    reload='as_alice systemctl --user daemon-reload'
    ;;
esac
trap 'rm -rf "$dir"; $reload; at_exit' EXIT
capture run_as /usr/bin/confine doctor --json
row drop-ins '^ok false none' 'control: no drop-ins'
run_as mkdir -p "$dir"
printf '[Scope]\nMemoryMax=32M\n' >"$dir/50-test.conf"
printf '[Scope]\nTasksMax=9\n' >"$dir/60-test.conf"
$reload
capture run_as /usr/bin/confine doctor --json
row drop-ins "^note false $dir/50-test.conf, $dir/60-test.conf .*fix: see that what stands there is meant" 'P18: each drop-in is named'
for n in $(seq 10 19); do cp "$dir/60-test.conf" "$dir/$n-$(printf %060d 0).conf"; done
$reload
capture run_as /usr/bin/confine doctor --json
row drop-ins "^note false $dir/10-0*.conf, .*[.]conf, and more .*fix: see that what stands there is meant" 'P18: ... or that there are more than it names'
rm -rf "$dir"
$reload
trap at_exit EXIT

# --- Python

mkdir path
pythons() {
    capture run_as env "PATH=$tmp/path" /usr/bin/confine doctor --json
    row python "$1" "$2"
}
pythons '^failed false no python3 in PATH .*fix: install python3' 'P18: no python3'
ln -s /usr/bin/python3 path/python3
pythons "^ok false Python 3[.][0-9]+[.][0-9]+: $tmp/path/python3 is /usr/bin/python3[.]" 'P18: a link, with the version and what it is'
rm path/python3
script() {
    printf '#!/bin/sh\n%s\n' "$1" >path/python3
    chmod 0755 path/python3
}
script 'exec /usr/bin/python3 "$@"'
pythons "^ok false Python 3[.][0-9]+[.][0-9]+: $tmp/path/python3 is $tmp/path/python3" 'P18: a shim is asked for the version it stands for'
for answer in 'echo Python 2.7.18' 'exit 127' 'exec /usr/bin/sleep 1000'; do
    script "$answer"
    begin=$(date +%s%N)
    pythons '^failed false .*does not say its version .*fix: see what' "P18: a python3 that does $answer"
    within "$((($(date +%s%N) - begin) / 1000000))" 0 3000 '... and is not waited for'
done
check 'nor left behind' not_running '^/usr/bin/sleep 1000$'

# --- confine's own files

[ ! -e /etc/confine ] || bail_out '/etc/confine is there: whose?'
trap 'rm -rf /etc/confine; at_exit' EXIT
mkdir -p /etc/confine/confine.conf.d /etc/confine/policies
touch /etc/confine/confine.conf /etc/confine/confine.conf.d/50-site.conf /etc/confine/policies/site.conf
capture run_as /usr/bin/confine doctor --json
row 'files of confine' '^ok false only root can change them' 'control: files of root'
for file in confine.conf confine.conf.d confine.conf.d/50-site.conf policies policies/site.conf; do
    chmod o+w "/etc/confine/$file"
    capture run_as /usr/bin/confine doctor --json
    row 'files of confine' "^failed false '/etc/confine/$file' is uid 0's, mode 0[67][45][67] .*chmod go-w" "P18: $file that everybody can write"
    chmod o-w "/etc/confine/$file"
done
chown alice /etc/confine/policies/site.conf
capture run_as /usr/bin/confine doctor --json
row 'files of confine' "^failed false '/etc/confine/policies/site.conf' is uid 1000's.*chown root" 'P18: one of somebody else'
rm -rf /etc/confine
trap at_exit EXIT
capture changed 'mkdir copy; cp -a /usr/share/confine/policies/. copy
    chown 1000 copy/agent.conf; mount --bind copy /usr/share/confine/policies' /usr/bin/confine doctor --json
row 'files of confine' "^failed false '/usr/share/confine/policies/agent.conf' is uid 1000's" 'P18: a shipped policy of somebody else'

assert_clean
done_testing
