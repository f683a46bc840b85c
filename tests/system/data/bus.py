# SPDX-License-Identifier: MIT
"""bus.py MODE PATH: a bus at PATH that is of no use. deaf: takes no connection. silent: takes them and says nothing. auth: lets
everybody in and then says nothing. close: hangs up at once. garbage: talks nonsense. Makes PATH.ready when it is there."""
import os
import socket
import sys
import threading

mode, path = sys.argv[1:3]
kept = []


def serve(connection):
    if mode == "close":
        connection.close()
    elif mode == "garbage":
        connection.sendall(b"OK 0\r\n" + bytes(range(256)) * 64)
        connection.recv(4096)
        connection.close()
    elif mode == "auth":
        # sd-bus sends all of its side at once, and wants an answer for each line.
        connection.recv(4096)
        connection.sendall(b"DATA\r\nOK 0123456789abcdef0123456789abcdef\r\nAGREE_UNIX_FD\r\n")
    kept.append(connection)


with socket.socket(socket.AF_UNIX) as listener:
    listener.bind(path)
    os.chmod(path, 0o666)
    # One connection waits in the queue of the deaf one; to be in it is to be connected.
    listener.listen(1 if mode == "deaf" else 64)
    with open(path + ".ready", "w", encoding="ascii"):
        pass
    while True:
        if mode == "deaf":
            threading.Event().wait()
        threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()
