#!/bin/sh
# SPDX-License-Identifier: MIT
# MemoryMax: reached, named each time, and nothing else than what it was.
# rung: vm
# managers: system user
# budget: 300
# shellcheck disable=SC2016 # what is in single quotes is for the program under test
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/limits.sh"

# check_oom WHAT: the end of a run that reached MemoryMax=64M.
check_oom() {
    is "$rc $(facts cause limit error signal exit_status)" \
        '137 limit MemoryMax ResourceLimitExceeded 9 -' "$1: named in status and JSON"
    like "$err" '^confine: MemoryMax=64M reached: [^:]*, peak 6[0-4]\.[0-9]M: .* \[ResourceLimitExceeded\]$' \
        "$1: named in one line on stderr"
}

# --- B06, B07 (with bookworm-backports the manager takes no PIDFDs, and the call is made again without), B10, B25: in a row, one at once after the other

ids=
for round in $(seq "$(loops 0 50)"); do
    # By turns the program itself, and a child of a child of one that would then have ended well.
    if [ $((round % 2)) -eq 0 ]; then
        confined --memory=64M --allow-run -- sh -c 'sh -c '\''perl -e "$1"; exit 0'\'' sh "$1"; exit 0' sh "$hog"
    else
        confined --memory=64M -- perl -e "$hog"
    fi
    got="$rc $out $(facts cause limit error signal oom_kills memory_peak_bytes id)"
    case $got in
    '137  limit MemoryMax ResourceLimitExceeded 9 '[1-9]*) ;;
    *) complain "round $round: $got" ;;
    esac
    case $err in
    'confine: MemoryMax=64M reached: '*', peak 6'[34].[0-9]'M: raise it with --memory= [ResourceLimitExceeded]') ;;
    *) complain "round $round: $err" ;;
    esac
    id=${got##* }
    got=${got% *}
    at_most "${got##* }" $((64 << 20)) || complain "round $round: peak ${got##* }"
    ids="$ids$id
"
done
journalctl --sync
is "$(journalctl --output=json CONFINE_ID="$id" | jq -r 'select(.SYSLOG_IDENTIFIER == "confine") | [.CONFINE_EVENT, .CONFINE_LIMIT] | join(" ")' | tr '\n' ,)" \
    'start ,limit MemoryMax,end MemoryMax,' 'S19: and recorded when it is reached'
none_wrong 'B25 B28 B06 B10: 50 runs of each manager, half of them by a grandchild, reach MemoryMax=64M in a row: named each time, peak within it, supervisor alive'

journal_ids() {
    journalctl --quiet --no-pager --output=json --output-fields=CONFINE_ID,CONFINE_CAUSE,CONFINE_ERROR,MESSAGE \
        CONFINE_EVENT=end CONFINE_LIMIT=MemoryMax "CONFINE_MANAGER=$MANAGER" |
        jq -r 'select(.CONFINE_CAUSE == "limit" and .CONFINE_ERROR == "ResourceLimitExceeded" and
            (.MESSAGE | contains("MemoryMax=64M reached"))) | .CONFINE_ID'
}

# All of the rounds, whatever else an earlier run of this test left in the journal.
in_journal() {
    [ "$(printf '%s' "$ids" | sort | comm -23 - "$captured/journal" | wc -l)" -eq 0 ]
}
wait_journal() {
    journal_ids | sort >"$captured/journal"
    in_journal
}
check 'each of them is in the journal, with cause, limit, error and text' wait_for 10 wait_journal
is "$(printf '%s' "$ids" | sort -u | wc -l)" "$(loops 0 50)" '... under an id of its own'
unit=$(facts unit)
like "$(run_as journalctl --quiet --no-pager "$manager_option" --output=cat -u "$unit")" \
    "^$unit: ended: limit, signal 9, .*: MemoryMax=64M reached: " 'journalctl -u shows it to the one who ran it'

confined --memory=64M -- true
is "$rc $err $(facts cause oom_kills)" '0  exit 0' 'B10: a run at once after an OOM is a run like any other'
confined --memory=512M -- perl -e "$hog"
is "$rc $err $(facts cause oom_kills)" '0  exit 0' 'control: with MemoryMax=512M the same program ends by itself'
within "$(facts memory_peak_bytes)" $((256 << 20)) $((512 << 20)) '... and its peak is what it took'

# --- B25: swap

if [ "$(swapon --noheadings --show=NAME | wc -l)" -eq 0 ]; then
    skip 'swap in the guest' 'B25: swap'
else
    too_much='$size = 96 << 20; $x = "x" x $size'
    confined --memory=64M -- perl -e "$too_much"
    check_oom 'B25: 96M on a host with swap'
    confined --memory=64M -p MemorySwapMax=512M -- perl -e "$too_much"
    is "$rc $err $(facts cause oom_kills)" '0  exit 0' 'control: with MemorySwapMax=512M the same program swaps and ends'
    at_most "$(facts memory_peak_bytes)" $((64 << 20)) || complain "$(facts memory_peak_bytes)"
    none_wrong '... within its 64M of memory'
    confined --memory=64M -p MemorySwapMax=16M -- perl -e "$too_much"
    check_oom 'B29: swap is a cap of its own: 64M and 16M are not enough for 96M'
fi

# --- B27: at the limit without being killed

python=$(command -v python3)
confined --memory=64M -- "$python" -c '
try:
    bytearray(1 << 40)
except MemoryError:
    print("caught")
    raise SystemExit(7)'
is "$rc $out $err $(facts cause exit_status limit oom_kills)" '7 caught  exit 7 - 0' 'B27: a program that catches MemoryError'
# With the older systemd of Debian 12 the kernel kills any scope that writes faster than an emulated disk: then it has to be named.
plain_scope() {
    run_as systemd-run --quiet "$manager_option" --scope -p MemoryMax=64M -p MemorySwapMax=0 -- "$@" 2>/dev/null
}
write="dd if=/dev/zero of=$disk/cache bs=1M count=128 status=none"
killed_plainly=no
# shellcheck disable=SC2086 # a command
! grep -q '^VERSION_CODENAME=bookworm' /etc/os-release || plain_scope $write || killed_plainly=yes
rm -f "$disk/cache"
# shellcheck disable=SC2086
confined --memory=64M "--allow-write=$disk" -- $write
if [ "$rc" -ne 0 ] && [ "$killed_plainly" = yes ]; then
    check_oom 'B27: a file of twice the limit, where a plain scope is killed, too'
else
    is "$rc $err $(facts cause exit_status limit oom_kills)" '0  exit 0 - 0' 'B27: a file of twice the limit, reclaimed'
    is "$(stat -c %s "$disk/cache")" $((128 << 20)) '... is written as a whole'
fi
rm -f "$disk/cache"

# --- B28: who is killed

confined --memory=64M --allow-run -- sh -c 'perl -e "$1"; echo went on; exit 0' sh "$hog"
check_oom 'B28: only a child takes it'
is "$out" '' 'B28: memory.oom.group: the parent does not go on'
confined --memory=64M --allow-run -- sh -c 'sh -c '\''perl -e "$1" & wait; exit 1'\'' sh "$1" & wait; exit 0' sh "$hog"
check_oom 'B28: a great-grandchild in the background takes it'
confined --memory=64M --allow-run -- sh -c 'setsid perl -e "$1" & sleep 1000' sh "$hog"
check_oom 'a child with a session of its own takes it'

# In the last moment of a run: the program ends when its child has taken so many M. Whoever came first, what is told is what
# the counter says, and the status that the program had already is not lost.
in_time='pipe my $r, my $w;
    if (!fork) { for (1 .. 200) { push @taken, "x" x (1 << 20); syswrite $w, "x" } sleep 1000 }
    close $w; for (1 .. $ARGV[0]) { sysread $r, my $x, 1 or last } exit 7'
killed=0
ended=0
rounds=$(loops 0 12)
for round in $(seq "$rounds"); do
    case $round in
    1) enough=1 ;;
    2) enough=100 ;;
    *) enough=$((48 + 16 * round / rounds)) ;;
    esac
    confined --memory=64M --allow-run -- perl -e "$in_time" "$enough"
    got="$rc $(facts cause limit error exit_status)"
    kills=$(facts oom_kills)
    case "$kills $got" in
    '0 7 exit - - 7') ended=$((ended + 1)) ;;
    [1-9]*' 137 limit MemoryMax ResourceLimitExceeded '[7-]) killed=$((killed + 1)) ;;
    *) complain "round $round, $enough M: $kills kills, $got, $err" ;;
    esac
done
none_wrong "S11: MemoryMax in the last moment of a run: named if and only if the kernel killed for it, $rounds times"
within "$killed" 1 $((rounds - 1)) "control: $killed were killed"
is "$((killed + ended))" "$rounds" '... the others ended by themselves'

# Twenty of 8M each: none is large, and none is larger than the others.
confined --memory=64M --allow-run -- perl -e '
    $size = 8 << 20;
    for (1 .. 20) {
        next if fork;
        $x = "x" x $size;
        sleep 1000;
    }
    sleep 1000'
check_oom 'many small processes together'

# Each smaller than the keeper, whom the kernel must not choose for that: it is the one who tells.
confined --memory=8M --tasks=512 --allow-run -- sh -c '
    i=0
    while [ $i -lt 500 ]; do
        sleep 1000 &
        i=$((i + 1))
    done
    wait'
is "$rc $(facts cause limit error)" '137 limit MemoryMax ResourceLimitExceeded' 'processes smaller than the keeper: named'
like "$err" '^confine: MemoryMax=8M reached: .*, peak [678]\.[0-9]M: ' '... with the figures'

# A caller who is himself the first to go. Root's keeper may make itself less so, a user's may not, and is killed in the
# program's place: what the program took is not its own memory but the kernel's.
echo 1000 >/proc/$$/oom_score_adj
for round in 1 2 3; do
    confined --memory=16M -- perl -e 'for (1 .. 400) { pipe my $r, my $w; push @ends, $r, $w; syswrite $w, "x" x 65536 } sleep 1000'
    got="$rc $(facts cause limit error)"
    [ "$got" = '137 limit MemoryMax ResourceLimitExceeded' ] || complain "round $round: $got $err"
    case $err in
    'confine: MemoryMax=16M reached: '*) ;;
    *) complain "round $round: $err" ;;
    esac
done
echo 0 >/proc/$$/oom_score_adj
none_wrong 'a caller with the highest oom_score_adj: named all the same'

# --- what is no OOM

confined --memory=64M -- sh -c 'kill -KILL $$'
is "$rc $err $(facts cause signal limit error oom_kills)" '137  signal 9 - - 0' 'a plain SIGKILL is no OOM'
confined --memory=64M -- sh -c 'exit 137'
is "$rc $err $(facts cause exit_status limit error)" '137  exit 137 - -' 'exit 137 is no OOM'

assert_clean
done_testing
