#!/bin/sh
# SPDX-License-Identifier: MIT
# What is in force while a program runs, as seen from outside: the scope's cgroup, its two halves, the unit's properties.
# And what is not to be seen there: the command (B22).
# rung: vm
# managers: system user
# budget: 240
# shellcheck disable=SC2016 # what is in single quotes is for the program under test
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/limits.sh"

# reads FILE WANTED: of the scope's cgroup.
reads() {
    is "$(cat "$scope/$1")" "$2" "$1 is '$2'"
}

# parent_of PID
parent_of() {
    sed -n 's/^PPid:[[:space:]]*//p' "/proc/$1/status"
}

# A word that is nowhere else, for the arguments, the environment and the policy.
marker=zq$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')
mkdir "$disk/$marker-grant"
chmod 0755 "$disk/$marker-grant"

background --memory=96M -p MemorySwapMax=16M --tasks=40 --cpu=30% --timeout=100s -p TimeoutStopSec=7s --allow-run \
    "--allow-read=$disk/$marker-grant" -E "MARKER=$marker-value" -- \
    sh -c 'echo started; exec sleep 1000' "$marker-argument"

reads memory.max $((96 << 20))
reads memory.swap.max $((16 << 20))
reads cpu.max '30000 100000'
# One more than asked for: the keeper.
reads pids.max 41
reads run/pids.max 40
reads run/memory.oom.group 1
reads memory.oom.group 0
for file in memory.max memory.swap.max pids.max cpu.max; do
    [ "$(cat "$scope/keeper/$file")" = "$(cat "$scope/../$file")" ] || complain "keeper/$file: $(cat "$scope/keeper/$file")"
done
none_wrong 'the keeper itself has no limit but those of the scope'

is "$(cat "$scope/cgroup.procs") $(wc -l <"$scope/run/cgroup.procs") $(wc -l <"$scope/keeper/cgroup.procs")" ' 1 1' \
    'one process in the leaf "run", one in "keeper", none beside them'
is "$(cat "/proc/$keeper/comm") $(cat "/proc/$worker/comm")" 'confine-keeper sleep' '... the keeper and the program'
is "$(parent_of "$keeper") $(parent_of "$worker")" "$pid $pid" '... both children of the supervisor'
unlike "$(cat "/proc/$pid/cgroup")" 'confine' 'B06: the supervisor is in no cgroup of confine'
at_least "$(cat "/proc/$keeper/oom_score_adj")" 0 || complain "keeper: $(cat "/proc/$keeper/oom_score_adj")"
at_least "$(cat "/proc/$worker/oom_score_adj")" $(($(cat "/proc/$keeper/oom_score_adj") + 1)) ||
    complain "worker: $(cat "/proc/$worker/oom_score_adj")"
none_wrong 'the program is chosen before the keeper when memory ends, and neither is exempt'

show() {
    run_as systemctl "$manager_option" show "$@"
}

show --property=Slice,CollectMode,OOMPolicy,Delegate,DelegateControllers,RuntimeMaxUSec,TimeoutStopUSec,MemoryMax,MemorySwapMax \
    --property=TasksMax,CPUQuotaPerSecUSec,Transient,Description,ActiveState,DropInPaths "$unit" >"$captured/unit"
unit_says() {
    grep -qxF -e "$1" "$captured/unit" || complain "no '$1'"
}
# B08: in a slice of its own, so what oomd kills there is none of the caller's, nor the other way round.
unit_says 'Slice=confine.slice'
unit_says 'CollectMode=inactive-or-failed'
# B07: left out where systemd does not know it for scopes, as `confine doctor` says; then this is its default.
unit_says 'OOMPolicy=continue'
unit_says 'Delegate=yes'
unit_says 'DelegateControllers=cpu memory pids'
# 100 s + 7 s + 2 s: later than confine's own.
unit_says 'RuntimeMaxUSec=1min 49s'
unit_says 'TimeoutStopUSec=7s'
unit_says "MemoryMax=$((96 << 20))"
unit_says "MemorySwapMax=$((16 << 20))"
unit_says 'TasksMax=41'
unit_says 'CPUQuotaPerSecUSec=300ms'
unit_says 'Transient=yes'
unit_says "Description=$unit"
unit_says 'ActiveState=active'
none_wrong 'the properties of the unit'

# --- B22

id=${unit#confine-}
id=${id%.scope}
show "$unit" >"$captured/show"
run_as systemctl "$manager_option" cat "$unit" >"$captured/cat" 2>&1
find /run/systemd/transient /run/user/1000/systemd/transient -name "$unit*" -exec cat {} + >"$captured/files" 2>&1 || :
is "$(grep -l "$marker" "$captured/show" "$captured/cat" "$captured/files")" '' 'B22: nothing of the command in the properties of the unit'
isnt "$(grep -c "$unit" "$captured/show")" 0 '... control: they were read'
start_recorded() {
    [ -n "$(journal CONFINE_EVENT=start "CONFINE_ID=$id")" ]
}
check '... control: the start is in the journal' wait_for 10 start_recorded
stop
is "$rc $(facts cause signal)" '143 signal 15' '... and the run ends'
check '... and so is the end' wait_for 10 recorded "$id" ': ended: '
is "$(journalctl --quiet --no-pager --boot --output=export | grep -c -e "$marker")" 0 'B22: nothing of the command in the journal'
is "$(grep -c -e "$marker" "$tmp/result")" 0 '... and in the result'
confined -p AuditArguments=full -- sh -c 'exit 0' "$marker-full"
check 'control: with AuditArguments=full the command is in the journal' wait_for 10 \
    sh -c 'journalctl --quiet --boot --output=export CONFINE_EVENT=end | grep -q -e "$1-full"' sh "$marker"
is "$(journalctl --quiet --no-pager --boot --output=export "_PID=1" | grep -c -e "$marker")" 0 '... and in no message of systemd'

# --- the shipped limits

background --allow-run -- sh -c 'echo started; exec sleep 1000'
reads memory.max $((1 << 30))
reads memory.swap.max 0
reads memory.swap.current 0
reads cpu.max '100000 100000'
reads pids.max 257
# 300 s + 5 s + 2 s
is "$(show --property=RuntimeMaxUSec --property=TimeoutStopUSec "$unit" | sort | tr '\n' ' ')" \
    'RuntimeMaxUSec=5min 7s TimeoutStopUSec=5s ' 'the deadline and the grace'
stop

# --- B37: LimitCORE=0: neither a file nor the program of a core_pattern that is a pipe gets the memory of the run

at_end "echo '$(cat /proc/sys/kernel/core_pattern)' >/proc/sys/kernel/core_pattern; rm -f /run/take-core /run/cores*"
cat >/run/take-core <<'END'
#!/bin/sh
cat >"/run/cores.$1"
echo "$1" >>/run/cores
END
chmod 0755 /run/take-core
echo '|/run/take-core %e' >/proc/sys/kernel/core_pattern
confined -- "$bin/sigself" 11
is "$rc $(facts cause signal)" '139 signal 11' 'B37: a program that crashes'
cp "$bin/sigself" "$disk/unconfined"
capture run_as sh -c "ulimit -c 0; exec $disk/unconfined 11"
is "$rc" 139 'control: another one, with a limit of 0'
check 'control: has its memory taken' wait_for 20 grep -qx unconfined /run/cores
is "$(grep -vx unconfined /run/cores)" '' 'B37: which the confined one before it has not'

# Under a hard limit of 0 only root may have what keeps the pipe from being opened. The same once more with another word, since
# the registers go there.
crash='$x{$_} = join("", $_, "secret") x 9 for "zq", "yy"; kill "SEGV", $$'
under_zero() { capture run_as sh -c 'ulimit -c 0; exec "$@"' sh "$@"; }
cp -L "$(command -v perl)" "$disk/plainperl"
under_zero "$disk/plainperl" -e "$crash"
is "$rc" 139 'control: a program that crashes under a hard limit of 0'
check 'control: ...' wait_for 20 grep -qx plainperl /run/cores
isnt "$(grep -c zqsecret /run/cores.plainperl)" 0 'control: has its memory taken'
rm -f "$tmp/result"
under_zero /usr/bin/confine run "--result=$tmp/result" -- perl -e "$crash"
is "$rc $(facts cause signal)" '139 signal 11' 'B37: a confined one does, too'
if [ "$MANAGER" = system ]; then
    under_zero "$disk/unconfined" 11
    taken_again() { [ "$(grep -cx unconfined /run/cores)" = 2 ]; }
    check 'control: of one after it something is taken' wait_for 20 taken_again
    is "$(grep -x perl /run/cores)" '' 'B37: nothing is taken of it'
else
    check 'its registers are taken' wait_for 20 grep -qx perl /run/cores
    is "$(grep -c zqsecret /run/cores.perl)" 0 'B37: and its memory is not'
    under_zero /usr/bin/confine doctor
    like "$out" 'core_pattern.*gets the registers of a run that crashes, but not its memory: /run/take-core' 'which doctor says'
fi
restore
assert_clean
done_testing
