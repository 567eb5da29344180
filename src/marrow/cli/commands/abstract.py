"""`marrow abstract`: from one failing input to the pattern of all that fail."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console
from rich.text import Text

from marrow import __version__
from marrow.abstraction.hole_rules import rules_of
from marrow.abstraction.pattern import Hole, Mark, Pattern, compact, hole_text, segments
from marrow.abstraction.pattern_json import plain, to_json
from marrow.base.errors import InputError, UsageError, error_text
from marrow.cli.console import echo
from marrow.cli.exits import CliError, Exit
from marrow.cli.interruption import Interruption, interruptible
from marrow.cli.messages import stopped_line
from marrow.cli.records import print_record
from marrow.cli.run_arguments import CommandAfterDashes, inputs_and_test
from marrow.cli.run_options import run_options, values_of
from marrow.cli.running import Terminal, again
from marrow.grammar.model.parse_error import ParseError
from marrow.report.plain import counted, printable
from marrow.run.options.options import AbstractOptions
from marrow.run.output.explanation import pattern_data
from marrow.run.output.output_paths import journal_of
from marrow.run.output.result import Ending
from marrow.run.pattern_search import UnvaryingSamples, find_pattern, validity_warning
from marrow.run.plan.input import named_input, named_paths
from marrow.run.plan.plan import Plan, plan_abstraction
from marrow.run.run import Run
from marrow.schemas import tag
from marrow.tree import Place
from marrow.tree.node import render

_STYLES: Final = {
    Mark.ABSTRACT: "bold green",
    Mark.CONTEXT_SENSITIVE: "bold magenta",
    Mark.INVISIBLE: "dim",
}

#: A counter-example in a line of -v is cut to this many characters.
_SHOWN: Final = 60

#: How many texts are shown of a part that varies.
_EXAMPLES: Final = 3


_USAGE: Final = (
    "give one input and one test: the path of an executable after the input, a shell command with "
    "--shell,\nor the failing command after --\n"
    "`marrow abstract --help` has examples."
)


@click.command(
    "abstract",
    cls=CommandAfterDashes,
    first=("output", "jobs", "resume", "timeout", "max_time"),
)
@click.argument("inputs", metavar="INPUT [TEST | -- COMMAND]", nargs=-1, type=click.Path())
@run_options(AbstractOptions)
def abstract_command(inputs: tuple[str, ...], **given: Any) -> None:
    """Look for the pattern of all inputs that fail as INPUT does (DDSET).

    marrow reduces INPUT first. Then it replaces parts by others that the grammar allows. A part
    that can be anything while the failure stays is abstract; parts that must be equal are a
    group. The pattern is printed, and written to a file that other inputs can
    be produced from. Without --grammar, the grammar that ships for the language is used; without
    one, samples are pieces of INPUT and of --corpus, and tree-sitter says what is valid.
    """
    paths, test = inputs_and_test(inputs, given, usage=_USAGE)
    if len(paths) > 1:
        raise UsageError(_USAGE)
    with interruptible() as interruption:
        _abstract(paths[0], test, given, interruption)


def _abstract(
    path: Path, test: str | None, given: dict[str, Any], interruption: Interruption
) -> None:
    values = values_of("abstract", given, path)
    terminal = Terminal("abstract", values, interruption)
    plan = _plan(path, test, values)
    with terminal.running(plan) as run:
        output = run.outputs.result
        assert output is not None
        assert plan.sampling is not None
        if not values["resume"]:
            output.make_room(run.say)
        if values["command"] and values["unresolved_if"] is None and not values["differ"]:
            run.say(
                "not valid: an input on which the command fails in another way "
                "(--unresolved-if COMMAND decides otherwise)"
            )
        tokens = plan.sampling.whole.token_count
        with terminal.progress(str(path), tokens, len(plan.source.text)):
            pattern, ending = find_pattern(run)
            silent = validity_warning(pattern, run.executor, plan.source.name)
        run.outputs.write_final(to_json(pattern).encode())
        if terminal.as_json:
            print_record(pattern_record(run, pattern, path, silent))
        else:
            _show(terminal, run, pattern, silent)
        trust = verified(pattern)
        run.journal.note("ended", json.dumps({"state": f"{trust.capitalize()}."}))
        if ending is Ending.FINISHED:
            run.journal.note("finished", "yes")
        run.report(pattern_data(pattern, trust))
        if ending is Ending.INTERRUPTED:
            sys.exit(interruption.code)
        if ending is Ending.TEST_FAILED:
            raise CliError(Exit.TEST, pattern.stopped, recorded=terminal.as_json)


def _plan(path: Path, test: str | None, values: dict[str, Any]) -> Plan:
    """Return the plan; see that the input matches the grammar before any test is run."""
    source = named_input((path,), values)
    (path,) = named_paths((path,), values)
    output = values["output"] or path.with_name(f"{path.stem}.pattern.json")
    try:
        plan = plan_abstraction(source, test, values)
    except ParseError as error:
        raise InputError(error_text("not_of_the_grammar", path=path, error=error)) from error
    journal = journal_of(output, values)
    return replace(plan, output=output, journal=journal, resume=values["resume"])


def _show(terminal: Terminal, run: Run, pattern: Pattern, silent: UnvaryingSamples | None) -> None:
    Console(highlight=False, soft_wrap=True).print(coloured(pattern))
    if terminal.quiet:
        return
    lines = list(reasons(pattern)) if terminal.verbose else []
    lines += [*pattern_summary(run, pattern), *hole_lines(pattern)]
    if silent is not None:
        what = "and the tool calls them syntax errors" if silent.refused else "for example"
        lines += [
            f"  The test never said that a sample is not a valid input. These passed, {what}:",
            *(f"    {_short(text)}" for text in silent.examples),
            "  Let the test exit with 125 for invalid inputs, or give --unresolved-if COMMAND.",
        ]
    if pattern.stopped:
        lines.append(f"  continue with: {again()}")
    echo("\n".join(lines))


def coloured(pattern: Pattern) -> Text:
    """Return the compact form in colours."""
    shown = Text()
    for segment in segments(pattern):
        text = printable(segment.text.encode("utf-8", "backslashreplace"))
        shown.append(text, _STYLES.get(segment.mark))
    shown.rstrip()
    return shown


def pattern_summary(run: Run, pattern: Pattern) -> list[str]:
    """Return what there is to say about a pattern, in lines."""
    counts, tests, first_runs = count_marks(pattern), pattern.counts, run.checked.runs
    unknown = f", {counts['unknown']} not known" if counts["unknown"] else ""
    nodes = (pattern.tree.at(place) or pattern.tree.root for place in unknown_parts(pattern))
    kept = (render((node,)) for node in nodes)
    texts = list(dict.fromkeys(_short(text) for text in kept if text.strip()))
    lines = [
        f"{run.output_path}: {counts['abstract']} abstract, "
        f"{counted(counts['groups'], 'context-sensitive group')}, "
        f"{counts['invisible']} invisible{unknown}",
        f"  {verified(pattern)}",
        f"  {tests.tests:,} tests run, {tests.reduction:,} of them to reduce, "
        f"{first_runs:,} more on the input; {tests.cached:,} answered from the cache",
    ]
    if pattern.core is not None:
        part = _short(compact(pattern, pattern.core).encode())
        lines.append(f"  larger inputs that contain this part anywhere fail too: {part}")
    if places := [place for place, marked in pattern.marks.items() if marked.open]:
        shown = ", ".join(_short(compact(pattern, place).encode()) for place in places[:_EXAMPLES])
        lines.append(f"  more elements may be among these: {shown}")
    if texts:
        more = ", ..." if len(texts) > _EXAMPLES else ""
        lines.append(f"  not known whether needed: {', '.join(texts[:_EXAMPLES])}{more}")
    if pattern.stopped:
        lines.append(stopped_line(pattern.stopped, tests.tests + first_runs, run.plan.limits))
    return lines


def hole_lines(pattern: Pattern) -> list[str]:
    """Return a line for each part that varies and is seen, with texts that also fail there."""
    found: dict[str, str] = {}
    for hole in pattern.holes():
        if hole.marked.mark is not Mark.INVISIBLE:
            own = render((pattern.tree.at(hole.places[0]) or pattern.tree.root,))
            texts = [one for one in hole.marked.samples if one.strip() and one != own]
            shortest = sorted(texts, key=lambda one: (len(one), one))[:_EXAMPLES]
            said = [f"such as {', '.join(map(_short, shortest))}"] if shortest else []
            said += rules_of(pattern, hole)
            said += ["whether it must be the same is not known"] * doubtful(pattern, hole)
            found.setdefault(hole_text(hole.marked), "; ".join(said))
    width = max(map(len, found), default=0)
    return [f"  {name:<{width}}  {said}" for name, said in found.items() if said]


def doubtful(pattern: Pattern, hole: Hole) -> bool:
    """Whether no valid input showed that the members of a group must be the same."""
    return any(pattern.marks[place].doubtful for place in hole.places)


def verified(pattern: Pattern) -> str:
    """Say how far a pattern can be trusted."""
    joint = pattern.joint
    if pattern.naive:
        return "not verified as a whole: the published procedure does not do that"
    if pattern.stopped:
        return "not verified: the search was stopped"
    if not joint.samples and not pattern.passing:
        return "nothing varies, and nothing is known: no other valid input was found"
    if not joint.samples:
        only = "nothing varies: only this input was found to fail"
        return f"{only}; {pattern.passing} others next to it pass"
    share = f"{joint.valid / joint.samples:.0%} of the samples were valid inputs"
    if joint.exhaustive:
        return f"verified: all {joint.failing} other inputs of the pattern fail; {share}"
    bound = f"at least {joint.confidence:.0%} of all do, with 95% confidence"
    return (
        f"verified: {joint.failing} of {joint.valid} valid samples failed with everything varied "
        f"at once, {joint.near} of them near the input ({bound}); {share}"
    )


def count_marks(pattern: Pattern) -> dict[str, int]:
    """Count what varies."""
    marks = [hole.marked.mark for hole in pattern.holes()]
    return {
        "abstract": marks.count(Mark.ABSTRACT),
        "groups": marks.count(Mark.CONTEXT_SENSITIVE),
        "invisible": marks.count(Mark.INVISIBLE),
        "unknown": len(unknown_parts(pattern)),
    }


def unknown_parts(pattern: Pattern) -> list[Place]:
    """Return the smallest parts of which it is not known whether they are needed."""
    unknown = [place for place, marked in pattern.marks.items() if marked.mark is Mark.UNKNOWN]
    above = {step for place in pattern.marks for step in place.upwards() if step != place}
    return [place for place in unknown if place not in above]


def reasons(pattern: Pattern) -> Iterator[str]:
    """Yield a line for each node that was looked at, with the evidence."""
    for place, node in pattern.tree.walk():
        marked = pattern.marks.get(place)
        if marked is None or marked.mark is Mark.LEXICAL:
            continue
        seen = marked.evidence
        said = f"{seen.failing} failed, {seen.unresolved + seen.timeouts} unresolved"
        if seen.counterexample is not None:
            said += f"; passes: {_short(seen.counterexample)}"
        elif seen.reason:
            said += f"; {seen.reason}"
        if marked.alike is not None:
            said += f"; passes where it is the same as another part: {_short(marked.alike)}"
        name = f"{'  ' * place.depth}{marked.name} {_short(render((node,)))}"
        yield f"{name}: {marked.mark.value}; {said}"


def _short(text: bytes) -> str:
    shown = printable(text).replace("\n", "\\n")
    return repr(shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}...")


def pattern_record(
    run: Run, pattern: Pattern, input_path: Path, silent: UnvaryingSamples | None
) -> dict[str, object]:
    """Return the summary for programs."""
    joint = pattern.joint
    return {
        "schema": tag("pattern"),
        "marrow": __version__,
        "input": str(input_path),
        "output": str(run.output_path),
        "pattern": compact(pattern),
        "grammar": pattern.language.name,
        **count_marks(pattern),
        "core": None if pattern.core is None else compact(pattern, pattern.core),
        "passing": pattern.passing,
        "holes": [
            {
                "name": hole_text(hole.marked),
                "mark": hole.marked.mark.value,
                "doubtful": doubtful(pattern, hole),
                "rules": rules_of(pattern, hole),
                "conditions": plain(hole.marked.conditions),
                "examples": [printable(one) for one in hole.marked.samples[:_EXAMPLES]],
            }
            for hole in pattern.holes()
        ],
        "joint": {
            "failing": joint.failing,
            "valid": joint.valid,
            "samples": joint.samples,
            "confidence": round(joint.confidence, 4),
        },
        "tests": pattern.counts.tests,
        "repeats": run.checked.runs,
        "reduction_tests": pattern.counts.reduction,
        "cached": pattern.counts.cached,
        "seed": pattern.seed,
        "stopped": pattern.stopped or None,
        **({} if silent is None else {"never_invalid": list(map(printable, silent.examples))}),
    }
