# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# shellcheck disable=SC2034 # for the tests
# Whose files a test is about, beside lib.sh, after which it is read: $home, $work, a directory to be made in it, and $uid, the option
# with which root's run may write there.

case ${MANAGER:?} in
system)
    home=/root
    uid=--uid=root
    ;;
user)
    home=/home/alice
    uid=
    ;;
esac
work=$home/confine-work
