"""The program of `--propose`: one process for each question, JSON on its input and its output.

It reads one line, `{"text": ..., "failed": [...], "language": ...}`, and prints a line for each
proposal: `{"text": ...}`, or `{"edits": [{"start": 3, "end": 7, "new": ""}]}` with offsets in
characters. Answers are in the journal: a run that is resumed asks nothing twice. A program that
fails, hangs or prints something else is not asked again, and the run continues without it.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import subprocess
from collections.abc import Callable, Sequence
from typing import Any, Final

from marrow.base.errors import UsageError
from marrow.engine.journal.journal import Journal
from marrow.engine.process.watchdog import run_helper

# How long an answer may take: a language model thinks for a minute.
_SECONDS: Final = 120.0

# How many proposals of an answer are tried.
_MOST: Final = 64


class ProposingCommand:
    """A program that proposes candidates; see `reducers.passes.proposals`."""

    def __init__(self, command: str) -> None:
        """Raise `UsageError` for a command that cannot be one."""
        try:
            self._words: Final = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"⟦propose⟧: {error}: {command}\nQuote it as for a shell.") from error
        if not self._words:
            raise UsageError("⟦propose⟧: the command is empty\nName a program.")
        self._command: Final = command
        self._language = ""
        self._journal = Journal.in_memory()
        self._warn: Callable[[str], None] = lambda _: None
        self._works = True

    def __repr__(self) -> str:
        """Return what tells its proposals from those of others, for the identity of a journal."""
        return f"ProposingCommand({self._command!r})"

    def join(self, journal: Journal, language: str, warn: Callable[[str], None]) -> None:
        """Work for a run."""
        self._journal, self._language, self._warn = journal, language, warn

    def propose(self, text: bytes, failed: Sequence[bytes]) -> Sequence[bytes]:
        """Return the proposals for a text, as the journal or the program knows them."""
        shown, *others = (one.decode("utf-8", "surrogateescape") for one in (text, *failed))
        question = {"text": shown, "failed": others, "language": self._language}
        line = json.dumps(question).encode()
        name = f"proposed {hashlib.sha256(line).hexdigest()}"
        known = self._journal.fact(name)
        if known is None:
            known = json.dumps(self._ask(line, shown))
            self._journal.note(name, known)
        return [one.encode("utf-8", "surrogateescape") for one in json.loads(known)]

    def _ask(self, line: bytes, text: str) -> list[str]:
        """Run the program on a question; without an answer it is not asked again."""
        if not self._works:
            return []
        try:
            ended = run_helper(self._words, line + b"\n", seconds=_SECONDS)
            if not ended.returncode:
                answers = [json.loads(one) for one in ended.stdout.splitlines() if one.strip()]
                return [_proposed(one, text) for one in answers[:_MOST]]
            said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
            why = f"it exits with {ended.returncode}" + (f" and says: {said[-1]}" if said else "")
        except subprocess.TimeoutExpired:
            why = f"it does not answer within {_SECONDS:.0f} s"
        except OSError as error:
            why = error.strerror or str(error)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            why = f"its answer is not understood: {error}"
        self._works = False
        self._warn(f"`{self._command}` is not asked for proposals any more: {why}")
        return []


def _proposed(answer: dict[str, Any], text: str) -> str:
    """Return a proposal as a text; raise an error of its type if it is none."""
    if "text" in answer:
        if not isinstance(answer["text"], str):
            raise TypeError("`text` is not a string")
        return answer["text"]
    for edit in sorted(answer["edits"], key=lambda one: int(one["start"]), reverse=True):
        start, end = int(edit["start"]), int(edit["end"])
        if not 0 <= start <= end <= len(text):
            raise ValueError("an edit is outside of the text")
        text = text[:start] + str(edit.get("new", "")) + text[end:]
    return text
