"""The readable copy of a result: the same failing input, formatted for people to read.

It is made after the fixpoint and written beside the result, which does not change. A formatter of
the language is tried first, then marrow's own layout, as few machines have a formatter for every
language; a layout that no longer fails is dropped.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from marrow.base.deadline import Deadline, OutOfTimeError, within
from marrow.base.errors import MarrowError, message_of
from marrow.engine.executors.executor import outcome_of
from marrow.engine.process.command import TestCommand
from marrow.engine.process.watchdog import run_helper
from marrow.engine.search.sample_tester import SampleTester
from marrow.engine.verdict import Verdict
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

if TYPE_CHECKING:
    from marrow.run.run import Run

#: How long a formatter may take, in seconds: for a reduced text it needs a fraction of one, and a
#: few on a busy machine.
_SECONDS: Final = 30.0

#: An installed formatter lays out no more bytes than this: nobody reads more, and a limit of time
#: must not wait for it.
_MOST_BYTES: Final = 100_000

#: The name of the file in the command of a formatter.
_FILE: Final = "{}"


def formatted(
    text: bytes, name: str, language: str, named: str | None = None, *, installed: bool = True
) -> tuple[bytes | None, str]:
    """Return a text as a program lays it out, None where none does, and what went wrong.

    `named` is a command of the user's, or `none`. With `installed` False no program of the
    table is run.
    """
    with contextlib.suppress(UnicodeDecodeError):
        if named == "none" or "\0" in text.decode("utf-8"):
            return None, ""
        if named is not None:
            return _format(shlex.split(named), text, name, own=True)
        # The usual formatter of the language first; {} is the name of the file.
        for words in map(str.split, facts_of(language).formatters if installed else ()):
            if shutil.which(words[0]) is not None and len(text) <= _MOST_BYTES:
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
            line = [word.replace(_FILE, shown) for word in words]
            given, where = b"" if by_file else text, None if own else place
            done = run_helper(line, given, seconds=_SECONDS, directory=where)
            found = done.stdout or (path.read_bytes() if by_file else b"")
        except subprocess.TimeoutExpired:
            return None, f"it took more than {_SECONDS:g} s"
        except (OSError, ValueError) as error:
            return None, message_of(error)
    if done.returncode == 0 and found.strip():
        return found, ""
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return None, said[-1] if said else f"it ended with {done.returncode} and printed nothing"


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


class PrettyResult:
    """Finds the readable copy of a result."""

    def __init__(self, plan: Plan, tester: SampleTester) -> None:
        self._plan: Final = plan
        self._tester: Final = tester
        #: Why the formatter that the user named did nothing.
        self.trouble = ""

    def of(self, text: bytes) -> bytes | None:
        """Return the readable copy of a result; None if there is none that fails."""
        source, view = self._plan.source, self._plan.view
        self._tester.phase("laying out the result")
        try:
            if isinstance(view, FileView):
                return self._first(self._layouts(source.text, text, view, source.name))
            if isinstance(view, WideTextView):
                narrow = as_narrow(source.text), as_narrow(text)
                return self._first(map(view.wide, self._layouts(*narrow, view.inner, source.name)))
            if isinstance(view, FileSetView):
                return self._of_set(text, view)
        except MarrowError:  # the test cannot be run any more
            pass
        return None

    def _first(self, layouts: Iterator[bytes]) -> bytes | None:
        return next(filter(self._tester.interesting, layouts), None)

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
        front = view.counter.fresh()
        if front.has_syntax and len(text) <= MOST_TOKENS * 8:
            with contextlib.suppress(OutOfTimeError), within(Deadline(5.0)):  # it takes ms
                own = pretty_text(front.readings, front.parse(text), style_of(whole))
                if own not in seen:
                    yield own


def lay_out_result(run: Run, result: Result) -> None:
    """Add the readable copy to a verified result, and write it beside the result."""
    if run.outcome is not None and result.verified and result.text:
        tester = run.tester()
        found = PrettyResult(run.plan, tester)
        result.pretty = found.of(result.text)
        result.tests += tester.counts.tests
        if result.pretty is not None and run.outcome.output:
            # Once more, for what the test prints.
            outcome = outcome_of(run.executor.submit(result.pretty, capture=True))
            result.tests += 1
            if outcome.verdict is Verdict.INTERESTING:
                result.pretty_outcome = outcome
            elif result.reliability is None:  # it does not always show the failure
                result.pretty = None
        if trouble := found.trouble:
            run.say(f"note: the formatter did not lay out the result: {trouble}")
    result.pretty_path = write_pretty(run.plan, result.pretty, run.say)


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
        if text is None or output.read() != text:
            output.make_room(say)
        if text is None:
            if not plan.source.several:
                output.remove()
            return None
        output.write(text)
    except (MarrowError, OSError) as error:
        say(f"warning: {str(error).partition(chr(10))[0]}")
        return None
    return path
