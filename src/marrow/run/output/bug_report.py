"""The bug report: a text in Markdown, ready to paste, that says what fails and how to see it."""

from __future__ import annotations

import contextlib
import hashlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from textwrap import indent
from typing import TYPE_CHECKING, Final

from marrow.engine.process.command import CapturedCommand
from marrow.engine.process.watchdog import run_helper
from marrow.engine.verdict import Outcome
from marrow.languages.recognition import is_binary, language_of
from marrow.report.plain import hexadecimal, printable
from marrow.run.output.output_file import OutputFile
from marrow.run.output.output_paths import BUG_REPORT, check_file
from marrow.run.output.reporting import (
    ending_phrase,
    kept_words,
    readable_script,
    versions_words,
)
from marrow.run.output.result import Result
from marrow.syntax.bundle import read_bundle

if TYPE_CHECKING:
    from marrow.run.run import Run

# More lines of an input are better attached than pasted.
_MOST_LINES: Final = 400

# So much of an output is looked at for a title, and what messages begin with where nothing was kept
# of them: the name of an exception, or what compilers say.
_TITLE_BYTES: Final = 20_000
_ERROR: Final = re.compile(r"(?:[\w.:]*(?:Error|Exception)|(?:fatal |internal )?error|panic)\b.*:")

# How long a program may take to say its version.
_SECONDS: Final = 5.0


def write_bug_report(run: Run, result: Result, output: OutputFile) -> None:
    """Write the bug report where the plan wants it."""
    check_file(output.path, BUG_REPORT, "bug_report out.md", force=run.plan.force)
    output.write(("\n\n".join(bug_report(run, result)) + "\n").encode("utf-8", "replace"))


def bug_report(run: Run, result: Result) -> Iterator[str]:
    """Yield the paragraphs of the report."""
    plan, command, outcome = run.plan, run.command, run.shown
    sentence, evidence = kept_words(command)
    title = _title(evidence[0].strip() if evidence else "", outcome)
    what = "The command" if isinstance(command, CapturedCommand) else "The test"
    title = _inline(title or f"Failure on a small input ({result.language})")
    yield f"# {title}\n{BUG_REPORT.mark.decode()}"
    text = result.text if result.pretty is None else result.pretty
    if not plan.source.several:
        yield from _shown(text, result.language)
    for file in read_bundle(text) if plan.source.several else ():
        if file.regular:
            yield f"`{_inline(file.name)}`:"
            yield from _shown(file.content, language_of(file.name, file.content) or "")
    line = None if command is None else command.by_hand(plan.source.name)
    yield "## What happens"
    if line is not None:
        yield _fenced(f"$ {line}", "console")
    if outcome is not None:
        said = printable(outcome.output).splitlines()
        yield f"{what} {ending_phrase(outcome)} and prints{':' if said else ' nothing.'}"
        if said:
            yield _fenced("\n".join(said[-60:]))
    if sentence:
        yield f"What was kept on the way to this input: {_inline(sentence)}."
    if result.contrasts and not is_binary(near := result.contrasts[0].text):
        yield "It does not fail on this, which differs by little:"
        yield from _shown(near, result.language)
    yield "## How to reproduce"
    place = "1. Save the files above under their names in an empty directory, and go there."
    if not plan.source.several:
        sha = hashlib.sha256(text).hexdigest()
        place = f"1. Save the input above as `{_inline(plan.source.name)}` (SHA-256 {sha})."
    if line is None:
        yield f"{place}\n2. Run the test, a Python function, on it."
    else:
        yield f"{place}\n2. Run:"
        yield indent(_fenced(line, "sh"), "   ")
    if script := readable_script(command):
        yield f"The test, `{_inline(script[0])}`:"
        yield _fenced(printable(script[1]).rstrip("\n"), language_of(*script) or "sh")
    yield "## How it was found"
    yield "\n".join(_found(run, result))


def _title(kept: str, outcome: Outcome | None) -> str:
    """Return the message of the failure, as it is on the small input; empty if there is none."""
    lines = printable(outcome.output[-_TITLE_BYTES:]).splitlines() if outcome is not None else []
    said = [line.strip() for line in lines if line.strip()]
    if kept:
        return next(iter(get_close_matches(kept, said, n=1)), kept)
    return next((line for line in reversed(said) if _ERROR.match(line)), "")


def _shown(text: bytes, language: str) -> Iterator[str]:
    if is_binary(text):
        yield _fenced("\n".join(hexadecimal(text[: 16 * _MOST_LINES])))
        yield f"({len(text):,} bytes; `xxd -r` makes the file of this)"
        return
    lines = printable(text.replace(b"\r\n", b"\n")).splitlines()
    yield _fenced("\n".join(lines[:_MOST_LINES]), language)
    if len(lines) > _MOST_LINES:
        yield f"({len(lines) - _MOST_LINES:,} more lines: attach the file)"


def _found(run: Run, result: Result) -> Iterator[str]:
    yield f"- Reduced by {versions_words()}, on {platform.platform()}:"
    kept = "not counted in tokens"
    if result.tokens_before:
        kept = f"{result.tokens_before:,} to {result.tokens_after:,} tokens"
    yield (
        f"  {kept}, {result.bytes_before:,} to {result.bytes_after:,} bytes, in "
        f"{result.asked:,} tests and {result.seconds:.1f} s"
    )
    yield f"- {_inline(shlex.join(['marrow', *sys.argv[1:]]))}"
    yield f"- Guarantee: {result.guarantee}"
    if run.plan.sandbox is None and isinstance(run.command, CapturedCommand):
        yield from _programs(run.command)


def _programs(command: CapturedCommand) -> Iterator[str]:
    """Yield the versions of the programs that fail.

    Only of those that are found by their names, as installed programs are: a script of the user's
    may do anything when it is called.
    """
    for name in (words[0] for words in (command.arguments, command.second) if words):
        if "/" in name or shutil.which(name) is None:
            continue
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            done = run_helper([name, "--version"], seconds=_SECONDS)
            said = printable(done.stdout or done.stderr).strip().splitlines()
            if done.returncode == 0 and said:
                yield f"- {_inline(name)}: {_inline(said[0])}"


def _fenced(text: str, language: str = "") -> str:
    """Return a text between fences that are longer than any in it."""
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _inline(text: str) -> str:
    """Return a text for one line: nothing in it is taken for markup that hides what follows."""
    return " ".join(printable(text.encode("utf-8", "replace")).split()).replace("<", "&lt;")
