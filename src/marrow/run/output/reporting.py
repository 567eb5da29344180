"""The record of a run in its journal, for a report, and the report as a file."""

from __future__ import annotations

import datetime
import json
import os
import platform
import shlex
import signal
import sys
from dataclasses import asdict, fields, is_dataclass
from typing import TYPE_CHECKING, Final

from marrow import __version__
from marrow.base.errors import error_text, message_of
from marrow.engine.journal.journal import JournalError
from marrow.engine.journal.journal_file import Record
from marrow.engine.process.command import CapturedCommand, TestCommand
from marrow.engine.verdict import Outcome, Verdict
from marrow.languages.recognition import is_binary
from marrow.report.plain import printable
from marrow.run.output.output_file import OutputError, OutputFile
from marrow.run.output.output_paths import REPORT, check_file

if TYPE_CHECKING:
    from marrow.reducers.pipeline.pipeline import Strategy
    from marrow.run.output.contrast import Contrast
    from marrow.run.output.result import Result
    from marrow.run.run import Run


def ending_words(outcome: Outcome) -> str:
    """Say how a run ended."""
    if outcome.verdict is Verdict.TIMEOUT:
        return f"killed after {outcome.seconds:.1f} s"
    if outcome.exit_code is not None and outcome.exit_code < 0:
        number = -outcome.exit_code
        names = [f" ({one.name})" for one in signal.Signals if one == number]
        return f"killed by signal {number}{''.join(names)}"
    return f"exit code {outcome.exit_code}"


def ending_phrase(outcome: Outcome) -> str:
    """Say what a command did at its end."""
    words = ending_words(outcome)
    return f"ends with {words}" if words.startswith("exit") else f"is {words}"


def kept_words(command: TestCommand | None) -> tuple[str, tuple[str, ...]]:
    """Return the sentence of what is kept, and the lines it rests on; empty for a test script."""
    kept = getattr(getattr(command, "judge", None), "kept", None)
    if not isinstance(command, CapturedCommand) or kept is None:
        return "", ()
    return kept.sentence, tuple(kept.evidence)


_PACKAGES: Final = ("tree-sitter", "tree-sitter-language-pack")

# How much of a result the page shows around a contrast, on both sides.
_AROUND: Final = 400


def note_beginning(run: Run, what: str, tokens: int) -> None:
    """Record what a run is about: `what` is its command, `tokens` the size of the input."""
    plan, command = run.plan, run.command
    source, view, quorum = plan.source, plan.view, plan.quorum
    assert view is not None
    details = {
        "command": shlex.join(["marrow", *sys.argv[1:]]),
        "test": "a Python function" if command is None else command.by_hand(source.name),
        "language": view.description,
        **({} if plan.strategy is None else strategy_words(plan.strategy)),
        "seed": str(plan.seed),
        **({} if quorum is None else {"flaky": f"{quorum} runs must be interesting"}),
        "versions": versions_words(),
        "system": platform.platform(),
        "started": datetime.datetime.now().astimezone().isoformat(" ", "seconds"),
    }
    about = {
        "title": f"marrow {what} {source.title}",
        "tokens": tokens,
        "length": view.length(source.text),
        "details": details,
        "binary": not source.several and is_binary(source.text),
        "files": source.several,
        "unit": plan.measure["unit"],
        "failure": failure_data(command),
    }
    run.journal.note("about", json.dumps(about))
    run.journal.put_text("input", source.text)
    if script := readable_script(command):
        run.journal.put_text("test", script[1])


def readable_script(command: TestCommand | None) -> tuple[str, bytes] | None:
    """Return the name and the text of a test that is a script; None if it is anything else."""
    path = None if command is None else command.script
    if path is None or path.stat().st_size > 1 << 16:
        return None
    content = path.read_bytes()
    return None if b"\0" in content else (path.name, content)


def versions_words() -> str:
    """Return the versions of marrow and of what it parses with."""
    packages = ", ".join(f"{package} {_version(package)}" for package in _PACKAGES)
    return f"marrow {__version__}, {packages}, Python {platform.python_version()}"


def _version(package: str) -> str:
    """Return the version of an installed package, by the name of its directory of facts.

    `importlib.metadata` would say the same, and takes longer to import than most of marrow.
    """
    start = package.replace("-", "_") + "-"
    for folder in filter(os.path.isdir, sys.path):
        for name in os.listdir(folder):
            if name.startswith(start) and name.endswith(".dist-info"):
                return name.removeprefix(start).removesuffix(".dist-info")
    return "of unknown version"


def strategy_words(strategy: Strategy) -> dict[str, str]:
    """Return the strategy and its settings in words, for people."""
    said = {"strategy": strategy.name}
    for part in ("effort", "options", "settings"):
        value = getattr(strategy, part, None)
        if not is_dataclass(value) or isinstance(value, type):
            continue
        if part == "effort":
            said["effort"] = str(getattr(value, "name", ""))
            continue
        default = type(value)()
        for field in fields(value):
            mine = getattr(value, field.name)
            # Functions and models have no short words; that there is one must do.
            if mine != getattr(default, field.name):
                plain = isinstance(mine, str | int | float | bool)
                named = getattr(mine, "value", getattr(mine, "__name__", None))
                words = str(mine) if plain else str(named or "given")
                said[field.name.replace("_", " ")] = words
    passes = getattr(strategy, "passes", ())
    if passes:
        said["passes"] = ", ".join(one.name for one in passes)
    return said


def note_end(run: Run, result: Result) -> None:
    """Record how a run ended."""
    journal, shown = run.journal, run.shown
    checked = "; the test was interesting on the result once more" if result.verified else ""
    if result.reliability is not None:
        checked = f"; the result is {result.reliability.words()}"
    if result.reliability_before is not None:
        checked += f"; the input was {result.reliability_before.words()}"
    if result.smallest is not None:
        checked += f"; a smaller one was so in {result.smallest.share:.0%} of its runs only"
    stopped = f"Stopped: {result.stopped.partition(chr(10))[0]}. " if result.stopped else ""
    ended = {
        "state": f"{stopped}Guarantee: {result.guarantee}{checked}.",
        "tokens": result.tokens_after,
        "length": result.bytes_after,
        "tests": result.asked,
        "repeats": result.repeats,
        "run": result.tests,
        "cached": result.cached,
        "invalid": result.invalid,
        "seconds": round(result.seconds, 1),
        "also": [f"{label} ({count:,})" for label, count in result.also_seen.items()],
        "failure": None if shown is None else failure_data(run.command, shown),
        "contrasts": [_shown_contrast(one, result.text) for one in result.contrasts],
    }
    journal.note("ended", json.dumps(ended))
    journal.put_text("result", result.text)
    journal.put_text("pretty", result.pretty or b"")
    marks = {}  # what is known of each piece, in the result and in its readable copy
    if result.explanation is not None:
        from marrow.run.output.explanation import marked_pieces

        for name, text in (("result", result.text), ("pretty", result.pretty)):
            if text is not None:
                marks[name] = [asdict(one) for one in marked_pieces(result.explanation, text)]
    journal.note("marks", json.dumps(marks))


def _shown_contrast(near: Contrast, text: bytes) -> list[str]:
    """Return what is before the difference, what fails, what passes instead, and what is after."""
    before, after = text[: near.start][-_AROUND:], text[near.end :][:_AROUND]
    return [printable(one) for one in (before, text[near.start : near.end], near.new, after)]


def failure_data(command: TestCommand | None, outcome: Outcome | None = None) -> dict[str, str]:
    """Return what the page says of the failure; without an outcome, before the run ends."""
    sentence, lines = kept_words(command)
    kept = f"Kept: {sentence}." if sentence else "Kept: the test is interesting."
    if outcome is None:
        return {"kept": kept, "ending": "", "output": printable("\n".join(lines).encode())}
    what = "command" if sentence else "test"
    shown = printable(outcome.output)
    said = "prints:" if shown.strip() else "prints nothing."
    ending = f"On the small input the {what} {ending_phrase(outcome)} and {said}"
    return {"kept": kept, "ending": ending, "output": shown[-20_000:]}


def write_report(
    output: OutputFile,
    record: Record,
    pattern: dict[str, object] | None = None,
    *,
    force: bool = False,
) -> None:
    """Write the report of a run, over an earlier one or, with `force`, over any file."""
    from marrow.report.html import NoReportError, html_report

    path = output.path
    check_file(path, REPORT, "report out.html", force=force)
    try:
        content = html_report(record, pattern).encode("utf-8", "replace")
        output.write(content)
    except NoReportError as error:
        raise JournalError(error_text("journal_without_report", error=error)) from error
    except (OutputError, OSError) as error:
        raise OutputError(
            f"cannot write the report to {path}: {message_of(error)}\n"
            "The result is there; `marrow report JOURNAL -o FILE` writes the report elsewhere."
        ) from error
