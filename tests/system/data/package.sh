# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# The life of a package in a bare machine, for bare.d/*.t; read after lib.sh and runs.sh.
# shellcheck disable=SC2016,SC2317 # scripts for inner shells; functions that are given by name

: "${tests_dir:?}" "${tmp:?}" "${captured:?}"

# Without what the package managers, the journal and the test itself write.
disk() {
    find / -xdev \( -path /var/log -o -path /var/lib/dpkg -o -path /var/lib/rpm -o -path /var/lib/systemd -o -path "$tests_dir" \
        -o -path "$tmp" -o -path "$captured" \) -prune -o -printf '%p %y %m %U:%G %l\n' | LC_ALL=C sort
}

# What there is for each kind: install FILE, whole (nothing is other than packed), version, remove.
deb_install() { dpkg -i "$1"; }
deb_whole() { dpkg --verify confine; }
deb_version() { dpkg-query --show --showformat='${Version}' confine; }
deb_remove() { dpkg --purge confine; }

# For spawn, whose commands read nothing else.
waiting() {
    confine --result="$tmp/result" run -- sh -c 'echo up; read -r line; exit 3' <&9
}

# By what a distribution tests it with, too: where limits are missing that does without.
root_uses_it() {
    capture run_as sh "$tests_dir/packages/installed"
    is "$rc" 0 '... root uses it'
    like "$out" '^all limits are in force$' '... with all limits in force'
}

# is_gone KIND: taken away, with all that was written.
is_gone() {
    assert_clean
    check "P18: $1: it is taken away" "${1}_remove"
    check 'control: it is gone' sh -c '! command -v confine'
    rm -rf /home/alice/.local
    is "$(find /run /tmp /var/lib -xdev \( -path "$tmp" -o -path "$captured" \) -prune -o \
        -name '*confine*' ! -name '*confine-guest*' -print)" '' '... with what it wrote at run time'
    disk >"$captured/after"
    check '... and nothing is left on the disk' diff "$captured/before" "$captured/after"
}

# life KIND FILE NEWER: installed, used, upgraded while a run is on, used again and taken away. At the end the disk is as it was.
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
    root_uses_it
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
    root_uses_it

    is_gone "$kind"
}

# newer_deb FILE: of the same files, as $captured/newer.deb.
newer_deb() {
    dpkg-deb -R "$1" "$captured/newer"
    sed -i 's/^Version: .*/&+test/' "$captured/newer/DEBIAN/control"
    dpkg-deb --root-owner-group -b "$captured/newer" "$captured/newer.deb" >/dev/null
    rm -r "$captured/newer"
}
