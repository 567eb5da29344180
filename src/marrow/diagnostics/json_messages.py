"""Messages of tools that print JSON: a document, or an object on each line."""

from __future__ import annotations

import json
from typing import Any, Final

from marrow.diagnostics.rule_files import rules_in

_WORDS: Final = {name: words.split() for name, words in rules_in("messages")["json"].items()}

# A document that nests deeper than this is not a list of messages.
_MOST: Final = 100_000


def json_messages(output: bytes) -> list[tuple[str, str]] | None:
    """Return levels and texts of the messages in JSON, or None if the output is none."""
    stripped = output.strip()
    if stripped[:1] not in (b"{", b"["):
        return None
    documents: list[Any] = []
    try:
        documents.append(json.loads(stripped))
    except (ValueError, RecursionError):
        lines = stripped.splitlines()
        if any(line.strip()[:1] not in (b"{", b"[") for line in lines):
            return None
        try:
            documents += map(json.loads, lines)
        except (ValueError, RecursionError):
            return None
    found = [one for document in documents for one in _found(document)]
    return found or None


def _found(document: Any) -> list[tuple[str, str]]:
    result: list[tuple[str, str]] = []
    left: list[Any] = [document]
    seen = 0
    while left and seen < _MOST:
        seen += 1
        value = left.pop(0)
        if isinstance(value, list):
            left = [*value, *left]
        elif isinstance(value, dict):
            text = _text(value)
            level = next((value[key] for key in _WORDS["levels"] if key in value), None)
            if text and (level is not None or any(key in value for key in _WORDS["codes"])):
                result.append((_level(level), f"{text}{_code(value)}"))
            else:
                left = [*value.values(), *left]
    return result


def _text(value: dict[str, Any]) -> str:
    texts = (_first(value.get(key), "text", "message") for key in _WORDS["texts"])
    return next((text for text in texts if isinstance(text, str) and text), "")


def _code(value: dict[str, Any]) -> str:
    codes = (_first(value.get(key), "code", "value") for key in _WORDS["codes"])
    return next((f" [{code}]" for code in codes if type(code) in (str, int) and code != ""), "")


def _first(value: Any, *keys: str) -> Any:
    """Return the first of some values of an object; anything else is itself."""
    return next(filter(None, map(value.get, keys)), None) if isinstance(value, dict) else value


def _level(level: object) -> str:
    said = str(level).casefold()
    if said in _WORDS["errors"] or "error" in said:
        return "error"
    if said in _WORDS["warnings"] or "warning" in said:
        return "warning"
    return "note" if level else "error"
