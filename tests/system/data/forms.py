# SPDX-License-Identifier: MIT
"""forms.py DIRECTORY CONFINE...: runs small programs by plain `python3 -X utf8 WORD...` and by `CONFINE... WORD...`, with the
same words, in DIRECTORY, and prints the name of each whose output, error output or status differs, then how many there were."""
import os
import subprocess
import sys

base, confine = os.path.realpath(sys.argv[1]), sys.argv[2:]

FILES = {
    "args.py": "import sys\nprint(sys.argv, __name__, __file__, sys.path[0])\n",
    "spec.py": "print(__spec__, __package__, __doc__, __builtins__.__name__, sorted(globals()))\n",
    "sibling.py": "value = 42\n",
    "import.py": "import sibling\nprint(sibling.value, sibling.__name__, sibling.__file__)\n",
    "data.txt": "content\n",
    "beside.py": "import os\nprint(open(os.path.join(os.path.dirname(__file__), 'data.txt')).read())\n",
    "error.py": "def f(x):\n    return 1 / x\n\n\nprint('before')\nf(0)\n",
    "chain.py": "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('b\\u00e4d') from e\n",
    "syntax.py": "print('never')\nif True print(1)\n",
    "indent.py": "if True:\nprint(1)\n",
    "latin.py": b"# -*- coding: latin-1 -*-\nprint('\xe4\xf6\xfc', __file__)\n",
    "bom.py": b"\xef\xbb\xbfprint('bom')\n",
    "broken.py": b"print('\xff')\n",
    "shebang.py": "#!/nonexistent -x\nimport sys\nprint(sys.argv)\n",
    "empty.py": "",
    "two words \u00e4.py": "import sys\nprint(sys.argv, __file__, ascii(__file__))\n",
    "main.py": "import sys, __main__\nprint(__main__.__file__, __main__ is sys.modules['__main__'])\n",
    "pickled.py": "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))))\n",
    "source.py": "import inspect\ndef f():\n    return 1\nprint(inspect.getsource(f))\n",
    "exit.py": "import atexit, sys\natexit.register(print, 'last')\nsys.exit('why')\n",
    "thread.py": "import threading\nt = threading.Thread(target=lambda: 1 / 0, name='t')\nt.start()\nt.join()\nprint('on')\n",
    "loop.py": "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 'done'\nprint(asyncio.run(f()))\n",
    "sub/deep.py": "import sys\nprint(sys.path[0], __file__)\nimport near\nprint(near.__file__)\n",
    "sub/near.py": "",
    "pkg/__init__.py": "print('package', __name__)\n",
    "pkg/__main__.py": "import sys\nfrom . import part\nprint(sys.argv, __name__, __package__, __file__, part.value, sys.path[0])\n",
    "pkg/part.py": "value = 'part'\nif __name__ == '__main__':\n    import sys\n    print(sys.argv, __spec__.name)\n",
    "pkg/relative.py": "from . import part\nprint(part.value)\n",
    "noinit/mod.py": "print(__name__, __package__)\n",
}
LINKS = {"link.py": "sub/deep.py", "args-link.py": "args.py"}

TELL = "import sys; print(sys.argv, __name__, sys.path[0], '__file__' in globals())"
STREAMS = ("import sys, locale\nfor s in sys.stdin, sys.stdout, sys.stderr:\n    print(s.encoding, s.errors, s.isatty(), s.line_buffering)\n"
           "print(sys.getdefaultencoding(), sys.getfilesystemencoding(), sys.getfilesystemencodeerrors(), locale.getpreferredencoding())")

# Name: words, and what comes from standard input.
CASES = {
    "script: arguments": (["args.py", "a", "", "two words", "-c", "--", "-m"], b""),
    "script: by ./": (["./args.py"], b""),
    "script: by a directory": (["sub/../args.py"], b""),
    "script: by an absolute path": ([base + "/args.py", "x"], b""),
    "script: by --": (["--", "args.py", "--"], b""),
    "script: of another directory": (["sub/deep.py"], b""),
    "script: by a link": (["args-link.py"], b""),
    "script: by a link to another directory": (["link.py"], b""),
    "script: name with a blank": (["two words \u00e4.py", "\u00fc"], b""),
    "script: globals": (["spec.py"], b""),
    "script: sibling": (["import.py"], b""),
    "script: file beside it": (["beside.py"], b""),
    "script: __main__": (["main.py"], b""),
    "script: pickle": (["pickled.py"], b""),
    "script: its source": (["source.py"], b""),
    "script: shebang": (["shebang.py", "y"], b""),
    "script: empty": (["empty.py"], b""),
    "script: latin-1": (["latin.py"], b""),
    "script: BOM": (["bom.py"], b""),
    "script: not UTF-8": (["broken.py"], b""),
    "script: exception": (["error.py"], b""),
    "script: chained exceptions": (["chain.py"], b""),
    "script: syntax error": (["syntax.py"], b""),
    "script: indentation": (["indent.py"], b""),
    "script: exit with a text": (["exit.py"], b""),
    "script: exception in a thread": (["thread.py"], b""),
    "script: asyncio": (["loop.py"], b""),
    "script: undecodable argument": (["args.py", b"\xff\xfe"], b""),
    "code: arguments": (["-c", TELL, "a", "-c", "--help"], b""),
    "code: attached": (["-c" + TELL, "a"], b""),
    "code: empty": (["-c", ""], b""),
    "code: lines": (["-c", "for i in range(3):\n    print(i)\n"], b""),
    "code: exception": (["-c", "x = 1\nraise ValueError('\u20ac')"], b""),
    "code: syntax error": (["-c", "print("], b""),
    "code: missing module": (["-c", "import nonesuch"], b""),
    "code: streams": (["-c", STREAMS], b""),
    "code: output beyond ASCII": (["-c", "import sys; print('\u20ac \U0001f600'); print('\u00e9', file=sys.stderr)"], b""),
    "code: bytes": (["-c", "import sys; sys.stdout.buffer.write(bytes(range(256)) * 1000)"], b""),
    "code: lone surrogate": (["-c", "print('\\udcff')"], b""),
    "code: undecodable input": (["-c", "print(ascii(input()))"], b"\xff\xfe\n"),
    "code: reads input": (["-c", "import sys; print(len(sys.stdin.buffer.read()))"], b"x" * 200000),
    "code: end of input": (["-c", "input()"], b""),
    "code: flags": (["-c", "import sys; f = sys.flags; print(f.utf8_mode, f.isolated, f.no_site, f.optimize, f.safe_path, f.interactive)"], b""),
    "code: warnings": (["-c", "import warnings; warnings.warn('w'); warnings.warn('d', DeprecationWarning)"], b""),
    "code: recursion": (["-c", "f = lambda: f()\nf()"], b""),
    "code: default of open": (["-c", "import sys; print(open(sys.executable, 'rb').read(4))"], b""),
    "code: prefix": (["-c", "import sys; print(sys.prefix, sys.base_prefix, sys.exec_prefix, sys.version, sys.path[1:])"], b""),
    "code: time zone": (["-c", "import time, datetime; print(time.tzname, datetime.datetime.fromtimestamp(0))"], b""),
    "code: status": (["-c", "raise SystemExit(77)"], b""),
    "code: status of 256": (["-c", "raise SystemExit(256 + 3)"], b""),
    "code: exit at once": (["-c", "import os; print('lost', end=''); os._exit(9)"], b""),
    "code: interrupt": (["-c", "raise KeyboardInterrupt"], b""),
    "code: killed": (["-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"], b""),
    "code: terminated": (["-c", "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"], b""),
    "code: aborted": (["-c", "import os; os.abort()"], b""),
    "code: broken pipe": (["-c", "import signal; print(signal.getsignal(signal.SIGPIPE), signal.getsignal(signal.SIGINT))"], b""),
    "module: package": (["-m", "pkg", "a", "-m"], b""),
    "module: of a package": (["-m", "pkg.part", "x"], b""),
    "module: attached": (["-mpkg.part"], b""),
    "module: relative import": (["-m", "pkg.relative"], b""),
    "module: namespace": (["-m", "noinit.mod"], b""),
    "module: a script": (["-m", "args", "b"], b""),
    "module: exception": (["-m", "error"], b""),
    "module: missing": (["-m", "nonesuch"], b""),
    "module: of the library": (["-m", "json.tool"], b'{"b": [1, "\xe2\x82\xac"]}'),
    "input: arguments": (["-", "a", "-c"], TELL.encode() + b"\nprint('second')\n"),
    "input: exception": (["-"], b"def f():\n    raise OSError(5, 'x')\nf()\n"),
    "input: syntax error": (["-"], b"print(1)\nprint(\n"),
    "input: empty": (["-"], b""),
    "input: reads the rest": (["-"], b"import sys\nprint('x')\n"),
    "input: exit": (["-"], b"import sys\nprint(sys.argv)\nsys.exit(5)\n"),
}


def run(words, stdin):
    done = subprocess.run(words, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=base, check=False)
    # In the container confine says that nothing limits there.
    err = b"".join(line for line in done.stderr.splitlines(True) if not line.endswith(b"(Enforcement=best-effort)\n"))
    return done.returncode, done.stdout, err


os.umask(0o022)
for name, text in FILES.items():
    path = os.path.join(base, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
for name, target in LINKS.items():
    os.symlink(target, os.path.join(base, name))

statuses = set()
for name, (words, stdin) in CASES.items():
    plain = run(["python3", "-B", "-X", "utf8", *words], stdin)
    confined = run([*confine, *words], stdin)
    statuses.add(plain[0])
    if plain != confined:
        print(name)
        print("  plain:", *plain)
        print("  confined:", *confined)
print(len(CASES), "programs,", len(statuses), "kinds of end")
