"""Which setting belongs to which algorithm: what is refused has no effect, and nothing else is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from marrow import grammars, reduce
from marrow.base.errors import MarrowError
from marrow.grammar.language import Language
from marrow.learn.model import Curve, Model
from marrow.learn.types import removals
from marrow.reducers.algorithms.hoist import Compatibility, Hoisting
from marrow.reducers.algorithms.probdd import Probdd
from marrow.reducers.algorithms.settings import PRESETS, NormalForm, Settings
from marrow.reducers.algorithms.traversal import Traversal
from marrow.reducers.pipeline.algorithm_table import ALGORITHMS, algorithm_of, users_of
from marrow.reducers.streams.stream import finish
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.grammar_front_end import GrammarFrontEnd
from marrow.syntax.text_front_end import TextFrontEnd
from marrow.tree import Tree
from tests.reducers.running import run

#: Values of each setting that differ from its default, one of which must matter to its users.
CHANGED: Mapping[str, Sequence[Any]] = {
    "hoisting": [Hoisting.NONE, Hoisting.BOTH],
    "minimize": [Probdd(weighted=False)],
    "traversal": [Traversal.DEPTH_BACKWARD, Traversal.DEPTH, Traversal.BREADTH_BACKWARD],
    "prepare": [()],
    "compatibility": [Compatibility.LABEL],
    "as_published": [True],
    "hoist_filtered": [False],
    "bound": [0],
    "model": [Model("c", {}, {"branch": Curve(-5.0, 9.0), "token": Curve(9.0, -5.0)})],
    "online": [False],
    "clean_up": ["pardis"],
    "seed": [3, 4],
    "initial_belief": [0.3],
    "plain_types": [True],
    "normal_form": [NormalForm.FULL],
}
#: On a small input, batches begin at once only without the outcomes of the run.
BATCHES = {"clean_up", "model", "seed", "initial_belief", "plain_types"}

#: Settings that the run uses, whatever the algorithm.
OF_THE_RUN = {"objective", "once"}


def test_every_setting_is_in_the_table() -> None:
    assert {one.name for one in fields(Settings)} == CHANGED.keys() | OF_THE_RUN
    for name in CHANGED:
        assert users_of(name), name


TEXT = b"""local a, b = 1 + 2 + 3, {4, {5}}
local function f(x) return (x) + g(h(x), 6) end
if a then b[1][2] = f(a .. 'one' .. 'two') else f() end
while not f(b) do local c = 7; f(c, (f(8))) end
repeat f(9) until a
do do do f(11) end end end
do do do f(12) end end end
return f(a + b + 10)
"""

#: What must be left, in three properties.
NEEDED = ([b"8"], [b"h(", b"10"], [b"11", b"12"])


def tried(algorithm: str, settings: Settings) -> list[bytes]:
    """Return the candidates of an algorithm."""
    found: list[bytes] = []
    front = front_end(algorithm)
    for needed in NEEDED:
        _, reducer = algorithm_of(algorithm, settings).reducer_for(front)
        tree = front.parse(TEXT)
        found += run(tree, reducer(tree, finish), partial(_holds, needed)).tried
    return found


def _holds(needed: Sequence[bytes], tree: Tree) -> bool:
    return all(word in tree.text for word in needed)


@cache
def front_end(algorithm: str) -> FrontEnd:
    if algorithm_of(algorithm).granularity:
        return TextFrontEnd("lines")
    return GrammarFrontEnd(Language.from_file(Path(grammars.__file__).parent / "lua.g4"))


@cache
def model() -> Model:
    """Return a model whose types differ, so that a schedule has several."""
    tree = front_end("perses*").parse(TEXT)
    curves: dict[str, Curve] = {}
    for plain in (True, False):
        names = sorted({one.type for _, one in removals(tree, plain=plain)})
        curves |= {name: Curve(3.0 * (at % 3) - 4.0, 0.0) for at, name in enumerate(names)}
    return Model("lua", curves)


@pytest.mark.parametrize("algorithm", [one.name for one in ALGORITHMS])
def test_what_is_refused_has_no_effect_and_nothing_else_is(algorithm: str) -> None:
    wrong = []
    for name, values in CHANGED.items():
        usual = Settings(online=name not in BATCHES, model=model())
        uses, same = algorithm_of(algorithm, usual).uses, True
        for value in values:
            try:
                changed = algorithm_of(algorithm, replace(usual, **{name: value}))
            except LookupError:
                continue
            same = same and tried(algorithm, usual) == tried(algorithm, changed.settings)
        if same != (name not in uses):
            wrong.append(f"{name}: {'no effect' if same else 'an effect'}")
    assert not wrong


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"normal_form": "full", "grammar": "json"}, "normal_form.* makes no difference"),
        ({"normal_form": "full", "algorithm": "perses*"}, "full'? works on the trees of a grammar"),
        ({"bound": 3, "algorithm": "hdd*"}, "no difference to hdd"),
        ({"preset": "published", "algorithm": "hdd*"}, "trees of a grammar"),
        ({"preset": "published", "grammar": "json"}, "is for the HDD family"),
        ({"preset": "published", "algorithm": "perses*", "grammar": "json"}, "is for the HDD"),
        ({"preset": "perses"}, "trees of a grammar"),
        ({"algorithm": "ddset"}, "trees of a grammar"),
        ({"preset": "type-batched", "algorithm": "hdd*"}, "is for type batching"),
        ({"seed": 3}, "no difference to pipeline"),
        ({"seed": 3, "algorithm": "batched"}, "It is for batched-random"),
        ({"clean_up": "pardis"}, "no difference"),
        ({"traversal": "depth", "algorithm": "hdd*"}, "no difference"),
        ({"compatible": "label", "algorithm": "hdd*"}, "no difference"),
        ({"split": 3, "algorithm": "pardis*"}, "no difference"),
        ({"list_minimizer": "cdd", "algorithm": "pardis*"}, "no difference"),
        ({"algorithm": "probdd"}, "list_minimizer"),
    ],
)
def test_what_has_no_effect_is_refused(options: dict[str, Any], words: str) -> None:
    if "grammar" not in options:
        options["language"] = "json"
    with pytest.raises(MarrowError, match=words):
        reduce(b"[1, 2]", lambda text: b"1" in text, **options)


def test_a_preset_of_an_algorithm_goes_with_a_layout() -> None:
    result = reduce(
        b"[1, [2]]",
        lambda text: b"2" in text,
        language="json",
        preset="type-batched",
        layout="keep",
    )
    assert result.algorithm == "batched"


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_accepted_where_they_belong(name: str) -> None:
    algorithm = PRESETS[name].algorithm or "hddr*"
    result = reduce(
        b"[1, [2, 3]]", lambda text: b"2" in text, grammar="json", preset=name, algorithm=algorithm
    )
    assert b"2" in result.text
