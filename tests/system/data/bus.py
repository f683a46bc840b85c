# SPDX-License-Identifier: MIT
"""bus.py MODE PATH: a bus at PATH that is of no use. deaf: takes no connection. silent: takes them and says nothing. auth: lets
everybody in and then says nothing. close: hangs up at once. garbage: talks nonsense. liar: says of every unit that it has been
started, and starts none. Makes PATH.ready when it is there."""
import os
import socket
import struct
import sys
import threading

mode, path = sys.argv[1:3]
kept = []
# sd-bus sends all of its side at once, and wants an answer for each line.
WELCOME = b"DATA\r\nOK 0123456789abcdef0123456789abcdef\r\nAGREE_UNIX_FD\r\n"
OWNER = ":1.1"
MANAGER = "org.freedesktop.systemd1.Manager"
RETURN, SIGNAL = 2, 4


def text(value):
    return struct.pack("<I", len(value)) + value.encode() + b"\0"


def padded(data, size):
    return data + bytes(-len(data) % size)


def message(kind, fields, body):
    """Header fields: (number, type, value); they all come from OWNER."""
    header = b""
    for number, signature, value in [*fields, (7, "s", OWNER)]:
        header = padded(header, 8) + struct.pack("<BBcB", number, 1, signature.encode(), 0)
        if signature == "g":
            header += struct.pack("<B", len(value)) + value.encode() + b"\0"
        else:
            header += struct.pack("<I", value) if signature == "u" else text(value)
    return padded(struct.pack("<cBBBIII", b"l", kind, 1, 1, len(body), 1, len(header)) + header, 8) + body


def job_removed(unit):
    body = padded(struct.pack("<I", 1) + text("/job"), 4)
    body = padded(body + text(unit), 4) + text("done")
    fields = [(1, "o", "/org/freedesktop/systemd1"), (2, "s", MANAGER), (3, "s", "JobRemoved"), (8, "g", "uoss")]
    return message(SIGNAL, fields, body)


def answer(serial, header, body):
    def reply(signature, data):
        return message(RETURN, [(5, "u", serial), (8, "g", signature)] if signature else [(5, "u", serial)], data)

    if b"StartTransientUnit" in header:
        length = struct.unpack_from("<I", body)[0]
        return reply("o", text("/job")) + job_removed(body[4 : 4 + length].decode())
    if b"Hello" in header or b"GetNameOwner" in header:
        return reply("s", text(OWNER))
    return reply("", b"")


def serve_liar(connection):
    stream = connection.makefile("rb")
    while stream.readline() != b"BEGIN\r\n":
        pass
    while len(start := stream.read(16)) == 16:
        _, _, _, _, n_body, serial, n_header = struct.unpack("<cBBBIII", start)
        header = stream.read(n_header + -n_header % 8)
        connection.sendall(answer(serial, header, stream.read(n_body)))


def serve(connection):
    if mode == "close":
        connection.close()
    elif mode == "garbage":
        connection.sendall(b"OK 0\r\n" + bytes(range(256)) * 64)
        connection.recv(4096)
        connection.close()
    elif mode == "auth":
        connection.recv(4096)
        connection.sendall(WELCOME)
    elif mode == "liar":
        connection.sendall(WELCOME)
        serve_liar(connection)
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
