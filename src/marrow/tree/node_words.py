"""Names of node types in plain words, for progress, reports and explanations.

Grammars name their rules for those who write grammars: `_r_blk_map_itm`, `preproc_def`, `exprList`.
People read "block mapping item", "preprocessor definition", "expression".
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Final

# Hidden rules have such short words for the state of the parser: `_br_blk_seq`.
_SHORTEST: Final = 3

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@cache
def _known() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def node_words(type_name: str) -> str:
    """Return the name of a node type in plain words; signs are quoted.

    A name may begin with the types around it: `if_statement/block`.
    """
    name = type_name.rpartition("/")[2].strip("'<>") or type_name
    if not re.search(r"[^\W\d_]", name):
        return f"'{name}'"
    hidden = name.startswith("_")
    name = name.strip("_").removesuffix("_list")
    known = _known()
    if name in known["phrases"]:
        return known["phrases"][name]
    words = [word.lower() for word in re.split(r"[\s_.-]+", _CAMEL.sub("_", name)) if word]
    if len(words) > 1 and words[-1] == "list":
        words.pop()
    if hidden and len(words) > 1:
        words = [word for word in words if len(word) >= _SHORTEST] or words
    plain = (known["abbreviations"].get(word, word) for word in words)
    return " ".join(filter(None, plain)) or "part"
