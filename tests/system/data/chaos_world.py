# SPDX-License-Identifier: MIT
"""What chaos.py does to the machine around its runs, and how it looks for what they left. Not for a machine that matters."""
import contextlib
import fcntl
import glob
import json
import os
import pwd
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
import time

REFUSED = {(125, "error"), (125, "refused"), (125, "audit")}


class Environment:
    """ends: how a run may end in it, beside what is true without. vm: not where the kernel is shared with the host."""

    def __init__(self, ends=(), vm=False, managers=("system", "user")):
        self.ends = set(ends)
        self.vm = vm
        self.managers = managers


ENVIRONMENTS = {
    "calm": Environment(),
    "daemon-reload": Environment(),
    "daemon-reexec": Environment(),
    "dbus-stopped": Environment(),
    "dbus-killed": Environment(REFUSED),
    "full-runtime": Environment(REFUSED),
    "full-disk": Environment(REFUSED, vm=True),
    "clock": Environment(vm=True),
    "few-tasks": Environment(REFUSED, vm=True),
    # For the linker, and for the worker's own exec, too.
    "few-files": Environment(REFUSED | {(127, None), (126, "exec"), (127, "exec")}, vm=True, managers=("user",)),
}


class World:
    @staticmethod
    def add_arguments(parser):
        parser.add_argument("--manager", choices=["system", "user"], required=True)
        parser.add_argument("--directory", required=True, help="where the user may write results")
        parser.add_argument("--vm", action="store_true", help="the kernel is this machine's own")

    def __init__(self, arguments):
        self.limits = self.vm = arguments.vm
        self.manager = arguments.manager
        self.directory = self.stderr_directory = arguments.directory
        self.environments = [name for name, e in ENVIRONMENTS.items()
                             if self.manager in e.managers and (self.vm or not e.vm)]
        self.environment = "calm"
        # Under emulation a start takes half a second, more where many start at once.
        self.start_seconds, self.short, self.patience, self.slack = (1.0, 2.0, 60, 20) if self.vm else (0.04, 1.0, 20, 5)
        self.storm_seconds = 3
        self.batch = 20 if self.vm else 10
        self.lock = threading.Lock()
        self.n_bad = 0
        alice = pwd.getpwnam("alice")
        bus = "/run/user/%d" % alice.pw_uid
        path = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
        self.identity = {"env": dict(path, HOME="/root")}
        self.runtime, slice_path = "/run", "confine.slice"
        if self.manager == "user":
            self.identity = {"user": alice.pw_uid, "group": alice.pw_gid, "extra_groups": [],
                             "env": dict(path, HOME="/home/alice", XDG_RUNTIME_DIR=bus,
                                         DBUS_SESSION_BUS_ADDRESS="unix:path=%s/bus" % bus)}
            self.runtime = bus
            slice_path = "user.slice/user-%d.slice/user@%d.service/confine.slice" % (alice.pw_uid, alice.pw_uid)
        self.slice = "/sys/fs/cgroup/" + slice_path
        self.command = ["/usr/bin/confine", "run"] + ([] if self.vm else ["-p", "Enforcement=best-effort"])
        self.mounts = self.mount_points()
        self.causes = {}  # of a batch: id: (what its result says, what else the journal may say or not)
        self.n_agree = 0
        self.stalls = []  # [from, to] of what journald is known to have left unread

    # --- what is found

    def complain(self, text):
        with self.lock:
            self.n_bad += 1
            print("bad: %s" % text.replace("\n", " "), file=sys.stderr, flush=True)

    @staticmethod
    def read(path):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError:
            return ""

    def cgroup_of(self, pid):
        line = self.read("/proc/%d/cgroup" % pid)
        return "/sys/fs/cgroup" + line[line.index("0::") + 3:].strip() if "0::" in line else None

    def state_of(self, pid):
        return self.read("/proc/%d/stat" % pid).rpartition(") ")[2][:1]

    def read_result(self, path):
        text = self.read(path)
        return json.loads(text) if text.strip() else None

    @staticmethod
    def mount_points():
        with open("/proc/self/mountinfo", encoding="utf-8") as file:
            return {line.split()[4] for line in file if not line.split()[4].startswith(("/run/user", "/run/credentials"))}

    def leftovers(self):
        for pattern in ("/run/systemd/transient/confine-*.scope", "/run/user/*/systemd/transient/confine-*.scope",
                        self.slice + "/confine-*.scope"):
            yield from glob.glob(pattern)
        for pattern in ("/run/confine/*", "/run/user/*/confine/*"):
            yield from (path for path in glob.glob(pattern) if os.path.basename(path) not in ("uids", "starts"))
        yield from self.mount_points() - self.mounts
        for path in glob.glob("/proc/[0-9]*"):
            name = self.read(path + "/comm").strip()
            if name.startswith("confine") or (name == "sleep" and "\0001000\0" in self.read(path + "/cmdline")):
                yield "%s %s" % (path, name)

    def wait_clean(self, seconds, who):
        end = time.monotonic() + seconds
        while left := list(self.leftovers()):
            if time.monotonic() > end:
                self.complain("%s: left behind after %.1f s: %s" % (who, seconds, left))
                self.sweep()
                return
            if self.environment == "few-files":  # a user's manager forgets units of its own then: what reap is for
                self.run_as("confine", "reap", "--kill")
            time.sleep(0.05)

    def sweep(self):
        for path in glob.glob(self.slice + "/confine-*.scope"):
            with contextlib.suppress(OSError), open(path + "/cgroup.kill", "w", encoding="ascii") as file:
                file.write("1")
            self.systemctl("stop", os.path.basename(path))

    def compare_journal(self):
        """Each result that was written has its record, which says the same. After each batch, before journald drops old ones."""
        causes, self.causes = self.causes, {}
        if not causes:
            return
        self.capture("journalctl", "--sync")
        found = {}
        lines = self.capture("journalctl", "--quiet", "--output=json", "--output-fields=CONFINE_ID,CONFINE_CAUSE",
                             "CONFINE_EVENT=end", *("CONFINE_ID=" + run for run in causes)).splitlines()
        for entry in map(json.loads, lines):
            found.setdefault(entry["CONFINE_ID"], []).append(entry.get("CONFINE_CAUSE"))
        for run, (cause, late) in causes.items():
            told = found.get(run, [])
            if told == [cause]:
                self.n_agree += 1
            elif not (told == [] and cause in ("refused", "error", "audit")) and not (len(told) == 1 and told[0] in late):
                self.complain("%s: the result says %s, the journal %s" % (run, cause, told))

    def journal_was_stuck(self, begin, end):
        """Whether it is known that it did not read its socket for a good part of the time that confine gives it. That is five
        seconds: one of the two probes that share them had half of it or more."""
        return any(to - since >= 2.4 and since < end and to > begin for since, to in self.stalls)

    # --- what is done

    @staticmethod
    def capture(*command):
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False).stdout.decode()

    def as_user(self, *command):
        return {"args": list(command), "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL,
                "stderr": subprocess.DEVNULL, **self.identity}

    def run_as(self, *command):
        try:
            return subprocess.run(**self.as_user(*command), check=False).returncode
        except OSError:  # it is not only confine that is disturbed
            return -1

    def systemctl(self, *words):
        return self.run_as("systemctl", "--" + self.manager, *words)

    def bus_daemon(self):
        owner = "messagebus" if self.manager == "system" else "alice"
        for path in glob.glob("/proc/[0-9]*"):
            with contextlib.suppress(OSError):
                if self.read(path + "/comm") == "dbus-daemon\n" and os.stat(path).st_uid == pwd.getpwnam(owner).pw_uid:
                    return int(path[6:])
        return None

    @contextlib.contextmanager
    def disturbed(self, name, rng):
        with {
            "calm": contextlib.nullcontext,
            "daemon-reload": lambda: self.storm("daemon-reload"),
            "daemon-reexec": lambda: self.storm("daemon-reexec"),
            "dbus-stopped": lambda: self.meanwhile(self.stop_bus, rng),
            "dbus-killed": lambda: self.meanwhile(self.kill_bus, rng),
            "full-runtime": lambda: self.full_runtime(rng),
            "full-disk": self.full_disk,
            "clock": lambda: self.shifted_clock(rng),
            "few-tasks": lambda: self.sysctl("kernel/threads-max", int(self.read("/proc/loadavg").split("/")[1].split()[0])
                                             + rng.randint(2, 30)),
            "few-files": lambda: self.sysctl("fs/file-max", int(self.read("/proc/sys/fs/file-nr").split()[0])
                                             + rng.randint(0, 300)),
        }[name]():
            yield

    @contextlib.contextmanager
    def storm(self, verb):
        # Not without an end: a manager that does nothing else starts nothing.
        script = "end=$(($(date +%%s) + %d)); while [ $(date +%%s) -le $end ]; do systemctl --%s %s; done" % (
            self.storm_seconds, self.manager, verb)
        with subprocess.Popen(**self.as_user("sh", "-c", script), start_new_session=True) as process:
            try:
                yield
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        # What the last one began.
        while self.systemctl("daemon-reload"):
            time.sleep(0.1)

    @contextlib.contextmanager
    def meanwhile(self, function, rng):
        over = threading.Event()
        thread = threading.Thread(target=function, args=(rng, over))
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def stop_bus(self, rng, over):
        pid = self.bus_daemon()
        while not over.wait(rng.uniform(0, 0.3)):
            os.kill(pid, signal.SIGSTOP)
            time.sleep(rng.uniform(0.05, 1))
            os.kill(pid, signal.SIGCONT)

    def kill_bus(self, rng, over):
        over.wait(rng.uniform(0, self.start_seconds * 2))
        os.kill(self.bus_daemon(), signal.SIGKILL)
        over.wait()
        self.systemctl("start", "dbus.socket")  # if it gave up
        end = time.monotonic() + 100
        while self.run_as("busctl", "--" + self.manager, "status", "org.freedesktop.systemd1"):
            if time.monotonic() > end:
                self.complain("the service manager is not back on the bus")
                return
            time.sleep(0.1)
        if self.manager == "system":  # to the bus of the system a user's manager comes back only so
            subprocess.run(["runuser", "-u", "alice", "--", "env", "XDG_RUNTIME_DIR=/run/user/1000",
                            "systemctl", "--user", "daemon-reexec"], check=True)

    def shift_clock(self, rng, over):
        start, real = time.monotonic(), time.time()
        while not over.wait(rng.uniform(0, 0.5)):
            time.clock_settime(time.CLOCK_REALTIME, real + rng.choice([-1, 1]) * rng.choice([5, 3600, 40 * 86400]))
        time.clock_settime(time.CLOCK_REALTIME, real + time.monotonic() - start)

    @contextlib.contextmanager
    def shifted_clock(self, rng):
        with self.meanwhile(self.probe_journal, rng), self.meanwhile(self.shift_clock, rng):
            yield

    def probe_journal(self, _, over):
        """Each jump makes journald rotate its files, which can take seconds. It reads what it is sent in turn: for how long an
        empty datagram, which it drops, was seen to be unread is for how long it read nothing else that came later."""
        self.stalls = []
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as probe:
            probe.connect("/run/systemd/journal/socket")
            while not over.wait(0.02):
                stall = [time.monotonic()] * 2
                self.stalls.append(stall)
                probe.send(b"")
                while struct.unpack("i", fcntl.ioctl(probe, termios.TIOCOUTQ, bytes(4)))[0] > 0:
                    stall[1] = time.monotonic()
                    time.sleep(0.02)

    @contextlib.contextmanager
    def full_runtime(self, rng):
        now = os.statvfs(self.runtime)
        used = (now.f_blocks - now.f_bfree) * now.f_frsize
        self.remount(used + rng.choice([0, 1, 2, 4]) * now.f_frsize)
        try:
            yield
        finally:
            self.remount(now.f_blocks * now.f_frsize)

    def remount(self, size):
        subprocess.run(["mount", "-o", "remount,size=%d" % size, self.runtime], check=True)

    @contextlib.contextmanager
    def full_disk(self):
        with open("/var/tmp/chaos.fill", "wb") as file:
            size = os.statvfs("/").f_bavail * os.statvfs("/").f_frsize
            while size >= 4096:
                try:
                    os.posix_fallocate(file.fileno(), os.fstat(file.fileno()).st_size, size)
                except OSError:
                    size //= 2
        try:
            yield
        finally:
            os.unlink("/var/tmp/chaos.fill")

    @contextlib.contextmanager
    def sysctl(self, name, value):
        path = "/proc/sys/" + name
        before = self.read(path)
        with open(path, "w", encoding="ascii") as file:
            file.write(str(value))
        try:
            yield
        finally:
            with open(path, "w", encoding="ascii") as file:
                file.write(before)
