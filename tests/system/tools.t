#!/bin/sh
# SPDX-License-Identifier: MIT
# The tools `box` and `vm` themselves: what goes in and comes out by their verbs. tools.t [box|vm]..., for prove on the host, as
# root: without arguments box. A guest that is not up is started and stopped again.
# shellcheck disable=SC2016,SC2317 # scripts for inner shells; functions that check calls
set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/lib/host-test.sh"

# is GOT WANTED DESCRIPTION
is() {
    n=$((n + 1))
    if [ "$1" = "$2" ]; then
        echo "ok $n - $tool: $3"
    else
        echo "not ok $n - $tool: $3"
        printf '     got: %s\n  wanted: %s\n' "$1" "$2" | sed 's/^/# /'
        sed 's/^/# stderr: /' "$tmp/err"
        failed=1
    fi
}

# tool VERB...: sets $rc and $out, with the newlines at the end; what is on stdin goes in.
tool() {
    rc=0
    timeout --foreground 60 "$here/$tool" "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
    out=$(cat "$tmp/out" && echo x)
    out=${out%x}
}

down() {
    tool status </dev/null
    is "$rc $out" '3 not running
' 'status tells that it is down'
    tool exec -- true </dev/null
    is "$rc $(cat "$tmp/err")" "1 $tool: not running; start it with: $here/$tool start" 'exec needs it up'
}

streams() {
    tool exec -- sh -c 'echo out; echo err >&2; exit 7' </dev/null
    is "$rc $out$(cat "$tmp/err")" '7 out
err' 'exec: status, stdout and stderr come through'
    for status in 0 1 126 255; do
        tool exec -- sh -c "exit $status" </dev/null
        is "$rc" "$status" "exec: status $status"
    done
    tool exec -- sh -c 'kill -TERM $$' </dev/null
    is "$rc" 143 'exec: a death by signal is 128 and its number'
    tool exec -- /nonexistent </dev/null
    is "$rc" 127 'exec: a command that is not there'
    head -c 1048576 /dev/urandom >"$tmp/random"
    tool exec -- cat <"$tmp/random"
    is "$(sha256sum <"$tmp/out")" "$(sha256sum <"$tmp/random")" 'exec: 1 MiB of any bytes goes in by stdin and comes out as it was'
    tool exec -- printf '<%s>' 'a b' "it's" '' '*' '$HOME' 'two
lines' '-n' </dev/null
    is "$rc $out" "0 <a b><it's><><*><\$HOME><two
lines><-n>" 'exec: words are words, and no shell is in between'
    tool exec -- sh -c 'test -t 0 || echo none' </dev/null
    is "$rc $out" '0 none
' 'exec: no terminal'
    tool exec -t -- sh -c 'test -t 0 && test -t 1 && echo terminal' </dev/null
    is "$rc $(printf %s "$out" | tr -d '\r')" '0 terminal' 'exec -t: a terminal'
}

users() {
    tool exec -- id -un </dev/null
    is "$rc $out" '0 root
' 'exec: as root'
    tool exec --user=alice -- sh -c 'id -un; echo "$HOME"; systemctl --user show --value --property=Version >/dev/null && echo manager' </dev/null
    is "$rc $out" '0 alice
/home/alice
manager
' 'exec --user: as that user, who has a manager'
}

other_verbs() {
    tool status </dev/null
    is "$rc $(printf %s "$out" | sed 's/pid [0-9]*$/pid N/')" "0 running: ${CONFINE_SUITE:-trixie}, pid N" 'status tells that it is up'
    tool start </dev/null
    is "$rc $(cat "$tmp/err")" "0 $tool: already running" 'start once more changes nothing'
    echo 'echo "in $((6 * 7))"; id -un; exit 9' >"$tmp/script"
    tool shell --user=alice <"$tmp/script"
    is "$rc $(printf %s "$out" | tr -d '\r' | grep -cx -e 'in 42' -e alice)" '9 2' 'shell: a shell on a terminal, and its status'
    tool run -- sh -c 'cat; exit 5' <"$tmp/script"
    is "$rc $out$(cat "$tmp/err")" "5 $(cat "$tmp/script")
$tool: already running, it stays so" 'run: in one that is up, which stays so'
    tool push "$tmp/random" /var/tmp </dev/null
    mkdir -p "$tmp/back"
    tool pull /var/tmp/random "$tmp/back" </dev/null
    is "$(sha256sum <"$tmp/back/random")" "$(sha256sum <"$tmp/random")" 'push and pull: a file there and back'
    tool exec -- rm /var/tmp/random </dev/null
    is "$rc" 0 'which was there'
}

# The connections are open by now.
quick() {
    fastest=100000
    for _ in 1 2 3; do
        begin=$(date +%s%3N)
        tool exec -- true </dev/null
        took=$(($(date +%s%3N) - begin))
        [ "$took" -ge "$fastest" ] || fastest=$took
    done
    is "$((fastest < 3000))" 1 "exec of true answers in under 3 s: $fastest ms"
}

for tool in "${@:-box}"; do
    if ! "$here/$tool" status >/dev/null; then
        down
        "$here/$tool" start >&2
        started="$started $tool"
    fi
    streams
    users
    other_verbs
    quick
done
done_testing
