"""Records for programs: what `--json` prints, for success, stop and error alike.

Their shapes are in `marrow.schemas`. A command prints one record, whatever happens.
"""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import click

from marrow import __version__
from marrow.cli.exits import CliError, Exit
from marrow.schemas import tag

if TYPE_CHECKING:
    from marrow.engine.executors.quorum import Reliability
    from marrow.run.output.result import Result
    from marrow.run.run import Run

# Larger texts are read from the file.
_LARGEST_TEXT: Final = 1 << 20

_BAR: Final = "  | "

# What a record has of a result without any change.
_AS_THEY_ARE: Final = (
    *("stopped", "language", "algorithm", "tokens_before", "tokens_after", "bytes_before"),
    *("bytes_after", "repeats", "cached", "guarantee", "verified", "also_seen"),
)

_KINDS: Final = {Exit.QUIT: "interrupted", Exit.TERMINATED: "interrupted"}


def print_record(record: dict[str, Any]) -> None:
    """Print a record, on a line of standard output."""
    click.echo(json.dumps(record))


def error_record(error: CliError) -> dict[str, Any]:
    """Return an error as data: what is wrong, what to do, what the test printed."""
    message, *rest = str(error).split("\n")
    while rest and message.endswith(","):  # a long first sentence
        message += " " + rest.pop(0)
    # Messages for people show what a test printed after a bar.
    shown = [line.removeprefix(_BAR) for line in rest if line.startswith(_BAR)]
    advice = [line for line in rest if not line.startswith(_BAR)]
    return {
        "kind": error.kind or _KINDS.get(error.code, error.code.name.lower().replace("_", "-")),
        "exit": int(error.code),
        "message": message,
        "hint": error.hint or "\n".join(advice),
        "output": error.output or "\n".join(shown),
    }


def print_error(error: CliError) -> None:
    """Print the record of an error, if JSON is asked for and no record has it already."""
    words = sys.argv[1:]
    ours = words[: words.index("--")] if "--" in words else words
    if "--json" in ours and not error.recorded:
        error.recorded = True
        print_record({"schema": tag("error"), "error": error_record(error)})


def result_record(
    run: Run, result: Result, *, exit_code: int, reproduce: str, resume: str, error: CliError | None
) -> dict[str, Any]:
    """Return the record of a reduction."""
    from marrow.run.output.reporting import ending_words, kept_words
    from marrow.signature.signature import Signature

    plan, shown = run.plan, run.shown
    sentence, evidence = kept_words(run.command)
    kept = getattr(getattr(run.command, "judge", None), "kept", None)
    text, pretty = (
        None if plan.source.several else _text(one) for one in (result.text, result.pretty)
    )
    explanation = None
    if result.explanation is not None:
        from marrow.run.output.explanation import explained_parts

        explanation = [asdict(part) for part in explained_parts(result.explanation)]
    only_if_there: dict[str, Any] = {
        "command": result.command,
        "command_files": {name: str(path) for name, path in result.command_files.items()} or None,
        "put_off": result.put_off or None,
        "explanation": explanation,
        "kept_words": result.kept_words and [asdict(one) for one in result.kept_words],
        "error": None if error is None else error_record(error),
    }
    paths = {
        "result": run.output_path,
        "pretty": result.pretty_path,
        "journal": plan.journal,
        "report": plan.report,
        "bug_report": plan.bug_report,
    }
    files = {name: None if path is None else str(path) for name, path in paths.items()}
    return {
        "schema": tag("result"),
        "marrow": __version__,
        "command_line": shlex.join(["marrow", *sys.argv[1:]]),
        "exit": exit_code,
        "ending": result.ending.value,
        "cut": result.text != plan.source.text,
        "input": plan.source.title,
        "output": files["result"],
        "pretty": files["pretty"],
        "files": files,
        "text": text,
        **{name: getattr(result, name) for name in _AS_THEY_ARE},
        "pretty_text": pretty,
        "tests": result.asked,
        "runs": result.tests,
        "seconds": round(result.seconds, 3),
        "failure": {
            "sentence": sentence or "the test is interesting",
            "evidence": list(evidence),
            "signature": kept.to_dict() if isinstance(kept, Signature) else None,
        },
        "on_result": None
        if shown is None
        else {
            "exit_code": shown.exit_code,
            "ending": ending_words(shown),
            **_decoded(output=shown.output),
        },
        "reproduce": reproduce,
        "resume": resume or None,
        "reliability": _reliability(result.reliability),
        "reliability_before": _reliability(result.reliability_before),
        "smallest": _reliability(result.smallest),
        "contrasts": [
            asdict(one) | _decoded(text=one.text, new=one.new) for one in result.contrasts
        ],
        **{name: one for name, one in only_if_there.items() if one is not None},
    }


def _text(text: bytes | None) -> str | None:
    """Return a text that JSON can hold; None for one that is binary or large."""
    if text is not None and len(text) <= _LARGEST_TEXT and b"\0" not in text:
        with contextlib.suppress(UnicodeDecodeError):
            return text.decode()
    return None


def _decoded(**texts: bytes) -> dict[str, str]:
    return {name: text.decode("utf-8", "backslashreplace") for name, text in texts.items()}


def _reliability(seen: Reliability | None) -> dict[str, Any] | None:
    if seen is None:
        return None
    from marrow.engine.executors.quorum import CONFIDENCE

    bounds = {"lowest": round(seen.lowest, 4), "highest": round(seen.highest, 4)}
    return {**asdict(seen), **bounds, "confidence": CONFIDENCE}
