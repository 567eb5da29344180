"""Words that messages are made of, which are therefore not names of the input.

A word of a message that also occurs in the input becomes a placeholder, unless it is one of these:
keywords and built-in types say what went wrong (`expected int`), and the vocabulary of diagnostics
is the message itself, even if the input happens to have a variable `value`. The words are in
`diagnostics/vocabulary.toml`.
"""

from __future__ import annotations

from typing import Final

from marrow.diagnostics.rule_files import rules_in

_WORDS: Final = {name: frozenset(words.split()) for name, words in rules_in("vocabulary").items()}

KEYWORDS: Final = _WORDS["keywords"]
VOCABULARY: Final = _WORDS["vocabulary"]
TAGS: Final = _WORDS["tags"]
MET: Final = _WORDS["met"]
NAMED: Final = _WORDS["named"] | {f"{word} to" for word in _WORDS["named_to"]}
