"""The options of `marrow triage`, declared once."""

# Not with `from __future__ import annotations`: see `options`.

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

from marrow.run.options.option import (
    ANYTHING,
    CALL,
    FLAG,
    PATH,
    SEARCH,
    TEXT,
    TIME,
    USER,
    AnyPath,
    Option,
    one_of,
    whole,
)
from marrow.run.options.option_groups import FAILURE, FIRST, PATTERNS, RESULTS, STRATEGY
from marrow.run.options.option_kinds import names_in
from marrow.run.options.options import (
    CommandOptions,
    ConfigOptions,
    LanguageOptions,
    LimitOptions,
    PlaceOptions,
    SayOptions,
)

if TYPE_CHECKING:
    from marrow.engine.events import Event

#: How long the target may take, in seconds: what AFL++ calls a hang takes one.
TIMEOUT: Final = 5.0

# fmt: off


class TriageOptions(
    LanguageOptions,
    CommandOptions,
    PlaceOptions,
    LimitOptions,
    SayOptions,
    ConfigOptions,
    total=False,
):
    """The options of `marrow triage` and `marrow.triage`."""

    command: Annotated[Sequence[str] | None, Option(
        "The target, as words; {} is the file.", ANYTHING, FAILURE, CALL, flags=())]
    forbid: Annotated[Sequence[str], Option(
        "A run in which the target prints such a line is no failure.", TEXT, FAILURE, SEARCH,
        flags=("--not",), metavar="REGEX", multiple=True, default=())]
    timeout: Annotated[float | str, Option(
        "A run that takes longer hangs, which is a failure too. A run that seems to hang is "
        f"repeated alone.  [default: {TIMEOUT:g}s]", TIME, FIRST, SEARCH, default=TIMEOUT)]
    output: Annotated[AnyPath | None, Option(
        "The directory that everything goes to. An earlier triage there is gone on with: only new "
        "files are run.  [default: bugs]", PATH, FIRST, CALL, flags=("-o", "--output"),
        metavar="DIR")]
    known: Annotated[Sequence[AnyPath], Option(
        "The directory of an earlier triage: the exit code is 14 if there is a bug that is not in "
        "it; says which of its bugs no longer fail.", PATH, FIRST, USER, metavar="DIR",
        multiple=True,
        default=())]
    reduce: Annotated[int, Option(
        "How many of the files that fail alike are reduced at most; more are where a failure does "
        "not say where it is.  [default: 2]", whole(1), FIRST, SEARCH, metavar="N", default=2)]
    overrules: Annotated[AnyPath | None, Option(
        "What you know better: which files have one cause, and which have not.  [default: "
        "DIR/overrules.toml]", PATH, RESULTS, USER, metavar="FILE")]
    pattern_tests: Annotated[int, Option(
        "Where there is a grammar: how many tests the pattern of a bug may take; 0 for none."
        "  [default: 300]", whole(0), PATTERNS, SEARCH, metavar="N", default=300)]
    effort: Annotated[str, Option(
        "How hard each reduction tries; see marrow reduce.  [default: normal]",
        one_of(names_in("marrow.reducers.pipeline.pipeline", "EFFORTS")), STRATEGY, SEARCH)]
    anew: Annotated[bool, Option(
        "Forget what the directory's journal knows: the target behaves otherwise now.", FLAG,
        RESULTS, CALL, default=False)]
    on_progress: Annotated["Callable[[Any], None] | None", Option(
        "Called with how far the triage has come, in the calling thread.", ANYTHING, RESULTS, CALL,
        flags=())]
    on_event: Annotated["Callable[[Event], None] | None", Option(
        "Called with every event of its reductions.", ANYTHING, RESULTS, CALL, flags=())]
