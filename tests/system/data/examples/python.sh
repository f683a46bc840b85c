# SPDX-License-Identifier: MIT
mkdir job
printf 'import sys\nprint(len(sys.stdin.read().split()), "words")\n' >job/count.py
echo one two three | confine job/count.py
