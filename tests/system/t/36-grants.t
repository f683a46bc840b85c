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
like "$err" 'Permission denied' 'B03: EACCES'

# A pipe that nobody writes to, a device.
mkfifo fifo
chmod 0666 fifo
for grant in --allow-read="$tmp/fifo" --allow-read=/dev/null --allow-write=/dev/null --allow-write=/dev/zero; do
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
case $MANAGER in
system) own='HOME=/' ;;
user) own="HOME=$tmp
LOGNAME=alice
USER=alice" ;;
esac
is "$(printf '%s\n' "$out" | LC_ALL=C sort)" "$(printf '%s\n' "$common" "$own" | LC_ALL=C sort)" "the environment is a minimal set, the caller's is not inherited"
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
