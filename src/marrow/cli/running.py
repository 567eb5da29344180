"""One run on the terminal: what it says, its display, its end. For all commands that make runs."""

from __future__ import annotations

import contextlib
import shlex
import sys
import traceback
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from marrow.base.clock import running_time
from marrow.base.errors import MarrowError, error_text, spelled
from marrow.cli.console import StandardError, output_error
from marrow.cli.exits import CliError, Exit, exit_of
from marrow.cli.interruption import Interruption
from marrow.cli.keys import Keyboard, keys_work, pressed
from marrow.cli.messages import unfit_error
from marrow.cli.records import print_error
from marrow.engine.events import Event, Listener, Noted, ignore
from marrow.report.progress import LineProgress, PhaseProgress
from marrow.run.plan.plan import Plan
from marrow.run.run import Run
from marrow.run.test.unfit_test import UnfitTestError

if TYPE_CHECKING:
    from marrow.report.event_lines import EventLines
    from marrow.report.screen import LiveProgress

# Python's own 5 ms are as long as a quick test takes: threads that start tests must not wait that
# long for the one that makes the candidates.
_SWITCH_SECONDS: Final = 0.0005


class Terminal:
    """The terminal side of a run."""

    def __init__(self, command: str, values: Mapping[str, Any], interruption: Interruption) -> None:
        self.quiet: Final[bool] = values["quiet"]
        self.verbose: Final[int] = values["verbose"]
        self.as_json: Final[bool] = values["as_json"]
        self.interruption: Final = interruption
        self.control: Final = interruption.control
        self._command: Final = command
        self._error: Final = StandardError(quiet=self.quiet)
        self._started: Final = running_time()
        # Until there are sizes to show: the runs on the input may take long.
        self._progress: Listener = (
            ignore if self.quiet else PhaseProgress(self.note, 0, 0, started=self._started)
        )
        self._display: LiveProgress | None = None
        #: What a program that watches is told; the command adds facts for its end.
        self._events: Final = events_of(values)
        self.ending: Final[dict[str, object]] = {}

    def note(self, words: str) -> None:
        """Print a line on standard error; with a display, after it has closed."""
        if self._display is None:
            self._error.line(words)
        else:
            self._display.say(words)

    def listen(self, event: Event) -> None:
        """Show an event."""
        if self._events is not None:
            self._events(event)
        if isinstance(event, Noted):
            self.note(event.message)
        else:
            self._progress(event)

    @contextlib.contextmanager
    def running(self, plan: Plan) -> Iterator[Run]:
        """Open a run of a plan; every failure ends as a message and an exit code."""
        sys.setswitchinterval(_SWITCH_SECONDS)
        run = Run(
            plan,
            self.listen,
            control=self.control,
            own_process=True,
            before_close=self.interruption.shield,
        )
        with told(self._events, f"marrow {self._command}", plan.source.title, self.ending):
            try:
                with failures_explained(plan.output, "--resume", self.verbose), run:
                    yield run
            except KeyboardInterrupt:
                words = "stopped before a candidate was tried; nothing was changed"
                self.note(words)
                print_error(CliError(self.interruption.code, f"{words}\nRun the command again."))
                sys.exit(self.interruption.code)
            except UnfitTestError as error:
                raise unfit_error(error, run.command, plan.source) from error

    @contextlib.contextmanager
    def progress(
        self, title: str, tokens: int, length: int, reducing: Run | None = None
    ) -> Iterator[None]:
        """Show the progress of a run; of one that is `reducing` with keys, where they work."""
        more: dict[str, Any] = {"started": self._started}
        if reducing is not None:
            more |= reducing.plan.progress(tokens)
        with contextlib.ExitStack() as open_now:
            # -v prints line by line, and lines and keys go with reductions alone.
            if self._error.can_draw and not (reducing and self.verbose):
                from marrow.report.screen import LiveProgress

                name = f"marrow {self._command} {title}"
                taking = reducing is not None and keys_work()
                if reducing is not None:
                    name += f"  {reducing.address}" if reducing.address else ""
                    passes = getattr(reducing.plan.strategy, "passes", ())
                    more |= {"busy": reducing.busy, "names": [one.name for one in passes]}
                    reducing.prepare_reduction().scheduler.capture = True
                live = LiveProgress(self._error.screen, name, tokens, length, keys=taking, **more)
                self._progress = open_now.enter_context(live)
                self._display = live
                open_now.callback(setattr, self, "_display", None)
                if reducing is not None and taking:
                    take = partial(pressed, live, self.control, text_after=reducing.text_after)
                    open_now.enter_context(Keyboard(take))
            elif reducing is not None and not self.quiet:
                verbose = self.verbose > 0
                self._progress = LineProgress(self.note, tokens, length, verbose=verbose, **more)
            yield


def events_of(values: Mapping[str, Any]) -> EventLines | None:
    """Open what --events names; raise `UsageError` or `OutputError`."""
    target = values["events"]
    if target is None:
        return None
    from marrow.report.event_lines import EventLines
    from marrow.run.output.output_paths import EVENTS, check_file

    path = Path(target)
    if not target.isdecimal() and (path.is_file() or not path.exists()):
        check_file(path, EVENTS, "events FILE", force=values.get("force", False))
    return EventLines(target, texts=values["event_texts"])


@contextlib.contextmanager
def told(
    events: EventLines | None, command: str, title: str, ending: Mapping[str, object]
) -> Iterator[None]:
    """Tell a program that watches how a command begins and ends."""
    if events is None:
        yield
        return
    events.begin(command, title)
    code = Exit.INTERNAL
    try:
        yield
        code = Exit.DONE
    except SystemExit as error:
        code = Exit(int(error.code or 0))
        raise
    except Exception as error:
        code = exit_of(error)
        raise
    finally:
        events.end(code, **ending)


@contextlib.contextmanager
def failures_explained(place: Path | None, again: str, verbose: int) -> Iterator[None]:
    """Turn every failure of marrow and its machine into a message.

    `place` is where the result is, and `again` continues.
    """
    kept = f"The best so far is in {place}, if there is one; {again} continues."
    try:
        yield
    except (CliError, MarrowError, BrokenPipeError):
        raise
    except MemoryError as error:
        raise CliError(Exit.MEMORY, error_text("no_memory", kept=kept)) from error
    except Exception as error:
        if (full := output_error(error, f"The result is in {place}. ")) is not None:
            raise full from error
        if isinstance(error, RuntimeError) and "new thread" in str(error):
            raise CliError(
                Exit.TEST, spelled(error_text("no_thread"), command_line=True)
            ) from error
        if verbose:
            traceback.print_exc()
        raise CliError(
            Exit.INTERNAL,
            error_text("own_failure", kind=type(error).__name__, error=error, kept=kept),
        ) from error


def again() -> str:
    """Return the command line that continues this run."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--resume"]
    # What follows `--` is not for marrow.
    at = arguments.index("--") if "--" in arguments else len(arguments)
    return shlex.join(["marrow", *arguments[:at], "--resume", *arguments[at:]])
