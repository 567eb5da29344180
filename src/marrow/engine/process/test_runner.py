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
from typing import Final

from marrow.base.clock import running_time
from marrow.base.errors import error_text
from marrow.diagnostics.observation import Observation
from marrow.engine.process.child import TestProcess, exit_codes_reported, why_not_entered
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

    def elapsed(self) -> float:
        """Return the seconds since its start."""
        return running_time() - self.started


class TestRunner:
    """Runs a command on candidates, in directories of their own; one thread attends to each test.

    An overlay serves one test after the other. `adopt` inherits the orphans of tests and ends them:
    for programs that own their process. Raises `WorkspaceError` if temporary files cannot be
    written.
    """

    __test__ = False

    def __init__(self, command: TestCommand, place: Placement, *, adopt: bool) -> None:
        self._command: Final = command
        self._judged: Final = command if isinstance(command, CapturedCommand) else None
        # The same command, or the shell with it where its first line names no interpreter.
        self._started_by = command
        self._place: Final = place
        # The name of the only file of a candidate, where there is one.
        self._alone: Final = "" if isinstance(place, OverlayPlacement) else place.alone
        self._overlays: Final[list[tuple[TestDirectory, Overlay]]] = []
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
                raise WorkspaceError(error_text("no_thread")) from error
            closing.callback(self._watchdog.close)
            self._closing: Final = closing.pop_all()

    @property
    def overrun(self) -> bool:
        """Whether no test should be started while others run."""
        return self._watchdog.overrun

    def wrap_tools(self, wanted: bool) -> bool:
        """Capture what the tools of a script print, where outputs are captured."""
        self._wrappers = None
        if wanted and self._judged is None:
            wrappers = ToolWrappers(self._command, self._environment)
            self._wrappers = wrappers if wrappers.programs else None
        return self._wrappers is not None

    def close(self) -> str:
        """Leave no process and no file of a test; return what could not be removed, in words."""
        self._closing.close()
        return self._workspace.left_behind

    # -- directories ---------------------------------------------------------------------------

    def _prepare(self, candidate: bytes) -> PreparedTest:
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
        overlay: Overlay | None = None
        try:
            own, overlay = self._overlays.pop()
        except IndexError:
            own = self._workspace.directory()
        try:
            overlay = overlay or Overlay(own.opened, own.path, place)
            argument, stdin = overlay.put(candidate)
        except BaseException:
            self._workspace.discard(own, "")
            raise
        return PreparedTest(own, overlay.directory, argument, stdin, overlay)

    def keeps_overlay(self, test: RunningTest) -> bool:
        """Whether a test has an overlay, to be cleared first: the next one would build another."""
        return test.prepared is not None and test.prepared.overlay is not None

    def clear(self, test: RunningTest) -> None:
        """Clear up after a test: its directory serves another one, or is removed."""
        if test.prepared is None:
            return
        if test.entry is not None:
            test.entry.close()
        own, overlay, deserted = test.prepared.own, test.prepared.overlay, test.deserted
        os.close(test.prepared.stdin)
        if overlay is not None:
            if not deserted and test.process is not None:
                # To build an overlay costs more than a look at all processes.
                deserted = self._watchdog.left_nothing(test.process, own.path)
            with contextlib.suppress(OSError):
                if deserted:
                    overlay.restore()
                    self._workspace.clear_temporary(own)
                    self._overlays.append((own, overlay))
                    return
        self._workspace.discard(own, self._alone, deserted=deserted)

    # -- processes -----------------------------------------------------------------------------

    def start(self, test: RunningTest) -> None:
        """Write the candidate and start the test; raises OSError."""
        scene = test.prepared = self._prepare(test.candidate)
        test.started = running_time()
        if self._judged is not None:
            self._spawn(test, self._judged.steps(scene.typed)[0])
            return
        try:
            self._spawn(test, self._started_by.line(scene.argument))
        except OSError as error:
            if error.errno != errno.ENOEXEC:
                raise
            # A script whose first line names no interpreter: shells run it themselves.
            self._started_by = self._command.through_shell()
            self._spawn(test, self._started_by.line(scene.argument))

    def give_up(self, test: RunningTest) -> None:
        """Kill a test that no thread can wait for."""
        if test.process is not None:
            test.process.kill(timed_out=False)
            test.process.wait()
            self._watchdog.forget(test.process)

    def _spawn(self, test: RunningTest, line: Sequence[str]) -> None:
        """Start a process of a test."""
        own, judged = test.scene.own, self._judged is not None
        if self._sandbox is not None:
            if test.entry is not None:
                test.entry.close()
            test.entry = SandboxEntry()
            line = self._sandbox.line(line, (own.path, own.temporary), test.entry)
        mark = f"{self._workspace.run}:{own.name}"
        variables = {b"TMPDIR": os.fsencode(own.temporary), MARKER.encode(): mark.encode()}
        if b"PWD" in self._environment:
            variables[b"PWD"] = os.fsencode(test.scene.inside)
        if test.capture and self._wrappers is not None and test.process is None:
            with own.open_temporary() as temporary:
                variables |= self._wrappers.install(temporary, own.temporary)
        with self._watchdog.starting():
            test.process = TestProcess(
                line,
                test.scene.inside,
                self._environment | variables,
                test.scene.stdin,
                subprocess.PIPE if test.capture or judged else self._null,
                mark=mark,
                handed=() if test.entry is None else test.entry.files,
                observed=judged,
            )
            self._watchdog.watch(test.process, test.seconds - test.elapsed())
        if test.cancelled:
            test.process.kill(timed_out=False)

    def _ended(self, test: RunningTest) -> Observation | Outcome:
        """Wait for a process of a test; return what it did, or why that says nothing."""
        process = test.process
        assert process is not None
        if self._judged is not None:
            process.without_core()
        outputs = process.outputs()
        try:
            code = process.wait()
        finally:
            test.deserted = self._watchdog.ended(process)
        output = b"".join(outputs)
        if test.entry is not None and code == FAILED and not test.entry.entered():
            return Outcome(Verdict.ERROR, code, test.elapsed(), output, why_not_entered(output))
        if process.cancelled and not process.timed_out:
            return Outcome(Verdict.ERROR, None, test.elapsed(), message="the test was stopped")
        if test.scene.overlay is not None:
            # Files of the user have their own names again.
            root = os.fsencode(test.scene.overlay.root)
            outputs = [one.replace(root, b"") for one in outputs]
        stdout, stderr = (*outputs, b"", b"")[:2]
        used = process.processor, process.memory, process.written
        return Observation(None if process.timed_out else code, stdout, stderr, *used)

    # -- verdicts ------------------------------------------------------------------------------

    def outcome(self, test: RunningTest) -> Outcome:
        """Wait for a test that was started; return its outcome. Raises OSError."""
        if self._judged is not None:
            return self._judge(test, self._judged)
        end, script = self._ended(test), self._command.script
        code = end.exit_code if isinstance(end, Outcome) else end.status
        if code and script is not None and not os.access(script, os.X_OK):
            # The interpreter of a script that was removed ends with some exit code or other.
            raise FileNotFoundError(errno.ENOENT, "the test was removed", str(script))
        if isinstance(end, Outcome):
            return end
        seconds = test.elapsed()
        if end.status is None:
            return Outcome(Verdict.TIMEOUT, None, seconds, end.stdout)
        files = self._written(test.scene) if test.capture else b""
        verdict = verdict_of_exit(end.status)
        if verdict is Verdict.NOT_INTERESTING and self._is_invalid(test, test.scene.argument):
            verdict = Verdict.UNRESOLVED
        return Outcome(verdict, code, seconds, end.stdout, files=files)

    def _written(self, scene: PreparedTest) -> bytes:
        """Return what a test wrote into files, and what its wrapped tools printed."""
        files = scene.written()
        if self._wrappers is not None:
            with contextlib.suppress(OSError), scene.own.open_temporary() as temporary:
                files += b"\n" + self._wrappers.captured(temporary)
        return files

    def _judge(self, test: RunningTest, command: CapturedCommand) -> Outcome:
        """Run the other steps of a command, one after the other, and ask the judge."""
        ended: list[Observation] = []
        for number, step in enumerate(command.steps(test.scene.typed)):
            end = self._run(test, step) if number else self._ended(test)
            if isinstance(end, Outcome):
                return end
            seconds, output = test.elapsed(), end.stdout + end.stderr
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
            elif self._is_invalid(test, test.scene.typed):
                verdict = Verdict.UNRESOLVED
        return Outcome(
            verdict,
            ended[-1].status,
            test.elapsed(),
            output if test.capture else b"",
            timed_out=late,
            why=said.why,
            label=said.label,
        )

    def _run(self, test: RunningTest, line: Sequence[str]) -> Observation | Outcome:
        """Run another step of a test."""
        os.lseek(test.scene.stdin, 0, os.SEEK_SET)
        self._spawn(test, line)
        return self._ended(test)

    def _is_invalid(self, test: RunningTest, candidate: str) -> bool:
        check = self._command.check(candidate)
        end = None if check is None else self._run(test, check)
        return isinstance(end, Observation) and end.status == 0
