#!/bin/sh
# SPDX-License-Identifier: MIT
# S7 S14 P11: a secret is where it was delivered and where the caller had it, and nowhere else: not in an output, the journal, a
# unit, a command line, an environment, the memory of confine's own processes, or a file that stays.
# rung: box vm
# managers: system user
# vm-managers: user
# budget: 180
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

# A unit's own, as its manager puts them down; a user's are below /run/user.
if ! limits; then # slow in the VM, and the same there
    printf %s "$canary" >"$captured/token"
    chown "$user" "$captured/token"
    chmod 0400 "$captured/token"
    as_unit() {
        run_as systemd-run "$manager_option" --quiet --wait --pipe "$@"
    }
    capture as_unit -p LoadCredential=token:"$captured/token" $run_words --allow-run -p LoadCredential=token -- \
        sh -c 'echo "$CREDENTIALS_DIRECTORY"; cat $CREDENTIALS_DIRECTORY/token'
    is "$rc: $out" "0: /run/credentials
$canary" "S14: from the credentials of a unit that calls confine, in a place of the run's own"
    capture as_unit -p LoadCredential=token:"$captured/token" $run_words -p LoadCredential=other -- true
    like "$rc: $err" "^125: .*the secret 'other' cannot be read: No such file" 'one that the unit has not is refused'
    capture as_unit $run_words -p LoadCredential=token -- true
    like "$rc: $err" "^125: .*there are none" 'and so is any in a unit that has none'
    rm "$captured/token"
fi

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

# --- core files, as the kernel writes them. Where they go is the machine's, so only in one of the test's own.

core_files() {
    cores=$(mktemp -d /var/tmp/cores.XXXXXX)
    chmod 1777 "$cores"
    pattern=$(cat /proc/sys/kernel/core_pattern)
    trap 'printf "%s\n" "$pattern" >/proc/sys/kernel/core_pattern; rm -rf "$cores"; at_exit' EXIT
    echo "$cores/core.%e" >/proc/sys/kernel/core_pattern

    die='import os; os.abort()'
    capture with_secret --secret=CANARY:env -pLimitCORE=64M "--allow-write=$cores" -- python3 -S -c "$die"
    is "$rc $(grep -lF "$canary" "$cores"/*)" "134 $(echo "$cores"/core.python3*)" 'control: what a program was given as a variable is in its core file'
    rm -f "$cores"/*
    capture with_secret --secret=CANARY -pLimitCORE=64M "--allow-write=$cores" -- python3 -S -c "$die"
    isnt "$(grep -lF CREDENTIALS_DIRECTORY "$cores"/*)" '' 'control: and of one that was given a file there is one, too'
    is "$rc $(grep -lF "$canary" "$cores"/*)" '134 ' 'S14: which has the secret only if the program had read it'
    rm -f "$cores"/*
    capture with_secret --secret=CANARY:env "--allow-write=$cores" -- python3 -S -c "$die"
    is "$rc $(find "$cores" -type f)" '134 ' 'there is none unless it is asked for'

    # The supervisor with a secret in hand. The keeper, of which no signal makes a core file, never has one.
    printf %s "$canary" >"$captured/file"
    mkfifo "$captured/slow"
    chown "$user" "$captured/file" "$captured/slow"
    spawn in_shell "ulimit -c unlimited; exec \$run --secret=A=file:$captured/file --secret=Z=fd:3 -- true 3<>$captured/slow"
    holds() { [ "$(in_memory "$pid" "$canary")" = 0 ]; }
    check 'control: the supervisor holds the secret' wait_for 20 holds
    kill -SEGV "$pid"
    finish "$pid"
    isnt "$(grep -lF "A=file:" "$cores"/core.confine*)" '' 'control: the supervisor has left a core file'
    is "$(grep -lF "$canary" "$cores"/*)" '' 'S14: the secret is not in it'
    rm -f "$captured/slow" "$captured/file"
}
if limits; then core_files; fi

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

# Where the usual place is one of the host's, since something in it was granted, they are in another.
capture with_secret -q --allow-run --secret=CANARY --allow-read=/run/credentials -- \
    sh -c 'cd $CREDENTIALS_DIRECTORY; pwd; stat -f -c %T .; cat CANARY'
is "$rc: $out" "0: /mnt
ramfs
$canary" 'S14: beside a grant of /run/credentials secrets are in /mnt'
check 'and not in that of the host' test ! -e /mnt/CANARY
capture with_secret --secret=CANARY --allow-read=/run/credentials --allow-read=/mnt --allow-write="$tmp" -- touch "$tmp/ran"
like "$rc: $err" "^125: .*secrets find no place: '/run/credentials' and '/mnt' .*\[ConfigurationError\]$" 'S14: with both granted they are refused by name'
check 'and nothing ran' test ! -e "$tmp/ran"

if ! limits; then
    # The caller's own limit on the size of files is not the run's, and not one for what confine writes.
    capture in_shell "ulimit -S -f 0; CANARY=$canary; export CANARY; exec \$run --result=$tmp/result --secret=CANARY -- \
        sh -c 'read -r value <\$CREDENTIALS_DIRECTORY/CANARY || :; echo \$value; ulimit -f'"
    is "$rc: $out" "0: $canary
2097152" 'S14 P16: a soft limit of 0 on files stops no secret'
    is "$(result .cause)" exit 'nor the result'
    # By way of a pipe: what it captures is a file, too.
    capture in_shell "{ ulimit -f 0; A=x $run_words --secret=A -- echo ran; echo \$?; } 2>&1 | cat"
    like "$(printf %s "$out" | tr '\n' ' ')" 'LimitFSIZE= is above .*which is 0 .*\[CapabilityNotSupported\] 125$' \
        'P16: below a hard one, which not even root of the box may raise, it is refused by name'

    # Where such memory is not to be had: a filter around confine denies the mount of the ramfs alone, or says yes and does nothing.
    case $(uname -m) in
    x86_64) mount_number=165 ;;
    *) mount_number=40 ;;
    esac
    for answer in EPERM ok; do
        capture run_as env A=x python3 "$data/filter.py" "$mount_number" $answer 3=14 -- $run_words --secret=A --allow-write="$tmp" -- touch "$tmp/ran"
        like "$rc: $err" "^125: .*Secrets= needs memory that is never swapped out, and a ramfs at '/run/credentials' .*\[CapabilityNotSupported\]$" \
            "S14: without a ramfs ($answer) secrets are refused by name"
    done
    check 'and nothing ran' test ! -e "$tmp/ran"
    capture run_as env A=x python3 "$data/filter.py" "$mount_number" EPERM 3=14 -- $run_words -- echo ran
    is "$rc: $out" '0: ran' 'control: under that filter a run without secrets starts'
fi

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
for name in api-key 'my password' 'x_token ' pgpassword; do
    refused 'looks like a credential.*--secret' --label="$name=$canary" -- true
done
refused 'PassEnvironment= and is a secret' --secret=CANARY --allow-env=CANARY -- true
refused 'Environment= and is a secret' --secret=CANARY:env -E CANARY=x -- true
refused 'not set' --secret=NOT_THERE -- true
refused 'not set.*without .\$.,' --secret="s$canary" -- true
refused 'cannot be read: No such file' --secret=A=file:/nonexistent -- true
refused 'cannot be read: Bad file descriptor' --secret=A=fd:99 -- true
refused "there are none" -p LoadCredential=A -- true
refused 'in a label as well' --secret=CANARY --label="a=x$canary" --result="$tmp/result" -- true
is "$(result .cause) $(grep -c "$canary" "$tmp/result")" 'refused 0' 'S14: nor is the value in the result'
refused 'in the command as well' --secret=CANARY -p AuditArguments=full --result="$tmp/result" -- echo "x$canary"
is "$(result .cause) $(grep -c "$canary" "$tmp/result")" 'refused 0' 'S14: nor where the command is to be shown in full'
logger "control refused $other"
journalctl --sync
isnt "$(journalctl -o export --all | grep -acF "control refused $other")" 0 'control: the journal is searched'
is "$(journalctl -o export --all | grep -acF "$canary")" 0 'S14: what is refused leaves it in no field of the journal'
assert_clean
done_testing
