#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# suites: trixie bookworm-backports trixie-backports
# managers: system user
# vm-managers: user
# budget: 240
# What comes back from a run: its output, its exit status, its death by a signal, and the JSON that says which of them it was.
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; $run_words are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# --- output and exit status

capture confine run --allow-run -- sh -c 'printf "one\n\n  two\t\1\n"; echo problem >&2; exit 3'
printf 'one\n\n  two\t\1\n' >"$captured/wanted"
check 'stdout comes through byte by byte' cmp "$captured/wanted" "$captured/out"
is "$(printf '%s\n' "$err" | grep -v '^confine: ')" problem 'stderr comes through, apart from stdout'
is "$(messages)" '' 'a run that ends by itself makes confine say nothing'
is "$rc" 3 'the exit status is the one of the program'

for status in $(pick '0 1 3 124 125 126 127 130 137 143 255' '0 1 137 255'); do
    capture confine run --result="$tmp/result" -- sh -c "exit $status"
    is "$rc: $(result '"\(.event) \(.cause) \(.exit_status) \(.signal) \(.error) \(.limit)"')" \
        "$status: end exit $status null null null" "B42: exit status $status comes through, cause exit"
done
is "$(messages)" '' 'a status of its own makes confine say nothing'

# --- death by a signal

# Signals whose default is to end: 1-16, 24-27, 29-31 and the real-time ones. 25 is XFSZ, which confine has ignored.
signals=$(pick '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 24 25 26 27 29 30 31 34 64' '1 2 6 9 11 15')
capture run_as python3 "$data/deaths.py" "$bin/sigself" "$signals" $run_words
is "$rc" 0 'every signal was tried'
for signal in $signals; do
    is "$(printf '%s\n' "$out" | grep "^$signal ")" "$signal plain=$signal confine=$signal core=no signal $signal null null" \
        "B42: death by signal $signal: confine dies by it too, cause signal"
done
capture confine run --result="$tmp/result" -- "$bin/sigself" 15
is "$rc" 143 'a shell sees 128+n'
is "$(messages)" '' 'a death by signal is not commented on'

capture confine run -- "$bin/status" sig_ignored
is "$out" 0x1000000 'XFSZ is ignored in the program, nothing else'

# --- the JSON: one object, of the run's own facts

rm -f result
capture confine run --result="$tmp/result" -- true
is "$(jq -s length result)" 1 '--result=FILE: one object'
is "$(wc -l <result)" 1 'on one line'
is "$(result '[.exit_status, .uid, .landlock_abi, .duration_usec, .exec_denials, .network_denials, .killed_after_exit] | map(type) | unique | .[]')" \
    number 'figures are numbers'
like "$(result .unit)" '^confine-[0-9a-f]{32}\.scope$' 'the unit is named'
is "$(result '"confine-\(.id).scope" == .unit')" true 'the id is the one in the unit'
is "$(result .manager)" "$MANAGER" 'so is the manager'
like "$(result .policy_sha256)" '^[0-9a-f]{64}$' 'and the policy, by its hash'

seq 2000 >result
chown "$user:" result
capture confine run --result="$tmp/result" -- true
is "$(jq -s length result)" 1 'an older file is replaced as a whole'

# fd:N. The program must not get the descriptor.
capture run_as sh -c "exec $run_words --result=fd:7 -- $bin/fds 7>'$tmp/result'"
is "$rc" 0 '--result=fd:7'
is "$(result .cause)" exit 'the object is written to the descriptor'
is "$(printf '%s\n' "$out" | cut -d' ' -f1,2)" 'fd 0
fd 1
fd 2' 'which the program has not'
capture run_as sh -c "$run_words --result=fd:7 -- true 7>>'$tmp/result'; echo after >&7" 7>>"$tmp/result"
is "$rc" 0 'fd:N leaves the caller its descriptor'
is "$(sed -n 3p result)" after 'at the place where the object ends'

: >ran
chmod 0666 ran
for target in fd:9 "$tmp/missing/result"; do
    capture confine run --result="$target" --allow-write="$tmp/ran" -- sh -c "echo ran >$tmp/ran"
    is "$rc" 125 "--result=$target: refused"
    like "$(messages)" "^confine: --result='$target' .*\[ConfigurationError\]$" 'and named'
done
for target in '' $(pick 'fd: fd:x fd:-1 fd:4294967297' fd:x); do
    capture confine run --result="$target" --allow-write="$tmp/ran" -- sh -c "echo ran >$tmp/ran"
    is "$rc" 125 "--result='$target': refused"
    like "$(messages)" '\[ConfigurationError\]$' 'as what it is'
done
is "$(cat ran)" '' 'without a place for the result no program runs'

# A refused run has its JSON too: the cause is what tells it from a program that exits with 125.
for option in --memory=infinity --allow-read=/nonesuch --allow-write=/; do
    rm -f result
    capture confine run --result="$tmp/result" "$option" -- true
    is "$rc: $(result '"\(.cause) \(.error) \(.exit_status)"')" '125: refused ConfigurationError 125' "$option: refused, in the JSON too"
done

# --- 126 and 127, as a shell has them

echo 'not a program' >noexec
printf '\177ELFjunk' >badformat
printf '#!/nonesuch/interpreter\n' >lost
cp /bin/true own
chmod 0755 badformat lost own

# exec_case WANTED MESSAGE OPTIONS-AND-COMMAND...
exec_case() {
    wanted=$1
    text=$2
    shift 2
    rm -f result
    capture confine run --result="$tmp/result" "$@"
    is "$rc: $(result '"\(.cause) \(.exit_status) \(.signal)"')" "$wanted: exec $wanted null" "$*: $wanted, cause exec"
    like "$(messages)" "^confine: cannot execute '.*': $text" 'and the reason'
}

exec_case 126 'Permission denied' --allow-exec="$tmp" -- ./noexec
exec_case 126 'Is a directory' --allow-exec="$tmp" -- "$tmp"
exec_case 126 'Exec format error' --allow-exec="$tmp" -- ./badformat
exec_case 126 'Permission denied.*--allow-exec=' -- ./own
exec_case 126 'Permission denied.*--allow-exec=' --allow-read="$tmp" -- ./own
exec_case 127 'No such file' -- nosuch
exec_case 127 'No such file' -- ./nosuch
exec_case 127 'No such file' -- ''
exec_case 127 'No such file' --allow-exec="$tmp" -- ./lost

# The controls: it is confine's grant that decides about ./own, and 126 and 127 are what a shell makes of the others.
capture confine run --allow-exec="$tmp" -- ./own
is "$rc" 0 'control: ./own runs with --allow-exec='
capture run_as ./own
is "$rc" 0 'control: and unconfined'
for word in "126 ./noexec" "126 $tmp" "127 nosuch" "127 ./nosuch"; do
    capture run_as sh -c "${word#* }"
    is "$rc" "${word%% *}" "control: a shell has ${word%% *} for ${word#* }"
done

# A name that is there twice in PATH, first without the x bit.
mkdir bin1 bin2
echo x >bin1/tool
printf '#!/bin/sh\necho found "$0"\n' >bin2/tool
chmod 0755 bin2/tool
capture run_as env "PATH=$tmp/bin1:$tmp/bin2:/usr/bin" $run_words --allow-exec="$tmp" -- tool
is "$rc: $out" "0: found $tmp/bin2/tool" 'PATH is searched as execvp does: the executable one'
capture run_as env "PATH=$tmp/bin1" $run_words --allow-exec="$tmp" -- tool
is "$rc" 126 'one that is there and not executable is 126'

# What a path brings with it does not drive the terminal.
capture confine run -- "$(printf 'no\033]0;x\007such\nfile\302\233x')"
is "$rc" 127 'B56: a name with control characters'
is "$(grep -c . "$captured/err")" 1 'B56: is one line in the message'
check 'B56: without control characters' sh -c "! LC_ALL=C grep -q '[[:cntrl:]]' '$captured/err'"

assert_clean
done_testing
