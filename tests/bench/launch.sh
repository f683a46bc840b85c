#!/bin/sh
# SPDX-License-Identifier: MIT
# What a start costs, measured inside the guest: launch.sh DIR box|vm ROUNDS RUNS ISOLATED-ROUNDS ISOLATED-RUNS
# DIR gets facts.json and, for each round, hyperfine's own back-to-back-N.json and isolated-N.json.
#
# Every round runs every command, so that whatever drifts (clock speed, the neighbours of a virtual machine, PID 1 growing)
# is the same for both sides of a pair; what is compared are commands of one round. The order changes from round to round,
# and every other round goes backwards, so that no command always runs in the wake of the same other one.
set -eu

[ $# -eq 6 ] || {
    echo "usage: launch.sh DIR box|vm ROUNDS RUNS ISOLATED-ROUNDS ISOLATED-RUNS" >&2
    exit 64
}
dir=$1
rung=$2
rounds=$3
runs=$4
isolated_rounds=$5
isolated_runs=$6

confine='confine run -q'
# The container has no controllers: a run there has to say that it knows.
[ "$rung" != box ] || confine="$confine -p Enforcement=best-effort"
# confine's own defaults. --collect, because confine leaves no failed unit behind either.
limits='-p MemoryMax=1G -p MemorySwapMax=0 -p TasksMax=256 -p CPUQuota=100% -p RuntimeMaxSec=300'

command_of() {
    case $1 in
    true) echo 'true' ;;
    confine) echo "$confine -- true" ;;
    systemd-run) echo "systemd-run --scope -q --collect $limits true" ;;
    bwrap) echo 'bwrap --ro-bind / / --unshare-all true' ;;
    python) echo 'python3 -c pass' ;;
    confine-python) echo "$confine -- python3 -c pass" ;;
    esac
}

# Once each, beforehand: hyperfine would not say which command it was that failed, and why.
try_commands() {
    for name in true confine systemd-run bwrap python confine-python; do
        status=0
        # shellcheck disable=SC2046 # the words of a command
        set -- $(command_of "$name")
        "$@" </dev/null >"$dir/said" 2>&1 || status=$?
        if [ "$status" -ne 0 ]; then
            echo "launch.sh: status $status of: $*" >&2
            cat "$dir/said" >&2
            exit 1
        fi
    done
}

# measure EXPORT RUNS ORDER OPTION...: one round. Warmed up, because the first runs of a command pay for what the one before
# has left to PID 1, and for caches.
measure() {
    export=$1
    n_runs=$2
    order=$3
    shift 3
    for name in $order; do
        set -- "$@" --command-name "$name" "$(command_of "$name")"
    done
    if ! hyperfine --shell=none --style=none --runs "$n_runs" --export-json "$export" "$@" >"$dir/said" 2>&1; then
        cat "$dir/said" >&2
        exit 1
    fi
}

# rotate NAME...: the first becomes the last.
rotate() {
    first=$1
    shift
    echo "$@" "$first"
}

backwards() {
    reversed=
    for name; do
        reversed="$name $reversed"
    done
    echo "$reversed"
}

# rounds_of NAME ROUNDS RUNS OPTION...
rounds_of() {
    kind=$1
    n_rounds=$2
    kind_runs=$3
    shift 3
    names='true confine systemd-run bwrap python confine-python'
    round=1
    while [ "$round" -le "$n_rounds" ]; do
        order=$names
        # shellcheck disable=SC2086 # a list
        [ $((round % 2)) -eq 1 ] || order=$(backwards $names)
        measure "$dir/$kind-$round.json" "$kind_runs" "$order" "$@"
        # shellcheck disable=SC2086 # a list
        names=$(rotate $names)
        round=$((round + 1))
    done
}

facts() {
    jq -n --arg kernel "$(uname -r)" --arg systemd "$(systemctl --version | sed -n '1s/^systemd \([0-9]*\).*/\1/p')" \
        --arg cpu "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)" --argjson cpus "$(nproc)" \
        --argjson load "$(cut -d' ' -f1 /proc/loadavg)" \
        '{kernel: $kernel, systemd: $systemd, cpu: $cpu, cpus: $cpus, load: $load}'
}

mkdir -p "$dir"
rm -f "$dir"/*
facts >"$dir/facts.json"
try_commands
rounds_of back-to-back "$rounds" "$runs" --warmup 3
# Half a second without any move of a process between cgroups: the kernel then waits for an RCU grace period at the next.
rounds_of isolated "$isolated_rounds" "$isolated_runs" --prepare 'sleep 0.5'
rm -f "$dir/said"
