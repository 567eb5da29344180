"""The pytest plugin, run by pytest on modules of its own."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

MODULE = """
import json
import pytest
from hypothesis import given, settings, strategies as st

def use(text):
    value = json.loads(text)
    if isinstance(value, list) and "id" in value:
        raise KeyError("id")

@pytest.mark.marrow(language="json")
@pytest.mark.parametrize("text", ['["a"]', '["a", "id", {"b": [1, 2, 3]}]'])
def test_parametrised(text, tmp_path):
    use(text)

@pytest.mark.marrow("text", language="json")
@settings(database=None, derandomize=True, max_examples=5)
@given(text=st.just('["a", "id"]'), other=st.integers())
def test_by_hypothesis(text, other):
    use(text)

def test_made_here(marrow_shrink):
    marrow_shrink('["a", "id", {"b": 1}]', use, language="json")

@pytest.mark.marrow("nothing")
def test_no_text(tmp_path):
    assert False
"""


def test_the_text_is_shrunk_and_shown(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CI", "BUILD_NUMBER"):  # with these pytest's summary repeats the whole message
        monkeypatch.delenv(name, raising=False)
    pytester.makepyfile(MODULE)
    words = ("-p", "no:cacheprovider")  # installed, the plugin is found by its entry point
    plain = pytester.runpytest_inprocess(*words)
    plain.assert_outcomes(passed=1, failed=4)
    assert "shrunk by marrow" not in plain.stdout.str()
    shrunk = pytester.runpytest_inprocess("--marrow", *words)
    shrunk.assert_outcomes(passed=1, failed=4)
    shown = shrunk.stdout.str()
    assert shown.count("shrunk by marrow from ") == 3
    assert shown.count('["id"]') >= 3
    assert "'nothing' is not a text argument of the test; there are none" in shown
