#!/bin/sh
# SPDX-License-Identifier: MIT
# Each dependency has its reason in .github/CONTRIBUTING.md, and none stands there that is gone: the packages that the Debian package
# names, the libraries that the Makefile links, and the packages that the tests install.
set -eu
. "$(dirname "$0")/lib"

text=$(sed -n '/^## What it depends on/,/^## Commits/p' .github/CONTRIBUTING.md)

# words: of the text, or of what is read, one a line.
words() {
    tr -cs 'a-z0-9.+-' '\n' | LC_ALL=C sort -u
}
table=$(printf '%s\n' "$text" | sed -n 's/^| \([^|]*\) |.*/\1/p' | grep -v '^package$\|^-' | sed 's/ or /, /g' | words)
tests=$(printf '%s\n' "$text" | sed -n '/^What only the tests use/,$p' | words)

# debian FIELDS: the packages of packaging/debian/control below them.
debian() {
    awk -v fields="$1" '/^[A-Z]/ { on = $1 ~ "^(" fields "):" } on' packaging/debian/control |
        sed -e 's/^[A-Z][A-Za-z-]*://' -e 's/([^)]*)//g' -e 's/\${[^}]*}//g' | words
}
# deps PART: those of tests/system/deps, without what another part names.
deps() {
    sh -c 'sed -n "/^image=/p; /^packages()/,/^}/p" tests/system/deps >"$1"; . "$1"; packages "$2"' sh "$file" "$1" | words
}
file=$(mktemp)
trap 'rm -f "$file"' EXIT

# missing FROM IN: the words of FROM that are not IN.
missing() {
    printf '%s\n' "$1" | while read -r word; do
        printf '%s\n' "$2" | grep -qxF -e "$word" || echo "$word"
    done
}

shipped=$(debian 'Build-Depends|Depends|Recommends|Suggests' | sed -e 's/^debhelper-compat$/debhelper/' -e '/^dbus-system-bus$/d' -e '/^$/d')
used=$(for part in build box vm bench aarch64 packages; do deps "$part"; done | LC_ALL=C sort -u)
[ "$(printf '%s\n' "$shipped" | wc -l)" -gt 10 ] && [ "$(printf '%s\n' "$used" | wc -l)" -gt 30 ] || shipped='none: they cannot be read'
report 'each package that ours names has its reason' "$(missing "$shipped" "$table")"
report 'each package of the tests has one' "$(missing "$used" "$table
$tests")"
report 'what the table has is needed' "$(missing "$table" "$shipped
$used")"
libraries=$(grep -E '^LIB[A-Z_]* *:=' Makefile | grep -oE -- ' -l:?[a-z]+|,-l:?[a-z]+' | sed -E 's/^.-l:?(lib)?/lib/' | LC_ALL=C sort -u | sed 's/$/-dev/')
report 'each library that is linked has one' "$(missing "$libraries" "$table")"
finish
