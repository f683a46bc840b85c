#!/bin/sh
# SPDX-License-Identifier: MIT
# S20 B29 B56: refusals that no other test triggers: each by its type, with the fix, and nothing is run.
# rung: box
# managers: system user
# budget: 30
# shellcheck disable=SC2016,SC2086 # what is in single quotes is a pattern; options are words
set -eu
. "${0%/*}/../lib/lib.sh"

at_exit_refusals() {
    rm -rf /etc/confine
    at_exit
}
trap at_exit_refusals EXIT
rm -rf /etc/confine
chmod 0777 "$tmp"

# refused STATUS REGEX WORD...: a command line of confine that ends so, with a message of that text and of a type.
refused() {
    status=$1 regex=$2
    shift 2
    capture run_as /usr/bin/confine "$@"
    is "$rc: $out" "$status: " "S20: $(printf %.60s "$*")"
    like "$err" "^confine: .*($regex).*\[[A-Z][A-Za-z]+\]\$" "is refused: $regex"
}

# of_run REGEX OPTION...: the same of a run.
of_run() {
    regex=$1
    shift
    refused 125 "$regex" run "$@" --allow-write="$tmp" -- touch "$tmp/ran"
}

capture run_as /usr/bin/confine run -p Enforcement=best-effort --allow-write="$tmp" -- touch "$tmp/control"
check 'control: the command is one that would have been seen' test -e "$tmp/control"

long=$(head -c 4096 /dev/zero | tr '\0' a)
of_run "'bad name' is no name for 'PassEnvironment' \(--allow-env\): a variable name is letters" --allow-env='bad name'
of_run "for 'AllowRead' \(--allow-read\): the path is longer than 4095 bytes, write a shorter one" --allow-read="/$long"
of_run "'\?\?' is no path for 'AllowRead' .*: a path with control characters cannot be granted" --allow-read="$(printf '\033\001')"
of_run "'' is no path for 'AllowRead' .*: an empty path resets nothing, write a path" --allow-read=
of_run 'write the number of an open descriptor after .fd:.' --secret=A=fd:x
of_run 'write the name of a variable after .env:.' --secret=A=env:
of_run 'write NAME or NAME:env, and =env:VAR, =file:PATH or =fd:N for another source' --secret=A:x
of_run 'its name cannot be that of a variable: write NAME=file:PATH' --secret=a-b
of_run 'write a name of 1 to 64 letters' --secret=..
of_run 'write ID, ID:NAME or ID:/PATH' -p LoadCredential=A:../p
of_run "its value can be seen by everybody here: write NAME=file:PATH" --secret=A=hunter2
unlike "$err" hunter2 'S14: without the value'
many=
for i in $(seq 1025); do many="$many --allow-read=-/x$i"; done
of_run 'is one value too many: [0-9]+ of lists are the most, grant directories instead' $many
of_run "'--system' and '--user' contradict each other: give one" --system --user
of_run "'ab' is refused for 'Label' \(--label\): write KEY=VALUE" --label=ab
if [ "$MANAGER" = system ]; then
    of_run "unknown group 'nosuchgroup' in Group=: give a name that 'getent group' lists" --gid=nosuchgroup
    of_run "unknown user 'nosuchuser' in User=" --uid=nosuchuser
fi
check 'nothing ran' test ! -e "$tmp/ran"

refused 125 "'--memory' needs an argument: write --memory SIZE" run --memory
refused 2 "'kill' needs to know which runs: write confine kill ID" kill
refused 2 "'kill' reports nothing: leave --json out" kill --json abc
refused 2 'an id says which run is meant: leave --label= out' kill --label=a=b abc
refused 2 "'inspect' looks at one run: write confine inspect ID" inspect
refused 125 "'run' needs a command: write confine run" run
refused 2 "'policy' is followed by what to do" policy
refused 2 "'policy check' needs a file" policy check
refused 2 "'doctor' runs nothing" doctor word
printf '[Files]\nAllowRead=~/%.180s\n' "$long" >policy.conf
capture run_as env HOME="/$(printf %.4000s "$long")" /usr/bin/confine policy check policy.conf
like "$rc: $out" "^1: FILE" 'B56: a path that is too long by what is expanded'
like "$out" "a path of more than 4095 bytes in 'AllowRead' \\($tmp/policy.conf:2\\): write a shorter one" 'is refused by name'
for option in '--since=nonsense' '--uid=nosuchuser'; do
    capture run_as /usr/bin/confine log $option
    like "$rc: $err" "^2: confine: 'no[a-z]+' is no (point in time|user) \\(${option%%=*}\\): write " "S20: log $option"
done
# --- files

# site FILE: what comes on standard input, below /etc/confine.
site() {
    mkdir -p /etc/confine/confine.conf.d
    cat >"/etc/confine/$1"
    chmod 0644 "/etc/confine/$1"
}

# of_site REGEX DESCRIPTION: the last command.
of_site() {
    like "$rc: $err" "^125: confine: .*$1 \\[ConfigurationError\\]\$" "S20: $2"
}

echo '[Ceiling]' | site confine.conf
chmod 0666 /etc/confine/confine.conf
capture run_as /usr/bin/confine -c 'print(1)'
of_site "can be written by others: say chmod go-w '/etc/confine/confine.conf'" 'a file of the site that others can write'
chmod 0600 /etc/confine/confine.conf
capture as_alice /usr/bin/confine -c 'print(1)'
of_site "'/etc/confine/confine.conf' cannot be opened: Permission denied: make it one that you may read" 'one of the site that its users cannot read is not passed over'
rm /etc/confine/confine.conf
for i in $(seq 64); do echo '[Limits]' | site "confine.conf.d/$i.conf"; done
capture run_as /usr/bin/confine --dry-run -pEnforcement=best-effort -c 'print(1)'
is "$rc" 0 'control: 64 drop-ins'
echo '[Limits]' | site confine.conf.d/65.conf
capture run_as /usr/bin/confine -c 'print(1)'
of_site "'/etc/confine/confine.conf.d' has more than 64 files: join some" 'one drop-in too many'
rm -rf /etc/confine/confine.conf.d
echo '[Limits]' >/etc/confine/confine.conf.d
capture run_as /usr/bin/confine -c 'print(1)'
of_site "'/etc/confine/confine.conf.d' Not a directory: make it a directory that you may read" 'drop-ins that are no directory'
rm -rf /etc/confine
head -c 262144 /dev/zero | tr '\0' '#' | fold -w 100 | head -c 262144 >long.conf
capture run_as /usr/bin/confine policy check "$tmp/long.conf"
is "$rc" 0 'control: a file of 256K'
echo "#" >>long.conf
capture run_as /usr/bin/confine --policy="$tmp/long.conf" -c 'print(1)'
of_site "long.conf' is too long: write 256K at most" 'and one that is longer'

assert_clean
done_testing
