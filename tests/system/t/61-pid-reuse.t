#!/bin/sh
# SPDX-License-Identifier: MIT
# B49: nobody is killed by the number of a process that is no more. With a small pid_max numbers come back at once; the
# neighbours, of the same user, die of a signal if one is ever sent to a number.
# rung: vm
# managers: system user
# budget: 240
# shellcheck disable=SC2016 # what is in single quotes is for the program under test
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/limits.sh"

pid_max=$(cat /proc/sys/kernel/pid_max)
at_end 'echo "$pid_max" >/proc/sys/kernel/pid_max; kill -KILL $canary $neighbours'
canary=
neighbours=
echo 1000 >/proc/sys/kernel/pid_max
is "$(cat /proc/sys/kernel/pid_max)" 1000 'pid_max is 1000'

# 150 children that live for a while and exit with 7, over and over, until the file is there and the numbers began anew twice.
# Says how many ended, how many of them in another way, and how often the numbers began anew.
pool='
    use POSIX ":sys_wait_h";
    $SIG{TERM} = sub { $other++ };
    ($ended, $other, $wraps, $last) = (0, 0, 0, 0);
    while (! -e $ARGV[0] || $wraps < 2) {
        while (keys %children < 150) {
            $child = fork;
            die "fork: $!" if !defined $child;
            if (!$child) { select undef, undef, undef, 0.2 + rand 1; POSIX::_exit(7) }
            $children{$child} = 1;
            $wraps++ if $child < $last;
            $last = $child;
        }
        select undef, undef, undef, 0.02;
        while (($child = waitpid -1, WNOHANG) > 0) {
            delete $children{$child};
            $ended++;
            if ($? != 7 << 8) { $other++; print "child $child: status $?\n" }
        }
    }
    kill "KILL", keys %children;
    print "$ended $other $wraps\n"'
# A canary that is not replaced.
alongside sleep 1000 >/dev/null
canary=$!
alongside perl -e "$pool" "$tmp/enough" >"$captured/pool" 2>&1
neighbours=$!

# Ends of four kinds. The delay is not awaited for anything: it is what is tested.
for round in $(seq "$(loops 0 16)"); do
    delay=$(printf '0.%03d' "$(random_ms 500)")
    case $((round % 4)) in
    0)
        confined --allow-run -- sh -c 'sleep 1000 & sleep 1000 & exit 3'
        [ "$rc" -eq 3 ] || complain "round $round: status $rc: $err"
        ;;
    1)
        confined --timeout=50ms -p TimeoutStopSec=50ms --allow-run -- sh -c 'trap "" TERM; sleep 1000; sleep 1000'
        [ "$rc" -eq 124 ] || complain "round $round: status $rc: $err"
        ;;
    2)
        spawn confine run --allow-run -- sh -c 'sleep 1000 & exec sleep 1000'
        sleep "$delay"
        kill -KILL "$pid"
        finish "$pid"
        [ "$rc" -eq 137 ] || complain "round $round, $delay s: status $rc: $err"
        ;;
    3)
        spawn confine run --allow-run -- sh -c 'sleep 1000 & exec sleep 1000'
        sleep "$delay"
        kill -TERM "$pid"
        finish "$pid"
        [ "$rc" -eq 143 ] || complain "round $round, $delay s: status $rc: $err"
        ;;
    esac
done
none_wrong 'B49: 16 runs that end by themselves, by their deadline, by kill -9 and by SIGTERM, each as it should'

check 'a neighbour from before is still there' kill -0 "$canary"
: >"$tmp/enough"
check 'the others end' wait_for 20 ended "$neighbours"
wait "$neighbours" || complain "status $?"
neighbours=
pool_said=$(cat "$captured/pool")
none_wrong '... in order'
like "$pool_said" '^[0-9]+ 0 [0-9]+$' "... none of them by a signal ($pool_said)"
pool_wraps=${pool_said##* }
within "$pool_wraps" 2 1000000 '... control: the numbers began anew, more than once'
kill -KILL "$canary"
wait "$canary" 2>/dev/null || :
canary=
restore
is "$(cat /proc/sys/kernel/pid_max)" "$pid_max" 'pid_max is as before'

assert_clean
done_testing
