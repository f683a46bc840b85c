#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: system user
# budget: 60
# --no-sandbox: plain python3 with what follows as it is, restricted by nothing, recorded, and never without being asked.
# shellcheck disable=SC2086 # $form_words are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

echo outside >outside
chmod 0644 outside

# --- P4: the interpreter and its command line

cat >tell.py <<'END'
import os, signal, sys
print(sys.argv, sys.flags.isolated, sys.flags.utf8_mode, sys.executable, os.getuid(), os.getcwd(), os.environ.get("SECRET"))
print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])), signal.getsignal(signal.SIGCHLD), sys.stdin.read())
print([fd for fd in sorted(os.listdir("/proc/self/fd"), key=int) if os.path.lexists("/proc/self/fd/" + fd)])
sys.exit(3)
END
chmod 0644 tell.py
for words in 'tell.py a --memory=1 --' '-I tell.py run' '- -q' '-c print(1) -c' '-m json.tool --help' '-VV' '-X utf8 tell.py' '-Z' 'missing.py'; do
    echo 'print("in")' >input
    capture run_as sh -c "SECRET=s3cret exec python3 $(printf "'%s' " $words) <input"
    plain="$rc: $out: $err"
    capture run_as sh -c "SECRET=s3cret exec /usr/bin/confine --no-sandbox $(printf "'%s' " $words) <input"
    is "$rc: $out: $err" "$plain" "P4: --no-sandbox $words is python3 $words"
done
capture run_as env --ignore-signal=CHLD --block-signal=USR1 python3 tell.py </dev/null
plain=$out
capture run_as env --ignore-signal=CHLD --block-signal=USR1 /usr/bin/confine --no-sandbox tell.py </dev/null
is "$out" "$plain" 'P4: dispositions and mask are handed on'
like "$out" '^\[<Signals.SIGUSR1: 10>\] 1 ' 'P4: control: they are seen'
capture confine --no-sandbox -c 'import os, signal; os.kill(os.getpid(), signal.SIGTERM)'
is "$rc" 143 'P4: it dies of what python3 dies of'
reach='import socket, subprocess; open("outside").close(); socket.socket(); subprocess.run(["true"], check=True)'
capture confine --no-sandbox -c "$reach"
is "$rc: $err" '0: ' 'P4: nothing is denied'
capture run_as $form_words -c "$reach"
is "$rc" 1 'P4: control: with the sandbox it is'
capture run_as env PATH=/nowhere /usr/bin/confine --no-sandbox -c ''
is "$rc: $err" "127: confine: cannot execute 'python3': No such file or directory: install it, or correct PATH" 'without python3 it says so'
for words in '-v --no-sandbox' 'run --no-sandbox' '--memory=1G --no-sandbox'; do
    capture run_as /usr/bin/confine $words -c 'print("ran")'
    is "$rc: $out" '125: ' "P4: $words is refused"
    like "$(messages)" "'--no-sandbox' is the first word or none" 'P4: with where it belongs'
done

# --- its record

# entries CURSOR: what was recorded since, one JSON object a line.
entries() {
    journalctl --sync
    journalctl --after-cursor="$1" --output=json --all CONFINE_EVENT=no-sandbox
}
traced() {
    grep -Eq '^TracerPid:.[1-9]' "/proc/$journald/status"
}
cursor=$(journalctl --sync; journalctl --lines=0 --show-cursor | sed -n 's/^-- cursor: //p')
# A journald that is slow to look at who sent an entry: it must still find confine, and not Python.
journald=$(systemctl show --property=MainPID --value systemd-journald)
spawn strace -qq -o /dev/null -p "$journald" -e inject=openat,readlinkat,readlink:delay_enter=10000
check 'journald is slow' wait_for 10 traced
confine --no-sandbox -c 'pass' hunter2
confine --no-sandbox -c 'pass' hunter2
confine --no-sandbox -c 'pass' hunter3
kill "$pid"
finish "$pid"
entries "$cursor" >recorded
is "$(jq -r '[.MESSAGE_ID, ._EXE, ._COMM, ._UID, .CONFINE_UID, .SYSLOG_IDENTIFIER] | join(" ")' recorded | sort | uniq -c | sed 's/^ *//')" \
    "3 35e730b1e24b4b8b8e034fb767c69f31 /usr/bin/confine confine $(id -u "$user") $(id -u "$user") confine" 'P4: each has its record, sent by confine itself'
is "$(jq -r .CONFINE_COMMAND_SHA256 recorded | sort | uniq -c | awk '{ print $1 }' | sort -n | tr '\n' ' ')" '1 2 ' 'P4: with a hash of the words'
is "$(grep -c hunter recorded)" 0 'B22: which are not in it otherwise'
like "$(jq -r ._CMDLINE recorded | head -n 1)" '^/usr/bin/confine --no-sandbox *$' 'B22: nor in what journald adds'
is "$(jq -r .MESSAGE recorded | sort -u)" "python3 is run without sandbox by uid $(id -u "$user"): its isolation is unknown [UnverifiedIsolationWarning]" \
    'it says what it is'
is "$(jq -r '[.CONFINE_UNIT, .CONFINE_ISOLATION, .CONFINE_ENFORCEMENT] | tostring' recorded | sort -u)" '[null,"unknown",null]' 'and claims no isolation'
capture journalctl --after-cursor="$cursor" --catalog --lines=1 CONFINE_EVENT=no-sandbox
like "$out" '^░░ Subject: Python was run without sandbox$' 'journalctl -x explains it'

if [ "$MANAGER" = system ]; then
    capture run_as unshare --mount sh -c 'mount -t tmpfs none /run/systemd/journal; exec /usr/bin/confine --no-sandbox -c "print(1)"'
    is "$rc: $out" '125: ' 'P4: without a record it does not run'
    like "$(messages)" '^confine: the record .*No such file .*\[AuditError\]$' 'P4: and says so'
fi

# --- P5: named where the sandbox cannot be made, and never taken by itself

case $MANAGER in
system) address=DBUS_SYSTEM_BUS_ADDRESS ;;
user) address=DBUS_SESSION_BUS_ADDRESS ;;
esac
capture run_as env "$address=unix:path=$tmp/nowhere" $form_words -c 'print("ran")'
is "$rc: $out" '125: ' 'P5: where there is no manager nothing runs'
like "$(messages)" "'confine --no-sandbox' runs Python unrestricted \[CapabilityNotSupported\]$" 'P5: and the message names the way without'

assert_clean
done_testing
