"""The pass `clang-delta`: what a program that knows C and C++ proposes."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from marrow.base.errors import UsageError
from marrow.reducers.passes.pass_context import PassOptions
from marrow.reducers.pipeline.pass_table import PASSES, passes_of, usual_passes
from marrow.run import clang_delta_program
from marrow.run.clang_delta_program import DIRECTORIES, PROGRAM, found_program
from marrow.run.plan.chosen_strategy import chosen_strategy
from tests.quality.reducing import reduced

TEXT = "int one() { return 1; } int two() { return 2; } int keep() { return 3; }\n"


@dataclass
class Shuffler:
    """Puts `int x;` in the place of functions, or something longer, and counts what it does."""

    transformations: tuple[str, ...] = ("grow", "shrink")
    asked: list[tuple[str, int]] = field(default_factory=list)

    def instances(self, transformation: str, text: bytes, language: str) -> int:
        assert language == "c"
        return len(re.findall(rb"int \w+\(\) {[^}]*}", text))

    def transformed(
        self, transformation: str, instance: int, text: bytes, language: str
    ) -> bytes | None:
        self.asked.append((transformation, instance))
        found = list(re.finditer(rb"int \w+\(\) {[^}]*}", text))[instance - 1]
        new = b"int x;" if transformation == "shrink" else b"int y; int y; int y; int y; int y;"
        return text[: found.start()] + new + text[found.end() :]


@pytest.mark.parametrize("workers", [1, 3])
def test_proposals_are_taken_if_they_are_smaller(workers: int) -> None:
    program = Shuffler()

    def test(candidate: str) -> bool:
        whole = re.findall(r"int x;|int \w+\(\) { return \d; }", candidate)
        return len(whole) == 3 and "keep() { return 3; }" in candidate

    result = reduced(
        "c", TEXT, test, "clang-delta", workers=workers, options=PassOptions(transformer=program)
    )
    assert " ".join(result.text.decode().split()) == "int x; int x; int keep() { return 3; }"
    assert ("shrink", 1) in program.asked
    again = reduced(
        "c", TEXT, test, "clang-delta", workers=workers, options=PassOptions(transformer=program)
    )
    assert again.text == result.text


def test_other_languages_are_left_alone() -> None:
    program = Shuffler()
    reduced(
        "java",
        "class A { int one() { return 1; } }",
        lambda text: "one" in text,
        "clang-delta",
        options=PassOptions(transformer=program),
    )
    assert not program.asked


def test_it_runs_only_if_it_is_asked_for() -> None:
    usual = [one.name for one in usual_passes()]
    assert "clang-delta" not in usual
    assert len(usual) == len(PASSES) - 1
    more = [one.name for one in passes_of("+clang-delta,-tokens")]
    assert set(more) == {*usual, "clang-delta"} - {"tokens"}
    assert more.index("clang-delta") > more.index("less")
    assert [one.name for one in passes_of("names,+clang-delta")] == ["names", "clang-delta"]
    assert [one.name for one in passes_of("none,+clang-delta")] == ["clang-delta"]
    assert [one.name for one in passes_of("-tokens")] == [one for one in usual if one != "tokens"]
    with pytest.raises(LookupError, match="no pass called 'clang-beta'"):
        passes_of("+clang-beta")


def test_a_missing_program_is_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(clang_delta_program, "DIRECTORIES", ())
    with pytest.raises(UsageError, match="clang_delta, which is not installed"):
        chosen_strategy({"passes": "+clang-delta"})
    assert "clang-delta" not in chosen_strategy({}).signature
    program = tmp_path / "elsewhere" / PROGRAM
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(clang_delta_program, "DIRECTORIES", (str(program.parent),))
    found = found_program()
    assert found.path == str(program)
    assert found.transformations == ()
    assert found.instances("remove-namespace", b"int x;", "c") == 0
    assert found.transformed("remove-namespace", 1, b"int x;", "c") is None


def test_the_program_itself() -> None:
    if shutil.which(PROGRAM) is None and not any(
        Path(one, PROGRAM).exists() for one in DIRECTORIES
    ):
        pytest.skip("clang_delta is not installed (Debian: cvise)")
    program = found_program()
    assert "remove-namespace" in program.transformations
    assert not any(name.startswith("rename") for name in program.transformations)
    text = b"namespace n { int x; } int y = n::x;\n"
    assert program.instances("remove-namespace", text, "cpp") == 1
    found = program.transformed("remove-namespace", 1, text, "cpp")
    assert found is not None
    assert found.split() == b"int x; int y = x;".split()
