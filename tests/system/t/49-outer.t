#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# managers: system user
# vm-managers: system
# budget: 120
# P5, B83 (44-landlock.t has more of Landlock): where something around confine takes a mechanism away, or only pretends to provide it, nothing runs.
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# Their numbers on x86_64, which is what the guests are; from 424 on they are the same everywhere.
number_of() {
    case $1 in
    setgroups) echo 116 ;;
    setresuid) echo 117 ;;
    setresgid) echo 119 ;;
    capset) echo 126 ;;
    prctl) echo 157 ;;
    mount) echo 165 ;;
    unshare) echo 272 ;;
    prlimit64) echo 302 ;;
    seccomp) echo 317 ;;
    clone3) echo 435 ;;
    close_range) echo 436 ;;
    mount_setattr) echo 442 ;;
    landlock_create_ruleset) echo 444 ;;
    landlock_add_rule) echo 445 ;;
    landlock_restrict_self) echo 446 ;;
    none) echo 9999 ;;
    esac
}

# outer CALL ANSWER: a run under a filter that gives CALL that answer.
outer() {
    # shellcheck disable=SC2086 # words
    capture run_as python3 "$data/filter.py" "$(number_of "$1")" "$2" -- $run_words -- sh -c 'echo ran'
}

# refused CALL ANSWER MESSAGE: nothing runs, and the message is this, whole.
refused() {
    outer "$1" "$2"
    is "$rc: $out" '125: ' "P5: nothing runs where $1 answers $2"
    is "$(messages)" "confine: $3" 'and the message says what is in the way'
}

without="'confine doctor' tells all that this host lacks; 'confine --no-sandbox' runs Python unrestricted"

step() {
    echo "step '$1' of the sandbox failed: $2: the kernel or a container around confine forbids it; see confine(1), DIAGNOSTICS; $without [CreationError]"
}

outer none ENOSYS
is "$rc: $out" '0: ran' 'control: under a filter that takes nothing away it runs'

refused landlock_create_ruleset ENOSYS \
    "this kernel has no Landlock: boot Linux 6.2 or newer, built with CONFIG_SECURITY_LANDLOCK; $without [CapabilityNotSupported]"
refused seccomp ENOSYS "$(step seccomp-outer 'Function not implemented')"
limits || {
    refused landlock_add_rule ENOSYS "$(step ruleset 'Function not implemented')"
    refused landlock_restrict_self EPERM "$(step landlock 'Operation not permitted')"
    refused landlock_restrict_self ok "$(step landlock-check 'State not recoverable')"
    refused seccomp EPERM "$(step seccomp-outer 'Operation not permitted')"
    refused seccomp ok "$(step seccomp-check 'State not recoverable')"
    refused prctl ENOSYS "$(step no_new_privs 'Function not implemented')"
    refused prctl ok "$(step no_new_privs 'State not recoverable')"
    refused close_range ENOSYS "$(step descriptors 'Function not implemented')"
    refused close_range ok "$(step descriptors 'State not recoverable')"
    refused prlimit64 ok "$(step limits 'State not recoverable')"
    refused capset EPERM "$(step capabilities 'Operation not permitted')"
    # The view: what is only said to be done would be done to the host, or not at all.
    refused unshare EPERM "$(step namespace 'Operation not permitted')"
    refused unshare ok "$(step namespace 'State not recoverable')"
    refused mount_setattr ENOSYS "$(step namespace 'Function not implemented')"
    refused mount_setattr ok "$(step view 'State not recoverable')"
    refused mount EPERM "$(step scratch 'Operation not permitted')"
    refused mount ok "$(step scratch 'State not recoverable')"
    refused clone3 ENOSYS "cannot fork: Function not implemented; ${without%%;*} [CreationError]"
    if [ "$MANAGER" = system ]; then
        for call in setgroups setresgid setresuid; do
            refused "$call" EPERM "$(step ids 'Operation not permitted')"
            refused "$call" ok "$(step ids 'State not recoverable')"
        done
        refused capset ok "$(step capabilities 'State not recoverable')"
    fi
    # What a service has once systemd can give it a Landlock domain.
    domain='setpriv --no-new-privs --landlock-access fs:write --landlock-rule path-beneath:write:/'
    # shellcheck disable=SC2086 # words
    capture run_as $domain $run_words -- sh -c 'echo ran'
    is "$rc: $out: $(messages)" "125: : confine: $(step scratch 'Operation not permitted')" 'P5: in a Landlock domain no view can be made: nothing runs'
    # shellcheck disable=SC2086
    capture run_as $domain $run_words --result="$tmp/result" -p PrivateTmp=no -- sh -c 'echo ran'
    is "$rc: $out: $(result .isolation)" '0: ran: process' 'S8: and without a view, with the tier that leaves, it runs'
    # A rule that is missing takes a right away.
    outer landlock_add_rule ok
    is "$rc: $out" '126: ' 'a rule that was not added is no right: the program cannot be executed'
}

assert_clean
done_testing
