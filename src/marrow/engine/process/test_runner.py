"""Running a test on a candidate: its directories, its processes, and the verdict on how they ended.

There are two kinds of tests. A script answers by its exit code. A captured command has several
steps (guards, commands, a check for invalid inputs), whose ends and outputs a judge looks at.
"""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from marrow.base.clock import running_time
from marrow.diagnostics.observation import Observation
from marrow.engine.process.child import NO_THREAD, TestProcess, exit_codes_reported, why_not_entered
from marrow.engine.process.command import CapturedCommand, TestCommand
from marrow.engine.process.leftover_processes import MARKER
from marrow.engine.process.placement import (
    Overlay,
    OverlayPlacement,
    Placement,
)
from marrow.engine.process.sandbox import FAILED, SandboxEntry
from marrow.engine.process.tool_wrappers import ToolWrappers
from marrow.engine.process.watchdog import Watchdog
from marrow.engine.process.workspace import (
    TestDirectory,
    Workspace,
    WorkspaceError,
    open_null_device,
)
from marrow.engine.verdict import Outcome, Verdict, verdict_of_exit

_Command = TypeVar("_Command", bound=TestCommand)

# How much is read of what tests write: the first errors say most, and a compiler may write much.
_MOST_FILES: Final = 8
_MOST_BYTES: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class PreparedTest:
    """Everything ready for one test; `inside` is where it runs: `own.path`, or one below it."""

    own: TestDirectory
    inside: str
    argument: str
    stdin: int
    overlay: Overlay | None = None

    @property
    def typed(self) -> str:
        """The argument as a person types it in that directory: the file's own name."""
        if not os.path.isabs(self.argument):
            return self.argument
        name = os.path.relpath(self.argument, self.inside)
        return f"./{name}" if name.startswith("-") else name

    def written(self) -> bytes:
        """Return the texts that the test wrote into files in its directory: many scripts do."""
        texts = []
        with (
            contextlib.suppress(OSError),
            self.own.opened.enter(os.path.relpath(self.inside, self.own.path)) as here,
        ):
            names = sorted(set(here.names()) - {os.path.basename(self.argument)})
            for name in names[:_MOST_FILES]:
                with contextlib.suppress(OSError):
                    texts.append(here.read(name, _MOST_BYTES))
        return b"\n".join(one for one in texts if b"\0" not in one)


class TestDirectories:
    """Puts candidates into directories: empty ones, or overlays that serve one test at a time."""

    __test__ = False

    def __init__(self, workspace: Workspace, place: Placement) -> None:
        self._workspace: Final = workspace
        self._place: Final = place
        self._alone: Final = "" if isinstance(place, OverlayPlacement) else place.alone
        self._spare: Final[list[tuple[TestDirectory, Overlay]]] = []

    def prepare(self, candidate: bytes) -> PreparedTest:
        """Put the candidate into a directory that no test uses."""
        if isinstance(self._place, OverlayPlacement):
            return self._prepare_overlay(candidate, self._place)
        own = self._workspace.directory()
        try:
            name, stdin = self._place.put(own.opened, candidate)
        except PermissionError:  # the test before has taken the directory for itself (chattr +i)
            self._workspace.discard(own, self._alone)
            own = self._workspace.directory(fresh=True)
            name, stdin = self._place.put(own.opened, candidate)
        except BaseException:
            self._workspace.discard(own, self._alone)
            raise
        return PreparedTest(own, own.path, os.path.join(own.path, name).rstrip("/"), stdin)

    def _prepare_overlay(self, candidate: bytes, place: OverlayPlacement) -> PreparedTest:
        found = None
        with contextlib.suppress(IndexError):
            found = self._spare.pop()
        own = self._workspace.directory() if found is None else found[0]
        try:
            overlay = Overlay(own.opened, own.path, place) if found is None else found[1]
            argument, stdin = overlay.put(candidate)
        except BaseException:
            self._workspace.discard(own, "")
            raise
        return PreparedTest(own, overlay.directory, argument, stdin, overlay)

    def clear(self, test: PreparedTest, *, deserted: bool) -> None:
        """Put the directory back as it was for another test, or remove it."""
        if deserted and test.overlay is not None:
            with contextlib.suppress(OSError):
                test.overlay.restore()
                self._workspace.clear_temporary(test.own)
                self._spare.append((test.own, test.overlay))
                return
        self._workspace.discard(test.own, self._alone, deserted=deserted)


@dataclass(eq=False, slots=True)
class RunningTest:
    """A test that waits for its turn or is under way; `seconds` is its time limit."""

    candidate: bytes
    capture: bool
    future: Future[Outcome] = field(default_factory=Future)
    seconds: float = 0.0
    started: float = 0.0
    prepared: PreparedTest | None = None
    process: TestProcess | None = None
    entry: SandboxEntry | None = None
    cancelled: bool = False
    #: How many tests ran at once, this one included, at the worst moment.
    crowd: int = 1
    #: Its seconds of the processor so far.
    processor: float = 0.0
    #: Whether no process of the test is left, for certain.
    deserted: bool = False

    def cancel(self) -> None:
        """Kill the test; one that waits never starts."""
        self.cancelled = True
        if not self.future.cancel() and self.process is not None:
            self.process.kill(timed_out=False)

    @property
    def scene(self) -> PreparedTest:
        """Its directories, once it is prepared."""
        assert self.prepared is not None
        return self.prepared


class TestRunner(Generic[_Command]):
    """Runs a command on candidates; one thread attends to each of them.

    `adopt` inherits the orphans of tests and ends them: for programs that own their process. Raises
    `WorkspaceError` if temporary files cannot be written.
    """

    __test__ = False

    def __init__(self, command: _Command, place: Placement, *, adopt: bool) -> None:
        self._command: _Command = command
        # Only here is it known where the script lies: it may have come from another machine.
        self._sandbox: Final = (
            None if command.sandbox is None else command.sandbox.built(command.script)
        )
        # As bytes, so that it is not encoded again for every test.
        self._environment: Final = dict(
            os.environb if self._sandbox is None else self._sandbox.environment
        ) | {os.fsencode(name): os.fsencode(value) for name, value in command.variables}
        self._wrappers: ToolWrappers | None = None
        with contextlib.ExitStack() as closing:
            # Opened once: most tests print into it.
            self._null: Final = open_null_device()
            closing.callback(os.close, self._null)
            self._workspace: Final = Workspace()
            closing.callback(self._workspace.close)
            closing.enter_context(exit_codes_reported())
            try:
                self._watchdog: Final = Watchdog(self._workspace.run, adopt=adopt)
            except RuntimeError as error:
                raise WorkspaceError(NO_THREAD) from error
            closing.callback(self._watchdog.close)
            self._directories: Final = TestDirectories(self._workspace, place)
            self._closing: Final = closing.pop_all()

    @property
    def overrun(self) -> bool:
        """Whether no test should be started while others run."""
        return self._watchdog.overrun

    def close(self) -> str:
        """Leave no process and no file of a test; return what could not be removed, in words."""
        self._closing.close()
        return self._workspace.left_behind

    # -- one test ------------------------------------------------------------------------------

    def start(self, test: RunningTest) -> None:
        """Write the candidate and start the test; raises OSError."""
        scene = test.prepared = self._directories.prepare(test.candidate)
        test.started = running_time()
        try:
            self._start(test, scene)
        except BaseException:
            if test.entry is not None:
                test.entry.entered()
            os.close(scene.stdin)
            raise

    def _start(self, test: RunningTest, scene: PreparedTest) -> None:
        raise NotImplementedError

    def outcome(self, test: RunningTest) -> Outcome:
        """Wait for a test that was started; return its outcome. Raises OSError."""
        raise NotImplementedError

    def give_up(self, test: RunningTest) -> None:
        """Kill a test that no thread can wait for."""
        if test.process is not None:
            test.process.kill(timed_out=False)
            test.process.wait()
            self._watchdog.forget(test.process)

    def keeps_overlay(self, test: RunningTest) -> bool:
        """Whether a test has an overlay, to be cleared first: the next one would build another."""
        return test.prepared is not None and test.prepared.overlay is not None

    def clear(self, test: RunningTest) -> None:
        """Clear up after a test."""
        if test.prepared is None:
            return
        deserted = test.deserted
        if not deserted and test.process is not None and self.keeps_overlay(test):
            # To build an overlay costs more than a look at all processes.
            deserted = self._watchdog.left_nothing(test.process, test.prepared.own.path)
        self._directories.clear(test.prepared, deserted=deserted)

    def _spawn(self, test: RunningTest, line: Sequence[str], *, separate: bool) -> TestProcess:
        """Start a process of a test; with `separate`, both of its outputs are kept."""
        own = test.scene.own
        if self._sandbox is not None:
            test.entry = SandboxEntry()
            line = self._sandbox.line(line, (own.path, own.temporary), test.entry)
        mark = f"{self._workspace.run}:{own.name}"
        variables = {b"TMPDIR": os.fsencode(own.temporary), MARKER.encode(): mark.encode()}
        if b"PWD" in self._environment:
            variables[b"PWD"] = os.fsencode(test.scene.inside)
        if test.capture and self._wrappers is not None:
            with own.open_temporary() as temporary:
                variables |= self._wrappers.install(temporary, own.temporary)
        with self._watchdog.starting():
            process = test.process = TestProcess(
                line,
                test.scene.inside,
                self._environment | variables,
                test.scene.stdin,
                subprocess.PIPE if test.capture or separate else self._null,
                mark=mark,
                handed=() if test.entry is None else test.entry.files,
                observed=separate,
            )
            self._watchdog.watch(process, test.seconds - (running_time() - test.started))
        if test.cancelled:
            process.kill(timed_out=False)
        return process

    def _wait(self, test: RunningTest, process: TestProcess) -> tuple[int, bool]:
        """Wait for a process; return its exit code, and whether it was started at all."""
        try:
            code = process.wait()
            test.processor += process.processor
        finally:
            test.deserted = self._watchdog.ended(process)
            entered = test.entry is None or test.entry.entered()
            test.entry = None
        return code, entered or code != FAILED


class ScriptRunner(TestRunner[TestCommand]):
    """Runs a test that answers by its exit code."""

    def __init__(self, command: TestCommand, place: Placement, *, adopt: bool) -> None:
        super().__init__(command, place, adopt=adopt)
        self._original: Final = command

    def wrap_tools(self, wanted: bool) -> bool:
        """Capture what the tools of a test print, where outputs are captured."""
        self._wrappers = None
        if wanted:
            wrappers = ToolWrappers(self._original, self._environment)
            self._wrappers = wrappers if wrappers.programs else None
        return self._wrappers is not None

    def _start(self, test: RunningTest, scene: PreparedTest) -> None:
        try:
            self._spawn(test, self._command.line(scene.argument), separate=False)
        except OSError as error:
            if error.errno != errno.ENOEXEC:
                raise
            # A script whose first line names no interpreter: shells run it themselves.
            self._command = self._original.through_shell()
            self._spawn(test, self._command.line(scene.argument), separate=False)
        os.close(scene.stdin)

    def outcome(self, test: RunningTest) -> Outcome:
        """Wait for the script; its exit code is the answer."""
        process = test.process
        assert process is not None
        output = b"".join(process.outputs())
        code, entered = self._wait(test, process)
        seconds = running_time() - test.started
        files = self._written(test.scene) if test.capture else b""
        if process.timed_out:
            return Outcome(Verdict.TIMEOUT, None, seconds, output)
        if process.cancelled:
            return _stopped(seconds)
        script = self._original.script
        if code != 0 and script is not None and not os.access(script, os.X_OK):
            # The interpreter of a script that was removed ends with some exit code or other.
            raise FileNotFoundError(errno.ENOENT, "the test was removed", str(script))
        if not entered:
            return Outcome(Verdict.ERROR, code, seconds, output, why_not_entered(output))
        return Outcome(verdict_of_exit(code), code, seconds, output, files=files)

    def _written(self, scene: PreparedTest) -> bytes:
        """Return what a test wrote into files, and what its wrapped tools printed."""
        files = scene.written()
        if self._wrappers is not None:
            with contextlib.suppress(OSError), scene.own.open_temporary() as temporary:
                files += b"\n" + self._wrappers.captured(temporary)
        return files


class CapturedRunner(TestRunner[CapturedCommand]):
    """Runs the steps of a captured command, and has their ends judged."""

    def _start(self, test: RunningTest, scene: PreparedTest) -> None:
        self._spawn(test, self._command.steps(scene.typed)[0], separate=True)

    def outcome(self, test: RunningTest) -> Outcome:
        """Run the other steps, one after the other, and ask the judge."""
        try:
            return self._judged(test, self._command)
        finally:
            os.close(test.scene.stdin)

    def _judged(self, test: RunningTest, command: CapturedCommand) -> Outcome:
        ended: list[Observation] = []
        for number, step in enumerate(command.steps(test.scene.typed)):
            end = self._run_step(test, step if number else None)
            if isinstance(end, Outcome):
                return end
            seconds, output = running_time() - test.started, end.stdout + end.stderr
            if number >= len(command.guards):
                ended.append(end)
            elif end.status is None:
                return Outcome(Verdict.TIMEOUT, None, seconds, output)
            elif end.status != 0:
                why = f"the guard fails: {command.guards[number]}"
                return Outcome(Verdict.NOT_INTERESTING, end.status, seconds, output, why=why)
            if end.status is None:
                break
        late = ended[-1].status is None
        said = command.judge.judge(tuple(ended), test.candidate)
        verdict = said.verdict
        if verdict is Verdict.NOT_INTERESTING:
            if late:
                verdict = Verdict.TIMEOUT
            elif self._is_invalid(test, command):
                verdict = Verdict.UNRESOLVED
        return Outcome(
            verdict,
            ended[-1].status,
            running_time() - test.started,
            output if test.capture else b"",
            timed_out=late,
            why=said.why,
            label=said.label,
        )

    def _run_step(self, test: RunningTest, line: Sequence[str] | None) -> Observation | Outcome:
        """Run one step, or wait for the first one, which runs already."""
        if line is not None:
            os.lseek(test.scene.stdin, 0, os.SEEK_SET)
            self._spawn(test, line, separate=True)
        process = test.process
        assert process is not None
        process.without_core()
        stdout, stderr = process.outputs()
        if test.scene.overlay is not None:
            root = os.fsencode(test.scene.overlay.root)
            # Files of the user have their own names again.
            stdout, stderr = stdout.replace(root, b""), stderr.replace(root, b"")
        code, entered = self._wait(test, process)
        seconds, output = running_time() - test.started, stdout + stderr
        if not entered:
            return Outcome(Verdict.ERROR, code, seconds, output, why_not_entered(output))
        if process.cancelled:
            return _stopped(seconds)
        used = process.processor, process.memory, process.written
        return Observation(None if process.timed_out else code, stdout, stderr, *used)

    def _is_invalid(self, test: RunningTest, command: CapturedCommand) -> bool:
        check = command.check(test.scene.typed)
        if check is None:
            return False
        end = self._run_step(test, check)
        return isinstance(end, Observation) and end.status == 0


def _stopped(seconds: float) -> Outcome:
    """Return the outcome of a test that was cancelled: its end says nothing of the candidate."""
    return Outcome(Verdict.ERROR, None, seconds, message="the test was stopped")
