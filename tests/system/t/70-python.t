#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# managers: system user
# vm-managers: system
# budget: 120
# The Python forms: what plain python3 gives the code, what is granted with it, which interpreter.
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; $form_words are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# form WORD...: confine WORD..., with what the container needs.
form() {
    run_as $form_words "$@"
}

# make FILE: of what comes on stdin, with the directories that lead to it, for everybody to read.
make() {
    mkdir -p "$(dirname "$1")"
    cat >"$1"
    chmod 0644 "$1"
}

# --- P3: what a script gets with it

make proj/main.py <<'END'
import errno, os

def attempt(path, mode="r"):
    try:
        with open(path, mode):
            return "ok"
    except OSError as e:
        return errno.errorcode[e.errno]

import helper, package.part
here = os.path.dirname(os.path.realpath(__file__))
print("beside", attempt(here + "/data"), "below", attempt(here + "/package/part.py"), "above", attempt(here + "/../outside"))
print("overwrite", attempt(here + "/data", "r+"), "create", attempt(here + "/new", "w"))
print("elsewhere", attempt(os.environ.get("ELSEWHERE", "/nonexistent")))
END
echo 'value = 1' | make proj/helper.py
echo 'value = 1' | make proj/package/part.py
echo data | make proj/data
echo outside | make outside
# So that file permissions deny nothing.
chown -R "$user:" proj outside
chmod -R a+rwX proj outside
cp -a proj writable

capture form proj/main.py
is "$rc: $out" '0: beside ok below ok above EACCES
overwrite EROFS create EROFS
elsewhere ENOENT' 'P3: its directory can be read, siblings imported, and nothing else'
is "$(find proj -name __pycache__ -o -name new)" '' 'P3: nothing was written there, bytecode neither'
capture run_as env "ELSEWHERE=$tmp/outside" python3 -B proj/main.py
is "$rc: $out" '0: beside ok below ok above ok
overwrite ok create ok
elsewhere ok' 'P3: control: unconfined all of it is allowed'
rm proj/new

if limits; then
    capture form -c 'import sys; print(sys.argv, sys.flags.utf8_mode); sys.exit(3)' -c
    is "$rc: $out" "3: ['-c', '-c'] 1" 'P1 P10: code'
    capture form -m json.tool </dev/null
    is "$rc" 1 'P1: a module'
    # What follows is the same on every kernel, and slow in the VM.
    assert_clean
    done_testing
    exit
fi

capture form --allow-write="$tmp/writable" writable/main.py
is "$rc: $(printf '%s\n' "$out" | sed -n 2p)" '0: overwrite ok create ok' 'P3: a grant adds to it'
is "$(find writable -name '*.pyc' | wc -l)" 2 'with a write grant bytecode is kept'

mkdir links
ln -s ../proj/main.py links/by-link.py
echo secret | make links/secret
capture form -E ELSEWHERE="$tmp/links/secret" links/by-link.py
is "$rc: $out" '0: beside ok below ok above EACCES
overwrite EROFS create EROFS
elsewhere EACCES' 'P3: a link grants the directory that it leads to, not its own'

mkdir swap
chown "$user:" swap
capture run_as python3 "$data/swap.py" swap "$(loops 200 0)" $form_words
is "$rc: $(printf '%s\n' "$out" | tail -n 1)" '0: 0 read' 'B84 P3: a directory that becomes a link meanwhile is not followed'
unlike "$out" '^0 denied$' 'B84: control: the script ran'

cd proj
read_beside='open("data").read()'
capture form -c "$read_beside"
is "$rc: $(printf '%s\n' "$err" | tail -n 1)" "1: PermissionError: [Errno 13] Permission denied: 'data'" 'P3: -c grants nothing'
capture form - <<END
$read_beside
END
is "$rc: $(printf '%s\n' "$err" | tail -n 1)" "1: PermissionError: [Errno 13] Permission denied: 'data'" 'P3: nor does -'
capture run_as python3 -c "$read_beside"
is "$rc" 0 'P3: control: unconfined it can be read'
echo 'print(open("data").read(), end="")' | make reader.py
capture form -m reader
is "$rc: $out" '0: data' 'P3: -m grants the current directory'
capture form -E ELSEWHERE="$tmp/outside" -m main
like "$out" '^elsewhere EACCES$' 'P3: and no other'
cd ..
capture form --working-directory="$tmp/proj" -m reader
is "$rc: $out" '0: data' 'P3: or the one of --working-directory'
capture form --working-directory=/usr proj/main.py
is "$rc" 0 'P3: a script is found from where confine was called'
capture form -v proj/main.py
like "$err" "^confine: granted: AllowRead='$tmp/proj', by what is run$" 'P3: -v says what was granted'

# --- P3: directories that are more than a script's

echo 1 | make home/visible/file
echo 1 | make home/.hidden/file
echo 1 | make home/.dot
ln -s .dot home/to-dot
make home/script.py <<'END'
import os
for name in "visible/file", ".hidden/file", ".dot", "to-dot", "script.py":
    try:
        open(os.path.join(os.environ["AT"], name)).close()
        print(name, "ok")
    except OSError as e:
        print(name, e.strerror)
END
capture run_as env "HOME=$tmp/home" $form_words -E AT="$tmp/home" home/script.py
is "$rc: $out" '0: visible/file ok
.hidden/file Permission denied
.dot Permission denied
to-dot Permission denied
script.py ok' 'P3: of a home directory everything is granted but hidden entries'
capture run_as env "AT=$tmp/home" python3 home/script.py
is "$rc: $(printf '%s\n' "$out" | grep -c ' ok$')" '0: 5' 'P3: control: unconfined all can be read'
echo 'import script' | make home/importer.py
capture run_as env "HOME=$tmp/home" $form_words home/importer.py
is "$rc" 1 'P3: it cannot be listed, so there are no siblings'
like "$(messages)" "^confine: a home directory .*'home/importer.py' failed: put it into a directory of its own$" 'P3: which is said'
capture run_as env "HOME=$tmp/home/visible/deep" $form_words --result="$tmp/result" home/script.py
is "$rc: $out: $(result .cause)" '125: : refused' 'P3: above home directories nothing is granted without being asked'
like "$(messages)" "^confine: '$tmp/home' is not granted .*--allow-read='$tmp/home/script.py' \[ConfigurationError\]$" 'P3: and the way out is said'
capture run_as env "HOME=$tmp/home/visible/deep" $form_words --allow-read="$tmp/home/script.py" -E AT="$tmp/home" home/script.py
is "$rc: $(printf '%s\n' "$out" | grep -c ' ok$')" '0: 1' 'P3: which grants the script and no more'
for directory in / /home; do
    capture run_as env -C "$directory" $form_words -m json.tool
    is "$rc" 125 "P3: -m in $directory is refused"
    like "$(messages)" "^confine: '$directory' is not granted .*--working-directory= \[ConfigurationError\]$" 'P3: by name'
done
if [ "$MANAGER" = system ]; then
    chmod 0700 proj
    capture form proj/main.py
    is "$rc: $out" '125: ' 'a script that the uid of the run cannot read is refused'
    like "$(messages)" "^confine: file permissions deny the script '$tmp/proj/main.py' to uid [0-9]+ .*--uid= \[ConfigurationError\]$" 'and named'
    chmod 0777 proj
fi

# --- files that say themselves what they are run by

make proj/tool <<'END'
#!/bin/sh
read -r line <"$(dirname "$0")/data"
echo "$line $*"
exit 4
END
cp proj/tool proj/run
cp /usr/bin/echo proj/program
printf '#!/bin/sh\n./program x\n' | make proj/starts
chmod 0755 proj/tool proj/run proj/starts
capture form --allow-run proj/tool a b
is "$rc: $out" '4: data a b' 'P1: a file without .py is run by its #! line'
cd proj
capture form --allow-run -- tool
is "$rc: $out" '4: data ' 'P1: also by its bare name'
capture form --allow-run ./run x
is "$rc: $out" '4: data x' 'P1: ./run is no verb'
capture form program -n x
is "$rc: $out" '0: x' 'P1: an ELF file'
capture form --allow-run starts
is "$rc" 126 'P3: execution is granted for the file alone'
like "$err" 'Permission denied' 'P3: EACCES'
capture run_as ./starts
is "$rc: $out" '0: x' 'P3: control: unconfined it starts the other'
cd ..
capture form proj/data
is "$rc: $out" '126: ' 'a file that is not executable is 126'
capture form --result="$tmp/result" missing.py
is "$rc: $out: $(result .cause)" '127: : exec' 'a missing one 127'
like "$(messages)" "^confine: cannot execute 'missing.py': No such file or directory: check the name; 'confine run -- missing.py'" 'and named'

# --- the interpreter

echo 'import sys; print(sys.prefix, sys.executable)' | make proj/which.py
capture form proj/which.py
is "$rc: $out" '0: /usr /usr/bin/python3' 'the interpreter is python3 in PATH'

library=$(run_as python3 -c 'import os; print(os.path.basename(os.path.dirname(os.__file__)))')
mkdir -p opt/bin opt/lib
cp /usr/bin/python3 opt/bin/python3
cp -a "/usr/lib/$library" "opt/lib/$library"
capture run_as env "PATH=$tmp/opt/bin:/usr/bin" $form_words proj/which.py
is "$rc: $out" "0: $tmp/opt $tmp/opt/bin/python3" 'an interpreter with a prefix of its own gets that'
capture form -p Interpreter=opt/bin/python3 proj/which.py
is "$rc: $out" "0: $tmp/opt $tmp/opt/bin/python3" 'Interpreter= names one'
capture form -p Interpreter=opt/bin/python3 -p Base=system -c ''
is "$rc" 126 'Base=system grants none of it'
capture form -p Interpreter=opt/bin/python3 -c 'open("outside")'
is "$rc: $(printf '%s\n' "$err" | tail -n 1)" "1: PermissionError: [Errno 13] Permission denied: 'outside'" 'and nothing beside the prefix is granted'

mkdir -p venv/bin
ln -s ../../opt/bin/python3 venv/bin/python3
printf 'home = %s/opt/bin\ninclude-system-site-packages = false\n' "$tmp" >venv/pyvenv.cfg
echo 'value = "from the venv"' | make "venv/lib/$library/site-packages/vendored.py"
echo 'import sys, vendored; print(sys.prefix, sys.base_prefix, vendored.value)' | make proj/venv.py
capture run_as env "PATH=$tmp/venv/bin:/usr/bin" $form_words proj/venv.py
is "$rc: $out" "0: $tmp/venv $tmp/opt from the venv" 'B84: a virtualenv is one, with its packages and its base'
capture run_as env "PATH=$tmp/venv/bin:/usr/bin" python3 proj/venv.py
is "$rc: $out" "0: $tmp/venv $tmp/opt from the venv" 'B84: control: as it is unconfined'
capture confine run -p Base=python -p Interpreter=venv/bin/python3 -- "$tmp/venv/bin/python3" -c 'import vendored'
is "$rc" 0 'B84: Base=python is for commands, too'
capture confine run -- "$tmp/venv/bin/python3" -c ''
is "$rc" 126 'B84: control: without it the interpreter is not granted'
capture confine run --allow-exec=venv -- "$tmp/venv/bin/python3" -c ''
is "$rc: $(messages)" "126: confine: cannot execute '$tmp/venv/bin/python3': Permission denied: it leads to '$tmp/opt/bin/python3': grant that with \
--allow-exec= and check its permissions for the uid of the run" 'B84: nor is it with the virtualenv, and the message names what its link leads to'
capture confine run --allow-exec=venv --allow-exec=opt -- "$tmp/venv/bin/python3" -c 'import vendored'
is "$rc: $(messages)" '0: ' 'B84: with that it is'

mkdir -p pyenv/shims pyenv/versions/3.9.9/bin wrapper
ln -s ../../../../opt/bin/python3 pyenv/versions/3.9.9/bin/python3
printf '#!/bin/sh\nexec %s/opt/bin/python3 "$@"\n' "$tmp" >pyenv/shims/python3
chmod 0755 pyenv/shims/python3
cp pyenv/shims/python3 wrapper
echo 3.9 >pyenv/version
capture run_as env "PATH=$tmp/pyenv/shims:/usr/bin" $form_words proj/which.py
is "$rc: $out" "0: $tmp/opt $tmp/pyenv/versions/3.9.9/bin/python3" 'a shim is passed through, without a second execution'
capture run_as env "PATH=$tmp/pyenv/shims:/usr/bin" PYENV_VERSION=system $form_words proj/which.py
is "$rc: $out" '0: /usr /usr/bin/python3' 'or over'
capture run_as env "PATH=$tmp/wrapper:/usr/bin" $form_words proj/which.py
is "$rc: $out" '126: ' 'another script in its place is refused'
like "$(messages)" "^confine: cannot execute 'python3': .*-p Interpreter=PATH$" 'and named, with what to do'
capture form -p Interpreter=python9 proj/which.py
is "$rc: $out" '127: ' 'an interpreter that is not there is 127'
like "$(messages)" "^confine: cannot execute 'python9': No such file" 'and named'

# --- P1, P10: as plain python3 in UTF-8 mode

mkdir programs
chown "$user:" programs
capture run_as python3 "$data/forms.py" programs $form_words
is "$rc: $out" '0: 71 programs, 10 kinds of end' 'P1 P10: output, errors and status of each form are those of python3 -X utf8'

assert_clean
done_testing
