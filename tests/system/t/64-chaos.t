#!/bin/sh
# SPDX-License-Identifier: MIT
# Chaos: runs whose supervisor, keeper and program are killed, stopped and frozen at random, many at a time, while the machine
# around them is disturbed. S10, S13: each ends in time, its status and its cause are true of what was done, nothing is left.
# rung: box vm
# managers: system user
# vm-managers: system
# suites: trixie
# budget: 400
set -eu
. "${0%/*}/../lib/lib.sh"

# The same rounds each time, but for a soak, which has to find what these do not; the time of each is the machine's own.
# In the VM the one that has what the container cannot do in its first five batches.
seed=${CONFINE_CHAOS_SEED:-$(pick 1 32)}
[ -n "${CONFINE_CHAOS_SEED:-}" ] || [ "${CONFINE_SOAK:-1}" -eq 1 ] || seed=$(date +%s)
rounds=$(loops 40 100)
diag "seed $seed, $rounds rounds; the same ones again with CONFINE_CHAOS_SEED=$seed"

set -- --seed="$seed" --rounds="$rounds" --manager="$MANAGER" --directory="$tmp"
! limits || set -- "$@" --vm
rc=0
python3 "$tests_dir/data/chaos.py" "$@" 2>"$captured/chaos" || rc=$?

told=$(grep -v '^done: ' "$captured/chaos" || :)
is "$told" '' "S10, S13: $rounds rounds: each run ends as it should, its record agrees, and nothing is left"
is "$rc" 0 '... and all of them were made'
# Otherwise the rounds were all too early or too late to say something.
reached=$(sed -n 's/^done: \([a-z]\)/\1/p' "$captured/chaos" | grep -v '^in \|^none' || :)
kinds=$(printf '%s\n' "$reached" | cut -d' ' -f1 | sort -u | wc -l)
is "$kinds" 19 "control: all kinds of injury were done: $(printf '%s' "$reached" | tr '\n' ',')"
within "$(printf '%s\n' "$reached" | awk '{ n += $NF } END { print n + 0 }')" "$((rounds / 3))" "$rounds" \
    '... in a third of the rounds at least'

assert_clean
done_testing
