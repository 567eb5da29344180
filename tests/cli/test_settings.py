"""Options of the command line become settings: presets first, then what was said besides."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from marrow.cli.run_options import run_options
from marrow.learn.model import Curve, Model
from marrow.reducers.algorithms.ddmin import Ddmin, Wdd
from marrow.reducers.algorithms.hoist import Compatibility, Hoisting
from marrow.reducers.algorithms.prepare import Preparation
from marrow.reducers.algorithms.probdd import Probdd
from marrow.reducers.algorithms.settings import PRESETS, Settings
from marrow.reducers.algorithms.traversal import Traversal
from marrow.run.options.options import SettingOptions
from marrow.run.plan.plan import chosen_settings


def chosen(*arguments: str) -> Settings:
    found: list[Settings] = []

    @click.command()
    @run_options(SettingOptions)
    def command(**options: object) -> None:
        found.append(chosen_settings(options))

    result = CliRunner().invoke(command, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return found[0]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], Settings()),
        (["--hoist", "both", "--once"], Settings(Hoisting.BOTH, once=True)),
        (["--bound", "7"], Settings(bound=7)),
        (["--bound", "0"], Settings(bound=0)),
        (["--prepare", "none"], Settings(prepare=())),
        (
            ["--prepare", "hide,squeeze"],
            Settings(prepare=(Preparation.SQUEEZE, Preparation.HIDE)),
        ),
        (["--compatible", "label"], Settings(compatibility=Compatibility.LABEL)),
        (["--traversal", "depth-backward"], Settings(traversal=Traversal.DEPTH_BACKWARD)),
        (["--split", "4", "--subsets"], Settings(minimize=Ddmin(factor=4, subsets=True))),
        (["--list-minimizer", "probdd"], Settings(minimize=Probdd())),
        (
            ["--list-minimizer", "probdd", "--no-weighted"],
            Settings(minimize=Probdd(weighted=False)),
        ),
        (
            ["--initial-belief", "0.5", "--plain-types"],
            Settings(initial_belief=0.5, plain_types=True),
        ),
        (
            ["--clean-up", "pardis", "--no-online", "--seed", "7"],
            Settings(clean_up="pardis", online=False, seed=7),
        ),
        (
            ["--preset", "printed"],
            Settings(minimize=Ddmin(subsets=True, backwards=False, restart=True)),
        ),
        (
            ["--preset", "printed", "--no-restart", "--backwards"],
            Settings(minimize=Ddmin(subsets=True, restart=False, backwards=True)),
        ),
    ],
)
def test_options_become_settings(arguments: list[str], expected: Settings) -> None:
    assert chosen(*arguments) == expected


def test_a_preset_of_ddmin_holds_for_its_relatives() -> None:
    printed = PRESETS["printed"].settings
    assert printed.changed(list_minimizer="wdd").minimize == Wdd(
        subsets=True, backwards=False, restart=True
    )
    assert printed.changed(list_minimizer="probdd").minimize == Probdd()
    assert printed.changed(list_minimizer="wdd", factor=3).minimize.factor == 3  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", PRESETS)
def test_presets(name: str) -> None:
    assert chosen("--preset", name) == PRESETS[name].settings


def test_a_model_is_read_from_a_file(tmp_path: Path) -> None:
    model = Model("c", {"a/b": Curve(1.0, 2.0, 3)})
    path = tmp_path / "model.json"
    path.write_text(model.to_json())
    assert chosen("--model", str(path)) == Settings(model=model)
    path.write_text("{}")
    with pytest.raises(AssertionError, match="not a model"):
        chosen("--model", str(path))


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(LookupError, match="no list minimiser"):
        Settings().changed(list_minimizer="quick")
    with pytest.raises(LookupError, match="probdd has no option"):
        Settings().changed(list_minimizer="probdd", factor=3)
    with pytest.raises(LookupError, match="probdd has no option called 'factor'"):
        Settings(minimize=Probdd()).changed(factor=3)
    with pytest.raises(ValueError, match="bound"):
        Settings(bound=-1)
    with pytest.raises(ValueError, match="split factor"):
        Ddmin(factor=1)
