#!/bin/sh
# SPDX-License-Identifier: MIT
# The tree as a whole: the top level, no path of one machine, headers that stand alone.
set -eu
. "$(dirname "$0")/lib"

# Split, so that this file does not find itself.
machine='(^|[^A-Za-z0-9_.-])/(wo''rk|fa''rm|ro''ot/\.cache)(/|[^A-Za-z0-9_-]|$)'
tests/lint/sources all >"${TMPDIR:-/tmp}/lint-tree.$$"
trap 'rm -f "${TMPDIR:-/tmp}/lint-tree.$$"' EXIT
report 'no path of one machine' \
    "$(xargs grep -nIE "$machine" <"${TMPDIR:-/tmp}/lint-tree.$$" || true)"

findings=''
for header in $(tests/lint/sources headers); do
    out=$(${CC:-cc} -std=gnu17 -D_GNU_SOURCE -I. -fsyntax-only -x c -include "$header" /dev/null 2>&1) ||
        findings="$findings$header: $out
"
    grep -q '^#pragma once' "$header" || findings="$findings$header: no #pragma once
"
done
report 'every header can be included alone' "$findings"
finish
