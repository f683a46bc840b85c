#!/bin/sh
# SPDX-License-Identifier: MIT
# suite: bookworm
# P5, P18, S20: Debian 12 with its own kernel, 6.1, whose Landlock is too old: the package can be installed, the doctor says what is
# wrong and how to mend it, nothing runs, and the purge leaves nothing.
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/package.sh"

deb=$1
fix='boot Linux 6.2 or newer'

check 'control: the kernel is that of Debian 12' sh -c 'uname -r | grep -q "^6\.1\."'
disk >"$captured/before"
check 'P18: it is installed' dpkg -i "$deb"
is "$(deb_whole 2>&1)" '' '... each file as it was packed'
for as in run_as as_alice; do
    capture "$as" confine doctor
    is "$rc" 1 "P18: $as: the doctor says that the default policy cannot be enforced"
    like "$out" "^landlock +FATAL +ABI 2, 3 is needed .*; fix: $fix\$" '... for its Landlock, and how to mend it'
    like "$out" "^kernel +failed +Linux 6\.1.*; fix: $fix: on Debian 12 the one of bookworm-backports\$" '... where'
    is "$(printf '%s\n' "$out" | grep -c ' FATAL ')" 1 '... alone'
    mkdir -m 1777 "$tmp/$as"
    capture "$as" confine "--allow-write=$tmp/$as" run -- touch "$tmp/$as/ran"
    is "$rc" 125 "S20: $as: a run is refused"
    like "$err" "^confine: the Landlock of this kernel is too old .*: $fix, on Debian 12 the one of bookworm-backports; 'confine doctor' tells .*\[CapabilityNotSupported\]\$" '... with the same fix'
    check '... and nothing ran' test ! -e "$tmp/$as/ran"
    capture "$as" touch "$tmp/$as/ran"
    is "$rc" 0 'control: unconfined it would have'
done
is_gone deb
done_testing
