#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# suites: trixie bookworm-backports trixie-backports
# managers: system user
# budget: 240
# A container manager above confine may hold the one seccomp listener that there can be (EBUSY). P5: strict refuses that by
# name; best-effort lets a tracer stand in for it, and says so.
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

under_listener() {
    capture run_as python3 "$data/listener.py" hold confine run "$@"
}

# One that decides execve: without ours being asked.
under_decider() {
    capture run_as python3 "$data/listener.py" decide confine run -p Enforcement=best-effort "$@"
}

capture run_as python3 "$data/listener.py" hold sh -c 'exec true'
is "$rc" 0 'control: a program runs under a filter with a listener'

if [ "$CONFINE_RUNG" = vm ]; then
    under_listener -- sh -c 'echo ran'
    is "$rc: $out" '125: ' 'P5: strict does not start the program without its own listener'
    like "$err" 'a seccomp listener is in use above this process.*\[CapabilityNotSupported\]' 'and says what is in the way'
    if [ "$MANAGER" = system ] && [ "${CONFINE_SOAK:-1}" -le 1 ]; then
        # The rest is not strict's, and the container has done it as root.
        assert_clean
        done_testing
        exit
    fi
fi

for _ in $(seq "$(loops 20 5)"); do
    under_listener -p Enforcement=best-effort -- sh -c 'echo ran; exit 4'
    is "$rc: $out" '4: ran' "B65: best-effort lets the run's own execve through"
done
like "$(cat "$captured/err")" 'a seccomp listener is in use above this process, so denied calls are not counted' 'and says what is missing'

under_listener -p Enforcement=best-effort --result="$tmp/result" -- python3 -S -c 'import _socket, os
for call in _socket.socket, os.fork:
    try: call()
    except PermissionError: pass
os._exit(3)'
is "$rc: $(jq -r '[.enforcement, .exec_denials, .process_denials, .network_denials, .denials] | map(tostring) | join(" ")' result)" \
    '3: best-effort null null null null' 'S6: what is not counted is not told as none'
like "$(jq -r .missing result)" '(^| )denials$' 'but as missing'
unlike "$err" 'was denied' 'nor in the message'
capture confine run --result="$tmp/result" -- true
is "$(jq -r .missing result)" "$(pick 'MemoryMax MemorySwapMax CPUQuota TasksMax' null)" 'what else best-effort goes without is told, too'
under_listener -p Enforcement=best-effort -- sh -c 'exec true'
is "$rc" 126 'a second execve is refused all the same'
under_listener -p Enforcement=best-effort --allow-run -- sh -c '/bin/true && exec echo ran'
is "$rc: $out" '0: ran' 'with --allow-run programs can be started'
under_listener -p Enforcement=best-effort -- python3 -c 'import socket; socket.socket()'
is "$rc" 1 'the network is denied without a listener as well'
like "$err" 'PermissionError' 'with EPERM'
under_listener -p Enforcement=best-effort -- "$bin/sigself" 15
is "$rc" 143 'a death by signal comes through'
under_listener -p Enforcement=best-effort --timeout=1s -- sleep 60
is "$rc" 124 'the deadline holds'

capture run_as python3 "$data/listener.py" decide sh -c 'exec sh -c "exit 5"'
is "$rc" 5 'control: a listener that decides execve lets a second one go on'
under_decider -- sh -c 'echo ran'
is "$rc: $out" '125: ' 'P5: best-effort does not start a program whose second execve it could not stop'
like "$err" 'a seccomp listener above this process .* decides execve itself, .*--allow-run.*\[CapabilityNotSupported\]$' 'and says what it could'
under_decider --allow-run -- sh -c 'exec sh -c "exit 6"'
is "$rc" 6 'with --allow-run there is nothing to stop'

# --- B65: what denied calls cost

capture run_as "$bin/spin" denied 600
is "$rc: $out" '0: denied 0' 'control: the sockets that are asked for are to be had'

# cpu_msec PID: that it used itself.
cpu_msec() {
    awk -v hertz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print int(($12 + $13) * 1000 / hertz) }' "/proc/$1/stat"
}

rm -f result
: >"$captured/out"
spawn confine run --result="$tmp/result" --allow-run -- \
    sh -c "$bin/spin denied 600; $bin/spin denied & sleep 3; echo measured; exec sleep 1000"
wait_for 60 has_output 'denied 600' || diag "no denied calls: $(cat "$captured/err")"
begin=$(date +%s%N)
used=$(cpu_msec "$pid")
wait_for 60 has_output measured || diag 'not measured'
used=$(($(cpu_msec "$pid") - used))
took=$((($(date +%s%N) - begin) / 1000000))
# The kernel counts in ticks of up to 10 ms. Times of an emulated CPU are not exact: there only that they are bounded at all,
# which without a bound they are not by far.
percent=$(pick 2 10)
within "$used" 0 $((took * percent / 100 + 10)) \
    "B65: a program that does nothing but denied calls costs the supervisor at most $percent% of a CPU ($took ms)"
kill -s TERM "$pid"
finish "$pid"
is "$rc" 143 'which answers signals meanwhile'
within "$(result .network_denials)" 700 10000000 'and goes on counting'

# --- B65: the supervisor is gone, and its keeper, but not all of the program

cat >"$tmp/bereft.py" <<'END'
import _socket, errno, time

def tried():
    try:
        _socket.socket()
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]

print("with", tried(), flush=True)
while (told := tried()) == "EPERM":
    time.sleep(0.02)
print("without", told, flush=True)
time.sleep(1000)
END
: >"$captured/out"
# shellcheck disable=SC2016 # for the inner shell
spawn confine run -q --timeout=100s --allow-run "--allow-read=$tmp/bereft.py" -- sh -c 'python3 -S "$1" & wait' sh "$tmp/bereft.py"
check 'control: with a supervisor a socket is denied' wait_for 60 has_output 'with EPERM'
supervisor=$pid
# The main process is killed with its supervisor, a child of it not.
forsake "$supervisor"
check 'B65: for one whose listener is closed there is no such call, and nothing goes on' wait_for 60 has_output 'without ENOSYS'
finish "$supervisor"
capture run_as /usr/bin/confine reap --kill
is "$rc" 0 '... until it is reaped'

# --- a denied call whose memory nobody can read

# In the container only: the guest has no FUSE.
stuck() {
    mount=$(mktemp -d /var/tmp/stuck.XXXXXX)
    made=
    [ -e /dev/fuse ] || { mknod /dev/fuse c 10 229 && made=/dev/fuse; }
    python3 "$data/stuck_fuse.py" "$mount" "$(id -u "$user")" >"$captured/stuck" 2>&1 &
    server=$!
    says() { grep -qx "$1" "$captured/stuck"; }
    wait_for 10 says ready || bail_out "$(cat "$captured/stuck")"
    # First, since an open(2) waits for a read that is under way.
    began=$(date +%s)
    capture confine run -q --timeout=20s --allow-read="$mount" -- python3 -S "$data/stuck_exec.py" "$mount/file"
    is "$rc: $out" '0: returned -1 1' 'S13: inside it is denied, without a look'
    within "$(($(date +%s) - began))" 0 15 '... at once'
    is "$(grep -c '^read by confine' "$captured/stuck")" 0 '... and the supervisor has read nothing'
    plainly python3 -S "$data/stuck_exec.py" "$mount/file" >"$captured/out" 2>&1 &
    control=$!
    check 'control: the kernel reads there, unconfined, and waits' wait_for 10 says 'read by python3'
    is "$(cat "$captured/out")" '' '... so that the call does not return'
    kill -KILL "$server"
    wait "$server" "$control" 2>/dev/null || :
    umount --lazy "$mount"
    rmdir "$mount"
    rm -f $made
}
if ! limits; then stuck; fi

assert_clean
done_testing
