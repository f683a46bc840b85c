# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# For the tests of CPython, after lib.sh and runs.sh.

: "${data:?}" "${captured:?}" "${form_words:?}"

# compare_cpython short|all: as the user, because outside he is the same as inside. A check for each module.
compare_cpython() {
    compared=0
    # shellcheck disable=SC2086 # words
    run_as python3 "$data/cpython/compare.py" "$1" $form_words -q >"$captured/modules" 2>"$captured/modules.err" || compared=$?
    while IFS= read -r line; do
        case $line in
        'ok '*) ok "P11: CPython's ${line#ok }" ;;
        'not ok '*) not_ok "P11: CPython's ${line#not ok }" ;;
        *) printf '%s\n' "$line" ;;
        esac
    done <"$captured/modules"
    is "$compared: $(tail -n 5 "$captured/modules.err")" '0: ' 'all of it was compared'
}
