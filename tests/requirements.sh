#!/bin/sh
# SPDX-License-Identifier: MIT
# Every requirement id is named by a test, or stands below with the reason why not yet. A reason
# that is out of date fails too.
set -eu
. "$(dirname "$0")/lint/lib"

not_yet() {
    cat <<'END'
P19 measured by make bench, not by a test
S18 for later
END
}

ids=''
i=1
while [ "$i" -le 22 ]; do ids="$ids P$i"; i=$((i + 1)); done
i=1
while [ "$i" -le 20 ]; do ids="$ids S$i"; i=$((i + 1)); done

# The words of the tests, once each; this file and the corpus prove nothing.
words=$(find tests -type f ! -path 'tests/fuzz/corpus/*' ! -path tests/requirements.sh \
    ! -path 'tests/lint/*' -exec grep -ohIwE '[PS][0-9]{1,2}' {} + | sort -u)
untested=''
outdated=''
for id in $ids; do
    tested=$(printf '%s\n' "$words" | grep -cx "$id" || true)
    reason=$(not_yet | sed -n "s/^$id //p")
    if [ "$tested" -eq 0 ] && [ -z "$reason" ]; then
        untested="$untested$id
"
    elif [ "$tested" -ne 0 ] && [ -n "$reason" ]; then
        outdated="$outdated$id: $reason
"
    fi
done
report 'every requirement has a test or a reason' "$untested"
report 'no requirement with a test is listed as untested' "$outdated"
finish
