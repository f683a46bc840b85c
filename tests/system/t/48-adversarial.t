#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# suites: trixie bookworm-backports trixie-backports
# managers: system user
# budget: 240
# The table of attacks, tests/adversarial/attacks: each is made plainly by the same user, which has to succeed, and then in runs.
# A run makes all of them in one process or, with --allow-run, each in a child.
# shellcheck disable=SC2086 # words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# What the machine itself would stop is to be possible: the sandbox is what is tested.
for setting in dev/tty/legacy_tiocsti=1 kernel/yama/ptrace_scope=0; do
    [ ! -w "/proc/sys/${setting%=*}" ] || echo "${setting#*=}" >"/proc/sys/${setting%=*}"
done

# --- the scene: a neighbour of the same uid, and another run, at whose supervisor and keeper the control run aims

# as_program COMMAND...: as the uid that the program of a run has, without privileges but root's.
as_program() {
    run_as $become_program "$@"
}

# set_scene UID: sets $neighbour, $other and the words of a run.
set_scene() {
    words='terminal services view'
    [ "$MANAGER" = user ] || words="$words own-proc"
    become_program=
    options=
    case $1 in
    0) options=--uid=root words="$words own root" ;;
    1000) words="$words own user" ;;
    *)
        options=--uid=$1
        become_program="setpriv --reuid=$1 --regid=$1 --clear-groups --inh-caps=-all"
        ;;
    esac
    rm -rf scene
    mkdir scene
    chown "$1:$1" scene
    cd scene
    # As spawn does it, so that the number is the program's.
    (
        become='exec'
        as_program "$bin/attacks" neighbour
    ) >"$captured/neighbour" 2>&1 &
    neighbour=$!
    spawn run_as $run_words -q $options -- sleep 1000
    other=$pid
    wait_for 20 grep -qx ready "$captured/neighbour" || bail_out "no neighbour: $(cat "$captured/neighbour")"
    wait_for 20 worker_of "$other" >/dev/null || bail_out 'no other run'
}

end_scene() {
    kill -s TERM "$other" "$neighbour"
    finish "$other"
    wait "$neighbour" || :
    cd "$tmp"
}

# --- the attacks

# rows TEXT: a check for each line that the attacks printed. The last one's name is "end": none of them became a program.
rows() {
    last=
    while read -r name got wanted what; do
        is "$got" "$wanted" "$name, $1: $what"
        last=$name
    done <"$captured/out"
    is "$rc $last" '0 end' "$1: the program lived to its end"
}

# attack TEXT CONFINE PROGRAM WORD...: PROGRAM makes the attacks in a run of the CONFINE.
attack() {
    text=$1
    command="$2${run_words#/usr/bin/confine} -q $options --allow-read=read --allow-write=write"
    program=$3
    shift 3
    case " $* " in
    *' processes '*) command="$command --allow-run" text="$text, with --allow-run" ;;
    esac
    case " $* " in
    *' network '*) command="$command --allow-net" ;;
    esac
    capture run_as "$bin/attacks" serve 0 $command -- $program confined "$@"
    rows "$text"
}

# both TEXT CONFINE PROGRAM: alone and with --allow-run.
both() {
    attack "$1" "$2" "$3" $words alone
    attack "$1" "$2" "$3" $words processes
}

attacks_of() {
    set_scene "$1"
    capture run_as "$bin/attacks" serve "$other" $become_program "$bin/attacks" plain $words processes alone
    rows "control, uid $1"
    both "uid $1" /usr/bin/confine "$bin/attacks"
    for name in x32 int80; do
        capture run_as "$bin/attacks" serve 0 $run_words -q $options --allow-read=read -- "$bin/attacks" confined "$name"
        is "$rc: $out" '159: ' "P13: $name is fatal"
    done
    limits || elsewhere "$1"
    end_scene
}

# elsewhere UID: with another C library, with a network, from Python, on an older Landlock.
elsewhere() {
    if [ -e "$bin/attacks-musl" ]; then
        both "P20: uid $1, musl" /usr/bin/confine "$bin/attacks-musl"
    else
        skip musl-gcc "P20: uid $1, musl"
    fi
    words="$words network"
    both "P7: uid $1, with --allow-net" /usr/bin/confine "$bin/attacks"
    words=${words% network}
    both "P8: uid $1, Python" /usr/bin/confine "python3 -S $data/attacks.py $bin/attacks.so"
    for abi in 3 4 6; do
        both "P5: uid $1, Landlock ABI $abi" "$bin/confine-abi$abi" "$bin/attacks"
    done
}

case $MANAGER in
system)
    attacks_of 60001
    attacks_of 0
    ;;
user) attacks_of 1000 ;;
esac

assert_clean
done_testing
