#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# managers: system user
# budget: 240
# A container manager above confine may hold the one seccomp listener that there can be (EBUSY). P5: strict refuses that by
# name; best-effort lets a tracer stand in for it, and says so.
set -eu
. "${0%/*}/../lib/lib.sh"
data=$tests_dir/data

under_listener() {
    capture run_as python3 "$data/listener.py" hold confine run "$@"
}

# One that decides execve: without ours being asked.
under_decider() {
    capture run_as python3 "$data/listener.py" decide confine run -p Enforcement=best-effort "$@"
}

capture run_as python3 "$data/listener.py" hold sh -c 'exec true'
is "$rc" 0 'control: a program runs under a filter with a listener'

if [ "$CONFINE_RUNG" = vm ]; then
    under_listener -- sh -c 'echo ran'
    is "$rc: $out" '125: ' 'P5: strict does not start the program without its own listener'
    like "$err" 'a seccomp listener is in use above this process.*\[CapabilityNotSupported\]' 'and says what is in the way'
fi

for _ in $(seq "$(loops 20 5)"); do
    under_listener -p Enforcement=best-effort -- sh -c 'echo ran; exit 4'
    is "$rc: $out" '4: ran' "B65: best-effort lets the run's own execve through"
done
like "$(cat "$captured/err")" 'a seccomp listener is in use above this process, so denied calls are not counted' 'and says what is missing'

under_listener -p Enforcement=best-effort -- sh -c 'exec true'
is "$rc" 126 'a second execve is refused all the same'
under_listener -p Enforcement=best-effort --allow-run -- sh -c '/bin/true && exec echo ran'
is "$rc: $out" '0: ran' 'with --allow-run programs can be started'
under_listener -p Enforcement=best-effort -- python3 -c 'import socket; socket.socket()'
is "$rc" 1 'the network is denied without a listener as well'
like "$err" 'PermissionError' 'with EPERM'
under_listener -p Enforcement=best-effort -- "$bin/sigself" 15
is "$rc" 143 'a death by signal comes through'
under_listener -p Enforcement=best-effort --timeout=1s -- sleep 60
is "$rc" 124 'the deadline holds'

capture run_as python3 "$data/listener.py" decide sh -c 'exec sh -c "exit 5"'
is "$rc" 5 'control: a listener that decides execve lets a second one go on'
under_decider -- sh -c 'echo ran'
is "$rc: $out" '125: ' 'P5: best-effort does not start a program whose second execve it could not stop'
like "$err" 'a seccomp listener above this process .* decides execve itself, .*--allow-run \[CapabilityNotSupported\]$' 'and says what it could'
under_decider --allow-run -- sh -c 'exec sh -c "exit 6"'
is "$rc" 6 'with --allow-run there is nothing to stop'

assert_clean
done_testing
