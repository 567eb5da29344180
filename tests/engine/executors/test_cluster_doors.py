"""A cluster inside marrow can be reached from this machine alone, and serves nothing."""

from __future__ import annotations

import os
import socketserver
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="dask.distributed is not installed")

from marrow.engine.executors.dask.cluster import ClusterExecutor
from marrow.engine.executors.executor import ClusterError

#: 127.0.0.1 as /proc/net/tcp writes it.
LOOPBACK = "0100007F"


def listening() -> set[tuple[str, int]]:
    """Return the addresses and ports that this process listens at."""
    own = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            own.add(os.readlink(f"/proc/self/fd/{name}"))
        except OSError:
            continue
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in own:
                address, _, port = words[1].partition(":")
                found.add((address, int(port, 16)))
    return found


def test_only_this_machine_can_reach_it_and_finds_nothing() -> None:
    if not Path("/proc/net/tcp").exists():
        pytest.skip("no table of sockets")
    before = listening()
    executor = ClusterExecutor(lambda text: b"x" in text, b"x", workers=2)
    try:
        opened = listening() - before
        assert {address for address, _ in opened} <= {LOOPBACK}
        for _, port in opened:
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10)
    finally:
        executor.close()


#: What answers where a scheduler should.
ANSWERS = {
    "nothing": b"",
    "a page": b"HTTP/1.1 200 OK\r\n\r\n" * 9,
    "a length without end": b"\xff" * 64,
    "lengths of nothing": bytes(1000),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_what_is_no_scheduler_is_said(monkeypatch: pytest.MonkeyPatch, answer: bytes) -> None:
    monkeypatch.setattr("marrow.engine.executors.dask.connection._ANSWER_SECONDS", 0.3)

    class Answer(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.sendall(answer)
            while self.request.recv(1000):
                pass

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answer) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"tcp://127.0.0.1:{server.server_address[1]}"
        try:
            with pytest.raises(ClusterError, match="no Dask scheduler answers"):
                ClusterExecutor(lambda _: True, b"x", scheduler=address)
        finally:
            server.shutdown()
            server.block_on_close = False
