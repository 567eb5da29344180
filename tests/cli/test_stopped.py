"""A run that is stopped (Ctrl-Z, SIGSTOP) and goes on gives the same result, by the same tests."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from tests.cli.running import ALGORITHM, PATIENCE, executable
from tests.engine.scripts import alive, soon

WORDS = [sys.executable, "-m", "marrow", "reduce", "input.c", "./test.sh", "-q", *ALGORITHM]
# A test takes a twentieth of it, also where it is stopped for longer than that.
LIMIT = 2.0

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def stopped(pid: int) -> bool:
    """Whether a process is stopped (T), or waits for one that was just to be started (D)."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "TD"


def starts(work: Path) -> list[tuple[int, str]]:
    """Return the ids of the tests that were started so far, with sums of their candidates."""
    log = work / "log"
    lines = log.read_text().splitlines() if log.exists() else []
    return [(int(pid), total) for pid, _, total in (line.partition(" ") for line in lines)]


def started(work: Path, count: int) -> bool:
    return len(starts(work)) >= count


def at_rest(test: int) -> bool:
    return not alive(test) or stopped(test)


@pytest.mark.parametrize("who", ["marrow", "all", "Ctrl-Z"])
def test_a_stop_is_no_time_out(work: Path, who: str) -> None:
    subprocess.run([*WORDS, "-o", "expected.c", "-j1", "--no-journal"], cwd=work, check=True)
    noting = f"sum=$(cksum < input.c); echo $$ $sum >> {work}/log"
    executable(work / "test.sh", f'{noting}; sleep 0.1; grep -q needle "$1"')
    words = [*WORDS, "-j1", "--timeout", str(LIMIT)]
    process = subprocess.Popen(words, cwd=work, process_group=0)
    for count in (5, 8):
        assert soon(partial(started, work, count))
        test = starts(work)[-1][0]
        process.send_signal(signal.SIGTSTP if who == "Ctrl-Z" else signal.SIGSTOP)
        assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
        if who == "all" and alive(test):
            os.kill(test, signal.SIGSTOP)
        if who == "Ctrl-Z":
            assert soon(partial(at_rest, test))
        time.sleep(1.5 * LIMIT)
        if who == "all" and alive(test):
            os.kill(test, signal.SIGCONT)
        process.send_signal(signal.SIGCONT)
    assert process.wait(PATIENCE) == 0
    assert (work / "input.reduced.c").read_text() == (work / "expected.c").read_text()
    # A candidate that timed out would have been tried once more, one for each stop; a busy machine
    # may make one of them late. The input and the result are tried several times.
    often = {
        total for total, times in Counter(total for _, total in starts(work)).items() if times > 1
    }
    sums = subprocess.run(
        ["cksum", "input.c", "input.reduced.c"], stdout=subprocess.PIPE, text=True
    )
    assert len(often - {line.rpartition(" ")[0] for line in sums.stdout.splitlines()}) < 2
    with sqlite3.connect(next(work.glob("*.marrow*"))) as journal:
        said = {row[0] for row in journal.execute("SELECT DISTINCT verdict FROM verdict")}
    assert "timeout" not in said
