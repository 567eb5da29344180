"""The preprocessor of a language, and what the journal knows of its answers."""

from __future__ import annotations

import shutil

import pytest

from marrow.engine.journal.journal import Journal
from marrow.run.plan.system_headers import SystemHeaders

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no cc is installed")


def test_headers_are_expanded() -> None:
    made = SystemHeaders().expanded(b"#include <stddef.h>\nsize_t a;\n", "c")
    assert made is not None
    assert b"typedef" in made
    assert b"#" not in made


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (b"int a;\n", "c"),
        (b'#include "stddef.h"\n', "c"),
        (b"#include <no-such-header.h>\n", "c"),
        (b"#include <stddef.h>\n#error\n", "c"),
        (b"#include <stddef.h>\n", "python"),
        (b"", "cpp"),
    ],
)
def test_what_has_none_stays(text: bytes, language: str) -> None:
    assert SystemHeaders().expanded(text, language) is None


def test_a_resumed_run_asks_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    text, journal, headers = b"#include <stddef.h>\n", Journal.in_memory(), SystemHeaders()
    headers.join(journal)
    first = headers.expanded(text, "c")
    again = SystemHeaders()
    again.join(journal)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert again.expanded(text, "c") == first is not None
    assert again.expanded(text + b"int a;", "c") is None
    assert repr(again) == repr(headers)
