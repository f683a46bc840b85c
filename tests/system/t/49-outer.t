#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# managers: system user
# budget: 120
# P5, B83: where something around confine takes a mechanism away, or only pretends to provide it, nothing runs.
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# outer CALL ANSWER: a run under a filter that gives CALL that answer.
outer() {
    case $CONFINE_RUNG in
    box) capture run_as python3 "$data/outer.py" "$1" "$2" /usr/bin/confine run -p Enforcement=best-effort -- sh -c 'echo ran' ;;
    vm) capture run_as python3 "$data/outer.py" "$1" "$2" /usr/bin/confine run -- sh -c 'echo ran' ;;
    esac
}

# refused CALL ANSWER MESSAGE: nothing runs, and the message is this, whole.
refused() {
    outer "$1" "$2"
    is "$rc: $out" '125: ' "P5: nothing runs where $1 answers $2"
    is "$(messages)" "confine: $3" 'and the message says what is in the way'
}

step() {
    echo "step '$1' of the sandbox failed: $2: the kernel or a container around confine forbids it; see confine(1), DIAGNOSTICS [CreationError]"
}

outer mseal ENOSYS
is "$rc: $out" '0: ran' 'control: under a filter that takes nothing away it runs'

refused landlock_create_ruleset ENOSYS 'this kernel has no Landlock: boot Linux 6.2 or newer, built with CONFIG_SECURITY_LANDLOCK [CapabilityNotSupported]'
refused seccomp ENOSYS "$(step seccomp-outer 'Function not implemented')"
limits || {
    refused landlock_create_ruleset EOPNOTSUPP "Landlock is switched off on this machine: add landlock to 'lsm=' on the kernel command line and boot again [CapabilityNotSupported]"
    refused landlock_create_ruleset EPERM 'Landlock cannot be used here (Operation not permitted): the container or service that runs confine must allow the landlock_* system calls [CapabilityNotSupported]'
    refused landlock_add_rule ENOSYS "$(step ruleset 'Function not implemented')"
    refused landlock_restrict_self EPERM "$(step landlock 'Operation not permitted')"
    refused landlock_restrict_self ok "$(step landlock 'State not recoverable')"
    refused seccomp EPERM "$(step seccomp-outer 'Operation not permitted')"
    refused seccomp ok "$(step seccomp-check 'State not recoverable')"
    refused prctl ENOSYS "$(step no_new_privs 'Function not implemented')"
    refused prctl ok "$(step no_new_privs 'State not recoverable')"
    refused close_range ENOSYS "$(step descriptors 'Function not implemented')"
    refused close_range ok "$(step descriptors 'State not recoverable')"
    refused prlimit64 ok "$(step limits 'State not recoverable')"
    refused capset EPERM "$(step capabilities 'Operation not permitted')"
    refused clone3 ENOSYS 'cannot fork: Function not implemented [CreationError]'
    if [ "$MANAGER" = system ]; then
        for call in setgroups setresgid setresuid; do
            refused "$call" EPERM "$(step ids 'Operation not permitted')"
            refused "$call" ok "$(step ids 'State not recoverable')"
        done
        refused capset ok "$(step capabilities 'State not recoverable')"
    fi
    # A rule that is missing takes a right away.
    outer landlock_add_rule ok
    is "$rc: $out" '126: ' 'a rule that was not added is no right: the program cannot be executed'
}

assert_clean
done_testing
