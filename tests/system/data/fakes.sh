# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# shellcheck disable=SC2034 # for the tests
# Cgroups that alice makes up as those of runs, beside lib.sh, after which it is read.

# fake PATH ID PROCESS: an orphan of alice's, with that id; with a process, if PROCESS is yes. Sets $fake, $fake_pid.
alices=/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/confine.slice
fake() {
    fake=$alices/$1confine-$2.scope
    as_alice mkdir -p "$fake/run"
    as_alice python3 -c 'import os, sys
for word in "supervisor=999999 1", "started=1": os.setxattr(sys.argv[1], *("user.confine." + word).encode().split(b"="))' "$fake"
    [ "$3" = yes ] || return 0
    (become='exec' && as_alice sleep 1003) &
    fake_pid=$!
    echo "$fake_pid" >"$fake/run/cgroup.procs"
}

# unmake DIRECTORY: as soon as its process is gone.
unmake() {
    as_alice sh -c 'until rmdir "$1/run" "$1" 2>/dev/null || [ ! -e "$1" ]; do sleep 0.01; done' sh "$1"
}
