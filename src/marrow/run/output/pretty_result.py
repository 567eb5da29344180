"""The readable copy of a result: the same failing input, formatted for people to read.

It is made after the fixpoint and written beside the result, which does not change. A formatter of
the language is tried first, then marrow's own layout, as few machines have a formatter for every
language; a layout that no longer fails is dropped.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from marrow.base.deadline import Deadline, OutOfTimeError, within
from marrow.base.errors import MarrowError, message_of
from marrow.engine.events import Listener
from marrow.engine.executors.executor import Executor, outcome_of
from marrow.engine.executors.quorum import VoteRule
from marrow.engine.executors.votes import Runs
from marrow.engine.journal.journal import Journal
from marrow.engine.process.command import TestCommand
from marrow.engine.process.watchdog import helpers_spared
from marrow.engine.search.sample_tester import SampleTester, SampleText
from marrow.engine.verdict import Outcome, Verdict
from marrow.languages.language_facts import facts_of
from marrow.run.output.output_file import output_for
from marrow.run.output.output_paths import is_same, pretty_path
from marrow.run.output.result import Result
from marrow.run.plan.plan import Plan
from marrow.syntax.bundle import make_bundle, read_bundle
from marrow.syntax.file_set import FileSetView
from marrow.syntax.pretty_text import MOST_TOKENS, pretty_text, style_of
from marrow.syntax.view_wrappers import WideTextView, as_narrow
from marrow.syntax.views import FileView

#: How long a formatter may take, in seconds: for a reduced text it needs a fraction of one, and a
#: few on a busy machine.
_SECONDS: Final = 30.0

#: An installed formatter lays out no more bytes than this: nobody reads more, and a limit of time
#: must not wait for it.
_MOST_BYTES: Final = 100_000

#: The name of the file in the command of a formatter.
_FILE: Final = "{}"


def usual_formatters(language: str) -> Sequence[str]:
    """Return the formatters of a language, the usual one first; {} is the name of the file."""
    return facts_of(language).formatters


def formatted(
    text: bytes, name: str, language: str, named: str | None = None, *, installed: bool = True
) -> tuple[bytes | None, str]:
    """Return a text as a program lays it out, None where none does, and what went wrong.

    `named` is a command of the user's, or `none`. With `installed` False no program of the
    table is run.
    """
    if named == "none" or not _is_text(text):
        return None, ""
    if named is not None:
        return _format(shlex.split(named), text, name, own=True)
    if installed and len(text) <= _MOST_BYTES:
        for words in map(str.split, usual_formatters(language)):
            if shutil.which(words[0]) is not None:
                found, _ = _format(words, text, name, own=False)
                if found is not None:
                    return found, ""
    return None, ""


def _format(words: Sequence[str], text: bytes, name: str, *, own: bool) -> tuple[bytes | None, str]:
    """Run a formatter; return its output, or the file that it changed, and what went wrong.

    One of the table runs in an empty directory: it must not find settings of a project.
    """
    with tempfile.TemporaryDirectory(prefix="marrow-format-") as place:
        path = Path(place, Path(name).name or "input")
        by_file = own and any(_FILE in word for word in words)
        if by_file:
            path.write_bytes(text)
        shown = str(path) if by_file else path.name
        try:
            with helpers_spared():
                done = subprocess.run(
                    [word.replace(_FILE, shown) for word in words],
                    input=b"" if by_file else text,
                    capture_output=True,
                    timeout=_SECONDS,
                    cwd=None if own else place,
                    check=False,
                )
            found = done.stdout or (path.read_bytes() if by_file else b"")
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            late = isinstance(error, subprocess.TimeoutExpired)
            return None, f"it took more than {_SECONDS:g} s" if late else message_of(error)
    if done.returncode == 0 and found.strip():
        return found, ""
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return None, said[-1] if said else f"it ended with {done.returncode} and printed nothing"


def _is_text(text: bytes) -> bool:
    """Whether programs can be trusted to keep the letters of a text."""
    try:
        return "\0" not in text.decode("utf-8")
    except UnicodeDecodeError:
        return False


#: The mark at the beginning of a text in UTF-8 that some editors write.
_BOM: Final = b"\xef\xbb\xbf"


def like(text: bytes, whole: bytes, formatted: bytes) -> bytes:
    """Return a formatted text with the mark at its beginning that it had, and the line ends of the
    whole input."""
    if text.startswith(_BOM) != formatted.startswith(_BOM):
        formatted = formatted.removeprefix(_BOM)
        formatted = _BOM + formatted if text.startswith(_BOM) else formatted
    if whole.count(b"\r\n") * 2 > whole.count(b"\n"):
        return formatted.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    return formatted


# How long marrow's own layout may take, in seconds; a reduced text takes a few milliseconds.
_LAYOUT_SECONDS: Final = 5.0


class PrettyResult:
    """Finds the readable copy of a result."""

    def __init__(self, plan: Plan, tester: SampleTester) -> None:
        self._plan: Final = plan
        self._tester: Final = tester
        #: Why the formatter that the user named did nothing.
        self.trouble = ""

    def of(self, text: bytes) -> bytes | None:
        """Return the readable copy of a result; None if there is none that fails."""
        view = self._plan.view
        self._tester.phase("laying out the result")
        try:
            if isinstance(view, FileView):
                name = self._plan.source.name
                layouts = self._layouts(self._plan.source.text, text, view, name)
                return self._first(layouts)
            if isinstance(view, WideTextView):
                name, whole = self._plan.source.name, as_narrow(self._plan.source.text)
                return self._first(
                    map(view.wide, self._layouts(whole, as_narrow(text), view.inner, name))
                )
            if isinstance(view, FileSetView):
                return self._of_set(text, view)
        except MarrowError:  # the test cannot be run any more
            return None
        return None

    def _first(self, layouts: Iterator[bytes]) -> bytes | None:
        for text in layouts:
            for _, verdict in self._tester.verdicts([SampleText(text)]):
                if verdict is Verdict.INTERESTING:
                    return text
        return None

    def _of_set(self, text: bytes, view: FileSetView) -> bytes | None:
        """Lay out all files at once."""
        before = {one.name: one.content for one in read_bundle(self._plan.source.text)}
        entries = []
        for one in read_bundle(text):
            if one.regular and one.content and one.name in before:
                inner = view.view_of(one.name)
                layouts = self._layouts(before[one.name], one.content, inner, one.name)
                one = replace(one, content=next(layouts, one.content))
            entries.append(one)
        laid_out = make_bundle(entries)
        return None if laid_out == text else self._first(iter([laid_out]))

    def _layouts(self, whole: bytes, text: bytes, view: FileView, name: str) -> Iterator[bytes]:
        """Yield layouts of a text that differ from it, the most readable first."""
        seen = {text}
        plan = self._plan
        found, self.trouble = formatted(
            text, name, view.language, plan.formatter, installed=plan.sandbox is None
        )
        if found is not None and (same := like(text, whole, found)) not in seen:
            seen.add(same)
            yield same
        own = _own_layout(whole, text, view)
        if own not in seen:
            yield own


def _own_layout(whole: bytes, text: bytes, view: FileView) -> bytes:
    """Return a text as marrow lays it out by itself; the text if it cannot."""
    front = view.counter.fresh()
    if not front.has_syntax or len(text) > MOST_TOKENS * 8:
        return text
    try:
        with within(Deadline(_LAYOUT_SECONDS)):
            return pretty_text(front.readings, front.parse(text), style_of(whole))
    except OutOfTimeError:
        return text


def lay_out_result(
    plan: Plan,
    result: Result,
    executor: Executor,
    journal: Journal,
    listener: Listener,
    say: Callable[[str], None],
    outcome: Outcome | None,
    rule: VoteRule | None = None,
) -> None:
    """Add the readable copy to a verified result, and write it beside the result.

    `outcome` is what the test did with the result; None if it is not verified.
    """
    if outcome is not None and result.text:
        tester = SampleTester(Runs(executor, rule).executor, journal, listener)
        found = PrettyResult(plan, tester)
        result.pretty = found.of(result.text)
        result.tests += tester.counts.tests
        if result.pretty is not None and outcome.output:
            _run_once_more(result, executor)
        if trouble := found.trouble:
            say(f"note: the formatter did not lay out the result: {trouble}")
    result.pretty_path = write_pretty(plan, result.pretty, say)


def _run_once_more(result: Result, executor: Executor) -> None:
    """Run the test on the readable copy for what it prints."""
    assert result.pretty is not None
    outcome = outcome_of(executor.submit(result.pretty, capture=True))
    result.tests += 1
    if outcome.verdict is Verdict.INTERESTING:
        result.pretty_outcome = outcome
    elif result.reliability is None:  # it does not always show the failure
        result.pretty = None


def write_pretty(plan: Plan, text: bytes | None, say: Callable[[str], None]) -> Path | None:
    """Write the readable copy beside the result; a file of its name is kept as NAME~.

    Where there is none, that of an earlier run is taken away. Returns its path, if it is there.
    """
    if plan.output is None:
        return None
    path = pretty_path(plan.output)
    if plan.source.several:
        path = plan.output.with_name(f"{plan.output.name}.pretty")
    if not os.path.lexists(path) and text is None:
        return None
    script = plan.test.script if isinstance(plan.test, TestCommand) else None
    in_use = (*plan.source.paths, script, plan.journal, plan.report)
    if any(other is not None and is_same(path, other) for other in in_use):
        return None
    if path.is_symlink():  # nobody has named it: somebody may have planted it
        say(f"warning: {path} is a symbolic link; no readable copy is written")
        return None
    output = output_for(plan.source, path)
    try:
        old = output.keep_old() if text is None or output.read() != text else None
        if old is not None:
            say(f"note: {path} existed already; it is kept as {old}")
        if text is None:
            if not plan.source.several:
                output.remove()
            return None
        output.write(text)
    except (MarrowError, OSError) as error:
        say(f"warning: {str(error).partition(chr(10))[0]}")
        return None
    return path
