"""The words of shipped grammars are legal: what is drawn for a token, a real tool reads."""

from __future__ import annotations

import json
import shutil
import subprocess
from random import Random

import pytest

from marrow.grammar.language import Language
from marrow.grammars import grammar_path

#: How many words are drawn for a token, and how many of them may be illegal.
DRAWN = 300
ILLEGAL = 3

_NODE = """
const vm = require("vm");
const [words, form] = JSON.parse(require("fs").readFileSync(0));
const bad = words.filter(word => {
  try { new vm.Script(form.replace("@", () => word)); return false; } catch { return true; }
});
console.log(JSON.stringify(bad));
"""


def words(grammar: str, token: str) -> list[str]:
    generator = Language.from_file(grammar_path(grammar)).generator(0.5)
    random = Random(f"{grammar} {token}")
    return [generator.tree(random, start=token, size=1).text.decode() for _ in range(DRAWN)]


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.parametrize(
    ("token", "form"),
    [
        ("IDENTIFIER", "var @;"),
        ("NUMBER", "(@);"),
        ("STRING", "(@);"),
        ("REGULAR_EXPRESSION", "x = @;"),
    ],
)
def test_words_of_javascript(token: str, form: str) -> None:
    drawn = words("javascript", token)
    ended = subprocess.run(
        ["node", "-e", _NODE], input=json.dumps([drawn, form]), capture_output=True, text=True
    )
    assert len(json.loads(ended.stdout)) <= ILLEGAL, ended.stdout


@pytest.mark.parametrize("token", ["STRING", "NUMBER"])
def test_words_of_json(token: str) -> None:
    for word in words("json", token):
        assert json.loads(word) is not None, word


@pytest.mark.skipif(shutil.which("luac5.4") is None, reason="needs luac5.4")
@pytest.mark.parametrize("token", ["NAME", "NUMBER", "STRING"])
def test_words_of_lua(token: str) -> None:
    """One chunk loads every word on its own and counts those that are refused."""
    script = "local bad = 0\nfor word in io.read('a'):gmatch('([^\\0]+)\\0') do\n"
    script += "if not load('return ' .. word) then bad = bad + 1 end end print(bad)"
    text = "".join(f"{word}\0" for word in words("lua", token))
    ended = subprocess.run(["lua5.4", "-e", script], input=text, capture_output=True, text=True)
    assert int(ended.stdout) <= ILLEGAL
