#!/bin/sh
# SPDX-License-Identifier: MIT
# clang-format decides about layout. Another version may decide differently, so one is named.
set -eu
. "$(dirname "$0")/lib"

name='clang-format'
if ! lacks clang-format "$name"; then
    case $(clang-format --version) in
    *' version 14.'*)
        # shellcheck disable=SC2046 # file names of ours hold no spaces
        report "$name" "$(clang-format --dry-run $(tests/lint/sources c) 2>&1 | grep warning: || true)"
        ;;
    *) lacks 'clang-format-14' "$name" || report "$name" 'run clang-format-14' ;;
    esac
fi
finish
