#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box
# managers: system user
# budget: 240
# How the program is found and started: one execve of an absolute path, its arguments byte by byte.
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; $run_words are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# script NAME: an executable file of what comes on stdin.
script() {
    cat >"$1"
    chmod 0755 "$1"
}

# --- arguments

capture run_as python3 "$data/argv.py" $run_words --
is "$out" 'status 0
arguments 1037
intact' 'arguments come through: empty, blanks, newlines, no UTF-8, 100000 bytes, 1000 of them'
capture run_as python3 "$data/argv.py" env
is "$out" 'status 0
arguments 1037
intact' 'control: and so they do without confine'

capture confine run -- sh -c 'echo "$0 $#"'
is "$out" 'sh 0' 'argv[0] is the word that was given'
capture confine run echo --memory=1 -q --result=x -- -
is "$out" '--memory=1 -q --result=x -- -' 'options end at the command: what follows is its own'
capture confine run -- echo -- x
is "$out" '-- x' 'the first -- ends them, a second one is an argument'

# --- #! lines, without --allow-run

script by-path <<'END'
#!/usr/bin/python3
import os, sys
print(sys.argv[1:], os.path.abspath(sys.argv[0]))
sys.exit(5)
END
script by-env <<'END'
#!/usr/bin/env python3
import os, sys
print(sys.argv[1:], os.path.abspath(sys.argv[0]))
sys.exit(5)
END
script by-env-blank <<'END'
#! /usr/bin/env  python3
import os, sys
print(sys.argv[1:], os.path.abspath(sys.argv[0]))
sys.exit(5)
END
script by-env-words <<'END'
#!/usr/bin/env -S python3 -I -B
import os, sys
print(sys.argv[1:], os.path.abspath(sys.argv[0]))
sys.exit(5 if sys.flags.isolated and sys.flags.dont_write_bytecode else 6)
END
for file in by-path by-env by-env-blank by-env-words; do
    capture confine run --allow-exec="$tmp" -- ./"$file" 'a b' ''
    is "$rc: $out" "5: ['a b', ''] $tmp/$file" "#! $file: started without --allow-run"
    capture run_as ./"$file" 'a b' ''
    is "$rc: $out" "5: ['a b', ''] $tmp/$file" 'control: as it is unconfined'
done
capture confine run --allow-read="$tmp" -- ./by-env
is "$rc" 5 'a script that only its interpreter opens needs no more than to be read'
capture run_as env "PATH=$tmp:/usr/bin" $run_words --allow-exec="$tmp" -- by-env x
is "$rc: $out" "5: ['x'] $tmp/by-env" 'a script found by PATH gets the path it was found by'
capture confine run --allow-exec="$tmp" -- "$tmp/by-env"
is "$rc: $out" "5: [] $tmp/by-env" 'or by an absolute one'
mkdir sub
ln -s ../by-env sub/link
capture confine run --allow-exec="$tmp" -- sub/link
is "$rc: $out" "5: [] $tmp/sub/link" 'or by a link'

script by-env-missing <<'END'
#!/usr/bin/env no-such-interpreter
END
capture confine run --allow-exec="$tmp" -- ./by-env-missing
is "$rc" 127 'an interpreter that PATH has not is 127'
like "$(messages)" "^confine: cannot execute 'no-such-interpreter': No such file" 'and named'

# --- a wrapper that wants a second exec

script wrapper <<'END'
#!/bin/sh
exec /usr/bin/printf inner
END
capture confine run --result="$tmp/result" --allow-exec="$tmp" -- ./wrapper
is "$rc: $out" '126: ' 'a wrapper may not start a second program'
like "$(messages)" "^confine: .*wrapper.*--allow-run" 'a message names it, and what would let it'
is "$(result '"\(.cause) \(.exec_denials)"')" 'exit 1' 'counted once: the exit is its own'
capture confine run --result="$tmp/result" --allow-run --allow-exec="$tmp" -- ./wrapper
is "$rc: $out" '0: inner' 'control: with --allow-run it may'
is "$(messages)" '' 'then there is nothing to say'
is "$(result .exec_denials)" 0 'nor to count'
capture run_as ./wrapper
is "$rc: $out" '0: inner' 'control: unconfined too'

capture confine run --result="$tmp/result" -- env true
is "$rc" 126 'env itself is such a wrapper'
like "$(messages)" "^confine: .*'env'.*--allow-run" 'named'
capture confine run --result="$tmp/result" -- sh -c 'echo a | cat; echo "$?"'
isnt "$out" a 'a shell cannot start processes'
capture confine run --allow-run -- sh -c 'echo a | cat; echo "$?"'
is "$out" 'a
0' 'control: with --allow-run it can'

# --- B37: under a hard limit of 0, where that of 1 cannot be had, no memory goes into what a core_pattern pipe gets

# core_filter COMMANDS: of a program that a shell starts after these.
core_filter() {
    spawn run_as sh -c "$1"'; exec "$@"' sh $run_words -q -- sleep 1000
    wait_for 20 has_program || diag "$(cat "$captured/err")"
    filter=$(cat "/proc/$(worker_of "$pid")/coredump_filter")
    kill -s TERM "$pid"
    finish "$pid"
}
has_program() { worker_of "$pid" >/dev/null; }
core_filter 'ulimit -c 0'
is "$filter" 00000000 'B37: with a hard limit of 0 no page is written'
core_filter :
isnt "$filter" 00000000 'B37: control: without it that is not needed'

assert_clean
done_testing
