"""The library: what `marrow reduce`, `marrow abstract` and `marrow triage` do, as functions.

Nothing here touches the state of the process: no signal handlers, no working directory, no
terminal. Any number of calls may run at once, in any threads.
"""

from __future__ import annotations

import asyncio
import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack

from marrow.engine.events import Listener, ignore
from marrow.run.options.option import AnySource, read_values
from marrow.run.options.options import AbstractOptions, ReduceOptions, TriageOptions
from marrow.run.output.result import Ending, Result
from marrow.run.plan.chosen_test import AnyTest
from marrow.run.plan.input import Input, mapping_input, path_input, text_input
from marrow.run.plan.plan import Plan, plan_abstraction, plan_reduction
from marrow.run.run import Run

if TYPE_CHECKING:
    from marrow.abstraction.pattern import Pattern
    from marrow.bugs.bug import TriageResult

# A longer text is not the name of a file on any system.
_LONGEST_NAME: Final = 4096


class InterruptedReduction(KeyboardInterrupt):
    """Ctrl-C during `reduce`; `result` is the best so far."""

    def __init__(self, result: Result) -> None:
        super().__init__("the reduction was interrupted; the result so far is in `result`")
        self.result = result


def reduce(
    source: AnySource, test: AnyTest | None = None, **options: Unpack[ReduceOptions]
) -> Result:
    """Cut an input down to a much smaller one that the test still finds interesting.

    `source` is a text (bytes or str), a path (of a file or a directory), or a mapping of file names
    to contents; of a set of files, `result.files` has what is left.

    `test` is a function of the candidate (bytes) that returns true, false or a `Verdict`; or the
    path of an executable as for `marrow reduce`; or a `TestCommand`. A function is called in other
    threads, up to `jobs` of them at once (one by default). Without a test, `command` is the command
    that fails (`["node", "{}"]`); its failure is inferred from what it prints and kept.

    The options are those of the command line, with the same names and meanings;
    docs/reference/options.md lists them. Python differs in this: nothing is written without
    `output` or `report`; no journal is kept without `journal`, and an existing one is resumed;
    `executor` may be a pool of `concurrent.futures` or the address of a Dask scheduler; `on_event`
    is called with every event, in the calling thread (`events.append` makes a list of them).

    Raises `UnfitTestError` if the test is unsuitable for the input (not interesting on it, flaky,
    or interesting on an empty text too, unless `allow_empty`), `TestFailureError` if it cannot be
    run, `InterruptedReduction` (a `KeyboardInterrupt`) on Ctrl-C. A limit, or a test that fails
    later, ends the reduction with the best so far; `result.stopped` says why.

    >>> result = reduce(b"[1, [2, 3], {\\"a\\": 4}]", lambda text: b"3" in text, language="json")
    >>> result.text, result.tokens_before, result.tokens_after
    (b'3', 15, 1)
    """
    plan, listener = _planned(source, test, options)
    return _reduce(Run(plan, listener))


async def areduce(
    source: AnySource, test: AnyTest | None = None, **options: Unpack[ReduceOptions]
) -> Result:
    """Do what `reduce` does, without blocking the event loop that awaits it.

    `test` may also be a coroutine function: it runs in this loop, up to `jobs` times at once. The
    algorithm runs in another thread, and so does `on_event`. When the task is cancelled, tests are
    stopped (a plain function runs to its end) and everything is cleaned up.

    >>> import asyncio
    >>> async def test(candidate: bytes) -> bool:
    ...     await asyncio.sleep(0)
    ...     return b"3" in candidate
    >>> asyncio.run(areduce("[1, [2, 3]]", test, language="json", jobs=4)).text
    b'3'
    """
    plan, listener = _planned(source, test, options)
    run = Run(plan, listener, loop=asyncio.get_running_loop())
    running = asyncio.ensure_future(asyncio.to_thread(_reduce, run))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.to_thread(run.cancel)
        await asyncio.wait([running])
        if not running.cancelled():
            running.exception()  # seen: that the tests were stopped is expected
        raise


def abstract(
    source: AnySource, test: AnyTest | None = None, **options: Unpack[AbstractOptions]
) -> Pattern:
    """Look for the pattern of all inputs that fail as an input does (DDSET).

    `test` is as for `reduce`; it returns `Verdict.UNRESOLVED` (exit code 125) for what is not a
    valid input. `grammar` is a file, the name of a grammar that ships, or a grammar; without it the
    one that ships for the language is used. `reducer` None starts from the input as it is.
    Raises `UnfitTestError` if the test is unsuitable for the input, `ParseError` if the input does
    not match the grammar, `GrammarError` if that cannot be used, `UsageError` if there is none.

    >>> from marrow.abstraction.pattern import compact
    >>> pattern = abstract("1 + ((2))", lambda text: b"((" in text, grammar="calculator", seed=1)
    >>> compact(pattern)
    '((<expr>))'
    """
    from marrow.run.pattern_search import find_pattern

    values = read_values(AbstractOptions, options)
    values["no_reduce"] = values["no_reduce"] or options.get("reducer", "") is None
    plan = plan_abstraction(input_of(source, values), test, values)
    with Run(plan, values["on_event"] or ignore) as run:
        return find_pattern(run)[0]


def triage(
    crashes: os.PathLike[str] | Sequence[os.PathLike[str]],
    test: AnyTest | None = None,
    **options: Unpack[TriageOptions],
) -> TriageResult:
    """Find out how many bugs a folder of failing inputs is, with a small input for each.

    `crashes` are paths of folders, archives and files; `command` is the target (`["./target",
    "{}"]`), or `test` the path of a script that exits with 0 where it fails. The options are those
    of `marrow triage`. Nothing is written without `output`; if that holds a triage, it is
    continued. Raises `InputError` if no file is found, `UnclearFailureError` if the target fails
    on everything, `TestFailureError` if it cannot be run.
    """
    from marrow.bugs.triage_plan import triage_files

    values = read_values(TriageOptions, options)
    paths = [crashes] if isinstance(crashes, os.PathLike) else crashes
    report = triage_files(
        [Path(path) for path in paths],
        test,
        values,
        output=values["output"],
        listener=values["on_event"] or ignore,
        progress=values["on_progress"] or (lambda _: None),
    )
    return report.result


def input_of(source: AnySource, values: Mapping[str, Any]) -> Input:
    """Return the input that a program gives."""
    name, keep = values["name"], values.get("keep", ())
    if isinstance(source, bytes | str):
        if isinstance(source, str) and len(source) < _LONGEST_NAME and os.path.isfile(source):
            warnings.warn(
                f"{source!r} is reduced as a text, and is the name of a file too: give "
                f"Path({source!r}) to reduce the file",
                stacklevel=4,
            )
        return text_input(source, name)
    if isinstance(source, Mapping):
        return mapping_input(source, keep)
    if isinstance(source, os.PathLike):
        return path_input((Path(source),), name, keep)
    raise TypeError(
        f"the source is a text (str or bytes), a path (os.PathLike) or a mapping of file names to "
        f"texts, not {type(source).__name__}"
    )


def _planned(
    source: AnySource, test: AnyTest | None, options: ReduceOptions
) -> tuple[Plan, Listener]:
    values = read_values(ReduceOptions, options)
    bad = input_of(source, values)
    good = None
    if values["diff"] is not None:
        good = input_of(values["diff"], {**values, "name": None if bad.several else bad.name})
    return plan_reduction(bad, test, values, good), values["on_event"] or ignore


def _reduce(run: Run) -> Result:
    with run:
        result = run.reduce()
        run.report()
    if result.ending is Ending.INTERRUPTED:
        raise InterruptedReduction(result)
    return result
