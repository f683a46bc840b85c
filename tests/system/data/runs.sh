# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# shellcheck disable=SC2034 # for the tests
# What the tests of runs share, beside lib.sh, after which it is read.

: "${tests_dir:?}" "${tmp:?}" "${captured:?}" "${user:?}" "${CONFINE_RUNG:?}"
data=$tests_dir/data

# In a soak the loops inside one command are longer, too.
COMMAND_SECONDS=$((COMMAND_SECONDS * ${CONFINE_SOAK:-1}))

# The words of a run, for a script inside a test: confine there is the program, not lib.sh's function.
run_words='/usr/bin/confine run'
[ "$CONFINE_RUNG" != box ] || run_words="$run_words -p Enforcement=best-effort"

# The words before a script, -c, -m or -, in the same way.
form_words='/usr/bin/confine'
[ "$CONFINE_RUNG" != box ] || form_words="$form_words -p Enforcement=best-effort"

# in_shell SCRIPT: for `capture` and `spawn`; $run in it stands for a run without messages of confine's own.
in_shell() {
    run_as env "run=$run_words -q" sh -c "$1"
}

# plainly COMMAND...: for a control, unconfined. Root's run gets a uid of its own, so another uid than root's must be able to do
# it, too.
plainly() {
    case $user in
    root) setpriv --reuid=60000 --regid=60000 --clear-groups --inh-caps=-all "$@" ;;
    *) as_alice "$@" ;;
    esac
}

# hidden COMMAND...: for `capture`, where the socket of journald is not to be seen. `capture` calls it in the subshell in which it sets
# $limited.
hidden() {
    cat >"$captured/hide" <<'END'
#!/bin/sh
mount -t tmpfs none /run/systemd/journal
exec "$@"
END
    chmod 0755 "$captured" "$captured/hide"
    limited="${limited:-} unshare --mount $captured/hide"
    "$@"
}

# messages: what confine itself said in the last command; not that the container lacks controllers, which it always says.
messages() {
    printf '%s\n' "${err?}" | grep '^confine: ' | grep -v 'Enforcement=best-effort' || :
}

# result FILTER: of the JSON in $tmp/result.
result() {
    jq -r "$1" "$tmp/result" 2>&1
}

# keeper_of PID, worker_of PID: the two children of a running confine. Until its exec the worker has a name of ours.
keeper_of() {
    pgrep -P "$1" -x confine-keeper
}

worker_of() {
    # In one look: its name may change between two.
    ps -o pid=,comm= --ppid "$1" | awk '$2 !~ /^confine/ { print $1; found = 1 } END { exit !found }'
}

# forsake PID: that supervisor and its keeper are killed, the run goes on.
forsake() {
    keeper=$(keeper_of "$1")
    # Stopped first: it would notice that its keeper is gone, and end the run by itself.
    kill -STOP "$1"
    kill -KILL "$keeper"
    wait_for 10 ended "$keeper" || bail_out 'the keeper lives'
    kill -KILL "$1"
    wait_for 10 ended "$1" || bail_out 'the supervisor lives'
}

# has_output TEXT: what a spawned command wrote has this line.
has_output() {
    grep -qxF -e "$1" "$captured/out"
}

# running COMMAND-LINE-REGEX: there is a process with it, apart from the search itself.
running() {
    pgrep -f "$1" >/dev/null
}

not_running() {
    ! running "$1"
}

# mark: from here on. recorded FILTER: of what confine recorded since then, by jq(1).
# The entry is its own: which of those in several files is the last one is not certain, and all that follow this one are later.
mark() {
    journalctl --sync
    logger --tag=test-mark mark
    journalctl --sync
    cursor=$(journalctl --quiet --lines=1 --output=export SYSLOG_IDENTIFIER=test-mark | sed -n 's/^__CURSOR=//p')
}
recorded() {
    journalctl --sync
    journalctl --after-cursor="$cursor" --output=json --all SYSLOG_IDENTIFIER=confine | jq -r "$1"
}

# session_is FILE PATH: the lines of FILE that start with "# " are run one after the other, in $tmp, and what they say is what stands
# below them, but for what differs from run to run. Not in the container, which has neither limits nor their messages.
session_is() {
    grep '^# ' "$1" | while IFS= read -r line; do
        printf '%s\n' "$line"
        run_as env "PATH=$2" sh -c "${line#??}" </dev/null 2>&1 || :
        journalctl --sync
    done >"$captured/session"
    session_normal <"$captured/session" >"$captured/session.got"
    session_normal <"$1" >"$captured/session.wanted"
    diff "$captured/session.wanted" "$captured/session.got"
}
session_normal() {
    sed -E -e 's/[0-9a-f]{32}/ID/g' -e 's/[0-9]+\.[0-9]{3}s/TIME/g' -e 's/peak 6[0-9.]+M/PEAK/' \
        -e 's/("memory_peak_bytes":)[0-9]+/\1N/' -e 's/uid [0-9]+/uid UID/'
}
