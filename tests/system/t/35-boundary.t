#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# suites: trixie bookworm-backports trixie-backports
# managers: system user
# vm-managers: user
# budget: 240
# What a program may touch: the files it was granted, under the identity it was put.
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; $run_words are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# --- files

# make_files DIRECTORY: everything in it may be done by anybody, as far as file permissions go.
make_files() {
    rm -rf "$1"
    mkdir "$1" "$1/list" "$1/rmdir"
    for name in read write append read-write open-truncate truncate unlink rename rename-out link; do
        echo "content of $name" >"$1/$name"
    done
    chmod -R a+rwX "$1"
}

# state DIRECTORY: names, types and contents.
state() {
    (cd "$1" && find . -printf '%p %y %s\n' | LC_ALL=C sort && find . -type f | LC_ALL=C sort | xargs cat)
}

# attempts DIRECTORY OPTIONS...: what attempts.py prints under confine, on one line.
attempts() {
    directory=$1
    shift
    capture confine run -q --allow-read="$data" "$@" -- python3 -S "$data/attempts.py" "$directory"
    got=$(printf '%s\n' "$out" | tr '\n' ' ')
}

# all READ WRITE [SOCKET]: what attempts.py prints if reading gives the first and changing gives the second. A socket is never
# made in a sandbox: seccomp answers.
all() {
    echo "read $1 list $1 write $2 append $2 read-write $2 open-truncate $2 truncate $2 create $2 tmpfile $2 mkdir $2 rmdir $2" \
        "unlink $2 rename $2 rename-out $2 link $2 symlink $2 fifo $2 socket ${3:-EPERM} "
}

make_files "$tmp/files"
before=$(state files)
attempts "$tmp/files" -p PrivateTmp=no
is "$got" "$(all EACCES EROFS)" 'without a grant nothing can be read or written: EACCES, and EROFS in the read-only view'
is "$(state files)" "$before" 'and every file is as it was'
attempts "$tmp/files"
is "$got" "$(all ENOENT ENOENT)" 'below /tmp, which scratch covers, nothing is there at all'
is "$(state files)" "$before" 'and every file is as it was'
attempts "$tmp/files" --allow-read="$tmp/files"
is "$got" "$(all ok EROFS)" '--allow-read: read, and nothing else'
is "$(state files)" "$before" 'every file is as it was'
attempts "$tmp/files" --allow-exec="$tmp/files"
is "$got" "$(all ok EROFS)" '--allow-exec: the same'
is "$(state files)" "$before" 'every file is as it was'
attempts "$tmp/files" --allow-write="$tmp/files"
is "$got" "$(all ok ok)" '--allow-write: read, write, create, remove, rename and link'
isnt "$(state files)" "$before" 'for good'
make_files "$tmp/files"
capture plainly python3 -S "$data/attempts.py" "$tmp/files"
is "$(printf '%s\n' "$out" | tr '\n' ' ')" "$(all ok ok ok)" 'control: unconfined all of it succeeds'

# A grant of one file is no grant of its directory.
make_files "$tmp/files"
before=$(state files)
attempts "$tmp/files" --allow-read="$tmp/files/read"
is "$got" "$(all EACCES EROFS | sed 's/^read EACCES/read ok/')" 'a file is granted alone'
attempts "$tmp/files" --allow-write="$tmp/files/write"
is "$got" "$(all EACCES EROFS | sed 's/ write EROFS/ write ok/')" 'to be written as well'
make_files "$tmp/files"
attempts "$tmp/files" --allow-read="$tmp/files" --allow-write="$tmp/files/append"
is "$got" "$(all ok EROFS | sed 's/ append EROFS/ append ok/')" 'grants add up'
attempts "$tmp/files" -p AllowRead="$tmp/files"
is "$got" "$(all ok EROFS)" '-p AllowRead= is the same as --allow-read='

# Below a grant, at any depth, also what comes into being later.
mkdir -p deep/a/b
chmod -R a+rwX deep
capture confine run -q --allow-write="$tmp/deep" -- sh -c 'echo one >deep/a/b/c && echo two >>deep/a/b/c && read -r x <deep/a/b/c && echo $x'
is "$rc: $out" '0: one' 'a grant holds for everything below it'
is "$(cat deep/a/b/c)" 'one
two' 'which is written for good'

# --- exec

mkdir bin
cp /bin/true bin/tool
capture confine run -q --allow-read="$tmp/bin" -- bin/tool
is "$rc" 126 'what may be read may not be executed'
capture confine run -q --allow-write="$tmp/deep" --allow-read="$tmp/bin" --allow-run -- sh -c 'cp bin/tool deep/tool && deep/tool'
is "$rc" 126 'nor what may be written'
capture confine run -q --allow-exec="$tmp/bin" -- bin/tool
is "$rc" 0 'control: what may be executed may'
capture confine run -q --allow-exec="$tmp/bin/tool" -- bin/tool
is "$rc" 0 'alone, too'

# --- what file permissions say

echo secret >useless
chmod 0600 useless
mkdir useless-dir
chmod 0700 useless-dir
chown root:root useless useless-dir
case $MANAGER in
system) uid='[0-9]{5}' ;;
user) uid=1000 ;;
esac
for option in --allow-read --allow-write --allow-exec; do
    for path in useless useless-dir; do
        rm -f result
        capture confine run --result="$tmp/result" "$option=$tmp/$path" -- true
        is "$rc: $(result '"\(.cause) \(.error)"')" '125: refused ConfigurationError' "$option of a $path grant is refused"
        like "$(messages)" "^confine: .*'$tmp/$path' is useless: file permissions deny it to uid $uid \(Permission denied\): .*--uid=" 'with the explanation'
    done
done
capture confine run --allow-write=/etc/passwd -- true
is "$rc" 125 '--allow-write of what only root writes is refused'
like "$(messages)" "'/etc/passwd' is useless: file permissions deny it" 'with the explanation, too'
capture confine run --allow-read=/etc/passwd -- true
is "$rc: $(messages)" '0: ' 'control: but not --allow-read'

# --- /etc/shadow

if [ "$MANAGER" = system ]; then
    capture confine run -q --uid=root -- cat /etc/shadow
    is "$rc: $out" '1: ' '/etc/shadow cannot be read, not even by root'
    like "$err" "cat: /etc/shadow: Permission denied" 'EACCES'
    capture confine run -q --uid=root --allow-read=/etc/shadow -- cat /etc/shadow
    is "$rc" 0 'control: with a grant root can'
    like "$out" '^root:' 'and it is the file'
    capture confine run -q -- cat /etc/shadow
    is "$rc: $out" '1: ' 'nor by the uid of the run'
else
    echo mine >secret
    chmod 0600 secret
    chown alice: secret
    capture confine run -q -- cat secret
    is "$rc: $out" '1: ' 'a file of the user cannot be read without a grant'
    like "$err" "cat: secret: Permission denied" 'EACCES'
    capture run_as cat secret
    is "$rc: $out" '0: mine' 'control: the user can'
fi
capture confine run -q -- cat /etc/passwd
like "$out" '^root:x:0:0:' 'control: what everything needs can be read'
capture confine run -q -p Base=none -- cat /etc/passwd
isnt "$rc" 0 'Base=none grants not even that'

# --- identity

identity='uid $(id -u) gid $(id -g) groups $(id -G)'
if [ "$MANAGER" = system ]; then
    capture confine run -q -- "$bin/status"
    uid=$(printf '%s\n' "$out" | sed -n 's/^uid //p')
    within "$uid" 60578 61183 "root's run has a uid of the range"
    is "$(printf '%s\n' "$out" | grep -E '^(e|s)?(uid|gid) |^n_groups |^group ' | tr '\n' ' ')" \
        "uid $uid euid $uid suid $uid gid $uid egid $uid sgid $uid n_groups 0 " 'in every place, and the gid, without other groups'
    mkfifo hold
    chmod 0666 hold
    exec 9<>hold
    uids=
    pids=
    for i in 1 2 3 4; do
        rm -f "uid$i"
        in_shell "exec \$run -- sh -c 'echo started; read -r x' >uid$i <hold 9<&-" 9<&- &
        pids="$pids $!"
        started() { grep -q started "uid$i" 2>/dev/null; }
        wait_for 20 started || :
    done
    for process in $(pgrep -x sh); do
        # Those of the runs: their real uid is one of the range.
        uid=$(awk '/^Uid:/ { print $2 }' "/proc/$process/status" 2>/dev/null) || continue
        [ "${uid:-0}" -lt 60578 ] || [ "$uid" -gt 61183 ] || uids="$uids$uid
"
    done
    is "$(printf '%s' "$uids" | sort -u | wc -l)" 4 'four runs at once have four uids'
    printf '\n\n\n\n' >&9
    for i in $pids; do
        wait "$i" || :
    done
    exec 9>&-

    # The same on every kernel, and slow in the VM.
    if ! limits; then
        # A uid is not given to the next run while a process of the last one has it.
        capture confine run -q -- "$bin/status"
        keep=$(printf '%s\n' "$out" | sed -n 's/^uid //p')
        hold_others() {
            run_as python3 "$data/hold-uids.py" "$keep" "$@"
        }
        capture hold_others $run_words -q -- "$bin/status"
        like "$out" "^uid $keep\$" 'control: with one uid left, a run gets that one'
        spawn hold_others $run_words -q --timeout=60s --allow-run -- sh -c 'sleep 1000 & echo started; wait'
        wait_for 20 has_output started || :
        keeper=$(keeper_of "$pid")
        child=$(pgrep -u "$keep" -x sleep)
        # Neither may end what it holds.
        kill -STOP "$pid" "$keeper"
        kill -KILL "$pid" "$keeper"
        finish "$pid"
        check 'control: a process of it outlives its supervisor and its keeper' kill -0 "$child"
        capture hold_others $run_words -- true
        is "$rc" 125 'no other run gets the uid meanwhile'
        like "$err" "all uids of the range 60578-61183 are in use .*\[CreationError\]$" 'and that is said'
        kill -KILL "$child"
        capture hold_others $run_words -q -- "$bin/status"
        like "$out" "^uid $keep\$" 'afterwards one does'
    fi

    capture confine run -q --allow-run --uid=alice -- sh -c "echo $identity"
    is "$out" 'uid 1000 gid 1000 groups 1000' '--uid=alice'
    capture confine run -q --uid=alice -- sh -c 'echo $HOME $USER $LOGNAME'
    is "$out" '/tmp alice alice' 'with her name, and scratch for HOME'
    capture confine run -q -p PrivateTmp=no --uid=alice -- sh -c 'echo $HOME $USER $LOGNAME'
    is "$out" '/home/alice alice alice' 'without scratch with hers'
    capture confine run --uid=60600 -- true
    is "$rc" 125 'a uid of the range is refused: it may be one of another run'
    like "$(messages)" 'the uid 60600 is one that runs of root take turns in, UIDRange=60578-61183' 'by name'
    capture confine run -q --allow-run --uid=12345 -- sh -c "echo $identity"
    is "$out" 'uid 12345 gid 12345 groups 12345' '--uid= of nobody in passwd'
    capture confine run -q --allow-run --uid=alice --gid=bob -- sh -c "echo $identity"
    like "$out" '^uid 1000 gid 1001 groups 1001' '--gid='
    capture confine run --uid=no-such-user -- true
    is "$rc" 125 'a user that does not exist is refused'
    like "$(messages)" "unknown user 'no-such-user'" 'by name'
    capture confine run --uid=root -- "$bin/status" euid
    is "$rc: $out" '0: 0' '--uid=root, said aloud, is root'
    like "$(messages)" '^confine: the program runs as root' 'and warns'
    capture as_alice sudo /usr/bin/confine run ${run_words#/usr/bin/confine run} -q -p PrivateTmp=no --result="$tmp/result" --allow-run -- sh -c "echo $identity \$HOME"
    is "$rc: $out" '0: uid 1000 gid 1000 groups 1000 /home/alice' 'sudo confine runs as the one who called sudo'
    is "$(result '"\(.manager) \(.uid)"')" 'system 1000' 'under the system manager'
else
    capture confine run -q --allow-run -- sh -c "echo $identity"
    is "$out" "uid 1000 gid 1000 groups $(as_alice id -G)" "a user's run keeps the user's ids"
    for option in --uid=root --uid=bob --uid=1000 --gid=root; do
        capture confine run "$option" -- true
        is "$rc" 125 "$option is not for a user"
        like "$(messages)" 'needs root' 'and says so'
    done
fi

# --- from outside

# check_process OPTIONS: starts a run and looks at its program.
check_process() {
    : >"$captured/out"
    spawn confine run -q $1 --allow-run -- sh -c 'echo ready; exec sleep 1000'
    wait_for 20 has_output ready || diag "$(cat "$captured/err")"
    worker=$(worker_of "$pid")
    is "$(sed -nE 's/^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs|Seccomp|Seccomp_filters):\t/\1 /p' "/proc/$worker/status" | tr '\n' ' ')" \
        'CapInh 0000000000000000 CapPrm 0000000000000000 CapEff 0000000000000000 CapAmb 0000000000000000 NoNewPrivs 1 Seccomp 2 Seccomp_filters 2 ' \
        "no capability, no new privileges, two filters${1:+ ($1)}"
    is "$(sed -n 's/^CapBnd:\t//p' "/proc/$worker/status")" 0000000000000000 'an empty bounding set'
    # shellcheck disable=SC2012 # numbers
    is "$(ls "/proc/$worker/fd" | tr '\n' ' ')" '0 1 2 ' 'the descriptors 0, 1 and 2'
    is "$(readlink "/proc/$worker/cwd")" "$tmp" 'the directory of the call'
    is "$(cat "/proc/$worker/oom_score_adj")" 500 'first to go when memory ends'
    like "$(sed -n 's/^0:://p' "/proc/$worker/cgroup")" '/confine\.slice/confine-[0-9a-f]{32}\.scope/run$' 'in the leaf of its scope'
    is "$(readlink "/proc/$worker/exe")" "$(readlink -f /usr/bin/sleep)" 'and it is the program'
    kill -s TERM "$pid"
    finish "$pid"
}
check_process ''
[ "$MANAGER" != system ] || check_process --uid=root

# A setuid program gains nothing. /var/tmp, because /tmp is mounted nosuid.
setuid=$(mktemp -d /var/tmp/test.XXXXXX)
chmod 0755 "$setuid"
cp "$bin/status" "$setuid/status"
chmod 4755 "$setuid/status"
capture plainly "$setuid/status" euid
is "$out" 0 'control: unconfined a setuid program is root'
capture confine run -q --allow-exec="$setuid" -- "$setuid/status" euid
isnt "$rc: $out" '0: 0' 'under confine it is not'
rm -r "$setuid"

assert_clean
done_testing
