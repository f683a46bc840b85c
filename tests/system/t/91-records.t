#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# phases: journal
# managers: system user
# vm-managers: user
# budget: 240
# S14, S19: what a record of a refusal must not have, whose records confine log takes for genuine, and filters that cannot be meant.
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; $run_words are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# shown OPTIONS: by confine log, as the user.
shown() {
    journalctl --sync
    capture run_as /usr/bin/confine log "$@"
}

# shows FILTER: of its JSON.
shows() {
    printf '%s' "$out" | jq -r "$1"
}

case $MANAGER in
system) trust=authentic ;;
user) trust=asserted ;;
esac
begin=$(date +%s)
wait_for 5 sh -c "[ \"\$(date +%s)\" -gt $begin ]" || :
since=@$(date +%s)

# --- refusals

mark
capture confine run --memory=nonsense --label=api_key=hunter2 -- true hunter2
capture confine run -p AllowRead=/nonexistent -- true hunter2
capture confine run -- /nonexistent hunter2
capture run_as /usr/bin/confine run --nonsense=hunter2
is "$(recorded .CONFINE_EVENT | tr '\n' ' ')" 'refused refused refused refused ' 'control: four are recorded'
is "$(recorded . | grep -c hunter2 || :)" 0 'S14: the command line is in no field of theirs, those that journald adds included'
shown --since="$since" --cause=refused --uid="$user" --json
is "$(shows .event | wc -l)" 3 'S19: a run that got no uid is one of who asked for it'
mark
capture confine run -p AuditArguments=full -p AllowRead=/nonexistent -- true hunter2
like "$(recorded ._CMDLINE)" 'true hunter2$' 'the command line is there where the policy wants it'
mark
capture confine run -- /nonexistent
like "$(recorded .MESSAGE)" "cannot execute '/nonexistent'.*check the name and PATH\$" 'a command that is not there: no error, nor empty brackets'
mark
capture confine run -- "/$(head -c 100000 /dev/zero | tr '\0' x)"
check 'a command with a name of 100 KB: its record is short' test "$(recorded '.CONFINE_REASON, .MESSAGE' | wc -c)" -lt 2000
like "$(recorded .CONFINE_REASON)" 'name its interpreter$|check the name and PATH$' 'and still names the fix'

# --- senders

id=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
printf '%s\n' MESSAGE=x CONFINE_EVENT=end "CONFINE_ID=$id" "$(seq -f 'CONFINE_LABEL_X%g=x' 200)" >"$captured/many"
run_as logger --journald <"$captured/many"
shown --id="$id" --json
is "$(shows '[.trust, .sender_uid] | join(" ")')" "forged $(id -u "$user")" 'S19: labels without number do not hide who forged'

mkdir -m 0755 "$captured/names"
ln -s /usr/bin/confine "$captured/names/link"
printf '#!/usr/bin/confine -qpEnforcement=best-effort\nprint("ran")\n' >"$captured/names/script.py"
chmod 0755 "$captured" "$captured/names/script.py"
mark
capture run_as "$captured/names/link" ${run_words#* } -q -- echo ran
is "$rc: $out" '0: ran' 'control: confine runs by the name of a link'
capture run_as "$captured/names/script.py"
is "$rc: $out" '0: ran' 'control: and of a script'
for id in $(recorded 'select(.CONFINE_EVENT == "end").CONFINE_ID'); do
    shown --id="$id" --json
    is "$rc: $(shows '[.trust, .state] | join(" ")')" "0: $trust ended" 'S19: its record is no forged one'
done
spawn run_as "$captured/names/link" ${run_words#* } -q --allow-run -- sh -c 'echo ready; exec sleep 1000'
wait_for 20 has_output ready || :
journalctl --sync
id=$(journalctl --output=json _PID="$pid" CONFINE_EVENT=start | jq -r .CONFINE_ID)
shown --id="$id" --json
is "$rc: $(shows .state)" '0: running' 'and it runs while it runs'
kill -TERM "$pid"
finish "$pid"

# --- the code

printf 'import sys\nprint(sys.argv[1])\n' >code.py
printf '#!/bin/sh\necho "$1"\n' >code.sh
chmod 0755 code.py code.sh
run_as mkdir -m 0755 "$tmp/package.py"
run_as cp code.py "$tmp/package.py/__main__.py"
# code_of OUTPUT WORDS: the hash of the code of a run that says OUTPUT, by its result; it is in both records, too.
code_of() {
    rm -f result
    mark
    expected=$1
    shift
    capture run_as $form_words -q --result="$tmp/result" "$@"
    [ "$rc: $out" = "0: $expected" ] || diag "$rc: $out $err"
    [ "$(recorded '[.CONFINE_EVENT, .CONFINE_CODE_SHA256] | map(tostring) | join(" ")' | tr '\n' ' ')" = \
        "start $(result .code_sha256) end $(result .code_sha256) " ] || echo 'the records differ: '
    result .code_sha256
}
sha256_of() {
    sha256sum "$1" | cut -d ' ' -f 1
}
is "$(code_of one "$tmp/code.py" one)" "$(sha256_of code.py)" 'S19: the code of a script, as sha256sum has it'
code='print("one")'
keyed=$(code_of one -c "$code")
like "$keyed" '^[0-9a-f]{64}$' 'the code of -c'
# Hashed is all of it by confine itself, in the same way on every kernel.
if ! limits; then
    is "$(code_of two "$tmp/code.py" two)" "$(sha256_of code.py)" 'whatever its arguments'
    is "$(code_of one "$tmp/code.sh" one)" "$(sha256_of code.sh)" 'of a file that is no Python'
    is "$(code_of one -c "$code" argument)" "$keyed" 'whatever its arguments'
    isnt "$(code_of one -c "$code ")" "$keyed" 'of another one another'
    for plain in "$code" "$code\n"; do
        isnt "$(printf '%b' "$plain" | sha256sum | cut -d ' ' -f 1)" "$keyed" 'B22: and with a key, since it is a word of the command'
    done
    printf 'read -r line\n: read on\nprint("one")\n' >input
    printf 'print("one")\n' >rest
    {
        read -r _
        read -r _
        is "$(code_of one - <&0)" "$(sha256_of rest)" 'code from a file on standard input: of what is left of it'
    } <input
    is "$(printf 'print("one")\n' | code_of one -)" null 'from a pipe it is not known before the program reads it'
    is "$(code_of one "$tmp/package.py" one)" null 'a directory has no hash'
    is "$(code_of one -m code one)" null 'nor has a module'
fi
if [ "$MANAGER" = system ]; then # whose supervisor may read more than its run
    mkdir -m 0700 closed
    for mode in 0600 0644; do
        rm -f result
        echo 'pin=4711' >closed/pin.txt
        chmod "$mode" closed/pin.txt
        ln -sfn "$tmp/closed/pin.txt" link.py
        capture run_as $form_words -q --result="$tmp/result" "$tmp/link.py"
        is "$(result '.cause != "exit" or .exit_status != 0') $(result .code_sha256)" 'true null' \
            "S14: of a file ($mode) that the run may not read, not even the hash is told"
    done
    chmod 0755 closed
    rm -f result
    capture run_as $form_words -q --result="$tmp/result" "$tmp/link.py"
    is "$(result .code_sha256)" "$(sha256_of closed/pin.txt)" 'control: of one that it may it is'
    rm -f result closed/pin.txt
    mkfifo -m 0600 closed/pin.txt
    echo text >closed/pin.txt &
    writer=$!
    capture run_as $form_words -q --result="$tmp/result" "$tmp/link.py"
    check 'and what is no file is not opened' kill -0 "$writer"
    kill "$writer" 2>/dev/null || :
    wait "$writer" 2>/dev/null || :
fi
rm -f result
capture confine run -q --result="$tmp/result" -- sh "$tmp/code.sh" one
is "$(result .code_sha256)" null 'nor a command'
{
    cat code.py
    head -c $((1024 * 1024 - $(stat -c %s code.py) - 1)) /dev/zero | tr '\0' '#'
    echo
} >large.py
is "$(code_of one "$tmp/large.py" one)" "$(sha256_of large.py)" 'a script of 1 MiB has one'
echo >>large.py
is "$(code_of one "$tmp/large.py" one)" null 'a longer one has none'

# --- arguments of any size

# What they are is made by the program that calls confine, and compared by one: a shell would be at it for long.
cat >"$captured/arguments.py" <<'END'
import os, subprocess, sys
FORGED = (b"x\nMESSAGE_ID=743415a3d5254f2baf0aeac9791fd846\nCONFINE_EVENT=forged\n_UID=0\n\nMESSAGE=forged\n\xff\xfe\x80\xc0\xaf"
          b"\x1b]0;x\x07" + bytes(range(1, 256)))
LONGEST = 128 * 1024 - 1  # and the NUL: the kernel's MAX_ARG_STRLEN
room = int(sys.argv[2]) - 16384  # of the arguments; the rest is the environment's, and that of the words before
words = [FORGED, (FORGED * LONGEST)[:LONGEST]]
words += [b"a" * (LONGEST - i) for i in range((room - sum(map(len, words))) // (LONGEST + 9))]
words += [b"b" * (room - sum(map(len, words)) - 9 * len(words)), b"", b"c"]
def quoted(word):
    plain = word and all(c in b"_@%+=:,./-" or chr(c).isascii() and chr(c).isalnum() for c in word)
    return word if plain else b"'" + word.replace(b"'", b"'\\''") + b"'"
if sys.argv[1] == "run":
    os.execvp(sys.argv[3], [os.fsencode(word) for word in sys.argv[3:]] + words)
expected = b" ".join(map(quoted, [b"true"] + words))
entry, found = sys.stdin.buffer.read(), []
at = 0
while at < len(entry):  # systemd's JOURNAL_EXPORT_FORMATS.md
    end = entry.index(b"\n", at)
    name, equals, value = entry[at:end].partition(b"=")
    at = end + 1
    if name and not equals:
        size = int.from_bytes(entry[at:at + 8], "little")
        value = entry[at + 8:at + 8 + size]
        at += 8 + size + 1
    if name == b"CONFINE_COMMAND":
        found.append(value)
print(len(found), found == [expected] * len(found), len(expected) > int(sys.argv[2]) // 100 * 96)
END
chmod 0644 "$captured/arguments.py"
# Less in the VM, where jq would read for long: more than a datagram takes all the same.
room=$((1024 * $(pick 2048 512)))
mark
rm -f result
capture run_as python3 "$captured/arguments.py" run $room $run_words -q --result="$tmp/result" -p AuditArguments=full -- true
is "$rc: $out$err" '0: ' "control: a program with $((room / 1024)) KiB of arguments runs"
journalctl --sync
is "$(journalctl --after-cursor="$cursor" --output=export --all SYSLOG_IDENTIFIER=confine | python3 "$captured/arguments.py" compare $room)" '2 True True' \
    'B88: these arguments, one of them 128 KiB of any bytes, are in both records as they were'
is "$(recorded '[.CONFINE_EVENT, ._UID] | map(tostring) | join(" ")' | tr '\n' ' ')" "start $(id -u "$user") end $(id -u "$user") " \
    'B56: which forge nothing there'
is "$(journalctl --quiet --output=cat CONFINE_EVENT=forged)$(journalctl --quiet --output=cat MESSAGE=forged)" '' 'B56: nor elsewhere'
check 'the result has them, as text' test "$(result '.command | length')" -gt $((room * 96 / 100))
shown --id="$(result .id)" --json
check 'so has confine log' test "$(shows '.command | length')" -gt $((room * 96 / 100))
is "$(printf '%s' "$out" | jq -r .event)" end 'as one object'

# --- programs that were denied

cat >"$captured/denied.py" <<'END'
import ctypes, mmap, os, sys
def run(path):
    try: os.execv(path, ["x"])
    except PermissionError: return
    except OSError as error: print(error.errno)
secret = open(os.environ["CREDENTIALS_DIRECTORY"] + "/KEY").read() if "CREDENTIALS_DIRECTORY" in os.environ else "none"
for path in "/usr/local/bin/env", "/nowhere/cat", "env", "./ls", "/bin/" + secret, secret, "/usr/bin/..", "/bin/\033[2J", "/usr/bin/" + "x" * 300, sys.argv[1]:
    run(path)
# The last bytes of a page, with nothing behind it; a path without an end there; an address of nothing.
call = ctypes.CDLL(None).execve
page = mmap.mmap(-1, 3 * 4096)
start = ctypes.addressof(ctypes.c_char.from_buffer(page))
page[4096 - 3:4096] = b"mv\0"
page[2 * 4096 - 2:2 * 4096] = b"mv"
ctypes.CDLL(None).munmap(ctypes.c_void_p(start + 2 * 4096), 4096)
for address in start + 4096 - 3, start + 2 * 4096 - 2, 8:
    call(ctypes.c_void_p(address), None, None)
sys.stdout.flush()
os._exit(0)
END
chmod 0644 "$captured/denied.py"
printf '#!/bin/sh\n' >"$tmp/own-program"
chmod 0755 "$tmp/own-program"
printf hunter2hunter2 >key
chown "$user" key
capture plainly python3 "$captured/denied.py" /nowhere/x
is "$rc: $out" "0: $(printf '%s\n' 2 2 2 2 2 2 2 36 2)" 'control: no execution of these is denied as such'
rm -f result
mark
capture confine run -q --result="$tmp/result" --secret="KEY=file:$tmp/key" --allow-read="$captured" --allow-exec="$tmp" -- \
    python3 -S "$captured/denied.py" "$tmp/own-program"
is "$rc: $out$err" '0: ' 'each is'
is "$(result '[.exec_denials, .denials, .denials_dropped] | map(tostring) | join(" ")')" '13 execve=13 0' 'S6: and counted'
is "$(recorded . | grep -c -e hunter2 -e own-program -e '\[2J' -e xxxxxx || :)" 0 'S14: and no word of the program itself, the value of a secret least of all'
is "$(recorded '[.CONFINE_EVENT, .CONFINE_UNOBSERVED] | join(" ")' | tr '\n' ' ')" 'start file-denials end file-denials ' \
    'S6: what is not observed is said in each'

# --- a call of another ABI

x32='import ctypes; ctypes.CDLL(None).syscall(0x40000027)'
capture run_as python3 -S -c "$x32"
is "$rc" 0 'control: a call of x32 kills nobody'
mark
capture confine run -- python3 -S -c "$x32"
is "$rc" 159 'P13: inside it is fatal'
# Who may read the kernel's log is told from it; in the container there is none.
if limits && [ "$MANAGER" = system ]; then
    like "$err" "^confine: the program made the system call 'getpid', 1073741863 of another ABI than its machine's own, x32: use a native program\$" \
        'B64: with which one it was'
else
    like "$err" '^confine: the program made a system call of another ABI .*pid=[1-9][0-9]* .*native program$' 'B64: with what it was, and where its number is'
fi
is "$(recorded 'select(.CONFINE_EVENT == "end").CONFINE_REASON')" "$(messages | sed 's/^confine: //')" 'B64: in the record, too'

# --- a number that is used again

cat >"$captured/reuse.py" <<'END'
import ctypes, os, signal, struct, sys
# clone3(2) with set_tid. The child has the name of the one before.
number = int(sys.argv[1])
wanted = (ctypes.c_int * 1)(number)
arguments = struct.pack("11Q", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, ctypes.addressof(wanted), 1, 0)
child = ctypes.CDLL(None, use_errno=True).syscall(435, arguments, len(arguments))
if child == 0:
    open("/proc/self/comm", "w").write("confine")
    print("ready", flush=True)
    signal.pause()
if child != number:
    sys.exit(os.strerror(ctypes.get_errno()))
os.waitpid(child, 0)
END
spawn confine run --allow-run -- sh -c 'echo ready; sleep 1000 & wait'
wait_for 20 has_output ready || :
journalctl --sync
id=$(journalctl --output=json _PID="$pid" CONFINE_EVENT=start | jq -r .CONFINE_ID)
is "$(journalctl --output=json _PID="$pid" CONFINE_EVENT=start | jq -r .CONFINE_PROCESS_START)" "$(sed 's/.*) //' "/proc/$pid/stat" | cut -d ' ' -f 20)" \
    'S19: a start says when its confine was started'
shown --id="$id" --json
is "$(shows .state)" running 'control: it runs'
supervisor=$pid
forsake "$supervisor"
finish "$supervisor"
python3 "$captured/reuse.py" "$supervisor" >"$captured/reused" 2>&1 &
reuser=$!
check 'control: another process gets its number' wait_for 10 grep -q ready "$captured/reused" || diag "$(cat "$captured/reused")"
is "$(cat "/proc/$supervisor/comm")" confine 'control: and its name'
shown --id="$id" --json
is "$rc: $(shows .state)" '1: no-end' 'S19: confine was killed: log names the start without an end'
capture run_as /usr/bin/confine reap --json
is "$rc: $(shows '.runs[].id')" "1: $id" 'S13: and reap the run'
kill -KILL "$supervisor"
wait "$reuser" || :
capture run_as /usr/bin/confine reap --kill
is "$rc" 0 'which it ends'

# --- a run of root's own manager has a uid that is not root's

if [ "$MANAGER" = system ]; then
    systemctl start user@0.service # it goes on where root has logged in
    spawn env XDG_RUNTIME_DIR=/run/user/0 DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/0/bus $run_words --user --allow-run -- \
        sh -c 'echo ready; sleep 1000 & wait'
    wait_for 20 has_output ready || :
    journalctl --sync
    start=$(journalctl --output=json _PID="$pid" CONFINE_EVENT=start)
    id=$(printf '%s' "$start" | jq -r .CONFINE_ID)
    forsake "$pid"
    finish "$pid"
    capture run_as /usr/bin/confine reap --kill
    is "$rc" 0 'control: root ends it'
    shown --id="$id" --json
    is "$rc: $(shows '[.state, .manager, .uid] | join(" ")')" "0: ended user $(printf '%s' "$start" | jq -r .CONFINE_UID)" 'S19: its start has that end'
fi

# --- more labels than there are rows

# That is counted here, in the same way on every kernel.
if ! limits; then
    mark
    i=0
    while [ $i -lt 70 ]; do
        labels=$(seq -f "--label=n%g=$i" 16)
        capture confine run -q $labels -- /nonexistent
        i=$((i + 1))
    done
    is "$rc: $(recorded 'keys[] | select(startswith("CONFINE_LABEL_"))' | wc -l)" "127: $((70 * 16))" 'control: records with more labels than there are rows'
    shown --stats --json --since="$since"
    is "$(shows '.stats | [length, .[-1].label] | join(" ")')" '1024 others' 'S19: --stats counts the rest together'
    is "$(shows '.stats[-1].runs < .stats[0].runs')" true 'and each run once'
fi

# --- what no record can have

for option in --since=2026-02-31 --until= --uid= --uid=4294967295 '--uid= 0' --cause=timeuot --cause= --id= --id=xyz --policy= --label=A=b; do
    shown "$option"
    is "$rc: $out" '2: ' "is no answer: '$option'"
    like "$err" "\($(printf '%s' "$option" | sed 's/=.*//')\).*: write " 'with what to write'
done

assert_clean
done_testing
