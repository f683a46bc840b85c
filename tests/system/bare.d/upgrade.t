#!/bin/sh
# SPDX-License-Identifier: MIT
# P18: each kind of package installed, used, upgraded while a run is on, used again and taken away, on a machine that has never seen
# confine. At the end the disk is as it was.
# shellcheck disable=SC2016,SC2317 # scripts for inner shells; functions that are given by name
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

deb=$1
packages=${deb%/*}/packages

# Without what the package managers and the journal write for themselves.
disk() {
    find / -xdev \( -path /var/log -o -path /var/lib/dpkg -o -path /var/lib/rpm -o -path "$tests_dir" -o -path /var/lib/systemd \) -prune -o \
        -printf '%p %y %m %U:%G %l\n' | LC_ALL=C sort
}

# The two kinds, each as: install FILE, whole (nothing is other than packed), version, upgrade FILE, gone.
deb_install() { dpkg -i "$1"; }
deb_whole() { dpkg --verify confine; }
deb_version() { dpkg-query --show --showformat='${Version}' confine; }
deb_remove() { dpkg --purge confine; }
# What it depends on is here, but rpm(8) cannot know of it.
rpm_install() { rpm --nodeps --upgrade "$1"; }
rpm_whole() { rpm --nodeps --verify confine; }
rpm_version() { rpm --query --queryformat='%{VERSION}-%{RELEASE}' confine; }
rpm_remove() { rpm --nodeps --erase confine; }

# For spawn, whose commands read nothing else.
waiting() {
    confine --result="$tmp/result" run -- sh -c 'echo up; read -r line; exit 3' <&9
}

# life KIND FILE NEWER: of a package.
life() {
    kind=$1
    disk >"$captured/before"
    check "control: $kind: there is no confine" sh -c '! command -v confine'
    check "B17, P18: $kind: it is installed" "${kind}_install" "$2"
    is "$("${kind}_whole" 2>&1)" '' '... each file as it was packed'
    first=$("${kind}_version")
    check '... tmpfiles has made its directory' test -d /run/confine
    check '... the catalog explains its records' journalctl --list-catalog 41b63d7f354140f48dcab0574a8b361d
    is "$(systemctl show --property=LoadState --value confine.slice)" loaded '... the manager knows its slice'
    is "$(systemctl is-enabled confine-reap.timer)" disabled '... the reaper is off until somebody wants it'
    check '... root uses it, all limits in force' sh "$packages/installed"
    capture as_alice confine -c 'print(1)'
    is "$rc: $out" '0: 1' '... and so does a user'

    mkfifo "$tmp/line"
    # Both ends, so that neither waits for the other to be opened.
    exec 9<>"$tmp/line"
    spawn waiting
    check 'a run is on' wait_for 20 grep -q up "$captured/out"
    check "P18: $kind: while it is upgraded" "${kind}_install" "$3"
    echo >&9
    exec 9>&-
    finish "$pid"
    is "$rc $(result .cause)" '3 exit' '... and ends as it would have'
    rm "$tmp/line"
    isnt "$("${kind}_version")" "$first" '... to the newer one'
    check '... which is used' sh "$packages/installed"

    assert_clean
    check "P18: $kind: it is taken away" "${kind}_remove"
    check 'control: it is gone' sh -c '! command -v confine'
    rm -rf /home/alice/.local
    is "$(find /run /tmp /var/lib -xdev -name '*confine*' ! -name '*confine-guest*')" '' '... with what it wrote at run time'
    disk >"$captured/after"
    check '... and nothing is left on the disk' diff "$captured/before" "$captured/after"
}

dpkg-deb -R "$deb" "$captured/newer"
sed -i 's/^Version: .*/&+test/' "$captured/newer/DEBIAN/control"
dpkg-deb --root-owner-group -b "$captured/newer" "$captured/newer.deb" >/dev/null
rm -r "$captured/newer"
life deb "$deb" "$captured/newer.deb"

rpm --initdb
# Those are of the package `filesystem` where packages are RPM's.
mkdir -p /usr/share/fish/vendor_completions.d /usr/share/licenses /usr/share/man/man1 /usr/share/man/man5 /usr/share/man/man7
life rpm "$(find "$packages" -name 'confine-[0-9]*-1.x86_64.rpm')" "$(find "$packages" -name 'confine-[0-9]*-1.newer.x86_64.rpm')"
done_testing
