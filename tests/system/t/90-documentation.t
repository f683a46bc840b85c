#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# managers: system user
# vm-managers: system
# budget: 240
# What README.md and the manual show does what they say. The files of data/examples are these examples, word for word:
# tests/lint/examples.pl compares them.
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

examples=$data/examples
PATH_OF_ALL=/usr/local/bin:/usr/bin:/bin

# The container has no controllers: there the command says that it knows.
mkdir bin
if limits; then
    ln -s /usr/bin/confine bin/confine
else
    cat >bin/confine <<'END'
#!/bin/sh
set -- -p Enforcement=best-effort "$@"
exec /usr/bin/confine "$@"
END
    chmod 0755 bin/confine
fi

# example NAME: as its reader would paste it, in $tmp; without -e, since some are about a status that is not 0.
example() {
    capture run_as env "PATH=$tmp/bin:$PATH_OF_ALL" sh -u "$examples/$1.sh"
}

# --- the manual's

example python
is "$rc: $out" '0: 3 words' 'python: a script reads its input'
example code
is "$rc: $out" '0: 45' 'code: it is run'

example filter
is "$rc: $out" '0: a
b' 'filter: stdin comes in, stdout goes out, without a grant'

example write
is "$rc" 0 'write: the script ends by itself'
is "$out" "$(find /usr -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -r)" '... and its file holds what it wrote'

example tool
is "$rc: $out" '0: hello, world' 'tool: a program outside of the base set runs by its grant'
capture confine run -- tool/hello world
is "$rc" 126 'control: and not without it'

example environment
is "$rc" 0 'environment: it runs'
like "$out" '^MODE=test$' '... the variable is set'
like "$out" '^LANG=C.UTF-8$' '... the one of the caller is handed on'

# Not in the VM, where pip takes a minute.
if ! limits; then
    mkdir wheels
    python3 "$data/libraries.py" wheel wheels
    example prepared
    is "$rc: $(printf '%s\n' "$out" | tail -n 1)" '0: from a wheel' 'S9: prepared: the run has what the environment has'
    example install
    is "$rc: $(printf '%s\n' "$out" | tail -n 1)" '0: from a wheel' 'S9: install: one run installs it, another has it'
fi

if limits; then
    example limits
    is "$rc: $out" '0: 137' 'limits: the status is 137'
    like "$(messages)" '^confine: MemoryMax=64M reached: .*\[ResourceLimitExceeded\]$' '... and the limit is named'
fi

if [ "$MANAGER" = system ]; then
    example journal
    is "$(printf '%s\n' "$out" | head -n 2)" '"exit"
3' 'journal: the result has cause and status'
    journal_has_end() {
        journalctl -o cat -u "$(jq -r .unit result.json)" | grep -q '^confine-.*: ended: exit, status 3, '
    }
    check '... and journalctl -u the end' wait_for 10 journal_has_end

    capture confine run --timeout=100ms --result=result.json -- sleep 60
    is "$rc" 124 'ends: a run that reaches its deadline'
    unit=$(jq -r .unit result.json)
    journalctl --sync
    example ends
    like "$out" "^$unit: ended: timeout, signal 15, .*: RuntimeMaxSec=100ms reached: " '... is among those that did not end by themselves'
fi

# --- the README's, for an admin

if [ "$MANAGER" = system ]; then
    example admin
    is "$rc: $err" '0: ' 'admin: the report is made'
    like "$out" '^[0-9]+ sections, the largest is [a-z]+$' '... and says so'
    like "$(cat /srv/job/out/report.txt)" '^ +[0-9]+ MiB  [a-z]+$' '... and its file is there'
    unlike "$(stat -c %u /srv/job/out/report.txt)" '^0$' '... of a uid that is not root'
    sed -i 's,^import .*,&\nopen("/etc/job"\, "w"),' /srv/job/report.py
    capture confine run --allow-read=/srv/job --uid=root -- python3 /srv/job/report.py
    like "$err" "^OSError: .*Read-only file system: '/etc/job'$" 'what nobody granted is denied, even to the uid of root'
    check '... and not there' test ! -e /etc/job
fi

# --- the README's, for an agent

# agent_case WANTED CODE: what the example makes of a task.
agent_case() {
    printf '%s\n' "$2" | run_as sh -c 'cat >task.py'
    rm -f result.json stdout.txt stderr.txt
    example agent
    is "$rc: $out" "0: $1" "agent: $2"
}

agent_case 'ended by itself with status 0' 'print("finished")'
is "$(cat stdout.txt)" finished '... and its output is kept'
agent_case 'ended by itself with status 1' 'open("/etc/shadow")'
like "$(cat stderr.txt)" '^PermissionError: .Errno 13. Permission denied: ./etc/shadow.$' '... the denial is in its stderr'
agent_case 'died of signal 11' 'import os, signal; os.kill(os.getpid(), signal.SIGSEGV)'
! limits || agent_case 'reached MemoryMax' 'x = b"x" * (1 << 30)'
capture run_as env "PATH=$tmp" /bin/sh -c "PATH=\$PATH:/usr/bin; rm result.json; cd /; $run_words --result=$tmp/result.json --memory=infinity -- true"
is "$rc: $(jq -r .cause result.json)" '125: refused' 'agent: a refused run has its result too'

# --- the README's session

# What differs from run to run. The container has neither limits nor their messages.
normal() {
    sed -E -e 's/[0-9a-f]{32}/ID/g' -e 's/[0-9]+\.[0-9]{3}s/TIME/g' -e 's/peak 6[0-9.]+M/PEAK/' \
        -e 's/("memory_peak_bytes":)[0-9]+/\1N/' -e 's/uid [0-9]+/uid UID/'
}

# session: makes it anew in $captured/session.
session() {
    grep '^# ' "$examples/session.console" | while IFS= read -r line; do
        printf '%s\n' "$line"
        run_as env "PATH=$tmp/bin:$PATH_OF_ALL" sh -c "${line#??}" </dev/null 2>&1 || :
        journalctl --sync
    done >"$captured/session"
}

if limits && [ "$MANAGER" = system ]; then
    session
    normal <"$captured/session" >"$captured/session.got"
    normal <"$examples/session.console" >"$captured/session.wanted"
    if cmp -s "$captured/session.got" "$captured/session.wanted"; then
        ok 'session: the screen of the README is what these commands say'
    else
        not_ok 'session: the screen of the README is what these commands say'
        diag "$(cat "$captured/session")"
    fi
fi
rm -rf /srv/job

assert_clean
done_testing
