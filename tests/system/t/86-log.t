#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# phases: journal
# managers: system user
# vm-managers: system
# budget: 240
# S19: confine log, and what the journal says of runs, refused ones included, as confine-audit(7) has it.
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; $run_words are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# --- a refused run

mark
capture confine run --memory=nonsense -- true
is "$rc" 125 'control: refused'
is "$(recorded '[.CONFINE_EVENT, .CONFINE_CAUSE, .CONFINE_ERROR, .MESSAGE_ID, ._UID, ._EXE] | join(" ")')" \
    "refused refused ConfigurationError 8f0b5d1c7e2a4936b1d47c05e9a36f28 $(id -u "$user") /usr/bin/confine" \
    'S19: a refused run is recorded, and by whom'
like "$(recorded .CONFINE_REASON)" "--memory.*'nonsense'|'nonsense'.*--memory" 'with the reason'
capture journalctl --after-cursor="$cursor" --catalog SYSLOG_IDENTIFIER=confine
like "$out" '^░░ Subject: A run was refused by confine: ConfigurationError' 'journalctl -x explains it'
like "$out" '^░░ Documentation: man:confine-audit\(7\)' 'and names the manual'
mark
capture confine run -p AllowRead=/nonexistent -- true
is "$rc: $(recorded '[.CONFINE_EVENT, .CONFINE_ERROR] | join(" ")')" '125: refused ConfigurationError' 'a grant that is not there'
mark
capture confine run -- /nonexistent
is "$rc: $(recorded '[.CONFINE_EVENT, .CONFINE_CAUSE] | join(" ")')" '127: refused exec' 'a program that is not there'
mark
capture run_as /usr/bin/confine
capture run_as /usr/bin/confine --dry-run --memory=nonsense /bin/true
capture run_as /usr/bin/confine policy keys
is "$(recorded .CONFINE_EVENT)" '' 'what is no run is not recorded'

# --- the manual has every field that a record has

rm -f result
capture confine run --result="$tmp/result" -- true
journalctl --sync
journalctl --output=json --all CONFINE_ID="$(result .id)" | jq -r 'keys[] | select(startswith("CONFINE_"))' | sort -u >"$captured/fields"
sed -n 's/^\.It Ev \(CONFINE_[A-Z0-9_]*\)$/\1/p' /usr/share/man/man7/confine-audit.7 | sort -u >"$captured/manual"
check 'control: the record has fields, the manual too' test -s "$captured/fields" -a -s "$captured/manual"
is "$(comm -23 "$captured/fields" "$captured/manual")" '' 'S19: each field of a record is in confine-audit(7)'

# --- confine log

# log OPTIONS: as the user; $rc, $out.
log() {
    journalctl --sync
    capture run_as /usr/bin/confine log "$@"
}

# as_schema: whether each line of what the last `log --json` showed is as the schema says.
as_schema() {
    split -l 1 "$captured/out" "$captured/line."
    for line in "$captured"/line.*; do
        python3 "$data/schema.py" /usr/share/confine/schema/log.json "$line" || return
        rm "$line"
    done
}

# The words of this manager's runs.
case $MANAGER in
system)
    trust=authentic
    sender=root
    ;;
user)
    trust=asserted
    sender='uid 1000'
    ;;
esac

since=@$(date +%s)
wait_for 5 sh -c "[ \"\$(date +%s)\" -gt ${since#@} ]" || :
since=@$(date +%s)
rm -f result
capture confine run --result="$tmp/result" -- sh -c 'exit 3'
id=$(result .id)
log --json --id="$id"
is "$rc: $(printf '%s' "$out" | jq -r '[.trust, .state, .cause, .exit_status, .uid, .policy_sha256] | map(tostring) | join(" ")')" \
    "0: $trust ended exit 3 $(result .uid) $(result .policy_sha256)" 'S19: log shows a run once, as the JSON of its end'
is "$(printf '%s\n' "$out" | wc -l)" 1 'one object a line'
check 'as its schema says' as_schema
log --id="$id"
like "$out" "^[-0-9]+ [:0-9]+ $(printf '%.12s' "$id") +$sender +exit +3 " 'and as a line'
is "$(printf '%s' "$out" | grep -c "$(printf '\033')" || :)" 0 'without colour on a pipe'
capture confine run --memory=nonsense -- true
log --since="$since" --cause=refused --json
is "$(printf '%s' "$out" | jq -r .error)" ConfigurationError 'a refused run, found by its cause'
log --since="$since" --cause=exit --json
is "$(printf '%s' "$out" | jq -r .id)" "$id" '--since and --cause choose'
log --until="$since" --id="$id" --json
is "$rc: $out" '0: ' '--until ends before it'
log --uid="$(result .uid)" --id="$id" --json
is "$(printf '%s' "$out" | jq -r .id)" "$id" '--uid chooses'
log --uid=12345 --id="$id" --json
is "$out" '' 'and leaves the others out'
log --policy="$(result '.policy_sha256[:16]')" --id="$id" --json
is "$(printf '%s' "$out" | jq -r .id)" "$id" '--policy takes digits of a hash'
log --policy=other --id="$id" --json
is "$out" '' 'and leaves the others out'
log --since="$since" --stats --json
is "$(printf '%s' "$out" | jq -c '.stats[0] | [.label, .runs, .failed, .causes]')" '["all",2,2,"exit=1 refused=1"]' '--stats counts'
is "$(printf '%s' "$out" | jq -c '.stats[0] | .duration_usec_max >= .duration_usec_p50 and .duration_usec_p50 > 0')" true 'with how long they took'

log --since="$since" --stats --openmetrics
check 'promtool takes the figures' promtool check metrics <"$captured/out"
like "$out" '^confine_runs\{label="all"\} 2$' 'with the runs'
like "$out" '^confine_ended_runs\{label="all",cause="refused"\} 1$' 'and how they ended'
like "$out" '^confine_run_duration_seconds_count\{label="all"\} 1$' 'and how many were timed'

capture confine run --result="$tmp/result" --label=tenant_id=acme --label=run=7 -- true
log --since="$since" --label=tenant_id=acme --json
is "$(printf '%s' "$out" | jq -r '[.id, .label_tenant_id, .label_run] | join(" ")')" "$(result .id) acme 7" '--label chooses, and labels are shown'
check 'as the schema says' as_schema
log --since="$since" --label=tenant_id=acm
unlike "$out" 'acme' 'the whole of it'
log --since="$since" --stats --json
is "$(printf '%s' "$out" | jq -c '[.stats[] | [.label, .runs]] | sort')" '[["all",3],["run=7",1],["tenant_id=acme",1]]' '--stats counts for each label, too'
log --since="$since" --stats --openmetrics
check 'promtool takes labels' promtool check metrics <"$captured/out"
like "$out" '^confine_runs\{label="tenant_id=acme"\} 1$' 'which stand with their runs'

# --- a terminal

# on_terminal WORDS: of an environment, before confine log. On such a screen all of it fits, so that less does not wait.
on_terminal() {
    run_as python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' env TERM=xterm LINES=50 COLUMNS=250 "$@" /usr/bin/confine log --id="$id"
}
# shown: the output with its colours, to be seen.
shown() {
    tr -d '\r' <"$captured/out" | sed "s/$(printf '\033')\[/<ESC>/g"
}
if ! limits; then # colours and pagers are the same on every kernel
    capture on_terminal
    like "$(shown)" "<ESC>33m[-0-9]+ [:0-9]+ $(printf '%.12s' "$id") .*<ESC>0?m" 'a run that failed is coloured on a terminal'
    capture on_terminal NO_COLOR=1
    like "$(shown)" "^[-0-9]+ [:0-9]+ $(printf '%.12s' "$id") " 'not with NO_COLOR'
    unlike "$(shown)" '<ESC>3[13]m' 'nor elsewhere in the line'
    capture on_terminal TERM=dumb
    like "$(shown)" "^[-0-9]+ [:0-9]+ $(printf '%.12s' "$id") " 'nor where the terminal has no colours'
    capture on_terminal PAGER='sed s/^/paged:/'
    case $MANAGER in
    user) like "$(shown)" '^paged:.*SENT BY' 'the pager is the one of PAGER' ;;
    system) unlike "$(shown)" '^paged:' 'the pager of root is not the one of PAGER' ;;
    esac
    # Nor is it whatever less the caller's PATH has: who may call confine by sudo is not to get a command by it.
    mkdir bin
    printf '#!/bin/sh\necho planted; exec cat\n' >bin/less
    chmod -R a+rx bin
    capture on_terminal "PATH=$tmp/bin:$PATH"
    case $MANAGER in
    user) like "$(shown)" '^planted$' 'control: the less of PATH is a user'"'"'s pager' ;;
    system) unlike "$(shown)" 'planted' 'that of root is found where the system has it' ;;
    esac
    like "$(shown)" "$(printf '%.12s' "$id")" 'and shows the run'
    capture run_as env PAGER='sed s/^/paged:/' /usr/bin/confine log --id="$id"
    unlike "$out" '^paged:' 'there is none on a pipe'
fi

# --- a forged end does not hide a start, and is shown as forged

forge() {
    printf '%s\n' "MESSAGE=not from confine" MESSAGE_ID=743415a3d5254f2baf0aeac9791fd846 CONFINE_EVENT=end CONFINE_CAUSE=exit CONFINE_EXIT_STATUS=0 \
        "CONFINE_ID=$1" "CONFINE_MANAGER=$MANAGER" "CONFINE_UID=$(id -u "$user")" SYSLOG_IDENTIFIER=confine >"$captured/forged"
    run_as logger --journald <"$captured/forged"
}
spawn confine run --allow-run -- sh -c 'echo ready; sleep 1000'
wait_for 20 has_output ready || :
journalctl --sync
open=$(journalctl --output=json _PID="$pid" CONFINE_EVENT=start | jq -r .CONFINE_ID)
log --json --id="$open"
is "$rc: $(printf '%s' "$out" | jq -r '[.trust, .state] | join(" ")')" "0: $trust running" 'a run that lives is running'
forge "$open"
log --json --id="$open"
is "$rc: $(printf '%s' "$out" | jq -r '[.trust, .state] | join(" ")' | sort | tr '\n' ' ')" "1: $(printf '%s\n' "$trust running" 'forged ended' | sort | tr '\n' ' ')" \
    'S19: a forged end is shown as forged, and the run is still running'
log --id="$open"
like "$out" ' FORGED by ' 'in the line too'
# What confine log says itself comes from no record, and what may not be shown is not.
printf '%s\n' MESSAGE=x MESSAGE_ID=743415a3d5254f2baf0aeac9791fd846 CONFINE_EVENT=end "CONFINE_ID=e5c$open" CONFINE_TRUST=authentic CONFINE_STATE=ended \
    CONFINE_REALTIME_USEC=1 CONFINE_SENDER_UID=0 CONFINE_UID=0 CONFINE_UID=1 CONFINE_EXIT_STATUS=none "$(printf 'CONFINE_CAUSE=\033]0;x\007\377')" \
    "$(printf 'CONFINE_LABEL_A=\033[2Jx')" SYSLOG_IDENTIFIER=confine >"$captured/forged"
run_as logger --journald <"$captured/forged"
log --json --id="e5c$open"
is "$(printf '%s' "$out" | jq -c '[.trust, .sender_uid, .uid, .exit_status]')" "[\"forged\",$(id -u "$user"),0,null]" \
    'S19: a forged record cannot say that it is none'
is "$(grep -o '"trust"' "$captured/out" | wc -l)" 1 'not even by saying so twice'
check 'and its JSON is as the schema says' as_schema
log --id="e5c$open"
is "$(tr -d '[:print:]\n' <"$captured/out" | wc -c)" 0 'B56: nothing in the line that a terminal would obey'

# --- a start without an end

kill -KILL "$pid"
finish "$pid"
log --json --id="$open"
is "$rc: $(printf '%s' "$out" | jq -r 'select(.trust != "forged") | .state')" '1: no-end' 'S19: confine killed: its start has no end, and the status says so'
log --cause=no-end --id="$open"
like "$out" 'its end is missing' 'in the line too'

# --- who ended it

spawn confine run --allow-run -- sh -c 'echo ready; sleep 1000'
wait_for 20 has_output ready || :
journalctl --sync
open=$(journalctl --output=json _PID="$pid" CONFINE_EVENT=start | jq -r .CONFINE_ID)
capture run_as /usr/bin/confine kill "$open"
finish "$pid"
journalctl --sync
is "$(journalctl --output=json CONFINE_ID="$open" CONFINE_EVENT=killed-by | jq -r '[.CONFINE_KILLED_BY_UID, .MESSAGE] | join(" ")')" \
    "$(id -u "$user") confine-$open.scope: killed by uid $(id -u "$user")" 'S19: confine kill is recorded, and by whom'
log --json --id="$open"
is "$rc: $(printf '%s' "$out" | jq -r '[.state, .cause, .killed_by_uid] | map(tostring) | join(" ")')" "0: ended killed $(id -u "$user")" 'and in the end'

# --- files from elsewhere

if [ "$MANAGER" = system ]; then
    mkdir "$tmp/elsewhere"
    journalctl --flush
    journalctl --rotate
    find /var/log/journal /run/log/journal -name '*.journal' -exec cp {} "$tmp/elsewhere/" \; 2>/dev/null || :
    log --directory="$tmp/elsewhere" --json --id="$id"
    is "$(printf '%s' "$out" | jq -r '[.trust, .cause] | join(" ")')" 'authentic exit' '--directory reads files of the journal'
    log --directory="$tmp/nowhere"
    is "$rc: $(printf '%s' "$err" | grep -c 'cannot be opened')" '1: 1' 'and says when there are none'
fi
log --merge --json --id="$id"
is "$(printf '%s' "$out" | jq -r .id)" "$id" '--merge has those of this machine'

# --- --follow

(
    become='exec'
    run_as /usr/bin/confine log --follow --json
) >"$captured/followed" 2>&1 </dev/null &
follower=$!
followed() {
    confine run -q -- true
    grep -q '"state":"ended"' "$captured/followed"
}
check '--follow shows a run when it ends' wait_for 10 followed
kill -TERM "$follower"
wait "$follower" 2>/dev/null || :

# --- a record for each run, and what was denied is summed up in it

mark
number=$(loops 500 5)
COMMAND_SECONDS=$((number / 5 + 60))
capture in_shell "for i in \$(seq $number); do \$run -- true || exit; done"
is "$rc" 0 "$number runs"
recorded '[.CONFINE_EVENT, .CONFINE_ID] | join(" ")' >"$captured/records"
is "$(sort -u "$captured/records" | grep -c '^start ') $(wc -l <"$captured/records")" "$number $((2 * number))" \
    "S19: $number runs, as many starts, each once, and as many records beside"
is "$(sed -n 's/^end //p' "$captured/records" | sort | cksum)" "$(sed -n 's/^start //p' "$captured/records" | sort | cksum)" \
    'and an end for each of them, once'
mark
# In a soak they are 20 000: each is a way to the supervisor and back, milliseconds where the machine is busy.
denied=$(loops 2000 400)
various=$(pick 1000 200)
capture confine run -q -- python3 -S -c 'import _socket, sys
total, various = map(int, sys.argv[1:])
for family in [2] * (total - various) + [1000 + i % 40 for i in range(various)]:
    try: _socket.socket(family, 1)
    except PermissionError: pass
    else: raise SystemExit(1)' "$denied" "$various"
is "$rc: $(recorded '[.CONFINE_EVENT, .CONFINE_NETWORK_DENIALS, .CONFINE_DENIALS_DROPPED] | map(values) | join(" ")' | tr '\n' ,)" \
    "0: start,end $denied $((17 * various / 40))," "B86 S6: $denied denied calls are numbers in the one record of the end, which says how many are not told apart"
is "$(recorded '.CONFINE_DENIALS | values')" "socket(AF_INET)=$((denied - various)) $(for i in $(seq 1000 1022); do printf 'socket(%s)=%s ' "$i" $((various / 40)); done)others=$((17 * various / 40))" \
    'and by call those that are'

# --- what cannot be meant

log --since=nonsense
is "$rc" 2 'a time that is none'
log --memory=1G
is "$rc" 2 'an option of a run'
capture run_as /usr/bin/confine --since=today run -- true
is "$rc" 125 'an option of the log, for a run'

[ "$MANAGER" = system ] || {
    assert_clean
    done_testing
    exit
}

# --- what journald did with it is the same for both managers

# reconfigure LINES: journald with these settings.
reconfigure() {
    mkdir -p /run/systemd/journald.conf.d
    printf '[Journal]\n%b' "$1" >/run/systemd/journald.conf.d/confine-test.conf
    systemctl restart systemd-journald.service
}
reset_journald() {
    rm -f /run/systemd/journald.conf.d/confine-test.conf
    # Its own start limit is not what is tested.
    systemctl reset-failed systemd-journald.service
    systemctl restart systemd-journald.service
    # What it could only keep in memory; before that no user has a journal to read.
    journalctl --flush
}
trap 'reset_journald; at_exit' EXIT
# journald counts by unit, so this is one. $1: a file for the result; $2: when it floods. The program waits for the fifo $1.go.
cat >"$captured/rate" <<'END'
flood() {
    # It stays until journald has read them all: of a sender that is gone the unit is not known, and counted for none.
    python3 -c 'import socket, subprocess
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.connect("/run/systemd/journal/socket")
for i in range(200):
    s.send(b"MESSAGE=flood\nPRIORITY=6\n")
subprocess.run(["journalctl", "--sync"], check=True)'
}
[ "$2" = after ] || flood
/usr/bin/confine run -q -p Enforcement=best-effort --result="$1" -- sh -c 'echo ready; read -r go' <"$1.go" >"$1.out" &
until grep -q ready "$1.out" 2>/dev/null; do sleep 0.03; done
[ "$2" = before ] || flood
echo flooded >>"$1.out"
wait
END
# limited_run NAME WHEN SETTINGS: such a run; its id is in $tmp/NAME afterwards.
limited_run() {
    mkfifo "$tmp/$1.go"
    exec 9<>"$tmp/$1.go"
    reconfigure "$3"
    begun=$(date +%s)
    systemd-run --quiet --wait --collect --unit="rate-$1" sh "$captured/rate" "$tmp/$1" "$2" 9<&- &
    unit_of_rate=$!
    wait_for 20 grep -q flooded "$tmp/$1.out" || :
}
end_limited_run() {
    echo >&9
    wait "$unit_of_rate" || :
    exec 9<&-
    journalctl --sync
}
limited_run lost-end after 'RateLimitIntervalSec=1h\nRateLimitBurst=1\n'
end_limited_run
log --json --id="$(jq -r .id "$tmp/lost-end")"
is "$rc: $(printf '%s' "$out" | jq -r .state)" '1: no-end' 'an end that journald dropped by its rate limit: a start without an end'
limited_run lost-start before 'RateLimitIntervalSec=2s\nRateLimitBurst=1\n'
past_interval() {
    [ "$(date +%s)" -gt $((begun + 4)) ]
}
wait_for 10 past_interval || :
end_limited_run
log --json --since="@$((begun - 120))" --id="$(jq -r .id "$tmp/lost-start")"
is "$rc: $(printf '%s' "$out" | jq -r .state)" '1: no-start' 'a start that it dropped: an end without a start'

# A disk that is full: what journald takes and then loses is known to nobody, but nothing waits for it.
reset_journald
mkdir "$tmp/full"
mount -t tmpfs -o size=12M none "$tmp/full"
trap 'umount -l /var/log/journal "$tmp/full" 2>/dev/null; reset_journald; at_exit' EXIT
mount --bind "$tmp/full" /var/log/journal
systemctl restart systemd-journald.service
journalctl --flush
head -c 12M /dev/zero >"$tmp/full/filler" 2>/dev/null || :
python3 -c 'import os, socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.connect("/run/systemd/journal/socket")
for i in range(1500):
    s.send(b"MESSAGE=" + os.urandom(10000).hex().encode() + b"\nPRIORITY=7\n")'
journalctl --sync
is "$(df --output=avail "$tmp/full" | tail -n 1 | tr -d ' ') $(find "$tmp/full" -name system.journal)" '0 ' \
    'control: the disk of the journal is full, and it has no file to write to'
rm -f result
began=$(date +%s)
capture confine run --result="$tmp/result" -- sh -c 'exit 3'
within "$(($(date +%s) - began))" 0 10 'B88: the disk of the journal is full: no run waits for it'
is "$rc: $(result .cause)" '3: exit' 'B88: journald took the records, so the run is one'
umount -l /var/log/journal "$tmp/full"
reset_journald
trap at_exit EXIT

assert_clean
done_testing
