#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# managers: system user
# vm-managers: user
# budget: 120
# Libraries that ordinary Python programs use, each with the grants that it needs and without, and the two ways in which
# dependencies get into a closed sandbox (S9). A control is the same program, unconfined.
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; grants and $pip are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

libraries=$data/libraries.py

# form WORD...: confine WORD..., with what the container needs.
form() {
    run_as $form_words -q "$@"
}

# library DESCRIPTION GRANTS WHAT [ARGUMENT...]: comes out as it does unconfined.
library() {
    description=$1
    grants=$2
    shift 2
    capture run_as python3 "$libraries" "$@"
    is "$rc: $err" '0: ' "control: unconfined, $description"
    unconfined=$out
    capture form $grants "$libraries" "$@"
    is "$rc: $out" "0: $unconfined" "$description${grants:+, with $grants}"
}

# lacks GRANT ERROR WHAT [ARGUMENT...]: without the grant that is the error.
lacks() {
    grant=$1
    error=$2
    shift 2
    capture form "$libraries" "$@"
    is "$rc" 1 "$1: not without $grant"
    like "$err" "^$error" "$1: $error"
}

# --- numpy. In the VM, where an import takes seconds, it is the one thing that is tried.

capture run_as env OPENBLAS_NUM_THREADS=2 python3 "$libraries" numpy 2
is "$rc: $out" '0: 2 threads, trace 719992' 'control: unconfined, numpy multiplies in two threads'
capture form --cpu=200% "$libraries" numpy 2
is "$rc: $out" '0: 2 threads, trace 719992' 'P8: numpy multiplies, in as many threads as CPUQuota gives CPUs'
if limits; then
    assert_clean
    done_testing
    exit
fi
capture form "$libraries" numpy 2
is "$rc: $out" '0: 1 threads, trace 719992' 'P8: by default in one'

# --- the standard library

library 'P6: asyncio runs its loop' '' event_loop
library 'asyncio serves and connects' --allow-net event_loop_network
lacks --allow-net 'PermissionError: \[Errno 1\]|OSError: could not bind' event_loop_network
library 'asyncio starts a process' --allow-run event_loop_process
lacks --allow-run "PermissionError: \[Errno 1\] .*'/bin/echo'" event_loop_process
library 'B68: multiprocessing has a pool' --allow-run pool
lacks --allow-run 'PermissionError: \[Errno 1\]' pool
library 'socket knows services by name' --allow-net services
lacks --allow-net 'OSError: service/proto not found' services

library 'sqlite3 in memory' '' sqlite
mkdir databases
chmod 1777 databases
library 'sqlite3 in files' "--allow-write=$tmp/databases" sqlite "$tmp/databases"
lacks --allow-write 'sqlite3.OperationalError: unable to open database file' sqlite "$tmp/databases"

library 'ssl shakes hands and knows the authorities of the machine' '' tls
library 'zipfile packs, unpacks, and is imported from' '' archive
library 'tempfile makes files and directories, and removes them' '' temporary
library 'what each start imports can be read' '' customized

# --- S9: dependencies, prepared beforehand. What an environment of the host holds is not the sandbox's to change.

pip='-m pip --disable-pip-version-check'
demo='import demo; demo.main()'
mkdir wheels
python3 "$libraries" wheel wheels
capture run_as sh -c "python3 -m venv env && env/bin/python $pip install -q --no-index --find-links=wheels demo"
is "$rc: $err" '0: ' 'S9: an environment is made on the host, from a directory of wheels'
capture form -p Interpreter=env/bin/python -c "$demo"
is "$rc: $out" '0: from a wheel' 'S9: its interpreter has what is in it'
capture confine run -q --allow-exec=env -- env/bin/demo
is "$rc: $out" '0: from a wheel' 'S9: a grant of it lets its programs run'
capture form -c "$demo"
is "$rc" 1 'S9: control: the plain interpreter knows nothing of it'
like "$err" "^ModuleNotFoundError: No module named 'demo'" 'S9: control: ModuleNotFoundError'
capture confine run -q --allow-read=env -- env/bin/python $pip uninstall -q -y demo
is "$rc" 2 'S9: a run cannot take anything out of it'
like "$err" 'Read-only file system|Permission denied' 'S9: which is denied'
capture run_as env/bin/demo
is "$rc: $out" '0: from a wheel' 'S9: and all of it is there'
capture run_as env/bin/python $pip uninstall -q -y demo
is "$rc: $err" '0: ' 'S9: control: unconfined it can be taken out'

# --- S9: dependencies, installed from inside: no network, and no processes where pip alone does it.

mkdir lib
chmod 1777 lib
# Not here: a module makes the current directory readable.
elsewhere=--working-directory=/usr/share
from="--no-index --find-links=$tmp/wheels"
capture form $elsewhere --allow-read=wheels --allow-write=lib $pip install -q $from --target="$tmp/lib" demo
is "$rc: $err" '0: ' 'S9: pip installs a wheel into a directory of the grants'
capture form --allow-read=lib -E PYTHONPATH="$tmp/lib" -c "$demo"
is "$rc: $out" '0: from a wheel' 'S9: from where a run has it'
capture form $elsewhere --allow-write=lib $pip install -q $from --target="$tmp/lib" --upgrade demo
is "$rc" 1 'S9: it reads no wheels that are not granted'
capture form $elsewhere --allow-read=wheels $pip install -q $from --target="$tmp/lib" --upgrade demo
is "$rc" 2 'S9: nor writes where it may not'
like "$err" 'Read-only file system|Permission denied' 'S9: which is denied'
capture run_as $form_words $elsewhere --allow-write=lib $pip install -q --retries=0 --target="$tmp/lib" demo
is "$rc" 1 'S9: and the network is no third way'
like "$(messages)" "^confine: 'pip' was denied [0-9]+ network sockets? " 'S9: there is no socket'

# In scratch, which is gone with the run. An environment is made by programs that start each other.
in_scratch='python3 -m venv "$TMPDIR/env" && "$TMPDIR/env/bin/python" $0 && "$TMPDIR/env/bin/python" -c "$1"'
capture confine run -q --allow-run --allow-read=wheels -- sh -c "$in_scratch" "$pip install -q $from demo" "$demo"
is "$rc: $out" '0: from a wheel' 'S9: an environment of the run itself, in scratch'

assert_clean
done_testing
