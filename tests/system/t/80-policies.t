#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: system user
# budget: 120
# P2 S7 B29: policy files and their layers, the project's own file, and ceilings.
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; $options are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/home.sh"

config=$home/.config/confine
at_exit_policies() {
    rm -rf /etc/confine "$config" "$work" /usr/share/confine/confine.conf "$home/.local/state/confine/trusted" \
        /var/lib/confine/trusted
    at_exit
}
trap at_exit_policies EXIT
rm -rf /etc/confine "$config" "$work"
run_as mkdir -p "$work" "$config/policies"
cd "$work"

# as_user FILE: what comes on standard input, as the user's own file.
as_user() {
    run_as tee "$1" >/dev/null
    chmod 0644 "$1"
}

# site FILE: the same below /etc/confine, root's.
site() {
    mkdir -p /etc/confine/confine.conf.d
    cat >"/etc/confine/$1"
    chmod 0644 "/etc/confine/$1"
}

# script OPTIONS: a run of the project's script, or rather what would be in force, a line a key.
show() {
    capture run_as confine --dry-run --json "$@"
    [ "$rc" -eq 0 ] || return 0
    out=$(printf '%s' "$out" | python3 -c 'import json, sys
for line in json.load(sys.stdin)["policy"]: print(line["key"] + "=" + line["value"], line["origin"])')
}

# refused REGEX DESCRIPTION: the last command.
refused() {
    is "$rc: $out" '125: ' "$2: refused"
    like "$err" "$1" "... by name"
}

echo 'print(1)' | as_user "$work/script.py"

# --- layers

show -pEnforcement=best-effort "$work/script.py"
like "$out" '^MemoryMax=1G shipped default$' 'control: without a file the defaults are in force'
like "$out" '^Base=python the form$' '... and what the form brings along'
site confine.conf <<END
[Limits]
MemoryMax=500M
TasksMax=50
RuntimeMaxSec=50s
LimitNOFILE=50
[Files]
AllowRead=-/srv/site
END
site confine.conf.d/20-b.conf <<END
[Limits]
TasksMax=42
END
site confine.conf.d/10-a.conf <<END
[Limits]
TasksMax=41
END
site confine.conf.d/30-c.conf.disabled <<END
nonsense
END
as_user "$config/confine.conf" <<END
[Limits]
RuntimeMaxSec=43s
LimitNOFILE=51
[Files]
AllowRead=-~/user
END
as_user "$config/policies/mine.conf" <<END
[Limits]
LimitNOFILE=44
END
show -pEnforcement=best-effort --policy=mine -pLimitCORE=1M "$work/script.py"
like "$out" '^MemoryMax=500M /etc/confine/confine.conf:2$' 'S7: the file of the site'
like "$out" '^TasksMax=42 /etc/confine/confine.conf.d/20-b.conf:2$' '... its drop-ins, the later name wins'
like "$out" "^RuntimeMaxSec=43s $config/confine.conf:2\$" '... above it the user'"'"'s'
like "$out" "^LimitNOFILE=44 $config/policies/mine.conf:2\$" '... above that the policy that is named'
like "$out" '^LimitCORE=1M -p LimitCORE$' '... and above all the command line'
like "$out" '^AllowRead=-/srv/site /etc/confine/confine.conf:7$' 'grants add up'
like "$out" "^AllowRead=-$home/user $config/confine.conf:5\$" '... with ~ as the home directory'
capture run_as confine -q -pEnforcement=best-effort --policy=mine -c 'import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))'
is "$rc: $out" '0: (44, 44)' 'it is in force in a run'
echo nonsense | as_user "$config/policies/mine.conf"
printf '[Limits]\nMemoryMax=1.5G\nTaskMax=3\n' | as_user "$config/confine.conf"
capture run_as confine --policy=mine -c 'print(1)'
refused "unknown key 'TaskMax' \\($config/confine.conf:3\\): write 'TasksMax'" 'B29: a key that is none'
like "$err" "^confine: '1.5G' is not a size for 'MemoryMax' \\($config/confine.conf:2\\): write '1536M'" '... all faults of a file at once'
like "$err" "$config/policies/mine.conf:1" '... and of all files'
rm -rf /etc/confine "$config/confine.conf"
capture run_as confine --policy=nonesuch -c 'print(1)'
refused "there is no policy 'nonesuch'" 'a policy that there is not'
capture run_as confine --policy=../x -c 'print(1)'
refused "'../x' cannot be found|'../x' No such file" 'a file that there is not'

# --- who may have written a file

echo '[Limits]' | as_user "$config/confine.conf"
chmod 0646 "$config/confine.conf"
capture run_as confine -c 'print(1)'
refused "can be written by others: say chmod go-w '$config/confine.conf'" 'a file that others can write'
chmod 0644 "$config/confine.conf"
chown bin "$config/confine.conf"
capture run_as confine -c 'print(1)'
refused 'belongs to uid 2' 'a file of somebody else'
rm "$config/confine.conf"
echo '[Limits]' | site confine.conf
chown bin /etc/confine/confine.conf
capture run_as confine -c 'print(1)'
refused 'belongs to uid 2: give it to root \[' '... and of the site'
rm -rf /etc/confine

# --- the project's own file

project() {
    as_user "$work/confine.conf"
}

go() {
    capture run_as confine -q -pEnforcement=best-effort $uid "$@" "$work/script.py"
}

run_as mkdir "$work/data"
echo inside | as_user "$work/data/file"
printf '[Limits]\nLimitNOFILE=33\n[Files]\nAllowWrite=data\n' | project
echo 'import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)); open("'"$work"'/data/file", "w").write("new")' | as_user "$work/script.py"
go
is "$rc: $out $(cat "$work/data/file")" '0: (33, 33) new' 'the project lowers a limit and grants what is below it'
for line in '[Limits]/LimitNOFILE=2048' '[Network]/Network=allow' '[Process]/Subprocess=allow' '[Files]/AllowRead=/etc/shadow' \
    '[Files]/AllowRead=..' '[Files]/Base=none' '[Environment]/Environment=LD_PRELOAD=x' '[Identity]/User=root'; do
    printf '%s\n' "$line" | sed 's|]/|]\n|' | project
    capture run_as confine "$work/script.py"
    refused "\\($work/confine.conf:2\\).*--policy='$work/confine.conf', or with 'confine policy trust $work/confine.conf'" "P2: $line"
done
printf '[Process]\nEnforcement=best-effort\n' | project
capture run_as confine "$work/script.py"
refused 'on the command line only' 'P5: Enforcement='
printf '[Ceiling]\nMemoryMax=2G\n' | project
capture run_as confine "$work/script.py"
refused 'stands in /etc/confine alone' '[Ceiling]'
run_as ln -s /etc "$work/link"
printf '[Files]\nAllowRead=link\n' | project
capture run_as confine -pEnforcement=best-effort "$work/script.py"
refused "AllowRead= '$work/link' leads to '/etc', and a project's own file grants no links" 'P2: a link out of it'
capture run_as confine --dry-run --policy="$work/confine.conf" -pEnforcement=best-effort "$work/script.py"
is "$rc" 0 '... control: who says that file is trusted gets it'
printf '[Files]\nAllowWrite=.\n' | project
capture run_as confine -pEnforcement=best-effort "$work/script.py"
refused "reaches '$work/confine.conf', which is confine's own" 'a write grant of the file itself'
capture run_as confine -pEnforcement=best-effort --policy="$work/confine.conf" "$work/script.py"
refused "reaches '$work/confine.conf', which is confine's own" '... nor when it is named'
printf '[Limits]\nTasksMax=9\n' | project
chmod 0646 "$work/confine.conf"
capture run_as confine "$work/script.py"
refused 'can be written by others' 'a project'"'"'s file that others can write'
chmod 0644 "$work/confine.conf"
if [ "$MANAGER" = system ]; then other=bin; else other=root; fi
chown "$other" "$work/confine.conf"
capture run_as confine "$work/script.py"
refused 'belongs to uid .*: give it to who calls confine, or name it with --policy=' '... of somebody else'
run_as rm -f "$work/confine.conf"
echo '[Limits]' | as_user "$work/other.conf"
run_as ln -s other.conf "$work/confine.conf"
capture run_as confine "$work/script.py"
refused 'is a link' '... that is a link'
rm "$work/confine.conf"
run_as mkfifo "$work/confine.conf"
capture run_as confine "$work/script.py"
refused 'is no regular file' '... that is a pipe'
rm "$work/confine.conf"

# A hard link within a write grant would let the program say what its next run may do.
printf '[Files]\nAllowWrite=data\n' | project
go
is "$rc" 0 'control: a file without other names'
run_as ln "$work/confine.conf" "$work/data/name"
for options in '' "--policy=$work/confine.conf"; do
    capture run_as confine -pEnforcement=best-effort $uid $options "$work/script.py"
    refused "may reach another name of '$work/confine.conf'" "P2: a hard link of the project's file, with '$options'"
done
rm "$work/confine.conf" "$work/data/name"

# What is in a home directory is no project.
echo 'print(1)' | as_user "$home/confine-script.py"
printf '[Limits]\nLimitNOFILE=33\n' | as_user "$home/confine.conf"
show -pEnforcement=best-effort "$home/confine-script.py"
like "$out" "^LimitNOFILE=33 $home/confine.conf:2\$" 'a file in a home directory may lower limits'
for line in AllowRead=. AllowRead=.ssh AllowWrite=.bashrc; do
    printf '[Files]\n%s\n' "$line" | as_user "$home/confine.conf"
    capture run_as confine -pEnforcement=best-effort "$home/confine-script.py"
    refused "\\($home/confine.conf:2\\) is not for a project's own file in a home directory" "P2: ... and grant nothing: $line"
done
rm "$home/confine.conf" "$home/confine-script.py"

# Files of the user's that are kept elsewhere, as who has their configuration under version control does.
run_as mkdir -p "$work/dot" "$work/dot-file"
printf '[Limits]\nLimitNOFILE=44\n' | as_user "$work/dot/confine.conf"
cp -p "$work/dot/confine.conf" "$work/dot/mine.conf"
rm -rf "$config/confine.conf" "$config/policies/mine.conf"
run_as ln -s "$work/dot/confine.conf" "$config/confine.conf"
run_as ln -s "$work/dot/mine.conf" "$config/policies/mine.conf"
capture run_as confine -q -pEnforcement=best-effort $uid --allow-write="$work/data" -c 'import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])'
is "$rc: $out" '0: 44' 'control: a link to a policy is followed'
capture run_as confine -pEnforcement=best-effort --allow-write="$work/dot" -c 'print(1)'
refused "reaches '$config/confine.conf', which is confine's own" 'P2: a write grant of what the user'"'"'s policy links to'
rm "$config/confine.conf"
capture run_as confine -pEnforcement=best-effort --policy=mine --allow-write="$work/dot" -c 'print(1)'
refused "reaches '$config/policies/mine.conf', which is confine's own" '... and a policy that is named'
capture run_as confine -q -pEnforcement=best-effort $uid --allow-write="$work/dot" -c 'print(1)'
is "$rc: $out" '0: 1' 'control: without them it is granted'
run_as mv "$config" "$work/dot/config"
run_as ln -s "$work/dot/config" "$config"
capture run_as confine -pEnforcement=best-effort --allow-write="$work/dot" -c 'print(1)'
refused "reaches '$config', which is confine's own" '... and the directory of the policies, by a link'
rm "$config"
run_as mkdir -p "$config/policies"
printf '[Files]\nAllowRead=~/x\n' | as_user "$work/other.conf"
capture run_as env HOME= confine policy show --policy="$work/other.conf"
like "$rc: $err" "^1: .*'~' stands for nothing in 'AllowRead'" 'a HOME that is no path stands for nothing'

# --- trust

printf '[Limits]\nLimitNOFILE=2048\n[Process]\nSubprocess=allow\n' | project
echo 'import os, resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[0], os.system("exit 3") >> 8)' | as_user "$work/script.py"
go
is "$rc: $out" '125: ' 'control: a file that is not trusted'
capture run_as confine policy trust "$work/confine.conf"
is "$rc: $out" '0: ' 'policy trust takes it'
like "$err" "^confine: '$work/confine.conf' is trusted as it is now" '... and says so'
go
is "$rc: $out" '0: 2048 3' '... and a run is granted what it asks for'
show -pEnforcement=best-effort "$work/script.py"
like "$out" "^Subprocess=allow $work/confine.conf:4\$" '... with its place'
run_as cp -r "$work" "$home/confine-work-2"
capture run_as confine -q -pEnforcement=best-effort "$home/confine-work-2/script.py"
is "$rc: $out" '125: ' 'another path is not trusted'
rm -rf "$home/confine-work-2"
echo '# changed' | run_as tee -a "$work/confine.conf" >/dev/null
go
is "$rc: $out" '125: ' 'nor is another text'
cd "$work"
capture run_as confine policy trust
is "$rc" 0 'without a name it is the file of the current directory'
go
is "$rc: $out" '0: 2048 3' '... and trusted again'
capture run_as confine policy trust "$work/nothing"
is "$rc" 1 'a file that there is not cannot be trusted'
capture run_as confine policy trust "$work/other.conf"
like "$rc: $err" "^1: .*'$work/other.conf' is no project's own file" '... nor one that no run would look for'
rm "$work/confine.conf"

# --- ceilings

site confine.conf <<END
[Ceiling]
MemoryMax=512M
LimitNOFILE=64
Network=deny
AllowRead=$home
Enforcement=best-effort
NoSandbox=no
END
capture run_as confine --memory=513M -c 'print(1)'
refused "'MemoryMax=513M' \\(--memory\\) is more than the ceiling of this machine, 512M \\(/etc/confine/confine.conf:2\\)" 'more memory than the ceiling'
capture run_as confine --allow-net -c 'print(1)'
refused "'Network=allow' \\(--allow-net\\) .*\\(/etc/confine/confine.conf:4\\)" 'the network'
capture run_as confine --allow-read=/etc/passwd -c 'print(1)'
refused "'AllowRead' of '/etc/passwd' \\(--allow-read\\) is not below a ceiling of this machine, $home \\(/etc/confine/confine.conf:5\\)" 'a path'
capture run_as confine -pEnforcement=best-effort --allow-exec="$work/link" -c 'print(1)'
refused "AllowExec= '/etc' is not below a ceiling" 'a link out of it'
echo hidden | as_user /var/tmp/confine-secret
echo allowed | as_user "$home/secret"
capture run_as confine -pEnforcement=best-effort --secret=s=file:/var/tmp/confine-secret -c 'print(1)'
refused "AllowRead= '/var/tmp/confine-secret' is not below a ceiling" 'the file of a secret'
capture run_as env CREDENTIALS_DIRECTORY=/var/tmp confine -pEnforcement=best-effort -pLoadCredential=confine-secret -c 'print(1)'
refused "AllowRead= '/var/tmp/confine-secret' is not below a ceiling" '... or of a credential'
capture run_as confine -q -pEnforcement=best-effort --secret=s=file:"$home/secret" --memory=512M -c 'import os; print(open(os.environ["CREDENTIALS_DIRECTORY"] + "/s").read())'
is "$rc: $out" '0: allowed' 'control: one below it'
rm -f /var/tmp/confine-secret "$home/secret"
run_as mkdir -p /tmp/confine-elsewhere
echo 'print(1)' | as_user /tmp/confine-elsewhere/script.py
capture run_as confine -pEnforcement=best-effort /tmp/confine-elsewhere/script.py
refused "AllowRead= '/tmp/confine-elsewhere.*' is not below a ceiling" 'the directory of a script'
rm -rf /tmp/confine-elsewhere
echo 'import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])' | as_user "$work/script.py"
go --memory=512M --allow-read="$work"
is "$rc: $out" '0: 64' 'control: at the ceiling; a default that is more is lowered to it'
show -pEnforcement=best-effort "$work/script.py"
like "$out" '^MemoryMax=512M ' '... and shown so'
capture run_as confine --no-sandbox -c 'print(1)'
refused 'no-sandbox is forbidden on this machine \(/etc/confine/confine.conf:7\)' 'P4: --no-sandbox'
printf '[Ceiling]\nEnforcement=strict\n' | site confine.conf
capture run_as confine -pEnforcement=best-effort -c 'print(1)'
refused "'Enforcement=best-effort' .* ceiling of this machine, strict" 'Enforcement='
echo '[Nonsense]' | site confine.conf
capture run_as confine --no-sandbox -c 'print(1)'
refused "unknown section 'Nonsense'" 'a site whose file cannot be read forbids all'
rm -rf /etc/confine
mkdir -p /etc/confine/confine.conf.d
for file in confine.conf confine.conf.d/10-ceiling.conf; do
    ln -s /nowhere "/etc/confine/$file"
    capture run_as confine -c 'print(1)'
    refused "'/etc/confine/$file' is a link to nothing" "so does $file that is a link to nothing"
    rm "/etc/confine/$file"
done
rm -rf /etc/confine
capture run_as confine --no-sandbox -c 'print(1)'
is "$rc: $out" '0: 1' 'control: without it all is as before'

capture run_as confine --dry-run --result="$work/result" -c 'print(1)'
refused "'--result' has nothing to tell" 'a dry run with a result'
is "$(find "$work" -name result)" '' '... makes no file of that name'

assert_clean
done_testing
