#!/usr/bin/env python3
"""Has `assay serve` show a store, and treats it as browsers, bad neighbours and a second process that trains would.
Everything stays on this machine. Usage: serve.py TOOL"""
import contextlib
import http.client
import json
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

FAMILY = "t_maze"
SECRET = "this must never be served"


def compare(tool, folder, methods):
    subprocess.run([tool, "compare", FAMILY, "--methods", methods, "--episodes", "20", "--out", str(folder)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)


class Server:
    """The tool as a process; `with` ends it, whatever happens."""

    def __init__(self, tool, folder, *more):
        self.errors = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen([tool, "serve", str(folder), *more], stdout=subprocess.PIPE, stderr=self.errors,
                                        text=True)
        alarm = threading.Timer(60, self.process.kill)
        alarm.start()
        line = self.process.stdout.readline()
        alarm.cancel()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\n", line)
        assert found, (line, self.complaints())
        self.port = int(found.group(1))
        assert "Ctrl-C" in self.process.stdout.readline()

    def complaints(self):
        self.errors.seek(0)
        return self.errors.read()

    def stop(self, how):
        self.process.send_signal(how)
        return self.process.wait(timeout=30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.errors.close()


def get(port, path, method="GET", timeout=30, **headers):
    """(status, headers, body); of the right host unless the headers say otherwise."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): text for name, text in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def connect(port, timeout=15):
    return socket.create_connection(("127.0.0.1", port), timeout=timeout)


def say(port, request):
    """All that comes back for these bytes. The server may hang up before it has read them all."""
    answer = b""
    with connect(port) as client:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            client.sendall(request)
            client.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionResetError):
            while len(answer) < 1e8:
                more = client.recv(65536)
                if not more:
                    break
                answer += more
    return answer


def status_of(answer):
    found = re.match(rb"HTTP/1\.1 (\d{3}) ", answer)
    return int(found.group(1)) if found else None


def check_contents(port):
    status, headers, page = get(port, "/")
    assert status == 200 and headers["Content-Type"].startswith("text/html"), (status, headers)
    assert b"report-data" in page and page.lstrip()[:9].lower() == b"<!doctype", page[:200]
    status, headers, body = get(port, "/report.json")
    assert status == 200 and headers["Content-Type"].startswith("application/json"), (status, headers)
    report = json.loads(body)
    assert (report["runs"], report["finished"], report["live"]) == (2, 2, True), body[:200]
    for name, due in [("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
                      ("Cross-Origin-Resource-Policy", "same-origin"), ("Cache-Control", "no-cache")]:
        assert headers[name] == due, (name, headers[name])
    assert not [name for name in headers if name.lower().startswith("access-control")], headers
    for path, size in [("/", len(page)), ("/report.json", len(body))]:
        status, headers, nothing = get(port, path, "HEAD")
        assert (status, nothing, int(headers["Content-Length"])) == (200, b"", size), (path, headers)
        # Parts, and encodings that would have to be made for each client, are not on offer.
        status, headers, whole = get(port, path, Range="bytes=0-3", Accept_Encoding="gzip, br")
        assert status == 200 and len(whole) == size and headers["Content-Encoding"] is None, (status, headers)


def check_tags(port):
    for path in ["/", "/report.json"]:
        tag = get(port, path)[1]["ETag"]
        assert re.fullmatch(r'"[^"]+"', tag), tag
        for known in [tag, f'"other", {tag}', f"W/{tag}", "*"]:
            status, headers, body = get(port, path, If_None_Match=known)
            assert (status, body, headers["ETag"]) == (304, b"", tag), (path, known, status)
        for other in ['"other"', tag[:-2] + '"', ""]:
            assert get(port, path, If_None_Match=other)[0] == 200, (path, other)


def listening(file, port):
    """The local addresses, in hexadecimal, at which someone listens on that port."""
    rows = [line.split() for line in pathlib.Path(file).read_text().splitlines()[1:]]
    return [row[1].split(":")[0] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == port]


def own_addresses():
    """IPv4 addresses of this machine other than 127.0.0.1: all of 127.0.0.0/8 is, and what the kernel calls local."""
    trie = pathlib.Path("/proc/net/fib_trie")
    found = re.findall(r"-- (\S+)\n\s+/32 host LOCAL", trie.read_text()) if trie.exists() else []
    return sorted({"127.0.0.2", *found} - {"127.0.0.1"})


def check_loopback(port):
    assert listening("/proc/net/tcp", port) == ["0100007F"], listening("/proc/net/tcp", port)
    if pathlib.Path("/proc/net/tcp6").exists():
        assert listening("/proc/net/tcp6", port) == []
    for address in [*own_addresses(), "::1"]:
        try:
            socket.create_connection((address, port), timeout=3).close()
        except OSError:
            continue
        raise AssertionError(f"{address} answers too")


def check_hosts(port):
    for host in ["127.0.0.1", "localhost", "LocalHost", f"localhost:{port}", f"127.0.0.1:{port}"]:
        assert get(port, "/report.json", Host=host)[0] == 200, host
    for host in ["evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", f"localhost.evil.example:{port}", "",
                 "127.0.0.1:1", "127.0.0.1:", f"127.0.0.1:{port}:{port}", "evil.example@127.0.0.1", "0.0.0.0", "[::1]"]:
        status, _, body = get(port, "/report.json", Host=host)
        assert status in (400, 403, 421) and b"runs" not in body, (host, status)
    for request in [b"GET /report.json HTTP/1.1\r\n\r\n", b"GET /report.json HTTP/1.0\r\n\r\n",
                    b"GET /report.json HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"]:
        answer = say(port, request)
        assert status_of(answer) in (400, 403, 421) and b'"runs"' not in answer, (request, answer[:200])
    answer = say(port, b"GET http://evil.example/report.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert status_of(answer) in (400, 403, 404, 421), answer[:200]


def check_paths(port, outside):
    up = ["../" * 8, "..%2f" * 8, "%2e%2e/" * 8, "%2E%2E%2F" * 8, "..%5c" * 8, "..\\" * 8, "....//" * 8, "%252e%252e%252f" * 8]
    files = ["etc/passwd", str(outside).lstrip("/")]
    paths = [f"/{dots}{file}" for dots in up for file in files]
    paths += [f"/{file}" for file in files] + [f"//{file}" for file in files]
    paths += ["/assay.db", "/report.txt", "/report.json/", "/report.json%00.html", "/%00", "/.", "/index.html", "/favicon.ico"]
    for path in paths:
        answer = say(port, f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert status_of(answer) in (400, 404), (path, answer[:200])
        assert b"root:" not in answer and SECRET.encode() not in answer, path


def check_refusals(port):
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"]:
        for path in ["/", "/report.json", "/other"]:
            status, headers, _ = get(port, path, method)
            assert status == 405 and headers["Allow"] == "GET, HEAD", (method, path, status)
    head = b"Host: localhost\r\n"
    body = b"Content-Length: 10000000\r\n\r\n" + b"x" * 10_000_000
    for request, due in [(b"GET / HTTP/1.1\r\n" + head + body, [413]),
                         (b"POST / HTTP/1.1\r\n" + head + body, [405, 413]),
                         (b"POST / HTTP/1.1\r\nExpect: 100-continue\r\n" + head + body[:30], [405, 413]),
                         (b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + head + b"\r\n5\r\nhello\r\n0\r\n\r\n", [413]),
                         (b"GET / HTTP/1.1\r\nContent-Length: -1\r\n" + head + b"\r\n", [400, 413]),
                         (b"BREW / HTTP/1.1\r\n" + head + b"\r\n", [400, 405, 501]),
                         (b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n" + head + b"\r\n", [400, 414, 431]),
                         (b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\n" + head + b"\r\n", [400, 404, 414]),
                         (b"GET / HTTP/1.1\r\n" + head + b"X: " + b"x" * 100_000 + b"\r\n\r\n", [400, 431]),
                         (b"GET / HTTP/1.1\r\n" + head + b"X: y\r\n" * 20_000 + b"\r\n", [400, 431]),
                         (b"GET / HTTP/1.1\r\n" + head + b"Range: bytes=" + b"0-," * 2500 + b"\r\n\r\n", [200, 400, 416])]:
        answer = say(port, request)
        assert status_of(answer) in due, (request[:60], answer[:200])


def check_garbage(port):
    rng = random.Random(20240229)
    valid = b"GET /report.json?a=%41&b HTTP/1.1\r\nHost: localhost\r\nRange: bytes=1-2,5-\r\nAccept-Encoding: gzip\r\n\r\n"
    for number in range(300):
        if number % 3 == 0:
            request = rng.randbytes(rng.randrange(1, 3000)) + rng.choice([b"", b"\r\n\r\n"])
        else:
            request = bytearray(valid)
            for _ in range(rng.randrange(1, 8)):
                at = rng.randrange(len(request))
                request[at:at + rng.randrange(0, 3)] = rng.randbytes(rng.randrange(0, 3))
        say(port, bytes(request))
    assert get(port, "/")[0] == 200


def check_crowd(port, clients=200):
    due = {path: get(port, path)[2] for path in ["/", "/report.json"]}
    begin_together = threading.Barrier(clients, timeout=30)
    failures, done = [], []

    def client():
        try:
            begin_together.wait()
            for path, bytes_due in due.items():
                status, _, body = get(port, path, timeout=40)
                assert status == 200 and body == bytes_due, (path, status, len(body))
            done.append(True)
        except Exception as error:  # pylint: disable=broad-except
            failures.append(repr(error))

    threads = [threading.Thread(target=client, daemon=True) for _ in range(clients)]
    begin = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=max(0.1, begin + 60 - time.monotonic()))
    assert not failures and len(done) == clients, (len(done), failures[:3])
    return time.monotonic() - begin


def check_slow_clients(port):
    """The longest that anyone had to wait beside clients that are idle, slow to ask, or do not read the answer."""
    longest = 0
    for count, request in [(50, b""), (50, b"GET / HT"), (50, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), (600, b"")]:
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(connect(port)) for _ in range(count)]
            for client in clients:
                with contextlib.suppress(OSError):  # of 600 the first may have been dropped
                    client.sendall(request)
            for _ in range(5):
                begin = time.monotonic()
                assert get(port, "/")[0] == 200
                longest = max(longest, time.monotonic() - begin)
                for client in clients if request == b"GET / HT" else []:
                    with contextlib.suppress(OSError):
                        client.sendall(b"T")
    # An idle connection is hung up on.
    with connect(port, timeout=20) as idle:
        assert idle.recv(1) == b""
    assert longest < 4, longest
    return longest


def report_when(port, holds, seconds):
    end = time.monotonic() + seconds
    while True:
        report = json.loads(get(port, "/report.json")[2])
        if holds(report):
            return report
        assert time.monotonic() < end, f"not within {seconds} s: {report['runs']} runs, {report['finished']} finished"
        time.sleep(0.1)


def check_live(tool, server, folder):
    """Seconds until another run was to be seen; then the store goes away and comes back."""
    tag = get(server.port, "/report.json")[1]["ETag"]
    compare(tool, folder, "random")
    begin = time.monotonic()
    report_when(server.port, lambda report: (report["runs"], report["finished"]) == (3, 3), 15)
    took = time.monotonic() - begin
    status, headers, page = get(server.port, "/", If_None_Match=tag)
    assert status == 200 and headers["ETag"] != tag
    assert get(server.port, "/report.json", If_None_Match=tag)[0] == 200

    away = folder.with_name("away")
    folder.rename(away)
    end = time.monotonic() + 15
    while "the page stays as it was" not in server.complaints():
        assert time.monotonic() < end, server.complaints()
        time.sleep(0.1)
    time.sleep(2.5)
    assert server.complaints().count("the page stays as it was") == 1, server.complaints()
    assert get(server.port, "/")[2] == page
    away.rename(folder)
    compare(tool, folder, "exact")
    report_when(server.port, lambda report: report["finished"] == 4, 15)
    return took


def check_start(tool, folder, scratch, port):
    for missing in [scratch / "nowhere", scratch]:
        refused = subprocess.run([tool, "serve", str(missing)], capture_output=True, text=True, timeout=60)
        assert refused.returncode == 2 and str(missing) in refused.stderr and not refused.stdout, refused
    assert not (scratch / "nowhere").exists()
    refused = subprocess.run([tool, "serve", str(folder), "--port", str(port)], capture_output=True, text=True, timeout=60)
    assert refused.returncode in (1, 2) and f"127.0.0.1:{port}" in refused.stderr and not refused.stdout, refused


def main():
    tool = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name).resolve()
        folder, outside = scratch / "runs", scratch / "outside.txt"
        outside.write_text(SECRET)
        compare(tool, folder, "tabular_td(epochs=50),vi_greedy")
        with Server(tool, folder) as server:
            check_contents(server.port)
            check_tags(server.port)
            check_loopback(server.port)
            check_hosts(server.port)
            check_paths(server.port, outside)
            check_refusals(server.port)
            check_garbage(server.port)
            crowd = check_crowd(server.port)
            longest = check_slow_clients(server.port)
            check_start(tool, folder, scratch, server.port)
            seen = check_live(tool, server, folder)
            assert server.stop(signal.SIGINT) == 0, server.complaints()
        # The port is free at once, though connections to it have just ended.
        with Server(tool, folder, "--port", str(server.port)) as again:
            assert again.port == server.port and get(again.port, "/")[0] == 200
            with connect(again.port):
                assert again.stop(signal.SIGTERM) == 0, again.complaints()
        print(f"200 clients in {crowd:.2f} s; beside slow ones at most {longest:.2f} s; a new run seen after {seen:.1f} s")


main()
