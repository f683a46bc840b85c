#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: system user
# budget: 240
# stdin, stdout and stderr are the program's own descriptors, with nothing between, and it has no others.
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; $run_words are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# --- output

capture in_shell '$run -- head -c 1048576 /dev/zero | wc -c'
is "$out" 1048576 'B41: 1 MiB through a pipe, all of it'
wanted=$(seq 150000 | sha256sum)
capture in_shell '$run -- seq 150000 | sha256sum'
is "$out" "$wanted" 'B41: 1 MiB through a pipe, as it was'
capture confine run -q -- seq 150000
is "$(sha256sum <"$captured/out")" "$wanted" 'B41: and into a file'

rounds=$(loops 200 25)
capture in_shell "n=0; i=0
while [ \$i -lt $rounds ]; do
    i=\$((i + 1))
    [ \"\$(\$run -- printf end | tail -c 3)\" != end ] || n=\$((n + 1))
done
echo \$n"
is "$out" "$rounds" "B41: the last bytes of each of $rounds runs"

capture in_shell '{ echo before; $run -- echo during; echo after; } >file; cat file'
is "$out" 'before
during
after' 'stdout to a file: the offset is shared'
capture in_shell 'echo kept >file; $run -- echo added >>file; cat file'
is "$out" 'kept
added' 'stdout appended to a file'
capture in_shell '$run -- sh -c "echo out; echo err >&2" 2>&1 >/dev/null'
is "$out" err 'stdout and stderr are two'
capture in_shell '$run -- sh -c "echo out; echo err >&2" >both 2>&1; cat both'
is "$out" 'out
err' 'or the same, in the order of the writes'

# --- a grandchild that holds stdout

rm -f result
capture run_as timeout 20 sh -c "$run_words --allow-run --result=$tmp/result -- $bin/hold-stdout | cat"
is "$rc: $out" '0: hi' 'B40: a child that holds stdout is ended, and with it the pipe'
is "$(result '"\(.cause) \(.exit_status) \(.killed_after_exit)"')" 'exit 0 1' 'B40: it is counted'
capture run_as timeout 20 sh -c "$run_words -q --allow-run -- sh -c 'sleep 6000 & echo hi' | cat"
is "$rc: $out" '0: hi' 'B40: the same with a shell'
# The control is a hang, so it is one of a second.
capture run_as timeout 1 sh -c "$bin/hold-stdout | cat"
is "$rc: $out" '124: hi' 'B40: control: unconfined the pipe stays open'
pkill -KILL -x hold-stdout || :

# --- input

head -c 5242880 /dev/urandom >input
capture in_shell '$run -- sha256sum <input'
is "$out" "$(sha256sum <input)" '5 MiB of stdin from a file'
capture in_shell 'cat input | $run -- sha256sum'
is "$out" "$(sha256sum <input)" 'and from a pipe'
capture in_shell 'printf "one\ntwo\nthree\n" | { $run -- true; read -r a; $run -- sh -c "read -r b; echo \$b"; read -r c; echo $a $c; }'
is "$out" 'two
one three' 'confine takes nothing of stdin for itself'
capture in_shell 'printf "no newline" | $run -- cat | od -An -c | tr -d " "'
is "$out" 'nonewline' 'the last bytes of stdin too'

# --- descriptors

wanted='fd 0 device
fd 1 pipe
fd 2 pipe'
capture in_shell "\$run -- $bin/fds 2>&1 </dev/null | cut -d' ' -f1-3"
is "$out" "$wanted" 'the program has 0, 1 and 2'
# dash has no descriptors above 9.
extra='exec 3</etc/hostname 4</ 5>>file 6<&3 7<&4 8>&5 9</dev/zero'
python='import os, sys
for fd in 20, 63, 200: os.dup2(3, fd, inheritable=True)
os.execvp(sys.argv[1], sys.argv[1:])'
capture in_shell "$extra; exec python3 -c '$python' \$run -- $bin/fds 2>&1 </dev/null | cut -d' ' -f1-3"
is "$out" "$wanted" 'and none of those the caller has'
capture in_shell "$extra; exec python3 -c '$python' $bin/fds 2>&1 </dev/null | cut -d' ' -f2 | tr '\n' ' '"
is "$out" '0 1 2 3 4 5 6 7 8 9 20 63 200 ' 'control: unconfined it has them all'
rm -f result
capture in_shell "$extra; exec python3 -c '$python' \$run --result=$tmp/result -- $bin/fds 2>&1 </dev/null | cut -d' ' -f1-3"
is "$out" "$wanted" 'nor the one of --result'

# What was closed at the call is /dev/null in the program, and no file of ours takes its place.
for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- >&- 2>&-'; do
    rm -f result status
    capture in_shell "\$run --result=$tmp/result -- sh -c 'echo out; echo err >&2; read -r x; exit 4' $closed"
    is "$rc" 4 "closed at the call ($closed): the program runs"
    is "$(jq -s 'length' result) $(result '"\(.cause) \(.exit_status)"')" '1 exit 4' 'and what it writes goes nowhere of ours'
    capture in_shell "\$run -- $bin/status >/dev/null $closed"
    is "$rc" 0 'with 0, 1 and 2 it can use'
done
cat >devices.py <<'END'
import os
def name(fd):
    try:
        status = os.fstat(fd)
    except OSError:
        return None
    return "%d:%d" % (os.major(status.st_rdev), os.minor(status.st_rdev))
open("seen", "w").write(" ".join("%d=%s" % (fd, name(fd)) for fd in range(256) if name(fd)))
END
: >seen
chmod 0666 seen
capture in_shell "\$run --allow-read=$tmp --allow-write=$tmp/seen -- python3 -S devices.py <&- >&- 2>&-"
# 3 is the file it writes to.
is "$rc: $(cat seen)" '0: 0=1:3 1=1:3 2=1:3 3=0:0' 'all three closed: /dev/null each, and nothing else'

# --- SIGPIPE

cat >pipe.py <<'END'
import os, signal, sys
if sys.argv[1] == "default":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
read, write = os.pipe()
pid = os.fork()
if pid == 0:
    os.dup2(write, 1)
    os.close(read)
    os.close(write)
    os.execvp(sys.argv[2], sys.argv[2:])
os.close(write)
print(os.read(read, 2))
os.close(read)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
for disposition in default ignored; do
    capture in_shell "python3 pipe.py $disposition yes"
    wanted=$out
    capture in_shell "python3 pipe.py $disposition \$run -- yes"
    is "$out" "$wanted" "a reader that leaves (SIGPIPE $disposition): ends as the plain program does"
done
is "$wanted" "b'y\\n'
1" 'which, ignoring it, has an error'
capture in_shell '$run -- yes | head -n 1'
is "$rc: $out: $err" '0: y: ' 'confine ... | head -n 1'

# --- a pipe that nobody reads

cat >fill.py <<'END'
import os, signal
os.set_blocking(2, False)
for size in 4096, 1:
    try:
        while True:
            os.write(2, b"x" * size)
    except BlockingIOError:
        pass
os.set_blocking(2, True)
signal.pause()
END
mkfifo unread
chown "$user:" unread
rm -f result
capture in_shell "exec 9<>unread; exec $run_words --result=$tmp/result --timeout=500ms --allow-read=$tmp -- python3 -S fill.py 2>unread"
is "$rc: $(result .cause)" '124: timeout' 'a stderr that the program has filled does not hold confine up'
capture in_shell "exec 9<>unread; exec \$run --result=fd:9 -p AuditArguments=full -- true $(head -c 100000 /dev/zero | tr '\0' a)"
is "$rc" 125 'nor does a result that nobody reads, which is an error'

# --- a flood

mkfifo flood
chown "$user:" flood
cat flood >/dev/null &
reader=$!
rm -f result
spawn in_shell "exec \$run --result=$tmp/result --timeout=$(pick 2 4)s -- yes >flood"
check 'B38: the flood runs' wait_for 20 worker_of "$pid"
rss_start=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
# The last that can be read while it still runs.
rss_end=$rss_start
while [ -e "/proc/$pid" ] && ! ended "$pid"; do
    rss_now=$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null) || break
    rss_end=${rss_now:-$rss_end}
    sleep 0.1
done
finish "$pid"
is "$rc" 124 'B38: and ends by its deadline'
is "$(result .cause)" timeout 'B38: as the JSON says'
within "$((rss_end - rss_start))" 0 1024 'B38: the supervisor has not grown by 1 MiB'
within "$rss_end" 1 16384 'B38: nor is it large'
within "$(wc -c <result)" 100 4096 'B38: nothing of the flood is in the JSON'
wait "$reader"

# --- B75: the devices, and the streams opened again by their names

# again NAME WANTED SCRIPT: what a shell that opens both again says of it on stderr, under confine and without.
opens='echo y >/dev/stdout && echo wrote >&2; head -c 0 </dev/stdin && echo read >&2'
said() {
    printf '%s\n' "$out" | grep -o 'wrote\|read\|Permission denied' | tr '\n' ' '
}
again() {
    for file in in out; do : >"$file" && chmod 0666 "$file"; done
    capture run_as env "opens=$opens" "sh=$run_words -q $4 --allow-run -- sh" sh -c "$3"
    is "$(said)" "$2" "B75: $1"
    capture run_as env "opens=$opens" sh=sh sh -c "$3"
    is "$(said)" 'wrote read ' "B75: control: $1, unconfined"
}
no='Permission denied Permission denied '
files='$sh -c "$opens" 2>&1 <in >out'
# A pipe is its maker's, who is not the uid of root's run.
case $MANAGER in
system) again "the caller's pipes are not opened again by another uid" "$no" '{ echo | $sh -c "$opens" | cat >out; } 2>&1' '' ;;
user) again 'pipes are opened again' 'wrote read ' '{ echo | $sh -c "$opens" | cat >out; } 2>&1' '' ;;
esac
again 'files are not' "$no" "$files" ''
again '... but where they are granted' 'wrote read ' "$files" "--allow-read=$tmp/in --allow-write=$tmp/out"
again 'nor is a terminal' "$no" 'script -qec "$sh -c '"'\$opens'"'" /dev/null </dev/null' ''
capture in_shell 'script -qec "$run -- sh -c '"'echo wrote >/dev/tty; stty -a </dev/tty'"'" /dev/null </dev/null'
like "$out" '^wrote' 'B75: control: it is by /dev/tty'
capture confine run --allow-run -- python3 -c 'import subprocess
subprocess.run(["true"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)'
is "$rc: $err" '0: ' 'B75: /dev/null for reading and writing at once'

devices='import fcntl, os
for name in "null", "zero", "full", "random", "urandom":
    fd = os.open("/dev/" + name, os.O_RDWR)
    try: wrote = os.write(fd, b"x")
    except OSError as error: wrote = error.strerror
    print(name, len(os.read(fd, 4)), wrote)
try: print(len(fcntl.ioctl(fd, 0x80045200, bytes(4))))  # RNDGETENTCNT
except OSError as error: print(error.strerror)'
capture run_as python3 -c "$devices"
plain=$out
is "$(printf '%s\n' "$plain" | tr '\n' ' ')" 'null 0 1 zero 4 1 full 4 No space left on device random 4 1 urandom 4 1 4 ' 'B75: control: the devices'
capture confine run -- python3 -c "$devices"
is "$rc: $out" "0: $(printf '%s\n' "$plain" | sed '$d')
Operation not permitted" 'B75: they are what they are outside, but for requests that are no terminal'"'"'s'

assert_clean
done_testing
