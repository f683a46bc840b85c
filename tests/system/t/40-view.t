#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# managers: system user
# vm-managers: user
# budget: 240
# The private view: what is outside the write grants keeps its metadata (B76), what is inside can be changed; scratch of the
# run's own; a /proc without the host's processes. Everything here belongs to alice, and root's runs are hers.
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; $hers is a word or nothing
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# Not below /tmp, which scratch covers.
place=$(mktemp -d /var/tmp/test.XXXXXX)
trap 'rm -rf "$place"; at_exit' EXIT
chown alice: "$place"
chmod 0755 "$place"
hers=
[ "$MANAGER" != system ] || hers=--uid=alice

# view OPTIONS: a run with what the Python programs need.
view() {
    capture confine run $hers --allow-read="$data" "$@"
}

# line: the output on one line.
line() {
    printf '%s\n' "$out" | tr '\n' ' '
}

make_file() {
    rm -f "$place/$1"
    echo "content of $1" >"$place/$1"
    chown alice: "$place/$1"
    chmod 0644 "$place/$1"
    touch -d 2020-02-02 "$place/$1"
}

# metadata NAME: all there is to change about the file.
metadata() {
    stat -c '%a %u %g %Y' "$place/$1"
    as_alice getfattr --absolute-names "$place/$1"
}

# each RESULT: what metadata.py prints if every change gives it.
each() {
    for change in chmod fchmod chown fchown utime futime now setxattr fsetxattr removexattr; do
        printf '%s %s ' "$change" "$1"
    done
}

# --- B76: metadata

make_file file
before=$(metadata file)
view --allow-read="$place" -- python3 -S "$data/metadata.py" "$place/file"
is "$rc: $(line)" "0: $(each EROFS)" 'B76: no metadata can be changed outside the write grants: EROFS'
is "$(metadata file)" "$before" 'B76: and it is as it was'
view --allow-write="$place/file" -- python3 -S "$data/metadata.py" "$place/file"
is "$rc: $(line)" "0: $(each ok)" 'inside a write grant all of it can be changed'
isnt "$(metadata file)" "$before" 'for good'
make_file file
capture as_alice python3 -S "$data/metadata.py" "$place/file"
is "$(line)" "$(each ok)" 'B76: control: unconfined all of it succeeds'

# --- what works inside a grant

mkdir "$place/inside"
chown alice: "$place/inside"
make_file file
inside() {
    view --allow-run --allow-read="$place/file" --allow-write="$place/inside" --working-directory="$place/inside" -- "$@"
}
inside sh -c 'cp -p ../file copy && touch -d 2001-01-01 touched && sed -i s/content/text/ copy &&
    install -m 0700 copy installed && mkdir tree && cp copy tree && chmod 0600 tree/copy &&
    tar -cf tree.tar tree && mkdir untarred && tar -C untarred -xpf tree.tar &&
    python3 -c "import shutil; shutil.copy2(\"copy\", \"copied\"); shutil.copytree(\"tree\", \"tree2\")"'
is "$rc: $err" '0: ' 'B76: cp -p, touch, sed -i, install, tar and shutil work inside a write grant'
is "$(stat -c '%a %Y' "$place/inside/copied" "$place/inside/untarred/tree/copy" "$place/inside/touched" | head -n 1)" \
    "644 $(stat -c %Y "$place/inside/copy")" 'B76: with modes and times'
is "$(stat -c %a "$place/inside/untarred/tree/copy") $(stat -c %Y "$place/inside/touched")" "600 $(date -d 2001-01-01 +%s)" 'B76: each of them'

# --- ways to undo it

# ways RESULT: what mounts.py prints if every way gives it.
ways() {
    for way in open-tree mount-setattr remount bind move-mount tmpfs fsopen umount chroot unshare; do
        printf '%s %s ' "$way" "$1"
    done
}
view --allow-run -- python3 -S "$data/mounts.py" /tmp
is "$rc: $(line)" "0: $(ways EPERM)" 'no mount can be undone, moved, covered or made'
capture unshare --mount sh -c 'mount -t tmpfs -o ro tmpfs /mnt && exec python3 -S "$0" /mnt' "$data/mounts.py"
is "$rc: $(line)" "0: $(ways ok)" 'control: all of that succeeds for root of a mount namespace'

# --- who the program is

view --allow-run -- sh -c 'id -u; id -g; ls -nd $0 | cut -d" " -f3,4; touch $0/new 2>/dev/null; echo $?' "$place"
is "$(line)" '1000 1000 1000 1000 1 ' 'ids are the same inside'
view --allow-write="$place/inside" -- python3 -S -c 'open(__import__("sys").argv[1], "w")' "$place/inside/new"
is "$(stat -c '%u %g' "$place/inside/new")" '1000 1000' 'and outside, on what it makes'
capture confine run -q $hers -- "$bin/status"
is "$(printf '%s\n' "$out" | grep '^cap_' | tr '\n' ' ')" \
    'cap_effective 0 cap_permitted 0 cap_inheritable 0 cap_bounding 0 cap_ambient 0 ' 'no capability, in no set'
capture as_alice unshare --user true
is "$rc" 0 'control: unconfined she may have a user namespace'
capture confine run -q $hers --allow-run -- unshare --user true
is "$rc: $err" '1: unshare: unshare failed: Operation not permitted' 'and no user namespace to get some in'

# --- what is said of it

tier=$(pick process container) # best-effort claims no more
view -v --result="$tmp/result" -- true
like "$err" "in a private view that is read-only outside the grants" '-v says which way was taken'
is "$(result '"\(.view) \(.isolation)"')" "private $tier" 'the result as well'

recorded_view() {
    journalctl --sync
    journalctl --quiet --output=json "CONFINE_ID=$(result .id)" | jq -r .CONFINE_VIEW | sort -u
}
is "$(recorded_view)" private 'and the record'

# Where a host gives no mount namespace scratch is refused by name, and without it seccomp denies those calls.
if [ "$MANAGER" = system ]; then
    without() {
        setpriv --inh-caps=-sys_admin --bounding-set=-sys_admin env become= "$@"
    }
    why='root lacks CAP_SYS_ADMIN'
else
    # Nobody makes a user namespace in a chroot. Source: user_namespaces(7).
    without() {
        unshare --mount sh -c 'mount --rbind / /mnt && exec chroot --userspec=alice:alice /mnt env -i HOME=/home/alice USER=alice \
            PATH=/usr/bin:/bin XDG_RUNTIME_DIR=/run/user/1000 "$@"' sh "$@"
    }
    why='this host lets no user make one'
fi
capture without $run_words --result="$tmp/result" -- true
is "$rc: $(result '"\(.cause) \(.error) \(.view)"')" '125: refused CapabilityNotSupported none' 'S4: no scratch where there can be no mount namespace'
like "$err" "PrivateTmp=yes needs a private mount namespace.*$why.*-p PrivateTmp=no" 'S20: by name, with the way out'
make_file file
before=$(metadata file)
capture without $run_words -v $hers -p PrivateTmp=no --result="$tmp/result" --allow-read="$data" --allow-write="$place" -- \
    python3 -S "$data/metadata.py" "$place/file"
is "$rc: $(line)" "0: $(each EPERM)" 'B76: there all metadata stays as it is: EPERM'
is "$(metadata file)" "$before" 'B76: as it was'
like "$err" 'without a private view: chmod, chown and utime are denied' '-v says so'
is "$(result '"\(.view) \(.isolation)"')" 'none process' 'and the result, which claims less'
is "$(recorded_view)" none 'and the record'
capture without $run_words --dry-run -p PrivateTmp=no -- true
like "$out" '^metadata +chmod, chown and utime are denied, by seccomp$' 'P4: a dry run says beforehand which way would be taken'
capture without $run_words --dry-run -- true
is "$rc: $out" '125: ' 'and is refused as the run is'
capture confine run --dry-run $hers -p PrivateTmp=no -- true
like "$out" '^metadata +read-only outside the write grants, by a private view$' 'control: and says the other where there is one'

# The rest needs neither limits nor another kernel, and in the VM a run takes long.
if limits; then
    assert_clean
    done_testing
    exit
fi

# --- B76: more ways to metadata

make_file file
before=$(metadata file)
view -- python3 -S "$data/metadata.py" "$place/file"
is "$(line)" "$(each EROFS | sed 's/\(fchmod\|fchown\|futime\|fsetxattr\) EROFS/\1 EACCES/g')" 'B76: also without any grant, by path'
is "$(metadata file)" "$before" 'B76: it is as it was'
view -p PrivateTmp=no --allow-read="$place" -- python3 -S "$data/metadata.py" "$place/file"
is "$(line)" "$(each EROFS)" 'B76: also without scratch'
# A directory handed in is on the mounts of the host, and leads by ".." to all of them.
make_file file
before=$(metadata file)
in_directory() {
    "$@" <"$place"
}
through='cd /proc/self/fd/0; chmod 600 file; touch -h -d 2001-01-01 file; cd -P ..; chmod 600 ${0##*/}/file'
capture in_directory confine run -q $hers --allow-run -- sh -c "$through" "$place"
is "$(printf '%s\n' "$err" | grep -c 'Operation not permitted')" 3 'B76: nor through a directory that is a descriptor of it: EPERM'
is "$(metadata file)" "$before" 'B76: the file is as it was'
capture in_directory as_alice sh -c "$through" "$place"
is "$rc: $err" '0: ' 'B76: control: unconfined it can'
isnt "$(metadata file)" "$before" 'B76: and the file is not'

# Nor if somebody else hands one in, over the socket that standard input is.
receive='import os, socket
fd = socket.recv_fds(socket.socket(fileno=0), 1, 1)[1][0]
try: os.chmod("file", 0o600, dir_fd=fd); print("ok")
except OSError as e: print(e.strerror)'
# handed USER COMMAND...: with a directory from the user.
handed() {
    rm -f "$place/socket"
    setpriv --reuid="$1" --regid="$1" --clear-groups python3 -S "$data/handed.py" give "$place/socket" "$place" &
    giver=$!
    shift
    capture run_as python3 -S "$data/handed.py" take "$place/socket" "$@"
    kill "$giver" 2>/dev/null || :
    wait "$giver" || :
}
make_file file
before=$(metadata file)
chmod 1777 "$place"
handed bob $run_words -q $hers -- python3 -S -c "$receive"
is "$rc: $out" '0: Operation not permitted' 'B76: nor through one that somebody else hands in: EPERM'
is "$(metadata file)" "$before" 'B76: the file is as it was'
handed alice $run_words -q $hers -- python3 -S -c "$receive"
is "$rc: $out" '0: ok' 'disclosed: through one from the own user'
make_file file
chmod 0755 "$place"

# Inside the grants, too, no program can be left for others to run with the ids of the run.
mkdir "$place/inside-bits"
chown alice: "$place/inside-bits"
capture confine run -q $hers --allow-run --allow-write="$place/inside-bits" -- sh -c 'cp /usr/bin/id $0/id; chmod 755 $0/id; chmod 4755 $0/id; chmod 2755 $0/id; umask 0
    python3 -S -c "import os, sys; os.fchmod(os.open(sys.argv[1], 0), 0o6755)" $0/id' "$place/inside-bits"
is "$(printf '%s\n' "$err" | grep -c 'Operation not permitted')" 3 'P11: set-user-ID and set-group-ID bits: EPERM'
is "$(stat -c %a "$place/inside-bits/id")" 755 'P11: control: other bits can be set'
make_file file
on_file() {
    "$@" <"$place/file"
}
capture on_file confine run $hers -- python3 -c 'import os; os.fchmod(0, 0o600)'
is "$rc $(stat -c %a "$place/file")" '0 600' 'a file handed in as a descriptor is the program'"'"'s, with its mode'

inside sh -c 'git init -q r && cd r && git config user.name a && git config user.email b && echo x >f && git add f && git commit -qm c &&
    git clone -q . ../clone && cat ../clone/f'
is "$rc: $out" '0: x' 'B70: git init, commit and clone'
view --allow-run --allow-exec="$place/inside" --allow-write="$place/inside" --working-directory="$place/inside" -- \
    sh -c 'python3 -m venv v && v/bin/python -m pip --version'
like "$rc: $out" '^0: pip [0-9].* from .*/inside/v/' 'B70: venv, with pip in it'

# --- grants

mkdir -p "$place/a/b" "$place/c"
chown -R alice: "$place/a" "$place/c"
view --allow-run --allow-write="$place/a/b" --allow-write="$place/a" -- sh -c 'echo x >$0/a/b/f && mv $0/a/b $0/a/d && chmod 700 $0/a/d && rm $0/a/d/f && rmdir $0/a/d && mkdir $0/a/b' "$place"
is "$rc: $err" '0: ' 'a grant inside another is part of it: renamed and removed'
cd "$place"
view --allow-write=a --allow-write=c -- python3 -c 'import errno, os, sys
open("a/f", "w").close()
for change in os.rename, os.link:
    try: change("a/f", "c/f")
    except OSError as error: print(errno.errorcode[error.errno])'
is "$rc: $(line)" '0: EXDEV EXDEV ' 'B70: between two grants nothing is renamed or linked, as between file systems'
view --allow-run --allow-write=a --allow-write=c -- sh -c 'mv a/f c/f && ls c'
is "$rc: $out" '0: f' 'B70: mv copies then'
cd "$place/a"
view --allow-write=. -- sh -c 'echo x >relative && read -r x <relative && echo $x'
is "$rc: $out" '0: x' 'the current directory, if granted, is writable by relative paths'
cd "$tmp"
ln -s "$place/c" "$place/to-c"
view --allow-write="$place/to-c" -- python3 -S -c 'import os, sys
for path in sys.argv[1:]: os.chmod(path + "/f", 0o600); print("ok")' "$place/to-c" "$place/c"
is "$rc: $(line)" '0: ok ok ' 'B84: a link is granted as what it leads to, by both names'
make_file other
view --allow-write="$place/file" --allow-write="-$place/missing" -- sh -c 'echo x >$0/file; echo x >$0/other' "$place"
is "$rc $(cat "$place/file" "$place/other" | tr '\n' ' ')" '2 x content of other ' 'a file is granted alone, and a missing one may be missing'
like "$err" 'other: Read-only file system' 'EROFS'
mkfifo "$place/fifo"
chmod 0666 "$place/fifo"
view -- python3 -c 'import errno, os, sys
for path in sys.argv[1:]:
    try: os.close(os.open(path, os.O_RDWR)); print("ok")
    except OSError as error: print(errno.errorcode[error.errno])' "$place/fifo" /dev/ptmx
is "$rc: $(line)" '0: EACCES EACCES ' 'what a read-only mount lets pass, FIFOs and devices, Landlock does not'
capture as_alice python3 -c 'import os, sys
for path in sys.argv[1:]: os.close(os.open(path, os.O_RDWR)); print("ok")' "$place/fifo" /dev/ptmx
is "$(line)" 'ok ok ' 'control: unconfined both can be opened'

# --- around it

# P5: where something around confine says that it was done and does nothing. unshare is the first: what follows would be done
# to the host.
for call in 272:namespace 442:view 165:scratch; do
    capture run_as python3 "$data/filter.py" "${call%:*}" ok -- $run_words --allow-write="$place" -- sh -c 'echo ran'
    like "$rc: $out$err" "^125: .*step '${call#*:}' of the sandbox failed: State not recoverable" \
        "P5: nothing runs where call ${call%:*} is only said to be done"
done
for call in 272:namespace 428:view 429:view 442:namespace 165:scratch; do
    capture run_as python3 "$data/filter.py" "${call%:*}" EPERM -- $run_words --allow-write="$place" -- sh -c 'echo ran'
    like "$rc: $out$err" "^125: .*(step '${call#*:}' of the sandbox failed|in the private view): Operation not permitted" \
        "P5: nor where call ${call%:*} is refused"
done

# What the host mounts later is not in the view, where it would be writable.
mkdir "$place/late"
chown alice: "$place/late"
mkfifo "$place/go"
chmod 0666 "$place/go"
: >"$captured/out"
spawn confine run -q $hers --allow-read="$place/go" -- sh -c 'echo ready; read -r x <$0/go; echo x >$0/late/file' "$place"
wait_for 20 has_output ready || diag "$(cat "$captured/err")"
mount -t tmpfs -o mode=1777 tmpfs "$place/late"
echo >"$place/go"
finish "$pid"
is "$rc $(find "$place/late" -name file)" '2 ' 'a file system that is mounted during the run is not writable for it'
like "$err" 'Read-only file system' 'EROFS'
capture as_alice sh -c 'echo x >$0/late/file' "$place"
is "$rc" 0 'control: outside it is'
umount "$place/late"

# What the host mounts read-only stays so, also inside a write grant.
mount --bind "$place/c" "$place/c"
mount -o remount,bind,ro "$place/c"
capture confine run $hers --allow-write="$place/c" -- true
is "$rc" 125 'a write grant of what the host mounts read-only is refused'
like "$err" "useless.*Read-only file system.*\[ConfigurationError\]" 'by name'
view --allow-write="$place" -- sh -c 'echo x >$0/a/file; echo x >$0/c/file' "$place"
is "$rc $(cat "$place/a/file") $(find "$place/c" -name file)" '2 x ' 'and stays so below one'
umount "$place/c"

# B84: the path of a grant that leads elsewhere from one moment to the next.
mkdir "$place/real" "$place/elsewhere"
chown alice: "$place/real" "$place/elsewhere"
as_alice ln -s elsewhere "$place/link"
(
    become='exec'
    as_alice perl -e 'alarm 120; for (;;) { rename("$ARGV[0]/real", "$ARGV[0]/x"); rename("$ARGV[0]/link", "$ARGV[0]/real");
        rename("$ARGV[0]/real", "$ARGV[0]/link"); rename("$ARGV[0]/x", "$ARGV[0]/real") }' "$place"
) >"$captured/swapper" 2>&1 &
swapper=$!
bad=0
for _ in $(seq "$(loops 200 0)"); do
    capture confine run -q $hers --allow-write="$place/real" -- python3 -S -c 'import os, sys
for name in "real", "elsewhere":
    try: os.mkdir(sys.argv[1] + "/" + name + "/made"); print(name)
    except OSError: pass' "$place"
    # One of them may have been granted, by either name, but never both.
    [ "$(printf '%s\n' "$out" | grep -c .)" -le 1 ] || bad=$((bad + 1))
    rm -rf "$place"/*/made 2>/dev/null || : # being renamed meanwhile
done
kill "$swapper"
wait "$swapper" 2>/dev/null || :
is "$bad" 0 'B84: a path that is swapped meanwhile grants one place or none'

if [ "$MANAGER" = user ]; then
    # AppArmor as Ubuntu has it lets the namespace be made and takes what it is good for.
    restricted() {
        unshare --mount sh -c 'mount -t tmpfs tmpfs /proc/sys/kernel && echo 1 >/proc/sys/kernel/apparmor_restrict_unprivileged_userns &&
            exec setpriv --reuid=alice --regid=alice --init-groups env -i HOME=/home/alice PATH=/usr/bin:/bin \
            XDG_RUNTIME_DIR=/run/user/1000 "$@"' sh "$@"
    }
    capture restricted $run_words -- true
    is "$rc" 125 'S4: nor where AppArmor restricts user namespaces'
    like "$err" 'AppArmor restricts user namespaces: load the profile.*\[CapabilityNotSupported\]' 'S20: by name, with the profile to load'
    capture restricted $run_words -p PrivateTmp=no -- true
    is "$rc" 0 'without scratch it runs'
fi

# A mount table of the size that container hosts have.
many() {
    unshare --mount sh -c 'mkdir /run/many && mount -t tmpfs many /run/many && cd /run/many && i=0
        while [ $i -lt 500 ]; do mkdir $i && mount --bind $i $i && i=$((i + 1)); done; cd / && exec "$@"' sh "$@"
}
if [ "$MANAGER" = system ]; then
    capture many $run_words -q $hers -- sh -c 'echo x >/run/many/499/x; echo ran'
    is "$rc: $out" '0: ran' 'with 500 mounts more'
    like "$err" 'Read-only file system' 'all of them read-only'
    rmdir /run/many
fi

assert_clean
done_testing
