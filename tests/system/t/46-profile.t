#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: system user
# budget: 90
# A seccomp profile of the user's own: P11 to P14. It is compiled at run time, and may not be less than a run needs or more than
# any may.
# shellcheck disable=SC2016 # scripts for inner shells
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# edit FILE JQ-FILTER: the shipped profile in one file, changed.
edit() {
    jq -s "{version: 1, groups: (map(.groups) | add)} | $2" /usr/share/confine/seccomp/*.json >"$1"
    chmod 0644 "$1"
}
own() {
    profile=$1
    shift
    rm -f result
    capture confine run --result="$tmp/result" -p SeccompProfile="$profile" "$@"
}
attempt='import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, *arguments):
    r = getattr(libc, name)(*arguments)
    print(name, "ok" if r >= 0 else os.strerror(ctypes.get_errno()))
'

# --- the shipped one as a file is what the shipped one is

edit same.json .
for option in '' --allow-run --allow-net; do
    # shellcheck disable=SC2086 # an option or nothing
    own same.json $option -- python3 -c "${attempt}import socket
attempt('mlock', 0, 0); attempt('ptrace', 16, 1, 0, 0); attempt('unshare', 0)
for call in os.fork, socket.socket:
    try: call() or os._exit(0)
    except PermissionError: pass
sys.exit(3)"
    same="$rc: $out: $(result '[.exec_denials, .process_denials, .network_denials, .inspect_denials, .denials] | map(tostring) | join(" ")')"
    # shellcheck disable=SC2086 # as above
    own shipped $option -- python3 -c "${attempt}import socket
attempt('mlock', 0, 0); attempt('ptrace', 16, 1, 0, 0); attempt('unshare', 0)
for call in os.fork, socket.socket:
    try: call() or os._exit(0)
    except PermissionError: pass
sys.exit(3)"
    is "$same" "$rc: $out: $(result '[.exec_denials, .process_denials, .network_denials, .inspect_denials, .denials] | map(tostring) | join(" ")')" \
        "a copy of the shipped profile denies and counts the same${option:+ with $option}"
    is "$rc" 3 'control: and the program ran'
done
is "$(result .seccomp_sha256)" null 'the shipped profile needs no hash'
own ./same.json -- true
is "$rc: $(result .seccomp_sha256)" "0: $(sha256sum same.json | cut -d' ' -f1)" "one's own has its hash in the record"

# --- more and less

edit less.json '(.groups[] | select(.name == "system-facts") | .calls) -= ["uname"]'
own less.json -- uname
is "$rc: $out" '1: ' 'what a profile leaves out is denied'
like "$err" 'Operation not permitted' 'EPERM'
own same.json -- uname
is "$rc: $out" '0: Linux' 'control: with the call it works'
edit more.json '.groups += [{name: "own", reason: "my test", calls: ["mlock"]}]'
own more.json -- python3 -c "${attempt}attempt('mlock', 0, 0)"
is "$rc: $out" '0: mlock ok' 'what it adds is allowed'
own same.json -- python3 -c "${attempt}attempt('mlock', 0, 0)"
is "$rc: $out" '0: mlock Operation not permitted' 'control: without it it is not'
edit counted.json '.groups += [{name: "own", reason: "my test", action: "notify", family: "inspect", calls: ["mlock"]}]'
own counted.json -- python3 -c "${attempt}attempt('mlock', 0, 0)"
is "$rc: $out: $(result '"\(.inspect_denials) \(.denials)"')" '0: mlock Operation not permitted: 1 mlock=1' 'what it notifies is denied and counted'

# Where there is no signal scope, and where somebody else has the listener.
capture run_as python3 "$data/filter.py" 444 EINVAL 2=0 1=24 -- /usr/bin/confine run -p Enforcement=best-effort -p SeccompProfile="$tmp/same.json" \
    -- sh -c 'kill -0 1 || kill -s USR1 $$'
is "$rc" 138 '"self" is put in: the own process can be signalled, another cannot'
capture run_as python3 "$data/listener.py" hold /usr/bin/confine run -p Enforcement=best-effort -p SeccompProfile="$tmp/same.json" -- sh -c 'exit 4'
is "$rc" 4 'it also does without a listener'

# --- refused

# refused MESSAGE WHAT: the last run.
refused() {
    is "$rc: $(result '"\(.cause) \(.error)"')" '125: refused ConfigurationError' "$2 is refused"
    like "$(messages)" "^confine: $1.*\\[ConfigurationError\\]\$" 'with place and reason'
}
edit floor.json '.groups += [{name: "own", reason: "r", calls: ["keyctl", {name: "ioctl", arguments: [{index: 1, in: ["TIOCSTI"]}]}]}]'
line=$(grep -n '"TIOCSTI"' floor.json | tail -n 1 | cut -d: -f1)
own floor.json -- true
refused "'$tmp/floor.json:[0-9]+': group 'own' admits more of 'keyctl' than a profile may: keyrings " 'P11: what no profile may admit'
like "$(messages)" "^confine: '$tmp/floor.json:[0-9]+': group 'own' admits more of 'ioctl' than a profile may: it types into the caller's terminal" \
    'all of it at once'
within "$(messages | sed -n "s/.*floor.json:\\([0-9]*\\)': group 'own' admits more of 'ioctl'.*/\\1/p")" $((line - 10)) "$line" 'by its line'
edit exec.json '.groups |= map(select(.name != "exec")) | .groups += [{name: "own", reason: "r", calls: ["execve", "execveat"]}]'
own exec.json -- true
refused "'$tmp/exec.json:[0-9]+': group 'own' admits more of 'execve' than a profile may: Subprocess=deny would not hold" 'exec without its grant'
own exec.json --allow-run -- true
refused "'$tmp/exec.json:[0-9]+': group 'own', contradicts another entry for 'execve'" 'a call with two meanings'
edit launch.json '(.groups[] | select(.name == "descriptors") | .calls) -= ["write"]'
own launch.json -- true
refused "'$tmp/launch.json' does not admit 'write' with any arguments, by which the launch reports" 'P14: what the launch needs'
printf '{"version": 1,\n"groups": [\n{"name": "a", "reason": "r", "calls": ["no_such_call"]},]}\n' >bad.json
own bad.json -- true
refused "'$tmp/bad.json:3': not valid JSON" 'what is no JSON'
printf '{"version": 1,\n"groups": [\n{"name": "a", "reason": "r", "calls": [\n"no_such_call"]}]}\n' >bad.json
own bad.json -- true
refused "'$tmp/bad.json:4': group 'a', unknown system call 'no_such_call'" 'a call that does not exist'
own missing.json -- true
refused "SeccompProfile= '$tmp/missing.json' cannot be read: No such file" 'a missing file'
mkfifo fifo
own fifo -- true
refused "SeccompProfile= '$tmp/fifo' cannot be read: " 'a pipe'
own . -- true
refused "SeccompProfile= '$tmp' cannot be read: " 'a directory'
mkdir job && chmod 0777 job && cp same.json job/
own job/same.json --allow-write="$tmp/job" -- true
refused "AllowWrite= '$tmp/job' reaches '$tmp/job/same.json', which is " 'one that the program could change'
own same.json --allow-write="$tmp/job" -- true
is "$rc" 0 'control: beside it it may write'

assert_clean
done_testing
