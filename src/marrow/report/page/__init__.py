"""The parts of the HTML report: its frame, its style, its script, put into one page."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib import resources
from typing import Final

_PLACE: Final = re.compile(r"\{\{(\w+)\}\}")


def page(title: str, data: dict[str, object], *, live: bool = False) -> str:
    """Return the page that shows some data.

    The policy in the page allows its own style and script only, known by their hashes: whatever the
    data holds, nothing else is run, and nothing is loaded. A `live` page may ask its own server.
    """
    style, script = _part("page.css"), _part("page.js")
    parts = {
        "title": html.escape(title),
        "style": style,
        "script": script,
        "data": _json(data),
        "policy": (
            # Styles of single elements are set by the script, which a hash does not cover.
            "default-src 'none'; style-src 'unsafe-inline'; "
            f"script-src '{_hash(script)}'; base-uri 'none'; form-action 'none'"
            + ("; connect-src 'self'" if live else "")
        ),
    }
    return _PLACE.sub(lambda place: parts[place[1]], _part("page.html"))


def _part(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _json(data: dict[str, object]) -> str:
    """Return data as JSON that cannot end the element that holds it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
