#!/bin/sh
# SPDX-License-Identifier: MIT
# S7 S14 P11: a secret is where it was delivered and where the caller had it, and nowhere else: not in an output, the journal, a
# unit, a command line, an environment, the memory of confine's own processes, or a file that stays.
# rung: box vm
# managers: system user
# budget: 90
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; $run_words are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

chmod 0755 "$tmp" "$captured"
random() {
    od -An -N16 -tx1 /dev/urandom | tr -d ' \n'
}
canary=$(random)
other=$(random) # for the controls, so that they leave no trace of the first

# with_secret OPTIONS-AND-COMMAND...: for `capture` and `spawn`. The variable is the caller's; env becomes confine.
with_secret() {
    run_as env "CANARY=$canary" $run_words "$@"
}

# in_processes TEXT: the numbers of those that show it to others.
in_processes() {
    printf '%s\n' "$1" >"$captured/pattern" # the search is a process, too
    grep -lsaF -f "$captured/pattern" /proc/[0-9]*/cmdline /proc/[0-9]*/environ | cut -d/ -f3 | sort -u
    rm "$captured/pattern"
}

shows() {
    [ "$(in_processes "$1")" = "$2" ]
}

# in_memory PID TEXT
cat >"$captured/search.py" <<'PYTHON'
import re, sys
pid, text = sys.argv[1], sys.argv[2].encode()
found = read = 0
with open(f"/proc/{pid}/mem", "rb", 0) as memory:
    for line in open(f"/proc/{pid}/maps"):
        start, end, mode, name = re.match(r"(\w+)-(\w+) (\S+) \S+ \S+ \S+\s*(.*)", line).groups()
        if mode[0] != "r" or name in ("[vvar]", "[vsyscall]", "[vvar_vclock]"):
            continue
        try:
            memory.seek(int(start, 16))
            data = memory.read(int(end, 16) - int(start, 16))
        except OSError:
            continue
        read += 1
        found += text in data
sys.exit(2 if read < 5 else 0 if found else 1)
PYTHON
in_memory() {
    searched=0
    python3 "$captured/search.py" "$1" "$2" || searched=$?
    echo $searched
}

# --- delivery

capture with_secret --allow-run --secret=CANARY -- sh -c 'cd $CREDENTIALS_DIRECTORY; stat -c "%a %u %n" . CANARY; id -u; cat CANARY; echo; env | grep -c CANARY'
uid=$(printf '%s\n' "$out" | sed -n 3p)
is "$rc: $out" "1: 500 $uid .
400 $uid CANARY
$uid
$canary
0" 'S14: a file of the run, for its owner alone, and no variable'
capture with_secret --secret=CANARY -- sh -c 'echo x >$CREDENTIALS_DIRECTORY/x'
like "$rc: $err" '^2: .*Read-only file system' 'nothing can be put beside it'
capture with_secret --secret=CANARY -- python3 -c 'import os; p = os.environ["CREDENTIALS_DIRECTORY"] + "/CANARY"; os.chmod(p, 0o644)'
like "$err" 'OSError: \[Errno 30\]' 'nor its mode be changed'
capture with_secret --secret=CANARY:env -- sh -c 'echo "$CANARY"'
is "$rc: $out" "0: $canary" 'S14: as a variable where that is asked for'
capture with_secret --allow-run --secret=A=env:CANARY -- sh -c 'cat $CREDENTIALS_DIRECTORY/A; echo; echo "$CANARY"'
is "$rc: $out" "0: $canary" 'from a variable of another name, which is not handed on'

printf %s "$canary" >"$captured/file"
chown "$user" "$captured/file"
chmod 0400 "$captured/file"
capture confine run --allow-run --secret=A=file:"$captured/file" -- sh -c 'cat $CREDENTIALS_DIRECTORY/A'
is "$rc: $out" "0: $canary" 'from a file that the run itself may not read'
capture in_shell "printf %s $canary | { \$run --allow-run --secret=A=fd:3 -- sh -c 'cat \$CREDENTIALS_DIRECTORY/A' 3<&0 </dev/null; }"
is "$rc: $out" "0: $canary" 'from a descriptor'
mkdir "$captured/credentials"
chmod 0755 "$captured/credentials"
mv "$captured/file" "$captured/credentials/token"
for value in token A:token "A:$captured/credentials/token"; do
    capture run_as env CREDENTIALS_DIRECTORY="$captured/credentials" $run_words --allow-run -p "LoadCredential=$value" -- \
        sh -c 'cat $CREDENTIALS_DIRECTORY/*'
    is "$rc: $out" "0: $canary" "LoadCredential=$value"
done
rm -r "$captured/credentials"

# --- the search

CONTROL=$other sleep 1000 &
control=$!
check 'control: an environment is searched' wait_for 5 shows "$other" "$control"
kill "$control"
wait "$control" 2>/dev/null || :
mkfifo "$captured/fifo"
cat "$captured/fifo" "/nonexistent/$other" >"$captured/null" 2>&1 &
control=$!
exec 3>"$captured/fifo"
check 'control: so is a command line' wait_for 5 shows "$other" "$control"
exec 3>&-
wait "$control" 2>/dev/null || :

spawn with_secret -v --allow-run --result="$tmp/result" --secret=CANARY --secret=V=env:CANARY -- \
    sh -c 'read -r value <$CREDENTIALS_DIRECTORY/CANARY || :; echo started; exec sleep 1000'
check 'a run with secrets starts' wait_for 20 has_output started
cp "$captured/err" "$captured/verbose"
keeper=$(keeper_of "$pid") worker=$(worker_of "$pid")
program=$worker
is "$(in_processes "$canary")" '' 'S14: no process shows it, the supervisor included'
is "$(in_memory "$pid" "$canary")" 1 'S14: not in the memory of the supervisor'
is "$(in_memory "$keeper" "$canary")" 1 'nor of the keeper'
name=$(find /sys/fs/cgroup -type d -name 'confine-*.scope' -printf '%f\n')
properties=$(run_as systemctl "$manager_option" show "$name")
like "$properties" "^Id=$name" 'control: the unit has properties'
is "$(printf '%s' "$properties" | grep -c "$canary")" 0 'S14: not in one of them'
check 'nothing is in the place of the host' test ! -e /run/credentials/CANARY -a ! -e /mnt/CANARY

# --- others

path=/proc/$program/root/run/credentials/CANARY
is "$(run_as cat "$path" 2>&1)" "$canary" 'control: unconfined, its own user reads it'
capture confine run --allow-run -- cat "$path"
# Root's runs see no other process; a user's are denied to look into one.
denied='No such file or directory'
[ "$MANAGER" = system ] || denied='Permission denied'
like "$rc: $out$err" "^1: .*$denied" 'S7: another run of that user does not'
capture confine run --allow-run -- cat "/proc/$program/environ" "/proc/$program/mem"
like "$rc: $out$err" "^1: .*environ: $denied" 'nor its environment'
like "$err" "mem: $denied" 'nor its memory'
capture setpriv --reuid=60001 --regid=60001 --clear-groups --inh-caps=-all cat "$path"
like "$rc: $err" '^1: .*Permission denied' 'S7: nor another user'

kill -TERM "$pid"
finish "$pid"
check 'control: the result was written' test -s result
check 'control: -v said something' grep -q starting "$captured/verbose"
is "$(cat result "$captured/verbose" "$captured/out" "$captured/err" | grep -c "$canary")" 0 'S14: not in the result, nor in an output'
logger "control $other"
journalctl --sync
isnt "$(journalctl -o export --all | grep -acF "control $other")" 0 'control: the journal is searched'
is "$(journalctl -o export --all | grep -acF "$canary")" 0 'S14: not in the journal'
rm "$captured/null"
echo "$other" >"$tmp/control"
look_for() {
    find /run /var/tmp /tmp /dev/shm -xdev -type f -size -64k -newer "$captured/search.py" -exec grep -lsF "$1" {} +
}
is "$(look_for "$other")" "$tmp/control" 'control: files are searched'
is "$(look_for "$canary")" '' \
    'S14: no file is left with it'
capture with_secret --dry-run --secret=CANARY -- true
like "$out" '^Secrets +CANARY' 'a dry run names it'
unlike "$out$err" "$canary" 'and does not show it'

# While a start waits for one secret, the supervisor has the others, in memory that is in no core file and never swapped out.
cat >"$captured/flags.py" <<'PYTHON'
import re, sys
pid, text = sys.argv[1], sys.argv[2].encode()
found = set()
with open(f"/proc/{pid}/mem", "rb", 0) as memory:
    for line in open(f"/proc/{pid}/smaps"):
        header = re.match(r"([0-9a-f]+)-([0-9a-f]+) r", line)
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            area = header and [int(word, 16) for word in header.groups()]
        elif line.startswith("VmFlags:") and area:
            try:
                memory.seek(area[0])
                if text in memory.read(area[1] - area[0]):
                    found.add("[" + " ".join(flag for flag in line.split() if flag in ("dd", "lo")) + "]")
            except OSError:
                pass
print(*sorted(found))
PYTHON
flags() {
    python3 "$captured/flags.py" "$1" "$other"
}
has_flags() {
    [ "$(flags "$1")" = "$2" ]
}
printf %s "$other" >"$captured/file"
mkfifo "$captured/slow"
chown "$user" "$captured/file" "$captured/slow"
spawn in_shell "exec \$run --secret=A=file:$captured/file --secret=Z=fd:3 -- true 3<>$captured/slow"
check 'S14: what the supervisor holds is in memory that is locked, and in no core file' wait_for 20 has_flags "$pid" '[lo dd]'
kill -TERM "$pid"
finish "$pid"
env "CONTROL=$other" sleep 1000 &
control=$!
check 'control: other memory is neither' wait_for 5 has_flags "$control" '[]'
kill "$control"
wait "$control" 2>/dev/null || :
rm "$captured/slow" "$captured/file"

# A variable is in the memory of the program, and of nobody else.
spawn with_secret --allow-run --secret=CANARY:env -- sh -c 'echo started; exec sleep 1000'
check 'a run with a variable starts' wait_for 20 has_output started
program=$(worker_of "$pid")
is "$(in_memory "$program" "$canary")" 0 'control: memory is searched, the program has it'
is "$(in_processes "$canary")" "$program" 'control: and shows it, as it was asked to'
is "$(in_memory "$pid" "$canary") $(in_memory "$(keeper_of "$pid")" "$canary")" '1 1' 'S14: the supervisor and the keeper have it not'
kill -TERM "$pid"
finish "$pid"

# --- limits

run_in_limits() {
    in_shell "head -c $1 /dev/zero | { \$run --allow-run --secret=A=fd:3 -- sh -c 'wc -c <\$CREDENTIALS_DIRECTORY/A' 3<&0 </dev/null; }"
}
capture run_in_limits 65536
is "$rc: $out" '0: 65536' 'a secret may have 64K'
capture run_as sh -c "head -c 65537 /dev/zero | $run_words --secret=A=fd:0 -- true"
like "$rc: $err" "^125: confine: the secret 'A' is too large: 64K are the most" 'and not a byte more'
many=
for i in $(seq 32); do
    many="$many --secret=S$i=env:CANARY"
done
capture with_secret --allow-run $many -- sh -c 'ls $CREDENTIALS_DIRECTORY | wc -l'
is "$rc: $out" '0: 32' 'a run may have 32'
capture with_secret $many --secret=CANARY -- true
like "$rc: $err" '^125: .*33 secrets .*32 at most' 'and not one more'

# --- refused

# refused REGEX OPTIONS-AND-COMMAND...
refused() {
    regex=$1
    shift
    capture with_secret "$@"
    like "$rc: $err" "^125: confine: .*$regex.*\[ConfigurationError\]$" "S14: refused: $regex"
    unlike "$err$out" "$canary" 'without the value'
}
refused "NAME=file:PATH" --secret="A=$canary" -- true
refused 'in the command as well' --secret=CANARY -- echo "x$canary"
refused 'in the command as well' --secret=CANARY -E "B=$canary" -- true
refused 'looks like a credential.*--secret' -E "SERVICE_TOKEN=$canary" -- true
refused 'PassEnvironment= and is a secret' --secret=CANARY --allow-env=CANARY -- true
refused 'Environment= and is a secret' --secret=CANARY:env -E CANARY=x -- true
refused 'not set' --secret=NOT_THERE -- true
refused 'cannot be read: No such file' --secret=A=file:/nonexistent -- true
refused 'cannot be read: Bad file descriptor' --secret=A=fd:99 -- true
refused "there are none" -p LoadCredential=A -- true
assert_clean
done_testing
