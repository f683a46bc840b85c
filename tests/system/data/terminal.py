# SPDX-License-Identifier: MIT
"""terminal.py BIN DATA RUN...: job control, seen from an interactive shell on a terminal. Prints "ok NAME" or "not ok NAME"
for each scenario, with comments. RUN is the words of a run of confine."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

BIN, DATA = sys.argv[1:3]
RUN = " ".join(sys.argv[3:]) + " -q"
SIGNALS = "%s --allow-read=%s -p TimeoutStopSec=200ms -- python3 -S %s/signals.py" % (RUN, DATA, DATA)
SECONDS = 20
PROMPT = "@@ "


class Failure(Exception):
    """What a scenario expected and did not get."""


class Shell:
    """An interactive bash on a terminal of its own."""

    def __init__(self):
        self.seen = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            env = dict(os.environ, PS1=PROMPT, TERM="vt100")
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"], env)
        self.resize(24, 80)
        self.expect(PROMPT)
        # Not what is typed, so that what is seen is the programs'.
        self.command("stty -echo; bind 'set enable-bracketed-paste off' 2>/dev/null")
        self.expect(PROMPT)

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.fd, text.encode())

    def command(self, line):
        self.type(line + "\n")

    def expect(self, regex, seconds=SECONDS):
        """Waits for it and returns all up to its end."""
        end = time.monotonic() + seconds
        while True:
            match = re.search(regex, self.seen, re.M)
            if match:
                before, self.seen = self.seen[: match.end()], self.seen[match.end():]
                return before.replace("\r", "")
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                raise Failure("no /%s/ in %r" % (regex, self.seen))
            try:
                self.seen += os.read(self.fd, 65536).decode(errors="replace")
            except OSError as error:
                raise Failure("terminal closed; seen: %r" % self.seen) from error

    def output(self):
        """What was written up to the next prompt."""
        return self.expect("^" + PROMPT)[: -len(PROMPT)]

    def status(self):
        self.command("echo status=$?")
        return int(re.search(r"status=(\d+)", self.output()).group(1))

    def confine(self):
        """The pid of the shell's confine, those of its worker, once it has become the program, and of its keeper."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            for pid in children(self.pid):
                below = children(pid)
                names = [name(child) for child in below]
                if len(below) == 2 and names.count("confine-keeper") == 1 and "confine" not in names:
                    keeper = names.index("confine-keeper")
                    return pid, below[1 - keeper], below[keeper]
            time.sleep(0.02)
        raise Failure("no run of confine below the shell")

    def close(self):
        try:
            os.close(self.fd)
        except OSError:
            pass
        for pid in children(self.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def children(pid):
    text = subprocess.run(["pgrep", "-P", str(pid)], stdout=subprocess.PIPE, text=True, check=False).stdout
    return [int(line) for line in text.split()]


def stat(pid):
    with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
        return re.match(r"\d+ \((.*)\) (\S)", file.read(), re.S).groups()


def name(pid):
    try:
        return stat(pid)[0]
    except FileNotFoundError:
        return ""


def equal(got, wanted, what):
    if got != wanted:
        raise Failure("%s: got %r, wanted %r" % (what, got, wanted))


def await_state(pid, wanted):
    deadline = time.monotonic() + SECONDS
    while stat(pid)[1] not in wanted:
        if time.monotonic() > deadline:
            raise Failure("%s is in state %s, not %s" % (name(pid), stat(pid)[1], wanted))
        time.sleep(0.02)


def lines(text):
    """The lines, but for empty ones, the prompts before them and what the shell says about its jobs."""
    stripped = [re.sub("^(%s)+" % PROMPT, "", line).strip() for line in text.split("\n")]
    return [line for line in stripped if line and not line.startswith("[")]


# --- the scenarios, in the order they run; the first line of each is its name


def ctrl_c(shell):
    """Ctrl-C ends a program, and the shell sees 130"""
    shell.command(RUN + " --allow-run -- sh -c 'echo started; exec sleep 1000'")
    shell.expect("started")
    shell.type("\x03")
    shell.expect(PROMPT)
    equal(shell.status(), 130, "status")


def ctrl_backslash(shell):
    """Ctrl-\\ ends a program, and the shell sees 131"""
    shell.command(RUN + " --allow-run -- sh -c 'echo started; exec sleep 1000'")
    shell.expect("started")
    shell.type("\x1c")
    text = shell.expect(PROMPT)
    equal(shell.status(), 131, "status")
    equal("core" in text, False, "core dumped")


def ctrl_c_once(shell):
    """one Ctrl-C reaches the program once"""
    shell.command(SIGNALS + " QUIT 7")
    shell.expect("ready")
    shell.type("\x03")
    seen = lines(shell.expect("INT"))
    shell.type("\x1c")
    seen += lines(shell.output())
    equal(seen, ["INT", "QUIT"], "signals")
    equal(shell.status(), 7, "status")


def ctrl_c_thrice(shell):
    """Ctrl-C again and again is no request to confine: a program that handles it lives on past the grace"""
    shell.command(SIGNALS + " QUIT 7 0.5")
    shell.expect("ready")
    seen = []
    for _ in range(3):
        shell.type("\x03")
        seen += lines(shell.expect("INT"))
    shell.type("\x1c")
    seen += lines(shell.output())
    equal(seen, ["INT", "INT", "INT", "QUIT"], "signals")
    equal(shell.status(), 7, "status")


def python_prompt(shell):
    """Ctrl-C twice in a Python prompt"""
    shell.command(RUN + " -E PYTHON_BASIC_REPL=1 -- python3 -q -S")
    shell.expect(">>> ")
    for _ in range(2):
        # Between its prompt and its read Python itself notes a Ctrl-C and does nothing before the next key.
        for attempt in range(10):
            shell.type("\x03")
            try:
                shell.expect("KeyboardInterrupt", 1)
                break
            except Failure:
                if attempt == 9:
                    raise
        shell.expect(">>> ")
    shell.command("print(6 * 7)")
    shell.expect("^42")
    shell.command("raise SystemExit(9)")
    shell.expect(PROMPT)
    equal(shell.status(), 9, "status")


def ctrl_z(shell):
    """Ctrl-Z stops the job and gives the shell its terminal back; fg goes on"""
    shell.command(RUN + " -- cat")
    supervisor, worker, keeper = shell.confine()
    shell.command("one")
    shell.expect("^one")
    shell.type("\x1a")
    shell.expect(r"\[1\]\+ +Stopped")
    shell.expect(PROMPT)
    await_state(supervisor, "T")
    await_state(worker, "T")
    equal(stat(keeper)[1], "S", "state of the keeper")
    shell.command("jobs -l")
    shell.expect(r"^\[1\]\+ +%d Stopped +" % supervisor)
    shell.expect(PROMPT)
    shell.command("fg")
    shell.command("two")
    shell.expect("^two")
    shell.type("\x1a")
    shell.expect("Stopped")
    shell.expect(PROMPT)
    shell.command("fg")
    shell.command("three")
    shell.expect("^three")
    shell.type("\x04")
    shell.expect(PROMPT)
    equal(shell.status(), 0, "status")


def ctrl_z_handler(shell):
    """Ctrl-Z in a program that handles it is the program's: the job does not stop"""
    shell.command(SIGNALS + " QUIT 7")
    shell.expect("ready")
    shell.type("\x1a")
    shell.expect("TSTP")
    shell.type("\x1c")
    seen = lines(shell.output())
    equal(seen, ["QUIT"], "signals")
    equal(shell.status(), 7, "status")


def bg(shell):
    """bg continues in the background, kill %1 ends it"""
    shell.command(RUN + " -- sleep 1000")
    supervisor, worker, _ = shell.confine()
    shell.type("\x1a")
    shell.expect("Stopped")
    shell.expect(PROMPT)
    shell.command("bg")
    shell.expect(PROMPT)
    await_state(supervisor, "S")
    await_state(worker, "S")
    shell.command("jobs")
    shell.expect(r"^\[1\]\+ +Running")
    shell.expect(PROMPT)
    shell.command("kill %1; wait %1")
    shell.expect(PROMPT)
    equal(shell.status(), 143, "status")


def deadline(shell):
    """the deadline counts while the job is stopped, and ends it"""
    shell.command(RUN + " --timeout=2s -p TimeoutStopSec=1s -- sleep 1000")
    shell.confine()
    shell.type("\x1a")
    shell.expect("Stopped")
    shell.expect(PROMPT)
    end = time.monotonic() + SECONDS
    while True:
        shell.command("")
        text = shell.expect(PROMPT)
        if "Exit 124" in text:
            break
        if time.monotonic() > end:
            raise Failure("the stopped job did not end: %r" % text)
        time.sleep(0.1)


def kill_stop(shell):
    """kill -TSTP %1 stops the job, kill -CONT %1 continues it"""
    shell.command(RUN + " -- sleep 1000 &")
    supervisor, worker, _ = shell.confine()
    for number, state in (("TSTP", "T"), ("CONT", "S"), ("STOP", "T"), ("CONT", "S")):
        shell.command("kill -%s %%1" % number)
        await_state(supervisor, state)
        await_state(worker, state)
    shell.command("kill -INT %1; wait %1")
    shell.expect("Interrupt")
    shell.expect(PROMPT)


def kill_once(shell):
    """kill %1, which signals the whole group, reaches the program once"""
    shell.command(SIGNALS + " USR2 7 &")
    shell.expect("ready")
    seen = []
    for _ in range(5):
        shell.command("kill -USR1 %1")
        seen += lines(shell.expect("USR1"))
    shell.command("kill -USR2 %1; wait %1; echo status=$?")
    seen += lines(shell.expect(r"status=\d+"))
    equal(seen, ["USR1"] * 5 + ["USR2", "status=7"], "signals")


def background(shell):
    """a job started with & runs, and its status is there"""
    shell.command(RUN + " -- sh -c 'echo out; exit 5' & wait $!; echo status=$?")
    text = shell.expect(r"status=\d+")
    equal(lines(text), ["out", "status=5"], "output")


def background_read(shell):
    """a background job that reads the terminal stops (SIGTTIN), and reads after fg"""
    shell.command(RUN + " -- cat &")
    supervisor, worker, _ = shell.confine()
    await_state(worker, "T")
    await_state(supervisor, "T")
    shell.command("jobs -l")
    shell.expect(r"Stopped \(tty input\)")
    shell.expect(PROMPT)
    shell.command("fg")
    shell.command("typed")
    shell.expect("^typed")
    shell.type("\x04")
    shell.expect(PROMPT)
    equal(shell.status(), 0, "status")


def background_write(shell):
    """a background job that writes under tostop stops (SIGTTOU), and writes after fg"""
    shell.command("stty tostop")
    shell.command(RUN + " -- echo written &")
    supervisor, _, _ = shell.confine()
    await_state(supervisor, "T")
    shell.command("jobs -l")
    text = shell.expect(r"Stopped \(tty output\)")
    equal("written" in lines(text), False, "written in the background")
    shell.command("fg")
    shell.expect("^written")
    shell.expect(PROMPT)
    equal(shell.status(), 0, "status")


def background_stty(shell):
    """so does one that changes the terminal"""
    shell.command(RUN + " -- stty echo &")
    supervisor, _, _ = shell.confine()
    await_state(supervisor, "T")
    shell.command("jobs -l")
    shell.expect(r"Stopped \(tty output\)")
    shell.command("fg; echo status=$?")
    shell.expect("status=0")


def stty(shell):
    """stty shows the terminal and sets it"""
    shell.command(RUN + " -- stty -a")
    text = shell.expect("^" + PROMPT)
    equal("rows 24; columns 80;" in text, True, "size in %r" % text)
    equal(shell.status(), 0, "status")
    shell.command(RUN + " -- stty -icrnl eof ^B rows 30 && echo status=$?")
    shell.expect("status=0")
    shell.expect(PROMPT)
    shell.command("stty -a")
    text = shell.expect("^" + PROMPT)
    equal([word for word in ("-icrnl", "eof = ^B;", "rows 30;") if word in text], ["-icrnl", "eof = ^B;", "rows 30;"], "settings")


def resize(shell):
    """a resize reaches the program, once"""
    shell.command(SIGNALS + " QUIT 7")
    shell.expect("ready")
    shell.resize(40, 100)
    seen = lines(shell.expect("WINCH"))
    shell.type("\x1c")
    seen += lines(shell.output())
    equal(seen, ["WINCH", "QUIT"], "signals")
    shell.command(RUN + " --allow-run -- sh -c 'stty size; read -r x; stty size'")
    shell.expect("^40 100")
    shell.resize(50, 120)
    shell.command("")
    shell.expect("^50 120")
    shell.expect(PROMPT)
    equal(shell.status(), 0, "status")


def dev_tty(shell):
    """/dev/tty is the terminal"""
    shell.command(RUN + " -- sh -c 'echo question >/dev/tty; read -r x </dev/tty; echo \"got $x\"' </dev/null")
    shell.expect("^question")
    shell.command("answer")
    shell.expect("^got answer")
    shell.expect(PROMPT)
    equal(shell.status(), 0, "status")


def full_screen(shell):
    """a full-screen program: less"""
    shell.command(RUN + " -E LESS= -- less /etc/passwd")
    shell.expect("root:x:0:0")
    shell.type("q")
    shell.expect(PROMPT)
    equal(shell.status(), 0, "status")


def hang_up(shell):
    """a terminal that goes away ends the run"""
    shell.command(RUN + " -- sleep 1000")
    supervisor, worker, _ = shell.confine()
    os.close(shell.fd)
    end = time.monotonic() + SECONDS
    while os.path.exists("/proc/%d" % supervisor) or os.path.exists("/proc/%d" % worker):
        if time.monotonic() > end:
            raise Failure("still there after the hangup")
        time.sleep(0.02)


SCENARIOS = [ctrl_c, ctrl_backslash, ctrl_c_once, ctrl_c_thrice, python_prompt, ctrl_z, ctrl_z_handler, bg, deadline, kill_stop,
             kill_once, background, background_read, background_write, background_stty, stty, resize, dev_tty, full_screen,
             hang_up]

for scenario in SCENARIOS:
    if os.environ.get("ONLY", scenario.__name__) != scenario.__name__:
        continue
    try:
        terminal = Shell()
        try:
            scenario(terminal)
        finally:
            terminal.close()
        print("ok", scenario.__doc__, flush=True)
    except (Failure, OSError, AttributeError) as failure:
        print("not ok", scenario.__doc__)
        print("#", failure, flush=True)
