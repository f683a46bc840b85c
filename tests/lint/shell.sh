#!/bin/sh
# SPDX-License-Identifier: MIT
# Shell: shellcheck clean, POSIX sh with set -eu, four spaces.
set -eu
. "$(dirname "$0")/lib"

scripts=$(tests/lint/sources sh)
# shellcheck disable=SC2086 # file names of ours hold no spaces
if ! lacks shellcheck 'shellcheck'; then
    report 'shellcheck' "$(shellcheck -x -P SCRIPTDIR -s sh -f gcc $scripts 2>&1 || true)"
fi
findings=''
for script in $scripts; do
    grep -q '^set -eu' "$script" || findings="$findings$script: no 'set -eu'
"
done
report 'every script says set -eu' "$findings"
# shellcheck disable=SC2086
report 'no tabs for indentation' "$(grep -nP '^ *\t' $scripts /dev/null || true)"
finish
