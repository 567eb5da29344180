"""`--guard c` uses the compilers and libraries that are installed, and says what it leaves out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from marrow.base.errors import UsageError
from marrow.languages.language_facts import LanguageFacts
from marrow.run.plan.input import path_input
from marrow.run.test import guards
from marrow.run.test.guards import c_guard
from tests.cli.running import executable


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory as the only place of programs."""
    place = tmp_path / "programs"
    place.mkdir()
    monkeypatch.setenv("PATH", str(place))
    (tmp_path / "input.c").write_text("int main(void) { return 0; }\n")
    executable(place / "timeout", 'shift; exec "$@"')
    executable(place / "cmp", "exit 0")
    return place


def compiler(programs: Path, name: str, *lacks: str) -> None:
    """Install a compiler that cannot do some things; what it makes exits with 0."""
    refused = "".join(f"*{one}*) exit 1;; " for one in lacks)
    made = 'while [ $# -gt 1 ]; do [ "$1" = -o ] && out=$2; shift; done'
    body = f"""case "$*" in {refused}esac
{made}
printf '#!/bin/sh\\nexit 0\\n' > "$out"
/bin/chmod +x "$out" """
    for one in (name, {"gcc": "g++", "clang": "clang++"}[name]):
        executable(programs / one, body)


def words(tmp_path: Path) -> str:
    source = path_input((tmp_path / "input.c",), None)
    return c_guard((("gcc", "{}"),), source)[1]


def test_no_compiler(programs: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="neither is installed"):
        words(tmp_path)


def test_clang_without_a_memory_sanitizer(programs: Path, tmp_path: Path) -> None:
    compiler(programs, "clang", "fsanitize=memory")
    said = words(tmp_path)
    assert "clang's sanitizers for undefined behaviour and addresses" in said
    assert "whatever its variables begin with" in said
    assert "left out" not in said


def test_another_compiler_has_the_library(programs: Path, tmp_path: Path) -> None:
    compiler(programs, "gcc", "fsanitize")
    compiler(programs, "clang")
    said = words(tmp_path)
    assert "clang's sanitizers for undefined behaviour and addresses" in said
    assert "clang's memory sanitizer" in said


def test_no_library_at_all(programs: Path, tmp_path: Path) -> None:
    compiler(programs, "gcc", "fsanitize", "ftrivial")
    said = words(tmp_path)
    assert "left out: runs under sanitizers" in said
    assert "left out: reads of what was never written" in said
    lines, _ = c_guard((("gcc", "{}"),), path_input((tmp_path / "input.c",), None))
    assert len(lines) == 1


def test_some_libraries(programs: Path, tmp_path: Path) -> None:
    compiler(programs, "gcc", "address")
    assert "left out: addresses" in words(tmp_path)


def test_a_check_that_only_the_input_passes_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    valid, broken = tmp_path / "a.json", tmp_path / "b.json"
    valid.write_text("[1]")
    broken.write_text("[1")
    check = f"{sys.executable} -m json.tool {{}}"
    facts = LanguageFacts(checkers=("no-such-program {}", check))
    monkeypatch.setattr(guards, "facts_of", lambda _: facts)
    assert guards.lost_check("json", valid, broken) == check
    assert guards.lost_check("json", valid, valid) == ""
    assert guards.lost_check("json", broken, broken) == ""
