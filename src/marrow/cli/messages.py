"""Messages of `marrow reduce`: the summary, and advice on an unsuitable test."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from pathlib import Path

from marrow.base.errors import error_text
from marrow.cli.exits import CliError, Exit
from marrow.engine.executors.quorum import enough_for
from marrow.engine.process.command import CapturedCommand, TestCommand
from marrow.engine.search.dispatcher import Limits
from marrow.engine.verdict import Outcome, Verdict
from marrow.report.plain import counted, printable
from marrow.run.output.reporting import ending_phrase, ending_words
from marrow.run.output.result import Result
from marrow.run.plan.input import Input, no_option
from marrow.run.run import Run
from marrow.run.test.check_test import seen_in
from marrow.run.test.guards import lost_check
from marrow.run.test.observed_command import names_input
from marrow.run.test.unfit_test import (
    EmptyInterestingError,
    FlakyTestError,
    GoodInterestingError,
    UnfitTestError,
)

# How many lines of a test's output are shown, and of a command's on the result: in all, and of its
# end. So the summary has 15 lines at most, unless it is to be verbose.
_MOST_LINES = 20
_SHOWN = (5, 2)
_SHOWN_VERBOSE = (12, 4)

# How much of a line of it is shown, in characters.
_WIDEST = 200

# How many other failures are named, and how many of them if the summary is verbose.
_MOST_OTHERS = 3
_MOST_OTHERS_VERBOSE = 10

NEWLINE = "\n"


def reduction_summary(run: Run, result: Result, again: str, *, verbose: bool = False) -> str:
    """Return the summary at the end of a run; `again` is the command line that continues it."""
    command, outcome = run.command, run.shown
    assert command is not None  # the command line has no other tests
    what = "command" if isinstance(command, CapturedCommand) else "test"
    tokens = "there was no time to count its tokens"
    if result.tokens_before:
        kept = result.tokens_after / result.tokens_before
        unit = "tokens" if result.patch is None else "changes"
        tokens = f"{result.tokens_before:,} -> {result.tokens_after:,} {unit} ({kept:.1%})"
    guarantee = result.guarantee
    if result.patch is not None and guarantee.startswith("1-"):
        guarantee = "1-minimal: no single change can be undone"
    ahead = result.tests - result.asked - result.repeats
    lines = [
        f"{run.output_path}: {tokens}, {result.bytes_before:,} -> {result.bytes_after:,} bytes",
        f"  {result.asked:,} tests run to reduce, {result.repeats:,} on the input and the result"
        + (f", {ahead:,} ahead of their turn or to explain" if ahead > 0 else "")
        + f"; {result.cached:,} answered from the cache, "
        f"{counted(result.invalid, 'invalid candidate')} skipped, {result.seconds:.1f} s",
        f"  guarantee: {guarantee}",
    ]
    if result.stopped is not None:
        lines.append(stopped_line(result.stopped, result.tests, run.plan.limits))
    if result.put_off:
        lines.append(f"  slow: {result.put_off}")
    if result.reliability is not None:
        lines.append(f"  reliability of the result: {result.reliability.words()}")
    if result.reliability_before is not None:
        lines.append(f"  that of the input: {result.reliability_before.words()}")
    elif result.verified:
        lines.append("  verified: the test is interesting on the result")
    if check := _lost_check(run, result.language):
        lines.append(
            f"  no longer valid: `{check.removesuffix(' {}')}` accepts the input, not the result; "
            f"--guard {shlex.quote(check)} keeps that"
        )
    if (seen := result.smallest) is not None:
        often = "as often as the input" if result.reliability else "every time"
        lines += [
            f"  not the smallest: that was interesting in {seen.interesting} of {seen.runs} runs "
            "only, so this is the",
            f"  last one that was so {often}; --resume looks for another way, and --flaky K/N lets "
            "a test fail more often",
        ]
    if outcome is not None and (what == "command" or outcome.output):
        lines += _on_the_result(outcome, what, _SHOWN_VERBOSE if verbose else _SHOWN)
    if result.command is not None:
        lines.append(f"  the command needs no more than: {result.command}")
    for name, shorter in result.command_files.items():
        lines.append(f"  of {_shown(name)} it needs no more than: {_shown(str(shorter))}")
    if result.also_seen:
        most = _MOST_OTHERS_VERBOSE if verbose else _MOST_OTHERS
        seen_too = [*result.also_seen.items()]
        some = "; ".join(f"{_shown(label)} ({count:,})" for label, count in seen_too[:most])
        more = len(seen_too) - most
        others = f"; and {more:,} more (--also DIR saves them)" if more > 0 else ""
        lines.append(f"  also seen: {some}{others}")
    lines += contrast_lines(result)
    lines.append(f"  check by hand: {by_hand(run.output_path, run.plan.source, command)}")
    if again:
        lines.append(f"  continue with: {again}")
    return "\n".join([*lines, *explained_lines(result), *kept_word_lines(result)])


def _lost_check(run: Run, language: str) -> str:
    """Return the usual check that the input of a command passes and the result does not."""
    command, source = run.command, run.plan.source
    if not isinstance(command, CapturedCommand) or command.guards or command.sandbox is not None:
        return ""
    if source.several or not source.paths or run.output_path == source.paths[0]:
        return ""
    return lost_check(language, source.paths[0], run.output_path)


def stopped_line(stopped: str, tests: int, limits: Limits) -> str:
    """Return why a run stopped, and how more tests than the limit could run."""
    line = f"  stopped: {stopped.partition(NEWLINE)[0]}"
    if limits.tests is None or stopped != limits.tests_reached or tests <= limits.tests:
        return line
    return f"{line} (runs on the input and the result and speculative tests are not counted)"


def _on_the_result(outcome: Outcome, what: str, most: tuple[int, int]) -> list[str]:
    """Show what the command or test does on the result: everybody sees that it is the failure.

    Some tools say it first, others (Python) last: of a long output both ends are shown.
    """
    lines = printable(outcome.output).rstrip().splitlines()
    shown = [f"{line[:_WIDEST]}{'...' if len(line) > _WIDEST else ''}" for line in lines]
    if len(lines) > most[0]:
        more = counted(len(lines) - most[0], "more line")
        shown = [*shown[: most[0] - most[1]], f"... {more} ...", *shown[-most[1] :]]
    prints = "prints:" if lines else "prints nothing"
    said = f"  on the result the {what} {ending_phrase(outcome)} and {prints}"
    return [said, *(f"  | {line}" for line in shown)]


def _shown(text: str) -> str:
    """Return a text of the user's system for the terminal."""
    return printable(text.encode("utf-8", "surrogateescape"))


# Longer texts are not shown beside each other.
_LONGEST_CONTRAST = 300


def contrast_lines(result: Result) -> list[str]:
    """Show the nearest input that does not fail below the result, with the difference marked."""
    if not result.contrasts or len(result.text) > _LONGEST_CONTRAST:
        return []
    near = result.contrasts[0]
    before, after = result.text[: near.start], result.text[near.end :]
    lines = []
    for what, piece in (("fails: ", result.text[near.start : near.end]), ("passes:", near.new)):
        left, middle, right = (
            printable(one).replace(NEWLINE, "\N{RETURN SYMBOL}")
            for one in (before.lstrip(b"\n"), piece, after.rstrip(b"\n"))
        )
        marked = f"\N{LEFT CORNER BRACKET}{middle}\N{RIGHT CORNER BRACKET}"
        lines.append(f"  {what} {left}{marked}{right}")
    return lines


def explained_lines(result: Result) -> list[str]:
    """Return what the result needs, in lines, if that was asked for."""
    if result.explanation is None:
        return []
    from marrow.run.output.explanation import explained_parts

    parts = explained_parts(result.explanation)
    shown = printable("".join(part.text for part in parts).encode()).rstrip()
    lines = ["  the text is needed as it is; <...> may vary:", *shown.split(NEWLINE)]
    known: set[str] = set()
    for part in parts:
        if part.mark in ("any", "same") and part.name and part.text not in known:
            known.add(part.text)
            said = "the same text everywhere" if part.mark == "same" else "any"
            also = " | ".join(
                printable(one.encode()).replace(NEWLINE, " ") for one in part.examples
            )
            said = "; ".join((f"{said}, such as {also}" if also else said, *part.rules))
            lines.append(f"  {part.text.strip()}: {said}")
    unknown = [part.text.strip() for part in parts if part.mark == "not known"]
    if any(unknown):
        lines.append(f"  not known to be needed: {' '.join(filter(None, unknown))}")
    if result.explanation.stopped:
        lines.append("  (within a small budget of tests)")
    return lines


# How many words of the input that stay are listed; `--json` has all of them.
_MOST_WORDS = 50


def kept_word_lines(result: Result) -> list[str]:
    """Return the table of the words of the input that are in the result, if that was asked for."""
    words = result.kept_words
    if words is None:
        return []
    if not words:
        return ["  words of the input in the result: none"]
    lines = ["  words of the input in the result, and how often:"]
    named = "  named by the test or failure"
    width = max(len(one.word) for one in words[:_MOST_WORDS])
    for one in words[:_MOST_WORDS]:
        lines.append(f"    {_shown(one.word):{width}}  {one.times:,}{named * one.in_test}")
    if (more := len(words) - _MOST_WORDS) > 0:
        lines.append(f"    ... and {counted(more, 'more word')} (--json lists all)")
    return lines


def unfit_error(error: UnfitTestError, command: TestCommand | None, source: Input) -> CliError:
    """Say what is wrong with a test, what it printed, and how to look at it by hand."""
    assert command is not None  # the command line has no other tests
    if isinstance(error, GoodInterestingError):
        return CliError(Exit.EMPTY_INTERESTING, f"{error.problem}\n{error.advice}")
    code, advice = _advice(error, command)
    line = command.by_hand(source.name)
    try_it = by_hand(None, source, command)
    if isinstance(error, EmptyInterestingError):
        empty = f"cp /dev/null {shlex.quote(no_option(source.name))}" if source.name else ":"
        try_it = _elsewhere(empty, line)
    if command.sandbox is not None:
        advice += "\n" + error_text("advice_sandbox")
    shown = next((one for one in error.outcomes if one.output), error.outcomes[0])
    lines = [error.problem, f"  command: {line}", f"  {_exits(error.outcomes)}", *_output(shown)]
    advice += f"\nTry it by hand: {try_it}"
    late = all(one.verdict is Verdict.TIMEOUT for one in error.outcomes)
    return CliError(
        code,
        "\n".join([*lines, advice]),
        kind="timeout" if late and code is Exit.NOT_INTERESTING else "",
        hint=advice,
        output=shown.output.decode("utf-8", "backslashreplace"),
    )


def _advice(error: UnfitTestError, command: TestCommand) -> tuple[Exit, str]:
    """Return the exit code for a test that is unsuitable, and what to do about it."""
    if isinstance(error, EmptyInterestingError):
        name = "advice_empty_test" if command.plain is None else "advice_empty_command"
        return Exit.EMPTY_INTERESTING, error_text(name)
    if isinstance(error, FlakyTestError):
        return Exit.FLAKY, error_text("advice_flaky", quorum=enough_for(seen_in(error.outcomes)))
    if all(one.verdict is Verdict.TIMEOUT for one in error.outcomes):
        said = error_text("advice_late")
    elif isinstance(command, CapturedCommand):
        why = next((f"What is missing: {one.why}\n" for one in error.outcomes if one.why), "")
        said = why + error_text("advice_command")
    else:
        shell = "".join(command.arguments[2:3] if command.arguments[1:2] == ("-c",) else ())
        place = 'In --shell the file is "$1"; {} is for a command after --.\n' * ("{}" in shell)
        said = place + error_text("advice_test")
    return Exit.NOT_INTERESTING, said


def unverified_message(run: Run, result: Result, outcome: Outcome) -> str:
    """Say that the test no longer holds on the result."""
    path, quorum = run.output_path, run.plan.quorum
    after, before = result.reliability, result.reliability_before
    if result.changed:
        return error_text("result_of_changed_test", changed=result.changed, path=path)
    if quorum is None and after is not None and before is not None:
        return error_text("weaker_result", path=path, result=after.words(), input=before.words())
    if quorum is not None and after is not None:
        seen, stricter = after.words(), quorum.stricter
        return error_text(
            "result_below_quorum", path=path, quorum=quorum, result=seen, stricter=stricter
        )
    said = "\n".join(outcome_lines(outcome))
    return error_text("result_not_interesting", path=path, said=said)


def outcome_lines(outcome: Outcome) -> list[str]:
    """Say how a run ended and what it printed."""
    return [f"  {_exits([outcome])}", *_output(outcome)]


def _elsewhere(copied: str, line: str) -> str:
    """Return what a person types to run a command in a fresh directory with something in it."""
    return f'(cd "$(mktemp -d)" && {copied} && {line}); echo $?'


def by_hand(path: Path | None, source: Input, command: TestCommand) -> str:
    """Return what a person types to run the test on a result, or on the input."""
    line = command.by_hand(source.name)
    if not isinstance(command, CapturedCommand):
        return _elsewhere(source.copied(path), line)
    plain = command.plain or ""
    result = "" if path is None else shlex.quote(str(path.absolute()))
    here = f"cp -R {shlex.quote(os.getcwd())}/. ."
    if source.paths == (source.base,):  # a directory, which the command may name
        name, words = os.path.relpath(source.base), shlex.split(plain)
        below = not name.startswith(".") and not any("{}" in word for word in words)
        if below and names_input(words, source):
            place = shlex.quote(name)
            swapped = f"{here} && rm -rf {place} && cp -R {result} {place}"
            return _elsewhere(swapped, plain) if result else f"{plain}; echo $?"
    if source.several or not source.paths:
        return _elsewhere(source.copied(path), line)
    name = os.path.relpath(source.paths[0])
    # Without a {} the command finds the candidate by its name; so does a class of Java.
    if result and ("{}" not in plain.removesuffix(" < {}") or source.name.endswith(".java")):
        name = source.name if name.startswith("..") else name
        return _elsewhere(f"{here} && cp {result} {shlex.quote(name)}", command.by_hand(name))
    return f"{command.by_hand(name if path is None else os.path.relpath(path))}; echo $?"


def _exits(outcomes: list[Outcome]) -> str:
    """Say how the runs ended."""
    ways = Counter(map(ending_words, outcomes))
    if len(outcomes) == 1:
        return next(iter(ways))
    return ", ".join(f"{way} ({count} of {len(outcomes)} runs)" for way, count in ways.items())


def _output(outcome: Outcome) -> list[str]:
    """Return the end of what the test printed."""
    lines = printable(outcome.output).splitlines()
    if not lines:
        return ["  it printed nothing"]
    head = "  it printed:" if len(lines) <= _MOST_LINES else "  it printed, at the end:"
    return [head, *(f"  | {line}" for line in lines[-_MOST_LINES:])]
