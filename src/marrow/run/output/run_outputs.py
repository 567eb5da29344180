"""Everything that one run writes for its user, decided before its tests run, looked at after them.

A test may remove, overwrite or replace what it can reach. So where the result and the reports go is
fixed before the first test, and when the last one has ended, the result on disk is compared with
what it must be, and written again if it is something else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from marrow.base.errors import error_text, os_errors
from marrow.engine.events import Event, OtherFailure
from marrow.engine.executors.registry import ExecutableTest
from marrow.engine.journal.journal import Journal, JournalError, JournalState, digest, state_at
from marrow.engine.journal.journal_file import SUFFIXES, discard, move
from marrow.engine.process.command import TestCommand, TestCommandError
from marrow.engine.process.placement import OverlayPlacement, Placement
from marrow.engine.verdict import Verdict
from marrow.run.output.output_file import OutputError, OutputFile, backup_names, output_for
from marrow.run.output.result import Result
from marrow.run.plan.input import Input
from marrow.run.plan.plan import Plan


class RunOutputs:
    """The outputs of a run of a plan; `say` prints a line."""

    def __init__(self, plan: Plan, say: Callable[[str], None]) -> None:
        self._plan: Final = plan
        self._say: Final = say
        #: What writes the reports, which hold the input and are at most as readable.
        self.report: Final = _private_file(plan, plan.report)
        self.bug_report: Final = _private_file(plan, plan.bug_report)
        #: What writes the result.
        self.result: Final[OutputFile | None] = (
            None
            if plan.output is None
            else output_for(plan.source, plan.output)
            if plan.sampling is None
            else _private_file(plan, plan.output)  # nobody executes a pattern
        )
        self._final: bytes | None = None
        if self.result is not None:
            self.result.hold()

    def close(self) -> None:
        """Close the directory of the result."""
        if self.result is not None:
            self.result.close()

    def prepare(self, journal: Journal) -> bytes | None:
        """Keep what the result would write over; return the best of a run that is resumed."""
        plan, output = self._plan, self.result
        if output is None:
            return None
        if plan.resume:
            known = output.read()
            if known is not None and journal.get(digest(known)) is Verdict.INTERESTING:
                # What `--anonymize` made is not a step of the reduction: it will be made again.
                steps = {one.after for one in journal.history.steps} if plan.anonymize else ()
                return known if not plan.anonymize or digest(known) in steps else None
        elif plan.in_place:
            if output.read() != plan.source.text:  # the first tests have changed or removed it
                output.write(plan.source.text)
            self._say(f"the original is kept as {output.keep_old('.orig')}")
            output.write(plan.source.text)
            return None
        output.make_room(self._say)
        output.write(plan.source.text)
        return None

    def keep_best(self, text: bytes) -> None:
        """Write a new best."""
        if self.result is not None:
            self.result.write(text)

    def keep_left(self, left: bytes | None, text: bytes) -> None:
        """Keep a smaller text that somebody went back from, beside the result."""
        if self.result is not None and left is not None and len(left) < len(text):
            self.result.write(left)
            kept = self.result.keep_old()
            self._say(f"note: the smaller result that you went back from is {kept}")

    def write_final(self, text: bytes) -> None:
        """Write what the result must be in the end."""
        self._final = text
        self.keep_best(text)

    def settle(self, result: Result | None, journal: Path | None) -> None:
        """Look at what is on disk once no test runs any more, and write it again if need be."""
        if self.result is None or self._final is None:
            return
        self._settle(self.result, self._final, "the result ")
        if result is not None and result.pretty is not None and (copy := result.pretty_path):
            if copy.is_symlink():
                self._say(f"warning: something replaced {copy} by a link while the test ran")
            else:
                try:
                    self._settle(output_for(self._plan.source, copy), result.pretty, "")
                except OutputError as error:
                    self._say(f"warning: {str(error).partition(chr(10))[0]}")
        if journal is not None and not os.path.exists(journal):
            self._say(
                f"warning: something removed the journal {journal} while the test ran; this run "
                "cannot be resumed"
            )

    def _settle(self, output: OutputFile, text: bytes, what: str) -> None:
        if wrong := output.settle(text):
            self._say(
                f"warning: something {wrong} {what}{output.path} while the test ran; it is "
                "written again"
            )


def _private_file(plan: Plan, path: Path | None) -> OutputFile | None:
    return None if path is None else OutputFile(path, plan.source.mode & 0o666)


# How many files that changed are named.
_MOST_NAMED: Final = 5


def changed_files(place: Placement, say: Callable[[str], None]) -> Callable[[], None]:
    """Look at the files around a command; return what looks again and says which changed."""
    around = place.around if isinstance(place, OverlayPlacement) else None
    before = {} if around is None else around.watched()

    def tell() -> None:
        changed = [] if around is None else around.changed_since(before)
        if not changed:
            return
        some = ", ".join(map(os.path.relpath, changed[:_MOST_NAMED]))
        more = len(changed) - _MOST_NAMED
        say(
            f"warning: files around the command changed while it was tested: {some}"
            + (f" and {more:,} more" if more > 0 else "")
            + "\nIf it was the command that wrote them, run it on a copy of the directory, or "
            "with ⟦sandbox⟧, where\nnothing can be written."
        )

    return tell


# More kinds of failures than this are names that a program made up: the rest is not kept.
_MOST: Final = 500


class OtherFailures:
    """The failures, in the order in which they were first met."""

    def __init__(self) -> None:
        self._candidates: Final[dict[str, set[bytes]]] = {}
        self._smallest: Final[dict[str, bytes]] = {}

    def hear(self, event: Event) -> None:
        """Count a candidate that shows one."""
        if not isinstance(event, OtherFailure):
            return
        if event.label not in self._candidates and len(self._candidates) >= _MOST:
            return
        self._candidates.setdefault(event.label, set()).add(event.key)
        text = event.candidate
        best = self._smallest.setdefault(event.label, text)
        if (len(text), text) < (len(best), best):
            self._smallest[event.label] = text

    def counts(self) -> dict[str, int]:
        """Return how many candidates showed each failure, the most frequent first."""
        found = {label: len(keys) for label, keys in self._candidates.items()}
        return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))

    def save(self, directory: Path, source: Input, say: Callable[[str], None]) -> None:
        """Save the smallest input of each failure, with a list of them."""
        if not self._smallest:
            say("note: ⟦also⟧: no other failure was met")
            return
        lines = []
        problem = f"cannot save other failures to {directory}"
        with os_errors(OutputError, problem, "Choose another directory with ⟦also⟧."):
            directory.mkdir(exist_ok=True)
            for number, label in enumerate(self.counts(), start=1):
                slug = re.sub(r"[^A-Za-z0-9_]+", "-", label)[:60].strip("-")
                suffix = Path(source.name).suffix if source.name else ""
                path = directory / f"{number:03}-{slug or 'failure'}{suffix}"
                output_for(source, path).write(self._smallest[label])
                lines.append(f"{path.name}: {label} ({len(self._candidates[label])})")
            listed = directory / "failures.txt"
            listed.write_text("\n".join(lines) + "\n", "utf-8", "surrogateescape")
            os.chmod(listed, source.mode & 0o666 | 0o600)
        what = "1 other failure is" if len(lines) == 1 else f"{len(lines)} other failures are"
        say(f"{what} saved in {directory}, listed in failures.txt")


def journal_state(path: Path) -> JournalState:
    """Look at the journal that exists; nobody else may be at work on it."""
    for suffix in SUFFIXES:
        place = Path(f"{path}{suffix}")
        if place.is_symlink() or (os.path.lexists(place) and not place.is_file()):
            raise JournalError(error_text("journal_is_a_link", place=place))
    found = state_at(path)
    if found is JournalState.IN_USE:
        raise JournalError(error_text("journal_in_use", path=path))
    return found


def set_aside(path: Path, found: JournalState, say: Callable[[str], None]) -> None:
    """Keep a journal that could be resumed, or what is none; an earlier kept journal makes room."""
    if found not in (JournalState.UNFINISHED, JournalState.UNKNOWN):
        return
    earlier = {JournalState.FINISHED, JournalState.UNFINISHED, JournalState.NOTHING}
    kept = next(
        name
        for name in backup_names(path, "~")
        if not os.path.lexists(name) or (name.is_file() and state_at(name) in earlier)
    )
    if found is JournalState.UNFINISHED:
        say(
            "note: an earlier run was not finished; ⟦--resume would have continued it. ||⟧"
            f"Starting anew; its journal is kept as {kept}"
        )
    else:
        say(f"note: {path} is not a readable journal; it is kept as {kept}")
    journal_state(path)  # another run may have begun since we looked
    advice = "Remove one of them, or choose another ⟦output⟧."
    with os_errors(JournalError, f"cannot keep {path} as {kept}", advice):
        discard(kept)
        move(path, kept)


def open_journal(
    plan: Plan, test: ExecutableTest, path: Path, say: Callable[[str], None], *, resume: bool
) -> Journal:
    """Open the journal of a plan, by what it knows the input, the test and the settings."""
    source = plan.source
    advice = "A journal knows a test by its content: make it readable (chmod +r)."
    with os_errors(TestCommandError, "cannot read the test", advice):
        identity = {
            "input": digest(source.identity).hex(),
            # A function is known only by its name.
            "test": test.fingerprint()
            if isinstance(test, TestCommand)
            else f"{getattr(test, '__module__', '')}.{getattr(test, '__qualname__', '')}",
            **plan.identity,
        }
    journal = Journal(path, identity, resume=resume, rights=source.mode)
    if plan.strategy is not None:
        ours, recorded = plan.strategy.signature, journal.fact("algorithm")
        if recorded is not None and recorded != ours:
            say(
                "note: the earlier run had another algorithm or other settings. Its verdicts "
                "still hold and are used, but this run goes its own way"
            )
            journal.forget_skips()
        journal.note("algorithm", ours)
    return journal
