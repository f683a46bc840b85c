#!/bin/sh
# SPDX-License-Identifier: MIT
# B35: LimitFSIZE gives EFBIG and the task lives; the limits of open files, cores and the stack are hard.
# rung: vm
# managers: system user
# budget: 240
# shellcheck disable=SC2016 # what is in single quotes is for the program under test
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/limits.sh"

mib=$((1 << 20))
size_of() {
    stat -c %s "$1" 2>/dev/null || echo none
}

# writes LIMIT PROGRAM: a shell that runs the program with $f for the file and then goes on.
writes() {
    rm -f "$disk/f"
    confined -p "LimitFSIZE=$1" "--allow-write=$disk" --allow-run -- sh -c '
        f=$1
        '"$2"'
        echo "status $?"
        echo lives' sh "$disk/f"
}

# stopped DESCRIPTION SIZE: the write failed with EFBIG, the file has this size, and the shell went on.
stopped() {
    is "$rc $(printf '%s' "$out" | tr '\n' ' ') $(facts cause exit_status signal limit)" '0 status 1 lives exit 0 - -' \
        "B35: $1: fails, and the task lives"
    like "$err" '(File too large|EFBIG)' '... with EFBIG'
    is "$(size_of "$disk/f")" "$2" "... and the file has $2 bytes"
}

# went DESCRIPTION SIZE: the control: the same with a larger limit.
went() {
    is "$rc $(printf '%s' "$out" | tr '\n' ' ') $err $(size_of "$disk/f")" "0 status 0 lives  $2" "control: $1"
}

writes 1M 'dd if=/dev/zero of="$f" bs=64k count=64 status=none'
stopped 'dd of 4M with LimitFSIZE=1M' "$mib"
writes 4M 'dd if=/dev/zero of="$f" bs=64k count=64 status=none'
went 'dd of 4M with LimitFSIZE=4M' $((4 * mib))

python='python3 -c "
import os, sys
f = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
try:
    while os.lseek(f, 0, os.SEEK_CUR) < 4 << 20:
        os.write(f, bytes(65536))
except OSError as e:
    sys.exit(\"EFBIG\" if e.errno == 27 else str(e))
" "$f"'
writes 1M "$python"
stopped 'python, write(2)' "$mib"
writes 4M "$python"
went 'python' $((4 * mib))

writes 1M 'fallocate -l 10G "$f"'
stopped 'fallocate of 10G' 0
writes 4M 'fallocate -l 4M "$f"'
went 'fallocate of 4M' $((4 * mib))

writes 1M 'truncate -s 4M "$f"'
stopped 'truncate to 4M' 0
writes 4M 'truncate -s 4M "$f"'
went 'truncate to 4M' $((4 * mib))

# One write across the limit is cut short, the next one fails.
writes 1M 'dd if=/dev/zero of="$f" bs=1 seek=2M count=1 conv=notrunc status=none'
stopped 'a byte at 2M of a sparse file' 0
# A file of its own for each: the limit is one of the file, not of the run.
confined -p LimitFSIZE=1M "--allow-write=$disk" --allow-run -- sh -c '
    for n in 1 2 3; do dd if=/dev/zero of="$1.$n" bs=1M count=1 status=none || exit; done' sh "$disk/f"
is "$rc $err $(size_of "$disk/f.1") $(size_of "$disk/f.3")" "0  $mib $mib" 'three files of 1M each with LimitFSIZE=1M'
# A program may die of it if it wants to: then it is the program's own signal, and the limit is named.
rm -f "$disk/f"
confined -p LimitFSIZE=1M "--allow-write=$disk" -- perl -e '
    $SIG{XFSZ} = "DEFAULT"; open F, ">", $ARGV[0]; $x = "x" x 65536; syswrite F, $x for 1 .. 64' "$disk/f"
is "$rc $(facts cause signal limit) $(size_of "$disk/f")" "153 signal 25 - $mib" 'who sets SIGXFSZ to its default dies of it'
told='a file of the program reached LimitFSIZE=1M, or it sent itself SIGXFSZ: raise it with -p LimitFSIZE='
is "$err" "confine: $told" 'S11: ... and the message names the limit'
is "$(facts reason)" "$told" '... the result, too'
check '... and the record' recorded "$(facts id)" "$told"
confined -p LimitFSIZE=4M "--allow-write=$disk" -- perl -e '$SIG{XFSZ} = "DEFAULT"; open F, ">", $ARGV[0]; $x = "x" x 65536; syswrite F, $x for 1 .. 64' "$disk/f"
is "$rc $err" '0 ' 'control: with LimitFSIZE=4M neither'

# --- stdout

truncate -s 1M "$tmp/past"
spawn_append() {
    rc=0
    run_as /usr/bin/confine run "--result=$tmp/result" "$@" >>"$tmp/past" 2>"$captured/err" || rc=$?
    err=$(cat "$captured/err")
    captured_command="confine run $* >>past"
}
told='confine: stdout is a file that is already past LimitFSIZE=1M: appending to it will fail with EFBIG: raise it with -p LimitFSIZE='
spawn_append -p LimitFSIZE=1M -- sh -c 'echo x || exit 4; exit 5' 2>/dev/null
is "$rc $(size_of "$tmp/past") $(facts cause exit_status)" "4 $mib exit 4" 'appending to a stdout of 1M with LimitFSIZE=1M fails'
is "$(printf '%s\n' "$err" | head -n 1)" "$told" '... and is told before'
spawn_append -p LimitFSIZE=2M -- sh -c 'echo x || exit 4; exit 5'
is "$rc $err $(size_of "$tmp/past")" "5  $((mib + 2))" 'control: with LimitFSIZE=2M it works, and nothing is said'
spawn_append -q -p LimitFSIZE=1M -- true
is "$rc $err" '0 ' '... nor with -q'

# --- what else is hard

# Core sizes are in blocks of 512 bytes, as file sizes are; the stack in KiB.
limits='ulimit -Hf; ulimit -Sf; ulimit -Hn; ulimit -Sn; ulimit -Hc; ulimit -Sc; ulimit -Hs; ulimit -Ss'
confined -p LimitFSIZE=3M -p LimitNOFILE=100 -p LimitCORE=4M -p LimitSTACK=2M -- sh -c "$limits"
is "$rc $(printf '%s' "$out" | tr '\n' ' ')" '0 6144 6144 100 100 8192 8192 2048 2048' \
    'LimitFSIZE, LimitNOFILE, LimitCORE, LimitSTACK: hard is soft is what was asked'
confined -- sh -c "$limits"
is "$rc $(printf '%s' "$out" | head -n 6 | tr '\n' ' ')" "0 $(((1 << 30) / 512)) $(((1 << 30) / 512)) 1024 1024 0 0 " \
    'the shipped ones: 1G, 1024, 0'
confined -p LimitNOFILE=100 -- sh -c 'ulimit -n 200 && echo raised'
is "$rc $out" '2 ' 'a run cannot raise them'
like "$err" 'Operation not permitted' '... with EPERM'
capture run_as sh -c 'ulimit -n 100; ulimit -Sn 50; ulimit -Sn 100 && ulimit -n'
is "$rc $out" '0 100' 'control: without confine a soft one can be raised to the hard one'
if [ "$MANAGER" = user ]; then
    # Root may raise a hard limit, alice may not.
    confined -p LimitNOFILE=100000000 -- true
    is "$rc $(facts cause)" '125 refused' "LimitNOFILE= above the caller's hard limit: refused"
    like "$err" "^confine: .*LimitNOFILE=.*$(run_as sh -c 'ulimit -Hn')" '... by name, with the figure'
    # What nobody asked for must not be in the way: less is in force, or it is said what to ask for.
    for limit in 'n 512 LimitNOFILE' 'f 100 LimitFSIZE'; do
        # shellcheck disable=SC2086 # three words
        set -- $limit
        capture run_as sh -c "ulimit -$1 $2; exec /usr/bin/confine run -- sh -c 'ulimit -$1'"
        case "$rc $out $err" in
        "0 $2 "*) ;;
        "125  confine: "*"$3="*) ;;
        *) complain "ulimit -$1 $2: $rc $out $err" ;;
        esac
    done
    none_wrong "the shipped ones above the caller's hard limit: the caller's, or refused by name"
fi
confined -p LimitNOFILE=16 -- perl -e '
    while (open my $f, "<", "/dev/null") { push @files, $f }
    print scalar @files + 3, " ", $! + 0, "\n"'
is "$rc $out" '0 16 24' 'LimitNOFILE=16: the 17th descriptor is refused with EMFILE'

assert_clean
done_testing
