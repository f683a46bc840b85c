# SPDX-License-Identifier: MIT
"""argv.py WRITE|CHECK FILE COMMAND...: runs the command with arguments that are easily damaged, and compares what a program
that prints its own argv (show) got. `argv.py show ARG...` is that program."""
import os
import subprocess
import sys

HARD = [b"", b" ", b"two words", b" lead", b"trail ", b"a\nb", b"\n", b"\n\n", b"tab\there", b"$HOME `id` $(id)", b"*", b"?",
        b"[a-z]", b"~", b"\\", b"\\n", b"'", b'"', b"--", b"-c", b"--memory=1", b"-", b"=", b"A=b", b"%s%n", b"#", b";", b"&",
        b"\xff\xfe", b"\xc3\x28", b"\xf0\x9f\x98\x80", b"\x1b]0;x\x07", b"\x7f", b"\x01", b"", b"x" * 100000, b""]

if sys.argv[1] == "show":
    sys.stdout.write("".join(os.fsencode(word).hex() + "\n" for word in sys.argv[2:]))
    sys.exit()

many = HARD + [b"%d" % i for i in range(1000)]
command = [os.fsencode(word) for word in sys.argv[1:]] + [b"/usr/bin/python3", os.fsencode(os.path.abspath(__file__)), b"show"]
got = subprocess.run(command + many, stdout=subprocess.PIPE, check=False)
wanted = "".join(word.hex() + "\n" for word in many).encode()
print("status", got.returncode)
print("arguments", len(got.stdout.splitlines()))
print("intact" if got.stdout == wanted else "damaged")
