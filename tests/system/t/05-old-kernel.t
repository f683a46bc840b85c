#!/bin/sh
# SPDX-License-Identifier: MIT
# P5, P16, S20: a kernel whose Landlock is too old (Debian 12's own, 6.1, ABI 2): refused with the reason and the fix, whatever is asked for.
# rung: vm
# suites: bookworm
# managers: system user
# budget: 120
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/limits.sh"

mark=$tmp/ran
capture touch "$mark"
is "$rc" 0 'control: unconfined the program runs'
rm -f "$mark"

# refused DESCRIPTION OPTION...
refused() {
    description=$1
    shift
    confined "--allow-write=$tmp" "$@" -- touch "$mark"
    is "$rc $out $(facts cause error)" '125  refused CapabilityNotSupported' "$description: refused"
    is "$err" "confine: the Landlock of this kernel is too old (ABI 2, 3 is needed): boot Linux 6.2 or newer, on Debian 12 \
the one of bookworm-backports; 'confine doctor' tells all that this host lacks; 'confine --no-sandbox' runs Python unrestricted [CapabilityNotSupported]" '... in one line that says why and what to do'
    check '... and nothing ran' absent "$mark"
}

refused 'a run'
refused 'a run with processes' --allow-run
refused 'a run that tolerates what can be done without' -p Enforcement=best-effort
capture confine run -q --allow-write="$tmp" -- touch "$mark"
is "$rc $err" '125 ' '-q: refused without a word'
capture confine --version
is "$rc" 0 'what runs nothing works'
like "$out" '^confine [0-9]' '... and says the version'

capture confine doctor
is "$rc" 1 'P18: the doctor says the same'
like "$out" '^landlock +FATAL +ABI 2, 3 is needed .*fix: boot Linux 6.2' '... of Landlock'
like "$out" '^kernel +failed +Linux 6.1.*bookworm-backports' '... and of the kernel'

assert_clean
done_testing
