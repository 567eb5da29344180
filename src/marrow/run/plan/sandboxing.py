"""`--sandbox`: the sandbox for the test of a plan."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from marrow.base.errors import UsageError
from marrow.engine.process.sandbox import Sandbox, check_sandbox, hidden_places


def chosen_sandbox(
    wanted: bool, home: tuple[Path, ...], variables: tuple[str, ...]
) -> Sandbox | None:
    """Return the sandbox that options ask for; raise `UsageError` where they contradict."""
    if not wanted:
        for name, given in (("sandbox_home", home), ("env", variables)):
            if given:
                raise UsageError(
                    f"⟦{name}⟧ is for tests in a sandbox\n"
                    "Give ⟦sandbox⟧ too, or leave it out: without a sandbox a test has all of it."
                )
        return None
    for name in variables:
        if not re.fullmatch(r"[^=\0]+", name):
            raise UsageError(
                f"⟦env⟧: {name!r} is not the name of an environment variable\n"
                "Give the name alone; the value is the one that it has here."
            )
    own = Path(os.path.realpath(Path.home()))
    shown = []
    for path in home:
        place = Path(os.path.realpath(own / path))
        if not place.is_relative_to(own):
            raise UsageError(
                f"⟦sandbox_home⟧: {path} is not in your home directory {own}\n"
                "Name what the test needs of that; files elsewhere can be read anyway."
            )
        shown.append(os.path.relpath(place, own))
    return Sandbox(home=tuple(shown), variables=variables)


def sandbox_for(chosen: Sandbox, words: Iterable[str]) -> Sandbox:
    """Return a sandbox in which the files that a test names can be read.

    Raises `SandboxError` where the system offers none.
    """
    check_sandbox()
    return replace(chosen, visible=Sandbox.around(_needed(words)).visible)


def _needed(words: Iterable[str]) -> Iterator[Path]:
    """Yield what tests need that may lie in a place that a sandbox hides."""
    yield Path.cwd()
    # A path in a command for the shell that leads into such a place.
    tops = "|".join(re.escape(str(top)) for top in hidden_places())
    path = re.compile(rf"(?:{tops})/[^\s'\"`$;|&<>(){{}}]+")
    for word in words:
        yield from map(Path, path.findall(word))
