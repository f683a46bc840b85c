#!/bin/sh
# SPDX-License-Identifier: MIT
# P18: each kind of package installed, used, upgraded while a run is on, used again and taken away, on a machine that has never seen
# confine. At the end the disk is as it was.
# shellcheck disable=SC2317 # functions that are given by name
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"
. "${0%/*}/../data/package.sh"

deb=$1
packages=${deb%/*}/packages

# What it depends on is here, but rpm(8) cannot know of it.
rpm_install() { rpm --nodeps --upgrade "$1"; }
rpm_whole() { rpm --nodeps --verify confine; }
rpm_version() { rpm --query --queryformat='%{VERSION}-%{RELEASE}' confine; }
rpm_remove() { rpm --nodeps --erase confine; }

newer_deb "$deb"
life deb "$deb" "$captured/newer.deb"

rpm --initdb
# Those are of the package `filesystem` where packages are RPM's.
mkdir -p /usr/share/fish/vendor_completions.d /usr/share/licenses /usr/share/man/man1 /usr/share/man/man5 /usr/share/man/man7
life rpm "$(find "$packages" -name 'confine-[0-9]*-1.x86_64.rpm')" "$(find "$packages" -name 'confine-[0-9]*-1.newer.x86_64.rpm')"
done_testing
