"""Formatters of languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.languages.language_facts import LanguageFacts
from marrow.run.output import pretty_result
from marrow.run.output.pretty_result import formatted


def test_the_first_formatter_that_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is installed and fails gives way to the next."""
    for name, script in (("broken", "exit 3"), ("working", "tr a-z A-Z")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    usual = {"c": ("missing -", "broken -", "working -", "broken"), "go": ("broken",)}
    monkeypatch.setattr(
        pretty_result, "facts_of", lambda language: LanguageFacts(formatters=usual[language])
    )
    assert formatted(b"int a;", "a.c", "c") == (b"INT A;", "")
    assert formatted(b"package a", "a.go", "go")[0] is None
    assert formatted(b"int a;", "a.c", "c", "none")[0] is None
    assert formatted(b"int a;", "a.c", "c", installed=False)[0] is None
