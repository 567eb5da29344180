"""Why a test is unsuitable for an input: errors that say what to do about it."""

from __future__ import annotations

from typing import ClassVar, Final

from marrow.base.errors import MarrowError, spelled
from marrow.engine.verdict import Outcome


class UnfitTestError(MarrowError):
    """The test is unsuitable for the input: not interesting, flaky, or interesting when empty."""

    #: What to do, for the traceback of a program; the command line knows more and says more.
    advice: ClassVar[str] = ""

    def __init__(self, problem: str, outcomes: list[Outcome]) -> None:
        super().__init__(problem)
        shown = next((one for one in outcomes if one.output), None)
        if shown is not None:
            lines = shown.output.decode("utf-8", "replace").splitlines()[-20:]
            self.add_note("\n".join(["It printed:", *(f"  | {line}" for line in lines)]))
        why = next((one.why for one in outcomes if one.why), "")
        if why:
            self.add_note(f"What is missing: {why}")
        if self.advice:
            self.add_note(spelled(self.advice))
        self.problem: Final = problem
        self.outcomes: Final = outcomes


class NotInterestingError(UnfitTestError):
    """The test does not say yes to the input itself."""

    advice = (
        "The test must say yes to the source as it is. A function gets it as bytes; an executable "
        "finds it in an empty directory, and exits with 0."
    )


class FlakyTestError(UnfitTestError):
    """The test says now yes, now no, to the same input."""

    advice = (
        "It must give the same answer every time: fix its seeds, and let no limit of time decide; "
        "or have it run several times for an answer, with ⟦flaky 2/5⟧. With more "
        "than one worker it must be thread-safe."
    )


class GoodInterestingError(UnfitTestError):
    """The test says yes to the good input of a difference too."""

    advice = "Give a good input that passes, or a test that asks for the failure itself."


class EmptyInterestingError(UnfitTestError):
    """The test says yes to an empty file too."""

    advice = (
        "An empty input would be the answer. Make the test ask for the failure itself, or allow it "
        "with ⟦allow_empty⟧."
    )
