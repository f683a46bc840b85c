#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: system user
# budget: 60
# Machines without Landlock, and kernels that say more than they have: P5, B83. A filter in front of confine plays them.
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

create_ruleset=444
restrict_self=446

# under FILTER... -- OPTIONS...: confine run under data/filter.py.
under() {
    words=
    while [ "$1" != -- ]; do
        words="$words $1"
        shift
    done
    shift
    rm -f result
    # shellcheck disable=SC2086 # words
    capture run_as python3 "$data/filter.py" $words -- $run_words --result="$tmp/result" "$@"
}

under 9999 EPERM -- -- sh -c 'exit 4'
is "$rc" 4 'control: under a filter that answers nothing confine runs'
abi=$(result .landlock_abi)
within "$abi" 6 100 'control: the kernel of this test has signal scopes'

# refused WHAT MESSAGE: the last run.
refused() {
    is "$rc: $(result '"\(.cause) \(.error)"')" '125: refused CapabilityNotSupported' "P5 B83: $1: no run"
    like "$(messages)" "^confine: $2.*\\[CapabilityNotSupported\\]\$" 'B83: and the message tells which'
}

under $create_ruleset ENOSYS -- -- true
refused 'not built in' 'this kernel has no Landlock: '
under $create_ruleset EOPNOTSUPP -- -- true
refused 'switched off' 'Landlock is switched off on this machine: add landlock to '
under $create_ruleset EPERM -- -- true
refused 'forbidden' 'Landlock cannot be used here \(Operation not permitted\): '

# The version is asked for with flags 1, a ruleset made with 0; that of ABI 6 has 24 bytes, that of ABI 4 16.
under $create_ruleset EINVAL 2=0 -- -- true
refused 'a kernel that takes nothing' "the Landlock of this kernel says ABI $abi, but refuses even what ABI 3 has: "
under $create_ruleset EINVAL 2=0 1=24 -- -v -- sh -c 'exit 4'
is "$rc: $(result .landlock_abi)" '4: 5' 'B83: a kernel that takes less than it says gets less'
like "$(messages)" "^confine: the Landlock of this kernel says ABI $abi, but takes what ABI 5 has and no more" 'which -v tells'
under $create_ruleset E2BIG 2=0 1=24 -- -- sh -c 'kill -0 1'
is "$rc" 1 'then seccomp stands in for the signal scope'
like "$err" 'Operation not permitted' 'with EPERM'
capture sh -c 'kill -0 1'
is "$rc" 0 'control: unconfined root may'
under $create_ruleset EINVAL 2=0 1=24 -- -- cat /etc/machine-id
is "$rc: $out" '1: ' 'files are closed as ever'
under $create_ruleset EPERM 2=0 -- -- true
is "$rc: $(result '"\(.cause) \(.error)"')" '125: error CreationError' 'another error is no reason to try less'
like "$(messages)" '^confine: cannot make a Landlock ruleset: Operation not permitted' 'and named'

# Flags of landlock_restrict_self(2) only say what is logged: of root's runs the worker's own denial, of others nothing.
flags=4
[ "$user" = root ] || flags=5
under $restrict_self EINVAL 1=$flags -- -- cat /etc/machine-id
is "$rc: $out" '1: ' 'a kernel that lacks them is asked without'
under $restrict_self EINVAL -- -- true
is "$rc: $(result '"\(.cause) \(.error)"')" '125: error CreationError' 'one that does not restrict gets no run'
like "$(messages)" "^confine: step 'landlock' of the sandbox failed: Invalid argument" 'and the step is named'

assert_clean
done_testing
