"""A cluster inside marrow can be reached from this machine alone, and serves nothing."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="dask.distributed is not installed")

from marrow.engine.executors.dask.cluster import ClusterExecutor

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
