#!/bin/sh
# SPDX-License-Identifier: MIT
# S7 S15 S16 S17: who a run is, and how far it is kept apart. Two runs of root are apart by file permissions too, whatever range
# their uids are from.
# rung: box
# managers: system user
# budget: 60
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; options are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

at_exit_isolation() {
    rm -rf /etc/confine ~/.config/confine /home/alice/.config/confine
    at_exit
}
trap at_exit_isolation EXIT
rm -rf /etc/confine

# site: the file of the site is what comes on standard input.
site() {
    mkdir -p /etc/confine
    cat >/etc/confine/confine.conf
    chmod 0644 /etc/confine/confine.conf
}

# refused REGEX DESCRIPTION: the last command, which would have made $tmp/ran.
refused() {
    like "$rc: $err" "^125: confine: .*$1.*\\]\$" "$2"
    check 'and nothing ran' test ! -e "$tmp/ran"
}

chmod 1777 "$tmp"

# --- the range

range() {
    printf '[Identity]\nUIDRange=%s\n' "$1" | site
}

range 70000-70001
capture confine run --allow-run -- sh -c 'id -u; id -g'
if [ "$MANAGER" = user ]; then
    is "$rc: $out" '0: 1000
1000' "S7: a range of the site means nothing to a user's run"
else
    uid=$(printf '%s\n' "$out" | head -n 1)
    within "$uid" 70000 70001 "root's run has a uid of the range of the site"
    is "$out" "$uid
$uid" 'and the gid of that number'

    # Two at once. Both may write the same directory, where only file permissions tell them apart.
    mkdir -m 1777 shared
    words="$run_words -q --allow-run --allow-write=$tmp/shared"
    cat >try.py <<'PYTHON'
import errno, os, sys
def name(f):
    try:
        f()
    except OSError as e:
        return errno.errorcode[e.errno]
    return "ok"
print(os.getuid())
for what, f in (
    ("read", lambda: open("shared/read").read()),
    ("write", lambda: open("shared/write", "a")),
    ("list", lambda: os.listdir("shared/list")),
    ("below", lambda: open("shared/list/file").read()),
    ("chmod", lambda: os.chmod("shared/chmod", 0o666)),
    ("chown", lambda: os.chown("shared/chown", os.getuid(), -1)),
    ("rename", lambda: os.rename("shared/rename", "shared/renamed")),
    ("remove", lambda: os.unlink("shared/remove")),
    ("signal", lambda: os.kill(int(sys.argv[1]), 0)),
):
    print(what, name(f))
PYTHON
    spawn run_as $words -- sh -c '
        umask 077; cd shared; mkdir list
        for file in read write chmod chown rename remove list/file; do echo mine >$file; done
        id -u; exec sleep 1000'
    check 'a run is there' wait_for 20 test -s "$captured/out"
    owner=$(cat "$captured/out")
    other=$((140001 - owner))
    program=$(worker_of "$pid")
    first=$pid
    is "$(stat -c %u:%g shared/read)" "$owner:$owner" 'what it makes is its own'
    capture run_as $words --allow-read="$tmp/try.py" -- python3 try.py "$program"
    is "$(printf %s "$out" | tr '\n' ' ')" \
        "$other read EACCES write EACCES list EACCES below EACCES chmod EPERM chown EPERM rename EPERM remove EPERM signal EPERM" \
        'S15: a second run of root has another uid, and file permissions deny it all of it'
    capture run_as setpriv --reuid="$owner" --regid="$owner" --clear-groups --inh-caps=-all python3 try.py "$program"
    is "$(printf %s "$out" | tr '\n' ' ')" \
        "$owner read ok write ok list ok below ok chmod ok chown ok rename ok remove ok signal ok" 'control: with that uid, unconfined, all of it works'

    # With both taken there is none for a third.
    spawn run_as $words -- sh -c 'id -u; exec sleep 1000'
    check 'a second run stays' wait_for 20 test -s "$captured/out"
    second=$pid
    capture confine run --allow-write="$tmp" -- touch "$tmp/ran"
    refused 'all uids of the range 70000-70001 are in use .*\[CreationError' 'a third run finds none'
    for pid in $second $first; do
        kill -TERM "$pid"
        finish "$pid"
    done
    capture confine run -- true
    is "$rc" 0 'control: with the others gone it starts'

    # Nobody else may have one.
    capture confine run --uid=70000 --allow-write="$tmp" -- touch "$tmp/ran"
    refused 'the uid 70000 is one that runs of root take turns in, UIDRange=70000-70001: .*\[ConfigurationError' 'one of them cannot be chosen'
    capture confine run --uid=daemon --gid=70001 --allow-write="$tmp" -- touch "$tmp/ran"
    refused 'the gid 70001 is one ' 'nor be a group'
    capture confine run -q --allow-run --uid=70002 -- id -u
    is "$rc: $out" '0: 70002' 'control: the next one can'
    cp -p /etc/subuid /etc/subgid /etc/group "$captured"
    : >/etc/subgid
    echo alice:100000:65536 >/etc/subuid
    echo somebody:x:70005: >>/etc/group
    for taken in '1000-1009 passwd alice' '70003-70009 group somebody' '90000-100000 subuid alice' '165535-165536 subuid alice'; do
        set -- $taken
        range "$1"
        capture confine run --allow-write="$tmp" -- touch "$tmp/ran"
        refused "UIDRange=$1 \\(/etc/confine/confine.conf:2\\) has [0-9]+ in it, which '/etc/$2' gives to '$3': .*\\[ConfigurationError" \
            "a range with a number of /etc/$2"
    done
    range 165536-165537
    capture confine run -- true
    is "$rc" 0 'control: one beside it can be taken'
    cp -p "$captured/subuid" "$captured/subgid" "$captured/group" /etc
    range 61184-61200
    capture confine run --allow-write="$tmp" -- touch "$tmp/ran"
    refused "'61184-61200' is no range for 'UIDRange' \\(/etc/confine/confine.conf:2\\): 61184 to 65519 are for DynamicUser= of systemd" \
        'nor one of somebody on every machine'
fi
rm -rf /etc/confine

# --- who else

ceiling() {
    printf '[Ceiling]\n%s\n' "$1" | site
}

if [ "$MANAGER" = system ]; then
    capture confine run --uid=root -- "$bin/status" euid
    is "$rc: $out" '0: 0' '--uid=root is root'
    is "$(messages)" "confine: the program runs as root, as 'User=root' (--uid) says: file permissions do not protect this machine from it" \
        'S7: and warns, with who said so'
    capture confine run -q --uid=root --result="$tmp/result" -- true
    is "$(result .uid): $(messages)" '0: ' 'it is recorded; -q keeps the warning back'
    range 70000-70001
    printf 'User=root\n' >>/etc/confine/confine.conf
    capture confine run -- true
    like "$(messages)" "as 'User=root' \\(/etc/confine/confine.conf:3\\) says" 'a file that says so is named'
    rm -r /etc/confine

    ceiling 'User=alice
User=12345
Group=alice'
    capture confine run --uid=root --allow-write="$tmp" -- touch "$tmp/ran"
    refused "'User=root' \\(--uid\\) is not among those that the ceiling of this machine lists, such as '12345' \\(/etc/confine/confine.conf:3\\)" \
        'S16: a ceiling of users refuses root'
    capture confine run --uid=0 --allow-write="$tmp" -- touch "$tmp/ran"
    refused "'User=0' \\(--uid\\) is not among those" 'by number too'
    capture confine run --uid=alice --gid=shadow --allow-write="$tmp" -- touch "$tmp/ran"
    refused "'Group=shadow' \\(--gid\\) is not among those" 'so does one of groups'
    for options in --uid=alice --uid=1000 '--uid=12345 --gid=alice'; do
        capture confine run -q $options -- true
        is "$rc: $err" '0: ' "control: $options is listed"
    done
    capture confine run -q --allow-run -- id -u
    within "$out" 60578 61183 'a uid of its own needs no listing'
    rm -r /etc/confine

    # What file permissions keep from the uid of the run is no grant.
    mkdir -m 0711 search
    mkdir -m 0700 closed
    mkdir -m 0755 readable
    echo in >search/file
    chmod 0644 search/file
    cp /bin/true program
    chmod 0711 program
    capture confine run -q --allow-run --allow-read="$tmp/search" -- cat search/file
    is "$rc: $out" '0: in' 'a directory that can only be searched can be granted'
    capture confine run -q --allow-exec="$tmp/program" -- "$tmp/program"
    is "$rc" 0 'and a program that can only be executed'
    for grant in allow-read=closed allow-exec=closed allow-write=closed allow-write=readable allow-write=search/file; do
        capture confine run "--$grant" --allow-write="$tmp" -- touch "$tmp/ran"
        refused "Allow(Read|Exec|Write)= '$tmp/${grant#*=}' is useless: file permissions deny it to uid [0-9]+ .*--uid=.*\\[ConfigurationError" \
            "S16: --$grant, which is useless, is refused"
        capture confine run -q "--$grant" --uid=root -- true
        is "$rc" 0 'control: for root it is not'
    done
fi

# --- tiers

capture confine run --result="$tmp/result" -p RequireIsolation=process -- true
is "$rc: $(result .isolation)" "0: $(if limits; then echo container; else echo process; fi)" 'S16: a run has the tier that it requires, or more'
for tier in gvisor microvm; do
    capture confine run -p RequireIsolation=$tier --allow-write="$tmp" -- touch "$tmp/ran"
    refused "'RequireIsolation=$tier' \\(-p RequireIsolation\\) is more than this run would have: confine shares the kernel of the host.*\\[ConfigurationError" \
        "S16: $tier is never provided"
done
capture confine run -p RequireIsolation=unknown --allow-write="$tmp" -- touch "$tmp/ran"
refused "'unknown' is not a choice for 'RequireIsolation'.*write process or container" 'S16: unknown cannot be required'
# Not lib.sh's confine, which says best-effort in the box.
capture run_as /usr/bin/confine run -p Enforcement=best-effort -p RequireIsolation=container --allow-write="$tmp" -- touch "$tmp/ran"
refused "'RequireIsolation=container' .*: with Enforcement=best-effort a run is 'process': leave that out" 'S16: best-effort is no container'
capture run_as /usr/bin/confine run --dry-run --json -p RequireIsolation=container -- true
is "$rc: $(printf '%s' "$out" | jq -r .run.isolation)" '0: container' 'control: without it, it is one'

# Where a host gives no mount namespace: to a user that shows as the worker is forked, and still no scope has been asked for. The
# limits of the box are not looked at before that.
if [ "$MANAGER" = system ]; then
    without() {
        setpriv --inh-caps=-sys_admin --bounding-set=-sys_admin "$@"
    }
    why='root lacks CAP_SYS_ADMIN'
    of_manager=_PID=1
else
    # Nobody makes a user namespace in a chroot. Source: user_namespaces(7).
    without() {
        unshare --mount sh -c 'mount --rbind / /mnt && exec chroot --userspec=alice:alice /mnt env -i HOME=/home/alice USER=alice \
            PATH=/usr/bin:/bin XDG_RUNTIME_DIR=/run/user/1000 "$@"' sh "$@"
    }
    why='raise user.max_user_namespaces'
    of_manager='_UID=1000 _SYSTEMD_USER_UNIT=init.scope'
fi
cursor=$(journalctl --sync; journalctl --lines=0 --show-cursor | sed -n 's/^-- cursor: //p')
capture without /usr/bin/confine run -p PrivateTmp=no -p RequireIsolation=container --allow-write="$tmp" -- touch "$tmp/ran"
refused "'RequireIsolation=container' .* than this run would have: without a private view a run is 'process': $why" 'S16: without a view it is no container'
capture without $run_words -p PrivateTmp=no --result="$tmp/result" -p RequireIsolation=process -- true
is "$rc: $(result '"\(.isolation) \(.view)"')" '0: process none' 'control: process is provided'
started() {
    journalctl --sync
    journalctl --after-cursor="$cursor" -o cat $of_manager | grep -c '^Started confine-.*scope'
}
is "$(started)" 1 'S16: the one that was refused had no unit, as the other had'

# The site's word holds for --no-sandbox too, which is of no tier that is known.
capture run_as /usr/bin/confine --no-sandbox -c 'print("ran")'
is "$rc: $out$err" '0: ran' 'control: without a requirement --no-sandbox runs, and says nothing of its own'
journalctl --sync
is "$(journalctl --lines=1 -o json CONFINE_EVENT=no-sandbox _UID="$(id -u "$user")" | jq -r '[.CONFINE_ISOLATION, .CONFINE_ERROR, .PRIORITY] | join(" ")')" \
    'unknown UnverifiedIsolationWarning 4' 'S16: the record warns'
for section in Isolation Ceiling; do
    printf '[%s]\nRequireIsolation=process\n' $section | site
    capture run_as /usr/bin/confine --no-sandbox -c 'print("ran")'
    is "$rc: $out" '125: ' "S16: [$section] RequireIsolation= forbids it"
    like "$err" "RequireIsolation=process' \\(/etc/confine/confine.conf:2\\) requires some: .*\\[ConfigurationError\\]\$" 'by name'
done
ceiling RequireIsolation=container
capture run_as /usr/bin/confine run -p Enforcement=best-effort --allow-write="$tmp" -- touch "$tmp/ran"
refused "'RequireIsolation=container' \\(/etc/confine/confine.conf:2\\) is more than this run would have" 'S16: a ceiling requires it of every run'
capture confine run -p RequireIsolation=process --allow-write="$tmp" -- touch "$tmp/ran"
refused "'RequireIsolation=process' \\(-p RequireIsolation\\) is less than this machine requires, container" 'and cannot be undercut'
ceiling PrivateTmp=yes
capture confine run -p PrivateTmp=no --allow-write="$tmp" -- touch "$tmp/ran"
refused "'PrivateTmp=no' \\(-p PrivateTmp\\) is less than this machine requires, yes" 'nor can scratch'
ceiling Base=system
capture confine run -p Base=python --allow-write="$tmp" -- touch "$tmp/ran"
refused "'Base=python' \\(-p Base\\) is more than the ceiling of this machine, system" 'the base set has a ceiling'
capture run_as $form_words -c 'print("ran")'
is "$rc: $out" '0: ran' 'to which what a form brings along is lowered'
ceiling TCPConnectPorts=443
capture confine run --allow-net --allow-write="$tmp" -- touch "$tmp/ran"
refused "'Network=allow' \\(--allow-net\\) is for more than the ports that the ceiling of this machine lists, such as 443" 'and so has the network'
capture confine run --allow-net -p TCPConnectPorts=80 --allow-write="$tmp" -- touch "$tmp/ran"
refused "'TCPConnectPorts=80' \\(-p TCPConnectPorts\\) is not among the ports" 'by ports'
capture confine run -q --allow-net -p TCPConnectPorts=443 -- true
is "$rc: $err" '0: ' 'control: one that is listed'
rm -rf /etc/confine

# --- whose a policy file is

home=$(run_as sh -c 'echo $HOME')
config=$home/.config/confine
run_as mkdir -p "$config"
echo '[Limits]' | run_as tee "$config/confine.conf" >/dev/null
chmod 0664 "$config/confine.conf"
group_refused() {
    is "$rc: $out" '125: ' "$1: refused"
    like "$err" "can be written by others: say chmod go-w '$config/confine.conf'" '... by name'
}
by_group() {
    capture run_as confine --dry-run -pEnforcement=best-effort -c 'print(1)'
}
if [ "$MANAGER" = user ]; then
    # As the umask 0002 leaves it: the group is alice alone.
    by_group
    is "$rc" 0 'S7: a file that the own group of its user can write is taken'
    cp -p /etc/group /etc/passwd "$captured"
    sed -i 's/^alice:.*/&bob/' /etc/group
    by_group
    group_refused 'S7: not if that group has another member'
    cp -p "$captured/group" /etc
    sed -i 's/^\(bob:[^:]*:[^:]*\):[^:]*/\1:1000/' /etc/passwd
    by_group
    group_refused 'nor if it is the primary group of another user'
    cp -p "$captured/passwd" /etc
    sed -i 's/^alice:.*/friends:x:1000:\n&/' /etc/group
    by_group
    group_refused 'nor if it has another name as well'
    cp -p "$captured/group" /etc
    chgrp users "$config/confine.conf"
    by_group
    group_refused 'nor if it is another group'
    chgrp alice "$config/confine.conf"
    setfacl --modify=user:bob:rw "$config/confine.conf"
    is "$(stat -c %a "$config/confine.conf")" 664 'control: a list shows as the mode of the group'
    by_group
    group_refused 'nor if it has an access control list'
    setfacl --remove-all "$config/confine.conf"
    by_group
    is "$rc" 0 'control: all is as it was'
else
    by_group
    group_refused "root's group is no private one"
fi
rm -r "$config"

man=$(gzip -cdf /usr/share/man/man1/confine.1* | tr '\n' ' ')
like "$man" 'process and container are for code that is trusted.* a micro virtual machine is the floor for code of hostile tenants' \
    'S17: the manual says what each tier is for'
assert_clean
done_testing
