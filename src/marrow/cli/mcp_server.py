"""The server of the Model Context Protocol: its tools, and what they may do.

Every run is a process of its own (`MarrowRun`). Paths must lie below the roots, and programs run
only if they were allowed when the server was started. Its tools answer with the records that
`marrow.schemas` describes.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from marrow import __version__
from marrow.base.errors import error_text
from marrow.cli.exits import Exit
from marrow.schemas import tag

# How much of the end of the events is read for a status: the last few lines.
_TAIL: Final = 1 << 14


class MarrowRun:
    """One run of marrow: its process, its events so far, its record in the end."""

    def __init__(self, words: Sequence[str], directory: Path, *, after: Sequence[str] = ()) -> None:
        """Start it; `after` is what follows `--`."""
        self.words: Final = tuple(words)
        self.after: Final = tuple(after)
        self._events: Final = directory / "events.jsonl"
        self._output: Final = directory / "record.json"
        self._messages: Final = directory / "messages.txt"
        line = [sys.executable, "-m", "marrow", *words, "--json"]
        if words[0] != "match":
            line += ["--events", str(self._events)]
        if after:
            line += ["--", *after]
        with self._output.open("wb") as out, self._messages.open("wb") as err:
            self.process: Final = subprocess.Popen(
                line, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
            )

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self.process.poll() is None

    def stop(self) -> None:
        """End it as Ctrl-C does; the best so far is kept."""
        if self.running:
            self.process.send_signal(signal.SIGINT)

    def status(self) -> dict[str, Any]:
        """Return how far it is: the last event of each kind that says so."""
        seen: dict[str, Any] = {"state": "running" if self.running else "ended"}
        lines: list[bytes] = []
        with contextlib.suppress(OSError), self._events.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            lines = file.read().split(b"\n")
        for line in lines:
            with contextlib.suppress(ValueError):  # the first may be cut, the last be on its way
                event = json.loads(line)
                named = ("tokens", "bytes", "tests", "phase", "seconds")
                seen |= {key: event[key] for key in named if key in event}
        return seen

    def record(self) -> dict[str, Any]:
        """Return what it printed in the end; see `marrow schema`."""
        try:
            record: dict[str, Any] = json.loads(self._output.read_bytes())
            return record
        except ValueError:
            stopped = self.process.returncode == Exit.INTERRUPTED
            error = {
                "kind": "interrupted" if stopped else "internal",
                "exit": self.process.returncode,
                "message": "marrow ended without a record",
                "hint": "Look at the output.",
                "output": self._messages.read_text(errors="replace").strip(),
            }
            return {"schema": tag("error"), "error": error}


class Jobs:
    """All jobs of a server, by number; their files are removed when it ends."""

    def __init__(self) -> None:
        self._directory: Final = tempfile.TemporaryDirectory(prefix="marrow-jobs-")
        self._jobs: Final[list[MarrowRun]] = []

    def start(self, words: Sequence[str], after: Sequence[str] = ()) -> int:
        """Start a job; return its number."""
        place = Path(self._directory.name, str(len(self._jobs)))
        place.mkdir()
        self._jobs.append(MarrowRun(words, place, after=after))
        return len(self._jobs) - 1

    def __getitem__(self, number: int) -> MarrowRun:
        if not 0 <= number < len(self._jobs):
            raise ToolError(f"there is no job {number}")
        return self._jobs[number]

    def close(self) -> None:
        """Stop all jobs, and remove their files."""
        for job in self._jobs:
            job.stop()
        for job in self._jobs:
            job.process.wait()
        self._directory.cleanup()


# How often a client that waits is told how far a run is.
_SECONDS: Final = 0.5

_INSTRUCTIONS: Final = (
    "marrow cuts a failing input down to a small one that still fails in the same way. Call reduce "
    "with the input and the failing command as words ({} is the file). If it answers with state "
    "running, call result with the job until it has ended. An error says what to do in its hint."
)


class Permission:
    """Which paths may be used, and which programs be run."""

    def __init__(self, roots: Iterable[Path], programs: Iterable[str]) -> None:
        self._roots: Final = tuple(Path(os.path.realpath(root)) for root in roots)
        self._programs: Final = tuple(programs)

    def path(self, name: str) -> str:
        """Return a path as it may be used; raise `ToolError` if it leads out of the roots."""
        real = Path(os.path.realpath(name))
        if not any(real.is_relative_to(root) for root in self._roots):
            roots = ", ".join(map(str, self._roots))
            raise ToolError(f"{name} is outside of the roots of this server ({roots})")
        return str(real)

    def program(self, name: str) -> None:
        """Raise `ToolError` if a program may not be run."""
        found = shutil.which(name) or name
        for allowed in self._programs:
            there = shutil.which(allowed) or allowed
            if allowed == "any" or os.path.realpath(there) == os.path.realpath(found):
                return
        raise ToolError(error_text("program_not_allowed", name=name))

    def test(self, command: list[str] | None, test: str | None) -> tuple[list[str], list[str]]:
        """Return the words for a test script, and those for a command after `--`."""
        if bool(command) == bool(test):
            raise ToolError("give either command, the words of the failing command, or test")
        if test:
            self.program(self.path(test))
            return [self.path(test)], []
        assert command is not None
        self.program(command[0])
        return [], command


def _options(**given: Any) -> list[str]:
    """Return options of the command line; those without a value are left out."""
    words = []
    for name, value in given.items():
        if value not in (None, "", False):
            words += [f"--{name.strip('_').replace('_', '-')}", str(value)]
    return words


def make_server(permission: Permission, jobs: Jobs, *, sandbox: bool = False) -> MCPServer[Any]:
    """Return the server with its tools."""
    from mcp.server.mcpserver import MCPServer

    server: MCPServer[Any] = MCPServer("marrow", instructions=_INSTRUCTIONS, version=__version__)
    common = ["--no-config", *(["--sandbox"] if sandbox else [])]

    async def answer(number: int, wait: float, context: Context[Any, Any]) -> dict[str, Any]:
        job = jobs[number]
        await _waited(job, wait, context)
        if job.running:
            return {"job": number, **job.status()}
        return {"job": number, "state": "ended", "record": job.record()}

    @server.tool(structured_output=True)
    async def reduce(
        context: Context[Any, Any],
        input: str,
        command: list[str] | None = None,
        test: str | None = None,
        output: str | None = None,
        language: str | None = None,
        keep_stderr: str | None = None,
        forbid: str | None = None,
        max_time: str = "5m",
        max_tests: int | None = None,
        stop_at: str | None = None,
        timeout: str | None = None,
        wait_seconds: float = 30.0,
    ) -> dict[str, Any]:
        """Cut a failing input down. Waits up to wait_seconds; then poll with `result`.

        `command` is the failing command as words, with {} for the file, or `test` the path of a
        script that exits with 0 if the file it is given still fails. `keep_stderr` is a regular
        expression for a line that must stay, `forbid` for one that must not appear.
        """
        before, after = permission.test(command, test)
        options = _options(
            output=permission.path(output) if output else None,
            language=language,
            keep_stderr=keep_stderr,
            not_=forbid,
            max_time=max_time,
            max_tests=max_tests,
            stop_at=stop_at,
            timeout=timeout,
        )
        words = ["reduce", permission.path(input), *before, *options, *common]
        return await answer(jobs.start(words, after), wait_seconds, context)

    @server.tool(structured_output=True)
    async def explain(
        context: Context[Any, Any], job: int, wait_seconds: float = 30.0
    ) -> dict[str, Any]:
        """Say of each part of the result of a reduction whether it is needed, or may vary."""
        done = jobs[job]
        record = done.record() if not done.running else {}
        if "output" not in record:
            raise ToolError(f"job {job} has no result to explain")
        test = [] if done.after else [done.words[2]]
        target = f"{record['output']}.explained"
        words = ["reduce", record["output"], *test, "--explain", "--output", target, *common]
        return await answer(jobs.start(words, done.after), wait_seconds, context)

    @server.tool(structured_output=True)
    async def triage(
        context: Context[Any, Any],
        crashes: str,
        command: list[str],
        output: str,
        max_time: str = "10m",
        wait_seconds: float = 30.0,
    ) -> dict[str, Any]:
        """Sort a folder of failing inputs into bugs, with a small input for each."""
        _, after = permission.test(command, None)
        words = ["triage", permission.path(crashes), "--output", permission.path(output)]
        words += ["--max-time", max_time, *common]
        return await answer(jobs.start(words, after), wait_seconds, context)

    @server.tool(structured_output=True)
    async def match(context: Context[Any, Any], pattern: str, files: list[str]) -> dict[str, Any]:
        """Say for each file whether it belongs to a pattern that `marrow abstract` wrote."""
        words = ["match", permission.path(pattern), *map(permission.path, files)]
        return await answer(jobs.start(words), 600.0, context)

    @server.tool(structured_output=True)
    async def status(job: int) -> dict[str, Any]:
        """Say how far a run is: size, tests, phase."""
        return {"job": job, **jobs[job].status()}

    @server.tool(structured_output=True)
    async def stop(context: Context[Any, Any], job: int) -> dict[str, Any]:
        """Stop a run; the best result so far is kept, and returned."""
        jobs[job].stop()
        return await answer(job, 60.0, context)

    @server.tool(structured_output=True)
    async def result(
        context: Context[Any, Any], job: int, wait_seconds: float = 30.0
    ) -> dict[str, Any]:
        """Return the record of a run, once it has ended; waits up to wait_seconds."""
        return await answer(job, wait_seconds, context)

    return server


async def _waited(job: MarrowRun, seconds: float, context: Context[Any, Any]) -> None:
    """Wait for the end of a job, at most some seconds, and tell the client how far it is."""
    with anyio.move_on_after(seconds):
        while job.running:
            now = job.status()
            if "tests" in now:
                said = f"{now['phase']}: {now['tokens']:,} tokens" if "tokens" in now else ""
                await context.report_progress(now["tests"], message=said or None)
            await anyio.sleep(_SECONDS)
