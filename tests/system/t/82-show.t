#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: system user
# budget: 60
# P4: what a run would be held to, without running it: policy show, policy keys, --dry-run, as text and as JSON.
# shellcheck disable=SC2016 # scripts for inner shells
set -eu
. "${0%/*}/../lib/lib.sh"

# A run of the container says that nothing limits there; so does the run that is not made. Nothing of it depends on limits.
held='-p Enforcement=best-effort'
echo 'open("ran", "w")' >script.py
chown "$user:" script.py
chmod 0777 "$tmp"

# valid SCHEMA: whether the last output is what the schema says.
valid() {
    check "its JSON is as $1 says" python3 "$tests_dir/data/schema.py" "/usr/share/confine/schema/$1" "$captured/out"
}

# get EXPRESSION: of the last output, as Python, in r.
get() {
    python3 -c "import json, sys; r = json.load(open(sys.argv[1])); print($1)" "$captured/out"
}

capture confine policy keys
like "$out" '^MemoryMax +size +1G +any +the controller memory +cgroup$' 'P4: keys, and who can enforce them'
like "$out" '^TCPConnectPorts +port\.\.\. .* Landlock ABI 4 \(Linux 6\.7\)' 'S8: the kernel that is needed'
is "$(printf '%s\n' "$out" | sed 1d | awk '{ print $1 }')" "$(confine policy keys --json |
    python3 -c 'import json, sys; [print(k["key"]) for k in json.load(sys.stdin)["keys"]]')" 'as JSON it is the same'
capture confine policy keys --json
valid keys.json

capture confine policy show --memory=1536M --allow-read=/etc -E 'A=b c'
is "$rc" 0 'policy show'
like "$out" '^MemoryMax +1536M +1610612736 bytes +--memory$' 'P4: the value, parsed, and who said so'
like "$out" '^TasksMax +256 +256 +shipped default$' 'and what nobody said'
like "$out" '^AllowRead +/etc +- +--allow-read$' 'and grants'
hash=$(printf '%s\n' "$out" | sed -n 's/^policy SHA-256 *//p')
capture confine policy show --memory=1536M --allow-read=/etc -E 'A=b c' --canonical
is "$(sha256sum <"$captured/out" | cut -d' ' -f1)" "$hash" 'its hash is that of the canonical text'
capture confine policy show --memory=1536M --allow-read=/etc -E 'A=b c' --json
valid policy.json
is "$(get 'r["record"]["policy_sha256"]')" "$hash" 'as JSON it is the same'
capture confine policy show --memory=infinity
is "$rc: $out" '1: ' 'a policy that is refused is 1'
like "$err" "^confine: 'infinity' is not a size for 'MemoryMax' \(--memory\): .*\[ConfigurationError\]$" 'S20: and why'

# shellcheck disable=SC2086 # options
capture run_as /usr/bin/confine $held --dry-run --allow-write="$tmp" --result=fd:1 script.py
is "$rc" 125 'there is no result of a run that is not made'
# shellcheck disable=SC2086
capture run_as /usr/bin/confine $held --dry-run --allow-write="$tmp" script.py 'a b'
is "$rc: $err" '0: ' 'P4: a dry run'
like "$out" "^AllowRead +$tmp/script.py +- +what is run$" 'tells what is granted by itself'
like "$out" "^command +/usr/bin/python3\S* -X utf8 script.py 'a b'$" 'what would be executed'
like "$out" '^interpreter +/usr/bin/python3' 'the interpreter found'
like "$out" '^metadata +read-only outside the write grants, by a private view$' 'how metadata is protected'
like "$out" '^isolation +process$' 'the tier'
like "$out" '^TasksMax +257$' 'and the unit: the keeper is a task, too'
hash=$(printf '%s\n' "$out" | sed -n 's/^policy SHA-256 *//p')
check 'and runs nothing' test ! -e ran
is "$(find /run/confine "$tmp" -newer script.py -type f | grep -v /starts)" '' 'and creates nothing'
# shellcheck disable=SC2086
capture run_as /usr/bin/confine $held --dry-run --json --allow-write="$tmp" script.py 'a b'
valid dry-run.json
is "$(get 'r["record"]["policy_sha256"]')" "$hash" 'as JSON it is the same'
# shellcheck disable=SC2086
capture run_as /usr/bin/confine $held --result=fd:1 --allow-write="$tmp" script.py 'a b'
valid result.json
is "$rc $(get 'r["policy_sha256"]')" "0 $hash" 'control: the run itself has that policy'
check 'control: and ran' test -e ran
capture run_as /usr/bin/confine --dry-run -p Enforcement=best-effort -p PrivateTmp=no run -- /nonexistent
is "$rc: $out" '127: ' 'what would be refused is, as the run would be'

# However a run ends, its result is as the schema says.
result_of() {
    # shellcheck disable=SC2086
    capture run_as /usr/bin/confine $held -q --result=fd:3 "$@" 3>"$captured/result"
    ends="$ends$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["cause"])' "$captured/result") "
    python3 "$tests_dir/data/schema.py" /usr/share/confine/schema/result.json "$captured/result" >>"$captured/wrong" 2>&1 || :
}
ends=
: >"$captured/wrong"
result_of run -- sh -c 'kill -9 $$'
result_of --timeout=50ms run -- sleep 100
result_of run -- /nonexistent
result_of --memory=1 run -- true
result_of -p AuditArguments=full --allow-net -c 'import os; os.fork()'
is "$ends$(cat "$captured/wrong")" 'signal timeout exec refused exit ' 'results of every kind are as result.json says'

mkdir -p tree/etc/confine
printf '[Limits]\nMemoryMax=1g\nTaskMax=5\n[Network]\nDomains=a\n' >bad.conf
printf '[Limits]\nMemoryMax=2G\n' >good.conf
printf '[Ceiling]\nMemoryMax=2G\n' | tee tree/etc/confine/confine.conf >ceiling.conf
# Without root and without a service manager: a user who has none.
capture setpriv --reuid=60000 --regid=60000 --clear-groups --inh-caps=-all env -i /usr/bin/confine policy check good.conf
is "$rc: $out" '0: FILE       FAULTS
good.conf  0' 'P4: a policy file without faults'
capture confine policy check --json good.conf bad.conf /nonexistent tree/etc/confine/confine.conf ceiling.conf
is "$rc" 1 'P4: and some with'
valid check.json
is "$(get '[f["faults"] for f in r["files"]]')" '[0, 3, 1, 0, 1]' 'a ceiling is for /etc'
is "$(get '[m["type"] for m in r["faults"]][:3]')" "['ConfigurationError', 'CapabilityNotSupported', 'ConfigurationError']" 'typed'
like "$(get '[m["message"] for m in r["faults"]]')" "unknown key 'TaskMax' .$tmp/bad.conf:3.: write 'TasksMax'" 'with line and fix'

# What a run would refuse in the code's own file, the linter refuses there too.
mkdir -p project tree/.config/confine
printf '[Limits]\nMemoryMax=2G\n[Network]\nNetwork=allow\n[Process]\nInterpreter=/bin/sh\n' | tee tree/.config/confine/confine.conf >project/confine.conf
chmod -R a+rX project
chown -R "$user:" project
capture run_as env HOME="$tmp/nohome" /usr/bin/confine policy check --json project/confine.conf tree/.config/confine/confine.conf
is "$rc" 1 "P4: a project's own file"
valid check.json
is "$(get '[f["faults"] for f in r["files"]]')" '[3, 0]' 'is held to what such a file may say, and a file of the caller is not'
like "$(get '[m["message"] for m in r["faults"]]')" "Interpreter.*is not for a project's own file to say.*'MemoryMax=2G'.*may only lower" 'as a run would be'

# The layers are in what is shown.
mkdir -p "$tmp/home/.config/confine"
cp good.conf "$tmp/home/.config/confine/confine.conf"
chown -R "$user:" "$tmp/home"
capture run_as env HOME="$tmp/home" /usr/bin/confine policy show --policy=./good.conf -p TasksMax=9
like "$out" "^MemoryMax +2G +2147483648 bytes +$tmp/good.conf:2$" 'P4 S4: the file and line that a value comes from'
capture run_as env HOME="$tmp/home" /usr/bin/confine policy show
like "$out" "^MemoryMax +2G +2147483648 bytes +$tmp/home/.config/confine/confine.conf:2$" 'and the lower layer without it'

# B56: what is shown does nothing to a terminal, and JSON is JSON.
evil=$(printf '\033[31m\377\342\200\256\\"')
# shellcheck disable=SC2086
capture run_as /usr/bin/confine $held --dry-run -E "A=$evil" run -- /bin/echo "$evil"
is "$rc $(tr -d '\n[:print:]' <"$captured/out" | wc -c)" '0 0' 'B56: as text nothing but what is printable'
like "$out" '^Environment +A=.x1b.31m.xff.xe2.x80.xae.." +- +-E$' 'B56: and the value is there to the byte'
# shellcheck disable=SC2086
capture run_as /usr/bin/confine $held --dry-run --json -E "A=$evil" run -- /bin/echo "$evil"
valid dry-run.json
is "$(get 'r["run"]["command"][10:].encode().hex()')" 271b5b33316d3fe280ae5c2227 'B56: as JSON it is UTF-8'

# A schema that takes everything would be no check.
capture confine policy keys --json
sed 's/"built":true/"built":"yes"/' "$captured/out" >bad.json
capture python3 "$tests_dir/data/schema.py" /usr/share/confine/schema/keys.json bad.json
is "$rc" 1 'control: a schema refuses what is not as it says'
assert_clean
done_testing
