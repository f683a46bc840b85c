#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: system user
# budget: 60
# How grants are written: paths of files, variables of the environment.
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; $run_words are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

mkdir files
echo 'content of read' >files/read
cp /bin/true files/tool

# --- paths of grants

capture confine run -q --allow-read=./files -- cat files/read
is "$rc: $out" '0: content of read' 'a relative grant is below the directory of the call'
capture confine run -q --allow-read=. -- cat files/read
is "$rc: $out" '0: content of read' 'or that directory'
capture confine run --allow-read="-$tmp/missing" --allow-write="-$tmp/missing/too" --allow-exec="-$tmp/files/read/x" -- true
is "$rc: $(messages)" '0: ' 'a path with - may be missing'
capture confine run -q --allow-read="-$tmp/files" -- cat files/read
is "$rc: $out" '0: content of read' 'and is granted if it is there'
for option in --allow-read --allow-write --allow-exec; do
    capture confine run "$option=$tmp/missing" -- true
    is "$rc" 125 "B73: $option of a missing path is refused"
    like "$(messages)" "^confine: .*'$tmp/missing' .*No such file.*'-$tmp/missing'.*\[ConfigurationError\]$" 'B73: and named, with what to do'
done
mkdir blank
echo here >'blank/a b'
capture confine run -q --allow-read="$tmp/blank/a b" -- cat 'blank/a b'
is "$rc: $out" '0: here' 'a path may hold blanks'

ln -s /proc proc
ln -s "$tmp/files" to-files
ln -s /etc etc
capture confine run -q --allow-read="$tmp/to-files" -- cat files/read
is "$rc: $out" '0: content of read' 'B84: a link is granted as what it leads to'
capture confine run -q --allow-read="$tmp" -- cat etc/machine-id
is "$rc: $out" '1: ' 'B84: a link below a grant leads nowhere else'
capture run_as cat etc/machine-id
is "$rc" 0 'B84: control: unconfined it does'
for path in / /proc /proc/self /proc/sys /sys /sys/fs/cgroup /sys/fs/cgroup/confine.slice /sys/kernel /run /run/systemd /tmp/../proc // "$tmp/proc"; do
    capture confine run --allow-write="$path" -- true
    is "$rc" 125 "B03: --allow-write=$path is refused"
    like "$(messages)" '^confine: .*\[ConfigurationError\]$' 'B03: by name'
done
capture confine run -q -- sh -c 'echo 1 >/sys/fs/cgroup/cgroup.procs'
is "$rc" 2 'B03: without such a grant there is no way to the cgroups'
like "$err" 'Read-only file system' 'B03: EROFS'


# --- what confine itself is made of

mkdir -p .config/confine/x other
chmod 0777 other
mkdir home && ln -s "$tmp" home/link
for path in /etc/confine /etc/confine/confine.conf /usr/share/confine /usr/bin /usr/bin/confine /var/lib /run/confine/uids "$tmp" "$tmp/.config" \
    "$tmp/.config/confine" "$tmp/.config/confine/x" "$tmp/home/link"; do
    capture run_as env HOME="$tmp" $run_words --allow-write="-$path" -- true
    is "$rc" 125 "--allow-write=$path is refused"
    like "$(messages)" "^confine: .*'$path'.* confine's own: .*\[ConfigurationError\]\$" "as confine's own"
done
capture run_as env HOME="$tmp" $run_words --allow-write="$tmp/other" -- true
is "$rc: $(messages)" '0: ' 'control: what is beside them is not'

# --- reading all

# Links are not counted: what they lead to is in another part.
parts() {
    find "$1" -mindepth 1 -maxdepth 1 ! -type l ! -path /proc ! -path /run ! -path /sys ! -path /sys/fs ! -path /sys/fs/cgroup
}
capture confine run -q -p PrivateTmp=no --allow-read=/ -- cat "$tmp/files/read" /etc/machine-id /sys/kernel/uevent_seqnum
is "$rc" 0 '--allow-read=/ opens all of the tree'
is "$(printf '%s\n' "$out" | sed -n 1p)" 'content of read' 'to be read'
hidden='/run/systemd/private /run/confine/starts /sys/fs/cgroup/cgroup.procs /run /sys/fs/cgroup'
# Root's run has a /proc of its own: see 41-scratch.t.
[ "$MANAGER" = system ] || hidden="$hidden /proc/1/cmdline /proc/self/status /proc"
for path in $hidden; do
    capture confine run -q --allow-read=/ -- head -c 1 "$path"
    is "$rc: $out" '1: ' "but not $path"
    like "$err" 'Permission denied' 'EACCES'
done
for path in /proc/1/cmdline /proc/self/status /sys/fs/cgroup/cgroup.procs; do
    capture plainly head -c 1 "$path"
    is "$rc" 0 "control: unconfined $path can be read"
done
capture confine run -q -p PrivateTmp=no --allow-read=/ -- sh -c 'echo x >files/new'
is "$rc" 2 'nothing can be written'
capture confine run -q -p PrivateTmp=no --allow-read=/ --allow-run -- files/tool
is "$rc" 126 'nor executed'
n=0
for path in $(parts / && parts /sys && parts /sys/fs); do
    [ -d "$path" ] || continue
    capture confine run -q --allow-read=/ -- ls "$path"
    case $rc in
    0) n=$((n + 1)) ;;
    *)
        # Whatever file permissions do not deny.
        plainly ls "$path" >/dev/null 2>&1 && diag "$path: $err" && n=-1000
        ;;
    esac
done
check 'every other directory can be listed' [ "$n" -ge 10 ]
ln -s / to-root
capture confine run -q --allow-read="$tmp/to-root" -- cat /etc/machine-id
is "$rc" 0 'a link to / is the same grant'
capture confine run -q --allow-read="$tmp/to-root" -- head -c 1 /sys/fs/cgroup/cgroup.procs
is "$rc: $out" '1: ' 'with the same parts left out'
for option in --allow-exec --allow-write; do
    for path in / "$tmp/to-root"; do
        capture confine run "$option=$path" -- true
        is "$rc" 125 "$option=$path is refused"
    done
done

# A pipe that nobody writes to, a device.
mkfifo fifo
chmod 0666 fifo
for grant in --allow-read="$tmp/fifo" --allow-read=/dev/null --allow-write=/dev/null --allow-write=/dev/zero --allow-write=/dev/tty; do
    capture confine run "$grant" -- true
    is "$rc: $(messages)" '0: ' "B72: $grant works at once"
done

# --- environment

capture run_as env SECRET=s3cret TZ=UTC LD_PRELOAD=/nonesuch.so HOME="$tmp" XDG_RUNTIME_DIR=/run/user/1000 $run_words -q -- env
common='LANG=C.UTF-8
MKL_NUM_THREADS=1
OMP_NUM_THREADS=1
OPENBLAS_NUM_THREADS=1
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
PYTHON_CPU_COUNT=1
SHELL=/bin/sh
TZ=UTC'
own=
[ "$MANAGER" = system ] || own='LOGNAME=alice
USER=alice
'
is "$(printf '%s\n' "$out" | LC_ALL=C sort)" "$(printf '%s\n' "$common" "${own}HOME=/tmp" TMPDIR=/tmp | LC_ALL=C sort)" \
    "the environment is a minimal set, the caller's is not inherited"
capture run_as env SECRET=s3cret TZ=UTC HOME="$tmp" XDG_RUNTIME_DIR=/run/user/1000 $run_words -q -p PrivateTmp=no -- env
[ "$MANAGER" = user ] && home=$tmp || home=/
is "$(printf '%s\n' "$out" | LC_ALL=C sort)" "$(printf '%s\n' "$common" "${own}HOME=$home" | LC_ALL=C sort)" \
    "without scratch HOME is the user's"
capture run_as env SECRET=s3cret env
like "$out" '^SECRET=s3cret$' 'control: the caller has the variable'

for option in '-E SECRET' --setenv=SECRET --allow-env=SECRET '-p PassEnvironment=SECRET'; do
    capture run_as env SECRET='s3 cret' $run_words -q $option -- sh -c 'echo "$SECRET"'
    is "$rc: $out" '0: s3 cret' "$option hands a variable on"
    capture run_as env $run_words -q $option -- sh -c 'echo "${SECRET-unset}"'
    is "$rc: $out" '0: unset' 'if the caller has it'
done
capture confine run -q -E A=1 --setenv='B=two words
and lines' -E C= -p Environment=D=x=y -E A=2 -- sh -c 'echo "$A|$B|${C-unset}|$D"'
is "$rc: $out" '0: 2|two words
and lines||x=y' 'values are given as they are, the last one wins'
capture confine run -q -E PATH=/nowhere -E HOME=/x -- /usr/bin/env
like "$out" '^PATH=/nowhere$' 'also in place of ours'
like "$out" '^HOME=/x$' 'each of them'
capture confine run -q --cpu=250% -- sh -c 'echo $OMP_NUM_THREADS $PYTHON_CPU_COUNT'
is "$out" '3 3' 'the thread counts follow CPUQuota'
capture confine run -q --working-directory=/usr/share -- pwd
is "$rc: $out" '0: /usr/share' '--working-directory='
capture confine run -q -- pwd
is "$rc: $out" "0: $tmp" 'without it: where confine was called'

assert_clean
done_testing
