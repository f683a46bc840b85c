# SPDX-License-Identifier: MIT
"""handed.py give SOCKET DIRECTORY: hands a descriptor of the directory to whoever listens at the socket.
handed.py take SOCKET COMMAND...: listens there, and executes the command with the one connection as standard input."""
import os
import socket
import sys
import time

mode, path = sys.argv[1:3]
s = socket.socket(socket.AF_UNIX)
if mode == "take":
    s.bind(path)
    os.chmod(path, 0o777)
    s.listen()
    connection, _ = s.accept()
    os.dup2(connection.fileno(), 0)
    os.execvp(sys.argv[3], sys.argv[3:])
end = time.monotonic() + 20
while s.connect_ex(path) and time.monotonic() < end:
    time.sleep(0.01)
socket.send_fds(s, [b"x"], [os.open(sys.argv[3], os.O_PATH)])
s.recv(1)
