#!/bin/sh
# SPDX-License-Identifier: MIT
# P18: what is given away. Run by prove on the host, as root (make check-packages): the archive, the packages made of it twice with
# the same bytes, the Debian one of the other release, and that of this one installed, used, upgraded and purged in the container.
# shellcheck disable=SC2016,SC2317 # scripts for inner shells; functions that check calls
set -eu

cd "$(dirname "$0")/../.."
here=tests/system
box=$here/box
. "$here/lib/host-test.sh"

# check DESCRIPTION COMMAND...: whether it succeeds; what it says is shown if not.
check() {
    description=$1
    shift
    n=$((n + 1))
    status=0
    "$@" </dev/null >"$tmp/said" 2>&1 || status=$?
    if [ "$status" -eq 0 ]; then
        echo "ok $n - $description"
    else
        echo "not ok $n - $description"
        echo "# status $status: $*"
        tail -n 30 "$tmp/said" | sed 's/^/# /'
        failed=1
    fi
}
# fails COMMAND...
fails() {
    ! "$@"
}
silent() {
    "$@" >"$tmp/out" 2>&1
    cat "$tmp/out"
    [ ! -s "$tmp/out" ]
}

version=$(sed -n 's/^VERSION := //p' Makefile)
archive=build/confine-$version.tar.gz
# The Debian that this machine is not, made beside the first builds: where it is wanted builder waits for it.
others=
for release in bookworm trixie; do
    ! grep -q "^VERSION_CODENAME=$release\$" /etc/os-release || continue
    others="$others $release"
    "$here/builder" "$release" "$tmp" true >/dev/null 2>&1 &
done

# --- the archive

check 'make dist' make dist
cp "$archive" "$tmp/first.tar.gz"
check 'once more' make dist
check 'P20: two archives are the same bytes' cmp "$archive" "$tmp/first.tar.gz"
check 'make distcheck: it builds without git, passes, installs what packaging/files says, and removes it' make distcheck
check 'the changelog has the version of the Makefile' grep -q "^confine ($version-" packaging/debian/changelog
check 'so has the spec file' grep -q "^Version: *$version\$" packaging/rpm/confine.spec

# --- the Debian package

check 'make deb' make deb
umask 027
check 'elsewhere, in another time zone, language and umask' env TZ=Pacific/Apia LC_ALL=C.UTF-8 packaging/build deb "$archive" "$tmp/elsewhere"
umask 022
for deb in build/deb/*.deb; do
    check "P20: ${deb##*/}: two builds are the same bytes" cmp "$deb" "$tmp/elsewhere/${deb##*/}"
done
check 'lintian has nothing to say' silent lintian --allow-root --pedantic build/deb/*.changes
deb=$PWD/build/deb/confine_$version-1_amd64.deb
dpkg-deb -x "$deb" "$tmp/root"
dynamic() {
    readelf -Wd -l --dyn-syms "$tmp/root/usr/bin/confine" >"$tmp/elf"
    cat "$tmp/elf"
    grep -q "$1" "$tmp/elf"
}
check 'hardening: position independent' dynamic 'Flags: .*PIE'
check '... bound at the start' dynamic 'Flags: NOW'
check '... its relocations are read-only' dynamic GNU_RELRO
check '... its stack is guarded' dynamic __stack_chk_fail
check '... its copies are checked' dynamic '__[a-z]*_chk@'
check '... and its stack is no code' fails dynamic 'GNU_STACK.*RWE'

# --- the one of the other Debian, which bare.d/*.t use there

there() {
    "$here/builder" "$release" "$tmp/$release" sh -eu -c "$1"
}
# listed DEB: its files, and what is run at its installation and removal.
listed() {
    dpkg-deb -c "$1" | awk '{ print $1, $2, $6, $7, $8 }'
    rm -rf "$tmp/control"
    dpkg-deb -e "$1" "$tmp/control"
    # debhelper writes its version into them; that of Debian 13 no longer silences systemd-tmpfiles.
    for script in postinst prerm postrm; do
        sed -e "s/^/$script: /" -e '/^[a-z]*: #/d' -e 's,  *>/dev/null,,' "$tmp/control/$script"
    done
}
for release in $others; do
    mkdir "$tmp/$release"
    cp "$archive" "$tmp/$release"
    check "P18: $release: built with what debian/control names, its tests included, without network" there \
        'cd /build; tar -xzf confine-*.tar.gz; confine-*/packaging/build deb confine-*.tar.gz deb'
    check '... lintian has nothing to say there' silent there 'lintian --allow-root --pedantic /build/deb/*.changes'
    other=$tmp/$release/deb/${deb##*/}
    listed "$deb" >"$tmp/here"
    listed "$other" >"$tmp/there"
    check '... of the same files, modes and scripts' cmp "$tmp/here" "$tmp/there"
    check "... which is left for $release" sh -c 'rm -rf "$2" && mv "$1" "$2"' sh "$tmp/$release/deb" "build/deb-$release"
done

# --- installed, used, upgraded, purged: in the container, without what the suites install there

in_box() {
    "$box" exec -- "$@"
}
files() {
    in_box find /etc /usr /var -xdev ! -path '/var/log/*' ! -path '/var/lib/dpkg/*' ! -path '/var/lib/systemd/*' \
        ! -path '/var/cache/*' ! -path '/var/lib/confine-guest*' ! -path '/var/tmp/*' | LC_ALL=C sort
}
if ! "$box" status >/dev/null 2>&1; then
    started=box
    check 'the container' "$box" start
fi
tar -cf - -T /dev/null | in_box /usr/lib/confine-guest/unpack
# It leaves directories that only the tree had.
in_box find /usr/share -xdev -depth -type d -empty -delete
check 'control: there is no confine' fails in_box sh -c 'command -v confine'
files >"$tmp/before"
check 'a newer package, of the same files' sh -c 'dpkg-deb -R "$1" "$2" && sed -i "s/^Version: .*/&+test/" "$2/DEBIAN/control" &&
    dpkg-deb --root-owner-group -b "$2" "$3"' sh "$deb" "$tmp/newer" "$tmp/newer.deb"
check 'both are pushed' "$box" push "$deb" "$tmp/newer.deb" packaging/debian/tests/installed /root
use() {
    in_box sh /root/installed
}
check 'B17: it is installed' in_box dpkg -i "/root/${deb##*/}"
check 'every file of it is as it was packed' silent in_box dpkg --verify confine
check '... tmpfiles has made its directory' in_box test -d /run/confine
check '... the catalog explains its records' in_box journalctl --list-catalog 41b63d7f354140f48dcab0574a8b361d
check '... the manager knows its slice' in_box systemctl show --property=LoadState confine.slice
check 'B18: root uses it' use
check '... and so does a user' "$box" exec --user=alice -- confine -p Enforcement=best-effort -c 'print(1)'
check 'P18: the doctor of a user finds its files safe' "$box" exec --user=alice -- sh -c \
    'confine doctor | grep -q "^files of confine  *ok"'
# refused USER PATTERN OPTION...: a run is, and the message says what to do.
refused() {
    user=$1
    pattern=$2
    shift 2
    refusal=0
    "$box" exec "--user=$user" -- confine "$@" run -- true >"$tmp/message" 2>&1 || refusal=$?
    cat "$tmp/message"
    [ "$refusal" -eq 125 ] && grep -q "$pattern" "$tmp/message"
}
check 'S20: a typo in a key: the right one is named' refused root "MemryMax.*MemoryMax" -p MemryMax=1G -p Enforcement=best-effort
check 'S20: the wrong manager: the right one is named' refused alice '^confine: --system needs root: drop it' --system
check 'B18: no controllers: the doctor is named' refused alice "^confine: cgroup controller '.*confine doctor"
check 'a run is on while it is upgraded' in_box sh -c 'mkfifo /root/fifo /root/up
    confine -p Enforcement=best-effort --result=/root/result run -- sh -c "echo up; read -r line; exit 0" </root/fifo >/root/up & exec 9>/root/fifo
    read -r line </root/up && [ "$line" = up ] && dpkg -i /root/newer.deb && exec 9>&- && wait $! && grep -q "\"cause\":\"exit\"" /root/result'
check '... to the newer one' in_box sh -c 'dpkg -s confine | grep -q "^Version: .*+test"'
check 'it is used again' use
check 'it is purged' in_box dpkg --purge confine
check '... and so is what it wrote at run time' in_box sh -c '[ ! -e /run/confine ] && [ ! -e /var/lib/confine ]'
files >"$tmp/after"
check 'nothing is left on the disk' diff "$tmp/before" "$tmp/after"

# --- the RPM package

check 'make rpm' make rpm
check 'elsewhere' packaging/build rpm "$archive" "$tmp/rpm"
for rpm in build/rpm/*/*.rpm; do
    check "P20: ${rpm##*/}: two builds are the same bytes" cmp "$rpm" "$tmp/rpm/${rpm#build/rpm/}"
done
check 'a newer one, for bare.d/upgrade.t' env RPM_DIST=.newer packaging/build rpm "$archive" "$PWD/build/rpm-newer"
check 'rpmlint finds nothing' rpmlint --strict -c packaging/rpm/rpmlint.toml packaging/rpm/confine.spec build/rpm/*/*.rpm
done_testing
