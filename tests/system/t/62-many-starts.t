#!/bin/sh
# SPDX-License-Identifier: MIT
# Fifty starts at once all succeed (B16), and each has its own limits (B32).
# rung: vm
# managers: system user
# budget: 240
# shellcheck disable=SC2016 # what is in single quotes is for the program under test
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/limits.sh"

units() {
    run_as systemctl "$manager_option" list-units --all --plain --no-legend | wc -l
}

capture confine run -- true
wait_for 5 no_scope || :
before=$(units)
# A user manager has a bus of its own, and fewer of these share it.
if [ "$MANAGER" = system ]; then
    n=$(loops 0 50)
else
    n=$(loops 0 12)
fi

pids=
for i in $(seq "$n"); do
    run_as /usr/bin/confine run "--result=$tmp/result.$i" --memory=$((63 + i))M -- sh -c 'echo "$1"; exit 3' sh "out $i" \
        >"$captured/out.$i" 2>"$captured/err.$i" &
    pids="$pids $!"
done
i=0
ids=
for pid in $pids; do
    i=$((i + 1))
    rc=0
    wait "$pid" || rc=$?
    [ "$rc $(cat "$captured/out.$i") $(cat "$captured/err.$i")" = "3 out $i " ] ||
        complain "run $i: $rc $(cat "$captured/out.$i" "$captured/err.$i")"
    ids="$ids$(sed -n 's/.*"id":"\([^"]*\)".*/\1/p' "$tmp/result.$i")
"
done
pid=
none_wrong "$n runs started at once: each has its status and its output, and none says anything"
is "$(printf '%s' "$ids" | sort -u | grep -c .)" "$n" '... and an id of its own'
is "$(cat "$tmp"/result.* | jq -r 'select(.cause == "exit") | .policy_sha256' | sort -u | wc -l)" "$n" \
    '... and a policy of its own'
check '... and no scope is left' wait_for 10 no_scope
as_before() {
    [ "$(units)" -eq "$before" ]
}
check "... and systemd has as many units as before" wait_for 5 as_before

# B32: 300M each, under 512M each.
big='$size = 300 << 20; $x = "x" x $size; exit 3'
pids=
for i in 1 2; do
    run_as /usr/bin/confine run --memory=512M -- perl -e "$big" >"$captured/err.$i" 2>&1 &
    pids="$pids $!"
done
for pid in $pids; do
    rc=0
    wait "$pid" || rc=$?
    [ "$rc" -eq 3 ] || complain "status $rc"
done
pid=
is "$wrong$(cat "$captured/err.1" "$captured/err.2")" '' 'B32: two runs of 300M each under MemoryMax=512M each'
wrong=
confined --memory=256M -- perl -e "$big"
is "$rc $(facts cause limit)" '137 limit MemoryMax' 'B32: control: one under 256M is killed'
confined --memory=512M -- perl -e "$big"
is "$rc $err $(facts cause)" '3  exit' 'B32: ... and one with 512M after it is not'

assert_clean
done_testing
