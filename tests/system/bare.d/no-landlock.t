#!/bin/sh
# SPDX-License-Identifier: MIT
# append: lsm=lockdown,yama,apparmor
# P5, P18, B83: a machine whose Landlock is built in, and off at boot by lsm=: the doctor says so, nothing runs, and both say how to mend
# it. t/44-landlock.t and t/87-doctor.t play it, and others, with filters.
set -eu
. "${0%/*}/../lib/lib.sh"

deb=$1
# What both of them are to say, letter by letter.
fix="add landlock to 'lsm=' on the kernel command line and boot again"

check 'control: this machine has Linux security modules, and Landlock is not one of them' sh -c \
    'grep -q yama /sys/kernel/security/lsm && ! grep -q landlock /sys/kernel/security/lsm'
check 'it is installed' dpkg -i "$deb"
for who in root alice; do
    as=run_as
    [ "$who" = root ] || as=as_alice
    capture "$as" confine doctor
    is "$rc" 1 "P18: $who: the doctor says that the default policy cannot be enforced"
    like "$out" "^landlock +FATAL +built, but not enabled at boot .*; fix: $fix\$" '... for want of Landlock, and how to mend it'
    is "$(printf '%s\n' "$out" | grep -c ' FATAL ')" 1 '... alone'
    mkdir -m 1777 "$tmp/$who"
    for option in '' '-p Enforcement=best-effort' '-p Base=none'; do
        # shellcheck disable=SC2086 # words
        capture "$as" confine --allow-write="$tmp/$who" $option run -- touch "$tmp/$who/ran"
        is "$rc" 125 "B83: $who: a run${option:+ with $option} is refused"
        like "$err" "^confine: Landlock is switched off on this machine: $fix.*; 'confine doctor' tells .*\[CapabilityNotSupported\]\$" '... with the same fix'
        check '... and nothing ran' test ! -e "$tmp/$who/ran"
    done
    capture "$as" touch "$tmp/$who/ran"
    is "$rc" 0 'control: unconfined it would have'
done
assert_clean
done_testing
