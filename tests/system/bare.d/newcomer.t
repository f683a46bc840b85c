#!/bin/sh
# SPDX-License-Identifier: MIT
# P18, S1, S8, S17, S20: the first ten minutes of a new admin, on a machine that has never seen confine. With the package file:
# install it, look at the doctor, do what its README says from top to bottom, make one mistake of each common kind, as root and as
# an ordinary user, do what the messages say, and purge. At the end the disk is as it was.
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

deb=$1

# Every file with its kind, mode, owner, size and target; what is below /etc with its bytes. Without what the journal, apt, dpkg (the
# list of any package may be written anew) and this test themselves write.
disk() {
    find / -xdev \( -path /var/log/journal -o -path /var/log/dpkg.log -o -path "$tests_dir" -o -path '/var/lib/dpkg/status*' \
        -o -path /var/cache/apt -o -path /var/cache/debconf -o -path /var/lib/apt -o -path /var/log/apt \
        -o -path '/var/lib/dpkg/info/*.list' ! -name 'confine*' \) -prune -o -printf '%p %y %m %U:%G %l ' \( -type d -printf '\n' -o -printf '%s\n' \) | LC_ALL=C sort
    find /etc -type f -exec sha256sum {} + | LC_ALL=C sort -k 2
}

# as root|alice COMMAND...: not with lib.sh's function, but with what the package has installed.
as() {
    as=$1
    shift
    case $as in
    root) run_as "$@" ;;
    alice) as_alice "$@" ;;
    esac
}

# told USER STATUS MESSAGE WHAT COMMAND...: what confine says to it, in one line.
told() {
    who=$1
    status=$2
    message=$3
    what=$4
    shift 4
    capture as "$who" "$@"
    is "$rc" "$status" "S20: $who: $what"
    like "$err" "^confine: $message\$" '... the message says what to do'
    is "$(printf '%s\n' "$err" | grep -c '^confine: ')" 1 '... in one line'
}

# works USER WHAT COMMAND...: does what the message said, and it works.
works() {
    who=$1
    what=$2
    shift 2
    capture as "$who" "$@"
    is "$rc: $(messages)" '0: ' "$who: $what"
}

check 'control: there is no confine' sh -c '! command -v confine && ! ls -d /usr/share/confine /usr/lib/confine* | grep -v confine-guest'
disk >"$captured/before"

# --- installed

# As the README says. The first two commands are those of `make check-packages`, which has made this file.
# shellcheck disable=SC2016 # the backticks are those of the text
typed=$(dpkg-deb --fsys-tarfile "$deb" | tar -xO --wildcards './usr/share/doc/confine/README.md*' | gzip -cdf |
    sed -n 's/.*`\(tests[^`]* && apt install [^`]*\)`.*/\1/p')
is "${typed% && *}" 'tests/system/deps packages && make deb' 'control: the README says how the package is made'
mkdir -p build/deb
cp "$deb" build/deb
check 'P18 S17: it is installed by its file alone, as the README says' sh -c "${typed##* && } </dev/null"
is "$(dpkg -s confine | sed -n 's/^Status: //p')" 'install ok installed' '... and so dpkg has it'
rm -r build
for who in root alice; do
    capture as "$who" confine doctor
    is "$rc: $err" '0: ' "P18: the doctor, as $who: the default policy can be enforced"
    unlike "$out" ' (FATAL|failed) ' '... and nothing is wrong'
done

# timer_is STATE: confine-reap.timer, for the system, for all users, and for one.
timer_is() {
    for scope in '--system root' '--global root' '--user alice'; do
        is "$(as "${scope#* }" systemctl "${scope% *}" is-enabled confine-reap.timer 2>&1 || :)" "$1" "S13: ${scope% *}: confine-reap.timer is $1"
    done
}
timer_is disabled
is "$(run_as systemctl is-active confine-reap.timer || :), $(as_alice systemctl --user is-active confine-reap.timer || :)" 'inactive, inactive' \
    '... and does not run'

# --- the README of the package, from top to bottom

mkdir "$captured/readme"
gzip -cdf /usr/share/doc/confine/README.md* | awk -v dir="$captured/readme" '
    /^```$/ { close(file); file = "" }
    file != "" { print >file }
    /^```[a-z]/ { file = sprintf("%s/%d.%s", dir, ++n, substr($0, 4)) }'
is "$(cd "$captured/readme" && echo *)" '1.sh 2.sh 3.console' 'S17: the examples of the README'
chmod -R a+rX "$captured"
# What the agent is to run.
echo 'print("finished")' >task.py
for block in "$captured"/readme/*.sh; do
    capture run_as sh -u "$block"
    is "$rc: $err" '0: ' "S17: ${block##*/}: works as shown"
    like "$out" "$(grep -q task.py "$block" && echo '^ended by itself with status 0$' || echo '^[0-9]+ sections, the largest is ')" '... and says so'
done
check 'S17: the screen is what its commands say' session_is "$captured"/readme/*.console /usr/bin:/bin
capture confine --dry-run run -- true
like "$out" '^MemoryMax +1G .*shipped default$' 'what a run would be held to'
rm -rf /srv/job

# --- a typo in a key

told root 125 "unknown key 'MemryMax' \(-p MemryMax\): write 'MemoryMax' .*\[ConfigurationError\]" 'a typo in a key' \
    confine -p MemryMax=512M run -- true
told alice 125 "unknown option '--memery': write '--memory' .*\[ConfigurationError\]" 'a typo in an option' confine --memery=512M run -- true
mkdir /etc/confine
printf '[Limits]\nMemryMax=512M\n' >/etc/confine/confine.conf
told alice 125 "unknown key 'MemryMax' \(/etc/confine/confine.conf:2\): write 'MemoryMax' .*\[ConfigurationError\]" "a typo in the site's file" \
    confine run -- true
sed -i s/MemryMax/MemoryMax/ /etc/confine/confine.conf
works alice '... mended' confine run -- true
rm -rf /etc/confine

# --- a missing grant

told alice 2 "'sh' was denied 1 new process \(grant: --allow-run\), .*" 'a grant that is missing' confine run -- sh -c 'ls /usr; true'
works alice '... given' confine --allow-run run -- sh -c 'ls /usr; true'
told root 1 "'-c' was denied 1 network socket \(grant: --allow-net\), .*" 'a grant that is missing' \
    confine -c 'import socket; socket.socket()'
works root '... given' confine --allow-net -c 'import socket; socket.socket()'
mkdir out
chmod 1777 out
capture as_alice confine run -- touch out/x
is "$rc: $err" "1: touch: cannot touch 'out/x': Read-only file system" 'alice: a place to write that nobody granted'
works alice '... granted' confine --allow-write=out run -- touch out/x

# --- the wrong manager

told alice 125 "--system needs root: drop it to use your own manager, or run 'sudo confine' \[CapabilityNotSupported\]" 'the wrong manager' \
    confine --system run -- id -u
works alice '... dropped' confine run -- id -u
works alice '... by sudo' sudo -n confine run -- id -u
is "$out" 1000 '... which is still a run of the user'
told alice 125 "'User' \(-p User\) needs root: .*\[CapabilityNotSupported\]" "a key that the user's manager has not" confine -p User=bob run -- true

# --- no delegation

again() {
    systemctl daemon-reload
    systemctl restart user@1000.service
    wait_for 30 as_alice systemctl --user show --property=Version >/dev/null
}
mkdir /etc/systemd/system/user@1000.service.d
printf '[Service]\nDelegate=\nDelegate=memory pids\n' >/etc/systemd/system/user@1000.service.d/50-less.conf
check 'a user manager that has not all controllers' again
told alice 125 "cgroup controller 'cpu' is not available to the user manager, so CPUQuota= .*put .Delegate=cpu memory pids.*\[CapabilityNotSupported\]" \
    'B18: no delegation' confine run -- true
capture as_alice confine doctor
is "$rc" 1 'P18: alice: the doctor says the same'
like "$out" '^controllers +FATAL +not delegated: cpu .*fix: .*Delegate=cpu memory pids' '... with the same fix'
works root '... while root does not need it' confine run -- true
mkdir /etc/systemd/system/user@.service.d
printf '[Service]\nDelegate=cpu memory pids\n' >/etc/systemd/system/user@.service.d/delegate.conf
check 'the file that the message names is written' again
works alice '... and it works' confine run -- true
rm -r /etc/systemd/system/user@1000.service.d /etc/systemd/system/user@.service.d
systemctl daemon-reload

# --- AppArmor: the profile for hosts on which it restricts user namespaces

# loaded COMMAND...: makes /etc/apparmor.d/confine, which is loaded as the profile says.
loaded() {
    "$@" /usr/share/confine/apparmor/confine >/etc/apparmor.d/confine && apparmor_parser -r /etc/apparmor.d/confine
}
check 'control: the profile, but restricting, and without user namespaces' loaded sed \
    -e 's/ flags=(unconfined)//' -e 's/^  userns,/  file, capability, network, unix, dbus, signal, ptrace, mount, umount, pivot_root,/'
capture as_alice confine --allow-write=out run -- chmod 600 out/x
is "$rc" 125 '... is one under which a run by a user is refused'
like "$err" '^confine: PrivateTmp=yes needs a private mount namespace, .*\(Permission denied\): allow it in the profile .* AppArmor as /usr/share/confine/apparmor/confine does, ' '... for the private view, and names the profile that is needed'
check 'P18: the profile is loaded as it says' loaded cat
capture as_alice confine -v --allow-write=out run -- chmod 600 out/x
is "$rc" 0 'P18: and under it a run by a user'
like "$err" '^confine: starting .* as uid 1000 .* in a private view ' '... has its private view'
apparmor_parser -R /etc/apparmor.d/confine
rm /etc/apparmor.d/confine

# --- purged

assert_clean
# As the manual says. A user's own link is that user's.
check "S13: confine-reap.timer, enabled by the manual's command" systemctl enable --now confine-reap.timer
check '... for all users, too' systemctl --global enable confine-reap.timer
timer_is enabled
is "$(systemctl is-active confine-reap.timer || :)" active '... and runs'
check 'it is purged' dpkg --purge confine
is "$(systemctl is-active confine-reap.timer || :)" inactive 'and its timer with it'
# No package reaches into home directories.
is "$(cd /home/alice && find .local -type f)" .local/state/confine/hash.key 'what is a user'"'"'s own stays: one file, that confine(1) names'
rm -r /home/alice/.local
disk >"$captured/after"
check 'nothing is left on the disk' diff "$captured/before" "$captured/after"
is "$(find /run /tmp -xdev -name '*confine*' ! -name '*confine-guest*')" '' '... nor where it is memory'
done_testing
