"""Code names no language: what is known about them is in `marrow/languages`.

Strings are searched for names of languages, bytes for words of their syntax.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import marrow
from marrow.languages.language_facts import FOLDER

ROOT = Path(marrow.__file__).parent
NAMES = {path.stem for path in FOLDER.glob("*.toml")}

#: Names of languages that are words of their own.
WORDS = {"make", "po", "r", "v", "d", "c", "func", "lean", "properties"}

_TEXT = """
    auto class const consteval constexpr def delete elif enum extern final friend fn func goto
    import inline int let mod module namespace new nil operator override package private
    protected public return static struct template throw typename union using virtual void while
"""
SYNTAX = frozenset(_TEXT.split())

#: What still names a language, and why. This table may only become shorter.
EXCEPTIONS = {
    "cli/commands/completion.py": "shells that complete marrow's own command line",
    "cli/run_arguments.py": "shells",
    "diagnostics/json_messages.py": "messages in JSON",
    "diagnostics/missing_names.py": "a word of compilers' messages",
    "grammar/notations.py": "a notation of grammars",
}


def named_in(path: Path) -> set[str]:
    """Return the languages, and the words of their syntax, that a module names."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, str) and value in NAMES - WORDS:
            found.add(value)
        elif isinstance(value, bytes):
            found |= SYNTAX.intersection(re.findall(r"[\w-]+", value.decode("latin-1")))
    return found


def test_code_names_no_language() -> None:
    found = {path.relative_to(ROOT).as_posix(): named_in(path) for path in ROOT.rglob("*.py")}
    naming = {name: words for name, words in found.items() if words}
    assert naming.keys() == EXCEPTIONS.keys(), naming
