# SPDX-License-Identifier: MIT
"""attacks.py LIBRARY ARGUMENT...: makes the attacks of tests/adversarial/attacks from within Python, as an extension of it."""
import ctypes
import sys

arguments = [argument.encode() for argument in sys.argv[1:]]
sys.exit(ctypes.CDLL(sys.argv[1]).attacks_main(len(arguments), (ctypes.c_char_p * (len(arguments) + 1))(*arguments)))
