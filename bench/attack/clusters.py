"""Hostile clusters: who may join by TLS, and what answers at the address of a scheduler."""

from __future__ import annotations

import contextlib
import os
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from bench.attack.situation import JOURNAL, TABLES, Situation, needs, run_marrow, write_test

_ALONE: Final = ("reduce", "input.c", "./test.sh", "--algorithm", "coarse-hddr*", "-j1")

#: The first port; every situation has its own, as they run at the same time.
_PORT: Final = 41_000

#: How long a scheduler may take to listen, on a busy machine.
_READY: Final = 60.0

_CLUSTER: Final = TABLES["clusters"]["cluster"]

_KEYS: Final = TABLES["clusters"]["keys"]

_CONFIG: Final = TABLES["clusters"]["config"]

_GUESTS: Final = TABLES["clusters"]["guests"]

#: What answers where a scheduler should.
_ANSWERS: Final[dict[str, bytes]] = {
    "nothing at all": b"",
    "a page": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "a length without end": b"\xff" * 64,
    "lengths of nothing": bytes(1000),
    "escapes of a terminal": b"\x1b[2J\x1b]0;x\x07" * 100,
}

_ADDRESSES: Final = TABLES["clusters"]["addresses"]

_RUNNING: Final[dict[Path, subprocess.Popen[bytes] | socketserver.TCPServer]] = {}


def clusters() -> Iterator[Situation]:
    """Yield clusters inside of marrow and elsewhere."""
    there = find_spec("distributed") is not None
    for one in (*_own(), *_by_tls(), *_others(), *_lost()):
        yield one if there else Situation(one.name, impossible=lambda: "needs distributed")


def _own() -> Iterator[Situation]:
    look = 'cat /proc/net/tcp /proc/net/tcp6 > "$MARROW_ATTACK/files/listening"'
    for workers in ("-j1", "-j2"):
        yield Situation(
            f"--executor dask {workers} listens at the loopback alone",
            (*_ALONE, workers, "--max-tests", "9", "--executor", "dask"),
            prepare=partial(write_test, f'{look}; grep -q needle "$1"'),
            after=_loopback_alone,
        )


def _by_tls() -> Iterator[Situation]:
    for number, (who, (authority, name, protocol, code)) in enumerate(_GUESTS.items()):
        port = _PORT + number
        yield Situation(
            f"a marrow {who} at a cluster with TLS",
            (*_ALONE, "--max-tests", "9", "--scheduler", f"{protocol}://127.0.0.1:{port}"),
            frozenset({code}),
            prepare=partial(_start_by_tls, port, authority, name),
            variables={"DASK_CONFIG": "dask"},
            after=partial(_ended, result=code == 0),
            impossible=needs("openssl"),
        )


def _others() -> Iterator[Situation]:
    for number, (what, answer) in enumerate(_ANSWERS.items()):
        port = _PORT + 20 + number
        yield Situation(
            f"{what} instead of a scheduler",
            (*_ALONE, "--scheduler", f"tcp://127.0.0.1:{port}"),
            frozenset({11}),
            prepare=partial(_answer, port, answer),
            after=partial(_ended, result=False),
        )
    for address in _ADDRESSES:
        yield Situation(
            f"--scheduler {address!a}",
            (*_ALONE, "--scheduler", address),
            frozenset({2, 11}),
            after=partial(_ended, result=False),
        )


def _lost() -> Iterator[Situation]:
    port = _PORT + 40
    yield Situation(
        "a cluster without workers",
        (*_ALONE, "--scheduler", f"tcp://127.0.0.1:{port}"),
        frozenset({11}),
        prepare=partial(_start, "tcp", port, 0, None),
        after=partial(_ended, result=False),
    )
    for number, workers in enumerate((1, 2), 1):
        yield Situation(
            f"a cluster of {workers} that is killed during a run",
            (*_ALONE, "--scheduler", f"tcp://127.0.0.1:{port + number}"),
            frozenset({11}),
            prepare=partial(_start_and_kill, port + number, workers),
            after=_goes_on_without,
        )


def _start(protocol: str, port: int, workers: int, config: Path | None, work: Path) -> None:
    scratch = work.parent / "cluster"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", _CLUSTER, protocol, str(port), str(workers)],
        cwd=scratch,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "DASK_CONFIG": str(config or scratch), "TMPDIR": str(scratch)},
    )
    _RUNNING[work] = process
    late = threading.Timer(_READY, process.kill)
    late.start()
    assert process.stdout is not None
    ready = process.stdout.readline()
    late.cancel()
    if not ready:
        raise OSError("the cluster did not start")


def _start_by_tls(port: int, authority: str, name: str, work: Path) -> None:
    keys = work.parent / "keys"
    keys.mkdir()
    subprocess.run(["sh", "-ec", _KEYS], cwd=keys, check=True, capture_output=True)
    guest, host = work / "dask", work.parent / "host"
    guest.mkdir()
    host.mkdir()
    if authority:
        words = _CONFIG.format(keys=keys, authority=authority, name=name)
        (guest / "marrow.yaml").write_text(words)
    words = _CONFIG.format(keys=keys, authority="authority", name="cluster")
    (host / "marrow.yaml").write_text(words)
    _start("tls", port, 1, host, work)


def _start_and_kill(port: int, workers: int, work: Path) -> None:
    """Start a cluster that one of its tests kills."""
    _start("tcp", port, workers, None, work)
    process = _RUNNING[work]
    assert isinstance(process, subprocess.Popen)
    # Among the tests on the input, or soon after them, the cluster is gone, once.
    counter, killed = work.parent / "count", work.parent / "killed"
    kill = f": > {killed}; kill -9 {process.pid}; sleep 5"
    body = (
        f"echo x >> {counter}; [ $(wc -l < {counter}) -lt 6 ] || [ -e {killed} ] || {{ {kill}; }}"
    )
    write_test(f'{body}; grep -q needle "$1"', work)


def _answer(port: int, answer: bytes, work: Path) -> None:
    class Answer(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with contextlib.suppress(OSError):
                self.request.sendall(answer)
                while self.request.recv(1 << 16):
                    pass

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True

    server = Server(("127.0.0.1", port), Answer)
    _RUNNING[work] = server
    threading.Thread(target=server.serve_forever, daemon=True).start()


def _stop(work: Path) -> None:
    running = _RUNNING.pop(work, None)
    if isinstance(running, socketserver.TCPServer):
        running.shutdown()
        running.server_close()
    elif running is not None:
        running.kill()
        running.communicate()


def _ended(work: Path, result: bool) -> str:
    _stop(work)
    if result != (work / "input.reduced.c").exists():
        return "there is no result" if result else "a test was run"
    return ""


def _goes_on_without(work: Path) -> str:
    _stop(work)
    resumed = ("--resume",) if (work / JOURNAL).exists() else ()
    if run_marrow(work, *_ALONE, *resumed):
        return "it does not go on without the cluster"
    return ""


def _loopback_alone(work: Path) -> str:
    for line in (work / "listening").read_text().splitlines():
        fields = line.split()
        if len(fields) > 3 and fields[3] == "0A":  # listening
            address = fields[1].partition(":")[0]
            if not address.endswith("0100007F") and address != "0" * 24 + "01000000":
                return f"listens at {fields[1]}"
    return ""
