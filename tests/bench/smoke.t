#!/bin/sh
# SPDX-License-Identifier: MIT
# That the bench works and that what it writes has the form others read; nothing about times, which are measured and not tested.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
out=$here/../../build/bench/quick
said=$(mktemp)
trap 'rm -f "$said"' EXIT

n=0
# result STATUS DESCRIPTION
result() {
    n=$((n + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $n - $2"
    else
        echo "not ok $n - $2"
    fi
}

# has_form FILE RUNG: exactly the six results, each of them complete and in order.
has_form() {
    # shellcheck disable=SC2016 # jq's own variables
    jq -e --arg rung "$2" '
        def pair: ["true_vs_systemd_run", "true_vs_bwrap", "python_overhead_ms"];
        (keys | sort) == (pair + (pair | map(. + "_isolated")) | sort)
        and all(.[]; (keys | sort) == ["max", "median", "min", "rung", "runs"]
            and ([.median, .min, .max, .runs] | all(type == "number"))
            and .min <= .median and .median <= .max and .runs >= 1 and .rung == $rung)
        and all(to_entries[] | select(.key | test("_vs_")); .value.min > 0)' "$1" >/dev/null
}

rm -rf "$out"
status=0
BENCH_QUICK=1 "$here/bench" </dev/null >"$said" 2>&1 || status=$?
result "$status" 'the bench runs in both rungs'
sed 's/^/# /' "$said"
for rung in container vm; do
    file=$out/launch.json
    [ "$rung" = container ] || file=$out/vm/launch.json
    status=0
    has_form "$file" "$rung" || status=1
    result "$status" "launch.json of the $rung rung has its form"
    status=0
    jq -e '(.machine | keys) == ["cpu", "cpus", "kernel", "load", "systemd"] and (.launch | length == 6)' \
        "${file%launch.json}history.json" >/dev/null 2>&1 || status=1
    result "$status" "history.json of the $rung rung says where the figures are from"
done
for file in "$here"/history/*.json; do
    [ -e "$file" ] || continue
    status=0
    jq -e '.launch' "$file" | has_form /dev/stdin container || status=1
    result "$status" "history/${file##*/} has the form of history.json"
done
echo "1..$n"
