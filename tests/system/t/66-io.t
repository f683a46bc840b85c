#!/bin/sh
# SPDX-License-Identifier: MIT
# S11: weights and the bandwidth of disks: in force as the kernel shows it, or refused by name.
# rung: vm
# managers: system user
# vm-managers: system user
# budget: 60
# shellcheck disable=SC2016 # what is in single quotes is for the program under test
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/limits.sh"

# refused REGEX ARG...
refused() {
    regex=$1
    shift
    confined "$@" --allow-write="$disk" -- touch "$disk/ran"
    is "$rc $out $(facts cause error)" '125  refused CapabilityNotSupported' "$*: refused"
    like "$err" "^confine: $regex.* \[CapabilityNotSupported\]\$" '... by name'
    check '... and nothing ran' absent "$disk/ran"
    check '... and nothing is left' wait_for 5 no_scope
}

background -p CPUWeight=50 --allow-run -- sh -c 'echo started; exec sleep 1000'
is "$(cat "$scope/cpu.weight")" 50 'CPUWeight=50 is in force'
stop
background --allow-run -- sh -c 'echo started; exec sleep 1000'
is "$(cat "$scope/cpu.weight")" 100 'control: 100 unless asked for'
stop

# --- a manager without the controller io

no_controller="cgroup controller 'io' is not available to the $MANAGER manager, so"
case $MANAGER in
user)
    fix="put 'Delegate=cpu io memory pids' under \[Service\] in /etc/systemd/system/user@.service.d/delegate.conf"
    refused "$no_controller IOReadBandwidthMax= .*$fix" -p "IOReadBandwidthMax=$disk 1M"
    refused "$no_controller IOWriteBandwidthMax= .*$fix" -p "IOWriteBandwidthMax=$disk 1M"
    refused "$no_controller IOWeight= .*$fix" -p IOWeight=50
    confined -p Enforcement=best-effort -p IOWeight=50 -p "IOReadBandwidthMax=$disk 1M" -- echo ran
    is "$rc $out $(facts missing)" '0 ran IOWeight IOReadBandwidthMax' 'best-effort tolerates it, and tells what it goes without'
    assert_clean
    done_testing
    exit
    ;;
esac

# --- bandwidth

for key in IOReadBandwidthMax IOWriteBandwidthMax; do
    for path in "$disk" /dev/vda; do
        background -p "$key=$path 3M" --allow-run -- sh -c 'echo started; exec sleep 1000'
        case $key in
        IORead*) wanted="rbps=$((3 << 20)) wbps=max" ;;
        *) wanted="rbps=max wbps=$((3 << 20))" ;;
        esac
        like "$(cat "$scope/io.max")" "^$(cat /sys/block/vda/dev) $wanted " "$key=$path is in force for the disk"
        stop
    done
done

head -c $((4 << 20)) /dev/urandom >"$disk/data"
chmod 0644 "$disk/data"
sync "$disk/data"
# read_direct ARG...: how long four megabytes from the disk itself take, in microseconds.
read_direct() {
    confined "$@" --allow-read="$disk" -- dd if="$disk/data" of=/dev/null bs=1M iflag=direct status=none
    is "$rc $err" '0 ' "reads with '$*'"
    took=$(facts duration_usec)
}
read_direct -p "IOReadBandwidthMax=$disk 1M"
check 'at 1M a second, 4M take more than two seconds' at_least "$took" 2000000
read_direct
check 'control: without the limit they take less' at_most "$took" 1999999

# What is in force stays so when systemd reads again what it wrote down of the scope.
background -p "IOReadBandwidthMax=$disk 3M" --allow-run -- sh -c 'echo started; exec sleep 1000'
systemctl daemon-reload
like "$(cat "$scope/io.max")" "^$(cat /sys/block/vda/dev) rbps=$((3 << 20)) " 'a reload of the manager leaves the limit in force'
stop

refused "IOReadBandwidthMax= is not in force for '/dev/shm' \(it lies on no single disk\): name a disk" -p 'IOReadBandwidthMax=/dev/shm 1M'
# Two paths of one disk: systemd takes the last one, and what is less than that is not in force.
refused "IOReadBandwidthMax= is not in force for '/dev/vda' \(its disk has none, or more by another path\): name a disk" \
    -p 'IOReadBandwidthMax=/dev/vda 1M' -p "IOReadBandwidthMax=$disk 3M"
confined -p 'IOReadBandwidthMax=/dev/vda 3M' -p "IOReadBandwidthMax=$disk 1M" -- echo ran
is "$rc $out" '0 ran' 'control: less than another path of the disk says is in force for both'
refused "IOWriteBandwidthMax= is not in force for '/nonexistent' \(No such file" -p 'IOWriteBandwidthMax=/nonexistent 1M'

# --- a weight of devices

refused 'IOWeight= has no effect here, no block device has the BFQ scheduler or iocost: write bfq to' -p IOWeight=50
at_end 'echo none >/sys/block/vda/queue/scheduler; modprobe -r bfq'
check 'the BFQ scheduler' modprobe bfq
echo bfq >/sys/block/vda/queue/scheduler
background -p IOWeight=50 --allow-run -- sh -c 'echo started; exec sleep 1000'
is "$(cat "$scope/io.weight")" 'default 50' 'with BFQ, IOWeight=50 is in force'
stop

assert_clean
done_testing
