"""The options of the command line that choose how an algorithm goes about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

import click

from marrow.learn.model import Model
from marrow.reducers.ddmin import Ddmin
from marrow.reducers.hoist import Compatibility, Hoisting
from marrow.reducers.list_minimizers import LIST_MINIMIZERS
from marrow.reducers.prepare import Preparation
from marrow.reducers.settings import CLEAN_UPS, PRESETS, Settings
from marrow.reducers.traversal import Traversal

_P = ParamSpec("_P")
_R = TypeVar("_R")

_DEFAULT: Final = Settings()


def _preparations(words: str) -> tuple[Preparation, ...]:
    """Read a list of preparations; their order is always the same."""
    named = set() if words == "none" else set(words.split(","))
    unknown = named - {one.value for one in Preparation}
    if unknown:
        raise click.BadParameter(
            f"there is no {', '.join(sorted(unknown))}; choose of squeeze, flatten, hide, or none"
        )
    return tuple(one for one in Preparation if one.value in named)


# Every option's name is that of a field of `Settings`, or of `Ddmin` for ddmin; one that is not
# given is None and leaves the preset alone.
_OPTIONS: Final = (
    click.option(
        "--preset",
        type=click.Choice(sorted(PRESETS)),
        help="Settings of the literature, which the options below change: those that the figures "
        "for the HDD family were published with, or ddmin as it was first printed.",
    ),
    click.option(
        "--hoist",
        "hoisting",
        type=click.Choice([one.value for one in Hoisting]),
        callback=lambda _, __, value: None if value is None else Hoisting(value),
        help="For the HDD family: hoist before, interlaced with deleting, both, or not at all.",
    ),
    click.option(
        "--traversal",
        type=click.Choice([one.value for one in Traversal]),
        callback=lambda _, __, value: None if value is None else Traversal(value),
        help="In which order hddr visits nodes.  "
        f"[default: {_DEFAULT.traversal.value}]",
    ),
    click.option(
        "--compatible",
        "compatibility",
        type=click.Choice([one.value for one in Compatibility]),
        callback=lambda _, __, value: None if value is None else Compatibility(value),
        help="For the HDD family: hoist what a slot accepts, or only nodes of the same rule.  "
        f"[default: {_DEFAULT.compatibility.value}]",
    ),
    click.option(
        "--prepare",
        metavar="LIST",
        callback=lambda _, __, value: None if value is None else _preparations(value),
        help="For the HDD family: what is done to the tree first, of squeeze (chains of single "
        "children), flatten (recursion into lists), hide (tokens that cannot change); or none.  "
        f"[default: {','.join(one.value for one in _DEFAULT.prepare)}]",
    ),
    click.option(
        "--bound",
        metavar="N",
        type=click.IntRange(min=0),
        help="For perses: how many steps down a replacement is looked for; with 0 there are only "
        "deletions, with a large number all descendants are looked at.  "
        f"[default: {_DEFAULT.bound}]",
    ),
    click.option(
        "--list-minimizer",
        type=click.Choice(sorted(LIST_MINIMIZERS)),
        help="How lists are minimised inside the algorithm.  "
        "[default: ddmin]",
    ),
    click.option(
        "--split",
        "factor",
        metavar="N",
        type=click.IntRange(min=2),
        help="For ddmin: into how many parts a part is cut.  "
        f"[default: {Ddmin().factor}]",
    ),
    click.option(
        "--subsets/--no-subsets",
        default=None,
        help="For ddmin: whether to try parts alone, not only the list without them.  "
        "[default: no]",
    ),
    click.option(
        "--backwards/--forwards",
        default=None,
        help="For ddmin: whether the last part goes first.  [default: backwards]",
    ),
    click.option(
        "--restart/--no-restart",
        default=None,
        help="For ddmin: whether to begin again at the first part after a success.  "
        "[default: no]",
    ),
    click.option(
        "--clean-up",
        type=click.Choice(CLEAN_UPS),
        help="For batched and joint: what goes on after them, to a fixpoint.  "
        f"[default: {_DEFAULT.clean_up}]",
    ),
    click.option(
        "--model",
        metavar="FILE",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        callback=lambda _, __, value: None if value is None else _model(value),
        help="For batched and joint: a model made by `marrow train`.  "
        "[default: the one that ships for the language, if there is one]",
    ),
    click.option(
        "--online/--no-online",
        default=None,
        help="For batched and joint: whether the outcomes of the run correct the model, types are "
        "split by uses and Perses may lead; --no-online is the setting of the paper.  "
        "[default: yes]",
    ),
    click.option(
        "--seed",
        metavar="N",
        type=int,
        help="For algorithms that draw lots: batched-random.  "
        f"[default: {_DEFAULT.seed}]",
    ),
    click.option(
        "--once", is_flag=True, default=None, help="One pass of the algorithm, not a fixpoint."
    ),
)  # fmt: skip


def _model(path: Path) -> Model:
    try:
        return Model.from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise click.BadParameter(f"{path}: {error}") from error


def settings_options(command: Callable[_P, _R]) -> Callable[_P, _R]:
    """Add the options that choose settings."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def take_settings(options: dict[str, Any]) -> Settings:
    """Take the options of `settings_options` out of all options; return what they choose."""
    preset = options.pop("preset")
    settings = _DEFAULT if preset is None else PRESETS[preset]
    names = {"list_minimizer", *(field.name for field in (*fields(Settings), *fields(Ddmin)))}
    values = {name: options.pop(name) for name in names & options.keys()}
    return settings.changed(**{name: one for name, one in values.items() if one is not None})
