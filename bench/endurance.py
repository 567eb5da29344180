"""Endurance: what hours of work, huge inputs, kills and full disks do to marrow.

Every part starts `marrow reduce` as a process of its own in a fresh directory, with a temporary
directory of its own, and in the end looks for what it left behind. docs/lab/endurance.md has the
figures.

    python -m bench.endurance            all parts
    python -m bench.endurance many       100,000 short tests: memory over time
    python -m bench.endurance large      an input of 10 MB
    python -m bench.endurance writes     a test that writes 1 GB
    python -m bench.endurance full       a disk that is full when the best result is written
    python -m bench.endurance kills      SIGKILL at 50 random moments, then --resume
    python -m bench.endurance two        two runs at once
    python -m bench.endurance flaky      what --flaky costs, and what comes out
    python -m bench.endurance sandbox    what --sandbox costs
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import marrow
from bench.large_inputs import PROGRAMS, functions, log_lines
from marrow.engine.executors.quorum import Quorum

NEEDLE = '#!/bin/sh\nexec grep -q needle "$1"\n'

# Lines in a random order, each with its rank; interesting is what lacks the lowest ranks only. So
# lines go one by one, in an order that no algorithm can know: 640 of them take 100,000 tests.
LINES = 640
RANKS = (
    "#!/usr/bin/awk -f\n"
    "NR == 1 || $1 < least { least = $1 }\n"
    "END { exit !(NR > 0 && NR == LINES - least + 1) }\n"
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run works: its files, and its temporary directory."""

    work: Path
    temporary: Path

    def write(self, name: str, content: str, *, executable: bool = False) -> Path:
        path = self.work / name
        path.write_text(content)
        path.chmod(0o755 if executable else 0o644)
        return path

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "marrow", "reduce", *arguments],
            cwd=self.work,
            env={**os.environ, "TMPDIR": str(self.temporary)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(self.work / "log").open("wb"),
        )

    def run(self, *arguments: str) -> int:
        return self.start(*arguments).wait()

    def log(self) -> str:
        return (self.work / "log").read_text(errors="replace")

    def left(self) -> str:
        """Say what is left of a run that should have left nothing."""
        processes = [
            pid
            for pid in os.listdir("/proc")
            if pid.isdigit() and str(self.temporary).encode() in _environment(pid)
        ]
        files = sorted(path.name for path in self.work.iterdir())
        inside = len(list(self.temporary.iterdir()))
        return f"{len(processes)} processes, {inside} temporary directories; files: {files}"


def _environment(pid: str) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/environ").read_bytes()
    return b""


@contextlib.contextmanager
def place(parent: Path | None = None) -> Iterator[Place]:
    top = Path(tempfile.mkdtemp(prefix="endurance-", dir=parent))
    try:
        (top / "work").mkdir()
        (top / "tmp").mkdir()
        yield Place(top / "work", top / "tmp")
    finally:
        shutil.rmtree(top, ignore_errors=True)


def say(words: str) -> None:
    print(words, flush=True)


def status(pid: int, name: str) -> int:
    """Return a figure of /proc/PID/status, such as VmRSS in kB."""
    with contextlib.suppress(OSError):
        found = re.search(rf"^{name}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.M)
        return 0 if found is None else int(found[1])
    return 0


def many(lines: int = LINES) -> None:
    """100,000 short tests: memory, open files, threads and directories over time."""
    with place() as here:
        ranks = list(range(1, lines + 1))
        random.Random(1).shuffle(ranks)
        here.write("input.txt", "".join(f"{rank}\n" for rank in ranks))
        here.write("test.awk", RANKS.replace("LINES", str(lines)), executable=True)
        process = here.start("input.txt", "./test.awk", "--algorithm", "ddmin*", "-j", "4")
        say("   tests   RSS MB  open files  threads  temporary entries  journal MB")
        shown = -1
        while process.poll() is None:
            counts = re.findall(r"([\d,]+) tests  ", here.log()[-500:])
            tests = int(counts[-1].replace(",", "")) if counts else 0
            if tests // 5_000 > shown:
                shown = tests // 5_000
                say(f"{tests:8,} {_vitals(process.pid, here)}")
            time.sleep(0.5)
        say(f"exit code {process.returncode}; left: {here.left()}")
        say(f"result: {(here.work / 'input.reduced.txt').read_text()!r}")


def _vitals(pid: int, here: Place) -> str:
    files = 0
    with contextlib.suppress(OSError):
        files = len(os.listdir(f"/proc/{pid}/fd"))
    entries = sum(len(names) + len(inner) for _, inner, names in os.walk(here.temporary))
    journal = sum(path.stat().st_size for path in here.work.glob("*.marrow*")) / 1e6
    memory = status(pid, "VmRSS") / 1000
    return f"{memory:8.1f} {files:11} {status(pid, 'Threads'):8} {entries:18} {journal:11.1f}"


def large() -> None:
    """Inputs of 10 MB: a log, programs, and an array."""
    _large("log.txt", log_lines(10_000_000, 70_000))
    for length in (1_000_000, 5_000_000, 10_000_000):
        _large("input.c", functions(length, length * 3 // 1_000))
    for name, make in PROGRAMS.items():
        _large(name, make(10_000_000))


def _large(name: str, text: str) -> None:
    with place() as here:
        here.write(name, text)
        here.write("test.sh", NEEDLE, executable=True)
        before = os.times()
        process = here.start(name, "./test.sh", "-o", "result", "-j", "2")
        highest = 0
        while process.poll() is None:
            highest = max(highest, status(process.pid, "VmHWM"))
            time.sleep(0.2)
        after = os.times()
        seconds = after.children_user + after.children_system
        seconds -= before.children_user + before.children_system
        result = (here.work / "result").read_bytes()
        counts = re.findall(r"([\d,]+) tests", here.log())
        say(f"{name}, {len(text):,} bytes: exit code {process.returncode}; {counts[-1:]} tests")
        say(f"{highest / 1000:.0f} MB at most, {seconds:.0f} s of the processor, tests included")
        say(f"result: {result[:80]!r}; left: {here.left()}")


def writes() -> None:
    """A test that writes 1 GB: how much of the disk is taken at once."""
    with place() as here:
        here.write("input.c", functions(2_000, 3))
        body = 'head -c 500000000 /dev/zero > a; head -c 500000000 /dev/zero > "$TMPDIR/b"\n'
        here.write("test.sh", f'#!/bin/sh\n{body}exec grep -q needle "$1"\n', executable=True)
        free = shutil.disk_usage(here.temporary).free
        process = here.start("input.c", "./test.sh", "-j", "2", "--max-tests", "20")
        most = 0
        while process.poll() is None:
            most = max(most, sum(_sizes(here.temporary)))
            time.sleep(0.05)
        after = shutil.disk_usage(here.temporary).free
        say(f"exit code {process.returncode}; {most / 1e9:.2f} GB at most at once")
        say(f"{(free - after) / 1e9:.2f} GB gone for good; left: {here.left()}")


def _sizes(top: Path) -> Iterator[int]:
    for directory, _, names in os.walk(top):
        for name in names:
            with contextlib.suppress(OSError):
                yield os.lstat(os.path.join(directory, name)).st_size


def full() -> None:
    """A disk that has room for ever less: the result on it is whole, or nothing was begun."""
    with place() as here, small_disk(here.work / "disk") as disk:
        text = functions(60_000, 200)
        here.write("input.c", text)
        # The test fills the disk as soon as the first result is there, once, but for so many bytes.
        for left in (0, 4096, 16_384, 40_960, 65_536):
            here.write(
                "test.sh",
                f"#!/bin/sh\nif [ -e {disk}/out.c ] && [ ! -e {here.work}/filled ]; then\n"
                f"touch {here.work}/filled; cat /dev/zero > {disk}/filler 2>/dev/null\n"
                f'truncate -s -{left} {disk}/filler; fi\nexec grep -q needle "$1"\n',
                executable=True,
            )
            code = here.run("input.c", "./test.sh", "-o", str(disk / "out.c"), "-j", "1")
            found = (disk / "out.c").read_text()
            fine = "whole" if "needle" in found and found.count("{") == found.count("}") else "BAD"
            (disk / "filler").unlink()
            resumed = here.run(
                "input.c", "./test.sh", "-o", str(disk / "out.c"), "-j", "1", "--resume"
            )
            last = (disk / "out.c").read_text()
            say(
                f"{left:6} bytes left: exit code {code}, the result is {fine}, {len(found)} bytes; "
                f"then --resume: exit code {resumed}, {len(last)} bytes"
            )
            for path in (*disk.iterdir(), here.work / "filled"):
                path.unlink()


@contextlib.contextmanager
def small_disk(path: Path) -> Iterator[Path]:
    """A disk of 1 MB, which only root can make."""
    path.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(path)], check=True)
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=False)


def kills(number: int = 50) -> None:
    """SIGKILL at random moments, then --resume: always the same result, and nothing twice."""
    lots = random.Random(2)
    with place() as here:
        here.write("input.c", functions(4_000, 10))
        here.write("test.sh", NEEDLE, executable=True)
        options = ("input.c", "./test.sh", "-j", "2", "-o")
        before = time.monotonic()
        assert here.run(*options, "whole.c") == 0
        takes = time.monotonic() - before
        whole = (here.work / "whole.c").read_bytes()
        same = bad = early = again = 0
        for _ in range(number):
            for path in here.work.glob("out.c*"):
                path.unlink()
            process = here.start(*options, "out.c")
            time.sleep(lots.uniform(0.0, takes))
            process.send_signal(signal.SIGKILL)
            process.wait()
            best = here.work / "out.c"
            bad += best.exists() and b"needle" not in best.read_bytes()
            if not (here.work / "out.c.marrow").exists():
                early += 1  # killed before there was anything to go on with
                code = here.run(*options, "out.c")
            else:
                code = here.run(*options, "out.c", "--resume")
                again += 1
            same += code == 0 and best.read_bytes() == whole
            say(f"  {again + early} kills, {same} the same")
        say(f"an undisturbed run takes {takes:.1f} s and leaves {len(whole)} bytes")
        say(f"{number} kills: {again} resumed, {early} before the journal; {bad} broken results")
        say(f"{same} of {number} end with the result of the undisturbed run; left: {here.left()}")


def two(number: int = 10) -> None:
    """Two runs at once, on the same result and on two."""
    with place() as here:
        here.write("input.c", functions(4_000, 10))
        here.write("test.sh", NEEDLE, executable=True)
        options = ("input.c", "./test.sh", "-j", "1", "-o")
        assert here.run(*options, "whole.c") == 0
        whole = (here.work / "whole.c").read_bytes()
        ends: list[tuple[int, ...]] = []
        same = 0
        for _ in range(number):
            for path in here.work.glob("out.c*"):
                path.unlink()
            runs = [here.start(*options, "out.c") for _ in range(2)]
            ends.append(tuple(sorted(run.wait() for run in runs)))
            same += (here.work / "out.c").read_bytes() == whole
        say(f"the same result, at the same moment: exit codes {sorted(set(ends))},")
        say(f"  {same} of {number} times the result of a run alone")
        runs = [here.start(*options, f"other{one}.c") for one in range(2)]
        codes = [run.wait() for run in runs]
        alike = [(here.work / f"other{one}.c").read_bytes() == whole for one in range(2)]
        say(f"two results: exit codes {codes}, the result of a run alone: {alike}")
        say(f"left: {here.left()}")


def flaky() -> None:
    """A failure that shows in half of the runs on the input, and on smaller ones, or less often."""
    for fading in (0.0, 0.45):
        say(f"an empty candidate with the failure would show it in {0.5 - fading:.0%} of its runs")
        _flaky_table(fading)


def _flaky_table(fading: float) -> None:
    text = functions(1_000, 3)
    say("quorum  runs of the test  bytes  failing of all runs  told by the last check")
    for words in ("1/1", "1/3", "1/10", "2/5", "4/10", "8/20"):
        ended = [_flaky_run(text, Quorum.parse(words), seed, fading) for seed in range(10)]
        runs, sizes, shares, unverified = zip(*filter(None, ended), strict=True)
        middle = len(runs) // 2
        say(
            f"{words:>6} {sorted(runs)[middle]:17,} {sorted(sizes)[middle]:6,} "
            f"{sorted(shares)[middle]:20.0%} {sum(unverified):14} of {len(runs)}"
        )


def _flaky_run(
    text: str, quorum: Quorum, seed: int, fading: float
) -> tuple[int, int, float, bool] | None:
    """Return runs, size, share of failing runs of the result, and whether marrow doubts it."""
    lots = random.Random(seed)

    def shown(candidate: bytes) -> float:
        if b"needle" not in candidate:
            return 0.0
        # What is left out may have made the failure a little more likely.
        return 0.5 - fading * max(0.0, 1.0 - len(candidate) / 500)

    try:
        result = marrow.reduce(
            text,
            lambda candidate: lots.random() < shown(candidate),
            name="x.c",
            algorithm="perses*",
            flaky=quorum,
        )
    except marrow.UnfitTestError:
        return None  # the first runs on the input were all unlucky
    return result.tests, len(result.text), shown(result.text), not result.verified


def sandbox() -> None:
    """What a sandbox costs: a run of the same tests with one and without."""
    with place() as here:
        here.write("input.c", functions(4_000, 10))
        here.write("test.sh", NEEDLE, executable=True)
        for options in ((), ("--sandbox",)) * 3:
            before = time.monotonic(), os.times()
            code = here.run("input.c", "./test.sh", "-j", "1", *options)
            spent = os.times()
            cpu = spent.children_user + spent.children_system
            cpu -= before[1].children_user + before[1].children_system
            tests = re.findall(r"([\d,]+) tests  ", here.log())[-1]
            say(
                f"{' '.join(options) or 'without':>9}: exit code {code}, {tests} tests, "
                f"{time.monotonic() - before[0]:.1f} s, {cpu:.1f} s of the processor"
            )


PARTS: dict[str, Callable[[], None]] = {
    "many": many,
    "large": large,
    "writes": writes,
    "full": full,
    "kills": kills,
    "two": two,
    "flaky": flaky,
    "sandbox": sandbox,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    for name in parser.parse_args().parts or PARTS:
        say(f"== {name}")
        PARTS[name]()


if __name__ == "__main__":
    main()
