#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# phases: journal
# managers: system user
# vm-managers: system
# budget: 240
# The record: a start and an end event for each run, found by its unit, that nobody forges; and no run without it.
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; $run_words are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# entries: what confine recorded about the last run, one JSON object a line, as its user finds it by the unit.
entries() {
    journalctl --sync
    run_as journalctl "$manager_option" --unit="$(result .unit)" --output=json --all |
        jq -c 'select(.SYSLOG_IDENTIFIER == "confine")'
}

# field EVENT FILTER: of that event.
field() {
    jq -r "select(.CONFINE_EVENT == \"$1\") | $2" "$captured/entries"
}

# recorded OPTIONS-AND-COMMAND...: a run, and its entries into $captured/entries.
recorded() {
    rm -f result
    capture confine run --result="$tmp/result" "$@"
    entries >"$captured/entries"
}

# --- the two events

recorded -- sh -c 'exit 3'
is "$(jq -r '.CONFINE_EVENT' "$captured/entries" | tr '\n' ' ')" 'start end ' "journalctl $manager_option -u <scope> shows a start and an end"
is "$(field start .MESSAGE_ID)" 41b63d7f354140f48dcab0574a8b361d 'the start has its MESSAGE_ID'
is "$(field end .MESSAGE_ID)" 743415a3d5254f2baf0aeac9791fd846 'so has the end'
unit=$(result .unit)
is "$(field start .MESSAGE)" "$unit: started for uid $(result .uid), $MANAGER manager" 'MESSAGE says the essentials of the start'
like "$(field end .MESSAGE)" "^$unit: ended: exit, status 3, [0-9]+\.[0-9]{3}s$" 'and of the end'
# Where a limit is missing it claims less.
tier=process
! limits || tier=container
for event in start end; do
    is "$(field $event '[.PRIORITY, .SYSLOG_IDENTIFIER, ._COMM, ._EXE, ._TRANSPORT] | join(" ")')" \
        '6 confine confine /usr/bin/confine journal' "$event: sent by confine itself"
    is "$(field $event ._UID)" "$(id -u "$user")" "$event: as its caller"
    is "$(field $event '[.CONFINE_ID, .CONFINE_UNIT, .CONFINE_MANAGER, .CONFINE_KERNEL, .CONFINE_ISOLATION] | join(" ")')" \
        "$(result .id) $unit $MANAGER $(uname -r) $tier" "$event: what ran where"
    is "$(field $event '[.CONFINE_UID, .CONFINE_LANDLOCK_ABI, .CONFINE_POLICY_SHA256, .CONFINE_COMMAND_SHA256] | join(" ")')" \
        "$(result '[.uid, .landlock_abi, .policy_sha256, .command_sha256] | map(tostring) | join(" ")')" "$event: by which policy"
done
case $MANAGER in
system) within "$(field end .CONFINE_UID)" 60578 61183 'the uid is one of the range' ;;
user) is "$(field end .CONFINE_UID)" 1000 'the uid is the one of the user' ;;
esac
is "$(field end '[.CONFINE_CAUSE, .CONFINE_EXIT_STATUS, .CONFINE_EXEC_DENIALS, .CONFINE_NETWORK_DENIALS, .CONFINE_KILLED_AFTER_EXIT] | join(" ")')" \
    'exit 3 0 0 0' 'the end: how'
within "$(field end .CONFINE_DURATION_USEC)" 1 20000000 'and how long'
within "$(field end .CONFINE_CPU_USEC)" 1 20000000 'with how much CPU time'
if limits; then
    within "$(field end .CONFINE_MEMORY_PEAK_BYTES)" 4096 67108864 'how much memory'
    within "$(field end .CONFINE_TASKS_PEAK)" 1 2 'and how many tasks'
fi
is "$(field end '. | with_entries(select(.key | startswith("CONFINE_"))) | with_entries(.key |= (ltrimstr("CONFINE_") | ascii_downcase))' | jq -cS .)" \
    "$(result 'map_values(tostring)' | jq -cS .)" 'the JSON and the end record are the same facts'

recorded -- "$bin/sigself" 15
is "$(field end '[.CONFINE_CAUSE, .CONFINE_SIGNAL, .CONFINE_EXIT_STATUS] | tostring')" '["signal","15",null]' 'a death by signal'
like "$(field end .MESSAGE)" ': ended: signal, signal 15, ' 'is in the message, too'
recorded --timeout=500ms -- sleep 100
is "$(field end '[.CONFINE_CAUSE, .CONFINE_LIMIT, .CONFINE_ERROR] | tostring')" '["timeout","RuntimeMaxSec","ExecutionTimeout"]' 'a deadline'
like "$(field end .MESSAGE)" ': ended: timeout, .*: RuntimeMaxSec=500ms reached' 'with the limit and its figure'
is "$(jq -r '.CONFINE_EVENT' "$captured/entries" | tr '\n' ' ')" 'start limit end ' 'it is recorded when it is reached, too'
is "$(field limit '[.CONFINE_LIMIT, .MESSAGE_ID, .CONFINE_ID] | join(" ")')" "RuntimeMaxSec 6f260232d74f42ff9daacbe0e1c87efa $(result .id)" 'as what it is'
# It has to be so far that it ignores the signal.
recorded --timeout="$(pick 200ms 2s)" -p TimeoutStopSec=1s -- perl -e '$SIG{TERM} = "IGNORE"; sleep 1000 while 1'
is "$(jq -r '.CONFINE_EVENT' "$captured/entries" | tr '\n' ' ')" 'start limit end ' 'once'
within "$(($(field end .__REALTIME_TIMESTAMP) - $(field limit .__REALTIME_TIMESTAMP)))" 500000 20000000 'and not only at the end of a program that does not go'
recorded -- sh -c '/bin/true; python3 -c "import socket; socket.socket()"; exit 0'
is "$(field end '.CONFINE_EXEC_DENIALS')" 0 'a fork that is denied is no exec'
recorded -- env true
is "$(field end '[.CONFINE_EXEC_DENIALS, .CONFINE_DENIALS_DROPPED] | join(" ")')" '1 0' 'S6: a denied exec is counted'
for event in start end; do
    is "$(field $event .CONFINE_UNOBSERVED)" file-denials "S6: $event: says what is not observed"
done
recorded -- python3 -S -c 'import _socket
for family in 2, 10, 1, 16:
    try: _socket.socket(family, 1)
    except PermissionError: pass'
is "$(field end '[.CONFINE_NETWORK_DENIALS, .CONFINE_LOCAL_DENIALS, .CONFINE_DENIALS] | join(" ")')" \
    '2 2 socket(AF_INET)=1 socket(AF_INET6)=1 socket(AF_UNIX)=1 socket(AF_NETLINK)=1' 'S6: denied sockets are counted, by family'

recorded -- true
capture run_as journalctl "$manager_option" --unit="$(result .unit)" --catalog
like "$out" "^░░ Subject: A sandbox was started: $(result .unit)$" 'journalctl -x explains the start'
like "$out" "^░░ Subject: A sandbox ended: $(result .unit)$" 'and the end'
like "$out" "^░░ Documentation: man:confine" 'and names the manual'
if [ "$MANAGER" = system ]; then
    is "$(journalctl --unit="$(result .unit)" --output=json | jq -r 'select(.SYSLOG_IDENTIFIER == "confine") | .OBJECT_SYSTEMD_UNIT' | sort -u)" \
        "$(result .unit)" "OBJECT_SYSTEMD_UNIT names the scope"
    is "$(as_alice journalctl --quiet --output=json CONFINE_ID="$(result .id)" 2>/dev/null)" '' 'an ordinary user does not see what root ran'
else
    is "$(journalctl --output=json CONFINE_ID="$(result .id)" | jq -r .USER_UNIT | sort -u)" "$(result .unit)" 'USER_UNIT names the scope'
fi

# Not in the container, which has no log of the kernel.
if limits; then
    x32='import ctypes; ctypes.CDLL(None).syscall(0x40000027)'
    recorded -- python3 -S -c "$x32"
    is "$rc: $(field end '[.CONFINE_CAUSE, .CONFINE_SIGNAL] | join(" ")')" '159: signal 31' 'B64: a call of another ABI is fatal'
    if [ "$MANAGER" = system ]; then
        is "$(field end .CONFINE_REASON)" \
            "the program made the system call 'getpid', 1073741863 of another ABI than its machine's own, x32: use a native program" \
            'B64: the record has its name and its ABI'
    fi
    if [ "$MANAGER" = system ] && [ "${CONFINE_PHASE:-}" = journal ]; then
        capture plainly "$bin/int80"
        is "$rc" 0 'control: a call of i386 is answered'
        recorded -- "$bin/int80"
        is "$rc: $(field end .CONFINE_REASON)" \
            "159: the program made the system call 'getpid', 20 of another ABI than its machine's own, 32-bit x86: use a native program" \
            'B64: the right one, too, of another one yet'
        recorded -- "$bin/sigself" 31
        like "$(field end .CONFINE_REASON)" '^the program made a system call of another ABI .* or sent itself SIGSYS: ' 'B64: and none that there was not'
    fi
    # Who may not read that log, as a user may not, is told how root finds it.
    printf '#!/bin/sh\nmount --bind /dev/null /dev/kmsg\nexec "$@"\n' >"$captured/hide-log"
    chmod 0755 "$captured" "$captured/hide-log"
    unlogged() {
        limited="${limited:-} unshare --mount $captured/hide-log"
        "$@"
    }
    capture unlogged confine run -- python3 -S -c "$x32"
    find=$(messages | sed -n "s/.* see which with '\(journalctl .*\)', and use .*/\1/p")
    check 'B64: a call of another ABI is found by the words of the message' wait_for 10 sh -c "$find --quiet --output=cat | grep -q ."
    capture sh -c "$find --quiet --output=cat"
    like "$out" ' arch=c000003e syscall=1073741863 ' 'B64: which call it was, of which ABI'
fi

# What follows is the same on every kernel, and slow in the VM.
if limits && [ "${CONFINE_PHASE:-}" != journal ]; then
    assert_clean
    done_testing
    exit
fi

# --- nothing is forged

evil='x
MESSAGE_ID=41b63d7f354140f48dcab0574a8b361d
CONFINE_EVENT=forged
PRIORITY=0
_UID=0

MESSAGE=forged'
recorded -p AuditArguments=full -- echo "$evil"
is "$(jq -r '.CONFINE_EVENT' "$captured/entries" | tr '\n' ' ')" 'start end ' 'B56: a newline in an argument makes no event'
is "$(field end '.CONFINE_COMMAND')" "echo '$evil'" 'B56: it is in the value, as it was'
is "$(field end '[.PRIORITY, .MESSAGE_ID] | join(" ")')" '6 743415a3d5254f2baf0aeac9791fd846' 'B56: and in no other field'
is "$(journalctl --quiet --output=cat CONFINE_EVENT=forged)" '' 'B56: nowhere'
is "$(journalctl --quiet --output=cat MESSAGE=forged)" '' 'B56: in no way'
recorded -p AuditArguments=full -- echo "$(printf '\033]0;x\007 \377\376')"
is "$(field end '.CONFINE_COMMAND | if type == "array" then .[5:] else . end | tostring')" \
    '[39,27,93,48,59,120,7,32,255,254,39]' 'B56: control characters and bytes that are no UTF-8 are kept as bytes'
is "$(result .command)" "$(printf "echo '\033]0;x\007 ??'")" 'B56: in the JSON they cannot be, and are marked'
# 200000 bytes, more than a datagram takes by default.
recorded -p AuditArguments=full -- sh -c ': "$1"' sh "$(head -c 100000 /dev/zero | tr '\0' a)" "$(head -c 100000 /dev/zero | tr '\0' b)"
captured_command='with 200000 bytes of arguments'
is "$rc: $(field end '.CONFINE_COMMAND | length')" '0: 200019' 'B88: a long command line is stored whole'

recorded -p AuditArguments=full -- sh -c 'exit 0; x'
is "$(field end .CONFINE_COMMAND)" "sh -c 'exit 0; x'" 'words are quoted'
recorded -p AuditArguments=full -- sh -c exit '0;' x
is "$(field end .CONFINE_COMMAND)" "sh -c exit '0;' x" 'so that where each of them ends can be told'

# --- by default the command line is nowhere

token=s3cret$$x$(date +%s)
# The words of this test's own processes are not what is looked for: the program's are.
printf '%s' "$token" >"$captured/token"
rm -f result
spawn in_shell 'exec $run --result="'"$tmp"'/result" --allow-run -- sh -c ": '"$token"'; echo ready; exec sleep 1000"'
wait_for 20 has_output ready || diag "$(cat "$captured/err")"
unit=$(sed -n 's,^0::.*/\(confine-[0-9a-f]*\.scope\)/.*,\1,p' "/proc/$(worker_of "$pid")/cgroup")
case $MANAGER in
system) systemctl show "$unit" >"$captured/properties" ;;
user) as_alice systemctl --user show "$unit" >"$captured/properties" ;;
esac
is "$(grep -c "$unit" "$captured/properties" | sed 's/^[1-9].*/some/')" some 'control: the unit has properties'
is "$(grep -F "$token" "$captured/properties")" '' 'B22: no unit property has the command line'
cgroup=/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$(worker_of "$pid")/cgroup")
is "$(getfattr --dump --match=- "$cgroup" "${cgroup%/run}" 2>/dev/null | grep -F "$token")" '' 'nor has an attribute of the cgroup'
for process in "$pid" "$(keeper_of "$pid")"; do
    is "$(tr '\0' '\n' <"/proc/$process/cmdline" | grep -F "$token")" '' "nor, to ps, the $(cat "/proc/$process/comm")"
done
is "$(tr '\0' '\n' <"/proc/$(worker_of "$pid")/environ" | grep -F "$token")" '' 'nor the environment of the program'
kill -s TERM "$pid"
finish "$pid"
entries >"$captured/entries"
is "$(wc -l <"$captured/entries")" 2 'control: the run is in the journal'
is "$(journalctl --output=export --all --since=-5min | grep -acF "$token" || :)" 0 'B22: but not its command line'
like "$(field end .CONFINE_COMMAND_SHA256)" '^[0-9a-f]{64}$' 'only a hash'

hash_of() {
    rm -f result
    confine run -q --result="$tmp/result" -- "$@" >/dev/null
    result .command_sha256
}
# Made by confine itself, in the same way on every kernel.
if ! limits; then
    one=$(hash_of echo ab c)
    is "$(hash_of echo ab c)" "$one" 'of the same words the same'
    isnt "$(hash_of echo a bc)" "$one" 'which knows where a word ends'
    isnt "$(hash_of echo ab c '')" "$one" 'and how many there are'
    for plain in 'echo ab c' 'echo\0ab\0c' 'echo\0ab\0c\0' 'echoabc' 'echo\nab\nc'; do
        isnt "$(printf '%b' "$plain" | sha256sum | cut -d' ' -f1)" "$one" "with a key: it is not the hash of '$plain'"
    done

    # The key is a secret of its own, not what every entry of the journal has.
    case $MANAGER in
    system) key=/var/lib/confine/hash.key ;;
    user) key=/home/alice/.local/state/confine/hash.key ;;
    esac
    is "$(stat -c '%s %a %U' "$key")" "32 600 $user" 'the key is 32 bytes, for its owner alone'
    mv "$key" "$captured/key"
    for i in 1 2 3 4 5 6; do
        (confine run -q --result="$tmp/result.$i" -- echo ab c >/dev/null) &
    done
    wait
    is "$(jq -r .command_sha256 "$tmp"/result.? | sort -u | wc -l)" 1 'six first runs at a time make one key'
    isnt "$(hash_of echo ab c)" "$one" 'which is another one'
    is "$(ls -A "${key%/*}")" hash.key 'and nothing else is left there'
    mv "$captured/key" "$key"
    is "$(hash_of echo ab c)" "$one" 'the old key makes the old hashes'
    chmod 0640 "$key"
    is "$(hash_of echo ab c)" null 'a key that others can read is none: there is no hash'
    chmod 0600 "$key"
    mv "$key" "$key.real"
    run_as ln -s "$key.real" "$key"
    is "$(hash_of echo ab c)" null 'nor is one behind a link'
    rm "$key"
    head -c 31 "$key.real" >"$key"
    chown "$user:" "$key"
    chmod 0600 "$key"
    is "$(hash_of echo ab c)" null 'nor one of another size'
    mv "$key.real" "$key"
    if [ "$MANAGER" = user ]; then
        run_as mkdir "$tmp/state"
        rm -f result
        capture run_as env XDG_STATE_HOME="$tmp/state" $run_words -q --result="$tmp/result" -- echo ab c
        isnt "$(result .command_sha256)" "$one" 'XDG_STATE_HOME has keys of its own'
        is "$(stat -c '%s %a %U' "$tmp/state/confine/hash.key")" '32 600 alice' 'there'
        capture run_as env HOME=/nonexistent $run_words -q --result="$tmp/result" -- echo ab c
        is "$rc $(result .command_sha256)" '0 null' 'without a place for a key there is no hash, but a run'
    fi
fi

# --- Audit=required: no record, no run

touch ran
chmod 0666 ran
# attempt NAME STATUS PREFIX OPTIONS: a run without a journal. $seconds is what it took, PREFIX a function or nothing.
attempt() {
    : >ran
    rm -f result
    begin=$(date +%s)
    capture $1 confine run --result="$tmp/result" $2 --allow-write="$tmp/ran" -- sh -c "echo ran >$tmp/ran"
    seconds=$(($(date +%s) - begin))
}

without_journal() {
    attempt "$2" ''
    is "$rc: $(cat ran)" '125: ' "$1: refused, nothing ran"
    is "$(result '"\(.cause) \(.error) \(.exit_status)"')" 'refused AuditError 125' "$1: in the JSON"
    like "$(messages)" '^confine: .*(systemd-journald|Audit=best-effort).*\[AuditError\]$' "$1: with what to do"
    attempt "$2" '-p Audit=best-effort'
    is "$rc: $(cat ran)" '0: ran' "$1: best-effort runs"
    like "$(messages)" '^confine: .*(cannot be reached|did not take).*ignoring' "$1: and warns"
    if ! limits; then # a matter of its words alone
        attempt "$2" '-q -p Audit=best-effort'
        is "$rc: $err" '0: ' "$1: or, with -q, does not"
    fi
}

without_journal 'B88: no socket of journald' hidden

journald=$(systemctl show --value --property=MainPID systemd-journald.service)
# Whatever happens, it goes on.
trap 'kill -CONT "$journald"; at_exit' EXIT
journalctl --sync
kill -STOP "$journald"
attempt '' '-p StartTimeoutSec=1s'
kill -CONT "$journald"
is "$rc: $(cat ran)" '125: ' 'B88: journald stopped by SIGSTOP: refused, nothing ran'
is "$(result '"\(.cause) \(.error) \(.exit_status)"')" 'refused AuditError 125' 'B88: in the JSON'
like "$(messages)" '^confine: journald did not take the start record .*\[AuditError\]$' 'B88: with the reason'
within "$seconds" 1 "$(pick 3 6)" 'B88: within StartTimeoutSec'
entries >"$captured/entries"
like "$(jq -r '.CONFINE_EVENT' "$captured/entries" | tr '\n' ' ')" '^(start end )?$' 'B88: a start that it finds later has its end'
kill -STOP "$journald"
attempt '' ''
kill -CONT "$journald"
is "$rc: $(cat ran)" '125: ' 'B88: the same with the default deadlines'
within "$seconds" 4 "$(pick 12 15)" 'B88: which are seconds'
if ! limits; then # below, with a full socket, it waits in the VM, too
    journalctl --sync
    kill -STOP "$journald"
    attempt '' '-p Audit=best-effort'
    kill -CONT "$journald"
    is "$rc: $(cat ran)" '0: ran' 'B88: best-effort waits as long, and runs'
    like "$(messages)" '^confine: journald did not take the start record .*ignoring' 'B88: with a warning'
fi
journalctl --sync
kill -STOP "$journald"
attempt '' '-p Audit=best-effort --timeout=1s -p TimeoutStopSec=100ms'
kill -CONT "$journald"
is "$rc: $(cat ran)" '125: ' 'S10: a wait for it that is longer than the scope may last: nothing ran'
is "$(result '"\(.cause) \(.error)"')" 'error CreateTimeout' 'S10: ... which is no mystery about its keeper'
like "$(messages)" 'RuntimeMaxSec=1s passed before the program could be started.*--timeout= \[CreateTimeout\]$' 'S10: ... but named'

# Its socket is full as well: nothing can even be handed over.
journalctl --sync
kill -STOP "$journald"
check 'control: a socket of journald that takes no more' timeout 20 python3 "$data/fill.py"
attempt '' '-p StartTimeoutSec=1s'
is "$rc: $(cat ran)" '125: ' 'B88: the socket of journald is full: refused, nothing ran'
like "$(messages)" '^confine: journald did not take the start record .*\[AuditError\]$' 'B88: with the reason'
within "$seconds" 0 "$(pick 3 6)" 'B88: within StartTimeoutSec'
attempt '' '-p Audit=best-effort'
is "$rc: $(cat ran)" '0: ran' 'B88: best-effort waits for it, and runs'
like "$(messages)" '^confine: journald did not take the start record .*ignoring' 'B88: with a warning'
attempt '' '--memory=nonsense'
kill -CONT "$journald"
is "$rc" 125 'a refusal that cannot be recorded is one all the same'
within "$seconds" 0 "$(pick 5 10)" 'and does not wait for ever'

# The end record: the program has run, so its status is lost to 125.
rm -f result
: >"$captured/out"
spawn confine run --result="$tmp/result" -- sh -c 'echo ready; read -r x; exit 7' </dev/null
wait_for 20 has_output ready || :
finish "$pid"
journalctl --sync
mkfifo hold
chmod 0666 hold
exec 9<>hold
# end_unrecorded GO OPTIONS: a run whose journald stops, and whose program then ends if there is a GO. $seconds is what its end took.
end_unrecorded() {
    rm -f result
    : >"$captured/out"
    # journald has much to catch up with after it was stopped.
    journalctl --sync
    spawn in_shell "exec $run_words $2 --result=$tmp/result -- sh -c 'echo ready; read -r x; exit 7' <hold 9<&-"
    wait_for 20 has_output ready || :
    kill -STOP "$journald"
    begin=$(date +%s)
    [ -z "$1" ] || echo "$1" >&9
    finish "$pid"
    seconds=$(($(date +%s) - begin))
    kill -CONT "$journald"
}
end_unrecorded go ''
is "$rc: $(result '"\(.cause) \(.error)"')" '125: audit AuditError' 'B88: an end record that cannot be stored is an error, cause audit'
like "$(messages)" '^confine: the end record could not be stored: .*\[AuditError\]$' 'B88: and named'
within "$seconds" 4 9 'B88: after the seconds that journald has'
end_unrecorded go '-p Audit=best-effort'
is "$rc: $(result '"\(.cause) \(.error)"')" '7: exit null' 'B88: best-effort keeps the status of the program'
like "$(messages)" '^confine: the end record could not be stored: .*, ignoring$' 'B88: and warns'
if ! limits; then
    end_unrecorded go '-q -p Audit=best-effort'
    is "$rc: $err" '7: ' 'B88: or, with -q, does not'
fi
end_unrecorded '' '-p Audit=best-effort --timeout=1s -p TimeoutStopSec=100ms'
is "$rc: $(result '"\(.cause) \(.limit)"')" '124: timeout RuntimeMaxSec' 'B88: journald stops during a run: its deadline holds'
within "$(($(result .duration_usec) / 1000))" 1000 3000 'B88: to the second'
within "$seconds" 4 9 'B88: and confine returns after the seconds that journald has'
exec 9>&-
trap at_exit EXIT
assert_clean

# journald gone: its sockets refuse.
sockets='systemd-journald.socket systemd-journald-dev-log.socket systemd-journald-audit.socket'
restore() {
    systemctl --quiet --runtime unmask $sockets systemd-journald.service 2>/dev/null || :
    systemctl start systemd-journald.socket systemd-journald-dev-log.socket systemd-journald.service
}
trap 'restore; at_exit' EXIT
systemctl --quiet --runtime mask $sockets systemd-journald.service
systemctl stop $sockets systemd-journald.service
without_journal 'B88: journald masked and stopped' ''
restore
trap at_exit EXIT
recorded -- true
is "$(jq -r '.CONFINE_EVENT' "$captured/entries" | tr '\n' ' ')" 'start end ' 'control: with journald back, a run is recorded'

assert_clean
done_testing
