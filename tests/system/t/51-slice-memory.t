#!/bin/sh
# SPDX-License-Identifier: MIT
# An OOM that the limit of a slice made is that slice's, one of the host is the host's, and neither is ever the run's own.
# rung: vm
# managers: system user
# budget: 240
# shellcheck disable=SC2016 # what is in single quotes is for the program under test
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/limits.sh"

slice_limit() {
    run_as systemctl "$manager_option" set-property --runtime confine.slice "MemoryMax=$1"
}

# While a run is there, because the last one takes the slice's cgroup with it.
slice_reads() {
    background --allow-run -- sh -c 'echo started; exec sleep 1000'
    slice_max=$(cat "$slice_dir/memory.max")
    stop
}

at_end 'slice_limit infinity; run_as systemctl "$manager_option" revert confine.slice'
slice_limit 96M
slice_reads
is "$slice_max" $((96 << 20)) 'the limit of the slice is in force'

for round in $(seq "$(loops 0 8)"); do
    confined --memory=512M -- perl -e "$hog"
    got="$rc $out $(facts cause limit error signal)"
    [ "$got" = '137  limit confine.slice MemoryMax ResourceLimitExceeded 9' ] || complain "round $round: $got"
    case $err in
    "confine: slice 'confine.slice' ran out of memory and the run was killed, peak "[89]*.[0-9]'M: not its own MemoryMax; '*) ;;
    *) complain "round $round: $err" ;;
    esac
    case $err in
    *'MemoryMax=512M reached'*) complain "round $round: named as its own" ;;
    esac
done
none_wrong 'an OOM by confine.slice MemoryMax=96M is named as the slice'"'"'s, 8 times in a row'
id=$(facts id)
check '... in the journal too' wait_for 10 recorded "$id" "slice 'confine.slice' ran out of memory"
unlike "$(journal CONFINE_EVENT=end "CONFINE_ID=$id")" 'MemoryMax=512M' '... and not as the run'"'"'s'

# What the slice counted before must not decide later: these are their own ends.
confined --memory=64M -- perl -e "$hog"
is "$rc $(facts cause limit)" '137 limit MemoryMax' 'a run that reaches its own limit below the slice'"'"'s'
like "$err" '^confine: MemoryMax=64M reached: ' '... says so'
confined --memory=64M -- sh -c 'kill -KILL $$'
is "$rc $err $(facts cause signal limit)" '137  signal 9 -' 'a plain SIGKILL after an OOM of the slice'
confined --memory=512M -- perl -e '$size = 64 << 20; $x = "x" x $size'
is "$rc $err $(facts cause)" '0  exit' 'a run that fits into both'

# Two that fit one by one, and not together: only one of them is the victim, and it is not its own doing.
confined --memory=90M --allow-run --timeout=60s -- sh -c '
    perl -e "$1" &
    wait' sh '$size = 64 << 20; $x = "x" x $size; print "held\n"'
is "$rc $out" '0 held' 'control: one of 64M fits'
# Sets $ends: status, cause and limit of the first run, and of the second.
run_two() {
    rm -f "$captured/first" "$tmp/first"
    alongside /usr/bin/confine run "--result=$tmp/first" --memory=90M -- perl -e '
        $size = 64 << 20; $x = "x" x $size; $| = 1; print "held\n"; sleep 1000' >"$captured/first" 2>&1
    first=$!
    check 'the first one holds its 64M' wait_for 30 grep -q held "$captured/first"
    confined --memory=90M -- perl -e '$size = 64 << 20; $x = "x" x $size'
    kill -TERM "$first" 2>/dev/null || :
    first_rc=0
    wait "$first" || first_rc=$?
    ends="$first_rc $(facts_of "$tmp/first" cause limit), $rc $(facts cause limit)"
}
run_two
# If the memory of the victim is not free in time, the kernel takes the other one too, rarely: then that has to be told truly of
# both, and the round is made again.
for _ in 1 2; do
    [ "$ends" = '137 limit confine.slice MemoryMax, 137 limit confine.slice MemoryMax' ] || break
    run_two
done
# The kernel takes the larger one, and they are equal: which, is its own matter.
case $ends in
'137 limit confine.slice MemoryMax, 0 exit -' | '143 signal -, 137 limit confine.slice MemoryMax') ;;
*) complain "$ends" ;;
esac
none_wrong 'two runs together reach the limit of the slice: one is killed for it, the other is not'

restore
slice_reads
is "$slice_max" max 'the slice has no limit any more'
confined --memory=512M -- perl -e "$hog"
is "$rc $err $(facts cause)" '0  exit' 'control: without it the same program ends by itself'

# --- an OOM that a slice had before is not that of a later run

at_end 'rm -f "$units/confine-inner.slice"; reload; run_as systemctl "$manager_option" stop confine-inner.slice'
slice confine-inner MemoryMax=64M
reload
inner=$slice_dir/confine-inner.slice
# ooms DIRECTORY: how often the limit of a slice was the cause.
ooms() {
    sed -n 's/^oom //p' "$1/memory.events.local"
}
alongside /usr/bin/confine run -q --slice=confine-inner -- sleep 1000
holder=$!
has_inner() { [ -d "$inner" ]; }
check 'a run keeps the cgroups of its slices' wait_for 30 has_inner
confined --slice=confine-inner -- perl -e "$hog"
is "$rc $(facts cause limit)" '137 limit confine-inner.slice MemoryMax' 'an OOM of an inner slice is named as that'
isnt "$(ooms "$inner")" 0 'control: which counts it'
before=$(ooms "$inner")
at_end 'slice_limit infinity'
slice_limit 40M
confined --slice=confine-inner -- perl -e "$hog"
is "$rc $(facts cause limit)" '137 limit confine.slice MemoryMax' 'a later one of an outer slice is not'
is "$(ooms "$inner")" "$before" 'control: the inner one counts no more than before'
isnt "$(ooms "$slice_dir")" 0 '... and the outer one does'
slice_limit infinity

# The kernel's own way to have the host run out of memory: it takes whom it likes best.
background --slice=confine-inner --allow-run -- sh -c 'echo started; exec sleep 1000'
echo 1000 >"/proc/$worker/oom_score_adj"
echo f >/proc/sysrq-trigger
finish
is "$rc $(facts cause limit error)" '137 limit host memory ResourceLimitExceeded' 'one of the host is named as that'
like "$err" "^confine: the host ran out of memory and the run was killed, peak [0-9.]+[KM]: not its own MemoryMax; .*'journalctl --dmesg --grep=oom-kill'" \
    '... in the message, with where to look'
like "$(journalctl --quiet --dmesg --grep=oom-kill)" 'global_oom,.*/confine-inner.slice/confine-[0-9a-f]+.scope/run,' '... where the kernel says so, too'
is "$(ooms "$inner")" "$before" 'control: its slice counts no more than before'
kill -TERM "$holder"
wait "$holder" || :

restore
assert_clean
done_testing
