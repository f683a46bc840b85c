#!/bin/sh
# SPDX-License-Identifier: MIT
# S4 S8: no key is accepted and ignored. Each one there is, with another value than its default, has an effect that can be
# seen, or is refused by name. What the effects are good for is for other tests.
# rung: box
# managers: system user
# budget: 60
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; options are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

chmod 0777 "$tmp"
echo secret >secret
mkdir writable
chmod 0777 writable
cp /bin/true program
chmod 0644 secret
chmod 0755 program
echo '{"version": 1}' >empty.json

# effect KEY=VALUE WANTED COMMAND...: status and output with it, and not without it. $more: options of both runs.
more=
effect() {
    setting=$1 wanted=$2
    shift 2
    capture run_as env FROM=caller $run_words $more -- "$@"
    control="$rc: $out"
    capture run_as env FROM=caller $run_words $more -p "$setting" -- "$@"
    is "$rc: $out" "$wanted" "S4: $setting has its effect"
    isnt "$control" "$wanted" "control: not without it"
    more=
}

# unit KEY=VALUE PROPERTY WANTED: what the service manager says of the unit; it has no such value otherwise.
unit() {
    for options in '' "-p $1"; do
        : >"$captured/out" # what an earlier run said is not this one's
        spawn confine run --allow-run $options -- sh -c 'echo started; exec sleep 100'
        wait_for 20 grep -q started "$captured/out" || bail_out "no run with '$options'"
        name=$(find /sys/fs/cgroup -type d -name 'confine-*.scope' -printf '%f\n' || :) # others may go while it looks
        [ -n "$options" ] || control=$(run_as systemctl $manager_option show -p "$2" --value "$name")
        found=$(run_as systemctl $manager_option show -p "$2" --value "$name")
        kill -TERM "$pid"
        finish "$pid"
    done
    is "$found" "$3" "S4: $1 is in the unit"
    isnt "$control" "$3" 'control: not without it'
}

# refused SETTING REGEX
refused() {
    capture confine run $more -p "$1" --allow-write="$tmp" -- touch "$tmp/ran"
    is "$rc: $out" '125: ' "S4: $1 is refused"
    like "$err" "^confine: .*$2.*\]$" 'by name'
    check 'and nothing ran' test ! -e ran
    more=
}

# of_result KEY=VALUE FIELD WANTED
of_result() {
    capture run_as $run_words --result=fd:1 -- true
    control=$(jq -r "$2" "$captured/out")
    capture run_as $run_words --result=fd:1 -p "$1" -- true
    is "$(jq -r "$2" "$captured/out")" "$3" "S4: $1 is in the result"
    isnt "$control" "$3" 'control: not without it'
}

limits_missing='MemoryMax MemorySwapMax CPUQuota TasksMax'

# try KEY: a key that is built.
try() {
    case $1 in
    AllowRead) effect "$1=$tmp/secret" '0: secret' cat "$tmp/secret" ;;
    AllowWrite) effect "$1=$tmp/writable" '0: ' touch "$tmp/writable/file" ;;
    AllowExec) effect "$1=$tmp/program" '0: ' "$tmp/program" ;;
    Base) effect "$1=none" '126: ' true ;;
    PrivateTmp) effect "$1=no" '1: ' touch /dev/shm/file ;;
    DiskMax) effect "$1=64K" '1: ' python3 -c 'import os; open(os.environ["TMPDIR"] + "/file", "wb").write(bytes(100000))' ;;
    LimitFSIZE) effect "$1=1M" '0: 2048' sh -c 'ulimit -f' ;;
    MemoryMax) unit "$1=64M" MemoryMax 67108864 ;;
    MemorySwapMax) unit "$1=64M" MemorySwapMax 67108864 ;;
    CPUQuota) unit "$1=50%" CPUQuotaPerSecUSec 500ms ;;
    CPUWeight) unit "$1=50" CPUWeight 50 ;;
    # No io controller here: best-effort tells what it goes without. The effect is for 66-io.
    IOWeight) of_result "$1=50" .missing "$limits_missing $1" ;;
    IOReadBandwidthMax | IOWriteBandwidthMax) of_result "$1=/usr 1M" .missing "$limits_missing $1" ;;
    Slice)
        unit "$1=confine-keys" Slice confine-keys.slice
        run_as systemctl $manager_option stop confine-keys.slice # systemd keeps one that is empty
        ;;
    TasksMax) unit "$1=9" TasksMax 10 ;;
    RuntimeMaxSec) effect "$1=100ms" '124: ' sleep 2 ;;
    TimeoutStopSec) unit "$1=7s" TimeoutStopUSec 7s ;;
    StartTimeoutSec) refused "$1=1ms" CreateTimeout ;;
    LimitNOFILE) effect "$1=99" '0: 99' sh -c 'ulimit -n' ;;
    LimitCORE) effect "$1=1M" '0: 2048' sh -c 'ulimit -c' ;;
    LimitSTACK) effect "$1=1M" '0: 1024' sh -c 'ulimit -s' ;;
    Network) effect "$1=allow" '0: ' python3 -c 'import socket; socket.socket()' ;;
    TCPConnectPorts) more=--allow-net effect "$1=9" '1: ' python3 -c 'import socket; socket.socket(type=socket.SOCK_DGRAM)' ;;
    Subprocess) effect "$1=allow" '0: a' sh -c '/bin/echo a; exit' ;;
    Interpreter) more='-p Base=python' effect "$1=nonexistent" '127: ' true ;;
    SeccompProfile) refused "$1=$tmp/empty.json" empty.json ;;
    Enforcement) of_result "$1=strict" .cause refused ;;
    Environment) effect "$1=A=b" '0: b' sh -c 'echo $A' ;;
    PassEnvironment) effect "$1=FROM" '0: caller' sh -c 'echo $FROM' ;;
    LoadCredential) effect "$1=A:$tmp/secret" '0: secret' sh -c 'read -r a <$CREDENTIALS_DIRECTORY/A; echo $a' ;;
    Secrets) effect "$1=FROM" '0: caller' sh -c 'read -r a <$CREDENTIALS_DIRECTORY/FROM; echo $a' ;;
    User | Group)
        option=$(printf %s "$1" | cut -c1 | tr UG ug)
        case $user in
        root) effect "$1=daemon" "0: $(id -$option daemon)" id -$option ;;
        *) refused "$1=daemon" "'$1' .*needs root.*CapabilityNotSupported" ;;
        esac
        ;;
    UIDRange)
        case $user in
        root) effect "$1=70000-70000" '0: 70000' id -u ;;
        *) refused "$1=70000-70000" "'$1' .*needs root.*CapabilityNotSupported" ;;
        esac
        ;;
    WorkingDirectory) effect "$1=/usr" '0: /usr' pwd ;;
    Label)
        of_result "$1=tenant_id=a" .label_tenant_id a
        refused "$1=Tenant=a" "'Tenant=a' is refused for 'Label'"
        ;;
    Audit)
        capture hidden run_as $run_words -- echo ran
        is "$rc: $out" '125: ' 'control: without a journal nothing runs'
        capture hidden run_as $run_words -p "$1=best-effort" -- echo ran
        is "$rc: $out" '0: ran' "S4: $1=best-effort has its effect"
        ;;
    AuditArguments) of_result "$1=full" .command true ;;
    RequireIsolation) refused "$1=microvm" "'$1=microvm' .*is more than this run would have.*ConfigurationError" ;;
    *) not_ok "S4: $1 is tried by this test: add a line for it" ;;
    esac
}

run_as /usr/bin/confine policy keys --json >keys.json
n=0
for key in $(jq -r '.keys[] | select(.built) | .key' keys.json); do
    n=$((n + 1))
    try "$key"
done
within "$n" 25 100 'the table of keys was read'
for key in $(jq -r '.keys[] | select(.built | not) | .key' keys.json); do
    refused "$key=1" "'$key' .*not supported.*CapabilityNotSupported"
done
assert_clean
done_testing
