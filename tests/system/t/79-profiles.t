#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: system user
# budget: 60
# P2 S7: the five policies that are shipped, each for what it is there for.
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; $uid is one word or none
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/home.sh"

trap 'rm -rf "$work"; at_exit' EXIT
run_as mkdir -p "$work"
cd "$work"

# policy NAME WORD...: a run under it, in the work tree, as a uid that may write there.
policy() {
    name=$1
    shift
    capture run_as confine run -q $uid -pEnforcement=best-effort --policy="$name" -- "$@"
}

# fails REGEX DESCRIPTION: the program of the last run did, for that reason.
fails() {
    is "$rc" 1 "$2"
    like "$err" "$1" '... for that reason'
}

digest() {
    capture run_as confine --dry-run --json -pEnforcement=best-effort $uid "$@"
    printf '%s' "$out" | python3 -c 'import json, sys; print(json.load(sys.stdin)["record"]["policy_sha256"])'
}
plain=$(digest -c 1)
is "$(digest --policy=python -c 1)" "$plain" 'python: is what the forms of Python have anyway'
policy python python3 -c 'import json; print(json.dumps([1]))'
is "$rc: $out" '0: [1]' 'python: runs'
policy python python3 -S -c 'open("made", "w")'
fails "^OSError: .*Read-only file system: 'made'" 'python: writes nowhere'
policy python python3 -S -c 'import os; os.fork()'
fails 'PermissionError: ' 'python: starts no process'
policy python python3 -S -c 'import socket; socket.create_connection(("127.0.0.1", 1))'
fails 'PermissionError: ' 'python: has no network'

printf '#include <stdio.h>\nint main(void) { puts("built"); }\n' >a.c
if command -v cc >/dev/null; then make_it='cc -o a a.c'; else make_it='cp /bin/echo a && chmod +x a'; fi
policy build sh -c "$make_it && ./a built"
is "$rc: $out" '0: built' 'build: what it makes in its tree it may execute'
policy agent sh -c "$make_it && ./a built"
like "$rc $err" '^126 ' 'build: control: an agent may not'
rm -f "$work/a"
policy build python3 -S -c 'import socket; socket.create_connection(("127.0.0.1", 1))'
like "$err" 'PermissionError' 'build: has no network'

policy fetch python3 -S -c 'import socket; socket.create_connection(("127.0.0.1", 1))'
like "$err" 'ConnectionRefusedError' 'fetch: has the network'
mkdir "$captured/served"
echo fetched >"$captured/served/file"
python3 -u -m http.server --directory "$captured/served" --bind 127.0.0.1 0 >"$captured/http" 2>&1 &
server=$!
is_serving() { grep -q 'port [0-9]' "$captured/http"; }
wait_for 20 is_serving || bail_out 'no server'
url=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$captured/http")/file
fetch='import sys, urllib.request; data = urllib.request.urlopen(sys.argv[1]).read(); open(sys.argv[2], "wb").write(data)'
policy fetch python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode(), end="")' "$url"
is "$rc: $out" '0: fetched' 'fetch: a file goes to its output'
policy agent python3 -c "$fetch" "$url" made
fails 'PermissionError: ' 'fetch: control: an agent fetches nothing'
policy fetch python3 -c "$fetch" "$url" made
fails "^OSError: .*Read-only file system: 'made'" 'fetch: and nowhere else'
capture run_as confine run -q $uid -pEnforcement=best-effort --policy=fetch --allow-write="$work" -- python3 -c "$fetch" "$url" made
is "$rc: $(cat "$work/made")" '0: fetched' 'fetch: but to a write grant'
rm -f "$work/made"
kill "$server"
wait "$server" 2>/dev/null || :
capture run_as confine --dry-run --policy=fetch run -- true
like "$out" '^RuntimeMaxSec +10min ' 'fetch: has ten minutes'
policy fetch sh -c 'ls; :'
like "$rc" '^[^0]' 'fetch: starts no process'
policy fetch sh -c 'echo x >made'
isnt "$rc" 0 'fetch: writes nowhere'

policy agent sh -c 'echo x >made && python3 -S -c "print(open(\"made\").read())"'
is "$rc: $out" '0: x' 'agent: Python and the shell, in its tree'
policy agent python3 -S -c 'import socket; socket.create_connection(("127.0.0.1", 1))'
like "$err" 'PermissionError' 'agent: has no network'

policy strict sh -c 'read -r line; echo $line; echo x >made'
isnt "$rc" 0 'strict: writes nowhere'
out=$(echo text | run_as confine run -q -pEnforcement=best-effort --policy=strict -- sed s/t/T/)
is "$out" Text 'strict: is a filter'
policy strict sh -c 'echo x >/tmp/made'
isnt "$rc" 0 'strict: not even scratch'
policy strict sh -c 'ls; :'
isnt "$rc" 0 'strict: starts no process'

assert_clean
done_testing
