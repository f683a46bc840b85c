#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# managers: system user
# vm-managers: system
# budget: 240
# What README.md and the manual show does what they say. The files of data/examples are these examples, word for word:
# tests/lint/examples.pl compares them.
# shellcheck disable=SC2086 # $form_words are words
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

# --- what the manual has to say

man=$(gzip -cdf /usr/share/man/man1/confine.1* | tr '\n' ' ')
threats=$(printf '%s' "$man" | sed 's/.*\.Ss Threat model//; s/\.Ss .*//')
for threat in 'generated code that is malicious' 'an agent that was talked into' 'leaks between .* tenants' 'leaks of credentials' 'supply chain'; do
    like "$threats" "made against:.*$threat.*not made against" "S1: in scope: $threat"
done
for threat in 'hostile tenants with an exploit of the kernel' 'prompt injection itself' 'who a tenant is'; do
    like "$threats" "not made against.*$threat" "S1: out of scope: $threat"
done
man7=$(gzip -cdf /usr/share/man/man7/confine-security.7* | tr '\n' ' ')
for part in 'WHO ENFORCES WHAT.*cgroup.*Landlock, from ABI 3.*seccomp.*journald' 'A user manager has those that are delegated' \
    'WHICH TIER.*Not on a shared kernel.*gVisor.*virtual machine for each tenant is the floor' \
    'TENANTS.*One run serves one tenant' 'DEPENDENCIES.*an environment that was prepared.*a directory of wheels' \
    'IN COMPARISON.*systemd-run.*systemd.exec.*bwrap.*containers.*micro virtual machines' 'DISCLOSED LIMITS.*metadata.*permanent.*domains'; do
    like "$man7" "$part" "S8 S9 S17 P22: the manual says: ${part%%.[*]*}"
done
secrets=$(printf '%s' "$man" | sed 's/.*\.Ss Secrets//; s/\.Ss .*//')
for advice in 'Best is a broker' 'as a file rather than with' 'with the least rights that will do' 'ends soon after the run'; do
    like "$secrets" "$advice" "S14: the manual advises: $advice"
done

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

# --- the policies of confine.conf(5)

at_exit_documentation() {
    rm -rf /etc/confine
    at_exit
}
trap at_exit_documentation EXIT
# held KEY VALUE ORIGIN OPTIONS: what the last dry run would be held to.
held() {
    like "$out" "^$1 +$2 .* $3:[0-9]+\$" "$4"
}
# beyond REGEX DESCRIPTION: what the last command wanted is more than the ceiling.
beyond() {
    is "$rc: $(printf '%s\n' "$err" | grep -cE "^confine: .*$1.* ceiling of this machine.* \\(/etc/confine/confine\.conf:[0-9]+\\)")" '125: 1' "site: beyond its ceiling: $2"
}
install -D -m 644 "$examples/site.conf" /etc/confine/confine.conf
capture run_as confine policy check /etc/confine/confine.conf
is "$rc: $err" '0: ' 'site: it is without fault'
capture confine run --dry-run -- true
held MemoryMax 512M /etc/confine/confine.conf 'site: it limits memory'
held RuntimeMaxSec 5min /etc/confine/confine.conf '... and time'
capture confine run --memory=2G --tasks=512 --allow-read=/home -- true
is "$rc: $(messages)" '0: ' 'site: up to the ceiling a run may have more'
capture confine run --memory=2049M -- true
beyond MemoryMax memory
capture confine run --tasks=513 -- true
beyond TasksMax tasks
capture confine run --allow-net -- true
beyond Network 'the network'
capture confine run --allow-read=/etc/passwd -- true
beyond /etc/passwd 'a file'
capture run_as confine --no-sandbox -c 'print(1)'
like "$rc: $err" '^125: .*no-sandbox is forbidden on this machine' '... and no sandbox at all'
rm -rf /etc/confine

mkdir -p project/data
cp "$examples/project.conf" project/confine.conf
echo 'import sys; print(open(sys.argv[1]).read())' >project/show.py
echo own >project/data/x
mkdir elsewhere
echo others >elsewhere/x
chown -R "$user:" project elsewhere
capture run_as $form_words project/show.py project/data/x
is "$rc: $(messages): $out" '0: : own' 'project: it reads its data, with nothing else said'
capture run_as $form_words project/show.py elsewhere/x
is "$rc: $(printf '%s\n' "$err" | tail -n 1)" "1: PermissionError: [Errno 13] Permission denied: 'elsewhere/x'" '... and nothing beside it'
capture run_as $form_words --dry-run project/show.py
held MemoryMax 128M '.*/project/confine.conf' 'project: and it needs little memory'

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

if limits && [ "$MANAGER" = system ]; then
    check 'session: the screen of the README is what these commands say' session_is "$examples/session.console" "$tmp/bin:$PATH_OF_ALL"
fi
rm -rf /srv/job

assert_clean
done_testing
