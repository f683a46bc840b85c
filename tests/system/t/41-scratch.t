#!/bin/sh
# SPDX-License-Identifier: MIT
# rung: box vm
# managers: system user
# vm-managers: system
# budget: 120
# PrivateTmp=, DiskMax= (P17): scratch of the run's own. And the /proc of root's runs, with nobody else in it (B58).
# shellcheck disable=SC2016,SC2086 # scripts for inner shells; $options are words
set -eu
. "${0%/*}/../lib/lib.sh"
. "${0%/*}/../data/runs.sh"

# Where this test stands is below /tmp: grants there are what takes /tmp away from scratch.
cd /

# python OPTIONS -- CODE: what the code prints, on one line.
python() {
    options=
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    capture confine run -q $options -- python3 -S -c "import errno, os, sys
$2"
    got=$(printf '%s\n' "$out" | tr '\n' ' ')
}

# --- where it is

echo outside >/tmp/confine-scratch-test
chmod 0666 /tmp/confine-scratch-test
capture confine run -q -- sh -c 'echo $HOME $TMPDIR; echo x >/dev/shm/made && read -r x </tmp/made && echo $x; read -r x </tmp/confine-scratch-test'
is "$rc: $out" "2: /tmp /tmp
x" 'HOME, TMPDIR, /tmp and /dev/shm are one scratch, and empty'
like "$err" 'confine-scratch-test: No such file' 'nothing of the host is in it'
is "$(cat /tmp/confine-scratch-test /tmp/made /dev/shm/made 2>/dev/null)" outside 'and nothing of it is on the host'
rm /tmp/confine-scratch-test
python -- 'for place in "/tmp", "/dev/shm":
    fs, st = os.statvfs(place), os.stat(place)
    print(fs.f_blocks * fs.f_bsize >> 20, fs.f_flag & 15, oct(st.st_mode), st.st_uid == os.getuid(), len(os.listdir(place)))'
is "$got" '256 6 0o40700 True 0 256 6 0o40700 True 0 ' 'it has 256M, is nosuid and nodev, and nobody'"'"'s but the run'"'"'s'
# --- how much it is

python -p DiskMax=1M -- 'fd = os.open("/tmp/f", os.O_WRONLY | os.O_CREAT)
n = 0
try:
    while n < 4 << 20: n += os.write(fd, bytes(4096))
except OSError as error: print(errno.errorcode[error.errno], n)'
is "$got" 'ENOSPC 1048576 ' 'P17: DiskMax=1M is full after a mebibyte: ENOSPC'
# What the kernel shows of that: the limit does not end the run, so its cause stays what it was.
full() {
    result '"\(.cause) \(.limit) \(.disk_bytes) \(.disk_full)"'
}
fill='import errno, os
fd = os.open("/tmp/f", os.O_WRONLY | os.O_CREAT)
try:
    while True: os.write(fd, bytes(4096))
except OSError as error: print(errno.errorcode[error.errno], flush=True)'
capture confine run -p DiskMax=1M --result="$tmp/result" -- python3 -S -c "$fill
os._exit(3)"
is "$rc: $out $(full)" '3: ENOSPC exit null 1048576 1' 'P17 S11: a program that met DiskMax ends as it likes, and the result says that scratch was full'
is "$(printf '%s\n' "$err" | grep DiskMax)" 'confine: DiskMax=1M reached: scratch was full at the end: raise it with -p DiskMax= [ResourceLimitExceeded]' \
    'S20: as does a message'
journalctl --sync
is "$(run_as journalctl "$manager_option" --output=json CONFINE_ID="$(result .id)" | jq -r 'select(.CONFINE_EVENT == "limit" or .CONFINE_DISK_FULL == "1") | [.CONFINE_EVENT, .CONFINE_LIMIT] | join(" ")' | tr '\n' ,)" 'limit DiskMax,end ,' \
    'S19: and the records'
capture confine run -p DiskMax=1M --result="$tmp/result" -- python3 -S -c "import os
fd = os.open('/tmp/f', os.O_WRONLY | os.O_CREAT)
os.write(fd, bytes((1 << 20) - 4096))"
is "$rc: $err $(full)" '0:  exit null 1044480 0' 'control: a page less is not full, and nothing is said'
capture confine run -p DiskMax=1M --result="$tmp/result" -- python3 -S -c "$fill
os.unlink('/tmp/f')
os._exit(3)"
is "$rc: $out $(full)" '3: ENOSPC exit null 0 0' 'what was removed before the end is not told, as the manual says'
if limits; then
    fill='with open("/tmp/f", "wb") as file:
    for i in range(24): file.write(bytes(1 << 20))'
    python --memory=64M --result="$tmp/result" -- "$fill"
    within "$(result .memory_peak_bytes)" $((24 << 20)) $((64 << 20)) 'P17: what is written there is memory of the run'
    python --memory=64M --result="$tmp/result" -- "$fill
x = bytearray(60 << 20)"
    is "$rc $(result '"\(.cause) \(.limit)"')" '137 limit MemoryMax' 'P17: together with all other memory'
fi

# --- /proc

secret='def look(path):
    try:
        with open(path, "rb") as file: return "read" if file.read() else "empty"
    except OSError as error: return errno.errorcode[error.errno]
'
if [ "$MANAGER" = system ]; then
    for options in $(pick '--uid=60001 --uid=root --uid=alice' --uid=60001); do
        python $options -- "$secret
pids = [name for name in os.listdir('/proc') if name.isdigit()]
print(pids == [str(os.getpid())], look('/proc/1/cmdline'), look('/proc/%d/status' % os.getppid()), look('/proc/self/status'), look('/proc/cpuinfo'))"
        is "$got" 'True ENOENT ENOENT read read ' "B58: nobody but the run is in /proc${options:+ ($options)}"
    done
else
    python -- "$secret
print(look('/proc/1/status'), look('/proc/self/status'), look('/proc/cpuinfo'))"
    is "$got" 'EACCES EACCES read ' "B58: in a user's run no process can be looked at in /proc"
fi
python -p PrivateTmp=no --allow-read=/proc -- "$secret
print(look('/proc/1/status'))"
is "$got" 'read ' 'B58: control: with a grant it can be read'

# The rest needs neither limits nor another kernel, and in the VM a run takes long.
if limits; then
    assert_clean
    done_testing
    exit
fi

if [ "$MANAGER" = system ]; then
    capture confine run -q --allow-run --uid=alice -- sh -c 'ps -e -o comm=; :'
    is "$out" 'sh
ps' 'B58: ps shows its processes'
    python -- 'try: os.close(os.open("/proc/self/comm", os.O_WRONLY))
except OSError as error: print(errno.errorcode[error.errno])'
    is "$got" 'EROFS ' 'and nothing in it is writable'
    python --allow-read=/proc -- "$secret
print(look('/proc/1/cmdline'))"
    is "$got" 'read ' 'control: who was granted the /proc of the host sees it'
    python -p Base=none --allow-exec=/usr --allow-exec=/lib --allow-exec=/lib64 -- "$secret
print(look('/proc/self/status'))"
    is "$got" 'EACCES ' 'Base=none grants none of it'
    # Root of a user namespace is not let mount one.
    in_namespace() {
        unshare --user --map-users=0:0:65536 --map-groups=0:0:65536 "$@"
    }
    capture in_namespace $run_words -q -- python3 -S -c "import errno
${secret}print(look('/proc/1/status'), look('/proc/self/status'), look('/proc/cpuinfo'))"
    is "$rc: $out" '0: EACCES EACCES read' 'B58: where none can be mounted, of that of the host only what shows no process is granted'
fi

# --- more of where it is

python -- 'import multiprocessing, tempfile
lock = multiprocessing.Lock()
with tempfile.NamedTemporaryFile() as file: print(file.name.startswith("/tmp/"), lock.acquire())'
is "$rc: $got" '0: True True ' 'B68: semaphores and temporary files work'
capture confine run -q -E TMPDIR=/x -E HOME=/y -- sh -c 'echo $TMPDIR $HOME'
is "$out" '/x /y' 'who says otherwise is heard'
capture confine run -q --allow-run -- sh -c 'cp /bin/true /tmp && /tmp/true'
is "$rc" 126 'what is there is not executed without a grant'
capture confine run -q --working-directory=/tmp -- sh -c 'echo x >f && read -r x </tmp/f && pwd'
is "$rc: $out" '0: /tmp' 'who starts in /tmp is in scratch'
cd "$tmp"
capture confine run -q -- sh -c 'pwd; echo x >f'
is "$rc: $out" "2: $tmp" 'who starts below it is where it was'
like "$err" 'f: Read-only file system' 'but cannot write there'
cd /
capture confine run -- "$tmp/program"
is "$rc" 127 'control: a program that is not there'
cp /bin/true "$tmp/program"
capture confine run -- "$tmp/program"
is "$rc" 126 'a program that scratch covers'
like "$err" 'Permission denied: grant it with --allow-exec=' 'is one that was not granted'

# --- a grant below /tmp, or what else there can be

mkdir "$tmp/granted"
chmod 0777 "$tmp/granted"
capture confine run -q --allow-write="$tmp/granted" -- sh -c 'echo x >$0/granted/f && echo y >$TMPDIR/f && read -r x </dev/shm/f && echo $HOME $x; echo x >$0/f' "$tmp"
is "$rc: $out $(cat "$tmp/granted/f")" '2: /dev/shm y x' 'with a grant below /tmp that is the one of the host, and scratch is in /dev/shm'
like "$err" "$tmp/f: Read-only file system" 'where nothing else is granted'
capture confine run -q --allow-exec="$tmp/program" -- "$tmp/program"
is "$rc" 0 'so it is with a grant to read or execute'
shm=$(mktemp -d /dev/shm/test.XXXXXX)
chmod 0777 "$shm"
capture confine run -q --allow-write="$shm" -- sh -c 'echo x >$0/f && echo y >/tmp/f && echo $TMPDIR' "$shm"
is "$rc: $out $(cat "$shm/f")" '0: /tmp x' 'with one below /dev/shm it is the other way round'
capture confine run --allow-write="$shm" --allow-read="$tmp/granted" -- true
is "$rc" 125 'with both there is no place for scratch'
like "$err" "PrivateTmp=yes finds no place.*\\[ConfigurationError\\]" 'which is refused by name'
capture confine run -q -p PrivateTmp=no --allow-write="$shm" --allow-read="$tmp/granted" -- sh -c 'echo ${TMPDIR-unset}; echo x >/tmp/f'
is "$rc: $out" '2: unset' 'without scratch there is none'
rm -r "$shm"

# --- more of how much it is

python -p DiskMax=4M -- 'fd = os.open("/tmp/f", os.O_WRONLY | os.O_CREAT)
n = 0
while n < 2 << 20: n += os.write(fd, bytes(4096))
print(n)'
is "$got" '2097152 ' 'P17: control: in DiskMax=4M twice as much has room'
python -p DiskMax=64K -- 'n = 0
try:
    while n < 1000:
        os.close(os.open("/dev/shm/%d" % n, os.O_WRONLY | os.O_CREAT))
        n += 1
except OSError as error: print(errno.errorcode[error.errno], n)'
is "$got" 'ENOSPC 15 ' 'P17: and so is it of files, one a page'
for files in 15 14; do
    capture confine run -p DiskMax=64K --result="$tmp/result" -- sh -c 'n=0; while [ $n -lt $0 ]; do >/dev/shm/$n; n=$((n + 1)); done' $files
    is "$rc: $(full)" "0: exit null 0 $((files == 15))" "S11: of files it is full, too: $files of 15"
done
capture confine run -p PrivateTmp=no --result="$tmp/result" -- true
is "$rc: $(full)" '0: exit null null null' 'without scratch nothing is said of it'
python --memory=64M -- 'fs = os.statvfs("/tmp"); print(fs.f_blocks * fs.f_bsize >> 20)'
is "$got" '32 ' 'P17: by default it has half of MemoryMax at most'
capture confine run --memory=64M -p DiskMax=33M -- true
is "$rc" 125 'P17: more is refused'
like "$err" "'33M' is too large for 'DiskMax'.*write 32M.*\\[ConfigurationError\\]" 'S20: by name'
assert_clean
done_testing
