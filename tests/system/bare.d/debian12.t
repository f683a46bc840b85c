#!/bin/sh
# SPDX-License-Identifier: MIT
# suite: bookworm-backports
# P18, S1: Debian 12 with the kernel of its backports, and the package that is made there: the doctor finds nothing wrong, and it is
# used, upgraded and purged as on Debian 13 (upgrade.t).
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"
. "${0%/*}/../data/package.sh"

deb=$1

disk >"$captured/before"
check 'control: this is Debian 12' grep -q '^VERSION_CODENAME=bookworm$' /etc/os-release
check 'S1: it is installed' dpkg -i "$deb"
for as in run_as as_alice; do
    capture "$as" confine doctor
    is "$rc: $err" '0: ' "P18: the doctor, $as: the default policy can be enforced"
    unlike "$out" ' (FATAL|failed) ' '... and nothing is wrong'
done
capture run_as confine --memory=64M -c 'x = b"x" * (256 << 20)'
is "$rc" 137 'root: a limit that is reached'
like "$err" '^confine: MemoryMax=64M reached: ' '... is named'
capture as_alice confine run -- cat /etc/fstab
is "$rc: $err" '1: cat: /etc/fstab: Permission denied' 'alice: what nobody granted'
capture as_alice cat /etc/fstab
is "$rc" 0 'control: unconfined she may'
is_gone deb

newer_deb "$deb"
life deb "$deb" "$captured/newer.deb"
done_testing
