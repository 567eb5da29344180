"""Everything that one run writes for its user, decided before its tests run, looked at after them.

A test may remove, overwrite or replace what it can reach. So where the result and the reports go is
fixed before the first test, and when the last one has ended, the result on disk is compared with
what it must be, and written again if it is something else.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from marrow.engine.journal.journal import Journal, digest
from marrow.engine.verdict import Verdict
from marrow.run.output.output_directory import OutputDirectory, output_for
from marrow.run.output.output_file import OutputError, OutputFile
from marrow.run.output.result import Result
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
        self.result: Final[OutputFile | OutputDirectory | None] = (
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
                return known
        elif plan.in_place:
            if output.read() != plan.source.text:  # the first tests have changed or removed it
                output.write(plan.source.text)
            self._say(f"the original is kept as {output.keep_original()}")
            output.write(plan.source.text)
            return None
        if (old := output.keep_old()) is not None:
            self._say(f"note: {output.path} existed already; it is kept as {old}")
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
        output = self.result
        if output is None or self._final is None:
            return
        if wrong := output.settle(self._final):
            self._say(
                f"warning: something {wrong} the result {output.path} while the test ran; it is "
                "written again"
            )
        if result is not None and result.pretty is not None and result.pretty_path is not None:
            self._settle_copy(result.pretty, result.pretty_path)
        if journal is not None and not os.path.exists(journal):
            self._say(
                f"warning: something removed the journal {journal} while the test ran; this run "
                "cannot be resumed"
            )

    def _settle_copy(self, text: bytes, path: Path) -> None:
        """Write the readable copy of a result again if a test removed or changed it."""
        if path.is_symlink():
            self._say(f"warning: something replaced {path} by a link while the test ran")
            return
        try:
            if wrong := output_for(self._plan.source, path).settle(text):
                self._say(
                    f"warning: something {wrong} {path} while the test ran; it is written again"
                )
        except OutputError as error:
            self._say(f"warning: {str(error).partition(chr(10))[0]}")


def _private_file(plan: Plan, path: Path | None) -> OutputFile | None:
    return None if path is None else OutputFile(path, plan.source.mode & 0o666)
