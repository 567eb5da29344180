"""A cluster by TLS (docs/how-to/cluster.md): it works with a certificate, and not without."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.running import ALGORITHM

pytest.importorskip("distributed", reason="dask.distributed is not installed")
pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "how-to" / "cluster.md"

CLUSTER = """
import sys, time
from distributed import LocalCluster, Security

with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None,
                  protocol="tls", host="127.0.0.1", scheduler_port=int(sys.argv[1]),
                  security=Security(), silence_logs=50):
    print("ready", flush=True)
    time.sleep(1000)
"""


def block(language: str) -> str:
    """Return the block of the document that is about TLS, in a language."""
    part = DOCUMENT.read_text().partition("\n### TLS\n")[2]
    return part.partition(f"```{language}\n")[2].partition("```")[0]


@dataclass(frozen=True)
class Cluster:
    """Where it listens, and the configuration of Dask for those who may join."""

    port: int
    config: Path


@pytest.fixture
def cluster(work: Path, tmp_path: Path) -> Iterator[Cluster]:
    keys = tmp_path / "keys"
    keys.mkdir()
    subprocess.run(["sh", "-ec", block("sh")], cwd=keys, check=True, capture_output=True)
    assert all(path.stat().st_mode & 0o077 == 0 for path in keys.glob("*.key"))
    config = tmp_path / "config"
    config.mkdir()
    (config / "marrow.yaml").write_text(block("yaml").replace("/etc/dask", str(keys)))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-c", CLUSTER, str(port)],
        stdout=subprocess.PIPE,
        env=os.environ | {"DASK_CONFIG": str(config), "TMPDIR": str(keys)},
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"ready\n"
        yield Cluster(port, config)
    finally:
        process.terminate()
        process.communicate()


def ran(work: Path, address: str, config: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "marrow", "reduce", "input.c", "./test.sh", *ALGORITHM]
    return subprocess.run(
        [*words, "--scheduler", address],
        cwd=work,
        env=os.environ | {"DASK_CONFIG": str(config)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_only_those_with_a_certificate_take_part(work: Path, cluster: Cluster) -> None:
    nothing = cluster.config.parent
    for address, config in (
        (f"tcp://127.0.0.1:{cluster.port}", nothing),
        (f"tcp://127.0.0.1:{cluster.port}", cluster.config),
    ):
        refused = ran(work, address, config)
        assert refused.returncode == 11, refused.stderr
        assert "Traceback" not in refused.stderr
        assert not (work / "input.reduced.c").exists()
    ended = ran(work, f"tls://127.0.0.1:{cluster.port}", cluster.config)
    assert ended.returncode == 0, ended.stderr
    assert "needle" in (work / "input.reduced.c").read_text()
