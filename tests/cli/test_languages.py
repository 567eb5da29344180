"""`marrow languages`."""

from __future__ import annotations

import json

from marrow.learn.model import known_models, load_model
from tests.cli.running import marrow


def test_languages_with_a_model_say_so() -> None:
    ended = marrow("languages")
    assert ended.code == 0
    marked = {line.split()[0] for line in ended.out.splitlines() if line.endswith("[model]")}
    parsed = {name for name in known_models() if not name.startswith("grammar-")}
    assert marked == parsed >= {"c", "go"}


def test_as_json() -> None:
    languages = json.loads(marrow("languages", "--json").out)
    assert languages["c"] == {"files": [".c", ".h", ".i"], "model": True}
    assert languages["ada"]["model"] is False


def test_models_that_ship_can_be_loaded_and_say_how_they_were_made() -> None:
    for language in known_models():
        model = load_model(language)
        assert model is not None
        assert model.language == language
        assert model.curves
        assert {"corpus", "check", "command", "date", "tests", "removals"} <= set(model.provenance)
