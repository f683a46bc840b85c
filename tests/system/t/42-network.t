#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: system user
# budget: 90
# The network grant: what it opens, and all that it does not. A server of the test listens on the guest's loopback.
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# --- the server, and a name for it

path=$tmp/socket
mkfifo stop
exec 9<>stop
(exec python3 "$data/network.py" serve "$path" <stop >port 9<&-) &
server=$!
has_port() { [ -s port ]; }
wait_for 20 has_port || bail_out 'the server does not listen'
port=$(cat port)

# As resolved and others have it: a link to a file in /run.
touch /etc/resolv.conf
mv /etc/resolv.conf /etc/resolv.conf.test
echo 'nameserver 127.0.0.1' >/run/resolv.conf.test
ln -s ../run/resolv.conf.test /etc/resolv.conf

# attempts OPTIONS...: what network.py says under confine, on one line.
attempts() {
    capture confine run -p PrivateTmp=no --result="$tmp/result" --allow-read="$data" "$@" -- python3 -S "$data/network.py" attempts "$port" "$path"
    got=$(printf '%s\n' "$out" | tr '\n' ' ')
}

inet='tcp4 tcp6 udp4 udp6 listen4 listen6'
more='listen-unbound sendto-fast sendmsg-fast'
others='mptcp sctp smc raw raw6 ping netlink packet vsock unix abstract unix-dgram pair-dgram'
all() {
    for operation in $inet; do printf '%s %s ' "$operation" "$1"; done
    printf 'resolve %s ' "$2"
    for operation in $more; do printf '%s %s ' "$operation" "$1"; done
    printf 'pair ok '
    for operation in $others; do printf '%s EPERM ' "$operation"; done
    printf 'pair-connect %s fork EPERM exec EPERM ' "$3"
}

# --- unconfined

capture python3 -S "$data/network.py" attempts "$port" "$path"
like "$out" '^Python 3' 'control: unconfined a program can start another one'
for operation in $inet $more resolve pair raw raw6 netlink packet unix abstract unix-dgram pair-dgram fork; do
    is "$(printf '%s\n' "$out" | sed -n "s/^$operation //p")" ok "control: unconfined root can do $operation"
done
for operation in mptcp sctp smc ping vsock; do
    unlike "$out" "^$operation EPERM\$" "control: it is not the kernel that forbids $operation"
done

# --- confined

attempts
is "$got" "$(all EPERM unknown EPERM)" 'P7 S3 B23: without a grant no socket but a pair, under either manager'
is "$rc" 0 'which is an error of the call, not the end of the program'
if [ "$MANAGER" = user ]; then
    # A rule of a user manager is no wall, which is why none is asked for.
    capture run_as systemd-run --user --quiet --scope -p IPAddressDeny=any python3 -S "$data/network.py" attempts "$port" "$path"
    like "$out" '^tcp4 ok$' 'B23: control: a user manager takes IPAddressDeny=any, and the network is open'
fi
capture confine run -p IPAddressDeny=any -- true
is "$rc: $(messages)" "125: confine: unknown key 'IPAddressDeny' (-p IPAddressDeny): confine.conf(5) lists the keys [ConfigurationError]" \
    'B23: such a rule is refused, not accepted and ignored'
attempts --allow-run --allow-read=/etc/resolv.conf
is "$(printf '%s\n' "$out" | sed -n '/^tcp4 /p; /^fork /p' | tr '\n' ' ')" 'tcp4 EPERM fork ok ' 'P7: processes are no network'

# The pair is connected and stays so: AF_UNIX is no way out by connect(2).
attempts --allow-net
is "$got" "$(all ok ok EISCONN)" 'P7 P11: --allow-net is TCP and UDP over IPv4 and IPv6, and nothing else'
is "$(result '"\(.cause) \(.exit_status)"')" 'exit 0' 'and ends by itself'
attempts -p Network=allow
is "$got" "$(all ok ok EISCONN)" '-p Network=allow is the same'
attempts --allow-net --allow-run
like "$out" '^fork ok$' 'both grants together'
like "$out" '^unix EPERM$' 'open no local socket either'
like "$out" '^tcp4 ok$' 'but the network'

# --- TCP ports

# Landlock answers EACCES, seccomp EPERM.
narrowed='udp4 EPERM udp6 EPERM listen4 EACCES listen6 EACCES resolve unknown listen-unbound EPERM sendto-fast EPERM sendmsg-fast EPERM pair ok '
attempts --allow-net -p TCPConnectPorts="$port"
is "${got%%mptcp *}" "tcp4 ok tcp6 ok $narrowed" 'P7: a granted TCP port is connected to, and nothing else is done'
is "${got#*pair ok }" "$(all ok ok EISCONN | sed 's/.*pair ok //')" 'the other sockets are as closed as ever'
attempts --allow-net -p TCPConnectPorts=$((port == 1 ? 2 : port - 1)) -p TCPConnectPorts=53
is "${got%%mptcp *}" "tcp4 EACCES tcp6 EACCES $narrowed" 'another port is not'
attempts --allow-net -p TCPConnectPorts="$port" -p TCPConnectPorts=53 -E RES_OPTIONS=use-vc
like "$out" '^resolve ok$' 'names are looked up by TCP, if the program is told so and port 53 is granted'
like "$out" '^tcp4 ok$' 'two ports are two grants'
capture confine run --result="$tmp/result" -p TCPConnectPorts=443 -- true
is "$rc: $(result '"\(.cause) \(.error)"')" '125: refused ConfigurationError' 'ports without a network grant are refused'
like "$(messages)" "'TCPConnectPorts' .*narrows a network grant, and there is none: add --allow-net" 'with the fix'
capture confine run --result="$tmp/result" --allow-net -p TCPConnectPorts=0 -- true
is "$rc" 125 'port 0 is none'
# A kernel whose Landlock has no ports: the attribute of ABI 4 has 16 bytes, that of ABI 6 24.
capture run_as python3 "$data/filter.py" 444 EINVAL 2=0 1=24 -- sh -c 'exec python3 "$@"' sh "$data/filter.py" 444 EINVAL 2=0 1=16 -- \
    /usr/bin/confine run -p Enforcement=best-effort --result="$tmp/result" --allow-net -p TCPConnectPorts="$port" -- true
is "$rc: $(result '"\(.cause) \(.error)"')" '125: refused CapabilityNotSupported' 'S4: where Landlock has no ports they are refused'
like "$(messages)" 'TCPConnectPorts= needs Landlock ABI 4, this kernel has 3: boot Linux 6.7 or newer' 'by name'

# --- what was denied is counted, and told if the program fails

# denied OPTIONS... CODE: runs the Python code, which is to end with status 3.
denied() {
    rm -f result
    capture confine run --result="$tmp/result" "$@"
    counts=$(result '[.exec_denials, .process_denials, .network_denials, .local_denials, .inspect_denials] | join(" ")')
}
tries='import ctypes, os, socket, sys
def attempt(call, *arguments):
    try: call(*arguments)
    except OSError: pass
def inet(): attempt(socket.socket)
def local(): attempt(socket.socket, socket.AF_UNIX)
def fork(): attempt(os.fork)
def run(): attempt(os.execv, "/bin/true", ["true"])
def trace(): ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0)
'
denied -- python3 -c "${tries}inet(); inet(); fork(); run(); run(); run(); trace(); local()
sys.exit(3)"
is "$rc: $counts" '3: 3 1 2 1 1' 'S6: each attempt is counted in its family'
like "$(result .denials)" '^socket\(AF_INET\)=2 [a-z0-9]+=1 execve=3 ptrace=1 socket\(AF_UNIX\)=1$' 'and by call'
is "$(messages)" "confine: 'python3' was denied 3 program executions (grant: --allow-run), 2 network sockets (grant: --allow-net), \
1 new process (grant: --allow-run), 1 look into another process (no grant allows it), 1 local or kernel socket (no grant allows it), which may be why it failed" 'the message says what would allow it'
denied --allow-net --allow-run -- python3 -c "${tries}attempt(socket.socket, socket.AF_INET, socket.SOCK_RAW); trace()
sys.exit(3)"
is "$rc: $counts" '3: 0 0 1 0 1' 'with both grants'
is "$(messages)" "confine: 'python3' was denied 1 network socket (no grant allows it), 1 look into another process (no grant allows it), \
which may be why it failed" 'none is offered that was given'
denied -- python3 -c "${tries}inet()
os.kill(os.getpid(), 15)"
is "$rc: $counts" '143: 0 0 1 0 0' 'a program that dies of a signal'
like "$(messages)" "^confine: 'python3' was denied 1 network socket \\(grant: --allow-net\\), which may be why it failed\$" 'has failed too'
denied -- python3 -c "${tries}inet(); fork()"
is "$rc: $counts: $(messages)" '0: 0 1 1 0 0: ' 'one that does not fail is not talked about'
denied -q -- python3 -c "${tries}inet()
sys.exit(3)"
is "$rc: $counts: $(messages)" '3: 0 0 1 0 0: ' 'nor any with -q'
denied -v -- python3 -c "${tries}inet(); local()"
like "$(messages)" ', denied: socket\(AF_INET\)=1 socket\(AF_UNIX\)=1$' '-v tells in any case'
denied -- python3 -c 'import pwd, os, sys
pwd.getpwuid(os.getuid() if os.getuid() < 60000 else 0)
sys.exit(3)'
is "$rc: $(result .network_denials): $(messages)" '3: 0: ' 'S6: what getpwuid tries is no attempt at the network'
denied --allow-net -- python3 -c 'import socket, sys
socket.getaddrinfo("localhost", 80)
sys.exit(3)'
is "$rc: $(messages)" '3: ' 'S6: nor what getaddrinfo does'
isnt "$(result .local_denials)" 0 'control: which it has tried'
# Those of docker, of systemd and D-Bus, and of ip.
for socket in 'socket.AF_UNIX, socket.SOCK_STREAM' 'socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK' \
    'socket.AF_NETLINK, socket.SOCK_RAW'; do
    capture python3 -c "import socket; socket.socket($socket)"
    is "$rc" 0 "control: unconfined there is a socket($socket)"
    denied -- python3 -c "import socket; socket.socket($socket)"
    is "$rc: $counts: $(messages)" "1: 0 0 0 1 0: confine: 'python3' was denied 1 local or kernel socket (no grant allows it), which may be why it failed" \
        'S6: a program that fails by it is told'
done

# Who holds a copy of the listener could answer, or keep a run waiting.
listeners() {
    find /proc/[0-9]*/fd -lname 'anon_inode:seccomp notify' 2>/dev/null | cut -d/ -f3
}
spawn confine run -q -- sleep 1000
has_worker() { worker_of "$pid" >/dev/null; }
wait_for 20 has_worker || diag "$(cat "$captured/err")"
is "$(listeners)" "$pid" 'no process but the supervisor holds the listener'
kill -s TERM "$pid"
finish "$pid"

# --- the name server's address

capture confine run -q -- cat /etc/resolv.conf
is "$rc: $out" '1: ' 'without the grant resolv.conf cannot be read'
like "$err" 'Permission denied' 'EACCES'
capture confine run -q --allow-net -- cat /etc/resolv.conf
is "$rc: $out" '0: nameserver 127.0.0.1' 'with it the file that it leads to can'
capture confine run -q --allow-net -p Base=none --allow-exec=/usr --allow-exec=/lib64 -- cat /etc/resolv.conf
is "$rc: $out" '1: ' 'which is of the base set'
capture confine run -q --allow-net -- sh -c 'echo x >/etc/resolv.conf'
is "$rc" 2 'nobody writes it'
rm /etc/resolv.conf
capture confine run -q --allow-net -- true
is "$rc" 0 'a machine without one is no obstacle'
mv /etc/resolv.conf.test /etc/resolv.conf
rm /run/resolv.conf.test

# --- what is not built, or not there

for option in --allow-net=127.0.0.1 --allow-net= '-p Network=learn' '-p IPAddressAllow=10.0.0.0/8' \
    '-p TCPBindPorts=80' '-p Domains=example.org'; do
    # shellcheck disable=SC2086 # an option and its argument
    capture confine run --result="$tmp/result" $option -- true
    is "$rc: $(result '"\(.cause) \(.error)"')" '125: refused CapabilityNotSupported' "S4: $option is refused"
    like "$(messages)" '^confine: .* is not supported yet: .*\[CapabilityNotSupported\]$' 'by name'
done

echo >&9
wait "$server"
exec 9>&-
assert_clean
done_testing
