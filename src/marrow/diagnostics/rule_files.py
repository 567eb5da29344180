"""Rules as data: how tools write messages and stack frames, and the words that they use."""

from __future__ import annotations

import sys
import tomllib
from importlib import resources
from typing import Any, Final

#: The files, without their suffix.
RULE_FILES: Final = ("messages", "frames", "vocabulary", "templates")


def rule_text(name: str) -> str:
    """Return the text of a file. A saved test has it in the package itself."""
    texts: dict[str, str] = getattr(sys.modules["marrow.diagnostics"], "RULE_TEXTS", {})
    if name in texts:
        return texts[name]
    file = resources.files("marrow.diagnostics") / f"{name}.toml"
    return file.read_text(encoding="utf-8")


def rules_in(name: str) -> dict[str, Any]:
    """Return the tables of a file."""
    return tomllib.loads(rule_text(name))
