#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: vm
# managers: system
# suites: trixie-backports
# budget: 180
# What Landlock denies, by the kernel's audit, which tells it from Landlock ABI 7 on: S6.
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

program=$data/denied_files.py
records=$captured/records
mkfifo "$captured/hold"

# denied WORDS...: a run of the program, and what is told of it: status, number, what is not observed.
denied() {
    rm -f result
    capture confine run --result="$tmp/result" -- python3 -S "$program" "$@"
    told
}
told() {
    told="$rc: $(result '[.landlock_denials, .unobserved] | map(tostring) | join(" ")')"
}

# domain_records ID: how many of a Landlock domain are in the kernel's log. last_domain: the id of the one that was freed last.
domain_records() {
    grep -c "domain=$1 " "$records" || :
}
last_domain() {
    sed -n 's/^1424 .* domain=\([0-9a-f]*\) status=deallocated.*/\1/p' "$records" | tail -n 1
}
# settled N: the kernel has told the end of N domains.
settled() {
    [ "$(grep -c ' status=deallocated ' "$records" || :)" -ge "$1" ]
}

capture plainly cat /etc/machine-id
is "$rc" 0 'control: anybody may read the file'

python3 "$data/audit.py" set 0
mark
denied plain 3
is "$told" '0: null file-denials' 'S6: without audit what Landlock denies is not observed'
is "$(recorded '[.CONFINE_EVENT, .CONFINE_UNOBSERVED, .CONFINE_LANDLOCK_DENIALS] | join(" ")' | tr '\n' ' ')" \
    'start file-denials  end file-denials  ' 'and each record says so'

python3 "$data/audit.py" set 1
python3 "$data/audit.py" listen "$records" &
listener=$!
trap 'kill "$listener" || :; at_exit' EXIT
wait_for 20 grep -qx ready "$records"

mark
denied plain 3
is "$told" '0: 3 null' 'S6: with it each denied access is counted'
is "$(recorded '[.CONFINE_EVENT, .CONFINE_UNOBSERVED, .CONFINE_LANDLOCK_DENIALS] | join(" ")' | tr '\n' ' ')" \
    'start   end  3 ' 'in the record, too'
denied plain
is "$told" '0: 0 null' 'and nothing is where nothing was denied'
many=$(loops 200000 10000)
denied plain "$many"
is "$told" "0: $many null" 'S6: however many there are'
wait_for 20 settled 3
is "$(grep -c '^1423 ' "$records") $(grep -c '^1424 ' "$records")" '3 6' \
    "S6: the kernel's log has three records of a run, and none of what the program was denied"
is "$(domain_records "$(last_domain)")" 3 'all of one domain'

capture confine run -- python3 -S -c "import sys; sys.argv[1:] = ['plain', '2']; exec(open('$program').read()); sys.exit(3)"
is "$rc: $(messages)" "3: confine: Landlock denied 'python3' access 2 times, which may be why it failed: grant files with --allow-read=, --allow-write= or --allow-exec=" \
    'who fails is told of it'
capture confine log --json --id="$(result .id)"
is "$(printf '%s\n' "$out" | jq .landlock_denials)" "$many" 'confine log has the number'

# --- whose denials they are

for n in 11 12 13 14; do
    confine run -q --result="$tmp/result-$n" -- python3 -S "$program" plain "$n" &
    eval "run_$n=\$!"
done
for n in 11 12 13 14; do
    eval "wait \$run_$n" || not_ok "run $n"
done
is "$(jq -r .landlock_denials result-11 result-12 result-13 result-14 | tr '\n' ' ')" '11 12 13 14 ' \
    'S6: of runs at a time each has its own'

wait_for 20 settled 8
before=$(grep -c '^142[34] ' "$records")
capture as_alice /usr/bin/confine run --result=/tmp/alice-result -- python3 -S "$program" plain 3
is "$rc: $(jq -r '[.landlock_denials, .unobserved] | map(tostring) | join(" ")' /tmp/alice-result)" '0: null file-denials' \
    'S6: a user is not told'
rm -f /tmp/alice-result
denied nested 3
is "$told" '0: 0 null' 'what a domain of the program itself denies is not among them'
wait_for 20 settled 9
is "$(($(grep -c '^142[34] ' "$records") - before))" 3 "and neither that nor the user's run is in the kernel's log"

# --- ends of other kinds

# Until the program has said that it was denied something; it waits for the end of descriptor 9.
spawn_denied() {
    rm -f result
    # shellcheck disable=SC2016 # for the inner shell
    spawn run_as sh -c 'exec "$@" <"$0"' "$captured/hold" /usr/bin/confine run --result="$tmp/result" \
        -- python3 -S "$program" plain 2 wait
    exec 9>"$captured/hold"
    wait_for 30 has_output denied
}
spawn_denied
kill -TERM "$pid"
finish "$pid" # the input is open still: it ends by nothing else
exec 9>&-
told
is "$told" '143: 2 null' 'S6: of a run that is ended by a signal'
spawn_denied
worker=$(worker_of "$pid")
kill -STOP "$pid"
exec 9>&-
wait_for 30 ended "$worker"
kill -CONT "$pid"
finish "$pid"
told
is "$told" '0: 2 null' 'S6: of one whose confine was stopped meanwhile'

spawn_denied
python3 "$data/audit.py" set 0
exec 9>&-
finish "$pid"
told
is "$told" '0: null file-denials' 'S6: audit that is switched off meanwhile tells nothing'
python3 "$data/audit.py" set 1

# The domain lives on in the file that the run has sent out.
cat >"$captured/holder.py" <<'END'
import socket, subprocess, sys, time
ours, theirs = socket.socketpair()
begin = time.monotonic()
status = subprocess.run(sys.argv[1:], stdin=theirs).returncode
message, fds, _, _ = socket.recv_fds(ours, 1, 1)
print(status, len(fds), "in time" if time.monotonic() - begin < 20 else "late")
END
rm -f result
capture python3 "$captured/holder.py" /usr/bin/confine run --result="$tmp/result" -- python3 -S "$program" pass 2
is "$out" '0 1 in time' 'a run that leaves an open file outside is not waited for'
told
is "$told" '0: null file-denials' 'S6: and does not say what is not known yet'

python3 "$data/audit.py" set 0
assert_clean
done_testing
