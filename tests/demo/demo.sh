#!/bin/sh
# SPDX-License-Identifier: MIT
# make demo: builds confine and shows it at work, each command before its output, on this machine if it can, else in the
# virtual machine of the tests. Fails if a step does not show what it says.
#     demo.sh                      all of it, as root
#     demo.sh --steps PROGRAM      the steps alone, with this confine; needs no other file, so that a guest can read it from stdin
set -eu

say() {
    printf 'demo: %s\n' "$*"
}

die() {
    printf 'demo: %s\n' "$*" >&2
    exit 1
}

# --- the steps

n_wrong=0

step() {
    printf '\n== %s\n' "$*"
}

# show COMMAND: as it would be typed. Sets $rc and, in the file output, what it wrote.
show() {
    printf '\n# %s\n' "$1"
    rc=0
    sh -c "$1" </dev/null >output 2>&1 || rc=$?
    cat output
    [ "$rc" -eq 0 ] || printf '(status %s)\n' "$rc"
}

wrong() {
    n_wrong=$((n_wrong + 1))
    printf '** this is not what was to be shown: %s\n' "$*"
}

# expect STATUS [REGEX]: of the last command, for a line of its output.
expect() {
    [ "$rc" -eq "$1" ] || wrong "status $rc, not $1"
    [ $# -eq 1 ] || grep -Eq -e "$2" output || wrong "no line like /$2/"
}

field() {
    sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" result.json
}

program() {
    cat >report.py <<'END'
import collections, sys
sizes, section = collections.Counter(), ""
for line in open(sys.argv[1], encoding="utf-8"):
    key, _, value = line.partition(": ")
    if key == "Section":
        section = value.strip()
    elif key == "Installed-Size":
        sizes[section] += int(value)
with open(sys.argv[2], "w", encoding="utf-8") as out:
    for section, size in sizes.most_common():
        print(f"{size // 1024:6} MiB  {section}", file=out)
print(len(sizes), "sections, the largest is", sizes.most_common(1)[0][0])
END
}

steps() {
    dir=$(mktemp -d /var/tmp/confine-demo.XXXXXX)
    trap 'rm -rf "$dir"' EXIT
    chmod 0755 "$dir"
    cd "$dir"
    mkdir bin
    mkdir -m 1777 out elsewhere
    ln -s "$1" bin/confine
    PATH=$dir/bin:$PATH
    export PATH
    umask 022
    program
    printf '%s, Linux %s, systemd %s, %s, in %s\n' "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)" "$(uname -r)" \
        "$(systemctl --version | sed -n '1s/^systemd \([0-9]*\).*/\1/p')" "$(confine --version)" "$dir"

    step 'A program that somebody sent: installed packages by section. It may read its directory and one file, and write to out.'
    show 'cat report.py'
    show 'confine --allow-read=/var/lib/dpkg/status --allow-write=out report.py /var/lib/dpkg/status out/report.txt'
    expect 0 '^[0-9]+ sections, the largest is [a-z]'
    show 'head -n 3 out/report.txt; ls -l out'
    expect 0 '^ +[0-9]+ MiB  [a-z]'
    show 'confine --allow-write=out report.py /var/lib/dpkg/status out/report.txt 2>&1 | tail -n 1'
    expect 0 '^PermissionError: .*/var/lib/dpkg/status'

    step 'What nobody granted is denied: to a uid of its own, to the uid of root, and where file permissions allow it.'
    show 'confine run -- cat /etc/shadow'
    expect 1 '/etc/shadow: Permission denied$'
    show 'confine run --uid=root -- cat /etc/shadow'
    expect 1 '/etc/shadow: Permission denied$'
    show "ls -ld elsewhere; confine run --allow-write=out -- sh -c 'echo x >elsewhere/x'"
    expect 2 'elsewhere/x: Read-only file system$'
    [ ! -e elsewhere/x ] || wrong 'elsewhere/x is there'
    show "confine run --allow-write=elsewhere -- sh -c 'echo x >elsewhere/x'; cat elsewhere/x"
    expect 0 '^x$'
    show "confine -c 'import socket; socket.socket()' 2>&1 | tail -n 2"
    expect 0 '^PermissionError: .*Operation not permitted'

    step 'A limit that is reached is named, with its figure.'
    show "confine --memory=64M --result=result.json -c 'x = b\"x\" * (256 << 20)'"
    expect 137 '^confine: MemoryMax=64M reached: .*peak 6[0-4]\.[0-9]M: .*\[ResourceLimitExceeded\]$'

    step 'So is the deadline.'
    show 'confine run --timeout=2s -- sleep 60'
    expect 124 '^confine: RuntimeMaxSec=2s reached: .*\[ExecutionTimeout\]$'

    step 'Each run leaves a record: this is the one that took too much memory, as result and in the journal.'
    show 'cat result.json'
    expect 0 '"cause":"limit","limit":"MemoryMax"'
    # journald writes a moment after it has taken the entry.
    journalctl --sync
    show "journalctl -o verbose --output-fields=MESSAGE,CONFINE_ID,CONFINE_CAUSE,CONFINE_LIMIT,CONFINE_MEMORY_PEAK_BYTES \\
    -u $(field unit) CONFINE_EVENT=end"
    expect 0 "CONFINE_ID=$(field id)\$"
    expect 0 'CONFINE_CAUSE=limit$'
    show "journalctl -o cat -u $(field unit) _COMM=confine"
    expect 0 ': started for uid [0-9]+, system manager$'

    step 'And nothing else.'
    show "systemctl is-active $(field unit)"
    grep -qx inactive output || wrong 'the scope is still there'

    printf '\n'
    [ "$n_wrong" -eq 0 ] || die "$n_wrong things were not as they should be"
    say 'every step showed what it promised'
}

# --- where

# Prints what this machine lacks, nothing if it has all.
lacking() {
    if [ ! -d /run/systemd/system ]; then
        echo 'systemd does not run it'
        return
    fi
    ! message=$("$confine" run -- true 2>&1) || return 0
    case $message in
    *'[CapabilityNotSupported]') printf '%s\n' "${message#confine: }" ;;
    *) die "confine does not work here, and not for want of anything: $message" ;;
    esac
}

in_vm() {
    vm=$tree/tests/system/vm
    if "$vm" status >/dev/null; then
        "$vm" install
    else
        trap '"$vm" stop' EXIT
        trap 'exit 130' INT
        trap 'exit 143' TERM
        # Emulated kernels are known to panic now and then while they boot.
        "$vm" start || {
            say 'it did not start, once more'
            "$vm" start
        }
    fi
    "$vm" exec -- sh -s -- --steps /usr/bin/confine <"$0"
}

if [ "${1:-}" = --steps ]; then
    steps "$2"
    exit
fi
[ "$(id -u)" -eq 0 ] || die 'run it as root: it installs what is missing, and shows runs of the system manager'
tree=$(cd "$(dirname "$0")/../.." && pwd -P)
confine=$tree/build/release/confine
"$tree/tests/system/deps" build
say 'building'
"${MAKE:-make}" -C "$tree" VARIANT=release all
lacks=$(lacking)
if [ -z "$lacks" ]; then
    say 'on this machine'
    sh "$0" --steps "$confine"
else
    say "in a virtual machine, whose image is made the first time; this one will not do: $lacks"
    in_vm
fi
