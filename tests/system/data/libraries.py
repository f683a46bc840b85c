#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What ordinary programs do with the libraries of Python: libraries.py WHAT [ARGUMENT...] ends with status 0 after it has printed
what came out, which is the same wherever it works."""

import asyncio
import os
import sys


def numpy(threads):
    """Threads of the linear algebra library, and threads of Python beside them."""
    import ctypes
    from concurrent.futures import ThreadPoolExecutor

    import numpy

    n = 300
    a = numpy.arange(n * n, dtype=float).reshape(n, n) % 7
    with ThreadPoolExecutor(int(threads)) as pool:
        products = list(pool.map(lambda _: a @ a, range(8)))
    b = a.astype(int)
    assert all((product == b @ b).all() for product in products)
    used = ctypes.CDLL("libopenblas.so.0").openblas_get_num_threads()
    print(used, "threads, trace", int(products[0].trace()))


def event_loop():
    async def nap(number):
        await asyncio.sleep(0.001)
        return number

    async def main():
        numbers = await asyncio.gather(*map(nap, range(10)), asyncio.to_thread(int, "10"))
        try:
            await asyncio.wait_for(asyncio.sleep(60), 0.001)
        except TimeoutError:
            print(sum(numbers), "and in time")

    asyncio.run(main())


def event_loop_network():
    async def serve(reader, writer):
        writer.write((await reader.readline()).upper())
        await writer.drain()
        writer.close()

    async def main():
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(b"hello\n")
            print((await reader.readline()).decode().strip())
            writer.close()

    asyncio.run(main())


def event_loop_process():
    async def main():
        process = await asyncio.create_subprocess_exec("/bin/echo", "from a child", stdout=asyncio.subprocess.PIPE)
        print((await process.communicate())[0].decode().strip(), process.returncode)

    asyncio.run(main())


def pool():
    """Processes of Python, which share a semaphore in /dev/shm."""
    import multiprocessing

    with multiprocessing.get_context("fork").Pool(2) as workers:
        print(workers.map(abs, [-1, -2]))


def sqlite(directory=None):
    import sqlite3

    path = os.path.join(directory, str(os.getpid())) if directory else ":memory:"
    with sqlite3.connect(path) as connection:
        # The write-ahead log is a file that is mapped and shared.
        connection.execute("pragma journal_mode = wal")
        connection.execute("create table t (a integer)")
        connection.executemany("insert into t values (?)", ((i,) for i in range(1000)))
        print(connection.execute("select sum(a) from t").fetchone()[0])
    connection.close()


def tls():
    """A handshake in memory, and the authorities that the machine trusts."""
    import ssl

    certificate = os.path.join(os.path.dirname(ssl.__file__), "test/certdata/keycert.pem")
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate)
    client = ssl.create_default_context()
    authorities = len(client.get_ca_certs())
    client.load_verify_locations(certificate)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [client.wrap_bio(to_client, to_server, server_hostname="localhost"), server.wrap_bio(to_server, to_client, server_side=True)]
    # A handful of steps is enough, on either side.
    for end in ends * 4:
        try:
            end.do_handshake()
        except ssl.SSLWantReadError:
            pass
    print(ends[0].version(), authorities > 100)


def services():
    import socket

    print(socket.getservbyname("https"), socket.getaddrinfo("127.0.0.1", "https", type=socket.SOCK_STREAM)[0][4])


def customized():
    """Debian keeps it in /etc."""
    import inspect

    import sitecustomize

    print(len(inspect.getsource(sitecustomize)) > 0)


def archive():
    """Packed and unpacked, and imported from."""
    import tempfile
    import zipfile

    os.chdir(tempfile.mkdtemp())
    with zipfile.ZipFile("a.zip", "w") as packed:
        for method in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA:
            packed.writestr(f"method{method}.py", f"value = {method}\n" * 1000, method)
    with zipfile.ZipFile("a.zip") as packed:
        packed.extractall("unpacked")
    sys.path.insert(0, os.path.abspath("a.zip"))
    print(len(os.listdir("unpacked")), __import__("method8").value)


def temporary():
    import tempfile

    with tempfile.TemporaryDirectory() as directory, tempfile.NamedTemporaryFile(dir=directory) as named:
        named.write(b"x" * 10000)
        named.flush()
        with tempfile.TemporaryFile() as nameless, tempfile.SpooledTemporaryFile(max_size=10) as spooled:
            nameless.write(b"y")
            spooled.write(b"z" * 100)
        print(os.path.getsize(named.name), directory.startswith(os.environ.get("TMPDIR", "/tmp")))
    print(os.path.exists(directory))


def wheel(directory):
    """Makes one, of a distribution that nobody has: a module and a program."""
    import zipfile

    name = "demo-1.0"
    with zipfile.ZipFile(f"{directory}/{name}-py3-none-any.whl", "w") as packed:
        packed.writestr("demo.py", "def main():\n    print('from a wheel')\n\nif __name__ == '__main__':\n    main()\n")
        packed.writestr(f"{name}.dist-info/METADATA", "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n")
        packed.writestr(f"{name}.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        packed.writestr(f"{name}.dist-info/entry_points.txt", "[console_scripts]\ndemo = demo:main\n")
        packed.writestr(f"{name}.dist-info/RECORD", "")


globals()[sys.argv[1]](*sys.argv[2:])
