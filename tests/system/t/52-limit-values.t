#!/bin/sh
# SPDX-License-Identifier: MIT
# B29: what a limit may be set to. A caller may raise one; nobody can unset one, and nothing is rounded or guessed.
# rung: vm
# managers: system user
# budget: 240
# shellcheck disable=SC2016 # what is in single quotes is for the program under test
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/limits.sh"

size='write digits and K, M, G or T, such as 512M'
count='write a whole number, such as 256'
percent='write a percentage of one CPU, such as 50% or 200%'
span='write a time span such as 300s, 5min, 1h 30min or 500ms'

# refused TYPE KEY VALUE ANSWER: the whole message, and that nothing ran.
refused() {
    capture confine run -p "$2=$3" --allow-write="$disk" -- touch "$disk/ran"
    wanted="confine: '$3' is $1 '$2' (-p $2): $4 [ConfigurationError]"
    [ "$rc $out $err" = "125  $wanted" ] || complain "$2='$3': $rc $out $err"
    [ ! -e "$disk/ran" ] || complain "$2='$3': it ran"
}

refused 'too small for' MemoryMax 0 'write 4M or more'
refused 'too small for' MemoryMax 4095K 'write 4M or more'
refused 'too large for' MemoryMax 18446744073709551615 'write 4096T or less'
refused 'not a size for' MemoryMax '' "a limit cannot be unset, $size"
refused 'not a size for' MemoryMax infinity "a limit cannot be unset, $size"
refused 'not a size for' MemoryMax max "a limit cannot be unset, $size"
refused 'not a size for' MemoryMax -1 "a limit cannot be negative, $size"
refused 'not a size for' MemoryMax -64M "a limit cannot be negative, $size"
refused 'not a size for' MemoryMax 18446744073709551616 'the number is too large'
refused 'not a size for' MemoryMax 16777216T 'the number is too large'
refused 'not a size for' MemoryMax 1.5G "write '1536M'"
refused 'not a size for' MemoryMax 512m "write '512M'"
refused 'not a size for' MemoryMax 512MB "write '512M'"
refused 'not a size for' MemoryMax 512MiB "write '512M'"
refused 'not a size for' MemoryMax '512 M' "write '512M'"
refused 'not a size for' MemoryMax 010M "$size"
refused 'not a size for' MemoryMax 0x10M "$size"
refused 'not a size for' MemoryMax 50% "$size"
none_wrong 'B29: MemoryMax'

# One parser for all, whoever is asked afterwards: once is enough for the rest.
if [ "$MANAGER" = system ]; then
    refused 'not a size for' MemorySwapMax '' "a limit cannot be unset, $size"
    refused 'not a size for' MemorySwapMax infinity "a limit cannot be unset, $size"
    refused 'not a size for' MemorySwapMax -1 "a limit cannot be negative, $size"
    refused 'not a size for' LimitFSIZE infinity "a limit cannot be unset, $size"
    refused 'too small for' LimitFSIZE 0 'write 1 or more'
    refused 'not a count for' LimitNOFILE infinity "a limit cannot be unset, $count"
    none_wrong 'MemorySwapMax, LimitFSIZE, LimitNOFILE'

    refused 'too small for' TasksMax 0 'write 1 or more'
    refused 'too large for' TasksMax 4194304 'write 4194303 or less'
    refused 'not a count for' TasksMax '' "a limit cannot be unset, $count"
    refused 'not a count for' TasksMax infinity "a limit cannot be unset, $count"
    refused 'not a count for' TasksMax -5 "a limit cannot be negative, $count"
    refused 'not a count for' TasksMax 18446744073709551616 'the number is too large'
    refused 'not a count for' TasksMax 50% "$count"
    none_wrong 'TasksMax'

    refused 'too small for' CPUQuota 0% 'write 1% or more'
    refused 'not a percentage for' CPUQuota '' "a limit cannot be unset, $percent"
    refused 'not a percentage for' CPUQuota infinity "a limit cannot be unset, $percent"
    refused 'not a percentage for' CPUQuota 50 "write '50%'"
    refused 'not a percentage for' CPUQuota -50% "a limit cannot be negative, $percent"
    none_wrong 'CPUQuota'

    refused 'too small for' RuntimeMaxSec 0 'write 1ms or more'
    refused 'not a time span for' RuntimeMaxSec '' "a limit cannot be unset, $span"
    refused 'not a time span for' RuntimeMaxSec infinity "a limit cannot be unset, $span"
    refused 'not a time span for' RuntimeMaxSec -1 "a limit cannot be negative, $span"
    refused 'not a time span for' TimeoutStopSec infinity "a limit cannot be unset, $span"
    none_wrong 'RuntimeMaxSec, TimeoutStopSec'
fi

for option in --memory=512m --memory=0 --memory= --tasks=0 --cpu=50 --timeout=0 --timeout=infinity; do
    capture confine run "$option" --allow-write="$disk" -- touch "$disk/ran"
    case "$rc $out $err" in
    "125  confine: '${option#*=}' is "*" (${option%%=*}): "*' [ConfigurationError]') ;;
    *) complain "$option: $rc $out $err" ;;
    esac
    [ ! -e "$disk/ran" ] || complain "$option: it ran"
done
none_wrong 'the short options refuse the same, and name themselves'

capture confine run -p MemoryMax=0 -p TasksMax=infinity --timeout=0 --allow-write="$disk" -- touch "$disk/ran"
is "$rc $(printf '%s\n' "$err" | wc -l)" '125 3' 'three wrong ones: all three are told'
confined -p MemoryMax=0 --allow-write="$disk" -- touch "$disk/ran"
is "$rc $(facts event cause error exit_status)" '125 end refused ConfigurationError 125' 'a refusal has its result in JSON'
check 'nothing ran' absent "$disk/ran"

# --- what is at the edge and allowed

confined --memory=4M --tasks=1 --timeout=30s -- true
is "$rc $err $(facts cause tasks_peak)" '0  exit 1' 'the smallest MemoryMax and TasksMax are enough for true'
confined --memory=8M -- perl -e "$hog"
is "$rc $(facts cause limit)" '137 limit MemoryMax' '... and are in force'
background --memory=4096T -p MemorySwapMax=4096T --tasks=4194303 --allow-run -- sh -c 'echo started; exec sleep 1000'
is "$(cat "$scope/memory.max" "$scope/memory.swap.max" "$scope/run/pids.max" | tr '\n' ' ')" \
    '4503599627370496 4503599627370496 4194303 ' 'the largest ones are in force too'
stop
is "$rc" 143 '... and run'

assert_clean
done_testing
