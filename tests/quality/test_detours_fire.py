"""Every rewrite that is a detour, and every one that inlines functions, fires on a text."""

from __future__ import annotations

import pytest

from marrow.reducers.passes.inline_calls import inlined
from marrow.reducers.passes.rewrites import rewritten
from marrow.reducers.pipeline.pipeline import rewrites_of
from tests.quality.detour_examples import FIRES as PROGRAMS_FIRE
from tests.quality.detour_examples_scripts import SCRIPTS_FIRE
from tests.quality.named_rewrites import named_rewrites

FIRES = [*PROGRAMS_FIRE, *SCRIPTS_FIRE]

LANGUAGES = [
    "c",
    "javascript",
    "java",
    "python",
    "go",
    "rust",
    "lua",
    "ruby",
    "php",
    "sql",
    "smtlib",
]


def made(language: str, name: str, text: str) -> list[str]:
    """Return what the rewrites of a name make of a text, without blanks, valid texts alone."""
    front, context, tree = named_rewrites(language, name, text)
    chosen = context.options.rewrites
    found = [candidate.text for one in chosen for candidate in rewritten(context, tree, one)]
    found += [candidate for one in chosen for candidate in inlined(tree, one)]
    validity = front.validity()
    if validity is not None:
        validity.rebase(tree)
        found = [one for one in found if validity.valid(front.parse(one))]
    return ["".join(one.decode().split()) for one in found]


@pytest.mark.parametrize(("language", "name", "before", "after"), FIRES)
def test_it_fires(language: str, name: str, before: str, after: str) -> None:
    found = made(language, name, before)
    assert "".join(after.split()) in found, found


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_detours_of_a_language_fire(language: str) -> None:
    names = {one.name for one in rewrites_of(language) if one.grows or one.calls is not None}
    shared = {
        name for other, name, _, _ in FIRES if other in ("c", "cpp")
    }  # spelled alike in C's relatives
    assert names <= {name for other, name, _, _ in FIRES if other == language} | shared
